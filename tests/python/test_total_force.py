"""`total_force` of sources: a set shares a force, its faces by area, its elements by volume, its nodes in equal parts."""
import hooke
import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::hooke.HookeWarning")
STEEL = {"steel": {"density": 7800, "young": 210e9, "poisson": 0.3}}
MESHES = {"tri": {"rectangle": {"size": [2, 1], "cells": [5, 3], "shape": "tri"}}, "quad": {"rectangle": {"size": [2, 1], "cells": [5, 3], "jitter": 0.2}},
          "tet": {"box": {"size": [2, 1, 1.5], "cells": [4, 2, 3], "shape": "tet"}}, "hex": {"box": {"size": [2, 1, 1.5], "cells": [4, 2, 3], "jitter": 0.2}},
          "cylinder": {"cylinder": {"radius": 1, "length": 2, "across": 4, "along": 2}}}
GRADED = {"blocks": {"points": {"a": [0, 0], "b": [2, 0], "c": [2, 1], "d": [0, 1]}, "blocks": [{"name": "body", "corners": ["a", "b", "c", "d"], "cells": [4, 6], "grading": [1, 9]}],
                     "sides": {"left": [["d", "a"]], "right": [["b", "c"]]}}}
FORCE = np.array([3.0, -2.0, 5.0])


def case(mesh, source, **more):
    flat = {"thickness": 0.25} if "rectangle" in mesh or "blocks" in mesh else {}
    return {"mesh": mesh, "materials": STEEL, "sources": [source], "solve": {"static": {}}} | flat | more


def held(mesh, source, **more):
    return case(mesh, source, boundary=[{"set": "bottom" if "cylinder" in mesh else "left", "fix": list("xyz" if "rectangle" not in mesh and "blocks" not in mesh else "xy")}], **more)


def loads(model):
    system = hooke.System(model, device="cpu")
    return system.by_node(system.load), system.coordinates


def force(mesh):
    return FORCE[:2 if "rectangle" in mesh or "blocks" in mesh else 3].tolist()


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("name", MESHES)
def test_nodal_forces_sum_to_it(name, order):
    """sum_a F_a = F to rounding: of faces, elements and nodes."""
    mesh = MESHES[name]
    if order == 3 and name in ("tri", "tet"):
        pytest.skip("simplices have order 2 at most")
    end = "top" if name == "cylinder" else "right"
    sets = {"spot": {"what": "faces", "of": end}, "part": {"what": "elements", "sphere": {"center": [1, 0.5, 0.7][:len(force(mesh))], "radius": 1}}, "nodes": {"of": end}}
    for where in ("spot", "part", "nodes", "all", end):
        f, x = loads(held(mesh, {"set": where, "total_force": force(mesh)}, sets=sets, element={"order": order}))
        assert np.abs(f.sum(axis=0) - force(mesh)).max() <= 1e-13 * np.abs(FORCE).max(), where
        assert (np.abs(f).max(axis=1) > 0).sum() > 1


@pytest.mark.parametrize("order", [1, 2, 4])
def test_faces_have_it_by_area_and_elements_by_volume(order):
    """On cells of different size: as a traction F / (area times thickness), as a force per volume F / volume; nodes take F / n each."""
    element = {"order": order}
    f, x = loads(held(GRADED, {"set": "right", "total_force": [3, -2]}, element=element))
    given = held(GRADED, {"set": "body", "body_force": [0, 0]}, element=element)
    given["boundary"] += [{"set": "right", "traction": [12, -8]}]
    assert f == pytest.approx(loads(given)[0], abs=1e-13) and np.ptp(f[x[:, 0] == 2][:, 0]) > 0.1
    f, _ = loads(held(GRADED, {"set": "body", "total_force": [3, -2]}, element=element))
    assert f == pytest.approx(loads(held(GRADED, {"set": "body", "body_force": [6, -4]}, element=element))[0], abs=1e-13)
    f, x = loads(held(GRADED, {"set": "end", "total_force": [3, -2]}, element=element, sets={"end": {"of": "right"}}))
    assert f[f[:, 0] != 0] == pytest.approx(np.tile([3 / 7, -2 / 7], (7, 1)))


def test_the_reaction_stays_as_the_mesh_is_refined(tmp_path):
    """A pad of 0.5 by 0.5 on top of a block: sum of reactions = -F, and its mean displacement converges."""
    moved = []
    for cells, order in ((4, 1), (8, 1), (4, 2), (8, 2)):
        mesh = {"box": {"size": [1, 1, 1], "cells": [cells] * 3}}
        pad = {"pad": {"what": "faces", "of": "back", "box": {"from": [0.25, 0.25, 1], "to": [0.75, 0.75, 1]}}}
        model = case(mesh, {"set": "pad", "total_force": ["0 N", "0 N", "-1 kN"]}, sets=pad, boundary=[{"set": "front", "fix": ["x", "y", "z"]}], element={"order": order})
        run = hooke.run(model, output=tmp_path / f"{cells}{order}", pictures=False).static[0]
        assert run["reaction"][:].sum(axis=0) == pytest.approx([0, 0, 1000], abs=1e-5)
        f, _ = loads(model)
        moved.append((f * run["displacement"][:]).sum() / 1000)  # displacement of the load, work / F
    assert moved[0] < moved[1] < moved[3] and moved[2] < moved[3] and moved[3] - moved[1] < 0.2 * moved[3]


