"""Spectral elements: rates, the product of Carrascal-Manzanares et al., time dispersion."""
from . import results
from .table import section, table

GDOFS = ("GDOF/s", "gdof_per_s", ".3g")


def scatter(rows):
    whole = {(x["case"], x["precision"], x["state"], x["method"]): x for x in rows}
    return table((x | {"slots": whole[*key[:3], "slots"]} for key, x in whole.items() if key[3] == "colours" and (*key[:3], "slots") in whole),
                 ("case", "case"), ("precision", "precision"), ("state", "state"), ("slots, GDOF/s", lambda x: x["slots"]["gdof_per_s"], ".3g"),
                 ("of copy", lambda x: x["slots"]["share_of_copy"], ".0f %"), ("colours, GDOF/s", "gdof_per_s", ".3g"), ("of copy", "share_of_copy", ".0f %"),
                 ("over slots", "over_slots", ".2f"))


def rates(rows):
    return table(rows, ("case", "case"), ("geometry", "method"), ("precision", "precision"), ("state", "state"), ("unknowns", "dofs"), GDOFS,
                 ("of copy", "share_of_copy", ".0f %"), ("SPECFEM2D", "specfem2d_gdof_per_s", ".3g"), ("prototype", "prototype_gdof_per_s", ".3g"),
                 ("elements in a group", "elements_per_group"), ("threads", "threads"), ("groups", "groups"), ("registers", "registers"))


def attenuation(rows=None, *columns):
    """Steps with attenuation beside the elastic ones of the same run."""
    rows = results.rows("sem_h200", table="attenuation") if rows is None else rows
    elastic = {(x["case"], x["device"], x["precision"]): x for x in rows if x["method"] == "straight"}
    return table((x | {"elastic": elastic[x["case"], x["device"], x["precision"]], "case": x["case"].replace(" elastic", "")} for x in rows if x["method"] == "attenuation"),
                 ("case", "case"), ("device", "device"), ("precision", "precision"), ("elastic, GDOF/s", lambda x: x["elastic"]["gdof_per_s"], ".3g"),
                 ("with attenuation", "gdof_per_s", ".3g"), ("times the bytes", "bytes_over_elastic", ".2f"), ("times the time", "over_elastic", ".2f"), *columns)


def stages(rows):
    return table(rows, ("p", "order"), ("device", "device"), ("method", "method"), ("lanes", "lanes"), ("threads", lambda x: x["host_threads"] or x["threads"]),
                 ("cycles per point", "cycles_per_point", ".3g"), ("per unknown", "cycles_per_dof", ".3g"), GDOFS, ("operations", "operations", ".0f"),
                 ("accesses", "accesses", ".0f"), ("registers", "registers"), ("warps", "warps"))


def precision(rows):
    """Single against double after 5000 steps: a line for each order."""
    found = {(x["order"], x["case"].split(",")[0], x["method"]): x["error"] for x in rows if x["steps"] == 5000}
    kinds = dict.fromkeys((case, state) for _, case, state in found)
    return table(({"order": p} for p in dict.fromkeys(key[0] for key in found)), ("p", "order"),
                 *((f"{case}, {state}", lambda line, k=(case, state): found[line["order"], *k], ".1e") for case, state in kinds))


def sets(rows):
    """Cycles per computed point: a line for each order, number of points and number of threads."""
    found = {(x["order"], x["dofs"], x["host_threads"], x["instruction_set"], x["lanes"]): x for x in rows}
    lines = dict.fromkeys(key[:3] for key in found)
    return table(({"order": p, "dofs": n, "threads": t} for p, n, t in sorted(lines, key=lambda k: (k[1] > 3e7, k[2], k[0]))), ("p", "order"), ("points", "dofs"), ("threads", "threads"),
                 *((f'{isa.removeprefix("x86_").replace("_fma", ", FMA").replace("_", ".").upper()}, {lanes} lane{"s" if lanes > 1 else ""}',
                    lambda line, k=(isa, lanes): found.get((line["order"], line["dofs"], line["threads"], *k), {}).get("cycles_per_point"), ".3g")
                   for isa, lanes in dict.fromkeys(key[3:] for key in found)))


def summary():
    """The table of docs/spectral.md: straight (curved) elements by order, GDOF/s."""
    kinds = (("single, increments", "single", "increments"), ("single, positions", "single", "positions"), ("double", "double", "positions"))
    found = {(x["case"], x["precision"], x["state"], x["method"]): x for x in results.rows("sem_h200", table="rates", device="cuda")}

    def cell(precision, state):
        def both(line):
            straight, curved = (found.get((line["case"], precision, state, m)) for m in ("straight", "curved"))
            return f'{straight["gdof_per_s"]:.0f} ({curved["gdof_per_s"]:.0f})' if straight and curved else None
        return both
    return table(({"case": case} for case in dict.fromkeys(key[0] for key in found)), ("", "case"), *((title, cell(p, s)) for title, p, s in kinds),
                 ("SPECFEM2D, single", lambda line: next((x["specfem2d_gdof_per_s"] for key, x in found.items()
                                                          if key[:2] == (line["case"], "single") and "specfem2d_gdof_per_s" in x), None)))


def dispersion_paths():
    return table(results.load("dispersion")["rows"], ("model", "case"), ("wavelengths", "path"), ("steps per period", "steps_per_period", ".0f"),
                 ("as computed", "keep", ".0f %"), ("time dispersion removed", "remove", ".2g %"))


