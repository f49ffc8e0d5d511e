"""What is wrong with a case is told before its mesh is read or made.

The meshes here cannot be made: 1e9 hexahedra have 3e9 degrees of freedom, more than can be numbered, and the files hold no mesh. That is what is
told of a case that is right, and not a word of it where the case is wrong."""
import pytest

from command import refused, run

BOX = "{box: {size: [1, 1, 1], cells: [1000, 1000, 999]}}"
CASE = """\
mesh: {mesh}
element: {{order: 1}}
materials: {{steel: {{density: 7850, young: 210e9, poisson: 0.3}}}}
regions: {{all: steel}}
boundary: [{{set: left, fix: [x, y]}}]
sources: [{{at: [0.5, 0.5, 1], force: 1, direction: [0, 0, -1], signal: {{ricker: {{frequency: 500}}}}}}]
outputs: {{traces: [{{name: rx, at: [[0.5, 0.5, 0.5]]}}]}}
solve: {{explicit: {{end: 1e-4}}}}
"""
OF_CASE = {
    "unknown key": ("fix: [x, y]", "fixed: [x, y]", 'unknown key "fixed"'),
    "missing key": ("explicit: {end: 1e-4}", "explicit: {}", 'lacks "end"'),
    "dimension": ("end: 1e-4", "end: 1 mm", "1 mm"),
    "material": ("{all: steel}", "{all: steal}", 'did you mean "steel"'),
    "law": ("poisson: 0.3", "poisson: 0.7", "0.7"),
    "pair": (", poisson: 0.3", "", "young needs poisson"),
    "signal": ("{ricker: {frequency: 500}}", "{ricker: {}}", "frequency"),
    "signal's table": ("{ricker: {frequency: 500}}", "{table: {file: nowhere.csv}}", "nowhere.csv"),
    "direction": ("[0, 0, -1]", "[0, 0, 0]", "no length"),
    "two actions": ("force: 1,", "force: 1, velocity: 2,", "explosion, double_couple: give exactly one"),
    "physics": ("outputs:", "equations: [{terms: [{set: left, component: x}]}]\noutputs:", "equations are for static"),
    "fluid": ("force: 1, direction: [0, 0, -1]", "volume_rate: 1", "is for fluids"),
    "quantity": ("name: rx", "name: rx, quantity: reaction", "reaction"),
    "trace's name": ("name: rx", "name: r/x", "cannot name a trace"),
    "method": ("end: 1e-4", "end: 1e-4, method: fast", "fast"),
}
OF_BOX = {
    "set": ("set: left", "set: lefty", 'did you mean "left"'),
    "element set": ("{all: steel}", "{al: steel}", 'did you mean "all"'),
    "kind of set": ("{all: steel}", "{left: steel}", "an element set is needed"),
    "point outside": ("[0.5, 0.5, 0.5]", "[0.5, 0.5, 1.5]", "outside the mesh"),
    "components": ("direction: [0, 0, -1]", "direction: [0, -1]", "3 dimensions"),
    "plane": ("element:", "thickness: 1\nelement:", "thickness is for 2D"),
    "order": ("box: {", "box: {shape: tet, ", "have no order 3", ("{order: 1}", "{order: 3}")),
    "form of K": ("end: 1e-4", "end: 1e-4, method: blocks", 'form of K "blocks" supports tri3, quad4, tet4, hex8, tri6, quad8, tet10, hex20 and wedge15, not hex-p3 elements: give auto, spectral, spectral-colours\n',
                  ("{order: 1}", "{order: 3}")),
    "form of K of order 1": ("end: 1e-4", "end: 1e-4, method: spectral", 'form of K "spectral" supports quadrilaterals and hexahedra with element: {order: 2 .. 10}, not hex8 elements'),
    "form of K of order 3": ("end: 1e-4", "end: 1e-4, method: matrix-free", 'form of K "matrix-free" supports tri3, quad4, tet4, hex8, tri6, quad8, tet10, hex20 and wedge15, not', ("{order: 1}", "{order: 3}")),
    "shots": ("outputs:", "shots: [{at: [0, 0, 9], force: 1, direction: [1, 0, 0]}]\noutputs:", "outside the mesh"),
}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def told(tmp_path, mesh, old, new, also=None):
    text = CASE.format(mesh=mesh)
    for a, b in [(old, new)] + ([also] if also else []):
        assert a in text
        text = text.replace(a, b, 1)
    (tmp_path / "case.yaml").write_text(text)
    return run("case.yaml")


