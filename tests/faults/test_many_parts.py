"""Hundreds of parts that equations link: what is not held is found from the links alone, in statics and heat, before anything is solved."""
import json

import pytest

from command import hooke

PARTS = 400


def deck(heat, joints, bounds, load):
    """Squares in a row, 1 apart; part p: nodes 4 p + 1 ... 4 p + 4 from its lower left on. `joints`: components in which each follows the last."""
    text = "*NODE\n"
    for p in range(PARTS):
        for k, (x, y) in enumerate([(0, 0), (1, 0), (1, 1), (0, 1)]):
            text += f"{4 * p + k + 1}, {2. * p + x}, {float(y)}\n"
    text += f"*ELEMENT, TYPE={'DC2D4' if heat else 'CPE4'}, ELSET=ALL\n"
    text += "".join(f"{p + 1}, {4 * p + 1}, {4 * p + 2}, {4 * p + 3}, {4 * p + 4}\n" for p in range(PARTS))
    text += "*MATERIAL, NAME=M\n" + ("*CONDUCTIVITY\n2.\n" if heat else "*ELASTIC\n1000., 0.3\n*DENSITY\n1.\n")
    text += "*SOLID SECTION, ELSET=ALL, MATERIAL=M\n"
    for p in range(1, PARTS):
        for left, right, c in joints:
            text += f"*EQUATION\n2\n{4 * p + left}, {c}, 1., {4 * p - 4 + right}, {c}, -1.\n"
    procedure = "*HEAT TRANSFER, STEADY STATE" if heat else "*STATIC"
    return text + f"*STEP\n{procedure}\n{bounds}{load}*END STEP\n"


def run(tmp_path, text):
    (tmp_path / "m.inp").write_text(text)
    return hooke("run", tmp_path / "m.inp", "-q", "--force", "--no-pictures", cwd=tmp_path)


WELDED = [(1, 2, 1), (1, 2, 2), (4, 3, 1)]
SOURCE = "*CFLUX\n1, 11, 1.\n1600, 11, -1.\n"
GRAVITY = "*DLOAD\nALL, GRAV, 1., 0., -1.\n"


@pytest.mark.parametrize("bounds, modes", [("", 3), ("*BOUNDARY\n1, 1, 2\n", 1), ("*BOUNDARY\n1, 1, 2\n2, 2, 2\n", 0)])
def test_a_chain_of_welded_parts(tmp_path, bounds, modes):
    done = run(tmp_path, deck(False, WELDED, bounds, GRAVITY))
    assert done.returncode == (3 if modes else 0), done.stderr
    assert not modes or f"{modes} rigid-body modes" in done.stderr


def test_a_chain_of_hinges(tmp_path):
    """Each part turns about its joint: 400 motions, 2 of the first held."""
    done = run(tmp_path, deck(False, WELDED[:2], "*BOUNDARY\n1, 1, 2\n", GRAVITY))
    assert done.returncode == 3 and "400 rigid-body modes" in done.stderr, done.stderr


@pytest.mark.parametrize("bounds", ["", "*BOUNDARY\n800, 11, 11, 5.\n", "*FILM\n7, F1, 20., 3.\n"])
def test_a_chain_of_temperatures(tmp_path, bounds):
    done = run(tmp_path, deck(True, [(1, 2, 11), (4, 3, 11)], bounds, SOURCE))
    assert done.returncode == (0 if bounds else 3), done.stderr
    assert bounds or "1 temperature is not held" in done.stderr
    if bounds:
        step, = json.load(open(tmp_path / "m.hooke/run.json"))["steps"]
        assert step["estimated_error"] <= 1e-6
