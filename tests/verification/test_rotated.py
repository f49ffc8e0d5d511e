"""A model that is turned by any angle, with conditions along its own axes, gives the turned result: in time and at rest, of cases and decks."""
import numpy as np
import pytest

import fem
from command import run

ANGLE = 0.7
FLAT = np.array([[np.cos(ANGLE), -np.sin(ANGLE)], [np.sin(ANGLE), np.cos(ANGLE)]])
AXIS = np.array([2, -1, 3]) / np.sqrt(14)
CROSS = np.array([[0, -AXIS[2], AXIS[1]], [AXIS[2], 0, -AXIS[0]], [-AXIS[1], AXIS[0], 0]])
SOLID = np.eye(3) + np.sin(ANGLE) * CROSS + (1 - np.cos(ANGLE)) * CROSS @ CROSS  # Rodrigues: columns are the turned x, y, z
TURN = {2: FLAT, 3: SOLID}
SIGNAL = {"toneburst": {"frequency": 0.6, "cycles": 2}}
STEPS, DT = 150, 0.02
SHAPES = ["tri3", "quad4", "tet4", "hex8"]


def bodies(shape):
    """A block, and the same turned and moved. Sets of nodes: two ends, a side and one node."""
    dim = fem.DIM[shape]
    mesh = fem.grid(shape, [6, 3, 2][:dim], [3.0, 1.5, 1.0][:dim], jitter=0.15)
    turned = fem.Mesh(shape, mesh.x @ TURN[dim].T + np.array([5, -2, 1][:dim]), mesh.element)
    tip = np.argmax(mesh.x.sum(1))
    sets = {"LEFT": mesh.at(0, 0), "RIGHT": mesh.at(0, 3.0), "LOW": np.setdiff1d(mesh.at(1, 0), mesh.at(0, 0)),
            "TIP": np.array([tip]), "MID": np.array([np.argmin(((mesh.x - mesh.x[tip] / 2)**2).sum(1))])}
    sets["LOW"] = np.setdiff1d(sets["LOW"], sets["RIGHT"])
    return mesh, turned, sets


def case_of(folder, name, mesh, sets, turn, axes, conditions):
    """conditions: boundary and sources along x, y, z; `axes` adds the name of the turned axes to them."""
    dim = len(turn)
    (folder / f"{name}.inp").write_text(fem.mesh_deck(mesh, sets))
    local = {"axes": "own"} if axes else {}
    straight = {"x": list(turn[:, 0]), **({"y": list(turn[:, 1])} if dim == 3 else {})}
    return {"mesh": f"{name}.inp", "axes": {"own": {"straight": straight}},
            "materials": {"m": {"density": 1, "young": 1, "poisson": 0.3}},
            **{k: [{**c, **local} for c in v] for k, v in conditions(dim).items()}}


def in_time(dim):
    """An end fixed along two axes, the other end led by a motion along one and a velocity along another, a force on a node. Rows of a
    node share all of its components where they are turned."""
    first, second = list(np.eye(dim)[0]), list(np.eye(dim)[1])
    along = {"direction": [[0.6, 0.8], [0.48, 0.6, 0.64]][dim - 2]}
    return {"boundary": [{"set": "LEFT", "fix": ["x", "y", "z"][:dim - 1]}, {"set": "LOW", "fix": "y"}],
            "sources": [{"set": "RIGHT", "displacement": 1e-2, "direction": first, "signal": SIGNAL, "delay": 0.3},
                        {"set": "RIGHT", "velocity": 2e-2, "direction": second, "signal": SIGNAL},
                        {"set": "MID", "force": 0.3, **along, "signal": SIGNAL}]}


def at_rest(dim):
    along = {"direction": [[0.6, 0.8], [0.48, 0.6, 0.64]][dim - 2]}
    return {"boundary": [{"set": "LEFT", "fix": ["x", "y", "z"][:dim]}, {"set": "RIGHT", "move": {"x": 1e-2}}, {"set": "LOW", "fix": "y"}],
            "sources": [{"set": "MID", "force": 1e-2, **along}]}


def same(turned, plain, turn, tolerance=1e-12):
    """turned[receiver, component, ...] = turn plain, of its peak"""
    expected = np.einsum("cd,rd...->rc...", turn, plain)
    assert np.abs(expected).max() > 1e-4
    assert np.abs(turned - expected).max() <= tolerance * np.abs(expected).max()


def explicit(form, order=None):
    how = {"solve": {"explicit": {"end": STEPS * DT, "dt": DT, "method": form, "time_dispersion": "keep"}},
           "outputs": {"traces": [{"set": s, "quantity": ["displacement", "velocity"]} for s in ("MID", "LOW", "RIGHT", "LEFT")]}}
    return how | ({"element": {"order": order}} if order else {})


