"""A singular stiffness matrix never ends "ok": mechanisms and modes of reduced integration end in 7, whether a load excites them or not, with
every solver; the message and run.json name how many, nodes and directions, and the report shows them. Slender and soft models end in 0."""
import json

import pytest

from command import hooke

SOLVERS = {
    "mumps": "",
    "mumps, rcm": "library=mumps ordering=rcm",
    "cholmod": "library=cholmod",
    "lapack": "method=dense library=lapack",
    "dense-to-sparse": "method=dense-to-sparse",
    "cg, multigrid": "method=cg preconditioner=multigrid",
    "cg, jacobi": "method=cg preconditioner=jacobi",
    "cg, block-jacobi": "method=cg preconditioner=block-jacobi",
    "cg, chebyshev": "method=cg preconditioner=chebyshev",
    "cg, edges": "method=cg form=edges",
    "cg, elements": "method=cg form=elements",
    "femses": "method=femses",
    "femses, conjugate": "method=femses relaxation=conjugate",
    "femses, chebyshev": "method=femses relaxation=chebyshev",
    "single": "precision=single",
    "single, cg": "precision=single method=cg",
    "single, femses": "precision=single method=femses",
}
CORNERS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]


def lines(numbers):
    numbers = list(numbers)
    return "\n".join(", ".join(map(str, numbers[k:k + 10])) for k in range(0, len(numbers), 10)) + "\n"


