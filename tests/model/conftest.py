"""Runs are met under way as in the tests of the command."""
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "cli"))
