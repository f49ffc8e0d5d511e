"""Sources on sets of nodes of elements of order p act as they do on elements of order 1."""
import json

import numpy as np
import pytest

from command import call, run

MATERIAL = {"m": {"density": 1, "young": 1, "poisson": 0.3}}
PULSE = {"ricker": {"frequency": 0.5, "t0": 1}}
MESHES = {"quad": {"rectangle": {"size": [2, 1], "cells": [4, 2]}}, "hex": {"box": {"size": [2, 1, 1], "cells": [2, 1, 1]}}}
SIDE = {"quad": [[0, y] for y in (0, 0.1, 0.35, 0.77)], "hex": [[0, y, 0.3] for y in (0, 0.1, 0.35, 0.77)]}
# Two squares. `rim` is a set of faces alone, `base` one of nodes.
SQUARES = """*NODE
1, 0, 0\n2, 1, 0\n3, 2, 0\n4, 0, 1\n5, 1, 1\n6, 2, 1
*ELEMENT, TYPE=CPE4
1, 1, 2, 5, 4\n2, 2, 3, 6, 5
*NSET, NSET=base
1, 2, 3
*SURFACE, NAME=rim
1, S1\n2, S1
"""


def waves(mesh, order, at, **more):
    return {"mesh": mesh, "element": {"order": order}, "materials": MATERIAL,
            "outputs": {"traces": [{"name": "rx", "at": at, "quantity": ["displacement", "velocity"]}]},
            "solve": {"explicit": {"end": 3}}, **more}


@pytest.mark.parametrize("shape, order", [("quad", 1), ("quad", 2), ("quad", 5), ("hex", 3)])
@pytest.mark.parametrize("what", ["displacement", "velocity"])
def test_motion_of_a_set_is_that_of_all_its_points(tmp_path, shape, order, what):
    """u(y, t) = u(0, t) along x on a side that is moved along x as a whole, to rounding; across, the side is free."""
    along = [1, 0, 0][:len(SIDE[shape][0])]
    case = waves(MESHES[shape], order, SIDE[shape],
                 sources=[{"set": "left", what: 0.1, "direction": along, "signal": PULSE}])
    u = run(tmp_path, case).traces["rx"][what][:, 0]
    assert np.abs(u).max() > 0.05
    assert np.abs(u - u[0]).max() <= 1e-13


def test_sources_move_as_the_boundary_does(tmp_path):
    """sources: {set, displacement, direction} and boundary: {set, move, direction} are the same condition, bit by bit."""
    motion = {"set": "left", "direction": [1, 2], "signal": PULSE}
    inside = [[1.1, 0.7]]
    one = run(tmp_path, waves(MESHES["quad"], 4, inside, sources=[{**motion, "displacement": 0.1}]))
    two = run(tmp_path, waves(MESHES["quad"], 4, inside, boundary=[{**motion, "move": 0.1}]))
    assert np.array_equal(one.traces["rx"]["displacement"], two.traces["rx"]["displacement"])


@pytest.mark.parametrize("where", ["sources", "boundary"])
def test_delays_of_the_vertices_hold_between_them(tmp_path, where):
    """Delays 0, 0.2, 0.4 of the vertices y = 0, 0.5, 1: u(y, t) = s(t - 0.4 y) at the nodes between them too (order 2: y = 0.25, 0.75)."""
    motion = {"set": "left", "direction": [1, 0], "signal": PULSE, "delay": [0, 0.2, 0.4],
              {"sources": "displacement", "boundary": "move"}[where]: 1}
    got = run(tmp_path, waves(MESHES["quad"], 2, [[0, y] for y in (0, 0.25, 0.5, 0.75, 1)], **{where: [motion]}))
    t = got.time["rx"][1:]
    for k, u in enumerate(got.traces["rx"]["displacement"][:, 0, 1:]):
        a = (np.pi * 0.5 * (t - 0.1 * k - 1)) ** 2
        assert np.abs(u - (1 - 2 * a) * np.exp(-a)).max() <= 1e-12


@pytest.mark.parametrize("name", ["base", "rim"])
@pytest.mark.parametrize("order", [1, 4])
def test_forces_of_a_set_are_those_of_its_vertices(tmp_path, name, order):
    """A force on a set of nodes or of faces = the same force at each of its vertices, whatever the order, to rounding."""
    (tmp_path / "squares.inp").write_text(SQUARES)
    force = {"force": 1, "direction": [1, 2], "signal": PULSE}
    inside = [[1.1, 0.7]]
    got = run(tmp_path, waves("squares.inp", order, inside, sources=[{"set": name, **force}]))
    each = run(tmp_path, waves("squares.inp", order, inside, sources=[{"at": [x, 0], **force} for x in (0, 1, 2)]))
    exact = each.traces["rx"]["displacement"]
    assert np.abs(exact).max() > 0.1
    assert np.abs(got.traces["rx"]["displacement"] - exact).max() <= 1e-12 * np.abs(exact).max()


def test_arrays_of_faces_have_vertices_for_elements(tmp_path):
    """An array on a set of faces of order 4 fires once per vertex: shot k = the same source at vertex k."""
    (tmp_path / "squares.inp").write_text(SQUARES)
    force = {"force": 1, "direction": [1, 2], "signal": PULSE}
    got = run(tmp_path, waves("squares.inp", 4, [[1.1, 0.7]], shots={"array": {"set": "rim", "each": "node", **force}}))
    u = got.traces["rx"]["displacement"]
    assert u.shape[0] == 3
    for k in range(3):
        alone = run(tmp_path, waves("squares.inp", 4, [[1.1, 0.7]], sources=[{"at": [k, 0], **force}]), name="alone")
        assert np.abs(u[k] - alone.traces["rx"]["displacement"]).max() <= 1e-12 * np.abs(u).max()


def test_static_motion_of_prisms(tmp_path):
    """A bar of prisms of order 3 stretched by a source on a set of nodes: u_x = 0.1 x / 2 everywhere."""
    flat = {"rectangle": {"size": [2, 1], "cells": [2, 1], "shape": "tri"}}
    case = {"mesh": {"extrude": {"mesh": flat, "layers": [{"height": 1}]}}, "element": {"order": 3},
            "materials": {"m": {"young": 1, "poisson": 0}}, "boundary": [{"set": "left", "fix": ["x", "y", "z"]}],
            "sources": [{"set": "right", "displacement": 0.1, "direction": [1, 0, 0]}], "solve": {"static": {}}}
    got = run(tmp_path, case)
    assert np.abs(got.static[0]["displacement"][:, 0] - 0.05 * got.coordinates[:, 0]).max() <= 1e-12


def test_the_vertices_that_a_force_acts_on_are_counted(tmp_path):
    """A note says on how many vertices a force acts where elements were raised, and none is there where they were not."""
    (tmp_path / "squares.inp").write_text(SQUARES)
    source = {"set": "rim", "force": 1, "direction": [1, 0], "signal": PULSE}
    for order, said in ((1, False), (4, True)):
        path = tmp_path / "case.json"
        path.write_text(json.dumps(waves("squares.inp", order, [[1.1, 0.7]], sources=[source])))
        assert ("each of the 3 vertices of set \"rim\"" in call("check", path).stderr) is said
