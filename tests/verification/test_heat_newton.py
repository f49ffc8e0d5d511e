"""Newton's method in nonlinear heat conduction: its quadratic convergence, the same temperatures as Picard's iteration, methods and refusals."""
import math
import re

import numpy as np
import pytest

from command import call
from test_heat_formulas import FLAT, SHAPES, SOLID, steady
from test_heat_transient import case, refuse

NEWTON = "nonlinear: {method: newton}"

STEEP = """
units: none
mesh: {rectangle: {size: [1, 0.5], cells: [6, 3], shape: %s, jitter: 0.2}}
physics: heat
materials: {m: {conductivity: {formula: "1 + x + T^2"}, reaction: {formula: "1 + T^2"}, density: 1, specific_heat: {formula: "1 + T^2 + x"}}}
boundary: [{set: left, temperature: 0}, {set: right, temperature: 5}, {set: top, flux: {formula: "3 - T^3"}}]
sources: [{heat: {formula: "100 * exp(-T)"}}]
solve: {heat: {%s}}
"""


def residuals(tmp_path, text, how, counts):
    """The relative residual after so many iterations, from the message of a run that is not allowed more."""
    found = []
    for n in counts:
        (tmp_path / "few.yaml").write_text(text % f"{how}nonlinear: {{method: newton, iterations: {n}, tolerance: 1e-13}}")
        done = call("run", tmp_path / "few.yaml", "--output", tmp_path / "few.hooke", "--force", "--no-pictures", "-q")
        if done.returncode == 0:
            break
        assert done.returncode == 7, done.stderr
        found.append(float(re.search(r"residual is ([^ ]+) ", done.stderr).group(1)))
    return found


@pytest.mark.parametrize("how", ["method: direct, ", "method: idr, tolerance: 1e-14, ", "end: 0.5, dt: 0.5, ", "end: 0.5, dt: 0.5, theta: 0.5, "])
def test_convergence_is_quadratic(tmp_path, how):
    """Conductivity, reaction, specific heat, source and flux by temperature: each residual is at most a multiple of the square of the one before."""
    r = residuals(tmp_path, STEEP % ("quad", "%s"), how, range(1, 8))
    small = [k for k in range(len(r) - 1) if 1e-7 < r[k] < 0.2]
    assert len(small) >= 2, r
    for k in small:
        assert r[k + 1] <= 10 * r[k] ** 2 + 1e-13, r


@pytest.mark.parametrize("mesh, element, words", [(*s, ()) for s in SHAPES] + [(*SHAPES[k], ("--device", "opencl")) for k in (0, 4)])
def test_linear_temperature(tmp_path, mesh, element, words):
    """Conductivity, reaction, flux and source by formulas of x and T: exact, in few iterations."""
    got, error = steady(tmp_path, mesh, element, NEWTON, *words)
    assert error <= 1e-6 and got.summary["steps"][0]["nonlinear"]["iterations"] <= 7


@pytest.mark.parametrize("how, words, within", [("method: idr", (), 1e-6), ("method: dense", (), 1e-6), ("method: dense-to-sparse", (), 1e-6),
                                                ("method: femses, relaxation: jacobi", (), 1e-5),
                                                ("method: idr", ("--precision", "single", "--device", "opencl"), 2e-3)])
def test_methods(tmp_path, how, words, within):
    """Each solver of unsymmetric matrices."""
    assert steady(tmp_path, SOLID % "hex", "", f"{how}, {NEWTON}", *words)[1] <= within


@pytest.mark.parametrize("how", ["method: dense", "method: dense-to-sparse", "method: direct, form: elements"])
def test_factors_are_of_the_tangent(tmp_path, how):
    """k = 1 + T from 0 to 4: T = sqrt(1 + 24 x) - 1; matrices that solvers integrate themselves have the tangent, so that hardly a solution needs correction."""
    got = case(tmp_path, """
units: none
mesh: {rectangle: {size: [1, 0.5], cells: [4, 2]}}
physics: heat
materials: {m: {conductivity: {table: {temperature: [0, 10], value: [1, 11]}}}}
boundary: [{set: left, temperature: 0}, {set: right, temperature: 4}]
solve: {heat: {%s, %s}}
""" % (how, NEWTON))
    step = got.summary["steps"][0]
    assert np.abs(got.static[0]["temperature"][:, 0] - (np.sqrt(1 + 24 * got.coordinates[:, 0]) - 1)).max() <= 1e-9
    assert step["iterations"] <= step["nonlinear"]["iterations"] + 1


