"""Waves in strips and half-spaces: speeds against closed forms, W2, W3, W5 and W9 of the verification plan."""
import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import fem
import oracles
from command import error, run

RHO, YOUNG, NU = 1.0, 1.0, 0.3
LAME, MU = YOUNG * NU / ((1 + NU) * (1 - 2 * NU)), YOUNG / (2 * (1 + NU))
C_P, C_S = np.sqrt(LAME + 2 * MU), np.sqrt(MU)


def mode_deck(mesh, velocity, fixed, duration):
    """The mesh starts with velocity[node][component] and is watched at every step; fixed: (set, component) pairs."""
    sets = {f"FIX{c}": nodes for c, nodes in fixed.items()}
    lines = [fem.mesh_deck(mesh, sets), "*MATERIAL, NAME=M", "*DENSITY", f"{RHO}", "*ELASTIC", f"{YOUNG}, {NU}",
             "*SOLID SECTION, ELSET=BODY, MATERIAL=M", ",", "*INITIAL CONDITIONS, TYPE=VELOCITY"]
    lines += [f"{n + 1}, {c + 1}, {v:.17g}" for n, row in enumerate(velocity) for c, v in enumerate(row) if v]
    lines += ["*STEP", "*DYNAMIC, EXPLICIT", f", {duration:.17g}", "*BOUNDARY"]
    lines += [f"FIX{c}, {c + 1}, {c + 1}" for c in fixed]
    lines += ["*OUTPUT, HISTORY, FREQUENCY=1", "*NODE OUTPUT, NSET=ALL", "U", "*END STEP", ""]
    return "\n".join(lines)


def frequency(got, mode, weight, guess):
    """Angular frequency of the mode's part of the motion: best fit of A sin wt to sum weight u . mode, near the guess."""
    part = np.einsum("nct,nc,n->t", got.traces["ALL"]["displacement"], mode, weight)
    t = got.time["ALL"]
    assert np.isfinite(part).all() and part.any()

    def misfit(w):
        s = np.sin(w * t)
        return 1 - (s @ part) ** 2 / ((s @ s) * (part @ part))

    return minimize_scalar(misfit, bounds=(0.8 * guess, 1.2 * guess), method="bounded",
                           options={"xatol": 1e-9 * guess}).x


def speed_error(folder, shape, wave, points):
    """Relative error of the phase velocity of a standing wave of length 1 in a strip with slip walls, jittered mesh."""
    cells = points * 3 // 2
    mesh = fem.grid(shape, [cells, 4], [1.5, 4 * 1.5 / cells], jitter=0.15)
    k, exact = 2 * np.pi, {"P": C_P, "S": C_S}[wave]
    along, across = (0, 1) if wave == "P" else (1, 0)
    mode = np.zeros_like(mesh.x)
    mode[:, along] = np.cos(k * mesh.x[:, 0])
    walls = np.union1d(mesh.at(1, 0), mesh.at(1, mesh.x[:, 1].max()))
    got = run(folder, mode_deck(mesh, mode, {across: walls}, 3 / exact))
    _, m = fem.matrices(mesh, oracles.isotropic(YOUNG, NU), RHO)
    return abs(frequency(got, mode, m[::2], k * exact) / (k * exact) - 1)


@pytest.mark.parametrize("wave", ["P", "S"])
@pytest.mark.parametrize("shape", ["tri3", "quad4"])
def test_phase_velocity_is_of_order_two(tmp_path, shape, wave):
    """W2: |c_h / c - 1| = O((h / wavelength)^2): the slope over 10, 20, 40 points per wavelength is 2 to 0.2."""
    points = np.array([10, 20, 40])
    errors = np.array([speed_error(tmp_path, shape, wave, n) for n in points])
    order = -np.polyfit(np.log(points), np.log(errors), 1)[0]
    print(shape, wave, dict(zip(points, errors)), "order", order)
    assert abs(order - 2) <= 0.2
    assert errors[0] <= (2 * np.pi / 10) ** 2 / 8  # three times the dispersion of the plain lumped stencil, (kh)^2 / 24


