"""`sets:` of a case: nodes, faces and elements by place, against sets found with numpy."""
import itertools
import json
import re

import hooke
import numpy as np
import pytest

import models

pytestmark = pytest.mark.filterwarnings("ignore::hooke.HookeWarning")
STEEL = {"steel": {"density": 7800, "young": 2e11, "poisson": 0.3}}
EXPLICIT = {"solve": {"explicit": {"end": 1e-6}}}
RECTANGLE = {"rectangle": {"from": [-1, 0], "size": [4, 2], "cells": [32, 16], "jitter": 0.2, "shuffle": 3}}
BOX = {"box": {"size": [2, 1, 1], "cells": [8, 5, 6], "shape": "tet", "jitter": 0.1}}


def made(mesh, sets, **more):
    source = [{"at": [0.4] * (3 if mesh is BOX else 2), "force": 1, "direction": [1, 0, 0][:3 if mesh is BOX else 2], "signal": {"ricker": {"frequency": 1e3}}}]
    return hooke.Model.of_case({"mesh": mesh, "sets": sets, "materials": STEEL, "sources": source} | EXPLICIT | more)


def refused(mesh, sets, **more):
    with pytest.raises(hooke.BadInput) as caught:
        made(mesh, sets, **more).mesh
    return str(caught.value)


def faces_of(mesh, name):
    """The vertices of each face, as sets of nodes."""
    table = {"tri3": [(0, 1), (1, 2), (2, 0)], "quad4": [(0, 1), (1, 2), (2, 3), (3, 0)], "tet4": [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]}
    element, face = mesh.face_sets[name]
    block, = mesh.blocks
    return {frozenset(block.node[e, v] for v in table[block.shape][f]) for e, f in zip(element, face)}


def faces_within(mesh, inside, surface):
    """The same of all faces whose vertices are all inside; of the surface, or of two elements."""
    block, = mesh.blocks
    count = {}
    corners = {"tri3": [(0, 1), (1, 2), (2, 0)], "quad4": [(0, 1), (1, 2), (2, 3), (3, 0)], "tet4": list(itertools.combinations(range(4), 3))}[block.shape]
    for nodes in block.node:
        for c in corners:
            key = frozenset(nodes[list(c)])
            count[key] = count.get(key, 0) + 1
    return {key for key, times in count.items() if (times == 1) == surface and all(inside[n] for n in key)}


def shapes(dim):
    """name, shape, whether points x[n, 3] lie in it."""
    two = dim == 2
    a, b, m = ([0.1, 0.2], [1.7, 1.1], [0.8, 0.7]) if two else ([0.1, 0.2, 0.1], [1.7, 0.9, 0.6], [0.8, 0.5, 0.4])
    flat = [1, 2] if two else [1, 2, -1]

    def along(x):
        u, v = np.subtract(b, a), x - a
        s = v @ u / (u @ u)
        return s, np.linalg.norm(v - s[:, None] * u, axis=1)
    low = [0.1, -0.1, 0.1][:dim]
    return [("box", {"from": low, "to": b}, lambda x: ((x >= low) & (x <= b)).all(axis=1)),
            ("sphere", {"center": m, "radius": 0.6}, lambda x: np.linalg.norm(x - m, axis=1) <= 0.6),
            ("cylinder", {"from": a, "to": b, "radius": 0.5}, lambda x: (along(x)[1] <= 0.5) & (along(x)[0] >= 0) & (along(x)[0] <= 1)),
            ("plane", {"point": m, "normal": flat, "within": 0.3}, lambda x: abs((x - m) @ flat) / np.linalg.norm(flat) <= 0.3),
            ("line", {"from": a, "to": b, "within": 0.25}, lambda x: (along(x)[1] <= 0.25) & (along(x)[0] >= 0) & (along(x)[0] <= 1))]


