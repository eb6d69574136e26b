"""LogisticRegression: the notes' numbers, scikit-learn's optimum under every name, homes, weights, options."""

import warnings

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression as Theirs
from sklearn.preprocessing import scale

from novum.exceptions import DataError, NotConverged, ParameterError
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


@pytest.mark.deep
def test_homes_of_data(tmp_path):
    torch, pyarrow = pytest.importorskip("torch"), pytest.importorskip("pyarrow")
    from pyarrow import parquet

    import novum

    X, y = sample(400, 4, 3)
    parquet.write_table(pyarrow.table({**{f"x{j}": X[:, j] for j in range(4)}, "y": y}), tmp_path / "rows.parquet")
    scan = novum.scan(tmp_path / "rows.parquet", target="y")
    for options in ({"C": 0.5}, {"C": 0.1, "solver": "saga", "l1_ratio": 0.7}):
        here = LogisticRegression(tol=1e-10, class_weight="balanced", **options).fit(X, y)
        for data in ((torch.tensor(X), torch.tensor(y)), (scan,)):
            there = LogisticRegression(tol=1e-10, class_weight="balanced", **options).fit(*data)
            assert_allclose(there.coef_, here.coef_, atol=1e-8)


@pytest.mark.deep
def test_outside_memory_many_columns_go_by_products(monkeypatch):
    torch = pytest.importorskip("torch")
    X, y = sample(200, 6, 3)
    here = LogisticRegression(tol=1e-9).fit(X, y)
    monkeypatch.setattr(chosen, "FEW_FAR", 0)
    there = LogisticRegression(tol=1e-9).fit(torch.tensor(X), torch.tensor(y))
    assert_allclose(there.coef_, here.coef_, atol=1e-7)
    with pytest.raises(DataError, match="an L1 penalty on 6 columns needs them in memory"):
        LogisticRegression(solver="saga", l1_ratio=1.0).fit(torch.tensor(X), torch.tensor(y))


def test_warm_start_begins_where_the_last_fit_ended():
    X, y = sample(k=3)
    model = LogisticRegression(warm_start=True, tol=1e-8).fit(X, y)
    first = model.n_iter_[0]
    model.fit(X, y)
    assert model.n_iter_[0] == 1 < first
    model.fit(X[:, :3], y)  # other columns: from zero
    assert model.n_features_in_ == 3


def test_float32_and_single_precision_predictions():
    X, y = sample()
    model = LogisticRegression().fit(X.astype(np.float32), y)
    assert model.coef_.dtype == np.float32 and model.predict_proba(X.astype(np.float32)).dtype == np.float32
    assert_allclose(model.coef_, LogisticRegression().fit(X, y).coef_, rtol=1e-4)


def test_probabilities_far_out_keep_their_logarithm():
    model = LogisticRegression().fit(X6, T6)
    far = model.predict_log_proba([[1e4], [-1e4]])
    assert np.isfinite(far).all() and far[0, 0] < -1000 and (model.predict_proba([[1e4]]) == [[0, 1]]).all()


def test_sparsify_and_densify():
    X, y = sample(k=3)
    model = LogisticRegression(solver="saga", l1_ratio=1.0, C=0.1).fit(X, y)
    P = model.predict_proba(X)
    assert scipy.sparse.issparse(model.sparsify().coef_)
    assert_allclose(model.predict_proba(X), P, rtol=1e-13)
    assert_allclose(model.predict_proba(scipy.sparse.csr_array(X)), P, rtol=1e-12)
    assert isinstance(model.densify().coef_, np.ndarray)


def test_callbacks_hear_every_step_and_can_stop():
    heard = []

    class Listener:
        def setup(self, estimator, context): ...
        def teardown(self, estimator, context): ...
        def on_fit_task_begin(self, estimator, context): ...
        def on_fit_task_end(self, estimator, context):
            if hasattr(context, "objective"):
                heard.append(context.objective)
            return len(heard) == 2

    X, y = sample()
    model = LogisticRegression(tol=1e-10).set_callbacks(Listener()).fit(X, y)
    assert model.n_iter_[0] == 2 and heard == list(model.history_)[1:]


@pytest.mark.parametrize(
    "options, message",
    [
        (
            {"solver": "lbfgs", "l1_ratio": 1},
            "Solver lbfgs supports only 'l2' or None penalties, got l1 penalty. Use Log",
        ),
        ({"solver": "sag", "dual": True}, "Solver sag supports only dual=False, got dual=True"),
        (
            {"solver": "liblinear", "l1_ratio": 0.5},
            "Only 'saga' solver supports elasticnet penalty, got solver=liblinear",
        ),
        (
            {"solver": "liblinear", "C": np.inf},
            "not supported for the liblinear solver. Use LogisticRegression.solver='lbfgs'",
        ),
        ({"class_weight": {7: 1.0}}, r"names \[7\], which do not occur; y has \[0, 1\]"),
        ({"C": 0.0}, "The 'C' parameter of LogisticRegression must be a float in the range"),
    ],
)
def test_options_that_do_not_go_together(options, message):
    with pytest.raises(ParameterError, match=message):
        LogisticRegression(**options).fit(X6, T6)


