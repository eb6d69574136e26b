"""KMeans on the same rows in memory, in files, on Dask and on tensors."""

import os
import signal
import threading
import time
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

import novum
from novum.cluster import KMeans
from novum.engines.kmeans import bounds, lloyd, seeding
from novum.exceptions import ParameterError

RNG = np.random.default_rng(0)
GROUPS = 20 * RNG.normal(size=(60, 6))
X = GROUPS[RNG.integers(60, size=12_000)] + RNG.normal(size=(12_000, 6))
W = RNG.integers(1, 4, 12_000).astype(float)
START = GROUPS + 1


def agree(model, other, rtol=1e-10):
    assert_allclose(model.cluster_centers_, other.cluster_centers_, rtol=rtol, atol=1e-10)
    assert_allclose(model.inertia_, other.inertia_, rtol=1e-11)
    assert model.n_iter_ == other.n_iter_
    assert_allclose(model.history_, other.history_, rtol=1e-11)


@pytest.fixture(scope="module")
def memory():
    return KMeans(60, init=START).fit(X, sample_weight=W)


@pytest.mark.parametrize(
    "d, k, dtype", [(2, 200, np.float64), (2, 200, np.float32), (24, 100, np.float32), (24, 100, np.float64)]
)
def test_threads_and_bounds_change_no_bit(d, k, dtype, monkeypatch):
    data = RNG.uniform(size=(40_000, d)).astype(dtype)
    fits = []
    for threads in (1, 2, 5):
        with threadpool_limits(threads):
            fits.append(KMeans(k, init=data[:k], tol=0, max_iter=12).fit(data))

    monkeypatch.setattr(lloyd, "start_guide", lambda *_: None)
    fits.append(KMeans(k, init=data[:k], tol=0, max_iter=12).fit(data))
    for other in fits[1:]:
        assert_array_equal(other.cluster_centers_, fits[0].cluster_centers_)
        assert_array_equal(other.labels_, fits[0].labels_)
        assert other.history_ == fits[0].history_


def test_files(memory, tmp_path):
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "w.npy", W)
    scan = novum.scan(tmp_path / "x.npy", weight=tmp_path / "w.npy", batch_rows=1000)
    model = KMeans(60, init=START).fit(scan)
    agree(model, memory)
    assert not hasattr(model, "labels_")
    assert_array_equal(np.concatenate(list(model.predict(scan))), memory.labels_)
    assert_array_equal(np.concatenate(list(KMeans(60, init=START).fit_predict(scan))), memory.labels_)
    assert np.concatenate(list(model.transform(scan))).shape == (12_000, 60)
    assert_allclose(model.score(scan), -memory.inertia_, rtol=1e-11)
    for init in ("k-means++", "random"):
        one, two = (KMeans(20, init=init, n_init=2, random_state=1, max_iter=3).fit(scan) for _ in range(2))
        assert_array_equal(one.cluster_centers_, two.cluster_centers_)
    refit = KMeans(60, init=START).fit(X)
    assert hasattr(refit, "labels_") and not hasattr(refit.fit(scan), "labels_")
    with pytest.raises(ParameterError, match="a callable needs X as one array, which data in a file are not"):
        KMeans(2, init=lambda X, k, random_state: X[:k]).fit(scan)


def test_random_starts_are_the_same_rows_in_every_home(tmp_path):
    np.save(tmp_path / "x.npy", X)
    scan = novum.scan(tmp_path / "x.npy", batch_rows=700)
    a, b = (KMeans(9, init="random", n_init=1, max_iter=1, random_state=4).fit(data) for data in (X, scan))
    assert_allclose(a.cluster_centers_, b.cluster_centers_, rtol=1e-12)


def test_seeding_on_a_sample_is_nearly_as_good(monkeypatch):
    whole = KMeans(60, random_state=0).fit(X)
    monkeypatch.setattr(seeding, "SAMPLE_ROWS", 2000)
    monkeypatch.setattr(seeding, "SAMPLE_PER_CENTER", 10)
    sampled = KMeans(60, random_state=0).fit(X)
    assert (sampled.cluster_centers_ != whole.cluster_centers_).any()
    assert sampled.inertia_ < 1.3 * whole.inertia_


