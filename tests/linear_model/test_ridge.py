"""Ridge against the notes' numbers, the normal equations and least squares on stacked rows."""

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose

from novum.exceptions import ParameterError
from novum.linear_model import LinearRegression, Ridge

RNG = np.random.default_rng(0)
LINE = np.column_stack([np.ones(4), np.arange(4.0)])


@pytest.mark.notes("003", "ridge")
def test_notes_every_coefficient_penalised():
    t = np.array([1.0, 3, 4, 7])
    assert_allclose(Ridge(2.0, fit_intercept=False).fit(LINE, t).coef_, [0.8, 1.7], rtol=1e-13)
    # the loss as printed (the full residual sum with lambda/2) has another minimiser
    assert_allclose(Ridge(1.0, fit_intercept=False).fit(LINE, t).coef_, [0.8461538, 1.7948718], rtol=1e-7)
    assert_allclose(np.linalg.eigvalsh(LINE.T @ LINE + 2 * np.eye(2)), [3.18975, 18.81025], rtol=1e-6)


@pytest.mark.notes("003", "ridge")
@pytest.mark.notes("004", "ridge")
def test_notes_intercept_free_or_not():
    y = np.array([1.0, 3, 2, 5])
    assert_allclose(Ridge(1.0, fit_intercept=False).fit(LINE, y).coef_, [0.846154, 1.128205], rtol=1e-6)
    assert_allclose(Ridge(10.0, fit_intercept=False).fit(LINE, y).coef_, [0.44, 0.806667], rtol=1e-6)
    rest = y - Ridge(1.0).fit(LINE, y).predict(LINE)
    likelihood = -2 * (np.log(2 * np.pi * (rest @ rest) / 4) + 1)  # of normal noise with its most likely variance
    assert_allclose(Ridge(1.0).fit(LINE, y).log_likelihood_, likelihood, rtol=1e-12)
    free = Ridge(1.0).fit(LINE[:, 1:], y)
    assert_allclose([*free.coef_, free.intercept_], [0.916667, 1.375], rtol=1e-6)


@pytest.mark.notes("002", "ridge")
def test_notes_map_estimate():
    Phi = np.column_stack([np.ones(3), np.arange(3.0)])
    model = Ridge(2 / 25, fit_intercept=False).fit(Phi, [-0.3, 0.2, 0.7])
    assert_allclose(model.coef_, [-0.263601, 0.470631], rtol=2e-6)


@pytest.mark.parametrize("shape", [(80, 5), (6, 20), (30, 30)])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("alpha", [1e-8, 0.3, 1e6])
def test_is_least_squares_on_stacked_rows(shape, weighted, alpha):
    X, y = RNG.normal(size=shape), RNG.normal(size=shape[0])
    w = RNG.uniform(0.1, 2, shape[0]) if weighted else None
    model = Ridge(alpha).fit(X, y, w)
    root = np.sqrt(np.ones(shape[0]) if w is None else w)
    A = np.vstack(
        [
            np.column_stack([root[:, None] * X, root]),
            np.column_stack([np.sqrt(alpha) * np.eye(shape[1]), np.zeros(shape[1])]),
        ]
    )
    expected = np.linalg.lstsq(A, np.append(root * y, np.zeros(shape[1])))[0]
    tolerance = 1e-10 if shape[0] > shape[1] else 1e-6  # the smallest penalty leaves the wide design nearly singular
    assert_allclose(np.append(model.coef_, model.intercept_), expected, rtol=tolerance, atol=1e-12)


def test_every_target_its_own_penalty():
    X, Y = RNG.normal(size=(50, 4)), RNG.normal(size=(50, 3))
    together = Ridge([0.0, 1.0, 10.0]).fit(X, Y)
    for k, alpha in enumerate([0.0, 1.0, 10.0]):
        assert_allclose(together.coef_[k], Ridge(alpha).fit(X, Y[:, k]).coef_, rtol=1e-12)


def test_limits():
    X, y = RNG.normal(size=(50, 4)), RNG.normal(size=50)
    assert_allclose(Ridge(0.0).fit(X, y).coef_, LinearRegression().fit(X, y).coef_, rtol=1e-12)
    assert_allclose(Ridge(1e15).fit(X, y).coef_, 0, atol=1e-12)


def test_sparse_dense_and_iterative_agree():
    X = scipy.sparse.random(400, 30, 0.1, format="csr", random_state=0)
    y, w = RNG.normal(size=400), RNG.uniform(size=400)
    assert_allclose(Ridge(2.0).fit(X, y, w).coef_, Ridge(2.0).fit(X.toarray(), y, w).coef_, rtol=1e-10)
    wide = scipy.sparse.random(300, 2500, 0.02, format="csr", random_state=1)
    iterated = Ridge(2.0, tol=1e-12).fit(wide, y[:300])
    assert iterated.solver_ == "sparse_cg" and iterated.n_iter_[0] > 1
    assert_allclose(iterated.coef_, Ridge(2.0).fit(wide.toarray(), y[:300]).coef_, rtol=1e-6, atol=1e-9)


def test_positive():
    X, y = RNG.normal(size=(60, 5)), RNG.normal(size=60)
    model = Ridge(1.0, positive=True).fit(X, y)
    gradient = (X - X.mean(0)).T @ (y - model.predict(X)) - model.coef_
    assert (model.coef_ >= 0).all()
    assert_allclose(gradient[model.coef_ > 0], 0, atol=1e-9)
    assert (gradient[model.coef_ == 0] <= 1e-9).all()


def test_leave_one_out_is_refitting():
    X, y = RNG.normal(size=(20, 30)), RNG.normal(size=20)
    closed = Ridge(0.7).fit(X, y).leave_one_out_predict(X, y)
    keep = ~np.eye(20, dtype=bool)
    refitted = [Ridge(0.7).fit(X[k], y[k]).predict(X[i : i + 1])[0] for i, k in enumerate(keep)]
    assert_allclose(closed, refitted, rtol=1e-9)


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"alpha": -1.0}, r"The 'alpha' parameter of Ridge must be a float in the range \[0, inf\)"),
        ({"alpha": [1.0, 2.0]}, "Number of targets and number of penalties do not correspond: 2 != 1"),
        ({"alpha": [float("nan")]}, "parameter of Ridge must be .*give finite numbers"),
        ({"solver": "cholesk"}, "Did you mean 'cholesky'?"),
        ({"solver": "lbfgs"}, "'lbfgs' solver can be used only when positive=True"),
        ({"solver": "svd", "positive": True}, "does not support positive fitting"),
    ],
)
def test_errors(parameters, message):
    model = Ridge(**parameters)
    with pytest.raises(ParameterError, match=message):
        model.fit(LINE, np.arange(4.0))
    assert not hasattr(model, "coef_")
