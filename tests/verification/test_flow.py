"""How fluids flow: velocity and acceleration at points and nodes, in frames, and beside solids."""
import h5py
import numpy as np
import pytest
from scipy.integrate import cumulative_trapezoid

import oracles
from command import error, run
from test_acoustic import AT, F, RHO, SPEED, case
from test_fsi import C_P, WATER, Z_F, Z_S, case as wet_case, deck, rollers


def radial(r, t, points=8000):
    """v_r of a volume rate Q(t) along a line: 1 / (2 pi c) integral of Q'(t - (r / c) cosh q) cosh q dq over q > 0."""
    top = np.arccosh((t.max() + 2 / F) * SPEED / r)
    q = (np.arange(points) + 0.5) * top / points
    late = t[:, None] - r / SPEED * np.cosh(q) - 1.2 / F
    a = (np.pi * F) ** 2
    slope = 2 * a * late * (2 * a * late**2 - 3) * np.exp(-a * late**2)
    return (slope * np.cosh(q)).sum(axis=1) * top / points / (2 * np.pi * SPEED)


def around(**more):
    """A source in the middle of a square, no echo before the end; points in an element, on a
    side of two, and at a node of four."""
    return case(mesh={"rectangle": {"from": [-3, -3], "to": [3, 3], "cells": 60}}, sources=[
        {"at": [0, 0], "volume_rate": 0.7, "signal": {"ricker": {"frequency": F}}}], solve={"explicit": {"end": 2.2, "dt": 0.002}}) | more


def test_line_source(tmp_path):
    """Displacement, velocity and acceleration along and across the radius are those of the closed form: in an element, and where four meet."""
    places = [[0.52, 0.31], [0.6, 0.35], [0.6, 0.6]]
    got = run(tmp_path, around(outputs={"traces": [{"name": "rx", "at": places, "quantity": ["displacement", "velocity", "acceleration"]}]}))
    t = got.time["rx"]
    for k, at in enumerate(places):
        r = np.hypot(*at)
        out = np.array(at) / r
        exact = 0.7 * radial(r, t)
        u, v, a = (got.traces["rx"][name][k] for name in ("displacement", "velocity", "acceleration"))
        assert error(out @ v, exact) <= 0.004
        assert np.abs(np.array([-out[1], out[0]]) @ v).max() <= 0.005 * np.abs(exact).max()
        assert error(out @ u, cumulative_trapezoid(exact, t, initial=0)) <= 0.004
        assert error(out @ a, np.gradient(exact, t)) <= 0.006


def frames_of(path, names):
    """times, points, {name: [frame, point, component]}"""
    with h5py.File(path) as file:
        group = file["VTKHDF"]
        points, data, times = group["Points"][:], group["PointData"], group["Steps/Values"][:]
        return times, points, {name: data[name][:].reshape(len(times), len(points), -1) for name in names}


@pytest.mark.parametrize("precision, iron", [("double", True), ("single", True), ("double", False), ("single", False)])
def test_frames_are_the_traces(tmp_path, precision, iron):
    """What moves in a frame is, node by node, the samples of traces at its time: of the fluid, and of the solid beside it."""
    mesh = deck([4, 6], [1, 1.5], lambda m: iron and m[1] > 1, bend=0.05)
    quantities = ["displacement", "velocity", "acceleration", "pressure"]
    model = wet_case(tmp_path, mesh, element={"order": 3}, solve={"explicit": {"end": 0.8, "dt": 0.004, "time_dispersion": "keep"}},
                     sources=[{"at": [0.4, 0.3], "volume_rate": 1, "signal": {"ricker": {"frequency": 2}}}],
                     outputs={"field": {"quantity": quantities, "frames": 4},
                              "traces": [{"name": "rx", "set": s, "quantity": quantities} for s in ["left"]]})
    if not iron:
        model |= {"materials": {"water": WATER}, "regions": {"all": "water"}}
    got = run(tmp_path, model, "--precision", precision, "--no-pictures")
    times, points, values = frames_of(tmp_path / "model.hooke/field.vtkhdf", quantities)
    with h5py.File(tmp_path / "model.hooke/run.h5") as file:
        places = file["traces/rx/coordinates"][:]
    assert all(np.abs(values[name]).max() > 0 for name in quantities) and len(times) >= 4
    for at, place in enumerate(places):
        near = np.flatnonzero(np.abs(points[:, :2] - place).max(1) < 1e-6)
        if len(near) != 1:
            continue  # two nodes where both meet
        for frame, time in enumerate(times):
            step = np.argmin(np.abs(got.time["rx"] - time))
            for name in quantities:
                own = values[name][frame, near[0], :2 if name != "pressure" else 1]
                told = got.traces["rx"][name][at, :, step]
                assert np.abs(own - told).max() <= 2e-5 * np.abs(values[name]).max(), (name, place, time)


