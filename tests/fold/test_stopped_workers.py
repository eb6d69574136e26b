"""Workers that are stopped, not dead: what they had is made again elsewhere, to the same bits, in seconds."""

import os
import signal
import threading
import time
import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from novum.exceptions import ClusterLost
from novum.fold.homes.dask import connection, waiting
from novum.linear_model import LogisticRegression, SGDClassifier

distributed = pytest.importorskip("distributed")
import dask.array as da  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.normal(size=(4000, 5))
Y = (X @ [1.0, -1.0, 0.5, 0.0, 2.0] + RNG.normal(size=4000) > 0).astype(int)


@pytest.fixture
def client():
    """Three workers in processes of their own, one of which a test stops for good."""
    home = distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
    )
    with home, distributed.Client(home) as client:
        client.run(__import__, "novum.linear_model")  # an import is a silence too
        yield client


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(waiting, "PATIENCE", 0.5)
    monkeypatch.setattr(waiting, "SILENCE", 4.0)


def lazy(pause):
    slowly = lambda block: (__import__("time").sleep(pause), block)[1]  # noqa: E731
    return da.from_array(X, chunks=(250, 5)).map_blocks(slowly, dtype=float), da.from_array(Y, chunks=250)


def stop_one(client, after):
    """Stop the first worker after some seconds; return the thread that does it and where its number will stand."""
    numbers = sorted(client.run(os.getpid).values())

    def stop():
        time.sleep(after)
        os.kill(numbers[0], signal.SIGSTOP)

    thread = threading.Thread(target=stop)
    thread.start()
    return thread, numbers[0]


@pytest.mark.parametrize(
    "model", [LogisticRegression(), SGDClassifier(max_iter=60, tol=None, random_state=0)], ids=["passes", "walks"]
)
def test_a_stopped_worker_costs_seconds_and_no_bit(client, impatient, model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = model.fit(*lazy(0.0)).coef_
        thread, number = stop_one(client, 0.3)
        begin = time.perf_counter()
        try:
            found = model.fit(*lazy(0.1)).coef_
        finally:
            thread.join()
            os.kill(number, signal.SIGCONT)
    assert_array_equal(found, expected)
    assert time.perf_counter() - begin < 45


def test_the_comparison_of_versions_does_not_wait_for_a_stopped_worker(client, impatient, monkeypatch):
    monkeypatch.setattr(connection, "VERSION_WAIT", 5.0)
    before = len(client.nthreads())
    connection._checked.clear()
    thread, number = stop_one(client, 0.0)
    thread.join()
    try:
        assert len(connection.worker_threads(client, "LogisticRegression")) == before - 1
    finally:
        os.kill(number, signal.SIGCONT)


def test_workers_that_never_answer_are_named(client, impatient, monkeypatch):
    monkeypatch.setattr(connection, "answer_of", lambda *given, **options: (_ for _ in ()).throw(TimeoutError))
    connection._checked.clear()
    with pytest.raises(ClusterLost, match=r"LogisticRegression: some of the \d workers .* have not answered for 30 s"):
        LogisticRegression().fit(*lazy(0.0))
