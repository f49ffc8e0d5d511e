#!/usr/bin/env python3
"""Writes the mesh of the geophysical example (Huthwaite 2014, section 4.3): mesh.inp.gz, or at the paper's size with --paper.

  python3 examples/geophysics/make.py                     the small mesh that is shipped: 37.5 m and more, for geophysics.yaml
  python3 examples/geophysics/make.py --paper mesh_paper.inp    5 m: 2.0 million degrees of freedom, for geophysics_paper.yaml

The drawing is geophysics.geo: 6600 x 3300 m in both sizes; what is the paper's and what is chosen stands in README.md."""
import argparse
import pathlib
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import deck  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?", default=str(here / "mesh.inp.gz"))
    parser.add_argument("--paper", action="store_true", help="the size of the paper's Table 1")
    parser.add_argument("--h", type=float, help="element length of the small model")
    args = parser.parse_args()
    h, graded, digits = (5, 0, 3) if args.paper else (args.h or 37.5, 1, 0)
    sections = deck.mesh(here / "geophysics.geo", h=h, graded=graded)
    deck.write(args.output, "section of four rocks, m", sections, digits, "")


if __name__ == "__main__":
    main()