def test_frames_of_a_shot(tmp_path):
    """The displacement of the second of two shots, run one after the other, is that of a run with its source alone."""
    sources = [{"at": [x, 0.4], "volume_rate": 1, "signal": {"ricker": {"frequency": 2}}} for x in (0.2, 0.8)]
    common = {"mesh": {"rectangle": {"size": [1, 1], "cells": [4, 4]}}, "element": {"order": 3}, "materials": {"water": WATER}}
    solve, field = {"end": 0.8, "dt": 0.004}, {"quantity": "displacement", "frames": 2}
    shots = common | {"shots": sources, "outputs": {"field": field | {"shots": [2]}}, "solve": {"explicit": solve | {"shots_at_once": 1}}}
    alone = common | {"sources": sources[1:], "outputs": {"field": field}, "solve": {"explicit": solve}}
    values = []
    for name, model in (("shots", shots), ("alone", alone)):
        run(tmp_path, model, "--no-pictures", name=name)
        path, = (tmp_path / f"{name}.hooke").glob("*.vtkhdf")
        values.append(frames_of(path, ["displacement"])[2]["displacement"])
    assert np.abs(values[1][-1]).max() > 0 and np.array_equal(*values)


@pytest.mark.parametrize("dim", [2, 3])
def test_flow_beside_a_solid(tmp_path, dim):
    """A plane wave out of iron into water (tests of the border in test_fsi): one trace of both, in the water -p / Z_f = (1 + R) s'; at the border
    both move alike along its normal."""
    width, cells = 0.1, [1, 24, 1][:dim]
    places = [p[:dim] for p in ([0.07, 1.6, 0.1], [0.07, 0.6, 0.1], [0.07, 1 + 1e-9, 0.1], [0.07, 1 - 1e-9, 0.1])]
    model = wet_case(tmp_path, deck(cells, [width, 2.4, width][:dim], lambda m: m[1] > 1), solve={"explicit": {"end": 1.9, "dt": 0.001}},
                     boundary=rollers(dim) + [{"set": "top", "move": {"y": 1e-3}, "signal": {"ricker": {"frequency": F}}}],
                     outputs={"traces": [{"name": "rx", "at": places, "quantity": ["velocity", "displacement"]}]})
    got = run(tmp_path, model)
    t, v = got.time["rx"], got.traces["rx"]["velocity"]

    def slope(late, step=1e-5):
        at = t - late - 1.2 / F
        return 1e-3 * (oracles.ricker(at + step, F) - oracles.ricker(at - step, F)) / (2 * step)

    r = (Z_S - Z_F) / (Z_S + Z_F)
    assert error(v[0, 1], slope(0.8 / C_P) + r * slope(2.0 / C_P)) <= 0.002
    assert error(v[1, 1], (1 + r) * slope(1.4 / C_P + 0.4)) <= 0.003
    assert error(v[3, 1], v[2, 1]) <= 1e-5
    assert np.abs(v[:, 0]).max() <= 1e-9 * np.abs(v[:, 1]).max()
    u = got.traces["rx"]["displacement"]
    assert error(u[3, 1], u[2, 1]) <= 1e-4 and np.abs(u[2, 1]).max() > 0
