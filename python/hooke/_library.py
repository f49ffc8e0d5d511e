"""The C library: where it is, and its declarations as one table.

Structs and functions below are those of include/hooke/*.h; tests/python/test_library.py compares sizes and offsets with
what the C compiler says. Nothing is loaded before the first call.
"""
from __future__ import annotations

import ctypes
import ctypes.util
import functools
import operator
import os
import pathlib
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char_p, c_double, c_int, c_int32, c_int64, c_uint8, c_void_p)
from typing import Any, Iterator, Sequence

__version__ = "0.1.0"


class hk_message(Structure):
    _fields_ = [("severity", c_int), ("file", c_char_p), ("line", c_int64), ("column", c_int), ("text", c_char_p)]


class hk_block(Structure):
    _fields_ = [("shape", c_int), ("nodes", c_int), ("first", c_int64), ("count", c_int64), ("node", POINTER(c_int32))]


class hk_set(Structure):
    _fields_ = [("name", c_char_p), ("kind", c_int), ("count", c_int64), ("item", POINTER(c_int32)), ("face", POINTER(c_uint8))]


class hk_mesh(Structure):
    _fields_ = [("dim", c_int), ("node_count", c_int64), ("element_count", c_int64), ("x", POINTER(c_double)),
                ("node_label", POINTER(c_int64)), ("element_label", POINTER(c_int64)), ("block", POINTER(hk_block)),
                ("block_count", c_int), ("set", POINTER(hk_set)), ("set_count", c_int), ("labels", c_void_p)]


class hk_mesh_block_desc(Structure):
    _fields_ = [("shape", c_int), ("count", c_int64), ("node", c_void_p)]


class hk_mesh_set_desc(Structure):
    _fields_ = [("name", c_char_p), ("kind", c_int), ("count", c_int64), ("item", c_void_p), ("face", c_void_p)]


class hk_mesh_desc(Structure):
    _fields_ = [("name", c_char_p), ("dim", c_int), ("node_count", c_int64), ("x", c_void_p), ("node_label", c_void_p),
                ("element_label", c_void_p), ("block", POINTER(hk_mesh_block_desc)), ("block_count", c_int),
                ("set", POINTER(hk_mesh_set_desc)), ("set_count", c_int)]


class hk_mesh_quality(Structure):
    _fields_ = [("inverted", c_int64), ("zero_volume", c_int64), ("orphan_nodes", c_int64), ("parts", c_int64), ("flipped", c_int64),
                ("smallest_jacobian_ratio", c_double), ("worst_element", c_int32), ("shortest_edge", c_double),
                ("longest_edge", c_double), ("volume", c_double), ("box", (c_double * 3) * 2)]


class hk_progress(Structure):
    _fields_ = [("stage", c_char_p), ("step", c_int64), ("steps", c_int64), ("time", c_double), ("end_time", c_double),
                ("seconds_left", c_double), ("dofs_per_second", c_double), ("energy", c_double), ("energy_error", c_double),
                ("iteration", c_int), ("residual", c_double)]


PROGRESS = CFUNCTYPE(None, POINTER(hk_progress), c_void_p)
STOP = CFUNCTYPE(c_bool, c_void_p)


class hk_model_desc(Structure):
    _fields_ = [("path", c_char_p), ("text", c_char_p), ("name", c_char_p), ("folder", c_char_p), ("mesh", POINTER(hk_mesh)),
                ("set", POINTER(c_char_p)), ("set_count", c_int), ("stop", STOP), ("user", c_void_p), ("run_gmsh", c_bool),
                ("without_injections", c_bool)]


class hk_run_desc(Structure):
    _fields_ = [("output", c_char_p), ("device", c_char_p), ("link", c_char_p), ("toolkit", c_char_p), ("cache", c_char_p), ("precision", c_int),
                ("threads", c_int), ("restart", c_char_p), ("blocks", c_char_p), ("force", c_bool), ("field_format", c_char_p),
                ("no_pictures", c_bool), ("checkpoint_seconds", c_double), ("checkpoint_steps", c_int64),
                ("keep_checkpoint", c_bool),
                ("read_seconds", c_double), ("command", c_char_p), ("progress", PROGRESS), ("stop", STOP), ("user", c_void_p)]


