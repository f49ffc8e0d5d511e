"""CalculiX's own decks and their references: each is matched, refused with a reason, or listed as different by definition; none is
wrong."""
import json
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

import h5py
import numpy as np

import pack
from command import call

BAR = 1e-6  # of a table's largest number; the references have seven digits
# At least these run and match: what VERIFICATION 1 names, and what else is made of the same elements and keywords.
MUST_MATCH = {"planestrain", "planestrain2", "planestress", "achtelp", "achtelc", "achteld", "achtelg", "achtel2",
              "achtel29", "achtel9", "achtelcas", "aniso", "beam8p", "beam10p", "beam20p", "beampset", "beamidset", "c3d15", "beampic", "beampis", "mpcforce", "segmentm", "disk2", "beamp", "oneel",
              "beamhtbf", "oneel20cf", "oneel20df", "oneel20fi", "dam"}
# Kinds of tables that hooke prints; a deck whose reference holds others is matched by those it has.
KINDS = ("displacements", "forces", "stresses", "strains", "total force")
HEAT_KINDS = ("temperatures", "heat generation", "heat flux")
HEAD = re.compile(r"^ (\S.*?) *for ?set ?(\S+?)(?: +and time| *time) +(\S+)")


def number(word):
    """Fortran leaves the E out where the exponent has three digits."""
    return float(re.sub(r"(\d)([-+]\d{3})$", r"\1E\2", word))


COLUMNS = {"stresses": 6, "strains": 6, "heat flux": 3}  # behind them the name of local axes may stand


def tables(text, kinds=KINDS):
    """[(kind, set, time, {row label: values})] of a .dat file."""
    found, rows = [], None
    for line in text.splitlines():
        head = HEAD.match(line)
        if head:
            kind = head[1].split("(")[0].strip()
            rows = {}
            found.append((kind, head[2].upper(), number(head[3]), rows))
        elif rows is not None and line.strip():
            words = line.removesuffix(" L").split()  # local components
            label = 2 if kind in ("stresses", "strains", "heat flux") else 0 if kind == "total force" else 1
            try:
                rows[tuple(words[:label])] = [number(w) for w in words[label:][:COLUMNS.get(kind)]]
            except ValueError:
                rows = None
    return [t for t in found if t[0] in kinds]


def difference(reference, own):
    """Largest difference over the reference's largest number, of the rows of `own`; what else the reference has must be zero (nodes
    of no element) or a further layer of points (CalculiX makes solids of plane elements)."""
    kind, _, _, rows = reference
    most = max((abs(v) for values in rows.values() for v in values), default=0)
    worst = 0.0
    for label, values in rows.items():
        if label in own:
            worst = max(worst, np.abs(np.subtract(values, own[label])).max())
        elif kind not in ("stresses", "strains", "heat flux") and np.any(values):
            return float("inf")
    if not own or not set(own) <= set(rows):
        return float("inf")
    return worst / most if most else worst


# Their steps print nothing.
SILENT = {"beamp", "oneel"}
# CalculiX makes solids of plane elements, and ties them by equations where thicknesses meet.
THICKNESSES = {"planestress2"}


def differs_by_definition(name, text):
    return name in THICKNESSES or is_ring(text) or re.search(r"TYPE *= *(CPS3|CPS4)\b", text.upper()) is not None


def is_ring(text):
    """CalculiX makes a wedge of 2 degrees with solids of two or three layers of points of an axisymmetric element."""
    return re.search(r"TYPE *= *CAX", text.upper()) is not None


def balance(folder, ring):
    """|sum of loads and reactions| over the largest force on a node, the worst of all steps. Of a ring along its axis alone: forces along r
    are held by the stress around it."""
    worst = 0.0
    summary = json.loads((folder / "run.json").read_text())
    with h5py.File(folder / "run.h5") as file:
        for i, step in enumerate(summary["steps"]):
            reaction = file[f"static/{i + 1:04d}/reaction"][:]
            scale = step["largest_nodal_force"]
            left = np.abs(reaction.sum(0) + step["load"])
            worst = max(worst, (left[1] if ring and len(left) > 1 else left.max()) / scale if scale else 0)
    return worst


def judge_in_time(folder, expected):
    """Displacements at the end of explicit steps. CalculiX's masses and steps are others, so that they are not those of BAR."""
    last = max(expected, key=lambda t: t[2])
    kind, name, time, _ = last
    with h5py.File(folder / "run.h5") as file:
        trace = file[f"traces/{name}"]
        assert kind == "displacements" and np.isclose(trace["time"][-1], time)
        e = difference(last, {(str(n),): list(u) for n, u in zip(trace["node"][:], trace["displacement"][:, :, -1])})
    return ("differs by definition" if e <= 0.02 else "wrong"), f"in time: {kind} {e:.1e}"


