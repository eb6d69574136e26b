"""LogisticRegression: the notes' numbers, scikit-learn's optimum under every name, homes, weights, options."""

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression as Theirs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from novum.exceptions import NotConverged
from novum.fold.blocks import Block
from novum.linear_model import LogisticRegression
from novum.linear_model.logistic import minimum as chosen
from novum.linear_model.logistic.dual import suits
from novum.linear_model.logistic.sums import Point, evaluate

X6, T6 = np.arange(6.0)[:, None], np.array([0, 0, 1, 0, 1, 1])


def sample(n=200, p=6, k=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * np.linspace(0.5, 2, p) + 0.3
    y = (X @ rng.normal(size=(p, k)) / 2 + rng.gumbel(size=(n, k))).argmax(axis=1)
    return X, y


def objective(model, X, y, C, l1_ratio=0.0, weight=None):
    loss = -model.predict_log_proba(X)[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    coef = model.coef_
    return (loss if weight is None else weight * loss).sum() + (
        l1_ratio * np.abs(coef).sum() + (1 - l1_ratio) * (coef**2).sum() / 2
    ) / C


@pytest.mark.notes("002", "logreg")
@pytest.mark.notes("004", "logistic-regression")
def test_maximum_likelihood_of_six_points():
    model = LogisticRegression(C=np.inf).fit(X6, T6)
    assert_allclose(model.intercept_, -3.035069, atol=5e-7)
    assert_allclose(model.coef_, [[1.214028]], atol=5e-7)
    assert_allclose(-model._log_likelihood, 2.477987, atol=5e-7)
    p = model.predict_proba(X6)[:, 1]
    assert_allclose([(p - T6).sum(), (p - T6) @ X6[:, 0]], 0, atol=1e-12)
    on = LogisticRegression(C=np.inf).fit(X6, T6)
    on.coef_, on.intercept_ = np.array([[2.0]]), np.array([-3.0])  # f = 0 at 1.5: both classes have one half
    assert_allclose(
        on.predict_log_proba([[1.5], [0.5]]), np.log([[0.5, 0.5], [1 / (1 + np.exp(-2)), 1 / (1 + np.exp(2))]])
    )
    assert (model.predict(X6) == (p > 0.5)).all() and ((model.decision_function(X6) > 0) == (p > 0.5)).all()


@pytest.mark.notes("002", "irls")
@pytest.mark.notes("004", "irls")
def test_newton_steps_are_reweighted_least_squares():
    given = [(-2, 0.8), (-2.774439, 1.109776), (-3.015312, 1.206125), (-3.03495, 1.21398)]
    A, w = np.column_stack([np.ones(6), X6]), np.zeros(2)
    for steps, expected in enumerate(given, start=1):
        s = 1 / (1 + np.exp(-A @ w))
        R = np.diag(s * (1 - s))
        z = A @ w - np.linalg.solve(R, s - T6)  # the working response
        w = np.linalg.solve(A.T @ R @ A, A.T @ R @ z)
        assert_allclose(w, expected, atol=5e-6)
        with pytest.warns(NotConverged):
            model = LogisticRegression(C=np.inf, tol=1e-14, max_iter=steps).fit(X6, T6)
        assert_allclose([model.intercept_[0], model.coef_[0, 0]], w, rtol=1e-12)
    full = LogisticRegression(C=np.inf, tol=1e-10).fit(X6, T6)
    assert full.n_iter_[0] < 10 and (np.diff(full.history_) < 0).all()


@pytest.mark.notes("003", "logistic-regression")
def test_loss_and_gradient_of_two_classes():
    block = Block(np.array([[-2.0], [-1], [1], [2]]), np.array([0, 0, 1, 1]))
    at_zero = evaluate(Point(np.zeros((1, 2)), 1.0, None), block)
    assert_allclose(at_zero.loss, 2.7725887, atol=5e-8)
    assert_allclose(at_zero.gradient[0, ::-1], [0, -3], atol=1e-12)
    there = evaluate(Point(np.array([[0.7, 0.3]]), 1.0, None), block)
    assert_allclose(there.loss, 1.2813983, atol=5e-8)
    assert_allclose(there.gradient[0, ::-1], [0.227646, -1.478664], atol=5e-7)


@pytest.mark.notes("003", "softmax-regression")
def test_softmax_and_its_gradient():
    W = np.array([[0.2, 0.1], [0.5, 0.0], [0.1, -0.3]])  # the constant last
    sums = evaluate(Point(W, 1.0, None), Block(np.array([[2.0]]), np.array([1])))
    expected = np.array([[0.312741, 0.625482], [-0.484377, -0.968754], [0.171636, 0.343272]])
    assert_allclose(sums.gradient[:, ::-1], expected, atol=5e-7)
    assert_allclose(np.exp(-sums.loss), 0.515623, atol=5e-7)


@pytest.mark.notes("002", "softmax-regression")
def test_hessian_of_several_classes_is_singular_along_a_common_shift():
    X, y = sample(k=3)
    point = Point(np.random.default_rng(1).normal(size=(3, 7)), 1.0, None, hessian=True)
    H = evaluate(point, Block(X, y)).hessian
    values = np.linalg.eigvalsh(H)
    assert (np.abs(values[:7]) < 1e-10 * values[-1]).all() and values[7] > 1e-6 * values[-1]
    model = LogisticRegression(C=np.inf, tol=1e-10).fit(X, y)  # which the fit resolves: coefficients sum to zero
    assert_allclose(model.coef_.sum(axis=0), 0, atol=1e-12)
    P = model.predict_proba(X)
    assert_allclose((P - np.eye(3)[y]).T @ X, 0, atol=1e-9)


@pytest.mark.notes("004", "multinomial-logistic")
def test_base_class_form_is_the_softmax_with_one_vector_at_zero():
    model = LogisticRegression()
    model.classes_, model.n_features_in_ = np.arange(3), 1
    model.coef_, model.intercept_ = np.array([[1.0], [0.5], [0.0]]), np.array([0.2, -0.1, 0.0])
    assert_allclose(model.predict_proba([[2.0]]), [[0.722891, 0.197011, 0.080099]], atol=5e-7)
    model.coef_, model.intercept_ = model.coef_ - 7.0, model.intercept_ + 3.0
    assert_allclose(model.predict_proba([[2.0]]), [[0.722891, 0.197011, 0.080099]], atol=5e-7)
    model.coef_, model.intercept_ = np.zeros((3, 1)), np.zeros(3)
    assert_allclose(model.predict_log_proba([[2.0]]), np.full((1, 3), -np.log(3)))
    X, y = sample(k=3)
    fitted = LogisticRegression(C=np.inf, tol=1e-10).fit(X, y)
    for base in range(3):
        b = fitted.inference(base_class=base).coef.reshape(2, 7)
        scores = np.insert(b[:, 0] + X @ b[:, 1:].T, base, 0.0, axis=1)
        assert_allclose(np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True), fitted.predict_proba(X), rtol=1e-9)


@pytest.mark.notes("002", "class-weights")
@pytest.mark.parametrize("k", [2, 3])
def test_class_weights_are_sample_weights_of_the_class(k):
    X, y = sample(k=k)
    given = dict(enumerate(np.linspace(0.5, 3, k)))
    a = LogisticRegression(class_weight=given, tol=1e-10).fit(X, y)
    b = LogisticRegression(tol=1e-10).fit(X, y, sample_weight=np.vectorize(given.get)(y))
    assert_allclose(a.coef_, b.coef_, rtol=1e-9)
    balanced = LogisticRegression(class_weight="balanced", tol=1e-10).fit(X, y)
    share = len(y) / (k * np.bincount(y))
    same = LogisticRegression(class_weight=dict(enumerate(share)), tol=1e-10).fit(X, y)
    assert_allclose(balanced.coef_, same.coef_, rtol=1e-10)
    assert_allclose(
        balanced.coef_, Theirs(class_weight="balanced", tol=1e-10, max_iter=1000).fit(X, y).coef_, rtol=1e-5, atol=1e-7
    )


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cg", "newton-cholesky", "sag", "saga", "liblinear"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_every_name_reaches_the_optimum(solver, fit_intercept):
    X, y = sample()
    options = {"C": 0.3, "fit_intercept": fit_intercept, "solver": solver}
    reference = solver if solver == "liblinear" else "newton-cholesky"
    if solver == "liblinear":
        options["intercept_scaling"] = 2.0
    ours = LogisticRegression(tol=1e-9, **options).fit(X, y)
    theirs = Theirs(tol=1e-10, max_iter=10_000, **{**options, "solver": reference}).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6, atol=1e-7)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-6, atol=1e-7)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-6)
    assert ours.coef_.shape == (1, 6) and ours.intercept_.shape == (1,) and ours.n_iter_.shape == (1,)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("route", ["summed", "many"])
