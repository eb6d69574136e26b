"""Inference of logistic regression against statsmodels; separated classes found and said."""

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from novum.exceptions import DataError, NotConverged, ParameterError
from novum.linear_model import LogisticRegression


@pytest.fixture
def statsmodels():
    return pytest.importorskip("statsmodels.api")


def sample(k=2, n=250, p=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 1.0
    return X, (X @ rng.normal(size=(p, k)) + 2 * rng.gumbel(size=(n, k))).argmax(axis=1)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_two_classes_as_statsmodels_logit(fit_intercept, statsmodels):
    X, y = sample()
    found = LogisticRegression(C=np.inf, fit_intercept=fit_intercept).fit(X, y).inference(level=0.9)
    model = statsmodels.Logit(y, statsmodels.add_constant(X) if fit_intercept else X)
    expected = model.fit(disp=0, tol=1e-14, method="newton")
    assert_allclose(found.coef, expected.params, rtol=1e-8)
    assert_allclose(found.standard_error, expected.bse, rtol=1e-8)
    assert_allclose(found.statistic, expected.tvalues, rtol=1e-8)
    assert_allclose(found.p_value, expected.pvalues, rtol=1e-7)
    assert_allclose(np.column_stack([found.lower, found.upper]), expected.conf_int(0.1), rtol=1e-8)
    assert_allclose(found.covariance, expected.cov_params(), rtol=1e-8, atol=1e-14)
    assert_allclose(found.log_likelihood, expected.llf, rtol=1e-12)
    assert_allclose([found.aic, found.bic], [expected.aic, expected.bic], rtol=1e-10)
    if fit_intercept:
        assert_allclose(found.null_log_likelihood, expected.llnull, rtol=1e-9)
        assert_allclose(found.likelihood_ratio, expected.llr, rtol=1e-8)
        assert_allclose(found.likelihood_ratio_p_value, expected.llr_pvalue, rtol=1e-6)
        assert_allclose(found.pseudo_r_squared, expected.prsquared, rtol=1e-8)
    assert_allclose(found.odds_ratios()[:, 0], np.exp(expected.params), rtol=1e-8)


def test_several_classes_as_statsmodels_mnlogit(statsmodels):
    X, y = sample(3)
    found = LogisticRegression(C=np.inf).fit(X, y).inference()
    expected = statsmodels.MNLogit(y, statsmodels.add_constant(X)).fit(disp=0, tol=1e-14, method="newton")
    assert_allclose(found.coef, expected.params.T.ravel(), rtol=1e-8)
    assert_allclose(found.standard_error, expected.bse.T.ravel(), rtol=1e-8)
    assert_allclose(found.covariance, expected.cov_params(), rtol=1e-7, atol=1e-12)
    assert_allclose(found.log_likelihood, expected.llf, rtol=1e-12)
    assert found.degrees_of_freedom == expected.df_model == 8
    assert found.names[:2] == ["1: intercept", "1: x0"] and found.names[5] == "2: intercept"


def test_weights_count_rows():
    X, y = sample(3)
    w = np.random.default_rng(1).integers(1, 4, len(y))
    a = LogisticRegression(C=np.inf).fit(X, y, sample_weight=w).inference(weights="frequency")
    b = LogisticRegression(C=np.inf).fit(np.repeat(X, w, axis=0), np.repeat(y, w)).inference()
    for name in ("coef", "standard_error", "log_likelihood", "null_log_likelihood", "bic", "n_rows"):
        assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-9)


def test_prints_like_the_inference_of_least_squares():
    pandas = pytest.importorskip("pandas")
    X, y = sample()
    frame = pandas.DataFrame(X, columns=["age", "dose", "height", "weight"])
    found = LogisticRegression(C=np.inf).fit(frame, y).inference()
    lines = repr(found).splitlines()
    assert lines[0].split() == ["coef", "std", "err", "z", "p", "[.025", ".975]"]
    assert [line.split()[0] for line in lines[1:6]] == ["intercept", "age", "dose", "height", "weight"]
    assert "likelihood ratio" in lines[7] and "pseudo R2" in lines[7]
    assert list(found.to_frame().columns) == ["coef", "standard_error", "z", "p", "lower", "upper"]
    assert "<table>" in found._repr_html_()


def test_what_cannot_be_inferred():
    X, y = sample()
    with pytest.raises(DataError, match=r"penalised .* fit LogisticRegression.C=np.inf"):
        LogisticRegression().fit(X, y).inference()
    model = LogisticRegression(C=np.inf).fit(X, y)
    with pytest.raises(ParameterError, match=r"level=2\): level must lie in \(0, 1\)"):
        model.inference(level=2)
    with pytest.raises(ParameterError, match="base_class='c' is none of the classes"):
        model.inference(base_class="c")
    with pytest.raises(DataError, match="collinear"):
        LogisticRegression(C=np.inf).fit(np.column_stack([X, X[:, 0]]), y).inference()


SEPARATED = {
    "complete": ([[0.0], [1], [2], [3]], [0, 0, 1, 1], True),
    "quasi": ([[0.0], [1], [1], [3]], [0, 0, 1, 1], False),
    "one class of three": (load_iris().data, load_iris().target, False),
    "a level seen in one class only": (
        [[0.0, 1], [1, 1], [2, 1], [3, 0], [1, 0], [2, 0], [1.5, 0]],
        [1, 1, 1, 1, 0, 0, 1],
        False,
    ),
}


