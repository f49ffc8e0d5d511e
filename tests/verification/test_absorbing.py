"""W14: what an absorbing layer and absorbing faces send back, against an enlarged mesh; W20: energy is never more than what was put in."""
import json
import re

import numpy as np
import pytest

from command import call, run

SPEED = {"P": 2.0, "S": 1.0}
FREQUENCY = 2.0  # the P wave is 1 long
ROCK = {"density": 1, "p_speed": SPEED["P"], "s_speed": SPEED["S"]}
WATER = {"density": 1, "sound_speed": SPEED["P"]}


def predicted(folder, case):
    """The reflection that the command tells of the case, a part of 1."""
    path = folder / "told.json"
    path.write_text(json.dumps(case))
    done = call("check", path)
    told = re.search(r"reflects ([\d.eE+-]+) %", done.stderr + done.stdout)
    assert told, done.stderr + done.stdout
    return float(told[1]) / 100


def velocities(folder, case):
    return run(folder, case).traces["rx"]["velocity"]


def reflected(small, large):
    """sqrt(energy of what comes back / energy of what goes out) from the velocities of the receivers."""
    steps = min(small.shape[2], large.shape[2])
    assert np.abs(large).max() > 0
    return np.linalg.norm(small[..., :steps] - large[..., :steps]) / np.linalg.norm(large[..., :steps])


def strip(length, layer):
    """A P wave of 8 cycles goes along a strip with slip walls; 40 elements per wavelength."""
    case = {"mesh": {"rectangle": {"size": [length, 0.1], "cells": [round(40 * length), 4]}}, "materials": {"rock": ROCK},
            "boundary": [{"set": "bottom", "fix": "y"}, {"set": "top", "fix": "y"},
                         {"set": "left", "pressure": 1, "signal": {"toneburst": {"frequency": FREQUENCY, "cycles": 8}}}],
            "outputs": {"traces": [{"name": "rx", "at": [[9, 0.05]], "quantity": "velocity"}]},
            "solve": {"explicit": {"end": 13, "dt": 0.011}}}
    return {**case, "absorb": {"sets": "right", "thickness": layer}} if layer else case


@pytest.fixture(scope="module")
def endless(tmp_path_factory):
    """Nothing comes back from its end to the receiver before t = 14.5."""
    return velocities(tmp_path_factory.mktemp("endless"), strip(19, 0))


@pytest.mark.parametrize("layer", [0.75, 1.0, 1.25])
def test_plane_wave(tmp_path, endless, layer):
    """Normal incidence: the amplitude reflected is the one that the note of the run predicts, within a factor of 1.25:
    the prediction is for one frequency, the burst has a band of a quarter of it."""
    case = strip(14, layer)
    measured, told = reflected(velocities(tmp_path, case), endless), predicted(tmp_path, case)
    print(f"layer of {layer} wavelengths: reflected {measured:.4f} of the amplitude, {measured**2:.1e} of the energy; "
          f"predicted {told:.4f}")
    assert told / 1.25 <= measured <= 1.25 * told


def test_point_source(tmp_path):
    """P and S waves of a line force at all angles, layers of 1.5 P wavelengths on three sides: less than 1 % of the
    energy comes back to the receivers, and some does."""
    def plate(size, absorb):
        case = {"mesh": {"rectangle": {"from": [-size, -size], "to": [size, 0], "element": 0.05}}, "materials": {"rock": ROCK},
                "sources": [{"at": [0.02, -0.51], "force": 1, "direction": [1, 2], "signal": {"ricker": {"frequency": 1}}}],
                "outputs": {"traces": [{"name": "rx", "at": [[x, -y] for x in (-1.5, 0.4, 1.3) for y in (0.1, 1.2)],
                                        "quantity": "velocity"}]},
                "solve": {"explicit": {"end": 8, "dt": 0.02}}}
        return {**case, "absorb": {"sets": ["left", "right", "bottom"], "thickness": 3}} if absorb else case

    measured = reflected(velocities(tmp_path, plate(5, True)), velocities(tmp_path, plate(9.5, False)))  # from whose sides nothing is back by t = 8
    print(f"reflected {measured:.4f} of the amplitude, {measured**2:.1e} of the energy")
    assert 0 < measured**2 <= 0.01


