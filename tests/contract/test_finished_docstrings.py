"""What a public docstring says is written out: no placeholder of a macro, no description that only points elsewhere."""

import ast
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import novum
from novum.notes.public_names import public_names

ROOT = Path(novum.__file__).parent
PLACEHOLDER = re.compile(r"(?<![\w^\\{\"])\{[A-Za-z_]\w+\}|%\(\w+\)[sd]|<<\w+>>|\b(?:TODO|FIXME|XXX|TBD)\b")
ELSEWHERE = re.compile(
    r"(?i)^\s+(?:see (?:the module|above|below)|(?:same )?as above|as below|ditto|idem)[.;]?\s*$", re.M
)


def unfinished(text):
    """Return what in a docstring was not written; its examples are code."""
    prose = re.sub(r"(?m)^\s*(?:>>>|\.\.\.).*$", "", text)
    return [found.group(0).strip() for pattern in (PLACEHOLDER, ELSEWHERE) for found in pattern.finditer(prose)]


def defined(tree):
    """Yield the classes and functions of a module, and the methods of its classes, that have no underscore before them."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from defined(node)


def test_sources():
    found = {
        f"{path.relative_to(ROOT)}: {node.name}": wrong
        for path in sorted(ROOT.rglob("*.py"))
        for node in defined(ast.parse(path.read_text(encoding="utf-8")))
        if (wrong := unfinished(ast.get_docstring(node) or ""))
    }
    assert found == {}


def test_public_names_as_help_shows_them():
    found = {}
    for name in public_names():
        try:
            thing = pkgutil.resolve_name(name.path)
        except ImportError:  # an extra that is not installed
            continue
        if wrong := unfinished(inspect.getdoc(thing) or ""):
            found[name.path] = wrong
    assert found == {}


@pytest.mark.parametrize(
    "text", ["A {noun} of rows.", "x : int\n    %(x)s", "x : int\n    See the module.", "x : int\n    As above."]
)
def test_what_is_unfinished_is_found(text):
    assert unfinished(text)


@pytest.mark.parametrize(
    "text",
    [
        'x : {"a", "b"}',
        "sum_{ab} k_{abc} of {0, 1} without {x}",
        '"{step}" in it becomes the number',
        "x : int\n    As above zero, so below it.",
    ],
)
def test_what_is_written_is_not(text):
    assert unfinished(text) == []
