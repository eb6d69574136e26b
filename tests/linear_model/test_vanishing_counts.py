"""Counts that vanish along a direction have no finite maximum: said exactly where a linear programme finds such a direction."""

import warnings

import numpy as np
import pytest
from scipy.optimize import linprog

from novum.exceptions import DataError, NotConverged
from novum.linear_model import GammaRegressor, LogisticRegression, PoissonRegressor, TweedieRegressor


def has_no_maximum(Z, y, intercept):
    """Return whether (11) has a solution."""
    D = np.column_stack([Z, np.ones(len(Z))]) if intercept else Z
    empty, counted = D[y == 0], D[y > 0]
    if not len(empty):
        return False
    found = linprog(
        empty.sum(axis=0),
        A_ub=empty,
        b_ub=np.zeros(len(empty)),
        A_eq=counted,
        b_eq=np.zeros(len(counted)),
        bounds=[(-1, 1)] * D.shape[1],
    )
    return found.fun < -1e-7


def counts(seed):
    """Return a random table in which some columns may single out rows without counts."""
    rng = np.random.default_rng(seed)
    n, p, kind = rng.integers(15, 120), rng.integers(1, 5), seed % 4
    Z = rng.normal(size=(n, p))
    if kind:
        Z[:, 0] = (rng.random(n) < 0.3) * (1 if kind == 1 else rng.integers(1, 4, n))
    if kind == 3 and p > 1:
        Z[:, 1] = Z[:, 0] * (rng.random(n) < 0.5)
    y = rng.poisson(np.exp(0.3 * Z[:, -1] - rng.choice([0, 1, 2.0]))).astype(float)
    if kind and rng.random() < 0.6:
        y[Z[:, 0] != 0] = 0
    y[0] = max(y[0], 1.0)
    intercept = bool(rng.random() < 0.8)
    return Z, y, intercept, 10.0 ** rng.choice([0, 0, -9, 9]), float(rng.choice([0, 0, 1e6])) if intercept else 0.0


def test_it_is_said_where_it_is_so_and_nowhere_else():
    seen = [0, 0]
    for seed in range(1000, 1080):
        Z, y, intercept, unit, shift = counts(seed)
        options = {"alpha": 0, "fit_intercept": intercept}
        model = PoissonRegressor(**options) if seed % 3 else TweedieRegressor(power=1.5, **options)
        truth = has_no_maximum(Z, y, intercept)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            model.fit((Z + shift) * unit, y)
        assert (model.separation_ is not None) == truth, seed
        assert len(said) == truth, seed
        assert not said or "no finite maximum" in str(said[0].message)
        seen[truth] += 1
    assert min(seen) > 20


def test_the_direction_and_what_inference_says():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=60), rng.random(60) < 0.2])
    y = rng.poisson(2.0, 60) * (X[:, 1] == 0)
    with pytest.warns(NotConverged, match="x1 singles out"):
        model = PoissonRegressor(alpha=0).fit(X, y)
    np.testing.assert_allclose(model.separation_, [0, -1, 0], atol=1e-9)
    with pytest.raises(DataError, match="no finite maximum exists"):
        model.inference(X, y)
    assert PoissonRegressor(alpha=1e-3).fit(X, y).separation_ is None
    assert GammaRegressor(alpha=0).fit(X, y + 0.1).separation_ is None


@pytest.mark.parametrize("seed", [15, 28])  # brackets that lost their root to another maximum
def test_firth_of_three_separated_classes_has_an_interval(seed):
    rng = np.random.default_rng(seed)
    n, p = rng.integers(9, 30), rng.integers(1, 3)
    y = np.arange(n) % 3
    Z = rng.normal(size=(n, p))
    Z[:, 0] += np.array([0, 5.0, 10])[y]
    with pytest.warns(NotConverged, match="separated"):
        model = LogisticRegression(C=np.inf).fit(Z, y)
    found = model.inference(Z, y, method="firth")
    assert ((found.lower < found.coef) & (found.coef < found.upper)).all()
