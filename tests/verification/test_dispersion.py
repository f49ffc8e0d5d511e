"""W15: traces without time dispersion are what runs with small steps tend to, for every kind of source, medium and side; what it
leaves alone is told. docs/theory/dispersion.md."""
import json
import shutil
import subprocess

import h5py
import numpy as np
import pytest

import fem
from command import HOOKE, call, error, run

WATER = 1480.0
LENGTH = 0.177994                      # of the tube: 60 wavelengths at 500 kHz
TUBE = {"mesh": {"rectangle": {"size": [LENGTH, 0.000839595], "cells": [212, 1]}}, "element": {"order": 4},
        "materials": {"w": {"density": 1000, "sound_speed": WATER}},
        "sources": [{"set": "left", "volume_rate": 1, "signal": {"ricker": {"frequency": 500e3, "t0": 3e-6}}}],
        "outputs": {"traces": [{"name": "rx", "at": [[n * 0.00296, 0.00028] for n in (5, 20, 50)],
                                "quantity": ["pressure", "velocity", "displacement", "acceleration"]}], "field": {"frames": 1}},
        "solve": {"explicit": {"end": 1.12e-4}}}
# a bar of the same elements, wavelengths and time between slippery walls
BAR = {**{k: v for k, v in TUBE.items() if k != "sources"}, "materials": {"m": {"density": 1000, "p_speed": WATER, "s_speed": WATER / 2}},
       "boundary": [*({"set": s, "fix": "y"} for s in ("bottom", "top")),
                    {"set": "left", "traction": [1, 0], "signal": TUBE["sources"][0]["signal"]}],
       "outputs": {**TUBE["outputs"], "traces": [{**TUBE["outputs"]["traces"][0], "quantity": ["displacement", "velocity", "acceleration"]}]}}
RISE = np.linspace(0, 4, 400)         # to a constant in a sixth of the way
RICKER = {"ricker": {"frequency": 0.25, "t0": 5}}
ROD = {"mesh": {"rectangle": {"size": [30, 1], "cells": [24, 1]}}, "element": {"order": 4},
       "materials": {"m": {"density": 1, "p_speed": 1, "s_speed": 0.5}}, "boundary": [{"set": "bottom", "fix": "y"}, {"set": "top", "fix": "y"}],
       "sources": [{"at": [0, 0.5], "force": 1, "direction": [1, 0], "signal": RICKER}],
       "outputs": {"traces": [{"name": "rx", "at": [[5, 0.5], [22, 0.5]], "quantity": ["displacement", "velocity", "acceleration"]}],
                   "field": {"frames": 1}},
       "solve": {"explicit": {"end": 75}}}


def explicit(case, **keys):
    return {**case, "solve": {"explicit": {**case["solve"]["explicit"], **keys}}}


def finer(folder, case, times=8):
    """The coarse run, and what runs as computed tend to: their error of dt^2 is extrapolated from steps that are 8 and 16 times smaller. Where the
    coarse run has a phase error of 1, 1 / 8 of (1 / 64)^2 is left."""
    coarse = run(folder, case, name="coarse")
    once, twice = ({k: v[..., ::n] for k, v in run(folder, explicit(case, dt=coarse.dt / n, time_dispersion="keep"), name="fine").traces["rx"].items()}
                   for n in (times, 2 * times))
    count = min(values["displacement"].shape[-1] for values in (once, twice))
    return coarse, {k: (4 * twice[k][..., :count] - once[k][..., :count]) / 3 for k in twice}


def errors(got, reference):
    """L2 of each quantity and receiver; components and shots together."""
    out = {}
    for quantity, values in got.traces["rx"].items():
        fine = reference[quantity]
        count = min(values.shape[-1], fine.shape[-1])
        out[quantity] = [error(values[..., k, :, :count], fine[..., k, :, :count]) for k in range(values.shape[-3])]
    return out


def worst(found):
    return max(x for values in found.values() for x in values)


