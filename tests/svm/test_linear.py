"""Linear machines against LIBLINEAR, in every home."""

import dask.array
import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import svm as peer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.preprocessing import StandardScaler

import novum
from novum import svm
from novum.exceptions import DataError, NotConverged, ParameterError
from novum.svm import SVC, LinearSVC, LinearSVR

EXACT = {"tol": 1e-9, "max_iter": 100_000}
CLASSIFIERS = [
    {},
    {"loss": "hinge"},
    {"dual": True},
    {"penalty": "l1", "dual": False},
    {"class_weight": "balanced"},
    {"class_weight": {0: 3.0}},
    {"fit_intercept": False},
    {"intercept_scaling": 10.0},
]
REGRESSORS = [
    {},
    {"epsilon": 0.5},
    {"loss": "squared_epsilon_insensitive", "epsilon": 0.1},
    {"loss": "squared_epsilon_insensitive", "dual": True, "fit_intercept": False},
]


def table(load):
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def scaled_diabetes():
    X, y = table(load_diabetes)
    return X, (y - y.mean()) / y.std()


@pytest.mark.notes("000-b", "svm-sgd")
@pytest.mark.parametrize("options", CLASSIFIERS, ids=str)
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_classifier_equals_liblinear(load, options):
    X, y = table(load)
    ours, theirs = (m.LinearSVC(C=0.3, **EXACT, **options).fit(X, y) for m in (svm, peer))
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=2e-6)
    sparse = LinearSVC(C=0.3, **EXACT, **options).fit(scipy.sparse.csr_matrix(X), y)
    assert_allclose(sparse.decision_function(X), ours.decision_function(X), atol=1e-8)
    if options.get("penalty") == "l1":
        assert_array_equal(ours.coef_ == 0, abs(theirs.coef_) < 1e-9)


@pytest.mark.notes("000-b", "svr")
@pytest.mark.parametrize("options", REGRESSORS, ids=str)
def test_regressor_equals_liblinear(options):
    X, y = scaled_diabetes()
    w = np.random.default_rng(0).uniform(0.3, 2, len(y))
    ours, theirs = (m.LinearSVR(C=0.1, **EXACT, **options).fit(X, y, w) for m in (svm, peer))
    assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-5)


@pytest.mark.notes("000-b", "svm-sgd")
def test_weights_and_single_precision():
    X, y = table(load_breast_cancer)
    counts = np.random.default_rng(1).integers(0, 3, len(y))
    again = np.repeat(np.arange(len(y)), counts)
    for options in ({}, {"loss": "hinge"}, {"penalty": "l1", "dual": False}, {"class_weight": "balanced"}):
        weighted = LinearSVC(**EXACT, **options).fit(X, y, counts)
        repeated = LinearSVC(**EXACT, **options).fit(X[again], y[again])
        assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=2e-5)
    single = LinearSVC(C=0.1).fit(X.astype(np.float32), y)
    assert single.coef_.dtype == np.float32
    assert_allclose(single.coef_, LinearSVC(C=0.1).fit(X, y).coef_, atol=1e-4)


def test_rows_in_files_and_on_a_cluster(tmp_path):
    X, y = table(load_iris)
    here = LinearSVC(tol=1e-10).fit(X, y)
    import pandas as pd

    pd.DataFrame(np.column_stack([X, y])).rename(columns=str).to_parquet(tmp_path / "rows.parquet")
    scanned = LinearSVC(tol=1e-10).fit(novum.scan(tmp_path / "rows.parquet", target="4"))
    clustered = LinearSVC(tol=1e-10).fit(dask.array.from_array(X, (40, 4)), dask.array.from_array(y, 40))
    for there in (scanned, clustered):
        assert_allclose(there.coef_, here.coef_, atol=1e-8)
    with pytest.raises(DataError, match="steps from row to row"):
        LinearSVC(loss="hinge").fit(novum.scan(tmp_path / "rows.parquet", target="4"))


def test_many_columns_by_conjugate_gradients():
    rng = np.random.default_rng(3)
    X = scipy.sparse.random(3000, 2500, density=0.01, format="csr", random_state=3, data_rvs=rng.standard_normal)
    y = np.sign(X @ rng.normal(size=2500) + 0.3 * rng.normal(size=3000))
    ours = LinearSVC(tol=1e-8, dual=False).fit(X, y)
    theirs = peer.LinearSVC(tol=1e-8, dual=False, max_iter=5000).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    assert_allclose(LinearSVC(tol=1e-8, dual=True, max_iter=5000).fit(X, y).coef_, ours.coef_, atol=1e-5)


@pytest.mark.notes("000-b", "svm-soft")
def test_the_constant_is_what_a_kernel_machine_lacks():
    X, y = table(load_breast_cancer)
    linear = LinearSVC(loss="hinge", C=0.1, intercept_scaling=30.0, tol=1e-6, max_iter=200_000).fit(X, y)
    kernel = SVC(kernel="linear", C=0.1, tol=1e-8).fit(X, y)  # its constant costs nothing
    assert_allclose(linear.coef_, kernel.coef_, atol=1e-3)


def test_refusals_and_warnings():
    X, y = table(load_breast_cancer)
    with pytest.raises(ParameterError, match="penalty='l1' and loss='hinge'"):
        LinearSVC(penalty="l1", loss="hinge").fit(X, y)
    with pytest.raises(ParameterError, match="dual=False"):
        LinearSVR(dual=False).fit(X, y)
    with pytest.raises(DataError, match="at least 2 classes"):
        LinearSVC().fit(X, np.zeros(len(y)))
    with pytest.raises(DataError, match=r"class_weight names \['benign'\]"):
        LinearSVC(class_weight={"benign": 2.0}).fit(X, y)
    with pytest.warns(NotConverged, match="Liblinear failed to converge"):
        model = LinearSVC(loss="hinge", max_iter=2).fit(X, y)
    assert model.n_iter_ == 2


