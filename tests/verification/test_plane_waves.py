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


FORCES = {"quad p4": ({"rectangle": {"size": [3, 3], "cells": 6}}, 4), "tri": ({"rectangle": {"size": [3, 3], "cells": 6, "shape": "tri"}}, 1), "order 2": ({"rectangle": {"size": [3, 3], "cells": 6, "shape": "tri"}}, 2),
          "hex": ({"box": {"size": [3, 3, 3], "cells": 6}}, 1), "hex p3": ({"box": {"size": [3, 3, 3], "cells": 6}}, 3), "tet": ({"box": {"size": [3, 3, 3], "cells": 6, "shape": "tet"}}, 1)}


@pytest.mark.parametrize("name", FORCES)
def test_the_forces_are_those_of_the_matrix(name):
    """F = -K u0 of the nodes outside, on those inside, and K u0 of the nodes inside, on those outside, with K of the form that steps (W.27)."""
    mesh, order = FORCES[name]
    dim, time = 3 if "box" in mesh else 2, 2.3
    case = {"units": "none", "mesh": mesh, "element": {"order": order}, "materials": SOLID, "sets": {"inside": {"what": "elements", "box": {"from": [0.9] * dim, "to": [2.1] * dim}}},
            "sources": [{"set": "inside", "plane_wave": {"kind": "sv", "displacement": 2, "incidence": 25, "through": [0] * dim} | ({"azimuth": 30} if dim == 3 else {}), "signal": {"ricker": {"frequency": F, "t0": T0}}}],
            "outputs": {"traces": [{"name": "a", "set": "right"}]}, "solve": {"explicit": {"end": 5}}}
    system = hooke.Model.of_case(case).system(time=time, precision="double", device="cpu")
    force, x = system.by_node(system.load), system.coordinates
    i, level = np.radians(25), np.array([np.sin(np.radians(30)), np.cos(np.radians(30))]) if dim == 3 else np.array([1.0])
    n, m = np.append(np.sin(i) * level, np.cos(i)), np.append(np.cos(i) * level, -np.sin(i))
    u0 = 2 * np.outer(s(time - x @ n / B), m)
    inside = np.abs(x - 1.5).max(axis=1) < 0.51

    def k(u):
        return system.by_node(system.apply(u.reshape(-1)))
    want = np.where(inside[:, None], -k(np.where(inside[:, None], 0, u0)), k(np.where(inside[:, None], u0, 0)))
    assert force == pytest.approx(want, abs=1e-10 * np.abs(want).max()) and np.abs(want).max() > 0


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


def modes(p, w, density, a, b):
    """Columns: P and SV upwards, P and SV downwards; rows: displacement along and up, tractions over -i w; and their vertical slownesses."""
    q = [c if c.imag <= 0 else -c for c in np.sqrt(np.array([1 / a**2 - p**2, 1 / b**2 - p**2], complex))]
    columns, slow = [], []
    for sign in (1, -1):
        for c, v, m in ((a, q[0], lambda v: (a * p, a * v)), (b, q[1], lambda v: (b * v, -b * p))):
            v, mu, m = sign * v, density * b**2, m(sign * v)
            lame = density * a**2 - 2 * mu
            columns.append([m[0], m[1], mu * (p * m[1] + v * m[0]), lame * (p * m[0] + v * m[1]) + 2 * mu * v * m[1]])
            slow.append(v)
    return np.array(columns).T, np.array(slow)


def layered(kind, angle, x, time, start, top, thickness):
    """u[horizontal, up][time] by propagators from the free surface z = 0 downwards (Haskell 1953); top: density, speeds of the layer."""
    c = A if kind == "p" else B
    p, own = np.sin(angle) / c, 0 if kind == "p" else 1
    step, many = time[1] - time[0], 8 * len(time)
    spectrum = np.fft.rfft(s(step * np.arange(many)))
    u = np.zeros((2, len(spectrum)), complex)
    (e1, q1), (e2, q2) = modes(p, 0, *top), modes(p, 0, RHO, A, B)
    for k, w in enumerate(2 * np.pi * np.fft.rfftfreq(many, step)):
        if w > 2 * np.pi * 5 * F:
            break
        def layer(z):
            return (e1 * np.exp(-1j * w * q1 * z)) @ np.linalg.inv(e1)
        given = np.zeros(2, complex)
        given[own] = np.exp(-1j * w * q2[own] * (-thickness - start[1]))
        at_surface = np.linalg.solve((np.linalg.inv(e2) @ layer(-thickness))[:2, :2], given)
        f = layer(max(x[1], -thickness)) @ np.append(at_surface, [0, 0])
        if x[1] < -thickness:
            f = (e2 * np.exp(-1j * w * q2 * (x[1] + thickness))) @ np.linalg.inv(e2) @ f
        u[:, k] = f[:2] * np.exp(-1j * w * p * (x[0] - start[0])) * spectrum[k]
    return np.fft.irfft(u, many)[:, :len(time)]


SOFT = (1.1, 1.2, 0.7)


