"""hooke matrix: files are read back by scipy and h5py, what cannot be written is said before the model is read."""
import json
import os
import subprocess

import h5py
import hooke as package
import numpy as np
import pytest
import scipy.io
import scipy.sparse

HOOKE = os.environ["HOOKE"]
CASE = """mesh: {box: {size: [2, 1, 1], cells: [3, 2, 2], jitter: 0.2}}
materials: {m: {density: 2, young: 3, poisson: 0.3}}
boundary: [{set: bottom, fix: [x, y, z]}, {set: top, pressure: 1}]
equations: [{terms: [{node: 30, component: x}, {node: 31, component: x, factor: -0.5}], value: 0.2}]
solve: {static: {}}
"""


def hooke(*words):
    return subprocess.run([HOOKE, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL)


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "case.yaml").write_text(CASE)


def write(path, *words):
    done = hooke("matrix", "case.yaml", "--output", path, "--json", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def of_lines(column, value):
    """dense matrix of ELL's arrays [width][rows]"""
    a = np.zeros((column.shape[1],) * 2, value.dtype)
    for line, numbers in zip(column, value):
        there = line >= 0
        assert (numbers[~there] == 0).all()
        a[np.arange(len(line))[there], line[there]] = numbers[there]
    return a


def of_h5(path):
    with h5py.File(path) as f:
        kind, rows, size = f.attrs["format"], int(f.attrs["rows"]), int(f.attrs["block_size"])
        column, value = f["column"][...], f["value"][...]
        if kind == "ell":
            return of_lines(column, value)
        if kind == "coo":
            return scipy.sparse.coo_array((value, (f["row"][...], column)), shape=(rows, rows)).toarray()
        of = scipy.sparse.bsr_array if kind == "bsr" else scipy.sparse.csr_array
        assert kind == "csr" or value.shape[1:] == (size, size)
        return of((value, column, f["row_start"][...]), shape=(rows, rows)).toarray()


def of_npz(path):
    with np.load(path) as f:
        if f["format"].item() == b"ell":
            return of_lines(f["column"], f["value"])
    return scipy.sparse.load_npz(path).toarray()


def of_mtx(path):
    return np.asarray(scipy.io.mmread(path).todense())


def assembled():
    """K of the case by scipy's product of gradients at 2 x 2 x 2 points of its trilinear hexahedra, on the mesh as hooke makes it"""
    mesh = package.Model.read("case.yaml").mesh
    node, x = mesh.blocks[0].node, mesh.x
    corner = np.array([(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)])
    lame, shear = 3 * 0.3 / (1.3 * 0.4), 3 / 2.6
    d = np.diag([2 * shear] * 3 + [shear] * 3)
    d[:3, :3] += lame
    k = np.zeros((x.size, x.size))
    for element in node:
        dof = (element[:, None] * 3 + np.arange(3)).ravel()
        for point in corner / np.sqrt(3):
            f = 1 + corner * point
            slope = corner * np.stack([f[:, 1] * f[:, 2], f[:, 0] * f[:, 2], f[:, 0] * f[:, 1]], 1) / 8
            jacobian = slope.T @ x[element]
            g = np.linalg.solve(jacobian, slope.T)
            b = np.zeros((6, 24))
            for a in range(3):
                b[a, a::3] = g[a]
            for row, (a, c) in enumerate([(0, 1), (1, 2), (0, 2)], 3):
                b[row, a::3], b[row, c::3] = g[c], g[a]
            k[np.ix_(dof, dof)] += b.T @ d @ b * np.linalg.det(jacobian)
    return k


def test_matrix_is_that_of_an_assembly_in_numpy():
    write("K.npz")
    k, expected = of_npz("K.npz"), assembled()
    assert abs(k - expected).max() <= 1e-13 * abs(expected).max()


@pytest.mark.parametrize("words", [(), ("--symmetric",), ("--reduced",), ("--symmetric", "--reduced"), ("--precision", "single"), ("--mass",)])
def test_every_file_holds_the_same_matrix(words):
    """all files and formats read back are equal, bit by bit; the half is the lower triangle"""
    write("K.mtx", *words)
    first = of_mtx("K.mtx")
    assert abs(first).max() > 0
    if "--symmetric" in words:
        assert (first == first.T).all()  # mmread mirrors it
        first = np.tril(first)
    for kind in ("csr", "coo", "ell", "bsr"):
        if kind == "bsr" and "--reduced" in words:
            continue
        for path, read in (("K.npz", of_npz), ("K.h5", of_h5)):
            said = write(path, "--format", kind, *words)
            got = read(path)
            assert said["format"] == kind and said["rows"] == len(got)
            if kind == "bsr" and "--symmetric" in words:
                got = np.tril(got)  # blocks on the diagonal are whole
            assert (got == first.astype(got.dtype)).all(), (kind, path)  # text has the digits of its precision


def test_rows_name_their_nodes():
    """node and component are those of the case: the bottom is held, node 30 in x is tied"""
    write("K.mtx", "--reduced")
    write("K.npz", "--reduced", "--format", "ell")
    write("K.h5", "--reduced")
    table = np.loadtxt("K.unknowns.csv", delimiter=",", skiprows=1, dtype=int)
    assert (table[:, 0] == np.arange(len(table)) + 1).all()
    with np.load("K.npz") as f, h5py.File("K.h5") as h:
        for stored in (f, h):
            assert (stored["node"][...] == table[:, 1]).all() and (stored["component"][...] == table[:, 2]).all()
    assert [30, 1] not in table[:, 1:].tolist() and [31, 1] in table[:, 1:].tolist()
    assert len(table) == 36 * 3 - 12 * 3 - 1


def test_default_is_a_matrix_market_file_here():
    done = hooke("matrix", "case.yaml")
    assert done.returncode == 0 and "case.mtx" in done.stdout and os.path.exists("case.mtx")
    assert hooke("matrix", "case.yaml", "-q").stdout == ""


@pytest.mark.parametrize("code, says, words", [
    (2, "csr, coo, ell, bsr", ("--format", "csc")), (2, ".mtx, .npz or .h5", ("--output", "K.txt")), (2, "take coo", ("--format", "ell", "--output", "K.mtx")),
    (2, "whole nodes", ("--format", "bsr", "--reduced", "--output", "K.npz")), (8, "no/K.npz", ("--output", "no/K.npz")), (2, "--step 0", ("--step", "0")),
    (2, "no step 2", ("--step", "3", "--output", "K.npz")), (2, "unknown option", ("--symetric",))])
def test_what_cannot_be_is_told(code, says, words):
    done = hooke("matrix", "case.yaml", *words)
    assert done.returncode == code and says in done.stderr, done.stderr
    assert not [name for name in os.listdir(".") if name != "case.yaml"]


def test_refusals_come_before_the_model_is_read():
    for words in (("--output", "K.txt"), ("--output", "no/K.h5"), ("--format", "csr", "--output", "K.mtx")):
        assert "absent.yaml" not in hooke("matrix", "absent.yaml", *words).stderr


def test_a_file_that_cannot_be_written_over_stays(tmp_path):
    os.mkdir("K.npz")
    done = hooke("matrix", "case.yaml", "--output", "K.npz")
    assert done.returncode == 8 and "K.npz" in done.stderr and os.listdir("K.npz") == []


def test_spectral_waves_have_no_matrix():
    done = hooke("matrix", "case.yaml", "--set", "solve={explicit: {end: 1}}", "--set", "element={order: 3}", "--output", "K.npz")
    assert done.returncode == 3, done.stderr
