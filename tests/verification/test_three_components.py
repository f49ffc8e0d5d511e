"""Waves with u_x, u_y and u_z of x and y (plane: three-components): an isotropic body against waves in the plane and across it, a slab of one layer in 3D, plane waves
of an anisotropic body against Christoffel's equation, reciprocity, the time step, results, what is refused."""
import json

import h5py
import hooke
import numpy as np
import pytest

from command import call, error, has, run

RICKER = {"ricker": {"frequency": 2.0}}
ROCK = {"density": 2000, "p_speed": 3.5, "s_speed": 2}


def turned():
    """C of an orthotropic body in axes that are turned out of the plane: all constants are there; in units in which the density is 1."""
    c = np.diag([9.0, 7, 8, 2.4, 2.9, 2.1])
    c[:3, :3] += [[0, 3, 2.5], [3, 0, 2.8], [2.5, 2.8, 0]]
    (x, y), place = TURNED.values(), [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)]
    z = np.cross(x, y)
    r = np.array([v / np.linalg.norm(v) for v in (np.array(x), np.cross(z, x), z)])
    full, out = np.zeros((3, 3, 3, 3)), np.zeros((6, 6))
    for a, (i, j) in enumerate(place):
        for b, (k, m) in enumerate(place):
            for p, q in {(i, j), (j, i)}:
                for s, t in {(k, m), (m, k)}:
                    full[p, q, s, t] = c[a, b]
    full = np.einsum("ai,bj,ck,dl,abcd->ijkl", r, r, r, r, full)
    for a, (i, j) in enumerate(place):
        for b, (k, m) in enumerate(place):
            out[a, b] = full[i, j, k, m]
    return full, out


TURNED = {"x": [3, 1, 1], "y": [-1, 2, 1]}
TENSOR, VOIGT = turned()
ORTHOTROPIC = {"density": 1, "c11": 9, "c22": 7, "c33": 8, "c44": 2.4, "c55": 2.9, "c66": 2.1, "c12": 3, "c13": 2.5, "c23": 2.8, "axes": "own"}
TRICLINIC = {"density": 1} | {f"c{i + 1}{j + 1}": VOIGT[i, j] for i in range(6) for j in range(i, 6)}


def body(plane="three-components", order=3, shape="quad", **more):
    return {"units": "none", "plane": plane, "thickness": 0.7, "mesh": {"rectangle": {"size": [3, 2], "cells": [6, 4], "shape": shape, "jitter": 0.15}},
            "element": {"order": order}, "materials": {"rock": ROCK}, "outputs": {"traces": [{"name": "rx", "at": [[2.2, 1.3], [0.4, 1.6]]}]},
            "solve": {"explicit": {"end": 1.5, "dt": 0.004}}} | more


def pushed(plane, part, **more):
    """What acts in the plane and across it: a force, a traction, gravity, an initial velocity, a side that is moved, with dashpots and damping."""
    x, y, z = part
    vector = {"strain": [x, y], "antiplane": [0, 0, z]}.get(plane, [x, y, z])
    size = float(np.linalg.norm(vector))
    move = {axis: value for axis, value in zip("xyz", part) if value}
    return body(plane, absorb={"kind": "stacey", "sets": ["right"]}, damping={"mass": 0.1}, initial=[{"set": "left", "velocity": vector}],
                sources=[{"at": [1.2, 0.9], "force": 5e3 * size, "direction": vector, "signal": RICKER},
                         {"gravity": vector, "signal": RICKER}],
                boundary=[{"set": "top", "traction": [1e3 * v for v in vector], "signal": RICKER}, {"set": "bottom", "move": move, "signal": RICKER}],
                outputs={"traces": [{"name": "rx", "at": [[2.2, 1.3], [0.4, 1.6]], "quantity": ["displacement", "velocity", "strain", "stress", "rotation"]}]}, **more)


