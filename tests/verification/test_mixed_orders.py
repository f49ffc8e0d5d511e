"""Elements of several orders in one mesh. The oracle takes elements apart: dense matrices by quadrature, continuity asked at points of the shared
edges and faces, and the space of all functions that meet it as a null space (SVD), without nodes in common and without a rule for orders."""
import itertools
import json
import random
import re

import numpy as np
import pytest
from numpy.polynomial import legendre

from command import call, error, run

Q = {2: "2*x + y^2 + x*y", 3: "2*x + y^2 + x*z"}


def points(p):
    """Gauss-Lobatto points of order p."""
    return np.concatenate([[-1], legendre.Legendre.basis(p).deriv().roots().real, [1]])


def lagrange(node, x):
    """Values [x][node] and derivatives of the polynomials that are 1 at a node and 0 at the others."""
    inverse = np.linalg.inv(legendre.legvander(node, len(node) - 1))
    slope = np.array([legendre.legval(x, legendre.legder(np.eye(len(node))[k])) for k in range(len(node))]).T
    return legendre.legvander(x, len(node) - 1) @ inverse, slope @ inverse


def tensor(p, at):
    """Values [point][node] and derivatives [point][node][direction] of an element of order p at points [point][direction]."""
    dim = at.shape[1]
    line = [lagrange(points(p), at[:, d]) for d in range(dim)]
    product = lambda kinds: np.einsum("pi,pj,pk"[:3 * dim - 1] + "->p" + "ijk"[:dim], *[line[d][kinds[d]] for d in range(dim)]).reshape(len(at), -1)
    return product([0] * dim), np.stack([product([int(d == e) for e in range(dim)]) for d in range(dim)], axis=2)


class Element:
    """A straight quadrilateral or hexahedron with its corners on [-1, 1]^dim, the first coordinate slowest."""

    def __init__(self, corner, order):
        self.corner, self.order, self.dim = corner, order, corner.shape[1]
        self.reference = np.array(list(itertools.product(points(order), repeat=self.dim)))
        self.node = self.place(self.reference)[0]

    def place(self, at):
        value, slope = tensor(1, at)
        return value @ self.corner, np.einsum("pnd,nc->pcd", slope, self.corner)

    def matrices(self, source):
        """K + M and the loads of -div grad T + T = source."""
        x, w = legendre.leggauss(self.order + 4)
        at, weight = np.array(list(itertools.product(x, repeat=self.dim))), np.array([np.prod(v) for v in itertools.product(w, repeat=self.dim)])
        place, jacobian = self.place(at)
        value, slope = tensor(self.order, at)
        gradient = np.einsum("pnd,pdc->pnc", slope, np.linalg.inv(jacobian))
        weight = weight * np.linalg.det(jacobian)
        k = np.einsum("p,pnc,pmc->nm", weight, gradient, gradient) + np.einsum("p,pn,pm->nm", weight, value, value)
        return k, value.T @ (weight * source(place))

    def inverse(self, x):
        at = np.zeros((len(x), self.dim))
        for _ in range(30):
            place, jacobian = self.place(at)
            at += np.linalg.solve(jacobian, (x - place)[..., None])[..., 0]
        return at


def jumps(elements, most):
    """Rows that say that the values of both elements are the same at points of each side that two elements share."""
    rows, first = [], np.cumsum([0] + [len(e.node) for e in elements])
    t = np.array(list(itertools.product(np.linspace(-1, 1, most + 1), repeat=elements[0].dim - 1)))
    for i, a in enumerate(elements):
        for axis, side in itertools.product(range(a.dim), (-1, 1)):
            at = np.insert(t, axis, side, axis=1)
            x = a.place(at)[0]
            for k in range(i):
                other = elements[k].inverse(x)
                if np.all(np.isfinite(other)) and np.abs(other).max() < 1 + 1e-9:
                    row = np.zeros((len(t), first[-1]))
                    row[:, first[i]:first[i + 1]], row[:, first[k]:first[k + 1]] = tensor(a.order, at)[0], -tensor(elements[k].order, other)[0]
                    rows.append(row)
    return np.concatenate(rows)


