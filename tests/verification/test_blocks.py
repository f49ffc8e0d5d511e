"""The paper's method by the command: block files, what run.json says of the blocks, refusals."""
import json

import numpy as np
import pytest

from command import Run, call, error, has, run

CASE = {
    "mesh": {"rectangle": {"size": [1.0, 0.6], "cells": [60, 40], "shape": "tri"}},
    "materials": {"steel": {"density": 1.0, "young": 1.0, "poisson": 0.3}},
    "regions": {"all": "steel"},
    "damping": {"mass": 0.2},
    "boundary": [{"set": "bottom", "fix": ["x", "y"]}],
    "sources": [{"at": [0.31, 0.42], "force": 1.0, "direction": [1, -1], "signal": {"ricker": {"frequency": 2.0}}}],
    "outputs": {"traces": [{"name": "rx", "at": [[0.7, 0.3], [0.2, 0.6]], "quantity": "displacement"}]},
    "solve": {"explicit": {"end": 2.0}},
}


def blocks_of(folder, *words):
    """A block file of the case's mesh."""
    path = folder / "case.json"
    path.write_text(json.dumps(CASE))
    done = call("partition", path, "--output", folder / "case.blocks", "--json", *words)
    assert done.returncode == 0, done.stderr
    return folder / "case.blocks", json.loads(done.stdout)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    return run(tmp_path_factory.mktemp("stored"), CASE, "--set", "solve.explicit.method=stored")


@pytest.mark.parametrize("words", [("--size", 128), ("--size", 2048), ("--method", "greedy"), ("--method", "bisection", "--size", 96)])
def test_traces_in_the_blocks_of_a_file_are_those_by_rows(tmp_path, stored, words):
    """To 1e-12 of the L2 norm; run.json says the file's blocks."""
    path, made = blocks_of(tmp_path, *words)
    got = run(tmp_path, CASE, "--blocks", path)
    assert error(got.traces["rx"]["displacement"], stored.traces["rx"]["displacement"]) <= 1e-12
    assert got.summary["method"] == "blocks"
    said = got.summary["blocks"]
    assert (said["count"], said["size"]) == (made["blocks"], made["block_size"])
    assert said["efficiency"] == pytest.approx(made["efficiency"], rel=1e-5)


def test_count_of_appendix_a(tmp_path):
    """512 nodes in double: 48 720 bytes a block and 16 384 L_av, L_av between 1 and 12."""
    said = run(tmp_path, CASE, "--set", "solve.explicit.method=blocks").summary["blocks"]
    each = said["counted_bytes_per_step"] / said["count"]
    assert said["size"] == 512 and 5 < (each - 48720) / 16384 < 12


def test_damped_energy_is_that_by_rows(tmp_path, stored):
    """Kinetic, strain, damping and work to 1e-11 of the work."""
    got = run(tmp_path, CASE, "--set", "solve.explicit.method=blocks")
    work = np.abs(stored.energy["work"]).max()
    for name in ("kinetic", "strain", "damping", "work"):
        assert np.abs(got.energy[name] - stored.energy[name]).max() <= 1e-11 * work


def test_another_mesh_is_refused(tmp_path):
    path, _ = blocks_of(tmp_path)
    other = json.loads(json.dumps(CASE))
    other["mesh"]["rectangle"]["cells"] = [61, 40]
    done = run(tmp_path, other, "--blocks", path, code=3)
    assert "mesh" in done.stderr


def test_another_method_is_refused(tmp_path):
    path, _ = blocks_of(tmp_path)
    done = run(tmp_path, CASE, "--blocks", path, "--set", "solve.explicit.method=edges", code=2)
    assert "edges" in done.stderr


def test_blocks_beyond_local_memory_are_refused(tmp_path):
    path, _ = blocks_of(tmp_path, "--size", 8192)
    done = run(tmp_path, CASE, "--blocks", path, "--device", "cpu", code=5)
    assert "8192" in done.stderr and "--size=512" in done.stderr


def solid(path, cells=9, holes=(100, 101, 400), seed=3):
    """A deck: a block of hexahedra, half of whose cells are six tetrahedra each, some missing, nodes moved and numbered at random; a force and
    two receivers."""
    random = np.random.default_rng(seed)
    n = cells + 1
    grid = np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), -1).reshape(-1, 3)
    number = 1 + random.permutation(n**3)
    point = grid + random.uniform(-0.15, 0.15, grid.shape) * ((grid > 0) & (grid < cells))
    first = grid[(grid < cells).all(axis=1)]
    first = np.delete(first, holes, axis=0)
    at = lambda step: number[(first + step) @ [n * n, n, 1]]
    ring = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    hexes = np.column_stack([at(np.array(step)) for step in ring])
    tets = [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)]
    half = first[:, 0] < cells // 2
    cut = np.concatenate([hexes[~half][:, list(corner)] for corner in tets])
    order = np.argsort(number)
    lines = ["*NODE", *(f"{number[i]}, {point[i, 0]:.9g}, {point[i, 1]:.9g}, {point[i, 2]:.9g}" for i in order)]
    lines += ["*ELEMENT, TYPE=C3D8, ELSET=h", *(", ".join(map(str, [e + 1, *row])) for e, row in enumerate(hexes[half]))]
    lines += ["*ELEMENT, TYPE=C3D4, ELSET=t", *(", ".join(map(str, [e + 10001, *row])) for e, row in enumerate(cut))]
    loaded, seen = number[0], f"{number[-1]}\n{number[n * n + 1]}"
    lines += ["*NSET, NSET=rx", seen, "*MATERIAL, NAME=m", "*DENSITY", "1.", "*ELASTIC", "1., 0.3",
              "*SOLID SECTION, ELSET=h, MATERIAL=m", "*SOLID SECTION, ELSET=t, MATERIAL=m", "*AMPLITUDE, NAME=a", "0., 0., 2., 1., 4., 0., 100., 0.",
              "*STEP", "*DYNAMIC, EXPLICIT, DIRECT USER CONTROL", "0.05, 10.", "*CLOAD, AMPLITUDE=a", f"{loaded}, 1, 1.", f"{loaded}, 3, 0.5",
              "*OUTPUT, HISTORY, FREQUENCY=4", "*NODE OUTPUT, NSET=rx", "U", "*END STEP", ""]
    path.write_text("\n".join(lines))


