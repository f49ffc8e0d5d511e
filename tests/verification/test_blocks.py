"""The paper's method by the command: block files, what run.json says of the blocks, refusals."""
import json

import numpy as np
import pytest

from command import call, error, run

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


def test_solids_are_refused(tmp_path):
    solid = json.loads(json.dumps(CASE))
    solid["mesh"] = {"box": {"size": [1.0, 1.0, 1.0], "cells": [3, 3, 3], "shape": "tet"}}
    solid["boundary"], solid["sources"], solid["outputs"] = [], [], {}
    solid["initial"] = [{"set": "all", "velocity": [1.0, 0.0, 0.0]}]
    done = run(tmp_path, solid, "--set", "solve.explicit.method=blocks", code=3)
    assert "blocks" in done.stderr and "auto" in done.stderr


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
