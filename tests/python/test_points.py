"""Receivers and elements of arrays on lines, arcs, circles and grids, against numpy."""
import hooke
import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::hooke.HookeWarning")
CASE = {"units": "none", "materials": {"m": {"density": 1, "young": 1, "poisson": 0.3}}, "solve": {"explicit": {"end": 0.1}}}
PLANE = {"rectangle": {"size": [4, 4], "cells": [12, 12]}}
SPACE = {"box": {"size": [4, 4, 4], "cells": [5, 5, 5]}}


def case(at, dim=2):
    source = {"at": [1.9] * dim, "force": 1, "direction": [1, 0, 0][:dim], "signal": {"ricker": {"frequency": 2}}}
    return CASE | {"mesh": PLANE if dim == 2 else SPACE, "sources": [source], "outputs": {"traces": [{"name": "a", "at": at}]}}


def places(at, tmp_path, dim=2):
    return hooke.run(case(at, dim), output=tmp_path / "out", force=True, pictures=False).traces["a"].coordinates


def refused(at, dim=2, **more):
    with pytest.raises(hooke.BadInput) as caught:
        hooke.check(case(at, dim) | more)
    return str(caught.value)


def test_line(tmp_path):
    assert places({"line": {"from": [1, 4], "to": [3, 2], "count": 9}}, tmp_path) == pytest.approx(np.linspace([1, 4], [3, 2], 9))
    assert places({"line": {"from": [0, 1, 2], "to": [4, 4, 0], "count": 2}}, tmp_path, 3) == pytest.approx(np.array([[0, 1, 2], [4, 4, 0]]))


@pytest.mark.parametrize("first, middle, last", [(0.3, 1.1, 2.5), (2.5, 1.1, 0.3), (-0.4, 2, 4.2), (4.2, 2, -0.4), (1, 1.0001, 1.1)])
def test_arc(first, middle, last, tmp_path):
    angles = np.linspace(first, last, 7)
    for dim, u, v in ((2, [1, 0], [0, 1]), (3, np.array([2, 1, -1]) / 6**.5, np.array([0, 1, 1]) / 2**.5)):
        def at(angle):
            return np.full(dim, 2.0) + 1.5 * (np.multiply.outer(np.cos(angle), u) + np.multiply.outer(np.sin(angle), v))
        given = {"from": at(first).tolist(), "through": at(middle).tolist(), "to": at(last).tolist(), "count": 7}
        assert places({"arc": given}, tmp_path, dim) == pytest.approx(at(angles), abs=1e-9)


def test_circle(tmp_path):
    angles = np.arange(8) * np.pi / 4
    ring = 2 + 1.2 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    assert places({"circle": {"center": [2, 2], "radius": 1.2, "count": 8}}, tmp_path) == pytest.approx(ring)
    turned = places({"circle": {"center": [2, 2], "radius": 1.2, "toward": [2, 3], "count": 8}}, tmp_path)
    assert turned == pytest.approx(np.roll(ring, -2, axis=0))
    back = places({"circle": {"center": [2, 2], "radius": 1.2, "normal": [0, 0, -3], "count": 8}}, tmp_path)
    assert back == pytest.approx(np.roll(ring[::-1], 1, axis=0))
    space = places({"circle": {"center": [2, 2, 2], "radius": 1, "normal": [1, 2, 2], "toward": [4, 2, 2], "count": 5}}, tmp_path, 3) - 2
    assert np.linalg.norm(space, axis=1) == pytest.approx(np.ones(5)) and space @ [1, 2, 2] == pytest.approx(np.zeros(5), abs=1e-12)
    start = np.array([1, 0, 0]) - np.array([1, 2, 2]) / 9
    assert space[0] == pytest.approx(start / np.linalg.norm(start)) and np.cross(space[0], space[1]) @ [1, 2, 2] > 0
    assert [a @ b for a, b in zip(space, np.roll(space, 1, axis=0))] == pytest.approx([np.cos(2 * np.pi / 5)] * 5)


def test_grid(tmp_path):
    x, y, z = np.linspace(1, 3, 3), np.linspace(4, 2, 2), np.linspace(0, 3, 4)
    assert places({"grid": {"from": [1, 4], "to": [3, 2], "count": [3, 2]}}, tmp_path) == pytest.approx(np.array([[a, b] for b in y for a in x]))
    space = places({"grid": {"from": [1, 4, 0], "to": [3, 2, 3], "count": [3, 2, 4]}}, tmp_path, 3)
    assert space == pytest.approx(np.array([[a, b, c] for c in z for b in y for a in x]))
    assert places({"grid": {"from": [1, 4], "to": [1, 2], "count": [1, 2]}}, tmp_path) == pytest.approx(np.array([[1, 4], [1, 2]]))


def test_an_array_of_shots(tmp_path):
    """Its elements on a line act as those of a list do."""
    signal = {"ricker": {"frequency": 2}}
    array = {"force": 1, "direction": [0, 1], "signal": signal}
    line = case([[2, 3]]) | {"sources": [], "shots": {"array": array | {"at": {"line": {"from": [1, 4], "to": [3, 4], "count": 5}}}}}
    listed = case([[2, 3]]) | {"sources": [], "shots": {"array": array | {"at": [[1, 4], [1.5, 4], [2, 4], [2.5, 4], [3, 4]]}}}
    a, b = (hooke.run(c, set={"solve.explicit.end": 2}, output=tmp_path / name, pictures=False).traces["a"].displacement.values for c, name in ((line, "a"), (listed, "b")))
    assert a.shape[0] == 5 and np.array_equal(a, b) and np.abs(a).max() > 0


def test_what_is_wrong_is_told():
    assert "3 of 5 points lie outside the mesh, the first at [5, 2]" in refused({"line": {"from": [3, 2], "to": [7, 2], "count": 5}})
    assert "lie on a straight line" in refused({"arc": {"from": [1, 1], "through": [2, 2], "to": [3, 3], "count": 5}})
    assert 'circle lacks "normal"' in refused({"circle": {"center": [2, 2, 2], "radius": 1, "count": 5}}, 3)
    assert "the first point of the circle is not known" in refused({"circle": {"center": [2, 2, 2], "radius": 1, "normal": [1, 0, 0], "count": 5}}, 3)
    assert "the first point of the circle is not known" in refused({"circle": {"center": [2, 2], "radius": 1, "toward": [2, 2], "count": 5}})
    assert "from has 3 components: the mesh has 2 dimensions" in refused({"line": {"from": [3, 2, 0], "to": [4, 2], "count": 5}})
    assert "count has 3 components" in refused({"grid": {"from": [3, 2], "to": [4, 2], "count": [2, 2, 2]}})
    assert "at most 1e9 are possible" in refused({"grid": {"from": [3, 2, 1], "to": [4, 2, 2], "count": [10000, 10000, 1000]}}, 3)
    assert "one point along x, and from and to differ there" in refused({"grid": {"from": [1, 4], "to": [3, 2], "count": [1, 2]}})
    assert 'unknown key "cnt"' in refused({"line": {"from": [3, 2], "to": [4, 2], "cnt": 5}})
    assert "normal has no length" in refused({"circle": {"center": [2, 2], "radius": 1, "normal": [0, 0, 0], "count": 5}})
    assert "count is 1: must be from 2" in refused({"line": {"from": [3, 2], "to": [4, 2], "count": 1}})
    large = {"box": {"size": [4, 4, 4], "cells": [400, 400, 400]}}
    assert "lie outside the mesh" in refused({"line": {"from": [3, 2, 1], "to": [7, 2, 1], "count": 5}}, 3, mesh=large), "a draft knows the body"
