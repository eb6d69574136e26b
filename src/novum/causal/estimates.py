r"""Effects from data: means of the outcome under each treatment, had everybody received it.

    m(x, s) = E[y | x, s],   e(x | s) = P(x | s)
    adjustment:      mu_x = mean_i m(x, s_i)                                                                          (1)
    inverse weights: mu_x = sum_i w_i y_i / sum_i w_i,  w_i = [x_i = x] / e(x | s_i)                                   (2)
    doubly robust:   mu_x = mean_i { m(x, s_i) + w_i (y_i - m(x, s_i)) }                                               (3)
    variance of mu_x from the influence of a row:  psi_i = m(x, s_i) + w_i (y_i - m(x, s_i)) - mu_x                    (4)

With categorical s the two functions are means and shares of strata, and (1), (2) and (3) are the same number. Otherwise m is a
linear (for two outcomes: logistic) regression within each treatment and e a logistic regression. The variance is (4),
which is right for (3) if either model is right and for (1) if both are; with regressions (2) has the variance of its
weighted mean. Effects have a cause only if S satisfies the back-door criterion; nothing in the data can tell.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from novum.engines.factors.states import coded, columns_of, found_states
from novum.exceptions import DataError, ParameterError
from novum.runtime.checks import check_choice, check_number

__all__ = ["Effect", "estimate_effect"]

Array = NDArray[np.float64]
METHODS = ("adjustment", "ipw", "doubly_robust")
FEW = 20  # different numbers up to which a column of numbers counts as states
LEAST_SHARE = 1e-6  # of a propensity: below, one row would stand for a million


class Effect(NamedTuple):
    """Means of the outcome under each treatment, with intervals, and their difference."""

    treatment: Any
    outcome: str
    states: tuple[Any, ...]
    means: Array
    standard_errors: Array
    covariance: Array  # of the means
    level: float
    method: str
    n: int
    least_propensity: float

    def _interval(self, value: float, error: float) -> tuple[float, float]:
        z = float(norm.ppf(0.5 + self.level / 2))
        return value - z * error, value + z * error

    @property
    def intervals(self) -> list[tuple[float, float]]:
        return [self._interval(float(m), float(s)) for m, s in zip(self.means, self.standard_errors, strict=True)]

    def difference(self, treated: Any = None, control: Any = None) -> tuple[float, tuple[float, float]]:
        """Return mean(treated) - mean(control), the last state against the first by default, and its interval."""
        one = len(self.states) - 1 if treated is None else self.states.index(treated)
        zero = 0 if control is None else self.states.index(control)
        value = float(self.means[one] - self.means[zero])
        c = self.covariance
        return value, self._interval(value, float(np.sqrt(c[one, one] + c[zero, zero] - 2 * c[one, zero])))

    def __repr__(self) -> str:
        lines = [
            f"mean of {self.outcome} had everybody received {self.treatment} = ...        {self.method}, {self.n} rows"
        ]
        for state, mean, (low, high) in zip(self.states, self.means, self.intervals, strict=True):
            lines.append(f"  {state}  {mean:.4g}   {100 * self.level:g} % interval {low:.4g} to {high:.4g}")
        value, (low, high) = self.difference()
        lines.append(
            f"  {self.states[-1]} - {self.states[0]}  {value:.4g}   {100 * self.level:g} % interval {low:.4g} to {high:.4g}"
        )
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Draw the means with their intervals."""
        from novum.report.axes import drawing_axes

        ax = drawing_axes(ax)
        error = [[m - low, high - m] for m, (low, high) in zip(self.means, self.intervals, strict=True)]
        ax.errorbar(range(len(self.states)), self.means, yerr=np.array(error).T, fmt="o", capsize=4)
        ax.set(xlabel=f"do({self.treatment})", ylabel=f"mean of {self.outcome}", title=self.method)
        ax.set_xticks(range(len(self.states)), [str(s) for s in self.states])
        return ax


class Rows(NamedTuple):
    x: NDArray[np.int32]  # treatment
    y: Array
    strata: NDArray[np.int64] | None  # numbers of the strata, where all covariates are categorical
    design: Array  # (n, p), without a column of ones
    binary: bool  # y is 0 or 1


def outcome_numbers(owner: str, name: Any, column: Any, state: Any) -> tuple[Array, str]:
    """Return the outcome as numbers: itself, or whether it is `state` (the last of its states, by default)."""
    native = np.asarray(getattr(column, "to_numpy", lambda: column)())
    if state is None and native.dtype.kind in "biuf":
        y = native.astype(np.float64)
        if not np.isfinite(y).all():
            raise DataError(f"{owner}: column {name!r} has missing or infinite cells; drop those rows.")
        return y, str(name)
    states = found_states(column)
    wanted = states[-1] if state is None else state
    if wanted not in states:
        raise ParameterError(
            f"{owner}(outcome_state={state!r}): the states of {name!r} are {', '.join(map(repr, states[:20]))}."
        )
    codes = coded(owner, name, column, states)
    if (codes < 0).any():
        raise DataError(f"{owner}: column {name!r} has missing cells; drop those rows.")
    return (codes == states.index(wanted)).astype(np.float64), f"{name}={wanted}"


