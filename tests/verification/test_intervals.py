"""Samples lie on the asked interval: the step that is chosen divides it, a given one that does not is refused."""
import h5py
import numpy as np
import pytest

import fem
from command import run

PLATE = {"mesh": {"rectangle": {"size": [40, 20], "cells": [16, 8]}}, "materials": {"m": {"density": 1, "p_speed": 5.9, "s_speed": 3.2}},
         "units": "none", "sources": [{"at": [10, 10], "force": 1, "direction": [0, 1], "signal": {"ricker": {"frequency": 0.5}}}]}


def case(intervals, end=10, order=1, field=None, **solve):
    traces = [{"name": f"t{k}", "at": [[30, 10]], "interval": i} for k, i in enumerate(intervals)]
    return {**PLATE, "element": {"order": order}, "outputs": {"traces": traces, "field": field or {"frames": 1}}, "solve": {"explicit": {"end": end, **solve}}}


def grid(got, name, interval, end):
    """0, interval, ... up to the last step, to rounding, which is the first one at or beyond the end."""
    time, last = got.time[name], got.summary["counts"]["steps"] * got.dt
    assert end * (1 - 1e-9) <= last < end + got.dt, (last, got.dt)
    return len(time) == int(last / interval * (1 + 1e-9)) + 1 and np.abs(time - interval * np.arange(len(time))).max() <= 1e-9 * end


@pytest.mark.parametrize("order", [1, 3])
@pytest.mark.parametrize("interval", [0.17, 0.02, 0.4, 1.37, 25])
def test_one_interval(tmp_path, order, interval):
    """Shorter than the stable step, longer, and longer than the run."""
    got = run(tmp_path, case([interval], order=order))
    assert grid(got, "t0", interval, 10)
    assert abs(interval / got.dt - round(interval / got.dt)) <= 1e-9 * interval / got.dt


def test_several_intervals(tmp_path):
    """A common divisor serves all, frames too."""
    got = run(tmp_path, case([0.6, 0.9, 1.5], field={"interval": 0.3, "quantity": "displacement"}))
    for k, interval in enumerate([0.6, 0.9, 1.5]):
        assert grid(got, f"t{k}", interval, 10)
    with h5py.File(tmp_path / "model.hooke/field.vtkhdf") as file:
        time = file["VTKHDF/Steps/Values"][:]
    assert np.abs(time[:-1] - 0.3 * np.arange(len(time) - 1)).max() <= 1e-6


@pytest.mark.parametrize("how, words", [({"interval": 10.5}, "its interval of 10.5 s is longer than the computed time of 10"), ({"every": 100000}, "it samples every 100000 time steps, and there are"),
                                        ({"interval": 9.9}, None), ({"every": 3}, None)])
def test_one_sample_alone_is_told(tmp_path, how, words):
    """An interval beyond the end, more steps than there are: the sample at t = 0 alone, with a warning."""
    plate = {**case([]), "outputs": {"traces": [{"name": "t0", "at": [[30, 10]], **how}], "field": {"frames": 1}}}
    plate["units"] = {"length": "km", "time": "s", "mass": "kg"}
    got = run(tmp_path, plate)
    told = [w for w in got.summary["warnings"] if "only the sample at t = 0 is recorded" in w]
    assert len(told) == (words is not None) and all(words in w for w in told), got.summary["warnings"]
    assert (len(got.time["t0"]) == 1) == (words is not None)


def test_one_sample_of_a_deck_is_told(tmp_path):
    """*OUTPUT, HISTORY, FREQUENCY and TIME INTERVAL."""
    for how in ("FREQUENCY=1000", "TIME INTERVAL=20."):
        deck = FRAME_TIMES.replace("*TIME POINTS, NAME=P\nPOINTS\n", "").replace("*OUTPUT, FIELD, TIME POINTS=P", f"*OUTPUT, HISTORY, {how}")
        got = run(tmp_path, deck.replace("*NODE OUTPUT", "*NODE OUTPUT, NSET=RX").replace("*MATERIAL", "*NSET, NSET=RX\n3\n*MATERIAL"), name=how[:4])
        assert len([w for w in got.summary["warnings"] if "only the sample at t = 0 is recorded" in w]) == 1, got.summary["warnings"]


def test_no_common_divisor(tmp_path):
    assert "no common divisor" in run(tmp_path, case([1.0, np.pi]), code=3).stderr


def test_given_step(tmp_path):
    """A given step that divides the interval is taken; another one is refused with one that does."""
    assert grid(run(tmp_path, case([0.17], dt=0.0425)), "t0", 0.17, 10)
    assert "give dt 0.034," in run(tmp_path, case([0.17], dt=0.04), code=3).stderr


def test_many_more_steps_are_told(tmp_path):
    got = run(tmp_path, case([1e-3], end=1))
    assert any("times as many steps" in w for w in got.summary["warnings"])


FRAME_TIMES = fem.mesh_deck(fem.grid("quad4", [8, 4], [8.0, 4.0])) + "\n".join([
    "*MATERIAL, NAME=M", "*DENSITY", "1.", "*ELASTIC", "1., 0.25", "*SOLID SECTION, ELSET=BODY, MATERIAL=M", "*TIME POINTS, NAME=P", "POINTS", "*STEP",
    "*DYNAMIC, EXPLICIT, DIRECT USER CONTROL", "0.25, 10.", "*CLOAD", "3, 1, 1.", "*OUTPUT, FIELD, TIME POINTS=P", "*NODE OUTPUT", "U", "*END STEP", ""])


@pytest.mark.parametrize("points, words", [("0., 1.1, 3.3, 10.", "up to 0.1 from"), ("1.05, 1.1, 3.", "up to 0.1 from the requested times, at the nearest time steps "
                                           "(0.25 apart); 1 share a step"), ("0., 0.25, 1.5, 10.", None)])
def test_frames_off_their_times_are_told(tmp_path, points, words):
    """*TIME POINTS between time steps: frames at the nearest steps, and a note that says how far they lie; none where all lie on steps."""
    got = run(tmp_path, FRAME_TIMES.replace("POINTS\n*STEP", points + "\n*STEP"))
    notes = [n for n in got.summary["notes"] if n.startswith("frames lie")]
    assert len(notes) == (words is not None) and all(words in n for n in notes), got.summary["notes"]
    with h5py.File(tmp_path / "model.hooke/field.vtkhdf") as file:
        time = file["VTKHDF/Steps/Values"][:]
    assert time.tolist() == sorted({round(float(p) / 0.25) * 0.25 for p in points.split(",")})


def test_frames_of_a_case_off_their_interval_are_told(tmp_path):
    """An interval of frames that a given step does not divide."""
    notes = [n for dt in (0.02, 0.03) for n in run(tmp_path, case([], field={"interval": 0.1, "quantity": "displacement"}, dt=dt)).summary["notes"]
             if n.startswith("frames lie")]
    assert len(notes) == 1 and "(0.03 apart)" in notes[0]
