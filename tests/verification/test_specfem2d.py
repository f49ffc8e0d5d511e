"""Examples in SPECFEM2D's files, as bench/specfem2d.py reads them: what it makes of them against closed forms."""
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import oracles
from command import error, run

BENCH = os.path.join(os.environ["HOOKE_SOURCE"], "bench")
sys.path.insert(0, BENCH)
from specfem2d_model import Model, Refused, Wavelet, spline  # noqa: E402

RHO, C_P, C_S, F = 2000.0, 3297.849, 2222.536, 18.0
DT, STEPS = 4e-4, 900
ROCK, WATER = f"1 1 {RHO} 3297.849d0 2222.536d0 0 0 9999 9999 0 0 0 0 0 0", f"1 1 2.d3 {C_P} 0 0 0 9999 9999 0 0 0 0 0 0"
FLAT = "2\n# bottom\n2\n0 0\n5000 0\n2\n0 1000\n5000 1000\n# elements\n22\n"
BENT = "3\n2\n0 0\n5000 0\n4\n0 500\n300 530\n700 460\n1000 500\n2\n0 1000\n5000 1000\n11\n11\n"
PLACES = [(800, 750), (700, 300), (350, 620)]


def write(folder, par="", source="", rows=ROCK, curves=FLAT, regions="1 22 1 22 1"):
    """A folder of SPECFEM2D with a force in rock, all sides a layer; `par` and `source` change keys of it."""
    data = folder / "DATA"
    data.mkdir()
    keys = {"SIMULATION_TYPE": "1  # forward", "NSTEP": STEPS, "DT": "4.d-4", "time_stepping_scheme": 1, "P_SV": ".true.", "NGNOD": 4,
            "MODEL": "default", "NSOURCES": 1, "seismotype": 1, "USER_T0": "0.0d0", "PML_BOUNDARY_CONDITIONS": ".true.",
            "NELEM_PML_THICKNESS": 3, "STACEY_ABSORBING_CONDITIONS": ".false.", "nbmodels": rows.count("\n") + 1, "read_external_mesh": ".false.",
            "interfacesfile": "curves.dat", "xmin": "0.d0", "xmax": 1000, "nx": 22, "absorbbottom": ".true.", "absorbright": ".true.",
            "absorbtop": ".true.", "absorbleft": ".true.", "nbregions": regions.count("\n") + 1}
    of_source = {"source_surf": ".false.", "xs": 500, "zs": 500, "source_type": 1, "time_function_type": 1, "f0": F, "tshift": 0,
                 "anglesource": 0, "Mxx": 1, "Mzz": 1, "Mxz": 0, "factor": "1.d9"}
    change = lambda of, text: of | dict(line.split(" = ") for line in text.splitlines())
    lines = [f"{key} = {value}" for key, value in change(keys, par).items()]
    for x, z in PLACES:
        lines += ["nrec = 1", f"xdeb = {x}.", f"zdeb = {z}.", "xfin = 0", "zfin = 0", "record_at_surface_same_vertical = .false."]
    for key, numbers in (("nbmodels", rows), ("nbregions", regions)):
        k = next(k for k, line in enumerate(lines) if line.startswith(key))
        lines[k + 1:k + 1] = numbers.splitlines()
    (data / "Par_file").write_text("\n".join(lines))
    (data / "SOURCE").write_text("\n".join(f"{key} = {value}" for key, value in change(of_source, source).items()))
    (data / "curves.dat").write_text(curves)
    return folder


def traces(folder, **options):
    model = Model(folder, **options)
    got = run(folder, json.loads(model.write(folder).read_text()))
    assert np.allclose(got.time["rx"], DT * np.arange(STEPS), rtol=0, atol=1e-12)
    return got.time["rx"] - model.start, got.traces["rx"][model.quantity]


def force(t, toward=(0, 1)):
    """Of SPECFEM2D's force along z, and of one along -x, at each place."""
    out = []
    for x, z in np.array(PLACES) - 500.0:
        if toward == (0, 1):
            out.append(oracles.line_force(x, z, t, F, C_P, C_S, RHO, 1500))
        else:
            along, across = oracles.line_force(z, x, t, F, C_P, C_S, RHO, 1500)[::-1]
            out.append((-along, -across))
    return 1e9 * np.array(out)


