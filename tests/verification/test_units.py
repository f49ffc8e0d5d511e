"""A case whose quantities all carry units gives the same result whatever `units:` says; forgotten units are asked for; `units: none`."""
import json
import re

import h5py
import numpy as np
import pytest

from command import call

SI = {"m": 1, "mm": 1e-3, "in": 0.0254, "kg": 1, "mg": 1e-6, "lb": 0.45359237, "t": 1e3, "s": 1, "us": 1e-6, "min": 60, "K": 1, "mK": 1e-3}
SYSTEMS = [{"length": "mm", "mass": "mg", "time": "us", "temperature": "mK"}, {"length": "in", "mass": "lb", "time": "min"},
           {"mass": "t", "length": "mm"}]
# powers of length, mass, time, temperature
DIMENSION = {"displacement": (1, 0, 0, 0), "velocity": (1, 0, -1, 0), "acceleration": (1, 0, -2, 0), "pressure": (-1, 1, -2, 0),
             "stress": (-1, 1, -2, 0), "strain": (0, 0, 0, 0), "coordinates": (1, 0, 0, 0), "time": (0, 0, 1, 0),
             "temperature": (0, 0, 0, 1), "heat_flux": (0, 1, -3, 0)}
ENERGY, FORCE, HEAT = (2, 1, -2, 0), (1, 1, -2, 0), (2, 1, -3, 0)
STEEL = {"density": "7800 kg/m^3", "young": "210 GPa", "poisson": 0.29, "damping": "2000 1/s"}
TRICLINIC = {"density": "1600 kg/m^3", **{k: f"{v} GPa" for k, v in {
    "c11": 60, "c12": 12, "c22": 22, "c33": 30, "c66": 9, "c13": 9, "c23": 9, "c44": 7, "c55": 8, "c16": 5, "c26": 2}.items()}}
PULSE = {"ricker": {"frequency": "200 kHz", "t0": "4 us"}}
TRACES = [{"name": "rx", "at": [["31 mm", "9 mm"]], "quantity": ["displacement", "velocity", "acceleration"]}]
FIELD = {"quantity": "velocity", "frames": 2}


def plate(shape="quad", **more):
    return {"mesh": {"rectangle": {"size": ["40 mm", "20 mm"], "cells": [20, 10], "shape": shape, "jitter": 0.1}}, "materials": {"m": STEEL},
            "damping": {"mass": "100 1/s"}, "outputs": {"traces": TRACES, "field": FIELD}, "solve": {"explicit": {"end": "15 us"}}, **more}


def block(**more):
    return {"mesh": {"box": {"size": ["40 mm", "20 mm", "10 mm"], "element": "4 mm"}}, "materials": {"m": STEEL},
            "outputs": {"traces": [{**TRACES[0], "at": [["31 mm", "9 mm", "5 mm"]]}]}, "solve": {"explicit": {"end": "10 us"}}, **more}


def heat(mesh, **more):
    return {"physics": "heat", "mesh": mesh, "materials": {"m": {"conductivity": "45 W/m/K", "reaction": "2e4 W/m^3/K"}},
            "boundary": [{"set": "left", "temperature": "300 K"}, {"set": "right", "flux": "2 kW/m^2"},
                         {"set": "top", "film": {"coefficient": "50 W/m^2/K", "sink": "280 K"}}],
            "sources": [{"heat": "1 MW/m^3"}], "solve": {"heat": {}}, **more}


def rectangle(shape="quad"):
    return {"rectangle": {"size": ["40 mm", "20 mm"], "cells": [8, 4], "shape": shape, "jitter": 0.1}}


