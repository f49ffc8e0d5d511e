"""Injection of a recorded wave (W.27): the inside has the total field, the outside what is scattered. The record comes from a formula, or from another
run; cubic splines lie between its samples."""
import json
import subprocess

import h5py
import hooke
import numpy as np
import pytest
import yaml
from command import HOOKE

pytestmark = pytest.mark.filterwarnings("ignore::hooke.HookeWarning")
RHO, A, B, F = 1.3, 1.7, 1.0, 0.6
SOLID = {"m": {"density": RHO, "p_speed": A, "s_speed": B}}
WATER = {"m": {"density": RHO, "sound_speed": A}}
TURNED = {"m": {"density": RHO, "E1": 4.0, "E2": 2.0, "E3": 2.0, "nu12": 0.25, "nu13": 0.25, "nu23": 0.3, "G12": 1.0, "G13": 1.0, "G23": 0.8, "axes": "a"}}
INSIDE, OUTSIDE = [(1.4, 1.6), (1.9, 1.2)], [(0.5, 2.2), (0.7, 0.5)]


def square(order=5, cells=6, shape="quad", materials=SOLID, low=0, size=3, **more):
    """A square of cells of half a unit or smaller, that absorbs around."""
    return {"units": "none", "mesh": {"rectangle": {"from": [low, low], "size": [size, size], "cells": cells, "shape": shape}}, "element": {"order": order}, "materials": materials,
            "sets": {"inside": {"what": "elements", "box": {"from": [0.9, 0.9], "to": [2.1, 2.1]}}},
            "outputs": {"traces": [{"name": "a", "at": [list(x) for x in INSIDE + OUTSIDE]}]}, "solve": {"explicit": {"end": 4.96}}} | more


def run(case, folder, **options):
    return hooke.run(case, output=folder, device="cpu", pictures=False, **({"threads": 1, "precision": "double"} | options))


def values(result, name="a", quantity="displacement"):
    trace = result.traces[name][quantity]
    return np.asarray(trace.time), np.asarray(trace.values)


def points(case, folder):
    """What `hooke inject` writes for a case: the points, and the file."""
    (folder / "local.yaml").write_text(yaml.safe_dump(case))
    subprocess.run([HOOKE, "inject", folder / "local.yaml", "-o", folder / "points.csv"], check=True, capture_output=True)
    return np.loadtxt(folder / "points.csv", delimiter=",", skiprows=1, ndmin=2), folder / "points.csv"


def write(path, x, time, name, units=("", "", ""), **data):
    with h5py.File(path, "w") as file:
        for key, value, unit in zip(("coordinates", "time", *data), (x, time, *data.values()), (*units, *["" for _ in data])):
            file[f"traces/{name}/{key}"] = value
            if unit:
                file[f"traces/{name}/{key}"].attrs["unit"] = unit
    return path


def inner(case, file, **more):
    return case | {"sources": [{"set": "inside", "injection": {"file": str(file)} | more}]}


def wave(kind, x, time, start, rate=False):
    """Ricker's wavelet in a P or SV wave at 20 degrees, that passes the point nearest along it at t = 0: [point][component][time]."""
    n = np.array([np.sin(np.radians(20)), np.cos(np.radians(20))])
    u = np.pi * F * (time[None] - ((x @ n - start) / (A if kind == "p" else B))[:, None] - 1.2 / F)
    s = ((-6 * u + 4 * u**3) * np.pi * F if rate else 1 - 2 * u**2) * np.exp(-u**2)
    return np.array(n if kind == "p" else [n[1], -n[0]])[None, :, None] * s[:, None]


PLANE = {"kind": "p", "displacement": 1, "incidence": 20}


