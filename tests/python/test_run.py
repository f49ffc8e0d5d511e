"""hooke.run does what the command does: the same numbers, the same words, the same manners at Ctrl-C."""
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import hooke
import models
from hooke._words import in_python
from hooke import _library, _run, _watch

COMMAND = os.environ["HOOKE"]
LONG = {**models.SIZE, "solve.explicit.end": "40 ms", "outputs.traces": [{"name": "rx", "at": [[35, 30]]}]}
pytestmark = pytest.mark.filterwarnings("ignore::hooke.HookeWarning")  # of the coarse mesh


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command(*words):
    return subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True)


def test_run_h5_is_that_of_the_command_bit_by_bit(here):
    models.plate(here)
    result = hooke.run("plate.yaml", device="cpu", threads=2, set=models.SIZE, pictures=False)
    sets = [word for key, value in models.SIZE.items() for word in ("--set", f"{key}={value}")]
    assert command("run", "plate.yaml", "--device", "cpu", "--threads", 2, "--output", "by_command", "--no-pictures", *sets).returncode == 0
    assert result.path == pathlib.Path("plate.hooke") and result.status == "ok"
    mine, theirs = models.data("plate.hooke"), models.data("by_command")
    assert mine.keys() == theirs.keys() and mine["traces/rx/velocity"].any()
    assert all(np.array_equal(mine[name], theirs[name]) for name in mine)


def test_run_json_tells_the_notes_of_reading_as_the_commands_does(here):
    models.plate(here)
    result = hooke.run("plate.yaml", device="cpu", set=models.SIZE, pictures=False)
    assert any("absorbing layer" in note for note in result.summary["notes"])
    assert result.summary["seconds"]["read"] > 0 and result.summary["model"] == "plate.yaml"


def errors_of(done):
    return [line for line in done.stderr.splitlines() if ": error:" in line]


@pytest.mark.parametrize("text", ["mesh: {rectangle: {size: [1, 1], cells: 2}}\nmaterials: {m: {densty: 1}}\nboundary: [{set: lef, fix: x}]\n",
                                  "title: nothing else\n", "mesh: missing.msh\nsolve: {static: {}}\n"])
def test_words_are_those_of_the_command(here, text):
    (here / "bad.yaml").write_text(text)
    done = command("run", "bad.yaml")
    with pytest.raises(hooke.BadInput) as caught:
        hooke.run("bad.yaml")
    assert caught.value.status == done.returncode == 3
    assert str(caught.value).splitlines() == errors_of(done) != []
    assert [m.severity for m in caught.value.messages].count("error") == len(errors_of(done))
    assert {m.file for m in caught.value.messages} <= {"bad.yaml", "missing.msh"}


@pytest.mark.parametrize("name, words, options", [("OutOfMemory", ["--device", "cuda:77"], {"device": "cuda:77"}),
                                                  ("NotWritable", ["--output", "/dev/null/x"], {"output": "/dev/null/x"})])
def test_each_status_has_its_exception(here, name, words, options):
    models.plate(here)
    done = command("run", "plate.yaml", *words)
    with pytest.raises(getattr(hooke, name)) as caught:
        hooke.run("plate.yaml", set=models.SIZE, **options)
    assert caught.value.status == done.returncode
    assert str(caught.value) in in_python(done.stderr)


def test_warnings_go_through_pythons(here):
    models.plate(here)
    with pytest.warns(hooke.HookeWarning, match="points per shortest wavelength") as caught:
        result = hooke.run("plate.yaml", device="cpu", set=models.SIZE, pictures=False)
    assert caught[0].filename == __file__
    assert [str(w.message).split("warning: ")[1] for w in caught] == result.warnings


def test_a_time_step_above_the_limit_is_unstable(here):
    models.plate(here)
    with pytest.raises(hooke.Unstable) as caught:
        hooke.run("plate.yaml", device="cpu", set={**models.SIZE, "solve.explicit.dt": "1 us"})
    assert caught.value.status == 6 and "above the stability limit" in str(caught.value)


def test_a_finished_run_is_not_overwritten_without_force(here):
    models.plate(here)
    options = {"device": "cpu", "set": models.SIZE, "pictures": False}
    hooke.run("plate.yaml", **options)
    with pytest.raises(hooke.Usage):
        hooke.run("plate.yaml", **options)
    assert hooke.run("plate.yaml", force=True, **options).status == "ok"


def test_unknown_precision_is_a_usage_error(here):
    models.plate(here)
    with pytest.raises(hooke.Usage, match="must be single or double"):
        hooke.run("plate.yaml", precision="half")


