"""Spoiling a data set on purpose: wrong values, wrong labels, columns that mean nothing."""

import numpy as np
from numpy.typing import ArrayLike

from novum.exceptions import DataError
from novum.runtime.checks import check_count, check_number
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Seed

__all__ = ["add_noise"]


def add_noise(
    X: ArrayLike,
    y: ArrayLike,
    *,
    values: float = 0.0,
    labels: float = 0.0,
    irrelevant: int = 0,
    target_deviation: float = 0.0,
    random_state: Seed = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return a copy of (X, y) with noise of the chosen kinds.

    Parameters
    ----------
    X : array of shape (n, d)
        Numbers, or objects for categories.
    y : array of shape (n,)
    values : float, default=0.0
        Share of cells that get the value of another row of their column.
    labels : float, default=0.0
        Share of rows whose label becomes one of the other classes, each as likely.
    irrelevant : int, default=0
        How many columns of standard normal numbers (for objects: of the categories "a" to "d") to append.
    target_deviation : float, default=0.0
        Standard deviation of Gaussian noise on a real target: (x, c(x) + e).
    random_state : int, Generator, RandomState, SeedSequence or None

    Examples
    --------
    >>> import numpy as np
    >>> from novum.datasets import add_noise, make_boolean
    >>> X, y = make_boolean("and", 10, return_X_y=True)
    >>> spoilt, flipped = add_noise(X, y, labels=0.1, irrelevant=2, random_state=0)
    >>> spoilt.shape, bool(0.08 < np.mean(flipped != y) < 0.12)
    ((1024, 12), True)
    """
    owner = "add_noise"
    table, target = np.array(X), np.array(y)
    if table.ndim != 2 or target.shape != (table.shape[0],):
        raise DataError(
            f"{owner}: X has shape {table.shape} and y {target.shape}; give a table and one target per row."
        )
    check_number(owner, "values", values, 0, 1)
    check_number(owner, "labels", labels, 0, 1)
    check_number(owner, "target_deviation", target_deviation, 0)
    check_count(owner, "irrelevant", irrelevant, 0)
    stream = Stream(seed_of(random_state))
    n, d = table.shape
    if values:
        other = stream.integers("other row", 0, n, n, d)
        spoil = stream.uniform("cell", 0, n, d) < values
        table = np.where(spoil, np.take_along_axis(table, other, axis=0), table)
    if labels:
        classes, code = np.unique(target, return_inverse=True)
        if classes.size < 2:
            raise DataError(f"{owner}(labels={labels!r}): the target has one class only; there is no other to flip to.")
        away = 1 + stream.integers("other class", 0, n, classes.size - 1)
        code = np.where(stream.uniform("label", 0, n) < labels, (code + away) % classes.size, code)
        target = classes[code]
    if target_deviation:
        if target.dtype.kind not in "biuf":
            raise DataError(f"{owner}(target_deviation={target_deviation!r}): labels cannot carry a sum; use labels=.")
        target = target + target_deviation * stream.normal("target", 0, n)
    if irrelevant:
        if table.dtype.kind in "biuf":
            extra = stream.normal("irrelevant", 0, n, irrelevant)
        else:
            extra = np.array(list("abcd"), dtype=object)[stream.integers("irrelevant", 0, n, 4, irrelevant)]
        table = np.hstack([table, extra])
    return table, target
