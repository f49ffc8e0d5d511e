"""Wrong models of every kind, and wrong files given to every verb, end in 3 with file, line and name; counts beyond the bytes allocate nothing."""
import os
import re
import resource
import shutil
import struct

import h5py
import pytest

from command import DATA, hooke, refused, run
from models import MODELS

WRONG = {  # model, old, new, words
    "formula without end": ("heat", "exp(-x)", "exp(-x", ["m.yaml:5", "expected"]),
    "unknown function": ("heat", "exp(-x)", "expo(-x)", ["m.yaml:5", "expo"]),
    "formula without a value": ("heat", "exp(-x)", "log(-1 - x)", ["m.yaml:5", "log(-1 - x)"]),
    "negative conductivity": ("heat", '{formula: "2 + x^2 * sin(pi * y) - max(x, -1) / 3"}', "-2", ["m.yaml:3", "-2"]),
    "set of a film": ("heat", "set: top, film", "set: tpo, film", ["m.yaml:4", "tpo", "did you mean"]),
    "heat without conductivity": ("heat", "{conductivity: {formula: \"2 + x^2 * sin(pi * y) - max(x, -1) / 3\"}}", "{density: 2}", ["m.yaml", "conductivity"]),
    "mechanics in heat": ("heat", "{set: left, temperature", "{set: left, fix: [x]}, {set: left, temperature", ["m.yaml:4", "fix"]),
    "order too high": ("spectral", "order: 3", "order: 11", ["m.yaml:2", "11"]),
    "order of triangles": ("spectral", "cells: [8, 4]", "cells: [8, 4], shape: tri", ["m.yaml"]),
    "solid in acoustics": ("acoustic", "{density: 1, sound_speed: 1}", "{density: 1, young: 1, poisson: 0.3}", ["m.yaml:2", "solid"]),
    "negative sound speed": ("acoustic", "sound_speed: 1", "sound_speed: -1", ["m.yaml:4", "sound_speed"]),
    "force in a fluid": ("acoustic", "volume_rate: 1", "force: 1, direction: [1, 0]", ["m.yaml:5"]),
    "density of a fluid": ("acoustic", "density: 1, ", "", ["m.yaml:4", "density"]),
    "thickness of a layer": ("layers", "thickness: 1", "thickness: -1", ["m.yaml:4", "-1"]),
    "kind of a layer": ("layers", "kind: pml", "kind: plm", ["m.yaml:4", "plm"]),
    "side of a layer": ("damped", "sets: [left]", "sets: [lfet]", ["m.yaml:3", "lfet", "did you mean"]),
    "set of shots": ("shots", "array: {set: top", "array: {set: tap", ["m.yaml:4", "tap"]),
    "frames of a shot that is not": ("shots", "shots: [3, 1]", "shots: [30, 1]", ["m.yaml:5", "30"]),
    "crack": ("cracked", "sets: [fault]", "sets: [falt]", ["m.yaml:7", "falt"]),
    "negative spring": ("cracked", "normal: 2", "normal: -2", ["m.yaml:7", "-2"]),
    "corner of a block": ("cracked", "corners: [b, c, f, e]", "corners: [b, c, f, q]", ["m.yaml", "q"]),
    "twisted block": ("cracked", "corners: [b, c, f, e]", "corners: [b, f, c, e]", ["m.yaml"]),
    "formula of an edge": ("cracked", "1 + 0.1 * x * (1 - x)", "1 + 0.1 * x", ["m.yaml:3", "edge d e"]),
    "arc": ("cracked", "[1.5, -0.1]", "[1.5, 0]", ["m.yaml:3", "arc"]),
    "static free": ("static", "fix: [x, y, z]", "fix: [x, y]", ["rigid-body mode"]),
    "static with a signal": ("static", "gravity: [0, 0, -0.001]", "force: 1, set: right, direction: [0, 0, 1], signal: {rick: {}}", ["m.yaml:4", "rick"]),
    "tolerance": ("static", "static: {}", "static: {method: cg, tolerance: -1}", ["m.yaml:6", "-1"]),
    "method": ("static", "static: {}", "static: {method: gc}", ["m.yaml:6", "gc"]),
}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", WRONG)
def test_wrong_case_of_every_kind_is_refused(tmp_path, name):
    model, old, new, words = WRONG[name]
    assert old in MODELS[model]
    (tmp_path / "m.yaml").write_text(MODELS[model].replace(old, new, 1))
    refused(run("m.yaml", "--device", "cpu"), *words)
    assert not (tmp_path / "m.hooke/run.h5").exists()


