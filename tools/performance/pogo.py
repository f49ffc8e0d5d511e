"""The tables of Huthwaite (2014)."""
from . import results
from .table import section, table


def blocks():
    """Partitions; docs/partition.md shows them too."""
    return table((x for x in results.load("pogo_h200")["rows"] if "paper_efficiency" in x or "partition_seconds" in x), ("model", "case"), ("nodes", lambda x: x["dofs"] // 2),
                 ("partitioner", "method"), ("blocks", "blocks"), ("efficiency", "efficiency", ".2f %"), ("paper's", "paper_efficiency", ".1f %"),
                 ("seconds", "seconds", ".2f"), ("paper's", "paper_seconds", ".1f"))


PARTS = (("U, previous", "u_previous", 8192), ("U, current", "u_current", 8192), ("block links", "block_links", 80), ("U of other blocks", "u_linked", 4608),
         ("C", "c", 4096), ("source pointers", "source_pointers", 2048), ("fixed conditions", "fixed_conditions", 1024),
         ("link pointers", "link_pointers", 12288), ("K", "k", 147456), ("U, next", "u_next", 8192))


def of_parts(rows):
    """Table A.5: bytes of a block in double precision beside the paper's."""
    rows = [x for x in rows if x["method"] == "blocks, aligned" and x["precision"] == "double" and x["device"] != "cpu" and "bytes_k" in x and x["table"] == "2"]
    lines = [{"line": name, "paper": paper, **{x["case"]: x[f"bytes_{key}"] / x["blocks"] for x in rows}} for name, key, paper in PARTS]
    lines.append({"line": "all", "paper": 196176, **{x["case"]: x["bytes"] / x["blocks"] for x in rows}})
    return table(lines, ("read or written", "line"), *((x["case"], x["case"], ".0f") for x in rows), ("paper's", "paper")) if rows else []


def tenths(row):
    return " ".join(f"{v:.0e}" for v in row["by_tenth"]) if row["steps"] > 100000 or "twice" in row["against"] else None


def whole_runs(runs):
    """Seconds of whole runs and their discrepancies (Table 2, Figures 9, 11 and 13)."""
    where = f'Commit {runs["commit"]}, {runs["device_name"]}.'
    return [
        *section("Whole runs (Table 2)", f"{where} Runs of `hooke run` from beginning to end with traces at the receivers (`bench/pogo_runs.py`). Setup is everything between reading "
                 "the deck and the first step. The blocks are partitioned before the run.", table(
                     [x for x in runs["rows"] if x["table"] == "run"], ("model", "case"), ("device", "device"), ("precision", "precision"), ("method", "method"), ("steps", "steps"),
                     ("blocks, s", "block_seconds", ".2f"), ("setup, s", "setup_seconds", ".2f"), ("steps, s", "stepping_seconds", ".2f"), ("all, s", "total_seconds", ".2f"),
                     ("GDOF/s", "gdof_per_s", ".1f"), ("paper's steps, s", "paper_stepping_seconds", ".1f"))),
        *section("Discrepancy of traces (as in Figures 9, 11, 13)", f"{where} The largest difference at a receiver, relative to its peak, over the given number of steps, from the default "
                 "form in double precision on the same mesh and device. Receivers without a signal do not count. Rows at twice the resolution compare with half the element length and "
                 "time step: the error of linear triangles on this mesh, which grows with the wavelengths that a wave has travelled. The weld's traces are not converged at the paper's "
                 "element length: S waves of 5 MHz have 16 nodes per wavelength, with which their speed is wrong by up to 2.5 % on a regular mesh (`bench/lumped.py`), and 40 us are 200 "
                 "periods. Both forms solve the discretised equations to 1e-12 all the same. By tenth: the same in each tenth of the time (Figure 11c).", table(
                     [x for x in runs["rows"] if x["table"] == "discrepancy"], ("model", "case"), ("method", "method"), ("precision", "precision"), ("steps", "steps"),
                     ("from", "against"), ("receivers", "receivers"), ("discrepancy", "discrepancy", ".1e"), ("by tenth", tenths)))]


def independent():
    """Small models beside other programs."""
    if not results.there("independent"):
        return []
    r = results.load("independent")
    return section("Other programs on the small models", f"As in Figures 8 to 13. " f'`bench/independent.py`, commit {r["commit"]}, {r["cpu_name"]}; the models of `examples/` and the same with '
                   f'elements of twice the length, the same mesh, loads and time step in both programs. numpy {r["numpy"]}: stiffness, masses and central differences written anew. '
                   f'CalculiX {r["calculix"]}: `*DYNAMIC, EXPLICIT` on one layer of C3D6 held in z. It predicts u with the old acceleration and corrects it by dt^2 / 4 times the new one, '
                   "so its distance from central differences is of order dt^2: half the step, a quarter of it; numpy in CalculiX's scheme has its traces to the seven digits that it prints. It takes one mass damping for the whole model, so the geophysical model has free "
                   "sides in both; numpy has the absorbing layer. Twice the resolution: the error of the mesh, a quarter at each halving, less for the gear with its re-entrant "
                   "corners. Receivers without a signal do not count.", table(
                       r["rows"], ("model", "case"), ("elements", "elements"), ("time step, s", "dt", ".3g"), ("steps", "steps"), ("from", "against"), ("receivers", "receivers"),
                       ("discrepancy", "discrepancy", ".1e"), ("numpy in CalculiX's scheme from CalculiX", "same_scheme", ".1e")))


def solids():
    """Boxes in 3D."""
    r = results.load("pogo_solids")
    efficiency = {(x["case"], f'blocks, {x["method"]}'): x["efficiency"] for x in r["rows"] if "efficiency" in x and "seconds_per_step" not in x}
    return section("Blocks of solids", f'`hooke bench pogo solids`, commit {r["commit"]}; {r["device_name"]}, copy {r["copy_gb_per_s"]:.0f} GB/s. Boxes of tetrahedra and of hexahedra, '
                   "three unknowns per node, blocks of 512 nodes. The paper has no solids. Part of a step stays in the last cache, so steps can exceed the copy.", table(
                       [x for x in r["rows"] if "seconds_per_step" in x], ("model", "case"), ("unknowns", "dofs"), ("precision", "precision"), ("method", "method"),
                       ("efficiency", lambda x: efficiency.get((x["case"], x["method"])), ".1f %"), ("links", "links", ".1f"), ("GDOF/s", "gdof_per_s", ".1f"),
                       ("GB/s", "gb_per_s", ".0f"), ("of copy", "share_of_copy", ".0f %")))


def page():
    r = results.load("pogo_h200")
    models = r["rows"]
    return [f'`hooke bench pogo` on the decks of `examples/` at the paper\'s sizes; commit {r["commit"]}; {r["device_name"]}, copy {r["copy_gb_per_s"]:.0f} GB/s, and '
            f'{r["cpu_name"]}, copy {r["cpu_copy_gb_per_s"]:.0f} GB/s (part of a step stays in the last cache, so steps can exceed it). The paper\'s figures are for a '
            'GTX 580 with 192 GB/s. METIS was not installed on that machine.', "",
            *section("Blocks (Tables 1 and 2)", "Efficiency of blocks of 512 nodes after their arrangement, and the seconds for partition and arrangement together.", blocks()),
            *section("Steps (Tables 2 and 4)", "Steps include sources, receivers and damping, as in a run. GB/s of `blocks` count the bytes of Appendix A with the actual number of "
                     "links. The last two columns are the time of a step multiplied by the number of steps of the model, and the time of the paper's run.", table(
                         [x for x in models if "seconds_per_step" in x and x["method"] != "blocks, bisection"], ("model", "case"), ("device", "device"), ("precision", "precision"),
                         ("method", "method"), ("GDOF/s", "gdof_per_s", ".1f"), ("GB/s", "gb_per_s", ".0f"), ("of copy", "share_of_copy", ".0f %"),
                         ("paper's GB/s", "paper_gb_per_s", ".0f"), ("steps", "steps"), ("steps x time of a step, s", "stepping_seconds", ".2f"),
                         ("paper's run, s", "paper_stepping_seconds", ".1f"))),
            *section("Bytes of a block (Table A.5)", "Bytes that a step reads and writes for a block of 512 nodes, in double precision, counted by Appendix A with the actual "
                     "number of links: the mean over the aligned blocks of a model.", of_parts(models)),
            *section("Sizes of blocks (2.3)", "Steps with aligned blocks of different sizes. Links: the mean number that a row of 32 nodes loads.", table(
                [x for x in models if x["table"] == "sweep"], ("model", "case"), ("device", "device"), ("precision", "precision"), ("nodes", "block_size"),
                ("efficiency", "efficiency", ".2f %"), ("links", "links", ".2f"), ("MB a step", lambda x: x["bytes"] * 1e-6, ".1f"), ("GDOF/s", "gdof_per_s", ".1f"),
                ("GB/s", "gb_per_s", ".0f"))),
            *solids(),
            *whole_runs(results.load("pogo_runs")),
            *independent()]
