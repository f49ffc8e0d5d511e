"""Sound models that are slender, or whose materials lie far apart, get the answer that rounding allows, and run.json says how good it is:
max |u - exact| / max |u| <= 10 estimated_error. Where no digit is left the run ends in 7."""
import json
import re

import h5py
import numpy as np
import pytest

from test_mechanisms import beam, solve

DIRECT = ("", "library=cholmod", "method=dense library=lapack")
ITERATIONS = ("method=cg", "method=cg preconditioner=jacobi", "method=cg form=assembled preconditioner=jacobi",
              "method=femses")
YOUNG = 200000.


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def answer(text, how=""):
    """u[node][3], the estimate, warnings."""
    done = solve(text, how, "--no-pictures")
    assert done.returncode == 0, done.stderr
    result = json.load(open("model.hooke/run.json"))
    step, = result["steps"]
    with h5py.File("model.hooke/run.h5") as file:
        return file["static/0001/displacement"][:], step["estimated_error"], " ".join(result["warnings"])


def turned(text):
    """The model about all axes, and its force; the turn."""
    a, b = .7, .4
    turn = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]]) @ np.array(
        [[1, 0, 0], [0, np.cos(b), -np.sin(b)], [0, np.sin(b), np.cos(b)]])
    head, rest = text.split("*ELEMENT", 1)
    rows = [line.split(",") for line in head.splitlines()[1:]]
    head = "*NODE\n" + "".join(f"{n}, {', '.join(map(repr, map(float, turn @ np.array(x, float))))}\n" for n, *x in rows)
    force = lambda found: "*CLOAD\n" + "".join(f"{found[1]}, {c + 1}, {float(turn[c, 2])!r}\n" for c in range(3))
    return head + "*ELEMENT" + re.sub(r"\*CLOAD\n(\d+), 3, 1.\n", force, rest), turn


@pytest.mark.parametrize("shape, cells, ratio", [("C3D20", 20, 10.), ("C3D20", 20, 1e2), ("C3D20", 60, 1e3),
                                                 ("C3D20R", 40, 1e3), ("C3D8", 100, 1e4)])
def test_slender_cantilevers(shape, cells, ratio):
    """u = 4 P L^3 / (E b t^3) but for the clamp and shear (and for C3D8, which is too stiff); turned in space it is the same to rounding."""
    across = 2 if shape == "C3D20R" else 1
    text = beam(shape, (cells, across, across), (ratio, 1., 1.), "tip")
    other, turn = turned(text)
    u, estimate, _ = answer(text)
    v, estimate_turned, _ = answer(other)
    size = np.abs(u).max()
    assert estimate <= 1e-3
    assert shape == "C3D8" or size == pytest.approx(4 * ratio**3 / YOUNG, rel=.02)
    assert np.abs(u @ turn.T - v).max() <= (10 * (estimate + estimate_turned) + 1e-11) * size


@pytest.mark.parametrize("how", DIRECT[1:] + ITERATIONS[:1] + ITERATIONS[3:])
def test_solvers_agree_on_a_slender_beam(how):
    text = beam("C3D20", (60, 1, 1), (1e3, 1., 1.), "tip")
    u, estimate, _ = answer(text)
    v, other, _ = answer(text, how)
    assert np.abs(u - v).max() <= 10 * (estimate + other) * np.abs(u).max() and other <= 1e-4


@pytest.mark.parametrize("how", DIRECT + ITERATIONS)
@pytest.mark.parametrize("soft", [1e-11, 1e-9, 1e-5, 1e5, 1e12])
def test_a_bar_of_two_materials(soft, how):
    """u = p (L1 / E1 + L2 / E2) under a pull p = 4 per face node sum, nu = 0."""
    text = beam("C3D8", (20, 1, 1), (10., 1., 1.), "tip", soft=soft).replace(", 0.3\n", ", 0.\n")
    tip = int(re.search(r"\*CLOAD\n(\d+),", text)[1])
    ends = [tip, tip + 1, tip + 2, tip + 3]
    text = re.sub(r"\*CLOAD\n.*\n", "*CLOAD\n" + "".join(f"{n}, 1, 0.25\n" for n in ends), text)
    u, estimate, _ = answer(text, how)
    exact = 1 / (YOUNG * soft) + 9 / YOUNG
    assert np.abs(u[[n - 1 for n in ends], 0] - exact).max() <= (10 * estimate + 1e-7) * exact
    assert estimate <= 1e-3


