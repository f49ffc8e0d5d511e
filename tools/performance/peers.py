"""Other programs: SPECFEM2D, CalculiX, PETSc, libCEED."""
from . import results
from .table import section, table


def specfem():
    r = results.load("specfem2d")
    repeats = r["speed"][0]["repeats"]
    return [*section("SPECFEM2D: its examples", f'`bench/specfem2d.py`, commit {r["commit"]}, {r["device"]["name"]}; {r["specfem2d"]}. Traces of SPECFEM2D\'s own examples, published with '
                     "it or from a run here, on its elements of order 4 with its time step. The misfit is the L2 norm of the difference relative to that of its trace. Sides: `wide` is "
                     "a mesh so wide that no reflection returns, where SPECFEM2D has its layer; stacey and free are the same in both. [Coming from SPECFEM2D](../from/specfem2d.md) "
                     "explains the larger misfits.", table(
                         r["rows"], ("example", lambda x: x["example"].replace("_", " ")), ("medium", "medium"), ("against", "against"), ("elements", "elements"), ("steps", "steps"),
                         ("sides", "sides"), ("stations", "stations"), ("traces", "traces"), ("misfit, all", "misfit_all", ".2g %"), ("worst trace", "misfit_worst", ".2g %"),
                         ("least correlation", "correlation_worst", ".6f"))),
            *section("SPECFEM2D: time of a step", f'One thread of the same processor, single precision, order 4, free sides. Processor seconds, median of {repeats} pairs of runs in turns. Other '
                     f'programs ran on the machine (load {r["load_before"]:.1f} on {r["device"]["threads"]} threads).', table(
                         r["speed"], ("medium", "medium"), ("elements", "elements"), ("nodes", "nodes"), ("hooke, s", "hooke_seconds_per_step", ".2e"),
                         ("SPECFEM2D, s", "specfem_seconds_per_step", ".2e"), ("ratio", "ratio", ".1f"), ("least", "ratio_least", ".1f"), ("most", "ratio_most", ".1f"))),
            *small_order(),
            *specfem_whole(),
            *section("SPECFEM2D: rates beside which `hooke bench sem` prints hooke's", f'{r["rates_source"]}. [Spectral elements](spectral.md) has hooke\'s.', table(
                r["rates"], ("medium", "medium"), ("device", "device"), ("precision", "precision"), ("GDOF/s", "gdof_per_s")))]


def small_order():
    r = results.load("specfem2d_order2")
    return section("SPECFEM2D: time of a step, order 2", f'`bench/specfem2d.py`, commit {r["commit"]}, {r["device"]["name"]}; {r["specfem2d"]}. As above, with the elements and unknowns of Table 3 of '
                   "Carrascal-Manzanares et al. (2017). There, on one core of a Xeon E5-2640 v4, their code took 5.30e-8 s per element and step, SPECFEM2D 4.48e-7 s (8.45 times). Median of "
                   f'{r["speed"][0]["repeats"]} pairs; load {r["load_before"]:.1f} on {r["device"]["threads"]} threads.', table(
                       r["speed"], ("medium", "medium"), ("elements", "elements"), ("nodes", "nodes"),
                       *((f"{name}, s per element", lambda x, who=who: x[f"{who}_seconds_per_step"] / x["elements"], ".2e")
                         for name, who in (("hooke", "hooke"), ("SPECFEM2D", "specfem"))),
                       ("ratio", "ratio", ".1f"), ("least", "ratio_least", ".1f"), ("most", "ratio_most", ".1f")))


def specfem_whole():
    """From the input of each program to its traces."""
    if not results.there("specfem2d_whole"):
        return []
    r = results.load("specfem2d_whole")
    rows = [x | {"ours": of, "threads": of["threads"]} for x in r["rows"] for of in x["hooke"]]
    return section("SPECFEM2D: from the input to the traces", f'`bench/specfem2d.py --whole`, commit {r["commit"]}, {r["device"]["name"]}; {r["compiler"]}; {r["specfem2d"]}. Whole commands on the same elements of '
                   "order 4 with the same steps: the mesher and the solver of SPECFEM2D, one process, from its Par_file; hooke, single precision, from a case and a mesh in a text file. Median of "
                   f'{r["rows"][0]["repeats"]} runs in turns. {r["about"]}', table(
                       rows, ("medium", "medium"), ("sides", "sides"), ("elements", "elements"), ("steps", "steps"), ("SPECFEM2D, s", "specfem_wall", ".2f"), ("of it mesher, s", "specfem_mesher", ".2f"),
                       ("hooke's threads", "threads"), ("hooke, s", lambda x: x["ours"]["wall"], ".2f"), ("of it solving, s", lambda x: x["ours"]["solve"], ".2f"),
                       ("ratio", lambda x: x["specfem_wall"] / x["ours"]["wall"], ".1f"),
                       ("processor's seconds of SPECFEM2D", "specfem_processor", ".2f"), ("of hooke", lambda x: x["ours"]["processor"], ".2f")))