@pytest.mark.parametrize("shape, order, method", [("quad", 3, "spectral"), ("tri", 1, "stored")])
def test_an_isotropic_body_moves_as_in_the_plane_and_across_it(shape, order, method, tmp_path):
    more = {"element": {"order": order}, "mesh": body(shape=shape)["mesh"]}
    both, plane, across = (run(tmp_path, pushed(word, part) | more) for word, part in (
        ("three-components", [1, 2, 3]), ("strain", [1, 2, 0]), ("antiplane", [0, 0, 3])))
    got, a, b = (r.traces["rx"] for r in (both, plane, across))
    assert got["stress"].shape[1] == 6 and both.summary["method"] == method
    for quantity, in_plane, over in (("displacement", [0, 1], [2]), ("velocity", [0, 1], [2]), ("strain", [0, 1, 2, 3], [4, 5]), ("stress", [0, 1, 2, 3], [4, 5]),
                                     ("rotation", [2], [0, 1])):
        assert error(got[quantity][:, in_plane], a[quantity]) <= 1e-12 and error(got[quantity][:, over], b[quantity]) <= 1e-12, quantity
    balance = both.energy["kinetic"] + both.energy["strain"] + both.energy["damping"] - both.energy["work"]
    assert np.abs(balance - balance[0]).max() <= 1e-11 * np.abs(both.energy["work"]).max()
    other = ["stored", "spectral-colours"] if order == 3 else []
    for words, most in [(["--precision", "single"], 1e-4)] + [(["--device", "opencl"], 1e-12)] * (order == 3 and has("opencl")) + [
            (["--set", f"solve.explicit.method={name}"], 1e-12) for name in other]:
        other = run(tmp_path, pushed("three-components", [1, 2, 3]) | more, *words, name="other").traces["rx"]["displacement"]
        assert error(other, got["displacement"]) <= most, words


@pytest.mark.parametrize("order", [1, 3])
def test_k_and_m_are_those_of_a_layer_in_3d_that_moves_alike_along_z(order):
    """T^T K T and T^T M T, T: all nodes of the layer over a node of the plane move as it does; the largest frequency, and dt, are those of K and M."""
    case = body(order=order, materials={"rock": ORTHOTROPIC}, axes={"own": {"straight": TURNED}}, solve={"explicit": {"end": 1, "method": "stored"}})
    case["mesh"] = {"rectangle": {"size": [1, 0.6], "cells": [3, 2]}}
    solid = {k: v for k, v in case.items() if k not in ("plane", "thickness")} | {"mesh": {"box": {"size": [1, 0.6, 0.7], "cells": [3, 2, 1]}}, "solve": {"explicit": {"end": 1}}}
    acting = {"outputs": {}, "sources": [{"gravity": [1, 2, 3], "signal": RICKER}]}
    flat, layer = (hooke.Model.of_case(c | acting).system(time=0.7, precision="double", device="cpu") for c in (case, solid))
    x, x3 = flat.mesh.x, layer.mesh.x
    over = np.argmin(np.hypot(*(x3[:, None, d] - x[None, :, d] for d in (0, 1))), axis=1)
    t, k = np.kron(np.eye(len(x))[over], np.eye(3)), flat.matrix().toarray()
    same = [hooke.Model.of_case(case | acting | {"solve": {"explicit": {"end": 1, "method": name}}}).system(precision="double", device="cpu") for name in
            (["spectral", "spectral-colours"] if order > 1 else [])]
    for u in np.random.default_rng(1).standard_normal((4, flat.dofs)):
        assert error(t.T @ layer.apply(t @ u), k @ u) <= 1e-12 and all(error(k @ u, other.apply(u)) <= 1e-12 for other in same)
    assert error(t.T @ layer.mass, flat.mass) <= 1e-12 and error(t.T @ layer.load, flat.load) <= 1e-12
    limit = 2 / np.sqrt(np.linalg.eigvalsh(k / np.sqrt(np.outer(flat.mass, flat.mass))).max())
    dt = hooke.check(hooke.Model.of_case(case | acting))["dt"]
    assert 0.85 * limit <= dt <= limit


@pytest.mark.parametrize("material", [ORTHOTROPIC, TRICLINIC], ids=["turned", "triclinic"])
def test_plane_waves_of_an_anisotropic_body(material, tmp_path):
    """A side under the traction a s(t) sends three waves, v = sum of p (p . a) s(t - x / c) / (rho c) with (n C n) p = rho c^2 p, and dashpots at the other side
    let none of them come back. Waves from the ends of the side come later."""
    a = np.array([1.0, 0.7, -0.4])
    got = run(tmp_path, body(order=4, materials={"rock": material}, axes={"own": {"straight": TURNED}}, thickness=0.3,
                             mesh={"rectangle": {"size": [2, 14], "cells": [10, 14]}}, absorb={"kind": "stacey", "sets": ["right"]},
                             boundary=[{"set": "left", "traction": list(a), "signal": RICKER}],
                             outputs={"traces": [{"name": "rx", "at": [[1, 7.3]], "quantity": "velocity"}]}, solve={"explicit": {"end": 2.2}}))
    squares, p = np.linalg.eigh(TENSOR[:, 0, :, 0])
    time, want = got.time["rx"], 0
    for c, way in zip(np.sqrt(squares), p.T):
        s = (np.pi * 2 * (time - 1 / c - 0.6))**2
        want = want + np.outer(way, way @ a / c * (1 - 2 * s) * np.exp(-s))
    late = time > 1 / np.sqrt(squares[0]) + 1.2
    print(np.sqrt(squares), error(got.traces["rx"]["velocity"][0], want))
    assert error(got.traces["rx"]["velocity"][0], want) <= 5e-3 and late.sum() > 20
    assert all(np.abs(want[c]).max() > 0.05 for c in range(3)) and np.abs(got.traces["rx"]["velocity"][0][:, late]).max() <= 5e-3 * np.abs(want).max()