@pytest.mark.parametrize("old, new, words, also", [(*w, None)[:4] for w in (OF_CASE | OF_BOX).values()], ids=[*OF_CASE, *OF_BOX])
def test_wrong_case_of_a_mesh_that_cannot_be_made_says_what_is_wrong_with_the_case(tmp_path, old, new, words, also):
    done = told(tmp_path, BOX, old, new, also)
    refused(done, words)
    assert "2147483647" not in done.stderr.replace("of elements of order 3: at most 2147483647", "") and "out of memory" not in done.stderr


def large_file(tmp_path, name):
    with open(tmp_path / name, "wb") as file:
        file.truncate(20_000_000)
    return name


@pytest.mark.parametrize("name", ["part.msh", "part.inp", "part.vtu"])
@pytest.mark.parametrize("old, new, words", OF_CASE.values(), ids=OF_CASE)
def test_wrong_case_is_told_before_a_mesh_file_is_read(tmp_path, name, old, new, words):
    done = told(tmp_path, large_file(tmp_path, name), old, new)
    refused(done, words)
    assert name not in done.stderr


def test_what_only_the_mesh_file_knows_is_not_judged_before_it_is_read(tmp_path):
    """Any set, two or three dimensions: the one error is that of the file."""
    name = large_file(tmp_path, "part.msh")
    for old, new in [("set: left", "set: lefty"), ("[0, 0, -1]", "[0, -1]"), ("{all: steel}", "{a: steel, b: steel}")]:
        refused(told(tmp_path, name, old, new), name)


def test_errors_of_a_small_wrong_mesh_file_and_of_the_case_are_told_together(tmp_path):
    (tmp_path / "part.msh").write_text("no mesh")
    refused(told(tmp_path, "part.msh", "poisson: 0.3", "poisson: 0.7"), "part.msh", "0.7")


def test_every_error_of_the_case_is_told_in_one_go_with_its_place(tmp_path):
    done = told(tmp_path, BOX, "set: left", "set: lefty", ("poisson: 0.3", "poisson: 0.7"))
    refused(done, "case.yaml:3:", "case.yaml:5:")


@pytest.mark.parametrize("mesh", [
    BOX,
    "{box: {size: [1, 1, 1], cells: 800, shape: tet}}",
    "{extrude: {mesh: {rectangle: {size: [1, 1], cells: 1000}}, layers: [{height: 1, cells: 1000}]}}",
    "{cylinder: {radius: 2, length: 2, across: 1000, along: 1000}}"])
def test_right_case_of_too_large_a_mesh_says_so_before_memory_is_taken(tmp_path, mesh):
    done = told(tmp_path, mesh, "set: left, fix", "set: all, fix")
    assert done.returncode in (3, 5), done.stderr  # where memory lacks first, that is told
    assert "2147483647" in done.stderr or "are free" in done.stderr, done.stderr


@pytest.mark.parametrize("words, code, said", [
    (["--restart", "nowhere.h5"], 3, "nowhere.h5"),
    (["--blocks", "nowhere.blocks"], 3, "nowhere.blocks"),
    (["--output", "file/part"], 8, "file/part"),
    (["--output", "file"], 8, "file"),
    (["--output", "full"], 8, "has other files, but no run"),
    (["--device", "opencl:77"], 5, "opencl:77"),
])
def test_what_a_run_lacks_is_told_before_its_model_is_read(tmp_path, words, code, said):
    (tmp_path / "file").write_text("")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("")
    (tmp_path / "case.yaml").write_text(CASE.format(mesh=BOX))
    done = run("case.yaml", *words)
    refused(done, said, code=code)
    assert "2147483647" not in done.stderr and "out of memory" not in done.stderr


