"""The tables of Sanfui and Sharma."""
from . import results
from .table import lines, scaled, section, table, text

# Milliseconds of the paper's functions of stage 1 by nodes, on the cylinder (Table 2) and the rod (Table 4), and the functions of ours that do
# the same work.
PAPER_NODES = {"cylinder": (30000, 1000000, 2000000), "rod": (15318, 60186, 2020284)}
PAPER_FUNCTIONS = (
    ("countElemNum", "count elements", (.051, .769, 1.533), (.06, .081, 18.002)), ("inclusive scan", "scan elements", (.085, .189, .301), (.052, .089, .149)),
    ("fillElemNum", "fill elements", (.049, 1.597, 4.856), (.055, .149, 24.251)), ("inclusive scan", None, (.08, .18, .294), (.068, .058, .154)),
    ("initializeNodeNum", "count nodes", (.033, .559, 1.105), (.045, .108, 7.312)), ("fillNodeNum", "fill nodes", (.621, 36.936, 78.467), (1.129, 6.801, 678.876)),
    ("thrustDynamicSort", "sort elements", (41.134, 786.364, 1560.426), (32.785, 76.183, 9114.569)),
    ("inclusive scan", "scan nodes", (.081, .185, .209), (.07, .063, .148)))


def of_kind(rows, kind):
    return [r for r in rows if r["case"].startswith(kind)]


def numbered(*names):
    """Tables or figures of the paper, in their order, of those that have rows."""
    return ", ".join(str(name) for name, present in names if present)


def groups_of(rows):
    """{case, form, precision, of: rows of the stages, then of all three}"""
    groups = {}
    for r in rows:
        if r["method"].startswith("stage"):
            groups.setdefault((r["case"], r["format"], r["precision"]), []).append(r)
    return [{"case": case, "format": form, "precision": precision, "commit": of[0].get("commit"), "of": of} for (case, form, precision), of in groups.items()]


def stages(rows):
    def paper(of):
        return ", ".join(f'{1e3 * r["paper_seconds"]:.0f}' for r in of[:3] if r.get("paper_seconds")) or None

    def size(of):
        parts = [of[3].get("paper_nodes"), of[3].get("paper_elements"), of[3].get("paper_megabytes")]
        return ", ".join(str(p) for p in parts if p is not None) or None
    return table(groups_of(rows), ("mesh", "case"), ("elements", lambda g: g["of"][0]["elements"]), ("nonzeros", lambda g: g["of"][0]["nonzeros"]), ("format", "format"),
                 ("precision", "precision"), *((f"stage {k + 1}, ms", lambda g, k=k: 1e3 * g["of"][k]["seconds"], ".2f") for k in range(3)),
                 ("all, ms", lambda g: 1e3 * g["of"][3]["seconds"], ".2f"), ("ns per element", lambda g: g["of"][3]["ns_per_element"], ".1f"),
                 ("ns per nonzero", lambda g: g["of"][3]["ns_per_nonzero"], ".3f"), ("values, MB", lambda g: g["of"][3]["value_bytes"] / 1e6, ".0f"),
                 ("paper's stages, ms", lambda g: paper(g["of"])), ("paper's nodes, elements, MB", lambda g: size(g["of"])))


def memory(rows):
    """What each stage keeps on the device, and how fast its kernels read and write."""
    def part(g, k):
        return g["of"][k]["memory_bytes"] / 1e6

    def rest(g):
        return g["of"][3]["bytes"] / 1e6 - sum(part(g, k) for k in range(3))
    return table((g for g in groups_of(rows) if "memory_bytes" in g["of"][0]), ("mesh", "case"), ("nodes", lambda g: g["of"][3]["nodes"]), ("format", "format"),
                 ("precision", "precision"), ("mesh and laws, MB", rest, ".0f"), *((f"stage {k + 1}, MB", lambda g, k=k: part(g, k), ".0f") for k in range(3)),
                 ("all, MB", lambda g: g["of"][3]["bytes"] / 1e6, ".0f"), *((f"stage {k + 1}, GB/s", lambda g, k=k: g["of"][k]["gb_per_s"], ".0f") for k in range(3)),
                 ("stage 3, of copy", lambda g: g["of"][2]["share_of_copy"], ".0f %"))


