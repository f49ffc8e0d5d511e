#!/usr/bin/env python3
"""Writes docs/performance.md and the table of README.md from bench/results/*.json. With --check: says whether they are what the results give
(exit 1 if not)."""
import json
import pathlib
import sys

import headlines

root = pathlib.Path(__file__).resolve().parent.parent


def head(titles):
    """The two lines that begin a table."""
    return [titles, "|---" * (titles.count("|") - 1) + "|"]


def find(rows, **wanted):
    return next((r for r in rows if all(r[k] == v for k, v in wanted.items())), None)


def ratio(rows, case, method, precision, base="stored", threads=2):
    a, b = (find(rows, case=case, method=m, precision=precision, threads=threads) for m in (method, base))
    return a["gdof_per_s"] / b["gdof_per_s"] if a and b else float("nan")


def rates(rows):
    out = head("| mesh | method | precision | threads | nodes | GDOF/s | over stored | bytes per dof | share of stream | "
           "lists, bytes per node | lists over stored | set-up, steps |")
    for r in rows:
        stored = find(rows, case=r["case"], method="stored", precision=r["precision"], threads=r["threads"])
        share = f'{100 * r["share_of_stream"]:.0f} %'
        if r["method"] == "stored":
            share += f' ({100 * r["nominal_share_of_stream"]:.0f} % nominal)'
        out.append(f'| {r["case"]} | {r["method"]} | {r["precision"]} | {r["threads"]} | {r["nodes"]} | {r["gdof_per_s"]:.3f} | '
                   f'{r["gdof_per_s"] / stored["gdof_per_s"]:.2f} | {r["bytes_per_dof"]:.0f} | {share} | '
                   f'{r["list_bytes_per_node"]:.0f} | {r["list_bytes_per_node"] / stored["list_bytes_per_node"]:.2f} | '
                   f'{r["create_steps"]:.0f} |')
    return out


def against_targets(result):
    rows, out = result["rows"], head("| what | measured | target |")
    cases = list(dict.fromkeys(r["case"] for r in rows))
    nominal = [(c, find(rows, case=c, method="stored", precision="single", threads=2)["nominal_share_of_stream"]) for c in cases]
    out.append("| `stored`, nominal share of stream, single | " + ", ".join(f"{c} {100 * v:.0f} %" for c, v in nominal) + " | 85 % |")
    tri = [c for c in cases if c.startswith("tri3")]
    out.append("| `matrix-free` over `stored`, single | " +
               ", ".join(f'{c} {ratio(rows, c, "matrix-free", "single"):.2f}' for c in tri) + " | 1.3 |")
    solid = [c for c in cases if c.startswith(("tet4", "hex8"))]
    out.append("| `edges` over `stored`, single | " + ", ".join(f'{c} {ratio(rows, c, "edges", "single"):.2f}' for c in solid) + " | 1.6 |")
    scaling = []
    for c in cases:
        one, two = (find(rows, case=c, method="matrix-free", precision="single", threads=t) for t in (1, 2))
        if one and two:
            scaling.append(f'{c} {two["gdof_per_s"] / one["gdof_per_s"]:.2f}')
    out.append("| two threads over one, `matrix-free`, single | " + ", ".join(scaling) + " | 1.8 |")
    reading, writing, memory = result["reading"], result["writing"], result["memory"]
    out.append(f'| reading a deck of {reading["elements"]} elements ({reading["megabytes"]:.0f} MB) | {reading["seconds"]:.2f} s, `wc` '
               f'{reading["wc_seconds"]:.2f} s | {reading["allowed_seconds"]:.2f} s |')
    out.append(f'| frames and traces, share of the run | {100 * writing["share"]:.1f} % | 5 % |')
    if memory:
        out.append(f'| memory of a run, {memory["elements"]} tet4, single, `{memory["method"]}` | {memory["bytes_per_element"]:.0f} bytes '
                   f'per element; predicted / measured {memory["predicted_over_peak"]:.3f} | 150; 0.95 to 1.05 |')
        out.append(f'| set-up of that run (numbering, mass, bound, lists) | {memory["assemble_over_step"]:.0f} steps | 200 |')
    return out


TARGETS = {  # GDOF/s single (increments), double (positions); times the stored form, single, double
    "tri3": (95, 55, 2.3, 2.3), "quad4": (None, None, 2, 2), "hex8": (24, 14, 2.1, 2.3), "tet4 Delaunay": (33, 17, 1.9, 1.7)}


def device_targets(rows):
    out = head("| mesh | precision | fastest form | GDOF/s | target | over stored | target |")
    for case, targets in TARGETS.items():
        for k, (precision, form) in enumerate((("single", "increments"), ("double", "positions"))):
            mine = [r for r in rows if (r["case"], r["precision"], r["form"]) == (case, precision, form)]
            stored = find(mine, method="stored")
            if not stored:
                continue
            best = max(mine, key=lambda r: r["gdof_per_s"])
            out.append(f'| {case} | {precision}, {form} | {best["method"]} | {best["gdof_per_s"]:.1f} | {targets[k] or ""} | '
                       f'{best["gdof_per_s"] / stored["gdof_per_s"]:.2f} | {targets[2 + k]} |')
    return out