WATER = {"density": "1000 kg/m^3", "sound_speed": "1480 m/s"}
POINT = [{"at": ["11 mm", "9 mm"], "force": "3 N", "direction": [1, 2], "signal": {**PULSE, "scale": 2}, "delay": "0.3 us"}]
LAYERS = {"rectangle": {"size": ["40 mm", "20 mm"], "cells": [20, 10]}}
CASES = {
    "point force": plate(sources=POINT),
    "triangles, plane stress, a thickness": plate("tri", plane="stress", thickness="3 mm", sources=POINT),
    "anisotropic, layer that damps": plate(materials={"m": TRICLINIC}, absorb={"sets": ["left", "bottom"]}, sources=POINT),
    "layer with numbers": plate(absorb={"sets": ["left"], "thickness": "8 mm", "d_max": "1e6 1/s"}, sources=POINT),
    "dashpots": plate(absorb={"kind": "stacey", "sets": ["left", "right"]}, sources=POINT),
    "matched layer": plate(element={"order": 3}, absorb={"kind": "pml", "sets": ["left"]}, sources=POINT),
    "face loads": plate(boundary=[{"set": "left", "pressure": "2 MPa", "signal": PULSE}, {"set": "right", "traction": ["1 MPa", "-3 bar"]},
                                  {"set": "bottom", "fix": "y"}]),
    "motions": plate(sources=[{"set": "left", "velocity": "2 mm/s", "direction": [1, 1],
                               "signal": {"toneburst": {"frequency": "0.2 MHz", "cycles": 2}}}],
                     boundary=[{"set": "right", "move": {"x": "1 um"}, "signal": {"gaussian": {"width": "3 us", "t0": "5 us"}}}]),
    "body loads, initial state": plate(
        sources=[{"gravity": ["0 m/s^2", "-9.81 m/s^2"]},
                 {"body_force": ["1 kN/m^3", "2 N/mm^3"],
                  "signal": {"table": {"time": ["0 s", "3 us", "9 us"], "value": [0, 1, 0]}}}],
        initial=[{"set": "all", "velocity": ["1 m/s", "0 m/s"]}, {"set": "top", "displacement": ["1 um", "0 m"]}]),
    "a given step, samples by time": plate(
        solve={"explicit": {"end": "10 us", "dt": "0.05 us"}}, sources=POINT,
        outputs={"traces": [{**TRACES[0], "interval": "0.2 us"}], "field": {"interval": "3 us"}}),
    "shots": plate(shots=[[{**POINT[0], "at": ["5 mm", "5 mm"]}], POINT]),
    "springs": plate(mesh="crack.inp", crack={
        "sets": ["middle"], "springs": {"normal": "3e13 N/m^3", "tangential": "1e13 N/m^3"}}, sources=POINT),
    "springs of nodes": plate(mesh="crack.inp", crack={
        "sets": ["middle"], "node_springs": {"normal": "3e10 N/m", "tangential": "1e10 N/m"}}, sources=POINT),
    "fluid": plate(materials={"m": WATER}, boundary=[{"set": "top", "fix": "pressure"}],
                   sources=[{"at": ["11 mm", "9 mm"], "volume_rate": "1 mm^3/us", "signal": PULSE}],
                   initial=[{"set": "left", "pressure": "1 kPa"}], outputs={"traces": [{**TRACES[0], "quantity": ["pressure", "displacement"]}]}),
    "fluid on a solid": plate(mesh="halves.inp", materials={"w": WATER, "s": STEEL}, regions={"upper": "w", "lower": "s"},
                              sources=[{"at": ["11 mm", "14 mm"], "volume_rate": "1 mm^2*m/s", "signal": PULSE}]),
    "box": block(sources=[{"at": ["11 mm", "9 mm", "5 mm"], "force": "3 N", "direction": [1, 2, 3], "signal": PULSE}]),
    "box of order 2": block(element={"order": 2}, sources=[{"set": "left", "force": "3 N", "direction": [1, 2, 3], "signal": PULSE}]),
    "fluid box": block(materials={"m": {"density": "1000 kg/m^3", "bulk": "2.2 GPa"}}, outputs={"traces": [
        {**TRACES[0], "at": [["31 mm", "9 mm", "5 mm"]], "quantity": "pressure"}]},
        sources=[{"at": ["11 mm", "9 mm", "5 mm"], "volume_rate": "1 mm^3/us", "signal": PULSE}]),
    "static": {"mesh": rectangle(), "materials": {"m": STEEL}, "solve": {"static": {}},
               "boundary": [{"set": "left", "fix": ["x", "y"]}, {"set": "top", "pressure": "1 MPa"}],
               "sources": [{"set": "right", "force": "1 kN", "direction": [0, 1]}, {"gravity": ["9.81 m/s^2", "0 m/s^2"]}]},
    "static, turning": {"mesh": rectangle("tri"), "plane": "stress", "materials": {"m": STEEL}, "solve": {"static": {}},
                        "boundary": [{"set": "left", "fix": ["x", "y"]}, {"set": "right", "move": {"x": "2 um"}}],
                        "sources": [{"centrifugal": {"speed": "300 rad/s", "at": ["0 m", "10 mm"]}}]},
    "static box": {"mesh": {"box": {"size": ["40 mm", "20 mm", "10 mm"], "cells": [4, 2, 2]}}, "materials": {"m": TRICLINIC},
                   "solve": {"static": {"method": "cg", "tolerance": 1e-13}}, "boundary": [{"set": "left", "fix": ["x", "y", "z"]},
                                                                     {"set": "right", "traction": ["1 MPa", "2 MPa", "-1 MPa"]}],
                   "equations": [{"terms": [{"node": 15, "component": "x"}, {"node": 14, "component": "x", "factor": -1}], "value": "1 um"}]},
    "heat": heat(rectangle()),
    "heat in a box": heat({"box": {"size": ["40 mm", "20 mm", "10 mm"], "cells": [4, 2, 2]}}),
    "formulas of heat": heat(rectangle(), materials={"m": {"conductivity": ["45 W/m/K", "20 W/m/K"]}}),
}


