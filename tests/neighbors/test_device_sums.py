"""Kernel regression and kernel densities fitted in memory, asked about rows on a device: tensors that count as elsewhere."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import novum
from novum.exceptions import DataError
from novum.neighbors import KernelDensity, NadarayaWatson

torch = pytest.importorskip("torch")
from elsewhere import elsewhere  # noqa: E402  needs PyTorch

pytestmark = pytest.mark.deep
RNG = np.random.default_rng(0)
X, Q = RNG.standard_normal((300, 3)), RNG.standard_normal((211, 3))
Y = np.column_stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]])
W = RNG.integers(0, 4, 300) / 2.0
KERNELS = ("gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine")
METRICS = [
    {},
    {"metric": "manhattan"},
    {"metric": "chebyshev"},
    {"metric": "minkowski", "metric_params": {"p": 3}},
    {"metric": "seuclidean"},
    {"metric": "mahalanobis", "metric_params": {"VI": np.array([[1.0, 0.2, 0.0], [0.2, 2.0, 0.1], [0.0, 0.1, 0.5]])}},
]


def same(model, method, queries=Q, tolerance=1e-10):
    known, one = getattr(model, method)(queries), getattr(model, method)(queries[:1])
    with elsewhere():
        found = getattr(model, method)(torch.as_tensor(queries))
        single = getattr(model, method)(torch.as_tensor(queries[:1]))
    assert str(found.dtype).endswith(str(known.dtype)) and tuple(found.shape) == known.shape
    assert_array_equal(np.isfinite(found.numpy()), np.isfinite(known))
    assert_allclose(found.numpy(), known, rtol=tolerance, atol=tolerance)
    assert_allclose(single.numpy(), one, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("settings", METRICS, ids=str)
@pytest.mark.parametrize("weight", [None, W])
def test_sums_are_those_of_memory(kernel, settings, weight):
    smooth = NadarayaWatson(bandwidth=2.5, kernel=kernel, **settings)
    same(smooth.fit(X, Y, weight), "predict")
    same(smooth.fit(X, Y[:, 0], weight), "predict")
    same(KernelDensity(bandwidth=0.9, kernel=kernel, **settings).fit(X, sample_weight=weight), "score_samples")


@pytest.mark.parametrize("kernel", ["gaussian", "exponential"])
def test_rows_far_from_all_others(kernel):
    far = Q * 1e3 + 5e4
    same(NadarayaWatson(bandwidth=0.5, kernel=kernel).fit(X, Y), "predict", far, 1e-9)
    same(KernelDensity(bandwidth=0.5, kernel=kernel).fit(X), "score_samples", far)


def test_queries_without_rows_nearby():
    model = NadarayaWatson(bandwidth=0.1, kernel="tophat").fit(X, Y)
    with elsewhere(), pytest.warns(UserWarning, match="no row lies within the tophat kernel"):
        found = model.predict(torch.as_tensor(Q + 100))
    assert bool(found.isnan().all())
    with elsewhere():
        density = KernelDensity(bandwidth=0.1, kernel="linear").fit(X).score_samples(torch.as_tensor(Q + 100))
    assert bool(density.isneginf().all())


def test_single_precision_and_totals():
    rows, queries = X.astype(np.float32), Q.astype(np.float32)
    same(NadarayaWatson(bandwidth=0.8).fit(rows, Y), "predict", queries, 1e-5)
    model = KernelDensity(bandwidth=0.8).fit(rows)
    same(model, "score_samples", queries, 1e-5)
    with elsewhere():
        total = model.score(torch.as_tensor(queries))
    assert total == pytest.approx(model.score(queries), rel=1e-6)


def test_queries_go_by_blocks_and_rows_are_sent_once(monkeypatch, tmp_path):
    from novum.kernels.device import program

    monkeypatch.setattr(program, "VALUES", 5_000)
    model = NadarayaWatson(bandwidth=0.7).fit(X, Y)
    same(model, "predict")
    scan = vars(model)["_sent"]["tree_"][2]
    same(model, "predict")
    assert vars(model)["_sent"]["tree_"][2] is scan
    novum.save(model, tmp_path / "smooth.novum")
    for twin in (novum.load(tmp_path / "smooth.novum"), copy.deepcopy(model)):
        assert "_sent" not in vars(twin)
        same(twin, "predict")
    same(model.fit(X[:50], Y[:50]), "predict")


def test_what_is_refused_by_name():
    with elsewhere():
        with pytest.raises(DataError, match="KernelDensity: metric='canberra' is computed in memory alone"):
            KernelDensity(metric="canberra").fit(X).score_samples(torch.as_tensor(Q))
        with pytest.raises(DataError, match="NaN or infinity"):
            NadarayaWatson(bandwidth=1.0).fit(X, Y).predict(torch.full((2, 3), torch.nan, dtype=torch.float64))
        with pytest.raises(DataError, match=r"NadarayaWatson, whose predictions .* is fitted in the memory"):
            NadarayaWatson(bandwidth=1.0).fit(torch.as_tensor(X), Y)
