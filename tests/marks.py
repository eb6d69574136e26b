"""The marks `pytest.mark.notes(source, item)` of the tests, read from their source: no test module is imported.

Cases that are marked one by one take their marks from a table of the module, `ITEMS`, whose pairs then stand for all its tests.
"""

import ast
from pathlib import Path

TESTS = Path(__file__).parent


def is_mark(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "notes"


def keys_of(tree):
    """Return "source/item" of every mark inside a node."""
    calls = [node for node in ast.walk(tree) if is_mark(node)]
    return {"/".join(map(ast.literal_eval, call.args)) for call in calls if not isinstance(call.args[0], ast.Starred)}


def items_of(tree):
    """Return "source/item" of every pair in a module's table ITEMS."""
    tables = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "ITEMS" for target in node.targets)
    ]
    return {
        "/".join(map(ast.literal_eval, pair.elts))
        for pair in (node for one in tables for node in ast.walk(one))
        if isinstance(pair, ast.Tuple) and all(isinstance(part, ast.Constant) for part in pair.elts)
    }


def marks():
    """Return {"source/item": {"tests/folder/test_file.py::test_name", ...}} over all test files."""
    found = {}
    for path in TESTS.rglob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        if "mark.notes(" not in text:
            continue
        tree = ast.parse(text)
        name = path.relative_to(TESTS.parent).as_posix()
        shared = set().union(*(keys_of(node) for node in tree.body if isinstance(node, ast.Assign)), items_of(tree))
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
                for key in shared.union(*map(keys_of, node.decorator_list)):
                    found.setdefault(key, set()).add(f"{name}::{node.name}")
    return found
