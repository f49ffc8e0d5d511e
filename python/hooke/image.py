"""Images of an array's full matrix: B-scans and the total focusing method, for one speed of waves that is the same everywhere and in
all directions (Holmes, Drinkwater and Wilcox 2005, NDT&E International 38, 701). `write` has the library make the files of an image; the other
functions compute with arrays."""
from __future__ import annotations

import concurrent.futures
import ctypes
import os
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from . import _library
from ._call import MessageList, Text, raise_for, warn
from .errors import Usage

if TYPE_CHECKING:
    from .result import Result

_CHUNK = 4096  # points that a thread focuses at once


def analytic(values: np.ndarray) -> np.ndarray:
    """values + i H(values), H the Hilbert transform over the last axis by FFT, as scipy.signal.hilbert. Its size is the envelope."""
    n = values.shape[-1]
    weight = np.zeros(n)
    weight[0] = 1
    weight[1:(n + 1) // 2] = 2
    if n % 2 == 0:
        weight[n // 2] = 1
    return np.fft.ifft(np.fft.fft(values, axis=-1) * weight, axis=-1)


def decibels(image: np.ndarray, span: float = 40) -> np.ndarray:
    """20 log10(image / its largest value), cut off at -span."""
    if not span > 0:
        raise Usage(f"span {span}: must be above 0")
    most = float(np.max(image))
    if not most > 0:
        raise Usage("the image has no value above 0")
    return np.maximum(20 * np.log10(np.maximum(image / most, 1e-300)), -span)


def _points(name: str, x: Any, dim: int) -> np.ndarray:
    points = np.asarray(x, float)
    if points.ndim < 2 or points.shape[-1] != dim:
        raise Usage(f"{name}: has shape {points.shape}: (..., {dim}) is expected")
    return points


def focus(values: Any, time: Any, sources: Any, receivers: Any, points: Any, speed: float, delay: float = 0) -> np.ndarray:
    """Total focusing: at each of points[..., dim] the size of the mean over all shots s and receivers r of the analytic signal of
    values[s, r, sample] at delay + (|p - sources[s]| + |p - receivers[r]|) / speed, between samples linearly; beyond the record it is 0.
    A scatterer whose echo has the same envelope in all traces has the envelope's height. delay: time of the middle of the pulse that is fired. Samples are
    even in time. Threads share the points."""
    values, time = np.asarray(values, float), np.asarray(time, float)
    receivers = np.asarray(receivers, float)
    if values.ndim != 3 or time.shape != values.shape[2:] or len(time) < 2:
        raise Usage(f"values have shape {values.shape}, time {time.shape}: [shot, receiver, sample] and [sample] are expected")
    dim = receivers.shape[-1]
    receivers, sources = _points("receivers", receivers, dim), _points("sources", sources, dim)
    if receivers.shape != (values.shape[1], dim) or sources.shape != (values.shape[0], dim):
        raise Usage(f"there are {len(sources)} sources and {len(receivers)} receivers: values are of {values.shape[0]} and {values.shape[1]}")
    if not speed > 0:
        raise Usage(f"speed {speed}: must be above 0")
    step = (time[-1] - time[0]) / (len(time) - 1)
    if not np.all(np.abs(np.diff(time) - step) <= 1e-3 * step):
        raise Usage("time: the samples are not even in time")
    if not np.all(np.isfinite(values)):
        raise Usage("values: some are not numbers; the run was stopped?")
    at = _points("points", points, dim)
    flat, signal = at.reshape(-1, dim), analytic(values)

    def mean(first: int) -> np.ndarray:
        part = flat[first:first + _CHUNK]
        out, back = (np.linalg.norm(part - x[:, None], axis=2) / speed for x in (sources, receivers))
        total = np.zeros(len(part), complex)
        for s in range(len(sources)):
            for r in range(len(receivers)):
                place = (out[s] + back[r] + delay - time[0]) / step
                k = np.clip(place.astype(int), 0, len(time) - 2)
                between = signal[s, r][k] + (place - k) * (signal[s, r][k + 1] - signal[s, r][k])
                total += np.where((place >= 0) & (place <= len(time) - 1), between, 0)
        return np.abs(total) / (len(sources) * len(receivers))

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        parts = list(threads.map(mean, range(0, len(flat), _CHUNK)))
    return np.concatenate(parts or [np.zeros(0)]).reshape(at.shape[:-1])


def _reals(values: Sequence[float] | None) -> Any:
    """double[], or NULL of None."""
    return None if values is None else (ctypes.c_double * len(values))(*values)


def write(run: str | os.PathLike[str] | Result, method: str = "tfm", *, trace: str | None = None, component: str | None = None, speed: float | None = None,
          delay: float = 0, region: tuple[Sequence[float], Sequence[float]] | None = None, spacing: float | None = None,
          gate: tuple[float, float] | None = None, shot: int | None = None, span: float = 40,
          output: str | os.PathLike[str] | None = None) -> dict[str, Any]:
    """Writes an image of an array as RUN/image_METHOD.h5 and .png, or as `output` (.h5) with the picture beside it, as `hooke image` does; what it wrote, its
    largest value and where that lies. method: "bscan", "cscan", "tfm". trace: "array/displacement", where the run has several. speed: None takes
    that of P waves of the model's one material. region: two opposite corners; None: in 2D the model's box. gate: first and last time that
    counts. shot: of "cscan", from 1; None: each element's own. span: decibels that the picture shows."""
    corners = [list(map(float, corner)) for corner in region or ()]
    if region is not None and (len(corners) != 2 or len(corners[0]) != len(corners[1])):
        raise Usage("region: must be two corners with as many coordinates")
    if gate is not None and len(gate) != 2:
        raise Usage("gate: must be two times")
    for name, number in (("speed", speed), ("spacing", spacing), ("shot", shot), ("span", span)):
        if number is not None and not number > 0:
            raise Usage(f"{name} {number}: must be above 0")
    text, null = _library.encode, _library.encode_or_null
    desc = _library.hk_image_desc(text(method), null(trace), null(component), speed or 0, delay, len(corners[0]) if corners else 0,
                                  _reals(corners[0] if corners else None), _reals(corners[1] if corners else None), spacing or 0, _reals(gate),
                                  _library.integer(shot or 0), span, null(output))
    with MessageList() as messages, Text() as answer:
        status = _library.library().hk_image_write(text(getattr(run, "path", run)), desc, messages.handle, answer.pointer)
        raise_for(status, said := messages.read())
        warn(said)
        return answer.json()
