"""Too little memory, a full or read-only disk, a folder in use: 5 or 8, and what was closed stays readable."""
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from command import differ, hooke, least_addresses, limit, refused, run, state
from decks import strip
from models import MODELS
from moments_of import go_on, met_at

ROOT = os.geteuid() == 0


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "strip.inp").write_text(strip())
    return tmp_path


BLOCK = """\
mesh: {{box: {{size: [1, 1, 1], cells: [{n}, {n}, {n}]}}}}
materials: {{steel: {{density: 7850, young: 210e9, poisson: 0.3}}}}
regions: {{all: steel}}
sources: [{{at: [0.5, 0.5, 1], force: 1, direction: [0, 0, -1], signal: {{ricker: {{frequency: 500}}}}}}]
outputs: {{traces: [{{name: rx, at: [[0.5, 0.5, 0.5]]}}]}}
solve: {{explicit: {{end: 1e-4}}}}
"""


@pytest.fixture(scope="module")
def loads_in():
    return least_addresses()


@pytest.mark.parametrize("more", [0, 2, 8, 18])
def test_too_little_memory_ends_in_5_with_needs_and_free(tmp_path, loads_in, more):
    megabytes = loads_in + more
    (tmp_path / "block.yaml").write_text(BLOCK.format(n=36))
    done = run("block.yaml", "--threads", "1", preexec_fn=limit(resource.RLIMIT_AS, megabytes << 20), timeout=60)
    refused(done, "memory", code=5)
    need, free = map(float, re.search(r"needs? ([\d.]+) MB.* ([\d.]+) MB are free", done.stderr).groups())
    assert free <= (megabytes << 20) / 1e6 and need >= 0, done.stderr


@pytest.mark.parametrize("threads", ["2", "5"])
@pytest.mark.parametrize("more", [0, 4, 10, 18])
def test_threads_that_cannot_be_started_end_in_5(loads_in, more, threads):
    """OpenMP's library would end the process with 1 and words of its own"""
    Path("block.yaml").write_text(BLOCK.format(n=36))
    done = run("block.yaml", "--threads", threads, preexec_fn=limit(resource.RLIMIT_AS, (loads_in + more) << 20), timeout=60)
    assert done.returncode == 5 and "libgomp" not in done.stderr, done.stderr
    assert re.search(r"thread \d of \d cannot be started|out of memory", done.stderr), done.stderr


def test_more_memory_than_there_is_is_refused_before_it_is_taken(tmp_path):
    """the mesh alone needs 17 GB; a machine that has them is told to give 8"""
    (tmp_path / "block.yaml").write_text(BLOCK.format(n=600))
    refused(run("block.yaml", preexec_fn=limit(resource.RLIMIT_AS, 8 << 30), timeout=20), "free", code=5)


def test_too_little_memory_of_a_device_ends_in_5_before_it_is_taken(tmp_path):
    """PoCL, told to have 1 GB: K with 27 blocks of 72 bytes per node needs more"""
    (tmp_path / "block.yaml").write_text(BLOCK.format(n=84).replace("{end: 1e-4}", "{end: 1e-4, method: stored}"))
    done = run("block.yaml", "--device", "opencl", "--precision", "double", env={**os.environ, "POCL_MEMORY_LIMIT": "1"}, timeout=120)
    refused(done, "on device opencl", code=5)
    need, free = map(float, re.search(r"need ([\d.]+) MB more.* ([\d.]+) MB are free", done.stderr).groups())
    assert need > free, done.stderr


@pytest.mark.parametrize("kilobytes", [0, 1, 4, 8, 15, 16, 17, 18, 20, 24, 40, 100, 150])
def test_files_that_may_not_grow_end_in_8(tmp_path, kilobytes):
    """the largest file, report.html, has 159 kB"""
    done = run("strip.inp", preexec_fn=limit(resource.RLIMIT_FSIZE, kilobytes << 10))
    assert done.returncode == 8 and "strip.hooke" in done.stderr, (done.returncode, done.stderr)
    check_what_is_left()