def solve(elements, source):
    """The nodes of all elements and the values there."""
    size = sum(len(e.node) for e in elements)
    k, f, at = np.zeros((size, size)), np.zeros(size), 0
    for e in elements:
        own = slice(at, at + len(e.node))
        k[own, own], f[own] = e.matrices(source)
        at = own.stop
    _, s, v = np.linalg.svd(jumps(elements, max(e.order for e in elements)))
    z = v[np.sum(s > 1e-9):].T
    return np.concatenate([e.node for e in elements]), z @ np.linalg.solve(z.T @ k @ z, z.T @ f)


def case(dim, orders, cells=1):
    """Two by two parallelograms a, b, c, d with their orders, whose integrals are exact, in 3D one layer of them; and the elements of the oracle."""
    x = np.array([[i + .3 * j, j - .2 * i] for j in range(3) for i in range(3)])
    quads = {"a": [0, 1, 4, 3], "b": [1, 2, 5, 4], "c": [3, 4, 7, 6], "d": [4, 5, 8, 7]}
    place = x.tolist() if dim == 2 else [[*v, z + .1 * v[0]] for z in (0, 1) for v in x.tolist()]
    corners = {n: q if dim == 2 else q + [i + 9 for i in q] for n, q in quads.items()}
    order = [0, 3, 1, 2] if dim == 2 else [0, 4, 3, 7, 1, 5, 2, 6]
    elements = [Element(np.array([place[q[i]] for i in order]), orders[n]) for n, q in corners.items()]
    mesh = {"points": {f"p{i}": v for i, v in enumerate(place)},
            "blocks": [{"name": n, "corners": [f"p{i}" for i in q], "cells": [cells] * dim} for n, q in corners.items()]}
    return {"mesh": {"blocks": mesh}, "physics": "heat", "element": {"orders": orders},
            "materials": {"m": {"conductivity": 1, "reaction": 1}}, "solve": {"heat": {}}}, elements


@pytest.mark.parametrize("words", [(), ("--set", "solve.heat.method=cg")])
@pytest.mark.parametrize("dim, orders", [(2, (1, 5, 3, 7)), (2, (4, 2, 2, 6)), (3, (1, 2, 3, 2)), (3, (3, 2, 2, 2))])
def test_continuous_functions_of_these_orders(tmp_path, dim, orders, words):
    """K u + u = f in the space of all continuous functions of the elements' orders: the values at all nodes are the oracle's."""
    model, elements = case(dim, dict(zip("abcd", orders)))
    model["sources"] = [{"heat": {"formula": Q[dim]}}]
    node, value = solve(elements, lambda x: 2 * x[:, 0] + x[:, 1]**2 + x[:, 0] * x[:, dim - 1])
    got = run(tmp_path, model, "--set", "solve.heat.tolerance=1e-13", *words)
    where = got.coordinates[:, None, :dim] - node[None]
    nearest = np.argmin(np.linalg.norm(where, axis=2), axis=1)
    assert np.linalg.norm(where[np.arange(len(nearest)), nearest], axis=1).max() <= 1e-9
    assert error(got.static[0]["temperature"][:, 0], value[nearest]) <= 1e-9


HARMONIC = {2: "x^2 - y^2 + 3*x*y", 3: "x^2 + y^2 - 2*z^2 + 3*x*y - x*z"}


@pytest.mark.parametrize("method", ["auto", "cg"])
@pytest.mark.parametrize("orders", [{"low": 2, "high": 5}, {"low": 7, "high": 2}])
def test_prisms_hold_what_the_lowest_order_holds(tmp_path, orders, method):
    """Layers of prisms that meet in triangles, and beside them prisms of the same order: a harmonic polynomial of degree 2 is exact at all nodes, with
    temperatures prescribed on the whole surface, tied nodes among them."""
    model = {"mesh": {"extrude": {"mesh": {"rectangle": {"size": [1, 1], "cells": [2, 2], "shape": "tri", "jitter": .2}},
                                  "layers": [{"name": n, "height": .7, "cells": 1} for n in orders]}}, "physics": "heat",
             "element": {"orders": orders}, "materials": {"m": {"conductivity": 3}}, "solve": {"heat": {"method": method}},
             "boundary": [{"set": s, "temperature": {"formula": HARMONIC[3]}} for s in ("left", "right", "bottom", "top", "front", "back")]}
    got = run(tmp_path, model, "--set", "solve.heat.tolerance=1e-12")
    x, y, z = got.coordinates.T
    exact = x**2 + y**2 - 2 * z**2 + 3 * x * y - x * z
    assert error(got.static[0]["temperature"][:, 0], exact) <= 1e-9
    assert abs(sum(got.static[0]["reaction"][:, 0])) <= 1e-8


