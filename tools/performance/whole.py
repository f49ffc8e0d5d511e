"""Whole commands: what the stages of a run take, before and now."""
import json

from . import results
from .table import scaled, section, table

SHOWN = .02  # of the whole: smaller stages are not named
MOST = {"tet4, jittered": 8, "hex8": 5, "spectral, order 4": 9, "heat, tri3, multigrid": 3, "static, hex27, multigrid": 3}  # seconds of the whole command, warm
MORE = 1  # seconds that a cold start may take beyond
THIRD = 1 / 3  # of what was beside solving before, on two cores


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


def met(value, most):
    return "" if value is None else "met" if value <= most else "missed"


def cold(row, key="cold"):
    """Seconds that a first command takes beyond a warm one of the same commit."""
    return row[key] - row.get("whole_with_cold", row["whole"]) if key in row else None


def beside_share(row):
    return row["beside"] / row["before_beside"] if "before_beside" in row else None


def targets():
    """The five runs beside what they may take, where they were measured."""
    large, cores = (results.load(name) if results.there(name) else {"rows": []} for name in ("whole_h200", "whole_cores"))
    rows = [r | {"most": MOST[r["run"]]} for r in large["rows"]]
    out = []
    if rows:
        out += section("Targets of whole commands", f'{large["device_name"]} with {large["threads"]} threads of the host, commit {large["commit"]}, before: commit {large["commit_before"]}. Warm: the kernels are in the '
                       f'cache folder. Cold: the first command of an empty one may take {MORE} s more, with the kernels that packages install and without them.', table(
                           rows, ("run", "run"), ("whole before, s", "before", ".1f"), ("whole now, s", "whole", ".1f"), ("target, s", "most"), ("warm", lambda r: met(r["whole"], r["most"])),
                           ("cold, more, s", cold, ".1f"), ("cold", lambda r: met(cold(r), MORE)), ("cold with kernels installed, more, s", lambda r: cold(r, "installed"), ".1f"),
                           ("cold, installed", lambda r: met(cold(r, "installed"), MORE)), ("compiled all the same", lambda r: (r.get("installed_kernels") or {}).get("compiled"))))
    if cores["rows"]:
        out += section("Targets on two cores", f'{cores["device_name"]}, commit {cores["commit"]}, before: commit {cores["commit_before"]}, in one run. Everything but solving may take {THIRD:.2f} of its time before.', table(
            cores["rows"], ("run", "run"), ("nodes, M", scaled("nodes", 1e-6), ".2f"), ("beside solving before, s", "before_beside", ".2f"), ("beside solving now, s", "beside", ".2f"),
            ("now / before", beside_share, ".2f"), ("target", lambda r: met(beside_share(r), THIRD))))
    return out


def same():
    """Results of both builds."""
    if not results.there("same_cpu"):
        return []
    r = results.load("same_cpu")
    return section("The same results", f'`bench/same.py`, commit {r["commit"]} beside commit {r["commit_before"]}, device {r["device"]}; {r["compiler"]}. The models of the table above with fewer nodes, in double '
                   "precision, without removal of time dispersion, jittered meshes from a file. Largest differences over the largest value. Stress and heat flux are differences of the unknowns between "
                   "nodes, divided by the distance of nodes, which magnifies rounding.", table(
                       r["rows"], ("run", "run"), ("nodes", "nodes", ","), ("steps before", "before_steps"), ("steps now", "steps"), ("iterations before", lambda x: x["before_iterations"] or None),
                       ("iterations now", lambda x: x["iterations"] or None), ("unknowns", lambda x: "bit by bit" if x["bitwise"] else f'{x["difference"]:.0e}'),
                       ("stress, heat flux", "derived", ".0e")))


def times(rows):
    return table(rows, ("run", "run"), ("nodes, M", scaled("nodes", 1e-6), ".2f"), ("steps", steps), ("precision", "precision"), ("solving, s", "solve", ".2f"),
                 ("solving before, s", "before_solve", ".2f"), ("whole before, s", "before", ".1f"), ("whole now, s", "whole", ".1f"), ("ratio", "times", ".1f"),
                 ("beside solving before, s", "before_beside", ".1f"), ("beside solving now, s", "beside", ".1f"), ("cold, s", "cold", ".1f"),
                 ("cold, kernels installed, s", "installed", ".1f"),
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
                 *((f"stages of a cold start{words}, s", lambda r, key=key: largest(r[f"{key}_stages"], r[f"{key}_total"]) if f"{key}_stages" in r else None)
                   for key, words in (("cold", ""), ("installed", " with kernels installed"))))


def reading():
    """Meshes, and the demo."""
    r = results.load("reading")
    demo = r["demo"]
    return [*section("Reading a mesh", f'`bench/reading.py`, commit {r["commit"]}, {r["device_name"]}; {r["compiler"]}. Tetrahedra of a cube whose nodes are in random order; the file is in the '
                     f'memory of the system. {r["about"]} Checks of the mesh bind, not the file: the Jacobian of each element, whose nodes lie in random places, elements that occur '
                     "twice, and connected parts.", table(
                         r["rows"], ("file", "format"), ("elements, M", scaled("elements", 1e-6), ".2f"), ("threads", "threads"), ("file, MB", scaled("bytes", 1e-6), ".0f"),
                         ("s", "seconds", ".2f"), ("MB/s", lambda x: x["bytes"] / x["seconds"] / 1e6, ".0f"))),
            *section("The run of `make demo`", f'Commit {demo["commit"]}, {demo["device_name"]}, {demo["threads"]} threads; the best of {demo["repeats"]} runs, with pictures and report.', table(
                [demo], ("run", "case"), ("nodes", "nodes"), ("steps", "steps"), ("whole command, s", "whole", ".2f"), ("solving, s", "solve", ".2f"), ("pictures, s", "pictures", ".2f"),
                ("report, s", "report", ".2f")))]


def page():
    out = [*targets(), *same()]
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
