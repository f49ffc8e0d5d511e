"""What a model, mesh or result names is a plain file, and holds what it says: pipes are not waited for, other files are not read through
HDF5's links and external storage, symbolic links in the result folder are not followed."""
import os
import shutil
import subprocess

import h5py
import numpy as np
import pytest

from command import HOOKE, hooke, refused, run
from models import MODELS

SECRET = b"root:x:0:0:root:/root:/bin/bash\n" * 64
RUN = ["--device", "cpu", "--threads", "1", "--no-pictures"]


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("solved")
    (folder / "m.yaml").write_text(MODELS["elastic"])
    done = run(folder / "m.yaml", *RUN, "--output", folder / "m.hooke")
    assert done.returncode == 0, done.stderr
    assert hooke("convert", folder / "m.hooke/field.vtkhdf", folder / "m.msh").returncode in (0, 3)
    return folder / "m.hooke"


@pytest.fixture
def forged(solved, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(solved, "f.hooke")
    (tmp_path / "secret").write_bytes(SECRET)
    with h5py.File("secret.h5", "w") as file:
        file["x"] = np.arange(1000.0)
    return tmp_path / "f.hooke"


def external_storage(group, name, data):
    group.create_dataset(name, shape=data.shape, dtype="u1", external=[("secret", 0, data.size)])


def external_link(group, name, data):
    group[name] = h5py.ExternalLink("secret.h5", "/x")


def link_to_a_link(group, name, data):
    group["hidden"] = h5py.ExternalLink("secret.h5", "/x")
    group[name] = h5py.SoftLink(group.name + "/hidden")


def virtual_dataset(group, name, data):
    layout = h5py.VirtualLayout(shape=data.shape, dtype="f8")
    layout[...] = h5py.VirtualSource("secret.h5", "x", shape=data.shape)
    group.create_virtual_dataset(name, layout)


FORGERS = [external_storage, external_link, link_to_a_link, virtual_dataset]


def replace(path, place, forger):
    with h5py.File(path, "r+") as file:
        group, name = file[os.path.dirname(place)], os.path.basename(place)
        data = group[name][()]
        del group[name]
        forger(group, name, data)


@pytest.mark.parametrize("forger", FORGERS)
@pytest.mark.parametrize("place", ["/traces/rx/displacement", "/traces/rx/time", "/traces/rx/node", "/energy/kinetic"])
def test_a_result_with_numbers_of_other_files_is_refused(forged, place, forger):
    replace("f.hooke/run.h5", place, forger)
    for words in (["export", "f.hooke", "--csv"], ["report", "f.hooke"], ["compare", "f.hooke", "f.hooke"]):
        if words[0] == "compare" and "rx/node" in place or words[0] != "compare" and "energy" in place:
            continue  # it does not read that
        done = hooke(*words)
        assert done.returncode == 3 and not any("114,111" in path.read_text() for path in forged.rglob("*.csv")), (words, done)


@pytest.mark.parametrize("forger", FORGERS)
@pytest.mark.parametrize("place", ["/VTKHDF/Points", "/VTKHDF/Connectivity", "/VTKHDF/Types"])
def test_a_mesh_with_numbers_of_other_files_is_refused(forged, place, forger):
    replace("f.hooke/field.vtkhdf", place, forger)
    shutil.copy("f.hooke/field.vtkhdf", "m.vtkhdf")
    for words in (["info", "m.vtkhdf"], ["convert", "m.vtkhdf", "m.msh"]):
        done = hooke(*words)
        assert done.returncode == 3 and "121" not in done.stderr, (words, done.stderr)


@pytest.mark.parametrize("group", ["/traces", "/traces/rx", "/VTKHDF", "/VTKHDF/PointData"])
def test_a_link_to_a_pipe_is_not_waited_for(forged, group):
    os.mkfifo("pipe")
    name = "field.vtkhdf" if "VTK" in group else "run.h5"
    with h5py.File(f"f.hooke/{name}", "r+") as file:
        file.move(group, "/gone")
        file[group] = h5py.ExternalLink("pipe", "/x")
    for words in (["info", f"f.hooke/{name}"], ["info", "f.hooke"], ["export", "f.hooke", "--csv", "--png"]):
        hooke(*words, timeout=20)


@pytest.mark.parametrize("name", ["p.inp", "p.yaml", "p.json", "p.msh", "p.vtu", "p.vtkhdf", "p.blocks", "p.inp.gz"])
def test_a_pipe_is_refused_and_not_waited_for(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo(name)
    for verb in ("info", "check", "run", "partition"):
        refused(hooke(verb, name, timeout=20), "pipe")


def test_a_pipe_that_a_model_names_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    for text in ("*INCLUDE, INPUT=pipe\n", "*NODE, INPUT=pipe\n*STEP\n"):
        (tmp_path / "d.inp").write_text(text)
        refused(hooke("check", "d.inp", timeout=20), "pipe")
    for name in ("pipe.msh", "pipe.vtu", "pipe.csv"):
        os.mkfifo(name)
    for mesh in ("pipe.msh", "pipe.vtu"):
        (tmp_path / "c.yaml").write_text(f"mesh: {mesh}\n" + "".join(MODELS["elastic"].splitlines(True)[1:]))
        refused(hooke("check", "c.yaml", timeout=20), "pipe")
    (tmp_path / "c.yaml").write_text(MODELS["elastic"].replace("{ricker: {frequency: 0.5}}", "{table: {file: pipe.csv}}"))
    refused(hooke("check", "c.yaml", timeout=20), "pipe")


@pytest.mark.parametrize("name", ["run.h5", "log.txt", "run.json", "field.vtkhdf", "checkpoint.h5", "report.html"])
@pytest.mark.parametrize("model", ["elastic", "static"])
def test_symbolic_links_in_the_result_folder_are_not_followed(name, model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.yaml").write_text(MODELS[model])
    (tmp_path / "victim").write_text("mine")
    for force in ([], ["--force"]):
        shutil.rmtree("out", ignore_errors=True)
        os.mkdir("out")
        os.symlink("../victim", f"out/{name}")
        done = run("m.yaml", *RUN, *force, "--output", "out")
        assert done.returncode in (0, 2, 8), done.stderr
        assert (tmp_path / "victim").read_text() == "mine"
