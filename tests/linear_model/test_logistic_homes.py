"""Logistic regression outside memory, in single precision, stopped, warned and refused."""

import warnings

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression as Theirs
from sklearn.preprocessing import scale

from novum.exceptions import DataError, NotConverged, ParameterError
from novum.linear_model import LogisticRegression
from novum.linear_model.logistic import minimum as chosen

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


@pytest.mark.notes("002", "logreg")
@pytest.mark.notes("002", "softmax-regression")
@pytest.mark.notes("003", "logistic-regression")
@pytest.mark.notes("003", "softmax-regression")
@pytest.mark.notes("004", "logistic-regression")
@pytest.mark.notes("004", "multinomial-logistic")
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
