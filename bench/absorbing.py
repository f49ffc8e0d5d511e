#!/usr/bin/env python3
"""Measures the reflection of absorbing boundaries (the table of docs/absorbing.md) and their stability over many steps.

  HOOKE=build/hooke python3 bench/absorbing.py [--steps 100000] [--device cpu] [--only REGEX]

Reflection: P or S waves of a line force 3 wavelengths away meet the face at an angle, and a receiver on the face records them. The difference
from a plate without that face is the reflection. Stability: kinetic plus strain energy at tenths of the run, relative to the largest value, and
the energy balance."""
import argparse
import json
import os
import pathlib
import re
import subprocess
import tempfile

import h5py
import numpy as np

SPEED = {"P": 2.0, "S": 1.0}
DEPTH = 3.0
KINDS = {"stacey": ({"kind": "stacey"}, 0), "layer, 1 wavelength of P": ({"thickness": 1.0}, 1.0),
         "pml, half a wavelength of P": ({"kind": "pml", "thickness": 0.5}, 0.5),
         "pml, 1 wavelength of P": ({"kind": "pml", "thickness": 1.0}, 1.0)}


def rock(s_speed=1.0):
    return {"rock": {"density": 1, "p_speed": 2.0, "s_speed": s_speed}}


def solve(case, args, precision="double"):
    with tempfile.TemporaryDirectory() as folder:
        path, out = pathlib.Path(folder) / "case.json", pathlib.Path(folder) / "case.hooke"
        path.write_text(json.dumps(case))
        done = subprocess.run([os.environ["HOOKE"], "run", path, "--output", out, "--precision", precision, "--device", args.device,
                               "--no-pictures", "-q"], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(done.stderr)
        with h5py.File(out / "run.h5") as file:
            return file["traces/rx/velocity"][:], {k: v[:] for k, v in file["energy"].items()}


def beam(wave, degrees, absorb, right):
    angle = np.radians(degrees)
    out = [np.cos(angle), np.sin(angle)] if wave == "P" else [-np.sin(angle), np.cos(angle)]
    case = {"mesh": {"rectangle": {"from": [-6, -6], "to": [right, 8], "element": 0.5}}, "element": {"order": 5}, "materials": rock(),
            "sources": [{"at": [0, 0], "force": 1, "direction": out, "signal": {"ricker": {"frequency": SPEED[wave]}}}],
            "outputs": {"traces": [{"name": "rx", "at": [[DEPTH, DEPTH * np.tan(angle)]], "quantity": "velocity"}]},
            "solve": {"explicit": {"end": (DEPTH / np.cos(angle) + 2.4) / SPEED[wave], "dt": 0.01}}}
    return {**case, "absorb": {**absorb, "sets": "right"}} if absorb else case


def reflections(args):
    waves = [(wave, degrees) for wave in "PS" for degrees in (0, 30, 50)]
    free = [solve(beam(wave, degrees, None, 9.0), args)[0] for wave, degrees in waves]
    print("| | " + " | ".join(f"{wave}, {degrees} degrees" for wave, degrees in waves) + " |\n|---" + "|---" * len(waves) + "|")
    for name, (absorb, extra) in KINDS.items():
        got = [solve(beam(wave, degrees, absorb, DEPTH + extra), args)[0] for wave, degrees in waves]
        part = [np.linalg.norm(a - b) / np.linalg.norm(b) for a, b in zip(got, free)]
        print(f"| {name} | " + " | ".join(f"{100 * p:.2g} %" for p in part) + " |", flush=True)


def plate(steps, s_speed, order, kind, top):
    """A force in a plate with layers on all sides, or under a free surface."""
    sides = ["left", "right", "bottom"] + (["top"] if top else [])
    element = 0.125 * order
    return {"mesh": {"rectangle": {"from": [-3, -3], "to": [3, 3 if top else 0], "element": element}}, "element": {"order": order},
            "materials": rock(s_speed), "absorb": {"kind": kind, "sets": sides},
            "sources": [{"at": [0.3, -0.41], "force": 1, "direction": [1, 0.5], "signal": {"ricker": {"frequency": 1}}}],
            "outputs": {"traces": [{"name": "rx", "at": [[1, -0.1]], "quantity": "velocity", "every": 100}], "field": {"frames": 1}},
            "solve": {"explicit": {"end": steps * 0.012, "dt": 0.012}}}


def block(steps, top):
    sides = ["left", "right", "bottom", "front", "back"] + (["top"] if top else [])
    case = {"mesh": {"box": {"from": [-2, -2, -2], "to": [2, 2, 2], "element": 1}}, "element": {"order": 3}, "materials": rock(),
            "absorb": {"kind": "pml", "sets": sides, "thickness": 1},
            "sources": [{"at": [0.3, -0.41, 0.2], "force": 1, "direction": [1, 0.5, 0.3], "signal": {"ricker": {"frequency": 1}}}],
            "outputs": {"traces": [{"name": "rx", "at": [[0.5, 0.5, 0.5]], "quantity": "velocity", "every": 100}], "field": {"frames": 1}},
            "solve": {"explicit": {"end": steps * 0.03, "dt": 0.03}}}
    return case


def rubber(steps, poisson, order, elements=2, frequency=400, dim=2):
    """A nearly incompressible body under a free surface, elements of 0.1 with layers of so many, far thinner than waves of P."""
    name, size, cells = ("rectangle", [1, 0.6], [10, 6]) if dim == 2 else ("box", [0.8, 0.6, 0.6], [5, 4, 4])
    mu = 1e8 / (2 * (1 + poisson))
    p_speed = (mu * (2 - 2 * poisson) / (1 - 2 * poisson) / 2000) ** 0.5
    dt = 0.8 * (0.1 if dim == 2 else 0.15) / p_speed * {2: 0.35, 3: 0.17, 4: 0.12, 7: 0.044}[order]
    return {"mesh": {name: {"size": size, "cells": cells}}, "element": {"order": order},
            "materials": {"rubber": {"density": 2000, "young": 1e8, "poisson": poisson}},
            "absorb": {"kind": "pml", "sets": ["left", "right", "bottom", "front", "back"][:2 * dim - 1],
                       "thickness": elements * (0.1 if dim == 2 else 0.15)},
            "sources": [{"at": [0.4, 0.33, 0.3][:dim], "force": 1, "direction": [1, 0.3, 0.4][:dim],
                         "signal": {"ricker": {"frequency": frequency, "t0": 1.5 / frequency}}}],
            "outputs": {"traces": [{"name": "rx", "at": [[0.5, 0.3, 0.3][:dim]], "quantity": "velocity", "every": 100}], "field": {"frames": 1}},
            "solve": {"explicit": {"end": steps * dt, "dt": dt}}}


def crystal(case):
    """The same of medium III of Becache, Fauqueux and Joly (2003), some waves of which have phase against energy; the largest dt."""
    end, dt = (case["solve"]["explicit"][k] for k in ("end", "dt"))
    return {**case, "materials": {"rock": {"density": 1, "c11": 0.8, "c12": 1.5, "c22": 4, "c66": 0.4}},
            "solve": {"explicit": {"end": 2 * end, "dt": 2 * dt}}}


def in_water(case):
    """The same of a fluid: what enters at the point of the force."""
    source = {k: v for k, v in case["sources"][0].items() if k not in ("force", "direction")}
    free = {"boundary": [{"set": "top", "fix": "pressure"}]} if "top" not in case["absorb"]["sets"] else {}
    return {**case, "materials": {"water": {"density": 1, "sound_speed": 2.0}}, "sources": [{**source, "volume_rate": 1}], **free}


def stability(args):
    cases = {"2D pml": (plate(args.steps, 1.0, 4, "pml", True), "double"), "2D pml single": (plate(args.steps, 1.0, 4, "pml", True), "single"),
             "2D pml Poisson 0.48": (plate(args.steps, 0.35, 4, "pml", True), "double"),
             "2D pml free surface": (plate(args.steps, 1.0, 4, "pml", False), "double"),
             "2D pml order 7": (plate(args.steps, 1.0, 7, "pml", True), "double"),
             "2D pml anisotropic": (crystal(plate(args.steps, 1.0, 4, "pml", True)), "double"),
             "2D stacey": (plate(args.steps, 1.0, 4, "stacey", True), "double"),
             "2D pml fluid": (in_water(plate(args.steps, 1.0, 4, "pml", True)), "double"),
             "2D pml fluid single": (in_water(plate(args.steps, 1.0, 4, "pml", True)), "single"),
             "2D pml fluid free surface order 7": (in_water(plate(args.steps, 1.0, 7, "pml", False)), "double"),
             "3D pml fluid free surface": (in_water(block(args.steps, False)), "double"),
             **{f"2D pml Poisson {nu}, {what}": (rubber(args.steps, nu, **more), "double") for nu in (0.49, 0.499) for what, more in (
                 ("order 4", {"order": 4}), ("order 2", {"order": 2}), ("order 7", {"order": 7}), ("one element", {"order": 4, "elements": 1}),
                 ("short waves", {"order": 4, "frequency": 6400}), ("long waves", {"order": 4, "frequency": 100}))},
             **{f"3D pml Poisson {nu}": (rubber(args.steps, nu, 3, 1, dim=3), "double") for nu in (0.49, 0.499)},
             "3D pml": (block(args.steps, True), "double"), "3D pml free surface": (block(args.steps, False), "double")}
    for name, (case, precision) in cases.items():
        if not re.search(args.only, name):
            continue
        energy = solve(case, args, precision)[1]
        total = energy["kinetic"] + energy["strain"]
        tenths = [f"{total[min(len(total) - 1, len(total) * k // 10)] / total.max():.0e}" for k in range(1, 11)]
        balance = np.abs(total + energy["damping"] - energy["work"]).max() / np.abs(energy["work"]).max()
        print(f"{name}: {args.steps} steps, energy {' '.join(tenths)}, balance {balance:.0e}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=0, help="of the runs that tell of stability; 0: none of them")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", default="", help="of those, the names that match")
    arguments = parser.parse_args()
    if not arguments.steps:
        reflections(arguments)
    else:
        stability(arguments)
