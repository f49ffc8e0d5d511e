"""Waves with motion across the plane (SH): a line force against its closed form, columns against shear waves in the plane, fluids with the same equation,
attenuation, reciprocity of moments, results, what is refused."""
import h5py
import numpy as np
import pytest

import oracles
from command import call, error, has, run

RHO, SPEED, F = 2000.0, 2.0, 2.0
MU = RHO * SPEED**2
ROCK = {"density": RHO, "p_speed": 3.5, "s_speed": SPEED}
RICKER = {"ricker": {"frequency": F}}


def force(order=4, cells=24, shape="quad", **more):
    """A line force in the middle of 6 x 6; echoes come after the end."""
    return {"units": "none", "plane": "antiplane", "mesh": {"rectangle": {"size": [6, 6], "cells": cells, "shape": shape}}, "element": {"order": order},
            "materials": {"rock": ROCK}, "sources": [{"at": [3, 3], "force": MU, "signal": RICKER}],
            "outputs": {"traces": [{"name": "rx", "at": [[4.2, 3.9]], "quantity": ["displacement", "strain", "stress", "rotation"]}]},
            "solve": {"explicit": {"end": 1.9}}} | more


def closed(t):
    """u_z and du_z/dr at the receiver: u = f(s) H(t - s - r / c) / (2 pi mu sqrt((t - s)^2 - r^2 / c^2)) summed over s, s = t - (r / c) cosh q."""
    r, step = 1.5, 1e-4
    return [np.array(oracles.scalar_line(r + d, t - 1.2 / F, F, SPEED)) for d in (0, step, -step)], 2 * step


@pytest.mark.parametrize("how, most", [({}, (5e-4, 4e-3)), ({"order": 1, "cells": 96}, (0.02, 0.13)), ({"order": 1, "cells": 96, "shape": "tri"}, (0.02, 0.27))])
def test_line_force(how, most, tmp_path):
    """Displacement, and strain, stress and rotation from its slope along the ray, whose direction is (0.8, 0.6); slopes of linear elements are those of their
    middle."""
    got = run(tmp_path, force(**how))
    (u, more, less), step = closed(got.time["rx"])
    trace, slope = {k: v[0] for k, v in got.traces["rx"].items()}, np.outer([0.8, 0.6], (more - less) / step)
    errors = [error(trace["displacement"][0], u)] + [error(trace[k], v) for k, v in (
        ("strain", slope / 2), ("stress", MU * slope), ("rotation", np.array([slope[1], -slope[0]]) / 2))]
    print([f"{e:.5f}" for e in errors])
    assert trace["strain"].shape[0] == 2 and errors[0] <= most[0] and max(errors[1:]) <= most[1]
    assert got.summary["method"] == ("assembled" if "shape" in how else "spectral")


def column(antiplane, acts, order):
    """Shear waves along x: u_z across the plane, or u_y in it."""
    def along(value):
        return [0, 0, value] if antiplane else [0, value]
    axis, held = "z" if antiplane else "y", [] if antiplane else [{"set": "all", "fix": ["x"]}]
    materials = {"rock": ROCK, "clay": {"density": 1500, "p_speed": 2, "s_speed": 1}}
    return {"units": "none", "plane": "antiplane" if antiplane else "strain", "thickness": 0.7,
            "mesh": {"rectangle": {"size": [4, 0.5], "cells": [16, 2]}}, "element": {"order": order}, "materials": materials,
            "sets": {"half": {"what": "elements", "box": {"from": [2, 0], "to": [4, 1]}}}, "regions": {"half": "clay", "all": "rock"},
            "absorb": {"kind": "stacey", "sets": ["right"]}, "damping": {"mass": 0.1},
            "outputs": {"traces": [{"name": "rx", "at": [[0.6, 0.2], [2.9, 0.3]], "quantity": ["displacement", "velocity"]}]},
            "solve": {"explicit": {"end": 3, "dt": 0.004}}} | acts(along, axis, held)


