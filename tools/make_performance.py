#!/usr/bin/env python3
"""Writes docs/performance.md, docs/performance/*.md and the tables of other pages from bench/results/*.json. With --check: says whether they are
what the results give (exit 1 if not)."""
import re
import sys

from performance import agree, assembly, builds, devices, explicit, femses, headlines, integration, memory, peers, pogo, results, spectral, whole

PAGES = {  # page: its module, title, what it holds
    "explicit": (explicit, "Explicit steps of linear elements", "forms of K on a GPU and a processor, whole runs, shots"),
    "spectral": (spectral, "Spectral elements (Carrascal-Manzanares et al.)", "rates by order, slots and colours, the paper's product, time dispersion"),
    "pogo": (pogo, "Blocks on a GPU (Huthwaite 2014)", "partitions, steps, traces of the paper's three models"),
    "assembly": (assembly, "Assembly (Sanfui and Sharma)", "stages, functions, methods, share of a whole solution"),
    "femses": (femses, "Heat without a matrix (Keating 2019)", "speed-ups, iterations, shares of stages, products beside cuSPARSE"),
    "integration": (integration, "Element matrices of prisms (Banaś, Płaszewski and Macioł)", "sizes, launches, times and rates by order"),
    "devices": (devices, "Several devices", "steps of one model, bytes of its results, links"),
    "agree": (agree, "A device beside the host", "differences of small models with every form of K, medium and term"),
    "peers": (peers, "Other programs", "SPECFEM2D, CalculiX, PETSc, libCEED"),
    "builds": (builds, "Builds of hooke", "one build compared with another")}
if memory.there():
    PAGES["memory"] = (memory, "Memory", "what `hooke check` predicts beside what runs take")
if whole.there():
    PAGES["whole"] = (whole, "From the case to the result", "whole commands, stage by stage, warm and cold")
TABLES = {  # page: {name of the table: its lines}
    "README.md": {"headlines": lambda: headlines.table("docs/performance")},
    "docs/attenuation.md": {"cost": spectral.attenuation},
    "docs/femses.md": {"iterations": femses.iterations},
    "docs/partition.md": {"blocks": pogo.blocks},
    "docs/solvers.md": {"shares": assembly.shares},
    "docs/spectral.md": {"summary": spectral.summary},
    "docs/theory/dispersion.md": {"linear": spectral.dispersion_linear}}
GENERATED = "`tools/make_performance.py` writes this page from `bench/results/`; do not edit it."


def front():
    return ["# Performance", "", *headlines.table("performance"), "",
            "A ratio above 1 means that hooke is faster. Values separated by / belong to the cases separated by / in the first column. \"In hooke\" marks a method that was written "
            "for hooke and ran on the same device.", "", "## How it is measured", "",
            "`hooke bench` and the programs in `bench/` measure, and write the rows of `bench/results/`. A rate counts each degree of freedom once per step or product (GDOF/s: 1e9 per second), "
            "and is compared within one run of a bench with the speed of the memory (`hooke devices` measures it) or with another method. Each page names the device and the commit that was "
            "measured, not today's. The commits 42fb564, e542077, 8873340 and fa613bd were merged into fc0ef6e afterwards.", "", "## All results", "",
            *(f"- [{title}](performance/{name}.md): {what}" for name, (_, title, what) in PAGES.items()), "", GENERATED, ""]


def replaced(page, tables):
    """The page with the lines between the comments that name a table."""
    text = (results.ROOT / page).read_text()
    for name, lines in tables.items():
        pattern = re.compile(rf"(<!-- table {name}: [^\n]*-->\n).*?(<!-- end of table -->\n)", re.S)
        if not pattern.search(text):
            raise SystemExit(f"{page}: the comments around the table {name} are missing")
        text = pattern.sub(lambda m, lines=lines: m[1] + "\n".join([*lines(), ""]) + m[2], text)
    return text


def main():
    texts = {"docs/performance.md": "\n".join(front())}
    for name, (module, title, _) in PAGES.items():
        texts[f"docs/performance/{name}.md"] = "\n".join([f"# {title}", "", *module.page(), *results.notes(name), GENERATED, ""])
    texts |= {page: replaced(page, tables) for page, tables in TABLES.items()}
    for page, text in texts.items():
        path = results.ROOT / page
        if "--check" not in sys.argv:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            sys.exit(f"{page} is not what bench/results gives: run tools/make_performance.py")


if __name__ == "__main__":
    main()
