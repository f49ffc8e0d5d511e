"""hooke.run, and the descriptor that says how."""
from __future__ import annotations

import ctypes
import os
import pathlib
import sys
import time
from typing import Any, Callable, Mapping

from . import _library
from ._call import MessageList, Text, error_of, raise_for, warn
from ._library import encode, integer, library, surroundings
from ._watch import Progress, Watch, listener, settle
from .errors import Usage
from .model import Model
from .result import Result

_PRECISIONS = {None: 0, "single": 1, "double": 2}


def describe(**options: Any) -> _library.hk_run_desc:
    """A hk_run_desc: None stays the library's default."""
    desc = _library.hk_run_desc(**surroundings())
    precision = options.pop("precision", None)
    if precision not in _PRECISIONS:
        raise Usage(f"precision {precision!r}: must be single or double")
    desc.precision = _PRECISIONS[precision]
    kinds = {name: kind for name, kind, *_ in desc._fields_}
    for name, value in options.items():
        if value is not None:
            kind = kinds[name]
            whole = kind in (ctypes.c_int, ctypes.c_int64)
            setattr(desc, name, encode(value) if kind is ctypes.c_char_p else integer(value, kind) if whole else value)
    return desc


class _Line:
    """Progress as one line that is rewritten, on a terminal or in a notebook; silent elsewhere."""

    def __init__(self) -> None:
        self.active = "ipykernel" in sys.modules or bool(sys.stderr and sys.stderr.isatty())
        self.width = 0

    def __call__(self, progress: Progress) -> None:
        if self.active:
            text = str(progress)
            sys.stderr.write("\r" + text.ljust(self.width))
            sys.stderr.flush()
            self.width = len(text)

    def end(self) -> None:
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()


def run(model: Model | Mapping[str, Any] | str | os.PathLike[str], *, device: str = "auto", precision: str | None = None,
        threads: int | None = None, output: str | os.PathLike[str] | None = None, force: bool = False,
        restart: bool | str | os.PathLike[str] | None = None, set: Mapping[str, Any] | None = None,
        progress: bool | Callable[[Progress], Any] = True, field_format: str | None = None,
        blocks: str | os.PathLike[str] | None = None, pictures: bool = True, checkpoint_seconds: float | None = None,
        checkpoint_steps: int | None = None, keep_checkpoint: bool = False) -> Result:
    """Solves a model and returns its result, as `hooke run` does.

    model: a case file or deck, a case as a dict, or a Model. device: "auto", "cpu", "cuda[:n]", "opencl[:n]". precision: "single" or
    "double"; by default single for explicit runs, double for static ones. output: the result folder, NAME.hooke in the working
    directory unless given; a finished one is overwritten with `force` alone. restart: True goes on from the folder's checkpoint, a
    path from that one, also to a later end or with other traces and frames; keep_checkpoint: the state at the end is kept for
    that. set: {"solve.explicit.end": "20 us"} overrides keys of the case. progress: a line on a terminal or in
    a notebook; or a callable that is given a Progress, in the calling thread, as stages begin and up to 10 times a second: when
    it returns False (or what counts as false, None aside) or raises, the run stops with a checkpoint.

    Ctrl-C writes a checkpoint and raises KeyboardInterrupt; other Python threads go on meanwhile. Failures are hooke.Error, one
    class per exit code of the command; warnings go through `warnings.warn`.
    """
    began, told = time.perf_counter(), listener(progress)
    model = Model.of(model, set)
    folder = pathlib.Path(os.fsdecode(output) if output is not None else model.name + ".hooke")
    desc = describe(output=folder, device=device, precision=precision, threads=threads, force=force,
                    restart="auto" if restart is True else restart or None, blocks=blocks, field_format=field_format,
                    no_pictures=not pictures, checkpoint_seconds=checkpoint_seconds, checkpoint_steps=checkpoint_steps,
                    keep_checkpoint=keep_checkpoint, command=f"hooke.run({model.name!r})")
    with MessageList() as messages:
        raise_for(library().hk_run_ready(desc, messages.handle), messages.read())  # before a mesh is read, which may take long
    handle = model.handle()
    desc.read_seconds = time.perf_counter() - began
    line = _Line() if progress is True else None
    with MessageList() as messages, Text() as json:
        messages.add(model.messages)  # run.json tells them too
        status, words, raised = Watch(desc).wait(lambda: library().hk_run(handle.pointer, desc, messages.handle, json.pointer),
                                                 line or told)
        said, summary = messages.read(), json.json()
    if line:
        line.end()
    settle(words, raised)
    warn(said[len(model.messages):])
    if status:
        raise error_of(status, words, said, summary)
    return Result(folder)
