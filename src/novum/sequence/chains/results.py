"""What questions to a chain are answered with."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.report.legends import draw_legend
from novum.report.result import Result
from novum.runtime.message_text import first_few

__all__ = ["ChainClasses", "ChainVerdict", "HomogeneityCheck", "MixingTime", "OrderComparison"]


@dataclass(frozen=True, repr=False)
class ChainVerdict(Result):
    """Yes or no, and why; true in conditions where the answer is yes."""

    holds: bool
    reason: str

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        return f"{self.holds}: {self.reason}"


@dataclass(frozen=True, repr=False)
class ChainClasses(Result):
    """The communicating classes: states that lead to each other.

    Attributes
    ----------
    members : list of lists of states
    closed : list of bool
        Whether nothing leads out: the states are recurrent then, else transient.
    period : list of int
        Greatest common divisor of the lengths of returns; 0 where no state returns.
    """

    members: list[list[Any]]
    closed: list[bool]
    period: list[int]

    def __len__(self) -> int:
        return len(self.members)

    def _result_columns(self) -> dict[str, Any]:
        return {
            "states": [first_few(m) for m in self.members],
            "size": [len(m) for m in self.members],
            "closed": list(self.closed),
            "period": list(self.period),
        }


@dataclass(frozen=True, repr=False)
class MixingTime(Result):
    """How long an ergodic chain remembers its start.

    Attributes
    ----------
    epsilon : float
        Distance in total variation that counts as forgotten.
    time : float
        Least number of steps after which every start is as close to the stationary distribution.
    bound : float
        What the spectrum alone guarantees; never smaller than `time`.
    gap : float
        One less the second largest modulus of an eigenvalue (reversible), or less the second singular value.
    reversible : bool
    """

    epsilon: float
    time: float
    bound: float
    gap: float
    reversible: bool


@dataclass(frozen=True, repr=False)
class OrderComparison(Result):
    """Orders 0 to M + 1 on the same places of the same sequences.

    Attributes
    ----------
    order : array
    log_likelihood, parameters, aic, bic : arrays
        Of the places that every order explains; `parameters` of the contexts that occur.
    statistic, df, p_value : arrays
        Likelihood-ratio test of the order before against this one (NaN for order 0).
    """

    order: NDArray[np.int64]
    log_likelihood: NDArray[np.float64]
    parameters: NDArray[np.int64]
    aic: NDArray[np.float64]
    bic: NDArray[np.float64]
    statistic: NDArray[np.float64]
    df: NDArray[np.float64]
    p_value: NDArray[np.float64]

    @property
    def best(self) -> int:
        """The order of the least BIC."""
        return int(self.order[self.bic.argmin()])

    def _result_picture(self, ax: Any) -> None:
        ax.plot(self.order, self.bic, marker="o", label="BIC")
        ax.plot(self.order, self.aic, marker=".", label="AIC")
        ax.set(ylabel="criterion", xlabel="order", xticks=list(self.order))
        draw_legend(ax)


@dataclass(frozen=True, repr=False)
class HomogeneityCheck(Result):
    """Likelihood-ratio test of one table of transitions against one for each part of the sequences."""

    statistic: float
    df: int
    p_value: float
    parts: int
