"""The functions of matlab/, run by Octave: what they read is what h5py reads, what they write hooke takes."""
import json
import os
import pathlib
import re
import subprocess

import h5py
import numpy as np
import pytest
from scipy.io import loadmat, savemat

HOOKE = os.environ["HOOKE"]
FUNCTIONS = pathlib.Path(os.environ["HOOKE_SOURCE"]) / "matlab"
PULSE = {"toneburst": {"frequency": "1 MHz", "cycles": 2}}
SOURCE = {"at": [2.3, 6], "force": "1 kN", "direction": [0, -1], "signal": PULSE}
CASE = {
    "units": {"length": "mm", "time": "us"},
    "mesh": {"rectangle": {"size": [12, 6], "cells": [12, 6]}},
    "materials": {"steel": {"density": "7850 kg/m^3", "young": "210 GPa", "poisson": 0.3}},
    "sources": [SOURCE],
    "outputs": {"traces": [{"name": "receivers", "set": "top", "quantity": ["displacement", "velocity"]},
                           {"name": "2-p", "at": [[5.1, 2.2], [1, 1]], "quantity": "acceleration", "every": 3}],
                "field": {"quantity": ["velocity", "displacement"], "frames": 4}},
    "solve": {"explicit": {"end": 5}},
}
SHOTS = {**{key: value for key, value in CASE.items() if key != "sources"}, "shots": [SOURCE, {**SOURCE, "at": [7, 6]}, SOURCE],
         "outputs": {**CASE["outputs"], "field": {**CASE["outputs"]["field"], "shots": [1, 3]}}}
HEAT = {"physics": "heat", "mesh": {"box": {"size": [2, 1, 1], "cells": [2, 1, 1]}},
        "materials": {"iron": {"conductivity": 80}},
        "boundary": [{"set": "left", "temperature": 0}, {"set": "right", "temperature": 100}], "solve": {"heat": {}}}
MIXED = """*NODE
10, 0., 0.
20, 1., 0.
30, 2., 0.
40, 0., 1.
50, 1., 1.
60, 2., 1.
*ELEMENT, TYPE=CPE4, ELSET=SQUARE
7, 10, 20, 50, 40
*ELEMENT, TYPE=CPE3, ELSET=CORNERS
8, 20, 30, 60
9, 20, 60, 50
*NSET, NSET=LEFT
10, 40
*SURFACE, NAME=FOOT
7, S1
8, S1
"""


