"""The line of progress names the stages before and after the steps too; --progress json reports each."""
import json
import os
import pty
import re
import subprocess

import pytest

HOOKE = os.environ["HOOKE"]
CASE = {"mesh": {"rectangle": {"size": [2, 1], "cells": [20, 10]}}, "materials": {"m": {"density": 1, "young": 1, "poisson": 0.3}},
        "sources": [{"at": [1, 0.5], "force": 1, "direction": [1, 0], "signal": {"ricker": {"frequency": 2}}}],
        "outputs": {"field": {"quantity": "velocity", "frames": 2}}, "solve": {"explicit": {"end": 1}}}
STAGES = ["read", "mesh", "assemble", "solve", "output", "pictures", "report"]


def words(folder, case=CASE):
    (folder / "case.json").write_text(json.dumps(case))
    return [HOOKE, "run", str(folder / "case.json"), "--output", str(folder / "out"), "--device", "cpu", "--force"]


def on_terminal(command):
    """(exit code, what the command writes to a terminal)"""
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs, stdin=subprocess.DEVNULL) as process:
        os.close(theirs)
        text = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            text += part
    os.close(ours)
    return process.returncode, text.decode()


def test_stages_as_json(tmp_path):
    """each stage in its order; without pictures the last is output"""
    for more, expected in (([], STAGES), (["--no-pictures"], STAGES[:-2])):
        done = subprocess.run(words(tmp_path) + ["--progress", "json"] + more, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        named = [json.loads(line)["stage"] for line in done.stderr.splitlines() if line.startswith("{")]
        assert list(dict.fromkeys(named)) == expected


def test_time_left_covers_pictures_and_report(tmp_path):
    """of the second run, as the first has told what they take; never of runs without them"""
    def progress(*more):
        done = subprocess.run(words(tmp_path) + ["--progress", "json", *more], capture_output=True, text=True,
                              env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")})
        assert done.returncode == 0, done.stderr
        told = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
        last = {p["stage"]: p["seconds_left"] for p in told}  # of each stage
        return [last.get(stage) for stage in ("solve", "pictures", "report")], json.loads((tmp_path / "out/run.json").read_text())["stages"]

    (tmp_path / "cache").mkdir()
    left, first = progress()
    assert left == [0, None, None]
    left, _ = progress()
    taken = [first["output/pictures"], first["output/report"]]
    assert left == pytest.approx([sum(taken), sum(taken), taken[1]], rel=1e-9) and min(left) > 0
    assert progress("--no-pictures")[0] == [0, None, None]


def test_line_on_a_terminal(tmp_path):
    """each stage replaces the line of the one before, and nothing is left of them at the end"""
    code, text = on_terminal(words(tmp_path))
    assert code == 0
    parts = [part.removesuffix("\033[K") for part in text.split("\r")]
    told = [re.sub(r"(, [1-9][0-9]* s left)? \.\.\.$", "", part) for part in parts if part.endswith(" ...")]
    assert told == [stage for stage in STAGES], text
    assert any("100 %" in part for part in parts) and text.endswith("\r\033[K")


def test_errors_are_on_lines_of_their_own(tmp_path):
    code, text = on_terminal(words(tmp_path, {**CASE, "materials": {}}))
    assert code == 3
    assert "read ..." in text and "\r\033[K" in text[:text.index("error")]
    assert not any("..." in line and "error" in line.split("\r")[-1] for line in text.split("\n") if "read ..." in line.split("\r")[-1])
