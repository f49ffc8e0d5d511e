"""hooke.System: K by products and by rows is one matrix; scipy solves what the library solves; dt is stable below 2 / omega."""
import gc
import threading

import numpy as np
import pytest
from scipy.sparse.linalg import eigsh, spsolve

import hooke
import models

SOLID = {"mesh": {"box": {"size": [3, 1, 1], "cells": [3, 2, 2], "jitter": 0.2}},
         "materials": {"steel": {"density": 7800, "young": 210e9, "poisson": 0.3}}, "boundary": [{"set": "left", "fix": ["x", "y", "z"]}],
         "sources": [{"gravity": [0, 0, -9.81]}], "solve": {"static": {}}}
HEAT = {"physics": "heat", "mesh": {"rectangle": {"size": [2, 1], "cells": [6, 3], "shape": "tri", "jitter": 0.2}},
        "materials": {"m": {"conductivity": 3}},
        "boundary": [{"set": "left", "temperature": 5}, {"set": "right", "film": {"coefficient": 2, "sink": 1}}], "solve": {"heat": {}}}
COUPLED = {"units": "none", "mesh": {"rectangle": {"size": [2, 1], "cells": [6, 3], "shape": "tri", "jitter": 0.2}},
           "materials": {"m": {"terms": [{"equation": "u", "diffusion": 3}, {"equation": "v", "diffusion": 1, "reaction": 2, "convection": [4, 1]},
                                         {"equation": "v", "unknown": "u", "reaction": -1}]}},
           "boundary": [{"set": "left", "unknown": "u", "value": 5}, {"set": "right", "unknown": "u", "film": {"coefficient": 2, "sink": 1}}],
           "solve": {"coupled": {"unknowns": ["u", "v"]}}}
EXPLICIT = {**{k: v for k, v in models.bar().items() if k not in ("boundary", "solve")}, "boundary": [{"set": "left", "fix": ["x", "y"]}],
            "sources": [{"set": "right", "force": 4, "direction": [1, 0], "signal": {"table": {"time": [0, 1e-3], "value": [0, 1]}}}],
            "outputs": {"traces": [{"set": "right"}]}, "solve": {"explicit": {"end": 1e-4}}}
SYSTEMS = {"plane": models.bar(), "solid": SOLID, "heat": HEAT, "explicit": EXPLICIT}


@pytest.fixture(params=SYSTEMS)
def system(request):
    return hooke.System(SYSTEMS[request.param], device="cpu")


def test_the_operator_is_the_matrix(system):
    """K u = (rows) u = (blocks) u to rounding, relative to |K| |u|, for a random u."""
    u = np.random.default_rng(1).standard_normal(system.dofs)
    rows, blocks = system.matrix(), system.matrix(blocks=True)
    expected, size = rows @ u, abs(rows) @ abs(u)
    assert rows.shape == (system.dofs, system.dofs) and expected.any()
    for got in (system.K @ u, blocks @ u, system.apply(u)):
        assert (abs(got - expected) <= 1e-13 * size.max()).all()


def test_free_is_what_the_free_matrix_has(system):
    assert np.array_equal(np.flatnonzero(system.free), system.free_matrix()[1])


LONE = """*NODE
1, 0., 0.
2, 1., 0.
3, 1., 1.
4, 0., 1.
5, 9., 9.
*ELEMENT, TYPE=CPS4, ELSET=ALL
1, 1, 2, 3, 4
*SOLID SECTION, ELSET=ALL, MATERIAL=M
*MATERIAL, NAME=M
*ELASTIC
1., 0.
*BOUNDARY
1, 1, 2
2, 2
*STEP
*STATIC
*CLOAD
3, 1, 1.
*END STEP
"""


def test_nodes_of_no_element_are_not_free(tmp_path):
    (tmp_path / "lone.inp").write_text(LONE)
    system = hooke.System(hooke.Model.read(tmp_path / "lone.inp"), device="cpu")
    assert np.array_equal(system.free, [0, 0, 1, 0, 1, 1, 1, 1, 0, 0])
    assert np.array_equal(np.flatnonzero(system.free), system.free_matrix()[1])


