"""What static runs must end in when the input is wrong, the solver stops short, or someone ends them."""
import json
import os
import resource
import signal
import subprocess

import h5py
import numpy as np
import pytest

from command import HOOKE, hooke, least_addresses, limit, refused, run, state
from moments import stop

BEAM = """\
units: {length: mm, mass: kg, time: ms}
mesh: {box: {size: [40, 10, 10], cells: [8, 2, 2]}}
materials: {steel: {density: 7850 kg/m^3, young: 210 GPa, poisson: 0.3}}
regions: {all: steel}
boundary: [{set: left, fix: [x, y, z]}, {set: right, traction: [0 MPa, 0 MPa, 5 MPa]}]
solve: {static: {}}
"""
DECK = """\
*NODE
1, 0., 0., 0.
2, 1., 0., 0.
3, 1., 1., 0.
4, 0., 1., 0.
5, 0., 0., 1.
6, 1., 0., 1.
7, 1., 1., 1.
8, 0., 1., 1.
*ELEMENT, TYPE=C3D8, ELSET=BODY
1, 1, 2, 3, 4, 5, 6, 7, 8
*NSET, NSET=BASE
1, 2, 3, 4
*MATERIAL, NAME=M
*ELASTIC
1000., 0.3
*DENSITY
1.
*SOLID SECTION, ELSET=BODY, MATERIAL=M
*STEP
*STATIC
*BOUNDARY
BASE, 1, 3
*CLOAD
7, 3, 1.
*END STEP
"""


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(tmp_path, text, name="model.inp"):
    (tmp_path / name).write_text(text)
    return tmp_path / name


def changed(old, new, text=DECK):
    assert old in text
    return text.replace(old, new, 1)


WRONG = {
    "nothing held": ("BASE, 1, 3\n", "BASE, 3, 3, 0.\n", ["3 rigid-body modes", "free along x, along y, about z"]),
    "free": ("*BOUNDARY\nBASE, 1, 3\n", "", ["6 rigid-body modes"]),
    "no section": ("*SOLID SECTION, ELSET=BODY, MATERIAL=M\n", "", ["SECTION"]),
    "no elastic constants": ("*ELASTIC\n1000., 0.3\n", "", ["*ELASTIC"]),
    "gravity without density": ("*DENSITY\n1.\n", "", ["*DENSITY"]),
    "missing face": ("*CLOAD\n7, 3, 1.\n", "*DLOAD\nBODY, P7, 1.\n", ["P7"]),
    "missing set": ("7, 3, 1.", "TOP, 3, 1.", ["TOP"]),
    "Poisson's ratio": ("1000., 0.3", "1000., 0.5", ["0.5"]),
    "mixed steps": ("*END STEP\n", "*END STEP\n*STEP\n*DYNAMIC, EXPLICIT\n, 1e-3\n*END STEP\n", []),
    "force on an orphan": ("*ELEMENT", "9, 5., 5., 5.\n*ELEMENT", None),
}
EXTRA = {"gravity without density": ("*CLOAD\n7, 3, 1.\n", "*DLOAD\nBODY, GRAV, 9.81, 0., 0., -1.\n"),
         "force on an orphan": ("7, 3, 1.", "9, 3, 1.")}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_models_end_in_3(tmp_path, name):
    old, new, words = WRONG[name]
    text = changed(old, new)
    if name in EXTRA:
        text = changed(*EXTRA[name], text)
    done = run(write(tmp_path, text), "--no-pictures")
    refused(done, *(words if words is not None else ["9"]))
    assert not (tmp_path / "model.hooke/run.json").exists() or state(tmp_path / "model.hooke")["status"] != "ok"


def test_contradicting_equations_name_their_line(tmp_path):
    """u7 = u8 and u7 = u8 again is left out with a warning; u7 - u8 = 0 with both moved apart is refused with file and line."""
    twice = "*EQUATION\n2\n7, 1, 1., 8, 1, -1.\n*EQUATION\n2\n7, 1, 2., 8, 1, -2.\n*STEP\n"
    done = run(write(tmp_path, changed("*STEP\n", twice)), "--no-pictures")
    assert done.returncode == 0 and "follows from others" in done.stderr
    apart = changed("BASE, 1, 3\n", "BASE, 1, 3\n7, 1, 1, .1\n8, 1, 1, .2\n", changed("*STEP\n", "*EQUATION\n2\n7, 1, 1., 8, 1, -1.\n*STEP\n"))
    path = write(tmp_path, apart, "apart.inp")
    refused(run(path, "--no-pictures"), "contradicts", "apart.inp:")


def test_a_second_part_that_nothing_holds_is_told(tmp_path):
    """per connected part: its first element and how it can move"""
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    more = "".join(f"{n + 10}, {x[0] + 5}., {x[1]}., {x[2]}.\n" for n, x in enumerate(corners, 1))
    first = "1, 1, 2, 3, 4, 5, 6, 7, 8\n"
    text = changed("*ELEMENT", more + "*ELEMENT", changed(first, first + "2, 11, 12, 13, 14, 15, 16, 17, 18\n"))
    refused(run(write(tmp_path, text), "--no-pictures"), "6 rigid-body modes", "element 2")


