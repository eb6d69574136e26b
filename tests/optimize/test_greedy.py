"""Greedy search."""

import numpy as np
import pytest

from novum.exceptions import NotConverged, ParameterError
from novum.losses import SquaredLoss
from novum.optimize import greedy_search, minimize_risk, subset_neighbors


@pytest.mark.notes("003", "greedy-search")
def test_forward_and_backward_selection_find_the_relevant_features():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    y = 2 * X[:, 1] - X[:, 3] + 0.1 * rng.normal(size=60)

    def penalized(state):
        if not state:
            return float(np.var(y))
        return minimize_risk(X[:, sorted(state)], y, SquaredLoss()).risk + 0.01 * len(state)

    forward = greedy_search(frozenset(), subset_neighbors(5), penalized)
    assert forward.state == {1, 3} and forward.path[1] == {1} and forward.converged
    assert forward.scores == sorted(forward.scores, reverse=True) and forward.reason == "no neighbor is better"
    assert forward.n_evaluated == 1 + 5 + 4 + 3
    backward = greedy_search(frozenset(range(5)), subset_neighbors(5, "backward"), penalized)
    assert backward.state == {1, 3}
    both = greedy_search(frozenset({0, 2}), subset_neighbors(5, "both"), penalized)
    assert both.state == {1, 3}


def test_local_optimum_ties_and_unhashable_states():
    heights = [0, 2, 1, 0, 5]

    def neighbors(i):
        return [j for j in (i - 1, i + 1) if 0 <= j < 5]

    assert greedy_search(0, neighbors, heights.__getitem__, maximize=True).state == 1  # not 4: greedy is local
    assert greedy_search([0], lambda s: [[s[0] - 1], [s[0] + 1]], lambda s: (s[0] - 2) ** 2).state == [2]
    assert greedy_search(0, lambda s: [1, 2], lambda s: -min(s, 1)).state == 1  # the first of equals


def test_wrong_arguments():
    with pytest.raises(ParameterError, match="neighbors and objective must be functions"):
        greedy_search(0, [1], abs)
    with pytest.raises(ParameterError, match=r"subset_neighbors\(direction='up'\)"):
        subset_neighbors(3, "up")
    with pytest.warns(NotConverged, match="greedy_search: max_iter=2 moves made"):
        assert not greedy_search(0, lambda s: [s + 1], lambda s: -s, max_iter=2).converged