def test_refusals_of_data():
    with pytest.raises(DataError, match="at least 2 classes in the data, but the data contains only one class"):
        LogisticRegression().fit(X6, np.ones(6))
    with pytest.raises(ParameterError, match="does not support multiclass classification"):
        LogisticRegression(solver="liblinear").fit(X6, [0, 1, 2, 0, 1, 2])
    with pytest.raises(DataError, match="leaves no row with a positive weight"):
        LogisticRegression(class_weight={0: 0, 1: 0}).fit(X6, T6)
    with pytest.raises(DataError, match="value > 1e30 results in a frozen fit"):
        LogisticRegression(solver="liblinear").fit(X6 * 1e100, T6)


def test_old_name_of_the_penalty_warns_and_works():
    X, y = sample()
    for penalty, ratio in (("l1", 1.0), ("l2", 0.0), ("elasticnet", 0.4)):
        with pytest.warns(FutureWarning, match="'penalty' was deprecated"):
            old = LogisticRegression(penalty=penalty, l1_ratio=ratio, solver="saga").fit(X, y)
        assert (old.coef_ == LogisticRegression(l1_ratio=ratio, solver="saga").fit(X, y).coef_).all()
    with pytest.warns(FutureWarning):
        none = LogisticRegression(penalty=None).fit(X, y)
    assert (none.coef_ == LogisticRegression(C=np.inf).fit(X, y).coef_).all()


@pytest.mark.parametrize(
    "solver, words",
    [
        ("lbfgs", "lbfgs failed to converge after 1 iteration"),
        ("newton-cholesky", "Newton solver did not converge after 1 iterations"),
        ("liblinear", "Liblinear failed to converge, increase the number of iterations."),
        ("saga", "The max_iter was reached which means the coef_ did not converge"),
    ],
)
def test_too_few_iterations_are_said_in_the_words_of_the_solver(solver, words):
    with pytest.warns(NotConverged, match=words + ".* Increase the number of iterations"):
        LogisticRegression(solver=solver, max_iter=1, tol=1e-12).fit(X6, T6)


def test_scikit_learns_default_fit_on_real_data():
    X, y = load_iris(return_X_y=True)
    X = scale(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours = LogisticRegression().fit(X, y)
    theirs = Theirs(tol=1e-8).fit(X, y)
    assert objective(ours, X, y, 1.0) <= objective(theirs, X, y, 1.0) * (1 + 1e-5)
    assert (ours.predict(X) == theirs.predict(X)).all()


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("kind", ["dense", "sparse", "repeated rows", "float32", "weights", "penalised intercept"])
def test_fewer_rows_than_columns(k, kind):
    X, y = sample(40, 300, k)
    weight = np.random.default_rng(1).integers(0, 3, 40).astype(float) if kind == "weights" else None
    options = {"solver": "liblinear"} if kind == "penalised intercept" and k == 2 else {}
    if kind == "repeated rows":
        X, y = np.repeat(X, 2, axis=0), np.repeat(y, 2)
    given = {"sparse": scipy.sparse.csr_array(X), "float32": X.astype(np.float32)}.get(kind, X)
    loose = LogisticRegression(C=0.5, **options).fit(given, y, weight)
    exact = LogisticRegression(C=0.5, tol=1e-10, **options).fit(given, y, weight)
    theirs = Theirs(C=0.5, tol=1e-10, max_iter=10_000, **options).fit(X, y, weight)
    assert_allclose(exact.coef_, theirs.coef_, atol=3e-5 if kind == "float32" else 3e-6)
    assert_allclose(loose.coef_, exact.coef_, atol=0.02)
    p, total = loose.predict_proba(X), len(y) if weight is None else weight.sum()
    residual = (p - (y[:, None] == loose.classes_)) * (1 if weight is None else weight[:, None])
    gradient = (residual[:, -1:] if k == 2 else residual).T @ X / total + loose.coef_ / (0.5 * total)
    assert np.abs(gradient).max() <= 1.01e-4  # the rule of tol, in the space of the coefficients


def test_fewer_rows_than_columns_beyond_the_quick_steps():
    """Columns of very unlike scales: L-BFGS hands over to Newton's method, and max_iter counts both."""
    X, y = sample(40, 300, 3)
    X = X * np.geomspace(1e-3, 1e3, 300)
    model = LogisticRegression(C=1e4, max_iter=1000).fit(X, y)
    assert model.n_iter_[0] > 0 and model.score(X, y) == 1
    with pytest.warns(NotConverged):
        short = LogisticRegression(C=1e4, max_iter=2).fit(X, y)
    assert short.n_iter_[0] == 2
