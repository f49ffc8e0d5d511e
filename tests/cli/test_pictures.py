"""The pictures and the report that a run makes are those that its files give afterwards."""
import json
import os
import re
import subprocess

import pytest

HOOKE = os.environ["HOOKE"]
SOLID = {"density": 1, "young": 1, "poisson": 0.3}
RICKER = {"ricker": {"frequency": 2}}
PLANE = {"units": "none", "mesh": {"rectangle": {"size": [2, 1], "cells": [24, 12]}}, "materials": {"m": SOLID},
         "sources": [{"at": [0.5, 0.5], "force": 1, "direction": [0, 1], "signal": RICKER}],
         "outputs": {"traces": [{"name": "a", "at": [[1, 0.5]]}], "field": {"quantity": ["velocity", "displacement"], "frames": 2}},
         "solve": {"explicit": {"end": 2}}}
SPACE = PLANE | {"mesh": {"box": {"size": [2, 1, 1], "cells": [6, 3, 3]}}, "element": {"order": 3},
                 "sources": [{"at": [0.5, 0.5, 0.5], "force": 1, "direction": [0, 0, 1], "signal": RICKER}],
                 "outputs": {"field": {"quantity": ["velocity", "displacement"], "frames": 2}}}
BENT = {"units": "none", "mesh": {"box": {"size": [2, 1, 1], "cells": [6, 3, 3], "shape": "tet"}}, "element": {"order": 2}, "materials": {"m": SOLID},
        "boundary": [{"set": "left", "fix": ["x", "y", "z"]}, {"set": "right", "pressure": 0.1}], "solve": {"static": {}}}
RUNS = {"plane": (PLANE, 6), "plane, .vtu": (PLANE, 6, "--field-format", "vtu"), "solid of order 3": (SPACE, 6), "static": (BENT, 3)}


