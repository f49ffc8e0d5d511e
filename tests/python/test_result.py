"""hooke.Result reads what h5py reads, lazily, with units and names; the verbs answer with the command's JSON."""
import copy
import json
import os
import pathlib
import shutil
import subprocess

import h5py
import numpy as np
import pytest

import hooke
import models

pytestmark = pytest.mark.filterwarnings("ignore::hooke.HookeWarning")  # of the coarse mesh
COMMAND = os.environ["HOOKE"]


@pytest.fixture(scope="module")
def plate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plate")
    return hooke.run(models.plate(folder), device="cpu", set={**models.SIZE, "outputs.field.frames": 5}, output=folder / "run")


@pytest.fixture(scope="module")
def bar(tmp_path_factory):
    return hooke.run(models.bar(outputs={"field": {"quantity": ["displacement", "stress"]}}), device="cpu",
                     output=tmp_path_factory.mktemp("bar") / "run", pictures=False)


@pytest.fixture(scope="module")
def shots(tmp_path_factory):
    case = {"mesh": {"rectangle": {"size": [20, 10], "cells": [20, 10]}}, "units": {"length": "mm", "time": "us"},
            "materials": {"steel": {"density": "7850 kg/m^3", "young": "210 GPa", "poisson": 0.3}},
            "sources": [{"set": "left", "force": 1, "direction": [0, 1]}],
            "shots": hooke.Array(at=[[5, 10], [15, 10]], force=1, direction=[0, -1]).case(),
            "outputs": {"traces": [{"name": "rx", "at": [[10, 10], [10, 5], [3, 3]]}], "field": {"frames": 2, "shots": [1, 2]}},
            "solve": {"explicit": {"end": 2}}}
    return hooke.run(case, device="cpu", output=tmp_path_factory.mktemp("shots") / "run", pictures=False)


def test_traces_by_name_and_attribute(plate):
    with h5py.File(plate.path / "run.h5") as file:
        expected, time = file["traces/rx/velocity"][:], file["traces/rx/time"][:]
    trace = plate.traces.rx.velocity
    assert list(plate.traces) == ["rx", "top"] and set(plate.traces["rx"]) == {"displacement", "velocity"}
    assert trace.axes == ("receiver", "component", "sample") and trace.shape == expected.shape and len(trace) == 2
    assert np.array_equal(trace.values, expected) and np.array_equal(np.asarray(trace), expected) and np.array_equal(trace[1], expected[1])
    assert np.array_equal(trace["y"], expected[:, 1]) and trace.components == ("x", "y") and trace.unit == "mm/us"
    assert np.array_equal(trace.time, time) and trace.time_unit == "us" and trace.time is not None
    assert trace.node.tolist() == [-1, -1] and trace.coordinates.tolist() == [[35, 30], [40, 30]]
    assert repr(trace) == f"<velocity in mm/us: 2 receivers, 2 components, {len(time)} samples>"


def test_values_become_arrays_of_any_type(plate):
    trace = plate.traces.rx.velocity
    for kind in (np.float32, np.float64, complex):
        assert np.asarray(trace, dtype=kind).dtype == kind and np.array_equal(np.asarray(trace, dtype=kind), trace.values.astype(kind))
    copy = np.array(trace)
    copy[:] = 0
    assert trace.values.any() and np.asarray(trace) is trace.values


def test_a_result_learns_that_its_run_has_ended(plate, tmp_path):
    """Opened while there is run.h5 alone, with half of the samples; then the run ends, and begins anew."""
    with h5py.File(plate.path / "run.h5") as whole, h5py.File(tmp_path / "run.h5", "w") as half:
        for name in ("rx", "top"):
            whole.copy(f"traces/{name}", half.require_group("traces"))
        del half["traces/top"]
    result = hooke.open(tmp_path)
    assert result.status == "running" and result.summary == {} and list(result.traces) == ["rx"] and not result.fields
    for name in ("run.h5", "run.json", "field.vtkhdf"):
        shutil.copy(plate.path / name, tmp_path / name)
    assert result.status == "ok" and list(result.traces) == ["rx", "top"] and len(result.field) == len(plate.field)
    assert result.traces.rx is result.traces.rx
    (tmp_path / "run.json").unlink()
    assert result.status == "running" and result.summary == {}


