"""Shots: one model several times over, each time with sources of its own. Each is bitwise what a run of its own gives."""
import copy
import json
import os
import pathlib
import signal
import subprocess

import pytest

from moments_of import stopped_at

HOOKE = os.environ["HOOKE"]
np = pytest.importorskip("numpy")
h5py = pytest.importorskip("h5py")

PULSE = {"toneburst": {"frequency": "1 MHz", "cycles": 2}}
CASE = {
    "units": {"length": "mm", "time": "us"},
    "mesh": {"rectangle": {"size": [12, 6], "cells": [24, 12], "shape": "tri", "jitter": 0.2}},
    "materials": {"steel": {"density": "7850 kg/m^3", "young": "210 GPa", "poisson": 0.3, "damping": "0.02 MHz"}},
    "boundary": [{"set": "left", "fix": ["y"]}, {"set": "left", "traction": ["1 MPa", "0 MPa"], "signal": PULSE}],
    "outputs": {"traces": [{"name": "rx", "set": "top", "quantity": ["displacement", "velocity"]},
                           {"name": "p", "at": [[5.1, 2.2]], "quantity": "acceleration", "every": 3}]},
    "solve": {"explicit": {"end": 5}},
}
SOURCES = [
    {"at": [2.3, 6], "force": "1 kN", "direction": [0, -1], "signal": PULSE},
    [{"at": [7.7, 3], "force": "2 kN", "direction": [1, 1], "signal": PULSE},
     {"set": "right", "velocity": "1 mm/us", "direction": [1, 0], "signal": PULSE}],
    {"set": "right", "displacement": "1 um", "direction": [1, 2], "signal": "step"},
]


def write(folder, case, name="case"):
    path = pathlib.Path(folder) / f"{name}.json"
    path.write_text(json.dumps(case))
    return path


