"""A run that is killed and goes on ends in the very files of one that was not; a checkpoint serves no other run."""
import json
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import h5py
import pytest

from command import HOOKE, differ, refused, run, state
from decks import strip
from moments import stop, wait_for


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def two_steps(duration, late="1000."):
    """Damping, a moved end that starts from where the first step left it, and traces and frames in both steps."""
    text = strip(40, duration).replace("*ELASTIC", "*DAMPING, ALPHA=2000.\n*ELASTIC")
    second = text[text.index("*STEP"):].replace(f"LEFT, 1, 1000.", f"LEFT, 1, {late}")
    second = second.replace("*CLOAD", "*BOUNDARY, TYPE=VELOCITY, AMPLITUDE=PULSE\nRIGHT, 2, 2, 0.5\n*CLOAD")
    first = text[text.index("*STEP"):].replace("*CLOAD", "*BOUNDARY, TYPE=VELOCITY, AMPLITUDE=PULSE\nRIGHT, 2, 2, 0.3\n*CLOAD")
    return text[:text.index("*STEP")] + first + second


def started(*words):
    return subprocess.Popen([HOOKE, "run", *map(str, words), "--progress", "none"], stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def kill_after(seconds, *words, number=signal.SIGKILL):
    """False when the run had ended before."""
    with started(*words) as process:
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(number)
        process.stderr.read()
    return process.returncode != 0


def same_results(a, b):
    for name in ("run.h5", "field.vtkhdf"):
        assert differ(f"{a}/{name}", f"{b}/{name}") == ""


def interrupted(path, *words):
    """Leaves PATH's folder with a checkpoint of an early step, by SIGINT."""
    folder = path.replace(".inp", ".hooke")
    for _ in range(20):
        with started(path, "--force", "--checkpoint", "0.01", *words) as process:
            wait_for(process, lambda: os.path.exists(f"{folder}/checkpoint.h5"))
            process.send_signal(signal.SIGINT)
            process.stderr.read()
        if process.returncode == 130:
            return folder
    raise AssertionError(f"no checkpoint: {process.returncode}")


@pytest.mark.parametrize("precision", ["single", "double"])
def test_killed_at_random_moments_and_restarted_equals_the_uninterrupted_run(tmp_path, precision):
    (tmp_path / "two.inp").write_text(two_steps("6e-3"))
    begin = time.monotonic()
    words = ["two.inp", "--precision", precision, "--threads", "1"]
    assert run(*words, "--output", "whole.hooke").returncode == 0
    whole = time.monotonic() - begin
    dice, kills = random.Random(7), 0  # test_kills.py has many more
    for _ in range(60):
        if kills == 4:
            break
        going = os.path.exists("two.hooke/checkpoint.h5")
        kills += kill_after(dice.uniform(0.05, 0.3) * whole, *words, "--checkpoint", "0.02",
                            *(["--restart"] if going else ["--force"]))
        if os.path.exists("two.hooke/run.h5"):
            assert subprocess.run(["h5ls", "-r", "two.hooke/run.h5"], capture_output=True).returncode in (0, 1)
    assert kills == 4
    if state("two.hooke")["status"] != "ok" or os.path.exists("two.hooke/checkpoint.h5"):
        last = run(*words, "--restart")
        assert last.returncode == 0, last.stderr
    assert state("two.hooke")["status"] == "ok"
    same_results("whole.hooke", "two.hooke")


def test_killed_run_leaves_files_that_open(tmp_path):
    (tmp_path / "long.inp").write_text(strip(40, "0.1"))  # double: a free body that drifts for 759312 steps
    with started("long.inp", "--precision", "double", "--checkpoint", "0.05") as process:
        wait_for(process, lambda: os.path.exists("long.hooke/checkpoint.h5.old"))
        process.kill()
        process.stderr.read()
    assert process.returncode == -signal.SIGKILL
    for name in ("run.h5", "field.vtkhdf", "checkpoint.h5"):
        done = subprocess.run(["h5ls", "-r", f"long.hooke/{name}"], capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout, (name, done.stderr)
    assert state("long.hooke")["status"] == "running"


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signal_ends_within_5_s_with_a_checkpoint_that_goes_on_bitwise(tmp_path, number, code):
    for end in ("6e-3", "24e-3", "96e-3"):  # as long as the run must be to be met under way
        (tmp_path / "two.inp").write_text(two_steps(end))
        with started("two.inp", "--force") as process:
            wait_for(process, lambda: os.path.exists("two.hooke/field.vtkhdf"))
            stop(process, number, within=5)
        if process.returncode != 0:
            break
    assert process.returncode == code
    assert state("two.hooke")["status"] == "stopped"
    assert run("two.inp", "--output", "whole.hooke").returncode == 0
    again = run("two.inp", "--restart")
    assert again.returncode == 0, again.stderr
    same_results("whole.hooke", "two.hooke")


def test_second_signal_ends_at_once(tmp_path):
    (tmp_path / "long.inp").write_text(strip(40, "1"))
    with started("long.inp") as process:
        wait_for(process, lambda: os.path.exists("long.hooke/field.vtkhdf"))
        process.send_signal(signal.SIGTERM)
        stop(process, signal.SIGTERM, within=2)
    assert process.returncode in (-signal.SIGTERM, 143)


SET_UP = {
    "spectral": """\
mesh: {rectangle: {size: [4, 2], cells: [600, 300]}}
element: {order: 3}
materials: {m: {density: 1, young: 1, poisson: 0.3}}
sources: [{at: [1, 1], force: 1, direction: [0, -1], signal: {ricker: {frequency: 0.5}}}]
outputs: {traces: [{at: [[2, 1]]}]}
solve: {explicit: {end: 8}}
""",
    "static": """\
mesh: {box: {size: [4, 1, 1], cells: [120, 40, 40]}}
materials: {m: {density: 1, young: 1, poisson: 0.3}}
boundary: [{set: left, fix: [x, y, z]}, {set: right, traction: [0, 0, 0.01]}]
solve: {static: {method: cg, preconditioner: multigrid}}
"""}


@pytest.mark.parametrize("name, stage", [("spectral", "mesh"), ("static", "assemble")])
def test_signal_in_set_up_ends_within_5_s(tmp_path, name, stage):
    """there is nothing to save yet: a set-up that takes longer is left"""
    (tmp_path / "big.yaml").write_text(SET_UP[name])
    with subprocess.Popen([HOOKE, "run", "big.yaml", "--device", "cpu", "--no-pictures", "--progress", "json"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        for line in process.stderr:
            if line.startswith("{") and json.loads(line)["stage"] == stage:
                break
        words = stop(process, signal.SIGTERM, within=5)
    assert process.returncode == 143 and "stopped" in words, (process.returncode, words)
    assert not os.path.exists("big.hooke/run.json") or state("big.hooke")["status"] in ("running", "stopped")


OTHER_RUNS = {
    "mesh": ("20, 0.0190", "20, 0.0191"),
    "density": ("7800.", "7801."),
    "stiffness": ("210.e9", "211.e9"),
    "load": ("LEFT, 1, 1000.", "LEFT, 1, 1001."),
    "amplitude": ("2e-6, 1.", "2e-6, 1.1"),
    "boundary": ("*CLOAD", "*BOUNDARY\nRIGHT, 2\n*CLOAD"),
    "initial values": ("*STEP", "*INITIAL CONDITIONS, TYPE=VELOCITY\nRIGHT, 1, 1.\n*STEP"),
    "duration": (", 8e-3", ", 9e-3"),
    "receiver": ("NODE OUTPUT, NSET=RIGHT", "NODE OUTPUT, NSET=LEFT"),
    "frames": ("NUMBER INTERVAL=4", "NUMBER INTERVAL=5"),
}


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    folder = tmp_path_factory.mktemp("checkpoint")
    (folder / "long.inp").write_text(strip(40, "8e-3"))
    here = os.getcwd()
    os.chdir(folder)
    try:
        interrupted("long.inp")
    finally:
        os.chdir(here)
    return folder


def copied(checkpoint):
    shutil.copytree(checkpoint, "c", dirs_exist_ok=True)
    os.chdir("c")


@pytest.mark.parametrize("what", OTHER_RUNS)
def test_checkpoint_of_another_model_is_refused(checkpoint, what):
    copied(checkpoint)
    old, new = OTHER_RUNS[what]
    text = open("long.inp").read()
    assert old in text
    open("long.inp", "w").write(text.replace(old, new, 1))
    before = open("long.hooke/run.h5", "rb").read()
    refused(run("long.inp", "--restart"), "checkpoint.h5", "another model")
    assert open("long.hooke/run.h5", "rb").read() == before


def test_checkpoint_of_another_plane_law_is_refused(tmp_path):
    """With a given time step nothing but K differs: plane strain, plane stress."""
    case = {"mesh": {"rectangle": {"size": [1, 1], "cells": [8, 8], "shape": "quad"}}, "plane": "strain",
            "materials": {"m": {"density": 1, "young": 1, "poisson": 0.3}}, "regions": {"all": "m"},
            "sources": [{"set": "right", "force": 1, "direction": [1, 0], "signal": "step"}],
            "boundary": [{"set": "left", "fix": ["x", "y"]}],
            "outputs": {"traces": [{"set": "right"}]}, "solve": {"explicit": {"end": 4000, "dt": 0.02}}}
    Path("c.json").write_text(json.dumps(case))
    for _ in range(20):
        with started("c.json", "--output", "c.hooke", "--force", "--checkpoint", "0.01") as process:
            wait_for(process, lambda: os.path.exists("c.hooke/checkpoint.h5"))
            process.send_signal(signal.SIGINT)
            process.stderr.read()
        if process.returncode == 130:
            break
    assert process.returncode == 130
    Path("c.json").write_text(json.dumps({**case, "plane": "stress"}))
    refused(run("c.json", "--output", "c.hooke", "--restart"), "checkpoint.h5", "another model")


def test_finished_folder_is_refused_before_anything_is_computed(tmp_path):
    """Even before a time step that is too large is found, which takes the mass and K."""
    text = strip(4, "1e-4")
    Path("a.inp").write_text(text)
    assert run("a.inp", "--no-pictures").returncode == 0
    assert "EXPLICIT\n, 1e-4" in text
    Path("a.inp").write_text(text.replace("EXPLICIT\n, 1e-4", "EXPLICIT, DIRECT USER CONTROL\n1e-3, 1e-2"))
    refused(run("a.inp"), "holds a finished run", code=2)
    assert run("a.inp", "--force").returncode == 6


def test_checkpoint_of_another_precision_is_refused(checkpoint):
    copied(checkpoint)
    refused(run("long.inp", "--restart", "--precision", "double"), "another model")


def test_checkpoint_with_a_flipped_byte_is_refused(checkpoint):
    copied(checkpoint)
    whole = open("long.hooke/checkpoint.h5", "rb").read()
    payload = whole.index(subprocess.run(["h5dump", "-d", "/numbers", "-b", "NATIVE", "-o", "numbers.bin",
                                          "long.hooke/checkpoint.h5"], capture_output=True).stdout and
                          open("numbers.bin", "rb").read())
    dice = random.Random(3)
    for k in range(24):
        at = dice.randrange(payload, len(whole)) if k % 2 else dice.randrange(len(whole))
        data = bytearray(whole)
        data[at] ^= 1 << dice.randrange(8)
        open("long.hooke/checkpoint.h5", "wb").write(data)
        done = run("long.inp", "--restart", timeout=20)
        # bytes that HDF5 leaves unused change nothing: then the run goes on and is complete
        assert done.returncode in (0, 3), (at, done.returncode, done.stderr)
        if done.returncode == 0:
            assert at < payload or not whole[at:at + 8].strip(b"\0"), at
            shutil.rmtree("long.hooke")
            shutil.copytree(checkpoint / "long.hooke", "long.hooke")
        else:
            assert "checkpoint.h5" in done.stderr


def test_checkpoint_of_another_version_is_refused(checkpoint):
    """The first of its numbers is the version's."""
    copied(checkpoint)
    with h5py.File("long.hooke/checkpoint.h5", "r+") as file:
        file["numbers"][0] = file["numbers"][0] ^ 1
    before = open("long.hooke/run.h5", "rb").read()
    refused(run("long.inp", "--restart"), "checkpoint.h5", "another version")
    assert open("long.hooke/run.h5", "rb").read() == before


def test_cut_checkpoint_is_refused(checkpoint):
    copied(checkpoint)
    whole = open("long.hooke/checkpoint.h5", "rb").read()
    for part in (0, 0.01, 0.1, 0.3, 0.6, 0.9, 0.999):
        open("long.hooke/checkpoint.h5", "wb").write(whole[:int(part * len(whole))])
        refused(run("long.inp", "--restart"), "checkpoint.h5")


def test_older_checkpoint_serves_when_the_last_is_damaged(checkpoint):
    copied(checkpoint)
    if not os.path.exists("long.hooke/checkpoint.h5.old"):
        pytest.fail("two checkpoints are kept")
    open("long.hooke/checkpoint.h5", "wb").write(b"nothing")
    refused(run("long.inp", "--restart"), "checkpoint.h5.old")
    assert run("long.inp", "--restart", "long.hooke/checkpoint.h5.old").returncode == 0
    assert run("long.inp", "--output", "whole.hooke").returncode == 0
    same_results("whole.hooke", "long.hooke")


def test_restart_without_a_checkpoint_begins_anew_and_says_so(tmp_path):
    (tmp_path / "strip.inp").write_text(strip())
    done = run("strip.inp", "--restart")
    assert done.returncode == 0 and "no checkpoint" in done.stderr


def test_interrupted_run_is_not_overwritten(checkpoint):
    copied(checkpoint)
    refused(run("long.inp"), "--restart", "--force", code=2)


def test_run_killed_between_two_checkpoints_is_not_overwritten(checkpoint):
    """the new one was not yet renamed, the one before was: it is a run that can go on"""
    copied(checkpoint)
    os.rename("long.hooke/checkpoint.h5", "long.hooke/checkpoint.h5.old")
    refused(run("long.inp"), "--restart", "--force", code=2)
    assert run("long.inp", "--restart").returncode == 0
    assert run("long.inp", "--output", "whole.hooke").returncode == 0
    same_results("whole.hooke", "long.hooke")