@pytest.mark.parametrize("mesh", [RECTANGLE, {"rectangle": RECTANGLE["rectangle"] | {"shape": "tri"}}, BOX], ids=["quad", "tri", "tet"])
def test_members_are_those_that_lie_there(mesh):
    dim = 3 if mesh is BOX else 2
    what = ("nodes", "elements", "faces", "inner-faces")
    found = made(mesh, {f"{name} {kind}": {"what": kind, name: shape}
                        for name, shape, _ in shapes(dim) for kind in what if kind != "faces" or name in ("box", "plane")}).mesh
    x, block = found.x, found.blocks[0]
    middle = x[block.node].mean(axis=1)
    for name, _, within in shapes(dim):
        assert set(found.node_sets[f"{name} nodes"]) == set(np.flatnonzero(within(x))), name
        assert set(found.element_sets[f"{name} elements"]) == set(np.flatnonzero(within(middle))), name
        assert faces_of(found, f"{name} inner-faces") == faces_within(found, within(x), False), name
        if f"{name} faces" in found.face_sets:
            assert faces_of(found, f"{name} faces") == faces_within(found, within(x), True), name
    assert len(found.node_sets["line nodes"]) < len(found.node_sets["cylinder nodes"]) < found.node_count / 2


def test_faces_are_of_the_surface_or_of_another_set():
    sets = {"upper": {"what": "faces", "of": "left", "box": {"from": [-1, 0.9], "to": [3, 2]}}, "all around": {"what": "faces"},
            "below it": {"what": "faces", "of": "upper", "box": {"from": [-1, 0], "to": [3, 1.5]}}}
    mesh = made({"rectangle": RECTANGLE["rectangle"] | {"jitter": 0}}, sets).mesh
    y = mesh.x[:, 1]
    assert faces_of(mesh, "upper") == faces_within(mesh, (mesh.x[:, 0] == -1) & (y >= 0.9), True)
    assert faces_of(mesh, "below it") == faces_within(mesh, (mesh.x[:, 0] == -1) & (y >= 0.9) & (y <= 1.5), True) and len(faces_of(mesh, "below it")) == 4
    assert len(faces_of(mesh, "all around")) == 2 * (32 + 16)


def test_elements_are_of_another_set():
    sets = {"low": {"what": "elements", "box": {"from": [-1, 0], "to": [3, 1]}}, "left low": {"what": "elements", "of": "low", "box": {"from": [-1, 0], "to": [1, 2]}}}
    mesh = made(RECTANGLE, sets).mesh
    x, y = mesh.x[mesh.blocks[0].node].mean(axis=1).T
    assert set(mesh.element_sets["left low"]) == set(np.flatnonzero((y <= 1) & (x <= 1))) < set(mesh.element_sets["low"])
    assert 'undefined element set "lwo"' in refused(RECTANGLE, sets | {"left low": {"what": "elements", "of": "lwo"}})


def test_nearest():
    points = [[0.3, 0.4], [9, 9], [0.3, 0.4]]
    mesh = made(RECTANGLE, {"n": {"near": points}, "e": {"what": "elements", "near": points}, "f": {"what": "faces", "near": points}, "top n": {"of": "top", "near": points}}).mesh
    x, block = mesh.x, mesh.blocks[0]

    def least(y):
        return {int(np.linalg.norm(y - p, axis=1).argmin()) for p in points}
    assert set(mesh.node_sets["n"]) == least(x)
    assert set(mesh.element_sets["e"]) == least(x[block.node].mean(axis=1))
    top = mesh.node_sets["top"]
    assert set(mesh.node_sets["top n"]) == {top[k] for k in least(x[top])}
    around = [sorted(face) for face in faces_within(mesh, np.ones(len(x), bool), True)]
    assert faces_of(mesh, "f") == {frozenset(around[k]) for k in least(x[np.array(around)].mean(axis=1))}


def test_several_are_nearest_to_one_point():
    at = [0.3, 0.4]
    near = {"near": {"point": at, "count": 9}}
    mesh = made(RECTANGLE, {"n": near, "e": {"what": "elements"} | near, "f": {"what": "faces"} | near, "top n": {"of": "top"} | near}).mesh
    x, block = mesh.x, mesh.blocks[0]

    def least(y):
        return np.linalg.norm(y - at, axis=1).argsort(kind="stable")[:9]
    assert set(mesh.node_sets["n"]) == set(least(x)) and len(mesh.node_sets["n"]) == 9
    assert set(mesh.element_sets["e"]) == set(least(x[block.node].mean(axis=1)))
    top = mesh.node_sets["top"]
    assert set(mesh.node_sets["top n"]) == set(top[least(x[top])])
    around = [sorted(face) for face in faces_within(mesh, np.ones(len(x), bool), True)]
    assert faces_of(mesh, "f") == {frozenset(around[k]) for k in least(x[np.array(around)].mean(axis=1))}