def check_what_is_left():
    """run.json is whole or absent and does not say ok; HDF5 files are readable or were never begun."""
    if os.path.exists("strip.hooke/run.json"):
        assert state("strip.hooke")["status"] != "ok"
    for name in ("run.h5", "field.vtkhdf"):
        path = f"strip.hooke/{name}"
        if os.path.exists("strip.hooke/run.json") and name == "run.h5":
            assert subprocess.run(["h5ls", "-r", path], capture_output=True).returncode == 0


@pytest.fixture
def disk(tmp_path):
    """Mounts a file system of a few bytes; root only."""
    mounted = []

    def mount(size):
        place = tmp_path / f"disk{len(mounted)}"
        place.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(place)], capture_output=True)
        if done.returncode:
            pytest.skip("mounting needs root; RLIMIT_FSIZE covers the rest")
        mounted.append(place)
        return place
    yield mount
    for place in mounted:
        subprocess.run(["umount", "-l", str(place)], check=True)  # lazily: a program may stand in it still


@pytest.mark.parametrize("kilobytes", [4, 12, 20, 28, 36, 44, 60, 120, 200])
def test_full_disk_ends_in_8_and_leaves_readable_files(disk, kilobytes):
    place = disk(f"{kilobytes}k")
    done = run("strip.inp", "--output", place / "strip.hooke")
    assert done.returncode == 8, (done.returncode, done.stderr)
    assert "strip.hooke" in done.stderr and ("space" in done.stderr or "needed" in done.stderr), done.stderr
    os.chdir(place)
    check_what_is_left()


def test_disk_that_fills_up_before_the_checkpoint_keeps_the_last_one(disk):
    """it is filled at the first checkpoint; when there is room again the run goes on from there"""
    place = disk("400k")
    with open("long.inp", "w") as deck:
        deck.write(strip(200, "2e-3").replace("FREQUENCY=1\n", "FREQUENCY=100\n"))
    words = ["long.inp", "--output", f"{place}/o", "-q", "--precision", "double", "--no-pictures"]
    with met_at("checkpoint", 1, *words) as process:
        with pytest.raises(OSError), open(f"{place}/filler", "wb", buffering=0) as filler:
            while filler.write(b"x" * 1024):
                pass
        said = go_on(process)
    assert process.returncode == 8 and "checkpoint.h5" in said, (process.returncode, said)
    for name in ("run.h5", "checkpoint.h5"):
        assert subprocess.run(["h5ls", "-r", f"{place}/o/{name}"], capture_output=True).returncode == 0
    os.remove(f"{place}/filler")
    done = run(*words, "--restart")
    assert done.returncode == 0 and "no checkpoint" not in done.stderr, done.stderr
    assert run(*words, "--output", "whole.hooke").returncode == 0
    for name in ("run.h5", "field.vtkhdf"):
        assert differ(f"{place}/o/{name}", f"whole.hooke/{name}") == ""


@pytest.mark.parametrize("verb", [["export", "strip.hooke", "--csv"], ["export", "strip.hooke", "--vtu"],
                                  ["export", "strip.hooke", "--su"], ["export", "strip.hooke", "--sac"],
                                  ["export", "strip.hooke", "--segy"],
                                  ["report", "strip.hooke"]])
def test_full_disk_ends_a_writer_in_8(verb, tmp_path):
    assert run("strip.inp").returncode == 0
    done = hooke(*verb, preexec_fn=limit(resource.RLIMIT_FSIZE, 512))
    assert done.returncode == 8, (done.returncode, done.stderr)
    assert not [path for path in (tmp_path / "strip.hooke").glob("export/*") if path.suffix in (".su", ".segy", ".sac", ".tmp")]


@pytest.mark.parametrize("ending", ["msh", "inp", "vtu", "vtkhdf"])
def test_full_disk_ends_convert_in_8_and_leaves_no_half_mesh(tmp_path, ending):
    done = hooke("convert", "strip.inp", f"a.{ending}", preexec_fn=limit(resource.RLIMIT_FSIZE, 600))
    assert done.returncode == 8 and f"a.{ending}" in done.stderr, (done.returncode, done.stderr)
    assert not os.path.exists(f"a.{ending}") or hooke("info", f"a.{ending}").returncode == 3