def dispersion_linear():
    """Linear elements; docs/theory/dispersion.md shows them too."""
    return table(results.load("dispersion")["linear"], ("model of quad4", "case"),
                 ("nodes per shortest wavelength", "nodes"), ("c dt / h", "step", ".2f"), ("wavelengths", "path", ".0f"), ("keep (`auto`)", "keep", ".1f %"),
                 ("remove", "remove", ".1f %"))


def page():
    r, large = results.load("sem_h200"), results.load("sem_large")

    def of(name, device=None):
        return [x for x in r["rows"] if x["table"] == name and device in (None, x["device"])]
    out = [f'`hooke bench sem`; {r["device_name"]}, copy {r["copy_gb_per_s"]:.0f} GB/s, and {r["cpu_name"]}, copy {r["cpu_copy_gb_per_s"]:.0f} GB/s. Steps include the update in '
           "time. For comparison: SPECFEM2D at order 4 (on an H200, and one thread of a processor), and prototypes of the kernels (H200)." + results.words(r), ""]
    for device, name in (("cuda", r["device_name"]), ("cpu", r["cpu_name"])):
        out += section(f"Rates of steps, {name}", "", rates(of("rates", device)))
    d, single, by_set = results.load("dispersion"), results.load("sem_precision"), of("sets")
    if by_set:
        by_set = section("Instruction sets, lanes and threads", f'{results.commits(by_set).capitalize()}. The paper\'s loops as in its Figures 3 to 8, each compiled for one instruction set '
                         "(`-DHOOKE_BENCH_SETS=ON`): cycles of the time stamp counter per computed point.", sets(by_set))
    return [*out,
            *by_set,
            *section("Single and double precision", f'`hooke bench sem precision`, commit {single["commit"]}, {single["cpu_name"]}. Curved elements, 5000 steps with dt = 0.9 of the stable '
                     "limit: the largest difference at a node, relative to the largest value in double precision. The paper (section 4.1) reports less than 0.1 % at every order.",
                     precision(single["rows"])),
            *section(f'Sums of shared nodes: slots and colours, {r["device_name"]}', f'{results.commits(of("scatter")).capitalize()}. Steps of straight elements, with the update in '
                     "time. With slots each element writes to its own slots, which are then summed node by node; with colours, elements that share no node add their forces, colour "
                     "after colour.", scatter(of("scatter"))),
            *section(f'Attenuation, {r["device_name"]}', f'{results.commits(of("attenuation")).capitalize()}. Steps of straight elements without and with [attenuation](../attenuation.md), '
                     "of a processor by its own time. The bytes are those of the operator, the state and the mass, and twice those of the mechanisms.",
                     attenuation(of("attenuation"), ("of copy", "share_of_copy", ".0f %"), ("registers", "registers"), ("spilled bytes", "spilled_bytes"))),
            *section("The product K u of Carrascal-Manzanares et al.", f'{results.commits(of("stages")).capitalize()}. 2D, one component, single precision, K u alone, in the stages of '
                     f'the paper\'s section 3, on the processor at p = {", ".join(map(str, sorted({x["order"] for x in of("stages", "cpu")})))} and on the GPU at p = '
                     f'{", ".join(map(str, sorted({x["order"] for x in of("stages", "cuda")})))}. Computed points are (p + 1)^2 per element; unknowns are counted once. '
                     "Registers and warps: the paper has 71, 101, 135, 181 and 28, 16, 12, 8 at p = 2 to 5 on a GTX Titan (Table 4), with one element per thread.",
                     stages(of("stages"))),
            *section("The product at 64 million points", f'Commit {large["commit"]}, {large["device_name"]} and {large["cpu_name"]} (14 threads, while the GPU worked). As in the table above, whole '
                     "sweeps over the unknowns.", table(
                         (x for x in large["rows"] if x["host_threads"] in (0, 14)), ("p", "order"), ("unknowns", "dofs"), ("device", "device"), ("stage", "method"), ("lanes", "lanes"),
                         ("GDOF/s", "gdof_per_s", ".3g"), ("cycles per point", "cycles_per_point", ".2f"))),
            *section("K u alone compared with the paper's method", f'{results.commits(of("product")).capitalize()}. 2D, one component, single precision, affine elements. The paper\'s '
                     "method works colour by colour, with one element per thread on a device and with vectors on the host.", table(
                         of("product"), ("p", "order"), ("device", "device"), ("threads", lambda x: x["host_threads"] if x["device"] == "cpu" else None), ("unknowns", "dofs"),
                         ("ours by", "method"), GDOFS, ("theirs", "paper_gdof_per_s", ".3g"), ("over theirs", "over_paper", ".2f"),
                         ("bytes per unknown", "bytes_per_dof", ".0f"), ("theirs", "paper_bytes_per_dof", ".0f"))),
            *section("Time dispersion", f'`bench/dispersion.py`, commit {d["commit"]}; double precision. L2 error of a whole trace of a Ricker pulse; wavelengths and periods are '
                     "those of its peak frequency ([theory](../theory/dispersion.md)). First elements of order 4, five nodes per shortest wavelength, default step, compared with a "
                     "hundredth of this step; then linear elements: a bar compared with d'Alembert's solution, a plate with elements of order 4 (P and S waves).",
                     dispersion_paths(), dispersion_linear())]
