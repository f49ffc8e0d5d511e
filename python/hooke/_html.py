"""A result as HTML, for notebooks."""
from __future__ import annotations

import base64
import html
import pathlib
from typing import TYPE_CHECKING, Any, Iterator

if TYPE_CHECKING:
    from .result import Result


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}" if isinstance(value, float) else str(value)


def _rows(summary: dict[str, Any]) -> Iterator[tuple[str, str]]:
    unit = summary.get("time_unit", "")
    yield "status", summary.get("status", "running")
    yield "on", ", ".join(str(summary[key]) for key in ("device_name", "precision", "method") if key in summary)
    yield "counts", ", ".join(f"{_number(n)} {what}" for what, n in summary.get("counts", {}).items())
    if "dt" in summary:
        yield "time", f"dt {_number(summary['dt'])} {unit}, to {_number(summary.get('end_time'))} {unit}"
    if summary.get("solver"):
        yield "solver", f"{summary['solver']}, {_number(summary.get('iterations'))} iterations, residual {summary.get('residual'):.2g}"
    yield "energy", ", ".join(f"{what} {_number(e)}" for what, e in summary.get("energy", {}).items())
    yield "seconds", ", ".join(f"{what} {s:.3g}" for what, s in summary.get("seconds", {}).items() if s)
    for warning in summary.get("warnings", []):
        yield "warning", warning


def pictures(folder: pathlib.Path) -> list[pathlib.Path]:
    """The last frame's picture of each field, else those of traces; two at most."""
    last = {file.stem.rpartition("_")[0]: file for file in sorted(folder.glob("field*_*.png"))}
    return (list(last.values()) or sorted(folder.glob("trace_*.png")))[:2]


def result_html(result: Result) -> str:
    """A table of counts, dt, energies and seconds, and pictures."""
    rows = "".join(f"<tr><th style='text-align:left'>{what}</th><td style='text-align:left'>{html.escape(str(text))}</td></tr>"
                   for what, text in _rows(result.summary) if text)
    images = "".join(f"<img style='max-width:48%' alt='{html.escape(file.stem)}' "
                     f"src='data:image/png;base64,{base64.b64encode(file.read_bytes()).decode()}'>" for file in pictures(result.path))
    title = html.escape(result.summary.get("title") or result.path.name)
    return f"<div><b>{title}</b><table>{rows}</table>{images}</div>"
