"""A matched layer of solids with attenuation continues it: what comes back of waves at normal and oblique incidence against larger meshes, stability,
devices."""
import hooke
import numpy as np
import pytest

from test_absorbing import reflected
from test_attenuation import far

pytestmark = pytest.mark.filterwarnings("ignore::hooke.HookeWarning")
ROCK = {"density": 1, "p_speed": 2, "s_speed": 1, "q_s": 20, "q_p": 30, "q_band": [0.1, 5], "q_frequency": 1}
ELASTIC = {key: ROCK[key] for key in ("density", "p_speed", "s_speed")}
PML = {"kind": "pml", "sets": "right", "thickness": 1}  # half a wavelength of P


def base(mesh, **more):
    return {"units": "none", "mesh": mesh, "element": {"order": 4}, "materials": {"rock": ROCK}} | ({"plane": "strain"} if "rectangle" in mesh else {}) | more


def velocities(case, folder, **options):
    return hooke.Model.of_case(case).run(output=folder / "out", force=True, pictures=False, **options).traces["rx"].velocity.values


def wall(width, **more):
    """A force 1.8 before the wall, receivers along it at 0.5 from it: mirrored there waves come at up to 74 degrees."""
    return base({"rectangle": {"from": [-3.5, -3], "to": [width, 11], "element": 0.5}},
                sources=[{"at": [0.2, 0.1], "force": 1, "direction": [1, 0.6], "signal": {"ricker": {"frequency": 1}}}],
                outputs={"traces": [{"name": "rx", "at": [[1.5, y] for y in (0, 2.5, 5, 8)], "quantity": "velocity"}]},
                solve={"explicit": {"end": 7, "dt": 0.012}}, **more)


def test_oblique_waves(tmp_path):
    """As much of the waves as in a layer of an elastic body, to 1.4 times where attenuation has weakened the direct wave: measured there 0.036, 0.0096,
    0.0103, 0.057 of each receiver's signal; an elastic layer with the speeds of 1 Hz behind the same body sends 0.017 at 45 degrees."""
    large, small = velocities(wall(8.5), tmp_path), velocities(wall(3, absorb=PML), tmp_path)
    measured = [reflected(small[i:i + 1], large[i:i + 1]) for i in range(4)]
    print("reflected at 8, 45, 63 and 73 degrees:", [f"{part:.4f}" for part in measured])
    assert all(0 < part <= most for part, most in zip(measured, (0.017, 0.0082, 0.0145, 0.06)))


@pytest.mark.parametrize("dim, shear, most", [(2, False, 0.005), (2, True, 0.0072), (3, False, 0.0098)])
def test_waves_at_normal_incidence(dim, shear, most, tmp_path):
    """A plane wave along a column whose sides move as it does; in elastic bodies 0.0049 (P), 0.0075 (S) and in 3D 0.0096 (P) come back of
    layers half a wavelength thick."""
    def column(length, **more):
        size, cells = [length] + [0.5] * (dim - 1), [2 * length] + [1] * (dim - 1)
        held, load = (["x"], [0, 1]) if shear else (["y", "z"][:dim - 1], [1, 0, 0][:dim])
        return base({"rectangle" if dim == 2 else "box": {"size": size, "cells": cells}},
                    boundary=[{"set": "all", "fix": held},
                              {"set": "left", "traction": load, "signal": {"ricker": {"frequency": 0.5 if shear else 1}}}],
                    outputs={"traces": [{"name": "rx", "at": [[2] + [0.25] * (dim - 1)], "quantity": "velocity"}]},
                    solve={"explicit": {"end": 9 if shear else 5, "dt": 0.012}}, **more)
    large, small = velocities(column(7), tmp_path), velocities(column(4, absorb=PML), tmp_path)
    measured = reflected(small, large)
    print(f"{dim}D, {'S' if shear else 'P'}: reflected {measured:.5f}")
    assert 0 < measured <= most


def corner(dim, **more):
    """Layers that meet in a corner, before two materials of which one loses nothing."""
    return base({("rectangle", "box")[dim - 2]: {"size": [3] * dim, "cells": [6, 6] if dim == 2 else [4, 4, 4]}}, element={"order": 4 if dim == 2 else 3},
                materials={"rock": ROCK, "hard": ELASTIC | {"s_speed": 1.1}}, regions={"upper": "hard", "all": "rock"},
                sets={"upper": {"what": "elements", "box": {"from": [0, 1.5, 0][:dim], "to": [3] * dim}}},
                sources=[{"at": [0.9, 1.1, 0.8][:dim], "force": 1, "direction": [1, 0.6, 0.4][:dim], "signal": {"ricker": {"frequency": 1}}}],
                absorb={"kind": "pml", "sets": ["right", "top", "bottom"] + (["back"] if dim == 3 else []), "thickness": 0.75 if dim == 3 else 0.5},
                outputs={"traces": [{"name": "rx", "at": [[0.4, 1.3, 0.7][:dim], [1.2, 0.8, 1.1][:dim]], "quantity": "velocity"}]},
                solve={"explicit": {"end": 4}}, **more)


@pytest.mark.parametrize("dim", [2, 3])
def test_devices_agree(dim, tmp_path):
    case = corner(dim) | {"solve": {"explicit": {"end": 1}}}
    want = velocities(case, tmp_path, precision="double")
    assert far(velocities(case, tmp_path, precision="single"), want) < 5e-5
    if "opencl" in {device["device"] for device in hooke.devices()}:
        assert far(velocities(case, tmp_path, precision="double", device="opencl"), want) < 1e-11


def test_energy_falls(tmp_path):
    """Over 5000 of the largest steps, in a body at one free side."""
    case = corner(2)
    dt = 0.98 * hooke.check(hooke.Model.of_case(case))["dt_limit"]
    case |= {"solve": {"explicit": {"end": 5000 * dt, "dt": dt}}}
    case["outputs"]["traces"][0]["every"] = 40
    energy = hooke.Model.of_case(case).run(output=tmp_path / "out", force=True, pictures=False, precision="double").energy
    total = np.array(energy["kinetic"]) + np.array(energy["strain"])
    parts = [part.max() for part in np.array_split(total, 8)]
    print([f"{part / total.max():.1e}" for part in parts])
    assert all(b < a for a, b in zip(parts, parts[1:])) and parts[-1] < 1e-9 * parts[0]