@pytest.mark.parametrize("ending", ["msh", "inp", "vtu", "vtkhdf"])
def test_meshes_of_files_have_them(ending, tmp_path):
    """The same nodes and elements as of the mesh that was written, with the elements' sets in a material's region."""
    sets = {"low": {"box": {"from": [0.1, -0.1, 0.1], "to": [1.7, 0.9, 0.6]}}, "ball": {"what": "elements", "sphere": {"center": [1, 0.5, 0.5], "radius": 0.4}},
            "pad": {"what": "faces", "box": {"from": [0, 0, 1], "to": [1, 1, 1]}}}
    mesh = made(BOX, {}).mesh
    mesh.write(tmp_path / f"m.{ending}")
    got = made(str(tmp_path / f"m.{ending}"), sets, regions={"ball": "steel", "all": "steel"}, sources=[]).mesh
    x = got.x
    assert x == pytest.approx(mesh.x) and set(got.node_sets["low"]) == set(np.flatnonzero(((x >= [0.1, -0.1, 0.1]) & (x <= [1.7, 0.9, 0.6])).all(axis=1)))
    middle = x[got.blocks[0].node].mean(axis=1)
    assert set(got.element_sets["ball"]) == set(np.flatnonzero(np.linalg.norm(middle - [1, 0.5, 0.5], axis=1) <= 0.4)) and len(got.element_sets["ball"]) > 5
    assert faces_of(got, "pad") == faces_within(got, (x[:, 2] == 1) & (x[:, 0] <= 1), True) and len(faces_of(got, "pad")) == 40


def outside(mesh, shape, what="nodes"):
    """The distance that is told of the nearest one, and where it lies."""
    told = refused(mesh, {"a": {"what": what} | shape})
    found = re.search(r"the nearest, at (\[.*\]), lies (\S+) m outside: check its units", told)
    assert "model:" in told and found, told
    return float(found[2]), json.loads(found[1])


def test_how_far_off_an_empty_set_lies():
    plain = {"rectangle": {"size": [4, 2], "cells": [8, 4]}}
    assert outside(plain, {"box": {"from": [5, 6], "to": [6, 7]}}) == (pytest.approx(17**0.5, rel=1e-3), [4, 2])
    assert outside(plain, {"box": {"from": [0.1, 0.1], "to": [0.2, 0.3]}}) == (pytest.approx(0.02**0.5, rel=1e-3), [0, 0])
    assert outside(plain, {"sphere": {"center": [4.3, 2.4], "radius": 0.1}}) == (pytest.approx(0.4), [4, 2])
    assert outside(plain, {"cylinder": {"from": [1, 3], "to": [2, 3], "radius": 0.25}}) == (pytest.approx(0.75), [1, 2])
    assert outside(plain, {"cylinder": {"from": [4.5, 2.5], "to": [5.5, 2.5], "radius": 0.1}}) == (pytest.approx(0.41**0.5, rel=1e-3), [4, 2])
    assert outside(plain, {"plane": {"point": [0, 1.1], "normal": [0, 3]}})[0] == pytest.approx(0.1, rel=1e-3)
    assert outside(plain, {"line": {"from": [1, 0.6], "to": [3, 0.6], "within": 0.02}}) == (pytest.approx(0.08), [1, 0.5])
    assert outside(plain, {"sphere": {"center": [1.75, 1], "radius": 0.1}}, "elements") == (pytest.approx(0.15), [1.75, 0.75])
    assert outside(plain, {"plane": {"point": [0, -0.5], "normal": [0, 1]}}, "faces") == (pytest.approx(0.5), [0.25, 0])
    assert outside(BOX, {"plane": {"point": [0, 0, 1.5], "normal": [0, 0, 1]}})[0] == pytest.approx(0.5)


@pytest.mark.parametrize("near", [[[3, 300]], {"point": [3, 300], "count": 2}])
def test_a_point_far_away_is_warned_of(near):
    with pytest.warns(hooke.HookeWarning, match="near: the nearest node lies 298 m from this point: check its units") as caught:
        made(RECTANGLE, {"a": {"near": near}, "b": {"near": [[3, 2.1]]}}).mesh
    assert len([w for w in caught if "near:" in str(w.message)]) == 1


def test_places_are_parts():
    shape = {"of": "top", "near": {"point": [0, 2], "count": 3}}
    mesh = made(RECTANGLE, {"a": hooke.Place(**shape), "b": shape}).mesh
    assert len(mesh.node_sets["a"]) == 3 and np.array_equal(mesh.node_sets["a"], mesh.node_sets["b"])


