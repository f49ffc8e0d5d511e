"""Runs the command, with a limit on its time, and looks at what it left."""
import functools
import json
import os
import resource
import subprocess
from pathlib import Path

HOOKE = os.environ["HOOKE"]
DATA = Path(os.environ["HOOKE_SOURCE"]) / "tests/data"


def hooke(*words, timeout=60, preexec_fn=None, **more):
    """A hang fails the test: by SIGXCPU after `timeout` seconds of two processors or, where it waits for something, by subprocess.TimeoutExpired.
    A machine with other work takes many times as long by the clock."""
    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (2 * timeout, 2 * timeout + 5))
        if preexec_fn:
            preexec_fn()

    return subprocess.run([HOOKE, *map(str, words)], capture_output=True, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, timeout=max(1000, 30 * timeout), preexec_fn=limits, **more)


def limit(kind, number):
    def set_limit():
        resource.setrlimit(kind, (number, number))
    return set_limit


@functools.cache
def least_addresses():
    """Megabytes of addresses below which the program and its libraries do not load."""
    return next(m for m in range(20, 400, 2) if hooke("--version", preexec_fn=limit(resource.RLIMIT_AS, m << 20)).returncode == 0)


def run(*words, **more):
    return hooke("run", *words, "--progress", "none", **more)


def refused(done, *texts, code=3, **more):
    """Ended with `code`, nothing on stdout, and these texts on stderr."""
    assert done.returncode == code, (done.returncode, done.stderr)
    assert done.stdout == "", done.stdout
    for text in texts:
        assert text in done.stderr, (text, done.stderr)


def state(folder):
    return json.loads((Path(folder) / "run.json").read_text())


def line_of(path, text):
    """1-based number of the first line of a file with a text."""
    return next(i for i, line in enumerate(Path(path).read_text().splitlines(), 1) if text in line)


def differ(a, b):
    """What h5diff says about two files; empty: the same."""
    done = subprocess.run(["h5diff", str(a), str(b)], capture_output=True, text=True, timeout=60)
    return "" if done.returncode == 0 else (done.stdout + done.stderr or "they differ")
