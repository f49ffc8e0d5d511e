"""Waves in fluids on linear triangles and tetrahedra: pulsations of a box, a source against spectral elements, devices, what is refused."""
import itertools
import json

import numpy as np
import pytest

from command import call, error, has, run

WATER = {"density": 1.3, "sound_speed": 2.0}


def deck(dim, n, height):
    """n^dim squares or cubes of side 1 / n cut into 2 triangles or 6 tetrahedra, that of axis 1 `height` long; a node set per node."""
    line = n + 1
    grid = np.array(list(itertools.product(range(line), repeat=dim)))
    x = grid / n * np.array([1, height, 1][:dim])
    stride = line ** np.arange(dim)[::-1]
    cells = []
    for corner in itertools.product(range(n), repeat=dim):
        for way in itertools.permutations(range(dim)):
            steps = np.cumsum([np.zeros(dim, int)] + [np.eye(dim, dtype=int)[a] for a in way], axis=0)
            turned = np.linalg.det(np.eye(dim)[list(way)]) < 0
            nodes = (steps + corner) @ stride + 1
            cells.append(nodes[[1, 0, *range(2, dim + 1)]] if turned else nodes)
    rows = ["*NODE"] + [f"{i + 1}, " + ", ".join(f"{v:.15g}" for v in row) for i, row in enumerate(x)]
    rows.append(f"*ELEMENT, TYPE={'CPE3' if dim == 2 else 'C3D4'}, ELSET=water")
    rows += [f"{e + 1}, " + ", ".join(map(str, row)) for e, row in enumerate(cells)]
    rows += [f"*NSET, NSET=n{i}\n{i + 1}" for i in range(len(x))]
    rows += ["*NSET, NSET=top"] + [str(i + 1) for i in np.flatnonzero(grid[:, 1] == n)]
    return x, "\n".join(rows) + "\n"


def pulsation(folder, dim, n):
    """RMS of p - cos(w t) cos(pi x) cos(pi y / 2 L) (cos(pi z)) after 5 / 4 of a period, p = 0 at the top y = L, the other walls rigid."""
    height = 0.7
    x, mesh = deck(dim, n, height)
    shape = np.cos(np.pi * x[:, 0]) * np.cos(np.pi * x[:, 1] / (2 * height)) * (np.cos(np.pi * x[:, 2]) if dim == 3 else 1)
    period = 2 / (2.0 * np.sqrt(dim - 1 + 0.25 / height**2))
    folder.mkdir()
    (folder / "mesh.inp").write_text(mesh)
    end, steps = 1.25 * period, 10 * n * dim
    model = {"mesh": str(folder / "mesh.inp"), "materials": {"water": WATER}, "regions": {"water": "water"},
             "boundary": [{"set": "top", "fix": "pressure"}],
             "initial": [{"set": f"n{i}", "pressure": float(p)} for i, p in enumerate(shape) if abs(p) > 1e-12],
             "outputs": {"traces": [{"name": "all", "at": x.tolist(), "every": steps}]},
             "solve": {"explicit": {"end": end, "dt": end / steps}}}
    got = run(folder, model)
    p = got.traces["all"]["pressure"][:, 0, -1]
    assert abs(got.time["all"][-1] - end) <= 1e-9
    return np.sqrt(np.mean(p**2) / np.mean(shape**2))


@pytest.mark.parametrize("dim, cells", [(2, (4, 8, 16)), (3, (4, 8))])
def test_pulsations(tmp_path, dim, cells):
    """The error falls as h^2."""
    errors = [pulsation(tmp_path / str(n), dim, n) for n in cells]
    print([f"{e:.2e}" for e in errors])
    assert errors[-1] > 0
    for n, m, a, b in zip(cells, cells[1:], errors, errors[1:]):
        assert np.log(a / b) / np.log(m / n) >= 1.9


def source(shape, order, cells, **more):
    """A source in a box with a free surface and faces that absorb; the pressure at two points."""
    return {"mesh": {"rectangle": {"size": [2, 1], "cells": cells, "shape": shape}}, "materials": {"water": WATER}, "element": {"order": order},
            "boundary": [{"set": "top", "fix": "pressure"}], "absorb": {"kind": "stacey", "sets": ["left", "right"]},
            "sources": [{"at": [0.6, 0.45], "volume_rate": 1, "signal": {"ricker": {"frequency": 2}}}],
            "outputs": {"traces": [{"name": "rx", "at": [[1.21, 0.33], [1.7, 0.8]]}], "field": {"quantity": "pressure", "frames": 2}},
            "solve": {"explicit": {"end": 1.6, "dt": 0.002}}} | more


