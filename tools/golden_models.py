"""The models of the golden set (tools/golden): plan() lists every run by name, model and words of the command.

A run is written down once, on the processor in double precision; tools/golden repeats it in single precision and on OpenCL. Most models are
generated: a body, a form of K and one feature, each from a list, so that a new form, solver, element or feature is one more word here."""
import copy
import gzip
import json
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
BOTH, ALL = ("cpu",), ("cpu", "opencl")
DOUBLE, PRECISIONS = ("double",), ("double", "single")


class Run:
    """Commands after `hooke`, in a folder that holds the models: their texts, exit codes and results are kept.

    files: {name: text or bytes} of its models, devices and precisions: where it is repeated. `steps`: a run in time of so many steps,
    whose end tools/golden finds by `hooke check`."""

    def __init__(self, name, files, commands, devices=BOTH, precisions=DOUBLE, steps=None):
        self.name, self.files, self.commands = name, files, commands
        self.devices, self.precisions, self.steps = devices, precisions, steps


FORMS = ["edges", "edges-packed", "matrix-free", "stored", "blocks", "spectral", "spectral-colours"]
MEDIUM = {"density": 1.2, "young": 1.5, "poisson": 0.3}
WATER = {"density": 1.1, "sound_speed": 0.9}
RICKER = {"ricker": {"frequency": 0.4, "t0": 1.0}}
BENT = {"blocks": {  # two blocks, one with a curved side
    "points": {"a": [0, 0], "b": [1, 0], "c": [2, 0], "d": [0, 1], "e": [1.1, 1], "f": [2, 1.1]},
    "edges": [{"ends": ["a", "b"], "spline": [[0.5, 0.1]]}, {"ends": ["d", "e"], "y": "1 + 0.1 * x * (1.1 - x)"}, {"ends": ["b", "c"], "arc": [1.5, -0.1]}],
    "blocks": [{"name": "l", "corners": ["a", "b", "e", "d"], "cells": [3, 4]}, {"name": "r", "corners": ["b", "c", "f", "e"], "cells": [3, 4], "grading": [0.6, 1]}],
    "sides": {"fault": [["b", "e"]], "left": [["a", "d"]], "right": [["c", "f"]], "bottom": [["a", "b"], ["b", "c"]], "top": [["d", "e"], ["e", "f"]]}}}
BOW = {"blocks": {  # the same in 3D, a block beside a curved one
    "points": {f"{n}{z}": [x, y, z] for z in (0, 1) for n, x, y in (("a", 0, 0), ("b", 1, 0), ("c", 2, 0), ("d", 0, 1), ("e", 1, 1), ("f", 2, 1))},
    "edges": [{"ends": ["e0", "f0"], "arc": [1.5, 1.15, 0]}, {"ends": ["e1", "f1"], "arc": [1.5, 1.15, 1]}],
    "blocks": [{"name": n, "corners": [k + z for z in "01" for k in p], "cells": [2, 2, 2]} for n, p in (("l", "abed"), ("r", "bcfe"))],
    "sides": {"fault": [["b0", "e0", "e1", "b1"]], "left": [["a0", "d0", "d1", "a1"]], "right": [["c0", "f0", "f1", "c1"]],
              "bottom": [["a0", "b0", "b1", "a1"], ["b0", "c0", "c1", "b1"]], "top": [["d0", "e0", "e1", "d1"], ["e0", "f0", "f1", "e1"]]}}}
ANISOTROPIC = {"density": 1.2, "c11": 3, "c22": 2.5, "c33": 2.2, "c12": 0.9, "c13": 0.7, "c23": 0.8, "c44": 0.8, "c55": 0.7, "c66": 0.9, "c16": 0.1, "c26": 0.05, "c45": 0.06}


def grid(shape, cells=4, **more):
    """A unit square or cube, inner nodes moved, numbers shuffled."""
    if shape in ("tri", "quad"):
        return {"rectangle": {"size": [1.5, 1], "cells": [cells + 2, cells], "shape": shape, "jitter": 0.2, "shuffle": 5, **more}}
    return {"box": {"size": [1.5, 1, 1], "cells": [cells, cells - 1, cells - 1], "shape": shape, "jitter": 0.2, "shuffle": 5, **more}}


def dim_of(mesh):
    return 3 if "box" in mesh or "cylinder" in mesh or mesh is BOW else 2


