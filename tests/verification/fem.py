"""Linear elements in a few lines of numpy: an implementation independent of hooke's, for meshes small enough for it."""
import numpy as np

DIM = {"tri3": 2, "quad4": 2, "tet4": 3, "hex8": 3}
DECK = {"tri3": "CPE3", "quad4": "CPE4", "tet4": "C3D4", "hex8": "C3D8"}
QUAD = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], float)
HEX = np.array([(*q, z) for z in (-1, 1) for q in QUAD])
# the six tetrahedra of a cube along its diagonal 0-6 (Kuhn 1960), by the cube's node numbers
KUHN = [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)]


class Mesh:
    """x[node][dim], element[e][n] by node numbers from 0 on."""

    def __init__(self, shape, x, element):
        self.shape, self.x, self.element = shape, x, element

    def at(self, axis, value):
        """Nodes on a plane."""
        return np.flatnonzero(np.abs(self.x[:, axis] - value) < 1e-9)


def grid(shape, cells, size=None, jitter=0.0, seed=1):
    """A rectangle or box; inner nodes moved at random by at most jitter times a cell in each direction."""
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
    split = {"tri3": [(0, 1, 2), (0, 2, 3)], "tet4": KUHN}.get(shape)
    return Mesh(shape, x, np.concatenate([cell[:, t] for t in split]) if split else cell)


def gradients(mesh):
    """For each quadrature point: weight[e], N[n], dN/dx[e][n][d]."""
    dim, x = DIM[mesh.shape], mesh.x[mesh.element]
    if mesh.shape in ("tri3", "tet4"):
        local = np.vstack([-np.ones(dim), np.eye(dim)])
        points = [(1 / (2 if dim == 2 else 6), np.full(dim + 1, 1 / (dim + 1)), local)]
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
    return k, np.repeat(m, dim)


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
