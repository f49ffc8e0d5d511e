"""Result folders: run.json, run.h5, field.vtkhdf, as numpy arrays that are read when they are asked for.

No file is kept open: a folder can be moved, and a run that goes on can be looked at.
"""
from __future__ import annotations

import itertools
import json
import os
import pathlib
import re
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Sequence

import h5py
import numpy as np

from .errors import BadInput, Usage
from .image import analytic, focus

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Values:
    """Numbers of one quantity. `numpy.asarray(v)`, `v[...]` and `v.values` give plain arrays; `v["x"]` one component.

    values: as `axes` names its dimensions. unit: of the values. components: ("x", "y"), ...; () of scalars.
    """

    def __init__(self, file: pathlib.Path, path: str, axes: Sequence[str], name: str, **about: Any):
        self._file, self._path, self.axes, self.name = file, path, tuple(axes), name
        self._values: np.ndarray | None = None
        with h5py.File(file, "r") as opened:
            found = opened[path]
            self.shape: tuple[int, ...] = found.shape
            self.unit = _text(found.attrs.get("unit", ""))
            self.components = tuple(_text(found.attrs.get("components", "")).split())
        vars(self).update(about)

    @property
    def values(self) -> np.ndarray:
        """All of them, read at the first call."""
        if self._values is None:
            self._values = _read(self._file, self._path)
        return self._values

    def component(self, name: str) -> np.ndarray:
        """The values of component "x", "xy", ..., without the axis of components."""
        if name not in self.components:
            raise KeyError(f"{self.name} has no component {name!r}: there are {', '.join(self.components) or 'none'}")
        return np.take(self.values, self.components.index(name), axis=self.axes.index("component"))

    def __getitem__(self, key: Any) -> np.ndarray:
        return self.component(key) if isinstance(key, str) else self.values[key]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self.values, dtype) if copy is None else np.array(self.values, dtype, copy=copy)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        sizes = ", ".join(f"{n} {axis}{'' if n == 1 else 's'}" for n, axis in zip(self.shape, self.axes))
        return f"<{self.name}{f' in {self.unit}' if self.unit else ''}: {sizes}>"


