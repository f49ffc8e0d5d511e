"""The snippets of docs/python.md run as they stand, one after another."""
import os
import pathlib
import re

import pytest

import hooke

PAGE = pathlib.Path(os.environ["HOOKE_SOURCE"]) / "docs/python.md"


@pytest.mark.filterwarnings("ignore::hooke.HookeWarning")
def test_the_snippets_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text, names = PAGE.read_text(), {}
    for found in re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S):
        line = text[:found.start()].count("\n") + 1
        exec(compile("\n" * line + found[1], str(PAGE), "exec"), names)
    said = capsys.readouterr().out
    assert said.startswith("ok {'nodes': 11476") and "solve 100%" in said and "True\n" in said and "(3, 3)" in said
    assert said.splitlines()[-1].startswith("3 [(") and "strian" in said.splitlines()[-1]
    for name in ("plate.png", "frame.png", "plate.gif", "plate.html", "plate.hooke/export", "block.hooke/run.h5"):
        assert (tmp_path / name).exists()


def test_every_name_of_the_package_has_a_docstring():
    assert [name for name in hooke.__all__ if name != "__version__" and not getattr(hooke, name).__doc__] == []
