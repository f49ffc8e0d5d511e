"""Plane waves that come into a part of the mesh (W.25 to W.27): inside the wave of the closed solution, outside nothing but what is scattered. Below a
free surface the coefficients are those of Aki and Richards (2002, 5.27 to 5.32)."""
import hooke
import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::hooke.HookeWarning")
RHO, A, B = 1.3, 1.7, 1.0  # density, P and S speed
SOLID = {"m": {"density": RHO, "p_speed": A, "s_speed": B}}
WATER = {"m": {"density": RHO, "sound_speed": A}}
F, T0 = 0.6, 2.0


def s(t, derivative=0):
    a = np.pi * F
    u = a * (t - T0)
    e = np.exp(-u**2)
    return [(1 - 2 * u**2) * e, (-6 * u + 4 * u**3) * a * e][derivative]


def rays(kind, angle, surface=False):
    """[(amplitude, (horizontal, up) of direction, of motion, speed)] of the wave and of what the surface z = 0 sends back; z is down, as in the book."""
    c = A if kind == "p" else B
    p = np.sin(angle) / c
    ci, cj = np.sqrt(1 - (p * A)**2), np.sqrt(1 - (p * B)**2)
    si, sj = p * A, p * B
    comes = {"p": ((si, ci), (si, ci), A), "sv": ((sj, cj), (cj, -sj), B), "sh": ((sj, cj), (0, 0), B)}[kind]
    if not surface:
        return [(1.0, *comes)]
    if kind == "sh":
        return [(1.0, *comes), (1.0, (sj, -cj), (0, 0), B)]
    lower, both = 1 / B**2 - 2 * p**2, 4 * p**2 * ci / A * cj / B
    of = {"p": ((-lower**2 + both), 4 * A / B * p * ci / A * lower), "sv": (4 * B / A * p * cj / B * lower, (lower**2 - both))}[kind]
    pp, ps = np.array(of) / (lower**2 + both)
    return [(1.0, *comes), (pp, (si, -ci), (si, -ci), A), (ps, (sj, -cj), (cj, sj), B)]


def closed(kind, angle, x, time, start, surface=None, derivative=0):
    """[horizontal, up][time] at x = (horizontal, up) of the wave that passes `start` at time 0; of SH the motion across."""
    height = 0 if surface is None else surface
    comes = rays(kind, angle)[0]
    at = (np.dot(comes[1], (0, height)) - np.dot(comes[1], start)) / comes[3]  # the wave passes (0, height)
    u = np.zeros((2, len(time)))
    for amplitude, n, m, c in rays(kind, angle, surface is not None):
        here = amplitude * s(time - at - np.dot(n, np.subtract(x, (0, height))) / c, derivative)
        u += np.outer(m if kind != "sh" else (1, 0), here)
    return u


def run(tmp_path, mesh, order, wave, receivers, end, region, materials=SOLID, quantity="displacement", **more):
    """Values [receiver, component, time] and times; the wave comes into the elements of `region`, or where none is given."""
    dim = 3 if "box" in mesh else 2
    case = {"units": "none", "mesh": mesh, "element": {"order": order}, "materials": materials,
            "sources": [{"plane_wave": {"displacement": 2} | wave, "signal": {"ricker": {"frequency": F, "t0": T0}}} | ({"set": "inside"} if region else {})],
            "outputs": {"traces": [{"name": "a", "at": [list(r) for r in receivers], "quantity": quantity}]}, "solve": {"explicit": {"end": end}}} | more
    if region:
        case["sets"] = {"inside": {"what": "elements", "box": {"from": region[0], "to": region[1]}}} | case.get("sets", {})
    options = more.pop("options", {})
    case.pop("options", None)
    result = hooke.run(case, output=tmp_path / f"out{len(list(tmp_path.iterdir()))}", device="cpu", threads=1, pictures=False, **options)
    trace = result.traces["a"][quantity]
    values = np.asarray(trace.values)
    return values.reshape(len(receivers), -1, values.shape[-1]), np.asarray(trace.time), dim


FLAT = {"rectangle": {"size": [4, 4], "cells": 8}}
BOX = [[0.9, 0.9], [3.1, 3.1]]
INNER, OUTER = [(1.6, 1.9), (2.7, 2.2)], [(0.35, 0.4), (3.7, 1.9), (2.1, 3.7)]
SPACES = {"quad": ({"rectangle": {"size": [4, 4], "cells": 48}}, 1, 0.05, {}), "tri": ({"rectangle": {"size": [4, 4], "cells": 44, "shape": "tri", "jitter": 0.15}}, 1, 0.05, {}),
          "p5 jitter": ({"rectangle": {"size": [4, 4], "cells": 8, "jitter": 0.2}}, 5, 2e-3, {}), "stress": (FLAT, 5, 2e-3, {"plane": "stress"})}


