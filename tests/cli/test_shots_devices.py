"""Shots over several devices: the same files, byte for byte, for any number of devices, also after a stop and a restart on another number."""
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from test_ranks import opencl

sys.path.insert(0, str(Path(os.environ["HOOKE_SOURCE"]) / "tests/faults"))
from moments_of import calls_of, killed_at, stopped_at

HOOKE = os.environ["HOOKE"]
SOURCE = "{{at: [0.{place}, 0.53], force: 1, direction: [0, 1], signal: {{ricker: {{frequency: 4, t0: 0.3}}}}}}"
CASE = """
mesh: {{rectangle: {{size: [1, 1], cells: {cells}, shape: {shape}}}}}
units: none
materials: {{m: {{density: 1, {stiffness}{more}}}}}
{absorb}
shots: [{shots}]
outputs:
  traces: [{{name: a, quantity: {quantity}, at: [[0.11, 0.52], [0.93, 0.47], [0.5, 0.5]]}}]
  field: {{quantity: {field}, frames: 2, shots: [1, {last}]}}
solve: {{explicit: {{end: {end}, method: {method}}}}}
element: {{order: {order}}}
"""
ELASTIC = "young: 1, poisson: 0.3"


def case(folder, shots, method="stored", shape="tri", cells=(40, 36), order=1, end=0.7, more="", absorb="", stiffness=ELASTIC, quantity="velocity",
         field="velocity", source=SOURCE):
    path = folder / "shots.yaml"
    listed = ", ".join(source.format(place=12 + 4 * k) for k in range(shots))
    path.write_text(CASE.format(shots=listed, method=method, shape=shape, cells=list(cells), order=order, end=end, more=more, absorb=absorb,
                                stiffness=stiffness, quantity=quantity, field=field, last=shots))
    return path


def run(path, device, folder, *more):
    done = subprocess.run([HOOKE, "run", path, "--device", device, "--output", folder, "--threads", "2", "--no-pictures", "-q", *map(str, more)],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return folder


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name == "run.h5" or path.suffix == ".vtkhdf"}


def said(folder):
    return json.loads((folder / "run.json").read_text())


def check_alike(one, several):
    assert files(one) == files(several) and len(files(one)) >= 2, several
    assert said(one)["energy"] == said(several)["energy"]
    assert said(one)["counts"]["steps"] == said(several)["counts"]["steps"]


@pytest.mark.parametrize("shots, at_once", [(2, [2, 1, 1]), (3, [3, 2, 1]), (16, [8, 8, 4])])
def test_same_bytes_for_any_number_of_devices(tmp_path, shots, at_once):
    path = case(tmp_path, shots)
    one = run(path, "cpu", tmp_path / "cpu")
    for count, batch in zip([1, 2, 4], at_once):
        several = run(path, ",".join(["cpu"] * count), tmp_path / f"{count}")
        check_alike(one, several)
        assert said(several)["counts"]["shots_at_once"] == batch
        assert said(several).get("devices", ["cpu"]) == ["cpu"] * count


def test_a_list_of_one_shot_is_one_model_over_the_devices(tmp_path):
    path = case(tmp_path, 1)
    one, two = run(path, "cpu", tmp_path / "one"), run(path, "cpu,cpu", tmp_path / "two")
    check_alike(one, two)
    assert said(two)["link"] in ("peers", "memory")


SPECTRAL = {"method": "spectral-colours", "shape": "quad", "cells": (12, 11), "order": 4}
LAYER = {**SPECTRAL, "method": "spectral", "absorb": "absorb: [{kind: pml, sets: left, thickness: 0.2}]"}
FLUID = {**SPECTRAL, "method": "spectral", "stiffness": "sound_speed: 1", "quantity": "pressure", "field": "pressure",
         "source": "{{at: [0.{place}, 0.53], volume_rate: 1, signal: {{ricker: {{frequency: 4, t0: 0.3}}}}}}"}
DAMPED = {"method": "matrix-free", "shape": "quad", "more": ", damping: 0.3"}


@pytest.mark.parametrize("words", [SPECTRAL, LAYER, FLUID, DAMPED], ids=["colours", "layer", "fluid", "damped"])
def test_devices_that_share_shots_serve_what_parts_of_a_model_do_not(tmp_path, words):
    path = case(tmp_path, 4, **words)
    one = run(path, "cpu", tmp_path / "one")
    for device in ["cpu,cpu", "cpu,cpu,cpu"]:
        check_alike(one, run(path, device, tmp_path / device))


