"""The library's words name options and verbs of the command; here they become what a caller in Python writes.

An option `--force` is a parameter of a function of this package, or nothing is done. `--output` -> `output`; one that is on or off,
`--force` -> `force=True`; with its value, `--precision=double` -> `precision="double"`, `--size=512` -> `size=512`;
`hooke partition --size=512` in backquotes -> `hooke.partition(size=512)`.

Only the library's own phrases are turned: a file, a set or a title may well have `--force` in it.
"""
from __future__ import annotations

import functools
import inspect
import re

_OPTION = re.compile(r'(?<![^\s("`])--([a-z]+(?:-[a-z]+)*)(?:=("[^"]*"|[^\s,;:)`"]+))?')
_OURS = re.compile("|".join((
    r"make larger ones \(--size\)", r"among more devices \(--device\)",
    r"--set (?=.*: (?:of a deck only|there is no such|must be one of its keys))", r"^--blocks(?=.*: (?:goes with |only explicit steps ))",
    r"continue with --restart", r'is kept: give --restart="[^"]*", or start again with --force', r"to --output, or --force to write among them",
    r"give --force to overwrite it, or another --output", r"give --restart to continue, or --force to start again",
    r"give another --output, or --force to overwrite it", r"give another --output", r"give --force to overwrite them, or another --output",
    r"run the model that wrote it, or start again with --force",
    r"give --run-gmsh to run or check if you trust it", r"\.geo with --run-gmsh\)", r"give --precision=double$",
    r", or --precision=double where a body drifts", r"; use --set solve\.explicit\.method=[a-z-]+", r"use --(?:csv|sac)$", r"use --segy(?=, or read run\.h5)", r"name several \(--device(?= A,B\), or no link)",
    r"name one with --(?:trace|component)(?=: )", r"give the speed: --speed", r"cscan with --shot", r"name another --output$")))
_VERB = re.compile(r"`hooke ([a-z]+)((?: --[^\s`]+)*)`")


@functools.lru_cache(maxsize=None)
def _parameters() -> dict[str, bool]:
    """Every parameter of the functions that are verbs, and whether it is on or off, or can be; run_gmsh is a model's."""
    from . import _run, _verbs, image
    return {"run_gmsh": True} | {name: str(parameter.annotation).startswith("bool") for module in (_run, _verbs, image)
            for function_name, function in inspect.getmembers(module, inspect.isfunction)
            if not function_name.startswith("_") and function.__module__ == module.__name__
            for name, parameter in inspect.signature(function).parameters.items()}


def _argument(option: re.Match[str]) -> str:
    name, value = option[1].replace("-", "_"), option[2]
    known = _parameters()
    if name.startswith("no_") and known.get(name[3:]):
        return f"{name[3:]}=False"
    if name not in known:
        return option[0]
    if value is not None:
        return f"{name}={value}" if re.fullmatch(r'".*"|[-+.\d]+(e[-+]?\d+)?', value) else f'{name}="{value}"'
    return f"{name}=True" if known[name] else name


def _call(verb: re.Match[str]) -> str:
    return f"`hooke.{verb[1]}({', '.join(_argument(option) for option in _OPTION.finditer(verb[2]))})`"


def arguments(words: str) -> str:
    """`words` with arguments for options."""
    return _OPTION.sub(_argument, words)


def in_python(words: str) -> str:
    """A message with arguments for options, and functions for verbs, where they are the library's and not the user's."""
    return _OURS.sub(lambda ours: arguments(ours[0]), _VERB.sub(_call, words)) if "--" in words or "`hooke " in words else words
