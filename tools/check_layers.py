#!/usr/bin/env python3
"""Who may include whom (docs/architecture.md), what the library may not call, how long a file may be.

Prints file:line: error: text for each breach; exit 1 when there is one."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A folder may include itself, the folders it names and everything that those may include. A row names rows above it alone: no arrow goes
# back. Where a folder with subfolders is named, it alone is meant.
MAY_INCLUDE = {
    "hooke": [],
    "base": [],
    "hdf": ["base"],
    "field": ["hdf"],
    "device": ["base"],
    "device/host": ["device"],
    "device/cuda": ["device"],
    "device/opencl": ["device"],
    "link": ["device"],
    "link/direct": ["link"],
    "element": ["base"],
    "element/shape": ["element"],
    "mesh": ["element"],
    "mesh/make": ["mesh"],
    "mesh/format": ["mesh", "hdf"],
    "graph": ["mesh"],
    "papers/pogo": ["graph"],
    "space": ["papers/pogo"],
    "physics": ["base"],
    "load": ["space", "physics"],
    "load/absorb": ["load"],
    "load/wave": ["load"],
    "operator": ["space", "physics", "link"],
    "operator/element": ["operator"],
    "operator/measure": ["operator/element"],
    "operator/rows": ["operator/element"],
    "operator/edges": ["operator/rows"],
    "operator/congruent": ["operator/rows", "operator/edges"],
    "operator/fans": ["operator/element"],
    "operator/gauss": ["operator/element"],
    "operator/patches": ["operator/rows", "operator/fans", "operator/gauss"],
    "operator/spectral": ["operator/element"],
    "operator/spectral/pml": ["operator/spectral"],
    "operator/integration": ["operator"],
    "operator/assembly": ["operator/element", "operator/integration"],
    "operator/elements": ["operator/assembly"],
    "operator/dense": ["operator/assembly"],
    "operator/coarse": ["operator/assembly"],
    "papers": ["operator/assembly", "operator/rows"],
    "solver/explicit": ["operator/spectral/pml", "load"],
    "solver/explicit/matched": ["solver/explicit"],
    "solver/explicit/peaks": ["solver/explicit"],
    "solver/explicit/relax": ["solver/explicit"],
    "solver/team": ["solver/explicit", "link"],
    "solver/frequency": ["operator", "load"],
    "solver/linear": ["operator/coarse", "operator/measure", "load"],
    "solver/linear/direct": ["solver/linear", "operator/dense"],
    "solver/linear/sparse": ["operator/assembly", "load"],
    "solver/linear/multigrid": ["solver/linear", "solver/linear/sparse"],
    "solver/linear/idr": ["solver/linear/multigrid"],
    "solver/linear/petsc": ["solver/linear", "solver/linear/sparse", "link"],
    "solver/linear/femses": ["solver/linear/multigrid", "operator/elements"],
    "model": ["mesh", "physics", "load/wave"],
    "input/mesh": ["mesh/format"],
    "input/deck/mesh": ["input/mesh"],
    "input/deck": ["model", "input/deck/mesh"],
    "input/deck/step": ["input/deck"],
    "input/case/keys": ["model", "solver/linear"],
    "input/case": ["input/case/keys", "solver/linear", "field"],
    "input/case/acts": ["input/case"],
    "input/case/mesh": ["input/case", "input/mesh", "mesh/make"],
    "input/case/physics": ["input/case"],
    "input": ["input/deck", "input/case"],
    "result": ["space", "mesh/format"],
    "result/restart": ["result"],
    "result/export": ["result"],
    "result/matrix": ["result"],
    "result/image": ["result"],
    "picture": ["result"],
    "picture/film": ["picture"],
    "picture/image": ["picture", "result/image"],
    "report/view": ["picture"],
    "report": ["report/view"],
    "run/validation": ["solver/explicit"],
    "run/acts": ["model", "operator/element"],
    "run/session": ["model", "operator", "result", "link", "solver/linear/petsc"],
    "run/explicit": ["run/session", "solver/team", "solver/frequency", "run/validation", "run/acts", "load/absorb"],
    "run/explicit/relax": ["run/explicit"],
    "run/estimate": ["run/explicit", "input"],
    "run/march": ["run/estimate", "result/restart", "picture"],
    "run/static": ["run/estimate", "picture", "solver/linear/direct"],
    "run/static/output": ["run/static"],
    "run/system": ["run/static", "solver/linear/sparse", "result/matrix"],
    "run": ["run/march", "run/static", "report"],
    "cli": [],
    "bench/src": ["run", "papers", "operator/elements", "cli"],
    "bench/src/assembly": ["bench/src"],
    "bench/src/femses": ["bench/src"],
    "bench/src/integration": ["bench/src"],
    "bench/src/pogo": ["bench/src"],
    "bench/src/sem": ["bench/src"],
}
# Narrower than the rows above: a solver sees degrees of freedom, not the mesh.
MAY_NOT = {(f"solver/{solver}", "mesh") for solver in ("explicit", "linear", "linear/direct", "linear/sparse", "linear/multigrid", "linear/femses")}
# The caller decides about these; a library does not.
FORBIDDEN = re.compile(
    r"\b(printf|vprintf|puts|putchar|perror|exit|_exit|abort|getenv|setenv|signal|sigaction|setlocale)\s*\("
    r"|\b(stdout|stderr)\b")
MOST_LINES = 600
MOST_FILES = 25  # of a folder, without its subfolders and its README.md
MOST_FOLDER_LINES = 4000
MOST_FUNCTION_LINES = 80

errors = []


def fail(path, line, text):
    errors.append(f"{path.relative_to(ROOT)}:{line}: error: {text}")


def closure(folder, seen=None):
    seen = {folder} if seen is None else seen
    for name in MAY_INCLUDE[folder]:
        if name not in seen:
            seen.add(name)
            closure(name, seen)
    return seen


def folder_of(path):
    parts = path.relative_to(ROOT).parts
    if parts[:2] == ("include", "hooke"):
        return "hooke"
    if parts[:2] == ("src", "physics"):
        return "physics"  # the list includes the folder of each law
    return "/".join(parts[:-1] if parts[0] == "bench" else parts[1:-1]) if parts[0] in ("src", "bench") else parts[0]


def target_folder(path, name):
    """Folder of the included file; None for one of the system."""
    for base in (path.parent, ROOT / "src", ROOT / "include", ROOT / "bench/src", ROOT):
        if (base / name).is_file():
            return folder_of((base / name).resolve())
    return None


def without_comments_and_strings(text):
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)


def check_includes(path, text):
    folder = folder_of(path)
    if folder not in MAY_INCLUDE:
        fail(path, 1, f"folder {folder} is not in the table of tools/check_layers.py")
        return
    allowed = closure(folder) | {"hooke"}
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
        target = match and target_folder(path, match.group(1))
        if target and (target not in allowed or (folder, target) in MAY_NOT):
            fail(path, number, f"{folder} may not include {match.group(1)}")


def check_calls(path, code):
    for number, line in enumerate(code.splitlines(), 1):
        match = FORBIDDEN.search(line)
        if match:
            fail(path, number, f"the library may not use {match.group().rstrip('( ')}")


def check_lengths(path, code):
    lines = code.splitlines()
    if len(lines) > MOST_LINES:
        fail(path, len(lines), f"{len(lines)} lines, the limit is {MOST_LINES}: make it two files")
    start = None
    for number, line in enumerate(lines, 1):
        if line.startswith("{"):
            start = number
        elif line.startswith("}") and start:
            if number - start > MOST_FUNCTION_LINES:
                fail(path, start, f"a function of {number - start} lines, the limit is {MOST_FUNCTION_LINES}")
            start = None


def check_errors(path, code):
    """A function that frees something has one way out; one that frees nothing returns at once."""
    for match in re.finditer(r"^\{\n(.*?)^\}", code, re.S | re.M):
        body, number = match.group(1), code.count("\n", 0, match.start()) + 1
        if "\ncleanup:" in body and re.search(r"\bHK_(PASS|NEED)\(", body):
            fail(path, number, "HK_PASS and HK_NEED leave a function without its cleanup: use HK_TRY and HK_CHECK here")
        used = body.count("status") - body.count("_status") - body.count("status_")
        if body.endswith("\ncleanup:\n  return status;\n") and used == 2 and "CALL(" not in body:
            fail(path, number, "nothing is freed here: use HK_PASS and HK_NEED and return at once")


def check_table():
    """No arrow back: each row names rows above it."""
    above = set()
    for folder, named in MAY_INCLUDE.items():
        for name in named:
            if name not in above:
                fail(pathlib.Path(__file__).resolve(), 1, f"{folder} names {name}, which is not above it")
        above.add(folder)


def listed_words():
    """Names of methods, forms, libraries and shapes, with the file of each list entry, and the words of solver options."""
    words = {}
    for path in (ROOT / "src").rglob("*.c"):
        text = path.read_text()
        if re.search(r"const hk_(operator_kind|method|factor_kind|element) hk_", text):
            for word in re.findall(r'(?:\.name = |\b(?:METHOD|KIND)\(\w+, )"([\w-]+)"', text):
                words[word] = path.relative_to(ROOT)
    options = "src/solver/linear/words.h"
    for line in re.findall(r"#define HK_\w+_WORDS (.*)", (ROOT / options).read_text()):
        words |= {word: words.get(word, options) for word in re.findall(r'"([\w-]+)"', line)}
    return words


def check_words(path, text, words):
    """A name of a list is read from it: compared elsewhere, it would be a second list."""
    for number, line in enumerate(text.splitlines(), 1):
        for word in re.findall(r'\b(?:strcmp|hk_same_text)\([^;"]*"([\w-]+)"\)', line):
            if word in words:
                fail(path, number, f'"{word}" is compared by its name: give its entry in {words[word]} the property that is asked for')


def check_folder(folder):
    files = [path for path in folder.iterdir() if path.is_file()]
    lines = sum(path.read_text().count("\n") for path in files if path.suffix in (".c", ".h"))
    sources = sum(path.name != "README.md" for path in files)
    if sources > MOST_FILES or lines > MOST_FOLDER_LINES:
        fail(folder, 1, f"{sources} files and {lines} lines, the limits are {MOST_FILES} and {MOST_FOLDER_LINES}: find the rooms in it")


def main():
    check_table()
    words = listed_words()
    for top in ("src", "bench/src"):
        for folder in sorted({path.parent for path in (ROOT / top).rglob("*.[ch]")}):
            check_folder(folder)
    for top in ("src", "cli", "include", "bench/src"):
        for path in sorted((ROOT / top).rglob("*.[ch]")):
            text = path.read_text()
            code = without_comments_and_strings(text)
            check_includes(path, text)
            check_lengths(path, code)
            check_errors(path, code)
            if top == "src":
                check_words(path, text, words)
            if top in ("src", "include"):
                check_calls(path, code)
    print("\n".join(errors), end="\n" if errors else "")
    return 1 if errors else 0


sys.exit(main())