def test_file_of_a_plane_wave_is_the_plane_wave(tmp_path):
    """The error falls with the fourth power of the samples' distance, also of velocities, and of a record that ends between two samples."""
    case = square(absorb={"kind": "pml", "thickness": 0.5, "sets": ["left", "right", "bottom", "top"]})
    want = values(run(case | {"sources": [{"set": "inside", "plane_wave": PLANE, "signal": {"ricker": {"frequency": F}}}]}, tmp_path / "plane"))[1]
    x, _ = points(inner(case, tmp_path / "wave.h5"), tmp_path)
    start = (x @ [np.sin(np.radians(20)), np.cos(np.radians(20))]).min()
    error = []
    for step, rate in ((0.1, False), (0.05, False), (0.05, True)):
        time = np.append(np.arange(0, 4.999, step), 5.0 - 0.3 * step)
        record = wave("p", x, time, start, rate)
        write(tmp_path / "wave.h5", x, time, "w", **{"velocity" if rate else "displacement": record})
        error.append(np.abs(values(run(inner(case, tmp_path / "wave.h5"), tmp_path / f"file{len(error)}"))[1] - want).max())
    assert error[0] < 5e-4 and error[1] < error[0] / 10 and error[2] < 5e-5, error


def outer_of(case, low=-1, **more):
    """The same cells, of a body that is wider around; a source to the left."""
    wide = case | {"sources": [{"at": [-0.3, 1.2], "force": 1, "direction": [1, 0.5], "signal": {"ricker": {"frequency": F}}}]} | more
    cells, size = case["mesh"]["rectangle"]["cells"], case["mesh"]["rectangle"]["size"]
    return {k: v for k, v in wide.items() if k != "sets"} | {"mesh": {"rectangle": case["mesh"]["rectangle"] | {"from": [low, low], "size": [size[0] - 2 * low, size[1] - 2 * low], "cells": round(cells * (size[0] - 2 * low) / size[0])}}}


SAME = {"p5": ({}, 5e-5), "tri3": ({"order": 1, "cells": 18, "shape": "tri"}, 5e-5), "quad8": ({"order": 2, "cells": 12}, 5e-5), "fluid": ({"materials": WATER}, 2e-4), "anisotropic": ({"materials": TURNED, "axes": {"a": {"straight": {"x": [1, 0.6]}}}}, 5e-5),
        "antiplane": ({"plane": "antiplane"}, 5e-5)}


@pytest.mark.parametrize("name", SAME)
def test_inside_the_same_medium(name, tmp_path):
    """With the nodes and the step of the outer run the inner one has its traces inside and nothing outside, but for the error of the splines."""
    what, tolerance = SAME[name]
    case = square(**what) | {"solve": {"explicit": {"end": 4.96, "dt": 0.02, **({} if name == "fluid" else {"time_dispersion": "keep"})}}}
    force = {"volume_rate": 1} if name == "fluid" else {"force": 1, "direction": [0, 0, 1] if name == "antiplane" else [1, 0.5]}
    quantity = "pressure" if name == "fluid" else "displacement"
    case["outputs"]["traces"][0]["quantity"] = quantity
    x, file = points(inner(case, tmp_path / "outer" / "run.h5"), tmp_path)
    out = outer_of(case, sources=[{"at": [-0.3, 1.2], **force, "signal": {"ricker": {"frequency": F}}}])
    out["outputs"] = {"traces": [*out["outputs"]["traces"], {"name": "local", "at": {"file": str(file)}, "quantity": quantity, "every": 2 if case["element"]["order"] == 5 else 4}]}
    if name == "fluid":
        out["solve"] = {"explicit": {"end": 5.96, "dt": 0.02}}
    want = values(run(out, tmp_path / "outer"), quantity=quantity)[1]
    got = values(run(inner(case, tmp_path / "outer" / "run.h5", traces="local"), tmp_path / "inner"), quantity=quantity)[1]
    want = want[..., :got.shape[-1]]
    scale = np.abs(want).max()
    assert scale > 0 and got[:2] == pytest.approx(want[:2], abs=tolerance * scale), np.abs(got - want)[:2].max() / scale
    assert np.abs(got[2:]).max() <= tolerance * scale, np.abs(got[2:]).max() / scale


