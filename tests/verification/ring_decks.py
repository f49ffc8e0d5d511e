"""Decks of axisymmetric bodies: a rectangle of the meridian in elements of one type."""
YOUNG = 2e11
MATERIAL = """*MATERIAL, NAME=M
*ELASTIC
2e11, 0.3
*DENSITY
7800
*CONDUCTIVITY
50
*SOLID SECTION, ELSET=E, MATERIAL=M
"""


def grid(inner, outer, height, across, along, order, triangles=False, bend=0.0):
    """nodes[(i, j)] = (label, r, z) in half cells where order is 2, and the nodes of each element; inner corners are moved by `bend` of a cell."""
    place, label, elements = {}, {}, []

    def corner(i, j):
        inside = 0 < i < across and 0 < j < along
        wave = bend * (1 if (i + 2 * j) % 3 else -1) if inside else 0
        return inner + (outer - inner) * (i + wave) / across, height * (j - 0.7 * wave) / along

    def node(a, b=None):
        at = tuple(2 * v for v in a) if b is None else tuple(u + v for u, v in zip(a, b))
        if at not in label:
            ends = [corner(*a), corner(*(b or a))]
            label[at], place[at] = len(label) + 1, [sum(v) / 2 for v in zip(*ends)]
        return label[at]

    for j in range(along):
        for i in range(across):
            q = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
            for cell in ([q[:3], [q[0], q[2], q[3]]] if triangles else [q]):
                own = [node(a) for a in cell]
                if order == 2:
                    own += [node(a, b) for a, b in zip(cell, cell[1:] + cell[:1])]
                elements.append(own)
    return {at: (label[at], *place[at]) for at in label}, elements


def listed(labels):
    labels = [str(n) for n in labels]
    return "".join(", ".join(labels[k:k + 8]) + "\n" for k in range(0, len(labels), 8))


def mesh(nodes, elements, kind):
    rows = "".join(f"{n}, {r:.15g}, {z:.15g}\n" for n, r, z in nodes.values())
    cells = "".join(f"{k + 1}, {', '.join(map(str, own))}\n" for k, own in enumerate(elements))
    return f"*NODE\n{rows}*ELEMENT, TYPE={kind}, ELSET=E\n{cells}{MATERIAL}"


def loaded(kind, heat):
    """A ring on its bottom under all that a deck can put on it."""
    triangles, order = kind in ("CAX3", "CAX6"), 1 if kind in ("CAX3", "CAX4") else 2
    nodes, elements = grid(1, 2.5, 1, 3, 2, order, triangles, 0.1)
    corners = 3 if triangles else 4
    sides = {"IN": lambda r, z: r < 1 + 1e-9, "TOP": lambda r, z: z > 1 - 1e-9, "BOTTOM": lambda r, z: z < 1e-9}
    sets = {name: {n for n, r, z in nodes.values() if there(r, z)} for name, there in sides.items()}
    text = mesh(nodes, elements, kind) + "".join(f"*NSET, NSET={name}\n{listed(sorted(own))}" for name, own in sets.items())
    text += f"*NSET, NSET=ALL\n{listed(n for n, _, _ in nodes.values())}"

    def faces(name, row):
        return "".join(row % (k + 1, f + 1) + "\n" for k, own in enumerate(elements) for f in range(corners)
                       if own[f] in sets[name] and own[(f + 1) % corners] in sets[name])

    corner = next(n for n, r, z in nodes.values() if r > 2.5 - 1e-9 and z > 1 - 1e-9)
    if heat:
        return text + f"""*STEP
*HEAT TRANSFER, STEADY STATE
*BOUNDARY
BOTTOM, 11, 11, 20
*DFLUX
{faces("IN", "%d, S%d, 1e4")}E, BF, 1e4
*CFLUX
{corner}, 11, 500
*FILM
{faces("TOP", "%d, F%d, 40, 5")}*NODE PRINT, NSET=ALL
NT
*NODE PRINT, NSET=BOTTOM
RFL
*END STEP
"""
    return text + f"""*STEP
*STATIC
*BOUNDARY
BOTTOM, 2, 2
*DLOAD
{faces("IN", "%d, P%d, 1e6")}E, GRAV, 9.81, 0., -1., 0.
E, CENTRIF, 1e4, 0., 0., 0., 0., 1., 0.
*CLOAD
{corner}, 2, -1e5
{corner}, 1, 3e4
*NODE PRINT, NSET=ALL
U
*NODE PRINT, NSET=BOTTOM
RF
*END STEP
"""
