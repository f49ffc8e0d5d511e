"""W13: the chosen time step against 2 / omega_max of the whole mesh by dense eigenvalues, and given time steps at the
limit."""
import json

import numpy as np
import pytest

import fem
import oracles
from command import call, run

STEEL = {"density": 7.8, "young": 210.0, "poisson": 0.3}
SOFT = {"density": 2.0, "young": 9.0, "poisson": 0.2}
CELLS = {"tri3": [7, 6], "quad4": [7, 6], "tet4": [3, 3, 3], "hex8": [4, 3, 3]}
VOIGT = [f"c{i}{j}" for i in range(1, 7) for j in range(i, 7)]


def triclinic():
    """A positive definite stiffness with all 21 constants."""
    a = np.random.default_rng(11).uniform(-1, 1, (6, 6))
    return a @ a.T + 4 * np.eye(6)


def as_material(c, density, dim):
    """In 2D without the constants that couple the plane to u_z, which plane strain does not take."""
    across = ("c14", "c15", "c24", "c25", "c46", "c56") if dim == 2 else ()
    return {"density": density, **{k: c[int(k[1]) - 1, int(k[2]) - 1] for k in VOIGT if k not in across}}


def model(folder, shape, kind):
    """Mesh file and case of one kind of material, and the critical step by the dense eigenvalues of numpy's elements."""
    mesh = fem.grid(shape, CELLS[shape], jitter=0.15, seed=7)
    half = np.arange(len(mesh.element)) % 3 == 0
    (folder / "mesh.inp").write_text(fem.mesh_deck(mesh, element_sets={"A": np.flatnonzero(half), "B": np.flatnonzero(~half)}))
    steel, soft = (oracles.isotropic(m["young"], m["poisson"]) for m in (STEEL, SOFT))
    regions, c, rho = {
        "one": ({"A": STEEL, "B": STEEL}, steel, STEEL["density"]),
        "two": ({"A": STEEL, "B": SOFT}, np.where(half[:, None, None], steel, soft), np.where(half, 7.8, 2.0)),
        "anisotropic": (dict.fromkeys("AB", as_material(triclinic(), 3, len(CELLS[shape]))), triclinic(), 3)}[kind]
    case = {"mesh": "mesh.inp", "regions": regions, "outputs": {"traces": [{"set": "ALL"}]},
            "initial": [{"set": "ALL", "velocity": [1] + [0] * (len(CELLS[shape]) - 1)}]}
    return mesh, case, fem.critical_step(*fem.matrices(mesh, c, rho))


@pytest.mark.parametrize("kind", ["one", "two", "anisotropic"])
@pytest.mark.parametrize("shape", list(CELLS))
def test_chosen_step_lies_below_the_limit(tmp_path, shape, kind):
    """dt in [0.5, 1.0] of dt_crit = 2 / omega_max, for the run and for the check alike."""
    _, case, limit = model(tmp_path, shape, kind)
    case["solve"] = {"explicit": {"end": 20 * limit}}
    got = run(tmp_path, case)
    print(shape, kind, "dt / dt_crit", got.dt / limit)
    assert 0.5 <= got.dt / limit <= 1.0


@pytest.mark.parametrize("kind", ["one", "two", "anisotropic"])
@pytest.mark.parametrize("shape", list(CELLS))
def test_step_above_the_limit_is_refused(tmp_path, shape, kind):
    """1.01 dt_crit: exit 6 before the first step, with the limit to 0.2 % and an element named."""
    _, case, limit = model(tmp_path, shape, kind)
    case["solve"] = {"explicit": {"end": 20 * limit, "dt": 1.01 * limit}}
    done = run(tmp_path, case, code=6)
    words = done.stderr.replace("(", " ").replace(")", " ").split()
    named = float(words[words.index("limit") + 1])
    assert abs(named / limit - 1) <= 2e-3, done.stderr
    assert words[words.index("element") + 1].rstrip(":,").isdigit()
    report = tmp_path / "model.hooke/run.json"
    assert not report.exists() or json.loads(report.read_text())["counts"].get("steps", 0) == 0


@pytest.mark.parametrize("shape", list(CELLS))
def test_step_just_below_the_limit_stays_bounded(tmp_path, shape):
    """0.999 dt_crit for 1e5 steps from one pushed corner: the energy at the end is that of the start, to 1e-6; the
    amplification near the limit makes 1e3 of the roundings."""
    mesh, case, limit = model(tmp_path, shape, "two")
    deck = tmp_path / "mesh.inp"
    deck.write_text(deck.read_text() + "*NSET, NSET=CORNER\n1\n")
    dim, steps = len(CELLS[shape]), 100000
    case["initial"] = [{"set": "CORNER", "displacement": [1] * dim}]
    case["outputs"] = {"traces": [{"set": "CORNER", "every": 100}]}
    case["solve"] = {"explicit": {"end": 0.999 * limit * steps, "dt": 0.999 * limit}}
    got = run(tmp_path, case, "--threads", "1")
    total = got.energy["kinetic"] + got.energy["strain"]
    assert np.isfinite(got.traces["CORNER"]["displacement"]).all()
    assert got.summary["counts"]["steps"] >= steps
    assert np.abs(total / total[0] - 1).max() <= 1e-6
    assert any("bound" in words or "limit" in words for words in map(str, got.summary["warnings"]))


def test_check_names_the_step_of_the_run(tmp_path):
    """hooke check predicts the dt that hooke run takes."""
    _, case, limit = model(tmp_path, "tri3", "one")
    case["solve"] = {"explicit": {"end": 20 * limit}}
    got = run(tmp_path, case)
    told = json.loads(call("check", tmp_path / "model.json", "--json").stdout)
    assert abs(told["dt"] / got.dt - 1) <= 1e-3, told