def test_progress_comes_in_the_callers_thread(here):
    models.plate(here)
    seen = []
    hooke.run("plate.yaml", device="cpu", set=models.SIZE, pictures=False, progress=lambda p: seen.append((threading.get_ident(), p)))
    assert {ident for ident, _ in seen} == {threading.get_ident()}
    assert [p.stage for _, p in seen if p.steps == 0][:2] == ["mesh", "assemble"]
    last = [p for _, p in seen if p.steps > 0][-1]
    assert last.fraction == 1 and last.time == pytest.approx(4) and "100 %" in str(last)


@pytest.mark.parametrize("wrong", [1, "yes", [0.0, 1.0]])
def test_progress_that_cannot_be_called_is_an_error(here, wrong):
    models.plate(here)
    with pytest.raises(TypeError, match="progress must be a callable"):
        hooke.run("plate.yaml", progress=wrong)
    assert not (here / "plate.hooke").exists()


def test_a_callable_that_returns_false_stops_with_a_checkpoint_that_a_run_goes_on_from(here):
    models.plate(here)
    for end in (1, 4, 16):  # as long as the run must be to be met under way
        options = {"device": "cpu", "threads": 1, "pictures": False, "set": {**LONG, "solve.explicit.end": f"{end} ms"}}
        caught = None
        try:
            hooke.run("plate.yaml", force=True, progress=lambda p: p.stage != "solve", **options)
        except hooke.Stopped as stop:
            caught = stop
            break
    assert caught.status == 9 and (here / "plate.hooke/checkpoint.h5").exists()
    whole = hooke.run("plate.yaml", output="whole", **options)
    done = hooke.run("plate.yaml", restart=True, **options)
    assert hooke.compare(whole, done, 1e-300)["passed"]


def test_numpys_false_stops_too_and_nothing_said_does_not():
    for answer, stops in ((np.False_, True), (False, True), (None, False), (True, False), (np.True_, False)):
        watch = _watch.Watch(_library.hk_run_desc())

        def call():
            watch.events.put("an event")
            return 0

        assert watch.wait(call, lambda event: answer) == (0, "", None)
        assert watch.stopping == stops


def test_ctrl_c_as_a_run_begins_waits_for_its_end(monkeypatch):
    """Whether the thread has begun when start() is left or not: nothing works in the library afterwards."""
    start, at_work, went = threading.Thread.start, [], []
    watch = _watch.Watch(_library.hk_run_desc())

    def call():
        at_work.append(True)
        while not watch.stopping:
            time.sleep(0.01)
        time.sleep(0.05)
        at_work.pop()
        went.append(True)
        return 9

    def after(thread):
        start(thread)
        while not at_work:
            time.sleep(0.001)
        raise KeyboardInterrupt

    def before(thread):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", after)
        status, words, raised = watch.wait(call)
    assert status == 9 and isinstance(raised, KeyboardInterrupt) and not at_work and went
    went.clear()
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", before)
        status, words, raised = watch.wait(call)
    assert status == 1 and isinstance(raised, KeyboardInterrupt) and not at_work and not went


def test_what_a_callable_raises_comes_out_after_the_checkpoint(here):
    models.plate(here)

    def report(progress):
        if progress.step > 0:
            raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        hooke.run("plate.yaml", device="cpu", set=LONG, progress=report)
    assert (here / "plate.hooke/checkpoint.h5").exists()


CTRL_C = """
import hooke, sys, threading, time
ticks = []
def tick():
    while True:
        ticks.append(time.monotonic())
        time.sleep(0.01)
threading.Thread(target=tick, daemon=True).start()
def report(p):
    if p.step > 0:
        print("stepping", flush=True)
try:
    hooke.run("plate.yaml", device="cpu", set={sets}, progress=report)
except KeyboardInterrupt as stop:
    print("interrupted:", stop)
    print("ticks", len(ticks))
    sys.exit(7)
"""


def test_ctrl_c_writes_a_checkpoint_and_raises_keyboard_interrupt(here):
    models.plate(here)
    words = [sys.executable, "-c", CTRL_C.replace("{sets}", repr(LONG))]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "stepping\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=3000)
    assert process.returncode == 7, err
    assert "interrupted: stopped" in out and "checkpoint" in out
    assert (here / "plate.hooke/checkpoint.h5").exists()
    assert err == ""


def test_other_threads_go_on_while_the_library_solves(here, monkeypatch):
    """Another thread ends a run that calls nothing of Python: were the lock of Python held, it would go on to its end."""
    made = []

    class Mute(_watch.Watch):
        def __init__(self, desc):
            super().__init__(desc)
            desc.progress = _library.PROGRESS()
            made.append(self)

    def stop():
        while thread.is_alive() and not (here / "plate.hooke/field.vtkhdf").exists():
            time.sleep(0.001)
        made[0].stopping = True

    def solve():
        try:
            hooke.run("plate.yaml", device="cpu", set={**LONG, "outputs.field": {"frames": 1}}, pictures=False)
        except hooke.Stopped as stopped:
            made.append(stopped)

    models.plate(here)
    monkeypatch.setattr(_run, "Watch", Mute)
    thread = threading.Thread(target=solve)
    thread.start()
    stop()
    thread.join()
    assert isinstance(made[-1], hooke.Stopped) and (here / "plate.hooke/checkpoint.h5").exists()


