"""What the examples' make.py share: a gmsh drawing becomes an Abaqus deck with nodes numbered along the length."""
import gzip
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HOOKE = os.environ.get("HOOKE", str(pathlib.Path(__file__).resolve().parent.parent / "build" / "hooke"))


def mesh(geo, **numbers):
    """The sections of the .inp that `hooke convert` makes of a gmsh drawing: [(keyword line, data lines)]."""
    with tempfile.TemporaryDirectory() as folder:
        msh, inp = f"{folder}/mesh.msh", f"{folder}/mesh.inp"
        options = [part for name, value in numbers.items() for part in ("-setnumber", name, repr(value))]
        subprocess.run(["gmsh", "-v", "2", "-nopopup", *options, str(geo), "-save", "-o", msh], check=True)
        subprocess.run([HOOKE, "convert", "-q", msh, inp], check=True)
        sections = []
        for line in open(inp):
            if line.startswith("**"):
                continue
            if line.startswith("*"):
                sections.append((line.strip(), []))
            elif sections[-1][1] and sections[-1][1][-1].endswith(","):
                sections[-1][1][-1] += " " + line.strip()
            else:
                sections[-1][1].append(line.strip())
        return sections


def element_lines(label, nodes):
    """An element of *ELEMENT, at most 16 numbers a line."""
    words = [str(n) for n in (label, *nodes)]
    return [", ".join(words)] if len(words) <= 16 else [", ".join(words[:16]) + ",", ", ".join(words[16:])]


def renumber(sections, digits):
    """Nodes and elements in the order of x, so that the file packs well; coordinates with `digits` decimals."""
    nodes = {}
    for line in next(data for key, data in sections if key == "*NODE"):
        label, *x = line.split(",")
        nodes[int(label)] = tuple(float(v) for v in x)
    width = (max(x[0] for x in nodes.values()) - min(x[0] for x in nodes.values())) / len(nodes) ** 0.5 * 2
    order = sorted(nodes, key=lambda n: (round(nodes[n][0] / width), nodes[n]))
    new = {n: i + 1 for i, n in enumerate(order)}
    elements = []
    for key, data in sections:
        if key.startswith("*ELEMENT,"):
            for line in data:
                label, *corner = (int(v) for v in line.split(","))
                elements.append((min(new[c] for c in corner), label, key.split("TYPE=")[1], [new[c] for c in corner]))
    elements.sort()
    number = {label: i + 1 for i, (_, label, _, _) in enumerate(elements)}
    out = ["*NODE"] + [", ".join([str(new[n])] + [f"{v:#.{digits}f}".rstrip("0") for v in nodes[n]]) for n in order]
    for kind in sorted({e[2] for e in elements}):
        out.append(f"*ELEMENT, TYPE={kind}")
        out += [line for _, label, k, corner in elements if k == kind for line in element_lines(number[label], corner)]
    return out, new, number


def set_lines(sections, new, number):
    """*NSET and *ELSET with the new numbers; runs of consecutive ones as ranges."""
    out = []
    for key, data in sections:
        match = re.match(r"\*(NSET|ELSET), (NSET|ELSET)=(\S+)", key)
        if not match:
            continue
        table = new if match[1] == "NSET" else number
        items = sorted(table[int(v)] for line in data for v in line.split(",") if v.strip())
        runs = []
        for i in items:
            if runs and runs[-1][1] == i - 1:
                runs[-1][1] = i
            else:
                runs.append([i, i])
        out.append(f"{key}, GENERATE")
        out += [f"{a}, {b}" for a, b in runs]
    return out


def set_size(sections, name):
    """Nodes in a set of `mesh`'s sections."""
    return sum(1 for key, data in sections if key == f"*NSET, NSET={name}"
               for line in data for v in line.split(",") if v.strip())


def toneburst(frequency, cycles, per_cycle=40):
    """Data lines of *AMPLITUDE: 0.5 (1 - cos(2 pi t / T)) sin(2 pi f t), T = cycles / f, sampled per_cycle times a cycle."""
    end, count = cycles / frequency, cycles * per_cycle
    numbers = []
    for i in range(count + 1):
        t = end * i / count
        hann = 0.5 * (1 - math.cos(2 * math.pi * t / end))
        numbers += [f"{t:.6e}", f"{hann * math.sin(2 * math.pi * frequency * t):.8f}"]
    return "\n".join(", ".join(numbers[i:i + 8]) for i in range(0, len(numbers), 8))


def write(path, heading, sections, digits, rest):
    """The deck: heading, mesh, sets, then the text `rest`, or rest(number of an element label). Written compressed where the name
    ends in .gz."""
    nodes, new, number = renumber(sections, digits)
    if callable(rest):
        rest = rest(number)
    text = "\n".join(["*HEADING", heading, *nodes, *set_lines(sections, new, number), rest.strip(), ""])
    data = text.encode()
    if str(path).endswith(".gz"):
        data = gzip.compress(data, 9, mtime=0)
    pathlib.Path(path).write_bytes(data)
    print(f"{path}: {len(new)} nodes, {len(number)} elements, {len(data) / 1000:.0f} kB", file=sys.stderr)
