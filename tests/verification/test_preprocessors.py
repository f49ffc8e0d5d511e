"""Decks in the layout of FreeCAD, PrePoMax and Gmsh: comments, order of keywords, names of sets and output requests as these
programs write them. The models are ours; CalculiX, which the decks are for, is the peer of the first two, the same model
without boundary elements that of Gmsh's."""
import itertools
import re
import shutil
import subprocess

import numpy as np
import pytest

import fem
from command import call, run

FACES = {4: [(0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)],
         8: [(0, 1, 2, 3), (4, 7, 6, 5), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 4, 0)],
         3: [(0, 1), (1, 2), (2, 0)]}
MIDDLES = {4: [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)], 3: [(0, 1), (1, 2), (2, 0)]}


class Body:
    """A bar or a plate of elements of first or second order; corners: nodes that make the faces."""

    def __init__(self, shape, cells, size, second=False):
        mesh = fem.grid(shape, cells, size)
        self.dim, self.corners = mesh.x.shape[1], mesh.element.shape[1]
        self.x, self.element = mesh.x, mesh.element
        if second:
            ends = np.sort(np.array([[e[list(m)] for m in MIDDLES[self.corners]] for e in self.element]), axis=2)
            pairs, number = np.unique(ends.reshape(-1, 2), axis=0, return_inverse=True)
            self.element = np.hstack([self.element, number.reshape(len(self.element), -1) + len(self.x)])
            self.x = np.vstack([self.x, self.x[pairs].mean(1)])
        self.size = size

    def type(self):
        return {(3, 4): "C3D4", (3, 10): "C3D10", (3, 8): "C3D8", (2, 3): "CPS3", (2, 6): "CPS6"}[
            self.dim, self.element.shape[1]]

    def at(self, axis, value):
        return np.flatnonzero(np.abs(self.x[:, axis] - value) < 1e-9)

    def faces(self, axis, value):
        """(element, face, nodes of it with its middles) of the plane, numbers from 0 on."""
        on = set(self.at(axis, value))
        found = []
        for (e, nodes), (f, corner) in itertools.product(enumerate(self.element), enumerate(FACES[self.corners])):
            own = [nodes[c] for c in corner]
            if not on.issuperset(own):
                continue
            for a, b in zip(own, own[1:] + own[:1]) if self.element.shape[1] > self.corners else []:
                if self.dim == 3 or (a, b) == (own[0], own[1]):
                    at = [i for i, m in enumerate(MIDDLES[self.corners]) if {nodes[m[0]], nodes[m[1]]} == {a, b}][0]
                    own.append(nodes[self.corners + at])
            found.append((e, f, own))
        return found

    def by_face(self, axis, value):
        """{face: elements}"""
        groups = {}
        for e, f, _ in self.faces(axis, value):
            groups.setdefault(f, []).append(e)
        return groups


def rows(numbers, wide=16, end=","):
    labels = [str(n + 1) for n in numbers]
    return [", ".join(labels[i:i + wide]) + end for i in range(0, len(labels), wide)]


def nodes(body, form):
    return [f"{i + 1}, " + ", ".join(form(v) for v in [*x, 0.0][:3]) for i, x in enumerate(body.x)]


def elements(body, first=1):
    return [f"{e + first}, " + ", ".join(str(n + 1) for n in own) for e, own in enumerate(body.element)]


# FreeCAD: each part under a line of stars, one node a line, a degree of freedom a line, *OUTPUT at the end

STARS = "\n" + 59 * "*"


