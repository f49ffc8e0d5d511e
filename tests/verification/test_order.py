"""Elements of order p in the command: convergence, sets, what is refused, files."""
import json
import math

import h5py
import numpy as np
import pytest

from command import call

SIDES = ("left", "right", "bottom", "top")


def write(tmp_path, name, case):
    (tmp_path / name).write_text(json.dumps(case))
    return tmp_path / name


def run(tmp_path, case, *words):
    path = write(tmp_path, "case.json", case)
    return call("run", path, "--output", tmp_path / "case.hooke", "--force", "--no-pictures", "-q", *words)


def prisms(cells, layers=1):
    flat = {"rectangle": {"to": [1, 1], "cells": [cells, cells], "shape": "tri"}}
    return {"extrude": {"mesh": flat, "layers": [{"name": "all_of_it", "height": 0.5, "cells": layers}]}}


def heat(mesh, order):
    """T = exp(x) sin(y) all around, which is harmonic."""
    around = [{"set": s, "temperature": {"formula": "exp(x) * sin(y)"}} for s in SIDES]
    return {"mesh": mesh, "element": {"order": order}, "materials": {"m": {"conductivity": 1}}, "physics": "heat",
            "boundary": around, "solve": {"heat": {}}}


def error(tmp_path, case):
    done = run(tmp_path, case)
    assert done.returncode == 0, done.stderr
    with h5py.File(tmp_path / "case.hooke/run.h5") as file:
        t = file["/static/0001/temperature"][:].ravel()
    with h5py.File(tmp_path / "case.hooke/field.vtkhdf") as file:
        x = file["/VTKHDF/Points"][:]
    return math.sqrt(np.mean((t - np.exp(x[:, 0]) * np.sin(x[:, 1])) ** 2))


@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_prisms_converge_with_order_p_plus_1(tmp_path, order):
    """e(h) / e(h / 2) = 2^(p + 1), to half an order."""
    coarse, fine = (error(tmp_path, heat(prisms(n), order)) for n in ((2, 4) if order < 4 else (1, 2)))
    assert math.log2(coarse / fine) >= order + 0.5


@pytest.mark.parametrize("order", [3, 6, 9])
def test_quadrilaterals_converge_in_p(tmp_path, order):
    mesh = {"rectangle": {"to": [1, 1], "cells": [2, 2]}}
    assert error(tmp_path, heat(mesh, order)) <= 10.0 ** -(order + 1)


def test_node_sets_reach_between_their_vertices(tmp_path):
    """A bar held by sets of nodes is stretched evenly: u = x, at every node."""
    case = {"mesh": {"box": {"to": [2, 1, 1], "cells": [2, 1, 1]}}, "element": {"order": 3}, "materials": {"m": {"young": 1, "poisson": 0}},
            "boundary": [{"set": "left", "fix": ["x", "y", "z"]}, {"set": "right", "move": {"x": 2}}], "solve": {"static": {}}}
    case["materials"]["m"]["density"] = 1
    done = run(tmp_path, case)
    assert done.returncode == 0, done.stderr
    with h5py.File(tmp_path / "case.hooke/run.h5") as file:
        u = file["/static/0001/displacement"][:]
        s = file["/static/0001/stress"][:]
    with h5py.File(tmp_path / "case.hooke/field.vtkhdf") as file:
        x = file["/VTKHDF/Points"][:]
        assert set(file["/VTKHDF/Types"][:]) == {72}
    assert np.abs(u[:, 0] - x[:, 0]).max() <= 1e-12 and np.abs(u[:, 1:]).max() <= 1e-12
    assert np.abs(s - [1, 0, 0, 0, 0, 0]).max() <= 1e-10


@pytest.mark.parametrize("change, words", [
    ({"element": {"order": 8}}, "wedges 2 to 7"),
    ({"mesh": {"rectangle": {"to": [1, 1], "cells": [2, 2], "shape": "tri"}}, "element": {"order": 3}}, "triangles and tetrahedra 2"),
    ({"element": {"order": 11}}, "must be from 1 to 10"),
    ({"regions": {"all_of_it": {"conductivity": 1, "order": 2}}}, "orders that differ by region"),
    ({"mesh": {"extrude": {"mesh": {"rectangle": {"to": [1, 1], "cells": [2, 2]}}, "layers": [{"height": 0}]}}}, "must be above 0"),
])
def test_what_has_no_order_is_refused(tmp_path, change, words):
    done = run(tmp_path, {**heat(prisms(1), 2), **change})
    assert done.returncode == 3 and words in done.stderr


def test_export_gives_lagrange_cells(tmp_path):
    assert error(tmp_path, heat(prisms(1), 4)) < 1e-3
    done = call("export", tmp_path / "case.hooke", "--vtu", "--png")
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "case.hooke/export").glob("*.vtu")) and list((tmp_path / "case.hooke/export").glob("*.png"))
    check = call("check", tmp_path / "case.json")
    assert check.returncode == 0, check.stderr
