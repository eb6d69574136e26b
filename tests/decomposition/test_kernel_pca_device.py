"""Kernel principal components of rows on a device against those of memory: eigenvalues alone cross."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose

import novum
from novum.decomposition import KernelPCA
from novum.exceptions import DataError, ParameterError
from novum.kernels import RBF, Matern

torch = pytest.importorskip("torch")
from elsewhere import elsewhere  # noqa: E402  needs PyTorch

pytestmark = pytest.mark.deep
RNG = np.random.default_rng(0)
X, Q = RNG.standard_normal((170, 3)) * [3.0, 1.0, 0.3], RNG.standard_normal((211, 3))
SETTINGS = [
    {"kernel": "rbf", "gamma": 0.2},
    {"kernel": "linear", "n_components": 3},
    {"kernel": "cosine"},
    {"kernel": "poly", "degree": 2},
    {"kernel": RBF(2.0) + Matern(3.0)},
]


def there(values):
    return torch.as_tensor(values)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("solver", ["auto", "dense", "arpack"])
def test_scores_are_those_of_memory(settings, solver, tmp_path):
    given = {"n_components": 4, "random_state": 0, "eigen_solver": solver, **settings}
    here = KernelPCA(**given).fit(X)
    known, own = here.transform(Q), KernelPCA(**given).fit_transform(X)
    with elsewhere():
        model = KernelPCA(**given).fit(there(X))
        found = [model.transform(there(Q)), here.transform(there(Q))]
        scores = KernelPCA(**given).fit_transform(there(X))
        assert "X_fit_" not in vars(model)
    for value in found:
        assert_allclose(value.numpy(), known, rtol=0, atol=1e-10 * max(1.0, float(np.abs(known).max())))
    assert_allclose(scores.numpy(), own, rtol=0, atol=1e-10 * float(np.abs(own).max()))
    assert_allclose(model.eigenvalues_, here.eigenvalues_, rtol=1e-10)
    novum.save(model, tmp_path / "components.novum")
    for twin in (novum.load(tmp_path / "components.novum"), copy.deepcopy(model)):
        assert_allclose(twin.transform(Q), known, rtol=0, atol=1e-9)


def test_all_axes_with_variance_and_single_precision():
    known = KernelPCA(kernel="linear").fit(X)
    with elsewhere(most=200):  # all eigenvalues
        model = KernelPCA(kernel="linear", remove_zero_eig=True).fit(there(X))
        single = KernelPCA(2, kernel="rbf").fit(there(X.astype(np.float32))).transform(there(Q.astype(np.float32)))
    assert model._n_features_out == known._n_features_out == 3
    assert single.dtype == torch.float32
    expected = KernelPCA(2, kernel="rbf").fit(X).transform(Q)
    assert_allclose(single.numpy(), expected, rtol=0, atol=1e-5)


def test_rows_go_by_blocks(monkeypatch):
    from novum.kernels.device import program

    model = KernelPCA(3, kernel="rbf").fit(X)
    known = model.transform(Q)
    monkeypatch.setattr(program, "VALUES", 1_000)
    with elsewhere():
        found = model.transform(there(Q))
    assert_allclose(found.numpy(), known, rtol=0, atol=1e-10)


def test_what_is_refused_by_name():
    with elsewhere():
        with pytest.raises(ParameterError, match=r"fit_inverse_transform=True\) is learned in the memory"):
            KernelPCA(2, fit_inverse_transform=True).fit(there(X))
        with pytest.raises(DataError, match=r"KernelPCA.inverse_transform is computed in the memory .* X\.cpu"):
            KernelPCA(2).fit(there(X)).inverse_transform(there(Q))
        with pytest.raises(DataError, match=r"KernelPCA: kernel=.*Normalized.* in memory alone"):
            KernelPCA(2, kernel=RBF(1.0).normalized()).fit(there(X))
