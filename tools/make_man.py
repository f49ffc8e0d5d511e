#!/usr/bin/env python3
"""Writes docs/man/hooke-VERB.1 from the --help of each verb; with --check it writes nothing and fails where a page is stale, where
docs/man/hooke.1 names an option that no verb has, or leaves one out."""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs/man"
HOOKE = ROOT / "build/hooke"


def help_of(*words):
    return subprocess.run([str(HOOKE), *words, "--help"], capture_output=True, text=True, check=True).stdout


def roff(text):
    """Text that roff leaves as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("~", "\\(ti").replace("^", "\\(ha")
    return re.sub(r"^(['.])", r"\\&\1", text, flags=re.M)


def parse(verb):
    """examples, usage, paragraphs, [(names, argument, description)] of `hooke verb --help`"""
    text = help_of(verb)
    examples, rest = text.split("\nUsage: ", 1)
    usage, rest = rest.split("\n", 1)
    about, rows = rest.split("\nOptions:\n", 1)
    options = []
    for line in rows.splitlines():
        found = re.fullmatch(r"  (?:(-\w), )?(--[\w-]+)(?: ([A-Z=]+|\[\S+\]))? +(\S.*)", line)
        if not found:
            raise SystemExit(f"make_man: hooke {verb} --help: not understood: {line!r}")
        options.append(([name for name in found.group(1, 2) if name], found[3] or "", found[4]))
    return [line.strip() for line in examples.splitlines()[1:] if line.strip()], usage, about.strip().splitlines(), options


def page(verb):
    examples, usage, about, options = parse(verb)
    summary = about[0][0].lower() + about[0][1:].removesuffix(".")
    words = usage.removeprefix(f"hooke {verb}").removesuffix("[options]").strip()
    lines = [f'.TH HOOKE\\-{verb.upper()} 1 "" "hooke" "User Commands"', '.\\" Made by tools/make_man.py; do not edit.', ".SH NAME",
             f"hooke\\-{verb} \\- {roff(summary)}", ".SH SYNOPSIS", f".B hooke {verb}"]
    lines += [f".I {roff(words)}"] if words else []
    lines += [".RI [ options ]", ".SH DESCRIPTION"]
    for line in about:  # "name: text" begins a paragraph
        if lines[-1] != ".SH DESCRIPTION" and re.match(r"\w+: ", line):
            lines.append(".PP")
        lines.append(roff(line))
    lines.append(".SH OPTIONS")
    for names, argument, description in options:
        shown = ", ".join(f"\\fB{roff(name)}\\fR" for name in names) + (f" \\fI{roff(argument)}\\fR" if argument else "")
        lines += [".TP", shown, roff(description)]
    lines += [".SH EXAMPLES", ".EX", *(roff(line) for line in examples), ".EE", ".SH EXIT STATUS", "That of",
              ".BR hooke (1).", ".SH SEE ALSO", ".BR hooke (1)"]
    return "\n".join(lines) + "\n"


def pages():
    verbs = re.findall(r"^  ([a-z]+) ", help_of().split("Usage:", 1)[1], re.M)
    return {f"hooke-{verb}.1": page(verb) for verb in verbs}


def stale(made):
    old = {path.name: path.read_text() for path in FOLDER.glob("hooke-*.1")}
    wrong = [f"docs/man/{name} is stale: tools/make_man.py" for name in sorted(old.keys() | made.keys()) if old.get(name) != made.get(name)]
    named = set(re.findall(r"--[a-z][\w-]*", (FOLDER / "hooke.1").read_text().replace("\\-", "-")))
    there = {name for verb in made for names, _, _ in parse(verb[6:-2])[3] for name in names if name.startswith("--")}
    wrong += [f"docs/man/hooke.1: no verb has {name}" for name in sorted(named - there - {"--version"})]
    return wrong + [f"docs/man/hooke.1 leaves out {name}" for name in sorted(there - named)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    made = pages()
    if not check:
        for name, text in made.items():
            (FOLDER / name).write_text(text)
    wrong = stale(made)
    print("\n".join(wrong), end="\n" if wrong else "")
    sys.exit(bool(wrong))


main()
