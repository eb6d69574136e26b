r"""The iterations that all mixtures share: expectation and maximisation as a fold, several starts, the best result.

    E, M sums    total = merge of statistics(params, block)      one pass
    M            params = solve(params, total)
    objective    of the params that entered the pass (EM), or of the responsibilities it made (variational)

A run ends when the objective changes by less than `tol`. With `trial_iter` every start is given so many passes and only the
best goes on (short runs: Biernacki, Celeux and Govaert 2003); otherwise each runs to its end.
"""

import logging
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np

from novum.base.callbacks import SILENT, Logged
from novum.fold.blocks import Source, add
from novum.fold.engine import fold

__all__ = ["Run", "Solved", "best_run", "work_blocks"]

BLOCK_WORK = (
    2**20
)  # multiplications of a pass over a block: about an eighth of a millisecond, several times the cost of a call
LEAST_ROWS = 1024  # of a block: fewer would spend their time on packing parameters and merging moments
MOST_BLOCKS = 256
logger = logging.getLogger("novum")


class Solved(NamedTuple):
    """What a maximisation gives."""

    params: Any
    bound: float  # what decides on convergence: scikit-learn's lower bound
    objective: float  # what the update maximises; differs by the regularisation


class Run(NamedTuple):
    """What one start came to."""

    params: Any
    bounds: list[float]
    objectives: list[float]
    n_iter: int
    converged: bool

    @property
    def bound(self) -> float:
        """The last lower bound, or minus infinity before the first pass."""
        return self.bounds[-1] if self.bounds else -np.inf


def work_blocks(source: Source, work_per_row: int) -> Source:
    """Return data in memory cut into blocks of enough work for a thread; a tensor on a processor is an array here."""

    def rows(n: int, _: int) -> int:
        count = max(1, min(MOST_BLOCKS, n * work_per_row // BLOCK_WORK, n // LEAST_ROWS))
        return -(-n // (1 << (count.bit_length() - 1)))

    return source.host().cut(rows)


def run_from(
    params: Any,
    source: Source,
    statistics: Callable,
    solve: Callable[[Any, Any], Solved],
    *,
    tol: float,
    max_iter: int,
    previous: float,
    report: Callable[..., Any] | None,
    merge: Callable = add,
    total: Callable[[Source, Any], Any] | None = None,
) -> Run:
    """Return one run from given parameters; `previous` is the bound that the first one is compared with."""
    bounds: list[float] = []
    objectives: list[float] = []
    state: dict[str, Any] = {"params": params, "next": params}

    def objective(total: Any) -> float:
        solved = solve(state["params"], total)
        state["next"] = solved.params
        bounds.append(solved.bound)
        objectives.append(solved.objective)
        return solved.objective

    def update(_: Any, total: Any) -> Any:
        state["params"] = state["next"]
        return state["params"]

    def converged(before: Any, after: Any, history: list[float]) -> bool:
        last = bounds[-2] if len(bounds) > 1 else previous
        return abs(bounds[-1] - last) < tol

    fit = fold(
        params,
        statistics,
        update,
        source,
        objective=objective,
        converged=converged,
        max_iter=max_iter,
        merge=merge,
        report=report,
        total=total,
    )
    return Run(fit.params, bounds, objectives, fit.n_iter, fit.converged)


def join_runs(first: Run, second: Run) -> Run:
    """Return a run and its continuation as one."""
    return Run(
        second.params,
        first.bounds + second.bounds,
        first.objectives + second.objectives,
        first.n_iter + second.n_iter,
        second.converged,
    )


def best_run(
    starts: list[Callable[[], Any]],
    source: Source,
    statistics: Callable,
    solve: Callable[[Any, Any], Solved],
    *,
    tol: float,
    max_iter: int,
    trial_iter: int | None = None,
    previous: float = -np.inf,
    merge: Callable = add,
    total: Callable[[Source, Any], Any] | None = None,
    report: Any = None,
    log_every: int = 0,
    owner: str = "",
) -> Run:
    """Return the run with the largest bound over all starts, each made when its turn comes."""

    def watch(number: int, listener: Any) -> Callable[..., Any] | None:
        def write(n_iter: int, objective: float) -> None:
            if n_iter % log_every == 0:
                logger.info("%s: start %d, iteration %d, objective %.9g", owner, number + 1, n_iter, objective)

        return Logged(SILENT if listener is None else listener, write) if log_every else listener

    several = len(starts) > 1
    trial = trial_iter if several and trial_iter is not None and trial_iter < max_iter else None
    options: dict[str, Any] = {"tol": tol, "previous": previous, "merge": merge, "total": total}
    best: Run | None = None
    for number, start in enumerate(starts):
        params = start()
        if max_iter == 0:
            run = Run(params, [], [], 0, False)
        else:
            with report.run() if several and report is not None else nullcontext(report) as listener:
                callback = watch(number, listener)
                run = run_from(
                    params, source, statistics, solve, max_iter=trial or max_iter, report=callback, **options
                )
        if best is None or run.bound > best.bound:
            best = run
    assert best is not None
    if trial is not None and not best.converged:
        with report.run() if report is not None else nullcontext(report) as listener:
            options["previous"] = best.bound
            callback = watch(len(starts), listener)
            left = max_iter - best.n_iter
            best = join_runs(
                best, run_from(best.params, source, statistics, solve, max_iter=left, report=callback, **options)
            )
    return best
