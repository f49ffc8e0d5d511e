"""The shells complete the verbs, options and words that the command's own help tells of, no more and no less."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

HOOKE = os.environ["HOOKE"]
FOLDER = pathlib.Path(os.environ["HOOKE_SOURCE"]) / "completions"
HELP = subprocess.run([HOOKE, "--help"], capture_output=True, text=True, check=True).stdout
VERBS = re.findall(r"^  ([a-z]+) ", HELP.split("Usage:")[1], re.M)
CHOICES = {
    "--format": {"csr", "coo", "ell", "bsr"},
    "--device": {"auto", "cpu", "cuda", "opencl", "all"}, "--precision": {"single", "double"}, "--field-format": {"vtkhdf", "vtu"},
    "--link": {"peers", "memory", "mpi", "mpi-device", "nccl"},
    "--method": {"aligned", "aligned-paper", "greedy", "metis", "bisection"}, "--component": {"x", "y", "z"}, "--section": {"wiggle", "density"}, "--progress": {"auto", "json", "none"},
}
IMAGE = {"tfm", "bscan", "cscan"}


def options(verb):
    """{option: argument or ""} as --help prints them"""
    text = subprocess.run([HOOKE, verb, "--help"], capture_output=True, text=True, check=True).stdout.split("\nOptions:\n")[1]
    rows = [re.fullmatch(r"  (?:(-\w), )?(--[\w-]+)(?: ([A-Z=]+|\[\S+\]))? +\S.*", line) for line in text.splitlines()]
    assert rows and all(rows), text
    return {name: row[3] or "" for row in rows for name in (row[1], row[2]) if name}


def bash(*words):
    """what is offered for the last of the words"""
    script = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hooke "$1"; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", script, FOLDER / "hooke", HOOKE, *words], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout.split()


def zsh(*words):
    """what is handed to _arguments or _describe"""
    if not shutil.which("zsh"):
        pytest.skip("zsh is not installed")
    script = ('compdef() { }; _arguments() { print -rl -- "$@" }; _describe() { print -rl -- "${(@P)2}" }; '
              'f=$1; shift; words=("$@"); CURRENT=$#; functions[complete_it]="$(<$f)"; complete_it')
    done = subprocess.run(["zsh", "-f", "-c", script, "zsh", FOLDER / "_hooke", HOOKE, *words], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout.splitlines()


def test_bash_offers_the_verbs():
    assert sorted(bash("")) == sorted(VERBS + ["--help", "--version"])
    assert bash("par") == ["partition"]


def test_zsh_describes_the_verbs():
    assert [line.split(":")[0] for line in zsh("")] == VERBS
    assert all(len(line.split(":", 1)[1]) > 5 for line in zsh(""))


@pytest.mark.parametrize("verb", VERBS)
def test_bash_offers_the_options(verb):
    assert sorted(bash(verb, "-")) == sorted(options(verb))


@pytest.mark.parametrize("verb", VERBS)
def test_zsh_offers_the_options(verb):
    found = {}
    for line in zsh(verb, "-"):
        if line.startswith("-") and line != "-s":
            name, argument = re.fullmatch(r"(-[\w-]+)[=+]?\[(?:\\.|[^]\\])+\](?::([^:]+):.*)?", line).groups()
            found[name] = argument or ""
    assert found == {name: re.sub(r"[][:]", "", argument) for name, argument in options(verb).items()}


@pytest.mark.parametrize("verb", VERBS)
def test_words_of_an_option(verb):
    named = {name: argument for name, argument in options(verb).items() if argument in ("NAME", "MODE")}
    lines = zsh(verb, "-") if shutil.which("zsh") else []
    for name in named:
        want = IMAGE if verb == "image" and name == "--method" else CHOICES[name] - {"selftest": {"auto", "all"}, "bench": {"all"}}.get(verb, set())
        assert set(bash(verb, name, "")) == want
        if lines:
            line = next(line for line in lines if line.startswith(name))
            assert set(re.search(r"\(([^()]*)\)$", line)[1].split()) == want


def test_files_folders_and_examples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "weld.inp").write_text("")
    (tmp_path / "weld.hooke").mkdir()
    assert bash("run", "we") and set(bash("run", "we")) == {"weld.inp", "weld.hooke"}
    assert bash("run", "weld.inp", "--output", "") == ["weld.hooke"]
    examples = [line.split()[0] for line in subprocess.run([HOOKE, "new"], capture_output=True, text=True).stdout.splitlines()]
    assert examples and bash("new", "") == examples
    assert "pogo" in bash("bench", "po")
    assert set(bash("bench", "integration", "p")) == {"paper", *(f"p{k}" for k in range(1, 8))}
    assert {"bp5", "p10"} < set(bash("bench", "sem", "")) and bash("bench", "pogo", "we")
    if shutil.which("zsh"):
        assert re.search(r"^\*:word:\(tables times .* p7\)$", "\n".join(zsh("bench", "integration", "")), re.M)
