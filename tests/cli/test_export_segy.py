"""Traces as SEG-Y, miniSEED and ASDF files: read back by ObsPy, and h5py, they are those of run.h5, at the right times and places."""
import struct

import h5py
import numpy as np
import obspy
import pytest
from obspy.io.segy.segy import _read_segy

from test_export import CASE, SINGLE, export, finished, hooke, lengthen, near, rescale_time, run, solved, traces  # noqa: F401


def stretched(run, dt):
    """The times of rx in us, so that samples are dt seconds apart."""
    with h5py.File(run / "run.h5", "r+") as file:
        time = file["traces/rx/time"]
        time[...] = np.arange(time.size) * dt * 1e6
        del file["traces/p"]


@pytest.mark.parametrize("quantity", ["displacement", "velocity"])
def test_segy_holds_every_sample_of_every_shot(run, quantity):
    rescale_time(run, 32)
    export(run, "--segy")
    for c, component in enumerate("xy"):
        read = obspy.read(run / f"export/rx_{quantity}_{component}.segy")
        expected = traces(run, f"rx/{quantity}")[:, :, c].reshape(-1, traces(run, "rx/time").size).astype(np.float32)
        assert abs(expected).max() > 0 and len(read) == len(expected) == 3 * 13 and read[0].stats._format == "SEGY"
        for got, values in zip(read, expected):
            assert np.array_equal(got.data, values) and got.stats.delta == 2e-6


def test_segy_headers(run):
    """Revision 1, IEEE floats, metres; places over the scale, a divisor, are those of run.h5; the text is EBCDIC and tells the interval."""
    rescale_time(run, 16)
    export(run, "--segy")
    path = run / "export/rx_velocity_x.segy"
    read = _read_segy(path, unpack_headers=True)
    head = read.binary_file_header
    assert read.textual_header_encoding == "EBCDIC" and len(read.textual_file_header) == 3200
    text = read.textual_file_header.decode("ascii")
    lines = [text[k:k + 80] for k in range(0, 3200, 80)]
    assert [line[:3] for line in lines] == [f"C{k:2}" for k in range(1, 41)]
    assert lines[38].split()[1:] == ["SEG", "Y", "REV1"] and lines[39].rstrip() == "C40 END TEXTUAL HEADER"
    assert near(float(lines[4].split()[lines[4].split().index("INTERVAL") + 1]), 1e-6) and "QUANTITY velocity COMPONENT x UNIT mm/us" in lines[2]
    assert (head.data_sample_format_code, head.seg_y_format_revision_number, head.fixed_length_trace_flag, head.measurement_system) == (5, 0x0100, 1, 1)
    assert head.number_of_data_traces_per_ensemble == 13 and head.number_of_samples_per_data_trace == traces(run, "rx/time").size
    assert head.sample_interval_in_microseconds == 1 and head.number_of_3200_byte_ext_file_header_records_following == 0
    assert near(struct.unpack_from(">d", path.read_bytes(), 3272), 1)
    at = traces(run, "rx/coordinates") * 1e-3
    source = np.array([[.0023, .006], [.012, .003], [0, .003]])
    for k, trace in enumerate(read.traces):
        shot, receiver = divmod(k, 13)
        h = trace.header
        assert h.scalar_to_be_applied_to_all_coordinates == h.scalar_to_be_applied_to_all_elevations_and_depths == -10000
        assert abs(h.group_coordinate_x / 1e4 - at[receiver, 0]) <= .5e-4 and abs(h.group_coordinate_y / 1e4 - at[receiver, 1]) <= .5e-4
        assert abs(h.source_coordinate_x / 1e4 - source[shot, 0]) <= .5e-4 and abs(h.source_coordinate_y / 1e4 - source[shot, 1]) <= .5e-4
        assert (h.trace_sequence_number_within_line, h.original_field_record_number, h.trace_number_within_the_original_field_record) == (k + 1, shot + 1, receiver + 1)
        assert (h.trace_identification_code, h.coordinate_units, h.trace_value_measurement_unit, h.delay_recording_time) == (1, 1, -1, 0)


@pytest.mark.parametrize("factor, us", [(16, 1), (16.002, 1), (16.1, 0), (1, 0), (16 * 3e4, 30000), (16 * 4e4, 0), (16 * 7e4, 0)])
def test_segy_sampling(run, factor, us):
    """dt of the headers is rounded by at most 0.1 %, else 0, which is told; the double of the binary header has it exactly."""
    rescale_time(run, factor)
    said = export(run, "--segy").stderr
    data = (run / "export/rx_velocity_y.segy").read_bytes()
    assert struct.unpack_from(">H", data, 3216)[0] == struct.unpack_from(">H", data, 3600 + 116)[0] == us
    assert near(struct.unpack_from(">d", data, 3272), .0625 * factor)
    assert ("rx: the sampling interval" in said and "dt=" in said) == (factor not in (16, 16 * 3e4)), said
    read = obspy.read(run / "export/rx_velocity_y.segy", format="SEGY")
    assert np.array_equal(read[20].data, traces(run, "rx/velocity")[1, 7, 1].astype(np.float32))