def device_rates(rows):
    out = head("| mesh | nodes | method | precision | state | GDOF/s | over stored | bytes per dof | share of copy | lists, bytes per node | lists over stored |")
    for r in rows:
        stored = find(rows, case=r["case"], method="stored", precision=r["precision"], form=r["form"])
        out.append(f'| {r["case"]} | {r["nodes"]} | {r["method"]} | {r["precision"]} | {r["form"]} | {r["gdof_per_s"]:.1f} | '
                   f'{r["gdof_per_s"] / stored["gdof_per_s"]:.2f} | {r["bytes_per_dof"]:.0f} | {100 * r["share_of_copy"]:.0f} % | '
                   f'{r["list_bytes_per_node"]:.0f} | {r["list_bytes_per_node"] / stored["list_bytes_per_node"]:.2f} |')
    return out


def device_section(r):
    return [f'## Explicit dynamics, {r["device"]}', "",
            f'`bench/device.py`, commit {r["commit"]}; copy {r["copy_gb_per_s"]:.0f} GB/s, counting bytes read and written.', "", "### Against the targets", "",
            *device_targets(r["rows"]), "", "### Rates", "", *device_rates(r["rows"]), ""]


def blocks_table(rows):
    out = head("| model | partitioner | blocks | efficiency | paper's | seconds | paper's |")
    for r in rows:
        if "partition_seconds" in r:
            paper = (f'{100 * r["paper_efficiency"]:.1f} %', f'{r["paper_seconds"]:.1f}') if "paper_seconds" in r else ("", "")
            out.append(f'| {r["case"]} | {r["method"]} | {r["blocks"]} | {100 * r["efficiency"]:.1f} % | {paper[0]} | {r["seconds"]:.2f} | {paper[1]} |')
    return out


def steps_table(rows):
    out = head("| model | device | precision | method | GDOF/s | GB/s | of copy | paper's GB/s | stepping of the model, s | paper's, s |")
    for r in rows:
        if "seconds_per_step" not in r or r["method"] == "blocks, bisection":
            continue
        gb, seconds = r.get("paper_gb_per_s"), r.get("paper_stepping_seconds")
        out.append(f'| {r["case"]} | {r["device"]} | {r["precision"]} | {r["method"]} | {r["gdof_per_s"]:.1f} | {r["gb_per_s"]:.0f} | '
                   f'{100 * r["share_of_copy"]:.0f} % | {f"{gb:.0f}" if gb else ""} | {r["stepping_seconds"]:.2f} | '
                   f'{f"{seconds:.1f}" if seconds else ""} |')
    return out


def discrepancy_table(rows):
    out = head("| model | method | precision | steps | largest discrepancy, of the receiver's peak |")
    for r in rows:
        if r["table"] == "discrepancy":
            out.append(f'| {r["case"]} | {r["method"]} | {r["precision"]} | {r["steps"]} | {r["discrepancy"]:.1e} |')
    return out


def pogo_section(r):
    return [f'## The tables of Huthwaite (2014), {r["device_name"]} and {r["cpu_name"]}', "",
            f'`hooke bench pogo` on the decks of `examples/` at the paper\'s sizes, commit {r["commit"]}. Copy: {r["copy_gb_per_s"]:.0f} and '
            f'{r["cpu_copy_gb_per_s"]:.0f} GB/s (part of a step stays in the processor\'s last cache, so steps can exceed its copy). The paper\'s figures are for '
            'a GTX 580 with 192 GB/s. GB/s of `blocks` follow Appendix A with the actual number of links. METIS was not installed on that machine.', "",
            "### Blocks (Tables 1 and 2)", "", *blocks_table(r["rows"]), "",
            "### Steps (Tables 2, 4 and A.5)", "", "Steps are those of a run, with sources, receivers and damping. The first method of each group is the default.", "",
            *steps_table(r["rows"]), "",
            "### Discrepancy of traces (Figs 9, 11, 13)", "", "Traces are compared with those of the default method in double precision on the same device.", "",
            *discrepancy_table(r["rows"]), ""]


def stages_table(rows):
    out = head("| mesh | device | elements | nonzeros | format | precision | stage 1, ms | stage 2, ms | stage 3, ms | all | ns per element | "
           "ns per nonzero | values, MB | paper's stages, ms | paper's nodes, elements, MB |")
    groups = {}
    for r in rows:
        if r["method"].startswith("stage"):
            groups.setdefault((r["case"], r["device"], r["format"], r["precision"]), []).append(r)
    for (case, device, form, precision), of in groups.items():
        ms = [f'{1e3 * r["seconds"]:.2f}' for r in of]
        paper = [f'{1e3 * r["paper_seconds"]:.0f}' if "paper_seconds" in r else "" for r in of[:3]]
        size = f'{of[3]["paper_nodes"]}, {of[3]["paper_elements"]}' if "paper_nodes" in of[3] else ""
        size += f', {of[3]["paper_megabytes"]:.1f}' if "paper_megabytes" in of[3] else ""
        out.append(f'| {case} | {device} | {of[0]["elements"]} | {of[0]["nonzeros"]} | {form} | {precision} | {" | ".join(ms)} | '
                   f'{of[3]["ns_per_element"]:.1f} | {of[3]["ns_per_nonzero"]:.3f} | {of[2]["bytes"] / 1e6:.0f} | '
                   f'{", ".join(paper) if any(paper) else ""} | {size} |')
    return out