ACTS = {
    "traction": lambda along, axis, held: {"boundary": held + [{"set": "left", "traction": along(3), "signal": RICKER}]},
    "total": lambda along, axis, held: {"boundary": held, "sources": [{"set": "left", "total_force": along(3), "signal": RICKER}]},
    "body": lambda along, axis, held: {"boundary": held + [{"set": "left", "fix": [axis]}], "sources": [{"body_force": along(5), "set": "half", "signal": RICKER}]},
    "gravity": lambda along, axis, held: {"boundary": held + [{"set": "left", "fix": [axis]}], "sources": [{"gravity": along(5), "signal": RICKER}]},
    "moved": lambda along, axis, held: {"boundary": held + [{"set": "left", "move": {axis: 0.2}, "signal": RICKER}]},
    "velocity": lambda along, axis, held: {"boundary": held, "sources": [{"set": "left", "velocity": 0.3, "direction": along(1), "signal": RICKER}]},
    "initial": lambda along, axis, held: {"boundary": held, "initial": [{"set": "half", "velocity": along(0.4), "displacement": along(0.1)}]},
}


@pytest.mark.parametrize("order", [1, 3])
def test_columns_against_waves_in_the_plane(order, tmp_path):
    """Each load, motion and initial state gives u_z and v_z as in the plane u_y and v_y of a column held along x: the same equation by other kernels."""
    for name, acts in ACTS.items():
        got, want = (run(tmp_path, column(antiplane, acts, order), name="column").traces["rx"] for antiplane in (True, False))
        for quantity in ("displacement", "velocity"):
            across, plane = got[quantity][:, 0], want[quantity][:, 1]
            assert got[quantity].shape[1] == 1 and np.abs(plane).max() > 1e-7
            assert error(across, plane) <= 1e-9, (name, quantity, error(across, plane))


@pytest.mark.parametrize("loss", [{"q_s": 20, "q_band": [0.4, 8], "q_frequency": 2}, {"kelvin_voigt": 0.01}])
def test_attenuation_is_that_of_shear_waves_in_the_plane(loss, tmp_path):
    """u_z, v_z and the energies of a column whose left half loses energy are those of u_y in the plane; OpenCL gives the same, and a stopped run goes on with it."""
    def acts(along, axis, held):
        return ACTS["traction"](along, axis, held) | {"materials": {"rock": ROCK | loss, "clay": {"density": 1500, "p_speed": 2, "s_speed": 1}}}
    across, plane = (run(tmp_path, column(antiplane, acts, 3), name="column") for antiplane in (True, False))
    elastic = run(tmp_path, column(True, ACTS["traction"], 3), name="elastic")
    for quantity in ("displacement", "velocity"):
        got, want = across.traces["rx"][quantity][:, 0], plane.traces["rx"][quantity][:, 1]
        assert error(got, want) <= 1e-10 and error(got, elastic.traces["rx"][quantity][:, 0]) > 0.02, quantity
    for name in ("strain", "damping", "work"):
        assert across.energy[name] == pytest.approx(plane.energy[name], rel=1e-9, abs=1e-12 * plane.energy["work"].max()), name
    if has("opencl"):
        other = run(tmp_path, column(True, acts, 3), "--device", "opencl", name="other").traces["rx"]["displacement"]
        assert error(other, across.traces["rx"]["displacement"]) <= 1e-10


def test_a_matched_layer_beside_a_body_with_attenuation(tmp_path):
    """The layer takes waves of an elastic half beside one with attenuation as a wider elastic half does; `hooke check` times such a model."""
    def case(low, **more):
        return {"units": "none", "plane": "antiplane", "mesh": {"rectangle": {"from": [low, 0], "size": [6 - low, 1], "cells": [4 * (6 - low), 4]}}, "element": {"order": 4},
                "materials": {"rock": ROCK, "clay": ROCK | {"q_s": 20, "q_band": [0.4, 8]}}, "regions": {"all": "rock", "half": "clay"},
                "sets": {"half": {"what": "elements", "box": {"from": [3, 0], "to": [6, 1]}}}, "boundary": [{"set": "right", "traction": [0, 0, 1], "signal": RICKER}],
                "outputs": {"traces": [{"name": "rx", "at": [[2.2, 0.5], [4.1, 0.5]], "quantity": "velocity"}]}, "solve": {"explicit": {"end": 4, "dt": 0.004}}} | more
    near = case(0, absorb={"kind": "pml", "sets": ["left"], "thickness": 1})
    got, want = run(tmp_path, near, name="near").traces["rx"]["velocity"], run(tmp_path, case(-6), name="far").traces["rx"]["velocity"]
    assert error(got, want) <= 0.005
    assert call("check", tmp_path / "near.json").returncode == 0