@pytest.mark.parametrize("kind, degrees, top", [("sv", 50, None), ("p", 40, SOFT), ("sv", 44, SOFT)])
def test_layers_and_beyond_the_critical_angle(kind, degrees, top, tmp_path):
    """SV beyond its critical angle of 36 degrees in the half-space; a soft layer of the thickness 1, which is found from the elements outside."""
    mesh, start = {"rectangle": {"from": [0, -3], "size": [4, 3], "cells": [8, 6]}}, (0.5, -3.5)
    places, nodes = [(2.1, 0), (1.4, -0.7), (2.4, -1.3)], [(0.5, 0), (0.5, -2), (3.5, -0.5)]
    more = {"materials": SOLID | {"soft": dict(zip(("density", "p_speed", "s_speed"), SOFT))}, "regions": {"all": "m", "crust": "soft"}, "sets": {"crust": {"what": "elements", "box": {"from": [0, -1], "to": [4, 0]}}}} if top else {}
    values, time, _ = run(tmp_path, mesh, 5, {"kind": kind, "incidence": degrees, "through": list(start), "free_surface": 0}, places + nodes, 6.5, [[0.9, -2.1], [3.1, 0]], absorb={"kind": "layer", "thickness": 0.4, "sets": ["left", "right", "bottom"]}, **more)
    for k, x in enumerate(places):
        want = 2 * layered(kind, np.radians(degrees), x, time, start, top or (RHO, A, B), 1.0)
        assert values[k] == pytest.approx(want, abs=0.01 * np.abs(want).max()), (k, np.abs(values[k] - want).max(), np.abs(want).max())
    assert np.abs(values[3:]).max() <= 0.01, np.abs(values[3:]).max()


def test_layers_in_3d_and_of_sh(tmp_path):
    """SH has 2 cos(w q z) / (cos(w q h) + i Z1/Z2 sin(w q h)) in the layer; in 3D on a coarse mesh."""
    soft = {"materials": SOLID | {"soft": dict(zip(("density", "p_speed", "s_speed"), SOFT))}, "regions": {"all": "m", "crust": "soft"}}
    wave = {"kind": "sh", "incidence": 30, "free_surface": 0}
    box = run(tmp_path, {"box": {"from": [0, 0, -3], "size": [4, 4, 3], "cells": [4, 4, 3]}}, 6, wave | {"azimuth": 90, "through": [0.5, 0, -3.5]}, [(2.0, 2.0, 0), (1.4, 1.9, -0.7), (0, 2, 0), (2, 2, -3)], 6.0, [[0.9, 0.9, -2.1], [3.1, 3.1, 0]],
              sets={"crust": {"what": "elements", "box": {"from": [0, 0, -1], "to": [4, 4, 0]}}}, **soft)
    flat = run(tmp_path, {"rectangle": {"from": [0, -3], "size": [4, 3], "cells": [8, 6]}}, 5, wave | {"through": [0.5, -3.5]}, [(2.0, 0), (1.4, -0.7), (0.5, 0), (2, -2.5)], 6.0, [[0.9, -2.1], [3.1, 0]],
               sets={"crust": {"what": "elements", "box": {"from": [0, -1], "to": [4, 0]}}}, plane="antiplane", **soft)
    time = flat[1]
    many, step = 8 * len(time), time[1] - time[0]
    p = np.sin(np.pi / 6) / B
    q = np.sqrt(1 / SOFT[2]**2 - p**2), np.sqrt(1 / B**2 - p**2)
    w = 2 * np.pi * np.fft.rfftfreq(many, step)
    ratio = SOFT[0] * SOFT[2]**2 * q[0] / (RHO * B**2 * q[1])
    for k, (x, z) in enumerate([(2.0, 0), (1.4, -0.7)]):
        u = 2 * np.cos(w * q[0] * z) / (np.cos(w * q[0]) + 1j * ratio * np.sin(w * q[0])) * np.exp(-1j * w * (p * (x - 0.5) + 2.5 * q[1]))
        want = 2 * np.fft.irfft(u * np.fft.rfft(s(step * np.arange(many))), many)[:len(time)]
        assert flat[0][k, 0] == pytest.approx(want, abs=0.01 * np.abs(want).max())
        y = np.array([np.interp(time, box[1], c) for c in box[0][k]])
        assert y[1] == pytest.approx(want, abs=0.04 * np.abs(want).max()) and np.abs(y[[0, 2]]).max() <= 0.01
    assert np.abs(flat[0][2:]).max() <= 0.02 and np.abs(box[0][2:]).max() <= 0.02


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
    assert "no highest frequency" in refused({"kind": "sv", "incidence": 40, "free_surface": 3}, source={"signal": "step"})
    assert "from below" in refused({"incidence": 120, "free_surface": 3}) and "free_surface is 2, and the mesh ends at 3" in refused({"free_surface": 2})
    assert "comes in where elements" in refused(set=None) and "leave an element between" in refused(set="all", absorb={"kind": "layer", "thickness": 0.5, "sets": ["left"]})
    assert "before t = 0" in refused({"through": [2, 2]})
    soft = {"soft": SOLID["m"] | {"s_speed": 0.9}}
    edge = SMALL["sets"] | {"edge": {"what": "elements", "box": {"from": [0, 0], "to": [0.3, 3]}}}
    assert "layers need a free_surface" in refused(materials=SOLID | soft, regions={"all": "m", "inside": "m", "edge": "soft"}, sets=SMALL["sets"] | {"edge": {"what": "elements", "box": {"from": [0, 2.3], "to": [3, 3]}}})
    assert "no horizontal layers" in refused({"free_surface": 3}, materials=SOLID | soft, regions={"all": "m", "edge": "soft"}, sets=edge)
    assert "has damping" in refused(materials={"m": SOLID["m"] | {"damping": 1}}) and "damping of the whole body" in refused(damping={"mass": 1})
    assert "attenuation" in refused(materials={"m": SOLID["m"] | {"q_s": 50, "q_p": 80}}, element={"order": 3})
    assert "is for solve: explicit" in refused(solve={"static": {}}, outputs={})
    assert "axisymmetric" in refused(plane="axisymmetric")
