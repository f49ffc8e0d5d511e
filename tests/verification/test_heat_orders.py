"""Manufactured solutions: conductivity, reaction, Robin's, Neumann's and Dirichlet's conditions by formulas on meshes with moved nodes. The error
falls as h^(p + 1) for elements of order p."""
import numpy as np
import pytest

import fem
from command import Run, call

FACES = {"tri": [(0, 1), (1, 2), (2, 0)], "quad": [(0, 1), (1, 2), (2, 3), (3, 0)],
         "tet": [(0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)],
         "hex": [(0, 1, 2, 3), (4, 7, 6, 5), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 4, 0)]}
EDGES = {"tri": FACES["tri"], "quad": FACES["quad"], "tet": [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)],
         "hex": [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]}
CORNERS = {"tri": [(0, 0), (1, 0), (0, 1)], "tet": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], "quad": fem.QUAD, "hex": fem.HEX}
LINEAR = {"tri": "tri3", "quad": "quad4", "tet": "tet4", "hex": "hex8"}
TYPE = {"tri3": "DC2D3", "tri6": "DC2D6", "quad4": "DC2D4", "quad8": "DC2D8", "tet4": "DC3D4", "tet10": "DC3D10", "hex8": "DC3D8", "hex20": "DC3D20"}
K, BETA, H, SINK = "(1 + x/2 + y/4)", "(1.5 + x*y)", "(2 + y/3)", "(1 + x*y)"
# T, its derivatives and its Laplace operator in the words of case files
T = {2: "sin(x + 0.3)*exp(y/2)", 3: "sin(x + 0.3)*exp(y/2)*cos(0.4*z)"}
DX = {d: T[d].replace("sin", "cos", 1) for d in T}
DY = {d: f"({T[d]})/2" for d in T}
DZ = "-0.4*sin(x + 0.3)*exp(y/2)*sin(0.4*z)"
FACTOR = {2: -1 + .25, 3: -1 + .25 - .16}
SOURCE = {d: f"-({DX[d]})/2 - ({DY[d]})/4 - {K}*({FACTOR[d]})*{T[d]} + {BETA}*{T[d]}" for d in T}


def value(text, x):
    names = {"sin": np.sin, "cos": np.cos, "exp": np.exp, **dict(zip("xyz", np.moveaxis(x, -1, 0)))}
    return eval(text, names)


def mesh(kind, cells):
    """x, element and the shape's name; the mid-nodes of second order lie between the ends."""
    shape = kind.rstrip("0123456789")
    grid = fem.grid(LINEAR[shape], [cells] * (2 if shape in ("tri", "quad") else 3), jitter=.12)
    x, element = grid.x, grid.element
    if kind != LINEAR[shape]:
        pairs = np.sort(np.concatenate([element[:, list(e)] for e in EDGES[shape]]), axis=1)
        pairs, number = np.unique(pairs, axis=0, return_inverse=True)
        element = np.concatenate([element, len(x) + number.reshape(len(EDGES[shape]), -1).T], axis=1)
        x = np.concatenate([x, x[pairs].mean(1)])
    return x, element, shape


def write(path, kind, x, element, shape):
    lines = ["*NODE"] + [", ".join([str(i + 1), *map(repr, map(float, v))]) for i, v in enumerate(x)]
    lines.append(f"*ELEMENT, TYPE={TYPE[kind]}")
    for e, nodes in enumerate(element):
        words = [str(e + 1)] + [str(n + 1) for n in nodes]
        lines += [", ".join(words[:16]) + ("," if len(words) > 16 else "")] + ([", ".join(words[16:])] if len(words) > 16 else [])
    for axis, (low, high) in enumerate([("left", "right"), ("bottom", "top"), ("back", "front")][:x.shape[1]]):
        for name, at in ((low, 0), (high, 1)):
            lines.append(f"*SURFACE, NAME={name}, TYPE=ELEMENT")
            for f, face in enumerate(FACES[shape]):
                on = np.all(np.abs(x[element[:, list(face)], axis] - at) < 1e-9, axis=1)
                lines += [f"{e + 1}, S{f + 1}" for e in np.flatnonzero(on)]
    path.write_text("\n".join(lines) + "\n")


def basis(kind, shape):
    """Values of the shape functions at points: monomials that the shape spans, solved for 1 at a node and 0 at the others."""
    corner = np.array(CORNERS[shape], float)
    dim, order = corner.shape[1], 1 if kind == LINEAR[shape] else 2
    node = corner if order == 1 else np.concatenate([corner, [(corner[a] + corner[b]) / 2 for a, b in EDGES[shape]]])
    power = np.array([p for p in np.ndindex(*[3] * dim) if (sum(p) <= order if shape in ("tri", "tet") else
                                                             sum(v for v in p if v > 1) <= (2 if order == 2 else 0))])
    monomials = lambda at: np.prod(at[:, None, :]**power, axis=2)
    inverse = np.linalg.inv(monomials(node))
    return lambda at: monomials(at) @ inverse