def compare_in_time(folder, shape, how, *words):
    mesh, turned, sets = bodies(shape)
    turn = TURN[fem.DIM[shape]]
    plain = run(folder, case_of(folder, "plain", mesh, sets, turn, False, in_time) | how, *words, name="a")
    there = run(folder, case_of(folder, "turned", turned, sets, turn, True, in_time) | how, *words, name="b")
    for name in plain.traces:
        for quantity in ("displacement", "velocity"):
            same(there.traces[name][quantity], plain.traces[name][quantity], turn)
    peak = np.abs(plain.energy["work"]).max()
    assert peak > 0 and np.abs(there.energy["work"] - plain.energy["work"]).max() <= 1e-11 * peak
    held = np.einsum("dc,rd...->rc...", turn, there.traces["LOW"]["displacement"])
    assert np.abs(held[:, 1]).max() <= 1e-15  # n . u = 0, to the rounding of u


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("form", ["edges", "stored", "matrix-free"])
def test_in_time(tmp_path, shape, form):
    """u' = R u to 1e-12 of its peak after 150 steps: local fixes, a displacement and a velocity of the same nodes, a force."""
    compare_in_time(tmp_path, shape, explicit(form))


@pytest.mark.parametrize("shape, order", [("quad4", 3), ("hex8", 2)])
def test_spectral(tmp_path, shape, order):
    """The same with elements of order p."""
    compare_in_time(tmp_path, shape, explicit("spectral", order))


@pytest.mark.parametrize("shape, form", [("tri3", "edges"), ("quad4", "matrix-free"), ("hex8", "stored")])
def test_on_opencl(tmp_path, shape, form):
    """The same on OpenCL's device, where rows are held by threads of their own."""
    compare_in_time(tmp_path, shape, explicit(form), "--device", "opencl")


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("how", [{"method": "direct"}, {"method": "cg", "tolerance": 1e-14}])
def test_at_rest(tmp_path, shape, how):
    """u' = R u and f' = R f of static solutions: local fixes and motions, a force."""
    mesh, turned, sets = bodies(shape)
    turn = TURN[fem.DIM[shape]]
    solve = {"solve": {"static": how}, "outputs": {"field": {"quantity": ["displacement", "reaction"]}}}
    plain = run(tmp_path, case_of(tmp_path, "plain", mesh, sets, turn, False, at_rest) | solve, name="a").static[0]
    there = run(tmp_path, case_of(tmp_path, "turned", turned, sets, turn, True, at_rest) | solve, name="b").static[0]
    for quantity in ("displacement", "reaction"):
        same(there[quantity], plain[quantity], turn, 1e-11)


def deck_of(mesh, sets, turn, local, body):
    """A deck whose nodes have the axes of the turned body, where `local`."""
    dim = len(turn)
    points = np.zeros((2, 3))
    points[:, :dim] = turn[:, :2].T
    transform = ["*TRANSFORM, NSET=ALL", ", ".join(f"{v:.17g}" for v in points.ravel())] if local else []
    return fem.mesh_deck(mesh, sets) + "\n".join([
        *transform, "*MATERIAL, NAME=M", "*DENSITY", "1.", "*ELASTIC", "1., 0.3", "*SOLID SECTION, ELSET=BODY, MATERIAL=M", ",",
        "*AMPLITUDE, NAME=A", "0., 0., 0.7, 1., 1.5, -0.5, 9., 0.3", *body, "*END STEP", ""])


DRIVEN = ["*STEP", "*DYNAMIC, EXPLICIT, DIRECT USER CONTROL", f"{DT}, {STEPS * DT}",
          "*BOUNDARY", "LEFT, 1, 3", "LOW, 2, 2",
          "*BOUNDARY, TYPE=DISPLACEMENT, AMPLITUDE=A", "RIGHT, 1, 1, 0.01",
          "*BOUNDARY, TYPE=VELOCITY, AMPLITUDE=A", "RIGHT, 2, 2, 0.02",
          "*BOUNDARY, TYPE=ACCELERATION, AMPLITUDE=A", "TIP, 2, 2, 0.03",
          "*CLOAD, AMPLITUDE=A", "MID, 1, 0.3", "MID, 2, -0.2",
          "*OUTPUT, HISTORY, FREQUENCY=1", *(line for s in ("MID", "LOW", "RIGHT") for line in (f"*NODE OUTPUT, NSET={s}", "U, V"))]
HELD = ["*STEP", "*STATIC", "*BOUNDARY", "LEFT, 1, 3", "LOW, 2, 2", "RIGHT, 1, 1, 0.01",
        "*CLOAD", "MID, 1, 0.01", "MID, 2, -0.02", "*NODE FILE", "U, RF"]


