#!/usr/bin/env python3
"""Measures every form of K on a device and writes one JSON object, with rows like those of `hooke bench --json`.

  python3 bench/device.py --device cuda --output bench/results/h200.json [--steps PROGRAM] [--box box.npz] [--only REGEX] [--nodes F]

The state is measured as increments in single precision and as positions in both. Several programs prepare at the same time; a lock lets one of
them measure. The meshes are jittered grids in random order; --box (bench/tile.py) adds a mirrored Delaunay mesh of tetrahedra."""
import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
NODES = {"tri3": 6e6, "quad4": 6e6, "hex8": 4e6}
METHODS = ("stored", "matrix-free", "edges")
VARIANTS = (("single", "increments"), ("single", "positions"), ("double", "positions"))


def cases(args, folder):
    meshes = [(name, ["--mesh", name, "--nodes", str(n * args.nodes)]) for name, n in NODES.items()]
    if args.box:
        mesh = folder / "tiled.msh"
        subprocess.run([sys.executable, str(root / "bench" / "tile.py"), args.box, *args.tiles, str(mesh)], check=True,
                       stdout=sys.stderr)
        meshes.append(("tet4 Delaunay", ["--mesh-file", str(mesh)]))
    for name, words in meshes:
        for method in args.methods.split(","):
            for precision, form in VARIANTS:
                key = f"{name} {method} {precision} {form}"
                if re.search(args.only, key):
                    yield name, [*words, "--method", method, "--precision", precision, "--form", form]


def measure(args, folder, name, words):
    done = subprocess.run([*args.steps.split(), "--json", "--device", args.device, "--threads", str(args.threads), "--lock",
                           str(folder / "lock"), *words], capture_output=True, text=True)
    if done.returncode:
        print(name, *words, done.stderr.strip(), file=sys.stderr)
        return None
    row = {"case": name, **json.loads(done.stdout)}
    print(f'{name:14} {row["method"]:12} {row["precision"]:7} {row["form"]:11} {row["nodes"]:9} nodes {row["gdof_per_s"]:8.2f} GDOF/s '
          f'{row["bytes_per_dof"]:6.1f} B/dof {100 * row["share_of_copy"]:4.0f} % of copy, lists {row["list_bytes_per_node"]:6.1f} '
          f'B/node, create {row["create_seconds"]:.1f} s', flush=True)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--steps", default=str(root / "build" / "bench" / "operator_steps"), help="the program, words before it too")
    parser.add_argument("--box", help="npz of a tetrahedral mesh of the unit cube")
    parser.add_argument("--tiles", nargs=3, default=["2", "2", "2"])
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--only", default="", help="regular expression on 'case method precision form'")
    parser.add_argument("--nodes", type=float, default=1, help="factor on the numbers of nodes")
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--commit", default="")
    parser.add_argument("--output")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        folder = pathlib.Path(name)
        rows = [r for r in pool.map(lambda c: measure(args, folder, *c), list(cases(args, folder))) if r]
    if args.output:
        result = {"bench": "device", "commit": args.commit, "device": rows[0]["device"] if rows else args.device,
                  "copy_gb_per_s": max((r["copy_gb_per_s"] for r in rows), default=0), "rows": rows}
        pathlib.Path(args.output).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
