"""hooke export --movie and --film: an animated PNG, chunk by chunk, whose frames are the pictures of the field; and other films by a program
that stands in for ffmpeg: what it is told, the frames that it reads, and that it may fail at any time."""
import io
import json
import os
import re
import struct
import subprocess
import sys
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


def hooke(*words, **surroundings):
    return subprocess.run([HOOKE, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL, env=os.environ | surroundings)


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


def test_a_film_shows_what_was_chosen(run, tmp_path):
    """The frames from 0.7 to 1.7, 0.8 and 1.2 and 1.6, of a signed component with fixed ends, 2.5 a second."""
    words = ("--quantity", "velocity", "--component", "y", "--range=-0.1,0.1", "--time", "0.7,1.7")
    film = tmp_path / "velocity.png"
    done = hooke("export", run, "--film", film, *words, "--frame-rate", "2.5")
    assert (done.returncode, done.stdout) == (0, f"{film}\n"), done.stderr
    images, seconds = frames(film.read_bytes())
    assert len(images) == 3 and seconds == [0.4, 0.4, 1]
    (run / "export").mkdir(exist_ok=True)
    for old in (run / "export").glob("*.png"):
        old.unlink()
    assert hooke("export", run, "--png", *words).returncode == 0
    pictures = [matplotlib.image.imread(path)[..., :3] for path in sorted((run / "export").glob("field_velocity_*.png"))]
    assert len(pictures) == 3  # the same choice of pictures that stand still
    for image, picture in zip(images, pictures):
        rows, columns = (np.linspace(0, n - 1, 60).astype(int) for n in image.shape[:2])
        large, wide = (np.linspace(0, n - 1, 60).astype(int) for n in picture.shape[:2])
        assert np.abs(image[np.ix_(rows, columns)][..., :3] - picture[np.ix_(large, wide)]).mean() < 0.02
    colours = images[1][120:-120, 120:-200, :3]
    assert ((colours[..., 0] - colours[..., 2]) > 0.2).any() and ((colours[..., 2] - colours[..., 0]) > 0.2).any()  # red and blue: both signs


FFMPEG = """#!{python}
import json, sys
if sys.argv[1:] == ["-version"]:
    sys.exit({starts})
json.dump(sys.argv[1:], open({record!r}, "w"))
{read}
{end}
"""


def stand_in(folder, *, starts=0, read="data = sys.stdin.buffer.read()", end="open(sys.argv[-1][len('file:'):], 'wb').write(data)"):
    """The variables with which a program named ffmpeg is found."""
    program = folder / "ffmpeg"
    program.write_text(FFMPEG.format(python=sys.executable, starts=starts, record=str(folder / "words.json"), read=read, end=end))
    program.chmod(0o755)
    return {"PATH": str(folder)}


@pytest.mark.parametrize("ending, codec", [("gif", "gif"), ("mp4", "libx264"), ("webm", "libvpx-vp9")])
def test_ffmpeg_is_given_the_frames(run, tmp_path, ending, codec):
    """What it reads are the frames of the animated PNG, byte by byte, and the file is what it wrote."""
    choice = ("--quantity", "velocity", "--decibels", "40")
    assert hooke("export", run, "--film", tmp_path / "a.apng", *choice).returncode == 0
    images, _ = frames((tmp_path / "a.apng").read_bytes())
    done = hooke("export", run, "--film", tmp_path / f"a b.{ending}", *choice, "--frame-rate", "24", OMP_NUM_THREADS="1", **stand_in(tmp_path))  # two batches
    assert done.returncode == 0, done.stderr
    read = np.frombuffer((tmp_path / f"a b.{ending}").read_bytes(), np.uint8).reshape(len(images), *images[0].shape[:2], 3)
    assert (read == np.round(np.stack(images)[..., :3] * 255)).all()
    words = json.loads((tmp_path / "words.json").read_text())
    value = {word: words[k + 1] for k, word in enumerate(words[:-1])}
    assert value["-video_size"] == f"{images[0].shape[1]}x{images[0].shape[0]}" and value["-framerate"] == "24"
    assert codec in (value.get("-c:v"), words[-3]) and words[words.index("-i"):][:2] == ["-i", "pipe:0"]
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(["a.apng", f"a b.{ending}", "ffmpeg", "words.json"])  # nothing lies beside


@pytest.mark.parametrize("how, told", [
    ({"end": "print('no such encoder', file=sys.stderr); sys.exit(7)"}, "ffmpeg failed with code 7: no such encoder"),
    ({"read": "sys.stdin.buffer.read(1000)", "end": "print('it broke', file=sys.stderr); sys.exit(1)"}, "failed with code 1: it broke"),
    ({"read": "", "end": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"}, "failed with code 128: it said nothing"),
    ({"read": "sys.stdin.buffer.read(1000)", "end": ""}, "ended before it had all frames|wrote nothing"),
    ({"end": ""}, "ffmpeg wrote nothing")])
def test_a_film_that_fails_leaves_the_old_one(run, tmp_path, how, told):
    film = tmp_path / "a.mp4"
    film.write_text("old")
    done = hooke("export", run, "--film", film, "--quantity", "velocity", **stand_in(tmp_path, **how))
    assert done.returncode == 8 and re.search(told, done.stderr), done.stderr
    assert film.read_text() == "old" and sorted(p.name for p in tmp_path.iterdir()) == ["a.mp4", "ffmpeg", "words.json"]


def test_what_a_film_needs_is_told(run, tmp_path):
    film = tmp_path / "a.mp4"
    for surroundings in ({"PATH": str(tmp_path)}, stand_in(tmp_path, starts=1)):
        done = hooke("export", run, "--film", film, "--quantity", "velocity", **surroundings)
        assert done.returncode == 3 and "ffmpeg" in done.stderr and ".apng" in done.stderr and not film.exists()
    gif = tmp_path / "a.gif"
    for words, told in (
            (("--film", tmp_path / "a.avi"), "ends in .apng, .png, .gif, .mp4 or .webm"), (("--film", film), "2 quantities"),
            (("--film", film, "--quantity", "velocity", "--time", "1"), "a first and a last time"),
            (("--film", gif, "--quantity", "velocity", "--frame-rate", "51"), "from 0.2 to 50"),
            (("--film", film, "--quantity", "velocity", "--shot", "2"), "no frames of shot 2"),
            (("--film", film, "--quantity", "velocity", "--section", "wiggle"), "no sections"),
            (("--film", film, "--quantity", "velocity", "--time", "5,6"), "no frame lies there"),
            (("--film", film, "--quantity", "velocity", "--time", "2,1"), "above the first"),
            (("--csv", "--frame-rate", "12"), "name --movie or --film"), (("--csv", "--shot", "1"), "name --film FILE"),
            (("--png", "--time", "1,2,3"), "1 or 2 numbers")):
        done = hooke("export", run, *words, **stand_in(tmp_path))
        assert done.returncode == 2 and told in done.stderr, (words, done.stderr)
        assert not film.exists() and not gif.exists()
