"""The parts of a model, as small dataclasses: the keys of the case file by the same names (`hooke.schema()` tells what each
means). A quantity is a number in the model's units or a text with a unit, "5 MHz". The library checks values; nothing is
checked twice. Python's own words get an underscore: `lambda_`, `from_`.
"""
from __future__ import annotations

import numbers
import os
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Mapping, Sequence, Union

import numpy as np

from .errors import Usage

Quantity = Union[float, str]
Vector = Sequence[Quantity]


def to_case(value: Any) -> Any:
    """What the case file would hold: dicts, lists, numbers, texts; None is an empty value, as `static:` is in YAML."""
    if isinstance(value, Part):
        return value.case()
    if isinstance(value, Mapping):
        return {str(key): to_case(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [to_case(item) for item in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return to_case(value.tolist())
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or isinstance(value, (int, float, str)):
        return value
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, numbers.Real):
        return float(value)
    raise Usage(f"{value!r} cannot be part of a case: give numbers, texts, paths, lists, dicts, arrays and hooke's parts")


@dataclass(kw_only=True)
class Part:
    """A map of the case file. What is None is not there."""

    def case(self) -> dict[str, Any]:
        """The keys and values that the case file would hold."""
        values = ((f.name.rstrip("_"), getattr(self, f.name)) for f in fields(self))
        return {key: to_case(value) for key, value in values if value is not None}


_TRIANGLE = [(i, j) for i in range(6) for j in range(i, 6)]


def _stiffness(rows: Any) -> dict[str, Any]:
    """c11, c12, ... c66 of a symmetric matrix, or of the triangle that is there."""
    if rows is None:
        return {}
    wrong = "stiffness must be a matrix of 6 by 6, symmetric or one triangle of it, or rows of 6, 5, ... 1 or of 1, 2, ... 6 entries"
    lengths = [len(row) for row in rows] if isinstance(rows, list) and all(isinstance(row, list) for row in rows) else None
    if lengths == [6, 5, 4, 3, 2, 1]:
        found = {(i, j): rows[i][j - i] for i, j in _TRIANGLE}
    elif lengths == [1, 2, 3, 4, 5, 6]:
        found = {(i, j): rows[j][i] for i, j in _TRIANGLE}
    elif lengths == [6] * 6:
        there = {(i, j): rows[i][j] for i in range(6) for j in range(6) if i != j and rows[i][j] not in (0, None)}
        lower = not any(i < j for i, j in there)
        if not lower and any(i > j for i, j in there):
            for i, j in _TRIANGLE:
                if not _same(rows[i][j], rows[j][i], rows):
                    raise Usage(f"{wrong}: c{i + 1}{j + 1} is {rows[i][j]}, but c{j + 1}{i + 1} is {rows[j][i]}")
        found = {(i, j): rows[j][i] if lower else rows[i][j] for i, j in _TRIANGLE}
    else:
        raise Usage(wrong + (f", not rows of {', '.join(map(str, lengths))}" if lengths else ""))
    if any(isinstance(value, (list, dict)) for value in found.values()):
        raise Usage(wrong)
    return {f"c{i + 1}{j + 1}": value for (i, j), value in found.items() if value is not None}


def _same(a: Any, b: Any, rows: list[list[Any]]) -> bool:
    """Equal texts, or numbers that differ by rounding, single precision's at most, of the largest."""
    if not isinstance(a, (int, float)) or not isinstance(b, (int, float)):
        return bool(a == b)
    return abs(a - b) <= 1e-6 * max(abs(value) for row in rows for value in row if isinstance(value, (int, float)))


@dataclass(kw_only=True)
class Material(Part):
    """density with young and poisson, or p_speed and s_speed, or lambda_ and mu, or E1 to G23, or vp0 to gamma, or `stiffness`; of a fluid sound_speed or bulk.

    stiffness[6][6]: symmetric, Voigt order xx yy zz yz xz xy, numbers in the model's units of pressure or texts with units. One
    triangle is enough: the other holds zeros or None, or is left out, so that rows have 6, 5, ... 1 or 1, 2, ... 6 entries.
    density to mu, sound_speed and bulk take {"formula": "..."} of x, y, z and the model's fields, density also {"law": "gardner"}.
    E1 to G23 are the engineering constants of an orthotropic material, along its `axes`; vp0 to gamma are Thomsen's of a medium that is isotropic across
    its last axis. q_s, q_p, q_band and q_frequency give attenuation, in fluids without q_s, kelvin_voigt one of solids that
    grows with the frequency. conductivity, specific_heat, latent_heat, reaction,
    velocity and stabilisation are for heat conduction, terms (a list of maps of the case) for coupled equations.
    """

    density: Quantity | Mapping[str, str] | None = None
    young: Quantity | Mapping[str, str] | None = None
    poisson: Quantity | Mapping[str, str] | None = None
    p_speed: Quantity | Mapping[str, str] | None = None
    s_speed: Quantity | Mapping[str, str] | None = None
    sound_speed: Quantity | Mapping[str, str] | None = None
    bulk: Quantity | Mapping[str, str] | None = None
    lambda_: Quantity | Mapping[str, str] | None = None
    mu: Quantity | Mapping[str, str] | None = None
    vp0: Quantity | None = None
    vs0: Quantity | None = None
    epsilon: float | None = None
    delta: float | None = None
    gamma: float | None = None
    E1: Quantity | None = None
    E2: Quantity | None = None
    E3: Quantity | None = None
    nu12: Quantity | None = None
    nu13: Quantity | None = None
    nu23: Quantity | None = None
    G12: Quantity | None = None
    G13: Quantity | None = None
    G23: Quantity | None = None
    stiffness: Sequence[Sequence[Quantity]] | None = None
    q_s: float | None = None
    q_p: float | None = None
    q_band: Sequence[Quantity] | None = None
    q_frequency: Quantity | None = None
    kelvin_voigt: Quantity | None = None
    damping: Quantity | None = None
    conductivity: Quantity | Vector | Mapping[str, Any] | None = None
    reaction: Quantity | Mapping[str, str] | None = None
    specific_heat: Quantity | Mapping[str, Any] | None = None
    latent_heat: Mapping[str, Quantity] | None = None
    velocity: Sequence[Quantity | Mapping[str, str]] | None = None
    stabilisation: str | None = None
    terms: Sequence[Mapping[str, Any]] | None = None
    axes: str | None = None

    def case(self) -> dict[str, Any]:
        """The keys and values that the case file would hold."""
        keys = super().case()
        entries = _stiffness(keys.pop("stiffness", None))
        return {**keys, **entries}


@dataclass(kw_only=True)
class Boundary(Part):
    """One of fix, move, pressure, traction on a set; of heat one of temperature, flux, film; of an unknown of coupled equations one of
    value, flux, film."""

    set: str
    fix: str | Sequence[str] | None = None
    move: Quantity | Mapping[str, Quantity] | None = None
    direction: Vector | None = None
    axes: str | None = None
    pressure: Quantity | None = None
    traction: Vector | None = None
    temperature: Quantity | Mapping[str, str] | None = None
    flux: Quantity | Mapping[str, str] | None = None
    film: Mapping[str, Any] | None = None
    unknown: str | None = None
    value: float | Mapping[str, str] | None = None
    signal: Signal | Mapping[str, Any] | str | None = None
    delay: Quantity | Vector | None = None


@dataclass(kw_only=True)
class Source(Part):
    """One of force, displacement, velocity along a direction, on a set or at a point; total_force on a set; moment, explosion, double_couple
    at a point; volume_rate in a fluid; fault; plane_wave; injection; or one of gravity, body_force, centrifugal, heat on elements; or the source of the equation of an unknown there."""

    set: str | None = None
    at: Vector | None = None
    force: Quantity | None = None
    total_force: Vector | None = None
    displacement: Quantity | None = None
    velocity: Quantity | None = None
    volume_rate: Quantity | None = None
    moment: Mapping[str, Quantity] | None = None
    explosion: Quantity | None = None
    double_couple: Mapping[str, Quantity] | None = None
    plane_wave: Mapping[str, Any] | None = None
    injection: Mapping[str, Any] | None = None
    fault: str | os.PathLike[str] | None = None
    gravity: Vector | None = None
    body_force: Vector | None = None
    heat: Quantity | Mapping[str, str] | None = None
    centrifugal: Mapping[str, Any] | None = None
    unknown: str | None = None
    source: float | Mapping[str, str] | None = None
    apodisation: str | Sequence[float] | None = None
    aperture: Sequence[int] | None = None
    direction: Vector | None = None
    axes: str | None = None
    signal: Signal | Mapping[str, Any] | str | None = None
    delay: Quantity | Vector | None = None


@dataclass(kw_only=True)
class Signal(Part):
    """How a source goes with time, times `scale`."""

    key: ClassVar[str]
    scale: Quantity | None = None

    def case(self) -> dict[str, Any]:
        """The keys and values that the case file would hold."""
        keys = super().case()
        scale = {"scale": keys.pop("scale")} if "scale" in keys else {}
        return {self.key: keys, **scale}


@dataclass(kw_only=True)
class Toneburst(Signal):
    """w(t) sin(2 pi f t) for 0 <= t <= cycles / f; window "hann" unless "none"."""

    key: ClassVar[str] = "toneburst"
    frequency: Quantity
    cycles: Quantity
    window: str | None = None


@dataclass(kw_only=True)
class Gaussian(Signal):
    """exp(-a (t - t0)^2); width is its full width at half height, a = 4 ln 2 / width^2."""

    key: ClassVar[str] = "gaussian"
    t0: Quantity
    a: Quantity | None = None
    width: Quantity | None = None


@dataclass(kw_only=True)
class Ricker(Signal):
    """(1 - 2 A (t - t0)^2) exp(-A (t - t0)^2), A = (pi f)^2; t0 is 1.2 / f unless given."""

    key: ClassVar[str] = "ricker"
    frequency: Quantity
    t0: Quantity | None = None


@dataclass(kw_only=True)
class Step(Signal):
    """1 from t = 0 on."""

    key: ClassVar[str] = "step"


@dataclass(kw_only=True)
class Table(Signal):
    """time[n] ascending and value[n], linear between, constant beyond; or a CSV file of the two."""

    key: ClassVar[str] = "table"
    time: Vector | None = None
    value: Sequence[float] | None = None
    file: str | os.PathLike[str] | None = None
    time_unit: str | None = None


@dataclass(kw_only=True)
class Initial(Part):
    """The state of a set of nodes at t = 0."""

    set: str
    displacement: Vector | None = None
    velocity: Vector | None = None
    pressure: Quantity | None = None
    temperature: Quantity | Mapping[str, str] | None = None
    unknown: str | None = None
    value: float | Mapping[str, str] | None = None


@dataclass(kw_only=True)
class Absorb(Part):
    """Boundaries that absorb waves: kind "layer", "stacey" or "pml"."""

    sets: str | Sequence[str]
    kind: str | None = None
    thickness: Quantity | None = None
    d_max: Quantity | None = None


@dataclass(kw_only=True)
class Place(Part):
    """A set by place: nodes, or what = "faces", "elements", "inner-faces", that lie in each of the shapes given; near: those nearest to points, or
    {"point": ..., "count": ...}. `of` names a set that they are taken from."""

    what: str | None = None
    of: str | None = None
    box: Mapping[str, Vector] | None = None
    sphere: Mapping[str, Any] | None = None
    cylinder: Mapping[str, Any] | None = None
    plane: Mapping[str, Any] | None = None
    line: Mapping[str, Any] | None = None
    near: Sequence[Vector] | Mapping[str, Any] | None = None


@dataclass(kw_only=True)
class Crack(Part):
    """Inner faces across which nodes are not shared; springs = {"normal": ..., "tangential": ...} may join the sides."""

    sets: Sequence[str]
    springs: Mapping[str, Quantity] | None = None
    node_springs: Mapping[str, Quantity] | None = None
    closed: bool | str | None = None


@dataclass(kw_only=True)
class TraceOutput(Part):
    """Quantities against time: of the nodes of a set, by number or in order along the curve that they form (order="arc", from the end near
    `from_`), or at[point][direction] or {line, arc, circle or grid: ...}; or of a cable, fibre={"points": ..., "gauge": ..., "spacing": ...}."""

    key: ClassVar[str] = "traces"
    name: str | None = None
    set: str | None = None
    order: str | None = None
    from_: Vector | None = None
    at: Sequence[Vector] | Mapping[str, Any] | None = None
    fibre: Mapping[str, Any] | None = None
    quantity: str | Sequence[str] | None = None
    every: int | None = None
    interval: Quantity | None = None


@dataclass(kw_only=True)
class FieldOutput(Part):
    """Frames of all nodes."""

    key: ClassVar[str] = "field"
    quantity: str | Sequence[str] | None = None
    frames: int | None = None
    interval: Quantity | None = None
    shots: int | Sequence[int] | None = None


@dataclass(kw_only=True)
class PeakOutput(Part):
    """Peak maps: the largest norm over time at every node, of explicit steps, in field_peak.vtkhdf, of shots a frame each:
    `result.fields.field_peak[0].velocity`."""

    key: ClassVar[str] = "peak"
    quantity: str | Sequence[str] | None = None


@dataclass(kw_only=True)
class PrintOutput(Part):
    """Numbers of a set in a table of text, of static solutions."""

    key: ClassVar[str] = "print"
    set: str
    quantity: str | Sequence[str] | None = None
    totals: str | None = None
    axes: str | None = None


@dataclass(kw_only=True)
class PictureOutput(Part):
    """What pictures and the report show: of the field a quantity, a component with its sign, fixed ends of the colours or decibels; of more than
    eight traces "wiggle" or "density", and the value of one spacing."""

    key: ClassVar[str] = "picture"
    quantity: str | None = None
    component: str | None = None
    range: Sequence[float] | None = None
    decibels: float | None = None
    section: str | None = None
    scale: float | None = None


Output = Union[TraceOutput, FieldOutput, PeakOutput, PrintOutput, PictureOutput]


@dataclass(kw_only=True)
class Array(Part):
    """Shots: each element of an array fires alone, what `force` and the rest say, or the sources on the same set."""

    set: str | None = None
    order: str | None = None
    from_: Vector | None = None
    at: Sequence[Vector] | Mapping[str, Any] | None = None
    each: str | None = None
    force: Quantity | None = None
    displacement: Quantity | None = None
    velocity: Quantity | None = None
    volume_rate: Quantity | None = None
    direction: Vector | None = None
    signal: Signal | Mapping[str, Any] | str | None = None

    def case(self) -> dict[str, Any]:
        """The keys and values that the case file would hold."""
        return {"array": super().case()}


@dataclass(kw_only=True)
class Solve(Part):
    """How the model is solved."""

    key: ClassVar[str]

    def case(self) -> dict[str, Any]:
        """The keys and values that the case file would hold."""
        return {self.key: super().case()}


@dataclass(kw_only=True)
class Explicit(Solve):
    """Central differences in time up to `end`; dt is chosen from the mesh unless given."""

    key: ClassVar[str] = "explicit"
    end: Quantity
    dt: Quantity | None = None
    method: str | None = None
    shots_at_once: int | None = None
    time_dispersion: str | None = None


@dataclass(kw_only=True)
class _Linear(Solve):
    """How a system of linear equations is solved."""

    method: str | None = None
    preconditioner: str | None = None
    relaxation: str | None = None
    sweeps: str | None = None
    stop: str | None = None
    library: str | None = None
    ordering: str | None = None
    options: str | None = None
    tolerance: float | None = None
    iterations: int | None = None


@dataclass(kw_only=True)
class Static(_Linear):
    """A static solution."""

    key: ClassVar[str] = "static"
    form: str | None = None


@dataclass(kw_only=True)
class Heat(Static):
    """Heat conduction: steady, or with `end` and `dt` in time by steps theta."""

    key: ClassVar[str] = "heat"
    end: Quantity | None = None
    dt: Quantity | None = None
    theta: float | None = None
    capacity: str | None = None
    nonlinear: Mapping[str, Any] | None = None


@dataclass(kw_only=True)
class Coupled(_Linear):
    """One to five coupled equations, one for each of the `unknowns`: steady, or with `end` and `dt` in time by steps theta."""

    key: ClassVar[str] = "coupled"
    unknowns: Sequence[str]
    end: Quantity | None = None
    dt: Quantity | None = None
    theta: float | None = None


def outputs_case(outputs: Mapping[str, Any] | Output | Sequence[Output]) -> dict[str, Any]:
    """Outputs as the case's map: traces and prints are lists, field, peak maps and picture are one each."""
    if isinstance(outputs, Mapping):
        return to_case(outputs)
    found: dict[str, Any] = {}
    for part in listed(outputs):
        if not isinstance(part, (TraceOutput, FieldOutput, PeakOutput, PrintOutput, PictureOutput)):
            raise Usage(f"outputs: {part!r} is not a TraceOutput, FieldOutput, PeakOutput, PrintOutput or PictureOutput; as dicts, outputs are one map of the case: "
                        '{"traces": [{...}], "field": {...}, "print": [{...}]}')
        if part.key not in ("field", "peak", "picture"):
            found.setdefault(part.key, []).append(part.case())
        elif part.key in found:
            raise Usage(f"outputs: two {type(part).__name__}s are given: a model has one{', with all quantities' if part.key != 'picture' else ''}")
        else:
            found[part.key] = part.case()
    return found


def listed(parts: Any) -> Any:
    """One part as a list of it."""
    return [parts] if isinstance(parts, Part) else parts
