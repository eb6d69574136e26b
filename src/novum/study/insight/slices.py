"""Slices where the model fails: values and ranges of single columns in which it errs more than elsewhere.

Looked at are the levels of every category, the quarters of every number, and the rows in which a value is missing, if they hold
enough rows. In each the loss is compared with that of all other rows, one-sided: the frequency of errors by Fisher's exact test,
the size of an error by the rank test of Mann and Whitney. The p-values are adjusted by Holm for all slices that were looked at,
so the probability of naming any slice where there is none is at most 5 %, whatever their number and dependence.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import hypergeom, mannwhitneyu

from novum.evaluation import holm
from novum.evaluation.intervals.proportion import Interval
from novum.report.numbers import counted, num
from novum.study.insight.gaps import mean_gap, share_gap

__all__ = ["Slice", "Slices", "find_slices", "slices_of"]

LEAST_ROWS = 10  # of a slice, and of the rest
LEVEL = 0.05
MOST_LEVELS = 30  # of a category that are looked at
MOST_COLUMNS = 200
QUARTERS = (0.25, 0.5, 0.75)


class Slice(NamedTuple):
    """Rows in which the model errs more."""

    words: str
    rows: int
    loss: float  # mean in it
    elsewhere: float
    p_value: float  # adjusted
    interval: Interval = Interval(float("nan"), float("nan"))  # of loss - elsewhere, for itself


class Slices(NamedTuple):
    """What was found among so many."""

    found: list[Slice]  # worst first
    looked_at: int
    rows: int
    unit: str  # what a loss is

    def sentence(self) -> str:
        """Return what was found in words."""
        on = f"{self.looked_at:,} slices of {counted(self.rows, 'row')}"
        if not self.found:
            return f"No slice stands out: among {on} none has a {self.unit} that is shown to be larger than elsewhere."
        count = "One slice has" if len(self.found) == 1 else f"{len(self.found)} slices have"
        return (
            f"{count} a larger {self.unit} than the other rows, of {on} that were looked at (Holm's adjustment, 5 %)."
        )


def slices_of(name: str, cells: Any) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the slices that a column of the prepared frame makes, in words and as marks of rows."""
    if cells.dtype.kind == "O":
        missing = np.array([v != v for v in cells])
        text = np.where(missing, "", cells).astype(str)
        levels, counts = np.unique(text[~missing], return_counts=True)
        for level in levels[np.argsort(-counts, kind="stable")[:MOST_LEVELS]]:
            yield f"{name} is {level:.40}", (text == level) & ~missing
    else:
        missing = np.isnan(cells)
        known = cells[~missing]
        values = np.unique(known)
        if len(values) <= 2 * len(QUARTERS):
            for value in values if len(values) > 1 else ():
                yield f"{name} is {num(value):.6g}", cells == value
        elif len(known):
            edges = np.unique(np.quantile(known, QUARTERS))
            ends = np.concatenate([[-np.inf], edges, [np.inf]])
            for low, high in pairwise(ends):
                yield range_words(name, low, high), (cells > low) & (cells <= high)
    if missing.any():
        yield f"{name} is missing", missing


def range_words(name: str, low: float, high: float) -> str:
    """Return a range in words."""
    if np.isinf(low):
        return f"{name} up to {num(high):.4g}"
    return f"{name} above {num(low):.4g}" if np.isinf(high) else f"{name} above {num(low):.4g}, up to {num(high):.4g}"


def find_slices(frame: Any, losses: np.ndarray, wrong: bool, names: list[str] | None = None) -> Slices:
    """Return the slices in which the loss is larger than elsewhere.

    Parameters
    ----------
    frame : prepared rows
    losses : array of shape (rows,)
        1 for wrong and 0 for right where `wrong` is true, else the size of the error.
    names : columns to look at, None for all
    """
    n = len(losses)
    tested: list[tuple[Slice, float]] = []
    for name in (list(frame.columns) if names is None else names)[:MOST_COLUMNS]:
        if str(name).endswith("(words)"):
            continue
        for words, inside in slices_of(str(name), frame[name].to_numpy()):
            rows = int(inside.sum())
            if rows < LEAST_ROWS or n - rows < LEAST_ROWS:
                continue
            there, rest = losses[inside], losses[~inside]
            gap = share_gap(words, "", there > 0, rest > 0) if wrong else mean_gap(words, "", there, rest)
            one = Slice(words, rows, float(there.mean()), float(rest.mean()), 1.0, gap.interval)
            tested.append((one, p_larger(there, rest, wrong)))
    if not tested:
        return Slices([], 0, n, unit_of(wrong))
    adjusted = holm([p for _, p in tested])
    found = [
        one._replace(p_value=float(p))
        for (one, _), p in zip(tested, adjusted)
        if p <= LEVEL and one.loss > one.elsewhere
    ]
    return Slices(sorted(found, key=lambda one: one.p_value), len(tested), n, unit_of(wrong))


def unit_of(wrong: bool) -> str:
    return "share of wrong rows" if wrong else "mean absolute error"


def p_larger(there: np.ndarray, rest: np.ndarray, wrong: bool) -> float:
    """Return the p-value of the question whether losses are larger in a slice."""
    if wrong:
        bad, total = int(there.sum()), int(there.sum() + rest.sum())
        return float(hypergeom.sf(bad - 1, len(there) + len(rest), total, len(there)))
    if np.ptp(np.concatenate([there, rest])) == 0:
        return 1.0
    return float(mannwhitneyu(there, rest, alternative="greater", method="asymptotic").pvalue)
