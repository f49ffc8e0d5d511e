"""hooke run on several devices: the same files, byte for byte, as on one; refusals of what several devices do not serve."""
import json
import os
import pathlib
import subprocess

import pytest
from test_ranks import PLACED, opencl

HOOKE = os.environ["HOOKE"]
CRACK = pathlib.Path(os.environ["HOOKE_SOURCE"]) / "examples/crack/crack.yaml"
DEVICES = ["cpu,cpu", "cpu,cpu,cpu", "cpu,cpu,cpu,cpu"]

# a point source and receivers inside elements, damping, an absorbing side, prescribed motions of a side
SOLID = """
mesh: {{box: {{size: [1, 1, 1], cells: [17, 16, 15], shape: {shape}}}}}
materials: {{m: {{density: 1, young: 1, poisson: 0.3{damping}}}}}
absorb: [{{kind: stacey, sets: [right]}}]
sources:
  - {{set: left, displacement: 1, direction: [1, 0, 0], signal: {{ricker: {{frequency: 2, t0: 0.4}}}}}}
  - {{at: [0.52, 0.49, 0.51], force: 1, direction: [0, 0, -1], signal: {{ricker: {{frequency: 2, t0: 0.4}}}}}}
outputs:
  traces: [{{name: a, quantity: [displacement, velocity, acceleration], at: {at}}}]
  field: {{quantity: [displacement, velocity], frames: 3}}
solve: {{explicit: {{end: {end}, method: {method}}}}}
"""
POINTS = [[round(0.03 + 0.94 * ((37 * k) % 101) / 101, 3), round(0.05 + 0.9 * ((53 * k) % 101) / 101, 3), 0.02 + 0.009 * k]
          for k in range(40)]