def test_segy_of_too_many_samples_is_refused_with_what_to_do(run):
    lengthen(run, 32768)
    done = hooke("export", run, "--segy")
    assert done.returncode == 3 and "32768" in done.stderr and "32767" in done.stderr and "every: 2" in done.stderr
    assert not list((run / "export").iterdir())
    lengthen_again(run, 32767)
    export(run, "--segy")
    read = obspy.read(run / "export/rx_pressure.segy", format="SEGY")
    assert len(read) == 39 and read[-1].stats.npts == 32767 and read[-1].data[-1] == 32766


def lengthen_again(run, samples):
    with h5py.File(run / "run.h5", "r+") as file:
        for name in ("time", "pressure"):
            kept = file[f"traces/rx/{name}"][..., :samples]
            del file[f"traces/rx/{name}"]
            file[f"traces/rx/{name}"] = kept
        file["traces/rx/time"].attrs["unit"] = "us"


def test_segy_tells_units_of_si(tmp_path):
    """m/s is code 6; the height of a receiver is its elevation."""
    case = {**SINGLE, "units": {"length": "m", "time": "s"}, "mesh": {"box": {"size": [4, 4, 4], "cells": [4, 4, 4]}},
            "sources": [{"at": [1, 2, 3], "force": "1 kN", "direction": [0, 0, 1], "signal": {"ricker": {"frequency": "100 Hz"}}}],
            "outputs": {"traces": [{"name": "rx", "at": [[3, 1, 2]], "quantity": "velocity"}]}, "solve": {"explicit": {"end": 2e-3, "dt": "50 us"}}}
    done = solved(tmp_path, case)
    export(done, "--segy", "--mseed")
    trace, = _read_segy(done / "export/rx_velocity_z.segy", unpack_headers=True).traces
    assert trace.header.trace_value_measurement_unit == 6 and trace.header.receiver_group_elevation == 20000
    assert np.array_equal(trace.data, traces(done, "rx/velocity")[0, 2].astype(np.float32)) and abs(trace.data).max() > 0
    read = obspy.read(done / "export/rx_velocity.mseed")
    assert [t.id for t in read] == ["XX.P1..JHX", "XX.P1..JHY", "XX.P1..JHZ"] and read[2].stats.sampling_rate == 20000
    assert all(np.array_equal(t.data, traces(done, "rx/velocity")[0, c].astype(np.float32)) for c, t in enumerate(read))


def test_every_channel_of_mseed_has_a_name_of_its_own(tmp_path):
    """All quantities of one point; two requests with the same names are told. What has no unit in a run with units is not the deck's."""
    every = ["displacement", "velocity", "acceleration", "stress", "strain", "divergence", "rotation"]
    traces_of = [{"name": "rx", "at": [[5.1, 2.2]], "quantity": every}, {"name": "far", "at": [[1, 1]], "quantity": "strain"},
                 {"name": "slow", "at": [[1, 1]], "quantity": "velocity", "every": 16}, {"name": "node", "set": "top", "quantity": "strain"}]
    done = solved(tmp_path, {**SINGLE, "outputs": {"traces": traces_of}, "solve": {"explicit": {"end": 4, "dt": "0.0625 us"}}})
    stretched_all(done, 16)
    said = hooke("export", done, "--mseed", "--segy")
    names = [trace.id for quantity in every for trace in obspy.read(done / f"export/rx_{quantity}.mseed")]
    assert len(names) == len(set(names)) and {"XX.P1..HY1", "XX.P1..HV1", "XX.P1..HS1"} <= set(names), names
    warned = [line for line in said.stderr.splitlines() if ".mseed files of both" in line]
    assert len(warned) == 1 and "far and rx" in warned[0] and "XX.P1..HS1" in warned[0], said.stderr
    assert [line.split("unit ")[1] for line in (done / "export/far.txt").read_text().splitlines() if "unit" in line] == ["(none)"]
    path, = (done / "export").glob("rx_divergence*.segy")
    assert "UNIT (none)" in _read_segy(path).textual_file_header.decode()


def stretched_all(run, dt):
    """The times of all requests, so that samples of every step are dt / 16 * 10 ms apart: 100 Hz."""
    with h5py.File(run / "run.h5", "r+") as file:
        for trace in file["traces"].values():
            trace["time"][...] *= dt * 1e4