def test_what_is_not_there_is_told_with_what_there_is(plate, bar):
    with pytest.raises(KeyError, match="rx, top"):
        plate.traces["ry"]
    with pytest.raises(AttributeError, match="displacement, velocity"):
        plate.traces.rx.stress
    with pytest.raises(KeyError, match="there are x, y"):
        plate.traces.rx.velocity["z"]
    with pytest.raises(IndexError, match="there are 6"):
        plate.field[6]
    with pytest.raises(KeyError, match="velocity"):
        plate.field[0]["stress"]
    with pytest.raises(hooke.BadInput, match="is not a result folder"):
        hooke.open("nowhere")
    assert not bar.traces and not bar.energy and len(bar.static) == 1 and not plate.static


def test_energies(plate):
    with h5py.File(plate.path / "run.h5") as file:
        assert np.array_equal(plate.energy.kinetic.values, file["energy/kinetic"][:])
        assert np.array_equal(plate.energy.time, file["energy/time"][:])
    assert plate.energy.work.unit == "MJ" and plate.energy.work.axes == ("sample",)
    assert plate.energy.kinetic[-1] == pytest.approx(plate.summary["energy"]["kinetic"])


def test_frames_are_read_one_by_one(plate):
    field = plate.field
    with h5py.File(plate.path / "field.vtkhdf") as file:
        values, times = file["VTKHDF/PointData/velocity"][:].reshape(6, -1, 3), file["VTKHDF/Steps/Values"][:]
    assert len(field) == 6 and np.array_equal(field.times, times) and field.quantities == {"velocity": ("mm/us", ("x", "y"))}
    assert all(np.array_equal(frame.velocity, values[i]) and frame.time == times[i] for i, frame in enumerate(field))
    assert field.at(times[3] + 1e-6).index == 3 and field[-1].index == 5 and [f.index for f in field[1:3]] == [1, 2]
    assert field.points.shape == (61 * 31, 3) and values[-1].any()


DECK = """*NODE
10, 0, 0
20, 1, 0
30, 2, 0
40, 0, 1
50, 1, 1
60, 2, 1
70, 0, 2
80, 1, 2
*ELEMENT, TYPE=CPE4, ELSET=LOWER
100, 10, 20, 50, 40
300, 20, 30, 60, 50
*ELEMENT, TYPE=CPE3, ELSET=UPPER
500, 40, 50, 80
600, 40, 80, 70
*NSET, NSET=BASE
10, 20, 30
*NSET, NSET=A/B%
80
*SURFACE, NAME=TOP
600, S2
300, S2
*MATERIAL, NAME=STEEL
*ELASTIC
210e9, 0.3
*MATERIAL, NAME=FOAM
*ELASTIC
1e9, 0.3
*SOLID SECTION, ELSET=LOWER, MATERIAL=STEEL
*SOLID SECTION, ELSET=UPPER, MATERIAL=FOAM
*BOUNDARY
BASE, 1, 2
*STEP
*STATIC
*CLOAD
80, 1, 1000
*END STEP
"""


