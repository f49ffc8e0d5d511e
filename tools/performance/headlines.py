"""The table that README.md and docs/performance.md begin with: each line is computed from rows of bench/results/*.json."""
import statistics

from .results import load, row, rows
from .table import lines


def ratios(*of):
    return " / ".join(f"{r:.0f}" if r >= 9.95 else f"{r:.1f}" if r >= 0.995 else f"{r:.2f}" for r in of)


def listed(values, unit, digits=3):
    return f'{" / ".join(f"{v:.0f}" if v >= 10**digits else f"{v:#.{digits}g}".rstrip(".") for v in values)} {unit}'


def count(n):
    return f"{n:,}".replace(",", " ")


def percent(share):
    return f"{100 * share:.1g} %" if share < 0.01 else f"{100 * share:.0f} %"


def processor(name):
    return load(name)["device"]["name"].replace("(R)", "").removesuffix(" Processor")


def specfem_core():
    speed = load("specfem2d")["speed"]
    largest = [max((r for r in speed if r["medium"] == m), key=lambda r: r["elements"]) for m in ("elastic", "acoustic")]
    if len({r["elements"] for r in largest}) != 1:
        raise SystemExit("bench/results/specfem2d.json: the largest meshes of both media differ")
    mine, theirs = ([1e3 * r[f"{who}_seconds_per_step"] for r in largest] for who in ("hooke", "specfem"))
    spread = " / ".join(f'{r["ratio_least"]:.1f} to {r["ratio_most"]:.1f}' for r in largest)
    return (f'elastic / acoustic waves, 2D, order 4, {count(largest[0]["elements"])} elements, one core of {processor("specfem2d")}: a step', listed(mine, "ms"), "SPECFEM2D: " + listed(theirs, "ms"),
            f'{ratios(*(r["ratio"] for r in largest))} (pairs: {spread})', "peers")


def specfem_gpu():
    found = [row("sem_h200", table="rates", case=f"2D {m}, p = 4", method="straight", device="cuda", precision="single", state="increments")
             for m in ("elastic", "acoustic")]
    mine, theirs = ([r[key] for r in found] for key in ("gdof_per_s", "specfem2d_gdof_per_s"))
    unknowns = " / ".join(f'{r["dofs"] / 1e6:.0f}' for r in found)
    return (f"elastic / acoustic waves, 2D, order 4, {unknowns} million unknowns, H200: steps", listed(mine, "GDOF/s"), "SPECFEM2D: " + listed(theirs, "GDOF/s"),
            ratios(*(a / b for a, b in zip(mine, theirs))), "spectral")


def forms():
    found, nodes = [], []
    for case in ("tri3", "quad4", "hex8", "tet4 Delaunay"):
        of = {r["method"]: r for r in rows("h200", case=case, precision="single", form="increments")}
        found.append((max(r["gdof_per_s"] for r in of.values()), of["stored"]["gdof_per_s"]))
        nodes.append(of["stored"]["nodes"] / 1e6)
    return (f"waves, tri3 / quad4 / hex8 / tet4, {min(nodes):.1f} to {max(nodes):.1f} million nodes, single, H200: steps", listed((a for a, _ in found), "GDOF/s"),
            "stored matrix in hooke: " + listed((b for _, b in found), "GDOF/s"), ratios(*(a / b for a, b in found)), "explicit")


def calculix(method):
    def line():
        mine, theirs = [], []
        for case in ("C3D20", "C3D10"):
            mine.append(row("static_cpu", case=case, program="hooke", method="default", threads=1))
            theirs.append(min((r for r in rows("static_cpu", case=case, program="ccx", threads=1) if r["method"].startswith(method)), key=lambda r: r["seconds"]))
        return (f'static block, C3D20 / C3D10, {" / ".join(count(r["dofs"]) for r in theirs)} unknowns, one thread of {processor("static_cpu")}: whole command', listed((r["seconds"] for r in mine), "s"),
                f'CalculiX, {method}: ' + listed((r["seconds"] for r in theirs), "s"), ratios(*(r["over_hooke"]["1"] for r in theirs)), "peers")
    return line