@pytest.mark.parametrize("kind", ["rectangle", "box"])
def test_bar_at_the_courant_limit_is_nodally_exact(tmp_path, kind):
    """W3: with c dt = h, nu = 0, a bar of linear elements obeys d'Alembert at its nodes, u = (f(x - ct) + f(x + ct)) / 2
    with f continued evenly at the free ends, to 1e-12 of the largest value (two round trips)."""
    n, steps, h, width = 40, 160, 0.5, 4.0
    dim = 2 if kind == "rectangle" else 3
    shape = {2: "quad4", 3: "hex8"}[dim]
    mesh = fem.grid(shape, [n] + [1] * (dim - 1), [n * h] + [width] * (dim - 1))
    f = np.random.default_rng(5).uniform(-1, 1, n + 1)
    column = np.rint(mesh.x[:, 0] / h).astype(int)
    (tmp_path / "bar.inp").write_text(fem.mesh_deck(mesh, {f"C{i}": np.flatnonzero(column == i) for i in range(n + 1)}))
    case = {"mesh": "bar.inp", "materials": {"m": {"density": 1, "young": 4, "poisson": 0}},
            "boundary": [{"set": "ALL", "fix": ["y", "z"][:dim - 1]}],
            "initial": [{"set": f"C{i}", "displacement": [v] + [0] * (dim - 1)} for i, v in enumerate(f)],
            "outputs": {"traces": [{"set": "ALL"}]},
            "solve": {"explicit": {"end": steps * h / 2, "dt": h / 2}}}
    got = run(tmp_path, case)
    u = got.traces["ALL"]["displacement"]
    assert u.shape[2] == steps + 1
    even = np.concatenate([f, f[-2:0:-1]])
    for step in range(steps + 1):
        exact = (np.roll(even, step) + np.roll(even, -step))[:n + 1] / 2
        assert np.abs(u[:, 0, step] - exact[column[got.node["ALL"] - 1]]).max() <= 1e-12


def rayleigh_error(folder, points):
    """Relative error of the speed of a standing Rayleigh wave of length 1: half a wavelength wide, walls that slip, 2.5
    wavelengths deep, from the exact eigenfunction (Achenbach 1973, section 5.11); quad4, `points` per wavelength."""
    ratio, kappa = oracles.rayleigh(NU)
    k, c = 2 * np.pi, ratio * C_S
    q, s = k * np.sqrt(1 - (c / C_P) ** 2), k * np.sqrt(1 - (c / C_S) ** 2)
    mesh = fem.grid("quad4", [points // 2, points * 5 // 2], [0.5, 2.5])
    x, depth = mesh.x[:, 0], 2.5 - mesh.x[:, 1]
    a = 2 * q * k / (s**2 + k**2)
    mode = np.stack([-np.sin(k * x) * (k * np.exp(-q * depth) - a * s * np.exp(-s * depth)),
                     np.cos(k * x) * (q * np.exp(-q * depth) - a * k * np.exp(-s * depth))], 1)
    walls = np.union1d(mesh.at(0, 0), mesh.at(0, 0.5))
    mode[walls, 0] = 0
    got = run(folder, mode_deck(mesh, mode, {0: walls, 1: mesh.at(1, 0)}, 4 / c))
    m = np.full(len(x), 1.0)
    m[walls] /= 2
    m[np.union1d(mesh.at(1, 0), mesh.at(1, 2.5))] /= 2
    return frequency(got, mode, m, k * c) / (k * c) - 1


def test_rayleigh_speed(tmp_path):
    """W9: c_R from the standing wave's frequency, linear elements. The error is of order 2; extrapolated from 10 and 20
    points per wavelength it is below 0.1 %, and so is that of 40 points alone."""
    e = {n: rayleigh_error(tmp_path, n) for n in (10, 20, 40)}
    order = np.log2(abs(e[10] / e[20])), np.log2(abs(e[20] / e[40]))
    print("c_R / exact - 1:", e, "order", order, "extrapolated", (4 * e[20] - e[10]) / 3)
    assert abs((4 * e[20] - e[10]) / 3) <= 1e-3
    assert abs(e[40]) <= 1e-3
    assert abs(order[1] - 2) <= 0.2


def test_line_force(tmp_path):
    """W5: displacement at 707 m from a line force, Ricker 18 Hz, until the first echo: within 1 % of the closed form in
    L2 over both components, in the default precision. A quarter of the plane: the force lies on two lines of symmetry,
    on both of which u_x = 0. The first echo, P to P from the walls at b and back, comes at sqrt((2 b - 500)^2 + 500^2) /
    c_p - 0.02 s after the burst's onset: later than the end. Bilinear squares of 1.35 m, 91 per S wavelength at 18 Hz."""
    rho, p, s, f, side = 2000, 3297.849, 2222.536, 18, 915
    case = {"mesh": {"rectangle": {"size": [side, side], "element": 1.35}},
            "materials": {"rock": {"density": rho, "p_speed": p, "s_speed": s}},
            "boundary": [{"set": "left", "fix": "x"}, {"set": "bottom", "fix": "x"}],
            "sources": [{"at": [0, 0], "force": 0.25e9, "direction": [0, 1], "signal": {"ricker": {"frequency": f}}}],
            "outputs": {"traces": [{"name": "rx", "at": [[500, 500]]}]},
            "solve": {"explicit": {"end": 0.44}}}
    got = run(tmp_path, case, "--precision", "single")
    exact = 1e9 * np.array(oracles.line_force(500, 500, got.time["rx"] - 1.2 / f, f, p, s, rho))
    e = error(got.traces["rx"]["displacement"][0], exact)
    print("L2 error", e, "seconds", got.summary["seconds"]["solve"])
    assert e <= 0.01
