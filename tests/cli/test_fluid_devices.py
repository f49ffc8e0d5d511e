"""Fluids, fluids beside solids, and perfectly matched layers of both on several devices and ranks: the same files, byte for byte, as on one, and restarts
on another number."""
import json

import pytest
from test_devices import DEVICES, hooke, in_a_folder_of_its_own, opencl, run, same  # noqa: F401
from test_ranks import MPIS, needs, several

WATER, IRON = {"density": 1, "sound_speed": 1, "damping": 0.02}, {"density": 2.5, "p_speed": 2, "s_speed": 1.1, "damping": 0.02}
POINTS = [[round(0.04 + 1.9 * ((37 * k) % 101) / 101, 3), 0.03 + 0.047 * k] for k in range(40)]
ALL = ["pressure", "displacement", "velocity", "acceleration"]


def wet(side):
    """side x side squares on 2 x 2, those in wedges from the middle are iron: wet faces run across each part of any division."""
    line, h = side + 1, 2 / side
    rows = ["*NODE"] + [f"{j * line + i + 1}, {i * h:.15g}, {j * h:.15g}" for j in range(line) for i in range(line)]
    rows.append("*ELEMENT, TYPE=CPE4")
    iron = []
    for e in range(side * side):
        n, x, y = e // side * line + e % side + 1, e % side - side / 2 + 0.5, e // side - side / 2 + 0.5
        rows.append(f"{e + 1}, {n}, {n + 1}, {n + line + 1}, {n + line}")
        iron += [str(e + 1)] if (x > 0) == (abs(x) > abs(y)) else []
    rows += ["*SURFACE, NAME=left", *(f"{e + 1}, S4" for e in range(0, side * side, side))]
    return "\n".join(rows + ["*ELSET, ELSET=iron", *iron, "*NSET, NSET=bottom", *map(str, range(1, line + 1))]) + "\n"


