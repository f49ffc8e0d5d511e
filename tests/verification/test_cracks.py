"""Cracks and their springs, explicit and static, against closed forms and the mesh without them."""
import numpy as np
import pytest

import fem
from command import METHODS, error, has, run

RHO, YOUNG = 1.0, 1.0  # nu = 0: plane waves in a strip with free sides are those of a bar, c = 1, Z = 1
BAR = {"mesh": {"blocks": {
    "points": {"a": [0, 0], "b": [20, 0], "c": [40, 0], "d": [0, 1], "e": [20, 1], "f": [40, 1]},
    "blocks": [{"name": "left", "corners": ["a", "b", "e", "d"], "cells": [40, 2]},
               {"name": "right", "corners": ["b", "c", "f", "e"], "cells": [40, 2]}],
    "sides": {"fault": [["b", "e"]], "start": [["a", "d"]], "end": [["c", "f"]]}}},
    "materials": {"m": {"density": RHO, "young": YOUNG, "poisson": 0}},
    "boundary": [{"set": "start", "traction": [1, 0], "signal": {"ricker": {"frequency": 0.25, "t0": 5}}}],
    "outputs": {"traces": [{"name": "left", "at": [[10, 0.5]]}, {"name": "right", "at": [[30, 0.5]]}], "field": {"frames": 1}}}


def bar(order=4, dt=None, method="auto", **more):
    return {**BAR, "element": {"order": order}, "solve": {"explicit": {"end": 45, "method": method, **({"dt": dt} if dt else {})}}, **more}


def springs(normal, tangential=0.3, **more):
    return {"crack": {"sets": ["fault"], "springs": {"normal": normal, "tangential": tangential}, **more}}


def displacement(got, name):
    return got.traces[name]["displacement"][0]


def balance(got):
    e = got.summary["energy"]
    return abs(e["kinetic"] + e["strain"] + e["damping"] - e["work"]) / e["work"]


def test_reflection_of_a_spring_interface(tmp_path):
    """R = i w Z / (i w Z + 2 k), T = 2 k / (i w Z + 2 k) for springs k per area (e^(i w t)), from traces before and behind it;
    the energy is that of the work, and with damping too."""
    k, dt = 1.2, 0.02
    got, plain = (run(tmp_path, bar(dt=dt, **crack), name=name) for name, crack in [("crack", springs(k)), ("plain", {})])
    t = got.time["left"]
    at = {name: displacement(r, part)[0] for name, r, part in [("both", got, "left"), ("through", got, "right"),
                                                               ("alone", plain, "left"), ("ahead", plain, "right")]}
    assert np.abs(at["alone"]).max() > 0.1
    spectrum = {name: np.fft.rfft(u) for name, u in at.items()}
    w = 2 * np.pi * np.fft.rfftfreq(len(t), dt)
    used = (w > 0.8) & (w < 3)
    # the reflected wave has gone 20 farther than the incident one
    r = (spectrum["both"] - spectrum["alone"])[used] / spectrum["alone"][used] * np.exp(20j * w[used])
    through = spectrum["through"][used] / spectrum["ahead"][used]
    assert np.abs(r - 1j * w[used] / (1j * w[used] + 2 * k)).max() <= 2e-4
    assert np.abs(through - 2 * k / (1j * w[used] + 2 * k)).max() <= 2e-4
    assert balance(got) <= 1e-10
    damped = run(tmp_path, bar(dt=dt, **springs(k), damping={"mass": 0.05}), name="damped")
    assert balance(damped) <= 1e-10 and damped.summary["energy"]["damping"] > 0.01 * damped.summary["energy"]["work"]


def test_opencl_is_the_host(tmp_path):
    """The same trace and loss through OpenCL, with damping, to rounding."""
    case = bar(2, 0.1, **springs(1.2), damping={"mass": 0.05})
    host, device = run(tmp_path, case), run(tmp_path, case, "--device", "opencl", name="opencl")
    assert error(displacement(device, "right"), displacement(host, "right")) <= 1e-11
    assert abs(device.summary["energy"]["damping"] / host.summary["energy"]["damping"] - 1) <= 1e-11
    rows = [run(tmp_path, static(2, 3, springs(0.8), "cg"), "--device", d, name=d).static[0]["displacement"] for d in ("cpu", "opencl")]
    assert error(rows[1], rows[0]) <= 1e-7  # both solved to a residual of 1e-8


