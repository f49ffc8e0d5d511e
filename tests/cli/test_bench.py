"""hooke bench: the tables have every row, and each form of K steps to the same traces."""
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from decks import strip

HOOKE = os.environ["HOOKE"]
QUICK = ("--device", "cpu", "--threads", "1", "--seconds", "0.005", "--trace-seconds", "0.7")


def hooke(*words):
    return subprocess.run([HOOKE, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL)


@functools.cache
def has(device):
    """Whether the machine has the device: asked once, for the command measures the memory of each that it lists."""
    return f'"device": "{device}' in hooke("devices", "--json").stdout


def draw(folder):
    """The names of the pictures that bench/draw.py makes of a folder of results."""
    before = set(folder.glob("*.png"))
    subprocess.run([sys.executable, pathlib.Path(os.environ["HOOKE_SOURCE"]) / "bench/draw.py", folder], check=True)
    return {path.name for path in set(folder.glob("*.png")) - before}


def rows_of(*words):
    done = hooke("bench", "pogo", "--json", "-q", *QUICK, *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["rows"]


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    return folder, rows_of("--scale", "0.002", "--output", folder / "pogo")


def test_generated_models_give_every_table(generated):
    folder, rows = generated
    for case in ("weld", "gear", "geophysics"):
        of_case = [row for row in rows if row["case"] == f"{case} rectangle"]
        assert (folder / f"pogo/{case}.yaml").exists()
        blocks = {row["method"]: row for row in of_case if row["table"] == "2" and "partition_seconds" in row}
        assert {"aligned", "greedy"} <= set(blocks)
        assert all(0.3 < row["efficiency"] <= 1 for row in blocks.values())
        steps = {(row["method"], row["precision"]): row for row in of_case if "seconds_per_step" in row}
        for precision in ("single", "double"):
            for method in ("stored", "blocks, aligned", "blocks, greedy"):
                row = steps[method, precision]
                assert row["seconds_per_step"] > 0 and row["bytes"] > 0
                assert row["gdof_per_s"] == pytest.approx(row["dofs"] / row["seconds_per_step"] * 1e-9, rel=1e-4)
        assert steps["blocks, aligned", "double"]["paper_stepping_seconds"] > 40


PARTS = {f"bytes_{part}" for part in ("u_previous", "u_current", "block_links", "u_linked", "c", "source_pointers", "fixed_conditions",
                                      "link_pointers", "k", "u_next")}


def test_lines_of_table_a5_add_up_to_the_bytes_of_a_step(generated):
    """The lines are counted from the partition, the bytes by the operator from its matrix."""
    rows = [row for row in generated[1] if row["method"].startswith("blocks") and "bytes" in row]
    assert {row["table"] for row in rows} == {"2", "sweep"}
    for row in rows:
        assert sum(row[part] for part in PARTS) == row["bytes"], row
        assert all(row[part] > 0 for part in PARTS)


def test_sweep_has_steps_of_every_size(generated):
    for case in ("weld", "gear", "geophysics"):
        for precision in ("single", "double"):
            rows = [r for r in generated[1] if r["table"] == "sweep" and r["case"] == f"{case} rectangle" and r["precision"] == precision]
            assert [row["block_size"] for row in rows] == [64, 128, 256, 512, 1024, 2048]
            for row in rows:
                assert row["seconds_per_step"] > 0 and 2 < row["links"] <= 12
                assert row["efficiency"] == pytest.approx(row["dofs"] / 2 / (row["blocks"] * row["block_size"]), rel=1e-5)


def test_curve_of_the_sweep(generated):
    assert {"sweep_cpu.png"} <= draw(generated[0] / "pogo")


def test_words_choose_what_is_measured(tmp_path):
    (tmp_path / "bar.inp").write_text(strip(40))
    rows = rows_of("--output", tmp_path / "out", tmp_path / "bar.inp", "blocks")
    assert {row["table"] for row in rows} == {"1", "2"} and not any("seconds_per_step" in row for row in rows)
    rows = rows_of("--output", tmp_path / "out", "sweep", tmp_path / "bar.inp")
    assert "sweep" in {row["table"] for row in rows} and not any(row["table"] == "discrepancy" for row in rows)


def test_solids_are_boxes_of_tetrahedra_and_of_hexahedra(tmp_path):
    """By rows, by elements and in blocks, in both precisions; lines of Table A.5 add up; each form has the traces of the default."""
    rows = rows_of("--output", tmp_path / "out", "--scale", "0.002", "solids")
    assert {row["case"] for row in rows} == {"box tet", "box hex"}
    for case in ("box tet", "box hex"):
        of_case = [row for row in rows if row["case"] == case]
        steps = {(row["method"], row["precision"]) for row in of_case if row["table"] == "2" and "seconds_per_step" in row}
        assert {method for method, _ in steps} == {"stored", "matrix-free", "blocks, greedy", "blocks, bisection"} and len(steps) == 8
        sizes = {row["block_size"] for row in of_case if row["table"] == "sweep"}
        assert {64, 128, 256, 512, 1024, 2048} == sizes
        for row in of_case:
            if row["method"].startswith("blocks") and "bytes" in row:
                assert sum(row[part] for part in PARTS) == row["bytes"], row
            if row["table"] == "discrepancy":
                assert row["discrepancy"] <= (1e-10 if row["precision"] == "double" else 1e-3), row


def test_no_discrepancy_where_no_signal_has_arrived(tmp_path):
    """The first 1 % of the time, before the waves are at a receiver."""
    words = ("--scale", "0.002", "--output", tmp_path / "out", "traces", "--seconds", "0.005", "--trace-seconds")
    done = hooke("bench", "pogo", "--device", "cpu", "--threads", "1", "--json", *words, "0.002")
    assert done.returncode == 0, done.stderr
    assert not [row for row in json.loads(done.stdout)["rows"] if row["table"] == "discrepancy" and row["case"].startswith("weld")]
    assert "no receiver has a signal" in done.stderr


def test_traces_of_each_form_agree(generated):
    folder, rows = generated
    found = [row for row in rows if row["table"] == "discrepancy"]
    assert len(found) == 9
    for row in found:
        assert row["discrepancy"] <= (1e-10 if row["precision"] == "double" else 1e-3), row
    assert len(list((folder / "pogo").glob("*-*.png"))) == 9


def test_a_model_of_the_user(tmp_path):
    (tmp_path / "bar.inp").write_text(strip(40))
    rows = rows_of("--output", tmp_path / "out", tmp_path / "bar.inp")
    assert {row["case"] for row in rows} == {"bar"}


def test_table_for_people(tmp_path):
    (tmp_path / "bar.inp").write_text(strip(40))
    done = hooke("bench", "pogo", *QUICK, "--output", tmp_path / "out", tmp_path / "bar.inp")
    assert done.returncode == 0 and "blocks, aligned" in done.stdout, done.stderr


def test_unknown_bench_and_missing_model(tmp_path):
    assert hooke("bench", "pego", "--output", tmp_path / "out").returncode == 2
    assert hooke("bench", "integration", *QUICK[:6], "--output", tmp_path / "out", tmp_path / "none.inp").returncode == 2
    done = hooke("bench", "pogo", *QUICK, "--output", tmp_path / "out", tmp_path / "none.inp")
    assert done.returncode == 3 and "none.inp" in done.stderr


def test_the_benches_are_a_program_beside_the_command(tmp_path):
    """Where it is not installed, words say what to do; through a link to the command it is found."""
    alone = shutil.copy(HOOKE, tmp_path / "hooke")
    where = {**os.environ, "LD_LIBRARY_PATH": str(pathlib.Path(HOOKE).parent)}
    done = subprocess.run([alone, "bench", "pogo"], capture_output=True, text=True, env=where)
    assert done.returncode == 2 and f"{tmp_path}/hooke-bench is not there: install the package hooke-bench" in done.stderr
    assert subprocess.run([alone, "devices", "-q"], capture_output=True, env=where).returncode == 0
    (tmp_path / "link").symlink_to(HOOKE)
    done = subprocess.run([tmp_path / "link", "bench", "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "Usage: hooke bench NAME [MODEL ...] [options]" in done.stdout


def test_python_asks_the_program(tmp_path):
    """Values, progress and errors of hooke.bench are those of the command."""
    import hooke as package
    told = []
    options = {"device": "cpu", "threads": 1, "seconds": 0.005, "output": tmp_path / "out"}
    answer = package.bench("integration", ["tables", "p2"], progress=told.append, **options)
    assert answer["bench"] == "integration" and "messages" not in answer
    assert {row["table"] for row in answer["rows"]} == {"1, 2", "3", "4"}
    package.bench("integration", ["times", "single", "p1"], scale=1e-4, progress=told.append, **options)
    assert "order 1: points, single, cpu" in told
    with pytest.raises(package.Usage, match="unknown word p9"):
        package.bench("integration", ["p9"], **options)
    with pytest.raises(package.BadInput, match="none.inp") as caught:
        package.bench("pogo", [tmp_path / "none.inp"], **options)
    assert [m.severity for m in caught.value.messages].count("error") <= 1


def test_assembly_has_every_stage_format_and_way(tmp_path):
    done = hooke("bench", "assembly", "--json", "-q", *QUICK[:4], "--seconds", "0.001", "--scale", "0.0003", "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    for case in ("box hex20", "box tet4", "box tet10"):
        of_case = [row for row in rows if row["case"] == case]
        for form in ("node blocks", "COO", "CSR", "ELL"):
            methods = {row["method"] for row in of_case if row["format"] == form}
            assert {"stage 1, neighbours", "stage 2, indices", "stage 3, values", "stages 1 to 3"} <= methods
        for form in ("node blocks", "ELL"):
            ways = {row["method"]: row for row in of_case if row["table"] == "figures 12, 17" and row["format"] == form}
            assert {"same kernel", "separate kernels", "SharedNZ", "colours"} < set(ways)
            assert ways["colours"]["colours"] >= 8
        assert {row["precision"] for row in of_case if row["method"] == "product"} == {"single", "double"}
        assert [row["fresh_seconds"] > 0 for row in of_case if row["method"] == "refill with factors"] == [True]
        assert_shares(of_case)
        assert_stages(of_case)
    assert all(row["seconds"] >= 0 for row in rows)
    assert any(row.get("paper_seconds") for row in rows)
    assert {row["case"] for row in rows if row.get("paper_nodes") == 2000000} == {"tube hex20 2000000 nodes"}


def assert_stages(rows):
    """What a stage keeps it has written, and more; the parts are not more than the whole; the bandwidth is read and written bytes by time."""
    for whole in (row for row in rows if row["method"] == "stages 1 to 3"):
        stages = [row for row in rows if row["method"].startswith("stage ") and (row["format"], row["precision"]) == (whole["format"], whole["precision"])]
        assert [row["method"][:7] for row in stages] == ["stage 1", "stage 2", "stage 3"]
        for row in stages:
            assert row["bytes"] > row["memory_bytes"] > 0, row
            assert row["gb_per_s"] == pytest.approx(1e-9 * row["bytes"] / row["kernel_seconds"], rel=1e-4)
        assert stages[0]["kernel_seconds"] <= stages[0]["seconds"]
        assert stages[2]["memory_bytes"] == whole["value_bytes"] + whole["scratch_bytes"]
        assert stages[2]["bytes"] >= whole["value_bytes"] + 2 * whole["scratch_bytes"]
        assert sum(row["memory_bytes"] for row in stages) < whole["bytes"]


def test_assembly_of_a_plan(tmp_path):
    """A plane mesh is drawn out: 18 x 4 cells of 10 mm in a layer, held around the origin and pulled at the pin."""
    nodes = [(x, y) for y in range(-20, 21, 10) for x in range(-30, 151, 10)]
    quads = [(n, n + 1, n + 20, n + 19) for n in (19 * j + i + 1 for j in range(4) for i in range(18))]
    plan = tmp_path / "rod_small.msh"
    plan.write_text("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n95\n" + "".join(f"{k} {x} {y} 0\n" for k, (x, y) in enumerate(nodes, 1))
                    + "$EndNodes\n$Elements\n72\n" + "".join(f"{e} 3 2 1 1 {a} {b} {c} {d}\n" for e, (a, b, c, d) in enumerate(quads, 1)) + "$EndElements\n")
    done = hooke("bench", "assembly", "--json", "-q", *QUICK[:4], "--seconds", "0.001", "--output", tmp_path / "out", plan)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert {(row["case"], row["dofs"], row["elements"]) for row in rows} == {("rod_small", 3 * (2 * (95 + 166) + 95), 72)}
    assert {row["table"] for row in rows} == {"5", "2, 4", "figure 16"}
    assert_shares(rows)
    assert_stages(rows)
    plan.write_text(plan.read_text().replace("\n72\n1 3 2 1 1 1 2 21 20\n", "\n72\n1 2 2 1 1 1 2 21\n"))
    done = hooke("bench", "assembly", *QUICK[:6], "--output", tmp_path / "out", plan)
    assert done.returncode == 3 and "plane mesh of quadrilaterals" in done.stderr


def test_assembly_words_choose_bodies(tmp_path):
    done = hooke("bench", "assembly", "tubes", "host", "--json", "-q", *QUICK[:4], "--seconds", "0.001", "--scale", "0.0001", "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert len({row["case"] for row in rows}) == 10 and all(row["case"].startswith("tube") for row in rows)


def assert_shares(rows):
    """Both solvers reach 1e-8, and the parts are the whole."""
    shares = {row["method"]: row for row in rows if row["table"] == "figure 16"}
    assert set(shares) == {"solve, jacobi", "solve, default"}
    assert shares["solve, jacobi"]["solver"] == "cg, jacobi"
    for row in shares.values():
        assert row["converged"] and row["residual"] <= 1e-8 and row["iterations"] > 0, row
        assert row["seconds"] == pytest.approx(row["matrix_seconds"] + row["setup_seconds"] + row["solve_seconds"], rel=1e-4)
        assert row["matrix_share"] == pytest.approx(row["matrix_seconds"] / row["seconds"], rel=1e-4)


def test_assembly_of_a_deck(tmp_path):
    deck = pathlib.Path(os.environ["HOOKE_SOURCE"]) / "examples/rod/rod_hex20.inp.gz"
    done = hooke("bench", "assembly", "--json", "-q", *QUICK[:4], "--seconds", "0.001", "--output", tmp_path, deck)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert {(row["case"], row["dofs"], row["elements"]) for row in rows} == {("rod_hex20", 15363, 876)}
    assert {row["format"] for row in rows if row["method"] == "stages 1 to 3"} == {"node blocks", "ELL"}
    assert not any("paper_nodes" in row for row in rows)  # no mesh of the paper has this size
    assert_shares(rows)


def test_assembly_refuses_decks_that_are_not_static(tmp_path):
    (tmp_path / "bar.inp").write_text(strip(40))
    done = hooke("bench", "assembly", *QUICK[:6], "--output", tmp_path / "out", tmp_path / "bar.inp")
    assert done.returncode == 3 and "static" in done.stderr


def test_integration_has_every_order_and_way(tmp_path):
    done = hooke("bench", "integration", "--json", "-q", *QUICK[:4], "--seconds", "0.001", "--scale", "0.0001", "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    measured = {(row["order"], row["method"], row["precision"]): row for row in rows if row["table"] == "5, 6, 7"}
    assert set(measured) == {(p, way, precision) for p in range(1, 8) for way in ("points", "products", "factorised") for precision in ("single", "double")}
    for row in measured.values():
        assert row["useful_mflop"] == pytest.approx(63e-6 * row["points"] * row["shapes"] ** 2, rel=1e-5)
        assert row["useful_gflop_per_s"] == pytest.approx(row["useful_mflop"] * 1e3 / row["kernel_us"], rel=1e-3)
    assert draw(tmp_path) == {f"{what}_p{p}.png" for what in ("times", "rates") for p in range(1, 8)}
    sizes = [row for row in rows if row["table"] == "1, 2"]
    assert [(row["shapes"], row["points"]) for row in sizes][:7] == [(6, 6), (18, 18), (40, 48), (75, 80), (126, 150), (196, 231), (288, 336)]
    assert sizes[6]["shape_entries"] == 387072 and sizes[6]["blocks"] == 82944


def test_integration_measures_what_words_choose(tmp_path):
    def measured(*words):
        done = hooke("bench", "integration", *words, "--json", "-q", *QUICK[:4], "--seconds", "0.001", "--scale", "0.0001", "--output", tmp_path)
        assert done.returncode == 0, done.stderr
        return {(row["table"], row["order"], row["method"], row["precision"]) for row in json.loads(done.stdout)["rows"]}
    assert measured("times", "single", "p3") == {("5, 6, 7", 3, way, "single") for way in ("points", "products", "factorised")}
    assert measured("double", "host", "times", "p1", "p2") == {("5, 6, 7", p, way, "double") for p in (1, 2) for way in ("points", "products", "factorised")}
    assert {row[0] for row in measured("tables", "p4")} == {"1, 2", "3", "4"}
    assert measured("times", "paper", "p2") == set()  # not on a processor
    assert {row[0] for row in measured("ours", "p2")} == {"1, 2", "3", "4", "5, 6, 7"}
    for word in ("p0", "p8", "p", "p12", "all"):
        done = hooke("bench", "integration", word, "--output", tmp_path)
        assert done.returncode == 2 and "p1 to p7" in done.stderr


def test_integration_by_number_of_elements(tmp_path):
    """A quarter of the elements from one row of a way to the row before, to rounding by one element."""
    done = hooke("bench", "integration", "scaling", "single", "ours", "p2", "--json", "-q", *QUICK[:4], "--seconds", "0.001", "--scale", "0.01",
                 "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert {row["table"] for row in rows} == {"scaling"}
    for method in {row["method"] for row in rows}:
        elements = [row["elements"] for row in rows if row["method"] == method]
        assert len(elements) == 4 and all(abs(4 * a - b) <= 4 for a, b in zip(elements, elements[1:])), elements


@pytest.fixture(scope="module")
def plans(tmp_path_factory):
    """Rows of Tables 3 and 4."""
    done = hooke("bench", "integration", "tables", "--json", "-q", *QUICK[:6], "--output", tmp_path_factory.mktemp("tables"))
    rows = [row for row in json.loads(done.stdout)["rows"] if row["table"] in ("3", "4")]
    assert len(rows) == 2 * 6 * 4
    return rows


def test_integration_plans_are_the_papers(plans):
    """Parts and blocks per thread of Tables 3 and 4 follow from the limits of its devices."""
    for row in plans:
        assert row["parts"] == row["paper_parts"], row
        assert row["blocks_per_thread"] == row["paper_blocks_per_thread"], row
        assert row["threads"] % 64 == 0
        groups = {"3": 128, "4": 160}[row["table"]]
        assert row["elements_per_group"] == -(-row["paper_elements_per_launch"] // groups), row
        # Table 3 leaves 16 of its 128 groups out at orders 3 and 4
        theirs = {("3", 3): 42, ("3", 4): 15}.get((row["table"], row["order"]), row["paper_elements_per_group"])
        assert row["elements_per_group"] == theirs, row
        assert abs(row["output_mb"] - row["paper_output_mb"]) <= 0.006, row


def test_inputs_of_a_launch_are_what_the_page_says(plans):
    """docs/integration.md: reals of ours, and of the paper to the last digit that it prints."""
    for row in plans:
        points, shapes, elements = row["points"], row["shapes"], row["elements_per_launch"]
        read = row["method"].endswith("NOJAC")
        ours = 4 * points * shapes + 19 * points + elements * (20 + 10 * points * read)
        theirs = points * shapes + 10 * points * elements if read else 4 * points * shapes + 4 * points + 80 * elements
        assert row["input_mb"] == pytest.approx(ours * 4 / 2 ** 20, rel=1e-5), row
        assert abs(row["paper_input_mb"] - theirs * 4 / 2 ** 20) <= 0.0051, row


def test_integration_of_a_device_and_the_host_together(tmp_path):
    """A row for each precision; its share is the rate of both over the sum of the rates of each. There is none without a device."""
    done = hooke("bench", "integration", "together", "p1", "--json", "-q", *QUICK[:6], "--output", tmp_path)
    assert done.returncode == 0 and json.loads(done.stdout)["rows"] == []
    if not has("opencl"):
        pytest.skip("no OpenCL")
    done = hooke("bench", "integration", "together", "p1", "--device", "opencl", "--json", "-q", "--threads", "2", "--seconds", "0.001", "--scale", "0.2",
                 "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert [(row["table"], row["method"], row["precision"]) for row in rows] == [("together", "together", p) for p in ("single", "double")]
    for row in rows:
        alone = row["device_elements_per_s"] + row["host_elements_per_s"]
        assert row["share_of_sum"] == pytest.approx(row["elements_per_s"] / alone, rel=1e-4)
        assert 0 <= row["device_share"] <= 1 and row["host_method"] == "factorised" and row["host_threads"] == 2


@pytest.fixture(scope="module")
def femses(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench") / "femses"
    done = hooke("bench", "femses", "sizes", "--json", "-q", *QUICK[:4], "--seconds", "0.002", "--scale", "0.004", "--output", folder)
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout)["rows"]


def test_femses_has_every_method_and_stage(femses):
    """Each method solves the rectangle, and its stages are the whole."""
    whole = [row for row in femses[1] if row["table"] == "whole"]
    methods = {row["method"] for row in whole if row["case"] == "rectangle"}
    assert {"cholesky", "cholesky, rcm", "dense", "dense-to-sparse", "cg, jacobi", "femses, jacobi", "femses, chebyshev",
            "femses, conjugate", "femses, multigrid"} <= methods
    assert {row["case"] for row in whole} == {"rectangle", "rectangle, irregular", "bore hole", "box of tetrahedra"}
    for row in whole:
        assert row["converged"] and row["residual"] <= row["tolerance"] and row["difference"] <= 1e4 * row["tolerance"], row
        assert row["tolerance"] == (1e-8 if row["precision"] == "double" else 1e-4)
        assert row["runs"] == 5 and row["seconds_95"] >= 0 and row["bytes"] > 0, row
        shares = [value for key, value in row.items() if key.endswith("_share")]
        assert len(shares) == 10 and sum(shares) == pytest.approx(1, abs=1e-4), row


def test_femses_keeps_no_matrix_and_its_iterations_grow(femses):
    """Bytes of (4.11) to (4.13) as corrected; Jacobi's iterations grow like unknowns, multigrid's hardly."""
    rows = femses[1]
    for row in rows:
        if row["table"] == "whole" and row["method"] == "femses, jacobi" and row["case"] == "rectangle":
            assert row["scan_seconds"] == row["assembly_seconds"] == 0
            assert row["paper_allocation_bytes"] == 28 * row["dofs"] + 84 * row["elements"]
        if row["table"] == "whole" and row["method"] == "dense" and row["case"] == "rectangle":
            assert row["paper_allocation_bytes"] == 20 * row["dofs"] + 24 * row["elements"] + 4 * row["dofs"] ** 2
    iterations = {name: {row["dofs"]: row["iterations"] for row in rows if row["table"] == "whole" and row["method"] == name and
                         row["case"] == "rectangle, irregular"} for name in ("femses, jacobi", "femses, multigrid")}
    common = max(set(iterations["femses, jacobi"]) & set(iterations["femses, multigrid"]))
    assert iterations["femses, jacobi"][common] > 20 * iterations["femses, multigrid"][common]


def test_femses_has_kernels_comparisons_and_pictures(femses):
    folder, rows = femses
    tables = {row["table"] for row in rows}
    assert {"sparsity scan", "element matrices", "assembly", "main kernel", "product", "sweep", "speed-up"} <= tables
    for row in rows:
        if row["table"] in ("product", "sweep"):
            assert row["bytes"] > 0 and row["share_of_copy"] > 0 and row["gdof_per_s"] > 0, row
    scans = {row["method"]: row["nonzeros"] for row in rows if row["table"] == "sparsity scan" and row["dofs"] == 16}
    assert len(scans) == 3 and set(scans.values()) == {82}  # 16 nodes, 33 edges
    claim = next(row for row in rows if row.get("figure") == "5.2")
    assert claim["paper_speed_up"] == 5000 and claim["speed_up"] > 0
    assert {"pattern.png", "graph.png", "shares_1_cpu.png"} <= draw(folder)


def test_femses_work_groups_where_kernels_are_compiled(tmp_path):
    """The processor's own kernels have no groups to choose."""
    done = hooke("bench", "femses", *QUICK[:4], "--seconds", "0.001", "--scale", "0.0005", "--output", tmp_path)
    assert done.returncode == 0 and "work-group" not in done.stdout and "femses, multigrid" in done.stdout, done.stderr


def test_femses_measures_what_words_choose(tmp_path):
    """Numbers of unknowns take the place of every body's own, --scale aside; a relaxation's word does not choose a preconditioner of that name."""
    words = ("bench", "femses", "--json", "-q", *QUICK[:4], "--seconds", "0.09", "--scale", "7", "--output", tmp_path)  # 225 in 0.9 s, or left out
    done = hooke(*words, "sizes", "rectangle", "100", "225", "jacobi", "solutions")
    assert done.returncode == 0, done.stderr
    rows = [row for row in json.loads(done.stdout)["rows"] if row["table"] not in ("iterations", "speed-up")]
    assert {(row["table"], row["case"], row["host_threads"]) for row in rows} == {("whole", "rectangle", 1)}
    assert {(row["method"], row["dofs"]) for row in rows} == {(f"femses, jacobi{more}", n) for more in ("", ", single to 1e-4") for n in (100, 225)}
    done = hooke(*words, "sizes", "irregular", "100", "kernels")
    assert {row["table"] for row in json.loads(done.stdout)["rows"]} == {"product", "sweep"}
    for wrong in (["3"], ["1e12"], [str(100 * k) for k in range(1, 8)]):
        done = hooke(*words, "sizes", *wrong)
        assert done.returncode == 2 and "unknowns" in done.stderr, done.stderr


def test_femses_of_a_case_file(tmp_path):
    """Distorted, with temperatures given on two sides: every method gives the same."""
    case = pathlib.Path(os.environ["HOOKE_SOURCE"]) / "examples/laplace/deformed.yaml"
    done = hooke("bench", "femses", "sizes", "--json", "-q", *QUICK[:4], "--seconds", "0.002", "--output", tmp_path / "out", case)
    assert done.returncode == 0, done.stderr
    rows = [row for row in json.loads(done.stdout)["rows"] if row["table"] == "whole"]
    assert {row["case"] for row in rows} == {"deformed.yaml"} and len(rows) >= 10
    assert all(row["difference"] <= 1e-5 for row in rows if row["precision"] == "double")


@pytest.mark.parametrize("name", ["pogo", "assembly", "integration", "femses"])
@pytest.mark.parametrize("option", ["--scale", "--seconds", "--trace-seconds"])
def test_no_size_and_no_time_are_refused(tmp_path, name, option):
    """0, which would stand for the default, below 0 and infinity: exit 2 with words, and nothing is begun"""
    for number in ("0", "-1", "inf"):
        done = hooke("bench", name, f"{option}={number}", "--output", tmp_path / "out")
        assert done.returncode == 2 and "must be above 0" in done.stderr, done.stderr
    assert not (tmp_path / "out").exists()


def test_femses_refuses_what_is_not_heat(tmp_path):
    (tmp_path / "bar.inp").write_text(strip(40))
    for path in (pathlib.Path(os.environ["HOOKE_SOURCE"]) / "examples/rod/rod.inp.gz", tmp_path / "bar.inp"):
        done = hooke("bench", "femses", *QUICK[:6], "--output", tmp_path / "out", path)
        assert done.returncode == 3 and "heat" in done.stderr


def test_refined_decks_end_after_a_part(tmp_path):
    """Four triangles of each, half the time step, a tenth of the time"""
    deck = """*NODE
1, 0., 0.
2, 1., 0.
3, 1., 1.
4, 0., 1.
*ELEMENT, TYPE=CPE3
1, 1, 2, 3
2, 1, 3, 4
*NSET, NSET=left, GENERATE
1, 1
4, 4
*DYNAMIC, EXPLICIT, DIRECT USER CONTROL
0.02, 10
"""
    (tmp_path / "deck.inp").write_text(deck)
    script = pathlib.Path(os.environ["HOOKE_SOURCE"]) / "bench/refine.py"
    subprocess.run([sys.executable, script, tmp_path / "deck.inp", tmp_path / "fine.inp", "0.1"], check=True)
    fine = (tmp_path / "fine.inp").read_text()
    assert "\n0.01, 1\n" in fine and "\n8, " in fine.split("*ELEMENT")[1] and "\n9, " not in fine.split("*ELEMENT")[1].split("*NSET")[0]
    assert fine.split("*NODE")[1].split("*")[0].count("\n") == 10  # 9 nodes: the line of the keyword and theirs
