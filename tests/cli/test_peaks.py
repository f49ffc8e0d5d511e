"""Peak maps: at every node the largest norm over all steps, which is that of traces at all nodes and of frames at every step."""
import json
import os
import pathlib
import signal
import subprocess

import h5py
import numpy as np
import pytest

from moments_of import calls_of, stopped_at

HOOKE = os.environ["HOOKE"]
SOLID = {
    "mesh": {"rectangle": {"size": [4, 3], "cells": [8, 6]}},
    "materials": {"rock": {"density": 2000, "p_speed": 2000, "s_speed": 1000, "damping": 20}},
    "boundary": [{"set": "bottom", "fix": ["x", "y"]}],
    "initial": [{"set": "all", "velocity": [0, 1e-7]}, {"set": "right", "displacement": [1e-9, 0]}],
    "sources": [{"at": [2, 2.1], "force": 1, "direction": [0.3, 1], "signal": {"ricker": {"frequency": 500, "t0": 2e-3}}}],
    "outputs": {"traces": [{"name": "all", "set": "all", "quantity": ["displacement", "velocity", "acceleration"]}],
                "field": {"quantity": ["displacement", "velocity", "acceleration"], "interval": 2e-4},
                "peak": {"quantity": ["velocity", "displacement", "acceleration"]}},
    "solve": {"explicit": {"end": 6e-3, "dt": 2e-4}},
}
TETRAHEDRA = {**SOLID, "mesh": {"box": {"size": [2, 2, 2], "cells": [4, 5, 3], "shape": "tet"}}, "boundary": [], "initial": [],
              "sources": [{"at": [1, 1.1, 1.2], "force": 1, "direction": [0.3, 1, 2], "signal": {"ricker": {"frequency": 500, "t0": 1e-3}}}],
              "solve": {"explicit": {"end": 4e-3, "dt": 5e-5}}, "outputs": {**SOLID["outputs"], "field": {"frames": 1}}}
SPECTRAL = {**SOLID, "element": {"order": 3}, "outputs": {**SOLID["outputs"], "field": {"frames": 1}},
            "solve": {"explicit": {"end": 2e-3}}}  # traces go on beyond the end, and are transformed
SEA = {
    "mesh": {"rectangle": {"size": [4, 4], "cells": [8, 8]}},
    "element": {"order": 2},
    "materials": {"rock": {"density": 2000, "p_speed": 2000, "s_speed": 1000}, "water": {"density": 1000, "sound_speed": 1500}},
    "sets": {"sea": {"what": "elements", "box": {"from": [0, 2], "to": [4, 4]}}},
    "regions": {"all": "rock", "sea": "water"},
    "sources": [{"at": [2, 3.1], "volume_rate": 1, "signal": {"ricker": {"frequency": 300, "t0": 2e-3}}}],
    "outputs": {"traces": [{"name": "all", "set": "all", "quantity": ["pressure", "velocity"]}], "peak": {"quantity": ["pressure", "velocity"]}},
    "solve": {"explicit": {"end": 5e-3, "time_dispersion": "keep"}},
}


