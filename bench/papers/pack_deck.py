#!/usr/bin/env python3
"""Packs a deck of CPE3 triangles into a tenth of its gzipped size, and back.

  python3 bench/papers/pack_deck.py pack DECK FILE
  python3 bench/papers/pack_deck.py unpack FILE DECK

Nodes are renumbered by columns along x, and from bottom to top in each, elements by their lowest node; sets go along. Coordinates keep their decimals, elements
their orientation, and all other keywords their text. Differences from one number to the next are stored byte by byte, which xz then packs."""
import lzma
import re
import struct
import sys

import numpy as np


def sections(text):
    out = []
    for part in re.split(r"(?m)^(?=\*(?!\*))", text):
        head, _, data = part.partition("\n")
        if head.startswith("*"):
            out.append((head.strip(), data))
    return out


def members(data, generate):
    if not generate:
        return np.array(data.replace(",", " ").split(), dtype=np.int64)
    return np.concatenate([np.arange(int(a), int(b) + 1) for a, b in (v.split(",")[:2] for v in data.split("\n") if v.strip())])


def runs(numbers):
    """Lines of GENERATE."""
    numbers = np.unique(numbers)
    cut = np.flatnonzero(np.diff(numbers) != 1)
    first, last = np.r_[numbers[0], numbers[cut + 1]], np.r_[numbers[cut], numbers[-1]]
    return "".join(f"{a}, {b}\n" for a, b in zip(first.tolist(), last.tolist()))


def lines(form, table):
    out = []
    for k in range(0, len(table), 100000):
        part = table[k:k + 100000]
        out.append(form * len(part) % tuple(part.ravel().tolist()))
    return "".join(out)


def planes(a):
    """int32 as zigzag, byte by byte."""
    a = a.astype(np.int64)
    z = (np.where(a < 0, -2 * a - 1, 2 * a)).astype("<u4")
    return np.ascontiguousarray(z.view(np.uint8).reshape(-1, 4).T).tobytes()


def unplanes(b):
    """What `planes` was given."""
    z = np.ascontiguousarray(np.frombuffer(b, np.uint8).reshape(4, -1).T).view("<u4").ravel().astype(np.int64)
    return np.where(z & 1, -(z + 1) // 2, z // 2)


def generated(head):
    return head if "GENERATE" in head else head + ", GENERATE"


def pack(source, target):
    given = sections(open(source).read())
    raw = next(d for h, d in given if h == "*NODE")
    digits = max((len(w) for w in re.findall(r"\.(\d*)", raw[:200000])), default=0)
    node = np.array(raw.replace(",", " ").split(), float).reshape(-1, 3)
    element = np.array(next(d for h, d in given if h.startswith("*ELEMENT")).replace(",", " ").split(), np.int64).reshape(-1, 4)
    if not (np.array_equal(node[:, 0], np.arange(1, len(node) + 1)) and np.array_equal(element[:, 0], np.arange(1, len(element) + 1))):
        raise SystemExit("the numbers of nodes and elements must be 1, 2, ...")
    x = np.rint(node[:, 1:] * 10 ** digits).astype(np.int64)
    width = (node[:, 1].max() - node[:, 1].min()) / len(node) ** 0.5
    order = np.lexsort((x[:, 1], np.rint(node[:, 1] / width)))
    new = np.empty(len(node), np.int64)
    new[order] = np.arange(len(node))
    corner = new[element[:, 1:] - 1]
    turn = corner.argmin(axis=1)  # the least first, orientation kept
    corner = np.take_along_axis(corner, (turn[:, None] + np.arange(3)) % 3, axis=1)
    place = np.lexsort((corner[:, 2], corner[:, 1], corner[:, 0]))
    number = np.empty(len(element), np.int64)
    number[place] = np.arange(len(element))
    corner, x = corner[place], x[order]
    rest = []
    for head, data in given:
        generate = "GENERATE" in head
        if head == "*NODE" or head.startswith("*ELEMENT,"):
            data = ""
        elif head.startswith("*NSET"):
            data, head = runs(new[members(data, generate) - 1] + 1), generated(head)
        elif head.startswith("*ELSET"):
            data, head = runs(number[members(data, generate) - 1] + 1), generated(head)
        rest.append(f"{head}\n{data}")
    text = "".join(rest).encode()
    first = np.diff(corner[:, 0], prepend=0)
    second, third = corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 1]
    body = [planes(a) for a in (np.diff(x[:, 0], prepend=0), np.diff(x[:, 1], prepend=0), first, second, third)]
    blob = struct.pack("<4q", len(node), len(element), digits, len(text)) + text + b"".join(body)
    open(target, "wb").write(lzma.compress(blob, preset=6))


def unpack(source, target):
    blob = lzma.open(source).read()
    nodes, elements, digits, size = struct.unpack_from("<4q", blob)
    at = 32 + size
    parts = []
    for n in (nodes, nodes, elements, elements, elements):
        parts.append(unplanes(blob[at:at + 4 * n]))
        at += 4 * n
    x = np.stack([np.cumsum(parts[0]), np.cumsum(parts[1])], 1) / 10 ** digits
    first = np.cumsum(parts[2])
    corner = np.stack([first, first + parts[3], first + parts[3] + parts[4]], 1) + 1
    text = blob[32:32 + size].decode()
    with open(target, "w") as out:
        for head, data in sections(text):
            out.write(head + "\n")
            if head == "*NODE":
                out.write(lines(f"%d, %.{digits}f, %.{digits}f\n", np.column_stack([np.arange(1, nodes + 1), x])))
            elif head.startswith("*ELEMENT,"):
                out.write(lines("%d, %d, %d, %d\n", np.column_stack([np.arange(1, elements + 1), corner])))
            else:
                out.write(data)


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("pack", "unpack"):
        raise SystemExit(__doc__)
    {"pack": pack, "unpack": unpack}[sys.argv[1]](*sys.argv[2:])
