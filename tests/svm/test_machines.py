"""The machines against scikit-learn's and against their own certificates, on data without structure that could help."""

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn import svm as peer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.preprocessing import StandardScaler

import novum
from novum import svm
from novum.exceptions import DataError, DataWarning, NotConverged, ParameterError
from novum.fold.homes.memory import MemorySource, SparseTiles
from novum.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM, kkt_report

KERNELS = [
    {"kernel": "rbf", "gamma": 0.05},
    {"kernel": "linear"},
    {"kernel": "poly", "coef0": 1.0, "degree": 2, "gamma": 0.05},  # "scale" counts rows by their weights here
    {"kernel": "sigmoid", "gamma": 0.01},
]


def table(load, rows=None):
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X)[:rows], y[:rows]


def weights(n):
    return np.random.default_rng(7).uniform(0.2, 2, n)


@pytest.mark.notes("000-b", "support-vectors")
@pytest.mark.notes("000-b", "svm-dual")
@pytest.mark.notes("000-b", "svm-soft")
@pytest.mark.notes("000-b", "svm-nonlinear")
@pytest.mark.notes("000-c", "kernel-svc")
@pytest.mark.notes("002", "svm-soft")
@pytest.mark.notes("003", "svm-dual")
@pytest.mark.notes("003", "svm-soft")
@pytest.mark.notes("004", "kernel-svm")
@pytest.mark.notes("004", "multiclass-svm")
@pytest.mark.parametrize("options", KERNELS, ids=lambda o: o["kernel"])
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
@pytest.mark.parametrize("C", [0.05, 1.0, 20.0])
def test_classifier_equals_libsvm(load, options, C):
    X, y = table(load)
    w = weights(len(y))
    ours, theirs = (m.SVC(C=C, tol=1e-6, **options).fit(X, y, w) for m in (svm, peer))
    assert_array_equal(ours.predict(X), theirs.predict(X))
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=2e-3 if C > 10 else 2e-4)
    assert abs(len(ours.support_) - len(theirs.support_)) <= 3
    if options["kernel"] == "linear":
        assert_allclose(ours.coef_, theirs.coef_, atol=2e-4)


@pytest.mark.notes("000-a", "novelty-detector")
@pytest.mark.parametrize("nu", [0.05, 0.2, 0.4])
def test_nu_machines_equal_libsvm(nu):
    X, y = table(load_wine)
    w = weights(len(y))
    ours, theirs = (m.NuSVC(nu=nu, gamma=0.05, tol=1e-7).fit(X, y, w) for m in (svm, peer))
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)
    ours, theirs = (m.OneClassSVM(nu=nu, gamma=0.05, tol=1e-7).fit(X, sample_weight=w) for m in (svm, peer))
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    assert w[ours.decision_function(X) < -1e-5].sum() <= nu * w.sum() + 1e-9
    X, y = table(load_diabetes)
    y = (y - y.mean()) / y.std()
    ours, theirs = (m.NuSVR(nu=nu, C=2.0, tol=1e-7).fit(X, y) for m in (svm, peer))
    assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-4)


@pytest.mark.notes("000-b", "svr")
@pytest.mark.notes("000-c", "kernel-svr")
@pytest.mark.parametrize("options", KERNELS, ids=lambda o: o["kernel"])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_regressor_equals_libsvm(options, C):
    X, y = table(load_diabetes)
    y = (y - y.mean()) / y.std()
    w = weights(len(y))
    ours, theirs = (m.SVR(C=C, epsilon=0.2, tol=1e-6, **options).fit(X, y, w) for m in (svm, peer))
    assert_allclose(ours.predict(X), theirs.predict(X), atol=2e-3)


def test_optimum_by_an_independent_solver():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(14, 3)), rng.choice([-1.0, 1.0], 14)
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(-1))
    Q = np.outer(y, y) * K
    found = minimize(
        lambda a: 0.5 * a @ Q @ a - a.sum(),
        np.zeros(14),
        jac=lambda a: Q @ a - 1,
        bounds=[(0, 1.5)] * 14,
        constraints={"type": "eq", "fun": lambda a: y @ a, "jac": lambda a: y},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    model = SVC(C=1.5, gamma=0.5, tol=1e-9).fit(X, y)
    assert_allclose(model.dual_objective_[0], found.fun, rtol=1e-9)
    multiplier = np.zeros(14)
    multiplier[model.support_] = abs(model.dual_coef_[0])
    assert_allclose(multiplier, found.x, atol=1e-5)


@pytest.mark.notes("003", "svm-dual")
@pytest.mark.notes("002", "svm-hard")
@pytest.mark.notes("000-b", "svm-dual")
@pytest.mark.notes("000-b", "svm-hard")
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("shrinking", [True, False])
def test_the_gap_certifies_the_optimum(C, shrinking):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(700, 4))
    y = (X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.5 * rng.normal(size=700) > 0.3).astype(int)
    model = SVC(C=C, gamma=0.4, tol=1e-5, shrinking=shrinking).fit(X, y)
    report = kkt_report(model, X, y)
    assert report.gap >= -1e-6 * abs(report.primal)
    assert report.gap <= 1e-3 * abs(report.primal)
    assert report.violation <= 1e-4
    assert_allclose(-model.dual_objective_[0], report.dual, rtol=1e-6)
    assert_allclose(model.duality_gap_[0], report.gap, atol=2e-5 * abs(report.primal))


