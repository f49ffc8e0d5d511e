#!/usr/bin/env python3
"""Keating's conjecture (2019, section 5.3.2): her relaxation, which converged slowly on the rectangle between insulated sides, does better on
the pipe with a bore hole, for values come in from four sides. Counts its sweeps (method femses, relaxation jacobi) on both, of the same
size, on meshes of gmsh that grow finer, until the residual is 1e-8 of the load, and how many a decimal digit takes at the end; prints
the table of docs/femses-conjecture.md.

  python3 examples/borehole/conjecture.py [edge lengths]      needs gmsh and hooke (build/hooke, or the path in HOOKE); a minute"""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
HOOKE = os.environ.get("HOOKE", str(here.parent.parent / "build" / "hooke"))
CASE = """
mesh: {mesh}
physics: heat
materials: {{rock: {{conductivity: 1}}}}
boundary: {boundary}
solve: {{heat: {{method: femses, relaxation: jacobi, tolerance: 1e-8, iterations: 10000000}}}}
"""
PROBLEMS = {"rectangle": "[{set: left, temperature: 1}, {set: right, temperature: 4}]",
            "hole": "[{set: outer, temperature: {formula: '1 + x * y'}}]"}


def sweeps(folder, problem, size):
    msh = folder / "mesh.msh"
    subprocess.run(["gmsh", "-v", "1", "-2", "-setnumber", "h", str(size), "-setnumber", "holes", str(int(problem == "hole")),
                    str(here / "borehole.geo"), "-o", str(msh)], check=True)
    (folder / "case.yaml").write_text(CASE.format(mesh=msh, boundary=PROBLEMS[problem]))
    subprocess.run([HOOKE, "run", str(folder / "case.yaml"), "--output", str(folder / "out"), "--force", "--no-pictures", "-q"], check=True)
    run = json.loads((folder / "out/run.json").read_text())
    residual = run["convergence"][0]
    last = len(residual) // 4
    return run["counts"]["nodes"], run["iterations"], last / math.log10(residual[-1 - last] / residual[-1])


def main():
    sizes = [float(w) for w in sys.argv[1:]] or [.3, .15, .075, .0375, .02]
    print("| edge | rectangle: nodes | sweeps to 1e-8 | sweeps per digit | per digit and node | bore hole: nodes | sweeps to 1e-8 "
          "| sweeps per digit | per digit and node | ratio |\n|" + "---|" * 10)
    found = []
    with tempfile.TemporaryDirectory() as name:
        for size in sizes:
            rows = [sweeps(pathlib.Path(name), problem, size) for problem in PROBLEMS]
            found.append((size, *rows))
            print(f"| {size:g} | " + "".join(f"{n} | {all} | {digit:.0f} | {digit / n:.3f} | " for n, all, digit in rows) +
                  f"{rows[0][2] / rows[0][0] / (rows[1][2] / rows[1][0]):.2f} |", flush=True)
    for k, problem in enumerate(PROBLEMS, 1):
        (n, _, a), (m, _, b) = found[-2][k], found[-1][k]
        print(f"{problem}: sweeps per digit grow as nodes^{math.log(b / a) / math.log(m / n):.2f} over the last two meshes")


if __name__ == "__main__":
    main()
