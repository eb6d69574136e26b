"""Penalties chosen by cross-validation and leave-one-out, and pictures of paths."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.linear_model as sk
from artists import canvas, contours, curve, curves
from numpy.testing import assert_allclose
from sklearn.model_selection import KFold, LeaveOneOut, ShuffleSplit, cross_val_predict

import novum
from novum.linear_model import (
    ElasticNetCV,
    Lasso,
    LassoCV,
    Ridge,
    RidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
    lasso_path,
    plot_path,
    ridge_regression,
)
from novum.teaching import plot_norm_balls


def data(n=80, p=12, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 3 * rng.normal(size=p)
    return X, X[:, :3] @ [2.0, -1, 0.5] + rng.normal(size=n) + 4


@pytest.mark.notes("003", "lambda-by-cv")
def test_penalty_by_cross_validation_then_refit():
    X, y = data(60, 30)
    model = LassoCV(alphas=25, cv=5, tol=1e-8).fit(X, y)
    errors = np.zeros(25)
    for train, test in KFold(5).split(X):
        for i, alpha in enumerate(model.alphas_):
            fold = Lasso(alpha, tol=1e-8).fit(X[train], y[train])
            errors[i] += np.mean((y[test] - fold.predict(X[test])) ** 2) / 5
    assert_allclose(model.mse_path_.mean(axis=1), errors, rtol=1e-6)
    assert model.alpha_ == model.alphas_[errors.argmin()]
    assert_allclose(model.coef_, Lasso(model.alpha_, tol=1e-8).fit(X, y).coef_, atol=1e-8)
    training = [np.mean((y - Lasso(a).fit(X, y).predict(X)) ** 2) for a in model.alphas_]
    assert np.argmin(training) == 24 != errors.argmin()  # the training error would choose no penalty at all


@pytest.mark.notes("003", "lambda-by-cv")
@pytest.mark.parametrize("p", [12, 1100])
@pytest.mark.parametrize("cv", [None, KFold(4, shuffle=True, random_state=0), ShuffleSplit(3, random_state=0)])
@pytest.mark.parametrize("sparse", [False, True])
def test_as_scikit_learn(p, cv, sparse):
    X, y = data(50, p)
    if sparse:
        X = scipy.sparse.random(50, p, density=0.3, random_state=0, format="csr")
    weight = None if cv is None else np.random.default_rng(1).uniform(0.1, 2, 50)
    options = {"l1_ratio": [0.5, 1.0], "alphas": 6, "eps": 0.1, "cv": cv, "tol": 1e-8, "max_iter": 10_000}
    ours, theirs = ElasticNetCV(**options).fit(X, y, weight), sk.ElasticNetCV(**options).fit(X, y, weight)
    assert_allclose(ours.alphas_, theirs.alphas_, rtol=1e-10)
    assert_allclose(ours.mse_path_, theirs.mse_path_, rtol=1e-3)
    assert_allclose([ours.alpha_, ours.l1_ratio_], [theirs.alpha_, theirs.l1_ratio_], rtol=1e-10)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


def test_far_from_the_origin_folds_lose_no_digits():
    X, y = data()
    near, far = LassoCV(alphas=10, tol=1e-10).fit(X, y), LassoCV(alphas=10, tol=1e-10).fit(X + 1e6, y - 1e5)
    assert_allclose(far.mse_path_, near.mse_path_, rtol=1e-6)


def test_folds_outside_of_memory_are_runs_of_rows(tmp_path):
    X, y = data(400)
    np.save(tmp_path / "table.npy", np.column_stack([X, y]))
    scan = novum.scan(str(tmp_path / "table.npy"), target=12)
    for model in (LassoCV(alphas=10), RidgeCV([0.1, 1.0, 10.0])):
        expected, found = model.fit(X, y), type(model)(**model.get_params()).fit(scan)
        assert found.alpha_ == expected.alpha_
        assert_allclose(found.coef_, expected.coef_, rtol=1e-8, atol=1e-10)
    with pytest.raises(ValueError, match="give cv a number of folds"):
        LassoCV(cv=KFold(3)).fit(scan)


def test_errors_name_the_remedy():
    X, y = data()
    with pytest.raises(ValueError, match=r"use MultiTaskLassoCV.*fit every column by itself"):
        LassoCV().fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match=r"alphas\[1\] == -1"):
        LassoCV(alphas=[1, -1]).fit(X, y)
    with pytest.raises(TypeError, match=r"alphas\[0\] must be an instance of float, not str"):
        LassoCV(alphas=["a"]).fit(X, y)
    with pytest.raises(ValueError, match=r"alphas\[0\] == 0, must be > 0.0"):
        RidgeCV(alphas=[0, 1]).fit(X, y)
    with pytest.raises(ValueError, match="cv!=None and store_cv_results=True are incompatible"):
        RidgeCV(cv=3, store_cv_results=True).fit(X, y)


@pytest.mark.parametrize("shape", [(40, 6), (25, 60)])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_leave_one_out_is_exact(shape, fit_intercept):
    X, y = data(*shape)
    alphas = [1e-3, 1.0, 50.0]
    model = RidgeCV(alphas, fit_intercept=fit_intercept, store_cv_results=True).fit(X, y)
    for i, alpha in enumerate(alphas):
        left_out = cross_val_predict(Ridge(alpha, fit_intercept=fit_intercept), X, y, cv=LeaveOneOut())
        assert_allclose(model.cv_results_[:, i], (y - left_out) ** 2, rtol=1e-6)
    assert_allclose(
        model.coef_, Ridge(model.alpha_, fit_intercept=fit_intercept).fit(X, y).coef_, rtol=1e-7, atol=1e-10
    )
    assert_allclose(model.best_score_, -model.cv_results_.mean(axis=0).min(), rtol=1e-12)


@pytest.mark.notes("003", "lambda-by-cv")
@pytest.mark.parametrize("n", [60, 20])
@pytest.mark.parametrize("scoring", [None, "neg_mean_absolute_error"])
@pytest.mark.parametrize("sparse", [False, True])
def test_ridge_cv_as_scikit_learn(n, scoring, sparse):
    X, y = data(n, 30)
    if sparse:
        X = scipy.sparse.random(n, 30, density=0.4, random_state=0, format="csr")
    Y, weight = np.column_stack([y, y[::-1]]), np.random.default_rng(1).uniform(0.1, 2, n)
    for target, w, per_target in ((y, None, False), (Y, weight, False), (Y, weight, True)):
        options = {"alphas": [0.01, 1.0, 30.0], "scoring": scoring, "alpha_per_target": per_target}
        ours, theirs = RidgeCV(**options).fit(X, target, w), sk.RidgeCV(**options).fit(X, target, w)
        assert_allclose(ours.alpha_, theirs.alpha_)
        assert_allclose(ours.best_score_, theirs.best_score_, rtol=1e-7)
        assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6, atol=1e-9)
        assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-6)
    folds = {"alphas": [0.1, 10.0], "cv": 3}
    assert RidgeCV(**folds).fit(X, y).alpha_ == sk.RidgeCV(**folds).fit(X, y).alpha_


def test_smallest_penalties_on_nearly_dependent_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    X = np.column_stack([X, X[:, 0] + 1e-7 * rng.normal(size=60)])
    y = X @ [1.0, 2, 3, 4] + 0.1 * rng.normal(size=60)
    model = RidgeCV([1e-14], store_cv_results=True).fit(X, y)
    left_out = cross_val_predict(Ridge(1e-14), X, y, cv=LeaveOneOut())
    assert_allclose(model.cv_results_[:, 0], (y - left_out) ** 2, rtol=1e-4)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_classifiers_as_scikit_learn(k, class_weight):
    X, y = data()
    labels = np.array(["a", "b", "c"])[np.digitize(y, np.quantile(y, [0.4, 0.8])[: k - 1])]
    for ours, theirs in (
        (RidgeClassifier, sk.RidgeClassifier),
        (RidgeClassifierCV, sk.RidgeClassifierCV),
        (lambda **o: RidgeClassifierCV(cv=3, **o), lambda **o: sk.RidgeClassifierCV(cv=3, **o)),
        (lambda **o: RidgeClassifierCV(scoring="accuracy", **o), None),
    ):
        a = ours(class_weight=class_weight).fit(X, labels)
        assert a.coef_.size == (1 if k == 2 else 3) * 12 and a.score(X, labels) > 0.6
        if theirs is not None:
            b = theirs(class_weight=class_weight).fit(X, labels)
            assert_allclose(a.coef_.ravel(), b.coef_.ravel(), rtol=1e-6, atol=1e-9)
            assert_allclose(a.decision_function(X).ravel(), b.decision_function(X).ravel(), rtol=1e-6, atol=1e-8)
            assert np.array_equal(a.predict(X), b.predict(X))


def test_rows_with_several_labels():
    X, y = data()
    Y = np.column_stack([y > np.median(y), X[:, 0] > X[:, 0].mean()]).astype(int)
    assert np.array_equal(RidgeClassifier().fit(X, Y).predict(X), sk.RidgeClassifier().fit(X, Y).predict(X))


@pytest.mark.notes("002", "ridge")
@pytest.mark.notes("003", "ridge")
@pytest.mark.notes("004", "ridge")
def test_ridge_regression_as_scikit_learn():
    X, y = data()
    assert_allclose(ridge_regression(X, y, 2.0), sk.ridge_regression(X, y, 2.0), rtol=1e-9)
    Y = np.column_stack([y, -y])
    assert_allclose(ridge_regression(X, Y, [1.0, 5.0]), sk.ridge_regression(X, Y, [1.0, 5.0]), rtol=1e-9)
    coef, n_iter, intercept = ridge_regression(X, y, 2.0, return_n_iter=True, return_intercept=True)
    assert n_iter is None and np.isclose(intercept, Ridge(2.0).fit(X, y).intercept_) and coef.shape == (12,)


@pytest.mark.notes("003", "regularisation-path")
@pytest.mark.notes("004", "regularisation-path-plot")
def test_paths_are_drawn_with_the_chosen_penalty():
    X, y = data()
    X, y = X - X.mean(axis=0), y - y.mean()
    alphas, coefs, _ = lasso_path(X, y, alphas=30)
    chosen = LassoCV(alphas=20).fit(X, y)
    axes = plot_path(
        alphas, coefs, names=[f"x{j}" for j in range(12)], chosen=chosen.alpha_, title="lasso", ax=canvas()
    )
    lines = curves(axes)
    assert axes.get_xscale() == "log" and list(lines) == [f"x{j}" for j in range(12)]
    for j, line in enumerate(lines.values()):  # a column's coefficient under every penalty
        assert_allclose(line, np.column_stack([alphas, coefs[j]]))
    for k in (5, 20):  # which is the lasso's: its subgradient vanishes
        slope = X.T @ (y - X @ coefs[:, k]) / len(y)
        on = coefs[:, k] != 0
        assert_allclose(slope[on], alphas[k] * np.sign(coefs[on, k]), rtol=1e-3)
        assert (np.abs(slope[~on]) <= alphas[k] * (1 + 1e-6)).all()
    assert_allclose(curve(axes, 12)[0], chosen.alpha_)
    assert (coefs[:, 0] == 0).all()  # the lasso reaches zero
    ridge = np.array([Ridge(a).fit(X, y).coef_ for a in np.geomspace(1e-2, 1e6, 30)]).T
    assert (np.abs(ridge[:, -1]) > 0).all() and np.abs(ridge[:, -1]).max() < 1e-3  # ridge only comes close
    for line, path in zip(plot_path(np.geomspace(1e-2, 1e6, 30), ridge, ax=canvas()).lines, ridge, strict=True):
        assert_allclose(line.get_data(), [np.geomspace(1e-2, 1e6, 30), path])
    drawn = chosen.plot(canvas())
    for line, fold in zip(drawn.lines, chosen.mse_path_.T):
        assert_allclose(line.get_data(), [chosen.alphas_, fold])
    assert_allclose(drawn.lines[-2].get_data(), [chosen.alphas_, chosen.mse_path_.mean(axis=1)])
    assert np.isclose(drawn.lines[-1].get_xdata()[0], chosen.alpha_)
    assert ElasticNetCV(l1_ratio=[0.5, 0.9], alphas=5).fit(X, y).plot().lines
    with pytest.raises(ValueError, match="one column of coefs per alpha"):
        plot_path(alphas, coefs.T)


@pytest.mark.notes("000-c", "plot-regularisation")
def test_norm_balls_touch_the_contours():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2)) @ np.array([[1.0, 0.6], [0.0, 0.8]])
    y = X @ [0.3, 1.5] + 0.2 * rng.normal(size=50)
    A, b = X - X.mean(0), y - y.mean()

    def error(w):
        return float(((b - A @ w) ** 2).sum())

    left, right = plot_norm_balls(X, y, radius=0.5, ax=canvas(1, 2))
    for axes, order in ((left, 1), (right, 2)):
        turn = np.linspace(0, 2 * np.pi, 20001)  # the least error on the ball, by trying every direction
        ball = np.column_stack([np.cos(turn), np.sin(turn)])
        ball *= 0.5 / np.linalg.norm(ball, order, axis=1)[:, None]
        best = ball[np.argmin([error(w) for w in ball[::20]]) * 20]
        touching = np.ravel(curve(axes, 2))
        assert_allclose(touching, best, atol=6e-3)
        assert_allclose(np.linalg.norm(touching, order), 0.5, atol=1e-3)
        assert_allclose(np.ravel(curve(axes, 1)), np.linalg.lstsq(A, b, rcond=None)[0], rtol=1e-9)
        drawn = axes.patches[0].get_xy()
        assert_allclose(np.linalg.norm(drawn, order, axis=1), 0.5, rtol=1e-9)
        least = error(np.linalg.lstsq(A, b, rcond=None)[0])
        rings = contours(axes)
        assert_allclose(list(rings), least + (error(touching) - least) * np.array([0.1, 0.4, 1, 2]), rtol=1e-9)
        for level, ring in rings.items():
            assert_allclose([error(w) for w in ring], level, rtol=0.02)
        path = np.column_stack(curve(axes, 0))  # solutions under growing freedom: each the least error on its own ball
        for w in path[::40]:
            size = np.linalg.norm(w, order)
            around = ball * size / 0.5
            assert error(w) <= min(error(v) for v in around[::40]) + 1e-6 * least
    assert left.lines[2].get_xdata()[0] == 0  # the corner of the L1 ball
    assert right.lines[2].get_xdata()[0] != 0
    with pytest.raises(ValueError, match="two columns"):
        plot_norm_balls(X[:, :1], y)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_leave_one_out_of_sparse_single_precision_adds_up_in_double(fit_intercept):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 40)).astype(np.float32), rng.normal(size=40).astype(np.float32)
    dense = RidgeCV(alphas=[1e-12], fit_intercept=fit_intercept).fit(X, y)
    sparse = RidgeCV(alphas=[1e-12], fit_intercept=fit_intercept).fit(scipy.sparse.csr_array(X), y)
    assert_allclose(sparse.coef_, dense.coef_, rtol=1e-5, atol=1e-5 * np.abs(dense.coef_).max())