def test_the_matrix_is_symmetric_and_the_blocks_are_the_rows(system):
    rows, blocks = system.matrix(), system.matrix(blocks=True)
    assert blocks.blocksize == (system.components, system.components)
    assert abs(rows - rows.T).max() <= 1e-13 * abs(rows).max()
    assert abs(rows - blocks.tocsr()).max() == 0


def test_products_are_the_same_bits_each_time(system):
    u = np.random.default_rng(2).standard_normal(system.dofs)
    assert np.array_equal(system.apply(u), system.apply(u))


def test_solve_takes_no_right_hand_side():
    """A vector, which numpy's solvers take, was ignored: the model's own load was solved for."""
    system = hooke.System(HEAT, device="cpu")
    with pytest.raises(TypeError, match="progress must be a callable, not ndarray"):
        system.solve(np.ones(system.dofs))


def test_scipy_solves_a_patch_test_to_the_closed_form():
    """Plane stress, 2 MPa along x: u = (s x / E, -nu s y / E) on an irregular mesh."""
    case = models.bar(mesh={"rectangle": {"size": [2, 1], "cells": [5, 3], "shape": "tri", "jitter": 0.25}})
    system = hooke.System(case, device="cpu")
    k, dof = system.free_matrix()
    u = np.zeros(system.dofs)
    u[dof] = spsolve(k, system.right[dof])
    got, x = system.by_node(system.fill(u)), system.coordinates
    s = 2e6 / 210e9
    assert np.abs(got - np.column_stack([s * x[:, 0], -0.3 * s * x[:, 1]])).max() <= 1e-12 * s * 2


@pytest.mark.parametrize("case", [models.bar(), SOLID, HEAT, COUPLED], ids=["plane", "solid", "heat", "coupled"])
def test_the_solution_is_that_of_scipy_and_of_a_run(tmp_path, case):
    """T^T K T w = T^T (f - K offset), by scipy, by solve() and by hooke.run."""
    system = hooke.System(case, device="cpu")
    k, dof = system.free_matrix()
    u = np.zeros(system.dofs)
    u[dof] = spsolve(k, system.right[dof])
    u, solved = system.fill(u), system.solve()
    run = hooke.run(case, device="cpu", output=tmp_path / "run", pictures=False).static[0]
    names = [n for n in ("temperature", "displacement", "u", "v") if n in run]
    stored = np.hstack([run[n].values.reshape(len(system.coordinates), -1) for n in names]).ravel()
    assert np.abs(u).max() > 0
    assert np.abs(solved - u).max() <= 1e-7 * np.abs(u).max()
    assert np.abs(stored - u).max() <= 1e-7 * np.abs(u).max()


def test_the_residual_is_zero_where_nothing_is_held():
    system = hooke.System(SOLID, device="cpu")
    residual = system.apply(system.solve()) - system.load
    assert np.abs(residual[system.free]).max() <= 1e-7 * np.abs(system.load).max()
    assert system.fixed.sum() == 9 * 3 and residual[system.fixed].any()


def test_prescribed_values_and_ties_are_told():
    held = hooke.System(HEAT, device="cpu").held
    assert held.offset.tolist() == [5.0] * 4 and held.master.size == 0 and held.begin.tolist() == [0] * 5
    tie = {"terms": [{"node": 1, "component": "x"}, {"node": 2, "component": "x", "factor": -2}], "value": 3}
    held = hooke.System(models.bar(boundary=[{"set": "right", "fix": ["x", "y"]}], equations=[tie]), device="cpu").held
    i = int(np.flatnonzero(np.diff(held.begin))[0])
    assert {int(held.dof[i]), int(held.master[0])} == {0, 2}
    assert (held.dof[i], held.weight[0], held.offset[i]) in ((0, 2.0, 3.0), (2, 0.5, -1.5))


