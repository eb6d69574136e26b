"""Many fits in as many processes as are worth it, to be stopped at any time.

Every process has one fit at a time and a line of its own: one that dies, or does not end in time, loses that fit and is
replaced, and the others know nothing of it. Rows are sent to a process once, not with every fit. While processes start, which
takes seconds, this one goes on with fits. A model that failed on one fold is not tried on the others. Nothing depends on the
number of processes.
"""

import math
import os
import pickle
import signal
import threading
import time
from collections import deque
from collections.abc import Generator, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any

from joblib.externals.loky.backend import get_context
from joblib.externals.loky.backend.reduction import dumps
from joblib.externals.loky.backend.utils import kill_process_tree

from novum.report.numbers import num
from novum.study.comparison.clock import Clock
from novum.study.comparison.cluster import connected
from novum.study.comparison.fits import CandidateFit, Outcome, Rows, failed, fit_task

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
    except AttributeError:  # only Linux has it
        return os.cpu_count() or 1


class Queue:
    """Fits to be made: each with the seconds it may take, and none of a model that has failed."""

    def __init__(self, tasks: list[CandidateFit], processes: int, clock: Clock) -> None:
        self.waiting, self.processes, self.clock = deque(tasks), processes, clock
        self.errors: dict[int, tuple[str, bool]] = {}  # and whether the clock is to blame
        self.running = 0

    def __len__(self) -> int:
        return len(self.waiting)

    def take(self) -> CandidateFit:
        """Return the next, with no more seconds than are left."""
        task, left = self.waiting.popleft(), self.clock.left()
        if left is None:
            return task
        return task._replace(seconds=left if task.seconds is None else min(left, task.seconds))

    def lost(self) -> Iterator[Outcome]:
        """Yield the outcomes of the next ones that need not be tried."""
        while self.waiting and self.waiting[0].model in self.errors:
            task = self.waiting.popleft()
            error, late = self.errors[task.model]
            yield failed(task, error, late=late)

    def note(self, outcome: Outcome) -> Outcome:
        """Remember a model that failed; return the outcome."""
        if outcome.error:
            self.errors.setdefault(outcome.model, (outcome.error, outcome.late))
        return outcome


def outcomes(
    rows: Rows, tasks: list[CandidateFit], crew: "Crew", clock: Clock, cluster: str | None = None, least: int = 0
) -> Generator[Outcome, None, None]:
    """Yield the outcomes as they come, until all are there or the time is over; the first `least` are made in any case,
    unless they are of a model that may never end. What the clock has ended of their models is as if it had not begun."""
    needed = {(task.model, task.fold) for task in tasks[:least] if is_known(task.candidate.estimator)}
    waited = {model for model, _ in needed}
    made: set[tuple[int, int]] = set()
    if cluster is not None and least and clock.over:  # a wrong address is named also where no time is left for it
        with connected(cluster, 0.0):
            pass
    for outcome in streamed(rows, tasks, crew, clock, cluster):
        if not outcome.late or outcome.model not in waited:
            made.add((outcome.model, outcome.fold))
            yield outcome
    for task in tasks[:least]:
        if (task.model, task.fold) in needed - made:
            yield fit_task(rows, task._replace(seconds=None))


def streamed(
    rows: Rows, tasks: list[CandidateFit], crew: "Crew", clock: Clock, cluster: str | None
) -> Generator[Outcome, None, None]:
    """Yield outcomes until all are there or the time is over."""
    queue = Queue(tasks, crew.processes, clock)
    if clock.over or not tasks:
        return
    if cluster is not None:
        yield from on_cluster(rows, queue, cluster)
        return
    start, cells = time.perf_counter(), rows.frame.shape[0] * rows.frame.shape[1]
    here = threading.current_thread() is threading.main_thread()  # where a fit can be ended
    done, elsewhere = 0, crew.processes > 1 or (clock.set_by_user and not here)
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


class CannotBeSent(Exception):
    """A fit that no other process can be given."""


