"""Fluids beside solids in axisymmetric models: columns that are plane models, a quarter of the body in 3D, layers through the border, the moment
tensor on the axis, what is refused."""
import numpy as np
import pytest

from command import error, has, run
from test_axisymmetric_waves import RHO, check_energy, closed, space

WATER = {"density": 1.3, "sound_speed": 2.0}
ROCK = {"density": RHO, "young": 1.0, "poisson": 0.3}
RICKER = {"signal": {"ricker": {"frequency": 1, "t0": 1.2}}}


def halves(case, low, border, high):
    """Water above rock, from the points low to high of the mesh."""
    case["materials"] = {"rock": ROCK, "water": WATER}
    case["sets"] = {"sea": {"what": "elements", "box": {"from": [low[0], border], "to": high}},
                    "land": {"what": "elements", "box": {"from": low, "to": [high[0], border]}}}
    case["regions"] = {"sea": "water", "land": "rock"}
    return case


def column(plane):
    """Between smooth walls, pushed from below, with a free surface on top."""
    case = halves(space({}, end=3.0, element={"order": 4}), [0, -1], 0, [0.5, 1])
    case |= {"plane": plane, "sources": [], "mesh": {"rectangle": {"from": [0, -1], "to": [0.5, 1], "cells": [2, 6]}}}
    case["boundary"] = [{"set": "right", "fix": ["x"]}, {"set": "bottom", "traction": [0, 1]} | RICKER, {"set": "top", "fix": "pressure"}]
    case["boundary"] += [{"set": "left", "fix": ["x"]}] if plane == "strain" else []
    case["outputs"] = {"traces": [{"name": "u", "at": [[0, -0.7], [0.3, -0.3]], "quantity": ["displacement", "stress"]},
                                  {"name": "p", "at": [[0, 0.3], [0.4, 0.7]], "quantity": ["pressure", "velocity"]}]}
    case["solve"]["explicit"]["dt"] = 0.012
    return case


def test_waves_in_a_column_are_those_of_a_plane(tmp_path):
    """Plane waves along the axis do not know the section, also through the border: the weights of its nodes, on the axis too, go with their masses."""
    ring, plane = (run(tmp_path, column(p), name=p) for p in ("axisymmetric", "strain"))
    assert ring.summary["method"] == "stored"
    for name, quantity, most in (("u", "displacement", 1e-12), ("p", "pressure", 1e-12), ("p", "velocity", 1e-11), ("u", "stress", 1e-10)):
        a, b = ring.traces[name][quantity], plane.traces[name][quantity]
        assert np.abs(a - b).max() <= most * np.abs(b).max() > 0, quantity
    check_energy(ring)


def body(absorb=None, **more):
    """A force on the axis in rock below water, and a source of volume beside it."""
    case = halves(space({}, end=4.0, element={"order": 4}), [0, -1.5], 0, [1.5, 1])
    case["mesh"] = {"rectangle": {"from": [0, -1.5], "to": [1.5, 1], "cells": [3, 5]}}
    case["sources"] = [{"at": [0, -0.7], "direction": [0, 1], "force": 1} | RICKER, {"at": [0.7, 0.7], "volume_rate": 0.5} | RICKER]
    case["outputs"] = {"traces": [{"name": "u", "at": [[0, -0.3], [0.6, -0.2]]}, {"name": "p", "at": [[0, 0.2], [0.8, 0.6]], "quantity": "pressure"}]}
    if absorb:
        case["absorb"] = absorb
    return case | more


