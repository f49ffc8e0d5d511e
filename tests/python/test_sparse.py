"""hooke.matrix: scipy and DLPack look into the library's own arrays; refills change them in place."""
import gc
import weakref

import h5py
import numpy as np
import pytest

import hooke

CASE = {"mesh": {"box": {"size": [2, 1, 1], "cells": [4, 2, 2], "jitter": 0.2}}, "materials": {"m": {"density": 2, "young": 3, "poisson": 0.3}},
        "boundary": [{"set": "left", "fix": ["x", "y", "z"]}, {"set": "right", "traction": [0, 0, 1]}], "solve": {"static": {}}}
SOFT = {**CASE, "materials": {"m": {"density": 2, "young": 0.75, "poisson": 0.3}}}
HEAT = {"physics": "heat", "mesh": {"rectangle": {"size": [2, 1], "cells": [6, 3], "shape": "tri"}}, "materials": {"m": {"conductivity": 3}},
        "boundary": [{"set": "left", "temperature": 5}], "solve": {"heat": {}}}


def dense(matrix):
    """of any format"""
    if matrix.format != "ell":
        return matrix.to_scipy().toarray()
    a, (column, value) = np.zeros(matrix.shape), (matrix.arrays()[name] for name in ("indices", "data"))
    for line, numbers in zip(column, value):
        there = line >= 0
        a[np.arange(len(line))[there], line[there]] = numbers[there]
    return a


@pytest.mark.parametrize("case", [CASE, HEAT], ids=["solid", "heat"])
@pytest.mark.parametrize("format", ["csr", "coo", "ell", "bsr"])
def test_it_is_the_matrix_of_the_system(case, format):
    system = hooke.System(case, device="cpu")
    expected = system.matrix().toarray()
    got, half = dense(system.sparse(format)), dense(system.sparse(format, symmetric=True))
    assert abs(got - expected).max() <= 1e-14 * abs(expected).max()
    assert (np.tril(half) == np.tril(got)).all()
    assert np.array_equal(system.sparse(format).dof, np.arange(system.dofs))


def test_nodes_of_no_element_have_no_rows(tmp_path):
    """the first node belongs to no element: rows are those of the others, with and without supports"""
    nodes = ["*NODE", "1, 9., 9.", "2, 0., 0.", "3, 1., 0.", "4, 1., 1.", "5, 0., 1.", "*ELEMENT, TYPE=CPS4, ELSET=ALL", "1, 2, 3, 4, 5"]
    rest = ["*SOLID SECTION, ELSET=ALL, MATERIAL=M", "*MATERIAL, NAME=M", "*ELASTIC", "1., 0.", "*BOUNDARY", "2, 1, 2", "3, 2", "*STEP", "*STATIC", "*CLOAD", "4, 1, 1.",
            "*END STEP"]
    (tmp_path / "lone.inp").write_text("\n".join([*nodes, *rest, ""]))
    with pytest.warns(hooke.HookeWarning, match="belong to no element"):
        system = hooke.System(hooke.Model.read(tmp_path / "lone.inp"), device="cpu")
    expected = system.matrix().toarray()
    for reduced in (False, True):
        k = system.sparse(reduced=reduced)
        assert k.dof.tolist() == ([4, 6, 7, 8, 9] if reduced else list(range(2, 10))) and np.flatnonzero(system.free).tolist() == [4, 6, 7, 8, 9]
        assert abs(k.to_scipy().toarray() - expected[np.ix_(k.dof, k.dof)]).max() <= 1e-14


def test_the_reduced_matrix_solves_the_model():
    k = hooke.matrix(CASE, reduced=True, device="cpu")
    system, u = k.system, np.zeros(k.system.dofs)
    from scipy.sparse.linalg import spsolve
    u[k.dof] = spsolve(k.to_scipy().tocsc(), system.right[k.dof])
    expected = system.solve()
    assert abs(system.fill(u) - expected).max() <= 1e-7 * abs(expected).max()


@pytest.mark.parametrize("options", [{}, {"format": "bsr"}, {"format": "coo", "symmetric": True}, {"format": "ell", "reduced": True}, {"precision": "single"}])
def test_refills_change_what_numpy_sees(options):
    """factors of 1/4 = a material with Young's modulus / 4 = a refill with its laws, bit by bit; no array moves"""
    k, soft = hooke.matrix(CASE, device="cpu", **options), hooke.matrix(SOFT, device="cpu", **options)
    data, first = np.asarray(k.data), np.array(k.data)
    assert np.shares_memory(data, np.asarray(k.data))
    assert k.refill(np.full(k.system.mesh.element_count, 0.25)) is k
    assert np.array_equal(data, np.asarray(soft.data)) and not np.array_equal(data, first)
    assert np.array_equal(np.asarray(k.refill().data), first) and np.array_equal(data, first)
    assert np.array_equal(np.asarray(k.refill(model=SOFT).data), np.asarray(soft.data))