def box(cells):
    """cells^3 cubes, iron and water in turn along a diagonal."""
    line, h = cells + 1, 2 / cells
    each = [(i, j, k) for k in range(cells) for j in range(cells) for i in range(cells)]
    rows = ["*NODE"] + [f"{(k * line + j) * line + i + 1}, {i * h:.15g}, {j * h:.15g}, {k * h:.15g}"
                        for k in range(line) for j in range(line) for i in range(line)]
    rows.append("*ELEMENT, TYPE=C3D8")
    corner = [(0, 0), (1, 0), (1, 1), (0, 1)]
    for e, (i, j, k) in enumerate(each):
        rows.append(f"{e + 1}, " + ", ".join(str(((k + c) * line + j + b) * line + i + a + 1) for c in (0, 1) for a, b in corner))
    rows += ["*SURFACE, NAME=left", *(f"{e + 1}, S6" for e, at in enumerate(each) if at[0] == 0)]
    rows += ["*ELSET, ELSET=iron", *(str(e + 1) for e, at in enumerate(each) if sum(at) // 4 % 2), "*NSET, NSET=bottom"]
    return "\n".join(rows + [str(n + 1) for n in range(line * line)]) + "\n"


def case(folder, kind, end=0.5, order=3):
    """kind: fluid, solid, or both; a layer at its left side; frames alone; 3d."""
    dim = 3 if kind.endswith("3d") else 2
    both, solid = kind.startswith("both"), kind.startswith("solid")
    source = {"force": 1, "direction": [0.6, 0.8, 0][:dim]} if solid else {"volume_rate": 1}
    model = {"element": {"order": order}, "boundary": [{"set": "bottom", "fix": "pressure"}], "materials": {"water": WATER},
             "absorb": [{"kind": "stacey", "sets": ["left"]}],
             "sources": [{"at": [1.25, 0.3] if dim == 2 else [0.15, 0.2, 0.1], **source, "signal": {"ricker": {"frequency": 2, "t0": 0.3}}}],
             "outputs": {"traces": [{"name": "rx", "at": [(p + [p[0]])[:dim] for p in POINTS], "every": 3, "quantity": ALL}],
                         "field": {"quantity": ["pressure", "velocity", "displacement"], "frames": 4}},
             "solve": {"explicit": {"end": end, "dt": 0.004, "method": "spectral"}}}
    if both:
        (folder / "mesh.inp").write_text(wet(24) if dim == 2 else box(6))
        model |= {"mesh": "mesh.inp", "regions": {"iron": "iron", "all": "water"}, "materials": {"water": WATER, "iron": IRON}}
    else:
        model["mesh"] = {("rectangle", "box")[dim - 2]: {"size": [2, 2, 2][:dim], "cells": [25, 24] if dim == 2 else [7, 6, 6]}}
    if solid:
        model["materials"] = {"iron": IRON}
        model["boundary"] = []
        for output in (model["outputs"]["traces"][0], model["outputs"]["field"]):
            output["quantity"] = [q for q in output["quantity"] if q != "pressure"]
    if "layer" in kind:
        model["absorb"] = [{"kind": "pml", "sets": ["left"], "thickness": 0.3 if dim == 2 else 0.65}]
    if kind.endswith("frames"):  # no receiver reads a rate across a border
        del model["outputs"]["traces"]
    path = folder / "case.json"
    path.write_text(json.dumps(model))
    return path


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("kind", ["fluid", "fluid 3d", "both", "both frames", "both 3d", "fluid layer", "solid layer", "solid layer 3d",
                                  "both layer", "both layer 3d"])
def test_same_bytes_of_fluids(tmp_path, kind, precision):
    model = case(tmp_path, kind)
    one = run(model, "cpu", tmp_path / "one", "--precision", precision)
    for device in DEVICES if precision == "single" else DEVICES[1:2]:
        same(one, run(model, device, tmp_path / device, "--precision", precision))


def test_same_bytes_of_shots(tmp_path):
    path = case(tmp_path, "both layer", end=0.3)
    model = json.loads(path.read_text())
    model["shots"] = model["sources"] + [model["sources"][0] | {"at": [1.4, 0.25]}]
    del model["sources"]
    model["outputs"]["field"]["shots"] = [2]
    path.write_text(json.dumps(model))
    one, several = (run(path, device, tmp_path / device, "--keep-checkpoint", *more) for device, more in [("cpu", []), (DEVICES[1], ["--link", "memory"])])
    for name in ["run.h5", "field_shot0002.vtkhdf", "checkpoint.h5"]:
        assert (one / name).read_bytes() == (several / name).read_bytes(), name


@pytest.mark.parametrize("kind", ["fluid", "both", "both layer", "solid layer 3d"])
def test_restart_of_fluids_on_another_number_of_devices(tmp_path, kind):
    model, kept = case(tmp_path, kind), {}
    for first, second, third in [("cpu", "cpu", "cpu"), (DEVICES[2], DEVICES[1], "cpu"), ("cpu", DEVICES[0], DEVICES[2])]:
        folder = tmp_path / f"{first}-{second}-{third}"
        run(model, first, folder, "--keep-checkpoint", "--set", "solve.explicit.end=0.15")
        state = (folder / "checkpoint.h5").read_bytes()
        run(model, second, folder, "--restart=auto", "--keep-checkpoint", "--set", "solve.explicit.end=0.3")
        state += (folder / "checkpoint.h5").read_bytes()
        run(model, third, folder, "--restart=auto")
        assert kept.setdefault("state", state) == state
        same(kept.setdefault("folder", folder), folder)


@pytest.mark.parametrize("kind, count, mpi", [("fluid", 3, MPIS[0]), ("both", 4, MPIS[1]), ("both layer 3d", 3, MPIS[0])])
def test_same_bytes_of_fluids_on_ranks(tmp_path, kind, count, mpi):
    needs(mpi)
    model = case(tmp_path, kind)
    same(run(model, "cpu", tmp_path / "one"), several(mpi, count, model, tmp_path / "ranks"))


@pytest.mark.skipif(not opencl(), reason="no OpenCL device")
@pytest.mark.parametrize("kind", ["fluid", "both", "both layer 3d"])
def test_same_bytes_of_fluids_by_opencl(tmp_path, kind):
    model = case(tmp_path, kind, end=0.3)
    one = run(model, "opencl", tmp_path / "one")
    same(one, run(model, "opencl,opencl,opencl", tmp_path / "three"))
