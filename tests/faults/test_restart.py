"""A run that is killed and goes on ends in the very files of one that was not; a checkpoint serves no other run."""
import json
import os
import random
import shutil
import signal
import subprocess
from pathlib import Path

import h5py
import pytest

from command import HOOKE, differ, refused, run, state
from decks import strip
from moments import stop
from moments_of import calls_of, killed_at, met_at, stopped_at


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


def same_results(a, b):
    for name in ("run.h5", "field.vtkhdf"):
        assert differ(f"{a}/{name}", f"{b}/{name}") == ""


def interrupted(path, *words):
    """Leaves PATH's folder with checkpoints of early steps, by SIGINT at the second one."""
    done = stopped_at("checkpoint", 2, signal.SIGINT, path, "--force", *words)
    assert done.returncode == 130, (done.returncode, done.stderr)
    return path.rsplit(".", 1)[0] + ".hooke"


@pytest.mark.parametrize("precision", ["single", "double"])
def test_killed_at_random_writes_and_restarted_equals_the_uninterrupted_run(tmp_path, precision):
    (tmp_path / "two.inp").write_text(two_steps("1e-3"))
    words = ["two.inp", "--precision", precision, "--threads", "1", "--no-pictures"]
    writes = calls_of("write", *words, "--output", "whole.hooke")
    dice = random.Random(7)  # test_kills.py has many more
    kills, most = 0, writes // 6
    while kills < 4:
        going = os.path.exists("two.hooke/checkpoint.h5")
        if not killed_at("write", dice.randrange(1, most), *words, "--restart" if going else "--force"):
            most = max(2, most // 2)  # that run wrote less often than the first, and ended
            continue
        kills += 1
        if os.path.exists("two.hooke/run.h5"):
            assert subprocess.run(["h5ls", "-r", "two.hooke/run.h5"], capture_output=True).returncode in (0, 1)
    last = run(*words, "--restart" if os.path.exists("two.hooke/checkpoint.h5") else "--force")
    assert last.returncode == 0, last.stderr
    assert state("two.hooke")["status"] == "ok"
    same_results("whole.hooke", "two.hooke")


@pytest.mark.parametrize("part", [0.5, 0.7, 0.9])
def test_killed_run_leaves_files_that_open(tmp_path, part):
    """killed at a write, after a part of them; a run may write less often than the one whose writes were counted"""
    (tmp_path / "long.inp").write_text(strip(40, "3e-5"))
    words = ["long.inp", "--precision", "double", "--threads", "1", "--no-pictures"]
    writes = calls_of("write", *words, "--output", "whole.hooke")
    assert any(killed_at("write", int(part * share * writes), *words, "--force") for share in (1, 0.8, 0.6, 0.4))
    assert os.path.exists("long.hooke/checkpoint.h5.old")
    for name in ("run.h5", "field.vtkhdf", "checkpoint.h5"):
        done = subprocess.run(["h5ls", "-r", f"long.hooke/{name}"], capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout, (name, done.stderr)
    assert state("long.hooke")["status"] == "running"


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signal_ends_within_5_s_with_a_checkpoint_that_goes_on_bitwise(tmp_path, number, code):
    """the run looks for signals whenever it looks whether a checkpoint is due: it writes one more, and ends"""
    (tmp_path / "two.inp").write_text(two_steps("6e-3"))
    with met_at("checkpoint", 2, "two.inp", count="count") as process:
        process.send_signal(number)  # which comes when it goes on
        stop(process, signal.SIGCONT, within=5)
    assert process.returncode == code
    assert Path("count").read_text() == "3\n"
    assert state("two.hooke")["status"] == "stopped"
    assert run("two.inp", "--output", "whole.hooke").returncode == 0
    again = run("two.inp", "--restart")
    assert again.returncode == 0, again.stderr
    same_results("whole.hooke", "two.hooke")


def test_second_signal_ends_at_once(tmp_path):
    """the first one asks for a checkpoint; the second one comes when it is written and ends the process before run.json says so"""
    (tmp_path / "long.inp").write_text(strip(40, "6e-3"))
    assert stopped_at("checkpoint", 2, signal.SIGTERM, "long.inp", times=2).returncode == -signal.SIGTERM
    assert state("long.hooke")["status"] == "running"


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


SOLID = {"density": 1, "young": 1, "poisson": 0.3}
RICKER = {"ricker": {"frequency": 0.5}}
CASE = {"mesh": {"rectangle": {"size": [2, 1], "cells": [8, 4]}}, "plane": "strain", "materials": {"m": {**SOLID, "damping": 0.01}},
        "initial": [{"set": "right", "velocity": [0.1, 0]}], "absorb": [{"kind": "stacey", "sets": "right"}],
        "sources": [{"at": [1, 0.5], "force": 1, "direction": [0, -1], "signal": RICKER}],
        "boundary": [{"set": "left", "move": {"x": 0.5}, "signal": RICKER}],
        "outputs": {"traces": [{"name": "rx", "at": [[1.5, 0.5]]}], "field": {"frames": 4}},
        "solve": {"explicit": {"end": 80, "dt": 0.02}}}
CRACK = {"mesh": {"blocks": {"points": {"a": [0, 0], "b": [1, 0], "c": [2, 0], "d": [0, 1], "e": [1, 1], "f": [2, 1]},
                             "blocks": [{"name": "l", "corners": ["a", "b", "e", "d"], "cells": [2, 3]},
                                        {"name": "r", "corners": ["b", "c", "f", "e"], "cells": [2, 3]}],
                             "sides": {"fault": [["b", "e"]]}}},
         "crack": {"sets": ["fault"], "springs": {"normal": 2, "tangential": 1}}, "absorb": [], "boundary": [], "initial": []}
PML = {"element": {"order": 2}, "initial": [], "absorb": [{"kind": "pml", "sets": "right", "thickness": 0.5}]}
SHOTS = {"shots": {"array": {"set": "top", "each": "node"}}, "sources": [{"set": "top", "force": 1, "direction": [0, -1], "signal": RICKER}]}
AXES = {"axes": {"turned": {"straight": {"x": [1, 0.5]}}},
        "materials": {"m": {"density": 1, "c11": 2, "c12": 0.5, "c13": 0.5, "c22": 1, "c23": 0.5, "c33": 1.5, "c44": 0.5, "c55": 0.5, "c66": 0.5,
                            "axes": "turned"}}}


def put(case, path, value):
    """A copy with another value at "a.b.0.c"."""
    case = json.loads(json.dumps(case))
    at, keys = case, path.split(".")
    for key in keys[:-1]:
        at = at[int(key)] if isinstance(at, list) else at[key]
    at[keys[-1]] = value
    return case


# what is told: (the case, another one, words of the command, what differs)
PARTS = {
    "precision": (CASE, CASE, ["--precision", "double"], "precision"),
    "order": (CASE, {**CASE, "element": {"order": 2}}, [], None),
    "mesh": (CASE, put(CASE, "mesh.rectangle.size", [2.01, 1]), [], "mesh"),
    "stiffness": (CASE, put(CASE, "materials.m.young", 1.001), [], "materials"),
    "poisson": (CASE, put(CASE, "materials.m.poisson", 0.301), [], "materials"),
    "density": (CASE, put(CASE, "materials.m.density", 1.001), [], "materials"),
    "plane": (CASE, {**CASE, "plane": "stress"}, [], "materials"),
    "thickness": (CASE, {**CASE, "thickness": 2}, [], "materials"),
    "axes": ({**CASE, **AXES}, put({**CASE, **AXES}, "axes.turned.straight.x", [1, 0.6]), [], "materials"),
    "springs": ({**CASE, **CRACK}, put({**CASE, **CRACK}, "crack.springs.normal", 3), [], "springs"),
    "damping": (CASE, put(CASE, "materials.m.damping", 0.02), [], "damping"),
    "absorbing faces": (CASE, put(CASE, "absorb.0.sets", ["right", "top"]), [], "absorbing boundaries"),
    "matched layer": ({**CASE, **PML}, put({**CASE, **PML}, "absorb.0.thickness", 0.75), [], "absorbing boundaries"),
    "initial values": (CASE, put(CASE, "initial.0.velocity", [0.2, 0]), [], "initial values"),
    "signal": (CASE, put(CASE, "sources.0.signal", {"ricker": {"frequency": 0.51}}), [], "signals"),
    "load": (CASE, put(CASE, "sources.0.force", 1.01), [], "loads"),
    "motion": (CASE, put(CASE, "boundary.0.move", {"x": 0.6}), [], "prescribed motions"),
    "time step": (CASE, put(CASE, "solve.explicit.dt", 0.016), [], "time step"),
    "shots": ({**CASE, **SHOTS}, put({**CASE, **SHOTS}, "shots.array.set", "bottom"), [], "loads"),
}


@pytest.mark.parametrize("what", PARTS)
def test_restart_of_something_else_says_what_differs(what):
    """a given time step keeps every part from changing that one too"""
    case, other, words, told = PARTS[what]
    Path("c.json").write_text(json.dumps(case))
    interrupted("c.json", "--no-pictures", "--device", "cpu", "--precision", "single")
    before = Path("c.hooke/run.h5").read_bytes()
    Path("c.json").write_text(json.dumps(other))
    done = run("c.json", "--restart", "--no-pictures", "--device", "cpu", *(words or ["--precision", "single"]))
    refused(done, "checkpoint.h5: belongs to another model (what differs: " + (f"{told})" if told else ""), "--force")
    assert Path("c.hooke/run.h5").read_bytes() == before


def test_pictures_checkpoints_and_words_are_no_part_of_the_key():
    """the run goes on, whatever is asked for beside what is computed"""
    Path("c.json").write_text(json.dumps(CASE))
    words = ["--device", "cpu"]
    interrupted("c.json", *words)
    Path("c.json").write_text(json.dumps({**CASE, "title": "again"}))
    done = run("c.json", "--restart", "--no-pictures", "--checkpoint", "30", "--threads", "1", "-v", *words)
    assert done.returncode == 0, done.stderr
    assert run("c.json", "--output", "whole.hooke", "--no-pictures", *words).returncode == 0
    same_results("whole.hooke", "c.hooke")


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
