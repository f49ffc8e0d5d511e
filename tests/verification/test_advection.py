"""Steady advection, diffusion and reaction: a . grad T - div(k grad T) + beta T = s, a = rho c v, beside closed forms and an independent assembly."""
import json

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sl

from command import Run, call, has
from test_heat import case
import hooke

FLAT, SOLID = ["tri", "quad"], ["tet", "hex"]
ALL = FLAT + SOLID


def mesh(shape, n, size=(1, 1, 1), jitter=0.2, order=1, cells=None):
    dim = 2 if shape in FLAT else 3
    cells = (cells or [n] * 3)[:dim]
    grid = {"size": list(size[:dim]), "cells": cells, "shape": shape, "jitter": jitter}
    return {"mesh": {"rectangle" if dim == 2 else "box": grid}, **({"element": {"order": order}} if order > 1 else {})}, dim


def write(shape, n, material, boundary, sources=(), how=(), **more):
    grid, dim = mesh(shape, n, **more)
    body = {"density": 2, "specific_heat": 3, "conductivity": 1, **material}
    if "velocity" in body:
        body["velocity"] = body["velocity"][:dim]
    return {"units": "none", **grid, "physics": "heat", "materials": {"water": body}, "boundary": list(boundary),
            **({"sources": list(sources)} if sources else {}), "solve": {"heat": dict(how)}}


def solve(tmp_path, *what, words=(), **more):
    got = case(tmp_path, json.dumps(write(*what, **more)), *words)
    return got, got.coordinates, got.static[0]["temperature"][:, 0]


SIDES = {2: ["left", "right", "bottom", "top"], 3: ["left", "right", "bottom", "top", "front", "back"]}


def held(dim, text):
    return [{"set": s, "temperature": {"formula": text}} for s in SIDES[dim]]


def order_of(errors, cells):
    return np.log(errors[-2] / errors[-1]) / np.log(cells[-1] / cells[-2])


def rms(a, b):
    return np.sqrt(np.mean((a - b) ** 2))


def layer(x, pe):
    """(e^(Pe x) - 1) / (e^Pe - 1) without overflow."""
    return (np.exp(pe * (x - 1)) - np.exp(-pe)) / -np.expm1(-pe)


ENDS = [{"set": "left", "temperature": 0}, {"set": "right", "temperature": 1}]


