"""A .geo file is a program: gmsh is given it only where --run-gmsh says so, and never one that reaches beyond the geometry."""
import subprocess

import pytest

from command import HOOKE

CASE = """\
mesh: part.geo
materials: {steel: {density: 7850, young: 210e9, poisson: 0.3}}
boundary: [{set: clamp, fix: [x, y]}, {set: tip, traction: [1, 0]}]
solve: {static: {}}
"""
GEOMETRY = """\
Point(1) = {0, 0, 0, 0.5}; Point(2) = {1, 0, 0, 0.5}; Point(3) = {1, 1, 0, 0.5}; Point(4) = {0, 1, 0, 0.5};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
Physical Curve("clamp") = {4}; Physical Curve("tip") = {2}; Physical Surface("all") = {1};
"""
COMMANDS = ['SystemCall "touch ran";', 'NonBlockingSystemCall "touch ran";', "SystemCall\n\"touch ran\";", 'x = 1; SystemCall("touch ran");',
            'Include "other.geo";', 'Merge "other.geo";', 'Parse("SystemCall \\"touch ran\\";");', 'Printf("x") > "ran";', 'Printf("x") >> "ran";',
            'Save "ran";', 'Print "ran";', 'OnelabRun("x", "touch ran");', '/* */ SystemCall "touch ran";', '"//"; SystemCall "touch ran";',
            'CreateDir "ran";', 'Plugin(MathEval).Run;', 'General.GraphicsFontEngine = "x"; ',
            "x = '\"'; SystemCall 'touch ran'; y = '\"';", "x = '//'; SystemCall 'touch ran';", "x = '/*'; SystemCall 'touch ran'; y = '*/';",
            '\0SystemCall "touch ran";', 'x = 1;\0SystemCall "touch ran";', '// a\rSystemCall "touch ran";',
            'f = "ran"; Printf("x") > f;', 'Printf("x") > StrCat("r", "an");', 'Printf("x %g", (1)) >> Str("ran");', 'Printf("a") /* c */ > /* d */ "ran";',
            'Field[2] = ExternalProcess; Field[2].CommandLine = "touch ran";', 'Field[2] = Structured; Field[2].FileName = "part.yaml";']


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "part.yaml").write_text(CASE)
    (tmp_path / "part.geo").write_text(GEOMETRY)
    (tmp_path / "other.geo").write_text('SystemCall "touch ran";')
    return tmp_path


def hooke(*words):
    return subprocess.run([HOOKE, *words], capture_output=True, text=True, timeout=3000)


@pytest.mark.parametrize("verb", ["check", "info", "run", "partition"])
def test_a_geometry_is_not_run_unless_asked_for(verb, tmp_path):
    (tmp_path / "part.geo").write_text('SystemCall "touch ran";\n' + GEOMETRY)
    done = hooke(verb, "part.yaml")
    assert done.returncode == 3 and "--run-gmsh" in done.stderr, done.stderr
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_that_reach_beyond_the_geometry_are_refused_at_their_line(command, tmp_path):
    (tmp_path / "part.geo").write_text(GEOMETRY + command + "\n")
    done = hooke("check", "part.yaml", "--run-gmsh")
    assert done.returncode == 3 and "part.geo:5" in done.stderr, done.stderr
    assert not (tmp_path / "ran").exists()


def test_a_geometry_is_meshed_where_asked_for(tmp_path):
    (tmp_path / "part.geo").write_text(GEOMETRY + '// SystemCall "touch ran";\n/* Merge\n"x"; */ Physical Point("Include") = {1};\n'
                                       '// it\'s fine\nIf (1 > 0)\n  Printf("%g", 2 > 1);\nEndIf\nFor i In {1:2}\n  Printf("x"); x = i > 1;\nEndFor\n')
    done = hooke("run", "part.yaml", "--run-gmsh", "--no-pictures", "--device", "cpu")
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "ran").exists()
