"""Generalised linear models against scikit-learn at its tightest, statsmodels' printed theory by literal formulas, and coverage."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.linear_model as theirs
from numpy.testing import assert_allclose

import novum
from novum.exceptions import DataError, ParameterError
from novum.linear_model import GammaRegressor, PoissonRegressor, TweedieRegressor
from novum.linear_model.newton.losses.tweedie import Tweedie

FAMILIES = [
    (0.0, "identity"),
    (0.0, "log"),
    (1.0, "log"),
    (1.0, "identity"),
    (1.4, "log"),
    (2.0, "log"),
    (3.0, "log"),
    (-1.0, "log"),
]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    eta = X @ [0.3, -0.2, 0.1, 0.5] + 0.7
    return (
        X,
        rng.poisson(np.exp(eta)).astype(float),
        rng.gamma(2, np.exp(eta) / 2),
        rng.integers(0, 3, 400).astype(float),
    )


@pytest.mark.parametrize(("power", "link"), FAMILIES)
def test_slopes_and_curvatures_are_derivatives(power, link):
    rng = np.random.default_rng(1)
    family, y = Tweedie(power, link), rng.gamma(2.0, size=30)
    eta = rng.normal(size=30) if link == "log" else rng.uniform(0.5, 3, size=30)
    rows, h = family.rows(y, eta), 1e-5
    up, down = (family.loss(y, family.mean(eta + s * h)) for s in (1, -1))
    assert_allclose(rows.slope, (up - down) / (2 * h), rtol=1e-6, atol=1e-6)
    slopes = [family.rows(y, eta + s * h).slope for s in (1, -1)]
    exact = (slopes[0] - slopes[1]) / (2 * h)
    if link == "log" and 1 <= power <= 2:
        assert_allclose(rows.curvature, exact, rtol=1e-6, atol=1e-6)
    mean = family.mean(eta)  # where y is its mean the curvature is the expected one
    around = [family.rows(mean, eta + s * h).slope for s in (1, -1)]
    assert_allclose(family.expected_curvature(mean), (around[0] - around[1]) / (2 * h), rtol=1e-6)
    assert_allclose(family.deviance(y, mean), 2 * (rows.loss - family.loss(y, y)), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("alpha", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_coefficients_are_those_of_scikit_learn(table, alpha, weighted, intercept):
    X, counts, amounts, w = table
    for name, y in (("PoissonRegressor", counts), ("GammaRegressor", amounts)):
        options = {"alpha": alpha, "fit_intercept": intercept}
        ours = getattr(novum.linear_model, name)(**options).fit(X, y, w if weighted else None)
        other = getattr(theirs, name)(solver="newton-cholesky", tol=1e-10, **options).fit(X, y, w if weighted else None)
        assert_allclose(ours.coef_, other.coef_, rtol=1e-9, atol=1e-12)
        assert_allclose(ours.intercept_, other.intercept_, rtol=1e-9, atol=1e-12)
        assert ours.score(X, y, w) == pytest.approx(other.score(X, y, w), rel=1e-8)
        assert_allclose(ours.predict(X), other.predict(X), rtol=1e-9)


@pytest.mark.parametrize(
    ("power", "link"), [(0, "auto"), (1.5, "auto"), (3, "auto"), (0, "log"), (1, "identity"), (-0.5, "log")]
)
def test_every_power_ends_where_nothing_falls(table, power, link):
    X, _, y, w = table
    Z = np.abs(X) if link == "identity" else X
    model = TweedieRegressor(power=power, link=link, alpha=0.1).fit(Z, y, w)
    family = model._family()

    def objective(theta):
        mean = family.mean(Z @ theta[:-1] + theta[-1])
        return float(w @ family.loss(y, mean)) / w.sum() + 0.05 * theta[:-1] @ theta[:-1]

    found = np.append(model.coef_, model.intercept_)
    steps = 1e-5 * np.eye(len(found))
    slope = [(objective(found + step) - objective(found - step)) / 2e-5 for step in steps]
    assert np.abs(slope).max() < 1e-7
    if power >= 0:
        other = theirs.TweedieRegressor(power=power, link=link, alpha=0.1, tol=1e-9, max_iter=10_000).fit(Z, y, w)
        assert_allclose(model.coef_, other.coef_, atol=1e-6)


def test_homes_agree(table, tmp_path):
    import pandas as pd

    X, counts, _, _ = table
    whole = PoissonRegressor(alpha=0.01).fit(X, counts)
    sparse = PoissonRegressor(alpha=0.01).fit(scipy.sparse.csr_matrix(X), counts)
    assert_allclose(sparse.coef_, whole.coef_, rtol=1e-10)
    assert_allclose(sparse.predict(scipy.sparse.csr_matrix(X)), whole.predict(X), rtol=1e-12)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(y=counts)
    frame.to_csv(tmp_path / "t.csv", index=False)
    scanned = PoissonRegressor(alpha=0.01).fit(novum.scan(str(tmp_path / "t.csv"), target="y"))
    assert_allclose(scanned.coef_, whole.coef_, rtol=1e-10)
    again = novum.load(novum.save(whole, tmp_path / "m.novum"))
    assert_allclose(again.predict(X), whole.predict(X), rtol=0)


def test_weights_count_rows_and_warm_starts_begin_where_they_ended(table):
    X, counts, _, w = table
    weighed = PoissonRegressor(alpha=0.0).fit(X, counts, w)
    repeated = PoissonRegressor(alpha=0.0).fit(np.repeat(X, w.astype(int), axis=0), np.repeat(counts, w.astype(int)))
    assert_allclose(weighed.coef_, repeated.coef_, rtol=1e-10)
    warm = PoissonRegressor(alpha=0.0, warm_start=True).fit(X, counts)
    assert warm.fit(X, counts).n_iter_ == 1


def test_more_columns_than_rows_end_at_the_shortest_solution():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(8, 20)), rng.poisson(3, size=8) + 1.0
    model = PoissonRegressor(alpha=0.0, fit_intercept=False).fit(X, y)
    assert_allclose(model.predict(X), y, rtol=1e-6)
    outside = model.coef_ - X.T @ np.linalg.lstsq(X.T, model.coef_, rcond=None)[0]
    assert np.abs(outside).max() < 1e-8


def test_inference_is_maximum_likelihood(table):
    X, counts, amounts, _ = table
    Z = np.column_stack([np.ones(len(X)), X])
    model = PoissonRegressor(alpha=0).fit(X, counts)
    found = model.inference(X, counts)
    mu = model.predict(X)
    V = np.linalg.inv((Z * mu[:, None]).T @ Z)
    assert_allclose(found.covariance, V, rtol=1e-10)
    robust = model.inference(X, counts, covariance="HC0")
    meat = (Z * ((counts - mu) ** 2)[:, None]).T @ Z
    assert_allclose(robust.covariance, V @ meat @ V, rtol=1e-9)
    assert found.deviance == pytest.approx(
        2 * np.sum(np.where(counts > 0, counts * np.log(np.maximum(counts, 1) / mu), 0) - counts + mu)
    )
    assert found.null_deviance - found.deviance == pytest.approx(found.likelihood_ratio)
    gamma = GammaRegressor(alpha=0).fit(X, amounts)
    mean = gamma.predict(X)
    phi = np.sum((amounts - mean) ** 2 / mean**2) / (400 - 5)
    assert gamma.inference(X, amounts).dispersion == pytest.approx(phi, rel=1e-12)
    assert_allclose(gamma.inference(X, amounts).covariance, phi * np.linalg.inv(Z.T @ Z), rtol=1e-9)
    assert repr(found).splitlines()[-1].startswith("likelihood ratio")
    assert list(found.to_frame().index) == ["intercept", "x0", "x1", "x2", "x3"]


@pytest.mark.peer
@pytest.mark.parametrize("kind", ["nonrobust", "HC0"])
def test_inference_equals_statsmodels(table, kind):
    sm = pytest.importorskip("statsmodels.api")
    X, counts, amounts, _ = table
    ours = "classical" if kind == "nonrobust" else kind
    for model, y, family in [
        (PoissonRegressor(alpha=0), counts, sm.families.Poisson()),
        (GammaRegressor(alpha=0), amounts, sm.families.Gamma(sm.families.links.Log())),
    ][
        : 1 if kind == "HC0" else 2
    ]:  # beyond canonical links its sandwich has the observed information, R's and ours the expected
        found = model.fit(X, y).inference(X, y, covariance=ours)
        other = sm.GLM(y, sm.add_constant(X), family=family).fit(tol=1e-13, cov_type=kind)
        assert_allclose(found.coef, other.params, rtol=1e-8)
        assert_allclose(found.standard_error, other.bse, rtol=1e-8)
        assert_allclose(found.p_value, other.pvalues, rtol=1e-6, atol=1e-12)
        assert found.deviance == pytest.approx(other.deviance, rel=1e-10)
        assert found.null_deviance == pytest.approx(other.null_deviance, rel=1e-10)


def test_clusters_are_summed_before_they_are_squared(table):
    X, counts, _, _ = table
    groups = np.random.default_rng(3).integers(0, 25, len(counts))
    model = PoissonRegressor(alpha=0).fit(X, counts)
    found = model.inference(X, counts, covariance="CR1", groups=groups)
    Z = np.column_stack([np.ones(len(X)), X])
    mean = model.predict(X)
    bread = np.linalg.inv((Z * mean[:, None]).T @ Z)
    totals = np.array([((counts - mean)[:, None] * Z)[groups == g].sum(axis=0) for g in np.unique(groups)])
    G, n, k = len(totals), len(X), Z.shape[1]
    expected = bread @ totals.T @ totals @ bread * G / (G - 1) * (n - 1) / (n - k)
    assert_allclose(found.covariance, expected, rtol=1e-8)
    with pytest.raises(
        ParameterError, match=r"PoissonRegressor\.inference: covariance='cluster' and groups go together"
    ):
        model.inference(X, counts, groups=groups)


@pytest.mark.peer
def test_clusters_equal_statsmodels(table):
    sm = pytest.importorskip("statsmodels.api")
    X, counts, _, _ = table
    groups = np.random.default_rng(3).integers(0, 25, len(counts))
    found = PoissonRegressor(alpha=0).fit(X, counts).inference(X, counts, covariance="CR1", groups=groups)
    model = sm.GLM(counts, sm.add_constant(X), family=sm.families.Poisson())
    other = model.fit(tol=1e-13, cov_type="cluster", cov_kwds={"groups": groups})
    assert_allclose(found.standard_error, other.bse, rtol=1e-8)


@pytest.mark.parametrize("excess", [1.0, 3.0])
def test_the_sandwich_covers_whatever_the_variance(excess):
    rng = np.random.default_rng(5)
    held = {"classical": 0, "HC0": 0}
    for _ in range(300):
        x = rng.normal(size=(150, 1))
        mean = np.exp(0.4 * x[:, 0] + 1)
        y = rng.poisson(mean) if excess == 1 else rng.negative_binomial(mean / (excess - 1), 1 / excess)
        model = PoissonRegressor(alpha=0).fit(x, y)
        for kind in held:
            found = model.inference(x, y, covariance=kind)
            held[kind] += found.lower[1] <= 0.4 <= found.upper[1]
    assert 0.91 < held["HC0"] / 300 < 0.98
    assert (0.92 < held["classical"] / 300 < 0.98) == (excess == 1)  # counts that vary more than Poisson's


def test_bad_input_is_named(table):
    X, counts, amounts, _ = table
    with pytest.raises(
        DataError, match=r"out of the valid range of the loss: PoissonRegressor takes targets of zero or more"
    ):
        PoissonRegressor().fit(X, counts - 1)
    with pytest.raises(DataError, match=r"GammaRegressor takes targets of above zero"):
        GammaRegressor().fit(X, counts)
    with pytest.raises(ParameterError, match="power"):
        TweedieRegressor(power=0.5).fit(X, amounts)
    fitted = PoissonRegressor().fit(X, counts)
    with pytest.raises(DataError, match="alpha=1 pulls the coefficients"):
        fitted.inference(X, counts)
    plain = PoissonRegressor(alpha=0).fit(X, counts)
    with pytest.raises(DataError, match="do not have their maximum here"):
        plain.inference(X, counts[::-1])
    with pytest.raises(ParameterError, match="covariance='HC3'"):
        plain.inference(X, counts, covariance="HC3")
    twice = np.column_stack([X, X[:, 0]])
    with pytest.raises(DataError, match="collinear"):
        PoissonRegressor(alpha=0).fit(twice, counts).inference(twice, counts)
