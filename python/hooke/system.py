"""The discrete system of a model: K, M, f and what is held, for numpy and scipy."""
from __future__ import annotations

import ctypes
import os
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Mapping

import numpy as np
import numpy.typing as npt

from . import _library
from ._call import MessageList, error_of, last_words, warn
from ._library import integer, library
from ._memory import Handle, view
from ._run import describe
from ._watch import Progress, Watch, listener, settle
from .errors import Error, Usage
from .mesh import Mesh
from .model import Model

if TYPE_CHECKING:
    from scipy.sparse import bsr_array, csr_array
    from scipy.sparse.linalg import LinearOperator
    from .sparse import SparseMatrix

_ROWS, _BLOCKS, _FREE = range(3)


class _Handle(Handle):
    """A hk_system, and what it borrows, which goes after it."""

    def __init__(self, model: Model, desc: _library.hk_run_desc):
        super().__init__("hk_system_destroy", ctypes.c_void_p())
        self.lock = threading.RLock()
        self.model, self.desc, self.messages, self.watch = model.handle(), desc, MessageList(), Watch(desc)


class _Matrix:
    """A hk_matrix, freed with the last array that looks into it."""

    _clear: Any = None  # where there is no library to load

    def __init__(self) -> None:
        self.c, self._clear = _library.hk_matrix(), library().hk_matrix_clear

    def __del__(self) -> None:
        if self._clear:
            self._clear(self.c)


@dataclass(frozen=True)
class Held:
    """u[dof[i]] = offset[i] + sum of weight[k] u[master[k]], begin[i] <= k < begin[i + 1]; a prescribed value without masters."""

    dof: np.ndarray
    begin: np.ndarray
    master: np.ndarray
    weight: np.ndarray
    offset: np.ndarray


