"""How many threads to use, and how to use them: the caller and one pool, never nested, one thread after a fork.

Threads run over blocks of data, never inside one: a block function sees `thread_count() == 1`, and so does a task
on a Dask worker and the child of a fork, where the parent's threads no longer exist. Results come back in the order
of the items, so that nothing downstream depends on who finished first. How BLAS is kept to one thread meanwhile:
`novum._blas`.
"""

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import lru_cache
from itertools import islice
from typing import Any, TypeVar

import joblib

from novum import _core
from novum._blas import libraries, openmp_threads, single_blas

__all__ = ["map_ordered", "single_blas", "thread_count"]

Item = TypeVar("Item")
Result = TypeVar("Result")

LOOK_AHEAD = 2  # items taken per thread: one at work, one waiting, so that no thread idles while the caller merges or reads


class _Here(threading.local):
    inside_block = False


_here = _Here()


class _Pools:
    """The pools of this process, by number of threads; made when first used and kept."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.by_size: dict[int, ThreadPoolExecutor] = {}
        self.generation = 0  # grows with every fork, so that a pass that began before it can tell
        self.abandoned: list[dict[int, ThreadPoolExecutor]] = []

    def get(self, n_threads: int) -> ThreadPoolExecutor:
        with self.lock:
            if n_threads not in self.by_size:
                self.by_size[n_threads] = ThreadPoolExecutor(n_threads, "novum", initializer=_start_thread)
            return self.by_size[n_threads]

    def after_fork(self) -> None:
        """Forget the parent's threads. The pools stay referenced: to close them would touch locks of dead threads."""
        self.lock = threading.Lock()
        self.abandoned.append(self.by_size)
        self.by_size = {}
        self.generation += 1


_pools = _Pools()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pools.after_fork)


def _start_thread() -> None:
    """Give OpenMP one thread in a thread of ours: OpenMP keeps that number per thread, and threads do not nest."""
    for library in libraries("openmp"):
        library.set_num_threads(1)


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
    # The local schedulers mark neither their threads nor their tasks: only the stack tells.
    frame = sys._getframe()
    while frame := frame.f_back:  # type: ignore[assignment]
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
    >>> from novum._threads import thread_count
    >>> thread_count(2)
    2
    """
    if _here.inside_block or _core.threads.forked() or _in_dask_task():
        return 1
    if n_jobs is not None:
        return int(joblib.effective_n_jobs(n_jobs))
    if _in_joblib_thread():
        return 1
    limits = [_processors(), _openmp_limit(), joblib.effective_n_jobs(None)]
    if limits[-1] == 1:  # what joblib says when nobody set anything
        limits.pop()
    return min(limit for limit in limits if limit)


def _run(function: Callable[[Item], Result], item: Item) -> Result:
    outer, _here.inside_block = _here.inside_block, True
    try:
        return function(item)
    finally:
        _here.inside_block = outer


class _Task:
    """An item that was taken, and what becomes of it."""

    __slots__ = ("index", "item", "future")

    def __init__(self, index: int, item: Any, future: Future[Any]) -> None:
        self.index, self.item, self.future = index, item, future


def map_ordered(function: Callable[[Item], Result], items: Iterable[Item], n_threads: int) -> Iterator[Result]:
    """Yield `function(item)` of every item, in order, computed by the caller and up to `n_threads - 1` more threads.

    Items are taken as threads become free, at most `LOOK_AHEAD * n_threads` ahead. When the next result is not there
    yet, the caller works on the first item that no thread has begun. The first item that fails, in their order,
    raises here; no further item is begun. When the caller stops early, for whatever reason, what waits is cancelled
    and what runs is waited for, so nothing works on after this generator is closed.

    Examples
    --------
    >>> from novum._threads import map_ordered
    >>> list(map_ordered(abs, [-1, 2, -3], n_threads=2))
    [1, 2, 3]
    """
    if n_threads <= 1 or _here.inside_block:
        for item in items:
            yield _run(function, item)
        return
    pool, generation = _pools.get(n_threads - 1), _pools.generation
    failures: list[int] = []

    def call(index: int, item: Item) -> Result | None:
        if any(failure < index for failure in failures):
            return None  # never asked for: the caller stops at the failure
        try:
            return _run(function, item)
        except BaseException:
            failures.append(index)
            raise

    def work(task: _Task) -> None:
        """Compute an item here and now; an error waits for its turn, an interrupt does not."""
        done: Future[Any] = Future()
        try:
            done.set_result(call(task.index, task.item))
        except Exception as error:
            done.set_exception(error)
        task.future = done

    numbered = enumerate(items)
    pending: deque[_Task] = deque()
    try:
        while True:
            if not failures:
                for index, item in islice(numbered, LOOK_AHEAD * n_threads - len(pending)):
                    pending.append(_Task(index, item, pool.submit(call, index, item)))
            if not pending:
                return
            head = pending[0]
            while not head.future.done():
                if _pools.generation != generation:
                    work(head)  # forked since: the threads that had it are the parent's
                elif task := next((task for task in pending if task.future.cancel()), None):
                    work(task)
                else:
                    break
            result = head.future.result()
            pending.popleft()
            yield result
    finally:
        running = [task.future for task in pending if not task.future.cancel()]
        if _pools.generation == generation:
            wait(running)
