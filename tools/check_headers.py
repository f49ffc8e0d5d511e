#!/usr/bin/env python3
"""Each public header compiles alone as C11 and as C++17, and so does the usage in its first comment.

The usage is the lines of that comment that are indented by three spaces or more; it is the body of a function.

Statements in the comments of private headers are compiled too. Their variables are declared nowhere: errors about undeclared variables
are ignored, and so is prose behind a statement. Errors about names of functions and members and about the number of arguments count."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMPILERS = [["gcc", "-std=c11", "-xc"], ["g++", "-std=c++17", "-xc++"]]
FLAGS = ["-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror", "-fsyntax-only", f"-I{ROOT}/include", "-"]


def compiles(compiler, source, what):
    run = subprocess.run(compiler + FLAGS, input=source, text=True, capture_output=True)
    if run.returncode:
        print(f"{what} does not compile with {compiler[0]} {compiler[1]}:\n{run.stderr}")
    return run.returncode == 0


def usage(text):
    comment = re.match(r"/\*(.*?)\*/", text, re.S).group(1)
    return "\n".join(m.group(1) for m in re.finditer(r"^ \*   (.*)$", comment, re.M))


def statements(comment):
    """The lines of a comment that are indented by three spaces or more, from the first call or object of ours to the last statement."""
    lines = [m.group(1) for m in re.finditer(r"^ \*   +(.*?)(?: \*)?$", comment, re.M)]
    lines = [re.sub(r"([;{}])  +\S.*", r"\1", line) for line in lines if not line.startswith("...")]
    lines = [re.sub(r",? *\.\.\.", "", line) for line in lines]
    starts = [n for n, line in enumerate(lines) if re.match(r"(const )?(HK_(TRY|PASS)\(hk_|hk_\w+ \*?\w+ =|hk_\w+\()", line)]
    ends = [n for n, line in enumerate(lines) if re.search(r"[;}]\s*$", line)]
    return "\n".join(lines[starts[0]:ends[-1] + 1]) if starts and ends and ends[-1] >= starts[0] else ""


def private_usages_compile(header):
    """Whether the compiler objects to nothing in the statements of a private header but to variables that they do not declare."""
    good, name = True, header.relative_to(ROOT / "src")
    for comment in re.findall(r"/\*.*?\*/", header.read_text(), re.S):
        code = statements(comment)
        if not code or "hk_thing" in code:  # hk_thing: a pattern, not a call
            continue
        beside = "".join(f'#include "{other}"\n' for other in re.findall(r"\b[a-z/_]+/[a-z_]+\.h\b", comment))  # that the comment names
        source = (f'#include "{name}"\n{beside}#include "base/base.h"\nhk_status usage(void);\nhk_status usage(void)\n{{\nhk_status status = HK_OK;\n'
                  f"{code}\ngoto cleanup;\ncleanup:\nreturn status;\n}}\n")
        flags = ["-Wall", "-Wno-unused", "-Wno-missing-field-initializers", "-Werror", "-D_GNU_SOURCE", f"-I{ROOT}/src", *FLAGS[-3:]]
        run = subprocess.run(COMPILERS[0] + flags, input=source, text=True, capture_output=True)
        said = [line for line in run.stderr.splitlines() if " error: " in line and "undeclared" not in line]
        if said:
            print(f"src/{name}: error: its usage does not compile:\n{code}\n" + "\n".join(said))
            good = False
    return good


def main():
    good = True
    for header in sorted((ROOT / "src").glob("**/*.h")):
        good &= header.name.endswith(".k.h") or private_usages_compile(header)
    for header in sorted((ROOT / "include/hooke").glob("*.h")):
        name, text = f"hooke/{header.name}", header.read_text()
        for compiler in COMPILERS:
            good &= compiles(compiler, f"#include <{name}>\n", name)
        code = usage(text)
        if not code and name != "hooke/hooke.h":
            print(f"include/{name}: error: the first comment shows no usage")
            good = False
        source = f"#include <hooke/hooke.h>\n#include <stdio.h>\nvoid usage(void);\nvoid usage(void)\n{{\n{code}\n}}\n"
        good &= compiles(COMPILERS[0], source, f"the usage in {name}")
    return 0 if good else 1


sys.exit(main())
