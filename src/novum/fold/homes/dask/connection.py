"""The cluster that a fit meets: its workers, whether they can do the work, and one clear error where they cannot."""

import platform
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

from novum.exceptions import ClusterLost
from novum.fold.homes.dask.waiting import answer_of, remove_silent_workers

__all__ = ["WORKER_WAIT", "cluster_errors", "current_client", "worker_threads"]

VERSION_WAIT, VERSION_TRIALS = 10.0, 3  # seconds for all workers to say their versions, and how often they are asked
WORKER_WAIT = 30.0  # seconds for the first worker: a batch system has a queue, but a fit must not hang for ever

_checked: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()  # client -> workers whose versions were compared


def current_client() -> Any:
    """Return the client of the cluster in use, or None for Dask's local schedulers."""
    try:
        from distributed import default_client

        return default_client()
    except (ImportError, ValueError):
        return None


@contextmanager
def cluster_errors(owner: str) -> Iterator[Any]:
    """Turn a scheduler that went away into one clear error; errors of the learner's own pass through."""
    from distributed import CancelledError, KilledWorker
    from distributed.comm import CommClosedError

    try:
        yield
    except (CommClosedError, CancelledError, KilledWorker, TimeoutError, ConnectionError) as error:
        raise ClusterLost(
            f"{owner}: the Dask cluster was lost during a pass over the data ({type(error).__name__}). Nothing was learned or"
            f" changed; start the cluster again and repeat the call."
        ) from error


def scheduler_address(client: Any) -> str:
    """Return the address of the scheduler, for messages."""
    scheduler = getattr(client, "scheduler", None)
    return str(getattr(scheduler, "address", "an unknown address"))


def worker_threads(client: Any, owner: str, wait: float | None = None) -> dict[str, int]:
    """Return the threads of every worker, after a bounded wait for the first and a comparison of versions."""
    found, wait = client.nthreads(), WORKER_WAIT if wait is None else wait
    if not found:
        try:
            client.wait_for_workers(1, timeout=wait)
        except TimeoutError as error:
            raise ClusterLost(
                f"{owner}: the Dask cluster at {scheduler_address(client)} has had no worker for {wait:.0f} s. Start"
                f" workers (dask worker {scheduler_address(client)}, or cluster.scale(2)) and repeat the call."
            ) from error
        found = client.nthreads()
    known = _checked.setdefault(client, set())
    if not known.issuperset(found):
        check_versions(client, owner)
        found = client.nthreads()
        known.update(found)
    return dict(sorted(found.items()))


def worker_versions(client: Any, owner: str) -> dict[str, Any]:
    """Return what every worker says of its versions; workers that have stopped are taken out of the cluster before."""
    for _ in range(VERSION_TRIALS):
        remove_silent_workers(client)
        message = {"msg": {"op": "versions", "packages": ["novum"]}, "on_error": "ignore"}
        try:
            return answer_of(client, "broadcast", VERSION_WAIT, **message)
        except TimeoutError:
            continue
    raise ClusterLost(
        f"{owner}: some of the {len(client.nthreads())} workers of the Dask cluster at {scheduler_address(client)} have not"
        f" answered for {VERSION_TRIALS * VERSION_WAIT:.0f} s. Nothing was computed; restart the workers and repeat the call."
    )


def check_versions(client: Any, owner: str) -> None:
    """Raise where a worker has another Python or another novum than this process, before any pass needs them."""
    import novum

    here = {"python": ".".join(platform.python_version_tuple()[:2]), "novum": novum.__version__}
    for address, found in worker_versions(client, owner).items():
        python = ".".join(str(found["host"].get("python", "")).split(".")[:2])
        there = {"python": python, "novum": found["packages"].get("novum")}
        for name, wanted in here.items():
            if there[name] != wanted:
                has = f"{name} {there[name]}" if there[name] else f"no {name}"
                raise ClusterLost(
                    f"{owner}: the worker {address} has {has}, this process has {name} {wanted}. Nothing was computed; give"
                    " workers and client the same environment."
                )
