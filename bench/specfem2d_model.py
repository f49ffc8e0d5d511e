"""Reads the folder of a SPECFEM2D example (Par_file, SOURCE, interfaces or mesh files) and writes the same model as a case file.

  model = Model(folder)                    # raises Refused, with the reason, if a feature is not supported
  case = model.write(where)                # where/case.json and where/mesh.msh: the elements of SPECFEM2D's mesher, of order 4 or another

Supported: P-SV waves by Newmark's scheme; the internal mesher with its layers, or mesh files; solids (isotropic, anisotropic) and fluids;
one force, moment tensor or pressure source with a Ricker wavelet, the first derivative of a Gaussian, or a Gaussian; free, rigid and
Stacey's sides. A perfectly matched layer becomes hooke's own (`layer`, one medium), or a mesh so wide that no reflection returns (`wide`)."""
import json
import pathlib
import re

import numpy as np

SIDES = ("left", "right", "bottom", "top")
QUANTITIES = {1: "displacement", 2: "velocity", 3: "acceleration", 4: "pressure"}
# key: what it must be here (a switch that is off, or a number), and what it would ask for
ONLY = {"SIMULATION_TYPE": (1, "adjoint runs"), "NOISE_TOMOGRAPHY": (0, "noise"), "P_SV": (True, "SH waves"), "AXISYM": (False, "axisymmetry"),
        "time_stepping_scheme": (1, "schemes other than Newmark's"), "ATTENUATION_VISCOELASTIC": (False, "attenuation"),
        "ATTENUATION_VISCOACOUSTIC": (False, "attenuation"), "NSOURCES": (1, "several sources"), "initialfield": (False, "an initial field"),
        "force_normal_to_surface": (False, "forces along normals"), "rec_normal_to_surface": (False, "receivers along normals"),
        "anglerec": (0, "rotated receivers"), "ACOUSTIC_FORCING": (False, "moving walls"), "ADD_PERIODIC_CONDITIONS": (False, "periodic sides"),
        "ROTATE_PML_ACTIVATE": (False, "turned layers")}


class Refused(Exception):
    """The example asks for what is not served; the message says for what."""


def number(text):
    return float(text.lower().replace("d", "e"))


def value(text):
    """A switch, a number, or the text itself."""
    switch = {".true.": True, ".false.": False}.get(text.lower())
    if switch is not None:
        return switch
    try:
        return number(text)
    except ValueError:
        return text.strip("'\"")


def read(path):
    """Of a file of `key = value` lines: the pairs in their order, and the rows of numbers between them."""
    pairs, rows = [], []
    for line in pathlib.Path(path).read_text(errors="replace").splitlines():
        line = line.split("#")[0].strip()
        key, equals, text = (part.strip() for part in line.partition("="))
        if equals:
            pairs.append((key, value(text)))
        elif line:
            rows.append([number(word) for word in line.split()])
    return pairs, rows


def numbers(path):
    """All numbers of a file, line by line."""
    lines = (line.split("#")[0].split() for line in pathlib.Path(path).read_text(errors="replace").splitlines())
    return [[number(word) for word in line] for line in lines if line]


def spline(points):
    """The mesher's curve through an interface's points: cubic, with the slopes of its first and last pieces at the ends, level beyond."""
    x, z = np.array(points).T
    h, slope = np.diff(x), np.diff(z) / np.diff(x)
    n = len(x)
    a, b = np.zeros((n, n)), np.zeros(n)  # for second derivatives: those of each piece meet in value and slope
    a[0, 0], a[-1, -1] = 1, 1
    if n > 2:
        a[0, :2], a[-1, -2:] = (2 * h[0], h[0]), (h[-1], 2 * h[-1])
    for i in range(1, n - 1):
        a[i, i - 1:i + 2] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
        b[i] = 6 * (slope[i] - slope[i - 1])
    m = np.linalg.solve(a, b)

    def at(where):
        where = np.clip(where, x[0], x[-1])
        i = np.clip(np.searchsorted(x, where, side="right") - 1, 0, n - 2)
        p, q = (x[i + 1] - where) / h[i], (where - x[i]) / h[i]
        return p * z[i] + q * z[i + 1] + ((p**3 - p) * m[i] + (q**3 - q) * m[i + 1]) * h[i]**2 / 6
    return at


