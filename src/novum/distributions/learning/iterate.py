"""Fits that need several passes: EM steps of the Student distributions, hurried by Newton's method in the degrees of freedom.

Every pass makes the statistics of the current parameters, their log-likelihood among them. The next parameters come from the
hurried step; if a pass finds that the likelihood fell, the plain EM step from the best parameters so far is taken instead, which
cannot lower it. So the recorded best never falls.
"""

from typing import Any, NamedTuple

import numpy as np

from novum.distributions.base import Distribution
from novum.distributions.learning.fit import first_state, open_rows, statistics_of
from novum.distributions.parameters import positive
from novum.exceptions import NotConverged, ParameterError
from novum.fold import fold
from novum.runtime.blas import single_blas
from novum.runtime.checks import check_count, check_number
from novum.runtime.warn import warn

__all__ = ["IterationState", "iterate", "next_state"]

FALL = 1e-13  # relative fall of the likelihood that is rounding
COLLAPSED = 4 * float(
    np.finfo(np.float64).eps
)  # of the scale at the start and of the location: below it rows are equal


class IterationState(NamedTuple):
    """Where the iteration is: current parameters, and the best so far with their statistics."""

    now: Any
    best: Any
    sums: Any  # of the best; None before the first pass


def statistics_now(params: tuple[IterationState, bool], block: Any) -> Any:
    """Return the statistics of a block about the current parameters."""
    state, flat = params
    return statistics_of((state.now, flat), block)


def next_state(state: IterationState, sums: Any, df: Any = None) -> IterationState:
    """Return the state after a step with the sums of `state.now`: Newton's for the degrees of freedom, EM's where that failed."""
    if state.sums is not None:
        before = float(np.sum(state.sums.log_likelihood))
        if float(np.sum(sums.log_likelihood)) < before - FALL * abs(before):
            return IterationState(state.best._step(state.sums, newton=False, df=df), state.best, state.sums)
    return IterationState(state.now._step(sums, newton=True, df=df), state.now, sums)


def iterate(
    cls: Any,
    x: Any,
    sample_weight: Any,
    prior: Distribution | None,
    *,
    df: Any = None,
    max_iter: int = 500,
    tol: float = 1e-9,
    **options: Any,
) -> Any:
    """Return the fitted distribution; `df` known or None."""
    name = cls.__name__
    if prior is not None:
        raise ParameterError(f"{name}: it has no conjugate prior; leave prior out.")
    check_count(f"{name}.fit", "max_iter", max_iter)
    check_number(f"{name}.fit", "tol", tol, 0.0)
    known = None if df is None else positive(name, "df", df)
    source, flat = open_rows(f"{name}.fit", x, sample_weight)

    def update(params: tuple[IterationState, bool], sums: Any) -> tuple[IterationState, bool]:
        state, flat = params
        after = next_state(state, sums, known)
        if (after.now._scales() <= COLLAPSED * (start._scales() + np.abs(after.now.loc))).any():
            raise after.now._too_equal()  # the likelihood has no bound: it rises for as long as the scale falls
        return after, flat

    def converged(
        before: tuple[IterationState, bool], after: tuple[IterationState, bool], history: list[float]
    ) -> bool:
        return after[0].now._moved(before[0].now) <= tol

    with single_blas():
        start: Any = first_state(cls, source, flat, {"df": df, **options})
        found = fold(
            (IterationState(start, start, None), flat),
            statistics_now,
            update,
            source,
            objective=lambda sums: float(np.sum(sums.log_likelihood)),
            converged=converged,
            max_iter=max_iter,
        )
    if not found.converged:
        warn(
            f"{name}.fit: the parameters still moved after max_iter={max_iter} passes; raise max_iter or tol.",
            NotConverged,
        )
    return found.params[0].now
