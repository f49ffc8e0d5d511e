#!/usr/bin/env python3
"""Links between the Markdown files lead somewhere, and files hold the names in code that link to them; every file of docs/
is in the navigation or shown by a page; files that pages name are there; the manual page knows every verb and option of the
command; every fault of docs/reliability.md names a test, and the tests that it names exist."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMAND = ROOT / "build/hooke"


def tracked(pattern):
    run = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", pattern], cwd=ROOT,
                         capture_output=True, text=True, check=True)
    return [ROOT / name for name in run.stdout.split() if (ROOT / name).exists()]


def dead_links():
    for page in tracked("*.md"):
        for number, line in enumerate(page.read_text().splitlines(), 1):
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", line):
                if not re.match(r"[a-z]+:", target) and not (page.parent / target).exists():
                    yield f"{page.relative_to(ROOT)}:{number}: error: no file {target}"


def lost_words():
    """Links of docs/ whose text is a name in code, such as a test or a line of bench/results/, that the file does not hold."""
    for page in tracked("docs/*.md"):
        for number, line in enumerate(page.read_text().splitlines(), 1):
            for name, target in re.findall(r"\[`([^`]+)`\]\(([^)#\s]+)[^)]*\)", line):
                path = page.parent / target
                if path.is_file() and name not in path.read_text():
                    yield f"{page.relative_to(ROOT)}:{number}: error: {target} does not hold {name}"


def left_out():
    """Pages that docs/contents.md does not name, and other files of docs/ that neither a page nor README.md names."""
    pages = tracked("docs/*.md")
    contents = (ROOT / "docs/contents.md").read_text()
    texts = "".join(page.read_text() for page in [*pages, ROOT / "README.md"])
    for path in tracked("docs/*"):
        name = path.relative_to(ROOT / "docs").as_posix()
        if path.suffix == ".md" and name not in ("index.md", "contents.md") and f"]({name})" not in contents:
            yield f"docs/{name}: error: docs/contents.md does not name it: add a line \"- [Title]({name}): what it tells\""
        if path.suffix != ".md" and path.parent.name != "man" and path.name not in texts:
            yield f"docs/{name}: error: no page shows it or links to it"


def lost_paths():
    """Files and folders that pages name in code and that are not there; patterns and <placeholders> aside, and what is built."""
    for page in [*tracked("docs/*.md"), ROOT / "CONTRIBUTING.md"]:
        for number, line in enumerate(page.read_text().splitlines(), 1):
            for name in re.findall(r"`((?:src|include|cli|tests|tools|python|cmake|fuzz)/[\w./-]+)`", line):
                if not any((ROOT / f"{name}{ending}").exists() for ending in ("", ".c", ".h", ".py")):
                    yield f"{page.relative_to(ROOT)}:{number}: error: there is no {name}"


def lost_names():
    """Files that the README of a folder of src/ names in code, by their place in that folder or in src/, and that are not there."""
    for page in tracked("src/*README.md"):
        for number, line in enumerate(page.read_text().splitlines(), 1):
            for name in re.findall(r"`([\w./-]+\.[ch])`", line):
                if not any((folder / name).exists() for folder in (page.parent, ROOT / "src", ROOT)):
                    yield f"{page.relative_to(ROOT)}:{number}: error: there is no {name}"


def undocumented():
    page = (ROOT / "docs/man/hooke.1").read_text().replace("\\-", "-")
    help_text = subprocess.run([COMMAND, "--help"], capture_output=True, text=True, check=True).stdout
    for verb in re.findall(r"^  ([a-z]+) +[A-Z ]*", help_text.split("Usage:")[1], re.M):
        if f".SS {verb}" not in page and f".SS \"{verb}" not in page:
            yield f"docs/man/hooke.1: error: no section on {verb}"
        text = subprocess.run([COMMAND, verb, "--help"], capture_output=True, text=True, check=True).stdout
        for option in re.findall(r"^  (?:-\w, )?(--[a-z-]+)", text, re.M):
            if option not in page:
                yield f"docs/man/hooke.1: error: {option} of {verb} is not there"


def source(name):
    """The text of a test program or script, or None; "" for a folder."""
    path = ROOT / (name if "/" in name else f"tests/faults/{name}")
    return None if not path.exists() else "" if path.is_dir() else path.read_text()


def missing_tests():
    """Words of the last column: a file, then `::test` or tests of the file named before."""
    page = ROOT / "docs/reliability.md"
    for number, line in enumerate(page.read_text().splitlines(), 1):
        cells = line.split(" | ")
        if len(cells) != 3 or not line.startswith("| ") or cells[0] == "| fault":
            continue
        named, text = 0, ""
        for word in re.findall(r"`([^`]+)`", cells[2]):
            file, _, test = word.partition("::") if re.search(r"[./]", word) else ("", "", word)
            if file:
                text = source(file)
                if text is None:
                    yield f"docs/reliability.md:{number}: error: no test file {file}"
                    text = ""
            if test and not re.search(rf"\b{test}\(", text):
                yield f"docs/reliability.md:{number}: error: {file or 'the file before'} has no {test}"
            named += 1
        if not named:
            yield f"docs/reliability.md:{number}: error: no test is named"


def main():
    errors = [*dead_links(), *lost_words(), *left_out(), *lost_paths(), *lost_names(), *undocumented(), *missing_tests()]
    print("\n".join(errors), end="\n" if errors else "")
    return 1 if errors else 0


sys.exit(main())
