"""The verbs of the command as functions. Where the library answers with JSON, the answer is that, as dicts and lists."""
from __future__ import annotations

import ctypes
import os
import pathlib
from typing import Any, Callable, Mapping, Sequence, Union

from . import _library
from ._call import MessageList, Text, error_of, raise_for, warn
from ._command import ask_command, messages_of
from ._library import encode, encode_or_null, integer, library
from ._run import describe
from ._watch import listener
from ._words import in_python
from .errors import CheckFailed, Message, Usage
from .mesh import Mesh
from .model import Model
from .result import Result

Path = Union[str, os.PathLike]


def _asked(function: str, *arguments: Any, before: Sequence[Message] = ()) -> Any:
    """function(*arguments, list, &json) -> the JSON. Warnings are warned of, errors raised."""
    with MessageList() as messages, Text() as text:
        messages.add(before)
        status = getattr(library(), function)(*arguments, messages.handle, text.pointer)
        raise_for(status, said := messages.read())
        warn(said[len(before):])
        return text.json()


def _folder(run: Path | Result) -> Path:
    return run.path if isinstance(run, Result) else run


def _path(path: Path) -> pathlib.Path:
    return pathlib.Path(os.fsdecode(path))


def _ahead(model: Model, desc: _library.hk_run_desc) -> tuple[Any, bool]:
    """What is known before the mesh is read or made, None where that is nothing; and whether that is the exact answer."""
    complete = ctypes.c_bool()
    with MessageList() as messages, Text() as text:
        status = library().hk_check_ahead(model._desc(), desc, messages.handle, text.pointer, complete)
        raise_for(status, said := messages.read())
        warn(said)
        return text.json(), complete.value


def check(model: Model | Mapping[str, Any] | Path, *, device: str = "auto", precision: str | None = None, threads: int | None = None,
          set: Mapping[str, Any] | None = None, first: Callable[[dict[str, Any]], Any] | None = None) -> dict[str, Any]:
    """Reads everything and solves nothing: mesh quality, points per wavelength, dt and the element that sets it, memory, disk and
    seconds predicted. All errors at once in a BadInput; warnings through `warnings.warn`. Of a large model that is not read yet `first`
    is given an estimate, with "estimated": True, before its mesh is read or made."""
    model = Model.of(model, set)
    desc = describe(device=device, precision=precision, threads=threads)
    if model._handle is None:
        answer, complete = _ahead(model, desc)
        if complete:
            return answer
        if answer and first:
            first(answer)
    return _asked("hk_check", model.handle().pointer, desc, before=model.messages)


def info(path: Path) -> dict[str, Any]:
    """What is in a mesh, deck, case or result."""
    return _asked("hk_info", encode(path))


def partition(mesh: Path, *, method: str | None = None, size: int = 0, output: Path | None = None,
              picture: Path | None = None, sweep: bool = False, reuse: Path | None = None) -> dict[str, Any]:
    """Puts the nodes of a mesh or model file into blocks of threads: nodes, blocks, efficiency, seconds. method: "aligned", "aligned-paper",
    "greedy", "metis", "bisection"; None: aligned in 2D, bisection in 3D. size: most nodes of a block, a multiple of 32; 0: 512. output: block
    file, for `run(blocks=...)`. sweep: counts blocks of several sizes and the bytes of their steps instead, in the list `sweep`. reuse: a block
    file of the mesh before it was changed, of which unchanged blocks are kept."""
    return _asked("hk_partition", encode(mesh), _library.hk_partition_how(
        encode_or_null(method), integer(size), encode_or_null(output), encode_or_null(picture), sweep, encode_or_null(reuse)))


def convert(source: Path | Mesh, target: Path) -> None:
    """Writes a mesh in the format that the ending of `target` names: .msh, .inp, .vtu, .vtkhdf."""
    (source if isinstance(source, Mesh) else Mesh.read(source)).write(target)


def devices(threads: int = 0) -> list[dict[str, Any]]:
    """Every device found, the processor first: device (the name for run), name, memory_bytes, copy_gb_per_s, ...; or error."""
    with Text() as text:
        raise_for(library().hk_devices(describe(threads=threads), text.pointer))
        return text.json()


def selftest(device: str | None = None, threads: int = 0) -> list[dict[str, Any]]:
    """Known answers on one device, or on all: {device, test, error, tolerance, passed} each."""
    with Text() as text:
        status = library().hk_selftest(describe(device=device, threads=threads), text.pointer)
        if status != CheckFailed.status:
            raise_for(status)
        return text.json()


def examples() -> dict[str, str]:
    """Names of the examples, and a line about each."""
    count = ctypes.c_int()
    found = library().hk_example_list(count)
    return {found[i].name.decode(): found[i].about.decode() for i in range(count.value)}


def example(name: str, folder: Path = ".") -> pathlib.Path:
    """Writes a commented, runnable example; the path of its case file."""
    with Text() as text:
        raise_for(library().hk_example_write(encode(name), encode(folder), text.pointer))
        return pathlib.Path(text.read() or "")


