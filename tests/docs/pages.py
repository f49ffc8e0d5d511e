#!/usr/bin/env python3
"""Runs what pages of docs/ tell to run. "pages.py [--pictures] [PAGE ...]": all pages with commands unless some are named.

A page is read from top to bottom in an empty folder, with `hooke` and `python3` on the path and `examples` beside it:
  ```sh                                  commands, all must succeed; <!-- not run --> above leaves a block out
  <!-- file: NAME --> above a fence      the block is the file NAME
  <!-- expect: within 1 % --> above      ```text: what the last commands printed: equal words, numbers to 1 %; a line "..." stands for any lines,
                                         at the end of a line for its rest
  <!-- expect: 92.7 within 1 % -->       a number of the text above it is among those that the last commands printed
  <!-- picture: NAME.png from FILE -->   docs/pictures/NAME.png is made of FILE; the page shows it
With --pictures they are written, at most 760 pixels wide and high and 60 000 bytes large.

"pages.py --installed PAGE ..." runs pages with the `hooke` that is on PATH instead of the build's, wherever page and script lie
(tools/check_packages): of the source tree it needs nothing more; pictures must be made, those of docs/pictures are not looked at. `examples`
is the folder beside docs/, else that of the package hooke-doc. Of a page without commands the ```python blocks are run, as one program."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
PACKAGED = pathlib.Path("/usr/share/doc/hooke-doc/examples")
WIDTHS, BYTES = (760, 700, 640, 580, 520), 60_000


class PageError(Exception):
    pass


def pages():
    """Pages that have something to run."""
    found = [DOCS / "start.md", *sorted((DOCS / "tutorials").glob("*.md")), *sorted((DOCS / "from").glob("*.md"))]
    return [page for page in found if "```sh" in page.read_text()]


def read(page):
    """(line, kind, argument, text): kind is sh, file, expect (a number), output, picture."""
    marker, fence, indent, text, start = None, None, "", [], 0
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if fence is not None:
            if line.strip() == "```":
                block = "\n".join(text) + "\n"
                if marker and marker[0] == "file":
                    yield start, "file", marker[1], block
                elif marker and marker[0] == "expect":
                    yield start, "output", marker[1], block
                elif fence == "sh" and not (marker and marker[0] == "not run"):
                    yield start, "sh", None, block
                marker, fence = None, None
            else:
                text.append(line.removeprefix(indent))
        elif line.lstrip().startswith("```"):
            indent = line[: len(line) - len(line.lstrip())]
            fence, text, start = line.strip()[3:], [], number
        elif found := re.fullmatch(r"<!-- (file|expect|picture|not run)(?:: (.*?))? -->", line.strip()):
            kind, argument = found.groups()
            if kind == "picture":
                yield number, kind, argument, None
            elif kind == "expect" and not argument.startswith("within"):
                yield number, kind, argument, None
            else:
                marker = kind, argument
        elif line.strip():
            marker = None
    if fence is not None:
        raise PageError(f"{page.name}:{start}: a fence is not closed")


def tolerance(argument):
    found = re.search(rf"within ({NUMBER}) %", argument or "")
    return float(found.group(1)) / 100 if found else 0.0


def same_word(want, got, share):
    if want == got:
        return True
    parts, others = re.split(f"({NUMBER})", want), re.split(f"({NUMBER})", got)
    if len(parts) != len(others) or len(parts) == 1 or parts[::2] != others[::2]:
        return False
    return all(abs(float(a) - float(b)) <= share * abs(float(a)) for a, b in zip(parts[1::2], others[1::2]))


def same_line(want, got, share):
    a, b = want.split(), got.split()
    if a and a[-1] == "...":
        a = a[:-1]
        b = b[: len(a)]
    return len(a) == len(b) and all(same_word(x, y, share) for x, y in zip(a, b))


def same_text(want, got, share):
    """The first line that is missing, or None."""
    lines, at, free = [line for line in got.splitlines() if line.strip()], 0, False
    for line in (line for line in want.splitlines() if line.strip()):
        if line.strip() == "...":
            free = True
            continue
        here = at
        while free and here < len(lines) and not same_line(line, lines[here], share):
            here += 1
        if here >= len(lines) or not same_line(line, lines[here], share):
            return line
        at, free = here + 1, False
    return None if free or at == len(lines) else f"(the end; there is more: {lines[at]})"


def program(page):
    """The ```python blocks as one program, each at its line."""
    text, lines = page.read_text(), ""
    for found in re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S):
        lines += "\n" * (text[:found.start(1)].count("\n") - lines.count("\n")) + found[1]
    if not lines:
        raise PageError(f"{page.name}: nothing to run")
    return lines


def environment(folder, installed):
    tools = folder / ".bin"
    tools.mkdir()
    if not installed:
        (tools / "hooke").symlink_to(pathlib.Path(os.environ.get("HOOKE", ROOT / "build/hooke")).resolve())
    (tools / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (tools / "python3").chmod(0o755)
    return {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "MPLBACKEND": "Agg", "OMP_WAIT_POLICY": "passive"}


def save(source, target):
    """A picture, smaller: as large and with as many colours as fit."""
    from PIL import Image

    image = Image.open(source).convert("RGB")
    for width in WIDTHS:
        share = min(1, width / image.width, width / image.height)
        scaled = image.resize((round(share * image.width), round(share * image.height)), Image.Resampling.LANCZOS)
        for colours in (256, 128):
            scaled.quantize(colours, kmeans=2, dither=Image.Dither.NONE).save(target, optimize=True)
            if target.stat().st_size <= BYTES:
                return
    raise PageError(f"{target.name}: larger than {BYTES} bytes")


def steps(page):
    if "```sh" in page.read_text():
        return read(page)
    return [(1, "file", "page.py", program(page)), (1, "sh", None, "python3 page.py\n")]


