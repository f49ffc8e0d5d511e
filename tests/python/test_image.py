"""Images of an array's full matrix: point scatterers with exact times of flight, and the back wall of a plate."""
import h5py
import matplotlib.image
import numpy as np
import pytest

import hooke
from hooke import image

pytestmark = pytest.mark.filterwarnings("ignore::hooke.HookeWarning")  # of coarse meshes
SPEED, DELAY = 5.9, 0.8  # mm/us, us


def burst(t):
    return np.exp(-(t / 0.7) ** 2) * np.cos(2 * np.pi * 2 * t + 0.7)


def matrix(x, time, scatterers):
    """[shot, receiver, sample] of scatterers {place: amplitude}, without spreading."""
    total = 0
    for place, amplitude in scatterers.items():
        way = np.linalg.norm(x - place, axis=1)
        total += amplitude * burst(time - DELAY - (way[:, None, None] + way[None, :, None]) / SPEED)
    return total


def test_envelope_of_a_burst():
    for count in (2000, 2001):
        time = np.linspace(-10, 10, count)
        assert abs(abs(image.analytic(burst(time))) - np.exp(-(time / 0.7) ** 2)).max() < 1e-4


def test_scatterers_are_found_with_their_amplitude():
    x = np.stack([np.arange(16) * 2.0, np.full(16, 20.0)], 1)
    time = np.arange(0, 20, 0.01)
    across, up = np.meshgrid(np.linspace(5, 25, 81), np.linspace(2, 14, 49))
    points = np.stack([across, up], -1)
    for place in ((12.1, 9.1), (20.05, 5.02)):
        got = image.focus(matrix(x, time, {place: 3}), time, x, x, points, SPEED, DELAY)
        peak = np.unravel_index(got.argmax(), got.shape)
        assert abs(points[peak] - place).max() <= 0.125  # half a pixel
        there = image.focus(matrix(x, time, {place: 3}), time, x, x, [place], SPEED, DELAY)
        assert there == pytest.approx([3], rel=5e-3)  # linear between 50 samples a period: 2e-3
    both = image.focus(matrix(x, time, {(12.1, 9.1): 1, (20.05, 5.02): 0.5}), time, x, x, points, SPEED, DELAY)
    left = image.decibels(both, 60)[:, across[0] < 16].max(), image.decibels(both, 60)[:, across[0] > 18].max()
    assert left == (0, pytest.approx(-6, abs=1))


def test_points_of_any_shape_and_beyond_the_record():
    x = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
    time = np.arange(0, 5, 0.01)
    values = matrix(x, time, {(0.5, 0.5, 4): 1})
    points = np.random.default_rng(3).uniform(0, 5, (2, 3, 1000, 3))
    got = image.focus(values, time, x, x, points, SPEED, DELAY)
    assert got.shape == (2, 3, 1000)
    assert got[1, 2, 7] == image.focus(values, time, x, x, points[1, 2, 7:8], SPEED, DELAY)[0]
    assert image.focus(values, time, x, x, [[0, 0, 500]], SPEED, DELAY)[0] == 0


@pytest.mark.parametrize("change, words", [
    ({"speed": 0}, "speed 0"), ({"speed": np.nan}, "speed nan"), ({"sources": np.zeros((2, 2))}, "2 sources"), ({"points": [1, 2]}, "points"),
    ({"points": np.zeros((4, 3))}, "points"), ({"time": np.arange(30.0) ** 2}, "even"), ({"values": np.full((3, 3, 30), np.nan)}, "not numbers"),
    ({"values": np.zeros((3, 30))}, "shape")])
def test_wrong_arguments_are_told(change, words):
    arguments = {"values": np.zeros((3, 3, 30)), "time": np.arange(30.0), "sources": np.zeros((3, 2)), "receivers": np.zeros((3, 2)),
                 "points": np.zeros((1, 2)), "speed": 1} | change
    with pytest.raises(hooke.Usage, match=words):
        image.focus(**arguments)


def test_decibels_are_cut_off():
    assert image.decibels(np.array([1, 0.1, 0]), 30).tolist() == [0, -20, -30]
    for arguments in (([1.0], 0), ([0.0], 40)):
        with pytest.raises(hooke.Usage):
            image.decibels(np.array(arguments[0]), arguments[1])