def printing(text):
    """The deck with the displacements of all its nodes printed at the end of each step."""
    block = re.search(r"^\*NODE *(?:,.*)?\n((?:[^*].*\n)+)", text, re.M | re.I)[1]
    labels = [line.split(",")[0].strip() for line in block.splitlines()]
    text = re.sub(r"^\*STEP", "*NSET, NSET=EVERY\n" + "\n".join(labels) + "\n*STEP", text, count=1, flags=re.M | re.I)
    return re.sub(r"^\*END STEP", "*NODE PRINT, NSET=EVERY\nU\n*END STEP", text, flags=re.M | re.I)


def calculix(name, text, out):
    place = out / f"{name}.ccx"
    place.mkdir()
    (place / f"{name}.inp").write_text(text)
    done = subprocess.run(["ccx", name], cwd=place, capture_output=True, text=True, timeout=3000)
    assert "Job finished" in done.stdout, done.stdout[-1000:]
    return tables((place / f"{name}.dat").read_text())


def kinds_of(text):
    return HEAT_KINDS if re.search(r"^\*HEAT *TRANSFER", text, re.M | re.I) else KINDS


def reference_of(folder, name, text, out):
    """The package's numbers. Those of CalculiX's iterative solver are off by up to 2e-3: there its direct one is asked again. Where the
    package prints nothing, it is asked for the displacements."""
    if name in SILENT:
        return calculix(name, text, out)
    if re.search(r"SOLVER *= *ITERATIVE", text, re.I):
        return calculix(name, re.sub(r"SOLVER *= *ITERATIVE *\w+", "SOLVER=SPOOLES", text, flags=re.I), out)
    found = [p for p in (folder / f"{name}.dat.ref", folder / f"{name}.dat.ref.gz") if p.exists()]
    return tables(pack.text(found[0]), kinds_of(text)) if found else []


def judge(folder, deck, name, out):
    """(verdict, words) of one deck."""
    text = pack.text(deck)
    if name in SILENT:
        text = printing(text)
    (out / f"{name}.inp").write_text(text)
    for include in re.findall(r"^\*INCLUDE *, *INPUT *= *(\S+)", text, re.M | re.I):
        if (folder / include).exists():
            (out / include).write_text((folder / include).read_text())
    result = out / f"{name}.hooke"
    done = call("run", out / f"{name}.inp", "--output", result, "--force", "--no-pictures", "--threads", 1, "-q")
    if done.returncode == 3:
        reason = re.search(r"error: (.*)", done.stderr)
        return "refused", reason[1] if reason else "WITHOUT A REASON"
    if done.returncode:
        return "wrong", f"exit {done.returncode}: {done.stderr.strip()[-200:]}"
    expected = reference_of(folder, name, text, out)
    if "steps" not in json.loads((result / "run.json").read_text()):
        return judge_in_time(result, expected)
    printed = result / f"{name}.dat"
    own = tables(printed.read_text(), kinds_of(text)) if printed.exists() else []
    words, worst = [], 0.0
    for table in expected:
        same = [t for t in own if t[:2] == table[:2] and abs(t[2] - table[2]) <= 1e-6 * abs(table[2])]
        e = difference(table, same[0][3]) if same else float("inf")
        worst = max(worst, e)
        words.append(f"{table[0]} {e:.1e}")
    words = ", ".join(words[:4]) + (f", ... worst {worst:.1e}" if len(words) > 4 else "")
    e = balance(result, is_ring(text))
    if not e <= 1e-9:
        return "wrong", f"reactions and loads do not balance: {e:.1e}; {words}"
    if not expected:
        return "wrong", "there is nothing to compare it with"
    if differs_by_definition(name, text):
        return "differs by definition", words
    return ("matched" if worst <= BAR else "wrong"), words


def test_no_deck_of_the_pack_is_wrong(tmp_path):
    """max |u - ref| <= 1e-6 max |ref| for displacements, stresses, strains and forces of every deck that runs; reactions and loads
    balance to 1e-9; every other deck stops with exit 3 and says why."""
    folder = pack.folder()
    decks = {p.name.removesuffix(".gz").removesuffix(".inp"): p for p in pack.decks()}
    assert len(decks) > 300
    with ThreadPoolExecutor(2) as threads:
        verdicts = dict(zip(decks, threads.map(lambda name: judge(folder, decks[name], name, tmp_path), decks)))
    order = ["matched", "differs by definition", "refused", "wrong"]
    for kind in order:
        for name, (verdict, words) in verdicts.items():
            if verdict == kind:
                print(f"{kind:22} {name:20} {words}")
    count = {kind: sum(v == kind for v, _ in verdicts.values()) for kind in order}
    print(count)
    wrong = {name: words for name, (verdict, words) in verdicts.items() if verdict == "wrong"}
    assert not wrong, wrong
    assert not [n for n, (v, words) in verdicts.items() if words == "WITHOUT A REASON"]
    assert MUST_MATCH <= {name for name, (verdict, _) in verdicts.items() if verdict == "matched"}
