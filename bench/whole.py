#!/usr/bin/env python3
"""Times whole commands of hooke, from the case file to the result, and writes what each stage of them took.

  python3 bench/whole.py HOOKE [BEFORE] [--device cuda] [--scale F] [--steps F] [--predict] [--cold] [--installed HOOKE] [--repeats N] [--only REGEX] [--about TEXT] [--output FILE]

HOOKE and BEFORE are programs (build/hooke, or a command that runs it); BEFORE is an older build, which the same run measures. Each row has the wall
time of the command of both, the seconds of its stages as run.json gives them, and what is left beside solving. Times are the best of --repeats, with the
kernels in the cache folder; --cold also times the first command of an empty cache folder, of HOOKE only; --installed times that of a program of the same build
beside whose library kernels lie that were compiled beforehand (`make kernels`). --scale is a factor on the numbers of nodes; the
numbers of steps stay, or get the factor --steps: what is beside solving hardly depends on them. Where time dispersion is removed from traces, a run
also computes steps beyond its end, which older builds do not. --predict asks `hooke check` before each run of HOOKE, after a run of a third of the
nodes. No pictures are drawn."""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parent.parent
SOLID = {"density": 2700, "young": 7e10, "poisson": 0.3}


def cells(nodes, dim, order=1):
    return max(2, round((nodes ** (1 / dim) - 1) / order))


def body(shape, nodes, order=1, **more):
    dim = 2 if shape == "tri" else 3
    case = {"mesh": {"rectangle" if dim == 2 else "box": {"size": [1] * dim, "cells": [cells(nodes, dim, order)] * dim, "shape": shape, **more}}}
    return case | ({"element": {"order": order}} if order > 1 else {})


def waves(shape, nodes, steps, limit, order=1, **more):
    """So many steps of a cube with a source and a receiver between nodes. limit: dt of the mesh times its cells along an edge."""
    dt = limit / cells(nodes, 3, order)
    ricker = {"ricker": {"frequency": 0.02 / dt / order}}
    return body(shape, nodes, order, **more) | {
        "materials": {"m": SOLID}, "sources": [{"at": [0.5, 0.4, 0.6], "force": 1, "direction": [0.3, -1, 0.2], "signal": ricker}],
        "outputs": {"traces": [{"name": "p", "at": [[0.3, 0.4, 0.5]], "quantity": "velocity"}]}, "solve": {"explicit": {"end": steps * dt}}}


def static(nodes, _):
    return body("hex", nodes, 2) | {"materials": {"m": SOLID}, "boundary": [{"set": "left", "fix": ["x", "y", "z"]}, {"set": "right", "pressure": 1e6}],
                                    "solve": {"static": {"method": "cg", "preconditioner": "multigrid"}}}


def heat(nodes, _):
    return body("tri", nodes) | {"physics": "heat", "materials": {"m": {"conductivity": 1.0}}, "boundary": [{"set": "left", "temperature": 0},
                                 {"set": "right", "temperature": 1}], "solve": {"heat": {"method": "cg", "preconditioner": "multigrid"}}}


RUNS = {  # name: the case of a number of nodes, that number, precision
    "tet4, jittered": (lambda n, f: waves("tet", n, f * 3726, 6.43e-5, jitter=0.2, shuffle=5), 10.1e6, "single"),
    "hex8": (lambda n, f: waves("hex", n, f * 1808, 1.17647e-4), 10.1e6, "single"),
    "spectral, order 4": (lambda n, f: waves("hex", n, f * 1205, 1.58228e-5, order=4), 47e6, "single"),
    "heat, tri3, multigrid": (heat, 10.0e6, "double"),
    "static, hex27, multigrid": (static, 2.0e6, "double")}


def hooke(words, verb, folder, precision, device, cache, *more):
    """stdout of one command; the message of a failed one ends the program."""
    done = subprocess.run([*words, verb, str(folder / "case.json"), "--device", device, "--precision", precision, "-q", *more], capture_output=True, text=True,
                          env={**os.environ, "XDG_CACHE_HOME": str(cache)})
    if done.returncode:
        raise SystemExit(f"{' '.join(words)} {verb} {folder / 'case.json'}: {done.stderr.strip()[-2000:]}")
    return done.stdout


def command(words, folder, *where):
    """(wall seconds, run.json) of a run."""
    start = time.monotonic()
    hooke(words, "run", folder, *where, "--output", str(folder / "out"), "--force", "--no-pictures", "--progress", "none")
    return time.monotonic() - start, json.loads((folder / "out" / "run.json").read_text())