def test_back_wall_of_a_plate(tmp_path):
    at = [[x, 10] for x in range(6, 15)]
    case = {"title": "back wall", "units": {"length": "mm", "time": "us", "mass": "kg"}, "plane": "strain",
            "mesh": {"rectangle": {"from": [0, 0], "to": [20, 10], "cells": [20, 10]}}, "element": {"order": 3},
            "materials": {"steel": {"density": "7800 kg/m^3", "p_speed": "5900 m/s", "s_speed": "3200 m/s"}},
            "shots": {"array": {"at": at, "force": "1 N", "direction": [0, -1], "signal": {"toneburst": {"frequency": "1.25 MHz", "cycles": 2}}}},
            "outputs": {"traces": [{"name": "array", "at": at, "quantity": "velocity"}]}, "solve": {"explicit": {"end": "6 us"}}}
    trace = hooke.run(case, device="cpu", output=tmp_path / "run", pictures=False).traces.array.velocity
    own = trace.bscan("y")
    assert own.shape == (9, len(trace.time))
    late = trace.time > 3
    assert abs(trace.time[late][own[4][late].argmax()] - DELAY - 2 * 10 / SPEED) < 0.25  # two ways through; a third of a period
    depth = np.linspace(-3, 4, 71)
    got = trace.focus(np.stack([np.full(71, 10.0), depth], 1), SPEED, component="y", delay=DELAY)
    assert abs(depth[got.argmax()]) < 0.7  # a seventh of the wavelength
    written_images_are_those_of_arrays(tmp_path / "run", trace)
    case["outputs"]["traces"].append({"name": "turned", "at": at[::-1], "quantity": "velocity"})
    turned = hooke.run(case, device="cpu", output=tmp_path / "turned", pictures=False).traces.turned.velocity
    points = [[10, 0], [7, 1]]
    assert np.array_equal(turned.bscan("y"), own[::-1])
    assert turned.focus(points, SPEED, component="y") == pytest.approx(trace.focus(points, SPEED, component="y"), rel=1e-12)


def written_images_are_those_of_arrays(run, trace):
    """Files of the library = trace.focus and trace.bscan, to rounding."""
    told = image.write(run, component="y", delay=DELAY, region=([4, -1], [16, 4]), spacing=0.25)
    with h5py.File(told["image"]) as file:
        x, y, values = file["x"][:], file["y"][:], file["image"][:]
        assert file.attrs["method"] == "tfm" and file["image"].attrs["unit"] == "mm/us" and file["speed"][:] == pytest.approx([SPEED])
    want = trace.focus(np.stack(np.meshgrid(x, y), -1), SPEED, component="y", delay=DELAY)
    assert values.shape == (21, 49) and abs(values - want).max() <= 1e-11 * want.max()
    assert told["largest"] == pytest.approx(values.max()) and told["at"] == [x[values.argmax() % 49], y[values.argmax() // 49]]
    assert matplotlib.image.imread(told["picture"]).shape[1] > 1000
    told = image.write(run, "bscan", component="y", gate=(2, 5), output=run.parent / "own.h5")
    with h5py.File(run.parent / "own.h5") as file:
        late = (trace.time >= 2) & (trace.time <= 5)
        want = trace.bscan("y")[:, late]
        assert file["time"][:] == pytest.approx(trace.time[late]) and abs(file["image"][:] - want.T).max() <= 1e-11 * want.max()
    for words, more in (("component", {}), ("has two corners|must be two", {"region": ([1, 2],)}), ("2 dimensions", {"region": ([1, 2, 3], [2, 3, 4])}),
                        ("shot", {"shot": 2, "component": "y"}), ("speed 0: must be above 0", {"speed": 0}), ("span 0", {"span": 0}),
                        ("spacing 0", {"spacing": 0}), ("shot 0", {"shot": 0, "method": "cscan"})):
        with pytest.raises(hooke.Error, match=words):
            image.write(run, **{"component": "y"} | more if more else {})
    sections = [(hooke.export(run, png=True, picture=choice) / "trace_array_velocity_shot0001.png").read_bytes()
                for choice in (None, {"section": "density"}, {"section": "density", "scale": 1e-9})]
    assert len(set(sections)) == 3
    for choice, words in (({"colour": 1}, "unknown colour"), ({"range": (2, 1)}, "above the first"), ({"component": "y"}, "no frames"),
                          ({"decibels": 0}, "decibels must be above 0"), ({"scale": 0}, "scale must be above 0")):
        with pytest.raises(hooke.Usage, match=words):
            hooke.export(run, png=True, picture=choice)


def test_a_single_shot_is_no_matrix(tmp_path):
    source = {"force": "1 N", "direction": [0, -1], "signal": {"toneburst": {"frequency": "0.2 MHz", "cycles": 1}}}
    case = {"mesh": {"rectangle": {"from": [0, 0], "to": [2, 1], "cells": [2, 1]}}, "units": {"length": "mm", "time": "us", "mass": "kg"}, "plane": "strain",
            "materials": {"steel": {"density": "7800 kg/m^3", "p_speed": "5900 m/s", "s_speed": "3200 m/s"}},
            "shots": [source | {"at": [1, 1]}], "outputs": {"traces": [{"name": "rx", "at": [[0.5, 1], [1, 1]]}]},
            "solve": {"explicit": {"end": "1 us"}}}
    trace = hooke.run(case, device="cpu", output=tmp_path / "run", pictures=False).traces.rx.displacement
    with pytest.raises(hooke.Usage, match="as many of both"):
        trace.bscan("y")
