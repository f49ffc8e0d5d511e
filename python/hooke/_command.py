"""The program hooke: where it is, and what it answers as a child."""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
import tempfile
from typing import Any, Callable, Mapping, Sequence

from ._words import in_python
from .errors import Internal, Message, Usage


def _is_program(path: pathlib.Path) -> bool:
    """A file to execute, and no script: the one that pip installs would call itself."""
    if not path.is_file() or not os.access(path, os.X_OK):
        return False
    with open(path, "rb") as file:
        return file.read(2) != b"#!"


def command() -> str | None:
    """The program hooke: the package's own, HOOKE, or the first on PATH."""
    bundled = pathlib.Path(__file__).parent / "_bin" / "hooke"
    if _is_program(bundled):
        return str(bundled)
    if os.environ.get("HOOKE"):
        return os.environ["HOOKE"]
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return next((str(p) for p in (pathlib.Path(f or ".") / "hooke" for f in folders) if _is_program(p)), None)


def messages_of(said: Sequence[Mapping[str, Any]]) -> list[Message]:
    """What the command's JSON calls `messages`."""
    return [Message(m["severity"], m.get("file"), m.get("line", 0), m.get("column", 0), in_python(m["text"])) for m in said]


def _tell(line: str, progress: Callable[[str], Any]) -> None:
    """`hooke: WORDS` is progress; errors, warnings and notes are in the answer."""
    words = line.rstrip("\n").removeprefix("hooke: ")
    if line.startswith("hooke: ") and not words.startswith(("error: ", "warning: ", "note: ")):
        progress(words)


def ask_command(words: Sequence[str], progress: Callable[[str], Any] | None = None) -> tuple[int, dict[str, Any]]:
    """Exit code and JSON of `hooke WORDS`; progress is told what it says on stderr."""
    program = command()
    if program is None:
        raise Usage("the program hooke is not found: install the hooke wheel, or set HOOKE to its path")
    with tempfile.TemporaryFile() as result:
        with subprocess.Popen([program, *words], stdin=subprocess.DEVNULL, stdout=result, stderr=subprocess.PIPE, text=True,
                              errors="replace") as child:
            assert child.stderr
            try:
                for line in child.stderr:
                    if progress:
                        _tell(line, progress)
            except BaseException:
                child.terminate()
                raise
        result.seek(0)
        text = result.read().decode(errors="replace")
    try:
        return child.returncode, json.loads(text)
    except ValueError:
        raise Internal(f"{program} {words[0]} ended with {child.returncode} and no result") from None