def test_read_only_directory_ends_in_8(disk, tmp_path):
    if ROOT:
        place = disk("100k")
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
    else:
        place = tmp_path / "closed"
        place.mkdir(mode=0o500)
    done = run("strip.inp", "--output", place / "o")
    refused(done, str(place), code=8)
    assert hooke("convert", "strip.inp", place / "a.msh").returncode == 8


def test_folder_that_is_a_file_ends_in_8(tmp_path):
    (tmp_path / "o").write_text("mine")
    refused(run("strip.inp", "--output", "o"), "o", code=8)
    assert (tmp_path / "o").read_text() == "mine"


def test_folder_in_use_by_another_run_ends_in_8_and_hurts_nothing(tmp_path):
    (tmp_path / "long.inp").write_text(strip(200, "2e-3"))
    with met_at("checkpoint", 1, "long.inp", "-q") as first:
        for words in ([], ["--force"], ["--restart"]):
            refused(run("long.inp", *words), "another run uses it", code=8)
        assert state("long.hooke")["status"] == "running"
        first.send_signal(signal.SIGINT)  # which comes when it goes on
        go_on(first)
    assert first.returncode == 130
    assert state("long.hooke")["status"] == "stopped"


def test_finished_run_is_kept_without_force(tmp_path):
    assert run("strip.inp").returncode == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "strip.hooke").iterdir()}
    for words in ([], ["--restart"]):
        refused(run("strip.inp", *words), "--force", code=2)
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "strip.hooke").iterdir()}
    assert run("strip.inp", "--force").returncode == 0


def test_json_of_a_run_that_fails_late_is_json_and_says_why():
    done = hooke("run", "strip.inp", "--json", "--progress", "none",
                 preexec_fn=limit(resource.RLIMIT_FSIZE, 40 << 10))
    assert done.returncode == 8 and "\nhooke: error:" in done.stderr, done.stderr
    if done.stdout:
        assert json.loads(done.stdout)["status"] != "ok"


def test_spare_room_is_enough(disk):
    place = disk("4M")
    assert run("strip.inp", "--output", place / "o").returncode == 0
    shutil.rmtree(place / "o")


def test_folder_of_other_files_is_left_alone(tmp_path):
    other = tmp_path / "work"
    other.mkdir()
    names = {"notes.tmp", "thesis.part", "report.html", "field_notes.md"}
    for name in names:
        (other / name).write_text("mine")
    (tmp_path / "strip.inp").write_text(strip())
    refused(run("strip.inp", "--output", "work"), "other files", "--force", code=8)
    assert {f.name for f in other.iterdir()} == names
    assert run("strip.inp", "--output", "work", "--force", "--no-pictures").returncode == 0
    assert names <= {f.name for f in other.iterdir()}


def test_results_without_their_run_json_are_kept(tmp_path):
    """cut, changed, taken away: who knows whether they are finished"""
    for damage in (lambda path: path.unlink(), lambda path: path.write_text(path.read_text()[:300]), lambda path: path.write_text("{}")):
        assert run("strip.inp", "--force", "--no-pictures").returncode == 0
        damage(tmp_path / "strip.hooke/run.json")
        before = (tmp_path / "strip.hooke/run.h5").read_bytes()
        refused(run("strip.inp"), "--force", code=8)
        assert (tmp_path / "strip.hooke/run.h5").read_bytes() == before


