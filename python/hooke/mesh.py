"""Meshes: nodes, elements in one block per shape, named sets. Numbers count from 0; the user's labels are beside them."""
from __future__ import annotations

import ctypes
import functools
import os
from dataclasses import dataclass
from typing import Any, Iterable, Iterator, Mapping, Union

import numpy as np
import numpy.typing as npt

from . import _library
from ._call import MessageList, raise_for, warn
from ._library import encode, encode_or_null, library
from ._memory import Handle, view
from .errors import Usage

_NODE, _ELEMENT, _FACE = range(3)
_KINDS = ("node", "element", "face")


@functools.lru_cache(maxsize=None)
def _shapes() -> dict[str, int]:
    """Shapes by name: those that the library has a number of nodes for, up to HK_AXIS_P: the library alone makes those on an axis."""
    lib, most = library(), 60
    return {lib.hk_shape_name(shape).decode(): shape for shape in range(most) if lib.hk_shape_nodes(shape) > 0}


def _coordinates(x: npt.ArrayLike) -> np.ndarray:
    if np.iscomplexobj(x):
        raise Usage("x: coordinates must be real, not complex")
    if np.ma.is_masked(x):
        raise Usage("x: every node needs coordinates, but some are masked")
    return np.ascontiguousarray(x, np.float64)


def _numbers(values: npt.ArrayLike, dtype: npt.DTypeLike, what: str) -> np.ndarray:
    """Whole numbers as a contiguous array of the library's type."""
    if np.ma.is_masked(values):
        raise Usage(f"{what}: some numbers are masked: give values.compressed(), or fill them")
    given, limits = np.asarray(values), np.iinfo(dtype)
    if given.size and (given.dtype.kind not in "iu" or given.min() < limits.min or given.max() > limits.max):
        hint = "; of a mask give np.flatnonzero(mask)" if given.dtype.kind == "b" else ""
        raise Usage(f"{what}: must be whole numbers from {limits.min} to {limits.max}{hint}")
    return np.ascontiguousarray(given, dtype)


def _list(values: npt.ArrayLike, dtype: npt.DTypeLike, what: str) -> np.ndarray:
    """Whole numbers in a row."""
    found = np.atleast_1d(_numbers(values, dtype, what))
    if found.ndim != 1:
        raise Usage(f"{what}: must be a list of numbers, not an array of shape {found.shape}")
    return found


@dataclass(frozen=True)
class Block:
    """Elements of one shape: those numbered first ... first + len(node) - 1. node[element][node of element], Abaqus's order."""

    shape: str
    first: int
    node: np.ndarray


@dataclass(frozen=True)
class MeshQuality:
    """Lengths are in the mesh's units; box[2][dim] = least and greatest coordinates."""

    inverted: int
    zero_volume: int
    orphan_nodes: int
    parts: int
    flipped: int
    smallest_jacobian_ratio: float
    worst_element: int
    shortest_edge: float
    longest_edge: float
    volume: float
    box: np.ndarray


class Sets(Mapping[str, Any]):
    """Sets of one kind by name. Of nodes and elements: number[i], ascending. Of faces: (element[i], face of it[i])."""

    def __init__(self, handle: Handle, kind: int):
        self._handle, self._kind = handle, kind
        self._found = {}
        mesh = handle.pointer.contents
        for i in range(mesh.set_count):
            if mesh.set[i].kind == kind:
                self._found[mesh.set[i].name.decode(errors="replace")] = i

    def __getitem__(self, name: str) -> Any:
        if name not in self._found:
            raise KeyError(f"the mesh has no {_KINDS[self._kind]} set {name!r}: there are {', '.join(self._found) or 'none'}")
        found = self._handle.pointer.contents.set[self._found[name]]
        item = view(self._handle, found.item, (found.count,), np.int32)
        return (item, view(self._handle, found.face, (found.count,), np.uint8)) if self._kind == _FACE else item

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        return f"<{_KINDS[self._kind]} sets: {', '.join(self._found) or 'none'}>"


Blocks = Union[Mapping[str, npt.ArrayLike], Iterable[tuple[str, npt.ArrayLike]]]


