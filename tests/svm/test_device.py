"""Support vector machines that were fitted in memory, asked about rows on a device: tensors that count as elsewhere."""

import copy
import warnings

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal

import novum
from novum.exceptions import DataError
from novum.kernels import RBF, Linear
from novum.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

torch = pytest.importorskip("torch")
from elsewhere import elsewhere  # noqa: E402  needs PyTorch

pytestmark = pytest.mark.deep
RNG = np.random.default_rng(0)
X, Q = RNG.standard_normal((180, 3)), RNG.standard_normal((211, 3))
W = RNG.integers(1, 4, 180) / 2.0
KERNELS = [
    {"kernel": "rbf", "gamma": 0.7},
    {"kernel": "linear"},
    {"kernel": "poly", "degree": 3, "coef0": 0.5},
    {"kernel": "sigmoid", "gamma": 0.05},
    {"kernel": 0.8 * RBF([1.0, 2.0, 3.0]) + Linear()},
]


def labels(classes):
    score = X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.3 * RNG.standard_normal(180)
    return np.digitize(score, np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1]))


def same(model, methods, tolerance=1e-10, dtype=np.float64):
    queries = Q.astype(dtype)
    for name in methods:
        known, one = getattr(model, name)(queries), getattr(model, name)(queries[:1])
        with elsewhere():
            found, single = (
                getattr(model, name)(torch.as_tensor(queries)),
                getattr(model, name)(torch.as_tensor(queries[:1])),
            )
        assert tuple(found.shape) == known.shape
        if known.dtype.kind == "f":
            assert str(found.dtype).endswith(str(known.dtype)), name
            size = max(1.0, float(np.abs(known).max()))
            assert_allclose(found.numpy(), known, rtol=0, atol=tolerance * size)
            assert_allclose(single.numpy(), one, rtol=0, atol=tolerance * size)
        else:
            assert_array_equal(np.asarray(found), known)
            assert_array_equal(np.asarray(single), one)


@pytest.mark.parametrize("settings", KERNELS, ids=str)
@pytest.mark.parametrize("classes", [2, 4])
def test_classifiers(settings, classes):
    y = labels(classes)
    for shape in ("ovo", "ovr"):
        model = SVC(decision_function_shape=shape, **settings).fit(X, y, W)
        same(model, ["predict", "decision_function"])
    same(SVC(break_ties=True, **settings).fit(X, y), ["predict"])
    same(NuSVC(nu=0.3, **settings).fit(X, y), ["predict", "decision_function"])


@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_and_labels_of_text(classes):
    names = np.array(["a", "b", "c"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        model = SVC(probability=True, random_state=0, gamma=0.5).fit(X, labels(classes))
        text = SVC(gamma=0.5).fit(X, names[labels(classes)])
    same(model, ["predict_proba", "predict_log_proba"], 1e-9)
    known = text.predict(Q)
    with elsewhere(most=300):  # labels of text come as an array
        assert_array_equal(text.predict(torch.as_tensor(Q)), known)


@pytest.mark.parametrize("settings", KERNELS, ids=str)
def test_regressors_and_one_class(settings):
    y = np.sin(X[:, 0]) + 0.3 * X[:, 1]
    same(SVR(**settings).fit(X, y, W), ["predict"])
    same(NuSVR(**settings).fit(X, y), ["predict"])
    same(OneClassSVM(nu=0.3, **settings).fit(X), ["predict", "decision_function", "score_samples"])


def test_single_precision():
    rows = X.astype(np.float32)
    same(SVC().fit(rows, labels(3)), ["predict", "decision_function"], 1e-6, np.float32)
    same(SVR().fit(rows, X[:, 0]), ["predict"], 1e-6, np.float32)


def test_kernel_matrices():
    K, across = RBF(1.1)(X), RBF(1.1)(Q, X)
    model = SVC(kernel="precomputed").fit(K, labels(3))
    known = model.decision_function(across)
    with elsewhere():
        found = model.decision_function(torch.as_tensor(across))
    assert_allclose(found.numpy(), known, rtol=0, atol=1e-10)


def test_queries_go_by_blocks_and_vectors_are_sent_once(monkeypatch):
    from novum.kernels.device import program

    monkeypatch.setattr(program, "VALUES", 500)
    model = SVC(gamma=0.7).fit(X, labels(3))
    same(model, ["predict", "decision_function"])
    (sent,) = vars(model)["_sent"].values()
    assert sent[0] is model.support_vectors_
    with elsewhere():
        model.predict(torch.as_tensor(Q))
    assert vars(model)["_sent"]["support_vectors_"][2] is sent[2]
    same(model.fit(X[:90], labels(3)[:90]), ["predict", "decision_function"])  # and again after another fit


def test_files_and_copies_answer_the_same(tmp_path):
    model = SVC(gamma=0.7).fit(X, labels(3))
    same(model, ["decision_function"])
    novum.save(model, tmp_path / "machine.novum")
    for twin in (novum.load(tmp_path / "machine.novum"), copy.deepcopy(model)):
        assert "_sent" not in vars(twin)
        same(twin, ["decision_function"])


def test_what_is_refused_by_name():
    y = labels(2)
    rows = torch.as_tensor(Q)
    model = SVC(kernel=lambda x, z: x @ z.T).fit(X, y)
    with elsewhere():
        with pytest.raises(DataError, match=r"SVC: kernel=.*lambda.* in memory alone"):
            model.predict(rows)
        with pytest.raises(DataError, match="SVC, whose predictions take tensors on a device is fitted in the memory"):
            SVC().fit(torch.as_tensor(X), y)
        with pytest.raises(
            DataError, match=r"SVC was fitted on sparse rows and answers in the memory .* give X\.cpu\(\)"
        ):
            SVC().fit(scipy.sparse.csr_matrix(X), y).predict(rows)
        with pytest.raises(DataError, match="NaN or infinity"):
            SVC().fit(X, y).predict(torch.full((1, 3), torch.nan, dtype=torch.float64))
