#!/usr/bin/env python3
"""Writes the mesh of deformed.yaml: the unit square's triangles under a mapping onto a quarter of a ring with wavy triangles inside.

  python3 examples/laplace/make.py                            deformed.inp.gz beside this file
  python3 examples/laplace/make.py --cells 64 fine.inp

(s, t) -> r (cos a, sin a), r = 1 + s', a = pi/2 t', where s' = s + w, t' = t + w, w = 0.08 sin(2 pi s) sin(2 pi t): the sides stay what they
are, and every triangle inside is bent out of its shape."""
import argparse
import gzip
import math
import pathlib

here = pathlib.Path(__file__).resolve().parent
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("out", nargs="?", default=str(here / "deformed.inp.gz"))
parser.add_argument("--cells", type=int, default=20)
words = parser.parse_args()
n = words.cells


def place(i, j):
    s, t = i / n, j / n
    w = 0.08 * math.sin(2 * math.pi * s) * math.sin(2 * math.pi * t)
    r, a = 1 + s + w, math.pi / 2 * (t + w)
    return r * math.cos(a), r * math.sin(a)


def number(i, j):
    return 1 + j * (n + 1) + i


lines = ["*HEADING", "Laplace's equation on a quarter of a ring, a deformed mesh", "*NODE"]
for j in range(n + 1):
    lines += ["%d, %.9f, %.9f" % (number(i, j), *place(i, j)) for i in range(n + 1)]
lines.append("*ELEMENT, TYPE=DC2D3, ELSET=ring")
e = 0
for j in range(n):
    for i in range(n):
        a, b, c, d = number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)
        for nodes in ((a, b, c), (a, c, d)) if (i + j) % 2 else ((a, b, d), (b, c, d)):
            e += 1
            lines.append("%d, %d, %d, %d" % (e, *nodes))
for name, i in (("inner", 0), ("outer", n)):
    lines += [f"*NSET, NSET={name}, GENERATE", f"{number(i, 0)}, {number(i, n)}, {n + 1}"]
data = ("\n".join(lines) + "\n").encode()
pathlib.Path(words.out).write_bytes(gzip.compress(data, 9, mtime=0) if words.out.endswith(".gz") else data)
