"""examples/catalyst beside its closed solution."""
import os
import pathlib
import subprocess

import h5py
import numpy as np
import pytest

FOLDER = pathlib.Path(os.environ["HOOKE_SOURCE"]) / "examples/catalyst"


@pytest.mark.parametrize("name", ["slab", "ignite"])
def test_catalyst(tmp_path, name):
    """A = cosh(phi (1 - x)) / cosh(phi), B = 2 (1 - A), what enters is phi tanh(phi) times the height, and leaves as B."""
    done = subprocess.run([os.environ["HOOKE"], "run", "-q", "--no-pictures", "--output", tmp_path / "out", FOLDER / f"{name}.yaml"], capture_output=True,
                          text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    with h5py.File(tmp_path / "out/run.h5") as file:
        x = file["static/coordinates"][:, 0]
        frames = [{q: v[:, 0] for q, v in step.items()} for k, step in sorted(file["static"].items()) if k.isdigit()]
    last, a = frames[-1], np.cosh(3 * (1 - x)) / np.cosh(3)
    assert np.abs(last["A"] - a).max() <= 1e-5
    assert np.abs(last["B"] - 2 * (1 - a)).max() <= 2e-5
    enters = 0.2 * 3 * np.tanh(3)
    assert last["reaction_A"].sum() == pytest.approx(enters, rel=1e-4)
    assert last["reaction_B"].sum() == pytest.approx(-enters, rel=1e-4)
    assert len(frames) == (10 if name == "ignite" else 1)
