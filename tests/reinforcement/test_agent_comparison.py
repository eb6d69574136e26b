"""Comparisons of agents: statistics by their definitions, verdicts that are seldom wrong."""

import numpy as np
import pytest
from artists import bands, canvas, curves
from scipy.stats import t as student

from novum.exceptions import DataError, DataWarning, ParameterError
from novum.reinforcement import compare_agents
from novum.reinforcement.agent_comparison import improvement_probability, interquartile_mean, resamples


def test_statistics_by_definition():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(8, 3)).round(1), rng.normal(size=(6, 3)).round(1)
    pairs = [np.mean([(x > y) + 0.5 * (x == y) for x in a[:, t] for y in b[:, t]]) for t in range(3)]
    assert improvement_probability(a, b) == pytest.approx(np.mean(pairs))
    assert interquartile_mean(np.arange(8.0)) == np.mean([2, 3, 4, 5])
    drawn = resamples(np.arange(12.0).reshape(4, 3), 500, rng)
    assert drawn.shape == (500, 4, 3) and (drawn % 3 == [0, 1, 2]).all()  # no score changes its task


def test_tables_profiles_and_words():
    scores = {"A": [480, 500, 495, 500, 490, 500], "B": [120, 300, 210, 250, 180, 260]}
    found = compare_agents(scores)
    assert found.iqm[0] == pytest.approx(np.mean([490, 495, 500, 500])) and found.low[0] < found.iqm[0] <= found.high[0]
    assert found.improvement == [1.0] and found.verdicts[0].startswith("A is better than B")
    assert "A is better than B" in repr(found) and len(found.to_frame()) == 2
    tau, bands = found.profile()
    share, low, high = bands[1]
    np.testing.assert_allclose(share, [(np.array(scores["B"]) > t).mean() for t in tau])
    assert (low <= share).all() and (share <= high).all() and share[0] == 1 and share[-1] == 0
    line = found.plot().get_lines()[0]
    np.testing.assert_allclose(line.get_ydata(), bands[0][0])
    turned = compare_agents({"B": scores["B"], "A": scores["A"]})
    assert turned.verdicts[0].startswith("A is better than B")


def test_equal_agents_are_seldom_distinguished():
    rng = np.random.default_rng(1)
    wrong = 0
    for k in range(60):
        found = compare_agents({"A": rng.normal(size=10), "B": rng.normal(size=10)}, n_resamples=300, random_state=k)
        wrong += "better" in found.verdicts[0]
    assert wrong <= 8


def test_few_runs_and_bad_input():
    with pytest.warns(DataWarning, match="fewer than 5 runs of A"):
        compare_agents({"A": [1, 2, 3], "B": [1, 2, 3, 4, 5]}, n_resamples=100)
    with pytest.raises(DataError, match="same tasks"):
        compare_agents({"A": np.ones((5, 2)), "B": np.ones((5, 3))})
    with pytest.raises(DataError, match="finite"):
        compare_agents({"A": [1, np.nan, 2, 3, 4]})
    with pytest.raises(ParameterError, match="mapping"):
        compare_agents([1, 2])
    with pytest.raises(ParameterError, match="level"):
        compare_agents({"A": [1, 2, 3, 4, 5]}, level=1)


@pytest.mark.notes("000-c", "plot-q-approx")
def test_learning_curves_are_drawn_with_bands():
    from novum.reinforcement import LearningCurve, plot_learning_curves

    rng = np.random.default_rng(0)
    runs = [LearningCurve(np.arange(10, 210, 10), rng.normal(k, 1.0, size=20), np.full(20, 10)) for k in range(4)]
    ax = plot_learning_curves({"agent": runs}, canvas(), window=5)
    ((name, line),) = curves(ax).items()
    ((steps, low, high),) = bands(ax)
    ends = np.arange(10, 210, 10)
    last = [int(np.flatnonzero(ends <= step)[-1]) for step in line[:, 0]]  # the episode that had ended by then
    single = np.array([[run.returns[max(0, k - 4) : k + 1].mean() for k in last] for run in runs])
    assert name == "agent, 4 runs" and line[0, 0] == 10 and line[-1, 0] == 200
    np.testing.assert_allclose(line[:, 1], single.mean(axis=0))
    np.testing.assert_allclose(steps, line[:, 0])
    half = (
        student.ppf(0.975, 3) * single.std(axis=0, ddof=1) / 2
    )  # a bootstrap of four runs covers far less than it says
    np.testing.assert_allclose(high - low, 2 * half)
    assert (low < line[:, 1]).all() and (line[:, 1] < high).all()
    with pytest.raises(DataError, match="history_"):
        plot_learning_curves({"agent": []})
