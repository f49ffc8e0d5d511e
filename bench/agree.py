#!/usr/bin/env python3
"""Compares a device's results with those of the host, on small models that meet each form of K, each medium and each term of the time step.

  python3 bench/agree.py HOOKE [--device cuda] [--workers N] [--only REGEX] [--precision double|single] [--commit C] [--output FILE]

HOOKE is a program (build/hooke, or a command that runs it). Each model runs on both in double and in single precision. A row has the largest
difference of traces, frames and energies over the largest value of each, as `hooke compare` tells it. A command that failed is a row with its message.
Rows are printed as they come; each command has one thread of the host.
Exit code 1: a command failed, or a difference in double precision is above 1e-9."""
import argparse
import concurrent.futures
import itertools
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LIMIT = 1e-9  # of double precision
PRECISIONS = ("double", "single")
SOLID = {"density": 2.5, "p_speed": 2, "s_speed": 1.1}
CRYSTAL = {"density": 2.5, "vp0": 2, "vs0": 1.1, "epsilon": 0.15, "delta": 0.08, "gamma": 0.1}
WATER = {"density": 1, "sound_speed": 1.4}
VOIGT = SOLID | {"kelvin_voigt": 0.002}
VARYING = SOLID | {"p_speed": {"formula": "2 + 0.1 * sin(3 * x) * cos(2 * y)"}}
LOSSY = SOLID | {"q_s": 40, "q_p": 90, "q_band": [0.5, 8]}
FORMS = {"tri": ("stored", "matrix-free", "edges", "congruent", "blocks"), "quad": ("stored", "matrix-free", "edges", "congruent", "blocks"),
         "tet": ("stored", "edges", "edges-packed", "congruent", "blocks"),
         "hex": ("stored", "matrix-free", "edges", "edges-packed", "congruent", "blocks")}
SIGNAL = {"ricker": {"frequency": 2, "t0": 0.4}}


