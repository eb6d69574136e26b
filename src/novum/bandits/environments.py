r"""Bandits: arms that pay at random, by a table that an adversary wrote, or by a context.

Bernoulli     r ~ Bernoulli(mu_a)                                                                          (1)
Gaussian      r ~ N(mu_a, s_a^2);  s_a = 0 is an arm that always pays the same                             (2)
adversarial   r = R[t, a], a table in [0, 1] written before play begins                                    (3)
contextual    x drawn every round, r = x'theta_a + noise                                                   (4)

gaps Delta_a = max_b mu_b - mu_a;   pseudo-regret of arms a_1 ... a_T = sum_t Delta_{a_t}                  (5)
of (3): max_a sum_t R[t, a] - sum_t R[t, a_t];  of (4): sum_t max_b x_t'theta_b - x_t'theta_{a_t}          (6)
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError
from novum.runtime.checks import check_number, float_array, vector
from novum.runtime.typing import Numbers

__all__ = ["AdversarialBandit", "Bandit", "BernoulliBandit", "ContextualBandit", "GaussianBandit"]

Array = NDArray[np.float64]
NO_CONTEXTS = np.empty((0, 1))


class Bandit(ABC):
    """What policies play: so many arms, a reward for the one that is pulled."""

    n_arms: int
    bounded: bool  # whether all rewards lie in [0, 1]
    _kind: int  # of novum::bandits::Arms
    _table: Array
    _contexts: Array = NO_CONTEXTS
    _noise: float = 0.0

    @abstractmethod
    def pull(self, arm: int, generator: np.random.Generator, round: int = 0, context: Any = None) -> float:
        """Return a reward of an arm in a round, counted from zero."""

    def context(self, generator: np.random.Generator) -> Array:
        """Return the context of a round; the constant one where the bandit has none."""
        return np.ones(1)

    @abstractmethod
    def regret(self, arms: Any, contexts: Numbers | None = None) -> Array:
        """Return the pseudo-regret (5) or (6) after every round of a history of arms."""

    def _history(self, arms: Any) -> NDArray[np.int64]:
        history = np.asarray(arms)
        if history.ndim != 1 or history.dtype.kind not in "iu" or (history.size and not self._known(history)):
            raise DataError(
                f"{type(self).__name__}.regret: arms must be whole numbers from 0 to {self.n_arms - 1}, one for every round."
            )
        return history.astype(np.int64)

    def _known(self, history: NDArray[Any]) -> bool:
        return bool(history.min() >= 0 and history.max() < self.n_arms)


class ArmsWithMeans(Bandit):
    """Arms whose rewards are independent draws: (1) and (2)."""

    means: Array
    scale: Array

    def _set(self, means: Any, scale: Any) -> None:
        name = type(self).__name__
        self.means = vector(name, "means", means)
        if not self.means.size:
            raise DataError(f"{name}: means is empty; give one mean for every arm.")
        scales = float_array(name, "scale", scale)
        if scales.shape not in ((), (1,), self.means.shape):
            raise DataError(
                f"{name}: scale has shape {scales.shape}; give one, or one for each of {self.means.size} arms."
            )
        self.scale = np.broadcast_to(scales, self.means.shape).astype(np.float64)
        if not (np.isfinite(self.scale).all() and (self.scale >= 0).all()):
            raise ParameterError(f"{name}(scale={scale!r}): standard deviations are finite and not negative.")
        self.n_arms = self.means.size
        self._table = np.ascontiguousarray(np.column_stack([self.means, self.scale]))

    @property
    def best_arm(self) -> int:
        """The arm with the largest mean."""
        return int(self.means.argmax())

    @property
    def gaps(self) -> Array:
        """Delta of (5)."""
        return np.asarray(self.means.max() - self.means)

    def regret(self, arms: Any, contexts: Numbers | None = None) -> Array:
        """Return the pseudo-regret (5) after every round of a history of arms.

        Examples
        --------
        >>> from novum.bandits import BernoulliBandit
        >>> BernoulliBandit([0.9, 0.8, 0.5]).regret([0, 1, 2, 0]).round(2)
        array([0. , 0.1, 0.5, 0.5])
        """
        return np.cumsum(self.gaps[self._history(arms)])

    def to_mdp(self, discount: float = 1.0) -> Any:
        """Return the bandit as a decision process of one state, whose actions are the arms.

        Bernoulli arms pay at random there too; normal ones, whose rewards no table lists, pay their means.
        """
        from novum.reinforcement import MDP

        if self.bounded:
            arms = {a: [(float(p), 0, 1.0), (1 - float(p), 0, 0.0)] for a, p in enumerate(self.means)}
            return MDP({0: arms}, discount=discount, actions=range(self.n_arms))
        return MDP(np.ones((1, self.n_arms, 1)), self.means[None, :], discount=discount)


class BernoulliBandit(ArmsWithMeans):
    """Arms that pay one or nothing, as a treatment that cures or does not.

    Parameters
    ----------
    means : array-like of shape (n_arms,)
        Probability of a reward of every arm, in [0, 1]; arms of zero and one are not random.

    Examples
    --------
    >>> from novum.bandits import BernoulliBandit
    >>> trial = BernoulliBandit([0.9, 0.8, 0.5])
    >>> trial.n_arms, trial.best_arm, trial.gaps.round(2).tolist()
    (3, 0, [0.0, 0.1, 0.4])
    """

    _kind, bounded = 0, True

    def __init__(self, means: Numbers) -> None:
        p = vector("BernoulliBandit", "means", means)
        if p.size and not (p.min() >= 0 and p.max() <= 1):
            raise ParameterError(
                f"BernoulliBandit(means=...): probabilities lie in [0, 1], not {p.min():g} to {p.max():g}; use GaussianBandit."
            )
        self._set(p, np.sqrt(p * (1 - p)))

    def __repr__(self) -> str:
        return f"BernoulliBandit({np.round(self.means, 6).tolist()})"

    def pull(self, arm: int, generator: np.random.Generator, round: int = 0, context: Numbers | None = None) -> float:
        """Return one or nothing."""
        return float(generator.random() < self.means[arm])


class GaussianBandit(ArmsWithMeans):
    """Arms that pay a normal reward.

    Parameters
    ----------
    means : array-like of shape (n_arms,)
    scale : float or array-like of shape (n_arms,), default=1.0
        Standard deviations; zero for an arm that always pays the same.

    Examples
    --------
    >>> from novum.bandits import GaussianBandit
    >>> GaussianBandit([0.0, 0.5], scale=0.5).gaps.tolist()
    [0.5, 0.0]
    """

    _kind, bounded = 1, False

    def __init__(self, means: Numbers, scale: float | Numbers = 1.0) -> None:
        self._set(means, scale)

    def __repr__(self) -> str:
        return f"GaussianBandit({np.round(self.means, 6).tolist()}, scale={np.unique(self.scale.round(6)).tolist()})"

    def pull(self, arm: int, generator: np.random.Generator, round: int = 0, context: Numbers | None = None) -> float:
        """Return a normal reward."""
        return float(self.means[arm] + self.scale[arm] * generator.normal())


class AdversarialBandit(Bandit):
    """Rewards that were written down before play: an adversary who does not see what is played.

    Parameters
    ----------
    rewards : array-like of shape (n_rounds, n_arms)
        In [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> from novum.bandits import AdversarialBandit
    >>> AdversarialBandit(np.eye(2)[[0, 0, 1]]).regret([1, 1, 1]).tolist()  # against the better arm so far
    [1.0, 2.0, 1.0]
    """

    _kind, bounded = 2, True

    def __init__(self, rewards: Numbers) -> None:
        table = float_array("AdversarialBandit", "rewards", rewards)
        if table.ndim != 2 or not table.size:
            raise DataError(f"AdversarialBandit: rewards has shape {table.shape}; it must be (n_rounds, n_arms).")
        if not (np.isfinite(table).all() and table.min() >= 0 and table.max() <= 1):
            raise DataError("AdversarialBandit: rewards must be finite numbers in [0, 1]; rescale them.")
        self.rewards = self._table = np.ascontiguousarray(table, dtype=np.float64)
        self.n_arms = table.shape[1]

    def __repr__(self) -> str:
        return f"AdversarialBandit({self.n_arms} arms, {len(self.rewards)} rounds)"

    def pull(self, arm: int, generator: np.random.Generator, round: int = 0, context: Numbers | None = None) -> float:
        """Return what the table holds for this round."""
        return float(self.rewards[round, arm])

    def best_sums(self) -> Array:
        """Return what the best arm in hindsight has paid after every round."""
        return np.asarray(np.cumsum(self.rewards, axis=0).max(axis=1))

    def regret(self, arms: Numbers, contexts: Numbers | None = None) -> Array:
        """Return (6) after every round."""
        history = self._history(arms)
        if len(history) > len(self.rewards):
            raise DataError(
                f"AdversarialBandit.regret: {len(history)} arms, but {len(self.rewards)} rounds of rewards."
            )
        paid = np.cumsum(self.rewards[np.arange(len(history)), history])
        return self.best_sums()[: len(history)] - paid


class ContextualBandit(Bandit):
    """Rewards that are linear in a context which every round shows before the arm is chosen.

    Parameters
    ----------
    coefficients : array-like of shape (n_arms, n_features)
        theta of (4).
    contexts : array-like of shape (n_contexts, n_features), default=None
        Rows that rounds draw from with equal probabilities. None: points on the unit sphere.
    noise : float, default=0.1
        Standard deviation of a reward.

    Examples
    --------
    >>> from novum.bandits import ContextualBandit
    >>> ContextualBandit([[1, 0], [0, 1]]).regret([0, 0], contexts=[[1, 0], [0, 1]]).tolist()
    [0.0, 1.0]
    """

    _kind, bounded = 3, False

    def __init__(self, coefficients: Numbers, contexts: Numbers | None = None, noise: float = 0.1) -> None:
        name = "ContextualBandit"
        theta = float_array(name, "coefficients", coefficients)
        if theta.ndim != 2 or not theta.size or not np.isfinite(theta).all():
            raise DataError(
                f"{name}: coefficients must be finite numbers of shape (n_arms, n_features), not {theta.shape}."
            )
        rows = np.empty((0, theta.shape[1])) if contexts is None else self._rows(contexts, theta.shape[1])
        if contexts is not None and not len(rows):
            raise DataError(f"{name}: contexts has no rows; leave it out to draw points on the unit sphere.")
        self.coefficients = self._table = np.ascontiguousarray(theta, dtype=np.float64)
        self.contexts = self._contexts = np.ascontiguousarray(rows, dtype=np.float64)
        self.noise = self._noise = check_number(name, "noise", noise, 0)
        self.n_arms, self.n_features = theta.shape

    def __repr__(self) -> str:
        return f"ContextualBandit({self.n_arms} arms, {self.n_features} features, noise={self.noise:g})"

    @staticmethod
    def _rows(contexts: Any, width: int) -> Array:
        rows = float_array("ContextualBandit", "contexts", contexts)
        if rows.ndim != 2 or rows.shape[1] != width or not np.isfinite(rows).all():
            raise DataError(
                f"ContextualBandit: contexts must be finite rows of {width} features; the shape is {rows.shape}."
            )
        return rows

    def context(self, generator: np.random.Generator) -> Array:
        """Return the features of a round."""
        if len(self.contexts):
            return np.asarray(self.contexts[generator.integers(len(self.contexts))])
        x = generator.normal(size=self.n_features)
        return np.asarray(x / np.linalg.norm(x))

    def pull(self, arm: int, generator: np.random.Generator, round: int = 0, context: Any = None) -> float:
        """Return x'theta_a with noise."""
        return float(np.dot(self.coefficients[arm], context) + self.noise * generator.normal())

    def regret(self, arms: Numbers, contexts: Numbers | None = None) -> Array:
        """Return (6) after every round, for the contexts that were shown."""
        history = self._history(arms)
        if contexts is None or len(rows := self._rows(contexts, self.n_features)) != len(history):
            raise DataError("ContextualBandit.regret: give `contexts`, the features of every round.")
        values = rows @ self.coefficients.T
        return np.cumsum(values.max(axis=1) - values[np.arange(len(history)), history])
