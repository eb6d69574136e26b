"""Lasso and elastic net: the notes' numbers, optimality conditions, scikit-learn's classes, every home of data."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.linear_model as sk
from numpy.testing import assert_allclose
from reference.linear_model import descent as reference

import novum
from novum.exceptions import NotConverged
from novum.linear_model import ElasticNet, Lasso, enet_path, lasso_path


def wide(n=60, p=500, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + rng.normal(size=p)
    return X, X[:, :5] @ [3.0, -2, 1, 0.5, -4] + rng.normal(size=n) + 7


@pytest.mark.notes("003", "lasso")
def test_notes_of_machine_learning():
    # RSS + lambda/2 |w|: in the scale of (1), alpha = lambda / (4 n)
    x, t = np.array([[-1.5], [-0.5], [0.5], [1.5]]), np.array([1.0, 3, 4, 7])
    assert_allclose(Lasso(alpha=2 / 16, tol=1e-12).fit(x, t).coef_, [1.8], rtol=1e-12)
    assert Lasso(alpha=38 / 16).fit(x, t).coef_ == 0
    assert Lasso(alpha=37.9 / 16).fit(x, t).coef_ > 0


@pytest.mark.notes("004", "lasso")
def test_notes_of_intelligent_systems():
    # (1/N) RSS + lambda |w|: alpha = lambda / 2; slope max(0, 5.5 - N lambda / 2) / 5
    x, y = np.arange(4.0)[:, None], np.array([1.0, 3, 2, 5])
    assert_allclose(Lasso(alpha=0.5, tol=1e-12).fit(x, y).coef_, [0.7], rtol=1e-12)
    assert Lasso(alpha=2.75 / 2).fit(x, y).coef_ == 0


@pytest.mark.notes("003", "lasso")
def test_selects_features():
    X, y = wide(200, 50)
    model = Lasso(alpha=0.3).fit(X, y)
    assert set(np.flatnonzero(model.coef_)) >= {0, 1, 2, 4} and (model.coef_ == 0).sum() > 30
    assert_allclose(model.sparse_coef_.toarray()[0], model.coef_)


@pytest.mark.notes("003", "lasso")
@pytest.mark.notes("004", "lasso")
@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("p", [20, 500])
@pytest.mark.parametrize("options", [{}, {"positive": True}, {"fit_intercept": False}, {"selection": "random"}])
def test_as_scikit_learn(kind, p, options):
    X, y = wide(60, p)
    if kind == "sparse":
        X = scipy.sparse.random(60, p, density=0.3, random_state=0, format="csc")
        y = X @ np.arange(p) / p + 0.1 * y
    if options.get("fit_intercept") is False and kind == "dense":
        X = X - X.mean(axis=0)
    weight = np.random.default_rng(1).uniform(0, 2, 60)
    settings = {"alpha": 0.05, "l1_ratio": 0.7, "tol": 1e-11, "max_iter": 50_000, "random_state": 0, **options}
    for w in (None, weight):
        ours, theirs = ElasticNet(**settings).fit(X, y, w), sk.ElasticNet(**settings).fit(X, y, w)
        assert_allclose(ours.coef_, theirs.coef_, atol=2e-5)
        assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
        assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-4)
        assert -1e-12 <= ours.dual_gap_ <= 1e-11 * (y @ y) / 30


@pytest.mark.notes("003", "lasso")
def test_gap_and_optimality_at_scikit_learns_meaning_of_tol():
    X, y = wide()
    for tol in (1e-2, 1e-4, 1e-8):
        model = Lasso(alpha=0.1, tol=tol).fit(X, y)
        centred, target = X - X.mean(axis=0), y - y.mean()
        gap = reference.duality_gap(centred, target, model.coef_, 60 * 0.1, 0.0)
        assert_allclose(gap / 60, model.dual_gap_, rtol=1e-6, atol=1e-12)
        assert gap <= tol * (target @ target)
    assert reference.violation(centred, target, model.coef_, 60 * 0.1, 0.0) < 1e-2


def test_several_targets_are_fitted_one_by_one():
    X, y = wide(60, 30)
    Y = np.column_stack([y, -y[::-1]])
    model = Lasso(alpha=0.1).fit(X, Y)
    assert model.coef_.shape == (2, 30) and model.intercept_.shape == (2,) and len(model.n_iter_) == 2
    for k in range(2):
        alone = Lasso(alpha=0.1).fit(X, Y[:, k])
        assert_allclose(model.coef_[k], alone.coef_, rtol=1e-8, atol=1e-10)
        assert_allclose(model.dual_gap_[k], alone.dual_gap_, atol=1e-9)
    assert model.predict(X).shape == (60, 2)


def test_warm_start_begins_where_the_last_fit_ended():
    X, y = wide()
    model = Lasso(alpha=0.1, warm_start=True, tol=1e-6).fit(X, y)
    first = model.coef_
    assert model.fit(X, y).n_iter_ == 0
    assert_allclose(model.coef_, first, atol=1e-12)


def test_float32_stays_float32():
    X, y = wide()
    model = Lasso(alpha=0.1).fit(X.astype(np.float32), y.astype(np.float32))
    assert model.coef_.dtype == np.float32 and model.predict(X.astype(np.float32)).dtype == np.float32
    assert_allclose(model.coef_, Lasso(alpha=0.1).fit(X, y).coef_, atol=0.02)


def test_without_an_l1_part_the_solution_is_that_of_ridge_or_least_squares():
    X, y = wide(60, 20)
    for A, b in ((X, y), wide(40, 400)):
        ridge = sk.Ridge(alpha=0.3 * len(A)).fit(A, b)
        assert_allclose(ElasticNet(alpha=0.3, l1_ratio=0).fit(A, b).coef_, ridge.coef_, rtol=1e-6, atol=1e-9)
    with pytest.warns(UserWarning, match="With alpha=0"):
        free = Lasso(alpha=0).fit(X, y)
    assert_allclose(free.coef_, sk.LinearRegression().fit(X, y).coef_, rtol=1e-7)


def test_says_when_it_did_not_converge():
    X, y = wide(60, 100)
    with pytest.warns(NotConverged, match=r"Objective did not converge.*Lasso: Duality gap.*raise max_iter or tol"):
        Lasso(alpha=1e-4, max_iter=1, tol=1e-12).fit(X, y)


def test_given_gram_matrix_is_checked():
    X, y = wide(60, 10)
    X = X - X.mean(axis=0)
    assert_allclose(Lasso(0.1, precompute=X.T @ X).fit(X, y).coef_, Lasso(0.1).fit(X, y).coef_)
    with pytest.raises(ValueError, match=r"Gram matrix.*did not pass validation"):
        Lasso(0.1, precompute=2 * X.T @ X).fit(X, y)
    with pytest.raises(ValueError, match="Shape of the Gram matrix"):
        Lasso(0.1, precompute=np.eye(3)).fit(X, y)
    with pytest.warns(UserWarning, match="recomputing Gram matrix"):
        Lasso(0.1, precompute=X.T @ X).fit(X + 1, y)


@pytest.mark.deep
def test_same_model_from_files_and_tensors(tmp_path):
    torch = pytest.importorskip("torch")
    X, y = wide(300, 12)
    expected = Lasso(alpha=0.05).fit(X, y)
    np.save(tmp_path / "table.npy", np.column_stack([X, y]))
    scanned = Lasso(alpha=0.05).fit(novum.scan(str(tmp_path / "table.npy"), target=12))
    on_tensor = Lasso(alpha=0.05).fit(torch.tensor(X), torch.tensor(y))
    for model in (scanned, on_tensor):
        assert_allclose(model.coef_, expected.coef_, rtol=1e-8, atol=1e-10)


@pytest.mark.notes("004", "regularisation-path-plot")
@pytest.mark.notes("003", "regularisation-path")
@pytest.mark.parametrize("p", [15, 1500])
def test_paths_as_scikit_learn(p):
    X, y = wide(50, p)
    X, y = X - X.mean(axis=0), y - y.mean()
    options = {"eps": 0.05, "alphas": 12, "tol": 1e-10, "max_iter": 20_000}
    for ours, theirs, extra in ((lasso_path, sk.lasso_path, {}), (enet_path, sk.enet_path, {"l1_ratio": 0.8})):
        a, b = ours(X, y, **options, **extra, return_n_iter=True), theirs(X, y, **options, **extra)
        assert_allclose(a[0], b[0], rtol=1e-12)
        assert_allclose(a[1], b[1], atol=1e-5)
        assert (a[2] <= 1e-10 * (y @ y) / 50).all() and len(a[3]) == 12
    gram = lasso_path(X, y, alphas=a[0], precompute=X.T @ X, Xy=X.T @ y, tol=1e-10)[1]
    assert_allclose(gram, lasso_path(X, y, alphas=a[0], tol=1e-10)[1], atol=1e-6)


def test_path_errors_name_the_remedy():
    X, y = wide(20, 5)
    with pytest.raises(ValueError, match="positive=True is not allowed for multi-output"):
        lasso_path(X, np.column_stack([y, y]), positive=True)
    with pytest.raises(ValueError, match="Unexpected parameters in params"):
        lasso_path(X, y, colour="red")
    with pytest.raises(ValueError, match="not supported for l1_ratio=0"):
        enet_path(X, y, l1_ratio=0)
