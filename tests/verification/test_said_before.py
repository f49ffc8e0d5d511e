"""What check and run say of models that nothing drives, of forces that rounding takes away, and of numbers that files cannot hold."""
import json

import h5py
import numpy as np
import pytest

from command import call

BAR = {"units": "none", "mesh": {"rectangle": {"size": [4, 2], "cells": [8, 4]}}, "materials": {"m": {"density": 1, "young": 1, "poisson": 0.3}},
       "outputs": {"traces": [{"name": "rx", "at": [[3, 1]]}]}, "solve": {"explicit": {"end": 4}}}
POINT = {"at": [1, 1], "force": 1, "direction": [1, 0]}
NOTHING = "nothing drives the model"


def check(folder, case, *words):
    (folder / "case.json").write_text(json.dumps(case))
    done = call("check", folder / "case.json", *words)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.parametrize("change", [
    {}, {"boundary": [{"set": "left", "fix": ["x", "y"]}]}, {"sources": [{**POINT, "force": 0}]},
    {"sources": [{**POINT, "signal": {"toneburst": {"frequency": 1, "cycles": 2}, "scale": 0}}]},
    {"sources": [{**POINT, "signal": {"ricker": {"frequency": 1}}, "delay": 5}]},
    {"initial": [{"set": "all", "velocity": [0, 0]}]}, {"shots": [{**POINT, "force": 0}]}])
def test_check_says_that_nothing_drives_the_model(tmp_path, change):
    assert NOTHING in check(tmp_path, {**BAR, **change})


@pytest.mark.parametrize("change", [
    {"sources": [POINT]}, {"boundary": [{"set": "left", "pressure": 1}]}, {"boundary": [{"set": "left", "move": {"x": 1}}]},
    {"sources": [{"gravity": [0, -1]}]}, {"sources": [{"set": "left", "velocity": 1, "direction": [1, 0]}]},
    {"initial": [{"set": "left", "displacement": [1, 0]}]}, {"shots": [POINT]},
    {"sources": [{**POINT, "signal": {"ricker": {"frequency": 1}}, "delay": 3}]}])
def test_what_drives_the_model_is_seen(tmp_path, change):
    assert NOTHING not in check(tmp_path, {**BAR, **change})


def test_a_shot_that_nothing_drives_is_named(tmp_path):
    assert "nothing drives 1 of 3 shots (first: shot 2)" in check(tmp_path, {**BAR, "shots": [POINT, {**POINT, "force": 0}, POINT]})


@pytest.mark.parametrize("kind", ["static", "heat"])
def test_check_says_that_a_static_step_has_no_load(tmp_path, kind):
    case = {**BAR, "solve": {kind: {}}, "boundary": [{"set": "left", "fix": ["x", "y"]}], "outputs": {}}
    loaded = {**case, "sources": [{"set": "right", "force": 1, "direction": [1, 0]}]}
    if kind == "heat":
        case.update(physics="heat", materials={"m": {"conductivity": 1}}, boundary=[{"set": "left", "temperature": 0}])
        loaded = {**case, "sources": [{"heat": 1}]}
    assert "step 1 has no load: its result will be zero" in check(tmp_path, case)
    assert "has no load" not in check(tmp_path, loaded)


def test_no_materials_is_said_in_words(tmp_path):
    (tmp_path / "case.json").write_text(json.dumps({**BAR, "materials": {}}))
    done = call("check", tmp_path / "case.json")
    assert done.returncode == 3 and "materials is empty: say what the elements are made of" in done.stderr and "regions" not in done.stderr


FALL = {"units": "none", "mesh": {"box": {"size": [4, 2, 2], "cells": [2, 1, 1]}}, "materials": {"m": {"density": 1, "young": 1e10, "poisson": 0.3}},
        "sources": [{"gravity": [0, 0, -9.81]}], "initial": [{"set": "all", "velocity": [0, 0, 3]}],
        "outputs": {"traces": [{"name": "rx", "at": [[1, 1, 1]], "quantity": "acceleration"}]}, "solve": {"explicit": {"end": 1e-4, "dt": 1e-7}}}
ROUNDED = "single precision: a force accelerates the body by"


@pytest.mark.parametrize("case, said", [
    (FALL, True), ({**FALL, "solve": {"explicit": {"end": 1e-3, "dt": 5e-6}}}, False), ({**FALL, "initial": []}, False),
    ({**FALL, "sources": [{"body_force": [0, 0, -9.81]}]}, True),
    ({**FALL, "sources": [{"set": "all", "force": -9.81 * 16 / 12, "direction": [0, 0, 1], "signal": {"ricker": {"frequency": 1e4}}}]}, True),
    ({**FALL, "boundary": [{"set": "left", "traction": [0, 0, -36]}], "sources": []}, True),
    ({**FALL, "initial": [], "solve": {"explicit": {"end": 1, "dt": 5e-6}}}, True),  # falls from rest through 200 000 steps
    ({**FALL, "initial": [], "solve": {"explicit": {"end": 1, "dt": 5e-6}}, "boundary": [{"set": "left", "fix": "z"}]}, False)])
