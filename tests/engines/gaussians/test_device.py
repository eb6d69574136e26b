"""A mixture on a device by interpreted kernels against the compiled kernels of the processor."""

from unittest import mock

import numpy as np
import pytest
from numpy.testing import assert_allclose

torch = pytest.importorskip("torch")
from elsewhere import elsewhere  # noqa: E402  needs PyTorch
from interpreted import interpreted  # noqa: E402

from novum.engines.gaussians import density, tensors  # noqa: E402
from novum.fold.blocks import Block  # noqa: E402
from novum.mixture import GaussianMixture  # noqa: E402
from novum.runtime import devices  # noqa: E402

pytestmark = pytest.mark.deep


def mixture(n, d, k):
    rng = np.random.default_rng(d)
    X = rng.standard_normal((n, d)) + 3
    root = rng.standard_normal((k, d, d))
    covariance = root @ root.transpose(0, 2, 1) + d * np.eye(d)
    factor = np.linalg.inv(np.linalg.cholesky(covariance)).transpose(0, 2, 1)
    mean, share = X[:k], np.log(rng.dirichlet(np.ones(k)))
    return X, rng.random(n) * (rng.random(n) > 0.1), density.density_of("full", share, mean, covariance, factor, X[0])


@pytest.mark.parametrize(("n", "d", "k"), [(400, 3, 2), (150, 20, 5)])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_pass_is_that_of_the_processor(n, d, k, weighted):
    X, w, model = mixture(n, d, k)
    weight = w if weighted else None
    expected = density.pass_of(model, Block(X, None, weight, 0, {}))
    rows = torch.from_numpy(X.copy())
    if weighted:
        rows[torch.from_numpy(w == 0)] = torch.inf  # rows without weight may hold anything
    block = Block(rows, None, torch.from_numpy(w) if weighted else None)
    total = float(w.sum()) if weighted else float(n)
    with interpreted(), np.errstate(invalid="ignore"):
        found = tensors.tensor_pass(model, block, total)
    for a, b in zip(found, expected):
        assert_allclose(a, b, rtol=1e-12, atol=1e-12 * np.abs(b).max())


def test_joint_densities_are_those_of_the_processor():
    X, _, model = mixture(200, 4, 3)
    with interpreted(), np.errstate(invalid="ignore"):
        found = tensors.tensor_joint(model, torch.from_numpy(X)).numpy()
    assert_allclose(found, density.joint(model, Block(X, None, None, 0, {})), rtol=1e-12)


@pytest.mark.parametrize("init", ["kmeans", "k-means++", "random", "random_from_data"])
@pytest.mark.parametrize("form", ["full", "tied", "diag", "spherical"])
def test_starts_leave_rows_where_they_are(form, init):
    X, _, _ = mixture(400, 3, 2)
    options = {"covariance_type": form, "init_params": init, "random_state": 1, "max_iter": 300}
    with elsewhere():
        model = GaussianMixture(2, **options).fit(torch.from_numpy(X))
        score = model.score(torch.from_numpy(X))
    memory = GaussianMixture(2, **options).fit(X)
    if init != "random_from_data":  # which has draws of its own only beyond 65536 rows
        assert_allclose(model.means_, memory.means_, rtol=1e-7, atol=1e-9)
    assert score == pytest.approx(model.score(X), rel=1e-12)


def test_a_fit_by_kernels_is_that_of_memory():
    X, w, _ = mixture(300, 3, 2)
    options = {"init_params": "k-means++", "random_state": 0, "max_iter": 4, "tol": 1.0}
    memory = GaussianMixture(2, **options).fit(X, sample_weight=w)
    with interpreted(), mock.patch.object(devices, "on_host", lambda tensor: False), np.errstate(invalid="ignore"):
        model = GaussianMixture(2, **options).fit(torch.from_numpy(X), sample_weight=torch.from_numpy(w))
    assert_allclose(model.means_, memory.means_, rtol=1e-11)
    assert_allclose(model.covariances_, memory.covariances_, rtol=1e-10)