def body(mesh, form=None, order=None, **more):
    """A case of waves in a body: a force at a point, traces at points and nodes, frames."""
    dim = dim_of(mesh)
    point = [0.7, 0.6, 0.4][:dim]
    case = {"units": "none", "mesh": mesh, "materials": {"m": MEDIUM},
            "sources": [{"at": point, "force": 1, "direction": [0.3, -1, 0.2][:dim], "signal": RICKER}],
            "outputs": {"traces": [{"name": "rx", "set": "right"}, {"name": "p", "at": [[0.3, 0.4, 0.5][:dim]], "quantity": ["velocity", "acceleration"]}],
                        "field": {"quantity": "velocity", "frames": 3}},
            "solve": {"explicit": {"end": 8}}}
    if form:
        case["solve"]["explicit"]["method"] = form
    if order:
        case["element"] = {"order": order}
    case.update(copy.deepcopy(more))
    return case


def fluid(mesh, form=None, order=None, **more):
    dim = dim_of(mesh)
    return body(mesh, form, order, **{
        "materials": {"w": WATER},
        "sources": [{"at": [0.7, 0.6, 0.4][:dim], "volume_rate": 1, "signal": RICKER}],
        "outputs": {"traces": [{"name": "rx", "set": "right", "quantity": "pressure"}], "field": {"quantity": "pressure", "frames": 3}}, **more})


def joined(mesh, form=None, order=2, **more):
    """Fluid on the left, solid on the right."""
    dim = dim_of(mesh)
    return body(mesh, form, order, **{
        "materials": {"w": WATER, "m": MEDIUM}, "regions": {"l": "w", "r": "m"},
        "sources": [{"at": [0.4, 0.6, 0.4][:dim], "volume_rate": 1, "signal": RICKER}],
        "outputs": {"traces": [{"name": "rx", "set": "right", "quantity": "velocity"}, {"name": "p", "at": [[0.3, 0.4, 0.5][:dim]], "quantity": "pressure"}],
                    "field": {"quantity": ["pressure", "velocity"], "frames": 3}}, **more})


def wave(name, case, devices=ALL, steps=40, words=(), precisions=PRECISIONS):
    return Run(name, {"model.json": json.dumps(case, indent=1)}, [["run", "model.json", *words]], devices, precisions, steps)


def forms():
    """Every form of K on every shape of the generators, by order."""
    for shape in ("tri", "quad", "tet", "hex"):
        for order in (1, 2):
            for form in FORMS:
                yield wave(f"forms/{shape}{order}/{form}", body(grid(shape), form, order))
    for order in (1, 2, 3):
        for form in ("auto", "edges", "matrix-free", "spectral"):
            mesh = {"extrude": {"mesh": grid("tri", 3), "layers": [{"name": "slab", "height": 0.8, "cells": 2}]}}
            case = body(mesh, form, order)
            case["sources"][0].update(at=[0.7, 0.6, 0.4], direction=[0.3, -1, 0.2])
            case["outputs"]["traces"][1]["at"] = [[0.3, 0.4, 0.5]]
            yield wave(f"forms/prism{order}/{form}", case, BOTH)


