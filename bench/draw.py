#!/usr/bin/env python3
"""Draws the figures of a bench from the rows that it left in its folder of results.

  .venv/bin/python bench/draw.py FOLDER

FOLDER is the result folder of `hooke bench pogo`, `integration`, `femses` or `sem`. The pictures are written into it:
  pogo         sweep_DEVICE.png, rates of steps against the size of the blocks (Huthwaite 2014, section 2.3)
  integration  times_pN.png, rates_pN.png (Banas, Plaszewski and Maciol, Figures 2 and 3), the paper's bars pale above hooke's
  femses       graph.png, pattern.png (Keating 2019, Figures 3.4 to 3.6), seconds_K_DEVICE.png, iterations_K_DEVICE.png (5.1, 5.3, 5.27),
               shares_K_DEVICE.png (5.4); K counts the bodies
  sem          rates and stages against the order of elements (Carrascal-Manzanares et al. 2017, Figures 3 and 6)"""
import json
import pathlib
import sys

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

STAGES = ("prepare", "memory", "send", "kernel", "fetch")
PARTS = ("allocation", "transfer", "scan", "elements", "assembly", "conversion", "ordering", "setup", "solve", "other")
BY_TIME = ("cholesky", "dense-to-sparse", "dense", "cg, multigrid", "femses, jacobi", "femses, chebyshev", "femses, conjugate", "femses, multigrid")
BY_ITERATIONS = BY_TIME[3:]


def write(figure, path):
    figure.savefig(path, dpi=100)
    plt.close(figure)


def draw_curves(path, curves, title, across, name, logarithmic=False):
    """curves: {label: [(x, y), ...]}; those of one point are left out."""
    curves = {label: sorted(points) for label, points in curves.items() if len(points) > 1}
    if not curves:
        return
    figure, axes = plt.subplots(figsize=(9, 5), layout="constrained")
    for label, points in curves.items():
        axes.plot(*zip(*points), marker="o", label=label)
    if logarithmic:
        axes.set(xscale="log", yscale="log")
    axes.set(title=title, xlabel=across, ylabel=name)
    axes.legend(fontsize="small")
    write(figure, path)


def draw_bars(path, bars, parts, title, scale):
    """bars: (name, {part: value}, length, mark, pale); parts share the length out, by their own sum. scale: linear, log."""
    figure, axes = plt.subplots(figsize=(9, 1.2 + 0.28 * len(bars)), layout="constrained")
    lengths = [value for _, _, length, mark, _ in bars for value in (length, mark or length)]
    least = 10 ** np.floor(np.log10(0.9 * min(lengths))) if scale == "log" else 0
    most = 10 ** np.ceil(np.log10(max(lengths))) if scale == "log" else max(lengths)
    place = (lambda value: np.log(value / least) / np.log(most / least)) if scale == "log" else lambda value: value / most
    for k, (_, shares, length, mark, pale) in enumerate(bars):
        at, whole = 0.0, sum(max(shares[part], 0) for part in parts)
        for s, part in enumerate(parts):
            width = max(shares[part], 0) / whole * place(length)
            axes.barh(k, width, left=at, color=f"C{s}", alpha=0.5 if pale else 1, label=part if k == 0 else None)
            at += width
        if mark:
            axes.plot([place(mark)] * 2, [k - 0.45, k + 0.45], color="black")
        if scale == "log":
            axes.text(max(at, place(mark) if mark else 0) + 0.01, k, f"{length:.4g}", va="center", fontsize="small")
    axes.set_yticks(range(len(bars)), [bar[0] for bar in bars], fontsize="small")
    if scale == "log":
        powers = 10.0 ** np.arange(round(np.log10(least)), round(np.log10(most)) + 1)
        axes.set_xticks([place(value) for value in powers], [f"{value:g}" for value in powers])
    axes.set(title=title, xlim=(0, 1.15 if scale == "log" else 1))
    axes.invert_yaxis()
    axes.legend(fontsize="x-small", ncols=len(parts), loc="upper center", bbox_to_anchor=(0.5, -0.06))
    write(figure, path)


def times_of(row):
    return {stage: row.get(f"{stage}_us", 0) for stage in STAGES}


def integration_bars(rows, paper, rate):
    for row, pale in [(row, True) for row in paper] + [(row, False) for row in rows]:
        name = ", ".join(row[key] for key in ("method", "device", "precision") if key in row)
        if rate:
            yield name, {"useful": 1}, row["useful_gflop_per_s"], row["performed_gflop_per_s"], pale
        else:
            yield name, times_of(row), sum(times_of(row).values()), 0, pale


def draw_integration(folder, rows):
    paper = json.loads((folder / "paper.json").read_text())
    measured = [row for row in rows if row["table"] == "5, 6, 7"]
    for order in sorted({row["order"] for row in measured}):
        own = [row for row in measured if row["order"] == order]
        theirs = [row for row in paper if row["order"] == order]
        xeon = [{"method": "Xeon E5-2670, double", "kernel_us": row["xeon_us"], "useful_gflop_per_s": row["xeon_gflop_per_s"],
                 "performed_gflop_per_s": 0} for row in own[:1] if "xeon_us" in row]
        pale = "; pale: the paper's" if theirs else ""
        draw_bars(folder / f"times_p{order}.png", list(integration_bars(own, xeon + theirs, False)), STAGES,
                  f"prism, p = {order}: microseconds of an element, shared out by stages{pale}", "log")
        draw_bars(folder / f"rates_p{order}.png", list(integration_bars(own, xeon + theirs, True)), ("useful",),
                  f"prism, p = {order}: GFLOP/s of the kernel, useful operations; the mark: all that are performed{pale}", "log")


