#!/usr/bin/env python3
"""Writes ring.inp, the 2D mesh of gear_blank.yaml: a ring of triangles with the sets bore (inside) and tooth (a part of the rim).

  python3 examples/plate_prisms/make.py && hooke run examples/plate_prisms/gear_blank.yaml"""
import math
import pathlib

INNER, OUTER, THROUGH, AROUND = 10.0, 30.0, 2, 16


def main():
    lines = ["*NODE, NSET=ALL"]
    for r in range(THROUGH + 1):
        radius = INNER + (OUTER - INNER) * r / THROUGH
        for k in range(AROUND):
            angle = 2 * math.pi * (k + 0.5 * (r % 2)) / AROUND
            lines.append(f"{r * AROUND + k + 1}, {radius * math.cos(angle):.9g}, {radius * math.sin(angle):.9g}")
    lines.append("*ELEMENT, TYPE=CPE3, ELSET=ring")
    label, bore, tooth = 1, [], []
    for r in range(THROUGH):
        for k in range(AROUND):
            a, b = r * AROUND + k, r * AROUND + (k + 1) % AROUND
            c, d = a + AROUND, b + AROUND  # rings are turned by half a cell one against the other
            cells = [(a, c, b), (b, c, d)] if r % 2 == 0 else [(a, c, d), (a, d, b)]
            for cell in cells:
                lines.append(f"{label}, " + ", ".join(str(n + 1) for n in cell))
                label += 1
            if r == 0:
                bore.append((label - 2, 3))
            if r == THROUGH - 1 and k in (0, 1):
                tooth.append((label - 2, 2))
    for name, faces in (("bore", bore), ("tooth", tooth)):
        lines.append(f"*SURFACE, NAME={name}, TYPE=ELEMENT")
        lines += [f"{e}, S{f}" for e, f in faces]
    path = pathlib.Path(__file__).resolve().parent / "ring.inp"
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
