"""Constants that couple the plane of a 2D model to what is across it are refused; those that do not are obeyed exactly."""
import json

import numpy as np
import pytest

from command import call, has, run

ORTHO = {"c11": 60, "c12": 12, "c22": 22, "c33": 30, "c66": 9, "c13": 9, "c23": 8, "c44": 7, "c55": 8}
COUPLED = ["c14", "c15", "c24", "c25", "c46", "c56"]
IN_PLANE = ["c16", "c26", "c36", "c34", "c35", "c45"]
WORDS = "mesh it in 3D, one layer of elements"


def case(kind, constants, **more):
    solve = {"static": {}} if kind == "static" else {"explicit": {"end": 0.1}}
    return {"units": "none", "mesh": {"rectangle": {"size": [2, 1], "cells": [4, 2]}}, "materials": {"m": {"density": 1, **constants}},
            "boundary": [{"set": "left", "fix": ["x", "y"]}, {"set": "right", "traction": [1, 2]}], "solve": solve, **more}


def check(folder, model):
    path = folder / ("m.json" if isinstance(model, dict) else "m.inp")
    path.write_text(json.dumps(model) if isinstance(model, dict) else model)
    return call("check", path)


@pytest.mark.parametrize("kind", ["static", "explicit"])
@pytest.mark.parametrize("name", COUPLED)
def test_coupling_to_u_z_is_refused_in_plane_strain(tmp_path, kind, name):
    done = check(tmp_path, case(kind, {**ORTHO, name: 1.5}))
    assert done.returncode == 3 and f"material m: {name} = 1.5 in the model's axes" in done.stderr and WORDS in done.stderr


@pytest.mark.parametrize("name", IN_PLANE)
def test_other_constants_are_obeyed_in_plane_strain(tmp_path, name):
    assert check(tmp_path, case("static", {**ORTHO, name: 1.5})).returncode == 0


def test_rounding_of_turned_constants_is_no_coupling(tmp_path):
    """1e-6 of the diagonal acts on the plane by its square: taken; ten times that is refused."""
    assert check(tmp_path, case("static", {**ORTHO, "c14": 1e-5})).returncode == 0
    assert check(tmp_path, case("static", {**ORTHO, "c14": 1e-3})).returncode == 3


def test_plane_stress_eliminates_all_directions_across(tmp_path):
    """Stresses zz = yz = xz = 0 leave Q = S_aa^-1 of the compliance S in the plane: the same displacements as constants Q alone, to 1e-12."""
    c = np.zeros((6, 6))
    values = {**ORTHO, **{n: v for n, v in zip(COUPLED + IN_PLANE, [1, .5, -.7, .3, .8, -.4, 2, 1, .6, .2, -.3, .5])}}
    for name, v in values.items():
        i, j = int(name[1]) - 1, int(name[2]) - 1
        c[i, j] = c[j, i] = v
    a = [0, 1, 5]
    q = np.linalg.inv(np.linalg.inv(c)[np.ix_(a, a)])
    reduced = {"c11": q[0, 0], "c22": q[1, 1], "c12": q[0, 1], "c66": q[2, 2], "c16": q[0, 2], "c26": q[1, 2]}
    got = run(tmp_path, case("static", values, plane="stress")).static[0]["displacement"]
    exact = run(tmp_path, case("static", reduced, plane="stress")).static[0]["displacement"]
    assert np.abs(got - exact).max() <= 1e-12 * np.abs(exact).max()


def engineering(constants):
    """E1 to G23 of orthotropic constants: from the compliance, S_11 = 1 / E1, S_12 = -nu12 / E1."""
    index = {"11": 0, "22": 1, "33": 2, "44": 3, "55": 4, "66": 5}
    c = np.diag([float(constants["c" + name]) for name in index])
    for i, j in (0, 1), (0, 2), (1, 2):
        c[i, j] = c[j, i] = constants[f"c{i + 1}{j + 1}"]
    s = np.linalg.inv(c)
    return {**{f"E{i + 1}": 1 / s[i, i] for i in range(3)}, **{f"nu{i + 1}{j + 1}": -s[i, j] / s[i, i] for i, j in ((0, 1), (0, 2), (1, 2))},
            "G12": c[5, 5], "G13": c[4, 4], "G23": c[3, 3]}


