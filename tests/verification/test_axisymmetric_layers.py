"""Perfectly matched layers of axisymmetric models: closed solutions of the full space in solids and fluids, late times, devices, shots, elements with any
face on the axis, what is refused."""
import numpy as np
import pytest

import fem
from command import has, run
from test_axisymmetric_waves import closed, ricker, space

LAYER = {"kind": "pml", "sets": ["right", "top", "bottom"]}
WATER = {"density": 1.3, "sound_speed": 1.2}
FORCE = {"direction": [0, 1], "force": 1}


def layered(source, cells, side, order, thickness, **more):
    """A source on the axis, in the middle of a cell; layers at all sides."""
    high = (cells + 0.5) * side
    case = space(source, element={"order": order}, **more)
    case["absorb"] = LAYER | {"thickness": thickness}
    case["mesh"] = {"rectangle": {"from": [0, -high], "to": [cells * side, high], "cells": [cells, 2 * cells + 1]}}
    case["sources"][0]["signal"]["ricker"]["t0"] = 1.5
    return case


def full_space(source, x, t):
    if "volume_rate" not in source:
        return closed(source, x, t, 1.5)
    at, r = np.linspace(0, 3, 6001), np.hypot(*x)
    return 1.3 * np.interp(t - r / 1.2, at, np.gradient(ricker(1.2, 1.5, at), at), left=0, right=0) / (4 * np.pi * r)


@pytest.mark.parametrize("source, most", [({"explosion": 1}, 0.009), (FORCE, 0.012), ({"volume_rate": 1}, 0.009)])
def test_full_space(tmp_path, source, most):
    """Layers 0.7 P wavelengths thick: the largest error at any time, of the largest value, at four receivers, one of them on the axis."""
    fluid = "volume_rate" in source
    case = layered(source, 5, 1 / 3, 8, 2 / 3, end=4.5, **({"materials": {"m": WATER}} if fluid else {}))
    case["outputs"]["traces"][0]["at"] = at = [[0.7, 0.0], [0.5, 0.5], [0.0, 0.7], [0.4, -0.8]]
    got = run(tmp_path, case)
    field = got.traces["rx"]["pressure" if fluid else "displacement"]
    errors = []
    for u, x in zip(field, at):
        want = full_space(source, x, got.time["rx"])
        errors.append(np.abs(u - want).max() / np.abs(want).max())
    print([f"{e:.1e}" for e in errors])
    assert max(errors) <= most
    assert got.energy["work"].max() > 0


def small(order=3, **more):
    """A force beside the axis in a body of three cells whose outer one is the layer."""
    case = layered(FORCE, 3, 1 / 3, order, 1 / 3, **more)
    case["sources"] = [{"at": [0.2, 0.05], "direction": [0.6, 0.8], "force": 1, "signal": {"ricker": {"frequency": 1.2}}}]
    case["outputs"]["traces"] = [{"name": "rx", "at": [[0.1, 0.1], [0.3, -0.4]]}]
    return case


@pytest.mark.parametrize("material", [{"density": 1, "young": 1, "poisson": 0.3}, {"density": 1, "young": 1, "poisson": 0.49}, WATER])
def test_what_is_left_decays(tmp_path, material):
    """After 4000 steps a millionth of the energy is left, and less after 8000."""
    case = small(2, materials={"m": material}, end=1.0)
    if "sound_speed" in material:
        case["sources"] = [{"at": [0.2, 0.05], "volume_rate": 1, "signal": {"ricker": {"frequency": 1.2}}}]
    case["solve"]["explicit"]["end"] = 8000 * run(tmp_path, case).dt
    energy = run(tmp_path, case, "--no-pictures").energy
    left = (energy["kinetic"] + energy["strain"]) / energy["work"].max()
    assert 0 <= left[-1] < left[len(left) // 2] <= 1e-6


def test_devices_shots_and_faces(tmp_path):
    """OpenCL, single precision, two devices, two shots and elements listed from other corners give the same motion; the layer lies on the axis too."""
    mesh = fem.grid("quad4", [3, 6], [1.0, 2.0], jitter=0)

    def case(turns):
        turned = fem.Mesh("quad4", mesh.x - [0, 1], np.stack([np.roll(e, -(i % turns)) for i, e in enumerate(mesh.element)]))
        (tmp_path / f"mesh{turns}.inp").write_text(fem.mesh_deck(turned, {}))
        sides = {name: {"what": "faces", "box": {"from": low, "to": high}}
                 for name, low, high in (("right", [1, -1], [1, 1]), ("top", [0, 1], [1, 1]), ("bottom", [0, -1], [1, -1]))}
        return small(4, end=4.0) | {"mesh": str(tmp_path / f"mesh{turns}.inp"), "regions": {"BODY": "m"}, "sets": sides}
    base = case(1)
    got = run(tmp_path, base)
    u = got.traces["rx"]["displacement"]
    assert 0 <= got.energy["kinetic"][-1] + got.energy["strain"][-1] <= 0.2 * got.energy["work"].max()
    for words, most in ((["--device", "cpu,cpu"], 1e-12), (["--device", "opencl"], 1e-11), (["--precision", "single"], 1e-4)):
        if words[1] != "opencl" or has("opencl"):
            other = run(tmp_path, base, *words, name="other").traces["rx"]["displacement"]
            assert np.abs(other - u).max() <= most * np.abs(u).max(), words
    turned = case(4)
    turned["solve"]["explicit"]["dt"] = base["solve"]["explicit"]["dt"] = got.dt
    other = run(tmp_path, turned, name="turned").traces["rx"]["displacement"]
    assert np.abs(other - u).max() <= 1e-9 * np.abs(u).max()
    source = base["sources"][0]
    shots = [source, source | {"direction": [0, -1]}]
    both = run(tmp_path, {k: v for k, v in base.items() if k != "sources"} | {"shots": shots}, name="both").traces["rx"]["displacement"]
    assert np.abs(both[0] - u).max() <= 1e-11 * np.abs(u).max()
    assert np.abs(both[1] - u).max() > 0.1 * np.abs(u).max()


@pytest.mark.parametrize("change, words", [
    ({"element": {"order": 1}}, "needs spectral elements: give element: {order: 2 .. 10} on quadrilaterals, or use kind stacey"),
    ({"mesh": {"rectangle": {"from": [0.1, -1], "to": [2, 1], "cells": [4, 4]}}, "absorb": LAYER | {"sets": ["left"]}}, "not around the axis or a hole"),
])
def test_what_is_not_supported_is_refused(tmp_path, change, words):
    assert words in run(tmp_path, small() | {"outputs": {}} | change, code=3).stderr
