"""Materials whose constants are formulas of the place, of grids in files and of random media (fields: ...)."""
import json
import math
import os
import subprocess

import h5py
import numpy as np
import pytest
from scipy.io import netcdf_file

from command import HOOKE, call, error, run

X, Y = np.linspace(0, 100, 11), np.linspace(-5, 60, 8)
SPEED = 2000 + 10 * X[:, None] + 5 * Y[None, :]
SHAPES = {"quad": "rectangle", "tri": "rectangle", "hex": "box", "tet": "box"}


def write_csv(path, header="y [m], x [km], other, p_speed [km/s]"):
    rows = [f"{Y[j]!r}, {X[i] / 1000!r}, 7, {SPEED[i, j] / 1000!r}" for i in range(len(X)) for j in range(len(Y))]
    np.random.default_rng(1).shuffle(rows)
    path.write_text("# a comment\n" + header + "\n" + "\n".join(rows).replace("np.float64(", "").replace(")", "") + "\n")


def write_plain(path):
    with h5py.File(path, "w") as f:
        f["x"], f["y"], f["p_speed"] = X, Y, SPEED


def write_scaled(path):
    """As netCDF-4 has it: dimension scales; x descends, the dimensions are y, x, the numbers are whole ones of mm/s."""
    with h5py.File(path, "w") as f:
        g = f.create_group("model")
        g["x"], g["y"] = X[::-1] / 1000, Y
        g["x"].attrs["units"] = "km"
        g["p_speed"] = np.rint((SPEED[::-1].T - 1000) * 1e4).astype("i4")
        for k, v in {"units": "m/s", "scale_factor": 1e-4, "add_offset": 1000.0, "_FillValue": np.int32(-1)}.items():
            g["p_speed"].attrs[k] = v
        for k, name in enumerate(["y", "x"]):
            g[name].make_scale(name)
            g["p_speed"].dims[k].attach_scale(g[name])


def write_classic(path, version=1):
    with netcdf_file(path, "w", version=version) as f:
        for name, values, unit in (("y", Y, "m"), ("x", X / 1000, "km")):
            f.createDimension(name, len(values))
            v = f.createVariable(name, "d", (name,))
            v[:], v.units = values, unit
        v = f.createVariable("p_speed", "d", ("y", "x"))
        v[:], v.units = SPEED.T, "m/s"


FILES = {"m.csv": (write_csv, {"name": "p_speed"}), "plain.h5": (write_plain, {}), "scaled.h5": (write_scaled, {"name": "/model/p_speed"}),
         "m.nc": (write_classic, {}), "m2.nc": (lambda path: write_classic(path, 2), {})}


def body(shape, speed, fields=None, order=1, method="auto", cells=2, **more):
    flat = SHAPES[shape] == "rectangle"
    size, at = ([100, 50], [50, 25]) if flat else ([100, 50, 30], [50, 25, 15])
    return {"mesh": {SHAPES[shape]: {"size": size, "cells": [5 * cells, 3 * cells] if flat else [3 * cells, 2 * cells, cells], "shape": shape}},
            **({"fields": fields} if fields else {}), **({"element": {"order": order}} if order > 1 else {}),
            "materials": {"rock": {"p_speed": {"formula": speed}, "s_speed": {"formula": "p_speed / 1.8"}, "density": {"law": "gardner"}}},
            "sources": [{"at": at, "force": 1, "direction": [1, 1] if flat else [1, 1, 0], "signal": {"ricker": {"frequency": 40}}}],
            "outputs": {"traces": [{"name": "a", "at": [[c + 20 for c in at[:2]] + at[2:]]}]},
            "solve": {"explicit": {"end": 0.03, "dt": 2e-4, "method": method}}, **more}


def refused(tmp_path, case):
    """What the reader of the case says; it needs no device."""
    (tmp_path / "c.json").write_text(json.dumps(case))
    done = call("info", tmp_path / "c.json")
    assert done.returncode == 3, done.stderr
    return done.stderr


def trace(tmp_path, case, name, *words, what="displacement"):
    return run(tmp_path, case, "--device", "cpu", *words, name=name).traces["a"][what]


