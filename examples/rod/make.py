#!/usr/bin/env python3
"""Writes the decks of the connecting rod (Sanfui and Sharma, section 5.2): rod.inp.gz, rod_hex20.inp.gz, or finer ones.

  python3 examples/rod/make.py                                        the small decks that are shipped: elements of 6 mm
  python3 examples/rod/make.py --kind hex20 --paper rod_paper.inp     the paper's largest mesh: 2 million nodes (minutes)
  python3 examples/rod/make.py --size 1.6 rod_60k.inp                 tetrahedra of 1.6 mm
  python3 examples/rod/make.py --table rods                           plans of the rods of Tables 4, 5, for `hooke bench assembly rods/*.msh`

Tetrahedra by gmsh, or its quadrilaterals of the plan in layers. The crank's bore is held; the pin pulls with 10 kN: a bearing pressure
p0 cos(angle) on the far half of its bore, p0 near 2 F / (pi r t): such that the faces of the mesh carry F. The paper gives a picture of
the shape and neither sizes, material nor loads: they are chosen here. Units: mm, N, MPa."""
import argparse
import math
import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import deck  # noqa: E402

FORCE, LENGTH = 10e3, 120.0
TYPES = {"tet4": "C3D4", "tet10": "C3D10", "hex20": "C3D20"}
PAPER = {"tet4": 0.63, "tet10": 0.63, "hex20": 0.57}  # edges for the paper's largest mesh
TABLE = {15318: 3.55, 22374: 2.98, 36326: 2.467, 60186: 2.036, 76396: 1.88, 88872: 1.751, 113503: 1.602, 2020284: 0.57}  # Tables 4, 5: edges for the nodes
TET = {"S1": (0, 1, 2), "S2": (0, 3, 1), "S3": (1, 3, 2), "S4": (2, 3, 0)}  # corners of the faces
HEX = {"S1": (0, 1, 2, 3), "S2": (4, 7, 6, 5), "S3": (0, 4, 5, 1), "S4": (1, 5, 6, 2), "S5": (2, 6, 7, 3), "S6": (3, 7, 4, 0)}


def numbers(sections, key):
    return next(data for k, data in sections if k.startswith(key))


def along_x(corners):
    """x component of the area vector of a face, 1/2 sum x_k cross x_k+1, into the element."""
    return sum(u[1] * v[2] - u[2] * v[1] for u, v in zip(corners, corners[1:] + corners[:1])) / 2


def bearing(sections, number, kind):
    """Lines of *DLOAD: each face of the pin's bore with cos(angle) at its middle, times what makes the faces carry FORCE."""
    place = {int(w[0]): [float(v) for v in w[1:]] for w in (line.split(",") for line in numbers(sections, "*NODE"))}
    elements = {int(w[0]): [int(v) for v in w[1:9]] for w in (line.split(",") for line in numbers(sections, f"*ELEMENT, TYPE={TYPES[kind]}"))}
    faces, found, force = HEX if kind == "hex20" else TET, [], 0.0
    for line in numbers(sections, "*SURFACE, TYPE=ELEMENT, NAME=pin"):
        label, face = (w.strip() for w in line.split(","))
        corners = [place[elements[int(label)][k]] for k in faces[face]]
        x, y = (sum(c[d] for c in corners) / len(corners) for d in range(2))
        cosine = (x - LENGTH) / math.hypot(x - LENGTH, y)
        if cosine > 0:
            found.append((number[int(label)], face[1], cosine))
            force += cosine * along_x(corners)
    return "\n".join(f"{label}, P{face}, {FORCE / force * cosine:.6g}" for label, face, cosine in sorted(found))


def write(path, kind, size):
    sections = deck.mesh(here / "rod.geo", h=size, order=1 if kind == "tet4" else 2, hexahedra=int(kind == "hex20"))

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
{bearing(sections, number, kind)}
*NODE PRINT, NSET=crank, TOTALS=ONLY
RF
*END STEP
"""

    deck.write(path, f"connecting rod: 10 kN by a bearing pressure on the pin's bore, {kind}, mm N MPa", sections, 5, rest)


def plan(path, size):
    """The quadrilaterals of the plan; the bench draws them out."""
    options = [part for name, value in (("h", size), ("order", 1), ("plan", 1)) for part in ("-setnumber", name, repr(value))]
    subprocess.run(["gmsh", "-v", "2", "-nopopup", *options, str(here / "rod.geo"), "-save", "-o", str(path)], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?", help="one deck (with --kind); without: both beside this file")
    parser.add_argument("--kind", choices=TYPES, default="tet10")
    parser.add_argument("--size", type=float, default=6.0, help="length of the elements' edges, mm")
    parser.add_argument("--paper", action="store_true", help="the size of the paper's largest mesh")
    parser.add_argument("--table", metavar="FOLDER", help="plans of rods of the sizes of the paper's Tables 4 and 5")
    args = parser.parse_args()
    if args.table:
        pathlib.Path(args.table).mkdir(parents=True, exist_ok=True)
        for nodes, size in TABLE.items():
            plan(pathlib.Path(args.table) / f"rod_hex20_{nodes}.msh", size)
        return
    if args.output:
        write(args.output, args.kind, PAPER[args.kind] if args.paper else args.size)
        return
    write(here / "rod.inp.gz", "tet10", 6.0)
    write(here / "rod_hex20.inp.gz", "hex20", 6.0)


if __name__ == "__main__":
    main()
