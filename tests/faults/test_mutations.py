"""Small inputs cut and changed at random: never a signal, never a hang, and 0 only with a complete output (mutate.py)."""
import gzip
import json
import os
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest

from command import DATA, HOOKE, hooke
from decks import strip
from models import MODELS
from mutate import Subject, each_ends_well

CORPUS = Path(os.environ["HOOKE_SOURCE"]) / "fuzz/corpus"
READ = (0, 3)
COMPUTED = (0, 3, 5, 6, 7, 130)  # a changed number may ask for more than there is, for a dt above the limit, or for hours


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def is_json(folder, stdout):
    json.loads(stdout)


def gaps(path):
    """The first dataset of numbers of an HDF5 file that has a not-a-number."""
    found = []

    def look(name, item):
        if isinstance(item, h5py.Dataset) and item.dtype.kind == "f" and not np.isfinite(item[()]).all():
            found.append(name)
    with h5py.File(path) as file:
        file.visititems(look)
    return found and f"not-a-number in {found[0]} of {os.path.basename(path)}"


def complete(folder, stdout):
    """run.json says ok, and its files are whole."""
    result = next(f"{folder}/{name}" for name in os.listdir(folder) if name.endswith(".hooke"))
    with open(f"{result}/run.json") as file:
        state = json.load(file)
    if state["status"] != "ok":
        return "0 without ok"
    if state["counts"]["steps"] < 1 or not os.path.exists(f"{result}/run.h5"):
        return "0 without a result"
    return next((wrong for name in os.listdir(result) if name.endswith(("h5", "vtkhdf")) for wrong in [gaps(f"{result}/{name}")] if wrong), None)


def a_mesh(name):
    def look(folder, stdout):
        done = hooke("info", f"{folder}/{name}")
        return None if done.returncode == 0 else f"what was written is not read: {done.stderr}"
    return look


DECK = strip(4, "4e-6").replace("NUMBER INTERVAL=4", "NUMBER INTERVAL=1")
DECKS = {"strip": strip(6), **{name: (CORPUS / f"inp/{name}.inp").read_text()
                               for name in ("assembly", "static_steps", "heat_steps", "transform_plane", "flat")}}
DECKS["static_steps"] = DECKS["static_steps"].replace("*BOUNDARY\n1,1,3\n", "*BOUNDARY\n1,1,3\n8,1,3\n")
MESHES = ["boxes_22.msh", "boxes_22_binary.msh", "boxes_41.msh", "boxes_41_binary.msh", "boxes_parts.msh", "hex20.msh", "solids_ascii.vtu",
          "solids_raw_zlib.vtu", "solids_base64.vtu", "solids_raw.vtu", "solids_inline_zlib.vtu", "planes_ascii.vtu"]
RUN = ["--device", "cpu", "--threads", "1", "--progress", "none", "--no-pictures"]


@pytest.mark.parametrize("name", DECKS)
@pytest.mark.parametrize("verb", ["info", "check"])
def test_mutated_deck_is_read_or_refused(name, verb):
    reads = {"info": (READ, True), "check": ((0, 3, 5, 6), False)}
    ends, reading = reads[verb]
    each_ends_well(Subject(f"{verb}-{name}", "decks, read", DECKS[name].encode(), "m.inp", [verb, "m.inp", "--json"], 0.5 / len(DECKS) / 2, ends, is_json,
                           reads=reading))


def test_mutated_compressed_deck_is_refused():
    each_ends_well(Subject("compressed", "decks, read", gzip.compress(DECK.encode(), mtime=0), "m.inp.gz", ["info", "m.inp.gz", "--json"], 0.05,
                           READ, is_json))


@pytest.mark.parametrize("name", ["strip", "static_steps", "heat_steps", "assembly"])
def test_mutated_deck_runs_whole_or_is_refused(name):
    text = DECK if name == "strip" else DECKS[name]
    each_ends_well(Subject(f"run-{name}", "decks, run", text.encode(), "m.inp", ["run", "m.inp", *RUN], 0.05, COMPUTED, complete, reads=False))


