"""The methods of heat conduction agree: factors sparse and dense by each library, and iterations."""
import signal

import numpy as np
import pytest

from command import Run, call, has
from moments_of import calls_of, stopped_at
from solids import Block
from test_heat import case, deck_of

WAYS = ["method: cholesky", "method: cholesky, library: mumps, ordering: rcm", "method: cholesky, library: cholmod", "method: dense",
        "method: dense-to-sparse", "method: dense-to-sparse, ordering: natural", "method: cg", "method: direct"]
BODY = """
mesh: {{{0}}}
physics: heat
materials: {{steel: {{conductivity: {1}}}}}
boundary: [{{set: left, temperature: 300}}, {{set: right, film: {{coefficient: 70, sink: 290}}}}, {{set: top, flux: 200}}]
sources: [{{heat: 1e4}}]
solve: {{heat: {{{2}, tolerance: 1e-12}}}}
"""


def agree(results):
    first = results[0]
    assert np.ptp(first) > 1
    for other in results[1:]:
        assert np.abs(other - first).max() <= 1e-8 * np.abs(first).max()


def has_cholmod():
    import ctypes.util
    return ctypes.util.find_library("cholmod") is not None


def here(ways):
    return [w for w in ways if "cholmod" not in w or has_cholmod()]


@pytest.mark.parametrize("device", ["cpu", "opencl"])
@pytest.mark.parametrize("mesh, law", [("rectangle: {size: [1, 1], cells: [13, 11]}", "[50, 5, 20]"),
                                       ("box: {size: [1, 1, 1], cells: [7, 6, 5]}", "[50, 5, 20]")])
def test_methods_agree(tmp_path, device, mesh, law):
    """to 1e-8 of the largest temperature, with films, sources and prescribed temperatures, in 2D and 3D"""
    if not has(device):
        pytest.skip("no OpenCL")
    agree([case(tmp_path, BODY.format(mesh, law, w), "--device", device).static[0]["temperature"].copy() for w in here(WAYS)])


@pytest.mark.parametrize("kind, name", [("CPS8", "DC2D8"), ("C3D20", "DC3D20")])
def test_methods_agree_on_second_order(tmp_path, kind, name):
    """the same of elements of second order, from decks"""
    flat = kind.startswith("CPS")
    block = Block(kind, [5, 4] if flat else [3, 2, 2], lambda s: s)
    body = ["*STEP", "*HEAT TRANSFER, STEADY STATE", "*BOUNDARY", "NA, 11, 11, 100.", "*DFLUX", "BODY, BF, 40.", "*FILM",
            "EEND, F2, 10., 25.", "*END STEP"]
    (tmp_path / "heat.inp").write_text(deck_of(block, name, body, NA=block.at(s=0), EEND=[1]))
    got = []
    for method in ["cholesky", "dense", "dense-to-sparse", "cg"]:
        done = call("run", tmp_path / "heat.inp", "--output", tmp_path / "heat.hooke", "--force", "--no-pictures", "-q",
                    "--set", f"solve.heat.method={method}", "--set", "solve.heat.tolerance=1e-12")
        assert done.returncode == 0, done.stderr
        got.append(Run(tmp_path / "heat.hooke").static[0]["temperature"].copy())
    agree(got)


def test_the_library_is_named(tmp_path):
    """run.json says by which library the factors were made"""
    mesh = "rectangle: {size: [1, 1], cells: [5, 4]}"
    for way, words in [("method: cholesky, library: mumps", "cholesky (MUMPS"), ("method: dense", "dense (LAPACK")]:
        assert case(tmp_path, BODY.format(mesh, "5", way)).summary["solver"].startswith(words)


@pytest.mark.parametrize("how, words", [("cholesky, library: lapack", "library lapack has no sparse factors: give auto or one of cudss, mumps"),
                                        ("dense, library: mumps", "library mumps has no dense factors: give auto or one of cusolver, lapack"),
                                        ("cholesky, library: cudss", "libraries with such factors are cudss, mumps, cholmod, cusolver")])
