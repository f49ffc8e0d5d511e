"""The declarations of the package are those of the headers; the library and the command are found, or words say what to do."""
import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import hooke
from hooke import _library
from hooke import __main__ as script

SOURCE = pathlib.Path(os.environ["HOOKE_SOURCE"])
HEADERS = SOURCE / "include"


def header_text():
    text = "".join(p.read_text() for p in sorted((HEADERS / "hooke").glob("*.h")))
    return re.sub(r"/\*.*?\*/|^\s*#.*?$", "", text, flags=re.S | re.M)


def test_structs_have_the_layout_that_the_compiler_gives_them(tmp_path):
    lines = [f'printf("%zu ", sizeof({s.__name__}));' for s in _library.STRUCTS]
    for s in _library.STRUCTS:
        lines += [f'printf("%zu ", offsetof({s.__name__}, {name}));' for name, _ in s._fields_]
    (tmp_path / "layout.c").write_text("#include <hooke/hooke.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {"
                                       + "\n".join(lines) + "}")
    subprocess.run(["gcc", f"-I{HEADERS}", "layout.c", "-o", "layout"], cwd=tmp_path, check=True)
    got = [ctypes.sizeof(s) for s in _library.STRUCTS] + [getattr(s, name).offset for s in _library.STRUCTS for name, _ in s._fields_]
    assert got == list(map(int, subprocess.run([tmp_path / "layout"], capture_output=True, text=True, check=True).stdout.split()))


@pytest.mark.parametrize("struct", _library.STRUCTS, ids=lambda s: s.__name__)
def test_structs_have_every_field_of_the_header(struct):
    body = re.search(r"typedef struct\s+%s\s*\{(.*?)\n\} %s;" % (struct.__name__, struct.__name__), header_text(), re.S)
    declared = [re.sub(r"\(\*\s*(\w+)\s*\)\s*\(.*\)", r"\1", part, flags=re.S) for part in body[1].split(";") if part.strip()]
    names = [re.sub(r"\[.*", "", re.findall(r"\w+(?:\[\d\])*", word)[-1]) for part in declared for word in part.split(",")]
    assert [name for name, _ in struct._fields_] == names


@pytest.mark.parametrize("name", _library.FUNCTIONS)
def test_functions_take_as_many_arguments_as_the_header_says(name):
    declaration = re.search(r"HK_API [^;]*?\b%s\(([^;]*)\)" % name, header_text(), re.S)
    arguments = [a for a in declaration[1].split("HK_PRINTF")[0].rstrip(" )\n").split(",") if a.strip() not in ("void", "...")]
    assert len(_library.FUNCTIONS[name][1]) == len(arguments)


def test_one_version():
    project = re.search(r"project\(hooke VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text())[1]
    assert hooke.__version__ == project == _library.library().hk_version().decode()


def test_another_version_is_refused_with_both_numbers():
    with pytest.raises(ImportError, match=r"hooke 0\.0\.9, the Python package is " + re.escape(hooke.__version__)):
        _library.check_version("libhooke.so", "0.0.9")


def test_of_several_versions_of_the_system_its_own_is_taken(tmp_path):
    library = pathlib.Path(os.environ["HOOKE_LIBRARY"]).resolve().parent
    (tmp_path / "libhooke.so").write_text("another")
    done = python("from hooke import _library; print(_library.library().hk_version(), next(_library.candidates()))",
                  LD_LIBRARY_PATH=f"{tmp_path}:{library}", HOOKE_LIBRARY="")
    version = hooke.__version__
    assert done.stdout == f"b'{version}' libhooke.so.{version[:version.rindex('.')]}\n", done.stderr


def python(code, **environment):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment})


def test_importing_loads_nothing_and_the_first_call_says_what_is_missing(tmp_path):
    done = python("import hooke; print('here'); hooke.schema()", HOOKE_LIBRARY="", PATH=str(tmp_path))
    assert done.stdout == "here\n"
    assert "libhooke.so is not found: install the hooke wheel, or set HOOKE_LIBRARY" in done.stderr


