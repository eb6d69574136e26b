"""How long a study may take, and how a computation is ended when its time is over.

A study that nobody gave a time limit has the usual one for its size, so that it ends in minutes: with c cells (rows x columns)

    t(c) = min(100 s max(1, c / 10^6)^0.5, 1 h)                                                                     (1)

It is far above what most tables need, so it cuts nothing but what is unusually slow, and the study says so.
"""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Clock", "TimeIsUp", "seconds_to_finish", "slowness_since", "usual_seconds", "within"]

USUAL_SECONDS, USUAL_CELLS, GROWTH, MOST_SECONDS = 100.0, 1e6, 0.5, 3600.0
FOR_THE_END, LEAST_FOR_THE_END, MOST_FOR_THE_END = (
    0.1,
    1.5,
    0.4,
)  # share, seconds, share for the explanation and the report
FOR_LAST, LEAST_FOR_LAST = (
    0.5,
    0.05,
)  # share of the time for the last fits, however late it is; the second where a user set it
COLUMNS_A_SECOND, ROWS_A_SECOND = 500, 150_000  # that the report describes, and that are judged and remembered
FOR_EXPLAINING, LOOKING = (
    0.08,
    1.6,
)  # share of the fits' time for importances, and times as long with all else that is found
LEAST_OF_THE_END = 1 / 3  # of the time for the end that the report has, whatever was before
MOST_SLOWNESS, LEAST_WORK = 5.0, 0.05  # of the machine, and seconds of work below which it cannot be measured


class TimeIsUp(BaseException):
    """What `within` raises; no `Exception`, since models catch those."""


class Clock:
    """How long there is for fits: until `at`, of `time.perf_counter`; None is for ever.

    `end` is how many seconds there are for what comes after the fits. Where a user set the limit, all of it keeps to it: the last
    fits may take from the explanation, the explanation nothing from the report.
    """

    def __init__(
        self, start: float, limit: float | None, *, set_by_user: bool = True, slowness: float = 1.0, end: float = 0.0
    ) -> None:
        self.start, self.seconds, self.slowness = start, limit, slowness
        self.end = end
        self.limit = None if limit is None else start + limit
        self.at = self.limit
        self.set_by_user = set_by_user and limit is not None  # whether the user set it

    def reserve(self, seconds: float) -> None:
        """Keep some seconds at the end for other things."""
        if self.limit is not None:
            self.at = self.limit - seconds

    def left(self) -> float | None:
        """Return the seconds until then."""
        return None if self.at is None else max(0.0, self.at - time.perf_counter())

    def until(self) -> float | None:
        """Return when the last fits should be done: a limit that nobody set is exceeded rather than a worse model kept."""
        if self.limit is None or self.seconds is None:
            return None
        return max(self.limit, time.perf_counter() + (LEAST_FOR_LAST if self.set_by_user else FOR_LAST) * self.seconds)

    def report_at(self) -> float | None:
        """Return when the report must begin; None where nobody set a limit."""
        if self.limit is None or self.seconds is None or not self.set_by_user:
            return None
        for_report = max(LEAST_OF_THE_END * self.end, self.end - LOOKING * FOR_EXPLAINING * self.seconds)
        return self.limit + self.end - for_report

    def to_explain(self, most: float) -> float:
        """Return the seconds for the importances: their share, or what the fits have left of it."""
        share = most if self.seconds is None else min(most, FOR_EXPLAINING * self.seconds)
        at = self.report_at()
        return share if at is None else min(share, max(0.0, at - time.perf_counter()) / LOOKING)

    @property
    def over(self) -> bool:
        """Whether none are left."""
        return self.left() == 0.0


def usual_seconds(n_rows: int, n_columns: int) -> float:
    """Return (1)."""
    return min(USUAL_SECONDS * max(1.0, n_rows * n_columns / USUAL_CELLS) ** GROWTH, MOST_SECONDS)


def seconds_to_finish(limit: float, n_rows: int, n_columns: int, slowness: float) -> float:
    """Return how much of a study's time is kept for the explanation and the report."""
    return min(
        max(
            FOR_THE_END * limit,
            (LEAST_FOR_THE_END + n_columns / COLUMNS_A_SECOND + n_rows / ROWS_A_SECOND) * slowness,
        ),
        MOST_FOR_THE_END * limit,
    )


def slowness_since(wall: float, cpu: float) -> float:
    """Return how many seconds pass for one of work, since times of `perf_counter` and `process_time`: the load of the machine."""
    worked = time.process_time() - cpu
    return min(max((time.perf_counter() - wall) / worked, 1.0), MOST_SLOWNESS) if worked > LEAST_WORK else 1.0


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """Raise TimeIsUp in the block after some seconds; kernels that answer Ctrl-C answer this.

    It takes a timer signal, which only the main thread can have, and which not every system knows; elsewhere the block runs to
    its end.
    """
    able = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if seconds is None or not able:
        yield
        return

    def end(number: int, frame: Any) -> None:
        raise TimeIsUp

    start, before = time.perf_counter(), signal.signal(signal.SIGALRM, end)
    others, _ = signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3))  # another's timer goes on afterwards
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
        if others:
            signal.setitimer(signal.ITIMER_REAL, max(others - (time.perf_counter() - start), 1e-3))
