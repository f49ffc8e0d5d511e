"""Runs that are stopped at their k-th checkpoint or write: the same moment on every machine, however busy it is."""
import atexit
import functools
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from command import HOOKE


@functools.cache
def hook():
    """moments_hook.c, compiled."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, True)
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", f"{folder}/hook.so", str(Path(__file__).with_name("moments_hook.c")), "-ldl"], check=True)
    return f"{folder}/hook.so"


def run_with(settings, words):
    """A checkpoint whenever the run looks whether one is due: at each sample of the energies at the latest."""
    return subprocess.run([HOOKE, "run", *map(str, words), "--progress", "none", "--checkpoint", "1e-9"], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=3000, env={**os.environ, "LD_PRELOAD": hook(), **settings})


def stopped_at(call, k, number, *words):
    """A run that gets a signal at its k-th "checkpoint" or "write"."""
    return run_with({"HOOK_CALL": call, "HOOK_AT": str(k), "HOOK_SIGNAL": str(int(number))}, words)


def killed_at(call, k, *words):
    """True: it came so far, and was killed."""
    done = stopped_at(call, k, signal.SIGKILL, *words)
    assert done.returncode in (0, -signal.SIGKILL), (done.returncode, done.stderr)
    return done.returncode != 0


def calls_of(call, *words):
    """How many of them a run to its end makes."""
    with tempfile.NamedTemporaryFile("r") as file:
        done = run_with({"HOOK_CALL": call, "HOOK_COUNT": file.name}, words)
        assert done.returncode == 0, done.stderr
        return int(file.read())
