"""A matrix of a model in a sparse format, on its device: for scipy, and by DLPack for CuPy, PyTorch, JAX and others."""
from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any, Mapping

import numpy as np
import numpy.typing as npt

from . import _library
from ._call import Text, error_of, last_words
from ._dlpack import CUDA, HOST, capsule
from ._library import encode, library
from ._memory import Handle, view
from .errors import Usage
from .model import Model
from .system import System

if TYPE_CHECKING:
    from scipy.sparse import bsr_array, coo_array, csr_array

_FORMATS = ("csr", "coo", "ell", "bsr")
_PRECISIONS = {None: 0, "single": 1, "double": 2}


class DeviceArray:
    """An array of a matrix where it is, on the host or on a card; not copied, and the next refill writes into it.

    numpy.asarray takes it on the host; numpy, CuPy, PyTorch and JAX take it by `from_dlpack`, and CuPy and Numba on CUDA by
    `__cuda_array_interface__`. `device` is DLPack's pair: (1, 0) the host, (2, n) CUDA, (4, n) OpenCL, whose `address` is a cl_mem.
    """

    def __init__(self, owner: Handle, address: int | None, shape: tuple[int, ...], dtype: npt.DTypeLike, device: tuple[int, int]):
        self._owner, self.address, self.shape, self.dtype, self.device = owner, address, shape, np.dtype(dtype), device

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        if self.device[0] != HOST:
            raise Usage("the array is on a card: take it by from_dlpack, or read the matrix with to_scipy or arrays")
        array = view(self._owner, self.address, self.shape, self.dtype)
        return np.array(array, dtype, copy=copy) if copy or dtype not in (None, self.dtype) else array

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None) -> Any:
        """A capsule for from_dlpack. Launches of hooke are done when a call returns, so that no stream has to wait."""
        if copy or dl_device not in (None, self.device):
            raise BufferError(f"the array is on device {self.device} and is not copied")
        return capsule(self._owner, self.address, self.shape, self.dtype, self.device)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self.device[0] != CUDA:
            raise AttributeError("__cuda_array_interface__: the array is not on a CUDA device")
        return {"version": 3, "data": (self.address or 0, False), "shape": self.shape, "typestr": self.dtype.str, "strides": None, "stream": None}

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<DeviceArray {self.dtype} {list(self.shape)} on {self.device}>"


