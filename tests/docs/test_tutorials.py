"""Each command of a page of docs/ succeeds and prints what the page says; its pictures are there, small, and shown."""
import re

import pytest

import pages

PAGES = pages.pages()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_runs(page):
    pages.run(page)


def test_each_field_has_a_page():
    assert {page.stem for page in PAGES} == {"start", "inspection", "array", "vibration", "seismology", "static", "heat", "attenuation", "abaqus_pogo", "calculix", "specfem2d"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pictures_are_shown(page):
    """Pictures of a page = those that its commands make; each at most 60 000 bytes. A tutorial has some."""
    made = {argument.split(" from ")[0] for _, kind, argument, _ in pages.read(page) if kind == "picture"}
    shown = set(re.findall(r"!\[[^]]+\]\((?:\.\./)?pictures/([^)]+)\)", page.read_text()))
    assert made == shown and (made or page.parent.name == "from")
    for name in made:
        assert (pages.DOCS / "pictures" / name).stat().st_size <= pages.BYTES, name


@pytest.mark.parametrize("want, got, share, same", [
    ("off 1.2 %", "off 1.21 %", 0.01, True),
    ("off 1.2 %", "off 1.3 %", 0.01, False),
    ("off 1.2 %", "off nan %", 0.01, False),
    ("ok: 12 nodes ...", "ok: 12 nodes, and more", 0, False),
    ("ok: 12 nodes, ...", "ok: 12 nodes, and more", 0, True),
    ("a\n...\nc", "a\nb\nb\nc", 0, True),
    ("a", "a\nb", 0, False),
    ("a\nb", "a", 0, False),
])
def test_what_counts_as_the_same(want, got, share, same):
    assert (pages.same_text(want, got, share) is None) == same