def spectral():
    """Orders, geometries, media, ways of adding elements up."""
    ways = ("spectral", "spectral-colours")
    meshes = {"affine": lambda s: grid(s, 3, jitter=0), "straight": lambda s: grid(s, 3), "curved": lambda s: BENT if s == "quad" else BOW}
    for order in range(2, 11):
        for way in ways:
            yield wave(f"spectral/order{order}/2d/{way}", body(grid("quad", 3), way, order), ALL if order in (3, 7) else BOTH)
            yield wave(f"spectral/order{order}/3d/{way}", body(grid("hex", 2), way, order), ALL if order in (2, 5) else BOTH, 12)
    for name, mesh in meshes.items():
        for shape in ("quad", "hex"):
            for medium in (MEDIUM, ANISOTROPIC):
                for way in ways:
                    label = "anisotropic" if medium is ANISOTROPIC else "isotropic"
                    yield wave(f"spectral/{name}/{shape}/{label}/{way}", body(mesh(shape), way, 4, materials={"m": medium}), ALL if name != "straight" else BOTH, 24)
            for way in ways:
                yield wave(f"spectral/{name}/{shape}/fluid/{way}", fluid(mesh(shape), way, 3), ALL if name == "curved" else BOTH, 24)
    for mesh, shape in ((BENT, "quad"), (BOW, "hex")):
        for order in (1, 2, 4):
            for way in ways:
                yield wave(f"interface/{shape}/order{order}/{way}", joined(mesh, way, order), ALL if order == 2 else BOTH, 24)
        for kind in ("stacey", "pml", "layer"):
            absorb = {"kind": kind, "sets": ["left", "right"], **({} if kind == "stacey" else {"thickness": 0.5})}
            yield wave(f"interface/{shape}/{kind}", joined(mesh, None, 2, absorb=absorb), ALL, 24)
        yield wave(f"interface/{shape}/damping", joined(mesh, None, 2, damping={"mass": 0.1}), BOTH, 24)
    for shape in ("tri", "tet", "quad", "hex"):
        yield wave(f"fluid/linear/{shape}", fluid(grid(shape)))
        yield wave(f"fluid/linear/{shape}/absorbing", fluid(grid(shape), None, None, absorb={"kind": "stacey", "sets": ["left"]},
                                                            boundary=[{"set": "top", "fix": "pressure"}], initial=[{"set": "bottom", "pressure": 0.5}]))


# Features of a run in time; {dim} values are cut to the dimension.
FEATURES = {
    "damping": {"damping": {"mass": 0.2}},
    "material_damping": {"materials": {"m": {**MEDIUM, "damping": 0.1}}},
    "initial": {"initial": [{"set": "left", "displacement": [0.1, 0.2, 0.1]}, {"set": "top", "velocity": [0.1, 0, 0.2]}]},
    "fixed": {"boundary": [{"set": "left", "fix": ["x", "y"]}, {"set": "right", "fix": "x"}]},
    "moved": {"boundary": [{"set": "left", "move": {"x": 0.1}, "signal": {"gaussian": {"a": 4, "t0": 1}}}]},
    "velocity": {"sources": [{"set": "top", "velocity": 0.1, "direction": [0, 1, 0], "signal": {"toneburst": {"frequency": 0.5, "cycles": 3}}}]},
    "displacement_delays": {"sources": [{"set": "left", "displacement": 0.1, "direction": [1, 0, 0], "delay": 0.3, "signal": RICKER}]},
    "pressure": {"boundary": [{"set": "left", "pressure": 0.3, "signal": {"toneburst": {"frequency": 0.5, "cycles": 2, "window": "none"}}}]},
    "traction": {"boundary": [{"set": "top", "traction": [0.1, 0.2, 0.1], "signal": "step", "delay": 0.2}]},
    "gravity": {"sources": [{"gravity": [0, -1, 0.2]}, {"set": "all", "body_force": [0.1, 0, 0]}]},
    "table": {"sources": [{"set": "right", "force": 1, "direction": [1, 1, 0], "signal": {"table": {"time": [0, 1, 2], "value": [0, 1, -1]}, "scale": 2}}]},
    "layer": {"absorb": {"sets": ["left", "right"], "thickness": 0.4}},
    "stacey": {"absorb": {"kind": "stacey", "sets": ["left", "top"]}},
    "pml": {"absorb": [{"kind": "pml", "sets": ["left"], "thickness": 0.5}, {"kind": "stacey", "sets": ["right"]}]},
    "dispersion_removed": {"solve": {"explicit": {"end": 8, "time_dispersion": "remove"}}},
    "dispersion_kept": {"solve": {"explicit": {"end": 8, "time_dispersion": "keep"}}},
    "strains": {"outputs": {"traces": [{"set": "top", "quantity": ["displacement", "velocity", "acceleration"], "every": 3}], "field": {"quantity": ["displacement", "acceleration"], "interval": 1}}},
    "interval": {"outputs": {"traces": [{"set": "top", "interval": 0.3}], "field": {"frames": 1}}},
    "shots": {"sources": [{"set": "top", "force": 1, "direction": [0, -1, 0], "signal": RICKER}], "shots": {"array": {"set": "top", "each": "node"}},
              "outputs": {"traces": [{"set": "right"}], "field": {"frames": 2, "shots": [2, 1]}}, "solve": {"explicit": {"end": 8, "shots_at_once": 3}}},
    "shots_moved": {"sources": [], "shots": {"array": {"at": [[0.2, 0.3, 0.3], [0.4, 0.6, 0.5], [0.9, 0.5, 0.5]], "force": 1, "direction": [1, 0, 0], "signal": RICKER}},
                    "absorb": {"kind": "stacey", "sets": ["left"]}, "outputs": {"traces": [{"set": "right"}]}},
    "cracked": {"crack": {"sets": ["fault"]}},
    "crack_springs": {"crack": {"sets": ["fault"], "springs": {"normal": 2, "tangential": 1}}, "damping": {"mass": 0.1}},
    "crack_node_springs": {"crack": {"sets": ["fault"], "node_springs": {"normal": 0.2, "tangential": 0.1}}},
    "crack_closed": {"crack": {"sets": ["fault"], "closed": True}},
    "crack_springs_shots": {"crack": {"sets": ["fault"], "springs": {"normal": 2, "tangential": 1}}, "sources": [],
                            "shots": {"array": {"at": [[0.2, 0.3, 0.3], [0.4, 0.6, 0.5]], "force": 1, "direction": [1, 0, 0], "signal": RICKER}},
                            "outputs": {"traces": [{"set": "right"}]}},
    "axes": {"axes": {"turned": {"straight": {"x": [1, 1, 0], "y": [0, 1, 1]}}}, "materials": {"m": {**ANISOTROPIC, "axes": "turned"}}},
    "cylinder_axes": {"axes": {"round": {"cylinder": {"at": [-1, -1, 0], "along": [0, 0, 1]}}}, "materials": {"m": {**ANISOTROPIC, "axes": "round"}}},
    "plane_stress": {"plane": "stress", "thickness": 2},
}


