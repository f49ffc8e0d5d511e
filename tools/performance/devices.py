"""One model on several devices."""
from . import results
from .table import section, table

FILES = ("devices_h200", "devices_h100")


def page():
    out = []
    for name in FILES:
        r = results.load(name)
        times = [row for row in r["rows"] if "us_per_step" in row]
        out += section(f'Steps, {r["device_name"]}', "`bench/devices.py`, in single precision: the time of a step is the slope of a line through the reports of a run, or the difference of two runs. "
                       f'The model is divided among the devices (strong scaling). {r["compiler"]}.', table(
                           times, ("model", "model"), ("form of K", "form"), ("devices", "devices"), ("link", "link"), ("time of a step, us", "us_per_step", ".1f"),
                           ("times one", "speedup", ".2f")))
        out += section(f'A body of twice the length, {r["device_name"]}', "Weak scaling: the time of a step of so many nodes on two devices beside that of half of them on one.",
                       table(results.rows(name, table="weak"), ("model on one", "model"), ("form of K", "form"), ("nodes on two", "nodes"), ("link", "link"), ("one, us", "one_us", ".1f"),
                             ("two, us", "weak_us", ".1f"), ("efficiency, %", "efficiency", ".1f")))
        out += section(f'Shots, {r["device_name"]}', "Seconds of solving of a run whose batches of shots are shared out among the devices; run.h5 is the same.", table(
            results.rows(name, table="shots"), ("model", "model"), ("form of K", "form"), ("steps", "steps"), ("shots", "shots"), ("of a batch", "at_once"), ("devices", "devices"),
            ("solving, s", "solve_s", ".2f"), ("times one", "speedup", ".2f")))
        out += section(f'Statics and heat over ranks of MPI, {r["device_name"]}', "`method: cg, form: assembled` with multigrid in double precision to 1e-8 where nothing else is said; a GPU for each rank, "
                       "whose halos pass through page-locked memory. Compiling is left out. run.h5 has the same bytes; memory is that of the first rank's GPU.", table(
            results.rows(name, table="ranks"), ("model", "model"), ("unknowns", "unknowns"), ("ranks", "ranks"), ("iterations", "iterations"), ("assembly, s", "assemble_s", ".2f"),
            ("set-up, s", "setup_s", ".2f"), ("solution, s", "solve_s", ".2f"), ("memory of a GPU, GB", "memory_gb", ".2f"), ("commit", "commit")))
        out += section(f'Links between ranks of MPI, {r["device_name"]}', "What a run measures before its first step (`links` of run.json): an exchange of the model's rows between two ranks, a GPU each, on the slower one. Open MPI 4.1.6, "
                       "which does not reach the memory of GPUs, and NCCL 2.28.9. run.h5 and field.vtkhdf of these runs have the bytes of one device.", table(
            results.rows(name, table="rank_links", same=True), ("model", "model"), ("form of K", "form"), ("nodes", "nodes", ","), ("link", "link"), ("exchange, us", "exchange_us", ".1f"), ("commit", "commit")))
        out += section(f'Whole runs, {r["device_name"]}', "Seconds of solving, with the start of the devices, of so many steps. The source lies on the border of the parts.", table(
            results.rows(name, table="runs"), ("model", "model"), ("form of K", "form"), ("steps", "steps"), ("devices", "devices"), ("link", "link"), ("solving, s", "solve_s", ".2f"),
            ("times one", "speedup", ".2f")))
        out += section(f'Bytes of the results, {r["device_name"]}', "run.h5 and field files of these runs have the bytes of one device.", table(
            results.rows(name, table="bytes", same=True), ("model", "model"), ("nodes", "nodes"), ("steps", "steps"), ("devices", "devices"), ("link", "link")))
        out += section(f'Sending beside the interior, {r["device_name"]}', "Whole runs, divided by their steps, with the launches of a step one after another and in two branches.",
                       table(results.rows(name, table="branch"), ("model", "model"), ("steps", "steps"), ("devices", "devices"), ("one after another, us", "chain_us", ".1f"),
                             ("branches, us", "branch_us", ".1f"), ("ratio", "ratio", ".2f")))
        out += section(f'End of the exchange, {r["device_name"]}', "Time of a step whose exchange ends within it, in the next step, and without any exchange (which computes another result).", table(
            results.rows(name, table="exchange"), ("model", "model"), ("devices", "devices"), ("link", "link"), ("within, us", "within_us", ".1f"), ("in the next, us", "next_us", ".1f"),
            ("without, us", "without_us", ".1f")))
        out += section(f'Links, {r["device_name"]}', "What `hooke devices` measures between two of them.", table(
            results.rows(name, table="links"), ("link", "link"), ("latency, us", "latency_us", ".1f"), ("GB/s", "gb_per_s", ".1f")))
    return out
