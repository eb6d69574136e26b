"""Intervals of logged choices cover as they say where the call is silent; what has no interval prints none."""

import warnings

import numpy as np

from novum.bandits import evaluate_logged

ARMS = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.5]])


def logged(rng, n, share):
    """Return what a logger with random choices in a share of rows did, and what the greedy policy would earn there."""
    x = rng.normal(size=(n, 2))
    mean = x @ ARMS.T + 0.5 * x[:, :1] ** 2  # no linear model is right
    probabilities = np.full((n, 3), share / 3)
    probabilities[np.arange(n), np.argmin(x @ ARMS.T, axis=1)] += 1 - share
    a = (rng.random(n)[:, None] > np.cumsum(probabilities, axis=1)).sum(axis=1).clip(0, 2)
    return x, a, mean[np.arange(n), a] + rng.normal(size=n), probabilities, np.argmax(x @ ARMS.T, axis=1)


def test_coverage_where_nothing_is_said():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(1_000_000, 2))
    truth = float(((x @ ARMS.T).max(axis=1) + 0.5 * x[:, 0] ** 2).mean())
    for n, share in ((300, 1.0), (1500, 0.8)):
        inside, silent = [], 0
        for _ in range(150):
            x, a, r, probabilities, target = logged(rng, n, share)
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                found = evaluate_logged(a, r, probabilities, target, contexts=x, folds=2)
            direct = found.method.index("direct")
            assert np.isnan([found.standard_error[direct], found.low[direct], found.high[direct]]).all()
            assert np.isfinite(found.value).all()
            if not said:
                silent += 1
                inside.append([low <= truth <= high for low, high in zip(found.low, found.high)])
        assert silent > 100
        covered = np.delete(np.mean(inside, axis=0), direct)
        assert (covered > 0.95 - 3 * np.sqrt(0.05 * 0.95 / silent)).all()
