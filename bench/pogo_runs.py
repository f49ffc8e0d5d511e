#!/usr/bin/env python3
"""Runs the models of Huthwaite (2014) from beginning to end by `hooke run`, and writes rows for bench/results/pogo_*.json.

  HOOKE=build/hooke python3 bench/pogo_runs.py FOLDER [--device cuda] [--budget SECONDS] [--fine FOLDER] [--only REGEX] [--output FILE]

FOLDER holds weld.inp, gear.inp, and geophysics.yaml with its mesh.inp; --fine a folder with the same at half the element length and dt, as bench/refine.py
makes them, which may end earlier. Files that are not there are left out, and so are runs that by the rates of RATE would end after the budget, which are listed in the
order of importance. A row of table "run" has the seconds of the steps and of all before them; one of table "discrepancy" the largest
distance of the traces from those of the run `against`, relative to the peak of the receiver: the worst receiver counts. A receiver that moves by less
than 1e-4 of the most that any receiver moves has no signal and does not count. by_tenth: the same in each tenth of the time (Figure 11c)."""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

HOOKE = os.environ.get("HOOKE", str(pathlib.Path(__file__).resolve().parent.parent / "build" / "hooke"))
MODELS = {"weld": "weld.inp", "geophysics": "geophysics.yaml", "gear": "gear.inp"}
# the paper's seconds of all steps, aligned blocks
PAPER = {("weld", "double"): 75.3, ("weld", "single"): 43.7, ("gear", "double"): 1476, ("gear", "single"): 822, ("geophysics", "double"): 49.4,
         ("geophysics", "single"): 27.3}
REFERENCE = ("auto", "double")
# case, method, precision, fine
RUNS = [("gear", *REFERENCE, False), ("gear", "blocks", "double", False)]
RUNS += [(c, m, p, fine) for c in ("geophysics", "weld")
         for m, p, fine in ((*REFERENCE, False), ("blocks", "double", False), ("auto", "single", True), ("blocks", "single", False), ("auto", "single", False))]
RUNS += [("gear", "auto", "single", True), ("gear", "blocks", "single", False), ("gear", "auto", "single", False)]
FINE_PART = {"weld": 1, "geophysics": 1, "gear": 0.1}
RATE = {("auto", "double"): 40e9, ("auto", "single"): 60e9, ("blocks", "double"): 20e9, ("blocks", "single"): 30e9}


