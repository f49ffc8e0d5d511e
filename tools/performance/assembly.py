"""The tables of Sanfui and Sharma."""
from . import results
from .table import lines, scaled, section, table, text

# Milliseconds of the paper's functions of stage 1 on the cylinder (Table 2) by nodes, and the functions of ours that do the same work.
PAPER_NODES = (30000, 1000000, 2000000)
PAPER_FUNCTIONS = (
    ("countElemNum", "count elements", (.051, .769, 1.533)), ("inclusive scan", "scan elements", (.085, .189, .301)),
    ("fillElemNum", "fill elements", (.049, 1.597, 4.856)), ("inclusive scan", None, (.08, .18, .294)),
    ("initializeNodeNum", "count nodes", (.033, .559, 1.105)), ("fillNodeNum", "fill nodes", (.621, 36.936, 78.467)),
    ("thrustDynamicSort", "sort elements", (41.134, 786.364, 1560.426)), ("inclusive scan", "scan nodes", (.081, .185, .209)))


def stages(rows):
    groups = {}
    for r in rows:
        if r["method"].startswith("stage"):
            groups.setdefault((r["case"], r["format"], r["precision"]), []).append(r)

    def paper(of):
        return ", ".join(f'{1e3 * r["paper_seconds"]:.0f}' for r in of[:3] if r.get("paper_seconds")) or None

    def size(of):
        parts = [of[3].get("paper_nodes"), of[3].get("paper_elements"), of[3].get("paper_megabytes")]
        return ", ".join(str(p) for p in parts if p is not None) or None
    return table(({"case": case, "format": form, "precision": precision, "of": of} for (case, form, precision), of in groups.items()),
                 ("mesh", "case"), ("elements", lambda g: g["of"][0]["elements"]), ("nonzeros", lambda g: g["of"][0]["nonzeros"]), ("format", "format"),
                 ("precision", "precision"), *((f"stage {k + 1}, ms", lambda g, k=k: 1e3 * g["of"][k]["seconds"], ".2f") for k in range(3)),
                 ("all, ms", lambda g: 1e3 * g["of"][3]["seconds"], ".2f"), ("ns per element", lambda g: g["of"][3]["ns_per_element"], ".1f"),
                 ("ns per nonzero", lambda g: g["of"][3]["ns_per_nonzero"], ".3f"), ("values, MB", lambda g: g["of"][2]["bytes"] / 1e6, ".0f"),
                 ("paper's stages, ms", lambda g: paper(g["of"])), ("paper's nodes, elements, MB", lambda g: size(g["of"])))


def functions(rows):
    """Ours of the tubes, then the paper's: a line per mesh, a column per function."""
    ours = {}
    for r in rows:
        if r["table"] == "2, 4" and r["case"].startswith("tube"):
            ours.setdefault((r["case"], r["dofs"] // 3), {})[r["method"]] = 1e3 * r["seconds"]
    names = [f"{name}: {mine}" if mine else name for name, mine, _ in PAPER_FUNCTIONS]
    return lines(["mesh", "nodes", *names],
                 [[case, str(nodes), *(text(of.get(mine), ".3f") for _, mine, _ in PAPER_FUNCTIONS)] for (case, nodes), of in ours.items()] +
                 [["the paper's cylinder, K40c", str(nodes), *(text(ms[k], ".3f") for _, _, ms in PAPER_FUNCTIONS)] for k, nodes in enumerate(PAPER_NODES)])


def shares():
    """Whole solutions; docs/solvers.md shows them too."""
    return table(results.rows("assembly_h200", table="figure 16"), ("mesh", "case"), ("unknowns", "dofs"), ("solver", "solver"), ("iterations", "iterations"),
                 ("matrix, s", "matrix_seconds", ".3f"), ("set-up, s", "setup_seconds", ".3f"), ("solution, s", "solve_seconds", ".3f"), ("all, s", "seconds", ".3f"),
                 ("matrix, of all", "matrix_share", ".1f %"), ("residual", "residual", ".1e"))


def page():
    r = results.load("assembly_h200")
    rows = r["rows"]
    return [f'`hooke bench assembly`, commit {r["commit"]}, {r["device_name"]}, copy {r["copy_gb_per_s"]:.0f} GB/s. Stage 1 includes the transfer of the mesh over the bus. '
            "The paper used a K40c; its HEX20 meshes have fewer nodes per element than such meshes can have, so compare times per element.", "",
            *section("Stages (Tables 1 and 3)", "MB are those of the values of the matrix. The paper counts one value per pair of nodes, with all rows as wide as the widest; 3D "
                     "elasticity needs nine. Tubes have the paper's numbers of elements; boxes are hooke's own.", stages(rows)),
            *section("Functions of stage 1 (Table 2)", "Milliseconds of the paper's functions, and of ours with the same purpose (after the colon). The paper sorts lists of nodes, "
                     "hooke lists of elements.", functions(rows)),
            *section("Methods of stage 3 (as in Figures 12 and 17)", "The paper's three methods as written for hooke, on the same GPU. SharedNZ of HEX20 keeps few element matrices in "
                     "local memory, so most threads of its groups wait: it says little about the method on small elements.", table(
                         (x for x in rows if x["table"] == "figures 12, 17"), ("mesh", "case"), ("elements", "elements"), ("format", "format"), ("method", "method"),
                         ("ms", scaled("seconds", 1e3), ".2f"), ("G nonzeros/s", "gnonzero_per_s", ".2f"), ("times ours", lambda x: x.get("times_ours", 1), ".1f"))),
            *section("Share of assembly in the whole solution (as in Figure 16)", "Boxes, solved to a residual of 1e-8 in double precision. Matrix: stages 1 to 3 with the transfer of the "
                     "mesh. The paper reports 30 to 45 % for rods of up to 2 million nodes, with the conjugate gradients of Cusp on a K40c." + results.words(r), shares()),
            *section("The product K u by rows of nodes", "", table(
                (x for x in rows if x["method"] == "product"), ("mesh", "case"), ("precision", "precision"), ("ms", scaled("seconds", 1e3), ".3f"), ("GB/s", "gb_per_s", ".0f"),
                ("of copy", "share_of_copy", ".0f %")))]
