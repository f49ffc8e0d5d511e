"""W11: resonances of a free cube in the spectrum of an explicit run."""
import numpy as np
import pytest

import fem
import oracles
from command import run


def spectrum_peaks(got, count):
    """The lowest `count` peaks in Hz above 1e-3 of the highest of the first ones, of the summed power of all traces."""
    u = np.concatenate([got.traces["WATCH"]["displacement"][:, c] for c in range(3)])
    assert np.isfinite(u).all()
    n = u.shape[1]
    fit = np.vander(np.linspace(-1, 1, n), 2)  # the body drifts and turns: off with the straight line
    u = u - (fit @ np.linalg.lstsq(fit, u.T, rcond=None)[0]).T
    padded = 8 * n
    power = (np.abs(np.fft.rfft(u * np.hanning(n), padded)) ** 2).sum(0)
    f = np.arange(len(power)) / (padded * got.dt)
    low = (f > 0.2) & (f < 0.47)
    k = np.flatnonzero(low)
    k = k[(power[k] > power[k - 1]) & (power[k] >= power[k + 1]) & (power[k] > 1e-3 * power[low].max())]
    left, middle, right = np.log(power[k - 1]), np.log(power[k]), np.log(power[k + 1])
    return (f[k] + 0.5 * f[1] * (left - right) / (left - 2 * middle + right))[:count]


def cube_errors(folder, shape, n, duration=450):
    """Relative errors of the five lowest resonances of a cube that starts with a polynomial velocity of degree 3."""
    mesh = fem.grid(shape, [n] * 3)
    x = 2 * mesh.x - 1
    powers = [(a, b, c) for a in range(4) for b in range(4) for c in range(4) if 1 <= a + b + c <= 3]
    basis = np.stack([x[:, 0] ** a * x[:, 1] ** b * x[:, 2] ** c for a, b, c in powers], 1)
    velocity = basis @ np.random.default_rng(2).uniform(-1, 1, (len(powers), 3))
    velocity -= velocity.mean(0)
    watch = [i for i, p in enumerate(mesh.x) if all(v in (0, 0.5, 1) for v in p)]
    lines = [fem.mesh_deck(mesh, {"WATCH": watch}), "*MATERIAL, NAME=M", "*DENSITY", "1.", "*ELASTIC", "1., 0.3",
             "*SOLID SECTION, ELSET=BODY, MATERIAL=M", ",", "*INITIAL CONDITIONS, TYPE=VELOCITY"]
    lines += [f"{i + 1}, {c + 1}, {v:.17g}" for i, row in enumerate(velocity) for c, v in enumerate(row)]
    lines += ["*STEP", "*DYNAMIC, EXPLICIT", f", {duration}", "*OUTPUT, HISTORY, FREQUENCY=1",
              "*NODE OUTPUT, NSET=WATCH", "U", "*END STEP", ""]
    got = run(folder, "\n".join(lines), "--precision", "single")
    exact = np.array([f for f, _ in oracles.FREE_CUBE])
    peaks = spectrum_peaks(got, len(exact))
    assert len(peaks) == len(exact), peaks
    return peaks / exact - 1


@pytest.mark.parametrize("shape, levels", [("hex8", (8, 14)), ("tet4", (8, 16))])
def test_resonances_of_a_free_cube(tmp_path, shape, levels):
    """The five lowest frequencies within 1 % on the finer mesh; their errors fall as h^2, to 0.4 in the order."""
    coarse, fine = (cube_errors(tmp_path, shape, n) for n in levels)
    order = np.log(np.abs(coarse).max() / np.abs(fine).max()) / np.log(levels[1] / levels[0])
    print(shape, "errors", coarse, fine, "order", order)
    assert np.abs(fine).max() <= 0.01
    assert abs(order - 2) <= 0.4
