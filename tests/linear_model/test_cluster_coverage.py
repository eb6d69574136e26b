"""Intervals by cluster over a grid: the degrees of freedom of Bell and McCaffrey cover, those of CR1 tell few clusters aloud."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from novum.exceptions import DataWarning, NotConverged
from novum.linear_model import LinearRegression, LogisticRegression, PoissonRegressor

SLOPES = np.array([0.5, -0.7, 0.3])


def clustered(rng, n_clusters, n_columns, base, kind, size=12):
    """Return rows whose first column is constant within clusters, which share an effect of deviation 0.7."""
    groups = np.repeat(np.arange(n_clusters), size)
    X = rng.normal(size=(len(groups), n_columns))
    X[:, 0] = rng.normal(size=n_clusters)[groups]
    eta = base + X @ SLOPES[:n_columns] + 0.7 * rng.normal(size=n_clusters)[groups]
    y = rng.random(len(eta)) < 1 / (1 + np.exp(-eta)) if kind == "logistic" else rng.poisson(np.exp(eta))
    return X, y.astype(int), groups


def fitted(kind, X, y):
    return (LogisticRegression(C=np.inf) if kind == "logistic" else PoissonRegressor(alpha=0)).fit(X, y)


@pytest.mark.parametrize("kind", ["logistic", "poisson", "linear"])
def test_bounds_are_those_of_t_and_few_clusters_are_reported(kind):
    for n_clusters in (12, 240):
        X, y, groups = clustered(np.random.default_rng(3), n_clusters, 2, 0.0, "logistic" if kind == "linear" else kind)
        model = LinearRegression().fit(X, y) if kind == "linear" else fitted(kind, X, y)
        found = model.inference(X, y, covariance="CR1", groups=groups, level=0.9)
        distribution = stats.t(n_clusters - 1)
        half = distribution.ppf(0.95) * found.standard_error
        assert_allclose([found.lower, found.upper], [found.coef - half, found.coef + half], rtol=1e-12)
        assert_allclose(found.p_value, 2 * distribution.sf(np.abs(found.coef / found.standard_error)), rtol=1e-10)
        assert "t" in found.to_frame().columns and f"{n_clusters} clusters, t with {n_clusters - 1}" in repr(found)
        assert ("so few clusters" in repr(found)) == (n_clusters == 12)
        assert found.hypothesis("x1").df == (1, n_clusters - 1.0)
        plain = model.inference(X, y)
        assert "clusters" not in repr(plain) and ("z" in plain.to_frame().columns) == (kind != "linear")


def treated(rng, n_clusters, n_treated, kind, unequal):
    """Return rows of clusters, the first of which are treated (or a column of clusters where none is), and shared effects."""
    sizes = np.maximum(2, rng.lognormal(np.log(12) - 0.5, 1, n_clusters)).astype(int) if unequal else [12] * n_clusters
    groups = np.repeat(np.arange(n_clusters), sizes)
    X = rng.normal(size=(len(groups), 2))
    X[:, 0] = (np.arange(n_clusters) < n_treated if n_treated else rng.normal(size=n_clusters))[groups]
    eta = X @ [0.5, -0.7] + 0.7 * rng.normal(size=n_clusters)[groups]
    if kind == "linear":
        return X, eta + rng.normal(size=len(eta)), groups
    return X, rng.poisson(np.exp(eta)), groups


GRID = [(60, 5, False), (60, 5, True), (10, 0, False), (10, 3, False), (30, 0, True), (30, 4, True), (100, 8, True)]


@pytest.mark.slow
@pytest.mark.parametrize(("n_clusters", "n_treated", "unequal"), GRID)
@pytest.mark.parametrize("kind", ["linear", "poisson"])
def test_few_treated_clusters_are_covered(kind, n_clusters, n_treated, unequal):
    rng = np.random.default_rng([n_clusters, n_treated, unequal])
    truth, held, plain, trials = np.array([0.5, -0.7]), np.zeros(2), np.zeros(2), 600
    for _ in range(trials):
        X, y, groups = treated(rng, n_clusters, n_treated, kind, unequal)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConverged)
            model = LinearRegression().fit(X, y) if kind == "linear" else PoissonRegressor(alpha=0).fit(X, y)
        for total, covariance in ((held, "cluster"), (plain, "CR1")):
            found = model.inference(X, y, covariance=covariance, groups=groups)
            total += (found.lower[1:] <= truth) & (truth <= found.upper[1:])
    assert (held / trials).min() > 0.915 and (held / trials).max() < 0.99  # two points and 1.5 standard errors
    assert n_treated != 5 or plain[0] / trials < 0.9  # what t with G - 1 says of five treated clusters


@pytest.mark.slow
@pytest.mark.parametrize("n_columns", [2, 3])
@pytest.mark.parametrize(("kind", "base"), [("logistic", 0.0), ("logistic", -2.8), ("poisson", 0.3), ("poisson", -2.3)])
def test_coverage_over_clusters_columns_and_rare_outcomes(kind, base, n_columns):
    X, y, _ = clustered(np.random.default_rng(99), 40_000, n_columns, base, kind)
    model = fitted(kind, X, y)
    truth = np.append(
        np.ravel(model.intercept_), np.ravel(model.coef_)
    )  # of the average row, cluster effects summed out
    least = {"logistic": {10: 0.91, 30: 0.91, 100: 0.91}, "poisson": {10: 0.86, 30: 0.88, 100: 0.88}}[kind]
    for n_clusters in (10, 30, 100):
        rng = np.random.default_rng([n_clusters, n_columns, int(100 - 10 * base)])
        held, by_z, counted = np.zeros(n_columns + 1), np.zeros(n_columns + 1), 0
        for _ in range(250):
            X, y, groups = clustered(rng, n_clusters, n_columns, base, kind)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", (DataWarning, NotConverged))
                model = fitted(kind, X, y)
            if getattr(model, "separation_", None) is not None:
                continue
            found = model.inference(X, y, covariance="cluster", groups=groups)
            held += (found.lower <= truth) & (truth <= found.upper)
            by_z += np.abs(found.coef - truth) <= stats.norm.ppf(0.975) * found.standard_error
            counted += 1
        assert counted > 240
        assert (held / counted).min() > least[n_clusters] and (held / counted).max() < 0.995
        assert (held >= by_z).all() and (n_clusters > 10 or (held - by_z).mean() / counted > 0.015)
