"""Signals that do not begin from rest are warned of, with what to give; what is given then is silent."""
import json
import re

import pytest

import fem
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
    delay = float(re.search(r"a delay of ([-0-9.e]+) s", words)[1])
    assert said(tmp_path, signal, delay=delay + 0.0005) == ""


def test_table_that_begins_at_once(tmp_path):
    assert "begin its table with 0" in said(tmp_path, {"table": {"time": [0, 0.1], "value": [1, 0]}})


def test_step_cannot_be_judged(tmp_path):
    words = said(tmp_path, "step")
    assert "note" in words and "no highest frequency" in words and "warning" not in words


@pytest.mark.parametrize("signal, delay, at", [({"toneburst": {"frequency": 20, "cycles": 2.25, "window": "none"}}, 0, 0.1125),
                                               ({"toneburst": {"frequency": 20, "cycles": 0.3, "window": "none"}}, 0.1, 0.115),
                                               ({"table": {"time": [0, 0.05, 0.05, 0.1], "value": [0, 1, 0, 0]}}, 0.02, 0.07)])
def test_later_jumps(tmp_path, signal, delay, at):
    """A burst of fractional cycles without a window, a table that lists a time twice: with the time of the jump; none beyond the end."""
    words = said(tmp_path, signal, delay=delay)
    assert "warning" in words and f"at t = {at:.4g} s, and a jump" in words and "no mesh resolves" in words, words
    assert "jumps" not in said(tmp_path, signal, delay=0.3)


NOTHING = "a source without a signal acts in full"


@pytest.mark.parametrize("what, notes", [
    ({"sources": [{"at": [0, 30], "force": 1, "direction": [1, 1]}]}, 1),
    ({"sources": [{"at": [0, 30], "force": 1, "direction": [1, 1]}, {"gravity": [0, -9.81]}]}, 1),
    ({"boundary": [{"set": "top", "pressure": 1e3}]}, 1),
    ({"sources": [{"set": "left", "displacement": 1e-6, "direction": [1, 0]}]}, 1),
    ({"shots": {"array": {"at": [[0, 30]], "force": 1, "direction": [0, 1]}}}, 1),
    ({"boundary": [{"set": "left", "fix": ["x", "y"]}], "initial": [{"set": "all", "velocity": [1, 0]}]}, 0)])
def test_what_has_no_signal_is_noted(tmp_path, what, notes):
    """It is a jump where it begins, as `signal: step` is; what is held sends nothing."""
    (tmp_path / "case.json").write_text(json.dumps({**BOX, **what}))
    done = call("check", tmp_path / "case.json")
    assert done.returncode == 0 and done.stderr.count(NOTHING) == notes and done.stderr.count("note: " + NOTHING) == notes, done.stderr


def test_a_deck_without_amplitudes_is_noted(tmp_path):
    """*CLOAD without AMPLITUDE in an explicit step; none where it has one that begins from rest."""
    deck = fem.mesh_deck(fem.grid("quad4", [2, 2], [1.0, 1.0])) + "\n".join([
        "*AMPLITUDE, NAME=A", "0., 0., 1e-1, 1.", "*MATERIAL, NAME=M", "*DENSITY", "1.", "*ELASTIC", "1., 0.25", "*SOLID SECTION, ELSET=BODY, MATERIAL=M", "*STEP",
        "*DYNAMIC, EXPLICIT", ", 1.", "*CLOAD", "3, 1, 1.", "*END STEP", ""])
    for text, count in ((deck, 1), (deck.replace("*CLOAD", "*CLOAD, AMPLITUDE=A"), 0)):
        (tmp_path / "d.inp").write_text(text)
        done = call("check", tmp_path / "d.inp")
        assert done.returncode == 0 and done.stderr.count(NOTHING) == count, done.stderr


@pytest.mark.parametrize("signal", [{"ricker": {"frequency": 20}}, {"toneburst": {"frequency": 20, "cycles": 5, "window": "hann"}},
                                    {"toneburst": {"frequency": 20, "cycles": 2.5, "window": "none"}}, {"toneburst": {"frequency": 20, "cycles": 2.25}},
                                    {"table": {"time": [0, 0.05, 0.1], "value": [0, 1, 0]}}])
def test_signals_from_rest_are_silent(tmp_path, signal):
    assert said(tmp_path, signal) == ""
