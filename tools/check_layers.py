#!/usr/bin/env python3
"""Who may include whom (docs/architecture.md), what the library may not call, how long a file may be.

Prints file:line: error: text for each breach; exit 1 when there is one."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A folder may include the rows it names and everything that those may include.
MAY_INCLUDE = {
    "base": [],
    "device": ["base", "kernels"],
    "element": ["base"],
    "mesh": ["element", "base"],
    "graph": ["mesh", "base"],
    "space": ["mesh", "graph"],
    "physics": ["base"],
    "operator": ["space", "physics", "device"],
    "load": ["space", "physics", "device"],
    "solver": ["operator", "load", "device"],
    "output": ["space"],
    "model": ["output", "solver"],
    "kernels": [],
    "cli": [],
    "hooke": [],
}
# Narrower than the rows above.
MAY_NOT = {("solver", "mesh"), ("solver", "output")}
# The caller decides about these; a library does not.
FORBIDDEN = re.compile(
    r"\b(printf|vprintf|puts|putchar|perror|exit|_exit|abort|getenv|setenv|signal|sigaction|setlocale)\s*\("
    r"|\b(stdout|stderr)\b")
MOST_LINES = 600
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
    return parts[1] if parts[0] == "src" else parts[0]


def target_folder(path, name):
    """Folder of the included file; None for one of the system."""
    for base in (path.parent, ROOT / "src", ROOT / "include", ROOT / "kernels", ROOT / "src/device/host"):
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


def main():
    for top in ("src", "cli", "include", "kernels"):
        for path in sorted((ROOT / top).rglob("*.[ch]")):
            text = path.read_text()
            code = without_comments_and_strings(text)
            check_includes(path, text)
            check_lengths(path, code)
            if top != "cli":
                check_calls(path, code)
    print("\n".join(errors), end="\n" if errors else "")
    return 1 if errors else 0


sys.exit(main())
