"""Sources, prescribed motions, delays and damping against closed forms and reciprocity."""
import json

import numpy as np
import pytest

import fem
import oracles
from command import call, error, run

TRICLINIC = {"density": 3, **{f"c{i + 1}{j + 1}": v for i, j, v in
                              [(0, 0, 9), (1, 1, 7), (2, 2, 8), (3, 3, 2), (4, 4, 3), (5, 5, 2.5), (0, 1, 3), (0, 2, 2.5),
                               (1, 2, 2), (0, 3, .4), (0, 4, -.3), (0, 5, .7), (1, 3, .2), (1, 4, .5), (1, 5, -.6),
                               (2, 3, .3), (2, 4, .2), (2, 5, .4), (3, 4, .1), (3, 5, .3), (4, 5, -.2)]}}
COUPLED = ("c14", "c15", "c24", "c25", "c46", "c56")  # to u_z, which plane strain does not take
H, SPEED, CELLS = 0.5, 2.0, 40  # of the bar below
DT = H / SPEED


@pytest.mark.parametrize("dim, shape", [(2, "tri"), (2, "quad"), (3, "tet"), (3, "hex")])
def test_source_and_receiver_change_places(tmp_path, dim, shape):
    """u_j at B by a force along i at A = u_i at A by a force along j at B, points between nodes, all 21 constants (2D: 15), to
    1e-10 of the peak."""
    a, b, i, j = [0.23, 0.31, 0.47][:dim], [0.71, 0.66, 0.58][:dim], 0, dim - 1
    maker = {2: "rectangle", 3: "box"}[dim]

    def answer(source, along, receiver, watched):
        case = {"mesh": {maker: {"size": [1] * dim, "cells": 8, "shape": shape, "jitter": 0.2}},
                "materials": {"m": {k: v for k, v in TRICLINIC.items() if dim == 3 or k not in COUPLED}},
                "sources": [{"at": source, "force": 1, "direction": list(np.eye(dim)[along]),
                             "signal": {"ricker": {"frequency": 2}}}],
                "outputs": {"traces": [{"name": "rx", "at": [receiver]}]},
                "solve": {"explicit": {"end": 2}}}
        return run(tmp_path, case).traces["rx"]["displacement"][0, watched]

    there, back = answer(a, i, b, j), answer(b, j, a, i)
    assert np.abs(there).max() > 0
    assert np.abs(there - back).max() <= 1e-10 * np.abs(there).max()


def bar(folder):
    """A bar of squares along x whose nodes obey the wave equation's d'Alembert formula exactly at c dt = h, nu = 0."""
    mesh = fem.grid("quad4", [CELLS, 1], [CELLS * H, 4.0])
    column = np.rint(mesh.x[:, 0] / H).astype(int)
    sets = {f"C{i}": np.flatnonzero(column == i) for i in (0, 10, CELLS)}
    (folder / "bar.inp").write_text(fem.mesh_deck(mesh, sets))
    case = {"mesh": "bar.inp", "materials": {"m": {"density": 1, "young": SPEED**2, "poisson": 0}},
            "boundary": [{"set": "ALL", "fix": "y"}],
            "outputs": {"traces": [{"set": s} for s in ("C0", "C10")]},
            "solve": {"explicit": {"end": 50 * DT, "dt": DT}}}
    return mesh, sets, case


def check_shift(got, tolerance, exact):
    """u(x, t) = exact(t - x / c) at the driven end and ten cells from it, until the echo; at least 1/4 in size."""
    for name, x in (("C0", 0), ("C10", 10 * H)):
        expected = exact(got.time[name] - x / SPEED)
        u = got.traces[name]["displacement"][:, 0]
        assert np.abs(expected).max() > 0.25
        assert np.abs(u - expected).max() <= tolerance * np.abs(expected).max()


PULSE = {"toneburst": {"frequency": 0.2, "cycles": 1, "window": "none"}}
W = 0.4 * np.pi  # its angular frequency


def pulse(t):
    return np.where((t >= 0) & (t <= 5), np.sin(W * t), 0)


def integral(t):
    return np.where((t >= 0) & (t <= 5), (1 - np.cos(W * t)) / W, 0)


