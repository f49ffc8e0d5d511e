"""Runs killed by SIGKILL at random writes and restarted end in the very files of a run that was not.

HOOKE_KILLS: kills in all, over all models below; without it a few of the first ones. HOOKE_SEED: other moments."""
import os
import random
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from command import differ, run, state
from models import EXPLICIT, finer, longer
from moments_of import calls_of, killed_at

KILLS = int(os.environ.get("HOOKE_KILLS", "0"))
SEED = int(os.environ.get("HOOKE_SEED", "1"))
FEW = 2  # of each model, in the usual run


class Kind(NamedTuple):
    name: str
    model: str
    precision: str
    device: str = "cpu"
    usual: bool = False


def long(name, times):
    return finer(longer(EXPLICIT[name], times))


KINDS = [Kind("elastic", long("elastic", 20), "single", usual=True), Kind("spectral", long("spectral", 2), "double", usual=True),
         Kind("acoustic", long("acoustic", 6), "single", usual=True), Kind("shots", long("shots", 2), "double", usual=True),
         Kind("layers", long("layers", 3), "single", usual=True), Kind("elastic", long("elastic", 20), "double"),
         Kind("spectral", long("spectral", 2), "single"), Kind("acoustic", long("acoustic", 6), "double"),
         Kind("shots", long("shots", 2), "single"), Kind("layers", long("layers", 3), "double"),
         Kind("damped", long("damped", 20), "single"), Kind("damped", long("damped", 20), "double"),
         Kind("cracked", long("cracked", 10), "single"), Kind("cracked", long("cracked", 10), "double"),
         Kind("elastic", longer(EXPLICIT["elastic"], 10), "single", "opencl"), Kind("spectral", longer(EXPLICIT["spectral"], 3), "double", "opencl"),
         Kind("layers", longer(EXPLICIT["layers"], 4), "single", "opencl"), Kind("shots", longer(EXPLICIT["shots"], 8), "single", "opencl")]
CHOSEN = [kind for kind in KINDS if KILLS or kind.usual]


class Tally:
    def __init__(self):
        self.kills, self.with_checkpoint, self.before_it = 0, 0, 0

    def line(self, kind):
        return (f"{kind}: {self.kills} kills, {self.with_checkpoint} with a checkpoint to go on from, {self.before_it} before the first; "
                "bitwise the same")


TALLIES = {}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def fields(folder):
    return sorted(name for name in os.listdir(folder) if name.endswith(".vtkhdf"))


@pytest.mark.parametrize("kind", CHOSEN, ids=[f"{k.name}-{k.precision}-{k.device}" for k in CHOSEN])
def test_killed_at_random_writes_and_restarted_equals_the_uninterrupted_run(kind):
    tally = TALLIES.setdefault(f"{kind.name}, {kind.precision}, {kind.device}", Tally())
    dice = random.Random(f"{SEED}/{kind.name}/{kind.precision}/{kind.device}")
    Path("k.yaml").write_text(kind.model)
    words = ["k.yaml", "--precision", kind.precision, "--device", kind.device, "--threads", "1", "--no-pictures"]
    writes = calls_of("write", *words, "--output", "whole.hooke")
    wanted = -(-KILLS // len(CHOSEN)) or FEW
    most = max(2, writes // (wanted + 2) if wanted < 10 else writes // 4)
    while tally.kills < wanted:
        going = os.path.exists("k.hooke/checkpoint.h5")
        if not killed_at("write", dice.randrange(1, most), *words, *(["--restart"] if going else ["--force"])):
            most = max(2, most * 3 // 4)  # that run wrote less often than the first, and ended
            continue
        tally.kills += 1
        if os.path.exists("k.hooke/checkpoint.h5"):
            tally.with_checkpoint += 1
            assert subprocess.run(["h5ls", "-r", "k.hooke/run.h5"], capture_output=True).returncode == 0
        else:
            tally.before_it += 1
    last = run(*words, "--restart" if os.path.exists("k.hooke/checkpoint.h5") else "--force")
    assert last.returncode == 0 and state("k.hooke")["status"] == "ok", last.stderr
    assert fields("whole.hooke") == fields("k.hooke") != []
    for name in ["run.h5", *fields("whole.hooke")]:
        assert differ(f"whole.hooke/{name}", f"k.hooke/{name}") == ""