def heat():
    mine, theirs = (row("femses_h200", table="whole", case="bore hole", dofs=160000, device="cuda", method=m) for m in ("cg, multigrid", "cholesky"))
    library = theirs["solver"].partition("(")[2].rstrip(")")
    return (f'heat around a bore hole, {count(mine["dofs"])} unknowns, H200: whole solution', listed([1e3 * mine["seconds"]], "ms"),
            f"{library}, Cholesky: " + listed([1e3 * theirs["seconds"]], "ms"), ratios(theirs["seconds"] / mine["seconds"]), "femses")


def cusparse():
    found = []
    for case in ("rectangle, irregular", "box of tetrahedra"):
        of = {r["method"]: r["seconds"] for r in rows("femses_h200", table="product", case=case, dofs=1000000, device="cuda", precision="double")}
        library = next(m for m in of if m.startswith("cuSPARSE"))
        found.append((1e6 * min(s for m, s in of.items() if m != library), 1e6 * of[library]))
    return ("heat, K u on triangles / tetrahedra, 1 million unknowns, double, H200", listed((a for a, _ in found), "us"), f"{library}: " + listed((b for _, b in found), "us"),
            ratios(*(b / a for a, b in found)), "femses")


def libceed(geometry):
    def line():
        found = rows("sem_h200", table="bp5", device="cuda", method=geometry)
        mine, theirs = ([r[key] for r in found] for key in ("gdof_per_s", "libceed_gdof_per_s"))
        orders = " / ".join(str(r["order"]) for r in found)
        return (f"Laplace operator (BP5), order {orders}, double, H200, geometry {geometry}", listed(mine, "GDOF/s"), "libCEED, geometry stored: " + listed(theirs, "GDOF/s"),
                ratios(*(a / b for a, b in zip(mine, theirs))), "peers")
    return line


def assembly():
    found = []
    for shape in ("tet4", "hex20"):
        of = rows("assembly_h200", table="figures 12, 17", case=f"box {shape}", format="node blocks")
        mine = next(r for r in of if r["method"].startswith("ours"))
        found.append((1e3 * mine["seconds"], 1e3 * min(r["seconds"] for r in of if r["method"] in ("same kernel", "separate kernels"))))
    return ("values of a stiffness matrix, tet4 / hex20, 1 million nodes, H200", listed((a for a, _ in found), "ms"),
            "Sanfui and Sharma's method in hooke: " + listed((b for _, b in found), "ms"), ratios(*(b / a for a, b in found)), "assembly")


def element_matrices():
    found = rows("integration_h200", table="5, 6, 7", precision="single", device="cuda", order=4)
    mine, paper = (min(r["kernel_us"] for r in found if r["method"].endswith("JAC") == theirs) for theirs in (False, True))
    return ("a matrix of a prism of order 4, single, H200", listed([1e3 * mine], "ns"), "Banaś et al.'s best kernel in hooke: " + listed([1e3 * paper], "ns"), ratios(paper / mine),
            "integration")


def reading():
    r = load("cpu")["reading"]
    return (f'reading a deck of {count(r["elements"])} elements, {r["megabytes"]:.0f} MB, two threads of {processor("cpu")}', listed([r["seconds"]], "s", 2),
            "`wc`, which only counts words: " + listed([r["wc_seconds"]], "s", 2), ratios(r["wc_seconds"] / r["seconds"]), "explicit")


def specfem_traces():
    misfits = [r["misfit_all"] for r in rows("specfem2d")]
    return (f"accuracy: {len(misfits)} comparisons of seismograms of SPECFEM2D's own examples", f"median difference {percent(statistics.median(misfits))} (L2)", "SPECFEM2D", "", "peers")


def dispersion():
    r = row("dispersion", case="tube of water", path=50)
    return (f'accuracy: a trace after {r["path"]} wavelengths, order 4, default time step', f'error {percent(r["remove"])} (L2)',
            f'central differences without correction: {percent(r["keep"])}', "", "spectral")


LINES = (specfem_core, specfem_gpu, forms, calculix("iterative"), calculix("direct"), heat, cusparse, libceed("recomputed"), libceed("stored"), assembly, element_matrices,
         reading, specfem_traces, dispersion)


def table(folder):
    """With links to the pages in `folder`."""
    return lines(["what", "hooke", "best other", "ratio", "rows"], [[*line[:4], f"[{line[4]}]({folder}/{line[4]}.md)"] for line in (make() for make in LINES)])
