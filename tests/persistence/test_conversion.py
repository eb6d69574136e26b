"""Model files of past versions are converted and answer as they did; the table of renames misses nothing.

A failure of `test_no_class_of_a_past_version_is_missing` lists the lines to add to src/novum/persistence/renames.py.
"""

import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from contract.cases import data, outputs
from hostile import rewrite
from numpy.testing import assert_allclose

import novum
from novum.base.discovery import public_class
from novum.exceptions import FileFormatError
from novum.linear_model import LinearRegression, Ridge
from novum.persistence import conversion
from novum.persistence.attributes import EVERY_ESTIMATOR, declared_attributes, parameters_of
from novum.persistence.conversion import convert_file, current_path
from novum.persistence.files import saved_with
from novum.persistence.renames import CHANGES, FORMAT, Changes

ROOT = Path(__file__).parents[2]
FILES = ROOT / "tests" / "files"
EARLY = sorted((FILES / "0.1.0").glob("*.novum"))  # before modules were gathered in packages
MODELS = FILES / "models-0.1.0"
EXPECTED = json.loads((MODELS / "expected.json").read_text(encoding="utf-8"))
CLASSES = {"1": json.loads((MODELS / "classes.json").read_text(encoding="utf-8"))}  # by the format of their version


def converted(path, folder):
    done = convert_file(path, folder / "new.novum")
    assert (done.written_by, done.format) == ("0.1.0", "1")
    return novum.load(done.path)


@pytest.mark.parametrize("path", EARLY, ids=lambda path: path.stem)
def test_the_first_files_predict_as_they_did(path, tmp_path):
    expected = json.loads((path.parent / "expected.json").read_text())[path.stem]
    model = converted(path, tmp_path)
    results = outputs(model, data(model)[0])
    assert results.keys() >= expected.keys() and expected
    for method, values in expected.items():
        assert_allclose(np.asarray(results[method])[:5], values, rtol=1e-12)


@pytest.mark.parametrize("name", EXPECTED)
def test_answers_as_it_did(name, tmp_path):
    model = converted(MODELS / f"{name}.novum", tmp_path)
    given = EXPECTED[name]["input"]
    rows = np.load(MODELS / "inputs.npz")[given] if isinstance(given, str) else pd.DataFrame(given)
    assert EXPECTED[name]["outputs"]
    for method, values in EXPECTED[name]["outputs"].items():
        member = getattr(model, method)
        answer = np.asarray(member(rows) if callable(member) else member)[:10]
        if answer.dtype.kind == "f":
            assert_allclose(answer, values, rtol=1e-9, atol=1e-12)
        else:
            assert answer.tolist() == values
    assert repr(model) and model.get_params()  # no parameter is missing
    assert novum.load(novum.save(model, tmp_path / "again.novum")).get_params().keys() == model.get_params().keys()


def test_every_file_has_its_answers():
    assert {path.stem for path in MODELS.glob("*.novum")} == set(EXPECTED)


