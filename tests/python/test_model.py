"""Models in code are case files: the parts have the schema's keys, and the results are the same."""
import dataclasses
import json
import re

import numpy as np
import pytest

import hooke
import models

C = [f"c{i}{j}" for i in range(1, 7) for j in range(i, 7)]


def schema(*keys):
    """Properties at a path of the schema; [] enters lists, anyOf is searched for the one with properties."""
    at = hooke.schema()
    for key in keys:
        at = next((a for a in at["anyOf"] if "properties" in a), at["anyOf"][0]) if "anyOf" in at else at
        at = at["items"] if key == "[]" else at["additionalProperties"] if key == "<name>" else at["properties"][key]
    at = next(a for a in at["anyOf"] if "properties" in a) if "anyOf" in at else at
    return set(at["properties"])


@pytest.mark.parametrize("part, keys", [
    (hooke.Boundary, ["boundary", "[]"]), (hooke.Source, ["sources", "[]"]), (hooke.Initial, ["initial", "[]"]), (hooke.Absorb, ["absorb"]),
    (hooke.Crack, ["crack"]), (hooke.Place, ["sets", "<name>"]), (hooke.TraceOutput, ["outputs", "traces", "[]"]), (hooke.FieldOutput, ["outputs", "field"]),
    (hooke.PeakOutput, ["outputs", "peak"]),
    (hooke.PrintOutput, ["outputs", "print", "[]"]), (hooke.PictureOutput, ["outputs", "picture"]), (hooke.Array, ["shots", "array"]), (hooke.Explicit, ["solve", "explicit"]),
    (hooke.Static, ["solve", "static"]), (hooke.Heat, ["solve", "heat"]), (hooke.Coupled, ["solve", "coupled"]),
    *((kind, ["sources", "[]", "signal", kind.key]) for kind in (hooke.Toneburst, hooke.Gaussian, hooke.Ricker, hooke.Step, hooke.Table))])
def test_parts_have_the_keys_of_the_case_file(part, keys):
    names = {f.name.rstrip("_") for f in dataclasses.fields(part)}
    assert names - ({"scale"} if "signal" in keys else set()) == schema(*keys)


def test_a_material_has_the_keys_of_the_case_file():
    names = {f.name.rstrip("_") for f in dataclasses.fields(hooke.Material)}
    assert (names - {"stiffness"}) | set(C) == schema("materials", "<name>")


def test_a_model_takes_the_keys_of_the_case_file():
    import inspect
    names = set(inspect.signature(hooke.Model).parameters) - {"name", "folder", "run_gmsh", "more"}
    assert names == set(hooke.schema()["properties"])


def orthotropic():
    """c[6][6] of a material stiffer along x, and turned, so that no two rows are alike."""
    c = np.diag([30.0, 12, 10, 3, 4, 5]) + 0.1 * np.arange(36).reshape(6, 6) / 36
    c[:3, :3] += [[0, 5, 4], [5, 0, 3], [4, 3, 0]]
    return (c + c.T) / 2


def triangles(c):
    return {"upper": np.triu(c), "lower": np.tril(c), "upper rows": [list(row[i:]) for i, row in enumerate(c)],
            "lower rows": [list(row[:i + 1]) for i, row in enumerate(c)], "single": c.astype(np.float32).tolist(),
            "None below": [[c[i, j] if i <= j else None for j in range(6)] for i in range(6)],
            "rounded": c * (1 + 1e-12 * np.arange(36).reshape(6, 6)), "texts": [[f"{v} Pa" for v in row] for row in c.tolist()]}


def pulled(stiffness):
    """Displacements of a cube that is pulled and sheared."""
    model = hooke.Model({"box": {"size": [1, 1, 1], "cells": 2}}, hooke.Material(stiffness=stiffness), solve=hooke.Static(),
                        boundary=[hooke.Boundary(set="left", fix=["x", "y", "z"]), hooke.Boundary(set="right", traction=[1, 2, 3])])
    return model.system(device="cpu").solve()


