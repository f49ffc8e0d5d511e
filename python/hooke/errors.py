"""What can go wrong: one exception per status of the library, with the words that the command prints."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence


@dataclass(frozen=True)
class Message:
    """One error, warning or note about an input. `line` and `column` count from 1; 0: none."""

    severity: str
    file: str | None
    line: int
    column: int
    text: str

    def __str__(self) -> str:
        place = self.file or "hooke"
        if self.file and self.line > 0:
            place += f":{self.line}" + (f":{self.column}" if self.column > 0 else "")
        return f"{place}: {self.severity}: {self.text}"


class Error(Exception):
    """A call of the library failed.

    `status`: the exit code that the command would have. `messages`: all that was said about the input, errors and warnings.
    `summary`: run.json of a run that began, else None.
    """

    status = 1

    def __init__(self, words: str, messages: Sequence[Message] = (), summary: dict[str, Any] | None = None):
        self.messages = list(messages)
        self.summary = summary
        said = [str(m) for m in self.messages if m.severity == "error"]
        super().__init__("\n".join(said) if said else words)


class Internal(Error):
    """A fault of hooke itself."""


class Usage(Error, ValueError):
    """The call makes no sense."""

    status = 2


class BadInput(Error, ValueError):
    """A file, a case or a value in it is wrong: mend the input."""

    status = 3


class CheckFailed(Error):
    """A check did not pass."""

    status = 4


class OutOfMemory(Error):
    """Too little memory, or the device failed."""

    status = 5


class Unstable(Error):
    """Not-a-number, energy growth, or a time step above the limit."""

    status = 6


class NotConverged(Error):
    """The iteration did not reach its tolerance, or the matrix is singular."""

    status = 7


class NotWritable(Error):
    """The output cannot be written."""

    status = 8


class Stopped(Error):
    """The run was asked to stop; a checkpoint was written."""

    status = 9


class HookeWarning(UserWarning):
    """What the library warns of, through `warnings.warn`."""
