"""Many fits in as many processes as are worth it, to be stopped at any time.

Every process has one fit at a time and is a pool of its own: one that dies, or does not end in time, loses that fit and is
replaced, and the others know nothing of it. Rows are sent to a process once, not with every fit. While processes start, which
takes seconds, this one goes on with fits. A model that failed on one fold is not tried on the others. Nothing depends on the
number of processes.
"""

import math
import os
import pickle
import signal
import time
from collections import deque
from collections.abc import Generator, Iterator
from typing import Any

from novum.study.clock import Clock
from novum.study.fits import Outcome, Rows, Task, fit_task

__all__ = ["Crew", "available_cores", "outcomes"]

TRIED_ALONE = 1.5  # seconds of fits in this process before others are thought of
WORTH_PROCESSES = 8.0  # seconds of work left; starting processes costs about three
TIME_TO_START = 8.0  # seconds that must be left for it on an idle machine
MANY_CELLS = 500_000  # of a table whose fits go to other processes at once
GRACE, START = 5.0, 60.0  # seconds that a process gets to end a fit by itself, and to begin its first
KNOWN = ("novum", "sklearn")  # packages whose models may be fitted in this process: they do not end it


def available_cores() -> int:
    """Return how many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # only Linux tells
        return os.cpu_count() or 1


def failed(task: Task, error: str, seconds: float = 0.0) -> Outcome:
    """Return the outcome of a fit that gave nothing."""
    return Outcome(task.model, task.fold, float("nan"), seconds, [], error)


class Queue:
    """Fits to be made: each with the seconds it may take, and none of a model that has failed."""

    def __init__(self, tasks: list[Task], processes: int, clock: Clock) -> None:
        self.waiting, self.processes, self.clock = deque(tasks), processes, clock
        self.errors: dict[int, str] = {}
        self.running = 0

    def __len__(self) -> int:
        return len(self.waiting)

    def take(self) -> Task:
        """Return the next; one whose settings are sought gets its share of the time that is left."""
        task, left = self.waiting.popleft(), self.clock.left()
        if left is None:
            return task
        if task.candidate.tuned:
            return task._replace(seconds=left * self.processes / (len(self.waiting) + self.running + 1))
        return task._replace(seconds=left if task.seconds is None else min(left, task.seconds))

    def lost(self) -> Iterator[Outcome]:
        """Yield the outcomes of the next ones that need not be tried."""
        while self.waiting and self.waiting[0].model in self.errors:
            task = self.waiting.popleft()
            yield failed(task, self.errors[task.model])

    def note(self, outcome: Outcome) -> Outcome:
        """Remember a model that failed; return the outcome."""
        if outcome.error:
            self.errors.setdefault(outcome.model, outcome.error)
        return outcome


def outcomes(
    rows: Rows, tasks: list[Task], crew: "Crew", clock: Clock, cluster: str | None = None,
    least: int = 0
) -> Generator[Outcome, None, None]:  # fmt: skip
    """Yield the outcomes as they come, until all are there or the time is over; the first `least` are made in any case,
    unless they are of a model that may never end."""
    made: set[tuple[int, int]] = set()
    for outcome in streamed(rows, tasks, crew, clock, cluster):
        made.add((outcome.model, outcome.fold))
        yield outcome
    for task in tasks[:least]:
        if (task.model, task.fold) not in made and is_known(task.candidate.estimator):
            yield fit_task(rows, task._replace(seconds=None))


def streamed(
    rows: Rows, tasks: list[Task], crew: "Crew", clock: Clock, cluster: str | None
) -> Generator[Outcome, None, None]:
    """Yield outcomes until all are there or the time is over."""
    queue = Queue(tasks, crew.processes, clock)
    if clock.over or not tasks:
        return
    if cluster is not None:
        yield from on_cluster(rows, queue, cluster)
        return
    start, cells = time.perf_counter(), rows.frame.shape[0] * rows.frame.shape[1]
    done, elsewhere = 0, crew.processes > 1 or clock.asked
    risky = any(not is_known(task.candidate.estimator) for task in tasks)
    while queue and not clock.over:
        spent = time.perf_counter() - start
        left = spent / max(done, 1) * len(queue)
        many = (spent > TRIED_ALONE and left > WORTH_PROCESSES) or (cells > MANY_CELLS and len(queue) > 1)
        soon = (clock.left() or math.inf) < TIME_TO_START * clock.slowness
        if many and elsewhere and not soon:
            crew.start()
        if risky or crew.ready:
            yield from in_processes(crew, queue)
            return
        outcome = queue.note(fit_task(rows, queue.take()))
        if outcome.error and clock.over:
            return
        yield outcome
        yield from queue.lost()
        done += 1


def is_known(estimator: Any) -> bool:
    """Return whether an estimator and all it is made of come from packages that do not end the process."""
    parts = [estimator, *estimator.get_params(deep=True).values()] if hasattr(estimator, "get_params") else [estimator]
    return all(type(one).__module__.split(".")[0] in KNOWN for one in parts if hasattr(one, "fit"))


# ---------------------------------------------------------------------------------------------------- processes


SHARED: list[Rows] = []  # of this process, where it works for another


def begin_work(rows: Rows) -> None:
    """Take the rows; Ctrl-C is left to the process that owns the study."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    SHARED[:] = [rows]


