"""Static steps and heat over ranks of MPI that share the rows of K: the same files, byte for byte, as of one process with the same form and method; ranks without
nodes; what is refused; what happens when a rank has another model or is asked to stop. Rows are shared out in runs of 4096 nodes: most models here have three of them.
Ranks share two levels of multigrid in hex8, tet4, tied and cracked, three in order 2, and patches of nodes in order 4."""
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest
from test_ranks import command_of, needs, opencl, ranks, ranks_of

HOOKE = os.environ["HOOKE"]

SOLID = """
mesh: {box: {size: [3, 1, 1], cells: [%s], shape: %s}}
materials: {m: {young: 1, poisson: 0.3, density: 1}}
boundary: [{set: left, fix: [x, y, z]}, {set: right, move: {y: -0.02}}, {set: top, pressure: 0.001}]
sources: [{gravity: [0, 0, -0.01]}]
outputs: {field: {quantity: [displacement, stress]}}
solve: {static: {HOW, form: assembled, tolerance: 1e-6}}
"""
HEX, TET, SMALL = SOLID % ("25, 20, 17", "hex"), SOLID % ("24, 20, 17", "tet"), SOLID % ("4, 2, 2", "hex")
HEAT = """
mesh: {rectangle: {size: [1, 1], cells: [98, 91], shape: tri}}
physics: heat
materials: {m: {conductivity: [50, 5]}}
boundary: [{set: left, temperature: 300}, {set: right, film: {coefficient: 70, sink: 290}}, {set: top, flux: 200}]
sources: [{heat: 1e4}]
outputs: {field: {quantity: temperature}}
solve: {heat: {HOW, form: assembled, tolerance: 1e-6}}
"""
TIMES = HEAT.replace("conductivity: [50, 5]", "conductivity: 1, density: 1, specific_heat: 1").replace("{heat: {", "{heat: {end: 0.02, dt: 0.005, theta: 0.5, ")
WARM = HEAT.replace("conductivity: [50, 5]", "conductivity: {table: {temperature: [290, 310], value: [40, 60]}}")
TIED = """
mesh: {rectangle: {size: [2, 1], cells: [121, 70]}}
materials: {m: {young: 1, poisson: 0.3}}
boundary: [{set: left, fix: [x, y]}, {set: bottom, traction: [0, 0.01]}]
equations: [{terms: [{set: right, component: x}, {node: 16, component: y, factor: -0.5}], value: 0.01}]
outputs: {field: {quantity: displacement}}
solve: {static: {HOW, form: assembled, tolerance: 1e-6}}
"""
CRACKED = """
mesh: {rectangle: {size: [2, 1], cells: [120, 70]}}
sets: {cut: {what: inner-faces, line: {from: [0.5, 0.5], to: [1.5, 0.5]}}}
crack: {sets: [cut], springs: {normal: 8, tangential: 4}}
materials: {m: {young: 1, poisson: 0.3}}
boundary: [{set: left, fix: [x, y]}, {set: right, traction: [0.01, 0.02]}]
outputs: {field: {quantity: displacement}}
solve: {static: {HOW, form: assembled, tolerance: 1e-6}}
"""
HIGH = """
mesh: {rectangle: {size: [2, 1], cells: [30, 20]}}
element: {order: 4}
materials: {m: {young: 1, poisson: 0.3}}
boundary: [{set: left, fix: [x, y]}, {set: right, traction: [0, 0.01]}]
outputs: {field: {quantity: displacement}}
solve: {static: {HOW, form: assembled, tolerance: 1e-5}}
"""
COUPLED = """
units: none
mesh: {rectangle: {size: [2, 1], cells: [130, 70]}}
materials: {m: {terms: [{equation: u, diffusion: 1, reaction: 2}, {equation: u, unknown: v, reaction: -1}, {equation: v, unknown: u, reaction: -1},
                        {equation: v, diffusion: [1, 0.1], reaction: 3}]}}
boundary: [{set: left, unknown: u, value: 1}, {set: left, unknown: v, value: 2}, {set: right, unknown: v, flux: 0.5}]
solve: {coupled: {unknowns: [u, v], HOW, tolerance: 1e-6}}
"""
SECOND = TIED.replace("[121, 70]}", "[80, 70], shape: tri}") + "element: {order: 2}\n"
JOINED = CRACKED.replace("[120, 70]", "[60, 40]") + "element: {order: 2}\n"
CASES = {"hex8": (HEX, "multigrid", [2, 4]), "tet4": (TET, "multigrid", [3]), "heat": (HEAT, "multigrid", [2, 4]), "times": (TIMES, "multigrid", [3]),
         "hex8 by blocks": (HEX, "block-jacobi", [3]), "tet4 by a polynomial": (TET, "chebyshev", [2]), "heat by its diagonal": (HEAT, "jacobi", [4]), "warm": (WARM, "chebyshev", [2]), "tied": (TIED, "multigrid", [3]), "tied by a polynomial": (TIED, "chebyshev", [2]), "order 2": (SECOND, "multigrid", [2, 4]), "order 4": (HIGH, "multigrid", [3]), "coupled": (COUPLED, "multigrid", [3]), "cracked": (CRACKED, "multigrid", [3]), "cracked, of order 2": (JOINED, "multigrid", [2]), "without nodes": (SMALL, "multigrid", [3])}


