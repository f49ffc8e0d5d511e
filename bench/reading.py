#!/usr/bin/env python3
"""Times what stands before and behind the steps of a run: reading meshes of every format, and the whole run of `make demo` with its pictures.

  .venv/bin/python bench/reading.py BUILD --output FILE [--elements N] [--threads 1,2] [--repeats N] [--commit C] [--compiler TEXT] [--about TEXT]

BUILD is a build folder with -DHOOKE_BENCH=ON. The mesh is a cube of tetrahedra: a binary .msh file, which `hooke convert` writes as the other formats.
bench/read_file.c reads each file three times; the least time counts, with the file in the memory of the system. The demo is run --repeats times; the least
time counts."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

root = pathlib.Path(__file__).resolve().parent.parent
KUHN = ((0, 1, 3, 7), (0, 5, 1, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 4, 5, 7), (0, 6, 4, 7))


def call(*words, **env):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env={**os.environ, **env})
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr.strip()[-2000:]}")
    return done.stdout


def tetrahedra(cells):
    """Nodes [node, 3] and elements [element, 4] of a cube, its nodes in random order."""
    side, random = cells + 1, np.random.default_rng(5)
    axes = np.meshgrid(*[np.arange(side)] * 3, indexing="ij")
    x = np.stack([a.ravel() / cells for a in axes], axis=1)
    corner = np.arange(side**3).reshape([side] * 3)
    corners = np.stack([corner[tuple(slice(k >> d & 1, (k >> d & 1) + cells) for d in range(3))].ravel() for k in range(8)], axis=1)
    place = random.permutation(len(x))
    shuffled = np.empty_like(x)
    shuffled[place] = x
    return shuffled, place[np.concatenate([corners[:, p] for p in KUHN])]


def write_msh(path, x, elements):
    """Gmsh 4.1, binary: one volume."""
    ints, sizes = (lambda *v: np.array(v, "<i4").tobytes()), (lambda *v: np.array(v, "<u8").tobytes())
    rows = np.empty((len(elements), 5), "<u8")
    rows[:, 0] = np.arange(1, len(elements) + 1)
    rows[:, 1:] = elements + 1
    with open(path, "wb") as f:
        f.write(b"$MeshFormat\n4.1 1 8\n" + ints(1) + b'\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 "body"\n$EndPhysicalNames\n$Entities\n')
        f.write(sizes(0, 0, 0, 1) + ints(1) + np.array([0, 0, 0, 1, 1, 1], "<f8").tobytes() + sizes(1) + ints(1) + sizes(0) + b"\n$EndEntities\n$Nodes\n")
        f.write(sizes(1, len(x), 1, len(x)) + ints(3, 1, 0) + sizes(len(x)) + np.arange(1, len(x) + 1, dtype="<u8").tobytes())
        f.write(x.astype("<f8").tobytes() + b"\n$EndNodes\n$Elements\n" + sizes(1, len(rows), 1, len(rows)) + ints(3, 1, 4) + sizes(len(rows)))
        f.write(rows.tobytes() + b"\n$EndElements\n")


def reading(build, folder, elements, threads):
    x, tets = tetrahedra(max(2, round((elements / 6) ** (1 / 3))))
    files = [folder / f"cube.{extension}" for extension in ("msh", "inp", "vtu", "vtkhdf")]
    write_msh(files[0], x, tets)
    for path in files[1:]:
        call(build / "hooke", "convert", files[0], path)
    for path in files:
        for count in threads:
            row = json.loads(call(build / "bench" / "read_file", path, OMP_NUM_THREADS=str(count)))
            if (row["nodes"], row["elements"]) != (len(x), len(tets)):
                raise SystemExit(f"{path.name}: {row['nodes']} nodes and {row['elements']} elements were read")
            yield {"format": "binary .msh" if path.suffix == ".msh" else path.suffix, "threads": count, **row, "bytes": path.stat().st_size}


def demo(build, folder, repeats):
    """The run of `make demo`."""
    best, ran = 1e30, None
    for _ in range(repeats):
        start = time.monotonic()
        call(build / "hooke", "run", root / "examples" / "weld" / "weld.inp.gz", "--output", folder / "demo", "--force", "-q")
        seconds = time.monotonic() - start
        if seconds < best:
            best, ran = seconds, json.loads((folder / "demo" / "run.json").read_text())
    return {"case": "weld, as `make demo` runs it", "nodes": ran["counts"]["nodes"], "steps": ran["counts"]["steps"], "threads": ran["threads"], "whole": best,
            "solve": ran["seconds"]["solve"], "pictures": ran["stages"]["output/pictures"], "report": ran["stages"]["output/report"], "repeats": repeats}, ran["device_name"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--elements", type=float, default=6e6)
    parser.add_argument("--threads", type=lambda words: [int(word) for word in words.split(",")], default=[1, 2])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--commit", default="", help="of BUILD (default: that of this folder)")
    parser.add_argument("--compiler", default="")
    parser.add_argument("--about", default="", help="a sentence for the page, such as what else ran on the machine")
    parser.add_argument("--output", required=True)
    args = parser.parse_args()
    commit = args.commit or subprocess.run(["git", "-C", root, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    with tempfile.TemporaryDirectory() as name:
        run, device = demo(args.build, pathlib.Path(name), args.repeats)
        rows = list(reading(args.build, pathlib.Path(name), args.elements, args.threads))
    pathlib.Path(args.output).write_text(json.dumps({"bench": "reading", "commit": commit, "device_name": device, "compiler": args.compiler, "about": args.about,
                                                     "rows": rows, "demo": run}, indent=1) + "\n")
    for row in rows:
        print(f'{row["format"]:12} {row["threads"]} threads: {row["bytes"] / row["seconds"] / 1e6:6.0f} MB/s')
    print(f'demo: {run["whole"]:.2f} s')


if __name__ == "__main__":
    sys.exit(main())
