#!/usr/bin/env python3
"""Writes the mesh of the array example: mesh.inp.gz, a block of 24 x 12 mm with a crack, squares of 0.2 mm.

  python3 examples/array/make.py [OUTPUT]

The crack is a cut: from (13, 5) to (16, 5) mm each node is there twice, once for the squares above and once for those below.
The eight elements of the array are nodes of the upper side, 1.4 mm apart."""
import gzip
import pathlib
import sys

COLUMNS, ROWS, H = 120, 60, 0.2
CRACK_ROW, CRACK = 25, range(66, 80)  # nodes that are there twice; the tips beside them once
ELEMENTS = [COLUMNS // 2 - 25 + 7 * k for k in range(8)]


def main():
    output = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent / "mesh.inp.gz"
    label = {(i, j): 1 + i + j * (COLUMNS + 1) for j in range(ROWS + 1) for i in range(COLUMNS + 1)}
    lips = {i: len(label) + 1 + k for k, i in enumerate(CRACK)}
    lines = ["*HEADING", "block with a crack under an array, mm", "*NODE"]
    lines += [f"{n}, {i * H:.1f}, {j * H:.1f}" for (i, j), n in label.items()]
    lines += [f"{n}, {i * H:.1f}, {CRACK_ROW * H:.1f}" for i, n in lips.items()]
    lines += ["*ELEMENT, TYPE=CPE4, ELSET=block"]
    for j in range(ROWS):
        for i in range(COLUMNS):
            low = [lips.get(k, label[k, j]) if j == CRACK_ROW else label[k, j] for k in (i, i + 1)]
            corners = [*low, label[i + 1, j + 1], label[i, j + 1]]
            lines.append(f"{1 + i + j * COLUMNS}, " + ", ".join(map(str, corners)))
    lines += ["*NSET, NSET=elements", ", ".join(str(label[i, ROWS]) for i in ELEMENTS), ""]
    text = "\n".join(lines).encode()
    if str(output).endswith(".gz"):
        with open(output, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0) as file:
            file.write(text)
    else:
        pathlib.Path(output).write_bytes(text)


if __name__ == "__main__":
    main()
