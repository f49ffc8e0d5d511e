#!/usr/bin/env python3
"""Writes bench/results/*.json from what kernels.sh and whole_runs.sh left in a folder.

  python3 bench/papers/merge.py FOLDER COMMIT [TREE]

COMMIT: that was measured. TREE: whose bench/results; the current folder unless given. Each file keeps the header that its bench printed, with the names of the card
and the processor. Rows that a file has and that were not measured again stay, each with its commit."""
import json
import pathlib
import sys
import tarfile
import tempfile

SETS = {  # file of results: (steps of the scripts whose rows it takes, bench)
    "femses_groups": (["groups_kernels", "groups_solutions"], "femses"),
    "femses_serial": (["serial_dense", "serial_small", "serial_kernels", "serial_sparse", "device_sizes", "jacobi_160000", "jacobi_40000"], "femses"),
    "integration_scaling": (["integration"], "integration"),
    "sem_large": (["sem_cpu", "sem_device"], "sem")}


MEASURED = ("commit", "iterations", "converged", "runs", "solver", "registers", "groups", "threads", "warps")  # beside numbers with a point


def same(row):
    """What tells rows apart: words and whole numbers that are not results."""
    return frozenset((k, v) for k, v in row.items() if isinstance(v, (str, int)) and k not in MEASURED and "bytes" not in k and not k.startswith("paper"))


def with_earlier(path, result):
    """The result, behind the rows of the file that it does not have."""
    if not path.exists():
        return result
    earlier, measured = json.loads(path.read_text()), {same(row) for row in result["rows"]}
    kept = [{**row, "commit": row.get("commit", earlier["commit"])} for row in earlier["rows"] if same(row) not in measured]
    return {**result, "rows": kept + result["rows"]}


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def write(path, result):
    path.write_text(json.dumps(result, indent=1) + "\n")
    print(f"{path.name}: {len(result['rows'])} rows")


def words_of(path):
    """The card and the processor of machine.txt."""
    text = path.read_text() if path else ""
    card = next((line.split(":", 1)[1].split("(")[0].strip() for line in text.splitlines() if line.startswith("GPU")), "")
    cpu = next((line.split(":", 1)[1].strip() for line in text.splitlines() if "Model name" in line), "")
    return card, cpu


def unpacked(source, folder):
    """{name: path} of all files in the archives, and beside them."""
    for tar in source.glob("*.tar.gz"):
        with tarfile.open(tar) as of:
            for member in of:
                if member.isfile():
                    (folder / pathlib.Path(member.name).name).write_bytes(of.extractfile(member).read())
    return {p.name: p for p in [*source.iterdir(), *folder.iterdir()] if p.is_file()}


def joined(found, steps):
    """(header, rows) of the steps that there are; the header is the last GPU's, if there is one."""
    rows, head = [], {}
    for step in steps:
        if f"{step}.json" in found:
            said = json.loads(found[f"{step}.json"].read_text())
            rows += said.pop("rows")
            head = head if head.get("device", "cpu") != "cpu" else said
        elif f"{step}.jsonl" in found:
            rows += lines(found[f"{step}.jsonl"])
        else:
            print(f"no rows of {step}", file=sys.stderr)
    head.pop("messages", None)
    return head, rows


def main():
    if len(sys.argv) not in (3, 4):
        raise SystemExit(__doc__)
    results = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else ".") / "bench" / "results"
    with tempfile.TemporaryDirectory() as name:
        found = unpacked(pathlib.Path(sys.argv[1]), pathlib.Path(name))
        card, cpu = words_of(found.get("machine.txt"))
        for result, (steps, bench) in SETS.items():
            head, rows = joined(found, steps)
            if rows:
                names = {"device_name": card or head.get("device_name"), "cpu_name": cpu or head.get("cpu_name"), "commit": sys.argv[2]}
                path = results / f"{result}.json"
                write(path, with_earlier(path, {"bench": bench, **head, **names, "rows": rows}))
        if "pogo_runs.json" in found:
            said = json.loads(found["pogo_runs.json"].read_text())
            path = results / "pogo_runs.json"
            write(path, with_earlier(path, {**said, "commit": sys.argv[2], "device_name": card, "cpu_name": cpu, "rows": said["rows"]}))


if __name__ == "__main__":
    main()
