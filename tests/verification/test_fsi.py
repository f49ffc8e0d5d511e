"""Fluids that wet solids: plane waves through the border, a coupled resonance, energies over many steps, a bent border, what is refused."""
import json

import numpy as np
import pytest
from scipy.optimize import brentq

import oracles
from command import call, error, has, run

WATER = {"density": 1.0, "sound_speed": 1.0}
IRON = {"density": 2.5, "p_speed": 2.0, "s_speed": 1.1}
Z_F, Z_S, C_P, F = 1.0, 5.0, 2.0, 2.0


def deck(cells, size, solid, bend=0.0, faces=False):
    """Quadrilaterals (2D) or hexahedra, numbered with x fastest; element set `iron` where solid(middle); sets of nodes and faces of the
    sides. bend: the rows of nodes follow a sine."""
    dim = len(cells)
    axes = [np.linspace(0, s, n + 1) for s, n in zip(size, cells)]
    x = np.stack([g.ravel(order="F") for g in np.meshgrid(*axes, indexing="ij")], 1)
    flat = x.copy()
    x[:, 1] += bend * np.sin(2 * np.pi * flat[:, 0] / size[0]) * np.sin(np.pi * flat[:, 1] / size[1])
    number = np.arange(1, len(x) + 1).reshape([n + 1 for n in cells], order="F")
    quad = [(0, 0), (1, 0), (1, 1), (0, 1)]
    corner = quad if dim == 2 else [(*q, z) for z in (0, 1) for q in quad]
    cell = np.stack([number[tuple(slice(c, c + n) for c, n in zip(at, cells))].ravel(order="F") for at in corner], 1)
    middle = flat[cell - 1].mean(1)
    lines = ["*NODE"] + [f"{i + 1}, " + ", ".join(f"{v:.15g}" for v in row) for i, row in enumerate(x)]
    lines.append(f"*ELEMENT, TYPE={'CPE4' if dim == 2 else 'C3D8'}")
    lines += [f"{e + 1}, " + ", ".join(map(str, row)) for e, row in enumerate(cell)]
    lines += ["*ELSET, ELSET=iron"] + [str(e + 1) for e in range(len(cell)) if solid(middle[e])]
    for axis, (low, high) in enumerate((("left", "right"), ("bottom", "top"), ("front", "back"))[:dim]):
        for name, value in ((low, 0), (high, size[axis])):
            lines += [f"*NSET, NSET={name}"] + [str(i + 1) for i in np.flatnonzero(flat[:, axis] == value)]
    for name, axis, value, face in (("south", 1, 0, 1), ("east", 0, size[0], 2), ("north", 1, size[1], 3), ("west", 0, 0, 4)) * faces:
        beside = np.flatnonzero((flat[cell - 1][:, :, axis] == value).sum(1) == 2)
        lines += [f"*SURFACE, NAME={name}"] + [f"{e + 1}, S{face}" for e in beside]
    return "\n".join(lines) + "\n"


def case(folder, mesh, **more):
    (folder / "mesh.inp").write_text(mesh)
    return {"mesh": str(folder / "mesh.inp"), "element": {"order": 5}, "materials": {"water": WATER, "iron": IRON},
            "regions": {"iron": "iron", "all": "water"}} | more


def rollers(dim):
    return [{"set": s, "fix": "xyz"[axis]} for axis, pair in ((0, ("left", "right")), (2, ("front", "back"))) if axis < dim
            for s in pair]