def test_a_matched_layer_is_that_of_the_plane_and_takes_the_waves_of_any_body(tmp_path):
    """In an isotropic body u_x and u_y are those of plane strain; of an anisotropic one traces are those of a wider model whose sides are far away."""
    layer = {"absorb": {"kind": "pml", "sets": ["left", "right", "top", "bottom"], "thickness": 0.5}}
    a, b = (run(tmp_path, body(plane, 4, sources=[{"at": [1.2, 0.9], "force": 1, "direction": way, "signal": RICKER}], **layer)).traces["rx"]["displacement"]
            for plane, way in (("three-components", [1, 2, 0]), ("strain", [1, 2])))
    assert error(a[:, :2], b) <= 1e-11 and np.abs(a[:, 2]).max() == 0
    def force(low, size, cells, end=3.0, **more):
        return run(tmp_path, body(order=4, materials={"rock": TRICLINIC}, mesh={"rectangle": {"size": size, "cells": cells, "from": low}}, solve={"explicit": {"end": end}},
                                  sources=[{"at": [1.5, 1.1], "force": 1, "direction": [2, 1, 2], "signal": RICKER}], **more))
    near, far = force([0, 0], [3, 2.5], [12, 10], end=8.0, **layer), force([-4, -4], [11, 10.5], [44, 42])
    u, want = (r.traces["rx"]["displacement"] for r in (near, far))
    n = np.searchsorted(near.time["rx"], 2.9)
    wide = np.array([[np.interp(near.time["rx"][:n], far.time["rx"], c) for c in receiver] for receiver in want])
    print(error(u[..., :n], wide), np.abs(u[..., -50:]).max() / np.abs(u).max())
    assert error(u[..., :n], wide) <= 0.02 and np.abs(u[..., -50:]).max() <= 0.01 * np.abs(u).max()


def test_moments_are_reciprocal(tmp_path):
    """The strain at A of a force at B along a direction is the displacement at B along it of the moment at A; zz moves nothing."""
    def at(source, receiver, quantity):
        case = body(materials={"rock": TRICLINIC}, sources=[source | {"signal": RICKER}], outputs={"traces": [{"name": "rx", "at": [receiver], "quantity": quantity}]},
                    solve={"explicit": {"end": 1, "dt": 0.004}})
        return run(tmp_path, case).traces["rx"][quantity][0]
    a, b, way = [0.9, 1.1], [1.9, 0.7], np.array([2, 3, 6]) / 7
    strain = at({"at": b, "force": 1, "direction": [2, 3, 6]}, a, "strain")
    for k, key in enumerate(("xx", "yy", "zz", "xy", "xz", "yz")):
        u = way @ at({"at": a, "moment": {key: 1}}, b, "displacement")
        assert np.abs(u - (1 if k < 3 else 2) * strain[k]).max() <= 1e-11 * np.abs(strain).max() and (k == 2) == (np.abs(u).max() == 0), key


def test_a_fault_table_is_the_double_couple(tmp_path):
    """A line of strike, dip and rake acts as the double couple at its point."""
    (tmp_path / "fault.csv").write_text("x,y,strike,dip,rake,moment\n1.2,0.9,10,40,50,3\n")
    table, couple = (run(tmp_path, body(materials={"rock": TRICLINIC}, sources=[source | {"signal": RICKER}])).traces["rx"]["displacement"]
                     for source in ({"fault": "fault.csv"}, {"at": [1.2, 0.9], "double_couple": {"strike": 10, "dip": 40, "rake": 50, "moment": 3}}))
    assert np.abs(couple).max() > 0 and error(table, couple) <= 1e-12


