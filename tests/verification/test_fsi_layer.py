"""Perfectly matched layers through the border of a fluid and a solid: what comes back, and that energies fall over many steps."""
import itertools

import numpy as np
import pytest

from command import run
from test_fsi import IRON, WATER, case, deck

SIDES_2D = ["west", "east", "south", "north"]
SIDES_3D = ["x0", "x1", "y0", "y1", "z0", "z1"]


def faces_3d(n):
    """Face sets of the sides of n^3 hexahedra."""
    lines = []
    for name, axis, row, face in zip(SIDES_3D, (0, 0, 1, 1, 2, 2), (0, n - 1) * 3, (6, 4, 3, 5, 1, 2)):
        lines.append(f"*SURFACE, NAME={name}")
        for at in itertools.product(range(n), repeat=2):
            i, j, k = (*at[:axis], row, *at[axis:])
            lines.append(f"{1 + i + n * (j + n * k)}, S{face}")
    return "\n".join(lines) + "\n"


def model(folder, dim, inner, depth, cell, layer=True, bend=0.0, **more):
    """A box from -inner to inner and `depth` more, a solid below the origin; a source in the fluid, receivers near the border and away."""
    size = inner + depth
    n = round(2 * size / cell)
    mesh = deck([n] * dim, [2 * size] * dim, lambda m: m[1] < size, bend=bend, faces=dim == 2) + (faces_3d(n) if dim == 3 else "")

    def at(*points):
        return [[c + size for c in p[:dim]] for p in points]
    folder.mkdir(exist_ok=True)
    plan = {"sources": [{"at": at((0.02, 0.31 if dim == 2 else 0.56, 0.1))[0], "volume_rate": 1, "signal": {"ricker": {"frequency": 1}}}],
            "outputs": {"traces": [
                {"name": "fluid", "at": at((0.9 * inner, 0.03, 0.7), (-0.6 * inner, 0.9, 0.9)), "quantity": ["pressure", "velocity"]},
                {"name": "solid", "at": at((0.9 * inner, -0.03, 0.6), (-0.6 * inner, -0.9, 0.2)), "quantity": "velocity"}]}}
    if layer:
        plan["absorb"] = {"kind": "pml", "sets": SIDES_2D if dim == 2 else SIDES_3D, "thickness": depth}
    return case(folder, mesh, **{**plan, "element": {"order": 4}, **more})


@pytest.mark.parametrize("dim, inner, outer, depths, end, dt", [
    (2, 2, 6, {2: 0.002, 1: 0.004}, 7, 0.008), (3, 1, 2.5, {2: 0.002}, 3.2, 0.014)])
def test_what_comes_back(tmp_path, dim, inner, outer, depths, end, dt):
    """A source near the border of water and rock sends waves of both, head waves and the Scholte wave along it, receivers within `inner` of it
    and 0.03 off the border. Against a box without walls: layers of 1 (2D) and half a wavelength of P. The balance of energies closes."""
    plan = {"solve": {"explicit": {"end": end, "dt": dt}}}
    cell = 0.25 if dim == 2 else 0.5
    free = run(tmp_path / "free", model(tmp_path / "free", dim, inner, outer, cell, False, **plan))
    for depth, most in depths.items():
        folder = tmp_path / str(depth)
        got = run(folder, model(folder, dim, inner, depth, cell, **plan))
        for name, quantity in (("fluid", "pressure"), ("fluid", "velocity"), ("solid", "velocity")):
            a, b = got.traces[name][quantity], free.traces[name][quantity]
            assert np.abs(b).max() > 0
            reflected = np.linalg.norm(a - b) / np.linalg.norm(b)
            print(f"{dim}D, {name}, {quantity}, layer of {depth / 2} wavelengths: reflected {reflected:.4f} of the amplitude")
            assert 0 < reflected <= most
        e = got.energy
        assert np.abs(e["kinetic"] + e["strain"] + e["damping"] - e["work"]).max() <= 1e-9 * np.abs(e["work"]).max()


HEAVY = {"water": {"density": 5.0, "sound_speed": 3.0}, "iron": {"density": 1.0, "p_speed": 2.0, "s_speed": 1.1}}  # acts most on the other
SOFT = {"water": WATER, "iron": {"density": 1.8, "p_speed": 1.2, "s_speed": 0.5}}
ROCK = {"water": WATER, "iron": IRON}


@pytest.mark.parametrize("dim, materials, steps, bend, order, precision", [
    (2, ROCK, 20000, 0.0, 5, "double"), (2, HEAVY, 10000, 0.0, 5, "single"), (2, SOFT, 20000, 0.3, 5, "double"),
    (3, HEAVY, 2000, 0.0, 3, "double")])
def test_energy_falls(tmp_path, dim, materials, steps, bend, order, precision):
    """Layers on all sides, the largest dt, the border straight or bent: once the source has ended the energy falls, and is gone in the end."""
    source = [{"at": [3.02, 4.2, 3.1][:dim], "volume_rate": 1, "signal": {"ricker": {"frequency": 2}}}]
    plan = model(tmp_path, dim, 2, 1, 1, bend=bend, materials=materials, sources=source, element={"order": order},
                 solve={"explicit": {"end": 0.5}})
    dt = run(tmp_path, plan).dt
    plan["solve"]["explicit"] = {"end": dt * steps, "dt": dt, "time_dispersion": "keep"}
    for trace in plan["outputs"]["traces"]:
        trace["every"] = 100
    e = run(tmp_path, plan, "--precision", precision).energy
    total = e["kinetic"] + e["strain"]
    parts = [part.max() for part in np.array_split(total, 10)]
    print([f"{p / parts[0]:.1e}" for p in parts])
    assert all(b <= a for a, b in zip(parts, parts[1:])) and parts[-1] <= 1e-4 * parts[0]
