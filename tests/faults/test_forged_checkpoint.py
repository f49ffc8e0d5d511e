"""A checkpoint whose check sum fits and whose numbers do not: refused in words, or resumed to an end that is told."""
import shutil
import signal
import struct

import h5py
import numpy as np
import pytest

from command import run
from models import MODELS, longer
from moments_of import stopped_at

MASK = 2**64 - 1
VALUES = [-1, -2**63, 1 << 31, 1 << 32, (1 << 32) + 1, 2**63 - 1, 10**6]


def fnv(data, h=0):
    h = h or 14695981039346656037
    for byte in data:
        h = (h ^ byte) * 1099511628211 & MASK
    return h


def piece(data):
    h = len(data)
    for (word,) in struct.iter_unpack("<Q", data[:len(data) // 8 * 8]):
        h = (h ^ word) * 0x9E3779B97F4A7C15 & MASK
        h ^= h >> 29
    return fnv(data[len(data) // 8 * 8:], h)


def large(data, h):
    """hk_hash_large (base/base.h): the hashes of pieces are hashed, 1024 at a time."""
    of = [piece(data[at:at + (1 << 18)]) for at in range(0, len(data), 1 << 18)]
    for at in range(0, len(of), 1024):
        h = fnv(struct.pack(f"<{len(of[at:at + 1024])}Q", *of[at:at + 1024]), h)
    return h


def checksum(numbers, reals, state):
    return large(state, fnv(reals.tobytes(), fnv(struct.pack("<8q", *numbers[:8]))))


def forge(path, change):
    """change(numbers, reals, state): in place"""
    with h5py.File(path, "r+") as file:
        numbers, reals = [int(x) for x in file["numbers"][()]], file["reals"][()]
        state = bytearray(file["state"][()].tobytes())
        known = checksum(numbers, reals, bytes(state[:numbers[4]]))
        assert known == numbers[8] & MASK
        change(numbers, reals, state)
        kept = bytes(state[:max(0, min(numbers[4], len(state)))])
        numbers[8] = struct.unpack("<q", struct.pack("<Q", checksum(numbers, reals, kept)))[0]
        file["numbers"][...], file["reals"][...] = numbers, reals
        file["state"][...] = np.frombuffer(bytes(state), "i8")


@pytest.fixture(scope="module", params=["elastic", "shots"])
def interrupted(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "m.yaml").write_text(longer(MODELS[request.param], 20))
    done = stopped_at("checkpoint", 2, signal.SIGINT, folder / "m.yaml", "--output", folder / "m.hooke", "-q", "--no-pictures", "--device", "cpu")
    assert done.returncode == 130, done.stderr
    return folder


def restarted(interrupted, change):
    shutil.copytree(interrupted, "c", dirs_exist_ok=True)
    forge("c/m.hooke/checkpoint.h5", change)
    return run("c/m.yaml", "--no-pictures", "--device", "cpu", "--output", "c/m.hooke", "--restart", timeout=100)


@pytest.mark.parametrize("which", [2, 3, 4, 5, 6, 7])
def test_numbers_beyond_the_model_are_refused(interrupted, which, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for value in VALUES:
        def change(numbers, reals, state):
            numbers[which] = value
        done = restarted(interrupted, change)
        assert done.returncode == 3 and "checkpoint" in done.stderr, (value, done.returncode, done.stderr)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_reals_that_are_no_numbers_are_refused(interrupted, value, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for which in range(6):
        def change(numbers, reals, state):
            reals[which] = value
        done = restarted(interrupted, change)
        assert done.returncode == 3 and "checkpoint" in done.stderr, (which, done.returncode, done.stderr)

    def ledger(numbers, reals, state):
        state[numbers[4] - 8:numbers[4]] = struct.pack("<d", value)
    done = restarted(interrupted, ledger)
    assert done.returncode == 3 and "checkpoint" in done.stderr, (done.returncode, done.stderr)