def test_frames_peaks_and_shots(tmp_path):
    """Frames at nodes are the traces there; u_z is the third component; the peak map is the largest speed; pictures of u_z are drawn; a shot is as alone."""
    case = body(order=2, mesh={"rectangle": {"size": [3, 2], "cells": [6, 4]}}, materials={"rock": TRICLINIC}, sets={"spot": {"what": "nodes", "box": {"from": [1.4, 1.4], "to": [1.6, 1.6]}}},
                sources=[{"at": [1, 0.7], "force": 1, "direction": [0, 0, 1], "signal": RICKER}],
                outputs={"traces": [{"name": "rx", "set": "spot", "quantity": ["displacement", "stress", "velocity"]}], "peak": {"quantity": "velocity"},
                         "field": {"frames": 3, "quantity": ["displacement", "stress"]}, "picture": {"quantity": "displacement", "component": "z"}}, solve={"explicit": {"end": 1.5, "dt": 0.01, "time_dispersion": "keep"}})
    got = run(tmp_path, case, pictures=True)
    trace = {k: v[0] for k, v in got.traces["rx"].items()}
    with h5py.File(got.folder / "field.vtkhdf") as file, h5py.File(got.folder / "field_peak.vtkhdf") as peaks:
        points = file["VTKHDF/Points"][:]
        node = int(np.argmin(np.hypot(points[:, 0] - 1.5, points[:, 1] - 1.5)))
        u, stress = (file[f"VTKHDF/PointData/{name}"][:].reshape(-1, len(points), width) for name, width in (("displacement", 3), ("stress", 6)))
        peak = peaks["VTKHDF/PointData/velocity"][:][node]
    order = [0, 1, 2, 3, 5, 4]  # VTK has xx yy zz xy yz xz
    assert u[-1, node] == pytest.approx(trace["displacement"][:, -1], rel=1e-5) and u[-1, node, 2] != 0
    assert stress[-1, node] == pytest.approx(trace["stress"][order, -1], rel=1e-4)
    assert peak == pytest.approx(np.linalg.norm(trace["velocity"], axis=0).max(), rel=1e-3)
    assert list(got.folder.glob("field_displacement*.png"))
    shots = run(tmp_path, case | {"sources": [], "shots": case["sources"], "outputs": {"traces": case["outputs"]["traces"]}}, name="shots")
    with h5py.File(shots.folder / "run.h5") as file:
        assert np.abs(file["traces/rx/displacement"][0, 0] - trace["displacement"]).max() <= 1e-9 * np.abs(trace["displacement"]).max()


def test_a_sparse_matrix_is_refused(tmp_path):
    """Kernels that assemble K have as many components as directions: `hooke matrix` says what has it; the mass is written."""
    (tmp_path / "case.json").write_text(json.dumps(body(order=1)))
    done = call("matrix", tmp_path / "case.json", "--output", tmp_path / "K.mtx")
    assert done.returncode == 3 and "system().matrix() has it" in done.stderr
    assert call("matrix", tmp_path / "case.json", "--mass", "--output", tmp_path / "M.mtx").returncode == 0


FORCE = {"at": [1, 1], "force": 1, "direction": [0, 0, 1], "signal": RICKER}


@pytest.mark.parametrize("more, words", [
    ({"solve": {"static": {}}, "sources": []}, "plane: three-components is of explicit steps"),
    ({"materials": {"rock": {"density": 1, "sound_speed": 1}}, "sources": []}, "is a fluid, which plane: three-components does not compute"),
    ({"materials": {"rock": ROCK | {"q_s": 20, "q_band": [1, 4]}}}, "has attenuation, which plane: three-components does not support"),
    ({"materials": {"rock": {"density": 1, "c11": 4, "c22": 4, "c12": 1, "c66": 1, "c44": 1, "c33": 4, "c13": 1, "c23": 1}}}, "plane: three-components needs c55"),
    ({"absorb": {"kind": "pml", "sets": ["left"]}, "solve": {"explicit": {"end": 1, "method": "stored"}}}, "a perfectly matched layer needs spectral elements"),
    ({"sources": [FORCE | {"direction": [0, 1]}]}, "direction has 2 components: plane: three-components needs 3, x, y and z"),
    ({"sources": [{"plane_wave": {"kind": "sv", "incidence": 0, "displacement": 1}, "signal": RICKER}]}, "plane_wave is not for plane: three-components"),
    ({"sources": [{"set": "all", "injection": {"file": "none.h5"}}], "sets": {"all": {"what": "elements", "box": {"from": [0, 0], "to": [2, 2]}}}}, "injection is not for plane: three-components"),
    ({"axes": {"own": {"straight": {"x": [1, 0, 0]}}}, "materials": {"rock": ROCK | {"axes": "own"}}}, "y\", which plane: three-components needs"),
    ({"solve": {"explicit": {"end": 1, "method": "edges"}}, "element": {"order": 1}}, 'plane: three-components does not support the form of K "edges": give method: auto'),
    ({"solve": {"explicit": {"end": 1, "method": "spectral"}}, "element": {"order": 1}}, "not quad4 elements: give auto, stored"),
    ({"plane": "strain", "materials": {"rock": TRICLINIC}, "sources": []}, "or remove these constants, or give plane: three-components"),
])
def test_what_is_refused(more, words, tmp_path):
    """Exit 3, and the words say what to do."""
    assert words in run(tmp_path, body(sources=[FORCE]) | more, code=3).stderr
