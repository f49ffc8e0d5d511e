"""Meshes: views of the library's memory without copies, meshes of arrays."""
import gc
import os
import pathlib

import numpy as np
import pytest

import hooke

DATA = pathlib.Path(os.environ["HOOKE_SOURCE"]) / "tests/data"
# Two squares, and a triangle above the left one.
X = np.array([[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1], [0.5, 2]])
QUADS, TRIANGLES = np.array([[0, 1, 4, 3], [1, 2, 5, 4]]), np.array([[3, 4, 6]])


def three():
    return hooke.Mesh.from_arrays(X, {"quad4": QUADS, "tri3": TRIANGLES}, node_sets={"low": [2, 0, 1]}, element_sets={"top": [2]},
                                  face_sets={"left": ([0], [3])}, node_label=10 * np.arange(1, 8))


def test_arrays_come_back_as_they_were_given():
    mesh = three()
    assert (mesh.dim, mesh.node_count, mesh.element_count) == (2, 7, 3)
    assert np.array_equal(mesh.x, X)
    assert [(b.shape, b.first) for b in mesh.blocks] == [("quad4", 0), ("tri3", 2)]
    assert np.array_equal(mesh.blocks[0].node, QUADS) and np.array_equal(mesh.blocks[1].node, TRIANGLES)
    assert mesh.node_sets["low"].tolist() == [0, 1, 2] and mesh.element_sets["top"].tolist() == [2]
    assert [a.tolist() for a in mesh.face_sets["left"]] == [[0], [3]]
    assert mesh.node_label.tolist() == [10, 20, 30, 40, 50, 60, 70] and mesh.element_label.tolist() == [1, 2, 3]
    assert mesh.find_node(40) == 3 and mesh.find_element(3) == 2
    assert "7 nodes, 2 quad4, 1 tri3" in repr(mesh)


def test_views_share_the_librarys_memory_and_cannot_be_written():
    mesh = three()
    assert np.shares_memory(mesh.x, mesh.x) and np.shares_memory(mesh.blocks[0].node, mesh.blocks[0].node)
    assert mesh.x.base is not None and not mesh.x.flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        mesh.x[0, 0] = 7


def test_views_outlive_the_mesh_and_free_it_at_last():
    mesh = three()
    handle, x, low = mesh._handle, mesh.x, mesh.node_sets["low"][1:]
    freed, destroy = [], handle._destroy
    handle._destroy = lambda pointer: (freed.append(1), destroy(pointer))
    del mesh, handle
    gc.collect()
    assert not freed and np.array_equal(x, X) and low.tolist() == [1, 2]
    del x
    gc.collect()
    assert not freed
    del low
    gc.collect()
    assert freed == [1]


def test_the_mesh_of_a_model_outlives_it():
    x = hooke.Model(mesh={"rectangle": {"size": [2, 1], "cells": 1}}, materials=hooke.Material(density=1, young=1, poisson=0),
                    solve=hooke.Static(), boundary=[hooke.Boundary(set="left", fix=["x", "y"])]).mesh.x
    gc.collect()
    assert x.tolist() == [[0, 0], [2, 0], [0, 1], [2, 1]]


@pytest.mark.parametrize("ending", ["msh", "inp", "vtu", "vtkhdf"])
def test_written_and_read(tmp_path, ending):
    mesh = three()
    mesh.write(tmp_path / f"mesh.{ending}")
    again = hooke.Mesh.read(tmp_path / f"mesh.{ending}")
    assert np.allclose(again.x, X, rtol=0, atol=1e-12) and again.element_count == 3
    assert {b.shape: b.node.tolist() for b in again.blocks} == {"quad4": QUADS.tolist(), "tri3": TRIANGLES.tolist()}


def test_quality():
    q = three().quality()
    assert q.volume == pytest.approx(2.5) and q.parts == 1 and q.inverted == 0
    assert q.box.tolist() == [[0, 0], [2, 2]]


def test_a_third_column_of_zeros_is_left_out_of_plane_meshes():
    mesh = hooke.Mesh.from_arrays(np.column_stack([X, np.zeros(7)]), [("quad4", QUADS), ("tri3", TRIANGLES)])
    assert mesh.dim == 2 and np.array_equal(mesh.x, X)


@pytest.mark.parametrize("kind, words, arrays", [
    (hooke.BadInput, "element 1 has a node that is not defined", {"blocks": {"tri3": [[0, 1, 7]]}}),
    (hooke.Usage, "unknown element shape", {"blocks": {"triangle": [[0, 1, 4]]}}),
    (hooke.Usage, "unknown element shape", {"blocks": {"quad-p2-axis1": [list(range(7))]}}),
    (hooke.Usage, "elements by 3 nodes, not of shape", {"blocks": {"tri3": [[0, 1, 4, 3]]}}),
    (hooke.Usage, "whole numbers", {"blocks": {"tri3": [[0.0, 1.0, 4.0]]}}),
    (hooke.Usage, "whole numbers", {"blocks": {"tri3": [[0, 1, 2**40]]}}),
    (hooke.Usage, "2 or 3 coordinates", {"x": [[1.0], [2.0]]}),
    (hooke.Usage, "7 labels", {"node_label": [1, 2]}),
    (hooke.Usage, "1 elements, but 2 faces", {"face_sets": {"f": ([0], [0, 1])}}),
    (hooke.BadInput, "set \"?s|set s", {"node_sets": {"s": [99]}}),
    (hooke.BadInput, "finite", {"x": np.where(X == 2, np.nan, X)})])
def test_arrays_that_make_no_mesh(kind, words, arrays):
    with pytest.raises(kind, match=words):
        hooke.Mesh.from_arrays(arrays.pop("x", X), arrays.pop("blocks", {"quad4": QUADS}), **arrays)


def test_what_is_not_there_is_a_key_error_with_what_there_is():
    mesh = three()
    with pytest.raises(KeyError, match="there are low"):
        mesh.node_sets["lwo"]
    for label in (7, -1, 2**80):
        with pytest.raises(KeyError, match="has no node"):
            mesh.find_node(label)


def test_a_clockwise_element_is_turned_with_a_warning():
    with pytest.warns(hooke.HookeWarning, match="clockwise"):
        mesh = hooke.Mesh.from_arrays(X[[0, 4, 1]], {"tri3": [[0, 1, 2]]})
    assert mesh.quality().flipped == 0


def test_a_mesh_file_that_is_none(tmp_path):
    (tmp_path / "no.msh").write_text("no")
    with pytest.raises(hooke.BadInput, match="no.msh"):
        hooke.Mesh.read(tmp_path / "no.msh")