@pytest.mark.parametrize("data", ["dense", "sparse", "frame"])
def test_routes_agree(k, route, data, monkeypatch):
    pandas = pytest.importorskip("pandas")
    if route == "many":
        for limit in ("HESSIAN_COLUMNS", "HESSIAN_COLUMNS_SEVERAL", "FEW_PENALISED"):
            monkeypatch.setattr(chosen, limit, 0)
        monkeypatch.setattr(chosen, "BLOCK", 256)
    X, y = sample(300, 5, k)
    weight = np.random.default_rng(3).random(300)
    given = {"dense": X, "sparse": scipy.sparse.csr_array(X), "frame": pandas.DataFrame(X, columns=list("abcde"))}[data]
    for l1_ratio in (0.0, 0.5, 1.0):
        options = {"solver": "saga", "C": 0.05, "l1_ratio": l1_ratio, "max_iter": 5000}
        ours = LogisticRegression(tol=1e-9, **options).fit(given, y, weight)
        theirs = Theirs(solver="saga", C=0.05, l1_ratio=l1_ratio, max_iter=20_000, tol=1e-9, random_state=0).fit(
            X, y, weight
        )
        assert_allclose(
            objective(ours, given, y, 0.05, l1_ratio, weight),
            objective(theirs, X, y, 0.05, l1_ratio, weight),
            rtol=1e-9,
        )
        assert_allclose(ours.coef_, theirs.coef_, atol=2e-6)
        if l1_ratio == 1 and k == 2:
            assert (ours.coef_ == 0).any() and ((ours.coef_ == 0) == (np.abs(theirs.coef_) < 1e-7)).all()
        assert (np.diff(ours.history_) <= 1e-12).all()


