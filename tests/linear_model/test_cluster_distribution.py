"""Covariances by cluster against their literal n x n definition, and what is said of few clusters and of missing names."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import linalg

from novum.exceptions import DataError
from novum.linear_model import LinearRegression, LogisticRegression, PoissonRegressor


def literal(Z, weight, slope, groups, contrasts):
    """Return CR2 and eta of (3) from residual makers of all rows: nothing shared with the library."""
    A = Z * np.sqrt(weight)[:, None]
    e = slope / np.sqrt(weight)  # residuals of the last weighted least squares
    B = np.linalg.inv(A.T @ A)
    left = np.eye(len(A)) - A @ B @ A.T
    totals, columns = [], []
    for g in np.unique(groups):
        mine = groups == g
        values, vectors = np.linalg.eigh(left[np.ix_(mine, mine)])
        half = np.where(values > 1e-9, 1 / np.sqrt(np.maximum(values, 1e-300)), 0)
        stretch = vectors * half @ vectors.T
        totals.append(A[mine].T @ stretch @ e[mine])
        columns.append(left[:, mine] @ stretch @ A[mine] @ B @ contrasts.T)  # (n, q)
    cov = B @ np.array(totals).T @ np.array(totals) @ B
    G = np.array(columns)  # (clusters, n, q): T_st = sum_g (G_gs' e)(G_gt' e)
    mean = np.einsum("gns,gnt->st", G, G)
    G = G @ np.linalg.inv(linalg.sqrtm(mean).real)
    cross = np.einsum("gns,hnt->ghst", G, G)
    q = len(contrasts)
    total = sum(
        (cross[:, :, s, s] * cross[:, :, t, t]).sum() + (cross[:, :, s, t] * cross[:, :, t, s]).sum()
        for s in range(q)
        for t in range(q)
    )
    return cov, q * (q + 1) / total


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["linear", "poisson", "logistic"])
def test_the_distribution_is_its_definition(kind, seed):
    rng = np.random.default_rng([seed, 5])
    groups = rng.integers(0, 9, 70)
    X = rng.normal(size=(70, 2)) * [1.0, 100.0] + rng.normal(size=9)[groups][:, None]
    X[:, 0] = (groups < 3).astype(float)
    eta = 0.5 * X[:, 0] - 0.004 * X[:, 1] + 0.5 * rng.normal(size=9)[groups]
    w = rng.uniform(0.5, 2, 70) if seed % 2 else None
    one = np.ones(70) if w is None else w
    Z = np.column_stack([np.ones(70), X])
    if kind == "linear":
        y = eta + rng.normal(size=70)
        model = LinearRegression().fit(X, y, sample_weight=w)
        weight, slope = one, one * (y - model.predict(X))
    elif kind == "poisson":
        y = rng.poisson(np.exp(eta))
        model = PoissonRegressor(alpha=0).fit(X, y, sample_weight=w)
        mean = model.predict(X)
        weight, slope = one * mean, one * (y - mean)
    else:
        y = (eta + rng.logistic(size=70) > 0).astype(int)
        model = LogisticRegression(C=np.inf, tol=1e-12).fit(X, y, sample_weight=w)
        p = model.predict_proba(X)[:, 1]
        weight, slope = one * p * (1 - p), one * (y - p)
    found = model.inference(X, y, w, covariance="cluster", groups=groups)
    for j in range(3):
        cov, eta_j = literal(Z, weight, slope, groups, np.eye(3)[[j]])
        assert found.t_freedom[j] == pytest.approx(eta_j, rel=1e-7)
    assert_allclose(found.covariance, cov, rtol=1e-6, atol=1e-12)
    _, eta_both = literal(Z, weight, slope, groups, np.eye(3)[1:])
    both = found.hypothesis(["x0", "x1"])
    assert both.df == pytest.approx((2, eta_both - 1), rel=1e-6)
    b = found.coef[1:]
    wald = b @ np.linalg.solve(found.covariance[1:, 1:], b)
    assert both.statistic == pytest.approx(wald * (eta_both - 1) / (2 * eta_both), rel=1e-6)
    contrast = found.hypothesis({"x0": 1.0, "x1": -2.0})
    assert contrast.df[1] == pytest.approx(literal(Z, weight, slope, groups, np.array([[0, 1.0, -2.0]]))[1], rel=1e-7)
    assert contrast.statistic == pytest.approx((b @ [1, -2]) ** 2 / contrast.standard_error[0] ** 2)


def test_several_classes_are_the_two_of_them_where_there_are_two():
    rng = np.random.default_rng(0)
    X, groups = rng.normal(size=(150, 2)), rng.integers(0, 12, 150)
    y = (X @ [1.0, -1] + rng.logistic(size=150) > 0).astype(int) + (X[:, 1] + rng.normal(size=150) > 1)
    model = LogisticRegression(C=np.inf, tol=1e-12).fit(X, y)
    found = {base: model.inference(X, y, covariance="cluster", groups=groups, base_class=base) for base in (0, 1)}
    place = [found[0].names.index("1: x0"), found[1].names.index("0: x0")]  # the same contrast, from either side
    assert found[0].standard_error[place[0]] == pytest.approx(found[1].standard_error[place[1]], rel=1e-6)
    assert found[0].t_freedom[place[0]] == pytest.approx(found[1].t_freedom[place[1]], rel=1e-6)


def test_few_treated_clusters_have_few_degrees_of_freedom():
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(60), 10)
    X = np.column_stack([groups < 5, rng.normal(size=600)]).astype(float)
    y = X[:, 1] + rng.normal(size=60)[groups] + rng.normal(size=600)
    found = LinearRegression().fit(X, y).inference(X, y, covariance="cluster", groups=groups)
    assert 3.5 < found.t_freedom[1] < 6 and found.t_freedom[2] > 40
    assert "60 clusters, t with" in repr(found) and "df" in found.to_frame()
    two = np.column_stack([groups < 2, X[:, 1]]).astype(float)
    warned = LinearRegression().fit(two, y).inference(two, y, covariance="cluster", groups=groups)
    assert "few clusters decide x0" in repr(warned) and "few clusters decide" not in repr(found)
    many = rng.normal(size=(600, 9))
    few = LinearRegression().fit(many, y).inference(many, y, covariance="cluster", groups=groups % 4)
    with pytest.raises(DataError, match="too few to test 9 hypotheses together"):
        few.hypothesis([f"x{j}" for j in range(9)])
    assert np.isnan(few.f_statistic) and "F ?" in repr(few)


@pytest.mark.parametrize("missing", [np.nan, None, pd.NA, pd.NaT])
def test_rows_without_a_cluster_are_refused(missing):
    rng = np.random.default_rng(2)
    X, names = rng.normal(size=(40, 1)), np.array([f"g{i % 5}" for i in range(40)], dtype=object)
    y = X[:, 0] + rng.normal(size=40)
    names[[3, 17]] = missing
    counts = rng.poisson(np.ones(40))
    for model, target in (
        (LinearRegression(), y),
        (PoissonRegressor(alpha=0), counts),
        (LogisticRegression(C=np.inf), (y > 0).astype(int)),
    ):
        fitted = model.fit(X, target)
        for kind in ("cluster", "CR1"):
            with pytest.raises(DataError, match="groups is missing for 2 of 40 rows, the first of them row 3"):
                fitted.inference(X, target, covariance=kind, groups=names)
    number = np.where(np.arange(40) == 7, np.nan, np.arange(40) % 6)
    with pytest.raises(DataError, match="groups is missing for 1 of 40 rows"):
        LinearRegression().fit(X, y).inference(X, y, covariance="cluster", groups=number)
    weight = np.where(np.isnan(number), 0.0, 1.0)  # a row that does not count needs no cluster
    LinearRegression().fit(X, y, weight).inference(X, y, weight, covariance="cluster", groups=number)
