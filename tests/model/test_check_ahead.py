"""hooke check of large generated meshes answers before they are made: exactly for plain boxes and rectangles, else by an estimate that the exact
answer follows. The library's hk_check, which makes the mesh, is the oracle."""
import json
import os
import resource
import subprocess
import warnings

import pytest

import hooke

CASE = """\
units: {units}
mesh: {mesh}
materials: {{steel: {{young: {young}, poisson: 0.29, density: 7800 kg/m^3}}}}
regions: {{all: steel}}
{more}
sources: [{{set: left, force: 1 N, direction: {along}, signal: {{ricker: {{frequency: {frequency}}}}}}}]
outputs: {{traces: [{{set: right}}, {{at: [{point}]}}], field: {{frames: 10}}}}
solve: {{explicit: {{end: {end}}}}}
"""
MEASURED = ("devices", "check_memory_bytes", "memory_bytes", "memory_free_bytes", "seconds", "seconds_low", "seconds_high", "seconds_beside",
            "shapes_change", "stages")


def write(tmp_path, mesh, more="", plane=False, name="case.yaml", young="210 GPa", frequency="300 Hz", end="1 ms"):
    path = tmp_path / name
    path.write_text(CASE.format(units="{length: m}", mesh=mesh, more=more, along="[1, 0]" if plane else "[1, 0, 0]", young=young,
                                point="[0.5, 0.5]" if plane else "[0.5, 0.5, 0.5]", frequency=frequency, end=end))
    return path


def ahead(path, *words):
    return subprocess.run([os.environ["HOOKE"], "check", str(path), "--device", "cpu", *words], capture_output=True, text=True, timeout=3000)


BOXES = {
    "hex": ("{box: {size: [1, 2, 1], cells: [40, 80, 40]}}", False),
    "unequal cells": ("{box: {from: [-1, 0, 0], size: [2, 2, 2], cells: [128, 32, 32]}}", False),
    "tet": ("{box: {size: [2, 2, 2], cells: 47, shape: tet}}", False),
    "quad": ("{rectangle: {size: [4, 2], cells: [512, 256]}}", True),
    "tri": ("{rectangle: {size: [4, 2], element: 9 mm, shape: tri}}", True),
}


@pytest.mark.parametrize("mesh, plane", BOXES.values(), ids=BOXES)
def test_check_of_a_plain_box_is_that_of_its_mesh(tmp_path, mesh, plane):
    """nodes, elements, dofs, steps, dt, quality, points per wavelength, disk: the same; the volume is the product of the sides"""
    path = write(tmp_path, mesh, plane=plane)
    done = ahead(path, "--json")
    assert done.returncode == 0, done.stderr
    first = json.loads(done.stdout)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        exact = hooke.check(path, device="cpu")
    assert first.keys() == exact.keys() and first["estimated"] is False
    assert sorted(line for line in done.stderr.splitlines() if " warning: " in line) == sorted(str(w.message) for w in told)
    assert first["quality"].pop("volume") == pytest.approx(exact["quality"].pop("volume"), rel=1e-9)
    for labels, key in [(r["quality"], "worst_element") for r in (first, exact)] + [(r, "dt_element") for r in (first, exact)]:
        assert labels.pop(key) > 0  # all are alike: rounding says which
    for key in exact.keys() - set(MEASURED):
        assert close(first[key], exact[key]), (key, first[key], exact[key])


