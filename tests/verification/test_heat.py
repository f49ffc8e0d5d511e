"""Steady heat conduction beside closed forms: K per length, W/m/K and so on."""
import numpy as np
import pytest

from command import Run, call
from solids import Block, wrap


def case(tmp_path, text, *words):
    (tmp_path / "heat.yaml").write_text(text)
    done = call("run", tmp_path / "heat.yaml", "--output", tmp_path / "heat.hooke", "--force", "--no-pictures", "-q", *words)
    assert done.returncode == 0, done.stderr
    return Run(tmp_path / "heat.hooke")


def deck_of(block, kind, body, material=("*CONDUCTIVITY", "2."), **sets):
    lines = ["*NODE"] + [", ".join([str(i + 1), *(repr(float(v)) for v in x)]) for i, x in enumerate(block.x)]
    lines.append(f"*ELEMENT, TYPE={kind}, ELSET=BODY")
    for e, nodes in enumerate(block.element):
        words = [str(e + 1)] + [str(n + 1) for n in nodes]
        lines.append(", ".join(words[:14]) + ("," if len(words) > 14 else ""))
        if len(words) > 14:
            lines.append(", ".join(words[14:]))
    for name, items in sets.items():
        lines += [f"*{'ELSET, ELSET' if name.startswith('E') else 'NSET, NSET'}={name}", wrap(items)]
    lines += ["*MATERIAL, NAME=M", *material, "*SOLID SECTION, ELSET=BODY, MATERIAL=M", *body, ""]
    return "\n".join(lines)


def deck(tmp_path, *what, **sets):
    (tmp_path / "heat.inp").write_text(deck_of(*what, **sets))
    done = call("run", tmp_path / "heat.inp", "--output", tmp_path / "heat.hooke", "--force", "--no-pictures", "-q")
    assert done.returncode == 0, done.stderr
    return Run(tmp_path / "heat.hooke")


RECTANGLE = """
mesh: {{rectangle: {{size: [2, 1], cells: [{0}, 7]}}}}
physics: heat
materials: {{steel: {{conductivity: 50 W/m/K}}}}
boundary: [{{set: left, temperature: 300 K}}, {{set: right, temperature: 400 K}}]
solve: {{heat: {{{1}}}}}
"""


@pytest.mark.parametrize("how", ["method: direct", "method: cg", "method: cg, preconditioner: jacobi", "method: cg, preconditioner: chebyshev"])
def test_rectangle(tmp_path, how):
    """T = U0 + (U1 - U0) x / c between insulated sides, to 1e-8 of U1; the heat through it is k (U1 - U0) b / c."""
    got = case(tmp_path, RECTANGLE.format(11, how))
    x = np.linspace(0, 2, 12)
    t = got.static[0]["temperature"].reshape(8, 12)
    assert np.abs(t - (300 + 50 * x)).max() <= 4e-6
    assert abs(got.static[0]["reaction"].reshape(8, 12)[:, 0].sum() + 2500) <= 1e-3
    assert np.abs(got.static[0]["heat_flux"] - [-2500, 0]).max() <= 1e-2


def test_flat_models_take_factors(tmp_path):
    """Above the limit of solids, 20 000 unknowns, and below that of two dimensions."""
    assert "direct" in case(tmp_path, RECTANGLE.format(3000, "method: auto")).summary["solver"]


def test_methods_agree_on_a_large_model(tmp_path):
    """Multigrid and factors give the same temperatures of a body with films and sources, to 1e-8."""
    text = """
mesh: {{box: {{size: [1, 1, 1], cells: [17, 16, 15]}}}}
physics: heat
materials: {{steel: {{conductivity: [50, 5, 20]}}}}
boundary: [{{set: left, temperature: 300}}, {{set: right, film: {{coefficient: 70, sink: 290}}}}, {{set: top, flux: 200}}]
sources: [{{heat: 1e4}}]
solve: {{heat: {{method: {}, tolerance: 1e-12}}}}
"""
    one, two = (case(tmp_path, text.format(m)).static[0]["temperature"].copy() for m in ("direct", "cg"))
    assert np.ptp(one) > 10 and np.abs(one - two).max() <= 1e-8 * np.abs(one).max()