def column(length, order, wave, absorb):
    """A burst of P or S waves goes along x; elements of order 4 are 0.4 of the wavelength, linear ones 1/40."""
    held = "y" if wave == "P" else "x"
    cells = [round(2.5 * length), 1] if order > 1 else [round(40 * length), 4]
    mesh = {"rectangle": {"size": [length, 0.4 if order > 1 else 0.1], "cells": cells}}
    move = {"x": 1} if wave == "P" else {"y": 1}
    case = {"mesh": mesh, "materials": {"rock": ROCK},
            "boundary": [{"set": "bottom", "fix": held}, {"set": "top", "fix": held}, {"set": "left", "fix": held},
                         {"set": "left", "move": move, "signal": {"toneburst": {"frequency": SPEED[wave], "cycles": 4}}}],
            "outputs": {"traces": [{"name": "rx", "at": [[3, 0.05]], "quantity": "velocity"}]},
            "solve": {"explicit": {"end": 11 / SPEED[wave], "dt": 0.01}}}
    if order > 1:
        case["element"] = {"order": order}
    if absorb:
        case["absorb"] = {"kind": "stacey", "sets": "right"}
    return case


@pytest.mark.parametrize("order, wave, most", [(4, "P", 4e-3), (4, "S", 4e-3), (1, "P", 1e-3)])
def test_faces_at_normal_incidence(tmp_path, order, wave, most):
    """Waves along the normal of absorbing faces: what comes back is an error of the mesh. The balance of energies closes, and all
    energy is gone in the end."""
    small, large = tmp_path / "small", tmp_path / "large"
    small.mkdir(), large.mkdir()
    done = run(small, column(4, order, wave, True))
    measured = reflected(done.traces["rx"]["velocity"], velocities(large, column(8, order, wave, False)))  # whose end is not back in time
    print(f"order {order}, {wave}: reflected {measured:.2e} of the amplitude")
    assert measured <= most
    kinetic, strain, work, damping = (done.energy[k] for k in ("kinetic", "strain", "work", "damping"))
    assert damping[-1] > 0.99 * work[-1] > 0
    assert np.abs(kinetic + strain + damping - work).max() <= 1e-9 * work[-1]


def oblique(p, s, wave, angle):
    """|displacement of the reflected waves| / |incident| on the face, from t = -Z v with complex slownesses (numpy's solver)."""
    speed = {"P": p, "S": s}
    sy = np.sin(angle) / speed[wave]
    lame = {"mu": s * s, "lambda": p * p - 2 * s * s}

    def plane(kind, sign):
        sx = sign * np.sqrt(complex(speed[kind] ** -2 - sy * sy))
        d = speed[kind] * np.array([sx, sy])
        a = d if kind == "P" else np.array([-d[1], d[0]])
        stress = lame["lambda"] * (a[0] * sx + a[1] * sy) * np.eye(2) + lame["mu"] * (np.outer(a, [sx, sy]) + np.outer([sx, sy], a))
        return a, stress[0] - np.array([p, s]) * a
    (a, r), (ap, rp), (as_, rs) = plane(wave, 1), plane("P", -1), plane("S", -1)
    back = np.linalg.solve(np.array([rp, rs]).T, -r)
    return np.linalg.norm(back[0] * ap + back[1] * as_) / np.linalg.norm(a)