def close(a, b):
    """The same keys and texts, and numbers to the rounding of coordinates."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(close(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(close, a, b))
    return a == pytest.approx(b, rel=1e-9) if isinstance(a, float) else a == b


def test_check_of_a_box_that_no_machine_holds_answers_and_says_that_it_cannot_be_run(tmp_path):
    done = ahead(write(tmp_path, "{box: {size: [1, 1, 1], cells: [640, 640, 600]}}"), "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["counts"]["nodes"] == 641 * 641 * 601 and told["counts"]["elements"] == 640 * 640 * 600
    if told["memory_bytes"] > told["memory_free_bytes"]:
        assert "this machine cannot run it" in done.stderr


@pytest.mark.parametrize("cells, words", [("[1000, 1000, 999]", "degrees of freedom"), ("650", "2.75e+08 elements list 2.2e+09 nodes")])
def test_check_of_a_box_that_cannot_be_numbered_says_so(tmp_path, cells, words):
    done = ahead(write(tmp_path, f"{{box: {{size: [1, 1, 1], cells: {cells}}}}}"), "--json")
    assert done.returncode == 3 and words in done.stderr and "at most 2147483647" in done.stderr


def test_check_of_a_wrong_box_tells_the_errors_of_the_case(tmp_path):
    done = ahead(write(tmp_path, "{box: {size: [1, 1, 1], cells: 850}}", young="210 mm"))
    assert done.returncode == 3 and "210 mm" in done.stderr and not done.stdout


def test_check_of_a_box_whose_traces_have_no_common_interval_tells_the_error(tmp_path):
    """the estimate cannot choose a step: the case is read, and its error told as that of a small box is"""
    path = write(tmp_path, "{rectangle: {size: [1, 1], cells: [400, 400]}}", plane=True)
    path.write_text(path.read_text().replace("{set: right}, {at", "{set: right, interval: 1 us}, {interval: 1.000317 us, name: b, at"))
    done = ahead(path)
    assert done.returncode == 3 and "no common divisor" in done.stderr and not done.stdout


OTHERS = {
    "cylinder": ("{cylinder: {radius: 1, length: 2, across: 50, along: 60}}", "left", "side"),
    "layer": ("{box: {size: [1, 1, 1], cells: 47}}\nabsorb: {sets: [top], kind: stacey}", "left", "left"),
    "order 4": ("{box: {size: [1, 1, 1], cells: 12}}\nelement: {order: 4}", "left", "left"),
}


@pytest.mark.parametrize("mesh, old, new", OTHERS.values(), ids=OTHERS)
def test_estimate_of_another_mesh_comes_first_and_the_exact_answer_follows(tmp_path, mesh, old, new):
    path = write(tmp_path, mesh)
    path.write_text(path.read_text().replace("set: left", f"set: {new}").replace("set: right", "set: top"))
    done = ahead(path, "--json")
    assert done.returncode == 0, done.stderr
    assert "estimated: " in done.stderr and "the exact answer follows" in done.stderr
    exact = json.loads(done.stdout)
    assert exact["estimated"] is False
    about = [float(w) for w in done.stderr.split("estimated: ")[1].replace(",", "").split() if w.isdigit()]
    assert about[0] == pytest.approx(exact["counts"]["nodes"], rel=0.4)
    assert about[2] == pytest.approx(exact["counts"]["steps"], rel=0.4)


STILL = {
    "static": "boundary: [{set: left, fix: [x, y, z]}, {set: right, traction: [1, 0, 0]}]\nsolve: {static: {}}",
    "static, tet": "boundary: [{set: left, fix: [x, y, z]}, {set: right, traction: [1, 0, 0]}]\nsolve: {static: {}}",
    "heat": "physics: heat\nboundary: [{set: left, temperature: 1}, {set: right, temperature: 0}]\nsolve: {heat: {}}",
}


@pytest.mark.parametrize("name", STILL)
def test_estimate_of_a_static_case_comes_first(tmp_path, name):
    """nodes, elements, dofs as in the exact answer; disk and memory to a fifth, what is held to a tenth"""
    cells = "47, shape: tet" if "tet" in name else "52"
    material = "conductivity: 50" if name == "heat" else "young: 1, poisson: 0.3"
    (tmp_path / "case.yaml").write_text(f"mesh: {{box: {{size: [1, 1, 1], cells: {cells}}}}}\nmaterials: {{m: {{{material}}}}}\n{STILL[name]}\n")
    given = []
    exact = hooke.check(tmp_path / "case.yaml", device="cpu", first=given.append)
    first, = given
    assert first["estimated"] is True and exact["estimated"] is False and first.keys() == exact.keys()
    held = (first["counts"].pop("constrained_dofs"), exact["counts"].pop("constrained_dofs"))
    assert first["counts"] == exact["counts"] and held[0] == pytest.approx(held[1], rel=0.1)
    assert first["disk_bytes"] == pytest.approx(exact["disk_bytes"], rel=0.2) and first["memory_bytes"] == pytest.approx(exact["memory_bytes"], rel=0.2)
    assert first["quality"]["shortest_edge"] == pytest.approx(exact["quality"]["shortest_edge"], rel=0.1)


@pytest.mark.parametrize("name", ["static", "order 4"])
def test_check_of_a_mesh_that_the_memory_does_not_hold_answers_with_the_estimate(tmp_path, name):
    """the mesh is not made: 6 GB of it where 2 GB may be used; the estimate is the answer, and a warning says so"""
    case = {"mesh": {"box": {"size": [1, 1, 1], "cells": 230}}, "materials": {"m": {"density": 1, "young": 1, "poisson": 0.3}},
            "boundary": [{"set": "left", "fix": ["x", "y", "z"]}, {"set": "right", "traction": [1, 0, 0]}], "solve": {"static": {}}}
    if name == "order 4":
        case |= {"element": {"order": 4}, "boundary": [], "solve": {"explicit": {"end": 1e-4}},
                 "sources": [{"set": "left", "force": 1, "direction": [1, 0, 0], "signal": {"ricker": {"frequency": 1}}}]}
        case["mesh"]["box"]["cells"] = 58
    (tmp_path / "case.json").write_text(json.dumps(case))
    limit = 2 << 30
    done = subprocess.run([os.environ["HOOKE"], "check", str(tmp_path / "case.json"), "--device", "cpu", "--threads", "2", "--json"], capture_output=True, text=True, timeout=3000,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["estimated"] is True and told["counts"]["nodes"] == (231 if name == "static" else 233) ** 3
    assert told["memory_bytes"] >= told["check_memory_bytes"] > limit
    assert "the mesh is not checked" in done.stderr and "this machine cannot run it" in done.stderr


@pytest.mark.parametrize("ending", ["msh", "vtu"])
def test_size_of_a_mesh_file_comes_first(tmp_path, ending):
    """nodes of the head; elements of boundaries are counted in .msh, so at most as many more as the box has faces"""
    case = {"mesh": {"box": {"size": [1, 1, 1], "cells": 47}}, "materials": {"m": {"density": 1, "young": 1, "poisson": 0.3}},
            "sources": [{"set": "left", "force": 1, "direction": [1, 0, 0]}], "solve": {"explicit": {"end": 1e-3}}}
    mesh = tmp_path / f"part.{ending}"
    hooke.Model.of(case).mesh.write(mesh)
    given = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exact = hooke.check({**case, "mesh": str(mesh)}, device="cpu", first=given.append)
    assert [g["counts"]["nodes"] for g in given] == [48 ** 3] == [exact["counts"]["nodes"]]
    assert given[0]["counts"]["elements"] == 47 ** 3 + (6 * 47 ** 2 if ending == "msh" else 0)
    assert 0 < given[0]["memory_bytes_at_least"] < exact["memory_bytes"]


@pytest.mark.parametrize("plane, shapes", [("strain", 1), ("axisymmetric", None)])
def test_shapes_of_rings_are_not_counted(tmp_path, plane, shapes):
    """K_e of a ring depends on its radius too, so that one matrix for each shape would not do"""
    path = tmp_path / "case.yaml"
    path.write_text("{units: none, plane: %s, mesh: {rectangle: {size: [1, 1], cells: [4, 4]}}, materials: {m: {young: 1, poisson: 0.3, density: 1}}, "
                    "sources: [{set: right, force: 1, direction: [1, 0], signal: {ricker: {frequency: 0.1}}}], outputs: {traces: [{set: top}]}, "
                    "solve: {explicit: {end: 1}}}" % plane)
    done = ahead(path, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["shapes"] == shapes