TWO_PLATES = """\
*NODE
1,0,0
2,1,0
3,1,1
4,0,1
5,5,0
6,6,0
7,6,1
8,5,1
*ELEMENT,TYPE=DC2D4,ELSET=E
1,1,2,3,4
2,5,6,7,8
*MATERIAL,NAME=M
*CONDUCTIVITY
2.
*SOLID SECTION,ELSET=E,MATERIAL=M
*STEP
*HEAT TRANSFER,STEADY STATE
*BOUNDARY
1,11,11,5.
*CFLUX
7,11,1.
*END STEP
"""


@pytest.mark.parametrize("verb", ["run", "check"])
def test_part_whose_temperature_nothing_holds_is_told(tmp_path, verb):
    (tmp_path / "m.inp").write_text(TWO_PLATES)
    refused(hooke(verb, "m.inp"), "m.inp:17", "1 temperature is not held", "element 2")


@pytest.mark.parametrize("new, words", [("set: left, force: 1", "or act only on held degrees of freedom"), ("at: [1, 1], force: 0", "the loads are 0, or")])
def test_wave_that_does_not_begin_is_warned_of(tmp_path, new, words):
    """zero everywhere is never silent"""
    (tmp_path / "m.yaml").write_text(MODELS["elastic"].replace("at: [1, 1], force: 1", new))
    done = run("m.yaml", "--device", "cpu", "--no-pictures")
    assert done.returncode == 0 and words in done.stderr, (done.returncode, done.stderr)


INNER = """
units: none
mesh: {rectangle: {size: [2, 1], cells: [2, 1]}}
materials: {m: {density: 1, young: 1, poisson: 0.3, conductivity: 1}}
sets: {inside: {what: inner-faces, plane: {point: [1, 0], normal: [1, 0]}}}
"""
HELD = "boundary: [{set: left, fix: [x, y]}, {set: inside, WHAT}]\nsolve: {static: {}}\n"
HEATED = "physics: heat\nboundary: [{set: left, temperature: 0}, {set: inside, WHAT}]\nsolve: {heat: {}}\n"


@pytest.mark.parametrize("tail, words", [
    (HELD.replace("WHAT", "pressure: 1"), "1 faces of this load lie inside the body and have it on both sides: the pressure cancels there"),
    (HELD.replace("WHAT", "traction: [1, 0]"), "have it on both sides: it acts there twice"), (HEATED.replace("WHAT", "flux: 1"), "it acts there twice"),
    (HEATED.replace("WHAT", "film: {coefficient: 1, sink: 1}"), "it acts there twice"),
    ("boundary: [{set: inside, traction: [1, 0]}]\nsolve: {explicit: {end: 1}}\n", "it acts there twice"),
    (HELD.replace("inside, WHAT", "right, pressure: 1"), ""), ("crack: {sets: [inside]}\n" + HELD.replace("left, fix: [x, y]}", "left, fix: [x, y]}, {set: right, fix: [x, y]}").replace("WHAT", "pressure: 1"), "")])
def test_load_on_faces_inside_the_body_is_warned_of(tmp_path, tail, words):
    """On both sides a pressure cancels and other loads count twice; the two sides of an open crack are surfaces."""
    (tmp_path / "m.yaml").write_text(INNER + tail)
    done = run("m.yaml", "--device", "cpu", "--no-pictures")
    assert done.returncode == 0 and words in done.stderr and ("inside the body" in done.stderr) == bool(words), (done.returncode, done.stderr)


