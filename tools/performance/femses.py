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


def page():
    r, groups, sizes = (results.load(name) for name in ("femses_h200", "femses_groups", "femses_serial"))

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
            *section("The paper's sizes", f'Commit {sizes["commit"]}, {sizes["device_name"]} and {sizes["cpu_name"]}, one run. Jacobi at 160 000 unknowns ran with two '
                     "threads of the host.", table(
                         results.rows("femses_serial", table="whole"), *BODY, ("method", "method"), ("ms, 95 %", interval("seconds")), ("solve, ms", interval("solve_seconds")),
                         ("iterations", lambda x: f'{x["iterations"]}{"" if x["converged"] else ", not converged"}'))),
            *section("Groups of 32 to 1024 threads", f'Commit {groups["commit"]}, {groups["device_name"]}. The paper\'s Figures 5.7, 5.15 to 5.19, 5.22 and 5.23 vary the threads '
                     "of a group. Kernels, then whole solutions; rows of kernels by their share of the cache are in the file of results.", table(
                         (x for x in groups["rows"] if "local_share" not in x and x.get("converged", True)), ("device", "device"), ("method", "method"), ("unknowns", "dofs"),
                         ("threads in a group", "group_threads"), ("ms, 95 %", interval("seconds")), ("solve, ms", interval("solve_seconds"))))]