def test_film_alone_holds_a_body(tmp_path):
    """Heat q through a wall into a film: T = sink + q / h + q (L - x) / k, and what the film takes is what comes in."""
    got = case(tmp_path, """
mesh: {rectangle: {size: [2, 1], cells: [6, 3]}}
thickness: 3
physics: heat
materials: {steel: {conductivity: 5}}
boundary: [{set: left, flux: 100 W/m^2}, {set: right, film: {coefficient: 25 W/m^2/K, sink: 20}}]
solve: {heat: {}}
""")
    t = got.static[0]["temperature"].reshape(4, 7)
    assert np.abs(t - (20 + 4 + 20 * (2 - np.linspace(0, 2, 7)))).max() <= 1e-6
    assert abs(got.summary["steps"][0]["load"][0]) <= 1e-6 * 300


@pytest.mark.parametrize("kind, name", [("CPS8", "DC2D8"), ("CPE8R", "CPE8R"), ("C3D20", "DC3D20"), ("C3D20R", "C3D20R")])
def test_body_heat(tmp_path, kind, name):
    """-k T'' = s between two walls at 0: T = s x (1 - x) / 2 k, which elements of second order hold exactly."""
    block = Block(kind, [4, 2, 2][:2 if "C3D" not in kind else 3], lambda s: s)
    got = deck(tmp_path, block, name, ["*STEP", "*HEAT TRANSFER, STEADY STATE", "*BOUNDARY", "NA, 11, 11, 0.", "NB, 11, 11, 0.", "*DFLUX",
                                       "BODY, BF, 8.", "*END STEP"], NA=block.at(s=0), NB=block.at(s=1))
    x = block.x[:, 0]
    assert np.abs(got.static[0]["temperature"][:, 0] - 2 * x * (1 - x)).max() <= 1e-11


def test_t4(tmp_path):
    """NAFEMS T4: a wall held at 100 below, films above and at the right: 18.25 (by finer meshes 18.2538) at (0.6, 0.2)."""
    block = Block("CPS8", [24, 40], lambda s: s * [.6, 1.])
    body = ["*STEP", "*HEAT TRANSFER, STEADY STATE", "*BOUNDARY", "NA, 11, 11, 100.", "*FILM", "ETOP, F3, 0., 750.", "ERIGHT, F2, 0., 750.",
            "*END STEP"]
    got = deck(tmp_path, block, "DC2D8", body, ("*CONDUCTIVITY", "52."), NA=block.at(t=0), ETOP=block.last(1), ERIGHT=block.last(0))
    at = np.abs(block.x - [.6, .2]).sum(1).argmin()
    assert abs(got.static[0]["temperature"][at, 0] - 18.2538) <= 0.001


def test_steps_change_films_and_heat(tmp_path):
    """Films and heat persist or are replaced: a bar at 0 below a film of sink 10 with h = 2, 6, none, and 1 W into its end."""
    block = Block("CPS4", [3, 1], lambda s: s)
    end = block.at(s=1)
    body = ["*BOUNDARY", "NA, 11, 11, 0."]
    for lines in (["*FILM", "EEND, F2, 10., 2."], ["*FILM", "EEND, F2, 10., 6."], ["*FILM, OP=NEW", "*CFLUX", "NEND, 11, .5"]):
        body += ["*STEP", "*HEAT TRANSFER, STEADY STATE", *lines, "*END STEP"]
    got = deck(tmp_path, block, "DC2D4", body, NA=block.at(s=0), NEND=end, EEND=[2])
    expected = [10 * 2 / (2 + 2), 10 * 6 / (2 + 6), .5]
    for step, t in zip(got.static, expected):
        assert np.abs(step["temperature"][end, 0] - t).max() <= 1e-11


