"""An installed hooke is found by CMake's find_package and by pkg-config, and a program built so runs."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

BUILD = pathlib.Path(os.environ["HOOKE"]).parent
PROGRAM = """
#include <hooke/hooke.h>
#include <stdio.h>
int main(void)
{
  static const char *const word[] = {"density", "young"};
  printf("%s %d %s", HK_VERSION, hk_nearest("yuong", word, 2), hk_status_name(HK_OK));
  return 0;
}
"""
CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(tiny LANGUAGES C)
find_package(hooke 0.1 REQUIRED)
add_executable(tiny tiny.c)
target_link_libraries(tiny PRIVATE hooke::hooke)
"""


def run(*words, **more):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", BUILD, "--prefix", folder)
    return folder


@pytest.fixture
def source(tmp_path):
    (tmp_path / "tiny.c").write_text(PROGRAM)
    (tmp_path / "CMakeLists.txt").write_text(CMAKE)
    return tmp_path


def test_cmake_finds_it(prefix, source):
    run("cmake", "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", source / "build")
    assert run(source / "build/tiny") == "0.1.0 1 ok"


def test_pkg_config_finds_it(prefix, source):
    config = next(prefix.rglob("hooke.pc")).parent
    flags = run("pkg-config", "--cflags", "--libs", "hooke", env={**os.environ, "PKG_CONFIG_PATH": config}).split()
    run("gcc", source / "tiny.c", "-o", source / "tiny", *flags)
    libraries = next(prefix.rglob("libhooke.so")).parent
    assert run(source / "tiny", env={**os.environ, "LD_LIBRARY_PATH": libraries}) == "0.1.0 1 ok"


def test_installed_command_runs_from_anywhere(prefix, tmp_path):
    assert run(prefix / "bin/hooke", "--version", cwd=tmp_path) == "hooke 0.1.0\n"


def test_only_public_names_are_of_the_interface(prefix):
    """what the installed headers declare has the interface's version, all else the version of hooke-bench's"""
    headers = "".join(h.read_text() for h in (prefix / "include/hooke").glob("*.h"))
    declared = set(re.findall(r"^HK_API [^(]*?(\w+)\(", headers, re.MULTILINE))
    library = next(prefix.rglob("libhooke.so"))
    lines = [line.split() for line in run("nm", "-D", "--defined-only", library).splitlines()]
    names = [line[-1] for line in lines if line[1] != "A" and not line[-1].startswith(".gomp_")]  # versions; locks of OpenMP's runtime
    public = {name.split("@@")[0] for name in names if name.endswith("@@HOOKE_0.1")}
    assert declared and public == declared
    assert all(name.startswith("hk_") and name.endswith(("@@HOOKE_0.1", "@@HOOKE_PRIVATE")) for name in names)


def test_functions_for_matlab_are_there(prefix):
    assert (prefix / "share/hooke/matlab/hooke_traces.m").exists() and (prefix / "share/hooke/matlab/private/hdf_read.m").exists()


def test_manual_and_completions_are_installed(prefix):
    found = {str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_file()}
    assert {"share/man/man1/hooke.1", "share/man/man1/hooke-run.1", "share/bash-completion/completions/hooke",
            "share/zsh/site-functions/_hooke"} <= found


@pytest.mark.parametrize("file", ["hooke", "libhooke.so", "bin/hooke", "lib"])
def test_no_library_of_the_working_directory_is_run(prefix, file):
    """each entry of a run path is absolute or begins with $ORIGIN; an empty one is the working directory"""
    path = BUILD / file if file in ("hooke", "libhooke.so") else prefix / file
    files = [path] if path.is_file() else sorted(f for f in path.rglob("libhooke.so*") if not f.is_symlink())
    assert files
    for one in files:
        for line in run("readelf", "-d", one).splitlines():
            if "RUNPATH" in line or "RPATH" in line:
                entries = line[line.index("[") + 1:line.rindex("]")].split(":")
                assert all(entry.startswith(("/", "$ORIGIN")) for entry in entries), line


MINIATURE = """
cmake_minimum_required(VERSION 3.25)
project(hooke LANGUAGES NONE)
add_custom_target(built ALL COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_SOURCE_DIR}/built)
"""


@pytest.mark.parametrize("old_stays", [True, False], ids=["copied", "moved"])
def test_a_copied_or_moved_tree_builds_itself(tmp_path, old_stays):
    """its build folder was made for another place: with our Makefile, presets and tools/configure around a small project"""
    source, old, new = pathlib.Path(os.environ["HOOKE_SOURCE"]), tmp_path / "old", tmp_path / "new"
    (old / "tools").mkdir(parents=True)
    for name in ("Makefile", "CMakePresets.json", "tools/configure"):
        shutil.copy(source / name, old / name)
    (old / "CMakeLists.txt").write_text(MINIATURE)
    run("make", cwd=old)
    (old / "built").unlink()
    if old_stays:
        shutil.copytree(old, new, symlinks=True)
    else:
        old.rename(new)
    run("make", cwd=new)
    assert (new / "built").exists() and not (old / "built").exists()
    before = (new / "build/CMakeCache.txt").stat().st_mtime_ns
    run("make", cwd=new)
    assert (new / "build/CMakeCache.txt").stat().st_mtime_ns == before  # once is enough