@pytest.mark.parametrize("device", ["cpu", "opencl"])
@pytest.mark.parametrize("kind", ["static", "explicit"])
def test_engineering_constants_are_the_same_medium(tmp_path, kind, device):
    """u of E1 to G23 = u of c11 to c66, in turned axes, to 1e-11 (statics to its tolerance)."""
    if not has(device):
        pytest.skip("no OpenCL")
    outputs = {"print" if kind == "static" else "traces": [{"set": "right", "quantity": "displacement"}]}
    u = []
    for name, constants in ("c", ORTHO), ("e", engineering(ORTHO)):
        model = case(kind, {**constants, "axes": "grain"}, axes={"grain": {"straight": {"x": [1, 0.5]}}}, outputs=outputs)
        done = run(tmp_path, model, "--device", device, "--precision", "double", name=name)
        u.append(done.static[0]["displacement"] if kind == "static" else done.traces["right"]["displacement"])
    assert np.abs(u[0]).max() > 0 and np.abs(u[1] - u[0]).max() <= 1e-11 * np.abs(u[0]).max()


def test_thomsens_constants_are_the_same_medium(tmp_path):
    """u of vp0 to gamma = u of c11 to c66, whose axis is y in 2D and z in 3D, in turned axes."""
    c33, c44 = 9.0, 2.25
    c11, c66 = c33 * 1.4, c44 * 1.3
    c13 = np.sqrt((c33 - c44) * (c33 - c44 - 0.2 * c33)) - c44
    thomsen = {"vp0": 3, "vs0": 1.5, "epsilon": 0.2, "delta": -0.1, "gamma": 0.15}
    flat = {"c11": c11, "c22": c33, "c33": c11, "c12": c13, "c23": c13, "c13": c11 - 2 * c66, "c44": c44, "c66": c44, "c55": c66}
    space = {"c11": c11, "c22": c11, "c33": c33, "c12": c11 - 2 * c66, "c13": c13, "c23": c13, "c44": c44, "c55": c44, "c66": c66}
    box = {"mesh": {"box": {"size": [2, 1, 1], "cells": [3, 2, 2]}}, "boundary": [{"set": "left", "fix": ["x", "y", "z"]}, {"set": "right", "traction": [1, 2, 3]}]}
    for constants, more, turned in ((flat, {}, {"x": [1, 0.5]}), (space, box, {"x": [1, 0.5, 0.2], "y": [-0.3, 1, 0.4]})):
        u = [run(tmp_path, case("static", {**k, "axes": "grain"}, axes={"grain": {"straight": turned}}, **more), "--precision", "double", name=name).static[0]["displacement"]
             for name, k in (("c", constants), ("t", thomsen))]
        assert np.abs(u[0]).max() > 0 and np.abs(u[1] - u[0]).max() <= 1e-9 * np.abs(u[0]).max()


@pytest.mark.parametrize("name, lacks", [("c13", "c33"), ("c24", "c44"), ("c15", "c55")])
def test_plane_stress_needs_the_stiffness_across(tmp_path, name, lacks):
    constants = {k: v for k, v in ORTHO.items() if k not in ("c13", "c23", "c33", "c44", "c55")}
    done = check(tmp_path, case("static", {**constants, name: 1}, plane="stress"))
    assert done.returncode == 3 and f"plane stress needs {lacks} beside {name}" in done.stderr


@pytest.mark.parametrize("axes", [{"straight": {"x": [1, 1]}}, {"cylinder": {"at": [0, 5]}}])
def test_turned_about_z(tmp_path, axes):
    """Axes in the plane leave what is not coupled so, to rounding, and what is coupled as well."""
    more = {"axes": {"grain": axes}}
    assert check(tmp_path, case("static", {**ORTHO, "axes": "grain"}, **more)).returncode == 0
    assert check(tmp_path, case("static", {**ORTHO, "c14": 1, "axes": "grain"}, **more)).returncode == 3


