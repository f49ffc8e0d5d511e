"""Whole commands: what the stages of a run take, before and now."""
import json

from . import results
from .table import scaled, section, table

SHOWN = .02  # of the whole: smaller stages are not named


def files():
    return [json.loads(path.read_text()) for path in sorted(results.FOLDER.glob("whole_*.json"))]


def there():
    return bool(files())


def largest(stages, total):
    """The names and seconds of the stages that take most, the largest first."""
    named = sorted(((seconds, name) for name, seconds in stages.items() if seconds >= SHOWN * total), reverse=True)
    return ", ".join(f"{name} {seconds:.2f}" for seconds, name in named)


def beyond(row):
    return row.get("steps_beyond_end", 0)


def steps(row):
    return f'{row["steps"]} + {beyond(row)}' if beyond(row) else row["steps"]


def why_beyond(rows):
    """A sentence on them, where there are any."""
    return " Steps: up to the end + beyond it; the latter remove time dispersion from traces, and the build before did not compute them." if any(map(beyond, rows)) else ""


def times(rows):
    return table(rows, ("run", "run"), ("nodes, M", scaled("nodes", 1e-6), ".2f"), ("steps", steps), ("precision", "precision"), ("solving, s", "solve", ".2f"),
                 ("solving before, s", "before_solve", ".2f"), ("whole before, s", "before", ".1f"), ("whole now, s", "whole", ".1f"), ("ratio", "times", ".1f"),
                 ("beside solving before, s", "before_beside", ".1f"), ("beside solving now, s", "beside", ".1f"), ("cold, s", "cold", ".1f"),
                 ("memory of the host, GB", scaled("peak_memory_bytes", 1e-9), ".1f"))


def predictions(rows):
    """What hooke check told, over what the run took."""
    return table((r for r in rows if "check_beside" in r), ("run", "run"), ("solving, told / took", lambda r: r["check_solve"] / r["solve"], ".2f"),
                 ("beside solving, told / took", lambda r: r["check_beside"] / r["beside"], ".2f"),
                 ("memory, told / took", lambda r: r["check_memory_bytes"] / r["peak_memory_bytes"], ".3f"))


def cold_starts(rows):
    """First commands of an empty cache folder."""
    return table(rows, ("model", "case"), ("kernels", "kernels"), ("all compiled, s", "compiled_s", ".2f"), ("kernels installed, s", "installed_s", ".2f"),
                 ("of them compiled", "compiled_with_installed"))


def stages(rows):
    return table(rows, ("run", "run"), ("stages of the run, s", lambda r: largest(r["stages"], r["total"])),
                 ("stages of a cold start, s", lambda r: largest(r["cold_stages"], r["cold_total"]) if "cold_stages" in r else None))


def reading():
    """Meshes, and the demo."""
    r = results.load("reading")
    demo = r["demo"]
    return [*section("Reading a mesh", f'`bench/reading.py`, commit {r["commit"]}, {r["device_name"]}; {r["compiler"]}. Tetrahedra of a cube whose nodes are in random order; the file is in the '
                     f'memory of the system. {r["about"]} Checks of the mesh bind, not the file: the Jacobian of each element, whose nodes lie in random places, elements that occur '
                     "twice, and connected parts.", table(
                         r["rows"], ("file", "format"), ("elements, M", scaled("elements", 1e-6), ".2f"), ("threads", "threads"), ("file, MB", scaled("bytes", 1e-6), ".0f"),
                         ("s", "seconds", ".2f"), ("MB/s", lambda x: x["bytes"] / x["seconds"] / 1e6, ".0f"))),
            *section("The run of `make demo`", f'The same machine, {demo["threads"]} threads; the best of {demo["repeats"]} runs, with pictures and report.', table(
                [demo], ("run", "case"), ("nodes", "nodes"), ("steps", "steps"), ("whole command, s", "whole", ".2f"), ("solving, s", "solve", ".2f"), ("pictures, s", "pictures", ".2f"),
                ("report, s", "report", ".2f")))]


def page():
    out = []
    for r in files():
        before = f', before: commit {r["commit_before"]}' if r.get("commit_before") else ""
        compiler = f'; {r["compiler"]}' if r.get("compiler") else ""
        out += section(f'From the case to the result, {r["device_name"]}, {r["commit"]}', f'Commit {r["commit"]}{before}, {r["threads"]} threads of the host{compiler}. '
                       "`bench/whole.py` times whole commands, without pictures: generating or reading the mesh, set-up, solving, and writing the result. Cold: the first command of an "
                       f'empty cache folder, which compiles its kernels. {r["about"]}'.rstrip() + why_beyond(r["rows"]), times(r["rows"]))
        if any("check_beside" in r for r in r["rows"]):
            out += section(f'What `hooke check` tells, {r["device_name"]}, {r["commit"]}', "Asked before the run, after a run of a third of the nodes.", predictions(r["rows"]))
        if "cold_starts" in r:
            out += section(f'Cold starts, {r["device_name"]}, {r.get("commit_cold", r["commit"])}', "Whole commands with an empty cache folder, without kernels that were installed with hooke and with them "
                           "([kernels compiled beforehand](../install.md#kernels-compiled-beforehand)).", cold_starts(r["cold_starts"]))
        out += section(f'Stages, {r["device_name"]}, {r["commit"]}', f"Stages of `run.json` that take at least {100 * SHOWN:.0f} % of the whole.", stages(r["rows"]))
    return out + reading() if results.there("reading") else out
