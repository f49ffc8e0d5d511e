"""Structured meshes of first and second order under any map, and static decks of them."""
import numpy as np

QUAD = [(0, 0), (2, 0), (2, 2), (0, 2), (1, 0), (2, 1), (1, 2), (0, 1)]
HEX = [(*q, 0) for q in QUAD[:4]] + [(*q, 2) for q in QUAD[:4]] + [(*q, 0) for q in QUAD[4:]] + [(*q, 2) for q in QUAD[4:]] + [
    (*q, 1) for q in QUAD[:4]]
# of a cell's half steps, in Abaqus's order
NODES = {"CPS4": QUAD[:4], "CPE4": QUAD[:4], "CPS8": QUAD, "CPS8R": QUAD, "CPE8": QUAD, "CPE8R": QUAD, "C3D8": HEX[:8], "C3D8I": HEX[:8],
         "C3D8R": HEX[:8], "C3D20": HEX, "C3D20R": HEX}


class Block:
    """cells per direction of the unit square or cube; place(s[nodes][dim]) -> x[nodes][dim]. unit[node]: where a node was there."""

    def __init__(self, kind, cells, place):
        local = np.array(NODES[kind])
        dim = local.shape[1]
        index = np.stack(np.meshgrid(*[np.arange(n) for n in cells], indexing="ij"), -1).reshape(-1, dim)
        half = 2 * index[:, None, :] + local
        used, number = np.unique(half.reshape(-1, dim), axis=0, return_inverse=True)
        self.kind, self.dim = kind, dim
        self.unit = used / (2.0 * np.array(cells))
        self.x = place(self.unit)
        self.element = number.reshape(len(index), len(local))
        self.cell = index
        self.cells = np.array(cells)

    def at(self, **where):
        """Node numbers where s, t, r (unit coordinates) have these values."""
        keep = np.ones(len(self.unit), bool)
        for name, value in where.items():
            keep &= np.abs(self.unit[:, "str".index(name)] - value) < 1e-9
        return np.flatnonzero(keep)

    def last(self, axis):
        """Elements at the far end of an axis."""
        return np.flatnonzero(self.cell[:, axis] == self.cells[axis] - 1)

    def edge_weights(self, nodes, axis):
        """Parts of a uniform force along a straight line of nodes that its shape functions give each."""
        order = nodes[np.argsort(self.unit[nodes, axis])]
        n, weight = self.cells[axis], np.zeros(len(order))
        part = [1 / 6, 4 / 6, 1 / 6] if len(order) == 2 * n + 1 else [.5, .5]
        for i in range(n):
            weight[i * (len(part) - 1):(i + 1) * (len(part) - 1) + 1] += np.array(part) / n
        return dict(zip(order.tolist(), weight.tolist()))


def wrap(numbers):
    """Data lines of labels, 1-based."""
    labels = [str(n + 1) for n in numbers]
    return "\n".join(", ".join(labels[i:i + 12]) for i in range(0, len(labels), 12))


def deck(block, young, poisson, sets, elements, body, thickness=None, step=True):
    """A static deck; sets: {name: nodes}, elements: {name: elements}, body: lines of the step."""
    lines = ["*NODE"] + [", ".join([str(i + 1), *(repr(float(v)) for v in x)]) for i, x in enumerate(block.x)]
    lines.append(f"*ELEMENT, TYPE={block.kind}, ELSET=BODY")
    for e, nodes in enumerate(block.element):
        words = [str(e + 1)] + [str(n + 1) for n in nodes]
        lines.append(", ".join(words[:14]) + ("," if len(words) > 14 else ""))
        if len(words) > 14:
            lines.append(", ".join(words[14:]))
    for name, nodes in sets.items():
        lines += [f"*NSET, NSET={name}", wrap(nodes)]
    for name, chosen in elements.items():
        lines += [f"*ELSET, ELSET={name}", wrap(chosen)]
    lines += ["*MATERIAL, NAME=M", "*ELASTIC", f"{young}, {poisson}", "*SOLID SECTION, ELSET=BODY, MATERIAL=M"]
    if thickness:
        lines.append(str(thickness))
    return "\n".join(lines + (["*STEP", "*STATIC", *body, "*END STEP", ""] if step else [*body, ""]))
