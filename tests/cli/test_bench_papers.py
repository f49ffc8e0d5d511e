"""bench/papers: a packed deck is the same mesh, and rows of the scripts come into bench/results."""
import json
import os
import pathlib
import subprocess
import sys
import tarfile

PAPERS = pathlib.Path(os.environ["HOOKE_SOURCE"]) / "bench" / "papers"
DECK = """*HEADING
two columns
*NODE
1, 1., 0.5
2, 0., 0.
3, 1., -0.25
4, 0., 1.
5, 2.125, 0.
*ELEMENT, TYPE=CPE3
1, 2, 3, 1
2, 1, 4, 2
3, 5, 1, 3
*NSET, NSET=left
2, 4
*ELSET, ELSET=upper, GENERATE
2, 3
*CLOAD
left, 1, 1.
"""


def run(script, *words):
    return subprocess.run([sys.executable, PAPERS / script, *words], check=True, capture_output=True, text=True)


def mesh_of(text):
    """(triangles by their points, counted from the least and turning as given; points of the set; triangles of the set)"""
    parts = {part.split("\n")[0]: part.split("\n")[1:-1] for part in text.split("*") if part}
    rows = {key: [[float(v) for v in line.split(",")] for line in value] for key, value in parts.items() if key.startswith(("NODE", "ELEMENT"))}
    point = {int(r[0]): tuple(r[1:]) for r in rows["NODE"]}

    def turned(row):
        corners = [point[int(v)] for v in row[1:]]
        k = corners.index(min(corners))
        return tuple(corners[k:] + corners[:k])
    triangle = {int(r[0]): turned(r) for key, value in rows.items() if key.startswith("ELEMENT") for r in value}

    def members(name, of):
        key = next(k for k in parts if name in k)
        numbers = [[int(v) for v in line.split(",")] for line in parts[key]]
        return {of[n] for row in numbers for n in (range(row[0], row[1] + 1) if "GENERATE" in key else row)}
    return sorted(triangle.values()), members("NSET=left", point), members("ELSET=upper", triangle)


def test_packed_deck_is_the_same_mesh(tmp_path):
    (tmp_path / "deck.inp").write_text(DECK)
    run("pack_deck.py", "pack", tmp_path / "deck.inp", tmp_path / "packed")
    run("pack_deck.py", "unpack", tmp_path / "packed", tmp_path / "again.inp")
    again = (tmp_path / "again.inp").read_text()
    assert mesh_of(again) == mesh_of(DECK)
    assert again.startswith("*HEADING\ntwo columns\n") and again.endswith("*CLOAD\nleft, 1, 1.\n")


def test_rows_of_the_scripts_are_merged(tmp_path):
    """Of a bench that ended the header, of one that did not the rows; the card is named, the commit is the one given. What was measured before stays with
    its commit, unless it was measured again."""
    left, out = tmp_path / "left", tmp_path / "out"
    left.mkdir()
    (tmp_path / "bench/results").mkdir(parents=True)
    earlier = [{"a": 2, "seconds": 1.5, "iterations": 3}, {"a": 4, "seconds": 2.5, "commit": "oldest"}, {"a": 5, "seconds": 3.5}]
    (tmp_path / "bench/results/femses_groups.json").write_text(json.dumps({"commit": "older", "rows": earlier}))
    (left / "groups_kernels.json").write_text(json.dumps({"bench": "femses", "device": "cuda", "commit": "old", "rows": [{"a": 1}]}))
    (left / "groups_solutions.jsonl").write_text('{"a": 2, "seconds": 0.5, "iterations": 4}\n{"a": 3}\n')
    (left / "machine.txt").write_text("GPU 0: Card X (UUID: 1)\nModel name:   Processor Y\n")
    (left / "pogo_runs.json").write_text(json.dumps({"bench": "pogo runs", "commit": "", "rows": [{"b": 1}]}))
    out.mkdir()
    with tarfile.open(out / "kernels.tar.gz", "w:gz") as tar:
        tar.add(left, ".")
    run("merge.py", out, "abc", tmp_path)
    groups = json.loads((tmp_path / "bench/results/femses_groups.json").read_text())
    assert [(row["a"], row.get("commit")) for row in groups["rows"]] == [(4, "oldest"), (5, "older"), (1, None), (2, None), (3, None)]
    assert (groups["device"], groups["device_name"], groups["cpu_name"], groups["commit"]) == ("cuda", "Card X", "Processor Y", "abc")
    runs = json.loads((tmp_path / "bench/results/pogo_runs.json").read_text())
    assert runs["rows"] == [{"b": 1}] and runs["commit"] == "abc"
    assert sorted(p.name for p in (tmp_path / "bench/results").iterdir()) == ["femses_groups.json", "pogo_runs.json"]
