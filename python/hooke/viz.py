"""Pictures and animations: 2D through matplotlib, 3D through pyvista. Both are asked for when they are needed."""
from __future__ import annotations

import importlib
import math
import os
import pathlib
from typing import TYPE_CHECKING, Any, Iterable

import numpy as np

from .errors import Usage

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .result import Field, Frame, Result, Trace

# VTK's cells that are split into triangles by a fixed list
_SPLIT = {5: [(0, 1, 2)], 9: [(0, 1, 2), (0, 2, 3)], 22: [(0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5)],
          23: [(0, 4, 7), (4, 1, 5), (5, 2, 6), (6, 3, 7), (4, 5, 6), (4, 6, 7)]}
_BIQUADRATIC_QUAD, _LAGRANGE_QUAD = 28, 70


def need(name: str) -> Any:
    """The module `name`, or how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"{name} is not installed: pip install {name.partition('.')[0]} (or the wheel with its extra [viz])") from error


def _quad_grid(order: int) -> np.ndarray:
    """grid[j][i] = VTK's number of the node at (i, j) of a Lagrange quadrilateral: corners, edges, inside."""
    p, inner = order, np.arange(1, order)
    grid = np.empty((p + 1, p + 1), int)
    grid[0, 0], grid[0, p], grid[p, p], grid[p, 0] = 0, 1, 2, 3
    grid[0, inner], grid[inner, p], grid[p, inner], grid[inner, 0] = (4 + k * (p - 1) + inner - 1 for k in range(4))
    grid[1:p, 1:p] = 4 * p + np.arange((p - 1) ** 2).reshape(p - 1, p - 1)
    return grid


def _split(kind: int, nodes: int) -> list[tuple[int, int, int]]:
    """Triangles that a VTK cell of two dimensions is drawn as."""
    if kind in _SPLIT:
        return _SPLIT[kind]
    if kind in (_BIQUADRATIC_QUAD, _LAGRANGE_QUAD):
        g = _quad_grid(math.isqrt(nodes) - 1)
        corners = zip(*(a.ravel() for a in (g[:-1, :-1], g[:-1, 1:], g[1:, 1:], g[1:, :-1])))
        return [t for a, b, c, d in corners for t in ((a, b, c), (a, c, d))]
    return []


def triangles(field: Field) -> np.ndarray:
    """triangle[...][3] of nodes that the field's 2D cells are drawn as; empty in 3D."""
    node, offset, kind = field.cells
    counts, found = np.diff(offset), [np.empty((0, 3), int)]
    for k, n in {(int(k), int(n)) for k, n in np.unique(np.stack([kind, counts]), axis=1).T}:
        cells = offset[:-1][(kind == k) & (counts == n)][:, None] + np.arange(n)
        found += [node[cells][:, list(t)] for t in _split(k, n)]
    return np.concatenate(found)


def _pick(frame: Frame, quantity: str | None, component: str | None) -> tuple[np.ndarray, str]:
    """value[node] and the label: one component, or the magnitude of a vector."""
    name = quantity or next((q for q in ("von_mises", *frame.field.quantities) if q in frame.field.quantities))
    values = frame[name]
    unit, components = frame.field.quantities[name]
    label = f"{name}{{}}" + (f" ({unit})" if unit else "")
    if component is not None:
        if component not in components:
            raise Usage(f"{name} has no component {component!r}: there are {', '.join(components) or 'none'}")
        return values[:, components.index(component)], label.format(" " + component)
    if values.ndim == 1:
        return values, label.format("")
    return np.linalg.norm(values, axis=1), label.format(" magnitude")


def _written(frame: Frame, quantity: str | None = None, component: str | None = None) -> bool:
    """Whether it holds some number: those that a run did not come to hold none."""
    return bool(np.isfinite(_pick(frame, quantity, component)[0]).any())


