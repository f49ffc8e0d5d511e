"""Elements of an array that fire together with weights: the sum of forces at their places, windows, apertures, what is refused."""
import numpy as np
import pytest

from command import error, run

X = np.arange(1, 3.01, 0.25)  # nine nodes of the top of a plate of squares of 0.25
WINDOWS = {"hann": lambda s: np.sin(np.pi * s)**2, "hamming": lambda s: 0.54 - 0.46 * np.cos(2 * np.pi * s), "cosine": lambda s: np.sin(np.pi * s),
           "blackman": lambda s: 0.42 - 0.5 * np.cos(2 * np.pi * s) + 0.08 * np.cos(4 * np.pi * s), "triangle": lambda s: 1 - np.abs(2 * s - 1)}
DELAYS = [0.02 * k for k in range(9)]


def plate(sources, **more):
    return {"units": "none", "mesh": {"rectangle": {"size": [4, 2], "cells": [16, 8]}}, "materials": {"a": {"density": 1, "p_speed": 2, "s_speed": 1.1}},
            "element": {"order": 2}, "sets": {"probe": {"what": "nodes", "box": {"from": [0.9, 2], "to": [3.1, 2]}}}, "sources": sources,
            "outputs": {"traces": [{"name": "rx", "at": [[2.2, 0.7], [3.3, 1.6]], "quantity": "displacement"}]},
            "solve": {"explicit": {"end": 2, "dt": 0.01}}} | more


PROBE = {"set": "probe", "force": 2, "direction": [0.6, -0.8], "signal": {"ricker": {"frequency": 1.5}}}


def alone(weights, **more):
    """A force for each element, at its place."""
    own = {k: v for k, v in PROBE.items() if k != "set"} | more
    return [own | {"at": [float(x), 2.0], "force": float(2 * w), "delay": d} for x, w, d in zip(X, weights, DELAYS) if w]


@pytest.mark.parametrize("how, weights", [
    *(({"apodisation": name}, window((np.arange(9) + 0.5) / 9)) for name, window in WINDOWS.items()),
    ({"apodisation": [1, 2, 3, -1, 0.5, 0, 1, 0.25, 4]}, [1, 2, 3, -1, 0.5, 0, 1, 0.25, 4]),
    ({"aperture": [3, 6]}, [0, 0, 1, 1, 1, 1, 0, 0, 0]),
    ({"aperture": [2, 5], "apodisation": "hann"}, [0, *WINDOWS["hann"]((np.arange(4) + 0.5) / 4), 0, 0, 0, 0]),
    ({"aperture": [8, 9], "apodisation": [0.5, 3]}, [0] * 7 + [0.5, 3]),
    ({"aperture": [4, 4], "apodisation": "hann"}, [0] * 3 + [1] + [0] * 5),
])
def test_forces_at_the_elements(how, weights, tmp_path):
    """The same traces as the weighted forces one by one, each with its delay."""
    got = run(tmp_path, plate([PROBE | {"delay": DELAYS} | how]), name="array").traces["rx"]["displacement"]
    want = run(tmp_path, plate(alone(weights)), name="alone").traces["rx"]["displacement"]
    assert np.abs(want).max() > 1e-3 and error(got, want) <= 1e-11


def test_a_scan_by_apertures(tmp_path):
    """Shots whose apertures move along the array are those apertures alone."""
    shots = [PROBE | {"aperture": [k, k + 3], "apodisation": "hamming"} for k in (1, 4)]
    got = run(tmp_path, plate([], shots=shots), name="scan").traces["rx"]["displacement"]
    for k, shot in enumerate(shots):
        want = run(tmp_path, plate([shot]), name="one").traces["rx"]["displacement"]
        assert error(got[k], want) <= 1e-11 and np.abs(want).max() > 0


@pytest.mark.parametrize("source, words", [
    (PROBE | {"apodisation": [1, 2]}, "apodisation has 2 weights, and 9 elements act"),
    (PROBE | {"aperture": [3, 5], "apodisation": [1, 2]}, "apodisation has 2 weights, and 3 elements act"),
    (PROBE | {"aperture": [3, 10]}, "the set has 9 nodes"),
    (PROBE | {"aperture": [5, 3]}, "ascending"),
    (PROBE | {"apodisation": "han"}, "apodisation"),
    ({"at": [2, 1], "force": 1, "direction": [1, 0], "signal": PROBE["signal"], "apodisation": "hann"}, "is for force and volume_rate on a set of nodes"),
    ({"set": "probe", "velocity": 1, "direction": [1, 0], "signal": PROBE["signal"], "aperture": [1, 2]}, "is for force and volume_rate on a set of nodes"),
    ({"set": "probe", "total_force": [1, 0], "signal": PROBE["signal"], "apodisation": "hann"}, "is for force and volume_rate on a set of nodes"),
])
def test_what_is_refused(source, words, tmp_path):
    """Exit 3, and the words say what to do."""
    assert words in run(tmp_path, plate([source]), code=3).stderr


def test_arrays_whose_elements_fire_alone(tmp_path):
    """Each shot has the weight of its element."""
    weights = [1, 2, 3, -1, 0.5, 0.25, 1, 0.75, 4]
    source = {k: v for k, v in PROBE.items() if k != "set"} | {"apodisation": weights}
    got = run(tmp_path, plate([source], shots={"array": {"set": "probe"}}), name="array").traces["rx"]["displacement"]
    want = run(tmp_path, plate([], shots=[alone([w])[0] | {"at": [float(x), 2.0], "delay": 0} for x, w in zip(X, weights)]), name="alone").traces["rx"]["displacement"]
    assert got.shape == want.shape and error(got, want) <= 1e-11 and np.abs(want).max() > 1e-3
