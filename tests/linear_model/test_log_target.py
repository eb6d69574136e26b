"""A regression of the logarithm: brought back to the mean, for tables and frames, with weights, and refused below 0."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import novum
from novum.exceptions import DataError
from novum.linear_model import LinearRegression, LogTargetRegressor, Ridge
from novum.neighbors import KNeighborsRegressor


def skewed(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.exp(0.5 + X @ [1.0, -0.5] + rng.normal(size=n))


@pytest.mark.parametrize("zeros", [False, True])
def test_without_the_mean_it_is_the_exponential_of_a_regression(zeros, tmp_path):
    X, y = skewed()
    y = np.floor(y) if zeros else y
    model = LogTargetRegressor(Ridge(0.1), to_mean=False).fit(X, y)
    z = np.log(y + zeros)
    plain = np.exp(np.clip(Ridge(0.1).fit(X, z).predict(X), z.min(), z.max())) - zeros
    np.testing.assert_allclose(model.predict(X), np.maximum(plain, 0), rtol=1e-12)
    novum.save(model, tmp_path / "model.novum")
    np.testing.assert_array_equal(novum.load(tmp_path / "model.novum").predict(X), model.predict(X))


def test_without_folds_the_predictions_of_the_rows_have_their_total():
    X, y = skewed()
    model = LogTargetRegressor(cv=None).fit(X, y)
    assert model.predict(X).sum() == pytest.approx(y.sum(), rel=1e-9)
    assert isinstance(model.regressor_, LinearRegression)
    near = LogTargetRegressor(KNeighborsRegressor(1)).fit(X, y)  # repeats its rows: only folds show its scatter
    assert LogTargetRegressor(KNeighborsRegressor(1), cv=None).fit(X, y).factor_ == pytest.approx(1.0)
    assert abs(near.factor_ - 1) > 0.02


def test_weights_of_zero_leave_rows_out():
    X, y = skewed()
    weight = np.ones(400)
    weight[:50] = 0
    y[0] = 0.0  # which would move the shift
    one, other = LogTargetRegressor().fit(X, y, weight), LogTargetRegressor().fit(X[50:], y[50:])
    assert one.shift_ == 0.0 and one.factor_ == pytest.approx(other.factor_, rel=1e-12)


def test_a_pipeline_inside_takes_a_frame_with_text():
    X, y = skewed()
    frame = pd.DataFrame({"x": X[:, 0], "kind": np.where(X[:, 1] > 0, "a", "b")})
    inner = make_pipeline(make_column_transformer((OneHotEncoder(), ["kind"]), remainder="passthrough"), Ridge())
    model = LogTargetRegressor(inner).fit(frame, y)
    assert model.predict(frame).mean() == pytest.approx(y.mean(), rel=0.1)


def test_what_has_no_logarithm_is_refused():
    X, y = skewed()
    with pytest.raises(DataError, match="values below 0, such as -1"):
        LogTargetRegressor().fit(X, np.where(y > 5, -1.0, y))