def test_wide_data_and_working_sets_that_grow():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 700))
    y = (X[:, :4].sum(axis=1) + rng.normal(size=80) > 0).astype(int)
    ours = LogisticRegression(tol=1e-8).fit(X, y)
    gradient = X.T @ (ours.predict_proba(X)[:, 1] - y) + ours.coef_[0]
    assert np.abs(gradient).max() < 1e-8 * 80 and abs((ours.predict_proba(X)[:, 1] - y).sum()) < 1e-8 * 80
    for C in (0.5, 50.0):  # few columns, and nearly as many as rows
        sparse = LogisticRegression(solver="saga", l1_ratio=1.0, C=C, tol=1e-8, max_iter=500).fit(X, y)
        slope = C * (X.T @ (sparse.predict_proba(X)[:, 1] - y))
        on = sparse.coef_[0] != 0
        assert 0 < on.sum() < 80
        assert_allclose(slope[on], -np.sign(sparse.coef_[0][on]), atol=1e-4)
        assert np.abs(slope[~on]).max() <= 1 + 1e-4


@pytest.mark.parametrize(
    "solver, options",
    [
        ("lbfgs", {"fit_intercept": False}),
        ("lbfgs", {}),
        ("liblinear", {"intercept_scaling": 0.5}),
        ("lbfgs", {"C": 2.0}),
    ],
)
def test_the_dual_of_sparse_rows_has_the_same_optimum(solver, options, monkeypatch):
    rng = np.random.default_rng(5)
    X = scipy.sparse.random(300, 600, density=0.02, format="csr", random_state=1, data_rvs=rng.standard_normal)
    y, weight = (X[:, :40].sum(axis=1).A1 + rng.normal(size=300) > 0.3).astype(int), rng.integers(0, 3, size=300)
    settings = {"solver": solver, "tol": 1e-9, "class_weight": {0: 1.0, 1: 2.0}, "max_iter": 500, **options}
    used = []
    monkeypatch.setattr(chosen, "suits", lambda *a: used.append(dual := suits(*a)) or dual)
    by_dual = LogisticRegression(**settings).fit(X, y, weight)
    monkeypatch.setattr(chosen, "suits", lambda *a: used.append(False) or False)
    by_newton = LogisticRegression(**settings).fit(X, y, weight)
    assert used == [True, False]
    assert_allclose(by_dual.coef_, by_newton.coef_, atol=1e-6)
    assert_allclose(by_dual.intercept_, by_newton.intercept_, atol=1e-6)
    assert by_dual.history_[-1] == pytest.approx(by_newton.history_[-1], rel=1e-10)


