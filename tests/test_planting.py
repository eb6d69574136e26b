"""A fault planted in an imported module reaches whoever holds its functions, in a forked process alone."""

import functools
import importlib
import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = """
import functools


def double(x):
    return 2 * x


@functools.cache
def kept(x):
    return double(x) + 1


class Line:
    def __init__(self, slope):
        self.slope = slope

    def at(self, x):
        return self.slope * x


def shifted(by):
    def move(x):
        return x + by

    return move
"""


@pytest.fixture
def planting(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    sys.modules.pop("tools.planting", None)
    return importlib.import_module("tools.planting")


@pytest.fixture
def module(tmp_path):
    path = tmp_path / "planted.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("planted", path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_the_functions_that_are_held_run_the_fault_in_the_fork(planting, module):
    functions = planting.functions_by_file(module.__file__)
    held, line = functools.partial(module.double), module.Line(3)

    def work(before, after):
        changed = planting.plant(module.__file__, SOURCE, SOURCE.replace(before, after), functions)
        return changed, held(5), module.kept(5), line.at(5), module.shifted(2)(5)

    assert planting.in_fork(lambda: work("2 * x", "x**2"), 60) == (1, 25, 26, 15, 7)
    assert planting.in_fork(lambda: work("self.slope * x", "self.slope"), 60) == (1, 10, 11, 3, 7)
    assert planting.in_fork(lambda: work("x + by", "x - by"), 60) == (1, 10, 11, 15, 3)
    assert (held(5), module.kept(5), line.at(5)) == (10, 11, 15)


def test_a_fork_that_does_not_answer(planting):
    assert planting.in_fork(lambda: [None for _ in iter(int, 1)], 0.3) is None  # for ever
    assert planting.in_fork(lambda: 1 / 0, 60) == planting.CRASHED
