"""How far a pass over files has come, told to whoever listens; nothing is counted while nobody does.

    seconds_left = seconds (n_rows - rows) / rows                                                      (1)

where `rows` of `n_rows` were seen in `seconds`. A listener belongs to the thread, and to the task, that set it.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

__all__ = ["PassProgress", "listen_to_passes", "pass_listener", "reported"]

PAUSE = 0.1  # seconds between two reports: as often as a bar is drawn


class PassProgress(NamedTuple):
    """Rows seen by the pass that is under way."""

    rows: int
    n_rows: int | None  # None where the files do not tell and no pass has counted them
    seconds: float  # since the pass began

    @property
    def seconds_left(self) -> float | None:
        """What the rest will take, (1); None where the number of rows is not known."""
        return None if self.n_rows is None else self.seconds * (self.n_rows - self.rows) / self.rows


Listener = Callable[[PassProgress], Any]
pass_listener: ContextVar[Listener | None] = ContextVar("listener to passes", default=None)


@contextmanager
def listen_to_passes(listener: Listener | None) -> Iterator[None]:
    """Let `listener` hear of every pass over files meanwhile, now and then and at its end; None: nobody.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import novum
    >>> from novum.fold.pass_progress import listen_to_passes
    >>> from novum.linear_model import LinearRegression
    >>> path = os.path.join(tempfile.mkdtemp(), "rows.npy")
    >>> np.save(path, np.eye(3))
    >>> heard = []
    >>> with listen_to_passes(heard.append):
    ...     _ = LinearRegression().fit(novum.scan(path, target=-1))
    >>> heard[-1].rows, heard[-1].n_rows
    (3, 3)
    """
    token = pass_listener.set(listener)
    try:
        yield
    finally:
        pass_listener.reset(token)


def reported(
    listener: Listener, run: Callable[[Iterable], Iterator], batches: Iterable, n_rows: int | None
) -> Iterator:
    """Yield the results of `run(batches)`; tell the listener how many rows they stand for."""
    ends: list[int] = []

    def noted() -> Iterator:
        for batch in batches:
            ends.append(batch.start + batch.rows)
            yield batch

    begin = last = time.monotonic()
    done = 0
    results = run(noted())
    try:
        for number, result in enumerate(results):
            yield result
            done, now = ends[number], time.monotonic()
            if now - last > PAUSE:
                listener(PassProgress(done, n_rows, now - begin))
                last = now
        listener(PassProgress(done, done, time.monotonic() - begin))
    finally:
        results.close()  # type: ignore[attr-defined]
