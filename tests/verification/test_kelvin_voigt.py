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
    size, end = (22, 0.016) if shear else (26, 0.012)  # what comes back of the end is later
    case = plane_wave(shear, dim, RUBBER, solve={"explicit": {"end": end, "dt": 4e-6}})
    shape, = case["mesh"].values()
    shape["size"][0], shape["cells"][0] = size, 2 * size
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
    def coarse(loss, **more):
        return bar(ELASTIC | loss, element={"order": 4}, **more)
    limit = [hooke.check(hooke.Model.of_case(coarse(loss)))["dt_limit"] for loss in ({}, {"kelvin_voigt": TIME})]
    assert limit[1] == pytest.approx(np.hypot(TIME, limit[0]) - TIME, rel=1e-4) and limit[1] < 0.7 * limit[0]
    dt = 0.985 * limit[1]
    energy = run(coarse({"kelvin_voigt": TIME}, solve={"explicit": {"end": 0.09, "dt": dt}}), tmp_path, pictures=False, precision="double").energy
    assert 0 < energy["kinetic"][-1] < 1e-6 * np.max(energy["kinetic"])
    with pytest.raises(hooke.Unstable, match="above the stability limit"):
        run(coarse({"kelvin_voigt": TIME}, solve={"explicit": {"end": 1e-3, "dt": 1.3 * limit[1]}}), tmp_path)


STEEL, SOFT = {"density": 7800, "p_speed": 6000, "s_speed": 3200}, {"density": 1100, "p_speed": 300, "s_speed": 100}


def beside_steel(time=0, **more):
    """Soft rubber below, steel above; what moves first is steel."""
    return {"units": "none", "mesh": {"rectangle": {"size": [3, 2], "cells": [6, 4]}}, "element": {"order": 3}, "plane": "strain",
            "materials": {"steel": STEEL, "soft": SOFT | ({"kelvin_voigt": time} if time else {})}, "regions": {"upper": "steel", "all": "soft"},
            "sets": {"upper": {"what": "elements", "box": {"from": [0, 1], "to": [3, 2]}}, "some": {"what": "nodes", "box": {"from": [0, 1.4], "to": [1, 2]}}},
            "boundary": [{"set": "bottom", "fix": ["x", "y"]}], "initial": [{"set": "some", "velocity": [1, 0.3]}],
            "outputs": {"traces": [{"name": "rx", "at": [[2.3, 0.4]], "quantity": "velocity"}]}, "solve": {"explicit": {"end": 1e-3}}} | more


@pytest.mark.parametrize("time", [1.6e-4, 0.02])
def test_soft_rubber_beside_steel(time, tmp_path):
    """w^2 dt^2 + 2 tau dt = 4, tau = t w^2 of the rubber by itself: its inner nodes set it. Steps just below lose energy, and elements are named by what limits."""
    rubber = {"units": "none", "mesh": {"rectangle": {"size": [3, 1], "cells": [6, 2]}}, "element": {"order": 3}, "plane": "strain",
              "materials": {"soft": SOFT}, "solve": {"explicit": {"end": 1}}, "outputs": {"traces": [{"name": "rx", "at": [[1, 0.5]]}]}}
    elastic, alone = (hooke.check(hooke.Model.of_case(case))["dt_limit"] for case in (beside_steel(), rubber))
    told = hooke.check(hooke.Model.of_case(beside_steel(time)))
    w, tau = 2 / elastic, time * (2 / alone)**2
    limit = 4 / (tau + np.hypot(tau, 2 * w))
    assert told["dt_limit"] == pytest.approx(limit, rel=0.03)
    assert (told["dt_element"] <= 12) == (time > 0.01), "elements 1 to 12 are rubber"
    energy = run(beside_steel(time, solve={"explicit": {"end": 1000 * told["dt_limit"], "dt": 0.99 * told["dt_limit"]}}), tmp_path, pictures=False, precision="double").energy
    assert 0 < energy["kinetic"][-1] < 0.9 * energy["kinetic"][0]


def test_strain_that_is_counted_often_is_no_instability(tmp_path):
    """Waves from an elastic third into a solid with t / dt = 50, whose strain counts 51 times, put no energy in."""
    parts = {"regions": {"elastic": "rock", "all": "rubber"}, "materials": {"rock": ELASTIC, "rubber": RUBBER | {"kelvin_voigt": 1e-5}},
             "sets": {"third": {"what": "nodes", "box": {"from": [0, 0], "to": [1, 1]}}, "elastic": {"what": "elements", "box": {"from": [0, 0], "to": [1.5, 1]}}}}
    energy = run(bar(**parts, solve={"explicit": {"end": 0.004, "dt": 2e-7}}), tmp_path, pictures=False, precision="double").energy
    assert np.max(energy["strain"]) > 5 * energy["kinetic"][0], "the case is one"


def test_what_check_tells(tmp_path):
    """The lead w T w^2 t dt / 4 of the lagging rate, t and Q = 1 / (w t) at the centre of the sources, of `check`, run.json and the report."""
    pushed = [{"at": [1.3, 0.25], "force": 1e6, "direction": [1, 0], "signal": {"ricker": {"frequency": 500, "t0": 3e-3}}}]
    case = bar(initial=[], sources=pushed, solve={"explicit": {"end": 0.006, "dt": 4e-6}})
    told, result = hooke.check(hooke.Model.of_case(case)), run(case, tmp_path)
    lag, w = told["time_dispersion"], 2 * np.pi * told["highest_frequency"]
    assert lag["phase_error"] == pytest.approx(w**3 * lag["time"] * TIME * 4e-6 / 4, rel=1e-6) and lag["removed"] and "kelvin_voigt" in lag["why"]
    for entry in (told["attenuation"], result.summary["attenuation"]):
        assert entry == [{"material": "rubber", "kelvin_voigt": pytest.approx(TIME), "reference_frequency": 500, "quality": pytest.approx(20)}]
    assert "kelvin_voigt" in result.summary["time_dispersion"]["why"]
    report = (tmp_path / "out/report.html").read_text()
    assert report.count("Attenuation of rubber") == 1 and "Q = 20 at 500" in report


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
    (bar(mesh={"rectangle": {"size": [3, 0.5], "cells": [6, 1], "shape": "tri"}}, element={}), "material rubber: kelvin_voigt needs spectral elements: give element: {order"),
])
def test_what_is_refused(case, words, tmp_path):
    with pytest.raises(hooke.BadInput) as error:
        run(case, tmp_path)
    assert words in str(error.value)


def test_several_devices_are_refused(tmp_path):
    with pytest.raises(hooke.BadInput, match=r"attenuation \(q_s, kelvin_voigt\)"):
        run(bar(), tmp_path, device="cpu,cpu")
