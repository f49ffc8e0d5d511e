"""The command, from Python: `python -m hooke` and the script `hooke` that pip installs."""
from __future__ import annotations

import os
import sys

from ._command import command


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