def test_many_rows_with_a_cache_that_holds_few():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(3000, 6))
    y = (X[:, 0] * X[:, 1] + 0.4 * rng.normal(size=3000) > 0).astype(int)
    wide, narrow = (SVC(cache_size=size, tol=1e-4).fit(X, y) for size in (200, 0.5))
    assert_allclose(narrow.dual_objective_, wide.dual_objective_, rtol=1e-5)
    assert_allclose(narrow.decision_function(X), wide.decision_function(X), atol=2e-3)


def test_sparse_rows_matrices_and_functions_agree():
    X, y = table(load_digits, 400)
    X = np.where(abs(X) > 0.7, X, 0.0)
    gamma = 1 / (X.shape[1] * X.var())
    dense = SVC(tol=1e-6).fit(X, y)
    for container in (scipy.sparse.csr_matrix, scipy.sparse.csc_array, scipy.sparse.coo_matrix):
        sparse = SVC(tol=1e-6).fit(container(X), y)
        assert_allclose(sparse.decision_function(container(X)), dense.decision_function(X), atol=1e-4)
        assert scipy.sparse.issparse(sparse.support_vectors_) and scipy.sparse.issparse(sparse.dual_coef_)
    K = np.exp(-gamma * ((X[:, None] - X) ** 2).sum(-1))
    matrix = SVC(kernel="precomputed", tol=1e-6).fit(K, y)
    assert_allclose(matrix.decision_function(K), dense.decision_function(X), atol=1e-4)
    regressors = [
        SVR(kernel="linear", C=0.1, tol=1e-6).fit(make(X), y.astype(float))
        for make in (np.asarray, scipy.sparse.csr_array)
    ]
    assert_allclose(regressors[1].predict(X), regressors[0].predict(X), atol=1e-4)
    assert_allclose(regressors[1].coef_.toarray(), regressors[0].coef_, atol=1e-4)


def test_strings_as_rows():
    words, y = ["aab", "aaa", "bba", "bbb", "ab"], [0, 0, 1, 1, 0]

    def common(first, second):
        return np.array([[sum(min(a.count(c), b.count(c)) for c in "ab") for b in second] for a in first], dtype=float)

    model = SVC(kernel=common).fit(words, y)
    assert_array_equal(model.predict(words), y)
    assert_allclose(
        model.decision_function(words),
        SVC(kernel="precomputed").fit(common(words, words), y).decision_function(common(words, words)),
    )


def test_float32_and_far_from_zero():
    X, y = table(load_breast_cancer)
    near, far = SVC(tol=1e-6).fit(X, y), SVC(tol=1e-6).fit(X + 1e6, y)
    assert_allclose(far.decision_function(X + 1e6), near.decision_function(X), atol=1e-4)
    single = SVC().fit(X.astype(np.float32), y)
    assert_allclose(single.decision_function(X.astype(np.float32)), SVC().fit(X, y).decision_function(X), atol=5e-3)


def test_weights_stand_for_repetitions_and_zero_leaves_out():
    X, y = table(load_wine)
    counts = np.random.default_rng(0).integers(0, 4, len(y))
    again = np.repeat(np.arange(len(y)), counts)
    for Model in (SVC, NuSVC):
        weighted, repeated = (
            Model(tol=1e-7).fit(X, y, counts),
            Model(tol=1e-7).fit(X[again], y[again]),
        )
        assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-4)
    for Model in (SVR, NuSVR):
        target = X[:, 0] ** 2
        weighted = Model(tol=1e-7).fit(X, target, counts)
        repeated = Model(tol=1e-7).fit(X[again], target[again])
        assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-4)


