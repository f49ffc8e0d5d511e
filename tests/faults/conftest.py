"""Small decks come from the tests of the command."""
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "cli"))


def pytest_terminal_summary(terminalreporter):
    """What became of mutated inputs and killed runs, for docs/reliability.md."""
    from counts import lines
    for line in lines():
        terminalreporter.write_line(line)