def test_force(tmp_path):
    """The command on a folder whose REF_SEIS holds the closed form: its own table and figures."""
    folder = write(tmp_path)
    t = DT * np.arange(STEPS) - 1.2 / F
    (folder / "REF_SEIS").mkdir()
    for k, of in enumerate(force(t)):
        for letter, values in zip("XZ", of):
            np.savetxt(folder / "REF_SEIS" / f"AA.S{k + 1:04d}.BX{letter}.semd", np.stack([t, values], axis=1))
    done = subprocess.run([sys.executable, os.path.join(BENCH, "specfem2d.py"), folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout[done.stdout.index("{"):])
    assert (told["stations"], told["traces"], told["sides"]) == (3, 6, "wide")
    assert 1e-5 < told["misfit_all"] <= 0.007 and told["misfit_worst"] <= 0.01 and told["correlation_worst"] >= 0.9999


def test_angle_and_start(tmp_path):
    """90 degrees is along -x; USER_T0 is when traces begin, and tshift shifts the wavelet in them."""
    t, u = traces(write(tmp_path, "USER_T0 = 0.1d0", "anglesource = 90.\ntshift = 0.02"))
    assert t[0] == -0.1
    assert error(u, force(t - 0.02, (-1, 0))) <= 0.007


def test_curves_within_one_rock(tmp_path):
    """Elements of nine nodes between curved interfaces of the same rock change nothing."""
    folder = write(tmp_path, "NGNOD = 9", curves=BENT, rows=ROCK + "\n" + ROCK.replace("1 1", "2 1", 1), regions="1 22 1 22 1\n3 8 12 22 2")
    t, u = traces(folder)
    assert error(u, force(t)) <= 0.007


def test_pressure(tmp_path):
    """A source in a fluid is s / kappa of the potential of displacement: the pressure of a volume rate ds/dt / kappa."""
    t, p = traces(write(tmp_path, "seismotype = 4", "time_function_type = 2", rows=WATER))
    exact = [oracles.line_source(np.hypot(x - 500, z - 500), t, F, C_P, RHO) * 1e9 / (RHO * C_P**2) for x, z in PLACES]
    assert error(p[:, 0], exact) <= 0.007


def test_moment_tensor(tmp_path):
    """Mzz is a pair of forces along z, with the sign of SPECFEM2D: u = M d/dz of what a force along z gives."""
    f, d = 12.0, 0.5
    t, u = traces(write(tmp_path, "", f"source_type = 2\nMxx = 0\nMzz = 1\nMxz = 0\nf0 = {f}"))
    exact = 1e9 * np.array([(np.array(oracles.line_force(x, z + d, t, f, C_P, C_S, RHO, 1500)) -
                             np.array(oracles.line_force(x, z - d, t, f, C_P, C_S, RHO, 1500))) / (2 * d) for x, z in np.array(PLACES) - 500.0])
    assert error(u, exact) <= 0.007


def test_mesh_that_is_read(tmp_path):
    """Mesh files with the same elements, some of them clockwise, give the traces of the internal mesher with the same sides."""
    for name in ("own", "read"):
        (tmp_path / name).mkdir()
    stacey = "PML_BOUNDARY_CONDITIONS = .false.\nSTACEY_ABSORBING_CONDITIONS = .true."
    free_top = "absorbtop = .false.\nseismotype = 4"
    own = write(tmp_path / "own", f"{stacey}\n{free_top}", "time_function_type = 2", rows=WATER)
    names = [f"{name}_file" for name in ("mesh", "nodes_coords", "materials", "free_surface", "absorbing_surface")]
    read = write(tmp_path / "read", "\n".join([stacey, free_top, "read_external_mesh = .true.", *(f"{name} = {name}" for name in names)]),
                 "time_function_type = 2", rows=WATER)
    model = Model(own)
    elements = model.elements.copy()
    elements[::3] = elements[::3][:, [0, 3, 2, 1]]
    edges = [(e, k) for side in ("left", "right", "bottom") for e, k in model.edges[side]]
    ends = lambda of: [f"{e + 1} 2 {model.elements[e][k] + 1} {model.elements[e][(k + 1) % 4] + 1}" for e, k in of]
    for name, rows in zip(names, ([" ".join(str(n + 1) for n in e) for e in elements], [f"{x!r} {z!r}" for x, z in model.nodes.tolist()], None,
                                  ends(model.edges["surface"]), ends(edges))):
        text = "1\n" * len(elements) if rows is None else "\n".join([str(len(rows)), *rows])
        (read / name).write_text(text)
    a, b = traces(own)[1], traces(read)[1]
    assert np.abs(a).max() > 0
    assert error(b, a) <= 1e-9


def test_sides(tmp_path):
    """Without a kind of absorbing side the keys absorb... mean nothing: a fluid's sides are free, and with Stacey's they are not."""
    folder = write(tmp_path, "absorbtop = .false.", rows=WATER, source="time_function_type = 2")
    free, stacey, layer = (Model(folder, sides=sides).case() for sides in ("free", "stacey", "layer"))
    assert "absorb" not in free and free["boundary"] == [{"set": "surface", "fix": "pressure"}]
    assert len(Model(folder, sides="free").edges["surface"]) == 4 * 22 and len(Model(folder, sides="stacey").edges["surface"]) == 22
    assert stacey["absorb"] == {"kind": "stacey", "sets": ["left", "right", "bottom"]}
    assert layer["absorb"]["kind"] == "pml" and layer["absorb"]["thickness"] == pytest.approx(3000 / 22)


@pytest.mark.parametrize("par, source, words", [
    ("P_SV = .false.", "", "SH waves"), ("AXISYM = .true.", "", "axisymmetry"), ("ATTENUATION_VISCOELASTIC = .true.", "", "attenuation"),
    ("time_stepping_scheme = 2", "", "Newmark"), ("MODEL = tomo", "", "grid"), ("seismotype = 1,4", "", "seismotype"), ("seismotype = 6", "", "seismotype"),
    ("", "time_function_type = 5", "time_function_type"), ("", "source_type = 3", "source_type"), ("", "vx = 2.", "moving"),
    ("NSOURCES = 2", "", "several sources"), ("nbmodels = 1", "xs = 1500.", "no element")])
def test_refused(tmp_path, par, source, words):
    with pytest.raises(Refused, match=words):
        Model(write(tmp_path, par, source), sides="free").case()


def test_refused_material(tmp_path):
    with pytest.raises(Refused, match="type 3"):
        Model(write(tmp_path, rows="1 3 2500 1020 0.4 2 1 0 0 1 1 1 1 1 1"))


def test_parts():
    """Wavelets are each other's derivatives, the curve has the slopes of its ends, polynomials theirs."""
    t, d = np.linspace(-0.1, 0.1, 41), 1e-6
    for kind in (1, 2, 3):
        w = Wavelet(kind, F)
        assert np.allclose((w.of(t + d) - w.of(t - d)) / (2 * d), w.of(t, 1), rtol=0, atol=1e-6 * np.abs(w.of(t, 1)).max())
    assert np.array_equal(Wavelet(3, F).of(t, 1), Wavelet(2, F).of(t)) and np.array_equal(Wavelet(2, F).of(t, 1), Wavelet(1, F).of(t))
    assert np.allclose(Wavelet(1, F).of(t), oracles.ricker(t, F), rtol=0, atol=1e-15)
    z = spline([(0, 0), (1, 2), (3, 1), (4, 1)])
    assert np.allclose(z(np.array([-1, 0, 1, 3, 4, 9])), [0, 0, 2, 1, 1, 1], atol=1e-14)
    assert np.isclose((z(d) - z(0)) / d, 2, atol=1e-4) and np.isclose((z(4) - z(4 - d)) / d, 0, atol=1e-4)
    for x in (1.0, 3.0):  # slope and bend go on
        assert np.isclose(z(x + d) + z(x - d), 2 * z(x), atol=1e-8)
        h = 1e-3
        bends = [(z(x + s * h) - 2 * z(x + 2 * s * h) + z(x + 3 * s * h)) / h**2 for s in (-1, 1)]
        assert np.isclose(*bends, atol=0.05)
