#!/usr/bin/env python3
"""Writes docs/reference/*.md from what the program itself says; with --check it writes nothing and fails where a page is stale.

case.md from the JSON Schema of case files, deck.md from the table of keywords, element_types.md from that of element types,
command.md from the verbs' --help, exit_codes.md from status.h, results.md from runs of small models."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools/site"))
import results  # noqa: E402

FOLDER = ROOT / "docs/reference"
HOOKE = ROOT / "build/hooke"
MADE = "Made by `tools/make_reference.py` from {}; do not edit.\n"


def output_of(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout


def cell(text):
    return text.replace("|", "\\|").replace("<", "\\<").replace("*", "\\*")


def table(head, rows):
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows]) + "\n"


# case files

class CaseKeys:
    """Tables of the keys, one per map of the schema. A map that stands in several places has one table."""

    def __init__(self, schema):
        self.schema, self.lines, self.seen, self.errors = schema, [], {}, []

    def kind(self, rule, path):
        """The value in words; maps inside are kept for tables of their own."""
        if "anyOf" in rule:
            return ", or ".join(dict.fromkeys(self.kind(one, path) for one in rule["anyOf"]))
        if "enum" in rule:
            return " ".join(f"`{word}`" for word in rule["enum"])
        if rule.get("type") == "array":
            least, most = rule.get("minItems"), rule.get("maxItems")
            size = "" if not most or most > 9 else f" of {least}" if least == most else f" of {least} to {most}"
            return f"list{size}: {self.kind(rule['items'], path)}"
        if rule.get("type") == "object":
            if "properties" not in rule:
                return f"names: {self.kind(rule['additionalProperties'], path + '.NAME')}"
            if not rule["properties"]:
                return "`{}`"
            same = json.dumps(rule["properties"], sort_keys=True)
            if same not in self.seen:
                self.seen[same] = path
                self.pending.append((path, rule))
            return f"[map](#{anchor(self.seen[same])})"
        if rule.get("type") == "integer":
            return f"whole number, {rule['minimum']} to {rule['maximum']:.0f}".replace(" to 2147483647", " or more") \
                if rule["maximum"] < 2**31 else "whole number"
        if "x-dimension" in rule:
            limit = ", above 0" if "exclusiveMinimum" in rule else ", not below 0" if "minimum" in rule else ""
            example = f" (`{rule['x-unit']}`)" if rule["x-unit"] else ""
            return f"{rule['x-dimension']}{example}{limit}"
        if rule.get("type") == ["number", "string"]:
            if "maximum" in rule:
                return f"number, {rule['minimum']:g} to {rule['maximum']:g}"
            return "number, above 0" if "exclusiveMinimum" in rule else "number, not below 0" if "minimum" in rule else "number"
        return "text"

    def section(self, path, rule):
        self.pending, rows = [], []
        for key, inside in rule["properties"].items():
            about = inside.get("description") or inside.get("anyOf", [{}])[0].get("description")
            if not about:
                self.errors.append(f"src/input/case/keys/rules*.c: error: key {path}.{key} has no .doc: say in a sentence what it is")
                continue
            place = f"{path}.{key}" if path else key
            default = re.search(r"(?:^|[;,] )([^;,(:]*?) \(?unless given\)?", about)
            needed = "needed" if key in rule.get("required", []) else cell(default[1].strip()) if default else ""
            what = about.replace(default[0], "") if default else about
            rows.append([f"`{key}`", self.kind(inside, place), needed, cell(what)])
        title = f"`{path}`" if path else "The file"
        only = "Exactly one of these.\n" if rule.get("maxProperties") == 1 else ""
        self.lines += [f"## {title}\n", *([only] if only else []), table(["key", "value", "unless given", "what"], rows)]
        for path, rule in self.pending[:]:
            self.section(path, rule)

    def page(self):
        self.section("", self.schema)
        if self.errors:
            sys.exit("\n".join(self.errors))
        return "\n".join(self.lines)


def anchor(path):
    return path.lower().replace(".", "")


def case_page():
    schema = json.loads(output_of(HOOKE, "new", "--schema"))
    return f"""# Keys of case files

{MADE.format("the table that validates case files, `src/input/case/keys/rules*.c`")}
A case file is YAML or JSON. A quantity is a number with a unit (`5 MHz`, `0.1 mm`, `7800 kg/m^3`); a plain number is in the file's
`units:`. A key that is not listed here is an error with its line. `hooke new --schema` prints the same table as JSON Schema, with which
editors complete keys and show what they mean:

    hooke new --schema > hooke.schema.json

and, as the first line of the case file, `# yaml-language-server: $schema=hooke.schema.json`.

