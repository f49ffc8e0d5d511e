"""Coupled equations (solve.coupled) beside manufactured and closed solutions, heat conduction and separate runs."""
import json

import numpy as np
import pytest

from command import Run, call


def solve(tmp_path, case, *words):
    (tmp_path / "coupled.json").write_text(json.dumps(case))
    done = call("run", tmp_path / "coupled.json", "--output", tmp_path / "coupled.hooke", "--force", "--no-pictures", "-q", *words)
    assert done.returncode == 0, done.stderr
    return Run(tmp_path / "coupled.hooke")


def refuse(tmp_path, case, code=3):
    (tmp_path / "coupled.json").write_text(json.dumps(case))
    done = call("run", tmp_path / "coupled.json", "--output", tmp_path / "coupled.hooke", "--force", "--no-pictures", "-q")
    assert done.returncode == code, done.stderr
    return done.stderr


class Manufactured:
    """u_b = sin(k_b . x + p_b), and coefficients at random of which those of the last unknown in the first equation vary: D_yy by y / 10, the
    convection along x by x y, the conservative one along y by x y, the reaction by x."""

    def __init__(self, names, dim, seed=1):
        r = np.random.default_rng(seed)
        n = len(names)
        self.names, self.dim = names, dim
        self.k, self.p = np.round(r.uniform(0.4, 1.4, (n, dim)), 3), np.round(r.uniform(0, 2, n), 3)
        self.d = np.round(0.2 * r.uniform(-1, 1, (n, n, dim, dim)), 3) + 2 * np.einsum("ab,ij->abij", np.eye(n), np.eye(dim))
        self.convection, self.conservative = np.round(r.uniform(-1, 1, (2, n, n, dim)), 3)
        self.reaction = np.round(r.uniform(-1, 1, (n, n)), 3)

    def phase(self, b):
        return "+".join(f"{k}*{x}" for k, x in zip(self.k[b], "xyz")) + f"+{self.p[b]}"

    def terms(self):
        terms = []
        for a, of in enumerate(self.names):
            for b, by in enumerate(self.names):
                diffusion, convection = self.d[a, b].ravel().tolist(), self.convection[a, b].tolist()
                conservative, reaction = self.conservative[a, b].tolist(), self.reaction[a, b]
                if (a, b) == (0, len(self.names) - 1):
                    diffusion[self.dim + 1] = {"formula": f"{diffusion[self.dim + 1]}+y/10"}
                    convection[0] = {"formula": f"{convection[0]}+x*y"}
                    conservative[1] = {"formula": f"{conservative[1]}+x*y"}
                    terms.append({"equation": of, "unknown": by, "reaction": {"formula": "x"}})
                terms.append({"equation": of, "unknown": by, "diffusion": diffusion, "convection": convection,
                              "conservative_convection": conservative, "reaction": reaction})
        return terms

    def source(self, a, b):
        """-div(D grad u_b + w u_b) + v . grad u_b + r u_b of the pair."""
        k, v, w = self.k[b], self.convection[a, b], self.conservative[a, b]
        of_sine = f"{k @ self.d[a, b] @ k + self.reaction[a, b]}"
        of_cosine = f"{(v - w) @ k}"
        if (a, b) == (0, len(self.names) - 1):
            of_sine += f"+y/10*{k[1] ** 2}-x+x"
            of_cosine += f"+x*y*{k[0]}-x*y*{k[1]}-{k[1] / 10}"
        return f"({of_sine})*sin({self.phase(b)})+({of_cosine})*cos({self.phase(b)})"

    def flux(self, a, b, axis, sign):
        of_cosine, of_sine = f"{self.d[a, b, axis] @ self.k[b]}", f"{self.conservative[a, b, axis]}"
        if (a, b) == (0, len(self.names) - 1) and axis == 1:
            of_cosine += f"+y/10*{self.k[b, 1]}"
            of_sine += "+x*y"
        return f"{sign}*(({of_sine})*sin({self.phase(b)})+({of_cosine})*cos({self.phase(b)}))"

    def case(self, shape, cells, order):
        n, dim = len(self.names), self.dim
        sides = {"bottom": (1, -1), "top": (1, 1)} if dim == 2 else {"front": (2, -1), "back": (2, 1), "bottom": (1, -1), "top": (1, 1)}
        boundary = [{"set": side, "unknown": name, "value": {"formula": f"sin({self.phase(b)})"}}
                    for b, name in enumerate(self.names) for side in ("left", "right")]
        boundary += [{"set": side, "unknown": name, "flux": {"formula": self.flux(a, b, *where)}}
                     for a, name in enumerate(self.names) for b in range(n) for side, where in sides.items()]
        sources = [{"unknown": name, "source": {"formula": self.source(a, b)}} for a, name in enumerate(self.names) for b in range(n)]
        mesh = {"rectangle": {"size": [1, 1], "cells": [cells, cells], "shape": "tri" if shape == "wedge" else shape}}
        if shape == "wedge":
            mesh = {"extrude": {"mesh": mesh, "layers": [{"height": 1, "cells": cells}]}}
        elif dim == 3:
            mesh = {"box": {"size": [1, 1, 1], "cells": [cells] * 3, "shape": shape}}
        return {"units": "none", "mesh": mesh, "materials": {"m": {"terms": self.terms()}}, "boundary": boundary, "sources": sources,
                "element": {"order": order}, "solve": {"coupled": {"unknowns": list(self.names)}}}

    def errors(self, got):
        """Of the unknowns at nodes, relative root mean squares."""
        exact = [np.sin(got.coordinates @ self.k[b] + self.p[b]) for b in range(len(self.names))]
        return np.array([np.linalg.norm(got.static[0][name].ravel() - u) / np.linalg.norm(u) for name, u in zip(self.names, exact)])


