"""A connection to a Dask cluster that does fits for a study: there within seconds, or an error that names what is wrong."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from novum.exceptions import ClusterLost
from novum.fold.homes.dask.connection import WORKER_WAIT, worker_threads

__all__ = ["connected"]

CONNECT_WAIT = 10.0  # seconds for the scheduler to answer
SHARE = 0.25  # of a time limit, for each of the scheduler and the first worker


@contextmanager
def connected(address: str, limit: float | None) -> Iterator[Any]:
    """Give a client of the cluster at an address; `limit` is how many seconds are left for the fits."""
    from distributed import Client

    share = float("inf") if limit is None else max(1.0, SHARE * limit)
    wait = min(CONNECT_WAIT, share)
    try:
        client = Client(address, timeout=wait, set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise ClusterLost(
            f"Study(cluster={address!r}): no Dask scheduler answers there within {wait:.0f} s. Start one (dask scheduler), or"
            " leave cluster out and fit in processes of this machine."
        ) from error
    with client, client.as_current():
        worker_threads(client, f"Study(cluster={address!r})", min(WORKER_WAIT, share))
        yield client