@pytest.mark.parametrize("dim", [2, 3])
def test_plane_wave_through_the_border(tmp_path, dim):
    """Iron above y = 1, its top moved by s(t). Velocity in the iron s'(t - d / c_p) + R s'(t - d' / c_p), pressure in the water
    -Z_f T s'(t - ...), R = (Z_s - Z_f) / (Z_s + Z_f), T = 1 + R."""
    width, cells = 0.2, [1, 12, 1][:dim]
    mesh = deck(cells, [width, 2.4, width][:dim], lambda m: m[1] > 1)
    middle = [0.07, 1.6, 0.1][:dim], [0.07, 0.6, 0.1][:dim]
    model = case(tmp_path, mesh, solve={"explicit": {"end": 1.9, "dt": 0.002}},
                 boundary=rollers(dim) + [{"set": "top", "move": {"y": 1e-3}, "signal": {"ricker": {"frequency": F}}}],
                 outputs={"traces": [{"name": "iron", "at": [middle[0]], "quantity": "velocity"},
                                     {"name": "water", "at": [middle[1]], "quantity": "pressure"}]})
    got = run(tmp_path, model)
    t, step = got.time["iron"], 1e-5

    def slope(late):
        at = t - late - 1.2 / F
        return 1e-3 * (oracles.ricker(at + step, F) - oracles.ricker(at - step, F)) / (2 * step)

    r = (Z_S - Z_F) / (Z_S + Z_F)
    assert error(got.traces["iron"]["velocity"][0, 1], slope(0.8 / C_P) + r * slope(2.0 / C_P)) <= 0.006
    assert error(got.traces["water"]["pressure"][0, 0], -Z_F * (1 + r) * slope(1.4 / C_P + 0.4)) <= 0.006
    assert np.abs(got.traces["iron"]["velocity"][0, 0]).max() <= 1e-12
    e = got.energy
    assert np.abs(e["kinetic"] + e["strain"] - e["work"]).max() <= 1e-9 * e["work"].max()


KUHN = [[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]]
SPLIT = {"CPE4": [[0, 1, 2, 3]], "CPE3": [[0, 1, 2], [0, 2, 3]], "C3D8": [list(range(8))], "C3D4": KUHN}


def shuffled(kind, seed):
    """A deck of cubes (squares) of size 1, three along each axis, cut into elements of the kind in random order."""
    dim = 3 if kind.startswith("C3D") else 2
    x = np.stack([g.ravel(order="F") for g in np.meshgrid(*[np.arange(4.0)] * dim, indexing="ij")], 1)
    quad = [(0, 0), (1, 0), (1, 1), (0, 1)]
    corner = np.array(quad if dim == 2 else [(*q, z) for z in (0, 1) for q in quad])
    cell = [[int((at + c) @ 4**np.arange(dim)) + 1 for c in corner] for at in np.ndindex(*[3] * dim)]
    element = [[nodes[k] for k in part] for nodes in cell for part in SPLIT[kind]]
    lines = ["*NODE"] + [f"{i + 1}, " + ", ".join(f"{v:g}" for v in row) for i, row in enumerate(x)] + [f"*ELEMENT, TYPE={kind}"]
    order = np.random.default_rng(seed).permutation(len(element))
    return "\n".join(lines + [f"{i + 1}, " + ", ".join(map(str, element[k])) for i, k in enumerate(order)]) + "\n"


