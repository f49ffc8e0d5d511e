#!/usr/bin/env python3
"""Compares hooke on the small models of Huthwaite (2014) with programs that share no line with it, and writes bench/results/independent.json.

  HOOKE=build/hooke python3 bench/independent.py [--only REGEX] [--work FOLDER] [--ccx ccx] [--output FILE]

The models are those of examples/{weld,gear,geophysics}, of the element length that they ship with and, for CalculiX, of twice that length (needs gmsh); same mesh, loads and
time step.
- numpy: the equations of this file, assembled by scipy and stepped by central differences. Nothing is to differ but rounding.
- CalculiX: *DYNAMIC, EXPLICIT with ALPHA=0. The mesh is a layer of C3D6, held in z, as thick as 20 elements are long, with half of each force on either face: of plane
  elements CalculiX makes such solids, with constraints. Its scheme predicts u, finds the acceleration and adds a quarter dt^2 of it (Newmark's beta = 1/4), so that it differs
  from central differences by dt^2: half the step, a quarter of the difference. A row has the difference of CalculiX from this file in CalculiX's scheme too, where nothing is
  to differ but the seven digits that it prints. It takes one *DAMPING, ALPHA for the whole model (version 2.20), so that the geophysical model is compared without its absorbing
  layer, with free sides in both programs; numpy has the layer.
- hooke at twice the resolution (bench/refine.py): the error of the mesh.
A row has the largest distance of two traces relative to the peak of the receiver (bench/pogo_runs.py): the worst receiver counts, those without a signal do not.
Runs of CalculiX stay in --work and are not repeated. Needs numpy, scipy, h5py."""
import argparse
import functools
import gzip
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy.sparse import coo_matrix

import pogo_runs
import refine

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
LENGTH = {"weld": 0.05, "gear": 0.29, "geophysics": 37.5}  # of the elements of the small models
COARSE_STEP = {"weld": 1.4e-9, "gear": 7e-9, "geophysics": 0.7e-3}  # seconds, on elements of twice the length; CalculiX takes none much longer
END = {"weld": 6e-6, "gear": 16e-6, "geophysics": 3.0}  # seconds of the runs: waves have passed all receivers
# examples/geophysics/geophysics.yaml: density, P speed, S speed; elsewhere they are read from the deck
ROCKS = {"rock_1": (2600, 4000, 2000), "rock_2": (2700, 6000, 3500), "rock_3": (2500, 3600, 2100), "rock_4": (2650, 5000, 2500)}
LAYER, D_MAX = 1760.0, 66.0


def words(data):
    return [[w.strip() for w in line.split(",") if w.strip()] for line in data.splitlines() if line.strip()]


class Model:
    """x[node][2], tri[e][3], region[e], material {region: (density, E, nu)}, force {node: (fx, fy)}, signal(t), receivers {name: nodes}, d[node] of the layer."""

    def __init__(self, case, text):
        self.case, self.sets, self.material = case, {}, {}
        sections = refine.sections(text)
        for head, data in sections:
            if head == "*NODE":
                self.x = refine.numbers(data, 3)[:, 1:]
            elif head.startswith("*ELEMENT"):
                self.tri = refine.numbers(data, 4)[:, 1:].astype(int) - 1
                self.region = np.full(len(self.tri), "", dtype=object)
            elif head.startswith("*NSET"):
                self.sets[re.search(r"NSET=([^,\s]+)", head)[1]] = refine.members(data) - 1
            elif head.startswith("*ELSET"):
                self.region[refine.members(data) - 1] = re.search(r"ELSET=([^,\s]+)", head)[1]
        self.receivers = {name: nodes for name, nodes in self.sets.items() if name.startswith("rx")}
        self.d = np.zeros(len(self.x))
        if case == "geophysics":
            self.rocks()
        else:
            self.deck(sections)

    def rocks(self):
        """What geophysics.yaml says."""
        for name, (density, p, s) in ROCKS.items():
            mu, nu = density * s ** 2, (p ** 2 - 2 * s ** 2) / (2 * (p ** 2 - s ** 2))
            self.material[name] = density, 2 * mu * (1 + nu), nu
        direction = np.array([1, 4]) / np.hypot(1, 4)
        self.force = {int(n): 1e6 * direction for n in self.sets["shot"]}
        self.signal = lambda t: np.exp(-72 * (np.asarray(t) - 0.93) ** 2)
        x, y = self.x.T
        near = np.min([x - x.min(), x.max() - x, y - y.min()], axis=0)
        self.d = D_MAX * (np.maximum(LAYER - near, 0) / LAYER) ** 3

    def deck(self, sections):
        """What the deck says behind its mesh."""
        found, density, self.force = {}, {}, {}
        for head, data in sections:
            name = head.split("=")[-1]
            if head.startswith("*MATERIAL"):
                last = name
            elif head == "*DENSITY":
                density[last] = float(data)
            elif head == "*ELASTIC":
                found[last] = tuple(map(float, words(data)[0]))
            elif head.startswith("*SOLID"):
                self.material[re.search(r"ELSET=([^,\s]+)", head)[1]] = density[name], *found[name]
            elif head.startswith("*AMPLITUDE"):
                table = np.array([float(w) for line in words(data) for w in line]).reshape(-1, 2)
                self.signal = lambda t, table=table: np.interp(t, *table.T, right=0)
            elif head.startswith("*CLOAD"):
                for target, axis, value in words(data):
                    for n in self.sets[target]:
                        self.force.setdefault(int(n), np.zeros(2))[int(axis) - 1] += float(value)

    def key(self, name, n):
        return (name, *np.round(self.x[n], 9))