@pytest.mark.parametrize("name", SEPARATED)
def test_separation_is_found_and_proved(name):
    X, y, complete = SEPARATED[name]
    X, y = np.asarray(X), np.asarray(y)
    with pytest.warns(NotConverged, match="completely separated .direction: x.*no finite maximum.*C=1.0"):
        model = LogisticRegression(C=np.inf).fit(X, y)
    d = model.separation_.direction
    assert model.separation_.complete is complete
    scores = X @ d[:, :-1].T + d[:, -1]
    scores = np.column_stack([-scores[:, 0], scores[:, 0]]) if len(d) == 1 else scores
    own = scores[np.arange(len(y)), y]
    others = np.where(np.arange(scores.shape[1]) == y[:, None], -np.inf, scores).max(axis=1)
    assert (own - others >= -1e-6).all() and (own - others).max() > 1e-3
    assert ((own - others > 0).all()) or not complete
    with pytest.raises(DataError, match="separated, so no finite maximum"):
        model.inference()


def test_no_false_alarm():
    X, y = sample(3)
    assert LogisticRegression(C=np.inf).fit(X, y).separation_ is None
    # nearly separated: one row on the wrong side
    X = np.append(np.linspace(-5, -1, 50), np.linspace(1, 5, 50))[:, None]
    y = (X[:, 0] > 0).astype(int)
    y[20] = 1
    model = LogisticRegression(C=np.inf, tol=1e-8).fit(X, y)
    assert model.separation_ is None and np.isfinite(model.inference().standard_error).all()


def test_a_penalty_needs_no_warning():
    X, y, _ = SEPARATED["complete"]
    assert LogisticRegression().fit(X, y).separation_ is None


def many_columns(name):
    """Data on the route without summed Hessians: X, y, and whether they are separated, completely, or not (None)."""
    rng = np.random.default_rng(0)
    if name in ("wide", "sparse", "three classes"):
        X = rng.normal(size=(60, 300))
        X = scipy.sparse.csr_array(np.where(np.abs(X) > 1, X, 0)) if name == "sparse" else X
        return X, rng.integers(3 if name == "three classes" else 2, size=60), True
    X = rng.normal(size=(3000, 270))
    y = (X[:, 0] + rng.logistic(size=3000) > 0).astype(int)
    if name == "quasi":
        X[:, 5] = rng.random(3000) < 0.1
        y[X[:, 5] == 1] = 1
    return X, y, None if name == "overlapping" else False


@pytest.mark.parametrize("name", ["wide", "sparse", "three classes", "quasi", "overlapping"])
def test_separation_is_found_where_columns_are_many(name):
    X, y, complete = many_columns(name)
    model = LogisticRegression(C=np.inf, max_iter=1000)
    if complete is None:
        assert model.fit(X, y).separation_ is None
        return
    with pytest.warns(NotConverged, match="completely separated .direction: x.*no finite maximum.*C=1.0"):
        model.fit(X, y)
    found = model.separation_
    assert found.complete is complete
    z = X @ found.direction[:, :-1].T + found.direction[:, -1]
    z = np.column_stack([0 * z, z]) if z.shape[1] == 1 else z
    own = z[np.arange(len(y)), y]
    z[np.arange(len(y)), y] = -np.inf
    margin = own - z.max(axis=1)
    assert margin.min() >= -1e-6 * margin.max() and margin.max() > 0


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("k", [2, 3])
def test_clusters_as_statsmodels(k, fit_intercept, statsmodels):
    X, y = sample(k)
    groups = np.array([f"g{number}" for number in np.random.default_rng(2).integers(0, 30, len(y))])
    found = LogisticRegression(C=np.inf, fit_intercept=fit_intercept).fit(X, y)
    found = found.inference(X, y, covariance="CR1", groups=groups)
    design = statsmodels.add_constant(X) if fit_intercept else X
    model = statsmodels.Logit(y, design) if k == 2 else statsmodels.MNLogit(y, design)
    numbers = np.unique(groups, return_inverse=True)[1]
    kwds = {"cov_type": "cluster", "cov_kwds": {"groups": numbers}}
    expected = model.fit(disp=0, tol=1e-14, method="newton", **kwds)
    assert_allclose(found.standard_error, np.asarray(expected.bse).T.ravel(), rtol=1e-8)
    assert "covariance CR1" in repr(found)


def test_clusters_are_named_where_they_are_used():
    X, y = sample()
    model = LogisticRegression(C=np.inf).fit(X, y)
    for ask, message in (
        ({"covariance": "cluster"}, "covariance='cluster' and groups go together"),
        ({"groups": np.arange(len(y))}, "covariance='cluster' and groups go together"),
        ({"covariance": "cluster", "groups": [1, 2]}, r"groups of shape \(2,\); give a cluster for each of 250 rows"),
    ):
        with pytest.raises(ParameterError, match=message):
            model.inference(X, y, **ask)
    with pytest.raises(DataError, match="one cluster only"):
        model.inference(X, y, covariance="cluster", groups=np.zeros(len(y)))
    alone = model.inference(X, y, covariance="CR1", groups=np.arange(len(y)))  # every row a cluster: the sandwich
    n, k = len(y), X.shape[1] + 1
    sandwich = model.inference(X, y, covariance="HC0")
    assert_allclose(alone.standard_error**2, sandwich.standard_error**2 * n / (n - k), rtol=1e-9)
