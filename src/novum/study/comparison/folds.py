"""How rows are parted: the part put away, which nothing looks at before the model is chosen, and the folds.

Classes stand in every part in equal shares. Rows of one group (a person, a site) are never in two parts. Where rows have a time,
the last ones are put away, and every fold is judged on rows that are later than all it was trained on. Classes are numbered by
their first row, so renaming them changes neither the parts nor the folds.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    train_test_split,
)

from novum.exceptions import DataError
from novum.report.numbers import counted
from novum.study.comparison.fits import Fold
from novum.study.data.task import CLASSIFICATION

__all__ = ["Parting", "class_numbers", "make_folds", "plan", "split_rows"]

PLANS = (  # rows up to which there are so many folds, and repetitions of them
    (250, 5, 4),
    (500, 5, 2),
    (5_000, 5, 1),
)
MANY_ROWS_FOLDS = 3
MANY_COLUMNS = 500  # with which one repetition must do
UNTUNED_FOLDS = 10  # of models whose settings are not sought: a fit is a fit, not a search
UNTUNED = ((2_000, 10, 3), (20_000, 10, 1))


def class_numbers(y: Any) -> np.ndarray:
    """Return the classes as numbers in the order of their first rows."""
    _, first, codes = np.unique(y, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[codes]


class Parting(NamedTuple):
    """What parts the rows of a study."""

    codes: np.ndarray | None  # class numbers, None for a regression
    groups: np.ndarray | None
    ordered: bool  # whether the rows stand in the order of time
    n_rows: int

    def take(self, rows: np.ndarray) -> "Parting":
        """Return it for some rows."""
        return Parting(
            None if self.codes is None else self.codes[rows],
            None if self.groups is None else self.groups[rows],
            self.ordered,
            len(rows),
        )

    def splits(self, k: int, seed: Any) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return k pairs of training and test rows."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The least populated class")  # some folds are without it
            return self.parted(k, seed)

    def parted(self, k: int, seed: Any) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the splits by the splitter that these rows need."""
        nothing = np.zeros(self.n_rows)
        if self.ordered:
            return list(TimeSeriesSplit(k).split(nothing))
        if self.groups is not None:
            k = min(k, len(np.unique(self.groups)))
            if self.codes is not None:
                return list(
                    StratifiedGroupKFold(k, shuffle=True, random_state=seed).split(nothing, self.codes, self.groups)
                )
            return list(GroupKFold(k, shuffle=True, random_state=seed).split(nothing, groups=self.groups))
        if self.codes is not None and np.bincount(self.codes).max(initial=0) >= k:
            return list(StratifiedKFold(k, shuffle=True, random_state=seed).split(nothing, self.codes))
        return list(KFold(k, shuffle=True, random_state=seed).split(nothing))

    def inner(self, rows: np.ndarray, k: int, seed: int = 0) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return splits of some of the rows, as positions among them."""
        return self.take(rows).splits(k, seed)


def split_rows(
    y: Any, task: str, share: float, seed: int, parting: Parting | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows to train on and the rows put away."""
    n = len(y)
    if parting is not None and parting.ordered:
        cut = n - max(1, round(n * share))
        return np.arange(cut), np.arange(cut, n)
    if parting is not None and parting.groups is not None:
        if len(np.unique(parting.groups)) < 4:
            raise DataError.of(
                "Study",
                f"{counted(len(np.unique(parting.groups)), 'group', 'are')} too few; a study needs at least 4.",
                group=...,
            )
        return next(GroupShuffleSplit(1, test_size=share, random_state=seed).split(np.zeros(n), groups=parting.groups))
    stratify = class_numbers(y) if task == CLASSIFICATION else None
    train, held = train_test_split(np.arange(n), test_size=share, stratify=stratify, random_state=seed)
    return train, held


def plan(
    n_rows: int, smallest_class: int, folds: int | None, repeats: int | None, tuned: bool = True, n_columns: int = 0
) -> tuple[int, int]:
    """Return how many folds and repetitions a table of so many training rows gets."""
    plans = PLANS if tuned else UNTUNED
    few = next(((k, times) for most, k, times in plans if n_rows <= most), (MANY_ROWS_FOLDS if tuned else 5, 1))
    times = 1 if tuned and n_columns > MANY_COLUMNS else few[1]
    return max(2, min(folds or few[0], smallest_class)), repeats or times


def make_folds(parting: Parting, k: int, repeats: int, seed: int) -> list[Fold]:
    """Return the folds, the same for everybody."""
    times = 1 if parting.ordered else repeats
    draws = np.random.RandomState(seed)  # one for all repetitions, as scikit-learn's repeated folds have it
    return [
        Fold(repeat, train, test)
        for repeat in range(times)
        for train, test in parting.splits(k, draws)
        if len(train) and len(test)
    ]
