"""hooke export --movie: an animated PNG, chunk by chunk, whose frames are the pictures of the field."""
import io
import json
import os
import struct
import subprocess
import zlib

import matplotlib.image
import numpy as np
import pytest

HOOKE = os.environ["HOOKE"]
CASE = {
    "units": "none", "mesh": {"rectangle": {"size": [2, 1], "cells": [24, 12]}}, "materials": {"m": {"density": 1, "young": 1, "poisson": 0.3}},
    "sources": [{"at": [0.5, 0.5], "force": 1, "direction": [0, 1], "signal": {"ricker": {"frequency": 2}}}],
    "outputs": {"traces": [{"name": "a", "at": [[1, 0.5]]}], "field": {"quantity": ["velocity", "displacement"], "frames": 5}}, "solve": {"explicit": {"end": 2}}}
HEAD = b"\x89PNG\r\n\x1a\n"


def hooke(*words):
    return subprocess.run([HOOKE, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def solved(folder, **more):
    (folder / "case.json").write_text(json.dumps(CASE | more))
    done = hooke("run", folder / "case.json", "--output", folder / "out", "-q", "--no-pictures")
    assert done.returncode == 0, done.stderr
    return folder / "out"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return solved(tmp_path_factory.mktemp("movie"))


def chunks(data):
    """(kind, data) of each, whose checksum is right."""
    assert data.startswith(HEAD)
    at = len(HEAD)
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0], kind
        yield kind.decode(), body
        at += 12 + size


def packed(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def frames(data):
    """Each frame as a PNG of its own, decoded, and its seconds."""
    parts = list(chunks(data))
    (first, header), (second, control) = parts[:2]
    assert (first, second, parts[-1]) == ("IHDR", "acTL", ("IEND", b"")) and [kind for kind, _ in parts].count("IHDR") == 1
    count, plays = struct.unpack(">II", control)
    number, found = 0, []
    for kind, body in parts[2:-1]:
        if kind in ("fcTL", "fdAT"):
            assert struct.unpack(">I", body[:4])[0] == number
            number += 1
        if kind == "fcTL":
            width, height, x, y, above, below, dispose, blend = struct.unpack(">4I2H2B", body[4:])
            assert (width, height) == struct.unpack(">II", header[:8]) and (x, y, dispose, blend) == (0, 0, 0, 0)
            found.append([above / below, b""])
        elif kind == "fdAT":
            assert len(found) > 1
            found[-1][1] += body[4:]
        else:
            assert kind == "IDAT" and len(found) == 1
            found[-1][1] += body
    assert len(found) == count and plays == 0
    images = [HEAD + packed(b"IHDR", header) + packed(b"IDAT", body) + packed(b"IEND", b"") for _, body in found]
    return [matplotlib.image.imread(io.BytesIO(image)) for image in images], [seconds for seconds, _ in found]


def test_its_frames_are_the_pictures(run):
    done = hooke("export", run, "--movie")
    assert done.returncode == 0 and sorted(p.name for p in (run / "export").iterdir()) == ["field_displacement.apng", "field_velocity.apng", "written.txt"]
    assert hooke("export", run, "--png").returncode == 0
    for quantity in ("velocity", "displacement"):
        images, seconds = frames((run / "export" / f"field_{quantity}.apng").read_bytes())
        assert len(images) == 6 and seconds == [1 / 12] * 5 + [1]
        for k, image in enumerate(images):
            picture = matplotlib.image.imread(run / "export" / f"field_{quantity}_{k:04}.png")[..., :3]
            rows, columns = (np.linspace(0, n - 1, 40).astype(int) for n in image.shape[:2])
            large, wide = (np.linspace(0, n - 1, 40).astype(int) for n in picture.shape[:2])
            away = np.abs(image[np.ix_(rows, columns)][..., :3] - picture[np.ix_(large, wide)]).mean()
            others = [np.abs(other[np.ix_(rows, columns)][..., :3] - picture[np.ix_(large, wide)]).mean() for j, other in enumerate(images) if j != k and j > 0]
            assert k == 0 or away < 0.5 * min(others), (quantity, k, away, others)


def test_what_cannot_be_shown_is_told(tmp_path):
    out = solved(tmp_path, outputs={"traces": [{"name": "a", "at": [[1, 0.5]]}]})
    done = hooke("export", out, "--movie")
    assert done.returncode == 3 and "has no frames of fields" in done.stderr


def test_files_of_the_user_stay(tmp_path):
    out = solved(tmp_path)
    (out / "export").mkdir()
    (out / "export" / "field_velocity.apng").write_text("mine")
    done = hooke("export", out, "--movie")
    assert done.returncode == 8 and (out / "export" / "field_velocity.apng").read_text() == "mine"
