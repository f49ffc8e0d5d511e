"""Strain, stress, divergence and rotation of explicit steps: plane waves, frames beside traces, parts of a model, restarts, what is refused."""
import h5py
import numpy as np
import pytest

from command import run

C_P, C_S, DENSITY = 5.9, 3.2, 1.1
QUANTITIES = ["stress", "strain", "divergence", "rotation"]
ROCK = {"density": DENSITY, "p_speed": C_P, "s_speed": C_S}


def column(shear, dim=2, **more):
    """A plane wave along x, loaded on the left end."""
    across = ["y", "z"][:dim - 1]
    load = [0, 1] if shear else [1, 0]
    size, cells = [20, 1], [20, 1]
    shape = {"rectangle": {"size": size, "cells": cells}} if dim == 2 else {"box": {"size": size + [1], "cells": cells + [1]}}
    return {"units": "none", "mesh": shape, "materials": {"m": ROCK}, "element": {"order": 5},
            "boundary": [{"set": "all", "fix": ["x"] + across[1:] if shear else across},
                         {"set": "left", "traction": load + [0] * (dim - 2), "signal": {"ricker": {"frequency": 0.5}}}],
            "outputs": {"traces": [{"name": "p", "at": [[8.3] + [0.4] * (dim - 1), [10] + [0] * (dim - 1)], "quantity": ["velocity"] + QUANTITIES},
                                   {"name": "n", "set": "bottom", "quantity": QUANTITIES}]},
            "solve": {"explicit": {"end": 5}}} | ({"plane": "strain"} if dim == 2 else {}) | more


@pytest.mark.parametrize("dim", [2, 3])
def test_plane_waves(tmp_path, dim):
    """A wave f(t - x / c) has the slope -v / c: the strain xx of one that compresses, twice the strain xy and the rotation about z of one that shears."""
    got = run(tmp_path, column(False, dim)).traces["p"]
    n, one = got["strain"].shape[1], DENSITY * C_P**2
    xx = -got["velocity"][:, 0] / C_P
    most = np.abs(xx).max()
    expected = np.zeros_like(got["strain"])
    expected[:, 0] = xx
    assert n == (4 if dim == 2 else 6) and np.abs(got["strain"] - expected).max() <= 2e-3 * most
    expected[:, :3] = (1 - 2 * (C_S / C_P)**2) * one * xx[:, None]
    expected[:, 0] = one * xx
    assert np.abs(got["stress"] - expected).max() <= 2e-3 * one * most
    assert np.abs(got["divergence"][:, 0] - xx).max() <= 2e-3 * most and np.abs(got["rotation"]).max() <= 1e-9 * most
    got = run(tmp_path, column(True, dim)).traces["p"]
    half = -got["velocity"][:, 1] / (2 * C_S)
    most = np.abs(half).max()
    assert np.abs(got["strain"][:, 3] - half).max() <= 4e-3 * most and np.abs(got["rotation"][:, -1] - half).max() <= 4e-3 * most
    assert np.abs(got["stress"][:, 3] - 2 * DENSITY * C_S**2 * half).max() <= 4e-3 * DENSITY * C_S**2 * most
    assert np.abs(got["divergence"]).max() <= 1e-9 * most and np.abs(got["rotation"][:, :-1]).max(initial=0) <= 1e-9 * most


def plate(order, three=False, **more):
    """Two materials, one of them anisotropic, that meet at a corner; loaded at a point."""
    sizes = {"size": [6, 4, 3], "cells": [6, 4, 3]} if three else {"size": [6, 4], "cells": [6, 4]}
    half = {"box": {"from": [3, 1] + [0] * three, "to": [6, 4] + [3] * three}}
    return {"units": "none", "mesh": {"box" if three else "rectangle": sizes}, "element": {"order": order}, "sets": {"half": half | {"what": "elements"}},
            "materials": {"m": ROCK, "a": {"density": 2} | dict(zip(["E1", "E2", "E3", "nu12", "nu13", "nu23", "G12", "G13", "G23"], [9, 7, 5, 0.2, 0.1, 0.3, 2, 1.5, 2.5]))},
            "regions": {"all": "m", "half": "a"},
            "sources": [{"at": [1.2, 1.3] + [0.9] * three, "force": 1, "direction": [0.3, 1] + [0.2] * three, "signal": {"ricker": {"frequency": 1}}}],
            "outputs": {"traces": [{"name": "n", "set": "all", "quantity": QUANTITIES}], "field": {"quantity": ["displacement"] + QUANTITIES, "frames": 2}},
            "solve": {"explicit": {"end": 2, "time_dispersion": "keep"}}} | ({} if three else {"plane": "strain"}) | more


