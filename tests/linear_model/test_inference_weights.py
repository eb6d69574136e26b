"""What inference may conclude: weights mean one thing, other rows are refused, what cannot be determined is not printed."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from novum.exceptions import DataError, ParameterError
from novum.linear_model import LinearRegression, LogisticRegression

rng = np.random.default_rng(0)
X = rng.normal(size=(150, 3))
t = X @ [1.0, 0, -1] + rng.normal(size=150)
y = (rng.random(150) < 1 / (1 + np.exp(-X[:, 0] - 0.5))).astype(int)
w = rng.integers(1, 4, 150).astype(float)
labels = rng.integers(3, size=150)


def test_a_constant_column_is_not_significant():
    rows = np.column_stack([X[:, 0], np.full(150, 4.0)])
    found = LinearRegression().fit(rows, t).inference()
    assert np.isnan([found.p_value[2], found.lower[2], found.upper[2], found.standard_error[2]]).all()
    line = next(line for line in repr(found).splitlines() if line.startswith("x1"))
    assert "<.001" not in line and line.split()[2:] == ["?"] * 5
    assert "is undefined: the data do not determine x1" in repr(found) and "determine x1" in found._repr_html_()
    assert np.isnan(found.to_frame().p["x1"])


@pytest.mark.parametrize("kind", ["HC0", "HC1", "HC2", "HC3"])
def test_robust_errors_need_the_rows_that_were_fitted(kind):
    model = LinearRegression().fit(X, t, sample_weight=w)
    model.inference(X, t, w, covariance=kind)
    for other in (rng.permutation(t), t + 0.01 * rng.normal(size=150), -t):
        with pytest.raises(DataError, match="give X, y and sample_weight that `fit` saw"):
            model.inference(X, other, w, covariance=kind)
    with pytest.raises(DataError, match="give X, y and sample_weight that `fit` saw"):
        model.inference(X[::-1], t, w, covariance=kind)


def test_a_perfect_fit_and_single_precision_are_their_own_rows():
    exact = X @ [1.0, 2, 3]
    LinearRegression().fit(X, exact).inference(X, exact, covariance="HC0")
    small = X.astype(np.float32), t.astype(np.float32)
    LinearRegression().fit(*small).inference(*small, covariance="HC0")


def literal_sandwich(rows, code, theta, u, base_first=True):
    """Return the sandwich for K classes against the first, from its definition; theta (K - 1, m), rows with ones in front."""
    Z = np.column_stack([np.ones(len(rows)), rows])
    reach = np.column_stack([np.zeros(len(rows)), Z @ theta.T])
    p = np.exp(reach) / np.exp(reach).sum(axis=1, keepdims=True)
    k, m = theta.shape
    bread, meat = np.zeros((2, k * m, k * m))
    for i in range(len(rows)):
        q = p[i, 1:]
        outer = np.outer(Z[i], Z[i])
        s = np.kron((code[i] == np.arange(1, k + 1)) - q, Z[i])
        bread += u[i][0] * np.kron(np.diag(q) - np.outer(q, q), outer)
        meat += u[i][1] * np.outer(s, s)
    return np.linalg.inv(bread) @ meat @ np.linalg.inv(bread)


@pytest.mark.parametrize("target", [y, labels], ids=["two", "three"])
def test_the_sandwich_is_its_definition(target):
    model = LogisticRegression(C=np.inf, tol=1e-10).fit(X, target, sample_weight=w)
    k = len(np.unique(target)) - 1
    for weights, square in (("precision", w**2), ("frequency", w)):
        found = model.inference(X, target, w, covariance="HC0", weights=weights)
        theta = found.coef.reshape(k, 4)
        assert_allclose(found.covariance, literal_sandwich(X, target, theta, list(zip(w, square))), rtol=1e-6)
    balanced = LogisticRegression(C=np.inf, tol=1e-10, class_weight="balanced").fit(X, target)
    factor = 150 / ((k + 1) * np.bincount(target))[target]
    found = balanced.inference(X, target)
    expected = literal_sandwich(X, target, found.coef.reshape(k, 4), list(zip(factor, factor**2)))
    assert_allclose(found.covariance, expected, rtol=1e-6) and found.covariance_type == "HC0"
    assert np.isnan([found.aic, found.bic, found.likelihood_ratio_p_value]).all() and "no likelihood" in repr(found)


def test_precisions_have_no_scale():
    a = LogisticRegression(C=np.inf, tol=1e-10).fit(X, y, sample_weight=w).inference(X, y, w, weights="precision")
    b = (
        LogisticRegression(C=np.inf, tol=1e-10)
        .fit(X, y, sample_weight=7 * w)
        .inference(X, y, 7 * w, weights="precision")
    )
    assert_allclose(a.covariance, b.covariance, rtol=1e-6)
    c, d = (LinearRegression().fit(X, t, sample_weight=v).inference(weights="precision") for v in (w, 7 * w))
    assert_allclose(c.covariance, d.covariance, rtol=1e-9)


def test_weights_that_need_the_rows_say_so():
    weighted = LogisticRegression(C=np.inf).fit(X, y, sample_weight=w)
    with pytest.raises(ParameterError, match=r"needs the sandwich covariance.*weights='frequency'"):
        weighted.inference(weights="precision")
    with pytest.raises(ParameterError, match="the objective is no likelihood"):
        weighted.inference(covariance="classical", weights="precision")
    with pytest.raises(ParameterError, match="class_weight needs the sandwich"):
        LogisticRegression(C=np.inf, class_weight={0: 1, 1: 3}).fit(X, y).inference()
    with pytest.raises(DataError, match="give X, y and sample_weight that `fit` saw"):
        weighted.inference(X, 1 - y, w)
    with pytest.raises(ParameterError, match="weights='count' is none of"):
        weighted.inference(weights="count")


def test_without_intercept_the_null_is_inside_the_model():
    rows = X + 2
    for target, k in ((y, 2), (labels, 3)):
        found = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-10).fit(rows, target).inference()
        assert found.null_log_likelihood == pytest.approx(-150 * np.log(k), rel=1e-12)
        assert found.likelihood_ratio >= 0 and found.degrees_of_freedom == 3 * (k - 1)
    seen = 0
    for seed in range(60):  # under that null the p-values are uniform
        draw = np.random.default_rng(seed)
        p = LogisticRegression(C=np.inf, fit_intercept=False).fit(rows, draw.integers(2, size=150)).inference()
        seen += p.likelihood_ratio_p_value < 0.2
    assert 4 <= seen <= 22
