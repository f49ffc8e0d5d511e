#!/usr/bin/env python3
"""Times whole static runs of hooke and of CalculiX on the same decks and writes bench/results/static_cpu.json.

  python3 bench/static.py [--hooke build/hooke] [--ccx ccx] [--quick] [--threads N] [--repeat N] [--about TEXT] [--output FILE]

The models are blocks of C3D20 (92 k degrees of freedom) and C3D10 (108 k) whose inner vertices are moved at random, fixed at one end and under
pressure at the other. Seconds are those of the whole command, the best of --repeat. Both programs print the displacements of all nodes (NAME.dat); they
are compared with those of CalculiX's direct solver, relative to the largest. CalculiX prints seven digits. Needs numpy, h5py, ccx and minutes on a
machine without other work (--quick: small blocks, only to show that it works)."""
import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

root = pathlib.Path(__file__).resolve().parent.parent
QUAD = [(0, 0), (2, 0), (2, 2), (0, 2)]
EDGE = [(1, 0), (2, 1), (1, 2), (0, 1)]
HEX = [(*q, z) for z in (0, 2) for q in QUAD] + [(*q, z) for z in (0, 2) for q in EDGE] + [(*q, 1) for q in QUAD]
TETS = [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)]  # of a cube's corners, one diagonal
TET_EDGES = [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)]
TET_FACES = {1: (0, 1, 2), 2: (0, 3, 1), 3: (1, 3, 2), 4: (2, 3, 0)}
CASES = {"C3D20": (19, 5), "C3D10": (16, 4)}  # cells of an edge; of the quick ones
DIRECT, TARGETS = "SPOOLES", {"direct": 5, "iterative": 3}