def test_source_against_spectral_elements(tmp_path):
    """Triangles of 1/40 give the traces of spectral elements of order 5 within 2.5 %, of 1/80 within 0.65 %; energies balance; OpenCL and single
    give the same."""
    exact = run(tmp_path, source("quad", 5, [16, 8]), "--no-pictures", name="spectral").traces["rx"]["pressure"]
    for n, most in ((40, 0.025), (80, 0.0065)):
        got = run(tmp_path, source("tri", 1, [2 * n, n]), "--no-pictures", name=f"triangles{n}")
        print(n, error(got.traces["rx"]["pressure"], exact))
        assert error(got.traces["rx"]["pressure"], exact) <= most
        e = got.energy
        assert np.abs(e["kinetic"] + e["strain"] + e["damping"] - e["work"]).max() <= 1e-9 * np.abs(e["work"]).max()
    few = source("tri", 1, [16, 8])
    host = run(tmp_path, few, "--no-pictures", name="host").traces["rx"]["pressure"]
    for words, most in ((["--device", "opencl"], 1e-11), (["--precision", "single"], 1e-4)):
        if words[1] == "opencl" and not has("opencl"):
            continue
        got = run(tmp_path, few, "--no-pictures", *words, name="other").traces["rx"]["pressure"]
        assert np.abs(host).max() > 0 and np.abs(got - host).max() <= most * np.abs(host).max()


def test_blocks_of_tetrahedra_give_the_traces_of_the_default_form(tmp_path):
    """A fluid in 3D: one component per node in the tables of solids; to 1e-12 of the peak in double, on every device."""
    model = source("tet", 1, [12, 9, 8])
    model["mesh"] = {"box": {"size": [2, 1, 1], "cells": [12, 9, 8], "shape": "tet"}}
    model["boundary"], model["absorb"] = [], {"kind": "stacey", "sets": ["left"]}
    model["sources"][0]["at"] = [0.6, 0.45, 0.5]
    model["outputs"] = {"traces": [{"name": "rx", "at": [[1.21, 0.33, 0.4], [1.7, 0.8, 0.6]]}]}
    got = run(tmp_path, model, "--no-pictures", "--device", "cpu", name="default")
    expected, peak = got.traces["rx"]["pressure"], np.abs(got.traces["rx"]["pressure"]).max()
    assert got.summary["method"] == "assembled" and peak > 0
    for device in ["cpu"] + ["opencl"] * has("opencl"):
        other = run(tmp_path, model, "--no-pictures", "--device", device, "--set", "solve.explicit.method=blocks", name="blocks")
        assert other.summary["method"] == "blocks"
        assert np.abs(other.traces["rx"]["pressure"] - expected).max() <= 1e-12 * peak, device


def test_blocks_give_the_traces_of_the_default_form(tmp_path):
    """Huthwaite's blocks, one component per node: to 1e-12 of the peak in double, on every device, with the blocks of a file too; in single as far
    as the default form. Free surface, faces that absorb, energies."""
    model = source("tri", 1, [50, 25])
    got = run(tmp_path, model, "--no-pictures", "--device", "cpu", name="default")
    assert got.summary["method"] == "assembled"
    expected, peak = got.traces["rx"]["pressure"], np.abs(got.traces["rx"]["pressure"]).max()
    assert call("partition", tmp_path / "default.json", "--size", 128, "-o", tmp_path / "a.blocks").returncode == 0
    devices = ["cpu"] + ["opencl"] * has("opencl")
    for device in devices:
        for words in (("--set", "solve.explicit.method=blocks"), ("--blocks", tmp_path / "a.blocks")):
            other = run(tmp_path, model, "--no-pictures", "--device", device, *words, name="blocks")
            assert other.summary["method"] == "blocks"
            assert np.abs(other.traces["rx"]["pressure"] - expected).max() <= 1e-12 * peak, (device, words)
            for name in ("kinetic", "strain", "damping", "work"):
                assert np.abs(other.energy[name] - got.energy[name]).max() <= 1e-11 * np.abs(got.energy["work"]).max()
        single = run(tmp_path, model, "--no-pictures", "--device", device, "--set", "solve.explicit.method=blocks", "--precision", "single", name="single")
        assert 0 < np.abs(single.traces["rx"]["pressure"] - expected).max() <= 1e-5 * peak
    said = other.summary["blocks"]
    each = said["counted_bytes_per_step"] / said["count"]
    layout = 3 * 128 * 8 + 128 * 8 + 128 * 2 + 128 * 2 + 128 * 2 * 12
    assert said["size"] == 128 and layout < each < layout + 128 * 12 * 8 + 4 * 128 * 8


@pytest.mark.parametrize("more, words", [
    ({"outputs": {"traces": [{"name": "rx", "at": [[1, 0.5]], "quantity": "velocity"}]}}, "triangles and tetrahedra give only pressure"),
    ({"outputs": {"field": {"quantity": ["pressure", "displacement"]}}}, "triangles and tetrahedra give only pressure"),
    ({"absorb": {"kind": "pml", "sets": ["left"]}}, "needs spectral elements"),
    ({"solve": {"explicit": {"end": 1, "method": "edges"}}}, "give auto; spectral or spectral-colours on quadrilaterals"),
])
def test_what_is_refused(tmp_path, more, words):
    """Exit 3, and the words say what to do."""
    path = tmp_path / "model.json"
    path.write_text(json.dumps(source("tri", 1, [4, 2], **more)))
    done = call("check", path)
    assert done.returncode == 3 and words in done.stderr, done.stderr