def test_mass_is_that_of_the_body_in_each_direction():
    system = hooke.System(EXPLICIT, device="cpu")
    assert system.by_node(system.mass).sum(axis=0) == pytest.approx([7800 * 2, 7800 * 2], rel=1e-12)


def test_the_largest_eigenvalue_is_that_of_scipy_and_a_run_steps_below_it():
    """K v = lambda M v on what is free; from below, to 1e-3 in omega."""
    system = hooke.System(EXPLICIT, device="cpu")
    free = system.free
    scaled = 1 / np.sqrt(system.mass[free])
    k = system.matrix()[free][:, free].multiply(scaled[:, None]).multiply(scaled[None, :])
    expected = eigsh(k.tocsr(), k=1, which="LA", return_eigenvectors=False)[0]
    assert expected * (1 - 2.1e-3) <= system.max_eigenvalue <= expected * (1 + 1e-9)
    assert system.stable_dt == pytest.approx(2 / np.sqrt(system.max_eigenvalue))
    assert 0.5 * system.stable_dt < system.time_step < system.stable_dt


def test_the_load_of_an_explicit_step_follows_its_signal():
    system = hooke.System(EXPLICIT, device="cpu")
    assert not system.load.any()
    system.take(0, time=5e-4)
    assert system.by_node(system.load).sum(axis=0) == pytest.approx([3 * 4 * 0.5, 0])
    assert hooke.System(EXPLICIT, device="cpu", time=5e-4).load == pytest.approx(system.load)


def test_what_makes_no_sense_is_told():
    system = hooke.System(models.bar(), device="cpu")
    with pytest.raises(hooke.Usage, match=f"{system.dofs} degrees of freedom, or an array"):
        system.apply(np.zeros(3))
    with pytest.raises(hooke.Usage):
        system.take(7)
    with pytest.raises(hooke.Usage, match="could not be taken"):
        system.apply(np.zeros(system.dofs))
    with pytest.raises(hooke.Usage, match="could not be taken"):
        system.load
    system.take(0)
    assert system.load.any()
    with pytest.raises(hooke.Usage):
        hooke.System(EXPLICIT, device="cpu").solve()
    with pytest.raises(hooke.BadInput, match="no capacity"):
        hooke.System(HEAT, device="cpu").mass
    for varying in ({"table": {"temperature": [0, 1], "value": [2, 3]}}, {"formula": "1 + x"}):
        model = {**HEAT, "solve": {"heat": {"end": 1, "dt": 1}}}
        model["materials"] = {k: {**m, "density": 2, "specific_heat": varying} for k, m in model["materials"].items()}
        with pytest.raises(hooke.BadInput, match="varies with the place or the temperature"):
            hooke.System(model, device="cpu").mass
    with pytest.raises(hooke.BadInput):
        hooke.System(models.bar(boundary=[]), device="cpu").solve()


def test_arrays_outlive_the_system():
    system = hooke.System(models.bar(), device="cpu")
    k, load, x, expected = system.matrix(), system.load, system.coordinates, system.matrix().toarray()
    del system
    gc.collect()
    assert np.array_equal(k.toarray(), expected) and load.any() and x.shape == (15, 2)
    k.data *= 2
    assert np.array_equal(k.toarray(), 2 * expected)


def test_threads_may_share_a_system():
    system, wrong = hooke.System(SOLID, device="cpu"), []
    vectors = np.random.default_rng(3).standard_normal((4, system.dofs))
    expected = [system.apply(u) for u in vectors]

    def work(i):
        for _ in range(20):
            if not np.array_equal(system.apply(vectors[i]), expected[i]):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    [t.start() for t in threads], [t.join() for t in threads]
    assert not wrong