def crammer_singer_objective(model, X, y, weight=1.0):
    W = np.c_[model.coef_, np.broadcast_to(model.intercept_, len(model.coef_))]
    scores = np.c_[X, np.ones(len(X))] @ W.T
    own = np.searchsorted(model.classes_, y)
    ahead = scores - scores[np.arange(len(y)), own][:, None] + 1
    ahead[np.arange(len(y)), own] = 0
    return 0.5 * (W**2).sum() + model.C * (weight * ahead.max(axis=1)).sum()


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}, {"class_weight": {0: 3.0}}], ids=str)
def test_one_problem_for_all_classes_equals_liblinear(C, options):
    X, y = table(load_iris)
    exact = {"tol": 1e-7, "max_iter": 1_000_000, "multi_class": "crammer_singer", **options}
    ours, theirs = (m.LinearSVC(C=C, **exact).fit(X, y) for m in (svm, peer))
    weight = np.where((y == 0) & bool(options.get("class_weight")), 3.0, 1.0)
    found, best = (crammer_singer_objective(model, X, y, weight) for model in (ours, theirs))
    assert found < best * (1 + 1e-6)
    sparse = LinearSVC(C=C, **exact).fit(scipy.sparse.csr_matrix(X), y)
    assert_allclose(crammer_singer_objective(sparse, X, y, weight), found, rtol=1e-6)


def test_one_problem_for_all_classes_is_an_optimum_and_skips_rows_without_weight():
    X, y = table(load_iris)
    exact = {"tol": 1e-8, "max_iter": 1_000_000, "multi_class": "crammer_singer", "C": 0.1}
    model = LinearSVC(**exact).fit(X, y)
    best = crammer_singer_objective(model, X, y)
    rng, found = np.random.default_rng(0), model.coef_.copy()
    for _ in range(50):  # convex: no small step goes down
        model.coef_ = found + 1e-3 * rng.standard_normal(found.shape)
        assert crammer_singer_objective(model, X, y) > best
    weight = np.where(np.arange(len(y)) % 3, 1.0, 0.0)
    assert_allclose(
        LinearSVC(**exact).fit(X, y, sample_weight=weight).coef_,
        LinearSVC(**exact).fit(X[weight > 0], y[weight > 0]).coef_,
        atol=1e-5,
    )


def test_one_problem_for_two_classes_is_one_plane():
    X, y = table(load_breast_cancer)
    exact = {"tol": 1e-7, "max_iter": 1_000_000, "multi_class": "crammer_singer", "C": 0.1}
    ours, theirs = (m.LinearSVC(**exact).fit(X, y) for m in (svm, peer))
    assert ours.coef_.shape == (1, X.shape[1])
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=2e-5)


def test_one_problem_for_all_classes_needs_rows_at_hand():
    X, y = table(load_iris)
    with pytest.raises(DataError, match=r"multi_class='crammer_singer'.*memory"):
        LinearSVC(multi_class="crammer_singer").fit(
            dask.array.from_array(X, chunks=50), dask.array.from_array(y, chunks=50)
        )


def test_many_sparse_columns_equal_liblinear():
    rng = np.random.default_rng(3)
    X = scipy.sparse.random(4000, 1800, density=0.01, format="csr", random_state=3)
    y = (X @ rng.normal(size=1800) + 0.1 * rng.normal(size=4000) > 0).astype(int)
    for options in ({}, {"class_weight": {1: 2.0}}, {"fit_intercept": False}):
        ours, theirs = (m.LinearSVC(dual=False, tol=1e-8, max_iter=5000, **options).fit(X, y) for m in (svm, peer))
        assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    target = X @ rng.normal(size=1800)
    ours, theirs = (
        m.LinearSVR(loss="squared_epsilon_insensitive", epsilon=0.05, dual=False, tol=1e-8, max_iter=5000).fit(
            X, target
        )
        for m in (svm, peer)
    )
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)


@pytest.mark.notes("000-b", "svm-hard")
@pytest.mark.notes("003", "svm-primal")
def test_a_large_constant_is_the_hard_margin():
    """w = p / |p|^2 of the point p nearest to zero among the mixtures of rows y x"""
    y = np.array([1, -1, 1])
    X = np.array([[3.0, 0.0], [1.0, 2.0], [5.0, 1.0]]) * y[:, None]  # multipliers 1/18 and 1/6: far from C
    through_zero = LinearSVC(loss="hinge", C=10.0, fit_intercept=False, **EXACT).fit(X, y)
    assert_allclose(through_zero.coef_, [[1 / 3, 1 / 3]], rtol=1e-7)
    # with a constant: from the third row to the nearest point of the segment between the others
    X, y = np.array([[1.0, 2.0], [4.0, -2.0], [-1.0, -1.5]]), np.array([1, 1, -1])
    along = np.array([3.0, -4.0]) / 5
    foot = X[0] + along * (along @ (X[2] - X[0]))
    w = 2 * (foot - X[2]) / np.sum((foot - X[2]) ** 2)
    assert 0 < along @ (X[2] - X[0]) < 5 and (y * (X @ w + 1 - w @ foot) > 1 - 1e-12).all()
    free = LinearSVC(loss="hinge", C=10.0, intercept_scaling=100.0, tol=1e-7, max_iter=1_000_000).fit(X, y)
    assert_allclose(free.coef_[0], w, rtol=1e-3)
    assert_allclose(free.intercept_, 1 - w @ foot, rtol=1e-3)
