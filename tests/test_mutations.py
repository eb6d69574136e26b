"""The faults that mutation runs plant: one place each, where formulas stand, and nothing where only words stand."""

import ast
import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = '''
"""1 + 1 is not touched here."""

import math

LIMIT: int = 3


def area(r: float, tol: float = 1e-3) -> float:
    """Return pi r^2."""
    if r < 0:
        raise ValueError(f"r = {r + 1} is below {0}")
    return -(-math.pi * r**2) if r and r <= LIMIT else max(r, 2.5)
'''


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("mutations", ROOT / "tools" / "mutations.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_one_place_is_changed_and_nothing_in_messages_defaults_or_annotations(tool):
    found = tool.mutations(SOURCE)
    pairs = {(one.before, one.after) for one in found}
    assert {
        ("3", "4"),
        ("r ** 2", "r * 2"),
        ("r ** 2", "r"),
        ("2", "3"),
        ("r <= LIMIT", "r > LIMIT"),
        ("2.5", "5.0"),
        ("max", "min"),
        ("-math.pi * r ** 2", "-math.pi / r ** 2"),
        ("-math.pi", "math.pi"),
        ("r and r <= LIMIT", "r or r <= LIMIT"),
    } <= pairs
    assert not any(
        "1e-3" in before or "0.001" in before or "r + 1" in before or "r < 0" in before for before, _ in pairs
    )
    assert all(one.line in (6, 13) for one in found)
    whole = ast.unparse(ast.parse(SOURCE))
    for one in found:
        changed = tool.mutated(SOURCE, one)
        lines = [(a, b) for a, b in zip(whole.splitlines(), changed.splitlines(), strict=True) if a != b]
        assert len(lines) == 1, one


def test_a_fault_changes_what_is_computed(tool):
    fault = next(one for one in tool.mutations(SOURCE) if one.before == "r ** 2" and one.kind == "operator")
    space: dict = {}
    exec(tool.mutated(SOURCE, fault), space)
    assert space["area"](2.0) == pytest.approx(3.141592653589793 * 2.0 * 2)
    assert space["area"](3.0) == pytest.approx(3.141592653589793 * 3.0 * 2)
