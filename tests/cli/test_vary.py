"""hooke vary: one run for each combination of values, a table of all, over several devices; wrong values, failures, stops."""
import csv
import json
import os
import pathlib
import signal
import subprocess
import time

import pytest

HOOKE = os.environ["HOOKE"]
CASE = """
mesh: {rectangle: {size: [1, 1], cells: [10, 10]}}
units: none
materials: {m: {density: 1, young: 1, poisson: 0.3}}
sources: [{at: [0.5, 0.5], force: 1, direction: [0, 1], signal: {ricker: {frequency: 4, t0: 0.3}}}]
outputs: {traces: [{name: a, quantity: velocity, at: [[0.21, 0.52]]}]}
solve: {explicit: {end: 0.5}}
"""


@pytest.fixture(autouse=True)
def case(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.yaml").write_text(CASE)


def vary(*words, code=0):
    done = subprocess.run([HOOKE, "vary", "c.yaml", *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == code, (done.returncode, done.stderr)
    return done


def table(folder="c.vary"):
    with open(f"{folder}/vary.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_every_combination_is_one_run_as_by_itself(tmp_path):
    done = vary("--over", "mesh.rectangle.cells=[10,10],[14, 12]", "--over", "solve.explicit.end=0.4:0.5:2", "--device", "cpu,cpu")
    rows = table()
    assert list(csv.DictReader(done.stdout.splitlines())) == rows
    assert [(r["mesh.rectangle.cells"], r["solve.explicit.end"]) for r in rows] == [
        ("[10,10]", "0.4"), ("[10,10]", "0.5"), ("[14, 12]", "0.4"), ("[14, 12]", "0.5")]
    for k, row in enumerate(rows):
        folder = f"c.vary/{row['folder']}"
        assert row["run"] == str(k + 1) and row["status"] == "ok" and row["exit_code"] == "0"
        sets = [word for key in ("mesh.rectangle.cells", "solve.explicit.end") for word in ("--set", f"{key}={row[key]}")]
        alone = subprocess.run([HOOKE, "run", "c.yaml", *sets, "--device", "cpu", "--output", "alone", "--force", "--no-pictures", "-q"])
        assert alone.returncode == 0
        for name in ["run.h5"]:
            assert (tmp_path / "alone" / name).read_bytes() == (tmp_path / folder / name).read_bytes()
        said = json.loads((tmp_path / folder / "run.json").read_text())
        assert float(row["nodes"]) == said["counts"]["nodes"] and float(row["end_time"]) == pytest.approx(said["end_time"])


def test_peaks_are_those_of_the_traces(tmp_path):
    h5py = pytest.importorskip("h5py")
    vary("--over", "materials.m.young=1,4")
    for row in table():
        with h5py.File(f"c.vary/{row['folder']}/run.h5") as file:
            assert float(row["peak traces/a/velocity"]) == pytest.approx(abs(file["traces/a/velocity"][()]).max(), rel=1e-6)


def test_peaks_are_those_of_all_results(tmp_path):
    h5py = pytest.importorskip("h5py")
    (tmp_path / "c.yaml").write_text("""
mesh: {rectangle: {size: [2, 1], cells: [4, 2]}}
units: none
materials: {m: {young: 1, poisson: 0.3}}
boundary: [{set: left, fix: [x, y]}]
sources: [{set: right, total_force: [1, 2]}]
solve: {static: {}}
""")
    vary("--over", "materials.m.young=1,4")
    for row in table():
        with h5py.File(f"c.vary/{row['folder']}/run.h5") as file:
            step = {f"peak static/0001/{k}": abs(v[()]).max() for k, v in file["static/0001"].items() if isinstance(v, h5py.Dataset)}
            assert {k.split("/")[-1] for k in step} == {"displacement", "strain", "stress", "reaction"}
            assert {k: float(v) for k, v in row.items() if k.startswith("peak")} == pytest.approx(step, rel=1e-11)


@pytest.mark.parametrize("words, told", [
    (["--over", "materials.m.young=1,2", "--set", "materials.m.young=5"], "--set materials.m.young=5: --over materials.m.young replaces it in every run"),
    (["--over", "materials.m={density: 1, young: 1, poisson: 0}", "--set", "materials.m.young=5"], "--over materials.m replaces it"),
    (["--over", "solve.explicit.end=0.1,0.2", "--over", "solve={explicit: {end: 0.3}}"], "--over solve replaces --over solve.explicit.end")])
def test_what_another_value_would_replace_is_refused(words, told):
    assert told in vary(*words, code=2).stderr


def test_a_key_beside_that_of_the_study_is_set():
    vary("--over", "materials.m.young=1,4", "--set", "materials.m.poisson=0", "--set", "solve.explicit.end=0.1")
    assert [float(row["end_time"]) for row in table()] == pytest.approx([0.1, 0.1])


@pytest.mark.parametrize("over, values", [("materials.m.young=1:2:3", ["1", "1.5", "2"]), ("solve.explicit.end=0.1:0.2:2", ["0.1", "0.2"]),
                                          ("solve.explicit.method=edges,\"stored\"", ["edges", '"stored"'])])
def test_values_are_lists_or_ranges(over, values):
    vary("--over", over)
    assert [row[over.split("=")[0]] for row in table()] == values


@pytest.mark.parametrize("values", ["200:400:2 ms", "200,400 ms", "200 ms,0.4 s"])
def test_numbers_share_a_unit(tmp_path, values):
    (tmp_path / "c.yaml").write_text(CASE.replace("units: none\n", ""))
    vary("--over", f"solve.explicit.end={values}")
    assert [float(row["end_time"]) for row in table()] == pytest.approx([0.2, 0.4])


def test_a_wrong_value_is_told_before_anything_runs(tmp_path):
    done = vary("--over", "materials.m.young=1,-2", code=3)
    assert "variation 2 of 2" in done.stderr and "young is -2" in done.stderr
    assert not (tmp_path / "c.vary").exists()


@pytest.mark.parametrize("words, text", [([], "needs --over"), (["--over", "a"], "KEY=VALUE"), (["--over", "a=1,,2"], "a value is empty"),
                                         (["--over", "a=1:2:1"], "2 to 9999 values"), (["--over", "a=1", "--over", "a=2"], "given twice"),
                                         (["--over", "a=1:2:999", "--over", "b=1:2:99"], "at most 9999")])
def test_wrong_words_end_in_2(words, text):
    assert text in vary(*words, code=2).stderr


def test_finished_runs_are_kept_and_another_study_is_refused(tmp_path):
    vary("--over", "materials.m.young=1,2")
    before = [(tmp_path / f"c.vary/000{k}/run.json").stat().st_mtime_ns for k in (1, 2)]
    (tmp_path / "c.vary/0002/run.json").unlink()
    vary("--over", "materials.m.young=1,2")
    after = [(tmp_path / f"c.vary/000{k}/run.json").stat().st_mtime_ns for k in (1, 2)]
    assert before[0] == after[0] and before[1] != after[1]
    done = vary("--over", "materials.m.young=1,3", "--json", code=8)
    assert "holds another study" in done.stderr and "holds another study" in json.loads(done.stdout)["error"]
    vary("--over", "materials.m.young=1,3", "--force")


def test_one_that_fails_is_told_at_the_end_and_others_go_on(tmp_path):
    os.makedirs("c.vary/0001")
    (tmp_path / "c.vary/0001/run.h5").write_text("of the user")
    done = vary("--over", "materials.m.young=1,2,3", code=8)
    assert [row["exit_code"] for row in table()] == ["8", "0", "0"]
    assert "run 1 (0001) ended with exit code 8: see c.vary/0001.txt" in done.stderr
    assert (tmp_path / "c.vary/0001/run.h5").read_text() == "of the user" and (tmp_path / "c.vary/0001.txt").read_text()


def test_a_stopped_study_is_continued(tmp_path):
    words = ["--over", "solve.explicit.end=1e5,0.2", "-q", "--json"]
    with subprocess.Popen([HOOKE, "vary", "c.yaml", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not (tmp_path / "c.vary/0001/run.json").exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        said = json.loads(process.communicate(timeout=300)[0])
        assert process.returncode == 143 == said["exit_code"] and said["status"] == "stopped"
    assert table()[0]["exit_code"] == "143" and table()[1]["exit_code"] == ""
    assert (tmp_path / "c.vary/0001/checkpoint.h5").exists()


def test_the_order_of_keys_is_part_of_a_study():
    """It numbers the runs: another order is another study, not the results of this one under other values."""
    words = ["--over", "materials.m.young=1,4"], ["--over", "solve.explicit.end=0.3,0.5"]
    vary(*words[0], *words[1])
    assert "holds another study" in vary(*words[1], *words[0], code=8).stderr


def test_another_study_leaves_nothing():
    """What it finished, and its checkpoints, are not taken for runs of the next one, also when that is stopped and goes on."""
    vary("--over", "materials.m.young=1,4")
    for name in ["run.json", "checkpoint.h5"]:
        pathlib.Path("c.vary/0002", name).write_text("{\"status\": \"ok\"}")
    vary("--over", "solve.explicit.end=0.3,0.5", "--force")
    assert [float(row["end_time"]) for row in table()] == pytest.approx([0.3, 0.5], rel=.05)


def test_no_device_is_told():
    assert "must be one of auto" in vary("--over", "materials.m.young=1,4", "--device", ",", code=2).stderr


def test_children_that_nobody_waits_for():
    """The command began with SIGCHLD ignored: it ends all the same."""
    done = subprocess.run([HOOKE, "vary", "c.yaml", "--over", "materials.m.young=1,4", "-q"], preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN), timeout=120,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == 0


@pytest.mark.parametrize("words, text", [(["--device", "cpu,cqu"], '--device "cqu": must be one of'), (["--precision", "half"], '--precision "half"'),
                                         (["--threads", "-1"], "--threads -1: must be 0 or more")])
def test_wrong_options_are_found_before_any_run(tmp_path, words, text):
    assert text in vary("--over", "materials.m.young=1,4", *words, code=2).stderr
    assert not (tmp_path / "c.vary").exists()


def test_json_is_the_table(tmp_path):
    os.makedirs("c.vary/0002")
    (tmp_path / "c.vary/0002/run.h5").write_text("of the user")
    said = json.loads(vary("--over", "materials.m.young=1,4", "--json", code=8).stdout)
    assert said["status"] != "ok" and said["exit_code"] == 8 and said["folder"] == "c.vary"
    rows = table()
    assert [r["values"] for r in said["runs"]] == [{"materials.m.young": r["materials.m.young"]} for r in rows]
    assert [r["exit_code"] for r in said["runs"]] == [0, 8] == [int(r["exit_code"]) for r in rows]
    first = said["runs"][0]
    for name, text in rows[0].items():
        if name not in ("materials.m.young", "folder", "status"):
            assert first[name] == pytest.approx(float(text), rel=1e-11), name
