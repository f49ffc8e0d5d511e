"""Signals that do not begin from rest are warned of, with what to give; what is given then is silent."""
import json
import re

import pytest

from command import call

BOX = {"mesh": {"rectangle": {"from": [-450, -450], "to": [450, 450], "cells": [18, 18]}}, "element": {"order": 5},
       "materials": {"r": {"density": 2000, "p_speed": 3000, "s_speed": 1700}},
       "outputs": {"traces": [{"at": [[100, 100]]}], "field": {"frames": 1}}, "solve": {"explicit": {"end": 0.3}}}


def said(folder, signal, **source):
    sources = [{"at": [0, 30], "force": 1, "direction": [1, 1], "signal": signal, **source}]
    (folder / "case.json").write_text(json.dumps({**BOX, "sources": sources}))
    done = call("check", folder / "case.json")
    assert done.returncode == 0, done.stderr
    return " ".join(line for line in done.stderr.splitlines() if re.search(r"(: |of )signal (ricker|gaussian|toneburst|table|step) ", line))


CUT = {
    "ricker": ({"ricker": {"frequency": 20, "t0": 0.01}}, {}),
    "gaussian": ({"gaussian": {"width": 0.02, "t0": 0}}, {}),
    "negative delay": ({"ricker": {"frequency": 20, "t0": 0.075}}, {"delay": -0.06}),
    "burst": ({"toneburst": {"frequency": 20, "cycles": 3}}, {"delay": -0.05}),
    "table before 0": ({"table": {"time": [-0.1, -0.05, 0, 0.1], "value": [0, 1, 0, 0]}}, {}),
}


@pytest.mark.parametrize("kind", list(CUT))
def test_cut_signals(tmp_path, kind):
    """A warning; with the delay that it names there is none."""
    signal, source = CUT[kind]
    words = said(tmp_path, signal, **source)
    assert "warning" in words and ("does not begin from rest" in words or "cut off" in words)
    delay = float(re.search(r"a delay of ([-0-9.e]+)", words)[1])
    assert said(tmp_path, signal, delay=delay + 0.0005) == ""


def test_table_that_begins_at_once(tmp_path):
    assert "begin its table with 0" in said(tmp_path, {"table": {"time": [0, 0.1], "value": [1, 0]}})


def test_step_cannot_be_judged(tmp_path):
    words = said(tmp_path, "step")
    assert "note" in words and "no highest frequency" in words and "warning" not in words


@pytest.mark.parametrize("signal", [{"ricker": {"frequency": 20}}, {"toneburst": {"frequency": 20, "cycles": 5, "window": "hann"}},
                                    {"table": {"time": [0, 0.05, 0.1], "value": [0, 1, 0]}}])
def test_signals_from_rest_are_silent(tmp_path, signal):
    assert said(tmp_path, signal) == ""
