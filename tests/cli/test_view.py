"""The viewer of the report: its data, unpacked here, are the mesh, the frames, the regions and the sets of the run; its script unpacks the same and keeps
the model in sight (in node)."""
import base64
import json
import os
import pathlib
import re
import struct
import subprocess
import zlib

import h5py
import numpy as np
import pytest

HOOKE = os.environ["HOOKE"]
SCRIPT = pathlib.Path(os.environ["HOOKE_SOURCE"]) / "src/report/view/view.js"
UNITS = {"length": "mm", "mass": "kg", "time": "us"}
STEEL = {"density": "7850 kg/m^3", "young": "210 GPa", "poisson": 0.3}


def solved(folder, mesh, *words, sets=None, regions=None, field=None, size=(4, 2, 1), **more):
    dim = 2 if "rectangle" in mesh else 3
    middle = [x / 2 for x in size[:dim - 1]] + [size[dim - 1]]
    case = {"title": "a <script>", "units": UNITS, "mesh": mesh, "materials": {"steel": STEEL, "soft": {**STEEL, "young": "20 GPa"}}, "regions": {"all": "steel"},
            "sources": [{"at": middle, "force": 1, "direction": [0] * (dim - 1) + [-1], "signal": {"ricker": {"frequency": 2}}}],
            "outputs": {"traces": [{"name": "rx", "at": [[1] * (dim - 1) + [size[dim - 1]], middle]}], "field": field or {"quantity": "velocity", "frames": 4}},
            "solve": {"explicit": {"end": 1}}} | more
    if sets:
        case |= {"sets": sets, "regions": regions}
    (folder / "case.json").write_text(json.dumps(case))
    done = subprocess.run([HOOKE, "run", folder / "case.json", "--output", folder / "out", "-q", *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "out"


def packed(report):
    return zlib.decompress(base64.b64decode(re.search(r'class="data">([^<]*)</script>', report.read_text())[1]))


def unpack(data):
    """The arrays as src/report/view/view.h describes them."""
    at = 4 + struct.unpack("<I", data[:4])[0]
    model = json.loads(data[4:at])

    def raw(count):
        nonlocal at
        at += count
        return np.frombuffer(data[at - count:at], np.uint8)

    def shorts(count):
        low, high = raw(count).astype(int), raw(count).astype(int)
        return np.cumsum(low + 256 * high) % 65536

    def numbers(count):
        word = sum(raw(count).astype(np.int64) << 8 * k for k in range(4))
        return np.cumsum(np.where(word % 2, -(word + 1) // 2, word // 2))

    n = model["vertices"]
    model["place"] = np.array(model["low"]) + np.stack([shorts(n) for _ in range(3)], axis=1) * model["size"] / 65535
    model["triangle"], model["edge"], model["region"] = numbers(3 * model["triangles"]).reshape(-1, 3), numbers(2 * model["edges"]).reshape(-1, 2), raw(n)
    for one in model["sets"]:
        one["items"] = [numbers(count) for count in one["count"]]
    for q in model["quantities"]:
        q["palette"] = raw(768).reshape(256, 3)
    for q in model["quantities"]:
        q["value"] = np.cumsum(raw(n * len(q["frames"])).reshape(-1, n), axis=0, dtype=np.uint8)
    assert at == len(data)
    return model


def areas(model, which=slice(None)):
    a, b, c = (model["place"][model["triangle"][which][:, k]] for k in range(3))
    return np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2


def halves(dim):
    """The sets of elements left and right of x = 1."""
    return {name: {"what": "elements", "box": {"from": [low, *[-1] * (dim - 1)], "to": [high, *[9] * (dim - 1)]}} for name, low, high in (("soft", -1, 1), ("hard", 1, 9))}


REGIONS = {"soft": "soft", "hard": "steel"}


@pytest.fixture(scope="module")
def solid(tmp_path_factory):
    return solved(tmp_path_factory.mktemp("solid"), {"box": {"size": [4, 2, 1], "cells": [8, 4, 2]}}, sets=halves(3) | {"line": {"line": {"from": [0, 0, 1], "to": [4, 0, 1]}}}, regions=REGIONS)


def test_a_solid_is_its_surface(solid):
    """Places of 16 bits, regions of the elements, sets by their faces, and the values of the frames within one of 254 steps."""
    model = unpack(packed(solid / "report.html"))
    assert not model["flat"] and model["unit"] == "mm" and (model["low"], model["high"]) == ([0, 0, 0], [4, 2, 1])
    assert areas(model).sum() == pytest.approx(2 * (8 + 4 + 2), rel=1e-3)
    with h5py.File(solid / "field.vtkhdf") as file:
        points, velocity = file["VTKHDF/Points"][:], file["VTKHDF/PointData/velocity"][:].reshape(-1, len(file["VTKHDF/Points"]), 3)
    away = np.linalg.norm(model["place"][:, None] - points[None], axis=2)
    node = away.argmin(axis=1)
    is_node = away.min(axis=1) < 1e-3
    assert is_node.sum() >= 8 * 4 + 2  # the others are the middles of faces
    q = model["quantities"][0]
    assert (q["name"], q["unit"], len(q["frames"])) == ("|velocity|", "mm/us", len(velocity))
    size = np.linalg.norm(velocity[:, node[is_node]], axis=2)
    code = np.clip(np.round(254 * (size - q["low"]) / (q["high"] - q["low"])), 0, 254) + 1
    assert np.abs(q["value"][:, is_node].astype(int) - code).max() <= 1 and code.max() > 100
    assert [r["name"] for r in model["regions"]] == ["soft", "hard"] or [r["name"] for r in model["regions"]] == ["hard", "soft"]
    middle = model["place"][model["triangle"]].mean(axis=1)
    for k, region in enumerate(model["regions"], 1):
        of = model["region"][model["triangle"]] == k
        assert (of.all(axis=1) == of.any(axis=1)).all() and (of.all(axis=1) == ((middle[:, 0] < 1) == (region["name"] == "soft"))).all()
    sets = {one["name"]: one["items"] for one in model["sets"]}
    assert areas(model, sets["top"][0]).sum() == pytest.approx(4, rel=1e-3) and areas(model, sets["left"][0]).sum() == pytest.approx(2, rel=1e-3)
    assert (abs(model["place"][model["triangle"][sets["top"][0]]][..., 1] - 2) < 1e-3).all()
    line = model["place"][sets["line"][2]]
    assert len(line) == 9 and np.abs(line[:, 1:] - [0, 1]).max() < 1e-3
    assert {"soft", "hard"}.isdisjoint(sets)
    places = {p["name"]: (p.get("source", False), p["at"]) for p in model["points"]}
    assert places == {"sources": (True, [[2, 1, 1]]), "rx": (False, [[1, 1, 1], [2, 1, 1]])}


@pytest.mark.parametrize("mesh, order, area", [({"rectangle": {"size": [4, 2], "cells": [8, 4]}}, 3, 8), ({"rectangle": {"size": [4, 2], "cells": [8, 4], "shape": "tri"}}, 1, 8),
                                               ({"box": {"size": [4, 2, 1], "cells": [4, 2, 1]}}, 2, 28),
                                               ({"box": {"size": [4, 2, 1], "cells": [4, 2, 1], "shape": "tet"}}, 1, 28)])
def test_elements_of_all_orders_keep_their_regions(tmp_path, mesh, order, area):
    dim = 2 if area == 8 else 3
    out = solved(tmp_path, mesh, sets=halves(dim), regions=REGIONS, size=(4, 2, 1)[:dim], element={"order": order})
    model = unpack(packed(out / "report.html"))
    assert areas(model).sum() == pytest.approx(area, rel=1e-3)
    middle = model["place"][model["triangle"]].mean(axis=1)
    soft = 1 + [r["name"] for r in model["regions"]].index("soft")
    assert ((model["region"][model["triangle"]] == soft).all(axis=1) == (middle[:, 0] < 1)).all()
    if model["flat"]:
        ends = model["place"][model["edge"]]
        assert np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).sum() == pytest.approx(12, rel=1e-3)  # the outline
        top = next(one for one in model["sets"] if one["name"] == "top")
        assert np.abs(ends[top["items"][1]][..., 1] - 2).max() < 1e-3 and top["count"][1] == 8 * order


def test_a_large_surface_is_simplified(tmp_path):
    """It keeps its area, its corners and its outline within a cube, and the page says so; the values are those of the corners that are left."""
    out = solved(tmp_path, {"rectangle": {"size": [4, 2], "cells": [200, 100]}}, size=(4, 2))
    page = (out / "report.html").read_text()
    model = unpack(packed(out / "report.html"))
    assert 5000 < model["vertices"] <= 24000 and f"Simplified: {model['triangles']} of 80000 triangles" in page
    assert areas(model).sum() == pytest.approx(8, rel=0.02) and len(page) < 5e6
    for corner in ([0, 0, 0], [4, 0, 0], [4, 2, 0], [0, 2, 0]):
        assert np.linalg.norm(model["place"] - corner, axis=1).min() < 1e-3
    ends = model["place"][model["edge"]]
    assert np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).sum() == pytest.approx(12, rel=0.02)
    assert np.abs(ends / [4, 2, 1] - np.round(ends / [4, 2, 1])).min(axis=2).max() < 1e-3  # each end is on a side


@pytest.mark.parametrize("more", [{}, {"element": {"order": 3}}], ids=["linear", "spectral"])
def test_a_later_report_has_the_model_of_the_run(tmp_path, more):
    """Byte for byte: regions and sets come from the field's file."""
    out = solved(tmp_path, {"box": {"size": [4, 2, 1], "cells": [4, 2, 1]}}, sets={**halves(3), "a/b": {"line": {"from": [0, 0, 1], "to": [4, 0, 1]}}}, regions=REGIONS,
                 field={"quantity": "velocity", "frames": 1}, **more)
    done = subprocess.run([HOOKE, "report", out, "--output", tmp_path / "r.html"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    model = unpack(packed(tmp_path / "r.html"))
    assert packed(tmp_path / "r.html") == packed(out / "report.html") and len(model["regions"]) == 2 and "top" in [s["name"] for s in model["sets"]]


def test_a_report_of_vtu_files(tmp_path):
    """They have no regions and sets, and the report says so."""
    out = solved(tmp_path, {"rectangle": {"size": [4, 2], "cells": [4, 2]}}, "--no-pictures", "--field-format", "vtu", size=(4, 2), field={"quantity": "velocity", "frames": 1})
    assert subprocess.run([HOOKE, "report", out]).returncode == 0
    model = unpack(packed(out / "report.html"))
    assert (model["regions"], model["sets"]) == ([], []) and "This field has no regions and sets" in (out / "report.html").read_text()


def test_a_report_tells_units_regions_and_boundaries(tmp_path):
    """As run.json has them: what absorbs and what is held, with the lines of the case."""
    out = solved(tmp_path, {"rectangle": {"size": [4, 2], "cells": [8, 4]}}, size=(4, 2), sets=halves(2), regions=REGIONS, absorb={"kind": "stacey", "sets": ["left"]},
                 boundary=[{"set": "right", "fix": ["x", "y"]}], field={"quantity": "velocity", "frames": 1})
    told = json.loads((out / "run.json").read_text())["boundaries"]
    assert [(b["kind"], b.get("component"), b["count"], b["of"]) for b in told] == [
        ("absorbing (stacey)", None, 4, "faces"), ("fixed", 1, 5, "nodes"), ("fixed", 2, 5, "nodes")] and {b["line"] for b in told} == {"case.json:1"}
    page = re.search(r"<h2>Units, regions and boundaries</h2>.*?</section>", (out / "report.html").read_text(), re.S)[0]
    for words in ("mm, kg, us", "4 &times; 2 mm", "points per wavelength", "<td>soft</td>", "<td>hard</td>", "<td>absorbing (stacey)</td><td>4 faces</td><td>case.json:1</td>", "fixed, component 2"):
        assert words in page, words


@pytest.mark.parametrize("case, kinds", [
    ({"physics": "heat", "materials": {"m": {"conductivity": 1}}, "boundary": [{"set": "left", "temperature": 20}, {"set": "right", "temperature": 0}], "solve": {"heat": {}}},
     ["temperature", "temperature"]),
    ({"physics": "acoustic", "materials": {"m": {"density": 1, "sound_speed": 1}}, "boundary": [{"set": "top", "fix": ["pressure"]}], "solve": {"explicit": {"end": 1}}}, ["pressure"]),
])
def test_boundaries_without_displacements(tmp_path, case, kinds):
    """Neither temperatures nor pressures are fixed or moved, and they have no component."""
    (tmp_path / "case.json").write_text(json.dumps({"units": "none", "mesh": {"rectangle": {"size": [1, 1], "cells": [2, 2]}}} | case))
    assert subprocess.run([HOOKE, "run", tmp_path / "case.json", "--output", tmp_path / "out", "-q", "--no-pictures"]).returncode == 0
    told = json.loads((tmp_path / "out/run.json").read_text())["boundaries"]
    assert [b["kind"] for b in told] == kinds and not any("component" in b for b in told)


def test_a_report_of_the_files_alone(solid, tmp_path):
    """A choice of pictures is the viewer's too."""
    done = subprocess.run([HOOKE, "report", solid, "--output", tmp_path / "r.html", "--component", "z", "--range=-1e-6,1e-6"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    model = unpack(packed(tmp_path / "r.html"))
    q = model["quantities"][0]
    assert (q["name"], q["low"], q["high"]) == ("velocity z", -1e-6, 1e-6) and areas(model).sum() == pytest.approx(28, rel=1e-3)
    assert q["palette"][1][2] > q["palette"][1][0] and q["palette"][255][0] > q["palette"][255][2]  # blue below, red above


NODE = """
const fs = require("fs"), zlib = require("zlib"), assert = require("assert");
require({script!r});
const v = globalThis.hookeView, close = (a, b) => assert(a.every((x, k) => Math.abs(x - b[k]) < 1e-4), a + " " + b);
const model = v.unpack(new Uint8Array(zlib.inflateSync(Buffer.from(fs.readFileSync({data!r}, "latin1"), "base64"))));
for (const [width, height] of [[900, 460], [300, 600]]) {
  const camera = v.home(model, width / height), corner = k => [k & 1 ? model.high[0] : model.low[0], k & 2 ? model.high[1] : model.low[1], k & 4 ? model.high[2] : model.low[2]];
  const seen = () => [...Array(8).keys()].map(k => v.project(model, camera, width, height, corner(k)));
  assert(seen().every(([x, y]) => x > 0 && x < width && y > 0 && y < height));
  assert(Math.max(...seen().map(p => p[0])) - Math.min(...seen().map(p => p[0])) > 0.8 * width || Math.max(...seen().map(p => p[1])) - Math.min(...seen().map(p => p[1])) > 0.8 * height);
  const m = v.matrix(model, camera, width / height), x = corner(5), to = [0, 1, 2].map(r => m[r] * x[0] + m[4 + r] * x[1] + m[8 + r] * x[2] + m[12 + r]);
  const [px, py] = v.project(model, camera, width, height, x);
  close([to[0], to[1]], [2 * px / width - 1, 1 - 2 * py / height]);
  assert(Math.abs(to[2]) < 1);
  v.zoom(camera, width, height, px, py, 0.5);
  close(v.project(model, camera, width, height, x), [px, py]);
  v.shift(camera, width, 10, -7);
  close(v.project(model, camera, width, height, x), [px + 10, py - 7]);
  v.turn(camera, 0.3, 9);
  assert(camera.rise === Math.PI / 2);
  const a = v.axes(camera), dot = (p, q) => p.reduce((s, t, k) => s + t * q[k], 0);
  close([dot(a[0], a[1]), dot(a[1], a[2]), dot(a[0], a[0]), dot(a[2], a[2])], [0, 0, 1, 1]);
}
assert.deepStrictEqual([60, 1 / 3, 2.7031e-5, 1234567, 0, -0.5].map(v.number), ["60", "0.3333", "2.703e-5", "1.235e6", "0", "-0.5"]);
const q = model.quantities[0], sum = list => list.reduce((s, t) => s + t, 0);
console.log(JSON.stringify({place: sum(Array.from(model.place)), triangle: Array.from(model.triangle), edge: Array.from(model.edge), extent: v.extent(model),
  value: q.value.map(one => sum(Array.from(one))), top: Array.from((model.sets.find(s => s.name === "top") ?? {triangle: []}).triangle)}));
"""


def test_the_script_unpacks_and_keeps_the_model_in_sight(solid, tmp_path):
    page = (solid / "report.html").read_text()
    assert SCRIPT.read_text() in page
    (tmp_path / "data").write_text(re.search(r'class="data">([^<]*)</script>', page)[1])
    (tmp_path / "test.js").write_text(NODE.replace("{script!r}", json.dumps(str(SCRIPT))).replace("{data!r}", json.dumps(str(tmp_path / "data"))))
    done = subprocess.run(["node", tmp_path / "test.js"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said, model = json.loads(done.stdout), unpack(packed(solid / "report.html"))
    assert said["place"] == pytest.approx(model["place"].sum(), rel=1e-5) and said["extent"] == "4 \u00d7 2 \u00d7 1 mm"
    assert said["triangle"] == model["triangle"].ravel().tolist() and said["edge"] == model["edge"].ravel().tolist()
    assert said["value"] == model["quantities"][0]["value"].astype(int).sum(axis=1).tolist()
    top = next(one for one in model["sets"] if one["name"] == "top")
    assert said["top"] == model["triangle"][top["items"][0]].ravel().tolist()
