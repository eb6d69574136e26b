"""Run a function over items by several threads: the caller and a pool, results in the order of the items.

Nothing downstream depends on who finished first. The threads wait by spinning for a moment before they sleep
(`novum/runtime/signal.h`): passes of an iterative learner follow each other faster than a sleeping thread wakes.
"""

import atexit
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any, TypeVar

from novum import _core
from novum.runtime.blas import libraries

__all__ = ["here", "inside", "map_ordered", "team_of"]

Item = TypeVar("Item")
Result = TypeVar("Result")

LOOK_AHEAD = (
    2  # items taken per thread: one at work, one waiting, so that no thread idles while the caller merges or reads
)
LONG = 3600.0  # seconds that a thread of the pool waits at a time
LISTEN = 0.05  # seconds that the caller waits at a time: in between Python looks for signals, such as Ctrl-C


class _Here(threading.local):
    inside_block = False
    rehearsal: Callable[[Callable, Iterable, int], Iterator] | None = (
        None  # runs the items in place of the pool (tools/span.py)
    )


here = _Here()


def inside(function: Callable[[Item], Result], item: Item) -> Result:
    """Return `function(item)`, during which nobody starts threads."""
    outer, here.inside_block = here.inside_block, True
    try:
        return function(item)
    finally:
        here.inside_block = outer


class _Task:
    """An item that was taken, and what became of it."""

    __slots__ = ("done", "error", "index", "item", "result")

    def __init__(self, index: int, item: Any) -> None:
        self.index, self.item, self.done = index, item, False
        self.result: Any = None
        self.error: BaseException | None = None


class _Pass:
    """One run over items: the tasks that nobody has begun, and what is called when one is done."""

    def __init__(self, function: Callable) -> None:
        self.function, self.finished = function, _core.runtime.threads.Signal()
        self.ended = _core.runtime.threads.Flag()  # raised when nobody waits for results any more: kernels at work stop
        self.waiting: deque[_Task] = deque()
        self.failures: list[int] = []

    def next(self) -> _Task | None:
        """Return the first task that waits, now the caller's own, or None."""
        try:
            return self.waiting.popleft()  # atomic: no other thread gets it
        except IndexError:
            return None

    def do(self, task: _Task) -> None:
        """Do a task; an error is kept for its turn, and nothing that comes after it is begun."""
        try:
            if not any(failure < task.index for failure in self.failures):
                task.result = inside(self.function, task.item)
        except BaseException as error:
            task.error = error
            self.failures.append(task.index)
            if not isinstance(error, Exception):
                raise
        finally:
            task.done = True


class _Pool:
    """Threads that wait for passes to help with."""

    def __init__(self, n_threads: int) -> None:
        self.calls: deque[_Pass] = deque()
        self.called, self.open = _core.runtime.threads.Signal(), True
        self.kept_away: set[int] = set()  # threads that must not wake on the caller's processor
        self.threads = [threading.Thread(target=self._serve, name=f"novum_{i}", daemon=True) for i in range(n_threads)]
        for thread in self.threads:
            thread.start()

    def call(self, run: _Pass) -> None:
        """Ask one thread to take a task of `run`."""
        if self.called.asleep() and (processor := _core.runtime.threads.processor()) >= 0:
            self._keep_away(processor)
        self.calls.append(run)
        self.called.post()

    def _keep_away(self, processor: int) -> None:
        """Let sleeping threads wake on another processor than the caller's (Linux), and then go where they like: a sleeper
        wakes where it ran last, and the system may take milliseconds to notice that the two share one while another idles.
        """
        others = os.sched_getaffinity(0) - {processor}
        numbers = [thread.native_id for thread in self.threads if thread.native_id not in self.kept_away]
        if len(others) >= len(self.threads):
            with suppress(OSError):  # a sandbox may forbid it
                for number in numbers:
                    if number:
                        os.sched_setaffinity(number, others)
                        self.kept_away.add(number)

    def _awake(self) -> None:
        """Let this thread go where the process may."""
        if (number := threading.get_native_id()) in self.kept_away:
            self.kept_away.discard(number)
            with suppress(OSError):
                os.sched_setaffinity(0, os.sched_getaffinity(os.getpid()))

    def close(self) -> None:
        """End the threads, once they are done with what they do."""
        self.open = False
        for _ in self.threads:
            self.called.post()
        for thread in self.threads:
            thread.join()

    def _serve(self) -> None:
        for library in libraries("openmp"):
            library.set_num_threads(1)  # OpenMP keeps that number per thread, and threads do not nest
        while self.open:
            posted = self.called.wait(LONG)
            self._awake()
            if not posted or not self.calls:
                continue
            run = self.calls.popleft()
            if task := run.next():
                _core.runtime.threads.follow(run.ended)
                with suppress(BaseException):  # it is in the task, and raised in its turn
                    run.do(task)
                _core.runtime.threads.follow(None)
                run.finished.post()
            del run, task  # nothing of the data is held while waiting


