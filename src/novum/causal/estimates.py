r"""Effects from data: means of the outcome under each treatment, had everybody received it.

    m(x, s) = E[y | x, s],   e(x | s) = P(x | s)
    adjustment:      mu_x = mean_i m(x, s_i)                                                                          (1)
    inverse weights: mu_x = sum_i w_i y_i / sum_i w_i,  w_i = [x_i = x] / e(x | s_i)                                   (2)
    doubly robust:   mu_x = mean_i { m(x, s_i) + w_i (y_i - m(x, s_i)) }                                               (3)
    the errors: novum.causal.influence; rows without overlap: novum.causal.overlap                                   (4)

With categorical s the two functions are means and shares of strata, and (1), (2) and (3) are the same number. Otherwise m is a
linear (for two outcomes: logistic) regression within each treatment and e a logistic regression. Whole numbers are states
where they have few values and every stratum holds every treatment, else numbers. Effects have a cause only if S satisfies the
back-door criterion; nothing in the data can tell.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.causal.effect_rows import Rows, is_dose, read_rows
from novum.causal.influence import Means, by_regression_means, by_robust_means, by_weights, stratum_means
from novum.causal.intervals import interval_about, intervals_of
from novum.causal.overlap import check_overlap, rows_within_trim
from novum.engines.factors.states import columns_of
from novum.exceptions import DataError, ParameterError
from novum.report.legends import draw_legend
from novum.report.numbers import counted, num
from novum.report.result import result
from novum.report.tables import html_text
from novum.runtime.checks import check_choice, check_level, check_number
from novum.runtime.message_text import first_few, value_text

__all__ = ["Effect", "estimate_effect"]

Array = NDArray[np.float64]
METHODS = ("adjustment", "ipw", "doubly_robust")
LEAST_SHARE = 1e-6  # of a propensity: below, one row would stand for a million


class EffectQuery(NamedTuple):
    """The arguments of an estimate with its data, so that it can be repeated on changed data."""

    columns: Mapping[Any, Any]
    treatment: Any
    outcome: Any
    adjustment: tuple[Any, ...]
    method: str
    outcome_state: Any
    level: float
    trim: float | None

    def estimate(self, **changes: Any) -> Any:
        return estimate_effect("adjust", *self._replace(**changes))


@result
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
    freedom: float = np.inf  # degrees of freedom of the errors
    propensities: Any = None  # e(x | s), shape (n, states)
    received: Any = None  # numbers of the states that the rows received
    outcome_deviation: float = np.nan
    two_outcomes: bool = False
    question: Any = None

    @property
    def intervals(self) -> list[tuple[float, float]]:
        return intervals_of(self)

    def difference(self, treated: Any = None, control: Any = None) -> tuple[float, tuple[float, float]]:
        """Return mean(treated) - mean(control), the last state against the first by default, and its interval."""
        one, zero = self._pair(treated, control)
        value = float(self.means[one] - self.means[zero])
        return value, interval_about(self, value, self.difference_error(treated, control))

    def difference_error(self, treated: Any = None, control: Any = None) -> float:
        """Return the standard error of `difference`."""
        one, zero = self._pair(treated, control)
        c = self.covariance
        return float(np.sqrt(max(c[one, one] + c[zero, zero] - 2 * c[one, zero], 0.0)))

    def _pair(self, treated: Any, control: Any) -> tuple[int, int]:
        at = []
        for name, state, usual in (("treated", treated, len(self.states) - 1), ("control", control, 0)):
            if state is not None and state not in self.states:
                raise ParameterError(
                    f"Effect.difference({name}={value_text(state)}): no state of {self.treatment!r}; they are "
                    f"{first_few(self.states, quoted=True)}."
                )
            at.append(usual if state is None else self.states.index(state))
        return at[0], at[1]

    def __repr__(self) -> str:
        comma = "" if self.method.endswith(" of") else ","
        lines = [
            f"mean of {self.outcome} had everybody received {self.treatment} = ...        {self.method}{comma} "
            f"{counted(self.n, 'row')}"
        ]
        for state, mean, (low, high) in zip(self.states, self.means, self.intervals, strict=True):
            lines.append(
                f"  {state}  {num(mean):.4g}   {100 * self.level:g} % interval {num(low):.4g} to {num(high):.4g}"
            )
        value, (low, high) = self.difference()
        lines.append(
            f"  {self.states[-1]} - {self.states[0]}  {num(value):.4g}   {100 * self.level:g} % interval "
            f"{num(low):.4g} to {num(high):.4g}"
        )
        return "\n".join(lines)

    def to_frame(self) -> Any:
        """Return a pandas frame with a row per treatment and one for the difference."""
        import pandas as pd

        value, (low, high) = self.difference()
        rows = [
            (str(state), float(m), float(e), *between)
            for state, m, e, between in zip(self.states, self.means, self.standard_errors, self.intervals, strict=True)
        ]
        rows.append((f"{self.states[-1]} - {self.states[0]}", value, self.difference_error(), low, high))
        return pd.DataFrame(rows, columns=[str(self.treatment), "mean", "standard_error", "low", "high"])

    def _repr_html_(self) -> str:
        return html_text(repr(self))

    def refute(self, kind: str = "all", *, n_repeats: int = 50, share: float = 0.8, random_state: Any = 0) -> Any:
        """Return tests that a sound estimate should pass, each repeated on changed data.

        Parameters
        ----------
        kind : {"all", "placebo", "random_common_cause", "subset"}, default="all"
            Treatments shuffled among the rows: the effect should vanish. A random column added to the adjustment set: it should
            stay. A random part of the rows: it should stay, within its error.
        n_repeats : int, default=50
        share : float, default=0.8
            Of the rows, for "subset".
        random_state : int, Generator, ..., default=0
        """
        from novum.causal.refutation import refute

        return refute(self, kind, n_repeats, share, random_state)

    def sensitivity(self) -> Any:
        """Return how strong an unseen confounder would have to be to explain the difference away."""
        from novum.causal.sensitivity import sensitivity

        return sensitivity(self)

    def plot_overlap(self, ax: Any = None) -> Any:
        """Draw the propensities of the last treatment among those who received it and the others."""
        from novum.report.axes import drawing_axes

        ax = drawing_axes(ax)
        last = len(self.states) - 1
        for part, label in ((self.received == last, f"{self.states[last]}"), (self.received != last, "others")):
            ax.hist(self.propensities[part, last], bins=np.linspace(0, 1, 31), alpha=0.6, label=label)
        ax.set(xlabel=f"P({self.treatment}={self.states[last]} | adjustment set)", ylabel="rows", title="overlap")
        draw_legend(ax)
        return ax

    def plot(self, ax: Any = None) -> Any:
        """Draw the means with their intervals."""
        from novum.report.axes import drawing_axes

        ax = drawing_axes(ax)
        error = [[m - low, high - m] for m, (low, high) in zip(self.means, self.intervals, strict=True)]
        ax.errorbar(range(len(self.states)), self.means, yerr=np.array(error).T, fmt="o", capsize=4)
        ax.set(xlabel=f"do({self.treatment})", ylabel=f"mean of {self.outcome}", title=self.method)
        ax.set_xticks(range(len(self.states)), [str(s) for s in self.states])
        return ax


def stratum_shares(rows: Rows, k: int) -> Array:
    """Return e(x | s_i), zero where a stratum lacks a treatment."""
    strata = rows.strata
    assert strata is not None
    count = np.bincount(strata * k + rows.x, minlength=(int(strata.max()) + 1) * k).reshape(-1, k)
    return (count / count.sum(axis=1, keepdims=True))[strata]


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
            "adjust for fewer variables, or coarser states, or pass trim=0.01 for the effect on the other rows."
        )
    total = np.bincount(cell, rows.y, size * k).reshape(size, k)
    return (total / count)[strata], (count / count.sum(axis=1, keepdims=True))[strata]


def by_regressions(rows: Rows, k: int) -> tuple[Array, Array, list[bool]]:
    """Return m and e from regressions on the covariates, and where m is logistic."""
    from novum.linear_model import LinearRegression, LogisticRegression

    means, logistic = np.empty((len(rows.y), k)), []
    for x in range(k):
        part = rows.x == x
        logistic.append(rows.binary and 0 < rows.y[part].mean() < 1)
        if logistic[-1]:
            model = LogisticRegression(C=1e6).fit(rows.design[part], rows.y[part])
            means[:, x] = model.predict_proba(rows.design)[:, 1]
        else:
            means[:, x] = LinearRegression().fit(rows.design[part], rows.y[part]).predict(rows.design)
    return means, LogisticRegression(C=1e6).fit(rows.design, rows.x).predict_proba(rows.design), logistic


def means_of(
    owner: str, rows: Rows, k: int, method: str, treatment: Any, states: tuple[Any, ...], trimmed: bool
) -> tuple[Means, Array]:
    """Return (1), (2) or (3) with their errors, and the propensities."""
    if rows.strata is not None:
        _, shares = by_strata(owner, rows, k, treatment, states)
        if not trimmed:
            check_overlap(owner, treatment, states, rows.x, shares)
        return stratum_means(rows.x, rows.y, rows.strata, k), shares
    means, shares, logistic = by_regressions(rows, k)
    if not trimmed:
        check_overlap(owner, treatment, states, rows.x, shares, method == "ipw")
    weight = (rows.x[:, None] == np.arange(k)) / np.maximum(shares, LEAST_SHARE)
    if method == "adjustment":
        return by_regression_means(rows.x, rows.y, rows.design, means, logistic), shares
    if method == "ipw":
        return by_weights(rows.x, rows.y, rows.design, shares, weight), shares
    return by_robust_means(rows.y, means, weight), shares


def estimate_effect(
    owner: str,
    data: Any,
    treatment: Any,
    outcome: Any,
    adjustment: tuple[Any, ...],
    method: str,
    outcome_state: Any,
    level: float,
    trim: float | None = None,
) -> Any:
    """Return (1), (2) or (3) with the errors (4)."""
    check_choice(owner, "method", method, METHODS)
    level = check_level(owner, level)
    if trim is not None:
        trim = check_number(owner, "trim", trim, 0, 0.5, open_high=True)
    if treatment == outcome or {treatment, outcome} & set(adjustment):
        raise ParameterError(f"{owner}: treatment, outcome and adjustment set must not share variables.")
    columns = columns_of(owner, data, ())
    if not columns or len(next(iter(columns.values()))) == 0:
        raise DataError(f"{owner}: the data have no rows.")
    question = EffectQuery(
        columns=columns,
        treatment=treatment,
        outcome=outcome,
        adjustment=adjustment,
        method=method,
        outcome_state=outcome_state,
        level=level,
        trim=trim,
    )
    if is_dose(owner, columns, treatment):
        from novum.causal.doses import dose_effect

        return dose_effect(owner, question)
    rows, states, label = read_rows(owner, columns, treatment, outcome, adjustment, outcome_state)
    k, n = len(states), len(rows.y)
    kind = "regressions" if rows.strata is None else "strata"
    over = f" for {', '.join(map(str, adjustment))} ({kind})" if adjustment else " for nothing"
    if trim:
        shares = by_regressions(rows, k)[1] if rows.strata is None else stratum_shares(rows, k)
        rows = rows.part(rows_within_trim(owner, trim, k, rows.x, shares))
        over += f", trimmed to propensities from {num(trim):g}: {len(rows.y)} of"
    found, shares = means_of(owner, rows, k, method, treatment, states, bool(trim))
    words = {"adjustment": "adjusted", "ipw": "inverse propensity weights", "doubly_robust": "doubly robust"}[method]
    return Effect(
        treatment=treatment,
        outcome=label,
        states=states,
        means=found.mu,
        standard_errors=np.sqrt(np.diag(found.covariance)),
        covariance=found.covariance,
        level=level,
        method=words + over,
        n=n,
        least_propensity=float(shares.min()),
        freedom=found.freedom,
        propensities=shares,
        received=rows.x,
        outcome_deviation=float(rows.y.std()),
        two_outcomes=rows.binary,
        question=question,
    )
