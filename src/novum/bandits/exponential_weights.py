r"""Exponential weights against adversaries: EXP3.

    P(a) = (1 - beta) w_a / sum w + beta / K;   w_a *= exp(eta r / P(a))                                                       (7)
    tuned      beta = min(1, sqrt(K log K / ((e - 1) T))),  eta = beta / K  (Auer and others 2002)                             (8)
    anytime    P(a) prop. to exp(-eta_t sum (1 - r) / P(a)),  eta_t = sqrt(log K / (t K))                                      (9)
The numbers are those of docs/theory/bandits.md.
"""

import numpy as np
from numpy.typing import NDArray

from novum.bandits.policy_state import Compiled, Playing, drawn
from novum.base.domains import Bool, Domain, Null, Real
from novum.exceptions import ParameterError

__all__ = ["EXP3"]

Array = NDArray[np.float64]
LEAST_PROBABILITY = 1e-300  # of an arm that a log says was pulled although this policy hardly ever would


class EXP3(Playing):
    """Exponential weights with exploration: little regret against any table of rewards, also one that was written to harm.

    Parameters
    ----------
    exploration : float, default=None
        beta of (7), in [0, 1]. None: (8), for which the horizon must be known.
    learning_rate : float, default=None
        eta of (7). None: exploration / n_arms, for which the bound of the regret holds; the notes take eta = beta, which learns
        faster and has no proof.
    anytime : bool, default=False
        (9), which needs no horizon; the other two parameters are not used.

    Examples
    --------
    >>> from novum.bandits import EXP3
    >>> policy = EXP3(0.1, learning_rate=0.1).reset(3, random_state=0)
    >>> policy.update(1, 1.0)
    >>> policy.probabilities().round(6).tolist()
    [0.302001, 0.395997, 0.302001]
    """

    _domains: dict[str, Domain] = {
        "exploration": Real(0, 1) | Null(),
        "learning_rate": Real(0, open="low") | Null(),
        "anytime": Bool(),
    }

    def __init__(
        self, exploration: float | None = None, *, learning_rate: float | None = None, anytime: bool = False
    ) -> None:
        self.exploration = exploration
        self.learning_rate = learning_rate
        self.anytime = anytime

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.anytime and (self.exploration, self.learning_rate) != (None, None):
            raise ParameterError("EXP3(anytime=True): the anytime form takes neither exploration nor learning_rate.")

    @property
    def _needs_bounded(self) -> bool:
        return True

    def tuned(self, n_arms: int, horizon: int | None) -> tuple[float, float]:
        """Return beta and eta, by (8) where they were left open.

        Examples
        --------
        >>> from novum.bandits import EXP3
        >>> [round(value, 6) for value in EXP3().tuned(10, 3000)]
        [0.066834, 0.006683]
        """
        beta = self.exploration
        if beta is None:
            if horizon is None:
                raise ParameterError(
                    "EXP3: exploration is tuned to the number of rounds; give reset(..., horizon=), set exploration, or use "
                    "anytime=True."
                )
            beta = min(1.0, float(np.sqrt(n_arms * np.log(n_arms) / ((np.e - 1) * horizon))))
        eta = beta / n_arms if self.learning_rate is None else self.learning_rate
        return float(beta), float(eta)

    def _schedule(self, t: Array) -> Array:
        return np.asarray(np.sqrt(1.0 / t))

    def _compiled(self, n_arms: int, horizon: int | None) -> Compiled:
        if self.anytime:
            return Compiled(7, factor=float(np.sqrt(np.log(n_arms) / n_arms)))
        return Compiled(6, (*self.tuned(n_arms, horizon), 0.0))

    def _begin(self) -> None:
        self.log_weights = np.zeros(self.n_arms)
        if not self.anytime:
            self._beta, self._eta = self.tuned(self.n_arms, self.horizon)

    def probabilities(self) -> Array:
        """Return P of (7) or (9) for the next round."""
        rate = np.sqrt(np.log(self.n_arms) / (self.n_arms * (self.round + 1))) if self.anytime else 1.0
        w = np.exp(rate * (self.log_weights - self.log_weights.max()))
        if self.anytime:
            return np.asarray(w / w.sum())
        return np.asarray((1 - self._beta) * w / w.sum() + self._beta / self.n_arms)

    def _choose(self, context: Array) -> int:
        return drawn(self.probabilities(), self.generator)

    def _learn(self, arm: int, reward: float, context: Array) -> None:
        p = max(self.probabilities()[arm], LEAST_PROBABILITY)
        self.log_weights[arm] += -(1 - reward) / p if self.anytime else self._eta * reward / p