def test_rows_that_pull_at_each_other_are_left_to_newton():
    X, y = sample(60, 6)
    wide = scipy.sparse.csr_array(np.tile(X, 60))
    assert not suits(LogisticRegression()._source(wide, y, None, target="classes"), 2, None, 1.0)


def test_a_start_on_a_share_changes_nothing_but_the_time(monkeypatch):
    X, y = sample(4000, 5)
    plain = LogisticRegression(tol=1e-10).fit(X, y)
    monkeypatch.setattr(chosen, "SHARE_FROM", 0)
    shared = LogisticRegression(tol=1e-10).fit(X, y)
    assert_allclose(shared.coef_, plain.coef_, rtol=1e-9)
    assert shared.n_iter_[0] < plain.n_iter_[0]
    order = np.argsort(y)  # a share without the second class
    assert_allclose(LogisticRegression(tol=1e-10).fit(X[order], y[order]).coef_, plain.coef_, rtol=1e-8)


@pytest.mark.notes("004", "basis-function-model")
def test_a_fixed_basis_makes_the_boundary_an_ellipse():
    """sigma(w phi(x) + b) with phi(x) = (x1^2, x2^2): at the minimum C sum (p - t) phi + w = 0 and sum (p - t) = 0."""
    rng = np.random.default_rng(3)
    X = rng.uniform(-2, 2, size=(300, 2))
    y = (X[:, 0] ** 2 / 3 + X[:, 1] ** 2 + 0.2 * rng.normal(size=300) < 1).astype(int)
    basis = FunctionTransformer(np.square)
    model = make_pipeline(basis, LogisticRegression(C=2.0, tol=1e-12)).fit(X, y)
    w, b = model[-1].coef_[0], model[-1].intercept_[0]
    p = 1 / (1 + np.exp(-(X[:, 0] ** 2 * w[0] + X[:, 1] ** 2 * w[1] + b)))
    assert_allclose(model.predict_proba(X)[:, 1], p, rtol=1e-10)
    assert_allclose(2.0 * (p - y) @ X**2 + w, 0, atol=1e-8)
    assert_allclose((p - y).sum(), 0, atol=1e-8)
    assert -b / w[0] == pytest.approx(3, rel=0.15) and -b / w[1] == pytest.approx(
        1, rel=0.15
    )  # squares of the half axes
    assert model.score(X, y) > 0.9 > 0.75 > LogisticRegression().fit(X, y).score(X, y)
