"""Elements of first and second order in a few lines of numpy: an implementation independent of hooke's, for meshes small enough for it."""
from itertools import product

import numpy as np

DIM = {"tri3": 2, "quad4": 2, "tri6": 2, "quad8": 2, "tet4": 3, "hex8": 3, "wedge6": 3, "tet10": 3, "hex20": 3, "wedge15": 3}
DECK = {"tri3": "CPE3", "quad4": "CPE4", "tri6": "CPE6", "quad8": "CPE8", "tet4": "C3D4", "hex8": "C3D8", "wedge6": "C3D6", "tet10": "C3D10",
        "hex20": "C3D20", "wedge15": "C3D15"}
QUAD = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], float)
HEX = np.array([(*q, z) for z in (-1, 1) for q in QUAD])
# the six tetrahedra of a cube along its diagonal 0-6 (Kuhn 1960), by the cube's node numbers
KUHN = [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)]
# the two prisms of a cube, and the vertices on either side of the nodes of second order
PRISMS = [(0, 1, 2, 4, 5, 6), (0, 2, 3, 4, 6, 7)]
RAISED = {"tri6": ("tri3", "01 12 20"), "quad8": ("quad4", "01 12 23 30"), "tet10": ("tet4", "01 12 20 03 13 23"),
          "hex20": ("hex8", "01 12 23 30 45 56 67 74 04 15 26 37"), "wedge15": ("wedge6", "01 12 20 34 45 53 03 14 25")}


class Mesh:
    """x[node][dim], element[e][n] by node numbers from 0 on."""

    def __init__(self, shape, x, element):
        self.shape, self.x, self.element = shape, x, element

    def at(self, axis, value):
        """Nodes on a plane."""
        return np.flatnonzero(np.abs(self.x[:, axis] - value) < 1e-9)


def grid(shape, cells, size=None, jitter=0.0, seed=1):
    """A rectangle or box; inner nodes moved at random by at most jitter times a cell in each direction. Edges of second order are straight."""
    if shape in RAISED:
        return raised(shape, grid(RAISED[shape][0], cells, size, jitter, seed))
    dim = DIM[shape]
    size = size or [1.0] * dim
    axes = [np.linspace(0, s, n + 1) for s, n in zip(size, cells)]
    x = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, dim)
    number = np.arange(len(x)).reshape([n + 1 for n in cells])
    corner = QUAD if dim == 2 else HEX
    pick = [number[tuple(slice(int(c > 0), n + int(c > 0)) for c, n in zip(at, cells))].ravel() for at in corner]
    cell = np.stack(pick, 1)
    inside = np.all((x > 1e-12) & (x < np.array(size) - 1e-12), axis=1)
    step = np.array(size) / np.array(cells)
    x[inside] += jitter * step * np.random.default_rng(seed).uniform(-1, 1, (inside.sum(), dim))
    split = {"tri3": [(0, 1, 2), (0, 2, 3)], "tet4": KUHN, "wedge6": PRISMS}.get(shape)
    return Mesh(shape, x, np.concatenate([cell[:, t] for t in split]) if split else cell)


def raised(shape, mesh):
    """The mesh with a node in the middle of each edge."""
    ends = np.array([[int(i) for i in pair] for pair in RAISED[shape][1].split()])
    edge = np.sort(mesh.element[:, ends].reshape(-1, 2), axis=1)
    unique, number = np.unique(edge, axis=0, return_inverse=True)
    x = np.concatenate([mesh.x, mesh.x[unique].mean(1)])
    return Mesh(shape, x, np.concatenate([mesh.element, len(mesh.x) + number.reshape(len(mesh.element), -1)], axis=1))


def reference(shape):
    """Reference coordinates of the nodes of a shape, and the powers of the monomials that its functions span."""
    linear, pairs = RAISED[shape]
    triangle = np.array([(0, 0), (1, 0), (0, 1)], float)
    vertex = {"tri3": triangle, "quad4": QUAD, "hex8": HEX, "tet4": np.vstack([np.zeros(3), np.eye(3)]),
              "wedge6": np.array([(*p, z) for z in (-1, 1) for p in triangle])}[linear]
    x = np.vstack([vertex] + [vertex[[int(i) for i in pair]].mean(0) for pair in pairs.split()])
    powers = [p for p in product(range(3), repeat=DIM[shape]) if {
        "tri6": sum(p) <= 2, "tet10": sum(p) <= 2, "quad8": sum(q for q in p if q > 1) <= 2, "hex20": sum(q for q in p if q > 1) <= 2,
        "wedge15": sum(p[:2]) <= 2 and sum(p) <= 3 and not (sum(p[:2]) == 2 and p[-1] == 2)}[shape]]
    return x, np.array(powers)


def functions(shape, at):
    """N[n] and dN/dxi[n][d] of a shape of second order, from the inverse of its monomials at the nodes."""
    x, powers = reference(shape)
    inverse = np.linalg.inv(np.prod(x[:, None, :] ** powers, -1))
    slope = [powers[:, d] * np.prod(at ** np.maximum(powers - np.eye(len(at), dtype=int)[d], 0), -1) for d in range(len(at))]
    return np.prod(at ** powers, -1) @ inverse, (np.stack(slope) @ inverse).T