def test_libraries_that_do_not_serve(tmp_path, how, words):
    """the message says which libraries make such factors, and which of them are here"""
    (tmp_path / "heat.yaml").write_text(BODY.format("rectangle: {size: [1, 1], cells: [5, 4]}", "5", f"method: {how}"))
    done = call("run", tmp_path / "heat.yaml", "--output", tmp_path / "heat.hooke", "--no-pictures", "-q", "--device", "cpu")
    found = done.stderr.rsplit("found on this machine: ", 1)[-1]
    assert done.returncode == 2 and words in done.stderr and ("lapack" if "dense" in how else "mumps") in found, done.stderr


@pytest.mark.parametrize("kind, name", [("CPS8", "DC2D8"), ("C3D8", "DC3D8")])
def test_prescribed_temperatures_are_eliminated_from_a_dense_matrix(tmp_path, kind, name):
    """one solution by factors is enough: its right side has the prescribed values' part; a second step with other values of the same nodes uses the
    same factors; both to 1e-9 of the largest temperature that cg gives"""
    block = Block(kind, [5, 4] if kind == "CPS8" else [4, 3, 2], lambda s: s)
    body = []
    for left, right in [(100, -30), (7, 250)]:
        body += ["*STEP", "*HEAT TRANSFER, STEADY STATE", "*BOUNDARY", f"NA, 11, 11, {left}", f"NB, 11, 11, {right}", "*DFLUX", "BODY, BF, 40.", "*END STEP"]
    (tmp_path / "heat.inp").write_text(deck_of(block, name, body, NA=block.at(s=0), NB=block.at(s=1)))
    got = {}
    for method in ("cg", "dense", "dense-to-sparse"):
        done = call("run", tmp_path / "heat.inp", "--output", tmp_path / "heat.hooke", "--force", "--no-pictures", "-q", "--set", f"solve.heat.method={method}",
                    "--set", "solve.heat.tolerance=1e-12")
        assert done.returncode == 0, done.stderr
        run = Run(tmp_path / "heat.hooke")
        got[method] = [run.static[k]["temperature"].copy() for k in range(2)]
        if method != "cg":
            assert run.summary["steps"][0]["iterations"] == 1, run.summary["steps"][0]
    for k in range(2):
        agree([got[method][k] for method in got])
    assert np.abs(got["dense"][0] - got["dense"][1]).max() > 50


def test_damping_of_jacobi_is_told(tmp_path):
    """by a note and in run.json, with the number of steps: below 1 where the elements' bound of D^-1 K is 2 or more (tri6), else 1"""
    damping = []
    for element in ("", "\nelement: {order: 2}"):
        text = BODY.format("rectangle: {size: [1, 1], cells: [4, 4], shape: tri}", "5", "method: femses, relaxation: jacobi") + element
        (tmp_path / "heat.yaml").write_text(text.replace("1e-12", "1e-6"))
        done = call("run", tmp_path / "heat.yaml", "--output", tmp_path / "heat.hooke", "--force", "--no-pictures")
        step = Run(tmp_path / "heat.hooke").summary["steps"][0]
        assert done.returncode == 0 and step["iterations"] > 10, done.stderr
        assert (f"jacobi: {step['iterations']} steps, each times {step['damping']:.3g}" in done.stderr) == bool(element)
        damping.append(step["damping"])
    assert damping[0] == 1 and 0.5 < damping[1] < 1


@pytest.mark.parametrize("relaxation", ["jacobi", "chebyshev"])
def test_stop_by_the_change(tmp_path, relaxation):
    """a run says by which number it stopped: in the solver's name, in run.json and by a note; a large error that is left is a warning"""
    text = BODY.format("rectangle: {size: [1, 1], cells: [12, 12], shape: tri}", "5", f"method: femses, stop: change, relaxation: {relaxation}")
    (tmp_path / "heat.yaml").write_text(text.replace("1e-12", "1e-4"))
    done = call("run", tmp_path / "heat.yaml", "--output", tmp_path / "heat.hooke", "--no-pictures")
    assert done.returncode == 0, done.stderr
    summary = Run(tmp_path / "heat.hooke").summary
    step = summary["steps"][0]
    assert summary["solver"] == f"femses, {relaxation}, stop: change" and 0 < step["change"] <= 1e-4 and step["residual"] > 0
    assert f"stopped by the change of a step, {step['change']:.3g} of the first: the residual is {step['residual']:.3g}" in done.stderr
    assert step["estimated_error"] > 1e-6 and "does not mean a small error" in done.stderr, step


