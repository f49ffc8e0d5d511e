"""Explicit steps of linear elements: forms of K, whole runs."""
from . import results
from .table import section, table

LARGE, SMALL, MANY = .92, .6, 3e6  # least shares of the bench's rate; unknowns above which a mesh is large


def over(rows, key, *same):
    """A column's function: the value over that of the form `stored` in the row with the same values of these keys."""
    def cell(r):
        stored = next((s for s in rows if s["method"] == "stored" and all(s[k] == r[k] for k in same)), None)
        return r[key] / stored[key] if stored else None
    return cell


def share(r):
    nominal = f' ({100 * r["nominal_share_of_stream"]:.0f} % nominal)' if r["method"] == "stored" else ""
    return f'{100 * r["share_of_stream"]:.0f} %{nominal}'


def graphics():
    r = results.load("h200")
    same = ("case", "precision", "form")
    return section(f'Forms of K, {r["device"]}', f'`bench/device.py`, {results.commits(r["rows"])}; copy {r["copy_gb_per_s"]:.0f} GB/s, counting bytes read and written.', table(
        r["rows"], ("mesh", "case"), ("nodes", "nodes"), ("method", "method"), ("precision", "precision"), ("state", "form"), ("GDOF/s", "gdof_per_s", ".1f"),
        ("over stored", over(r["rows"], "gdof_per_s", *same), ".2f"), ("bytes per unknown", "bytes_per_dof", ".0f"), ("of copy", "share_of_copy", ".0f %"),
        ("lists, bytes per node", "list_bytes_per_node", ".0f"), ("lists over stored", over(r["rows"], "list_bytes_per_node", *same), ".2f")))


def repeated():
    r = results.load("h200")["repeated"]
    return section("Meshes whose elements repeat, NVIDIA H200", f'{results.commits(r["rows"]).capitalize()}. {r["about"]}', table(
        r["rows"], ("mesh", "case"), ("nodes", "nodes"), ("method", "method"), ("precision", "precision"), ("state", "form"), ("GDOF/s", "gdof_per_s", ".1f"),
        ("floor", "floor"), ("jittered", "jittered_gdof_per_s", ".1f"), ("bytes per unknown", "bytes_per_dof", ".0f"), ("of copy", "share_of_copy", ".0f %"),
        ("lists, bytes per node", "list_bytes_per_node", ".0f")))


def runs():
    r = results.load("runs_h200")
    compiler = f', `bench/rates.py`; {r["compiler"]}' if r.get("compiler") else ""

    def share(x, key="bench_gdof_per_s"):
        return x["gdof_per_s"] / x[key] if x.get(key) else None
    return [*section(f'Whole runs, {r["device_name"]}', f'{results.commits(r["rows"]).capitalize()}{compiler}. Kernels were already compiled; single precision. {r["about"]} The bench steps alone: '
                     "`operator_steps`, and `hooke bench sem` for spectral elements. "
                     f'Targets: {100 * LARGE:.0f} % of its rate on large meshes, {100 * SMALL:.0f} % of it on small ones.', table(
                         r["rows"], ("model", "case"), ("unknowns", "dofs"), ("steps", "steps"), ("frames", "frames"), ("method", "method"), ("GDOF/s of the run", "gdof_per_s", ".1f"),
                         ("of the bench's on the large mesh", share, ".0f %"), ("of the bench's on this mesh", lambda x: share(x, "same_gdof_per_s"), ".0f %"),
                         ("target", lambda x: "met" if share(x) >= (LARGE if x["dofs"] > MANY else SMALL) else "missed"))),
        *section(f'Parts of a small step, {r["device_name"]}', f'Microseconds of a step, in runs like those above but shorter, with something left out. {r["parts_about"]}', table(
            r["parts"], ("model", "case"), ("all", "us", ".1f"), ("no damping", "no_damping_us", ".1f"), ("no receiver", "no_receiver_us", ".1f"), ("no source, no receiver", "no_source_us", ".1f"),
            ("no energies", "no_energies_us", ".1f"), ("none of these, no frames", "bare_us", ".1f"))),
        *section(f'Lists read before a launch waits, {r["device_name"]}', "Microseconds of a step of runs like those above, twice each, and the commits.", table(
            r["early"], ("model", "case"), ("before", lambda x: " and ".join(f"{t:.2f}" for t in x["before_us"])), ("after", lambda x: " and ".join(f"{t:.2f}" for t in x["us"])),
            ("commit before", "before"), ("commit after", "commit"))),
        *section(f'From deck to traces, {r["device_name"]}', f'{results.commits(r["commands"]).capitalize()}. The weld of Huthwaite (2014) at the paper\'s size. The seconds were recorded with two digits.', table(
            r["commands"], ("model", "case"), ("nodes", "nodes"), ("steps", "steps"), ("precision", "precision"), ("with", "with"), ("seconds", "seconds"))),
        *section(f'Shots side by side, {r["device_name"]}', "Eight shots in one batch, and one shot, single precision. The rates were recorded with two or three digits.", table(
            r["shots"], ("mesh", "case"), ("nodes", "nodes"), ("method", "method"), ("shots", "shots"), ("GDOF/s, all shots", "gdof_per_s"), ("one shot", "one_gdof_per_s"),
            ("ratio", lambda x: x["gdof_per_s"] / x["one_gdof_per_s"], ".2f")))]


