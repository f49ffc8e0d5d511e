"""Axisymmetric models in explicit steps: steps of an independent implementation, closed solutions of discs, spheres, rods and explosions, fluids,
boundaries that absorb, stress on the axis, elements of order p, what is refused."""
import json

import h5py
import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.special import j0, j1, jn_zeros, jv, spherical_jn, spherical_yn

import fem
import oracles
from command import call, error, has, run

RHO, YOUNG, NU = 1.0, 1.0, 0.3
LAME, MU = YOUNG * NU / ((1 + NU) * (1 - 2 * NU)), YOUNG / (2 * (1 + NU))
C_P, C_S = np.sqrt(LAME + 2 * MU), np.sqrt(MU)
DECK = {"tri3": "CAX3", "quad4": "CAX4", "tri6": "CAX6", "quad8": "CAX8"}
SHAPES = list(DECK)


def deck(mesh, velocity, fixed, duration, dt=""):
    """The body of revolution starts with velocity[node][component] and is watched at every step; fixed[component]: nodes."""
    text = fem.mesh_deck(mesh, {f"FIX{c}": nodes for c, nodes in fixed.items()}).replace("=CPE", "=CAX")
    lines = [text + f"*MATERIAL, NAME=M\n*DENSITY\n{RHO}\n*ELASTIC\n{YOUNG}, {NU}\n*SOLID SECTION, ELSET=BODY, MATERIAL=M\n,",
             "*INITIAL CONDITIONS, TYPE=VELOCITY"]
    lines += [f"{n + 1}, {c + 1}, {v:.17g}" for n, row in enumerate(velocity) for c, v in enumerate(row) if v]
    lines += ["*STEP", "*DYNAMIC, EXPLICIT" + (", DIRECT USER CONTROL" if dt else ""), f"{dt}, {duration:.17g}", "*BOUNDARY"]
    lines += [f"FIX{c}, {c + 1}, {c + 1}" for c in fixed]
    return "\n".join(lines + ["*OUTPUT, HISTORY, FREQUENCY=1", "*NODE OUTPUT, NSET=ALL", "U", "*END STEP", ""])


def matrices(mesh):
    """Dense K and lumped mass per degree of freedom of the whole ring, linear shapes: 2 pi r in the integrals, the hoop strain u_r / r."""
    count, element = len(mesh.x), mesh.element
    c = oracles.isotropic(YOUNG, NU)[np.ix_([0, 1, 5, 2], [0, 1, 5, 2])]
    k, m = np.zeros((2 * count, 2 * count)), np.zeros(count)
    dof = (element[:, :, None] * 2 + np.arange(2)).reshape(len(element), -1)
    for volume, value, g in fem.gradients(mesh):
        r = mesh.x[element][:, :, 0] @ value
        b = np.zeros((len(element), 4, element.shape[1], 2))
        b[:, 0, :, 0] = b[:, 2, :, 1] = g[:, :, 0]
        b[:, 1, :, 1] = b[:, 2, :, 0] = g[:, :, 1]
        b[:, 3, :, 0] = value / r[:, None]
        b = b.reshape(len(element), 4, -1)
        np.add.at(k, (dof[:, :, None], dof[:, None, :]), np.einsum("e,eri,rs,esj->eij", 2 * np.pi * r * volume, b, c, b, optimize=True))
        if mesh.shape == "quad4":
            np.add.at(m, element, (RHO * 2 * np.pi * r * volume)[:, None] * value)
        else:  # integral of N_n r over a triangle: A (r_n + sum of r) / 12
            radii = mesh.x[element][:, :, 0]
            np.add.at(m, element, RHO * 2 * np.pi * volume[:, None] * (radii + radii.sum(1)[:, None]) / 12)
    return k, np.repeat(m, 2)


def moved(mesh, by):
    return fem.Mesh(mesh.shape, mesh.x + by, mesh.element)


@pytest.mark.parametrize("shape, inner", [("tri3", 0), ("quad4", 0), ("quad4", 0.4)])
def test_steps_are_those_of_the_matrices(tmp_path, shape, inner):
    """Central differences of an independent K and M give every node's motion, and the largest eigenvalue the limit of dt that hooke bounds."""
    mesh = moved(fem.grid(shape, [5, 4], [1.3, 0.9], jitter=0.2), [inner, 0])
    k, m = matrices(mesh)
    v = np.random.default_rng(2).uniform(-1, 1, mesh.x.shape)
    v[mesh.x[:, 0] < 1e-12, 0] = 0
    free = np.setdiff1d(np.arange(len(m)), 2 * mesh.at(0, 0))
    limit = fem.critical_step(k[np.ix_(free, free)], m[free])
    chosen = run(tmp_path, deck(mesh, v, {}, 1.0)).dt
    assert 0.75 * limit <= chosen / 0.95 <= limit * (1 + 1e-9)
    dt, steps = 0.5 * limit, 60
    got = run(tmp_path, deck(mesh, v, {}, steps * dt, f"{dt:.17g}")).traces["ALL"]["displacement"]
    u, last = np.zeros(len(m)), -dt * v.ravel()
    for n in range(steps):
        u, last = 2 * u - last - dt**2 * np.where(np.isin(np.arange(len(m)), free), k @ u / m, 0), u
    assert error(got[:, :, -1].ravel(), u) <= 1e-8


