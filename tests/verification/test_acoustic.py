"""Waves in fluids through the command: a line source beside a wall and a free surface, initial pressure, and what is refused."""
import json

import numpy as np
import pytest

import oracles
from command import call, error, run

RHO, SPEED, F = 1.2, 1.0, 2.0
AT = [2.0, 0.8]
RECEIVER = [2.7, 0.5]


def case(**more):
    model = {
        "mesh": {"rectangle": {"size": [4, 4], "cells": 30}},
        "physics": "acoustic",
        "element": {"order": 4},
        "materials": {"water": {"density": RHO, "sound_speed": SPEED}},
        "sources": [{"at": AT, "volume_rate": 0.7, "signal": {"ricker": {"frequency": F}}}],
        "outputs": {"traces": [{"name": "rx", "at": [RECEIVER], "quantity": "pressure"}]},
        "solve": {"explicit": {"end": 2.8, "dt": 0.005}},
    }
    return model | more


@pytest.mark.parametrize("surface", ["wall", "free"])
def test_line_source_and_its_image(tmp_path, surface):
    """p = direct wave + that of the image in the bottom, whose sign is - at a free surface (p = 0)."""
    more = {"boundary": [{"set": "bottom", "fix": "pressure"}]} if surface == "free" else {}
    got = run(tmp_path, case(**more))
    t, p = got.time["rx"], got.traces["rx"]["pressure"][0, 0]
    direct, image = (0.7 * oracles.line_source(np.hypot(RECEIVER[0] - AT[0], RECEIVER[1] + s * AT[1]), t - 1.2 / F, F, SPEED, RHO)
                     for s in (-1, 1))
    exact = direct + (image if surface == "wall" else -image)
    assert error(p, exact) <= 0.01
    e = got.energy
    assert abs(e["kinetic"] + e["strain"] - e["work"])[-1] <= 1e-6 * e["work"][-1]


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("order, cells", [(1, 20), (2, 8), (9, 2), (10, 2)])
def test_lowest_and_highest_orders(tmp_path, dim, order, cells):
    """The first mode of a box with free ends, sin(pi x) on points j / 20, goes with cos(pi c t)."""
    name = ("rectangle", "box")[dim - 2]
    at = np.arange(1, 20) / 20
    model = case(mesh={name: {"size": [1, 0.3, 0.2][:dim], "cells": [cells, 1, 1][:dim]}}, element={"order": order}, sources=[],
                 boundary=[{"set": "left", "fix": "pressure"}, {"set": "right", "fix": "pressure"}], initial=[{"set": "all", "pressure": 3}],
                 outputs={"traces": [{"name": "rx", "at": [[x, 0.1, 0.1][:dim] for x in at]}]}, solve={"explicit": {"end": 2.0, "dt": 1e-3}})
    got = run(tmp_path, model)
    mode = np.sin(np.pi * at) @ got.traces["rx"]["pressure"][:, 0, :] / 10
    exact = np.cos(np.pi * got.time["rx"])
    amplitude = mode @ exact / (exact @ exact)
    print(order, dim, amplitude, error(mode, amplitude * exact))
    assert abs(amplitude / (12 / np.pi) - 1) <= 0.05 and error(mode, amplitude * exact) <= 0.01


def test_initial_pressure_swings(tmp_path):
    """A layer of water with p = 0 at both ends: the mean of p over it goes with cos(pi c t / L) and its odd harmonics; p(2 L / c) = p(0)."""
    model = case(mesh={"rectangle": {"size": [1, 0.2], "cells": [8, 1]}}, sources=[],
                 initial=[{"set": "all", "pressure": 3}], solve={"explicit": {"end": 2.0}},
                 boundary=[{"set": "left", "fix": "pressure"}, {"set": "right", "fix": ["pressure"]}],
                 outputs={"traces": [{"name": "rx", "at": [[0.5, 0.1]]}]})
    got = run(tmp_path, model)
    t, p = got.time["rx"], got.traces["rx"]["pressure"][0, 0]
    k = np.arange(1, 400, 2)
    exact = (3 * 4 / (np.pi * k) * np.sin(k * np.pi / 2) * np.cos(np.outer(t, k * np.pi))).sum(axis=1)
    smooth = np.exp(-0.5 * (np.arange(-40, 41) * (t[1] - t[0]) / 0.03) ** 2)
    a, b = (np.convolve(v, smooth / smooth.sum(), "valid") for v in (p, exact))
    assert error(a, b) <= 0.03


def test_faces_absorb(tmp_path):
    """Stacey's faces all around let all but 1 % of the energy out (it falls on them below 60 degrees), and what they take closes the balance."""
    model = case(mesh={"rectangle": {"size": [2, 2], "cells": 16}}, absorb={"kind": "stacey", "sets": ["left", "right", "bottom", "top"]},
                 sources=[{"at": [1.0, 1.0], "volume_rate": 0.7, "signal": {"toneburst": {"frequency": F, "cycles": 2}}}],
                 outputs={"traces": [{"name": "rx", "at": [[1.1, 1.2]]}]})
    got = run(tmp_path, model)
    e = got.energy
    left = e["kinetic"] + e["strain"]
    assert 0 <= left[-1] <= 0.01 * left.max()
    assert np.abs(left + e["damping"] - e["work"]).max() <= 1e-6 * e["work"].max()


def test_one_shot_is_the_run(tmp_path):
    """Each of two shots has the trace of a run with its source alone, bit for bit."""
    sources = [{"at": [x, 1.0], "volume_rate": 0.7, "signal": {"ricker": {"frequency": F}}} for x in (1.0, 2.2)]
    small = case(mesh={"rectangle": {"size": [4, 2], "cells": [12, 6]}}, solve={"explicit": {"end": 1.0}})
    both = run(tmp_path, small | {"sources": [], "shots": sources}, name="both")
    for k, source in enumerate(sources):
        alone = run(tmp_path, small | {"sources": [source]}, name=f"alone{k}")
        assert np.array_equal(both.traces["rx"]["pressure"][k], alone.traces["rx"]["pressure"])


@pytest.mark.parametrize("more, words", [
    ({"materials": {"water": {"density": RHO, "sound_speed": SPEED, "bulk": 2.0}}}, "give one of them"),
    ({"materials": {"water": {"density": RHO, "sound_speed": SPEED, "young": 2.0}}}, "a fluid has only sound_speed or bulk"),
    ({"materials": {"iron": {"density": RHO, "young": 1, "poisson": 0.3}}}, "physics: acoustic is for fluids only"),
    ({"sources": [{"at": AT, "force": 1, "direction": [1, 0]}]}, "force does not act on fluids"),
    ({"boundary": [{"set": "left", "fix": "x"}]}, "walls are rigid"),
    ({"boundary": [{"set": "left", "pressure": 1}]}, "pressure does not act on fluids"),
    ({"outputs": {"traces": [{"at": [RECEIVER], "quantity": "stress"}]}}, "must be pressure"),
    ({"outputs": {"field": {"quantity": "stress"}}}, "must be pressure"),
    ({"initial": [{"set": "all", "velocity": [1, 0]}]}, "give pressure"),
    ({"solve": {"static": {}}}, "static solutions have only solids"),
])
def test_what_is_refused(tmp_path, more, words):
    """Exit 3, and the words say what to do."""
    path = tmp_path / "model.json"
    path.write_text(json.dumps(case(**more)))
    done = call("check", path)
    assert done.returncode == 3 and words in done.stderr, done.stderr