def plot_trace(trace: Trace, ax: Axes | None, component: str | None, shot: int) -> Axes:
    """Curves of the receivers, at most 20 of them, equally spaced."""
    plt = need("matplotlib.pyplot")
    if ax is None:
        ax = plt.figure().add_subplot()
    values = trace.values[shot] if "shot" in trace.axes else trace.values
    if component is not None and component not in trace.components:
        raise Usage(f"{trace.name} has no component {component!r}: there are {', '.join(trace.components) or 'none'}")
    name = component or (trace.components[0] if trace.components else "")
    curves = values[:, trace.components.index(name) if name else 0] if values.ndim == 3 else values
    for r in sorted(set(np.linspace(0, len(curves) - 1, min(20, len(curves)), dtype=int))):
        label = f"node {trace.node[r]}" if trace.node[r] >= 0 else f"at {', '.join(f'{c:g}' for c in trace.coordinates[r])}"
        ax.plot(trace.time, curves[r], label=label)
    ax.set_xlabel(f"time ({trace.time_unit})" if trace.time_unit else "time")
    ax.set_ylabel(f"{trace.name} {name}".strip() + (f" ({trace.unit})" if trace.unit else ""))
    ax.set_title(trace.request)
    if len(curves) <= 8:
        ax.legend()
    return ax


def _limits(frames: Iterable[Frame], quantity: str | None, component: str | None) -> tuple[float, float]:
    """Of the colours: from -m where there are negative values, else from 0, to m, the largest absolute value."""
    finite = (v[np.isfinite(v)] for v in (_pick(frame, quantity, component)[0] for frame in frames))
    ends = [(float(v.min()), float(v.max())) for v in finite if v.size]
    if not ends:
        raise Usage("there is nothing to draw: all values are not-a-number, because the run ended before it wrote them")
    low, high = min(e[0] for e in ends), max(e[1] for e in ends)
    m = max(-low, high) or 1.0
    return (-m if low < 0 else 0.0), m


def plot_frame(frame: Frame, quantity: str | None = None, component: str | None = None, ax: Any = None,
               limits: tuple[float, float] | None = None, **options: Any) -> Any:
    """2D: matplotlib's tripcolor on `ax`, with a colour bar; 3D: pyvista's Plotter. limits: values at the ends of the colours. The rest
    goes to tripcolor or add_mesh."""
    triangle = triangles(frame.field)
    values, label = _pick(frame, quantity, component)
    limits = limits or _limits([frame], quantity, component)
    if len(triangle) == 0:
        return _plot_solid(frame, values, label, limits, **options)
    plt = need("matplotlib.pyplot")
    if ax is None:
        ax = plt.figure().add_subplot()
    points = frame.field.points
    colours = {"vmin": limits[0], "vmax": limits[1], "cmap": "RdBu_r" if limits[0] < 0 else "viridis", "shading": "gouraud", **options}
    drawn = ax.tripcolor(points[:, 0], points[:, 1], triangle, values, **colours)
    ax.set_aspect("equal")
    ax.set_title(f"{frame.time:g}")
    ax.figure.colorbar(drawn, ax=ax, label=label)
    return ax


def grid(field: Field, frame: Frame | None = None) -> Any:
    """pyvista.UnstructuredGrid of the field's mesh, with the quantities of `frame` as point data."""
    pyvista = need("pyvista")
    node, offset, kind = field.cells
    counts = np.diff(offset)
    cells = np.insert(node, offset[:-1], counts)
    made = pyvista.UnstructuredGrid(cells, kind, field.points)
    if frame is not None:
        for quantity in field.quantities:
            made.point_data[quantity] = frame[quantity]
    return made


def _plot_solid(frame: Frame, values: np.ndarray, label: str, limits: tuple[float, float], **options: Any) -> Any:
    pyvista = need("pyvista")
    made = grid(frame.field)
    made.point_data[label] = values
    plotter = pyvista.Plotter(off_screen=options.pop("off_screen", None))
    plotter.add_mesh(made, **{"scalars": label, "clim": limits, "cmap": "RdBu_r" if limits[0] < 0 else "viridis", **options})
    return plotter