def test_several_shapes_all_hold():
    mesh = made(RECTANGLE, {"both": {"box": {"from": [0, 0], "to": [3, 2]}, "sphere": {"center": [0, 1], "radius": 0.7}}}).mesh
    x = mesh.x
    assert set(mesh.node_sets["both"]) == set(np.flatnonzero((x[:, 0] >= 0) & (np.linalg.norm(x - [0, 1], axis=1) <= 0.7)))


def test_they_are_sets_as_any_others(tmp_path):
    """A soft hole, a crack, a load on a part of a side, receivers: beside a mesh that has these sets."""
    case = {"mesh": {"rectangle": {"size": [2, 1], "cells": [24, 12]}}, "materials": STEEL | {"soft": {"density": 1000, "young": 1e9, "poisson": 0.3}},
            "sets": {"hole": {"what": "elements", "sphere": {"center": [1.3, 0.5], "radius": 0.2}}, "probe": {"what": "faces", "of": "top", "box": {"from": [0.2, 1], "to": [0.6, 1]}},
                     "cut": {"what": "inner-faces", "line": {"from": [0.5, 0.5], "to": [1, 0.5]}}, "rx": {"of": "bottom", "near": [[0.1, 0], [1.9, 0]]}},
            "regions": {"hole": "soft", "all": "steel"}, "crack": {"sets": ["cut"]},
            "boundary": [{"set": "probe", "pressure": 1, "signal": {"ricker": {"frequency": 2e3}}}], "outputs": {"traces": [{"name": "rx", "set": "rx"}]},
            "solve": {"explicit": {"end": 1e-3}}}
    whole = hooke.Model.of_case(case)
    mesh = hooke.Model.of_case(case | {"crack": []}).mesh
    sets = {key: case[key] for key in case if key not in ("sets", "mesh")}
    given = hooke.Mesh.from_arrays(mesh.x, {"quad4": mesh.blocks[0].node}, node_sets={"rx": mesh.node_sets["rx"]},
                                   element_sets={"hole": mesh.element_sets["hole"], "all": np.arange(mesh.element_count)},
                                   face_sets={name: mesh.face_sets[name] for name in ("probe", "cut")})
    a = whole.run(output=tmp_path / "a", pictures=False).traces["rx"].displacement.values
    b = hooke.Model.of_case(sets, mesh=given).run(output=tmp_path / "b", pictures=False).traces["rx"].displacement.values
    assert whole.mesh.node_count == mesh.node_count + 5 and np.array_equal(a, b) and abs(a).max() > 0


def test_every_reader_of_sets_takes_them(tmp_path):
    """Conditions, loads, equations, initial values, absorbing sides, orders, prints and traces: as with the sets of the mesh at the same places."""
    sides = {name: {"plane": {"point": point, "normal": normal}} for name, point, normal in
             (("left", [0, 0], [1, 0]), ("right", [2, 0], [1, 0]), ("bottom", [0, 0], [0, 1]), ("top", [0, 1], [0, 1]))}
    base = {"mesh": {"rectangle": {"size": [2, 1], "cells": [6, 3], "jitter": 0.1}}, "materials": STEEL}
    pulse = {"signal": {"ricker": {"frequency": 5e3}}}
    cases = [
        base | {"boundary": [{"set": "left", "fix": ["x"]}, {"set": "top f", "pressure": 1} | pulse], "initial": [{"set": "right", "velocity": [1, 2]}], "absorb": [{"kind": "stacey", "sets": ["bottom f"]}],
                "sources": [{"set": "bottom", "force": 1, "direction": [0, 1]} | pulse], "outputs": {"traces": [{"name": "r", "set": "right"}]}, "solve": {"explicit": {"end": 1e-3}}},
        base | {"boundary": [{"set": "bottom", "fix": ["x", "y"]}], "sources": [{"set": "top f", "total_force": [1, 2]}], "solve": {"static": {}}, "element": {"orders": {"all": 2}},
                "outputs": {"print": [{"set": "right", "quantity": "displacement"}]}, "equations": [{"terms": [{"set": "left", "component": "y"}, {"set": "right", "component": "y", "factor": -1}]}]},
        base | {"physics": "heat", "materials": {"m": {"conductivity": 2}}, "boundary": [{"set": "left", "temperature": 5}, {"set": "right f", "flux": 3}, {"set": "top f", "film": {"coefficient": 2, "sink": 1}}],
                "outputs": {"print": [{"set": "bottom", "quantity": "temperature"}]}, "solve": {"heat": {}}}]

    def renamed(value, names):
        if isinstance(value, dict):
            return {k: renamed(v, names) for k, v in value.items()}
        return [renamed(v, names) for v in value] if isinstance(value, list) else names.get(value, value) if isinstance(value, str) else value
    for k, case in enumerate(cases):
        own = renamed(case, {f"{name} f": name for name in sides})
        places = {f"{name} n": shape for name, shape in sides.items()} | {f"{name} f": {"what": "faces"} | shape for name, shape in sides.items()}
        by_place = renamed(case, {name: f"{name} n" for name in sides}) | {"sets": places}
        a, b = (hooke.run(c, output=tmp_path / f"{k}{i}", precision="double", pictures=False) for i, c in enumerate((own, by_place)))
        ours, theirs = models.data(a.path), models.data(b.path)
        assert set(ours) == set(theirs) and len(ours) > 3
        for name, values in ours.items():
            assert values.dtype.kind in "SO" or np.array_equal(values, theirs[name]), name
        assert any(values.dtype.kind == "f" and np.ptp(values) > 0 for values in ours.values())