class hk_matrix(Structure):
    _fields_ = [("rows", c_int64), ("entries", c_int64), ("size", c_int), ("row_start", POINTER(c_int64)), ("column", POINTER(c_int32)),
                ("value", POINTER(c_double)), ("dof", POINTER(c_int32))]


class hk_held(Structure):
    _fields_ = [("count", c_int32), ("dof", POINTER(c_int32)), ("begin", POINTER(c_int32)), ("master", POINTER(c_int32)),
                ("weight", POINTER(c_double)), ("offset", POINTER(c_double))]


class hk_sparse_desc(Structure):
    _fields_ = [("format", c_int), ("precision", c_int), ("symmetric", c_bool), ("reduced", c_bool), ("mass", c_bool)]


class hk_sparse_view(Structure):
    _fields_ = [("format", c_int), ("symmetric", c_bool), ("value_bytes", c_int), ("size", c_int), ("device", c_int), ("device_number", c_int),
                ("width", c_int32), ("rows", c_int64), ("entries", c_int64), ("row_start", c_void_p), ("row", c_void_p), ("column", c_void_p),
                ("value", c_void_p), ("dof", c_void_p)]


class hk_partition_how(Structure):
    _fields_ = [("method", c_char_p), ("size", c_int), ("output", c_char_p), ("picture", c_char_p), ("sweep", c_bool), ("reuse", c_char_p)]


class hk_picture_desc(Structure):
    _fields_ = [("quantity", c_char_p), ("component", c_char_p), ("low", c_double), ("high", c_double), ("decibels", c_double), ("at_time", c_bool),
                ("until", c_bool), ("time", c_double), ("last_time", c_double), ("section", c_char_p), ("scale", c_double), ("frame_rate", c_double)]


class hk_export_desc(Structure):
    _fields_ = [("csv", c_bool), ("vtu", c_bool), ("png", c_bool), ("su", c_bool), ("segy", c_bool), ("sac", c_bool),
                ("mseed", c_bool), ("asdf", c_bool), ("spectra", c_bool), ("compress", c_bool),
                ("movie", c_bool), ("list", c_void_p), ("picture", POINTER(hk_picture_desc))]


class hk_image_desc(Structure):
    _fields_ = [("method", c_char_p), ("trace", c_char_p), ("component", c_char_p), ("speed", c_double), ("delay", c_double), ("dimension", c_int),
                ("from", POINTER(c_double)), ("to", POINTER(c_double)), ("spacing", c_double), ("gate", POINTER(c_double)), ("shot", c_int),
                ("span", c_double), ("output", c_char_p)]


class hk_example(Structure):
    _fields_ = [("name", c_char_p), ("about", c_char_p)]


STRUCTS = (hk_message, hk_block, hk_set, hk_mesh, hk_mesh_block_desc, hk_mesh_set_desc, hk_mesh_desc, hk_mesh_quality, hk_progress,
           hk_model_desc, hk_run_desc, hk_matrix, hk_held, hk_sparse_desc, hk_sparse_view, hk_partition_how, hk_picture_desc, hk_export_desc, hk_image_desc, hk_example)

