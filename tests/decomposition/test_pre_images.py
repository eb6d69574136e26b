"""Kernel PCA with kernel objects, and pre-images: rows that come back, the nearest point by a general minimiser, noise removed."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from novum.decomposition import KernelPCA
from novum.exceptions import NotConverged, ParameterError
from novum.kernels import RBF, Constant, Matern, Spectrum

RNG = np.random.default_rng(0)
ANGLE = RNG.uniform(0, 2 * np.pi, 120)
CIRCLE = np.column_stack([np.cos(ANGLE), np.sin(ANGLE)])
X = CIRCLE + 0.1 * RNG.normal(size=(120, 2))


def abs_scores(model, rows):
    return np.abs(model.fit(rows).transform(rows))


def test_kernel_objects():
    by_name, by_object = KernelPCA(4, kernel="rbf", gamma=0.5), KernelPCA(4, kernel=RBF(1.0))
    assert_allclose(abs_scores(by_object, X), abs_scores(by_name, X), atol=1e-10)
    kernel = 2.0 * Matern(1.5) + Constant(3.0)
    model = KernelPCA(4, kernel=kernel).fit(X)
    J = np.eye(120) - 1 / 120
    values, vectors = np.linalg.eigh(J @ kernel(X) @ J)
    assert_allclose(model.eigenvalues_, values[::-1][:4], rtol=1e-9)
    assert_allclose(np.abs(model.transform(X)), np.abs(vectors[:, ::-1][:, :4] * np.sqrt(values[::-1][:4])), atol=1e-8)
    words = ["abab", "baba", "cdcd", "dcdc", "abcd"]
    z = KernelPCA(2, kernel=Spectrum(2)).fit(words).transform(words)
    K, J = Spectrum(2)(words), np.eye(5) - 1 / 5
    best = np.linalg.eigh(J @ K @ J)
    assert_allclose(z @ z.T, best[1][:, -2:] * best[0][-2:] @ best[1][:, -2:].T, atol=1e-9)


@pytest.mark.parametrize("kernel", [RBF(0.8), RBF([0.8, 1.6])])
def test_rows_come_back_from_all_their_scores(kernel):
    few = X[:25]
    model = KernelPCA(kernel=kernel).fit(few)
    assert_allclose(model.pre_images(model.transform(few)), few, atol=1e-6)


def test_nearest_point_by_a_general_minimiser():
    """The distance in feature space, from its definition with centered kernels, is least at the pre-image."""
    model = KernelPCA(3, kernel="rbf", gamma=1.2).fit(X)
    Z = model.transform(X[:6] * 1.3)
    A = model.eigenvectors_ / np.sqrt(model.eigenvalues_)
    for z, found in zip(Z, model.pre_images(Z), strict=True):
        a = A @ z
        g = a - a.mean() + 1 / 120

        def distance(x, g=g):
            return -sum(g[i] * np.exp(-1.2 * ((x - X[i]) ** 2).sum()) for i in range(120))

        best = minimize(distance, found + 0.05, method="BFGS", options={"gtol": 1e-10})
        assert distance(found) <= best.fun + 1e-10
        assert_allclose(found, best.x, atol=1e-5)
        assert distance(found) <= min(distance(x) for x in X) + 1e-12


def test_noise_is_removed():
    model = KernelPCA(4, kernel="rbf", gamma=0.5).fit(X)
    back = model.pre_images(model.transform(X))
    assert np.linalg.norm(back, axis=1).std() < 0.4 * np.linalg.norm(X, axis=1).std()
    single = KernelPCA(4, kernel="rbf", gamma=0.5).fit(X.astype(np.float32))
    assert single.pre_images(single.transform(X.astype(np.float32))).dtype == np.float32


def test_what_has_no_pre_image_is_reported():
    model = KernelPCA(2, kernel="poly").fit(X)
    with pytest.raises(ParameterError, match=r"kernel='poly'.*fit_inverse_transform=True"):
        model.pre_images(model.transform(X))
    model = KernelPCA(2, kernel="rbf").fit(X)
    with pytest.raises(ParameterError, match="2 a row"):
        model.pre_images(np.ones((3, 5)))
    with pytest.warns(NotConverged, match="max_iter=1"):
        model.pre_images(model.transform(X), max_iter=1)
    with pytest.raises(ParameterError, match="only rows of numbers"):
        KernelPCA(2, kernel=Spectrum(2), fit_inverse_transform=True).fit(["ab", "ba", "cc"])
