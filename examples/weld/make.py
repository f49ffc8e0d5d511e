#!/usr/bin/env python3
"""Writes the deck of the weld inspection (Huthwaite 2014, section 4.1): weld.inp.gz, or at the paper's size with --paper.

  python3 examples/weld/make.py                       the small deck that is shipped: 7.5 x 2.75 mm, 0.05 mm, 6 us
  python3 examples/weld/make.py --paper weld_paper.inp    60 x 22 mm, 0.04 mm, 40 us: 1.9 million degrees of freedom

Plane strain; 5 MHz, 5 cycles, Hann window, time step 1 ns, force at 45 degrees downwards to the right on the probe. Of the text
of the paper are size, frequency, duration and time step; shapes, positions and constants are chosen here: base metal ferritic
steel (E 210 GPa, nu 0.3, 7850 kg/m^3), weld metal 4 % slower. Units: mm, tonne, s, N, MPa."""
import argparse
import math
import pathlib
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import deck  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?", default=str(here / "weld.inp.gz"))
    parser.add_argument("--paper", action="store_true", help="the size of the paper's Table 1")
    parser.add_argument("--h", type=float, help="element length of the small model")
    args = parser.parse_args()
    scale, h, end = (1.0, 0.04, 40e-6) if args.paper else (0.125, args.h or 0.05, 6e-6)
    sections = deck.mesh(here / "weld.geo", scale=scale, h=h)
    force = 1 / math.sqrt(2) / deck.set_size(sections, "probe")
    rest = f"""
*MATERIAL, NAME=steel
*DENSITY
7.85e-9
*ELASTIC
210000., 0.3
*MATERIAL, NAME=weld_metal
*DENSITY
7.85e-9
*ELASTIC
193500., 0.3
*SOLID SECTION, ELSET=base, MATERIAL=steel
1.
*SOLID SECTION, ELSET=weld, MATERIAL=weld_metal
1.
*AMPLITUDE, NAME=toneburst
{deck.toneburst(frequency=5e6, cycles=5)}
*STEP, NAME=inspection
*DYNAMIC, EXPLICIT, DIRECT USER CONTROL
1.e-9, {end:g}
*CLOAD, AMPLITUDE=toneburst
probe, 1, {force:.8g}
probe, 2, {-force:.8g}
*OUTPUT, HISTORY, FREQUENCY=4
*NODE OUTPUT, NSET=rx_probe
U
*NODE OUTPUT, NSET=rx_weld
U
*OUTPUT, FIELD, NUMBER INTERVAL=80
*NODE OUTPUT
U, V
*END STEP
"""
    deck.write(args.output, "weld inspection: 5 MHz toneburst, mm tonne s", sections, 5, rest)


if __name__ == "__main__":
    main()
