"""Subgradients: the test, the interval, the descent."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novum.exceptions import DataError, NotConverged
from novum.losses import HingeLoss
from novum.optimize import InverseTimeSchedule, is_subgradient, subdifferential, subgradient_descent

GRID = np.linspace(-3, 3, 61)


@pytest.mark.notes("000-b", "subgradient")
def test_supporting_slopes_of_kinked_functions():
    assert [is_subgradient(abs, 0.0, v, GRID) for v in (-1.01, -1.0, 0.0, 0.5, 1.0, 1.01)] == [
        False,
        True,
        True,
        True,
        True,
        False,
    ]

    def pyramid(x):
        return np.abs(x).sum()

    points = np.random.default_rng(0).normal(size=(100, 2))
    assert is_subgradient(pyramid, [0.0, 1.0], [0.3, 1.0], points)
    assert not is_subgradient(pyramid, [0.0, 1.0], [0.3, 0.5], points)
    with pytest.raises(DataError, match=r"points has shape \(100, 2\); it must be \(n, 1\)"):
        is_subgradient(abs, 0.0, 0.0, points)


@pytest.mark.notes("000-b", "subgradient")
def test_subdifferential_of_piecewise_functions():
    def roof(x):
        return max(-2 * x, 0.5 * x - 1, 3 * x - 6)

    for at, low, high in ((0.4, -2, 0.5), (2.0, 0.5, 3), (-1.0, -2, -2), (1.0, 0.5, 0.5)):
        found = subdifferential(roof, at)
        np.testing.assert_allclose(found, (low, high), atol=1e-8)
        assert found.contains((low + high) / 2) and not found.contains(high + 0.1)
    np.testing.assert_allclose(subdifferential(np.exp, 1.0), (np.e, np.e), atol=1e-7)


@settings(max_examples=30, deadline=None)
@given(st.floats(-3, 3), st.sampled_from([-1.0, 1.0]))
def test_the_hinge_subgradient_supports_the_hinge(f, t):
    loss = HingeLoss()
    assert is_subgradient(lambda x: loss.value(t, x[0]), f, loss.gradient(t, f), GRID, tol=1e-12)


@pytest.mark.notes("000-b", "subgradient")
def test_descent_with_falling_steps_finds_the_median():
    t = np.array([0.0, 1.0, 2.0, 7.0, 30.0])

    def slope(c):
        return np.sign(c - t).sum(keepdims=True)

    falling = InverseTimeSchedule(3.0)
    result = subgradient_descent(
        lambda c: np.abs(c - t).sum(), 20.0, subgradient=slope, learning_rate=falling, keep_path=True
    )
    np.testing.assert_allclose(result.x, 2.0, atol=0.02)
    assert result.value == result.history.min() and np.any(np.diff(result.history) > 0)  # it may rise in between
    assert len(result.path) == result.n_iter + 1


def test_stopping_rules():
    flat = subgradient_descent(lambda x: max(0.0, abs(x[0]) - 1), 0.5, subgradient=lambda x: [0.0])
    assert flat.converged and flat.n_iter == 0 and "zero is a subgradient" in flat.reason
    fixed = subgradient_descent(lambda x: abs(x[0]), 3.0, subgradient=np.sign, tol=None, max_iter=20)
    assert fixed.n_iter == 20 and fixed.converged
    with pytest.warns(NotConverged, match="still falling"):
        subgradient_descent(lambda x: abs(x[0]), 50.0, subgradient=np.sign, max_iter=10)
    with pytest.warns(NotConverged, match="diverged"):
        subgradient_descent(lambda x: x[0] ** 4, 9.0, subgradient=lambda x: 4 * x**3, learning_rate=1.0)
    with pytest.raises(DataError, match="an objective is needed"):
        subgradient_descent(None, 1.0, subgradient=np.sign)
