"""The verbs on small models: results, exit codes, signals, progress."""
import gzip
import json
import os
import pty
import signal
import subprocess
import time

import pytest

from decks import strip
from moments import stop

HOOKE = os.environ["HOOKE"]


def hooke(*words, **more):
    return subprocess.run([HOOKE, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL, **more)


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "strip.inp").write_text(strip().replace("0., 0., 2e-6, 1., 4e-6, 0.", "0., 0., 3e-6, 1., 6e-6, 0."))
    return tmp_path


def solved(name="strip.inp", *words):
    done = hooke("run", name, "-q", *words)
    assert done.returncode == 0, done.stderr
    return done


def test_run_writes_its_folder_in_the_working_directory(tmp_path):
    (tmp_path / "sub").mkdir()
    done = hooke("run", "../strip.inp", cwd=tmp_path / "sub")
    assert done.returncode == 0, done.stderr
    assert {"run.json", "run.h5", "field.vtkhdf", "report.html"} <= set(os.listdir(tmp_path / "sub/strip.hooke"))
    assert "strip.hooke" in done.stdout


def test_quiet_run_says_nothing(tmp_path):
    done = solved()
    assert done.stdout == "" and done.stderr == ""


def test_compressed_deck_drops_both_suffixes(tmp_path):
    (tmp_path / "bar.inp.gz").write_bytes(gzip.compress(strip().encode()))
    solved("bar.inp.gz")
    assert json.loads((tmp_path / "bar.hooke/run.json").read_text())["status"] == "ok"


def test_json_on_stdout_is_run_json(tmp_path):
    printed = json.loads(solved("strip.inp", "--json").stdout)
    assert printed == json.loads((tmp_path / "strip.hooke/run.json").read_text())
    assert printed["counts"]["nodes"] == 42 and printed["counts"]["elements"] == 20


def test_seconds_of_a_run_foretell_the_next(tmp_path):
    """What steps took is kept for the same form, elements, precision and number of threads; else there is no prediction."""
    (tmp_path / "cache").mkdir()
    def run(*words):
        done = hooke("run", "strip.inp", "--force", "--json", "-q", "--no-pictures", "--device", "cpu", *words,
                     env=os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")})
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)
    before = run("--threads", "1")
    assert before["predicted_seconds"] is None
    assert run("--threads", "1")["predicted_seconds"] == pytest.approx(before["seconds"]["solve"], rel=1e-9)
    for words in (("--threads", "2"), ("--threads", "1", "--precision", "double"), ("--threads", "1", "--set", "solve.explicit.method=stored")):
        assert run(*words)["predicted_seconds"] is None


STILL = """mesh: {rectangle: {size: [1, 1], cells: 4}}
materials: {m: {young: 1, poisson: 0.3, conductivity: 1}}
%s
boundary: [{set: left, %s}, {set: right, %s}]
solve: {%s: {method: cg}}
"""
SHOTS = """mesh: {rectangle: {size: [1, 1], cells: 8}}
materials: {m: {density: 1, young: 1, poisson: 0.3}}
shots:
- {at: [0.5, 0.5], force: 1, direction: [1, 0], signal: {ricker: {frequency: 0.5}}}
- {at: [0.5, 0.5], force: 1, direction: [0, 1], signal: {ricker: {frequency: 0.5}}}
outputs: {traces: [{set: left, quantity: [displacement]}], field: {frames: 4, quantity: [displacement], shots: [2]}}
solve: {explicit: {end: 1}}
"""
MODELS = {"static": STILL % ("", "fix: [x, y]", "pressure: 1", "static"), "heat": STILL % ("physics: heat", "temperature: 0", "flux: 1", "heat"),
          "shots": SHOTS}


@pytest.mark.parametrize("kind", ["strip", *MODELS])
def test_every_second_has_a_stage(tmp_path, kind):
    """sum of seconds, and of stages = total within 2 %, which is not above the seconds of the command"""
    model = tmp_path / f"{kind}.yaml" if kind in MODELS else "strip.inp"
    if kind in MODELS:
        model.write_text(MODELS[kind])
    begin = time.monotonic()
    done = hooke("run", model, "--json", "-v", "--device", "cpu", "--threads", "1")
    whole = time.monotonic() - begin
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    seconds, stages = told["seconds"], told["stages"]
    total = seconds.pop("total")
    assert sum(seconds.values()) == pytest.approx(total, rel=0.02) and sum(stages.values()) == pytest.approx(total, rel=0.02)
    assert 0 < total < whole
    for name, value in seconds.items():
        parts = [s for path, s in stages.items() if path.split("/")[0] == name]
        assert value == pytest.approx(sum(parts), rel=0.02, abs=1e-9), name
    assert {"read/mesh", "mesh/numbering", "output/open", "output/pictures", "output/report"} <= set(stages)
    assert seconds["solve"] > 0


