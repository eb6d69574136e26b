"""Newton's method and L-BFGS."""

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der, rosen_hess
from scipy.special import expit

from novum.exceptions import DataError, NotConverged, ParameterError
from novum.losses import CrossEntropyLoss
from novum.optimize import RegularizedRisk, lbfgs, newton, newton_root

X6, T6 = np.column_stack([np.ones(6), np.arange(6.0)]), np.array([0, 0, 1, 0, 1, 1])


@pytest.mark.notes("004", "newton-raphson")
def test_root_of_two():
    result = newton_root(lambda t: t**2 - 2, 1.0, derivative=lambda t: 2 * t, keep_path=True)
    np.testing.assert_allclose(result.path[:5, 0], [1, 1.5, 1.416667, 1.41421569, 1.41421356], atol=4e-7)
    np.testing.assert_allclose(result.x, np.sqrt(2), rtol=1e-15)
    vector = newton_root(lambda x: [x[0] ** 2 + x[1] ** 2 - 4, x[0] - x[1]], [1.0, 0.5])
    np.testing.assert_allclose(vector.x, np.sqrt(2), rtol=1e-12)


@pytest.mark.notes("004", "newton-raphson")
def test_pure_newton_on_logistic_regression_gives_the_known_iterates():
    def gradient(w):
        return X6.T @ (expit(X6 @ w) - T6)

    def hessian(w):
        p = expit(X6 @ w)
        return (X6.T * (p * (1 - p))) @ X6

    result = newton(None, [0, 0], gradient=gradient, hessian=hessian, line_search=False, keep_path=True)
    expected = [(-2, 0.8), (-2.774439, 1.109776), (-3.015312, 1.206125), (-3.03495, 1.21398)]
    np.testing.assert_allclose(result.path[1:5], expected, atol=6e-6)
    np.testing.assert_allclose(result.x, [-3.035069, 1.214028], atol=5e-7)
    errors = np.linalg.norm(result.path - result.x, axis=1)[1:5]
    assert np.all(errors[1:] < errors[:-1] ** 1.5)  # digits double


def test_line_search_reaches_a_minimum_where_pure_steps_climb():
    def wave(x):
        return np.cos(x[0])

    start = [0.4]  # the curvature is negative here: a pure step goes to the maximum at 0
    pure = newton(wave, start, gradient=lambda x: -np.sin(x), hessian=lambda x: -np.cos(x), line_search=False)
    np.testing.assert_allclose(pure.value, 1)
    safe = newton(wave, start, gradient=lambda x: -np.sin(x), hessian=lambda x: -np.cos(x))
    np.testing.assert_allclose(safe.value, -1)
    assert np.all(np.diff(safe.history) <= 0)


def test_rosenbrock_with_and_without_derivatives():
    exact = newton(rosen, [-1.2, 1.0, -0.5], gradient=rosen_der, hessian=rosen_hess)
    np.testing.assert_allclose(exact.x, 1, atol=1e-8)
    slopes = newton(rosen, [-1.2, 1.0], gradient=rosen_der)
    np.testing.assert_allclose(slopes.x, 1, atol=1e-7)
    bare = newton(rosen, [-1.2, 1.0], tol=1e-5)
    np.testing.assert_allclose(bare.x, 1, atol=1e-4)


def test_failures_are_named():
    with pytest.warns(NotConverged, match="newton: stopped after 3 iterations: max_iter=3 reached"):
        newton(rosen, [-1.2, 1.0], gradient=rosen_der, hessian=rosen_hess, max_iter=3)
    with pytest.raises(DataError, match="second derivatives is singular"):
        newton(lambda x: x[0], [0.0], gradient=lambda x: [1.0], hessian=lambda x: [[0.0]], line_search=False)
    with pytest.raises(DataError, match=r"Problem.hessian: returned shape \(1, 1\); it must be \(2, 2\)"):
        newton(lambda x: x @ x, [1.0, 1.0], gradient=lambda x: 2 * x, hessian=lambda x: [[1.0]])
    with pytest.warns(NotConverged, match="derivative is singular at step 0"):
        newton_root(lambda t: t**2 + 1, 0.0, derivative=lambda t: 2 * t)
    with pytest.raises(DataError, match="function returned 1 values for 2 unknowns"):
        newton_root(lambda x: x[0], [1.0, 2.0])
    with pytest.warns(NotConverged, match="newton_root"):
        newton_root(np.arctan, 3.0, derivative=lambda t: 1 / (1 + t**2), damping=False, max_iter=4)
    assert newton_root(np.arctan, 3.0, derivative=lambda t: 1 / (1 + t**2)).converged  # damping saves it


def test_a_fused_objective_is_not_evaluated_twice_at_a_point():
    points = []

    def both(x):
        points.append(x.tobytes())
        return rosen(x), rosen_der(x)

    newton(both, [-1.2, 1.0], gradient=True, hessian=rosen_hess)
    assert len(points) == len(set(points))


def test_lbfgs_agrees_with_newton_and_keeps_a_history():
    rng = np.random.default_rng(0)
    X, t = rng.normal(size=(80, 5)), rng.integers(0, 2, 80)
    risk = RegularizedRisk(X, t, CrossEntropyLoss())
    a = lbfgs(risk.value_and_gradient, np.zeros(6), gradient=True, tol=1e-9)
    b = newton(risk.value_and_gradient, np.zeros(6), gradient=True, hessian=risk.hessian, tol=1e-12)
    np.testing.assert_allclose(a.x, b.x, atol=1e-6)
    assert a.history.size == a.n_iter + 1 and np.all(np.diff(a.history) <= 0) and a.gradient_norm <= 1e-9
    with pytest.warns(NotConverged, match="lbfgs: stopped after 2 iterations"):
        lbfgs(rosen, [-1.2, 1.0], gradient=rosen_der, max_iter=2)
    with pytest.raises(ParameterError, match="lbfgs: an objective is needed"):
        lbfgs(None, [1.0], gradient=lambda x: x)