@pytest.mark.parametrize("order", [1, 4])
def test_limits_of_the_stiffness(tmp_path, order):
    """Closed: the mesh without the crack, bit by bit. Stiff springs come near it as 1 / k, none at all are a free end."""
    dt = 0.01
    plain = run(tmp_path, bar(order, dt), name="plain")
    closed = run(tmp_path, bar(order, dt, **springs(1, closed="yes")), name="closed")
    for part in ["left", "right"]:
        assert np.array_equal(displacement(closed, part), displacement(plain, part))
    free = run(tmp_path, bar(order, dt, crack={"sets": ["fault"]}), name="free")
    none = run(tmp_path, bar(order, dt, **springs(0, 0)), name="none")
    assert not displacement(free, "right").any() and not displacement(none, "right").any()
    assert np.array_equal(displacement(none, "left"), displacement(free, "left"))
    off = [error(displacement(run(tmp_path, bar(order, dt, **springs(k, k)), name="stiff"), "right"), displacement(plain, "right"))
           for k in [40, 400]]
    assert off[1] <= 3e-3 and off[0] <= 3e-2 and off[1] < off[0] / 5, off


@pytest.mark.parametrize("method", METHODS + ["blocks"])
def test_methods_agree(tmp_path, method):
    """Linear elements: every form of K with springs gives the traces of the others; damping, single precision's energy."""
    case, edges = (bar(1, 0.1, m, **springs(1.2), damping={"mass": 0.02}) for m in (method, "edges"))
    got, other = run(tmp_path, case), run(tmp_path, edges, name="other")
    assert error(displacement(got, "right"), displacement(other, "right")) <= 1e-10
    assert balance(got) <= 1e-10
    single = run(tmp_path, case, "--precision", "single", name="single")
    assert balance(single) <= 1e-5


def test_stiff_springs_are_stable(tmp_path):
    """The bound of dt holds with springs far stiffer than the elements: the energy stays (linear, and by iteration); a warning tells of them."""
    for order in [1, 3]:
        got = run(tmp_path, bar(order, **springs(3000, 5000)), name=f"stiff{order}")
        assert balance(got) <= 1e-9
        assert any("springs of a crack set the time step" in str(w) for w in got.summary["warnings"])
        soft = run(tmp_path, bar(order, **springs(1.2)), name=f"soft{order}")
        assert not any("springs" in str(w) for w in soft.summary["warnings"]) and soft.dt > 3 * got.dt
        fast = bar(order, 1.3 * got.dt, **springs(3000, 5000))
        assert "stability limit" in run(tmp_path, fast, name=f"fast{order}", code=6).stderr


def static(dim, order, crack, method="auto", pull=({"set": "right", "move": {"x": 1}},)):
    """Two blocks, 2 x 1 (x 1) each, one fixed, the other's far end pulled by 1."""
    blocks = {"points": {"a": [0, 0], "b": [2, 0], "c": [4, 0], "d": [0, 1], "e": [2, 1], "f": [4, 1]},
              "blocks": [{"name": "l", "corners": list("abed"), "cells": [3, 2]},
                         {"name": "r", "corners": list("bcfe"), "cells": [2, 2]}],
              "sides": {"fault": [["b", "e"]], "left": [["a", "d"]], "right": [["c", "f"]]}}
    mesh = {"blocks": blocks}
    if dim == 3:
        mesh = {"extrude": {"mesh": mesh, "layers": [{"height": 1, "cells": 2}]}}
    return {"mesh": mesh, "element": {"order": order}, "materials": {"m": {"density": 1, "young": 10, "poisson": 0}}, **crack,
            "boundary": [{"set": "left", "fix": ["x", "y", "z"][:dim]}, *pull],
            "solve": {"static": {"method": method, "tolerance": 1e-11}}}  # a residual: soft springs make more of it


@pytest.mark.parametrize("method", ["direct", "cg", "auto"])
@pytest.mark.parametrize("dim, order", [(2, 1), (2, 3), (3, 1), (3, 2)])
def test_static_patch(tmp_path, dim, order, method):
    """Patch test: springs k per area between two halves, each 2 long, of E = 10: s = 1 / (4 / E + 1 / k), u = s x / E on one side,
    s / k more on the other, at all nodes; the reaction of the left end is s times its area."""
    k = 0.8
    s = 1 / (0.4 + 1 / k)
    got = run(tmp_path, static(dim, order, springs(k, 0.7), method))
    u = got.static[0]["displacement"]
    low, high = u[u[:, 0] < 0.5, 0], u[u[:, 0] > 0.5, 0]
    places = np.arange(7) / 6 if order == 2 else None
    assert abs(low.max() - 0.2 * s) <= 1e-7 and abs(high.min() - (0.2 + 1 / k) * s) <= 1e-7 and abs(high.max() - 1) <= 1e-12
    if places is not None:
        assert np.abs(low[:, None] - 0.2 * s * places).min(axis=1).max() <= 1e-7
    assert np.abs(u[:, 1:]).max() <= 1e-7
    assert abs(np.abs(got.static[0]["reaction"][:, 0]).sum() / 2 - s) <= 1e-7