def halves(unit):
    """Two blocks of quadrilaterals, 40 x 10 mm each, with the sets upper and lower, and their common faces, `middle`."""
    nx, ny = 12, 6
    scale = 1e-3 / SI[unit]
    node = [f"{j * (nx + 1) + i + 1}, {40 * i / nx * scale!r}, {20 * j / ny * scale!r}" for j in range(ny + 1) for i in range(nx + 1)]
    cell = lambda i, j: f"{j * nx + i + 1}, " + ", ".join(str(k + 1) for k in (
        j * (nx + 1) + i, j * (nx + 1) + i + 1, (j + 1) * (nx + 1) + i + 1, (j + 1) * (nx + 1) + i))
    part = {name: [cell(i, j) for j in rows for i in range(nx)] for name, rows in (("lower", range(3)), ("upper", range(3, 6)))}
    text = ["*NODE", *node]
    for name, cells in part.items():
        text += [f"*ELEMENT, TYPE=CPE4, ELSET={name}", *cells]
    return "\n".join([*text, "*SURFACE, NAME=middle", *(f"{2 * nx + i + 1}, S3" for i in range(2, 9)), ""])


def scale(unit, powers):
    names = [unit.get(k, d) for k, d in (("length", "m"), ("mass", "kg"), ("time", "s"), ("temperature", "K"))]
    return float(np.prod([SI[n] ** p for n, p in zip(names, powers)]))


def numbers(folder, case, unit):
    """All numbers of run.h5 in SI, by name."""
    for name in ("crack", "halves"):
        (folder / f"{name}.inp").write_text(halves(unit.get("length", "m")))
    (folder / "case.json").write_text(json.dumps({**case, "units": unit}))
    done = call("run", folder / "case.json", "--output", folder / "out", "--force", "-q", "--no-pictures", "--precision", "double")
    assert done.returncode == 0, done.stderr
    out, heat = {}, case.get("physics") == "heat"
    with h5py.File(folder / "out/run.h5") as file:
        def take(name, item):
            if not isinstance(item, h5py.Dataset) or item.dtype.kind != "f":
                return
            last = name.split("/")[-1]
            powers = ((0, 0, 1, 0) if last == "time" else ENERGY) if name.startswith("energy") else \
                (HEAT if heat else FORCE) if last == "reaction" else DIMENSION[last]
            out[name] = item[:] * scale(unit, powers)
        file.visititems(take)
    return out


@pytest.mark.parametrize("name", CASES)
def test_units_change_nothing(tmp_path, name):
    """Results in SI are the same to 1e-9 of the largest of their kind, and have as many samples, in each system of units."""
    exact = numbers(tmp_path, CASES[name], {})
    assert any(np.abs(v).max() > 0 for v in exact.values())
    for unit in SYSTEMS:
        got = numbers(tmp_path, CASES[name], unit)
        assert got.keys() == exact.keys()
        for key, v in exact.items():
            largest = np.nanmax(np.abs(v)) if v.size else 0
            if key.startswith("energy") and not key.endswith("time"):
                largest = max(np.nanmax(np.abs(exact[f"energy/{k}"])) for k in ("kinetic", "strain", "work"))
            assert got[key].shape == v.shape, (unit, key)
            assert np.array_equal(np.isnan(v), np.isnan(got[key])), (unit, key)
            assert not v.size or np.nanmax(np.abs(got[key] - v)) <= 1e-9 * largest, (unit, key)


