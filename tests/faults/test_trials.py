"""`hooke check` solves a part of a mesh to predict the memory of static solutions and heat. Where it cannot, because nothing holds bodies of the part, check goes on and says why."""
import json
from pathlib import Path

import pytest

from command import HOOKE, hooke, run

PETSC = (Path(HOOKE).parent / "libhooke-petsc-openmpi.so").exists()


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def squares(count, how):
    """A heat model of so many separate squares, each of two triangles and with two prescribed temperatures. A square alone has a matrix of integers, whose factors end with an exact 0."""
    ids = range(count)
    Path("m.inp").write_text("*NODE\n" + "".join(f"{4 * k + c + 1}, {2 * (k % 500) + c % 2}, {2 * (k // 500) + c // 2}\n" for k in ids for c in range(4)) +
                             "*ELEMENT, TYPE=DC2D3, ELSET=BODY\n" +
                             "".join(f"{2 * k + 1}, {4 * k + 1}, {4 * k + 2}, {4 * k + 4}\n{2 * k + 2}, {4 * k + 1}, {4 * k + 4}, {4 * k + 3}\n" for k in ids) +
                             "".join(f"*NSET, NSET={name}\n" + "".join(f"{4 * k + at}\n" for k in ids) for name, at in (("COLD", 1), ("HOT", 4))))
    Path("m.yaml").write_text("mesh: m.inp\nphysics: heat\nmaterials: {m: {conductivity: 1}}\nregions: {BODY: m}\n"
                              f"boundary: [{{set: COLD, temperature: 0}}, {{set: HOT, temperature: 1}}]\nsolve: {{heat: {how}}}\n")


def test_no_factors_of_a_part_where_the_whole_takes_iterations():
    """auto: 204 000 unknowns are too many for factors, those of a part are few enough"""
    squares(51000, "{}")
    done = hooke("check", "m.yaml", "--device", "cpu", "--json")
    assert done.returncode == 0 and "not predicted" not in done.stderr, done.stderr
    assert json.loads(done.stdout)["memory_bytes"] > 0


@pytest.mark.skipif(not PETSC, reason="PETSc was not there when hooke was built: tools/setup --tests installs it")
def test_a_trial_that_fails_leaves_the_memory_open():
    squares(100, '{method: petsc, options: "-pc_type cholesky -ksp_error_if_not_converged"}')
    done = hooke("check", "m.yaml", "--device", "cpu", "--json")
    assert done.returncode == 0 and done.stderr.count("m.yaml: note: the memory of a run is not predicted") == 1 and "Zero pivot" in done.stderr, done.stderr
    told = json.loads(done.stdout)
    assert told["memory_bytes"] is None and told["memory_bytes_at_least"] >= told["check_memory_bytes"] > 0
    assert hooke("check", "m.yaml", "--device", "cpu", "--strict").returncode == 4  # parts that share no node; a note alone is none
    done = run("m.yaml", "--device", "cpu", "--no-pictures")
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not PETSC, reason="PETSc was not there when hooke was built: tools/setup --tests installs it")
def test_what_a_run_would_refuse_ends_the_check():
    squares(100, '{method: petsc, options: "-pc_typ hypre"}')
    done = hooke("check", "m.yaml", "--device", "cpu")
    assert done.returncode == 3 and "-pc_typ: PETSc does not know" in done.stderr, done.stderr
