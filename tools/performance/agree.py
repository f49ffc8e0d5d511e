"""A device beside the host, on small models."""
import re

from . import results
from .table import section, table


def group(model):
    """What the model has beside its elements and its form of K."""
    if model.startswith(("static", "heat")):
        return f'{model.split()[0]}, {", ".join(model.split(", ")[2:])}'
    words = model.split(", ", 1)[-1] if ", " in model else "colours of spectral elements"
    return f"waves, {re.sub(r'order [0-9]+', 'order p', words)}"


def page():
    r = results.load("agree_h200")
    groups, commits = {}, {r["commit"]} | {row["commit"] for row in r["rows"] if "commit" in row}
    for row in r["rows"]:
        groups.setdefault(group(row["model"]), {"double": [], "single": []})[row["precision"]].append(row)
    lines = []
    for name, rows in sorted(groups.items()):
        line = {"group": name, "models": len(rows["double"]), "failed": sum("failed" in row for both in rows.values() for row in both) or None}
        lines.append(line | {precision: max((row["difference"] for row in some if "difference" in row), default=None) for precision, some in rows.items()})
    return section(f'{r["device_name"]}', f'`bench/agree.py`, commits {", ".join(sorted(commits))}; {r["compiler"]}. Elements of every shape, order 1 to 7 where a term has them, and '
                   "each form of K. Largest difference of traces, frames and energies, or of the solution, over the largest value; 0: the same bits. In single precision both "
                   "are rounded.", table(lines, ("models with", "group"), ("models", "models"), ("double precision", "double", ".1e"), ("single precision", "single", ".1e"),
                                         ("did not run", "failed")))
