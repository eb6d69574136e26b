"""Splits: the rows put away for choosing and for the final test, and a picture of any splitter's folds."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv, train_test_split
from sklearn.utils import indexable

from novum.evaluation.resampling.equal_lengths import together
from novum.exceptions import DataError, ParameterError
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.style import series
from novum.runtime import sklearn_private
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Axes, Numbers, Rows, Seed, Splitter, Target

__all__ = ["holdout_split", "plot_folds"]

ROLES = {"train": 5, "validation": 1, "test": 3}  # places of their colors
SLACK = 1e-9  # of fractions that should add up to one


def part_sizes(sizes: Any, n: int) -> list[int]:
    """Return whole numbers of rows: those given, or fractions rounded so that they add up."""
    try:
        parts = np.asarray(sizes, np.float64)
    except (TypeError, ValueError):
        parts = np.empty(0)
    if parts.ndim != 1 or len(parts) < 2 or not np.isfinite(parts).all() or parts.min() <= 0:
        raise ParameterError(
            f"holdout_split(sizes={sizes!r}): give two or more positive fractions, or numbers of rows."
        )
    whole = all(isinstance(s, int | np.integer) for s in sizes)
    if whole:
        counts = parts.astype(int)
    else:
        if parts.sum() > 1 + SLACK:
            raise ParameterError(
                f"holdout_split(sizes={sizes!r}): the fractions sum to {parts.sum():g}, more than one."
            )
        ends = np.floor(np.cumsum(parts) * n + 0.5).astype(int)
        counts = np.diff(ends, prepend=0)
    if counts.sum() > n or counts.min() < 1:
        raise DataError(f"holdout_split(sizes={sizes!r}): {n} rows cannot be split into {counts.tolist()}.")
    return counts.tolist()


def group_parts(groups: NDArray, counts: list[int], order: NDArray) -> list[NDArray]:
    """Return rows by part, groups kept whole: groups in random order, each part ended where its size is met best."""
    names, code, size = np.unique(groups, return_inverse=True, return_counts=True)
    if len(names) < len(counts):
        raise DataError(f"holdout_split: {len(names)} groups cannot fill {len(counts)} parts; groups stay whole.")
    shuffled = np.argsort(order[: len(names)], kind="stable")
    covered = np.cumsum(size[shuffled])
    ends, start = [], 0
    for j, target in enumerate(np.cumsum(counts)):
        last = len(names) - (len(counts) - 1 - j)  # every later part needs a group
        choices = np.arange(start + 1, last + 1)
        start = int(choices[np.abs(covered[choices - 1] - target).argmin()])
        ends.append(start)
    bounds = [0, *ends]
    return [np.flatnonzero(np.isin(code, shuffled[a:b])) for a, b in zip(bounds, ends)]


def holdout_split(
    *arrays: Any,
    sizes: Sequence[Any] = (0.4, 0.3, 0.3),
    stratify: Numbers | None = None,
    groups: Target = None,
    shuffle: bool = True,
    random_state: Seed = None,
) -> list[Any]:
    """Split rows into training, validation and test parts, or any number of disjoint parts.

    Parameters
    ----------
    *arrays : array-likes or frames of equal length
    sizes : tuple, default=(0.4, 0.3, 0.3)
        Fractions of the rows, or numbers of rows, for two or more parts. Rows beyond them are left out.
    stratify : array-like of shape (n_samples,), default=None
        Labels whose shares every part keeps.
    groups : array-like of shape (n_samples,), default=None
        Rows of a group stay together; the sizes are then met as well as the groups allow.
    shuffle : bool, default=True
        False cuts the rows in their order, as for a time series.
    random_state : default=None

    Returns
    -------
    list
        For every array its parts in order: X_train, X_validation, X_test, y_train, ...

    Examples
    --------
    >>> import numpy as np
    >>> from novum.evaluation import holdout_split
    >>> X, y = np.arange(20).reshape(10, 2), np.array([0, 1] * 5)
    >>> parts = holdout_split(X, y, sizes=(0.6, 0.2, 0.2), stratify=y, random_state=0)
    >>> [len(part) for part in parts[:3]], [float(part.mean()) for part in parts[3:]]
    ([6, 2, 2], [0.5, 0.5, 0.5])
    """
    if not arrays:
        raise ParameterError("holdout_split: give at least one array.")
    arrays = together("holdout_split", arrays)
    n = sklearn_private.num_samples(arrays[0])
    counts = part_sizes(sizes, n)
    if stratify is not None and (groups is not None or not shuffle):
        raise ParameterError("holdout_split: stratify goes neither with groups nor with shuffle=False; choose one.")
    seed = seed_of(random_state)
    order = Stream(seed).permutation("holdout", 0, n) if shuffle else np.arange(n)
    bounds = np.cumsum([0, *counts])
    if groups is not None:
        parts = group_parts(np.asarray(together("holdout_split(groups=...)", (groups, arrays[0]))[0]), counts, order)
    elif stratify is None:
        parts = [order[a:b] for a, b in pairwise(bounds)]
    else:
        labels = np.asarray(together("holdout_split(stratify=...)", (stratify, arrays[0]))[0])
        rest: np.ndarray = np.arange(n)
        parts = list[np.ndarray]()
        for j, size in enumerate(counts):
            if size == len(rest):
                parts.append(rest)
                continue
            try:
                rows, rest = train_test_split(
                    rest, train_size=size, stratify=labels[rest], random_state=(seed + j) % (1 << 32)
                )
            except ValueError as error:
                raise DataError(f"holdout_split(stratify=...): part {j + 1} of {counts}: {error}") from error
            parts.append(rows)
    return [sklearn_private.take_rows(array, rows) for array in arrays for rows in parts]


def plot_folds(
    cv: Splitter, X: Rows, y: Target = None, groups: Target = None, *, inner: Splitter = None, ax: Axes | None = None
) -> Axes:
    """Draw which rows train and which test in every fold of a splitter; with `inner` the folds of a nested one.

    Parameters
    ----------
    cv : int or splitter
        The outer folds.
    X, y, groups
        What the splitter needs.
    inner : int or splitter, default=None
        Folds made of the training rows of every outer fold: a line each, with the rows that validate.
    ax : matplotlib axes, default=None

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import TimeSeriesSplit
    >>> from novum.evaluation import plot_folds
    >>> ax = plot_folds(TimeSeriesSplit(3), np.arange(12))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('row', 'fold')
    """
    ax = drawing_axes(ax)
    X, y, groups = indexable(X, y, groups)
    pick, n = sklearn_private.take_rows, sklearn_private.num_samples(X)
    outer = check_cv(cv, y, classifier=y is not None and np.asarray(y).dtype.kind in "biuOUS")
    lines: list[tuple[str, dict[str, NDArray]]] = []
    for number, (train, test) in enumerate(outer.split(X, y, groups), start=1):
        if inner is None:
            lines.append((str(number), {"train": train, "test": test}))
            continue
        own = [None if part is None else pick(part, train) for part in (X, y, groups)]
        splitter = check_cv(inner, own[1], classifier=y is not None and np.asarray(y).dtype.kind in "biuOUS")
        for second, (fit, validate) in enumerate(splitter.split(*own), start=1):
            lines.append((f"{number}.{second}", {"train": train[fit], "validation": train[validate], "test": test}))
    for place, (_, roles) in enumerate(lines):
        for role, rows in roles.items():
            used = np.zeros(n + 2, int)
            used[np.asarray(rows) + 1] = 1
            starts, ends = np.flatnonzero(np.diff(used) == 1), np.flatnonzero(np.diff(used) == -1)
            ax.broken_barh(list(zip(starts, ends - starts)), (place - 0.4, 0.8), color=series(ax, ROLES[role]))
    for role in lines[0][1]:
        ax.plot([], [], "s", color=series(ax, ROLES[role]), label=role)
    ax.set(xlabel="row", ylabel="fold", yticks=range(len(lines)), yticklabels=[label for label, _ in lines])
    ax.set(xlim=(0, n))
    ax.invert_yaxis()
    draw_legend(ax)
    return ax
