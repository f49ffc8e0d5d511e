"""Calls that make no sense raise; none of them ends Python."""
import copy
import gc
import pickle

import numpy as np
import pytest

import hooke
import models

WRONG = (hooke.Error, TypeError, ValueError)
TRIANGLE = {"x": [[0, 0], [1, 0], [0, 1]], "blocks": {"tri3": [[0, 1, 2]]}}


@pytest.mark.parametrize("call", [
    lambda: hooke.Mesh.read(None), lambda: hooke.info(None), lambda: hooke.compare(None, "b"), lambda: hooke.report(None),
    lambda: hooke.export(None, csv=True), lambda: hooke.example(None), lambda: hooke.bench(None), lambda: hooke.partition(None),
    lambda: hooke.convert(None, "a.msh"), lambda: hooke.run(None), lambda: hooke.run(7), lambda: hooke.open(None), lambda: hooke.System(None),
    lambda: hooke.run(models.bar(), output=3), lambda: hooke.run(models.bar(), restart=3), lambda: hooke.run(models.bar(), device=b"\xff")])
def test_what_is_no_path(call):
    with pytest.raises(WRONG):
        call()


@pytest.mark.parametrize("call", [
    lambda n: hooke.run(models.bar(), threads=n), lambda n: hooke.check(models.bar(), threads=n), lambda n: hooke.devices(threads=n),
    lambda n: hooke.partition("x.msh", size=n), lambda n: hooke.bench("pogo", threads=n), lambda n: hooke.System(models.bar(), step=n),
    lambda n: hooke.run(models.bar(), checkpoint_steps=n * 2**32)])
def test_numbers_that_c_would_cut(call):
    with pytest.raises(ValueError, match="out of range"):
        call(2**40)


@pytest.mark.parametrize("arrays", [
    {"node_sets": {"a": [[0, 1], [1, 2]]}}, {"face_sets": {"a": [0]}}, {"face_sets": {"a": ([0], [9])}}, {"face_sets": {"a": ([0], [256])}},
    {"node_sets": {"a\0b": [0]}}, {"element_sets": {"a": [-1]}}, {"blocks": {"tri3": [[0, 1, -2]]}}, {"blocks": {}}, {"x": "abc"},
    {"x": np.zeros((3, 2, 2))}, {"element_label": [2**70]}, {"name": 3},
    {"x": np.array(TRIANGLE["x"]) + 1j}, {"x": np.ma.array(TRIANGLE["x"], mask=[[0, 0], [1, 0], [0, 0]])},
    {"node_sets": {"a": np.ma.array([0, 1], mask=[0, 1])}}])
def test_arrays_that_make_no_mesh(arrays):
    with pytest.raises(WRONG):
        hooke.Mesh.from_arrays(**{**TRIANGLE, **arrays})


def test_objects_of_the_library_are_not_copied():
    system, mesh = hooke.System(models.bar(), device="cpu"), hooke.Mesh.from_arrays(**TRIANGLE)
    for thing in (system, mesh):
        with pytest.raises(TypeError, match="neither copied nor pickled"):
            copy.deepcopy(thing)
        with pytest.raises(TypeError, match="neither copied nor pickled"):
            pickle.dumps(thing)
    shallow = copy.copy(mesh)
    del mesh
    gc.collect()
    assert shallow.x.tolist() == TRIANGLE["x"]


def test_a_model_is_copied_and_pickled_before_its_use_and_after():
    model = hooke.Model.of_case(models.bar())
    for _ in range(2):
        for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
            assert other.case == model.case and other.mesh.node_count == 15
        assert model.mesh.node_count == 15


def test_everything_by_a_star_leaves_pythons_names_alone():
    import builtins
    names = {}
    exec("from hooke import *", names)
    assert names["Result"] is hooke.Result and not [name for name in hooke.__all__ if hasattr(builtins, name)]


def test_not_a_number_goes_through():
    system = hooke.System(models.bar(), device="cpu")
    assert np.isnan(system.apply(np.full(system.dofs, np.nan))).all()