def rule(shape):
    """Five Gauss points per direction; of simplices by collapsed cubes."""
    at, w = np.polynomial.legendre.leggauss(5)
    dim = 2 if shape in ("tri", "quad") else 3
    x = np.stack(np.meshgrid(*[at] * dim, indexing="ij"), -1).reshape(-1, dim)
    w = np.prod(np.stack(np.meshgrid(*[w] * dim, indexing="ij"), -1).reshape(-1, dim), axis=1)
    if shape in ("quad", "hex"):
        return x, w
    s, w = (x + 1) / 2, w / 2**dim
    if dim == 2:
        return np.stack([s[:, 0], s[:, 1] * (1 - s[:, 0])], 1), w * (1 - s[:, 0])
    return np.stack([s[:, 0], s[:, 1] * (1 - s[:, 0]), s[:, 2] * (1 - s[:, 0]) * (1 - s[:, 1])], 1), w * (1 - s[:, 0])**2 * (1 - s[:, 1])


def l2_error(kind, shape, x, element, t):
    n, w = basis(kind, shape), rule(shape)[1]
    at = rule(shape)[0]
    shapes, linear = n(at), basis(LINEAR[shape], shape)
    corner = x[element[:, :len(CORNERS[shape])]]
    step = 1e-6  # of the linear map's derivative, which central differences find exactly along each direction
    jacobian = np.stack([np.einsum("qn,enc->eqc", (linear(at + d) - linear(at - d)) / (2 * step), corner)
                         for d in step * np.eye(x.shape[1])], -1)
    place = np.einsum("qn,enc->eqc", linear(at), corner)
    difference = t[element] @ shapes.T - value(T[x.shape[1]], place)
    return float(np.sqrt((difference**2 * np.linalg.det(jacobian) * w).sum()))


def solve(folder, kind, x, element, shape, order=1):
    """The run; order: to which linear elements are raised"""
    dim = x.shape[1]
    write(folder / "mesh.inp", kind, x, element, shape)
    right = f"{{set: right, flux: {{formula: '{K}*({DX[dim]}) + {H}*({T[dim]} - {SINK})'}}}}"
    right += f", {{set: right, film: {{coefficient: {{formula: '{H}'}}, sink: {{formula: '{SINK}'}}}}}}"
    sides = [right, f"{{set: top, flux: {{formula: '{K}*({DY[dim]})'}}}}"]
    sides += [f"{{set: front, flux: {{formula: '{K}*({DZ})'}}}}"] if dim == 3 else []
    sides += [f"{{set: {s}, temperature: {{formula: '{T[dim]}'}}}}" for s in ["left", "bottom", "back"][:dim]]
    (folder / "case.yaml").write_text(f"""
mesh: mesh.inp
physics: heat
materials: {{m: {{conductivity: {{formula: '{K}'}}, reaction: {{formula: '{BETA}'}}}}}}
{f"element: {{order: {order}}}" if order > 1 else ""}
boundary: [{', '.join(sides)}]
sources: [{{heat: {{formula: '{SOURCE[dim]}'}}}}]
solve: {{heat: {{tolerance: 1e-12}}}}
""")
    done = call("run", folder / "case.yaml", "--output", folder / "out", "--force", "--no-pictures", "-q")
    assert done.returncode == 0, done.stderr
    return Run(folder / "out")


@pytest.mark.parametrize("kind, levels", [("tri3", (6, 12, 24)), ("quad4", (6, 12, 24)), ("tri6", (3, 6, 12)), ("quad8", (3, 6, 12)),
                                          ("tet4", (3, 6, 9)), ("hex8", (3, 6, 9)), ("tet10", (2, 4, 6)), ("hex20", (2, 4, 6))])
def test_order(tmp_path, kind, levels):
    """error(h) = C h^(p + 1), p + 1 fitted over the levels to -0.12 (the nodes are moved at random anew on each)."""
    errors = []
    for n in levels:
        x, element, shape = mesh(kind, n)
        errors.append(l2_error(kind, shape, x, element, solve(tmp_path, kind, x, element, shape).static[0]["temperature"][:, 0]))
    order = -np.polyfit(np.log(levels), np.log(errors), 1)[0]
    expected = 2 if kind in LINEAR.values() else 3
    print(kind, errors, order)
    assert order >= expected - .12


@pytest.mark.parametrize("kind, p, levels", [("quad4", 3, (2, 4, 8)), ("quad4", 5, (1, 2, 4)), ("hex8", 3, (1, 2, 4))])
def test_order_of_elements_of_order_p(tmp_path, kind, p, levels):
    """The same at the nodes of linear elements raised to order p: the root mean square falls as h^(p + 1)."""
    errors = []
    for n in levels:
        run = solve(tmp_path, kind, *mesh(kind, n), order=p)
        assert len(run.coordinates) == (n * p + 1)**run.coordinates.shape[1]
        wrong = run.static[0]["temperature"][:, 0] - value(T[run.coordinates.shape[1]], run.coordinates)
        errors.append(float(np.sqrt((wrong**2).mean())))
    order = -np.polyfit(np.log(levels), np.log(errors), 1)[0]
    print(kind, p, errors, order)
    assert order >= p + 1 - .12
