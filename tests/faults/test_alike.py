"""What must not matter does not: line ends, blanks, case of letters, exponents, locale, number of threads, the run."""
import os
import re
import subprocess
import sys
from pathlib import Path

import h5py
import pytest

from command import DATA, HOOKE, differ, hooke, run
from decks import strip
from models import EXPLICIT


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain.inp").write_text(strip())
    return tmp_path


def solved(name, *words):
    done = run(name, *words, "--force")
    assert done.returncode == 0, done.stderr
    return Path(words[words.index("--output") + 1] if "--output" in words else name.split(".")[0] + ".hooke")


def same(a, b, files=("run.h5", "field.vtkhdf")):
    for name in files:
        assert differ(a / name, b / name) == ""


def arrays(path):
    """{name in lower case: values} of a field, and the names of its regions."""
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.update({name.lower(): item[()].tolist()}) if isinstance(item, h5py.Dataset) else None)
        return found, [name.lower() for name in file["VTKHDF/CellData/region"].attrs["names"]]


WRITTEN = {
    "CRLF": lambda t: t.replace("\n", "\r\n"),
    "byte-order mark": lambda t: "\ufeff" + t,
    "tabs": lambda t: t.replace(", ", ",\t").replace("*NODE,\t", "*NODE, "),
    "blanks": lambda t: t.replace(", ", "   ,   "),
    "trailing blanks": lambda t: t.replace("\n", "  \t\n"),
    "D exponents": lambda t: t.replace("2e-6", "2.D-6").replace("4e-6", "4.d-6").replace("210.e9", "210.D+9")
    .replace("2e-5", "2.D-5"),
    "lower case": str.lower,
    "upper case": str.upper,
    "comments": lambda t: t.replace("\n*", "\n** a word\n*"),
    "no last line end": lambda t: t.rstrip("\n"),
}


@pytest.mark.parametrize("how", WRITTEN)
def test_deck_written_otherwise_gives_the_same_run(tmp_path, how):
    (tmp_path / "other.inp").write_bytes(WRITTEN[how](strip()).encode())
    a, b = solved("plain.inp"), solved("other.inp")
    if how == "lower case":  # the requests are named after the sets
        for part in ("time", "displacement"):
            done = subprocess.run(["h5diff", a / "run.h5", b / "run.h5", f"/traces/RIGHT/{part}",
                                   f"/traces/right/{part}"], capture_output=True, text=True)
            if done.returncode:
                same(a, b)  # names are kept in one case
        assert arrays(a / "field.vtkhdf") == arrays(b / "field.vtkhdf")
    else:
        same(a, b)