def test_grid_equals_formula(tmp_path):
    """Grids of a linear function in all formats give the result of the formula: what one of them is off by counts a million times."""
    exact = "(2000 + 10 * x + 5 * y)"
    fields, off = {}, []
    for k, (file, (write, more)) in enumerate(FILES.items()):
        write(tmp_path / file)
        fields[f"grid_{k}"] = {"file": file, **more}
        off.append(f"1e6 * abs(grid_{k} - {exact})" if "scaled" not in file else f"1e6 * max(0, abs(grid_{k} - {exact}) - 1e-4)")  # whole numbers
    want = trace(tmp_path, body("quad", exact), "formula")
    got = trace(tmp_path, body("quad", "grid_0 + " + " + ".join(off), fields), "grid")
    assert error(got, want) <= 1e-7 and np.abs(want).max() > 0


@pytest.mark.parametrize("shape, order, methods", [("quad", 1, ["edges", "matrix-free", "blocks"]), ("tri", 1, ["edges", "matrix-free"]),
                                                   ("hex", 1, ["edges", "stored"]), ("tet", 1, ["edges", "matrix-free"]),
                                                   ("quad", 3, ["spectral", "spectral-colours"])])
def test_forms_agree(tmp_path, shape, order, methods):
    """Every form of K has the same constants in each element."""
    fields = {"rough": {"random": {"correlation": 20, "std": 0.05, "kind": "von_karman", "seed": 4}}}
    got = [trace(tmp_path, body(shape, "(2000 + 10 * x) * (1 + rough)", fields, order, m), m) for m in methods]
    for other in got[1:]:
        assert error(other, got[0]) <= 1e-9
    if shape == "quad" and order == 1:
        assert error(trace(tmp_path, body(shape, "2500"), "plain"), got[0]) > 1e-2


def test_bar_in_series(tmp_path):
    """Statics: u at the end of a bar of elements with moduli E(x) at their middles is the sum of their sigma h / E."""
    case = {"mesh": {"rectangle": {"size": [1, 0.1], "cells": [10, 1]}}, "units": "none", "plane": "stress",
            "materials": {"m": {"young": {"formula": "1 + x ^ 2"}, "poisson": 0}},
            "boundary": [{"set": "left", "fix": ["x"]}, {"set": "bottom", "fix": ["y"]}, {"set": "right", "traction": [1, 0]}], "solve": {"static": {}}}
    got = run(tmp_path, case).static[0]["displacement"]
    middle = (np.arange(10) + 0.5) / 10
    assert abs(got[:, 0].max() - (0.1 / (1 + middle ** 2)).sum()) <= 1e-8


def test_travel_time(tmp_path):
    """A plane wave in a medium of c = c0 + k x takes log(c2 / c1) / k from one place to another."""
    c0, k, at = 1.0, 0.8, [0.3, 1.7]
    case = {"mesh": {"rectangle": {"size": [2, 0.05], "cells": [40, 1]}}, "element": {"order": 4}, "units": "none",
            "fields": {"c": {"file": "c.csv"}},
            "materials": {"m": {"density": 1, "p_speed": {"formula": "c"}, "s_speed": {"formula": "p_speed / 2"}}},
            "boundary": [{"set": s, "fix": "y"} for s in ("top", "bottom")] +
                        [{"set": "left", "move": {"x": 1}, "signal": {"ricker": {"frequency": 8}}}],
            "absorb": {"kind": "stacey", "sets": ["right"]},
            "outputs": {"traces": [{"name": "a", "at": [[x, 0.025] for x in at]}]}, "solve": {"explicit": {"end": 1.8}}}
    (tmp_path / "c.csv").write_text(f"x,c\n0,{c0}\n2,{c0 + 2 * k}\n")
    got = run(tmp_path, case, "--device", "cpu")
    u, t = got.traces["a"]["displacement"][:, 0, :], got.time["a"]
    peak = []
    for row in u:
        i = int(np.argmax(row))
        a, b, _ = np.polyfit(t[i - 2:i + 3] - t[i], row[i - 2:i + 3], 2)
        peak.append(t[i] - b / (2 * a))
    exact = math.log((c0 + k * at[1]) / (c0 + k * at[0])) / k
    assert abs((peak[1] - peak[0]) / exact - 1) <= 2e-3