@pytest.mark.parametrize("name", MESHES)
def test_mutated_mesh_is_read_or_refused(name):
    file = "m." + name.rsplit(".", 1)[1]
    each_ends_well(Subject(f"info-{name}", "meshes, read", (DATA / "mesh" / name).read_bytes(), file, ["info", file, "--json"], 0.27 / len(MESHES), READ,
                           is_json))


@pytest.mark.parametrize("words, written", [(["convert", "m.msh", "o.vtkhdf"], "o.vtkhdf"), (["convert", "m.msh", "o.inp"], "o.inp"),
                                            (["partition", "m.msh", "--json"], None)], ids=["vtkhdf", "inp", "partition"])
def test_mutated_mesh_is_converted_and_partitioned(words, written):
    each_ends_well(Subject(f"{words[0]}-{written}", "meshes, converted and partitioned", (DATA / "mesh/boxes_41.msh").read_bytes(), "m.msh", words, 0.03,
                           (0, 2, 3) if written == "o.inp" else READ, a_mesh(written) if written else is_json))


def test_mutated_vtkhdf_is_read_or_refused():
    Path("m.inp").write_text(strip(4, "4e-6"))
    assert hooke("convert", "m.inp", "m.vtkhdf").returncode == 0
    each_ends_well(Subject("info-vtkhdf", "meshes, read", Path("m.vtkhdf").read_bytes(), "m.vtkhdf", ["info", "m.vtkhdf", "--json"], 0.04, READ, is_json))


CASES = {"plain": (DATA / "case/plain.yaml").read_text(), "json": (DATA / "case/plain.json").read_text(), **MODELS}


@pytest.mark.parametrize("name", CASES)
def test_mutated_case_is_checked(name):
    each_ends_well(Subject(f"check-{name}", "cases, checked", CASES[name].encode(), "m.yaml", ["check", "m.yaml", "--json", "--device", "cpu"],
                           0.25 / len(CASES), (0, 3, 5, 6, 130), is_json, reads=False))


@pytest.mark.parametrize("name", MODELS)
def test_mutated_case_runs_whole_or_is_refused(name):
    each_ends_well(Subject(f"run-{name}", "cases, run", MODELS[name].encode(), "m.yaml", ["run", "m.yaml", *RUN], 0.15 / len(MODELS), COMPUTED, complete,
                           reads=False))


def test_mutated_table_of_a_signal_is_read_or_refused():
    case = MODELS["elastic"].replace("{ricker: {frequency: 0.5}}", "{table: {file: s.csv}}").encode()
    table = "time, value\n# a pulse\n0, 0\n1.5, 1\n3, -0.5\n4, 0\n".encode()
    each_ends_well(Subject("table", "tables of signals", table, "s.csv", ["run", "m.yaml", *RUN], 0.02, COMPUTED, complete, {"m.yaml": case}, reads=False))


def solved(name):
    Path("m.yaml").write_text(MODELS[name])
    done = hooke("run", "m.yaml", *RUN, "--force")
    assert done.returncode == 0, done.stderr
    return {name: Path("m.hooke", name).read_bytes() for name in os.listdir("m.hooke")}


def test_mutated_block_file_is_read_or_refused():
    Path("m.yaml").write_text(MODELS["elastic"])
    assert hooke("partition", "m.yaml", "--method", "greedy").returncode == 0
    each_ends_well(Subject("blocks", "block files", Path("m.blocks").read_bytes(), "m.blocks", ["run", "m.yaml", "--blocks", "m.blocks", *RUN], 0.02,
                           READ, complete, {"m.yaml": MODELS["elastic"].encode()}, reads=False))


@pytest.mark.parametrize("name", ["elastic", "shots", "static"])
@pytest.mark.parametrize("words", [["info", "run.h5", "--json"], ["compare", "run.h5", "run.h5", "--json"]], ids=["info", "compare"])
def test_mutated_run_h5_is_read_or_refused(words, name):
    data = solved(name)["run.h5"]
    each_ends_well(Subject(f"{words[0]}-{name}.h5", "results", data, "run.h5", words, 0.01, READ, is_json))


