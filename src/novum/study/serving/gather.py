"""Small requests that wait together are answered by one call of the model.

A model takes hardly longer for fifty rows than for one: what a call costs is the preparation of its columns. So there is one
thread that takes whatever has come while it was at work, asks the model once, and hands every request its part. Nothing waits for
others to come: a request that finds the thread idle goes alone. Larger requests, and explanations, go to other threads, so that
they do not hold up the small ones.

What waits is bounded by requests and by rows; beyond, the server says that it is busy.
"""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Any, NamedTuple

from novum.study.serving.rows import Refusal

__all__ = ["Gatherer", "Places"]

MOST_ROWS = 256  # of a request that is gathered with others, and of a batch


class Waiting(NamedTuple):
    """A request that waits for its answer."""

    key: Any  # requests of one key can be answered together
    rows: int
    item: Any
    future: Future[Any]


class Places:
    """So many requests with so many rows may be at work or wait."""

    def __init__(self, requests: int, rows: int) -> None:
        self.requests, self.rows, self.lock = requests, rows, Lock()
        self.taken, self.rows_taken = 0, 0

    @property
    def full(self) -> bool:
        """Whether the next request would be refused."""
        return self.taken >= self.requests

    def take(self, rows: int) -> None:
        """Take a place, or refuse; a request may have more rows than all others together where it is the only one."""
        with self.lock:
            if self.taken >= self.requests or (self.taken and self.rows_taken + rows > self.rows):
                raise Refusal(503, "the server is busy; try again later.")
            self.taken, self.rows_taken = self.taken + 1, self.rows_taken + rows

    def leave(self, rows: int) -> None:
        """Give it back."""
        with self.lock:
            self.taken, self.rows_taken = self.taken - 1, self.rows_taken - rows


class Gatherer:
    """Has requests answered together.

    Parameters
    ----------
    work : callable
        Takes a key and a list of items, returns their answers in order.
    """

    def __init__(self, work: Callable[[Any, list[Any]], list[Any]]) -> None:
        self.work, self.lock, self.at_work = work, Lock(), False
        self.waiting: deque[Waiting] = deque()
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="novum-serve-batch")

    def submit(self, key: Any, rows: int, item: Any) -> Future[Any]:
        """Return the future answer to an item."""
        future: Future[Any] = Future()
        with self.lock:
            self.waiting.append(Waiting(key, rows, item, future))
            start, self.at_work = not self.at_work, True
        if start:
            self.thread.submit(self.run)
        return future

    def next_batch(self) -> list[Waiting]:
        """Return the first that waits and others that can be answered with it; none ends the work."""
        with self.lock:
            batch: list[Waiting] = []
            left, total = len(self.waiting), 0
            while left and total < MOST_ROWS:
                one, left = self.waiting.popleft(), left - 1
                if not batch or (one.key == batch[0].key and total + one.rows <= MOST_ROWS):
                    batch.append(one)
                    total += one.rows
                else:
                    self.waiting.append(one)
            self.at_work = bool(batch)
            return batch

    def run(self) -> None:
        """Answer all that waits."""
        while batch := self.next_batch():
            alive = [one for one in batch if one.future.set_running_or_notify_cancel()]
            if not alive:
                continue
            try:
                answers = self.work(alive[0].key, [one.item for one in alive])
            except Exception:  # one of them may spoil it for the others: each alone
                for one in alive:
                    self.alone(one)
            else:
                for one, answer in zip(alive, answers):
                    one.future.set_result(answer)

    def alone(self, one: Waiting) -> None:
        """Answer one request."""
        try:
            one.future.set_result(self.work(one.key, [one.item])[0])
        except BaseException as error:  # whoever asked is told
            one.future.set_exception(error)

    def end(self) -> None:
        """End the thread when all that waits is answered."""
        self.thread.shutdown(wait=True)