def elements(model):
    """(K_e[e][6][6], area[e]) of plane strain, thickness 1."""
    corner = model.x[model.tri]
    b, c = np.roll(corner[..., 1], -1, 1) - np.roll(corner[..., 1], -2, 1), np.roll(corner[..., 0], -2, 1) - np.roll(corner[..., 0], -1, 1)
    area = 0.5 * (b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0])
    strain = np.zeros((len(area), 3, 6))
    strain[:, 0, 0::2], strain[:, 1, 1::2], strain[:, 2, 0::2], strain[:, 2, 1::2] = b, c, c, b
    strain /= 2 * area[:, None, None]
    law = {name: e / ((1 + nu) * (1 - 2 * nu)) * np.array([[1 - nu, nu, 0], [nu, 1 - nu, 0], [0, 0, 0.5 - nu]]) for name, (_, e, nu) in model.material.items()}
    return np.einsum("eki,ekl,elj,e->eij", strain, np.stack([law[r] for r in model.region]), strain, area), area


def system(model):
    """K, M[dof] lumped (a third of an element on each node), force[dof], rows {receiver: dofs}."""
    matrix, area = elements(model)
    dof = (2 * model.tri[:, :, None] + np.arange(2)).reshape(-1, 6)
    size = 2 * len(model.x)
    k = coo_matrix((matrix.ravel(), (np.repeat(dof, 6, 1).ravel(), np.tile(dof, (1, 6)).ravel())), (size, size)).tocsr()
    density = np.array([model.material[r][0] for r in model.region])
    mass = np.repeat(np.bincount(model.tri.ravel(), np.repeat(density * area / 3, 3)), 2)
    force = np.zeros(size)
    for n, f in model.force.items():
        force[2 * n:2 * n + 2] = f
    return k, mass, force, {model.key(name, n): slice(2 * n, 2 * n + 2) for name, nodes in model.receivers.items() for n in nodes}


def numpy_traces(model, dt, steps):
    """M (u[n+1] - 2 u[n] + u[n-1]) / dt^2 + d M (u[n+1] - u[n-1]) / (2 dt) + K u[n] = f(t[n])"""
    k, mass, force, rows = system(model)
    d = np.repeat(model.d, 2)
    now, before, out = np.zeros(len(mass)), np.zeros(len(mass)), {key: np.zeros((2, steps + 1)) for key in rows}
    for step in range(steps):
        acceleration = (model.signal(step * dt) * force - k @ now) / mass
        now, before = (dt ** 2 * acceleration + 2 * now - (1 - 0.5 * d * dt) * before) / (1 + 0.5 * d * dt), now
        for key, at in rows.items():
            out[key][:, step + 1] = now[at]
    return {key: (dt * np.arange(steps + 1), u) for key, u in out.items()}


def predicted_traces(model, dt, steps):
    """CalculiX's scheme, without damping: p = u[n] + dt v[n] + dt^2 a[n] / 4, M a[n+1] = f(t[n+1]) - K p, u[n+1] = p + dt^2 a[n+1] / 4,
    v[n+1] = v[n] + dt (a[n] + a[n+1]) / 2."""
    k, mass, force, rows = system(model)
    u, v, a = np.zeros((3, len(mass)))
    out = {key: np.zeros((2, steps + 1)) for key in rows}
    for step in range(steps):
        predicted = u + dt * v + 0.25 * dt ** 2 * a
        before, a = a, (model.signal((step + 1) * dt) * force - k @ predicted) / mass
        u, v = predicted + 0.25 * dt ** 2 * a, v + 0.5 * dt * (before + a)
        for key, at in rows.items():
            out[key][:, step + 1] = u[at]
    return {key: (dt * np.arange(steps + 1), x) for key, x in out.items()}


