"""The table of what more threads gain says what was measured."""

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def scaling():
    sys.path.insert(0, str(ROOT))
    try:
        yield importlib.import_module("benchmarks.scaling")
    finally:
        sys.path.remove(str(ROOT))


BOUNDS = {"gemm": {2: 2.0, 4: 4.0}, "stream": {2: 1.5, 4: 1.6}}


def test_gains_are_over_one_thread(scaling):
    assert scaling.gains({1: 8.0, 2: 4.0, 4: 2.5}) == {2: 2.0, 4: 3.2}


def test_shares_are_of_the_bound(scaling):
    by_product = scaling.verdict({2: 1.9, 4: 3.0}, BOUNDS, "gemm", None)
    assert by_product == {"bound": "gemm", "share": {2: 0.95, 4: 0.75}, "asked": 3.2, "slower_with": []}
    by_memory = scaling.verdict({2: 1.2, 4: 1.6}, BOUNDS, "stream", None)
    assert by_memory["share"] == {2: 0.8, 4: 1.0}
    assert by_memory["asked"] == 1.28


def test_a_loss_by_more_threads_is_shown(scaling):
    found = scaling.verdict({2: 0.9, 4: 1.8, 8: 1.79, 16: 1.5}, BOUNDS, "target", 5.0)
    assert found == {"bound": "target", "asked": 5.0, "slower_with": [2, 16]}


@pytest.mark.parametrize("name", ["least squares", "SVC", "brute k-NN"])
def test_learners_run_on_few_rows(scaling, name):
    run = scaling.LEARNERS[name].make(400)
    times = scaling.seconds(run, [1, 2], slow=0.0)
    assert sorted(times) == [1, 2]
    assert min(times.values()) > 0
