"""hooke: finite elements for waves and solids, at memory speed.

>>> import hooke
>>> result = hooke.run("plate.yaml")
>>> result.traces.rx.velocity["x"]
>>> result.plot()

`hooke.Model` puts a model together in code; `hooke.example("plate")` writes one to begin with.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any


def _fill() -> None:
    """Takes the names of _public once one is asked for: the command, whose script imports this file, needs neither numpy nor h5py."""
    public = importlib.import_module("._public", __name__)
    globals().update({name: getattr(public, name) for name in (*public.__all__, "open")}, __all__=public.__all__)


def __dir__() -> list[str]:
    _fill()
    return sorted(globals())


if TYPE_CHECKING:
    from ._public import *
    from ._public import __version__ as __version__, open as open
else:
    def __getattr__(name: str) -> Any:
        if name in ("__all__", "__version__") or not name.startswith("_"):
            _fill()
            if name in globals():
                return globals()[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
