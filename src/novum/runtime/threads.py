"""How many threads to use: those the user allows, never nested, one after a fork.

Threads run over blocks of data, never inside one: a block function sees `thread_count() == 1`, and so does a task
on a Dask worker and the child of a fork, where the parent's threads no longer exist. How they are used:
`novum.runtime.pool`; how BLAS is kept to one thread meanwhile: `novum.runtime.blas`.
"""

import os
import sys
import threading
from functools import lru_cache

import joblib

from novum import _core
from novum.runtime.blas import openmp_threads
from novum.runtime.pool import here

__all__ = ["thread_count"]


@lru_cache(maxsize=8)
def _quota(affinity: int) -> int:
    """Return the processors that the operating system grants; the limits of a container are read once per affinity."""
    return max(1, min(affinity, joblib.cpu_count()))


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return _quota(len(os.sched_getaffinity(0)))
    return _quota(os.cpu_count() or 1)


def _openmp_limit() -> int | None:
    """Return what the user allows OpenMP, by `OMP_NUM_THREADS` or by threadpoolctl, or None."""
    limits = [*openmp_threads()]
    first = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()  # "4,2" gives the number of every nesting level
    if first.isdigit():
        limits.append(int(first))
    return min((limit for limit in limits if limit), default=None)


def _in_dask_task() -> bool:
    """Return whether this thread runs a task of a Dask worker or of a local Dask scheduler; never imports Dask."""
    distributed = sys.modules.get("distributed.worker")
    if distributed is not None:
        try:
            distributed.get_worker()
            return True
        except (AttributeError, ValueError):
            pass
    if "dask.local" not in sys.modules:
        return False
    # The local schedulers mark neither their threads nor their tasks: only the stack shows it.
    frame = sys._getframe()
    while frame := frame.f_back:
        if frame.f_code.co_name == "execute_task" and frame.f_globals.get("__name__") == "dask.local":
            return True
    return False


def _in_joblib_thread() -> bool:
    """Return whether this is one of several threads of joblib; its processes bound themselves by `OMP_NUM_THREADS`."""
    backend, _ = joblib.parallel.get_active_backend()
    return bool(backend.nesting_level) and threading.current_thread() is not threading.main_thread()


def thread_count(n_jobs: int | None = None) -> int:
    """Return the number of threads to use.

    Parameters
    ----------
    n_jobs : int or None, default=None
        As in joblib: a number, or -1 for all processors. None: as many processors as the process may use, at most
        `OMP_NUM_THREADS`, what threadpoolctl allows OpenMP, and the `n_jobs` of an enclosing `joblib.parallel_config`.

    Returns
    -------
    int
        At least 1; exactly 1 in a block function, in a Dask task and after a fork.

    Examples
    --------
    >>> from novum.runtime.threads import thread_count
    >>> thread_count(2)
    2
    """
    if here.inside_block or _core.runtime.threads.forked() or _in_dask_task():
        return 1
    if n_jobs is not None:
        return int(joblib.effective_n_jobs(n_jobs))
    if _in_joblib_thread():
        return 1
    limits = [_processors(), _openmp_limit(), joblib.effective_n_jobs(None)]
    if limits[-1] == 1:  # what joblib says when nobody set anything
        limits.pop()
    return min(limit for limit in limits if limit)