def test_3d_from_an_axisymmetric_run(tmp_path):
    """u = (u_r cos, u_r sin, u_z) of an explosion on the axis, in elements of order 4 and in tetrahedra; the axis stands anywhere."""
    end, axis = 3.4, [-0.9, 0.4]
    box = {"units": "mm", "mesh": {"box": {"from": [0, 0, 0], "size": [1.5, 1.5, 1.5], "cells": 3}}, "element": {"order": 4}, "materials": {"m": {"density": RHO, "p_speed": A, "s_speed": B}},
           "sets": {"inside": {"what": "elements", "box": {"from": [0.5, 0.5, 0.5], "to": [1, 1, 1]}}}, "absorb": {"sets": ["left", "right", "front", "back", "bottom", "top"], "kind": "stacey"},
           "outputs": {"traces": [{"name": "a", "at": [[0.7, 0.8, 0.9], [0.6, 0.9, 0.6], [0, 1.5, 0], [1.5, 1.5, 1.5]]}]}, "solve": {"explicit": {"end": f"{end} us", "time_dispersion": "keep"}}}
    box["units"] = {"length": "mm", "mass": "mg", "time": "us"}
    tets = {"element": {"order": 1}, "mesh": {"box": box["mesh"]["box"] | {"shape": "tet", "cells": 6}}, "sets": {"inside": {"what": "elements", "box": {"from": [0.24, 0.24, 0.24], "to": [1.26, 1.26, 1.26]}}}}
    x, file = points(inner(box, tmp_path / "ring" / "run.h5", axis=axis), tmp_path)
    assert x.shape[1] == 2 and file.read_text().startswith("x [mm], y [mm]\n")
    np.savetxt(file, np.concatenate([x, points(inner(box | tets, tmp_path / "ring" / "run.h5", axis=axis), tmp_path)[0]]), delimiter=", ", header="x [mm], y [mm]", comments="")
    ring = {"units": {"length": "cm", "mass": "g", "time": "us"}, "plane": "axisymmetric", "mesh": {"rectangle": {"from": ["0 mm", "-3.5 mm"], "size": ["4.5 mm", "7 mm"], "cells": [9, 14]}}, "element": {"order": 5},
            "materials": {"m": {"density": "1.3 mg/mm^3", "p_speed": "1.7 mm/us", "s_speed": "1 mm/us"}}, "sources": [{"at": ["0 mm", "-0.8 mm"], "explosion": 1, "signal": {"ricker": {"frequency": f"{F} MHz"}}}],
            "outputs": {"traces": [{"name": "r", "at": {"file": str(file)}, "quantity": "velocity", "every": 3},
                                   {"name": "a", "at": [[f"{np.hypot(p[0] - axis[0], p[1] - axis[1])} mm", f"{p[2]} mm"] for p in box["outputs"]["traces"][0]["at"]]}]}, "solve": {"explicit": {"end": "3.6 us", "time_dispersion": "keep"}}}
    time, u = values(run(ring, tmp_path / "ring"))
    for name, more, tolerance in (("p4", {}, 0.01), ("tets", tets, 0.15)):
        at, got = values(run(inner(box | more, tmp_path / "ring" / "run.h5", axis=axis, traces="r"), tmp_path / name))
        want = np.array([[np.interp(at, time, 10 * c) for c in one] for one in u])
        scale = np.abs(want).max()
        for k, p in enumerate(box["outputs"]["traces"][0]["at"]):
            away = np.subtract(p[:2], axis) / np.linalg.norm(np.subtract(p[:2], axis))
            expected = np.array([away[0] * want[k, 0], away[1] * want[k, 0], want[k, 1]]) if k < 2 else 0
            assert np.abs(got[k] - expected).max() <= tolerance * scale, (name, k, np.abs(got[k] - expected).max() / scale)


