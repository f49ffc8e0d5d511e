"""Heat conduction with formulas of the place and the temperature: closed forms on all shapes, devices, methods and precisions."""
import math

import numpy as np
import pytest

from command import call
from test_heat_transient import case, refuse

FLAT, SOLID = "rectangle: {size: [1, 0.5], cells: [4, 3], shape: %s, jitter: 0.2}", "box: {size: [1, 0.5, 0.5], cells: [3, 2, 2], shape: %s, jitter: 0.2}"
SHAPES = [(FLAT % "tri", ""), (FLAT % "quad", ""), (SOLID % "tet", ""), (SOLID % "hex", ""), (SOLID % "tet", "element: {order: 2}"),
          (FLAT % "quad", "element: {order: 2}"), (SOLID % "hex", "element: {order: 3}")]

# T = 1 + 2 x + y (+ z): k = 1 + x + T, -div(k grad T) = -(3 * 2 + 1 (+ 1)), beta T = T^2; flux through top and bottom is k dT/dy
STEADY = """
units: none
mesh: {{{0}}}
physics: heat
{1}
materials: {{m: {{conductivity: {{formula: "1 + x + T"}}, reaction: {{formula: "T"}}}}}}
boundary:
  - {{set: left, temperature: {{formula: "{2}"}}}}
  - {{set: right, temperature: {{formula: "{2}"}}}}
{3}
sources: [{{heat: {{formula: "T^2 - {4}"}}}}]
solve: {{heat: {{{5}}}}}
"""


def steady(tmp_path, mesh, element, how, *words):
    solid = mesh.startswith("box")
    exact = "1 + 2*x + y" + (" + z" if solid else "")
    sides = {"bottom": "-", "top": "", "front": "-", "back": ""}
    lines = ['  - {set: %s, flux: {formula: "%s(1 + x + T)"}}' % side for side in list(sides.items())[: 4 if solid else 2]]
    if "tet" in mesh:  # whose faces have too few points for this flux
        lines = ['  - {set: %s, temperature: {formula: "%s"}}' % (side, exact) for side in sides]
    got = case(tmp_path, STEADY.format(mesh, element, exact, "\n".join(lines), 8 if solid else 7, how), *words)
    x = got.coordinates
    return got, np.abs(got.static[0]["temperature"][:, 0] - (1 + 2 * x[:, 0] + x[:, 1:].sum(axis=1))).max()


@pytest.mark.parametrize("mesh, element, words", [(*s, ()) for s in SHAPES] + [(*s, ("--device", "opencl")) for s in SHAPES[:5:2]])
def test_linear_temperature(tmp_path, mesh, element, words):
    """Conductivity, reaction, flux and source by formulas of x and T: elements hold the linear temperature, jittered too; the heat flux is -k grad T."""
    got, error = steady(tmp_path, mesh, element, "", *words)
    assert error <= 1e-6
    at, flux = got.points[0]["coordinates"], got.points[0]["heat_flux"]
    k = 1 + at[:, 0] + 1 + 2 * at[:, 0] + at[:, 1:].sum(axis=1)
    assert np.abs(flux + k[:, None] * np.array([2] + [1] * (at.shape[1] - 1))).max() <= 1e-5
    assert got.summary["steps"][0]["nonlinear"]["iterations"] >= 3


@pytest.mark.parametrize("how, words, within", [
    ("method: cg", (), 1e-6), ("method: femses", (), 1e-6), ("method: dense", (), 1e-6), ("method: cg", ("--precision", "single"), 1e-3),
    ("method: cg", ("--precision", "single", "--device", "opencl"), 1e-3), ("method: femses", ("--device", "opencl"), 1e-6),
    ("method: cg, preconditioner: multigrid", (), 1e-6)])
def test_methods(tmp_path, how, words, within):
    """The same with each method, device and precision, on elements of first and second order."""
    assert steady(tmp_path, SOLID % "tet", "element: {order: 2}" if "multigrid" in how else "", how, *words)[1] <= within


def test_formula_and_table_agree(tmp_path):
    """A conductivity by formula and its table: the same temperatures to rounding."""
    text = """
units: none
mesh: {rectangle: {size: [1, 0.5], cells: [9, 4], shape: tri}}
physics: heat
materials: {m: {conductivity: %s}}
boundary: [{set: left, temperature: 0}, {set: right, temperature: 100}, {set: top, film: {coefficient: 3, sink: 200}}]
solve: {heat: {}}
"""
    a = case(tmp_path, text % '{formula: "2 + T/5"}').static[0]["temperature"].copy()
    b = case(tmp_path, text % "{table: {temperature: [0, 1000], value: [2, 202]}}").static[0]["temperature"]
    assert np.abs(a - b).max() <= 1e-9 * 200


