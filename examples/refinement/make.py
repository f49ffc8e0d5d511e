#!/usr/bin/env python3
"""Writes corner.json: steady heat in [-1, 1] x [0, 1], T = 0 on y = 0, x < 0 and insulation on y = 0, x > 0. T = Re sqrt(x + i y), whose gradient
is infinite where both meet (Motz's problem).

  python3 examples/refinement/make.py                         rings of elements around that point, ring k of order k
  python3 examples/refinement/make.py --rings 7 --uniform 5 uniform.json
  python3 examples/refinement/make.py --table                 errors against nodes (runs hooke)

Each ring is `ratio` times as large as the one around it."""
import argparse
import json
import math
import pathlib
import subprocess
import tempfile

here = pathlib.Path(__file__).resolve().parent
CORNERS = ["E", "NE", "N", "NW", "W"]
PLACE = {"E": (1, 0), "NE": (1, 1), "N": (0, 1), "NW": (-1, 1), "W": (-1, 0)}
U, R = "sqrt((sqrt(x^2 + y^2) + x)/2)", "sqrt(x^2 + y^2)"  # T and r
ALONG_X, ALONG_Y = f"{U}/(2*{R})", f"sqrt(({R} - x)/2)/(2*{R})"  # gradient of T


def case(rings, ratio, uniform):
    points, blocks = {"O": [0, 0]}, []
    for k in range(rings + 1):
        points.update({f"{c}{k}": [ratio**(rings - k) * v for v in PLACE[c]] for c in CORNERS})
    for a, b, c in ("E", "NE", "N"), ("N", "NW", "W"):
        blocks.append({"name": "middle", "corners": ["O", f"{a}0", f"{b}0", f"{c}0"], "cells": [1, 1]})
    for k in range(rings):
        blocks += [{"name": f"ring{k + 1}", "corners": [f"{a}{k}", f"{a}{k + 1}", f"{b}{k + 1}", f"{b}{k}"], "cells": [1, 1]}
                   for a, b in zip(CORNERS, CORNERS[1:])]
    n = rings
    sides = {"right": [[f"E{n}", f"NE{n}"]], "top": [[f"NE{n}", f"N{n}"], [f"N{n}", f"NW{n}"]], "left": [[f"NW{n}", f"W{n}"]],
             "cold": [["O", "W0"]] + [[f"W{k}", f"W{k + 1}"] for k in range(n)]}
    order = {"order": uniform} if uniform else {"order": 1, "orders": {f"ring{k}": k for k in range(2, n + 1)}}
    return {"title": "Motz's problem", "units": "none", "mesh": {"blocks": {"points": points, "blocks": blocks, "sides": sides}},
            "physics": "heat", "element": order, "materials": {"plate": {"conductivity": 1}},
            "boundary": [{"set": "cold", "temperature": 0}, {"set": "right", "flux": {"formula": ALONG_X}},
                         {"set": "left", "flux": {"formula": f"-{ALONG_X}"}}, {"set": "top", "flux": {"formula": ALONG_Y}}],
            "solve": {"heat": {}}}


def exact_energy(points=4000):
    """Half the integral of T dT/dn over the right, the upper and the left side, by midpoints."""
    def part(x, y, nx, ny):
        r = math.hypot(x, y)
        u = math.sqrt((r + x) / 2)
        return u * (nx * u + ny * math.sqrt((r - x) / 2)) / (2 * r) / 2
    t = [(i + 0.5) / points for i in range(points)]
    return sum(part(1, s, 1, 0) + part(-1, s, -1, 0) + part(s, 1, 0, 1) + part(-s, 1, 0, 1) for s in t) / points


def solve(folder, rings, ratio, uniform):
    """Nodes, and the error of the gradient relative to the exact one (energy norm): that of Galerkin's method is sqrt(1 - E / E exact)."""
    path = pathlib.Path(folder) / "corner.json"
    path.write_text(json.dumps(case(rings, ratio, uniform)))
    subprocess.run([words.hooke, "run", str(path), "--output", f"{folder}/out", "--force", "-q", "--no-pictures", "--precision", "double"], check=True)
    run = json.loads((pathlib.Path(folder) / "out" / "run.json").read_text())
    return run["counts"]["nodes"], math.sqrt(abs(1 - run["energy"]["strain"] / exact_energy()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", nargs="?", default=str(here / "corner.json"))
    parser.add_argument("--rings", type=int, default=6)
    parser.add_argument("--ratio", type=float, default=0.15)
    parser.add_argument("--uniform", type=int, help="one order for all elements")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--hooke", default="hooke", help="the command")
    words = parser.parse_args()
    if words.table:
        with tempfile.TemporaryDirectory() as folder:
            for n in range(2, words.rings + 3):
                rows = [solve(folder, rings, words.ratio, uniform) for rings, uniform in ((n, None), (n, n), (2, n))]
                print("| {} | {} | {:.1e} | {} | {:.1e} | {} | {:.1e} |".format(n, *rows[0], *rows[1], *rows[2]))
    else:
        pathlib.Path(words.out).write_text(json.dumps(case(words.rings, words.ratio, words.uniform), indent=1) + "\n")
