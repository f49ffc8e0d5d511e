"""The shipped examples of heat conduction run without a warning, on the processor and by OpenCL, to answers that are known; make.py remakes
their meshes."""
import gzip
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys

import h5py
import numpy as np
import pytest

HOOKE = os.environ["HOOKE"]
EXAMPLES = pathlib.Path(os.environ["HOOKE_SOURCE"]) / "examples"
DEVICES = ["cpu"] + (["opencl"] if "opencl" in subprocess.run([HOOKE, "devices"], capture_output=True, text=True).stdout else [])


@pytest.fixture(params=DEVICES)
def device(request):
    return request.param


def solve(model, folder, device, *words):
    done = subprocess.run([HOOKE, "run", "-q", "--no-pictures", "--force", "--device", device, "--output", folder / "result", EXAMPLES / model,
                           *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    summary = json.loads((folder / "result/run.json").read_text())
    assert summary["status"] == "ok" and summary["warnings"] == []
    with h5py.File(folder / "result/run.h5") as file:
        return summary["steps"][0], file["static/coordinates"][:], file["static/0001/temperature"][:, 0]


def test_laplace_is_a_straight_line(tmp_path, device):
    """u = 1 + 3 x / 3 on a mesh of moved nodes, to rounding (the sum of some hundred terms)"""
    _, x, u = solve("laplace/laplace.yaml", tmp_path, device, "--set", "solve.heat.method=cholesky")
    assert np.abs(u - (1 + x[:, 0])).max() <= 4e-14


def test_deformed_mesh_is_a_logarithm(tmp_path, device):
    """u = ln r / ln 2 to what 20 x 20 bent cells can"""
    _, x, u = solve("laplace/deformed.yaml", tmp_path, device)
    assert np.abs(u - np.log(np.hypot(*x.T)) / math.log(2)).max() <= 4e-3


def test_orders_of_rings_need_fewer_nodes(tmp_path, device):
    """Motz's problem: the energy error sqrt(1 - E / E exact) of 6 rings of orders 1 to 6 is below that of 2 rings of order 8, which have more nodes; E
    exact is half the integral of T dT/dn. T = Re sqrt(x + i y) to that accuracy"""
    make = [sys.executable, EXAMPLES / "refinement/make.py"]
    subprocess.run([*make, "--rings", "2", "--uniform", "8", tmp_path / "uniform.json"], check=True)
    step, x, t = solve("refinement/corner.json", tmp_path, device)
    uniform, more, _ = solve(tmp_path / "uniform.json", tmp_path, device)
    s = (np.arange(4000) + 0.5) / 4000
    half = lambda z, n: np.mean(np.sqrt(z).real * np.real(n * 0.5 / np.sqrt(z))) / 2
    exact = half(1 + 1j * s, 1) + half(-1 + 1j * s, -1) + half(s + 1j, 1j) + half(-s + 1j, 1j)
    error = lambda of: math.sqrt(1 - of["strain_energy"] / exact)
    assert len(x) < len(more) and error(step) <= 4e-3 and error(uniform) >= 8e-3
    assert np.abs(t - np.sqrt(x @ [1, 1j]).real).max() <= 2e-3
    subprocess.run([*make, tmp_path / "corner.json"], check=True)
    assert (tmp_path / "corner.json").read_text() == (EXAMPLES / "refinement/corner.json").read_text()


def test_layer_of_a_flow_is_exact(tmp_path, device):
    """T = 290 + 50 (e^(Pe x / L) - 1) / (e^Pe - 1) at the nodes to rounding, and the heat of the warm plate is rho c v 50 K"""
    step, x, t = solve("advection/layer.yaml", tmp_path, device)
    assert np.abs(t - 290 - 50 * np.expm1(697 * x[:, 0]) / np.expm1(34.85)).max() <= 1e-10
    assert abs(step["reaction"][0] - 209.1) <= 1e-8


@pytest.mark.parametrize("method", ["idr", "direct", "femses", "auto"])
def test_layers_of_a_skew_flow(tmp_path, device, method):
    """the product of two layers, to what 24 x 24 cells can"""
    _, x, t = solve("advection/skew.yaml", tmp_path, device, "--set", f"solve.heat.method={method}")
    exact = np.expm1(139.4 * x[:, 0]) / np.expm1(6.97) * np.expm1(104.55 * x[:, 1]) / np.expm1(5.2275)
    assert np.abs(t - 290 - 50 * exact).max() <= 0.3


def test_borehole_keeps_to_its_boundary(tmp_path, device):
    """The largest and least temperatures lie on the outer boundary; what flows in there flows out there."""
    step, x, u = solve("borehole/borehole.yaml", tmp_path, device)
    outer = (x[:, 0] < 1e-9) | (x[:, 0] > 3 - 1e-9) | (x[:, 1] < 1e-9) | (x[:, 1] > 2 - 1e-9)
    assert np.abs(u[outer] - (300 + 10 * x[outer, 0] * x[outer, 1])).max() <= 1e-9
    assert u[~outer].max() < u[outer].max() and u[~outer].min() > 300
    assert abs(step["reaction"][0]) <= 1e-6 * step["largest_nodal_force"]


def test_heatsink_gives_off_what_it_gets(tmp_path, device):
    """20 W come in and go; deck (mm, W, Celsius) and case (mm, g, s, K) have the same temperatures; the mean over the film is near 20 W / (h A)"""
    step, x, deck = solve("heatsink/heatsink.inp", tmp_path, device)
    _, _, case = solve("heatsink/heatsink.yaml", tmp_path, device)
    assert np.abs(case - 273.15 - deck).max() <= 1e-5
    assert abs(step["load"][0]) <= 1e-6 * 20
    area = 2 * 60 * 6 + 60 * 6 * 2 + 60 * 60 + 6 * (2 * 24 * 60 + 2 * 24 * 2.5)  # of all but the underside, mm^2
    mean = 25 + 20 / (25e-6 * area)
    assert deck.min() < mean < deck.max() and np.ptp(deck) < 6


@pytest.mark.parametrize("method", ["cg", "cholesky", "dense", "dense-to-sparse", "femses"])
def test_borehole_by_every_method(tmp_path, device, method):
    """The same temperatures to 1e-8 of the largest"""
    _, _, one = solve("borehole/borehole.yaml", tmp_path, "cpu", "--set", "solve.heat.tolerance=1e-13", "--set", "solve.heat.method=direct")
    _, _, two = solve("borehole/borehole.yaml", tmp_path, device, "--set", "solve.heat.tolerance=1e-12", "--set", f"solve.heat.method={method}")
    assert np.abs(one - two).max() <= 1e-8 * one.max()


def lines(path):
    data = pathlib.Path(path).read_bytes()
    return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).count(b"\n")


@pytest.mark.parametrize("make, shipped", [("laplace", "deformed.inp.gz"), ("heatsink", "mesh.inp.gz")])
def test_make_remakes_the_mesh(make, shipped, tmp_path):
    """As many lines to 2 % (versions of gmsh differ)"""
    if make == "heatsink" and not shutil.which("gmsh"):
        pytest.skip("the gmsh program is not installed: make.py cannot be run")
    made = tmp_path / "made.inp"
    subprocess.run([sys.executable, EXAMPLES / make / "make.py", made], check=True, env={**os.environ, "HOOKE": HOOKE})
    assert abs(lines(made) / lines(EXAMPLES / make / shipped) - 1) <= .02


def quench(folder, device, *more):
    """Times, temperatures of the three receivers, and the summary of a run whose heat is balanced."""
    done = subprocess.run([HOOKE, "run", "-q", "--no-pictures", "--device", device, "--output", folder, EXAMPLES / "quench/quench.yaml", *more],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    summary = json.loads((folder / "run.json").read_text())
    heat = summary["heat"]
    assert summary["warnings"] == [] and abs(heat["open"]) <= 1e-9 * heat["exchanged"]
    assert abs(heat["stored"] + heat["exchanged"] - heat["supplied"]) <= 1e-7 * heat["exchanged"]
    with h5py.File(folder / "run.h5") as file:
        return file["traces/bar/time"][:], file["traces/bar/temperature"][:, 0]


def test_quench_takes_what_the_bar_loses(tmp_path):
    """The heat that the film takes is what the bar stored, by the integral of its table; the middle waits near the peak of the specific heat.
    Other devices have the processor's temperatures beyond that peak."""
    time, value = quench(tmp_path / "cpu", "cpu")
    assert np.all(np.diff(value[0]) <= 1e-3) and np.all(value[0] >= value[1]) and np.all(value[1] >= value[2])
    assert value[0][np.isclose(time, 40)][0] == pytest.approx(1016, abs=6) and value[0, -1] == pytest.approx(316.5, abs=2)
    for device in DEVICES[1:]:
        early, other = quench(tmp_path / device, device, "--set", "solve.heat.end=60")
        assert len(early) > 20 and np.array_equal(early, time[:len(early)])
        assert np.abs(other - value[:, :len(early)]).max() <= 1e-5


def test_freezing_is_stefans_solution(tmp_path):
    """Temperatures at three points beside Stefan's closed solution, and the heat that left: latent heat of the ice, and what cooled it."""
    done = subprocess.run([HOOKE, "run", "-q", "--no-pictures", "--output", tmp_path / "f", EXAMPLES / "freezing/freezing.yaml"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "f/run.json").read_text())
    with h5py.File(tmp_path / "f/run.h5") as file:
        time, value = file["traces/ice/time"][:], file["traces/ice/temperature"][:, 0]
    k, rho, c, latent, end = 2.2, 917, 2100, 334e3, 28800
    a, low, high = k / rho / c, 0.0, 5.0
    for _ in range(200):
        x = (low + high) / 2
        low, high = (x, high) if x * math.exp(x * x) * math.erf(x) < c * 20 / latent / math.sqrt(math.pi) else (low, x)
    for own, place in zip(value, (0.01, 0.02, 0.04)):
        for t, got in zip(time, own):
            length = 2 * math.sqrt(a * t)
            if t >= 7200:
                assert abs(got - (253.15 + 20 * min(math.erf(place / length) / math.erf(x), 1))) <= 0.2
    length = 2 * math.sqrt(a * end)
    cooled = x * length - length / math.erf(x) * (x * math.erf(x) + (math.exp(-x * x) - 1) / math.sqrt(math.pi))
    heat = summary["heat"]
    assert summary["warnings"] == [] and abs(heat["open"]) <= 1e-9 * abs(heat["stored"])
    assert heat["stored"] == pytest.approx(-0.002 * rho * (latent * x * length + 20 * c * cooled), rel=0.01)
