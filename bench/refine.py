#!/usr/bin/env python3
"""Refines a deck of CPE3 triangles of hooke's examples: each becomes four, and dt and the intervals of the history halve and double.

  python3 bench/refine.py DECK FINE [PART]

PART: of the time of its steps, where less than all is wanted. Nodes keep their numbers; the middles of edges follow. A node set that holds both ends of an edge of the outline gets its middle, and a *CLOAD
on such a set is spread over the nodes that it now has. Element e becomes elements 4 e - 3 ... 4 e. Frames are left out."""
import pathlib
import re
import sys

import numpy as np


def sections(text):
    """[(keyword line, data)] of a deck, without comments and frames."""
    parts = re.split(r"(?m)^(?=\*(?!\*))", text)
    kept, frames = [], False
    for part in parts:
        head, _, data = part.partition("\n")
        frames = head.startswith("*OUTPUT, FIELD") or (frames and head.startswith("*NODE OUTPUT"))
        if head and not frames:
            kept.append((head.strip(), data))
    return kept


def numbers(data, per_line):
    return np.array(data.replace(",", " ").split(), float).reshape(-1, per_line)


def members(data):
    """Of a set with GENERATE."""
    return np.concatenate([np.arange(int(a), int(b) + 1) for a, b in (line.split(",") for line in data.split("\n") if line.strip())])


def middles(triangle):
    """Unique edges [edges][2], edge[triangle][3] of corners 01 12 20, and which edges have one triangle alone."""
    ends = np.sort(np.stack([triangle[:, [0, 1]], triangle[:, [1, 2]], triangle[:, [2, 0]]], axis=1).reshape(-1, 2), axis=1)
    key, edge, count = np.unique(ends[:, 0].astype(np.int64) << 32 | ends[:, 1], return_inverse=True, return_counts=True)
    return np.stack([key >> 32, key & 0xffffffff], axis=1), edge.reshape(-1, 3), count == 1


def split(triangle, edge, first):
    """The four triangles of each: three at its corners, one within."""
    m = first + edge
    return np.stack([np.stack([triangle[:, 0], m[:, 0], m[:, 2]], 1), np.stack([m[:, 0], triangle[:, 1], m[:, 1]], 1),
                     np.stack([m[:, 2], m[:, 1], triangle[:, 2]], 1), m], axis=1).reshape(-1, 3)


def lines(form, table):
    """A line of `form` for each row."""
    out, at_once = [], 100000
    for k in range(0, len(table), at_once):
        part = table[k:k + at_once]
        out.append(form * len(part) % tuple(part.ravel().tolist()))
    return "".join(out)


def refine(text, part=1.0):
    """The text of the fine deck, whose steps end after this part of the time."""
    given = sections(text)
    node = numbers(next(d for h, d in given if h == "*NODE"), 3)
    element = numbers(next(d for h, d in given if h.startswith("*ELEMENT")), 4).astype(np.int64)
    if not (np.array_equal(node[:, 0], np.arange(1, len(node) + 1)) and np.array_equal(element[:, 0], np.arange(1, len(element) + 1))):
        raise SystemExit("the numbers of nodes and elements must be 1, 2, ...")
    edges, edge, outline = middles(element[:, 1:])
    middle = 0.5 * (node[edges[:, 0] - 1, 1:] + node[edges[:, 1] - 1, 1:])
    fine = split(element[:, 1:], edge, len(node) + 1)
    out, share = [], {}
    for head, data in given:
        name = head.split("=")[-1].split(",")[0]
        if head == "*NODE":
            label = np.arange(1, len(node) + len(middle) + 1)
            data = lines("%d, %.9g, %.9g\n", np.column_stack([label, np.concatenate([node[:, 1:], middle])]))
        elif head.startswith("*ELEMENT"):
            data = lines("%d, %d, %d, %d\n", np.column_stack([np.arange(1, len(fine) + 1), fine]))
        elif head.startswith("*ELSET"):
            data = "".join(f"{4 * int(a) - 3}, {4 * int(b)}\n" for a, b in (v.split(",") for v in data.split("\n") if v.strip()))
        elif head.startswith("*NSET"):
            name = re.search(r"NSET=([^,\s]+)", head)[1]
            own = members(data)
            inside = np.isin(edges, own).all(axis=1) & outline
            share[name] = len(own) / (len(own) + inside.sum())
            data += "".join(f"{v}, {v}\n" for v in len(node) + 1 + np.flatnonzero(inside))
        elif head.startswith("*CLOAD"):
            data = "".join(f"{w[0]}, {w[1]}, {float(w[2]) * share.get(w[0].strip(), 1):.9g}\n"
                           for w in (v.split(",") for v in data.split("\n") if v.strip()))
        elif head.startswith("*DYNAMIC"):
            dt, end = (float(v) for v in data.split(","))
            data = f"{dt / 2:.9g}, {part * end:.9g}\n"
        elif match := re.match(r"(\*OUTPUT, HISTORY, FREQUENCY=)(\d+)", head):
            head = f"{match[1]}{2 * int(match[2])}"
        out.append(f"{head}\n{data}")
    return "".join(out)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        raise SystemExit(__doc__)
    pathlib.Path(sys.argv[2]).write_text(refine(pathlib.Path(sys.argv[1]).read_text(), *map(float, sys.argv[3:])))
