"""W14: what an absorbing layer sends back, against the same mesh enlarged three times."""
import json
import re

import numpy as np
import pytest

from command import call, run

SPEED = {"P": 2.0, "S": 1.0}
FREQUENCY = 2.0  # the P wave is 1 long
ROCK = {"density": 1, "p_speed": SPEED["P"], "s_speed": SPEED["S"]}


def predicted(folder, case):
    """The reflection that the command tells of the case, a part of 1."""
    path = folder / "told.json"
    path.write_text(json.dumps(case))
    done = call("check", path)
    told = re.search(r"reflects ([\d.eE+-]+) %", done.stderr + done.stdout)
    assert told, done.stderr + done.stdout
    return float(told[1]) / 100


def velocities(folder, case):
    return run(folder, case).traces["rx"]["velocity"]


def reflected(small, large):
    """sqrt(energy of what comes back / energy of what goes out) from the velocities of the receivers."""
    steps = min(small.shape[2], large.shape[2])
    assert np.abs(large).max() > 0
    return np.linalg.norm(small[..., :steps] - large[..., :steps]) / np.linalg.norm(large[..., :steps])


def strip(length, layer):
    """A P wave of 8 cycles goes along a strip with slip walls; 40 elements per wavelength."""
    case = {"mesh": {"rectangle": {"size": [length, 0.1], "cells": [round(40 * length), 4]}}, "materials": {"rock": ROCK},
            "boundary": [{"set": "bottom", "fix": "y"}, {"set": "top", "fix": "y"},
                         {"set": "left", "pressure": 1, "signal": {"toneburst": {"frequency": FREQUENCY, "cycles": 8}}}],
            "outputs": {"traces": [{"name": "rx", "at": [[9, 0.05]], "quantity": "velocity"}]},
            "solve": {"explicit": {"end": 13, "dt": 0.011}}}
    return {**case, "absorb": {"sets": "right", "thickness": layer}} if layer else case


@pytest.fixture(scope="module")
def endless(tmp_path_factory):
    return velocities(tmp_path_factory.mktemp("endless"), strip(42, 0))


@pytest.mark.parametrize("layer", [0.75, 1.0, 1.25])
def test_plane_wave(tmp_path, endless, layer):
    """Normal incidence: the amplitude reflected is the one that the note of the run predicts, within a factor of 1.25:
    the prediction is for one frequency, the burst has a band of a quarter of it."""
    case = strip(14, layer)
    measured, told = reflected(velocities(tmp_path, case), endless), predicted(tmp_path, case)
    print(f"layer of {layer} wavelengths: reflected {measured:.4f} of the amplitude, {measured**2:.1e} of the energy; "
          f"predicted {told:.4f}")
    assert told / 1.25 <= measured <= 1.25 * told


def test_point_source(tmp_path):
    """P and S waves of a line force at all angles, layers of 1.5 P wavelengths on three sides: less than 1 % of the
    energy comes back to the receivers, and some does."""
    def plate(size, absorb):
        case = {"mesh": {"rectangle": {"from": [-size, -size], "to": [size, 0], "element": 0.05}}, "materials": {"rock": ROCK},
                "sources": [{"at": [0.02, -0.51], "force": 1, "direction": [1, 2], "signal": {"ricker": {"frequency": 1}}}],
                "outputs": {"traces": [{"name": "rx", "at": [[x, -y] for x in (-1.5, 0.4, 1.3) for y in (0.1, 1.2)],
                                        "quantity": "velocity"}]},
                "solve": {"explicit": {"end": 8, "dt": 0.02}}}
        return {**case, "absorb": {"sets": ["left", "right", "bottom"], "thickness": 3}} if absorb else case

    measured = reflected(velocities(tmp_path, plate(5, True)), velocities(tmp_path, plate(15, False)))
    print(f"reflected {measured:.4f} of the amplitude, {measured**2:.1e} of the energy")
    assert 0 < measured**2 <= 0.01