def freecad(body, step, sets=(), material=("*ELASTIC", "210000,0.3"), procedure="*STATIC", output="U", before=(), times="1.0,1.0,1e-05,1.0"):
    lines = ["** written by FreeCAD inp file writer for CalculiX,Abaqus meshes", "** highest dimension mesh elements only.", "",
             "** Nodes", "*Node, NSET=Nall", *nodes(body, "{:.13G}".format), "", "", "** Volume elements",
             f"*Element, TYPE={body.type()}, ELSET=Evolumes", *elements(body), "", "** Define element set Eall",
             "*ELSET, ELSET=Eall", "Evolumes", "", "", STARS, "** Element sets for materials and FEM element type (solid, shell, beam, fluid)",
             "*ELSET,ELSET=MaterialSolidSolid", "Evolumes"]
    for name, members in sets:
        lines += [STARS, f"** constraints node sets", f"** {name}", f"*NSET,NSET={name}", *rows(members, 1)]
    lines += [STARS, "** Materials", "** see information about units at file end", "** FreeCAD material name: Steel-Generic",
              "** MaterialSolid", "*MATERIAL, NAME=MaterialSolid", *material, STARS, "** Sections",
              "*SOLID SECTION, ELSET=MaterialSolidSolid, MATERIAL=MaterialSolid", *before, STARS,
              "** At least one step is needed to run an CalculiX analysis of FreeCAD", "*STEP, INC=2000", procedure, times]
    lines += step
    lines += [STARS, "** Outputs --> frd file", "*NODE FILE", output, "*EL FILE", "S, E", "** outputs --> dat file",
              "** reaction forces for Constraint fixed", f"*NODE PRINT, NSET={sets[0][0]}, TOTALS=ONLY", "RF", "",
              "*OUTPUT, FREQUENCY=1" + STARS, "*END STEP ", STARS, "** CalculiX Input file", "** written by FreeCAD", "** Units"]
    return "\n".join(lines) + "\n"


def fixed(name="ConstraintFixed"):
    return [STARS, "** Fixed Constraints", f"** {name}", "*BOUNDARY", f"{name},1", f"{name},2", f"{name},3", ""]


def bar(shape="tet4", second=True):
    return Body(shape, [4, 1, 2], [40.0, 10.0, 20.0], second)


def freecad_force():
    body = bar()
    tip = body.at(0, 40.0)
    load = [STARS, "** Node loads Constraints", "*CLOAD", "** ConstraintForce", "** node loads on shape: Box:Face2"]
    return freecad(body, fixed() + load + [f"{n + 1},3,{-100 / len(tip):.13E}" for n in tip] + [""],
                   [("ConstraintFixed", body.at(0, 0.0))])


def freecad_pressure():
    body = bar()
    load = [STARS, "** Element + CalculiX face + load in [MPa]", "** written from: Face6", "*DLOAD"]
    return freecad(body, fixed() + load + [f"{e + 1},P{f + 1},10.0" for e, f, _ in body.faces(2, 20.0)] + [""],
                   [("ConstraintFixed", body.at(0, 0.0))])


def freecad_selfweight():
    body = bar("hex8", False)
    load = [STARS, "** Self weight Constraint", "*DLOAD", "** ConstraintSelfWeight", "Eall,GRAV,9810.0,0.0,0.0,-1.0", ""]
    return freecad(body, fixed() + load, [("ConstraintFixed", body.at(0, 0.0))],
                   ("*ELASTIC", "210000,0.3", "*DENSITY", "7.9E-09"))


def freecad_displacement():
    body = bar()
    load = [STARS, "** Displacement constraint applied", "** ConstraintDisplacement", "*BOUNDARY", "ConstraintDisplacement,1,1,0.25",
            "ConstraintDisplacement,2,2,0", "", ""]
    before = [STARS, "** Transform", "*TRANSFORM, NSET=ConstraintTransform, TYPE=R", "0.8,0.6,0.0,-0.6,0.8,0.0"]
    return freecad(body, fixed() + load, [("ConstraintFixed", body.at(0, 0.0)), ("ConstraintDisplacement", body.at(0, 40.0)),
                                          ("ConstraintTransform", body.at(0, 40.0))], before=before)


