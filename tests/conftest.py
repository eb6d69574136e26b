"""Fixtures that tests of several families share."""

import sys

import pytest


@pytest.fixture(autouse=True)
def no_figures_left_open():
    """Close what a test has drawn with pyplot: past twenty open figures it warns, in whichever test comes next."""
    yield
    if (pyplot := sys.modules.get("matplotlib.pyplot")) is not None:
        pyplot.close("all")


@pytest.fixture(scope="module")
def client():
    """Two Dask workers in processes of their own, and a client of them."""
    distributed = pytest.importorskip("distributed")
    home = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
    )
    with home, distributed.Client(home) as client:
        yield client