def run(page, write_pictures=False, installed=False):
    """Raises PageError at the first thing that is not as the page says."""
    where = page.relative_to(ROOT) if ROOT in page.parents else page
    said = ""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path = environment(folder, installed)
        (folder / "examples").symlink_to(PACKAGED if installed and not (ROOT / "examples").exists() else ROOT / "examples")
        for line, kind, argument, text in steps(page):
            if kind == "file":
                (folder / argument).write_text(text)
            elif kind == "sh":
                done = subprocess.run(["bash", "-euc", text], cwd=folder, env=path, capture_output=True, text=True, timeout=3000)
                if done.returncode:
                    raise PageError(f"{where}:{line}: exit {done.returncode}\n{text}{done.stdout}{done.stderr}")
                said = done.stdout
            elif kind == "output":
                missing = same_text(text, said, tolerance(argument))
                if missing is not None:
                    raise PageError(f"{where}:{line}: not printed: {missing}\nprinted:\n{said}")
            elif kind == "expect":
                want, share = float(argument.split()[0]), tolerance(argument)
                if not any(abs(float(got) - want) <= share * abs(want) for got in re.findall(NUMBER, said)):
                    raise PageError(f"{where}:{line}: {argument}: no such number in\n{said}")
            else:
                target, source = argument.split(" from ")
                if not (folder / source).exists():
                    there = ", ".join(sorted(str(p.relative_to(folder)) for p in (folder / source).parent.glob("*.png")))
                    raise PageError(f"{where}:{line}: no {source}; there are {there}")
                if write_pictures:
                    (DOCS / "pictures").mkdir(exist_ok=True)
                    save(folder / source, DOCS / "pictures" / target)
                elif not installed and not (DOCS / "pictures" / target).exists():
                    raise PageError(f"{where}:{line}: no docs/pictures/{target}: run tests/docs/pages.py --pictures")


def main():
    options = argparse.ArgumentParser(description="Runs what the pages of docs/ tell to run.")
    options.add_argument("pages", nargs="*", type=pathlib.Path, help="all with commands unless given")
    options.add_argument("--pictures", action="store_true", help="write docs/pictures/*.png")
    options.add_argument("--installed", action="store_true", help="with the hooke on PATH, apart from the source tree")
    given = options.parse_args()
    if given.installed and not (given.pages and shutil.which("hooke")):
        options.error("--installed: name the pages, and have hooke on PATH")
    for page in given.pages or pages():
        begin = time.monotonic()
        try:
            run(page.resolve(), given.pictures, given.installed)
        except PageError as error:
            sys.exit(str(error))
        print(f"{page}: as written, {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
