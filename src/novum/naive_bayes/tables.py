"""Tables of classes by features, made by several threads: with the words of a language they are what small data cost.

A table has the classes side by side in memory (column-major), as scores of sparse rows want them.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count

__all__ = ["filled_table", "log_shares", "of_columns"]

WIDE_TABLE = 2**16  # cells from which a second thread is worth its call: mostly the first touch of the memory


def of_columns(values: Any, part: slice) -> Any:
    """Return what belongs to some columns: of a number or of one value per class all, else those columns."""
    array = np.asarray(values)
    return array if array.ndim == 0 or array.shape[-1] == 1 else array[..., part]


def filled_table(shape: tuple[int, ...], fill: Callable[[NDArray, slice], None]) -> NDArray[np.float64]:
    """Return a table (k, d) after `fill(its columns, which)` has written all of them, part by part."""
    k, d = shape
    table = np.empty((d, k))
    parts = min(thread_count(None), d) if k * d >= WIDE_TABLE else 1
    edges = [d * i // parts for i in range(parts + 1)]

    def run(i: int) -> None:
        with np.errstate(divide="ignore", invalid="ignore"):  # the logarithm of zero
            fill(table[edges[i] : edges[i + 1]].T, slice(edges[i], edges[i + 1]))

    for _ in map_ordered(run, range(parts), parts):
        pass
    return table.T


def log_shares(
    count: NDArray, alpha: Any, log_total: NDArray, taken_from: NDArray | None = None
) -> NDArray[np.float64]:
    """Return log(count + alpha) - log_total, or with `taken_from` (d,) log(taken_from - count + alpha) - log_total."""

    def fill(table: NDArray, part: slice) -> None:
        pull = of_columns(alpha, part)
        if taken_from is None:
            np.add(count[:, part], pull, out=table)
        else:
            np.subtract(taken_from[part] + pull, count[:, part], out=table)
        np.log(table, out=table)
        np.subtract(table, of_columns(log_total, part), out=table)

    return filled_table(count.shape, fill)
