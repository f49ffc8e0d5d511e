"""Heat conduction with constants that depend on temperature: closed forms, all methods, devices and precisions, CalculiX."""
import itertools
import math
import shutil
import subprocess

import numpy as np
import pytest

from command import call
from test_heat_transient import case, refuse, tables

KIRCHHOFF = """
units: none
mesh: {{rectangle: {{size: [1, 0.5], cells: [{0}, {1}], shape: {2}}}}}
physics: heat
materials: {{m: {{conductivity: {{table: {{temperature: [0, 100], value: [2, 22]}}}}}}}}
boundary: [{{set: left, temperature: 0}}, {{set: right, temperature: 100}}]
solve: {{heat: {{{3}}}}}
"""


def kirchhoff(x, b=0.1):
    """k = k0 (1 + b T): T + b T^2 / 2 is linear in x."""
    return (np.sqrt(1 + 2 * b * (100 + b * 100**2 / 2) * x) - 1) / b


@pytest.mark.parametrize("words, within", [((), 1e-6), (("--device", "opencl"), 1e-6), (("--set", "solve.heat.method=cg"), 1e-6),
                                           (("--set", "solve.heat.method=femses"), 1e-6), (("--set", "solve.heat.method=dense"), 1e-6),
                                           (("--set", "solve.heat.method=cg", "--precision", "single"), 1e-2),
                                           (("--set", "solve.heat.method=cg", "--precision", "single", "--device", "opencl"), 1e-2),
                                           (("--set", "solve.heat.method=femses", "--device", "opencl"), 1e-6)])
def test_kirchhoff(tmp_path, words, within):
    """Between walls at 0 and 100 quadrilaterals have the transform's temperatures at their nodes; the heat is 2 (100 + b 100^2 / 2) b."""
    got = case(tmp_path, KIRCHHOFF.format(10, 3, "quad", ""), *words)
    t = got.static[0]["temperature"].reshape(4, 11)
    assert np.abs(t - kirchhoff(np.linspace(0, 1, 11))).max() <= within
    assert abs(got.static[0]["reaction"].reshape(4, 11)[:, 0].sum() + 600) <= 6 * within
    assert np.abs(got.points[0]["heat_flux"][:, 0].mean() + 1200) <= 20 and got.summary["steps"][0]["nonlinear"]["iterations"] >= 3