def freecad_heat():
    body = bar()
    material = ("*ELASTIC", "210000,0.3", "*CONDUCTIVITY", "43", "*EXPANSION", "1.2E-05", "*SPECIFIC HEAT", "490000000")
    step = [STARS, "** Fixed temperature constraint applied", "*BOUNDARY", "ConstraintTemperature,11,11,293.0", "", STARS,
            "** Heatflux constraints", "** Convective heat flux", "*FILM"]
    step += [f"{e + 1},F{f + 1},373.0,0.5" for e, f, _ in body.faces(0, 40.0)] + ["", "*DFLUX"]
    step += [f"{e + 1},S{f + 1},7.5" for e, f, _ in body.faces(2, 20.0)]
    before = [STARS, "** Initial temperature constraint", "*INITIAL CONDITIONS,TYPE=TEMPERATURE", "Nall,293.0"]
    return freecad(body, step, [("ConstraintTemperature", body.at(0, 0.0))], material, "*HEAT TRANSFER, STEADY STATE", "U, NT", before)


# PrePoMax: headings of plus signs, words in small letters, sets of faces S1 to S6, op=New, frequency first

def plus(title):
    return ["**", f"** {title} ".ljust(60, "+"), "**"]


def prepomax(body, steps, node_sets=(), surfaces=(), material=("*Elastic", "210000, 0.28"), amplitudes=()):
    lines = [*plus("Heading"), "*Heading", "Hash: Qx1Yz2Ab, Date: 01/02/2024, Unit system: MM_TON_S_C", *plus("Submodel"),
             *plus("Nodes"), "*Node", *nodes(body, "{:.8E}".format), *plus("Elements"),
             f"*Element, Type={body.type()}, Elset=Solid_part-1", *elements(body), *plus("Node sets")]
    for name, members in node_sets:
        lines += [f"*Nset, Nset={name}", *rows(members)]
    lines += [*plus("Element sets"), "*Elset, Elset=Internal_Selection-1_Solid_Section-1", "Solid_part-1"]
    for name, groups in surfaces:
        for f, members in groups.items():
            lines += [f"*Elset, Elset=Internal-1_{name}_S{f + 1}", *rows(members)]
    lines += plus("Surfaces")
    for name, groups in surfaces:
        lines += [f"*Surface, Name={name}, Type=Element"] + [f"Internal-1_{name}_S{f + 1}, S{f + 1}" for f in groups]
    lines += [*plus("Physical constants"), *plus("Coordinate systems"), *plus("Materials"), "*Material, Name=S235", *material,
              *plus("Sections"), "*Solid section, Elset=Internal_Selection-1_Solid_Section-1, Material=S235", *plus("Constraints"),
              *plus("Surface interactions"), *plus("Contact pairs"), *plus("Amplitudes"), *amplitudes, *plus("Initial conditions"),
              *plus("Steps")]
    for number, step in enumerate(steps, 1):
        lines += [*plus(f"Step-{number}"), *step, *plus("End step"), "*End step"]
    return "\n".join(lines) + "\n"


def prepomax_step(conditions, loads, procedure=("*Static, Solver=Pardiso", "1, 1, 1E-05, 1E+30"), output="RF, U", history=(),
                  element_output="S, E"):
    return ["*Step, Inc=100", *procedure, *plus("Controls"), *plus("Output frequency"), "*Output, Frequency=1",
            *plus("Boundary conditions"), "*Boundary, op=New", *conditions, *plus("Loads"), "*Cload, op=New", "*Dload, op=New", *loads,
            *plus("Defined fields"), *plus("History outputs"), *history, *plus("Field outputs"), "*Node file", output, "*El file",
            element_output]


FIXED = ["** Name: Fixed-1", "*Boundary", "Internal_Selection-1_Fixed-1, 1, 6, 0"]


def prepomax_pressure():
    body = bar()
    name = "Internal_Selection-1_Pressure-1"
    groups = body.by_face(2, 20.0)
    load = ["** Name: Pressure-1", "*Dload"] + [f"Internal-1_{name}_S{f + 1}, P{f + 1}, 2.5" for f in groups]
    history = ["** Name: NH_output-1", "*Node print, Nset=Internal_Selection-1_Fixed-1, Global=Yes, Totals=Only", "RF",
               "*El print, Elset=Solid_part-1, Global=Yes", "S"]
    return prepomax(body, [prepomax_step(FIXED, load, history=history)], [("Internal_Selection-1_Fixed-1", body.at(0, 0.0))],
                    [(name, groups)])