def samples(folder):
    with h5py.File(folder / "run.h5") as file:
        return file["traces"].attrs["samples"]


@pytest.mark.parametrize("medium, case, lost", [("fluid", TUBE, (0.08, 0.3, 0.7)), ("solid", BAR, (0.09, 0.37, 0.8))])
def test_tube_and_bar_after_fifty_wavelengths(tmp_path, medium, case, lost):
    """All quantities of a fluid and of a solid after 5, 20 and 50 wavelengths at the default step: 0.1 % of small steps; 9, 34 and
    74 % as computed, 11, 41 and 84 % of the solid."""
    got, fine = finer(tmp_path, case)
    computed = run(tmp_path, explicit(case, time_dispersion="keep"), name="kept")
    assert worst(errors(got, fine)) <= 1e-3
    kept = errors(computed, fine)["velocity"]
    assert len(kept) == 3 and all(k > least for k, least in zip(kept, lost)), kept
    steps = got.summary["counts"]["steps"]
    assert steps == round(1.12e-4 / got.dt) == len(got.time["rx"]) - 1
    assert got.summary["time_dispersion"] == {"removed": True, "why": "", "sources": "transformed", "traces": "transformed",
                                              "frames": "as computed", "steps_beyond_end": int(np.ceil(3.5 * np.cbrt(steps))) + 13}
    assert computed.summary["time_dispersion"]["steps_beyond_end"] == 0
    assert computed.summary["time_dispersion"]["traces"] == "as computed"
    assert samples(got.folder) == "transformed" and samples(computed.folder) == "as computed"
    assert not (got.folder / "computed.h5").exists()


WET = {"materials": {"m": {"density": 1, "sound_speed": 1}}, "boundary": []}
SOURCES = {
    "force": {},
    "late": {"sources": [{**ROD["sources"][0], "delay": 33.3}]},
    "burst": {"sources": [{**ROD["sources"][0], "signal": {"toneburst": {"frequency": 0.3, "cycles": 6, "window": "hann"}}}]},
    "ends at a constant": {"sources": [{**ROD["sources"][0], "signal": {"table": {"time": RISE.tolist(), "value": (0.5 - 0.5 * np.cos(np.pi * RISE / 4)).tolist()}}}]},
    "traction": {"sources": [], "boundary": [*ROD["boundary"], {"set": "left", "traction": [1, 0], "signal": RICKER}]},
    "displacement": {"sources": [{"set": "left", "displacement": 1, "direction": [1, 0], "signal": RICKER}]},
    "velocity": {"sources": [{"set": "left", "velocity": 1, "direction": [1, 0], "signal": RICKER}]},
    "boundary that moves": {"sources": [], "boundary": [*ROD["boundary"], {"set": "left", "move": {"x": 1}, "signal": RICKER}]},
    "moved point": {"sources": [{"at": [0, 0.5], "displacement": 1, "direction": [1, 0], "signal": RICKER}]},
    "forces on a set": {"sources": [{"set": "left", "force": 1, "direction": [1, 0], "signal": RICKER}]},
    "pressure": {"sources": [], "boundary": [*ROD["boundary"], {"set": "left", "pressure": 1, "signal": RICKER}]},
    "body force": {"sources": [{"body_force": [1, 0], "signal": RICKER}], "boundary": [*ROD["boundary"], {"set": "left", "fix": "x"}]},
    "volume rate at a point": {**WET, "sources": [{"at": [0.3, 0.4], "volume_rate": 1, "signal": RICKER}]},
    "volume rate of a set": {**WET, "sources": [{"set": "left", "volume_rate": 1, "signal": RICKER}]},
}


