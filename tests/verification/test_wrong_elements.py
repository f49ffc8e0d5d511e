"""Elements that are given twice, that have two nodes in one place, or that are folded at a corner."""
import json

import numpy as np
import pytest

from command import call

NODES = "*NODE\n1, 0, 0\n2, 1, 0\n3, 1, 1\n4, 0, 1\n5, 2, 0\n6, 2, 1\n"
REST = """*MATERIAL, NAME=M
*DENSITY\n1.\n*ELASTIC\n1., .3
*SOLID SECTION, ELSET=E, MATERIAL=M
*BOUNDARY\n1, 1, 2\n4, 1, 2
*STEP\n*STATIC\n*CLOAD\n2, 1, 1.\n*END STEP
"""
INNER = [[.249, .342, .192], [.826, .288, .288], [.850, .649, .263], [.273, .750, .230],
         [.320, .186, .643], [.677, .305, .683], [.788, .693, .644], [.165, .745, .702]]
OUTER = [[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]
HEXES = [[1, 2, 3, 4, 5, 6, 7, 8], [1, 4, 3, 2, 9, 10, 11, 12], [5, 6, 7, 8, 13, 14, 15, 16], [1, 2, 6, 5, 9, 12, 14, 13],
         [2, 3, 7, 6, 12, 11, 15, 14], [3, 4, 8, 7, 11, 10, 16, 15], [4, 1, 5, 8, 10, 9, 13, 16]]


def check(folder, text, name="m.inp"):
    (folder / name).write_text(text)
    return call("check", folder / name)


@pytest.mark.parametrize("elements, words", [
    ("*ELEMENT, TYPE=CPE4R, ELSET=E\n1, 1, 2, 3, 4\n2, 1, 2, 3, 4\n", "1 elements occur twice (first: element 2 has the nodes of element 1)"),
    ("*ELEMENT, TYPE=CPE4, ELSET=E\n7, 1, 2, 3, 4\n3, 2, 5, 6, 3\n9, 3, 4, 1, 2\n8, 6, 3, 2, 5\n", "2 elements occur twice"),
    ("*ELEMENT, TYPE=CPE3, ELSET=E\n1, 1, 2, 3\n2, 2, 5, 6\n3, 3, 1, 2\n", "element 3 has the nodes of element 1"),
    ("*ELEMENT, TYPE=CPE4, ELSET=E\n1, 1, 2, 3, 4\n*ELEMENT, TYPE=CPE4R, ELSET=E\n2, 2, 3, 4, 1\n", "element 2 has the nodes of element 1")])
def test_elements_given_twice_are_refused(tmp_path, elements, words):
    """Their stiffness and mass would count twice: 3, whatever the order of nodes, the type and the place in the file."""
    done = check(tmp_path, NODES + elements + REST)
    assert done.returncode == 3 and words in done.stderr, done.stderr


def test_straight_element_on_a_curved_one_is_refused(tmp_path):
    """An element of first order has the vertices of one of second order: it lies on it."""
    middles = "7, .5, 0\n8, 1, .5\n9, .5, 1\n10, 0, .5\n"
    done = check(tmp_path, NODES + middles + "*ELEMENT, TYPE=CPE8, ELSET=E\n1, 1, 2, 3, 4, 7, 8, 9, 10\n*ELEMENT, TYPE=CPE4, ELSET=E\n2, 1, 2, 3, 4\n" + REST)
    assert done.returncode == 3 and "occur twice" in done.stderr


def test_elements_of_two_groups_of_gmsh_are_one(tmp_path):
    """MSH 2.2 writes an element once for each of its groups: it is one element in two sets. In one group it is given twice."""
    def mesh(other):
        return ("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n$Elements\n4\n"
                f"1 2 2 1 1 1 2 3\n2 2 2 1 1 1 3 4\n3 2 2 {other} 1 1 2 3\n4 2 2 {other} 1 1 3 4\n$EndElements\n")
    (tmp_path / "m.msh").write_text(mesh(2))
    assert json.loads(call("info", tmp_path / "m.msh", "--json").stdout)["elements"] == 2
    (tmp_path / "m.msh").write_text(mesh(1))
    done = call("info", tmp_path / "m.msh")
    assert done.returncode == 3 and "2 elements occur twice" in done.stderr


def test_blocks_that_lie_on_each_other_are_refused(tmp_path):
    corners = {"a": [0, 0], "b": [1, 0], "c": [1, 1], "d": [0, 1]}
    blocks = {name: {"corners": ["a", "b", "c", "d"], "cells": [2, 2]} for name in ("one", "two")}
    (tmp_path / "c.json").write_text(json.dumps({"mesh": {"blocks": {"points": corners, "blocks": blocks}}, "materials": {"m": {"conductivity": 1}},
                                                 "physics": "heat", "solve": {"heat": {}}}))
    done = call("check", tmp_path / "c.json")
    assert done.returncode == 3, done.stderr


@pytest.mark.parametrize("type, x, pair", [
    ("CPE4", [[0, 0], [1, 0], [1, 1], [1, 1]], (3, 4)),
    ("CPE8", [[0, 0], [1, 0], [1, 1], [0, 1], [.5, 0], [1, .5], [.5, 1], [0, 1]], (4, 8)),
    ("C3D8", [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [1, 1, 1]], (7, 8))])
def test_two_nodes_in_one_place_are_refused(tmp_path, type, x, pair):
    """Nodes of an element that lie in one place were not merged: 3 with their numbers. One corner given twice is meant: a collapsed element."""
    def deck(nodes):
        return ("*NODE\n" + "".join(f"{i + 1}, {', '.join(map(str, p))}\n" for i, p in enumerate(x)) +
                f"*ELEMENT, TYPE={type}, ELSET=E\n1, {', '.join(map(str, nodes))}\n" + REST)
    done = check(tmp_path, deck(range(1, len(x) + 1)))
    assert done.returncode == 3 and f"its nodes {pair[0]} and {pair[1]} lie in one place" in done.stderr, done.stderr
    if type != "CPE8":
        assert "lie in one place" not in check(tmp_path, deck([*range(1, len(x)), len(x) - 1])).stderr


def patch(type, procedure):
    """The patch test of MacNeal and Harder: a cube of seven hexahedra, one of them folded at a corner."""
    held = []
    for i, x in enumerate(OUTER):
        u = 5e-4 * (np.array(x) + sum(x))
        held += [f"{i + 9}, {c + 1}, {c + 1}, {float(u[c])!r}" for c in range(3)]
    return "\n".join([
        "*NODE", *(f"{i + 1}, {x}, {y}, {z}" for i, (x, y, z) in enumerate(INNER + OUTER)),
        f"*ELEMENT, TYPE={type}, ELSET=E", *(f"{i + 1}, {', '.join(map(str, e))}" for i, e in enumerate(HEXES)), "*NSET, NSET=ALL, GENERATE", "1, 16",
        "*MATERIAL, NAME=M", "*DENSITY", "1.", "*ELASTIC", "1.E6, .25", "*SOLID SECTION, ELSET=E, MATERIAL=M", *procedure(held), "*END STEP", ""])


FOLDED = "1 elements are folded at a corner (first: element 4, Jacobian -0.00158 there) but at no integration point"


@pytest.mark.parametrize("type", ["C3D8", "C3D8I"])
def test_patch_of_macneal_and_harder(tmp_path, type):
    """The stress is (2000, 2000, 2000, 400, 400, 400) at every integration point, to 1e-9, and a warning counts the folded corner."""
    deck = patch(type, lambda held: ["*STEP", "*STATIC", "*BOUNDARY", *held, "*EL PRINT, ELSET=E", "S"])
    (tmp_path / "patch.inp").write_text(deck)
    done = call("run", tmp_path / "patch.inp", "--output", tmp_path / "out", "--no-pictures")
    assert done.returncode == 0 and FOLDED in done.stderr, done.stderr
    rows = [line.split() for line in (tmp_path / "out/patch.dat").read_text().splitlines()]
    stress = np.array([[float(v) for v in row[2:8]] for row in rows if len(row) == 8 and row[0].isdigit()])
    assert len(stress) == 56
    assert np.abs(stress - [2000, 2000, 2000, 400, 400, 400]).max() <= 1e-6 * 2000


def test_patch_moves_as_a_whole(tmp_path):
    """The same body in time: with v = (1, 2, 3) everywhere at the start it moves uniformly, to 1e-12, as every nodal mass is positive."""
    (tmp_path / "patch.inp").write_text(patch("C3D8", lambda held: ["*STEP", "*DYNAMIC, EXPLICIT", ", 1.E-3"]).split("*MATERIAL")[0])
    case = {"units": "none", "mesh": "patch.inp", "materials": {"m": {"density": 1, "young": 1e6, "poisson": 0.25}},
            "initial": [{"set": "ALL", "velocity": [1, 2, 3]}], "outputs": {"traces": [{"name": "rx", "set": "ALL", "quantity": "velocity"}]},
            "solve": {"explicit": {"end": 0.01}}}
    (tmp_path / "c.json").write_text(json.dumps(case))
    done = call("run", tmp_path / "c.json", "--output", tmp_path / "out", "--precision", "double", "--no-pictures")
    assert done.returncode == 0 and FOLDED in done.stderr, done.stderr
    import h5py
    with h5py.File(tmp_path / "out/run.h5") as file:
        v = file["traces/rx/velocity"][:]
    assert np.abs(v - np.array([1, 2, 3])[None, :, None]).max() <= 1e-9
    (tmp_path / "c.json").write_text(json.dumps({**case, "element": {"order": 2}}))
    done = call("check", tmp_path / "c.json")
    assert done.returncode == 3 and "in spectral elements these are the nodes, corners included" in done.stderr, done.stderr