@pytest.mark.parametrize("order", [2, 4])
def test_of_raised_elements_nodes_between_belong_to_them(order, tmp_path):
    case = {"mesh": {"rectangle": {"size": [2, 1], "cells": [8, 4]}}, "materials": STEEL, "sets": {"part": {"of": "left", "box": {"from": [0, 0], "to": [0, 0.5]}}},
            "element": {"order": order}, "boundary": [{"set": "part", "fix": ["x", "y"]}, {"set": "right", "pressure": 1}], "solve": {"static": {}}}
    counts = hooke.Model.of_case(case).check()["counts"]
    assert counts["constrained_dofs"] == 2 * (2 * order + 1)


def test_the_nearest_inner_face_has_both_sides():
    mesh = made(RECTANGLE, {"i": {"what": "inner-faces", "near": [[0.3, 0.4], [1.2, 1.1]]}}).mesh
    element, face = mesh.face_sets["i"]
    assert len(element) == 4 and len(faces_of(mesh, "i")) == 2 and len(set(element)) == 4


def test_what_is_wrong_is_told():
    near = {"near": [[0, 0]]}
    assert 'no node lies there; the nearest, at [3, 2], lies 10.63 m outside: check its units' in refused(RECTANGLE, {"a": {"box": {"from": [10, 10], "to": [11, 11]}}})
    assert 'no inner face lies there' in refused(RECTANGLE, {"a": {"what": "inner-faces", "sphere": {"center": [0, 0], "radius": 1e-3}}})
    assert 'the mesh has a set "left" already' in refused(RECTANGLE, {"left": near})
    assert 'the mesh has a set "all" already' in refused(RECTANGLE, {"all": near})
    assert 'undefined set "lft": did you mean "left"?' in refused(RECTANGLE, {"a": {"of": "lft"} | near})
    assert 'undefined set "b"' in refused(RECTANGLE, {"a": {"of": "b"} | near, "b": near})
    assert 'has 3 components: the mesh has 2 dimensions' in refused(RECTANGLE, {"a": {"near": [[0, 0, 0]]}})
    assert 'to is below from along y' in refused(RECTANGLE, {"a": {"box": {"from": [0, 1], "to": [1, 0]}}})
    assert 'from and to are the same point' in refused(RECTANGLE, {"a": {"line": {"from": [0, 1], "to": [0, 1]}}})
    assert 'normal has no length' in refused(RECTANGLE, {"a": {"plane": {"point": [0, 1], "normal": [0, 0]}}})
    assert 'remove `of`' in refused(RECTANGLE, {"a": {"what": "inner-faces", "of": "left"} | near})
    assert '"left" is' not in refused(RECTANGLE, {"a": {"what": "elements", "of": "lift"} | near})
    assert 'count is 40, and 33 nodes lie there' in refused(RECTANGLE, {"a": {"of": "top", "near": {"point": [0, 0], "count": 40}}})
    assert 'near lacks "count"' in refused(RECTANGLE, {"a": {"near": {"point": [0, 0]}}})
    assert 'is not for inner-faces: list points' in refused(RECTANGLE, {"a": {"what": "inner-faces", "near": {"point": [0, 0], "count": 2}}})
    assert 'unknown key "spheer"' in refused(RECTANGLE, {"a": {"spheer": {"center": [0, 0], "radius": 1}}})
    assert 'are in another region too' in refused(RECTANGLE, {"a": {"what": "elements", "sphere": {"center": [1, 1], "radius": 0.5}},
                                                              "b": {"what": "elements", "sphere": {"center": [1.3, 1], "radius": 0.5}}}, regions={"a": "steel", "b": "steel", "all": "steel"})
    assert 'elements are in no region' in refused(RECTANGLE, {"a": {"what": "elements", "sphere": {"center": [1, 1], "radius": 0.5}}}, regions={"a": "steel"})