def prepomax_traction():
    body = bar("hex8", False)
    tip = body.at(0, 40.0)
    load = ["** Name: Surface_Traction-1", "*Cload"] + [f"{n + 1}, 3, {-7 / len(tip):.15G}" for n in tip]
    return prepomax(body, [prepomax_step(FIXED, load)], [("Internal_Selection-1_Fixed-1", body.at(0, 0.0))])


def prepomax_gravity():
    body = bar()
    load = ["** Name: Gravity-1", "*Dload", "Solid_part-1, Grav, 9810, 0, 0, -1", "** Name: Centrifugal-1", "*Dload",
            "Solid_part-1, Centrif, 250, 0, 0, 0, 0, 1, 0"]
    return prepomax(body, [prepomax_step(FIXED, load)], [("Internal_Selection-1_Fixed-1", body.at(0, 0.0))],
                    material=("*Density", "7.8E-09", "*Elastic", "210000, 0.28", "*Expansion, Zero=20", "1.1E-05", "*Conductivity", "14",
                              "*Specific heat", "440000000"))


def prepomax_displacement():
    body = bar()
    move = ["** Name: Displacement_Rotation-1", "*Boundary, Amplitude=Amplitude-1", "Internal_Selection-1_Displacement_Rotation-1, 1, 1, 0.3",
            "** Name: Displacement_Rotation-2", "*Boundary", "Internal_Selection-1_Displacement_Rotation-1, 3, 3, 0.1"]
    one = prepomax_step(FIXED + move, [])
    two = prepomax_step(FIXED, ["** Name: Concentrated_Force-1", "*Cload", "Internal_Selection-1_Displacement_Rotation-1, 2, 5"])
    return prepomax(body, [one, two], [("Internal_Selection-1_Fixed-1", body.at(0, 0.0)),
                                       ("Internal_Selection-1_Displacement_Rotation-1", body.at(0, 40.0))],
                    amplitudes=["*Amplitude, Name=Amplitude-1", "0, 0", "1, 0.5"])


def prepomax_heat():
    body = bar()
    flux, film = body.by_face(2, 20.0), body.by_face(0, 40.0)
    load = ["** Name: Surface_Flux-1", "*Dflux"] + [f"Internal-1_Internal_Selection-1_Surface_Flux-1_S{f + 1}, S{f + 1}, 0.8" for f in flux]
    load += ["** Name: Convective_Film-1", "*Film"] + [f"Internal-1_Internal_Selection-1_Convective_Film-1_S{f + 1}, F{f + 1}, 80, 0.2"
                                                      for f in film]
    step = prepomax_step(["** Name: Temperature-1", "*Boundary", "Internal_Selection-1_Temperature-1, 11, 11, 20"],
                         load, ("*Heat transfer, Steady state, Solver=Pardiso", "1, 1, 1E-05, 1E+30"), "NT, RFL", element_output="HFL")
    step = [line for line in step if line not in ("*Cload, op=New", "*Dload, op=New")]
    return prepomax(body, [step], [("Internal_Selection-1_Temperature-1", body.at(0, 0.0))],
                    [("Internal_Selection-1_Surface_Flux-1", flux), ("Internal_Selection-1_Convective_Film-1", film)],
                    ("*Conductivity", "45"))


def displacements(path, name):
    """{node: values} of the last block called `name` in a .frd file."""
    blocks = re.split(r"^ -4  ", path.read_text(), flags=re.M)
    block = [b for b in blocks if b.startswith(name)][-1]
    columns = 3 if name == "DISP" else 1
    found = {}
    for line in block.splitlines():
        if line.startswith(" -1"):
            found[int(line[3:13])] = [float(line[13 + 12 * i:25 + 12 * i]) for i in range(columns)]
        elif line.startswith(" -3"):
            break
    return found


PEERS = [freecad_force, freecad_pressure, freecad_selfweight, freecad_displacement, freecad_heat, prepomax_pressure,
         prepomax_traction, prepomax_gravity, prepomax_displacement, prepomax_heat]


