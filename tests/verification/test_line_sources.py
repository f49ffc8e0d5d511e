"""W5 and its like in a fluid: line sources at the mesh of SPECFEM2D's own homogeneous case, against closed forms."""
import numpy as np

import oracles
from command import error, run

RHO, C_P, C_S, F = 2000.0, 3297.849, 2222.536, 18.0


def case(material, source, quantity):
    """SPECFEM2D's mesh has 44 x 44 elements of order 4 on 2000 x 2000 m, source at (1000, 1000) m, receiver at (1500, 1500) m, 1400 steps of
    0.4 ms. Here four more of its elements go around: the first echo, 1930 m by a wall, comes after the end."""
    h = 2000 / 44
    return {"mesh": {"rectangle": {"from": [-4 * h, -4 * h], "to": [2000 + 4 * h, 2000 + 4 * h], "cells": 52}},
            "element": {"order": 4}, "materials": {"rock": material},
            "sources": [{"at": [1000, 1000], "signal": {"ricker": {"frequency": F}}} | source],
            "outputs": {"traces": [{"name": "rx", "at": [[1500, 1500]], "quantity": quantity}]},
            "solve": {"explicit": {"end": 0.56, "dt": 4e-4}}}


def trace(folder, model, quantity):
    got = run(folder, model)
    assert got.dt == 4e-4 and len(got.time["rx"]) == 1401
    return got.time["rx"] - 1.2 / F, got.traces["rx"][quantity][0]


def correlation(a, b):
    return np.sum(a * b) / (np.linalg.norm(a) * np.linalg.norm(b))


def ahead(exact, time, dt):
    """The exact trace with the phase of central differences, w^3 dt^2 t / 24 ahead after the time t of travel."""
    count = 4 * exact.shape[-1]
    w = 2 * np.pi * np.fft.rfftfreq(count, dt)
    return np.fft.irfft(np.fft.rfft(exact, count) * np.exp(1j * w**3 * dt**2 * time / 24), count)[..., :exact.shape[-1]]


def test_line_force(tmp_path):
    """W5: displacement from a line force, 0.7 % of the closed form in L2 over both components, correlation 0.9999."""
    model = case({"density": RHO, "p_speed": C_P, "s_speed": C_S}, {"force": 1e9, "direction": [0, 1]}, "displacement")
    t, u = trace(tmp_path, model, "displacement")
    exact = 1e9 * np.array(oracles.line_force(500, 500, t, F, C_P, C_S, RHO))
    print(f"L2 {error(u, exact):.5f}, 1 - correlation {1 - correlation(u, exact):.1e}")
    assert error(u, exact) <= 0.007
    assert correlation(u, exact) >= 0.9999


def test_line_source_in_a_fluid(tmp_path):
    """Pressure from a volume rate per thickness in a fluid: 0.3 % of the closed form; the phase of central differences alone made 0.6 %."""
    t, p = trace(tmp_path, case({"density": RHO, "sound_speed": C_P}, {"volume_rate": 1}, "pressure"), "pressure")
    r = np.hypot(500, 500)
    exact = oracles.line_source(r, t, F, C_P, RHO)
    print(f"L2 {error(p[0], exact):.5f}, phase alone {error(ahead(exact, r / C_P, 4e-4), exact):.5f}, "
          f"1 - correlation {1 - correlation(p[0], exact):.1e}")
    assert error(p[0], exact) <= 0.003
    assert correlation(p[0], exact) >= 0.9999
