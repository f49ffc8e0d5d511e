"""`order: arc` of traces: receivers at the nodes of a set along the curve that they form, whatever the numbering of the mesh."""
import hooke
import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::hooke.HookeWarning")
HILL = {"map": {"mesh": {"rectangle": {"size": [4, 2], "cells": [12, 6], "shuffle": 7}}, "y": "y * (1 + 0.2 * sin(2 * x))"}}
S = 0.5**0.5
RING = {"map": {"mesh": {"blocks": {"points": {"a": [1, 0], "b": [0, 1], "c": [-1, 0], "d": [0, -1], "e": [2, 0], "f": [0, 2], "g": [-2, 0], "h": [0, -2]},
                                    "edges": [{"ends": list(ends), "arc": [r * x, r * y]} for r, names in ((1, "abcd"), (2, "efgh"))
                                              for ends, x, y in ((names[0] + names[1], S, S), (names[1] + names[2], -S, S), (names[2] + names[3], -S, -S), (names[3] + names[0], S, -S))],
                                    "blocks": [{"name": "r", "corners": list(c), "cells": [2, 5]} for c in ("aefb", "bfgc", "cghd", "dhea")],
                                    "sides": {"bore": [["a", "b"], ["b", "c"], ["c", "d"], ["d", "a"]]}}}, "x": "1.0 * x"}}


def case(mesh, trace, **more):
    return {"units": "none", "mesh": mesh, "materials": {"m": {"density": 1, "young": 1, "poisson": 0.3}}, "solve": {"explicit": {"end": 0.05}},
            "outputs": {"traces": [{"name": "a", "order": "arc"} | trace]}} | more


def receivers(folder, mesh, trace, **more):
    return hooke.run(case(mesh, trace, **more), output=folder / "run", force=True, pictures=False).traces["a"].coordinates


def refused(mesh, trace, **more):
    with pytest.raises(hooke.BadInput) as caught:
        hooke.check(case(mesh, trace, **more))
    return str(caught.value)


@pytest.mark.parametrize("shape", ["quad", "tri"])
@pytest.mark.parametrize("order", [1, 2, 4])
def test_topography_from_left_to_right(order, shape, tmp_path):
    """A hill's nodes ascend in x, between vertices too, and from the right with `from`."""
    if shape == "tri" and order == 4:
        pytest.skip("triangles have order 2 at most")
    mesh = {"map": HILL["map"] | {"mesh": {"rectangle": HILL["map"]["mesh"]["rectangle"] | {"shape": shape}}}}
    more = {"element": {"order": order}, "sets": {"f": {"what": "faces", "of": "top"}, "n": {"of": "top"}}}
    for name, count in (("top", None), ("f", 12 * order + 1), ("n", 13)):
        x = receivers(tmp_path, mesh, {"set": name}, **more)
        assert len(x) == count or name == "top"
        assert (np.diff(x[:, 0]) > 0).all() and x[0, 0] == 0 and x[-1, 0] == 4
        assert receivers(tmp_path, mesh, {"set": name, "from": [5, 1]}, **more) == pytest.approx(x[::-1])


def test_inside_a_body_along_edges_of_elements(tmp_path):
    mesh = {"rectangle": {"size": [4, 2], "cells": [8, 4], "shape": "tri", "shuffle": 3}}
    sets = {"level": {"line": {"from": [0, 1], "to": [4, 1]}}, "slope": {"line": {"from": [0, 0], "to": [2, 2]}}, "one": {"near": [[1, 1]]}}
    assert receivers(tmp_path, mesh, {"set": "level"}, sets=sets) == pytest.approx(np.column_stack([np.arange(9) / 2, np.ones(9)]))
    assert receivers(tmp_path, mesh, {"set": "slope", "from": [2, 2]}, sets=sets) == pytest.approx(np.column_stack([np.arange(5)[::-1] / 2] * 2))
    assert len(receivers(tmp_path, mesh, {"set": "one"}, sets=sets)) == 1


@pytest.mark.parametrize("order", [1, 3])
def test_round_a_hole_counter_clockwise(order, tmp_path):
    """A closed curve begins at the smallest x, where the point is given at the node nearest to it."""
    sets = {"n": {"sphere": {"center": [0, 0], "radius": 1.01}}, "f": {"what": "faces", "of": "bore"}}
    for name, count in (("bore", 20), ("n", 20), ("f", 20 * order)):
        for start, first in ((None, np.pi), ([0, -3], 1.5 * np.pi)):
            x = receivers(tmp_path, RING, {"set": name} | ({"from": start} if start else {}), sets=sets, element={"order": order})
            angle = np.unwrap(np.arctan2(x[:, 1], x[:, 0]))
            assert len(x) == count and np.mod(angle[0], 2 * np.pi) == pytest.approx(first)
            assert (np.diff(angle) > 0).all() and angle[-1] - angle[0] < 2 * np.pi


def test_round_a_body_of_triangles_along_its_surface(tmp_path):
    """Where a triangle has all its nodes on the surface its inner edge is none of the curve."""
    mesh = {"rectangle": {"size": [2, 1], "cells": [4, 2], "shape": "tri"}}
    around = {"around": {"what": "faces"}}
    sets = around | {"n": {"of": "around"}}
    x = receivers(tmp_path, mesh, {"set": "n"}, sets=sets)
    assert len(x) == 12 and x[0].tolist() == [0, 0] and x[1].tolist() == [0.5, 0] and x[-1].tolist() == [0, 0.5]
    assert np.linalg.norm(x - np.roll(x, 1, axis=0), axis=1) == pytest.approx(0.5)


