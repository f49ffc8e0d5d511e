"""The decks of CalculiX's test pack, and what the reader says of each. They are read where they are installed or where
tools/setup --tests unpacked them; none is kept here (GPL)."""
import glob
import gzip
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

INSTALLED = "/usr/share/doc/calculix-ccx-test/examples/test"
LISTED = """HEADING NODE ELEMENT NSET ELSET INCLUDE SURFACE SOLID_SECTION MATERIAL ELASTIC DENSITY DAMPING CONDUCTIVITY
 SPECIFIC_HEAT EXPANSION AMPLITUDE BOUNDARY CLOAD DLOAD DSLOAD INITIAL_CONDITIONS STEP END_STEP STATIC OUTPUT NODE_OUTPUT
 ELEMENT_OUTPUT NODE_PRINT EL_PRINT NODE_FILE EL_FILE TIME_POINTS PART INSTANCE ASSEMBLY EQUATION TRANSFORM ORIENTATION"""
ELEMENTS = """CPE3 CPS3 CPE4 CPE4R CPS4 CPS4R CPE6 CPS6 CPE8 CPE8R CPS8 CPS8R C3D4 C3D6 C3D8 C3D8R C3D8I C3D10 C3D10M C3D10T
 C3D15 C3D20 C3D20R"""


READER = """
import ctypes, sys
lib, model = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p()
lib.hk_error.restype = ctypes.c_char_p
status = lib.hk_model_read(sys.argv[2].encode(), None, 0, None, ctypes.byref(model))
print(lib.hk_error().decode() if status else "")
lib.hk_model_destroy(ctypes.byref(model))
sys.exit(status)
"""


def folder():
    """The decks' folder."""
    unpacked = os.environ.get("HOOKE_SOURCE", ".") + "/.calculix-ccx-test" + INSTALLED
    for place in (INSTALLED, unpacked):
        if glob.glob(place + "/*.inp"):
            return Path(place)
    raise AssertionError("the decks of CalculiX's test pack are not here: run tools/setup --tests")


def decks():
    return sorted(p for p in folder().iterdir() if p.name.endswith((".inp", ".inp.gz")))


def text(path):
    data = gzip.open(path).read() if path.suffix == ".gz" else path.read_bytes()
    return data.decode("latin1")


def keyword_lines(path):
    """The keyword lines, upper case, without blanks."""
    lines = (re.sub(r"\s", "", line).upper() for line in text(path).splitlines())
    return [line for line in lines if line.startswith("*") and not line.startswith("**")]


def in_scope(path):
    """Static, of the keywords and elements that are obeyed, and without geometric nonlinearity."""
    lines = keyword_lines(path)
    names = {line[1:].split(",")[0] for line in lines}
    known = {name.replace("_", "") for name in LISTED.split()}
    types = {m.group(1) for line in lines if line.startswith("*ELEMENT,") for m in [re.search("TYPE=([A-Z0-9]+)", line)] if m}
    nonlinear = any(line.startswith("*STEP") and "NLGEOM" in line for line in lines)
    return "STATIC" in names and names <= known and types <= set(ELEMENTS.split()) and not nonlinear


def read(path):
    """Reads the deck in a process of its own: (exit, words). 0: read; 3: refused; below 0: killed by that signal."""
    library = Path(os.environ["HOOKE"]).parent / "libhooke.so"
    assert library.exists(), library
    done = subprocess.run([sys.executable, "-c", READER, str(library), str(path)], capture_output=True, text=True)
    return done.returncode, done.stdout.strip()


def read_all():
    """{name: (exit, words)} of every deck, the folder taken off the words."""
    paths = decks()
    with ThreadPoolExecutor(2) as pool:
        return {p.name: (code, words.replace(f"{p.parent}/", "")) for p, (code, words) in zip(paths, pool.map(read, paths))}
