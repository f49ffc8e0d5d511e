#!/usr/bin/env python3
"""Equations of docs/theory/ and the code: every number that is cited, as (W.5), exists; every equation is cited where it is computed,
but for those below a line <!-- background -->."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = {"src": "*.[ch]", "bench/src": "*.[ch]", "include": "*.h", "docs": "*.md"}
CITED = re.compile(r"[\[(]([A-Z]\.\d+)[\])]")


def equations():
    """{number: (page, line, whether code computes it)}, and errors."""
    found, errors = {}, []
    for page in sorted((ROOT / "docs/theory").glob("*.md")):
        before = ""
        for line, text in enumerate(page.read_text().splitlines(), 1):
            for number in re.findall(r"\\tag\{([^}]*)\}", text):
                place = f"{page.relative_to(ROOT)}:{line}"
                if number in found:
                    errors.append(f"{place}: error: ({number}) is there twice, also at {found[number][0]}")
                found[number] = place, before.strip() != "<!-- background -->"
            before = text if text.strip() else before
    return found, errors


def citations():
    for folder, pattern in FOLDERS.items():
        for path in sorted((ROOT / folder).rglob(pattern)):
            for line, text in enumerate(path.read_text().splitlines(), 1):
                for number in CITED.findall(text):
                    yield number, f"{path.relative_to(ROOT)}:{line}", folder


def main():
    known, errors = equations()
    letters = {number[0] for number in known}
    in_code = set()
    for number, place, folder in citations():
        if number[0] in letters and number not in known:
            errors.append(f"{place}: error: no equation ({number}) in docs/theory")
        if folder != "docs":
            in_code.add(number)
    errors += [f"{place}: error: ({number}) is cited nowhere in the code: cite it where it is computed, or put "
               "<!-- background --> above it" for number, (place, computed) in known.items() if computed and number not in in_code]
    print("\n".join(errors), end="\n" if errors else "")
    return 1 if errors else 0


sys.exit(main())
