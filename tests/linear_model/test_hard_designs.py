"""Designs on which least squares goes wrong quietly: near-collinear by units, scales apart, leverage one, tiny penalties."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from novum.exceptions import DataError
from novum.linear_model import LinearRegression, Ridge

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    "convert", [lambda k: (k - 273.15) * 9 / 5 + 32, lambda k: k * 0.3048, lambda k: k / 3600 + 17]
)
def test_the_same_quantity_in_two_units_is_one_column(convert):
    kelvin = RNG.normal(size=1000) * 5 + 300
    X = np.column_stack([kelvin, convert(kelvin)])
    y = 0.1 * kelvin + RNG.normal(size=1000)
    model = LinearRegression().fit(X, y)
    assert model.rank_ == 1
    assert_allclose(model.predict(X), LinearRegression().fit(X[:, :1], y).predict(X[:, :1]), rtol=1e-10)
    assert_allclose(model.predict(X.round(4)), model.predict(X), rtol=1e-4)


def test_repeated_rows_far_from_zero():
    X = np.repeat([[1000.1, 1000.2, 1000.3], [1000.4, 1000.1, 1000.7]], 5, axis=0)
    model = LinearRegression().fit(X, np.arange(10.0))
    assert model.rank_ == 1 and np.abs(model.coef_).max() < 1e3


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scale", [1.0, 1e4, 1e8])
def test_inference_and_leave_one_out_of_a_deficient_design_do_not_depend_on_units(scale, seed):
    rng = np.random.default_rng(seed)
    dummies = np.eye(4)[rng.integers(0, 4, 300)]
    X = np.column_stack([dummies, rng.random(300) * scale, rng.random(300) / scale])
    y = rng.normal(size=300) + 50 * X[:, 5] * scale
    full, dropped = LinearRegression().fit(X, y), LinearRegression().fit(X[:, 1:], y)
    assert full.rank_ == 5
    assert_allclose(full.coef_[4:], dropped.coef_[3:], rtol=1e-8)
    assert_allclose(full.coef_[:4].sum(), 0, atol=1e-8)  # the shortest of the equivalent ones
    for covariance in ("classical", "HC3"):
        a = full.inference(X, y, covariance=covariance)
        b = dropped.inference(X[:, 1:], y, covariance=covariance)
        assert_allclose(a.standard_error[-2:], b.standard_error[-2:], rtol=1e-9)
        assert_allclose(a.f_statistic, b.f_statistic, rtol=1e-9)
    assert_allclose(full.leave_one_out_predict(X, y), dropped.leave_one_out_predict(X[:, 1:], y), rtol=1e-8)


def test_leverage_one_is_nan_and_iterative_fits_refuse():
    import scipy.sparse

    X, y = RNG.normal(size=(10, 20)), RNG.normal(size=10)
    assert np.isnan(LinearRegression().fit(X, y).leave_one_out_predict(X, y)).all()
    wide = scipy.sparse.random(30, 2500, 0.05, format="csr", random_state=0)
    with pytest.raises(DataError, match="no closed form"):
        Ridge().fit(wide, np.arange(30.0)).leave_one_out_predict(wide, np.arange(30.0))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("model", [LinearRegression(), Ridge(0.5), LinearRegression(fit_intercept=False)])
def test_another_target_than_the_fitted_one_is_refused(model, dtype):
    X, Y = RNG.normal(size=(40, 3)).astype(dtype), (RNG.normal(size=(40, 2)) + 3).astype(dtype)
    w = RNG.uniform(0.5, 2, size=40)
    for y, weight in ((Y[:, 0], None), (Y, None), (Y, w)):
        assert np.isfinite(model.fit(X, y, weight).leave_one_out_predict(X, y, weight)).all()
        with pytest.raises(DataError, match=r"leave_one_out_predict: these rows leave a residual sum of squares of"):
            model.leave_one_out_predict(X, y[::-1], weight)
    exact = (X @ [1, 2, 3]).astype(dtype)  # residuals of rounding only
    assert np.isfinite(model.fit(X, exact).leave_one_out_predict(X, exact)).all()


def test_other_rows_than_the_training_data_are_refused():
    X, y, w = RNG.normal(size=(9, 2)), RNG.normal(size=9), RNG.uniform(size=9)
    model = LinearRegression().fit(X, y, w)
    with pytest.raises(DataError, match="the training data were 9"):
        model.leave_one_out_predict(X[:5], y[:5], w[:5])
    with pytest.raises(DataError, match="of total weight"):
        model.inference(X, y, covariance="HC3")


def test_tiny_penalties():
    X = np.repeat(RNG.normal(size=(5, 12)), 2, axis=0)
    y = RNG.normal(size=10)
    limit = LinearRegression().fit(X, y).coef_
    for alpha in (1e-16, 1e-30):
        assert_allclose(Ridge(alpha).fit(X, y).coef_, limit, rtol=1e-6, atol=1e-9)
    tall = RNG.normal(size=(50, 2))
    tall = np.column_stack([tall, tall[:, 0]])
    limit = LinearRegression().fit(tall, RNG.normal(size=50)).coef_
    for alpha in (1e-16, 1e-30):
        coef = Ridge(alpha).fit(tall, tall @ limit).coef_
        assert_allclose(coef, limit, rtol=1e-6)


def test_float32_leave_one_out_is_computed_in_float64():
    X = (RNG.normal(size=(60, 2)) + 1e5).astype(np.float32)
    y = X[:, 0] - 1e5 + RNG.normal(size=60)
    wide = X.astype(np.float64)
    expected = LinearRegression().fit(wide, y).leave_one_out_predict(wide, y)
    assert_allclose(LinearRegression().fit(X, y).leave_one_out_predict(X, y), expected, rtol=1e-9)


@pytest.mark.parametrize(
    "y, message", [(np.array(["a", "b", "c"]), "y holds text that is no number"), (None, "requires y to be passed")]
)
def test_bad_targets(y, message):
    with pytest.raises(DataError, match=message):
        LinearRegression().fit(np.eye(3), y)
    assert_allclose(LinearRegression().fit([[0.0], [1.0]], np.array(["0", "1"])).coef_, [1.0])
