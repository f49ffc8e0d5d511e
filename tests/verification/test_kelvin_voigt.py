"""Kelvin-Voigt solids: plane waves and standing waves against closed forms, the bound of the time step, energies, a matched layer, precisions, what is refused."""
import hooke
import numpy as np
import pytest

from test_absorbing import reflected
from test_attenuation import far, plane_wave, run, transfer

pytestmark = pytest.mark.filterwarnings("ignore::hooke.HookeWarning")
TIME = 1 / (2 * np.pi * 500 * 20)  # Q = 20 at 500 Hz
ELASTIC = {"density": 2000, "p_speed": 3000, "s_speed": 1700}
RUBBER = ELASTIC | {"kelvin_voigt": TIME}
FREQUENCY = (250, 400, 500, 700, 900)


@pytest.mark.parametrize("dim, shear", [(2, False), (2, True), (3, False)])
def test_plane_waves(dim, shear, tmp_path):
    """u(15) / u(5) = exp(-10 i k), k = w sqrt(density / (M (1 + i w t))). The phase leads by w^3 t dt 10 / (4 c), as the rate lags."""
    case = plane_wave(shear, dim, RUBBER, solve={"explicit": {"end": 0.016, "dt": 4e-6}})
    measured, w = transfer(run(case, tmp_path, pictures=False), int(shear), FREQUENCY), 2 * np.pi * np.array(FREQUENCY)
    exact = np.exp(-10j * w / (1700 if shear else 3000) / np.sqrt(1 + 1j * w * TIME))
    decay, phase = np.log(np.abs(measured)) / np.log(np.abs(exact)) - 1, np.angle(measured / exact)
    print("decay off by", np.round(decay, 4), "phase by", np.round(phase, 4))
    assert np.abs(decay).max() < 0.003 and np.abs(phase).max() < (0.018 if shear else 0.01)
    assert np.abs(exact[-1]) < 0.5, "the loss matters"


def bar(material=RUBBER, **more):
    """A column of length 3 between walls, which begins with a speed in its left third; its lowest wave has 500 Hz."""
    return {"units": "none", "mesh": {"rectangle": {"size": [3, 0.5], "cells": [6, 1]}}, "element": {"order": 5}, "materials": {"rubber": material},
            "plane": "strain", "boundary": [{"set": "all", "fix": ["y"]}, {"set": "left", "fix": ["x"]}, {"set": "right", "fix": ["x"]}],
            "sets": {"third": {"what": "nodes", "box": {"from": [0, 0], "to": [1, 1]}}}, "initial": [{"set": "third", "velocity": [1, 0]}],
            "outputs": {"traces": [{"name": "rx", "at": [[1.5, 0.25]], "quantity": "velocity"}]}, "solve": {"explicit": {"end": 0.04, "dt": 2e-6}}} | more


def test_a_standing_wave(tmp_path):
    """v = exp(-w^2 t s / 2) cos(w sqrt(1 - (w t / 2)^2) s + const), w = pi 3000 / 3, once the shorter waves are gone."""
    trace = run(bar(), tmp_path, pictures=False, precision="double").traces["rx"].velocity
    time, v, w = trace.time[::20], trace.values[0, 0, ::20], np.pi * 1000
    late = time > 0.01
    rate, bent = w**2 * TIME / 2, w * np.sqrt(1 - (w * TIME / 2)**2)
    def misfit(r, f):
        wave = np.exp(-r * time[late])[:, None] * np.column_stack([np.cos(f * time[late]), np.sin(f * time[late])])
        return np.linalg.norm(wave @ np.linalg.lstsq(wave, v[late], rcond=None)[0] - v[late]) / np.linalg.norm(v[late])
    best = min((misfit(rate * a, bent * b), a, b) for a in np.linspace(0.97, 1.03, 25) for b in np.linspace(0.998, 1.002, 21))
    print("misfit, decay, frequency over the closed form:", best)
    assert best[0] < 0.01 and abs(best[1] - 1) < 0.006 and abs(best[2] - 1) < 6e-4