@pytest.mark.parametrize("kind", list(SOURCES))
def test_sources_of_a_rod(tmp_path, kind):
    """After two ways along a rod every kind of source is right to 0.1 %, and was not."""
    case = {**ROD, **SOURCES[kind]}
    kinks = kind == "ends at a constant"  # they have no highest frequency
    got, fine = finer(tmp_path, case, 30 if kinks else 8)
    found = errors(got, fine)
    kept = errors(run(tmp_path, explicit(case, time_dispersion="keep"), name="kept"), fine)
    limit = 4e-3 if kinks else 1e-3
    assert worst(found) <= limit and max(kept["displacement"]) > 20 * max(found["displacement"]), (found, kept)


LOSSES = {
    "stacey": {"absorb": {"sets": ["right"], "kind": "stacey"}},
    "matched layer": {"absorb": {"sets": ["right"], "kind": "pml", "thickness": 5}},
    "damping": {"damping": {"mass": 0.01}},
}


@pytest.mark.parametrize("kind", list(LOSSES))
def test_what_takes_energy_changes_by_a_cosine_alone(tmp_path, kind):
    """Sides that absorb and damping stay on: what they take is off by 1 - cos(w dt / 2), 0.3 % at the highest frequency, on the whole less."""
    case = {**ROD, **LOSSES[kind]}
    got, fine = finer(tmp_path, case)
    kept = errors(run(tmp_path, explicit(case, time_dispersion="keep"), name="kept"), fine)
    found = errors(got, fine)
    assert got.summary["time_dispersion"]["removed"]
    assert worst(found) <= 6e-3 and worst(kept) > 10 * worst(found), (found, kept)


def test_thinned_after_the_transform(tmp_path):
    """Every tenth sample, or one at an interval, is that of the whole trace: the same bytes."""
    whole = run(tmp_path, ROD)
    thin = json.loads(json.dumps(ROD))
    thin["outputs"]["traces"][0]["every"] = 10
    thin["solve"]["explicit"]["dt"] = whole.dt
    thinned = run(tmp_path, thin, name="thin")
    again = run(tmp_path, explicit(ROD, dt=whole.dt), name="again")
    for quantity, values in thinned.traces["rx"].items():
        assert np.array_equal(values, again.traces["rx"][quantity][..., ::10])


def test_sources_do_not_depend_on_the_end(tmp_path):
    """The energies of a run are those of a longer one as far as they go, bit by bit, and its traces to rounding."""
    short, long = (run(tmp_path, explicit(ROD, dt=0.04, end=end), name=name) for end, name in [(30, "short"), (75, "long")])
    work = short.energy["work"]
    assert work.max() > 0 and np.array_equal(work, long.energy["work"][:len(work)])
    values = short.traces["rx"]["velocity"]
    assert error(values, long.traces["rx"]["velocity"][..., :values.shape[-1]]) <= 1e-5


def frames_of(got):
    """times, displacement[frame, point and component]"""
    with h5py.File(got.folder / "field.vtkhdf") as file:
        times = file["VTKHDF/Steps/Values"][:]
        return times, file["VTKHDF/PointData/displacement"][:].reshape(len(times), -1)


