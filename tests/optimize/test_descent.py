"""Gradient descent: the notes' runs, step sizes, backtracking, momentum, failures reported."""

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

from novum.exceptions import DataError, NotConverged, ParameterError
from novum.optimize import Problem, gradient_descent

X, Y = np.column_stack([np.ones(4), np.arange(4.0)]), np.array([1.0, 3, 2, 5])


def half_sse(w):
    return 0.5 * np.sum((Y - X @ w) ** 2)


def slope(w):
    return -X.T @ (Y - X @ w)


@pytest.mark.notes("004", "gradient-descent")
def test_fixed_step_stops_after_seventy_updates():
    result = gradient_descent(lambda t: (t - 1) ** 2, 4.0, gradient=lambda t: 2 * (t - 1), learning_rate=0.1, tol=1e-6)
    assert result.n_iter == 70 and result.converged
    np.testing.assert_allclose(result.x, 1.00000049, atol=5e-9)
    assert result.history.size == result.gradient_norms.size == 71 and result.history[0] == 9


@pytest.mark.notes("000-b", "gradient-descent")
@pytest.mark.notes("000-c", "batch-gd")
def test_least_squares_first_step_and_the_largest_step_size():
    path = gradient_descent(half_sse, [0, 0], gradient=slope, learning_rate=0.05, keep_path=True, tol=1e-10).path
    np.testing.assert_allclose(path[1], [0.55, 1.1], rtol=1e-14)
    np.testing.assert_allclose(path[-1], [1.1, 1.1], atol=1e-9)
    limit = 2 / np.linalg.eigvalsh(X.T @ X)[-1]
    np.testing.assert_allclose(limit, 0.118975, atol=5e-7)
    below = gradient_descent(half_sse, [0, 0], gradient=slope, learning_rate=0.99 * limit)
    assert below.converged and np.all(np.diff(below.history) <= 1e-12)
    with pytest.warns(NotConverged, match="gradient_descent: stopped after .* lower the learning rate"):
        above = gradient_descent(half_sse, [0, 0], gradient=slope, learning_rate=1.01 * limit, max_iter=200)
    assert above.history[-1] > above.history[0]


@pytest.mark.notes("002", "gradient-descent")
@pytest.mark.notes("003", "gradient-descent")
def test_the_gradient_alone_is_enough_and_a_stationary_start_stops_at_once():
    result = gradient_descent(None, [3.0, -1.0], gradient=lambda w: w - [1, 2], learning_rate=0.5, keep_path=True)
    np.testing.assert_allclose(result.x, [1, 2], atol=1e-6)
    assert np.isnan(result.value) and result.history.size == 0 and len(result.path) == result.n_iter + 1
    np.testing.assert_allclose(result.path[1], [2.0, 0.5])
    at_saddle = gradient_descent(lambda x: x[0] ** 2 - x[1] ** 2, [0.0, 0.0], gradient=lambda x: [2 * x[0], -2 * x[1]])
    assert at_saddle.converged and at_saddle.n_iter == 0


@pytest.mark.notes("003", "gradient-descent")
def test_backtracking_descends_always_and_differences_replace_a_missing_gradient():
    result = gradient_descent(rosen, [-1.2, 1.0], gradient=rosen_der, tol=1e-4, max_iter=50_000)
    assert np.all(np.diff(result.history) <= 0)
    np.testing.assert_allclose(result.x, 1, atol=1e-3)
    bare = gradient_descent(half_sse, [0, 0], tol=1e-5)
    np.testing.assert_allclose(bare.x, [1.1, 1.1], atol=1e-5)


def test_momentum_needs_fewer_steps_on_a_narrow_valley():
    def valley(x):
        return x[0] ** 2 / 2 + 50 * x[1] ** 2

    def narrow(x):
        return np.array([x[0], 100 * x[1]])

    plain = gradient_descent(valley, [10.0, 1.0], gradient=narrow, learning_rate=0.018)
    heavy = gradient_descent(valley, [10.0, 1.0], gradient=narrow, learning_rate=0.018, momentum=0.8)
    assert heavy.n_iter < plain.n_iter / 3


def test_maximizing_and_fused_objectives():
    top = Problem(lambda x: (-((x[0] - 2) ** 2), np.array([-2 * (x[0] - 2)])), gradient=True, maximize=True)
    result = gradient_descent(top, [0.0])
    np.testing.assert_allclose(result.x, 2, atol=1e-6)
    assert np.all(np.diff(result.history) >= 0) and "converged" in repr(result)


def test_divergence_is_named():
    with pytest.warns(NotConverged, match="diverged: the gradient is no longer finite"):
        result = gradient_descent(lambda x: x[0] ** 4, 10.0, gradient=lambda x: 4 * x**3, learning_rate=1.0)
    assert not result.converged
    with pytest.warns(NotConverged, match="no step lowers the objective further"):
        gradient_descent(lambda x: x @ x, [1.0], gradient=lambda x: -2 * x)


@pytest.mark.parametrize(
    ("kwargs", "error", "message"),
    [
        ({"learning_rate": "armijo"}, ParameterError, r"gradient_descent\(learning_rate='armijo'\)"),
        ({"learning_rate": -1.0}, ParameterError, r"gradient_descent\(learning_rate=-1.0\)"),
        ({"momentum": 0.5}, ParameterError, "momentum=0; pass learning_rate as a number"),
        ({"momentum": 1.0, "learning_rate": 0.1}, ParameterError, r"momentum must lie in \[0, 1\)"),
        ({"max_iter": 0}, ParameterError, "max_iter must be at least 1"),
        ({"tol": -1}, ParameterError, r"gradient_descent\(tol=-1\)"),
        ({"start": [np.nan, 0]}, DataError, "start holds NaN or infinity at index 0"),
        ({"gradient": lambda w: [1.0]}, DataError, r"Problem.gradient: returned shape \(1,\)"),
        ({"objective": None, "gradient": None}, ParameterError, "with no objective a gradient function is needed"),
        ({"objective": lambda w: w}, DataError, r"the objective returned shape \(2,\)"),
        ({"objective": 3}, ParameterError, r"Problem\(objective=3\)"),
    ],
)
def test_wrong_arguments(kwargs, error, message):
    arguments = {"objective": half_sse, "start": [0.0, 0.0], "gradient": slope} | kwargs
    with pytest.raises(error, match=message):
        gradient_descent(arguments.pop("objective"), arguments.pop("start"), **arguments)


def test_constraints_are_not_silently_ignored():
    with pytest.raises(ParameterError, match="has constraints, which this driver ignores"):
        gradient_descent(Problem(half_sse, equalities=[lambda x: x[0]]), [0.0, 0.0])
    with pytest.raises(ParameterError, match="holds its own derivatives"):
        gradient_descent(Problem(half_sse), [0.0, 0.0], gradient=slope)
