"""The command, from Python: `python -m hooke` and the script `hooke` that pip installs."""
from __future__ import annotations

import os
import pathlib
import sys


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


def main() -> int:
    """Becomes the command, with this process's arguments."""
    program = command()
    if program is None:
        print("hooke: error: the program is not found: install the hooke wheel, or set HOOKE to its path", file=sys.stderr)
        return 1
    try:
        os.execv(program, ["hooke", *sys.argv[1:]])
    except OSError as error:
        print(f"hooke: error: {program}: {error.strerror}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
