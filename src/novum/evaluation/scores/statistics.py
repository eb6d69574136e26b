r"""Statistics of rows that need only sums over them: their value, bootstrap replicates and jackknife values in one definition.

A resample is how often each row is drawn, c_i. What a statistic needs of it is small:

    Sums    S_m = sum_i c_i x_im   for a few columns x, and   f(S)                                      (1)
    Cells   S_k = sum_{i: code_i = k} c_i w_i   for a few cells, and   f(S)                             (2)
    Areas   areas under ROC and PR curves: one pass over the rows in the order of their scores          (3)

f works on stacks of S and returns one column per name, so all scores of a set of predictions share their resamples. The
passes are compiled (cpp/include/novum/evaluation/resampling.h) and run on threads over resamples; draws depend on the seed only.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum._core.evaluation import resampling
from novum.evaluation.intervals.bootstrap_intervals import interval_from, jackknife_groups
from novum.evaluation.intervals.coverage import bootstrap_doubt
from novum.evaluation.intervals.proportion import Interval
from novum.runtime.pool import map_ordered
from novum.runtime.random import purpose_code
from novum.runtime.threads import thread_count

__all__ = ["Areas", "Cells", "RowSums", "count_chunks", "intervals", "resample_rows"]

PURPOSE = "bootstrap"
CHUNK = 20  # resamples that a thread takes at a time: some milliseconds of work on 10^5 rows


def in_chunks(n_resamples: int, work: Callable[[int, int], NDArray]) -> NDArray:
    """Return work(first, count) of all resamples, stacked."""
    starts = range(0, n_resamples, CHUNK)
    parts = map_ordered(
        lambda first: work(first, min(CHUNK, n_resamples - first)), starts, min(thread_count(), len(starts))
    )
    return np.concatenate(list(parts))


def resample_rows(n: int, resample: int, seed: int) -> NDArray[np.int64]:
    """Return the rows that a resample draws."""
    rows = np.empty(n, np.int64)
    resampling.rows(seed, purpose_code(PURPOSE), resample, rows)
    return rows


def count_chunks(n: int, n_resamples: int, seed: int, at_once: int = CHUNK) -> Any:
    """Yield how often each row is drawn, (at most `at_once`, n) counts at a time."""
    for first in range(0, n_resamples, at_once):
        out = np.empty((min(at_once, n_resamples - first), n), np.uint8)
        resampling.counts(seed, purpose_code(PURPOSE), first, out)
        yield out


@dataclass(frozen=True)
class RowSums:
    """(1)."""

    names: tuple[str, ...]
    columns: NDArray  # (m, n)
    function: Callable[[NDArray], NDArray]  # (..., m) -> (..., names)

    @property
    def n(self) -> int:
        """Rows."""
        return self.columns.shape[1]

    def values(self) -> NDArray:
        """Return the statistics of the rows themselves."""
        return self.function(self.columns.sum(axis=1))

    def replicates(self, n_resamples: int, seed: int) -> NDArray:
        """Return the statistics of every resample."""
        columns = np.ascontiguousarray(self.columns, np.float64)

        def work(first: int, count: int) -> NDArray:
            out = np.empty((count, len(columns)))
            resampling.sums(seed, purpose_code(PURPOSE), first, columns, out)
            return self.function(out)

        return in_chunks(n_resamples, work)

    def jackknife(self, seed: int) -> NDArray:
        """Return the statistics without each row, or without each group."""
        group, k = jackknife_groups(self.n, seed)
        without = np.stack([np.bincount(group, column, minlength=k) for column in self.columns], axis=1)
        return self.function(self.columns.sum(axis=1) - without)


@dataclass(frozen=True)
class Cells:
    """(2)."""

    names: tuple[str, ...]
    code: NDArray  # (n,): the cell of every row
    n_cells: int
    weight: NDArray | None
    function: Callable[[NDArray], NDArray]  # (..., cells) -> (..., names)

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.code)

    def totals(self) -> NDArray:
        """Return the weight in every cell."""
        return np.bincount(self.code, self.weight, minlength=self.n_cells).astype(np.float64)

    def values(self) -> NDArray:
        """Return the statistics of the rows themselves."""
        return self.function(self.totals())

    def replicates(self, n_resamples: int, seed: int) -> NDArray:
        """Return the statistics of every resample: without weights the cells of a resample are one multinomial draw."""
        if self.weight is None:
            drawn = np.random.default_rng(seed).multinomial(self.n, self.totals() / self.n, size=n_resamples)
            return self.function(drawn.astype(np.float64))
        code, weight = np.ascontiguousarray(self.code, np.int32), np.ascontiguousarray(self.weight, np.float64)

        def work(first: int, count: int) -> NDArray:
            out = np.empty((count, self.n_cells))
            resampling.cells(seed, purpose_code(PURPOSE), first, code, weight, out)
            return self.function(out)

        return in_chunks(n_resamples, work)

    def jackknife(self, seed: int) -> NDArray:
        """Return the statistics without each row, or without each group."""
        group, k = jackknife_groups(self.n, seed)
        without = np.bincount(group * self.n_cells + self.code, self.weight, minlength=k * self.n_cells)
        return self.function(self.totals() - without.reshape(k, self.n_cells))


@dataclass(frozen=True)
class Areas:
    """(3): under ROC, under PR by steps, under PR by trapezoids; the mean over the columns of `positive` and `score`."""

    positive: NDArray  # (n, k) bool
    score: NDArray  # (n, k)
    weight: NDArray | None
    precision: bool = True
    names: tuple[str, ...] = ("roc_auc", "average_precision", "pr_auc")

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.positive)

    def rankings(self) -> list[tuple[NDArray, NDArray, NDArray, NDArray | None]]:
        """Return what the compiled passes need, for every column."""
        found = []
        for positive, score in zip(self.positive.T, self.score.T):
            order = np.argsort(-score, kind="stable")
            last = np.append(np.diff(score[order]) != 0, True)
            weight = None if self.weight is None else np.ascontiguousarray(self.weight[order], np.float64)
            found.append((order.astype(np.int32), positive[order].astype(np.uint8), last.astype(np.uint8), weight))
        return found

    def of_counts(self, counts: NDArray) -> NDArray:
        """Return the areas for given counts of the rows, (..., n)."""
        total = np.zeros((len(counts), 3))
        for order, positive, last, weight in self.rankings():
            out = np.empty((len(counts), 3))
            resampling.areas(counts, order, positive, last, weight, self.precision, out)
            total += out
        return total / self.positive.shape[1]

    def values(self) -> NDArray:
        """Return the areas of the rows themselves."""
        return self.of_counts(np.ones((1, self.n), np.uint8))[0]

    def replicates(self, n_resamples: int, seed: int) -> NDArray:
        """Return the areas of every resample."""
        rankings = self.rankings()

        def work(first: int, count: int) -> NDArray:
            total = np.zeros((count, 3))
            for ranking in rankings:  # the same seed draws the same rows for every column
                out = np.empty((count, 3))
                resampling.ranking(seed, purpose_code(PURPOSE), first, *ranking, self.precision, out)
                total += out
            return total / len(rankings)

        return in_chunks(n_resamples, work)

    def jackknife(self, seed: int) -> NDArray:
        """Return the areas without each row, or without each group."""
        group, k = jackknife_groups(self.n, seed)

        def work(first: int, count: int) -> NDArray:
            return self.of_counts((group != np.arange(first, first + count)[:, None]).astype(np.uint8))

        return in_chunks(k, work)


def intervals(
    statistic: RowSums | Cells | Areas, level: float, n_resamples: int, seed: int, method: str = "bca"
) -> dict[str, tuple[float, Interval, str]]:
    """Return the value, the bootstrap interval and what speaks against it, of every statistic by name."""
    values, replicates = statistic.values(), statistic.replicates(n_resamples, seed)
    jackknife = statistic.jackknife(seed) if method == "bca" else np.zeros((1, len(values)))
    of = partial(interval_from, level=level, method=method)
    return {
        name: (
            float(values[i]),
            of(float(values[i]), replicates[:, i], jackknife=jackknife[:, i]),
            bootstrap_doubt(statistic.n, jackknife[:, i], level) if method == "bca" else "",
        )
        for i, name in enumerate(statistic.names)
    }