def cut(value, dim):
    """Vectors of the dimension."""
    if isinstance(value, dict):
        return {k: ({"at": cut(v["at"], dim)} if k == "cylinder" and dim == 2 else {"x": cut(v["x"], dim)} if k == "straight" and dim == 2 else cut(v, dim))
                for k, v in value.items()}
    if isinstance(value, list) and len(value) == 3 and all(isinstance(v, (int, float)) for v in value):
        return value[:dim]
    return [cut(v, dim) for v in value] if isinstance(value, list) else value


def features():
    """Every feature beside every form of K in 2D, and beside two forms in 3D."""
    keep = {"time", "value"}  # tables of three numbers are no vectors
    for name, more in FEATURES.items():
        for flat, mesh2 in ((True, BENT), (False, BOW)):
            for form in (FORMS if flat else ("matrix-free", "spectral", "edges-packed")):
                if form == "edges-packed" and flat:
                    continue
                dim = 2 if flat else 3
                mesh = mesh2
                changes = more if name == "table" and dim == 2 and not keep else cut(more, dim)
                if name == "table":
                    changes = {"sources": [{**more["sources"][0], "direction": [1, 1, 0][:dim]}]}
                case = body(mesh, form, 2 if form.startswith("spectral") else None, **changes)
                case["solve"]["explicit"]["method"] = form
                device = ALL if form in ("edges", "spectral") or name in ("pml", "shots", "crack_springs") else BOTH
                yield wave(f"features/{name}/{dim}d/{form}", case, device, 30)


def restarts():
    """A run that ends at half, goes on, and the same without a stop."""
    picked = ["damping", "layer", "stacey", "pml", "shots", "crack_springs", "moved", "dispersion_removed"]
    cases = {f"{name}/{form}": body(BENT, form, 2 if form.startswith("spectral") else None, **cut(FEATURES[name], 2))
             for name in picked for form in ("edges", "matrix-free", "stored", "blocks", "spectral", "spectral-colours")}
    cases |= {"fluid": fluid(BENT, None, 3), "interface/stacey": joined(BENT, None, 2, absorb={"kind": "stacey", "sets": ["left", "right"]}),
              "interface/pml": joined(BENT, None, 2, absorb={"kind": "pml", "sets": ["left"], "thickness": 0.5}),
              "3d/spectral": body(BOW, "spectral", 3), "3d/edges": body(grid("tet"), "edges")}
    for name, case in cases.items():
        if name.startswith("pml") and "spectral" not in name:
            continue
        form = name.split("/")[-1]
        case["solve"]["explicit"].update(end=4.8, dt=0.02 if "spectral" in name or "fluid" in name or "interface" in name else 0.04)
        if form in FORMS:
            case["solve"]["explicit"]["method"] = form
        case["outputs"]["field"] = {"quantity": "velocity", "interval": 1.2, **({"shots": [1]} if "shots" in case else {})}
        text = json.dumps(case, indent=1)
        half = ["--set", "solve.explicit.end=2.4", "--keep-checkpoint"]
        yield Run(f"restart/{name}", {"model.json": text}, [["run", "model.json", "--output", "whole.hooke"], ["run", "model.json", *half],
                                                            ["run", "model.json", "--restart"], ["compare", "whole.hooke", "model.hooke", "--tolerance", "0"]],
                  ALL if form in ("spectral", "edges") else BOTH, PRECISIONS)