def block(kind, cells):
    """(x[node][3], element[e][n]) of the unit cube."""
    corner = np.array(HEX[:8])
    if kind == "C3D20":
        local = np.array(HEX)[None]
    else:
        tets = corner[np.array(TETS)]
        local = np.stack([np.vstack([t, [(t[a] + t[b]) // 2 for a, b in TET_EDGES]]) for t in tets])
    cell = np.stack(np.meshgrid(*[np.arange(cells)] * 3, indexing="ij"), -1).reshape(-1, 3)
    half = (2 * cell[:, None, None, :] + local[None]).reshape(-1, local.shape[1], 3)
    used, number = np.unique(half.reshape(-1, 3), axis=0, return_inverse=True)
    move = np.random.default_rng(1).uniform(-.1, .1, (cells + 1,) * 3 + (3,))
    for axis in range(3):
        sides = [slice(None)] * 3
        sides[axis] = [0, -1]
        move[tuple(sides)] = 0
    low, high = used // 2, (used + 1) // 2
    x = (low + high + move[tuple(low.T)] + move[tuple(high.T)]) / (2 * cells)
    return x, number.reshape(len(half), -1)


def pressed(kind, x, element):
    """(element, face) of every face at x = 1."""
    faces = {4: (1, 2, 6, 5)} if kind == "C3D20" else TET_FACES
    for face, nodes in faces.items():
        for e in np.flatnonzero((np.abs(x[element[:, nodes], 0] - 1) < 1e-9).all(1)):
            yield e + 1, face


def deck(kind, cells, solver=""):
    x, element = block(kind, cells)
    lines = ["*NODE, NSET=ALL"] + [f"{i + 1}, {v[0]:.15g}, {v[1]:.15g}, {v[2]:.15g}" for i, v in enumerate(x)]
    lines.append(f"*ELEMENT, TYPE={kind}, ELSET=BODY")
    for e, nodes in enumerate(element):
        words = [str(w) for w in (e + 1, *(nodes + 1))]
        lines += [", ".join(words)] if len(words) <= 16 else [", ".join(words[:15]) + ",", ", ".join(words[15:])]
    lines += ["*NSET, NSET=HELD", *(f"{n + 1}," for n in np.flatnonzero(np.abs(x[:, 0]) < 1e-9)), "*MATERIAL, NAME=M", "*ELASTIC",
              "210000., 0.3", "*SOLID SECTION, ELSET=BODY, MATERIAL=M", "*STEP", "*STATIC" + (f", SOLVER={solver}" if solver else ""),
              "*BOUNDARY", "HELD, 1, 3", "*DLOAD", *(f"{e}, P{f}, {10 + .01 * (e % 7)}" for e, f in pressed(kind, x, element)),
              "*NODE PRINT, NSET=ALL", "U", "*END STEP", ""]
    return "\n".join(lines), x, element


def timed(words, folder, threads, repeat):
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "CCX_NPROC_EQUATION_SOLVER": str(threads)}
    best = 1e30
    for _ in range(repeat):
        start = time.monotonic()
        done = subprocess.run([str(w) for w in words], cwd=folder, env=environment, capture_output=True, text=True)
        best = min(best, time.monotonic() - start)
        if done.returncode:
            raise SystemExit(f"{' '.join(map(str, words))}: {done.stdout[-2000:]} {done.stderr[-2000:]}")
    return best


def printed(path, nodes):
    u = np.full((nodes, 3), np.nan)
    for line in path.read_text().splitlines():
        words = line.split()
        if len(words) == 4 and words[0].isdigit():
            u[int(words[0]) - 1] = [float(w) for w in words[1:]]
    return u


def run_ccx(args, folder, kind, cells, solver, threads):
    text, x, _ = deck(kind, cells, solver)
    (folder / "block.inp").write_text(text)
    seconds = timed([args.ccx, "block"], folder, threads, args.repeat)
    return {"seconds": seconds}, printed(folder / "block.dat", len(x))


def run_hooke(args, folder, kind, cells, solver, threads, pictures=False):
    text, x, _ = deck(kind, cells, solver)
    (folder / "block.inp").write_text(text)
    words = [args.hooke, "run", "block.inp", "--output", "out", "--force", "--threads", threads, "-q"]
    seconds = timed(words + ([] if pictures else ["--no-pictures"]), folder, threads, args.repeat)
    run = json.loads((folder / "out" / "run.json").read_text())
    with h5py.File(folder / "out" / "run.h5") as file:
        u = np.full((len(x), 3), np.nan)
        u[file["static/node"][:] - 1] = file["static/0001/displacement"][:]
    return {"seconds": seconds, "solver": run["solver"], "iterations": run["iterations"], "residual": run["residual"],
            "parts": run["seconds"]}, u


def measure(args, kind, cells):
    """Rows of one block; CalculiX's direct solver on one thread first: the reference."""
    _, x, element = deck(kind, cells)
    plan = [(run_ccx, DIRECT, 1, {}), (run_ccx, DIRECT, args.threads, {}), (run_ccx, "ITERATIVE SCALING", 1, {}),
            (run_ccx, "ITERATIVE CHOLESKY", 1, {}), (run_hooke, "", 1, {}), (run_hooke, "", args.threads, {}),
            (run_hooke, "", args.threads, {"pictures": True}), (run_hooke, DIRECT, args.threads, {})]
    rows, reference = [], None
    for run, solver, threads, options in plan:
        with tempfile.TemporaryDirectory() as name:
            row, u = run(args, pathlib.Path(name), kind, cells, solver, threads, **options)
        reference = u if reference is None else reference
        program = "ccx" if run is run_ccx else "hooke"
        method = {"": "default", DIRECT: "direct"}.get(solver, solver.lower()) + (", pictures" if options else "")
        row = {"case": kind, "dofs": 3 * len(x), "elements": len(element), "program": program, "method": method, "threads": threads, **row,
               "difference": float(np.abs(u - reference).max() / np.abs(reference).max())}
        rows.append(row)
        print(f'{kind} {program:5} {method:20} {threads} threads {row["seconds"]:7.2f} s, difference {row["difference"]:.1e}', file=sys.stderr)
    for row in rows:  # how many times CalculiX's seconds
        mine = [r for r in rows if r["program"] == "hooke" and r["method"] == "default"]
        if row["program"] == "ccx":
            row["over_hooke"] = {str(r["threads"]): row["seconds"] / r["seconds"] for r in mine}
            row["target"] = TARGETS["direct" if row["method"] == "direct" else "iterative"]
    return rows


def calculix(program):
    """Its name and version, as it tells them."""
    words = subprocess.run([program, "-v"], capture_output=True, text=True).stdout.split()
    return "CalculiX " + words[-1].rstrip(".") if words else "CalculiX"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hooke", default=str(root / "build" / "hooke"))
    parser.add_argument("--ccx", default="ccx")
    parser.add_argument("--quick", action="store_true", help="small blocks: shows that it works, measures nothing")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--about", default="", help="a sentence for the page, such as what else ran on the machine")
    parser.add_argument("--output", default=str(root / "bench" / "results" / "static_cpu.json"))
    args = parser.parse_args()
    args.hooke = str(pathlib.Path(args.hooke).resolve())
    device = json.loads(subprocess.run([args.hooke, "devices", "--json"], check=True, capture_output=True, text=True).stdout)[0]
    load = os.getloadavg()[0]
    rows = [row for kind, cells in CASES.items() for row in measure(args, kind, cells[args.quick])]
    commit = subprocess.run(["git", "-C", root, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    result = {"bench": "static", "commit": commit, "device": device, "system": platform.platform(),
              "ccx": calculix(args.ccx), "load_before": load, "about": args.about, "rows": rows}
    pathlib.Path(args.output).write_text(json.dumps(result, indent=1) + "\n")
    print(args.output)


if __name__ == "__main__":
    main()
