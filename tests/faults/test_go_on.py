"""A run goes on to a later end, with other traces, with other frames: what it computes is what a run with those from the start computes."""
import json
import re
import shutil
import signal
from pathlib import Path

import h5py
import numpy as np
import pytest

from command import differ, hooke, refused, run, state
from models import EXPLICIT
from moments_of import calls_of, killed_at, stopped_at

WORDS = ["--device", "cpu", "--no-pictures"]
STEP = {"acoustic": 0.025, "cracked": 0.01, "layers": 0.02, "spectral": 0.02}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def ending_at(text, end, step):
    """The model with a given step, by which the end of either run is a multiple, and frames at fixed times."""
    text = re.sub(r"end: \d+", f"end: {end}, dt: {step}", text)
    return re.sub(r"frames: \d+", "interval: 1", text)


def whole(name, *words):
    done = run(name, "--output", "whole.hooke", *WORDS, *words)
    assert done.returncode == 0, done.stderr


def same(a, b):
    for file in sorted(Path(b).glob("*.h5")) + sorted(Path(b).glob("*.vtkhdf")):
        assert differ(f"{a}/{file.name}", str(file)) == "", file.name


@pytest.mark.parametrize("model", EXPLICIT)
def test_finished_run_goes_on_to_a_later_end(model):
    """bit by bit the run that had the later end from the start, single and with traces without time dispersion where the model allows it"""
    step = STEP.get(model, 0.05)
    Path("m.yaml").write_text(ending_at(EXPLICIT[model], 4, step))
    if model == "shots":
        Path("m.yaml").write_text(ending_at(EXPLICIT[model], 4, step).replace("shots_at_once: 3", "shots_at_once: 9"))
    done = run("m.yaml", "--keep-checkpoint", *WORDS)
    assert done.returncode == 0, done.stderr
    Path("m.yaml").write_text(Path("m.yaml").read_text().replace("end: 4", "end: 7"))
    refused(run("m.yaml", *WORDS), "holds a finished run", code=2)
    done = run("m.yaml", "--restart", *WORDS)
    assert done.returncode == 0, done.stderr
    assert state("m.hooke")["end_time"] == pytest.approx(7) and not Path("m.hooke/checkpoint.h5").exists()
    whole("m.yaml")
    same("m.hooke", "whole.hooke")


def test_interrupted_run_goes_on_to_a_later_end_with_its_own_time_step():
    """without a given step the one of the checkpoint is kept: the run ends at the first step at or after the end"""
    Path("m.yaml").write_text(EXPLICIT["elastic"].replace("end: 8", "end: 80"))
    assert stopped_at("checkpoint", 2, signal.SIGINT, "m.yaml", *WORDS).returncode == 130
    Path("m.yaml").write_text(EXPLICIT["elastic"].replace("end: 8", "end: 100.3"))
    done = run("m.yaml", "--restart", *WORDS)
    assert done.returncode == 0, done.stderr
    told = state("m.hooke")
    step = told["dt"] if "dt" in told else told["time_step"]
    assert 100.3 <= told["end_time"] * (1 + 1e-9) and told["end_time"] < 100.3 + step
    Path("m.yaml").write_text(EXPLICIT["elastic"].replace("end: 8", f"end: 100.3, dt: {step!r}"))
    whole("m.yaml")
    with h5py.File("m.hooke/run.h5") as a, h5py.File("whole.hooke/run.h5") as b:
        assert np.array_equal(a["traces/rx/displacement"], b["traces/rx/displacement"])
        assert np.array_equal(a["energy/strain"], b["energy/strain"])


def test_checkpoint_after_the_end_that_the_run_had_is_refused():
    """beyond its end traces alone go on; the run itself ends as it was"""
    text = ending_at(EXPLICIT["spectral"], 4, 0.004)
    Path("m.yaml").write_text(text)
    last = calls_of("checkpoint", "m.yaml", *WORDS, "--output", "whole.hooke")
    assert any(killed_at("checkpoint", k, "m.yaml", *WORDS, "--force") for k in range(last, 0, -1))
    Path("m.yaml").write_text(text.replace("end: 4", "end: 6"))
    refused(run("m.yaml", "--restart", *WORDS), "after the former end", "give the former end time again")
    Path("m.yaml").write_text(text)
    assert run("m.yaml", "--restart", *WORDS).returncode == 0
    same("m.hooke", "whole.hooke")


def test_end_before_the_checkpoint_is_refused():
    text = ending_at(EXPLICIT["elastic"], 40, 0.05)
    Path("m.yaml").write_text(text)
    assert run("m.yaml", "--keep-checkpoint", *WORDS).returncode == 0
    before = Path("m.hooke/run.h5").read_bytes()
    Path("m.yaml").write_text(text.replace("end: 40", "end: 20"))
    refused(run("m.yaml", "--restart", *WORDS), "checkpoint.h5: the checkpoint is of step 800, t = 40 s, after the end of this run, t = 20 s")
    assert Path("m.hooke/run.h5").read_bytes() == before