def case(folder, text, how="method: cg, preconditioner: block-jacobi"):
    folder.mkdir(exist_ok=True)
    (folder / "case.yaml").write_text(text.replace("HOW", how))
    return folder / "case.yaml"


def words(case, folder, *more):
    return ["run", case, "--output", folder, "--device", "cpu", "--no-pictures", "--force", "-q", *more]


def solve(folder, text, how, count=1, *more, mpi="openmpi", code=0):
    """The results, or what was said."""
    out = folder / f"o{count}"
    which = words(case(folder, text, how), out, *more)
    done = ranks(mpi, count, *which) if count > 1 else subprocess.run([HOOKE, *map(str, which)], capture_output=True, text=True)
    assert done.returncode == code, f"exit {done.returncode}, expected {code}: {done.stderr}"
    return out if code == 0 else done.stderr


def same(a, b):
    """All files with results; and the solver took the same way."""
    for name in ["run.h5", *(file.name for file in a.glob("*.vtkhdf"))]:
        assert (a / name).read_bytes() == (b / name).read_bytes(), f"{b}/{name}"
    one, other = (json.loads((folder / "run.json").read_text()) for folder in (a, b))
    assert one["iterations"] == other["iterations"] > 0 and one["residual"] == other["residual"] and one["solver"] == other["solver"]


@pytest.mark.parametrize("name", CASES)
def test_same_bytes_on_ranks(tmp_path, name):
    needs("openmpi")
    text, preconditioner, counts = CASES[name]
    how = f"method: cg, preconditioner: {preconditioner}"
    whole = solve(tmp_path, text, how)
    for count in counts:
        shared = solve(tmp_path, text, how, count)
        same(whole, shared)
        assert json.loads((shared / "run.json").read_text())["ranks"]["count"] == count


def test_same_bytes_of_a_deck_of_hex20(tmp_path):
    needs("openmpi")
    deck = pathlib.Path(os.environ["HOOKE_SOURCE"]) / "examples/rod/rod_hex20.inp.gz"
    how = [part for key in ("method=cg", "preconditioner=multigrid", "form=assembled", "tolerance=1e-6") for part in ("--set", f"solve.static.{key}")]
    subprocess.run([HOOKE, *map(str, words(deck, tmp_path / "o1", *how))], check=True)
    assert ranks("openmpi", 2, *words(deck, tmp_path / "o2", *how)).returncode == 0
    same(tmp_path / "o1", tmp_path / "o2")


def test_same_bytes_in_single_precision_and_with_mpich(tmp_path):
    needs("mpich")
    how = "method: cg, preconditioner: multigrid"
    text = HEAT.replace("1e-6", "1e-4")
    same(solve(tmp_path, text, how, 1, "--precision", "single"), solve(tmp_path, text, how, 3, "--precision", "single", mpi="mpich"))


@pytest.mark.skipif(not opencl(), reason="no OpenCL device")
def test_same_bytes_on_devices_with_a_memory_of_their_own(tmp_path):
    """with two shared levels of multigrid and an equation between nodes of both; ranks share a device only where it is named for each"""
    needs("openmpi")
    model = case(tmp_path, TIED.replace("[121, 70]", "[90, 60]").replace("1e-6", "1e-3"), "method: cg, preconditioner: multigrid")
    one, both, refused = ([device if word == "cpu" else word for word in words(model, tmp_path / name)] for name, device in
                          [("one", "opencl"), ("both", "opencl,opencl"), ("refused", "opencl")])
    subprocess.run([HOOKE, *map(str, one)], check=True)
    done = ranks("openmpi", 2, *both)
    assert done.returncode == 0, done.stderr
    same(tmp_path / "one", tmp_path / "both")
    assert json.loads((tmp_path / "both/run.json").read_text())["device"] == "opencl"
    done = ranks("openmpi", 2, *refused)
    assert done.returncode == 2 and "the 2 ranks of a host would share it" in done.stderr, done.stderr


