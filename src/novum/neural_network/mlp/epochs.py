r"""Epochs of mini-batches: shuffle, step, judge, stop.

    an epoch is better   where its loss is at least tol below the best, or its score on rows held back tol above it      (1)
    stop                 after more than n_iter_no_change epochs in a row that are not                                  (2)

Rows in memory are shuffled as scikit-learn shuffles them. Rows of a scan or of Dask come block after block in their order and
are shuffled within a block; a batch that a block cannot fill takes the first rows of the next, so without shuffling the steps
are those in memory.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from novum.fold.blocks import Block, Source
from novum.neural_network.mlp.compiled_network import CompiledNetwork, Data, Memory
from novum.neural_network.mlp.rates import Rates

__all__ = ["Progress", "RowsInMemory", "RowsInPortions", "Stopping", "run_epochs"]


class Stopping(NamedTuple):
    max_iter: int
    tol: float
    patience: float


class Progress:
    """What the epochs have come to so far; a warm start goes on with it."""

    def __init__(self) -> None:
        self.losses: list[float] = []
        self.scores: list[float] = []
        self.rates: list[float] = []
        self.best_loss, self.best_score = np.inf, -np.inf
        self.waited, self.rows = 0, 0
        self.best: Memory | None = None  # at the best score

    def judge_loss(self, tol: float) -> None:
        """Apply (1) to the last loss."""
        loss = self.losses[-1]
        self.waited = self.waited + 1 if loss > self.best_loss - tol else 0
        self.best_loss = min(self.best_loss, loss)

    def judge_score(self, score: float, tol: float, machine: CompiledNetwork) -> None:
        """Apply (1) to a score; keep the weights of the best."""
        self.scores.append(score)
        self.waited = self.waited + 1 if score < self.best_score + tol else 0
        if score > self.best_score:
            self.best_score, self.best = score, machine.memory()


class RowsInMemory:
    """All rows at hand."""

    def __init__(self, data: Data, shuffle: bool) -> None:
        self.data, self.shuffle = data, shuffle
        self.order = np.arange(data.rows)

    def visit(self, machine: CompiledNetwork, rate: float, random: np.random.RandomState) -> tuple[float, int]:
        """Run an epoch; return the sum of its losses and its rows."""
        if self.shuffle:
            places = np.arange(len(self.order))
            random.shuffle(places)
            self.order = self.order[places]
        return machine.epoch(self.data, self.order, rate), len(self.order)


def stacked(a: Data | None, b: Data) -> Data:
    """Return the rows of a, then those of b."""
    if a is None or not a.rows:
        return b
    X = scipy.sparse.vstack([a.X, b.X], "csr") if scipy.sparse.issparse(b.X) else np.concatenate([a.X, b.X])
    return Data(X, *(None if y is None else np.concatenate([x, y]) for x, y in zip(a[1:], b[1:])))


class RowsInPortions:
    """Rows that come block after block."""

    def __init__(self, source: Source, read: Callable[[Block], Data], batch: int, shuffle: bool) -> None:
        self.source, self.read, self.batch, self.shuffle = source, read, batch, shuffle

    def whole_batches(self) -> Iterator[Data]:
        """Yield portions of whole batches, and at the end the rest."""
        rest: Data | None = None
        for block in self.source.each():
            rest = stacked(rest, self.read(block))
            full = rest.rows // self.batch * self.batch
            if full:
                yield rest.take(slice(0, full))
                rest = rest.take(slice(full, None))
        if rest is not None and rest.rows:
            yield rest

    def visit(self, machine: CompiledNetwork, rate: float, random: np.random.RandomState) -> tuple[float, int]:
        """Run an epoch; return the sum of its losses and its rows."""
        total, rows = 0.0, 0
        for portion in self.whole_batches():
            order = random.permutation(portion.rows) if self.shuffle else np.arange(portion.rows)
            total += machine.epoch(portion, order, rate)
            rows += portion.rows
        return total, rows


def run_epochs(
    machine: CompiledNetwork,
    rows: Any,
    progress: Progress,
    stopping: Stopping,
    rates: Rates,
    random: np.random.RandomState,
    score: Callable[[CompiledNetwork], float] | None,
    report: Callable[[int, float, Callable[[], Memory]], bool],
    once: bool = False,
) -> tuple[int, str]:
    """Run epochs until (2); return their number and how it ended: "stopped", "limit", "diverged" or "callback"."""
    for n_iter in range(1, stopping.max_iter + 1):
        total, n = rows.visit(machine, rates.now, random)
        progress.losses.append(total / n)
        progress.rates.append(rates.now)
        progress.rows += n
        if score is None:
            progress.judge_loss(stopping.tol)
        else:
            progress.judge_score(score(machine), stopping.tol, machine)
        rates.epoch_ends(len(progress.losses), progress.rows)
        if not np.isfinite(progress.losses[-1]):
            return n_iter, "diverged"
        if progress.waited > stopping.patience:
            if not rates.slow_down():
                return n_iter, "stopped"
            progress.waited = 0
        if report(n_iter, progress.losses[-1], machine.memory):
            return n_iter, "callback"
        if once:
            return n_iter, "stopped"
    return stopping.max_iter, "limit"