@pytest.mark.parametrize("precision, kind", [("single", np.float32), ("double", np.float64)])
@pytest.mark.parametrize("dt", [1e-3, 2.0625e-6, 1 / 3, 1 / 30000.3, 7, 40000])
def test_mseed_holds_every_sample(tmp_path_factory, precision, kind, dt):
    """Values as run.h5 has them, in both precisions; intervals to 1e-9, or to the float of blockette 100; many records join to one channel."""
    done = solved_once(tmp_path_factory, precision)
    stretched(done, dt)
    export(done, "--mseed")
    node = traces(done, "rx/node")
    for shot in range(3):
        read = obspy.read(done / f"export/rx_displacement_shot{shot + 1:04}.mseed", format="MSEED")
        values = traces(done, "rx/displacement")[shot]
        assert len(read) == 26 and values.dtype == kind
        for k in range(13):
            for c, component in enumerate("XY"):
                got, = read.select(station=f"N{node[k]}", channel=f"?X{component}")
                assert got.data.dtype == kind and np.array_equal(got.data, values[k, c])
                assert got.stats.location == f"{shot + 1:02}" and got.stats.network == "XX" and got.stats.starttime.timestamp == 0
                assert abs(got.stats.delta / dt - 1) < (6e-8 if dt in (1 / 30000.3, 2.0625e-6) else 1e-9)


DONE = {}


def solved_once(factory, precision):
    if precision not in DONE:
        DONE[precision] = solved(factory.mktemp(precision), {**CASE, "outputs": {"traces": [*CASE["outputs"]["traces"], {"name": "p", "set": "top"}][:1]
                                                                                 + [{"name": "p", "at": [[1, 1]]}]}}, "--precision", precision)
        with h5py.File(DONE[precision] / "run.h5", "r+") as file:
            file.copy("traces/p", "kept")
    with h5py.File(DONE[precision] / "run.h5", "r+") as file:
        if "traces/p" not in file:
            file.copy("kept", "traces/p")
    return DONE[precision]


@pytest.mark.parametrize("dt", [2.0625e-6, .0123])
def test_mseed_of_many_records(run, dt):
    """20 000 samples are one channel without gaps, of records of 4096 bytes that are numbered; a short one has 512 bytes."""
    lengthen(run, 20000)
    stretched_long(run, dt)
    export(run, "--mseed")
    path = run / "export/rx_pressure_shot0002.mseed"
    data = path.read_bytes()
    assert len(data) == 4096 * 13 * 41 and [data[k:k + 8] for k in (0, 4096, 4096 * 532)] == [b"000001D ", b"000002D ", b"000533D "]
    read = obspy.read(path)
    assert len(read) == 13 and all(t.stats.npts == 20000 and np.array_equal(t.data, np.arange(20000, dtype=np.float64)) for t in read)
    assert {t.stats.channel for t in read} == {"JD1" if dt < 1e-3 else "HD1"}


def stretched_long(run, dt):
    with h5py.File(run / "run.h5", "r+") as file:
        time = file["traces/rx/time"]
        time[...] = (5 + np.arange(time.size) * dt) * 1e6


def test_mseed_begins_where_the_trace_does(run):
    with h5py.File(run / "run.h5", "r+") as file:
        del file["traces/p"]
        time = file["traces/rx/time"]
        time[...] = (-86400 * 366.25 + 12.345678 + np.arange(time.size) * .01) * 1e6
    export(run, "--mseed")
    read = obspy.read(run / "export/rx_velocity_shot0001.mseed")
    assert str(read[0].stats.starttime) == "1968-12-30T18:00:12.345678Z"
    assert (run / "export/rx_velocity_shot0001.mseed").stat().st_size == 512 * 26


@pytest.mark.parametrize("dt, said", [(1.9e-6, "2 microseconds"), (.0625e-6, "2 microseconds"), (6e7, "2099")])
def test_times_that_mseed_cannot_hold_are_refused(run, dt, said):
    stretched(run, dt)
    done = hooke("export", run, "--mseed")
    assert done.returncode == 3 and "rx: " in done.stderr and said in done.stderr and "--sac" in done.stderr
    assert not list((run / "export").iterdir())