def mesh(shape, order=1):
    cells = 24 if shape in ("tri", "quad") else 9
    side = max(3, cells // order)
    return {"rectangle" if cells == 24 else "box": {"size": [2] * (2 if cells == 24 else 3), "cells": [side] * (2 if cells == 24 else 3), "shape": shape}}


def waves(shape, method, order=1, material=SOLID, **more):
    """A force in a body, receivers between nodes, frames of all that moves."""
    dim = 2 if shape in ("tri", "quad") else 3
    fluid = "sound_speed" in material
    quantity = ["pressure"] if fluid else ["displacement", "velocity"]
    push = {"volume_rate": 1} if fluid else {"force": 1, "direction": [0.6, 0.8, 0.3][:dim]}
    case = {"units": "none", "mesh": mesh(shape, order), "materials": {"m": material}, "boundary": [{"set": "bottom", "fix": "pressure" if fluid else ["y"]}],
            "sources": [{"at": [1.03, 0.94, 0.97][:dim], **push, "signal": SIGNAL}],
            "outputs": {"traces": [{"name": "rx", "at": [[0.31 + 0.1 * k, 1.43, 0.77][:dim] for k in range(9)], "quantity": quantity}],
                        "field": {"quantity": quantity, "frames": 3}}, "solve": {"explicit": {"end": 1.2, "method": method}}}
    if order > 1:
        case["element"] = {"order": order}
    return merged(case, more)


def merged(case, more):
    for key, value in more.items():
        case[key] = merged(dict(case[key]), value) if isinstance(value, dict) and isinstance(case.get(key), dict) and key in ("outputs", "solve", "explicit") else value
    return case


def ring(shape, method, order=1, **more):
    case = waves(shape, method, order, plane="axisymmetric", **more)
    case["mesh"]["rectangle"] |= {"size": [1, 2]}
    return case | {"sources": [{"at": [0, 1.03], "force": 1, "direction": [0, 1], "signal": SIGNAL}],
                   "outputs": case["outputs"] | {"traces": [{"name": "rx", "at": [[0.1 * k, 1.43] for k in range(9)], "quantity": "velocity"}]}}


def static(shape, order, **how):
    dim = 2 if shape in ("tri", "quad") else 3
    case = {"units": "none", "mesh": mesh(shape, order), "materials": {"m": {"density": 1, "young": 3, "poisson": 0.3}},
            "boundary": [{"set": "left", "fix": ["x", "y", "z"][:dim]}, {"set": "right", "traction": [0.1, 0.2, 0.05][:dim]}], "solve": {"static": how}}
    return case | ({"element": {"order": order}} if order > 1 else {})


def heat(shape, order, **how):
    case = {"units": "none", "physics": "heat", "mesh": mesh(shape, order), "materials": {"m": {"conductivity": 2.0}},
            "boundary": [{"set": "left", "temperature": 0}, {"set": "right", "flux": 1.5}, {"set": "top", "film": {"coefficient": 2, "sink": 3}}], "solve": {"heat": how}}
    return case | ({"element": {"order": order}} if order > 1 else {})


def models():
    """{name: case}"""
    damped = {"uniform damping": {"damping": {"mass": 0.3}}, "damping layer": {"absorb": [{"kind": "layer", "sets": ["left"], "thickness": 0.5}]},
              "stacey": {"absorb": [{"kind": "stacey", "sets": ["left", "right"]}]}, "plain": {}}
    found = {}
    for shape, methods in FORMS.items():
        for method, (name, more) in itertools.product(methods, damped.items()):
            found[f"{shape} {method}, {name}"] = waves(shape, method, **more)
        found[f"{shape}, order 2"] = waves(shape, "auto", 2)
    for shape, material in (("quad", CRYSTAL), ("hex", CRYSTAL), ("tri", CRYSTAL), ("tet", CRYSTAL)):
        for method in FORMS[shape]:
            found[f"{shape} {method}, anisotropic"] = waves(shape, method, material=material)
    for shape, order in itertools.product(("quad", "hex"), (2, 3, 4, 7)):
        found[f"{shape} spectral-colours {order}"] = waves(shape, "spectral-colours", order)
        for name, more in damped.items():
            found[f"{shape} spectral {order}, {name}"] = waves(shape, "spectral", order, **more)
        for name, material in (("anisotropic", CRYSTAL), ("attenuation", LOSSY), ("Kelvin-Voigt", VOIGT), ("constants that vary", VARYING), ("fluid", WATER)):
            found[f"{shape} spectral {order}, {name}"] = waves(shape, "spectral", order, material)
        layer = {"absorb": [{"kind": "pml", "sets": ["left", "top"], "thickness": 0.4}]}
        found[f"{shape} spectral {order}, matched layer"] = waves(shape, "spectral", order, **layer)
        found[f"{shape} spectral {order}, attenuation, matched layer"] = waves(shape, "spectral", order, LOSSY, **layer)
        found[f"{shape} spectral {order}, fluid, matched layer"] = waves(shape, "spectral", order, WATER, **layer)
    for shape in FORMS:
        found[f"{shape}, fluid"] = waves(shape, "auto", material=WATER)
        method = FORMS[shape][0]
        case = waves(shape, method)
        found[f"{shape}, peak maps"] = merged(case, {"outputs": {"peak": {"quantity": ["displacement", "velocity"]}}})
        shots = [dict(case["sources"][0], at=[0.5 + 0.1 * k, *case["sources"][0]["at"][1:]]) for k in range(5)]
        found[f"{shape}, shots"] = {key: value for key, value in waves(shape, "auto").items() if key != "sources"} | {
            "shots": shots, "outputs": {"traces": case["outputs"]["traces"]}}
    for shape, order in itertools.product(("tri", "quad"), (1, 2)):
        found[f"{shape}, axisymmetric, order {order}"] = ring(shape, "auto", order)
    for order in (4, 8):
        found[f"quad, axisymmetric, order {order}"] = ring("quad", "auto", order)
    for shape, methods in FORMS.items():
        for method in methods:
            found[f"{shape} {method}, constants that vary"] = waves(shape, method, material=VARYING)
    found["tri blocks, axisymmetric fluid"] = waves("tri", "auto", material=WATER, plane="axisymmetric")
    for shape, order in itertools.product(FORMS, (1, 2)):
        for how in ({"method": "cg", "preconditioner": "multigrid"}, {"method": "cg", "preconditioner": "jacobi"}, {"method": "femses"})[:4 - order]:
            name = ", ".join([shape, f"order {order}", *how.values()])
            found[f"static {name}"] = static(shape, order, **how, tolerance=1e-12)
            found[f"heat {name}"] = heat(shape, order, **how, tolerance=1e-12)
    return found


def call(words, folder):
    done = subprocess.run([*words], capture_output=True, text=True, cwd=folder, env=os.environ | {"OMP_NUM_THREADS": "1"})
    return done.returncode, done.stdout, done.stderr.strip()


def measure(name, case, precision, args):
    row = {"model": name, "precision": precision}
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "case.json").write_text(json.dumps(case))
        for device in ("cpu", args.device):
            code, _, said = call([*args.hooke.split(), "run", "case.json", "--device", device, "--precision", precision, "--output", device, "--no-pictures", "--progress",
                                  "none", "-q"], folder)
            if code:
                return row | {"failed": device, "message": said[-400:]}
        told = json.loads((folder / args.device / "run.json").read_text())
        code, said, wrong = call([*args.hooke.split(), "compare", "cpu", args.device, "--json"], folder)
        if code:
            return row | {"failed": "compare", "message": wrong[-400:]}
        return row | {"on": told.get("device_name"), "method": told.get("method"), "difference": largest(json.loads(said))}


def largest(told):
    """Over all data sets; infinite where one is missing or has no number."""
    found = [entry.get("max_relative") for kind in told.values() if isinstance(kind, list) for entry in kind]
    return max((math.inf if value is None else value for value in found), default=math.inf)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hooke")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--only", default="")
    parser.add_argument("--precision", choices=PRECISIONS, nargs="*", default=PRECISIONS)
    parser.add_argument("--commit")
    parser.add_argument("--output", type=pathlib.Path)
    args = parser.parse_args()
    args.hooke = " ".join(str(pathlib.Path(word).resolve()) if pathlib.Path(word).exists() else word for word in args.hooke.split())
    jobs = [(name, case, precision) for (name, case), precision in itertools.product(models().items(), args.precision) if re.search(args.only, name)]
    with concurrent.futures.ThreadPoolExecutor(args.workers) as pool:
        rows = []
        for done in concurrent.futures.as_completed([pool.submit(measure, *job, args) for job in jobs]):
            rows.append(done.result())
            print(rows[-1], flush=True)
    bad = [row for row in rows if "failed" in row or (row["precision"] == "double" and not row["difference"] <= LIMIT)]
    rows.sort(key=lambda row: (-row.get("difference", 2), row["model"], row["precision"]))
    if args.output:
        args.output.write_text(json.dumps({"commit": args.commit, "device": args.device, "rows": rows}, indent=1) + "\n")
    print(f"{len(rows)} runs, {len(bad)} of them failed or differ by more than {LIMIT}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
