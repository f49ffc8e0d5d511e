"""`hooke check` tells parts that meet in an meet only in an edge or a node and can turn there: a warning, 4 under --strict; held or joined by faces they
are none. Each motion that it tells is a mechanism of the run."""
import json

import pytest

from command import hooke
from test_mechanisms import HINGE, beam

LOADED = HINGE.replace("LOAD", "*DLOAD\nALL, GRAV, 9810., 0., 0., -1.")
NODE = """\
*NODE
1, 0., 0.
2, 1., 0.
3, 1., 1.
4, 0., 1.
5, 2., 1.
6, 2., 2.
7, 1., 2.
*ELEMENT, TYPE=CPE4, ELSET=ALL
1, 1, 2, 3, 4
2, 3, 5, 6, 7
*MATERIAL, NAME=M
*ELASTIC
200000., 0.3
*SOLID SECTION, ELSET=ALL, MATERIAL=M
*STEP
*STATIC
*BOUNDARY
1, 1, 2
2, 1, 2
*CLOAD
5, 1, 1.
*END STEP
"""
# a third cube that has a face in common with each of the two
BRIDGED = LOADED.replace("*ELEMENT, TYPE=C3D8, ELSET=ALL\n", "15, 2., 0., 0.\n16, 2., 0., 1.\n*ELEMENT, TYPE=C3D8, ELSET=ALL\n"
                         "3, 2, 15, 9, 3, 6, 16, 12, 7\n")
# upon a cube two wedges whose triangles do not match its faces
ON_WEDGES = """\
*NODE
1, 0., 0., 0.
2, 1., 0., 0.
3, 1., 1., 0.
4, 0., 1., 0.
5, 0., 0., 1.
6, 1., 0., 1.
7, 1., 1., 1.
8, 0., 1., 1.
9, 0.4, 0.5, 2.
*ELEMENT, TYPE=C3D8, ELSET=ALL
1, 1, 2, 3, 4, 5, 6, 7, 8
*ELEMENT, TYPE=C3D4, ELSET=ALL
2, 5, 6, 7, 9
3, 5, 7, 8, 9
*MATERIAL, NAME=M
*ELASTIC
200000., 0.3
*SOLID SECTION, ELSET=ALL, MATERIAL=M
*STEP
*STATIC
*BOUNDARY
1, 1, 3
2, 1, 3
3, 1, 3
4, 1, 3
*CLOAD
9, 1, 1.
*END STEP
"""

CASES = {  # text: motions
    "edge": (LOADED, 1),
    "edge, held elsewhere": (LOADED.replace("6, 1, 3\n", "6, 1, 3\n9, 1, 2\n"), 0),
    "edge, tied": (LOADED.replace("*STEP\n", "*EQUATION\n2\n9, 2, 1., 2, 2, -1.\n*STEP\n"), 0),
    "edge, let go in the second step": (LOADED.replace("6, 1, 3\n", "6, 1, 3\n9, 1, 2\n")
                                        + "*STEP\n*STATIC\n*BOUNDARY, OP=NEW\n1, 1, 3\n2, 1, 3\n5, 1, 3\n6, 1, 3\n*END STEP\n", 1),
    "face": (BRIDGED, 0),
    "node in the plane": (NODE, 1),
    "node in space": (LOADED.replace("2, 3, 9, 10, 11, 7, 12, 13, 14", "2, 3, 9, 10, 11, 15, 12, 13, 14").replace(
        "*ELEMENT", "15, 1., 1., 1.\n*ELEMENT"), 3),
    "faces that do not match": (ON_WEDGES, 0),
    "second order": (beam("C3D20", (3, 1, 1), (3., 1., 1.), "tip"), 0),
}


@pytest.mark.parametrize("name", CASES)
def test_joints_are_told_before_the_run(tmp_path, name):
    text, motions = CASES[name]
    (tmp_path / "m.inp").write_text(text)
    done = hooke("check", tmp_path / "m.inp", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (f"{motions} motion" in done.stderr and "meet only in an edge or a node" in done.stderr) == (motions > 0), done.stderr
    assert hooke("check", "--strict", tmp_path / "m.inp", cwd=tmp_path).returncode == (4 if motions else 0)
    ran = hooke("run", tmp_path / "m.inp", "-q", "--force", "--no-pictures", cwd=tmp_path)
    assert ran.returncode == (7 if motions else 0), ran.stderr
    found = json.loads((tmp_path / "m.hooke/run.json").read_text()).get("mechanisms", [])
    assert len(found) == motions
