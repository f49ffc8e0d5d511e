"""Traces as .su and .sac files: read back by ObsPy they are those of run.h5 in single precision, at the right times and places."""
import csv
import json
import os
import re
import shutil
import struct
import subprocess
import sys

import h5py
import numpy as np
import obspy
import pytest

HOOKE = os.environ["HOOKE"]
PULSE = {"toneburst": {"frequency": "1 MHz", "cycles": 2}}
CASE = {
    "title": "two shots",
    "units": {"length": "mm", "time": "us"},
    "mesh": {"rectangle": {"size": [12, 6], "cells": [12, 6]}},
    "materials": {"steel": {"density": "7850 kg/m^3", "young": "210 GPa", "poisson": 0.3}},
    "outputs": {"traces": [{"name": "rx", "set": "top", "quantity": ["displacement", "velocity"]},
                           {"name": "p", "at": [[5.125, 2.2], [1, 1]], "quantity": "acceleration", "every": 3}]},
    "shots": [{"at": [2.3, 6], "force": "1 kN", "direction": [0, -1], "signal": PULSE},
              [{"set": "right", "velocity": "1 mm/us", "direction": [1, 0], "signal": PULSE},
               {"at": [12, 3], "force": "2 kN", "direction": [1, 1], "signal": PULSE}],
              {"set": "left", "force": "1 kN", "direction": [1, 0], "signal": PULSE}],
    "solve": {"explicit": {"end": 5, "dt": "0.0625 us"}},
}
SINGLE = {key: value for key, value in CASE.items() if key != "shots"} | {"sources": [CASE["shots"][0]]}