@pytest.mark.parametrize("kind, order", [("CPE4", 1), ("CPE4", 3), ("CPE3", 2), ("C3D8", 2), ("C3D4", 2)])
def test_points_between_media_are_read_whatever_the_numbering(tmp_path, kind, order):
    """Iron above y = 1, another solid where x > 2 there. On the border strain and displacement are those of the solid, pressure that of the
    water, as a little within; at all places, the corner of three materials too, elements in another order give the same
    traces. Simplices, which fluids beside solids do not have: three solids."""
    wet, dim = kind in ("CPE4", "C3D8"), 3 if kind.startswith("C3D") else 2
    tail = [[0.3], [1.0]] if dim == 3 else [[], []]
    faces = [[0.7, 1] + tail[0], [1.6, 1] + tail[0]]
    places = faces + [[1, 1] + tail[1], [2, 1] + tail[1], [2, 1.7] + tail[0], [2, 2] + tail[1], [1.2, 2] + tail[0], [2.4, 1] + tail[1]]
    inside = {"s": 1e-6, "f": -1e-6}
    solid = ["displacement", "strain", "stress"]
    traces = [{"name": "solid", "at": places, "quantity": solid},
              {"name": "das", "fibre": {"points": [places[0], [0.7, 2.5] + tail[0]], "gauge": 1.5, "spacing": 1}, "quantity": "strain"}]
    traces += wet * [{"name": "fluid", "at": [p for p in places if p[1] == 1], "quantity": "pressure"}]
    traces += wet * [{"name": n, "at": [[p[0], p[1] + by, *p[2:]] for p in faces], "quantity": solid if n == "s" else "pressure"} for n, by in inside.items()]
    first = None
    for seed in range(3):
        model = case(tmp_path, shuffled(kind, seed), element={"order": order}, solve={"explicit": {"end": 2.0, "dt": 0.01}},
                     sets={"iron": {"box": {"from": [0, 1, 0][:dim], "to": [2, 3, 3][:dim]}, "what": "elements"},
                           "lead": {"box": {"from": [2, 1, 0][:dim], "to": [3, 3, 3][:dim]}, "what": "elements"}},
                     sources=[{"at": [0.4, 2.2, 0.6][:dim], "force": 1, "direction": [1, -2, 0.5][:dim], "signal": {"ricker": {"frequency": 1}}}],
                     outputs={"traces": traces})
        model["materials"] |= {"lead": {"density": 4, "p_speed": 1.5, "s_speed": 0.8}}
        model["materials"]["water"] = WATER if wet else {"density": 1, "p_speed": 1, "s_speed": 0.6}
        model["regions"] = {"lead": "lead"} | model["regions"]
        got = run(tmp_path, model, "--precision", "double")
        values = got.traces["solid"] | got.traces.get("fluid", {}) | {"das": got.traces["das"]["strain"]}
        first = first or values
        assert not [w for w in got.summary["warnings"] if "lie in no" in w]
        for q, value in values.items():
            most = np.abs(value).max()
            assert most > 0 and np.abs(value - first[q]).max() <= 1e-9 * most, (seed, q)
            if wet and q != "das":
                near = got.traces["f" if q == "pressure" else "s"][q]
                assert np.abs(value[:len(faces)] - near).max() <= 1e-4 * most, (seed, q)
                assert np.abs(near).max(2).max(1).min() > 0


def test_coupled_resonance(tmp_path):
    """Water of length 1 on a rigid bottom below iron of length 1 that is held on top: Z_f cot(w L / c) = -Z_s cot(w L / c_p)."""
    model = case(tmp_path, deck([1, 4], [0.5, 2], lambda m: m[1] > 1), boundary=rollers(2) + [{"set": "top", "fix": ["x", "y"]}],
                 initial=[{"set": "bottom", "pressure": 1}], solve={"explicit": {"end": 120, "dt": 0.004}},
                 outputs={"traces": [{"name": "p", "at": [[0.2, 0.0]], "quantity": "pressure", "every": 8}]})
    got = run(tmp_path, model)
    t, p = got.time["p"], got.traces["p"]["pressure"][0, 0]
    exact = brentq(lambda w: Z_F / np.tan(w) + Z_S / np.tan(w / C_P), 1.6, 3.0)
    window = np.hanning(len(t))
    near = exact * np.linspace(0.995, 1.005, 101)
    best = near[np.argmax([abs((p * window) @ np.exp(-1j * w * t)) for w in near])]
    assert abs(best / exact - 1) <= 2e-4


@pytest.mark.parametrize("order, bend", [(2, 0.0), (6, 0.06)])
def test_energy_is_kept(tmp_path, order, bend):
    """A block of iron in water, straight or bent: after the source kinetic + strain stays, to 1e-11 over 3000 steps."""
    model = case(tmp_path, deck([6, 6], [1, 1], lambda m: 0.3 < m[0] < 0.9 and 0.3 < m[1] < 0.7, bend=bend), element={"order": order},
                 sources=[{"at": [0.11, 0.1], "volume_rate": 1, "signal": {"ricker": {"frequency": 3}}}],
                 solve={"explicit": {"end": 12.0 if order == 6 else 60.0, "time_dispersion": "keep"}},  # filtered sources have a tail
                 outputs={"traces": [{"name": "p", "at": [[0.1, 0.9]], "quantity": "pressure"}]})
    got = run(tmp_path, model)
    e = got.energy
    total = (e["kinetic"] + e["strain"])[e["time"] > 1.5]
    assert len(total) > 10 and total[0] > 0
    assert np.ptp(total) <= 1e-11 * total[0]
    assert np.abs(e["kinetic"] + e["strain"] - e["work"]).max() <= 1e-6 * e["work"].max()


