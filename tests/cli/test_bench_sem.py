"""hooke bench sem: a row for each order, geometry, state, loop and precision; what its figures add up to."""
import json

import pytest
from test_bench import draw, has, hooke, QUICK


def test_sem_has_every_order_geometry_and_state(tmp_path):
    done = hooke("bench", "sem", "rates", "elastic", "p1", "p4", "--json", "-q", *QUICK[:4], "--seconds", "0.001", "--scale", "0.001", "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    rows = [row for row in json.loads(done.stdout)["rows"] if row["table"] == "rates"]
    states = {("single", "increments"), ("single", "positions"), ("double", "positions")}
    assert {(row["dimension"], row["order"], row["method"], row["precision"], row["state"]) for row in rows} == {
        (dim, p, way, *state) for dim in (2, 3) for p in (1, 4) for way in ("affine", "straight", "curved") for state in states}
    for row in rows:
        cells = round((row["elements"]) ** (1 / row["dimension"]))
        assert row["dofs"] == row["dimension"] * (cells * row["order"] + 1) ** row["dimension"]
        assert row["gdof_per_s"] == pytest.approx(row["dofs"] / row["seconds_per_step"] * 1e-9, rel=1e-4)
        assert ("specfem2d_gdof_per_s" in row) == (row["dimension"] == 2 and row["order"] == 4)
    assert hooke("bench", "sem", "p11", "--output", tmp_path).returncode == 2


def test_attenuation_is_measured_beside_elastic_steps(tmp_path):
    """The bytes are counted here: each step reads and writes 9 (3D: 18) numbers a point and three more for each row of points."""
    done = hooke("bench", "sem", "attenuation", "p2", "--json", "-q", *QUICK[:4], "--seconds", "0.001", "--scale", "0.001", "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert [(row["dimension"], row["precision"], row["method"]) for row in rows] == [
        (dim, precision, method) for dim in (2, 3) for precision in ("single", "double") for method in ("straight", "attenuation")]
    for elastic, row in zip(rows[::2], rows[1::2]):
        d, real = row["dimension"], 4 if row["precision"] == "single" else 8
        state = (row["elements"] + 7) // 8 * 8 * 3**(d - 1) * (3 * (9 if d == 2 else 18) + 3) * real
        assert row["bytes"] - elastic["bytes"] == pytest.approx(2 * state, rel=0.2) and row["bytes"] > elastic["bytes"] + 2 * state
        assert row["bytes_over_elastic"] == pytest.approx(row["bytes"] / elastic["bytes"]) and row["over_elastic"] > 0


def test_sem_stages_have_every_way_and_lane(tmp_path):
    """Loops in scalars leave few accesses, as in the paper's Table 1; points computed are (p + 1)^2 per element."""
    done = hooke("bench", "sem", "stages", "products", "p2", "p3", "--json", "-q", *QUICK[:2], "--threads", "2", "--seconds", "0.001", "--scale", "0.001",
                 "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    rows = [row for row in json.loads(done.stdout)["rows"] if row["table"] == "stages"]
    ways = ("as found", "memory layout", "loops")
    assert {(row["order"], row["method"], row["lanes"]) for row in rows if row["host_threads"] == 1} == {
        (p, way, lanes) for p in (2, 3) for way in ways for lanes in (1, 2, 4, 8) if way == "loops" or lanes in (1, 8)}
    assert {(row["method"], row["lanes"]) for row in rows if row["host_threads"] == 2} == {("loops", 1), ("loops", 8)}
    for row in rows:
        assert row["computed"] == row["elements"] * (row["order"] + 1) ** 2 and row["gdof_per_s"] > 0
    of = {row["method"]: row for row in rows if row["order"] == 2}
    assert of["loops"]["intensity"] > 10 * of["memory layout"]["intensity"]
    assert of["as found"]["operations"] > of["memory layout"]["operations"]
    assert [of[way]["paper_operations"] for way in ways] == [432, 360, 369]
    assert "stages_gdof_per_s_cpu.png" in draw(tmp_path)
    ours = [row for row in json.loads(done.stdout)["rows"] if row["table"] == "product"]
    assert {(row["order"], row["method"], row["host_threads"]) for row in ours} == {
        (p, way, n) for p in (2, 3) for way in ("slots", "colours") for n in (1, 2)}
    for row in ours:
        assert row["paper_gdof_per_s"] > 0
        assert row["over_paper"] == pytest.approx(row["gdof_per_s"] / row["paper_gdof_per_s"], rel=1e-3)
        assert row.get("colours") == (4 if row["method"] == "colours" else None)


def test_sem_stages_of_all_threads_alone(tmp_path):
    done = hooke("bench", "sem", "stages", "whole", "2d", "p2", "--json", "-q", "--device", "cpu", "--threads", "3", "--seconds", "0.001", "--scale", "0.0002",
                 "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    assert {row["host_threads"] for row in json.loads(done.stdout)["rows"]} == {3}


def test_sem_precision(tmp_path):
    """Single precision is double to 0.1 % after 5000 steps, in both states (Carrascal-Manzanares et al., 4.1)."""
    done = hooke("bench", "sem", "precision", "2d", "p3", "--json", "-q", *QUICK[:6], "--scale", "0.05", "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert {(row["case"], row["method"], row["steps"]) for row in rows} == {
        (f"2D {what}, p = 3", state, n) for what in ("elastic", "acoustic") for state in ("increments", "positions") for n in (500, 5000)}
    assert all(0 < row["error"] <= (1e-4 if row["steps"] == 500 else 1e-3) for row in rows)


def test_sem_sets(tmp_path):
    """Instruction sets of which the bench has kernels: the loops by their lanes; the sums of a product are theirs (device/test_stages)."""
    done = hooke("bench", "sem", "sets", "p2", "--json", "-q", *QUICK[:2], "--threads", "2", "--seconds", "0.001", "--scale", "0.001", "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    if not rows:
        pytest.skip("built without HOOKE_BENCH_SETS")
    lanes = {(row["instruction_set"], row["lanes"]) for row in rows}
    assert {("x86_sse4_2", 1), ("x86_sse4_2", 4)} <= lanes
    assert {row["host_threads"] for row in rows if row["instruction_set"] == "x86_sse4_2"} == {1, 2}
    assert all(row["cycles_per_point"] > 0 and row["method"] == "loops" for row in rows)


@pytest.mark.parametrize("device, dims, physics", [("cpu", (2, 3), ("elastic", "acoustic")), ("opencl", (2,), ("elastic",))])
def test_sem_scatter_has_slots_and_colours(tmp_path, device, dims, physics):
    """4 colours in 2D, 8 in 3D; the ratio is that of the rates."""
    if not has(device):
        pytest.skip("no OpenCL")
    words = [f"{d}d" for d in dims] + list(physics)
    done = hooke("bench", "sem", "scatter", "p2", *words, "--json", "-q", "--device", device, "--threads", "1", "--seconds", "0.001", "--scale", "0.001",
                 "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    rows = [row for row in json.loads(done.stdout)["rows"] if row["table"] == "scatter" and row["order"] == 2]
    assert {(row["case"], row["precision"], row["method"], row.get("colours")) for row in rows} == {
        (f"{d}D {what}, p = 2", real, way, 2**d if way == "colours" else None)
        for d in dims for what in physics for real in ("single", "double") for way in ("slots", "colours")}
    for slots, colours in zip(rows[::2], rows[1::2]):
        rate = "own_gdof_per_s" if device == "cpu" else "gdof_per_s"
        assert colours["over_slots"] == pytest.approx(colours[rate] / slots[rate], rel=1e-3)


def test_sem_bp5_and_acoustic_rates(tmp_path):
    done = hooke("bench", "sem", "bp5", "rates", "acoustic", "3d", "p2", "--json", "-q", *QUICK[:4], "--seconds", "0.001", "--scale", "0.002",
                 "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    problem = {row["method"]: row for row in rows if row["table"] == "bp5"}
    assert set(problem) == {"stored", "recomputed"}
    for row in problem.values():
        assert row["dofs"] == (2 * round(row["elements"] ** (1 / 3)) + 1) ** 3 and row["precision"] == "double"
        assert row["gdof_per_s"] > 0 and row["cg_gdof_per_s"] != 0 and row["libceed_gdof_per_s"] == 0.024
    rates = [row for row in rows if row["table"] == "rates"]
    assert len(rates) == 9 and all("acoustic" in row["case"] and row["dofs"] == problem["stored"]["dofs"] for row in rates)