def hooke(*words, **more):
    return subprocess.run([HOOKE, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL, **more)


def solved(folder, case, *words):
    (folder / "case.json").write_text(json.dumps(case))
    done = hooke("run", folder / "case.json", "--output", folder / "case.hooke", "-q", "--no-pictures", *words)
    assert done.returncode == 0, done.stderr
    return folder / "case.hooke"


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("export")
    return solved(folder, CASE)


@pytest.fixture
def run(finished, tmp_path):
    """A copy of the finished run."""
    shutil.copytree(finished, tmp_path / "case.hooke")
    return tmp_path / "case.hooke"


def export(run, *formats):
    done = hooke("export", run, *formats)
    assert done.returncode == 0, done.stderr
    return done


def traces(run, path):
    with h5py.File(run / "run.h5") as file:
        return file[f"traces/{path}"][()]


def near(a, b):
    return np.allclose(a, b, rtol=2e-7, atol=0)


def su(path, **more):
    """ObsPy takes a header without dt for damaged, unless told the order of bytes."""
    return obspy.read(path, format="SU", byteorder={"little": "<", "big": ">"}[sys.byteorder], **more)


def words(path, at, form):
    """The header word at that byte of each trace of a .su file, read by hand."""
    data, = [path.read_bytes()]
    samples = struct.unpack_from("=H", data, 114)[0]
    size = 240 + 4 * samples
    assert len(data) % size == 0
    return [struct.unpack_from("=" + form, data, k * size + at)[0] for k in range(len(data) // size)]


def rescale_time(run, factor):
    with h5py.File(run / "run.h5", "r+") as file:
        for request in file["traces"].values():
            request["time"][...] *= factor


@pytest.mark.parametrize("quantity", ["displacement", "velocity"])
def test_su_holds_every_sample_of_every_shot(run, quantity):
    export(run, "--su")
    for c, component in enumerate("xy"):
        read = su(run / f"export/rx_{quantity}_{component}.su")
        expected = traces(run, f"rx/{quantity}")[:, :, c].reshape(-1, traces(run, "rx/time").size).astype(np.float32)
        assert abs(expected).max() > 0 and len(read) == len(expected) == 3 * 13
        for got, values in zip(read, expected):
            assert got.data.dtype == np.float32 and np.array_equal(got.data, values)


def test_su_places_and_numbers(run):
    """Coordinates over the scale, which is a divisor, are those of run.h5 and run.json in metres."""
    export(run, "--su")
    path = run / "export/rx_displacement_x.su"
    heads = [t.stats.su.trace_header for t in su(path, unpack_trace_headers=True)]
    at = traces(run, "rx/coordinates") * 1e-3
    source = np.array(json.loads((run / "run.json").read_text())["sources"]) * 1e-3
    assert near(source, [[.0023, .006], [.012, .003], [0, .003]])
    for k, head in enumerate(heads):
        shot, receiver = divmod(k, 13)
        scale = head.scalar_to_be_applied_to_all_coordinates
        assert scale == -10000
        assert abs(head.group_coordinate_x / 1e4 - at[receiver, 0]) <= .5e-4
        assert abs(head.group_coordinate_y / 1e4 - at[receiver, 1]) <= .5e-4
        assert abs(head.source_coordinate_x / 1e4 - source[shot, 0]) <= .5e-4
        assert abs(head.source_coordinate_y / 1e4 - source[shot, 1]) <= .5e-4
        assert head.original_field_record_number == shot + 1
        assert head.trace_number_within_the_original_field_record == receiver + 1
    assert words(path, 0, "i") == list(range(1, 40)) and set(words(path, 204, "i")) == {39}
    assert max(words(path, 80, "i")) == 120


def test_su_rounded_places_are_told(run):
    """2.3 mm is whole in tenths of a millimetre, 5.125 mm is not: a warning names the file that has it exactly."""
    done = export(run, "--su")
    assert "p: coordinates" in done.stderr and "p.txt" in done.stderr and "rx: coordinates" not in done.stderr
    lines = (run / "export/p.txt").read_text().splitlines()
    row = next(line for line in lines if line.startswith("1 p1 -1 ")).split()
    assert abs(float(row[3]) - 5.125e-3) < 1e-17


@pytest.mark.parametrize("factor, us", [(32, 2), (16, 1), (16.002, 1), (16.1, 0), (1, 0), (16 * 7e4, 0)])
def test_su_sampling(run, factor, us):
    """d1 is dt; the header's dt is its microseconds where that is off by less than 0.1 %, else 0; what is lost is told."""
    rescale_time(run, factor)
    said = export(run, "--su").stderr
    path = run / "export/rx_velocity_y.su"
    dt = .0625e-6 * factor
    assert set(words(path, 116, "H")) == {us}
    assert near(words(path, 180, "f"), dt) and set(words(path, 184, "f")) == {0}
    assert ("rx: " in said and "dt=" in said) == (factor not in (16, 32)), said


def test_first_sample_is_told(run):
    with h5py.File(run / "run.h5", "r+") as file:
        file["traces/rx/time"][...] += 2000
    export(run, "--su", "--sac")
    path = run / "export/rx_velocity_y.su"
    assert set(words(path, 108, "h")) == {2} and near(words(path, 184, "f"), 2e-3)
    read = obspy.read(run / "export/rx_n79_velocity_y_shot0001.sac")[0]
    assert near(read.stats.sac.b, 2e-3) and near(read.stats.sac.e, 2e-3 + 5e-6)


def test_sac_holds_every_sample_with_its_place_and_time(run):
    export(run, "--sac")
    node, at, time = traces(run, "rx/node"), traces(run, "rx/coordinates"), traces(run, "rx/time")
    for shot in range(3):
        for k in range(node.size):
            for c, component in enumerate("xy"):
                path = run / f"export/rx_n{node[k]}_displacement_{component}_shot{shot + 1:04}.sac"
                read, = obspy.read(path, format="SAC")
                assert np.array_equal(read.data, traces(run, "rx/displacement")[shot, k, c].astype(np.float32))
                sac = read.stats.sac
                assert (sac.nvhdr, sac.iftype, sac.leven, sac.npts) == (6, 1, 1, time.size)
                assert near(sac.delta, .0625e-6) and sac.b == 0 and near(sac.e, time[-1] * 1e-6)
                assert near([sac.user0, sac.user1, sac.user2], [*at[k] * 1e-3, 0])
                assert read.stats.station == f"n{node[k]}" and read.stats.channel == component
                assert sac.user6 == shot + 1 and sac.kevnm.strip() == f"shot {shot + 1}" and sac.kuser0.strip() == "mm"
                assert sac.depmin == read.data.min() and sac.depmax == read.data.max()
                assert "stla" not in sac and "evla" not in sac
    assert near([sac.user3, sac.user4], [0, .003])


def test_without_shots_names_have_none(tmp_path):
    run = solved(tmp_path, SINGLE)
    export(run, "--su", "--sac")
    values = traces(run, "rx/velocity")
    read = su(run / "export/rx_velocity_y.su")
    assert [np.array_equal(a.data, b) for a, b in zip(read, values[:, 1].astype(np.float32))] == [True] * 13
    read, = obspy.read(run / f"export/rx_n{traces(run, 'rx/node')[3]}_velocity_y.sac")
    assert np.array_equal(read.data, values[3, 1].astype(np.float32)) and "user6" not in read.stats.sac
    assert set(words(run / "export/rx_velocity_y.su", 72, "i")) == {23}


def test_solids_have_heights(tmp_path):
    """z of receivers and sources is their elevation."""
    case = {**SINGLE, "mesh": {"box": {"size": [4, 4, 4], "cells": [4, 4, 4]}},
            "sources": [{"at": [1, 2, 3], "force": "1 kN", "direction": [0, 0, 1], "signal": PULSE}],
            "outputs": {"traces": [{"name": "rx", "at": [[3, 1, 2]], "quantity": "displacement"}]}}
    run = solved(tmp_path, case)
    export(run, "--su")
    path = run / "export/rx_displacement_z.su"
    assert [words(path, at, "i")[0] for at in (80, 84, 40, 72, 76, 44)] == [30, 10, 20, 10, 20, 30]
    assert su(path)[0].data.tolist() == traces(run, "rx/displacement")[0, 2].astype(np.float32).tolist()


def test_loads_on_faces_have_places(tmp_path):
    """The source lies in the middle of what is pressed; a fixed set is none."""
    case = {**SINGLE, "sources": [], "boundary": [{"set": "left", "pressure": "1 MPa", "signal": PULSE}, {"set": "right", "fix": ["x"]}]}
    run = solved(tmp_path, case)
    assert json.loads((run / "run.json").read_text())["sources"] == [[0, 3]]
    export(run, "--su")
    assert set(words(run / "export/rx_velocity_y.su", 76, "i")) == {30}


def test_every_sample_is_on_the_grid(run):
    """Every third of 80 steps: 27 samples at 0, 3, ... 78, none at 80."""
    said = export(run, "--su", "--sac").stderr
    assert "the last sample" not in said
    values = traces(run, "p/acceleration")
    assert values.shape[-1] == 27
    read, = obspy.read(run / "export/p_p2_acceleration_y_shot0002.sac")
    assert np.array_equal(read.data, values[1, 1, 1].astype(np.float32)) and near(read.stats.sac.delta, 3 * .0625e-6)
    assert np.array_equal(su(run / "export/p_acceleration_y.su")[3].data, values[1, 1, 1].astype(np.float32))


def test_a_last_sample_off_the_grid_is_left_out(run, tmp_path):
    """Of a run of an earlier version, which wrote the last step too: the others alone, with a warning."""
    old = shutil.copytree(run, tmp_path / "old.hooke")
    with h5py.File(old / "run.h5", "r+") as file:
        time = file["traces/p/time"]
        time[-1] -= (time[1] - time[0]) / 3
    said = export(old, "--su").stderr
    assert said.count("p: the last sample") == 1 and "rx: the last sample" not in said
    assert np.array_equal(su(old / "export/p_acceleration_y.su")[3].data, traces(old, "p/acceleration")[1, 1, 1, :26].astype(np.float32))


def test_uneven_samples_are_refused(run):
    with h5py.File(run / "run.h5", "r+") as file:
        file["traces/rx/time"][5] += .01
    done = hooke("export", run, "--sac")
    assert done.returncode == 3 and "rx" in done.stderr and "--csv" in done.stderr
    assert not list((run / "export").iterdir())


def table(path):
    """The column heads of a CSV file, and its columns."""
    with open(path, encoding="utf-8") as file:
        heads = next(csv.reader(file))
        return heads, np.array([[float(word) for word in line] for line in csv.reader(file)]).T


def test_spectra_are_those_of_numpy(run):
    """|X(f)| = dt |sum of x exp(-2 pi i f t)| with zeros up to a power of two; sums of squares agree (Parseval)."""
    export(run, "--spectra")
    for shot in range(3):
        for name, quantities, unit in (("rx", ("displacement", "velocity"), {"displacement": "mm", "velocity": "mm/us"}),
                                       ("p", ("acceleration",), {"acceleration": "mm/us^2"})):
            heads, columns = table(run / f"export/{name}_spectra_shot{shot + 1:04}.csv")
            time = traces(run, f"{name}/time")
            dt, n = time[1], 256 if name == "rx" else 64
            values = np.concatenate([traces(run, f"{name}/{q}")[shot].reshape(-1, len(time)) for q in quantities]).astype(float)
            assert heads[0] == "frequency (MHz)" and len(heads) == 1 + len(values)
            assert heads[1].startswith(quantities[0] + " x ") and heads[1].endswith(f"({unit[quantities[0]]}/MHz)")
            assert np.allclose(columns[0], np.fft.rfftfreq(n, dt), rtol=1e-11, atol=0)
            expected = dt * np.abs(np.fft.fft(values, n)[:, :n // 2 + 1])
            assert np.allclose(columns[1:], expected, rtol=1e-10, atol=1e-11 * expected.max())
            weight = np.r_[1, np.full(n // 2 - 1, 2), 1] / (n * dt)
            assert np.allclose((columns[1:] ** 2) @ weight, dt * (values ** 2).sum(axis=1), rtol=1e-9)
    assert not list((run / "export").glob("static*")) and not (run / "export/rx_shot0001.csv").exists()


def test_spectra_of_uneven_samples_are_refused(run):
    with h5py.File(run / "run.h5", "r+") as file:
        file["traces/rx/time"][5] += .01
    done = hooke("export", run, "--spectra")
    assert done.returncode == 3 and "rx: has no spectrum" in done.stderr
    assert not (run / "export/rx_spectra_shot0001.csv").exists()
    assert hooke("report", run).returncode == 0
    assert (run / "report.html").read_text().count("No spectra: they need two samples at least, at equal intervals.") == 6


def test_a_table_and_spectra_of_one_name_are_refused(run):
    with h5py.File(run / "run.h5", "r+") as file:
        file.move("traces/p", "traces/rx_spectra")
    done = hooke("export", run, "--csv", "--spectra")
    assert done.returncode == 3 and "the table of rx_spectra and the spectra of rx" in done.stderr and not (run / "export").exists()
    export(run, "--csv")
    export(run, "--spectra")


def test_the_report_draws_spectra_over_the_band_of_the_sources(run, tmp_path):
    """The band and the points per wavelength in run.json are those of `hooke check`; the line stands where the mesh has the least points."""
    case = {**SINGLE, "mesh": {"rectangle": {"size": [12, 6], "cells": [48, 24]}}, "solve": {"explicit": {"end": 5}}}
    (tmp_path / "fine").mkdir()
    fine = solved(tmp_path / "fine", case)
    told = json.loads((fine / "run.json").read_text())["resolution"]
    checked = json.loads(hooke("check", tmp_path / "fine/case.json", "--json").stdout)
    region, = checked["regions"]
    assert told == pytest.approx({"highest_frequency": checked["highest_frequency"], "points_per_wavelength": region["points_per_wavelength"],
                                  "least_points_per_wavelength": 8}, rel=1e-11)
    assert told["highest_frequency"] == pytest.approx(2) and told["points_per_wavelength"] == pytest.approx(region["s_speed"] / 2 / region["edge"])
    assert hooke("report", fine).returncode == 0
    page = (fine / "report.html").read_text()
    resolved = told["highest_frequency"] * told["points_per_wavelength"] / 8
    words = re.findall(r"spectrum ends at ([\d.]+) MHz \(-40 dB\). Up to ([\d.]+) MHz", page)
    assert len(words) == 3 and all(float(a) == 2 and float(b) == pytest.approx(resolved, rel=5e-3) for a, b in words)
    assert "dashed" in page if resolved < 2 else "dashed" not in page
    state = json.loads((run / "run.json").read_text())
    del state["resolution"]
    (run / "run.json").write_text(json.dumps(state))  # of an earlier version
    assert hooke("report", run).returncode == 0 and "Amplitude spectra" not in (run / "report.html").read_text()


def lengthen(run, samples):
    with h5py.File(run / "run.h5", "r+") as file:
        del file["traces/p"], file["traces/rx/velocity"], file["traces/rx/displacement"], file["traces/rx/time"]
        file["traces/rx/time"] = np.arange(samples) * 2e6
        file["traces/rx/time"].attrs["unit"] = "us"
        file["traces/rx/pressure"] = np.zeros((3, 13, 1, samples)) + np.arange(samples)


def test_too_many_samples_for_su_are_refused_with_what_to_do(run):
    lengthen(run, 65536)
    done = hooke("export", run, "--su", "--sac")
    assert done.returncode == 3 and "65536" in done.stderr and "65535" in done.stderr and "every: 2" in done.stderr
    assert not list((run / "export").iterdir())
    export(run, "--sac")
    assert obspy.read(run / "export/rx_n79_pressure_shot0003.sac")[0].data[-1] == 65535


def test_su_of_65535_samples(run):
    lengthen(run, 65535)
    export(run, "--su")
    assert set(words(run / "export/rx_pressure.su", 114, "H")) == {65535}


def test_a_run_without_traces_is_refused(run):
    with h5py.File(run / "run.h5", "r+") as file:
        del file["traces/p"], file["traces/rx"]
    for form in ("--su", "--sac", "--spectra"):
        done = hooke("export", run, form)
        assert done.returncode == 3 and "no traces" in done.stderr


def test_numbers_beyond_single_precision_are_refused(tmp_path):
    """of a run in double precision: others store traces in single"""
    run = solved(tmp_path, CASE, "--precision", "double")
    with h5py.File(run / "run.h5", "r+") as file:
        file["traces/rx/velocity"][1, 2, 0, 7] = 1e39
    for form in ("--su", "--sac"):
        done = hooke("export", run, form)
        assert done.returncode == 3 and "1e+39" in done.stderr


def test_a_run_that_stopped_is_told(run):
    state = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps({**state, "status": "stopped"}))
    with h5py.File(run / "run.h5", "r+") as file:
        file["traces/rx/velocity"][2] = np.nan
    assert "\"stopped\"" in export(run, "--su").stderr
    read = su(run / "export/rx_velocity_x.su")
    assert np.isnan(read[-1].data).all() and not np.isnan(read[0].data).any()


def test_a_run_without_units_is_told(run):
    state = json.loads((run / "run.json").read_text())
    del state["units"], state["sources"]
    (run / "run.json").write_text(json.dumps(state))
    with h5py.File(run / "run.h5", "r+") as file:
        for request in file["traces"].values():
            request["time"].attrs["unit"] = ""
    assert "names no units" in export(run, "--su", "--sac").stderr
    path = run / "export/rx_velocity_x.su"
    assert near(words(path, 180, "f"), .0625) and max(words(path, 80, "i")) == 120000
    assert "user3" not in obspy.read(run / "export/rx_n79_velocity_y_shot0001.sac")[0].stats.sac
    assert set(words(path, 72, "i")) == {0}


def test_arrays_are_where_info_says(finished):
    """The bytes of each array, read by hand from its offset on, are what h5py reads."""
    done = hooke("info", finished / "run.h5", "--arrays", "--json")
    listed = {a["path"]: a for a in json.loads(done.stdout)["arrays"]}
    data = (finished / "run.h5").read_bytes()
    with h5py.File(finished / "run.h5") as file:
        found = []
        file.visititems(lambda name, item: found.append("/" + name) if isinstance(item, h5py.Dataset) else None)
        assert sorted(found) == sorted(listed) and "/traces/rx/velocity" in found
        for name, array in listed.items():
            values = file[name][()]
            assert array["type"] == str(values.dtype) and tuple(array["size"]) == values.shape
            assert data[array["offset"]:array["offset"] + values.nbytes] == values.tobytes()
            assert array["unit"] == file[name].attrs.get("unit", "")
    assert listed["/traces/rx/velocity"]["components"] == "x y"
    done = hooke("info", finished, "--arrays")
    assert done.returncode == 3 and "run.h5" in done.stderr


def test_su_and_sac_hold_traces_without_time_dispersion(tmp_path):
    """Elements of order 2: what is exported are the transformed samples of run.h5, not those that were computed."""
    case = {**SINGLE, "element": {"order": 2}, "solve": {"explicit": {"end": 5}}, "outputs": {"traces": [{"name": "rx", "at": [[9, 2.2]], "quantity": "velocity"}]}}
    kept = {**case, "solve": {"explicit": {**case["solve"]["explicit"], "time_dispersion": "keep"}}}
    made = []
    for k, what in enumerate((case, kept)):
        (tmp_path / str(k)).mkdir()
        run = solved(tmp_path / str(k), what)
        export(run, "--su", "--sac")
        made.append(traces(run, "rx/velocity")[0].astype(np.float32))
        for c, component in enumerate("xy"):
            of_su, = su(run / f"export/rx_velocity_{component}.su")
            of_sac = [t for path in sorted((run / "export").rglob(f"*{component}.sac")) for t in obspy.read(path, format="SAC")]
            assert len(of_sac) == 1 and np.array_equal(of_su.data, made[k][c]) and np.array_equal(of_sac[0].data, made[k][c])
        with h5py.File(run / "run.h5") as file:
            assert file["traces"].attrs["samples"] == ("transformed", "as computed")[k]
    assert np.linalg.norm(made[0] - made[1]) > 1e-3 * np.linalg.norm(made[0])


def test_an_export_that_cannot_be_done_writes_nothing(tmp_path):
    """All formats are looked at before the first of them is written."""
    run = solved(tmp_path, SINGLE | {"outputs": {"traces": [{"name": "p", "at": [[5, 2]]}], "field": {"frames": 1}}})
    for more, words in ((("--png", "--quantity", "stress"), 'quantity "stress"'), (("--png", "--component", "zz"), 'component "zz"'),
                        (("--png", "--time=-5"), "time -5"), (("--movie", "--time", "8,9"), "time from 8 to 9"), (("--movie", "--component", "q"), 'component "q"'), (("--png", "--section", "wiggle"), "section")):
        done = hooke("export", run, "--csv", "--su", *more)
        assert done.returncode == 2 and words in done.stderr and not (run / "export").exists(), done.stderr


def test_a_format_without_contents_is_an_error_before_others_are_written(tmp_path):
    for k, (what, fits, empty) in enumerate((({"field": {"frames": 1}}, "--vtu", {"--csv": "no tables for csv", "--sac": "has no traces", "--spectra": "no spectra"}),
                                             ({"traces": [{"name": "p", "at": [[5, 2]]}]}, "--csv", {"--vtu": "no frames", "--compress": "no frames", "--movie": "no frames"}))):
        (tmp_path / str(k)).mkdir()
        run = solved(tmp_path / str(k), SINGLE | {"outputs": what})
        for fails, words in empty.items():
            done = hooke("export", run, fits, fails)
            assert done.returncode == 3 and words in done.stderr and not (run / "export").exists(), done.stderr
        export(run, fits)
