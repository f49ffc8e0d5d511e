"""Cases and decks given to the command, and what it answers."""
import functools
import json
import os
import subprocess
from pathlib import Path

import h5py
import numpy as np

HOOKE = os.environ["HOOKE"]
os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # threads that wait in small runs cost most of their time otherwise
METHODS = ["stored", "edges", "matrix-free"]
FLAT_METHODS = METHODS + ["blocks"]  # of triangles and quadrilaterals


def call(*words, cwd=None):
    return subprocess.run([HOOKE, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=cwd)


@functools.cache
def has(device):
    """Whether the machine has the device: asked once, for the command measures the memory of each that it lists."""
    return f'"device": "{device}' in call("devices", "--json").stdout


class Run:
    """A result folder that has been read: summary, traces[name][quantity][receiver, component, step], time[name];
    static[step][quantity][node, component], points[step][quantity], label[node],
    coordinates[node]."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.summary = json.loads((self.folder / "run.json").read_text())
        self.dt = self.summary.get("dt")
        self.time, self.traces, self.node, self.energy = {}, {}, {}, {}
        with h5py.File(self.folder / "run.h5") as file:
            for name, group in file.get("traces", {}).items():
                self.time[name] = group["time"][:]
                self.node[name] = group["node"][:]
                self.traces[name] = {k: v[:].astype(float) for k, v in group.items() if k not in ("time", "node", "coordinates")}
            for name, values in file.get("energy", {}).items():
                self.energy[name] = values[:]
            steps = [v for k, v in sorted(file.get("static", {}).items()) if k.isdigit()]
            self.static = [{k: v[:] for k, v in step.items() if k != "points"} for step in steps]
            self.points = [{k: v[:] for k, v in step["points"].items()} for step in steps if "points" in step]
            self.label = file["static/node"][:] if steps else None
            self.coordinates = file["static/coordinates"][:] if steps else None


def run(folder, model, *words, name="model", code=0, pictures=False):
    """Solves a case (a dict) or a deck (text) in double precision, without pictures unless asked for; the Run, or the failed process."""
    path = Path(folder) / f"{name}.{'json' if isinstance(model, dict) else 'inp'}"
    path.write_text(json.dumps(model) if isinstance(model, dict) else model)
    out = Path(folder) / f"{name}.hooke"
    if "--precision" not in words:
        words = (*words, "--precision", "double")
    if not pictures and "--no-pictures" not in words:
        words = (*words, "--no-pictures")  # they take most of the time of a small run
    done = call("run", path, "--output", out, "--force", "-q", *words)
    assert done.returncode == code, f"exit {done.returncode}, expected {code}: {done.stderr}"
    return Run(out) if code == 0 else done


def error(got, exact):
    """L2 difference relative to the exact one's norm; not-a-number stays so, and fails any bound."""
    return float(np.linalg.norm(np.asarray(got) - exact) / np.linalg.norm(exact))
