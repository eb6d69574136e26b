"""The names that a marked test uses, read from its source and from what it stands on: helpers, fixtures, constants, imports.

A name is used by an attribute (`model.plot`), by an imported name that occurs in the code, and by a string that is nothing but a
dotted name (`getattr(novum, "KMeans")`, "novum.cluster.KMeans"). Comments, docstrings, marks, names of arguments and imports that
nothing refers to are no use.
"""

import ast
import re
from functools import cache
from pathlib import Path

from marks import TESTS, is_mark

NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
SOURCE = re.compile(r"\d{3}(-[a-z])?")  # of the notes: the first of the pairs in a table ITEMS


@cache
def definitions(path):
    """Return {name: [node, ...]} of what the top of a module defines; a name imported is the pair (node, alias)."""
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                found.setdefault(alias.asname or alias.name.partition(".")[0], []).append((node, alias))
        else:
            stored = [sub for sub in ast.walk(node) if isinstance(sub, ast.Name) and isinstance(sub.ctx, ast.Store)]
            for sub in stored:
                found.setdefault(sub.id, []).append(node)
    return found


def module_file(path, dotted):
    """Return the file of the tests that a module of them imports by this name, None where it is none of them."""
    near = [folder / f"{dotted.replace('.', '/')}.py" for folder in (path.parent, *path.parent.parents)]
    return next((file for file in near if file.is_relative_to(TESTS) and file.exists()), None)


def is_item(node):
    """Decide whether a node is a pair (source, item), a mark that is kept in a table."""
    first = node.elts[0] if isinstance(node, ast.Tuple) and node.elts else None
    return isinstance(first, ast.Constant) and isinstance(first.value, str) and bool(SOURCE.fullmatch(first.value))


def pieces(node):
    """Yield the nodes below one, without docstrings and marks."""
    yield node
    first = getattr(node, "body", None)
    first = first[0] if isinstance(first, list) and first else None
    for child in ast.iter_child_nodes(node):
        docstring = child is first and isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
        if not docstring and not is_mark(child) and not is_item(child):
            yield from pieces(child)


def fixture_files(path):
    """Yield the files where a fixture of a module may stand: itself and the `conftest.py` above it."""
    yield path
    for folder in path.parents:
        if folder.is_relative_to(TESTS) and (folder / "conftest.py").exists():
            yield folder / "conftest.py"


@cache
def names_used(path, name):
    """Return the names that a function of a module uses, with all that it stands on."""
    words, seen, waiting = set(), set(), [(path, name)]
    while waiting:
        file, wanted = waiting.pop()
        if (file, wanted) in seen:
            continue
        seen.add((file, wanted))
        for node in definitions(file).get(wanted, ()):
            if isinstance(node, tuple):
                follow_import(file, *node, words, waiting)
            else:
                follow_code(file, node, words, waiting)
    return frozenset(words)


def follow_import(file, node, alias, words, waiting):
    """Add an imported name; one of another module of the tests is followed there."""
    words.add(alias.name.rpartition(".")[2])
    other = module_file(file, node.module) if isinstance(node, ast.ImportFrom) and node.module else None
    if other is not None:
        waiting.append((other, alias.name))


def follow_code(file, node, words, waiting):
    """Add what the code of a definition names, and put what it stands on into the queue."""
    for part in pieces(node):
        if isinstance(part, ast.Name):
            waiting.append((file, part.id))
        elif isinstance(part, ast.Attribute):
            words.add(part.attr)
            if isinstance(part.value, ast.Name) and (other := module_file(file, part.value.id)) is not None:
                waiting.append((other, part.attr))
        elif isinstance(part, ast.arg):
            waiting.extend((at, part.arg) for at in fixture_files(file))
        elif isinstance(part, ast.Import | ast.ImportFrom):
            for alias in part.names:
                follow_import(file, part, alias, words, waiting)
        elif isinstance(part, ast.Constant) and isinstance(part.value, str) and NAME.fullmatch(part.value):
            words.update(part.value.split("."))


def names_of_tests(tests):
    """Return the names that several tests, "tests/folder/test_file.py::test_name", use together."""
    split = (test.split("::") for test in tests)
    return frozenset().union(*(names_used(Path(TESTS.parent, path), name) for path, name in split))
