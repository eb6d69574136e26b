r"""Greedy search: from a state, take the best single move while it improves.

    s <- argbest over s' in neighbors(s) of objective(s'),     until no neighbor is better than s                  (1)

It ends in a state that no single move betters, which may be far from the best of all. Feature selection is the case in
which a state is a set: forward adds one element, backward removes one.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from novum.exceptions import NotConverged, ParameterTypeError
from novum.report.result import result
from novum.runtime.checks import check_choice, check_count
from novum.runtime.warn import warn

__all__ = ["GreedyResult", "greedy_search", "subset_neighbors"]


@result
class GreedyResult(NamedTuple):
    """Where greedy search ended, and the way there."""

    state: Any
    score: float
    path: list[Any]  # states, the start first
    scores: list[float]  # of the states of the path
    n_evaluated: int  # states scored
    converged: bool  # no neighbor is better
    reason: str


def greedy_search(
    start: Any,
    neighbors: Callable[[Any], Iterable[Any]],
    objective: Callable[[Any], float],
    *,
    maximize: bool = False,
    max_iter: int = 10_000,
) -> GreedyResult:
    """Search greedily (1); ties go to the neighbor listed first.

        s <- argbest over s' in neighbors(s) of objective(s'),   until no neighbor is better than s    (1)

    Parameters
    ----------
    start : object
    neighbors : callable
        A state to the states one move away.
    objective : callable
        A state to a number, lower is better unless `maximize`. Each state is scored once if it can be hashed.
    maximize : bool
    max_iter : int
        Moves at most.

    Examples
    --------
    >>> from novum.optimize import greedy_search, subset_neighbors
    >>> worth = {0: 3.0, 1: 2.5, 2: -1.0}
    >>> greedy_search(frozenset(), subset_neighbors(3), lambda s: sum(worth[i] for i in s), maximize=True).state
    frozenset({0, 1})
    """
    if not callable(neighbors) or not callable(objective):
        raise ParameterTypeError("greedy_search: neighbors and objective must be functions of a state.")
    max_iter = check_count("greedy_search", "max_iter", max_iter)
    known: dict[Any, float] = {}
    n_evaluated = 0

    def scored(state: Any) -> float:
        nonlocal n_evaluated
        try:
            if state in known:
                return known[state]
        except TypeError:  # not hashable: scored every time
            n_evaluated += 1
            return float(objective(state))
        n_evaluated += 1
        known[state] = float(objective(state))
        return known[state]

    sign = -1.0 if maximize else 1.0
    path, scores = [start], [scored(start)]
    for _ in range(max_iter):
        best, best_score = None, scores[-1]
        for candidate in neighbors(path[-1]):
            value = scored(candidate)
            if sign * value < sign * best_score:
                best, best_score = candidate, value
        if best is None:
            return GreedyResult(path[-1], scores[-1], path, scores, n_evaluated, True, "no neighbor is better")
        path.append(best)
        scores.append(best_score)
    reason = f"max_iter={max_iter} moves made"
    warn(f"greedy_search: {reason} and the last still improved; raise max_iter.", NotConverged)
    return GreedyResult(path[-1], scores[-1], path, scores, n_evaluated, False, reason)


def subset_neighbors(n_items: int, direction: str = "forward") -> Callable[[frozenset[int]], Iterable[frozenset[int]]]:
    """Return the moves between subsets of 0 .. n_items - 1: add one, remove one, or both.

    Parameters
    ----------
    n_items : int
    direction : {"forward", "backward", "both"}
    """
    n_items = check_count("subset_neighbors", "n_items", n_items)
    check_choice("subset_neighbors", "direction", direction, ("forward", "backward", "both"))

    def neighbors(state: frozenset[int]) -> Iterable[frozenset[int]]:
        if direction != "backward":
            yield from (state | {item} for item in range(n_items) if item not in state)
        if direction != "forward":
            yield from (state - {item} for item in sorted(state))

    return neighbors
