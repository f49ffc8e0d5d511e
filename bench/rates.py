#!/usr/bin/env python3
"""Compares the rate of whole runs with that of steps alone.

  python3 bench/rates.py HOOKE --steps PROGRAM --bench PROGRAM [--device cuda] [--scale F] [--seconds S] [--only REGEX] [--commit C] [--compiler TEXT] [--output FILE]

HOOKE is a program (build/hooke, or a command that runs it), --steps is operator_steps of linear elements, --bench is hooke-bench, whose `sem` measures spectral elements. A run has mass damping, a
source and a receiver between nodes, energies and 10 frames of the velocity; its rate is its unknowns times its steps over the seconds of solving, without compiling. It takes as many steps as the
bench takes in --seconds. Each model has a large and a small mesh: `of_bench` is the rate of the run over the bench's of the large mesh, `of_same` that over the bench's of the same mesh. Meshes of
linear elements are jittered grids in random order. --scale is a factor on the numbers of nodes."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from memory import waves

root = pathlib.Path(__file__).resolve().parent.parent
FRAMES = 10
MODELS = {  # name: shape, order, nodes of the large and of the small mesh, mesh of operator_steps or words of `hooke bench sem`
    "tri3": ("tri", 1, (4e6, 2.5e5), "tri3"),
    "tet4": ("tet", 1, (2.7e6, 1.04e5), "tet4"),
    "hex8": ("hex", 1, (4e6, 1.04e5), "hex8"),
    "spectral 2D, order 4": ("quad", 4, (6e6, 2.5e5), ("2d", "p4")),
    "spectral 3D, order 4": ("hex", 4, (5.9e6, 2.3e5), ("3d", "p4"))}


def output(words, **options):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, **options)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr.strip()[-2000:]}")
    return done.stdout


def linear(mesh, nodes, method, args):
    """GDOF/s of the form of K on a jittered grid."""
    told = output([*args.steps.split(), "--json", "--device", args.device, "--mesh", mesh, "--nodes", nodes, "--method", method, "--precision", "single", "--form", "increments"])
    return json.loads(told)["gdof_per_s"]


def spectral(words, args, folder):
    """GDOF/s of steps on equal cells."""
    output([*args.bench.split(), "sem", "rates", "elastic", *words, "--device", args.device, "--seconds", "0.2", "--scale", args.scale, "--output", folder / "bench", "-q"])
    rows = [json.loads(line) for line in (folder / "bench" / "rows.jsonl").read_text().splitlines()]
    wanted = {"method": "affine", "state": "increments", "precision": "single", "device": args.device}
    return next(r["gdof_per_s"] for r in rows if all(r.get(k) == v for k, v in wanted.items()))


def case(shape, order, nodes, steps):
    """memory.py's model with other numbers of steps, damping and frames; boxes are spectral elements' cells."""
    few = waves(shape, nodes, order, mesh={} if order > 1 else {"jitter": 0.2, "shuffle": 5}, frames=FRAMES)
    how = few["solve"]["explicit"]
    end = how["end"]
    how |= {"end": end * steps / 12, "time_dispersion": "keep"}
    few["damping"] = {"mass": 0.1 / end}
    return few


def run(what, folder, args):
    """run.json of the second of two commands: the first one compiles."""
    (folder / "case.json").write_text(json.dumps(what))
    words = [*args.hooke.split(), "run", folder / "case.json", "--output", folder / "out", "--force", "--device", args.device, "--precision", "single", "--no-pictures", "--progress", "none", "-q"]
    output(words)
    return json.loads((folder / "out" / "run.json").read_text())


def measure(name, args):
    """A row for each mesh of the model."""
    shape, order, sizes, words = MODELS[name]
    rows, large = [], None
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for nodes in (n * args.scale for n in sizes):
            tried = run(case(shape, order, nodes, FRAMES), folder, args)
            method, dofs = tried["method"], tried["counts"]["dofs"]
            if order > 1:
                same = None if large else spectral(words, args, folder)
            else:
                same = linear(words, nodes, method, args)
            large = large or same
            steps = max(FRAMES, round(args.seconds * large * 1e9 / dofs))
            taken = run(case(shape, order, nodes, steps), folder, args)
            count = taken["counts"]["steps"]
            rate = count * dofs / (taken["seconds"]["solve"] - taken["stages"].get("solve/compile", 0)) / 1e9
            row = {"case": f"{name}, {nodes / 1e6:.2g} M nodes" if nodes >= 1e6 else f"{name}, {nodes / 1e3:.0f} k nodes", "nodes": taken["counts"]["nodes"], "dofs": dofs, "steps": count, "frames": FRAMES,
                   "method": method, "gdof_per_s": rate, "bench_gdof_per_s": large, "same_gdof_per_s": same, "stages": taken["stages"], "commit": args.commit, "compiler": args.compiler}
            rows.append(row)
            print(f'{row["case"]:34} {method:12} {count:6} steps {rate:7.2f} GDOF/s, {100 * rate / large:.0f} % of the bench\'s' + (f", {100 * rate / same:.0f} % of that of this mesh" if same else ""), flush=True)
    return rows, taken["device_name"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hooke")
    parser.add_argument("--steps", required=True, help="the program operator_steps, words before it too")
    parser.add_argument("--bench", required=True, help="the program hooke-bench, words before it too")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--only", default="", help="regular expression on the name of a model")
    parser.add_argument("--commit", default="")
    parser.add_argument("--compiler", default="")
    parser.add_argument("--output")
    args = parser.parse_args()
    args.commit = args.commit or output(["git", "-C", root, "rev-parse", "--short", "HEAD"]).strip()
    rows = []
    for name in (n for n in MODELS if re.search(args.only, n)):
        got, device = measure(name, args)
        rows += got
        if args.output:
            pathlib.Path(args.output).write_text(json.dumps({"bench": "rates", "device_name": device, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