def body(fluid, kind, **more):
    """Two media, the same equation: of fluids q with 1 / density and 1 / bulk, of solids u_z with mu and the density."""
    first, second = (2.0, 3.0), (1.2, 5.0)  # stiffness and inertia
    materials = {name: {"density": 1 / k, "bulk": 1 / m} if fluid else {"density": m, "mu": k, "lambda": k} for name, (k, m) in (("a", first), ("b", second))}
    rate = {"at": [1.3, 1.1], "volume_rate" if fluid else "force": -1 if fluid else 1, "signal": RICKER}
    return {"units": "none", "mesh": {"rectangle": {"size": [4, 3], "cells": [8, 6]}}, "element": {"order": 4}, "materials": materials,
            "sets": {"half": {"what": "elements", "box": {"from": [2, 0], "to": [4, 3]}}}, "regions": {"half": "b", "all": "a"},
            "absorb": {"kind": kind, "sets": ["left", "top"]}, "sources": [rate],
            "outputs": {"traces": [{"name": "rx", "at": [[2.2, 1.7], [0.2, 2.8]], "quantity": "pressure" if fluid else "velocity"}]},
            "solve": {"explicit": {"end": 4, "dt": 0.004}}} | ({} if fluid else {"plane": "antiplane"}) | more


@pytest.mark.parametrize("kind", ["stacey", "pml", "layer"])
def test_boundaries_against_fluids(kind, tmp_path):
    """v_z = -p of the fluid with the same equation, in absorbing boundaries too; OpenCL and single precision give the same."""
    fluid, solid = (run(tmp_path, body(f, kind), name="body") for f in (True, False))
    v, p = solid.traces["rx"]["velocity"], fluid.traces["rx"]["pressure"]
    assert error(v, -p) <= 1e-11
    balance = solid.energy["kinetic"] + solid.energy["strain"] + solid.energy["damping"] - solid.energy["work"]
    assert kind == "pml" or np.abs(balance).max() <= 1e-9 * np.abs(solid.energy["work"]).max()
    for words, most in [(["--precision", "single"], 1e-3)] + [(["--device", "opencl"], 1e-11)] * (kind == "pml" and has("opencl")):
        other = run(tmp_path, body(False, kind), *words, name="other").traces["rx"]["velocity"]
        assert np.abs(other - v).max() <= most * np.abs(v).max(), words


def test_moments_are_reciprocal(tmp_path):
    """2 strain_xz, yz at A of a force at B is u_z at B of the moment xz, yz at A."""
    def at(source, receiver, quantity):
        case = force(cells=6, sources=[source | {"signal": RICKER}], outputs={"traces": [{"name": "rx", "at": [receiver], "quantity": quantity}]},
                     solve={"explicit": {"end": 1.5, "dt": 0.005}})
        return run(tmp_path, case).traces["rx"][quantity][0]
    a, b = [2.7, 3.3], [4.1, 3.8]
    strain = at({"at": b, "force": MU}, a, "strain")
    for k, key in enumerate(("xz", "yz")):
        u = at({"at": a, "moment": {key: MU}}, b, "displacement")
        assert np.abs(u).max() > 0 and error(u[0], 2 * strain[k]) <= 1e-11


def test_frames_peaks_and_shots(tmp_path):
    """Frames at nodes are the traces there, u_z a number, stress the vector (xz, yz, 0); the peak map is the largest; shots are as alone; pictures are drawn."""
    case = force(cells=8, outputs={"traces": [{"name": "rx", "set": "spot", "quantity": ["displacement", "stress", "velocity"]}], "peak": {"quantity": "velocity"},
                                   "field": {"frames": 3, "quantity": ["displacement", "stress"]}, "picture": {"quantity": "displacement"}},
                 sets={"spot": {"what": "nodes", "box": {"from": [4.4, 3.7], "to": [4.6, 3.8]}}}, solve={"explicit": {"end": 1.8, "dt": 0.01, "time_dispersion": "keep"}})
    got = run(tmp_path, case, pictures=True)
    trace = {k: v[0] for k, v in got.traces["rx"].items()}
    with h5py.File(got.folder / "field.vtkhdf") as file, h5py.File(got.folder / "field_peak.vtkhdf") as peaks:
        points = file["VTKHDF/Points"][:]
        node = int(np.argmin(np.hypot(points[:, 0] - 4.5, points[:, 1] - 3.75)))
        u, stress = (file[f"VTKHDF/PointData/{name}"][:].reshape(-1, len(points), *width) for name, width in (("displacement", ()), ("stress", (3,))))
        peak = peaks["VTKHDF/PointData/velocity"][:][node]
    assert u[-1, node] == pytest.approx(trace["displacement"][0, -1], rel=1e-6) and u[-1, node] != 0
    assert stress[-1, node, :2] == pytest.approx(trace["stress"][:, -1], rel=1e-5) and np.all(stress[..., 2] == 0)
    assert peak == pytest.approx(np.abs(trace["velocity"]).max(), rel=1e-5)
    assert list(got.folder.glob("field_displacement_*.png"))
    shots = run(tmp_path, case | {"sources": [], "shots": [case["sources"][0], {"at": [2, 2], "force": 1, "signal": RICKER}],
                                  "outputs": {"traces": case["outputs"]["traces"]}}, name="shots")
    with h5py.File(shots.folder / "run.h5") as file:
        assert file["traces/rx/displacement"][0, 0, 0] == pytest.approx(trace["displacement"][0], rel=1e-9)


