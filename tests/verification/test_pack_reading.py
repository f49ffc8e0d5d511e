"""Every deck of CalculiX's test pack is read or refused with its line and keyword."""
import re

import pytest

import pack

# Decks of obeyed keywords and elements alone that ask for something which is not: in the words of the refusal.
EXPLAINED = {
    "beamd2.inp.gz": "*DLOAD: load type \"P2NP\"",
    "inistrain.inp": "*INITIAL CONDITIONS, TYPE=PLASTIC STRAIN",
    "resstress1.inp.gz": "*INITIAL CONDITIONS, TYPE=STRESS",
    "resstress2.inp.gz": "*INITIAL CONDITIONS, USER",
    "resstress3.inp.gz": "*INITIAL CONDITIONS, USER",
}


@pytest.fixture(scope="module")
def answers():
    got = pack.read_all()
    for name, (code, words) in got.items():
        print(f"{name:28} {'read' if code == 0 else 'refused' if code == 3 else 'CRASH'} {words}")
    count = [sum(code == wanted for code, _ in got.values()) for wanted in (0, 3)]
    print(f"{len(got)} decks: {count[0]} read, {count[1]} refused, {len(got) - sum(count)} crashed")
    return got


def test_no_deck_crashes_the_reader(answers):
    """the exit is 0 or 3 for all of them"""
    assert len(answers) >= 355
    assert not [name for name, (code, _) in answers.items() if code not in (0, 3)]


def test_refusals_name_file_and_line(answers):
    """refused with `DECK:LINE: words`, and with the keyword unless the line is none of a deck"""
    for name, (code, words) in answers.items():
        if code == 3:
            assert re.match(re.escape(name) + r":[1-9]\d*: \S", words), (name, words)
    refused = [words for code, words in answers.values() if code == 3]
    assert sum(": *" in words for words in refused) >= 0.98 * len(refused)


def test_decks_of_obeyed_keywords_are_read(answers):
    """static decks of listed keywords and elements are read, but for those that are explained above"""
    scope = [p.name for p in pack.decks() if pack.in_scope(p)]
    assert len(scope) >= 39
    refused = {name: answers[name][1] for name in scope if answers[name][0] != 0}
    assert set(refused) == set(EXPLAINED), refused
    for name, words in EXPLAINED.items():
        assert words in refused[name], (name, refused[name])


def test_nonlinear_decks_are_refused(answers):
    """a static step with NLGEOM names it: results of linear theory would be wrong ones; it changes no temperature"""
    for p in pack.decks():
        if any(line.startswith("*STEP") and "NLGEOM" in line for line in pack.keyword_lines(p)):
            code, words = answers[p.name]
            explicit = any(line.startswith("*DYNAMIC") and "EXPLICIT" in line for line in pack.keyword_lines(p))
            heat = any(line.startswith("*HEATTRANSFER") for line in pack.keyword_lines(p))
            assert code == 3 or explicit or heat, (p.name, words)
