#!/usr/bin/env python3
"""Times hooke's multigrid beside PETSc's GAMG and hypre's BoomerAMG, all in hooke (method: petsc), to a residual of 1e-8 on the same cores, and writes
bench/results/petsc_cpu.json.

  python3 bench/petsc.py [--hooke build/hooke] [--quick] [--ranks] [--case NAME] [--cores N] [--repeat N] [--about TEXT] [--output FILE]

The models are a clamped box of C3D8 under a traction at its end (311 k unknowns) and heat in a box of them (1 M). hooke has --cores threads, PETSc as many ranks of
Open MPI. With --ranks hooke's multigrid alone is timed, with threads and over as many ranks of Open MPI (method cg, form assembled), and their results are held against each other bit by bit
(bench/results/ranks_static.json). Seconds are those of set-up and solution in run.json, without assembly: the run with the least sum of --repeat runs in turns. The difference is that of the solution
from the one of a residual of 1e-11. Needs hooke's plug-ins for Open MPI and PETSc, numpy, h5py and a machine without other work (--quick: small boxes)."""
import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

import h5py
import numpy as np

root = pathlib.Path(__file__).resolve().parent.parent
SOLID = """
mesh: {{box: {{size: [1, 1, 1], cells: [{0}, {0}, {0}], shape: hex}}}}
materials: {{m: {{young: 1, poisson: 0.3}}}}
boundary: [{{set: left, fix: [x, y, z]}}, {{set: right, traction: [0.01, 0.02, -0.03]}}]
solve: {{static: {{{1}}}}}
"""
HEAT = """
physics: heat
mesh: {{box: {{size: [1, 1, 1], cells: [{0}, {0}, {0}], shape: hex}}}}
materials: {{m: {{conductivity: 1}}}}
boundary: [{{set: left, temperature: 1}}, {{set: right, film: {{coefficient: 1, sink: 0}}}}]
sources: [{{heat: 1}}]
solve: {{heat: {{{1}}}}}
"""
HYPRE = "-pc_hypre_boomeramg_strong_threshold 0.5 -pc_hypre_boomeramg_coarsen_type HMIS -pc_hypre_boomeramg_P_max 4"  # by unknowns: nodal interpolation took 12 GB here
CASES = {"elasticity": (SOLID, 46, 10, "displacement"),
         "heat": (HEAT, 99, 12, "temperature")}  # cells, of the quick ones; the result
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}


def run(args, folder, name, cells, how, cores, over_ranks=False):
    text, _, _, quantity = CASES[name]
    (folder / "case.yaml").write_text(text.format(cells, how))
    ranks = ["mpirun.openmpi", "-n", cores, "--bind-to", "none"] if ("petsc" in how or over_ranks) and cores > 1 else []
    words = [*ranks, args.hooke, "run", folder / "case.yaml", "--output", folder / "o", "--force", "--no-pictures", "-q", "--device", "cpu",
             *(["--threads", 1] if over_ranks else [] if ranks else ["--threads", cores])]
    done = subprocess.run([str(w) for w in words], env=ENVIRONMENT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr[-2000:]}")
    said = json.loads((folder / "o/run.json").read_text())
    with h5py.File(folder / "o/run.h5") as file:
        u = file[f"static/0001/{quantity}"][:].astype(float)
    return {"dofs": u.size, "assemble": said["seconds"]["assemble"], "setup": said["seconds"]["setup"], "solve": said["seconds"]["solve"], "seconds": said["seconds"]["setup"] + said["seconds"]["solve"],
            "iterations": said["iterations"], "residual": said["residual"], "solver": said["solver"]}, u


def measure_ranks(args, name):
    """hooke's multigrid with threads and over ranks, in turns"""
    cells, how = CASES[name][2 if args.quick else 1], "method: cg, preconditioner: multigrid, form: assembled"
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(args.repeat):
            results = []
            for method, over_ranks in [("threads", False), ("ranks", True)]:
                row, u = run(args, pathlib.Path(folder), name, cells, how, args.cores, over_ranks)
                results.append(u)
                if method not in best or row["seconds"] < best[method]["seconds"]:
                    best[method] = {"case": name, "method": method, "cores": args.cores, **row}
                print(f'{name} {args.cores} {method:8} {row["assemble"]:6.2f} + {row["setup"]:6.2f} + {row["solve"]:6.2f} s, {row["iterations"]} iterations', file=sys.stderr)
            if not np.array_equal(*results):
                raise SystemExit(f"{name}: the results of ranks and of threads differ")
    for row in best.values():
        row["over_threads"] = row["seconds"] / best["threads"]["seconds"]
    return list(best.values())


def measure(args, name):
    cells = CASES[name][2 if args.quick else 1]
    plan = [("hooke, multigrid", "method: cg, preconditioner: multigrid"), ("PETSc, GAMG", "method: petsc"),
            ("PETSc, hypre", f'method: petsc, options: "-pc_type hypre {HYPRE}"')]
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        _, exact = run(args, pathlib.Path(folder), name, cells, plan[0][1] + ", tolerance: 1e-11", args.cores)
        for _ in range(args.repeat):
            for method, how in plan:
                for cores in dict.fromkeys([1, args.cores]):
                    row, u = run(args, pathlib.Path(folder), name, cells, how, cores)
                    row["difference"] = float(np.abs(u - exact).max() / np.abs(exact).max())
                    key = (method, cores)
                    if key not in best or row["seconds"] < best[key]["seconds"]:
                        best[key] = {"case": name, "method": method, "cores": cores, **row}
                    print(f'{name} {method:17} {cores} cores {row["setup"]:6.2f} + {row["solve"]:6.2f} s, {row["iterations"]} iterations, difference {row["difference"]:.1e}',
                          file=sys.stderr)
    for row in best.values():
        row["over_hooke"] = row["seconds"] / best["hooke, multigrid", row["cores"]]["seconds"]
    return list(best.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hooke", default=str(root / "build" / "hooke"))
    parser.add_argument("--quick", action="store_true", help="small boxes: shows that it works, measures nothing")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--about", default="", help="a sentence for the page, such as what else ran on the machine")
    parser.add_argument("--ranks", action="store_true", help="hooke's multigrid over ranks beside threads")
    parser.add_argument("--case", action="append", choices=CASES, help="this one alone; may be repeated")
    parser.add_argument("--output")
    args = parser.parse_args()
    args.output = args.output or str(root / "bench" / "results" / ("ranks_static.json" if args.ranks else "petsc_cpu.json"))
    args.hooke = str(pathlib.Path(args.hooke).resolve())
    device = json.loads(subprocess.run([args.hooke, "devices", "--json"], check=True, capture_output=True, text=True).stdout)[0]
    load = os.getloadavg()[0]
    rows = [row for name in args.case or CASES for row in (measure_ranks if args.ranks else measure)(args, name)]
    commit = subprocess.run(["git", "-C", root, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    result = {"bench": "petsc", "commit": commit, "device": device, "system": platform.platform(), "petsc": device.get("petsc", ""), "load_before": load,
              "about": args.about, "repeat": args.repeat, "rows": rows}
    pathlib.Path(args.output).write_text(json.dumps(result, indent=1) + "\n")
    print(args.output)


if __name__ == "__main__":
    main()