def begin(degrees):
    """A point behind the first of the box that the wave reaches."""
    return [0.5 if degrees >= 0 else 3.5, 0.5]


@pytest.mark.parametrize("name, kind, degrees", [("quad", "sv", 20), ("tri", "p", 35), ("p5 jitter", "sv", -40), ("stress", "p", 25)])
def test_full_space(name, kind, degrees, tmp_path, monkeypatch):
    """u = m s(t - n . (x - x0) / c) inside, u = 0 outside, up to the dispersion of the mesh."""
    mesh, order, tolerance, more = SPACES[name]
    if name == "stress":
        monkeypatch.setitem(globals(), "A", 2 * B * np.sqrt(1 - (B / A)**2))
    values, time, _ = run(tmp_path, mesh, order, {"kind": kind, "incidence": degrees, "through": begin(degrees)}, INNER + OUTER, 4.5, BOX, **more)
    for k, x in enumerate(INNER):
        want = 2 * closed(kind, np.radians(degrees), x, time, begin(degrees))
        assert values[k] == pytest.approx(want, abs=2 * tolerance), (k, np.abs(values[k] - want).max() / 2)
    assert np.abs(values[2:]).max() <= 2 * tolerance, np.abs(values[2:]).max() / 2


@pytest.mark.parametrize("kind, degrees", [("p", 50), ("sv", -30)])
def test_half_space(kind, degrees, tmp_path):
    """The wave, and P and SV from the free surface with the coefficients of the book; no set: all elements that touch no layer."""
    mesh = {"rectangle": {"from": [0, -3], "size": [4, 3], "cells": [8, 6]}}
    places = [(2.1, 0), (1.4, -1.3), (2.4, -0.4)]
    values, time, _ = run(tmp_path, mesh, 5, {"kind": kind, "incidence": degrees, "through": [begin(degrees)[0], -2.5], "free_surface": 0}, places, 4.5, [[0.9, -2.1], [3.1, 0]])
    for k, x in enumerate(places):
        want = 2 * closed(kind, np.radians(degrees), x, time, (begin(degrees)[0], -2.5), surface=0)
        assert values[k] == pytest.approx(want, abs=6e-3), (k, np.abs(values[k] - want).max() / 2)


def test_half_space_of_sh(tmp_path):
    """On the free surface the motion of SH waves is twice that of the wave."""
    mesh = {"rectangle": {"from": [0, -3], "size": [4, 3], "cells": [8, 6]}}
    places = [(2.1, 0), (1.4, -1.3), (0.3, -0.2)]
    values, time, _ = run(tmp_path, mesh, 5, {"kind": "sh", "incidence": 40, "through": [0.5, -2.5], "free_surface": 0}, places, 4.5, [[0.9, -2.1], [3.1, 0]], plane="antiplane", options={"precision": "double"})
    want = [2 * closed("sh", np.radians(40), x, time, (0.5, -2.5), surface=0)[:1] for x in places]
    assert want[0] == pytest.approx(4 * closed("sh", np.radians(40), places[0], time, (0.5, -2.5))[:1])
    assert values[:2] == pytest.approx(np.array(want[:2]), abs=4e-3) and np.abs(values[2]).max() <= 4e-3


@pytest.mark.parametrize("surface", [None, 0])
def test_fluid(surface, tmp_path):
    """p = density speed v of a wave along its direction; the free surface sends it back with the opposite pressure."""
    mesh = {"rectangle": {"from": [0, -3], "size": [4, 3], "cells": [6, 5]}}
    places = [(2.1, -0.8), (1.4, -1.3), (0.3, -2.8)]
    more = {"boundary": [{"set": "top", "fix": "pressure"}], "physics": "acoustic"}
    wave = {"kind": "p", "incidence": 30, "through": [0.5, -2.5]} | ({} if surface is None else {"free_surface": surface})
    values, time, _ = run(tmp_path, mesh, 5, wave, places, 3.0 if surface is None else 4.0, [[0.6, -2.5], [3.4, 0 if surface == 0 else -0.55]], WATER, "pressure", **more)
    comes = 2 * RHO * A * np.array([s(time - np.dot((np.sin(np.pi / 6), np.cos(np.pi / 6)), np.subtract(x, (0.5, -2.5))) / A, 1) for x in places])
    back = 2 * RHO * A * np.array([s(time - np.dot((np.sin(np.pi / 6), np.cos(np.pi / 6)), np.subtract((x[0], -x[1]), (0.5, -2.5))) / A, 1) for x in places])
    want = comes - (0 if surface is None else back)
    scale = np.abs(comes).max()
    assert values[:2, 0] == pytest.approx(want[:2], abs=4e-3 * scale), np.abs(values[:2, 0] - want[:2]).max() / scale
    assert np.abs(values[2]).max() <= 4e-3 * scale


