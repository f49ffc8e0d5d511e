"""Elements of second order in time: decks as they stand, beside an implementation in numpy (fem.py)."""
import numpy as np
import pytest

import fem
import oracles
from command import call, error, run

RHO, YOUNG, NU = 1.0, 1.0, 0.3
SHAPES = list(fem.RAISED)
FACES = {shape: text.split() for shape, text in {
    "tri6": "01 12 20", "quad8": "01 12 23 30", "tet10": "012 013 123 023", "hex20": "0123 4567 0154 1265 2376 3047",
    "wedge15": "012 345 0143 1254 2035"}.items()}
KEPT = ["--set", "solve.explicit.time_dispersion=keep"]


def methods(shape):
    return ["edges", "stored", "matrix-free"] + (["blocks"] if fem.DIM[shape] == 2 else [])


def deck(mesh, velocity, duration, dt=None, sets=None, step=(), outputs=("U",)):
    """Initial velocity[node][component], watched at every step."""
    direct = ", DIRECT USER CONTROL" if dt else ""
    lines = [fem.mesh_deck(mesh, sets), "*MATERIAL, NAME=M", "*DENSITY", f"{RHO}", "*ELASTIC", f"{YOUNG}, {NU}",
             "*SOLID SECTION, ELSET=BODY, MATERIAL=M", ","]
    if velocity is not None:
        lines += ["*INITIAL CONDITIONS, TYPE=VELOCITY"]
        lines += [f"{n + 1}, {c + 1}, {v:.17g}" for n, row in enumerate(velocity) for c, v in enumerate(row) if v]
    lines += ["*STEP", f"*DYNAMIC, EXPLICIT{direct}", f"{dt:.17g}, {duration:.17g}" if dt else f", {duration:.17g}", *step,
              "*OUTPUT, HISTORY, FREQUENCY=1", "*NODE OUTPUT, NSET=ALL", ", ".join(outputs), "*END STEP", ""]
    return "\n".join(lines)


def small(shape, seed=1):
    mesh = fem.grid(shape, [3, 2, 2][:fem.DIM[shape]], [1.5, 1.0, 1.0][:fem.DIM[shape]], jitter=0.2, seed=seed)
    k, m = fem.matrices(mesh, oracles.isotropic(YOUNG, NU), RHO)
    return mesh, k, m


def march(k, m, dt, velocity, steps):
    """u[step][dof] of central differences from rest with an initial velocity: u_1 = dt v."""
    u = np.zeros((steps + 1, len(m)))
    u[1] = dt * velocity.ravel()
    for n in range(1, steps):
        u[n + 1] = 2 * u[n] - u[n - 1] - dt**2 * (k @ u[n]) / m
    return u


def field(got):
    """u[step][dof]"""
    u = got.traces["ALL"]["displacement"]
    return u.transpose(2, 0, 1).reshape(u.shape[2], -1)


@pytest.mark.parametrize("shape", SHAPES)
def test_decks_step_as_numpy(tmp_path, shape):
    """u_n+1 = 2 u_n - u_n-1 - dt^2 M^-1 K u_n with HRZ's masses, in every form and both precisions; one of them on OpenCL."""
    mesh, k, m = small(shape)
    dt, steps = 0.8 * fem.critical_step(k, m), 40
    velocity = np.random.default_rng(2).uniform(-1, 1, mesh.x.shape)
    want = march(k, m, dt, velocity, steps)
    ways = [(method, "cpu", precision) for method in methods(shape) for precision in ("double", "single")] + [
        (method, "opencl", "double") for method in ("edges", "matrix-free")]
    for method, device, precision in ways:
        got = run(tmp_path, deck(mesh, velocity, steps * dt, dt), "--set", f"solve.explicit.method={method}", *KEPT, "--device", device,
                  "--precision", precision)
        off = error(field(got), want)
        assert off <= (1e-12 if precision == "double" else 2e-5), f"{method} {device} {precision}: {off}"
        assert got.summary["method"] == method


