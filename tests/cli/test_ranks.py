"""hooke run over ranks of MPI, with Open MPI and MPICH: the same files, byte for byte, as of one process; restarts on another number of ranks; what
happens when a rank fails, hangs, is killed or is asked to stop."""
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import pytest
from decks import strip

HOOKE = os.environ["HOOKE"]
CRACK = pathlib.Path(os.environ["HOOKE_SOURCE"]) / "examples/crack/crack.yaml"
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMP_WAIT_POLICY": "passive"}
MPIS = ["openmpi", "mpich"]

SOLID = """
mesh: {{box: {{size: [1, 1, 1], cells: {cells}, shape: {shape}}}}}
materials: {{m: {{density: 1, young: 1, poisson: 0.3, damping: 0.05}}}}
absorb: [{{kind: stacey, sets: [right]}}]
sources:
  - {{set: left, displacement: 1, direction: [1, 0, 0], signal: {{ricker: {{frequency: 2, t0: 0.4}}}}}}
  - {{at: [0.52, 0.49, 0.51], force: 1, direction: [0, 0, -1], signal: {{ricker: {{frequency: 2, t0: 0.4}}}}}}
outputs:
  traces: [{{name: a, quantity: [displacement, velocity, acceleration], at: {at}}}]
  field: {{quantity: [displacement, velocity], frames: 3}}
solve: {{explicit: {{end: {end}, method: {method}}}}}
"""
# sets by place, a force that faces share, receivers along a curve; the numbering is shuffled
PLACED = """
mesh: {box: {size: [1, 1, 1], cells: [11, 10, 9], shape: %s, shuffle: 3}}
sets:
  pad: {what: faces, of: left, box: {from: [0, 0.2, 0.2], to: [0, 0.7, 0.8]}}
  ball: {what: elements, sphere: {center: [0.5, 0.5, 0.5], radius: 0.3}}
  edge: {line: {from: [1, 0, 1], to: [1, 1, 1]}}
  spot: {of: right, near: {point: [1, 0.4, 0.4], count: 5}}
materials: {m: {density: 1, young: 1, poisson: 0.3}, soft: {density: 1, young: 0.5, poisson: 0.3}}
regions: {ball: soft, all: m}
sources:
  - {set: pad, total_force: [1, 0.5, 0], signal: {ricker: {frequency: 2, t0: 0.4}}}
  - {set: ball, total_force: [0, 0, 1], signal: {ricker: {frequency: 2, t0: 0.4}}}
  - {set: spot, total_force: [-1, 0, 1], signal: {ricker: {frequency: 2, t0: 0.4}}}
outputs: {traces: [{name: a, set: edge, order: arc}, {set: spot}], field: {quantity: [displacement, velocity], frames: 3}}
solve: {explicit: {end: 1, method: %s}}
"""
SHOTS = """
mesh: {rectangle: {size: [1, 1], cells: [60, 50], shape: tri}}
materials: {m: {density: 1, young: 1, poisson: 0.3}}
shots: [%s]
outputs: {traces: [{name: a, quantity: velocity, at: [[0.11, 0.52], [0.93, 0.47], [0.5, 0.5]]}], field: {quantity: velocity, frames: 2, shots: [2]}}
solve: {explicit: {end: 0.5, method: stored}}
""" % ", ".join(f"{{at: [0.{k}1, 0.53], force: 1, direction: [0, 1], signal: {{ricker: {{frequency: 4, t0: 0.2}}}}}}" for k in range(1, 4))
POINTS = [[round(0.03 + 0.94 * ((37 * k) % 101) / 101, 3), round(0.05 + 0.9 * ((53 * k) % 101) / 101, 3), 0.02 + 0.018 * k] for k in range(20)]


def endless(path):
    """A run that no machine ends while a test looks at it; without traces, whose files would be large."""
    text = solid(path, end=1e5).read_text()
    path.write_text("".join(f"{line}\n" for line in text.splitlines() if "traces:" not in line))
    return path


def needs(mpi):
    """Skips where this MPI, or hooke's plug-in for it, is not installed (tools/setup --tests installs it)."""
    if not shutil.which(f"mpirun.{mpi}") or not (pathlib.Path(HOOKE).parent / f"libhooke-mpi-{mpi}.so").exists():
        pytest.skip(f"{mpi} or its headers were not there when hooke was built: tools/setup --tests installs them")


