"""hooke matrix writes the stiffness that CalculiX assembles (*FREQUENCY, SOLVER=MATRIXSTORAGE), to the digits of its file."""
import os
import shutil
import subprocess

import numpy as np
import pytest
import scipy.sparse

HOOKE = os.environ["HOOKE"]
# corners of the lattice of half cells in the order of C3D20, and which of its nodes each element type has
LATTICE = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2), (1, 0, 0), (2, 1, 0), (1, 2, 0), (0, 1, 0), (1, 0, 2),
           (2, 1, 2), (1, 2, 2), (0, 1, 2), (0, 0, 1), (2, 0, 1), (2, 2, 1), (0, 2, 1)]


def deck(kind, nodes):
    """two elements side by side, their nodes moved at random"""
    number, x, elements = {}, [], []
    for e in range(2):
        row = []
        for a, b, c in LATTICE[:nodes]:
            place = (a + 2 * e, b, c)
            if place not in number:
                number[place] = len(number) + 1
                x.append(np.array(place) / 2)
            row.append(number[place])
        elements.append(row)
    x = np.array(x) + np.random.default_rng(1).uniform(-0.05, 0.05, (len(x), 3))
    lines = ["*NODE, NSET=ALL", *(f"{n + 1}, {p[0]:.12g}, {p[1]:.12g}, {p[2]:.12g}" for n, p in enumerate(x)), f"*ELEMENT, TYPE={kind}, ELSET=E"]
    for e, row in enumerate(elements):
        numbers = [str(e + 1), *map(str, row)]
        lines += [", ".join(numbers[:11]) + ("," if len(numbers) > 11 else ""), *([", ".join(numbers[11:])] if len(numbers) > 11 else [])]
    return "\n".join([*lines, "*MATERIAL, NAME=M", "*ELASTIC", "3., 0.3", "*DENSITY", "2.", "*SOLID SECTION, ELSET=E, MATERIAL=M", ""])


def by_calculix(folder, text):
    (folder / "peer.inp").write_text(text + "*STEP\n*FREQUENCY, SOLVER=MATRIXSTORAGE\n2\n*END STEP\n")
    subprocess.run(["ccx", "peer"], cwd=folder, capture_output=True, timeout=600)
    dof = [tuple(map(int, line.split("."))) for line in (folder / "peer.dof").read_text().split()]
    k = np.zeros((len(dof), len(dof)))
    for i, j, value in np.loadtxt(folder / "peer.sti"):
        k[int(i) - 1, int(j) - 1] = k[int(j) - 1, int(i) - 1] = value
    return k, dof


@pytest.mark.parametrize("kind, nodes", [("C3D8", 8), ("C3D20", 20), ("C3D20R", 20)])
def test_stiffness_is_that_of_calculix(tmp_path, kind, nodes):
    """max |K - K_ccx| <= 1e-12 max |K|: .sti has 14 digits"""
    if not shutil.which("ccx"):
        pytest.skip("ccx is not installed: K was NOT compared with CalculiX's (apt-get install calculix-ccx)")
    text = deck(kind, nodes)
    expected, dof = by_calculix(tmp_path, text)
    (tmp_path / "own.inp").write_text(text + "*STEP\n*STATIC\n*CLOAD\n1, 1, 1.\n*END STEP\n")
    done = subprocess.run([HOOKE, "matrix", "own.inp", "-q", "--output", "own.npz"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = np.load(tmp_path / "own.npz")
    row = {place: i for i, place in enumerate(zip(found["node"].tolist(), found["component"].tolist()))}
    order = [row[place] for place in dof]
    k = scipy.sparse.load_npz(tmp_path / "own.npz").toarray()[np.ix_(order, order)]
    assert len(order) == len(row) and abs(k - expected).max() <= 1e-12 * abs(expected).max()
