"""Whole runs of spectral elements whose forces are added colour by colour, beside those of slots, the default."""
import numpy as np
import pytest

from command import has, run
from test_fsi import deck

SOLID = {"density": 1.0, "young": 1.0, "poisson": 0.3}
WATER = {"density": 1.0, "sound_speed": 1.0}
SIGNAL = {"ricker": {"frequency": 1.0}}
BOX = {"box": {"size": [2, 1, 1], "cells": [4, 2, 3]}}
PLATE = {"rectangle": {"size": [2, 1], "cells": [7, 4]}}
ROD = {"cylinder": {"radius": 1, "length": 1, "across": 4, "along": 2}}
PUSH = [{"at": [0.45, 0.35], "force": 1, "direction": [0.6, 0.8], "signal": SIGNAL}]
PUSH3 = [{"at": [0.45, 0.35, 0.4], "force": 1, "direction": [0, 0.6, 0.8], "signal": SIGNAL}]
BLOW3 = [{"at": [0.45, 0.35, 0.4], "volume_rate": 1, "signal": SIGNAL}]


def traces(quantity, *at):
    return {"traces": [{"name": "rx", "at": [list(at)], "quantity": quantity}]}


def model(mesh, order, material, sources, output, end, **more):
    return {"mesh": mesh, "element": {"order": order}, "materials": {"m": material}, "sources": sources, "outputs": output,
            "solve": {"explicit": {"end": end, "time_dispersion": "keep"}}} | more


MODELS = {
    "plate": (4, model(PLATE, 4, SOLID, PUSH, traces("displacement", 1.5, 0.6), 3, boundary=[{"set": "left", "fix": ["x"]}])),
    "matched layer": (4, model(PLATE, 3, SOLID, PUSH, traces("velocity", 0.9, 0.6), 3, absorb={"kind": "pml", "sets": ["right"], "thickness": 0.6})),
    "box": (8, model(BOX, 3, SOLID, PUSH3, traces("displacement", 1.5, 0.6, 0.7), 2, damping={"mass": 0.1})),
    "rod": (None, model(ROD, 2, SOLID, PUSH3, traces("displacement", -0.4, 0.1, 0.7), 2)),
    "shots": (4, model(PLATE, 3, SOLID, PUSH, traces("displacement", 1.5, 0.6), 2,
                       shots={"array": {"at": [[0.3, 1], [0.9, 1], [1.6, 1]], "force": 1, "direction": [0, -1]}})),
    "water": (8, model(BOX, 3, WATER, BLOW3, traces("pressure", 1.5, 0.6, 0.7), 2, physics="acoustic")),
}


def by(folder, what, method, *words):
    return run(folder, what, "--set", f"solve.explicit.method={method}", *words, name=method.replace("-", "_"))


def compare(folder, what, colours, precision, device):
    words = ("--precision", precision, "--device", device)
    slots, mine = by(folder, what, "spectral", *words), by(folder, what, "spectral-colours", *words)
    name, quantity = "rx", next(iter(mine.traces["rx"]))
    assert "colours" not in slots.summary and mine.summary["method"] == "spectral-colours"
    assert mine.summary["colours"] == colours if colours else 8 <= mine.summary["colours"] < 32
    assert "colours of elements" in (mine.folder / "log.txt").read_text()
    a, b = mine.traces[name][quantity], slots.traces[name][quantity]
    assert mine.dt == slots.dt or precision == "single"
    off = np.abs(a - b).max() / np.abs(b).max()
    print(f"{len(mine.time[name])} steps, {mine.summary['colours']} colours, off by {off:.1e}")
    assert off <= (1e-12 if precision == "double" else 1e-5) * max(1, len(mine.time[name]) / 100)
    again = by(folder, what, "spectral-colours", *words)
    assert np.array_equal(again.traces[name][quantity], a)


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("name", MODELS)
def test_runs_are_those_of_slots(tmp_path, name, precision):
    """Traces of the two are equal to rounding, those of two runs by colours bit by bit; the rod's section is no grid."""
    colours, what = MODELS[name]
    compare(tmp_path, what, colours, precision, "cpu")


@pytest.mark.parametrize("name", ["plate", "water"])
def test_compiled_runs_are_those_of_slots(tmp_path, name):
    if not has("opencl"):
        pytest.skip("no OpenCL")
    colours, what = MODELS[name]
    compare(tmp_path, what, colours, "double", "opencl")


@pytest.mark.parametrize("device, absorb", [("cpu", {}), ("opencl", {}), ("cpu", {"kind": "pml", "thickness": 0.6}), ("cpu", {"kind": "stacey"}),
                                            ("opencl", {"kind": "pml", "thickness": 0.6})])
def test_fluids_wet_solids(tmp_path, device, absorb):
    """Solids and fluids are cut apart where they meet: colours of either, and the forces between them; where the border leaves through sides
    that absorb too."""
    if not has(device):
        pytest.skip("no OpenCL")
    (tmp_path / "mesh.inp").write_text(deck([6, 6], [2, 2], lambda m: m[1] > 1, bend=0.1, faces=True))
    what = {"mesh": str(tmp_path / "mesh.inp"), "element": {"order": 4}, "materials": {"water": WATER, "m": SOLID},
            "regions": {"iron": "m", "all": "water"}, "sources": [{"at": [0.45, 0.35], "volume_rate": 1, "signal": SIGNAL}],
            "outputs": traces("velocity", 1.3, 1.6), "solve": {"explicit": {"end": 3, "time_dispersion": "keep"}}}
    if absorb:
        what["absorb"] = {**absorb, "sets": ["east", "west"]}
    compare(tmp_path, what, 4, "double", device)


def test_triangles_are_refused(tmp_path):
    what = model(PLATE | {"rectangle": PLATE["rectangle"] | {"shape": "tri"}}, 1, SOLID, PUSH, traces("displacement", 1.5, 0.6), 1)
    del what["element"]
    done = run(tmp_path, what, "--set", "solve.explicit.method=spectral-colours", code=3)
    assert "spectral-colours" in done.stderr and "quadrilaterals" in done.stderr


def test_solids_of_order_1_are_refused(tmp_path):
    """Order 1 leaves linear elements as they were meshed: the words do not propose it."""
    what = model(PLATE, 1, SOLID, PUSH, traces("displacement", 1.5, 0.6), 1)
    done = run(tmp_path, what, "--set", "solve.explicit.method=spectral-colours", code=3)
    assert "order: 2 .. 10" in done.stderr
