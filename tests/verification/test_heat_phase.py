"""Change of phase: latent heat by the chord of the enthalpy, beside closed forms for one step of any length and for Stefan's problem."""
import math
import os
import pathlib

import numpy as np
import pytest

from command import call
from test_heat_formulas import FLAT, SHAPES, SOLID
from test_heat_transient import case, refuse

HEATED = """
units: none
mesh: {%s}
physics: heat
%s
materials: {m: {conductivity: 1, density: 2, specific_heat: %s, latent_heat: {value: 5, solidus: 1, liquidus: 1.1}}}
sources: [{heat: 10}]
outputs: {field: {frames: 1}}
solve: {heat: {end: 2, dt: %g, theta: %g, %s}}
"""


def temperature(h, c):
    """T with enthalpy h per mass: specific heat c(T) = c0 + c1 T, 5 between 1 and 1.1."""
    low, high = 0.0, 1e3
    for _ in range(200):
        t = (low + high) / 2
        low, high = (t, high) if c[0] * t + c[1] * t * t / 2 + 50 * min(max(t - 1, 0), 0.1) < h else (low, t)
    return t


@pytest.mark.parametrize("mesh, element, words", [(*s, ()) for s in SHAPES[:6]] + [(*SHAPES[k], ("--device", "opencl")) for k in (0, 3)]
                         + [(*SHAPES[1], ("--precision", "single", "--set", "solve.heat.method=cg"))])
@pytest.mark.parametrize("dt, theta", [(2, 1), (0.25, 0.5)])
def test_heat_of_any_step(tmp_path, mesh, element, words, dt, theta):
    """rho H(T) = s t, in one step that passes the peak as in eight: the heat of the peak is not missed."""
    got = case(tmp_path, HEATED % (mesh, element, "{table: {temperature: [0, 10], value: [1, 3]}}", dt, theta, ""), *words)
    within = 1e-6 if "single" not in words else 1e-3
    assert np.abs(got.static[0]["temperature"] - temperature(10, (1, 0.2))).max() <= within


@pytest.mark.parametrize("how", ["capacity: lumped", "nonlinear: {method: newton}", "capacity: lumped, nonlinear: {method: newton}", "method: femses"])
def test_methods(tmp_path, how):
    """The same with the lumped capacity, Newton's method, and element by element."""
    got = case(tmp_path, HEATED % (FLAT.replace(", jitter: 0.2", "") % "quad", "", "1.5", 2, 1, how))
    assert np.abs(got.static[0]["temperature"] - temperature(10, (1.5, 0))).max() <= 1e-6


def front(stefan):
    """lambda exp(lambda^2) erf(lambda) = Ste / sqrt(pi)."""
    low, high = 0.0, 5.0
    for _ in range(200):
        x = (low + high) / 2
        low, high = (x, high) if x * math.exp(x * x) * math.erf(x) < stefan / math.sqrt(math.pi) else (low, x)
    return x


@pytest.mark.parametrize("mesh, how, words", [
    ("rectangle: {size: [1, 0.05], cells: [100, 1]}", "", ()), ("rectangle: {size: [1, 0.05], cells: [100, 2], shape: tri}", "nonlinear: {method: newton}", ()),
    ("box: {size: [1, 0.05, 0.05], cells: [100, 1, 1]}", "capacity: lumped", ()), ("rectangle: {size: [1, 0.05], cells: [100, 1]}", "", ("--device", "opencl"))])
def test_stefan(tmp_path, mesh, how, words):
    """A liquid at its melting point 1 freezes from a wall at 0: the front 2 lambda sqrt(t) and T = erf(x / 2 sqrt(t)) / erf(lambda) behind it."""
    latent, end = 2.0, 0.15
    got = case(tmp_path, """
units: none
mesh: {%s}
physics: heat
materials: {m: {conductivity: 1, density: 1, specific_heat: 1, latent_heat: {value: %g, solidus: 0.98, liquidus: 1}}}
initial: [{set: all, temperature: 1}]
boundary: [{set: left, temperature: 0}]
outputs: {field: {frames: 1}}
solve: {heat: {end: %g, dt: 0.0015, %s}}
""" % (mesh, latent, end, how), *words)
    x, t = got.coordinates[:, 0], got.static[0]["temperature"][:, 0]
    place = front(1 / latent)
    where = 2 * place * math.sqrt(end)
    exact = np.array([math.erf(v / (2 * math.sqrt(end))) / math.erf(place) if v < where else 1 for v in x])
    assert np.abs(t - exact).max() <= 0.03
    # heat that left: stored = -(front * latent + integral of 1 - T)
    sensible = where - (2 * math.sqrt(end) / math.erf(place)) * (place * math.erf(place) + (math.exp(-place**2) - 1) / math.sqrt(math.pi))
    size = 0.05 if mesh.startswith("rect") else 0.0025
    assert got.summary["heat"]["stored"] == pytest.approx(-size * (latent * where + sensible), rel=0.03)
    assert abs(got.summary["heat"]["open"]) <= 1e-8


def test_what_is_wrong_is_told(tmp_path):
    """Each with its reason."""
    text = HEATED % (FLAT % "tri", "", "1.5", 2, 1, "")
    assert "liquidus must be above solidus" in refuse(tmp_path, text.replace("1.1", "0.9"))
    assert "lacks" in refuse(tmp_path, text.replace(", liquidus: 1.1", ""))
    assert "needs a specific_heat that is a number or a table" in refuse(tmp_path, text.replace("heat: 1.5", 'heat: {formula: "1 + T"}'))


@pytest.mark.parametrize("more", [[], ["--set", "solve.heat.tolerance=1e-5"]])
def test_iterations_within_iterations(tmp_path, more):
    """Conjugate gradients go on below the tolerance of their own, so that the change of the temperatures falls below that of Picard's iteration."""
    freezing = pathlib.Path(os.environ["HOOKE_SOURCE"]) / "examples/freezing/freezing.yaml"
    done = call("run", freezing, "--set", "solve.heat.method=cg", *more, "--precision", "double", "--device", "cpu", "--no-pictures", "--output", tmp_path / "o")
    assert done.returncode == 0, done.stderr
