"""Rows from which an effect is estimated: outcomes as numbers, treatments and covariates as states or columns."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.engines.factors.states import declares_categories, state_codes, states_in
from novum.exceptions import DataError, ParameterError
from novum.report.numbers import counted

__all__ = ["Rows", "is_dose", "outcome_numbers", "read_covariate", "read_rows"]

Array = NDArray[np.float64]
FEW = 20  # different numbers up to which a column of numbers counts as states


class Rows(NamedTuple):
    x: NDArray[np.int32]  # treatment
    y: Array
    strata: NDArray[np.int64] | None  # numbers of the strata, where all covariates are categorical
    design: Array  # (n, p), without a column of ones
    binary: bool  # y is 0 or 1

    def part(self, keep: NDArray[np.bool_]) -> "Rows":
        strata = None if self.strata is None else np.unique(self.strata[keep], return_inverse=True)[1].reshape(-1)
        return Rows(self.x[keep], self.y[keep], strata, self.design[keep], self.binary)


def outcome_numbers(owner: str, name: Any, column: Any, state: Any) -> tuple[Array, str]:
    """Return the outcome as numbers: itself, or whether it is `state` (the last of its states, by default)."""
    native = np.asarray(getattr(column, "to_numpy", lambda: column)())
    if state is None and native.dtype.kind in "biuf":
        y = native.astype(np.float64)
        if not np.isfinite(y).all():
            raise DataError(f"{owner}: column {name!r} has missing or infinite cells; drop those rows.")
        return y, str(name)
    states = states_in(column)
    wanted = states[-1] if state is None else state
    if wanted not in states:
        raise ParameterError(
            f"{owner}(outcome_state={state!r}): the states of {name!r} are {', '.join(map(repr, states[:20]))}."
        )
    codes = state_codes(owner, name, column, states)
    if (codes < 0).any():
        raise DataError(f"{owner}: column {name!r} has missing cells; drop those rows.")
    return (codes == states.index(wanted)).astype(np.float64), f"{name}={wanted}"


def read_rows(
    owner: str, columns: Mapping[Any, Any], treatment: Any, outcome: Any, adjustment: tuple[Any, ...], state: Any
) -> tuple[Rows, tuple[Any, ...], str]:
    for name in (treatment, outcome, *adjustment):
        if name not in columns:
            raise DataError(f"{owner}: the data have no column {name!r}.")
    states = states_in(columns[treatment])
    x = state_codes(owner, treatment, columns[treatment], states)
    if (x < 0).any():
        raise DataError(f"{owner}: column {treatment!r} has missing cells; drop those rows.")
    if len(states) < 2 or len(states) > FEW:
        raise DataError(
            f"{owner}: the treatment {treatment!r} has {counted(len(states), 'value')}; it needs two to {counted(FEW, 'state')}."
        )
    y, label = outcome_numbers(owner, outcome, columns[outcome], state)
    read = [read_covariate(owner, name, columns[name]) for name in adjustment]
    binary = bool(np.isin(y, (0, 1)).all())
    strata: NDArray[np.int64] | None = None
    if all(one.codes is not None for one in read):
        strata = np.zeros(len(y), dtype=np.int64)
        for one in read:
            strata = np.unique(strata * len(one.states) + one.codes, return_inverse=True)[1].reshape(-1)
        empty = np.bincount(strata * len(states) + x, minlength=(int(strata.max()) + 1) * len(states)) == 0
        if empty.any() and any(one.number is not None for one in read):
            strata = None  # whole numbers: a slope needs less of the data than a mean for every value
    design = [one.columns(x, len(states)) for one in read]
    stacked = np.hstack(design) if design else np.empty((len(y), 0))
    return Rows(x, y, strata, stacked, binary), states, label


def is_dose(owner: str, columns: Mapping[Any, Any], treatment: Any) -> bool:
    """Return whether the treatment is a number rather than one of a few states."""
    if treatment not in columns:
        raise DataError(f"{owner}: the data have no column {treatment!r}.")
    return read_covariate(owner, treatment, columns[treatment]).codes is None


class Covariate(NamedTuple):
    states: tuple[Any, ...]
    codes: Any  # None where the values are too many to be states
    number: Any  # standardised, shape (n, 1); None where they are no numbers

    def columns(self, x: NDArray[np.int32], k: int) -> Array:
        """Return a column per state, or the number itself where its values are many or some lack a treatment."""
        lacking = self.codes is None or (np.bincount(self.codes * k + x, minlength=k * len(self.states)) == 0).any()
        if self.number is not None and lacking:
            return np.asarray(self.number)
        return (self.codes[:, None] == np.arange(1, len(self.states))).astype(np.float64)


def read_covariate(owner: str, name: Any, column: Any) -> Covariate:
    native = np.asarray(getattr(column, "to_numpy", lambda: column)())
    number = None
    if native.dtype.kind in "iuf" and not declares_categories(column):
        values = native.astype(np.float64)
        if not np.isfinite(values).all():
            raise DataError(f"{owner}: column {name!r} has missing or infinite cells; drop those rows.")
        deviation = values.std()
        number = ((values - values.mean()) / (deviation if deviation > 0 else 1))[:, None]
        if len(np.unique(values)) > FEW:
            return Covariate((), None, number)
    own = states_in(column)
    codes = state_codes(owner, name, column, own)
    if (codes < 0).any():
        raise DataError(f"{owner}: column {name!r} has missing cells; drop those rows.")
    return Covariate(own, codes, number)
