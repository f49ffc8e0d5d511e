"""The stages of run.json are the whole run: they add up to the total, for every analysis and whatever a run writes."""
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(os.environ["HOOKE_SOURCE"]) / "tests/faults"))
from models import EXPLICIT, MODELS
from moments_of import stopped_at

TRANSIENT = """
mesh: {rectangle: {size: [2, 1], cells: [12, 6]}}
physics: heat
materials: {m: {conductivity: 1, density: 1, specific_heat: 1}}
boundary: [{set: left, temperature: 1}]
outputs: {field: {frames: 3}}
solve: {heat: {end: 0.4, dt: 0.05}}
"""
COUPLED = """
mesh: {rectangle: {size: [2, 1], cells: [12, 6]}}
units: none
materials: {m: {terms: [{diffusion: 2, reaction: 0.3}]}}
boundary: [{set: left, value: 1}]
solve: {coupled: {unknowns: [t]}}
"""
BOX = """
mesh: {box: {size: [1, 1, 1], cells: [7, 6, 5], shape: tet}}
materials: {m: {density: 1, young: 1, poisson: 0.3}}
sources: [{at: [0.5, 0.5, 0.5], force: 1, direction: [0, 0, 1], signal: {ricker: {frequency: 2}}}]
outputs: {traces: [{name: p, at: [[0.2, 0.3, 0.4]]}], field: {quantity: [displacement, velocity], frames: 3}}
solve: {explicit: {end: 1}}
"""
RUNS = {**{name: (text, ()) for name, text in MODELS.items()}, "transient heat": (TRANSIENT, ()), "coupled": (COUPLED, ()), "box": (BOX, ()),
        "frames as .vtu": (BOX, ("--field-format", "vtu")), "without pictures": (BOX, ("--no-pictures",)),
        "on two devices": (BOX, ("--device", "cpu,cpu")), "shots on two devices": (MODELS["shots"], ("--device", "cpu,cpu"))}


def said(folder):
    return json.loads((folder / "run.json").read_text())


def check_sums(run):
    """To 1 % of the total: every second has one name, and few have none."""
    seconds, stages = run["seconds"], run["stages"]
    total = seconds.pop("total")
    for parts in (seconds, stages):
        assert abs(sum(parts.values()) - total) <= 0.01 * total, (parts, total)
        assert all(part >= 0 for part in parts.values()), parts
    for name, part in seconds.items():  # each is its own stage and those below it
        below = sum(value for key, value in stages.items() if key.split("/")[0] == name)
        assert abs(below - part) <= 0.01 * total, (name, below, part)


@pytest.mark.parametrize("name", RUNS)
def test_stages_add_up(tmp_path, name):
    text, words = RUNS[name]
    (tmp_path / "m.yaml").write_text(text)
    done = subprocess.run([os.environ["HOOKE"], "run", tmp_path / "m.yaml", "--output", tmp_path / "m", "--threads", "2", "-q", *words], capture_output=True,
                          text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    run = said(tmp_path / "m")
    check_sums(run)
    assert {"read", "mesh", "assemble", "solve", "output/open", "output/close"} <= set(run["stages"])
    assert "--no-pictures" in words or {"output/pictures", "output/report"} <= set(run["stages"])


def processor_seconds(*words):
    """Of a command that ends well."""
    with subprocess.Popen([os.environ["HOOKE"], *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        _, state, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(state)
    assert process.returncode == 0
    return used.ru_utime + used.ru_stime


def test_no_time_is_lost(tmp_path):
    """One thread uses no more of a processor than passes of time: the total has nine tenths of it, but for what the program takes to begin."""
    larger = BOX.replace("[7, 6, 5]", "[32, 31, 30]").replace("end: 1}", "end: 3}").replace(", field: {quantity: [displacement, velocity], frames: 3}", "")
    (tmp_path / "m.yaml").write_text(larger)
    used = processor_seconds("run", tmp_path / "m.yaml", "--output", tmp_path / "m", "--threads", 1, "-q")
    begun = processor_seconds("--version")
    assert used > 10 * begun
    assert said(tmp_path / "m")["seconds"]["total"] >= 0.9 * (used - begun)


def test_stages_of_a_stopped_and_of_a_restarted_run_add_up(tmp_path):
    (tmp_path / "m.yaml").write_text(EXPLICIT["elastic"])
    words = [tmp_path / "m.yaml", "--output", tmp_path / "m", "-q"]
    assert stopped_at("checkpoint", 2, signal.SIGINT, *words).returncode == 130
    stopped = said(tmp_path / "m")
    assert stopped["stages"]["solve/checkpoint"] > 0
    check_sums(stopped)
    done = subprocess.run([os.environ["HOOKE"], "run", *words, "--restart"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    check_sums(said(tmp_path / "m"))
