"""The method petsc: the solutions of factors, in one process and over ranks of Open MPI; options that are wrong; what is not there; a signal."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

import h5py
import numpy as np
import pytest
from test_ranks import command_of, needs, ranks, ranks_of

HOOKE = os.environ["HOOKE"]
PLUGIN = pathlib.Path(HOOKE).parent / "libhooke-petsc-openmpi.so"
pytestmark = pytest.mark.skipif(not PLUGIN.exists(), reason="PETSc was not there when hooke was built: tools/setup --tests installs it")

SOLID = """
mesh: {box: {size: [3, 1, 1], cells: [9, 4, 4], shape: hex}}
materials: {m: {young: 1, poisson: 0.3, density: 1}}
boundary: [{set: left, fix: [x, y, z]}, {set: right, move: {y: -0.02}}, {set: top, pressure: 0.001}]
sources: [{gravity: [0, 0, -0.01]}]
solve: {static: {%s, tolerance: 1e-11}}
"""
HIGH = SOLID.replace("materials", "element: {order: 3}\nmaterials").replace("[9, 4, 4]", "[3, 1, 1]")
TIED = """
mesh: {rectangle: {size: [2, 1], cells: [15, 9]}}
materials: {m: {young: 1, poisson: 0.3}}
boundary: [{set: left, fix: [x, y]}, {set: bottom, traction: [0, 0.01]}]
equations: [{terms: [{set: right, component: x}, {node: 16, component: y, factor: -0.5}], value: 0.01}]
solve: {static: {%s, tolerance: 1e-11}}
"""
HEAT = """
mesh: {box: {size: [1, 1, 1], cells: [7, 6, 5]}}
physics: heat
materials: {m: {conductivity: [50, 5, 20]}}
boundary: [{set: left, temperature: 300}, {set: right, film: {coefficient: 70, sink: 290}}, {set: top, flux: 200}]
sources: [{heat: 1e4}]
solve: {heat: {%s, tolerance: 1e-11}}
"""
TIMES = """
mesh: {rectangle: {size: [1, 1], cells: [13, 11]}}
physics: heat
materials: {m: {conductivity: 1, density: 1, specific_heat: 1}}
boundary: [{set: left, temperature: 1}, {set: right, temperature: 0}]
solve: {heat: {end: 0.2, dt: 0.02, theta: 0.5, %s, tolerance: 1e-11}}
"""
FLOW = """
units: none
mesh: {rectangle: {size: [2, 1], cells: [16, 8]}}
materials: {m: {terms: [{equation: u, diffusion: 1, reaction: 2}, {equation: u, unknown: v, reaction: -1}, {equation: v, diffusion: [1, 0.1], convection: [3, 0]}]}}
boundary: [{set: left, unknown: u, value: 1}, {set: left, unknown: v, value: 2}, {set: right, unknown: v, flux: 0.5}]
solve: {coupled: {unknowns: [u, v], %s, tolerance: 1e-11}}
"""
CASES = {"solid": (SOLID, "cholesky"), "order 3": (HIGH, "cholesky"), "tied": (TIED, "cholesky"), "heat": (HEAT, "cholesky"), "times": (TIMES, "cholesky"),
         "unsymmetric": (FLOW, "direct")}


def results(folder):
    """The first vector of each step."""
    with h5py.File(folder / "run.h5") as file:
        steps = [file["static"][k] for k in sorted(file["static"]) if k.isdigit()]
        return [step[name][:] for step in steps for name in ("displacement", "temperature", "u", "v") if name in step]


def case(folder, text, how):
    folder.mkdir(exist_ok=True)
    (folder / "case.yaml").write_text(text % how)
    return folder / "case.yaml"


def solve(folder, text, how, processes=1, code=0, **environment):
    words = ["run", case(folder, text, how), "--output", folder / "o", "--device", "cpu", "--no-pictures", "--force", "-q"]
    if processes > 1:
        done = ranks("openmpi", processes, *words, **environment)
    else:
        done = subprocess.run([HOOKE, *map(str, words)], capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == code, f"exit {done.returncode}, expected {code}: {done.stderr}"
    return folder / "o" if code == 0 else done.stderr


def test_progress_has_iterations(tmp_path):
    """PETSc reports iteration 0 too, which the line of progress took for a step in time of 0 Mdof/s."""
    words = ["run", case(tmp_path, HEAT, "method: petsc"), "--output", tmp_path / "o", "--device", "cpu", "--no-pictures", "--progress", "json"]
    done = subprocess.run([HOOKE, *words], capture_output=True, text=True, timeout=60, check=True)
    told = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    steps = [p for p in told if p["stage"] == "solve" and p["steps"]]
    assert steps and all(p.get("iteration", 0) > 0 for p in steps)


def agree(a, b):
    """to 1e-8 of the largest value, in every step"""
    assert len(a) == len(b) > 0
    for first, second in zip(a, b):
        assert first.shape == second.shape and np.abs(first).max() > 0
        assert np.abs(first - second).max() <= 1e-8 * np.abs(first).max()


@pytest.mark.parametrize("name", CASES)
def test_petsc_gives_the_solution_of_factors(tmp_path, name):
    text, factors = CASES[name]
    expected = results(solve(tmp_path / "f", text, f"method: {factors}"))
    one = solve(tmp_path / "p", text, "method: petsc")
    agree(expected, results(one))
    said = json.loads((one / "run.json").read_text())
    assert "petsc (" in said["solver"] and said["iterations"] >= 1 and said["residual"] <= 1e-11
    if shutil.which("mpirun.openmpi"):
        agree(expected, results(solve(tmp_path / "r", text, "method: petsc", 3)))


def test_load_cases_that_hold_alike_and_otherwise(tmp_path):
    """three steps of a deck: the second has the solver of the first, the third one of its own"""
    steps = "".join(f"*STEP\n*STATIC\n*BOUNDARY, OP=NEW\n1, 1, 2\n4, 1, 1\n{hold}*CLOAD, OP=NEW\n3, {load}\n*END STEP\n"
                    for hold, load in [("", "1, 0.1"), ("", "2, 0.2"), ("2, 2, 2, 0.01\n", "1, 0.1")])
    (tmp_path / "a.inp").write_text("*NODE\n1, 0, 0\n2, 1, 0\n3, 1, 1\n4, 0, 1\n*ELEMENT, TYPE=CPS4, ELSET=E\n1, 1, 2, 3, 4\n*MATERIAL, NAME=M\n*ELASTIC\n1, 0.3\n"
                                    "*SOLID SECTION, ELSET=E, MATERIAL=M\n1\n" + steps)
    got = []
    for method in ["cholesky", "petsc"]:
        done = subprocess.run([HOOKE, "run", tmp_path / "a.inp", "--output", tmp_path / method, "--no-pictures", "-q", "--set", f"solve.static.method={method}",
                               "--set", "solve.static.tolerance=1e-11"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        got.append(results(tmp_path / method))
    assert len(got[0]) == 3
    agree(*got)


def test_rigid_motions_are_near_null_vectors(tmp_path):
    """GAMG interpolates them: 24 iterations on a slender beam, 100 without them"""
    beam = "mesh: {box: {size: [10, 1, 1], cells: [60, 6, 6], shape: hex}}\nmaterials: {m: {young: 1, poisson: 0.3}}\n" \
           "boundary: [{set: left, fix: [x, y, z]}, {set: right, traction: [0, 0, -1e-4]}]\nsolve: {static: {%s}}\n"
    assert json.loads((solve(tmp_path / "p", beam, "method: petsc") / "run.json").read_text())["iterations"] <= 40


@pytest.mark.parametrize("options, name", [("-pc_type hypre", "cg, hypre"), ("-ksp_type preonly -pc_type lu -pc_factor_mat_solver_type mumps", "preonly, lu"),
                                           ("-ksp_type minres -ksp_rtol 1e-3", "minres, gamg"), ("-mat_type baij -pc_type bjacobi", "cg, bjacobi")])
def test_options_choose(tmp_path, options, name):
    """and an answer that PETSc finds good enough is corrected until the model's tolerance is met"""
    expected = results(solve(tmp_path / "f", SOLID, "method: cholesky"))
    folder = solve(tmp_path / "p", SOLID, f'method: petsc, options: "{options}"', PETSC_OPTIONS="-ksp_max_it 1")
    assert name in json.loads((folder / "run.json").read_text())["solver"]
    agree(expected, results(folder))


