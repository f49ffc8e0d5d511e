"""What hooke did not write is neither deleted nor replaced, with --force too: written.txt lists what it wrote."""
import json
import os
import shutil

import pytest

from command import hooke, refused, run, state
from models import MODELS

MINE = "mine"
DECK = """*NODE, NSET=N
1,0,0
2,1,0
3,1,1
4,0,1
*ELEMENT, TYPE=CPE4, ELSET=E
1,1,2,3,4
*MATERIAL, NAME=M
*ELASTIC
1,0.3
*SOLID SECTION, ELSET=E, MATERIAL=M
*BOUNDARY
1,1,2
4,1,1
*STEP
*STATIC
*CLOAD
2,1,1
*NODE PRINT, NSET=N
U
*END STEP
"""
RUN = ["--device", "cpu", "--threads", "1"]


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in MODELS.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    (tmp_path / "d.inp").write_text(DECK)


def put(folder, *names):
    for name in names:
        os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)
        with open(f"{folder}/{name}", "w") as file:
            file.write(MINE)


def kept(folder, *names):
    for name in names:
        with open(f"{folder}/{name}") as file:
            assert file.read() == MINE, name


def files(folder):
    return {os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names}


@pytest.mark.parametrize("model, formats", [("elastic.yaml", ["--csv", "--vtu", "--png", "--su", "--segy", "--sac"]), ("static.yaml", ["--csv", "--vtu", "--png"]),
                                            ("shots.yaml", ["--csv", "--su", "--sac"]), ("d.inp", ["--csv"])])
def test_a_run_that_begins_anew_takes_away_what_hooke_wrote_alone(model, formats):
    """files after the second run = files of a first run + the user's, whose bytes are the same"""
    name = model.split(".")[0] + ".hooke"
    assert run(model, *RUN, *([] if model == "elastic.yaml" else ["--no-pictures"])).returncode == 0
    whole = files(name)
    assert hooke("export", name, *formats).returncode == 0
    exported = files(name) - whole
    user = ["export/my.csv", "export/own.png", "export/a.vtu", "export/a.part", "export/rx_notes.txt", "export/2.tmp", "field_velocity_9999.png",
            "trace_mine.png", "field_0001.vtu", "field_mesh.vtu", "convergence.txt", "report.html.bak", "run.json.old", "b.dat"]
    put(name, *user)
    assert run(model, *RUN, "--force", "--no-pictures").returncode == 0
    kept(name, *user)
    assert files(name) == {f for f in whole if not f.endswith((".png", ".html"))} | set(user)
    assert exported and hooke("export", name, *formats).returncode == 0
    kept(name, *user)


@pytest.mark.parametrize("word", ["run.h5", "run.json", "log.txt", "checkpoint.h5", "checkpoint.h5.old", "computed.h5", "field.vtkhdf", "report.html",
                                  "convergence.png", "written.txt"])
@pytest.mark.parametrize("model", ["elastic.yaml", "static.yaml"])
def test_a_run_does_not_replace_a_file_of_the_user(model, word):
    put("out", word)
    done = run(model, *RUN, "--output", "out", "--force")
    refused(done, word, "another --output", code=8)
    kept("out", word)
    assert files("out") == {word}


def test_the_prints_of_a_deck_do_not_replace_a_file_of_the_user():
    put("d.hooke", "d.dat")
    refused(run("d.inp", *RUN, "--force"), "d.dat", code=8)
    kept("d.hooke", "d.dat")
    os.remove("d.hooke/d.dat")
    for words in ([], ["--force"]):
        assert run("d.inp", *RUN, *words).returncode == 0


@pytest.mark.parametrize("word", ["field_0000.vtu", "field_0003.vtu", "field.pvd"])
def test_frames_of_vtu_do_not_replace_a_file_of_the_user(word):
    put("out", word)
    refused(run("elastic.yaml", *RUN, "--output", "out", "--force", "--field-format", "vtu"), word, code=8)
    kept("out", word)


@pytest.mark.parametrize("model", ["elastic.yaml", "shots.yaml", "static.yaml", "heat.yaml"])
def test_a_file_of_the_user_in_place_of_a_picture_is_told_before_the_run(model):
    """Every picture that a run draws, one by one: nothing is written beside the user's file. A picture that is not drawn is none."""
    name = model.split(".")[0] + ".hooke"
    assert run(model, *RUN).returncode == 0
    pictures = sorted(f for f in files(name) if f.endswith(".png"))
    assert len(pictures) >= 2
    for word in pictures[:3] + pictures[-2:]:
        shutil.rmtree("out", ignore_errors=True)
        put("out", word)
        refused(run(model, *RUN, "--output", "out", "--force"), word, code=8)
        kept("out", word)
        assert files("out") == {word}
    shutil.rmtree("out")
    put("out", "trace_mine.png", "field_velocity_9999.png")
    assert run(model, *RUN, "--output", "out", "--force").returncode == 0
    kept("out", "trace_mine.png", "field_velocity_9999.png")