def test_sets_are_listed_once(tmp_path):
    """Sets of nodes and of faces share names."""
    (tmp_path / "m.yaml").write_text(INNER + HELD.replace("set: left", "set: nowhere").replace("WHAT", "pressure: 1"))
    done = run("m.yaml", "--device", "cpu")
    assert done.returncode == 3 and done.stderr.count("bottom") == 1, done.stderr


def test_load_on_one_side_of_a_face_inside_the_body_is_warned_of(tmp_path):
    (tmp_path / "m.inp").write_text("*NODE\n1,0,0\n2,1,0\n3,2,0\n4,0,1\n5,1,1\n6,2,1\n*ELEMENT,TYPE=CPE4,ELSET=E\n1,1,2,5,4\n2,2,3,6,5\n*MATERIAL,NAME=M\n*ELASTIC\n1,.3\n"
                                    "*SOLID SECTION,ELSET=E,MATERIAL=M\n*STEP\n*STATIC\n*BOUNDARY\n1,1,2\n4,1,2\n*DLOAD\nE,P2,1\n*END STEP\n")
    done = run("m.inp", "--device", "cpu", "--no-pictures")
    assert done.returncode == 0 and "1 of 2 faces of this load lie inside the body" in done.stderr, done.stderr


# ---- files that verbs take ----


def solved(name):
    with open("m.yaml", "w") as file:
        file.write(MODELS[name])
    done = run("m.yaml", "--device", "cpu", "--no-pictures", "--force")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("words", [["compare", "m.hooke", "nothing.hooke"], ["compare", "m.yaml", "m.hooke"], ["export", "nothing.hooke", "--csv"],
                                   ["export", "m.yaml", "--csv"], ["report", "nothing.hooke"], ["info", "nothing"], ["convert", "m.yaml.gz", "o.msh"],
                                   ["partition", "nothing.msh"], ["run", "m.yaml", "--blocks", "m.yaml", "--force"],
                                   ["run", "m.yaml", "--restart", "nothing.h5", "--force"]], ids=lambda words: " ".join(words[:2]))
def test_file_that_is_not_what_a_verb_takes_is_refused(words):
    solved("elastic")
    done = hooke(*words)
    assert done.returncode == 3 and (words[3] if "--restart" in words else next(w for w in words[1:] if w != "m.hooke" and "." in w or w == "nothing")) in done.stderr, (done.returncode, done.stderr)


@pytest.mark.parametrize("name", ["elastic", "shots", "static"])
def test_results_of_other_shape_differ_in_words(name):
    """another mesh and another model: compared without a fault, and not equal"""
    solved(name)
    shutil.move("m.hooke", "a.hooke")
    solved("heat" if name == "static" else "spectral")
    done = hooke("compare", "a.hooke", "m.hooke", "--tolerance", "1e-3")
    assert done.returncode in (3, 4), (done.returncode, done.stderr)
    assert done.stderr


# ---- counts that the bytes do not justify ----

HUGE = [2**31 - 1, 2**31, 2**40, 2**62]


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20))


def read_within_memory(name, *more):
    """0 or 3 within seconds, in 600 MB; what it says"""
    done = hooke("info", name, *more, preexec_fn=limited, timeout=10)
    assert done.returncode in (0, 3), (done.returncode, done.stderr)
    assert done.returncode == 0 or name in done.stderr
    return done


@pytest.mark.parametrize("count", HUGE)
def test_huge_count_in_msh_2_allocates_nothing(tmp_path, count):
    text = (DATA / "mesh/boxes_22.msh").read_text()
    for section in ("Nodes", "Elements"):
        (tmp_path / "huge.msh").write_text(re.sub(rf"\${section}\n\d+\n", f"${section}\n{count}\n", text))
        assert read_within_memory("huge.msh").returncode == 3