def check(folder, case, *words):
    (folder / "case.json").write_text(json.dumps(case))
    return call("check", folder / "case.json", *words)


FORGOTTEN = {"mesh": {"rectangle": {"size": [60, 30], "cells": [40, 20]}}, "materials": {"m": STEEL},
             "sources": [{"at": [30, 30], "force": "1 N", "direction": [0, -1], "signal": {"toneburst": {"frequency": "100 kHz", "cycles": 3}}}],
             "solve": {"explicit": {"end": "14 us"}}, "outputs": {"field": {"frames": 1}}}
QUESTION = "is `units: {length: mm}` missing?"


def test_forgotten_units_are_asked_for(tmp_path):
    """A mesh in mm read as metres: less than a point per wavelength, which is asked about; --strict ends in 4; with the units nothing is said."""
    done = check(tmp_path, FORGOTTEN)
    assert done.returncode == 0 and QUESTION in done.stderr and "no wave is resolved: 0.01 points" in done.stderr
    assert check(tmp_path, FORGOTTEN, "--strict").returncode == 4
    right = check(tmp_path, {**FORGOTTEN, "units": {"length": "mm"}}, "--strict")
    assert right.returncode == 0 and QUESTION not in right.stderr, right.stderr


@pytest.mark.parametrize("change, words", [
    ({"materials": {"m": {**STEEL, "young": 210e9}}, "units": {"length": "mm", "time": "ms"}}, "in the units that `units:` names?"),
    ({"materials": {"m": {**STEEL, "density": 7850}}, "units": {"length": "mm"}}, "the wave speed is"),
    ({"materials": {"m": {**STEEL, "young": 210}}}, "the wave speed is"),
    ({"sources": [{"at": [3, 3], "force": 1, "direction": [0, -1], "signal": {"ricker": {"frequency": 1e-3}}}], "solve": {"explicit": {"end": 0.01}}},
     "e-05 times the shortest wavelength"),
    ({"mesh": {"rectangle": {"size": [60, 0.01], "cells": [50000, 8]}}, "sources": [{**FORGOTTEN["sources"][0], "at": [30, 0.01]}]},
     "3.1e+03 times the shortest wavelength")])
def test_implausible_numbers_are_asked_about(tmp_path, change, words):
    """Speeds outside 10 to 20 000 m/s, thousands of wavelengths or none across the model: a warning; units: none says nothing."""
    case = {**FORGOTTEN, **change}
    done = check(tmp_path, case)
    assert done.returncode == 0 and words in done.stderr, done.stderr


def test_units_none(tmp_path):
    """units: none: plain numbers, no question, no unit in what check says or in results; a number with a unit is an error at its place."""
    plain = {"units": "none", "mesh": {"rectangle": {"size": [6, 3], "cells": [60, 30]}}, "materials": {"stuff": {"density": 1, "p_speed": 1, "s_speed": 0.5}},
             "sources": [{"at": [3, 3], "force": 1, "direction": [0, -1], "signal": {"ricker": {"frequency": 0.2}}}],
             "outputs": {"traces": [{"name": "rx", "at": [[1, 1]]}]}, "solve": {"explicit": {"end": 4}}}
    done = check(tmp_path, plain, "--strict")
    assert done.returncode == 0 and done.stderr == ""
    assert "highest frequency         0.55" in done.stdout and "\nunits " not in done.stdout
    assert not any(f" {unit}{end}" in done.stdout for unit in ("m", "s", "Hz", "m/s", "m^2") for end in (",", "\n"))
    assert call("run", tmp_path / "case.json", "--output", tmp_path / "out", "-q").returncode == 0
    with h5py.File(tmp_path / "out/run.h5") as file:
        assert file["traces/rx/displacement"].attrs["unit"] == ""
    assert json.loads((tmp_path / "out/run.json").read_text())["thickness"] == 1
    wrong = check(tmp_path, {**plain, "solve": {"explicit": {"end": "4 s"}}})
    assert wrong.returncode == 3 and "the case has units: none" in wrong.stderr


