"""Waiting for results without waiting for workers that have stopped.

A worker that is stopped, or whose machine hangs, keeps its connection: Dask misses it after minutes, and a pass stands still.
Whoever waits looks now and then at when the scheduler last heard of each worker,

    silence of a worker = last word of the most recent - last word of the worker                                  (1)

and takes those that are silent for longer than any busy worker out of the cluster. What they had is then made again elsewhere, as
after a crash; results do not depend on where they are made. A worker that goes on later ends when the scheduler does not know it.

Where every worker was gone at the same time, Dask leaves tasks for ever that had a place they might also do without: when workers
come back under other addresses, it asks for the place alone. Whoever waits gives such tasks to the workers that are there.
"""

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

__all__ = ["answer_of", "remove_silent_workers", "results"]

PATIENCE = 4.0  # seconds of waiting until workers are looked at
SILENCE = 20.0  # seconds without a word: heartbeats come every half second, but imports hold a worker for some
SCHEDULER_WAIT = 20.0  # seconds for an answer of the scheduler itself

logger = logging.getLogger("novum")


def answer_of(client: Any, call: str, patience: float, **message: Any) -> Any:
    """Return what the scheduler answers to a call, or raise TimeoutError after some seconds."""
    return client.sync(getattr(client.scheduler, call), callback_timeout=patience, **message)


def silences(client: Any) -> dict[str, float]:
    """Return the silence (1) of every worker."""
    seen = {
        address: found["last_seen"]
        for address, found in answer_of(client, "identity", SCHEDULER_WAIT)["workers"].items()
    }
    latest = max(seen.values(), default=0.0)
    return {address: latest - last for address, last in seen.items()}


def remove_silent_workers(client: Any) -> list[str]:
    """Take workers that have stopped out of the cluster; return their addresses."""
    silent = [address for address, seconds in silences(client).items() if seconds > SILENCE]
    for address in silent:
        logger.warning("the Dask worker %s does not answer; what it had is made again elsewhere", address)
        how = {
            "stimulus_id": "novum-silent-worker",
            "expected": True,
            "close": False,
        }  # so that its nanny starts it anew
        answer_of(client, "unregister", SCHEDULER_WAIT, address=address, **how)
    if silent:
        with suppress(TimeoutError):  # of workers that are about to be silent, too
            client.run(lines_to(silent), on_error="ignore", callback_timeout=SCHEDULER_WAIT)
    return silent


def lines_to(gone: list[str]) -> Callable[..., None]:
    """Return what workers run: it cuts their lines to others, of which a stopped one answers for ever with nothing."""

    def cut(dask_worker: Any = None) -> None:
        for address in gone:
            for line in list(dask_worker.rpc.occupied.get(address, ())):
                line.abort()
            dask_worker.rpc.remove(address)

    return cut


def homeless_tasks() -> Callable[..., int]:
    """Return what the scheduler runs: it gives tasks whose place is gone to any worker.

    A function within a function is sent as it is, so that the scheduler need not have novum.
    """

    def give(dask_scheduler: Any = None) -> int:
        tasks = [task for task in dask_scheduler.unrunnable if task.loose_restrictions]
        if not dask_scheduler.running or not tasks:
            return 0
        for task in tasks:
            task.worker_restrictions = None
        dask_scheduler.transitions({task.key: "processing" for task in tasks}, stimulus_id="novum-homeless-task")
        return len(tasks)

    return give


def place_homeless_tasks(client: Any) -> int:
    """Give tasks whose workers are all gone to those that came since; return how many there were."""
    try:
        found: int = client.run_on_scheduler(homeless_tasks(), callback_timeout=SCHEDULER_WAIT)
    except ValueError:  # this scheduler runs nobody's functions
        return 0
    if found:
        logger.warning("%d tasks had lost their Dask workers and go to others", found)
    return found


def results(client: Any, futures: list) -> list:
    """Return the results of some futures."""
    from distributed import wait

    patience = PATIENCE
    while True:
        try:
            wait(futures, timeout=PATIENCE)
        except TimeoutError:
            remove_silent_workers(client)
            place_homeless_tasks(client)
            continue
        for future in futures:
            if future.status == "error":  # its own error may be a TimeoutError
                future.result()
        try:  # a worker may stop with a result that it has made
            return client.sync(lambda: client.gather(futures, asynchronous=True), callback_timeout=patience)
        except TimeoutError:
            if not remove_silent_workers(client):
                patience *= 2  # a large result on a slow line