# name: result, arguments. "status" becomes an exception where it is not 0; handles are void *, texts are bytes.
_HANDLE, _OUT, _TEXT, _MESH, _ARRAY = c_void_p, POINTER(c_void_p), c_char_p, POINTER(hk_mesh), c_void_p
STATUS = c_int
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "hk_version": (_TEXT, []),
    "hk_error": (_TEXT, []),
    "hk_status_name": (_TEXT, [STATUS]),
    "hk_text_free": (None, [_OUT]),
    "hk_messages_create": (STATUS, [_OUT]),
    "hk_messages_destroy": (None, [_OUT]),
    "hk_messages_add": (None, [_HANDLE, c_int, _TEXT, c_int64, c_int, _TEXT]),
    "hk_messages_count": (c_int64, [_HANDLE]),
    "hk_messages_at": (POINTER(hk_message), [_HANDLE, c_int64]),
    "hk_mesh_read": (STATUS, [_TEXT, _HANDLE, POINTER(_MESH)]),
    "hk_mesh_create": (STATUS, [POINTER(hk_mesh_desc), _HANDLE, POINTER(_MESH)]),
    "hk_mesh_write": (STATUS, [_MESH, _TEXT]),
    "hk_mesh_destroy": (None, [POINTER(_MESH)]),
    "hk_mesh_find_node": (c_int32, [_MESH, c_int64]),
    "hk_mesh_find_element": (c_int32, [_MESH, c_int64]),
    "hk_mesh_measure": (STATUS, [_MESH, POINTER(hk_mesh_quality)]),
    "hk_shape_name": (_TEXT, [c_int]),
    "hk_shape_nodes": (c_int, [c_int]),
    "hk_shape_dim": (c_int, [c_int]),
    "hk_model_create": (STATUS, [POINTER(hk_model_desc), _HANDLE, _OUT]),
    "hk_model_destroy": (None, [_OUT]),
    "hk_model_mesh": (_MESH, [_HANDLE]),
    "hk_case_schema": (STATUS, [_OUT]),
    "hk_deck_keywords": (STATUS, [_OUT]),
    "hk_system_create": (STATUS, [_HANDLE, POINTER(hk_run_desc), _HANDLE, _OUT]),
    "hk_system_destroy": (None, [_OUT]),
    "hk_matrix_clear": (None, [POINTER(hk_matrix)]),
    "hk_system_components": (c_int, [_HANDLE]),
    "hk_system_dofs": (c_int64, [_HANDLE]),
    "hk_system_form": (_TEXT, [_HANDLE]),
    "hk_system_symmetric": (c_bool, [_HANDLE]),
    "hk_system_held": (hk_held, [_HANDLE]),
    "hk_system_load": (POINTER(c_double), [_HANDLE]),
    "hk_system_time_step": (c_double, [_HANDLE]),
    "hk_system_take": (STATUS, [_HANDLE, c_int, c_double]),
    "hk_system_apply": (STATUS, [_HANDLE, _ARRAY, _ARRAY]),
    "hk_system_matrix": (STATUS, [_HANDLE, c_int, POINTER(hk_matrix)]),
    "hk_system_mass": (STATUS, [_HANDLE, _ARRAY]),
    "hk_system_frequency": (STATUS, [_HANDLE, POINTER(c_double)]),
    "hk_system_right": (STATUS, [_HANDLE, _ARRAY]),
    "hk_system_fill": (None, [_HANDLE, _ARRAY]),
    "hk_system_solve": (STATUS, [_HANDLE, _ARRAY]),
    "hk_sparse_matrix_create": (STATUS, [_HANDLE, POINTER(hk_sparse_desc), _OUT]),
    "hk_sparse_matrix_destroy": (None, [_OUT]),
    "hk_sparse_matrix_refill": (STATUS, [_HANDLE, _ARRAY, _HANDLE]),
    "hk_sparse_matrix_view": (hk_sparse_view, [_HANDLE]),
    "hk_sparse_matrix_read": (STATUS, [_HANDLE, POINTER(hk_sparse_view)]),
    "hk_sparse_matrix_write": (STATUS, [_HANDLE, _TEXT, _OUT]),
    "hk_stop_when_set": (c_bool, [c_void_p]),
    "hk_run": (STATUS, [_HANDLE, POINTER(hk_run_desc), _HANDLE, _OUT]),
    "hk_run_ready": (STATUS, [POINTER(hk_run_desc), _HANDLE]),
    "hk_check_ahead": (STATUS, [POINTER(hk_model_desc), POINTER(hk_run_desc), _HANDLE, _OUT, POINTER(c_bool)]),
    "hk_check": (STATUS, [_HANDLE, POINTER(hk_run_desc), _HANDLE, _OUT]),
    "hk_info": (STATUS, [_TEXT, _HANDLE, _OUT]),
    "hk_injection_points": (STATUS, [POINTER(hk_model_desc), _TEXT, _HANDLE, _OUT]),
    "hk_partition": (STATUS, [_TEXT, POINTER(hk_partition_how), _HANDLE, _OUT]),
    "hk_devices": (STATUS, [POINTER(hk_run_desc), _OUT]),
    "hk_selftest": (STATUS, [POINTER(hk_run_desc), _OUT]),
    "hk_report_write": (STATUS, [_TEXT, _TEXT, POINTER(hk_picture_desc)]),
    "hk_film_write": (STATUS, [_TEXT, _TEXT, c_int, POINTER(hk_picture_desc)]),
    "hk_pictures_write": (STATUS, [_TEXT, _TEXT, c_int, POINTER(hk_picture_desc)]),
    "hk_export": (STATUS, [_TEXT, POINTER(hk_export_desc)]),
    "hk_image_write": (STATUS, [_TEXT, POINTER(hk_image_desc), _HANDLE, _OUT]),
    "hk_compare": (STATUS, [_TEXT, _TEXT, c_double, _OUT]),
    "hk_example_list": (POINTER(hk_example), [POINTER(c_int)]),
    "hk_example_write": (STATUS, [_TEXT, _TEXT, _OUT]),
}