def hooke(*words):
    done = subprocess.run([HOOKE, *map(str, words), "-q"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", RUNS)
def test_pictures_of_a_run_are_those_of_its_files(tmp_path, name):
    case, count, *words = RUNS[name]
    (tmp_path / "case.json").write_text(json.dumps(case))
    run = tmp_path / "out"
    hooke("run", tmp_path / "case.json", "--output", run, *words)
    drawn = {path.name: path.read_bytes() for path in run.glob("field*.png")}
    images = re.findall('src="data:image/png;base64,[^"]*"', (run / "report.html").read_text())
    assert len(drawn) == count and len(images) >= count
    hooke("export", run, "--png")
    assert drawn == {path.name: path.read_bytes() for path in (run / "export").glob("field*.png")}
    hooke("report", run)
    assert images == re.findall('src="data:image/png;base64,[^"]*"', (run / "report.html").read_text())


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A run of frames, and of traces enough for a section."""
    folder = tmp_path_factory.mktemp("many")
    line = {"line": {"from": [0, 0.5], "to": [2, 0.5], "count": 12}}
    (folder / "case.json").write_text(json.dumps(PLANE | {"outputs": PLANE["outputs"] | {"traces": [{"name": "a", "at": line}]}}))
    hooke("run", folder / "case.json", "--output", folder / "out", "--no-pictures")
    return folder / "out"


def drawn(run, *options):
    for path in (run / "export").glob("*.png"):
        path.unlink()
    hooke("export", run, "--png", *options)
    return {path.name: path.read_bytes() for path in (run / "export").glob("*.png")}


def test_choices_change_the_pictures_that_they_are_about(many):
    usual = drawn(many)
    for options, pattern in ((("--component", "y"), "field_"), (("--decibels", "40"), "field_"), (("--section", "density"), "trace_"),
                             (("--scale", "0.5"), "trace_"), (("--quantity", "velocity", "--range=-1,1"), "field_velocity")):
        changed = {name for name, data in drawn(many, *options).items() if data != usual[name]}
        assert changed and all(name.startswith(pattern) for name in changed), options
    assert sorted(drawn(many, "--quantity", "velocity", "--time", "1.1")) == ["field_velocity_0001.png", "trace_a_displacement.png"]
    hooke("report", many, "--component", "x", "--output", many / "x.html")
    hooke("report", many, "--output", many / "size.html")
    assert (many / "x.html").read_bytes() != (many / "size.html").read_bytes()


@pytest.mark.parametrize("options, words", [
    (("--png", "--range", "0,1"), "2 quantities"), (("--png", "--component", "q"), "has x y"), (("--png", "--time", "9"), "the frames go from 0 to 2"),
    (("--png", "--range", "1,0"), "above the first"), (("--csv", "--component", "y"), "name png or movie"), (("--png", "--section", "lines"), "wiggle, density"),
    (("--png", "--time", "soon"), "must be 1 or 2 numbers"), (("--png", "--scale", "0"), "must be above 0"), (("--png", "--decibels", "0"), "must be above 0"),
    (("--png", "--movie", "--time", "1"), "a movie has many frames"), (("--movie", "--scale", "1"), "no sections"),
    (("--png", "--quantity", "stress"), "the frames have")])
def test_choices_that_make_no_sense_are_usage(many, options, words):
    done = subprocess.run([HOOKE, "export", many, *options], capture_output=True, text=True)
    assert done.returncode == 2 and words in done.stderr


@pytest.mark.parametrize("option", ["speed", "spacing", "span", "shot"])
def test_0_of_an_image_is_not_the_default(many, option):
    for given in ("0", "-2"):
        done = subprocess.run([HOOKE, "image", many, "--method", "cscan", f"--{option}={given}"], capture_output=True, text=True)
        assert done.returncode == 2 and f"--{option} " in done.stderr and given in done.stderr and "must be " in done.stderr


def test_an_image_says_what_to_name(many):
    for options, words in (((), "name one with --component: x y"), (("--component", "y"), "cscan with --shot=1"),
                           (("--component", "y", "--shot", "1"), "these 12 are all on one line along an axis")):
        done = subprocess.run([HOOKE, "image", many, "--method", "cscan", *options], capture_output=True, text=True)
        assert done.returncode != 0 and words in done.stderr


def test_an_axisymmetric_run_has_no_image(tmp_path):
    (tmp_path / "case.json").write_text(json.dumps(PLANE | {"plane": "axisymmetric", "sources": [PLANE["sources"][0] | {"at": [0, 0.5]}]}))
    hooke("run", tmp_path / "case.json", "--output", tmp_path / "out", "--no-pictures")
    done = subprocess.run([HOOKE, "image", tmp_path / "out", "--component", "z"], capture_output=True, text=True)
    assert done.returncode != 0 and "there is no image of such runs" in done.stderr


@pytest.mark.parametrize("material, uniform", [
    (SOLID, True), ({"density": 1, "vp0": 1.2, "vs0": 0.6, "epsilon": 0.2, "delta": 0.1, "gamma": 0}, False)])
def test_no_speed_is_taken_from_materials_with_several(tmp_path, material, uniform):
    (tmp_path / "case.json").write_text(json.dumps(PLANE | {"materials": {"m": material}}))
    hooke("run", tmp_path / "case.json", "--output", tmp_path / "out", "--no-pictures")
    assert [region["uniform"] for region in json.loads((tmp_path / "out/run.json").read_text())["speeds"]] == [uniform]
    done = subprocess.run([HOOKE, "image", tmp_path / "out", "--component", "y"], capture_output=True, text=True)
    assert ("give the speed: --speed" in done.stderr) != uniform


def test_a_case_says_what_its_pictures_show(many, tmp_path):
    """picture: of a case = the options of export"""
    outputs = json.loads((many.parent / "case.json").read_text())["outputs"]
    picture = {"quantity": "velocity", "component": "y", "range": [-1, 1], "section": "density", "scale": 0.5}
    (tmp_path / "case.json").write_text(json.dumps(PLANE | {"outputs": outputs | {"picture": picture}}))
    hooke("run", tmp_path / "case.json", "--output", tmp_path / "out")
    own = {path.name: path.read_bytes() for path in (tmp_path / "out").glob("*.png")}
    assert json.loads((tmp_path / "out/run.json").read_text())["picture"] == picture
    chosen = drawn(many, "--quantity", "velocity", "--component", "y", "--range=-1,1", "--section", "density", "--scale", "0.5")
    assert len(own) > 2 and all(chosen[name] == data for name, data in own.items())
    assert set(drawn(tmp_path / "out")) == set(own)


def test_a_case_s_choices_are_of_its_quantity(tmp_path):
    """Of another quantity pictures are those of a run whose case says nothing, and with `size` those of the norm. Few receivers have no section."""
    picture = {"picture": {"quantity": "velocity", "component": "y", "range": [-1e-9, 1e-9]}}
    for name, more in (("plain", {}), ("chosen", picture)):
        (tmp_path / "case.json").write_text(json.dumps(PLANE | {"outputs": PLANE["outputs"] | more}))
        hooke("run", tmp_path / "case.json", "--output", tmp_path / name, "--no-pictures")
    plain, chosen = tmp_path / "plain", tmp_path / "chosen"
    for options in (("--quantity", "displacement"), ("--quantity", "displacement", "--component", "x")):
        assert drawn(chosen, *options) == drawn(plain, *options), options
        hooke("report", chosen, *options[:2])
    norm = drawn(chosen, "--component", "size")
    assert norm.keys() == drawn(chosen).keys() and norm != drawn(chosen)
    assert norm == {name: data for name, data in drawn(plain, "--quantity", "velocity", "--range=-1e-9,1e-9").items() if name in norm}
    for options in (("--section", "density"), ("--scale", "0.5")):
        for verb in (("export", plain, "--png"), ("report", plain)):
            done = subprocess.run([HOOKE, *verb, *options], capture_output=True, text=True)
            assert done.returncode == 2 and "changes nothing here" in done.stderr, done.stderr


@pytest.mark.parametrize("picture, words", [
    ({"component": "y"}, "several quantities"), ({"quantity": "velocity", "component": "z"}, "velocity has x y"),
    ({"quantity": "stress"}, "does not have stress"), ({"quantity": "velocity", "range": [1, 0]}, "must be above the first"),
    ({"quantity": "velocity", "range": [0, 1], "decibels": 3}, "decibels"), ({"section": "lines"}, "wiggle"), ({"scale": 0}, "scale"),
    ({"section": "wiggle"}, "section: changes nothing"), ({"scale": 2}, "scale: changes nothing")])
def test_pictures_that_make_no_sense_are_told_by_check(tmp_path, picture, words):
    (tmp_path / "case.json").write_text(json.dumps(PLANE | {"outputs": PLANE["outputs"] | {"picture": picture}}))
    done = subprocess.run([HOOKE, "check", tmp_path / "case.json"], capture_output=True, text=True)
    assert done.returncode == 3 and words in done.stderr and "case.json:1:" in done.stderr, done.stderr