@pytest.mark.parametrize("shape, order", [("hex", 1), ("tet", 1), ("tet", 2), ("hex", 3)])
def test_an_edge_of_a_body(shape, order, tmp_path):
    mesh = {"box": {"size": [1, 2, 1], "cells": [2, 5, 2], "shape": shape, "shuffle": 5}}
    edge = {"edge": {"line": {"from": [1, 0, 1], "to": [1, 2, 1]}}, "ring": {"what": "nodes", "of": "bottom", "plane": {"point": [0, 0, 0], "normal": [0, 1, 0]}}}
    x = receivers(tmp_path, mesh, {"set": "edge"}, sets=edge, element={"order": order})
    assert x == pytest.approx(np.column_stack([np.ones(6), np.arange(6) * 0.4, np.ones(6)]))
    assert receivers(tmp_path, mesh, {"set": "edge", "from": [0, 9, 0]}, sets=edge, element={"order": order}) == pytest.approx(x[::-1])
    told = refused(mesh, {"set": "ring"}, sets=edge)
    assert "model:" in told and "has more than two neighbours in the set: give another set" in told


def test_traces_are_those_of_the_same_nodes(tmp_path):
    """The signal of each receiver is that of its node in a trace by number, in any run."""
    case_ = case({"rectangle": {"size": [4, 2], "cells": [12, 6], "shuffle": 7}}, {"set": "top"},
                 sources=[{"at": [1, 1], "force": 1, "direction": [1, 2], "signal": {"ricker": {"frequency": 1}}}], solve={"explicit": {"end": 3}})
    case_["outputs"]["traces"].append({"name": "b", "set": "top"})
    run = hooke.run(case_, output=tmp_path / "run", pictures=False)
    a, b = run.traces["a"], run.traces["b"]
    place = [b.node.tolist().index(n) for n in a.node]
    assert sorted(place) == list(range(13)) and place != sorted(place)
    assert np.array_equal(a.displacement.values, b.displacement.values[place]) and len({tuple(u.ravel()) for u in a.displacement.values}) == 13


def test_elements_of_an_array_fire_in_this_order(tmp_path):
    """Shot k fires at the k-th node of the curve, with the k-th delay."""
    rest = {"outputs": {"traces": [{"name": "a", "set": "top", "order": "arc"}]}, "solve": {"explicit": {"end": 11}}, "sources": [{"set": "top", "force": 1, "direction": [0, 1], "signal": {"ricker": {"frequency": 1}}, "delay": [2 * k for k in range(5)]}]}
    mesh = {"rectangle": {"size": [2, 1], "cells": [4, 2], "shuffle": 7}}
    for start, x in ((None, [0, 0.5, 1, 1.5, 2]), ([2, 1], [2, 1.5, 1, 0.5, 0])):
        array = {"set": "top", "order": "arc"} | ({"from": start} if start else {})
        run = hooke.run(case(mesh, {}, **rest) | {"shots": {"array": array}}, output=tmp_path / "run", force=True, pictures=False)
        assert run.summary["sources"] == [[v, 1] for v in x]
        u = np.abs(run.traces["a"].displacement.values[:, :, 1])  # [shot, receiver, sample]
        own = [int(2 * v) for v in x]
        first = [np.flatnonzero(u[k, own[k]] > 0.01 * u[k, own[k]].max())[0] for k in range(5)]
        assert (np.diff(first) >= 6).all()
    assert "order is for the nodes of a set" in refused(mesh, {}, shots={"array": {"at": [[1, 1]], "order": "arc", "force": 1, "direction": [1, 0]}}, outputs={})
    assert "has more than two neighbours in the set" in refused(mesh, {}, shots={"array": {"set": "all", "order": "arc", "force": 1, "direction": [1, 0]}}, outputs={})


def test_check_counts_the_receivers():
    flat = {"rectangle": {"size": [2, 1], "cells": [4, 2]}}
    told = hooke.check(case(flat, {"set": "top"}, outputs={"traces": [{"set": "top", "order": "arc"}, {"name": "b", "at": {"grid": {"from": [0, 0], "to": [1, 1], "count": [3, 2]}}}]}))
    assert told["traces"] == [{"trace": "top", "receivers": 5}, {"trace": "b", "receivers": 6}]
    assert hooke.check(case(flat, {"set": "top"}, outputs={"field": {"frames": 1}}))["traces"] == []


def test_what_is_wrong_is_told():
    flat = {"rectangle": {"size": [2, 1], "cells": [4, 2]}}
    sets = {"two": {"box": {"from": [0, 0.9], "to": [0.6, 1]}}, "gap": {"of": "top", "near": [[0, 1], [2, 1]]}, "all of it": {}}
    assert "at [2, 1] is apart from the others" in refused(flat, {"set": "gap"}, sets=sets)
    assert "has more than two neighbours in the set" in refused(flat, {"set": "all of it"}, sets=sets)
    assert "order is for the nodes of a set" in refused(flat, {"at": [[1, 1]]})
    assert "from is for order: arc" in refused(flat, {"set": "top", "order": "number", "from": [0, 0]})
    assert 'unknown word "arcs": did you mean "arc"?' in refused(flat, {"set": "top", "order": "arcs"})
    assert "from has 3 components: the mesh has 2 dimensions" in refused(flat, {"set": "top", "from": [0, 0, 0]})