def test_scatterer_beside_one_model_of_all(tmp_path):
    """A soft core within the set: the small model with a matched layer has the traces of a large one with source and core, inside; outside their difference."""
    core = {"materials": SOLID | {"soft": {"density": RHO, "p_speed": 0.7 * A, "s_speed": 0.7 * B}}, "regions": {"all": "m", "core": "soft"}}
    at = {"core": {"what": "elements", "box": {"from": [1.4, 0.9], "to": [2.1, 1.6]}}}
    case = square(low=-1, size=5, cells=10, absorb={"kind": "pml", "thickness": 1.0, "sets": ["left", "right", "bottom", "top"]}) | {"solve": {"explicit": {"end": 4.6}}}
    case["sets"] = case["sets"] | at
    x, file = points(inner(case, tmp_path / "free" / "run.h5"), tmp_path)
    out = outer_of(case, low=-3) | {"mesh": {"rectangle": {"from": [-3, -3], "size": [9, 9], "cells": 18}}, "solve": {"explicit": {"end": 5.6}}}
    out = {k: v for k, v in out.items() if k != "absorb"}
    free = out | {"outputs": {"traces": [*out["outputs"]["traces"], {"name": "local", "at": {"file": str(file)}, "every": 4}]}}
    time, alone = values(run(free, tmp_path / "free", precision="single"))
    full = values(run(out | core | {"sets": at}, tmp_path / "full", precision="single"))[1]
    then, got = values(run(inner(case | core, tmp_path / "free" / "run.h5", traces="local"), tmp_path / "small", precision="single"))
    full[2:] -= alone[2:]
    want = np.array([[np.interp(then, time, c) for c in one] for one in full])
    scale = np.abs(alone).max()
    assert np.abs(want[2:]).max() > 0.03 * scale, np.abs(want[2:]).max() / scale
    assert got == pytest.approx(want, abs=0.01 * scale), np.abs(got - want).max(axis=(1, 2)) / scale


def bits(folder):
    with h5py.File(folder / "run.h5") as file:
        found = {}
        file.visititems(lambda name, item: found.update({name: item[()].tobytes()}) if isinstance(item, h5py.Dataset) and item.dtype.kind == "f" else None)
    return found


def test_forms_shots_and_restarts(tmp_path):
    """All forms of K have the same forces; a shot has the bits of the run alone; a run that is continued to a later end those of the whole run."""
    case = square(order=1, cells=12) | {"solve": {"explicit": {"end": 3.0, "dt": 0.05}}}
    x, _ = points(inner(case, tmp_path / "p.h5"), tmp_path)
    time = np.arange(0, 5.1, 0.1)
    for kind in "p", "s":
        write(tmp_path / f"{kind}.h5", x[::-1], time, "w", displacement=wave(kind, x[::-1], time, 0.4))
    case = inner(case, tmp_path / "p.h5")
    alone = values(run(case, tmp_path / "alone"))[1]
    assert np.abs(alone[:2]).max() > 0.5
    for method in ("edges", "stored", "matrix-free", "blocks"):
        assert values(run(case | {"solve": {"explicit": case["solve"]["explicit"] | {"method": method}}}, tmp_path / method))[1] == pytest.approx(alone, abs=1e-11), method
    late = inner(case, tmp_path / "s.h5")["sources"][0] | {"delay": 0.3}
    shots = {k: v for k, v in case.items() if k != "sources"} | {"shots": [case["sources"][0], [late]]}
    both = values(run(shots, tmp_path / "shots"))[1]
    assert np.array_equal(both[0], alone) and np.array_equal(both[1], values(run(case | {"sources": [late]}, tmp_path / "late"))[1])
    run(case | {"solve": {"explicit": case["solve"]["explicit"] | {"end": 1.5}}}, tmp_path / "part", keep_checkpoint=True)
    run(case, tmp_path / "part", restart=True)
    assert bits(tmp_path / "part") == bits(tmp_path / "alone")