DECK = """*NODE
1, 0, 0\n2, 2, 0\n3, 2, 1\n4, 0, 1
*ELEMENT, TYPE={type}, ELSET=E
1, 1, 2, 3, 4
*ORIENTATION, NAME=O, SYSTEM={system}
{axes}
{about}, {angle}
*MATERIAL, NAME=M
*DENSITY
1.
*ELASTIC, TYPE={kind}
{constants}
*SOLID SECTION, ELSET=E, MATERIAL=M, ORIENTATION=O
*BOUNDARY
1, 1, 2\n4, 1, 2
*STEP
*STATIC
*CLOAD
2, 2, 1.
*END STEP
"""
ENGINEERING = "10., 5., 4., 0.2, 0.25, 0.3, 2., 1.5,\n1.2"
# D1111 D1122 D2222 D1133 D2233 D3333 D1112 D2212 / D3312 D1212 D1113 D2213 D3313 D1213 D1313 D1123 / D2223 D3323 D1223 D1323 D2323
ANISO = "10., 3., 9., 2., 2.5, 8., 0., 0.,\n0., 2., {d1113}, 0., 0., 0., 2.5, 0.,\n0., 0., 0., 0., 3."


def deck(about=3, angle=0, kind="ENGINEERING CONSTANTS", constants=ENGINEERING, type="CPE4", system="RECTANGULAR", axes="1, 0, 0, 0, 1, 0"):
    return DECK.format(about=about, angle=angle, kind=kind, constants=constants, type=type, system=system, axes=axes)


@pytest.mark.parametrize("about, angle, code", [(3, 30, 0), (1, 90, 0), (2, 180, 0), (1, 30, 3), (2, -20, 3)])
def test_orientation_of_a_deck(tmp_path, about, angle, code):
    """Turned about z, or by right angles about others, orthotropic constants stay uncoupled; by other angles they do not. Plane stress takes all."""
    done = check(tmp_path, deck(about, angle))
    assert done.returncode == code and (WORDS in done.stderr) is (code == 3), done.stderr
    assert check(tmp_path, deck(about, angle, type="CPS4")).returncode == 0


def test_anisotropic_constants_of_a_deck(tmp_path):
    assert check(tmp_path, deck(kind="ANISO", constants=ANISO.format(d1113="0."))).returncode == 0
    done = check(tmp_path, deck(kind="ANISO", constants=ANISO.format(d1113="0.5")))
    assert done.returncode == 3 and "c15 = 0.5" in done.stderr and ":18: error" in done.stderr


def test_cylindrical_orientation_across_the_plane(tmp_path):
    """About z nothing is coupled; about an axis in the plane right angles alone are: x radial, z tangential."""
    assert check(tmp_path, deck(system="CYLINDRICAL", axes="0, -1, 0, 0, -1, 1")).returncode == 0
    assert check(tmp_path, deck(system="CYLINDRICAL", axes="-1, 0, 0, -1, 1, 0")).returncode == 0
    assert check(tmp_path, deck(system="CYLINDRICAL", axes="-1, 0, 0, -1, 1, 1")).returncode == 3


@pytest.mark.parametrize("k, code", [([3, 2, 1, 0.5, 0, 0], 0), ([3, 2, 1, 0, 0.5, 0], 3), ([3, 2, 1, 0, 0, 0.5], 3)])
def test_heat_that_leaves_the_plane_is_refused(tmp_path, k, code):
    done = check(tmp_path, {"physics": "heat", "mesh": {"rectangle": {"size": [2, 1], "cells": 2}}, "materials": {"m": {"conductivity": k}},
                            "boundary": [{"set": "left", "temperature": 1}], "sources": [{"heat": 1}], "solve": {"heat": {}}})
    assert done.returncode == code and (WORDS in done.stderr) is (code == 3), done.stderr