def calculix():
    r = results.load("static_cpu")
    d, blocks = r["device"], [x | {"block": f'{x["case"]}, {x["dofs"]} unknowns'} for x in r["rows"]]
    part = [(name, lambda x, keys=keys: sum(x["parts"][k] for k in keys), ".2f")
            for name, *keys in (("read", "read"), ("matrix", "mesh", "assemble"), ("set-up", "setup"), ("solution", "solve"), ("output", "output"))]
    return section("CalculiX: static blocks", f'`bench/static.py`, commit {r["commit"]}; {r["ccx"]}; {d["name"]}, {d["threads"]} threads. Seconds are those of the whole command. Other '
                   f'programs ran on the machine (load {r["load_before"]:.1f} on {d["threads"]} threads), so the times of two threads are less certain. The difference is that of the '
                   "displacements from CalculiX's direct solution.", table(
                       (x for x in blocks if x["program"] == "ccx"), ("block", "block"), ("CalculiX", "method"), ("threads", "threads"), ("seconds", "seconds", ".1f"),
                       ("over hooke, 1 thread", lambda x: x["over_hooke"]["1"], ".1f"), ("2 threads", lambda x: x["over_hooke"]["2"], ".1f"), ("difference", "difference", ".1e")),
                   table((x for x in blocks if x["program"] == "hooke"), ("block", "block"), ("hooke", "method"), ("threads", "threads"), ("seconds", "seconds", ".2f"), *part,
                         ("solver", "solver"), ("iterations", "iterations"), ("residual", "residual", ".1e"), ("difference", "difference", ".1e")))


def petsc():
    r = results.load("petsc_cpu")
    d = r["device"]
    about = f' {r["about"]}' if r["about"] else ""
    return section("PETSc: multigrid", f'`bench/petsc.py`, commit {r["commit"]}; {r["petsc"]}; {d["name"]}, {d["threads"]} cores. Boxes of C3D8, to a residual of 1e-8. hooke: `method: cg`, its threads; '
                   f'PETSc: `method: petsc`, conjugate gradients, one rank of Open MPI per core, hypre with HMIS coarsening by unknowns, at most 4 entries in a row of interpolation, and the threshold 0.5. Seconds of set-up and solution without assembly, the better of '
                   f'{r["repeat"]} runs in turns; those of PETSc contain the copy of K and sending it to the ranks. The difference is that from the solution to 1e-11. '
                   f'Other programs ran on the machine (load {r["load_before"]:.1f}).{about}', table(
                       r["rows"], ("model", "case"), ("unknowns", "dofs"), ("solver", "method"), ("cores", "cores"), ("set-up, s", "setup", ".2f"), ("solution, s", "solve", ".2f"),
                       ("both, s", "seconds", ".2f"), ("over hooke", "over_hooke", ".1f"), ("iterations", "iterations"), ("residual", "residual", ".1e"), ("difference", "difference", ".1e")))


def ranks():
    r = results.load("ranks_static")
    d = r["device"]
    about = f' {r["about"]}' if r["about"] else ""
    return section("Ranks of MPI", f'`bench/petsc.py --ranks`, commit {r["commit"]}; {d["name"]}, {d["threads"]} cores. The same boxes by `method: cg, form: assembled` with multigrid: threads of one process, and as many ranks of Open '
                   f'MPI with a thread each. The results are the same bit by bit. The better of {r["repeat"]} runs in turns; "both" is set-up and solution. Other programs ran on the machine (load {r["load_before"]:.1f}).{about}', table(
                       r["rows"], ("model", "case"), ("unknowns", "dofs"), ("by", "method"), ("cores", "cores"), ("assembly, s", "assemble", ".2f"), ("set-up, s", "setup", ".2f"),
                       ("solution, s", "solve", ".2f"), ("both, s", "seconds", ".2f"), ("over threads", "over_threads", ".2f"), ("iterations", "iterations"), ("residual", "residual", ".1e")))


def bp5():
    r = results.load("sem_h200")
    rows = results.rows("sem_h200", table="bp5")
    return section("libCEED: BP5", f'`hooke bench sem bp5`, {results.commits(rows)}; {r["device_name"]}, and {r["cpu_name"]} for `cpu`. 3D, one component, double precision, quadrature at the '
                   "nodes. libCEED: K u alone with stored geometry, on the H200, and on one core of a processor in the rows of `cpu`.", table(
                       rows, ("p", "order"), ("device", "device"), ("threads", lambda x: x["host_threads"] if x["device"] == "cpu" else None), ("geometry", "method"),
                       ("unknowns", "dofs"), ("K u, GDOF/s", "gdof_per_s", ".3g"), ("CG, GDOF/s", "cg_gdof_per_s", ".3g"), ("libCEED, K u", "libceed_gdof_per_s", ".3g")))


def page():
    return [*specfem(), *calculix(), *petsc(), *ranks(), *bp5()]
