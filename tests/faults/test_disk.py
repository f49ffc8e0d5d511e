"""A disk that is full at many points of a run or of a writer: exit 8, and what was closed before stays as it was.

HOOKE_POINTS: points for each model and verb (a few without it), spread evenly over all that is written."""
import os
import resource
import subprocess
from pathlib import Path

import h5py
import pytest

from command import hooke, run, state
from models import MODELS

POINTS = int(os.environ.get("HOOKE_POINTS", "2"))
RUN = ["--device", "cpu", "--threads", "1"]
DRAWN = ("elastic", "heat")  # with pictures and report, which take most of the time


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def no_file_above(size):
    def set_limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return set_limit


def sizes(folder):
    return {path.relative_to(folder): path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()}


def points(most):
    return [int(most * (k + 0.5) / POINTS) for k in range(POINTS)]


def solved(name, *words):
    Path("m.yaml").write_text(MODELS[name])
    done = run("m.yaml", *RUN, *words)
    assert done.returncode == 0, done.stderr
    return Path("m.hooke")


def readable(folder):
    """run.json is whole or absent and does not say ok; HDF5 files open or were never begun."""
    if (folder / "run.json").exists():
        assert state(folder)["status"] != "ok"
        h5py.File(folder / "run.h5").close()
    for path in folder.glob("*.h5"):
        if path.stat().st_size:
            h5py.File(path).close()


@pytest.mark.parametrize("name", MODELS)
def test_run_whose_files_may_not_grow_ends_in_8(name):
    words = [] if name in DRAWN else ["--no-pictures"]
    whole = sizes(solved(name, *words))
    for k, size in enumerate(points(max(whole.values()))):
        done = run("m.yaml", *RUN, *words, "--output", f"{k}.hooke", preexec_fn=no_file_above(size))
        assert done.returncode == 8 and f"{k}.hooke" in done.stderr, (size, done.returncode, done.stderr)
        readable(Path(f"{k}.hooke"))


@pytest.fixture
def disk(tmp_path):
    """Mounts a file system of a few bytes; root only."""
    place = tmp_path / "disk"
    place.mkdir()

    def mount(size):
        if place.is_mount():
            subprocess.run(["umount", "-l", str(place)], check=True)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(place)], capture_output=True).returncode:
            pytest.skip("mounting needs root; RLIMIT_FSIZE covers the rest")
        return place
    yield mount
    if place.is_mount():
        subprocess.run(["umount", "-l", str(place)], check=True)


def pages(size):
    return -(-size // 4096)


@pytest.mark.parametrize("name", MODELS)
def test_run_on_a_full_disk_ends_in_8(disk, name):
    words = [] if name in DRAWN else ["--no-pictures"]
    whole = sum(pages(size) for size in sizes(solved(name, *words)).values())
    for k in points(whole - 1):
        place = disk(f"{max(1, k) * 4096}")
        done = run("m.yaml", *RUN, *words, "--output", place / "m.hooke")
        assert done.returncode == 8 and "m.hooke" in done.stderr, (k, whole, done.returncode, done.stderr)
        if (place / "m.hooke").exists():
            readable(place / "m.hooke")


WRITERS = {"csv": ["export", "m.hooke", "--csv"], "vtu": ["export", "m.hooke", "--vtu"], "png": ["export", "m.hooke", "--png"],
           "report": ["report", "m.hooke"]}


@pytest.mark.parametrize("name", ["elastic", "shots", "static", "heat"])
@pytest.mark.parametrize("what", WRITERS)
def test_writer_whose_files_may_not_grow_ends_in_8_and_hurts_no_result(name, what):
    """the result's own files keep their bytes; a report is whole or not there"""
    folder = solved(name, "--no-pictures")
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.name != "written.txt"}
    done = hooke(*WRITERS[what])
    assert done.returncode == 0, done.stderr
    written = {path: size for path, size in sizes(folder).items() if folder / path not in before and path.name != "written.txt"}
    if not written:
        assert what == "csv" and name in ("static", "heat"), "nothing was written"
        return
    for size in points(max(written.values())):
        for path in written:
            (folder / path).unlink(missing_ok=True)
        done = hooke(*WRITERS[what], preexec_fn=no_file_above(size))
        assert done.returncode == 8 and "m.hooke" in done.stderr, (size, done.returncode, done.stderr)
        assert before == {path: path.read_bytes() for path in before}
        assert not (folder / "report.html").exists()


OTHERS = {**{f"convert {ending}": ["convert", "m.inp", f"o.{ending}"] for ending in ("msh", "inp", "vtu", "vtkhdf")},
          "partition": ["partition", "m.inp", "--output", "o.blocks"],
          "picture": ["partition", "m.inp", "--output", "blocks", "--picture", "o.png"]}


def plate(cells):
    nodes = [(i, j) for j in range(cells + 1) for i in range(cells + 1)]
    text = "*NODE\n" + "".join(f"{k + 1}, {i}., {j}.\n" for k, (i, j) in enumerate(nodes)) + "*ELEMENT, TYPE=CPE4, ELSET=E\n"
    for e in range(cells * cells):
        a = e // cells * (cells + 1) + e % cells + 1
        text += f"{e + 1}, {a}, {a + 1}, {a + cells + 2}, {a + cells + 1}\n"
    return text


@pytest.mark.parametrize("what", OTHERS)
def test_file_that_may_not_grow_ends_in_8_and_no_half_of_it_is_left(what):
    """a file of that name from before, whole, is either still there or gone: never half of the new one"""
    Path("m.inp").write_text(plate(12))
    words = OTHERS[what]
    out = Path(next(word for word in words if word.startswith("o.")))
    assert hooke(*words).returncode == 0
    whole = out.read_bytes()
    for old in (False, True):
        for size in points(len(whole)):
            out.unlink(missing_ok=True)
            if old:
                out.write_bytes(whole)
            done = hooke(*words, preexec_fn=no_file_above(size))
            assert done.returncode == 8 and any(word in done.stderr for word in (out.name, "blocks: ")), (size, done.returncode, done.stderr)
            assert not out.exists() or out.read_bytes() == whole, size