def test_the_largest_time_step(tmp_path):
    """dt = sqrt(t^2 + 4 / w^2) - t, with 4 / w^2 the square of the limit without a loss; steps just below it lose energy, longer ones are refused."""
    limit = [hooke.check(hooke.Model.of_case(bar(material)))["dt_limit"] for material in (ELASTIC, RUBBER)]
    assert limit[1] == pytest.approx(np.hypot(TIME, limit[0]) - TIME, rel=1e-4) and limit[1] < 0.7 * limit[0]
    dt = 0.985 * limit[1]
    energy = run(bar(solve={"explicit": {"end": 8000 * dt, "dt": dt}}), tmp_path, pictures=False, precision="double").energy
    assert 0 < energy["kinetic"][-1] < 1e-6 * np.max(energy["kinetic"])
    with pytest.raises(hooke.Unstable, match="above the stability limit"):
        run(bar(solve={"explicit": {"end": 1e-3, "dt": 1.3 * limit[1]}}), tmp_path)


def test_energies(tmp_path):
    """They close to second order in dt; all of the work is lost at last."""
    pushed = [{"at": [1.3, 0.25], "force": 1e6, "direction": [1, 0], "signal": {"ricker": {"frequency": 500, "t0": 3e-3}}}]
    summary = [run(bar(initial=[], sources=pushed, solve={"explicit": {"end": 0.03, "dt": dt}}), tmp_path, pictures=False, precision="double").summary["energy"]
               for dt in (4e-6, 2e-6)]
    error = [abs(s["balance_error"]) for s in summary]
    print("balance", error)
    assert error[0] < 5e-3 and error[1] < 0.35 * error[0]
    assert summary[1]["damping"] == pytest.approx(summary[1]["work"], rel=0.02) and summary[1]["work"] > 0


def test_a_matched_layer_beside_an_elastic_body_and_precisions(tmp_path):
    def case(width, **more):
        return {"units": "none", "mesh": {"rectangle": {"size": [width, 4], "cells": [width * 2, 8]}}, "element": {"order": 4}, "plane": "strain",
                "materials": {"rubber": RUBBER, "rock": ELASTIC}, "regions": {"upper": "rock", "all": "rubber"},
                "sets": {"upper": {"what": "elements", "box": {"from": [0, 2], "to": [width, 4]}}},
                "sources": [{"at": [2.2, 1.3], "force": 1e6, "direction": [1, 0.5], "signal": {"ricker": {"frequency": 700}}}],
                "outputs": {"traces": [{"name": "rx", "at": [[3.3, 1.2], [3.1, 2.6]], "quantity": "velocity"}]},
                "solve": {"explicit": {"end": 0.006, "dt": 8e-6}}} | more
    layer = {"kind": "pml", "sets": "right", "thickness": 4}
    small, large = case(8, absorb=layer), case(14)
    a, b = (run(c, tmp_path, pictures=False, precision="double").traces["rx"].velocity.values.copy() for c in (small, large))
    print("reflected", reflected(a, b))
    assert reflected(a, b) < 0.01
    single = run(small, tmp_path, pictures=False, precision="single").traces["rx"].velocity.values
    assert far(single, a) < 5e-5


@pytest.mark.parametrize("case, words", [
    (bar(RUBBER | {"q_s": 20, "q_band": [1, 2]}), "give one of both"),
    (bar({"density": 1000, "sound_speed": 1500, "kelvin_voigt": 1e-6}, boundary=[], initial=[]), "kelvin_voigt is of solids"),
    (bar({"density": 2000, "c11": 3e10, "c22": 2e10, "c12": 1e10, "c66": 1e10, "kelvin_voigt": 1e-6}), "needs an isotropic material"),
    (bar(initial=[{"set": "third", "displacement": [1, 0]}]), "cannot begin with a displacement"),
    (bar(RUBBER | {"kelvin_voigt": -1}), "kelvin_voigt"),
    (bar(initial=[], solve={"static": {}}), "explicit steps alone"),
    (bar(mesh={"rectangle": {"size": [3, 0.5], "cells": [6, 1], "shape": "tri"}}, element={}), "supports linear laws only"),
])
def test_what_is_refused(case, words, tmp_path):
    with pytest.raises(hooke.BadInput) as error:
        run(case, tmp_path)
    assert words in str(error.value)