class Wavelet:
    """s(t) of time_function_type 1, 2, 3 with frequency f, t counted from its centre, and ds/dt."""

    def __init__(self, kind, f):
        if kind not in (1, 2, 3):
            raise Refused(f"time_function_type {kind}: 1 (Ricker), 2 (first derivative of a Gaussian) and 3 (Gaussian) are served")
        self.kind, self.a = int(kind), (np.pi * f) ** 2

    def of(self, t, derivative=0):
        a, order = self.a, 3 - self.kind + derivative  # derivatives of -exp(-a t^2) / (2 a)
        shape = {0: -1 / (2 * a), 1: t, 2: 1 - 2 * a * t**2, 3: 2 * a * t * (2 * a * t**2 - 3)}[order]
        return shape * np.exp(-a * t**2)


class Model:
    """An example as it is read: parameters, materials, elements[e, 4 or 9] with nodes[n, 2], their material, edges by name."""

    def __init__(self, folder, par="Par_file", source="SOURCE", sides=None, order=4):
        """sides: instead of those that the Par_file asks for: `layer`, `wide` (see above), `stacey`, or `free`. order: of the elements."""
        self.folder, self.order = pathlib.Path(folder), order
        self.pairs, self.rows = read(self.folder / "DATA" / par)
        self.key = dict(reversed(self.pairs))
        self.from_source = dict(read(self.folder / "DATA" / source)[0])
        for key, (wanted, what) in ONLY.items():
            if self.key.get(key, wanted) != wanted:
                raise Refused(f"{key} = {self.key[key]}: {what}")
        if self.key["MODEL"] != "default":
            raise Refused(f"MODEL = {self.key['MODEL']}: a model on a grid")
        kinds = str(self.key["seismotype"]).split(",")
        if len(kinds) != 1 or number(kinds[0]) not in QUANTITIES:
            raise Refused(f"seismotype = {self.key['seismotype']}: one of 1 (displacement) to 4 (pressure) is served")
        self.quantity = QUANTITIES[number(kinds[0])]
        self.dt, self.steps = self.key["DT"], int(self.key["NSTEP"])
        self.every = int(self.key.get("NTSTEP_BETWEEN_OUTPUT_SAMPLE", 1))
        self.pml, self.stacey = self.key["PML_BOUNDARY_CONDITIONS"], self.key["STACEY_ABSORBING_CONDITIONS"]
        self.sides = sides or ("wide" if self.pml else "stacey" if self.stacey else "free")
        if self.sides not in ("layer", "wide", "stacey", "free"):
            raise Refused(f"sides {self.sides}: layer, wide, stacey or free")
        self.read_materials()
        self.read_source()
        if self.key["read_external_mesh"]:
            self.read_mesh()
        else:
            self.make_mesh()

    # materials

    def read_materials(self):
        self.materials = {}
        for row in self.rows[:int(self.key["nbmodels"])]:
            name, kind, rest = f"m{int(row[0])}", int(row[1]), row[2:]
            if kind == 1 and rest[2] == 0:
                self.materials[name] = {"density": rest[0], "sound_speed": rest[1]}
            elif kind == 1:
                self.materials[name] = {"density": rest[0], "p_speed": rest[1], "s_speed": rest[2]}
            elif kind == 2:  # hooke's y is z here
                self.materials[name] = {"density": rest[0]} | {
                    key: c for key, c in zip(("c11", "c12", "c16", "c22", "c26", "c66"), rest[1:7]) if c}
            else:
                raise Refused(f"material {int(row[0])} is of type {kind}: 1 (isotropic) and 2 (anisotropic) are served")

    def fluid(self, material):
        return "sound_speed" in self.materials[f"m{material}"]

    def fastest(self):
        return max(m.get("sound_speed") or m.get("p_speed") or np.sqrt(max(m["c11"], m["c22"]) / m["density"]) for m in self.materials.values())

    # the source, whose place may be on the surface

    def read_source(self):
        s = self.from_source
        if s.get("vx", 0) or s.get("vz", 0):
            raise Refused("vx, vz: a moving source")
        if s["source_type"] not in (1, 2):
            raise Refused(f"source_type = {s['source_type']:.0f}: 1 (force, pressure) and 2 (moment tensor) are served")
        self.wavelet = Wavelet(s["time_function_type"], s["f0"])
        user = self.key.get("USER_T0", 0)
        self.start = user if user > 0 else 1.2 / s["f0"] + s["tshift"]  # traces begin at minus this
        self.centre = user + s["tshift"] if user > 0 else self.start     # of the wavelet, from the first sample on
        self.source = np.array([s["xs"], s["zs"]])

    # elements

    def make_mesh(self):
        """Columns of equal width, rows that divide each layer evenly between its two curves; wide: more of them at sides that absorb."""
        key = self.key
        lines = numbers(self.folder / "DATA" / str(key["interfacesfile"]))
        curves, lines = int(lines[0][0]), lines[1:]
        self.curves = []
        for _ in range(curves):
            n = int(lines[0][0])
            self.curves.append(spline(lines[1:n + 1]))
            lines = lines[n + 1:]
        layers = [int(line[0]) for line in lines[:curves - 1]]
        nx, low, high = int(key["nx"]), key["xmin"], key["xmax"]
        material = np.zeros((sum(layers), nx), int)
        for a, b, c, d, m in ((int(v) for v in row[:5]) for row in self.rows[int(key["nbmodels"]):][:int(key["nbregions"])]):
            material[c - 1:d, a - 1:b] = m
        if self.from_source.get("source_surf"):
            self.source[1] = self.height(self.source[0])
        self.absorbing = [side for side in SIDES if key[f"absorb{side}"] and self.sides != "free"]  # without a kind of it these keys mean nothing
        wide, half = (0, 0, 0, 0), (high - low) / nx / 2
        self.thickness = key.get("NELEM_PML_THICKNESS", 0) * 2 * half
        if self.sides == "wide":
            ends = np.linspace(low, high, 9)
            bottom, top = self.curves[0](ends).max(), self.curves[-1](ends).min()
            wide = [self.far(axis, edge, outwards, half) if side in self.absorbing else 0 for side, axis, edge, outwards in zip(
                SIDES, (0, 0, 1, 1), (low, high, bottom, top), (-1, 1, -1, 1))]
        x = low + half * np.arange(-2 * wide[0], 2 * (nx + wide[1]) + 1)
        at = np.clip(x, low, high)  # interfaces are level beyond
        z = [np.linspace(a(at), b(at), 2 * n + 1)[:-1] for a, b, n in zip(self.curves, self.curves[1:], layers)]
        z = np.concatenate([*z, self.curves[-1](at)[None]])
        z = np.concatenate([z[0] - half * np.arange(2 * wide[2], 0, -1)[:, None], z, z[-1] + half * np.arange(1, 2 * wide[3] + 1)[:, None]])
        material = np.pad(material, ((wide[2], wide[3]), (wide[0], wide[1])), mode="edge")
        self.grid(np.broadcast_to(x, z.shape), z, material, int(key["NGNOD"]))

    def height(self, x):
        """Of the elements' upper edges, which is the curve's at their nodes alone."""
        width = (self.key["xmax"] - self.key["xmin"]) / self.key["nx"]
        left = self.key["xmin"] + width * min(np.floor((x - self.key["xmin"]) / width), self.key["nx"] - 1)
        at = left + width * np.linspace(0, 1, 3 if self.key["NGNOD"] == 9 else 2)
        return np.polyval(np.polyfit(at - left, self.curves[-1](at), len(at) - 1), x - left)

    def far(self, axis, edge, outwards, half):
        """Elements beyond a side for a wave not to come back from there before the end."""
        depth = [max(0, outwards * (edge - point[axis])) for point in (self.source, *(at for _, at in self.receivers()))]
        way = self.fastest() * self.dt * self.steps - depth[0] - min(depth[1:])
        return max(0, int(np.ceil(way / 2 / (2 * half))))

    def grid(self, x, z, material, per_element):
        """Elements of a grid of points, two to an element's edge, and the edges of its sides."""
        rows, columns = material.shape
        point = np.arange(x.size).reshape(x.shape)
        local = [(0, 0), (0, 2), (2, 2), (2, 0), (0, 1), (1, 2), (2, 1), (1, 0), (1, 1)][:per_element]
        nodes = np.stack([point[i:i + 2 * rows - 1:2, j:j + 2 * columns - 1:2] for i, j in local], axis=-1).reshape(-1, per_element)
        used, self.elements = np.unique(nodes, return_inverse=True)
        self.elements = self.elements.reshape(nodes.shape)
        self.nodes = np.stack([x.ravel()[used], z.ravel()[used]], axis=1)
        self.material = material.ravel()
        e = np.arange(rows * columns).reshape(rows, columns)
        sides = {"left": (e[:, 0], 3), "right": (e[:, -1], 1), "bottom": (e[0], 0), "top": (e[-1], 2)}
        self.edges = {side: [(one, edge) for one in of] for side, (of, edge) in sides.items()}
        self.edges["surface"] = [(one, edge) for side, (of, edge) in sides.items() if side not in self.absorbing
                                 for one in of if self.fluid(self.material[one])]

    def read_mesh(self):
        """mesh_file, nodes_coords_file, materials_file, and the edges that are free or absorb."""
        if self.sides in ("layer", "wide"):
            raise Refused("absorbing_cpml_file: a layer in a mesh that is read (stacey or free sides are served there)")
        file = {name: numbers(self.folder / str(self.key[name])) for name in (
            "mesh_file", "nodes_coords_file", "materials_file", "free_surface_file", "absorbing_surface_file")}
        self.nodes = np.array(file["nodes_coords_file"][1:])
        self.elements = np.array(file["mesh_file"][1:], int) - 1
        self.material = np.array(file["materials_file"], int).ravel()
        a, b, c = (self.nodes[self.elements[:, k]] for k in (0, 1, 3))
        clockwise = np.linalg.det(np.stack([b - a, c - a], axis=1)) < 0
        turn = [0, 3, 2, 1, 7, 6, 5, 4, 8][:self.elements.shape[1]]
        self.elements[clockwise] = self.elements[clockwise][:, turn]
        self.edges = {"absorbing": self.named(file["absorbing_surface_file"]),
                      "surface": [at for at in self.named(file["free_surface_file"]) if self.fluid(self.material[at[0]])]}
        self.absorbing = ["absorbing"]

    def named(self, rows):
        """Edges (element, local edge) of rows of element, 2, and two nodes."""
        out = []
        for row in rows[1:]:
            e, ends = int(row[0]) - 1, {int(row[2]) - 1, int(row[3]) - 1}
            corner = self.elements[e, :4]
            out += [(e, k) for k in range(4) if {corner[k], corner[(k + 1) % 4]} == ends]
        return out

    # receivers

    def receivers(self):
        """Names and places, those of lines in the Par_file or of DATA/STATIONS."""
        if self.key.get("use_existing_STATIONS"):
            words = (line.split() for line in (self.folder / "DATA" / "STATIONS").read_text().splitlines())
            return [(f"{w[1]}.{w[0]}", np.array([number(w[2]), number(w[3])])) for w in words if w]
        out, of = [], {key: [v for k, v in self.pairs if k == key] for key in (
            "nrec", "xdeb", "zdeb", "xfin", "zfin", "record_at_surface_same_vertical")}
        for n, x, z, to_x, to_z, surface in zip(*of.values()):
            for part in (np.arange(n) / (n - 1) if n > 1 else [0]):
                at = np.array([x + part * (to_x - x), z + part * (to_z - z)])
                if surface:
                    at[1] = self.height(at[0])
                out.append((f"AA.S{len(out) + 1:04d}", at))
        return out

    def shapes(self, xi):
        """Shape functions of the geometry at xi, and their slopes."""
        (x, y), corners = xi, np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
        if self.elements.shape[1] == 4:
            one, other = 1 + corners[:, 0] * x, 1 + corners[:, 1] * y
            return one * other / 4, np.array([corners[:, 0] * other, corners[:, 1] * one]) / 4
        line = lambda s: (np.array([s * (s - 1) / 2, 1 - s * s, s * (s + 1) / 2]), np.array([s - 0.5, -2 * s, s + 0.5]))
        (a, da), (b, db) = line(x), line(y)
        i, j = np.array([0, 2, 2, 0, 1, 2, 1, 0, 1]), np.array([0, 0, 2, 2, 0, 1, 2, 1, 1])
        return a[i] * b[j], np.array([da[i] * b[j], a[i] * db[j]])

    def place(self, element, xi):
        shape, slope = self.shapes(xi)
        corners = self.nodes[self.elements[element]]
        return shape @ corners, slope @ corners  # J[i, j] = d x_j / d xi_i

    def find(self, point):
        """The element that holds a point, and where in it."""
        corner = self.nodes[self.elements]
        low, high = corner.min(axis=1), corner.max(axis=1)
        slack = 0.05 * (high - low)
        for element in np.flatnonzero(((point >= low - slack) & (point <= high + slack)).all(axis=1)):
            xi = np.zeros(2)
            for _ in range(20):
                x, jacobian = self.place(element, xi)
                xi = xi + np.linalg.solve(jacobian.T, point - x)
            if np.abs(xi).max() <= 1 + 1e-6:
                return element, np.clip(xi, -1, 1)
        raise Refused(f"no element holds the point {point}")

    # the case

    def signal(self, derivative, scale):
        """scale times the wavelet, or times its derivative, step by step."""
        t = self.dt * np.arange(self.steps + 1)
        return {"table": {"time": t.tolist(), "value": (scale * self.wavelet.of(t - self.centre, derivative)).tolist()}}

    def sources(self):
        s, factor = self.from_source, self.from_source["factor"]
        element, xi = self.find(self.source)
        material = self.materials[f"m{self.material[element]}"]
        at = self.source.tolist()
        if "sound_speed" in material:
            if s["source_type"] == 2:
                raise Refused("source_type = 2: a moment tensor in a fluid")
            bulk = material["density"] * material["sound_speed"]**2
            return [{"at": at, "volume_rate": 1.0, "signal": self.signal(1, factor / bulk)}]
        if s["source_type"] == 1:
            angle = np.radians(s["anglesource"])
            return [{"at": at, "force": 1.0, "direction": [-np.sin(angle), np.cos(angle)], "signal": self.signal(0, factor)}]
        moment = {key: -s[name] for key, name in (("xx", "Mxx"), ("yy", "Mzz"), ("xy", "Mxz"))}  # SPECFEM2D's sign
        return [{"at": at, "moment": moment, "signal": self.signal(0, factor)}]

    def case(self):
        used = sorted({f"m{m}" for m in self.material})
        case = {"mesh": "mesh.msh", "element": {"order": self.order}, "materials": {name: self.materials[name] for name in used},
                "regions": {name: name for name in used}, "sources": self.sources(),
                "outputs": {"traces": [{"name": "rx", "at": [at.tolist() for _, at in self.receivers()], "quantity": self.quantity,
                                        "every": self.every}], "field": {"quantity": "velocity", "frames": 1}},
                "solve": {"explicit": {"end": self.dt * (self.steps - 1), "dt": self.dt, "time_dispersion": "keep"}}}
        if self.edges["surface"]:
            case["boundary"] = [{"set": "surface", "fix": "pressure"}]
        if self.absorbing and self.sides == "layer":
            case["absorb"] = {"kind": "pml", "sets": self.absorbing, "thickness": self.thickness}
        elif self.absorbing and self.sides in ("stacey", "wide"):
            case["absorb"] = {"kind": "stacey", "sets": self.absorbing}
        return case

    def write(self, where):
        """Writes the case and its mesh; the path of the case."""
        where = pathlib.Path(where)
        groups = [(1, name, edges) for name, edges in self.edges.items() if edges]
        groups += [(2, f"m{m}", np.flatnonzero(self.material == m)) for m in sorted(set(self.material))]
        out = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(groups))]
        out += [f'{dim} {k + 1} "{name}"' for k, (dim, name, _) in enumerate(groups)]
        out += ["$EndPhysicalNames", "$Nodes", str(len(self.nodes))]
        out += [f"{k + 1} {x!r} {z!r} 0" for k, (x, z) in enumerate(self.nodes.tolist())]
        second, lines = self.elements.shape[1] == 9, []
        for k, (dim, _, of) in enumerate(groups):
            for one in of:
                if dim == 1:
                    e, edge = one
                    nodes = self.elements[e][[edge, (edge + 1) % 4] + ([4 + edge] if second else [])]
                    kind = 8 if second else 1
                else:
                    nodes, kind = self.elements[one], 10 if second else 3
                lines.append(f"{len(lines) + 1} {kind} 2 {k + 1} {k + 1} " + " ".join(str(n + 1) for n in nodes))
        out += ["$EndNodes", "$Elements", str(len(lines)), *lines, "$EndElements", ""]
        (where / "mesh.msh").write_text("\n".join(out))
        (where / "case.json").write_text(json.dumps(self.case()))
        return where / "case.json"
