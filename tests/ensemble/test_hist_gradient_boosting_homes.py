"""The same rows in memory, in files and on Dask give the same trees, also when a worker dies."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from threadpoolctl import threadpool_limits

import novum
from novum.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from novum.exceptions import ParameterError
from novum.tree import _bins

RNG = np.random.default_rng(0)
X = RNG.normal(size=(12_000, 5))
X[RNG.random(X.shape) < 0.05] = np.nan
Y = (np.nansum(X[:, :3], axis=1) + RNG.normal(size=12_000) > 0).astype(int)
W = RNG.integers(0, 3, 12_000).astype(float)
MODEL = HistGradientBoostingClassifier(max_iter=8, random_state=0)  # more than 10,000 rows: some are held back


def fresh():
    return HistGradientBoostingClassifier(**MODEL.get_params())


@pytest.fixture(scope="module", autouse=True)
def small_sample():
    """Bins from a sample that is smaller than the data."""
    before, _bins.SAMPLE_ROWS = _bins.SAMPLE_ROWS, 5000
    yield
    _bins.SAMPLE_ROWS = before


@pytest.fixture(scope="module")
def memory(small_sample):
    return fresh().fit(X, Y, sample_weight=W)


def agree(model, other):
    assert_array_equal(model._nodes, other._nodes)
    assert_array_equal(model.validation_score_, other.validation_score_)


def test_threads_change_no_bit(memory):
    for threads in (1, 3):
        with threadpool_limits(threads):
            agree(fresh().fit(X, Y, sample_weight=W), memory)


def test_files(memory, tmp_path):
    for name, values in (("x", X), ("y", Y), ("w", W)):
        np.save(tmp_path / f"{name}.npy", values)
    scan = novum.scan(tmp_path / "x.npy", target=tmp_path / "y.npy", weight=tmp_path / "w.npy", batch_rows=700)
    model = fresh().fit(scan)
    agree(model, memory)
    assert_array_equal(np.concatenate(list(model.predict_proba(scan))), memory.predict_proba(X))
    model.set_params(warm_start=True, max_iter=10).fit(scan)
    assert model.n_iter_ == 10
    with pytest.raises(ParameterError, match="a scorer needs rows in memory"):
        fresh().set_params(scoring="accuracy").fit(scan)
    with pytest.raises(ParameterError, match="categorical_features need rows in memory"):
        fresh().set_params(categorical_features=[0]).fit(scan)


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    home = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    )
    with home, distributed.Client(home) as client:
        yield client


def dask_rows(pause=0.0):
    import dask.array as da

    x = da.from_array(X, chunks=(1000, 5))
    if pause:
        x = x.map_blocks(lambda block: (__import__("time").sleep(pause), block)[1], dtype=float)
    return x, da.from_array(Y, chunks=1000), da.from_array(W, chunks=1000)


def test_dask_equals_memory(client, monkeypatch):
    monkeypatch.setattr(_bins, "SAMPLE_ROWS", 200_000)  # the workers' own
    x, y, w = dask_rows()
    model = fresh().fit(x, y, sample_weight=w)
    agree(model, fresh().fit(X, Y, sample_weight=W))
    assert_array_equal(model.predict(x).compute(), model.predict(X))
    regressor = HistGradientBoostingRegressor(max_iter=3).fit(x, y.astype(float))
    assert regressor.predict(x).compute().shape == (12_000,)


def test_a_killed_worker_changes_no_bit(client):
    expected = fresh().fit(*dask_rows()[:2], sample_weight=dask_rows()[2])
    x, y, w = dask_rows(0.05)

    def kill():
        time.sleep(0.2)
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    model = fresh().fit(x, y, sample_weight=w)
    killer.join()
    agree(model, expected)