def test_two_films_on_a_face(tmp_path):
    """In one step the last one holds, as in CalculiX, with a warning: a bar at 0, k = 2, below h = 6, sink 10; in the next step h = 2."""
    block = Block("CPS4", [3, 1], lambda s: s)
    step = ["*STEP", "*HEAT TRANSFER, STEADY STATE", "*FILM"]
    text = deck_of(block, "DC2D4", ["*BOUNDARY", "NA, 11, 11, 0.", *step, "EEND, F2, 50., 4.", "3, F2, 10., 6.", "*END STEP", *step,
                                    "EEND, F2, 10., 2.", "*END STEP"], NA=block.at(s=0), EEND=[2])
    (tmp_path / "heat.inp").write_text(text)
    done = call("run", tmp_path / "heat.inp", "--output", tmp_path / "heat.hooke", "--no-pictures")
    line = text.splitlines().index("EEND, F2, 50., 4.") + 1
    assert done.stderr.count(f"*FILM: face 2 of element 3 has another film at line {line}") == 1 == done.stderr.count("warning"), done.stderr
    for step, t in zip(Run(tmp_path / "heat.hooke").static, [10 * 6 / (2 + 6), 10 * 2 / (2 + 2)]):
        assert np.abs(step["temperature"][block.at(s=1), 0] - t).max() <= 1e-11


@pytest.mark.parametrize("lines, words", [
    (["*CFLUX", "5, 1, 3."], ["*CFLUX: degree of freedom 1: must be 11, or 0 for it"]),
    (["*CFLUX", "5, 0, 3."], []),
    (["*DFLUX", "1, S1"], ["*DFLUX: magnitude is missing"]),
    (["*FILM", "1, F1, , 3."], ["*FILM: temperature of the sink is missing"]),
    (["*BOUNDARY", "NA, 11, 11, 1."], ["has another temperature at line"])])
def test_wrong_heat_loads_of_decks(tmp_path, lines, words):
    block = Block("CPS4", [3, 1], lambda s: s)
    (tmp_path / "heat.inp").write_text(deck_of(block, "DC2D4", ["*STEP", "*HEAT TRANSFER, STEADY STATE", "*BOUNDARY", "NA, 11, 11, 0.", *lines,
                                                               "*END STEP"], NA=block.at(s=0)))
    done = call("run", tmp_path / "heat.inp", "--output", tmp_path / "heat.hooke", "--no-pictures")
    assert done.returncode == (3 if words and lines[0] != "*BOUNDARY" else 0), done.stderr
    assert len(done.stderr.splitlines()) == len(words) and all(w in done.stderr for w in words), done.stderr


@pytest.mark.parametrize("procedure", ["*COUPLED TEMPERATURE-DISPLACEMENT, STEADY STATE", "*UNCOUPLED TEMPERATURE-DISPLACEMENT", "*FREQUENCY"])
def test_another_procedure_is_the_only_error(tmp_path, procedure):
    """not that explicit steps need a density"""
    block = Block("CPS4", [1, 1], lambda s: s)
    (tmp_path / "heat.inp").write_text(deck_of(block, "DC2D4", ["*STEP", procedure, "*BOUNDARY", "NA, 11, 11, 0.", "*END STEP"], NA=block.at(s=0)))
    done = call("check", tmp_path / "heat.inp")
    assert done.returncode == 3 and len(done.stderr.splitlines()) == 1 and procedure.split(",")[0] in done.stderr, done.stderr


@pytest.mark.parametrize("constants", [["*CONDUCTIVITY, TYPE=ORTHO", "1., 2."], ["*CONDUCTIVITY, TYPE=ANISO", "1., 2., 3."], ["*CONDUCTIVITY"]])
def test_missing_conductivities_are_one_error(tmp_path, constants):
    block = Block("CPS4", [1, 1], lambda s: s)
    (tmp_path / "heat.inp").write_text(deck_of(block, "DC2D4", ["*STEP", "*HEAT TRANSFER, STEADY STATE", "*BOUNDARY", "NA, 11, 11, 0.",
                                                               "*END STEP"], constants, NA=block.at(s=0)))
    done = call("check", tmp_path / "heat.inp")
    assert done.returncode == 3 and len(done.stderr.splitlines()) == 1 and "*CONDUCTIVITY" in done.stderr, done.stderr


@pytest.mark.parametrize("law, flux", [("[2, 5]", 5), ("[2, 5, 1]", 5), ("[2, 5, 1, 0, 0, 0]", 5), ("2", 2)])
def test_two_conductivities_of_a_plane(tmp_path, law, flux):
    """k_yy = 5: T = y carries a heat of -5 along y"""
    got = case(tmp_path, f"""
mesh: {{rectangle: {{size: [2, 1], cells: [3, 4], shape: tri, jitter: 0.1}}}}
physics: heat
materials: {{m: {{conductivity: {law}}}}}
boundary: [{{set: bottom, temperature: 0}}, {{set: top, temperature: 1}}]
solve: {{heat: {{}}}}
""")
    assert np.abs(got.static[0]["heat_flux"] - [0, -flux]).max() <= 1e-9


