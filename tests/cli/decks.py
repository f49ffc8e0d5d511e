"""Small decks for the tests of the command."""


def strip(columns=20, duration="2e-5", outputs=True, extra=""):
    """A strip of CPE4 steel squares, 1 mm each, pulled by a short pulse at its left end."""
    lines = ["*HEADING", "strip", "*NODE, NSET=ALL"]
    for j in range(2):
        lines += [f"{1 + i + j * (columns + 1)}, {i * 1e-3:.4f}, {j * 1e-3:.4f}" for i in range(columns + 1)]
    lines += ["*ELEMENT, TYPE=CPE4, ELSET=BODY"]
    lines += [f"{i + 1}, {i + 1}, {i + 2}, {i + columns + 3}, {i + columns + 2}" for i in range(columns)]
    lines += ["*NSET, NSET=LEFT", f"1, {columns + 2}", "*NSET, NSET=RIGHT", f"{columns + 1}, {2 * columns + 2}"]
    lines += ["*MATERIAL, NAME=STEEL", "*DENSITY", "7800.", "*ELASTIC", "210.e9, 0.3"]
    lines += ["*SOLID SECTION, ELSET=BODY, MATERIAL=STEEL", ","]
    lines += ["*AMPLITUDE, NAME=PULSE", "0., 0., 2e-6, 1., 4e-6, 0., 1., 0."]
    lines += ["*STEP", "*DYNAMIC, EXPLICIT", f", {duration}", "*CLOAD, AMPLITUDE=PULSE", "LEFT, 1, 1000."]
    if outputs:
        lines += ["*OUTPUT, FIELD, NUMBER INTERVAL=4", "*NODE OUTPUT", "U"]
        lines += ["*OUTPUT, HISTORY, FREQUENCY=1", "*NODE OUTPUT, NSET=RIGHT", "U"]
    return "\n".join([*lines, *([extra] if extra else []), "*END STEP", ""])