def hooke(*words):
    done = subprocess.run([HOOKE, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return done.stdout


def octave(text, folder, **more):
    """Runs lines of Octave in a folder; its variables that they save are read by scipy."""
    (folder / "lines.m").write_text(f"addpath('{FUNCTIONS}');\n{text}\n")
    done = subprocess.run(["octave-cli", "--norc", "--quiet", "lines.m"], cwd=folder, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, env={**os.environ, **more})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def got(text, folder, **more):
    octave(f"{text}\nsave('-v7', 'out.mat', 'out');", folder, **more)
    return loadmat(folder / "out.mat", simplify_cells=True)["out"]


def refused(folder, *texts, **more):
    """What each of the calls says, a line each."""
    said = octave("\n".join(f"try, {text}; disp('taken'), catch e, disp(e.message), end" for text in texts), folder, **more)
    assert len(said.splitlines()) == len(texts), said
    return said.splitlines()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Runs: plate.hooke, shots.hooke, heat.hooke."""
    folder = tmp_path_factory.mktemp("matlab")
    for name, case in {"plate": CASE, "shots": SHOTS, "heat": HEAT}.items():
        (folder / f"{name}.json").write_text(json.dumps(case))
        hooke("run", folder / f"{name}.json", "--output", folder / f"{name}.hooke", "-q", "--no-pictures")
    return folder


def expect_trace(t, run):
    with h5py.File(run / "run.h5") as file:
        group = file["traces"][t["name"]]
        values = group[t["quantity"]]
        assert np.array_equal(t["values"], values[()].T) and abs(t["values"]).max() > 0
        assert np.array_equal(t["time"], group["time"][()])
        assert np.array_equal(t["node"], group["node"][()])
        assert np.array_equal(t["coordinates"], group["coordinates"][()])
        assert (t["unit"], t["time_unit"]) == (values.attrs["unit"], "us")
        assert list(t["components"]) == values.attrs["components"].split() == ["x", "y"]


@pytest.mark.parametrize("run, axes", [("plate", 3), ("shots", 4)])
def test_traces_are_those_of_the_file(folder, run, axes):
    """values [step, component, receiver(, shot)], of requests whose names are no identifiers too."""
    out = got(f"out = hooke_traces('{run}.hooke');", folder)
    assert [(t["name"], t["quantity"]) for t in out] == [
        ("2-p", "acceleration"), ("receivers", "displacement"), ("receivers", "velocity")]
    for t in out:
        assert t["values"].ndim == axes
        expect_trace(t, folder / f"{run}.hooke")
    assert out[1]["values"].shape[1:] == (2, 13, 3)[:axes - 1]


def test_one_request(folder):
    out = got("out = hooke_traces('plate.hooke', '2-p');", folder)
    expect_trace(out, folder / "plate.hooke")
    assert out["node"].tolist() == [-1, -1]
    said, = refused(folder, "hooke_traces('plate.hooke', 'x')")
    assert '"x"' in said and "2-p, receivers" in said


def test_runs_without_what_is_asked_for_are_told(folder):
    calls = {"hooke_traces('heat.hooke')": "no traces", "hooke_traces('none.hooke')": "no such file",
             "hooke_field('shots.hooke')": "shots 1 3", "hooke_field('plate.hooke', 6)": "frames 1 to 5",
             "hooke_field('plate.hooke', 0)": "frames 1 to 5", "hooke_field('plate.hooke', 1, 'speed')": "velocity",
             "mkdir('empty.hooke'); hooke_field('empty.hooke')": "no field", "hooke_mesh('none.msh')": "no such file",
             "hooke_mesh('plate.json')": "plate.json"}
    for said, words in zip(refused(folder, *calls), calls.values()):
        assert words in said
    assert "setenv('HOOKE'" in refused(folder, "hooke_traces('plate.hooke')", HOOKE="/nowhere/hooke")[0]


def field_of(path, quantity, frame):
    with h5py.File(path) as file:
        points = file["VTKHDF/Points"].shape[0]
        rows = file[f"VTKHDF/PointData/{quantity}"][()]
        first = file[f"VTKHDF/Steps/PointDataOffsets/{quantity}"][frame]
        return rows[first:first + points].reshape(points, -1)


@pytest.mark.parametrize("run, words, name", [("plate", "", "field"), ("shots", ", '', 3", "field_shot0003")])
def test_frames_are_those_of_the_file(folder, run, words, name):
    out = got(f"out = hooke_field('{run}.hooke', [5 2]{words});", folder)
    path = folder / f"{run}.hooke/{name}.vtkhdf"
    assert [q["name"] for q in out["quantity"]] == ["displacement", "velocity"] and out["frames"].tolist() == [5, 2]
    for q in out["quantity"]:
        assert q["values"].dtype == np.float32 and q["values"].shape == (91, 3, 2)
        for k, frame in enumerate([4, 1]):
            assert np.array_equal(q["values"][:, :, k], field_of(path, q["name"], frame))
        assert abs(q["values"]).max() > 0
    assert [q["unit"] for q in out["quantity"]] == ["mm", "mm/us"]
    with h5py.File(path) as file:
        assert np.array_equal(out["times"], file["VTKHDF/Steps/Values"][()])
        assert np.array_equal(out["points"], file["VTKHDF/Points"][()])
        assert np.array_equal(out["cells"]["nodes"].ravel() - 1, file["VTKHDF/Connectivity"][()])
    assert out["cells"]["shape"] == "quad4" and out["cells"]["nodes"].shape == (72, 4)


def test_no_frames_are_read_unasked(folder):
    out = got("out = hooke_field('plate.hooke'); out.sizes = cellfun(@numel, {out.quantity.values});", folder)
    assert out["sizes"].tolist() == [0, 0] and out["times"].size == 5


def test_fields_of_one_component(folder):
    out = got("out = hooke_field('heat.hooke', 1, 'temperature');", folder)
    values = field_of(folder / "heat.hooke/field.vtkhdf", "temperature", 0)
    assert values.shape == (12, 1) and np.array_equal(out["quantity"]["values"], values[:, 0])
    assert out["cells"]["shape"] == "hex8" and values.max() == 100


def test_mesh_of_shapes_labels_and_sets(tmp_path):
    (tmp_path / "mixed.inp").write_text(MIXED)
    out = got("out = hooke_mesh('mixed.inp');", tmp_path)
    assert out["points"].tolist() == [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0]]
    shapes = {e["shape"]: e for e in out["elements"]}
    assert shapes.keys() == {"quad4", "tri3"}
    label = {e["shape"]: out["element_label"][np.atleast_1d(e["element"]).astype(int) - 1].tolist() for e in out["elements"]}
    assert label == {"quad4": [7], "tri3": [8, 9]}
    assert shapes["quad4"]["nodes"].tolist() == [1, 2, 5, 4]
    assert shapes["tri3"]["nodes"].tolist() == [[2, 3, 6], [2, 6, 5]]
    assert out["node_label"].tolist() == [10, 20, 30, 40, 50, 60]
    sets = {(s["name"].upper(), s["of"]): np.asarray(s["members"]).astype(int) for s in out["sets"]}
    assert out["node_label"][sets["LEFT", "nodes"] - 1].tolist() == [10, 40]
    assert out["element_label"][sets["CORNERS", "elements"] - 1].tolist() == [8, 9]
    assert sorted([out["element_label"][e - 1], f] for e, f in sets["FOOT", "faces"]) == [[7, 1], [8, 1]]
    assert not list(tmp_path.glob("*.vtkhdf"))


def test_mesh_of_a_run(folder):
    out = got("out = hooke_mesh('plate.hooke');", folder)
    assert out["points"].shape == (91, 3) and out["elements"]["nodes"].shape == (72, 4)
    sets = {(s["name"], s["of"]): np.asarray(s["members"]) for s in out["sets"]}
    assert set(sets) == {(side, of) for side in ("left", "right", "bottom", "top") for of in ("nodes", "faces")}
    assert (out["points"][sets["left", "nodes"].astype(int) - 1, 0] == out["points"][:, 0].min()).all() and sets["left", "faces"].shape == (6, 2)
    assert out["node_label"].tolist() == list(range(1, 92))


WRITE = r"""
m = struct();
m.title = sprintf('a "plate" \\ two\nlines');
m.units = struct('length', 'mm', 'time', 'us');
m.mesh.rectangle = struct('size', [12 6], 'cells', int32([12 6]));
m.materials = containers.Map();
m.materials('steel-2') = struct('density', '7850 kg/m^3', 'young', '210 GPa', 'poisson', 0.3);
m.regions.all = 'steel-2';
burst.toneburst = struct('frequency', '1 MHz', 'cycles', 2);
m.sources = struct('at', [2.3 6], 'force', '1 kN', 'direction', [0 -1], 'signal', burst);
m.boundary = struct('set', {'left', 'right'}, 'fix', {{'x'}, {'x', 'y'}});
m.outputs.traces = {struct('name', 'rx', 'set', 'top', 'quantity', {{'displacement', 'velocity'}}), ...
    struct('name', 'p', 'at', [5.1 2.2; 1 1], 'quantity', 'acceleration', 'every', 3), ...
    struct('name', 'one', 'at', {{[5.1 2.2]}}, 'quantity', 'velocity')};
m.solve.explicit = struct('end', 0.1 + 0.2);
hooke_write_case('case.json', m);
"""


def test_written_cases_are_taken(tmp_path):
    octave(WRITE, tmp_path)
    case = json.loads((tmp_path / "case.json").read_text())
    assert case == {
        "title": "a \"plate\" \\ two\nlines", "units": {"length": "mm", "time": "us"},
        "mesh": {"rectangle": {"size": [12, 6], "cells": [12, 6]}},
        "materials": {"steel-2": CASE["materials"]["steel"]}, "regions": {"all": "steel-2"},
        "sources": [SOURCE], "boundary": [{"set": "left", "fix": ["x"]}, {"set": "right", "fix": ["x", "y"]}],
        "outputs": {"traces": [{"name": "rx", "set": "top", "quantity": ["displacement", "velocity"]},
                               {"name": "p", "at": [[5.1, 2.2], [1, 1]], "quantity": "acceleration", "every": 3},
                               {"name": "one", "at": [[5.1, 2.2]], "quantity": "velocity"}]},
        "solve": {"explicit": {"end": 0.1 + 0.2}}}
    hooke("check", tmp_path / "case.json")
    hooke("run", tmp_path / "case.json", "-q", "--no-pictures", "--output", tmp_path / "case.hooke")
    assert got("out = size(hooke_traces('case.hooke', 'p').values);", tmp_path).tolist()[1:] == [2, 2]


def test_values_of_every_kind(tmp_path):
    octave("hooke_write_case('a.json', struct('yes', true, 'no', false, 'none', [], 'text', '', 'list', {{}}, 'column', [1; 2], "
           "'tiny', 1e-300, 'third', 1/3, 'single', single(0.5), 'map', struct(), 'both', [true false]));", tmp_path)
    assert json.loads((tmp_path / "a.json").read_text()) == {
        "yes": True, "no": False, "none": [], "text": "", "list": [], "column": [1, 2], "tiny": 1e-300, "third": 1 / 3, "single": 0.5,
        "map": {}, "both": [True, False]}


H5INFO = """
function group = h5info(file)
load('stored.mat');
group = struct('Name', '/', 'Groups', [], 'Datasets', []);
for i = 1:numel(paths)
    part = strsplit(paths{i}, '/');
    group = add(group, '', part(2:end), sizes{i}, units{i}, components{i});
end
end
function group = add(group, name, part, extent, unit, components)
if numel(part) == 1
    at = struct('Name', {'unit', 'components'}, 'Value', {{unit}, components});
    group.Datasets = [group.Datasets, struct('Name', part{1}, 'Dataspace', struct('Size', extent), 'Attributes', at)];
    return
end
name = [name '/' part{1}];
k = [];
if ~isempty(group.Groups), k = find(strcmp({group.Groups.Name}, name)); end
if isempty(k)
    group.Groups = [group.Groups, struct('Name', name, 'Groups', [], 'Datasets', [])];
    k = numel(group.Groups);
end
group.Groups(k) = add(group.Groups(k), name, part(2:end), extent, unit, components);
end
"""
H5READ = """
function values = h5read(file, path, start, count)
load('stored.mat');
k = find(strcmp(paths, path));
assert(numel(start) == numel(sizes{k}) && numel(count) == numel(start));
at = arrayfun(@(a, n) a:a + n - 1, start, count, 'UniformOutput', false);
values = data{k}(at{:});
end
"""


def stand_in(folder, path):
    """h5info and h5read as MATLAB has them, over what h5py reads: dimensions backwards, from 1."""
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.update({"/" + name: (item[()], dict(item.attrs))})
                        if isinstance(item, h5py.Dataset) else None)

    def cells(items):
        row = np.empty((1, len(items)), dtype=object)
        row[0, :] = items
        return row

    columns = [value.reshape(-1, 1) if value.ndim == 1 else value.T for value, _ in found.values()]
    holder = np.empty((1, len(columns)), dtype=object)
    for k, column in enumerate(columns):
        holder[0, k] = column
    sizes = np.empty((1, len(columns)), dtype=object)
    for k, (value, _) in enumerate(found.values()):
        sizes[0, k] = np.array(value.shape[::-1], dtype=float)
    savemat(folder / "stored.mat", {"paths": cells(list(found)), "data": holder, "sizes": sizes,
                                    "units": cells([a.get("unit", "") for _, a in found.values()]),
                                    "components": cells([a.get("components", "") for _, a in found.values()])})
    (folder / "h5info.m").write_text(H5INFO)
    (folder / "h5read.m").write_text(H5READ)


def test_by_h5read_the_same_is_read_without_the_command(folder, tmp_path):
    """What only MATLAB has, stood in for: the same traces and frames as by the command, which is not there."""
    stand_in(tmp_path, folder / "shots.hooke/run.h5")
    out = got(f"out = hooke_traces('{folder}/shots.hooke');", tmp_path, HOOKE="/nowhere/hooke")
    assert len(out) == 3
    for t in out:
        expect_trace(t, folder / "shots.hooke")
    path = folder / "plate.hooke/field.vtkhdf"
    stand_in(tmp_path, path)
    out = got(f"out = hooke_field('{folder}/plate.hooke', [5 2]);", tmp_path, HOOKE="/nowhere/hooke")
    for q in out["quantity"]:
        assert np.array_equal(q["values"][:, :, 0], field_of(path, q["name"], 4))
        assert np.array_equal(q["values"][:, :, 1], field_of(path, q["name"], 1))
    assert out["cells"]["nodes"].shape == (72, 4)


def test_what_no_case_can_hold_is_refused_and_the_old_file_stays(tmp_path):
    (tmp_path / "case.json").write_text("mine")
    values = ["NaN", "Inf", "1i", "@sin", "ones(2, 2, 2)", "['a'; 'b']"]
    for said in refused(tmp_path, *(f"m = struct(); m.solve.explicit.end = {v}; hooke_write_case('case.json', m)" for v in values)):
        assert ".solve.explicit.end" in said
    assert (tmp_path / "case.json").read_text() == "mine" and not list(tmp_path.glob("*.tmp"))
    assert "none/case.json" in refused(tmp_path, "hooke_write_case('none/case.json', struct())")[0]


@pytest.mark.parametrize("path", sorted(FUNCTIONS.glob("*.m")), ids=lambda path: path.stem)
def test_help_begins_with_the_name_and_its_example_runs(folder, path):
    text = octave(f"disp(get_help_text('{path.stem}'))", folder)
    assert text.split()[0] == path.stem.upper() and "See also" in text
    example = re.search(r" Example:\n(.*?)\n\n", text, re.S)
    said = octave(example[1], folder)
    assert said or path.stem == "hooke_write_case"
    if path.stem == "hooke_write_case":
        hooke("check", folder / "written.json")