@pytest.mark.parametrize("number", [0, 1, 15, 16, 0xffff, 2**31, 2**62])
@pytest.mark.parametrize("wide", [2, 4, 8])
def test_damaged_heap_of_texts_is_read_or_refused(wide, number):
    """HDF5's library reads beyond its memory, or for ever, where the sizes in a heap, or references to it, are wrong"""
    data = solved("elastic")["run.h5"]
    heap = data.index(b"GCOL")
    reference = data.index(heap.to_bytes(8, "little") + b"\1\0\0\0")
    for at in (heap + 8, heap + 16, heap + 24, reference - 4, reference, reference + 8):
        Path("h.h5").write_bytes(data[:at] + (number % 2**(8 * wide)).to_bytes(wide, "little") + data[at + wide:])
        done = hooke("info", "h.h5", "--json", timeout=10)
        assert done.returncode in (0, 3), (at, done.returncode, done.stderr)


@pytest.mark.parametrize("path", sorted((CORPUS / "h5").iterdir()), ids=lambda path: path.name)
def test_found_result_ends_well(path):
    for words in (["info", path, "--json"], ["compare", path, path], ["convert", path, "o.msh"]):
        done = hooke(*words, timeout=20)
        assert done.returncode in (0, 3) and (done.returncode == 0 or "error: " in done.stderr), (words, done.returncode, done.stderr)


@pytest.mark.parametrize("verb", [["export", ".", "--csv", "--vtu", "--png"], ["report", "."]], ids=["export", "report"])
@pytest.mark.parametrize("file", ["run.h5", "run.json", "field.vtkhdf"])
def test_mutated_result_is_exported_or_refused(file, verb):
    files = solved("elastic")
    beside = {name: data for name, data in files.items() if name in ("run.h5", "run.json", "field.vtkhdf")}
    each_ends_well(Subject(f"{verb[0]}-{file}", "results", beside.pop(file), file, verb, 0.01, READ, None, beside))


def test_mutated_checkpoint_is_refused():
    """bytes that HDF5 leaves unused change nothing: then the run is complete"""
    Path("m.yaml").write_text(MODELS["elastic"].replace("end: 8", "end: 30000"))
    process = subprocess.Popen([HOOKE, "run", "m.yaml", *RUN, "--checkpoint", "0.02"], stderr=subprocess.DEVNULL)
    while process.poll() is None and not os.path.exists("m.hooke/checkpoint.h5"):
        pass
    process.send_signal(2)
    assert process.wait(20) == 130
    beside = {name: Path(name).read_bytes() for name in ("m.yaml", "m.hooke/run.h5", "m.hooke/run.json", "m.hooke/field.vtkhdf")}
    each_ends_well(Subject("checkpoint", "checkpoints", Path("m.hooke/checkpoint.h5").read_bytes(), "c.h5", ["run", "m.yaml", "--restart", "c.h5", *RUN],
                           0.02, COMPUTED, complete, beside, reads=False))


FOUND = sorted(path for path in CORPUS.rglob("*") if path.suffix in (".inp", ".yaml", ".json"))


@pytest.mark.parametrize("path", sorted(path for kind in ("msh", "vtu") for path in (CORPUS / kind).iterdir()), ids=lambda path: path.name)
def test_found_mesh_ends_well(path):
    for words in (["info", path], ["convert", path, "o.inp" if path.suffix == ".msh" else "o.vtkhdf"], ["partition", path, "--output", "o.blocks"]):
        done = hooke(*words, timeout=20)
        assert done.returncode in (0, 3) and (done.returncode == 0 or "error: " in done.stderr), (words, done.returncode, done.stderr)


@pytest.mark.parametrize("path", FOUND, ids=[str(path.relative_to(CORPUS)) for path in FOUND])
def test_found_input_ends_well(path):
    """What mutations and fuzzing found once, and where they begin."""
    for verb in ("info", "check", "run"):
        more = {"run": RUN, "info": [], "check": []}[verb]
        done = hooke(verb, path, *more, timeout=20)
        assert done.returncode in COMPUTED, (verb, done.returncode, done.stderr)
        assert done.returncode == 0 or "error: " in done.stderr or done.returncode == 130
