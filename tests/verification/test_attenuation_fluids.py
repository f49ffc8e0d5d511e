"""Attenuation of fluids: plane waves against constant Q in closed form, alone and into a solid, energies, devices, what is refused."""
import hooke
import numpy as np
import pytest

from test_attenuation import constant_q, far, run, spectrum

pytestmark = pytest.mark.filterwarnings("ignore::hooke.HookeWarning")
QUALITY = {"q_p": 20, "q_band": [100, 2000], "q_frequency": 500}
WATER = {"density": 1000, "sound_speed": 1500}
MUD = WATER | QUALITY
STEEL = {"density": 2500, "p_speed": 3000, "s_speed": 1700}
FREQUENCY = np.array([250, 400, 500, 700, 900])


def column(dim=2, solid=None, **more):
    """A fluid's column along x with a source at its wall, walls at its sides, and a solid behind 12 if one is given."""
    size, cells = [20] + [0.25] * (dim - 1), [40] + [1] * (dim - 1)
    regions = {"sets": {"back": {"what": "elements", "box": {"from": [12] + [0] * (dim - 1), "to": size}}}, "regions": {"back": "iron", "all": "mud"},
               "boundary": [{"set": "all", "fix": ["y", "z"][:dim - 1]}], "plane": "strain"} if solid else {}
    return {"units": "none", "mesh": {"rectangle" if dim == 2 else "box": {"size": size, "cells": cells}}, "element": {"order": 4},
            "materials": {"mud": MUD} | ({"iron": solid} if solid else {}),
            "sources": [{"at": [0] + [0.1] * (dim - 1), "volume_rate": 1, "signal": {"ricker": {"frequency": 500, "t0": 3e-3}}}],
            "outputs": {"traces": [{"name": name, "at": [[x] + [0.1] * (dim - 1)],
                                     "quantity": ["velocity"] if name == "behind" else ["pressure", "velocity"]} for name, x in (("near", 3.5), ("far", 8), ("behind", 14))]},
            "solve": {"explicit": {"end": 0.0125}}} | regions | more


def signals(result, *names, quantity="pressure"):
    return [((u := getattr(result.traces[name], quantity)).time, u.values[0, 0]) for name in names]


@pytest.mark.parametrize("dim", [2, 3])
def test_plane_waves_have_the_quality_factor_and_its_dispersion(dim, tmp_path):
    """u(8) / u(3.5) = exp(-i w 4.5 / c(w)), before what the far end sends back comes."""
    a, b = signals(run(column(dim), tmp_path), "near", "far")
    measured, exact = spectrum(b, FREQUENCY) / spectrum(a, FREQUENCY), constant_q(1500, 20, distance=4.5)
    assert np.log(np.abs(measured)) == pytest.approx(np.log(np.abs(exact)), rel=0.03), "Q"
    assert np.abs(np.angle(measured / exact)).max() < 0.015
    assert np.abs(np.angle(np.exp(-2j * np.pi * FREQUENCY * 4.5 / 1500) / exact)).max() > 0.05, "the dispersion matters"


def test_a_wave_goes_into_a_solid(tmp_path):
    """u behind = u near exp(-i k (12 - 3.5)) 2 Z / (Z + Z_solid) exp(-i k_solid 2), Z = density c(w), complex."""
    folder = [tmp_path / name for name in ("both", "alone")]
    both, alone = (run(column(solid=solid, solve={"explicit": {"end": 0.0138}}), at) for solid, at in zip((STEEL, None), folder))
    (a,), (b,) = signals(alone, "near", quantity="velocity"), signals(both, "behind", quantity="velocity")
    gamma = np.arctan(1 / 20) / np.pi
    z, z_solid = 1000 * 1500 * (1j * FREQUENCY / 500)**gamma / np.cos(np.pi * gamma / 2), 2500 * 3000
    exact = constant_q(1500, 20, distance=8.5) * 2 * z / (z + z_solid) * np.exp(-2j * np.pi * FREQUENCY * 2 / 3000)
    measured = spectrum(b, FREQUENCY) * b[0][1] / (spectrum(a, FREQUENCY) * a[0][1])
    assert np.abs(measured / exact - 1).max() < 0.04