def test_faces_at_an_angle(tmp_path):
    """A line force, whose waves come upon the faces at an angle: what is reflected there is that of a plane wave but for 5 % of the
    incident wave, as fronts are curved."""
    depth, angles = 3.0, np.radians([0, 50])
    for wave in "PS":
        for k, angle in enumerate(angles):
            end = (depth / np.cos(angle) + 2.4) / SPEED[wave]  # before other waves come along the face
            at = [depth, depth * np.tan(angle)]
            out = [np.cos(angle), np.sin(angle)] if wave == "P" else [-np.sin(angle), np.cos(angle)]

            def case(right):
                sets = ["left", "bottom", "top", "right"] if right == depth else ["left", "bottom", "top"]
                return {"mesh": {"rectangle": {"from": [-6, -6], "to": [right, 8], "element": 0.5}}, "element": {"order": 5},
                        "materials": {"rock": ROCK}, "absorb": [{"kind": "stacey", "sets": sets}],
                        "sources": [{"at": [0, 0], "force": 1, "direction": out, "signal": {"ricker": {"frequency": SPEED[wave]}}}],
                        "outputs": {"traces": [{"name": "rx", "at": [at], "quantity": "velocity"}]},
                        "solve": {"explicit": {"end": end, "dt": 0.01}}}
            names = [tmp_path / f"{wave}{k}{side}" for side in "sl"]
            for name in names:
                name.mkdir()
            measured = reflected(velocities(names[0], case(depth)), velocities(names[1], case(9.0)))
            plane = oblique(SPEED["P"], SPEED["S"], wave, angle)
            print(f"{wave} at {np.degrees(angle):.0f} degrees: reflected {measured:.3f} of the amplitude, plane wave {plane:.3f}")
            assert abs(measured - plane) <= 0.05


def box(dim, size, absorb):
    """A force in the middle of a box from -size to size, receivers within 2 of it."""
    at = [[1.5, 1.5], [-1.2, 0.3], [1.9, -1.9]] if dim == 2 else [[0.9, 0.9, -0.9], [-0.5, 0.3, 0.8]]
    name = "rectangle" if dim == 2 else "box"
    case = {"mesh": {name: {"from": [-size] * dim, "to": [size] * dim, "element": 0.5}}, "element": {"order": 4},
            "materials": {"rock": ROCK},
            "sources": [{"at": [0.3, -0.41, 0.2][:dim], "force": 1, "direction": [1, 0.5, 0.3][:dim],
                         "signal": {"ricker": {"frequency": 1}}}],
            "outputs": {"traces": [{"name": "rx", "at": at, "quantity": "velocity"}]},
            "solve": {"explicit": {"end": 5 if dim == 2 else 2.4, "dt": 0.012}}}
    return {**case, "absorb": absorb} if absorb else case


SIDES = ["left", "right", "bottom", "top", "front", "back"]


def in_water(case):
    """The box of a fluid; what enters at the point of the force."""
    source = {k: v for k, v in case["sources"][0].items() if k not in ("force", "direction")}
    trace = {**case["outputs"]["traces"][0], "quantity": ["velocity", "pressure"]}
    return {**case, "materials": {"water": WATER}, "sources": [{**source, "volume_rate": 1}], "outputs": {"traces": [trace]}}


@pytest.mark.parametrize("medium, dim, inner, outer, depth, most", [
    ("rock", 2, 2, 8, 2, 0.003), ("rock", 2, 2, 8, 1.5, 0.006), ("rock", 2, 2, 8, 1, 0.013), ("rock", 3, 1, 2.5, 1, 0.002),
    ("water", 2, 2, 8, 2, 0.0045), ("water", 2, 2, 8, 1.5, 0.0036), ("water", 2, 2, 8, 1, 0.009), ("water", 3, 1, 2.5, 1, 0.006)])