@pytest.mark.parametrize("precision", ["double", "single"])
def test_last_samples_are_right(tmp_path, precision):
    """Records that end anywhere, in the middle of a wave too: all samples are those of a longer one, to 1e-7 of the largest; so are frames and
    energies, bit by bit, as far as they go."""
    def until(end, name):
        case = explicit(ROD, dt=0.04, end=end)
        return run(tmp_path, {**case, "outputs": {**case["outputs"], "field": {"interval": 13}}}, "--precision", precision, "--no-pictures", name=name)

    long = until(78, "long")
    for end in (4, 26.2, 41, 60):
        short = until(end, "short")
        assert short.summary["counts"]["steps"] == round(end / 0.04) and abs(short.summary["end_time"] - end) <= 1e-9
        assert len(short.time["rx"]) == round(end / 0.04) + 1
        for quantity, values in short.traces["rx"].items():
            whole = long.traces["rx"][quantity]
            assert np.abs(values - whole[..., :values.shape[-1]]).max() <= 1e-7 * np.abs(whole).max(), (end, quantity)
            if quantity == "displacement" and end in (26.2, 41):
                assert np.abs(values[1, 0, -1]) > 0.2 * np.abs(values[1]).max()
        samples_of = len(short.energy["work"])
        assert all(np.array_equal(short.energy[k], long.energy[k][:samples_of]) for k in short.energy)
        assert short.energy["time"][-1] <= end
        (times, frames), (_, of_long) = (frames_of(r) for r in (short, long))
        common = int(end // 13) + 1
        assert abs(times[-1] - end) <= 1e-9 and len(times) == common + (end % 13 > 0)
        assert np.array_equal(frames[:common], of_long[:common])


def test_shots_are_single_runs(tmp_path):
    """Shots with their own delays equal single runs, byte by byte; single precision too."""
    single = [{**ROD, "sources": [{**ROD["sources"][0], "delay": delay}]} for delay in (0, 7.5)]
    both = {**ROD, "sources": [], "shots": [c["sources"] for c in single]}
    for precision in ("double", "single"):
        shots = run(tmp_path, both, "--precision", precision, name="shots")
        for k, case in enumerate(single):
            alone = run(tmp_path, case, "--precision", precision, name="alone")
            for quantity, values in alone.traces["rx"].items():
                assert np.array_equal(shots.traces["rx"][quantity][k], values)


def stopped(folder, case):
    """A folder that SIGINT has left with a checkpoint, and the whole run."""
    whole = run(folder, case, name="whole")
    path = folder / "whole.json"
    for steps in (0.002, 0.005, 0.01):
        with subprocess.Popen([HOOKE, "run", path, "--output", folder / "part.hooke", "--force", "-q", "--no-pictures", "--precision", "double",
                               "--checkpoint", "0.001"], stderr=subprocess.PIPE) as process:
            while process.poll() is None and not (folder / "part.hooke/checkpoint.h5").exists():
                pass
            process.send_signal(2)
            process.wait()
        if (folder / "part.hooke/checkpoint.h5").exists() and process.returncode:
            return whole, folder / "part.hooke"
    raise AssertionError("the run was never stopped")


def go_on(folder, part):
    done = call("run", folder / "whole.json", "--output", part, "--restart", "-q", "--no-pictures", "--precision", "double")
    assert done.returncode == 0, done.stderr
    assert not (part / "computed.h5").exists()
    return (part / "run.h5").read_bytes()


def test_stopped_and_killed_runs_go_on_to_the_same_bytes(tmp_path):
    """A stopped run says that its traces are as computed; one that was killed while they were transformed is repaired."""
    case = explicit(ROD, end=1000)
    whole, part = stopped(tmp_path, case)
    with h5py.File(part / "computed.h5") as file:
        beyond = whole.summary["time_dispersion"]["steps_beyond_end"] - 1
        assert file["traces"].attrs["beyond_end"] == f"the last {beyond} samples, which the transform needs"
        assert file["traces/rx/time"].shape[0] == whole.summary["counts"]["steps"] + 1 + beyond
    bytes_of_whole = (whole.folder / "run.h5").read_bytes()
    assert samples(part) == "as computed" and samples(whole.folder) == "transformed"
    torn = shutil.copytree(part, tmp_path / "torn.hooke")
    with h5py.File(torn / "run.h5", "r+") as file:
        for values in file["traces/rx"].values():
            if values.ndim == 3:
                values[0, 0, :] = 7.0
    words = (torn / "run.h5").read_bytes()
    (torn / "run.h5").write_bytes(words.replace(b"as computed", b"in progress"))
    assert samples(torn) == "in progress"
    assert go_on(tmp_path, part) == bytes_of_whole
    assert go_on(tmp_path, torn) == bytes_of_whole


def test_computed_file_gone(tmp_path):
    """Without computed.h5 a run with a checkpoint does not go on."""
    _, part = stopped(tmp_path, explicit(ROD, end=1000))
    (part / "computed.h5").unlink()
    done = call("run", tmp_path / "whole.json", "--output", part, "--restart", "-q", "--precision", "double")
    assert done.returncode == 3 and "computed.h5" in done.stderr


OFF = {
    "time_dispersion: keep is given": explicit(ROD, time_dispersion="keep"),
    "initial displacements are given": {**ROD, "initial": [{"set": "left", "displacement": [0.1, 0]}]},
    "a prescribed displacement begins with a jump": {**ROD, "sources": [{"set": "left", "displacement": 1, "direction": [1, 0], "signal": "step"}]},
    "a signal changes over more than 2 million steps": explicit({**ROD, "sources": [
        {**ROD["sources"][0], "signal": {"table": {"time": [0, 1e7], "value": [0, 1]}}}]}, end=100000),
    "the elements are linear, and their error in space cancels part of that in time": {**ROD, "element": {"order": 1}},
    "the case requests no traces": {**ROD, "outputs": {"field": {"frames": 1}}},
}


@pytest.mark.parametrize("why", list(OFF))
def test_what_turns_it_off_is_told(tmp_path, why):
    """check and run.json say why time dispersion stays; a note where hooke decides it for a reason of the model."""
    path = tmp_path / "case.json"
    path.write_text(json.dumps(OFF[why]))
    done = call("check", path, "--json", "--precision", "double")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)["time_dispersion"]
    assert told["removed"] is False and told["why"] == why
    assert ("hooke does not remove time dispersion" in done.stderr) == (list(OFF).index(why) in (1, 2, 3))
    if "million" not in why:
        got = run(tmp_path, explicit(OFF[why], end=20))
        assert got.summary["time_dispersion"]["why"] == why and got.summary["time_dispersion"]["sources"] == "as given"