class Trace(Values):
    """A quantity against time: values[receiver, component, sample], or [shot, receiver, component, sample], as double precision numbers, whatever
    the file stores.

    time[sample]; node[receiver]: labels, -1 of points; coordinates[receiver][dim]; sources[shot][dim]: the middle of what drives each, empty where there is none.
    """

    time: np.ndarray
    time_unit: str
    node: np.ndarray
    coordinates: np.ndarray
    sources: list[list[float]]
    request: str

    @property
    def values(self) -> np.ndarray:
        """All of them, read at the first call."""
        if self._values is None:
            self._values = _read(self._file, self._path).astype(np.float64, copy=False)
        return self._values

    def spectrum(self, component: str | None = None) -> tuple[np.ndarray, np.ndarray]:
        """(frequency, amplitude[..., frequency]): |X(f)| of the Fourier transform X = integral of x(t) exp(-2 pi i f t) dt, of one component or of all, in the unit of
        the trace over that of the frequency. Zeros follow the last sample, up to a power of two; no window. A last sample off the grid of the others is left out."""
        values, time = self.values if component is None else self.component(component), self.time
        if len(time) > 2 and not _even(time):
            values, time = values[..., :-1], time[:-1]
        if len(time) < 2 or not _even(time):
            raise BadInput(f"{self.request}: has no spectrum: it needs two samples at least, at equal intervals")
        if not np.isfinite(values).all():
            raise BadInput(f"{self.request}: has no spectrum: some samples are not-a-number; if the run was stopped, go on with it")
        dt, n = (time[-1] - time[0]) / (len(time) - 1), 1 << (2 * len(time) - 1).bit_length()
        return np.arange(n // 2 + 1) / (n * dt), dt * np.abs(np.fft.rfft(values, n))

    def bscan(self, component: str) -> np.ndarray:
        """[element, sample]: the envelope of what each element of an array hears of the shot whose source is there. Receivers are the array's
        elements, in any order."""
        values, sources = self._matrix(component)
        if len(sources) != len(self.coordinates):
            raise Usage(f"{self.request}: has {len(sources)} shots and {len(self.coordinates)} receivers: an array whose elements fire one by one has "
                        "as many of both")
        far = np.abs(self.coordinates[:, None] - sources).max(axis=2)  # [receiver, shot]
        lost = np.flatnonzero(far.min(axis=1) > 1e-6 * np.ptp(self.coordinates, axis=0).max())
        if len(lost):
            raise Usage(f"{self.request}: receiver {lost[0] + 1} at {self.coordinates[lost[0]].tolist()}: no shot has its source there")
        return np.abs(analytic(values[far.argmin(axis=1), range(len(far))]))

    def focus(self, points: Any, speed: float, *, component: str, delay: float = 0) -> np.ndarray:
        """Total focusing image at points[..., dim] of sources that fire one by one while all receivers listen. speed: of the wave, the same
        everywhere; delay: time of the middle of the pulse that is fired. `hooke.image.focus` takes other sources, or traces that were changed."""
        values, sources = self._matrix(component)
        return focus(values, self.time, sources, self.coordinates, points, speed, delay)

    def _matrix(self, component: str) -> tuple[np.ndarray, np.ndarray]:
        """[shot, receiver, sample], and where the sources of the shots are: a shot without a place in run.json is at the receiver of its number."""
        values, dim = self.component(component), self.coordinates.shape[1]
        if values.ndim != 3:
            raise Usage(f"{self.request}: the run has no shots: an array's elements fire one by one")
        known = [self.sources[shot] if shot < len(self.sources) else [] for shot in range(len(values))]
        lost = next((shot for shot, x in enumerate(known) if len(x) != dim), None)
        if lost is not None and len(known) != len(self.coordinates):
            raise Usage(f"{self.request}: shot {lost + 1}: run.json does not tell where its source is, and there are {len(known)} shots and "
                        f"{len(self.coordinates)} receivers")
        return values, np.array([x if len(x) == dim else here for x, here in itertools.zip_longest(known, self.coordinates[:len(known)])], float)

    def plot(self, ax: Axes | None = None, component: str | None = None, shot: int = 0) -> Axes:
        """Curves of all receivers, of one component (the first) and shot."""
        from . import viz
        return viz.plot_trace(self, ax, component, shot)


class Group(Mapping[str, Any]):
    """Things by name, as a dict and, where the name allows, as attributes."""

    def __init__(self, what: str, items: Mapping[str, Any], **about: Any):
        self._what, self._items = what, dict(items)  # what: in the plural
        vars(self).update(about)

    def __getitem__(self, name: str) -> Any:
        if name not in self._items:
            raise KeyError(f"{name!r} is not among the {self._what}: {', '.join(self._items) or 'there are none'}")
        return self._items[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name for name in self._items if str(name).isidentifier())]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"<{self._what}: {', '.join(self._items) or 'none'}>"


class Frame:
    """All nodes at one time: frame["velocity"][node][component], read when asked for."""

    def __init__(self, field: Field, index: int):
        self.field, self.index, self.time = field, index, float(field.times[index])

    def __getitem__(self, quantity: str) -> np.ndarray:
        return self.field._read(quantity, self.index)

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_") or name not in self.field.quantities:
            raise AttributeError(f"a frame has no {name!r}: there are {', '.join(self.field.quantities)}")
        return self[name]

    def plot(self, quantity: str | None = None, component: str | None = None, **options: Any) -> Any:
        """2D: a matplotlib Axes; 3D: a pyvista Plotter. component: of vectors the magnitude unless given."""
        from . import viz
        return viz.plot_frame(self, quantity, component, **options)

    def __repr__(self) -> str:
        return f"<frame {self.index} at {self.time:g}: {', '.join(self.field.quantities)}>"


