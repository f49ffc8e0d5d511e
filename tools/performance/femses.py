"""The figures of Keating (2019)."""
from . import results
from .table import lines, section, table

STAGES = ("allocation", "transfer", "scan", "elements", "assembly", "conversion", "ordering", "setup", "solve", "other")
BODY = (("body", "case"), ("unknowns", "dofs"), ("device", "device"))


def interval(key):
    def cell(r):
        if key not in r:
            return ""
        half = r.get(f"{key}_95")
        return f"{1e3 * r[key]:.4g}" + (f" ± {1e3 * half:.2g}" if half is not None else "")
    return cell


def paper(r):
    return f'{r["paper_words"]} {r["paper_speed_up"]:g}' if "paper_speed_up" in r else r["paper_words"]


def iterations():
    """Unknowns and iterations of two relaxations; docs/femses.md shows them."""
    found = {}
    for x in results.rows("femses_h200", table="whole", device="cuda"):
        if x["method"] in ("femses, multigrid", "femses, jacobi") and x["converged"]:
            found.setdefault((x["case"], x["method"]), {})[x["dofs"]] = x["iterations"]
    return lines(["body", "relaxation", "unknowns: iterations"], [[body, method.removeprefix("femses, "), ", ".join(f"{n}: {k}" for n, k in sorted(of.items()))]
                                                                  for (body, method), of in found.items()])


ALL, SOLVER = ("",), ("ordering_", "setup_", "solve_")
# figure: what is faster, on the device; what is slower, and whether on one thread of the processor; stages
SOLUTIONS = (("5.6a", "cholesky, cusolver", "cholesky", True, ALL), ("5.6b", "dense, cusolver", "dense", True, ALL), ("5.6c", "dense-to-sparse", "cholesky", True, ALL),
             ("5.6d", "dense-to-sparse", "dense", True, ALL), ("5.8a", "cholesky, cusolver", "cholesky", True, SOLVER), ("5.8b", "dense, cusolver", "dense", True, SOLVER),
             ("5.21a", "femses, jacobi", "cholesky", True, ALL), ("5.21b", "femses, jacobi", "dense", True, ALL),
             ("5.21c", "femses, jacobi", "cholesky, cusolver", False, ALL), ("5.21d", "femses, jacobi", "dense, cusolver", False, ALL),
             ("5.24a", "femses, jacobi", "cholesky", True, SOLVER), ("5.24b", "femses, jacobi", "dense", True, SOLVER))
KERNELS = (("5.14", "element matrices", "integration"), ("5.16a", "assembly", "rows"), ("5.16b", "assembly", "dense"), ("5.20a", "main kernel", "rows, fused"),
           ("5.20b", "main kernel", "dense"))


def by_size(stages, rows):
    """{unknowns: seconds of these stages}"""
    return {x["dofs"]: sum(x[f"{stage}seconds"] for stage in stages) for x in rows if x.get("converged", True)}


def serial(stages=ALL, source="femses_serial", **wanted):
    return by_size(stages, results.rows(source, case="rectangle", device="cpu", host_threads=1, precision="double", **wanted))


def device(stages=ALL, **wanted):
    """The later rows before the older ones."""
    wanted |= {"case": "rectangle", "device": "cuda", "precision": "double"}
    return by_size(stages, results.rows("femses_h200", **wanted)) | by_size(stages, results.rows("femses_serial", **wanted))


def ratios(figure, what, slow, fast):
    """A row for each number of unknowns that both have."""
    said = next(iter(results.rows("femses_h200", table="speed-up", case="rectangle", figure=figure)), {"paper_words": ""})
    return [{"figure": figure, "what": what, "dofs": n, "slow": 1e3 * slow[n], "fast": 1e3 * fast[n], "speed_up": slow[n] / fast[n], "paper": paper(said)}
            for n in sorted(slow.keys() & fast.keys())]


def ratios_table(rows):
    return table(rows, ("figure", "figure"), ("what", "what"), ("unknowns", "dofs"), ("first, ms", "fast", ".5g"), ("second, ms", "slow", ".5g"), ("speed-up", "speed_up", ".3g"),
                 ("paper's", "paper"))


