"""The page on result files: datasets and keys that runs of small models write."""
import json
import os
import re
import subprocess

import h5py

MESH = "mesh: {rectangle: {size: [1, 1], cells: 2}}\n"
WAVES = MESH + """
materials: {m: {density: 1, %s}}
%s
sources: [{at: [0.5, 0.5], %s, signal: {ricker: {frequency: 0.5}}}]
outputs: {traces: [{name: REQUEST, set: left, quantity: [%s]}]}
solve: {explicit: {end: 1}}
"""
SOLID = WAVES % ("young: 1, poisson: 0.3", "boundary: [{set: right, fix: [x]}]", "force: 1, direction: [1, 0]", "displacement, velocity, acceleration")
MODELS = {
    "Waves in solids": SOLID,
    "Waves in fluids": WAVES % ("sound_speed: 1", "physics: acoustic\nboundary: [{set: right, fix: [pressure]}]", "volume_rate: 1", "pressure"),
    "Waves, with `shots:`": SOLID.replace("sources: [", "shots: [").replace("}}}]\noutputs", "}}}, {at: [0.5, 0.5], force: 1, "
                                          "direction: [0, 1], signal: {ricker: {frequency: 0.5}}}]\noutputs"),
    "Static solutions": MESH + """
materials: {m: {young: 1, poisson: 0.3}}
boundary: [{set: left, fix: [x, y]}, {set: right, pressure: 1}]
solve: {static: {method: cg}}
""",
    "Heat": MESH + """
physics: heat
materials: {m: {conductivity: 1}}
boundary: [{set: left, temperature: 0}, {set: right, flux: 1}]
solve: {heat: {method: cg}}
""",
    "Coupled equations": MESH + """
materials: {m: {terms: [{equation: NAME, diffusion: 1}]}}
boundary: [{set: left, value: 0}, {set: right, flux: 1}]
solve: {coupled: {unknowns: [NAME], method: cg}}
""",
}
AXES = [(r"/traces/[^/]+/time$", "[sample]"), (r"/traces/[^/]+/node$", "[receiver]"), (r"/traces/[^/]+/coordinates$", "[receiver][dimension]"),
        (r"/traces/", "[receiver][component][sample]"), (r"/energy/", "[sample]"), (r"/static/node$", "[node]"),
        (r"/static/coordinates$", "[node][dimension]"), (r"/static/\d+/points/(element|point)$", "[point]"),
        (r"/static/\d+/points/", "[point][component]"), (r"/static/\d+/", "[node][component]")]


def run(hooke, folder, text):
    case, out = folder / "case.yaml", folder / "case.hooke"
    case.write_text("units: {length: mm, mass: kg, time: us}\n" + text)
    done = subprocess.run([hooke, "run", case, "--force", "-q", "--no-pictures", "--device", "cpu", "--threads", "1", "--output", out],
                          capture_output=True, text=True, env=os.environ | {"XDG_CACHE_HOME": str(folder / "none")})
    if done.returncode:
        raise SystemExit(f"tools/site/results.py: error: a model of it no longer runs: {done.stderr}\n{case.read_text()}")
    return out


def word(attributes, name):
    value = attributes.get(name, "")
    return value.decode() if isinstance(value, bytes) else str(value)


def datasets(path):
    rows = []

    def visit(name, item):
        if not isinstance(item, h5py.Dataset):
            return
        name = "/" + name
        axes = next((axes for pattern, axes in AXES if re.match(pattern, name)), None)
        if axes is None:
            raise SystemExit(f"tools/site/results.py: error: no axes are known of {name}: add them to AXES")
        extra = item.ndim - axes.count("[")
        if extra not in (0, 1):
            raise SystemExit(f"tools/site/results.py: error: {name} has {item.ndim} axes, {axes} are described")
        rows.append([f"`{name}`", f"{'[shot]' * extra}{axes}", word(item.attrs, "components"), word(item.attrs, "unit")])

    with h5py.File(path) as file:
        file.visititems(visit)
    return rows


def keys(value, place=""):
    for key, inside in value.items():
        path = f"{place}.{key}" if place else key
        if key == "stages":
            inside = {"STAGE": 0.0}
        if isinstance(inside, dict):
            yield from keys(inside, path)
        elif isinstance(inside, list) and inside and isinstance(inside[0], dict):
            yield from keys(inside[0], f"{path}[]")
        else:
            yield path, {bool: "true or false", int: "number", float: "number", str: "text", list: "list"}.get(type(inside), "number or null")


def kinds_of_runs(titles):
    waves = [title for title in MODELS if title.startswith("Waves")]
    if set(titles) == set(MODELS):
        return "all"
    words = ["waves"] * (set(waves) <= set(titles)) + [title for title in titles if title not in waves or not set(waves) <= set(titles)]
    return ", ".join(words).lower()


def page(hooke, folder, made, table):
    parts, found = [], {}
    for title, text in MODELS.items():
        out = run(hooke, folder, text)
        parts.append(f"### {title}\n\n{table(['dataset', 'axes', 'components', 'unit'], datasets(out / 'run.h5'))}")
        for path, kind in keys(json.loads((out / "run.json").read_text())):
            found.setdefault(path, (kind, []))[1].append(title)
    rows = [[f"`{path}`", kind, kinds_of_runs(titles)] for path, (kind, titles) in found.items()]
    return f"""# Results

{made.format("runs of small models, `tools/site/results.py`")}
The folder `MODEL.hooke/` and what lies in it are in [the README](../../README.md). This page lists what `run.h5` and `run.json` hold.

## run.h5

Plain HDF5: h5py, MATLAB's `h5read`, Octave and Julia read it. `node` has the user's labels, -1 for points given by `at:`. A request of
traces has the name that the case gives it, or that of its set; static steps are `/static/0001`, `/static/0002`, ... Each number has attributes
`unit` and `components`; units are those of the case's `units:` (here mm, kg, us), and empty for decks. Tensors: xx yy zz xy xz yz, in 2D xx yy zz xy;
strain is tensorial. With `shots:` in the case traces and energies have one axis more, the first. Traces of runs in single precision are float32, all
other numbers float64 and int64. What was not computed before a run was stopped is not-a-number.

{chr(10).join(parts)}
## image_METHOD.h5

What `hooke image` writes: `/image` [row][column], the axes as arrays with the names that its attribute `axes` lists (`y x`, or `time distance` of a B-scan), their
`unit`, and for `tfm` `/speed` and `/delay`; `method`, `trace` and `component` are attributes of `/`. All numbers are float64.

## run.json

`status` is `ok`, or what ended the run in words of [exit codes](exit_codes.md). Times of `seconds` are of the clock and add up to `seconds.total`:
`mesh` ends with the numbering and the time step, `verify` is the search for mechanisms and the estimate of the error of a static solution, `output`
is what opens, writes and closes files and draws pictures, but for what a run in time writes between its steps, which `solve` counts too. `stages`
has the same seconds by their parts, `mesh/dt` for example, each without those that are named below it. `predicted_seconds` is what
`seconds.solve` was expected to be, by steps of the same kind in earlier runs (null: there were none); `warnings` and `notes` are those
on the terminal. `boundaries` lists what absorbs and what the first step prescribes, with the `component` from 1, the `count` of nodes or faces
and the `line` of the input.

{table(["key", "value", "in"], rows)}"""
