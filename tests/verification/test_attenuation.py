"""Attenuation by quality factors: plane waves and cylindrical waves against solutions of the same complex moduli in the frequency domain, energies,
restarts, regions without attenuation, devices, and what is refused."""
import hooke
import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::hooke.HookeWarning")
QUALITY = {"q_s": 20, "q_p": 30, "q_band": [100, 2000], "q_frequency": 500}
ROCK = {"density": 2000, "p_speed": 3000, "s_speed": 1700} | QUALITY
SIGNAL = {"ricker": {"frequency": 500, "t0": 3e-3}}


def plane_wave(shear, dim=2, material=ROCK, **more):
    """A column along x, whose sides move as a plane wave does, loaded on its left end."""
    size, cells = ([40, 0.5], [80, 1]) if dim == 2 else ([40, 0.5, 0.5], [80, 1, 1])
    across = ["y", "z"][:dim - 1]
    held = ["x"] + across[1:] if shear else across
    load = [0, 1e6] if shear else [1e6, 0]
    shape = {"rectangle" if dim == 2 else "box": {"size": size, "cells": cells}}
    return {"units": "none", "mesh": shape, "element": {"order": 4}, "materials": {"rock": material},
            "boundary": [{"set": "all", "fix": held}, {"set": "left", "traction": load + [0] * (dim - 2), "signal": SIGNAL}],
            "outputs": {"traces": [{"name": name, "at": [[x] + [0.25] * (dim - 1)]} for name, x in (("near", 5), ("far", 15))]},
            "solve": {"explicit": {"end": 0.016}}} | ({"plane": "strain"} if dim == 2 else {}) | more


def run(case, folder, **options):
    return hooke.Model.of_case(case).run(output=folder / "out", force=True, **options)


def spectrum(trace, frequency):
    time, u = trace
    return np.exp(-2j * np.pi * np.outer(frequency, time)) @ u


def transfer(result, component, frequency=(250, 400, 500, 700, 900)):
    """u(far) / u(near) at frequencies: exp(-i w 10 / c(w)) of waves along x."""
    a, b = (((u := result.traces[name].displacement).time, u.values[0, component]) for name in ("near", "far"))
    return spectrum(b, np.array(frequency)) / spectrum(a, np.array(frequency))


def constant_q(speed, q, frequency=(250, 400, 500, 700, 900), distance=10):
    """exp(-i w x / c(w)) of a medium whose Q is the same at all frequencies (Kjartansson 1979), with the phase speed at 500 Hz."""
    gamma, f = np.arctan(1 / q) / np.pi, np.array(frequency)
    phase = speed * (f / 500)**gamma
    return np.exp(-2j * np.pi * f * distance / phase * (1 - 1j * np.tan(np.pi * gamma / 2)))


@pytest.mark.parametrize("dim, shear", [(2, False), (2, True), (3, False), (3, True)])
def test_plane_waves_have_the_quality_factor_and_its_dispersion(dim, shear, tmp_path):
    measured = transfer(run(plane_wave(shear, dim), tmp_path), int(shear))
    exact = constant_q(1700, 20) if shear else constant_q(3000, 30)
    lossless = np.exp(-2j * np.pi * np.array([250, 400, 500, 700, 900]) * 10 / (1700 if shear else 3000))
    assert np.log(np.abs(measured)) == pytest.approx(np.log(np.abs(exact)), rel=0.03), "Q"
    assert np.abs(np.angle(measured / exact)).max() < 0.015
    assert np.max(np.abs(np.angle(lossless / exact))) > 0.1, "the dispersion matters"


def square(left=None, right=None, **more):
    """A box with a force in it, made of one or two materials."""
    return {"units": "none", "mesh": {"rectangle": {"size": [4, 2], "cells": [16, 8], "jitter": 0.2}}, "element": {"order": 3}, "plane": "strain",
            "sets": {"half": {"what": "elements", "box": {"from": [2, 0], "to": [4, 2]}}},
            "materials": {"a": left or ROCK, "b": right or ROCK}, "regions": {"half": "b", "all": "a"},
            "boundary": [{"set": "bottom", "fix": ["x", "y"]}],
            "sources": [{"at": [1.3, 1.1], "force": 1e6, "direction": [1, 2], "signal": {"ricker": {"frequency": 2000, "t0": 7e-4}}}],
            "outputs": {"traces": [{"name": "rx", "at": [[0.6, 0.7], [3.1, 1.6]]}]}, "solve": {"explicit": {"end": 6e-3, "dt": 1e-5}}} | more


def trace(case, folder, **options):
    return run(case, folder, precision="double", **options).traces["rx"].displacement.values


