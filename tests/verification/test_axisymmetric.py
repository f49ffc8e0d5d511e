"""Axisymmetric statics and heat: closed solutions of cylinders, spheres and discs, whole rings of loads, orders of convergence, CAX decks
against CalculiX, what is refused."""
import math
import shutil
import subprocess

import numpy as np
import pytest

import ring_decks
from command import Run, call, run
from test_pack import tables

YOUNG, POISSON = 2.0, 0.3
FAMILIES = [("quad", 1), ("quad", 2), ("quad", 5), ("tri", 1), ("tri", 2)]
OPENCL = ("--device", "opencl")


def rectangle(low, high, cells, shape="quad", jitter=0.2):
    return {"rectangle": {"from": low, "to": high, "cells": cells, "shape": shape, "jitter": jitter}}


def solid(mesh, order=1, **more):
    return {"units": "none", "mesh": mesh, "plane": "axisymmetric", "element": {"order": order},
            "materials": {"m": {"young": YOUNG, "poisson": POISSON, "density": 3}}, "solve": {"static": {}}} | more


def warm(mesh, order=1, **more):
    return {"units": "none", "mesh": mesh, "plane": "axisymmetric", "physics": "heat", "element": {"order": order},
            "materials": {"m": {"conductivity": 2, "density": 3, "specific_heat": 5}}, "solve": {"heat": {}}} | more


def off(got, expected):
    return np.abs(got - expected).max() / np.abs(expected).max()


@pytest.mark.parametrize("shape, order, words", [(*f, ()) for f in FAMILIES] + [("quad", 1, OPENCL), ("tri", 2, OPENCL)])
def test_uniform_strain_of_a_disc(tmp_path, shape, order, words):
    """eps_r = eps_theta = a, eps_z = b on distorted elements up to the axis, u_r held there by hooke: exact, with stress and total reaction."""
    a, b = 0.3, -0.2
    p, top = (YOUNG / (1 + POISSON) / (1 - 2 * POISSON) * (x + POISSON * y) for x, y in ((a, b), ((1 - POISSON) * b, 2 * a)))
    model = solid(rectangle([0, 0], [2, 1.5], [4, 3], shape), order,
                  boundary=[{"set": "bottom", "fix": ["y"]}, {"set": "top", "move": {"y": 1.5 * b}}, {"set": "right", "pressure": -p}],
                  outputs={"print": [{"set": "top", "quantity": ["reaction"], "totals": "only"}]})
    got = run(tmp_path, model, *words)
    r, z = got.coordinates[:, 0], got.coordinates[:, 1]
    assert off(got.static[0]["displacement"], np.stack([a * r, b * z], 1)) <= 1e-7
    assert off(got.static[0]["strain"], np.tile([a, b, a, 0], (len(r), 1))) <= 1e-7
    assert off(got.static[0]["stress"], np.tile([p, top, p, 0], (len(r), 1))) <= 1e-7
    assert np.isclose(got.static[0]["reaction"][z > 1.4999, 1].sum(), top * math.pi * 4, rtol=1e-7)


@pytest.mark.parametrize("shape, order", FAMILIES)
def test_thick_cylinder_converges(tmp_path, shape, order):
    """Lame's cylinder under pressure: order p + 1 of u_r and the hoop stress."""
    def errors(cells):
        model = solid(rectangle([1, 0], [2, 1], [cells, cells], shape, 0), order,
                      boundary=[{"set": "bottom", "fix": ["y"]}, {"set": "top", "fix": ["y"]}, {"set": "left", "pressure": 1}])
        got = run(tmp_path, model)
        r, k = got.coordinates[:, 0], 1 / 3
        return (off(got.static[0]["displacement"][:, 0], k * (1 + POISSON) / YOUNG * ((1 - 2 * POISSON) * r + 4 / r)),
                off(got.static[0]["stress"][:, 2], k * (1 + 4 / r**2)))
    n = 2 if order > 3 else 4
    coarse, fine = errors(n), errors(2 * n)
    assert fine[0] <= 1e-2 and fine[1] <= 0.1
    assert math.log2(coarse[0] / fine[0]) >= order + 0.3
    assert math.log2(coarse[1] / fine[1]) >= min(order, 4) - 0.6


