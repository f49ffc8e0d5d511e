"""Small models for the tests of the Python package."""
import pathlib

import hooke

SIZE = {"mesh.rectangle.element": "1 mm", "solve.explicit.end": "4 us"}


def plate(folder):
    """The example of a plate, written into a folder; with SIZE it takes a moment."""
    return hooke.example("plate", folder)


def bar(**more):
    """Four squares of a plate in plane stress: pulled by 2 MPa along x, with nothing in its way."""
    return {"mesh": {"rectangle": {"size": [2, 1], "cells": [4, 2]}}, "plane": "stress",
            "materials": {"steel": {"density": 7800, "young": 210e9, "poisson": 0.3}},
            "boundary": [{"set": "left", "fix": ["x"]}, {"set": "bottom", "fix": ["y"]}, {"set": "right", "traction": [2e6, 0]}],
            "solve": {"static": {}}, **more}


def data(run):
    """run.h5 -> {path: numbers}"""
    import h5py
    found = {}
    with h5py.File(pathlib.Path(run) / "run.h5", "r") as file:
        file.visititems(lambda name, item: found.update({name: item[()]} if isinstance(item, h5py.Dataset) else {}))
    return found