def comma_locale(folder):
    """A locale whose decimal sign is a comma, made here where the machine has none."""
    folder.mkdir()
    done = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", str(folder / "de_DE.UTF-8")],
                          capture_output=True, text=True)
    assert (folder / "de_DE.UTF-8/LC_NUMERIC").exists(), f"the package locales is needed: {done.stderr}"
    return {**os.environ, "LOCPATH": str(folder), "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}


CASE = """\
units: {length: mm, mass: kg, time: us}
mesh: {rectangle: {size: [4.5, 2], cells: [9, 4]}}
materials: {steel: {density: 7850 kg/m^3, young: 210.5 GPa, poisson: 0.3}}
regions: {all: steel}
sources:
  - {at: [2.25, 2], force: 1.5 N, direction: [0, -1], signal: {toneburst: {frequency: 0.2 MHz, cycles: 3}}}
outputs: {traces: [{name: rx, set: top}], field: {quantity: velocity, frames: 2}}
solve: {explicit: {end: 5.5 us}}
"""


@pytest.mark.parametrize("name", ["plain.inp", "case.yaml"])
def test_another_locale_changes_nothing_in_the_command(tmp_path, name):
    (tmp_path / "case.yaml").write_text(CASE)
    here = solved(name)
    done = run(name, "--output", "there", "--checkpoint", "0.5", env=comma_locale(tmp_path / "locales"))
    assert done.returncode == 0, done.stderr
    same(here, tmp_path / "there")


IN_PROCESS = """
import ctypes, locale, sys
locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
assert locale.localeconv()["decimal_point"] == ","
hk = ctypes.CDLL(sys.argv[1])
hk.hk_error.restype = ctypes.c_char_p
class Desc(ctypes.Structure):
    _fields_ = [("output", ctypes.c_char_p), ("rest", ctypes.c_char * 248)]
messages, model, json = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_char_p()
assert hk.hk_messages_create(ctypes.byref(messages)) == 0
desc = Desc(output=b"there")
for status in (hk.hk_model_read(sys.argv[2].encode(), None, 0, messages, ctypes.byref(model)),
               hk.hk_run(model, ctypes.byref(desc), messages, ctypes.byref(json))):
    assert status == 0, hk.hk_error()
import json as reader
assert reader.loads(json.value)["dt"] > 0
"""


@pytest.mark.parametrize("name", ["plain.inp", "case.yaml"])
def test_library_in_a_program_with_another_locale_gives_the_same_run(tmp_path, name):
    (tmp_path / "case.yaml").write_text(CASE)
    here = solved(name)
    library = Path(HOOKE).parent / "libhooke.so"
    done = subprocess.run([sys.executable, "-c", IN_PROCESS, str(library), name], capture_output=True, text=True,
                          env=comma_locale(tmp_path / "locales"))
    assert done.returncode == 0, done.stderr
    same(here, tmp_path / "there")
    pictures = [re.findall(r"<svg.*?</svg>", (folder / "report.html").read_text(), re.S)
                for folder in (here, tmp_path / "there")]
    assert pictures[0] and pictures[0] == pictures[1]


def tabs(text):
    """between numbers: names may have blanks"""
    return re.sub(rb"(?<=\d) (?=[-\d])", b"\t", text)


def upper_exponents(text):
    return re.sub(rb"(\d)e([-+]?\d)", rb"\1E\2", text)


@pytest.mark.parametrize("change", [lambda t: t.replace(b"\n", b"\r\n"), lambda t: b"\xef\xbb\xbf" + t, tabs, upper_exponents],
                         ids=["CRLF", "mark", "tabs", "exponents"])
@pytest.mark.parametrize("mesh", ["boxes_22.msh", "boxes_41.msh", "planes_ascii.vtu"])
def test_mesh_written_otherwise_is_read_alike(tmp_path, mesh, change):
    text, ending = (DATA / "mesh" / mesh).read_bytes(), mesh[-4:]
    (tmp_path / f"a{ending}").write_bytes(text)
    (tmp_path / f"b{ending}").write_bytes(change(text))
    for name in "ab":
        done = hooke("convert", f"{name}{ending}", f"{name}.vtkhdf")
        assert done.returncode == 0, done.stderr
    assert differ(tmp_path / "a.vtkhdf", tmp_path / "b.vtkhdf") == ""


@pytest.mark.parametrize("change", [lambda t: t.replace("\n", "\r\n"), lambda t: "\ufeff" + t], ids=["CRLF", "mark"])
def test_case_written_otherwise_gives_the_same_run(tmp_path, change):
    (tmp_path / "case.yaml").write_text(CASE)
    (tmp_path / "other.yaml").write_bytes(change(CASE).encode())
    same(solved("case.yaml"), solved("other.yaml"))


@pytest.mark.parametrize("precision", ["single", "double"])
def test_run_twice_and_with_two_threads_is_bitwise_the_same(tmp_path, precision):
    (tmp_path / "plate.yaml").write_text(CASE.replace("cells: [9, 4]", "cells: [60, 30]").replace(", field: {quantity: velocity, frames: 2}", ""))
    words = ["--precision", precision]
    one = solved("plate.yaml", *words, "--threads", "1", "--output", "one")
    two = solved("plate.yaml", *words, "--threads", "2", "--output", "two")
    again = solved("plate.yaml", *words, "--threads", "2", "--output", "again")
    for other in (two, again):
        same(one, other, ["run.h5"])


@pytest.mark.parametrize("name", EXPLICIT)
def test_1_to_64_threads_are_bitwise_the_same_in_double(tmp_path, name):
    (tmp_path / "model.yaml").write_text(EXPLICIT[name])
    one = solved("model.yaml", "--device", "cpu", "--precision", "double", "--threads", "1", "--no-pictures", "--output", "1")
    for threads in ("2", "3", "7", "64"):
        same(one, solved("model.yaml", "--device", "cpu", "--precision", "double", "--threads", threads, "--no-pictures", "--output", threads), ["run.h5"])


def test_signal_tables_written_otherwise_give_the_same_run(tmp_path):
    """CRLF, byte-order mark, semicolons, D exponents, no head"""
    table = "time,value\n0,0\n1.5e0,1\n3e0,-5e-1\n4,0\n"
    ways = {"plain": table, "CRLF": table.replace("\n", "\r\n"), "mark": "\ufeff" + table, "semicolons": table.replace(",", ";"),
            "blanks": table.replace(",", " , "), "D": table.replace("e", "D").replace("timD,valuD", "time,value"), "headless": table.split("\n", 1)[1]}
    case = EXPLICIT["elastic"].replace("{ricker: {frequency: 0.5}}", "{table: {file: s.csv}}")
    (tmp_path / "model.yaml").write_text(case)
    for way, text in ways.items():
        (tmp_path / "s.csv").write_bytes(text.encode())
        same(solved("model.yaml", "--no-pictures", "--output", way), tmp_path / "plain", ["run.h5"])