def ranks_of(mpi, count, words, **environment):
    """The process of the launcher."""
    return subprocess.Popen([f"mpirun.{mpi}", "-n", str(count), *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env={**ENVIRONMENT, **environment})


def ranks(mpi, count, *words, program=HOOKE, **environment):
    process = ranks_of(mpi, count, [program, *words], **environment)
    out, err = process.communicate(timeout=300)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def one(case, folder, *more):
    done = subprocess.run([HOOKE, "run", case, "--device", "cpu", "--output", folder, "--no-pictures", "-q", *more], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def several(mpi, count, case, folder, *more):
    done = ranks(mpi, count, "run", case, "--device", "cpu", "--output", folder, "--no-pictures", "-q", *more)
    assert done.returncode == 0, done.stderr
    return folder


def same(a, b, fields="field.vtkhdf"):
    for name in ["run.h5", fields]:
        assert (a / name).read_bytes() == (b / name).read_bytes(), f"{b}/{name}"


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def solid(path, method="edges", shape="tet", cells=(11, 10, 9), end=1, more=""):
    path.write_text(SOLID.format(method=method, shape=shape, cells=list(cells), end=end, at=POINTS) + more)
    return path


@pytest.mark.parametrize("mpi", MPIS[:1])
def test_same_bytes_of_random_media_on_ranks(tmp_path, mpi):
    """Constants of each element from a formula and a random medium."""
    needs(mpi)
    case = solid(tmp_path / "case.yaml", cells=(6, 6, 6), more="fields: {r: {random: {correlation: 0.3, std: 0.1, seed: 2}}}\n")
    case.write_text(case.read_text().replace("young: 1,", 'young: {formula: "1 + 0.5 * x + r"},'))
    same(one(case, tmp_path / "one"), several(mpi, 2, case, tmp_path / "2"))


@pytest.mark.parametrize("mpi", MPIS)
def test_same_bytes_on_ranks(tmp_path, mpi):
    needs(mpi)
    case = solid(tmp_path / "case.yaml")
    whole = one(case, tmp_path / "one")
    for count in [1, 2, 3, 4]:
        same(whole, several(mpi, count, case, tmp_path / str(count)))
    said = json.loads((tmp_path / "4" / "run.json").read_text())
    assert said["link"] == "mpi" and said["ranks"]["count"] == 4 and mpi[:3] in said["ranks"]["mpi"].lower()


@pytest.mark.parametrize("mpi", MPIS)
def test_sets_by_place_and_total_forces(tmp_path, mpi):
    needs(mpi)
    case = tmp_path / "case.yaml"
    case.write_text(PLACED % ("tet", "edges"))
    same(one(case, tmp_path / "one"), several(mpi, 3, case, tmp_path / "3"))


@pytest.mark.parametrize("mpi, device", [("openmpi", "cpu"), ("mpich", "cpu"), ("openmpi", "cuda")])
def test_exchanges_by_random_lists(mpi, device):
    """cuda: libraries that play the driver, the compiler and NCCL."""
    needs(mpi)
    build = pathlib.Path(HOOKE).parent
    fakes = dict.fromkeys(["FAKE", "LD_LIBRARY_PATH"], str(build / "tests/fake")) if device == "cuda" else {}
    done = ranks(mpi, 4, program=build / "tests/link_test_mpi", HOOKE_MPI=str(build / f"libhooke-mpi-{mpi}.so"), **fakes)
    assert done.returncode == 0 and done.stdout.count("PASSED") + done.stderr.count("PASSED") >= 4, done.stdout + done.stderr


def crack(path):
    text = CRACK.read_text().replace("element: {order: 4}", "element: {order: 1}").replace(
        "crack: {sets: [crack]}", "crack: {sets: [crack], springs: {normal: 50 N/mm^3, tangential: 25 N/mm^3}}").replace(
        "s_speed: 3130 m/s", "s_speed: 3130 m/s, damping: 50 1/ms")
    path.write_text(text.replace(", 4]}", ", 9]}"))
    return path


def shots(path):
    path.write_text(SHOTS)
    return path


def steps(path):
    """Two steps; in the second a side goes on with a velocity of its own from where the first has left it."""
    deck = path.with_suffix(".inp")
    second = ["*STEP", "*DYNAMIC, EXPLICIT", ", 1e-5", "*BOUNDARY, TYPE=VELOCITY, AMPLITUDE=PULSE", "RIGHT, 1, 1, 1.", "*END STEP", ""]
    deck.write_text(strip(columns=1500) + "\n".join(second))
    return deck


MODELS = {"spectral": (lambda path: solid(path, "spectral", "hex", (7, 6, 5), more="element: {order: 3}\n"), 3, []),
          "double": (lambda path: solid(path, "stored", "hex"), 3, ["--precision", "double"]),
          "springs": (crack, 2, ["--set", "solve.explicit.method=edges"]),
          "shots": (shots, 2, []),
          "steps": (steps, 3, []),
          "ranks without nodes": (lambda path: solid(path, cells=(3, 3, 2)), 4, [])}


@pytest.mark.parametrize("name", list(MODELS))
def test_same_bytes_of_models(tmp_path, name):
    mpi = MPIS[list(MODELS).index(name) % 2]
    needs(mpi)
    make, count, more = MODELS[name]
    case = make(tmp_path / "case.yaml")
    fields = "field_shot0002.vtkhdf" if name == "shots" else "field.vtkhdf"
    same(one(case, tmp_path / "one", *more), several(mpi, count, case, tmp_path / "ranks", *more), fields)


def test_restart_on_another_number_of_ranks(tmp_path):
    needs("openmpi"), needs("mpich")
    case, end = solid(tmp_path / "case.yaml"), "solve.explicit.end="
    alone, ranked = tmp_path / "alone", tmp_path / "ranked"
    for folder, run in [(alone, lambda k, *more: one(case, alone, *more)),
                        (ranked, lambda k, *more: several(MPIS[k % 2], 4 - k, case, ranked, *more))]:
        run(0, "--keep-checkpoint", "--set", end + "0.4")
        state = [(folder / "checkpoint.h5").read_bytes()]
        run(1, "--restart=auto", "--keep-checkpoint", "--set", end + "0.7")
        state += [(folder / "checkpoint.h5").read_bytes()]
        if folder == alone:
            expected = state
    assert state == expected
    one(case, alone, "--restart=auto"), one(case, ranked, "--restart=auto")
    same(alone, ranked)


def test_one_message_and_the_code_of_what_all_refuse(tmp_path):
    needs("openmpi"), needs("mpich")
    case = solid(tmp_path / "case.yaml", "stored", "hex")
    for mpi, words, code, said in [("openmpi", ["--set", "materials.m.foo=1"], 3, 'unknown key "foo"'),
                                   ("mpich", ["--set", "absorb.0.kind=pml"], 3, "perfectly matched layer"),
                                   ("openmpi", ["--device", "cpu", "--link", "nccl"], 2, "no library that sends"),
                                   ("mpich", ["--link", "peers"], 2, "ranks of MPI exchange rows by mpi, mpi-device or nccl")]:
        done = ranks(mpi, 2, "run", case, "--output", tmp_path / "o", *words)
        assert done.returncode == code and done.stderr.count(said) == 1, done.stderr
        assert not (tmp_path / "o").exists()


def test_a_plug_in_that_is_not_there_is_told(tmp_path):
    case = solid(tmp_path / "case.yaml")
    for mpi, words in [("other", "no plug-in of hooke for it can be opened"), (str(pathlib.Path(HOOKE).parent / "libhooke.so"), "is not a plug-in")]:
        done = subprocess.run([HOOKE, "run", case], capture_output=True, text=True, env={**os.environ, "HOOKE_MPI": mpi})
        assert done.returncode == 2 and words in done.stderr, done.stderr


@functools.cache  # it measures each device
def opencl():
    listed = subprocess.run([HOOKE, "devices"], capture_output=True, text=True).stdout
    return any(line.startswith("device: opencl") for line in listed.splitlines())


@pytest.mark.skipif(not opencl(), reason="no OpenCL device")
def test_ranks_share_a_device_only_where_it_is_named_for_each(tmp_path):
    needs("mpich")
    case = solid(tmp_path / "case.yaml", cells=(5, 5, 5), end=0.3)
    done = ranks("mpich", 2, "run", case, "--device", "opencl", "--output", tmp_path / "o")
    assert done.returncode == 2 and "the 2 ranks of a host would share it" in done.stderr, done.stderr
    whole = one(case, tmp_path / "one", "--device", "opencl")
    done = ranks("mpich", 2, "run", case, "--device", "opencl,opencl", "--output", tmp_path / "o", "--no-pictures", "-q")
    assert done.returncode == 0, done.stderr
    same(whole, tmp_path / "o")


def test_static_models_take_one_process_unless_cg_or_petsc_solves_them(tmp_path):
    needs("mpich")
    case = tmp_path / "static.yaml"
    case.write_text("mesh: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}\nmaterials: {m: {young: 1, poisson: 0.3}}\n"
                    "boundary: [{set: left, fix: [x, y, z]}, {set: right, traction: [1, 0, 0]}]\nsolve: {static: {method: direct}}\n")
    done = ranks("mpich", 2, "run", case, "--output", tmp_path / "o")
    assert done.returncode == 2 and done.stderr.count("static solutions by the methods cg and petsc") == 1, done.stderr


def test_what_one_rank_finds_wrong_all_end_with(tmp_path):
    needs("mpich")
    solid(tmp_path / "case0.yaml"), solid(tmp_path / "case1.yaml")
    per_rank = ["-c", f'exec {HOOKE} run case$PMI_RANK.yaml --output o --no-pictures -q']
    (tmp_path / "case1.yaml").write_text((tmp_path / "case1.yaml").read_text().replace("density: 1", "density: 1.01"))
    done = ranks("mpich", 2, *per_rank, program="sh")
    assert done.returncode == 3 and "rank 1: this rank has another model than rank 0 (what differs: materials" in done.stderr, done.stderr
    (tmp_path / "case1.yaml").unlink()
    done = ranks("mpich", 2, *per_rank, program="sh")
    assert done.returncode == 3 and "rank 1: case1.yaml" in done.stderr, done.stderr


def test_a_full_disk_ends_all_ranks(tmp_path):
    needs("openmpi")
    case = solid(tmp_path / "case.yaml")
    done = ranks("openmpi", 2, "-c", f"ulimit -f 40; exec {HOOKE} run {case} --output o --no-pictures -q", program="bash")
    assert done.returncode == 8 and done.stderr.count("hooke: error") == 1, done.stderr


def stepping(folder, process):
    """Waits for a checkpoint of a run that goes on, and gives the numbers of its ranks."""
    for _ in range(600):
        if (folder / "checkpoint.h5.old").exists():
            break
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    own = f"--output\0{folder}\0".encode()
    found = [int(p.name) for p in pathlib.Path("/proc").iterdir() if p.name.isdigit() and own in command_of(p) and b"mpirun" not in command_of(p)]
    rank = {"OMPI_COMM_WORLD_RANK", "PMI_RANK"}
    numbered = {}
    for pid in found:
        for line in pathlib.Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace").split("\0"):
            if line.split("=")[0] in rank:
                numbered[int(line.split("=")[1])] = pid
    return numbered


def command_of(process):
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


def long_run(mpi, count, case, folder, **environment):
    return ranks_of(mpi, count, [HOOKE, "run", case, "--device", "cpu", "--no-pictures", "-q", "--checkpoint", "0.3", "--output", folder],
                    **environment)


@pytest.mark.parametrize("mpi", MPIS)
def test_a_killed_rank_ends_the_run_with_a_whole_checkpoint(tmp_path, mpi):
    needs(mpi)
    case, folder = endless(tmp_path / "case.yaml"), tmp_path / "o"
    process = long_run(mpi, 3, case, folder)
    os.kill(stepping(folder, process)[2], signal.SIGKILL)
    process.communicate(timeout=10)
    assert process.returncode != 0
    done = ranks(mpi, 2, "run", case, "--device", "cpu", "--output", folder, "--restart=auto", "--no-pictures", "-q", "--set",
                 "solve.explicit.end=1e-3")
    assert "end" in done.stderr and done.returncode == 3, done.stderr  # it was read, and is behind that end
    shutil.rmtree(folder)


LONE = """
mesh: {box: {size: [1, 1, 1], cells: [2, 2, 2], shape: hex}}
materials: {m: {density: 1, young: 1, poisson: 0.3}}
boundary: [{set: right, fix: [x, y, z]}]
initial: [{set: left, velocity: [1, 0, 0]}]
outputs: {field: {quantity: displacement, frames: 2}}
solve: {explicit: {end: 1e6, method: stored}}
"""


@pytest.mark.parametrize("alone", [False, True])
def test_a_rank_that_hangs_is_told(tmp_path, alone):
    needs("mpich")
    case, folder = endless(tmp_path / "case.yaml"), tmp_path / "o"
    if alone:  # one of both has no nodes, and there is no border
        case.write_text(LONE)
    process = long_run("mpich", 2, case, folder, HOOKE_MPI_PATIENCE="1.5")
    os.kill(stepping(folder, process)[1], signal.SIGSTOP)
    out, err = process.communicate(timeout=60)
    said = r"rank 0 has waited 1.5 s for (the rows|the arrival of rows|the end of a step|an answer) of (rank 1|another rank)"
    assert process.returncode == 5 and re.search(said, err), (process.returncode, err)


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize("hangs", ["0", "2"])
@pytest.mark.parametrize("at", ["begin", "end"])
def test_ranks_that_fail_do_not_wait_for_one_that_hangs(mpi, hangs, at):
    needs(mpi)
    build = pathlib.Path(HOOKE).parent
    process = ranks_of(mpi, 3, [build / "tests/link_test_mpi"], HOOKE_MPI=str(build / f"libhooke-mpi-{mpi}.so"), HANGS=hangs, AT=at)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 6 and "it grows" in err, (process.returncode, err)
    assert ("one of them hangs" in err) == (at == "begin"), err


@pytest.mark.parametrize("rank", [0, 1])
def test_a_signal_to_any_rank_stops_all_with_a_checkpoint(tmp_path, rank):
    needs("mpich")
    case, folder = endless(tmp_path / "case.yaml"), tmp_path / "o"
    process = long_run("mpich", 2, case, folder)
    os.kill(stepping(folder, process)[rank], signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 143, err
    assert json.loads((folder / "run.json").read_text())["status"] == "stopped" and (folder / "checkpoint.h5").exists()