def test_thick_sphere(tmp_path):
    """A hollow sphere under inner pressure, a quarter of its meridian by curved elements of second order."""
    bend = {"mesh": rectangle([1, 0], [2, math.pi / 2], [8, 12], jitter=0), "x": "x * cos(y)", "y": "x * sin(y)"}
    model = solid({"map": bend}, 2, boundary=[{"set": "bottom", "fix": ["y"]}, {"set": "left", "pressure": 1}])
    got = run(tmp_path, model)
    radius, k = np.hypot(*got.coordinates[:, :2].T), 1 / 7
    u = k / YOUNG * ((1 - 2 * POISSON) * radius + (1 + POISSON) * 8 / (2 * radius**2))
    assert off(got.static[0]["displacement"], u[:, None] * got.coordinates[:, :2] / radius[:, None]) <= 4e-5
    on_axis = got.coordinates[:, 0] < 1e-9
    assert np.abs(got.static[0]["displacement"][on_axis, 0]).max() == 0
    assert off(got.static[0]["stress"][:, 2], k * (1 + 4 / radius**3)) <= 2e-2


def ring_of_revolution(tmp_path, words=(), **more):
    model = solid(rectangle([1, 0], [2, 1], [3, 3]), 2, **more)
    return run(tmp_path, model, *words)


def turned_radial(got):
    """u_r of the disc of radius 2 of test_rotating_disc."""
    r, stiff = got.coordinates[:, 0], ring_decks.YOUNG * (1 - POISSON) / (1 + POISSON) / (1 - 2 * POISSON)
    ratio = POISSON / (1 - POISSON)
    return 7800 * 4 / (8 * stiff) * r * ((3 + ratio) / (1 + ratio) * 4 - r**2)


def test_rotating_disc(tmp_path):
    """A solid disc that turns, plane strain along z, from a case and a deck: the closed u_r; forms of K and methods agree."""
    nodes, elements = ring_decks.grid(0, 2, 1, 8, 1, 2)
    text = ring_decks.mesh(nodes, elements, "CAX8") + """*NSET, NSET=ALL, GENERATE
1, %d
*STEP
*STATIC
*BOUNDARY
ALL, 2, 2
*DLOAD
E, CENTRIF, 4., 0., 0., 0., 0., 1., 0.
*END STEP
""" % len(nodes)
    first = None
    case = solid(rectangle([0, 0], [2, 1], [8, 1], jitter=0), 2, boundary=[{"set": "all", "fix": ["y"]}], sources=[{"set": "all", "centrifugal": {"speed": 2, "at": [0, 5]}}])
    case["materials"]["m"] |= {"young": ring_decks.YOUNG, "density": 7800}
    turned = run(tmp_path, case, name="case")
    assert off(turned.static[0]["displacement"][:, 0], turned_radial(turned)) <= 2e-4
    for how in ("form=auto", "form=elements", "form=stored", "method=cg", "method=dense", "method=femses"):
        got = run(tmp_path, text, "--set", f"solve.static.{how}")
        assert off(got.static[0]["displacement"][:, 0], turned_radial(got)) <= 2e-4
        first = got.static[0]["displacement"] if first is None else first
        assert off(got.static[0]["displacement"], first) <= 1e-5


def test_loads_are_of_whole_rings(tmp_path):
    """Gravity, traction, force at a node and total force along z: the reaction is what acts on the whole ring; a motion along z is free of force."""
    volume = math.pi * 3
    sources = [{"set": "all", "gravity": [0, -2]}, {"set": "right", "total_force": [0, 7]}, {"at": [1.37, 0.41], "direction": [0, 1], "force": 5}]
    got = ring_of_revolution(tmp_path, boundary=[{"set": "bottom", "fix": ["y"]}, {"set": "right", "traction": [0, 0.5]}], sources=sources)
    total = -volume * 3 * 2 + 7 + 5 + 0.5 * 2 * math.pi * 2
    assert np.isclose(got.static[0]["reaction"][:, 1].sum(), -total, rtol=1e-7)
    moved = ring_of_revolution(tmp_path, boundary=[{"set": "bottom", "move": {"y": 3}}])
    assert off(moved.static[0]["displacement"], np.tile([0, 3], (len(moved.label), 1))) <= 1e-7
    assert np.abs(moved.static[0]["reaction"]).max() <= 1e-6


