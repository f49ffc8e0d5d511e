"""What the command says: nothing of a file is obeyed by a terminal or shown that is none of the model's, lines ascend, --json has errors too."""
import json
import os
import pty
import struct
import subprocess
import fcntl
import termios

import pytest

HOOKE = os.environ["HOOKE"]
DECK = """*NODE
1, 0., 0.
2, 1., 0.
3, 1., 1.
4, 0., 1.
*ELEMENT, TYPE=CPE4, ELSET=E
1, 1, 2, 3, 4
"""


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def hooke(*words):
    return subprocess.run([HOOKE, *words], capture_output=True, stdin=subprocess.DEVNULL, timeout=3000)


@pytest.mark.parametrize("verb", ["check", "info", "run", "convert", "partition"])
@pytest.mark.parametrize("text", ["*NODE\n\033[2J\033[31mfoo,1\n", "*N\033]0;x\007ODE\n", "*NODE, NSET=\u009b31m\n1, x\u202e\n"])
def test_nothing_of_a_file_is_obeyed_by_a_terminal(tmp_path, verb, text):
    name = "e\033[2J.inp"
    (tmp_path / name).write_text(text)
    done = hooke(verb, name, *(["out.msh"] if verb == "convert" else []))
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == 3 and "\\x1b[2J.inp" in said
    assert not [c for c in said if ord(c) < 32 and c != "\n" or 127 <= ord(c) < 160 or c == "\u202e"], said


@pytest.mark.parametrize("keyword", ["*INCLUDE, INPUT={}", "*NODE, INPUT={}", "*ELEMENT, TYPE=CPE4, INPUT={}", "*AMPLITUDE, NAME=A, INPUT={}"])
@pytest.mark.parametrize("secret", ["root:x:0:0:root:/root:/bin/bash", "-----BEGIN OPENSSH PRIVATE KEY-----", "* * * * * root /usr/bin/backup",
                                    "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW=", "password = hunter2"])
def test_lines_of_a_file_that_is_no_deck_are_not_shown(tmp_path, keyword, secret):
    (tmp_path / "secret").write_text(secret + "\n" + secret + "\n")
    (tmp_path / "d.inp").write_text(DECK + keyword.format("secret") + "\n*STEP\n*STATIC\n*END STEP\n")
    done = hooke("check", "d.inp")
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == 3 and "secret:1" in said
    assert not [word for word in secret.split() if len(word) > 4 and word in said], said


def test_a_table_that_is_none_is_not_shown(tmp_path):
    (tmp_path / "secret").write_text("root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1\n")
    (tmp_path / "c.yaml").write_text("""mesh: {rectangle: {size: [1, 1], cells: [2, 2]}}
materials: {m: {density: 1, young: 1, poisson: 0.3}}
sources: [{at: [0.5, 0.5], force: 1, direction: [1, 0], signal: {table: {file: secret}}}]
solve: {explicit: {end: 1}}
""")
    done = hooke("check", "c.yaml")
    assert done.returncode == 3 and b"secret:" in done.stderr and b"root" not in done.stderr and b"daemon" not in done.stderr


def test_an_included_deck_with_a_heading_is_read(tmp_path):
    (tmp_path / "part.inc").write_text("*HEADING\nmade by: me (http://x/y?z=1)\n** x: y\n*NSET, NSET=\"a set\"\n1, 2\n*NSET, NSET=P-1.B\n\"a set\"\n3\n")
    (tmp_path / "d.inp").write_text(DECK + "*INCLUDE, INPUT=part.inc\n")
    assert hooke("info", "d.inp").returncode == 0


def test_messages_of_a_file_ascend(tmp_path):
    (tmp_path / "d.inp").write_text(DECK + "*MATERIAL, NAME=M\n*ELASTIC\nx, 0.3\n*SOLID SECTION, ELSET=NO, MATERIAL=N\n*STEP\n*STATIC\n"
                                    "*BOUNDARY\nNOWHERE, 1\n*CLOAD\nNOTHERE, 1, 1.\n*END STEP\n*ELSET, ELSET=Q\n77\n")
    lines = [int(line.split(":")[1]) for line in hooke("check", "d.inp").stderr.decode().splitlines() if line.startswith("d.inp:")]
    assert len(lines) >= 3 and lines == sorted(lines)


