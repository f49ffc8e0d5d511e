"""Wrong input ends in 3 with the file, the line and the name of what is wrong; nothing is dropped silently."""
import json
import re

import pytest

from command import DATA, hooke, line_of, refused, run
from decks import strip

CASE = """\
units: {length: mm, mass: kg, time: us}
mesh: {rectangle: {size: [4, 2], cells: [4, 2]}}
materials: {steel: {density: 7850 kg/m^3, young: 210 GPa, poisson: 0.3}}
regions: {all: steel}
sources:
  - {at: [2, 2], force: 1 N, direction: [0, -1], signal: {toneburst: {frequency: 0.2 MHz, cycles: 3}}}
outputs: {traces: [{name: rx, set: top}]}
solve: {explicit: {end: 5 us}}
"""


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def changed(tmp_path, old, new, text=None, name="bad.inp"):
    text = strip() if text is None else text
    assert old in text
    (tmp_path / name).write_text(text.replace(old, new, 1))
    return tmp_path / name


WRONG_DECKS = {
    "keyword": ("*CLOAD, AMP", "*CLAOD, AMP", "*CLAOD"),
    "unbuilt keyword": ("*STEP\n", "*CONTACT PAIR, INTERACTION=I\nA, B\n*STEP\n", "CONTACT PAIR"),
    "plasticity": ("*SOLID", "*PLASTIC\n1e8, 0.\n*SOLID", "PLASTIC"),
    "element": ("TYPE=CPE4", "TYPE=S4R", "S4R"),
    "node": ("20, 20, 21, 42, 41", "20, 20, 21, 4242, 41", "4242"),
    "load's set": ("LEFT, 1, 1000.", "LEFTY, 1, 1000.", "LEFTY"),
    "output's set": ("NSET=RIGHT\nU", "NSET=WRIGHT\nU", "WRIGHT"),
    "section's set": ("ELSET=BODY, MATERIAL", "ELSET=BUDDY, MATERIAL", "BUDDY"),
    "material": ("MATERIAL=STEEL", "MATERIAL=STEAL", "STEAL"),
    "amplitude": ("AMPLITUDE=PULSE", "AMPLITUDE=PULS", "PULS"),
    "parameter": ("NSET=RIGHT\nU", "NEST=RIGHT\nU", "NEST"),
    "number": ("7800.", "78oo.", "78oo."),
    "not a number": ("7800.", "nan", "nan"),
    "infinite": ("2e-6, 1.", "2e-6, inf", "inf"),
    "times that go back": ("4e-6, 0., 1., 0.", "1e-6, 0., 1., 0.", "1e-06"),
    "negative density": ("7800.", "-7800.", "*DENSITY: -7800"),
    "zero density": ("7800.", "0.", "*DENSITY: 0"),
    "Young's modulus": ("210.e9", "-210.e9", "-2.1e+11"),
    "no stiffness": ("210.e9", "0.", "0"),
    "Poisson's ratio": ("210.e9, 0.3", "210.e9, 0.5", "0.5"),
    "short element": ("20, 20, 21, 42, 41", "20, 20, 21, 42", "4"),
    "duration": (", 2e-5", ", 0.", "0"),
    "endless steps": (", 2e-5", ", 1e300", "too many"),
    "huge label": ("20, 20, 21, 42, 41", "20, 20, 21, 99999999999999999999, 41", "99999999999999999999"),
    "missing file": ("*STEP\n", "*INCLUDE, INPUT=nowhere.inp\n*STEP\n", "nowhere.inp"),
}


@pytest.mark.parametrize("name", WRONG_DECKS)
def test_wrong_deck_is_refused_at_its_line(tmp_path, name):
    old, new, word = WRONG_DECKS[name]
    path = changed(tmp_path, old, new)
    for verb in (["check"], ["run", "--progress", "none"]):
        done = hooke(verb[0], path.name, *verb[1:])
        refused(done, word)
        assert re.search(r"bad\.inp:\d+(:\d+)?: error: ", done.stderr), done.stderr
    assert not (tmp_path / "bad.hooke").exists()