def test_check_counts_the_forces_of_each_step(tmp_path):
    """Where time dispersion is removed each force has a value per step up to the last sample, 11 of 31 MB here: the memory of `hooke check` is the peak within 10 %."""
    case = square(order=2, cells=12) | {"solve": {"explicit": {"end": 1.0, "dt": 0.0003}}}
    x, _ = points(inner(case, tmp_path / "w.h5"), tmp_path)
    time = np.linspace(0, 1.7, 35)
    write(tmp_path / "w.h5", x, time, "w", displacement=wave("p", x, time, 0.4))
    (tmp_path / "local.yaml").write_text(yaml.safe_dump(inner(case, tmp_path / "w.h5")))
    one = [tmp_path / "local.yaml", "--threads", "1", "--device", "cpu", "--json"]
    check, done = (json.loads(subprocess.run([HOOKE, verb, *one, *more], check=True, capture_output=True).stdout)
                   for verb, more in (("check", []), ("run", ["--no-pictures", "--output", tmp_path / "out"])))
    assert check["memory_bytes"] == pytest.approx(done["peak_memory_bytes"], rel=0.1)


def test_what_is_wrong_is_told(tmp_path):
    case = square(order=1, cells=12) | {"solve": {"explicit": {"end": 3.0}}}
    x, _ = points(inner(case, tmp_path / "w.h5"), tmp_path)
    time = np.arange(0, 3.1, 0.1)
    u = wave("p", x, time, 0.4)

    def refused(at=x, when=time, given=u, case=case, units=("", "", ""), quantity="displacement", source={}, **more):
        write(tmp_path / "w.h5", at, when, "w", units, **{quantity: given})
        with pytest.raises(hooke.BadInput) as caught:
            hooke.check(case | {"sources": [{"set": "inside", "injection": {"file": str(tmp_path / "w.h5")} | more} | source]})
        return str(caught.value)
    moved, broken = x.copy(), u.copy()
    moved[5, 1] += 1e-3
    broken[3, 1, 7] = np.nan
    assert "is not among the" in refused(at=moved) and "`hooke.inject()`" in refused(at=moved)
    assert "displacement of point 3, sample 7, is not a number" in refused(given=broken)
    assert "must have the shape [points][component" in refused(given=u[:, :1]) and "must have the shape [points][2]" in refused(at=np.pad(x, [(0, 0), (0, 1)]))
    assert "time[7]: samples must ascend with equal steps" in refused(when=time + 0.03 * (np.arange(31) == 7)) and "at least 6" in refused(when=time[:4], given=u[..., :4])
    assert "end at 2.5, and the run at 3" in refused(when=time[:26], given=u[..., :26]) and "the run begins from rest" in refused(when=time[12:], given=u[..., 12:])
    assert "the case has units: none" in refused(units=("m", "s", "m"))
    with_units = case | {"units": {"length": "m", "mass": "kg", "time": "s"}}
    assert "has no attribute `unit`" in refused(case=with_units) and 'the unit "s" of /traces/w/coordinates is not one of length' in refused(case=with_units, units=("s", "s", "m"))
    assert "is of a solid, and the file has pressures" in refused(quantity="pressure", given=u[:, :1]) and "has no displacement, velocity or pressure" in refused(quantity="stress")
    assert "has no shots" in refused(shot=2) and "has 2 shots: give shot" in refused(given=np.stack([u, u])) and "has no shot 3" in refused(given=np.stack([u, u]), shot=3)
    assert "has no group /traces/v; it has w" in refused(traces="v") and "all values" in refused(given=0 * u)
    assert "does not belong to it" in refused(source={"signal": "step"}) and "give one of them" in refused(source={"force": 1}) and "give one delay" in refused(source={"delay": [0, 1]}) and "axis is for 3D" in refused(axis=[0, 0])
    assert "leave an element between" in refused(case=case | {"sets": {"inside": {"what": "elements", "box": {"from": [0, 0], "to": [2, 2]}}}, "absorb": {"kind": "layer", "thickness": 0.5, "sets": ["left"]}})
    assert "attenuation" in refused(case=square(order=3) | {"materials": {"m": SOLID["m"] | {"q_s": 50, "q_p": 80}}})
    (tmp_path / "w.h5").write_text("no")
    with pytest.raises(hooke.BadInput, match="w.h5"):
        hooke.check(inner(case, tmp_path / "w.h5"))
    done = subprocess.run([HOOKE, "inject", tmp_path / "none.yaml"], capture_output=True, text=True)
    assert done.returncode == 3
