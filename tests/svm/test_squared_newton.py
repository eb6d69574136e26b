"""Squared losses of linear machines in the core: sums against their formulas, the minimum against its condition."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from novum import _core
from novum.fold.blocks import Block
from novum.svm import LinearSVC, LinearSVR
from novum.svm.squared_loss import At, Loss, losses_of, newton_on_few, squared_sums


def sample(n, p, regression, seed=0):
    rng = np.random.default_rng(seed)
    X, weight = rng.normal(size=(n, p)), np.where(np.arange(n) % 5 == 2, 0.0, rng.random(n))
    y = X @ rng.normal(size=p) + rng.normal(size=n)
    loss = Loss(None, np.array([0.7]), 0.2) if regression else Loss(1, np.array([0.7, 1.3]), 0.0)
    return X, (y if regression else (y > 0).astype(int)), weight, loss


@pytest.mark.parametrize("n, p", [(1, 1), (7, 3), (64, 8), (300, 17), (5, 0)])
@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_are_those_of_the_formulas(n, p, regression, dtype, weighted):
    X, y, weight, loss = sample(n, p, regression)
    block = Block(X.astype(dtype), y, weight if weighted else None)
    theta = np.random.default_rng(1).normal(size=(1, p + 1))
    at = At(theta, 0.6, loss, True, 1)
    found, (r, d, price) = squared_sums(at, block), losses_of(at, block)
    Z = np.column_stack([block.X.astype(float), np.full(n, 0.6)])
    tight = {"rtol": 1e-5, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-12, "atol": 1e-12}
    assert_allclose(found.loss, price @ r**2, **tight)
    assert_allclose(found.gradient[0], 2 * Z.T @ (price * d), **tight)
    assert_allclose(found.hessian, (Z * (2 * price * (r > 0))[:, None]).T @ Z, **tight)


@pytest.mark.parametrize("regression", [False, True])
def test_the_minimum_has_no_slope(regression):
    X, y, weight, loss = sample(400, 9, regression)
    price = losses_of(At(np.zeros((1, 10)), 1.0, loss, False, 0), Block(X, y, weight))[2]
    found = newton_on_few(X, y, weight, loss, constant=1.0, mass=float(price.sum()), tol=1e-12, max_iter=100)
    at = At(found.theta, 1.0, loss, False, 0)
    assert found.converged
    assert_allclose(squared_sums(at, Block(X, y, weight)).gradient + found.theta, 0.0, atol=1e-9)


@pytest.mark.parametrize("machine", [LinearSVC(tol=1e-10), LinearSVR(loss="squared_epsilon_insensitive", tol=1e-10)])
def test_small_and_large_tables_take_different_ways_to_the_same_plane(machine):
    X, y, _, _ = sample(3000, 6, isinstance(machine, LinearSVR))
    small = machine.fit(X, y).coef_.copy()
    repeated = machine.set_params(C=1 / 16).fit(np.tile(X, (16, 1)), np.tile(y, 16)).coef_
    assert_allclose(repeated, small, rtol=1e-7, atol=1e-9)


def test_what_does_not_fit_is_refused():
    X, y, theta = np.zeros((3, 2)), np.zeros(3), np.zeros(3)
    good = {"loss": "squares", "parameter": 0.0, "constant": 1.0, "middle": 0.0, "unit": 1.0, "mass": 1.0}
    good |= {"penalty": np.ones(3), "tol": 0.0, "share": 0.1, "most": 5}
    for bad in ({"loss": "huber"}, {"penalty": np.ones(2)}, {"loss": "none"}):
        with pytest.raises(ValueError, match=r"line_newton|line_pass"):
            _core.linear_model.newton.line_newton(X, y, None, theta, **(good | bad))
    for arguments in ((X, y[:2], None, theta), (X, y, np.ones(4), theta), (X, y, None, np.zeros(2))):
        with pytest.raises(ValueError, match="line_newton"):
            _core.linear_model.newton.line_newton(*arguments, **good)