def far(a, b):
    return np.abs(a - b).max() / np.abs(b).max()


ELASTIC = {key: ROCK[key] for key in ("density", "p_speed", "s_speed")}
BARE = ELASTIC | {"q_s": 1e12, "q_p": 1e12, "q_band": [100, 2000]}


def test_regions_without_attenuation_stand_beside_others(tmp_path):
    mixed = trace(square(right=ELASTIC), tmp_path)
    assert far(mixed, trace(square(right=BARE), tmp_path)) < 1e-8
    assert far(mixed, trace(square(), tmp_path)) > 0.01, "the other half matters"
    assert far(trace(square(BARE, BARE), tmp_path), trace(square(ELASTIC, ELASTIC), tmp_path)) < 1e-8


def test_an_anisotropic_body_that_is_almost_isotropic(tmp_path):
    m, mu = 2000 * 3000**2, 2000 * 1700**2
    constants = {"c11": m, "c22": m * (1 + 1e-9), "c12": m - 2 * mu, "c66": mu}
    other = {"density": 2000} | constants | QUALITY
    assert far(trace(square(other, other), tmp_path), trace(square(), tmp_path)) < 1e-6
    assert far(trace(square(other), tmp_path), trace(square(), tmp_path)) < 1e-6, "beside an isotropic one"


def test_plane_stress_and_speeds_of_shells(tmp_path):
    """One Q: the plane's own waves have it, whatever is eliminated across."""
    material = {"density": 2000, "young": 1.5e10, "poisson": 0.3} | QUALITY | {"q_p": 20}
    case = plane_wave(False, material=material) | {"plane": "stress"}
    speed = np.sqrt(1.5e10 / (1 - 0.3**2) / 2000)
    assert np.log(np.abs(transfer(run(case, tmp_path), 0))) == pytest.approx(np.log(np.abs(constant_q(speed, 20))), rel=0.03)


def test_energies_close_to_second_order(tmp_path):
    error = [abs(run(plane_wave(False, solve={"explicit": {"end": 0.016, "dt": dt}}), tmp_path, precision="double").summary["energy"]["balance_error"])
             for dt in (1.6e-5, 0.8e-5)]
    assert error[0] < 2e-3 and error[1] < 0.3 * error[0]


def test_single_precision_and_devices_agree(tmp_path):
    want = trace(square(right=ELASTIC), tmp_path)
    assert far(run(square(right=ELASTIC), tmp_path, precision="single").traces["rx"].displacement.values, want) < 2e-5
    if "opencl" in {device["device"] for device in hooke.devices()}:
        assert far(trace(square(right=ELASTIC), tmp_path, device="opencl"), want) < 1e-11


@pytest.mark.parametrize("case, words", [
    (square(ELASTIC | {"q_p": 30, "q_band": [1, 2]}), "attenuation needs q_s"),
    (square(ELASTIC | {"q_s": 30}), "attenuation needs q_band"),
    (square(ELASTIC | {"q_s": 30, "q_band": [2, 1]}), "the lower one first"),
    (square(ELASTIC | {"q_s": 30, "q_p": 300, "q_band": [1, 2]}), "q_p is at most"),
    (square(ELASTIC | {"q_s": 0.3, "q_band": [1, 2000]}), "no medium of 3 standard linear solids"),
    (square(plane="stress"), "the same value"),
    (square(solve={"static": {}}, sources=[]), "acts in explicit steps alone"),
    (square(mesh={"rectangle": {"size": [4, 2], "cells": [4, 2], "shape": "tri"}}, element={}), "attenuation (q_s) needs spectral elements: give element: {order"),
])
def test_what_is_refused(case, words, tmp_path):
    with pytest.raises(hooke.BadInput) as error:
        run(case, tmp_path)
    assert words in str(error.value)


def test_a_wide_band_is_told(tmp_path):
    with pytest.warns(hooke.HookeWarning, match="hold within 1. %"):
        run(square(ROCK | {"q_band": [1, 2000]}), tmp_path)


FAT = {"mesh": {"rectangle": {"size": [40, 20], "cells": [4, 2]}}, "element": {"order": 4}, "plane": "strain",
       "sources": [{"at": [7, 7], "force": 1, "direction": [1, 2], "signal": {"ricker": {"frequency": 50}}}], "solve": {"explicit": {"end": 0.01}}}


