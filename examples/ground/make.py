"""Mesh of the example: 125 x 28 quadrilaterals, 5000 m x 2000 m below a hill and a valley, two materials whose border undulates.

    python3 examples/ground/make.py examples/ground/mesh.inp
"""
import math
import sys

NX, NY, TOP = 125, 28, 8  # elements along x, along y, of them in the upper layer
LEFT, WIDTH, DEPTH = -1000.0, 5000.0, 2000.0


def surface(x):
    """Height of the ground, m."""
    return 120 * math.exp(-((x - 1900) / 260) ** 2) - 60 * math.exp(-((x - 900) / 200) ** 2)


def border(x):
    """Height of the border between the layers, m."""
    return -300 + 50 * math.sin(2 * math.pi * x / 1700)


def height(i, j):
    """Of node (i, j): straight between the bottom, the border and the surface."""
    x, low = LEFT + WIDTH * i / NX, NY - TOP
    if j <= low:
        return -DEPTH + (border(x) + DEPTH) * j / low
    return border(x) + (surface(x) - border(x)) * (j - low) / TOP


def node(i, j):
    return 1 + i + (NX + 1) * j


def element(i, j):
    return 1 + i + NX * j


def listed(kind, name, numbers):
    lines = [f"*{kind}, {'NSET' if kind == 'NSET' else 'ELSET'}={name}"]
    numbers = list(numbers)
    lines += [", ".join(map(str, numbers[k:k + 12])) for k in range(0, len(numbers), 12)]
    return lines


lines = ["*NODE"]
lines += [f"{node(i, j)}, {LEFT + WIDTH * i / NX:.10g}, {height(i, j):.10g}" for j in range(NY + 1) for i in range(NX + 1)]
lines.append("*ELEMENT, TYPE=CPE4")
lines += [f"{element(i, j)}, {node(i, j)}, {node(i + 1, j)}, {node(i + 1, j + 1)}, {node(i, j + 1)}"
          for j in range(NY) for i in range(NX)]
lines += listed("ELSET", "rock", (element(i, j) for j in range(NY - TOP) for i in range(NX)))
lines += listed("ELSET", "soil", (element(i, j) for j in range(NY - TOP, NY) for i in range(NX)))
lines += listed("NSET", "ground", (node(i, NY) for i in range(NX + 1)))
for name, face, elements in (("left", 4, [element(0, j) for j in range(NY)]),
                             ("right", 2, [element(NX - 1, j) for j in range(NY)]),
                             ("bottom", 1, [element(i, 0) for i in range(NX)])):
    lines += [f"*SURFACE, NAME={name}"] + [f"{e}, S{face}" for e in elements]
with open(sys.argv[1], "w") as file:
    file.write("\n".join(lines) + "\n")