def test_random_medium_does_not_depend_on_threads(tmp_path):
    case = body("tri", "2500 * (1 + r)", {"r": {"random": {"correlation": [20, 5], "std": 0.1, "kind": "exponential"}}})
    (tmp_path / "c.json").write_text(json.dumps(case))
    files = []
    for threads in ("1", "2"):
        done = subprocess.run([HOOKE, "run", tmp_path / "c.json", "-q", "--device", "cpu", "--no-pictures", "--output", tmp_path / threads],
                              env={**os.environ, "OMP_NUM_THREADS": threads}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        with h5py.File(tmp_path / threads / "run.h5") as f:
            files.append(f["traces/a/displacement"][:].tobytes())
    assert files[0] == files[1]
    other = dict(case, fields={"r": {"random": {"correlation": [20, 5], "std": 0.1, "kind": "exponential", "seed": 1}}})
    assert trace(tmp_path, other, "other", "--precision", "single").astype("f4").tobytes() != files[0]


def test_check_tells_ranges(tmp_path):
    """The least and largest speed, density by Gardner's law, and the element with the fewest points per wavelength: order c / (f h)."""
    (tmp_path / "c.json").write_text(json.dumps(body("quad", "2000 + 10 * x", cells=4)))
    done = call("check", tmp_path / "c.json", "--json", "--device", "cpu")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    (region,) = told["regions"]
    low, high = 2000 + 10 * 2.5, 2000 + 10 * 97.5
    assert region["elements"] == 240 and region["p_speed_range"] == pytest.approx([low, high])
    assert region["s_speed_range"] == pytest.approx([low / 1.8, high / 1.8])
    assert region["density_range"] == pytest.approx([310 * low ** 0.25, 310 * high ** 0.25])
    assert [told["unit"][key + "_range"] for key in ("p_speed", "s_speed", "density")] == ["m/s", "m/s", "kg/m^3"]
    assert region["points_per_wavelength"] == pytest.approx(low / 1.8 / told["highest_frequency"] / 5)
    assert region["coarsest_element"] % 20 == 1


def test_info_tells_the_range_of_density(tmp_path):
    (tmp_path / "c.json").write_text(json.dumps(body("quad", "2000 + 10 * x", cells=4)))
    (told,) = json.loads(call("info", tmp_path / "c.json", "--json").stdout)["materials"]
    assert told["density_range"] == pytest.approx([310 * 2025 ** 0.25, 310 * 2975 ** 0.25])


def test_too_many_materials_for_matrix_free(tmp_path):
    """Its lists name 65535 regions; auto takes another form."""
    case = body("quad", "2000 + x + 100 * y")
    case["mesh"]["rectangle"]["cells"] = [257, 256]
    case["solve"]["explicit"] = {"end": 1e-3, "method": "matrix-free"}
    case["outputs"] = {"field": {"frames": 1}}
    done = run(tmp_path, case, "--device", "cpu", code=3)
    assert "method matrix-free supports 65535 different materials, and the elements have 65792: give auto or stored" in done.stderr


GRID = {"vp": {"file": "m.csv"}}
FAULTS = [
    ("x,y,vp\n0,0,1\n1,0,1\n0,1,1\n", {}, "3 rows, but its coordinates are those of a grid of 2 x 2 x 1 points"),
    ("x,y,vp\n0,0,1\n1,0,1\n0,1,1\n0,1,1\n", {}, "row 4 has the coordinates of another row"),
    ("x,vp\n0,1\n1,nan\n", {}, "1 of 2 values of the grid are missing or not numbers, the first at x = 1"),
    ("x,vp\n0,1\n1,two\n", {}, 'm.csv:3: column 2 is not a number: "two"'),
    ("0,1\n1,2\n", {}, "the first line must have names"),
    ("x,vp\n0,1,2\n", {}, "m.csv:2: more than 2 columns"),
    ("x,vp\n", {}, "has no line of numbers"),
    ("x,vp,vs\n0,1,2\n", {}, "has several columns (vp and vs): give the name of one"),
    ("x,vp,vp\n0,1,2\n", {"name": "vp"}, "m.csv:1: has two columns vp"),
    ("X,Y,vp\n0,0,1\n", {}, "m.csv:1: has no column x, y or z, in small letters: its columns are X Y vp"),
    ("x,vp,o\n0,1,nan\n1,2,abc\n", {"name": "vp"}, 'm.csv:3: column 3 is not a number: "abc"'),
    ("x,vp,o\n0,1,nan\n1,2\n", {"name": "vp"}, "m.csv:3: has 2 columns, and the first line has 3"),
    (f"x,{'v' * 64}\n0,1\n", {}, "m.csv:1: the name of column 2 has 64 letters: at most 63 are possible"),
    ("vp\n1\n", {}, "has no column x, y or z"),
    ("x,vp\n0,1\n", {"name": "rho"}, "has no column rho: its columns are vp"),
    ("x,vp [furlong]\n0,1\n", {}, 'the unit "furlong" of its values is not known: give unit'),
    ("x [kg],vp\n0,1\n", {}, 'the unit "kg" of its coordinates is not one of length'),
    ("x,y,vp\n0,0,1000\n60,0,1000\n0,60,1000\n60,60,1000\n", {},
     "material rock: 24 of 60 elements lie outside of the field vp, the first is element 7 with its middle at [65, "),
    ("x,vp\n0,-500\n100,2000\n", {}, "material rock: p_speed is -385 in element 1 at [5, "),
]


@pytest.mark.parametrize("text, more, words", FAULTS)
def test_faults_of_tables(tmp_path, text, more, words):
    (tmp_path / "m.csv").write_text(text)
    said = refused(tmp_path, body("quad", "vp - 10", {"vp": {"file": "m.csv", **more}}))
    assert words in said and said.count("error:") == 1, said


def speeds(tmp_path, fields, speed="vp"):
    """The least and largest speed of pressure waves in the model."""
    (tmp_path / "c.json").write_text(json.dumps(body("quad", speed, fields)))
    (material,) = json.loads(call("info", tmp_path / "c.json", "--json").stdout)["materials"]
    return material["s_speed"] * 1.8, material["p_speed"]


def test_quotes_and_the_mark_of_utf8_are_passed_over(tmp_path):
    (tmp_path / "m.csv").write_text('\ufeff"x [m]" ; "p speed [km/s]", \'o\'\n0,2,0\n100,3,0\n')
    assert speeds(tmp_path, {"vp": {"file": "m.csv", "name": "p speed"}}) == pytest.approx((2050, 2950))


@pytest.mark.parametrize("type_", ["f", "d"])
def test_what_netcdf_never_wrote_is_missing(tmp_path, type_):
    """NC_FILL_FLOAT and NC_FILL_DOUBLE are the same number."""
    unwritten, words = 9.9692099683868690e+36, "1 of 2 values of the grid are missing or not numbers, the first at x = 100"
    with netcdf_file(tmp_path / "m.nc", "w") as f:
        f.createDimension("x", 2)
        for name, values in ("x", [0, 100]), ("vp", [2000, unwritten]):
            f.createVariable(name, type_, ("x",))[:] = values
    h5(tmp_path / "m.h5", x=[0., 100.], vp=np.array([2000, unwritten], "f4" if type_ == "f" else "f8"))
    for file in "m.nc", "m.h5":
        assert words in refused(tmp_path, body("quad", "vp", {"vp": {"file": file}}))


def test_a_medium_of_a_small_hurst_number_has_values(tmp_path):
    low, high = speeds(tmp_path, {"r": {"random": {"correlation": 10, "std": 1, "kind": "von_karman", "hurst": 0.01}}}, "3000 + 100 * r")
    assert 2600 < low < 2900 and 3100 < high < 3400, "60 numbers of a normal distribution"


SOLIDS = [{"young": 1e10, "poisson": 0.2}, {"p_speed": 2500, "s_speed": 900}, {"lambda": 4e9, "mu": 3e9},
          {"E1": 2e10, "E2": 1e10, "E3": 1e10, "nu12": 0.2, "nu13": 0.2, "nu23": 0.2, "G12": 4e9, "G13": 4e9, "G23": 4e9, "axes": "tilted"},
          {"vp0": 3000, "vs0": 1500, "epsilon": 0.1, "delta": 0.05, "gamma": 0.1, "axes": "tilted"},
          {"c11": 2e10, "c12": 3e9, "c22": 1e10, "c66": 3e9, "axes": "tilted"},
          {"p_speed": 2500, "s_speed": 900, "q_s": 20, "q_p": 100, "q_band": [10, 100]}]


@pytest.mark.parametrize("media", [SOLIDS, [{"sound_speed": 1500}, {"bulk": 2e9}]], ids=["solids", "fluids"])
def test_density_by_formula_of_each_medium(tmp_path, media):
    """Strips of all media: a density by a formula that is 2000 below and 4000 above gives the traces of regions with these numbers."""
    fluid, width = media != SOLIDS, 20 * len(media)
    what = "pressure" if fluid else "displacement"
    at = [[20 * k + 10, 20] for k in range(len(media))]
    case = {"mesh": {"rectangle": {"size": [width, 40], "cells": [len(media), 2]}}, "element": {"order": 2}, "axes": {"tilted": {"straight": {"x": [1, 0.5]}}},
            "sources": [{"at": p, **({"volume_rate": 1} if fluid else {"force": 1, "direction": [1, 1]}), "signal": {"ricker": {"frequency": 40}}} for p in at],
            "outputs": {"traces": [{"name": "a", "at": [[x + 5, 30] for x, y in at], "quantity": what}]}, "solve": {"explicit": {"end": 0.005, "dt": 1e-4}}}
    parts = [(k, half) for k in range(len(media)) for half in (0, 1)]
    case["sets"] = {f"s{k}{h}": {"what": "elements", "box": {"from": [20 * k, 20 * h], "to": [20 * k + 20, 20 * h + 20]}} for k, h in parts}
    number = {**case, "materials": {f"m{k}{h}": {**media[k], "density": 2000 * (1 + h)} for k, h in parts}, "regions": {f"s{k}{h}": f"m{k}{h}" for k, h in parts}}
    case["sets"] = {f"s{k}": {"what": "elements", "box": {"from": [20 * k, 0], "to": [20 * k + 20, 40]}} for k in range(len(media))}
    case["materials"] = {f"m{k}": {**medium, "density": {"formula": "2000 * (1 + max(0, min(1, y - 20)))"}} for k, medium in enumerate(media)}
    case["regions"] = {f"s{k}": f"m{k}" for k in range(len(media))}
    want, got = trace(tmp_path, number, "number", what=what), trace(tmp_path, case, "formula", what=what)
    assert error(got, want) <= 1e-9 and (np.abs(want).max(axis=(1, 2)) > 0).all()


def material(tmp_path, **more):
    case = body("quad", "1", cells=1)
    case["materials"] = {"rock": {"density": 2000, **more}}
    case["mesh"]["rectangle"]["cells"] = [10, 1]
    return refused(tmp_path, case)


def test_faults_of_materials(tmp_path):
    """Each is told once, at the key, with the number of elements and the first of them."""
    said = material(tmp_path, p_speed={"formula": "2000 + 10 * x"}, s_speed={"formula": "28 * x"})
    assert said.count("error:") == 1 and said.count("material rock") == 1, said
    assert "material rock is wrong in 1 of 10 elements, the first is element 10 at [95, 25]: pressure wave speed is 2950" in said
    said = material(tmp_path, p_speed={"formula": "2500"}, s_speed={"formula": "900 + x"}, q_s=20, q_p=200, q_band=[10, 100])
    assert "material rock is wrong in 10 of 10 elements, the first is element 1 at [5, 25]: q_p 200 is too large beside q_s 20" in said
    assert "p_speed is inf in element 1 at [5, 25] (wrong in 10 of 10 elements): must be a finite number above 0" in material(
        tmp_path, p_speed={"formula": "1 / 0"}, s_speed=1)
    said = material(tmp_path, p_speed={"formula": "1.7 * s_speed"}, s_speed=900)
    assert 'unknown name "s_speed"' in said and "may use those before it in the order p_speed, sound_speed, s_speed, density" in said
    assert "fields" not in said


def test_outside_nearest(tmp_path):
    (tmp_path / "m.csv").write_text("x,vp\n0,2000\n60,2600\n")
    assert speeds(tmp_path, {"vp": {"file": "m.csv", "outside": "nearest"}}) == pytest.approx((2050, 2600))


def h5(path, **arrays):
    with h5py.File(path, "w") as f:
        for name, values in arrays.items():
            f[name] = values


ARRAYS = [
    (dict(x=[0., 100.], vp=np.ones((2, 3))), {}, "/vp has 2 dimensions, and beside it stand 1 of the axes x, y, z (x)"),
    (dict(x=[0., 100.], y=[0., 50.], vp=np.ones((2, 3))), {}, "/y has 2 coordinates, and /vp has 3 points along y"),
    (dict(x=[0., 100., 50.], vp=np.ones(3)), {}, "the axis x is not monotonic: coordinate 3 is 50 after 100"),
    (dict(x=[0., np.nan], vp=np.ones(2)), {}, "coordinate 2 of the axis x is not a number"),
    (dict(x=[0., 100.], vp=np.ones(2), vs=np.ones(2)), {}, "has several arrays (/vp and vs): give the name of one"),
    (dict(x=[0., 100.], vp=np.ones(2)), {"name": "rho"}, "has no /rho"),
    (dict(x=[0., 100.], vp=np.ones(2)), {"axes": ["y"]}, "has no /y, the coordinates of the axis y of /vp"),
    (dict(x=[0., 100.], vp=np.ones(2)), {"axes": ["x", "y"]}, "axes names 2 coordinates, and the values have 1 dimensions"),
]


@pytest.mark.parametrize("arrays, more, words", ARRAYS)
def test_faults_of_arrays(tmp_path, arrays, more, words):
    h5(tmp_path / "m.h5", **arrays)
    said = refused(tmp_path, body("quad", "vp", {"vp": {"file": "m.h5", **more}}))
    assert words in said and said.count("error:") == 1, said


def test_damaged_classic_files(tmp_path):
    """Whatever byte is missing or wrong, a file is read or refused."""
    write_classic(tmp_path / "m.nc")
    data = (tmp_path / "m.nc").read_bytes()
    rng = np.random.default_rng(0)
    case = body("quad", "vp", {"vp": {"file": "m.nc", "outside": "nearest"}})
    (tmp_path / "c.json").write_text(json.dumps(case))
    for k in range(6):
        bad = bytearray(data[:int(rng.integers(4, len(data)))] if k % 2 else data)
        for i in rng.integers(4, min(len(bad), 300), 3) if len(bad) > 8 else []:
            bad[i] = int(rng.integers(0, 256))
        (tmp_path / "m.nc").write_bytes(bad)
        assert call("info", tmp_path / "c.json").returncode in (0, 3)


def test_faults_of_fields(tmp_path):
    case = body("quad", "r", {"x": {"random": {"correlation": 1, "std": 0.1}}, "r": {"random": {"std": 0.1}}, "both": {}})
    said = refused(tmp_path, case)
    for words in ('field "x": the name must be letters, digits and _', 'lacks "correlation"', "give file or random"):
        assert words in said
    heat = {"mesh": {"rectangle": {"size": [1, 1], "cells": 2}}, "physics": "heat", "materials": {"m": {"conductivity": 1, "density": {"formula": "1"}}},
            "solve": {"heat": {}}}
    assert "in heat conduction give conductivity and specific_heat a formula" in refused(tmp_path, heat)
    case = body("quad", "2500", {"density": {"random": {"correlation": 1, "std": 0.1}}})
    assert 'field "density": in the formulas of a material this is the material\'s own constant' in refused(tmp_path, case)
    assert "law: gardner has coefficients with units, and the case has units: none: give a formula" in refused(tmp_path, body("quad", "2", units="none"))


def test_nafe_drake_warns_beyond_its_speeds(tmp_path):
    case = body("quad", "1000 + 10 * x")
    case["materials"]["rock"]["density"] = {"law": "nafe_drake"}
    (tmp_path / "c.json").write_text(json.dumps(case))
    assert "nafe_drake holds for speeds from 1.5 to 8.5 km/s, and 30 of 60 elements have others" in call("info", tmp_path / "c.json").stderr


def test_heat_uses_fields(tmp_path):
    """Conductivity by a grid equals that by the formula; outside of the grid it is an error."""
    (tmp_path / "k.csv").write_text("x,k\n0,1\n0.5,1.5\n1,2\n")

    def case(formula, **grid):
        return {"mesh": {"rectangle": {"size": [1, 1], "cells": 4}}, "physics": "heat", "fields": {"k": {"file": "k.csv", **grid}}, "units": "none",
                "materials": {"m": {"conductivity": {"formula": formula}}},
                "boundary": [{"set": "left", "temperature": 0}, {"set": "right", "temperature": 1}], "solve": {"heat": {}}}
    got = [run(tmp_path, case(f), "--device", "cpu").static[0]["temperature"] for f in ("k", "1 + x")]
    assert error(got[0], got[1]) <= 1e-9 and 0.4 < got[0].mean() < 0.7
    (tmp_path / "k.csv").write_text("x,k\n0,1\n0.5,1.5\n")
    assert "k" in run(tmp_path, case("k"), "--device", "cpu", code=3).stderr
