#!/usr/bin/env python3
"""Measures how much slower or faster than in the body plane waves are on regular meshes of each element (table of docs/performance.md).

  HOOKE_LIBRARY=build/libhooke.so PYTHONPATH=python python3 bench/lumped.py [--output bench/results/lumped.json]

K and the lumped masses of one cell are hooke's (hooke.System); Bloch's condition u(x + 1) = u(x) exp(i k) makes the cell a mesh without
end. The wave is the mode with the largest share of the plane wave. The distance of the nodes is the cell's volume per node to the power 1 / dim; a
row has the largest error in three directions (2D: two), and the time step that hooke allows times the speed of P waves over that distance."""
import argparse
import json
import pathlib
import platform
import subprocess
import sys
import tempfile

import numpy as np
from scipy.linalg import eigh

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "verification"), str(ROOT / "python")]
import fem  # noqa: E402
import hooke  # noqa: E402

C_P, C_S = 2.0, 1.0
ELEMENTS = [("tri3", 1), ("quad4", 1), ("tri6", 2), ("quad8", 2), ("quad4", 2), ("quad4", 4), ("tet4", 1), ("hex8", 1), ("tet10", 2), ("wedge15", 2),
            ("hex20", 2), ("hex8", 2), ("hex8", 4)]
NODES = (5, 10, 20)
DIRECTIONS = ((1, 0, 0), (1, 1, 0), (1, 1, 1))


def cell(shape, order):
    """K, M [dofs], x[nodes], the largest stable step of a cell of size 1."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "cell.inp"
        path.write_text(fem.mesh_deck(fem.grid(shape, [1] * fem.DIM[shape])))
        case = {"mesh": str(path), "units": "none", "materials": {"m": {"density": 1, "p_speed": C_P, "s_speed": C_S}},
                "initial": [{"set": "ALL", "velocity": [1] + [0] * (fem.DIM[shape] - 1)}], "outputs": {"field": {"frames": 1}},
                "solve": {"explicit": {"end": 1}}}
        if shape in ("quad4", "hex8") and order > 1:
            case["element"] = {"order": order}
        if fem.DIM[shape] == 2:
            case["thickness"] = 1
        model = pathlib.Path(folder) / "case.json"
        model.write_text(json.dumps(case))
        system = hooke.Model.read(str(model)).system(device="cpu")
        k = np.stack([system.apply(column) for column in np.eye(system.dofs)], 1)
        return k, np.array(system.mass), np.array(system.coordinates)[:, :fem.DIM[shape]], system.stable_dt


def wave(of, direction, polarisation, nodes, speed):
    """Phase speed / speed - 1 at so many nodes per wavelength."""
    k, mass, x, _ = of
    dim = x.shape[1]
    whole = np.floor(x + 1e-9)
    _, own = np.unique(np.round(x - whole, 6), axis=0, return_inverse=True)
    count = own.max() + 1
    number = 2 * np.pi / (nodes * count ** (-1 / dim))
    phase = np.exp(1j * number * whole @ direction)
    t = np.zeros((len(x), dim, count, dim), complex)
    for c in range(dim):
        t[np.arange(len(x)), c, own, c] = phase
    t = t.reshape(len(x) * dim, count * dim)
    m = (t.conj().T * mass) @ t
    values, modes = eigh(t.conj().T @ k @ t, m)
    place = np.zeros((count, dim))
    place[own] = x - whole
    plane = (np.exp(1j * number * place @ direction)[:, None] * polarisation).ravel()
    best = np.abs(modes.conj().T @ m @ plane).argmax()
    return float(np.sqrt(values[best]) / number / speed - 1)


def row(shape, order):
    of = cell(shape, order)
    dim = of[2].shape[1]
    out = {"shape": shape, "order": order, "spectral": shape in ("quad4", "hex8") and order > 1, "p": [], "s": []}
    own = len(np.unique(np.round(of[2] - np.floor(of[2] + 1e-9), 6), axis=0))
    out["step"] = C_P * of[3] * own ** (1 / dim)
    for nodes in NODES:
        errors = {"p": [], "s": []}
        for direction in DIRECTIONS[:dim]:
            d = np.array(direction[:dim]) / np.linalg.norm(direction[:dim])
            across = np.linalg.svd(d[None])[2][1]
            errors["p"].append(wave(of, d, d, nodes, C_P))
            errors["s"].append(wave(of, d, across, nodes, C_S))
        for kind, values in errors.items():
            out[kind].append(max(values, key=abs))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", default=str(ROOT / "bench" / "results" / "lumped.json"))
    args = parser.parse_args()
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    result = {"bench": "lumped", "commit": commit, "system": platform.platform(), "nodes": NODES, "rows": [row(*e) for e in ELEMENTS]}
    pathlib.Path(args.output).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
