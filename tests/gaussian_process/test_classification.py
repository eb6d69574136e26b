"""Classification against scikit-learn, finite differences, brute force over a small grid, and itself."""

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.datasets import load_iris
from sklearn.gaussian_process import GaussianProcessClassifier as SklearnClassifier
from sklearn.gaussian_process import kernels as sklearn_kernels

import novum
from novum.exceptions import DataError, ParameterError
from novum.gaussian_process import GaussianProcessClassifier
from novum.gaussian_process.laplace import find_mode, probabilities
from novum.gaussian_process.softmax import find_mode as find_softmax_mode
from novum.kernels import RBF, Matern, Spectrum

X, y = (part[::3] for part in load_iris(return_X_y=True))
NEW = X + np.random.default_rng(0).normal(0, 0.3, X.shape)


@pytest.mark.parametrize("split", ["one_vs_rest", "one_vs_one"])
@pytest.mark.parametrize("classes", [2, 3])
def test_fits_agree_with_scikit_learn(split, classes):
    label = y if classes == 3 else (y == 1).astype(int)
    ours = GaussianProcessClassifier(1.0 * RBF(1.0), multi_class=split).fit(X, label)
    theirs = SklearnClassifier(1.0 * sklearn_kernels.RBF(1.0), multi_class=split).fit(X, label)
    assert ours.log_marginal_likelihood_value_ == pytest.approx(theirs.log_marginal_likelihood_value_, abs=1e-5)
    np.testing.assert_array_equal(ours.predict(NEW), theirs.predict(NEW))
    if split == "one_vs_rest":
        np.testing.assert_allclose(ours.predict_proba(NEW), theirs.predict_proba(NEW), atol=1e-4)
    theta = np.array([0.7, 0.2])
    assert ours.log_marginal_likelihood(theta) == pytest.approx(theirs.log_marginal_likelihood(theta), abs=1e-6)
    if classes == 2:
        np.testing.assert_allclose(
            ours.log_marginal_likelihood(theta, True)[1], theirs.log_marginal_likelihood(theta, True)[1], atol=1e-4
        )
        mean, variance = ours.latent_mean_and_variance(NEW)
        other = theirs.latent_mean_and_variance(NEW)
        np.testing.assert_allclose(mean, other[0], atol=1e-3)
        np.testing.assert_allclose(variance, other[1], atol=1e-2)


@pytest.mark.parametrize("split", ["binary", "softmax"])
def test_the_gradient_is_that_of_finite_differences(split):
    label = (y == 1).astype(int) if split == "binary" else y
    kernel = 1.3 * Matern([1.0, 0.7, 1.5, 0.9], nu=2.5)
    model = GaussianProcessClassifier(kernel, optimizer=None, multi_class="softmax").fit(X, label)
    theta = kernel.theta
    _, gradient = model.log_marginal_likelihood(theta, eval_gradient=True)
    for s in range(len(theta)):
        step = 1e-4 * np.eye(len(theta))[s]
        slope = (model.log_marginal_likelihood(theta + step) - model.log_marginal_likelihood(theta - step)) / 2e-4
        assert gradient[s] == pytest.approx(slope, rel=1e-4, abs=1e-5)


def test_modes_are_stationary_points():
    K = (4.0 * RBF(1.0))(X)
    mode = find_mode(K, (y == 1).astype(float), None, 100)
    np.testing.assert_allclose(mode.f, K @ ((y == 1) - expit(mode.f)), atol=1e-6)
    several = find_softmax_mode(K, np.eye(3)[y], None, 100)
    f = K @ several.a
    np.testing.assert_allclose(several.a, np.eye(3)[y] - softmax(f, axis=1), atol=1e-6)


def test_the_evidence_is_that_of_the_quadratic_expansion():
    """log q(y) = log p(y | f) + log N(f | 0, K) + n/2 log 2 pi - 1/2 log |-Hessian| at the mode, written out."""
    K = (4.0 * RBF(1.0))(X) + 1e-6 * np.eye(len(X))
    for label in ((y == 1).astype(float), np.eye(3)[y]):
        classes = label.shape[1] if label.ndim == 2 else 1
        n, prior = len(X), np.kron(np.eye(classes), K)
        if classes == 1:
            mode = find_mode(K, label, None, 100)
            f, pi = mode.f, expit(mode.f)
            likelihood, W = np.log(np.where(label == 1, pi, 1 - pi)).sum(), np.diag(pi * (1 - pi))
            value = mode.psi - np.log(mode.factor.lower.diagonal()).sum()
        else:
            mode = find_softmax_mode(K, label, None, 100)
            table = softmax(K @ mode.a, axis=1)
            f, likelihood = (K @ mode.a).T.ravel(), np.log((table * label).sum(axis=1)).sum()
            stacked = np.concatenate([np.diag(table[:, c]) for c in range(classes)])
            W = np.diag(table.T.ravel()) - stacked @ stacked.T
            value = mode.psi - mode.half_log_determinant
        expected = likelihood - 0.5 * f @ np.linalg.solve(prior, f)
        expected -= 0.5 * np.linalg.slogdet(np.eye(n * classes) + prior @ W)[1]
        assert value == pytest.approx(expected, rel=1e-7)


def test_probabilities_are_means_of_the_logistic_function():
    points, weight = np.polynomial.hermite_e.hermegauss(80)
    for mean, variance in ((0.3, 0.5), (-2.0, 4.0), (5.0, 0.1)):
        exact = (weight * expit(mean + np.sqrt(variance) * points)).sum() / np.sqrt(2 * np.pi)
        assert probabilities(np.array([mean]), np.array([variance]))[0] == pytest.approx(exact, abs=2e-3)


def test_softmax_with_two_classes_of_labels_and_symmetry():
    model = GaussianProcessClassifier(1.0 * RBF(1.0), multi_class="softmax").fit(X, y)
    share = model.predict_proba(NEW)
    np.testing.assert_allclose(share.sum(axis=1), 1, rtol=1e-12)
    swapped = GaussianProcessClassifier(1.0 * RBF(1.0), multi_class="softmax").fit(X, 2 - y)
    np.testing.assert_allclose(swapped.predict_proba(NEW)[:, ::-1], share, atol=5e-3)
    assert model.score(X, y) > 0.95 and model.kernel_.theta.shape == (2,)


def test_other_forms(tmp_path):
    model = GaussianProcessClassifier(1.0 * RBF(1.0), warm_start=True).fit(X, y)
    again = model.log_marginal_likelihood_value_
    assert model.fit(X, y).log_marginal_likelihood_value_ == pytest.approx(again, abs=1e-5)
    novum.save(model, tmp_path / "model.novum")
    np.testing.assert_array_equal(novum.load(tmp_path / "model.novum").predict_proba(NEW), model.predict_proba(NEW))
    words = ["banana", "ananas", "bandana", "xyz", "xyzzy", "zyx"]
    strings = GaussianProcessClassifier(Spectrum(2), optimizer=None).fit(words, ["b", "b", "b", "x", "x", "x"])
    assert list(strings.predict(["nana", "yxyz"])) == ["b", "x"]
    with pytest.raises(DataError, match="2 or more distinct classes"):
        GaussianProcessClassifier().fit(X, np.zeros(len(X)))
    with pytest.raises(ParameterError, match="does not support predicting probability"):
        GaussianProcessClassifier(multi_class="one_vs_one").fit(X, y).predict_proba(X)