def test_prescribed_displacement(tmp_path):
    """u(0, t) = s(t) sends s(t - x / c) down the bar, exactly."""
    _, _, case = bar(tmp_path)
    case["sources"] = [{"set": "C0", "displacement": 1, "direction": [1, 0], "signal": PULSE}]
    check_shift(run(tmp_path, case), 1e-12, pulse)


def test_prescribed_velocity(tmp_path):
    """v(0, t) = s(t) sends the integral of s down the bar, to the (w dt)^2 / 24 of the midpoint rule it is integrated
    by, w = 2 pi f."""
    _, _, case = bar(tmp_path)
    case["sources"] = [{"set": "C0", "velocity": 1, "direction": [1, 0], "signal": PULSE}]
    check_shift(run(tmp_path, case), (W * DT) ** 2 / 20, integral)


def test_prescribed_acceleration_of_a_deck(tmp_path):
    """a(0, t) = 1 sends (t - x / c)^2 / 2 down the bar, exactly."""
    mesh, sets, _ = bar(tmp_path)
    deck = fem.mesh_deck(mesh, sets) + "\n".join([
        "*MATERIAL, NAME=M", "*DENSITY", "1.", "*ELASTIC", f"{SPEED**2}, 0.", "*SOLID SECTION, ELSET=BODY, MATERIAL=M", ",",
        "*BOUNDARY", "ALL, 2, 2", "*STEP", "*DYNAMIC, EXPLICIT, DIRECT USER CONTROL", f"{DT}, {50 * DT}",
        "*BOUNDARY, TYPE=ACCELERATION", "C0, 1, 1, 1.",
        "*OUTPUT, HISTORY, FREQUENCY=1", "*NODE OUTPUT, NSET=C0", "U", "*NODE OUTPUT, NSET=C10", "U", "*END STEP", ""])
    check_shift(run(tmp_path, deck), 1e-11, lambda t: np.where(t > 0, t * t / 2, 0))


PULL = {"set": "left", "move": {"x": 1}, "signal": PULSE}


@pytest.mark.parametrize("motions, told", [
    ([{"set": "left", "fix": "x"}, PULL], True), ([PULL, {"set": "left", "fix": "x"}], True), ([PULL, PULL | {"move": {"x": 2}}], True),
    ([PULL, PULL | {"delay": 1}], True), ([PULL, PULL | {"signal": {"ricker": {"frequency": 0.2}}}], True), ([PULL, PULL], False), ([{"set": "left", "fix": "x"}, {"set": "bottom", "fix": ["x", "y"]}], False)])
def test_motions_that_replace_each_other_are_told(tmp_path, motions, told):
    """Of two motions of a node along one line the last is used: check and run say so unless both are the same."""
    case = {"mesh": {"rectangle": {"size": [4, 2], "cells": [4, 2]}}, "units": "none", "materials": {"m": {"density": 1, "young": 1, "poisson": 0.3}},
            "outputs": {"traces": [{"set": "left"}]}, "solve": {"explicit": {"end": 4}}}
    path = tmp_path / "twice.json"
    path.write_text(json.dumps(case | {"boundary": motions}, indent=1))
    said = call("check", path).stderr
    assert ("prescribed twice: this motion is used, and not that of line" in said) == told, said
    if told:
        both, last = (run(tmp_path, case | {"boundary": b}).traces["left"]["displacement"][:, 0] for b in (motions, motions[1:]))
        assert np.array_equal(both, last) and np.array_equal(last.any(), "move" in motions[1])


def test_force_on_the_end_of_the_bar(tmp_path):
    """F(t) on a free end of impedance Z = rho c A sends v = F / Z down the bar: u(x, t) = (1 / Z) int F(t - x / c), to
    (w dt)^2 / 4: the scheme integrates F by steps of 2 dt, odd and even ones apart."""
    _, _, case = bar(tmp_path)
    z = SPEED * 4.0
    case["sources"] = [{"set": "C0", "force": z / 2, "direction": [1, 0], "signal": PULSE}]
    check_shift(run(tmp_path, case), (W * DT) ** 2 / 4, integral)


