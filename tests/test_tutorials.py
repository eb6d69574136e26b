"""The tutorials run from top to bottom, hold no outputs, and no page or tutorial names something that does not import."""

import json
import re
import sys
import warnings
from importlib import import_module
from pathlib import Path

import pytest

from novum.exceptions import DataWarning

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "docs" / "tutorials").glob("*.ipynb"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
GENERATED = ("_build", "_generated", "gallery", "generated")
INLINE = re.compile(
    r"`(?!novum\.json`)((?:novum|sklearn)(?:\.[A-Za-z_]\w*)+)(?:\(|`)"
)  # a name, not the member of a model file
BLOCK = re.compile(r"```.*?```", re.DOTALL)
SMALL = 30_000  # bytes of a notebook without outputs
DEEP = "ConvNetClassifier"


def cells(path, kind):
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in found if cell["cell_type"] == kind]


def marks(path):
    return [pytest.mark.deep] if DEEP in "".join(cells(path, "code")) else []


@pytest.mark.parametrize("path", [pytest.param(path, marks=marks(path), id=path.stem) for path in NOTEBOOKS])
def test_tutorial_runs(path, monkeypatch, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pyplot, "show", lambda: None)
    pyplot.close("all")
    names = {"__name__": "tutorial"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # what a tutorial speaks of
        for code in cells(path, "code"):
            exec(compile(code, path.name, "exec"), names)
    assert pyplot.get_fignums()
    for number in pyplot.get_fignums():
        pyplot.figure(number).canvas.draw()
    pyplot.close("all")


def test_tutorials_are_small_whole_and_listed():
    index = (ROOT / "docs" / "tutorials" / "index.md").read_text(encoding="utf-8")
    assert len(NOTEBOOKS) >= 8
    for path in NOTEBOOKS:
        data = json.loads(path.read_text(encoding="utf-8"))
        assert path.name in index and path.stat().st_size < SMALL
        assert not any(cell.get("outputs") for cell in data["cells"])
        text = "".join(cells(path, "markdown"))
        assert all(word in text for word in ("**Question.**", "**Check.**", "**Your turn.**"))
        for target in re.findall(r"\]\((?!http)([^)#]+)", text):
            assert (path.parent / target).resolve().exists(), target


def fault_of(dotted):
    """Return what is wrong with a dotted name, nothing where it can be reached by an import and attributes."""
    parts = dotted.split(".")
    found = import_module(parts[0])
    for at, part in enumerate(parts[1:], 1):
        if hasattr(found, part):
            found = getattr(found, part)
            continue
        try:
            found = import_module(".".join(parts[: at + 1]))
        except ImportError as problem:
            return (
                "" if problem.name == "torch" else f"{'.'.join(parts[:at])} has no {part}"
            )  # layers, in the extra deep
    return ""


def test_every_name_in_the_pages_imports():
    texts = {
        path.relative_to(ROOT): path.read_text(encoding="utf-8")
        for path in PAGES
        if not set(path.parts) & set(GENERATED)
    }
    texts |= {path.relative_to(ROOT): "\n".join(cells(path, "markdown")) for path in NOTEBOOKS}
    wrong, count = {}, 0
    for path, text in texts.items():
        for name in set(INLINE.findall(BLOCK.sub("", text))):
            count += 1
            if name not in sys.modules and fault_of(name):
                wrong[f"{path}: {name}"] = fault_of(name)
    assert count > 300 and not wrong


def test_the_check_of_names_finds_what_is_wrong():
    assert fault_of("novum.linear_model.Ridge.fit") == "" == fault_of("novum.patch")
    assert fault_of("novum.linear_model.Rigde") == "novum.linear_model has no Rigde"


def test_pages_to_be_read_without_building():
    pictures = sorted((ROOT / "docs" / "pictures").glob("*.png"))
    page = (ROOT / "docs" / "pictures" / "README.md").read_text(encoding="utf-8")
    assert len(pictures) >= 40 and all(f"({path.name})" in page for path in pictures)
    assert sum(path.stat().st_size for path in pictures) < 1_500_000
    for target in re.findall(r"\]\(([^)]+)\)", page):
        assert (ROOT / "docs" / "pictures" / target).resolve().exists(), target
    names = set(re.findall(r"^- `([\w.]+)`", (ROOT / "docs" / "names.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert len(names) > 400
