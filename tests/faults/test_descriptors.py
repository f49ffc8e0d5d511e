"""A command that is started with closed descriptors writes its messages into no file, and ends as it would with open ones."""
import os
import subprocess

import pytest

from command import HOOKE
from models import MODELS


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.yaml").write_text(MODELS["layers"])


def hooke(closed, *words):
    """-q is not given: the model has warnings or notes to say"""
    def close():
        for fd in closed:
            os.close(fd)
    return subprocess.run([HOOKE, "run", "m.yaml", "--device", "cpu", "--no-pictures", *words], preexec_fn=close, timeout=3000).returncode


def traces(folder):
    import h5py
    with h5py.File(f"{folder}/run.h5") as file:
        return {name: data[()].tobytes() for request in file["traces"].values() for name, data in request.items()}


@pytest.mark.parametrize("closed", [(2,), (0, 2), (0, 1, 2), (1, 2), (0,)])
def test_results_are_whole_whatever_is_closed(closed):
    assert hooke((), "--output", "open") == 0
    code = hooke(closed, "--output", "closed", "--progress", "json")
    assert code == (8 if 1 in closed else 0)
    assert traces("closed") == traces("open")