@pytest.mark.parametrize("shape, order, cells, names", [
    ("tri", 1, 12, "uv"), ("quad", 1, 12, "uvw"), ("tri", 2, 6, "uv"), ("quad", 2, 6, "uv"), ("quad", 4, 2, "uv"), ("quad", 1, 10, "abcde"),
    ("tet", 1, 5, "uv"), ("hex", 1, 5, "uvw"), ("hex", 1, 4, "abcd"), ("hex", 2, 2, "uv"), ("tet", 2, 2, "uv"), ("wedge", 1, 5, "uv"),
    ("wedge", 3, 2, "uv")])
def test_manufactured_solutions_converge(tmp_path, shape, order, cells, names):
    """Errors of all unknowns fall by 2^(p + 1) or more where cells are halved: by a tenth of the exponent less at the least."""
    of = Manufactured(names, 2 if shape in ("tri", "quad") else 3)
    coarse, fine = (of.errors(solve(tmp_path, of.case(shape, k, order))) for k in (cells, 2 * cells))
    assert fine.max() <= 0.01
    assert np.all(np.log2(coarse / fine) >= 0.9 * (order + 1)), (coarse, fine, np.log2(coarse / fine))


@pytest.mark.parametrize("shape, order", [("hex", 2), ("wedge", 3)])
@pytest.mark.parametrize("names", ["u", "uv", "abc", "abcd", "abcde"])
def test_constant_coefficients(tmp_path, shape, order, names):
    """u_b = 1 + b + x - b y + 2 z, all terms constant: elements of order p, whose matrices devices integrate, hold it to 1e-9."""
    gradient = [np.array([1.0, -b, 2.0]) for b in range(len(names))]
    exact = [f"1 + {b} + x - {b}*y + 2*z" for b in range(len(names))]
    terms = [{"equation": e, "unknown": u, "diffusion": 5 if e == u else 0.1 * (a - b), "reaction": 0.2 + a / 10, "convection": [0.3, b, -0.1],
              "conservative_convection": [0, 0.2, a / 10]} for a, e in enumerate(names) for b, u in enumerate(names)]
    sources = [{"unknown": t["equation"], "source": {"formula": f"{t['reaction']}*({exact[b]}) + ({(np.array(t['convection']) - t['conservative_convection']) @ gradient[b]})"}}
               for t in terms for b in [names.index(t["unknown"])]]
    mesh = {"box": {"size": [1, 1, 1], "cells": 2, "jitter": 0.2}}
    if shape == "wedge":
        mesh = {"extrude": {"mesh": {"rectangle": {"size": [1, 1], "cells": 2, "shape": "tri", "jitter": 0.2}}, "layers": [{"height": 1, "cells": 2}]}}
    got = solve(tmp_path, {
        "units": "none", "mesh": mesh, "element": {"order": order}, "materials": {"m": {"terms": terms}}, "sources": sources,
        "sets": {f"{axis}{end}": {"plane": {"point": [end] * 3, "normal": [int(axis == a) for a in "xyz"]}} for axis in "xyz" for end in (0, 1)},
        "boundary": [{"set": f"{axis}{end}", "unknown": u, "value": {"formula": by}} for axis in "xyz" for end in (0, 1) for u, by in zip(names, exact)],
        "solve": {"coupled": {"unknowns": list(names)}}})
    for b, u in enumerate(names):
        assert np.abs(got.static[0][u].ravel() - (1 + b + got.coordinates @ gradient[b])).max() <= 1e-9


