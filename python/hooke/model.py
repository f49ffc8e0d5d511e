"""Models: a case file or deck, or a case put together in code."""
from __future__ import annotations

import ctypes
import json
import os
import re
from typing import TYPE_CHECKING, Any, Mapping, Sequence

from . import _library
from ._call import MessageList, error_of, warn
from ._library import encode, library, texts
from ._memory import Handle
from ._watch import Watch, settle
from .errors import Message, Usage
from .mesh import Mesh
from .parts import Material, Output, Solve, listed, outputs_case, to_case

if TYPE_CHECKING:
    from .result import Result
    from .system import System

_ENDINGS = re.compile(r"\.(gz|inp|yaml|yml|json|msh|vtu|vtkhdf)$", re.I)


# What JSON may hold as it is and libyaml refuses or takes as the end of a line; it refuses escaped pairs of surrogates too, so that
# nothing else is escaped.
_NO_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


def _json(value: Any, indent: int | None = None) -> str:
    """JSON that a reader of YAML takes."""
    return _NO_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False, indent=indent))


def _overrides(keys: Mapping[str, Any] | None) -> list[str]:
    """{"solve.explicit.end": "20 us"} -> ["solve.explicit.end=20 us"]"""
    return [f"{key}={value if isinstance(value, str) else _json(to_case(value))}" for key, value in (keys or {}).items()]