def test_rings_of_one_section_have_bounds_of_their_own(tmp_path):
    """Squares of one size at other radii are not alike: the limit of dt is the least of theirs."""
    cell = fem.grid("quad4", [1, 1], [1.0, 1.0])

    def chosen(radii):
        x = np.concatenate([cell.x + [r, 3 * i] for i, r in enumerate(radii)])
        mesh = fem.Mesh("quad4", x, np.concatenate([cell.element + 4 * i for i in range(len(radii))]))
        text = deck(mesh, np.zeros_like(x) + [0, 1], {}, 1.0)
        return run(tmp_path, text.replace(f"{YOUNG}, {NU}\n", f"{YOUNG}, 0.45\n"), name=f"rings{len(radii)}_{radii[0]}").dt

    radii = [0.1, 1.0, 0.0]
    alone = [chosen([r]) for r in radii]
    assert min(alone) < 0.99 * alone[0]
    assert chosen(radii) == pytest.approx(min(alone), rel=1e-9)


def frequency(got, mode, weight, guess):
    """Angular frequency of the mode's part of the motion: best fit of A sin wt to sum weight u . mode, near the guess."""
    part, t = np.einsum("nct,nc,n->t", got.traces["ALL"]["displacement"], mode, weight), got.time["ALL"]
    assert np.isfinite(part).all() and part.any()

    def misfit(w):
        s = np.sin(w * t)
        return 1 - (s @ part) ** 2 / ((s @ s) * (part @ part))
    return minimize_scalar(misfit, bounds=(0.8 * guess, 1.2 * guess), method="bounded", options={"xatol": 1e-10 * guess}).x


def off(tmp_path, mesh, mode, exact, fixed):
    """Relative error of the frequency of a mode that starts with velocity mode[node][component]."""
    got = run(tmp_path, deck(mesh, mode, fixed, 4 / exact))
    return abs(frequency(got, mode, mesh.x[:, 0], exact) / exact - 1)


def check_orders(errors, most, least=1.5):
    print([f"{e:.2e}" for e in errors])
    assert errors[-1] <= most, errors
    assert all(np.log2(a / b) >= least for a, b in zip(errors, errors[1:])), errors