def test_what_is_told_is_told_once(tmp_path):
    """A run tries all steps before the first: the warning of a corner held twice comes once; so does a missing third conductivity of a solid."""
    (tmp_path / "heat.yaml").write_text(RECTANGLE.format(4, "").replace("{set: right, temp", "{set: top, temperature: 5}, {set: right, temp"))
    done = call("run", tmp_path / "heat.yaml", "--output", tmp_path / "heat.hooke", "--no-pictures")
    assert done.returncode == 0 and done.stderr.count("prescribed twice, as") == 1, done.stderr
    (tmp_path / "heat.yaml").write_text(RECTANGLE.format(4, "").replace("rectangle: {size: [2, 1], cells: [4, 7]}", "box: {size: [1, 1, 1], cells: [1, 1, 1]}")
                                        .replace("50 W/m/K", "[1, 2]"))
    done = call("check", tmp_path / "heat.yaml")
    assert done.returncode == 3 and done.stderr.count("conductivity has 2 values: give 1, 3 or 6") == 1, done.stderr


def test_anisotropic_conductivity_in_axes(tmp_path):
    """k' = diag(4, 1) in axes turned by 45 degrees: k_xx = 2.5, k_xy = 1.5. T is x: the flux is -(2.5, 1.5)."""
    block = Block("CPS4", [3, 2], lambda s: s)
    lines = [f"{n + 1}, 11, 11, {float(block.x[n, 0])!r}" for n in range(len(block.x))]
    text = deck_of(block, "DC2D4", ["*ORIENTATION, NAME=O", "1., 1., 0., -1., 1., 0.", "*STEP", "*HEAT TRANSFER, STEADY STATE", "*BOUNDARY",
                                    *lines, "*END STEP"], ("*CONDUCTIVITY, TYPE=ORTHO", "4., 1., 1."))
    (tmp_path / "heat.inp").write_text(text.replace("MATERIAL=M\n*OR", "MATERIAL=M, ORIENTATION=O\n*OR"))
    done = call("run", tmp_path / "heat.inp", "--output", tmp_path / "heat.hooke", "--no-pictures", "-q")
    assert done.returncode == 0, done.stderr
    assert np.abs(Run(tmp_path / "heat.hooke").static[0]["heat_flux"] + [2.5, 1.5]).max() <= 1e-11


@pytest.mark.parametrize("change, words", [
    (("set: left, temperature: 300 K", "set: left, flux: 1"), None),
    (("{set: left, temperature: 300 K}, {set: right, temperature: 400 K}", "{set: left, flux: 1}"), "temperature is not held"),
    (("50 W/m/K", "50 W/m"), "conductivity"),
    (("50 W/m/K", "-50 W/m/K"), "above 0"),
    (("temperature: 300 K", "fix: x"), "fix is not for heat conduction"),
    (("physics: heat", "physics: elastic"), "physics"),
    (("{heat: {}}", "{static: {}}"), "physics: heat"),
])
def test_wrong_input_is_told(tmp_path, change, words):
    """exit 3 with words; None: the case is right"""
    plain = RECTANGLE.format(11, "")
    text = plain.replace(*change)
    assert text != plain
    (tmp_path / "heat.yaml").write_text(text)
    done = call("run", tmp_path / "heat.yaml", "--output", tmp_path / "heat.hooke", "--no-pictures", "-q")
    assert done.returncode == (3 if words else 0) and (not words or words in done.stderr), done.stderr


def test_formulas_in_elements_of_order_ten(tmp_path):
    """(1 + x) dT/dx = -1, T(1) = 0: T(0) = ln 2"""
    got = case(tmp_path, """
mesh: {box: {size: [1, 1, 1], cells: [1, 1, 1], shape: hex}}
physics: heat
materials: {m: {conductivity: {formula: "1 + x"}}}
element: {order: 10}
boundary: [{set: right, temperature: 0}, {set: left, flux: 1}]
solve: {heat: {}}
""")
    assert abs(got.static[0]["temperature"].max() - np.log(2)) <= 1e-9