@pytest.mark.parametrize("name", ["keyword", "element", "load's set", "material", "section's set"])
def test_misspelt_word_is_answered_with_the_near_one_on_its_own_line(tmp_path, name):
    old, new, word = WRONG_DECKS[name]
    path = changed(tmp_path, old, new)
    done = hooke("check", path.name)
    assert re.search(rf"bad\.inp:{line_of(path, word)}(:\d+)?: error: ", done.stderr), done.stderr
    assert "did you mean" in done.stderr or name == "element", done.stderr


def test_missing_density_is_refused(tmp_path):
    refused(run(changed(tmp_path, "*DENSITY\n7800.\n", "").name), "STEEL", "*DENSITY is missing")


def test_missing_elastic_constants_are_refused(tmp_path):
    refused(run(changed(tmp_path, "*ELASTIC\n210.e9, 0.3\n", "").name), "STEEL", "*ELASTIC is missing")


def test_missing_end_of_step_is_refused(tmp_path):
    path = changed(tmp_path, "*END STEP\n", "")
    refused(run(path.name), "*END STEP", f"bad.inp:{line_of(path, '*STEP')}")


def test_second_step_that_does_not_end(tmp_path):
    """Its outputs were counted to the first step's, below where they begin: out of memory."""
    text = strip()
    second = text[text.index("*STEP"):].replace("*END STEP\n", "")
    (tmp_path / "bad.inp").write_text(text + second)
    refused(run("bad.inp"), "*END STEP", f"bad.inp:{text.count(chr(10)) + 1}")


def test_loads_in_a_part_without_instance(tmp_path):
    """The part has no piece of the mesh, in whose names a near one was looked for."""
    text = strip()
    part = "*PART, NAME=PLATE\n*NODE\n1, 0., 0.\n*STEP\n*STATIC\n*DLOAD\nRIM, P1, 1.\n*END STEP\n"
    (tmp_path / "bad.inp").write_text(text[:text.index("*STEP")] + part)
    refused(run("bad.inp"), "RIM")


def test_missing_section_counts_the_elements_without_material(tmp_path):
    refused(run(changed(tmp_path, "*SOLID SECTION, ELSET=BODY, MATERIAL=STEEL\n,\n", "").name), "20 elements")


def test_file_that_includes_itself_is_refused(tmp_path):
    refused(run(changed(tmp_path, "*STEP\n", "*INCLUDE, INPUT=bad.inp\n*STEP\n").name), "bad.inp", "includes")


WRONG_CASES = {
    "key": ("density:", "denstiy:", "density"),
    "unit": ("7850 kg/m^3", "7850 kg/m^2", "kg/m^2"),
    "set": ("set: top", "set: tpo", "top"),
    "material": ("all: steel", "all: steal", "steel"),
    "Poisson's ratio": ("poisson: 0.3", "poisson: 0.5", "Poisson's ratio is 0.5"),
    "Young's modulus": ("210 GPa", "-210 GPa", "young"),
    "density": ("7850 kg", "0 kg", "density"),
    "infinite": ("force: 1 N", "force: .inf", ".inf"),
    "not a number": ("force: 1 N", "force: nan N", "nan"),
    "key twice": ("regions:", "units: {}\nregions:", "units"),
    "point outside": ("at: [2, 2]", "at: [20, 2]", "[20, 2"),
    "half a list": ("at: [2, 2]", "at: [2, 2", ""),
    "list of materials": ("{steel: {density: 7850 kg/m^3, young: 210 GPa, poisson: 0.3}}\nregions: {all: steel}", "[{density: 7850 kg/m^3}]", "materials"),
    "region": ("all: steel", "al: steel", "all"),
    "too many cells": ("cells: [4, 2]", "cells: [2000000000, 2000000000]", "4e+18 nodes"),
}