@pytest.mark.parametrize("shape, precision, names", [("box", "double", "abcde"), ("box", "single", "abcd"), ("rectangle", "double", "abcde")])
def test_multigrid_of_order_p(tmp_path, shape, precision, names):
    """Elements of order 4 are smoothed by patches of 16 nodes, of up to five unknowns each: the solution of factors."""
    case = {"units": "none", "mesh": {shape: {"size": [1, 1, 1][: 3 if shape == "box" else 2], "cells": 2 if shape == "rectangle" else [2, 1, 1]}},
            "element": {"order": 4}, "materials": {"m": {"terms": [{"equation": u, "diffusion": 1, "reaction": k} for k, u in enumerate(names)]}},
            "boundary": [{"set": "left", "unknown": u, "value": 1} for u in names], "solve": {"coupled": {"unknowns": list(names)}}}
    exact = {u: solve(tmp_path, case).static[0][u].copy() for u in names}
    case["solve"]["coupled"] |= {"method": "cg", "preconditioner": "multigrid"}
    got = solve(tmp_path, case, "--precision", precision)
    assert got.summary["solver"].startswith("cg, multigrid")
    for u in names:
        assert np.abs(got.static[0][u] - exact[u]).max() <= (1e-6 if precision == "double" else 1e-3)


@pytest.mark.parametrize("how", ["direct", "idr", "dense", "dense-to-sparse"])
@pytest.mark.parametrize("names", ["u", "uv", "abcd", "abcde"])
def test_methods_agree(tmp_path, how, names):
    """Methods for unsymmetric matrices have the same errors as auto, to 1e-7 of the solution."""
    of = Manufactured(names, 2)
    case = of.case("quad", 7, 1)
    auto = solve(tmp_path, case)
    assert auto.summary["solver"].startswith("direct")
    case["solve"]["coupled"] |= {"method": how, "tolerance": 1e-11}
    got = solve(tmp_path, case)
    assert got.summary["solver"].startswith(how)
    for name in names:
        assert np.abs(got.static[0][name] - auto.static[0][name]).max() <= 1e-7


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("method", ["cholesky", "cg"])
def test_one_equation_is_heat(tmp_path, order, method):
    """Values, reactions and fluxes are those of solve.heat, to 1e-11 of the largest."""
    k = {"formula": "2 + x * y"}
    sides = [{"set": "left", "film": {"coefficient": 3, "sink": 5}}, {"set": "right", "flux": {"formula": "1 + z"}}]
    both = {"units": "none", "mesh": {"box": {"size": [1, 2, 1], "cells": [4, 5, 3]}}, "element": {"order": order}}
    heat = both | {"physics": "heat", "materials": {"m": {"conductivity": k, "reaction": 0.3}},
                   "boundary": sides + [{"set": "top", "temperature": {"formula": "x"}}], "sources": [{"heat": 4}],
                   "solve": {"heat": {"method": method, "tolerance": 1e-13}}}
    mine = both | {"materials": {"m": {"terms": [{"diffusion": k, "reaction": 0.3}]}},
                   "boundary": sides + [{"set": "top", "value": {"formula": "x"}}], "sources": [{"source": 4}],
                   "solve": {"coupled": {"unknowns": ["t"], "method": method, "tolerance": 1e-13}}}
    expected, got = solve(tmp_path, heat).static[0], solve(tmp_path, mine)
    assert method in got.summary["solver"] or "direct" in got.summary["solver"]
    for name, other in (("t", "temperature"), ("reaction_t", "reaction")):
        assert np.abs(got.static[0][name] - expected[other]).max() <= 1e-11 * np.abs(expected[other]).max(), name
    if order == 1:
        assert np.abs(got.static[0]["flux_t"] - expected["heat_flux"]).max() <= 0.1 * np.abs(expected["heat_flux"]).max()