class System:
    """K u = f of static steps and heat, M u'' + K u = f(t) of explicit ones; u = T w + offset with w the free degrees of freedom.

    Degree of freedom node * components + component; all vectors [dofs] in double, in the model's units. `step` counts from 0; in
    explicit steps load and prescribed values are those at `time` from its beginning. device, precision (of the products with K;
    double unless "single"), threads and blocks are as in hooke.run.

    >>> system = hooke.Model.read("bracket.yaml").system()
    >>> u = system.solve()
    >>> abs(system.K @ u - system.load)[system.free].max()
    """

    def __init__(self, model: Model | Mapping[str, Any] | str | os.PathLike[str], *, step: int = 0, time: float = 0.0,
                 device: str = "auto", precision: str | None = None, threads: int | None = None,
                 blocks: str | os.PathLike[str] | None = None):
        self._model = Model.of(model)
        self._handle = h = _Handle(self._model, describe(device=device, precision=precision, threads=threads, blocks=blocks))
        status, words, raised = h.watch.wait(lambda: library().hk_system_create(h.model.pointer, h.desc, h.messages.handle, h.pointer))
        settle(words, raised)
        if status:
            raise error_of(status, words, [*self._model.messages, *h.messages.read()])
        warn(h.messages.read())
        self.mesh: Mesh = self._model.mesh
        self.components: int = library().hk_system_components(h.pointer)
        self.dofs: int = library().hk_system_dofs(h.pointer)
        self.form: str = library().hk_system_form(h.pointer).decode()
        self.symmetric: bool = library().hk_system_symmetric(h.pointer)
        self._failed: str | None = None
        self._frequency: float | None = None
        if step or time:
            self.take(step, time)

    def _call(self, name: str, *arguments: Any) -> Any:
        """Calls of one system come one after another, from whatever thread."""
        with self._handle.lock:
            if self._failed and name != "hk_system_take":
                raise Usage(f"the system has no step, because it could not be taken: {self._failed}")
            before = len(self._handle.messages)
            result = getattr(library(), name)(self._handle.pointer, *arguments)
            if _library.FUNCTIONS[name][0] is _library.STATUS:
                self._tell(result, last_words(result) if result else "", before)
            return result

    def _tell(self, status: int, words: str, before: int) -> None:
        """Raises or warns, by the messages that came after the first `before`: the list is one for the life of the system."""
        said = self._handle.messages.read(before)
        if status:
            raise error_of(status, words, said)
        warn(said)

    def _vector(self, u: npt.ArrayLike) -> np.ndarray:
        """u[dofs], in double or complex double."""
        if np.ma.is_masked(u):
            raise Usage("the vector has masked values: give u.filled(value)")
        given = np.asarray(u)
        given = np.ascontiguousarray(given, np.complex128 if given.dtype.kind == "c" else np.float64)
        if given.shape not in ((self.dofs,), (self.dofs, 1), (self.dofs // self.components, self.components)):
            raise Usage(f"u must be a vector of {self.dofs} degrees of freedom, or an array of {self.dofs // self.components} nodes by "
                        f"{self.components} components, not the shape {given.shape}")
        return given.reshape(self.dofs)

    def _filled(self, name: str) -> np.ndarray:
        out = np.empty(self.dofs)
        self._call(name, out.ctypes.data)
        return out

    def take(self, step: int, time: float = 0.0) -> None:
        """Takes constraints, load and films of another step or time."""
        number, at = integer(step), float(time)
        with self._handle.lock:
            self._failed = self._frequency = None
            try:
                self._call("hk_system_take", number, at)
            except Error as error:
                self._failed = str(error)
                raise

    def apply(self, u: npt.ArrayLike) -> np.ndarray:
        """K u[dofs], on the device; the same bits each time. Of complex u: K Re u + i K Im u."""
        given = self._vector(u)
        if np.iscomplexobj(given):
            return self.apply(given.real) + 1j * self.apply(given.imag)
        out = np.empty(self.dofs)
        self._call("hk_system_apply", given.ctypes.data, out.ctypes.data)
        return out

    @property
    def K(self) -> LinearOperator:
        """K as scipy's LinearOperator, never assembled unless the model's form is; without products with K^T where K is not symmetric."""
        from scipy.sparse.linalg import LinearOperator
        transposed = self.apply if self.symmetric else None
        return LinearOperator((self.dofs, self.dofs), matvec=self.apply, rmatvec=transposed, dtype=np.float64)

    def _matrix(self, kind: int) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
        owner = _Matrix()
        self._call("hk_system_matrix", kind, owner.c)
        c = owner.c
        value = view(owner, c.value, (c.entries, c.size, c.size) if kind == _BLOCKS else (c.entries,), np.float64, writable=True)
        column = view(owner, c.column, (c.entries,), np.int32, writable=True)
        start = view(owner, c.row_start, (c.rows + 1,), np.int64, writable=True)
        dof = view(owner, c.dof, (c.rows,), np.int32) if kind == _FREE else np.arange(self.dofs, dtype=np.int32)
        return (value, column, start), dof

    def matrix(self, blocks: bool = False) -> csr_array | bsr_array:
        """K[dofs][dofs] in scipy's compressed rows, or with `blocks` in its rows of blocks [components][components]; values are not
        copied."""
        from scipy import sparse
        arrays, _ = self._matrix(_BLOCKS if blocks else _ROWS)
        shape = (self.dofs, self.dofs)
        if blocks:
            return sparse.bsr_array(arrays, shape=shape, blocksize=(self.components, self.components))
        return sparse.csr_array(arrays, shape=shape)

    def free_matrix(self) -> tuple[csr_array, np.ndarray]:
        """T^T K T in compressed rows, and dof[row], its free degrees of freedom; `right` is what stands on the other side."""
        from scipy import sparse
        arrays, dof = self._matrix(_FREE)
        return sparse.csr_array(arrays, shape=(len(dof), len(dof))), dof

    def sparse(self, format: str = "csr", symmetric: bool = False, reduced: bool = False, mass: bool = False,
               precision: str | None = None) -> SparseMatrix:
        """K on the system's device, to be refilled in place: hooke.SparseMatrix(self, ...)."""
        from .sparse import SparseMatrix
        return SparseMatrix(self, format, symmetric, reduced, mass, precision)

    @property
    def load(self) -> np.ndarray:
        """f[dofs]; in explicit steps nothing on what is prescribed"""
        with self._handle.lock:
            return view(self._handle, self._call("hk_system_load"), (self.dofs,), np.float64).copy()

    @property
    def held(self) -> Held:
        """What is prescribed, or tied to others."""
        with self._handle.lock:
            h = self._call("hk_system_held")
            n = int(h.count)
            begin = view(self._handle, h.begin, (n + 1,), np.int32).copy() if h.begin else np.zeros(n + 1, np.int32)
            count = int(begin[-1])
            arrays = ((h.dof, n, np.int32), (h.master, count, np.int32), (h.weight, count, np.float64), (h.offset, n, np.float64))
            dof, master, weight, offset = (view(self._handle, p, (size,), kind).copy() for p, size, kind in arrays)
            return Held(dof, begin, master, weight, offset)

    @property
    def fixed(self) -> np.ndarray:
        """fixed[dofs]: whether it is prescribed or tied to others"""
        found = np.zeros(self.dofs, bool)
        found[self.held.dof] = True
        return found

    @property
    def free(self) -> np.ndarray:
        """free[dofs]: not fixed, and of a node that an element has; where the form can be a matrix, free_matrix's dof"""
        in_element = np.zeros(self.dofs // self.components, bool)
        for block in self.mesh.blocks:
            in_element[block.node] = True
        return np.repeat(in_element, self.components) & ~self.fixed

    @property
    def right(self) -> np.ndarray:
        """b[dofs] = T^T (f - K offset), zero where it is fixed"""
        return self._filled("hk_system_right")

    def fill(self, u: npt.ArrayLike) -> np.ndarray:
        """u[dofs] with what is held computed from the free ones, T w + offset; a new array. Of complex u the offset is real."""
        given = self._vector(u)
        if np.iscomplexobj(given):
            return self.fill(given.real) + 1j * (self.fill(given.imag) - self.fill(np.zeros(self.dofs)))
        out = given.copy()
        self._call("hk_system_fill", out.ctypes.data)
        return out

    def solve(self, progress: Callable[[Progress], Any] | None = None) -> np.ndarray:
        """u[dofs] of a static or heat step, by the method that the model names, as hooke.run finds it. Ctrl-C stops it."""
        told, out = listener(progress), np.empty(self.dofs)
        with self._handle.lock:
            if self._failed:
                raise Usage(f"the system has no step, because it could not be taken: {self._failed}")
            before = len(self._handle.messages)
            status, words, raised = self._handle.watch.wait(
                lambda: library().hk_system_solve(self._handle.pointer, out.ctypes.data), told)
            settle(words, raised)
            self._tell(status, words, before)
        return out

    @property
    def mass(self) -> np.ndarray:
        """m[dofs]: the lumped mass; of fluids volume / bulk modulus"""
        return self._filled("hk_system_mass")

    @property
    def frequency(self) -> float:
        """The largest angular frequency of K v = omega^2 M v, by iteration, from below to 1e-3"""
        with self._handle.lock:
            if self._frequency is None:
                omega = ctypes.c_double()
                self._call("hk_system_frequency", omega)
                self._frequency = omega.value
            return self._frequency

    @property
    def max_eigenvalue(self) -> float:
        """The largest lambda of K v = lambda M v: frequency^2"""
        return self.frequency ** 2

    @property
    def stable_dt(self) -> float:
        """2 / frequency: central differences are stable below"""
        return 2 / self.frequency

    @property
    def time_step(self) -> float | None:
        """dt of a run of the explicit step; None of others"""
        return self._call("hk_system_time_step") or None

    @property
    def coordinates(self) -> np.ndarray:
        """x[node][dim] of the model's mesh, in its units; a view"""
        return self.mesh.x

    def by_node(self, u: npt.ArrayLike) -> np.ndarray:
        """u[node][component] of u[dofs]"""
        return self._vector(u).reshape(-1, self.components)

    def __repr__(self) -> str:
        return f"<System: {self.dofs} degrees of freedom, K by {self.form}>"