CUBE = {"quad p": ({"box": {"size": [4, 4, 4], "cells": 6}}, 3, 0.02), "hex": ({"box": {"size": [4, 4, 4], "cells": 18}}, 1, 0.12)}


@pytest.mark.parametrize("name, kind", [("quad p", "sv"), ("hex", "p")])
def test_full_space_in_3d(name, kind, tmp_path):
    """Azimuth 30 degrees from y towards x, incidence 40: SV moves in the vertical plane, SH across it."""
    mesh, order, tolerance = CUBE[name]
    i, a = np.radians([40, 30])
    n = np.array([np.sin(i) * np.sin(a), np.sin(i) * np.cos(a), np.cos(i)])
    m = {"p": n, "sv": np.array([np.cos(i) * np.sin(a), np.cos(i) * np.cos(a), -np.sin(i)]), "sh": np.array([-np.cos(a), np.sin(a), 0])}[kind]
    places = [(2.1, 2.2, 1.9), (1.4, 2.5, 2.2), (0, 2, 2), (2, 4, 2)]  # the last two are nodes outside
    values, time, _ = run(tmp_path, mesh, order, {"kind": kind, "incidence": 40, "azimuth": 30, "through": [0.3, 0.3, 0.3]}, places, 4.0, [[0.7, 0.7, 0.7], [3.3, 3.3, 3.3]])
    want = np.array([2 * np.outer(m, s(time - n @ (np.array(x) - 0.3) / (A if kind == "p" else B))) for x in places[:2]])
    assert values[:2] == pytest.approx(want, abs=2 * tolerance) and np.abs(values[2:]).max() <= 2 * tolerance


INCLUSION = {"materials": SOLID | {"soft": {"density": RHO, "p_speed": 0.7 * A, "s_speed": 0.7 * B}}, "regions": {"all": "m", "core": "soft"}}
CORE = {"core": {"what": "elements", "box": {"from": [1.4, 1.4], "to": [2.6, 2.6]}}}


def test_scatterer_beside_a_wide_model(tmp_path):
    """In the wide model the lower side moves as the wave does, and echoes come later. In the small one no set is given: the wave runs in all elements
    that touch no matched layer."""
    places = [(2, 1.75), (1.75, 2.25), (2.75, 2.9)]
    scattered = [(0, 2), (2, 4)]  # nodes between the last elements and the layer
    small = {"rectangle": {"from": [-1, -1], "size": [6, 6], "cells": 12}}
    values, time, _ = run(tmp_path, small, 5, {"kind": "p", "incidence": 0, "through": [0, -2]}, places + scattered, 4.8, None,
                          absorb={"kind": "pml", "thickness": 1.0, "sets": ["left", "right", "top", "bottom"]}, sets=CORE, **INCLUSION)
    wide = {"units": "none", "mesh": {"rectangle": {"from": [-1, -2], "size": [6, 8], "cells": [12, 16]}}, "element": {"order": 5}, "sets": CORE,
            "boundary": [{"set": "bottom", "move": {"y": 2}, "signal": {"ricker": {"frequency": F, "t0": T0}}}, {"set": "bottom", "fix": "x"}, {"set": "left", "fix": "x"}, {"set": "right", "fix": "x"}],
            "outputs": {"traces": [{"name": "a", "at": [list(x) for x in places + scattered]}]}, "solve": {"explicit": {"end": 4.8}}} | INCLUSION
    trace = hooke.run(wide, output=tmp_path / "wide", device="cpu", threads=1, pictures=False).traces["a"].displacement
    want = np.array([[np.interp(time, trace.time, c) for c in place] for place in np.asarray(trace.values)])
    want[3:, 1] -= 2 * np.array([s(time - (x[1] + 2) / A) for x in scattered])
    assert np.abs(want[3:]).max() > 0.15, 'there is something to be compared'
    assert values == pytest.approx(want, abs=0.02)