def pool(left=None, right=None, **more):
    """A box of one or two fluids on a solid."""
    return {"units": "none", "mesh": {"rectangle": {"size": [4, 3], "cells": [8, 6], "jitter": 0.2}}, "element": {"order": 4}, "plane": "strain",
            "sets": {"half": {"what": "elements", "box": {"from": [2, 1], "to": [4, 3]}}, "low": {"what": "elements", "box": {"from": [0, 0], "to": [4, 1]}}},
            "materials": {"a": left or MUD, "b": right or MUD, "iron": STEEL}, "regions": {"half": "b", "low": "iron", "all": "a"},
            "sources": [{"at": [1.3, 2.1], "volume_rate": 1, "signal": {"ricker": {"frequency": 900, "t0": 1.4e-3}}}],
            "outputs": {"traces": [{"name": "rx", "at": [[3.1, 2.6], [2.7, 0.4]]}]}, "solve": {"explicit": {"end": 8e-3, "dt": 1e-5}}} | more


def trace(case, folder, **options):
    return run(case, folder, **({"precision": "double"} | options)).traces["rx"].displacement.values


def test_fluids_without_attenuation_stand_beside_others(tmp_path):
    bare = WATER | QUALITY | {"q_p": 1e12}
    mixed = trace(pool(right=WATER), tmp_path)
    assert far(mixed, trace(pool(right=bare), tmp_path)) < 1e-8
    assert far(mixed, trace(pool(), tmp_path)) > 0.01, "the other half matters"
    assert far(trace(pool(bare, bare), tmp_path), trace(pool(WATER, WATER), tmp_path)) < 1e-8


@pytest.mark.parametrize("case", [pool(), pool(sources=[], initial=[{"set": "half", "pressure": 5}]), column()])
def test_energies_close_to_rounding(case, tmp_path):
    summary = run(case, tmp_path, precision="double").summary["energy"]
    assert abs(summary["balance_error"]) < 1e-9
    assert summary["damping"] > 0.02 * (summary["kinetic"] + summary["strain"])


def test_a_fluid_of_its_own_in_each_element(tmp_path):
    """Speeds that differ by 1e-9 give each element a region, and the pressure of one region."""
    varies = MUD | {"sound_speed": {"formula": "1500 * (1 + 1e-9 * (x + 3 * y))"}}

    def case(fluid):
        return {"units": "none", "mesh": {"rectangle": {"size": [4, 3], "cells": [8, 6]}}, "materials": {"a": fluid}} | \
            {k: v for k, v in pool().items() if k in ("sources", "outputs", "solve", "element")}
    want, got = (run(case(fluid), tmp_path, precision="double").traces["rx"].pressure.values for fluid in (MUD, varies))
    assert 0 < far(got, want) < 1e-6


def test_single_precision_and_devices_agree(tmp_path):
    want = trace(pool(right=WATER), tmp_path)
    assert far(trace(pool(right=WATER), tmp_path, precision="single"), want) < 2e-5
    if "opencl" in {device["device"] for device in hooke.devices()}:
        assert far(trace(pool(right=WATER), tmp_path, device="opencl"), want) < 1e-11


@pytest.mark.parametrize("case, words", [
    (pool(WATER | {"q_s": 30, "q_p": 30, "q_band": [1, 2]}), "a fluid has none: give q_p"),
    (pool(WATER | {"q_band": [1, 2]}), "attenuation needs q_p"),
    (pool(WATER | {"q_p": 30}), "attenuation needs q_band"),
    (pool(MUD | {"q_band": [100, 1e9]}), "upper end of its q_band"),
    (pool(absorb={"kind": "pml", "sets": ["left"], "thickness": 0.5}), "does not support a fluid with attenuation"),
])
def test_what_is_refused(case, words, tmp_path):
    with pytest.raises(hooke.BadInput) as error:
        run(case, tmp_path)
    assert words in str(error.value)