@pytest.mark.parametrize("words", [["check", "bad.yaml"], ["run", "bad.yaml"], ["info", "none.inp"], ["export", "none", "--csv"],
                                   ["convert", "none.msh", "x.msh"], ["compare", "a", "b"], ["partition", "none.msh"], ["run", "none.inp"]])
def test_json_carries_errors(tmp_path, words):
    (tmp_path / "bad.yaml").write_text("mesh: {rectangle: {size: [1, 1], cells: [2, 2]}}\nmaterial: {}\nsolve: {explicit: {end: x}}\n")
    if "--json" not in hooke(words[0], "--help").stdout.decode():
        pytest.skip("has no --json")
    done = hooke(*words, "--json")
    told = json.loads(done.stdout)
    assert told["exit_code"] == done.returncode == 3 and told["status"] == "bad input" and told["error"]
    if words[-1] == "bad.yaml":
        assert {(m["file"], m.get("line"), m["severity"]) for m in told["messages"]} >= {("bad.yaml", 2, "error"), ("bad.yaml", 3, "error")}
        assert all(m["column"] > 0 and m["text"] for m in told["messages"] if m.get("line") and m["severity"] == "error")


PLATE = """mesh: {rectangle: {size: [1, 1], cells: [4, 4]}}
element: {order: 2}
materials: {m: {density: 1, young: 1, poisson: 0.3}}
sources: [{at: [0.5, 0.5], force: 1, direction: [1, 0], signal: {ricker: {frequency: 1}}}]
outputs: {traces: [{name: rx, at: [[0.2, 0.3]]}]}
solve: {explicit: {end: 1}}
"""


@pytest.mark.parametrize("words", [["check", "c.yaml", "--nonsense"], ["check", "--nonsense", "c.yaml"], ["check"], ["frobnicate"], ["check", "c.yaml", "--device", "foo"],
                                   ["check", "c.yaml", "--precision", "half"], ["run", "c.yaml", "--threads", "-3"], ["run", "c.yaml", "--progress", "x"],
                                   ["run", "c.yaml", "--checkpoint", "-1"], ["check", "c.yaml", "more"], ["compare", "a", "b", "--tolerance", "-2"],
                                   ["export", "a"], ["convert", "a"], ["bench", "nonsense"], ["devices", "--threads", "-1"], ["new", "x", "y", "z"]])
def test_json_carries_usage_errors(tmp_path, words):
    """Before and behind the word that is wrong, of verbs that have no --json too."""
    (tmp_path / "c.yaml").write_text(PLATE)
    for all_words in (words + ["--json"], words[:1] + ["--json"] + words[1:]):
        done = hooke(*all_words)
        told = json.loads(done.stdout)
        assert told["exit_code"] == done.returncode == 2 and told["status"] == "usage error" and told["error"]


def test_json_of_a_strict_check_carries_warnings(tmp_path):
    """The result and what went wrong in one object."""
    (tmp_path / "c.yaml").write_text(PLATE.replace("frequency: 1}", "frequency: 100}"))
    plain, strict = hooke("check", "c.yaml", "--json"), hooke("check", "c.yaml", "--json", "--strict")
    told, result = json.loads(strict.stdout), json.loads(plain.stdout)
    assert told["exit_code"] == strict.returncode == 4 and told["status"] == "check failed" and "--strict" in told["error"]
    assert "exit_code" not in result and told["dt"] == result["dt"] and told["counts"] == result["counts"]
    assert any(m["severity"] == "warning" for m in told["messages"])


HELD = PLATE.replace(", signal: {ricker: {frequency: 1}}", "").replace("outputs: {traces: [{name: rx, at: [[0.2, 0.3]]}]}\n", "boundary: [{set: left, fix: [x, y]}]\n")


@pytest.mark.parametrize("text, code, status", [
    ("units: none\ninitial: [{set: left, velocity: [1e38, 0]}]\n" + PLATE.replace("young: 1,", "young: 1e6,"), 6, "unstable"),
    (HELD.replace("explicit: {end: 1}", "static: {method: cg, preconditioner: jacobi, iterations: 1}"), 7, "not converged")])
