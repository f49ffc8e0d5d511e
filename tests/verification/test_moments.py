"""Moment tensors, explosions and double couples: the forces at nodes against M : A of linear fields, and waves against the closed solution of
the full space (Aki and Richards 2002, 4.29)."""
import warnings

import hooke
import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::hooke.HookeWarning")
STEEL = {"m": {"density": 7800, "young": 2e11, "poisson": 0.3}}
MESHES = {"tri": ({"rectangle": {"size": [2, 1], "cells": [5, 4], "shape": "tri", "jitter": 0.2}}, 1),
          "quad p4": ({"rectangle": {"size": [2, 1], "cells": [3, 2], "jitter": 0.2}}, 4), "tet": ({"box": {"size": [2, 1, 1], "cells": 3, "shape": "tet", "jitter": 0.2}}, 1),
          "tet10": ({"box": {"size": [2, 1, 1], "cells": 2, "shape": "tet", "jitter": 0.2}}, 2), "hex": ({"box": {"size": [2, 1, 1], "cells": 3, "jitter": 0.2}}, 1),
          "hex p3": ({"box": {"size": [2, 1, 1], "cells": 2, "jitter": 0.2}}, 3)}


def load(source, mesh="hex", at=(0.7, 0.45, 0.6), **more):
    """Forces [node, component] and places of the nodes."""
    shape, order = MESHES[mesh]
    dim = 2 if "rectangle" in shape else 3
    case = {"mesh": shape, "element": {"order": order}, "materials": STEEL, "boundary": [{"set": "left", "fix": ["x", "y", "z"][:dim]}],
            "sources": [{"at": list(at[:dim])} | source], "solve": {"static": {}}} | more
    system = hooke.Model.of_case(case).system()
    return system.by_node(system.load), system.coordinates


def tensor(source, mesh="hex"):
    """Of the forces, by linear fields: their work on u_c = x_d."""
    force, x = load(source, mesh)
    assert force.sum(axis=0) == pytest.approx(np.zeros(x.shape[1]), abs=1e-9 * np.abs(force).max())
    return force.T @ x


@pytest.mark.parametrize("mesh", MESHES)
def test_the_work_on_linear_fields_is_that_of_the_tensor(mesh):
    m = np.array([[2.0, 0.5, -1], [0.5, -3, 0.25], [-1, 0.25, 4]])
    flat = mesh in ("tri", "quad p4")
    given = {"xx": 2, "yy": -3, "xy": 0.5} | ({} if flat else {"zz": 4, "xz": -1, "yz": 0.25})
    size = 2 if flat else 3
    assert tensor({"moment": given}, mesh) == pytest.approx(m[:size, :size], abs=1e-9)
    assert tensor({"explosion": 5}, mesh) == pytest.approx(5 * np.eye(size), abs=1e-9)


def test_components_of_catalogues():
    up, south, east = np.array([0, 0, 1]), np.array([0, -1, 0]), np.array([1, 0, 0])
    for name, a, b in (("rr", up, up), ("tt", south, south), ("pp", east, east), ("rt", up, south), ("rp", up, east), ("tp", south, east)):
        want = np.outer(a, b) if a is b else np.outer(a, b) + np.outer(b, a)
        assert tensor({"moment": {name: 2}}) == pytest.approx(2 * want, abs=1e-9), name


@pytest.mark.parametrize("strike, dip, rake", [(0, 90, 0), (30, 60, -90), (200, 15, 100), (120, 45, 170), (350, 80, 20)])
def test_a_double_couple_is_the_slip_of_the_hanging_wall(strike, dip, rake):
    s, d, r = np.radians([strike, dip, rake])
    along = np.array([np.sin(s), np.cos(s), 0])  # x east, y north
    right = np.array([np.cos(s), -np.sin(s), 0])
    down = np.cos(d) * right - np.sin(d) * np.array([0, 0, 1])
    normal = np.sin(d) * right + np.cos(d) * np.array([0, 0, 1])
    slip = np.cos(r) * along - np.sin(r) * down
    want = 3 * (np.outer(slip, normal) + np.outer(normal, slip))
    assert tensor({"double_couple": {"strike": strike, "dip": dip, "rake": rake, "moment": 3}}) == pytest.approx(want, abs=1e-9)


def test_magnitude():
    units = {"units": {"length": "km", "time": "s", "mass": "kg"}, "materials": {"m": {"density": "2700 kg/m^3", "young": "70 GPa", "poisson": 0.25}}}
    source = {"double_couple": {"strike": 0, "dip": 90, "rake": 0, "magnitude": 4}}
    force, x = load(source, **units)
    assert (force.T @ x)[0, 1] == pytest.approx(10**(1.5 * 4 + 9.1) * 1e-6), "kg km^2/s^2"


