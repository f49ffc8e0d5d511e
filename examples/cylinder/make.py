#!/usr/bin/env python3
"""Writes the decks of the hollow cylinder (Sanfui and Sharma, section 5.1): cylinder_{tet4,tet10,hex20}.inp.gz, or finer ones.

  python3 examples/cylinder/make.py                                        the three small decks that are shipped
  python3 examples/cylinder/make.py --cells 12,96,24 --kind hex20 fine.inp    12 elements through the wall, 96 around, 24 along
  python3 examples/cylinder/make.py --paper --kind hex20 paper.inp         as large as the paper's largest mesh of that kind

Inner radius 50, outer 100, length 100 mm; 100 MPa inside, ends held along the axis: plane strain, for which Lame's solution is exact,
  u_r = p a^2 (1 + nu) / (E (b^2 - a^2)) ((1 - 2 nu) r + b^2 / r).
A cell makes one hexahedron or six tetrahedra (Kuhn); nodes in the middle of edges lie on the circle. The paper gives the shape's picture
and its meshes' counts; sizes, material and load are chosen here. Units: mm, N, MPa."""
import argparse
import gzip
import math
import pathlib
import sys

here = pathlib.Path(__file__).resolve().parent
INNER, OUTER, LENGTH, PRESSURE, YOUNG, POISSON = 50.0, 100.0, 100.0, 100.0, 210000.0, 0.3
CORNERS = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2)]  # in half cells
KUHN = [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)]
HEX_EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
TET_EDGES = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]
HEX_FACES = [(0, 1, 2, 3), (4, 7, 6, 5), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 4, 0)]
TET_FACES = [(0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)]
TYPES = {"tet4": "C3D4", "tet10": "C3D10", "hex20": "C3D20"}
PAPER = {"tet4": "25,200,50", "tet10": "20,160,40", "hex20": "25,200,50"}


def elements(kind, cells):
    """Nodes of each element as places in half cells (through the wall, around, along), the corners first."""
    tets = kind != "hex20"
    edges = TET_EDGES if tets else HEX_EDGES
    for k in range(cells[2]):
        for j in range(cells[1]):
            for i in range(cells[0]):
                corner = [(2 * i + a, 2 * j + b, 2 * k + c) for a, b, c in CORNERS]
                for some in ([[corner[n] for n in t] for t in KUHN] if tets else [corner]):
                    middle = [tuple((u + v) // 2 for u, v in zip(some[a], some[b])) for a, b in edges]
                    yield some + ([] if kind == "tet4" else middle)


def place(cells, at):
    radius = INNER + (OUTER - INNER) * at[0] / (2 * cells[0])
    angle = math.pi * at[1] / cells[1]
    return radius * math.cos(angle), radius * math.sin(angle), LENGTH * at[2] / (2 * cells[2])


def labels(items):
    items = sorted(items)
    return [", ".join(map(str, items[i:i + 16])) for i in range(0, len(items), 16)]


def write(path, kind, cells):
    made = [[(a, b % (2 * cells[1]), c) for a, b, c in e] for e in elements(kind, cells)]
    number = {at: n + 1 for n, at in enumerate(sorted({at for e in made for at in e}, key=lambda at: (at[2], at[1], at[0])))}
    lines = ["*HEADING", f"hollow cylinder under inner pressure, {kind}, mm N MPa", "*NODE"]
    lines += [", ".join([str(n), *(f"{v:.9g}" for v in place(cells, at))]) for at, n in number.items()]
    lines.append(f"*ELEMENT, TYPE={TYPES[kind]}, ELSET=cylinder")
    bore = []
    for e, nodes in enumerate(made, 1):
        words = [str(e), *(str(number[at]) for at in nodes)]
        lines += [", ".join(words[:16]) + ","] * (len(words) > 16) + [", ".join(words[16:] if len(words) > 16 else words)]
        faces = HEX_FACES if kind == "hex20" else TET_FACES
        bore += [f"{e}, S{f + 1}" for f, face in enumerate(faces) if all(nodes[n][0] == 0 for n in face)]
    quarter = cells[1] // 2
    sets = {"ends": [n for at, n in number.items() if at[2] in (0, 2 * cells[2])],
            "on_x": [n for at, n in number.items() if at[1] % (2 * quarter) == 0],
            "on_y": [n for at, n in number.items() if at[1] % (2 * quarter) == quarter]}
    for name, items in sets.items():
        lines += [f"*NSET, NSET={name}", *labels(items)]
    lines += ["*SURFACE, TYPE=ELEMENT, NAME=bore", *bore, "*MATERIAL, NAME=steel", "*ELASTIC", f"{YOUNG}, {POISSON}",
              "*SOLID SECTION, ELSET=cylinder, MATERIAL=steel", "*STEP", "*STATIC", "*BOUNDARY", "ends, 3, 3", "on_x, 2, 2", "on_y, 1, 1",
              "*DSLOAD", f"bore, P, {PRESSURE}", "*END STEP", ""]
    data = "\n".join(lines).encode()
    if str(path).endswith(".gz"):
        data = gzip.compress(data, 9, mtime=0)
    pathlib.Path(path).write_bytes(data)
    print(f"{path}: {len(number)} nodes, {len(made)} elements, {len(data) / 1000:.0f} kB", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?", help="one deck (with --kind); without: all three beside this file")
    parser.add_argument("--cells", default="3,24,4", help="through the wall, around (a multiple of 4), along")
    parser.add_argument("--kind", choices=TYPES, default="hex20")
    parser.add_argument("--paper", action="store_true", help="cells for the paper's largest mesh")
    args = parser.parse_args()
    cells = [int(n) for n in (PAPER[args.kind] if args.paper else args.cells).split(",")]
    if args.output:
        write(args.output, args.kind, cells)
        return
    for kind in TYPES:
        write(here / f"cylinder_{kind}.inp.gz", kind, cells)


if __name__ == "__main__":
    main()