def test_long_labels_are_receivers_numbers(run):
    """A label of more than four digits gives the receiver's number; more than 9999 such receivers are refused."""
    stretched(run, .01)
    with h5py.File(run / "run.h5", "r+") as file:
        file["traces/rx/node"][3] = 12345
    export(run, "--mseed")
    read = obspy.read(run / "export/rx_velocity_shot0001.mseed")
    got, = read.select(station="P4", channel="?HY")
    assert np.array_equal(got.data, traces(run, "rx/velocity")[0, 3, 1]) and not read.select(station="N1234*")
    assert "\n4 n12345 12345 " in (run / "export/rx.txt").read_text()
    with h5py.File(run / "run.h5", "r+") as file:
        many = {"node": np.full(10000, -1), "coordinates": np.zeros((10000, 2)), "velocity": np.zeros((3, 10000, 2, 3), np.float32), "time": np.arange(3.) * 1e4}
        for name in list(file["traces/rx"]):
            del file[f"traces/rx/{name}"]
        for name, values in many.items():
            file[f"traces/rx/{name}"] = values
        file["traces/rx/time"].attrs["unit"] = "us"
    done = hooke("export", run, "--mseed")
    assert done.returncode == 3 and "receiver 10000" in done.stderr and "five characters" in done.stderr


@pytest.mark.parametrize("form", ["--segy", "--mseed"])
def test_numbers_beyond_single_precision(tmp_path, form):
    """1e39 is refused by SEG-Y, and kept by miniSEED, whose files hold doubles."""
    done = solved(tmp_path, CASE, "--precision", "double")
    stretched(done, .01)
    with h5py.File(done / "run.h5", "r+") as file:
        file["traces/rx/velocity"][1, 2, 0, 7] = 1e39
    said = hooke("export", done, form)
    assert (said.returncode == 3 and "1e+39" in said.stderr) if form == "--segy" else said.returncode == 0
    if form == "--mseed":
        assert max(t.data.max() for t in obspy.read(done / "export/rx_velocity_shot0002.mseed")) == 1e39


def test_asdf_holds_every_sample_of_every_shot(run):
    """A dataset for each receiver, component and shot, named as pyasdf names them, 2.5 ns apart, which miniSEED cannot tell."""
    stretched(run, 2.5e-9)
    export(run, "--asdf")
    with h5py.File(run / "export/rx_velocity.asdf.h5") as file:
        assert (file.attrs["file_format"], file.attrs["file_format_version"]) == (b"ASDF", b"1.0.3") and set(file) == {"Waveforms", "Provenance", "AuxiliaryData"}
        expected, node = traces(run, "rx/velocity"), traces(run, "rx/node")
        assert len(file["Waveforms"]) == expected.shape[1] == 13
        last = round(2.5 * (expected.shape[3] - 1))
        for shot, receiver, c in np.ndindex(expected.shape[:3]):
            station = f"XX.N{node[receiver]}"
            name = f"{station}..JH{'XY'[c]}__1970-01-01T00:00:00.000000000__1970-01-01T00:00:00.{last:09}__velocity_shot{shot + 1:04}"
            one = file["Waveforms"][station][name]
            assert np.array_equal(one[:], expected[shot, receiver, c]) and one.dtype == expected.dtype
            assert one.attrs["starttime"] == 0 and near(one.attrs["sampling_rate"], 4e8) and one.attrs["unit"] == "mm/us"
        assert sum(len(station) for station in file["Waveforms"].values()) == expected.shape[0] * 13 * 2
        places = file["AuxiliaryData/Coordinates"]
        assert np.allclose(places["receivers"][:, :2], traces(run, "rx/coordinates") * 1e-3) and np.allclose(places["sources"][:, :2], [[.0023, .006], [.012, .003], [0, .003]])


def test_asdf_tells_days_and_leaves_files_of_the_user(tmp_path):
    """Samples 4375 s apart begin on the first of January and end days later; a file of that name stays."""
    done = solved(tmp_path, {**SINGLE, "outputs": {"traces": [{"name": "rx", "at": [[1, 1]], "quantity": "stress"}]}, "solve": {"explicit": {"end": 4, "dt": "0.0625 us"}}})
    stretched_all(done, 7e6)
    export(done, "--asdf")
    with h5py.File(done / "export/rx_stress.asdf.h5") as file:
        name = sorted(file["Waveforms/XX.P1"])[0]
        step = 1 / file["Waveforms/XX.P1"][name].attrs["sampling_rate"]
        end = obspy.UTCDateTime(0) + step * (traces(done, "rx/time").size - 1)
        assert name == f"XX.P1..UY1__1970-01-01T00:00:00__{end.strftime('%Y-%m-%dT%H:%M:%S')}__stress" and near(step, 4375) and end.day == 4
    (done / "export/rx_stress.asdf.h5").write_text("mine")
    (done / "export/written.txt").write_text("")
    said = hooke("export", done, "--asdf")
    assert said.returncode == 8 and (done / "export/rx_stress.asdf.h5").read_text() == "mine" and not list((done / "export").glob("*.part"))
