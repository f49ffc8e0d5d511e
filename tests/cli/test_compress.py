"""hooke export --compress: what is unpacked, by HDF5's filters or by zlib as VTK defines it, is what the run wrote."""
import json
import os
import re
import struct
import subprocess
import zlib

import h5py
import numpy as np
import pytest

HOOKE = os.environ["HOOKE"]
CASE = {
    "units": {"length": "mm", "time": "us"},
    "mesh": {"rectangle": {"size": [12, 11], "cells": [120, 110]}},
    "materials": {"steel": {"density": "7850 kg/m^3", "young": "210 GPa", "poisson": 0.3}},
    "sources": [{"at": [3, 5], "force": "1 kN", "direction": [0, -1], "signal": {"ricker": {"frequency": "2 MHz"}}}],
    "outputs": {"field": {"quantity": ["velocity", "displacement"], "frames": 8}},
    "solve": {"explicit": {"end": "1 us"}}}
TYPE = {"Float64": "f8", "Float32": "f4", "Int64": "i8", "UInt8": "u1"}
ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')


def hooke(*words):
    return subprocess.run([HOOKE, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def export(run, *words):
    done = hooke("export", run, *words)
    assert done.returncode == 0, done.stderr
    return run / "export"


def solved(folder, *words):
    (folder / "case.json").write_text(json.dumps(CASE))
    done = hooke("run", folder / "case.json", "--output", folder / "case.hooke", "-q", "--no-pictures", "--device", "cpu", *words)
    assert done.returncode == 0, done.stderr
    return folder / "case.hooke"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return solved(tmp_path_factory.mktemp("compress"))


def objects(file):
    """{path: (values or None, attributes)}"""
    found = {"/": (None, dict(file.attrs))}
    file.visititems(lambda name, o: found.update({name: (o[:] if isinstance(o, h5py.Dataset) else None, dict(o.attrs))}))
    return found


def test_deflated_fields(run):
    """groups, attributes, types and bits are those of the run; large arrays are in chunks, shuffled and deflated; the file is smaller"""
    folder = export(run, "--compress")
    assert sorted(p.name for p in folder.iterdir()) == ["field.vtkhdf", "written.txt"]
    with h5py.File(run / "field.vtkhdf") as plain, h5py.File(folder / "field.vtkhdf") as packed:
        ours, theirs = objects(plain), objects(packed)
        assert list(ours) == list(theirs) and "VTKHDF/PointData/velocity" in ours
        for path, (values, attributes) in ours.items():
            assert attributes.keys() == theirs[path][1].keys()
            assert all(np.array_equal(attributes[k], theirs[path][1][k]) for k in attributes), path
            if values is not None:
                assert values.dtype == theirs[path][0].dtype and values.tobytes() == theirs[path][0].tobytes(), path
        many = packed["VTKHDF/PointData/velocity"]
        assert many.chunks and many.chunks[0] < many.shape[0] and many.shuffle and many.compression == "gzip"
    assert (folder / "field.vtkhdf").stat().st_size < 0.9 * (run / "field.vtkhdf").stat().st_size


def test_deflated_fields_are_read_by_hooke(run, tmp_path):
    """info and compare take the packed field in place of the plain one"""
    import shutil
    other = tmp_path / "other.hooke"
    shutil.copytree(run, other, ignore=shutil.ignore_patterns("export"))
    shutil.copy(export(run, "--compress") / "field.vtkhdf", other / "field.vtkhdf")
    done = hooke("compare", run, other, "--tolerance", "1e-15")
    assert done.returncode == 0 and "velocity" in done.stdout, done.stdout + done.stderr
    assert hooke("info", other).returncode == 0


def arrays(path):
    """{name: values} of a .vtu file with appended raw data, packed or not"""
    data = path.read_bytes()
    head, _, rest = data.partition(b'<AppendedData encoding="raw">')
    rest = rest[rest.index(b"_") + 1:]
    packed = b'compressor="vtkZLibDataCompressor"' in head
    found = {}
    for tag in re.findall(r"<DataArray [^>]*>", head.decode()):
        about = dict(ATTRIBUTE.findall(tag))
        at = int(about["offset"])
        first, = struct.unpack_from("<Q", rest, at)
        if packed:
            block, last = struct.unpack_from("<2Q", rest, at + 8)
            sizes = struct.unpack_from(f"<{first}Q", rest, at + 24)
            at, bytes_ = at + 24 + 8 * first, b""
            for k, size in enumerate(sizes):
                one = zlib.decompress(rest[at:at + size])
                assert len(one) == (last if last and k == first - 1 else block)
                at, bytes_ = at + size, bytes_ + one
        else:
            bytes_ = rest[at + 8:at + 8 + first]
        found[about["Name"]] = np.frombuffer(bytes_, "<" + TYPE[about["type"]])
    return found


def test_vtu_by_zlib(run):
    """each array of each frame is that of the plain file"""
    folder = export(run, "--vtu")
    plain = {p.name: (arrays(p), p.stat().st_size) for p in folder.glob("*.vtu")}
    export(run, "--vtu", "--compress")
    assert len(plain) == 9 and {p.name for p in folder.glob("*.vtu")} == plain.keys()
    for name, (values, size) in plain.items():
        got = arrays(folder / name)
        assert values.keys() == got.keys() == {"Points", "connectivity", "offsets", "types", "velocity", "displacement"}
        assert all(values[k].tobytes() == got[k].tobytes() for k in values), name
        assert (folder / name).stat().st_size < 0.8 * size
        assert b"vtkZLibDataCompressor" in (folder / name).read_bytes()[:400]
    assert hooke("convert", folder / "field_0003.vtu", folder.parent.parent / "back.msh").returncode == 0


def test_what_cannot_be_packed(tmp_path, run):
    """frames that are .vtu already, and a run without frames, end in a message that says what to do"""
    other = solved(tmp_path, "--field-format", "vtu")
    done = hooke("export", other, "--compress")
    assert done.returncode == 3 and "name vtu as well" in done.stderr
    assert arrays(export(other, "--vtu", "--compress") / "field_0005.vtu")["velocity"].size
    for file in other.glob("field*"):
        file.unlink()
    done = hooke("export", other, "--compress")
    assert done.returncode == 3 and "has no frames of fields" in done.stderr
    assert not (other / "export" / "field.vtkhdf").exists()
