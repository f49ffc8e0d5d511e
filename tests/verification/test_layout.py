"""NAME.dat line by line as CalculiX writes it: the same lines in the same order, letter by letter but for the digits of
numbers, which agree to rounding."""
import re
import shutil
import subprocess

import numpy as np
import pytest

from command import run

NUMBER = re.compile(r"[ -]\d\.\d{6}E[+-]\d\d")
NODES = """*NODE, NSET=NALL
 1, 0, 0, 0
 2, 1, 0, 0
 3, 1, 1, 0
 4, 0, 1, 0
 5, 0, 0, 1
 6, 1, 0, 1
 7, 1, 1, 1
 8, 0, 1, 1
 9, 2, 0, 0
10, 2, 1, 0
11, 2, 0, 1
12, 2, 1, 1
16, 3, 1, 1
15, 3, 0, 1
14, 3, 1, 0
13, 3, 0, 0
*ELEMENT, TYPE=C3D8, ELSET=EALL
11, 1, 2, 3, 4, 5, 6, 7, 8
*ELEMENT, TYPE=C3D6, ELSET=EALL
2, 2, 9, 10, 6, 11, 12
3, 2, 10, 3, 6, 12, 7
*ELEMENT, TYPE=C3D8, ELSET=EALL
4, 9, 13, 14, 10, 11, 15, 16, 12
*NSET, NSET=FIX
1, 4, 5, 8
*NSET, NSET=TIP
16, 13, 15
*NSET, NSET=TIP
14
*NSET, NSET=TWICE
16, 13, 16, 2
*NSET, NSET=SETS
6, TWICE, FIX
*NSET, NSET=RANGE, GENERATE
9, 16
2, 8, 3
*ELSET, ELSET=ORDER
4, 11, 2
*ELSET, ELSET=BOTH
3, ORDER, 3
"""
SET = """*NODE PRINT, NSET={0}{1}
{2}
"""
STEEL = """*ORIENTATION, NAME=ore
1., 1., 0., -1., 1., 0.
*MATERIAL, NAME=S
*ELASTIC
210000., .3
*CONDUCTIVITY
50.
*SOLID SECTION, ELSET=EALL, MATERIAL=S, ORIENTATION=ore
"""
STEP = """*STEP
*STATIC
*BOUNDARY
FIX, 1, 3
*CLOAD
13, 1, 10.
16, 3, 5.
"""


def static():
    """Sets in the order given, listed again, of sets, by ranges; local axes of nodes and elements; totals; two steps."""
    prints = "".join(SET.format(name, more, what) for name in ("NALL", "TIP", "TWICE", "SETS", "RANGE") for more, what in
                     ((", GLOBAL=NO", "U"), (", GLOBAL=YES", "U, RF"), (", TOTALS=YES", "RF"), (", TOTALS=ONLY", "RF")))
    prints += "".join(f"*EL PRINT, ELSET={name}{more}\n{what}\n" for name in ("EALL", "ORDER", "BOTH") for more, what in
                      (("", "S"), (", GLOBAL=YES", "S, E"), (", GLOBAL=NO", "E")))
    return (NODES + STEEL + "*TRANSFORM, NSET=TIP, TYPE=R\n1., 1., 0., -1., 1., 0.\n" + STEP + prints + "*END STEP\n"
            "*STEP\n*STATIC\n1., 2.5\n*CLOAD\n13, 1, -3.\n*END STEP\n")


def heat():
    """Temperatures, heat and its flux of the same sets, fluxes along global and local axes."""
    prints = "".join(SET.format(name, more, what) for name in ("NALL", "SETS", "RANGE") for more, what in
                     (("", "NT, RFL"), (", TOTALS=YES", "RFL"), (", TOTALS=ONLY", "RFL")))
    prints += "".join(f"*EL PRINT, ELSET={name}{more}\nHFL\n" for name in ("EALL", "ORDER", "BOTH") for more in
                      ("", ", GLOBAL=YES", ", GLOBAL=NO"))
    return (NODES + STEEL + "*STEP\n*HEAT TRANSFER, STEADY STATE\n*BOUNDARY\nFIX, 11, 11, 20.\n*DFLUX\n4, S4, 7.\n"
            "11, BF, 2.\n" + prints + "*END STEP\n")


def mixed():
    """Tables of nodes and elements in turn, quantities in any order and again, requests that hold on beside new ones."""
    def step(load, prints):
        return f"*STEP\n*STATIC\n*CLOAD\n13, 1, {load}\n{prints}*END STEP\n"

    def element(name, what, more=""):
        return f"*EL PRINT, ELSET={name}{more}\n{what}\n"

    first = (SET.format("TIP", "", "U") + element("ORDER", "E, S") + SET.format("FIX", ", TOTALS=YES", "RF, U, RF")
             + element("EALL", "ME\nS") + SET.format("SETS", ", TOTALS=ONLY", "RF"))
    return (NODES + STEEL + STEP + first + "*END STEP\n"
            + step(2., SET.format("TWICE", "", "U")) + step(3., element("BOTH", "S, S"))
            + step(4., SET.format("TIP", ", FREQUENCY=0", "U")) + step(5., "")
            + step(6., element("EALL", "E", ", FREQUENCY=2") + SET.format("FIX", ", TOTALS=ONLY, FREQUENCY=3", "RF")))


def calculix(folder, deck):
    folder.mkdir()
    (folder / "peer.inp").write_text(deck)
    done = subprocess.run(["ccx", "-i", "peer"], cwd=folder, capture_output=True, text=True, timeout=3000)
    assert "Job finished" in done.stdout, done.stdout[-2000:]
    return (folder / "peer.dat").read_text()


def blocks(text):
    """The lines of each block that begins with a blank line and a heading."""
    found = [[]]
    for line in text.splitlines():
        if line[:1] == " " and line[1:2].isalpha():
            found.append([])
        found[-1].append(line)
    return found


@pytest.mark.parametrize("deck", [static, heat, mixed])
def test_every_line_is_calculix_s(tmp_path, deck):
    """lines with their numbers taken out are equal; numbers agree to 3e-6 of the largest of their block"""
    if not shutil.which("ccx"):
        pytest.skip("ccx is not installed: NAME.dat was NOT compared with CalculiX's (apt-get install calculix-ccx)")
    peer = blocks(calculix(tmp_path / "ccx", deck()))
    ours = blocks((run(tmp_path, deck(), "--no-pictures").folder / "model.dat").read_text())
    assert len(peer) == len(ours) > 19
    assert ours[0] == peer[0] == [""]
    for a, b in zip(ours[1:], peer[1:]):
        assert [NUMBER.sub("#", line) for line in a] == [NUMBER.sub("#", line) for line in b]
        got, wanted = (np.array([float(v) for line in x for v in NUMBER.findall(line)]) for x in (a, b))
        # what cancels is rounding: of forces, beside the loads of 10
        assert np.abs(got - wanted).max() <= 3e-6 * np.abs(wanted).max() + 1e-9, b[0]


def test_numbers_are_looked_for():
    """the comparison sees another digit, another order and a missing mark"""
    text = "\n displacements (vx,vy,vz) for set A and time  0.1000000E+01\n\n         1  1.000000E+00 -2.000000E+00  0.000000E+00 L\n"
    assert len(blocks(text)) == 2 and len(NUMBER.findall(text)) == 3
    assert NUMBER.sub("#", blocks(text)[1][2]) == "         1 # # # L"