STATIC_BODY = {"units": "none", "materials": {"m": MEDIUM}, "outputs": {"print": [{"set": "right", "quantity": ["displacement", "reaction"], "totals": "yes"},
               {"set": "all", "quantity": ["stress", "strain"]}], "field": {"quantity": ["displacement", "stress", "strain", "reaction"]}}}


def static(mesh, dim, solve=None, order=None, **more):
    case = {**copy.deepcopy(STATIC_BODY), "mesh": mesh, "boundary": [{"set": "left", "fix": ["x", "y", "z"][:dim]}, {"set": "right", "traction": [0.1, 0.2, 0.3][:dim]}],
            "sources": [{"gravity": [0, -0.1, 0.1][:dim]}], "solve": {"static": solve or {}}}
    if order:
        case["element"] = {"order": order}
    return {**case, **more}


def heat(mesh, solve=None, order=None, **more):
    case = {"units": "none", "mesh": mesh, "physics": "heat", "materials": {"m": {"conductivity": {"formula": "2 + x^2 * sin(pi * y) - max(x, -1) / 3"}}},
            "boundary": [{"set": "left", "temperature": {"formula": "300 + y"}}, {"set": "right", "flux": {"formula": "x * y"}}, {"set": "top", "film": {"coefficient": 3, "sink": 290}}],
            "sources": [{"set": "all", "heat": {"formula": "exp(-x)"}}], "outputs": {"print": [{"set": "left", "quantity": ["temperature", "reaction"], "totals": "yes"}]},
            "solve": {"heat": solve or {}}}
    if order:
        case["element"] = {"order": order}
    return {**case, **more}


SOLVERS = ([{"method": "cg", "preconditioner": p} for p in ("jacobi", "block-jacobi", "chebyshev", "multigrid")]
           + [{"method": "cg", "form": f} for f in ("assembled", "stored", "edges", "matrix-free", "elements")]
           + [{"method": "femses", "relaxation": r} for r in ("jacobi", "chebyshev", "conjugate", "multigrid")]
           + [{"method": "femses", "sweeps": "single"}]
           + [{"method": "direct", "library": b} for b in ("mumps", "cholmod", "lapack")]
           + [{"method": "cholesky", "ordering": o} for o in ("metis", "rcm", "natural")] + [{"method": "dense"}, {"method": "dense-to-sparse"}])


def solvers():
    """Every linear solver with each of its options, elastic and heat, in 2D and 3D."""
    for solve in SOLVERS:
        label = "-".join(solve.values())
        device = ALL if solve["method"] in ("cg", "femses") else BOTH
        for shape in ("tri", "quad", "tet", "hex"):
            dim = 2 if shape in ("tri", "quad") else 3
            some = device if shape in ("quad", "tet") else BOTH
            yield one(f"solvers/{label}/static/{shape}", static(grid(shape), dim, solve), some)
            if solve.get("form") not in ("stored", "edges"):
                yield one(f"solvers/{label}/heat/{shape}", heat(grid(shape), solve), some)
        yield one(f"solvers/{label}/static/hex2", static(grid("hex", 3), 3, solve, 2), BOTH)
        yield one(f"solvers/{label}/heat/tet2", heat(grid("tet", 3), solve, 2), BOTH)


def one(name, case, devices=BOTH, precisions=PRECISIONS):
    return Run(name, {"model.json": json.dumps(case, indent=1)}, [["run", "model.json"]], devices, precisions)