def test_the_library_asks_itself_whether_to_stop():
    """No callback into Python, which would wait for busy threads: the descriptor has the library's own function and a flag."""
    import ctypes
    desc = _library.hk_run_desc()
    watch = _watch.Watch(desc)
    address = ctypes.cast(desc.stop, ctypes.c_void_p).value
    assert address == ctypes.cast(_library.library().hk_stop_when_set, ctypes.c_void_p).value
    assert desc.stop(desc.user) is False
    watch.stopping = True
    assert desc.stop(desc.user) is True


def test_two_runs_at_once_in_two_threads(here):
    models.plate(here)
    made = {}

    def go(name):
        made[name] = hooke.run("plate.yaml", device="cpu", threads=1, set=models.SIZE, output=name, pictures=False, progress=False)

    threads = [threading.Thread(target=go, args=(name,)) for name in ("one", "two")]
    [t.start() for t in threads], [t.join() for t in threads]
    assert hooke.compare(made["one"], made["two"], 1e-300)["passed"]


def test_run_json_keeps_what_reading_warned_of(here):
    (here / "m.inp").write_text("*NODE, NSET=HELD\n1, 0., 0.\n2, 1., 0.\n*NODE\n3, 0., 1.\n*ELEMENT, TYPE=CPS3, ELSET=BODY\n1, 1, 3, 2\n")
    (here / "m.yaml").write_text("mesh: m.inp\nmaterials: {m: {young: 1, poisson: 0, density: 1}}\nboundary: [{set: HELD, fix: [x, y]}]\n"
                                 "sources: [{gravity: [0, -1]}]\nsolve: {static: {}}\n")
    warnings = hooke.run("m.yaml", device="cpu", pictures=False).warnings
    command("run", "m.yaml", "--device", "cpu", "--output", "by_command", "--no-pictures")
    assert warnings == hooke.open("by_command").warnings and any("clockwise" in text for text in warnings)


@pytest.mark.parametrize("options, kind", [({}, hooke.Usage), ({"output": "a_file"}, hooke.NotWritable), ({"blocks": "nothing.h5", "force": True}, hooke.BadInput),
                                           ({"restart": "nothing.h5", "force": True}, hooke.BadInput), ({"device": "cuda:99", "force": True}, hooke.Error),
                                           ({"field_format": "xdmf", "force": True}, hooke.Usage)])
def test_what_a_run_lacks_is_told_before_its_model_is_read(here, monkeypatch, options, kind):
    """hk_run_ready, as the command asks it: the mesh of a large model is not read for a run that cannot be"""
    case = models.bar()
    hooke.run(case, device="cpu", output="done", pictures=False)
    (here / "a_file").write_text("mine")
    monkeypatch.setattr(hooke.Model, "handle", lambda self: pytest.fail("the model was read"))
    with pytest.raises(kind):
        hooke.run(case, pictures=False, **{"output": "done", **options})


def large(mesh):
    return {"mesh": mesh, "materials": {"m": {"density": 7800, "young": 210e9, "poisson": 0.3}}, "solve": {"explicit": {"end": "1 ms"}},
            "sources": [{"set": "top", "force": 1, "direction": [0, 0, 1], "signal": {"ricker": {"frequency": "300 Hz"}}}], "units": {"length": "m"}}


def test_check_of_a_large_box_makes_no_mesh(here, monkeypatch):
    """hk_check_ahead, as the command asks it: the exact answer, by formulas"""
    monkeypatch.setattr(hooke.Model, "handle", lambda self: pytest.fail("the mesh was made"))
    told = hooke.check(large({"box": {"size": [1, 1, 1], "cells": [640, 640, 600]}}), device="cpu", first=lambda _: pytest.fail("an estimate"))
    assert told["estimated"] is False and told["counts"]["nodes"] == 641 * 641 * 601 and told["counts"]["elements"] == 640 * 640 * 600


def test_first_is_given_an_estimate_of_another_mesh(here):
    """estimated nodes within 40 % of those of the exact answer, which follows; a model that is read is not estimated"""
    model = hooke.Model.of(large({"cylinder": {"radius": 1, "length": 2, "across": 50, "along": 60}}))
    given = []
    exact = model.check(device="cpu", first=given.append)
    assert [g["estimated"] for g in given] == [True] and exact["estimated"] is False
    assert given[0]["counts"]["nodes"] == pytest.approx(exact["counts"]["nodes"], rel=0.4)
    assert model.check(device="cpu", first=given.append)["counts"] == exact["counts"] and len(given) == 1