def test_check_says_units(tmp_path):
    """check prints the unit of each number that has one, and the thickness, which is 1 m unless given."""
    done = check(tmp_path, {**FORGOTTEN, "units": {"length": "mm", "time": "us", "mass": "mg"}})
    for words in ("highest frequency         0.166667 MHz", "p speed: 5.9", " mm/us", "shortest edge: 1.5 mm", "volume: 1800 mm^2", "thickness                 1000 mm",
                  "end time                  14 us"):
        assert words in done.stdout, done.stdout
    assert "the thickness is 1 m" in done.stderr
    assert "the thickness is 1 m" not in check(tmp_path, {**FORGOTTEN, "thickness": "5 mm"}).stderr


MM = {"length": "mm", "time": "us", "mass": "mg"}
EXPLICIT = {"end": "15 us"}
ADVISED = {
    "layer": (plate(absorb={"sets": ["left"], "thickness": "8 mm"}, sources=POINT),
              [r"layer of depth 8 mm with d_max \S+ 1/us: reflects", r"frequency 0.2 MHz", r"it is 8 mm thick, .* make it [\d.]+ mm thick"]),
    "layer that holds all": (plate(absorb={"sets": ["left", "right"], "thickness": "30 mm"}, sources=POINT), [r"layer, 30 mm thick, contains every node"]),
    "layer of faces": (plate(absorb={"sets": ["left"], "thickness": "0.1 mm"}, sources=POINT), [r"layer, 0.1 mm thick, contains only the nodes of its faces"]),
    "matched layer": (plate(element={"order": 3}, absorb={"kind": "pml", "sets": ["left"], "thickness": "6 mm"}, sources=POINT),
                      [r"matched layer of depth 6 mm,", r"is thin: 6 mm, .* make it [\d.]+ mm thick"]),
    "matched layer that fills": (plate(element={"order": 3}, absorb={"kind": "pml", "sets": ["left"], "thickness": "50 mm"}, sources=POINT), [r"layer, 50 mm thick, fills"]),
    "step above the limit": (plate(sources=POINT, solve={"explicit": {**EXPLICIT, "dt": "0.9 us"}}),
                             [r"time step 0.9 us is above the stability limit [\d.]+ us, set by element \d+: give at most [\d.]+ us,"]),
    "interval": (plate(sources=POINT, solve={"explicit": {**EXPLICIT, "dt": "0.1 us"}}, outputs={"traces": [{**TRACES[0], "interval": "0.25 us"}]}),
                 [r"interval 0.25 us of trace rx is not a multiple of the time step 0.1 us: give dt [\d.]+ us,"]),
    "small interval": (plate(sources=POINT, outputs={"traces": [{**TRACES[0], "interval": "1 ns"}]}), [r"time step 0.001 us, though [\d.]+ us is stable"]),
    "frames": (plate(sources=POINT, solve={"explicit": {**EXPLICIT, "dt": "0.1 us"}}, outputs={"traces": TRACES, "field": {"interval": "0.25 us"}}),
               [r"frames lie up to 0.05 us from .* \(0.1 us apart\)"]),
    "cut signal": (plate(sources=[{**POINT[0], "signal": {"ricker": {"frequency": "200 kHz", "t0": 0}}}]), [r"give t0 [\d.]+ us or more, or a delay of [\d.]+ us"]),
    "dispersion": (plate(element={"order": 4}, sources=[{**POINT[0], "signal": {"ricker": {"frequency": "2 MHz", "t0": "4 us"}}}],
                         solve={"explicit": {**EXPLICIT, "time_dispersion": "keep"}}),
                   [r"highest frequency [\d.]+ MHz arrive early by \S+ rad over [\d.]+ us of time", r"give dt [\d.]+ us", r"time dispersion .*path: [\d.]+ mm, time: [\d.]+ us"]),
    "rounding": (plate(sources=[{"gravity": [0, "-9.81 m/s^2"]}], initial=[{"set": "all", "velocity": ["3 m/s", 0]}]),
                 [r"accelerates the body by \S+ mm/us\^2, so each step of [\d.]+ us changes its speed of up to \S+ mm/us by \S+ mm/us, and rounding loses up to"]),
}


@pytest.mark.parametrize("name", list(ADVISED))
def test_numbers_of_advice_have_units(tmp_path, name):
    """In the units of the case; those without units have none."""
    case, patterns = ADVISED[name]
    done = check(tmp_path, {"units": MM, **case})
    said = done.stdout + done.stderr
    assert all(re.search(p, said) for p in patterns), said
