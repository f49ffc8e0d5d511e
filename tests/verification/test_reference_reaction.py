"""The force that holds a node which leads others by equations stands there: F_h = sum of weight times K u - f of what follows it."""
import json
import os
import subprocess

import h5py
import numpy as np
import pytest

NODES = "".join(f"{n}, {x}., {y}., {z}.\n" for n, (x, y, z) in enumerate(
    [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)], 1))
DECK = f"""\
*NODE, NSET=ALL
{NODES}99, 5., 5., 5.
*ELEMENT, TYPE=SHAPE, ELSET=BODY
1, 1, 2, 3, 4, 5, 6, 7, 8
*MATERIAL, NAME=M
*ELASTIC
1000., 0.3
*CONDUCTIVITY
2.
*SOLID SECTION, ELSET=BODY, MATERIAL=M
EQUATIONS*STEP
PROCEDURE
*BOUNDARY
BOUNDS
*NODE PRINT, NSET=ALL
RF
*END STEP
"""
REF = 8  # row of node 99


def solve(tmp_path, equations, bounds, shape="C3D8", procedure="*STATIC", loads=""):
    text = DECK.replace("SHAPE", shape).replace("PROCEDURE", procedure).replace("BOUNDS", bounds + loads)
    text = text.replace("EQUATIONS", "".join(f"*EQUATION\n{len(e.split(',')) // 3}\n{e}\n" for e in equations))
    if procedure != "*STATIC":
        text = text.replace("RF\n", "RFL\n")
    (tmp_path / "m.inp").write_text(text)
    done = subprocess.run([os.environ["HOOKE"], "run", "m.inp", "-q", "--force", "--no-pictures"], cwd=tmp_path,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with h5py.File(tmp_path / "m.hooke/run.h5") as file:
        assert list(file["static/node"]) == [1, 2, 3, 4, 5, 6, 7, 8, 99]
        return file["static/0001/reaction"][:], (tmp_path / "m.hooke/m.dat").read_text()


BASE = "1, 1, 3\n2, 1, 3\n3, 1, 3\n4, 1, 3\n"


@pytest.mark.parametrize("weight", [1., 2.])
def test_total_of_what_follows_stands_at_the_reference_node(tmp_path, weight):
    """u_n = weight u_99: as if n were moved itself; F_99 = weight times the sum of their reactions, and theirs are passed on."""
    top = (5, 6, 7, 8)
    moved, _ = solve(tmp_path, [], BASE + "".join(f"{n}, 3, 3, {.1 * weight}\n" for n in top))
    led, printed = solve(tmp_path, [f"{n}, 3, 1., 99, 3, {-weight}" for n in top], BASE + "99, 3, 3, .1")
    assert led[REF, 2] == pytest.approx(weight * moved[4:8, 2].sum(), rel=1e-9) and led[REF, 2] > 1
    assert np.abs(led[4:8]).max() <= 1e-9 * led[REF, 2]
    assert led[:4] == pytest.approx(moved[:4], rel=1e-9, abs=1e-9)
    last = [line.split() for line in printed.splitlines() if line.split()[:1] == ["99"]][-1]
    assert float(last[3]) == pytest.approx(led[REF, 2], rel=1e-5)


def test_a_held_node_of_an_element_leads_too(tmp_path):
    """Nodes 6, 7, 8 follow node 5, which is moved: its reaction is its own and theirs."""
    moved, _ = solve(tmp_path, [], BASE + "".join(f"{n}, 3, 3, .1\n" for n in (5, 6, 7, 8)))
    led, _ = solve(tmp_path, [f"{n}, 3, 1., 5, 3, -1." for n in (6, 7, 8)], BASE + "5, 3, 3, .1")
    assert led[4, 2] == pytest.approx(moved[4:8, 2].sum(), rel=1e-9)
    assert led.sum(axis=0) == pytest.approx([0, 0, 0], abs=1e-9)


def test_a_chain_leads_through_others(tmp_path):
    """8 follows 7, 7 follows 6, 6 follows 99 by half."""
    moved, _ = solve(tmp_path, [], BASE + "".join(f"{n}, 3, 3, .1\n" for n in (6, 7, 8)))
    chain = ["8, 3, 1., 7, 3, -1.", "7, 3, 1., 6, 3, -1.", "6, 3, 1., 99, 3, -.5"]
    led, _ = solve(tmp_path, chain, BASE + "99, 3, 3, .2")
    assert led[REF, 2] == pytest.approx(.5 * moved[5:8, 2].sum(), rel=1e-9)


def test_heat_of_a_reference_node(tmp_path):
    """Steady heat through a unit cube, k = 2, from 0 to 10 degrees: 20 in all."""
    led, _ = solve(tmp_path, [f"{n}, 11, 1., 99, 11, -1." for n in (5, 6, 7, 8)],
                   "1, 11, 11\n2, 11, 11\n3, 11, 11\n4, 11, 11\n99, 11, 11, 10.", "DC3D8",
                   "*HEAT TRANSFER, STEADY STATE")
    assert led[REF] == pytest.approx(20, rel=1e-9) and led.sum() == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize("load, moved", [(7., .1), (-3., 0.), (7., None)])
def test_a_force_on_the_reference_node_is_not_its_reaction(tmp_path, load, moved):
    """F_99 = sum of (K u - f) of what follows - the force on 99; sums of loads and reactions balance. Left free, the force moves what follows."""
    equations = [f"{n}, 3, 1., 99, 3, -1." for n in (5, 6, 7, 8)]
    hold = "" if moved is None else f"99, 3, 3, {moved}"
    bare, bare_print = solve(tmp_path, equations, (BASE + hold).strip())
    loaded, printed = solve(tmp_path, equations, (BASE + hold).strip(), loads=f"\n*CLOAD\n99, 3, {load}\n5, 3, 2.")
    step, = json.loads((tmp_path / "m.hooke/run.json").read_text())["steps"]
    assert step["load"] == pytest.approx([0, 0, load + 2], abs=1e-9)
    assert np.add(step["load"], step["reaction"]) == pytest.approx([0, 0, 0], abs=1e-9)
    assert loaded.sum(axis=0) == pytest.approx([0, 0, -load - 2], abs=1e-9)
    if moved is None:
        assert loaded[REF, 2] == 0
        return
    assert loaded[REF, 2] == pytest.approx(bare[REF, 2] - load - 2, rel=1e-9)
    last = [line.split() for line in printed.splitlines() if line.split()[:1] == ["99"]][-1]
    assert float(last[3]) == pytest.approx(loaded[REF, 2] + load, rel=1e-5, abs=1e-9)


def test_heat_put_into_a_held_reference_node(tmp_path):
    led, _ = solve(tmp_path, [f"{n}, 11, 1., 99, 11, -1." for n in (5, 6, 7, 8)],
                   "1, 11, 11\n2, 11, 11\n3, 11, 11\n4, 11, 11\n99, 11, 11, 10.", "DC3D8",
                   "*HEAT TRANSFER, STEADY STATE", "\n*CFLUX\n99, 11, 4.")
    assert led[REF] == pytest.approx(16, rel=1e-9) and led.sum() == pytest.approx(-4, rel=1e-8)