def large_deck(**other):
    words = {"material": "STEEL", "set": "LEFT", "amplitude": "PULSE", "section": "BODY", "out": "LEFT", "duration": "1e-5", **other}
    nodes = "".join(f"{k}, {k // 2}, {k % 2}\n" for k in range(1, 100_002))
    return ("*NODE, NSET=LEFT\n" + nodes + "*ELEMENT, TYPE=CPE4, ELSET=BODY\n1, 2, 4, 4242424, 3\n*MATERIAL, NAME=STEEL\n*ELASTIC\n210e9, 0.3\n"
            "*DENSITY\n7800\n*SOLID SECTION, ELSET={section}, MATERIAL={material}\n1.\n*AMPLITUDE, NAME=PULSE\n0, 0, 1, 1\n"
            "*STEP\n*DYNAMIC, EXPLICIT\n, 1e-5\n*END STEP\n*STEP\n*DYNAMIC, EXPLICIT\n, {duration}\n*CLOAD, AMPLITUDE={amplitude}\n"
            "{set}, 1, 1.\n*OUTPUT, HISTORY, FREQUENCY=1\n*NODE OUTPUT, NSET={out}\nU\n*END STEP\n").format(**words)


def test_large_deck_tells_what_its_mesh_lacks_when_nothing_else_is_wrong(tmp_path):
    (tmp_path / "deck.inp").write_text(large_deck())
    refused(run("deck.inp"), "4242424")


@pytest.mark.parametrize("key", ["material", "set", "amplitude", "section", "out", "duration"])
def test_large_deck_tells_an_error_of_its_last_step_before_its_mesh_is_built(tmp_path, key):
    (tmp_path / "deck.inp").write_text(large_deck(**{key: "-1.5" if key == "duration" else "NOWHERE"}))
    done = run("deck.inp")
    refused(done, "duration" if key == "duration" else "NOWHERE")
    assert "4242424" not in done.stderr


@pytest.mark.parametrize("name", ["part.msh", "part.inp", "part.vtu"])
@pytest.mark.parametrize("order", [2, 3, 10])
@pytest.mark.parametrize("form", ["edges", "edges-packed", "stored", "matrix-free", "blocks"])
def test_a_form_that_does_not_serve_the_order_is_told_before_a_mesh_file_is_read(tmp_path, name, order, form):
    done = told(tmp_path, large_file(tmp_path, name), "end: 1e-4", f"end: 1e-4, method: {form}", ("{order: 1}", f"{{order: {order}}}"))
    refused(done, f'form of K "{form}" supports')
    assert name not in done.stderr


def test_a_form_of_static_steps_that_does_not_serve_the_order_is_told_before_the_mesh_is_made(tmp_path):
    (tmp_path / "case.yaml").write_text(f"mesh: {BOX}\nelement: {{order: 3}}\nmaterials: {{m: {{young: 1, poisson: 0.3}}}}\n"
                                        "boundary: [{set: left, fix: [x, y, z]}]\nsolve: {static: {form: edges}}\n")
    done = run("case.yaml")
    refused(done, 'form of K "edges" supports all shapes but spectral ones')


@pytest.mark.parametrize("mesh", [BOX, "part.msh", "part.inp", "part.vtu"])
@pytest.mark.parametrize("kind", ["static", "heat"])
def test_a_method_that_does_not_serve_the_order_is_told_before_the_mesh_is_read_or_made(tmp_path, mesh, kind):
    """femses keeps K by elements of first and second order."""
    if mesh != BOX:
        large_file(tmp_path, mesh)
    heat = kind == "heat"
    text = (f"mesh: {mesh}\nelement: {{order: 3}}\nmaterials: {{m: {'{conductivity: 1}' if heat else '{young: 1, poisson: 0.3}'}}}\n"
            f"boundary: [{{set: left, {'temperature: 1' if heat else 'fix: [x, y, z]'}}}]\nsolve: {{{kind}: {{method: femses}}}}\n")
    (tmp_path / "case.yaml").write_text(text + ("physics: heat\n" if heat else ""))
    done = run("case.yaml")
    refused(done, "case.yaml:5:", "method femses stores K by elements of first or second order")
    assert "degrees of freedom" not in done.stderr and "part." not in done.stderr