class _Pools:
    """The pools of this process, by number of threads; made when first used and kept."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.by_size: dict[int, _Pool] = {}
        self.teams: dict[int, list[Any]] = {}  # that nobody uses, by number of threads
        self.generation = 0  # grows with every fork, so that a pass that began before it can tell
        self.abandoned: list[Any] = []

    def get(self, n_threads: int) -> _Pool:
        with self.lock:
            if n_threads not in self.by_size:
                self.by_size[n_threads] = _Pool(n_threads)
            return self.by_size[n_threads]

    def after_fork(self) -> None:
        """Forget the parent's threads. The pools stay referenced: to close them would touch locks of dead threads."""
        self.lock = threading.Lock()
        self.abandoned += [self.by_size, self.teams]
        self.by_size, self.teams = {}, {}
        self.generation += 1

    def close(self) -> None:
        """End all threads, before the interpreter does."""
        for pool in self.by_size.values():
            pool.close()
        self.by_size, self.teams = {}, {}


_pools = _Pools()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pools.after_fork)
atexit.register(_pools.close)


@contextmanager
def team_of(n_threads: int) -> Iterator[Any]:
    """Lend a team of threads for kernels that share their work without Python; it is kept for the next.

    Examples
    --------
    >>> from novum.runtime.pool import team_of
    >>> with team_of(2) as team:
    ...     team.size
    2
    """
    generation, rehearsed = _pools.generation, here.rehearsal is not None
    with _pools.lock:
        idle = _pools.teams.setdefault(n_threads, [])
        team = idle.pop() if idle and not rehearsed else None
    if team is None:
        team = _core.runtime.threads.Team(n_threads)
    try:
        yield team
    finally:
        if generation == _pools.generation and not rehearsed:
            idle.append(team)


def map_ordered(function: Callable[[Item], Result], items: Iterable[Item], n_threads: int) -> Iterator[Result]:
    """Yield `function(item)` of every item, in order, computed by the caller and up to `n_threads - 1` more threads.

    Items are taken as threads become free, at most `LOOK_AHEAD * n_threads` ahead. When the next result is not there
    yet, the caller works on the first item that no thread has begun. The first item that fails, in their order,
    raises here; no further item is begun. When the caller stops early, for whatever reason (Ctrl-C is one), what waits is
    dropped, and what runs is stopped and waited for, so nothing works on after this generator is closed.

    Examples
    --------
    >>> from novum.runtime.pool import map_ordered
    >>> list(map_ordered(abs, [-1, 2, -3], n_threads=2))
    [1, 2, 3]
    """
    if n_threads <= 1 or here.inside_block:
        for item in items:
            yield inside(function, item)
        return
    if here.rehearsal is not None:
        yield from here.rehearsal(function, items, n_threads)
        return
    run, pool, generation = _Pass(function), _pools.get(n_threads - 1), _pools.generation
    numbered = enumerate(items)
    taken: deque[_Task] = deque()
    try:
        while True:
            if not run.failures:
                for index, item in islice(numbered, LOOK_AHEAD * n_threads - len(taken)):
                    taken.append(_Task(index, item))
                    run.waiting.append(taken[-1])
                    if len(taken) > 1 and _pools.generation == generation:  # the first is the caller's
                        pool.call(run)
                    if taken[
                        0
                    ].done:  # items that take long to come, as decoded ones, do not pile up before their results go on
                        break
            if not taken:
                return
            head = taken[0]
            while not head.done:
                if _pools.generation != generation and head not in run.waiting:
                    run.waiting.appendleft(head)  # forked since: the thread that had it is the parent's
                if task := run.next():
                    run.do(task)
                else:
                    run.finished.wait(LISTEN)
            if head.error is not None:
                raise head.error
            taken.popleft()
            yield head.result
    finally:
        run.ended.lift()
        while task := run.next():
            taken.remove(task)
        while _pools.generation == generation and not all(task.done for task in taken):
            run.finished.wait(LISTEN)
        del run.function  # a thread on its way to sleep still has `run`: what the function holds goes with the caller
