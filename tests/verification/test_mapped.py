"""Meshes whose nodes are moved by formulas (mesh: {map: ...})."""
import json
import math

import numpy as np
import pytest

from command import call, run

RING = {"x": "(1 + x) * cos(pi / 2 * y)", "y": "(1 + x) * sin(pi / 2 * y)"}


def heat(mesh, **more):
    return {"mesh": mesh, "physics": "heat", "materials": {"m": {"conductivity": 1}},
            "boundary": [{"set": "left", "temperature": 0}, {"set": "right", "temperature": 1}], "solve": {"heat": {}}, **more}


def square(cells, **more):
    return {"rectangle": {"size": [1, 1], "cells": [cells, cells], **more}}


def ring_error(tmp_path, cells, shape):
    """Of T = log r / log 2 at the nodes of a quarter of a ring, which the unit square became."""
    got = run(tmp_path, heat({"map": {"mesh": square(cells, shape=shape), **RING}}), name=f"{shape}{cells}")
    r = np.linalg.norm(got.coordinates, axis=1)
    assert abs(r.min() - 1) <= 1e-12 and abs(r.max() - 2) <= 1e-12
    return np.abs(got.static[0]["temperature"].ravel() - np.log(r) / math.log(2)).max()


@pytest.mark.parametrize("shape", ["tri", "quad"])
def test_ring_converges(tmp_path, shape):
    """e(h) / e(h / 2) = 4."""
    coarse, fine = ring_error(tmp_path, 8, shape), ring_error(tmp_path, 16, shape)
    assert math.log2(coarse / fine) >= 1.8


def volume(path):
    done = call("check", path, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["quality"]["volume"]


@pytest.mark.parametrize("order, far", [(1, 1e-2), (2, 1e-5), (4, 1e-5)])
def test_raised_elements_are_curved(tmp_path, order, far):
    """The area of the ring, 3 pi / 4: to h^2 by straight sides, h^4 by those of second order."""
    case = heat({"map": {"mesh": square(8), **RING}}, element={"order": order})
    (tmp_path / "case.json").write_text(json.dumps(case))
    error = abs(volume(tmp_path / "case.json") / (3 * math.pi / 4) - 1)
    assert error <= far and (order > 1) == (error < 1e-3)


def test_mesh_files_and_extrusions_are_mapped(tmp_path):
    """A map of a file, of boxes and of layers: each node lies where the formulas say; a coordinate without a formula stays."""
    (tmp_path / "plate.inp").write_text("*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"
                                        "*ELEMENT, TYPE=DC3D8, ELSET=all\n1,1,2,3,4,5,6,7,8\n*NSET, NSET=left\n1,4,5,8\n*NSET, NSET=right\n2,3,6,7\n")
    meshes = ("plate.inp", {"box": {"size": [1, 1, 1], "cells": 1}},
              {"extrude": {"mesh": square(1), "layers": [{"height": 1}]}})
    for k, mesh in enumerate(meshes):
        got = run(tmp_path, heat({"map": {"mesh": mesh, "x": "2 * x + 0.1 * y * z", "z": "z * (1 + x) - 3"}}), name=f"m{k}")
        assert sorted(map(tuple, np.round(got.coordinates, 12).tolist())) == sorted(
            (round(2 * x + .1 * y * z, 12), y, z * (1 + x) - 3.) for x in (0., 1.) for y in (0., 1.) for z in (0., 1.))


@pytest.mark.parametrize("formulas, says", [
    ({"x": "x * (1 - x)"}, "folded: 8 of its 16 elements are reversed"),
    ({"x": "0 * x"}, "has no volume"),
    ({"y": "log(x)"}, "the formula y has no finite value at (0, 0, 0), node 1"),
    ({"z": "x"}, "the mesh is 2D and has no z"),
    ({}, "needs at least one of the formulas"),
    ({"x": "x +"}, "column 4"),
])
def test_maps_that_are_refused(tmp_path, formulas, says):
    done = run(tmp_path, heat({"map": {"mesh": square(4), **formulas}}), code=3)
    assert says in done.stderr, done.stderr


def test_clockwise_maps_are_turned(tmp_path):
    """A mirrored mesh is reversed with its sets: T is still x."""
    got = run(tmp_path, heat({"map": {"mesh": square(3), "x": "1 - x"}}))
    np.testing.assert_allclose(got.static[0]["temperature"].ravel(), 1 - got.coordinates[:, 0], atol=1e-12)