class Model:
    """A model in code: the keys of the case file as arguments, parts as dataclasses or plain dicts, the mesh as a Mesh, a path or a
    dict of a generator.

    >>> hooke.Model(mesh={"rectangle": {"size": ["60 mm", "30 mm"], "element": "0.3 mm"}},
    ...             materials=hooke.Material(density="7850 kg/m^3", young="210 GPa", poisson=0.3),
    ...             sources=[hooke.Source(at=[0.03, 0.03], force="1 N", direction=[0, -1],
    ...                                   signal=hooke.Toneburst(frequency="0.5 MHz", cycles=3))],
    ...             outputs=[hooke.FieldOutput(quantity="velocity", frames=40)],
    ...             solve=hooke.Explicit(end="20 us")).run()

    materials: {name: Material}, or one. regions: {element set: name of a material}; not needed with one material. sets:
    {name: Place}. fields: {name: map} of grids in files and random media, which formulas use by name. outputs: one or a list of TraceOutput, FieldOutput, PeakOutput, PrintOutput, PictureOutput, or the case's own map. `name` names the result
    folder; relative paths begin at `folder`. Values are checked by the library, when the model is first used: BadInput then holds all
    errors at once. An argument that is None is not there; None in a dict is an empty value, as `static:` is in YAML.
    """

    def __init__(self, mesh: Mesh | str | os.PathLike[str] | Mapping[str, Any] | None = None,
                 materials: Material | Mapping[str, Any] | None = None, *, name: str = "model", title: str | None = None,
                 units: Mapping[str, str] | str | None = None, physics: str | None = None, plane: str | None = None,
                 thickness: float | str | None = None, element: Mapping[str, Any] | None = None,
                 regions: Mapping[str, Any] | None = None, boundary: Sequence[Any] | None = None, initial: Sequence[Any] | None = None,
                 sources: Sequence[Any] | None = None, absorb: Any = None, sets: Mapping[str, Any] | None = None, crack: Any = None,
                 fields: Mapping[str, Any] | None = None, damping: Mapping[str, Any] | None = None,
                 axes: Mapping[str, Any] | None = None, equations: Sequence[Any] | None = None, shots: Any = None,
                 outputs: Mapping[str, Any] | Output | Sequence[Output] | None = None, solve: Solve | Mapping[str, Any] | None = None,
                 folder: str | os.PathLike[str] = ".", run_gmsh: bool = False, **more: Any):
        keys = {"title": title, "units": units, "mesh": None if isinstance(mesh, Mesh) else mesh, "physics": physics, "plane": plane,
                "thickness": thickness, "element": element, "sets": sets, "crack": crack, "fields": fields,
                "materials": {"material": materials} if isinstance(materials, Material) else materials, "regions": regions,
                "axes": axes, "equations": equations, "boundary": listed(boundary), "initial": listed(initial), "damping": damping,
                "sources": listed(sources), "absorb": absorb, "shots": shots, "solve": solve, **more}
        if outputs is not None:
            keys["outputs"] = outputs_case(outputs)
        self._mesh = mesh if isinstance(mesh, Mesh) else None
        self._case: dict[str, Any] | None = to_case({key: value for key, value in keys.items() if value is not None})
        self._path: str | None = None
        self._set: list[str] = []
        self._handle: Handle | None = None
        self._folder = folder
        self._run_gmsh = run_gmsh
        self.name = name
        self.messages: list[Message] = []

    @classmethod
    def read(cls, path: str | os.PathLike[str], set: Mapping[str, Any] | None = None, run_gmsh: bool = False) -> Model:
        """Reads a case file (.yaml, .json) or a deck (.inp, .inp.gz) now. set: {"solve.explicit.end": "20 us"} overrides keys
        of the case. run_gmsh: a .geo file, which is a program, is given to gmsh. BadInput with all errors found."""
        model = cls._of_path(path, set)
        model._run_gmsh = run_gmsh
        model.handle()
        return model

    @classmethod
    def _of_path(cls, path: str | os.PathLike[str], set: Mapping[str, Any] | None) -> Model:
        path = os.fsdecode(path)
        name = os.path.basename(path)
        while _ENDINGS.search(name):
            name = _ENDINGS.sub("", name)
        model = cls(name=name)
        model._case, model._path, model._set = None, path, _overrides(set)
        return model

    @classmethod
    def of_case(cls, case: Mapping[str, Any], *, mesh: Mesh | None = None, set: Mapping[str, Any] | None = None,
                name: str = "model") -> Model:
        """A case as the case file would hold it; `mesh` there, or as an argument, may be a Mesh."""
        if isinstance(case.get("mesh"), Mesh):
            if mesh is not None:
                raise Usage("the mesh is given twice: in the case and as an argument")
            case, mesh = {key: value for key, value in case.items() if key != "mesh"}, case["mesh"]
        model = cls(name=name)
        model._case, model._mesh, model._set = to_case(case), mesh, _overrides(set)
        return model

    @classmethod
    def of(cls, model: Model | Mapping[str, Any] | str | os.PathLike[str], set: Mapping[str, Any] | None = None) -> Model:
        """A Model of a path, a case as a dict, or a Model; with overrides of keys."""
        if isinstance(model, Mapping):
            return cls.of_case(model, set=set)
        if not isinstance(model, Model):
            return cls._of_path(model, set)
        if not set:
            return model
        copy = cls(name=model.name, folder=model._folder, run_gmsh=model._run_gmsh)
        copy._case, copy._mesh, copy._path, copy._set = model._case, model._mesh, model._path, model._set + _overrides(set)
        return copy

    @property
    def case(self) -> dict[str, Any] | None:
        """The case file's contents, a copy; None of a model that is a file."""
        return json.loads(json.dumps(self._case)) if self._case is not None else None

    def text(self) -> str | None:
        """The case as JSON, to which lines and columns of messages refer; None of a model that is a file."""
        return _json(self._case, indent=1) if self._case is not None else None

    @property
    def mesh(self) -> Mesh:
        """The mesh that the model is solved on; the library's own, which lives as long as it is used."""
        handle = self.handle()
        return Mesh(Handle(None, library().hk_model_mesh(handle.pointer), handle))

    def handle(self) -> Handle:
        """The library's model, read and checked at the first call."""
        if self._handle is None:
            with MessageList() as messages:
                desc, pointer = self._desc(), ctypes.c_void_p()
                status, words, raised = Watch(desc).wait(lambda: library().hk_model_create(desc, messages.handle, pointer))
                self.messages = messages.read()
            if raised or status:
                library().hk_model_destroy(pointer)
                settle(words, raised)
                raise error_of(status, words, self.messages)
            self._handle = Handle("hk_model_destroy", pointer)
            warn(self.messages)
        return self._handle

    def _desc(self) -> _library.hk_model_desc:
        desc = _library.hk_model_desc(set=texts(self._set), set_count=len(self._set), run_gmsh=self._run_gmsh)
        if self._path is not None:
            desc.path = encode(self._path)
        else:
            desc.text, desc.name, desc.folder = (self.text() or "").encode(), encode(self.name), encode(self._folder)
            if self._mesh is not None:
                desc.mesh = self._mesh._handle.pointer
        return desc

    def run(self, **options: Any) -> Result:
        """Solves it: hooke.run(self, ...)."""
        from ._run import run
        return run(self, **options)

    def check(self, **options: Any) -> dict[str, Any]:
        """What solving it will take: hooke.check(self, ...)."""
        from ._verbs import check
        return check(self, **options)

    def system(self, **options: Any) -> System:
        """Its matrices and vectors: hooke.System(self, ...)."""
        from .system import System
        return System(self, **options)

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles are read anew."""
        return {**vars(self), "_handle": None}

    def __repr__(self) -> str:
        return f"<Model {self._path or self.name}>"