def test_order_in_h(tmp_path):
    """Triangles, whose conductivity is taken at one point: the error at the nodes goes with h^2."""
    error = []
    for n in (8, 16, 32):
        got = case(tmp_path, KIRCHHOFF.format(n, n // 2, "tri", "").replace("[2, 22]", "[2, 6]"))
        error.append(np.linalg.norm(got.static[0]["temperature"][:, 0] - kirchhoff(got.coordinates[:, 0], 0.02)) / math.sqrt(len(got.coordinates)))
    assert abs(math.log2(error[0] / error[1]) - 2) <= 0.15 and abs(math.log2(error[1] / error[2]) - 2) <= 0.1


WAVE = """
units: none
mesh: {{{0}}}
physics: heat
{4}
materials: {{m: {{conductivity: {{table: {{temperature: [0.25, 4], value: [0.5, 8]}}}}, density: 4, specific_heat: 0.5}}}}
boundary:
  - {{set: left, temperature: 1, signal: {{table: {{time: [0, 1], value: [1.5, 2.5]}}}}}}
  - {{set: right, temperature: 1, signal: {{table: {{time: [0, 1], value: [0.5, 1.5]}}}}}}
initial: [{{set: all, temperature: {{formula: "1.5 - x"}}}}]
outputs: {{field: {{frames: 2}}}}
solve: {{heat: {{end: 0.4, dt: 0.05, theta: {1}, capacity: {2}{3}}}}}
"""
FLAT, SOLID = "rectangle: {size: [1, 0.5], cells: [5, 3], shape: %s, jitter: 0.2}", "box: {size: [1, 0.5, 0.5], cells: [4, 2, 2], shape: %s, jitter: 0.2}"


@pytest.mark.parametrize("mesh, element, words", [
    (FLAT % "quad", "", ()), (FLAT % "tri", "", ("--device", "opencl")), (SOLID % "hex", "", ()), (SOLID % "tet", "", ()),
    (SOLID % "tet", "element: {order: 2}", ()), (SOLID % "hex", "element: {order: 3}", ()), (SOLID % "hex", "", ("--device", "opencl"))])
@pytest.mark.parametrize("theta", [0.5, 1])
def test_travelling_wave(tmp_path, mesh, element, words, theta):
    """u_t = (u u_x)_x has the wave u = t + 1.5 - x, which elements hold exactly, jittered too: to the tolerance of the iteration."""
    got = case(tmp_path, WAVE.format(mesh, theta, "consistent", "", element), *words)
    for step, time in zip(got.static, (0.2, 0.4)):
        assert np.abs(step["temperature"][:, 0] - (time + 1.5 - got.coordinates[:, 0])).max() <= 1e-6
    heat = got.summary["heat"]
    assert heat["stored"] > 0.1 and abs(heat["open"]) <= 1e-8


@pytest.mark.parametrize("capacity", ["consistent", "lumped"])
@pytest.mark.parametrize("words", [(), ("--device", "opencl"), ("--set", "solve.heat.method=femses")])
def test_specific_heat(tmp_path, capacity, words):
    """A body of one temperature under heat s: the integral of rho c(T) dT is s t, exactly at theta 1/2 where c is linear."""
    got = case(tmp_path, """
units: none
mesh: {rectangle: {size: [1, 1], cells: [2, 2], shape: tri}}
physics: heat
materials: {m: {conductivity: 1, density: 2, specific_heat: {table: {temperature: [0, 10], value: [1, 6]}}}}
sources: [{heat: 8}]
outputs: {field: {frames: 4}}
solve: {heat: {end: 2, dt: 0.1, theta: 0.5, capacity: %s}}
""" % capacity, *words)
    for k, step in enumerate(got.static):  # 2 (T + T^2 / 4) = 8 t
        exact = 2 * (math.sqrt(1 + 4 * 0.5 * (k + 1)) - 1)
        assert np.abs(step["temperature"] - exact).max() <= 1e-6
    assert got.summary["heat"]["stored"] == pytest.approx(16, abs=1e-7)


@pytest.mark.parametrize("theta, order", [(0.5, 2), (1, 1)])
def test_order_in_dt(tmp_path, theta, order):
    """Both constants by temperature: differences of halved steps fall with dt^order."""
    value = [case(tmp_path, """
units: none
mesh: {rectangle: {size: [1, 0.1], cells: [20, 2]}}
physics: heat
materials: {m: {conductivity: {table: {temperature: [0, 1], value: [1, 3]}}, density: 1, specific_heat: {table: {temperature: [0, 1], value: [2, 1]}}}}
initial: [{set: all, temperature: {formula: "sin(pi * x)"}}]
boundary: [{set: left, temperature: 0}, {set: right, temperature: 0}]
outputs: {field: {frames: 1}, traces: [{name: mid, at: [[0.5, 0.05]]}]}
solve: {heat: {end: 0.1, dt: %g, theta: %g}}
""" % (0.1 / n, theta)).traces["mid"]["temperature"][0, 0, -1] for n in (10, 20, 40)]
    assert abs(math.log2(abs((value[0] - value[1]) / (value[1] - value[2]))) - order) <= 0.15


@pytest.mark.parametrize("words", [(), ("--set", "solve.heat.theta=0.5")])
def test_steep_tables(tmp_path, words):
    """A specific heat with a peak like latent heat, where plain iterations swing: it converges, and the heat balances."""
    got = case(tmp_path, """
units: none
mesh: {rectangle: {size: [1, 0.1], cells: [20, 2]}}
physics: heat
materials: {m: {conductivity: 1, density: 1, specific_heat: {table: {temperature: [0, 0.45, 0.5, 0.55, 1], value: [1, 1, 40, 1, 1]}}}}
initial: [{set: all, temperature: 1}]
boundary: [{set: left, temperature: 0}]
outputs: {field: {frames: 1}}
solve: {heat: {end: 0.5, dt: 0.01}}
""", *words)
    assert abs(got.summary["heat"]["open"]) <= 1e-9 and got.summary["heat"]["stored"] < -0.05


def test_what_is_wrong_is_told(tmp_path):
    """Each with its reason; an iteration that ends too early is an error with its residual and change."""
    text = KIRCHHOFF.format(4, 1, "tri", "")
    assert "temperatures must ascend" in refuse(tmp_path, text.replace("[0, 100]", "[0, 0]"))
    assert "2 temperatures and 3 values" in refuse(tmp_path, text.replace("[2, 22]", "[2, 22, 3]"))
    assert "must be above 0" in refuse(tmp_path, text.replace("[2, 22]", "[2, 0]"))
    assert "need the forms assembled or elements" in refuse(tmp_path, text.replace("heat: {}", "heat: {form: matrix-free}"))
    (tmp_path / "few.yaml").write_text(text.replace("heat: {}", "heat: {nonlinear: {iterations: 2}}"))
    done = call("run", tmp_path / "few.yaml", "--output", tmp_path / "few.hooke", "--no-pictures", "-q")
    assert done.returncode == 7 and "after 2 nonlinear iterations the relative residual is" in done.stderr


def tetrahedra(n):
    """Nodes and elements of n cells each way of 2 x 1 x 1, six to a cell."""
    at = lambda c: (c[0] * (n[1] + 1) + c[1]) * (n[2] + 1) + c[2] + 1
    nodes = [(2 * i / n[0], j / n[1], k / n[2]) for i, j, k in itertools.product(*[range(m + 1) for m in n])]
    elements = []
    for cell in itertools.product(*map(range, n)):
        for order in itertools.permutations(range(3)):
            corner, path = list(cell), [at(cell)]
            for axis in order:
                corner[axis] += 1
                path.append(at(corner))
            if np.linalg.det(np.eye(3)[list(order)]) < 0:
                path[2], path[3] = path[3], path[2]
            elements.append(path)
    return nodes, elements


@pytest.mark.parametrize("second", [False, True])
def test_calculix(tmp_path, second):
    """Steady heat with a table of conductivities: temperatures and heats of CalculiX with tight controls, to its digits."""
    if not shutil.which("ccx"):
        pytest.skip("ccx is not installed: tables of conductivities were NOT compared with CalculiX (apt-get install calculix-ccx)")
    nodes, elements = tetrahedra((4, 2, 2))
    middle = {}
    for e in elements if second else []:
        for a, b in ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)):
            key = tuple(sorted((e[a], e[b])))
            if key not in middle:
                nodes.append(tuple((np.array(nodes[key[0] - 1]) + nodes[key[1] - 1]) / 2))
                middle[key] = len(nodes)
            e.append(middle[key])
    lines = ["*NODE, NSET=NALL", *(f"{i}, {float(x)!r}, {float(y)!r}, {float(z)!r}" for i, (x, y, z) in enumerate(nodes, 1))]
    lines += [f"*ELEMENT, TYPE={'C3D10' if second else 'C3D4'}, ELSET=EALL", *(", ".join(map(str, [i, *e])) for i, e in enumerate(elements, 1))]
    for name, x in (("L", 0), ("R", 2)):
        lines += [f"*NSET, NSET={name}", *(str(i) for i, p in enumerate(nodes, 1) if p[0] == x)]
    lines += ["*MATERIAL, NAME=M", "*CONDUCTIVITY", "3., 0.", "6., 50.", "4., 150.", "*SOLID SECTION, ELSET=EALL, MATERIAL=M", "*STEP",
              "*HEAT TRANSFER, STEADY STATE", "1., 1.", "*BOUNDARY", "L, 11, 11, 20.", "R, 11, 11, 140.", "*DFLUX", "EALL, BF, 50."]
    controls = ["*CONTROLS, PARAMETERS=FIELD", "1.e-10, 1.e-10, , , , 1.e-10, 1.e-10, 1.e-10"]
    end = ["*NODE PRINT, NSET=NALL", "NT, RFL", "*END STEP", ""]
    (tmp_path / "theirs.inp").write_text("\n".join(lines + controls + end))
    (tmp_path / "mine.inp").write_text("\n".join(lines + end))
    subprocess.run(["ccx", "theirs"], cwd=tmp_path, capture_output=True, timeout=600, check=True)
    done = call("run", tmp_path / "mine.inp", "--output", tmp_path / "mine.hooke", "--no-pictures", "-q")
    assert done.returncode == 0, done.stderr
    mine, theirs = tables(tmp_path / "mine.hooke/mine.dat"), tables(tmp_path / "theirs.dat")
    assert len(theirs) == 2 * len(nodes) and set(mine) == set(theirs)
    for what in ("temperatures", "heat generation"):
        keys = [k for k in theirs if k[0].startswith(what)]
        most = max(abs(theirs[k]) for k in keys)
        assert max(abs(mine[k] - theirs[k]) for k in keys) <= 2e-6 * most, what
