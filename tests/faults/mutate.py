"""Inputs cut and changed at random, given to the command; what becomes of each is counted. The dice are seeded: a failure comes again.

HOOKE_MUTATIONS: decks and meshes in all (others in proportion; a small share is the default); HOOKE_SEED: other dice."""
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable, NamedTuple

from command import HOOKE
from moments import seconds_of

FEW = 400
MUTATIONS = int(os.environ.get("HOOKE_MUTATIONS", FEW))
SEED = int(os.environ.get("HOOKE_SEED", "1"))
MEMORY = 2 << 30  # no input here justifies more
SECONDS_PER_MB = 2
PATIENCE = 60  # then SIGINT, which must end a run within 5 s; long, for a machine with other work


class Subject(NamedTuple):
    """words: the command's, for a file of that name whose bytes are changed; beside: files that stay as they are."""
    name: str
    kind: str
    data: bytes
    file: str
    words: list
    share: float  # of HOOKE_MUTATIONS
    ends: tuple = (0, 3)
    look: Callable = None  # (folder, stdout) of an end in 0: what is wrong, or None
    beside: dict = {}
    reads: bool = True  # so that 2 s per MB are its limit; else it computes


class Tally:
    """What became of the cases of one kind."""
    def __init__(self):
        self.ends, self.slowest, self.largest = Counter(), 0.0, 0

    def add(self, end, seconds, kilobytes):
        self.ends[end] += 1
        self.slowest, self.largest = max(self.slowest, seconds), max(self.largest, kilobytes)

    def line(self, kind):
        ends = ", ".join(f"{end}: {count}" for end, count in sorted(self.ends.items()))
        return f"{kind}: {sum(self.ends.values())} ({ends}); slowest {self.slowest:.2f} s; largest {self.largest / 1024:.0f} MB"


TALLIES = {}
INSERTED = [b"-", b"1e999", b"99999999999", b"\0", b"nan", b"*", b",,", b"\n", b"0", b"-1", b"2147483648", b"1e-320", b"'", b"{", b"]", b": "]


def bytes_changed(dice, data, way):
    at = dice.randrange(len(data))
    piece = dice.randrange(1, 40)
    changed = bytearray(data)
    if way == 0:
        changed = changed[:at]
    elif way == 1:
        changed[at] ^= 1 << dice.randrange(8)
    elif way == 2:
        for _ in range(8):
            changed[dice.randrange(len(changed))] = dice.randrange(256)
    elif way == 3:
        del changed[at:at + piece]
    elif way == 4:
        changed[at:at] = changed[at:at + piece] * dice.randrange(1, 60)
    elif way == 5:
        changed[at:at + 1] = dice.choice(INSERTED)
    else:  # a count or an offset of 4 or 8 bytes
        wide = dice.choice([4, 8])
        number = dice.choice([0, 1, -1, 2**31 - 1, -2**31, 2**31, 2**40, 2**62, 7])
        changed[at:at + wide] = (number % 2**(8 * wide)).to_bytes(wide, "little")
    return bytes(changed)


def words_changed(dice, data, way):
    """Lines and words of the text in each other's places: most of them are still read, and many mean something else."""
    lines = data.splitlines(keepends=True)
    a, b = dice.randrange(len(lines)), dice.randrange(len(lines))
    if way == 0:
        lines[a], lines[b] = lines[b], lines[a]
    elif way == 1:
        lines.insert(a, lines[b])
    elif way == 2:
        del lines[a:a + dice.randrange(1, 4)]
    else:
        words = list(re.finditer(rb"[A-Za-z_][\w.-]*|-?\d[\d.eE+-]*", data))
        old, new = dice.choice(words), dice.choice(words)[0]
        if way == 4:
            new = dice.choice([b"0", b"1", b"-1", b"2", b"1e-9", b"1e9", b"1e300", b"4000000000", b"0.5", b"nan"])
        return data[:old.start()] + new + data[old.end():]
    return b"".join(lines)


def mutation(data, subject, number):
    dice = random.Random(f"{SEED}/{subject}/{number}")
    text = b"\0" not in data
    for _ in range(dice.choice([1, 1, 1, 2, 3])):
        if not data:
            break
        way = dice.randrange(12 if text else 7)
        data = words_changed(dice, data, way - 7) if way >= 7 and data.split() and re.search(rb"\w", data) else bytes_changed(dice, data, way % 7)
    return data


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Done(NamedTuple):
    end: int  # of the command; negative: the signal that ended it
    stdout: bytes
    stderr: bytes
    seconds: float  # of processors
    kilobytes: int  # at the most
    late: bool  # after SIGINT it took more than 5 s, of the clock and of processors


def done(words, folder):
    """Runs the command; after PATIENCE with SIGINT, and where it hangs with SIGKILL."""
    spent = []

    def interrupt():
        spent.append(seconds_of(process))
        process.send_signal(signal.SIGINT)

    with open(f"{folder}/stdout", "wb") as out, open(f"{folder}/stderr", "wb") as err:
        process = subprocess.Popen([HOOKE, *words], stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=folder, preexec_fn=limits)
    begin = time.monotonic()
    timers = [threading.Timer(PATIENCE, interrupt), threading.Timer(PATIENCE + 120, process.kill)]
    for timer in timers:
        timer.start()
    _, state, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(state)
    used_since = used.ru_utime + used.ru_stime - spent[0] if spent else 0
    late = min(time.monotonic() - begin - PATIENCE, used_since) > 5
    for timer in timers:
        timer.cancel()
    with open(f"{folder}/stdout", "rb") as out, open(f"{folder}/stderr", "rb") as err:
        return Done(process.returncode, out.read(), err.read(), used.ru_utime + used.ru_stime, used.ru_maxrss, late)


def judge(subject, data, folder, d):
    """What is wrong, or None."""
    if d.late:
        return "hangs"
    if d.end not in subject.ends:
        return f"{d.end}: {d.stderr[-400:]!r}"
    if d.end and b"error: " not in d.stderr and d.end != 130:
        return f"{d.end} without a word"
    if d.end == 5 and b"free" not in d.stderr:
        return f"5 without needs and free: {d.stderr[-400:]!r}"
    if d.end and b"error: " in d.stdout:
        return "errors on stdout"
    if subject.reads and d.end in (0, 3) and d.seconds > SECONDS_PER_MB * max(1, len(data) / 1e6):
        return f"{d.seconds:.1f} s for {len(data)} bytes"
    return subject.look(folder, d.stdout) if subject.look and d.end == 0 else None


def one(subject, number):
    data = mutation(subject.data, subject.name, number) if number else subject.data
    folder = f"{subject.name}.{number}"
    os.mkdir(folder)
    for name, content in {**subject.beside, subject.file: data}.items():
        path = Path(folder, name)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    d = done(subject.words, folder)
    wrong = judge(subject, data, folder, d)
    if not wrong:
        shutil.rmtree(folder)
    return d, wrong and f"{folder}: {wrong}"


def each_ends_well(subject):
    """Runs the subject's share of the mutations, after the file as it is, which is taken."""
    tally = TALLIES.setdefault(subject.kind, Tally())
    count = max(1, round(subject.share * MUTATIONS))
    d, words = one(subject, 0)
    assert d.end == 0 and not words, (d, words)
    wrong = []
    with ThreadPoolExecutor(2) as pool:
        for d, words in pool.map(lambda number: one(subject, number), range(1, count + 1)):
            tally.add(d.end, d.seconds, d.kilobytes)
            if words:
                wrong.append(words)
    assert not wrong, f"{len(wrong)} of {count}\n" + "\n".join(wrong[:40])
