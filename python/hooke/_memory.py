"""Memory of the library: what is destroyed with the last who looks at it."""
from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

from ._library import library


class Handle:
    """A pointer to an object of the library, which is destroyed with this one, unless it is another's (`destroy` None); what it needs lives
    as long."""

    _destroy: Any = None  # where there is no library to load

    def __init__(self, destroy: str | None, pointer: Any, *needs: object):
        self.pointer, self.needs = pointer, needs
        if destroy:
            self._destroy = getattr(library(), destroy)

    def __reduce__(self) -> Any:
        raise TypeError("an object of the library can be neither copied nor pickled")

    def __del__(self) -> None:
        if self._destroy and self.pointer:
            self._destroy(self.pointer)


class _View:
    """What numpy asks for the memory of a view; its `owner` lives as long as the array."""

    def __init__(self, owner: object, address: int | None, shape: tuple[int, ...], kind: str, writable: bool):
        self.owner = owner
        self.__array_interface__ = {"version": 3, "data": (address, not writable), "shape": shape, "typestr": kind}


def view(owner: object, pointer: Any, shape: tuple[int, ...], dtype: npt.DTypeLike, writable: bool = False) -> np.ndarray:
    """pointer[shape] without a copy; an empty array where there is nothing."""
    if not pointer or 0 in shape:
        return np.empty(shape, dtype)
    return np.asarray(_View(owner, ctypes.cast(pointer, ctypes.c_void_p).value, shape, np.dtype(dtype).str, writable))