def factor_of(pattern):
    """Entries (row, column) of the Cholesky factor of a matrix with these entries below its diagonal."""
    below = [set() for _ in range(len(pattern))]
    for i, row in enumerate(pattern):
        for j in row:
            if j < i:
                below[j].add(i)
    for rows in below:  # the first row below the diagonal takes the others over: its column's parent
        if rows:
            parent = min(rows)
            below[parent] |= rows - {parent}
    return [(j, j) for j in range(len(below))] + [(i, j) for j, rows in enumerate(below) for i in rows]


def draw_pattern(folder):
    data = json.loads((folder / "pattern.json").read_text())
    n, points, begin = len(data["points"]), np.array(data["points"]), data["begin"]
    neighbours = [data["column"][begin[i]:begin[i + 1]] for i in range(n)]
    figure, axes = plt.subplots(figsize=(7, 7), layout="constrained")
    for i in range(n):
        for j in neighbours[i]:
            if j > i:
                axes.plot(*points[[i, j]].T, color="C0", linewidth=1)
        axes.annotate(str(i), points[i], xytext=(2, 2), textcoords="offset points", fontsize=5)
    axes.set(aspect="equal")
    axes.set_axis_off()
    write(figure, folder / "graph.png")
    orders = {"as numbered": range(n), **data["orders"]}
    figure, axes = plt.subplots(2, len(orders), figsize=(4 * len(orders), 8), layout="constrained")
    for column, (name, order) in enumerate(orders.items()):
        rank = np.empty(n, dtype=int)
        rank[list(order)] = np.arange(n)
        pattern = [[int(rank[j]) for j in neighbours[i]] for i in order]
        width = max(abs(i - j) for i, row in enumerate(pattern) for j in row)
        factor = factor_of(pattern)
        for panel, entries, words in ((axes[0, column], [(i, j) for i, row in enumerate(pattern) for j in (i, *row)], f"{name}: bandwidth {width}"),
                                      (axes[1, column], factor, f"its factor: {len(factor)} entries")):
            matrix = np.zeros((n, n))
            matrix[tuple(zip(*entries))] = 1
            panel.imshow(matrix, cmap="Blues", interpolation="nearest")
            panel.set(title=words, xticks=[], yticks=[])
    write(figure, folder / "pattern.png")


def draw_pogo(folder, rows):
    sweep = [r for r in rows if r["table"] == "sweep" and "block_size" in r]  # femses has sweeps too
    for device in {r["device"] for r in sweep}:
        curves = {}
        for r in sweep:
            if r["device"] == device:
                curves.setdefault(f'{r["case"]}, {r["precision"]}', []).append((r["block_size"], r["gdof_per_s"]))
        draw_curves(folder / f"sweep_{device}.png", curves, f"steps of blocks, {device}", "nodes of a block", "GDOF/s")


def draw_femses(folder, rows):
    draw_pattern(folder)
    whole = [row for row in rows if row["table"] == "whole" and row["converged"]]
    for k, body in enumerate(dict.fromkeys(row["case"] for row in rows if row["table"] == "whole"), 1):
        for device in dict.fromkeys(row["device"] for row in whole):
            of_body = [row for row in whole if row["case"] == body and row["device"] == device]
            for key, ways in (("seconds", BY_TIME), ("iterations", BY_ITERATIONS)):
                curves = {way: [(row["dofs"], row[key]) for row in of_body if row["method"] == way and row[key] > 0] for way in ways}
                draw_curves(folder / f"{key}_{k}_{device}.png", curves, body, "unknowns", key, logarithmic=True)
            largest = {row["method"]: row for row in sorted(of_body, key=lambda row: row["dofs"])}
            bars = [(f'{way}, {row["dofs"]}', {part: row[f"{part}_share"] for part in PARTS}, 1, 0, False) for way, row in largest.items()]
            if bars:
                draw_bars(folder / f"shares_{k}_{device}.png", bars, PARTS, f"{body}: shares of a solution", "linear")


def draw_sem(folder, rows):
    for device in dict.fromkeys(row["device"] for row in rows):
        for table, key, name, dim in (("rates", "gdof_per_s", "GDOF/s", 2), ("rates", "gdof_per_s", "GDOF/s", 3), ("stages", "gdof_per_s", "GDOF/s", 0),
                                      ("stages", "cycles_per_point", "cycles per point", 0), ("stages", "cycles_per_dof", "cycles per dof", 0), ("sets", "cycles_per_point", "cycles per point", 0)):
            curves = {}
            for row in rows:
                if row["table"] == table and row["device"] == device and (not dim or row["dimension"] == dim) and key in row:
                    label = (f'{row.get("instruction_set", row["method"])}, {row["lanes"]} lanes, {row["host_threads"]} threads' if row.get("lanes") else
                             f'{row["case"].split(",")[0][3:]}, {row["method"]}, {row["precision"]}, {row.get("state", "")}')
                    curves.setdefault(label, []).append((row["order"], row[key]))
            of = f"_{dim}d" if dim else ""
            draw_curves(folder / f"{table}_{key}{of}_{device}.png", curves, f"{table}{', %dD' % dim if dim else ''}, {device}", "order", name)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
    tables = {row["table"] for row in rows}
    if "sweep" in tables:
        draw_pogo(folder, rows)
    if "5, 6, 7" in tables:
        draw_integration(folder, rows)
    if "whole" in tables:
        draw_femses(folder, rows)
    if tables & {"rates", "stages", "sets"}:
        draw_sem(folder, rows)


if __name__ == "__main__":
    main()