@pytest.mark.parametrize("shape", ALL)
def test_order_of_the_layer(tmp_path, shape):
    """T = (e^(Pe x) - 1) / (e^Pe - 1) between insulated sides, Pe = 5: second order"""
    cells, errors = ([4, 8, 16] if shape in SOLID else [8, 16, 32]), []
    for n in cells:
        got, x, t = solve(tmp_path, shape, n, {"conductivity": 6 / 5, "velocity": [1, 0, 0]}, ENDS, size=(1, .25, .25),
                          cells=[n, max(n // 4, 1), max(n // 4, 1)])
        errors.append(rms(t, layer(x[:, 0], 5)))
    assert order_of(errors, cells) >= 1.85 and errors[-1] <= (1e-3 if shape in FLAT else 3e-3), errors
    assert got.summary["advection"]["stabilised_elements"] == 0


@pytest.mark.parametrize("shape", ALL)
@pytest.mark.parametrize("pe", [200, 2e5])
def test_layer_without_oscillation(tmp_path, shape, pe):
    """equal cells of Peclet numbers 5 and 5000, T held all around: within 1 % of [0, 1], where without stabilisation T leaves it by more than a half"""
    found = []
    text, dim = f"max(0, 20 * x - 19) * exp({min(pe, 600)} * (x - 1))", 2 if shape in FLAT else 3
    for word in ("auto", "none"):
        got, x, t = solve(tmp_path, shape, 20, {"conductivity": 6 / pe, "velocity": [1, 0, 0], "stabilisation": word}, held(dim, text), size=(1, .2, .2),
                          cells=[20, 4, 4], jitter=0)
        found.append(max(-t.min(), t.max() - 1))
    assert found[0] <= 0.01 and found[1] >= 0.5, found
    assert got.summary["advection"]["largest_peclet"] >= pe / 40


@pytest.mark.parametrize("shape, most", [("tri", .4), ("quad", .05), ("tet", .4), ("hex", .05)])
def test_layer_on_moved_nodes(tmp_path, shape, most):
    """cells of Peclet number 5000 with nodes moved by up to 0.2: SUPG has no maximum principle, and oscillation stays at the layer: none for x < 0.7"""
    got, x, t = solve(tmp_path, shape, 20, {"conductivity": 6 / 2e5, "velocity": [1, 0, 0]}, ENDS, size=(1, .2, .2), cells=[20, 4, 4])
    assert max(-t.min(), t.max() - 1) <= most and np.abs(t[x[:, 0] < .7]).max() <= 0.02


def test_layer_is_exact_on_a_line(tmp_path):
    """coth P - 1 / P makes T exact at the nodes of equal cells in a row (Christie et al. 1976), to rounding"""
    got, x, t = solve(tmp_path, "quad", 0, {"conductivity": 6 / 60, "velocity": [1, 0]}, ENDS, cells=[20, 3], jitter=0)
    assert np.abs(t - layer(x[:, 0], 60)).max() <= 1e-12
    assert got.summary["advection"] == {"largest_peclet": pytest.approx(1.5), "elements": 60, "stabilised_elements": 60}


@pytest.mark.parametrize("shape", ALL)
def test_order_of_skew_flow(tmp_path, shape):
    """T = the product of a layer for each direction, which flow askew to the mesh has: second order"""
    pe, errors = [4, 3, 2], []
    dim, cells = (2, [8, 16, 32]) if shape in FLAT else (3, [6, 12])
    text = " * ".join(f"(exp({p} * {c}) - 1) / {float(np.expm1(p))!r}" for p, c in zip(pe, "xyz"[:dim]))
    for n in cells:
        got, x, t = solve(tmp_path, shape, n, {"conductivity": 6, "velocity": pe}, held(dim, text), jitter=.1)
        errors.append(rms(t, np.prod([layer(x[:, d], pe[d]) for d in range(dim)], axis=0)))
    assert order_of(errors, cells) >= 1.75, errors


def test_layers_of_skew_flow_converge(tmp_path):
    """the same with Pe = 40 and 30, from cells that are stabilised to cells that need it no more"""
    pe, errors, most = [40, 30], [], []
    text = " * ".join(f"(exp({p} * ({c} - 1)) - exp(-{p})) / {float(-np.expm1(-p))!r}" for p, c in zip(pe, "xy"))
    for n in (8, 16, 32, 64):
        got, x, t = solve(tmp_path, "quad", n, {"conductivity": 6, "velocity": pe}, held(2, text))
        errors.append(rms(t, layer(x[:, 0], 40) * layer(x[:, 1], 30)))
        most.append(got.summary["advection"]["stabilised_elements"])
    assert errors == sorted(errors, reverse=True) and errors[-1] <= 3e-4, errors
    assert most[0] == 64 and most[-1] == 0, most


def manufactured(shape, order, seed):
    """T of degree `order` is in the space of the elements; a linear in x; s from the equation. Texts of v, s and T, and T as a function."""
    rng = np.random.default_rng(seed)
    dim = 2 if shape in FLAT else 3
    names, k, beta = "xyz"[:dim], 0.01, 0.7
    v = 3 * rng.uniform(-1, 1, (dim, dim + 1)) + [[1] + [0] * dim] * dim
    g, h = rng.uniform(-1, 1, dim), (rng.uniform(-1, 1, dim) if order == 2 else np.zeros(dim))
    flow = [" + ".join([repr(float(row[0]))] + [f"{float(c)!r} * {n}" for c, n in zip(row[1:], names)]) for row in v]
    slope = [f"({float(a)!r} + 2 * ({float(b)!r}) * {n})" for a, b, n in zip(g, h, names)]
    t = "1 + " + " + ".join(f"({float(a)!r}) * {n} + ({float(b)!r}) * {n} * {n}" for a, b, n in zip(g, h, names))
    s = " + ".join(f"6 * ({f}) * {d}" for f, d in zip(flow, slope)) + f" - {float(2 * k * h.sum())!r} + {beta} * ({t})"
    return dim, {"conductivity": k, "reaction": beta, "velocity": [{"formula": f} for f in flow]}, s, t, lambda x: 1 + x @ g + x**2 @ h


@pytest.mark.parametrize("stabilisation", ["auto", "supg", "none"])
@pytest.mark.parametrize("shape", ALL)
def test_linear_solutions_are_exact(tmp_path, shape, stabilisation):
    """a linear T of random a(x), reaction and source is found to rounding: what stabilisation adds is a residual, with the source's part"""
    dim, material, s, t, exact = manufactured(shape, 1, 7)
    got, x, found = solve(tmp_path, shape, 4, {**material, "stabilisation": stabilisation}, held(dim, t), [{"heat": {"formula": s}}],
                          {"method": "direct"})
    assert np.abs(found - exact(x)).max() <= 1e-12
    assert (got.summary["advection"]["stabilised_elements"] > 0) == (stabilisation != "none")


@pytest.mark.parametrize("shape", ALL)
def test_quadratic_solutions_are_exact(tmp_path, shape):
    """the same of elements of second order and a T with div(k grad T)"""
    dim, material, s, t, exact = manufactured(shape, 2, 3)
    got, x, found = solve(tmp_path, shape, 3, material, held(dim, t), [{"heat": {"formula": s}}], {"method": "direct"}, order=2, jitter=0)
    assert np.abs(found - exact(x)).max() <= 1e-11
    assert got.summary["advection"]["stabilised_elements"] > 0


@pytest.mark.parametrize("shape, order", [(s, p) for s in ALL for p in (1, 2)])
def test_order_of_a_manufactured_solution(tmp_path, shape, order):
    """T = sin(2 x + y) + z, k and beta by formula, a of a vortex: order 2 and 3, stabilised everywhere"""
    dim = 2 if shape in FLAT else 3
    cells, errors = ([4, 8] if order == 2 else [6, 12]), []
    t = "sin(2 * x + y)" + (" + z" if dim == 3 else "")
    flow, k, beta = ["6 * (2 * y - 1)", "6 * (1 - 2 * x)", "3"][:dim], "1 + x", "1 + y"
    slope = ["2 * cos(2 * x + y)", "cos(2 * x + y)", "1"][:dim]
    s = " + ".join(f"({a}) * ({b})" for a, b in zip(flow, slope)) + f" + 5 * ({k}) * sin(2 * x + y) - 2 * cos(2 * x + y) + ({beta}) * ({t})"
    for n in cells:
        got, x, found = solve(tmp_path, shape, n, {"conductivity": {"formula": k}, "reaction": {"formula": beta}, "density": 1, "specific_heat": 1,
                                                   "velocity": [{"formula": f} for f in flow], "stabilisation": "supg"},
                              held(dim, t), [{"heat": {"formula": s}}], order=order, jitter=0)
        errors.append(rms(found, np.sin(2 * x[:, 0] + x[:, 1]) + (x[:, 2] if dim == 3 else 0)))
    assert order_of(errors, cells) >= order + 0.6, errors


FLOW = {"conductivity": 0.05, "reaction": 2, "velocity": [{"formula": "1 + y"}, {"formula": "0.5 - x"}, 0.3]}
SIDE = [{"set": "left", "temperature": 300}, {"set": "right", "film": {"coefficient": 70, "sink": 290}}, {"set": "top", "flux": 20}]
WAYS = [{"method": "direct"}, {"method": "idr"}, {"method": "idr", "preconditioner": "block-jacobi"}, {"method": "idr", "form": "elements"},
        {"method": "direct", "form": "elements"}, {"method": "femses"}, {"method": "auto"},
        {"method": "dense"}, {"method": "dense-to-sparse"}]


@pytest.mark.parametrize("shape", ALL)
def test_methods_beside_scipy(tmp_path, shape):
    """factors, IDR and relaxation by elements give what spsolve makes of K of `hooke matrix` and the load, with films, fluxes, heat; to 1e-8"""
    model = write(shape, 6, FLOW, SIDE, [{"heat": 1e3}], jitter=.15)
    path = tmp_path / "flow.json"
    path.write_text(json.dumps(model))
    done = call("matrix", path, "--format", "csr", "--output", tmp_path / "k.npz")
    assert done.returncode == 0, done.stderr
    with np.load(tmp_path / "k.npz") as file:
        k = sp.csr_matrix((file["data"], file["indices"], file["indptr"]), file["shape"])
    system = hooke.System(hooke.Model(**json.loads(path.read_text())))
    held = np.asarray(system.held.dof)
    free = np.setdiff1d(np.arange(k.shape[0]), held)
    t = np.full(k.shape[0], 300.)
    t[free] = sl.spsolve(k[free][:, free].tocsc(), (np.asarray(system.load) - k @ np.where(np.isin(np.arange(len(t)), held), 300., 0))[free])
    assert np.ptp(t) > 5
    for how in WAYS:
        found = solve(tmp_path, shape, 6, FLOW, SIDE, [{"heat": 1e3}], {**how, "tolerance": 1e-12}, jitter=.15)[2]
        assert np.abs(found - t).max() <= 1e-8 * np.abs(t).max(), how


@pytest.mark.parametrize("device", ["cpu", "opencl"])
def test_dense_factors_of_many_blocks(tmp_path, device):
    """L U of 841 unknowns, blocks of 512 columns, with rows that are exchanged: pure advection has no diagonal to pivot on"""
    if not has(device):
        pytest.skip("no OpenCL")
    what = ("quad", 28, {**FLOW, "conductivity": 1e-6, "reaction": 0, "stabilisation": "none"}, SIDE)
    exact, found = (solve(tmp_path, *what, [], {"method": method, "tolerance": 1e-10}, words=("--device", device))[2] for method in ("direct", "dense"))
    assert np.abs(found - exact).max() <= 1e-8 * np.abs(exact).max()


@pytest.mark.parametrize("device", ["cpu", "opencl"])
@pytest.mark.parametrize("precision, digits", [("double", 1e-7), ("single", 1e-3)])
def test_devices_and_precisions(tmp_path, device, precision, digits):
    """IDR and relaxation on each device in each precision beside factors"""
    if not has(device):
        pytest.skip("no OpenCL")
    what = ("tri", 8, FLOW, SIDE, [{"heat": 1e3}])
    exact = solve(tmp_path, *what, {"method": "direct"})[2]
    for how in ({"method": "idr"}, {"method": "idr", "form": "elements"}, {"method": "femses"}):
        found = solve(tmp_path, *what, {**how, **({"tolerance": 1e-11} if precision == "double" else {})}, words=("--device", device, "--precision", precision))[2]
        assert np.abs(found - exact).max() <= digits * np.abs(exact).max(), how


def test_matrix_is_that_of_the_products(tmp_path):
    """K of each format and kind = K of the form's products, and it is not symmetric; scipy's operator has no transpose"""
    model = hooke.Model(**write("quad", 5, FLOW, SIDE, jitter=.2))
    system = hooke.System(model)
    k = np.column_stack([system.apply(e) for e in np.eye(system.dofs)])
    for other in (system.matrix(), *(system.sparse(format).to_scipy() for format in ("csr", "coo", "bsr"))):
        assert np.abs(other.toarray() - k).max() <= 1e-12 * np.abs(k).max()
    assert np.abs(k - k.T).max() >= 0.01 * np.abs(k).max() and not system.symmetric
    with pytest.raises(NotImplementedError):
        system.K.rmatvec(np.ones(system.dofs))
    still = hooke.System(hooke.Model(**write("quad", 5, {"conductivity": 1}, SIDE)))
    assert still.symmetric and still.K.rmatvec(np.ones(still.dofs)) is not None


EQUATIONS = [{"terms": [{"set": "a", "factor": 1}, {"set": "b", "factor": -0.6}, {"set": "c", "factor": -0.5}]}]


def test_triangles_are_refused(tmp_path):
    """half of a K that is not symmetric is refused by the command, and the other formats are given"""
    path = tmp_path / "flow.json"
    path.write_text(json.dumps(write("quad", 4, FLOW, SIDE)))
    done = call("matrix", path, "--format", "csr", "--symmetric", "--output", tmp_path / "half.npz")
    assert done.returncode == 3 and "not symmetric" in done.stderr and not (tmp_path / "half.npz").exists()
    for form in ("coo", "ell", "bsr"):
        done = call("matrix", path, "--format", form, "--output", tmp_path / f"k.{'npz' if form == 'coo' else 'h5'}")
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("how, word", [({"method": "cg"}, "idr"), ({"method": "cholesky"}, "direct"),
                                       ({"method": "femses", "relaxation": "chebyshev"}, "jacobi"),
                                       ({"method": "femses", "relaxation": "multigrid"}, "jacobi"),
                                       ({"method": "femses", "relaxation": "conjugate"}, "jacobi"), ({"form": "matrix-free"}, "assembled"),
                                       ({"method": "idr", "preconditioner": "multigrid"}, "block-jacobi"),
                                       ({"method": "idr", "preconditioner": "chebyshev"}, "block-jacobi")])
def test_what_needs_symmetry_is_refused(tmp_path, how, word):
    """with words that name what to give, by `run`, and but for options of idr by `check`"""
    path = tmp_path / "flow.json"
    path.write_text(json.dumps(write("quad", 4, FLOW, SIDE, how=how)))
    done = call("run", path, "--output", tmp_path / "out", "-q", "--no-pictures")
    assert done.returncode in (2, 3) and word in done.stderr, done.stderr
    if how["method"] != "idr" if "method" in how else True:
        done = call("check", path)
        assert done.returncode == 3 and word in done.stderr, done.stderr


@pytest.mark.parametrize("change, words", [({"specific_heat": None}, "specific_heat"), ({"density": None}, "density"),
                                           ({"velocity": [1, 0, 0]}, "give 2"), ({"velocity": [{"formula": "1 / (x - x)"}, 0]}, "must be finite"),
                                           ({"velocity": None, "stabilisation": "supg"}, "with a velocity"),
                                           ({"stabilisation": "gls"}, "stabilisation"), ({"advection": 1}, "velocity")])
def test_wrong_materials(tmp_path, change, words):
    model = write("quad", 4, {"velocity": [1, 0]}, SIDE)
    body = model["materials"]["water"]
    for key, value in change.items():
        body.pop(key, None) if value is None else body.update({key: value})
    path = tmp_path / "flow.json"
    path.write_text(json.dumps(model))
    done = call("run", path, "--output", tmp_path / "out", "-q", "--no-pictures")
    assert done.returncode == 3 and words in done.stderr, done.stderr


def test_high_orders_are_refused(tmp_path):
    path = tmp_path / "flow.json"
    path.write_text(json.dumps({**write("quad", 4, FLOW, SIDE), "element": {"order": 5}}))
    for verb in (("check", path), ("run", path, "--output", tmp_path / "out", "-q")):
        done = call(*verb)
        assert done.returncode == 3 and "order" in done.stderr and "velocity" in done.stderr, done.stderr


def test_heat_is_balanced(tmp_path):
    """what enters leaves: prescribed temperatures, flux, film, heat, reaction and what the flow carries out sum to 0"""
    got, x, t = solve(tmp_path, "tri", 10, FLOW, SIDE, [{"heat": 1e3}])
    step = got.summary["steps"][0]
    assert abs(step["load"][0] + step["reaction"][0]) <= 1e-9 * 1e3 and abs(step["load"][0]) > 1


def test_check_reports_peclet(tmp_path):
    path = tmp_path / "flow.json"
    path.write_text(json.dumps(write("quad", 8, {"conductivity": .06, "velocity": [1, 0]}, ENDS, jitter=0)))
    done = call("check", path, "--json")
    assert json.loads(done.stdout)["advection"] == {"largest_peclet": pytest.approx(100 / 16), "elements": 64, "stabilised_elements": 64}


def test_relaxation_says_where_it_cannot(tmp_path):
    """closed streamlines and hardly any diffusion: sweeps by elements end with words that name what to use"""
    vortex = {"conductivity": 1e-4, "velocity": [{"formula": "y - 0.5"}, {"formula": "0.5 - x"}]}
    path = tmp_path / "flow.json"
    path.write_text(json.dumps(write("tri", 16, vortex, ENDS, how={"method": "femses", "iterations": 3000})))
    done = call("run", path, "--output", tmp_path / "out", "-q", "--no-pictures")
    assert done.returncode == 7 and "diffusion outweighs advection" in done.stderr and "idr" in done.stderr, done.stderr


@pytest.mark.parametrize("change, how, words", [({}, {"end": 1, "dt": .5}, "transient"),
                                                ({"conductivity": {"table": {"temperature": [0, 1], "value": [1, 2]}}}, {}, "by temperature")])
def test_what_is_not_carried_is_refused(tmp_path, change, how, words):
    """steps in time, and constants by temperature of the material that moves"""
    path = tmp_path / "flow.json"
    path.write_text(json.dumps(write("quad", 4, {"velocity": [1, 0], **change}, ENDS, how=how)))
    for verb in (("check", path), ("run", path, "--output", tmp_path / "out", "-q")):
        done = call(*verb)
        assert done.returncode == 3 and words in done.stderr and "velocity" in done.stderr, done.stderr