def test_words_of_heat(tmp_path):
    """what has no number is a temperature, not a displacement"""
    text = BODY.format("rectangle: {size: [1, 1], cells: [5, 4]}", "5", "method: cg").replace("heat: 1e4", "heat: 1e308")
    (tmp_path / "heat.yaml").write_text(text.replace("flux: 200", "flux: 1e308").replace("[1, 1]", "[1e9, 1e9]"))
    done = call("run", tmp_path / "heat.yaml", "--output", tmp_path / "heat.hooke", "--no-pictures", "-q")
    assert done.returncode == 7 and "temperature" in done.stderr and "displacement" not in done.stderr, done.stderr


def test_femses_of_order_p_is_refused(tmp_path):
    """with the method's name, and what serves"""
    text = BODY.format("rectangle: {size: [1, 1], cells: [5, 4]}", "5", "method: femses") + "element: {order: 4}\n"
    (tmp_path / "heat.yaml").write_text(text)
    for verb in [("check",), ("run", "--output", tmp_path / "heat.hooke", "--no-pictures")]:
        done = call(*verb, tmp_path / "heat.yaml", "-q", "--device", "cpu")
        assert done.returncode == 3 and "method femses stores K by elements of first or second order" in done.stderr, done.stderr
        assert "cholesky" in done.stderr


def test_a_dense_matrix_that_does_not_fit(tmp_path):
    """exit 5 with the numbers, at once; hooke check says so before"""
    (tmp_path / "heat.yaml").write_text(BODY.format("rectangle: {size: [1, 1], cells: [700, 700]}", "5", "method: dense"))
    done = call("check", tmp_path / "heat.yaml")
    assert done.returncode == 0 and "dense matrix" in done.stderr and "will end with 5" in done.stderr, done.stderr
    done = call("run", tmp_path / "heat.yaml", "--output", tmp_path / "heat.hooke", "--no-pictures", "-q")
    assert done.returncode == 5 and "GB are free" in done.stderr, done.stderr


@pytest.mark.parametrize("how, words", [("method: cg, library: mumps", "method cg makes no factors"), ("method: dense, ordering: rcm", "method dense has no ordering"),
                                        ("method: dense, preconditioner: jacobi", "method dense has no preconditioner"),
                                        ("relaxation: jacobi", "method auto has no relaxation: give method: femses"),
                                        ("method: cg, sweeps: single", "method cg has no sweeps: give method: femses"),
                                        ("method: cg, stop: change", "give these, or stop: residual"),
                                        ("method: femses, stop: change", "change ends relaxation: jacobi or chebyshev"),
                                        ("method: femses, relaxation: jacobi, sweeps: single, stop: change", "without sweeps: single"),
                                        ("method: cholesky, iterations: 5", "method cholesky has no iterations: give method: cg"),
                                        ("method: cholesky, library: pardiso", "pardiso")])
def test_keys_without_meaning_are_refused(tmp_path, how, words):
    (tmp_path / "heat.yaml").write_text(BODY.format("rectangle: {size: [1, 1], cells: [5, 4]}", "5", how))
    done = call("run", tmp_path / "heat.yaml", "--output", tmp_path / "heat.hooke", "--no-pictures", "-q")
    assert done.returncode == 3 and words in done.stderr, done.stderr


@pytest.mark.parametrize("method", ["cg", "cholesky", "dense"])
@pytest.mark.parametrize("load", [1e30, 1e-300])
def test_huge_and_tiny_loads(tmp_path, method, load):
    """T = q x / k: a flux of 1e30 and of 1e-300 through a wall, to 1e-8"""
    got = case(tmp_path, f"""
mesh: {{rectangle: {{size: [2, 1], cells: [6, 3]}}}}
physics: heat
materials: {{steel: {{conductivity: 4}}}}
boundary: [{{set: left, temperature: 0}}, {{set: right, flux: {load}}}]
solve: {{heat: {{method: {method}}}}}
""")
    t = got.static[0]["temperature"].reshape(4, 7)
    assert np.abs(t / load - np.linspace(0, 2, 7) / 4).max() <= 1e-8
    assert abs(got.static[0]["reaction"].sum() / load + 1) <= 1e-7