class SparseMatrix:
    """K of a system, T^T K T or the lumped mass; made by `hooke.matrix` or `System.sparse`.

    `indptr`, `indices`, `data` of csr and bsr, `row`, `indices`, `data` of coo, `indices` and `data` [width][rows] of ell (behind the end of
    a row -1 and 0) are DeviceArrays; those that a format lacks are None. `dof[row]` is the row's degree of freedom, node * components +
    component; `symmetric`: the lower triangle.
    """

    def __init__(self, system: System, format: str = "csr", symmetric: bool = False, reduced: bool = False, mass: bool = False,
                 precision: str | None = None):
        if format not in _FORMATS:
            raise Usage(f"format {format!r}: must be one of {', '.join(_FORMATS)}")
        if precision not in _PRECISIONS:
            raise Usage(f"precision {precision!r}: must be single or double")
        self.system, self.format, self.symmetric, self.reduced = system, format, bool(symmetric), bool(reduced)
        self._handle = Handle("hk_sparse_matrix_destroy", ctypes.c_void_p(), system._handle)
        desc = _library.hk_sparse_desc(_FORMATS.index(format), _PRECISIONS[precision], self.symmetric, self.reduced, bool(mass))
        system._call("hk_sparse_matrix_create", desc, self._handle.pointer)
        v = library().hk_sparse_matrix_view(self._handle.pointer)
        self.shape = (v.rows * v.size,) * 2
        self.components = system.components
        self.device = (v.device, v.device_number)
        self.dof: np.ndarray = view(self._handle, v.dof, (v.rows * v.size,), np.int32)
        self.indptr, self.row, self.indices, self.data = self._arrays(v)

    def _arrays(self, v: _library.hk_sparse_view) -> tuple[DeviceArray | None, DeviceArray | None, DeviceArray, DeviceArray]:
        stored = (v.width, v.rows) if self.format == "ell" else (v.entries,)
        values = (*stored, v.size, v.size) if self.format == "bsr" else stored
        of = lambda address, shape, dtype: DeviceArray(self._handle, address, shape, dtype, (v.device, v.device_number))
        return (of(v.row_start, (v.rows + 1,), np.int64) if v.row_start else None, of(v.row, stored, np.int32) if self.format == "coo" else None,
                of(v.column, stored, np.int32), of(v.value, values, np.float64 if v.value_bytes == 8 else np.float32))

    def _call(self, name: str, *arguments: Any) -> None:
        with self.system._handle.lock:
            status = getattr(library(), name)(self._handle.pointer, *arguments)
            if status:
                raise error_of(status, last_words(status))

    def refill(self, scale: npt.ArrayLike | None = None, model: Model | Mapping[str, Any] | str | os.PathLike[str] | None = None) -> SparseMatrix:
        """New values in the same pattern and arrays: K = sum of scale[element] K_e, and with the materials of `model`, a case of the same mesh.
        Both hold for this call alone. Whoever reads the arrays on a card must be done before."""
        factors = None if scale is None else np.ascontiguousarray(scale, np.float64)
        elements = self.system.mesh.element_count
        if factors is not None and factors.shape != (elements,):
            raise Usage(f"scale must have a factor for each of {elements} elements, not the shape {factors.shape}")
        laws = None if model is None else Model.of(model).handle()
        self._call("hk_sparse_matrix_refill", None if factors is None else factors.ctypes.data, laws.pointer if laws else None)
        return self

    def arrays(self) -> dict[str, np.ndarray]:
        """indptr, row, indices and data, as far as the format has them, on the host: views there, copies from a card."""
        names = ("indptr", "row", "indices", "data")
        if self.device[0] == HOST:
            return {name: np.asarray(array) for name in names if (array := getattr(self, name)) is not None}
        with self.system._handle.lock:
            v = _library.hk_sparse_view()
            self._call("hk_sparse_matrix_read", v)
            return {name: view(self._handle, getattr(v, field), own.shape, own.dtype).copy()
                    for name, field in zip(names, ("row_start", "row", "column", "value")) if (own := getattr(self, name)) is not None}

    def to_scipy(self) -> csr_array | coo_array | bsr_array:
        """The matrix, or its triangle, for scipy. On the host data and indices are not copied: a refill changes what scipy holds."""
        from scipy import sparse
        if self.format == "ell":
            raise Usage("scipy has no ELLPACK matrices: take csr, or the arrays")
        a = self.arrays()
        if self.format == "coo":
            return sparse.coo_array((a["data"], (a["row"], a["indices"])), shape=self.shape)
        few = len(a["indices"]) <= np.iinfo(np.int32).max  # scipy would widen the indices to the type of indptr
        indices = a["data"], a["indices"], a["indptr"].astype(np.int32) if few else a["indptr"]
        if self.format == "bsr":
            return sparse.bsr_array(indices, shape=self.shape, blocksize=(self.components, self.components))
        return sparse.csr_array(indices, shape=self.shape)

    def write(self, path: str | os.PathLike[str]) -> Any:
        """Writes a file .mtx (of coo), .npz or .h5, as `hooke matrix` does; returns what the command prints."""
        with Text() as text:
            self._call("hk_sparse_matrix_write", encode(path), text.pointer)
            return text.json()

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays"""
        arrays = (self.indptr, self.row, self.indices, self.data)
        return sum(int(np.prod(a.shape, dtype=np.int64)) * a.dtype.itemsize for a in arrays if a is not None)

    def __repr__(self) -> str:
        return f"<SparseMatrix {self.format}{', lower triangle' if self.symmetric else ''}: {self.shape[0]} rows, {self.data.dtype} on {self.device}>"


def matrix(model: Model | Mapping[str, Any] | str | os.PathLike[str], *, format: str = "csr", symmetric: bool = False, reduced: bool = False,
           mass: bool = False, precision: str | None = None, step: int = 0, device: str = "auto", threads: int | None = None) -> SparseMatrix:
    """K of a model as a sparse matrix on its device: csr, coo, ell or bsr; whole or its lower triangle (`symmetric`); of all unknowns, or with
    supports and ties applied, T^T K T (`reduced`); or the lumped mass. step counts from 0; device and threads are as in hooke.run.

    >>> k = hooke.matrix("bracket.yaml", reduced=True)
    >>> k.refill(scale=density ** 3).to_scipy()
    """
    return SparseMatrix(System(model, step=step, device=device, threads=threads), format, symmetric, reduced, mass, precision)