def test_a_part_on_springs_is_held(tmp_path):
    """Springs along the normal alone leave the far part one motion; without springs it has all; both end in 3."""
    load = [{"set": "right", "pressure": 1}]
    for crack, words in [(springs(1, 0), "1 rigid-body modes"), ({"crack": {"sets": ["fault"]}}, "3 rigid-body modes")]:
        assert words in run(tmp_path, static(2, 1, crack, pull=load), code=3).stderr


@pytest.mark.parametrize("device", ["cpu", "opencl"])
def test_multigrid_across_soft_springs(tmp_path, device):
    """Springs of 1e-4 to 1e4 of the elements' stiffness take at most 3 iterations more than no crack, and give what factors give; twins are
    aggregated where springs are stiff alone."""
    if not has(device):
        pytest.skip("no OpenCL")

    def block(method, **crack):
        return {"mesh": {"blocks": {
            "points": {"a": [0, 0], "b": [1, 0], "c": [1, 1], "d": [0, 1], "e": [2, 0], "f": [2, 1]},
            "blocks": [{"name": "l", "corners": list("abcd"), "cells": [16, 16]}, {"name": "r", "corners": list("befc"), "cells": [16, 16]}],
            "sides": {"fault": [["b", "c"]], "left": [["a", "d"]], "right": [["e", "f"]]}}},
            "materials": {"s": {"young": 1, "poisson": 0.3}},
            "boundary": [{"set": "left", "fix": ["x", "y"]}, {"set": "right", "traction": [1, 0.5]}],
            "solve": {"static": {"method": method, "tolerance": 1e-9}}, **crack}

    plain = run(tmp_path, block("cg"), "--device", "cpu").summary["steps"][0]["iterations"]
    for stiffness in (1e-3, 1, 1e5) if device == "cpu" else (1e-3,):
        crack = springs(stiffness, stiffness / 2)
        got = run(tmp_path, block("cg", **crack), "--device", device)
        exact = run(tmp_path, block("direct", **crack), "--device", "cpu").static[0]["displacement"]
        assert got.summary["steps"][0]["iterations"] <= plain + 3, stiffness
        assert error(got.static[0]["displacement"], exact) <= 1e-6


def test_a_method_without_springs_is_refused(tmp_path):
    assert "method femses does not support the springs of cracks: give method cg" in run(tmp_path, static(2, 1, springs(1), "femses"), code=3).stderr


def write_msh(path, mesh, lines, group):
    """Gmsh 2.2: the quadrilaterals, and edges as the physical group 2."""
    text = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", "2", '2 1 "all"', f'1 2 "{group}"', "$EndPhysicalNames", "$Nodes", len(mesh.x)]
    text += [f"{n + 1} {x} {y} 0" for n, (x, y) in enumerate(mesh.x)]
    text += ["$EndNodes", "$Elements", len(mesh.element) + len(lines)]
    text += [f"{k + 1} 1 2 2 2 {a + 1} {b + 1}" for k, (a, b) in enumerate(lines)]
    text += [f"{len(lines) + e + 1} 3 2 1 1 " + " ".join(str(n + 1) for n in nodes) for e, nodes in enumerate(mesh.element)]
    path.write_text("\n".join(map(str, [*text, "$EndElements", ""])))


