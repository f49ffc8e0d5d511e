"""Injection of a recorded wave into a model: the points at which it is needed, and files of it for other programs to write."""
from __future__ import annotations

import os
from typing import Any, Mapping, Sequence, Union

import numpy as np

from . import _library
from ._verbs import _asked
from .errors import Usage
from .model import Model

Path = Union[str, os.PathLike]
_QUANTITIES = ("displacement", "velocity", "pressure")


def inject(case: Model | Mapping[str, Any] | Path, output: Path, *, set: Mapping[str, Any] | None = None) -> np.ndarray:
    """Writes the points at which the injections of a case need their waves into the CSV file `output`, which `at: {"file": ...}` of traces takes, and
    returns them, [point, dimension] in the case's unit of length; about an axis radius and height. The files of the injections need not be there yet."""
    model = case if isinstance(case, Model) else Model.of(case, set)
    _asked("hk_injection_points", model._desc(), _library.encode(output))
    return np.loadtxt(output, delimiter=",", skiprows=1, ndmin=2)


def write_injection(path: Path, points: Any, time: Any, *, displacement: Any = None, velocity: Any = None, pressure: Any = None,
                    units: Sequence[str] | None = None, name: str = "wave") -> None:
    """Writes a file for `injection: {"file": ...}`: points[point, dimension], time[sample] with equal steps, and one of displacement or
    velocity[point, component, sample] and pressure[point, sample]. units: those of points, time and values, ("m", "s", "m"); None: the case has
    units: none."""
    import h5py
    given = {key: value for key, value in zip(_QUANTITIES, (displacement, velocity, pressure)) if value is not None}
    if len(given) != 1:
        raise Usage(f"{len(given)} of displacement, velocity and pressure are given: give one")
    if units is not None and len(units) != 3:
        raise Usage(f"units: {len(units)} are given: those of points, time and values are needed")
    (key, value), = given.items()
    points, time, value = np.asarray(points, float), np.asarray(time, float), np.asarray(value)
    if points.ndim != 2 or time.ndim != 1:
        raise Usage(f"points have shape {points.shape}, time {time.shape}: [point, dimension] and [sample] are expected")
    if value.ndim == 2:
        value = value[:, None]
    if value.ndim != 3 or value.shape[0] != len(points) or value.shape[2] != len(time):
        raise Usage(f"{key} has shape {value.shape}: ({len(points)}, components, {len(time)}) is expected")
    with h5py.File(path, "w") as file:
        for k, (what, array) in enumerate((("coordinates", points), ("time", time), (key, value))):
            file[f"traces/{name}/{what}"] = array
            file[f"traces/{name}/{what}"].attrs["unit"] = units[k] if units else ""