@pytest.mark.skipif(not opencl(), reason="no OpenCL device")
def test_same_bytes_on_opencl_devices(tmp_path):
    path = case(tmp_path, 5, method="edges", end=0.3)
    one = run(path, "opencl", tmp_path / "one")
    for device in ["opencl,opencl", "opencl,opencl,opencl"]:
        check_alike(one, run(path, device, tmp_path / device))


def stopped(tmp_path, path, device, *more, at=2):
    done = stopped_at("checkpoint", at, signal.SIGINT, path, "--device", device, "--output", tmp_path / "part", "--threads", "2", "--no-pictures", *more)
    assert done.returncode == 130 and "checkpoint was written" in done.stderr, (done.returncode, done.stderr)
    return tmp_path / "part"


@pytest.mark.parametrize("first, second, at", [("cpu,cpu,cpu", "cpu", 1), ("cpu,cpu,cpu", "cpu,cpu", 9), ("cpu", "cpu,cpu,cpu", 9), ("cpu,cpu", "cpu,cpu,cpu", 25)])
def test_a_stopped_run_goes_on_with_another_number_of_devices(tmp_path, first, second, at):
    path = case(tmp_path, 6, end=16)
    few = ["--set", "solve.explicit.shots_at_once=1"]
    one = run(path, "cpu", tmp_path / "one")
    part = stopped(tmp_path, path, first, *few, at=at)
    check_alike(one, run(path, second, part, "--restart"))


def test_a_killed_run_goes_on_with_another_number_of_devices(tmp_path):
    path = case(tmp_path, 6, end=16)
    words = [path, "--set", "solve.explicit.shots_at_once=1", "--threads", "2", "--no-pictures"]
    one = run(path, "cpu", tmp_path / "one")
    writes = calls_of("write", *words, "--device", "cpu,cpu", "--output", tmp_path / "count")
    words += ["--device", "cpu,cpu", "--output", tmp_path / "part", "--force"]
    assert any(killed_at("write", int(share * writes), *words) for share in [0.5, 0.4, 0.3, 0.2])
    check_alike(one, run(path, "cpu,cpu,cpu", tmp_path / "part", "--restart"))


def test_all_shots_stepped_at_once_can_go_on_to_a_later_end(tmp_path):
    path = case(tmp_path, 3)
    early = ["--set", "solve.explicit.end=0.4", "--keep-checkpoint"]
    one, three = run(path, "cpu", tmp_path / "one", *early), run(path, "cpu,cpu,cpu", tmp_path / "three", *early)
    check_alike(one, three)
    check_alike(run(path, "cpu", one, "--restart"), run(path, "cpu,cpu", three, "--restart"))


def test_an_end_before_that_of_finished_shots_is_refused(tmp_path):
    path = case(tmp_path, 6, end=16)
    few = ["--set", "solve.explicit.shots_at_once=1"]
    words = [path, "--device", "cpu,cpu", "--threads", "2", "--no-pictures", *few]
    checkpoints = calls_of("checkpoint", *words, "--output", tmp_path / "count")
    part = stopped(tmp_path, path, "cpu,cpu", *few, at=int(0.8 * checkpoints))  # two of six shots at most have not ended
    done = subprocess.run([HOOKE, "run", path, "--output", part, "--restart", "--set", "solve.explicit.end=17", *few], capture_output=True, text=True)
    assert done.returncode == 3 and "complete up to the former end time" in done.stderr, done.stderr


def test_an_unstable_shot_ends_the_run_on_all_devices(tmp_path):
    path = case(tmp_path, 4, method="edges", end=4, source=SOURCE.replace("force: 1,", "force: 3e38,"))
    path.write_text("\n".join(line for line in path.read_text().splitlines() if "  field:" not in line) + "\n")
    done = subprocess.run([HOOKE, "run", path, "--device", "cpu,cpu", "--output", tmp_path / "o", "--no-pictures", "-q"], capture_output=True, text=True)
    assert done.returncode == 6 and "unstable" in done.stderr and "shot " in done.stderr, done.stderr
    assert said(tmp_path / "o")["status"] == "unstable"