def ways_table(rows):
    out = head("| mesh | device | elements | format | way | ms | G nonzeros/s | times ours |")
    for r in rows:
        if r["table"] == "figures 12, 17":
            out.append(f'| {r["case"]} | {r["device"]} | {r["elements"]} | {r["format"]} | {r["method"]} | {1e3 * r["seconds"]:.2f} | '
                       f'{r["gnonzero_per_s"]:.2f} | {r.get("times_ours", 1):.1f} |')
    return out


# Seconds of the paper's functions of stage 1 by nodes: Table 2 (cylinder), Table 4 (rod). Those of ours that do the same work.
PAPER_FUNCTIONS = (
    ("countElemNum", "count elements", (.000051, .000769, .001533, .000060, .000081, .018002)),
    ("inclusive scan", "scan elements", (.000085, .000189, .000301, .000052, .000089, .000149)),
    ("fillElemNum", "fill elements", (.000049, .001597, .004856, .000055, .000149, .024251)),
    ("inclusive scan", "", (.00008, .00018, .000294, .000068, .000058, .000154)),
    ("initializeNodeNum", "count nodes", (.000033, .000559, .001105, .000045, .000108, .007312)),
    ("fillNodeNum", "fill nodes", (.000621, .036936, .078467, .001129, .006801, .678876)),
    ("thrustDynamicSort", "sort elements", (.041134, .786364, 1.560426, .032785, .076183, 9.114569)),
    ("inclusive scan", "scan nodes", (.000081, .000185, .000209, .00007, .000063, .000148)))
PAPER_NODES = ("cylinder, 30 000", "1 000 000", "2 000 000", "rod, 15 318", "60 186", "2 020 284")


