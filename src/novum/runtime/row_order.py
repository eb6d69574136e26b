"""A random order of rows that depends on a key and the number of each row alone: the same wherever the rows lie.

    h(i) = s(s(key) + i g)   modulo 2^64,   g = 0x9E3779B97F4A7C15                                     (1)
s is SplitMix64 (Steele, Lea and Flood 2014). The order is the stable argsort of h: it knows nothing of blocks or workers.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["FIRST_FACTOR", "GOLDEN", "MASK", "SECOND_FACTOR", "row_keys"]

GOLDEN = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio, odd
FIRST_FACTOR, SECOND_FACTOR = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB  # of SplitMix64
MASK = 2**64 - 1


def split_mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return SplitMix64 of every value: the golden step and the finalizer."""
    z = values + np.uint64(GOLDEN)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(FIRST_FACTOR)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(SECOND_FACTOR)
    return z ^ (z >> np.uint64(31))


def row_keys(key: int, start: int, rows: int) -> NDArray[np.uint64]:
    """Return the keys (1) of rows `start` to `start + rows`.

        h(i) = s(s(key) + i g)   modulo 2^64,   g = 0x9E3779B97F4A7C15    (1)

    Examples
    --------
    >>> from novum.runtime.row_order import row_keys
    >>> bool((row_keys(3, 0, 5)[2:] == row_keys(3, 2, 3)).all())
    True
    """
    base = split_mix(np.array([key & MASK], np.uint64))
    numbers = np.uint64(start) + np.arange(rows, dtype=np.uint64)
    return split_mix(base + numbers * np.uint64(GOLDEN))