def test_vtk_sees_numbers_regions_and_sets_of_a_field(tmp_path):
    """In every step, beside the frames; hooke reads them as those of the deck, and so does the mesh of the field's file."""
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOHDF import vtkHDFReader
    (tmp_path / "d.inp").write_text(DECK)
    run = hooke.run(tmp_path / "d.inp", device="cpu", output=tmp_path / "run", pictures=False)
    field = run.field
    reader = vtkHDFReader()
    reader.SetFileName(str(field.path))
    reader.UpdateInformation()
    assert reader.GetNumberOfSteps() == len(field) == 1
    reader.Update()
    grid = reader.GetOutput()
    point, cell = ({d.GetArrayName(i): vtk_to_numpy(d.GetArray(i)) for i in range(d.GetNumberOfArrays())} for d in (grid.GetPointData(), grid.GetCellData()))
    types = [grid.GetCellType(i) for i in range(4)]
    assert sorted(point) == sorted([*field.quantities, "node_label", "set:BASE", "set:A%2FB%25"])
    assert {name: a.tolist() for name, a in point.items() if name not in field.quantities} == {
        "node_label": [10, 20, 30, 40, 50, 60, 70, 80], "set:BASE": [1, 1, 1, 0, 0, 0, 0, 0], "set:A%2FB%25": [0, 0, 0, 0, 0, 0, 0, 1]}
    order = np.argsort(cell["element_label"])
    assert [types[i] for i in order] == [9, 9, 5, 5] and cell["element_label"][order].tolist() == [100, 300, 500, 600]
    assert {name: a[order].tolist() for name, a in cell.items() if name not in ("element_label", "region")} == {
        "set:LOWER": [1, 1, 0, 0], "set:UPPER": [0, 0, 1, 1], "faces:TOP": [0, 2, 0, 2]}
    region, names = field.regions
    assert np.array_equal(region, cell["region"]) and [names[r - 1] for r in region[order]] == ["LOWER", "LOWER", "UPPER", "UPPER"]
    assert {key: sorted(cell["element_label"][m].tolist()) if key[0] == "elements" else m.tolist() for key, m in field.sets.items() if key[0] != "faces"} == {
        ("nodes", "BASE"): [0, 1, 2], ("nodes", "A/B%"): [7], ("elements", "LOWER"): [100, 300], ("elements", "UPPER"): [500, 600]}
    assert sorted((int(cell["element_label"][e]), int(f)) for e, f in field.sets["faces", "TOP"]) == [(300, 1), (600, 1)]
    assert np.allclose(point["displacement"], field[-1].displacement) and point["displacement"].any()
    told = [sorted(hooke.info(path)["sets"], key=str) for path in (field.path, tmp_path / "d.inp")]
    assert told[0] == told[1]


def test_names_of_sets_that_are_not_utf8(tmp_path):
    """As in decks of old editors: such a set and region have their bytes as \\xNN, and the rest of the field is read."""
    (tmp_path / "d.inp").write_bytes(DECK.replace("BASE", "B\u00c4SE").replace("LOWER", "L\u00c4NGE").encode("latin-1"))
    field = hooke.run(tmp_path / "d.inp", device="cpu", output=tmp_path / "run", pictures=False).field
    assert "displacement" in field.quantities and field[-1].displacement.any()
    assert field.sets["nodes", "B\\xc4SE"].tolist() == [0, 1, 2] and ("elements", "L\\xc4NGE") in field.sets
    assert len(field.regions[1]) == 2


def test_summary(plate):
    assert plate.summary == json.loads((plate.path / "run.json").read_text()) and plate.status == "ok"
    assert plate.warnings == plate.summary["warnings"] != []


def test_a_static_step(bar):
    """Uniaxial stress of 2 MPa in plane stress, at nodes and at points."""
    step = bar.static[0]
    assert step.displacement.axes == ("node", "component") and step.node.tolist() == list(range(1, 16))
    assert step.coordinates.shape == (15, 2) and step.displacement.coordinates is step.coordinates
    for stress in (step.stress, step.points.stress):
        assert stress.unit == "Pa" and stress.components == ("xx", "yy", "zz", "xy")
        assert np.abs(stress["xx"] / 2e6 - 1).max() < 1e-8 and np.abs(stress["yy"]).max() < 1
    assert len(step.points.element) == 8 * 4 and step.points.coordinates.shape == (32, 2)
    assert bar.field[0].von_mises == pytest.approx(np.full(15, 2e6))


def test_shots_have_a_leading_axis(shots):
    trace = shots.traces.rx.displacement
    assert trace.axes == ("shot", "receiver", "component", "sample") and trace.shape[:3] == (2, 3, 2)
    assert trace["y"].shape == (2, 3, trace.shape[3])
    assert shots.energy.work.axes == ("shot", "sample")
    assert list(shots.fields) == ["field_shot0001", "field_shot0002"] and shots.field.path == shots.fields.field_shot0001.path


def test_a_field_in_vtu_files_says_so(tmp_path):
    result = hooke.run(models.bar(), device="cpu", output=tmp_path / "run", pictures=False, field_format="vtu")
    with pytest.raises(hooke.BadInput, match=".vtu"):
        result.field


def test_html_shows_the_numbers_and_the_last_picture(plate, bar):
    html = plate._repr_html_()
    for words in ("toneburst in a steel plate", "1,891 nodes", "kinetic", "points per shortest wavelength", "data:image/png;base64,"):
        assert words in html
    assert html.count("<img") == 1 and "<img" not in bar._repr_html_() and "strain" in bar._repr_html_()


