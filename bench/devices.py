#!/usr/bin/env python3
"""Times the steps of one model on 1, 2, ... devices of a machine, and compares the bytes of the results with those of one.

  python3 bench/devices.py HOOKE [--device cuda] [--devices 2 4] [--links peers memory] [--scale F] [--only REGEX] [--commit C] [--output FILE]

HOOKE is a program (build/hooke, or a command that runs it). Each model runs with a number of steps and with six times as many: the time of a step is the
difference of the times to solve over that of the steps, so that starting, compiling and the first launches do not count. "same" says whether run.h5 of
several devices has the bytes of one's. --scale is a factor on the numbers of nodes. --device cpu names the processor so often, for a trial."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from whole import body

root = pathlib.Path(__file__).resolve().parent.parent
MODELS = {  # name: shape, nodes, form of K, steps
    "tri3, 4 M nodes": ("tri", 4e6, "matrix-free", 4000),
    "tet4, 1 M nodes": ("tet", 1e6, "edges", 2000),
    "tet4, 10 M nodes": ("tet", 10e6, "edges", 500),
    "hex8, 4 M nodes": ("hex", 4e6, "stored", 500)}


def case(shape, nodes, form, steps):
    """A body of unit stiffness with cells of length 1 / n: dt = 0.25 / n lies below the bound of each shape."""
    what = body(shape, nodes)
    mesh = next(iter(what["mesh"].values()))
    dt, middle = 0.25 / mesh["cells"][0], [0.47] * len(mesh["cells"])
    ricker = {"ricker": {"frequency": 0.01 / dt, "t0": 120 * dt}}
    return what | {"materials": {"m": {"density": 1, "young": 1, "poisson": 0.3}},
                   "sources": [{"at": middle, "force": 1, "direction": [1] + [0] * (len(middle) - 1), "signal": ricker}],
                   "outputs": {"traces": [{"name": "a", "at": [middle]}]}, "solve": {"explicit": {"end": steps * dt, "dt": dt, "method": form}}}


def command(words, what, folder, device, more):
    (folder / "case.json").write_text(json.dumps(what))
    out = folder / "out"
    done = subprocess.run([*words, "run", str(folder / "case.json"), "--output", str(out), "--force", "--device", device, *more, "--precision", "single",
                           "--no-pictures", "--progress", "none", "-q"], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)} on {device}: {done.stderr.strip()[-2000:]}")
    return json.loads((out / "run.json").read_text()), (out / "run.h5").read_bytes()


def step(words, name, count, link, args):
    """(row without comparison, bytes of the longer run) on so many devices."""
    shape, nodes, form, steps = MODELS[name]
    device = ",".join(args.device if args.device == "cpu" else f"{args.device}:{k}" for k in range(count))
    more = ["--link", link] if link else []
    with tempfile.TemporaryDirectory() as folder:
        few, _ = command(words, case(shape, nodes * args.scale, form, steps), pathlib.Path(folder), device, more)
        many, data = command(words, case(shape, nodes * args.scale, form, 6 * steps), pathlib.Path(folder), device, more)
    seconds = [r["seconds"]["solve"] - r["stages"].get("solve/compile", 0) for r in (few, many)]
    taken = [r["counts"]["steps"] for r in (few, many)]
    return {"model": name, "form": many["method"], "nodes": many["counts"]["nodes"], "dofs": many["counts"]["dofs"], "devices": count, "link": link,
            "steps": taken, "us_per_step": 1e6 * (seconds[1] - seconds[0]) / (taken[1] - taken[0]), "device_name": many["device_name"]}, data


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hooke")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--devices", type=int, nargs="+", default=[2])
    parser.add_argument("--links", nargs="+", default=["peers", "memory"])
    parser.add_argument("--scale", type=float, default=1, help="factor on the numbers of nodes")
    parser.add_argument("--only", default="", help="regular expression on the name of a model")
    parser.add_argument("--commit", default="", help="of HOOKE (default: that of this folder)")
    parser.add_argument("--output")
    args = parser.parse_args()
    commit = args.commit or subprocess.run(["git", "-C", root, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    rows, words = [], args.hooke.split()
    for name in (n for n in MODELS if re.search(args.only, n)):
        first = None
        for count, link in [(1, None)] + [(n, link) for n in args.devices for link in args.links]:
            row, data = step(words, name, count, link, args)
            first = first or (row, data)
            row |= {"commit": commit, "speedup": first[0]["us_per_step"] / row["us_per_step"], "same": data == first[1]}
            rows.append(row)
            print(f'{name} on {count} {link or ""}: {row["us_per_step"]:.1f} us a step, {row["speedup"]:.2f} times one, {"same bytes" if row["same"] else "OTHER BYTES"}', flush=True)
            if args.output:
                pathlib.Path(args.output).write_text(json.dumps({"bench": "devices", "device_name": row["device_name"], "rows": rows}, indent=1) + "\n")
    return not all(r["same"] for r in rows)


if __name__ == "__main__":
    sys.exit(main())
