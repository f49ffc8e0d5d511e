#!/usr/bin/env python3
"""Builds the site of the documentation into build/site: docs/*.md, the examples, the C and Python interfaces.

docs/index.md is the front page, docs/contents.md the navigation: each "## heading" is a section, each item of its list a page, items below an item its
subpages; public headers and Python modules need no item. Links that leave docs/ lead to their pages on the site (a public header's, an example's), or to a copy of the
file. Any warning is an error."""
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools/site"))
import c_reference  # noqa: E402
import python_reference  # noqa: E402

STAGE, SITE = ROOT / "build/site-source", ROOT / "build/site"
LINK = re.compile(r"\[([^][]*)\]\(([^)#\s]+)((?:#[^)\s]*)?)\)")
ITEM = re.compile(r"( *)- \[([^]]+)\]\(([^)#\s]+)\)")
TOCTREE = "\n```{toctree}\n:hidden:\n:caption: %s\n\n%s\n```\n"


def sources():
    """The pages: {file of the repository: (page of the site, its text)}."""
    pages = {ROOT / "CHANGELOG.md": "changelog.md", ROOT / "CONTRIBUTING.md": "contributing.md"}
    for page in sorted((ROOT / "docs").rglob("*.md")):
        pages[page] = page.relative_to(ROOT / "docs").as_posix()
    for page in sorted((ROOT / "examples").rglob("README.md")):
        pages[page] = page.relative_to(ROOT).as_posix()
    pages = {path: (name, path.read_text()) for path, name in pages.items()}
    return pages | c_reference.pages(ROOT) | python_reference.pages(ROOT)


def outside_fences(text):
    """Lines of the text, each with whether it lies outside of fenced code."""
    fence = None
    for line in text.splitlines():
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and fence is None:
            fence = mark.group(1)
            yield line, False
        elif fence is not None:
            if line.strip() == fence:
                fence = None
            yield line, False
        else:
            yield line, True


class Stage:
    """The pages with links as they are on the site, and the files that they show."""

    def __init__(self, pages):
        self.pages, self.trees, self.copies = pages, {}, {}

    def place(self, path):
        """Where a file of the repository lies on the site; None if nowhere."""
        if path.is_dir():
            path = next((path / name for name in ("README.md", "hooke.h", "__init__.py") if path / name in self.pages), path)
        if path == ROOT / "README.md":
            return "index.md"
        if path in self.pages:
            return self.pages[path][0]
        if not path.is_file():
            return None
        inside = ROOT / "docs" in path.parents
        self.copies[path] = path.relative_to(ROOT / "docs" if inside else ROOT).as_posix()
        return self.copies[path]

    def move_link(self, path, name, link):
        """The link as it is on the site: to the target's place there, by its title where its text is the name of a file."""
        text, target, anchor = link.groups()
        file = (path.parent / target).resolve()
        place = None if re.match(r"[a-z]+:", target) else self.place(file)
        if not place:
            return link[0]
        if text.endswith(".md") and file in self.pages:
            text = re.search(r"^# (.*)", self.pages[file][1], re.M)[1]
        return f"[{text}]({'../' * name.count('/')}{place}{anchor})"

    def text(self, path):
        name, text = self.pages[path]
        lines = []
        for line, plain in outside_fences(text):
            if plain:
                line = LINK.sub(lambda link: self.move_link(path, name, link), line)
            lines.append(line)
        trees = "".join(TOCTREE % (caption, "\n".join(entries)) for caption, entries in self.trees.get(name, {}).items())
        return "\n".join(lines) + "\n" + trees

    def read_index(self):
        """Fills `trees`: {page: {caption: [page below it]}}."""
        index = ROOT / "docs/contents.md"
        self.trees["index.md"] = {"Begin": ["All pages </contents>"]}
        caption, parent = "", None
        for line, plain in outside_fences(index.read_text()):
            heading, item = re.match(r"## (.*)", line), ITEM.match(line)
            if heading:
                caption, parent = heading.group(1), None
            elif plain and item:
                place = self.place((index.parent / item[3]).resolve())
                owner = "index.md" if not item[1] else parent
                entry = f"{item[2]} </{place.removesuffix('.md')}>"
                self.trees.setdefault(owner, {}).setdefault(caption, []).append(entry)
                if not item[1]:
                    parent = place

    def add_interfaces(self):
        """Pages of headers and modules that the navigation does not name stand below the page of their whole."""
        named = {entry.split(" </")[1][:-1] + ".md" for tree in self.trees.values() for entries in tree.values() for entry in entries}
        for folder, whole, title in (("reference/c/", "hooke.md", "The C interface"), ("reference/python/", "hooke.md", "The Python interface")):
            pages = [name for name, _ in self.pages.values() if name.startswith(folder) and name not in named]
            if folder + whole in pages:
                self.trees["index.md"]["Reference"].append(f"{title} </{folder}{whole.removesuffix('.md')}>")
            for name in pages:
                if name != folder + whole:
                    below = self.trees.setdefault(folder + whole, {}).setdefault("Reference", [])
                    below.append(f"/{name.removesuffix('.md')}")

    def write(self):
        shutil.rmtree(STAGE, ignore_errors=True)
        texts = {self.pages[path][0]: self.text(path) for path in self.pages}
        for name, text in texts.items():
            (STAGE / name).parent.mkdir(parents=True, exist_ok=True)
            (STAGE / name).write_text(text)
        for path, name in self.copies.items():
            (STAGE / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, STAGE / name)


def needs_network():
    for page in SITE.rglob("*.html"):
        for found in re.findall(r'<(?:script|img|link)[^>]*(?:src|href)="(?:https?:)?//[^"]*"', page.read_text()):
            yield f"{page.relative_to(ROOT)}: error: needs the network: {found}"


def main():
    builder = ROOT / ".venv/bin/sphinx-build"
    if not builder.exists():
        sys.exit("make_site: sphinx is missing: run tools/setup --tests")
    stage = Stage(sources())
    stage.read_index()
    stage.add_interfaces()
    stage.write()
    shutil.rmtree(SITE, ignore_errors=True)
    run = subprocess.run([builder, "-E", "-q", "-W", "--keep-going", "-c", ROOT / "tools/site", "-d",
                          ROOT / "build/site-doctrees", STAGE, SITE], capture_output=True, text=True)
    print(run.stderr.replace(f"{STAGE}/", "docs/"), end="")
    errors = [] if run.returncode else list(needs_network())
    print("\n".join(errors), end="\n" if errors else "")
    if run.returncode or errors:
        return 1
    print("site: build/site/index.html")
    return 0


sys.exit(main())