def test_report_and_export(plate, tmp_path):
    assert plate.report(tmp_path / "r.html") == tmp_path / "r.html" and "<svg" in (tmp_path / "r.html").read_text()
    assert plate.report() == plate.path / "report.html"
    folder = plate.export(csv=True, vtu=True, su=True)
    assert list(folder.glob("*.su"))
    rows = np.genfromtxt(folder / "rx.csv", delimiter=",", names=True)
    assert len(rows) == plate.traces.rx.velocity.shape[2] and list(folder.glob("*.vtu"))
    with pytest.raises(hooke.Error):
        hooke.report(tmp_path / "none")


def test_a_film_is_that_of_the_command(plate, shots, tmp_path):
    """Three of the five frames, by a time in single precision too."""
    last = np.float32(plate.field.times[2])
    choice = {"quantity": "velocity", "component": "y", "time": (0, last), "frame_rate": 25}
    film = plate.film(tmp_path / "a.apng", picture=choice)
    data = film.read_bytes()
    assert film == tmp_path / "a.apng" and data.count(b"fcTL") == int.from_bytes(data[data.index(b"acTL") + 4:][:4], "big") == 3
    words = [COMMAND, "export", plate.path, "--film", tmp_path / "b.apng", "--quantity", "velocity", "--component", "y", "--time", f"0,{float(last)!r}", "--frame-rate", "25"]
    assert subprocess.run(words, stdout=subprocess.DEVNULL).returncode == 0 and (tmp_path / "b.apng").read_bytes() == data
    with pytest.raises(hooke.Usage, match="name the shot"):
        hooke.film(shots, tmp_path / "c.apng")
    assert hooke.film(shots, tmp_path / "c.apng", shot=2).stat().st_size > 0
    for wrong in ({"time": (2, 1)}, {"time": (1, 2, 3)}, {"time": 1}, {"frame_rate": 0}):
        with pytest.raises(hooke.Usage):
            plate.film(tmp_path / "d.apng", picture=wrong)
    with pytest.raises(hooke.Usage, match="frame rate"):
        plate.report(picture={"frame_rate": 12})
    assert not (tmp_path / "d.apng").exists()


def test_a_spectrum_is_that_of_the_export(plate):
    trace = plate.traces.rx.velocity
    frequency, amplitude = trace.spectrum()
    rows = np.loadtxt(plate.export(spectra=True) / "rx_spectra.csv", delimiter=",", skiprows=1).T
    assert np.allclose(rows[0], frequency, rtol=1e-11) and amplitude.shape == (*trace.shape[:2], len(frequency))
    assert np.allclose(rows[-amplitude[..., 0].size:], amplitude.reshape(-1, len(frequency)), rtol=1e-9, atol=1e-10 * amplitude.max())
    assert np.array_equal(trace.spectrum("y")[1], amplitude[:, 1])
    broken = copy.copy(trace)
    broken.time = np.r_[trace.time[:3] - 1, trace.time[3:]]
    with pytest.raises(hooke.BadInput, match="equal intervals"):
        broken.spectrum()
    broken.time, broken._values = trace.time, trace.values * np.nan
    with pytest.raises(hooke.BadInput, match="not-a-number"):
        broken.spectrum()


def test_compare_tells_what_passed(plate, bar, tmp_path):
    other = hooke.run(models.bar(materials={"steel": {"young": 211e9, "poisson": 0.3}}), device="cpu", output=tmp_path / "run", pictures=False)
    assert hooke.compare(bar, bar, 1e-9)["passed"] is True
    found = hooke.compare(bar, other, 1e-3)
    assert found["passed"] is False
    assert any(row["quantity"] == "displacement" and row["max_relative"] == pytest.approx(1 / 211) for row in found["static"])
    assert "passed" not in hooke.compare(bar.path, other.path)
    with pytest.raises(hooke.Error):
        hooke.compare(bar, tmp_path)


def command(*words):
    return json.loads(subprocess.run([COMMAND, *map(str, words), "--json"], capture_output=True, text=True, check=True).stdout)