@pytest.mark.parametrize("text, how, code, said", [
    (SMALL, "method: cholesky", 2, "share static solutions by the methods cg and petsc"),
    (SMALL.replace("form: assembled", "form: edges"), "method: cg, preconditioner: jacobi", 3, "form edges: ranks of MPI share the rows of K in the form assembled alone"),
    (HEAT.replace("conductivity: [50, 5]", "conductivity: 1, density: 1, specific_heat: 1, velocity: [1, 0]"), "method: auto", 3, "is not symmetric"),
    (SMALL, "method: cg, preconditioner: jacobi, iterations: 3", 7, "not converged after 3 iterations")])
def test_ranks_say_once_what_is_wrong(tmp_path, text, how, code, said):
    needs("openmpi")
    got = solve(tmp_path, text, how, 2, code=code)
    assert got.count(said) == got.count("hooke: error") == 1, got


def script(folder, text):
    """A program that each rank of Open MPI starts in hooke's place."""
    path = folder / "each"
    path.write_text(f'#!/bin/sh\n{text}\n')
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("model, old, new", [(HEX, "young: 1", "young: 2"), (WARM, "[40, 60]", "[40, 90]"), (HEX, "tolerance: 1e-6", "tolerance: 1e-5"),
                                             (HEAT.replace("[50, 5]", "{formula: 1 + x}"), "1 + x", "1 + 5 * x"), (HEAT, "coefficient: 70", "coefficient: 71"),
                                             (TIMES, "theta: 0.5", "theta: 1"), (COUPLED, "v, reaction: -1", "v, reaction: -2"), (CRACKED, "normal: 8", "normal: 9")])
def test_a_rank_with_another_model_ends_all(tmp_path, model, old, new):
    needs("openmpi")
    assert old in model
    for rank, text in enumerate([old, new]):
        case(tmp_path / str(rank), model.replace(old, text))
    each = script(tmp_path, f'exec {HOOKE} run {tmp_path}/$OMPI_COMM_WORLD_RANK/case.yaml "$@"')
    done = ranks("openmpi", 2, "--output", tmp_path / "o", "--device", "cpu", "-q", program=each)
    assert done.returncode == 3 and done.stderr.count("rank 1: this rank has another model than rank 0") == 1, done.stderr
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize("last", [0, 1])
def test_a_signal_to_any_rank_ends_all(tmp_path, last):
    """while a slender beam, on which Jacobi's method takes minutes, is solved"""
    needs("openmpi")
    beam = (SOLID % ("1500, 2, 2", "hex")).replace("[3, 1, 1]", "[30000, 1, 1]").replace("form: assembled", "form: assembled, iterations: 1000000")
    process = ranks_of("openmpi", 2, [HOOKE, *words(case(tmp_path, beam), tmp_path / "o")])
    own = f"--output\0{tmp_path / 'o'}\0".encode()
    log = tmp_path / "o/log.txt"
    while process.poll() is None and not log.exists():
        time.sleep(0.05)
    time.sleep(1)
    found = [p for p in pathlib.Path("/proc").iterdir() if p.name.isdigit() and own in command_of(p) and b"mpirun" not in command_of(p)]
    [pid] = [int(p.name) for p in found if f"OMPI_COMM_WORLD_RANK={last}\0".encode() in (p / "environ").read_bytes()]
    os.kill(pid, signal.SIGTERM)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 143, said
    assert json.loads((tmp_path / "o/run.json").read_text())["status"] == "stopped"
    assert re.search(r"stopped in step 1 of 1, after [1-9]\d* iterations", log.read_text())


@pytest.mark.parametrize("law", ["x - 0.02", "0.98 - x", "y - 0.02", "0.98 - y"])
def test_a_law_that_is_wrong_at_one_side_ends_all_once(tmp_path, law):
    """in elements that not all ranks have"""
    needs("openmpi")
    said = solve(tmp_path, HEAT.replace("[50, 5]", '{formula: "%s"}' % law), "method: cg", 3, code=3)
    assert said.count("hooke: error") == 1 and "conductivity" in said, said
    assert not (tmp_path / "o3").exists()


def test_a_rank_without_memory_ends_all_once(tmp_path):
    """wherever its set-up is: rank 1 has what a small model needs and more, but not what this one needs"""
    needs("openmpi")

    def limited(model, megabytes):
        each = script(tmp_path, f'[ $OMPI_COMM_WORLD_RANK = 1 ] && export MALLOC_ARENA_MAX=1 && ulimit -v {megabytes << 10}\nexec {HOOKE} "$@"')
        return ranks("openmpi", 2, *words(case(tmp_path / "model", model, "method: cg, preconditioner: multigrid"), tmp_path / "o"), program=each)

    least = next(m for m in range(140, 2000, 40) if limited(SMALL, m).returncode == 0)
    for more in (50, 110, 160):
        done = limited(HEX.replace("25, 20, 17", "40, 30, 25"), least + more)
        assert done.returncode == 5 and done.stderr.count("hooke: error: rank 1: out of memory") == 1, done.stderr
