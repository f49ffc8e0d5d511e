"""Static problems with published answers, and what must hold for any of them."""
import json

import numpy as np
import pytest

import fem
from command import call, run
from solids import Block, deck


def ellipses(s):
    """s: from the inner ellipse (2, 1) to the outer one (3.25, 2.75); t: from the x axis to the y axis."""
    angle = s[:, 1] * np.pi / 2
    inner = np.stack([2 * np.cos(angle), np.sin(angle)], 1)
    outer = np.stack([3.25 * np.cos(angle), 2.75 * np.sin(angle)], 1)
    return inner + s[:, :1] * (outer - inner)


@pytest.mark.parametrize("kind", ["CPS8", "CPS8R"])
def test_le1_elliptic_membrane(tmp_path, kind):
    """NAFEMS LE1: sigma_yy = 92.7 MPa at (2, 0), to 1 %."""
    block = Block(kind, [16, 24], ellipses)
    sets = {"X": block.at(t=1), "Y": block.at(t=0)}
    got = run(tmp_path, deck(block, 210e3, .3, sets, {"OUTER": block.last(0)},
                             ["*BOUNDARY", "X, 1, 1", "Y, 2, 2", "*DLOAD", "OUTER, P2, -10."], thickness=.1))
    stress = got.static[0]["stress"][np.flatnonzero((np.abs(block.x - [2, 0]) < 1e-9).all(1))[0]]
    print(stress)
    assert abs(stress[1] / 92.7 - 1) <= .01


def test_le10_thick_plate(tmp_path):
    """NAFEMS LE10: sigma_yy = -5.38 MPa at (2, 0, 0.6) under 1 MPa from above, to 2.5 %."""
    block = Block("C3D20", [6, 10, 4], lambda s: np.column_stack([ellipses(s[:, :2]), .6 * s[:, 2]]))
    middle = block.at(s=1, r=.5)
    sets = {"X": block.at(t=1), "Y": block.at(t=0), "OUTER": block.at(s=1), "MIDDLE": middle}
    got = run(tmp_path, deck(block, 210e3, .3, sets, {"TOP": block.last(2)},
                             ["*BOUNDARY", "X, 1, 1", "Y, 2, 2", "OUTER, 1, 2", "MIDDLE, 3, 3", "*DLOAD", "TOP, P2, 1."]))
    stress = got.static[0]["stress"][np.flatnonzero((np.abs(block.x - [2, 0, .6]) < 1e-9).all(1))[0]]
    print(stress)
    assert abs(stress[1] / -5.38 - 1) <= .025


def test_cook_panel(tmp_path):
    """Cook's panel under unit shear: v = 23.97 at the middle of the end, to 0.5 %."""
    left, right = np.array([[0, 0], [0, 44]]), np.array([[48, 44], [48, 60]])

    def place(s):
        low, high = left[0] + s[:, :1] * (right[0] - left[0]), left[1] + s[:, :1] * (right[1] - left[1])
        return low + s[:, 1:] * (high - low)

    block = Block("CPS8", [16, 16], place)
    force = [f"{n + 1}, 2, {w!r}" for n, w in block.edge_weights(block.at(s=1), 1).items()]
    got = run(tmp_path, deck(block, 1., 1 / 3, {"CLAMP": block.at(s=0)}, {}, ["*BOUNDARY", "CLAMP, 1, 2", "*CLOAD", *force],
                             thickness=1.))
    v = got.static[0]["displacement"][block.at(s=1, t=.5)[0], 1]
    print(v)
    assert abs(v / 23.97 - 1) <= .005


def tip(block, direction):
    """A unit force, uniform over the end of one or more elements of second order."""
    lines = {}
    for e in block.last(0):
        nodes = [n for n in block.element[e] if block.unit[n, 0] == 1]
        for n in nodes:
            corner = all((block.unit[n, d] * block.cells[d]) % 1 == 0 for d in (1, 2))
            lines[n] = lines.get(n, 0) + (-1 / 12 if corner else 1 / 3) / len(block.last(0))
    return [f"{n + 1}, {direction}, {w!r}" for n, w in lines.items()]


def end_displacement(block, got, direction):
    return got.static[0]["displacement"][block.at(s=1), direction - 1].mean()


@pytest.mark.parametrize("direction, expected", [(1, 3e-5), (2, .1081), (3, .4321)])
def test_straight_beam(tmp_path, direction, expected):
    """MacNeal and Harder's straight beam, 6 x 0.2 x 0.1: deflection under a unit force at the tip, to 1 %."""
    block = Block("C3D20", [24, 1, 1], lambda s: s * [6, .2, .1])
    got = run(tmp_path, deck(block, 1e7, .3, {"CLAMP": block.at(s=0)}, {},
                             ["*BOUNDARY", "CLAMP, 1, 3", "*CLOAD", *tip(block, direction)]))
    u = end_displacement(block, got, direction)
    print(u, expected)
    assert abs(u / expected - 1) <= .01


