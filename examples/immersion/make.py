"""Mesh of the example: 40 x 24 mm of water with a plate of steel, 6 mm to 14 mm high, and a hole through it, quadrilaterals of 1 mm; the hole
is a ring of elements in place of 4 x 4 of the grid.

    python3 examples/immersion/make.py examples/immersion/mesh.inp
"""
import math
import sys

NX, NY = 40, 24
PLATE = range(6, 14)          # rows of elements
HOLE, RADIUS = (22, 8), 1.0   # its square's lower left node; mm
SIDE, LAYERS = 4, 2


def inside(i, j):
    """Element (i, j) lies where the ring is."""
    return 0 <= i - HOLE[0] < SIDE and 0 <= j - HOLE[1] < SIDE


def square():
    """Nodes (i, j) around the ring's square, counterclockwise."""
    a, b = HOLE
    return ([(a + k, b) for k in range(SIDE)] + [(a + SIDE, b + k) for k in range(SIDE)] +
            [(a + SIDE - k, b + SIDE) for k in range(SIDE)] + [(a, b + SIDE - k) for k in range(SIDE)])


def ring(k, layer):
    """Node k of a layer, from the square (0) to the circle (LAYERS)."""
    (x, y), s = square()[k], layer / LAYERS
    cx, cy = HOLE[0] + SIDE / 2, HOLE[1] + SIDE / 2
    length = math.hypot(x - cx, y - cy)
    return tuple((1 - s) * p + s * (c + RADIUS * (p - c) / length) for p, c in ((x, cx), (y, cy)))


def listed(head, numbers):
    numbers = list(numbers)
    return [head] + [", ".join(map(str, numbers[k:k + 12])) for k in range(0, len(numbers), 12)]


gone = {(HOLE[0] + i, HOLE[1] + j) for i in range(1, SIDE) for j in range(1, SIDE)}
number, x = {}, []
for j in range(NY + 1):
    for i in range(NX + 1):
        if (i, j) not in gone:
            x.append((i, j))
            number[i, j] = len(x)
corner = [[number[q] for q in square()]]
for layer in range(1, LAYERS + 1):
    corner.append(list(range(len(x) + 1, len(x) + 1 + 4 * SIDE)))
    x += [ring(k, layer) for k in range(4 * SIDE)]

cells, plate, sides = [], [], {"left": [], "right": [], "bottom": [], "top": []}
for j in range(NY):
    for i in range(NX):
        if inside(i, j):
            continue
        cells.append([number[q] for q in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))])
        if j in PLATE:
            plate.append(len(cells))
        for name, there in (("left", i == 0), ("right", i == NX - 1), ("bottom", j == 0), ("top", j == NY - 1)):
            if there:
                sides[name].append(len(cells))
for layer in range(LAYERS):
    for k in range(4 * SIDE):
        near, far, n = corner[layer], corner[layer + 1], (k + 1) % (4 * SIDE)
        cells.append([near[k], near[n], far[n], far[k]])
        plate.append(len(cells))

lines = ["*NODE"] + [f"{n + 1}, {p[0]:.10g}, {p[1]:.10g}" for n, p in enumerate(x)]
lines += ["*ELEMENT, TYPE=CPE4"] + [f"{e + 1}, " + ", ".join(map(str, c)) for e, c in enumerate(cells)]
lines += listed("*ELSET, ELSET=plate", plate)
lines += listed("*NSET, NSET=probe", (number[i, 20] for i in range(10, 19)))
for name, face in (("bottom", 1), ("right", 2), ("top", 3), ("left", 4)):
    lines += [f"*SURFACE, NAME={name}"] + [f"{e}, S{face}" for e in sides[name]]
with open(sys.argv[1], "w") as file:
    file.write("\n".join(lines) + "\n")
