#!/usr/bin/env python3
"""Measures the time dispersion of traces, with and without its removal (tables of docs/performance/spectral.md and docs/theory/dispersion.md).

  HOOKE=build/hooke python3 bench/dispersion.py [--output bench/results/dispersion.json]

Long paths: a tube of water and a bar of elements of order 4 with five nodes per shortest wavelength, compared with a run at a hundredth of the
step. Linear elements: a bar of quad4 compared with d'Alembert's solution, and a plate of quad4 compared with elements of order 4. A row gives the L2
error of a whole trace relative to the reference, with time_dispersion keep and remove."""
import argparse
import json
import os
import pathlib
import platform
import subprocess
import tempfile

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHORTEST = 2.764  # highest frequency of a ricker pulse over that of its peak
PATHS = (5, 20, 50)


def solve(case, **explicit):
    """velocity[receiver, component, sample], dt"""
    case = {**case, "solve": {"explicit": {**case["solve"]["explicit"], **explicit}}}
    with tempfile.TemporaryDirectory() as folder:
        path, out = pathlib.Path(folder) / "case.json", pathlib.Path(folder) / "case.hooke"
        path.write_text(json.dumps(case))
        subprocess.run([os.environ["HOOKE"], "run", path, "--output", out, "--precision", "double", "--device", "cpu", "--no-pictures", "-q"], check=True)
        with h5py.File(out / "run.h5") as file:
            return file["traces/rx/velocity"][:], json.loads((out / "run.json").read_text())["dt"]


def strip(length, element, order, medium, paths, end):
    """A strip one element high along which plane waves of speed 1 go; distances in wavelengths of the peak."""
    solid = {"materials": {"m": {"density": 1, "p_speed": 1, "s_speed": 0.5}},
             "boundary": [{"set": s, "fix": "y"} for s in ("bottom", "top")] +
                         [{"set": "left", "traction": [1, 0], "signal": {"ricker": {"frequency": 1}}}]}
    fluid = {"materials": {"m": {"density": 1, "sound_speed": 1}},
             "sources": [{"set": "left", "volume_rate": 1, "signal": {"ricker": {"frequency": 1}}}]}
    return {"mesh": {"rectangle": {"size": [length, element], "cells": [round(length / element), 1]}}, "element": {"order": order},
            "outputs": {"traces": [{"name": "rx", "at": [[x, element / 3] for x in paths], "quantity": "velocity"}], "field": {"frames": 1}},
            "solve": {"explicit": {"end": end}}, **(solid if medium == "solid" else fluid)}


def error(got, reference):
    return float(np.linalg.norm(got - reference) / np.linalg.norm(reference))


def long_paths():
    rows = []
    for medium, name in (("fluid", "tube of water"), ("solid", "bar")):
        case = strip(60, 60 / 212, 4, medium, PATHS, 55)
        kept, dt = solve(case, time_dispersion="keep")
        removed, _ = solve(case, dt=dt, time_dispersion="remove")
        fine, _ = solve(case, dt=dt / 100, time_dispersion="keep")
        fine = fine[..., ::100]
        n = min(kept.shape[-1], fine.shape[-1])
        for k, path in enumerate(PATHS):
            rows.append({"case": name, "path": path, "steps_per_period": 1 / dt, "keep": error(kept[k, :, :n], fine[k, :, :n]),
                         "remove": error(removed[k, :, :n], fine[k, :, :n])})
    return rows


def ricker(t):
    x = (np.pi * (t - 1.2)) ** 2
    return (1 - 2 * x) * np.exp(-x)


def linear_bar(rows):
    for nodes in (10, 20):
        for share in (0.95, 0.5):
            h = 1 / (SHORTEST * nodes)
            paths = (5.0, 20.0)
            case = strip(22.0, h, 1, "solid", paths, 21.5)
            got = {}
            for how in ("keep", "remove"):
                values, dt = solve(case, dt=share * h, time_dispersion=how)
                time = dt * np.arange(values.shape[-1])
                got[how] = [error(values[k, 0], ricker(time - x)) for k, x in enumerate(paths)]
            rows += [{"case": "bar", "nodes": nodes, "step": share, "path": x, "keep": got["keep"][k], "remove": got["remove"][k]}
                     for k, x in enumerate(paths)]


def plate(element, order):
    at = [[6 + r * np.cos(a), 6 + r * np.sin(a)] for r in (2, 5) for a in (0, np.pi / 4)]
    return {"mesh": {"rectangle": {"size": [12, 12], "element": element}}, "element": {"order": order},
            "materials": {"m": {"density": 1, "p_speed": 2, "s_speed": 1}},
            "sources": [{"at": [6, 6], "force": 1, "direction": [0.3, 1], "signal": {"ricker": {"frequency": 1}}}],
            "outputs": {"traces": [{"name": "rx", "at": at, "quantity": "velocity"}], "field": {"frames": 1}},
            "solve": {"explicit": {"end": 6.5}}}


def linear_plate(rows):
    """Waves at 0 and 45 degrees to the elements; what comes back from the sides is in both."""
    for nodes in (10, 20):
        h = 12 / round(12 * SHORTEST * nodes)
        case = plate(h, 1)
        kept, dt = solve(case, time_dispersion="keep")
        removed, _ = solve(case, dt=dt, time_dispersion="remove")
        fine, _ = solve(plate(0.25, 4), dt=dt / np.ceil(dt / 0.002), time_dispersion="remove")
        fine = fine[..., ::round(np.ceil(dt / 0.002))]
        n = min(kept.shape[-1], fine.shape[-1])
        for k, (path, degrees) in enumerate([(2, 0), (2, 45), (5, 0), (5, 45)]):
            rows.append({"case": f"plate, {degrees} degrees", "nodes": nodes, "step": 2 * dt / h, "path": path,
                         "keep": error(kept[k, :, :n], fine[k, :, :n]), "remove": error(removed[k, :, :n], fine[k, :, :n])})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", default=str(ROOT / "bench" / "results" / "dispersion.json"))
    args = parser.parse_args()
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    linear = []
    result = {"bench": "dispersion", "commit": commit, "system": platform.platform(), "rows": long_paths(), "linear": linear}
    linear_bar(linear)
    linear_plate(linear)
    pathlib.Path(args.output).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
