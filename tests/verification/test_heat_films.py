"""Films whose coefficient depends on temperature, by Picard's iteration and Newton's: closed solutions, radiation beside CalculiX's, steps in time."""
import json
import os
import pathlib

import numpy as np
import pytest

from command import call, run

RADIATION = "8e-8*(T^2 + 300^2)*(T + 300)"  # emissivity times Stefan and Boltzmann's constant
TABLE = {"temperature": [310, 340, 380], "value": [0, 2, 7]}
COEFFICIENTS = {
    "formula": ({"formula": "0.01*T"}, lambda t: .01 * t),
    "radiation": ({"formula": RADIATION}, lambda t: 8e-8 * (t**2 + 9e4) * (t + 300)),
    "table": ({"table": TABLE}, lambda t: np.interp(t, TABLE["temperature"], TABLE["value"])),
    "steep": ({"table": {"temperature": [310, 320], "value": [0, 50]}}, lambda t: np.interp(t, [310, 320], [0, 50]))}
MESHES = {"quad": {"rectangle": {"size": [2, 1], "cells": [4, 2], "jitter": .2}}, "tet": {"box": {"size": [2, 1, 1], "cells": [3, 2, 1], "shape": "tet"}},
          "hex": {"box": {"size": [2, 1, 1], "cells": [3, 2, 1]}}}


def case(mesh, coefficient, method, **heat):
    return {"units": "none", "mesh": MESHES[mesh], "physics": "heat", "materials": {"m": {"conductivity": 3, "density": 2, "specific_heat": 1.5}},
            "boundary": [{"set": "left", "temperature": 400}, {"set": "right", "film": {"coefficient": coefficient, "sink": 300}}],
            "solve": {"heat": {"nonlinear": {"method": method}, **heat}}}


def root(of, low, high):
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if of(middle) > 0 else (low, middle)
    return low


@pytest.mark.parametrize("method", ["picard", "newton"])
@pytest.mark.parametrize("name, mesh, words", [(n, "quad", ()) for n in COEFFICIENTS] + [("table", "tet", ()), ("radiation", "hex", ("--set", "solve.heat.form=elements"))])
def test_rod_with_a_film_at_its_end(tmp_path, name, mesh, words, method):
    """k (400 - T1) / L = h(T1) (T1 - 300): T is linear between 400 and the root T1, and the film takes that heat. Newton needs few iterations, as its tangent
    is exact."""
    coefficient, h = COEFFICIENTS[name]
    end = root(lambda t: 3 * (400 - t) / 2 - h(t) * (t - 300), 300, 400)
    got = run(tmp_path, case(mesh, coefficient, method), *words)
    assert np.abs(got.static[0]["temperature"][:, 0] - 400 - (end - 400) * got.coordinates[:, 0] / 2).max() <= 1e-6
    step = got.summary["steps"][0]
    assert step["load"][0] == pytest.approx(-3 * (400 - end) / 2, rel=1e-7)
    if method == "newton":
        assert step["nonlinear"]["iterations"] <= 8


def test_radiation_is_that_of_calculix(tmp_path):
    """CalculiX 2.20 with *RADIATE, emissivity 0.8 and STEFAN BOLTZMANN=1e-7, on two cubes: its temperatures to the printed digits."""
    model = case("hex", COEFFICIENTS["radiation"][0], "newton")
    model["mesh"] = {"box": {"size": [2, 1, 1], "cells": [2, 1, 1]}}
    got = run(tmp_path, model)
    x, t = got.coordinates[:, 0], got.static[0]["temperature"][:, 0]
    for at, expected in ((1, 356.9696), (2, 313.9392)):
        assert np.abs(t[np.abs(x - at) < 1e-9] - expected).max() <= 5e-4


@pytest.mark.parametrize("method", ["picard", "newton"])
def test_cooling_in_time(tmp_path, method):
    """A body of one temperature with h = (T - 300) / 50 on one side: rho c L d(theta)/dt = -theta^2 / 50 has theta = theta_0 / (1 + theta_0 t / (50 rho c L)).
    Steps theta = 1/2 are of order 2; the heat is balanced."""
    errors = []
    for dt in (.4, .2):
        model = case("quad", {"formula": "max(T - 300, 0)/50"}, method, end=4, dt=dt, theta=.5)
        model["boundary"] = model["boundary"][1:]
        model["materials"]["m"]["conductivity"] = 1e5
        model["initial"] = [{"set": "all", "temperature": 400}]
        got = run(tmp_path, model)
        errors.append(np.abs(got.static[-1]["temperature"][:, 0] - 300 - 100 / (1 + 100 * 4 / (50 * 3 * 2))).max())
        assert abs(got.summary["heat"]["open"]) <= 1e-6 * abs(got.summary["heat"]["stored"])
    assert errors[1] <= .05 and 3 <= errors[0] / errors[1] <= 5


@pytest.mark.parametrize("temperatures, told", [([300, 350], True), ([350, 400], True), ([300, 400], False)])
def test_check_tells_of_temperatures_outside_a_table(tmp_path, temperatures, told):
    """400 is prescribed and 300 a sink: a note where the table of the conductivity lacks one of them."""
    model = case("quad", 2, "picard")
    model["materials"]["m"]["conductivity"] = {"table": {"temperature": temperatures, "value": [3, 4]}}
    (tmp_path / "m.json").write_text(json.dumps(model))
    done = call("check", tmp_path / "m.json")
    assert done.returncode == 0 and ("the table of its conductivity" in done.stdout + done.stderr) == told, done.stdout + done.stderr