@pytest.mark.parametrize("deck", PEERS, ids=lambda d: d.__name__)
def test_deck_runs_as_it_stands(tmp_path, deck):
    """displacements or temperatures agree with ccx's to the 6 digits of its .frd file"""
    text = deck()
    got = run(tmp_path, text, "--no-pictures")
    assert got.summary["status"] == "ok"
    assert not [w for w in got.summary["warnings"] if "not written" not in w], got.summary["warnings"]
    if not shutil.which("ccx"):
        pytest.skip("ccx is not installed: the deck ran, but was NOT compared with CalculiX (apt-get install calculix-ccx)")
    (tmp_path / "peer.inp").write_text(text.replace("SOLVER=PARDISO", "SOLVER=SPOOLES").replace("Solver=Pardiso", "Solver=Spooles"))
    done = subprocess.run(["ccx", "-i", "peer"], cwd=tmp_path, capture_output=True, text=True, timeout=3000)
    assert "Job finished" in done.stdout, done.stdout[-2000:]
    heat = "heat" in deck.__name__
    peer = displacements(tmp_path / "peer.frd", "NDTEMP" if heat else "DISP")
    wanted = np.array([peer[label] for label in got.label])
    ours = np.reshape(got.static[-1]["temperature" if heat else "displacement"], wanted.shape)
    assert np.abs(wanted).max() > 0
    assert np.abs(ours - wanted).max() <= 1e-5 * np.abs(wanted).max()


# Gmsh: *Heading, a line of stars before the elements, lines and surfaces beside the elements, element sets of groups

def gmsh(body, groups, physical):
    """groups: [(name, type, elements as lists of nodes)] of lower dimension; physical: {name: groups or "body"}."""
    lines = ["*Heading", " model.inp", "*NODE", *nodes(body, "{:.16g}".format), "******* E L E M E N T S *************"]
    label, numbers = 1, {}
    for name, kind, members in groups:
        lines.append(f"*ELEMENT, type={kind}, ELSET={name}")
        numbers[name] = range(label - 1, label - 1 + len(members))
        lines += [f"{label + i}, " + ", ".join(str(n + 1) for n in own) for i, own in enumerate(members)]
        label += len(members)
    lines += [f"*ELEMENT, type={body.type()}, ELSET={'Volume1' if body.dim == 3 else 'Surface1'}", *elements(body, label)]
    numbers["body"] = range(label - 1, label - 1 + len(body.element))
    for name, members in physical.items():
        lines += [f"*ELSET,ELSET={name}", *rows([n for m in members for n in numbers[m]], 10, ", ")]
    return "\n".join(lines) + "\n"


def plain(body, node_sets, surfaces):
    """The same model without boundary elements."""
    lines = ["*NODE", *nodes(body, "{:.16g}".format), f"*ELEMENT, TYPE={body.type()}, ELSET=body", *elements(body, 1000)]
    for name, members in node_sets.items():
        lines += [f"*NSET, NSET={name}", *rows(members)]
    for name, faces in surfaces.items():
        lines += [f"*SURFACE, NAME={name}"] + [f"{e + 1000}, S{f + 1}" for e, f, _ in faces]
    return "\n".join(lines) + "\n"


STEEL = "*MATERIAL, NAME=steel\n*ELASTIC\n210000., .3\n*DENSITY\n7.8E-9\n*CONDUCTIVITY\n40.\n*SOLID SECTION, ELSET=body, MATERIAL=steel\n"
PRESS = STEEL + "*STEP\n*STATIC\n*BOUNDARY\nclamp, 1, 3\n*DSLOAD\nload, P, 3.\n*NODE PRINT, NSET=load\nU\n*END STEP\n"
PULL = STEEL + "*STEP\n*STATIC\n*BOUNDARY\nclamp, 1, 2\n*CLOAD\nload, 2, 3.\n*NODE FILE\nU\n*END STEP\n"
HEAT = STEEL + "*STEP\n*HEAT TRANSFER, STEADY STATE\n*BOUNDARY\nclamp, 11, 11, 5.\n*DFLUX\nload, S, 3.\n*NODE FILE\nNT\n*END STEP\n"
CASES = {"tet4": (bar("tet4", False), "CPS3", PRESS), "tet10": (bar("tet4", True), "CPS6", PRESS), "hex8": (bar("hex8", False), "CPS4", PRESS),
         "tri3": (Body("tri3", [6, 3], [4.0, 2.0]), "T3D2", PULL), "tri6": (Body("tri3", [6, 3], [4.0, 2.0], True), "T3D3", PRESS.replace("1, 3", "1, 2")),
         "tet10-heat": (bar("tet4", True), "CPS6", HEAT)}