def test_verbose_run_tells_its_stages(tmp_path):
    """the lines after the summary add up to the total, to what a table to the millisecond leaves out"""
    said = hooke("run", "strip.inp", "-v", "--device", "cpu").stdout.split("seconds by stage:\n")[1].splitlines()
    rows = [(float(line.split()[0]), line.split("  ")[-1].strip()) for line in said]
    stages = json.loads((tmp_path / "strip.hooke/run.json").read_text())["stages"]
    assert rows[-1][1] == "total" and {name for _, name in rows[:-1]} <= set(stages)
    assert abs(sum(s for s, _ in rows[:-1]) - rows[-1][0]) <= 0.001 * (len(stages) + 1)


def test_finished_run_is_kept_without_force(tmp_path):
    solved()
    before = (tmp_path / "strip.hooke/run.json").read_bytes()
    again = hooke("run", "strip.inp")
    assert again.returncode != 0 and "--force" in again.stderr
    assert (tmp_path / "strip.hooke/run.json").read_bytes() == before
    solved("strip.inp", "--force")


def test_progress_off_a_terminal_is_a_line_each_tenth():
    lines = [line for line in hooke("run", "strip.inp").stderr.splitlines() if "step" in line and "%" in line]
    assert 1 <= len(lines) <= 11 and "\r" not in "".join(lines)


def test_progress_json_is_one_object_per_line():
    done = hooke("run", "strip.inp", "--progress", "json")
    objects = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    assert any(o["stage"] == "solve" and o["steps"] > 0 for o in objects)


def test_stages_are_told_as_they_begin_and_warnings_before_the_first_step(tmp_path):
    (tmp_path / "warned.inp").write_text((tmp_path / "strip.inp").read_text().replace("TYPE=CPE4", "TYPE=CPE4R")
                                         .replace("3e-6, 1., 6e-6", "4e-7, 1., 8e-7"))
    lines = hooke("run", "warned.inp", "--progress", "json").stderr.splitlines()
    said = [json.loads(line) if line.startswith("{") else line for line in lines]
    stages = list(dict.fromkeys(o["stage"] for o in said if isinstance(o, dict)))
    assert stages == ["read", "mesh", "assemble", "solve", "output", "pictures", "report"]
    first = next(i for i, o in enumerate(said) if isinstance(o, dict) and o["step"] > 0)
    warnings = [i for i, o in enumerate(said) if isinstance(o, str)]
    assert len(warnings) == 2 and max(warnings) < first, lines
    assert "hooke: assemble" in hooke("run", "warned.inp", "-v", "--force").stderr


def test_progress_none_says_nothing():
    assert hooke("run", "strip.inp", "--progress", "none").stderr == ""


def test_progress_on_a_terminal_rewrites_its_line():
    ours, theirs = pty.openpty()
    with subprocess.Popen([HOOKE, "run", "strip.inp"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=theirs) as run:
        os.close(theirs)
        text = b""
        try:
            while piece := os.read(ours, 4096):
                text += piece
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    assert run.returncode == 0 and b"\r" in text and b"%" in text


def test_no_color_is_obeyed_on_a_terminal(tmp_path):
    (tmp_path / "bad.inp").write_text("*NOED\n")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "NO_COLOR": "1", "TERM": "xterm"}
    subprocess.run([HOOKE, "check", "bad.inp"], stdout=subprocess.DEVNULL, stderr=theirs, env=environment)
    os.close(theirs)
    text = os.read(ours, 65536)
    os.close(ours)
    assert b"error:" in text and b"\033" not in text


