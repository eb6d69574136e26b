"""Kernel PCA against its definition, PCA, and scikit-learn's class."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.decomposition import KernelPCA as Peer
from sklearn.metrics.pairwise import rbf_kernel

import novum
from novum.decomposition import PCA, KernelPCA
from novum.exceptions import DataError, ParameterError

RNG = np.random.default_rng(0)
X, NEW = RNG.normal(size=(60, 4)) + 1, RNG.normal(size=(9, 4))


def signed_equal(ours, peer, rtol=1e-9):
    sign = np.sign((ours * peer).sum(axis=0))
    assert_allclose(ours * sign, peer, rtol=rtol, atol=1e-10)


@pytest.mark.notes("002", "kernel-pca")
def test_definition_and_the_linear_case():
    model = KernelPCA(3, kernel="rbf", gamma=0.2).fit(X)
    K, n = rbf_kernel(X, gamma=0.2), len(X)
    ones = np.full((n, n), 1 / n)
    centered = K - ones @ K - K @ ones + ones @ K @ ones
    a = model.eigenvectors_ / np.sqrt(model.eigenvalues_)
    assert_allclose(centered @ a, a * model.eigenvalues_, atol=1e-12)
    assert_allclose(model.eigenvalues_ / n * n * (a * a).sum(axis=0), 1, rtol=1e-12)  # lambda_i N a_i'a_i = 1
    new = rbf_kernel(NEW, X, gamma=0.2)
    rows = np.full((len(NEW), n), 1 / n)
    expected = (new - rows @ K - new @ ones + rows @ K @ ones) @ a
    assert_allclose(model.transform(NEW), expected, atol=1e-13)
    linear = KernelPCA(3).fit(X)
    signed_equal(linear.transform(NEW), PCA(3).fit(X).transform(NEW))
    assert_allclose(linear.eigenvalues_ / (n - 1), PCA(3).fit(X).explained_variance_, rtol=1e-10)


@pytest.mark.notes("002", "kernel-pca")
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid", "cosine"])
@pytest.mark.parametrize("solver", ["dense", "arpack", "randomized"])
def test_equals_scikit_learn(kernel, solver):
    options = {"kernel": kernel, "eigen_solver": solver, "random_state": 0, "gamma": 0.1, "iterated_power": 30}
    ours, peer = KernelPCA(3, **options).fit(X), Peer(3, **options).fit(X)
    assert_allclose(ours.eigenvalues_, peer.eigenvalues_, rtol=1e-7)
    signed_equal(ours.transform(NEW), peer.transform(NEW), rtol=1e-5)
    signed_equal(ours.fit_transform(X), ours.transform(X), rtol=1e-6)


def test_precomputed_sparse_callable_and_inverse():
    signed_equal(
        KernelPCA(2, kernel="precomputed").fit_transform(rbf_kernel(X)),
        KernelPCA(2, kernel="rbf", gamma=0.25).fit_transform(X),
    )
    signed_equal(KernelPCA(2).fit_transform(csr_array(X)), KernelPCA(2).fit_transform(X))
    own = KernelPCA(2, kernel=lambda a, b, scale: scale * a @ b, kernel_params={"scale": 2.0})
    signed_equal(own.fit_transform(X), np.sqrt(2) * KernelPCA(2).fit_transform(X))
    options = {"kernel": "rbf", "gamma": 0.1, "fit_inverse_transform": True, "alpha": 1e-3}
    ours, peer = KernelPCA(4, **options).fit(X), Peer(4, **options).fit(X)
    assert_allclose(ours.inverse_transform(ours.transform(NEW)), peer.inverse_transform(peer.transform(NEW)), rtol=1e-6)
    assert KernelPCA().fit(X).eigenvalues_.shape == (4,)  # None: those of non-zero variance
    assert KernelPCA(10, remove_zero_eig=True).fit(X).transform(NEW).shape == (9, 4)


def test_new_rows_from_a_file_and_errors(tmp_path):
    model = KernelPCA(2, kernel="rbf").fit(X)
    np.save(tmp_path / "new.npy", NEW)
    scan = novum.scan(tmp_path / "new.npy")
    assert_allclose(np.concatenate(list(model.transform(scan))), model.transform(NEW), rtol=1e-12)
    with pytest.raises(DataError, match="compares every row with every other"):
        KernelPCA(2).fit(scan)
    with pytest.raises(ParameterError, match="precomputed kernel"):
        KernelPCA(2, kernel="precomputed", fit_inverse_transform=True).fit(rbf_kernel(X))
    with pytest.raises(DataError, match="square kernel matrix"):
        KernelPCA(2, kernel="precomputed").fit(X)
    with pytest.raises(ValueError, match="fit_inverse_transform=True"):
        KernelPCA(2).fit(X).inverse_transform(NEW[:, :2])


def test_equal_eigenvalues_are_not_lost():
    far = 1e8 * np.arange(60.0)[:, None]  # no row is like another: K is the identity, and all eigenvalues but one are 1
    model = KernelPCA(2, kernel="rbf").fit(far)
    assert_allclose(model.eigenvalues_, [1, 1])
    scores = model.transform(far)
    assert_allclose(scores.T @ scores, np.eye(2), atol=1e-10)


@pytest.mark.parametrize("options", [{}, {"n_components": 2}, {"n_components": 9, "remove_zero_eig": True}])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_of_rows_need_no_matrix(options, dtype):
    rows = (np.random.default_rng(0).normal(size=(40, 4)) * [5, 3, 2, 1] + 3).astype(dtype)
    new = rows[:7] + 1
    found = KernelPCA(**options).fit(rows)
    matrix = KernelPCA(kernel=lambda x, z: x @ z, **options).fit(rows)
    tolerance = 1e-9 if dtype == np.float64 else 2e-3
    assert found.eigenvectors_.dtype == dtype
    k = min(4, options.get("n_components", 4))
    assert_allclose(found.eigenvalues_, matrix.eigenvalues_[:k], rtol=tolerance)
    assert_allclose(found.eigenvectors_, matrix.eigenvectors_[:, :k], atol=tolerance)
    assert_allclose(found.transform(new), matrix.transform(new)[:, :k], atol=10 * tolerance)
    assert_allclose(found.fit_transform(rows), found.transform(rows), atol=10 * tolerance)