@pytest.mark.parametrize("name", WRONG_CASES)
def test_wrong_case_is_refused_at_its_line(tmp_path, name):
    old, new, word = WRONG_CASES[name]
    path = changed(tmp_path, old, new, CASE, "bad.yaml")
    done = run(path.name)
    refused(done, word)
    assert re.search(r"bad\.yaml:\d+(:\d+)?: error: ", done.stderr), done.stderr


def test_all_errors_of_a_deck_are_said_at_once(tmp_path):
    text = strip()
    for old, new in [("7800.", "-1."), ("MATERIAL=STEEL\n,", "MATERIAL=STEAL\n,"),
                     ("AMPLITUDE=PULSE\n", "AMPLITUDE=PULS\n"), ("NSET=RIGHT\nU", "NSET=WRIGHT\nU")]:
        text = text.replace(old, new)
    (tmp_path / "bad.inp").write_text(text)
    done = hooke("check", "bad.inp")
    refused(done, "*DENSITY: -1", "STEAL", "PULS", "WRIGHT")
    assert done.stderr.count(": error: ") >= 4


def test_all_errors_of_a_case_are_said_at_once(tmp_path):
    text = CASE.replace("density", "dnsity").replace("force: 1 N", "force: 1 m").replace("end: 5 us", "end: soon")
    (tmp_path / "bad.yaml").write_text(text)
    done = hooke("check", "bad.yaml")
    refused(done, "dnsity", "1 m", "soon")
    assert done.stderr.count(": error: ") >= 3


@pytest.mark.parametrize("verb", ["run", "check"])
def test_json_of_a_failure_is_json_or_nothing_and_messages_are_on_stderr(tmp_path, verb):
    path = changed(tmp_path, "MATERIAL=STEEL\n,", "MATERIAL=STEAL\n,")
    done = hooke(verb, path.name, "--json")
    assert done.returncode == 3 and "STEAL" in done.stderr
    assert "error:" not in done.stdout
    if done.stdout:
        json.loads(done.stdout)


# ---- meshes ----


def folded(count):
    """A strip whose first `count` squares are folded: two neighbouring corners change places."""
    lines = strip(20).splitlines()
    at = lines.index("*ELEMENT, TYPE=CPE4, ELSET=BODY")
    for k in range(count):
        label, a, b, c, d = lines[at + 1 + k].split(", ")
        lines[at + 1 + k] = ", ".join([label, b, a, c, d])
    return "\n".join(lines) + "\n"


def test_folded_elements_are_counted_and_ten_are_listed_with_their_jacobian(tmp_path):
    (tmp_path / "bad.inp").write_text(folded(13))
    done = hooke("check", "bad.inp")
    refused(done, "13 inverted or folded")
    listed = re.findall(r"element (\d+)[^\n]*?Jacobian", done.stderr)
    assert listed[:10] == [str(k) for k in range(1, 11)] and len(listed) <= 10, done.stderr


def test_flat_element_is_refused(tmp_path):
    path = changed(tmp_path, "42, 0.0200, 0.0010", "42, 0.0200, 0.0000")
    path.write_text(path.read_text().replace("41, 0.0190, 0.0010", "41, 0.0190, 0.0000"))
    refused(hooke("check", "bad.inp"), "element 20", "Jacobian")


def test_element_with_a_corner_twice_is_warned_of(tmp_path):
    path = changed(tmp_path, "20, 20, 21, 42, 41", "20, 20, 21, 42, 42")
    done = hooke("check", path.name)
    assert done.returncode == 0 and "warning: element 20 is badly shaped" in done.stderr, done.stderr


def test_clockwise_elements_are_turned_with_one_counted_warning(tmp_path):
    lines = strip(20).splitlines()
    at = lines.index("*ELEMENT, TYPE=CPE4, ELSET=BODY")
    for k in range(20):
        label, a, b, c, d = lines[at + 1 + k].split(", ")
        lines[at + 1 + k] = ", ".join([label, d, c, b, a])
    (tmp_path / "turned.inp").write_text("\n".join(lines) + "\n")
    done = hooke("check", "turned.inp")
    assert done.returncode == 0, done.stderr
    turned = [line for line in done.stderr.splitlines() if "warning" in line and "clockwise" in line]
    assert len(turned) == 1 and "20" in turned[0], done.stderr


