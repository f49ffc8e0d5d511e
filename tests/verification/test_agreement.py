"""The methods against each other on the shipped weld deck; threads and repetition."""
import gzip
import os
import re
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest

from command import FLAT_METHODS, call

WELD = Path(os.environ["HOOKE_SOURCE"]) / "examples/weld/weld.inp.gz"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Holds weld.inp: the shipped deck without its frames, which cost more than the waves; and short.inp, its first 500 steps."""
    made = tmp_path_factory.mktemp("weld")
    deck, frames = re.subn(r"\*OUTPUT, FIELD.*\n\*NODE OUTPUT\nU, V\n", "", gzip.decompress(WELD.read_bytes()).decode())
    assert frames == 1
    (made / "weld.inp").write_text(deck)
    short, ends = re.subn(r"\n1.e-9, 6e-06\n", "\n1.e-9, 5e-07\n", deck)
    assert ends == 1
    (made / "short.inp").write_text(short)
    return made


def solve(folder, deck, method, threads, *words, name=""):
    """run.h5 of folder/deck.inp."""
    out = folder / f"{deck}-{method}-{threads}{name}"
    done = call("run", folder / f"{deck}.inp", "--set", f"solve.explicit.method={method}", "--threads", threads, "--output",
                out, "-q", *words)
    assert done.returncode == 0, done.stderr
    return out / "run.h5"


def traces(path):
    with h5py.File(path) as file:
        return {name: group["displacement"][:] for name, group in file["traces"].items()}


def assert_same_bits(a, b):
    done = subprocess.run(["h5diff", a, b], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stdout, done.stdout[:2000]


@pytest.fixture(scope="module")
def stored(folder):
    return traces(solve(folder, "weld", "stored", 2, "--precision", "double"))


@pytest.mark.parametrize("method", FLAT_METHODS[1:])
def test_methods_agree_on_the_weld(folder, stored, method):
    """Traces by this method = those by `stored`, to 1e-10 of the peak of each, in double."""
    reference, other = stored, traces(solve(folder, "weld", method, 2, "--precision", "double"))
    assert reference.keys() == other.keys() and reference
    for name, expected in reference.items():
        peak, worst = np.abs(expected).max(), np.abs(other[name] - expected).max()
        print(method, name, "difference / peak", worst / peak)
        assert 0 < peak < np.inf and worst <= 1e-10 * peak


@pytest.mark.parametrize("method", FLAT_METHODS)
def test_one_thread_gives_the_bits_of_two(folder, method):
    """h5diff of run.h5 by one and by two threads in double is silent."""
    assert_same_bits(*(solve(folder, "short", method, threads, "--precision", "double") for threads in (1, 2)))


@pytest.mark.parametrize("method", FLAT_METHODS)
def test_repeated_run_gives_the_same_bits(folder, method):
    """h5diff of two runs in single by two threads is silent."""
    assert_same_bits(*(solve(folder, "short", method, 2, name=name) for name in ("-first", "-second")))