@pytest.mark.parametrize("how", ["cg", "femses", "cg, preconditioner: jacobi", "cholesky", "dense"])
def test_a_body_that_is_hardly_held(tmp_path, how):
    """A film of h L / k = 4e-7 alone: T = sink + q / h + q (L - x) / k, to what rounding of K T leaves of q; multigrid's levels are made in
    double where single precision loses the film"""
    (tmp_path / "heat.yaml").write_text(f"""
mesh: {{rectangle: {{size: [2, 1], cells: [48, 24]}}}}
physics: heat
materials: {{m: {{conductivity: 5}}}}
boundary: [{{set: left, flux: 100}}, {{set: right, film: {{coefficient: 1e-6, sink: 20}}}}]
solve: {{heat: {{method: {how}}}}}
""")
    done = call("run", tmp_path / "heat.yaml", "--output", tmp_path / "heat.hooke", "--no-pictures", "--device", "cpu")
    assert done.returncode == 0 and "rounding in double precision" in done.stderr, done.stderr
    assert ("rebuilt in double precision" in done.stderr) == (how in ("cg", "femses")), done.stderr
    got = Run(tmp_path / "heat.hooke")
    exact = np.tile(20 + 1e8 + 20 * (2 - np.linspace(0, 2, 49)), 25)
    assert np.abs(got.static[0]["temperature"][:, 0] - exact).max() <= 2e-6 * exact.max()
    assert got.summary["steps"][0]["residual"] <= 1e-5


def test_notes_of_solvers_are_whole(tmp_path):
    """why levels were made anew, with a residual of seven letters, then what rounding left"""
    (tmp_path / "heat.yaml").write_text("""
mesh: {rectangle: {size: [2, 1], cells: [100, 50]}}
physics: heat
materials: {m: {conductivity: 5}}
boundary: [{set: left, flux: 100}, {set: right, film: {coefficient: 5e-7, sink: 20}}]
solve: {heat: {method: cg}}
""")
    done = call("run", tmp_path / "heat.yaml", "--output", tmp_path / "heat.hooke", "--no-pictures", "--device", "cpu")
    assert done.returncode == 0 and "rebuilt in double precision; residual " in done.stderr, done.stderr
    assert "rounding in double precision allows no less here" in done.stderr, done.stderr


def test_iterations_that_are_too_few_are_not_rounding(tmp_path):
    """exit 7 with the residual reached, not made good by levels in double"""
    (tmp_path / "heat.yaml").write_text(BODY.format("rectangle: {size: [1, 1], cells: [40, 40]}", "5", "method: cg, iterations: 3"))
    done = call("run", tmp_path / "heat.yaml", "--output", tmp_path / "heat.hooke", "--no-pictures", "--device", "cpu")
    assert done.returncode == 7 and "not converged after 3 iterations: residual" in done.stderr and "rebuilt" not in done.stderr, done.stderr


@pytest.mark.parametrize("size, how", [(16, "method: cholesky, library: mumps, ordering: natural"), (14, "method: femses"), (14, "method: cg")])
def test_a_signal_during_set_up(tmp_path, size, how):
    """A run that gets a signal where it asks for memory ends in 130, and run.json says so; some get it in the middle of a factorisation, or of
    levels."""
    (tmp_path / "heat.yaml").write_text(BODY.format(f"box: {{size: [1, 1, 1], cells: [{size}, {size}, {size}]}}", "[50, 5, 20]", how))
    words = [tmp_path / "heat.yaml", "--output", tmp_path / "heat.hooke", "--no-pictures", "--force", "--threads", 1]
    calls, met = calls_of("memory", *words), 0
    for k in range(1, calls + 1, max(1, calls // 24)):
        run = stopped_at("memory", k, signal.SIGINT, *words)
        assert run.returncode in (0, 130, -signal.SIGINT), run.stderr  # -SIGINT: before the command looks for signals
        if run.returncode == 130 and ("during the factorisation" in run.stderr or "levels were built" in run.stderr):
            met += 1
            assert '"status": "stopped"' in (tmp_path / "heat.hooke" / "run.json").read_text()
    print(calls, met)
    assert met