def test_probabilities():
    X, y = table(load_wine)
    with pytest.warns(FutureWarning, match="CalibratedClassifierCV"):
        model = SVC(probability=True, random_state=0).fit(X, y)
    p = model.predict_proba(X)
    assert_allclose(p.sum(axis=1), 1)
    assert (p.argmax(axis=1) == y).mean() > 0.97 and p.min() >= 0
    X, y = np.random.default_rng(1).normal(size=(600, 1)), None
    truth = 1 / (1 + np.exp(-2.5 * X[:, 0]))
    y = np.random.default_rng(2).uniform(size=600) < truth
    with pytest.warns(FutureWarning):
        two = SVC(kernel="linear", probability=True, random_state=0).fit(X, y)
    assert abs(two.predict_proba(X)[:, 1] - truth).mean() < 0.05
    assert_allclose(np.exp(two.predict_log_proba(X)), two.predict_proba(X))


def test_files_and_saving(tmp_path):
    X, y = table(load_wine)
    model = SVC().fit(X, y)
    novum.save(model, tmp_path / "model.novum")
    again = novum.load(tmp_path / "model.novum")
    assert_array_equal(again.predict(X), model.predict(X))
    assert_allclose(again.decision_function(X), model.decision_function(X))
    np.save(tmp_path / "X.npy", X)
    from_file = np.concatenate(list(model.predict(novum.scan(tmp_path / "X.npy"))))
    assert_array_equal(from_file, model.predict(X))
    with pytest.raises(DataError, match="compares rows with each other"):
        SVC().fit(novum.scan(tmp_path / "X.npy"), y)


def test_errors_name_their_cause():
    X, y = table(load_breast_cancer)
    with pytest.raises(DataError, match="greater than one; got 1 class"):
        SVC().fit(X, np.zeros(len(y)))
    with pytest.raises(DataError, match="belong to the same class"):
        SVC().fit(X, y, (y == 0).astype(float))
    with pytest.raises(ParameterError, match="nu is infeasible"):
        NuSVC(nu=0.9).fit(X, y)
    with pytest.raises(DataError, match="square matrix"):
        SVC(kernel="precomputed").fit(X, y)
    with pytest.raises(DataError, match=r"shape \(1, 1\)"):
        SVC(kernel=lambda a, b: np.ones((1, 1))).fit(X, y)
    with pytest.raises(ValueError, match="'C' parameter of SVC"):
        SVC(C=-1.0).fit(X, y)
    with pytest.raises(DataError, match="separates the classes"):
        SVC(kernel="linear", C=np.inf).fit(X[:, :1], y)
    with pytest.raises(DataError, match="1d array"):
        SVR().fit(X, np.column_stack([y, y]))
    with pytest.raises(DataError, match="fitted to 569 rows"):
        kkt_report(SVC().fit(X, y), X[:5], y[:5])
    with pytest.raises(AttributeError, match="linear kernel"):
        _ = SVC().fit(X, y).coef_
    with pytest.raises(ParameterError, match="break_ties must be False"):
        SVC(decision_function_shape="ovo", break_ties=True).fit(X, y).predict(X)


def test_columns_of_unequal_width_are_named():
    X, y = table(load_breast_cancer)
    X = X.copy()
    X[:, 3] *= 1e5
    with pytest.warns(DataWarning, match="column 3 varies"):
        SVC().fit(X, y)


def test_a_cut_short_solver_says_so():
    X, y = table(load_breast_cancer)
    with pytest.warns(NotConverged, match=r"Solver terminated early \(max_iter=5\)"):
        model = SVC(max_iter=5).fit(X, y)
    assert model.fit_status_ == 1 and model.n_iter_.tolist() == [5] and model.kkt_violation_[0] > 0.1


def test_equal_votes_are_settled_by_decisions():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 3, 60)
    grid = rng.uniform(-30, 30, (4000, 2))
    model = SVC(gamma=5.0, break_ties=True).fit(X, y)
    assert_array_equal(model.predict(grid), model.decision_function(grid).argmax(axis=1))
    plain = SVC(gamma=5.0).fit(X, y)
    assert_allclose(plain.decision_function(grid), peer.SVC(gamma=5.0).fit(X, y).decision_function(grid), atol=5e-3)


def test_one_class_refuses_far_rows():
    X = np.random.default_rng(0).normal(size=(300, 2))
    model = OneClassSVM(nu=0.1, gamma=0.5).fit(X)
    assert abs((model.predict(X) == -1).mean() - 0.1) < 0.02
    assert (model.predict(X + 20) == -1).all()
    assert_allclose(model.score_samples(X) - model.offset_, model.decision_function(X))