def calculix_deck(model, dt, steps):
    """Without damping."""
    thick, count, put = 20 * LENGTH.get(model.case, 1), len(model.x), lambda *values: ", ".join(f"{v:.12g}" if isinstance(v, float) else str(v) for v in values)
    out = ["*NODE, NSET=ALL", *(put(i + 1 + side * count, float(x), float(y), side * thick) for side in (0, 1) for i, (x, y) in enumerate(model.x))]
    for name in model.material:
        inside = np.flatnonzero(model.region == name)
        out += [f"*ELEMENT, TYPE=C3D6, ELSET=E_{name}", *(put(e + 1, *(model.tri[e] + 1), *(model.tri[e] + 1 + count)) for e in inside)]
    for name, (density, young, nu) in model.material.items():
        out += [f"*MATERIAL, NAME={name}", "*DENSITY", f"{density:.12g}", "*ELASTIC", put(float(young), float(nu)), f"*SOLID SECTION, ELSET=E_{name}, MATERIAL={name}"]
    for name, nodes in model.receivers.items():
        out += [f"*NSET, NSET={name}", *(f"{n + 1}," for n in nodes)]
    t = dt * np.arange(steps + 2)
    value = model.signal(t)
    last = np.flatnonzero(np.abs(value) > 1e-30 * np.abs(value).max())[-1] + 2
    out += ["*BOUNDARY", "ALL, 3, 3", "*AMPLITUDE, NAME=SIGNAL", *(put(float(a), float(b)) for a, b in zip(t[:last], value[:last]))]
    out += [f"*STEP, INC={10 * steps}", "*DYNAMIC, EXPLICIT, ALPHA=0.", f"{dt:.9g}, {dt * steps:.12g}, 1e-30, {dt:.9g}", "*CLOAD, AMPLITUDE=SIGNAL"]
    out += [put(n + 1 + side * count, axis + 1, float(0.5 * thick * f[axis])) for n, f in model.force.items() for side in (0, 1) for axis in (0, 1)]
    for name in model.receivers:
        out += [f"*NODE PRINT, NSET={name}, FREQUENCY=1", "U"]
    return "\n".join([*out, "*END STEP", ""])


def number(word):
    """Of Fortran, whose exponents of three digits have no letter."""
    return float(re.sub(r"(?<=\d)(?=[+-]\d{3}$)", "E", word))