def test_a_large_case_is_judged_without_its_mesh(tmp_path):
    """Sets that the few cells of a draft have nowhere are no faults; wrong names are, before the mesh is made."""
    large = {"box": {"size": [1, 1, 1], "cells": [300, 300, 300]}}
    sets = {"dot": {"what": "elements", "sphere": {"center": [0.5, 0.5, 0.5], "radius": 0.01}}, "rest": {"what": "elements", "box": {"from": [0, 0, 0], "to": [0.4, 1, 1]}}}
    assert 'undefined set "dots": did you mean "dot"?' in refused(large, sets, outputs={"traces": [{"set": "dots"}]}, sources=[])
    case = {"mesh": large, "sets": sets, "materials": STEEL, "regions": {"dot": "steel", "rest": "steel", "all": "steel"},
            "sources": [{"set": "dot", "force": 1, "direction": [1, 0, 0], "signal": {"ricker": {"frequency": 1e3}}}]} | EXPLICIT

    class Enough(Exception):
        pass

    def enough(estimate):
        assert estimate["counts"]["nodes"] == 301**3
        raise Enough
    with pytest.raises(Enough):
        hooke.check(case, first=enough)



def test_a_draft_has_each_kind_of_set():
    """A crack by place, and a fluid by place beside a solid, of meshes that are judged by a draft."""
    large = {"rectangle": {"size": [1, 1], "cells": [330, 330]}}  # more than 100 000 nodes
    source = {"at": [0.2, 0.3], "force": 1, "direction": [1, 0], "signal": {"ricker": {"frequency": 1e3}}}
    cut = {"cut": {"what": "inner-faces", "plane": {"point": [0.5, 0.5], "normal": [0, 1]}, "box": {"from": [0.3, 0], "to": [0.7, 1]}}}
    assert hooke.check({"mesh": large, "sets": cut, "materials": STEEL, "crack": {"sets": ["cut"]}, "sources": [source]} | EXPLICIT)["counts"]["nodes"] > 331**2
    media = {"mesh": {"rectangle": {"size": [1, 1], "cells": [170, 170]}}, "element": {"order": 2}, "materials": STEEL | {"water": {"density": 1000, "sound_speed": 1500}},
             "sets": {"w": {"what": "elements", "box": {"from": [0, 0.5], "to": [1, 1]}}, "n": {"what": "nodes", "box": {"from": [0, 0.1], "to": [0.1, 0.2]}}},
             "regions": {"w": "water", "all": "steel"}, "boundary": [{"set": "bottom", "fix": ["x", "y"]}, {"set": "top", "fix": "pressure"}],
             "outputs": {"traces": [{"name": "p", "at": [[0.5, 0.8]], "quantity": ["pressure", "displacement"]}]}}
    for regions in ({"w": "water", "all": "steel"}, {"w": "steel", "all": "water"}):
        rate = {"at": [0.4, 0.7 if regions["w"] == "water" else 0.3], "volume_rate": 1, "signal": {"ricker": {"frequency": 1e3}}}
        held = [{"set": "bottom" if regions["w"] == "water" else "top", "fix": ["x", "y"]}, {"set": "top" if regions["w"] == "water" else "bottom", "fix": "pressure"}]
        solid = source | {"at": [0.2, 0.3 if regions["w"] == "water" else 0.7]}
        assert hooke.check(media | {"regions": regions, "boundary": held, "sources": [rate, solid]} | EXPLICIT)["counts"]["nodes"] > 341**2  # twice where both meet