def animate(field: Field, path: str | os.PathLike[str] | None = None, quantity: str | None = None, component: str | None = None,
            limits: tuple[float, float] | None = None, fps: int = 12) -> Any:
    """All frames that were written in one scale of colours. path: .gif, .mp4 (needs ffmpeg), .html; without, what a notebook shows."""
    ending = pathlib.Path(path).suffix if path is not None else ".html"
    if ending not in (".gif", ".mp4", ".html"):
        raise Usage(f"an animation cannot be written to {path}: give a name that ends in .gif, .mp4 or .html")
    limits = limits or _limits(field, quantity, component)
    frames = [frame for frame in field if _written(frame, quantity, component)]
    if len(triangles(field)) == 0:
        return _animate_solid(frames, path, ending, quantity, component, limits, fps)
    plt, animation = need("matplotlib.pyplot"), need("matplotlib.animation")
    ax = plot_frame(frames[0], quantity, component, limits=limits)

    def show(frame: Frame) -> None:
        ax.collections[0].set_array(_pick(frame, quantity, component)[0])
        ax.set_title(f"{frame.time:g}")

    film = animation.FuncAnimation(ax.figure, show, frames=frames, interval=1000 / fps)
    try:
        if path is None:
            return _Html(film.to_jshtml())
        if ending == ".html":
            pathlib.Path(path).write_text(film.to_jshtml())
        else:
            film.save(os.fspath(path), writer="pillow" if ending == ".gif" else "ffmpeg", fps=fps)
    finally:
        plt.close(ax.figure)
    return pathlib.Path(path)


def _animate_solid(frames: list[Frame], path: Any, ending: str, quantity: str | None, component: str | None, limits: tuple[float, float],
                   fps: int) -> pathlib.Path:
    if ending == ".html":
        raise Usage("an animation in 3D needs a path that ends in .gif or .mp4")
    plotter = plot_frame(frames[0], quantity, component, limits=limits, off_screen=True)
    plotter.open_gif(os.fspath(path), fps=fps) if ending == ".gif" else plotter.open_movie(os.fspath(path), framerate=fps)
    for frame in frames:
        values, label = _pick(frame, quantity, component)
        plotter.mesh.point_data[label] = values
        plotter.write_frame()
    plotter.close()
    return pathlib.Path(path)


class _Html:
    """HTML that a notebook shows."""

    def __init__(self, text: str):
        self.text = text

    def _repr_html_(self) -> str:
        return self.text


def plot_result(result: Result) -> Figure:
    """A figure of the traces, at most four, and in 2D of the last frame that was written."""
    plt = need("matplotlib.pyplot")
    traces = [trace for request in result.traces.values() for trace in request.values()][:4]
    field = result.field if result.fields else None
    flat = field if field is not None and len(triangles(field)) > 0 else None
    count = len(traces) + (flat is not None)
    if not count:
        raise Usage("there are no traces and no field in 2D to plot: result.field[-1].plot() draws 3D through pyvista")
    figure, axes = plt.subplots(count, 1, figsize=(8, 3 * count), squeeze=False, layout="constrained")
    for trace, ax in zip(traces, axes[:, 0]):
        trace.plot(ax)
    if flat is not None:
        _plot_last(flat, axes[-1, 0])
    return figure


def _plot_last(field: Field, ax: Axes) -> None:
    """The last frame that was written; the title tells where a run did not come to the last one, or to any."""
    frame = next((frame for frame in reversed(field) if _written(frame)), None)
    if frame is None:
        ax.set_title(f"none of {len(field)} frames was written")
        ax.set_axis_off()
        return
    frame.plot(ax=ax)
    if frame.index < len(field) - 1:
        ax.set_title(f"{frame.time:g}, frame {frame.index + 1} of {len(field)}: the others were not written")
