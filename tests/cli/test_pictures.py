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