@pytest.mark.parametrize("how", ["method: direct", "method: cg", "method: cholesky", "method: dense", "method: dense-to-sparse", "method: femses",
                                 "method: femses, relaxation: jacobi"])
def test_reaction_alone_holds_a_part(tmp_path, how):
    """beta T = s where nothing flows: T = s / beta, by every method, to 1e-8; what the reaction takes is what the source makes."""
    got = case(tmp_path, f"""
mesh: {{rectangle: {{size: [2, 1], cells: [6, 3], shape: tri, jitter: 0.2}}}}
thickness: 3
physics: heat
materials: {{m: {{conductivity: 5, reaction: 0.4 W/m^3/K}}}}
sources: [{{heat: 8 W/m^3}}]
solve: {{heat: {{{how}, tolerance: 1e-12}}}}
""")
    assert np.abs(got.static[0]["temperature"] - 20).max() <= 2e-7
    assert abs(got.summary["steps"][0]["load"][0]) <= 1e-8 * 48


def test_reaction_decays(tmp_path):
    """-k T'' + beta T = 0, T(0) = 1, insulated at 1: T = cosh(m (1 - x)) / cosh(m), m^2 = beta / k: linear elements err by h^2."""
    worst = []
    for cells in (16, 32):
        got = case(tmp_path, f"""
mesh: {{rectangle: {{size: [1, 0.2], cells: [{cells}, 2]}}}}
physics: heat
materials: {{m: {{conductivity: 2, reaction: 18}}}}
boundary: [{{set: left, temperature: 1}}]
solve: {{heat: {{}}}}
""")
        x = np.linspace(0, 1, cells + 1)
        worst.append(np.abs(got.static[0]["temperature"].reshape(3, -1) - np.cosh(3 * (1 - x)) / np.cosh(3)).max())
    assert worst[1] <= 2e-4 and 3.6 <= worst[0] / worst[1] <= 4.4


def test_spherical_shell_with_film(tmp_path):
    """A part of a shell, 100 at r = 1, a film h = 3 of sink 20 at r = 2, k = 2: T = 100 + 120 (1 / r - 1)."""
    def place(s):
        r, east, north = 1 + s[:, 0], s[:, 1] * np.pi / 4, s[:, 2] * np.pi / 4
        return np.stack([r * np.cos(north) * np.cos(east), r * np.cos(north) * np.sin(east), r * np.sin(north)], 1)

    worst = []
    for n in (2, 4):
        block = Block("C3D20", [2 * n, n, n], place)
        got = deck(tmp_path, block, "DC3D20", ["*STEP", "*HEAT TRANSFER, STEADY STATE", "*BOUNDARY", "NIN, 11, 11, 100.", "*FILM",
                                               "EOUT, F4, 20., 3.", "*END STEP"], NIN=block.at(s=0), EOUT=block.last(0))
        exact = 100 + 120 * (1 / np.linalg.norm(block.x, axis=1) - 1)
        worst.append(np.abs(got.static[0]["temperature"][:, 0] - exact).max())
    assert worst[1] <= 2e-2 and worst[0] / worst[1] >= 6


def test_film_amplitude(tmp_path):
    """FILM AMPLITUDE is the coefficient's, AMPLITUDE the sink's: 0 | bar of k = 2 | h = 4 * (1, 3, 3), sink 10 * (1, .5, .5), at the ends of steps."""
    block = Block("CPS4", [3, 1], lambda s: s)
    body = ["*AMPLITUDE, NAME=H, TIME=TOTAL TIME", "0., 1., 1., 1., 2., 3., 9., 3.", "*AMPLITUDE, NAME=T, TIME=TOTAL TIME",
            "0., 1., 1., 1., 2., .5, 9., .5", "*BOUNDARY", "NA, 11, 11, 0."]
    films = (["*FILM, FILM AMPLITUDE=H, AMPLITUDE=T", "EEND, F2, 10., 4."], [], [])
    for lines in films:
        body += ["*STEP", "*HEAT TRANSFER, STEADY STATE", "1., 1.", *lines, "*END STEP"]
    got = deck(tmp_path, block, "DC2D4", body, NA=block.at(s=0), EEND=[2])
    end = block.at(s=1)
    for step, (h, sink) in zip(got.static, [(4, 10), (12, 5), (12, 5)]):
        assert np.abs(step["temperature"][end, 0] - sink * h / (2 + h)).max() <= 1e-11