def test_a_file_that_only_bears_the_name_of_a_result_is_kept(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/run.h5").write_text("precious")
    refused(run("strip.inp", "--output", "mine"), "run.h5", code=8)
    (tmp_path / "mine/run.json").write_text('{"status": "unstable"}')
    refused(run("strip.inp", "--output", "mine"), "run.h5", code=8)
    assert (tmp_path / "mine/run.h5").read_text() == "precious"


@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize("name", ["run.json", "field_mesh.vtu", "run.h5"])
def test_a_file_that_the_model_is_read_from_is_not_overwritten(tmp_path, name, force):
    case = """{"mesh": {"rectangle": {"size": [1, 1], "cells": [4, 4]}}, "materials": {"m": {"density": 1, "young": 1, "poisson": 0.3}},
 "boundary": [{"set": "left", "fix": ["x", "y"]}, {"set": "right", "traction": [1, 0]}], "solve": {"static": {}}}"""
    os.mkdir("own")
    os.chdir("own")
    if name == "field_mesh.vtu":
        (tmp_path / "own/grid.json").write_text(case)
        assert run("grid.json", "--output", "../grid", "--field-format", "vtu", "--no-pictures").returncode == 0
        (tmp_path / "own" / name).write_bytes(next((tmp_path / "grid").glob("*.vtu")).read_bytes())
        (tmp_path / "own/c.json").write_text("""{"mesh": "field_mesh.vtu", "materials": {"m": {"density": 1, "young": 1, "poisson": 0.3}},
 "sources": [{"at": [0.5, 0.5], "force": 1, "direction": [1, 0]}], "solve": {"explicit": {"end": 1}}}""")
        model = "c.json"
    else:
        (tmp_path / "own" / name).write_text(case)
        model = name
    before = (tmp_path / "own" / name).read_bytes()
    done = run(model, "--output", ".", *force)
    assert done.returncode in (3, 8), done.stderr
    assert done.returncode == 8 or name == "run.h5"
    assert (tmp_path / "own" / name).read_bytes() == before


def solved_in(megabytes, name, method, library=None):
    """Static or heat by a method, in an address space that holds the program and so many megabytes more."""
    Path("m.yaml").write_text(MODELS[name])
    words = ["--set", f"solve.{name}.method={method}"] + (["--set", f"solve.{name}.library={library}"] if library else [])
    return run("m.yaml", "--force", "--no-pictures", "--device", "cpu", "--threads", "2", *words, timeout=60,
               preexec_fn=limit(resource.RLIMIT_AS, megabytes << 20))


@pytest.mark.parametrize("more", [30, 60, 100, 140, 200, 280, 340, 500])
@pytest.mark.parametrize("name, method", [("static", "cg"), ("static", "femses"), ("static", "direct"), ("heat", "cg"), ("heat", "dense")])
def test_limited_addresses_end_a_static_run_in_0_or_5(loads_in, name, method, more):
    """OpenBLAS, which makes factors, tries for ever to get the buffers of its threads"""
    done = solved_in(loads_in + more, name, method)
    assert done.returncode in (0, 5), (done.returncode, done.stderr)
    if done.returncode == 5:
        assert "memory" in done.stderr and more < 340, done.stderr
    else:
        assert state("m.hooke")["status"] == "ok"


def test_no_memory_to_open_a_library_is_not_taken_for_its_absence(loads_in):
    done = solved_in(loads_in + 60, "static", "direct")
    refused(done, "needs", "MB are free", "ulimit -v", code=5)
    assert "not installed" not in done.stderr


PROGRAM = """
import os, resource
import h5py, hooke, numpy
from hooke._library import library
library()  # its size does not count
numpy.linalg.inv(numpy.eye(300))  # its own OpenBLAS has its buffers now
pages = int(open("/proc/self/statm").read().split()[0])
most = pages * os.sysconf("SC_PAGE_SIZE") + (140 << 20)
resource.setrlimit(resource.RLIMIT_AS, (most, most))
try:
    hooke.run("m.yaml", output="p.hooke", device="cpu", threads=2, force=True)
except hooke.Error as error:
    print("caught", error)
"""


def test_limited_addresses_leave_a_program_that_uses_the_library_alive(tmp_path):
    """it gets an error, goes on and ends by itself"""
    Path("m.yaml").write_text(MODELS["static"].replace("static: {}", "static: {method: direct}"))
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=3000,
                          env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    assert done.returncode == 0 and "caught" in done.stdout and "memory" in done.stdout, (done.returncode, done.stdout, done.stderr)
