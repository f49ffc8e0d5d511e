#!/usr/bin/env python3
"""Compares the rates of two builds on one device: whole runs of the same generated cases, one build after the other, several times.

  python3 bench/builds.py BEFORE AFTER [--device cuda] [--scale F] [--repeats N] [--only REGEX] [--output FILE]

BEFORE and AFTER are programs (build/hooke, or a command that runs it). A row contains the best rate of each: degrees of freedom updated per second in
explicit steps, without set-up and output, or 1 / seconds of solving (static, heat). Their ratio is above 1 if AFTER is faster."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SOLID = {"density": 2700, "young": 7e10, "poisson": 0.3}
WATER = {"density": 1000, "sound_speed": 1500}
RICKER = {"ricker": {"frequency": 2000.0}}


def grid(shape, nodes, order=1):
    """A unit square or cube of about so many nodes; inner nodes of linear elements are moved and shuffled."""
    flat = shape in ("tri", "quad")
    cells = max(2, round(nodes ** (1 / (2 if flat else 3)) / order))
    more = {"jitter": 0.2, "shuffle": 5} if order == 1 else {}
    return {"rectangle" if flat else "box": {"size": [1, 1] if flat else [1, 1, 1], "cells": [cells] * (2 if flat else 3), "shape": shape, **more}}


def steps(shape, nodes, count, method=None, order=1, fluid=False, **more):
    flat = shape in ("tri", "quad")
    point = [0.5, 0.4] if flat else [0.5, 0.4, 0.6]
    source = {"at": point, "signal": RICKER}
    source.update({"volume_rate": 1} if fluid else {"force": 1, "direction": [0.3, -1] if flat else [0.3, -1, 0.2]})
    case = {"mesh": grid(shape, nodes, order), "materials": {"m": WATER if fluid else SOLID}, "sources": [source],
            "outputs": {"traces": [{"name": "p", "at": [[0.3, 0.4] if flat else [0.3, 0.4, 0.5]], "quantity": "pressure" if fluid else "velocity"}]},
            "solve": {"explicit": {"end": 1}}, **more}
    if order > 1:
        case["element"] = {"order": order}
    if method:
        case["solve"]["explicit"]["method"] = method
    return case, count


def static(shape, nodes, **how):
    return {"mesh": grid(shape, nodes), "materials": {"m": SOLID}, "boundary": [{"set": "left", "fix": ["x", "y", "z"][:2 if shape in ("tri", "quad") else 3]},
            {"set": "right", "pressure": 1e6}], "solve": {"static": how}}, None


def heat(shape, nodes, **how):
    return {"physics": "heat", "mesh": grid(shape, nodes), "materials": {"m": {"conductivity": 1.0}}, "boundary": [{"set": "left", "temperature": 0},
            {"set": "right", "temperature": 1}], "solve": {"heat": how}}, None


LAYER = {"absorb": {"sets": ["left", "right", "bottom"], "thickness": 0.1}}
CASES = {
    "tri3 matrix-free": (steps("tri", 4e6, 4000, "matrix-free"), ("single", "double")),
    "tri3 edges": (steps("tri", 4e6, 4000, "edges"), ("single",)),
    "quad4 matrix-free": (steps("quad", 4e6, 4000, "matrix-free"), ("single",)),
    "tet4 edges": (steps("tet", 2e6, 3000, "edges"), ("single", "double")),
    "tet4 stored": (steps("tet", 2e6, 2000, "stored"), ("single",)),
    "hex8 matrix-free": (steps("hex", 2e6, 2000, "matrix-free"), ("single", "double")),
    "hex8 stored": (steps("hex", 2e6, 1500, "stored"), ("single",)),
    "solid 2D p4": (steps("quad", 1e6, 30000, order=4), ("single", "double")),
    "solid 3D p4": (steps("hex", 8e5, 15000, order=4), ("single", "double")),
    "solid 3D p7": (steps("hex", 8e5, 15000, order=7), ("single",)),
    "solid 3D p4 colours": (steps("hex", 8e5, 8000, "spectral-colours", order=4), ("single",)),
    "fluid 2D p4": (steps("quad", 1e6, 40000, order=4, fluid=True), ("single",)),
    "fluid 3D p4": (steps("hex", 8e5, 30000, order=4, fluid=True), ("single", "double")),
    "solid 2D p4, matched layer": (steps("quad", 1e6, 20000, order=4, **LAYER), ("single",)),
    "static hex8, multigrid": (static("hex", 4e5), ("double",)),
    "static tet4, cg jacobi": (static("tet", 2e5, method="cg", preconditioner="jacobi"), ("double",)),
    "heat tri3, multigrid": (heat("tri", 2e6), ("double",)),
}


def hooke(words, *more, **options):
    return subprocess.run([*words, *more], capture_output=True, text=True, **options)


def rate(words, case, count, precision, device, folder):
    """Degrees of freedom per second, or 1 / seconds of a static solve; None and a line where it fails."""
    path = pathlib.Path(folder) / "case.json"
    if count:
        explicit = case["solve"]["explicit"]
        if "dt" not in explicit:
            checked = hooke(words, "check", str(path), "--device", "cpu", "--json")
            if checked.returncode:
                print(checked.stderr.strip()[-400:], file=sys.stderr)
                return None
            explicit["dt"] = 0.999 * json.loads(checked.stdout)["dt"]
            explicit["end"] = explicit["dt"] * count
            path.write_text(json.dumps(case))
    done = hooke(words, "run", str(path), "--device", device, "--precision", precision, "--no-pictures", "--json", "--progress", "none",
                 "--output", str(pathlib.Path(tempfile.mkdtemp(dir=folder)) / "out"))
    if done.returncode:
        print(done.stderr.strip()[-400:], file=sys.stderr)
        return None
    run = json.loads(done.stdout)
    return run["dof_updates_per_second"] if count else 1 / run["seconds"]["solve"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--scale", type=float, default=1, help="factor on the numbers of nodes")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--only", default="", help="regular expression on 'case precision'")
    parser.add_argument("--output")
    args = parser.parse_args()
    builds, rows = (args.before.split(), args.after.split()), []
    for name, ((case, count), precisions) in CASES.items():
        if not any(re.search(args.only, f"{name} {p}") for p in precisions):
            continue
        with tempfile.TemporaryDirectory() as folder:
            body = next(iter(case["mesh"].values()))
            factor = args.scale ** (1 / len(body["cells"]))
            body["cells"] = [max(2, round(n * factor)) for n in body["cells"]]
            (pathlib.Path(folder) / "case.json").write_text(json.dumps(case))
            for precision in precisions:
                if not re.search(args.only, f"{name} {precision}"):
                    continue
                got = [[rate(words, case, count, precision, args.device, folder) for words in builds] for _ in range(args.repeats)]
                best = [max((r[k] for r in got if r[k]), default=None) for k in (0, 1)]
                row = {"case": name, "precision": precision, "before": best[0], "after": best[1], "ratio": best[1] / best[0] if all(best) else None}
                rows.append(row)
                print(f"{name:28} {precision:7} {best[0] or 0:10.4g} {best[1] or 0:10.4g}  {row['ratio'] or 0:.3f}", flush=True)
                if args.output:
                    pathlib.Path(args.output).write_text(json.dumps({"bench": "builds", "device": args.device, "rows": rows}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