def test_sets_of_mesh_files(tmp_path):
    """A physical group of edges in a Gmsh mesh and a surface, from one side, in Abaqus's make the crack that a side of blocks makes."""
    mesh = fem.grid("quad4", [40, 2], [40, 1])
    at = np.sort(mesh.at(0, 20))
    write_msh(tmp_path / "bar.msh", mesh, list(zip(at[:-1], at[1:])), "fault")
    left = np.flatnonzero((mesh.x[mesh.element][:, :, 0].mean(1) > 19) & (mesh.x[mesh.element][:, :, 0].mean(1) < 20))
    deck = fem.mesh_deck(mesh, {}) + "\n*ELSET, ELSET=SIDE\n" + ", ".join(str(e + 1) for e in left)
    (tmp_path / "bar.inp").write_text(deck + "\n*SURFACE, NAME=fault, TYPE=ELEMENT\nSIDE, S2\n")
    blocks = {**BAR["mesh"]["blocks"], "blocks": [{**b, "cells": [20, 2]} for b in BAR["mesh"]["blocks"]["blocks"]]}
    got = []
    for name, of in [("blocks", {"blocks": blocks}), ("msh", "bar.msh"), ("inp", "bar.inp")]:
        case = bar(2, 0.1, **springs(1.2), mesh=of)
        case["boundary"], case["sources"] = [], [{"at": [1.5, 0.3], "force": 1, "direction": [1, 0], "signal": BAR["boundary"][0]["signal"]}]
        got.append(displacement(run(tmp_path, case, name=name), "right"))
    assert error(got[1], got[0]) <= 1e-12 and error(got[2], got[0]) <= 1e-12


def test_shots_meet_the_springs(tmp_path):
    """Each of three shots = the run with its source alone, bit by bit; with damping."""
    def at(x):
        return {"at": [x, 0.3], "force": 1, "direction": [1, 0.5], "signal": BAR["boundary"][0]["signal"]}

    case = bar(2, 0.1, **springs(1.2), damping={"mass": 0.03}, boundary=[])
    places = [3.3, 17.1, 25.2]
    together = run(tmp_path, {**case, "shots": [at(x) for x in places]}).traces["right"]["displacement"]
    for k, x in enumerate(places):
        alone = run(tmp_path, {**case, "sources": [at(x)]}, name="alone")
        assert np.array_equal(together[k], alone.traces["right"]["displacement"])
        assert balance(alone) <= 1e-10


@pytest.mark.parametrize("change, words", [
    ({"crack": {"sets": ["falt"]}}, 'undefined face set "falt": did you mean "fault"?'),
    ({"crack": {"sets": ["start"]}}, 'crack "start": face 4 of element 1 lies on the boundary'),
    ({"crack": {"sets": ["fault"], "springs": {"normal": -1, "tangential": 1}}}, "must be 0 or above"),
    ({"crack": {"sets": ["fault"], "springs": {"normal": 1}}}, 'lacks "tangential"'),
    ({"crack": {"sets": ["fault"], "springs": {"normal": 1, "tangential": 1}, "node_springs": {"normal": 1, "tangential": 1}}},
     "give one of them"),
    ({"crack": [{"sets": ["fault"], "closed": "maybe"}]}, "closed: unknown word"),
    ({"mesh": {"blocks": {**BAR["mesh"]["blocks"], "sides": {"fault": [["b", "g"]]}}}}, 'no point "g"'),
    ({"mesh": {"blocks": {**BAR["mesh"]["blocks"], "edges": [{"ends": ["a", "b"], "y": "1 +"}]}}}, "column"),
    ({"mesh": {"blocks": {**BAR["mesh"]["blocks"], "edges": [{"ends": ["a", "b"]}]}}}, "an edge needs one of"),
])
def test_bad_input_is_named(tmp_path, change, words):
    assert words in run(tmp_path, {**bar(), **change}, code=3).stderr


def test_a_crack_of_one_edge(tmp_path):
    """It opens nowhere at order 1, which is told, and at order 2 between its ends."""
    mesh = fem.grid("quad4", [4, 4], [40, 1])
    write_msh(tmp_path / "bar.msh", mesh, [(11, 12)], "fault")
    assert np.allclose(mesh.x[[11, 12], 0], 20)
    warnings = [run(tmp_path, bar(p, mesh="bar.msh", boundary=[], crack={"sets": ["fault"]}), name=f"order{p}").summary["warnings"] for p in (1, 2)]
    assert any("opens nowhere" in str(w) for w in warnings[0]) and not any("opens nowhere" in str(w) for w in warnings[1])


def test_blocks_that_do_not_match(tmp_path):
    """Exit code 3, and the message names both sides."""
    case = bar()
    blocks = [dict(case["mesh"]["blocks"]["blocks"][0]), {**case["mesh"]["blocks"]["blocks"][1], "cells": [40, 3]}]
    case["mesh"] = {"blocks": {**case["mesh"]["blocks"], "blocks": blocks}}
    said = run(tmp_path, case, code=3).stderr
    assert "side (b e) of block left" in said and "side (e b) of block right" in said