def test_straight_beam_twists(tmp_path):
    """Its end under a unit torque turns by L / (G J), J = a b^3 (1/3 - 0.21 b / a (1 - b^4 / (12 a^4))) (Saint-Venant): 0.03408, to 0.5 %. The
    published 0.03208 is 6 % below it, and no solid element converges there."""
    block = Block("C3D20R", [24, 4, 2], lambda s: s * [6, .2, .1])
    end = block.at(s=1)
    y, z = (block.x[end] - [6, .1, .05]).T[1:]
    square = (y**2 + z**2).sum()
    force = [line for n, a, b in zip(end, y, z) for line in (f"{n + 1}, 2, {float(-b / square)!r}", f"{n + 1}, 3, {float(a / square)!r}")]
    got = run(tmp_path, deck(block, 1e7, .3, {"CLAMP": block.at(s=0)}, {}, ["*BOUNDARY", "CLAMP, 1, 3", "*CLOAD", *force]))
    u = got.static[0]["displacement"][end]
    a, b = .2, .1
    exact = 6 / (1e7 / 2.6 * a * b**3 * (1 / 3 - .21 * b / a * (1 - b**4 / (12 * a**4))))
    angle = (u[:, 2] * y - u[:, 1] * z).sum() / square
    print(angle, exact)
    assert abs(angle / exact - 1) <= .005


def twisted(s):
    """12 x 1.1 x 0.32, turned by 90 degrees over its length."""
    angle, y, z = s[:, 0] * np.pi / 2, (s[:, 1] - .5) * 1.1, (s[:, 2] - .5) * .32
    return np.stack([12 * s[:, 0], y * np.cos(angle) - z * np.sin(angle), y * np.sin(angle) + z * np.cos(angle)], 1)


@pytest.mark.parametrize("direction, expected", [(3, 5.4245e-3), (2, 1.7532e-3)])
def test_twisted_beam(tmp_path, direction, expected):
    """MacNeal and Harder's twisted beam: in the end's plane 5.4245e-3, across it 1.7532e-3 under a unit force, to 1 %."""
    block = Block("C3D20R", [24, 2, 1], twisted)
    got = run(tmp_path, deck(block, 29e6, .22, {"CLAMP": block.at(s=0)}, {},
                             ["*BOUNDARY", "CLAMP, 1, 3", "*CLOAD", *tip(block, direction)]))
    u = end_displacement(block, got, direction)
    print(u, expected)
    assert abs(u / expected - 1) <= .01


@pytest.mark.parametrize("shape", ["tri3", "quad4", "tet4", "hex8"])
def test_patch(tmp_path, shape):
    """u = A x on the boundary of a distorted mesh: the same inside, one stress everywhere, to 1e-11 of the largest."""
    dim = fem.DIM[shape]
    mesh = fem.grid(shape, [4, 3, 3][:dim], jitter=.2)
    a = 1e-3 * np.arange(1, dim * dim + 1).reshape(dim, dim)
    outer = np.flatnonzero((np.abs(mesh.x) < 1e-9).any(1) | (np.abs(mesh.x - 1) < 1e-9).any(1))
    lines = [f"{n + 1}, {c + 1}, {c + 1}, {float((a @ mesh.x[n])[c])!r}" for n in outer for c in range(dim)]
    got = run(tmp_path, "\n".join([fem.mesh_deck(mesh, {}, {}), "*MATERIAL, NAME=M", "*ELASTIC", "200., 0.3",
                                   "*SOLID SECTION, ELSET=BODY, MATERIAL=M", "*STEP", "*STATIC", "*BOUNDARY", *lines, "*END STEP", ""]))
    u, exact = got.static[0]["displacement"], mesh.x @ a.T
    assert np.abs(u - exact).max() <= 1e-11 * np.abs(exact).max()
    for stress in (got.static[0]["stress"], got.points[0]["stress"]):
        assert np.abs(stress - stress[0]).max() <= 1e-10 * np.abs(stress).max() and np.abs(stress).max() > .1


CANTILEVER = Block("C3D8I", [8, 2, 2], lambda s: s * [8, 1, 1])


def cantilever(body, step=True):
    return deck(CANTILEVER, 1000., .3, {"CLAMP": CANTILEVER.at(s=0), "TIP": CANTILEVER.at(s=1)}, {"ALL": range(32)}, body, step=step)