@pytest.mark.parametrize("more, words", [
    ({"solve": {"static": {}}}, "plane: antiplane is of explicit steps"),
    ({"materials": {"rock": {"density": 1, "sound_speed": 1}}}, "is a fluid, which plane: antiplane does not move"),
    ({"materials": {"rock": {"density": 1, "c11": 4, "c22": 4, "c12": 1, "c66": 2, "c44": 1, "c55": 1, "c33": 4, "q_s": 20, "q_band": [1, 4]}}},
     "has attenuation and is not isotropic"),
    ({"materials": {"rock": ROCK | {"q_s": 20, "q_band": [1, 4]}}, "absorb": {"kind": "pml", "sets": ["left"]}, "outputs": {}},
     "a perfectly matched layer of plane: antiplane does not support attenuation"),
    ({"materials": {"rock": ROCK | {"q_s": 20, "q_band": [1, 4]}}, "element": {"order": 1}, "mesh": {"rectangle": {"size": [6, 6], "cells": 6, "shape": "tri"}},
      "outputs": {}}, "attenuation (q_s) needs spectral elements"),
    ({"materials": {"rock": {"density": 1, "c11": 4, "c22": 4, "c12": 1, "c66": 1, "c44": 1, "c55": 2, "c33": 4}}}, "give c44 = c55 and c45 = 0"),
    ({"materials": {"rock": {"density": 1, "c11": 4, "c22": 4, "c12": 1, "c66": 1, "c44": 2}}}, "plane: antiplane needs c55"),
    ({"boundary": [{"set": "left", "fix": ["x"]}]}, "component x: plane: antiplane moves along z alone"),
    ({"boundary": [{"set": "left", "move": {"y": 1}, "signal": RICKER}]}, "component y: plane: antiplane moves along z alone"),
    ({"boundary": [{"set": "left", "pressure": 1}]}, "pressure acts in the plane"),
    ({"boundary": [{"set": "left", "traction": [0, 1]}]}, r"traction: plane: antiplane moves along z alone: give [0, 0, z]"),
    ({"sources": [{"at": [3, 3], "force": 1, "direction": [0, 1, 1], "signal": RICKER}]}, "give [0, 0, z]"),
    ({"sources": [{"at": [3, 3], "explosion": 1, "signal": RICKER}]}, "explosion acts in the plane"),
    ({"sources": [{"at": [3, 3], "moment": {"xx": 1}, "signal": RICKER}]}, "moment: xx moves nothing across the plane: give xz, yz"),
    ({"initial": [{"set": "all", "velocity": [1, 0]}]}, "give [0, 0, z]"),
    ({"outputs": {"field": {"quantity": "divergence"}}}, "divergence is 0 with plane: antiplane"),
    ({"outputs": {"field": {"quantity": "pressure"}}}, "pressure is for fluids"),
    ({"solve": {"explicit": {"end": 1, "method": "edges"}}, "element": {"order": 1}, "mesh": {"rectangle": {"size": [6, 6], "cells": 6, "shape": "tri"}}},
     "method edges does not compute waves of plane: antiplane"),
])
def test_what_is_refused(more, words, tmp_path):
    """Exit 3, and the words say what to do."""
    assert words in run(tmp_path, force(cells=4) | more, code=3).stderr