def test_devices_and_precisions_agree(tmp_path):
    """Traces of OpenCL in double are those of the processor to 1e-11, those in single to 1e-4; with an absorbing layer across the border."""
    model = case(tmp_path, deck([6, 6], [1, 1], lambda m: m[1] > 0.5, bend=0.04), element={"order": 4},
                 sources=[{"at": [0.3, 0.2], "volume_rate": 1, "signal": {"ricker": {"frequency": 3}}}],
                 solve={"explicit": {"end": 1.5, "dt": 0.004}},
                 boundary=[{"set": "bottom", "fix": "pressure"}], absorb={"sets": ["left"], "thickness": 0.3},
                 outputs={"traces": [{"name": "p", "at": [[0.6, 0.4]], "quantity": "pressure"},
                                     {"name": "u", "at": [[0.6, 0.7], [0.6, 0.3]], "quantity": "displacement"}]})
    first = run(tmp_path, model, "--threads", 2)
    e = first.energy
    assert np.abs(e["kinetic"] + e["strain"] + e["damping"] - e["work"]).max() <= 1e-6 * e["work"].max()
    for words, tolerance in ((["--device", "opencl"], 1e-11), (["--precision", "single"], 1e-4)):
        if words[1] == "opencl" and not has("opencl"):
            continue
        got = run(tmp_path, model, *words, name="other")
        for name, quantity in (("p", "pressure"), ("u", "displacement")):
            a, b = (r.traces[name][quantity] for r in (first, got))
            assert np.abs(a).max() > 0
            assert np.abs(a - b).max() <= tolerance * np.abs(a).max()


def test_faces_absorb_across_the_border(tmp_path):
    """Stacey's faces of both media beside the border: the energy goes out, and what they take closes the balance."""
    model = case(tmp_path, deck([8, 8], [1, 1], lambda m: m[1] > 0.5, faces=True), element={"order": 4},
                 sources=[{"at": [0.4, 0.2], "volume_rate": 1, "signal": {"toneburst": {"frequency": 3, "cycles": 2}}}],
                 solve={"explicit": {"end": 4}}, absorb={"kind": "stacey", "sets": ["west", "east", "south", "north"]},
                 outputs={"traces": [{"name": "p", "at": [[0.6, 0.4]], "quantity": "pressure"}]})
    e = run(tmp_path, model).energy
    left = e["kinetic"] + e["strain"]
    assert 0 <= left[-1] <= 0.02 * left.max()
    assert np.abs(left + e["damping"] - e["work"]).max() <= 1e-6 * e["work"].max()


@pytest.mark.parametrize("more, words", [
    ({"sources": [{"at": [0.5, 0.55], "force": 1, "direction": [0, 1]}]}, "an element away"),
    ({"sources": [{"at": [0.1, 0.1], "force": 1, "direction": [0, 1]}]}, "acts on no solid"),
    ({"sources": [{"at": [0.1, 0.9], "volume_rate": 1}]}, "acts on no fluid"),
    ({"physics": "acoustic"}, "physics: acoustic is for fluids only"),
    ({"sources": [{"gravity": [0, -1]}]}, "and this model has fluids"),
    ({"boundary": [{"set": "top", "fix": "pressure"}]}, "fix: pressure acts on no fluid"),
    ({"boundary": [{"set": "bottom", "fix": "y"}]}, "this condition acts on no solid"),
    ({"initial": [{"set": "top", "pressure": 1}]}, "pressure acts on no fluid here"),
    ({"initial": [{"set": "bottom", "velocity": [0, 1]}]}, "velocity acts on no solid here"),
    ({"boundary": [{"set": "south", "pressure": 1}]}, "this load acts on element 1, a fluid"),
    ({"boundary": [{"set": "west", "traction": [1, 0]}]}, "a fluid: only solids bear pressure and traction"),
])
def test_what_is_refused(tmp_path, more, words):
    """Exit 3, and the words say what to do."""
    model = case(tmp_path, deck([6, 6], [1, 1], lambda m: m[1] > 0.5, faces=True), solve={"explicit": {"end": 1}},
                 outputs={"traces": [{"name": "p", "at": [[0.1, 0.2]], "quantity": "pressure"}]}) | more
    path = tmp_path / "model.json"
    path.write_text(json.dumps(model))
    done = call("check", path)
    assert done.returncode == 3 and words in done.stderr, done.stderr