def times(words, case, few, precision, args, predict=False, repeats=None):
    """Best of the warm commands (of none: None) with its run.json; the first one of an empty cache folder if it is asked for, else a run of `few` nodes fills the folder; and what
    `hooke check` tells before them, if that is asked for."""
    with tempfile.TemporaryDirectory() as name:
        folder, cold, told = pathlib.Path(name), None, None
        cache = folder / "cache"
        cache.mkdir()

        def run(what):
            (folder / "case.json").write_text(json.dumps(what))
            return command(words, folder, precision, args.device, cache)
        if few is None:
            cold = run(case)
        else:
            run(few)
        if predict:
            (folder / "case.json").write_text(json.dumps(case))
            told = json.loads(hooke(words, "check", folder, precision, args.device, cache, "--json"))
        warm = min((run(case) for _ in range(args.repeats if repeats is None else repeats)), key=lambda got: got[0], default=None)
    return warm, cold, told


def beside(run):
    return run["seconds"]["total"] - run["seconds"]["solve"]


def measure(name, args):
    make, nodes, precision = RUNS[name]
    case, few = make(nodes * args.scale, args.steps), make(nodes * args.scale / (3 if args.predict else 100), args.steps)
    (seconds, run), cold, told = times(args.hooke.split(), case, None if args.cold else few, precision, args, args.predict)
    row = {"run": name, "precision": precision, "nodes": run["counts"]["nodes"], "elements": run["counts"]["elements"], "dofs": run["counts"]["dofs"],
           "steps": run["counts"]["steps"], "steps_beyond_end": run.get("time_dispersion", {}).get("steps_beyond_end", 0), "method": run["method"],
           "solve": run["seconds"]["solve"], "whole": seconds, "total": run["seconds"]["total"],
           "beside": beside(run), "seconds": run["seconds"], "stages": run["stages"], "peak_memory_bytes": run["peak_memory_bytes"]}
    if cold:
        row |= {"cold": cold[0], "cold_total": cold[1]["seconds"]["total"], "cold_stages": cold[1]["stages"], "cold_kernels": cold[1].get("kernels")}
    if args.installed:
        _, (first, got), _ = times(args.installed.split(), case, None, precision, args, repeats=0)
        row |= {"installed": first, "installed_total": got["seconds"]["total"], "installed_stages": got["stages"], "installed_kernels": got.get("kernels")}
    if told:
        row |= {"check_solve": told["seconds"], "check_beside": told["seconds_beside"], "check_stages": told.get("stages"), "check_memory_bytes": told["memory_bytes"]}
    if args.before:
        (before, old), *_ = times(args.before.split(), case, few, precision, args)
        row |= {"before": before, "before_total": old["seconds"]["total"], "before_solve": old["seconds"]["solve"], "before_seconds": old["seconds"],
                "before_beside": beside(old), "before_steps": old["counts"]["steps"], "times": before / seconds}
    return row, run


def line(row):
    words = f'{row["run"]:26} {row["nodes"]:10} nodes {row["steps"]:5} steps, solving {row["solve"]:.2f} s of {row["whole"]:.2f} s'
    if "cold" in row:
        words += f', cold {row["cold"]:.2f} s'
    if "installed" in row:
        words += f', with kernels installed {row["installed"]:.2f} s'
    return words + (f', before {row["before_solve"]:.2f} s of {row["before"]:.2f} s' if "before" in row else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hooke")
    parser.add_argument("before", nargs="?")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--scale", type=float, default=1, help="factor on the numbers of nodes")
    parser.add_argument("--steps", type=float, default=1, help="factor on the numbers of steps")
    parser.add_argument("--predict", action="store_true", help="also what hooke check tells")
    parser.add_argument("--cold", action="store_true", help="also the first command of an empty cache folder")
    parser.add_argument("--installed", help="HOOKE with kernels compiled beforehand: also its first command of an empty cache folder")
    parser.add_argument("--repeats", type=int, default=2, help="commands that the best is taken of (default: 2, since a mesh may need kernels that the small run lacks)")
    parser.add_argument("--only", default="", help="regular expression on the name of a run")
    parser.add_argument("--commit", default="", help="of HOOKE (default: that of this folder)")
    parser.add_argument("--commit-before", default="", help="of BEFORE")
    parser.add_argument("--compiler", default="", help="of kernels and of the host's code")
    parser.add_argument("--about", default="", help="a sentence for the page, such as what else ran on the machine")
    parser.add_argument("--output")
    args = parser.parse_args()
    commit = args.commit or subprocess.run(["git", "-C", root, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    rows = []
    for name in RUNS:
        if not re.search(args.only, name):
            continue
        row, run = measure(name, args)
        rows.append(row)
        print(line(row), flush=True)
        if args.output:  # after each row: a later one may not fit into the time that the machine is lent
            pathlib.Path(args.output).write_text(json.dumps({
                "bench": "whole", "commit": commit, "commit_before": args.commit_before, "device_name": run["device_name"], "threads": run["threads"],
                "compiler": args.compiler, "about": args.about, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