SMALL = {"units": "none", "mesh": {"rectangle": {"size": [3, 3], "cells": 12}}, "materials": SOLID, "sets": {"inside": {"what": "elements", "box": {"from": [0.7, 0.7], "to": [2.3, 2.3]}}},
         "sources": [{"set": "inside", "plane_wave": {"kind": "p", "displacement": 1, "incidence": 20}, "signal": {"ricker": {"frequency": F}}}],
         "outputs": {"traces": [{"name": "a", "at": [[1.4, 1.6], [0.25, 2]]}], "field": {"frames": 2}}, "solve": {"explicit": {"end": 3.0, "dt": 0.05}}}


def bits(folder):
    import h5py
    with h5py.File(folder / "run.h5") as file:
        found = {}
        file.visititems(lambda name, item: found.update({name: item[()].tobytes()}) if isinstance(item, h5py.Dataset) and item.dtype.kind == "f" else None)
    return found


def test_forms_shots_and_restarts(tmp_path):
    """Forces are made once for all forms of K; a shot has the bits of the run alone, and so has a restart."""
    def traces(name, set=None, case=SMALL, **options):
        return np.asarray(hooke.run(case, output=tmp_path / name, set=set, device="cpu", threads=1, pictures=False, **options).traces["a"].displacement.values)
    alone = traces("alone", precision="double")
    for method in ("edges", "stored", "matrix-free", "blocks"):
        assert traces(method, {"solve.explicit.method": method}, precision="double") == pytest.approx(alone, abs=1e-11), method
    sv = SMALL["sources"][0] | {"plane_wave": {"kind": "sv", "displacement": 1, "incidence": -20}}
    shots = {k: v for k, v in SMALL.items() if k != "sources"} | {"shots": [SMALL["sources"][0], [sv]]}
    both = traces("shots", case=shots, precision="double")
    assert np.array_equal(both[0], alone) and np.array_equal(both[1], traces("sv", case=SMALL | {"sources": [sv]}, precision="double"))
    single = traces("single", precision="single")
    assert single == pytest.approx(alone, abs=1e-5) and not np.array_equal(single, alone)
    traces("part", {"solve.explicit.end": 1.5}, precision="double", keep_checkpoint=True)
    traces("part", precision="double", restart=True)
    assert bits(tmp_path / "part") == bits(tmp_path / "alone")


def test_what_is_wrong_is_told(tmp_path):
    def refused(wave={}, set="inside", source={}, **more):
        case = SMALL | {"sources": [{"plane_wave": {"kind": "p", "displacement": 1, "incidence": 20} | wave, "signal": {"ricker": {"frequency": F}}} | ({"set": set} if set else {}) | source]} | more
        for sources in case["sources"]:
            if sources.get("signal", 1) is None:
                del sources["signal"]
        with pytest.raises(hooke.BadInput) as caught:
            hooke.check(case)
        return str(caught.value)
    assert "needs a signal" in refused(source={"signal": None}) and "give one of them" in refused(source={"force": 1})
    assert "not both" in refused({"direction": [1, 0]}) and "azimuth is for 3D" in refused({"azimuth": 3}) and "does not belong to it" in refused(source={"direction": [1, 0]})
    assert "SH waves do not run in a 2D model" in refused({"kind": "sh"}) and "P waves do not run in a model of plane: antiplane" in refused(plane="antiplane")
    assert "SV waves do not run in a fluid" in refused({"kind": "sv"}, materials=WATER)
    assert "beyond the critical angle of 36.03 degrees" in refused({"kind": "sv", "incidence": 40, "free_surface": 3})
    assert "from below" in refused({"incidence": 120, "free_surface": 3}) and "free_surface is 2, and the mesh ends at 3" in refused({"free_surface": 2})
    assert "comes in where elements" in refused(set=None) and "leave an element between" in refused(set="all", absorb={"kind": "layer", "thickness": 0.5, "sets": ["left"]})
    assert "before t = 0" in refused({"through": [2, 2]})
    soft = {"soft": SOLID["m"] | {"s_speed": 0.9}}
    edge = SMALL["sets"] | {"edge": {"what": "elements", "box": {"from": [0, 0], "to": [0.3, 3]}}}
    assert "element 1, outside the total field, has another material" in refused(materials=SOLID | soft, regions={"all": "m", "edge": "soft"}, sets=edge)
    assert "has damping" in refused(materials={"m": SOLID["m"] | {"damping": 1}}) and "damping of the whole body" in refused(damping={"mass": 1})
    assert "attenuation" in refused(materials={"m": SOLID["m"] | {"q_s": 50, "q_p": 80}}, element={"order": 3})
    assert "is for solve: explicit" in refused(solve={"static": {}}, outputs={})
    assert "axisymmetric" in refused(plane="axisymmetric")