def test_latent_heat_is_no_table(tmp_path):
    """What lies outside of solidus and liquidus is the given specific heat: nothing to tell."""
    freezing = pathlib.Path(os.environ["HOOKE_SOURCE"]) / "examples/freezing/freezing.yaml"
    done = call("check", freezing)
    assert done.returncode == 0 and "the table of its" not in done.stdout + done.stderr, done.stdout + done.stderr


@pytest.mark.parametrize("table", [{"temperature": [340, 545], "value": [3.7, 0]}, {"temperature": list(range(300, 550, 10)), "value": [50 - k for k in range(25)]}])
def test_a_table_falls_to_zero(tmp_path, table):
    """Rounding leaves no coefficient below 0, and as many rows as a table may have are a formula."""
    model = case("quad", {"table": table}, "picard")
    model["boundary"][0]["temperature"] = 600
    got = run(tmp_path, model)
    assert np.isfinite(got.static[-1]["temperature"]).all()


def test_coupled_equations_have_no_table(tmp_path):
    """A table by temperature is refused there, not taken as 1."""
    model = {"units": "none", "mesh": MESHES["quad"], "materials": {"m": {"terms": [{"equation": "u", "diffusion": 3}]}},
             "boundary": [{"set": "left", "film": {"coefficient": {"table": TABLE}, "sink": 1}}], "solve": {"coupled": {"unknowns": ["u"]}}}
    (tmp_path / "m.json").write_text(json.dumps(model))
    done = call("check", tmp_path / "m.json")
    assert done.returncode == 3 and "is for heat conduction" in done.stderr + done.stdout, done.stderr


@pytest.mark.parametrize("coefficient, told", [
    ({"formula": "T - 350"}, "must be finite and 0 or above"), ({"formula": "1/(T - 300) + log(-T)"}, "must be finite and 0 or above"),
    ({"table": {"temperature": [310, 300], "value": [1, 2]}}, "temperatures must ascend"), ({"table": {"temperature": [310], "value": [1, 2]}}, "give as many"),
    ({"table": {"temperature": [300, 310], "value": [-1, 2]}}, "-1")])
def test_what_is_wrong_is_told(tmp_path, coefficient, told):
    """Coefficients without a value or below 0 at temperatures of the iteration, tables that are none."""
    (tmp_path / "m.json").write_text(json.dumps(case("quad", coefficient, "picard")))
    done = call("run", tmp_path / "m.json", "--output", tmp_path / "out", "-q", "--no-pictures")
    assert done.returncode == 3 and told in done.stderr, done.stderr


@pytest.mark.parametrize("words", [("--set", "solve.heat.nonlinear.method=picard"), ("--set", "solve.heat.nonlinear.method=newton"), ("--set", "solve.heat.method=cg")])
@pytest.mark.parametrize("coefficient, h", [({"formula": "1.3*abs(T - 300)^0.25"}, lambda t: 1.3 * abs(t - 300)**.25),
                                            ({"table": {"temperature": [300, 400], "value": [0, .2]}}, lambda t: np.interp(t, [300, 400], [0, .2])),
                                            ({"formula": RADIATION + " * 1e-3"}, lambda t: 8e-11 * (t**2 + 9e4) * (t + 300))])
def test_a_body_that_films_alone_hold(tmp_path, coefficient, h, words):
    """A flux q enters and leaves through a film that is 0 at its sink, where nothing else holds the temperature: h(T1) (T1 - 300) = q, T = T1 + q (L - x) / k."""
    model = case("quad", coefficient, "picard")
    model["boundary"][0] = {"set": "left", "flux": 1}
    got = run(tmp_path, model, *words)
    end = root(lambda t: 1 - h(t) * (t - 300), 300, 1e4)
    assert np.abs(got.static[0]["temperature"][:, 0] - end - (2 - got.coordinates[:, 0]) / 3).max() <= 1e-6 * end


def test_a_film_without_heat_keeps_its_sink(tmp_path):
    model = case("quad", {"formula": "abs(T - 300)^0.25"}, "picard")
    model["boundary"][0] = {"set": "left", "flux": 0}
    assert np.abs(run(tmp_path, model).static[0]["temperature"] - 300).max() <= 1e-4


def test_a_film_that_is_0_everywhere_is_told_with_its_line(tmp_path):
    """A table is called by its line, not by the formula that hooke makes of it."""
    path = tmp_path / "m.yaml"
    path.write_text("""units: none
mesh: {rectangle: {size: [2, 1], cells: [4, 2]}}
physics: heat
materials: {m: {conductivity: 3}}
boundary:
  - {set: left, flux: 1}
  - set: right
    film:
      coefficient:
        table: {temperature: [300, 400], value: [0, 0]}
      sink: 300
solve: {heat: {}}
""")
    done = call("run", path, "--output", tmp_path / "out.hooke", "-q")
    assert done.returncode == 7 and "m.yaml:9: error: film" in done.stderr and "the coefficient of the table in line 10 is 0 on all its faces" in done.stderr, done.stderr
    assert "max(" not in done.stderr


@pytest.mark.parametrize("method", ["picard", "newton"])
def test_a_film_of_0_beside_a_prescribed_temperature(tmp_path, method):
    """The film is 0 up to 50: T = 0 is a solution, and so is one near the sink, which an iteration that begins far away finds."""
    model = {"units": "none", "mesh": {"rectangle": {"size": [2, 1], "cells": [8, 2]}}, "physics": "heat", "materials": {"m": {"conductivity": 1}},
             "boundary": [{"set": "left", "temperature": 0}, {"set": "right", "film": {"coefficient": {"formula": "max(0, T - 50)"}, "sink": 2000}}],
             "solve": {"heat": {"nonlinear": {"method": method}}}}
    assert np.abs(run(tmp_path, model).static[0]["temperature"]).max() < 1e-9