def steps_of(folder, *words):
    done = call("run", folder / "solid.inp", "--output", folder / "out", "--force", "--no-pictures", "--precision", "double", *words)
    assert done.returncode == 0, done.stderr
    return Run(folder / "out")


@pytest.fixture(scope="module")
def of_rows(tmp_path_factory):
    folder = tmp_path_factory.mktemp("solid")
    solid(folder / "solid.inp")
    return folder, steps_of(folder, "--device", "cpu", "--set", "solve.explicit.method=stored")


@pytest.mark.parametrize("words", [(), ("--size", 64), ("--size", 2048), ("--size", 96, "--method", "greedy"), ("--method", "aligned", "--size", 128)])
@pytest.mark.parametrize("device", ["cpu", "opencl"])
def test_solids_in_blocks_move_as_by_rows(tmp_path, of_rows, device, words):
    """Hexahedra beside tetrahedra, with holes: to 1e-12 of the L2 norm; the blocks are those of the file."""
    if not has(device):
        pytest.skip(f"no {device}")
    folder, stored = of_rows
    done = call("partition", folder / "solid.inp", "--output", tmp_path / "solid.blocks", "--json", *words)
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    got = steps_of(folder, "--device", device, "--blocks", tmp_path / "solid.blocks")
    assert np.abs(stored.traces["rx"]["displacement"]).max() > 0
    assert error(got.traces["rx"]["displacement"], stored.traces["rx"]["displacement"]) <= 1e-12
    said = got.summary["blocks"]
    assert got.summary["method"] == "blocks" and (said["count"], said["size"]) == (made["blocks"], made["block_size"])


def test_solids_in_single_and_their_count(of_rows):
    """Single to 1e-5; Table A.5 with three components of 512 nodes, 116 loads of 1152 nodes, and as many links as a node has, itself too."""
    folder, stored = of_rows
    got = steps_of(folder, "--device", "cpu", "--precision", "single", "--set", "solve.explicit.method=blocks")
    assert 0 < error(got.traces["rx"]["displacement"], stored.traces["rx"]["displacement"]) <= 1e-5
    said = got.summary["blocks"]
    each = said["counted_bytes_per_step"] / said["count"]
    lists = 3 * 512 * 3 * 4 + 116 * 4 + 1152 * 3 * 4 + 512 * (4 + 6 + 2 + 2 * 27)
    assert 13 < (each - lists) / (512 * 9 * 4) < 26


def test_large_blocks_of_solids_are_refused(of_rows, tmp_path):
    """4096 nodes and the 3264 that they may read are more than the host's tile."""
    folder, _ = of_rows
    assert call("partition", folder / "solid.inp", "--output", tmp_path / "large.blocks", "--size", 4096).returncode == 0
    done = call("run", folder / "solid.inp", "--output", tmp_path / "out", "--device", "cpu", "--blocks", tmp_path / "large.blocks")
    assert done.returncode == 5 and "4096" in done.stderr and "--size=512" in done.stderr


def test_elements_of_no_mass_are_refused(tmp_path):
    """Linear wedges do not run in time, by blocks neither."""
    wedges = json.loads(json.dumps(CASE))
    wedges["mesh"] = {"extrude": {"mesh": {"rectangle": {"size": [1.0, 0.6], "cells": [6, 4], "shape": "tri"}}, "layers": [{"height": 1.0, "cells": 3}]}}
    wedges["boundary"], wedges["sources"], wedges["outputs"] = [], [], {}
    wedges["initial"] = [{"set": "all", "velocity": [1.0, 0.0, 0.0]}]
    done = run(tmp_path, wedges, "--set", "solve.explicit.method=blocks", code=3)
    assert "wedge6" in done.stderr


def test_a_repeated_run_gives_the_same_bits(tmp_path):
    path, _ = blocks_of(tmp_path)
    whole = run(tmp_path, CASE, "--blocks", path)
    again = run(tmp_path, CASE, "--blocks", path, name="again")
    assert np.array_equal(whole.traces["rx"]["displacement"], again.traces["rx"]["displacement"])


def test_body_that_moves_in_its_last_block_alone_is_not_taken_for_one_at_rest(tmp_path):
    """A signal that begins with zero, and three steps: what has moved has higher numbers than there are nodes."""
    case = {**CASE, "mesh": {"rectangle": {"size": [50, 1], "cells": [50, 1], "shape": "quad"}}, "boundary": [], "damping": {"mass": 0},
            "sources": [{"at": [50, 1], "force": 1, "direction": [1, 0], "signal": {"toneburst": {"frequency": 0.2, "cycles": 2}}}],
            "outputs": {"traces": [{"name": "rx", "at": [[50, 1]], "quantity": "displacement"}]},
            "solve": {"explicit": {"end": 0.6, "dt": 0.2}}}
    (tmp_path / "case.json").write_text(json.dumps(case))
    done = call("partition", tmp_path / "case.json", "--output", tmp_path / "case.blocks", "--size", 32, "--json")
    assert json.loads(done.stdout)["efficiency"] < 0.9
    got = run(tmp_path, case, "--blocks", tmp_path / "case.blocks")
    assert np.abs(got.traces["rx"]["displacement"]).max() > 0
