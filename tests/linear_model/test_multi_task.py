"""Several targets that share their columns: the kernel, the optimality conditions, scikit-learn's classes, homes of data."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.linear_model as theirs
from numpy.testing import assert_allclose
from reference.linear_model import descent as reference

from novum import _core
from novum.linear_model import (
    ElasticNet,
    Lasso,
    MultiTaskElasticNet,
    MultiTaskElasticNetCV,
    MultiTaskLasso,
    MultiTaskLassoCV,
    enet_path,
    lasso_path,
)

TIGHT = {"tol": 1e-11, "max_iter": 100_000}


def sample(n=80, p=12, q=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + rng.normal(size=p)
    return X, X[:, :3] @ rng.normal(size=(3, q)) + 0.5 * rng.normal(size=(n, q)) + 2.0, rng.random(n)


@pytest.mark.parametrize("p, q", [(1, 1), (5, 1), (7, 4), (20, 2)])
def test_kernel(p, q):
    X, Y, _ = sample(60, max(p, 3), q)
    X = X[:, :p]
    G, C, yy = X.T @ X, np.ascontiguousarray(X.T @ Y), float((Y**2).sum())
    W, gradient = np.zeros((p, q)), np.empty((p, q))
    gap, epochs, converged = _core.linear_model.descent.descend_blocks(G, C, yy, 30.0, 2.0, 0.0, 4, None, W, gradient)
    assert_allclose(W, reference.block_epochs(G, C, 30.0, 2.0, 4), rtol=1e-10, atol=1e-12)
    assert_allclose(gradient, C - G @ W, atol=1e-9 * np.abs(C).max())
    assert gap == pytest.approx(reference.block_gap(X, Y, W, 30.0, 2.0), abs=1e-9 * yy)
    assert (epochs, converged) == (4, False) or gap <= 0


@pytest.mark.parametrize("p", [12, 400], ids=["moments", "working set"])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("options", [{"alpha": 0.2}, {"alpha": 0.3, "l1_ratio": 0.9, "fit_intercept": False}])
@pytest.mark.parametrize("weighted", [False, True])
def test_scikit_learns_optimum(p, sparse, options, weighted):
    X, Y, w = sample(60, p)
    X, weight = scipy.sparse.csc_array(np.where(np.abs(X) > 1.2, X, 0)) if sparse else X, w if weighted else None
    ours = MultiTaskElasticNet(**options, **TIGHT).fit(X, Y, weight)
    expected = theirs.MultiTaskElasticNet(**options, **TIGHT).fit(X, Y, weight)
    assert_allclose(ours.coef_, expected.coef_, atol=2e-5)
    assert_allclose(ours.intercept_, expected.intercept_, atol=1e-4)
    assert 0 < np.count_nonzero(ours.coef_.any(axis=0)) < p or p == 12
    assert ours.dual_gap_ <= ours.eps_


def test_optimality_conditions_of_the_lasso():
    X, Y, _ = sample(50, 300)
    alpha = 0.3
    model = MultiTaskLasso(alpha=alpha, **TIGHT).fit(X, Y)
    slope = (X - X.mean(axis=0)).T @ (Y - model.predict(X)) / len(X)  # (p, q)
    on, length = model.coef_.any(axis=0), np.linalg.norm(model.coef_, axis=0)
    assert_allclose(slope[on], alpha * (model.coef_ / np.where(on, length, 1)).T[on], atol=1e-5)
    assert (np.linalg.norm(slope[~on], axis=1) <= alpha * (1 + 1e-6)).all()


def test_one_target_is_the_lasso_and_no_l1_part_is_ridge():
    X, Y, _ = sample()
    alone = Lasso(alpha=0.1, **TIGHT).fit(X, Y[:, 0])
    assert_allclose(MultiTaskLasso(alpha=0.1, **TIGHT).fit(X, Y[:, :1]).coef_[0], alone.coef_, atol=1e-8)
    ridge = ElasticNet(alpha=0.1, l1_ratio=0.0).fit(X, Y[:, 1])
    assert_allclose(MultiTaskElasticNet(alpha=0.1, l1_ratio=0.0).fit(X, Y).coef_[1], ridge.coef_, rtol=1e-8)


@pytest.mark.parametrize("p", [12, 300])
def test_paths_of_several_targets(p):
    X, Y, _ = sample(40, p)
    X, Y = X - X.mean(axis=0), Y - Y.mean(axis=0)
    grid, coefs, gaps = enet_path(X, Y, l1_ratio=0.7, alphas=8, eps=0.05, **TIGHT)
    alphas, expected, _ = theirs.enet_path(X, Y, l1_ratio=0.7, alphas=8, eps=0.05, **TIGHT)
    assert_allclose(grid, alphas, rtol=1e-12)
    assert_allclose(coefs, expected, atol=1e-5)
    assert (gaps <= 1e-11 * (Y**2).sum() / len(X) * (1 + 1e-9)).all()
    again = lasso_path(X, Y, alphas=[alphas[3]], coef_init=coefs[:, :, 3])
    assert again[1].shape == (3, p, 1)


@pytest.mark.parametrize("cv", [3, [(np.arange(0, 50), np.arange(40, 80)), (np.arange(30, 80), np.arange(0, 30))]])
def test_penalty_by_validation(cv):
    X, Y, _ = sample()
    settings = {"l1_ratio": [0.5, 0.9], "alphas": 8, "cv": cv, "tol": 1e-9, "max_iter": 20_000}
    ours, expected = MultiTaskElasticNetCV(**settings).fit(X, Y), theirs.MultiTaskElasticNetCV(**settings).fit(X, Y)
    assert_allclose(ours.mse_path_, expected.mse_path_, rtol=1e-6)
    assert ours.alpha_ == pytest.approx(expected.alpha_) and ours.l1_ratio_ == expected.l1_ratio_
    assert_allclose(ours.coef_, expected.coef_, atol=1e-6)
    lasso, theirs_ = MultiTaskLassoCV(alphas=8, cv=3).fit(X, Y), theirs.MultiTaskLassoCV(alphas=8, cv=3).fit(X, Y)
    assert lasso.alpha_ == pytest.approx(theirs_.alpha_) and not hasattr(lasso, "l1_ratio_")


@pytest.mark.parametrize("model", [MultiTaskLasso(), MultiTaskElasticNetCV()])
def test_a_single_target_is_refused(model):
    X, Y, _ = sample()
    single = type(model).__name__.removeprefix("MultiTask")
    with pytest.raises(ValueError, match=f"For mono-task outputs, use {single}\\."):
        model.fit(X, Y[:, 0])


def test_warm_start_and_random_order():
    X, Y, _ = sample()
    model = MultiTaskLasso(alpha=0.1, warm_start=True, **TIGHT).fit(X, Y)
    assert model.fit(X, Y).n_iter_ == 0
    drawn = MultiTaskLasso(alpha=0.1, selection="random", random_state=0, **TIGHT).fit(X, Y)
    assert_allclose(drawn.coef_, model.coef_, atol=1e-6)