def test_delays_per_node(tmp_path):
    """Forces on the nodes of a set with delays d_1, d_2 = the sum of two runs, each with one node and its delay."""
    mesh, _, case = bar(tmp_path)
    deck = tmp_path / "bar.inp"
    deck.write_text(deck.read_text() + "*NSET, NSET=PAIR\n5, 9\n*NSET, NSET=ONE\n5\n*NSET, NSET=TWO\n9\n")
    force = {"force": 1, "direction": [1, 0], "signal": {"toneburst": {"frequency": 0.2, "cycles": 2}}}

    def answer(*sources):
        return run(tmp_path, {**case, "sources": [{**force, **s} for s in sources]}).traces["C10"]["displacement"]

    both = answer({"set": "PAIR", "delay": [1.25, 2.6]})
    one, two = answer({"set": "ONE", "delay": 1.25}), answer({"set": "TWO", "delay": 2.6})
    early = answer({"set": "ONE"})
    assert np.abs(both - one - two).max() <= 1e-12 * np.abs(both).max()
    assert np.abs(one[..., 5:] - early[..., :-5]).max() <= 1e-12 * np.abs(both).max()  # 1.25 = 5 dt
    assert np.abs(two).max() > 0.1 * np.abs(one).max()


@pytest.mark.parametrize("where", ["damping", "material"])
def test_damping_of_a_mode(tmp_path, where):
    """A mode of frequency w under C = d M: u = exp(-d t / 2) (cos v t + d / (2 v) sin v t), v^2 = w^2 - d^2 / 4; with
    w of the semidiscrete bar, (2 c / h) sin(k h / 2), to the (w dt)^2 / 24 w t of the time scheme."""
    mesh, _, case = bar(tmp_path)
    d, k = 0.02, np.pi / (CELLS * H)
    column = np.rint(mesh.x[:, 0] / H).astype(int)
    deck = tmp_path / "bar.inp"
    deck.write_text(fem.mesh_deck(mesh, {f"C{i}": np.flatnonzero(column == i) for i in range(CELLS + 1)}))
    case["initial"] = [{"set": f"C{i}", "displacement": [np.cos(k * i * H), 0]} for i in range(CELLS + 1)]
    case["outputs"] = {"traces": [{"set": "C0"}]}
    case["solve"] = {"explicit": {"end": 100, "dt": DT / 2}}
    if where == "damping":
        case["damping"] = {"mass": d}
    else:
        case["materials"]["m"]["damping"] = d
    got = run(tmp_path, case)
    w, t = 2 * SPEED / H * np.sin(k * H / 2), got.time["C0"]
    v = np.sqrt(w * w - d * d / 4)
    exact = np.exp(-d * t / 2) * (np.cos(v * t) + d / (2 * v) * np.sin(v * t))
    tolerance = (w * DT / 2) ** 2 / 24 * w * 100
    assert error(got.traces["C0"]["displacement"][0, 0], exact) <= tolerance


@pytest.mark.parametrize("dim, order", [(2, 10), (3, 5)])
def test_point_of_an_element_of_high_order_moves_as_told(tmp_path, dim, order):
    """Along its direction the point has the prescribed displacement, held by all nodes of its element, to 1e-12 (at the start it is 0)."""
    at, along = [0.33, 0.41, 0.6][:dim], np.array([1, 2, 2][:dim]) / np.linalg.norm([1, 2, 2][:dim])
    case = {"mesh": {{2: "rectangle", 3: "box"}[dim]: {"size": [1] * dim, "cells": 2}}, "element": {"order": order},
            "materials": {"m": {"density": 1, "young": 1, "poisson": 0.3}},
            "sources": [{"at": at, "displacement": 1, "direction": list(along), "signal": {"ricker": {"frequency": 1}}}],
            "outputs": {"traces": [{"name": "rx", "at": [at]}]},
            "solve": {"explicit": {"end": 1.5, "time_dispersion": "keep"}}}  # else the motion is told to 1e-3, and traces are put right
    got = run(tmp_path, case)
    told = oracles.ricker(got.time["rx"] - 1.2, 1)
    assert np.abs(along @ got.traces["rx"]["displacement"][0] - told)[1:].max() <= 1e-12
