"""Cables that measure strain over gauge lengths: identities with receivers at points, small gauges against the strain, channels, what is refused."""
import h5py
import numpy as np
import pytest

from command import error, run

BENT = [[1, 0.7], [3, 1.2], [3.4, 2.6]]


def case(fibre=None, dim=2, **more):
    """A force in a rectangle or box of two materials; a cable, and receivers at its points and at others."""
    last = [] if dim == 2 else [0.5]
    return {"units": "none", "mesh": {"rectangle": {"size": [4, 3], "cells": [8, 6]}} if dim == 2 else {"box": {"size": [4, 3, 1], "cells": [4, 3, 1]}},
            "element": {"order": 4}, "materials": {"a": {"density": 1, "p_speed": 2, "s_speed": 1.1}, "b": {"density": 1.5, "p_speed": 3, "s_speed": 1.6}},
            "sets": {"half": {"what": "elements", "box": {"from": [2, 0] + [0] * (dim - 2), "to": [4, 3] + [1] * (dim - 2)}}}, "regions": {"half": "b", "all": "a"},
            "sources": [{"at": [0.8, 1.9] + last, "force": 1, "direction": [1, 0.6] + [0.3] * (dim - 2), "signal": {"ricker": {"frequency": 1}}}],
            "outputs": {"traces": [{"name": "das", "fibre": fibre, "quantity": ["strain", "strain_rate"]}] + more.pop("traces", [])},
            "solve": {"explicit": {"end": 2, "dt": 0.01}}} | more


@pytest.mark.parametrize("dim", [2, 3])
def test_differences_of_receivers(dim, tmp_path):
    """A channel on a straight piece is t . (u(b) - u(a)) / gauge of receivers at its ends, its rate that of their velocities; one around a bend is the sum over
    its pieces; single precision gives the same."""
    cable = np.array([p + [0.4] * (dim - 2) for p in BENT])
    arc = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(cable, axis=0), axis=1))])
    gauge, spacing = 0.7, 0.3
    starts = spacing * np.arange(int((arc[-1] - gauge) / spacing) + 1)
    def place(s):
        return [np.interp(s, arc, cable[:, d]) for d in range(dim)]
    ends = [[a, *arc[(arc > a + 1e-9) & (arc < a + gauge - 1e-9)], a + gauge] for a in starts]
    points = [[float(x) for x in place(s)] for row in ends for s in row]
    model = case({"points": cable.tolist(), "gauge": gauge, "spacing": spacing}, dim,
                 traces=[{"name": "rx", "at": points, "quantity": ["displacement", "velocity"]}])
    got = run(tmp_path, model)
    with h5py.File(got.folder / "run.h5") as file:
        assert file["traces/das/coordinates"][:] == pytest.approx(np.array([place(a + gauge / 2) for a in starts]), abs=1e-12)
        assert file["traces/das/strain_rate"].attrs["unit"] in ("1/s", "s^-1", "")
    assert max(map(len, ends)) == 3 and min(map(len, ends)) == 2
    for quantity, of in (("strain", "displacement"), ("strain_rate", "velocity")):
        das, u, k = got.traces["das"][quantity], got.traces["rx"][of], 0
        assert das.shape[:2] == (len(starts), 1)
        for channel, row in enumerate(ends):
            want = 0
            for i in range(len(row) - 1):
                t = np.subtract(points[k + i + 1], points[k + i])
                want = want + t / np.linalg.norm(t) @ (u[k + i + 1] - u[k + i]) / gauge
            k += len(row)
            assert error(das[channel, 0], want) <= 1e-9 and np.abs(want).max() > 1e-4, (quantity, channel)
    want = got.traces["das"]["strain_rate"]
    other = run(tmp_path, model, "--precision", "single", name="other").traces["das"]["strain_rate"]
    assert np.abs(other - want).max() <= 1e-4 * np.abs(want).max()