@pytest.mark.parametrize("soft", [1e-10, 1e-12])
def test_forms_of_the_matrix_keep_soft_parts_beside_stiff_ones(soft):
    """Antisymmetric parts of soft elements at a stiff neighbour: form edges = form assembled."""
    text = beam("C3D8", (20, 1, 1), (10., 1., 1.), "gravity", soft=soft).replace("0., 0., -1.", "1., 0., 0.")
    one, _, _ = answer(text, "method=cg preconditioner=jacobi form=edges")
    two, _, _ = answer(text, "method=cg preconditioner=jacobi form=assembled")
    assert np.abs(one - two).max() <= 1e-5 * np.abs(two).max()


@pytest.mark.parametrize("how", DIRECT + ITERATIONS[:2])
@pytest.mark.parametrize("soft", [1e-6, 1e-9, 1e-10])
def test_a_soft_root_in_bending(soft, how):
    """u = a / soft + b + O(soft), a and b of two moderate ones: all figures that the estimate leaves."""
    deck = lambda s: beam("C3D8", (20, 1, 1), (10., 1., 1.), "tip", soft=s)
    (u1, e1, _), (u2, e2, _) = answer(deck(1e-4)), answer(deck(1e-5))
    a = (u2 - u1) / (1e5 - 1e4)
    b = u1 - a * 1e4
    u, estimate, told = answer(deck(soft), how)
    assert np.abs(u - a / soft - b).max() <= (10 * estimate + 1e-8) * np.abs(u).max()
    assert ("estimated relative error" in told) == (estimate > 1e-6) and estimate <= 1e-2


@pytest.mark.parametrize("text", [beam("C3D8", (20, 1, 1), (10., 1., 1.), "tip", soft=1e-14),
                                  beam("C3D20", (20, 1, 1), (1e4, 1., 1.), "tip")], ids=["soft", "slender"])
def test_what_rounding_leaves_no_digit_of_is_refused(text):
    """CalculiX 2.20 gives the second a third too little, and moves it sideways."""
    for how in ("", "method=cg", "method=dense library=lapack"):
        done = solve(text, how, "--no-pictures")
        assert done.returncode == 7, done.stderr


def test_factors_in_single_precision_are_those_of_double():
    text = beam("C3D20", (60, 1, 1), (1e3, 1., 1.), "tip")
    u, _, _ = answer(text)
    v, _, _ = answer(text, "precision=single")
    assert (u == v).all() and json.load(open("model.hooke/run.json"))["precision"] == "double"


def test_iterations_in_single_precision_name_the_remedy():
    done = solve(beam("C3D8", (100, 1, 1), (1e3, 1., 1.), "tip"), "precision=single method=cg", "--no-pictures")
    assert done.returncode == 7 and "double" in done.stderr, done.stderr


@pytest.mark.parametrize("poisson", [.49, .4999, .499999])
def test_nearly_incompressible(poisson):
    """A column that cannot widen: u = p h (1 + nu) (1 - 2 nu) / (E (1 - nu))."""
    text = beam("C3D20", (3, 2, 2), (3., 1., 1.), "tip").replace(", 0.3\n", f", {poisson!r}\n")
    count = text.split("*ELEMENT")[0].count("\n") - 1
    text = text.replace("*NSET, NSET=HELD", "*NSET, NSET=SIDES, GENERATE\n" f"1, {count}\n*NSET, NSET=HELD")
    text = text.replace("HELD, 1, 3\n", "HELD, 1, 3\nSIDES, 2, 3\n")
    faces = ", P4, 8.\n".join(str(e) for e in (9, 10, 11, 12)) + ", P4, 8.\n"
    text = re.sub(r"\*CLOAD\n.*\n", f"*DLOAD\n{faces}", text)
    u, estimate, _ = answer(text)
    exact = -8 * 3 * (1 + poisson) * (1 - 2 * poisson) / (YOUNG * (1 - poisson))
    assert u[:, 0].min() == pytest.approx(exact, rel=1e-5) and estimate <= 1e-6