def hooke(*words):
    return subprocess.run([HOOKE, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL)


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def solid(path, method="edges", shape="tet", damping="", end=1):
    path.write_text(SOLID.format(method=method, shape=shape, damping=damping, end=end, at=POINTS))
    return path


def crack(path, cells=9, damping=""):
    """The example with springs between the sides of its crack, and linear elements."""
    text = CRACK.read_text().replace("element: {order: 4}", "element: {order: 1}").replace("s_speed: 3130 m/s", "s_speed: 3130 m/s" + damping)
    text = text.replace("crack: {sets: [crack]}", "crack: {sets: [crack], springs: {normal: 50 N/mm^3, tangential: 25 N/mm^3}}")
    path.write_text(text.replace(", 4]}", f", {cells}]}}"))
    return path


DAMPED = ", damping: 50 1/ms"


def run(case, device, folder, *more):
    done = hooke("run", case, "--device", device, "--output", folder, "--threads", 2, "--no-pictures", "-q", *more)
    assert done.returncode == 0, done.stderr
    return folder


def same(a, b):
    for name in ["run.h5", "field.vtkhdf"]:
        assert (a / name).read_bytes() == (b / name).read_bytes(), f"{b}/{name}"


def one_and_several(tmp_path, case, *more):
    one = run(case, "cpu", tmp_path / "one", *more)
    for device in DEVICES:
        same(one, run(case, device, tmp_path / device, *more))


@pytest.mark.parametrize("method, shape", [("edges", "tet"), ("edges", "hex"), ("edges-packed", "tet"), ("stored", "hex"), ("congruent", "hex"),
                                           ("matrix-free", "tet")])
def test_same_bytes_on_several_devices(tmp_path, method, shape):
    one_and_several(tmp_path, solid(tmp_path / "case.yaml", method, shape))


@pytest.mark.parametrize("order, cells, shape, method", [(3, [11, 9, 8], "hex", "spectral"), (4, [70, 60], "quad", "spectral"),
                                                         (3, [9, 8, 7], "hex", "spectral-colours")])
def test_same_bytes_of_spectral_elements(tmp_path, order, cells, shape, method):
    text = SOLID.format(method=method, shape=shape, damping=", damping: 0.05", end=0.5, at=[p[:len(cells)] for p in POINTS])
    text = text.replace("cells: [17, 16, 15]", f"cells: {cells}") + f"element: {{order: {order}}}\n"
    if len(cells) == 2:
        text = text.replace("box:", "rectangle:").replace("size: [1, 1, 1]", "size: [1, 1]").replace("0.49, 0.51]", "0.49]").replace(", 0]", "]").replace(
            "[0, 0, -1]", "[0, -1]").replace("frequency: 2, t0: 0.4", "frequency: 6, t0: 0.2")
    case = tmp_path / "case.yaml"
    case.write_text(text)
    one = run(case, "cpu", tmp_path / "one")
    for device in DEVICES:
        same(one, run(case, device, tmp_path / device))
    same(one, run(case, "cpu,cpu", tmp_path / "peers", "--link", "peers"))


@pytest.mark.parametrize("shape, order, method", [("tet", 1, "edges"), ("hex", 3, "spectral")])
def test_same_bytes_of_sets_by_place_and_total_forces(tmp_path, shape, order, method):
    case = tmp_path / "case.yaml"
    case.write_text((PLACED % (shape, method)).replace("[11, 10, 9]", "[11, 10, 9]" if order == 1 else "[7, 6, 5]") + f"element: {{order: {order}}}\n")
    one_and_several(tmp_path, case)


@pytest.mark.skipif(not opencl(), reason="no OpenCL device")
def test_same_bytes_with_damped_springs_through_opencl(tmp_path):
    case = crack(tmp_path / "crack.yaml", 5, DAMPED)
    more = ["--set", "solve.explicit.method=edges", "--set", "solve.explicit.end=6 us"]
    one = run(case, "opencl", tmp_path / "one", *more)
    same(one, run(case, "opencl,opencl,opencl", tmp_path / "three", *more))


@pytest.mark.skipif(not opencl(), reason="no OpenCL device")
@pytest.mark.parametrize("shape, cells", [("hex", [11, 9, 7]), ("quad", [50, 40])])
def test_same_bytes_of_patches_that_share_nodes(tmp_path, shape, cells):
    text = solid(tmp_path / "case.yaml", "matrix-free", shape, end=0.3).read_text().replace("cells: [17, 16, 15]", f"cells: {cells}")
    if len(cells) == 2:
        text = text.replace("box:", "rectangle:").replace("size: [1, 1, 1]", "size: [1, 1]").replace("0.49, 0.51]", "0.49]").replace(", 0]", "]").replace(
            "[0, 0, -1]", "[0, -1]").replace(str(POINTS), str([p[:2] for p in POINTS]))
    case = tmp_path / "case.yaml"
    case.write_text(text)
    one = run(case, "opencl", tmp_path / "one")
    same(one, run(case, "opencl,opencl", tmp_path / "two"))
    same(one, run(case, "opencl,opencl,opencl", tmp_path / "three"))
    refused = hooke("run", case, "--device", "opencl,opencl", "--output", tmp_path / "o", "--set", "materials.m.damping=0.05")
    assert refused.returncode == 3 and "with damping by method matrix-free" in refused.stderr, refused.stderr


def test_same_bytes_with_damping_in_both_precisions(tmp_path):
    case = solid(tmp_path / "case.yaml", damping=", damping: 0.05")
    for precision in ["single", "double"]:
        one_and_several(tmp_path, case, "--precision", precision, "--force")


def test_same_bytes_through_memory_and_by_peers(tmp_path):
    case = solid(tmp_path / "case.yaml", end=0.5)
    one = run(case, "cpu", tmp_path / "one")
    for link in ["memory", "peers"]:
        same(one, run(case, "cpu,cpu", tmp_path / link, "--link", link))
        said = json.loads((tmp_path / link / "run.json").read_text())
        assert said["link"] == link and said["devices"] == ["cpu", "cpu"]


@pytest.mark.parametrize("absorbing", [True, False])
def test_same_bytes_where_the_exchange_ends_in_the_next_step(tmp_path, absorbing):
    """Receivers read no ghosts. With a side that absorbs across the border the exchange begins after its dashpots."""
    text = SOLID.format(method="edges", shape="tet", damping="", end=0.5, at=[[0.24, 0.26, 0.77]])
    lines = [line for line in text.splitlines() if "set: left" not in line and (absorbing or "absorb" not in line)]
    case = tmp_path / "case.yaml"
    case.write_text("\n".join(lines))
    one = run(case, "cpu", tmp_path / "one")
    for devices in ["cpu,cpu", "cpu,cpu,cpu"]:
        same(one, run(case, devices, tmp_path / devices, "--link", "peers"))


@pytest.mark.parametrize("method, damping", [("edges", ""), ("edges", DAMPED), ("stored", DAMPED), ("matrix-free", DAMPED)])
def test_same_bytes_with_springs_of_a_crack(tmp_path, method, damping):
    case, more = crack(tmp_path / "crack.yaml", damping=damping), ["--set", f"solve.explicit.method={method}"]
    one_and_several(tmp_path, case, *more)
    same(tmp_path / "one", run(case, "cpu,cpu", tmp_path / "peers", "--link", "peers", *more))


def test_same_bytes_with_damped_springs_between_spectral_elements(tmp_path):
    case = crack(tmp_path / "crack.yaml", 4, DAMPED)
    one_and_several(tmp_path, case, "--set", "element.order=3", "--set", "solve.explicit.end=8 us")


def test_same_bytes_of_shots(tmp_path):
    case = tmp_path / "shots.yaml"
    case.write_text("""
mesh: {rectangle: {size: [1, 1], cells: [90, 80], shape: tri}}
materials: {m: {density: 1, young: 1, poisson: 0.3}}
shots: [%s]
outputs: {traces: [{name: a, at: [[0.11, 0.52], [0.93, 0.47], [0.5, 0.5]]}], field: {quantity: velocity, frames: 2, shots: [2]}}
solve: {explicit: {end: 0.5, method: stored}}
""" % ", ".join(f"{{at: [0.{k}1, 0.53], force: 1, direction: [0, 1], signal: {{ricker: {{frequency: 4, t0: 0.2}}}}}}"
                for k in range(1, 6)))
    one = run(case, "cpu", tmp_path / "one")
    for device in DEVICES:
        several = run(case, device, tmp_path / device, "--link", "memory")
        assert json.loads((several / "run.json").read_text())["link"] == "memory"
        for name in ["run.h5", "field_shot0002.vtkhdf"]:
            assert (one / name).read_bytes() == (several / name).read_bytes(), f"{device}/{name}"


def solid_of(path, method):
    case = solid(path, method, "hex" if method == "spectral" else "tet", ", damping: 0.05")
    if method == "spectral":
        case.write_text(case.read_text().replace("cells: [17, 16, 15]", "cells: [8, 7, 6]") + "element: {order: 3}\n")
    return case, [0.4, 0.7], []


def crack_of(path, order):
    return crack(path, 9 if order == 1 else 4, DAMPED), ["6 us", "11 us"], ["--set", f"element.order={order}"]


@pytest.mark.parametrize("make, of", [(solid_of, "edges"), (solid_of, "spectral"), (crack_of, 1), (crack_of, 3)])
def test_restart_on_another_number_of_devices(tmp_path, make, of):
    case, ends, more = make(tmp_path / "case.yaml", of)
    ends, kept = [f"solve.explicit.end={end}" for end in ends], {}
    for first, second, third in [("cpu", "cpu", "cpu"), (DEVICES[2], DEVICES[1], "cpu"), ("cpu", DEVICES[0], DEVICES[2])]:
        folder = tmp_path / f"{first}-{second}-{third}"
        run(case, first, folder, "--keep-checkpoint", "--set", ends[0], *more)
        state = (folder / "checkpoint.h5").read_bytes()
        run(case, second, folder, "--restart=auto", "--keep-checkpoint", "--set", ends[1], *more)
        state += (folder / "checkpoint.h5").read_bytes()
        run(case, third, folder, "--restart=auto", *more)
        assert kept.setdefault("state", state) == state
        same(kept.setdefault("folder", folder), folder)


def test_the_energies_of_an_unstable_run_stop_it_on_all_devices(tmp_path):
    case = solid(tmp_path / "case.yaml")
    without = [line for line in case.read_text().splitlines() if "field:" not in line]  # its numbers would be too large first
    case.write_text("\n".join(without))
    said = [hooke("run", case, "--set", "sources.1.force=3e38", "--device", device, "--output", tmp_path / "o", "--force", "--no-pictures", "-q")
            for device in ["cpu", "cpu,cpu"]]
    assert [done.returncode for done in said] == [6, 6], said
    assert said[0].stderr == said[1].stderr and "not-a-number at step" in said[0].stderr, said


@pytest.mark.parametrize("device, more, words", [
    ("cpu,gpu", [], "must be one of auto, cpu, cuda, opencl, all"),
    ("cpu,cpu", ["--set", "absorb.0.kind=pml"], "perfectly matched layer"),
    ("cpu,auto", [], "name each device of a list"),
    ("cpu:1,cpu", [], "there is only one processor"),
    ("cpu", ["--link", "memory"], "link memory: one device exchanges nothing"),
    ("opencl,opencl", ["--link", "peers"], "cannot write to one another's memory" if opencl() else "opencl")])
def test_refusals(tmp_path, device, more, words):
    case = solid(tmp_path / "case.yaml", "stored" if more else "edges", "hex")
    done = hooke("run", case, "--device", device, "--output", tmp_path / "o", *more)
    assert done.returncode in (2, 3, 5) and words in done.stderr, done.stderr
    assert not (tmp_path / "o").exists()
    checked = hooke("check", case, "--device", device, *more)
    assert checked.returncode == done.returncode and words in checked.stderr, checked.stderr


def test_attenuation_is_refused_before_anything_large_is_made(tmp_path):
    case, fluid = tmp_path / "case.yaml", "density: 1, sound_speed: 1, q_p: 50, q_band: [0.5, 5]"
    text = ("mesh: {rectangle: {size: [1, 1], cells: [9, 8], shape: quad}}\nelement: {order: 3}\nmaterials: {m: {%s}}\n"
            "sources: [{at: [0.5, 0.5], volume_rate: 1, signal: {ricker: {frequency: 2}}}]\n"
            "outputs: {traces: [{name: a, at: [[0.3, 0.3]], quantity: pressure}]}\nsolve: {explicit: {end: 0.1}}\n")
    case.write_text(text % fluid)
    done = hooke("run", case, "--device", "cpu,cpu", "--output", tmp_path / "o")
    assert done.returncode == 3 and "a fluid with attenuation (q_p) yet" in done.stderr, done.stderr


def test_a_method_that_does_not_divide_is_refused(tmp_path):
    case = tmp_path / "case.yaml"
    case.write_text("mesh: {rectangle: {size: [1, 1], cells: [20, 20], shape: tri}}\nmaterials: {m: {density: 1, young: 1, poisson: 0.3}}\n"
                    "sources: [{at: [0.5, 0.5], force: 1, direction: [1, 0], signal: {ricker: {frequency: 2}}}]\n"
                    "outputs: {field: {quantity: displacement, frames: 2}}\nsolve: {explicit: {end: 0.1, method: blocks}}\n")
    done = hooke("run", case, "--device", "cpu,cpu", "--output", tmp_path / "o")
    assert done.returncode == 3 and "several devices cannot step one model by method blocks" in done.stderr, done.stderr
    assert not (tmp_path / "o").exists()


def test_check_tells_what_each_device_holds(tmp_path):
    case = solid(tmp_path / "case.yaml")
    told = [json.loads(hooke("check", case, "--device", device, "--json").stdout)["devices"] for device in ["cpu", "cpu,cpu,cpu"]]
    assert [d["device"] for d in told[1]] == ["cpu"] * 3 and len(told[0]) == 1 and told[0][0]["memory_free_bytes"] > 0
    assert all(d["memory_bytes"] > 1e5 and abs(3 * d["memory_bytes"] - told[0][0]["memory_bytes"]) <= 3 for d in told[1])


def test_static_models_take_one_device(tmp_path):
    case = tmp_path / "static.yaml"
    case.write_text("mesh: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}\nmaterials: {m: {young: 1, poisson: 0.3}}\n"
                    "boundary: [{set: left, fix: [x, y, z]}, {set: right, traction: [1, 0, 0]}]\nsolve: {static: {}}\n")
    done = hooke("run", case, "--device", "cpu,cpu", "--output", tmp_path / "o")
    assert done.returncode == 2 and "several devices step explicit models alone" in done.stderr, done.stderr
