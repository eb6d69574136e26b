"""Conformal sets and intervals: the quantile, the scores, and coverage."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.compose import make_column_transformer
from sklearn.linear_model import QuantileRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from novum.evaluation import ConformalClassifier, ConformalRegressor
from novum.evaluation.conformal.base import conformal_quantile
from novum.evaluation.conformal.classifier import class_scores
from novum.exceptions import DataError, ParameterError
from novum.linear_model import LinearRegression, LogisticRegression
from novum.naive_bayes import GaussianNB


def rows(seed, n):
    rng = np.random.default_rng(seed)
    y = rng.choice(3, p=[0.6, 0.25, 0.15], size=n)
    return rng.normal(size=(n, 2)) + np.array([[0, 0], [1.5, 0], [0, 1.5]])[y], y


def numbers(seed, n):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X @ [1.0, 2, -1] + rng.standard_t(3, size=n)


def test_quantile_is_the_right_order_statistic():
    scores = np.arange(1.0, 20)  # 19 of them: (19 + 1) .9 = 18
    assert conformal_quantile(scores, 0.9) == 18 and conformal_quantile(scores, 0.95) == 19
    assert conformal_quantile(scores, 0.96) == np.inf and conformal_quantile(scores[:0], 0.5) == np.inf


def test_scores_literally():
    p = np.array([[0.5, 0.3, 0.2], [0.2, 0.2, 0.6]])
    assert_allclose(class_scores(p, "split"), 1 - p)
    assert_allclose(class_scores(p, "adaptive"), [[0.25, 0.65, 0.9], [0.8, 0.8, 0.3]])


def test_coverage_of_fresh_rows_is_the_level():
    """Every new row together with the calibration rows is exchangeable: the mean over many fits is at least the level."""
    covered = {"split": [], "adaptive": []}
    for seed in range(40):
        X, y = rows(seed, 600)
        for method, shares in covered.items():
            model = ConformalClassifier(GaussianNB(), method=method, level=0.8, random_state=seed).fit(X[:200], y[:200])
            shares.append(model.coverage(X[200:], y[200:])[0])
    for shares in covered.values():
        assert 0.78 < np.mean(shares) < 0.84


def ends(model, X):
    """Return the ends of the intervals, (n, 2)."""
    return np.stack(model.predict(X, interval="prediction")[1:], axis=1)


def test_class_conditional_levels_and_a_fitted_model():
    X, y = rows(0, 1200)
    inner = GaussianNB().fit(X[:300], y[:300])
    model = ConformalClassifier(inner, fitted=True, class_conditional=True, level=0.9).fit(X[300:900], y[300:900])
    assert len(model.scores_) == 600 and len(set(model.thresholds().tolist())) == 3
    sets = model.predict_set(X[900:])
    for k in range(3):
        assert sets[y[900:] == k, k].mean() > 0.82
    assert model.predict_set(X[900:], level=0.99).sum() > model.predict_set(X[900:], level=0.5).sum()
    assert_array_equal(model.predict(X[:5]), inner.predict(X[:5]))
    with pytest.raises(ParameterError, match=r"predict_set|thresholds"):
        model.predict_set(X[:2], level=1.0)


def test_too_few_rows_give_everything():
    X, y = rows(1, 20)
    model = ConformalClassifier(GaussianNB(), level=0.99, calibration_size=0.2, random_state=0).fit(X, y)
    assert model.predict_set(X).all()
    X, t = numbers(0, 12)
    assert np.isinf(
        ConformalRegressor(level=0.99, random_state=0).fit(X, t).predict(X, interval="prediction").upper
    ).all()


def test_split_interval_literally():
    X, y = numbers(0, 200)
    model = ConformalRegressor(LinearRegression(), level=0.9, random_state=3).fit(X, y)
    assert len(model.scores_) == 50
    q = np.sort(model.scores_)[int(np.ceil(51 * 0.9)) - 1]
    assert_allclose(ends(model, X[:4]), model.predict(X[:4])[:, None] + [-q, q])


@pytest.mark.parametrize("method", ["cv_plus", "jackknife_plus"])
def test_plus_intervals_literally(method):
    X, y = numbers(1, 30)
    new = numbers(2, 5)[0]
    model = ConformalRegressor(LinearRegression(), method=method, cv=5, level=0.8, random_state=0).fit(X, y)
    fold, lows, highs = model.folds_, [], []
    for i in range(30):
        own = LinearRegression().fit(X[fold != fold[i]], y[fold != fold[i]])
        R = abs(y[i] - own.predict(X[i : i + 1])[0])
        lows.append(own.predict(new) - R)
        highs.append(own.predict(new) + R)
    k = int(np.ceil(31 * 0.8))
    expected = np.stack([np.sort(lows, axis=0)[30 - k], np.sort(highs, axis=0)[k - 1]], axis=1)
    assert_allclose(ends(model, new), expected, rtol=1e-9)


def test_quantile_intervals_follow_the_noise():
    rng = np.random.default_rng(0)
    X = rng.uniform(0.1, 2, (600, 1))
    y = X[:, 0] * rng.normal(size=600)
    inner = QuantileRegressor(alpha=0, solver="highs")
    model = ConformalRegressor(inner, method="quantile", level=0.8, random_state=0).fit(X[:400], y[:400])
    width = np.diff(ends(model, [[0.2], [1.8]]), axis=1)[:, 0]
    assert width[1] > 3 * width[0] and 0.7 < model.coverage(X[400:], y[400:])[0] < 0.9
    with pytest.raises(ParameterError, match=r"the quantiles were fitted for 0\.8"):
        model.predict(X, interval="prediction", level=0.9)
    with pytest.raises(ParameterError, match="it has no parameter `quantile`"):
        ConformalRegressor(LinearRegression(), method="quantile").fit(X, y)


def test_around_a_pipeline_with_categories():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=200), "color": rng.choice(["red", "blue"], size=200)})
    y = np.where((frame["size"] + (frame["color"] == "red")) + rng.normal(size=200) > 0, "yes", "no")
    inner = make_pipeline(
        make_column_transformer((StandardScaler(), ["size"]), (OneHotEncoder(), ["color"])), LogisticRegression()
    )
    model = ConformalClassifier(inner, level=0.9, random_state=0).fit(frame, y)
    assert model.predict_set(frame).shape == (200, 2) and model.coverage(frame, y)[0] > 0.8


def test_conformal_refuses():
    X, y = numbers(0, 30)
    with pytest.raises(ParameterError, match="only 'split' takes a fitted one"):
        ConformalRegressor(LinearRegression().fit(X, y), method="cv_plus", fitted=True).fit(X, y)
    with pytest.raises(DataError, match="give fewer folds"):
        ConformalRegressor(method="cv_plus", cv=40).fit(X, y)
    with pytest.raises(DataError, match="wrap it once per target"):
        ConformalRegressor().fit(X, np.stack([y, y], axis=1))
    with pytest.raises(DataError, match="does not know"):
        ConformalClassifier(GaussianNB().fit(X, y > 0), fitted=True).fit(X, np.full(30, 7))