def test_complex_vectors_keep_their_imaginary_part(system):
    """K u = K Re u + i K Im u; u = T w + offset, with a real offset."""
    real, imaginary = np.random.default_rng(4).standard_normal((2, system.dofs))
    rows, u = system.matrix(), real + 1j * imaginary
    for got in (system.K @ u, system.apply(u)):
        assert np.abs(got - rows @ u).max() <= 1e-12 * (abs(rows) @ abs(u)).max()
    filled, offset = system.fill(u), system.fill(np.zeros(system.dofs))
    assert np.array_equal(filled.real, system.fill(real))
    assert np.abs(filled.imag - (system.fill(imaginary) - offset)).max() <= 1e-14 * np.abs(u).max()
    assert np.iscomplexobj(system.by_node(u)) and np.array_equal(system.by_node(u).ravel(), u)


def test_vectors_have_a_shape_that_says_what_they_are():
    system = hooke.System(models.bar(), device="cpu")
    u = np.arange(30.0)
    for good in (u, u[:, None], u.reshape(15, 2), np.asfortranarray(u.reshape(15, 2)), list(u), np.arange(30), np.ma.array(u)):
        assert np.array_equal(system.apply(good), system.apply(u))
    for bad in (u.reshape(15, 2).T, u[None], u.reshape(5, 6), u.reshape(15, 2, 1)):
        with pytest.raises(hooke.Usage, match="15 nodes by 2 components, not the shape"):
            system.apply(bad)
    with pytest.raises(hooke.Usage, match="masked"):
        system.fill(np.ma.array(u, mask=u == 3))


def test_each_failure_has_its_own_words():
    """A system keeps all messages; those of a call before are not told again."""
    system = hooke.System(models.bar(boundary=[]), device="cpu")
    with pytest.raises(hooke.BadInput, match="rigid-body") as first:
        system.solve()
    with pytest.raises(hooke.BadInput, match="rigid-body") as second:
        system.solve()
    assert [str(m) for m in first.value.messages] == [str(m) for m in second.value.messages] != []
    with pytest.raises(hooke.Usage) as caught:
        system.take(7)
    assert "rigid-body" not in str(caught.value) and caught.value.messages == []


def test_warnings_of_a_system_are_those_of_a_check():
    """An equation that stands twice."""
    tie = {"terms": [{"node": 1, "component": "x"}, {"node": 2, "component": "x", "factor": -1}]}
    case = models.bar(boundary=[{"set": "right", "fix": ["x", "y"]}], equations=[tie, tie])
    with pytest.warns(hooke.HookeWarning) as expected:
        hooke.check(case)
    with pytest.warns(hooke.HookeWarning) as got:
        system = hooke.System(case, device="cpu")
    idle = {str(w.message) for w in expected if "has no load" in str(w.message)}  # of a run alone
    assert {str(w.message) for w in got} == {str(w.message) for w in expected} - idle and got[0].filename == __file__
    with pytest.warns(hooke.HookeWarning):
        system.take(0)


@pytest.mark.parametrize("nonlinear", [{}, {"nonlinear": {"method": "newton"}}, {"method": "cg"}, {"form": "elements"}])
def test_constants_by_temperature_are_those_of_the_solution(nonlinear):
    """solve() iterates as a run does; K, the load and the right-hand side are then those of the solution: they vanish together."""
    system = hooke.System({**HEAT, "units": "none", "materials": {"m": {"conductivity": {"formula": "3 * (1 + T)"}}}, "solve": {"heat": nonlinear},
                           "boundary": [{"set": "left", "temperature": 5}, {"set": "right", "film": {"coefficient": {"formula": "2 + T"}, "sink": 1}}]}, device="cpu")
    u = system.solve()
    k, dof = system.free_matrix()
    size = abs(system.load).max()
    assert abs(system.K @ u - system.load)[system.free].max() <= 1e-6 * size
    assert abs(k @ u[dof] - system.right[dof]).max() <= 1e-6 * abs(system.right).max()
    end = u[system.coordinates[:, 0] > 2 - 1e-9]  # to the error of the mesh: 3 (T + T^2 / 2) falls by 2 (2 + T1) (T1 - 1) over the length 2
    assert abs(3 * (5 + 12.5 - end - end**2 / 2) - 2 * (2 + end) * (end - 1)).max() <= .1
