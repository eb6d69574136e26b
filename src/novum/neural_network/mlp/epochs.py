r"""Epochs of mini-batches: shuffle, step, judge, stop.

    an epoch is better   where its loss is at least tol below the best, or its score on rows held back tol above it      (1)
    stop                 after more than n_iter_no_change epochs in a row that are not                                  (2)

Which rows an epoch visits in which order: novum.neural_network.mlp.visited_rows.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from novum.neural_network.mlp.compiled_network import CompiledNetwork, Memory
from novum.neural_network.mlp.rates import Rates
from novum.runtime.journal import recording

__all__ = ["Progress", "Stopping", "run_epochs"]


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

    def best_memory(self) -> Memory | None:
        """Return the weights of the best score."""
        return self.best

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


def run_epochs(
    machine: CompiledNetwork,
    rows: Any,
    progress: Progress,
    stopping: Stopping,
    rates: Rates,
    random: np.random.RandomState,
    score: Callable[[CompiledNetwork], float] | None,
    report: Any,
    once: bool = False,
) -> tuple[int, str]:
    """Run epochs until (2); return their number and how it ended: "stopped", "limit", "diverged" or "callback"."""
    journal = None if once else recording()
    kept = None if journal is None else journal.state("epochs")
    done = 0
    if kept is not None and (last := kept.last()) is not None:
        done, memory, drawn, state, rates.now = last
        rows.go_on(done, random)
        machine.load(memory)
        random.set_state(drawn)
        vars(progress).update(state)
    for n_iter in range(done + 1, stopping.max_iter + 1):
        report.begin(machine.memory, n_iter - 1)
        total, n = rows.visit(machine, rates.now, random, len(progress.losses))
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
        kept_memory = machine.memory if score is None else progress.best_memory
        ended = report(n_iter, progress.losses[-1], kept_memory)
        if progress.waited > stopping.patience:
            if not rates.slow_down():
                return n_iter, "stopped"
            progress.waited = 0
        if ended:
            return n_iter, "callback"
        if once:
            return n_iter, "stopped"
        if kept is not None:
            kept.keep((n_iter, machine.memory(), random.get_state(legacy=True), dict(vars(progress)), rates.now))
    return stopping.max_iter, "limit"
