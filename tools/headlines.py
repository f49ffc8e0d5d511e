"""The table of README.md: ten lines, each computed from rows of bench/results/*.json. tools/make_performance.py writes and checks it."""
import json
import pathlib
import statistics

RESULTS = pathlib.Path(__file__).resolve().parent.parent / "bench" / "results"
BEGIN, END = "<!-- table: tools/make_performance.py writes it from bench/results -->\n", "<!-- end of table -->\n"


def load(name):
    return json.loads((RESULTS / f"{name}.json").read_text())


def rows(name, **wanted):
    """Those of a file that have these values."""
    return [r for r in load(name)["rows"] if all(r.get(k) == v for k, v in wanted.items())]


def row(name, **wanted):
    found = rows(name, **wanted)
    if len(found) != 1:
        raise SystemExit(f"bench/results/{name}.json: {len(found)} rows are {wanted}; one is wanted")
    return found[0]


def times(*ratios):
    return " / ".join(f"{r:.0f}" if r >= 9.95 else f"{r:.1f}" for r in ratios) + " times as fast"


def count(n):
    return f"{n:,}".replace(",", " ")


def percent(share):
    return f"{100 * share:.1g} %" if share < 0.01 else f"{100 * share:.0f} %"


def specfem_core():
    speed = load("specfem2d")["speed"]
    largest = {m: max((r for r in speed if r["medium"] == m), key=lambda r: r["elements"]) for m in ("elastic", "acoustic")}
    if len({r["elements"] for r in largest.values()}) != 1:
        raise SystemExit("bench/results/specfem2d.json: the largest meshes of both media differ")
    return (f'elastic / acoustic waves, 2D, order 4, {count(largest["elastic"]["elements"])} elements, one processor core', "SPECFEM2D",
            times(*(r["ratio"] for r in largest.values())), "specfem2d")


def specfem_gpu():
    found = [row("sem_h200", table="rates", case=f"2D {m}, p = 4", method="straight", device="cuda", precision="single", state="increments")
             for m in ("elastic", "acoustic")]
    unknowns = " / ".join(f'{r["dofs"] / 1e6:.0f}' for r in found)
    return f"elastic / acoustic waves, 2D, order 4, {unknowns} million unknowns, H200", "SPECFEM2D", times(*(r["gdof_per_s"] / r["specfem2d_gdof_per_s"] for r in found)), "sem_h200"


def specfem_traces():
    misfits = [r["misfit_all"] for r in rows("specfem2d")]
    return (f"seismograms of {len(misfits)} comparisons with SPECFEM2D's own examples", "SPECFEM2D",
            f"median difference {percent(statistics.median(misfits))} (L2)", "specfem2d")


def dispersion():
    r = row("dispersion", case="tube of water", path=50)
    return (f'a trace after {r["path"]} wavelengths, order 4, default time step', "central differences without correction",
            f'error {percent(r["remove"])} instead of {percent(r["keep"])} (L2)', "dispersion")


def huthwaite():
    ratios, unknowns = [], []
    for case in ("weld", "gear", "geophysics"):
        mine = [r for r in rows("pogo_h200", case=case, device="cuda", precision="single") if "stepping_seconds" in r]
        theirs = min(r["stepping_seconds"] for r in mine if r["method"].startswith("blocks"))
        ratios.append(theirs / next(r["stepping_seconds"] for r in mine if r["method"] == "matrix-free"))
        unknowns.append(mine[0]["dofs"] / 1e6)
    return (f"weld / gear / ground of Huthwaite (2014), {min(unknowns):.1f} to {max(unknowns):.1f} million unknowns, H200", "his method in hooke, same GPU", times(*ratios), "pogo_h200")


def calculix():
    theirs = rows("static_cpu", program="ccx", case="C3D20", threads=1)
    direct = next(r for r in theirs if r["method"] == "direct")
    iterative = min((r for r in theirs if r["method"].startswith("iterative")), key=lambda r: r["seconds"])
    return (f'static block, {count(direct["dofs"])} unknowns, C3D20, whole command, one thread', "CalculiX, direct / iterative",
            times(direct["over_hooke"]["1"], iterative["over_hooke"]["1"]), "static_cpu")


def heat():
    mine, theirs = (row("femses_h200", table="whole", case="bore hole", dofs=160000, device="cuda", method=m) for m in ("cg, multigrid", "cholesky"))
    return (f'heat around a bore hole, {count(mine["dofs"])} unknowns, H200', theirs["solver"].partition("(")[2].rstrip(")") + ", Cholesky",
            times(theirs["seconds"] / mine["seconds"]), "femses_h200")


def libceed():
    ratios = {way: [r["gdof_per_s"] / r["libceed_gdof_per_s"] for r in rows("sem_h200", table="bp5", device="cuda", method=way)]
              for way in ("recomputed", "stored")}
    orders = " / ".join(str(r["order"]) for r in rows("sem_h200", table="bp5", device="cuda", method="stored"))
    stored = " / ".join(f"{r:.2f}" for r in ratios["stored"])
    return (f"Laplace operator (BP5), order {orders}, double, H200", "libCEED, geometry stored",
            f'{times(*ratios["recomputed"])}; {stored} with stored geometry', "sem_h200")


def assembly():
    ratios = [row("assembly_h200", table="figures 12, 17", case=f"box {shape}", format="node blocks", method="same kernel")["times_ours"]
              for shape in ("tet4", "hex20")]
    return "stiffness matrix, tet4 / hex20, 1 million nodes, H200", "Sanfui and Sharma's kernel in hooke, same GPU", times(*ratios), "assembly_h200"


def element_matrices():
    found = rows("integration_h200", table="5, 6, 7", precision="single", device="cuda", order=4)
    paper = min(r["kernel_us"] for r in found if r["method"].endswith("JAC"))
    return ("element matrices of prisms of order 4, H200", "Banaś et al.'s best kernel in hooke, same GPU", times(paper / min(r["kernel_us"] for r in found)),
            "integration_h200")


LINES = (specfem_core, specfem_gpu, specfem_traces, dispersion, huthwaite, calculix, heat, libceed, assembly, element_matrices)


def table():
    out = ["| what | compared with | hooke | measured |", "|---|---|---|---|"]
    out += [f"| {what} | {beside} | {gain} | [{name}](bench/results/{name}.json) |" for what, beside, gain, name in (line() for line in LINES)]
    return "\n".join(out) + "\n"


def replaced(text):
    """README.md with the table that the rows give."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise SystemExit(f"README.md: the lines around the table are missing: {BEGIN}{END}")
    return before + begin + table() + end + after