def test_equations_between_temperatures(tmp_path):
    """T(right) = 3 T(middle) + ..., written as an equation of degree of freedom 11, is obeyed; one of displacements changes nothing."""
    block = Block("CPS4", [4, 1], lambda s: s)
    one, other = [int(block.at(s=v, t=0)[0]) + 1 for v in (.5, 1)]
    body = ["*EQUATION", "2", f"{other}, 11, 1., {one}, 11, -3.", "*EQUATION", "2", f"{other}, 1, 1., {one}, 1, -7.", "*BOUNDARY", "NA, 11, 11, 6.",
            "*STEP", "*HEAT TRANSFER, STEADY STATE", "*DFLUX", "BODY, BF, 5.", "*END STEP"]
    t = deck(tmp_path, block, "DC2D4", body, NA=block.at(s=0)).static[0]["temperature"][:, 0]
    assert abs(t[other - 1] - 3 * t[one - 1]) <= 1e-11 * abs(t).max() and np.ptp(t) > 1

def test_displacements_in_equations_of_temperatures_are_told(tmp_path):
    """T = 0 where T - u = 0, with a warning"""
    block = Block("CPS4", [3, 2], lambda s: s)
    one = int(block.at(s=1, t=0)[0]) + 1
    (tmp_path / "heat.inp").write_text(deck_of(block, "DC2D4", ["*EQUATION", "2", f"{one}, 11, 1., 1, 1, -1.", "*STEP",
                                                               "*HEAT TRANSFER, STEADY STATE", "*DFLUX", "BODY, BF, 5.", "*END STEP"]))
    done = call("run", tmp_path / "heat.inp", "--output", tmp_path / "heat.hooke", "--no-pictures")
    assert done.returncode == 0 and "this step takes its displacements as 0" in done.stderr, done.stderr
    assert Run(tmp_path / "heat.hooke").static[0]["temperature"][one - 1, 0] == 0



FORMULAS = """
mesh: {rectangle: {size: [2, 1], cells: [5, 4], shape: tri}}
physics: heat
materials: {m: {conductivity: {formula: "2 + x"}, reaction: {formula: "0.1"}}}
boundary:
  - {set: left, temperature: {formula: "y"}}
  - {set: right, flux: {formula: "x * y"}}
  - {set: top, film: {coefficient: {formula: "3 - x"}, sink: {formula: "290 + x"}}}
sources: [{heat: {formula: "exp(-x)"}}]
solve: {heat: {}}
"""


