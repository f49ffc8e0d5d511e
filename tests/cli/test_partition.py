"""hooke partition: block files, what is printed, pictures, refusals."""
import json
import os
import pathlib
import struct
import subprocess

import pytest

HOOKE = os.environ["HOOKE"]
EXAMPLES = pathlib.Path(os.environ["HOOKE_SOURCE"]) / "examples"
GEAR = EXAMPLES / "gear/gear.inp.gz"


def hooke(*words, **more):
    return subprocess.run([HOOKE, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL, **more)


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def partition(*words):
    done = hooke("partition", *words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def header(path):
    data = path.read_bytes()
    magic, version, size, nodes, blocks, places = struct.unpack("<8sIIQQQ", data[:40])
    assert magic == b"hkblocks" and version == 2 and len(data) == 48 + 4 * nodes * (3 + places) + 8
    return size, nodes, blocks, places


def test_block_file_is_what_is_printed(tmp_path):
    said = partition(GEAR, "--size", 128)
    size, nodes, blocks, places = header(tmp_path / "gear.blocks")
    assert (size, nodes, blocks, places) == (said["block_size"], said["nodes"], said["blocks"], 1)
    assert said["efficiency"] == pytest.approx(nodes / (blocks * size), rel=1e-5)
    assert said["blocks"] >= said["blocks_before_arrangement"] > 0
    assert set(said["seconds"]) == {"read", "graph", "partition", "arrange", "write"}


def test_places_are_all_different(tmp_path):
    partition(GEAR, "--size", 64, "--output", "a.blocks")
    _, nodes, blocks, _ = header(tmp_path / "a.blocks")
    numbers = struct.unpack(f"<{2 * nodes}i", (tmp_path / "a.blocks").read_bytes()[48:48 + 8 * nodes])
    block, place = numbers[:nodes], numbers[nodes:]
    assert len(set(zip(block, place))) == nodes
    assert set(block) == set(range(blocks)) and min(place) >= 0 and max(place) < 64


def test_aligned_is_ten_points_above_greedy_on_the_gear():
    aligned, greedy = (partition(GEAR, "--size", 128, "--method", m)["efficiency"] for m in ("aligned", "greedy"))
    assert aligned >= greedy + 0.1


def test_the_same_blocks_each_time_and_from_every_format(tmp_path):
    partition(GEAR, "-o", "a.blocks")
    partition(GEAR, "-o", "b.blocks")
    assert hooke("convert", GEAR, "gear.msh").returncode == 0
    partition("gear.msh", "-o", "c.blocks")
    first, again, msh = ((tmp_path / f"{name}.blocks").read_bytes() for name in "abc")
    assert first == again == msh


def test_case_file(tmp_path):
    said = partition(EXAMPLES / "geophysics/geophysics.yaml", "--method", "greedy", "-o", "a.blocks")
    assert said["nodes"] == 12724 and header(tmp_path / "a.blocks")[1] == 12724


def test_picture_has_many_colours(tmp_path):
    partition(GEAR, "--size", 128, "--picture", "gear.png")
    data = (tmp_path / "gear.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) > 10000


def test_metis_where_it_is_installed():
    done = hooke("partition", GEAR, "--method", "metis", "--json")
    if done.returncode == 2:
        assert "not installed" in done.stderr and "aligned" in done.stderr
    else:
        assert json.loads(done.stdout)["efficiency"] > 0.9


def test_sweep_counts_the_blocks_of_each_size(tmp_path):
    """Blocks and efficiency are those of a partition with that size; the bytes of 512 nodes are Appendix A's; no file is written."""
    lines = json.loads(hooke("partition", GEAR, "--sweep", "--json").stdout)["sweep"]
    assert [line["block_size"] for line in lines] == [64, 128, 256, 512, 1024, 2048]
    assert not list(tmp_path.iterdir())
    for line in lines:
        assert 4 < line["links"] < 8 and line["single_bytes"] < line["double_bytes"]
    alone = partition(GEAR, "--size", 128)
    assert (lines[1]["blocks"], lines[1]["efficiency"]) == (alone["blocks"], alone["efficiency"])
    each = lines[3]["double_bytes"] / lines[3]["blocks"]
    assert each == pytest.approx(48720 + 16384 * lines[3]["links"], rel=1e-4)


def test_sweep_as_a_table():
    done = hooke("partition", GEAR, "--sweep", "--method", "bisection")
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and len(lines) == 7 and "efficiency" in lines[0]
    assert [int(line.split()[0]) for line in lines[1:]] == [64, 128, 256, 512, 1024, 2048]
    assert hooke("partition", GEAR, "--sweep", "-q").stdout == ""


@pytest.fixture
def box(tmp_path):
    path = tmp_path / "box.json"
    path.write_text(json.dumps({
        "mesh": {"box": {"size": [1, 1, 1], "cells": [15, 15, 15], "shape": "tet", "jitter": 0.2, "shuffle": 1}}, "regions": {"all": "m"},
        "materials": {"m": {"density": 1.0, "young": 1.0, "poisson": 0.3}},
        "initial": [{"set": "all", "velocity": [1.0, 0.0, 0.0]}], "solve": {"explicit": {"end": 1.0}}}))
    return path


def test_sweep_of_a_solid(box):
    """Full blocks by bisection, which is the default of solids; in double 512 nodes read the lines of Table A.5 with three components."""
    said = json.loads(hooke("partition", box, "--sweep", "--json").stdout)
    assert said["method"] == "bisection" and [line["block_size"] for line in said["sweep"]] == [64, 128, 256, 512, 1024, 2048]
    for line in said["sweep"]:
        assert line["blocks"] == -(-16**3 // line["block_size"]) and 10 < line["links"] < 16
    each = said["sweep"][3]["double_bytes"] / said["sweep"][3]["blocks"]
    lists = 3 * 512 * 3 * 8 + 116 * 4 + 1152 * 3 * 8 + 512 * (8 + 6 + 2 + 2 * 15)
    assert each == pytest.approx(lists + 512 * 72 * said["sweep"][3]["links"], rel=1e-4)


def test_blocks_of_a_solid_are_arranged(box):
    """Places are all different; the same mesh gives the file's blocks again."""
    said = partition(box, "-o", "a.blocks")
    size, nodes, blocks, places = header(box.parent / "a.blocks")
    assert (said["arranged"], said["method"], places) == (True, "bisection", 1) and (size, nodes, blocks) == (512, 4096, 8)
    numbers = struct.unpack(f"<{2 * nodes}i", (box.parent / "a.blocks").read_bytes()[48:48 + 8 * nodes])
    assert len(set(zip(numbers[:nodes], numbers[nodes:]))) == nodes
    again = partition(box, "--reuse", "a.blocks", "-o", "b.blocks")
    assert again["blocks_kept"] == 8 and (box.parent / "a.blocks").read_bytes() == (box.parent / "b.blocks").read_bytes()


def test_quiet_says_nothing():
    done = hooke("partition", GEAR, "-q")
    assert done.returncode == 0 and done.stdout == "" and done.stderr == ""


@pytest.mark.parametrize("words, code, said", [
    ((GEAR, "--method", "scotch"), 2, "aligned, aligned-paper, greedy, metis"),
    ((GEAR, "--size", 500), 3, "multiple of 32"),
    ((GEAR, "--size", "many"), 2, "many"),
    (("absent.msh",), 3, "absent.msh"),
    ((GEAR, "--sweep", "--size", 64), 2, "sweep"),
    ((GEAR, "--sweep", "-o", "a.blocks"), 2, "sweep"),
    ((GEAR, "-o", "absent/a.blocks"), 8, "absent/a.blocks"),
    ((), 2, "MESH"),
])
def test_refusals(words, code, said, tmp_path):
    done = hooke("partition", *words)
    assert done.returncode == code and said in done.stderr
    assert not list(tmp_path.glob("*.blocks*"))