PRISM = {"extrude": {"mesh": grid("tri", 2), "layers": [{"name": "lower", "height": 0.5, "cells": 1}, {"name": "upper", "height": 0.4, "cells": 1}]}}
STATIC_FEATURES = {
    "equations": {"equations": [{"terms": [{"set": "top", "component": "x"}, {"set": "bottom", "component": "x", "factor": -1}], "value": 0.01}]},
    "body_force": {"sources": [{"set": "all", "body_force": [0.1, 0.2, 0.1]}]},
    "centrifugal": {"sources": [{"centrifugal": {"speed": 0.5, "at": [0.1, 0, 0], "along": [0, 0, 1]}}]},
    "point_force": {"sources": [{"at": [0.7, 0.6, 0.4], "force": 1, "direction": [1, 0.5, 0.2]}]},
    "moved": {"boundary": [{"set": "left", "fix": ["x", "y", "z"]}, {"set": "right", "move": {"x": 0.1, "y": -0.1}}]},
    "pressure": {"boundary": [{"set": "left", "fix": ["x", "y", "z"]}, {"set": "right", "pressure": 0.4}]},
    "axes": {"axes": {"round": {"cylinder": {"at": [-1, -1, 0], "along": [0, 0, 1]}}}, "materials": {"m": {**ANISOTROPIC, "axes": "round"}},
             "boundary": [{"set": "left", "fix": ["x", "y", "z"], "axes": "round"}, {"set": "right", "move": {"y": 0.1}, "axes": "round"}]},
    "turned": {"axes": {"turned": {"straight": {"x": [1, 1, 0], "y": [0, 1, 1]}}}, "materials": {"m": {**ANISOTROPIC, "axes": "turned"}},
               "sources": [{"set": "right", "force": 1, "direction": [1, 0, 0], "axes": "turned"}]},
    "cracked": {"crack": {"sets": ["fault"]}}, "crack_springs": {"crack": {"sets": ["fault"], "springs": {"normal": 2, "tangential": 1}}},
    "plane_stress": {"plane": "stress", "thickness": 2},
    "free": {"boundary": [{"set": "right", "pressure": 0.4}], "sources": []},
}


def statics():
    """Elements of every order and integration, features of static solutions and of heat conduction."""
    for order in range(1, 8):
        yield one(f"static/prism{order}", static(PRISM, 3, None, order, boundary=[{"set": "left", "fix": ["x", "y", "z"]}, {"set": "back", "pressure": 0.1}]), ALL if order in (1, 3) else BOTH)
        yield one(f"heat/prism{order}", heat(PRISM, None, order), BOTH)
        yield one(f"heat/prism{order}/constant", heat(PRISM, None, order, materials={"m": {"conductivity": [2, 1, 3], "reaction": 0.2}}), ALL if order in (1, 3) else BOTH)
        for shape in ("quad", "hex"):
            yield one(f"static/{shape}{order}", static(grid(shape, 3), 2 if shape == "quad" else 3, None, order), BOTH)
            yield one(f"heat/{shape}{order}", heat(grid(shape, 3), None, order), BOTH)
    for shape in ("tri", "quad", "tet", "hex"):
        for order in (1, 2):
            for way in ("full", "reduced", "incompatible"):
                case = static(grid(shape, 3), 2 if shape in ("tri", "quad") else 3)
                case["element"] = {"order": order, "integration": way}
                yield one(f"static/integration/{shape}{order}/{way}", case, ALL if order == 1 and shape == "hex" else BOTH)
    for name, more in STATIC_FEATURES.items():
        for dim, mesh in ((2, BENT), (3, BOW)):
            for order in (1, 2):
                yield one(f"static/features/{name}/{dim}d{order}", static(mesh, dim, None, order, **with_components(cut(more, dim), dim)), ALL if order == 1 else BOTH)
    for name, more in {"axes": {"axes": {"turned": {"straight": {"x": [1, 1, 0], "y": [0, 1, 1]}}}, "materials": {"m": {"conductivity": [2, 1, 3], "axes": "turned"}}},
                       "full": {"materials": {"m": {"conductivity": [2, 1, 3, 0.1, 0.2, 0.1]}}}, "cracked": {"crack": {"sets": ["fault"]}}, "flux": {"sources": [], "materials": {"m": {"conductivity": 2}}}}.items():
        for dim, mesh in ((2, BENT), (3, BOW)):
            changes = cut(more, dim)
            if name == "full" and dim == 2:
                changes = {"materials": {"m": {"conductivity": [2, 1, 1, 0.1]}}}
            yield one(f"heat/features/{name}/{dim}d", heat(mesh, None, None, **changes), BOTH)