def test_asked_for_in_vain(tmp_path):
    """remove, where that cannot be, is a warning."""
    case = explicit(OFF["initial displacements are given"], end=5, time_dispersion="remove")
    assert any("hooke does not remove time dispersion" in w for w in run(tmp_path, case).summary["warnings"])


def test_check_foretells_the_phase(tmp_path):
    """(D.2): omega t (asin(x) / x - 1) over the path of 50 wavelengths, and a warning above 1 % where it is kept."""
    (tmp_path / "tube.json").write_text(json.dumps(TUBE))
    done = call("check", tmp_path / "tube.json", "--json")
    answer = json.loads(done.stdout)
    told = answer["time_dispersion"]
    x = np.pi * answer["highest_frequency"] * answer["dt"]
    path = 50 * 0.00296
    assert abs(told["path"] - path) <= 2e-3 * path and abs(told["time"] - told["path"] / WATER) <= 1e-6 * told["time"]
    phase = 2 * np.pi * answer["highest_frequency"] * told["time"] * (np.arcsin(x) / x - 1)
    assert abs(told["phase_error_computed"] - phase) <= 1e-3 * phase and told["phase_error"] == 0
    assert "arrive early" not in done.stderr
    (tmp_path / "tube.json").write_text(json.dumps(explicit(TUBE, time_dispersion="keep")))
    assert "arrive early" in call("check", tmp_path / "tube.json").stderr


PULLED = fem.mesh_deck(fem.grid("quad4", [80, 2], [20.0, 0.5]), {"LEFT": range(3), "RIGHT": range(240, 243)}) + "\n".join([
    "*MATERIAL, NAME=M", "*DENSITY", "1.", "*ELASTIC", "1., 0.25", "*SOLID SECTION, ELSET=BODY, MATERIAL=M",
    "*AMPLITUDE, NAME=A, DEFINITION=SMOOTH STEP", "0., 0., 2., 1., 4., 0.", "*STEP", "*DYNAMIC, EXPLICIT", ", 40.",
    "*CLOAD, AMPLITUDE=A", "LEFT, 1, 1.", "*OUTPUT, HISTORY, FREQUENCY=1", "*NODE OUTPUT, NSET=RIGHT", "U", "*END STEP", ""])


