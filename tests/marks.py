"""The marks `pytest.mark.notes(source, item)` of the tests, read from their source: no test module is imported."""

import ast
from pathlib import Path

TESTS = Path(__file__).parent


def is_mark(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "notes"


def keys_of(tree):
    """Return "source/item" of every mark inside a node."""
    return {"/".join(ast.literal_eval(arg) for arg in node.args) for node in ast.walk(tree) if is_mark(node)}


def marks():
    """Return {"source/item": {"tests/folder/test_file.py::test_name", ...}} over all test files."""
    found = {}
    for path in TESTS.rglob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        if "mark.notes(" not in text:
            continue
        tree = ast.parse(text)
        name = path.relative_to(TESTS.parent).as_posix()
        shared = set().union(*(keys_of(node) for node in tree.body if isinstance(node, ast.Assign)), set())
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
                for key in shared.union(*map(keys_of, node.decorator_list)):
                    found.setdefault(key, set()).add(f"{name}::{node.name}")
    return found