@pytest.mark.parametrize("how, code, words", [
    ('method: petsc, options: "-pc_typ hypre"', 3, "-pc_typ: PETSc does not know this option"),
    ('method: petsc, options: "-pc_type jacobi -pc_hypre_type boomeramg"', 3, "-pc_hypre_type: PETSc does not know"),
    ('method: petsc, options: "-pc_type nonsense"', 3, "Unable to find requested PC type nonsense"),
    ('method: petsc, options: "-ksp_rtol big"', 3, "Input string big"),
    ('method: petsc, options: "ksp_type cg"', 3, "case.yaml:6:"),
    ('method: petsc, options: "-ksp_type cg gmres"', 3, "gmres is neither an option nor the value of one"),
    ('method: petsc, options: "-x %s"' % ("1" * 1100), 3, "at most 1023 characters"),
    ('method: cg, options: "-pc_type hypre"', 3, "takes no options: give method: petsc"),
    ("method: petsc, iterations: 3", 7, "not converged after 3 iterations"),
    ('method: petsc, options: "-ksp_error_if_not_converged -ksp_max_it 3"', 7, "KSPSolve has not converged")])
def test_what_is_wrong_is_told(tmp_path, how, code, words):
    said = solve(tmp_path / "p", SOLID, how, code=code)
    assert words in said and said.count("error:") == 1, said