@pytest.mark.parametrize("shape", SHAPES)
def test_decks_in_time(tmp_path, shape):
    """*TRANSFORM turns *BOUNDARY of all types and *CLOAD of explicit steps: u' = R u to 1e-12."""
    mesh, turned, sets = bodies(shape)
    turn = TURN[fem.DIM[shape]]
    plain = run(tmp_path, deck_of(mesh, sets, turn, False, DRIVEN), name="a")
    there = run(tmp_path, deck_of(turned, sets, turn, True, DRIVEN), name="b")
    for name in plain.traces:
        for quantity in ("displacement", "velocity"):
            same(there.traces[name][quantity], plain.traces[name][quantity], turn)


@pytest.mark.parametrize("shape", SHAPES)
def test_decks_at_rest(tmp_path, shape):
    """The same of static steps, with reactions, to the rounding of the solver."""
    mesh, turned, sets = bodies(shape)
    turn = TURN[fem.DIM[shape]]
    plain = run(tmp_path, deck_of(mesh, sets, turn, False, HELD), name="a").static[0]
    there = run(tmp_path, deck_of(turned, sets, turn, True, HELD), name="b").static[0]
    for quantity in ("displacement", "reaction"):
        same(there[quantity], plain[quantity], turn, 1e-11)


@pytest.mark.parametrize("deck", [False, True])
def test_radial_motion_of_a_hole(tmp_path, deck):
    """A hole whose wall moves radially, s(t), without turning: each node of it has u = s e_r, in cylindrical axes, of cases and decks."""
    inner = 1.0
    mesh = fem.grid("quad4", [4, 12], [1.0, np.pi / 2])
    polar = mesh.x.copy()
    mesh.x = np.stack([(inner + polar[:, 0]) * np.cos(polar[:, 1]), (inner + polar[:, 0]) * np.sin(polar[:, 1])], 1)
    sets = {"WALL": np.flatnonzero(polar[:, 0] < 1e-9)}
    if deck:
        model = fem.mesh_deck(mesh, sets) + "\n".join([
            "*TRANSFORM, NSET=WALL, TYPE=C", "0, 0, -1, 0, 0, 1", "*MATERIAL, NAME=M", "*DENSITY", "1.", "*ELASTIC", "1., 0.3",
            "*SOLID SECTION, ELSET=BODY, MATERIAL=M", ",", "*AMPLITUDE, NAME=A", "0., 0., 1., 1., 2., -0.5", "*STEP",
            "*DYNAMIC, EXPLICIT, DIRECT USER CONTROL", "0.02, 2.", "*BOUNDARY", "WALL, 2, 2", "*BOUNDARY, AMPLITUDE=A", "WALL, 1, 1, 0.01",
            "*OUTPUT, HISTORY, FREQUENCY=1", "*NODE OUTPUT, NSET=WALL", "U", "*END STEP", ""])
    else:
        (tmp_path / "mesh.inp").write_text(fem.mesh_deck(mesh, sets))
        table = {"table": {"time": [0, 1, 2], "value": [0, 1, -0.5]}}
        model = {"mesh": "mesh.inp", "axes": {"hole": {"cylinder": {"at": [0, 0]}}},
                 "materials": {"m": {"density": 1, "young": 1, "poisson": 0.3}},
                 "boundary": [{"set": "WALL", "fix": "y", "axes": "hole"},
                              {"set": "WALL", "move": {"x": 0.01}, "axes": "hole", "signal": table}],
                 "outputs": {"traces": [{"set": "WALL"}]}, "solve": {"explicit": {"end": 2, "dt": 0.02}}}
    got = run(tmp_path, model)
    told = 0.01 * np.interp(got.time["WALL"], [0, 1, 2], [0, 1, -0.5])
    radial = mesh.x[sets["WALL"]] / inner
    error = got.traces["WALL"]["displacement"] - radial[:, :, None] * told
    assert np.abs(error).max() <= 1e-15


def test_elements_of_an_array_fire_along_their_own_axes(tmp_path):
    """Each shot of an array whose source has cylindrical axes = a run with a force along that node's radius."""
    mesh, _, sets = bodies("quad4")
    (tmp_path / "mesh.inp").write_text(fem.mesh_deck(mesh, {**sets, "FIRE": sets["RIGHT"][:3]}))
    source = {"force": 1, "signal": SIGNAL}
    case = {"mesh": "mesh.inp", "axes": {"pole": {"cylinder": {"at": [-1, -2]}}},
            "materials": {"m": {"density": 1, "young": 1, "poisson": 0.3}}, "outputs": {"traces": [{"set": "MID"}]},
            "solve": {"explicit": {"end": 3, "dt": DT, "method": "stored"}}}
    both = run(tmp_path, {**case, "sources": [{"set": "FIRE", "direction": [1, 0], "axes": "pole", **source}],
                          "shots": {"array": {"set": "FIRE", "each": "node"}}}, name="shots").traces["MID"]["displacement"]
    for k, node in enumerate(sets["RIGHT"][:3]):
        along = mesh.x[node] - [-1, -2]
        one = run(tmp_path, {**case, "sources": [{"at": list(mesh.x[node]), "direction": list(along), **source}]}, name="one")
        expected = one.traces["MID"]["displacement"]
        assert np.abs(both[k] - expected).max() <= 1e-12 * np.abs(expected).max() > 0


