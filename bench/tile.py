#!/usr/bin/env python3
"""Mirrors a tetrahedral mesh of the unit cube, times over in each direction, into a binary Gmsh 2.2 file.

  python3 bench/tile.py box.npz 2 2 2 tiled.msh        box.npz: x [nodes][3], n [tets][4]

A mesh generator takes minutes for millions of nodes. A generated mesh with an eighth of them, mirrored, is as irregular and quick to make."""
import sys
import numpy as np


def mirror(x, n, axis, times):
    """Copies side by side along the axis, every other one reflected; nodes of the shared faces are one."""
    xs, ns = [x], [n]
    low, high = x[:, axis] < 1e-9, x[:, axis] > 1 - 1e-9
    last, mirrored = np.arange(len(x)), False
    count = len(x)
    for k in range(1, times):
        mirrored = not mirrored
        shared = high if mirrored else low
        number = np.empty(len(x), np.int64)
        number[shared] = last[shared]
        number[~shared] = count + np.arange(np.count_nonzero(~shared))
        y = x[~shared].copy()
        y[:, axis] = k + (1 - y[:, axis] if mirrored else y[:, axis])
        xs.append(y)
        ns.append(number[n[:, [1, 0, 2, 3]] if mirrored else n])
        last, count = number, count + len(y)
    return np.concatenate(xs), np.concatenate(ns)


def write(path, x, n):
    nodes = np.empty(len(x), [("number", "<i4"), ("x", "<f8", 3)])
    nodes["number"], nodes["x"] = np.arange(1, len(x) + 1), x
    tets = np.empty((len(n), 7), "<i4")
    tets[:, 0], tets[:, 1], tets[:, 2], tets[:, 3:] = np.arange(1, len(n) + 1), 1, 1, n + 1
    with open(path, "wb") as f:
        f.write(b"$MeshFormat\n2.2 1 8\n" + np.int32(1).tobytes() + b"\n$EndMeshFormat\n$Nodes\n%d\n" % len(x))
        f.write(nodes.tobytes() + b"\n$EndNodes\n$Elements\n%d\n" % len(n))
        f.write(np.array([4, len(n), 2], "<i4").tobytes() + tets.tobytes() + b"\n$EndElements\n")


def main():
    box, *times, path = sys.argv[1:]
    data = np.load(box)
    x, n = data["x"].astype(float), data["n"]
    for axis, t in enumerate(times):
        side = x.copy()
        x, n = mirror(side, n, axis, int(t))
    write(path, x, n)
    print(f"{len(x)} nodes, {len(n)} tets")


if __name__ == "__main__":
    main()
