"""The passes of an iterative fit, each as a fitted copy of the estimator, while it still fits.

The fit runs in a thread of its own and waits when the reader is behind; a reader that leaves stops it at its next pass.
"""

from collections.abc import Iterator
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Any, NamedTuple

__all__ = ["Pass", "passes"]

WAITING = 64  # passes that the fit may be ahead
PATIENCE = 0.02  # seconds between two looks at whether the reader has left


class Pass(NamedTuple):
    """State of a fit: after pass `n`, or at the start, where `n` is 0."""

    n: int
    fitted: Any
    objective: float | None


class Listener:
    """A callback that hands every pass to a queue."""

    def __init__(self) -> None:
        self.queue: Queue[Pass | Exception | None] = Queue(WAITING)
        self.left = Event()

    def setup(self, estimator: Any, context: Any) -> None: ...

    def teardown(self, estimator: Any, context: Any) -> None: ...

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None: ...

    def on_fit_task_end(self, estimator: Any, context: Any, *, fitted_estimator: Any = None) -> bool:
        n = getattr(context, "n_iter", None)
        if n is not None and fitted_estimator is not None:
            self.put(Pass(n, fitted_estimator, getattr(context, "objective", None)))
        return self.left.is_set()

    def put(self, item: Pass | Exception | None) -> None:
        """Hand something over, unless the reader has left."""
        while not self.left.is_set():
            try:
                self.queue.put(item, timeout=PATIENCE)
                return
            except Full:
                continue

    def fit(self, estimator: Any, data: tuple[Any, ...]) -> None:
        try:
            estimator.fit(*data)
        except Exception as error:
            self.put(error)
        else:
            self.put(None)


def passes(estimator: Any, *data: Any) -> Iterator[Pass]:
    """Fit the estimator to data and yield its passes; afterwards it is fitted as by a plain `fit`."""
    listener = Listener()
    thread = Thread(target=listener.fit, args=(estimator.set_callbacks(listener), data), daemon=True)
    thread.start()
    try:
        while True:
            try:
                item = listener.queue.get(timeout=1)
            except Empty:
                continue
            if item is None:
                return
            if isinstance(item, Exception):
                raise item
            yield item
    finally:
        listener.left.set()
        thread.join()
        estimator.set_callbacks()