@pytest.mark.parametrize("count", HUGE)
@pytest.mark.parametrize("mesh", ["boxes_22_binary.msh", "boxes_41_binary.msh"])
def test_huge_count_in_a_binary_mesh_allocates_nothing(tmp_path, mesh, count):
    data = (DATA / "mesh" / mesh).read_bytes()
    for section in (b"$Nodes\n", b"$Elements\n", b"$Entities\n"):
        at = data.find(section) + len(section)
        if at < len(section):
            continue
        if b"_22" in mesh.encode():  # counts are text
            end = data.index(b"\n", at)
            changed = [data[:at] + str(count).encode() + data[end:]]
        else:
            changed = [data[:at + 8 * k] + struct.pack("<Q", count) + data[at + 8 * k + 8:] for k in range(4)]
        for text in changed:
            (tmp_path / "huge.msh").write_bytes(text)
            read_within_memory("huge.msh")


@pytest.mark.parametrize("count", HUGE)
@pytest.mark.parametrize("attribute", ["NumberOfPoints", "NumberOfCells", "NumberOfComponents"])
@pytest.mark.parametrize("mesh", ["planes_ascii.vtu", "solids_base64.vtu", "solids_raw_zlib.vtu"])
def test_huge_count_in_a_vtu_allocates_nothing(tmp_path, mesh, attribute, count):
    text = re.sub(rb'(%s)="\d+"' % attribute.encode(), rb'\1="%d"' % count, (DATA / "mesh" / mesh).read_bytes(), count=1)
    (tmp_path / "huge.vtu").write_bytes(text)
    assert read_within_memory("huge.vtu").returncode == 3


@pytest.mark.parametrize("count", HUGE)
@pytest.mark.parametrize("name", ["NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds"])
def test_huge_count_in_a_vtkhdf_allocates_nothing(tmp_path, name, count):
    assert hooke("convert", DATA / "mesh/boxes_41.msh", "huge.vtkhdf").returncode == 0
    with h5py.File("huge.vtkhdf", "r+") as file:
        file[f"VTKHDF/{name}"][0] = count
    assert read_within_memory("huge.vtkhdf").returncode == 3


@pytest.mark.parametrize("count", HUGE)
@pytest.mark.parametrize("place", [12, 16, 24, 32], ids=["size", "nodes", "blocks", "places"])
def test_huge_count_in_a_block_file_allocates_nothing(tmp_path, place, count):
    (tmp_path / "m.yaml").write_text(MODELS["elastic"])
    assert hooke("partition", "m.yaml", "--method", "greedy").returncode == 0
    data = bytearray((tmp_path / "m.blocks").read_bytes())
    wide = 4 if place == 12 else 8
    data[place:place + wide] = (count % 2**(8 * wide)).to_bytes(wide, "little")
    (tmp_path / "m.blocks").write_bytes(data)
    done = run("m.yaml", "--blocks", "m.blocks", "--device", "cpu", "--threads", "1", preexec_fn=limited, timeout=10)
    refused(done, "m.blocks")


def announced(path, name, rows):
    """A result whose dataset has so many rows, none of them stored."""
    with h5py.File(path, "r+") as file:
        shape, kind, attributes = file[name].shape, file[name].dtype, dict(file[name].attrs)
        del file[name]
        wide = file.create_dataset(name, shape=(rows, *shape[1:]), dtype=kind, chunks=(1, *shape[1:]))
        wide.attrs.update(attributes)


@pytest.mark.parametrize("rows", [2**31, 2**40])
@pytest.mark.parametrize("name", ["traces/rx/displacement", "energy/kinetic", "traces/rx/time"])
def test_huge_dataset_in_a_result_allocates_nothing(rows, name):
    solved("elastic")
    announced("m.hooke/run.h5", name, rows)
    for words in (["info", "m.hooke"], ["compare", "m.hooke", "m.hooke"], ["export", "m.hooke", "--csv"]):
        done = hooke(*words, preexec_fn=limited, timeout=20)
        assert done.returncode in (0, 3, 5), (words, done.returncode, done.stderr)
        assert done.returncode == 0 or "error: " in done.stderr, done.stderr
    assert os.path.getsize("m.hooke/run.h5") < 1 << 20
