#!/usr/bin/env python3
"""Writes the deck of the connecting rod (Sanfui and Sharma, section 5.2): rod.inp.gz, or finer with --size.

  python3 examples/rod/make.py                          the small deck that is shipped: elements of 6 mm
  python3 examples/rod/make.py --size 1.6 rod_60k.inp   near the paper's middle mesh; --size 0.5: near its largest, 2 million nodes

Tetrahedra of second order by gmsh. The crank's bore is held; the pin pulls with 10 kN: a bearing pressure p0 cos(angle) on the far half
of its bore, p0 = 2 F / (pi r t). The paper gives a picture of the shape and neither sizes, material nor loads: they are chosen here.
Units: mm, N, MPa."""
import argparse
import math
import pathlib
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import deck  # noqa: E402

FORCE, LENGTH, PIN, THICK = 10e3, 120.0, 11.0, 16.0
FACES = {"S1": (0, 1, 2), "S2": (0, 3, 1), "S3": (1, 3, 2), "S4": (2, 3, 0)}  # corners of a tetrahedron's faces


def numbers(sections, key):
    return next(data for k, data in sections if k.startswith(key))


def bearing(sections, number):
    """Lines of *DLOAD: each face of the pin's bore with the pressure at its middle."""
    place = {int(w[0]): [float(v) for v in w[1:]] for w in (line.split(",") for line in numbers(sections, "*NODE"))}
    corners = {int(w[0]): [int(v) for v in w[1:5]] for w in (line.split(",") for line in numbers(sections, "*ELEMENT, TYPE=C3D10"))}
    most = 2 * FORCE / (math.pi * PIN * THICK)
    lines = []
    for line in numbers(sections, "*SURFACE, TYPE=ELEMENT, NAME=pin"):
        label, face = (w.strip() for w in line.split(","))
        middle = [sum(place[corners[int(label)][k]][d] for k in FACES[face]) / 3 for d in range(2)]
        pressure = most * (middle[0] - LENGTH) / math.hypot(middle[0] - LENGTH, middle[1])
        if pressure > 0:
            lines.append((number[int(label)], f"{number[int(label)]}, P{face[1]}, {pressure:.6g}"))
    return "\n".join(line for _, line in sorted(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?", default=str(here / "rod.inp.gz"))
    parser.add_argument("--size", type=float, default=6.0, help="length of the elements' edges, mm")
    args = parser.parse_args()
    sections = deck.mesh(here / "rod.geo", h=args.size)

    def rest(number):
        return f"""
*MATERIAL, NAME=steel
*DENSITY
7.85e-9
*ELASTIC
210000., 0.3
*SOLID SECTION, ELSET=rod, MATERIAL=steel
*STEP, NAME=pull
*STATIC
*BOUNDARY
crank, 1, 3
*DLOAD
{bearing(sections, number)}
*NODE PRINT, NSET=crank, TOTALS=ONLY
RF
*END STEP
"""

    deck.write(args.output, "connecting rod: 10 kN by a bearing pressure on the pin's bore, mm N MPa", sections, 5, rest)


if __name__ == "__main__":
    main()