def test_uniform_stress(tmp_path):
    """A pulled sheet of elements of order 1, 4, 2, 3: its displacements are linear, sigma_x / E along x and -nu times that along y."""
    model, _ = case(2, dict(zip("abcd", (1, 4, 2, 3))), cells=2)
    points = {f"p{3 * j + i}": [i, j] for j in range(3) for i in range(3)}
    points["p4"] = [1.1, .9]
    model["mesh"]["blocks"].update(points=points, sides={"left": [["p0", "p3"], ["p3", "p6"]], "right": [["p2", "p5"], ["p5", "p8"]]})
    model.update(physics="elastic", plane="stress", materials={"m": {"young": 4, "poisson": .25}}, solve={"static": {}},
                 boundary=[{"set": "left", "fix": ["x"]}, {"set": "corner", "fix": ["y"]}, {"set": "right", "traction": [2, 0]}])
    model["mesh"]["blocks"]["sides"]["corner"] = [["p0", "p1"], ["p1", "p2"]]
    got = run(tmp_path, model)
    x, y = got.coordinates[:, :2].T
    u = got.static[0]["displacement"][:, :2]
    assert error(u[:, 0], x / 2) <= 1e-9 and error(u[:, 1], -y / 8) <= 1e-9


def boxes(rng, dim, pool, turn=None):
    """Two boxes along each direction of the unit cube, with skewed inner corners, each a set with a random order of the pool: (the mesh, the orders,
    the outer faces of each as sets "x0_eIJK", x = 0; "x0" has all of them)."""
    name = lambda q: "p" + "".join(map(str, q))
    place = {q: np.array([v / 2 + (rng.uniform(-.08, .08) if v == 1 else 0) for v in q]) for q in itertools.product(range(3), repeat=dim)}
    square, blocks, sides = ((0, 0), (1, 0), (1, 1), (0, 1)), [], {}
    for q in itertools.product(range(2), repeat=dim):
        blocks.append({"name": "e" + "".join(map(str, q)), "cells": [1] * dim,
                       "corners": [name((q[0] + a, q[1] + b, *(v + c for v in q[2:]))) for c in range(dim - 1) for a, b in square]})
        for d in range(dim):
            face = [np.insert(np.delete(q, d) + np.array(s[:dim - 1]), d, 2 * q[d]) for s in (square if dim == 3 else ((0,), (1,)))]
            for side in (f"{'xyz'[d]}{q[d]}", f"{'xyz'[d]}{q[d]}_{blocks[-1]['name']}"):
                sides.setdefault(side, []).append([name(v) for v in face])
    points = {name(q): ((turn if turn is not None else np.eye(dim)) @ x).tolist() for q, x in place.items()}
    return {"blocks": {"points": points, "blocks": blocks, "sides": sides}}, {b["name"]: rng.choice(pool) for b in blocks}, [s for s in sides if "_" in s]


SLOPES = {2: ("2*x + 3*y", "3*x - 2*y"), 3: ("2*x + 3*y - z", "2*y + 3*x", "-4*z - x")}