def test_results_that_are_there_stay_where_a_picture_cannot_be_drawn():
    assert run("elastic.yaml", *RUN, "--no-pictures").returncode == 0
    before = {name: open(f"elastic.hooke/{name}", "rb").read() for name in files("elastic.hooke")}
    put("elastic.hooke", "trace_rx_displacement.png")
    refused(run("elastic.yaml", *RUN, "--force"), "trace_rx_displacement.png", code=8)
    assert all(open(f"elastic.hooke/{name}", "rb").read() == text for name, text in before.items())
    kept("elastic.hooke", "trace_rx_displacement.png")


@pytest.mark.parametrize("format, word", [("csv", "rx.csv"), ("vtu", "field_0000.vtu"), ("vtu", "field.pvd"), ("png", "trace_rx_displacement.png"),
                                          ("su", "rx_displacement_x.su"), ("su", "rx.txt"), ("segy", "rx_displacement_x.segy"), ("sac", "rx.txt")])
def test_an_export_does_not_replace_a_file_of_the_user(format, word):
    assert run("elastic.yaml", *RUN, "--no-pictures").returncode == 0
    put("elastic.hooke/export", word)
    refused(hooke("export", "elastic.hooke", f"--{format}"), word, code=8)
    kept("elastic.hooke/export", word)
    os.remove(f"elastic.hooke/export/{word}")
    for _ in range(2):
        assert hooke("export", "elastic.hooke", f"--{format}").returncode == 0


def test_a_report_does_not_replace_a_file_of_the_user():
    assert run("elastic.yaml", *RUN, "--no-pictures").returncode == 0
    put("elastic.hooke", "report.html")
    refused(hooke("report", "elastic.hooke"), "report.html", code=8)
    kept("elastic.hooke", "report.html")
    os.remove("elastic.hooke/report.html")
    for _ in range(2):
        assert hooke("report", "elastic.hooke").returncode == 0


@pytest.mark.parametrize("lines", ["../precious\n", "/precious\n", "sub/precious\n", "..\n.\n\n", "precious", "sub\n"])
def test_a_list_that_leads_out_of_the_folder_is_not_obeyed(lines):
    """Names of the folder itself alone, whole lines, no folders."""
    assert run("static.yaml", *RUN, "--no-pictures").returncode == 0
    put(".", "precious")
    put("static.hooke", "precious", "sub/precious")
    with open("static.hooke/written.txt", "a") as file:
        file.write(lines)
    assert run("static.yaml", *RUN, "--no-pictures", "--force").returncode == 0
    kept(".", "precious")
    kept("static.hooke", "precious", "sub/precious")


def test_results_whose_list_is_lost_are_kept():
    assert run("elastic.yaml", *RUN, "--no-pictures").returncode == 0
    os.remove("elastic.hooke/written.txt")
    before = {name: open(f"elastic.hooke/{name}", "rb").read() for name in files("elastic.hooke")}
    refused(run("elastic.yaml", *RUN), "finished run", code=2)
    refused(run("elastic.yaml", *RUN, "--force"), "run.h5", "written.txt", code=8)
    assert before == {name: open(f"elastic.hooke/{name}", "rb").read() for name in files("elastic.hooke")}


def test_a_link_in_place_of_the_list_is_not_written_through():
    put(".", "precious")
    os.mkdir("out")
    os.symlink("../precious", "out/written.txt")
    refused(run("static.yaml", *RUN, "--output", "out", "--force"), "written.txt", code=8)
    kept(".", "precious")


def test_a_copied_result_can_be_exported_and_run_anew():
    assert run("elastic.yaml", *RUN).returncode == 0 and hooke("export", "elastic.hooke", "--csv").returncode == 0
    shutil.copytree("elastic.hooke", "copy")
    assert hooke("export", "copy", "--csv").returncode == 0
    assert run("elastic.yaml", *RUN, "--output", "copy", "--force").returncode == 0
    assert not os.path.exists("copy/export")
    assert json.load(open("copy/run.json"))["status"] == "ok"