def solutions(figures, **source):
    """Ratios of whole solutions, and of their solvers."""
    rows = ratios("5.2", "cholesky over dense, both on one thread", serial(table="whole", method="dense", **source), serial(table="whole", method="cholesky", **source))
    for figure, fast, slow, alone, stages in figures:
        what = f"{fast} over {slow}" + (", solver" if stages == SOLVER else "") + ("" if alone else ", both on the device")
        slower = serial(stages, table="whole", method=slow, **source) if alone else device(stages, table="whole", method=slow)
        rows += ratios(figure, what, slower, device(stages, table="whole", method=fast))
    return rows


def one_thread():
    """Ratios to one thread of the processor."""
    rows = solutions(SOLUTIONS)
    for figure, name, method in KERNELS:
        rows += ratios(figure, name if method == "integration" else f"{name}, {method}", serial(table=name, method=method), device(table=name, method=method))
    return ratios_table(rows)


def dense_at_paper_size():
    """The same ratios to dense factors on one thread, of a run of its own."""
    rows = solutions([x for x in SOLUTIONS if x[2] == "dense" and x[3]], source="femses_dense")
    return ratios_table(x for x in rows if x["dofs"] == 40000)


def serial_commits():
    return results.commits([{"commit": results.load("femses_serial")["commit"], **x} for x in results.rows("femses_serial", device="cpu", host_threads=1)])


def by_group(rows):
    """Ratios by threads in a group (Figures 5.14 and 5.17)."""
    rows = [x for x in rows if "local_share" not in x and x["precision"] == "double"]
    found = {(x["method"], x["group_threads"], x["dofs"]): x["seconds"] for x in rows}
    alone = serial(table="element matrices")
    sizes = sorted({n for method, _, n in found if method == "element matrices"})
    return table(({"threads": t} for t in sorted({t for method, t, _ in found if method == "element matrices"})), ("threads in a group", "threads"),
                 *((f"5.14: element matrices over one thread, {n}", lambda line, n=n: alone[n] / found["element matrices", line["threads"], n], ".0f") for n in sizes if n in alone),
                 *((f"5.17: assembly into rows over dense, {n}", lambda line, n=n: found["assembly, dense", line["threads"], n] / found["assembly, rows", line["threads"], n],
                    ".3g") for n in sizes))


def two_kinds(other):
    """At 40 000 unknowns, on the GPU of the pages and on another one."""
    names = ("table", "case", "method", "precision", "dofs")
    here = {}
    for x in [*results.rows("femses_serial", device="cuda"), *results.rows("femses_h200", device="cuda")]:
        here.setdefault(tuple(x.get(n) for n in names), x)
    rows = [{**x, "here": here[key]["seconds"]} for x in other["rows"] for key in [tuple(x.get(n) for n in names)]
            if x["device"] == "cuda" and x["dofs"] == 40000 and x["table"] in ("element matrices", "assembly", "main kernel", "product", "sweep", "whole") and key in here]
    return table(rows, ("precision", "precision"), ("what", "table"), ("method", "method"), (f'{other["device_name"].split("HBM")[0].strip()}, ms', lambda x: 1e3 * x["seconds"], ".3g"),
                 ("H200, ms", lambda x: 1e3 * x["here"], ".3g"), ("ratio", lambda x: x["seconds"] / x["here"], ".2f"))