def sides(body, kind):
    ends = body.faces(0, 0.0), body.faces(0, body.size[0])
    groups = [("Surface1" if body.dim == 3 else "Line1", kind, [own for _, _, own in ends[0]]),
              ("Surface2" if body.dim == 3 else "Line2", kind, [own for _, _, own in ends[1]])]
    return ends, groups


@pytest.mark.parametrize("name", CASES)
def test_boundary_elements_are_sets(tmp_path, name):
    """a deck with Gmsh's boundary elements gives what the same deck gives with sets of nodes and faces"""
    body, kind, rest = CASES[name]
    ends, groups = sides(body, kind)
    own = {"clamp": [groups[0][0]], "load": [groups[1][0]], "body": ["body"]}
    ours = run(tmp_path, gmsh(body, groups, own) + rest, "--no-pictures", name="gmsh")
    want = run(tmp_path, plain(body, {"clamp": body.at(0, 0.0), "load": body.at(0, body.size[0])}, {"load": ends[1]}) + rest,
               "--no-pictures", name="plain")
    quantity = "temperature" if "HEAT" in rest else "displacement"
    a, b = ours.static[0][quantity], want.static[0][quantity]
    assert ours.summary["counts"]["elements"] == len(body.element)
    assert np.abs(b).max() > 0 and np.abs(a - b).max() <= 1e-12 * np.abs(b).max()
    assert any("lower dimension" in line for line in call("check", tmp_path / "gmsh.inp").stderr.splitlines())


def test_mesh_of_a_case_has_the_groups(tmp_path):
    """a case takes the edges of a Gmsh deck by the name of their group, for conditions and forces alike"""
    body, kind, _ = CASES["tri3"]
    _, groups = sides(body, kind)
    (tmp_path / "mesh.inp").write_text(gmsh(body, groups, {"clamp": ["Line1"], "load": ["Line2"], "plate": ["body"]}))
    case = {"mesh": "mesh.inp", "materials": {"steel": {"density": 7850, "young": "210 GPa", "poisson": 0.3}}, "regions": {"plate": "steel"},
            "boundary": [{"set": "clamp", "fix": ["x", "y"]}, {"set": "load", "pressure": "1 MPa"}], "solve": {"static": {}}}
    got = run(tmp_path, case, "--no-pictures")
    tip = np.flatnonzero(np.abs(got.coordinates[:, 0] - 4) < 1e-9)
    assert got.static[0]["displacement"][tip, 0].max() < 0


@pytest.mark.parametrize("line, words", [
    ("*Distributing coupling, Elset=Internal-1", "*DISTRIBUTING COUPLING: hooke does not support such constraints"),
    ("*Rigid body, Nset=N, Ref node=1", "*RIGID BODY: hooke does not support such constraints"),
    ("*Shell section, Elset=E, Material=S235, Offset=0", "*SHELL SECTION: hooke computes only solid elements"),
    ("*Tie, Name=Tie-1", "*TIE: hooke does not tie surfaces"),
    ("*Contact pair, Interaction=I", "*CONTACT PAIR: hooke does not compute contact")])
def test_what_is_missing_is_refused_in_words(tmp_path, line, words):
    """what hooke does not compute of such decks ends in 3, with the keyword"""
    text = prepomax_traction().replace("** Surface interactions", line + "\n** Surface interactions")
    failed = run(tmp_path, text, code=3)
    assert words in failed.stderr
