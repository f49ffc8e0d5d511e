"""Rates of two builds of hooke."""
from . import results
from .table import section, table


def page():
    r = results.load("builds_h200")
    return section(f'{r["before"]} and later builds, {r["device_name"]}', f'{r["compiler"]}. {r["about"]}', table(
        r["rows"], ("case", "case"), ("precision", "precision"), (r["before"], "before", ".1f"), ("later", "after", ".1f"), ("ratio", "ratio", ".2f")))
