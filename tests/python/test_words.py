"""Words of errors name arguments and functions of the package where the command's name options and verbs."""
import pathlib
import re

import pytest

import hooke
import models
from hooke._words import arguments, in_python

SOURCES = pathlib.Path(__file__).parents[2] / "src"
NO_MESSAGES = {"report/report.c", "device/cuda/nvrtc.c", "input/example_text.c", "input/case/keys/tree.c"}
# a style sheet, a compiler's options, comments of a file, the place of what `set` gave
OPTION = re.compile(r'(?<![\w-])--[a-z]')


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def literals():
    """(file, literal that names an option or a verb) of the library"""
    for path in sorted(SOURCES.rglob("*.c")):
        name = path.relative_to(SOURCES).as_posix()
        if name not in NO_MESSAGES:
            text = re.sub(r'"\s*\n\s*"', "", path.read_text())
            yield from ((name, m[1].replace('\\"', '"')) for m in re.finditer(r'"((?:[^"\\\n]|\\.)*)"', text) if OPTION.search(m[1]) or "`hooke " in m[1])


def test_every_option_that_the_library_names_is_an_argument():
    found = list(literals())
    assert len(found) > 10
    assert [(name, said) for name, text in found if OPTION.search(said := in_python(text)) or "`hooke " in said] == []
    verbs = {m[1] for _, text in found for m in re.finditer(r"`hooke\.(\w+)\(", in_python(text))}
    assert verbs and all(callable(getattr(hooke, verb)) for verb in verbs)


@pytest.mark.parametrize("command, python", [
    ("give --force to overwrite it, or another --output", "give force=True to overwrite it, or another output"),
    ("continue with --restart", "continue with restart=True"),
    ('give --restart="a b/checkpoint.h5.old", or start', 'give restart="a b/checkpoint.h5.old", or start'),
    (", or --precision=double where", ', or precision="double" where'),
    ("(--size)", "(size)"),
    ("use --field-format=vtu", 'use field_format="vtu"'), ("--no-pictures", "pictures=False"), ("use --csv", "use csv=True"),
    ("/a--force/x: --nothing", "/a--force/x: --nothing")])
def test_words(command, python):
    assert arguments(command) == python


@pytest.mark.parametrize("said, python", [
    ("my --force dir/r: holds a finished run: give --force to overwrite it, or another --output",
     "my --force dir/r: holds a finished run: give force=True to overwrite it, or another output"),
    ("(`hooke partition --size=512`)", "(`hooke.partition(size=512)`)"), ("`hooke devices` lists", "`hooke.devices()` lists"),
    ('boundary: no set is named "--force"', 'boundary: no set is named "--force"'), ("a --output b/m.inp:3: error: --restart", None),
    ('title: "use --no-pictures" is not a number', None), ("--set solve.explicit.method=a --force: there is no such method",
                                                         "set solve.explicit.method=a --force: there is no such method"),
    ("m --json.inp: --set a=--force: of a deck only", "m --json.inp: set a=--force: of a deck only"), ("--blocks b --force: goes with method blocks",
                                                                                                 "blocks b --force: goes with method blocks")])
def test_what_the_user_wrote_stays(said, python):
    assert in_python(said) == (python or said)


def test_a_finished_run(here):
    hooke.run(models.bar(), output="r", pictures=False)
    with pytest.raises(hooke.Usage, match=r"r: holds a finished run: give force=True to overwrite it, or another output$"):
        hooke.run(models.bar(), output="r", pictures=False)


def test_an_interrupted_run(here):
    models.plate(here)
    long = {**models.SIZE, "solve.explicit.end": "40 ms"}
    with pytest.raises(hooke.Stopped, match="continue with restart=True$"):
        hooke.run("plate.yaml", set=long, output="r", progress=lambda p: p.step == 0)
    with pytest.raises(hooke.Usage, match=r"give restart=True to continue, or force=True to start again$"):
        hooke.run("plate.yaml", set=long, output="r")


def test_what_set_gave_is_named_as_set(here):
    models.plate(here)
    with pytest.raises(hooke.BadInput) as caught:
        hooke.check("plate.yaml", set={"materials.a.young": "1 --force Pa"})
    assert {m.file for m in caught.value.messages} == {"set materials.a.young=1 --force Pa"}
    with pytest.raises(hooke.BadInput) as caught:
        hooke.check("plate.yaml", set={"solve.explicit.ende": "1 us"})
    assert [m.file for m in caught.value.messages] == ["set solve.explicit.ende=1 us"]
    assert "--" not in str(caught.value)


def test_a_device_that_is_no_word(tmp_path):
    with pytest.raises(hooke.Usage, match=r"device gpu: unknown; give auto, cpu, .*`hooke\.devices\(\)` lists the devices found"):
        hooke.run(models.bar(), device="gpu", output=tmp_path / "out")
