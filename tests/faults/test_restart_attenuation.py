"""A run with attenuation goes on from a checkpoint to the very files of a run that was not interrupted."""
import json
import signal

import pytest

from command import differ, run
from moments_of import stopped_at
from test_restart import in_a_folder_of_its_own  # noqa: F401


SOLID = {"density": 2.5, "p_speed": 2, "s_speed": 1.1, "q_s": 15, "q_p": 30, "q_band": [0.3, 5]}
FLUID = {"density": 1, "sound_speed": 1.5, "q_p": 15, "q_band": [0.3, 5]}


@pytest.mark.parametrize("precision, medium", [("single", "solid"), ("double", "solid"), ("single", "both"), ("double", "both"), ("double", "layer")])
def test_interrupted_run_goes_on_bitwise(tmp_path, precision, medium):
    case = {"units": "none", "mesh": {"rectangle": {"size": [2, 2], "cells": 10, "jitter": 0.2}}, "element": {"order": 4}, "plane": "strain",
            "sets": {"top half": {"what": "elements", "box": {"from": [0, 1], "to": [2, 2]}}},
            "materials": {"rock": SOLID, "mud": FLUID}, "regions": {"top half": "mud" if medium == "both" else "rock", "all": "rock"}, "boundary": [{"set": "bottom", "fix": ["x", "y"]}],
            "sources": [{"at": [0.33, 0.41], "force": 1, "direction": [1, 1], "signal": {"ricker": {"frequency": 2}}}],
            "outputs": {"traces": [{"name": "rx", "at": [[0.7, 0.6]], "every": 7}], "field": {"quantity": ["displacement"], "frames": 6}},
            "solve": {"explicit": {"end": 6, "dt": 0.004}}} | ({"absorb": {"kind": "pml", "sets": "right", "thickness": 0.4}} if medium == "layer" else {})
    words = ["c.json", "--precision", precision, "--no-pictures"]
    (tmp_path / "c.json").write_text(json.dumps(case))
    assert stopped_at("checkpoint", 7, signal.SIGINT, *words, "--output", "c.hooke").returncode == 130
    assert run(*words, "--output", "whole.hooke").returncode == 0
    again = run(*words, "--output", "c.hooke", "--restart")
    assert again.returncode == 0, again.stderr
    for name in ("run.h5", "field.vtkhdf"):
        assert differ(f"whole.hooke/{name}", f"c.hooke/{name}") == ""