def test_decks_have_the_switch(tmp_path):
    """Decks step linear elements: traces are as computed, like those of other programs, unless --set asks for what case files may ask for."""
    key = "solve.explicit.time_dispersion"
    auto = run(tmp_path, PULLED)
    kept, removed = (run(tmp_path, PULLED, "--set", f"{key}={how}", name=how) for how in ("keep", "remove"))
    assert auto.summary["time_dispersion"]["why"].startswith("the elements are linear") and samples(auto.folder) == "as computed"
    assert kept.summary["time_dispersion"]["why"] == "time_dispersion: keep is given"
    assert removed.summary["time_dispersion"]["removed"] and samples(removed.folder) == "transformed"
    (name, values), = auto.traces.items()
    assert np.array_equal(values["displacement"], kept.traces[name]["displacement"])
    fine = run(tmp_path, PULLED.replace("*DYNAMIC, EXPLICIT\n, 40.", f"*DYNAMIC, EXPLICIT, DIRECT USER CONTROL\n{auto.dt / 20:.17g}, 40."), name="fine")
    reference = fine.traces[name]["displacement"][..., ::20][..., :values["displacement"].shape[-1]]
    assert error(removed.traces[name]["displacement"], reference) <= 1e-3
    assert error(values["displacement"], reference) > 5e-3
    done = call("run", tmp_path / "model.inp", "--set", f"{key}=never", "--output", tmp_path / "no.hooke")
    assert done.returncode == 2 and "there is no such value: give auto, remove or keep" in done.stderr


def pulse(folder, cells, **element):
    """The error of the pressure after 20 wavelengths of a tube, compared with the pulse of the source, and what was told."""
    h = 22 / cells
    case = {"units": "none", "mesh": {"rectangle": {"size": [22, h], "cells": [cells, 1]}}, "element": element,
            "materials": {"w": {"density": 1, "sound_speed": 1}}, "sources": [{"set": "left", "volume_rate": 1, "signal": {"ricker": {"frequency": 1}}}],
            "outputs": {"traces": [{"name": "rx", "at": [[20, h / 3]], "quantity": "pressure"}], "field": {"frames": 1}}, "solve": {"explicit": {"end": 21.5}}}
    got = run(folder, case)
    x = (np.pi * (got.time["rx"] - 21.2))**2
    exact = 2 / h * (1 - 2 * x) * np.exp(-x)  # two nodes, each with a volume rate of 1, on the height
    return error(got.traces["rx"]["pressure"][0, 0], exact), got.summary["notes"]


@pytest.mark.parametrize("cells, wanted, order", [(88, 0.01, 4), (44, 0.001, 7)])
def test_order_for_an_error(tmp_path, cells, wanted, order):
    """The order that is chosen keeps to the error, and the next lower one does not (d'Alembert's solution)."""
    got, notes = pulse(tmp_path, cells, error=wanted)
    assert any(f"order {order}: an error of" in note for note in notes), notes
    assert 1e-9 < got <= wanted < pulse(tmp_path, cells, order=order - 1)[0]


def test_error_that_no_order_keeps_to(tmp_path):
    (tmp_path / "case.yaml").write_text("""units: none
mesh: {rectangle: {size: [22, 1], cells: [22, 1]}}
element: {error: 0.001}
materials: {w: {density: 1, sound_speed: 1}}
sources: [{set: left, volume_rate: 1, signal: {ricker: {frequency: 1}}}]
solve: {explicit: {end: 21.5}}
""")
    for change, words in (((), "mesh it finer"), (("element.order=3",), "both given"), (("solve.explicit.end=1e30",), "end the run earlier"), (("mesh.rectangle.shape=tri",), "quadrilaterals and hexahedra")):
        done = call("check", tmp_path / "case.yaml", *(w for c in change for w in ("--set", c)))
        assert done.returncode == 3 and words in done.stderr, done.stderr
