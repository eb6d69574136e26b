"""tools/span.py counts what threads can share, and schedules it."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from novum import _core
from novum.runtime.pool import here, map_ordered
from novum.runtime.threads import thread_count

TOOL = Path(__file__).parents[1] / "tools" / "span.py"


def busy(*job):
    return _core.runtime.threads.team_seconds(*job)


@pytest.fixture(scope="module")
def span():
    spec = importlib.util.spec_from_file_location("span", TOOL)
    module = importlib.util.module_from_spec(spec)
    sys.modules["span"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["span"]


def test_a_list_schedule_gives_every_task_to_whoever_is_free(span):
    region = span.Region("team", [3.0, 1.0, 1.0, 1.0])
    assert region.span(1) == 6
    assert region.span(2) == 3
    assert region.span(16, cost=0.5) == 3.5
    assert region.span(2, per_task=1.0) == 6  # 4 + 2 and 2 + 2
    assert span.Region("pool", [1.0] * 8, locked=3.0, merges=2.0).span(8) == 5  # one thread at a time has the lock
    assert span.Region("pool", [1.0] * 4, merges=2.0).span(2) == 3


def test_serial_and_shared_time_are_told_apart(span):
    def fit():
        busy(1, 1, 0.02, 1)
        assert thread_count() == 7
        assert list(map_ordered(lambda k: (busy(1, 1, 0.005, 1), k)[1], range(8), thread_count())) == list(range(8))
        busy(7, 5, 0.002, 2)

    account = span.rehearse(fit, 7)
    pool, *teams = account.regions
    assert (pool.kind, len(pool.seconds)) == ("pool", 8)
    assert [(team.kind, len(team.seconds)) for team in teams] == [("team", 5)] * 2
    assert np.min(pool.seconds) >= 0.005 and min(min(team.seconds) for team in teams) >= 0.002
    assert account.work == pytest.approx(0.06, rel=0.5)
    assert 0.02 <= account.serial < 0.04
    assert pool.locked < 0.02  # the kernel lets go of the lock
    free = {"pool": (0.0, 0.0), "team": (0.0, 0.0)}
    # Eight tasks on seven threads take two turns, five items one.
    assert account.span(free) == pytest.approx(account.serial + 2 * 0.005 + 2 * 0.002, rel=0.4)


def test_python_time_of_tasks_counts_as_locked(span):
    def slow(_):
        return sum(range(100_000))

    account = span.rehearse(lambda: list(map_ordered(slow, range(4), 4)), 4)
    (region,) = account.regions
    assert region.locked == pytest.approx(sum(region.seconds), rel=0.1)
    assert region.span(4) >= region.locked  # threads do not help


def test_a_rehearsal_changes_nothing_and_leaves_nothing_behind(span):
    from novum.ensemble import HistGradientBoostingRegressor

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4000, 9)), rng.normal(size=4000)
    made = []
    account = span.rehearse(lambda: made.append(HistGradientBoostingRegressor(max_iter=3).fit(X, y)), 5)
    assert any(region.kind == "team" for region in account.regions)
    plain = HistGradientBoostingRegressor(max_iter=3).fit(X, y)
    np.testing.assert_array_equal(made[0].predict(X), plain.predict(X))
    assert here.rehearsal is None
    assert not _core.runtime.threads.rehearsed()
    assert type(_core.trees.boosting.add_coded).__name__.startswith("nb_")


def test_costs_of_sharing_are_small_times(span):
    costs = span.sharing_costs()
    assert all(0 <= region < 0.01 and 0 <= task < 0.01 for region, task in costs.values())