class Field(Sequence[Frame]):
    """Frames of field.vtkhdf: `field[-1]`, `field.at(time)`. Nothing but the times is read at first.

    times[frame]; points[node][3]; quantities: name -> (unit, components).
    """

    def __init__(self, path: pathlib.Path):
        self.path = path
        with h5py.File(path, "r") as file:
            root = file["VTKHDF"]
            self.times: np.ndarray = root["Steps/Values"][:]
            self._nodes = int(root["NumberOfPoints"][0])
            arrays = {_name(key): d for key, d in root["PointData"].items()}
            self.quantities = {name: (_text(d.attrs.get("unit", "")), tuple(_text(d.attrs.get("components", "")).split()))
                               for name, d in arrays.items() if not name.startswith("set:") and name != "node_label"}

    @property
    def points(self) -> np.ndarray:
        """points[node][3]"""
        return _read(self.path, "VTKHDF/Points")

    @property
    def cells(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """connectivity[...], offsets[cell + 1], VTK's types[cell]"""
        return tuple(_read(self.path, f"VTKHDF/{name}") for name in ("Connectivity", "Offsets", "Types"))  # type: ignore[return-value]

    @property
    def regions(self) -> tuple[np.ndarray, tuple[str, ...]]:
        """region[cell] from 1, 0: none; names of regions 1, 2, ..."""
        with h5py.File(self.path, "r") as file:
            data = file["VTKHDF/CellData"].get("region")
            if data is None:
                raise KeyError(f"{self.path}: has no regions: it comes from an older hooke, or its model has more than 254")
            return data[:], tuple(_text(data.attrs["names"]).split("\n"))

    @property
    def sets(self) -> dict[tuple[str, str], np.ndarray]:
        """(kind, name) -> members, from 0: kind "nodes" or "elements"; of "faces" rows of element and face. Without sets of all nodes or all elements."""
        found: dict[tuple[str, str], np.ndarray] = {}
        with h5py.File(self.path, "r") as file:
            for group, prefix, kind in (("PointData", "set:", "nodes"), ("CellData", "set:", "elements"), ("CellData", "faces:", "faces")):
                for key, data in file["VTKHDF"][group].items():
                    if (array := _name(key)).startswith(prefix):
                        name = array[len(prefix):].replace("%2F", "/").replace("%25", "%")
                        mask = data[:]
                        found[kind, name] = np.argwhere(mask[:, None] >> np.arange(8, dtype=np.uint8) & 1) if kind == "faces" else np.flatnonzero(mask)
        return found

    def at(self, time: float) -> Frame:
        """The frame nearest to `time`."""
        return self[int(np.argmin(np.abs(self.times - time)))]

    def _read(self, quantity: str, index: int) -> np.ndarray:
        if quantity not in self.quantities:
            raise KeyError(f"the field has no {quantity!r}: there are {', '.join(self.quantities)}")
        with h5py.File(self.path, "r") as file:
            root = file["VTKHDF"]
            first = int(root[f"Steps/PointDataOffsets/{quantity}"][index])
            return root[f"PointData/{quantity}"][first:first + self._nodes]

    def __len__(self) -> int:
        return len(self.times)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"frame {index}: there are {len(self)}")
        return Frame(self, index % len(self))

    def animate(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Any:
        """An animation: written to `path` (.gif, .mp4, .html), or returned for a notebook."""
        from . import viz
        return viz.animate(self, path, **options)

    def __repr__(self) -> str:
        return f"<{len(self)} frames of {self._nodes} nodes: {', '.join(self.quantities)}>"


class Result:
    """A result folder.

    >>> result = hooke.Result("plate.hooke")
    >>> result.traces.rx.velocity["x"]
    >>> result.field[-1].velocity
    """

    def __init__(self, path: str | os.PathLike[str]):
        self.path = pathlib.Path(path)
        if not (self.path / "run.json").is_file() and not (self.path / "run.h5").is_file():
            raise BadInput(f"{self.path} is not a result folder: it has neither run.json nor run.h5")
        self._cache: dict[str, Any] = {}
        self._cached: tuple[tuple[int, int] | None, ...] = ()

    def _once(self, name: str, make: Callable[[], Any]) -> Any:
        """make(), kept as long as the files on disk are the same; while a run goes on nothing is kept."""
        stamps = tuple(map(_stamp, (self.path / "run.json", self.path / "run.h5")))
        if stamps != self._cached or stamps[0] is None:
            self._cache, self._cached = {}, stamps
        if name not in self._cache:
            self._cache[name] = make()
        return self._cache[name]

    @property
    def summary(self) -> dict[str, Any]:
        """run.json; {} while the run has not written it."""
        file = self.path / "run.json"
        return self._once("summary", lambda: json.loads(file.read_text()) if file.is_file() else {})

    @property
    def status(self) -> str:
        """"ok", "unstable", ..."""
        return self.summary.get("status", "running")

    @property
    def warnings(self) -> list[str]:
        """Those that run.json keeps"""
        return self.summary.get("warnings", [])

    @property
    def traces(self) -> Group:
        """traces[request][quantity], or traces.rx.velocity: Trace"""
        return self._once("traces", lambda: Group("traces", {name: self._request(name) for name in self._names("traces")}))

    @property
    def energy(self) -> Group:
        """energy.kinetic, .strain, .work, .damping: Values[sample] ([shot, sample]); energy.time"""
        return self._once("energy", self._energy)

    @property
    def static(self) -> list[Group]:
        """Static steps: static[0].displacement, .reaction, .stress, ...: Values[node, component] with .node (labels) and
        .coordinates[node][dim]; .points.stress, ... at integration points with .points.element, .point, .coordinates"""
        return self._once("static", lambda: [self._static(name) for name in self._names("static") if name.isdigit()])

    @property
    def fields(self) -> Group:
        """Frames by file: {"field": Field}, or {"field_shot0001": Field, ...}"""
        files = sorted(self.path.glob("field*.vtkhdf"))
        return self._once("fields", lambda: Group("fields", {file.stem: Field(file) for file in files}))

    @property
    def field(self) -> Field:
        """The field, of the first shot where there are several."""
        fields = self.fields
        if not fields:
            other = ": it was written as .vtu, which ParaView reads" if list(self.path.glob("field*.pvd")) else ""
            raise BadInput(f"{self.path} has no field.vtkhdf{other}")
        return fields[next(iter(fields))]

    def report(self, path: str | os.PathLike[str] | None = None, *, picture: Mapping[str, Any] | None = None) -> pathlib.Path:
        """One self-contained HTML file; RUN/report.html unless given. picture: as of `export`."""
        from ._verbs import report
        return report(self.path, path, picture=picture)

    def export(self, *, csv: bool = False, vtu: bool = False, png: bool = False, su: bool = False, segy: bool = False,
               sac: bool = False, mseed: bool = False, asdf: bool = False, spectra: bool = False, compress: bool = False, movie: bool = False,
               picture: Mapping[str, Any] | None = None) -> pathlib.Path:
        """Traces as CSV, Seismic Unix, SEG-Y, SAC, miniSEED or ASDF files, frames as VTU, pictures of all frames, into RUN/export/. movie: all frames of a quantity as one animated PNG.
        spectra: amplitude spectra of traces as CSV tables. compress: VTU files are packed by zlib; without
        vtu, copies of the .vtkhdf files by HDF5's deflate. picture: what pictures show, {"quantity": "velocity", "component": "y",
        "range": (-1, 1), "decibels": 40, "time": 3.5 or (first, last), "section": "wiggle" or "density", "scale": 2, "frame_rate": 12}: any of these."""
        from ._verbs import export
        return export(self.path, csv=csv, vtu=vtu, png=png, su=su, segy=segy, sac=sac, mseed=mseed, asdf=asdf, spectra=spectra, compress=compress, movie=movie,
                      picture=picture)

    def film(self, path: str | os.PathLike[str], *, shot: int = 0, picture: Mapping[str, Any] | None = None) -> pathlib.Path:
        """All frames of one quantity as a moving picture, whose path is returned: .apng or .png; .gif, .mp4 or .webm by the program ffmpeg. shot: whose frames, from
        1, where several have some. picture: as of `export`; {"quantity": "velocity", "component": "y", "time": (first, last), "frame_rate": 25}."""
        from ._verbs import film
        return film(self.path, path, shot=shot, picture=picture)

    def plot(self) -> Figure:
        """Its traces and, in 2D, the last frame, in one figure."""
        from . import viz
        return viz.plot_result(self)

    def animate(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Any:
        """The field's animation: Field.animate."""
        return self.field.animate(path, **options)

    def _repr_html_(self) -> str:
        from ._html import result_html
        return result_html(self)

    def __repr__(self) -> str:
        return f"<Result {self.path}: {self.status}>"

    def _names(self, group: str) -> list[str]:
        file = self.path / "run.h5"
        if not file.is_file():
            return []
        with h5py.File(file, "r") as opened:
            return list(opened.get(group, {}))

    def _request(self, name: str) -> Group:
        file, path = self.path / "run.h5", f"traces/{name}"
        with h5py.File(file, "r") as opened:
            found = opened[path]
            about = {"time": found["time"][:], "time_unit": _text(found["time"].attrs.get("unit", "")), "node": found["node"][:],
                     "coordinates": found["coordinates"][:], "request": name, "sources": [x or [] for x in self.summary.get("sources") or []]}
            ranks = {key: found[key].ndim for key in found if key not in ("time", "node", "coordinates")}
        axes = ("shot", "receiver", "component", "sample")
        return Group("quantities", {key: Trace(file, f"{path}/{key}", axes[4 - rank:], key, **about) for key, rank in ranks.items()},
                     **about)

    def _energy(self) -> Group:
        file, names = self.path / "run.h5", self._names("energy")
        if "time" not in names:
            return Group("energies", {})
        about = {"time": _read(file, "energy/time")}
        make = (Values(file, f"energy/{name}", ("shot", "sample"), name, **about) for name in names if name != "time")
        found = {v.name: v for v in make}
        for v in found.values():
            v.axes = v.axes[2 - len(v.shape):]
        return Group("energies", found, **about)

    def _static(self, step: str) -> Group:
        file, path = self.path / "run.h5", f"static/{step}"
        about = {"node": _read(file, "static/node"), "coordinates": _read(file, "static/coordinates")}
        with h5py.File(file, "r") as opened:
            names = [key for key, d in opened[path].items() if isinstance(d, h5py.Dataset)]
            points = list(opened[path].get("points", {}))
        found: dict[str, Any] = {key: Values(file, f"{path}/{key}", ("node", "component"), key, **about) for key in names}
        places = {key: _read(file, f"{path}/points/{key}") for key in points if key in ("element", "point", "coordinates")}
        inner = {key: Values(file, f"{path}/points/{key}", ("point", "component"), key, **places) for key in points if key not in places}
        if points:
            found["points"] = Group("quantities", inner, **places)
        return Group("quantities", found, step=step, **about)


def _stamp(file: pathlib.Path) -> tuple[int, int] | None:
    """What changes with a file; None where it is not."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _even(time: np.ndarray) -> bool:
    dt = (time[-1] - time[0]) / (len(time) - 1)
    return bool(dt > 0 and np.all(np.abs(time - time[0] - dt * np.arange(len(time))) <= 1e-4 * dt))


def _name(key: str | bytes) -> str:
    """Of an array: h5py gives bytes where they are not UTF-8, as sets of old decks may be."""
    return key if isinstance(key, str) else key.decode(errors="backslashreplace")


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _read(file: pathlib.Path, path: str) -> np.ndarray:
    with h5py.File(file, "r") as opened:
        return opened[path][()]
