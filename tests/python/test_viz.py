"""Pictures through matplotlib: curves and frames hold the result's numbers."""
import contextlib
import sys

import h5py
import matplotlib.pyplot as plt
import numpy as np
import pytest

import hooke
import models
from hooke import viz

pytestmark = pytest.mark.filterwarnings("ignore::hooke.HookeWarning")  # of the coarse mesh


@pytest.fixture(scope="module")
def plate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plate")
    return hooke.run(models.plate(folder), device="cpu", set={"mesh.rectangle.element": "3 mm", "solve.explicit.end": "8 us",
                                                              "outputs.field.frames": 3}, output=folder / "run", pictures=False)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_curves_of_a_trace(plate):
    ax = plate.traces.rx.velocity.plot(component="y")
    assert [tuple(line.get_ydata()) for line in ax.lines] == [tuple(v) for v in plate.traces.rx.velocity["y"]]
    assert ax.get_xlabel() == "time (us)" and ax.get_ylabel() == "velocity y (mm/us)"


def test_a_frame_in_colours(plate):
    frame = plate.field[-1]
    ax = frame.plot(component="x")
    drawn = ax.collections[0]
    assert np.array_equal(drawn.get_array(), frame.velocity[:, 0])
    assert drawn.norm.vmax == -drawn.norm.vmin == np.abs(frame.velocity[:, 0]).max()
    speed = frame.plot().collections[0]
    assert np.allclose(speed.get_array(), np.linalg.norm(frame.velocity, axis=1)) and speed.norm.vmin == 0
    with pytest.raises(hooke.Usage, match="there are x, y"):
        frame.plot(component="q")


def test_a_figure_of_everything(plate):
    assert len(plate.plot().axes) == 3 + 2


def test_a_stopped_run_shows_the_last_frame_that_it_wrote(tmp_path):
    """Of 100 frames some are written; their numbers are drawn, and the title says so. Of none written the figure says that."""
    options = {"device": "cpu", "pictures": False, "output": tmp_path / "run", "threads": 1, "force": True}
    case = models.plate(tmp_path)
    for end in (0.4, 1.6, 6.4, 25.6, 102.4):  # as long as the run must be to be met under way
        words = {**models.SIZE, "solve.explicit.end": f"{end} ms", "outputs.field.frames": 100}
        with contextlib.suppress(hooke.Stopped):
            hooke.run(case, progress=lambda p: p.step <= p.steps / 25, set=words, **options)
        result = hooke.open(tmp_path / "run")
        written = [i for i in range(len(result.field)) if np.isfinite(result.field[i].velocity).any()]
        if len(written) < 101:
            break
    assert 2 < len(written) < 101
    last = result.field[written[-1]]
    assert last.velocity.any()
    axes = [ax for ax in result.plot().axes if ax.collections and ax.get_title().startswith(f"{last.time:g}, frame {written[-1] + 1} of ")]
    assert len(axes) == 1
    assert np.allclose(axes[0].collections[0].get_array(), np.linalg.norm(last.velocity, axis=1)) and np.isfinite(axes[0].collections[0].norm.vmax)
    with pytest.raises(hooke.Usage, match="nothing to draw"):
        result.field[-1].plot()
    for i in written:
        with h5py.File(tmp_path / "run/field.vtkhdf", "r+") as file:
            first = file["VTKHDF/Steps/PointDataOffsets/velocity"][i]
            file["VTKHDF/PointData/velocity"][first:first + file["VTKHDF/NumberOfPoints"][0]] = np.nan
    assert any("none of " in ax.get_title() for ax in result.plot().axes)


def test_components_that_a_trace_lacks_are_told(plate):
    with pytest.raises(hooke.Usage, match="velocity has no component 'q': there are x, y"):
        plate.traces.rx.velocity.plot(component="q")


def test_animations(plate, tmp_path):
    from PIL import Image
    assert Image.open(plate.animate(tmp_path / "a.gif")).n_frames == 4
    assert "<script" in plate.animate(tmp_path / "a.html", component="y").read_text()
    assert "<script" in plate.animate()._repr_html_()
    with pytest.raises(hooke.Usage, match="give a name that ends in .gif"):
        plate.animate(tmp_path / "a.avi")


@pytest.mark.parametrize("shape, order", [("tri", 1), ("quad", 1), ("quad", 2), ("quad", 3), ("quad", 5)])
def test_triangles_cover_the_mesh_once(tmp_path, shape, order):
    """All are wound alike, and their areas sum to that of the body."""
    case = models.bar(mesh={"rectangle": {"size": [2, 1], "cells": [3, 2], "shape": shape}}, element={"order": order})
    field = hooke.run(case, device="cpu", output=tmp_path / "run", pictures=False).field
    triangle, p = viz.triangles(field), field.points
    (ax, ay), (bx, by) = ((p[triangle[:, k]] - p[triangle[:, 0]])[:, :2].T for k in (1, 2))
    assert ((ax * by - ay * bx) > 0).all() and (ax * by - ay * bx).sum() / 2 == pytest.approx(2)
    assert len(triangle) == 6 * 2 * order**2


@pytest.mark.parametrize("shape, nodes, parts", [("tri6", 6, 4), ("quad8", 8, 6), ("quad9", 9, 8)])
def test_triangles_of_second_order(tmp_path, shape, nodes, parts):
    """One element with its middle nodes."""
    corner = np.array([[0, 0], [1, 0], [0, 1]] if shape == "tri6" else [[0, 0], [1, 0], [1, 1], [0, 1]], float)
    x = np.vstack([corner, (corner + np.roll(corner, -1, axis=0)) / 2, [[0.5, 0.5]]])[:nodes]
    mesh = hooke.Mesh.from_arrays(x, {shape: [range(nodes)]}, node_sets={"held": [0, 1]})
    case = {k: v for k, v in models.bar().items() if k not in ("mesh", "boundary")}
    run = hooke.Model(mesh, boundary=[hooke.Boundary(set="held", fix=["x", "y"])], sources=[hooke.Source(gravity=[0, -9.81])],
                      **case).run(device="cpu", output=tmp_path / "run", pictures=False)
    triangle, p = viz.triangles(run.field), run.field.points
    (ax, ay), (bx, by) = ((p[triangle[:, k]] - p[triangle[:, 0]])[:, :2].T for k in (1, 2))
    area = ax * by - ay * bx
    assert len(triangle) == parts and (area > 0).all() and area.sum() / 2 == pytest.approx(0.5 if shape == "tri6" else 1)


def test_a_solid_asks_for_pyvista(tmp_path, monkeypatch):
    case = {"mesh": {"box": {"size": [1, 1, 1], "cells": 1}}, "materials": {"m": {"young": 1, "poisson": 0}},
            "boundary": [{"set": "left", "fix": ["x", "y", "z"]}, {"set": "right", "pressure": 1}], "solve": {"static": {}}}
    result = hooke.run(case, device="cpu", output=tmp_path / "run", pictures=False)
    monkeypatch.setitem(sys.modules, "pyvista", None)
    with pytest.raises(ImportError, match=r"pyvista is not installed: pip install pyvista "):
        result.field[0].plot()
    with pytest.raises(hooke.Usage, match="nothing|no traces"):
        result.plot()


def test_without_matplotlib_words_say_what_to_install(plate, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install matplotlib "):
        plate.plot()