@pytest.mark.parametrize("absorb", [None, {"kind": "stacey", "sets": ["right", "bottom", "top"]}])
def test_devices_and_energies(tmp_path, absorb):
    """Energies balance, with dashpots across the border too; two shots are two runs; OpenCL and single precision agree."""
    case = body(absorb)
    got = run(tmp_path, case)
    check_energy(got)
    for words, most in ((["--device", "opencl"], 1e-10), (["--precision", "single"], 2e-4)):
        if words[1] != "opencl" or has("opencl"):
            other = run(tmp_path, case, *words, name="other")
            for name, q in (("u", "displacement"), ("p", "pressure")):
                a = got.traces[name][q]
                assert np.abs(other.traces[name][q] - a).max() <= most * np.abs(a).max() > 0
    both = run(tmp_path, {k: v for k, v in case.items() if k != "sources"} | {"shots": case["sources"]}, name="both")
    for name, q in (("u", "displacement"), ("p", "pressure")):
        a = got.traces[name][q]
        assert np.abs(both.traces[name][q].sum(0) - a).max() <= 1e-10 * np.abs(a).max()


def test_layers_across_the_border(tmp_path):
    """What comes back through layers at all sides, of the largest value, against a body whose walls nothing reaches; much later little is left."""
    layer = {"kind": "pml", "sets": ["right", "bottom", "top"], "thickness": 1.0}
    case = body(layer, mesh={"rectangle": {"from": [0, -2.5], "to": [2.5, 2], "cells": [5, 9]}})
    far = body(None, mesh={"rectangle": {"from": [0, -4.5], "to": [4.5, 4.5], "cells": [9, 18]}})
    for one, low, high in ((case, [0, -2.5], [2.5, 2]), (far, [0, -4.5], [4.5, 4.5])):
        halves(one, low, 0, high)
        one["solve"]["explicit"] = {"end": 4.0, "dt": 0.012}
    got, free = run(tmp_path, case), run(tmp_path, far, name="far")
    for name, q in (("u", "displacement"), ("p", "pressure")):
        a, b = got.traces[name][q], free.traces[name][q]
        print(q, np.abs(a - b).max() / np.abs(b).max())
        assert 0 < np.abs(a - b).max() <= 0.02 * np.abs(b).max()
    case["solve"]["explicit"], case["sources"] = {"end": 40}, case["sources"][1:]  # the force on the axis also moves what the mesh does not resolve
    e = run(tmp_path, case, "--no-pictures").energy
    left = (e["kinetic"] + e["strain"]) / e["work"].max()
    assert 0 <= left[-1] < left[len(left) // 2] <= 1e-4


def test_a_quarter_in_3d(tmp_path):
    """A tube with water above rock whose lower end is pushed: a quarter of it by curved spectral elements in 3D has the motion of the meridian."""
    flat = halves(space({}, end=4.0, element={"order": 4}), [0.3, 0], 1, [1, 2])
    flat["mesh"] = {"rectangle": {"from": [0.3, 0], "to": [1, 2], "cells": [1, 4]}}
    flat["sources"] = [{"set": "bottom", "total_force": [0, 1]} | RICKER]
    flat["boundary"] = [{"set": "top", "fix": "pressure"}]
    flat["outputs"] = {"traces": [{"name": "u", "at": [[0.3, 0.31], [0.52, 0.7]]}, {"name": "p", "at": [[0.6, 1.2]], "quantity": "pressure"}]}
    box = {"box": {"from": [0.3, 0, 0], "to": [1, np.pi / 2, 2], "cells": [1, 2, 4]}}
    solid = {k: v for k, v in flat.items() if k != "plane"} | {
        "mesh": {"map": {"mesh": box, "x": "x * cos(y)", "y": "x * sin(y)"}},
        "sets": {"sea": {"what": "elements", "box": {"from": [0, 0, 1], "to": [1, 1, 2]}}, "land": {"what": "elements", "box": {"from": [0, 0, 0], "to": [1, 1, 1]}}},
        "boundary": [{"set": "bottom", "fix": ["y"]}, {"set": "top", "fix": ["x"]}, {"set": "back", "fix": "pressure"}],
        "sources": [{"set": "front", "total_force": [0, 0, 0.25]} | RICKER],
        "outputs": {"traces": [{"name": "u", "at": [[0.3, 0, 0.31], [0.312, 0.416, 0.7]]}, {"name": "p", "at": [[0.36, 0.48, 1.2]], "quantity": "pressure"}]}}
    for one in (flat, solid):
        one["solve"]["explicit"]["dt"] = 0.006
    ring, part = run(tmp_path, flat), run(tmp_path, solid, name="part")
    u, b = ring.traces["u"]["displacement"], part.traces["u"]["displacement"]
    along = np.array([[1, 0], [0.6, 0.8]])
    b = np.stack([np.einsum("nct,nc->nt", b[:, :2], along), b[:, 2]], 1)
    print(error(u, b), error(ring.traces["p"]["pressure"], part.traces["p"]["pressure"]))
    assert error(u, b) <= 3e-3 and error(ring.traces["p"]["pressure"], part.traces["p"]["pressure"]) <= 3e-3


def dipole(x, t, moment, t0):
    """u of the moment along the axis alone, M_zz, by differences of the closed solution of a force along z."""
    h = 1e-3
    force = [closed({"direction": [0, 1]}, [x[0], x[1] + s], t, t0) for s in (h, -h)]
    return moment * (force[1] - force[0]) / (2 * h)


def test_moment_along_the_axis(tmp_path):
    """M_zz alone at a point of the axis (yy; xx = zz = 0) against the derivative of the full space's force; with xx = zz = yy an explosion's motion."""
    case = space({}, cells=6, end=2.8, element={"order": 8})
    case["outputs"]["traces"][0]["at"] = at = [[1.0, 0.2], [0.6, 0.7], [0.0, 0.9]]
    signal = {"signal": {"ricker": {"frequency": 1.2, "t0": 1.5}}}
    case["sources"] = [{"at": [0, 0], "moment": {"yy": 1}} | signal]
    got = run(tmp_path, case)
    errors = [error(u, dipole(x, got.time["rx"], 1, 1.5)) for u, x in zip(got.traces["rx"]["displacement"], at)]
    print([f"{e:.1e}" for e in errors])
    assert max(errors) <= 0.01
    case["solve"]["explicit"]["end"] = 1.6
    case["sources"] = [{"at": [0, 0], "moment": {"xx": 1, "yy": 1, "zz": 1}} | signal]
    all_three = run(tmp_path, case, name="all").traces["rx"]["displacement"]
    case["sources"] = [{"at": [0, 0], "explosion": 1} | signal]
    explosion = run(tmp_path, case, name="explosion").traces["rx"]["displacement"]
    assert np.abs(all_three - explosion).max() <= 1e-12 * np.abs(explosion).max() > 0


REFUSED = [
    (body() | {"element": {"order": 1}}, "need quadrilaterals of order 2 to 10"),
    (body() | {"sources": [{"at": [0, -0.7], "moment": {"xx": 1, "yy": 1}} | RICKER]}, "has xx = zz and no xy"),
    (body() | {"sources": [{"at": [0.4, -0.7], "moment": {"xz": 1}} | RICKER]}, "moment: xz is not axisymmetric"),
    (body() | {"sources": [{"at": [0.4, -0.7], "double_couple": {"strike": 0, "dip": 90, "rake": 0, "moment": 1}} | RICKER]}, "double_couple is not axisymmetric"),
]


@pytest.mark.parametrize("case, words", REFUSED)
def test_what_is_not_supported_is_refused(tmp_path, case, words):
    assert words in run(tmp_path, case, code=3).stderr


def test_a_fault_of_catalogue_components_is_refused(tmp_path):
    """rr is upwards in catalogues, and not r."""
    (tmp_path / "f.csv").write_text("x, y, rr, tt, pp\n0.4, -0.7, 3, 1, 2\n")
    case = body() | {"sources": [{"fault": str(tmp_path / "f.csv")} | RICKER]}
    assert "give xx (r), yy (z), zz (around the axis) and xy" in run(tmp_path, case, code=3).stderr