def test_check_tells_rigid_modes_too(tmp_path):
    refused(hooke("check", write(tmp_path, changed("BASE, 1, 3\n", "BASE, 1, 2\n"))), "3 rigid-body modes", "free along z, and 2 others")


def test_orphan_nodes_are_warned_of_and_read_zero(tmp_path):
    text = changed("*ELEMENT", "9, 5., 5., 5.\n*ELEMENT", changed("BASE, 1, 3\n", "BASE, 1, 3\n9, 1, 3\n"))
    done = run(write(tmp_path, text), "--no-pictures")
    assert done.returncode == 0 and "no element" in done.stderr, done.stderr
    with h5py.File(tmp_path / "model.hooke/run.h5") as file:
        assert np.isfinite(file["static/0001/displacement"][:]).all()


OPEN = {  # equations: what is said of nodes 98 and 99, which belong to no element
    "both free": ("2\n98, 1, 1., 99, 1, -1.\n", "node 99 belongs to no element, and the equations do not determine its displacement along x (1 such)"),
    "a sum": ("3\n7, 2, 1., 98, 2, -1., 99, 2, -1.\n", "determine its displacement along y (1 such)"),
    "one too few": ("3\n7, 3, 1., 98, 3, -1., 99, 3, 1.\n*EQUATION\n3\n6, 3, 1., 98, 3, -2., 99, 3, 2.\n",
                    "determine its displacement along z (1 such)"),
    "settled": ("2\n7, 1, 1., 98, 1, -1.\n*EQUATION\n2\n98, 1, 1., 99, 1, -1.\n", None),
    "two and two": ("3\n7, 1, 1., 98, 1, -1., 99, 1, -1.\n*EQUATION\n3\n7, 2, 1., 98, 1, -1., 99, 1, 1.\n", None),
}


@pytest.mark.parametrize("name", OPEN)
def test_nodes_that_equations_do_not_settle_are_told(tmp_path, name):
    equations, words = OPEN[name]
    text = changed("*ELEMENT", "98, 5., 5., 5.\n99, 6., 5., 5.\n*ELEMENT", changed("*STEP", "*EQUATION\n" + equations + "*STEP"))
    model = write(tmp_path, text)
    for verb in (["run", model, "--no-pictures"], ["check", model]):
        done = hooke(*verb)
        assert done.returncode == 0 and done.stderr.count("do not determine") == (1 if words else 0), done.stderr
        assert not words or words in done.stderr
    if words:  # held from the second step on, it is settled there and not told again
        done = run(write(tmp_path, text + "*STEP\n*STATIC\n*BOUNDARY\n99, 1, 3\n*END STEP\n"), "--no-pictures", "--force")
        assert done.returncode == 0 and done.stderr.count("do not determine") == 1, done.stderr


def test_temperatures_that_equations_do_not_settle_are_told(tmp_path):
    text = changed("*ELEMENT", "98, 5., 5., 5.\n99, 6., 5., 5.\n*ELEMENT", changed("*STEP", "*EQUATION\n2\n98, 11, 1., 99, 11, -1.\n*STEP"))
    text = text.replace("*STATIC", "*HEAT TRANSFER, STEADY STATE").replace("BASE, 1, 3", "BASE, 11, 11, 5.").replace(
        "*CLOAD\n7, 3, 1.\n", "").replace("*DENSITY", "*CONDUCTIVITY\n2.\n*DENSITY")
    done = run(write(tmp_path, text), "--no-pictures")
    assert done.returncode == 0 and "do not determine its temperature (1 such)" in done.stderr, done.stderr


def test_no_convergence_ends_in_7(tmp_path):
    """three iterations are not enough: exit 7, the best residual in words, run.json says so"""
    case = BEAM.replace("static: {}", "static: {method: cg, preconditioner: jacobi, iterations: 3}")
    done = run(write(tmp_path, case, "beam.yaml"), "--no-pictures", "-q")
    assert done.returncode == 7 and "residual" in done.stderr, done.stderr
    summary = state(tmp_path / "beam.hooke")
    assert summary["status"] == "not converged" and 0 < summary["residual"] and summary["iterations"] == 3


def test_a_load_on_what_is_held_is_warned_of(tmp_path):
    """zero everywhere, and a reaction: ok with a warning; it is not silent"""
    done = run(write(tmp_path, changed("7, 3, 1.", "1, 3, 1.")), "--no-pictures")
    assert done.returncode == 0 and "result is zero" in done.stderr, (done.returncode, done.stderr)
    with h5py.File(tmp_path / "model.hooke/run.h5") as file:
        assert file["static/0001/reaction"][0, 2] == -1