@pytest.mark.parametrize("form", triangles(np.eye(6)))
def test_stiffness_is_a_symmetric_matrix_or_a_triangle_of_it(form):
    """Each form gives the same c11 ... c66, and the same displacements."""
    c = orthotropic()
    case = hooke.Material(stiffness=triangles(c)[form]).case()
    assert set(case) == set(C)
    got = [case[k] if not isinstance(case[k], str) else float(case[k].split()[0]) for k in C]
    assert np.allclose(got, c[np.triu_indices(6)], rtol=2e-7, atol=0)
    u = pulled(c)
    assert np.abs(pulled(triangles(c)[form]) - u).max() <= 1e-6 * np.abs(u).max()


@pytest.mark.parametrize("wrong", [np.arange(36).reshape(6, 6), np.triu(np.ones((6, 6))) + 2 * np.tril(np.ones((6, 6)), -1), np.eye(5), np.arange(21),
                                   {"c11": 1}, 7, "210 GPa", [[1] * 6] * 5, [[[1]] * (6 - i) for i in range(6)], np.full((6, 6), np.nan),
                                   [["1 Pa" if i == j else f"{i} Pa" for j in range(6)] for i in range(6)]])
def test_what_is_no_stiffness_is_refused(wrong):
    with pytest.raises(hooke.Usage, match="stiffness must be a matrix of 6 by 6"):
        hooke.Material(density=1, stiffness=wrong).case()


def test_signals_and_solve_are_maps_of_one_key():
    burst = hooke.Toneburst(frequency="5 MHz", cycles=np.float32(3), scale=2)
    assert burst.case() == {"toneburst": {"frequency": "5 MHz", "cycles": 3.0}, "scale": 2}
    assert hooke.Heat(method="cg").case() == {"heat": {"method": "cg"}}
    assert hooke.Crack(sets=["a"], closed=True).case() == {"sets": ["a"], "closed": "yes"}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def in_code(mesh):
    """The plate of the example, smaller and without an absorbing rim."""
    return hooke.Model(
        mesh, hooke.Material(density="7850 kg/m^3", young="210 GPa", poisson=0.3), units={"length": "mm", "mass": "kg", "time": "us"},
        boundary=[hooke.Boundary(set="bottom", fix=["x", "y"])],
        sources=[hooke.Source(at=[15, 15], force="1 N", direction=[0, -1], signal=hooke.Toneburst(frequency="0.5 MHz", cycles=3))],
        outputs=[hooke.TraceOutput(name="rx", at=[[18, 15]], quantity="velocity"), hooke.FieldOutput(quantity="velocity", frames=4)],
        solve=hooke.Explicit(end="4 us"))


RECTANGLE = {"rectangle": {"size": ["30 mm", "15 mm"], "element": "0.5 mm", "shape": "tri"}}
FILE = """
mesh: {rectangle: {size: [30 mm, 15 mm], element: 0.5 mm, shape: tri}}
units: {length: mm, mass: kg, time: us}
materials: {steel: {density: 7850 kg/m^3, young: 210 GPa, poisson: 0.3}}
boundary: [{set: bottom, fix: [x, y]}]
sources:
  - {at: [15, 15], force: 1 N, direction: [0, -1], signal: {toneburst: {frequency: 0.5 MHz, cycles: 3}}}
outputs:
  traces: [{name: rx, at: [[18, 15]], quantity: velocity}]
  field: {quantity: velocity, frames: 4}
solve: {explicit: {end: 4 us}}
"""


