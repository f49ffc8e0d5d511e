"""The tables of Sanfui and Sharma."""
from . import results
from .table import lines, scaled, section, table

# Seconds of the paper's functions of stage 1 by nodes: Table 2 (cylinder), Table 4 (rod). Those of ours that do the same work.
PAPER_FUNCTIONS = (
    ("countElemNum", "count elements", (.000051, .000769, .001533, .000060, .000081, .018002)),
    ("inclusive scan", "scan elements", (.000085, .000189, .000301, .000052, .000089, .000149)),
    ("fillElemNum", "fill elements", (.000049, .001597, .004856, .000055, .000149, .024251)),
    ("inclusive scan", "", (.00008, .00018, .000294, .000068, .000058, .000154)),
    ("initializeNodeNum", "count nodes", (.000033, .000559, .001105, .000045, .000108, .007312)),
    ("fillNodeNum", "fill nodes", (.000621, .036936, .078467, .001129, .006801, .678876)),
    ("thrustDynamicSort", "sort elements", (.041134, .786364, 1.560426, .032785, .076183, 9.114569)),
    ("inclusive scan", "scan nodes", (.000081, .000185, .000209, .00007, .000063, .000148)))
PAPER_NODES = ("cylinder, 30 000", "1 000 000", "2 000 000", "rod, 15 318", "60 186", "2 020 284")


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
    """Ours beside the paper's, functions down and meshes across."""
    ours = {}
    for r in rows:
        if r["table"] == "2, 4" and r["precision"] == "double" and r["case"].startswith("box"):
            ours.setdefault((r["case"], r["dofs"] // 3), {})[r["method"]] = 1e3 * r["seconds"]
    return lines(["ours, ms", *(f"{case}, {nodes} nodes" for case, nodes in ours), "paper's, K40c, ms", *(f"{n} nodes" for n in PAPER_NODES)],
                 [[mine, *(f"{of[mine]:.3f}" if mine in of else "" for of in ours.values()), name, *(f"{1e3 * t:.3f}" for t in seconds)]
                  for name, mine, seconds in PAPER_FUNCTIONS])


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
            *section("Functions of stage 1 (beside those of Tables 2 and 4)", "Boxes here, the cylinder and the rod in the paper. A line compares functions with the same purpose. The "
                     "paper sorts lists of nodes, hooke lists of elements.", functions(rows)),
            *section("Methods of stage 3 (as in Figures 12 and 17)", "The paper's three methods as written for hooke, on the same GPU. SharedNZ of HEX20 keeps few element matrices in "
                     "local memory, so most threads of its groups wait: it says little about the method on small elements.", table(
                         (x for x in rows if x["table"] == "figures 12, 17"), ("mesh", "case"), ("elements", "elements"), ("format", "format"), ("method", "method"),
                         ("ms", scaled("seconds", 1e3), ".2f"), ("G nonzeros/s", "gnonzero_per_s", ".2f"), ("times ours", lambda x: x.get("times_ours", 1), ".1f"))),
            *section("Share of assembly in the whole solution (as in Figure 16)", "Boxes, solved to a residual of 1e-8 in double precision. Matrix: stages 1 to 3 with the transfer of the "
                     "mesh. The paper reports 30 to 45 % for rods of up to 2 million nodes, with the conjugate gradients of Cusp on a K40c." + results.words(r), shares()),
            *section("The product K u by rows of nodes", "", table(
                (x for x in rows if x["method"] == "product"), ("mesh", "case"), ("precision", "precision"), ("ms", scaled("seconds", 1e3), ".3f"), ("GB/s", "gb_per_s", ".0f"),
                ("of copy", "share_of_copy", ".0f %")))]