def call(*words):
    done = subprocess.run([HOOKE, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise SystemExit(f"hooke {' '.join(map(str, words))}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def traces_of(path):
    """{(request, x, y): (time[samples], displacement[component][samples])}"""
    with h5py.File(path) as file:
        return {(name, *np.round(g["coordinates"][r], 9)): (g["time"][()], g["displacement"][r])
                for name, g in file["traces"].items() for r in range(g["displacement"].shape[0])}


def norm(u):
    return np.sqrt((u ** 2).sum(axis=0))


def discrepancy(reference, other):
    """(worst, [of each tenth], receivers with a signal); None without any. The other may end earlier or later."""
    loudest = max((norm(u).max() for _, u in reference.values()), default=0)
    worst, tenths, count = 0.0, np.zeros(10), 0
    for key, (time_a, a) in reference.items():
        b = other[key][1]
        n = min(a.shape[1], b.shape[1])
        if not np.allclose(time_a[:n], other[key][0][:n], rtol=1e-9, atol=1e-9 * time_a[-1]):
            raise SystemExit(f"{key}: the samples are not at the same times")
        peak = norm(a[:, :n]).max()
        if not peak > 1e-4 * loudest:
            continue
        apart = norm(a[:, :n] - b[:, :n]) / peak
        count += 1
        worst = max(worst, apart.max())
        tenths = np.maximum(tenths, [part.max() for part in np.array_split(apart, 10)])
    return (worst, tenths.tolist(), count) if count else None


class Bench:
    def __init__(self, args, scratch):
        self.args, self.scratch, self.start = args, scratch, time.monotonic()
        self.rows, self.traces, self.blocks, self.size = [], {}, {}, {}

    def left(self):
        return self.args.budget - (time.monotonic() - self.start)

    def model(self, case, fine):
        folder = self.args.fine if fine else self.args.folder
        path = folder / MODELS[case] if folder else None
        return path if path and path.exists() else None

    def file_of(self, case):
        """The blocks of a model, partitioned once."""
        if case not in self.blocks:
            path = self.scratch / f"{case}.blocks"
            said = call("partition", self.model(case, False), "--output", path, "--json", "-q")
            self.blocks[case] = path, sum(said["seconds"][k] for k in ("graph", "partition", "arrange", "write"))
        return self.blocks[case]

    def seconds_of(self, case, method, precision, fine):
        """What the steps will take; a fine model has four times as many unknowns and, where it ends as late, twice as many steps."""
        if case not in self.size:
            counts = call("check", self.model(case, False), "--json", "-q")["counts"]
            self.size[case] = counts["dofs"] * counts["steps"]
        return self.size[case] * (8 * FINE_PART[case] if fine else 1) / (RATE[method, precision] * self.args.speed)

    def run(self, case, method, precision, fine):
        model = self.model(case, fine)
        label = f"{case}{' fine' if fine else ''} {method} {precision}"
        if not model or not re.search(self.args.only, label):
            return
        expected = self.seconds_of(case, method, precision, fine)
        if expected + 4 > self.left():
            print(f"{label}: left out, {expected:.0f} s of {self.left():.0f} s", file=sys.stderr)
            return
        words = ["run", model, "--output", self.scratch / "run.hooke", "--force", "--no-pictures", "--json", "-q", "--device", self.args.device,
                 "--precision", precision, "--checkpoint", 1000000]
        words += ["--blocks", self.file_of(case)[0]] if method == "blocks" else []
        said = call(*words)
        traces = traces_of(self.scratch / "run.hooke" / "run.h5")
        shutil.rmtree(self.scratch / "run.hooke")
        self.add(case, fine, method, said, traces)
        print(f"{label}: {said['method']}, {said['counts']['steps']} steps in {said['seconds']['solve']:.2f} s; {self.left():.0f} s left", file=sys.stderr)

    def row(self, table, case, fine, method, said, **more):
        name = "blocks, aligned" if method == "blocks" else said["method"]
        return {"case": f"{case}, twice the resolution" if fine else case, "table": table, "method": name, "device": said["device"],
                "precision": said["precision"], "dofs": said["counts"]["dofs"], "elements": said["counts"]["elements"],
                "steps": said["counts"]["steps"], **more}

    def add(self, case, fine, method, said, traces):
        seconds, precision = said["seconds"], said["precision"]
        more = {"stepping_seconds": seconds["solve"], "setup_seconds": seconds["mesh"] + seconds["assemble"],
                "read_seconds": seconds["read"], "output_seconds": seconds["output"], "total_seconds": seconds["total"],
                "gdof_per_s": said["counts"]["dofs"] * said["counts"]["steps"] / seconds["solve"] * 1e-9}
        if method == "blocks":
            more.update(block_seconds=self.file_of(case)[1], paper_stepping_seconds=PAPER.get((case, precision)))
        self.rows.append(self.row("run", case, fine, method, said, **{k: v for k, v in more.items() if v is not None}))
        if (method, precision) == REFERENCE and not fine:
            self.traces[case] = said, traces
        elif case in self.traces:
            self.compare(case, fine, method, said, traces)
        self.write()

    def compare(self, case, fine, method, said, traces):
        """The reference is the default form in double; of a run at twice the resolution it is that."""
        first, reference = self.traces[case]
        found = discrepancy(traces, reference) if fine else discrepancy(reference, traces)
        if not found:
            print(f"{case}: no receiver has a signal: no discrepancy", file=sys.stderr)
            return
        row = self.row("discrepancy", case, False, "auto" if fine else method, first if fine else said,
                       against="twice the resolution" if fine else f"{first['method']}, double",
                       discrepancy=found[0], by_tenth=found[1], receivers=found[2])
        if fine:
            row["steps"] = said["counts"]["steps"] // 2
        self.rows.append(row)

    def write(self):
        if self.args.output:
            self.args.output.write_text(json.dumps({"bench": "pogo runs", "commit": self.args.commit, "rows": self.rows}, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--fine", type=pathlib.Path)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--budget", type=float, default=1e9, help="seconds for all")
    parser.add_argument("--speed", type=float, default=1, help="of the device, relative to the rates that the budget is judged by")
    parser.add_argument("--only", default="", help="regular expression on 'case [fine] method precision'")
    parser.add_argument("--commit", default="")
    parser.add_argument("--output", type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        bench = Bench(args, pathlib.Path(name))
        for run in RUNS:
            bench.run(*run)
    if not args.output:
        print(json.dumps(bench.rows, indent=1))


if __name__ == "__main__":
    main()
