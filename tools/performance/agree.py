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
    groups = {}
    for row in r["rows"]:
        groups.setdefault(group(row["model"]), []).append(row)
    lines = [{"group": name, "models": len(rows), "failed": sum("failed" in row for row in rows) or None,
              "worst": max((row["difference"] for row in rows if "difference" in row), default=None)} for name, rows in sorted(groups.items())]
    return section(f'Double precision, {r["device_name"]}', f'`bench/agree.py`, commit {r["commit"]}; {r["compiler"]}. Elements of every shape, order 1 to 7 where a term has them, and '
                   "each form of K. Largest difference of traces, frames and energies, or of the solution, over the largest value; 0: the same bits.", table(
                       lines, ("models with", "group"), ("models", "models"), ("largest difference", "worst", ".1e"), ("did not run", "failed")))
