#!/usr/bin/env python3
"""Times the steps of one model on 1, 2, ... devices of a machine, and compares the bytes of the results with those of one.

  python3 bench/devices.py HOOKE [--device cuda] [--devices 2 4] [--links peers memory] [--weak] [--scale F] [--only REGEX] [--commit C] [--output FILE]

HOOKE is a program (build/hooke, or a command that runs it). The time of a step is the slope of a line through the reports of `--progress json`, which come
ten times a second: step over time. The first third of the reports does not count. "same" says whether run.h5 of several devices has the bytes of one's.
--weak also steps a body that is n times as long on n devices. --scale is a factor on the numbers of nodes. --device cpu names the processor so often, for a trial."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from whole import body

root = pathlib.Path(__file__).resolve().parent.parent
MODELS = {  # name: shape, order, nodes, form of K, steps
    "tri3, 4 M nodes": ("tri", 1, 4e6, "matrix-free", 20000),
    "tri3, 6 M nodes": ("tri", 1, 6e6, "matrix-free", 15000),
    "tri3, 30 M nodes": ("tri", 1, 30e6, "matrix-free", 3000),
    "tet4, 1 M nodes": ("tet", 1, 1e6, "edges", 15000),
    "tet4, 4 M nodes": ("tet", 1, 4e6, "edges", 5000),
    "tet4, 10 M nodes": ("tet", 1, 10e6, "edges", 2400),
    "hex8, 4 M nodes": ("hex", 1, 4e6, "stored", 2000),
    "hex8, 10 M nodes": ("hex", 1, 10e6, "matrix-free", 2400),
    "spectral 3D, order 4, 20 M nodes": ("hex", 4, 20e6, "spectral", 1600)}


def case(shape, order, nodes, form, steps, times=1):
    """A body of unit stiffness with cells of length 1 / n, `times` as long as wide: dt = 0.25 / n lies below the bound of each shape of first order."""
    what = body(shape, nodes, order)
    mesh = next(iter(what["mesh"].values()))
    dt, middle = 0.25 / mesh["cells"][0] / (order * order), [0.47] * len(mesh["cells"])
    mesh["size"] = [times, *mesh["size"][1:]]
    mesh["cells"] = [times * mesh["cells"][0], *mesh["cells"][1:]]
    ricker = {"ricker": {"frequency": 0.01 / dt, "t0": 120 * dt}}
    return what | {"materials": {"m": {"density": 1, "young": 1, "poisson": 0.3}},
                   "sources": [{"at": middle, "force": 1, "direction": [1] + [0] * (len(middle) - 1), "signal": ricker}],
                   "outputs": {"traces": [{"name": "a", "at": [middle]}]}, "solve": {"explicit": {"end": steps * dt, "dt": dt, "method": form}}}


def slope(reports, dofs):
    """us per step of the reports of a run: the least squares of time over steps."""
    points = [(r["step"], r["step"] * dofs / r["dof_updates_per_second"]) for r in reports if r["stage"] == "solve" and r.get("dof_updates_per_second")]
    points = points[len(points) // 3:-1]
    if len(points) < 3:
        raise SystemExit("too few reports of progress: more steps are needed")
    x, y = (sum(p[k] for p in points) / len(points) for k in range(2))
    return 1e6 * sum((p[0] - x) * (p[1] - y) for p in points) / sum((p[0] - x) ** 2 for p in points)


def command(words, what, folder, device, more):
    """run.json, bytes of run.h5 and us per step of a run."""
    (folder / "case.json").write_text(json.dumps(what))
    out = folder / "out"
    done = subprocess.run([*words, "run", str(folder / "case.json"), "--output", str(out), "--force", "--device", device, *more, "--precision", "single",
                           "--no-pictures", "--progress", "json"], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)} on {device}: {done.stderr.strip()[-2000:]}")
    run = json.loads((out / "run.json").read_text())
    reports = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    return run, (out / "run.h5").read_bytes(), slope(reports, run["counts"]["dofs"])


def names_of(count, args):
    return ",".join(args.device if args.device == "cpu" else f"{args.device}:{k}" for k in range(count))


def step(words, name, count, link, args, times=1):
    """(row without comparison, bytes of the run) on so many devices."""
    shape, order, nodes, form, steps = MODELS[name]
    more = ["--link", link] if link else []
    with tempfile.TemporaryDirectory() as folder:
        run, data, us = command(words, case(shape, order, nodes * args.scale, form, round(steps * args.steps), times), pathlib.Path(folder), names_of(count, args), more)
    return {"model": name, "form": run["method"], "nodes": run["counts"]["nodes"], "dofs": run["counts"]["dofs"], "devices": count, "link": link,
            "steps": run["counts"]["steps"], "us_per_step": us, "seconds": run["seconds"], "device_name": run["device_name"]}, data


def runs(args):
    """(devices, link, times the length) of the runs of a model, one device first."""
    several = [(n, link) for n in args.devices for link in args.links]
    return [(1, None, 1)] + [(n, link, 1) for n, link in several] + [(n, link, n) for n, link in several if args.weak]


def line(row):
    words = f'{row["model"]} on {row["devices"]} {row["link"] or ""}: {row["us_per_step"]:.1f} us a step, '
    if row.get("table") == "weak":
        return words + f'{row["nodes"]} nodes, weak scaling {100 * row["efficiency"]:.1f} %'
    return words + f'{row["speedup"]:.2f} times one, {"same bytes" if row["same"] else "OTHER BYTES"}'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hooke")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--devices", type=int, nargs="+", default=[2])
    parser.add_argument("--links", nargs="+", default=["peers", "memory"])
    parser.add_argument("--weak", action="store_true", help="also a body of n times the length on n devices")
    parser.add_argument("--steps", type=float, default=1, help="factor on the numbers of steps")
    parser.add_argument("--scale", type=float, default=1, help="factor on the numbers of nodes")
    parser.add_argument("--only", default="", help="regular expression on the name of a model")
    parser.add_argument("--commit", default="", help="of HOOKE (default: that of this folder)")
    parser.add_argument("--output")
    args = parser.parse_args()
    commit = args.commit or subprocess.run(["git", "-C", root, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    rows, words = [], args.hooke.split()
    for name in (n for n in MODELS if re.search(args.only, n)):
        first = None
        for count, link, times in runs(args):
            row, data = step(words, name, count, link, args, times)
            first = first or (row, data)
            ratio = first[0]["us_per_step"] / row["us_per_step"]
            row |= {"commit": commit} | ({"table": "weak", "efficiency": ratio} if times > 1 else {"speedup": ratio, "same": data == first[1]})
            rows.append(row)
            print(line(row), flush=True)
            if args.output:
                pathlib.Path(args.output).write_text(json.dumps({"bench": "devices", "device_name": row["device_name"], "rows": rows}, indent=1) + "\n")
    return not all(r.get("same", True) for r in rows)


if __name__ == "__main__":
    sys.exit(main())
