"""Manual pages: one per verb, each is set without a warning and names every option. Their words are held to --help by tools/make_man.py."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

HOOKE = os.environ["HOOKE"]
FOLDER = pathlib.Path(os.environ["HOOKE_SOURCE"]) / "docs/man"
PAGES = sorted(FOLDER.glob("*.1"))


def output_of(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout


def test_there_is_a_page_for_each_verb():
    verbs = re.findall(r"^  ([a-z]+) ", output_of(HOOKE, "--help").split("Usage:")[1], re.M)
    assert verbs and [page.name for page in PAGES] == sorted(["hooke.1"] + [f"hooke-{verb}.1" for verb in verbs])
    see_also = re.findall(r"^\.BR hooke\\-(\w+) ", (FOLDER / "hooke.1").read_text(), re.M)
    assert see_also == verbs


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_it_is_set_without_warnings(page):
    if not shutil.which("groff"):
        pytest.skip("groff is not installed")
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", page], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stdout and not done.stderr, done.stderr


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "hooke.1"], ids=lambda page: page.name)
def test_the_options_can_be_read(page):
    if not shutil.which("groff"):
        pytest.skip("groff is not installed")
    text = output_of("groff", "-man", "-Tascii", "-P-c", "-P-b", "-P-u", page)
    said = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", output_of(HOOKE, page.stem.removeprefix("hooke-"), "--help").split("\nOptions:\n")[1]))
    assert said and all(re.search(rf"^ +(-\w, )?{name}\b", text, re.M) for name in said), (said, text)