def _block_desc(shape: str, nodes: npt.ArrayLike, keep: list[np.ndarray]) -> _library.hk_mesh_block_desc:
    number, each = _shapes()[shape], library().hk_shape_nodes(_shapes()[shape])
    node = _numbers(nodes, np.int32, shape)
    if node.ndim != 2 or node.shape[1] != each:
        raise Usage(f"{shape} must be an array of elements by {each} nodes, not of shape {node.shape}")
    keep.append(node)
    return _library.hk_mesh_block_desc(number, len(node), node.ctypes.data)


def _set_desc(kind: int, name: str, items: Any, keep: list[np.ndarray]) -> _library.hk_mesh_set_desc:
    element, face = items if kind == _FACE else (items, None)
    keep.append(item := _list(element, np.int32, f"set {name}"))
    desc = _library.hk_mesh_set_desc(encode(name), kind, len(item), item.ctypes.data)
    if face is not None:
        keep.append(faces := _list(face, np.uint8, f"faces of set {name}"))
        if faces.shape != item.shape:
            raise Usage(f"set {name}: {item.size} elements, but {faces.size} faces")
        desc.face = faces.ctypes.data
    return desc


class Mesh:
    """A mesh of the library. All arrays are views of its memory: read-only, valid as long as one of them is.

    >>> mesh = hooke.Mesh.read("plate.msh")
    >>> mesh.x[mesh.node_sets["left"]]
    """

    def __init__(self, handle: Handle):
        self._handle = handle

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Mesh:
        """Reads .msh (Gmsh 2.2, 4.1), .inp[.gz], .vtu, .vtkhdf by the file's contents. BadInput with all errors found."""
        pointer = ctypes.POINTER(_library.hk_mesh)()
        with MessageList() as messages:
            raise_for(library().hk_mesh_read(encode(path), messages.handle, pointer), said := messages.read())
        warn(said)
        return cls(Handle("hk_mesh_destroy", pointer))

    @classmethod
    def from_arrays(cls, x: npt.ArrayLike, blocks: Blocks, *, node_sets: Mapping[str, npt.ArrayLike] = {},
                    element_sets: Mapping[str, npt.ArrayLike] = {},
                    face_sets: Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike]] = {}, node_label: npt.ArrayLike | None = None,
                    element_label: npt.ArrayLike | None = None, name: str | None = None) -> Mesh:
        """A mesh of copies of these arrays, checked as those of files are; BadInput with all reasons.

        x[node][dim], in the mesh's units; a third column that is 0 is left out when all elements are plane, as Gmsh gives it.
        blocks: {"tri3": node[element][3], ...} or a list of such pairs, one per shape; nodes from 0, in Abaqus's order; elements are
        numbered block by block. node_sets, element_sets: {name: number[...]}; face_sets: {name: (element[...], face[...])}, faces
        from 0. Labels count from 1 unless given.
        """
        pairs = list(blocks.items() if isinstance(blocks, Mapping) else blocks)
        for shape, _ in pairs:
            if shape not in _shapes():
                raise Usage(f"unknown element shape {shape!r}: there are {', '.join(_shapes())}")
        place = _coordinates(x)
        if place.ndim == 2 and place.shape[1] == 3 and not place[:, 2].any() and all(
                library().hk_shape_dim(_shapes()[shape]) == 2 for shape, _ in pairs):
            place = np.ascontiguousarray(place[:, :2])
        if place.ndim != 2 or place.shape[1] not in (2, 3):
            raise Usage(f"x must be an array of nodes by 2 or 3 coordinates, not of shape {place.shape}")
        keep: list[np.ndarray] = [place]  # what the descriptor points to
        desc = _library.hk_mesh_desc(name=encode_or_null(name), dim=place.shape[1], node_count=len(place), x=place.ctypes.data)
        for field, labels, count in (("node_label", node_label, len(place)), ("element_label", element_label, None)):
            if labels is not None:
                keep.append(_numbers(labels, np.int64, field))
                expected = sum(len(nodes) for _, nodes in pairs) if count is None else count
                if keep[-1].shape != (expected,):
                    raise Usage(f"{field} must have {expected} labels, not the shape {keep[-1].shape}")
                setattr(desc, field, keep[-1].ctypes.data)
        described = [_block_desc(shape, nodes, keep) for shape, nodes in pairs]
        sets = [_set_desc(kind, name, items, keep) for kind, group in enumerate((node_sets, element_sets, face_sets))
                for name, items in group.items()]
        desc.block, desc.block_count = (_library.hk_mesh_block_desc * len(described))(*described), len(described)
        desc.set, desc.set_count = (_library.hk_mesh_set_desc * len(sets))(*sets), len(sets)
        pointer = ctypes.POINTER(_library.hk_mesh)()
        with MessageList() as messages:
            raise_for(library().hk_mesh_create(desc, messages.handle, pointer), said := messages.read())
        warn(said)
        return cls(Handle("hk_mesh_destroy", pointer))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes by the name's ending: .msh, .inp, .vtu, .vtkhdf."""
        raise_for(library().hk_mesh_write(self._handle.pointer, encode(path)))

    @property
    def _mesh(self) -> _library.hk_mesh:
        return self._handle.pointer.contents

    @property
    def dim(self) -> int:
        """2 or 3"""
        return self._mesh.dim

    @property
    def node_count(self) -> int:
        """Nodes of the mesh"""
        return self._mesh.node_count

    @property
    def element_count(self) -> int:
        """Elements of all blocks"""
        return self._mesh.element_count

    @property
    def x(self) -> np.ndarray:
        """x[node][dim], in the mesh's units"""
        return view(self._handle, self._mesh.x, (self.node_count, self.dim), np.float64)

    @property
    def blocks(self) -> list[Block]:
        """In ascending order of `first`."""
        found = (self._mesh.block[i] for i in range(self._mesh.block_count))
        return [Block(library().hk_shape_name(b.shape).decode(), b.first,
                      view(self._handle, b.node, (b.count, b.nodes), np.int32)) for b in found]

    @property
    def node_label(self) -> np.ndarray:
        """node_label[node]: the user's numbers"""
        return self._labels(self._mesh.node_label, self.node_count)

    @property
    def element_label(self) -> np.ndarray:
        """element_label[element]: the user's numbers"""
        return self._labels(self._mesh.element_label, self.element_count)

    def _labels(self, pointer: Any, count: int) -> np.ndarray:
        return view(self._handle, pointer, (count,), np.int64) if pointer else np.arange(1, count + 1)

    @property
    def node_sets(self) -> Sets:
        """Node sets by name: number[i], ascending"""
        return Sets(self._handle, _NODE)

    @property
    def element_sets(self) -> Sets:
        """Element sets by name: number[i], ascending"""
        return Sets(self._handle, _ELEMENT)

    @property
    def face_sets(self) -> Sets:
        """Face sets by name: (element[i], face of it[i]), faces from 0 in Abaqus's order"""
        return Sets(self._handle, _FACE)

    def find_node(self, label: int) -> int:
        """Number of the node that the user calls `label`; KeyError if there is none."""
        return self._find(library().hk_mesh_find_node, label, "node")

    def find_element(self, label: int) -> int:
        """Number of the element that the user calls `label`; KeyError if there is none."""
        return self._find(library().hk_mesh_find_element, label, "element")

    def _find(self, find: Any, label: int, what: str) -> int:
        number = find(self._handle.pointer, int(label)) if -2**63 <= int(label) < 2**63 else -1
        if number < 0:
            raise KeyError(f"the mesh has no {what} {label}")
        return number

    def quality(self) -> MeshQuality:
        """Jacobians, edges, parts, box."""
        q = _library.hk_mesh_quality()
        raise_for(library().hk_mesh_measure(self._handle.pointer, q))
        values = {name: getattr(q, name) for name, *_ in q._fields_}
        return MeshQuality(**{**values, "box": np.array(q.box)[:, :self.dim]})

    def __repr__(self) -> str:
        shapes = ", ".join(f"{len(b.node)} {b.shape}" for b in self.blocks)
        return f"<Mesh in {self.dim}D: {self.node_count} nodes, {shapes or 'no elements'}>"