def with_components(more, dim):
    """`fix` names no z in 2D."""
    for rule in more.get("boundary", []):
        if "fix" in rule:
            rule["fix"] = rule["fix"][:dim]
    return more


def slurp(path):
    return path.read_bytes() if path.suffix in (".gz", ".msh", ".vtu") else path.read_text()


def shortened(path, step_count):
    """A deck of explicit steps, ended after so many."""
    text = gzip.decompress(path.read_bytes()).decode()

    def ended(found):
        dt = float(found[2].split(",")[0])
        return f"{found[1]}\n{dt!r}, {dt * step_count!r}"
    return re.sub(r"(\*DYNAMIC, EXPLICIT, DIRECT USER CONTROL)\n(.*)", ended, text)


def examples():
    """Every case and deck of examples/ that is not of a paper's size. Large ones take few steps."""
    few = {"crack": 6, "inspection": 40, "ground": 20, "immersion": 40}
    for path in sorted((ROOT / "examples").glob("*/*.*")):
        folder = {p.name: slurp(p) for p in path.parent.iterdir() if re.search(r"\.(inp|inp\.gz|msh|yaml)$", p.name)}
        name = f"examples/{path.parent.name}/{path.name.split('.')[0]}"
        if "_paper" in path.name or path.name.startswith("mesh.") or path.name in ("deformed.inp.gz", "borehole.msh"):
            continue
        if path.suffix == ".yaml" and path.parent.name != "plate_prisms":
            steps = few.get(path.parent.name, 60) if "explicit:" in path.read_text() else None
            large = path.parent.name == "crack"
            yield Run(name, folder, [["run", path.name]], BOTH if large else ALL, PRECISIONS, steps)
        elif path.suffix == ".yaml":
            if path.name == "plate.yaml":
                for order in (1, 2, 3):
                    yield Run(f"{name}{order}", folder, [["run", path.name, "--set", f"element.order={order}"]], BOTH, PRECISIONS)
        elif path.name.endswith(".inp.gz") and path.parent.name in ("weld", "gear"):
            yield Run(name, {"model.inp": shortened(path, 60)}, [["run", "model.inp"]], ALL, PRECISIONS)
        elif path.name.endswith((".inp", ".inp.gz")):
            yield Run(name, folder, [["run", path.name]], ALL if path.parent.name == "cylinder" else BOTH, PRECISIONS)


def pages():
    """Models of the tutorials and of start.md: the blocks under <!-- file: NAME -->."""
    for page in [ROOT / "docs/start.md", *sorted((ROOT / "docs/tutorials").glob("*.md")), *sorted((ROOT / "docs/from").glob("*.md"))]:
        for model, text in re.findall(r"<!-- file: (\S+\.(?:yaml|inp)) -->\n```\w*\n(.*?)```", page.read_text(), re.S):
            yield Run(f"pages/{page.stem}/{model.split('.')[0]}", {model: text}, [["run", model]], ALL if "explicit" in text else BOTH, PRECISIONS,
                      24 if "explicit:" in text else None)