NAMES = {"left": 2, "fluid": 3, "steel": 3, "wire": 1, "back wall": 2}
HEADS = {"2.2": "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n", "4.1": "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n",
         "2.2 binary": "$MeshFormat\n2.2 1 8\n\1\0\0\0\n$EndMeshFormat\n", "4.1 binary": "$MeshFormat\n4.1 1 8\n\1\0\0\0\n$EndMeshFormat\n",
         "comments": "$Comments\nby hand\n$EndComments\n$MeshFormat\r\n4.1 0 8\r\n$EndMeshFormat\r\n"}


def named_file(tmp_path, head, names=NAMES, nodes=2000, size=20_000_000):
    """a file that tells its names and counts, and then holds no nodes: it cannot be read"""
    lines = "".join(f'{dim} {tag} "{name}"\n' for tag, (name, dim) in enumerate(names.items(), 1))
    count = nodes.to_bytes(8, "little") * 2 if head == "4.1 binary" else (f"1 {nodes} 1 {nodes}\n" if head[0] != "2" else f"{nodes}\n").encode()
    with open(tmp_path / "part.msh", "wb") as file:
        file.write(f"{HEADS[head]}$PhysicalNames\n{len(names)}\n{lines}$EndPhysicalNames\n$Nodes\n".encode() + count)
        file.truncate(size)
    return "part.msh"


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("old, new, words", [("set: left", "set: lefty", 'did you mean "left"'), ("{all: steel}", "{steal: steel}", 'did you mean "steel"'),
                                             ("{all: steel}", "{left: steel}", "an element set is needed"),
                                             ("{set: left, fix: [x, y]}", "{set: wire, pressure: 1}", "a face set is needed"),
                                             ("name: rx, at: [[0.5, 0.5, 0.5]]", "set: backwall", 'did you mean "back wall"')])
def test_a_set_that_a_gmsh_file_does_not_name_is_told_before_it_is_read(tmp_path, head, old, new, words):
    done = told(tmp_path, named_file(tmp_path, head), old, new)
    refused(done, words)
    assert "part.msh" not in done.stderr


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("new", ["set: left", "set: back wall", "set: wire", "set: fluid", "set: all", "set: 17"])
def test_sets_that_a_gmsh_file_may_have_are_not_refused_before_it_is_read(tmp_path, head, new):
    """its names, all, and groups without a name, which are called by their number: what is told is that the file cannot be read"""
    done = told(tmp_path, named_file(tmp_path, head), "set: left", new)
    refused(done, "part.msh")
    assert "undefined" not in done.stderr and "is needed" not in done.stderr


def test_of_a_file_without_volumes_groups_may_be_elements_or_sides(tmp_path):
    done = told(tmp_path, named_file(tmp_path, "4.1", {"left": 1, "plate": 2}), "{all: steel}", "{plate: steel}")
    refused(done, "part.msh")
    assert "plate" not in done.stderr


@pytest.mark.parametrize("head", HEADS)
def test_a_file_of_more_nodes_than_can_be_numbered_is_refused_before_it_is_read(tmp_path, head):
    """3e9 nodes of 8 bytes and more each, in a file with a hole of that size"""
    done = told(tmp_path, named_file(tmp_path, head, nodes=3_000_000_000, size=25_000_000_000), "set: left", "set: left")
    refused(done, "part.msh: 3e+09 nodes: at most 2147483647 are possible")


def test_elements_that_list_more_nodes_than_can_be_numbered_are_refused_before_they_are_made(tmp_path):
    done = told(tmp_path, BOX.replace("[1000, 1000, 999]", "[650, 650, 650]"), "set: left", "set: left")
    refused(done, "2.75e+08 elements list 2.2e+09 nodes: at most 2147483647 are possible")
