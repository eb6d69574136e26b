"""Parameters that are numbers of things to be kept: refused by name where they cannot fit into the machine's memory.

A bound from below on the bytes is enough: 10^30 trees, each of a kilobyte or more, need no exact count.
"""

import numbers
import os
from functools import cache
from typing import Any

import numpy as np

from novum.exceptions import ParameterError

__all__ = ["check_sizes", "memory_bytes"]

# Least bytes that one more of each takes: a tree with its arrays, a number for every fold, a number for every row.
PER_TREE, PER_PATH, PER_CELL = 1000, 40, 8
KEPT = {
    "n_estimators": PER_TREE,
    "alphas": PER_PATH,
    "n_alphas": PER_PATH,
    "Cs": PER_PATH,
    "min_categories": 3 * PER_CELL,
}
PER_ROW = ("centers", "n_experts")


def memory_bytes() -> int:
    """Return the memory of this machine, or a petabyte where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 2**50


@cache
def counted(cls: Any) -> tuple[str, ...]:
    """Return the parameters of a class that are numbers of things to be kept."""
    return tuple(name for name in (*KEPT, *PER_ROW) if name in cls._domains)


def check_sizes(estimator: Any, X: Any) -> None:
    """Raise ParameterError for the first parameter that needs more memory than the machine has."""
    state = vars(estimator)
    for name in counted(estimator.__class__):
        value = state.get(name)
        if not isinstance(value, numbers.Integral) or isinstance(value, bool | np.bool_) or value < 10**6:
            continue
        shape = getattr(X, "shape", None)
        rows = int(shape[0]) if shape and isinstance(shape[0], numbers.Integral) else 1
        unit = KEPT.get(name, PER_CELL * rows)
        if type(estimator)._domains[name].contains(0.5):  # a penalty, not a number of them
            continue
        if (needed := int(value) * unit) > memory_bytes():
            raise ParameterError(
                f"The {name!r} parameter of {type(estimator).__name__} is too large. Got {value}: it would take {needed:.3g} bytes"
                f" of memory at least, and this machine has {memory_bytes():.3g}. Give a smaller number."
            )