def test_matched_layer(tmp_path, medium, dim, inner, outer, depth, most):
    """All that a source sends, against a box without walls: a perfectly matched layer of 1, 3/4 and half a wavelength of P. The balance of
    energies closes."""
    small, large = tmp_path / "small", tmp_path / "large"
    small.mkdir(), large.mkdir()
    of = in_water if medium == "water" else dict
    done = run(small, of(box(dim, inner + depth, {"kind": "pml", "sets": SIDES[:2 * dim], "thickness": depth})))
    free = run(large, of(box(dim, outer, None)))
    for quantity in free.traces["rx"]:
        measured = reflected(done.traces["rx"][quantity], free.traces["rx"][quantity])
        print(f"{dim}D, {medium}, {quantity}, layer of {depth / 2} wavelengths: reflected {measured:.4f} of the amplitude")
        assert 0 < measured <= most
        if dim == 2 and medium == "rock":  # what the note says, which is a table of these
            told = [float(t[1]) for note in done.summary["notes"] if (t := re.search(r"about ([\d.e-]+) % of the amplitude", note))]
            assert len(told) == 1 and abs(told[0] / 100 - measured) <= 0.1 * measured
    kinetic, strain, work, damping = (done.energy[k] for k in ("kinetic", "strain", "work", "damping"))
    assert np.abs(kinetic + strain + damping - work).max() <= 1e-9 * np.abs(work).max()


@pytest.mark.parametrize("dim", [2, 3])
def test_matched_layer_of_a_fluid_is_stable(tmp_path, dim):
    """Layers on all sides but a free surface, the largest dt: once the source has ended the energy falls over 20 000 steps (2D; 3D 6000)."""
    case = in_water(box(dim, 2, {"kind": "pml", "sets": SIDES[:3] + SIDES[4:2 * dim], "thickness": 1}))
    case = {**case, "element": {"order": 3 if dim == 3 else 5}, "boundary": [{"set": "top", "fix": "pressure"}],
            "mesh": {("rectangle", "box")[dim - 2]: {"from": [-2] * dim, "to": [2] * dim, "element": 1}}}
    told = json.loads((run(tmp_path, {**case, "solve": {"explicit": {"end": 0.5}}}).folder / "run.json").read_text())["dt"]
    case["solve"] = {"explicit": {"end": told * (20000 if dim == 2 else 6000), "dt": told}}
    case["outputs"]["traces"][0]["every"] = 100
    e = run(tmp_path, case, name="long").energy
    total = e["kinetic"] + e["strain"]
    parts = [part.max() for part in np.array_split(total, 10)]
    print([f"{p / total.max():.1e}" for p in parts])
    assert all(b <= a for a, b in zip(parts, parts[1:])) and parts[-1] <= 1e-4 * parts[0]


@pytest.mark.parametrize("stiffness, degrees", [((0.8, 1.5, 4.0, 0.4), 0), ((0.8, 1.5, 4.0, 0.4), 30), ((0.8, 0.76, 4.0, 0.4), 45)])
def test_matched_layer_of_anisotropic_bodies_is_stable(tmp_path, stiffness, degrees):
    """Waves whose phase goes against their energy along an axis (medium III of Becache, Fauqueux and Joly 2003, c11 c12 c22 c66, and V; turned)
    grow in layers of isotropic bodies: here the energy falls over 10 000 steps."""
    c = dict(zip(("c11", "c12", "c22", "c66"), stiffness))
    turn = [float(np.cos(np.radians(degrees))), float(np.sin(np.radians(degrees)))]
    case = box(2, 3, {"kind": "pml", "sets": SIDES[:4], "thickness": 1})
    case |= {"materials": {"rock": {"density": 1, **c, "c33": 1, "c44": 1, "c55": 1, "axes": "turned"}},
             "axes": {"turned": {"straight": {"x": turn}}}, "solve": {"explicit": {"end": 0.5}}}
    dt = run(tmp_path, case).dt
    case["solve"] = {"explicit": {"end": 10000 * dt, "dt": dt}}
    case["outputs"]["traces"][0]["every"] = 100
    e = run(tmp_path, case, name="long").energy
    parts = [part.max() for part in np.array_split(e["kinetic"] + e["strain"], 10)]
    print([f"{p / parts[0]:.1e}" for p in parts])
    assert all(b < a for a, b in zip(parts, parts[1:])) and 0 < parts[-1] <= 2e-3 * parts[0]