@pytest.mark.parametrize("how", ["method: dense", "method: cholesky, form: elements"])
def test_factors_have_the_slope(tmp_path, how):
    """A specific heat that rises 30 times: factors of matrices that solvers integrate themselves have its slope, and find the temperatures of `cg`."""
    text = """
units: none
mesh: {rectangle: {size: [2, 1], cells: [4, 2]}}
physics: heat
materials: {m: {conductivity: 1, density: 1, specific_heat: {table: {temperature: [0, 1, 2], value: [1, 1, 30]}}}}
boundary: [{set: left, temperature: 4}, {set: right, film: {coefficient: 2, sink: 0}}]
solve: {heat: {end: 2, dt: 0.5, %s}}
"""
    t = case(tmp_path, text % "method: cg").static[-1]["temperature"].copy()
    assert np.abs(case(tmp_path, text % how).static[-1]["temperature"] - t).max() <= 1e-7


@pytest.mark.parametrize("words", [(), ("--device", "opencl")])
@pytest.mark.parametrize("theta", [0.5, 1])
def test_tables_in_time(tmp_path, theta, words):
    """Tables of both constants: the temperatures of Picard's iteration, which devices integrate; fewer iterations."""
    text = """
units: none
mesh: {rectangle: {size: [1, 0.5], cells: [6, 3], shape: tri, jitter: 0.2}}
physics: heat
materials: {m: {conductivity: {table: {temperature: [0, 1, 2], value: [1, 3, 2]}}, density: 2, specific_heat: {table: {temperature: [0, 1, 3], value: [1, 4, 2]}}}}
initial: [{set: all, temperature: 0.2}]
boundary: [{set: left, temperature: 2}, {set: right, film: {coefficient: 3, sink: 0}}]
solve: {heat: {end: 0.4, dt: 0.1, theta: %g, %s}}
"""
    picard = case(tmp_path, text % (theta, ""), *words)
    t, passes = picard.static[-1]["temperature"].copy(), picard.summary["steps"][-1]["nonlinear"]["iterations"]
    newton = case(tmp_path, text % (theta, NEWTON), *words)
    assert np.abs(newton.static[-1]["temperature"] - t).max() <= 1e-7
    assert newton.summary["steps"][-1]["nonlinear"]["iterations"] < passes and abs(newton.summary["heat"]["open"]) <= 1e-8


def test_lumped(tmp_path):
    """With the lumped capacity the tangent is not exact; the solution is that of Picard's iteration."""
    text = STEEP % ("tri", "end: 0.5, dt: 0.25, capacity: lumped, %s")
    a = case(tmp_path, text % "nonlinear: {iterations: 1000}").static[-1]["temperature"].copy()
    assert np.abs(case(tmp_path, text % NEWTON).static[-1]["temperature"] - a).max() <= 1e-6


def test_radiation(tmp_path):
    """A wall of conductivity 2 and thickness 0.1 m, 1000 K inside, radiates to 300 K: k (1000 - T) / 0.1 = e s (T^4 - 300^4). Picard's iteration fails here."""
    got = case(tmp_path, """
mesh: {rectangle: {size: [0.1, 0.02], cells: [5, 1]}}
physics: heat
materials: {m: {conductivity: 2 W/m/K}}
boundary: [{set: left, temperature: 1000 K}, {set: right, flux: {formula: "0.8 * 5.670374e-8 * (300^4 - T^4)"}}]
solve: {heat: {%s}}
""" % NEWTON)
    low, high = 300.0, 1000.0
    for _ in range(200):
        t = (low + high) / 2
        low, high = (t, high) if 20 * (1000 - t) > 0.8 * 5.670374e-8 * (t**4 - 300**4) else (low, t)
    assert np.abs(got.static[0]["temperature"][:, 0] - (1000 + (t - 1000) * got.coordinates[:, 0] / 0.1)).max() <= 1e-4


def test_what_is_wrong_is_told(tmp_path):
    """Solvers of symmetric matrices are refused with their reason."""
    text = STEEP % ("tri", "%s")
    assert "Newton's method, is not" in refuse(tmp_path, text % f"method: cg, {NEWTON}")
    assert "Newton's method, is not" in refuse(tmp_path, text % f"method: femses, relaxation: multigrid, {NEWTON}")
