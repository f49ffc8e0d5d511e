#!/usr/bin/env python3
"""Each public header compiles alone as C11 and as C++17, and so does the usage in its first comment.

The usage is the lines of that comment that are indented by three spaces or more; it is the body of a function."""
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


def main():
    good = True
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