def test_a_small_gauge_is_the_strain(tmp_path):
    """t . strain . t at the middle, for t = (0.6, 0.8); strain_rate is given at points too, and a cable beside its gauge has one channel."""
    middle, t = np.array([1.3, 1.1]), np.array([0.6, 0.8])
    cable = [(middle - 5e-4 * t).tolist(), (middle + 5e-4 * t).tolist()]
    got = run(tmp_path, case({"points": cable, "gauge": 1e-3}, traces=[{"name": "rx", "at": [middle.tolist()], "quantity": ["strain", "strain_rate"]}]))
    for quantity in ("strain", "strain_rate"):
        xx, yy, _, xy = got.traces["rx"][quantity][0]
        assert got.traces["das"][quantity].shape[0] == 1
        assert error(got.traces["das"][quantity][0, 0], t[0]**2 * xx + t[1]**2 * yy + 2 * t[0] * t[1] * xy) <= 1e-5


def test_restarts(tmp_path):
    """A run with a cable continues to a later end; with another gauge length, whose channels may have the same middles, it is refused."""
    def at(end, gauge, first):
        return case({"points": [[first, 1], [first + gauge, 1]], "gauge": gauge}, solve={"explicit": {"end": end, "dt": 0.01}})
    want = run(tmp_path, at(2, 0.5, 1), name="whole").traces["das"]
    run(tmp_path, at(1, 0.5, 1), "--keep-checkpoint", name="parts")
    assert "give the former traces again" in run(tmp_path, at(2, 0.3, 1.1), "--restart", name="parts", code=3).stderr
    got = run(tmp_path, at(2, 0.5, 1), "--restart", name="parts").traces["das"]
    for quantity in ("strain", "strain_rate"):
        assert error(got[quantity], want[quantity]) <= 1e-12 and np.abs(want[quantity]).max() > 1e-5


@pytest.mark.parametrize("fibre, more, words", [
    ({"points": [[1, 1], [2, 1]], "gauge": 1.5}, {}, "the fibre is 1 long, shorter than its gauge length"),
    ({"points": [[1, 1], [1, 1], [2, 1]], "gauge": 0.5}, {}, "points 1 and 2 are one place"),
    ({"points": [[1, 1], [5, 1]], "gauge": 0.5}, {}, "outside the mesh"),
    ({"points": [[1, 1]], "gauge": 0.5}, {}, "points"),
    ({"points": [[1, 1], [2, 1]]}, {}, "gauge"),
    ({"points": [[1, 1], [2, 1]], "gauge": 1e-9}, {}, "at most 1e7 are possible"),
    ({"points": [[1, 1], [2, 1]], "gauge": 0.5}, {"plane": "antiplane", "sources": []}, "a cable measures the strain of solids"),
    ({"points": [[1, 1], [2.5, 1]], "gauge": 0.5}, {"materials": {"a": {"density": 1, "p_speed": 2, "s_speed": 1.1}, "b": {"density": 1, "sound_speed": 1}}},
     "the fibre ends a piece in an element of a fluid"),
])
def test_what_is_refused(fibre, more, words, tmp_path):
    """Exit 3, and the words say what to do."""
    assert words in run(tmp_path, case(fibre, **more), code=3).stderr


def test_quantities_that_are_refused(tmp_path):
    """A cable has no displacement; a field has no strain rate."""
    for outputs, words in (({"traces": [{"fibre": {"points": [[1, 1], [2, 1]], "gauge": 0.5}, "quantity": "displacement"}]}, "a fibre gives strain and strain_rate"),
                           ({"traces": [{"fibre": {"points": [[1, 1], [2, 1]], "gauge": 0.5}, "set": "half"}]}, "fibre"),
                           ({"traces": [{"fibre": {"points": [[1, 1], [2, 1]], "gauge": 0.5}, "order": "arc"}]}, "order is for the nodes of a set"),
                           ({"field": {"quantity": "strain_rate"}}, "strain_rate is of traces")):
        assert words in run(tmp_path, case() | {"outputs": outputs}, code=3).stderr
