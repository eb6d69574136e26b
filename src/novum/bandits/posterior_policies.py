r"""Policies that keep a model of every arm: Thompson's draws from posteriors, and linear models of contexts.

    Thompson   argmax of draws from the posteriors:  Beta(alpha + wins, beta + losses), or Normal                              (6)
    LinUCB     argmax x'theta_a + exploration sqrt(x' A_a^-1 x),   A_a = ridge I + sum x x',  theta_a = A_a^-1 b_a            (10)
The numbers are those of docs/theory/bandits.md.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from novum.bandits.policy_state import Compiled, Playing, best_of
from novum.base.domains import ArrayLike, Choice, Domain, Null, Real
from novum.exceptions import ParameterError
from novum.runtime.checks import check_number
from novum.runtime.typing import Numbers

__all__ = ["LinUCB", "ThompsonSampling"]

Array = NDArray[np.float64]


class ThompsonSampling(Playing):
    """The arm that is best in a draw from the posterior: each with the probability that it is the best.

    Parameters
    ----------
    likelihood : {"bernoulli", "gaussian"}, default="bernoulli"
        Of a reward given the mean of its arm. With "bernoulli", a reward between 0 and 1 counts as a success with that probability.
    prior : pair of float, default=None
        "bernoulli": the two parameters of a Beta distribution, (1, 1) by default. "gaussian": mean and standard deviation of a
        normal one; flat by default, and then every arm is pulled once first.
    scale : float, default=1.0
        Standard deviation of a reward of "gaussian".

    Examples
    --------
    >>> from novum.bandits import ThompsonSampling
    >>> policy = ThompsonSampling().reset(2, random_state=0)
    >>> for reward in [1, 1, 1, 0]:
    ...     policy.update(0, reward)
    >>> policy.posterior(0)
    Beta(a=4., b=2.)
    """

    _domains: dict[str, Domain] = {
        "likelihood": Choice("bernoulli", "gaussian"),
        "prior": ArrayLike(1) | Null(),
        "scale": Real(0, open="low"),
    }

    def __init__(
        self,
        likelihood: Literal["bernoulli", "gaussian"] = "bernoulli",
        *,
        prior: tuple[float, float] | None = None,
        scale: float = 1.0,
    ) -> None:
        self.likelihood = likelihood
        self.prior = prior
        self.scale = scale

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._prior_parameters()

    @property
    def _needs_bounded(self) -> bool:
        return self.likelihood == "bernoulli"

    def _prior_parameters(self) -> tuple[float, float, float]:
        """Return the two parameters of a Beta prior, or mean and precision of a normal one and the precision of a reward."""
        name, prior = type(self).__name__, (1.0, 1.0) if self.prior is None else self.prior
        if len(prior) != 2:
            raise ParameterError(f"{name}(prior={prior!r}): give the two parameters of the prior distribution.")
        if self.likelihood == "bernoulli":
            a, b = (check_number(name, "prior", each, 0, open_low=True) for each in prior)
            return a, b, 0.0
        precision = float(self.scale) ** -2
        if self.prior is None:
            return 0.0, 0.0, precision
        mean, deviation = check_number(name, "prior", prior[0]), check_number(name, "prior", prior[1], 0, open_low=True)
        return mean, deviation**-2, precision

    def _compiled(self, n_arms: int, horizon: int | None) -> Compiled:
        return Compiled(4 if self.likelihood == "bernoulli" else 5, self._prior_parameters())

    def _begin(self) -> None:
        first, second, self._reward_precision = self._prior_parameters()
        if self.likelihood == "bernoulli":
            self.wins, self.losses = np.full(self.n_arms, first), np.full(self.n_arms, second)
        else:
            self.precision = np.full(self.n_arms, second)
            self.weighted = self.precision * first

    def posterior(self, arm: int) -> Any:
        """Return what is known of the mean of an arm: a Beta or a Normal distribution of `novum.distributions`."""
        from novum.distributions import Beta, Normal

        if self.likelihood == "bernoulli":
            return Beta(float(self.wins[arm]), float(self.losses[arm]))
        if not self.precision[arm]:
            raise ParameterError(f"ThompsonSampling.posterior: arm {arm} was never pulled and the prior is flat.")
        return Normal(float(self.weighted[arm] / self.precision[arm]), float(self.precision[arm] ** -0.5))

    def _choose(self, context: Array) -> int:
        if self.likelihood == "bernoulli":
            return best_of(self.generator.beta(self.wins, self.losses), self.generator)
        if not self.precision.all():
            return int(np.argmin(self.precision))
        draws = self.generator.normal(self.weighted / self.precision, self.precision**-0.5)
        return best_of(draws, self.generator)

    def _learn(self, arm: int, reward: float, context: Array) -> None:
        if self.likelihood == "gaussian":
            self.precision[arm] += self._reward_precision
            self.weighted[arm] += self._reward_precision * reward
        elif reward >= 1 or (reward > 0 and self.generator.random() < reward):
            self.wins[arm] += 1
        else:
            self.losses[arm] += 1


class LinUCB(Playing):
    """A linear model of the reward for every arm, and the upper end of its confidence interval at the context of the round.

    Parameters
    ----------
    exploration : float, default=1.0
        Width of the interval in standard deviations.
    ridge : float, default=1.0
        Of the models; (10).

    Examples
    --------
    >>> from novum.bandits import LinUCB
    >>> policy = LinUCB(0.5).reset(2, n_features=2, random_state=0)
    >>> policy.update(0, 1.0, [1.0, 0.0])
    >>> policy.bounds([1.0, 0.0]).round(4).tolist()  # 1/2 + 0.5 / sqrt 2, and 0.5
    [0.8536, 0.5]
    """

    _domains: dict[str, Domain] = {"exploration": Real(0), "ridge": Real(0, open="low")}

    def __init__(self, exploration: float = 1.0, *, ridge: float = 1.0) -> None:
        self.exploration = exploration
        self.ridge = ridge

    def _compiled(self, n_arms: int, horizon: int | None) -> Compiled:
        return Compiled(8, (float(self.exploration), float(self.ridge), 0.0))

    def _begin(self) -> None:
        self.gram = np.tile(self.ridge * np.eye(self.n_features), (self.n_arms, 1, 1))
        self.moments = np.zeros((self.n_arms, self.n_features))

    def bounds(self, context: Numbers) -> Array:
        """Return (10) of every arm at a context."""
        x = self._features(context)
        solved = np.linalg.solve(self.gram, np.stack([self.moments, np.tile(x, (self.n_arms, 1))], axis=2))
        return np.asarray(solved[:, :, 0] @ x + self.exploration * np.sqrt(np.maximum(solved[:, :, 1] @ x, 0)))

    def _choose(self, context: Array) -> int:
        return best_of(self.bounds(context), self.generator)

    def _learn(self, arm: int, reward: float, context: Array) -> None:
        self.gram[arm] += np.outer(context, context)
        self.moments[arm] += reward * context
