"""Runs that are stopped at their k-th checkpoint or write: the same moment on every machine, however busy it is."""
import atexit
import contextlib
import functools
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

HOOKE = os.environ["HOOKE"]


@functools.cache
def hook():
    """moments_hook.c, compiled."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, True)
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", f"{folder}/hook.so", str(Path(__file__).with_name("moments_hook.c")), "-ldl"], check=True)
    return f"{folder}/hook.so"


def started_with(settings, words):
    """A checkpoint whenever the run looks whether one is due: at each sample of the energies at the latest."""
    return subprocess.Popen([HOOKE, "run", *map(str, words), "--progress", "none", "--checkpoint", "1e-9"], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "LD_PRELOAD": hook(), **settings})


def run_with(settings, words):
    with started_with(settings, words) as process:
        out, err = process.communicate(timeout=3000)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def stopped_at(call, k, number, *words, times=1):
    """A run that gets a signal at its k-th "checkpoint" or "write", and with `times` at those that follow."""
    return run_with({"HOOK_CALL": call, "HOOK_AT": str(k), "HOOK_SIGNAL": str(int(number)), "HOOK_TIMES": str(times)}, words)


@contextlib.contextmanager
def met_at(call, k, *words, count=""):
    """A run that stands still at its k-th call, until SIGCONT: what a test does meanwhile happens at that moment. `count`: a file for how
    many calls it made until its end."""
    settings = {"HOOK_CALL": call, "HOOK_AT": str(k), "HOOK_SIGNAL": str(int(signal.SIGSTOP)), **({"HOOK_COUNT": str(count)} if count else {})}
    with started_with(settings, words) as process:
        _, how = os.waitpid(process.pid, os.WUNTRACED)
        if not os.WIFSTOPPED(how):
            process.returncode = os.waitstatus_to_exitcode(how)
            raise AssertionError((process.returncode, process.stderr.read()))
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def go_on(process):
    """What it still says on stderr, when it has ended."""
    process.send_signal(signal.SIGCONT)
    return process.communicate(timeout=3000)[1]


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
        return int(file.read() or 0)