def other_traces(text):
    return text.replace("traces: [{name: rx, set: right}, {name: p, at: [[2.5, 0.5]], quantity: velocity}]",
                        "traces: [{name: p, at: [[1.5, 0.5], [2.5, 0.5]], quantity: [displacement, velocity]}, "
                        "{name: rx, set: right}, {name: new, at: [[3, 1]]}]")


@pytest.mark.parametrize("model, dispersion", [("elastic", "keep"), ("spectral", "keep"), ("spectral", "remove")])
def test_other_traces_begin_where_the_run_goes_on(model, dispersion):
    """receivers that were there before have all their samples; others have those from there on, before that not-a-number"""
    step = STEP.get(model, 0.05)
    text = ending_at(EXPLICIT[model], 8, step).replace("end: 8", f"end: 8, time_dispersion: {dispersion}")
    Path("m.yaml").write_text(text.replace("end: 8", "end: 4"))
    assert run("m.yaml", "--keep-checkpoint", *WORDS).returncode == 0
    Path("m.yaml").write_text(other_traces(text))
    assert other_traces(text) != text
    done = run("m.yaml", "--restart", *WORDS)
    assert done.returncode == 0, done.stderr
    assert "trace new: 1 receivers begin at t = 4" in done.stderr and "trace p: 2 receivers begin" in done.stderr
    assert "trace rx" not in done.stderr
    whole("m.yaml")
    with h5py.File("m.hooke/run.h5") as a, h5py.File("whole.hooke/run.h5") as b:
        assert list(a["traces"]) == list(b["traces"])
        assert np.array_equal(a["traces/rx/displacement"], b["traces/rx/displacement"])
        assert np.array_equal(a["traces/p/velocity"][1], b["traces/p/velocity"][1])
        first = round(4 / step)
        for name in ("traces/new/displacement", "traces/p/displacement", "traces/p/velocity"):
            got, expected = a[name][0], b[name][0]
            assert np.isnan(got[:, :first]).all() and not np.isnan(got[:, first:]).any(), name
            if dispersion == "keep":
                assert np.array_equal(got[:, first:], expected[:, first:]), name
            else:  # as computed: time dispersion is in them
                assert np.abs(got[:, first:] - expected[:, first:]).max() < 0.05 * np.abs(expected).max(), name
    same_but_traces("m.hooke", "whole.hooke")


def test_other_traces_on_another_device_and_their_pictures():
    """by OpenCL, in double; pictures, exports and the report pass over what holds no number"""
    text = ending_at(EXPLICIT["spectral"], 8, 0.02)
    words = ["--device", "opencl", "--precision", "double"]
    Path("m.yaml").write_text(text.replace("end: 8", "end: 4"))
    assert run("m.yaml", "--keep-checkpoint", *words).returncode == 0
    Path("m.yaml").write_text(other_traces(text))
    done = run("m.yaml", "--restart", *words)
    assert done.returncode == 0, done.stderr
    assert Path("m.hooke/report.html").exists() and list(Path("m.hooke").glob("trace_new*.png"))
    assert run("m.yaml", "--output", "whole.hooke", *words).returncode == 0
    with h5py.File("m.hooke/run.h5") as a, h5py.File("whole.hooke/run.h5") as b:
        assert np.array_equal(a["traces/rx/displacement"], b["traces/rx/displacement"])
        assert not np.isnan(a["traces/new/displacement"][0][:, 200:]).any()
    assert hooke("export", "m.hooke", "--csv", "--sac", "--su").returncode == 0


def same_but_traces(a, b):
    assert differ(f"{a}/field.vtkhdf", f"{b}/field.vtkhdf") == ""
    with h5py.File(f"{a}/run.h5") as one, h5py.File(f"{b}/run.h5") as other:
        for name in one["energy"]:
            assert np.array_equal(one["energy"][name], other["energy"][name])


def test_fewer_traces_and_frames_are_kept_with_what_they_have():
    text = ending_at(EXPLICIT["elastic"], 8, 0.05)
    Path("m.yaml").write_text(text.replace("end: 8", "end: 4"))
    assert run("m.yaml", "--keep-checkpoint", *WORDS).returncode == 0
    Path("m.yaml").write_text(text.replace("{name: p, at: [[2.5, 0.5]], quantity: velocity}", "").replace("right}, ]", "right}]")
                              .replace("interval: 1", "interval: 2"))
    done = run("m.yaml", "--restart", *WORDS)
    assert done.returncode == 0, done.stderr
    assert "are not-a-number" not in done.stderr
    whole("m.yaml")
    same("m.hooke", "whole.hooke")