def test_nothing_is_copied_on_the_host():
    k = hooke.matrix(CASE, device="cpu")
    s = k.to_scipy()
    assert np.shares_memory(s.data, np.asarray(k.data)) and np.shares_memory(s.indices, np.asarray(k.indices))
    for array in (k.indptr, k.indices, k.data):
        taken = np.from_dlpack(array)
        assert np.shares_memory(taken, np.asarray(array)) and taken.dtype == array.dtype and taken.shape == array.shape
    assert k.row is None and k.device == k.data.__dlpack_device__() == (1, 0) and not hasattr(k.data, "__cuda_array_interface__")
    block = np.from_dlpack(hooke.matrix(CASE, format="bsr", device="cpu").data)
    assert block.shape[1:] == (3, 3)


def test_memory_lives_as_long_as_a_look_at_it():
    """the arrays outlive matrix and system, and what nobody looks at is freed: of capsules that are taken and of those that are not"""
    from hooke import _dlpack
    k = hooke.matrix(CASE, device="cpu")
    handle, expected = weakref.ref(k._handle), np.array(k.data)
    taken, scipys = np.from_dlpack(k.data), k.to_scipy()
    k.data.__dlpack__()
    assert len(_dlpack._lent) == 1
    del k
    gc.collect()
    assert np.array_equal(taken, expected) and np.array_equal(scipys.data, expected)
    del scipys
    gc.collect()
    assert handle() is not None and np.array_equal(taken, expected)
    del taken
    gc.collect()
    assert handle() is None and not _dlpack._lent


def test_cuda_is_told_by_its_interface():
    """what CuPy asks for, of an address on a card (none is touched)"""
    array = hooke.DeviceArray(None, 4096, (3, 2), np.float32, (2, 1))
    assert array.__cuda_array_interface__ == {"version": 3, "data": (4096, False), "shape": (3, 2), "typestr": "<f4", "strides": None, "stream": None}
    assert array.__dlpack_device__() == (2, 1)
    array.__dlpack__()
    with pytest.raises(hooke.Usage, match="on a card"):
        np.asarray(array)


def test_opencl_reads_back():
    try:
        k = hooke.matrix(CASE, device="opencl", format="bsr", symmetric=True)
    except hooke.OutOfMemory:
        pytest.skip("there is no OpenCL device")
    host = hooke.matrix(CASE, device="cpu", format="bsr", symmetric=True)
    scale = 1 + np.arange(k.system.mesh.element_count)
    for factors in (None, scale):
        got, expected = k.refill(factors).to_scipy(), host.refill(factors).to_scipy()
        assert abs(got - expected).max() <= 1e-14 * abs(expected).max()
    assert k.device == (4, 0) and not np.shares_memory(k.arrays()["data"], k.arrays()["data"])
    with pytest.raises(hooke.Usage, match="on a card"):
        np.asarray(k.data)


def test_it_writes_what_the_command_writes(tmp_path):
    k = hooke.matrix(HEAT, device="cpu", reduced=True)
    said = k.write(tmp_path / "K.h5")
    assert said["rows"] == k.shape[0] and said["matrix"] == "conductance"
    with h5py.File(tmp_path / "K.h5") as f:
        assert np.array_equal(f["value"][...], np.asarray(k.data)) and np.array_equal(f["column"][...], np.asarray(k.indices))


def test_the_mass_is_diagonal():
    k = hooke.matrix(CASE, mass=True, device="cpu")
    assert np.array_equal(k.to_scipy().diagonal(), k.system.mass) and k.to_scipy().nnz == k.shape[0]


@pytest.mark.parametrize("call, says", [
    (lambda: hooke.matrix(CASE, format="csc"), "csr, coo, ell, bsr"), (lambda: hooke.matrix(CASE, precision="half"), "single or double"),
    (lambda: hooke.matrix(CASE, format="bsr", reduced=True), "whole nodes"), (lambda: hooke.matrix(CASE).refill([1, 2]), "16 elements"),
    (lambda: hooke.matrix(CASE, format="ell").to_scipy(), "ELLPACK"), (lambda: hooke.matrix(CASE, mass=True).refill(), "no refill"),
    (lambda: hooke.matrix(CASE).write("K.mtx"), "take coo"), (lambda: hooke.matrix(CASE, step=1), "no step 1")])
def test_what_makes_no_sense_is_told(call, says):
    with pytest.raises(hooke.Usage, match=says):
        call()


def test_another_mesh_or_factor_is_refused():
    k = hooke.matrix(CASE, device="cpu")
    with pytest.raises(hooke.BadInput, match="another mesh"):
        k.refill(model=HEAT)
    with pytest.raises(hooke.BadInput, match="element 3 is nan"):
        k.refill(np.where(np.arange(16) == 2, np.nan, 1))


def test_a_refill_refuses_tables_of_other_lengths():
    """Of a material by numbers, and by a table of two temperatures."""
    def by(conductivity):
        return {**HEAT, "materials": {"m": {"conductivity": conductivity}}}
    table = {"table": {"temperature": [0, 1, 2], "value": [1, 2, 3]}}
    for own in (3, {"table": {"temperature": [0, 1], "value": [1, 2]}}):
        with pytest.raises(hooke.BadInput, match="make a new matrix"):
            hooke.matrix(by(own), device="cpu").refill(model=by(table))
