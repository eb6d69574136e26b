"""A public name is listed where it lives: what imports, what `dir` shows, `__all__`, docs/names.md and type checkers agree."""

import ast
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

import novum
from novum import teaching
from novum.notes import chapters, ledger
from novum.notes.tables import names_of
from novum.teaching.chapters import CHAPTERS, chapter_of

ROOT = Path(__file__).parents[1]
SPECIFICATION = importlib.util.spec_from_file_location("names", ROOT / "tools" / "names.py")
pages = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(pages)
PACKAGES = {package.__name__: package for package in pages.public_packages(novum)}
LAZY = {name: package for name, package in PACKAGES.items() if hasattr(vars(package).get("__getattr__"), "homes")}


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_shows_what_it_lists_and_lists_what_it_has(name):
    package = PACKAGES[name]
    assert sorted(package.__all__) == dir(package) and len(set(package.__all__)) == len(package.__all__)
    assert not [listed for listed in package.__all__ if listed.startswith("_")]
    for listed in package.__all__:
        assert getattr(package, listed) is not None
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'nothing'"):
        package.nothing  # noqa: B018
    if hasattr(package, "__path__") and name != "novum.patch":  # that is a module with a folder for its workers
        found = {key for key, value in vars(package).items() if not key.startswith("_") and is_ours(value)}
        assert found <= set(package.__all__)


def is_ours(value):
    """Return whether a value is a class, a function or an object of novum, but for the helper of lazy packages."""
    module = getattr(value, "__module__", type(value).__module__)
    return not isinstance(value, ModuleType) and module.startswith("novum") and module != "novum.runtime.lazy"


def test_the_page_of_names_lists_them_all():
    page = (ROOT / "docs" / "names.md").read_text(encoding="utf-8")
    assert page == pages.names_page(), "run tools/names.py"
    listed = re.findall(r"^- `([\w.]+)`", page, re.MULTILINE)
    assert listed == [f"{package}.{name}" for package, value in PACKAGES.items() for name in value.__all__]


@pytest.mark.parametrize("name", LAZY)
def test_type_checkers_see_the_lazy_names(name):
    """Both lists name the same modules, and an eager import does not hide behind the lazy one."""
    package = LAZY[name]
    tree = ast.parse(Path(package.__file__).read_text(encoding="utf-8"))
    (choice,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.name: node.module for node in choice.body for alias in node.names}
    homes = vars(package)["__getattr__"].homes
    assert {key: name + place.rstrip(".") if place[0] == "." else place for key, place in homes.items()} == seen
    assert set(homes) == set(package.__all__)


def test_lazy_names_are_found_once():
    vars(teaching).pop("chebyshev_bound", None)
    first = teaching.chebyshev_bound
    assert vars(teaching)["chebyshev_bound"] is first and sys.modules["novum.teaching.statistics.sample_mean"]


def test_families_stay_small():
    """What a user types in a family, results and pictures included; demonstrations are counted apart."""
    families = [package for name, package in PACKAGES.items() if name not in ("novum", "novum.teaching", "novum.notes")]
    names = sum(len(set(package.__all__)) for package in families)
    assert names < 700 and len(teaching.__all__) < 140
    assert max(len(package.__all__) for package in families) <= 60


def test_every_demonstration_has_its_chapter():
    listed = [name for names in CHAPTERS.values() for name in names.split()]
    assert sorted(listed) == sorted(teaching.__all__)
    titles = {(chapter.notes, chapter.chapter): chapter.title for chapter in chapters()}
    assert set(CHAPTERS) <= set(titles.values())
    shown = {}
    for row in ledger():
        for path in names_of(row):
            if path.startswith("novum.teaching."):
                shown.setdefault(path.split(".")[2], set()).add(titles[row.notes, row.chapter])
    assert len(shown) > 70
    for name, where in shown.items():
        assert chapter_of(name) in where, name
    assert (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8") == pages.teaching_page(), "run tools/names.py"


def test_no_family_imports_demonstrations():
    """The import linter holds it for imports; strings and docstrings of families do not need them to run."""
    above = ("cli", "notes", "patch", "study", "teaching")
    for path in (ROOT / "src" / "novum").glob("*/**/*.py"):
        if path.relative_to(ROOT / "src" / "novum").parts[0] not in above:
            assert 'import_module("novum.teaching' not in path.read_text(encoding="utf-8"), path
