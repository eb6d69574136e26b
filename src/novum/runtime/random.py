"""Random numbers that depend on (seed, purpose, iteration, row, column), never on blocks or threads.

    draw = f(philox(counter = (row, column, iteration, purpose), key = seed))                          (1)
    key of row i in a weighted sample  =  E[i] / w[i],   E[i] ~ Exp(1)                                 (2)
The rows with the m smallest keys are a sample of m without replacement with weights w (Efraimidis and Spirakis
2006). A key knows nothing of the other rows, so blocks keep their own m smallest and merge. The numbers themselves:
cpp/include/novum/runtime/rng.h.
"""

import numbers
from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from sklearn.utils import check_random_state

from novum import _core
from novum.exceptions import ParameterError
from novum.runtime.journal.steps import recording

__all__ = ["Rows", "Stream", "numpy_state", "purpose_code", "seed_of"]

Rows = int | range | slice  # a number of rows from 0 on, or rows start:stop
SEED_BITS = 64


def seed_of(random_state: Any) -> int:
    """Return the 64-bit seed that a `random_state` stands for.

    Parameters
    ----------
    random_state : None, int, numpy.random.SeedSequence, numpy.random.Generator or numpy.random.RandomState
        None: drawn from NumPy's global state, as scikit-learn does, so `np.random.seed` makes a whole script repeat. An
        int or a SeedSequence: always the same seed. A Generator or RandomState: drawn from it, so it advances and the next
        fit differs.

    Examples
    --------
    >>> from novum.runtime.random import seed_of
    >>> seed_of(7)
    7
    """
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool) and int(random_state) >= 0:
        value = int(random_state)
        return value if value < 1 << SEED_BITS else seed_of(np.random.SeedSequence(value))
    if isinstance(random_state, np.random.SeedSequence):
        return int(random_state.generate_state(1, np.uint64)[0])
    if isinstance(random_state, np.random.Generator):
        return recorded_draw(lambda: int(random_state.integers(1 << SEED_BITS, dtype=np.uint64)))
    if random_state is None or isinstance(random_state, np.random.RandomState) or random_state is np.random:
        draws = check_random_state(random_state)
        return recorded_draw(lambda: int(draws.randint(1 << SEED_BITS, dtype=np.uint64)))
    raise ParameterError(
        f"{random_state!r} cannot be used to seed a numpy.random.RandomState instance: give random_state an integer "
        ">= 0, None, a numpy.random.Generator, RandomState or SeedSequence."
    )


def recorded_draw(draw: Callable[[], int]) -> int:
    """Return a seed that nobody could draw again; while a checkpoint is open it is a step, so that a fit goes on with its own."""
    journal = recording()
    return draw() if journal is None else journal.step("seed", draw)


def numpy_state(random_state: Any) -> np.random.RandomState:
    """Return the RandomState that scikit-learn would use: for starts that must be its own draws."""
    if isinstance(random_state, np.random.Generator | np.random.SeedSequence) or recording() is not None:
        return np.random.RandomState(seed_of(random_state) % (1 << 32))
    return check_random_state(random_state)


@lru_cache(maxsize=1024)
def purpose_code(purpose: str) -> int:
    """Return the 32 bits that stand for a purpose, the same in every process and version."""
    return int.from_bytes(blake2b(purpose.encode(), digest_size=4).digest(), "little")


def bounds(rows: Rows) -> tuple[int, int]:
    """Return the first of some rows, and how many they are."""
    if isinstance(rows, slice):
        if rows.start is None or rows.stop is None:
            raise ParameterError(f"rows={rows!r}: a slice of rows needs a start and a stop, as in slice(0, n).")
        these = range(rows.start, rows.stop, rows.step or 1)
    else:
        these = rows if isinstance(rows, range) else range(rows)
    if these.step != 1 or these.start < 0:
        raise ParameterError(f"rows={rows!r}: rows must be consecutive and start at 0 or later.")
    return these.start, len(these)


