"""What long runs of the tests counted, one line for each kind: docs/reliability.md has them."""
import sys


def lines():
    for module in ("mutate", "test_kills"):
        yield from (tally.line(kind) for kind, tally in getattr(sys.modules.get(module), "TALLIES", {}).items())
