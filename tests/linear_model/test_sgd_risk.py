"""Stochastic descent as a way to the least regularized risk: portions written out, the minimum it comes to, class weights."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from novum.linear_model import SGDClassifier, SGDRegressor

RNG = np.random.default_rng(4)
X = RNG.normal(size=(60, 4))
NUMBERS = X @ [1.0, -2.0, 0.5, 0.0] + 0.3 + 0.2 * RNG.normal(size=60)
CLASSES = np.where(NUMBERS > 0.4, 1, -1)
PLAIN = {"learning_rate": "constant", "eta0": 0.05, "alpha": 0.1, "shuffle": False, "tol": None}


def mean_slopes(kind, rows, w, b):
    """Return the mean slopes of the losses of some rows in w and b."""
    scores = X[rows] @ w + b
    if kind is SGDRegressor:  # (f - t)^2 / 2
        slope = scores - NUMBERS[rows]
    else:  # max(0, 1 - t f)
        slope = np.where(CLASSES[rows] * scores < 1, -CLASSES[rows], 0)
    return slope @ X[rows] / len(rows), slope.mean()


@pytest.mark.notes("000-b", "minibatch-sgd")
@pytest.mark.parametrize(("kind", "y"), [(SGDClassifier, CLASSES), (SGDRegressor, NUMBERS)])
@pytest.mark.parametrize("size", [7, 20, 60])
def test_portions_of_rows_step_along_their_mean_slope(kind, y, size):
    model = kind(batch_size=size, max_iter=5, **PLAIN).fit(X, y)
    w, b = np.zeros(4), 0.0
    for _ in range(5):
        for first in range(0, 60, size):
            slope, of_bias = mean_slopes(kind, np.arange(first, min(first + size, 60)), w, b)
            w, b = w - 0.05 * (slope + 0.1 * w), b - 0.05 * of_bias
    assert_allclose(np.ravel(model.coef_), w, rtol=1e-10)
    assert_allclose(model.intercept_, b, rtol=1e-10)


@pytest.mark.notes("000-b", "regularised-risk")
def test_numbers_come_to_the_least_regularized_risk():
    """The minimum of alpha |w|^2 / 2 + mean (t - w x - b)^2 / 2 solves a linear system; b is free."""
    options = {**PLAIN, "eta0": 0.3, "batch_size": None}
    centered, aims = X - X.mean(axis=0), NUMBERS - NUMBERS.mean()
    for alpha in (0.01, 1.0):
        model = SGDRegressor(max_iter=3000, **{**options, "alpha": alpha}).fit(X, NUMBERS)
        w = np.linalg.solve(centered.T @ centered / 60 + alpha * np.eye(4), centered.T @ aims / 60)
        assert_allclose(model.coef_, w, rtol=1e-9)
        assert_allclose(model.intercept_, NUMBERS.mean() - X.mean(axis=0) @ w, rtol=1e-9)


@pytest.mark.notes("002", "class-weights")
def test_class_weights_are_weights_of_the_rows():
    given = {-1: 0.4, 1: 2.5}
    rows = np.where(CLASSES == 1, 2.5, 0.4)
    options = {**PLAIN, "max_iter": 20}
    model = SGDClassifier(class_weight=given, **options).fit(X, CLASSES)
    assert_allclose(model.coef_, SGDClassifier(**options).fit(X, CLASSES, sample_weight=rows).coef_, rtol=1e-12)
    w, b = np.zeros(4), 0.0
    for _ in range(20):
        for i in range(60):
            inside = CLASSES[i] * (X[i] @ w + b) < 1
            w = w * (1 - 0.05 * 0.1) + 0.05 * rows[i] * inside * CLASSES[i] * X[i]
            b += 0.05 * rows[i] * inside * CLASSES[i]
    assert_allclose(model.coef_[0], w, rtol=1e-9)
    shares = 60 / (2 * np.array([(CLASSES == -1).sum(), (CLASSES == 1).sum()]))
    balanced = SGDClassifier(class_weight="balanced", **options).fit(X, CLASSES)
    same = SGDClassifier(class_weight=dict(zip((-1, 1), shares)), **options).fit(X, CLASSES)
    assert_allclose(balanced.coef_, same.coef_, rtol=1e-12)
