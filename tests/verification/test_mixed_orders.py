"""Elements of several orders in one mesh. The oracle takes elements apart: dense matrices by quadrature, continuity asked at points of the shared
edges and faces, and the space of all functions that meet it as a null space (SVD), without nodes in common and without a rule for orders."""
import itertools
import json

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
