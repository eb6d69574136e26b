"""Rows held back to know when to stop, the same ones in every home of the data.

Up to `SPLIT_ROWS` rows they are those of scikit-learn's splitter, so a fit agrees with its class; beyond, a row is held back
by a random number of its own, which no other row plays a part in: nothing grows with the number of rows.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from novum.runtime.random import Stream

__all__ = ["Holding", "holding_of", "holds", "split_rows", "split_seed"]

SPLIT_ROWS = 2**20  # a list of so many rows is 8 MiB, for a moment
LARGEST_SEED = np.iinfo(np.uint32).max  # of scikit-learn's splitter
PURPOSE = "rows held back"


class Holding(NamedTuple):
    """Which rows are held back."""

    bits: NDArray | None  # one bit for each row; None: drawn at random
    seed: int
    share: float


def split_seed(seed: int) -> int:
    """Return the seed by which scikit-learn's class holds rows back when its random_state is the number `seed`."""
    return int(np.random.RandomState(seed % (LARGEST_SEED + 1)).randint(LARGEST_SEED, dtype="u8"))


def split_rows(
    rows: NDArray, share: float | int, classes: NDArray | None, seed: int, n_rows: int
) -> tuple[NDArray, NDArray]:
    """Return the sorted rows to train on and those to hold back, of `rows` out of `n_rows`; stratified by `classes` if given."""
    if n_rows <= SPLIT_ROWS:
        stratify = None if classes is None else classes[rows]
        train, held = train_test_split(rows, test_size=share, stratify=stratify, random_state=split_seed(seed))
        return np.sort(train), np.sort(held)
    out = holds(random_holding(share, seed, n_rows), 0, n_rows)[rows]
    return rows[~out], rows[out]


def random_holding(share: float | int, seed: int, n_rows: int) -> Holding:
    """Return the rule for many rows; a whole number of rows is held back on average."""
    return Holding(None, seed, share / n_rows if isinstance(share, int | np.integer) else float(share))


def holding_of(rows: NDArray | None, share: float | int, classes: NDArray | None, seed: int, n_rows: int) -> Holding:
    """Return the same choice as `split_rows`, for blocks; beyond `SPLIT_ROWS` neither rows nor classes are looked at."""
    if n_rows > SPLIT_ROWS:
        return random_holding(share, seed, n_rows)
    assert rows is not None
    out = np.zeros(n_rows, bool)
    out[split_rows(rows, share, classes, seed, n_rows)[1]] = True
    return Holding(np.packbits(out), seed, 0.0)


def holds(holding: Holding, start: int, count: int) -> NDArray:
    """Return which of the rows from `start` on are held back."""
    if holding.bits is None:
        return Stream(holding.seed).uniform(PURPOSE, 0, range(start, start + count)) < holding.share
    first = start // 8
    bits = np.unpackbits(holding.bits[first : (start + count + 7) // 8])
    return bits[start - 8 * first : start - 8 * first + count].astype(bool)
