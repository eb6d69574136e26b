"""Learned weights of kernels against a grid of all weights, each solved by another machine; certificates; objects."""

import numpy as np
import pytest
from sklearn.svm import SVC

from novum.exceptions import DataError, NotConverged, ParameterError
from novum.kernels import RBF, Linear, MultipleKernelLearning, Polynomial, Sigmoid, Spectrum

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 3))
NOISE = RNG.standard_normal(60)
Y = X[:, 0] ** 2 + 0.4 * NOISE > 0.6


def dual_objective(K, t, C):
    """Return (2) from the multipliers of scikit-learn's machine."""
    model = SVC(C=C, kernel="precomputed", tol=1e-10).fit(K, t)
    signed = np.zeros(len(t))
    signed[model.support_] = model.dual_coef_[0]
    return np.abs(signed).sum() - 0.5 * signed @ K @ signed


@pytest.mark.notes("000-c", "kernel-learning")
@pytest.mark.parametrize("C", [0.5, 20.0])
def test_weights_are_the_best_of_a_grid(C):
    kernels = [RBF(0.7), Polynomial(degree=2, coef0=0.3)]
    model = MultipleKernelLearning(kernels, C=C, normalize=False, tol=1e-8, max_iter=5000).fit(X, Y)
    t, grams = np.where(Y, 1.0, -1.0), [kernel(X) for kernel in kernels]
    grid = np.linspace(0, 1, 41)
    values = [dual_objective(b * grams[0] + (1 - b) * grams[1], t, C) for b in grid]
    found = dual_objective(model.weights_[0] * grams[0] + model.weights_[1] * grams[1], t, C)
    assert model.weights_.sum() == pytest.approx(1) and (model.weights_ >= 0).all()
    assert found <= min(values) * (1 + 1e-6) and model.history_[-1] == pytest.approx(found, rel=1e-6)
    assert abs(grid[int(np.argmin(values))] - model.weights_[0]) <= 0.05
    assert (np.diff(model.history_) <= 1e-9 * abs(model.history_[0])).all() and model.gap_ <= 1e-8


@pytest.mark.notes("000-c", "kernel-learning")
def test_machine_and_weights_are_those_of_scikit_learn_at_the_learned_kernel():
    kernels = [RBF(0.7).of(columns) for columns in (first, second, third)]
    model = MultipleKernelLearning(kernels, tol=1e-5, max_iter=2000).fit(X, Y)
    assert model.weights_[0] > 0.75
    reference = SVC(C=1.0, kernel="precomputed", tol=1e-8).fit(model.kernel_(X), Y)
    Z = RNG.standard_normal((40, 3))
    np.testing.assert_allclose(model.decision_function(Z), reference.decision_function(model.kernel_(Z, X)), atol=1e-4)
    assert model.score(X, Y) == reference.score(model.kernel_(X), Y) and model.n_iter_ == len(model.history_)


def first(Z):
    return np.asarray(Z)[:, [0]]


def second(Z):
    return np.asarray(Z)[:, [1]]


def third(Z):
    return np.asarray(Z)[:, [2]]


def test_several_classes_share_weights():
    y = np.digitize(X[:, 1], [-0.4, 0.4])
    model = MultipleKernelLearning([Linear().of(first), RBF(1.0).of(second)], C=10.0).fit(X, np.array(list("abc"))[y])
    assert (
        model.weights_[1] > 0.9
        and model.decision_function(X).shape == (60, 3)
        and model.score(X, np.array(list("abc"))[y]) > 0.9
    )
    assert MultipleKernelLearning().fit(X, Y).predict(X[:3]).shape == (3,)


def test_weights_of_rows_are_repetitions():
    w = RNG.integers(0, 3, 60)
    one = MultipleKernelLearning(tol=1e-6, max_iter=3000).fit(X, Y, sample_weight=w)
    two = MultipleKernelLearning(list(one.kernels_), tol=1e-6, max_iter=3000).fit(
        np.repeat(X, w, axis=0), np.repeat(Y, w)
    )
    np.testing.assert_allclose(one.decision_function(X), two.decision_function(X), atol=2e-3)


def test_frames_and_files(tmp_path):
    import pandas as pd

    import novum

    frame = pd.DataFrame(X, columns=list("abc"))
    model = MultipleKernelLearning().fit(frame, np.where(Y, "u", "v"))
    novum.save(model, tmp_path / "model.novum")
    again = novum.load(tmp_path / "model.novum")
    assert (again.predict(frame) == model.predict(frame)).all() and list(again.feature_names_in_) == list("abc")


def test_strings_as_they_are():
    words = ["".join(RNG.choice(list("ab"), 12)) for _ in range(40)]
    y = ["aaa" in word for word in words]
    model = MultipleKernelLearning([Spectrum(1).normalized(), Spectrum(3).normalized()], C=10.0).fit(words, y)
    assert model.weights_[1] > 0.8 and model.score(words, y) > 0.9
    with pytest.raises(DataError, match="X has 40 objects and y 39 labels"):
        MultipleKernelLearning([Spectrum(3)]).fit(words, y[:-1])


def test_what_cannot_be_learned_is_reported():
    with pytest.raises(ParameterError, match=r"entry 0 is 'rbf', not a kernel"):
        MultipleKernelLearning(["rbf"]).fit(X, Y)
    with pytest.raises(ParameterError, match="is not positive semi-definite"):
        MultipleKernelLearning([Sigmoid()]).fit(X, Y)
    with pytest.raises(ParameterError, match="at least one kernel"):
        MultipleKernelLearning([]).fit(X, Y)
    with pytest.raises(DataError, match="number of classes has to be greater than one"):
        MultipleKernelLearning().fit(X, np.zeros(60))
    with pytest.warns(NotConverged, match="after max_iter=1 iterations"):
        MultipleKernelLearning(max_iter=1, tol=1e-9).fit(X, Y)
