"""Numbers of draws, steps and chains that are requested from a method."""

from typing import Any

import numpy as np

from novum.exceptions import ParameterError
from novum.runtime.random import seed_of

__all__ = ["check_counts", "legacy_state"]


def check_counts(method: str, **counts: Any) -> None:
    """Raise unless every count is a whole number of 1 or more."""
    for name, value in counts.items():
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
            raise ParameterError(f"{method}({name}={value!r}): give a whole number of 1 or more.")


def legacy_state(random_state: Any) -> np.random.RandomState:
    """Return the RandomState that a `random_state` of any kind stands for."""
    return np.random.RandomState(seed_of(random_state) % (1 << 32))