@pytest.mark.parametrize("call", ["hooke.schema()", "hooke.check({})", "hooke.Mesh.from_arrays([[0, 0]], {})", "hooke.System({})"])
def test_a_library_that_cannot_be_opened_is_named(tmp_path, call):
    (tmp_path / "no.so").write_text("no")
    for name in ("no.so", "missing.so"):
        done = python(f"import hooke; {call}", HOOKE_LIBRARY=str(tmp_path / name))
        assert f"ImportError: {tmp_path}/{name} cannot be opened as a library: " in done.stderr
        assert "set HOOKE_LIBRARY to the path of libhooke.so" in done.stderr and "ignored" not in done.stderr


def test_a_library_of_something_else_is_named(tmp_path):
    (tmp_path / "other.c").write_text("int other;")
    subprocess.run(["gcc", "-shared", "-fPIC", "other.c", "-o", "other.so"], cwd=tmp_path, check=True)
    done = python("import hooke; hooke.schema()", HOOKE_LIBRARY=str(tmp_path / "other.so"))
    assert f"ImportError: {tmp_path}/other.so is not the library of hooke {hooke.__version__}: " in done.stderr and "hk_version" in done.stderr


def test_a_wheel_brings_library_and_command(tmp_path):
    """They lie in hooke/_lib and hooke/_bin, and come before HOOKE_LIBRARY and HOOKE."""
    package = shutil.copytree(SOURCE / "python/hooke", tmp_path / "hooke", ignore=shutil.ignore_patterns("__pycache__", "_lib", "_bin"))
    (package / "_lib").mkdir()
    (package / "_lib/libhooke.so.0.1").symlink_to(os.environ["HOOKE_LIBRARY"])
    (package / "_bin").mkdir()
    (package / "_bin/hooke").symlink_to(os.environ["HOOKE"])
    code = "import hooke, hooke.__main__ as m; print(len(hooke.schema()) > 0, hooke.__file__, m.command())"
    done = python(code, PYTHONPATH=str(tmp_path), HOOKE_LIBRARY="/none.so", HOOKE="/none")
    assert done.stdout == f"True {package}/__init__.py {package}/_bin/hooke\n", done.stderr


def test_the_command_runs_through_python():
    words = [sys.executable, "-m", "hooke", "--version"]
    assert subprocess.run(words, capture_output=True, text=True).stdout == f"hooke {hooke.__version__}\n"


def test_the_command_waits_for_no_library_of_python():
    """Its script imports hooke.__main__; what the package needs is imported with the first of its names."""
    code = "import sys, hooke.__main__; print(sorted({'numpy', 'h5py', 'ctypes'} & set(sys.modules))); hooke.run; print('numpy' in sys.modules)"
    done = python(code)
    assert done.stdout == "[]\nTrue\n", done.stderr


@pytest.mark.parametrize("code", ["import hooke.mesh as m; m.Mesh", "from hooke import viz; viz.grid", "from hooke.system import System",
                                  "import hooke; hooke.result.Result", "import hooke.viz, hooke; hooke.viz.grid, hooke.run"])
def test_modules_are_imported_in_any_order(code):
    assert python(code).stderr == ""


def test_its_names_are_listed():
    done = python("import hooke; print(set(hooke.__all__) <= set(dir(hooke)))\nfrom hooke import *\nprint(Model is hooke.Model)")
    assert done.stdout == "True\nTrue\n", done.stderr
    with pytest.raises(AttributeError, match="module 'hooke' has no attribute 'rnu'"):
        hooke.rnu


def test_the_command_on_the_path_is_found_past_scripts(tmp_path, monkeypatch):
    for folder, text in (("a", "#!/bin/sh\n"), ("b", "\177ELF")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "hooke").write_text(text)
        (tmp_path / folder / "hooke").chmod(0o755)
    monkeypatch.delenv("HOOKE")
    monkeypatch.setenv("PATH", f"{tmp_path}/a:{tmp_path}/b")
    assert script.command() == f"{tmp_path}/b/hooke"
    monkeypatch.setenv("PATH", f"{tmp_path}/a")
    assert script.command() is None


def test_texts_with_a_null_character_are_refused():
    with pytest.raises(ValueError, match="null"):
        hooke.info("a\0b")
