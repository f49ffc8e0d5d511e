"""What `hooke check` tells of the stages beside solving is what the last run like it took, in proportion to its nodes."""
import json
import os
import subprocess

import pytest

HOOKE = os.environ["HOOKE"]
WAVES = """
mesh: {{rectangle: {{size: [1, 1], cells: [{cells}, {cells}]}}}}
units: none
materials: {{m: {{density: 1, young: 1, poisson: 0.3}}}}
sources: [{{at: [0.4, 0.5], force: 1, direction: [0, 1], signal: {{ricker: {{frequency: 2}}}}}}]
outputs: {{traces: [{{name: a, at: [[0.1, 0.5]]}}]}}
solve: {{explicit: {{end: 0.5}}}}
"""
STATIC = """
mesh: {{rectangle: {{size: [1, 1], cells: [{cells}, {cells}]}}}}
units: none
materials: {{m: {{young: 1, poisson: 0.3}}}}
boundary: [{{set: left, fix: [x, y]}}, {{set: right, pressure: 1}}]
solve: {{static: {{}}}}
"""
HEAT = """
mesh: {{rectangle: {{size: [1, 1], cells: [{cells}, {cells}]}}}}
units: none
materials: {{m: {{conductivity: 1}}}}
boundary: [{{set: left, temperature: 0}}, {{set: right, flux: 1}}]
solve: {{heat: {{}}}}
"""


@pytest.fixture
def call(tmp_path):
    def called(verb, text, cells, *words):
        path = tmp_path / "case.yaml"
        path.write_text(text.format(cells=cells))
        words = [*words, "--output", tmp_path / "out", "--force"] if verb == "run" else words
        done = subprocess.run([HOOKE, verb, path, "--device", "cpu", "--json", *words], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")})
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)
    (tmp_path / "cache").mkdir()
    return called


def grow(ran, times):
    """Stages of so many times the nodes: a device opens as fast for all."""
    return {name: seconds * (1 if name.startswith("mesh/device") else times) for name, seconds in ran.items()}


def beside(ran):
    return {name: seconds for name, seconds in ran["stages"].items() if not name.startswith("solve") and not name.endswith("compile")}


@pytest.mark.parametrize("text", [WAVES, STATIC, HEAT], ids=["waves", "static", "heat"])
def test_stages_are_those_of_the_run_before(call, text):
    first = call("check", text, 40)
    assert first["seconds_beside"] is None and "stages" not in first
    ran = beside(call("run", text, 40))
    told = call("check", text, 40)
    assert told["stages"] == pytest.approx(ran, rel=1e-9) and ran["output/pictures"] > 0
    assert told["seconds_beside"] == pytest.approx(sum(ran.values()), rel=1e-9)


def test_stages_grow_with_the_nodes(call):
    ran = beside(call("run", WAVES, 40))
    grown = call("check", WAVES, 50)
    assert grown["stages"] == pytest.approx(grow(ran, 51**2 / 41**2), rel=1e-9)
    larger = call("check", WAVES, 100)  # of the next power of four
    assert larger["stages"] == pytest.approx(grow(ran, 101**2 / 41**2), rel=1e-9)
    assert "stages" not in call("check", WAVES, 200), "23 times the nodes"


@pytest.mark.parametrize("text", [STATIC, HEAT], ids=["static", "heat"])
def test_two_runs_tell_what_grows(call, text):
    """seconds at 121^2 nodes lie on the line through those at 10^2 and 41^2 nodes, and between those of 41^2 nodes and their multiple; of solving too"""
    small, ran = call("run", text, 9), call("run", text, 40)
    told = call("check", text, 120)
    stages = {name: (told["stages"][name], small["stages"][name], seconds) for name, seconds in beside(ran).items()}
    solving = [sum(seconds for name, seconds in run["stages"].items() if name.startswith("solve")) for run in (small, ran)]
    for name, (seconds, before, last) in {**stages, "solve": (told["seconds"], *solving)}.items():
        rate = 0 if name.startswith("mesh/device") else min(last / 41**2, max(0, (last - before) / (41**2 - 10**2)))
        assert seconds == pytest.approx(last + rate * (121**2 - 41**2), rel=1e-9), name


def test_other_runs_have_stages_of_their_own(call):
    call("run", WAVES, 40)
    for words in (["--precision", "double"], ["--threads", "1"], ["--set", "solve.explicit.method=stored"]):
        assert "stages" not in call("check", WAVES, 40, *words), words


def test_a_run_without_pictures_leaves_what_is_known_of_pictures(call):
    drawn = beside(call("run", WAVES, 40))
    ran = beside(call("run", WAVES, 50, "--no-pictures"))
    told = call("check", WAVES, 50)["stages"]
    for name in ("output/pictures", "output/report"):
        assert told[name] == pytest.approx(drawn[name] * 51**2 / 41**2, rel=1e-9)
    assert told["assemble"] == pytest.approx(ran["assemble"], rel=1e-9)


def test_a_broken_record_is_as_good_as_none(call, tmp_path):
    call("run", WAVES, 40)
    assert call("check", WAVES, 40)["stages"]
    kept = {path: path.read_bytes() for path in (tmp_path / "cache").rglob("*") if path.is_file()}
    assert kept
    for broken in (lambda data: b"", lambda data: data[:len(data) // 2], lambda data: data[:-1] + bytes([data[-1] ^ 1]), lambda data: b"{" * len(data)):
        for path, data in kept.items():
            path.write_bytes(broken(data))
        assert call("check", WAVES, 40)["seconds_beside"] is None
    for path, data in kept.items():
        path.write_bytes(data)
    assert call("check", WAVES, 40)["stages"]