class Stream:
    """The random numbers of one fit, addressed by purpose, iteration and row.

    Parameters
    ----------
    seed : int
        From `seed_of`.

    Notes
    -----
    Every method takes a `purpose`, a word that sets one use of random numbers apart from every other, and an `iteration`.
    `rows` is a number of rows, or a range or slice of global rows: the numbers of rows a:b are those places of the
    numbers of all rows. `columns=None` gives one number per row, an int a row of that many.

    Examples
    --------
    >>> from novum.runtime.random import Stream
    >>> stream = Stream(0)
    >>> whole = stream.uniform("init", 0, 10)
    >>> bool((stream.uniform("init", 0, range(4, 7)) == whole[4:7]).all())
    True
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def __repr__(self) -> str:
        return f"Stream({self.seed})"

    def _fill(
        self,
        kernel: Callable,
        purpose: str,
        iteration: int,
        rows: Rows,
        columns: int | None,
        dtype: DTypeLike,
        *args: int,
    ) -> NDArray:
        start, count = bounds(rows)
        out = np.empty(count if columns is None else (count, columns), dtype)
        kernel(self.seed, purpose_code(purpose), iteration, start, *args, out)
        return out

    def uniform(
        self, purpose: str, iteration: int, rows: Rows, columns: int | None = None, dtype: DTypeLike = np.float64
    ) -> NDArray:
        """Return numbers uniform on [0, 1)."""
        return self._fill(_core.runtime.random.uniform, purpose, iteration, rows, columns, dtype)

    def normal(
        self, purpose: str, iteration: int, rows: Rows, columns: int | None = None, dtype: DTypeLike = np.float64
    ) -> NDArray:
        """Return standard normal numbers."""
        return self._fill(_core.runtime.random.normal, purpose, iteration, rows, columns, dtype)

    def exponential(
        self, purpose: str, iteration: int, rows: Rows, columns: int | None = None, dtype: DTypeLike = np.float64
    ) -> NDArray:
        """Return standard exponential numbers."""
        return self._fill(_core.runtime.random.exponential, purpose, iteration, rows, columns, dtype)

    def integers(self, purpose: str, iteration: int, rows: Rows, high: int, columns: int | None = None) -> NDArray:
        """Return integers uniform on 0, ..., high - 1 (bias below high / 2^64)."""
        if high < 1:
            raise ParameterError(
                f"high={high!r}: integers are drawn from 0, ..., high - 1, so high must be at least 1."
            )
        return self._fill(_core.runtime.random.below, purpose, iteration, rows, columns, np.int64, high)

    def permutation(self, purpose: str, iteration: int, n: int) -> NDArray:
        """Return a random order of 0, ..., n - 1."""
        out = np.empty(n, np.int64)
        _core.runtime.random.permutation(self.seed, purpose_code(purpose), iteration, out)
        return out

    def keys(self, purpose: str, iteration: int, rows: Rows, weight: NDArray | None = None) -> NDArray:
        """Return the keys (2); rows of weight zero have an infinite key."""
        keys = self.exponential(purpose, iteration, rows)
        if weight is None:
            return keys
        with np.errstate(divide="ignore"):
            return keys / weight

    def choice(self, purpose: str, iteration: int, rows: Rows, size: int, weight: NDArray | None = None) -> NDArray:
        """Return `size` different rows, drawn in turn with probability proportional to `weight`.

        Blocks that each draw `size` of their own rows and merge by `keys` draw the same rows as one call over all
        of them.
        """
        start, count = bounds(rows)
        possible = count if weight is None else int(np.count_nonzero(weight))
        if size > possible:
            raise ParameterError(f"size={size}: only {possible} of {count} rows have a positive weight; draw fewer.")
        keys = self.keys(purpose, iteration, rows, weight)
        smallest = np.argpartition(keys, size - 1)[:size] if 0 < size < count else np.arange(count)
        return start + smallest[np.lexsort((smallest, keys[smallest]))][:size]

    def choice_with_replacement(self, purpose: str, iteration: int, size: int, weight: NDArray) -> NDArray:
        """Return `size` rows, each drawn with probability proportional to `weight`; draw k uses row k of the stream."""
        cumulative = np.cumsum(weight, dtype=np.float64)
        if not cumulative.size or not 0 < cumulative[-1] < np.inf:
            raise ParameterError("weight: needs a positive, finite sum to draw rows by.")
        drawn = np.searchsorted(cumulative, self.uniform(purpose, iteration, size) * cumulative[-1], side="right")
        return np.minimum(drawn, np.flatnonzero(weight)[-1])  # u * total may round up to the total
