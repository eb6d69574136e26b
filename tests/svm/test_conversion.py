"""scikit-learn's trained machines read as ours: decisions to rounding, in every setting that changes their layout."""

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose
from sklearn import svm
from sklearn.exceptions import NotFittedError

import novum
from novum.exceptions import DataError, ParameterTypeError
from novum.kernels import RBF
from novum.svm import from_sklearn

RNG = np.random.default_rng(0)
X, NEW = RNG.normal(size=(90, 3)) + 4, RNG.normal(size=(30, 3)) + 4
Y = np.sin(X[:, 0]) + X[:, 1]
TWO = np.where(np.median(Y) < Y, "yes", "no")
FOUR = np.digitize(Y, np.quantile(Y, [0.25, 0.5, 0.75])) * 10
KERNELS = ["linear", "rbf", "poly", "sigmoid", RBF(1.5)]


def outputs(model, rows):
    names = ("predict", "decision_function", "score_samples")
    return {name: getattr(model, name)(rows) for name in names if hasattr(model, name)}


def same(theirs, rows):
    ours = from_sklearn(theirs)
    assert type(ours).__module__.startswith("novum.svm") and type(ours).__name__ == type(theirs).__name__
    for name, expected in outputs(theirs, rows).items():
        found = outputs(ours, rows)[name]
        if expected.dtype.kind == "f":
            assert_allclose(found, expected, rtol=1e-8, atol=1e-9 * abs(expected).max())
        else:
            assert (found == expected).all()
    for name in ("support_", "n_support_", "intercept_", "classes_"):
        if hasattr(theirs, name):
            assert (getattr(ours, name) == getattr(theirs, name)).all()
    return ours


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("target", [TWO, FOUR], ids=["two", "four"])
def test_classifiers(kernel, target):
    ours = same(svm.SVC(kernel=kernel, C=2.0, gamma=0.1).fit(X, target), NEW)
    same(svm.NuSVC(nu=0.3, kernel=kernel, gamma=0.1).fit(X, target), NEW)
    if kernel == "linear":
        assert_allclose(ours.coef_, svm.SVC(kernel=kernel, C=2.0).fit(X, target).coef_, rtol=1e-9)
    same(svm.SVC(decision_function_shape="ovo", class_weight="balanced", kernel=kernel).fit(X, target), NEW)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_regressors_and_outliers(kernel):
    for model in (svm.SVR(kernel=kernel, gamma=0.1), svm.NuSVR(kernel=kernel, gamma=0.1)):
        same(model.fit(X, Y), NEW)
    same(svm.OneClassSVM(kernel=kernel, nu=0.2, gamma=0.1).fit(X), NEW)


@pytest.mark.filterwarnings("ignore:The `probability` parameter was deprecated")
def test_probabilities():
    for target in (TWO, FOUR):
        theirs = svm.SVC(probability=True, random_state=0).fit(X, target)
        found = from_sklearn(theirs).predict_proba(NEW)
        assert_allclose(found, theirs.predict_proba(NEW), atol=5e-3)  # LIBSVM stops its iteration early


def test_sparse_rows_matrices_and_frames(tmp_path):
    pd = pytest.importorskip("pandas")
    sparse, new = scipy.sparse.csr_matrix(X * (X > 4)), scipy.sparse.csr_matrix(NEW * (NEW > 4))
    for target in (TWO, FOUR):
        same(svm.SVC(gamma=0.1).fit(sparse, target), new)
    same(svm.SVR().fit(sparse, Y), new)
    K = X @ X.T
    same(svm.SVC(kernel="precomputed").fit(K, FOUR), NEW @ X.T)
    frame = pd.DataFrame(X, columns=list("abc"))
    given = [(svm.SVC(), TWO), (svm.NuSVC(nu=0.3), TWO), (svm.SVR(), Y), (svm.NuSVR(), Y), (svm.OneClassSVM(), None)]
    read = [from_sklearn(model.fit(frame, target)) for model, target in given]
    fitted = [type(r)().set_params(**m.get_params()).fit(frame, t) for r, (m, t) in zip(read, given, strict=True)]
    for ours in (*read, *fitted):
        assert list(ours.feature_names_in_) == ["a", "b", "c"]
        novum.save(ours, tmp_path / "m.novum")
        assert (novum.load(tmp_path / "m.novum").predict(frame) == ours.predict(frame)).all()


def test_what_cannot_be_read_is_named():
    with pytest.raises(ParameterTypeError, match=r"fitted SVC, NuSVC, SVR, NuSVR, OneClassSVM.*got LinearSVC"):
        from_sklearn(svm.LinearSVC())
    with pytest.raises(NotFittedError):
        from_sklearn(svm.SVC())
    broken = svm.SVC().fit(X, TWO)
    broken._dual_coef_ = broken._dual_coef_[:, :-1]
    with pytest.raises(DataError, match="do not belong together"):
        from_sklearn(broken)
    broken = svm.SVC().fit(X, TWO)
    broken.support_vectors_[0, 0] = np.nan
    with pytest.raises(DataError, match="holds NaN"):
        from_sklearn(broken)