@pytest.mark.parametrize("shape, order, words", [("quad", 1, ()), ("quad", 4, ()), ("tri", 2, ()), ("tri", 2, OPENCL)])
def test_hollow_cylinder_conducts(tmp_path, shape, order, words):
    """T = ln r by a flux inside and a film outside: the heat is q A on the whole ring; the film takes it."""
    model = warm(rectangle([1, 0], [2, 1], [16, 4] if order < 3 else [4, 2], shape, 0), order,
                 boundary=[{"set": "left", "flux": 2}, {"set": "right", "film": {"coefficient": 3, "sink": 10}}])
    got = run(tmp_path, model, *words)
    r = got.coordinates[:, 0]
    temperature = got.static[0]["temperature"].ravel()
    expected = 10 + 2 / (2 * 3) + 2 / 2 * np.log(2 / r)
    assert np.abs(temperature - expected).max() <= {1: 4e-4, 2: 1e-5, 4: 1e-6}[order]


def test_units_and_sections_give_a_ring_no_thickness(tmp_path):
    """A flux inside and a film outside in millimetres, and in a deck whose section has a thickness, as CalculiX's pack writes it."""
    model = warm(rectangle([1, 0], [2, 1], [4, 1], jitter=0), 2, boundary=[{"set": "left", "flux": 2}, {"set": "right", "film": {"coefficient": 3, "sink": 10}}])
    first = run(tmp_path, model).static[0]["temperature"]
    assert off(run(tmp_path, model | {"units": {"length": "mm"}}).static[0]["temperature"], first) <= 1e-7
    text = ring_decks.loaded("CAX8", True)
    thin = run(tmp_path, text).static[0]["temperature"]
    thick = run(tmp_path, text.replace("MATERIAL=M\n*NSET", "MATERIAL=M\n1.57\n*NSET"), name="thick")
    assert off(run(tmp_path, text.replace("TYPE=CAX8", "TYPE=DCAX8"), name="heat").static[0]["temperature"], thin) == 0
    assert off(thick.static[0]["temperature"], thin) <= 1e-7 and "no thickness" in str(thick.summary["warnings"])


@pytest.mark.parametrize("how", ["picard", "newton"])
def test_hollow_cylinder_by_temperature(tmp_path, how):
    """k = 1 + T: T + T^2 / 2 is linear in ln r; heat that a surface radiates, h(T) T, balances it."""
    model = warm(rectangle([1, 0], [2, 1], [12, 2], jitter=0), 2, boundary=[{"set": "left", "temperature": 2}, {"set": "right", "film": {"coefficient": {"formula": "T^3"}, "sink": 0}}])
    model["materials"]["m"]["conductivity"] = {"formula": "1 + T"}
    model["solve"] = {"heat": {"tolerance": 1e-12, "nonlinear": {"method": how, "tolerance": 1e-10}}}
    got = run(tmp_path, model)
    outer = 1.0
    for _ in range(200):  # (4 - (t + t^2/2)) / ln 2 = 2 t^4
        f, slope = (4 - outer - outer**2 / 2) / math.log(2) - 2 * outer**4, (-1 - outer) / math.log(2) - 8 * outer**3
        outer -= f / slope
    q = (4 - outer - outer**2 / 2) / math.log(2)
    expected = np.sqrt(1 + 2 * (4 - q * np.log(got.coordinates[:, 0]))) - 1
    assert off(got.static[0]["temperature"].ravel(), expected) <= 1e-5


@pytest.mark.parametrize("theta, lumped", [(1, False), (0.5, True)])
def test_stored_heat_is_of_the_whole_ring(tmp_path, theta, lumped):
    """A source warms an insulated ring evenly: rho c dT/dt = s; lumped capacities keep its heat."""
    model = warm(rectangle([0, 0], [2, 1], [3, 2], "tri"), 2, sources=[{"heat": 30}], initial=[{"set": "all", "temperature": 4}])
    model["solve"] = {"heat": {"end": 2, "dt": 0.5, "theta": theta, "capacity": "lumped" if lumped else "consistent"}}
    got = run(tmp_path, model)
    assert lumped or np.allclose(got.static[-1]["temperature"], 4 + 2 * 30 / 15, rtol=1e-6)
    assert np.isclose(got.summary["heat"]["stored"], 60 * 4 * math.pi, rtol=1e-6)


