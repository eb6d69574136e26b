"""Fixtures that tests of several families share."""

import pytest


@pytest.fixture(scope="module")
def client():
    """Two Dask workers in processes of their own, and a client of them."""
    distributed = pytest.importorskip("distributed")
    home = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
    )
    with home, distributed.Client(home) as client:
        yield client
