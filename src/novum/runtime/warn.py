"""One way to warn: at the line of the caller's own code, whatever lies between it and the place that noticed.

Python shows a warning once per place. A warning that pointed into novum, or into the search or pipeline that called novum, would
be shown for the first model of a session and be silent for all others.
"""

import sys
import warnings
from pathlib import Path

__all__ = ["warn"]

OURS = (str(Path(__file__).parents[1]) + "/", "<")  # our own files, and code that was made at run time
# What calls an estimator on somebody's behalf. In a thread of a pool nobody else is on the stack: then the first of these is named.
BETWEEN = frozenset(
    (
        "sklearn",
        "joblib",
        "concurrent",
        "threading",
        "multiprocessing",
        "dask",
        "distributed",
        "contextlib",
        "functools",
    )
)


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the user's code that called novum."""
    frame, level, first = sys._getframe(1), 2, 0
    while frame is not None:
        if not frame.f_code.co_filename.startswith(OURS):
            first = first or level
            if frame.f_globals.get("__name__", "").partition(".")[0] not in BETWEEN:
                break
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level if frame is not None else first or 2)