def test_steps_hold_and_renew_loads(tmp_path):
    """Loads persist from step to step or are replaced (OP=NEW): u2 = 3 u1, u3 is the tip moved by 0.1, u4 = -u1."""
    got = run(tmp_path, cantilever(["*BOUNDARY", "CLAMP, 1, 3", "*STEP", "*STATIC", "*CLOAD", "TIP, 3, 1.", "*END STEP", "*STEP", "*STATIC",
                                    "*CLOAD", "TIP, 3, 3.", "*END STEP", "*STEP", "*STATIC", "*CLOAD, OP=NEW", "*BOUNDARY",
                                    "TIP, 3, 3, .1", "*END STEP", "*STEP", "*STATIC", "*BOUNDARY, OP=NEW", "CLAMP, 1, 3", "*CLOAD, OP=NEW",
                                    "TIP, 3, -1.", "*END STEP"], step=False))
    u = [step["displacement"] for step in got.static]
    largest = np.abs(u[0]).max()
    assert len(u) == 4 and largest > .1
    assert np.abs(u[1] - 3 * u[0]).max() <= 1e-7 * largest
    assert np.abs(u[2][CANTILEVER.at(s=1), 2] - .1).max() <= 1e-12
    assert np.abs(u[3] + u[0]).max() <= 1e-7 * largest


def test_reactions_carry_loads(tmp_path):
    """The sum of reactions is minus that of the loads to 1e-9; free nodes have none; energy = work."""
    got = run(tmp_path, cantilever(["*BOUNDARY", "CLAMP, 1, 3", "*CLOAD", "TIP, 3, 1.", "TIP, 1, 2."]))
    reaction = got.static[0]["reaction"]
    assert np.abs(reaction.sum(0) + [18, 0, 9]).max() <= 1e-9 * 18
    assert not reaction[CANTILEVER.at(s=.5)].any()
    energy = got.summary["energy"]
    assert abs(energy["strain"] / energy["work"] - 1) <= 1e-7


@pytest.mark.parametrize("totals, tables", [("YES", ["displacements", "forces", "total force"]), ("ONLY", ["displacements", "total force"])])
def test_prints_sum_forces_alone(tmp_path, totals, tables):
    """Of TOTALS, forces have sums and displacements have none, as in CalculiX; the sum is minus the load."""
    got = run(tmp_path, cantilever(["*BOUNDARY", "CLAMP, 1, 3", "*CLOAD", "TIP, 3, 1.", f"*NODE PRINT, NSET=CLAMP, TOTALS={totals}", "U, RF"]))
    lines = (got.folder / "model.dat").read_text().splitlines()
    assert [line.split(" (")[0].strip() for line in lines if "(" in line] == tables
    assert abs(float(lines[-1].split()[2]) + 9) <= 1e-6


TILTED = """*NODE
1, 0, 0, 0
2, 2, 0, 0
3, 2, 2, 0
4, 0, 2, 0
5, 0, 0, 2
6, 2, 0, 2
7, 2, 2, 2
8, 0, 2, 2
*ELEMENT, TYPE=C3D8, ELSET=E
7, 1, 2, 3, 4, 5, 6, 7, 8
*MATERIAL, NAME=M
*ELASTIC
4., .25
*CONDUCTIVITY
4.
*ORIENTATION, NAME=Tilted
1, 1, 0, -1, 1, 0
*SOLID SECTION, ELSET=E, MATERIAL=M, ORIENTATION=Tilted
*STEP
"""
PULLED = """*STATIC
*BOUNDARY
1, 1, 3
2, 2, 3
4, 3, 3
*CLOAD
7, 1, 1.
*EL PRINT, ELSET=E
S, E
*EL PRINT, ELSET=E, GLOBAL=YES
S
*END STEP
"""
WARMED = """*HEAT TRANSFER, STEADY STATE
*BOUNDARY
1, 11, 11, 5.
7, 11, 11, 9.
*EL PRINT, ELSET=E
HFL
*EL PRINT, ELSET=E, GLOBAL=YES
HFL
*END STEP
"""


@pytest.mark.parametrize("step, first", [
    (PULLED, "         7   1  1.771410E+00  4.982051E-01  1.096410E+00 -3.839746E-02  9.684642E-01  6.817228E-02 TILTED              "),
    (WARMED, "         7   2 -1.885618E+00  1.885618E+00 ")])