def processor():
    r = results.load("cpu")
    d, same = r["device"], ("case", "precision", "threads")
    reading, writing, memory = r["reading"], r["writing"], r["memory"]
    other = [{"what": f'reading a deck of {reading["elements"]} elements ({reading["megabytes"]:.0f} MB)', "measured": f'{reading["seconds"]:.2f} s; `wc` {reading["wc_seconds"]:.2f} s'},
             {"what": "frames and traces, share of the run", "measured": f'{100 * writing["share"]:.1f} %'},
             {"what": f'memory of a run, {memory["elements"]} tet4, single, `{memory["method"]}`',
              "measured": f'{memory["bytes_per_element"]:.0f} bytes per element; predicted / measured {memory["predicted_over_peak"]:.3f}'},
             {"what": "set-up of that run (numbering, mass, bound, lists)", "measured": f'{memory["assemble_over_step"]:.0f} steps'}]
    return section(f'Forms of K, {d["name"]}, {d["threads"]} threads, {d["instruction_set"]}',
                   f'`bench/run.py`, commit {r["commit"]}; {r["compiler"]}; copy {r["copy_gb_per_s"]:.1f} GB/s, step stream {r["stream_gb_per_s"]:.1f} GB/s. In single precision the state '
                   "is u and its increment, in double precision u at two times. Bytes per unknown count every array of the form and of the state once per step, with padding; nominal "
                   "bytes count positions and the mean number of neighbours, without padding.", table(other, ("what", "what"), ("measured", "measured")), table(
                       r["rows"], ("mesh", "case"), ("method", "method"), ("precision", "precision"), ("threads", "threads"), ("nodes", "nodes"), ("GDOF/s", "gdof_per_s", ".3f"),
                       ("over stored", over(r["rows"], "gdof_per_s", *same), ".2f"), ("bytes per unknown", "bytes_per_dof", ".0f"), ("of stream", share),
                       ("lists, bytes per node", "list_bytes_per_node", ".0f"), ("lists over stored", over(r["rows"], "list_bytes_per_node", *same), ".2f"),
                       ("set-up, steps", "create_steps", ".0f")))


def second_order():
    r = results.load("lumped")
    shown = [k for k, n in enumerate(r["nodes"]) if n >= 10]

    def name(x):
        return f'order {x["order"]}, {"2D" if x["shape"] == "quad4" else "3D"}' if x["spectral"] else x["shape"]
    errors = [(f"{wave.upper()}, {r['nodes'][k]} nodes", lambda x, w=wave, k=k: f"{100 * x[w][k]:.2g} %") for wave in ("p", "s") for k in shown]
    return section("Waves on elements of second order", f'`bench/lumped.py`, commit {r["commit"]}; double precision. Error of the phase velocity of plane waves on regular meshes, in the worst '
                   "of the directions along the axes and the diagonals; c_p / c_s = 2. Nodes per wavelength count the distance h of nodes, which is the volume per node to the power 1 / dim. "
                   "The errors are those in space; c dt / h is the largest stable step, c the speed of P waves.", table(
                       r["rows"], ("element", name), *errors, ("c dt / h", "step", ".2f")))


def page():
    return [*graphics(), *repeated(), *runs(), *processor(), *second_order()]