def _of_system() -> str | None:
    """The library of this version by its soname, or else any, whose version is then refused by name."""
    own = "libhooke.so." + ".".join(__version__.split(".")[:2])
    try:
        ctypes.CDLL(own)
    except OSError:
        return ctypes.util.find_library("hooke")
    return own


def candidates() -> Iterator[str]:
    """Where libhooke may be: in the package, HOOKE_LIBRARY, the system's."""
    bundled = sorted((pathlib.Path(__file__).parent / "_lib").glob("libhooke.so*"), key=lambda p: len(p.name))
    yield from map(str, bundled[:1])
    if os.environ.get("HOOKE_LIBRARY"):
        yield os.environ["HOOKE_LIBRARY"]
    found = _of_system()
    if found:
        yield found


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """libhooke, loaded at the first call and declared by the table. ImportError with what to do where it is not found or of
    another version."""
    path = next(candidates(), None)
    if path is None:
        raise ImportError("libhooke.so is not found: install the hooke wheel, or set HOOKE_LIBRARY to the library's path")
    try:
        lib = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"{path} cannot be opened as a library: {error}; install the hooke wheel, or set HOOKE_LIBRARY to the path of "
                          "libhooke.so") from error
    try:
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(lib, name)
            function.restype, function.argtypes = result, arguments
    except AttributeError as error:
        raise ImportError(f"{path} is not the library of hooke {__version__}: {error}; install library and package of the same version") from error
    check_version(path, lib.hk_version().decode())
    return lib


def check_version(path: str, version: str) -> None:
    """Before 1.0 a minor version may change the C interface."""
    if version.split(".")[:2] != __version__.split(".")[:2]:
        raise ImportError(f"{path} is hooke {version}, the Python package is {__version__}: install both in the same version")


def encode(value: Any) -> bytes:
    """A text or path for C."""
    if not isinstance(value, (str, bytes, os.PathLike)):
        raise TypeError(f"must be a text or path, not {value!r}")
    data = os.fsencode(value)
    if b"\0" in data:
        raise ValueError("a name or path may not hold a null character")
    return data


def encode_or_null(value: Any) -> bytes | None:
    """The same, or NULL of None."""
    return None if value is None else encode(value)


def integer(value: Any, kind: Any = c_int) -> int:
    """A whole number that `kind` holds: ctypes cuts what is too long."""
    number = operator.index(value)
    if kind(number).value != number:
        raise ValueError(f"{number} is out of range")
    return number


def texts(values: Sequence[str]) -> ctypes.Array[c_char_p]:
    """const char *const[]"""
    return (c_char_p * max(len(values), 1))(*map(encode, values))


def surroundings() -> dict[str, bytes | None]:
    """The fields of descriptors that come from the environment, as the command takes them: a CUDA toolkit, and the folder that
    keeps compiled kernels."""
    cache = os.environ.get("XDG_CACHE_HOME") or (os.environ.get("HOME", "") and os.environ["HOME"] + "/.cache")
    return {"toolkit": encode_or_null(os.environ.get("CUDA_PATH")), "cache": encode(cache + "/hooke") if cache else None}
