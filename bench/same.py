#!/usr/bin/env python3
"""Compares the results of two builds of hooke on the models of bench/whole.py.

  python3 bench/same.py HOOKE BEFORE [--device cpu] [--scale F] [--steps F] [--commit C] [--commit-before C] [--compiler TEXT] [--output FILE]

Runs are in double precision; time dispersion, which older builds do not remove, is kept, and the last frame of the displacement is compared too. The generator
of jittered meshes has changed, so both builds read the mesh that HOOKE made. Each row has the number of steps and iterations of both, the largest difference of
traces and fields over the largest value of each, of the unknowns and of stress and heat flux, and whether the unknowns have the same bits."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy as np

from whole import RUNS

UNKNOWNS, DERIVED = ("displacement", "velocity", "temperature"), ("stress", "heat_flux")  # last parts of the names of data sets that are compared


def call(words, folder):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, cwd=folder, env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")})
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr.strip()[-2000:]}")


def run(words, case, device, folder):
    """(run.json, {name: values} of what is compared)."""
    shutil.rmtree(folder / "out", ignore_errors=True)  # a build does not overwrite another's files
    (folder / "case.json").write_text(json.dumps(case))
    call([*words, "run", "case.json", "--device", device, "--precision", "double", "--output", "out", "--force", "--no-pictures", "--progress", "none", "-q"], folder)
    values = {}
    for name in ("run.h5", "field.vtkhdf"):
        if (folder / "out" / name).exists():
            with h5py.File(folder / "out" / name) as file:
                file.visititems(lambda key, data, name=name: values.update({f"{name}/{key}": data[()]}) if key.rpartition("/")[2] in UNKNOWNS + DERIVED and "/Steps/" not in key and isinstance(data, h5py.Dataset) else None)
    return json.loads((folder / "out" / "run.json").read_text()), values


def read_mesh(words, case, device, folder):
    """The case with its generated mesh in a file."""
    end = case["solve"]["explicit"]["end"]
    run(words, case | {"solve": {"explicit": {"end": end / 10}}}, device, folder)
    call([*words, "convert", "out/field.vtkhdf", "mesh.vtu", "-q"], folder)
    return case | {"mesh": "mesh.vtu"}


def measure(name, args):
    make, nodes, _ = RUNS[name]
    case = make(nodes * args.scale, args.steps)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "cache").mkdir()
        how = case["solve"].get("explicit")
        if how:
            case["outputs"]["field"] = {"quantity": "displacement", "frames": 1}
        if "jitter" in next(iter(case["mesh"].values())):
            case = read_mesh(args.hooke.split(), case, args.device, folder)
        before, old = run(args.before.split(), case, args.device, folder)
        if how:
            case["solve"]["explicit"]["time_dispersion"] = "keep"
        now, new = run(args.hooke.split(), case, args.device, folder)
    shared = [key for key in new if key in old and new[key].shape == old[key].shape]
    if not shared:
        raise SystemExit(f"{name}: the results have no field in common")
    of = lambda names: [key for key in shared if key.rpartition("/")[2] in names]
    difference = lambda key: float(np.abs(new[key] - old[key]).max() / (np.abs(new[key]).max() or 1))
    return {"run": name, "nodes": now["counts"]["nodes"], "steps": now["counts"]["steps"], "before_steps": before["counts"]["steps"], "iterations": now.get("iterations", 0),
            "before_iterations": before.get("iterations", 0), "difference": max(map(difference, of(UNKNOWNS))), "derived": max(map(difference, of(DERIVED)), default=None),
            "bitwise": all(np.array_equal(new[key], old[key]) for key in of(UNKNOWNS))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hooke")
    parser.add_argument("before")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--scale", type=float, default=0.005)
    parser.add_argument("--steps", type=float, default=0.05)
    for name in ("commit", "commit-before", "compiler", "output"):
        parser.add_argument(f"--{name}", default="")
    args = parser.parse_args()
    rows = []
    for name in RUNS:
        rows.append(measure(name, args))
        print(rows[-1], flush=True)
    if args.output:
        pathlib.Path(args.output).write_text(json.dumps({
            "bench": "same", "commit": args.commit, "commit_before": args.commit_before, "device": args.device, "compiler": args.compiler, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