def test_frames_at_other_times_are_told():
    """those that were not written before are not-a-number and counted; those at the same times are kept, new quantities begin"""
    text = ending_at(EXPLICIT["elastic"], 8, 0.05)
    Path("m.yaml").write_text(text.replace("end: 8", "end: 4"))
    assert run("m.yaml", "--keep-checkpoint", *WORDS).returncode == 0
    Path("m.yaml").write_text(text.replace("interval: 1", "interval: 0.5").replace("quantity: velocity, interval", "quantity: [displacement, velocity], interval"))
    done = run("m.yaml", "--restart", *WORDS)
    assert done.returncode == 0, done.stderr
    assert "field: 8 frames before t = 4 s, where the run continues, were not written, or not with all quantities" in done.stderr
    whole("m.yaml")
    with h5py.File("m.hooke/field.vtkhdf") as a, h5py.File("whole.hooke/field.vtkhdf") as b:
        assert np.array_equal(a["VTKHDF/Steps/Values"], b["VTKHDF/Steps/Values"])
        frames = len(a["VTKHDF/Steps/Values"])
        for name in ("displacement", "velocity"):
            got, expected = (np.array(f["VTKHDF/PointData"][name]).reshape(frames, -1) for f in (a, b))
            for k in range(frames):
                if k >= 8 or (name == "velocity" and k % 2 == 0):
                    assert np.array_equal(got[k], expected[k]), (name, k)
                else:
                    assert np.isnan(got[k]).all(), (name, k)


def test_frames_where_there_were_none():
    text = ending_at(EXPLICIT["elastic"], 8, 0.05)
    Path("m.yaml").write_text(re.sub(r", field: \{.*?\}", "", text).replace("end: 8", "end: 4"))
    assert run("m.yaml", "--keep-checkpoint", *WORDS).returncode == 0
    assert not Path("m.hooke/field.vtkhdf").exists()
    Path("m.yaml").write_text(text)
    assert run("m.yaml", "--restart", *WORDS).returncode == 0
    whole("m.yaml")
    with h5py.File("m.hooke/field.vtkhdf") as a, h5py.File("whole.hooke/field.vtkhdf") as b:
        got, expected = (np.array(f["VTKHDF/PointData/velocity"]).reshape(len(f["VTKHDF/Steps/Values"]), -1) for f in (a, b))
        assert np.isnan(got[:4]).all() and np.array_equal(got[4:], expected[4:])


@pytest.mark.parametrize("change, words", [
    (lambda t: t.replace("traces: [{name: rx, set: right, quantity: pressure}", "traces: [{name: rx, set: right, quantity: displacement}"), "integrals from the start"),
    (lambda t: t.replace("field: {quantity: pressure", "field: {quantity: displacement"), "integrals from the start")])
def test_what_a_fluid_did_not_integrate_is_refused(change, words):
    text = ending_at(EXPLICIT["acoustic"], 8, 0.025)
    Path("m.yaml").write_text(text.replace("end: 8", "end: 4"))
    assert run("m.yaml", "--keep-checkpoint", *WORDS).returncode == 0
    Path("m.yaml").write_text(change(text))
    refused(run("m.yaml", "--restart", *WORDS), words)


def test_vtu_frames_cannot_be_laid_out_anew():
    text = ending_at(EXPLICIT["elastic"], 8, 0.05)
    Path("m.yaml").write_text(text.replace("end: 8", "end: 4"))
    assert run("m.yaml", "--keep-checkpoint", "--field-format", "vtu", *WORDS).returncode == 0
    Path("m.yaml").write_text(text)
    refused(run("m.yaml", "--restart", "--field-format", "vtu", *WORDS), "hooke cannot change the frames of .vtu files")


def test_shots_that_have_ended_are_told():
    text = ending_at(EXPLICIT["shots"], 8, 0.05)
    Path("m.yaml").write_text(text.replace("end: 8", "end: 4"))
    assert run("m.yaml", "--keep-checkpoint", *WORDS).returncode == 0
    Path("m.yaml").write_text(text)
    refused(run("m.yaml", "--restart", *WORDS), "6 shots are complete up to the former end time")


def test_killed_while_files_are_laid_out_anew_loses_nothing():
    """at each write of the restart: the next one ends as if it had not been killed"""
    text = ending_at(EXPLICIT["elastic"], 6, 0.05)
    Path("m.yaml").write_text(text.replace("end: 6", "end: 4"))
    assert run("m.yaml", "--keep-checkpoint", *WORDS).returncode == 0
    shutil.copytree("m.hooke", "kept")
    Path("m.yaml").write_text(other_traces(text))
    assert run("m.yaml", "--restart", *WORDS).returncode == 0
    shutil.move("m.hooke", "expected")
    shutil.copytree("kept", "m.hooke")
    writes = calls_of("write", "m.yaml", "--restart", *WORDS)
    for k in sorted({1, 2, 3, 5, 8, 13, 21, 34, 55, 89, writes // 2, writes - 1}):
        if k >= writes:
            continue
        shutil.rmtree("m.hooke")
        shutil.copytree("kept", "m.hooke")
        if not killed_at("write", k, "m.yaml", "--restart", *WORDS):
            assert k > 100  # that run wrote less often than the first, and ended
            continue
        done = run("m.yaml", "--restart", *WORDS)
        assert done.returncode == 0, (k, done.stderr)
        for name in ("run.h5", "field.vtkhdf"):
            assert differ(f"m.hooke/{name}", f"expected/{name}") == "", (k, name)