@pytest.mark.parametrize("seed, dim, method", [(1, 2, "cg"), (2, 2, "auto"), (3, 3, "cholesky"), (4, 3, "cg"), (5, 3, "auto")])
def test_temperatures_fluxes_and_films_on_any_face(tmp_path, seed, dim, method):
    """A harmonic polynomial of degree 2 is exact whatever the orders, and whatever each face of an element is given: the temperatures, the flux k
    dT/dn, or a film with the sink T + k dT/dn / h. The first face lies in elements of the highest order alone."""
    rng = random.Random(seed)
    mesh, orders, faces = boxes(rng, dim, [2, 3, 5] if dim == 2 else [2, 3, 4])
    faces.sort(key=lambda s: (-orders[s[3:]], rng.random()))
    boundary = []
    for i, s in enumerate(faces):
        slope = f"7*({SLOPES[dim]['xyz'.index(s[0])]})*({2 * int(s[1]) - 1})"
        kind = rng.choice([{"temperature": {"formula": HARMONIC[dim]}}, {"flux": {"formula": slope}},
                           {"film": {"coefficient": 5, "sink": {"formula": f"{HARMONIC[dim]} + {slope}/5"}}}])
        boundary.append({"set": s, **(kind if i else {"temperature": {"formula": HARMONIC[dim]}})})
    got = run(tmp_path, {"mesh": mesh, "physics": "heat", "element": {"orders": orders}, "materials": {"m": {"conductivity": 7}},
                         "boundary": boundary, "solve": {"heat": {"method": method, "tolerance": 1e-12}}})
    x, y, z = np.pad(got.coordinates, ((0, 0), (0, 3 - got.coordinates.shape[1]))).T
    exact = x**2 - y**2 + 3 * x * y if dim == 2 else x**2 + y**2 - 2 * z**2 + 3 * x * y - x * z
    assert error(got.static[0]["temperature"][:, 0], exact) <= 1e-9


@pytest.mark.parametrize("seed, dim, method", [(1, 2, "auto"), (2, 3, "auto"), (3, 3, "cg"), (4, 3, "cholesky")])
def test_supports_and_loads_on_any_face(tmp_path, seed, dim, method):
    """Uniform stress in a turned body: each face of an element is held along its normal (local axes), moved along it, pressed or pulled, as the stress says.
    On each side at least one element is held, of the highest order there."""
    rng, young, poisson = random.Random(seed), 4, .25
    turn = np.linalg.qr(np.array([[rng.uniform(-1, 1) for _ in range(dim)] for _ in range(dim)]))[0]
    turn[:, -1] *= np.linalg.det(turn)
    mesh, orders, faces = boxes(rng, dim, [1, 2, 5] if dim == 2 else [1, 2, 4], turn)
    stress = np.array([rng.uniform(-1, 1) for _ in range(dim)])
    strain = (stress * (1 + poisson) - poisson * stress.sum()) / young
    highest = [max((s for s in faces if s.startswith(f"{d}0")), key=lambda s: orders[s[3:]]) for d in "xyz"[:dim]]
    boundary = []
    for s in faces:
        d, side = "xyz".index(s[0]), int(s[1])
        held = {"axes": "turned", **({"move": {s[0]: strain[d]}} if side else {"fix": [s[0]]})}
        kind = rng.choice([held, {"pressure": -stress[d]}, {"traction": ((2 * side - 1) * stress[d] * turn[:, d]).tolist()}])
        boundary.append({"set": s, **(held if s in highest else kind)})
    axes = {"x": turn[:, 0].tolist(), **({"y": turn[:, 1].tolist()} if dim == 3 else {})}
    got = run(tmp_path, {"units": "none", "mesh": mesh, **({"plane": "stress"} if dim == 2 else {}), "element": {"orders": orders},
                         "axes": {"turned": {"straight": axes}}, "materials": {"m": {"young": young, "poisson": poisson}},
                         "boundary": boundary, "solve": {"static": {"method": method, "tolerance": 1e-12}}})
    exact = got.coordinates[:, :dim] @ turn * strain @ turn.T
    assert error(got.static[0]["displacement"][:, :dim], exact) <= 1e-9


