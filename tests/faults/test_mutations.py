"""Small inputs cut at many places and with bytes changed at random: never a signal, never a hang, 0 or 3, and 0 only
with a complete output. The dice are seeded: a failure comes again."""
import gzip
import json
import os
import random
import resource
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from command import DATA, HOOKE, hooke
from decks import strip

CASE = (DATA / "case/plain.yaml").read_bytes()
MEMORY = 2 << 30  # no input here justifies more


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def mutations(data, count, seed):
    """Cuts, changed bits, changed bytes, repeated, dropped and exchanged pieces."""
    dice = random.Random(seed)
    for k in range(count):
        at = dice.randrange(len(data))
        piece = dice.randrange(1, 40)
        changed = bytearray(data)
        way = k % 6
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
        else:
            changed[at:at + 1] = dice.choice([b"-", b"1e999", b"99999999999", b"\0", b"nan", b"*", b",,", b"\n"])
        yield bytes(changed)


def each_ends_well(data, name, count, words, look=None, seed=1):
    """words(path): the command's words for a mutated file."""
    def one(number_and_bytes):
        number, changed = number_and_bytes
        folder = f"m{number}"
        os.mkdir(folder)
        with open(f"{folder}/{name}", "wb") as file:
            file.write(changed)
        try:
            done = subprocess.run([HOOKE, *words], capture_output=True, stdin=subprocess.DEVNULL, timeout=20,
                                  cwd=folder, preexec_fn=limits)
        except subprocess.TimeoutExpired:
            return f"{folder}: hangs"
        if done.returncode not in (0, 3):
            return f"{folder}: {done.returncode}: {done.stderr[-300:]!r}"
        if done.returncode == 3 and b"error: " not in done.stderr:
            return f"{folder}: 3 without a word"
        if done.returncode == 3 and b"/" + name.encode() in done.stdout:
            return f"{folder}: words on stdout"
        wrong = look(folder, done) if look and done.returncode == 0 else None
        if not wrong:
            shutil.rmtree(folder)
        return wrong and f"{folder}: {wrong}"

    with ThreadPoolExecutor(2) as pool:
        wrong = [w for w in pool.map(one, enumerate(mutations(data, count, seed))) if w]
    assert not wrong, "\n".join(wrong)


def complete(folder, done):
    """run.json says ok, and its files are whole."""
    result = next(f"{folder}/{name}" for name in os.listdir(folder) if name.endswith(".hooke"))
    with open(f"{result}/run.json") as file:
        state = json.load(file)
    if state["status"] != "ok":
        return "0 without ok"
    if state["counts"]["steps"] < 1 or not os.path.exists(f"{result}/run.h5"):
        return "0 without a result"
    energy = subprocess.run(["h5dump", "-d", "/energy/kinetic", f"{result}/run.h5"], capture_output=True, text=True)
    return None if energy.returncode == 0 and "nan" not in energy.stdout.lower() else "0 with gaps"


def is_json(folder, done):
    json.loads(done.stdout)


DECK = strip(4, "4e-6").replace("NUMBER INTERVAL=4", "NUMBER INTERVAL=1").encode()


def test_mutated_deck_is_checked():
    each_ends_well(strip(6).encode(), "m.inp", 240, ["info", "m.inp", "--json"], is_json)


def test_mutated_deck_runs_whole_or_is_refused():
    each_ends_well(DECK, "m.inp", 42, ["run", "m.inp", "--threads", "1", "--progress", "none"], complete)


def test_mutated_compressed_deck_is_refused():
    each_ends_well(gzip.compress(DECK, mtime=0), "m.inp.gz", 60, ["info", "m.inp.gz", "--json"], is_json)


@pytest.mark.parametrize("name", ["boxes_22.msh", "boxes_22_binary.msh", "boxes_41.msh", "boxes_41_binary.msh",
                                  "solids_ascii.vtu", "solids_raw_zlib.vtu", "solids_base64.vtu"])
def test_mutated_mesh_is_read_or_refused(name):
    ending = name.rsplit(".", 1)[1]
    each_ends_well((DATA / "mesh" / name).read_bytes(), f"m.{ending}", 60, ["info", f"m.{ending}", "--json"], is_json)


def test_mutated_case_is_read_or_refused():
    each_ends_well(CASE, "m.yaml", 150, ["info", "m.yaml", "--json"], is_json)


def solved():
    with open("m.inp", "wb") as file:
        file.write(strip(4, "4e-6").encode())
    done = hooke("run", "m.inp", "--progress", "none")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("words", [["info", "run.h5", "--json"], ["compare", "run.h5", "run.h5", "--json"]],
                         ids=["info", "compare"])
def test_mutated_run_h5_is_read_or_refused(words):
    solved()
    with open("m.hooke/run.h5", "rb") as file:
        each_ends_well(file.read(), "run.h5", 60, words, is_json)


def test_mutated_vtkhdf_is_read_or_refused():
    solved()
    assert hooke("convert", "m.inp", "m.vtkhdf").returncode == 0
    with open("m.vtkhdf", "rb") as file:
        each_ends_well(file.read(), "m.vtkhdf", 60, ["info", "m.vtkhdf", "--json"], is_json)
