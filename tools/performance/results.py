"""The rows of bench/results/*.json."""
import functools
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "bench" / "results"


@functools.cache
def load(name):
    return json.loads((FOLDER / f"{name}.json").read_text())


def there(name):
    return (FOLDER / f"{name}.json").exists()


def rows(name, **wanted):
    """Those of a file that have these values."""
    return [r for r in load(name)["rows"] if all(r.get(k) == v for k, v in wanted.items())]


def row(name, **wanted):
    found = rows(name, **wanted)
    if len(found) != 1:
        raise SystemExit(f"bench/results/{name}.json: {len(found)} rows are {wanted}; one is wanted")
    return found[0]


def commits(of):
    return "commit " + ", ".join(dict.fromkeys(r["commit"] for r in of))


def words(r):
    """What a file of results says of its conditions, after the generated sentence."""
    return " ".join(["", *r.get("words", [])])


def notes(page):
    """The paragraphs of notes.md below "# PAGE"."""
    parts = f'\n{(FOLDER / "notes.md").read_text()}'.split("\n# ")[1:]
    return next((["## Limits, and what was tried", "", *p.split("\n", 1)[1].strip().splitlines(), ""] for p in parts if p.startswith(f"{page}\n")), [])