@pytest.mark.parametrize("shape", SHAPES)
def test_radial_mode_of_a_disc(tmp_path, shape):
    """u_r = J1(kr) of a cylinder between smooth walls: (lambda + 2 mu) k a J0(k a) = 2 mu J1(k a); order 2 and more."""
    k = brentq(lambda x: C_P**2 * x * j0(x) - 2 * MU * j1(x), 1, 3)
    errors = []
    for n in (4, 8):
        mesh = fem.grid(shape, [n, max(2, n // 4)], [1, max(2, n // 4) / n], jitter=0)
        mode = np.stack([j1(k * mesh.x[:, 0]), 0 * mesh.x[:, 0]], 1)
        mode[mesh.x[:, 0] < 1e-12] = 0
        errors.append(off(tmp_path, mesh, mode, k * C_P, {1: np.arange(len(mesh.x))}))
    check_orders(errors, {"tri3": 3e-3, "quad4": 2e-3, "tri6": 5e-4, "quad8": 3e-4}[shape])


@pytest.mark.parametrize("shape", SHAPES)
def test_breathing_mode_of_a_sphere(tmp_path, shape):
    """The spheroidal mode l = 0 of a hollow sphere, its meridian by curved rows of elements: stress of the radial motion is 0 at both radii."""
    inner = 0.5

    def faces(k):
        rows = []
        for r in (inner, 1.0):
            for f in (spherical_jn, spherical_yn):
                u, du = f(1, k * r), k * f(1, k * r, derivative=True)
                rows.append((LAME + 2 * MU) * du + 2 * LAME * u / r)
        return np.array(rows).reshape(2, 2)
    k = brentq(lambda x: np.linalg.det(faces(x)), 1, 3)
    a, b = faces(k)[0][1], -faces(k)[0][0]
    errors = []
    for n in (2, 4):
        flat = fem.grid(shape, [n, 6 * n], [1 - inner, np.pi])
        radius, angle = inner + flat.x[:, 0], flat.x[:, 1] - np.pi / 2
        mesh = fem.Mesh(shape, np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1), flat.element)
        mesh.x[np.abs(np.abs(angle) - np.pi / 2) < 1e-12, 0] = 0
        u = a * spherical_jn(1, k * radius) + b * spherical_yn(1, k * radius)
        mode = u[:, None] * mesh.x / radius[:, None]
        errors.append(off(tmp_path, mesh, mode, k * C_P, {}))
    check_orders(errors, {"tri3": 5e-3, "quad4": 2e-3, "tri6": 1.5e-3, "quad8": 4e-3}[shape])


def test_first_mode_of_a_rod(tmp_path):
    """The longitudinal mode of a free rod (Pochhammer 1876, Chree 1889) at k a = 1, half a wave long between smooth ends."""
    k = 1.0

    def parts(w):
        return np.emath.sqrt((w / C_P)**2 - k**2), np.emath.sqrt((w / C_S)**2 - k**2)

    def equation(w):
        p, q = parts(w)
        pj = p * jv(1, p)
        return (2 * (q**2 + k**2) * pj * jv(1, q) - (q**2 - k**2)**2 * jv(0, p) * jv(1, q) - 4 * k**2 * q * pj * jv(0, q)).real
    w = brentq(equation, 0.85, 1.0)
    p, q = parts(w)
    c = 2 * k * p * jv(1, p) / ((k**2 - q**2) * jv(1, q))
    errors = []
    for n in (4, 8):
        mesh = fem.grid("quad4", [n, 3 * n], [1, np.pi])
        r, z = mesh.x.T
        u = (-p * jv(1, p * r) + k * c * jv(1, q * r)) * np.cos(k * z), -(k * jv(0, p * r) + q * c * jv(0, q * r)) * np.sin(k * z)
        mode = np.stack(u, 1).real
        mode[mesh.at(0, 0), 0] = 0
        ends = np.union1d(mesh.at(1, 0), mesh.at(1, np.pi))
        mode[ends, 1] = 0
        errors.append(off(tmp_path, mesh, mode, w, {1: ends}))
    check_orders(errors, 1e-3)


def check_energy(got):
    """Kinetic, strain and lost energy are the work, but for what the signal's start at t = 0 gives at once."""
    e = got.energy
    balance = e["kinetic"] + e["strain"] - e["work"] + e.get("damping", 0)
    assert np.ptp(balance) <= 1e-9 * e["work"].max() > 0


def ricker(f, t0, t):
    a = (np.pi * f * (t - t0))**2
    return (1 - 2 * a) * np.exp(-a)


def space(source, absorb=False, size=2.0, cells=50, end=2.4, **more):
    """A source at the origin, on the axis in the middle of the edge of a cell, a Ricker wavelet of 1.2; receivers at all angles."""
    signal = {"ricker": {"frequency": 1.2, "t0": 1.0}}
    at = [[1.0, 0.0], [0.7, 0.7], [0.0, 0.9], [0.4, -0.8]]
    return {"units": "none", "plane": "axisymmetric", "element": {"order": 1}, "materials": {"m": {"density": RHO, "young": YOUNG, "poisson": NU}},
            "mesh": {"rectangle": {"from": [0, -size], "to": [size, size], "cells": [cells, 2 * cells + 1]}},
            "sources": [{"at": [0, 0], "signal": signal} | source],
            "outputs": {"traces": [{"name": "rx", "at": at}]}, "solve": {"explicit": {"end": end}}} | \
        ({"absorb": {"kind": "stacey", "sets": ["right", "top", "bottom"]}} if absorb else {}) | more


def closed(source, x, t, t0=1.0):
    """u[component, time] of the full space (Aki and Richards 2002, 4.23 and 4.29): a force along z, or an explosion."""
    r = np.hypot(*x)
    g = np.array(x) / r
    at = np.linspace(0, 3, 6001)

    def s(time):
        return ricker(1.2, t0, time) * (time > 0)
    if "explosion" in source:
        slope = np.interp(t - r / C_P, at, np.gradient(s(at), at), left=0)
        return g[:, None] * (s(t - r / C_P) / r**2 + slope / (r * C_P)) / (4 * np.pi * RHO * C_P**2)
    tau = np.linspace(r / C_P, r / C_S, 400)
    near = np.trapezoid(tau * s(t[:, None] - tau), tau, axis=1)
    along = g * g[1], g * g[1] - np.array([0, 1])
    return (np.outer(3 * g * g[1] - np.array([0, 1]), near) / r**3 + np.outer(along[0], s(t - r / C_P)) / (C_P**2 * r)
            - np.outer(along[1], s(t - r / C_S)) / (C_S**2 * r)) / (4 * np.pi * RHO)


@pytest.mark.parametrize("source, most", [({"explosion": 1}, 0.025), ({"direction": [0, 1], "force": 1}, 0.04)])
def test_sources_in_a_full_space(tmp_path, source, most):
    """An explosion and a force along z at a point of the axis against their closed solutions, of order 2; u_r on the axis is 0; energies balance."""
    errors = []
    for cells in (50, 100):
        case = space(source, cells=cells)
        got = run(tmp_path, case)
        u = got.traces["rx"]["displacement"]
        errors.append(max(error(a, closed(source, x, got.time["rx"])) for a, x in zip(u, case["outputs"]["traces"][0]["at"])))
        assert np.abs(u[2, 0]).max() <= 1e-12 * np.abs(u).max()
        check_energy(got)
    check_orders(errors, most, 1.7)


@pytest.mark.parametrize("source, most", [({"explosion": 1}, 2e-3), ({"direction": [0, 1], "force": 1}, 1e-3)])
def test_sources_in_a_full_space_by_order_8(tmp_path, source, most):
    """With the nodes of 50 linear cells a side, whose errors are 8e-2 and 1e-1, elements of order 8 have errors of 1e-3. The signal begins with 1e-14, as
    close to the source a jump shows."""
    case = space(source, cells=6, end=2.8, element={"order": 8})
    case["sources"][0]["signal"]["ricker"]["t0"] = 1.5
    got = run(tmp_path, case)
    u = got.traces["rx"]["displacement"]
    errors = [error(a, closed(source, x, got.time["rx"], 1.5)) for a, x in zip(u, case["outputs"]["traces"][0]["at"])]
    print([f"{e:.1e}" for e in errors])
    assert max(errors) <= most
    assert np.abs(u[2, 0]).max() <= 1e-12 * np.abs(u).max()
    assert got.summary["method"] == "stored"
    check_energy(got)


def driven(r, t, faces, traction, static, size, f=0.7, t0=2.2):
    """u[receiver, time] and du/dr of radial motion under a Ricker wavelet of traction at its outer radius 1, r <= 1: the static solution and the modes'
    difference from it (Duhamel). faces(k): value that is 0 for a mode, and the mode as a function u, du of r; size: dV / dr over r."""
    grid, h = np.linspace(0, t[-1], 20001, retstep=True)
    s = ricker(f, t0, grid)
    x, w = np.polynomial.legendre.leggauss(200)
    inner = faces.inner
    x, w = inner + (1 - inner) * (1 + x) / 2, w * (1 - inner) / 2
    ks = np.linspace(0.3, 60, 6000)
    values = [faces(k)[0] for k in ks]
    u, du = (np.outer(v(r), np.interp(t, grid, s)) for v in static)
    for i in np.flatnonzero(np.diff(np.sign(values))):
        k = brentq(lambda v: faces(v)[0], ks[i], ks[i + 1], xtol=1e-14)
        mode, slope = faces(k)[1:]
        omega = k * C_P
        push = traction * size(1.0) * mode(1.0) / (w @ (RHO * size(x) * mode(x)**2))
        c, d = (np.concatenate([[0], np.cumsum((v[1:] + v[:-1]) / 2) * h]) for v in (s * np.cos(omega * grid), s * np.sin(omega * grid)))
        part = push * np.interp(t, grid, (np.sin(omega * grid) * c - np.cos(omega * grid) * d) / omega - s / omega**2)
        u, du = u + np.outer(mode(r), part), du + np.outer(slope(r), part)
    return u, du


def disc():
    """Radial motion of a cylinder between smooth walls: u = J1(k r), no stress at r = 1; static u = T r / (2 (lambda + mu))."""
    def faces(k):
        return C_P**2 * k * j0(k) - 2 * MU * j1(k), lambda r: j1(k * r), lambda r: k * (j0(k * r) - jv(2, k * r)) / 2
    faces.inner = 0
    rate = 1 / (2 * (LAME + MU))
    return faces, (lambda r: rate * r, lambda r: rate + 0 * r)


@pytest.mark.parametrize("order, cells, most", [(4, 2, 2e-3), (8, 1, 1e-3), (8, 2, 2e-5)])
def test_pressure_on_a_disc(tmp_path, order, cells, most):
    """A traction on the side of a cylinder between smooth walls, and the stress on its axis, by a few elements of order p."""
    faces, static = disc()
    at = [[0, 0.1], [0.3, 0.1], [0.77, 0.05], [1, 0]]
    case = space({}, end=8.0, mesh={"rectangle": {"from": [0, 0], "to": [1, 0.2], "cells": [cells, 1]}}, element={"order": order})
    case["sources"] = []
    case["boundary"] = [{"set": "bottom", "fix": ["y"]}, {"set": "top", "fix": ["y"]},
                        {"set": "right", "traction": [1, 0], "signal": {"ricker": {"frequency": 0.7, "t0": 2.2}}}]
    case["outputs"] = {"traces": [{"name": "rx", "at": at, "quantity": ["displacement", "stress"]}]}
    got = run(tmp_path, case)
    u, du = driven(np.array(at)[:, 0], got.time["rx"], faces, 1, static, lambda r: r)
    print(f"{error(got.traces['rx']['displacement'][:, 0], u):.1e}")
    assert error(got.traces["rx"]["displacement"][:, 0], u) <= most
    r = np.array(at)[1:, :1]
    around = np.concatenate([du[:1], u[1:] / r])
    stress = np.stack([C_P**2 * du + LAME * around, LAME * (du + around), C_P**2 * around + LAME * du], 1)
    assert error(got.traces["rx"]["stress"][:, :3], stress) <= 20 * most
    assert np.abs(got.traces["rx"]["displacement"][:, 1]).max() <= 1e-12
    check_energy(got)


def test_whichever_face_lies_on_the_axis(tmp_path):
    """Elements whose nodes are listed from another corner on are the same elements: forces, tractions on faces, a boundary that absorbs, stress."""
    mesh = fem.grid("quad4", [2, 3], [1.0, 1.5], jitter=0.15)
    sides = {"n": [mesh.at(1, 0)[-1]]}
    runs = []
    for turn in range(4):
        turned = fem.Mesh("quad4", mesh.x, np.stack([np.roll(e, -(turn + i) % 4) for i, e in enumerate(mesh.element)]))
        (tmp_path / "mesh.inp").write_text(fem.mesh_deck(turned, sides))
        case = space({"direction": [0, 1], "force": 1}, mesh=str(tmp_path / "mesh.inp"), regions={"BODY": "m"}, element={"order": 5}, end=3.0)
        case["sources"][0]["at"] = [0, 0.6]
        case["outputs"] = {"traces": [{"name": "rx", "at": [[0, 0.31], [0.5, 0.5], [0.9, 1.2]], "quantity": ["displacement", "stress"]}]}
        case["solve"]["explicit"]["dt"] = 0.005
        runs.append(run(tmp_path, case, name=f"turn{turn}"))
    for q in ("displacement", "stress"):
        for other in runs[1:]:
            assert np.abs(other.traces["rx"][q] - runs[0].traces["rx"][q]).max() <= 1e-10 * np.abs(runs[0].traces["rx"][q]).max() > 0


@pytest.mark.parametrize("order", [1, 4])
def test_stacey_and_forms(tmp_path, order):
    """Dashpots on the whole outline send back little of an explosion; energies balance with their loss; two devices give the same bits, OpenCL and
    single agree."""
    few = space({"explosion": 1}, True, 1.2, 24 // order, 4.0, element={"order": order})
    got = run(tmp_path, few)
    far = run(tmp_path, space({"explosion": 1}, False, 3.2, 64 // order, 4.0, element={"order": order}), name="far")
    a, b = got.traces["rx"]["displacement"], far.traces["rx"]["displacement"]
    t = np.linspace(0, 4, 400)
    a, b = (np.array([[np.interp(t, g.time["rx"], c) for c in rx] for rx in v]) for g, v in ((got, a), (far, b)))
    print(error(a, b))
    assert error(a, b) <= 0.1
    check_energy(got)
    e = got.energy
    assert 0 <= e["kinetic"][-1] + e["strain"][-1] <= 1e-2 * e["work"].max()
    for words, most in ((["--device", "cpu,cpu"], 0), (["--device", "opencl"], 1e-11), (["--precision", "single"], 1e-4)):
        if words[1] == "opencl" and not has("opencl"):
            continue
        other = run(tmp_path, few, *words, name="other").traces["rx"]["displacement"]
        assert np.abs(other - got.traces["rx"]["displacement"]).max() <= most * np.abs(a).max() and np.abs(a).max() > 0


@pytest.mark.parametrize("order, dt", [(1, 0.05), (4, 0.02)])
def test_waves_in_a_bar_are_those_of_a_plane(tmp_path, order, dt):
    """Without Poisson's ratio waves along z of a uniform traction do not know the section: the numbers of a plane model, with a boundary that absorbs."""
    case = space({"force": 1, "direction": [0, 1]}, cells=4, size=1.0, end=4.0, element={"order": order})
    case["materials"]["m"]["poisson"], case["sources"] = 0, []
    case["boundary"] = [{"set": "top", "traction": [0, 1], "signal": {"ricker": {"frequency": 1, "t0": 1}}}]
    case["absorb"] = {"kind": "stacey", "sets": ["bottom"]}
    case["outputs"]["traces"][0]["at"] = [[0, 0.2], [0.77, 0.2], [0.31, -0.7]]
    case["solve"]["explicit"]["dt"] = dt
    ring, plane = (run(tmp_path, case | {"plane": p}, name=p).traces["rx"]["displacement"] for p in ("axisymmetric", "strain"))
    assert np.abs(ring - plane).max() <= 1e-12 * np.abs(plane).max() > 0
    assert np.abs(ring[:, 0]).max() <= 1e-12 * np.abs(plane).max()


def test_momentum_of_a_free_body(tmp_path):
    """A force on the axis, one spread over a side and a ring load give the body their impulse: sum of m v_z = integral of F, of the whole ring."""
    mesh = fem.grid("quad4", [4, 4])
    signal = {"signal": {"step": {}}}
    case = space({}, end=2.0, mesh={"rectangle": {"size": [1, 1], "cells": [4, 4]}})
    case["sources"] = [{"at": [0, 0.4], "direction": [0, 1], "force": 2} | signal, {"set": "right", "total_force": [0, 3]} | signal,
                       {"at": [0.6, 0.3], "direction": [1, 1], "force": 1} | signal]
    case["outputs"]["traces"] = [{"name": "rx", "at": mesh.x.tolist(), "quantity": "displacement"}]
    got = run(tmp_path, case)
    drift = matrices(mesh)[1][1::2] @ got.traces["rx"]["displacement"][:, 1]
    t, force = got.time["rx"], 2 + 3 + np.sqrt(0.5)
    assert np.abs(np.diff(drift, 2) / got.dt**2 - force).max() <= 1e-7 * force
    assert abs(drift[-1] / (force * t[-1]**2 / 2) - 1) <= 0.02


def test_stress_on_the_axis_and_around_it(tmp_path):
    """u_r = a r, u_z = b z at t = 0: stress and strain with the hoop's, divergence and rotation, exact at nodes and points, on the axis too."""
    a, b, c = 0.3, -0.2, 0.1
    lateral, along = 2 * (LAME + MU) * a + LAME * b, 2 * LAME * a + (LAME + 2 * MU) * b
    quantities = ["stress", "strain", "divergence", "rotation"]
    mesh = fem.grid("quad4", [3, 2], [1.2, 0.8], jitter=0.2)
    moves = np.stack([a * mesh.x[:, 0], b * mesh.x[:, 1] + c], 1)
    text = fem.mesh_deck(mesh, {f"n{i}": [i] for i in range(len(mesh.x))})
    (tmp_path / "mesh.inp").write_text(text.replace("CPE4", "CAX4"))
    case = space({}, mesh=str(tmp_path / "mesh.inp"), regions={"BODY": "m"}, solve={"explicit": {"end": 0.01, "dt": 0.01}})
    case.pop("sources")
    case["initial"] = [{"set": f"n{i}", "displacement": u.tolist()} for i, u in enumerate(moves)]
    case["outputs"] = {"traces": [{"name": "p", "at": [[0, 0.31], [0.5, 0.5], [1.2, 0.8]], "quantity": quantities},
                                  {"name": "n", "set": "ALL", "quantity": quantities}], "field": {"quantity": quantities, "frames": 1}}
    got = run(tmp_path, case)
    with h5py.File(got.folder / "field.vtkhdf") as file:
        frames = {q: file[f"VTKHDF/PointData/{q}"][:len(mesh.x)] for q in quantities}
    for q, want in (("stress", [lateral, along, lateral, 0]), ("strain", [a, b, a, 0]), ("divergence", [2 * a + b]), ("rotation", [0])):
        for name in ("p", "n"):
            assert np.abs(got.traces[name][q][:, :, 0] - want).max() <= 1e-12, (name, q)
        order = [0, 1, 2, 3] if len(want) == 4 else [0]  # VTK has six components: xx yy zz xy yz xz
        assert np.abs(frames[q].reshape(len(mesh.x), -1)[:, order] - want).max() <= 1e-6, q


@pytest.mark.parametrize("order", [1, 3])
def test_two_shots_are_two_runs(tmp_path, order):
    sources = [{"at": [0, 0], "direction": [0, 1], "force": 1, "signal": {"ricker": {"frequency": 1.2}}},
               {"at": [0.3, 0.2], "direction": [1, 0], "force": 2, "signal": {"ricker": {"frequency": 1}}}]
    case = space({}, True, 1.0, 10 // order, element={"order": order})
    alone = [run(tmp_path, case | {"sources": [s]}, name=f"s{k}").traces["rx"]["displacement"] for k, s in enumerate(sources)]
    both = run(tmp_path, {k: v for k, v in case.items() if k != "sources"} | {"shots": sources}, name="both")
    for k, u in enumerate(alone):
        assert np.abs(both.traces["rx"]["displacement"][k] - u).max() <= 1e-12 * np.abs(u).max() > 0


@pytest.mark.parametrize("order, cells, most", [(1, [21, 60], 0.02), (5, [2, 4], 2e-3)])
def test_the_meridian_of_a_tube_in_3d(tmp_path, order, cells, most):
    """A tube whose upper end is pushed: a quarter of it by curved spectral elements in 3D has the motion of the meridian."""
    signal = {"signal": {"ricker": {"frequency": 0.5}}}
    flat = space({}, end=6.0, mesh={"rectangle": {"from": [0.3, 0], "to": [1, 2], "cells": cells}}, element={"order": order})
    flat["absorb"] = {"kind": "stacey", "sets": ["bottom"]}
    flat["sources"] = [{"set": "top", "total_force": [0, 1]} | signal]
    flat["outputs"] = {"traces": [{"name": "rx", "at": [[0.3, 0.31], [0.52, 1.2], [0.9, 0.7]]}]}
    box = {"box": {"from": [0.3, 0, 0], "to": [1, np.pi / 2, 2], "cells": [2, 3, 4]}}
    body = {k: v for k, v in flat.items() if k != "plane"} | {
        "element": {"order": 5}, "mesh": {"map": {"mesh": box, "x": "x * cos(y)", "y": "x * sin(y)"}}, "absorb": {"kind": "stacey", "sets": ["front"]},
        "boundary": [{"set": "bottom", "fix": ["y"]}, {"set": "top", "fix": ["x"]}], "sources": [{"set": "back", "total_force": [0, 0, 0.25]} | signal],
        "outputs": {"traces": [{"name": "rx", "at": [[0.3, 0, 0.31], [0.312, 0.416, 1.2], [0, 0.9, 0.7]]}]}}
    ring, body = (run(tmp_path, case, name=name) for case, name in ((flat, "flat"), (body, "body")))
    b, along = body.traces["rx"]["displacement"], np.array([[1, 0], [0.6, 0.8], [0, 1]])
    b = np.stack([np.einsum("nct,nc->nt", b[:, :2], along), b[:, 2]], 1)
    t = np.linspace(0, 6, 300)
    a, b = (np.array([[np.interp(t, g.time["rx"], c) for c in rx] for rx in v]) for g, v in ((ring, ring.traces["rx"]["displacement"]), (body, b)))
    print(error(a, b))
    assert error(a, b) <= most


def test_mode_of_a_cylinder_of_water(tmp_path):
    """p = J0(k r) cos(pi z) cos(w t), J1(k) = 0: order 2; quadrilaterals and triangles, OpenCL's blocks of one component too."""
    k = jn_zeros(1, 1)[0]
    w = 2.0 * np.hypot(k, np.pi)
    for shape in ("quad4", "tri3"):
        errors = []
        for n in (8, 16):
            mesh = fem.grid(shape, [n, n])
            (tmp_path / "mesh.inp").write_text(fem.mesh_deck(mesh, {f"n{i}": [i] for i in range(len(mesh.x))}))
            p = j0(k * mesh.x[:, 0]) * np.cos(np.pi * mesh.x[:, 1])
            steps, end = 12 * n, 1.25 * 2 * np.pi / w
            case = space({}, mesh=str(tmp_path / "mesh.inp"), materials={"water": {"density": 1.3, "sound_speed": 2.0}}, regions={"BODY": "water"},
                         solve={"explicit": {"end": end, "dt": end / steps}})
            case.pop("sources")
            case["initial"] = [{"set": f"n{i}", "pressure": float(v)} for i, v in enumerate(p)]
            case["outputs"] = {"traces": [{"name": "all", "at": mesh.x.tolist(), "every": steps}]}
            got = run(tmp_path, case)
            assert got.summary["method"] == "assembled"
            errors.append(np.sqrt(np.mean(got.traces["all"]["pressure"][:, 0, -1]**2) / np.mean(p**2)))
        check_orders(errors, 0.06, 1.8)


def test_volume_that_enters_water(tmp_path):
    """A source on the axis in a full space: p = rho V''(t - r / c) / (4 pi r); blocks give what the assembled form gives."""
    case = space({"volume_rate": 1}, True, cells=60, materials={"m": {"density": 1.3, "sound_speed": 1.2}})
    got = run(tmp_path, case)
    t, c = got.time["rx"], 1.2
    at = np.linspace(0, 3, 6001)
    slope = np.gradient(ricker(1.2, 1.0, at), at)
    for x, p in zip(case["outputs"]["traces"][0]["at"], got.traces["rx"]["pressure"]):
        r = np.hypot(*x)
        assert error(p[0], 1.3 * np.interp(t - r / c, at, slope, left=0) / (4 * np.pi * r)) <= 0.1
    check_energy(got)
    other = run(tmp_path, case, "--set", "solve.explicit.method=blocks", name="blocks").traces["rx"]["pressure"]
    assert np.abs(other - got.traces["rx"]["pressure"]).max() <= 1e-11 * np.abs(other).max() > 0


def test_attenuation_of_water(tmp_path):
    """The mode p = J0(k r) cos(pi z) of a cylinder falls by exp(-w t / 2 Q) from the first period to the third, Q = 20."""
    k = jn_zeros(1, 1)[0]
    w = 2.0 * np.hypot(k, np.pi)
    mesh = fem.grid("quad4", [8, 8])
    (tmp_path / "mesh.inp").write_text(fem.mesh_deck(mesh, {f"n{i}": [i] for i in range(len(mesh.x))}))
    p = j0(k * mesh.x[:, 0]) * np.cos(np.pi * mesh.x[:, 1])
    f, period = w / (2 * np.pi), 2 * np.pi / w
    for quality, most in ((20, np.exp(-2 * np.pi / 20)), (None, 1)):
        water = {"density": 1.3, "sound_speed": 2.0} | ({"q_p": quality, "q_band": [f / 2, 2 * f], "q_frequency": f} if quality else {})
        case = space({}, mesh=str(tmp_path / "mesh.inp"), materials={"water": water}, regions={"BODY": "water"},
                     solve={"explicit": {"end": 3.25 * period, "dt": period / 60}})
        case.pop("sources")
        case["initial"] = [{"set": f"n{i}", "pressure": float(v)} for i, v in enumerate(p)]
        case["outputs"] = {"traces": [{"name": "axis", "at": [[0, 0]]}]}
        got = run(tmp_path, case, name=f"q{quality}")
        t, p_axis = got.time["axis"] / period, got.traces["axis"]["pressure"][0, 0]
        first, last = (p_axis[np.abs(t - n) < 0.25].max() for n in (1, 3))
        print(first, last, most)
        assert last / first == pytest.approx(most, rel=0.02)


SPECTRAL = {"element": {"order": 4}}
LOSSY = {"materials": {"m": {"density": 1, "young": 1, "poisson": 0.3, "q_p": 50, "q_s": 50, "q_band": [0.1, 10]}}}
REFUSED = [
    (SPECTRAL | {"solve": {"explicit": {"end": 1, "method": "spectral"}}}, 'with elements of order p do not support the form of K "spectral"'),
    (SPECTRAL | LOSSY, "do not support attenuation of solids"),
    (SPECTRAL | {"materials": {"m": {"density": 1, "sound_speed": 1}}, "sources": [{"at": [0, 0], "volume_rate": 1}], "outputs": {},
                 "solve": {"explicit": {"end": 1, "method": "blocks"}}}, 'with elements of order p do not support the form of K "blocks"'),
    ({"element": {"order": 2, "orders": {"all": 3}}}, "explicit steps have elements of one order"),
    ({"solve": {"explicit": {"end": 1, "method": "edges"}}}, 'do not support the form of K "edges": give method: auto'),
    ({"solve": {"explicit": {"end": 1, "method": "matrix-free"}}}, 'do not support the form of K "matrix-free"'),
    ({"sources": [{"at": [0, 0], "direction": [1, 0], "force": 1}]}, "acts along it (y) alone"),
    ({"sources": [{"set": "left", "direction": [1, 1], "force": 1}]}, "acts along it (y) alone"),
    ({"shots": [{"at": [0, 0], "direction": [1, 0], "force": 1}]}, "acts along it (y) alone"),
    ({"initial": [{"set": "left", "velocity": [1, 0]}]}, "give no initial values along x there"),
    ({"boundary": [{"set": "left", "move": {"x": 1}}]}, "lies on the axis"),
    ({"sources": [{"set": "top", "direction": [1, 1], "velocity": 1}]}, "lies on the axis"),
    ({"materials": {"m": {"density": 1, "sound_speed": 1}}, "sources": [{"at": [0, 0], "volume_rate": 1}],
      "outputs": {"traces": [{"name": "rx", "at": [[0, 0]], "quantity": "velocity"}]}}, "give only pressure, and so do linear elements of axisymmetric models"),
    (LOSSY, "do not support attenuation of solids"),
    ({"materials": {"m": {"density": 1, "young": 1, "poisson": 0.3, "kelvin_voigt": 0.01}}}, "do not support attenuation of solids"),
    ({"mesh": {"rectangle": {"from": [-1, 0], "to": [1, 1], "cells": [2, 2]}}, "outputs": {}}, "r = x = -1"),
]


@pytest.mark.parametrize("change, words", REFUSED)
def test_what_is_not_supported_is_refused(tmp_path, change, words):
    case = space({"direction": [0, 1], "force": 1}, size=1.0, cells=4)
    if "shots" in change:
        case.pop("sources")
    assert words in run(tmp_path, case | change, code=3).stderr


def test_volume_that_enters_water_by_order_8(tmp_path):
    """The source on the axis again, and one on the edge of a boundary that absorbs: elements of order 8 with fewer nodes have errors of 1e-3."""
    case = space({"volume_rate": 1}, True, cells=6, end=2.8, materials={"m": {"density": 1.3, "sound_speed": 1.2}}, element={"order": 8})
    case["sources"][0]["signal"]["ricker"]["t0"] = 1.5
    got = run(tmp_path, case)
    t, c = got.time["rx"], 1.2
    at = np.linspace(0, 3, 6001)
    slope = np.gradient(ricker(1.2, 1.5, at), at)
    errors = [error(p[0], 1.3 * np.interp(t - np.hypot(*x) / c, at, slope, left=0) / (4 * np.pi * np.hypot(*x)))
              for x, p in zip(case["outputs"]["traces"][0]["at"], got.traces["rx"]["pressure"])]
    print([f"{e:.1e}" for e in errors])
    assert max(errors) <= 3e-3
    assert got.summary["method"] == "assembled"
    check_energy(got)
    if has("opencl"):
        other = run(tmp_path, case, "--device", "opencl", name="opencl").traces["rx"]["pressure"]
        assert np.abs(other - got.traces["rx"]["pressure"]).max() <= 1e-10 * np.abs(other).max() > 0


@pytest.mark.parametrize("x, element, words", [([[0, 0], [1, -1], [2, 0], [1, 1]], [[0, 1, 2, 3]], "element 1 has one corner alone on the axis"),
                                               ([[0, 0], [1, 0], [1, 1], [0, 1], [2, 0.5]], [[0, 1, 2, 3]], "")])
def test_elements_of_order_p_need_an_edge_on_the_axis(tmp_path, x, element, words):
    mesh = fem.Mesh("quad4", np.array(x[:4], float), np.array(element))
    (tmp_path / "mesh.inp").write_text(fem.mesh_deck(mesh, {}))
    case = space({"direction": [0, 1], "force": 1}, mesh=str(tmp_path / "mesh.inp"), regions={"BODY": "m"}, element={"order": 3}, outputs={})
    case["sources"][0]["at"] = [0.9, 0]
    done = run(tmp_path, case, code=3 if words else 0)
    assert not words or words in done.stderr


def raised(tmp_path, x, shape="quad4", element=((0, 1, 2, 3),)):
    """Ends, or is refused: elements of order 4 of a body of revolution with these nodes."""
    (tmp_path / "mesh.inp").write_text(fem.mesh_deck(fem.Mesh(shape, np.array(x, float), np.array(element)), {}))
    case = space({}, mesh=str(tmp_path / "mesh.inp"), regions={"BODY": "m"}, element={"order": 4}, outputs={}, end=0.2)
    return case | {"sources": []}


def test_nodes_a_rounding_off_the_axis_lie_on_it(tmp_path):
    """1e-9 of the mesh is 1e-7 of the element at the axis: the limit of the time step is that of the exact mesh."""
    def limit(r):
        x = [[r, 0], [.01, 0], [.01, .01], [r, .01], [1, 0], [1, .01]]
        case = raised(tmp_path, x, element=[[0, 1, 2, 3], [1, 4, 5, 2]])
        case["solve"]["explicit"]["end"] = 0.001
        return run(tmp_path, case).dt
    assert limit(5e-10) == pytest.approx(limit(0), rel=1e-9)


def test_nodes_near_the_axis_are_named(tmp_path):
    """A hole of a millionth of the element's width needs tiny time steps; one of a hundredth is the user's."""
    for r, near in ((1e-6, True), (5e-3, False)):
        (tmp_path / "model.json").write_text(json.dumps(raised(tmp_path, [[r, 0], [.5, 0], [.5, 1], [r, 1]])))
        said = call("check", tmp_path / "model.json").stderr
        assert ("move these nodes to x = 0" in said) == near and ("the first: element 1)" in said) == near