def block(nu, absorb, dim=2):
    """Elements of order 4, half a wavelength of S waves each, under a free surface; their P waves are far longer where nu is near 0.5."""
    name, size, cells = ("rectangle", [1, 0.6], [10, 6]) if dim == 2 else ("box", [0.8, 0.6, 0.6], [5, 4, 4])
    sides = ["left", "right", "bottom"] + (["front", "back"] if dim == 3 else [])
    return {"mesh": {name: {"size": size, "cells": cells}}, "element": {"order": 4 if dim == 2 else 3},
            "materials": {"m": {"density": 2000, "young": 1e8, "poisson": nu}},
            "sources": [{"at": [0.4, 0.33, 0.3][:dim], "force": 1, "direction": [1, 0.3, 0.4][:dim],
                         "signal": {"ricker": {"frequency": 400, "t0": 3.75e-3}}}],
            "absorb": {"sets": sides, **absorb},
            "outputs": {"traces": [{"name": "rx", "at": [[0.5, 0.3, 0.3][:dim]], "every": 1000}], "field": {"frames": 1}}}


def stepped(folder, case, steps):
    """The energies over so many of the largest steps, and the work of the sources at most until each sample."""
    short = {**case, "solve": {"explicit": {"end": 1e-7}}}
    dt = 0.98 * run(folder, short).summary["dt_limit"]
    e = run(folder, {**case, "solve": {"explicit": {"end": steps * dt, "dt": dt}}}, "--threads", "1", name="long").energy
    return e["kinetic"] + e["strain"], np.maximum.accumulate(e["work"])


LAYER, STACEY, PML = {"kind": "layer", "thickness": 0.2}, {"kind": "stacey"}, {"kind": "pml", "thickness": 0.2}


@pytest.mark.parametrize("absorb, nu, more", [(LAYER, 0.25, 1e-9), (LAYER, 0.4999, 1e-9), (STACEY, 0.25, 1e-9), (STACEY, 0.4999, 1e-9),
                                              (PML, 0.25, 1e-3), (PML, 0.45, 0.01), (PML, 0.49, 0.2)])
def test_energy_is_no_more_than_the_work(tmp_path, absorb, nu, more):
    """W20: kinetic + strain <= the largest work so far for all that absorbs. A matched layer counts its strain unstretched: of fields that keep
    their volume once stretched that is more than was put in, up to 0.2 of the work at nu 0.49."""
    energy, work = stepped(tmp_path, block(nu, absorb), 6000)
    print(f"{absorb['kind']}, nu {nu}: {(energy / work[-1]).max():.3f} of the work, {energy[-1] / work[-1]:.1e} at the end")
    assert work[-1] > 0 and (energy - work).max() <= more * work[-1]


def test_matched_layer_of_a_body_that_is_too_incompressible_is_refused(tmp_path):
    case = {**block(0.4999, PML), "solve": {"explicit": {"end": 0.01}}}
    assert "70.7 times as fast as the slowest" in run(tmp_path, case, code=3).stderr


@pytest.mark.parametrize("nu, dim, steps", [(0.499, 2, 30000), (0.499, 3, 6000)])
def test_matched_layer_of_nearly_incompressible_bodies_is_stable(tmp_path, nu, dim, steps):
    """The steeper profile of a layer that is 0.03 wavelengths of P thick grew from 1e-7 of the work on: here the energy falls throughout, to
    less than 1e-2 (3D) and 1e-8 of the work."""
    energy, work = stepped(tmp_path, block(nu, {"kind": "pml", "thickness": 0.2 if dim == 2 else 0.16}, dim), steps)
    parts = [part.max() for part in np.array_split(energy, 5)]
    print([f"{p / work[-1]:.1e}" for p in parts])
    assert all(b < a for a, b in zip(parts, parts[1:])) and 0 < parts[-1] <= (1e-8 if dim == 2 else 1e-2) * work[-1]