def make_fits(line: Connection) -> None:
    """Work for another process: the rows come first, then one fit after the other, until it hangs up.

    The first message says that this process is there; None that a fit could not be understood. Ctrl-C is left to the process
    that owns the study.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        line.send_bytes(b"")
        rows = pickle.loads(line.recv_bytes())
        while True:
            message = line.recv_bytes()
            try:
                answer = dumps(fit_task(rows, pickle.loads(message)))
            except (pickle.PickleError, TypeError, AttributeError, ImportError):
                answer = pickle.dumps(None)
            line.send_bytes(answer)
    except (EOFError, OSError):
        return


class Worker:
    """One process and the fit it is at; it starts with its first fit."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.process: Any = None
        self.line: Any = None
        self.task: CandidateFit | None = None
        self.message: Any = b""
        self.there = False  # whether it has said so
        self.began, self.grace = 0.0, GRACE

    def start(self) -> None:
        """Start the process, which says when it is there."""
        context = get_context("loky")  # its processes do not run the user's script again
        self.line, theirs = context.Pipe()
        self.process, self.there = context.Process(target=make_fits, args=(theirs,)), False
        self.process.start()
        theirs.close()  # so that the line ends when the process does

    @property
    def started(self) -> bool:
        """Whether it is there, or ended while it started."""
        return self.there or self.line.poll()

    def begin(self, task: CandidateFit) -> None:
        """Give it a fit."""
        try:
            self.message = dumps(task)
        except (pickle.PickleError, TypeError, AttributeError) as problem:
            raise CannotBeSent from problem
        if self.there:
            try:
                self.line.send_bytes(self.message)
            except OSError:  # it died while it had nothing to do
                self.end()
        if self.process is None:
            self.start()
        self.task, self.began, self.grace = task, time.perf_counter(), GRACE if self.there else START

    def overdue(self) -> float:
        """Return in how many seconds its fit must be ended."""
        if self.task is None or self.task.seconds is None:
            return float("inf")
        return self.began + self.task.seconds + self.grace - time.perf_counter()

    def receive(self) -> Outcome | None:
        """Take what it has said: the outcome of its fit, or that it is there for the first."""
        task = self.task
        assert task is not None
        try:
            said = self.line.recv_bytes()
            if not self.there:
                own = self.rows if self.rows.prepared is None else self.rows._replace(prepared={})
                self.line.send_bytes(dumps(own))
                self.line.send_bytes(self.message)
                self.there, self.began, self.grace = True, time.perf_counter(), GRACE
                return None
        except (EOFError, OSError):  # it was killed, or ended itself
            spent, code = time.perf_counter() - self.began, self.end()
            return failed(task, f"its process ended in the middle of a fit (exit code {code})", spent)
        self.task = None
        outcome = pickle.loads(said)
        return fit_task(self.rows, task) if outcome is None else outcome

    def give_up(self) -> Outcome:
        """End its fit, which takes too long."""
        task, spent = self.task, time.perf_counter() - self.began
        assert task is not None
        self.end()
        return failed(task, f"a fit takes longer than {num(task.seconds or 0.0):.3g} s", spent, late=True)

    def end(self) -> int | None:
        """End the process, whatever it is at, and all that it has started; return its exit code."""
        code = None
        if self.process is not None:
            kill_process_tree(self.process)
            code = self.process.exitcode
            self.line.close()
        self.process = self.line = self.task = None
        self.there = False
        return code


class Crew:
    """The processes of a study, from the first that is worth starting to the end of the comparison."""

    def __init__(self, rows: Rows, processes: int) -> None:
        self.processes = processes
        self.workers = [Worker(rows) for _ in range(processes)]
        self.starting = False

    def start(self) -> None:
        """Start the processes, once; they are ready some seconds later."""
        if not self.starting:
            for worker in self.workers:
                worker.start()
            self.starting = True

    @property
    def ready(self) -> bool:
        """Whether they were started and are there, or failed to."""
        return self.starting and all(worker.process is None or worker.started for worker in self.workers)

    def end(self) -> None:
        """End all processes, whatever they are at."""
        for worker in self.workers:
            worker.end()


def in_processes(crew: Crew, queue: Queue) -> Generator[Outcome, None, None]:
    """Yield the outcomes of fits in other processes; those that nobody waits for any more are ended."""
    workers = crew.workers
    try:
        while True:
            yield from queue.lost()
            for worker in workers:
                while worker.task is None and queue:
                    task = queue.take()
                    try:
                        worker.begin(task)
                        queue.running += 1
                    except CannotBeSent:
                        yield queue.note(fit_task(worker.rows, task))
                    yield from queue.lost()
            busy = [worker for worker in workers if worker.task is not None]
            if not busy:
                return
            patience, left = min(worker.overdue() for worker in busy), queue.clock.left()
            patience = patience if left is None else min(patience, left)
            ready = wait([worker.line for worker in busy], None if patience == math.inf else max(0.0, patience))
            if queue.clock.over and not ready:
                return
            for worker in busy:
                outcome = (
                    worker.receive() if worker.line in ready else worker.give_up() if worker.overdue() <= 0 else None
                )
                if outcome is not None:
                    queue.running -= 1
                    yield queue.note(outcome)
    finally:
        for worker in workers:
            if worker.task is not None:
                worker.end()


def on_cluster(rows: Rows, queue: Queue, address: str) -> Generator[Outcome, None, None]:
    """Yield the outcomes of fits by the workers of a Dask cluster."""
    from distributed import as_completed

    with connected(address, queue.clock.left()) as client:
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
