"""Learning as a fold: statistics of every block, merged in a fixed tree, then one small solve.

    total  = merge of statistics(params, block) over the blocks, in a tree fixed by their number   (1)
    params = update(params, total)                                                                 (2)

repeated until a stopping rule holds. `statistics` and `update` are plain functions of arrays; the home of the data
(novum.fold.blocks) decides where they run. A learner is a short list of stages, each with its own statistics.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from novum.fold.blocks import Source, add

__all__ = ["Fit", "fold"]


class Fit(NamedTuple):
    """What a sequence of passes came to."""

    params: Any
    history: list[float]  # objective of the parameters that entered each pass
    n_iter: int
    converged: bool
    last: Any  # statistics of the last pass


def fold(
    params: Any,
    statistics: Callable[[Any, Any], Any],
    update: Callable[[Any, Any], Any],
    source: Source,
    *,
    objective: Callable[[Any], float],
    converged: Callable[[Any, Any, list[float]], bool],
    max_iter: int,
    merge: Callable = add,
    report: Callable[..., Any] | None = None,
    total: Callable[[Source, Any], Any] | None = None,
) -> Fit:
    """Repeat (1) and (2) until `converged(before, after, history)` or `max_iter` passes.

        total  = merge of statistics(params, block) over the blocks, in a tree fixed by their number    (1)
        params = update(params, total)    (2)

    `report(n_iter, objective, params)`, if given, is called after every pass; when it returns True the fold stops as converged.
    Before every pass its `begin(params, n_done)` is called, if it has one. One whose `listens` is False is not called.
    `total(source, params)`, if given, may make (1) of all rows in one call; where it returns None, it is made block by block.
    """
    report = report if getattr(report, "listens", True) else None
    begin = getattr(report, "begin", None)
    history: list[float] = []
    sums = None
    for n_iter in range(1, max_iter + 1):
        if begin is not None:
            begin(params, n_iter - 1)
        sums = total(source, params) if total is not None else None
        if sums is None:
            sums = source.total(statistics, params, merge)
        history.append(float(objective(sums)))
        before, params = params, update(params, sums)
        stop_requested = report is not None and report(n_iter, history[-1], params)
        if converged(before, params, history) or stop_requested:
            return Fit(params, history, n_iter, True, sums)
    return Fit(params, history, max_iter, False, sums)
