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


def couple(strike, dip, rake):
    s, d, r = np.radians([strike, dip, rake])
    along = np.array([np.sin(s), np.cos(s), 0])  # x east, y north
    right = np.array([np.cos(s), -np.sin(s), 0])
    down = np.cos(d) * right - np.sin(d) * np.array([0, 0, 1])
    normal = np.sin(d) * right + np.cos(d) * np.array([0, 0, 1])
    slip = np.cos(r) * along - np.sin(r) * down
    return np.outer(slip, normal) + np.outer(normal, slip)


@pytest.mark.parametrize("strike, dip, rake", [(0, 90, 0), (30, 60, -90), (200, 15, 100), (120, 45, 170), (350, 80, 20)])
def test_a_double_couple_is_the_slip_of_the_hanging_wall(strike, dip, rake):
    want = 3 * couple(strike, dip, rake)
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


@pytest.mark.parametrize("source, m", [({"explosion": 1}, np.eye(3)), ("fault", None),
                                       ({"moment": {"zz": 1, "xz": 0.5}}, np.array([[0, 0, 0.5], [0, 0, 0], [0.5, 0, 1]]))], ids=["explosion", "fault", "dipoles"])
def test_waves_in_the_full_space(source, m, tmp_path):
    """Until echoes of the sides come. Two wavelengths away, with near field. The fault is the sum of its double couples."""
    density, young, poisson = 1.0, 1.0, 0.25
    lame = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), young / (2 * (1 + poisson))
    p, shear = np.sqrt((lame[0] + 2 * lame[1]) / density), np.sqrt(lame[1] / density)
    f, t0 = 0.7, 1.6
    places = np.array([[0.9, 0.5, 0.3], [-0.2, 0.7, -0.6], [0.4, -0.3, 0.8]])
    case = {"units": "none", "mesh": {"box": {"from": [-2.2, -2.2, -2.2], "size": [4.4, 4.4, 4.4], "cells": 11}}, "element": {"order": 5}, "materials": {"m": {"density": density, "young": young, "poisson": poisson}},
            "sources": [{"signal": {"ricker": {"frequency": f, "t0": t0}}} | ({"fault": fault(tmp_path / "f.csv")} if m is None else {"at": [0.0, 0.0, 0.0]} | source)],
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
        points = [(size * couple(*angles), at, onset) for at, angles, size, onset in ROWS] if m is None else [(m, (0, 0, 0), 0)]
        want = sum(full_space(a, place - np.array(at), time, lambda t, b=begin: s(t - b), lambda t, b=begin: ds(t - b), density, p, shear) for a, at, begin in points)
        assert trace.values[k] == pytest.approx(want, abs=0.01 * np.abs(want).max()), k


ROWS = [((0.1, 0.0, -0.1), (0, 90, 0), 1.0, 0.0), ((-0.3, 0.2, 0.1), (30, 60, -90), 0.7, 0.25)]  # place; strike, dip, rake; moment; onset


def fault(path, more="", column=lambda k: ""):
    """A table of ROWS."""
    lines = [", ".join(f"{n:.17g}" for n in (*at, *angles, size, onset)) + column(k) for k, (at, angles, size, onset) in enumerate(ROWS)]
    path.write_text("# a rupture\nx, y, z, strike, dip, rake, moment, onset" + more + "\n" + "\n".join(lines) + "\n")
    return str(path)


def test_a_fault_is_the_sum_of_its_points(tmp_path):
    """Bit for bit that of single sources; and of smooth rises those of tables of the same function, up to what is between their points."""
    ricker = {"ricker": {"frequency": 0.7, "t0": 1.6}}
    x = np.linspace(0, 1, 801)
    rise = [0.9, 1.1]
    grows = [{"table": {"time": (r * x).tolist(), "value": (x**3 * (10 - 15 * x + 6 * x**2)).tolist()}} for r in rise]

    def traces(name, sources):
        case = {"units": "none", "mesh": {"box": {"from": [-1, -1, -1], "size": [2, 2, 2], "cells": 5}}, "element": {"order": 2}, "materials": {"m": {"density": 1.0, "young": 1.0, "poisson": 0.25}},
                "sources": sources, "outputs": {"traces": [{"name": "a", "at": [[0.5, 0.4, -0.3]]}]}, "solve": {"explicit": {"end": 2}}}
        return np.asarray(hooke.run(case, output=tmp_path / name, device="cpu", threads=1, precision="double", pictures=False).traces["a"].displacement.values)

    def single(signals):
        return [{"at": list(at), "double_couple": dict(zip(("strike", "dip", "rake"), angles)) | {"moment": size}, "signal": s, "delay": onset} for (at, angles, size, onset), s in zip(ROWS, signals)]
    assert np.array_equal(traces("one", [{"fault": fault(tmp_path / "a.csv"), "signal": ricker}]), want := traces("many", single([ricker, ricker])))
    assert np.abs(want).max() > 0.01
    smooth = traces("smooth", [{"fault": fault(tmp_path / "b.csv", ", rise_time", lambda k: f", {rise[k]}")}])
    want = traces("tables", single(grows))
    assert smooth == pytest.approx(want, abs=2e-5 * np.abs(want).max()) and not np.array_equal(smooth, want)


def test_units_and_components_of_faults(tmp_path):
    units = {"units": {"length": "km", "time": "s", "mass": "kg"}, "materials": {"m": {"density": "2700 kg/m^3", "young": "70 GPa", "poisson": 0.25}}}

    def tensor_of(text, mesh="hex"):
        (tmp_path / "f.csv").write_text(text)
        force, x = load({}, mesh, sources=[{"fault": str(tmp_path / "f.csv")}], **units)
        return force.T @ x
    size = 10**(1.5 * 4 + 9.1) * 1e-6  # kg km^2/s^2
    strike_slip = size * np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    assert tensor_of("x [m];y [m];z [m];strike [deg];dip;rake;magnitude\n700;450;600;0;90;0;4\n") == pytest.approx(strike_slip, abs=1e-9 * size)
    assert tensor_of(f"X Y Z STRIKE DIP RAKE MOMENT[N m]\n\n0.7 0.45 0.6 0 90 0 {size * 1e6}") == pytest.approx(strike_slip, abs=1e-9 * size)
    assert tensor_of("x, y, z, rt, pp [N m]\n0.7, 0.45, 0.6, 2, 0") == pytest.approx(np.array([[0, 0, 0], [0, 0, -2], [0, -2, 0]]), abs=1e-9)
    assert tensor_of("x, y, xx, xy\n0.7, 0.45, 3, 1\n0.2, 0.1, 1, 0", "tri") == pytest.approx(np.array([[4, 1], [1, 0]]), abs=1e-9)


def test_what_is_wrong_with_a_fault_is_told(tmp_path):
    def refused(text, source={}, mesh="hex", solve={"explicit": {"end": 1}}, **more):
        (tmp_path / "f.csv").write_text(text)
        with pytest.raises(hooke.BadInput) as caught:
            load({}, mesh, sources=[{"fault": str(tmp_path / "f.csv")} | source], solve=solve, outputs={"traces": [{"set": "right"}]} if "explicit" in solve else {}, **more)
        return str(caught.value)
    good, row = "x, y, z, strike, dip, rake, moment, rise_time\n", "0.7, 0.45, 0.6, 0, 90, 0, 1, 1\n"
    assert 'f.csv:1: error: the column "depth" is not known' in refused("x,y,depth\n") and "twice" in refused("x,y,x\n")
    assert "f.csv:3: error: dip, column 5, is not a number" in refused(good + row + "0.7, 0.45, 0.6, 0, steep, 0, 1, 1\n") and "more numbers" in refused(good + row[:-1] + ", 5\n")
    assert "f.csv:2: error: the point [9, 0.45, 0.6] lies outside" in refused(good + "9" + row[3:]) and "dip must be" in refused(good + row.replace("90", "91"))
    assert "columns x, y and z are needed" in refused("x,y,strike\n") and "no z" in refused(good, mesh="tri") and "strike, dip and rake are for 3D" in refused("x,y,strike\n", mesh="tri")
    assert "either strike" in refused("x,y,z\n") and "either strike" in refused("x,y,z,xx,dip\n") and "needs the columns strike" in refused("x,y,z,dip,moment\n")
    assert "one of the columns moment" in refused("x,y,z,strike,dip,rake\n") and "has units: none" in refused(good.replace("x", "x [m]", 1), units="none")
    assert "[kg] is not a unit of moment" in refused(good.replace("moment", "moment [kg]")) and "has no units: give moment" in refused(good.replace("moment", "magnitude"), units="none")
    assert "rise_time, or a signal" in refused(good.replace(", rise_time", "")) and "and the source has a signal" in refused(good, {"signal": {"ricker": {"frequency": 1}}})
    assert "no point" in refused(good) and "leave out rise_time" in refused(good, solve={"static": {}}) and "rise_time must be above 0" in refused(good + row[:-2] + "0\n")
    assert "give one kind" in refused("x,y,z,xx,pp,rise_time\n0.7,0.45,0.6,1,2,1\n") and "onset must be" in refused(good.replace(", rise", ", onset, rise") + row[:-2] + "-0.5, 1\n")
    wave = {"plane_wave": {"kind": "p", "displacement": 1, "incidence": 0}, "signal": {"ricker": {"frequency": 1}}}
    assert "the source has plane_wave and fault" in refused(good + row, wave)
    assert "does not belong to it" in refused(good + row, {"at": [0.7, 0.45, 0.6]}) and "give one of them" in refused(good + row, {"force": 1})
    assert "xx, yy and xy alone" in refused("x,y,xx,xz,rise_time\n0.7,0.45,1,1,1\n", mesh="tri")
    with pytest.raises(hooke.BadInput) as caught:
        load({}, sources=[{"fault": str(tmp_path / "absent.csv")}])
    assert "absent.csv" in str(caught.value)


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