@pytest.mark.filterwarnings("ignore::hooke.HookeWarning")
def test_a_model_in_code_is_solved_as_the_same_case_file_bit_by_bit(here):
    """By the generator's dict, by a mesh of numpy arrays, and by the file."""
    (here / "file.yaml").write_text(FILE)
    options = {"device": "cpu", "threads": 1, "pictures": False}
    by_file = hooke.run("file.yaml", **options)
    made = in_code(RECTANGLE)
    by_dict = made.run(output="dict", **options)
    mesh = made.mesh
    copy = hooke.Mesh.from_arrays(np.array(mesh.x), {b.shape: np.array(b.node) for b in mesh.blocks},
                                  node_sets={name: np.array(s) for name, s in mesh.node_sets.items()})
    by_arrays = in_code(copy).run(output="arrays", **options)
    expected = models.data(by_file.path)
    assert expected["traces/rx/velocity"].any()
    for result in (by_dict, by_arrays):
        got = models.data(result.path)
        assert got.keys() == expected.keys() and all(np.array_equal(got[k], expected[k]) for k in got)
    assert np.array_equal(by_arrays.field[-1].velocity, by_file.field[-1].velocity)


def test_a_dict_may_hold_a_mesh():
    mesh = hooke.Model.of_case(models.bar()).mesh
    pulled = [{"set": "left", "fix": ["x", "y"]}, {"set": "right", "move": {"x": 1e-3}}]
    copy = hooke.Mesh.from_arrays(np.array(mesh.x), {b.shape: np.array(b.node) for b in mesh.blocks},
                                  node_sets={name: np.array(mesh.node_sets[name]) for name in ("left", "right")})
    case = {**models.bar(), "mesh": copy, "boundary": pulled}
    assert hooke.Model.of(case).mesh.node_count == mesh.node_count and case["mesh"] is copy
    with pytest.raises(hooke.Usage, match="given twice"):
        hooke.Model.of_case(case, mesh=case["mesh"])


def test_a_dict_is_a_case(here):
    result = hooke.run(models.bar(), pictures=False)
    assert result.path.name == "model.hooke"
    x, u = result.static[0].coordinates[:, 0], result.static[0].displacement["x"]
    assert np.allclose(u, 2e6 / 210e9 * x, rtol=1e-9, atol=0)


def test_errors_of_a_model_in_code_come_all_at_once_and_name_it():
    with pytest.raises(hooke.BadInput) as caught:
        hooke.Model(mesh=RECTANGLE, materials=hooke.Material(density="1 s", young=1), name="mine",
                    boundary=[hooke.Boundary(set="lft", fix="x")], solve=hooke.Static(), sovle=1).check()
    errors = [m for m in caught.value.messages if m.severity == "error"]
    assert len(errors) >= 2 and all(m.file == "mine" and m.line > 0 for m in errors)
    assert 'did you mean "solve"' in str(caught.value)


def test_the_line_of_a_message_is_that_of_the_text():
    model = hooke.Model.of_case(models.bar(thicknes=1))
    with pytest.raises(hooke.BadInput) as caught:
        model.check()
    line = model.text().splitlines()[caught.value.messages[0].line - 1]
    assert "thicknes" in line


def test_overrides(here):
    model = hooke.Model.of_case(models.bar(), set={"materials.steel.young": "105 GPa"})
    assert hooke.run(model, pictures=False, set={"boundary": [{"set": "left", "fix": ["x", "y"]}, {"set": "right", "move": {"x": 0.5}}]},
                     ).static[0].displacement["x"].max() == pytest.approx(0.5)
    assert hooke.run(model, pictures=False, force=True).static[0].displacement["x"].max() == pytest.approx(2 * 2e6 / 105e9)


def test_paths_begin_at_the_folder(here):
    (here / "sub").mkdir()
    hooke.Model.of_case(models.bar()).mesh.write(here / "sub/bar.msh")
    case = {key: value for key, value in models.bar().items() if key != "mesh"}
    assert hooke.Model(mesh="bar.msh", folder=here / "sub", **case).mesh.node_count == 15