@pytest.mark.parametrize("dim", [2, 3])
def test_directions_that_are_aslant(tmp_path, dim):
    """A slice of 30 degrees between walls without friction, whose edge is held by both: u = 0 there, as at rest; a corner on the lower wall that
    is moved along 30 degrees by s: u = s / cos 30 along x."""
    shape = ["quad4", "hex8"][dim - 2]
    mesh = fem.grid(shape, [4, 3, 2][:dim], jitter=0.0)
    r, angle = mesh.x[:, 0].copy() + 0.2, np.pi / 6 * mesh.x[:, 1]
    low, high, outer = np.flatnonzero(mesh.x[:, 1] == 0), np.flatnonzero(mesh.x[:, 1] == 1), np.flatnonzero(mesh.x[:, 0] == 1)
    mesh.x[:, 0], mesh.x[:, 1] = r * np.cos(angle), r * np.sin(angle)
    inner = np.intersect1d(low, np.flatnonzero(r < 0.21))
    wall = np.union1d(high, inner)  # the edge belongs to both walls
    (tmp_path / "mesh.inp").write_text(fem.mesh_deck(mesh, {"LOW": low, "HIGH": wall, "EDGE": inner, "PUSH": np.intersect1d(low, outer)}))
    slope = {"straight": {"x": [np.cos(np.pi / 6), 0.5, 0][:dim], **({"y": [-0.5, np.cos(np.pi / 6), 0]} if dim == 3 else {})}}
    case = {"mesh": "mesh.inp", "axes": {"wall": slope}, "materials": {"m": {"density": 1, "young": 1, "poisson": 0.3}},
            "boundary": [{"set": "LOW", "fix": "y"}, {"set": "HIGH", "fix": "y", "axes": "wall"},
                         {"set": "PUSH", "move": 0.01, "direction": [np.cos(np.pi / 6), 0.5, 0][:dim]}] + [{"set": "EDGE", "fix": "z"}] * (dim == 3)}
    rest = run(tmp_path, {**case, "solve": {"static": {}}}, name="rest")
    time = run(tmp_path, {**case, "outputs": {"traces": [{"set": "EDGE"}, {"set": "PUSH"}]},
                          "solve": {"explicit": {"end": 0.5}}}, name="time")
    edge, push = time.traces["EDGE"]["displacement"], time.traces["PUSH"]["displacement"][..., 1:]
    assert np.abs(edge).max() <= 1e-16 and np.abs(rest.static[0]["displacement"][inner]).max() <= 1e-15
    assert np.abs(push[:, 0] - 0.01 / np.cos(np.pi / 6)).max() <= 1e-16 and np.abs(push[:, 1]).max() <= 1e-16
    assert np.abs(rest.static[0]["displacement"][time.node["PUSH"] - 1][:, 0] - push[:, 0, -1]).max() <= 1e-15


@pytest.mark.parametrize("sources, words", [
    ([{"set": "TIP", "displacement": 1, "direction": [1, 0]}, {"set": "TIP", "displacement": 1, "direction": [1, 1]}], "shares nodes"),
    ([{"set": "TIP", "displacement": d, "direction": a} for d, a in ((0, [0, 1]), (1, [1, 1]), (1, [0, 1]))], "shares nodes"),
    ([{"at": [1, 1], "force": 1, "direction": [1, 0], "axes": "own"}], "axes are for sets")])
def test_refused(tmp_path, sources, words):
    """Two motions of a node that are neither along nor across each other, or one that others take for at rest; axes at a point."""
    mesh, _, sets = bodies("quad4")
    case = case_of(tmp_path, "plain", mesh, sets, FLAT, False, lambda dim: {"sources": sources}) | explicit("edges")
    assert words in run(tmp_path, case, code=3).stderr


def test_a_free_surface_has_no_axes(tmp_path):
    case = {"mesh": {"rectangle": {"size": [1, 1], "cells": 2}}, "element": {"order": 2}, "axes": {"own": {"straight": {"x": [1, 1]}}},
            "materials": {"water": {"density": 1, "sound_speed": 1}}, "boundary": [{"set": "top", "fix": "pressure", "axes": "own"}],
            "solve": {"explicit": {"end": 1}}}
    assert "fix: pressure does not take axes" in run(tmp_path, case, code=3).stderr