RICKER = {"ricker": {"frequency": 1}}


@pytest.mark.parametrize("change, word", [
    ({"sources": [{"at": [-2.5, 0.3], "force": 1, "direction": [1, 0], "signal": RICKER}]}, "this source acts inside"),
    ({"sources": [{"set": "top", "force": 1, "direction": [1, 0], "signal": RICKER}]}, "this source acts inside"),
    ({"sources": [{"set": "all", "body_force": [1, 0], "signal": RICKER}]}, "this load acts inside"),
    ({"boundary": [{"set": "top", "pressure": 1, "signal": RICKER}]}, "this load acts inside"),
    ({"sources": [{"set": "left", "displacement": 1, "direction": [1, 0], "signal": RICKER}]}, "this motion acts inside"),
    ({"initial": [{"set": "all", "velocity": [1, 0]}]}, "these initial values are inside"),
    ({"outputs": {"traces": [{"name": "rx", "at": [[0, 0], [-2.5, 0.1], [-2.2, 1]], "quantity": "velocity"}]}},
     "2 of 3 receivers lie inside"),
    ({"outputs": {"traces": [{"name": "rx", "set": "top", "quantity": "velocity"}]}}, "receivers lie inside"),
    ({"sources": [], "shots": {"array": {"at": [[0, 0], [-2.5, 0.1]], "force": 1, "direction": [1, 0], "signal": RICKER}}},
     "this source acts inside")])
@pytest.mark.parametrize("kind, name", [("pml", "perfectly matched"), ("layer", "absorbing")])
def test_what_lies_inside_a_layer_is_warned_of(tmp_path, change, word, kind, name):
    """By `check` and by `run`, with the place; what ends at the layer is not."""
    case = {**box(2, 3, {"kind": kind, "sets": "left", "thickness": 1}), **change}
    case["solve"] = {"explicit": {"end": 0.02}}
    path = tmp_path / "case.json"
    path.write_text(json.dumps(case))
    for done in (call("check", path), call("run", path, "--output", tmp_path / "out", "--no-pictures")):
        assert done.returncode == 0, done.stderr
        told = [line for line in done.stderr.splitlines() + done.stdout.splitlines() if "warning" in line and word in line]
        assert len(told) == 1 and "at [-" in told[0] and f"the {name} layer" in told[0], done.stderr


@pytest.mark.parametrize("side, at", [("left", [-2.5, 0.3, 0]), ("right", [2.5, 0.3, 0]), ("bottom", [0.3, -2.5, 0]), ("top", [0.3, 2.5, 0]),
                                      ("front", [0.3, 0, -2.5]), ("back", [0.3, 0, 2.5])])
@pytest.mark.parametrize("kind", ["pml", "layer"])
def test_receivers_inside_a_layer_at_any_side_are_warned_of(tmp_path, kind, side, at):
    """Of the receivers in a box one lies inside; where the layer's depth is chosen for damping, it is the one that was told."""
    case = box(3, 3, {"kind": kind, "sets": side, "thickness": 1})
    case.update({"mesh": {"box": {"from": [-3] * 3, "to": [3] * 3, "cells": [6] * 3}}, "solve": {"explicit": {"end": 0.01}}})
    case["element"] = {"order": 2}
    case["outputs"] = {"traces": [{"name": "rx", "at": [[0, 0, 0], at], "quantity": "velocity"}]}
    told = [w for w in run(tmp_path, case).summary["warnings"] if "1 of 2 receivers lie inside" in w]
    assert len(told) == 1