def test_json_of_a_run_that_failed_carries_the_error(tmp_path, text, code, status):
    """With what the run has left; the numbers of the result are those of run.json."""
    (tmp_path / "c.yaml").write_text(text)
    done = hooke("run", "c.yaml", "--json", "--no-pictures", "--device", "cpu", "--precision", "single")
    told, result = json.loads(done.stdout), json.loads((tmp_path / "c.hooke/run.json").read_text())
    assert told["exit_code"] == done.returncode == code and told["status"] == result["status"] == status, done.stderr
    assert told["error"] and told["error"].encode() in done.stderr and isinstance(told["messages"], list)
    assert {k: told[k] for k in result} == result and told["counts"]["nodes"] == 81


def test_errors_name_a_line_or_none(tmp_path):
    """No line 0, and no count of one error."""
    (tmp_path / "c.yaml").write_text(PLATE.replace("young: 1,", "young: 1 kg,"))
    assert "(1 errors" not in json.loads(hooke("check", "c.yaml", "--json").stdout)["error"]
    (tmp_path / "c.yaml").write_text(PLATE + "absorb: [{kind: pml, sets: [left], thickness: 0.25}, {kind: stacey, sets: [left]}]\n")
    told = json.loads(hooke("check", "c.yaml", "--json").stdout)
    assert told["error"].startswith("c.yaml:7: faces of kind stacey meet"), told
    (tmp_path / "c.yaml").write_text(PLATE + "absorb: [{kind: pml, sets: [left], thickness: 2}]\n")
    assert json.loads(hooke("check", "c.yaml", "--json").stdout)["error"].startswith("c.yaml:7: the perfectly matched layer, 2")
    for name in ("c.yaml", "--set=mesh.rectangle.cells=x"):
        told = json.loads(hooke("check", "c.yaml", "--json", *([name] if name.startswith("--") else [])).stdout)
        assert ":0:" not in told["error"]


@pytest.mark.parametrize("columns", [20, 50, 200])
def test_the_line_of_progress_fits_the_terminal(tmp_path, columns):
    (tmp_path / "c.yaml").write_text("""mesh: {rectangle: {size: [1, 1], cells: [8, 8]}}
materials: {m: {density: 1, young: 1, poisson: 0.3}}
sources: [{at: [0.5, 0.5], force: 1, direction: [1, 0], signal: {ricker: {frequency: 1}}}]
solve: {explicit: {end: 20}}
""")
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 25, columns, 0, 0))
    with subprocess.Popen([HOOKE, "run", "c.yaml", "--no-pictures", "--device", "cpu"], stderr=theirs, stdout=subprocess.DEVNULL) as process:
        os.close(theirs)
        said = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:
                break
            if not part:
                break
            said += part
    lines = [line.split(b"\r")[-1] for line in said.split(b"\x1b[K") if b" %" in line]
    assert process.returncode == 0 and lines and max(map(len, lines)) < columns


def small_case(**more):
    return {"units": "none", "mesh": {"rectangle": {"size": [1, 1], "cells": [2, 2], "shape": "tri"}}, "materials": {"m": {"density": 1, "young": 1, "poisson": 0.3}},
            "solve": {"explicit": {"end": 1, "dt": 0.1}}, "outputs": {"field": {"frames": 40}}} | more


@pytest.mark.parametrize("case, words", [
    (small_case(), "field: 40 frames are asked for and there are 10 steps: each step is a frame"),
    (small_case(mesh={"map": {"mesh": {"box": {"size": [1, 1, 1], "cells": [1, 1, 2]}}, "x": "-x"}}), "all 2 elements are inverted, as in a mirror image"),
    ({k: v for k, v in small_case().items() if k != "outputs"} | {
        "physics": "heat", "materials": {"m": {"density": 1, "conductivity": 1, "specific_heat": 1}}, "element": {"order": 2},
        "solve": {"heat": {"end": 1, "dt": 0.1, "capacity": "lumped"}}}, "lumped is less accurate on elements of second order (tri6): give consistent"),
])
def test_what_was_silent_is_said(case, words):
    """More frames than steps, a mesh that a map mirrors, a lumped capacity of second order."""
    with open("model.json", "w", encoding="utf-8") as file:
        json.dump(case, file)
    said = hooke("check", "model.json").stderr.decode()
    assert words in said, said
