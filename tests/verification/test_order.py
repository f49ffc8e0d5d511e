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


TWO_WEDGES = """*NODE
1, 0, 0, 0\n2, 1, 0, 0\n3, 1, 1, 0\n4, 0, 1, 0\n5, 0, 0, 1\n6, 1, 0, 1\n7, 1, 1, 1\n8, 0, 1, 1
*ELEMENT, TYPE=C3D6
1, 2, 3, 1, 6, 7, 5
2, 8, 7, 5, 4, 3, 1
*NSET, NSET=below
1, 2, 3, 4
*NSET, NSET=above
5, 6, 7, 8
*SURFACE, NAME=skin
1, S1\n1, S2\n2, S1\n2, S2
"""


def stored(tmp_path, what):
    with h5py.File(tmp_path / "case.hooke/run.h5") as file:
        return file["/static/coordinates"][:], file[f"/static/0001/{what}"][:]


@pytest.mark.parametrize("order", [1, 3, 4])
def test_conditions_on_faces_hold_nothing_between_them(tmp_path, order):
    """T'' = -2, T = 0 on both faces of a plate of one layer: T = z (1 - z), though all vertices are on the faces."""
    (tmp_path / "two.inp").write_text(TWO_WEDGES)
    case = {**heat("two.inp", order), "boundary": [{"set": "skin", "temperature": 0}], "sources": [{"heat": 2}]}
    done = run(tmp_path, case)
    assert done.returncode == 0, done.stderr
    x, t = stored(tmp_path, "temperature")
    assert np.abs(t.ravel() - (order > 1) * x[:, 2] * (1 - x[:, 2])).max() <= 1e-12


@pytest.mark.parametrize("shape", ["tet", "tri"])
def test_sets_of_nodes_reach_between_vertices_of_simplices(tmp_path, shape):
    """T = y on the side x = 1, at the nodes in the middle of edges too."""
    mesh = {"box": {"to": [1, 1, 1], "cells": [2, 2, 2], "shape": "tet"}} if shape == "tet" else \
        {"rectangle": {"to": [1, 1], "cells": [2, 2], "shape": "tri"}}
    sides = [{"set": "left", "temperature": 0}, {"set": "right", "temperature": {"formula": "y"}}]
    done = run(tmp_path, {**heat(mesh, 2), "boundary": sides})
    assert done.returncode == 0, done.stderr
    x, t = stored(tmp_path, "temperature")
    right = x[:, 0] == 1
    assert right.sum() == (25 if shape == "tet" else 5)
    assert np.abs(t.ravel()[right] - x[right, 1]).max() <= 1e-15


@pytest.mark.parametrize("order", [1, 2, 5])
def test_a_set_of_nodes_is_no_more_than_its_vertices(tmp_path, order):
    """A node alone, though faces of the same name have it: T = 1 elsewhere on the side, up to the next vertex."""
    text = TWO_WEDGES + "*NSET, NSET=corner\n1\n*SURFACE, NAME=corner\n1, S1\n2, S2\n*NSET, NSET=others\n2, 3, 4\n"
    (tmp_path / "two.inp").write_text(text)
    case = {**heat("two.inp", order), "boundary": [{"set": "others", "temperature": 1}, {"set": "corner", "temperature": 0}]}
    done = run(tmp_path, case)
    assert done.returncode == 0, done.stderr
    x, t = stored(tmp_path, "temperature")
    held = np.abs(t.ravel()) <= 1e-14
    assert held.sum() == 1 and not x[held].any()


def periodic(order, sets):
    """Two wedges, turned, whose upper side moves as the lower one but for 0.01 along z, pressed from one side."""
    terms = [{"terms": [{"set": sets[0], "component": c}, {"set": sets[1], "component": c, "factor": -1}], "value": -0.01 * (c == "z")}
             for c in "xyz"]
    return {"mesh": "two.inp", "element": {"order": order}, "materials": {"m": {"young": 1, "poisson": 0.3}}, "equations": terms,
            "boundary": [{"set": "hold", "fix": ["x", "y", "z"]}, {"set": "side", "traction": [0.1, 0.2, 0.3]}], "solve": {"static": {}}}


@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_equations_over_sets_pair_what_lies_between_vertices(tmp_path, order):
    """u(x, y, 1) = u(x, y, 0) + (0, 0, 0.01), at every node."""
    (tmp_path / "two.inp").write_text(TWO_WEDGES + "*NSET, NSET=hold\n1, 4\n*SURFACE, NAME=side\n1, S3\n")
    done = run(tmp_path, periodic(order, ("below", "above")))
    assert done.returncode == 0, done.stderr
    x, u = stored(tmp_path, "displacement")
    low, high = (np.flatnonzero(np.abs(x[:, 2] - z) <= 1e-12) for z in (0, 1))
    low, high = (side[np.lexsort(np.round(x[side, :2], 9).T)] for side in (low, high))
    assert len(low) == (order + 1) ** 2 and np.abs(x[low, :2] - x[high, :2]).max() <= 1e-12
    assert np.abs(u[high] - u[low] - [0, 0, 0.01]).max() <= 1e-12
    assert np.abs(u[low] - u[low].mean(0)).max() >= 1e-2