def stepping(*words, out=subprocess.DEVNULL):
    """A run of long.inp that has begun to step; its result goes to `out`."""
    run = subprocess.Popen([HOOKE, "run", "long.inp", "--precision", "double", "--progress", "json", *words], stdin=subprocess.DEVNULL,
                           stdout=out, stderr=subprocess.PIPE, text=True)
    for line in run.stderr:
        if line.startswith("{") and json.loads(line)["step"] > 0:
            break
    return run


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signal_writes_a_checkpoint_and_restart_finishes(tmp_path, number, code):
    folder = tmp_path / "long.hooke"
    for end in ("2e-2", "8e-2", "32e-2"):  # as long as the run must be to be met under way
        (tmp_path / "long.inp").write_text(strip(200, end))
        with open(tmp_path / "told.json", "w") as out, stepping("--force", "--json", out=out) as run:
            run.send_signal(number)
            run.stderr.read()
        if run.returncode != 0:
            break
    assert run.returncode == code
    assert (folder / "checkpoint.h5").exists()
    assert json.loads((folder / "run.json").read_text())["status"] != "ok"
    told = json.loads((tmp_path / "told.json").read_text())
    assert told["exit_code"] == code and told["status"] == "stopped" and told["error"]
    assert hooke("run", "long.inp", "--precision", "double", "--restart", "-q").returncode == 0
    assert json.loads((folder / "run.json").read_text())["status"] == "ok"


def test_second_signal_ends_at_once(tmp_path):
    (tmp_path / "long.inp").write_text(strip(200, "0.2"))
    with stepping() as run:
        run.send_signal(signal.SIGINT)
        stop(run, signal.SIGTERM, within=2)
    assert run.returncode in (130, 143, -signal.SIGTERM, -signal.SIGINT)


