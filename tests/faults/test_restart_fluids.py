"""Runs of a fluid, of a fluid beside a solid, and of an axisymmetric solid, go on from a checkpoint to the very files of a run that was not interrupted."""
import json
import signal

import pytest

from command import differ, run, state
from moments_of import stopped_at
from test_restart import in_a_folder_of_its_own  # noqa: F401

SIDE = 10


def deck():
    """SIDE x SIDE squares on 2 x 2, the upper half iron."""
    line, h = SIDE + 1, 2 / SIDE
    rows = ["*NODE"] + [f"{j * line + i + 1}, {i * h:.15g}, {j * h:.15g}" for j in range(line) for i in range(line)]
    rows.append("*ELEMENT, TYPE=CPE4")
    for e in range(SIDE * SIDE):
        n = e // SIDE * line + e % SIDE + 1
        rows.append(f"{e + 1}, {n}, {n + 1}, {n + line + 1}, {n + line}")
    rows += ["*SURFACE, NAME=sides", *(f"{e + 1}, S{4 if e % SIDE == 0 else 2}" for e in range(SIDE * SIDE) if e % SIDE in (0, SIDE - 1))]
    rows += ["*ELSET, ELSET=iron", *(str(e + 1) for e in range(SIDE * SIDE // 2, SIDE * SIDE)), "*NSET, NSET=bottom"]
    return "\n".join(rows + [str(i + 1) for i in range(line)]) + "\n"


def case(kind, end):
    water, iron = {"density": 1, "sound_speed": 1}, {"density": 2.5, "p_speed": 2, "s_speed": 1.1}
    both = {"mesh": "mesh.inp", "materials": {"water": water, "iron": iron}, "regions": {"iron": "iron", "all": "water"}}
    fluid = {"mesh": {"rectangle": {"size": [2, 2], "cells": SIDE}}, "materials": {"water": water},
             "absorb": {"kind": "stacey", "sets": ["left"]}}
    layer = both | {"absorb": {"kind": "pml", "sets": ["sides"], "thickness": 0.2}}  # through the border of both
    quantities = ["displacement", "velocity", "stress"]
    ring = {"mesh": {"rectangle": {"size": [2, 2], "cells": SIDE}}, "plane": "axisymmetric", "element": {"order": 1}, "materials": {"iron": iron},
            "boundary": [], "absorb": {"kind": "stacey", "sets": ["right"]},
            "sources": [{"at": [0, 0.41], "direction": [0, 1], "force": 1, "signal": {"ricker": {"frequency": 2}}}],
            "outputs": {"traces": [{"name": "rx", "at": [[0.7, 0.6], [0, 1.7]], "every": 7, "quantity": quantities}],
                        "field": {"quantity": quantities, "frames": 6}}}
    order = ring | {"element": {"order": 4}}
    return {"element": {"order": 4}, "boundary": [{"set": "bottom", "fix": "pressure"}],
            "sources": [{"at": [0.33, 0.41], "volume_rate": 1, "signal": {"ricker": {"frequency": 2}}}],
            "outputs": {"traces": [{"name": "rx", "at": [[0.7, 0.6], [1.2, 1.7]], "every": 7,
                                    "quantity": ["pressure", "displacement", "velocity", "acceleration"]}],
                        "field": {"quantity": ["pressure", "velocity", "displacement"], "frames": 6}},
            "solve": {"explicit": {"end": end, "dt": 0.004}}} | {"fluid": fluid, "both": both, "layer": layer, "ring": ring, "order": order}[kind]


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("kind", ["fluid", "both", "layer", "ring", "order"])
def test_interrupted_run_goes_on_bitwise(tmp_path, kind, precision):
    (tmp_path / "mesh.inp").write_text(deck())
    words = ["c.json", "--precision", precision, "--no-pictures"]
    (tmp_path / "c.json").write_text(json.dumps(case(kind, 6)))
    assert stopped_at("checkpoint", 7, signal.SIGINT, *words, "--output", "c.hooke").returncode == 130
    assert state("c.hooke")["status"] == "stopped"
    assert run(*words, "--output", "whole.hooke").returncode == 0
    again = run(*words, "--output", "c.hooke", "--restart")
    assert again.returncode == 0, again.stderr
    for name in ("run.h5", "field.vtkhdf"):
        assert differ(f"whole.hooke/{name}", f"c.hooke/{name}") == ""