@pytest.mark.parametrize("sample", [2**16, 2000])
@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_own_starts_are_the_same_in_every_home(tmp_path, monkeypatch, init, sample):
    """Of all rows with their weights, some of them zero, and of a sample by weight."""
    import dask.array as da

    monkeypatch.setattr(seeding, "SAMPLE_ROWS", sample)
    monkeypatch.setattr(seeding, "SAMPLE_PER_CENTER", 10)
    weight = np.where(np.arange(len(X)) % 5, W, 0.0)
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "w.npy", weight)
    scan = novum.scan(tmp_path / "x.npy", weight=tmp_path / "w.npy", batch_rows=700)
    chunks = (5000, 0, 33, 6967)
    lazy = da.from_array(X, chunks=(chunks, 6)), da.from_array(weight, chunks=(chunks,))
    model = KMeans(12, init=init, n_init=2, max_iter=4, random_state=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        memory = model.fit(X, sample_weight=weight).cluster_centers_
        assert_allclose(model.fit(scan).cluster_centers_, memory, rtol=1e-10, atol=1e-12)
        assert_allclose(model.fit(lazy[0], sample_weight=lazy[1]).cluster_centers_, memory, rtol=1e-10, atol=1e-12)


def dask_rows():
    import dask.array as da

    return da.from_array(X, chunks=(1000, 6)), da.from_array(W, chunks=1000)


def test_dask_equals_memory(client, memory):
    x, w = dask_rows()
    model = KMeans(60, init=START).fit(x, sample_weight=w)
    agree(model, memory)
    assert not hasattr(model, "labels_")
    assert_array_equal(model.predict(x).compute(), memory.labels_)
    assert_array_equal(KMeans(60, init=START).fit_predict(x, sample_weight=w).compute(), memory.labels_)
    assert model.transform(x).compute().shape == (12_000, 60)
    drawn = KMeans(20, random_state=1, max_iter=3).fit(x)
    assert drawn.inertia_ > 0


def test_a_killed_worker_changes_no_bit(client, monkeypatch):
    monkeypatch.setattr(bounds, "WORTH_GROUPS", 0)  # workers keep bounds, and lose them
    x, w = dask_rows()
    slow = x.map_blocks(lambda block: (__import__("time").sleep(0.02), block)[1], dtype=float)
    expected = KMeans(60, init=X[:60], tol=0, max_iter=8).fit(x, sample_weight=w)

    def kill():
        time.sleep(0.3)
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    model = KMeans(60, init=X[:60], tol=0, max_iter=8).fit(slow, sample_weight=w)
    killer.join()
    assert_array_equal(model.cluster_centers_, expected.cluster_centers_)
    assert model.history_ == expected.history_


@pytest.mark.deep
def test_tensors(memory):
    torch = pytest.importorskip("torch")
    x, w = torch.from_numpy(X), torch.from_numpy(W)
    model = KMeans(60, init=START).fit(x, sample_weight=w)
    agree(model, memory)
    assert isinstance(model.labels_, np.ndarray)
    labels = model.predict(x)
    assert torch.is_tensor(labels) and (labels.numpy() == memory.labels_).all()
    assert torch.is_tensor(model.transform(x)) and torch.is_tensor(model.fit_predict(x))
    assert KMeans(5, random_state=0).fit(x.float()).cluster_centers_.dtype == np.float32


@pytest.mark.deep
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_a_gpu_would_do_equals_the_kernels(dtype, monkeypatch):
    torch = pytest.importorskip("torch")
    from novum.engines.kmeans import assignment, device_passes
    from novum.fold.blocks import Block

    monkeypatch.setattr(device_passes, "VALUES", 100_000)  # several portions
    x, w = torch.from_numpy(X.astype(dtype)), torch.from_numpy(W)
    for weight in (W, None):
        expected, expected_labels = assignment.lloyd_pass(START, Block(X.astype(dtype), weight=weight))
        sums, labels = assignment.tensor_pass(START, Block(x, weight=None if weight is None else w))
        assert_array_equal(labels.numpy(), expected_labels)
        assert_allclose(
            sums.first,
            expected.first,
            rtol=1e-6 if dtype == "float32" else 1e-12,
            atol=1e-3 if dtype == "float32" else 1e-9,
        )
        assert_allclose(sums.mass, expected.mass, rtol=1e-14)
        assert_allclose(sums.inertia, expected.inertia, rtol=1e-7 if dtype == "float32" else 1e-12)
    expected = assignment.all_distances(START, Block(X.astype(dtype)))
    assert_allclose(assignment.all_distances(START, Block(x)), expected, rtol=1e-5)