@pytest.mark.parametrize("method", ["auto", "cg"])
def test_equations_without_a_common_term_are_separate_runs(tmp_path, method):
    """u and v in one run are those of two, to 1e-10, also by conjugate gradients with multigrid, which a symmetric system has."""
    def case(names):
        terms = {"u": {"equation": "u", "diffusion": [1, 2, 3]}, "v": {"equation": "v", "diffusion": 1e3, "reaction": 7}}
        boundary = [{"set": "left", "unknown": n, "value": 1} for n in names] + [{"set": "top", "unknown": n, "flux": 2} for n in names]
        return {"units": "none", "mesh": {"box": {"size": [1, 1, 1], "cells": [14, 13, 12]}}, "materials": {"m": {"terms": [terms[n] for n in names]}},
                "boundary": boundary, "sources": [{"unknown": n, "source": 3} for n in names],
                "solve": {"coupled": {"unknowns": list(names), "method": method, "tolerance": 1e-12}}}

    both = solve(tmp_path, case("uv"))
    if method == "cg":
        assert "multigrid" in both.summary["solver"] and both.summary["iterations"] < 40
    for name in "uv":
        one = solve(tmp_path, case(name)).static[0][name]
        assert np.abs(both.static[0][name] - one).max() <= 1e-10 * np.abs(one).max()


def test_a_symmetric_pair_is_solved_with_multigrid(tmp_path):
    """Exchange r (u - v) between two diffusing species is symmetric and semidefinite: conjugate gradients take it, with the solution of factors."""
    terms = [{"equation": "u", "diffusion": 1, "reaction": 5}, {"equation": "u", "unknown": "v", "reaction": -5},
             {"equation": "v", "diffusion": 3, "reaction": 5}, {"equation": "v", "unknown": "u", "reaction": -5}]
    case = {"units": "none", "mesh": {"rectangle": {"size": [2, 1], "cells": [60, 30]}}, "materials": {"m": {"terms": terms}},
            "boundary": [{"set": "left", "unknown": "u", "value": 1}], "sources": [{"unknown": "v", "source": 1}],
            "solve": {"coupled": {"unknowns": ["u", "v"], "method": "cg", "tolerance": 1e-12}}}
    got = solve(tmp_path, case)
    assert got.summary["iterations"] < 60
    case["solve"]["coupled"]["method"] = "direct"
    exact = solve(tmp_path, case)
    for name in "uv":
        assert np.abs(got.static[0][name] - exact.static[0][name]).max() <= 1e-9
    case["materials"]["m"]["terms"][1]["reaction"] = -4
    case["solve"]["coupled"]["method"] = "cg"
    assert "cg" in refuse(tmp_path, case)


def test_a_chain_of_reactions_has_its_closed_form(tmp_path):
    """-u'' + u = 0, -v'' = u between u = (1, 0), v = 0: u = sinh(1 - x) / sinh 1, v = 1 - x - u; unsymmetric, to the order of quadratic elements."""
    terms = [{"equation": "u", "diffusion": 1, "reaction": 1}, {"equation": "v", "diffusion": 1}, {"equation": "v", "unknown": "u", "reaction": -1}]
    case = {"units": "none", "mesh": {"rectangle": {"size": [1, 0.1], "cells": [20, 2]}}, "element": {"order": 2},
            "materials": {"m": {"terms": terms}},
            "boundary": [{"set": s, "unknown": n, "value": float(s + n == "leftu")} for s in ("left", "right") for n in "uv"],
            "solve": {"coupled": {"unknowns": ["u", "v"]}}}
    got = solve(tmp_path, case)
    x = got.coordinates[:, 0]
    u = np.sinh(1 - x) / np.sinh(1)
    assert np.abs(got.static[0]["u"].ravel() - u).max() <= 1e-6
    assert np.abs(got.static[0]["v"].ravel() - (1 - x - u)).max() <= 1e-6
    slope = -np.cosh(1 - x) / np.sinh(1)
    assert np.abs(got.static[0]["flux_u"][:, 0] + slope).max() <= 5e-3
    assert got.static[0]["reaction_u"][x == 0].sum() == pytest.approx(0.1 / np.tanh(1), rel=1e-5)


def transient(theta, dt):
    """u = exp(-t (pi^2 + 1)) sin(pi x), which loses to v; (u + v) only diffuses."""
    terms = [{"equation": "u", "diffusion": 1, "reaction": 1, "capacity": 1},
             {"equation": "v", "diffusion": 1, "capacity": 1}, {"equation": "v", "unknown": "u", "reaction": -1}]
    return {"units": "none", "mesh": {"rectangle": {"size": [1, 0.05], "cells": [40, 1]}}, "element": {"order": 2},
            "materials": {"m": {"terms": terms}},
            "boundary": [{"set": s, "unknown": n, "value": 0} for s in ("left", "right") for n in "uv"],
            "initial": [{"set": "all", "unknown": "u", "value": {"formula": "sin(pi * x)"}}],
            "outputs": {"field": {"frames": 2}},
            "solve": {"coupled": {"unknowns": ["u", "v"], "end": 0.1, "dt": dt, "theta": theta}}}