def test_values_on_faces_of_the_highest_order_alone(tmp_path):
    """Temperatures that no order has (exp) on the face of a box of order 4, among boxes of order 2, are taken without a word: on its edges those
    of order 2 hold, and the face's total of reactions is what leaves on the other side."""
    mesh, orders, _ = boxes(random.Random(1), 3, [2])
    model = {"mesh": mesh, "physics": "heat", "element": {"orders": {**orders, "e000": 4}}, "materials": {"m": {"conductivity": 1}}, "solve": {"heat": {}},
             "boundary": [{"set": "z0_e000", "temperature": {"formula": "exp(x + y)"}}, {"set": "z1", "temperature": 1}],
             "outputs": {"print": [{"set": s, "quantity": "reaction", "totals": "only"} for s in ("z0_e000", "z1")]}}
    got = run(tmp_path, model)
    x, y, z = got.coordinates.T
    t = got.static[0]["temperature"][:, 0]
    inside = (z < 1e-9) & (x > 1e-9) & (y > 1e-9) & (x < .4) & (y < .4)
    assert inside.sum() >= 4 and error(t[inside], np.exp(x + y)[inside]) <= 1e-12
    reaction = got.static[0]["reaction"][:, 0]
    assert np.abs(reaction[(z > 1e-9) & (z < 1 - 1e-9)]).max() <= 1e-12  # tied nodes inside carry nothing
    total = [float(v) for v in re.findall(r"total heat.*\n\n\s*(\S+)", (got.folder / "model.dat").read_text())]
    assert len(total) == 2 and total[0] > .1 and abs(sum(total)) <= 1e-6


@pytest.mark.parametrize("element, nodes", [({"order": 10, "orders": {"a": 1, "b": 1, "c": 1, "d": 1}}, 4), ({"orders": {"a": 2, "all": 3, "b": 2}}, 31)])
def test_large_meshes_are_planned_by_the_orders_of_their_sets(tmp_path, element, nodes):
    """The estimate before the mesh is made counts p^2 nodes for each cell of a set of order p."""
    model, _ = case(2, dict(zip("abcd", (1, 1, 1, 1))), cells=200)
    model.update(element=element, boundary=[{"set": "all", "temperature": 0}])
    (tmp_path / "m.json").write_text(json.dumps(model))
    assert f"estimated: {nodes * 200**2} nodes" in call("check", tmp_path / "m.json").stderr


@pytest.mark.parametrize("change, told", [
    ({"element": {"orders": {"nowhere": 3}}}, "nowhere"),
    ({"element": {"orders": {"a": 12}}}, "12"),
    ({"physics": "acoustic", "solve": {"explicit": {"end": 1}}}, "explicit steps have elements of one order"),
    ({"mesh": {"rectangle": {"size": [1, 1], "cells": [2, 2], "shape": "tri"}}, "element": {"order": 1, "orders": {"all": 2}}}, None)])
def test_what_is_wrong_is_told(tmp_path, change, told):
    """Each with its reason; one order for all triangles is none of several."""
    model, _ = case(2, dict(zip("abcd", (1, 2, 3, 4))))
    (tmp_path / "m.json").write_text(json.dumps({**model, **change}))
    done = call("check", tmp_path / "m.json")
    assert (done.returncode == 0) == (told is None) and (told or "") in done.stdout + done.stderr, done.stdout + done.stderr


def test_a_crack_between_orders_is_refused(tmp_path):
    """Only vertices are one node there: springs of the other nodes, and an opening one element wide, would be missing without a word."""
    points = {f"p{i}{j}": [i, j] for i in range(3) for j in range(3)}
    blocks = [{"name": "low" if j == 0 else "high", "corners": [f"p{i}{j}", f"p{i + 1}{j}", f"p{i + 1}{j + 1}", f"p{i}{j + 1}"], "cells": [2, 2]}
              for j in range(2) for i in range(2)]
    model = {"units": "none", "mesh": {"blocks": {"points": points, "blocks": blocks, "sides": {"bottom": [["p00", "p10"]], "cut": [["p01", "p11"]]}}}, "plane": "stress",
             "element": {"order": 2, "orders": {"high": 4}}, "crack": {"sets": ["cut"]}, "materials": {"m": {"young": 1, "poisson": .3}},
             "boundary": [{"set": "bottom", "fix": ["x", "y"]}], "solve": {"static": {}}}
    (tmp_path / "m.json").write_text(json.dumps(model))
    done = call("check", tmp_path / "m.json")
    assert done.returncode == 3 and "lies between elements of order 2 and 4" in done.stdout + done.stderr, done.stderr