@cache
def paths_by_name():
    """Return where classes of today are defined, by their names, from the sources: whatever is not installed is listed too."""
    found = {}
    for file in (ROOT / "src" / "novum").rglob("*.py"):
        module = ".".join(file.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
        for name in re.findall(r"^class (\w+)", file.read_text(encoding="utf-8"), re.MULTILINE):
            found.setdefault(name, []).append(f"{module}.{name}")
    return found


def later(path, entry, steps):
    """Return path, parameters and attributes of a class after some changes."""
    names = {word: set(entry.get(word, ())) for word in ("parameters", "attributes")}
    for changes in steps:
        table = changes.attributes.get(path, {})
        for word, held in names.items():
            names[word] = {table.get(name, name) for name in held} - {None}
        names["parameters"] |= set(changes.added.get(path, {}))
        path = current_path(path, changes)
    return path, names["parameters"], names["attributes"]


def nearest(path):
    """Return where a class that is no longer at its path lives most likely: one of its name, of the same family and module."""
    parts = path.split(".")
    homes = paths_by_name().get(parts[-1], [])
    return max(homes, key=lambda home: len({*home.split(".")} & {*parts}), default="its new path")


def class_of(path):
    """Return the class of a path, or None."""
    module, _, name = path.rpartition(".")
    return public_class(module, name)


def moves_to_add(paths, staying):
    """Return lines of the table for classes that are not where they were: by module where all of one went together."""
    found = {}
    for path in paths:
        module, _, name = path.rpartition(".")
        home, _, called = nearest(path).rpartition(".")
        found.setdefault(module, {})[path] = (home, called == name, f'classes: "{path}": "{home}.{called}",')
    lines = []
    for module, moved in found.items():
        homes = {home for home, same, _ in moved.values() if same}
        together = len(homes) == 1 and all(same for _, same, _ in moved.values()) and module not in staying
        lines += [f'modules: "{module}": "{homes.pop()}",'] if together else [line for _, _, line in moved.values()]
    return lines


def names_to_add(old, entry, cls, parameters, attributes):
    """Return lines of the table for parameters, attributes and fields of a class that have other names now."""
    lines = []
    if (fields := list(getattr(cls, "_fields", ()))) != entry.get("fields", []):
        lines.append(f"{old}: is a record of other fields now, {fields}: it needs a conversion of its own")
    now = parameters_of(cls)
    declared = {*declared_attributes().get(cls.__name__, ()), *EVERY_ESTIMATOR, *now}
    gone, new = sorted(parameters - now), sorted(now - parameters)
    lines += [f'attributes: "{old}": {{"{word}": one of {new or None}}}' for word in gone]
    lines += [f'added: "{old}": {{"{word}": what it did then}}' for word in new if len(new) > len(gone)]
    return lines + [
        f'attributes: "{old}": {{"{word}": its new name}}' for word in sorted(attributes - declared - parameters)
    ]


@pytest.mark.parametrize("written", CLASSES)
def test_no_class_of_a_past_version_is_missing(written):
    formats = list(CHANGES)
    steps = [changes for step in formats[formats.index(written) :] for changes in CHANGES[step]]
    missing, staying, lines = [], set(), []
    for old, entry in CLASSES[written].items():
        path, parameters, attributes = later(old, entry, steps)
        try:
            cls = class_of(path)
        except ImportError:  # layers of PyTorch where it is not installed
            continue
        if cls is None:
            missing.append(path)
        else:
            staying.add(old.rpartition(".")[0])
            lines += names_to_add(old, entry, cls, parameters, attributes)
    lines = [*moves_to_add(missing, staying), *lines]
    assert not lines, "add to the last entry of src/novum/persistence/renames.py:\n" + "\n".join(lines)


def test_the_table_names_what_was_there():
    """A line about a class that no past version had is a slip of the pen."""
    for written, steps in CHANGES.items():
        last = steps[-1]
        known = {*CLASSES[written], *(current_path(path, steps[0]) for path in CLASSES[written])}
        assert {*last.classes, *last.attributes, *last.added} <= known
        assert set(last.modules) <= {path.rpartition(".")[0] for path in known}
        for path, table in last.attributes.items():
            entry = CLASSES[written][path]
            assert set(table) <= {*entry.get("parameters", ()), *entry.get("attributes", ())}, path


def test_load_names_the_command():
    path = MODELS / "linear.novum"
    with pytest.raises(
        FileFormatError, match=rf"in format 1, and novum .* reads format {FORMAT}; convert .*novum convert"
    ):
        novum.load(path)
    assert saved_with(path)["novum"] == "0.1.0"


def of_0_1_0(about):
    return about | {"format": "1", "novum": "0.1.0"}


def test_renames_of_every_kind(tmp_path, monkeypatch):
    """A file whose class, parameter and attribute had other names, one without a parameter, one with too many."""
    ridge = Ridge(alpha=2.5).fit([[1.0], [2.0], [4.0]], [1.0, 2.0, 3.0])

    def into_old(schema):
        schema["__module__"], schema["__class__"] = "novum.old", "Tikhonov"
        held = schema["content"]["content"]
        held["penalty"] = held.pop("alpha")
        held["slope_"] = held.pop("coef_")
        held["forgotten"] = held.pop("copy_X")
        return schema

    path = tmp_path / "old.novum"
    rewrite(path, ridge, schema=into_old, about=of_0_1_0)
    changes = Changes(
        classes={"novum.old.Tikhonov": "novum.linear_model.ridge.Ridge"},
        attributes={"novum.old.Tikhonov": {"penalty": "alpha", "slope_": "coef_", "forgotten": None}},
        added={"novum.old.Tikhonov": {"copy_X": True}},
    )
    monkeypatch.setattr(conversion, "CHANGES", {"1": (Changes(), changes)})
    done = convert_file(path, path)
    assert done.renamed == 5
    again = novum.load(path)
    assert again.get_params() == ridge.get_params() and again.predict([[3.0]]) == ridge.predict([[3.0]])
    assert saved_with(path)["converted_from"] == "0.1.0"


def test_a_class_that_is_gone_is_named(tmp_path):
    path = tmp_path / "old.novum"
    rewrite(path, LinearRegression(), schema=lambda schema: schema | {"__class__": "LinearRegresion"}, about=of_0_1_0)
    before = path.read_bytes()
    with pytest.raises(
        FileFormatError, match=r"holds novum\.linear_model\.\w+\.LinearRegresion, which novum .* does not have"
    ):
        convert_file(path, path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(("about", "words"), [({"format": FORMAT}, "already"), ({"format": "99"}, "upgrade")])
def test_files_that_need_no_conversion(tmp_path, about, words):
    path = tmp_path / "ridge.novum"
    rewrite(path, Ridge(), about=lambda old: old | about)
    with pytest.raises(FileFormatError, match=words):
        convert_file(path, tmp_path / "new.novum")
    assert not (tmp_path / "new.novum").exists()


def test_damaged_files_end_in_a_sentence(tmp_path):
    whole = bytearray((MODELS / "tree.novum").read_bytes())
    path = tmp_path / "damaged.novum"
    for at in np.random.default_rng(0).integers(len(whole), size=60):
        broken = whole.copy()
        broken[at] ^= 0xFF
        path.write_bytes(broken)
        try:
            convert_file(path, tmp_path / "new.novum")
        except FileFormatError as error:
            assert str(path) in str(error)


def test_what_cannot_be_built_here_is_converted_unbuilt(tmp_path):
    from sklearn.svm import SVC

    path = tmp_path / "svc.novum"
    rewrite(path, SVC().fit([[0.0], [1.0]], [0, 1]), about=of_0_1_0)
    convert_file(path, path)
    assert novum.load(path, trusted=[SVC]).predict([[0.9]]) == 1


def test_the_formats_end_with_this_one():
    assert [*CHANGES, FORMAT] == [str(number) for number in range(1, len(CHANGES) + 2)]


def test_the_command(tmp_path):
    from typer.testing import CliRunner

    from novum.cli import application

    run = CliRunner()
    result = run.invoke(application("convert"), ["convert", str(MODELS / "mixture.novum"), str(tmp_path / "new.novum")])
    assert result.exit_code == 0 and f"format {FORMAT}, from format 1 of novum 0.1.0" in result.output
    assert novum.load(tmp_path / "new.novum").predict(np.zeros((1, 3))).shape == (1,)
    result = run.invoke(application("convert"), ["convert", str(tmp_path / "new.novum"), str(tmp_path / "new.novum")])
    assert result.exit_code == 2 and "already" in result.output
