"""The perceptrons give scikit-learn's loss curves, weights and decisions for the same seed."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.neural_network as theirs
from sklearn.datasets import load_digits, load_iris

import novum.neural_network as ours

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
X, Y = load_iris(return_X_y=True)
DIGITS, NUMBERS = load_digits(return_X_y=True)
DIGITS = DIGITS / 16
RNG = np.random.default_rng(0)
WEIGHT = RNG.uniform(0.1, 2, len(X))
SEVERAL = np.column_stack([Y == 0, X[:, 0] > 5.8, Y == 2]).astype(int)


def both(kind, X, y, weight=None, **options):
    return [getattr(module, kind)(**options).fit(X, y, sample_weight=weight) for module in (theirs, ours)]


def assert_same(a, b, tol=1e-10):
    assert (a.n_iter_, a.t_, a.n_layers_, a.n_outputs_, a.out_activation_) == (
        b.n_iter_,
        b.t_,
        b.n_layers_,
        b.n_outputs_,
        b.out_activation_,
    )
    for left, right in zip(a.coefs_ + a.intercepts_, b.coefs_ + b.intercepts_, strict=True):
        np.testing.assert_allclose(left, right, rtol=0, atol=tol)
    assert a.loss_ == pytest.approx(b.loss_, abs=tol)
    if hasattr(a, "loss_curve_"):
        np.testing.assert_allclose(a.loss_curve_, b.loss_curve_, rtol=0, atol=tol)
        assert a.best_loss_ == (None if b.best_loss_ is None else pytest.approx(b.best_loss_, abs=tol))
        if a.validation_scores_ is None:
            assert b.validation_scores_ is None and b.best_validation_score_ is None
        else:
            np.testing.assert_allclose(a.validation_scores_, b.validation_scores_, atol=tol)
            assert a.best_validation_score_ == pytest.approx(b.best_validation_score_)


@pytest.mark.notes("000-c", "epoch-shuffle")
@pytest.mark.parametrize("solver", ["sgd", "adam", "lbfgs"])
@pytest.mark.parametrize("activation", ["relu", "tanh", "logistic", "identity"])
def test_every_solver_and_activation(solver, activation):
    a, b = both(
        "MLPClassifier",
        X,
        Y,
        solver=solver,
        activation=activation,
        hidden_layer_sizes=(17, 9),
        random_state=3,
        max_iter=15,
        learning_rate_init=0.01,
    )
    assert_same(a, b, 1e-6 if solver == "lbfgs" else 1e-10)
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-6)
    np.testing.assert_array_equal(a.predict(X), b.predict(X))


@pytest.mark.parametrize("solver", ["sgd", "adam", "lbfgs"])
def test_every_kind_of_target(solver):
    options = {"solver": solver, "hidden_layer_sizes": (12,), "random_state": 1, "max_iter": 10}
    tol = 1e-7 if solver == "lbfgs" else 1e-10
    for kind, y, more in (
        ("MLPClassifier", Y == 1, {}),
        ("MLPClassifier", np.array(["a", "b", "c"])[Y], {}),
        ("MLPClassifier", SEVERAL, {}),
        ("MLPRegressor", X[:, 0], {}),
        ("MLPRegressor", X[:, :2], {}),
        ("MLPRegressor", Y, {"loss": "poisson"}),
    ):
        a, b = both(kind, X, y, WEIGHT, **options, **more)
        if solver == "lbfgs" and np.ndim(y) == 2 and kind == "MLPRegressor":
            continue  # scikit-learn's line search compares a mean with the gradient of a sum: see the next test
        assert_same(a, b, tol)
        assert a.predict(X).dtype == b.predict(X).dtype and a.predict(X).shape == b.predict(X).shape
        if kind == "MLPRegressor":
            np.testing.assert_allclose(a.predict(X), b.predict(X), atol=1e-6)
        else:
            np.testing.assert_array_equal(a.predict(X), b.predict(X))
            np.testing.assert_allclose(a.predict_log_proba(X), b.predict_log_proba(X), atol=1e-6)


@pytest.mark.notes("000-c", "reg-l2")
@pytest.mark.notes("002", "weight-decay")
def test_several_targets_by_lbfgs_end_in_the_same_minimum():
    options = {
        "solver": "lbfgs",
        "hidden_layer_sizes": (),
        "alpha": 3.0,
        "tol": 1e-9,
        "max_iter": 5000,
        "random_state": 0,
    }
    targets = X[:, [1, 1, 0]] * [1.0, 5.0, -2.0] + X[:, :1] ** 2
    a, b = both("MLPRegressor", X, targets, WEIGHT, **options)
    centred, aims = (
        z - np.average(z, axis=0, weights=WEIGHT) for z in (X, targets)
    )  # without a hidden layer it is ridge
    ridge = np.linalg.solve((centred.T * WEIGHT) @ centred + 3.0 * np.eye(4), (centred.T * WEIGHT) @ aims)
    np.testing.assert_allclose(b.coefs_[0], ridge, atol=1e-6)
    np.testing.assert_allclose(a.coefs_[0], ridge, atol=1e-3)  # where their line search gave up
    assert b.loss_ == pytest.approx(a.loss_, rel=1e-5) and b.history_[-1] == b.loss_


@pytest.mark.parametrize("rate", ["invscaling", "adaptive"])
@pytest.mark.parametrize("nesterov", [True, False])
def test_rates_and_stopping(rate, nesterov):
    options = {"solver": "sgd", "learning_rate": rate, "nesterovs_momentum": nesterov, "learning_rate_init": 0.2}
    a, b = both("MLPClassifier", X, Y, **options, max_iter=60, random_state=0, n_iter_no_change=2)
    assert_same(a, b)
    assert a._optimizer.learning_rate == pytest.approx(b._optimizer.learning_rate)


@pytest.mark.notes("000-c", "early-stopping")
def test_early_stopping_splits_and_judges_alike():
    options = {"early_stopping": True, "random_state": 0, "max_iter": 12, "batch_size": 32, "n_iter_no_change": 3}
    assert_same(*both("MLPClassifier", DIGITS[:600], NUMBERS[:600], **options))
    assert_same(*both("MLPRegressor", X, X[:, :2], **options))
    assert_same(*both("MLPClassifier", X, Y > 1, WEIGHT, **options))
    assert_same(*both("MLPClassifier", X, SEVERAL, **options))


def test_sparse_rows_portions_and_warm_starts():
    sparse = scipy.sparse.csr_matrix(DIGITS[:500])
    assert_same(*both("MLPClassifier", sparse, NUMBERS[:500], max_iter=4, random_state=0))
    models = [module.MLPClassifier(random_state=0) for module in (theirs, ours)]
    for _ in range(3):
        for model in models:
            model.partial_fit(DIGITS[:500], NUMBERS[:500], classes=range(10))
    assert_same(*models)
    models = [
        module.MLPRegressor(random_state=0, warm_start=True, max_iter=3, solver="sgd") for module in (theirs, ours)
    ]
    for _ in range(3):
        for model in models:
            model.fit(X, X[:, 0])
    assert_same(*models)


def test_floats_follow_floats():
    a, b = both("MLPClassifier", DIGITS.astype(np.float32), NUMBERS, max_iter=3, random_state=0)
    assert_same(a, b, 2e-5)
    assert b.coefs_[0].dtype == b.predict_proba(DIGITS.astype(np.float32)).dtype == np.float32