@pytest.mark.parametrize("shape", SHAPES)
def test_bound_of_the_time_step(tmp_path, shape):
    """The limit is below 2 / omega of K v = omega^2 M v, and not far below: 3000 steps of 0.99 of it keep the energy;
    1.02 of 2 / omega grows, and is refused."""
    mesh, k, m = small(shape)
    velocity = np.random.default_rng(3).uniform(-1, 1, mesh.x.shape)
    got = run(tmp_path, deck(mesh, velocity, 1.0))
    limit, critical = got.summary["dt_limit"], fem.critical_step(k, m)
    assert 0.7 <= limit / critical <= 1
    dt = 0.99 * limit
    got = run(tmp_path, deck(mesh, velocity, 3000 * dt, dt), *KEPT)
    energy = got.energy["kinetic"] + got.energy["strain"]
    assert len(energy) > 10 and np.abs(energy / energy[-1] - 1).max() <= 1e-9
    assert np.isfinite(field(got)).all()
    refused = run(tmp_path, deck(mesh, velocity, 50 * 1.02 * critical, 1.02 * critical), code=6)
    assert "stability limit" in refused.stderr
    u = march(k, m, 1.02 * critical, velocity, 400)
    assert not np.abs(u).max() < 1e6


@pytest.mark.parametrize("shape", SHAPES)
def test_pressure_is_consistent_and_balances(tmp_path, shape):
    """Under a constant pressure on one side, the momentum grows by the force: sum m v = p A t; no motion across it, no rotation."""
    dim = fem.DIM[shape]
    mesh = fem.grid(shape, [3, 2, 2][:dim], [1.5, 1.0, 1.0][:dim], jitter=0.15)
    m = np.repeat(fem.lumped(mesh, RHO), dim).reshape(-1, dim)
    side = np.isin(mesh.element, mesh.at(0, 0))
    face = [(e, f) for e in range(len(mesh.element)) for f, corners in enumerate(FACES[shape]) if side[e, [int(n) for n in corners]].all()]
    surface = ["*SURFACE, NAME=LEFT, TYPE=ELEMENT"] + [f"{e + 1}, S{f + 1}" for e, f in face]
    text = deck(mesh, None, 1.0, step=["*DSLOAD", "LEFT, P, 2."], outputs=("V",)).replace("*MATERIAL", "\n".join(surface) + "\n*MATERIAL", 1)
    got = run(tmp_path, text, *KEPT)
    momentum = np.einsum("nct,nc->ct", got.traces["ALL"]["velocity"], m)
    t = got.time["ALL"]
    assert error(momentum[0], 2 * t) <= 1e-9
    assert np.abs(momentum[1:]).max() <= 1e-9
    turn = np.einsum("nt,n,n->t", got.traces["ALL"]["velocity"][:, 1], m[:, 1], mesh.x[:, 0])
    turn -= np.einsum("nt,n,n->t", got.traces["ALL"]["velocity"][:, 0], m[:, 0], mesh.x[:, 1] - 0.5)
    assert np.abs(turn).max() <= 1e-9


@pytest.mark.parametrize("shape", SHAPES)
def test_check_says_what_to_prefer(tmp_path, shape):
    """A note names the shape and spectral elements, for hex20 and wedge15 hex8 too; linear elements have none."""
    for kind in (shape, fem.RAISED[shape][0]):
        if kind == "wedge6":
            continue
        path = tmp_path / f"{kind}.inp"
        path.write_text(deck(fem.grid(kind, [2] * fem.DIM[kind]), None, 1.0, step=["*CLOAD", "1, 1, 1."]))
        done = call("check", path)
        assert done.returncode == 0
        note = [line for line in done.stderr.splitlines() if "lumped masses" in line]
        assert len(note) == (kind == shape)
        assert kind != shape or (shape in note[0] and "order: 4" in note[0] and ("hex8" in note[0]) == (shape in ("hex20", "wedge15")))