def test_sets_with_other_edges_make_no_pairs(tmp_path):
    """Below the diagonal goes from 1 to 3, above from 5 to 7; with the vertices of one side renumbered it joins others."""
    text = TWO_WEDGES.replace("5, 0, 0, 1", "5, 9, 9, 9").replace("6, 1, 0, 1", "6, 0, 0, 1").replace("5, 9, 9, 9", "5, 1, 0, 1")
    text = text.replace("1, 2, 3, 1, 6, 7, 5", "1, 2, 3, 1, 5, 7, 6").replace("2, 8, 7, 5, 4, 3, 1", "2, 8, 7, 6, 4, 3, 1")
    (tmp_path / "two.inp").write_text(text + "*NSET, NSET=hold\n1, 4\n*SURFACE, NAME=side\n1, S3\n")
    done = run(tmp_path, periodic(3, ("below", "above")))
    assert done.returncode == 3 and "different edges and faces between their vertices" in done.stderr


@pytest.mark.parametrize("order", [1, 3, 5, 7])
def test_springs_between_triangles_open_evenly(tmp_path, order):
    """Two layers of prisms, E = 10, with springs of 0.8 between, pulled by 1: u = z / E, and 1 / 0.8 more above."""
    nodes = "".join(f"{4 * k + c + 1}, {x}, {y}, {k}\n" for k in range(3) for c, (x, y) in enumerate([(0, 0), (1, 0), (1, 1), (0, 1)]))
    wedges = [[v + 4 * k for v in w] for k in range(2) for w in ([2, 3, 1, 6, 7, 5], [8, 7, 5, 4, 3, 1])]
    elements = "".join(f"{e + 1}, {', '.join(map(str, w))}\n" for e, w in enumerate(wedges))
    (tmp_path / "four.inp").write_text(f"*NODE\n{nodes}*ELEMENT, TYPE=C3D6\n{elements}*SURFACE, NAME=below\n1, S1\n2, S2\n"
                                       "*SURFACE, NAME=middle\n1, S2\n2, S1\n*SURFACE, NAME=above\n3, S2\n4, S1\n")
    case = {"mesh": "four.inp", "element": {"order": order}, "materials": {"m": {"young": 10, "poisson": 0}}, "solve": {"static": {}},
            "crack": {"sets": ["middle"], "springs": {"normal": 0.8, "tangential": 0.3}},
            "boundary": [{"set": "below", "fix": ["x", "y", "z"]}, {"set": "above", "traction": [0, 0, 1]}]}
    done = run(tmp_path, case)
    assert done.returncode == 0, done.stderr
    x, u = stored(tmp_path, "displacement")
    opened = u[:, 2] - x[:, 2] / 10
    assert np.minimum(np.abs(opened), np.abs(opened - 1.25)).max() <= 1e-9 and np.abs(u[:, :2]).max() <= 1e-9
    assert np.abs(opened[x[:, 2] > 1.001] - 1.25).max() <= 1e-9


def test_totals_of_sets_of_nodes_are_those_of_what_is_held(tmp_path):
    """The reaction on a side held by its nodes is minus the load."""
    mesh = {"extrude": {"mesh": {"rectangle": {"to": [1, 1], "cells": [2, 2], "shape": "tri"}}, "layers": [{"height": 1}]}}
    case = {"mesh": mesh, "element": {"order": 4}, "materials": {"m": {"young": 1, "poisson": 0.3}},
            "boundary": [{"set": "left", "fix": ["x", "y", "z"]}, {"set": "right", "traction": [1, 2, 3]}], "solve": {"static": {}},
            "outputs": {"print": [{"set": "left", "quantity": "reaction", "totals": "only"}]}}
    done = run(tmp_path, case)
    assert done.returncode == 0, done.stderr
    total = [float(v) for v in (tmp_path / "case.hooke/case.dat").read_text().split()[-3:]]
    assert np.abs(np.array(total) + [1, 2, 3]).max() <= 1e-6


@pytest.mark.parametrize("change, words", [
    ({"element": {"order": 8}}, "wedges 2 to 7"),
    ({"mesh": {"rectangle": {"to": [1, 1], "cells": [2, 2], "shape": "tri"}}, "element": {"order": 3}}, "triangles and tetrahedra 2"),
    ({"element": {"order": 11}}, "must be from 1 to 10"),
    ({"regions": {"all_of_it": {"conductivity": 1, "order": 2}}}, "others of sets as element: {orders: {SET: 5}}"),
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
