#!/usr/bin/env python3
"""Measures the speed and memory of hooke on this processor and writes bench/results/cpu.json.

  python3 bench/run.py [--quick | --brief] [--output FILE]

Rates are ratios within this one run: to the speed of the memory, to the form `stored`, and to `wc`. The meshes are jittered grids in random
order, and Delaunay meshes from gmsh if it is installed; all are far larger than the caches (except with --quick)."""
import argparse
import json
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parent.parent
build = root / "build-bench"


def call(*words, **options):
    return subprocess.run([str(w) for w in words], check=True, capture_output=True, text=True, **options).stdout


def prepare():
    call("cmake", "-S", root, "-B", build, "-G", "Ninja", "-DHOOKE_BENCH=ON", "-DHOOKE_TESTS=OFF")
    call("ninja", "-C", build)


def delaunay(folder, dim, edge):
    """A unit square or cube meshed by gmsh, as .msh; None where gmsh is not installed."""
    path = folder / f"delaunay{dim}.msh"
    geo = folder / f"delaunay{dim}.geo"
    shape = "Rectangle(1) = {0, 0, 0, 1, 1};" if dim == 2 else "Box(1) = {0, 0, 0, 1, 1, 1};"
    geo.write_text(f'SetFactory("OpenCASCADE");\n{shape}\nMesh.MeshSizeMax = {edge};\nMesh.MeshSizeMin = {edge};\n'
                   f'Physical {"Surface" if dim == 2 else "Volume"}("all") = {{1}};\nMesh.Binary = 1;\n')
    try:
        call("gmsh", f"-{dim}", "-v", "1", "-nopopup", "-algo", "front2d" if dim == 2 else "hxt", geo, "-o", path)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return None
    return path


def steps(case, method, precision, threads, **options):
    words = [part for key, value in options.items() for part in (f"--{key.replace('_', '-')}", value)]
    row = json.loads(call(build / "bench" / "operator_steps", "--json", "--method", method, "--precision", precision,
                          "--threads", threads, "--form", "increments" if precision == "single" else "positions", *words))
    row["case"] = case
    print(f'{case:14} {method:12} {precision:7} {threads} threads {row["gdof_per_s"]:8.4f} GDOF/s '
          f'{100 * row["share_of_stream"]:4.0f} % of stream  create {row["create_steps"]:.0f} steps', file=sys.stderr)
    return row


def all_steps(folder, quick, brief):
    size = {"tri3": 1e6, "quad4": 1e6, "tet4": 4e5, "hex8": 4e5}
    if quick:
        size = {k: v / 20 for k, v in size.items()}
    if brief:
        size = {k: size[k] for k in ("tri3", "hex8")}
    cases = [(name, {"mesh": name, "nodes": n}) for name, n in size.items()]
    for dim, name, edge in ((2, "tri3 Delaunay", 0.00115), (3, "tet4 Delaunay", 0.0155)):
        if brief and dim == 2:
            continue
        path = delaunay(folder, dim, edge * (4 if quick else 1))
        if path:
            cases.append((name, {"mesh_file": path}))
    rows = []
    for case, options in cases:
        for method in ("stored", "matrix-free", "edges"):
            for precision in ("single",) if brief or "Delaunay" in case else ("single", "double"):
                rows.append(steps(case, method, precision, 2, **options))
            rows.append(steps(case, method, "single", 1, **options))
    return rows


def reading(folder, quick):
    """A deck of a million elements against `wc` on the same file."""
    cells = 150 if quick else 707
    mesh = folder / "grid.inp"
    call(build / "bench" / "write_grid", cells, mesh)
    deck = mesh
    best = 1e30
    for _ in range(3):
        start = time.monotonic()
        call("wc", deck)
        best = min(best, time.monotonic() - start)
    row = json.loads(call(build / "bench" / "read_file", deck))
    return {**row, "megabytes": deck.stat().st_size / 1e6, "wc_seconds": best,
            "allowed_seconds": 3 * best + 1}


CASE = """
mesh: {mesh}
plane: strain
materials: {{m: {{density: 1, young: 1, poisson: 0.3}}}}
sources: [{{at: [{middle}], force: 1, direction: [{direction}], signal: {{ricker: {{frequency: {frequency}}}}}}}]
outputs: {{{outputs}}}
solve: {{explicit: {{end: {end}}}}}
"""