def bench(name: str, models: Sequence[Path] = (), *, device: str | None = None, threads: int = 0, scale: float = 0,
          seconds: float = 0, trace_seconds: float = 0, output: Path | None = None,
          progress: Callable[[str], Any] | None = None) -> dict[str, Any]:
    """A paper's tables, measured on this machine by the program `hooke bench`: {bench, device, rows: [...]}. Takes minutes. output:
    folder, NAME.bench unless given. progress is told what is being measured."""
    options = [f"--output={os.fsdecode(encode(output or f'{name}.bench'))}", f"--threads={integer(threads)}"]
    options += [f"--{word}={number!r}" for word, number in (("scale", float(scale)), ("seconds", float(seconds)),
                                                            ("trace-seconds", float(trace_seconds))) if number > 0]
    if device is not None:
        options.append(f"--device={os.fsdecode(encode(device))}")
    status, answer = ask_command(["bench", "--json", *options, "--", *(os.fsdecode(encode(word)) for word in (name, *models))], listener(progress))
    said = messages_of(answer.pop("messages", []))
    if status != 0:
        raise error_of(status, in_python(answer["error"]), said)
    warn(said)
    return answer


def schema() -> dict[str, Any]:
    """JSON Schema of the case file."""
    with Text() as text:
        raise_for(library().hk_case_schema(text.pointer))
        return text.json()


def compare(a: Path | Result, b: Path | Result, tolerance: float = 0) -> dict[str, Any]:
    """Two result folders, or two .h5 files: largest and L2 difference per trace, static step and field. tolerance > 0: `passed` tells
    whether every largest difference, relative to A's largest value, is within it, and nothing is missing in B."""
    with Text() as text:
        status = library().hk_compare(encode(_folder(a)), encode(_folder(b)), tolerance, text.pointer)
        if status != CheckFailed.status:
            raise_for(status)
        return text.json()


_CHOICES = ("quantity", "component", "range", "decibels", "time", "section", "scale", "frame_rate")


def _times(time: Any) -> tuple[bool, bool, float, float]:
    """at_time, until, time, last_time of hk_picture_desc, of a number or two."""
    if time is None:
        return False, False, 0, 0
    if not hasattr(time, "__len__"):
        return True, False, time, 0
    if len(time) != 2 or not time[0] < time[1]:
        raise Usage("picture: time must be a number, or two, the second above the first")
    return True, True, time[0], time[1]


def _picture(choice: Mapping[str, Any] | None) -> Any:
    """hk_picture_desc of a dict with these keys."""
    chosen = dict(choice or {})
    if unknown := set(chosen) - set(_CHOICES):
        raise Usage(f"picture: unknown {', '.join(sorted(map(str, unknown)))}: its keys are {', '.join(_CHOICES)}")
    ends = chosen.get("range")
    if ends is not None and not (len(ends) == 2 and ends[0] < ends[1]):
        raise Usage("picture: range must be two numbers, the second above the first")
    for key in ("decibels", "scale", "frame_rate"):
        if chosen.get(key) is not None and not chosen[key] > 0:
            raise Usage(f"picture: {key} must be above 0")
    low, high = ends or (0, 0)
    return _library.hk_picture_desc(encode_or_null(chosen.get("quantity")), encode_or_null(chosen.get("component")), low, high,
                                    chosen.get("decibels") or 0, *_times(chosen.get("time")),
                                    encode_or_null(chosen.get("section")), chosen.get("scale") or 0, chosen.get("frame_rate") or 0)


def report(run: Path | Result, path: Path | None = None, *, picture: Mapping[str, Any] | None = None) -> pathlib.Path:
    """One self-contained HTML file; RUN/report.html unless given. picture: as of `export`."""
    folder = _folder(run)
    raise_for(library().hk_report_write(encode(folder), encode_or_null(path), _picture(picture)))
    return _path(path) if path is not None else _path(folder) / "report.html"


def film(run: Path | Result, path: Path, *, shot: int = 0, picture: Mapping[str, Any] | None = None) -> pathlib.Path:
    """All frames of one quantity as a moving picture, whose path is returned: .apng or .png; .gif, .mp4 or .webm by the program ffmpeg. shot: whose frames, from
    1, where several have some. picture: as of `export`; {"quantity": "velocity", "component": "y", "time": (first, last), "frame_rate": 25}."""
    raise_for(library().hk_film_write(encode(_folder(run)), encode(path), integer(shot), _picture(picture)))
    return _path(path)


def export(run: Path | Result, *, csv: bool = False, vtu: bool = False, png: bool = False, su: bool = False, segy: bool = False,
           sac: bool = False, mseed: bool = False, asdf: bool = False, spectra: bool = False, compress: bool = False, movie: bool = False,
           picture: Mapping[str, Any] | None = None) -> pathlib.Path:
    """Traces as CSV, Seismic Unix, SEG-Y, SAC, miniSEED or ASDF files, frames as VTU, pictures of all frames, into RUN/export/, which is returned. movie: all frames of a quantity as one
    animated PNG. spectra: amplitude spectra of traces as CSV tables. compress: VTU files are packed by zlib;
    without vtu, copies of the .vtkhdf files by HDF5's deflate. picture: what pictures show, {"quantity": "velocity", "component": "y",
    "range": (-1, 1), "decibels": 40, "time": 3.5 or (first, last), "section": "wiggle" or "density", "scale": 2, "frame_rate": 12}: any of these."""
    folder = _folder(run)
    with MessageList() as messages:
        desc = _library.hk_export_desc(csv, vtu, png, su, segy, sac, mseed, asdf, spectra, compress, movie, messages.handle, ctypes.pointer(_picture(picture)))
        status = library().hk_export(encode(folder), desc)
        raise_for(status, said := messages.read())
        warn(said)
    return _path(folder) / "export"