def command(*words):
    return subprocess.run([HOOKE, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def run(folder, case, *words, name="case", pictures=False):
    out = pathlib.Path(folder) / f"{name}.hooke"
    done = command("run", write(folder, case, name), "--output", out, "-q", *words, *([] if pictures else ["--no-pictures"]))
    assert done.returncode == 0, done.stderr
    return out


def datasets(path):
    with h5py.File(path) as file:
        found = {}
        file.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
        return found


def with_shots(shots, **more):
    return {**copy.deepcopy(CASE), "shots": shots, **more}


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("at_once", [1, 2, 3])
@pytest.mark.parametrize("method", ["edges", "matrix-free", "stored"])
def test_each_shot_is_bitwise_its_own_run(tmp_path, method, at_once, precision):
    words = ["--precision", precision, "--set", f"solve.explicit.method={method}"]
    out = run(tmp_path, with_shots(SOURCES), *words, "--set", f"solve.explicit.shots_at_once={at_once}")
    assert json.loads((out / "run.json").read_text())["counts"]["shots_at_once"] == at_once
    together = datasets(out / "run.h5")
    for k, sources in enumerate(SOURCES):
        own = {**copy.deepcopy(CASE), "sources": sources if isinstance(sources, list) else [sources]}
        alone = datasets(run(tmp_path, own, *words, name=f"own{k}") / "run.h5")
        assert alone.keys() == together.keys()
        for name, values in alone.items():
            shared = name.split("/")[-1] in ("time", "node", "coordinates")
            assert np.array_equal(together[name] if shared else together[name][k], values), (k, name)
        assert abs(alone["traces/rx/displacement"]).max() > 0


def test_shapes(tmp_path):
    """[shot, receiver, component, step], [shot, step], also of one shot; counts.shots; frames of the named shot alone."""
    case = with_shots([SOURCES[0]])
    out = run(tmp_path, case)
    found = datasets(out / "run.h5")
    steps = len(found["traces/rx/time"])
    assert found["traces/rx/velocity"].shape == (1, 25, 2, steps)
    assert found["energy/kinetic"].shape == (1, len(found["energy/time"]))
    assert json.loads((out / "run.json").read_text())["counts"]["shots"] == 1
    assert not list(out.glob("field*"))
    case["shots"] = SOURCES
    case["outputs"]["field"] = {"quantity": "velocity", "frames": 3, "shots": [3, 2]}
    out = run(tmp_path, case, name="three")
    assert sorted(f.name for f in out.glob("field*")) == ["field_shot0002.vtkhdf", "field_shot0003.vtkhdf"]
    own = {**copy.deepcopy(CASE), "sources": SOURCES[1]}
    own["outputs"]["field"] = {"quantity": "velocity", "frames": 3}
    alone = datasets(run(tmp_path, own, name="own") / "field.vtkhdf")
    for name, values in datasets(out / "field_shot0002.vtkhdf").items():
        assert np.array_equal(values, alone[name], equal_nan=values.dtype.kind == "f"), name
    found = json.loads((out / "run.json").read_text())
    assert found["counts"]["shots"] == 3
    assert abs(found["dt"] * found["counts"]["steps"] / found["end_time"] - 1) < 1e-6


def test_array_is_a_list_of_its_elements(tmp_path):
    """array over the nodes of a set = list of the same source at each of them"""
    fire = {"force": "1 kN", "direction": [0, -1], "signal": PULSE}
    array = run(tmp_path, with_shots({"array": {"set": "top", "each": "node"}}, sources=[{"set": "top", **fire}]), name="array")
    a = datasets(array / "run.h5")
    points = a["traces/rx/coordinates"].tolist()
    b = datasets(run(tmp_path, with_shots({"array": {"at": points, **fire}}), name="points") / "run.h5")
    assert len(points) == 25
    for name in a:
        if name.startswith("traces/rx") and name != "traces/rx/node":
            assert np.allclose(a[name], b[name], rtol=0, atol=1e-5 * abs(a[name]).max()), name


def test_restart_between_and_within_batches(tmp_path):
    """run.h5 and the fields after SIGTERM and --restart = those of a run in one piece (see also test_run.c)"""
    case = with_shots(SOURCES)
    case["outputs"]["field"] = {"quantity": "velocity", "frames": 3, "shots": [1, 3]}
    case["solve"]["explicit"].update(end=12, shots_at_once=2)
    straight = run(tmp_path, case, name="straight")
    out = tmp_path / "stopped.hooke"
    words = [write(tmp_path, case, "stopped"), "--output", out, "--no-pictures", "-q", "--restart"]
    batches = []
    while (done := stopped_at("checkpoint", 7, signal.SIGTERM, *words)).returncode == 143:
        with h5py.File(out / "checkpoint.h5") as file:
            batches.append(int(file["numbers"][5]))
    assert done.returncode == 0, done.stderr
    assert set(batches) == {0, 2}, "the first shots of those that were stopped"
    for name in ["run.h5", "field_shot0001.vtkhdf", "field_shot0003.vtkhdf"]:
        assert (straight / name).read_bytes() == (out / name).read_bytes(), name


def test_other_verbs(tmp_path):
    """check tells the shots; info, report, compare and export know the axis"""
    case = with_shots(SOURCES)
    case["outputs"]["field"] = {"quantity": "velocity", "frames": 2, "shots": 2}
    told = json.loads(command("check", write(tmp_path, case), "--json").stdout)
    assert told["counts"]["shots"] == 3 and told["counts"]["shots_at_once"] >= 1
    alone = json.loads(command("check", write(tmp_path, CASE, "plain"), "--json").stdout)
    assert told["dt"] == alone["dt"] and "shots" not in alone["counts"]
    out = run(tmp_path, case, pictures=True)
    assert json.loads(command("info", out, "--json").stdout)["traces"][0]["shots"] == 3
    assert json.loads(command("info", tmp_path / "case.json", "--json").stdout)["steps"][0]["shots"] == 3
    page = (out / "report.html").read_text()
    assert "rx: displacement, shot 1 of 3" in page and "velocity, shot 2" in page
    assert (out / "trace_rx_velocity_shot0003.png").exists() and (out / "field_shot0002_velocity_0001.png").exists()
    assert command("compare", out, out, "--tolerance", "1e-12").returncode == 0
    assert command("export", out, "--csv", "--vtu").returncode == 0
    csv = np.genfromtxt(out / "export/rx_shot0002.csv", delimiter=",", skip_header=1)
    found = datasets(out / "run.h5")
    assert np.allclose(csv[:, 1:51], found["traces/rx/displacement"][1].reshape(50, -1).T, rtol=1e-11, atol=0)
    assert (out / "export/field_shot0002.pvd").exists() and (out / "export/field_shot0002_0000.vtu").exists()
    case["shots"][1], case["shots"][2] = case["shots"][2], case["shots"][1]
    other = run(tmp_path, case, name="other")
    done = command("compare", out, other, "--tolerance", "1e-12")
    assert done.returncode == 4, "another order of shots passes as the same"


def test_no_shot_is_named(tmp_path):
    """frames without `shots:` in `field:` are not kept, and a warning says so"""
    case = with_shots(SOURCES)
    case["outputs"]["field"] = {"quantity": "velocity", "frames": 2}
    done = command("check", write(tmp_path, case))
    assert done.returncode == 0 and "field names no shots" in done.stderr


def test_wrong_shot_number(tmp_path):
    case = with_shots(SOURCES)
    case["outputs"]["field"] = {"shots": [1, 4]}
    done = command("check", write(tmp_path, case))
    assert done.returncode == 3 and "there is no shot 4: the case has 3" in done.stderr


def test_time_step_serves_the_shot_that_holds_least(tmp_path):
    """A dt above the limit is refused although the first shot holds every node."""
    case = with_shots([[{"set": "all", "displacement": "1 um", "direction": d, "signal": PULSE} for d in ([1, 0], [0, 1])], SOURCES[0]])
    told = json.loads(command("check", write(tmp_path, case), "--json").stdout)
    case["solve"]["explicit"]["dt"] = 3 * told["dt"]
    done = command("run", write(tmp_path, case), "--output", tmp_path / "x.hooke", "-q", "--no-pictures")
    assert done.returncode == 6 and "stability limit" in done.stderr, done.stderr
