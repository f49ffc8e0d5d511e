#!/usr/bin/env python3
"""Compares hooke with SPECFEM2D on its own examples: traces on the same elements with the same time step, and the time of a step.

  HOOKE=build/hooke python3 bench/specfem2d.py FOLDER [--par NAME] [--source NAME] [--sides KIND] [--traces FOLDER] [--specfem BIN]
  HOOKE=build/hooke python3 bench/specfem2d.py --all EXAMPLES [--specfem BIN] [--order P] [--only REGEX] [--build TEXT]
                                                  [--output FILE]
  HOOKE=build/hooke python3 bench/specfem2d.py --whole EXAMPLES --specfem BIN [--threads 1 2] [--commit HASH] [--build TEXT]
                                                  [--output FILE]

FOLDER is an example with its DATA; the traces come from its REF_SEIS, or from --traces. BIN is a folder with xmeshfem2D and xspecfem2D: with
it SPECFEM2D runs a copy of the example, with the sides of --sides (free, stacey; default: its own), and hooke is compared with this run.
Features that bench/specfem2d_model.py does not translate are refused with a message. --all compares the examples listed below, with BIN also those
without published traces, and times both codes in turns on one thread in single precision; it writes bench/results/specfem2d.json. With --order 2 BIN was built with NGLLX = 3; its times are
in bench/results/specfem2d_order2.json (--only '^speed$').

The misfit is the L2 norm of the difference relative to that of SPECFEM2D's trace, for each component of each station; `all` takes all traces
together. Traces below 1e-4 of the largest (across a symmetry, at the end of their layer) are left out."""
import argparse
import json
import os
import pathlib
import platform
import re
import resource
import shutil
import statistics
import subprocess
import tempfile
import time

import numpy as np

from specfem2d_model import Model, Refused

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORNER = "no_attenuation_2D_at_the_corner_between_several_spectral_elements"
FORCE, PRESSURE = (f"check_absolute_amplitude_of_{what}" for what in (
    "force_source_seismograms_elastic", "pressure_source_seismograms_acoustic"))
BY_NAME = {"par": f"Par_file_{CORNER}", "source": f"SOURCE_{CORNER}"}
OCEAN = "fluid_solid/from_2000_Geophysics_paper_"
# medium, folder, files, and the sides with which SPECFEM2D is run here: None: published traces
EXAMPLES = (
    ("solid", FORCE, BY_NAME, None), ("solid", FORCE, BY_NAME, "stacey"),
    ("fluid", PRESSURE, BY_NAME, None), ("fluid", PRESSURE, BY_NAME, "stacey"),
    ("solid", "semi_infinite_homogeneous", {}, None), ("solid", "infinite_homogeneous_moment_tensor_vertical_dip_slip", {}, None),
    ("solid", "Tromp2005_kernel", {}, None),
    ("fluid", "attenuation/viscoacoustic_attenuation_off_versus_analytical", {}, None), ("two fluids", "Gmsh_example_Stacey_MPI", {}, None),
    ("anisotropic layer", "anisotropic_isotropic_model", {}, None), ("anisotropic layer", "anisotropic_isotropic_model", {}, "free"),
    ("anisotropic", "anisotropic_zinc_crystal", {}, "free"),
    ("layers, topography, fluid between solids", "simple_topography_and_also_a_simple_fluid_layer", {}, None),
    ("layers, topography, fluid between solids", "simple_topography_and_also_a_simple_fluid_layer", {}, "stacey"),
    ("layers, topography, fluid between solids", "simple_topography_and_also_a_simple_fluid_layer", {}, "free"),
    ("fluid over solid", "fluid_solid/fluid_solid_external_mesh", {}, None), ("fluid over solid", OCEAN + "flat_ocean_bottom", {}, "free"),
    ("fluid over solid, curved", OCEAN + "sinusoidal_ocean_bottom", {}, "free"),
    ("fluid between solids", "BENCHMARK_CLAERBOUT_ADJOINT/ACOUSTIC_ELASTIC", {}, "stacey"))
QUIET = {"output_color_image": ".false.", "output_postscript_snapshot": ".false.", "output_grid_Gnuplot": ".false.",
         "output_grid_ASCII": ".false.", "OUTPUT_ENERGY": ".false.", "NTSTEP_BETWEEN_OUTPUT_INFO": "1000000",
         "SU_FORMAT": ".false.", "save_ASCII_seismograms": ".true."}
SIZES = {2: [(182, 2000)], 4: [(44, 4000), (176, 250)]}  # by order: elements along a side, steps
SWITCH = {True: ".true.", False: ".false."}