def test_result_that_cannot_be_printed_exits_8():
    with open("/dev/full", "w") as full:
        done = subprocess.run([HOOKE, "run", "strip.inp", "--json", "-q"], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 8


def test_folder_that_cannot_be_made_exits_8():
    done = hooke("run", "strip.inp", "--output", "/dev/null/x", "--progress", "none")
    assert done.returncode == 8 and "/dev/null" in done.stderr


def test_folders_on_the_way_to_the_output_are_made(tmp_path):
    for folder in ("a/b/run", "a/c//run/", tmp_path / "d/e"):
        solved("strip.inp", "--output", folder)
        assert (tmp_path / folder / "run.json").exists()
    assert hooke("new", "plate", "f/g").returncode == 0 and (tmp_path / "f/g/plate.yaml").exists()


def test_folder_on_the_way_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("kept")
    done = hooke("run", "strip.inp", "--output", "file/b/run", "--progress", "none")
    assert done.returncode == 8 and "file/b/run: the folder cannot be made: file: Not a directory" in done.stderr
    assert hooke("new", "plate", "file").returncode == 8 and (tmp_path / "file").read_text() == "kept"


def test_absent_device_exits_5():
    done = hooke("run", "strip.inp", "--device", "cuda:77")
    assert done.returncode == 5 and "cuda" in done.stderr


@pytest.mark.parametrize("word", ["gpu", "CPU", "cuda:x", "opencl:-1", ""])
def test_device_that_is_no_word_exits_2_with_the_words(word):
    for verb in ("run", "check"):
        done = hooke(verb, "strip.inp", "--device", word)
        assert done.returncode == 2 and "auto, cpu, cuda" in done.stderr and "opencl" in done.stderr, (verb, done.stderr)


@pytest.mark.parametrize("verb", ["run", "check", "info"])
def test_missing_file_exits_3_and_is_named(verb):
    done = hooke(verb, "no_such.inp")
    assert done.returncode == 3 and "no_such.inp" in done.stderr and done.stdout == ""


def test_all_errors_are_shown_at_once_with_their_places(tmp_path):
    (tmp_path / "bad.inp").write_text(strip().replace("MATERIAL=STEEL", "MATERIAL=STEAL").replace("*CLOAD", "*CLOUD"))
    lines = (tmp_path / "bad.inp").read_text().splitlines()
    done = hooke("check", "bad.inp")
    assert done.returncode == 3
    for word in ("STEAL", "*CLOUD"):
        number = next(i for i, line in enumerate(lines, 1) if word in line)
        assert f"bad.inp:{number}: error:" in done.stderr.replace(f"{number}:1:", f"{number}:")
    assert "did you mean" in done.stderr


def test_check_says_what_a_run_will_take():
    done = hooke("check", "strip.inp", "--json")
    assert done.returncode == 0, done.stderr
    assert "memory" in done.stdout and "dt" in done.stdout
    json.loads(done.stdout)
    assert "dt" in hooke("check", "strip.inp").stdout


def test_strict_makes_warnings_an_error(tmp_path):
    (tmp_path / "mute.inp").write_text(strip(outputs=False))
    assert hooke("check", "mute.inp").returncode == 0
    assert hooke("check", "mute.inp", "--strict").returncode == 4


def test_overrides_are_for_case_files():
    assert hooke("check", "strip.inp", "--set", "nonsense=1").returncode in (2, 3)


def test_info_counts_a_deck_and_a_result():
    assert json.loads(hooke("info", "strip.inp", "--json").stdout)
    solved()
    assert hooke("info", "strip.hooke").returncode == 0


def test_mesh_keeps_its_counts_through_all_formats():
    chain = ["strip.inp", "a.msh", "b.vtu", "c.vtkhdf", "d.inp"]
    for source, target in zip(chain, chain[1:]):
        done = hooke("convert", source, target)
        assert done.returncode == 0, done.stderr
        assert "42 nodes, 20 elements" in done.stdout


def test_unknown_ending_exits_2():
    assert hooke("convert", "strip.inp", "a.stl").returncode == 2


def test_result_equals_itself_and_differs_from_another(tmp_path):
    solved()
    assert hooke("compare", "strip.hooke", "strip.hooke", "--tolerance", "1e-14").returncode == 0
    (tmp_path / "other.inp").write_text((tmp_path / "strip.inp").read_text().replace("1000.", "1001."))
    solved("other.inp")
    done = hooke("compare", "strip.hooke", "other.hooke", "--tolerance", "1e-6", "--json")
    assert done.returncode == 4
    assert json.loads(done.stdout)
    assert hooke("compare", "strip.hooke", "other.hooke", "--tolerance", "1e-2").returncode == 0
    for wrong in ("-1", "0", "nan", "1%"):
        assert hooke("compare", "strip.hooke", "other.hooke", f"--tolerance={wrong}").returncode == 2, wrong


def test_export_and_report_write_what_they_name(tmp_path):
    solved()
    done = hooke("export", "strip.hooke", "--csv", "--vtu", "--png")
    assert done.returncode == 0, done.stderr
    endings = {path.suffix for path in (tmp_path / "strip.hooke/export").rglob("*")}
    assert {".csv", ".vtu", ".png"} <= endings
    assert hooke("report", "strip.hooke", "--output", "r.html").returncode == 0
    assert "<html" in (tmp_path / "r.html").read_text()


def test_export_without_a_format_exits_2():
    assert hooke("export", "strip.hooke").returncode == 2


def test_devices_are_measured():
    device = json.loads(hooke("devices", "--json").stdout)[0]
    assert device["copy_gb_per_s"] > 0 and device["memory_bytes"] > 0


def test_every_device_gives_the_same_traces():
    for device in json.loads(hooke("devices", "--json").stdout)[1:]:
        assert "error" not in device, device
        for name, output in ("cpu", "host.hooke"), (device["device"], "device.hooke"):
            done = hooke("run", "strip.inp", "--device", name, "--precision", "double", "--output", output, "--force")
            assert done.returncode == 0, done.stderr
        done = hooke("compare", "host.hooke", "device.hooke", "--tolerance", "1e-10")
        assert done.returncode == 0, done.stdout


def test_selftest_passes():
    done = hooke("selftest", "--json")
    assert done.returncode == 0, done.stderr
    assert all(row["passed"] for row in json.loads(done.stdout))


@pytest.mark.parametrize("name", ["plate", "block", "weld", "bracket", "plume"])
def test_written_example_is_without_warnings(tmp_path, name):
    assert hooke("new", name).returncode == 0
    done = hooke("check", f"{name}.yaml", "--strict")
    assert done.returncode == 0, done.stderr


def undescribed(rule, path=""):
    """Keys of a schema without a description, at any depth."""
    for one in rule.get("anyOf", []):
        yield from undescribed(one, path)
    for key, inside in rule.get("properties", {}).items():
        if not (inside.get("description") or inside.get("anyOf", [{}])[0].get("description")):
            yield f"{path}.{key}"
        yield from undescribed(inside, f"{path}.{key}")
    for key in ("items", "additionalProperties"):
        if isinstance(rule.get(key), dict):
            yield from undescribed(rule[key], path)


def test_schema_of_case_files_describes_every_key():
    schema = json.loads(hooke("new", "--schema").stdout)
    assert {"mesh", "materials", "solve"} <= set(schema["properties"])
    assert list(undescribed(schema)) == []
    assert hooke("new", "--schema", "plate").returncode == 2


def test_file_that_is_not_there_is_named_once(tmp_path):
    for name in ("nothing.yaml", "nothing.inp", "nothing"):
        done = hooke("check", name)
        assert done.returncode == 3
        assert done.stderr == f"{name}: error: cannot be opened: No such file or directory\n"
