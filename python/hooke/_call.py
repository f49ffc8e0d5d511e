"""Calls of the library: status to exception, messages, texts, warnings."""
from __future__ import annotations

import ctypes
import json
import os
import sys
import warnings
from typing import Any, Sequence

from ._library import encode, encode_or_null, library
from ._words import in_python
from .errors import (BadInput, CheckFailed, Error, HookeWarning, Internal, Message, NotConverged, NotWritable, OutOfMemory, Stopped,
                     Unstable, Usage)

_BY_STATUS = {kind.status: kind for kind in
              (Internal, Usage, BadInput, CheckFailed, OutOfMemory, Unstable, NotConverged, NotWritable, Stopped)}
_SEVERITY = ("note", "warning", "error")


def last_words(status: int) -> str:
    """The calling thread's last error."""
    lib = library()
    return in_python((lib.hk_error() or lib.hk_status_name(status)).decode(errors="replace"))


def error_of(status: int, words: str, messages: Sequence[Message] = (), summary: dict[str, Any] | None = None) -> Error:
    """The exception that `status` stands for."""
    return _BY_STATUS.get(status, Internal)(words, messages, summary)


def raise_for(status: int, messages: Sequence[Message] = ()) -> None:
    """Raises what `status` stands for, with the words of the calling thread; nothing when it is 0."""
    if status != 0:
        raise error_of(status, last_words(status), messages)


class MessageList:
    """hk_messages: for the time of a `with` block, or as long as this object."""

    _destroy: Any = None  # where there is no library to load

    def __init__(self) -> None:
        self.handle = ctypes.c_void_p()
        self._destroy = library().hk_messages_destroy
        raise_for(library().hk_messages_create(self.handle))

    def __enter__(self) -> MessageList:
        return self

    def __exit__(self, *_: object) -> None:
        self._destroy(self.handle)

    def __del__(self) -> None:
        if self._destroy:
            self._destroy(self.handle)

    def __len__(self) -> int:
        return library().hk_messages_count(self.handle)

    def add(self, messages: Sequence[Message]) -> None:
        """Puts messages of another list behind those that are there."""
        for m in messages:
            library().hk_messages_add(self.handle, _SEVERITY.index(m.severity), encode_or_null(m.file), m.line, m.column, b"%s", encode(m.text))

    def read(self, first: int = 0) -> list[Message]:
        """What was said, from the message `first` on."""
        lib = library()
        found = []
        for i in range(first, len(self)):
            m = lib.hk_messages_at(self.handle, i).contents
            file = os.fsdecode(m.file) if m.file else None
            file = file[2:] if file and file.startswith("--set ") else file  # what `set` gave lies in no file
            found.append(Message(_SEVERITY[m.severity], file, m.line, m.column, in_python(m.text.decode(errors="replace"))))
        return found


class Text:
    """A text that the library allocates, for the time of a `with` block."""

    def __enter__(self) -> Text:
        self.pointer = ctypes.c_void_p()
        return self

    def __exit__(self, *_: object) -> None:
        library().hk_text_free(self.pointer)

    def read(self) -> str | None:
        """The text; None of none."""
        return ctypes.string_at(self.pointer.value).decode(errors="replace") if self.pointer.value else None

    def json(self) -> Any:
        """What the text says."""
        text = self.read()
        return None if text is None else json.loads(text)


def warn(messages: Sequence[Message]) -> None:
    """Warnings of the library become Python's, told of the first line outside this package."""
    depth, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__package__") == __package__:
        depth, frame = depth + 1, frame.f_back
    for m in messages:
        if m.severity == "warning":
            warnings.warn(str(m) if m.file else m.text, HookeWarning, stacklevel=depth)
