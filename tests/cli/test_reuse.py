"""hooke partition --reuse: after a local change of a mesh only blocks that changed are made anew."""
import json
import os
import struct
import subprocess

import numpy as np
import pytest

HOOKE = os.environ["HOOKE"]
CELLS, SIZE = 110, 64


def hooke(*words, folder):
    return subprocess.run([HOOKE, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=folder)


def partition(folder, *words):
    done = hooke("partition", *words, "--json", folder=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def square():
    """A jittered grid of triangles."""
    random = np.random.default_rng(5)
    n = CELLS + 1
    x, y = (v.ravel() for v in np.meshgrid(np.arange(n), np.arange(n)))
    inside = (x > 0) & (x < CELLS) & (y > 0) & (y < CELLS)
    point = np.column_stack([x, y]) + 0.2 * (random.random((n * n, 2)) - 0.5) * inside[:, None]
    corner = (np.arange(CELLS) + n * np.arange(CELLS)[:, None]).ravel()
    triangle = np.concatenate([np.column_stack([corner, corner + 1, corner + n + 1]), np.column_stack([corner, corner + n + 1, corner + n])])
    return np.round(point, 6), triangle


def refined(point, triangle, at, radius):
    """A node more in the middle of every triangle near a place, and all nodes and triangles in another order."""
    random = np.random.default_rng(6)
    middle = point[triangle].mean(axis=1)
    near = np.hypot(*(middle - at).T) < radius
    new = len(point) + np.arange(near.sum())
    a, b, c = triangle[near].T
    triangle = np.concatenate([triangle[~near], np.column_stack([a, b, new]), np.column_stack([b, c, new]), np.column_stack([c, a, new])])
    point = np.concatenate([point, np.round(middle[near], 6)])
    order = random.permutation(len(point))
    number = np.argsort(order)
    return point[order], number[triangle][random.permutation(len(triangle))]


def write(path, point, triangle):
    """A deck with a source and a receiver."""
    middle = 1 + np.argmin(np.hypot(*(point - [30, 40]).T)), 1 + np.argmin(np.hypot(*(point - [55, 50]).T))
    path.write_text("\n".join([
        "*NODE", *(f"{i + 1}, {x:.6f}, {y:.6f}" for i, (x, y) in enumerate(point)),
        "*ELEMENT, TYPE=CPE3, ELSET=all", *(f"{i + 1}, {a + 1}, {b + 1}, {c + 1}" for i, (a, b, c) in enumerate(triangle)),
        "*NSET, NSET=rx", str(middle[1]), "*MATERIAL, NAME=m", "*DENSITY", "1.", "*ELASTIC", "1., 0.3", "*SOLID SECTION, ELSET=all, MATERIAL=m", "1.",
        "*AMPLITUDE, NAME=a", "0., 0., 2., 1., 4., 0., 100., 0.", "*STEP", "*DYNAMIC, EXPLICIT, DIRECT USER CONTROL", "0.1, 30.",
        "*CLOAD, AMPLITUDE=a", f"{middle[0]}, 1, 1.", "*OUTPUT, HISTORY, FREQUENCY=4", "*NODE OUTPUT, NSET=rx", "U", "*END STEP", ""]))


def blocks_in(path):
    """(block, place) of each node."""
    data = path.read_bytes()
    nodes = struct.unpack("<Q", data[16:24])[0]
    return np.frombuffer(data[48:48 + 8 * nodes], "<i4").reshape(2, nodes)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reuse")
    old = square()
    new = refined(*old, [30, 40], 4)
    write(folder / "old.inp", *old)
    write(folder / "new.inp", *new)
    return folder, old, new, partition(folder, "old.inp", "--size", SIZE), partition(folder, "new.inp", "--reuse", "old.blocks", "-o", "reused.blocks")


def test_efficiency_is_that_of_blocks_made_anew(made):
    """No more than 1 % below; the blocks far from the change stay."""
    folder, _, _, old, said = made
    fresh = partition(folder, "new.inp", "--size", SIZE, "-o", "fresh.blocks")
    assert said["method"] == "reuse" and said["reused"] == "old.blocks" and set(said["seconds"]) == set(fresh["seconds"])
    assert said["efficiency"] >= 0.99 * fresh["efficiency"], (said["efficiency"], fresh["efficiency"])
    assert 0.85 * old["blocks"] < said["blocks_kept"] < old["blocks"]


def test_kept_blocks_keep_their_nodes_and_places_and_others_are_made_anew(made):
    """By coordinates. A block with a node of a changed triangle is not kept."""
    folder, (old, _), (new, triangle), _, said = made
    before, after = blocks_in(folder / "old.blocks"), blocks_in(folder / "reused.blocks")
    old_number = {tuple(x): i for i, x in enumerate(old)}
    old_of = np.array([old_number.get(tuple(x), -1) for x in new])
    blocks_of = {}
    for i in np.flatnonzero(after[0] < said["blocks_kept"]):
        assert old_of[i] >= 0 and after[1][i] == before[1][old_of[i]]
        blocks_of.setdefault(after[0][i], set()).add(before[0][old_of[i]])
    assert len(blocks_of) == said["blocks_kept"] and all(len(b) == 1 for b in blocks_of.values())
    kept = np.bincount(before[0])[[b.pop() for _, b in sorted(blocks_of.items())]]
    assert np.array_equal(kept, np.bincount(after[0])[:said["blocks_kept"]])
    changed = np.unique(triangle[(old_of[triangle] < 0).any(axis=1)])
    assert len(changed) and (after[0][changed] >= said["blocks_kept"]).all()


def test_traces_are_those_by_rows(made):
    """A run reads the file and gives the traces of `stored` to 1e-12 of the peak."""
    import h5py
    folder, traces = made[0], []
    for words in (("--blocks", "reused.blocks"), ("--set", "solve.explicit.method=stored")):
        done = hooke("run", "new.inp", *words, "--device", "cpu", "--precision", "double", "--threads", 1, "--force", "--no-pictures", folder=folder)
        assert done.returncode == 0, done.stderr
        with h5py.File(folder / "new.hooke/run.h5") as file:
            traces.append(file["traces/rx/displacement"][()])
    assert np.abs(traces[1]).max() > 1e-3
    assert np.abs(traces[0] - traces[1]).max() <= 1e-12 * np.abs(traces[1]).max()


def test_the_same_elements_keep_every_block(made):
    """Also where nodes moved: a block file does not depend on coordinates."""
    folder, (point, triangle), _, old, _ = made
    write(folder / "moved.inp", point * 2, triangle)
    said = partition(folder, "moved.inp", "--reuse", "old.blocks")
    assert said["blocks_kept"] == said["blocks"] == old["blocks"]
    assert (folder / "moved.blocks").read_bytes()[48:48 + 8 * len(point)] == (folder / "old.blocks").read_bytes()[48:48 + 8 * len(point)]


def test_a_mesh_that_has_nothing_in_common_is_partitioned_with_a_warning(made):
    folder, (point, triangle), _, _, _ = made
    write(folder / "other.inp", point[:, ::-1] * [1, 1.5], triangle[:-1, ::-1])
    done = hooke("partition", "other.inp", "--reuse", "old.blocks", "--json", folder=folder)
    assert done.returncode == 0 and "no block of this file is kept" in done.stderr
    said = json.loads(done.stdout)
    assert said["blocks_kept"] == 0 and said["efficiency"] > 0.9


@pytest.mark.parametrize("words, code, said", [
    (("--reuse", "absent.blocks"), 3, "absent.blocks"), (("--reuse", "old.inp"), 3, "not a block file"),
    (("--reuse", "old.blocks", "--size", 64), 2, "leave out"), (("--reuse", "old.blocks", "--method", "greedy"), 2, "leave out"),
    (("--reuse", "old.blocks", "--sweep"), 2, "leave out")])
def test_refusals(made, words, code, said):
    done = hooke("partition", "new.inp", "-o", "none.blocks", *words, folder=made[0])
    assert done.returncode == code and said in done.stderr
    assert not (made[0] / "none.blocks").exists()
