"""Keys of a case that would act on nothing are refused at their place, or told."""
import json

import pytest

from command import call

TIME = {"units": "none", "mesh": {"rectangle": {"size": [2, 1], "cells": [4, 2]}}, "materials": {"m": {"density": 1, "young": 1, "poisson": 0.3}},
        "boundary": [{"set": "left", "fix": "x"}], "sources": [{"at": [1, 0.5], "force": 1, "direction": [1, 0]}],
        "outputs": {"field": {"frames": 1}}, "solve": {"explicit": {"end": 1}}}
STATIC = {**TIME, "solve": {"static": {}}, "outputs": {}, "boundary": [{"set": "left", "fix": ["x", "y"]}]}
HEAT = {"units": "none", "physics": "heat", "mesh": TIME["mesh"], "materials": {"m": {"conductivity": 1}}, "boundary": [{"set": "left", "temperature": 1}],
        "sources": [{"heat": 1}], "solve": {"heat": {}}}
FLUID = {**TIME, "materials": {"m": {"density": 1, "sound_speed": 1}}, "boundary": [{"set": "top", "fix": "pressure"}],
         "sources": [{"at": [1, 0.5], "volume_rate": 1}]}


def check(folder, case):
    (folder / "case.json").write_text(json.dumps(case))
    return call("check", folder / "case.json")


@pytest.mark.parametrize("base, change, words", [
    (TIME, {"boundary": [{"set": "left", "fix": "x", "delay": 1}]}, "fix does not take delay: give move"),
    (STATIC, {"boundary": [{"set": "left", "fix": ["x", "y"], "delay": 1}]}, "fix does not take delay: give move"),
    (FLUID, {"boundary": [{"set": "top", "fix": "pressure", "delay": 1}]}, "fix does not take delay: give move"),
    (TIME, {"boundary": [{"set": "left", "pressure": 1, "direction": [1, 0]}]}, "direction is for move"),
    (STATIC, {"boundary": [*STATIC["boundary"], {"set": "right", "traction": [1, 0], "direction": [1, 0]}]}, "direction is for move"),
    (TIME, {"boundary": [{"set": "left", "fix": "x", "direction": [1, 0]}]}, "direction is for move"),
    (TIME, {"sources": [{"gravity": [0, -1], "volume_rate": 1}]}, "gravity does not take volume_rate"),
    (TIME, {"sources": [{"body_force": [0, -1], "volume_rate": 1}]}, "body_force does not take volume_rate"),
    (HEAT, {"sources": [{"heat": 1, "volume_rate": 1}]}, "volume_rate is not for heat conduction"),
    (STATIC, {"physics": "acoustic"}, "physics: acoustic is computed in time"),
    (HEAT, {"element": {"integration": "reduced"}}, "matrices of heat conduction support only full integration"),
    (HEAT, {"plane": "stress"}, "plane is for elastic solids, and this is heat conduction"),
    (FLUID, {"plane": "stress"}, "plane is for elastic solids, and the whole model is fluid")])
def test_keys_that_act_on_nothing_are_refused(tmp_path, base, change, words):
    done = check(tmp_path, {**base, **change})
    assert done.returncode == 3 and words in done.stderr, done.stderr
    assert check(tmp_path, base).returncode == 0


def test_regions_and_materials_without_elements_are_told(tmp_path):
    """A region `all` of which no element is left, and a material of no region."""
    soft = {"density": 1, "young": 2, "poisson": 0.3}
    (tmp_path / "m.inp").write_text("*NODE\n1, 0, 0\n2, 1, 0\n3, 1, 1\n4, 0, 1\n*ELEMENT, TYPE=CPE4, ELSET=plate\n1, 1, 2, 3, 4\n")
    case = {**TIME, "mesh": "m.inp", "materials": {"hard": TIME["materials"]["m"], "soft": soft, "spare": soft}, "boundary": [],
            "sources": [{"at": [0.5, 0.5], "force": 1, "direction": [1, 0]}], "regions": {"plate": "hard", "all": "soft"}}
    done = check(tmp_path, case)
    assert done.returncode == 0 and "region all has no elements: all of them are in other regions" in done.stderr
    assert "no region uses material spare" in done.stderr and "material hard" not in done.stderr


@pytest.mark.parametrize("mesh, order, told", [
    ({"box": {"size": [2, 1, 1], "cells": [2, 1, 1]}}, 1, None),
    ({"box": {"size": [2, 1, 1], "cells": [2, 1, 1]}}, 3, "hex-p3"),
    ({"box": {"size": [2, 1, 1], "cells": [2, 1, 1], "shape": "tet"}}, 1, "tet4"),
    ({"box": {"size": [2, 1, 1], "cells": [2, 1, 1], "shape": "tet"}}, 2, "tet10"),
    ({"rectangle": {"size": [2, 1], "cells": [4, 2], "shape": "tri"}}, 1, "tri3"),
    ({"rectangle": {"size": [2, 1], "cells": [4, 2]}}, 1, None),
    ({"rectangle": {"size": [2, 1], "cells": [4, 2]}}, 2, "quad-p2")])
def test_reduced_integration_that_shapes_do_not_have_is_told(tmp_path, mesh, order, told):
    done = check(tmp_path, {**STATIC, "mesh": mesh, "element": {"order": order, "integration": "reduced"},
                            "boundary": [{"set": "left", "fix": ["x", "y", "z"][:len(next(iter(mesh.values()))["size"])]}],
                            "sources": [{"set": "right", "force": 1, "direction": [1, 0, 0][:len(next(iter(mesh.values()))["size"])]}]})
    assert done.returncode == 0, done.stderr
    assert ("have no reduced integration" in done.stderr) == bool(told), done.stderr
    assert not told or f"{told} elements have no reduced integration: hooke integrates them fully" in done.stderr