def test_check_tells_what_a_run_takes(here):
    models.plate(here)
    with pytest.warns(hooke.HookeWarning, match="points per shortest wavelength"):
        told = hooke.check("plate.yaml", set=models.SIZE)
    assert told["counts"]["nodes"] == 61 * 31 and 0 < told["dt"] < 0.2 and told["memory_bytes"] > 0
    assert json.dumps(told)


def test_a_model_is_read_once(here):
    models.plate(here)
    model = hooke.Model.read("plate.yaml")
    (here / "plate.yaml").unlink()
    assert model.mesh.node_count == 201 * 101 and re.search("plate", repr(model))


@pytest.mark.parametrize("bad", [None, 7, "", "no/such.yaml", {}, {"mesh": 1}, {"solve": {"static": None}}, "a\0b"])
def test_what_is_no_model_is_an_error(here, bad):
    with pytest.raises((hooke.Error, TypeError, ValueError)):
        hooke.check(bad)


def test_an_empty_value_of_a_dict_stays(here):
    """{"static": None} is what readers of YAML make of `static:`; an argument that is None is not there."""
    case = {**models.bar(), "solve": {"static": None}}
    assert hooke.Model.of_case(case).case["solve"] == {"static": None}
    assert np.array_equal(hooke.System(case, device="cpu").solve(), hooke.System(models.bar(), device="cpu").solve())
    assert hooke.Model(solve={"static": None}, title=None).case == {"solve": {"static": None}}
    assert hooke.Source(at=[None, 1]).case() == {"at": [None, 1]}


def test_outputs_are_parts_or_the_cases_map():
    trace, field = hooke.TraceOutput(set="a"), hooke.FieldOutput(frames=2)
    assert hooke.Model(outputs=field).case == {"outputs": {"field": {"frames": 2}}}
    assert hooke.Model(outputs=[trace, trace, field]).case == {"outputs": {"traces": [{"set": "a"}] * 2, "field": {"frames": 2}}}
    assert hooke.Model(sources=hooke.Source(set="a")).case == {"sources": [{"set": "a"}]}
    with pytest.raises(hooke.Usage, match="two FieldOutputs are given"):
        hooke.Model(outputs=[field, field])
    assert hooke.Model(outputs=[field, hooke.PeakOutput(quantity="velocity")]).case["outputs"]["peak"] == {"quantity": "velocity"}
    with pytest.raises(hooke.Usage, match="two PeakOutputs are given"):
        hooke.Model(outputs=[hooke.PeakOutput()] * 2)
    with pytest.raises(hooke.Usage, match="as dicts, outputs are one map of the case"):
        hooke.Model(outputs=[{"set": "a"}])


@pytest.mark.parametrize("title", ["x \U0001f600", "\u03c3 \x7f \x85 \u2028 \ufeff", 'a "b" \\ud83d'])
def test_texts_of_any_language_go_through(here, title):
    model = hooke.Model.of_case(models.bar(title=title), set={"materials": {title: models.bar()["materials"]["steel"]}})
    assert json.loads(model.text())["title"] == title
    assert hooke.run(model, device="cpu", pictures=False).summary["title"] == title


@pytest.mark.parametrize("value", [{1, 2}, (i for i in range(2)), b"x", 1j, np.array([1j]), object(), len])
def test_what_a_case_cannot_hold_is_refused(value):
    with pytest.raises(hooke.Usage, match="cannot be part of a case"):
        hooke.Model(title=value)


def test_units_none():
    """units="none": plain numbers are taken, a number with a unit is an error that says so."""
    def model(density):
        return hooke.Model(mesh={"rectangle": {"size": [2, 1], "cells": [2, 1]}}, units="none", boundary=[{"set": "left", "fix": ["x", "y"]}],
                           materials={"m": {"density": density, "young": 1, "poisson": 0.3}}, sources=[{"gravity": [0, -1]}],
                           solve={"static": {}})
    assert model(1).mesh.element_count == 2
    with pytest.raises(hooke.BadInput, match="the case has units: none"):
        model("1 kg/m^3").mesh