def full_space(m, x, time, s, ds, density, p, shear):
    """u[component, time] at x from the source, of the moment m s(t)."""
    r = np.linalg.norm(x)
    g, eye = x / r, np.eye(3)
    ggg = np.einsum("n,p,q", g, g, g)
    gd = np.einsum("n,pq->npq", g, eye), np.einsum("p,nq->npq", g, eye), np.einsum("q,np->npq", g, eye)
    tau = np.linspace(r / p, r / shear, 400)
    near = np.trapezoid(tau * s(time[:, None] - tau), tau, axis=1)
    terms = [((15 * ggg - 3 * sum(gd)) / r**4, near), ((6 * ggg - sum(gd)) / (p * r)**2, s(time - r / p)),
             (-(6 * ggg - sum(gd) - gd[2]) / (shear * r)**2, s(time - r / shear)), (ggg / (p**3 * r), ds(time - r / p)),
             (-(ggg - gd[2]) / (shear**3 * r), ds(time - r / shear))]
    return sum(np.outer(np.einsum("npq,pq->n", a, m), b) for a, b in terms) / (4 * np.pi * density)


@pytest.mark.parametrize("source, m", [({"explosion": 1}, np.eye(3)), ({"double_couple": {"strike": 0, "dip": 90, "rake": 0, "moment": 1}}, np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])),
                                       ({"moment": {"zz": 1, "xz": 0.5}}, np.array([[0, 0, 0.5], [0, 0, 0], [0.5, 0, 1]]))], ids=["explosion", "couple", "dipoles"])
def test_waves_in_the_full_space(source, m, tmp_path):
    """Until echoes of the sides come. Two wavelengths away, with near field."""
    density, young, poisson = 1.0, 1.0, 0.25
    lame = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), young / (2 * (1 + poisson))
    p, shear = np.sqrt((lame[0] + 2 * lame[1]) / density), np.sqrt(lame[1] / density)
    f, t0 = 0.7, 1.6
    places = np.array([[0.9, 0.5, 0.3], [-0.2, 0.7, -0.6], [0.4, -0.3, 0.8]])
    case = {"units": "none", "mesh": {"box": {"from": [-2.2, -2.2, -2.2], "size": [4.4, 4.4, 4.4], "cells": 11}}, "element": {"order": 5}, "materials": {"m": {"density": density, "young": young, "poisson": poisson}},
            "sources": [{"at": [0.0, 0.0, 0.0], "signal": {"ricker": {"frequency": f, "t0": t0}}} | source],
            "outputs": {"traces": [{"name": "a", "at": places.tolist(), "every": 2}]}, "solve": {"explicit": {"end": 3.2}}}
    trace = hooke.run(case, output=tmp_path / "out", pictures=False).traces["a"].displacement
    time = np.asarray(trace.time)

    def s(t):
        a = (np.pi * f * (t - t0))**2
        return (1 - 2 * a) * np.exp(-a)

    def ds(t):
        a = np.pi * f
        u = a * (t - t0)
        return (-6 * u + 4 * u**3) * a * np.exp(-u**2)
    for k, place in enumerate(places):
        want = full_space(m, place, time, s, ds, density, p, shear)
        assert trace.values[k] == pytest.approx(want, abs=0.01 * np.abs(want).max()), k


def test_a_moment_drives_the_model():
    """hooke check does not take it for a model that nothing drives."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        hooke.check({"mesh": MESHES["hex"][0], "materials": STEEL, "sources": [{"at": [0.7, 0.45, 0.6], "moment": {"yz": 1}, "signal": {"ricker": {"frequency": 1e3}}}],
                     "outputs": {"traces": [{"set": "right"}]}, "solve": {"explicit": {"end": 1e-4}}})
    assert not [w for w in said if "drives" in str(w.message)]


def test_what_is_wrong_is_told():
    def refused(source, mesh="hex", **more):
        with pytest.raises(hooke.BadInput) as caught:
            load(source, mesh, **more)
        return str(caught.value)
    couple = {"strike": 0, "dip": 90, "rake": 0}
    assert "give exactly one" in refused({"explosion": 1, "force": 2, "direction": [1, 0, 0]})
    assert "give exactly one" in (said := refused({"explosion": 1, "moment": {"xx": 1}})) and "errors in all" not in said
    assert "zz is for 3D" in refused({"moment": {"xx": 1, "zz": 1}}, "tri") and "double_couple is for 3D" in refused({"double_couple": couple | {"moment": 1}}, "tri")
    assert "give one kind" in refused({"moment": {"xx": 1, "rr": 1}}) and "moment is empty" in refused({"moment": {}})
    assert "explosion does not take direction" in refused({"explosion": 1, "direction": [1, 0, 0]})
    assert "acts at a point" in refused({}, sources=[{"set": "right", "explosion": 1}])
    assert "give moment or magnitude" in refused({"double_couple": couple}) and "not both" in refused({"double_couple": couple | {"moment": 1, "magnitude": 2}})
    assert "has no units" in refused({"double_couple": couple | {"magnitude": 2}}, units="none")
    assert "dip is 91" in refused({"double_couple": couple | {"dip": 91, "moment": 1}})
    assert "lies outside the mesh" in refused({"explosion": 1}, at=(9, 9, 9))
    water = {"m": {"density": 1000, "sound_speed": 1500}}
    with pytest.raises(hooke.BadInput) as caught:
        hooke.run({"mesh": MESHES["quad p4"][0], "element": {"order": 4}, "materials": water, "sources": [{"at": [0.7, 0.45], "explosion": 1, "signal": {"ricker": {"frequency": 1e4}}}],
                   "solve": {"explicit": {"end": 1e-5}}}, output="never")
    assert "fluid" in str(caught.value)