@pytest.mark.parametrize("order, three", [(1, False), (4, False), (1, True), (3, True)])
def test_frames_have_what_traces_have(tmp_path, order, three):
    """At all nodes, at the times of the frames; two parts give the bytes of one."""
    case = plate(order, three)
    got = run(tmp_path, case)
    with h5py.File(got.folder / "field.vtkhdf") as file:
        root = file["VTKHDF"]
        for q in QUANTITIES:
            trace = got.traces["n"][q]
            for frame, at in enumerate(root["Steps/Values"][:]):
                first = root[f"Steps/PointDataOffsets/{q}"][frame]
                values = root[f"PointData/{q}"][first:first + len(trace)].reshape(len(trace), -1)
                expected = trace[:, :, np.abs(got.time["n"] - at).argmin()]
                if expected.shape[1] == 6:
                    expected = expected[:, [0, 1, 2, 3, 5, 4]]
                assert np.abs(values[:, :expected.shape[1]] - expected).max() <= 1e-5 * np.abs(trace).max()
    two = run(tmp_path, case, "--device", "cpu,cpu", name="two")
    for file in ("run.h5", "field.vtkhdf"):
        assert (got.folder / file).read_bytes() == (two.folder / file).read_bytes()


@pytest.mark.parametrize("change, words", [
    ({"outputs": {"traces": [{"set": "all", "quantity": "reaction"}]}}, "reaction is not given by explicit steps"),
    ({"physics": "acoustic", "materials": {"m": {"density": 1, "sound_speed": 2}}, "boundary": [], "outputs": {"traces": [{"set": "all", "quantity": "strain"}]}}, "quantity: strain is not computed here"),
    ({"materials": {"m": ROCK | {"q_s": 20, "q_p": 30, "q_band": [0.1, 1], "q_frequency": 0.5}}}, "stress of viscoelastic materials is not given: ask for strain"),
    ({"solve": {"static": {}}, "outputs": {"field": {"quantity": "rotation"}}}, "rotation is not given in a static solution"),
])
def test_refusals(tmp_path, change, words):
    done = run(tmp_path, column(False, **change), code=3)
    assert words in done.stderr


def test_frames_of_a_deck(tmp_path):
    """*ELEMENT OUTPUT of an explicit step: stress and strain at all nodes; of a uniform motion none. Histories of them are told."""
    deck = ("*NODE\n1, 0, 0\n2, 1, 0\n3, 1, 1\n4, 0, 1\n*ELEMENT, TYPE=CPE4, ELSET=E\n1, 1, 2, 3, 4\n*MATERIAL, NAME=M\n*DENSITY\n1\n*ELASTIC\n10, 0.25\n"
            "*SOLID SECTION, ELSET=E, MATERIAL=M\n*STEP\n*DYNAMIC, EXPLICIT\n, 0.5\n*CLOAD\n2, 1, 1\n3, 1, 1\n*OUTPUT, FIELD, NUMBER INTERVAL=2\n*ELEMENT OUTPUT\nS, E, PEEQ\n"
            "*OUTPUT, HISTORY\n*ELEMENT OUTPUT, ELSET=E\nS\n*END STEP\n")
    got = run(tmp_path, deck)
    with h5py.File(got.folder / "field.vtkhdf") as file:
        stress, strain = (file[f"VTKHDF/PointData/{q}"][-4:] for q in ("stress", "strain"))
    # E / (1 + nu) / (1 - 2 nu) = 16: lambda = mu = 4
    assert np.allclose(stress[:, 0], 12 * strain[:, 0] + 4 * strain[:, 1], rtol=1e-5) and stress[:, 0].max() > 0.1
    assert np.allclose(stress[:, 2], 4 * (strain[:, 0] + strain[:, 1]), rtol=1e-5) and np.allclose(stress[:, 3], 8 * strain[:, 3], rtol=1e-5, atol=1e-9)
    told = " ".join(got.summary["warnings"])
    assert "PEEQ is not written: explicit steps give stresses (S) and strains (E)" in told and "write stresses and strains as fields alone" in told


def test_fluids_are_not_deformed(tmp_path):
    """Strain in a fluid beside a solid reads 0, and pressure in the solid, which is told."""
    case = plate(2, materials={"m": ROCK, "a": {"density": 1, "sound_speed": 2}})
    case["outputs"] = {"traces": [{"name": "f", "at": [[5, 2.5]], "quantity": "strain"}, {"name": "s", "at": [[1, 2.5]], "quantity": "strain"},
                                  {"name": "p", "at": [[1, 2.5], [5, 2.5]], "quantity": "pressure"}, {"name": "q", "at": [[5, 2.5]], "quantity": "pressure"}]}
    got = run(tmp_path, case)
    assert (got.traces["f"]["strain"] == 0).all() and np.abs(got.traces["s"]["strain"]).max() > 0
    assert [w for w in got.summary["warnings"] if "trace f: 1 of its receivers lie in no solid" in w], got.summary["warnings"]
    assert (got.traces["p"]["pressure"][0] == 0).all() and np.abs(got.traces["p"]["pressure"][1]).max() > 0
    assert [w[:7] for w in got.summary["warnings"] if "lie in no fluid" in w] == ["trace p"], got.summary["warnings"]