def test_depth_of_a_damping_layer_that_is_chosen_counts(tmp_path):
    """A quarter of the extent of 6: 1.5."""
    case = box(2, 3, {"kind": "layer", "sets": "left"})
    case["outputs"]["traces"][0]["at"] = [[-1.51, 0.3], [-1.49, 0.3], [-1.5, 0.3]]
    case["solve"] = {"explicit": {"end": 0.02}}
    assert len([w for w in run(tmp_path, case).summary["warnings"] if "1 of 3 receivers lie inside the absorbing layer, at [-1.51, 0.3]" in w]) == 1


@pytest.mark.parametrize("kind", ["pml", "layer"])
def test_what_lies_at_the_inner_end_of_a_layer_is_not(tmp_path, kind):
    case = box(2, 3, {"kind": kind, "sets": "left", "thickness": 1})
    case["outputs"]["traces"][0]["at"] = [[-2, 0.3], [2.9, 2.9]]
    case["solve"] = {"explicit": {"end": 0.02}}
    assert not [w for w in run(tmp_path, case).summary["warnings"] if "inside" in w]


@pytest.mark.parametrize("change", [
    {"sources": [{"at": [-3, 0.3], "force": 1, "direction": [1, 0], "signal": RICKER}]},
    {"sources": [{"set": "left", "force": 1, "direction": [1, 0], "signal": RICKER}]},
    {"boundary": [{"set": "left", "pressure": 1, "signal": RICKER}]},
    {"initial": [{"set": "left", "velocity": [1, 0]}]}])
def test_what_acts_on_the_held_face_of_a_layer_alone_is_refused(tmp_path, change):
    path = tmp_path / "case.json"
    case = {**box(2, 3, {"kind": "pml", "sets": "left", "thickness": 1}), **change}
    path.write_text(json.dumps(case))
    for verb in ("check", "run"):
        done = call(verb, path, cwd=tmp_path)
        assert done.returncode == 3 and "does nothing" in done.stderr and "[-3, " in done.stderr


def test_check_counts_the_layer(tmp_path):
    """The time that `check` tells grows with a layer that has three quarters of the elements, each of which costs several others."""
    def told(absorb):
        case = {**box(2, 3, absorb), "mesh": {"rectangle": {"from": [-3, -3], "to": [3, 3], "cells": 64}},
                "solve": {"explicit": {"end": 5}}}
        path = tmp_path / "case.json"
        path.write_text(json.dumps(case))
        done = call("check", path, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["seconds_low"]

    plain, layered = [], []  # other work on the machine only lengthens what is measured: the least of several
    while len(plain) < 6 and not (plain and min(layered) >= 1.5 * min(plain) > 0):
        plain.append(told(None))
        layered.append(told({"kind": "pml", "sets": SIDES[:4], "thickness": 1.5}))
    print(f"plain {min(plain):.3g} s, with a layer {min(layered):.3g} s")
    assert min(layered) >= 1.5 * min(plain) > 0


def test_matched_layer_needs_spectral_elements(tmp_path):
    case = box(2, 3, {"kind": "pml", "sets": "left"})
    del case["element"]
    assert "needs spectral elements" in run(tmp_path, case, code=3).stderr


@pytest.mark.parametrize("change, words", [
    ({"absorb": [{"kind": "pml", "sets": "left"}, {"kind": "stacey", "sets": "top"}]}, "meet the perfectly matched layer"),
    ({"absorb": {"kind": "pml", "sets": "left"}, "sources": [
        {"set": "left", "displacement": 1, "direction": [1, 1], "signal": {"ricker": {"frequency": 1}}}]},
     "motion that couples several components"),
    ({"absorb": {"kind": "pml", "sets": "left"}, "sources": [
        {"at": [-2.8, 0.3], "displacement": 1, "direction": [1, 0], "signal": {"ricker": {"frequency": 1}}}]},
     "motion that couples several components or nodes")])
def test_check_refuses_what_does_not_go_into_a_layer(tmp_path, change, words):
    path = tmp_path / "case.json"
    path.write_text(json.dumps({**box(2, 3, change["absorb"]), **change}))
    done = call("check", path)
    assert done.returncode == 3 and words in done.stderr