def calculix_traces(model, dt, steps, args, name):
    """The run's traces, from the .dat that is in the folder of work if the deck is the same."""
    path = args.work / f"{name}.inp"
    text, done = calculix_deck(model, dt, steps), args.work / f"{name}.done"
    if not (done.exists() and path.read_text() == text):
        path.write_text(text)
        done.unlink(missing_ok=True)
        start = time.monotonic()
        said = subprocess.run([args.ccx, name], cwd=args.work, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
        if "Job finished" not in said.stdout:
            raise SystemExit(f"{args.ccx} {path}: {said.stdout[-1000:]}")
        done.write_text(f"{time.monotonic() - start:.1f} s\n")
    traces = {}
    for line in (args.work / f"{name}.dat").read_text().splitlines():
        found = line.split()
        if found[:1] == ["displacements"]:
            group, t = found[found.index("set") + 1].lower(), float(found[-1])
        elif len(found) == 4:
            traces.setdefault(model.key(group, int(found[0]) - 1), []).append((t, *map(number, found[1:3])))
    out = {}
    for key, rows in traces.items():
        at = np.array([(0, 0, 0), *rows])
        if len(at) != steps + 1 or not np.allclose(at[:, 0], dt * np.arange(steps + 1), rtol=1e-6, atol=1e-6 * dt):
            raise SystemExit(f"{name}: CalculiX took {len(at) - 1} steps, not {steps} of {dt:g} s: its limit is below that")
        out[key] = dt * np.arange(steps + 1), at[:, 1:].T
    return out


def hooke_traces(model, text, dt, steps):
    """Of `hooke run` on the deck with this step, or on geophysics.yaml with this mesh, in double precision."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if model.case == "geophysics":
            (folder / "mesh.inp").write_text(text)
            given = (EXAMPLES / "geophysics/geophysics.yaml").read_text().replace("mesh.inp.gz", "mesh.inp")
            path = folder / "geophysics.yaml"
            given = given if model.d.any() else re.sub(r"(?m)^absorb:.*\n", "", given)
            path.write_text(given.replace("end: 5 s", f"end: {dt * steps:.12g} s, dt: {dt:.12g} s"))
        else:
            path = folder / "deck.inp"
            given = "".join(f"{head}\n{data}" for head, data in refine.sections(text))
            given = re.sub(r"(\*DYNAMIC, EXPLICIT[^\n]*\n)[^\n]*", rf"\g<1>{dt:.12g}, {dt * steps:.12g}", given)
            path.write_text(re.sub(r"HISTORY, FREQUENCY=\d+", "HISTORY, FREQUENCY=1", given))
        said = pogo_runs.call("run", path, "--output", folder / "run.hooke", "--force", "--no-pictures", "--json", "-q", "--device", "cpu", "--precision", "double")
        if said["counts"]["steps"] != steps:
            raise SystemExit(f"{model.case}: hooke took {said['counts']['steps']} steps, not {steps}")
        return said, pogo_runs.traces_of(folder / "run.hooke" / "run.h5")


@functools.cache
def mesh(case, coarse):
    """The text of the deck that is shipped, or of one with elements twice as long."""
    name = "mesh" if case == "geophysics" else case
    if not coarse:
        return gzip.open(EXAMPLES / case / f"{name}.inp.gz", "rt").read()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "coarse.inp"
        subprocess.run([sys.executable, EXAMPLES / case / "make.py", path, "--h", str(2 * LENGTH[case])], check=True, stderr=subprocess.DEVNULL,
                       env={**os.environ, "HOOKE": pogo_runs.HOOKE})
        return path.read_text()


class Bench:
    def __init__(self, args):
        self.args, self.rows = args, []

    def add(self, case, said, against, found, **more):
        if found is None:
            print(f"{case}, {against}: no receiver has a signal: no row", file=sys.stderr)
            return
        self.rows.append({"case": case, "against": against, "method": said["method"], "device": said["device"], "precision": said["precision"],
                          "dofs": said["counts"]["dofs"], "elements": said["counts"]["elements"], "steps": said["counts"]["steps"], **more,
                          "discrepancy": found[0], "receivers": found[2]})
        print(json.dumps(self.rows[-1]), file=sys.stderr)

    def compare(self, case, coarse, halved):
        """hooke beside both programs, with the step halved so often."""
        text, dt = mesh(case, coarse), COARSE_STEP[case] / 2 ** (halved + (not coarse))
        model, label = Model(case, text), f"{case} {'coarse' if coarse else 'small'}, dt / {2 ** halved}"
        steps = round(END[case] / dt)
        for peer in ("numpy", "CalculiX") if coarse else ("numpy",):
            if not re.search(self.args.only, f"{label}, {peer}"):
                continue
            more = {"dt": dt}
            if peer == "CalculiX":
                model.d[:] = 0
                theirs = calculix_traces(model, dt, steps, self.args, f"{case}_coarse_{halved}")
                more["same_scheme"] = pogo_runs.discrepancy(theirs, predicted_traces(model, dt, steps))[0]
            else:
                theirs = numpy_traces(model, dt, steps)
            said, ours = hooke_traces(model, text, dt, steps)
            sides = ", free sides" if case == "geophysics" and peer == "CalculiX" else ""
            self.add(case, said, peer + sides, pogo_runs.discrepancy(theirs, ours), **more)

    def refined(self, case):
        """The mesh that is shipped beside itself at twice the resolution, and that beside twice its own."""
        if not re.search(self.args.only, f"{case} refined"):
            return
        text, dt = mesh(case, False), COARSE_STEP[case]
        steps, last = round(END[case] / dt), None
        for level in range(3):
            said, traces = hooke_traces(Model(case, text), text, dt / 2 ** level, steps * 2 ** level)
            thinned = {key: (t[::2 ** level], u[:, ::2 ** level]) for key, (t, u) in traces.items()}
            if last:
                self.add(case, last[0], "hooke, twice the resolution", pogo_runs.discrepancy(thinned, last[1]), dt=dt / 2 ** (level - 1))
            last = said, thinned
            text = refine.refine(text) if level < 2 else text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="regular expression on 'case coarse|small, dt / 1|2, numpy|CalculiX' and 'case refined'")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp/hooke-independent"))
    parser.add_argument("--ccx", default="ccx")
    parser.add_argument("--commit", default=subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip())
    parser.add_argument("--output", type=pathlib.Path)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    bench = Bench(args)
    for case in LENGTH:
        for coarse, halved in ((True, 0), (True, 1), (False, 0)):
            bench.compare(case, coarse, halved)
        bench.refined(case)
    version = subprocess.run([args.ccx, "-v"], capture_output=True, text=True).stdout.split()
    cpu = re.search(r"model name\s*:\s*(.*)", pathlib.Path("/proc/cpuinfo").read_text())
    result = {"bench": "independent", "commit": args.commit, "cpu_name": cpu[1] if cpu else platform.processor(), "system": platform.platform(),
              "calculix": version[-1] if version else "",
              "numpy": np.__version__, "rows": bench.rows}
    if args.output:
        args.output.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
