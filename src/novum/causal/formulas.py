r"""Effects from a known joint distribution: adjustment, the front door, and the truth by intervention.

    p(y | do x) = sum_s p(y | x, s) p(s)                                       back-door adjustment                  (1)
    p(y | do x) = sum_m p(m | x) sum_x' p(y | x', m) p(x')                     front-door adjustment                 (2)

Both read only probabilities of what can be observed; `network.do(...)` computes the same from the whole model.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError
from novum.graphical import BayesianNetwork

__all__ = ["Intervention", "adjusted_table", "frontdoor_table"]

Array = NDArray[np.float64]


class Intervention(NamedTuple):
    """p(outcome | do(treatment)): a row per state of the treatment."""

    p: Array  # (treatment, outcome)
    treatment: Any
    outcome: Any
    treatment_states: tuple[Any, ...]
    outcome_states: tuple[Any, ...]
    formula: str

    def effect(self, state: Any = None, treated: Any = None, control: Any = None) -> float:
        """Return p(outcome=state | do(treated)) - p(outcome=state | do(control)); the last states against the first, by default."""
        at = len(self.outcome_states) - 1 if state is None else self.outcome_states.index(state)
        one = len(self.treatment_states) - 1 if treated is None else self.treatment_states.index(treated)
        zero = 0 if control is None else self.treatment_states.index(control)
        return float(self.p[one, at] - self.p[zero, at])

    def __repr__(self) -> str:
        lines = [f"p({self.outcome} | do({self.treatment}))        {self.formula}"]
        for x, row in zip(self.treatment_states, self.p, strict=True):
            cells = "   ".join(
                f"{y} {v:.4f}".replace(" 0.", " .") for y, v in zip(self.outcome_states, row, strict=True)
            )
            lines.append(f"  do({self.treatment}={x})  {cells}")
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


def frontdoor_table(network: BayesianNetwork, treatment: Any, outcome: Any, mediators: tuple[Any, ...]) -> Intervention:
    """Return (2)."""
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
        m_given_x @ inner.T, treatment, outcome, network.states[treatment], network.states[outcome], formula
    )


def need_discrete(owner: str, network: BayesianNetwork, names: tuple[Any, ...]) -> None:
    for name in names:
        if name not in network.states:
            raise ParameterError(
                f"{owner}: {name!r} is a real variable of the network; formulas need states. Give data instead."
            )