def page():
    r, groups, sizes, other = (results.load(name) for name in ("femses_h200", "femses_groups", "femses_serial", "femses_h100"))
    dense = results.load("femses_dense")

    def of(*tables):
        return [x for x in r["rows"] if x["table"] in tables]
    return [f'`hooke bench femses`, commit {r["commit"]}; {r["device_name"]}, copy {r["copy_gb_per_s"]:.0f} GB/s, and {r["cpu_name"]}, copy {r["cpu_copy_gb_per_s"]:.0f} '
            "GB/s. The paper uses single precision, MKL on an i5-3570K, cuSOLVER on a Tesla K40 and an RTX 2080 Super; it shows plots and states their extremes in the text. "
            "hooke uses double precision and a residual of 1e-8. Its sizes are those of the rows, not the paper's." + results.words(r), "",
            *section("Speed-ups", "The paper's speed-ups are those of its own sizes.", table(
                of("speed-up"), ("figure", "figure"), ("body", "case"), ("unknowns", "dofs"), ("what", "method"), ("stages", "of"),
                ("on", lambda x: f'{x["fast_on"]}, {x["slow_on"]}'), ("measured", "speed_up", ".3g"), ("paper's", paper))),
            *section("Iterations (as in Figure 5.27)", "", table(
                of("iterations"), ("body", "case"), ("device", "device"), ("method", "method"), ("unknowns", "dofs_before"), ("iterations", "iterations_before"),
                ("unknowns", "dofs"), ("iterations", "iterations"), ("for four times as many", "growth_of_fourfold", ".2f"))),
            *section("Whole solutions and shares of their stages", "The paper's Figures 5.1 to 5.13, 5.21 and 5.24 to 5.27 plot these quantities. Its formulas of bytes are (4.8) to "
                     "(4.14), corrected, with 4-byte reals.", table(
                         of("whole"), *BODY, ("method", "method"), ("ms, 95 %", interval("seconds")), *((s, f"{s}_share", ".0f %") for s in STAGES),
                         ("iterations", lambda x: f'{x["iterations"]}{"" if x["converged"] else ", not converged"}'), ("bytes per unknown", lambda x: x["bytes"] / x["dofs"], ".0f"),
                         ("paper's formula", lambda x: x["paper_allocation_bytes"] / x["dofs"] if "paper_allocation_bytes" in x else None, ".0f"))),
            *section("Stages, sweeps and products alone", "", table(
                of("sparsity scan", "element matrices", "assembly", "main kernel", "product", "sweep"), *BODY, ("precision", "precision"), ("what", "table"), ("method", "method"),
                ("ms, 95 %", interval("seconds")), ("GDOF/s", lambda x: x["gdof_per_s"] if "gb_per_s" in x else None, ".3f"), ("GB/s", "gb_per_s", ".0f"),
                ("of copy", lambda x: x["share_of_copy"] if "gb_per_s" in x else None, ".0f %"), ("figures", "figures"))),
            *section("Speed-ups over one thread", f'The paper\'s serial code ran on one thread. {sizes["device_name"]}, commit {sizes["commit"]}, and one thread of {sizes["cpu_name"]}, {serial_commits()}; '
                     "what the device did not repeat there is from the rows above. First and second are "
                     "the two that are compared, kernels on the device and on one thread. `Solver` is ordering, factors and solution. Kernels are without transfers.", one_thread()),
            *section("Dense factors on one thread at 40 000 unknowns", f'One thread of {dense["cpu_name"]}, commit {dense["commit"]}, {dense["libraries"]}; '
                     f'the device as above. {dense["about"]}', dense_at_paper_size()),
            *section("Ratios by threads in a group", f"Figures 5.14 and 5.17. " f'Commit {groups["commit"]}, {groups["device_name"]}; one thread of {sizes["cpu_name"]}, '
                     f'{serial_commits()}. The numbers behind the comma are unknowns.', by_group(groups["rows"])),
            *section("Two kinds of GPU (5.3.3)", f'At 40 000 unknowns, `hooke bench femses sizes`, commit {other["commit"]} on {other["device_name"]} (copy {other["copy_gb_per_s"]:.0f} GB/s), '
                     f'{sizes["commit"]} on {sizes["device_name"]} (copy {sizes["copy_gb_per_s"]:.0f} GB/s); solutions that were not measured then are from the rows above. Both have the same '
                     "processors: where the host orders and factors, or a kernel lies in the cache, they are alike. The machines' hosts were not equally busy.", two_kinds(other)),
            *section("The paper's sizes", f'Commit {sizes["commit"]}, {sizes["device_name"]} and {sizes["cpu_name"]}, one run. Jacobi at 160 000 unknowns ran with two '
                     "threads of the host.", table(
                         results.rows("femses_serial", table="whole"), *BODY, ("threads of the host", "host_threads"), ("method", "method"), ("ms, 95 %", interval("seconds")), ("solve, ms", interval("solve_seconds")),
                         ("iterations", lambda x: f'{x["iterations"]}{"" if x["converged"] else ", not converged"}'))),
            *section("Groups of 32 to 1024 threads", f'Commit {groups["commit"]}, {groups["device_name"]}. The paper\'s Figures 5.7, 5.15 to 5.19, 5.22 and 5.23 vary the threads '
                     "of a group. Kernels, then whole solutions; rows of kernels by their share of the cache are in the file of results.", table(
                         (x for x in groups["rows"] if "local_share" not in x and x.get("converged", True)), ("device", "device"), ("method", "method"), ("unknowns", "dofs"),
                         ("threads in a group", "group_threads"), ("ms, 95 %", interval("seconds")), ("solve, ms", interval("solve_seconds"))))]
