#!/usr/bin/env python3
"""Writes the deck of the mechanical example (Huthwaite 2014, section 4.2): gear.inp.gz, or at the paper's size with --paper.

  python3 examples/gear/make.py                       the small deck that is shipped: 35 mm across, 0.29 mm, 40 us
  python3 examples/gear/make.py --paper gear_paper.inp    112 mm across, 0.08 mm, 1 ms: 2.9 million degrees of freedom

Plane strain; 500 kHz, 2 cycles, Hann window, force along (-1, -0.8) on all nodes of one tooth's surface, a receiver on the far side.
Of the text of the paper are signal, direction, element length, duration, time step (2 ns) and, through the degrees of freedom, the
area; shapes, positions and steel's constants (E 210 GPa, nu 0.3, 7850 kg/m^3) are chosen here. Units: mm, tonne, s, N, MPa."""
import argparse
import math
import pathlib
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import deck  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?", default=str(here / "gear.inp.gz"))
    parser.add_argument("--paper", action="store_true", help="the size of the paper's Table 1")
    parser.add_argument("--h", type=float, help="element length of the small model")
    args = parser.parse_args()
    scale, h, dt, end, every = (1.0, 0.08, 2e-9, 1e-3, 50) if args.paper else (0.31, args.h or 0.29, 12.5e-9, 40e-6, 4)
    sections = deck.mesh(here / "gear.geo", scale=scale, h=h)
    force = 1 / math.hypot(1, 0.8) / deck.set_size(sections, "tooth")
    rest = f"""
*MATERIAL, NAME=steel
*DENSITY
7.85e-9
*ELASTIC
210000., 0.3
*SOLID SECTION, ELSET=gear, MATERIAL=steel
1.
*AMPLITUDE, NAME=toneburst
{deck.toneburst(frequency=500e3, cycles=2)}
*STEP, NAME=vibration
*DYNAMIC, EXPLICIT, DIRECT USER CONTROL
{dt:g}, {end:g}
*CLOAD, AMPLITUDE=toneburst
tooth, 1, {-force:.8g}
tooth, 2, {-0.8 * force:.8g}
*OUTPUT, HISTORY, FREQUENCY={every}
*NODE OUTPUT, NSET=rx_far
U
*OUTPUT, FIELD, NUMBER INTERVAL=40
*NODE OUTPUT
U
*END STEP
"""
    deck.write(args.output, "gear: 500 kHz toneburst on a tooth, mm tonne s", sections, 5 if args.paper else 4, rest)


if __name__ == "__main__":
    main()