def test_ranks_say_once_what_is_wrong(tmp_path):
    needs("openmpi")
    for how, code, words in [('method: petsc, options: "-pc_typ hypre"', 3, "-pc_typ: PETSc does not know"), ("method: petsc, iterations: 3", 7, "not converged")]:
        said = solve(tmp_path / "p", SOLID, how, 3, code)
        assert said.count(words) == said.count("hooke: error") == 1, said


def test_ranks_of_another_mpi_are_refused(tmp_path):
    needs("mpich")
    done = ranks("mpich", 2, "run", case(tmp_path / "p", SOLID, "method: petsc"), "--output", tmp_path / "o")
    assert done.returncode == 2 and done.stderr.count("the ranks are of MPICH") == 1, done.stderr


def test_one_process_of_several_works_alone_only_without_the_launcher(tmp_path):
    said = solve(tmp_path / "p", SOLID, "method: petsc", code=5, HOOKE_MPI="none", OMPI_COMM_WORLD_SIZE="2")
    assert "start it without the launcher" in said


def test_a_plug_in_that_is_not_there_is_told(tmp_path):
    """before anything is computed, with what to install"""
    for file in ["hooke", *(p.name for p in PLUGIN.parent.glob("libhooke.so*"))]:
        shutil.copy2(PLUGIN.parent / file, tmp_path / file)
    done = subprocess.run([tmp_path / "hooke", "run", case(tmp_path / "p", SOLID, "method: petsc"), "--output", tmp_path / "o"], capture_output=True, text=True)
    assert done.returncode == 2 and "install hooke-petsc" in done.stderr and not (tmp_path / "o").exists(), done.stderr
    assert "petsc" not in subprocess.run([tmp_path / "hooke", "devices"], capture_output=True, text=True).stdout


def test_devices_tell_that_it_is_there():
    assert re.search(r"petsc: PETSc 3\.\d+\.\d+ \(Open MPI\)", subprocess.run([HOOKE, "devices"], capture_output=True, text=True).stdout)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_signal_ends_all_ranks(tmp_path, processes):
    """also to the second alone"""
    needs("openmpi")
    endless = 'method: petsc, options: "-ksp_type richardson -ksp_richardson_scale 1e-9 -pc_type jacobi -ksp_max_it 1000000000 -ksp_monitor"'
    words = ["run", case(tmp_path / "p", SOLID, endless), "--output", tmp_path / "o", "--device", "cpu", "--no-pictures", "-q"]
    process = ranks_of("openmpi", processes, [HOOKE, *words])
    assert any(re.match(r"\s*[1-9]\d* KSP Residual norm", line) for line in process.stdout), process.communicate()
    own = f"--output\0{tmp_path / 'o'}\0".encode()
    found = [p for p in pathlib.Path("/proc").iterdir() if p.name.isdigit() and own in command_of(p) and b"mpirun" not in command_of(p)]
    last = f"OMPI_COMM_WORLD_RANK={processes - 1}\0".encode()
    [pid] = [int(p.name) for p in found if last in (p / "environ").read_bytes()]
    os.kill(pid, signal.SIGTERM)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 143, said
    assert json.loads((tmp_path / "o/run.json").read_text())["status"] == "stopped"
    assert re.search(r"stopped in step 1 of 1, after [1-9]\d* iterations", (tmp_path / "o/log.txt").read_text())