def rule(shape, exact):
    """Points and weights: of the stiffness; exact: of products of functions where the element is not distorted (Dunavant 1985 on triangles)."""
    line = list(zip(*np.polynomial.legendre.leggauss(3)))
    if shape in ("quad8", "hex20"):
        return [(np.array(p), np.prod(w)) for p, w in (zip(*c) for c in product(line, repeat=DIM[shape]))]
    if shape == "tet10" and exact:
        half = [((1 + p) / 2, w / 2) for p, w in zip(*np.polynomial.legendre.leggauss(4))]
        return [(np.array([a, b * (1 - a), c * (1 - a) * (1 - b)]), u * v * w * (1 - a) ** 2 * (1 - b))
                for (a, u), (b, v), (c, w) in product(half, repeat=3)]
    if shape == "tet10":
        a, b = (5 - np.sqrt(5)) / 20, (5 + 3 * np.sqrt(5)) / 20
        return [(np.array([b if d == q else a for d in range(3)]), 1 / 24) for q in range(4)]
    orbits = [(0.445948490915965, 0.223381589678011), (0.091576213509771, 0.109951743655322)] if exact else [(1 / 6, 1 / 3)]
    flat = [(np.array(p), w / 2) for a, w in orbits for p in ((a, a), (1 - 2 * a, a), (a, 1 - 2 * a))]
    return flat if shape == "tri6" else [(np.array([*p, z]), v * w) for p, v in flat for z, w in line]


def lumped(mesh, density):
    """Masses of nodes in proportion to int N^2, each element's to its own mass (Hinton, Rock, Zienkiewicz 1976)."""
    own, total, rho = 0, 0, np.broadcast_to(density, len(mesh.element))
    for point, weight in rule(mesh.shape, True):
        value, local = functions(mesh.shape, point)
        volume = weight * np.linalg.det(np.einsum("end,nf->efd", mesh.x[mesh.element], local))
        own, total = own + volume[:, None] * value**2, total + rho * volume
    m = np.zeros(len(mesh.x))
    np.add.at(m, mesh.element, own * (total / own.sum(1))[:, None])
    return m


def gradients(mesh):
    """For each quadrature point: weight[e], N[n], dN/dx[e][n][d]."""
    dim, x = DIM[mesh.shape], mesh.x[mesh.element]
    if mesh.shape in ("tri3", "tet4"):
        local = np.vstack([-np.ones(dim), np.eye(dim)])
        points = [(1 / (2 if dim == 2 else 6), np.full(dim + 1, 1 / (dim + 1)), local)]
    elif mesh.shape in RAISED:
        points = [(weight, *functions(mesh.shape, point)) for point, weight in rule(mesh.shape, False)]
    else:
        corner, points = (QUAD if dim == 2 else HEX), []
        for q in corner / np.sqrt(3):
            factor = (1 + corner * q) / 2
            value = factor.prod(1)
            local = np.stack([corner[:, d] / 2 * np.delete(factor, d, 1).prod(1) for d in range(dim)], 1)
            points.append((1.0, value, local))
    for weight, value, local in points:
        jacobian = np.einsum("end,nf->efd", x, local)
        local_all = np.broadcast_to(local.T, (len(x), *local.T.shape))
        yield weight * np.linalg.det(jacobian), value, np.linalg.solve(jacobian, local_all).swapaxes(1, 2)


def matrices(mesh, stiffness, density):
    """Dense K and the lumped mass per degree of freedom. stiffness[e] 6 x 6 in the order xx yy zz yz xz xy (2D: plane
    strain), density[e]; one for all will do."""
    dim, count = DIM[mesh.shape], len(mesh.x)
    c = np.broadcast_to(stiffness, (len(mesh.element), 6, 6))
    rho = np.broadcast_to(density, len(mesh.element))
    pair = [(0, 0), (1, 1), (0, 1)] if dim == 2 else [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)]
    rows = [0, 1, 5] if dim == 2 else list(range(6))
    c = c[:, rows][:, :, rows]
    k, m = np.zeros((count * dim, count * dim)), np.zeros(count)
    dof = (mesh.element[:, :, None] * dim + np.arange(dim)).reshape(len(mesh.element), -1)
    for volume, value, g in gradients(mesh):
        b = np.zeros((len(mesh.element), len(pair), mesh.element.shape[1], dim))
        for row, (i, j) in enumerate(pair):
            b[:, row, :, i] += g[:, :, j]
            if i != j:
                b[:, row, :, j] += g[:, :, i]
        b = b.reshape(len(mesh.element), len(pair), -1)
        np.add.at(k, (dof[:, :, None], dof[:, None, :]), np.einsum("e,eri,ers,esj->eij", volume, b, c, b, optimize=True))
        np.add.at(m, mesh.element, (rho * volume)[:, None] * value)
    return k, np.repeat(lumped(mesh, density) if mesh.shape in RAISED else m, dim)


def critical_step(k, m):
    """2 / omega_max of K v = w^2 M v."""
    root = 1 / np.sqrt(m)
    return 2 / np.sqrt(np.linalg.eigvalsh(root[:, None] * k * root)[-1])


def mesh_deck(mesh, sets=None, element_sets=None):
    """Nodes, elements (set BODY) and sets of nodes or elements given by numbers from 0 on."""
    lines = ["*NODE, NSET=ALL"]
    lines += [f"{i + 1}, " + ", ".join(f"{v:.17g}" for v in x) for i, x in enumerate(mesh.x)]
    lines += [f"*ELEMENT, TYPE={DECK[mesh.shape]}, ELSET=BODY"]
    lines += [f"{e + 1}, " + ", ".join(str(n + 1) for n in nodes) for e, nodes in enumerate(mesh.element)]
    for word, named in (("NSET", sets), ("ELSET", element_sets)):
        for name, members in (named or {}).items():
            lines += [f"*{word}, {word}={name}"] + [f"{i + 1}" for i in members]
    return "\n".join(lines) + "\n"