@pytest.mark.parametrize("machine", [svm.SVC, svm.NuSVC, svm.SVR, svm.NuSVR, svm.OneClassSVM])
@pytest.mark.parametrize("weight", [0.0, -0.3])
def test_weights_that_leave_no_row_are_refused_in_libsvm_s_words(machine, weight):
    X, y = np.arange(6.0)[:, None], np.repeat([0, 1], 3)
    with pytest.raises(ValueError, match="Invalid input - all samples have zero or negative weights"):
        machine().fit(X, y, sample_weight=[weight] * 6)


@pytest.mark.parametrize(
    ("machine", "words"),
    [(svm.SVC, "positive weights belong to the same class"), (svm.NuSVC, "specified nu is infeasible")],
)
def test_weights_that_leave_one_class_are_refused(machine, words):
    X, y = np.arange(6.0)[:, None], np.repeat([0, 1], 3)
    for weight in ([0, 0, 0, 1, 1, 1], [0, -0.5, 0, 1, 1, 1]):
        with pytest.raises(ValueError, match=words):
            machine().fit(X, y, sample_weight=weight)
    with pytest.raises(ValueError, match="Negative values"):
        machine().fit(X, y, sample_weight=[-1, 1, 1, 1, 1, 1])


def test_sigmoids_have_scikit_learn_s_old_names():
    X, y = np.arange(40.0)[:, None], np.repeat([0, 1], 20)
    with pytest.warns(FutureWarning, match="deprecated"):
        model = svm.SVC(probability=True, random_state=0).fit(X, y)
        slope, constant = model.probA_, model.probB_
    expected = 1 / (1 + np.exp(slope[0] * -model.decision_function(X) + constant[0]))
    assert np.allclose(model.predict_proba(X)[:, 0], expected, atol=1e-7)
    with pytest.warns(FutureWarning, match="Attribute `probA_` was deprecated"):
        assert svm.SVC().fit(X, y).probA_.size == 0


@pytest.mark.parametrize("model", [SVC(C=5.0), NuSVC(nu=0.5, tol=1e-5)], ids=str)
def test_blocks_of_variables_reach_the_optimum(model):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(8400, 3))
    y = X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=len(X)) > 0
    model.fit(X, y)
    b, margin = np.zeros(len(X)), np.where(y, 1, -1) * model.decision_function(X)
    b[model.support_] = np.abs(model.dual_coef_[0])
    most = b.max()
    assert model.fit_status_ == 0 and abs(model.dual_coef_.sum()) < 1e-9 * most * len(X)
    assert margin[b == 0].min() > 1 - 2e-3 and margin[b == most].max() < 1 + 2e-3
    assert_allclose(margin[(b > 0) & (b < most)], 1, atol=2e-3)


def test_blocks_of_variables_reach_the_optimum_of_the_tube():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(4200, 3))
    y = X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=len(X))
    model = SVR(C=2.0).fit(X, y)
    b, off = np.zeros(len(X)), y - model.predict(X)
    b[model.support_] = model.dual_coef_[0]
    assert model.fit_status_ == 0 and abs(b.sum()) < 1e-9 * len(X)
    assert np.abs(off[b == 0]).max() < 0.1 + 2e-3
    inside = (b != 0) & (np.abs(b) < 2)
    assert_allclose(off[inside], 0.1 * np.sign(b[inside]), atol=2e-3)
    assert (off * b)[np.abs(b) == 2].min() > 2 * (0.1 - 2e-3)


def test_several_wide_columns_are_named_in_the_plural():
    X = np.random.default_rng(0).normal(size=(60, 6)) * [1, 1e5, 1, 1, 1e6, 1]
    with pytest.warns(DataWarning, match="SVC: columns 1, 4 vary more than"):
        SVC().fit(X, X[:, 0] > 0)


def test_functions_of_sparse_rows():
    X = np.random.default_rng(0).normal(size=(40, 3))
    X[abs(X) < 0.5] = 0.0
    rows, y = scipy.sparse.csr_array(X), X[:, 0] > X[:, 1]
    for machine in (SVC, SVR, OneClassSVM):
        ours = machine(kernel=lambda a, b: a @ b.T).fit(rows, y)  # the kernel is a sparse matrix too
        assert_allclose(ours.predict(rows), machine(kernel="linear").fit(X, y).predict(X), atol=1e-3)


def test_sparse_rows_come_back_from_several_blocks():
    X = scipy.sparse.random_array((50, 4), density=0.5, format="csr", random_state=np.random.default_rng(0))
    source = MemorySource(SparseTiles(X), None, None, None)
    source.bounds, source.memories = [(0, 20), (20, 40), (40, 50)], [{}, {}, {}]
    assert_array_equal(source.rows(lambda _, block: block.X).toarray(), X.toarray())
