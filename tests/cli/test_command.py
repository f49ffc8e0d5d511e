"""The command's manners: help, usage errors, exit codes, what goes to stdout and what to stderr."""
import os
import re
import subprocess

import pytest

HOOKE = os.environ["HOOKE"]


def hooke(*words, **more):
    return subprocess.run([HOOKE, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL, **more)


def verbs():
    text = hooke("--help").stdout.split("Usage:")[1]
    return re.findall(r"^  ([a-z]+) +(?:[A-Z\[]|[a-z])", text, re.M)


VERBS = verbs()


def test_version():
    assert hooke("--version").stdout == "hooke 0.1.0\n"


def test_help_goes_to_stdout_and_begins_with_an_example():
    done = hooke("--help")
    assert done.returncode == 0 and done.stderr == ""
    assert "Example:\n  hooke run " in done.stdout


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_each_verb_begins_with_an_example(verb):
    done = hooke(verb, "--help")
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.startswith(f"Example:\n  hooke {verb}")


@pytest.mark.parametrize("verb", VERBS)
def test_unknown_option_exits_2_and_names_the_near_one(verb):
    done = hooke(verb, "--quite")
    assert done.returncode == 2 and done.stdout == ""
    assert '"quiet"' in done.stderr


@pytest.mark.parametrize("verb", VERBS)
def test_too_many_words_exit_2(verb):
    done = hooke(verb, *"abcdefghij" * 7)  # bench takes 64
    assert done.returncode == 2 and done.stdout == ""
    assert 'unexpected argument "' in done.stderr


def test_no_verb_prints_help_on_stderr_and_exits_2():
    done = hooke()
    assert done.returncode == 2 and done.stdout == "" and "Usage:" in done.stderr


@pytest.mark.parametrize("verb", VERBS)
def test_misspelt_verb_is_answered_with_the_near_one(verb):
    done = hooke(verb + "x")
    assert done.returncode == 2 and f'did you mean "{verb}"?' in done.stderr


def test_full_standard_output_exits_8():
    with open("/dev/full", "w") as full:
        done = subprocess.run([HOOKE, "--help"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 8 and "No space left" in done.stderr


def test_no_control_characters_outside_a_terminal():
    assert "\033" not in hooke("nothing").stderr
