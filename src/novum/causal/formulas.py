r"""Effects from a known joint distribution: adjustment, the front door, and the truth by intervention.

    p(y | do x) = sum_s p(y | x, s) p(s)                                       back-door adjustment                  (1)
    p(y | do x) = sum_m p(m | x) sum_x' p(y | x', m) p(x')                     front-door adjustment                 (2)
    from n rows:  cov of (2) = (E[g g'] - E[g] E[g]') / n,  g: derivatives of (2) by the cells of p(x, y, m)         (3)

Both read only probabilities of what can be observed; `network.do(...)` computes the same from the whole model.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from novum.exceptions import DataError, ParameterError
from novum.graphical import BayesianNetwork
from novum.report.legends import draw_legend
from novum.report.numbers import counted, num
from novum.report.result import result
from novum.report.tables import html_text

__all__ = ["Intervention", "adjusted_table", "frontdoor_table"]

Array = NDArray[np.float64]


@result
class Intervention(NamedTuple):
    """p(outcome | do(treatment)): a row per state of the treatment."""

    p: Array  # (treatment, outcome)
    treatment: Any
    outcome: Any
    treatment_states: tuple[Any, ...]
    outcome_states: tuple[Any, ...]
    formula: str
    covariance: Any = None  # of p, shape (treatment, outcome, treatment, outcome), where p was estimated from data
    level: float = 0.95
    n: int = 0

    @property
    def standard_errors(self) -> Any:
        """Of `p`; None where the probabilities are known."""
        if self.covariance is None:
            return None
        x, y = np.indices(self.p.shape)
        return np.sqrt(np.maximum(self.covariance[x, y, x, y], 0))

    def _half_width(self, error: float) -> float:
        return float(norm.ppf(0.5 + self.level / 2)) * error

    def interval(self, state: Any = None, treated: Any = None, control: Any = None) -> tuple[float, float]:
        """Return the interval of `effect`."""
        value = self.effect(state, treated, control)
        if self.covariance is None:
            return value, value
        at, one, zero = self._places(state, treated, control)
        c = self.covariance[:, at][:, :, at]
        half = self._half_width(float(np.sqrt(max(c[one, one] + c[zero, zero] - 2 * c[one, zero], 0.0))))
        return value - half, value + half

    def _places(self, state: Any, treated: Any, control: Any) -> tuple[int, int, int]:
        at = len(self.outcome_states) - 1 if state is None else self.outcome_states.index(state)
        one = len(self.treatment_states) - 1 if treated is None else self.treatment_states.index(treated)
        return at, one, 0 if control is None else self.treatment_states.index(control)

    def to_frame(self) -> Any:
        """Return a pandas frame with a row per state of treatment and outcome."""
        import pandas as pd

        rows = [
            (x, y, float(self.p[i, j]), *(() if self.covariance is None else (float(self.standard_errors[i, j]),)))
            for i, x in enumerate(self.treatment_states)
            for j, y in enumerate(self.outcome_states)
        ]
        names = [f"do({self.treatment})", str(self.outcome), "p"] + ["standard_error"] * (self.covariance is not None)
        return pd.DataFrame(rows, columns=names)

    def _repr_html_(self) -> str:
        return html_text(repr(self))

    def plot(self, ax: Any = None) -> Any:
        """Draw the probabilities of the outcome as bars for every treatment, with intervals where they are estimates."""
        from novum.report.axes import drawing_axes

        ax = drawing_axes(ax)
        wide = 0.8 / len(self.treatment_states)
        for i, x in enumerate(self.treatment_states):
            error = None if self.covariance is None else self._half_width(1.0) * self.standard_errors[i]
            ax.bar(
                np.arange(self.p.shape[1]) + i * wide, self.p[i], wide, yerr=error, label=f"do({self.treatment}={x})"
            )
        ax.set_xticks(np.arange(self.p.shape[1]) + (len(self.p) - 1) * wide / 2, [str(s) for s in self.outcome_states])
        ax.set(xlabel=str(self.outcome), ylabel="probability", title=self.formula)
        draw_legend(ax)
        return ax

    def effect(self, state: Any = None, treated: Any = None, control: Any = None) -> float:
        """Return p(outcome=state | do(treated)) - p(outcome=state | do(control)); the last states against the first, by default."""
        at, one, zero = self._places(state, treated, control)
        return float(self.p[one, at] - self.p[zero, at])

    def __repr__(self) -> str:
        lines = [f"p({self.outcome} | do({self.treatment}))        {self.formula}"]
        for x, row in zip(self.treatment_states, self.p, strict=True):
            cells = "   ".join(f"{y} {num(v):.4f}" for y, v in zip(self.outcome_states, row, strict=True))
            lines.append(f"  do({self.treatment}={x})  {cells}")
        if self.covariance is not None:
            low, high = self.interval()
            x, y = self.treatment_states, self.outcome_states[-1]
            lines.append(
                f"  {self.outcome}={y}: {x[-1]} - {x[0]}  {num(self.effect()):.4f}   {100 * self.level:g} % interval "
                f"{num(low):.4f} to {num(high):.4f}, {counted(self.n, 'row')}"
            )
        return "\n".join(lines)


def joint_over(network: BayesianNetwork, names: tuple[Any, ...]) -> Array:
    return np.asarray(network.query(list(names)).p)


def adjusted_table(network: BayesianNetwork, treatment: Any, outcome: Any, adjustment: tuple[Any, ...]) -> Intervention:
    """Return (1) from the joint of treatment, outcome and adjustment set."""
    names = (treatment, outcome, *adjustment)
    p = joint_over(network, names).reshape(
        len(network.states[treatment]), len(network.states[outcome]), -1
    )  # (x, y, s)
    p_s = p.sum(axis=(0, 1))
    p_xs = p.sum(axis=1)
    lacking = (p_xs <= 0) & (p_s > 0)
    if lacking.any():
        x = int(np.argwhere(lacking)[0][0])
        raise DataError(
            f"adjust: {treatment}={network.states[treatment][x]!r} never occurs with some values of "
            f"{', '.join(map(str, adjustment))}; the effect is not defined there (no overlap)."
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        conditional = np.where(p_xs[:, None, :] > 0, p / p_xs[:, None, :], 0)
    formula = f"adjusted for {', '.join(map(str, adjustment)) or 'nothing'}"
    return Intervention(
        conditional @ p_s, treatment, outcome, network.states[treatment], network.states[outcome], formula
    )


def frontdoor_covariance(p: Array, n: float) -> Array:
    """Return (3) for p(x, y, m)."""
    k, r, _ = p.shape
    p_x, p_xm = p.sum(axis=(1, 2)), p.sum(axis=1)
    m_x = p_xm / p_x[:, None]  # p(m | x)
    with np.errstate(divide="ignore", invalid="ignore"):
        y_xm = np.where(p_xm[:, None, :] > 0, p / p_xm[:, None, :], 0)  # p(y | x, m)
        over = np.where(p_xm > 0, 1 / p_xm, 0)
    inner = np.einsum("aym,a->ym", y_xm, p_x)
    effect = m_x @ inner.T
    g = np.zeros((k, r, *p.shape))  # of p(y | do x) by the cell (a, b, m)
    for x in range(k):
        for y in range(r):
            cell = np.broadcast_to(
                (y_xm[:, y] @ m_x[x])[:, None, None], p.shape
            ).copy()  # every cell of x' is part of p(x')
            cell += (m_x[x] * p_x[:, None] * over)[:, None, :] * (
                (np.arange(r) == y)[None, :, None] - y_xm[:, y, None, :]
            )
            cell[x] += (inner[y] - effect[x, y]) / p_x[x]
            g[x, y] = cell
    g = g.reshape(k * r, -1)
    flat = p.reshape(-1)
    mean = g @ flat
    return ((g * flat) @ g.T - np.outer(mean, mean)).reshape(k, r, k, r) / n


def frontdoor_table(
    network: BayesianNetwork, treatment: Any, outcome: Any, mediators: tuple[Any, ...], n: int = 0, level: float = 0.95
) -> Intervention:
    """Return (2), with (3) where the network was counted from n rows."""
    names = (treatment, outcome, *mediators)
    p = joint_over(network, names).reshape(
        len(network.states[treatment]), len(network.states[outcome]), -1
    )  # (x, y, m)
    p_x, p_xm = p.sum(axis=(1, 2)), p.sum(axis=1)
    if (p_x <= 0).any():
        raise DataError(f"frontdoor: a state of {treatment!r} has probability zero.")
    m_given_x = p_xm / p_x[:, None]
    lacking = (p_xm <= 0) & (p_xm.sum(axis=0) > 0)
    if lacking.any():
        raise DataError(
            f"frontdoor: a value of {', '.join(map(str, mediators))} never occurs with some state of {treatment!r} (no overlap)."
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        y_given = np.where(p_xm[:, None, :] > 0, p / p_xm[:, None, :], 0)  # (x', y, m)
    inner = np.einsum("xym,x->ym", y_given, p_x)
    formula = f"through {', '.join(map(str, mediators))} (front door)"
    return Intervention(
        p=m_given_x @ inner.T,
        treatment=treatment,
        outcome=outcome,
        treatment_states=network.states[treatment],
        outcome_states=network.states[outcome],
        formula=formula,
        covariance=frontdoor_covariance(p, n) if n else None,
        level=level,
        n=n,
    )


def need_discrete(owner: str, network: BayesianNetwork, names: tuple[Any, ...]) -> None:
    for name in names:
        if name not in network.states:
            raise ParameterError(
                f"{owner}: {name!r} is a real variable of the network; formulas need states. Give data instead."
            )