{CaseKeys(schema).page()}"""


# decks

def keywords():
    """[(name, level, where, parameters, advice)] of the table, read by the C preprocessor."""
    source = ('#define HK_INP_NAME(id, name, level, where, parameters, advice) ROW name @ level @ where @ parameters @ advice\n'
              '#include "input/deck/mesh/keywords.h"\n')
    text = subprocess.run(["cc", "-E", "-P", "-I", ROOT / "src", "-"], input=source, capture_output=True, text=True, check=True).stdout
    rows = []
    for line in text.split("ROW ")[1:]:
        name, level, where, parameters, advice = line.strip().split(" @ ")
        rows.append((name[1:-1], level.removeprefix("HK_INP_LEVEL_"), where, parameters[1:-1], advice.strip()[1:-1]))
    return rows


def where_in_words(where):
    return ", ".join(word for mark, word in (("IN_MESH", "mesh"), ("IN_MODEL", "model"), ("IN_STEP", "step")) if mark in where)


def deck_page():
    rows = keywords()
    obeyed = [[f"`*{name}`", where_in_words(where), cell(what), " ".join(f"`{word}`" for word in parameters.split(",") if word not in ("", "*"))]
              for name, level, where, parameters, what in rows if level == "OBEY"]
    missing = [row[0] for row in obeyed if not row[2] and not row[0].startswith("`*END")]
    if missing:
        sys.exit(f"src/input/deck/mesh/keywords.h: error: the table lacks what is supported of: {' '.join(missing)}")
    listed = " ".join(f"`*{name}`" for name, level, *_ in rows if level == "COSMETIC")
    reasons = {}
    for name, level, _, _, advice in rows:
        if level == "STOP":
            reasons.setdefault(advice, []).append(f"`*{name}`")
    return f"""# Keywords of decks

{MADE.format("the reader's own table, `src/input/deck/mesh/keywords.h`")}
A keyword in none of these tables is an error with its line, and so is an unknown parameter. hooke drops nothing silently.

## Supported

Known parameters end in `=` if they take a value. A parameter that would change the result and is not supported is an error that says so.

{table(["keyword", "stands in", "what is supported", "parameters"], obeyed)}
## Accepted and listed

They change nothing in hooke's results; a note lists each once.

{listed}

## Refused

{table(["keywords", "message"], [[" ".join(names), cell(advice)] for advice, names in reasons.items()])}"""


def element_page():
    text = (ROOT / "src/input/deck/mesh/types.c").read_text()
    uses = {"PLANE_STRAIN": "plane strain", "PLANE_STRESS": "plane stress", "SOLID": "solid", "AXISYMMETRIC": "axisymmetric",
            "HEAT": "heat", "HEAT_RING": "heat, axisymmetric", "ACOUSTIC": "acoustic: refused",
            "SIDE": "on the boundary alone, as sets: refused elsewhere"}
    rows = []
    for name, shape, use, reduced, variant in re.findall(r'\{"(\w+)", (?:\(hk_shape\))?HK_(?:INP_)?(\w+), HK_INP_(\w+), (\w+), (\w+)\}', text):
        integration = "reduced" if reduced == "true" else "incompatible modes" if variant == "true" and name.endswith("I") else \
            "full (of the plain element, with a warning)" if variant == "true" else "full"
        rows.append([f"`{name}`", f"`{shape.lower()}`", uses[use], "" if "refused" in uses[use] else integration])
    shapes = re.findall(r"^ELEMENT\((\w+)\)", (ROOT / "src/element/list.h").read_text(), re.M)
    return f"""# Element types of decks

{MADE.format("`src/input/deck/mesh/types.c` and `src/element/list.h`")}
Shapes of meshes: {', '.join(f'`{shape}`' for shape in shapes)}; the digits are the number of nodes. `element: {{order: p}}` of a case file raises them to
order p. Points of integration, and what differs from CalculiX: [elements](../elements.md). Explicit steps integrate in full.

{table(["type", "shape", "use", "integration in static steps"], rows)}"""


# the command

def command_page():
    top = output_of(HOOKE, "--help")
    verbs = re.findall(r"^  ([a-z]+) +[A-Z\[ ].*|^  ([a-z]+) {2,}", top.split("Usage:")[1], re.M)
    parts = [f"## hooke {verb}\n\n```text\n{output_of(HOOKE, verb, '--help')}```\n" for verb in (a or b for a, b in verbs)]
    return f"""# The command

{MADE.format("the `--help` of each verb")}
```text
{top}```

{chr(10).join(parts)}"""


def exit_page():
    text = (ROOT / "include/hooke/status.h").read_text()
    rows = [[number, f"`{name}`", cell(about or "done, with complete output")]
            for name, number, about in re.findall(r"^  (HK_\w+) = (\d+),?(?: +/\* (.*?) \*/)?", text, re.M) if name != "HK_STOPPED"]
    rows += [["130, 143", "`HK_STOPPED`", "stopped by SIGINT or SIGTERM; a run in time has written a checkpoint, from which `--restart` continues"]]
    return f"""# Exit codes

{MADE.format("`include/hooke/status.h`")}
The status of a function of the library is the exit code of the command; only a stopped run differs, 128 + signal.

{table(["code", "status", "what it means"], rows)}
{MESSAGES}"""


MESSAGES = "Messages go to stderr as `file:line: error: what, why, what to do`; all errors of an input are shown at once.\n"


def pages():
    with tempfile.TemporaryDirectory() as folder:
        return {"case.md": case_page(), "deck.md": deck_page(), "element_types.md": element_page(), "command.md": command_page(),
                "exit_codes.md": exit_page(), "results.md": results.page(HOOKE, pathlib.Path(folder), MADE, table)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail where a page is stale; write nothing")
    check = parser.parse_args().check
    stale = 0
    for name, text in pages().items():
        path = FOLDER / name
        if path.exists() and path.read_text() == text:
            continue
        stale += 1
        if check:
            print(f"docs/reference/{name}: error: is stale: run tools/make_reference.py and commit what it writes")
        else:
            FOLDER.mkdir(exist_ok=True)
            path.write_text(text)
            print(f"docs/reference/{name}: written")
    return 1 if check and stale else 0


sys.exit(main())
