"""The family on the same rows in memory, in files, on Dask and on tensors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

import novum
from novum.decomposition import PCA, FactorAnalysis, IncrementalPCA, ProbabilisticPCA

RNG = np.random.default_rng(1)
X = RNG.normal(size=(6000, 3)) @ RNG.normal(size=(3, 8)) + 0.5 * RNG.normal(size=(6000, 8)) + 4
W = RNG.integers(0, 3, len(X)).astype(float)
GAPS = np.where(RNG.random(X.shape) < 0.2, np.nan, X)
MODELS = [
    (PCA(3), X),
    (PCA(3, svd_solver="full"), X),
    (PCA(3, svd_solver="randomized", iterated_power=6, random_state=0), X),
    (PCA(0.8), X),
    (IncrementalPCA(3), X),
    (ProbabilisticPCA(3), X),
    (ProbabilisticPCA(3, max_iter=2000), GAPS),
    (FactorAnalysis(3), X),
    (FactorAnalysis(3, tol=1e-1), GAPS),
]
EVERY = pytest.mark.parametrize("model, data", MODELS, ids=lambda v: repr(v) if hasattr(v, "fit") else "")


def fresh(model):
    return type(model)(**model.get_params())


def agree(a, b, data, transformed, tolerance=1e-9):
    for name in ("components_", "mean_", "noise_variance_"):
        assert_allclose(getattr(a, name), getattr(b, name), rtol=tolerance, atol=tolerance, err_msg=name)
    assert_allclose(transformed, b.transform(data), rtol=1e-7, atol=1e-8)


@EVERY
def test_files(model, data, tmp_path):
    np.save(tmp_path / "x.npy", data)
    np.save(tmp_path / "w.npy", W)
    scan = novum.scan(tmp_path / "x.npy", weight=tmp_path / "w.npy", batch_rows=1000)
    found, memory = fresh(model).fit(scan), fresh(model).fit(data, sample_weight=W)
    agree(found, memory, data, np.concatenate(list(found.transform(scan))))
    assert_allclose(np.concatenate(list(found.score_samples(scan))), memory.score_samples(data), rtol=1e-7)
    with pytest.raises(ValueError, match="score takes data in memory"):
        found.score(scan)


@EVERY
def test_dask(model, data):
    da = pytest.importorskip("dask.array")
    lazy, weight = da.from_array(data, chunks=(1700, 8)), da.from_array(W, chunks=1700)
    found, memory = fresh(model).fit(lazy, sample_weight=weight), fresh(model).fit(data, sample_weight=W)
    agree(found, memory, data, found.transform(lazy).compute())


@pytest.mark.deep
@EVERY
def test_tensors(model, data):
    torch = pytest.importorskip("torch")
    tensor, weight = torch.tensor(data), torch.tensor(W)
    found, memory = fresh(model).fit(tensor, sample_weight=weight), fresh(model).fit(data, sample_weight=W)
    scores = found.transform(tensor)
    assert isinstance(scores, torch.Tensor) and scores.dtype == tensor.dtype
    agree(found, memory, data, scores.numpy())
    assert_allclose(found.score(tensor), memory.score(data), rtol=1e-9)
    assert_allclose(
        found.inverse_transform(scores).numpy(), memory.inverse_transform(scores.numpy()), rtol=1e-8, atol=1e-8
    )
    if hasattr(found, "impute"):
        assert_allclose(found.impute(tensor).numpy(), memory.impute(data), rtol=1e-8, atol=1e-8)
        single = found.posterior(tensor[:5].float())
        assert single.mean.dtype == torch.float32 and single.covariance.shape == (5, 3, 3)


@EVERY
def test_weights_are_repetitions(model, data):
    weighted = fresh(model).fit(data[:400], sample_weight=W[:400])
    repeated = fresh(model).fit(np.repeat(data[:400], W[:400].astype(int), axis=0))
    agree(weighted, repeated, data, weighted.transform(data), tolerance=1e-8)


@pytest.mark.parametrize(
    "model, data", [MODELS[2], MODELS[6], MODELS[8]], ids=lambda v: repr(v) if hasattr(v, "fit") else ""
)
def test_threads_change_no_bit(model, data):
    large = np.tile(data, (10, 1))
    fits = []
    for threads in (1, 2, 5):
        with threadpool_limits(threads):
            fits.append(fresh(model).set_params(**{"tol": 1e-1} if hasattr(model, "max_iter") else {}).fit(large))
    for other in fits[1:]:
        assert_array_equal(other.components_, fits[0].components_)
        assert_array_equal(other.transform(large), fits[0].transform(large))