def test_singular_matrix_ends_in_7(tmp_path):
    """two cubes that share an edge turn about it: held as a whole by one of them, yet singular"""
    nodes = "9, 2., 1., 0.\n10, 2., 2., 0.\n11, 1., 2., 0.\n12, 2., 1., 1.\n13, 2., 2., 1.\n14, 1., 2., 1.\n"
    first = "1, 1, 2, 3, 4, 5, 6, 7, 8\n"
    text = changed("*ELEMENT", nodes + "*ELEMENT", changed(first, first + "2, 3, 9, 10, 11, 7, 12, 13, 14\n"))
    done = run(write(tmp_path, changed("7, 3, 1.", "14, 1, 1.", text)), "--no-pictures", "-q")
    assert done.returncode == 7, (done.returncode, done.stderr)
    assert state(tmp_path / "model.hooke")["status"] == "not converged"


def long_run(tmp_path):
    """Iterates for minutes: the tolerance is out of its reach."""
    case = BEAM.replace("[8, 2, 2]", "[120, 30, 30]").replace(
        "static: {}", "static: {method: cg, preconditioner: jacobi, tolerance: 1e-15, iterations: 1000000}")
    path = write(tmp_path, case, "long.yaml")
    return subprocess.Popen([HOOKE, "run", str(path), "--no-pictures", "--progress", "json"], stderr=subprocess.PIPE, text=True)


def wait_for_iterations(process):
    said = []
    for line in process.stderr:
        if '"iteration"' in line:
            return json.loads(line)
        said.append(line)
    raise AssertionError("it ended before it iterated: " + "".join(said))


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_stop_cleanly(tmp_path, number, code):
    """SIGINT, SIGTERM during the iteration: 130, 143 within 5 s; run.json says stopped"""
    process = long_run(tmp_path)
    assert wait_for_iterations(process)["residual"] > 0
    stop(process, number, within=5)
    assert process.returncode == code
    assert state(tmp_path / "long.hooke")["status"] == "stopped"


def test_a_killed_run_leaves_readable_files(tmp_path):
    """SIGKILL: run.h5 and field.vtkhdf open, and hold not-a-number where nothing was written"""
    process = long_run(tmp_path)
    wait_for_iterations(process)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stderr.close()
    with h5py.File(tmp_path / "long.hooke/run.h5") as file:
        assert np.isnan(file["static/0001/displacement"][:]).all() and len(file["static/node"]) == 121 * 31 * 31
    with h5py.File(tmp_path / "long.hooke/field.vtkhdf") as file:
        assert np.isnan(file["VTKHDF/PointData/displacement"][:]).all()
    assert hooke("info", tmp_path / "long.hooke").returncode == 0
    assert state(tmp_path / "long.hooke")["status"] == "running"


def test_two_runs_are_the_same(tmp_path):
    """two runs on one device: run.h5 bit by bit"""
    path = write(tmp_path, BEAM, "beam.yaml")
    data = []
    for name in "ab":
        assert run(path, "--output", name, "--no-pictures").returncode == 0
        with h5py.File(tmp_path / name / "run.h5") as file:
            step = file["static/0001"]
            data.append([step[k][:].tobytes() for k in ("displacement", "reaction", "stress", "points/stress")])
    assert data[0] == data[1]


def test_a_finished_run_is_not_overwritten(tmp_path):
    path = write(tmp_path, DECK)
    assert run(path, "--no-pictures").returncode == 0
    done = run(path, "--no-pictures")
    assert done.returncode == 2 and "--force" in done.stderr
    assert run(path, "--no-pictures", "--force").returncode == 0


@pytest.mark.parametrize("more", [10, 50, 150, 350])
def test_too_little_memory_ends_in_5(tmp_path, more):
    """never a signal, never 0: needs and free in words"""
    path = write(tmp_path, BEAM.replace("[8, 2, 2]", "[200, 50, 50]"), "beam.yaml")
    done = run(path, "--no-pictures", "--threads", "1", preexec_fn=limit(resource.RLIMIT_AS, least_addresses() + more << 20))
    refused(done, "memory", code=5)


@pytest.mark.parametrize("kilobytes", [0, 1, 4, 16, 20, 30, 60])
def test_files_that_may_not_grow_end_in_8(tmp_path, kilobytes):
    """what is left opens, or was never begun; run.json does not say ok"""
    path = write(tmp_path, BEAM, "beam.yaml")
    done = run(path, "--no-pictures", preexec_fn=limit(resource.RLIMIT_FSIZE, kilobytes << 10))
    assert done.returncode == 8 and "beam.hooke" in done.stderr, (done.returncode, done.stderr)
    folder = tmp_path / "beam.hooke"
    assert not (folder / "run.json").exists() or state(folder)["status"] != "ok"
    for name in ("run.h5", "field.vtkhdf"):
        if (folder / name).exists() and (folder / name).stat().st_size:
            h5py.File(folder / name).close()


def test_a_folder_in_use_ends_in_8(tmp_path):
    process = long_run(tmp_path)
    wait_for_iterations(process)
    done = run(tmp_path / "long.yaml", "--no-pictures", "--force")
    process.kill()
    process.stderr.close()
    process.wait()
    assert done.returncode == 8, (done.returncode, done.stderr)