def test_slow_forces_on_fast_bodies_are_warned_of_in_single(tmp_path, case, said):
    """Where 2^-24 v is above 1 % of a dt, and in single precision alone."""
    assert (ROUNDED in check(tmp_path, case)) is said
    assert ROUNDED not in check(tmp_path, case, "--precision", "double")


@pytest.mark.parametrize("force, said", [(1e-45, True), (1e-36, True), (1e-20, False), (1, False)])
def test_forces_that_single_precision_loses_are_warned_of(tmp_path, force, said):
    """a force so small that displacements underflow; in double nothing is lost"""
    case = {"units": "none", "mesh": {"rectangle": {"size": [1, 0.5], "cells": [8, 4]}}, "materials": {"m": {"density": 1, "p_speed": 1, "s_speed": 0.5}},
            "sources": [{"at": [0.5, 0.25], "force": force, "direction": [1, -3], "signal": {"ricker": {"frequency": 2}}}], "solve": {"explicit": {"end": 2}}}
    words = "numbers below 1e-38 are lost"
    assert (words in check(tmp_path, case)) is said
    assert words not in check(tmp_path, case, "--precision", "double")


def test_what_is_warned_of_is_lost(tmp_path):
    """The acceleration of FALL in single is off by more than 1 %, in double by less than 1e-6."""
    got = {}
    (tmp_path / "case.json").write_text(json.dumps(FALL))
    for precision in ("single", "double"):
        done = call("run", tmp_path / "case.json", "--output", tmp_path / precision, "--precision", precision, "--no-pictures")
        assert done.returncode == 0 and (ROUNDED in done.stderr) is (precision == "single"), done.stderr
        with h5py.File(tmp_path / precision / "run.h5") as file:
            got[precision] = abs(np.mean(file["traces/rx/acceleration"][0, 2, 5:]) / -9.81 - 1)
    assert got["single"] > 0.01 and got["double"] <= 1e-6


@pytest.mark.parametrize("words", [[], ["--field-format", "vtu"]])
@pytest.mark.parametrize("size, code", [(1e300, 3), (1e39, 3), (1e38, 0), (1e-40, 0)])
def test_values_beyond_single_precision(tmp_path, words, size, code):
    """Field files are in single precision: above 3.4e38 the run ends in 3, no infinity is written; below 1.2e-38 a warning tells it."""
    case = {**BAR, "solve": {"static": {}}, "outputs": {}, "boundary": [{"set": "left", "fix": ["x", "y"]}, {"set": "right", "move": {"x": size}}]}
    (tmp_path / "case.json").write_text(json.dumps(case))
    done = call("run", tmp_path / "case.json", "--output", tmp_path / "out", "--no-pictures", *words)
    assert done.returncode == code, done.stderr
    assert ("above 3.4e38" in done.stderr) is (code == 3)
    assert ("below 1.2e-38" in done.stderr) is (size == 1e-40)


def test_values_beyond_single_precision_in_time(tmp_path):
    case = {**BAR, "initial": [{"set": "all", "velocity": [1e39, 0]}], "outputs": {"field": {"quantity": "velocity", "frames": 2}},
            "solve": {"explicit": {"end": 0.5}}}
    (tmp_path / "case.json").write_text(json.dumps(case))
    done = call("run", tmp_path / "case.json", "--output", tmp_path / "out", "--no-pictures", "--precision", "double")
    assert done.returncode == 3 and "velocity: a value is above 3.4e38" in done.stderr, done.stderr


@pytest.mark.parametrize("change, said", [({"materials": {"m": {"density": 1, "p_speed": 1e-20, "s_speed": 5e-21}}, "solve": {"explicit": {"end": 2e20}}}, "the units of the materials"),
                                          ({"initial": [{"set": "left", "velocity": [1e38, 0]}]}, "the units of the materials"),
                                          ({"initial": [{"set": "left", "velocity": [1e38, 0]}], "precision": "double"}, None)])
def test_numbers_beyond_single_precision_are_no_matter_of_the_step(tmp_path, change, said):
    """A chosen step is below its limit: a smaller one does not help."""
    case = {"units": "none", "mesh": {"rectangle": {"size": [1, 0.5], "cells": [8, 4]}}, "element": {"order": 2}, "materials": {"m": {"density": 1, "young": 1e6, "poisson": 0.3}},
            "sources": [{"at": [0.3, 0.3], "force": 1, "direction": [1, -3], "signal": {"ricker": {"frequency": 6e-20}}}],
            "outputs": {"traces": [{"name": "rx", "at": [[0.7, 0.3]]}]}, "solve": {"explicit": {"end": 0.1}}, **change}
    precision = case.pop("precision", "single")
    (tmp_path / "case.json").write_text(json.dumps(case))
    done = call("run", tmp_path / "case.json", "--output", tmp_path / "out", "--precision", precision, "--no-pictures")
    if said is None:
        assert done.returncode != 6, done.stderr
        return
    assert done.returncode == 6 and "not-a-number" in done.stderr and said in done.stderr and "give a time step below" not in done.stderr, done.stderr
    assert "range of single precision" in done.stderr and done.stderr.rstrip().endswith("give --precision=double")