def spent():
    """Processor's seconds of the programs that have been run."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def hooke(case, out, *words):
    """Runs the command; its summary."""
    done = subprocess.run([*os.environ["HOOKE"].split(), "run", case, "--output", out, "--no-pictures", "--json", "-q", "--force", *words],
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{case}: {done.stderr}")
    return json.loads(done.stdout)


def edit(path, changes):
    """Other values of keys in a file of `key = value` lines."""
    text = path.read_text(errors="replace")
    for key, new in changes.items():
        text = re.sub(rf"(?m)^({key}\s*=).*$", rf"\1 {new}", text)
    path.write_text(text)


def specfem(folder, binaries, where, par, source, changes):
    """Runs SPECFEM2D on a copy of an example; [processor's seconds, wall seconds] of the mesher and of the solver. Its traces are in where/OUTPUT_FILES."""
    for name in ("DATA", "MESH", "mesh"):
        if (folder / name).is_dir():
            shutil.copytree(folder / name, where / name, symlinks=True)
    for own, needed in ((par, "Par_file"), (source, "SOURCE")):
        if own != needed:
            shutil.copy(where / "DATA" / own, where / "DATA" / needed)
    (where / "OUTPUT_FILES").mkdir()
    edit(where / "DATA" / "Par_file", QUIET | {"NPROC": "1"} | changes)
    taken = []
    for program in ("xmeshfem2D", "xspecfem2D"):
        before, start = spent(), time.monotonic()
        done = subprocess.run([pathlib.Path(binaries).resolve() / program], cwd=where, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{program} on {folder}: {(done.stdout + done.stderr)[-1000:]}")
        taken.append((spent() - before, time.monotonic() - start))
    return taken


def sides_of(kind):
    return {"PML_BOUNDARY_CONDITIONS": SWITCH[False], "STACEY_ABSORBING_CONDITIONS": SWITCH[kind == "stacey"]} if kind else {}


def compare(model, got, traces):
    """For each trace that SPECFEM2D has: station, component, place, misfit, correlation, the samples of both."""
    out = []
    for (name, at), of in zip(model.receivers(), got):
        for letter, values in zip("P" if model.quantity == "pressure" else "XZ", of):
            files = sorted(pathlib.Path(traces).glob(f"{name}.{'PRE' if letter == 'P' else '??' + letter}.sem?"))
            if not files:
                continue
            reference = np.loadtxt(files[0])[:, 1]
            if len(reference) != len(values):
                raise SystemExit(f"{files[0]}: {len(reference)} samples, hooke has {len(values)}")
            out.append((name, letter, at, values, reference))
    if not out:
        raise SystemExit(f"{traces}: none of the traces of {model.folder}")
    least = 1e-4 * max(np.linalg.norm(row[-1]) for row in out)
    return [(name, letter, at, np.linalg.norm(a - b) / np.linalg.norm(b), float(a @ b / np.linalg.norm(a) / np.linalg.norm(b)), a, b)
            for name, letter, at, a, b in out if np.linalg.norm(b) > least]


def summary(model, rows, seconds):
    ours, theirs = (np.concatenate([row[k] for row in rows]) for k in (5, 6))
    misfits = [row[3] for row in rows]
    return {"elements": len(model.elements), "steps": model.steps, "dt": model.dt, "sides": model.sides, "quantity": model.quantity,
            "stations": len({row[0] for row in rows}), "traces": len(rows), "misfit_all": np.linalg.norm(ours - theirs) / np.linalg.norm(theirs),
            "misfit_median": statistics.median(misfits), "misfit_worst": max(misfits),
            "worst": next(f"{row[0]} {row[1]}" for row in rows if row[3] == max(misfits)),
            "correlation_worst": min(row[4] for row in rows), "solve_seconds": seconds}


def one(folder, args, par="Par_file", source="SOURCE", sides=None, run=False, traces=None):
    """Compares one example: (rows, summary). run: with SPECFEM2D as it is run here."""
    folder = pathlib.Path(folder)
    model = Model(folder, par, source, sides)
    with tempfile.TemporaryDirectory() as name:
        where = pathlib.Path(name)
        if run:
            (where / "specfem").mkdir()
            specfem(folder, args.specfem, where / "specfem", par, source, sides_of(sides if sides in ("free", "stacey") else None))
            traces = where / "specfem" / "OUTPUT_FILES"
        told = hooke(model.write(where), where / "out", "--precision", "double")
        import h5py  # --whole needs no traces, and runs where it is missing
        with h5py.File(where / "out" / "run.h5") as file:
            got = file[f"traces/rx/{model.quantity}"][:]
        rows = compare(model, got, traces or folder / "REF_SEIS")
    return rows, summary(model, rows, told["seconds"]["solve"])


def refine(folder, where, cells, steps):
    """Copies an example of one layer and one region to `where`, with free sides, `cells` elements along each and a step as much shorter."""
    model = Model(folder, **BY_NAME, sides="free")
    shutil.copytree(folder / "DATA", where / "DATA")
    curves, par = where / "DATA" / str(model.key["interfacesfile"]), where / "DATA" / BY_NAME["par"]
    n, lines = int(model.key["nx"]), curves.read_text().splitlines()
    last = max(k for k, line in enumerate(lines) if line.split("#")[0].split())
    curves.write_text("\n".join([*lines[:last], str(cells), ""]))
    edit(par, sides_of("free") | {"nx": str(cells), "DT": f"{model.dt * n / cells:.8e}", "NSTEP": str(steps)})
    par.write_text(re.sub(rf"(?m)^1 +{n} +1 +{n} +1\s*$", f"1 {cells} 1 {cells} 1", par.read_text()))


def speed(examples, args):
    """Seconds of one processor per step of both, in turns, in single precision, without anything that absorbs. What a run takes apart from
    steps is taken off by a run of a quarter of them. Order 2: the size of Table 3 of Carrascal-Manzanares et al. (2017)."""
    out = []
    for medium, name, cells, most in ((m, n, *size) for m, n in (("elastic", FORCE), ("acoustic", PRESSURE)) for size in SIZES[args.order]):
        with tempfile.TemporaryDirectory() as scratch:
            where, steps, times = pathlib.Path(scratch), (most, most // 4), []
            for n in steps:
                refine(examples / name, where / str(n), cells, n)
            models = [Model(where / str(n), **BY_NAME, sides="free", order=args.order) for n in steps]
            cases = [model.write(where / str(n)) for model, n in zip(models, steps)]
            for _ in range(args.repeats):
                pair = [[], []]
                for case, n in zip(cases, steps):
                    before = spent()
                    told = hooke(case, where / "out", "--precision", "single", "--threads", "1", "--device", "cpu")
                    pair[0].append(spent() - before)
                    (where / "run").mkdir()
                    pair[1].append(specfem(where / str(n), args.specfem, where / "run", *BY_NAME.values(), {})[1][0])
                    shutil.rmtree(where / "run")
                times.append([(long - short) / (steps[0] - steps[1]) for long, short in pair])
        ratios = [theirs / ours for ours, theirs in times]
        ours, theirs = (statistics.median(of) for of in zip(*times))
        out.append({"medium": medium, "order": args.order, "elements": len(models[0].elements), "nodes": told["counts"]["nodes"], "steps": steps[0] - steps[1],
                    "repeats": len(times), "hooke_seconds_per_step": ours, "specfem_seconds_per_step": theirs,
                    "ratio": statistics.median(ratios), "ratio_least": min(ratios), "ratio_most": max(ratios)})
        print(f"{medium}, order {args.order}, {out[-1]['elements']} elements: {ours:.2e} s, SPECFEM2D {theirs:.2e} s, {statistics.median(ratios):.1f} times "
              f"({min(ratios):.1f} to {max(ratios):.1f})", flush=True)
    return out


def commands(name, folder, where, sides, args):
    """A row of an example: seconds of whole commands in turns, the median of --repeats."""
    model = Model(folder, **BY_NAME, sides=sides)
    case, times, theirs = model.write(where), {n: [] for n in args.threads}, []
    for _ in range(args.repeats):
        for n, of in times.items():
            before, start = spent(), time.monotonic()
            told = hooke(case, where / "out", "--precision", "single", "--threads", str(n), "--device", "cpu")
            of.append((spent() - before, time.monotonic() - start, told["seconds"]["solve"]))
        (where / "run").mkdir()
        mesher, solver = specfem(folder, args.specfem, where / "run", *BY_NAME.values(), sides_of(sides))
        theirs.append((mesher[0] + solver[0], mesher[1] + solver[1], mesher[1]))
        shutil.rmtree(where / "run")
    middle = lambda of: [statistics.median(column) for column in zip(*of)]
    processor, wall, mesher = middle(theirs)
    row = {"example": name, "sides": sides, "elements": len(model.elements), "nodes": told["counts"]["nodes"], "steps": model.steps, "repeats": args.repeats,
           "specfem_processor": processor, "specfem_wall": wall, "specfem_mesher": mesher,
           "hooke": [dict(zip(("threads", "processor", "wall", "solve"), (n, *middle(of)))) for n, of in times.items()]}
    print(f"{name}, {sides}, {row['elements']} elements, {model.steps} steps: SPECFEM2D {wall:.2f} s ({processor:.2f} of the processor), hooke "
          + ", ".join(f"{of['wall']:.2f} s ({of['processor']:.2f}) on {of['threads']}" for of in row["hooke"]), flush=True)
    return row


def whole(args):
    """Whole commands: the examples with their own mesh and steps, and with four times as many elements along a side."""
    examples, rows = pathlib.Path(args.whole), []
    for medium, name in (("elastic", FORCE), ("acoustic", PRESSURE)):
        with tempfile.TemporaryDirectory() as scratch:
            where = pathlib.Path(scratch)
            rows.append({"medium": medium} | commands(name, examples / name, where, "stacey", args))
            refine(examples / name, where / "fine", 176, 250)
            rows.append({"medium": medium} | commands(name, where / "fine", where, "free", args))
    devices = json.loads(subprocess.run([*os.environ["HOOKE"].split(), "devices", "--json"], capture_output=True, text=True, check=True).stdout)
    pathlib.Path(args.output).write_text(json.dumps({
        "bench": "specfem2d, whole commands", "commit": args.commit, "compiler": args.compiler, "device": devices[0], "specfem2d": args.build, "about": args.about, "load_before": os.getloadavg()[0],
        "rows": rows}, indent=1) + "\n")


def every(args):
    """Measures what --only names and writes it into the results, whose other rows stay."""
    examples, path, rows = pathlib.Path(args.all), pathlib.Path(args.output), []
    before = json.loads(path.read_text()) if path.exists() else {"rows": [], "speed": []}
    for medium, name, files, sides in EXAMPLES:
        if (sides and not args.specfem) or not re.search(args.only, f"{name} {sides or 'published'}"):
            continue
        told = one(examples / name, args, **files, sides=sides, run=bool(sides))[1]
        row = {"example": name, "medium": medium, "against": "run here" if sides else "published", **told}
        print(f"{name}, {row['against']}, {row['sides']}: {row['stations']} stations, misfit {100 * row['misfit_all']:.3f} %, worst "
              f"{100 * row['misfit_worst']:.3f} % ({row['worst']}), correlation {row['correlation_worst']:.7f}", flush=True)
        rows.append(row)
    key = lambda row: (row["example"], row["against"], row["sides"])
    rows += [row for row in before["rows"] if key(row) not in map(key, rows)]
    order = [name for _, name, _, _ in EXAMPLES]
    rows.sort(key=lambda row: (order.index(row["example"]), row["against"] != "published", row["sides"]))
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    devices = json.loads(subprocess.run([*os.environ["HOOKE"].split(), "devices", "--json"], capture_output=True, text=True, check=True).stdout)
    timed = args.specfem and re.search(args.only, "speed")
    result = {"bench": "specfem2d", "commit": commit, "device": devices[0], "system": platform.platform(), "specfem2d": args.build,
              "load_before": os.getloadavg()[0], "rows": rows, "speed": speed(examples, args) if timed else before["speed"]}
    result.update({key: before[key] for key in ("rates_source", "rates") if key in before})
    path.write_text(json.dumps(result, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", help="an example of SPECFEM2D")
    parser.add_argument("--par", default="Par_file")
    parser.add_argument("--source", default="SOURCE")
    parser.add_argument("--sides", choices=("layer", "wide", "stacey", "free"), help="instead of what the Par_file asks for")
    parser.add_argument("--traces", help="folder of SPECFEM2D's traces")
    parser.add_argument("--specfem", help="folder of xmeshfem2D and xspecfem2D")
    parser.add_argument("--all", help="the folder of all examples")
    parser.add_argument("--whole", help="the folder of all examples: time whole commands")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="of hooke in --whole")
    parser.add_argument("--about", default="", help="a sentence for the page, for --whole")
    parser.add_argument("--commit", default="", help="of hooke, for --whole")
    parser.add_argument("--compiler", default="", help="of hooke, for --whole")
    parser.add_argument("--only", default="", help="of those, the names that match: folder and sides, or `speed`")
    parser.add_argument("--build", default="", help="which SPECFEM2D that is and how it was built, for the results")
    parser.add_argument("--order", type=int, choices=SIZES, default=4, help="of the elements: NGLLX - 1 of BIN's setup/constants.h")
    parser.add_argument("--repeats", type=int, default=7, help="pairs of timed runs")
    parser.add_argument("--output", help="default: specfem2d.json or, of --whole, specfem2d_whole.json in bench/results")
    args = parser.parse_args()
    args.output = args.output or str(ROOT / "bench" / "results" / ("specfem2d_whole.json" if args.whole else "specfem2d.json"))
    if args.whole:
        whole(args)
        return
    try:
        if args.all:
            every(args)
            return
        if not args.folder:
            parser.error("an example's folder, or --all")
        rows, told = one(args.folder, args, args.par, args.source, args.sides, bool(args.specfem), args.traces)
    except Refused as why:
        raise SystemExit(f"not served: {why}") from None
    print("| station | component | x, z | misfit | correlation |\n|---|---|---|---|---|")
    for name, letter, at, misfit, correlation, *_ in rows:
        print(f"| {name} | {letter} | {at[0]:g}, {at[1]:g} | {100 * misfit:.3f} % | {correlation:.7f} |")
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
