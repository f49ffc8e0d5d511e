#!/usr/bin/env python3
"""Writes the mesh of the heat sink, mesh.inp.gz, which heatsink.yaml and heatsink.inp share; needs gmsh.

  python3 examples/heatsink/make.py                           the mesh that is shipped
  python3 examples/heatsink/make.py --size 2.5 fine.inp       finer

Sets: the surfaces chip and air; for decks, whose *FILM and *DFLUX want elements and the number of a face, chip1 to chip4 and air1 to air4."""
import argparse
import pathlib
import re
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import deck  # noqa: E402


def faces(sections, number):
    lines = []
    for key, data in sections:
        match = re.match(r"\*SURFACE, TYPE=ELEMENT, NAME=(\S+)", key)
        if not match:
            continue
        found = sorted((number[int(label)], face.strip()) for label, face in (line.split(",") for line in data))
        lines += [key] + [f"{label}, {face}" for label, face in found]
        for face in sorted({f for _, f in found}):
            items = [str(label) for label, f in found if f == face]
            lines.append(f"*ELSET, ELSET={match[1]}{face[1]}")
            lines += [", ".join(items[i:i + 16]) for i in range(0, len(items), 16)]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?", default=str(here / "mesh.inp.gz"))
    parser.add_argument("--size", type=float, default=5.0, help="length of the elements' edges, mm")
    args = parser.parse_args()
    sections = deck.mesh(here / "heatsink.geo", h=args.size)
    deck.write(args.output, "heat sink, mm", sections, 4, lambda number: faces(sections, number))


if __name__ == "__main__":
    main()