def hooke(*words):
    return subprocess.run([HOOKE, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL)


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(case, name, *words):
    pathlib.Path("case.json").write_text(json.dumps(case))
    done = hooke("run", "case.json", "--output", name, "-q", *([] if "--pictures" in words else ["--no-pictures"]), *(w for w in words if w != "--pictures"))
    assert done.returncode == 0, done.stderr
    return pathlib.Path(name)


def peaks(folder):
    with h5py.File(folder / "field_peak.vtkhdf") as file:
        return {name: values[()] for name, values in file["VTKHDF/PointData"].items() if "unit" in values.attrs}, file["VTKHDF/Steps/Values"][()]


def of_traces(folder, quantity):
    with h5py.File(folder / "run.h5") as file:
        order = np.argsort(file["traces/all/node"][()])
        return np.sqrt((file[f"traces/all/{quantity}"][()].astype(float)[order] ** 2).sum(axis=1)).max(axis=1)


def near(got, want, tolerance):
    assert want.max() > 0 and got.shape == want.shape
    return abs(got - want).max() <= tolerance * want.max()


@pytest.mark.parametrize("case", [SOLID, TETRAHEDRA], ids=["solid", "tetrahedra"])
@pytest.mark.parametrize("words", [("--precision", "single"), ("--precision", "double"), ("--device", "opencl", "--precision", "double"),
                                   ("--device", "opencl")], ids=lambda words: "-".join(words[1::2]))
def test_peaks_are_the_largest_norms_of_traces(case, words):
    """initial values and the last step among them; single: to the rounding of traces of the same run"""
    folder = run(case, "o", *words)
    got, time = peaks(folder)
    assert sorted(got) == ["acceleration", "displacement", "velocity"] and time == pytest.approx([case["solve"]["explicit"]["end"]])
    for quantity in got:
        assert near(got[quantity], of_traces(folder, quantity), 2e-7), quantity


def test_peaks_are_the_largest_norms_of_frames():
    """frames at every step"""
    folder = run({**SOLID, "initial": []}, "o", "--precision", "double")
    got = peaks(folder)[0]
    with h5py.File(folder / "field.vtkhdf") as file:
        nodes = len(got["velocity"])
        for quantity in got:
            assert len(file["VTKHDF/Steps/Values"]) == 31
            frames = file[f"VTKHDF/PointData/{quantity}"][()].reshape(-1, nodes, 3)
            assert near(got[quantity], np.linalg.norm(frames, axis=2).max(axis=0), 2e-7), quantity


SHOTS = {**SOLID, "sources": [], "shots": [{"at": [x, 2.1], "force": 1, "direction": [0.3, 1], "signal": {"ricker": {"frequency": 500, "t0": 2e-3}}} for x in (0.7, 1.3, 2, 2.6, 3.1)],
         "outputs": {"peak": {"quantity": ["velocity", "displacement"]}, "traces": [{"set": "left"}]}, "solve": {"explicit": {"end": 6e-3, "dt": 2e-4, "shots_at_once": 2}}}


def test_shots_have_a_frame_each():
    """It is the peak map of the shot alone; several devices, and a run that was stopped among its shots, have the same bytes."""
    folder = run(SHOTS, "whole", "--device", "cpu", "--pictures")
    got, number = peaks(folder)
    assert list(number) == [1, 2, 3, 4, 5]
    for k in (0, 1, 4):
        alone, _ = peaks(run({**SHOTS, "shots": [SHOTS["shots"][k]]}, f"alone{k}"))
        for quantity, want in alone.items():
            assert want.max() > 0 and np.array_equal(got[quantity].reshape(5, -1)[k], want), (quantity, k)
    assert "shot 5" in (folder / "report.html").read_text() and (folder / "field_peak_velocity_0004.png").exists()
    whole = (folder / "field_peak.vtkhdf").read_bytes()
    assert (run(SHOTS, "two", "--device", "cpu,cpu") / "field_peak.vtkhdf").read_bytes() == whole
    words = ("case.json", "--device", "cpu", "--threads", "2", "--no-pictures")
    at = calls_of("checkpoint", *words, "--output", "count") - 2
    done = stopped_at("checkpoint", at, signal.SIGINT, *words, "--output", "part")
    assert done.returncode == 130, done.stderr
    assert (run(SHOTS, "part", "--device", "cpu", "--restart") / "field_peak.vtkhdf").read_bytes() == whole


def test_steps_beyond_the_end_are_not_among_them():
    """Without time dispersion steps go on beyond the end: the peaks are those of a run that keeps it."""
    kept = {**SPECTRAL, "solve": {"explicit": {"end": 2e-3, "time_dispersion": "keep"}}}
    folder = run(kept, "kept")
    want, time = peaks(folder)
    got, again = peaks(run(SPECTRAL, "o"))
    assert time == again
    for quantity in want:
        assert np.array_equal(got[quantity], want[quantity]) and near(want[quantity], of_traces(folder, quantity), 2e-7)


@pytest.mark.parametrize("precision", ["single", "double"])
def test_pressure_of_fluids_beside_solids(precision):
    """a quantity is of one medium and zero in the other"""
    folder = run(SEA, "o", "--precision", precision)
    got = peaks(folder)[0]
    pressure = of_traces(folder, "pressure")
    assert near(got["pressure"], pressure, 2e-7) and (got["pressure"] == 0).any()
    solid = got["velocity"] > 0
    assert 10 < solid.sum() < solid.size and not (solid & (got["pressure"] > 0)).any()
    assert near(got["velocity"][solid], of_traces(folder, "velocity")[solid], 2e-7)


def test_a_restart_has_the_same_bytes():
    """to a later end; peaks that the first run did not keep are refused"""
    case = {**SOLID, "solve": {"explicit": {"end": 3e-3, "dt": 2e-4}}}
    run(case, "o", "--keep-checkpoint")
    other = {**SOLID, "outputs": {**SOLID["outputs"], "peak": {"quantity": "velocity"}}}
    pathlib.Path("case.json").write_text(json.dumps(other))
    done = hooke("run", "case.json", "--output", "o", "--restart", "-q")
    assert done.returncode == 3 and "peak maps" in done.stderr, done.stderr
    run(SOLID, "o", "--restart")
    run(SOLID, "whole")
    assert pathlib.Path("o/field_peak.vtkhdf").read_bytes() == pathlib.Path("whole/field_peak.vtkhdf").read_bytes()


def test_several_devices_have_the_same_bytes():
    """also of a restart from what one device has kept"""
    early = {**TETRAHEDRA, "solve": {"explicit": {"end": 2e-3, "dt": 5e-5}}}
    for device in ("cpu", "cpu,cpu,cpu"):
        run(TETRAHEDRA, device, "--device", device, "--set", "solve.explicit.method=edges")
    run(early, "restarted", "--device", "cpu", "--set", "solve.explicit.method=edges", "--keep-checkpoint")
    run(TETRAHEDRA, "restarted", "--device", "cpu,cpu,cpu", "--set", "solve.explicit.method=edges", "--restart")
    whole = pathlib.Path("cpu/field_peak.vtkhdf").read_bytes()
    assert all(pathlib.Path(name, "field_peak.vtkhdf").read_bytes() == whole for name in ("cpu,cpu,cpu", "restarted"))


@pytest.mark.parametrize("format", ["vtkhdf", "vtu"])
def test_peaks_are_drawn_exported_and_compared(format):
    few = {**SOLID, "outputs": {**SOLID["outputs"], "field": {**SOLID["outputs"]["field"], "interval": 1e-3}}}
    folder = run(few, "o", "--pictures", "--field-format", format)
    assert (folder / "field_peak_velocity_0000.png").exists() and "Largest norm over time: velocity" in (folder / "report.html").read_text()
    assert hooke("export", folder, "--vtu").returncode == 0 and (folder / "export/field_peak.pvd").exists()
    done = hooke("export", folder, "--png", "--component", "y")
    assert done.returncode == 0 and not list((folder / "export").glob("field_peak*.png")), done.stderr
    for path in (folder / "export").glob("*.png"):
        path.unlink()
    done = hooke("export", folder, "--png", "--time", "3e-3", "--quantity", "velocity")
    assert done.returncode == 0 and [path.name for path in (folder / "export").glob("field*.png")] == ["field_velocity_0003.png"], done.stderr
    compared = json.loads(hooke("compare", folder, folder, "--json").stdout)
    assert "field_peak" in json.dumps(compared)


def test_a_quantity_of_peak_maps_alone_is_drawn():
    """by a case, by export and by report; its components are refused"""
    outputs = {"field": {"quantity": "velocity", "frames": 2}, "peak": {"quantity": "displacement"}}
    folder = run({**SOLID, "outputs": {**outputs, "picture": {"quantity": "displacement"}}}, "o", "--pictures")
    assert [path.name for path in folder.glob("field*.png")] == ["field_peak_displacement_0000.png"]
    folder = run({**SOLID, "outputs": outputs}, "plain")
    assert hooke("report", folder, "--quantity", "displacement").returncode == 0
    assert "norm over time: displacement" in (folder / "report.html").read_text() and "Field: velocity" not in (folder / "report.html").read_text()
    for more, code in (((), 0), (("--component", "y"), 2), (("--time", "3e-3"), 2)):
        done = hooke("export", folder, "--png", "--quantity", "displacement", *more)
        assert done.returncode == code and (code == 0 or "the frames have velocity" in done.stderr), done.stderr
    assert [path.name for path in (folder / "export").glob("field*.png")] == ["field_peak_displacement_0000.png"]
    pathlib.Path("case.json").write_text(json.dumps({**SOLID, "outputs": {**outputs, "picture": {"quantity": "displacement", "component": "y"}}}))
    done = hooke("check", "case.json")
    assert done.returncode == 3 and "peak maps have no components" in done.stderr


@pytest.mark.parametrize("changes, said", [
    ({"outputs": {"peak": {"quantity": "stress"}}}, "must be one of displacement, velocity, acceleration, pressure"),
    ({"outputs": {"peak": {"quantity": "pressure"}}}, "pressure is for fluids"),
    ({"outputs": {"peak": {}}, "solve": {"static": {}}, "sources": [], "initial": []}, "peak maps are of explicit steps"),
    ({"outputs": {"peak": {"quantity": "velocity"}}, "physics": "acoustic", "materials": {"w": {"density": 1000, "sound_speed": 1500}},
      "boundary": [], "initial": [], "sources": []}, "peak maps of fluids are of pressure"),
])
def test_what_is_not_kept_is_refused_with_its_line(changes, said):
    pathlib.Path("case.json").write_text(json.dumps({**SOLID, **changes}, indent=1))
    done = hooke("check", "case.json")
    assert done.returncode == 3 and said in done.stderr and "case.json:" in done.stderr, done.stderr


def test_memory_and_disk_are_planned():
    """at least the squares in double for each node, and the file"""
    costs = []
    for more in ({"peak": {"quantity": "velocity"}}, {}):
        case = {**SOLID, "mesh": {"rectangle": {"size": [4, 3], "cells": [300, 300]}}, "outputs": {"field": {"frames": 1}} | more,
                "solve": {"explicit": {"end": 6e-3}}}
        pathlib.Path("case.json").write_text(json.dumps(case))
        costs.append(json.loads(hooke("check", "case.json", "--json").stdout))
    nodes = 301 * 301
    assert costs[0]["disk_bytes"] - costs[1]["disk_bytes"] > 4 * nodes
    assert costs[0]["memory_bytes"] - costs[1]["memory_bytes"] > 8 * nodes