@pytest.mark.parametrize("change, words", [
    (("", ""), None),
    (("2 + x", "x - 1"), "conductivity x - 1 is -0.8"),
    (('"0.1"', "1 - x"), "reaction 1 - x is -"),
    (("2 + x", "2 + u"), 'unknown name "u"'),
    (('"y"', "1 / x"), "is not a number at (0, 0, 0)"),
    (("reaction: {formula: \"0.1\"}", "reaction: -1"), "must be 0 or above"),
    (("reaction: {", "velocity: 3, reaction: {"), "must be a list"),
    (("reaction: {", "advection: [1, 0], reaction: {"), "give the velocity"),
    (("exp(-x)", "exp(-x"), 'expected ")"'),
    (("exp(-x)", "1 / (x - x)"), "1 / (x - x) is not a finite number near (0, 0, 0)"),
    (("x * y", "log(-y)"), "log(-y) is not a finite number near (2, "),
    (("2 + x", "min(1, log(x - 9))"), "conductivity min(1, log(x - 9)) is "),
    (("3 - x", "1 - x"), "the coefficient 1 - x is -"),
    (("290 + x", "log(-x)"), "log(-x) is not a finite number near ("),
    (("3 - x", "3 - t"), 'unknown name "t"'),
])
def test_wrong_formulas_are_told(tmp_path, change, words):
    """exit 3 with words, from `hooke check` as from a run; None: the case is right"""
    (tmp_path / "heat.yaml").write_text(FORMULAS.replace(*change) if change[0] else FORMULAS)
    assert not change[0] or change[0] in FORMULAS
    for verb in [("check",), ("run", "--output", tmp_path / "heat.hooke", "--no-pictures")]:
        done = call(*verb, tmp_path / "heat.yaml", "-q", "--device", "cpu")
        assert done.returncode == (3 if words else 0) and (not words or words in done.stderr), done.stderr


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_first_element_with_a_wrong_law_is_named(tmp_path, threads):
    """x - 1 on 40 columns of squares: at the first Gauss point of the first, whatever the threads"""
    first = 0.05 * (0.5 - 0.5 / 3**0.5) - 1
    case = FORMULAS.replace("cells: [5, 4], shape: tri", "cells: [40, 20]").replace("2 + x", "x - 1")
    (tmp_path / "heat.yaml").write_text(case.replace(', reaction: {formula: "0.1"}', ""))
    for k in range(5):
        done = call("run", tmp_path / "heat.yaml", "-q", "--device", "cpu", "--threads", threads, "--output", tmp_path / "heat.hooke")
        assert done.returncode == 3 and f"conductivity x - 1 is {first:.6g} at" in done.stderr and "in element 1 of" in done.stderr, done.stderr


@pytest.mark.parametrize("reaction, held", [("0", False), ("0 * x", False), ("max(0, x - 2)", False), ("max(0, x - 1.9)", True)])
def test_reaction_that_is_nothing_holds_nothing(tmp_path, reaction, held):
    """a formula that is 0 in all elements leaves the part free: exit 3 before the solve, from `check` too"""
    (tmp_path / "heat.yaml").write_text(f"""
mesh: {{rectangle: {{size: [2, 1], cells: [5, 4]}}}}
physics: heat
materials: {{m: {{conductivity: 1, reaction: {{formula: "{reaction}"}}}}}}
sources: [{{heat: 1}}]
solve: {{heat: {{}}}}
""")
    for verb in [("check",), ("run", "--output", tmp_path / "heat.hooke", "--no-pictures")]:
        done = call(*verb, tmp_path / "heat.yaml", "-q")
        assert done.returncode == (0 if held else 3) and ("temperature is not held" in done.stderr) != held, done.stderr


def test_film_that_is_nothing_holds_nothing(tmp_path):
    """a coefficient that is 0 all over its faces leaves the part free: exit 3"""
    (tmp_path / "heat.yaml").write_text("""
mesh: {rectangle: {size: [2, 1], cells: [5, 4]}}
physics: heat
materials: {m: {conductivity: 1}}
boundary: [{set: left, film: {coefficient: {formula: "x"}, sink: 3}}]
solve: {heat: {}}
""")
    done = call("run", tmp_path / "heat.yaml", "--output", tmp_path / "heat.hooke", "--no-pictures", "-q")
    assert done.returncode == 3 and "temperature is not held" in done.stderr, done.stderr


def test_points_of_a_large_mesh_are_those_of_its_elements(tmp_path):
    """More points and elements than are computed at a time: a point has its element's label and centre and the number 1; the flux is -k grad T."""
    got = case(tmp_path, """
mesh: {rectangle: {size: [2, 1], cells: [420, 220], shape: tri}}
physics: heat
materials: {steel: {conductivity: 50 W/m/K}}
boundary: [{set: left, temperature: 0}, {set: right, temperature: 4}]
solve: {heat: {method: cg, preconditioner: multigrid}}
""")
    points, count = got.points[0], 2 * 420 * 220
    assert (points["element"] == np.arange(1, count + 1)).all() and (points["point"] == 1).all()
    cell = np.arange(count) // 2
    centre = np.array([2 / 420, 1 / 220]) * (np.stack([cell % 420, cell // 420], axis=1) + 0.5)
    assert np.abs(points["coordinates"] - centre).max() <= 0.5 / 220
    assert len(np.unique(points["coordinates"].round(9), axis=0)) == count
    for flux in (points["heat_flux"], got.static[0]["heat_flux"]):
        assert np.abs(flux - [-100, 0]).max() <= 1e-3