@pytest.mark.parametrize("name, order", [("quad", 1), ("tri", 1), ("quad", 3), ("hex", 1), ("hex", 2)])
def test_in_time_it_follows_its_signal(name, order, tmp_path):
    """A free body gains the momentum sum_a m_a v_a = F t under a constant force, to rounding."""
    mesh, f = MESHES[name], force(MESHES[name])
    model = case(mesh, {"set": "right", "total_force": f}, element={"order": order}, outputs={"traces": [{"name": "v", "set": "all", "quantity": "velocity"}]},
                 solve={"explicit": {"end": "0.6 ms", "time_dispersion": "keep"}})
    run = hooke.run(model, output=tmp_path / "run", precision="double", pictures=False)
    mass = hooke.System(model, device="cpu").mass.reshape(-1, len(f))[:, 0]
    v, t = run.traces.v.velocity.values, run.traces.v.time
    momentum = np.einsum("n,nct->tc", mass, v)
    assert len(t) > 5 and np.diff(momentum, axis=0) / np.diff(t)[:, None] == pytest.approx(np.tile(f, (len(t) - 1, 1)), rel=1e-9)


def test_shots_have_their_own(tmp_path):
    model = {"mesh": MESHES["quad"], "materials": STEEL, "shots": [{"set": "right", "total_force": [1, 0]}, {"set": "right", "total_force": [-2, 0]}],
             "outputs": {"traces": [{"set": "right"}]}, "solve": {"explicit": {"end": "0.1 ms"}}}
    a, b = hooke.run(model, output=tmp_path / "run", pictures=False).traces.right.displacement.values
    assert np.abs(a).max() > 0 and b == pytest.approx(-2 * a, rel=1e-9, abs=1e-12 * np.abs(a).max())


def refused(source, **more):
    with pytest.raises(hooke.BadInput) as caught:
        hooke.check(held(MESHES["quad"], source) | more)
    return str(caught.value)


def test_what_is_wrong_is_told():
    assert 'lacks "set": the faces, nodes or elements' in refused({"total_force": [1, 0]})
    assert "has total_force and force: give one of them" in refused({"set": "right", "total_force": [1, 0], "force": 1})
    assert "has total_force and gravity: give one of them" in refused({"set": "right", "total_force": [1, 0], "gravity": [0, 1]})
    assert "total_force does not take direction: its components" in refused({"set": "right", "total_force": [1, 0], "direction": [1, 0]})
    assert "total_force does not take at: give set" in refused({"at": [1, 0], "total_force": [1, 0]})
    assert "total_force has 3 components: the mesh has 2 dimensions" in refused({"set": "right", "total_force": [1, 0, 0]})
    assert 'undefined set "rigth": did you mean "right"?' in refused({"set": "rigth", "total_force": [1, 0]})
    assert '"1 mm" is length: must be mass*length/time^2 (such as N)' in refused({"set": "right", "total_force": ["1 mm", 0]})
    time = {"solve": {"explicit": {"end": 1e-3}}}
    signal = {"signal": {"ricker": {"frequency": 1e3}}}
    assert "delay is a list" in refused({"set": "right", "total_force": [1, 0], "delay": [0, 1e-5]} | signal, **time)
    assert "fire one by one: give force" in refused({"set": "right", "total_force": [1, 0]} | signal, shots={"array": {"set": "right"}}, **time)
    heat = {"physics": "heat", "materials": {"m": {"conductivity": 1}}, "solve": {"heat": {}}, "boundary": []}
    assert "total_force is not for heat conduction" in refused({"set": "right", "total_force": [1, 0]}, **heat)
    assert "moment is not for heat conduction" in refused({"at": [1, 0], "moment": {"xx": 1}}, **heat)
    assert "gravity does not take explosion" in refused({"gravity": [1, 0], "explosion": 1})
    water = {"physics": "acoustic", "materials": {"w": {"density": 1000, "sound_speed": 1500}}, "boundary": []} | time
    assert "total_force does not act on fluids" in refused({"set": "right", "total_force": [1, 0]} | signal, **water)
    assert "moment does not act on fluids" in refused({"at": [1, 0.5], "moment": {"xx": 1}} | signal, **water)


def test_fluids_beside_a_solid_bear_none():
    media = {"materials": STEEL | {"water": {"density": 1000, "sound_speed": 1500}}, "sets": {"w": {"what": "elements", "box": {"from": [1, 0], "to": [2, 1]}}},
             "regions": {"w": "water", "all": "steel"}, "element": {"order": 2}, "solve": {"explicit": {"end": 1e-4}}}
    source = {"set": "right", "total_force": [1, 0], "signal": {"ricker": {"frequency": 1e4}}}
    with pytest.raises(hooke.BadInput, match="a fluid: only solids bear"):
        hooke.check(held({"rectangle": {"size": [2, 1], "cells": [4, 2]}}, source, **media))