@pytest.mark.parametrize("order", [1, 2])
def test_conductivity_without_value_at_zero(tmp_path, order):
    """k = 1/T between 300 and 600 has T = 300 * 2^x (Kirchhoff's transform): the iteration begins where k has a value. Exact at the nodes of
    triangles, whose means of T make a geometric series; of order 3 in h on elements of second order."""
    error = []
    for n in (4, 8):
        got = case(tmp_path, """
mesh: {rectangle: {size: [1, 0.25], cells: [%d, %d], shape: tri}}
physics: heat
element: {order: %d}
materials: {m: {conductivity: {formula: "1/T"}}}
boundary: [{set: left, temperature: 300 K}, {set: right, temperature: 600 K}]
solve: {heat: {}}
""" % (n, n // 4, order))
        error.append(np.abs(got.static[0]["temperature"][:, 0] - 300 * 2 ** got.coordinates[:, 0]).max())
    assert error[1] <= 1e-5 if order == 1 else error[1] <= 0.1 and math.log2(error[0] / error[1]) >= 2.6
    done = call("check", tmp_path / "heat.yaml")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("mesh, element, words", [(*s, ()) for s in SHAPES] + [(*SHAPES[k], ("--device", "opencl")) for k in (1, 4)]
                         + [(*SHAPES[0], ("--set", "solve.heat.capacity=lumped")), (*SHAPES[3], ("--set", "solve.heat.method=femses"))])
def test_specific_heat(tmp_path, mesh, element, words):
    """rho c dT/dt = s with c = (1 + x)(1 + T/2) and s = 4 (1 + x): T + T^2 / 4 = 2 t everywhere, exactly at theta 1/2, as c is linear in T."""
    got = case(tmp_path, """
units: none
mesh: {%s}
physics: heat
%s
materials: {m: {conductivity: {formula: "1 + x*T"}, density: 2, specific_heat: {formula: "(1 + x) * (1 + T/2)"}}}
sources: [{heat: {formula: "4 * (1 + x)"}}]
outputs: {field: {frames: 2}}
solve: {heat: {end: 2, dt: 0.25, theta: 0.5}}
""" % (mesh, element), *words)
    within = 1e-6 if "solve.heat.capacity=lumped" not in words else 0.2  # lumped: c of a node is not that of its place
    for k, step in enumerate(got.static):
        assert np.abs(step["temperature"] - 2 * (math.sqrt(1 + 2 * (k + 1)) - 1)).max() <= within
    heat = got.summary["heat"]
    assert heat["stored"] == pytest.approx(2 * 4 * 1.5 * (0.5 if mesh.startswith("rect") else 0.25), rel=1e-6)


@pytest.mark.parametrize("theta", [0.5, 1])
def test_travelling_wave(tmp_path, theta):
    """u_t = (u u_x)_x has the wave u = t + 1.5 - x, with k = 2 T, rho c = 2, and a flux 2 T that leaves at the right."""
    got = case(tmp_path, """
units: none
mesh: {box: {size: [1, 0.5, 0.5], cells: [4, 2, 2], shape: hex, jitter: 0.2}}
physics: heat
materials: {m: {conductivity: {formula: "2*T"}, density: 4, specific_heat: 0.5}}
boundary:
  - {set: left, temperature: 1, signal: {table: {time: [0, 1], value: [1.5, 2.5]}}}
  - {set: right, flux: {formula: "-2*T"}}
initial: [{set: all, temperature: {formula: "1.5 - x"}}]
outputs: {field: {frames: 2}}
solve: {heat: {end: 0.4, dt: 0.05, theta: %g}}
""" % theta)
    for step, time in zip(got.static, (0.2, 0.4)):
        assert np.abs(step["temperature"][:, 0] - (time + 1.5 - got.coordinates[:, 0])).max() <= 1e-6
    assert abs(got.summary["heat"]["open"]) <= 1e-8


def test_what_is_wrong_is_told(tmp_path):
    """Each with its reason: T where only the place counts, and formulas that no material has at some temperature."""
    text = STEADY.format(FLAT % "tri", "", "1 + 2*x + y", '  - {set: top, flux: {formula: "1 + x + T"}}', 7, "")
    assert "cannot depend on the temperature T" in refuse(tmp_path, text.replace('left, temperature: {formula: "1', 'left, temperature: {formula: "T + 1'))
    film = text.replace('flux: {formula: "1 + x + T"}', 'film: {coefficient: 2, sink: {formula: "T"}}')
    assert "cannot depend on the temperature T" in refuse(tmp_path, film)
    told = refuse(tmp_path, text.replace('conductivity: {formula: "1 + x + T"}', 'conductivity: {formula: "x - T"}'))
    assert "conductivity x - T is" in told and "and temperature" in told and "must be finite and above 0" in told
    told = refuse(tmp_path, text.replace('reaction: {formula: "T"}', 'reaction: {formula: "-T"}'))
    assert "reaction -T is" in told and "0 or above" in told
    assert "unknown name" in refuse(tmp_path, text.replace('reaction: {formula: "T"}', 'reaction: {formula: "t"}'))
    moving = text.replace("reaction:", "velocity: [1, 0], density: 1, specific_heat: 1, reaction:")
    assert "which are not supported together" in refuse(tmp_path, moving)
    heat = text.replace("reaction:", "density: 1, specific_heat: {formula: \"1 - T\"}, reaction:").replace("heat: {}", "heat: {end: 1, dt: 0.5}")
    assert "specific_heat 1 - T is" in refuse(tmp_path, heat.replace("sources", "initial: [{set: all, temperature: 2}]\nsources"))
