"""What the JSON Schema of case files calls a default is what holds: a case that says it gives the same numbers as one that does not."""
import copy
import pathlib
import re

import numpy as np
import pytest

import hooke
import models

PULSE = {"toneburst": {"frequency": "200 kHz", "cycles": 1}}
CASES = {
    "explicit": {
        "units": {}, "mesh": {"rectangle": {"size": [0.02, 0.01], "cells": [8, 4]}}, "element": {"order": 1}, 
        "materials": {"m": {"density": 7800, "young": 210e9, "poisson": 0.3}},
        "sources": [{"set": "left", "force": 1, "direction": [1, 0], "signal": PULSE},
                    {"set": "right", "force": 1, "direction": [1, 0], "signal": {"table": {"time": [0, 1e-5], "value": [0, 1]}}}],
        "absorb": {"sets": ["top"], "thickness": 0.003}, "outputs": {"traces": [{"set": "right"}], "field": {}},
        "solve": {"explicit": {"end": 1e-5}}},
    "static": {
        "mesh": {"box": {"size": [2, 1, 1], "cells": [2, 1, 1]}}, "element": {},
        "fields": {"grid": {"file": str(pathlib.Path(__file__).parent.parent / "data/case/grid.csv")}, "rough": {"random": {"correlation": 1, "std": 0.1}}},
        "materials": {"m": {"young": {"formula": "210e9 * grid * (1 + rough)"}, "poisson": 0.3}},
        "boundary": [{"set": "left", "fix": ["x", "y", "z"]}, {"set": "right", "traction": [1e6, 0, 0]},
                     {"set": "top", "pressure": 1e5}],
        "equations": [{"terms": [{"set": "right", "component": "y"}]}], "solve": {"static": {}}},
    "cracked": {
        "mesh": {"blocks": {"points": {"a": [0, 0], "b": [1, 0], "c": [2, 0], "d": [0, 1], "e": [1, 1], "f": [2, 1]},
                            "blocks": [{"name": "one", "corners": ["a", "b", "e", "d"], "cells": [2, 2]},
                                       {"name": "two", "corners": ["b", "c", "f", "e"], "cells": [2, 2]}],
                            "sides": {"slit": [["b", "e"]], "left": [["a", "d"]], "right": [["c", "f"]]}}},
        "crack": {"sets": ["slit"], "springs": {"normal": 1e9, "tangential": 1e9}}, "materials": {"m": {"young": 1e9, "poisson": 0.3}},
        "boundary": [{"set": "left", "fix": ["x", "y"]}, {"set": "right", "traction": [1e6, 0]}], "solve": {"static": {}}},
    "extruded": {
        "mesh": {"extrude": {"mesh": {"rectangle": {"size": [1, 1], "cells": [2, 2]}}, "layers": [{"height": 1}]}},
        "physics": "heat", "materials": {"m": {"conductivity": 3}}, "boundary": [{"set": "left", "temperature": 1}], "sources": [{"heat": 2}],
        "solve": {"heat": {"method": "femses"}}},
    "transient": {
        "mesh": {"rectangle": {"size": [1, 1], "cells": [2, 2]}}, "physics": "heat",
        "materials": {"m": {"conductivity": {"table": {"temperature": [0, 1], "value": [3, 4]}}, "density": 2, "specific_heat": 5}},
        "boundary": [{"set": "left", "temperature": 1}], "outputs": {"field": {"frames": 2}},
        "solve": {"heat": {"end": 1, "dt": 0.1, "nonlinear": {"tolerance": 1e-8}}}},
    "flow": {
        "mesh": {"rectangle": {"size": [1, 1], "cells": [2, 2]}}, "physics": "heat",
        "materials": {"m": {"conductivity": 3, "density": 2, "specific_heat": 5, "velocity": [1, 0]}},
        "boundary": [{"set": "left", "temperature": 1}, {"set": "right", "temperature": 2}], "solve": {"heat": {}}},
    "cylinder": {
        "mesh": {"cylinder": {"radius": 1, "length": 2, "across": 2, "along": 1}}, "sets": {"tip": {"near": [[0, 0, 2]]}}, "materials": {"m": {"young": 1e9, "poisson": 0.3}},
        "boundary": [{"set": "bottom", "fix": ["x", "y", "z"]}, {"set": "top", "traction": [0, 0, 1e6]}], "solve": {"static": {"method": "cg"}}},
}


def kinds(schema):
    return schema.get("anyOf", [schema])


def missing(schema, value, path=()):
    """(path of a map in the case, key that it does not give, its default)"""
    for kind in kinds(schema):
        properties, others = kind.get("properties", {}), kind.get("additionalProperties")
        if isinstance(value, dict) and properties and set(value) <= set(properties):
            for key, inside in properties.items():
                if key in value:
                    yield from missing(inside, value[key], (*path, key))
                else:
                    yield from ((path, key, one["default"]) for one in kinds(inside) if "default" in one)
        elif isinstance(value, dict) and isinstance(others, dict):
            for key in value:
                yield from missing(others, value[key], (*path, key))
        elif isinstance(value, list) and "items" in kind:
            for i, item in enumerate(value):
                yield from missing(kind["items"], item, (*path, i))


def every_default(schema):
    if isinstance(schema, dict):
        for key, inside in schema.get("properties", {}).items():
            yield from ((key, one["default"]) for one in kinds(inside) if "default" in one)
        for inside in schema.values():
            yield from every_default(inside)
    elif isinstance(schema, list):
        for inside in schema:
            yield from every_default(inside)


def given(case, path, key, value):
    case = copy.deepcopy(case)
    place = case
    for step in path:
        place = place[step]
    place[key] = value
    return case


@pytest.mark.filterwarnings("ignore::hooke.HookeWarning")
def test_a_default_that_is_given_changes_nothing(tmp_path):
    options, tried, schema = {"device": "cpu", "pictures": False, "threads": 1, "force": True}, set(), hooke.schema()
    for name, case in CASES.items():
        plain = models.data(hooke.run(case, output=tmp_path / "plain", **options).path)
        for path, key, value in set(missing(schema, case)):
            try:
                said = models.data(hooke.run(given(case, path, key, value), output=tmp_path / "said", **options).path)
            except (hooke.Usage, hooke.BadInput) as error:
                assert re.search(r"goes? with|belongs? to|is for|has no", str(error)), (name, path, key, value, error)
                continue
            assert said.keys() == plain.keys() and all(np.array_equal(said[k], plain[k], equal_nan=True) for k in plain), (name, path, key)
            tried.add((key, value))
    assert set(every_default(schema)) - tried == set()
    assert len(tried) > 15