@pytest.mark.parametrize("theta, order", [(0.5, 2), (1, 1)])
def test_time_steps_have_their_order(tmp_path, theta, order):
    """Errors at the end fall by 2^order where dt is halved."""
    error = []
    for dt in (0.01, 0.005):
        got = solve(tmp_path, transient(theta, dt))
        assert len(got.static) == 2
        s = np.sin(np.pi * got.coordinates[:, 0])
        u = np.exp(-0.1 * (np.pi**2 + 1)) * s
        v = np.exp(-0.1 * np.pi**2) * s - u
        error.append([np.abs(got.static[1][n].ravel() - e).max() for n, e in (("u", u), ("v", v))])
    rate = np.log2(np.array(error[0]) / error[1])
    assert np.all(np.abs(rate - order) <= 0.15), rate
    assert max(error[1]) <= (2e-3 if order == 2 else 2e-2)


@pytest.mark.parametrize("change, words", [
    ({"solve": {"coupled": {"unknowns": ["u", "u"]}}}, "there twice"),
    ({"solve": {"coupled": {"unknowns": ["u", "flux_u"]}}}, "no name of an unknown"),
    ({"solve": {"coupled": {"unknowns": list("abcdef")}}}, "unknowns"),
    ({"solve": {"coupled": {}}}, "unknowns"),
    ({"physics": "heat"}, "physics: coupled, or remove"),
    ({"materials": {"m": {"terms": [{"equation": "w", "diffusion": 1}]}}}, "did you mean"),
    ({"materials": {"m": {"terms": [{"diffusion": 1}]}}}, "equation is missing"),
    ({"materials": {"m": {"terms": [{"equation": "u"}]}}}, "the term is empty"),
    ({"materials": {"m": {"terms": [{"equation": "u", "diffusion": [1, 2, 3]}]}}}, "diffusion has 3 values"),
    ({"materials": {"m": {"terms": [{"equation": "u", "convection": [1, 2, 3]}]}}}, "convection has 3 values"),
    ({"materials": {"m": {"terms": [{"equation": "u", "diffusion": {"formula": "1 +"}}]}}}, "formula"),
    ({"materials": {"m": {"terms": [{"equation": "u", "diffusion": {"formula": "1 / (x - x)"}}]}}}, "not a finite number"),
    ({"materials": {"m": {"conductivity": 1}}}, "conductivity is not for coupled equations"),
    ({"boundary": [{"set": "left", "unknown": "u", "temperature": 1}]}, "temperature is not for coupled equations"),
    ({"boundary": [{"set": "left", "value": 1}]}, "unknown is missing"),
    ({"boundary": [{"set": "left", "unknown": "u", "value": 1, "flux": 2}]}, "exactly one"),
    ({"boundary": [{"set": "left", "unknown": "u", "value": 1, "delay": 1}]}, "not for steady"),
    ({"boundary": [{"set": "left", "unknown": "u", "value": 1}]}, 'nothing determines the unknown "v"'),
    ({"sources": [{"unknown": "u"}]}, 'lacks "source"'),
    ({"initial": [{"set": "all", "unknown": "u", "value": 1}]}, "no meaning in a static solution"),
    ({"outputs": {"print": [{"set": "left"}]}}, "print does not support"),
    ({"element": {"integration": "reduced"}}, "coupled equations support only full integration"),
    ({"solve": {"heat": {}}, "physics": "heat"}, "is for coupled equations"),
    ({"solve": {"coupled": {"unknowns": ["u", "v"], "theta": 1}}}, "give end and dt"),
    ({"solve": {"coupled": {"unknowns": ["u", "v"], "end": 1}}}, "dt is missing"),
    ({"solve": {"coupled": {"unknowns": ["u", "v"], "method": "femses"}}}, "femses does not support coupled equations"),
])
def test_what_cannot_be_is_refused(tmp_path, change, words):
    case = {"units": "none", "mesh": {"rectangle": {"size": [1, 1], "cells": [3, 3]}},
            "materials": {"m": {"terms": [{"equation": n, "diffusion": 1} for n in "uv"]}},
            "boundary": [{"set": "left", "unknown": n, "value": 1} for n in "uv"], "solve": {"coupled": {"unknowns": ["u", "v"]}}}
    assert words in refuse(tmp_path, case | change)