def test_orphan_nodes_are_counted(tmp_path):
    path = changed(tmp_path, "*ELEMENT", "777, 1., 1.\n778, 2., 1.\n*ELEMENT")
    done = hooke("check", path.name)
    assert done.returncode == 0 and re.search(r"warning: .*\b2 nodes", done.stderr), done.stderr


def test_parts_are_counted(tmp_path):
    lines = strip(20).splitlines()
    lines.remove("10, 10, 11, 32, 31")
    (tmp_path / "parts.inp").write_text("\n".join(lines) + "\n")
    done = hooke("check", "parts.inp")
    assert done.returncode == 0 and re.search(r"warning: .*\b2 (separate )?parts", done.stderr), done.stderr


# ---- counts that the bytes do not justify ----

HUGE = [2**31, 2**40, 2**62, 2**63 - 1]


def limited(megabytes):
    import resource
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


@pytest.mark.parametrize("count", HUGE)
@pytest.mark.parametrize("section", ["Nodes", "Elements", "PhysicalNames", "Entities"])
def test_huge_count_in_a_mesh_header_allocates_nothing(tmp_path, section, count):
    text = (DATA / "mesh/boxes_41.msh").read_text()
    head = re.search(rf"\${section}\n([^\n]*)\n", text)
    words = head.group(1).split()
    for k in range(len(words)):
        line = " ".join(words[:k] + [str(count)] + words[k + 1:])
        (tmp_path / "huge.msh").write_text(text.replace(head.group(0), f"${section}\n{line}\n"))
        done = hooke("info", "huge.msh", preexec_fn=limited(600), timeout=10)
        assert done.returncode in (0, 3), (line, done.returncode, done.stderr)
        if done.returncode == 3:
            assert "huge.msh" in done.stderr


@pytest.mark.parametrize("count", HUGE)
def test_huge_range_of_a_set_allocates_nothing(tmp_path, count):
    path = changed(tmp_path, "*MATERIAL", f"*NSET, NSET=WIDE, GENERATE\n1, {count}, 1\n*MATERIAL")
    refused(hooke("check", path.name, preexec_fn=limited(600), timeout=10), "bad.inp:")


@pytest.mark.parametrize("name", ["n" * 151, "n" * 255, "..", "-rf", "a\\nb", "a\\u001b[2Jb", "a\\\\b", "\\u202eb"], ids=repr)
@pytest.mark.parametrize("verb", ["check", "run"])
def test_trace_whose_name_no_file_can_have_is_refused_before_it_is_solved(tmp_path, verb, name):
    (tmp_path / "m.json").write_text('{"mesh": {"rectangle": {"size": [2, 1], "cells": [8, 4]}}, "materials": {"m": {"density": 1, "young": 1, "poisson": 0.3}}, '
                                     '"sources": [{"at": [1, 1], "force": 1, "direction": [0, -1], "signal": {"ricker": {"frequency": 0.5}}}], '
                                     f'"outputs": {{"traces": [{{"name": "{name}", "set": "right"}}]}}, "solve": {{"explicit": {{"end": 8}}}}}}')
    refused(hooke(verb, "m.json"), "m.json:1", "trace", "name")
    assert not (tmp_path / "m.hooke").exists()


@pytest.mark.parametrize("name", ["n" * 151, "-RIGHT"])
def test_set_of_a_deck_whose_name_no_file_can_have_is_refused_as_a_trace(tmp_path, name):
    (tmp_path / "m.inp").write_text(strip().replace("NSET=RIGHT", f"NSET={name}"))
    refused(hooke("check", "m.inp"), "m.inp:", "trace", "name")