@pytest.mark.parametrize("kind", ["CAX4", "CAX6", "CAX8", "CAX8R"])
@pytest.mark.parametrize("heat", [False, True])
def test_decks_are_those_of_calculix(tmp_path, kind, heat):
    """Pressure, gravity, turning, forces at nodes; flux, film, source. CalculiX has a wedge of 2 degrees: its chords are shorter by 1.5e-4, and
    its reactions are a 180th of those of the whole ring."""
    if not shutil.which("ccx"):
        pytest.skip("ccx is not installed: CAX elements were NOT compared with CalculiX (apt-get install calculix-ccx)")
    text = ring_decks.loaded(kind, heat)
    run(tmp_path, text, name="ring")
    (tmp_path / "theirs.inp").write_text(text)
    subprocess.run(["ccx", "theirs"], cwd=tmp_path, capture_output=True, timeout=600, check=True)
    kinds = ("temperatures", "heat generation") if heat else ("displacements", "forces")
    own, theirs = (tables(path.read_text(), kinds) for path in (tmp_path / "ring.hooke/ring.dat", tmp_path / "theirs.dat"))
    assert [t[:2] for t in own] == [t[:2] for t in theirs] and len(own) == 2
    for (name, _, _, a), (_, _, _, b) in zip(own, theirs):
        scale = 180 if name in ("forces", "heat generation") else 1
        a, b = np.array([a[k] for k in b]), scale * np.array(list(b.values()))
        if name == "forces":  # along r those of the sides of the wedge are added; other points of loads move them from node to node
            a, b = a[:, 1].sum(), b[:, 1].sum()
        assert np.abs(a - b).max() <= 1e-3 * np.abs(b).max(), name


REFUSED = [
    ({"mesh": rectangle([-1, 0], [2, 1], [3, 2], jitter=0)}, "r = x = -1"),
    ({"thickness": 2}, "no thickness"),
    ({"element": {"order": 1, "integration": "reduced"}}, "one integration point"),
    ({"element": {"order": 1, "integration": "incompatible"}}, "incompatible modes"),
    ({"sources": [{"set": "all", "gravity": [1, 0]}]}, "gravity along the axis"),
    ({"boundary": [{"set": "left", "move": {"x": 1}}]}, "lies on the axis"),
    ({"axes": {"up": {"straight": {"x": [0, 1]}}}, "boundary": [{"set": "left", "axes": "up", "move": {"y": 1}}]}, "lies on the axis"),
    ({"sources": [{"set": "all", "centrifugal": {"speed": 1, "at": [1, 0]}}]}, "rotate about their own axis"),
    ({"sources": [{"set": "all", "centrifugal": {"speed": 1, "at": [0, 0], "along": [0, 1, 0]}}]}, "rotates about its own axis"),
    ({"solve": {"static": {"form": "edges"}}}, "does not compute axisymmetric solids"),
    ({"materials": {"m": {"c11": 2, "c22": 2, "c12": 1, "c66": 1}}}, "needs c13"),
]


@pytest.mark.parametrize("change, words", REFUSED)
def test_what_is_not_supported_is_refused(tmp_path, change, words):
    model = solid(rectangle([0, 0], [2, 1], [3, 2]), 1, boundary=[{"set": "bottom", "fix": ["y"]}]) | change
    assert words in run(tmp_path, model, code=3).stderr


def test_coupling_around_the_axis_is_refused(tmp_path):
    """c34 turns stress around the axis into shear across the meridian, which a plane strain leaves out."""
    c = {f"c{i}{i}": 10 if i < 4 else 3 for i in range(1, 7)} | {"c12": 4, "c13": 4, "c23": 4, "c34": 0.5}
    model = solid(rectangle([0, 0], [2, 1], [3, 2]), 1, materials={"m": c}, boundary=[{"set": "bottom", "fix": ["y"]}])
    assert "c34" in run(tmp_path, model, code=3).stderr
    assert isinstance(run(tmp_path, model | {"plane": "strain", "boundary": [{"set": "bottom", "fix": ["x", "y"]}]}), Run)


def test_the_axis_is_told_and_only_a_motion_along_it_is_rigid(tmp_path):
    """A ring without supports has one rigid motion; with u_z held nothing is left; the note says that u_r is held on the axis."""
    ring = solid(rectangle([1, 0], [2, 1], [3, 2]), 1, boundary=[{"set": "left", "pressure": 1}])
    free = run(tmp_path, ring, code=3).stderr
    assert "1 rigid-body modes" in free and "free along y" in free
    (tmp_path / "axis.yaml").write_text("units: none\nmesh: {rectangle: {size: [2, 1], cells: [2, 2]}}\nplane: axisymmetric\n"
                                        "materials: {m: {young: 1, poisson: 0.3}}\nboundary: [{set: bottom, fix: [y]}]\nsolve: {static: {}}\n")
    assert "u_r = 0 is held at 3 nodes" in call("check", tmp_path / "axis.yaml").stdout + call("check", tmp_path / "axis.yaml").stderr