def read_rows(
    owner: str, columns: Mapping[Any, Any], treatment: Any, outcome: Any, adjustment: tuple[Any, ...], state: Any
) -> tuple[Rows, tuple[Any, ...], str]:
    for name in (treatment, outcome, *adjustment):
        if name not in columns:
            raise DataError(f"{owner}: the data have no column {name!r}.")
    states = found_states(columns[treatment])
    x = coded(owner, treatment, columns[treatment], states)
    if (x < 0).any():
        raise DataError(f"{owner}: column {treatment!r} has missing cells; drop those rows.")
    if len(states) < 2 or len(states) > FEW:
        raise DataError(f"{owner}: the treatment {treatment!r} has {len(states)} values; it needs two to {FEW} states.")
    y, label = outcome_numbers(owner, outcome, columns[outcome], state)
    strata: NDArray[np.int64] | None = np.zeros(len(y), dtype=np.int64)
    design: list[Array] = []
    for name in adjustment:
        native = np.asarray(getattr(columns[name], "to_numpy", lambda c=columns[name]: c)())
        numeric = native.dtype.kind == "f" and len(np.unique(native)) > FEW
        if numeric:
            if not np.isfinite(native).all():
                raise DataError(f"{owner}: column {name!r} has missing or infinite cells; drop those rows.")
            strata = None
            spread = native.std()
            design.append(((native - native.mean()) / (spread if spread > 0 else 1))[:, None])
            continue
        own = found_states(columns[name])
        codes = coded(owner, name, columns[name], own)
        if (codes < 0).any():
            raise DataError(f"{owner}: column {name!r} has missing cells; drop those rows.")
        if strata is not None:
            strata = np.unique(strata * len(own) + codes, return_inverse=True)[1].reshape(-1)
        design.append((codes[:, None] == np.arange(1, len(own))).astype(np.float64))
    stacked = np.hstack(design) if design else np.empty((len(y), 0))
    return Rows(x, y, strata, stacked, bool(np.isin(y, (0, 1)).all())), states, label


def by_strata(owner: str, rows: Rows, k: int, treatment: Any, states: tuple[Any, ...]) -> tuple[Array, Array]:
    """Return m(x, s_i) and e(x | s_i) as means and shares of strata, shape (n, k)."""
    strata = rows.strata
    assert strata is not None
    size = int(strata.max()) + 1
    cell = strata * k + rows.x
    count = np.bincount(cell, minlength=size * k).reshape(size, k)
    if (count == 0).any():
        lacking = (count == 0).sum(axis=0)
        worst = int(np.argmax(lacking))
        at = states[worst]
        raise DataError(
            f"{owner}: {treatment}={at!r} never occurs in {int(lacking[worst])} of {size} strata (no overlap); "
            "adjust for fewer variables, or coarser states."
        )
    total = np.bincount(cell, rows.y, size * k).reshape(size, k)
    return (total / count)[strata], (count / count.sum(axis=1, keepdims=True))[strata]


def by_regressions(rows: Rows, k: int) -> tuple[Array, Array]:
    """Return m and e from regressions on the covariates."""
    from novum.linear_model import LinearRegression, LogisticRegression

    means = np.empty((len(rows.y), k))
    for x in range(k):
        part = rows.x == x
        two = rows.binary and 0 < rows.y[part].mean() < 1
        if two:
            model = LogisticRegression(C=1e6).fit(rows.design[part], rows.y[part])
            means[:, x] = model.predict_proba(rows.design)[:, 1]
        else:
            means[:, x] = LinearRegression().fit(rows.design[part], rows.y[part]).predict(rows.design)
    return means, LogisticRegression(C=1e6).fit(rows.design, rows.x).predict_proba(rows.design)


def estimate_effect(
    owner: str,
    data: Any,
    treatment: Any,
    outcome: Any,
    adjustment: tuple[Any, ...],
    method: str,
    outcome_state: Any,
    level: float,
) -> Effect:
    """Return (1), (2) or (3) with the errors (4)."""
    check_choice(owner, "method", method, METHODS)
    level = check_number(owner, "level", level, 0, 1, open_low=True, open_high=True)
    if treatment == outcome or {treatment, outcome} & set(adjustment):
        raise ParameterError(f"{owner}: treatment, outcome and adjustment set must not share variables.")
    columns = columns_of(owner, data, ())
    if not columns or len(next(iter(columns.values()))) == 0:
        raise DataError(f"{owner}: the data have no rows.")
    rows, states, label = read_rows(owner, columns, treatment, outcome, adjustment, outcome_state)
    k, n = len(states), len(rows.y)
    if rows.strata is not None:
        means, shares = by_strata(owner, rows, k, treatment, states)
        kind = "strata"
    else:
        means, shares = by_regressions(rows, k)
        kind = "regressions"
    least = float(shares.min())
    weight = (rows.x[:, None] == np.arange(k)) / np.maximum(shares, LEAST_SHARE)
    robust = means + weight * (rows.y[:, None] - means)
    if method == "adjustment":
        mu = means.mean(axis=0)
    elif method == "ipw":
        mu = (weight * rows.y[:, None]).sum(axis=0) / weight.sum(axis=0)
    else:
        mu = robust.mean(axis=0)
    if method == "ipw" and rows.strata is None:
        influence = (
            weight * (rows.y[:, None] - mu) / weight.mean(axis=0)
        )  # of (2), as if e were known: on the safe side
    else:
        influence = robust - robust.mean(axis=0)
    covariance = influence.T @ influence / n**2
    words = {"adjustment": "adjusted", "ipw": "inverse propensity weights", "doubly_robust": "doubly robust"}[method]
    over = f" for {', '.join(map(str, adjustment))} ({kind})" if adjustment else " for nothing"
    return Effect(treatment, label, states, mu, np.sqrt(np.diag(covariance)), covariance, level, words + over, n, least)