def hooke(*words):
    """Runs the command; (stdout, peak resident bytes)."""
    before = time.monotonic()
    process = subprocess.Popen([str(build / "hooke"), *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, err = process.communicate()
    if process.returncode:
        raise SystemExit(f"hooke {' '.join(map(str, words))}: {err}")
    return out, time.monotonic() - before


def writing(folder, quick):
    """Share of a run that frames and traces take: solving with them and without."""
    cells = 300 if quick else 1000
    mesh = f"{{rectangle: {{from: [0, 0], size: [1, 1], cells: [{cells}, {cells}], shape: tri}}}}"
    # 1000 steps
    end = 1000 * 0.5 / cells
    result = {}
    for name, outputs in (("without", "traces: [{name: a, at: [[0.5, 0.7]], quantity: velocity, every: 1000}]"),
                          ("with", "traces: [{set: top, quantity: velocity, every: 4}], field: {quantity: velocity, frames: 10}")):
        case = folder / f"{name}.yaml"
        case.write_text(CASE.format(mesh=mesh, middle="0.5, 0.5", direction="0, 1", frequency=20, outputs=outputs, end=end))
        best = 1e30
        for _ in range(2):
            out, _ = hooke("run", case, "--output", folder / f"{name}.hooke", "--force", "--json", "-q", "--no-pictures")
            best = min(best, json.loads(out)["seconds"]["solve"])
        result[name] = best
    return {"solve_seconds_without": result["without"], "solve_seconds_with": result["with"],
            "share": 1 - result["without"] / result["with"]}


def memory(folder, quick):
    """Peak resident memory of a run per tet4 element, mesh read from a file, and what `hooke check` said."""
    path = folder / "delaunay3.msh"
    if not path.exists():
        return None
    case = folder / "memory.yaml"
    case.write_text(CASE.format(mesh=path, middle="0.5, 0.5, 0.5", direction="0, 0, 1", frequency=2,
                                outputs="traces: [{name: a, at: [[0.5, 0.5, 0.7]], quantity: velocity}]", end=0.2)
                    .replace("plane: strain\n", ""))
    checked = json.loads(hooke("check", case, "--json", "-q")[0])
    ran = json.loads(hooke("run", case, "--output", folder / "memory.hooke", "--force", "--json", "-q", "--no-pictures")[0])
    elements = ran["counts"]["elements"]
    return {"elements": elements, "method": ran["method"], "peak_bytes": ran["peak_memory_bytes"],
            "bytes_per_element": ran["peak_memory_bytes"] / elements, "predicted_bytes": checked["memory_bytes"],
            "predicted_over_peak": checked["memory_bytes"] / ran["peak_memory_bytes"],
            "predicted_seconds": checked["seconds"], "solve_seconds": ran["seconds"]["solve"],
            "assemble_over_step": (ran["seconds"]["mesh"] + ran["seconds"]["assemble"]) / ran["seconds"]["solve"] *
            ran["counts"]["steps"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small meshes: shows that it works, measures nothing")
    parser.add_argument("--brief", action="store_true", help="tri3, hex8 and a Delaunay tet4 mesh in single alone")
    parser.add_argument("--output", default=str(root / "bench" / "results" / "cpu.json"))
    args = parser.parse_args()
    prepare()
    devices = json.loads(hooke("devices", "--json")[0])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        result = {
            "bench": "explicit", "commit": call("git", "-C", root, "rev-parse", "--short", "HEAD").strip(),
            "device": devices[0], "copy_gb_per_s": devices[0]["copy_gb_per_s"],
            "stream_gb_per_s": devices[0]["stream_gb_per_s"],
            "compiler": call("cc", "--version").splitlines()[0], "system": platform.platform(),
            "rows": all_steps(folder, args.quick, args.brief), "reading": reading(folder, args.quick),
            "writing": writing(folder, args.quick), "memory": memory(folder, args.quick),
        }
    pathlib.Path(args.output).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(args.output).write_text(json.dumps(result, indent=1) + "\n")
    print(args.output)


if __name__ == "__main__":
    main()