def shared_task(task: Task) -> Outcome:
    return fit_task(SHARED[0], task)


class Worker:
    """One process and the fit it is at; it starts with its first fit."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.pool: Any = None
        self.task: Any = None
        self.future: Any = None
        self.began, self.grace = 0.0, GRACE

    def start(self) -> Any:
        """Start the process; return what is done when it is there."""
        from joblib.externals.loky import ProcessPoolExecutor

        self.pool = ProcessPoolExecutor(1, initializer=begin_work, initargs=(self.rows,))
        return self.pool.submit(os.getpid)

    def begin(self, task: Task) -> None:
        """Give it a fit."""
        self.grace = GRACE
        if self.pool is None:
            self.start()
            self.grace = START
        self.task, self.began = task, time.perf_counter()
        try:
            self.future = self.pool.submit(shared_task, task)
        except Exception:  # it died while it had nothing to do
            self.pool.shutdown(wait=True, kill_workers=True)
            self.start()
            self.future, self.grace = self.pool.submit(shared_task, task), START

    def overdue(self) -> float:
        """Return in how many seconds its fit must be ended; the processes of a tuned model end with the comparison."""
        if self.future is None or self.task.seconds is None or self.task.candidate.tuned:
            return float("inf")
        return self.began + self.task.seconds + self.grace - time.perf_counter()

    def result(self) -> Outcome:
        """Return the outcome of its fit, which has ended or is ended now."""
        task, future = self.task, self.future
        self.task = self.future = None
        spent = time.perf_counter() - self.began
        if not future.done():
            self.end()
            return failed(task, f"a fit takes longer than {task.seconds:.3g} s", spent)
        try:
            return future.result()
        except (pickle.PicklingError, TypeError, AttributeError):  # it cannot be sent anywhere
            return fit_task(self.rows, task)
        except Exception as problem:  # the process was killed, or ended itself
            self.end()
            return failed(task, f"its process ended in the middle of a fit ({type(problem).__name__})", spent)

    def end(self) -> None:
        """End the process, whatever it is at."""
        if self.pool is not None:
            self.pool.shutdown(wait=True, kill_workers=True)
        self.pool = self.task = self.future = None


class Crew:
    """The processes of a study, from the first that is worth starting to the end of the comparison."""

    def __init__(self, rows: Rows, processes: int) -> None:
        self.processes = processes
        self.workers = [Worker(rows) for _ in range(processes)]
        self.starting: list[Any] = []

    def start(self) -> None:
        """Start the processes, once; they are ready some seconds later."""
        if not self.starting:
            self.starting = [worker.start() for worker in self.workers]

    @property
    def ready(self) -> bool:
        """Whether they were started and are there, or failed to."""
        return bool(self.starting) and all(one.done() for one in self.starting)

    def end(self) -> None:
        """End all processes, whatever they are at."""
        for worker in self.workers:
            worker.end()


def in_processes(crew: Crew, queue: Queue) -> Generator[Outcome, None, None]:
    """Yield the outcomes of fits in other processes; those that nobody waits for any more are ended."""
    from concurrent.futures import FIRST_COMPLETED, wait

    workers = crew.workers
    try:
        while True:
            yield from queue.lost()
            for worker in workers:
                if worker.future is None and queue:
                    worker.begin(queue.take())
                    queue.running += 1
                    yield from queue.lost()
            busy = [worker for worker in workers if worker.future is not None]
            if not busy:
                return
            patience = min(worker.overdue() for worker in busy)
            left = queue.clock.left()
            patience = patience if left is None else min(patience, left)
            wait(
                [worker.future for worker in busy],
                None if patience == float("inf") else max(0.0, patience),
                return_when=FIRST_COMPLETED,
            )
            ended = [worker for worker in busy if worker.future.done() or worker.overdue() <= 0]
            if queue.clock.over and not any(worker.future.done() for worker in ended):
                return
            for worker in ended:
                queue.running -= 1
                yield queue.note(worker.result())
    finally:
        for worker in workers:
            if worker.future is not None:
                worker.end()


def on_cluster(rows: Rows, queue: Queue, address: str) -> Generator[Outcome, None, None]:
    """Yield the outcomes of fits by the workers of a Dask cluster."""
    from distributed import Client, as_completed

    with Client(address, set_as_default=False) as client, client.as_current():
        (there,) = client.scatter([rows], broadcast=True)  # in a list: a tuple would be sent in parts
        queue.processes = max(1, sum(client.nthreads().values()))
        futures = {}
        while queue:
            task = queue.take()
            queue.running += 1
            futures[client.submit(fit_task, there, task, pure=False)] = task
        try:
            for future in as_completed(futures, timeout=queue.clock.left()):
                try:
                    yield future.result()
                except Exception as problem:  # a worker died with it, and so did those that tried again
                    yield failed(futures[future], f"its worker ended ({type(problem).__name__})")
        except TimeoutError:
            return
        finally:
            client.cancel(list(futures))