def beam(shape, cells, size, load, soft=1, both=False):
    """A block of hexahedra, clamped at x = 0 (and at the other end), whose first tenth is `soft` times as stiff as the rest."""
    step = 2 if "20" in shape else 1
    grid = [step * c for c in cells]
    node = {}
    for i in range(grid[0] + 1):
        for j in range(grid[1] + 1):
            for k in range(grid[2] + 1):
                if step == 1 or i % 2 + j % 2 + k % 2 < 2:
                    node[i, j, k] = len(node) + 1
    text = "*NODE\n" + "".join(
        f"{n}, {', '.join(repr(size[d] * p[d] / grid[d]) for d in range(3))}\n" for p, n in node.items())
    text += f"*ELEMENT, TYPE={shape}, ELSET=ALL\n"
    element, soft_ones = 0, []
    for i in range(cells[0]):
        for j in range(cells[1]):
            for k in range(cells[2]):
                place = [tuple(step * (a + b) for a, b in zip((i, j, k), c)) for c in CORNERS]
                if step == 2:
                    place += [tuple((place[a][d] + place[b][d]) // 2 for d in range(3)) for a, b in EDGES]
                element += 1
                soft_ones += [element] if 10 * i < cells[0] else []
                text += f"{element}, " + ", ".join(str(node[p]) for p in place[:12])
                text += (",\n" + ", ".join(str(node[p]) for p in place[12:]) if step == 2 else "") + "\n"
    stiff = [e for e in range(1, element + 1) if e not in soft_ones]
    for name, members, young in (("SOFT", soft_ones, 200000. * soft), ("STIFF", stiff, 200000.)):
        if members:
            text += f"*ELSET, ELSET={name}\n{lines(members)}*MATERIAL, NAME=M{name}\n*ELASTIC\n{young!r}, 0.3\n"
            text += f"*DENSITY\n1e-9\n*SOLID SECTION, ELSET={name}, MATERIAL=M{name}\n"
    held = [n for p, n in node.items() if p[0] == 0 or both and p[0] == grid[0]]
    text += f"*NSET, NSET=HELD\n{lines(held)}*STEP\n*STATIC\n*BOUNDARY\nHELD, 1, 3\n"
    tip = node[grid[0], 0, 0]
    return text + (f"*CLOAD\n{tip}, 3, 1.\n" if load == "tip" else "*DLOAD\nALL, GRAV, 9810., 0., 0., -1.\n") + "*END STEP\n"


# Two cubes that share the edge x = y = 1; gravity goes through it, a force in x turns the upper one about it.
HINGE = """\
*NODE
1, 0., 0., 0.
2, 1., 0., 0.
3, 1., 1., 0.
4, 0., 1., 0.
5, 0., 0., 1.
6, 1., 0., 1.
7, 1., 1., 1.
8, 0., 1., 1.
9, 2., 1., 0.
10, 2., 2., 0.
11, 1., 2., 0.
12, 2., 1., 1.
13, 2., 2., 1.
14, 1., 2., 1.
*ELEMENT, TYPE=C3D8, ELSET=ALL
1, 1, 2, 3, 4, 5, 6, 7, 8
2, 3, 9, 10, 11, 7, 12, 13, 14
*MATERIAL, NAME=M
*ELASTIC
200000., 0.3
*DENSITY
1e-9
*SOLID SECTION, ELSET=ALL, MATERIAL=M
*STEP
*STATIC
*BOUNDARY
1, 1, 3
2, 1, 3
5, 1, 3
6, 1, 3
LOAD
*END STEP
"""
THROUGH = HINGE.replace("LOAD", "*DLOAD\nALL, GRAV, 9810., -1., -1., 0.")
TURNING = HINGE.replace("LOAD", "*CLOAD\n10, 1, 1.")
PLANE = """\
*NODE
1, 0., 0.
2, 1., 0.
3, 1., 1.
4, 0., 1.
5, .5, 0.
6, 1., .5
7, .5, 1.
8, 0., .5
*ELEMENT, TYPE=SHAPE, ELSET=ALL
1, 1, 2, 3, 4, 5, 6, 7, 8
*MATERIAL, NAME=M
*ELASTIC
200000., 0.3
*SOLID SECTION, ELSET=ALL, MATERIAL=M
*STEP
*STATIC
*BOUNDARY
1, 1, 2
2, 2, 2
*CLOAD
NODAL
*END STEP
"""

SINGULAR = {  # text: modes
    "reduced, excited": (beam("C3D20R", (2, 1, 1), (2., 1., 1.), "tip"), 2),
    "reduced, gravity": (beam("C3D20R", (2, 1, 1), (2., 1., 1.), "gravity"), 2),
    "hinge, not excited": (THROUGH, 1),
    "hinge, excited": (TURNING, 1),
}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def solve(text, how="", *more):
    open("model.inp", "w").write(text)
    words = [word for word in how.split() if not word.startswith("precision")]
    asked = ["--precision", "single"] if len(words) < len(how.split()) else []
    options = [part for word in words for part in ("--set", f"solve.static.{word}")]
    done = hooke("run", "model.inp", "-q", "--force", "--threads", "1", *asked, *options, *more)
    if done.returncode == 2 and "found on this machine" in done.stderr:
        pytest.skip("this machine has not that library")
    return done


def ends_in_mechanism(done, modes):
    assert done.returncode == 7, done.stderr
    assert f"{modes} mechanism" in done.stderr and "along" in done.stderr, done.stderr
    result = json.load(open("model.hooke/run.json"))
    assert result["status"] == "not converged" and not any(step["done"] for step in result["steps"])
    assert len(result["mechanisms"]) == modes
    return result["mechanisms"]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("deck", SINGULAR)
def test_a_singular_matrix_ends_in_7(deck, solver):
    text, modes = SINGULAR[deck]
    ends_in_mechanism(solve(text, SOLVERS[solver], "--no-pictures"), modes)


@pytest.mark.parametrize("cells, both, modes", [(1, False, 1), (3, False, 3), (4, True, 3), (14, False, 12)])
def test_modes_are_counted(cells, both, modes):
    text = beam("C3D20R", (cells, 1, 1), (float(cells), 1., 1.), "gravity", both=both)
    done = solve(text, "", "--no-pictures")
    ends_in_mechanism(done, modes)
    assert ("at least" in done.stderr) == (modes == 12)


def test_nodes_and_directions_do_not_depend_on_the_solver():
    """The hinge turns about z: its far edge, nodes 10 and 13, moves most, across the diagonal."""
    for how in ("", "method=cg", "method=femses", "precision=single"):
        mode, = ends_in_mechanism(solve(THROUGH, how, "--no-pictures"), 1)
        assert mode["node"] == 10
        assert mode["direction"] == pytest.approx([.5**.5, -.5**.5, 0], abs=1e-4)


def test_the_report_shows_the_mechanism():
    ends_in_mechanism(solve(THROUGH), 1)
    report = open("model.hooke/report.html").read()
    assert "not converged" in report and "Field: mechanism" in report and "Field: displacement" not in report
    open("model.hooke/field_mechanism.vtkhdf").close()
    open("model.hooke/field_mechanism_mechanism_0000.png").close()
    done = solve(THROUGH.replace("6, 1, 3\n", "6, 1, 3\n9, 1, 2\n"))
    assert done.returncode == 0, done.stderr
    with pytest.raises(FileNotFoundError):
        open("model.hooke/field_mechanism.vtkhdf")


@pytest.mark.parametrize("load", ["3, 2, 1.", "1, 1, 1."])
@pytest.mark.parametrize("shape, modes", [("CPE8R", 1), ("CPS8R", 1), ("CPE8", 0), ("CPS8", 0)])
def test_a_plane_element_of_reduced_integration(shape, modes, load):
    done = solve(PLANE.replace("SHAPE", shape).replace("NODAL", load), "", "--no-pictures")
    if modes:
        ends_in_mechanism(done, modes)
    else:
        assert done.returncode == 0, done.stderr


SOUND = {
    "slender": beam("C3D8", (100, 1, 1), (1000., 1., 1.), "tip"),
    "soft": beam("C3D8", (20, 1, 1), (10., 1., 1.), "tip", soft=1e-6),
    "two reduced elements across": beam("C3D20R", (6, 2, 2), (6., 1., 1.), "tip"),
    "hourglass stiffness": beam("C3D8R", (6, 1, 1), (6., 1., 1.), "tip"),
    "hinge, held": THROUGH.replace("6, 1, 3\n", "6, 1, 3\n9, 1, 2\n"),
}


@pytest.mark.parametrize("how", ["", "method=cg", "method=dense library=lapack"])
@pytest.mark.parametrize("deck", SOUND)
def test_what_is_weak_and_sound_is_solved(deck, how):
    done = solve(SOUND[deck], how, "--no-pictures")
    assert done.returncode == 0, done.stderr
    assert "mechanisms" not in json.load(open("model.hooke/run.json"))


@pytest.mark.parametrize("deck, proven", [("slender", True), ("hinge, held", False), ("soft", False), ("hourglass stiffness", False)])
def test_faces_and_supports_prove_what_they_can(deck, proven):
    """Full integration, moderate contrast and one piece leave no mechanism; of other models the solver is asked."""
    assert solve(SOUND[deck], "", "--no-pictures").returncode == 0
    words = open("model.hooke/log.txt").read()
    assert ("faces and supports for mechanisms" in words, "probe for mechanisms" in words) == (proven, not proven)


NECK = """*NODE
1, -1., 0.
2, 1., 0.
3, 3e-8, 1.
4, -3e-8, 1.
5, 1., 2.
6, -1., 2.
*ELEMENT, TYPE=CPE4, ELSET=A
1, 1, 2, 3, 4
2, 4, 3, 5, 6
*SOLID SECTION, ELSET=A, MATERIAL=M
1.
*MATERIAL, NAME=M
*ELASTIC
1e9, 0.3
*STEP
*STATIC
*BOUNDARY
1, 1, 2
2, 1, 2
*CLOAD
3, 2, -1.
4, 2, -1.
*END STEP
"""
CUT = """units: none
mesh: {rectangle: {size: [2, 2], cells: [4, 4]}}
materials: {a: {young: 1e9, poisson: 0.3}}
sets: {cut: {what: inner-faces, line: {from: [0, 1], to: [2, 1]}}, p: {what: nodes, box: {from: [0.4, 0.4], to: [0.6, 0.6]}}}
crack: {sets: [cut], springs: {normal: 1e-12, tangential: 1e-12}}
boundary: [{set: bottom, fix: [x, y]}]
sources: [{set: p, force: 1, direction: [1, 0]}]
solve: {static: {method: METHOD}}
"""


@pytest.mark.parametrize("how", ["method=cg", "method=cholesky"])
def test_a_neck_holds_nothing(how):
    """Two elements that share an edge of 6e-8 of their size turn about it, whatever the load."""
    ends_in_mechanism(solve(NECK, how, "--no-pictures"), 1)


@pytest.mark.parametrize("method", ["cg", "cholesky"])
def test_springs_of_no_stiffness_hold_nothing(method, tmp_path):
    (tmp_path / "cut.yaml").write_text(CUT.replace("METHOD", method))
    done = hooke("run", "cut.yaml", "--no-pictures")
    assert done.returncode == 7 and "mechanism" in done.stderr, done.stderr


def test_a_later_step_that_lets_go_is_found():
    """Step 1 holds the hinge, step 2 does not: the first one's result stays, the second has none."""
    first = THROUGH.replace("6, 1, 3\n", "6, 1, 3\n9, 1, 2\n")
    second = "*STEP\n*STATIC\n*BOUNDARY, OP=NEW\n1, 1, 3\n2, 1, 3\n5, 1, 3\n6, 1, 3\n*END STEP\n"
    done = solve(first + second, "", "--no-pictures")
    assert done.returncode == 7 and "1 mechanism" in done.stderr, done.stderr
    assert [step["done"] for step in json.load(open("model.hooke/run.json"))["steps"]] == [True, False]
