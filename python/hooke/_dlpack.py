"""Capsules of DLPack (dlpack.h 0.8, struct DLManagedTensor): arrays of the library for other packages, without a copy."""
from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

HOST, CUDA = 1, 2
_NAME = b"dltensor"
_KINDS = {"i": 0, "u": 1, "f": 2}


class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("number", ctypes.c_int32)]


class _Type(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", _Device), ("ndim", ctypes.c_int32), ("dtype", _Type), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


_lent: dict[int, tuple[Any, ...]] = {}  # what a consumer still looks at, by the address of its _Managed


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _delete(managed: int) -> None:
    _lent.pop(managed, None)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _drop(capsule: int) -> None:
    """Of a capsule that nobody took: those that were taken have another name."""
    if _is_valid(capsule, _NAME):
        _lent.pop(_pointer_of(capsule, _NAME), None)


_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
# functions of their own: a capsule that goes away is no py_object any more
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


def capsule(owner: object, address: int | None, shape: tuple[int, ...], dtype: np.dtype, device: tuple[int, int]) -> Any:
    """A capsule of address[shape]; owner lives until its consumer is done."""
    sizes = (ctypes.c_int64 * len(shape))(*shape)
    tensor = _Tensor(address, _Device(*device), len(shape), _Type(_KINDS[dtype.kind], 8 * dtype.itemsize, 1), sizes, None, 0)
    managed = _Managed(tensor, None, ctypes.cast(_delete, ctypes.c_void_p))
    at = ctypes.addressof(managed)
    _lent[at] = (managed, sizes, owner)
    return _new(at, _NAME, ctypes.cast(_drop, ctypes.c_void_p))
