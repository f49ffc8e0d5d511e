"""The names of the package: what `__all__` names here is `hooke.NAME`."""
from ._library import __version__
from ._run import run
from ._verbs import bench, check, compare, convert, devices, example, examples, export, film, info, partition, report, schema, selftest
from ._watch import Progress
from .errors import (BadInput, CheckFailed, Error, HookeWarning, Internal, Message, NotConverged, NotWritable, OutOfMemory, Stopped,
                     Unstable, Usage)
from .injection import inject, write_injection
from .mesh import Block, Mesh, MeshQuality
from .model import Model
from .parts import (Absorb, Array, Boundary, Coupled, Crack, Explicit, FieldOutput, Gaussian, Heat, Initial, Material, PeakOutput, PictureOutput, Place,
                    PrintOutput, Ricker, Source, Static, Step, Table, Toneburst, TraceOutput)
from .result import Field, Frame, Result, Trace, Values
from .sparse import DeviceArray, SparseMatrix, matrix
from .system import Held, System

open = Result  # not in __all__: a star import leaves Python's own open alone

__all__ = [
    "Absorb", "Array", "BadInput", "Block", "Boundary", "CheckFailed", "Coupled", "Crack", "DeviceArray", "Error", "Explicit", "Field", "FieldOutput", "Frame",
    "Gaussian", "Heat", "Held", "HookeWarning", "Initial", "Internal", "Material", "Mesh", "MeshQuality", "Message", "Model", "NotConverged",
    "NotWritable", "OutOfMemory", "PeakOutput", "PictureOutput", "Place", "PrintOutput", "Progress", "Result", "Ricker", "Source", "SparseMatrix", "Static", "Step", "Stopped", "System",
    "Table", "Toneburst", "Trace", "TraceOutput", "Unstable", "Usage", "Values", "__version__", "bench", "check", "compare", "convert", "devices",
    "example", "examples", "export", "film", "info", "inject", "matrix", "partition", "report", "run", "schema", "selftest", "write_injection"]