def functions(rows):
    """Ours of tubes and rods, then the paper's: a line per mesh, a column per function."""
    ours = {}
    for r in of_kind(rows, ("tube", "rod")):
        if r["table"] == "2, 4":
            ours.setdefault((r["case"], r["dofs"] // 3), {})[r["method"]] = 1e3 * r["seconds"]
    kinds = [kind for kind, of in (("cylinder", "tube"), ("rod", "rod")) if any(case.startswith(of) for case, _ in ours)]
    names = [f"{name}: {mine}" if mine else name for name, mine, *_ in PAPER_FUNCTIONS]
    return lines(["mesh", "nodes", *names],
                 [[case, str(nodes), *(text(of.get(mine), ".3f") for _, mine, *_ in PAPER_FUNCTIONS)] for (case, nodes), of in ours.items()] +
                 [[f"the paper's {kind}, K40c", str(nodes), *(text(f[2 + (kind == "rod")][k], ".3f") for f in PAPER_FUNCTIONS)]
                  for kind in kinds for k, nodes in enumerate(PAPER_NODES[kind])])


def shares(kind="box"):
    """Whole solutions; docs/solvers.md shows those of boxes too."""
    return table(of_kind(results.rows("assembly_h200", table="figure 16"), kind), ("mesh", "case"), ("unknowns", "dofs"), ("solver", "solver"), ("iterations", "iterations"),
                 ("matrix, s", "matrix_seconds", ".3f"), ("set-up, s", "setup_seconds", ".3f"), ("solution, s", "solve_seconds", ".3f"), ("all, s", "seconds", ".3f"),
                 ("matrix, of all", "matrix_share", ".1f %"), ("residual", "residual", ".1e"))


def methods(rows):
    return table((x for x in rows if x["table"] == "figures 12, 17"), ("mesh", "case"), ("elements", "elements"), ("format", "format"), ("method", "method"),
                 ("ms", scaled("seconds", 1e3), ".2f"), ("G nonzeros/s", "gnonzero_per_s", ".2f"), ("times ours", lambda x: x.get("times_ours", 1), ".1f"),
                 ("colours", "colours"), ("colouring on the host, ms", scaled("colouring_seconds", 1e3), ".1f"))


def page():
    r = results.load("assembly_h200")
    rows = r["rows"]
    rods, tubes, coloured = of_kind(rows, "rod"), of_kind(rows, "tube"), [x for x in rows if "colours" in x]
    kept = memory(rows)
    copied = of_kind([x for x in rows if "memory_bytes" in x], "rod")
    return [f'`hooke bench assembly`, commit {r["commit"]}, {r["device_name"]}, copy {r["copy_gb_per_s"]:.0f} GB/s. Stage 1 includes the transfer of the mesh over the bus. '
            "The paper used a K40c; by its tables, its HEX20 meshes have fewer nodes per element than is possible, so compare times per element.", "",
            *section(f"Stages (Tables {numbered((1, tubes), (3, tubes), (5, rods))})", "MB: the values of the matrix. The paper counts one value per pair of nodes, with all rows "
                     "as wide as the widest; 3D elasticity needs nine values per pair. Tubes have the paper's number of elements, or its number of nodes if their names state one; the paper has no boxes." +
                     (" Rods have the paper's numbers of nodes within 5 %; gmsh meshes their plan." if rods else ""), stages(rows)),
            *section(f"Memory and bandwidth of the stages (Figures {numbered((11, kept), ('14(a)', copied), (15, copied))})", "MB: device memory that a stage keeps; stage 3 "
                     "keeps the values and the buffer of element matrices. GB/s: bytes that the kernels of a stage read and write, counting each array once per kernel that uses it, "
                     "divided by the time of the kernels (stage 1: without the transfer).", kept),
            *section(f"Functions of stage 1 (Table{'s 2 and 4' if rods else ' 2'})", "Milliseconds of the paper's functions, and of ours with the same purpose (after the colon). The paper "
                     "sorts lists of nodes, hooke sorts lists of elements.", functions(rows)),
            *section("Methods of stage 3 (as in Figures 12 and 17)", "The papers' methods as written for hooke, on the same GPU. " +
                     ("SharedNZ integrates an element once for each group of rows that it touches. Colours: one launch per colour; the time excludes the colouring itself." if coloured else
                      "SharedNZ of HEX20 keeps few element matrices in local memory, so most threads of its groups wait: it says little about the method on small elements."), methods(rows)),
            *section("Share of assembly in the whole solution (as in Figure 16)", ("Boxes and rods" if rods else "Boxes") + ", solved to a residual of 1e-8 in double precision. Matrix: "
                     "stages 1 to 3 with the transfer of the mesh. The paper reports 30 to 45 % for rods of up to 2 million nodes, with the conjugate gradients of Cusp on a K40c." +
                     results.words(r), shares(("box", "rod"))),
            *section("The product K u by rows of nodes", "", table(
                (x for x in rows if x["method"] == "product"), ("mesh", "case"), ("precision", "precision"), ("ms", scaled("seconds", 1e3), ".3f"), ("GB/s", "gb_per_s", ".0f"),
                ("of copy", "share_of_copy", ".0f %")))]