def functions_table(rows):
    """Ours beside the paper's, functions down and meshes across."""
    ours = {}
    for r in rows:
        if r["table"] == "2, 4" and r["precision"] == "double" and r["case"].startswith(("box", "rod")):
            ours.setdefault((r["case"], r["device"], r["dofs"] // 3), {})[r["method"]] = 1e3 * r["seconds"]
    out = head("| ours, ms | " + " | ".join(f"{case}, {nodes} nodes, {device}" for case, device, nodes in ours) + " | paper's, K40c, ms | " +
               " | ".join(f"{n} nodes" for n in PAPER_NODES) + " |")
    for name, mine, seconds in PAPER_FUNCTIONS:
        cells = [f"{of[mine]:.3f}" if mine in of else "" for of in ours.values()]
        out.append(f'| {mine} | {" | ".join(cells)} | {name} | ' + " | ".join(f"{1e3 * t:.3f}" for t in seconds) + " |")
    return out


def shares_table(rows):
    out = head("| mesh | device | dofs | solver | iterations | matrix, s | set-up, s | solution, s | all, s | matrix, of all | residual |")
    for r in rows:
        if r["table"] == "figure 16":
            out.append(f'| {r["case"]} | {r["device"]} | {r["dofs"]} | {r["solver"]} | {r["iterations"]} | {r["matrix_seconds"]:.3f} | '
                       f'{r["setup_seconds"]:.3f} | {r["solve_seconds"]:.3f} | {r["seconds"]:.3f} | {100 * r["matrix_share"]:.1f} % | '
                       f'{r["residual"]:.1e}{"" if r["converged"] else ", not converged"} |')
    if len(out) == 2:
        return ["Not measured on this machine yet: `hooke bench assembly` gives these rows."]
    return out


def products_table(rows):
    out = head("| mesh | precision | ms | GB/s | of copy |")
    for r in rows:
        if r["method"] == "product":
            out.append(f'| {r["case"]} | {r["precision"]} | {1e3 * r["seconds"]:.3f} | {r["gb_per_s"]:.0f} | {100 * r["share_of_copy"]:.0f} % |')
    return out


def assembly_section(r):
    return [f'## The tables of Sanfui and Sharma, {r["device_name"]}', "",
            f'`hooke bench assembly`, commit {r["commit"]}. Copy: {r["copy_gb_per_s"]:.0f} GB/s. Stage 1 includes the transfer of the mesh over the bus. The paper used '
            "a K40c; its HEX20 meshes have fewer nodes per element than such meshes can have, so compare times per element.", *r.get("words", []), "",
            "### Stages (Tables 1, 3, 5; Figures 9, 10, 13 to 15)", "", "MB are those of the values of the matrix. The paper counts one value per pair of nodes, with all rows as wide as the widest; 3D elasticity needs nine.", "",
            *stages_table(r["rows"]), "",
            "### Functions of stage 1 (Tables 2, 4)", "", "A line compares functions with the same purpose. The paper sorts lists of nodes, hooke lists of elements.", "", *functions_table(r["rows"]), "",
            "### Methods of stage 3 (Figures 12, 17)", "", *ways_table(r["rows"]), "",
            "### Share of assembly in the whole solution (Figure 16)", "",
            "Solutions to a residual of 1e-8 in double precision. Matrix: stages 1 to 3 with the transfer of the mesh. The paper reports 30 to 45 % for rods of "
            "up to 2 million nodes, with the conjugate gradients of Cusp on a K40c.", "", *shares_table(r["rows"]), "",
            "### The product K u by rows of nodes", "", *products_table(r["rows"]), ""]


def interval(r, key, factor=1e3):
    half = r.get(f"{key}_95")
    return f'{factor * r[key]:.4g}' + (f' ± {factor * half:.2g}' if half is not None else "")


STAGES = ("allocation", "transfer", "scan", "elements", "assembly", "conversion", "ordering", "setup", "solve", "other")


def femses_whole(rows):
    out = head("| body | unknowns | device | method | ms, 95 % | " + " | ".join(STAGES) + " | iterations | bytes per unknown | paper's formula |")
    for r in rows:
        if r["table"] == "whole":
            paper = f'{r["paper_allocation_bytes"] / r["dofs"]:.0f}' if "paper_allocation_bytes" in r else ""
            out.append(f'| {r["case"]} | {r["dofs"]} | {r["device"]} | {r["method"]} | {interval(r, "seconds")} | ' +
                       " | ".join(f'{100 * r[f"{s}_share"]:.0f} %' for s in STAGES) +
                       f' | {r["iterations"]}{"" if r["converged"] else ", not converged"} | {r["bytes"] / r["dofs"]:.0f} | {paper} |')
    return out


def femses_kernels(rows):
    out = head("| body | unknowns | device | precision | what | method | ms, 95 % | GDOF/s | GB/s | of copy | figures |")
    for r in rows:
        if r["table"] in ("sparsity scan", "element matrices", "assembly", "main kernel", "product", "sweep"):
            rate = [f'{r["gdof_per_s"]:.3f}', f'{r["gb_per_s"]:.0f}', f'{100 * r["share_of_copy"]:.0f} %'] if "gb_per_s" in r else ["", "", ""]
            out.append(f'| {r["case"]} | {r["dofs"]} | {r["device"]} | {r["precision"]} | {r["table"]} | {r["method"]} | {interval(r, "seconds")} | '
                       f'{" | ".join(rate)} | {r["figures"]} |')
    return out


def femses_speed_ups(rows):
    out = head("| figure | body | unknowns | what | stages | on | measured | paper's |")
    for r in rows:
        if r["table"] == "speed-up":
            paper = f'{r["paper_words"]} {r["paper_speed_up"]:g}' if "paper_speed_up" in r else r["paper_words"]
            out.append(f'| {r["figure"]} | {r["case"]} | {r["dofs"]} | {r["method"]} | {r["of"]} | {r["fast_on"]}, {r["slow_on"]} | '
                       f'{r["speed_up"]:.3g} | {paper} |')
    return out


def femses_growth(rows):
    out = head("| body | device | method | unknowns | iterations | unknowns | iterations | for four times as many |")
    for r in rows:
        if r["table"] == "iterations":
            out.append(f'| {r["case"]} | {r["device"]} | {r["method"]} | {r["dofs_before"]} | {r["iterations_before"]} | {r["dofs"]} | '
                       f'{r["iterations"]} | {r["growth_of_fourfold"]:.2f} |')
    return out


def femses_groups(rows):
    out = head("| device | method | unknowns | threads in a group | LOCAL share | ms, 95 % | elements, ms | assembly, ms | solve, ms |")
    for r in rows:
        if r["table"] == "work-group size":
            out.append(f'| {r["device"]} | {r["method"]} | {r["dofs"]} | {r["group_threads"]} | {r.get("local_share", "")} | {interval(r, "seconds")} | '
                       f'{interval(r, "elements_seconds")} | {interval(r, "assembly_seconds")} | {interval(r, "solve_seconds")} |')
    return out


def femses_section(r):
    return [f'## The figures of Keating (2019), {r["device_name"]} and {r["cpu_name"]}', "",
            f'`hooke bench femses`, commit {r["commit"]}. Copy: {r["copy_gb_per_s"]:.0f} and {r["cpu_copy_gb_per_s"]:.0f} GB/s. The paper uses single '
            "precision, MKL on an i5-3570K, cuSOLVER on a Tesla K40 and an RTX 2080 Super; it shows plots and states their extremes in the text. hooke uses double precision and "
            "a residual of 1e-8. The paper's formulas are (4.8) to (4.14), corrected, with 4-byte reals.", *r.get("words", []), "",
            "### Speed-ups", "", *femses_speed_ups(r["rows"]), "", "### Iterations (Figure 5.27)", "", *femses_growth(r["rows"]), "",
            "### Whole solutions and shares of their stages (Figures 5.1 to 5.13, 5.21 to 5.27)", "", *femses_whole(r["rows"]), "",
            "### Stages, sweeps and products alone (Figures 5.5, 5.14 to 5.20)", "", *femses_kernels(r["rows"]), "",
            "### Threads in a group (Figures 5.7, 5.15 to 5.19, 5.22, 5.23)", "", *femses_groups(r["rows"]), ""]


def by_order(title, rows):
    """A table of orders: rows of (words, {p: text})."""
    orders = sorted({p for _, cells in rows for p in cells})
    out = head(f"| {title} | " + " | ".join(f"p = {p}" for p in orders) + " |")
    for words, cells in rows:
        out.append(f"| {words} | " + " | ".join(cells.get(p, "") for p in orders) + " |")
    return out


def number(v):
    """Four digits, of larger ones all before the point."""
    return f"{v:.4g}" if abs(v) < 1e4 else f"{v:.0f}"


def integration_sizes(rows):
    """Tables 1 and 2."""
    rows = [x for x in rows if x["table"] == "1, 2"]
    names = (("shapes", "N_sh"), ("points", "N_Q"), ("quadrature_entries", "entries of points and weights"), ("point_entries", "of phi at a point"),
             ("shape_entries", "of phi at all points"), ("blocks", "blocks of A"))
    return by_order("ours (the paper's)", [(words, {x["order"]: f'{x[key]} ({x[f"paper_{key}"]})' for x in rows}) for key, words in names])


def integration_launches(rows):
    """Tables 3 and 4: what serves several ways stands in the rows of one of them."""
    names = (("parts", "REG_JAC", "parts, REG"), ("parts", "SHM_JAC", "parts, SHM"), ("blocks_per_thread", "SHM_JAC", "blocks per thread, SHM"),
             ("elements_per_launch", "REG_JAC", "elements per launch"), ("elements_per_group", "REG_JAC", "elements per group, REG"),
             ("elements_per_group", "SHM_JAC", "elements per group, SHM"), ("input_mb", "REG_JAC", "input, JAC, MB"),
             ("input_mb", "REG_NOJAC", "input, NOJAC, MB"), ("output_mb", "REG_JAC", "output, MB"))
    return by_order("ours (the paper's)", [
        (f'{device}: {words}', {x["order"]: f'{number(x[key])} ({number(x[f"paper_{key}"])})' for x in rows if (x["device"], x["method"]) == (device, way)})
        for device in dict.fromkeys(x["device"] for x in rows if x["table"] in ("3", "4")) for key, way, words in names])


PAPER_DEVICES = (("gtx580", "GTX580", ("REG_JAC", "REG_NOJAC", "SHM_JAC", "SHM_NOJAC")), ("hd5870", "HD5870", ("REG_JAC", "REG_NOJAC", "SHM_JAC", "SHM_NOJAC")))


def integration_values(rows, own, paper, xeon):
    """(words, {p: text}) of the paper's processors, then of ours. own(row), paper(row, prefix): numbers; xeon: a key of rows, or a function of one."""
    out = []
    papers = {(x["method"], x["order"]): x for x in rows if "gtx580_kernel_us" in x}
    every = {x["order"]: x for x in rows if "xeon_us" in x}
    if xeon:
        out.append(("the paper's Xeon E5-2670, double", {p: number(xeon(x)) for p, x in every.items()}))
    for prefix, name, ways in PAPER_DEVICES:
        for way in ways:
            cells = {p: number(paper(x, prefix)) for (method, p), x in papers.items() if method == way}
            if cells:
                out.append((f"the paper's {name}, {way}, single", cells))
    for device, precision, way in dict.fromkeys((x["device"], x["precision"], x["method"]) for x in rows):
        out.append((f"{device}, {way}, {precision}",
                    {x["order"]: number(own(x)) for x in rows if (x["device"], x["precision"], x["method"]) == (device, precision, way)}))
    return out


def integration_times(rows):
    """Tables 5 to 7, as Figures 2 and 3 divide them."""
    rows = [x for x in rows if x["table"] == "5, 6, 7"]
    before, out = ("prepare", "memory", "send"), []

    def sums(stages):
        return lambda x: sum(x[f"{s}_us"] for s in stages), lambda x, prefix: sum(x[f"{prefix}_{s}_us"] for s in stages)
    for title, stages, xeon in (("kernel, us", ("kernel",), lambda x: x["xeon_us"]), ("before it (prepare, memory, send), us", before, None),
                                ("after it (fetch), us", ("fetch",), None), ("all, us", (*before, "kernel", "fetch"), lambda x: x["xeon_us"])):
        out += [*by_order(title, integration_values(rows, *sums(stages), xeon)), ""]

    def useful(x, prefix):
        return x["useful_mflop"] / x[f"{prefix}_kernel_us"] * 1e3
    for title, own, paper, xeon in (
            ("MFLOP performed", lambda x: x["performed_mflop"], lambda x, prefix: x[f"{prefix}_mflop"], lambda x: x["xeon_mflop"]),
            ("GFLOP/s, useful", lambda x: x["useful_gflop_per_s"], useful, lambda x: x["useful_mflop"] / x["xeon_us"] * 1e3),
            ("GFLOP/s, performed", lambda x: x["performed_gflop_per_s"], lambda x, prefix: x[f"{prefix}_gflop_per_s"],
             lambda x: x["xeon_gflop_per_s"])):
        out += [*by_order(title, integration_values(rows, own, paper, xeon)), ""]
    return out


def integration_section(r):
    return [f'## The tables of Banaś, Płaszewski and Macioł, {r["device_name"]}', "",
            f'`hooke bench integration`, commit {r["commit"]}. Times are per element. Useful rates count 63 N_Q N_sh^2 operations, also for the paper, from the times of its kernels; '
            "performed rates count all operations of the threads, including idle threads and repeated Jacobians. The paper used a GTX580 and an HD5870 in single precision, and eight cores of a Xeon E5-2670 in double.",
            *r.get("words", []), "", "### Sizes (Tables 1, 2)", "", *integration_sizes(r["rows"]), "",
            "### Launches (Tables 3, 4)", "", *integration_launches(r["rows"]), "",
            "### Times and rates (Tables 5 to 7; Figures 2, 3)", "", *integration_times(r["rows"])]


def sem_section(r):
    out = [f'## Spectral elements, {r["device_name"]} and {r["cpu_name"]}', "",
           f'`hooke bench sem`, commit {r["commit"]}. Copy: {r["copy_gb_per_s"]:.0f} and {r["cpu_copy_gb_per_s"]:.0f} GB/s. Steps include the update in time. '
           "For comparison: SPECFEM2D at order 4 (one thread, and on an H200), and prototypes of the kernels (H200).", *r.get("words", []), "",
           *head("| case | device | threads | geometry | precision | state | dofs | GDOF/s | of copy | SPECFEM2D | prototype | in a group | threads | groups | registers |")]

    def number(x, key, form="{:.3g}"):
        return form.format(x[key]) if key in x else ""
    for x in r["rows"]:
        if x["table"] == "rates":
            out.append(f'| {x["case"]} | {x["device"]} | {x["host_threads"]} | {x["method"]} | {x["precision"]} | {x["state"]} | {x["dofs"]} | '
                       f'{x["gdof_per_s"]:.3g} | {100 * x["share_of_copy"]:.0f} % | ' +
                       " | ".join(number(x, k) for k in ("specfem2d_gdof_per_s", "prototype_gdof_per_s", "elements_per_group", "threads", "groups", "registers")) + " |")
    return [*out, "", *sem_scatter(r["rows"]), *sem_stages(r["rows"]), *sem_products(r["rows"]), *sem_bp5(r["rows"])]


def sem_scatter(rows):
    rows = [x for x in rows if x["table"] == "scatter"]
    if not rows:
        return []
    out = ["### Sums of shared nodes: slots and colours", "", "Steps of straight elements, with the update in time. With slots each element writes to its own slots, which "
           "are then summed node by node; with colours, elements that share no node add their forces, colour after colour.", "",
           *head("| case | device | precision | state | slots, GDOF/s | of copy | colours, GDOF/s | of copy | over slots |")]
    whole = {(x["case"], x["device"], x["precision"], x["state"], x["method"]): x for x in rows}
    for key, x in whole.items():
        slots = whole.get((*key[:4], "slots"))
        if x["method"] == "colours" and slots:
            out.append("| " + " | ".join(key[:4]) + f' | {slots["gdof_per_s"]:.3g} | {100 * slots["share_of_copy"]:.0f} % | {x["gdof_per_s"]:.3g} | '
                       f'{100 * x["share_of_copy"]:.0f} % | {x["over_slots"]:.2f} |')
    return [*out, ""]


def sem_products(rows):
    """K u of ours beside the paper's way on a device, an element per thread."""
    rows = [x for x in rows if x["table"] == "product"]
    if not rows:
        return []
    out = ["### K u alone compared with the paper's method", "", "2D, one component, single precision, affine elements. The paper's method works colour by colour, with one element per thread on a device and with "
           "vectors on the host (loops, above). The target on a device is 5.", "", *head("| p | device | threads | dofs | ours by | GDOF/s | theirs | over theirs |")]
    for x in rows:
        threads = x["host_threads"] if x["device"] == "cpu" else ""
        out.append(f'| {x["order"]} | {x["device"]} | {threads} | {x["dofs"]} | {x["method"]} | {x["gdof_per_s"]:.3g} | '
                   f'{x["paper_gdof_per_s"]:.3g} | {x["over_paper"]:.2f} |')
    return [*out, ""]


def sem_bp5(rows):
    rows = [x for x in rows if x["table"] == "bp5"]
    if not rows:
        return []
    out = ["### BP5", "", "3D, one component, double precision, quadrature at the nodes. libCEED: K u alone with stored geometry (H200; one core of a processor).", "",
           "| p | device | threads | geometry | dofs | K u, GDOF/s | CG, GDOF/s | libCEED |", "|" + "---|" * 8]
    for x in rows:
        out.append(f'| {x["order"]} | {x["device"]} | {x["host_threads"]} | {x["method"]} | {x["dofs"]} | {x["gdof_per_s"]:.3g} | '
                   f'{x["cg_gdof_per_s"]:.3g} | {x.get("libceed_gdof_per_s", "")} |')
    return [*out, ""]


def sem_stages(rows):
    """Tables 1 to 4, Figures 3 to 8: their product K u, 2D, one component, single."""
    rows = [x for x in rows if x["table"] == "stages"]
    if not rows:
        return []
    out = ["### The product of Carrascal-Manzanares et al. (Tables 1 to 4, Figures 3 to 8)", "",
           "2D, one component, single precision, K u alone. Computed points are (p + 1)^2 per element; degrees of freedom are unique ones. The paper reports 432 / 819, 360 / 540 "
           "and 369 / 27 operations and accesses at order 2, and on a GTX Titan with one element per thread 71, 101, 135, 181 registers and 28, 16, 12, 8 warps at orders 2 to 5.", "",
           "| p | device | method | lanes | threads | cycles per point | per dof | GDOF/s | operations | accesses | registers | warps |", "|" + "---|" * 12]
    for x in rows:
        cycles = [f'{x[k]:.3g}' if k in x else "" for k in ("cycles_per_point", "cycles_per_dof")]
        out.append(f'| {x["order"]} | {x["device"]} | {x["method"]} | {x["lanes"]} | {x["host_threads"] or x["threads"]} | {" | ".join(cycles)} | '
                   f'{x["gdof_per_s"]:.3g} | {x["operations"]:.0f} | {x["accesses"]:.0f} | {x.get("registers", "")} | {x.get("warps", "")} |')
    return [*out, ""]


def static_targets(rows):
    out = head("| block | CalculiX | threads | seconds | over hooke, 1 thread | 2 threads | target | its difference from direct |")
    for r in rows:
        if r["program"] == "ccx":
            over = [f"{v:.1f}" for v in r["over_hooke"].values()]
            out.append(f'| {r["case"]}, {r["dofs"]} dofs | {r["method"]} | {r["threads"]} | {r["seconds"]:.1f} | {" | ".join(over)} | '
                       f'{r["target"]} | {r["difference"]:.1e} |')
    out += ["", *head("| block | hooke | threads | seconds | read | matrix | set-up | solution | output | solver, iterations | residual (1e-8) | difference from "
            "CalculiX's direct (1e-6) |")]
    for r in rows:
        if r["program"] == "hooke":
            p = r["parts"]
            out.append(f'| {r["case"]} | {r["method"]} | {r["threads"]} | {r["seconds"]:.2f} | {p["read"]:.2f} | {p["mesh"] + p["assemble"]:.2f} | '
                       f'{p["setup"]:.2f} | {p["solve"]:.2f} | {p["output"]:.2f} | {r["solver"]}, {r["iterations"]} | {r["residual"]:.1e} | '
                       f'{r["difference"]:.1e} |')
    return out


def static_section(r):
    d = r["device"]
    return [f'## Static blocks compared with CalculiX, {d["name"]}, {d["threads"]} threads', "",
            f'`bench/static.py`, commit {r["commit"]}; {r["ccx"]}. Seconds are those of the whole command. {r["about"]}'.strip(), "", *static_targets(r["rows"]), ""]


def runs_section(r):
    out = [f'## Whole runs, {r["device_name"]}', "", f'Commit {r["commit"]}; kernels were already compiled; single precision unless stated. {r["about"]}', "",
           *head("| model | dofs | steps | frames | method | GDOF/s of the run | of the bench\'s large mesh | target |")]
    for x in r["rows"]:
        out.append(f'| {x["case"]} | {x["dofs"]} | {x["steps"]} | {x["frames"]} | {x["method"]} | {x["gdof_per_s"]:.1f} | '
                   f'{100 * x["gdof_per_s"] / x["bench_gdof_per_s"]:.0f} % | {x["target"]} |')
    return [*out, "", *r["words"], ""]


def explicit_section(r):
    d = r["device"]
    return [f'## Explicit dynamics, {d["name"]}, {d["threads"]} threads, {d["instruction_set"]}', "",
            f'Commit {r["commit"]}; {r["compiler"]}; copy {r["copy_gb_per_s"]:.1f} GB/s, step stream {r["stream_gb_per_s"]:.1f} GB/s.',
            "", "### Against the targets", "", *against_targets(r), "", "### Rates", "",
            "In single precision the state is u and its increment, in double precision u at two times. Bytes per dof count every array of the form and of the state",
            "once per step, with padding; nominal bytes count positions and the mean number of neighbours, without padding.", "",
            *rates(r["rows"]), ""]


def specfem_section(r):
    traces = head("| example | medium | against | elements, steps | sides | stations, traces | misfit, all | worst trace | least correlation |")
    for row in r["rows"]:
        traces.append(f'| {row["example"].replace("_", " ")} | {row["medium"]} | {row["against"]} | {row["elements"]}, {row["steps"]} | {row["sides"]} | '
                      f'{row["stations"]}, {row["traces"]} | {100 * row["misfit_all"]:.2g} % | {100 * row["misfit_worst"]:.2g} % | '
                      f'{row["correlation_worst"]:.6f} |')
    times = head("| medium | elements | nodes | hooke, s per step | SPECFEM2D | times | least, most |")
    for row in r["speed"]:
        times.append(f'| {row["medium"]} | {row["elements"]} | {row["nodes"]} | {row["hooke_seconds_per_step"]:.2e} | '
                     f'{row["specfem_seconds_per_step"]:.2e} | {row["ratio"]:.1f} | {row["ratio_least"]:.1f}, {row["ratio_most"]:.1f} |')
    rates = head("| medium | device | precision | GDOF/s |")
    rates += [f'| {row["medium"]} | {row["device"]} | {row["precision"]} | {row["gdof_per_s"]} |' for row in r["rates"]]
    repeats = r["speed"][0]["repeats"] if r["speed"] else 0
    return ["## Compared with SPECFEM2D", "", f'`bench/specfem2d.py`, commit {r["commit"]}, {r["device"]["name"]}; {r["specfem2d"]}.', "", "### Its examples", "",
            "Traces of SPECFEM2D's own examples, published with it or from a run here, on its elements of order 4 with its time step. The misfit is the L2 norm of the",
            "difference relative to that of its trace. Sides: `wide` is a mesh so wide that no reflection returns, where SPECFEM2D has its layer; stacey and free are the same in",
            "both. [Coming from SPECFEM2D](from/specfem2d.md) explains the larger misfits.", "", *traces, "", "### Time of a step", "",
            f'One thread, single precision, order 4, free sides. Processor seconds, median of {repeats} pairs of runs in turns. Other programs',
            f'ran on the machine (load {r["load_before"]:.0f} on {r["device"]["threads"]} threads).', "", *times, "",
            "### Rates beside which `hooke bench sem` prints hooke's", "", f'{r["rates_source"]}.', "", *rates, ""]


def dispersion_section(r):
    paths = head("| model | wavelengths | steps per period | as computed | time dispersion removed |")
    paths += [f'| {x["case"]} | {x["path"]} | {x["steps_per_period"]:.0f} | {100 * x["keep"]:.0f} % | {100 * x["remove"]:.2g} % |' for x in r["rows"]]
    linear = head("| model of quad4 | nodes per shortest wavelength | c dt / h | wavelengths | keep (`auto`) | remove |")
    linear += [f'| {x["case"]} | {x["nodes"]} | {x["step"]:.2f} | {x["path"]:.0f} | {100 * x["keep"]:.1f} % | {100 * x["remove"]:.1f} % |' for x in r["linear"]]
    return ["## Time dispersion", "", f'`bench/dispersion.py`, commit {r["commit"]}; double precision. L2 error of a whole trace of a Ricker pulse; wavelengths and periods are those of its peak frequency',
            "([theory](theory/dispersion.md)).", "", "Elements of order 4, five nodes per shortest wavelength, default step, compared with a hundredth of this step:", "",
            *paths, "", "Linear elements: a bar compared with d'Alembert's solution, a plate compared with elements of order 4 (P and S waves):", "", *linear, ""]


SECTIONS = {"dispersion": dispersion_section, "explicit": explicit_section, "device": device_section, "pogo": pogo_section, "assembly": assembly_section, "femses": femses_section,
            "integration": integration_section, "sem": sem_section, "static": static_section, "runs": runs_section,
            "specfem2d": specfem_section}


def page():
    out = ["# Performance", "", "`tools/make_performance.py` writes this page from `bench/results/`; do not edit it. Rates are compared within one run of a bench:",
           "with the speed of the memory (`hooke devices` measures a copy, and a stream of four reads and one write in place, like a time step), with the",
           "form `stored`, and for reading with `wc`. A degree of freedom counts once per step.", ""]
    notes = root / "bench" / "results" / "notes.md"
    for path in sorted((root / "bench" / "results").glob("*.json")):
        r = json.loads(path.read_text())
        out += SECTIONS.get(r.get("bench"), lambda r: [])(r)
    if notes.exists():
        out += [notes.read_text().strip(), ""]
    return "\n".join(out)


def main():
    readme = root / "README.md"
    for path, text in ((root / "docs" / "performance.md", page()), (readme, headlines.replaced(readme.read_text()))):
        if "--check" not in sys.argv:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            sys.exit(f"{path.relative_to(root)} is not what bench/results gives: run tools/make_performance.py")


if __name__ == "__main__":
    main()