def decks():
    """Decks that the tests write, and those of CalculiX's test pack where it is installed."""
    os.environ.setdefault("HOOKE", "hooke"), os.environ.setdefault("HOOKE_SOURCE", str(ROOT))
    sys.path[:0] = [str(ROOT / "tests" / folder) for folder in ("verification", "cli", "faults")]
    import decks as strips
    import models
    import numpy
    import pack
    import solids
    import test_preprocessors
    yield Run("decks/strip", {"model.inp": strips.strip()}, [["run", "model.inp"], ["check", "model.inp"], ["info", "model.inp"]], ALL, PRECISIONS)
    for deck in test_preprocessors.PEERS:
        yield Run(f"decks/{deck.__name__}", {"model.inp": deck()}, [["run", "model.inp"]], BOTH, PRECISIONS)
    for name, text in models.MODELS.items():
        yield Run(f"faults/{name}", {"model.yaml": text}, [["run", "model.yaml", "--field-format", "vtu"], ["export", "model.hooke", "--csv", "--vtu", "--png", "--su", "--sac"],
                                                          ["report", "model.hooke"], ["info", "model.hooke"], ["info", "model.hooke/run.h5", "--arrays"], ["check", "model.yaml"]], BOTH, PRECISIONS)
    for kind in solids.NODES:
        dim = 3 if kind.startswith("C3") else 2
        block = solids.Block(kind, [2] * dim, lambda s: s * numpy.array([3.0, 1, 1][:dim]) + 0.1 * s[:, :1] * s[:, 1:2])
        sets = {"A": block.at(s=0), "B": block.at(s=1)}
        step = ["*BOUNDARY", f"A, 1, {dim}", "*CLOAD", "B, 1, 10.", "B, 2, 3.", "*DLOAD", "E, P1, 2.", "*NODE PRINT, NSET=A, TOTALS=YES", "RF", "*NODE PRINT, NSET=B", "U",
                "*EL PRINT, ELSET=E", "S, E", "*NODE FILE", "U, RF", "*EL FILE", "S, E"]
        yield Run(f"decks/elements/{kind}", {"model.inp": solids.deck(block, 210e3, 0.3, sets, {"E": block.last(0)}, step)}, [["run", "model.inp"]], BOTH, PRECISIONS)
    try:
        listed = pack.decks()
    except AssertionError:
        return
    for path in listed:
        text = pack.text(path).encode("latin1")
        included = [p.name for p in listed if p != path and p.name.encode() in text] if b"*INCLUDE" in text.upper() else []
        files = {path.name: path.read_bytes(), **{n: (path.parent / n).read_bytes() for n in included}}
        if pack.in_scope(path) and len(text) < 400000:
            yield Run(f"calculix/{path.name.split('.')[0]}", files, [["run", path.name]], BOTH, DOUBLE)


def verbs():
    """What the other verbs write and print, over every mesh file of the tests."""
    for path in sorted((ROOT / "tests/data/mesh").glob("*.*")):
        if path.suffix in (".msh", ".vtu"):
            commands = [["info", path.name]] + [["convert", path.name, f"mesh{end}"] for end in (".msh", ".inp", ".vtu", ".vtkhdf")]
            yield Run(f"verbs/mesh/{path.stem}{path.suffix[1:]}", {path.name: slurp(path)}, commands)
    gear = {"gear.inp.gz": slurp(ROOT / "examples/gear/gear.inp.gz")}
    yield Run("verbs/partition", gear, [["partition", "gear.inp.gz", "--method", m, "--size", str(n), "--output", f"{m}{n}.blocks"]
                                        for m in ("aligned", "greedy", "metis", "bisection") for n in (256, 512)])
    blocks = {"model.inp": shortened(ROOT / "examples/gear/gear.inp.gz", 20)}
    yield Run("verbs/blocks", blocks, [["partition", "model.inp", "--method", "greedy"], ["run", "model.inp", "--blocks", "model.blocks"]], ALL, PRECISIONS)
    yield Run("verbs/new", {}, [["new"], ["new", "--schema"], *[[*w, n] for n in ("plate", "block", "weld", "bracket", "plume") for w in (["new"],)],
                                *[["check", f"{n}/{n}.yaml"] for n in ("plate", "block", "weld", "bracket", "plume")]])
    yield Run("verbs/help", {}, [["--help"], ["--version"], *[[v, "--help"] for v in ("run", "check", "info", "convert", "partition", "export", "compare", "report", "image", "devices", "new", "selftest", "bench")]])
    yield Run("verbs/errors", {"errors.yaml": slurp(ROOT / "tests/data/case/errors.yaml"), "plain.yaml": slurp(ROOT / "tests/data/case/plain.yaml"),
                               "plain.json": slurp(ROOT / "tests/data/case/plain.json")}, [[v, f] for f in ("errors.yaml", "plain.yaml", "plain.json", "missing.yaml") for v in ("check", "run")])
    for name, case in {"elastic": body(BENT), "interface": joined(BENT), "static": static(BENT, 2), "heat": heat(BENT), "shots": body(BENT, **cut(FEATURES["shots"], 2))}.items():
        words = [["check", "model.json"], ["check", "model.json", "--json"], ["check", "model.json", "--precision", "double", "--strict"]]
        yield Run(f"verbs/check/{name}", {"model.json": json.dumps(case, indent=1)}, words)


def plan():
    """Every run."""
    for group in (examples, pages, forms, spectral, features, restarts, solvers, statics, decks, verbs):
        yield from group()