def test_prints_in_local_axes_name_them(tmp_path, step, first):
    """As CalculiX 2.20 writes them (the lines are its own): the orientation's name behind each point, and none of GLOBAL=YES."""
    (tmp_path / "model.inp").write_text(TILTED + step)
    done = call("run", tmp_path / "model.inp", "--output", tmp_path / "model.hooke", "--no-pictures", "-q")
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "model.hooke/model.dat").read_text().split("\n")
    points = [line for line in lines if line.startswith("         7  ")]
    assert any(line.startswith(first) for line in points)
    local = points[:-8]
    assert len(local) in (8, 16) and all(line.endswith(" TILTED              ") for line in local)
    assert {len(line) for line in local} == {14 + (6 if step is PULLED else 3) * 14 + 21}
    assert all(len(line.split()) == 2 + (6 if step is PULLED else 3) for line in points[-8:])


def test_result_folder(tmp_path):
    """run.h5, frames and the verbs that read them: what DESIGN 3 says is there."""
    got = run(tmp_path, cantilever(["*BOUNDARY", "CLAMP, 1, 3", "*CLOAD", "TIP, 3, 1.", "*NODE PRINT, NSET=TIP", "U, RF", "*EL PRINT, ELSET=ALL",
                                    "S, E"]), pictures=True)
    nodes, points = len(CANTILEVER.x), 32 * 8
    shapes = {k: v.shape for k, v in got.static[0].items()}
    assert shapes == {"displacement": (nodes, 3), "reaction": (nodes, 3), "stress": (nodes, 6), "strain": (nodes, 6)}
    assert {k: v.shape for k, v in got.points[0].items()} == {"element": (points,), "point": (points,), "coordinates": (points, 3),
                                                              "stress": (points, 6), "strain": (points, 6)}
    assert (got.label == np.arange(nodes) + 1).all() and set(got.points[0]["point"]) == set(range(1, 9))
    names = {p.name for p in got.folder.iterdir()}
    assert {"run.json", "run.h5", "field.vtkhdf", "model.dat", "report.html", "field_displacement_0000.png", "field_von_mises_0000.png"} <= names
    same = json.loads(call("compare", got.folder, got.folder, "--tolerance", "1e-12", "--json").stdout)
    assert same["passed"] and {a["quantity"] for a in same["static"]} >= {"displacement", "reaction", "points/stress"}
    assert call("export", got.folder, "--csv", "--vtu", "--png").returncode == 0
    table = np.genfromtxt(got.folder / "export/static_0001.csv", delimiter=",", names=True)
    assert np.abs(table["displacement_z"] - got.static[0]["displacement"][:, 2]).max() <= 1e-9
    assert (got.folder / "export/field_0000.vtu").exists()
    told = json.loads(call("info", got.folder, "--json").stdout)
    assert {a["quantity"] for a in told["static"]} >= {"displacement", "stress"}
    check = json.loads(call("check", tmp_path / "model.inp", "--json").stdout)
    assert check["rigid_body_modes"] == 0 and check["counts"]["dofs"] == 3 * nodes
    call("run", tmp_path / "model.inp", "--no-pictures", "--output", tmp_path / "bare", "-q")  # drawing takes memory for each thread beside the prediction
    bare = json.loads((tmp_path / "bare" / "run.json").read_text())
    assert .5 * check["memory_bytes"] < bare["peak_memory_bytes"] < 1.5 * check["memory_bytes"]


def test_equations_join_parts(tmp_path):
    """Two halves with nodes of their own, joined by *EQUATION pair by pair, move as one piece, to 1e-9."""
    whole = run(tmp_path, cantilever(["*BOUNDARY", "CLAMP, 1, 3", "*CLOAD", "TIP, 3, 1."]), name="whole")
    block = Block("C3D8I", [8, 2, 2], lambda s: s * [8, 1, 1])
    middle = block.at(s=.5)
    twin = {n: len(block.x) + i for i, n in enumerate(middle)}
    for e in np.flatnonzero(block.cell[:, 0] >= 4):
        block.element[e] = [twin.get(n, n) for n in block.element[e]]
    nodes = len(block.x)
    block.x = np.vstack([block.x, block.x[middle]])
    lines = [line for n in middle for c in (1, 2, 3) for line in ("*EQUATION", "2", f"{twin[n] + 1}, {c}, 1., {n + 1}, {c}, -1.")]
    text = deck(block, 1000., .3, {"CLAMP": block.at(s=0), "TIP": block.at(s=1)}, {},
                [*lines, "*STEP", "*STATIC", "*BOUNDARY", "CLAMP, 1, 3", "*CLOAD", "TIP, 3, 1.", "*END STEP"], step=False)
    joined = run(tmp_path, text, name="joined")
    a, b = whole.static[0]["displacement"], joined.static[0]["displacement"][:nodes]
    assert np.abs(a - b).max() <= 1e-9 * np.abs(a).max()
