#!/usr/bin/env python3
"""Compares the memory that `hooke check` predicts with what `hooke run` takes.

  python3 bench/memory.py HOOKE [--device cpu] [--whole] [--scale F] [--only REGEX] [--about TEXT] [--commit HASH] [--compiler TEXT] [--output FILE]

HOOKE is the program (build/hooke). Each row has the most bytes of the process that were resident during the run, as the system counts them (what /usr/bin/time -v prints), the same
of run.json, and the prediction; device_peak and device_predicted are the bytes of buffers that a run in time held at once and those that `hooke check` tells. --scale is a factor on the
numbers of nodes. --whole takes the models of bench/whole.py instead. Runs are of a few steps: memory does not grow with them, apart from traces."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from whole import RUNS as WHOLE, SOLID, body, cells

FLUID = {"density": 1000, "sound_speed": 1500}
STEPS = 12
FEWER = 64  # so many times fewer nodes of the run that compiles the kernels of a device
# dt of a mesh of the unit square or cube, times its cells along an edge
LIMIT = {"tet": 6e-5, "tri": 8e-5, "hex": 1.1e-4, "quad": 1.2e-4}


def waves(shape, nodes, order=1, method=None, mesh=None, layer=False, shots=0, frames=0, fluid=False, crowd=False):
    """A few steps of a square or cube with a source and a receiver. mesh: what is added to its mesh; crowd: traces of a whole face."""
    dim = 2 if shape in ("tri", "quad") else 3
    case = body(shape, nodes, order, **(mesh or {})) if dim == 3 else plane(shape, nodes, order, **(mesh or {}))
    n = cells(nodes, dim, order)
    dt = LIMIT[shape] / n / (1, 1, 2.4, 4, 7.4)[order]
    signal = {"ricker": {"frequency": 0.02 / dt / order}}
    at, across = [0.5, 0.4, 0.6][:dim], [0.3, -1, 0.2][:dim]
    source = {"at": at, "force": 1, "direction": across, "signal": signal}
    if fluid:
        source = {"at": at, "volume_rate": 1, "signal": signal}
    case |= {"materials": {"m": FLUID if fluid else SOLID}, "sources": [source],
             "outputs": {"traces": [{"name": "p", "at": [[0.3, 0.4, 0.5][:dim]], "quantity": "pressure" if fluid else "velocity"}]},
             "solve": {"explicit": {"end": STEPS * dt} | ({"method": method} if method else {})}}
    if fluid:
        case["physics"] = "acoustic"
    if shots:
        case["shots"] = [[{"at": [0.2 + 0.6 * k / shots] + at[1:], "force": 1, "direction": across, "signal": signal}] for k in range(shots)]
        del case["sources"]
    if layer:
        case["absorb"] = {"kind": "pml" if layer == "pml" else "layer", "sets": ["left"], "thickness": 0.1}
    if frames:
        case["outputs"]["field"] = {"quantity": "pressure" if fluid else "velocity", "frames": frames}
    if crowd:
        case["outputs"]["traces"].append({"name": "face", "set": "right", "quantity": "velocity"})
    return case


def plane(shape, nodes, order, **more):
    n = cells(nodes, 2, order)
    return {"mesh": {"rectangle": {"size": [1, 1], "cells": [n, n], "shape": shape, **more}}} | ({"element": {"order": order}} if order > 1 else {})


def static(shape, nodes, order=1, **how):
    return body(shape, nodes, order) | {"materials": {"m": SOLID}, "boundary": [{"set": "left", "fix": ["x", "y", "z"]}, {"set": "right", "pressure": 1e6}],
                                        "solve": {"static": how}}


def heat(shape, nodes, **how):
    case = plane(shape, nodes, 1) if shape in ("tri", "quad") else body(shape, nodes)
    return case | {"physics": "heat", "materials": {"m": {"conductivity": 1.0}},
                   "boundary": [{"set": "left", "temperature": 0}, {"set": "right", "temperature": 1}], "solve": {"heat": how}}


def jitter(shape, nodes, **more):
    return waves(shape, nodes, mesh={"jitter": 0.2, "shuffle": 5}, **more)


def in_time(case):
    """Five steps of time of a heat model, implicit."""
    case["materials"]["m"] |= {"density": 1, "specific_heat": 1}
    case["solve"]["heat"] |= {"end": 1e-3, "dt": 2e-4, "theta": 1}
    return case


CG = {"method": "cg", "preconditioner": "multigrid"}
JACOBI = {"method": "cg", "preconditioner": "jacobi"}
RUNS = {  # name: the case of a number of nodes, that number, what else (file: the mesh is read from such a file; pictures)
    "tet4 edges, box": (lambda n: waves("tet", n), 1e6, {}),
    "tet4 edges": (lambda n: jitter("tet", n), 1e6, {}),
    "tet4 edges, double": (lambda n: jitter("tet", n), 1e6, {"precision": "double"}),
    "tet4 edges-packed": (lambda n: jitter("tet", n, method="edges-packed"), 1e6, {}),
    "tet4 stored": (lambda n: jitter("tet", n, method="stored"), 6e5, {}),
    "tet4 matrix-free": (lambda n: jitter("tet", n, method="matrix-free"), 1e6, {}),
    "tet4 edges, .msh": (lambda n: jitter("tet", n), 1e6, {"file": "msh"}),
    "tet4 edges, .vtu": (lambda n: jitter("tet", n), 1e6, {"file": "vtu"}),
    "tet4 edges, .inp": (lambda n: jitter("tet", n), 5e5, {"file": "inp"}),
    "tet4 edges, layer": (lambda n: jitter("tet", n, layer=True), 1e6, {}),
    "tet4 edges, 8 shots": (lambda n: jitter("tet", n, shots=8), 1e6, {}),
    "tet4 edges, frames": (lambda n: jitter("tet", n, frames=4), 1e6, {}),
    "tet4 edges, frames and pictures": (lambda n: jitter("tet", n, frames=4), 5e5, {"pictures": True}),
    "tri3 matrix-free": (lambda n: jitter("tri", n, method="matrix-free"), 2e6, {}),
    "tri3 matrix-free, frames": (lambda n: jitter("tri", n, method="matrix-free", frames=4), 2e6, {}),
    "tri3 edges": (lambda n: jitter("tri", n, method="edges"), 1e6, {}),
    "quad4 edges": (lambda n: jitter("quad", n), 1e6, {}),
    "hex8": (lambda n: jitter("hex", n), 1e6, {}),
    "hex8, box": (lambda n: waves("hex", n), 2e6, {}),
    "hex8, traces of a face": (lambda n: waves("hex", n, crowd=True), 5e5, {}),
    "spectral 2D, order 4": (lambda n: waves("quad", n, 4, mesh={"jitter": 0.1}), 2e6, {}),
    "spectral 3D, order 4": (lambda n: waves("hex", n, 4, mesh={"jitter": 0.1}), 2e6, {}),
    "spectral 3D, order 4, box": (lambda n: waves("hex", n, 4), 2e6, {}),
    "spectral 3D, order 4, matched layer": (lambda n: waves("hex", n, 4, layer="pml"), 1e6, {}),
    "spectral 3D, order 2, fluid": (lambda n: waves("hex", n, 2, fluid=True), 1e6, {}),
    "spectral 2D, order 4, fluid": (lambda n: waves("quad", n, 4, fluid=True), 1e6, {}),
    "static hex8, multigrid": (lambda n: static("hex", n, **CG), 3e5, {}),
    "static hex8, jacobi": (lambda n: static("hex", n, **JACOBI), 5e5, {}),
    "static tet4, multigrid": (lambda n: static("tet", n, **CG), 5e5, {}),
    "static hex27, multigrid": (lambda n: static("hex", n, 2, **CG), 2e5, {}),
    "static tet10, multigrid": (lambda n: static("tet", n, 2, **CG), 3e5, {}),
    "static hex8, cholesky": (lambda n: static("hex", n, method="cholesky"), 4e4, {}),
    "heat tri3, multigrid": (lambda n: heat("tri", n, **CG), 2e6, {}),
    "heat tet4, multigrid": (lambda n: heat("tet", n, **CG), 1e6, {}),
    "heat tri3, cholesky": (lambda n: heat("tri", n, method="cholesky"), 2e5, {}),
    "heat tri3, multigrid, in time": (lambda n: in_time(heat("tri", n, **CG)), 5e5, {}),
    "heat quad4, idr": (lambda n: heat("quad", n, method="idr"), 2e5, {}),
    "heat tet4, femses, multigrid": (lambda n: heat("tet", n, method="femses", relaxation="multigrid"), 3e5, {}),
    "static tet4, femses": (lambda n: static("tet", n, method="femses", relaxation="conjugate"), 2e5, {}),
    "static hex8, petsc": (lambda n: static("hex", n, method="petsc"), 1e5, {})}


def peak_of(words):
    """(output, bytes): in a process of its own, whose only child is the command."""
    program = ("import json, resource, subprocess, sys\n"
               "p = subprocess.run(sys.argv[1:], capture_output=True, text=True)\n"
               "print(json.dumps([p.returncode, p.stdout, p.stderr, 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss]))\n")
    code, out, err, most = json.loads(subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=True).stdout)
    if code:
        raise SystemExit(f"{' '.join(words)}: {err.strip()[-2000:]}")
    return out, most


def deck(mesh, case):
    """A mesh in a deck of its own, with the material, a load and the steps of the case."""
    text = re.sub(r"(?m)^(\*ELEMENT, TYPE=\w+)$", r"\1, ELSET=ALL", mesh.read_text())  # elements of no set
    element = re.search(r"ELSET=([^,\s]+)", text)[1]
    m, end = case["materials"]["m"], case["solve"]["explicit"]["end"]
    return (f"{text.rstrip()}\n*MATERIAL, NAME=M\n*DENSITY\n{m['density']}\n*ELASTIC\n{m['young']}, {m['poisson']}\n*SOLID SECTION, ELSET={element}, MATERIAL=M\n"
            f"*AMPLITUDE, NAME=A\n0, 0, {end}, 1\n*NSET, NSET=ONE\n7\n*STEP\n*DYNAMIC, EXPLICIT\n, {end}\n*CLOAD, AMPLITUDE=A\nONE, 1, 1\n"
            "*OUTPUT, HISTORY\n*NODE OUTPUT, NSET=ONE\nU\n*END STEP\n")


def written(words, case, kind, folder):
    """The file of the case, whose mesh is in a file of this kind: as the frames of a run have it."""
    path = folder / "case.json"
    if not kind:
        path.write_text(json.dumps(case))
        return path
    end = case["solve"]["explicit"]["end"]
    path.write_text(json.dumps(case | {"outputs": {"field": {"quantity": "velocity", "frames": 1}}, "solve": {"explicit": {"end": end / STEPS}}}))
    peak_of([*words, "run", str(path), "--output", str(folder / "mesh"), "--no-pictures", "-q", "--force"])
    mesh = folder / f"m.{kind}"
    peak_of([*words, "convert", str(folder / "mesh" / "field.vtkhdf"), str(mesh), "-q"])
    if kind == "inp":
        path = folder / "deck.inp"
        path.write_text(deck(mesh, case))
        mesh.unlink()
    else:
        path.write_text(json.dumps(case | {"mesh": str(mesh)}))
    return path


def model(name, args):
    """The case of a number of nodes, that number, what else; of bench/whole.py with a hundredth of its steps."""
    if not args.whole:
        return RUNS[name]
    make, nodes, precision = WHOLE[name]
    return lambda n: make(n, 0.01), nodes, {"precision": precision}


def measure(name, args):
    make, nodes, how = model(name, args)
    words, precision = args.hooke.split(), ["--precision", how["precision"]] if "precision" in how else []
    with tempfile.TemporaryDirectory() as name_of:
        folder = pathlib.Path(name_of)
        if args.device != "cpu":  # kernels are then in the cache: compiling takes memory of its own
            few = written(words, make(nodes * args.scale / FEWER), None, folder)
            peak_of([*words, "run", str(few), "--output", str(folder / "few"), "--force", "--device", args.device, "--progress", "none", "-q", "--no-pictures", *precision])
        file = written(words, make(nodes * args.scale), how.get("file"), folder)
        told, check_peak = peak_of([*words, "check", str(file), "--device", args.device, "--json", *precision])
        out, peak = peak_of([*words, "run", str(file), "--output", str(folder / "out"), "--force", "--device", args.device, "--progress", "none", "-q", "--json", *precision,
                             *([] if how.get("pictures") else ["--no-pictures"])])
        run = json.loads((folder / "out" / "run.json").read_text())
    told = json.loads(told)
    row = {"run": name, "device": args.device, "nodes": run["counts"]["nodes"], "elements": run["counts"]["elements"], "method": run["method"], "precision": run["precision"],
           "predicted": told["memory_bytes"], "peak": peak, "run_json": run["peak_memory_bytes"], "check_peak": check_peak, "ratio": told["memory_bytes"] / peak,
           "per_node": peak / run["counts"]["nodes"], "device_name": run["device_name"]}
    if "device_memory_bytes" in run and "devices" in told:
        row |= {"device_peak": run["device_memory_bytes"], "device_predicted": told["devices"][0]["memory_bytes"]}
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hooke")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--whole", action="store_true", help="the models of bench/whole.py")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--about", default="")
    parser.add_argument("--commit", default="")
    parser.add_argument("--compiler", default="")
    parser.add_argument("--output")
    args = parser.parse_args()
    rows = []
    for name in WHOLE if args.whole else RUNS:
        if not re.search(args.only, name):
            continue
        row = measure(name, args)
        rows.append(row)
        print(f'{row["run"]:36} {row["nodes"]:9} nodes {row["peak"] / 1e6:8.1f} MB {row["per_node"]:7.1f} B/node, predicted {row["ratio"]:.3f}, run.json '
              f'{row["run_json"] / row["peak"]:.3f}, check {row["check_peak"] / row["peak"]:.3f}', flush=True)
        if args.output:
            pathlib.Path(args.output).write_text(json.dumps({"bench": "memory", "commit": args.commit, "compiler": args.compiler, "about": args.about, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
