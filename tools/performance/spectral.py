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


def stages(rows):
    return table(rows, ("p", "order"), ("device", "device"), ("method", "method"), ("lanes", "lanes"), ("threads", lambda x: x["host_threads"] or x["threads"]),
                 ("cycles per point", "cycles_per_point", ".3g"), ("per unknown", "cycles_per_dof", ".3g"), GDOFS, ("operations", "operations", ".0f"),
                 ("accesses", "accesses", ".0f"), ("registers", "registers"), ("warps", "warps"))


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
    r = results.load("sem_h200")

    def of(name, device=None):
        return [x for x in r["rows"] if x["table"] == name and device in (None, x["device"])]
    out = [f'`hooke bench sem`; {r["device_name"]}, copy {r["copy_gb_per_s"]:.0f} GB/s, and {r["cpu_name"]}, copy {r["cpu_copy_gb_per_s"]:.0f} GB/s. Steps include the update in '
           "time. For comparison: SPECFEM2D at order 4 (on an H200, and one thread of a processor), and prototypes of the kernels (H200)." + results.words(r), ""]
    for device, name in (("cuda", r["device_name"]), ("cpu", r["cpu_name"])):
        out += section(f"Rates of steps, {name}", "", rates(of("rates", device)))
    d = results.load("dispersion")
    return [*out,
            *section(f'Sums of shared nodes: slots and colours, {r["device_name"]}', f'{results.commits(of("scatter")).capitalize()}. Steps of straight elements, with the update in '
                     "time. With slots each element writes to its own slots, which are then summed node by node; with colours, elements that share no node add their forces, colour "
                     "after colour.", scatter(of("scatter"))),
            *section("The product K u of Carrascal-Manzanares et al.", f'{results.commits(of("stages")).capitalize()}. 2D, one component, single precision, K u alone, in the stages of '
                     f'the paper\'s section 3, on the processor at p = {", ".join(map(str, sorted({x["order"] for x in of("stages", "cpu")})))} and on the GPU at p = '
                     f'{", ".join(map(str, sorted({x["order"] for x in of("stages", "cuda")})))}. Computed points are (p + 1)^2 per element; unknowns are counted once. '
                     "Registers and warps: the paper has 71, 101, 135, 181 and 28, 16, 12, 8 at p = 2 to 5 on a GTX Titan (Table 4), with one element per thread.",
                     stages(of("stages"))),
            *section("K u alone compared with the paper's method", f'{results.commits(of("product")).capitalize()}. 2D, one component, single precision, affine elements. The paper\'s '
                     "method works colour by colour, with one element per thread on a device and with vectors on the host.", table(
                         of("product"), ("p", "order"), ("device", "device"), ("threads", lambda x: x["host_threads"] if x["device"] == "cpu" else None), ("unknowns", "dofs"),
                         ("ours by", "method"), GDOFS, ("theirs", "paper_gdof_per_s", ".3g"), ("over theirs", "over_paper", ".2f"))),
            *section("Time dispersion", f'`bench/dispersion.py`, commit {d["commit"]}; double precision. L2 error of a whole trace of a Ricker pulse; wavelengths and periods are '
                     "those of its peak frequency ([theory](../theory/dispersion.md)). First elements of order 4, five nodes per shortest wavelength, default step, compared with a "
                     "hundredth of this step; then linear elements: a bar compared with d'Alembert's solution, a plate with elements of order 4 (P and S waves).",
                     dispersion_paths(), dispersion_linear())]
