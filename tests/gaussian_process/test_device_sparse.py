"""Sparse Gaussian processes fitted in memory, asked about rows on a device: tensors that count as elsewhere."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose

import novum
from novum.exceptions import DataError
from novum.gaussian_process import SparseGaussianProcessRegressor
from novum.kernels import RBF, Linear, Matern

torch = pytest.importorskip("torch")
from elsewhere import elsewhere  # noqa: E402  needs PyTorch

pytestmark = pytest.mark.deep
RNG = np.random.default_rng(0)
X, Q = RNG.standard_normal((400, 3)), RNG.standard_normal((211, 3))
Y = np.column_stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]]) + 0.1 * RNG.standard_normal((400, 2))
KERNELS = [RBF([1.0, 2.0, 1.5]), 0.7 * Matern(2.0, nu=0.5) + 0.1 * Linear()]


def fitted(kernel, y=Y, rows=X, **settings):
    given = {"n_inducing": 25, "noise_level": 0.1, "optimizer": None, "random_state": 0, **settings}
    return SparseGaussianProcessRegressor(kernel, **given).fit(rows, y)


def everything(model, rows):
    return [
        model.predict(rows),
        *model.predict(rows, return_std=True),
        *model.predict(rows, interval="prediction", level=0.9),
        *model.predict(rows, interval="confidence"),
    ]


def same(model, queries=Q, tolerance=1e-10):
    known = everything(model, queries)
    with elsewhere():
        found = everything(model, torch.as_tensor(queries))
    for value, expected in zip(found, known, strict=True):
        assert tuple(value.shape) == expected.shape
        assert_allclose(value.numpy(), expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("kernel", KERNELS, ids=["rbf", "matern"])
@pytest.mark.parametrize("settings", [{}, {"normalize_y": True}], ids=str)
def test_predictions_are_those_of_memory(kernel, settings, tmp_path):
    same(fitted(kernel, Y[:, 0], **settings))
    model = fitted(kernel, **settings)
    same(model)
    same(model, Q[:1])
    novum.save(model, tmp_path / "sparse.novum")
    for twin in (novum.load(tmp_path / "sparse.novum"), copy.deepcopy(model)):
        assert "_sent" not in vars(twin)
        same(twin)


def test_blocks_and_single_precision(monkeypatch):
    from novum.kernels.device import program

    monkeypatch.setattr(program, "VALUES", 2_000)
    same(fitted(KERNELS[0]))
    same(fitted(KERNELS[0], rows=X.astype(np.float32)), Q.astype(np.float32), 1e-5)


def test_what_is_refused_by_name():
    with elsewhere():
        with pytest.raises(DataError, match=r"SparseGaussianProcessRegressor: kernel=Normalized.* in memory alone"):
            fitted((RBF(1.0) + Linear()).normalized()).predict(torch.as_tensor(Q))
        with pytest.raises(DataError, match="distributions are arrays"):
            fitted(KERNELS[0]).predict_distribution(torch.as_tensor(Q))
        with pytest.raises(DataError, match="NaN or infinity"):
            fitted(KERNELS[0]).predict(torch.full((2, 3), torch.nan, dtype=torch.float64))