def test_the_verbs_answer_as_the_command(plate, tmp_path):
    model = plate.path.parent / "plate.yaml"
    for told in (hooke.info(model), hooke.info(plate.path)):
        assert told == command("info", told["path"])
    mine, theirs = hooke.partition(model, size=64, output=tmp_path / "b"), command("partition", model, "--size", 64, "--output", tmp_path / "c")
    assert mine["blocks"] == theirs["blocks"] > 1 and (tmp_path / "b").read_bytes() == (tmp_path / "c").read_bytes()
    assert [d["device"] for d in hooke.devices()] == [d["device"] for d in command("devices")]
    tests = hooke.selftest("cpu")
    assert tests and all(t["passed"] and t["device"] == "cpu" and t["error"] <= t["tolerance"] for t in tests)


def test_convert(tmp_path):
    mesh = hooke.Model.of_case(models.bar()).mesh
    hooke.convert(mesh, tmp_path / "a.msh")
    hooke.convert(tmp_path / "a.msh", tmp_path / "a.vtu")
    assert np.array_equal(hooke.Mesh.read(tmp_path / "a.vtu").x, mesh.x)
    with pytest.raises(hooke.Usage):
        hooke.convert(mesh, tmp_path / "a.txt")


def test_examples(tmp_path):
    assert "plate" in hooke.examples()
    assert hooke.example("plate", tmp_path) == tmp_path / "plate.yaml"
    with pytest.raises(hooke.NotWritable):
        hooke.example("plate", tmp_path)
    with pytest.raises(hooke.Usage):
        hooke.example("plat", tmp_path)


def test_schema_and_bench_words(tmp_path):
    assert hooke.schema()["required"] == ["mesh", "solve"] or "solve" in hooke.schema()["required"]
    with pytest.raises(hooke.Usage):
        hooke.bench("pago", output=tmp_path / "b")


def test_an_export_names_a_format_and_makes_no_folder_without(bar):
    with pytest.raises(hooke.Usage, match="name at least one of csv, vtu, png, movie, su, segy, sac, mseed, asdf, spectra, compress"):
        bar.export()
    with pytest.raises(hooke.Usage):
        hooke.export(bar.path)
    assert not (bar.path / "export").exists()


EXPLICIT = {**{k: v for k, v in models.bar().items() if k != "boundary"}, "sources": [{"set": "right", "force": 1, "direction": [1, 0]}],
            "outputs": {"traces": [{"name": "rx", "set": "right"}], "field": {"frames": 2}}, "units": {"length": "m", "time": "s"},
            "solve": {"explicit": {"end": 1e-3}}}


@pytest.mark.parametrize("case", [models.bar(outputs={"field": {"quantity": "displacement"}}), EXPLICIT], ids=["static", "explicit"])
def test_a_run_that_begins_anew_takes_exports_of_before_away(tmp_path, case):
    """All that export writes goes; notes that somebody put beside it stay."""
    formats = {"csv": True, "vtu": True, "png": True, "su": case is EXPLICIT, "sac": case is EXPLICIT,
               "segy": case is EXPLICIT, "mseed": case is EXPLICIT}
    run = hooke.run(case, device="cpu", output=tmp_path / "run", pictures=False)
    endings = {file.suffix for file in run.export(**formats).iterdir() if file.name != "written.txt"}
    assert endings == {".csv", ".vtu", ".pvd", ".png"} | ({".su", ".segy", ".sac", ".mseed", ".txt"} if case is EXPLICIT else set())
    hooke.run(case, device="cpu", output=run.path, pictures=False, force=True)
    assert not (run.path / "export").exists()
    run.export(**formats)
    (run.path / "export/rx_notes.txt").write_text("mine")
    hooke.run(case, device="cpu", output=run.path, pictures=False, force=True)
    assert [file.name for file in (run.path / "export").iterdir()] == ["rx_notes.txt"]


def test_verbs_take_results_and_paths_of_bytes(bar, tmp_path):
    assert hooke.report(bar, tmp_path / "a.html") == tmp_path / "a.html" and (tmp_path / "a.html").stat().st_size > 0
    assert hooke.report(os.fsencode(bar.path)) == bar.report() == bar.path / "report.html"
    case = tmp_path / "case.json"
    case.write_text(json.dumps(models.bar()))
    run = hooke.run(os.fsencode(case), device="cpu", output=os.fsencode(tmp_path / "run"), pictures=False)
    assert run.path == tmp_path / "run" and hooke.compare(run, run, 1e-9)["passed"]
    assert hooke.export(run, csv=True) == tmp_path / "run/export"
    assert hooke.export(os.fsencode(run.path), csv=True) == tmp_path / "run/export"