@pytest.mark.parametrize("ratio, bound", [(10, 0.004), (100, 0.04), (1000, 0.14)])
def test_check_and_the_report_tell_how_the_quality_factors_hold(ratio, bound, tmp_path):
    """largest and rms of |Q wanted / Q - 1| over the band, and c(f) = c(500) (f / 500)^gamma of constant Q at its ends."""
    middle = 500 / ratio**0.5
    quality = {"q_s": 20, "q_p": 30, "q_band": [middle, middle * ratio], "q_frequency": 500}
    case = FAT | {"materials": {"rock": ELASTIC | quality}}
    told, = hooke.check(hooke.Model.of_case(case))["attenuation"]
    result = run(case, tmp_path)
    drawn, = result.summary["attenuation"]
    assert told["material"] == "rock" and told["band"] == pytest.approx(quality["q_band"]) and len(told["mechanisms"]) == 3
    f = np.array(drawn["frequency"])
    inside = (f >= told["band"][0] * (1 - 1e-9)) & (f <= told["band"][1] * (1 + 1e-9))
    for wave, curve, speed, q in zip(told["waves"], drawn["waves"], (3000, 1700), (30, 20)):
        error = np.abs(q / np.array(curve["quality_at"])[inside] - 1)
        assert wave["quality"] == q and wave["speed"] == pytest.approx(speed)
        assert wave["largest_error"] == pytest.approx(error.max(), rel=0.15) and wave["largest_error"] < 1.3 * bound
        assert wave["rms_error"] == pytest.approx(np.sqrt(np.mean(error**2)), rel=0.25) and wave["rms_error"] < wave["largest_error"]
        gamma = np.arctan(1 / q) / np.pi
        ends = [speed * (end / 500)**gamma for end in told["band"]]
        assert [wave["speed_low"], wave["speed_high"]] == pytest.approx(ends, rel=6e-3)
        assert wave["dispersion"] == pytest.approx(ratio**gamma - 1, rel=0.1)
        assert wave["modulus"] == pytest.approx(2000 * speed**2)
        assert wave["modulus_relaxed"] < 2000 * ends[0]**2 and 2000 * ends[1]**2 < wave["modulus_unrelaxed"]
    html = (tmp_path / "out/report.html").read_text()
    assert html.count("Attenuation of rock") == 1 and "s waves, Q = 20" in html and "log10 of the frequency" in html


def test_check_tells_what_was_not_asked_for(tmp_path):
    rock, water = ELASTIC | {"q_s": 30, "q_band": [100, 2000]}, {"density": 1000, "sound_speed": 1500, "q_p": 25, "q_band": [100, 2000]}
    case = FAT | {"materials": {"rock": rock, "sea": water}, "regions": {"half": "sea", "all": "rock"},
                  "sets": {"half": {"what": "elements", "box": {"from": [20, 0], "to": [40, 20]}}}}
    told = {m["material"]: {w["wave"]: w for w in m["waves"]} for m in hooke.check(hooke.Model.of_case(case))["attenuation"]}
    assert told["rock"]["p"]["largest_error"] is None and told["rock"]["p"]["quality"] == pytest.approx(30 * 0.75 * (3000 / 1700)**2, rel=0.03)
    assert told["sea"]["sound"]["quality"] == 25 and told["sea"]["sound"]["largest_error"] < 0.01 and told["sea"]["sound"]["speed"] == pytest.approx(1500)
    varies = ELASTIC | {"p_speed": {"formula": "3000 + 10 * x"}, "q_s": 30, "q_band": [100, 2000]}
    one, = hooke.check(hooke.Model.of_case(FAT | {"materials": {"rock": varies}}))["attenuation"]
    assert one["of_element"] == 1 and one["waves"][0]["speed"] == pytest.approx(3050), "of the element that is named, whose centre is x = 5"
    assert "attenuation" not in hooke.check(hooke.Model.of_case(FAT | {"materials": {"rock": ELASTIC}}))


@pytest.mark.parametrize("quality, frequency", [({"q_s": 5, "q_band": [100, 2000]}, 500), ({"q_s": 20, "q_band": [1, 2000]}, 8)])
def test_much_loss_and_slow_loads_are_no_instability(quality, frequency, tmp_path):
    case = square(ELASTIC | quality, ELASTIC | quality, sources=[{"at": [1.3, 1.1], "force": 1e6, "direction": [1, 2],
                  "signal": {"ricker": {"frequency": frequency, "t0": 1.2 / frequency}}}], solve={"explicit": {"end": min(2.5 / frequency, 0.1)}})
    assert np.isfinite(run(case, tmp_path).traces["rx"].displacement.values).all()


def test_a_frequency_outside_of_the_band_is_told(tmp_path):
    with pytest.warns(hooke.HookeWarning, match="q_frequency lies outside q_band"):
        run(square(ROCK | {"q_frequency": 9000}), tmp_path)
