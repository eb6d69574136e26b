r"""Policies that compare the means of arms, or bounds on them.

    mean_a = (rewards of a) / N_a;   every arm is pulled once before means are compared
    greedy            argmax mean_a                                                                                  (1)
    epsilon-greedy    any arm with probability min(1, exploration t^-decay), else (1)                                (2)
    softmax           P(a) proportional to exp(mean_a / tau_t),   tau_t = temperature t^-decay                       (3)
    UCB1              argmax mean_a + sqrt(c log t / N_a),   c = 2                                                   (4)
    KL-UCB            argmax max{q : N_a kl(mean_a, q) <= log t + c log log t}                                       (5)

A policy is played round by round with `reset`, `select` and `update`, and many thousand times by `simulate`, where the same
formulas are compiled (cpp/include/novum/bandits/policies.h). What `simulate` accepts of anybody are those three methods.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from novum.bandits.policy_state import Compiled, Playing, best_of, drawn
from novum.bandits.upper_bounds import bernoulli_upper
from novum.base.domains import Choice, Domain, Real

__all__ = ["KLUCB", "UCB1", "EpsilonGreedy", "Greedy", "Softmax"]

Array = NDArray[np.float64]
COLDEST = 1e300  # one over a temperature: beyond it differences of means would be no numbers


class MeanPolicy(Playing):
    """A policy that compares the means of arms."""

    def _begin(self) -> None:
        self.counts = np.zeros(self.n_arms)
        self.sums = np.zeros(self.n_arms)

    @property
    def means(self) -> Array:
        """What a pull of every arm has paid on average; NaN before the first."""
        return np.divide(self.sums, self.counts, out=np.full(self.n_arms, np.nan), where=self.counts > 0)

    def _choose(self, context: Array) -> int:
        if not self.counts.all():  # in a game of its own the arms in their order; a log may have begun with any
            return int(np.argmin(self.counts))
        return self._compare(self._schedule(np.array([self.round + 1.0]))[0])

    def _compare(self, now: float) -> int:
        raise NotImplementedError

    def _learn(self, arm: int, reward: float, context: Array) -> None:
        self.counts[arm] += 1
        self.sums[arm] += reward


class EpsilonGreedy(MeanPolicy):
    """The best arm so far, and now and then any arm.

    Parameters
    ----------
    exploration : float, default=0.1
        Probability of a round in which the arm is drawn uniformly.
    decay : float, default=0.0
        The probability in round t is min(1, exploration t^-decay); with decay 1 and exploration = c K / d^2, d the least gap, the
        regret is logarithmic (Auer, Cesa-Bianchi and Fischer 2002).

    Examples
    --------
    >>> from novum.bandits import EpsilonGreedy
    >>> policy = EpsilonGreedy(0.1).reset(3, random_state=0)
    >>> arm = policy.select()
    >>> policy.update(arm, 1.0)
    >>> policy.counts.tolist()
    [1.0, 0.0, 0.0]
    """

    _domains: dict[str, Domain] = {"exploration": Real(0), "decay": Real(0)}

    def __init__(self, exploration: float = 0.1, *, decay: float = 0.0) -> None:
        self.exploration = exploration
        self.decay = decay

    def _schedule(self, t: Array) -> Array:
        return np.asarray(np.minimum(1.0, self.exploration * t**-self.decay))

    def _compiled(self, n_arms: int, horizon: int | None) -> Compiled:
        return Compiled(0)

    def _compare(self, now: float) -> int:
        if now > 0 and self.generator.random() < now:
            return int(self.generator.integers(self.n_arms))
        return best_of(self.means, self.generator)


class Greedy(EpsilonGreedy):
    """The best arm so far, always: it may stay for ever with an arm that was lucky at first.

    Examples
    --------
    >>> from novum.bandits import BernoulliBandit, Greedy, simulate
    >>> found = simulate(BernoulliBandit([0.9, 0.8, 0.5]), Greedy(), 5000, n_runs=200, random_state=0)
    >>> bool(found.final_regret[0].std() > found.final_regret[0].mean())  # most runs lose little, some nearly everything
    True
    """

    _domains: dict[str, Domain] = {}
    exploration, decay = 0.0, 0.0

    def __init__(self) -> None:
        """Make a policy without parameters."""


class Softmax(MeanPolicy):
    """Arms drawn with probabilities that grow with their means: Boltzmann exploration.

    Parameters
    ----------
    temperature : float, default=0.1
        High: all arms alike; low: the best so far.
    decay : float, default=0.0
        The temperature in round t is temperature t^-decay.

    Examples
    --------
    >>> from novum.bandits import Softmax
    >>> policy = Softmax(0.5).reset(2, random_state=0)
    >>> for arm, reward in enumerate([1.0, 0.0]):
    ...     policy.update(arm, reward)
    >>> policy.probabilities().round(4).tolist()  # 1 / (1 + e^-2)
    [0.8808, 0.1192]
    """

    _domains: dict[str, Domain] = {"temperature": Real(0, open="low"), "decay": Real(0)}

    def __init__(self, temperature: float = 0.1, *, decay: float = 0.0) -> None:
        self.temperature = temperature
        self.decay = decay

    def _schedule(self, t: Array) -> Array:
        with np.errstate(over="ignore"):
            return np.asarray(np.minimum(t**self.decay / self.temperature, COLDEST))

    def _compiled(self, n_arms: int, horizon: int | None) -> Compiled:
        return Compiled(1)

    def probabilities(self) -> Array:
        """Return (3) for the next round; before every arm was pulled the next of those that were not is certain."""
        if not self.counts.all():
            return np.asarray(np.eye(self.n_arms)[int(np.argmin(self.counts))])
        return self._probabilities_at(self._schedule(np.array([self.round + 1.0]))[0])

    def _probabilities_at(self, now: float) -> Array:
        with np.errstate(over="ignore"):  # arms that are worse beyond all numbers have probability zero
            w = np.exp((self.means - self.means.max()) * now)
        return np.asarray(w / w.sum())

    def _compare(self, now: float) -> int:
        return drawn(self._probabilities_at(now), self.generator)


class UCB1(MeanPolicy):
    """The arm whose upper confidence bound is largest: optimism in the face of uncertainty.

    Parameters
    ----------
    exploration : float, default=2.0
        c of (4). 2 is the union of Hoeffding's bounds at level t^-4, for rewards in [0, 1]; less explores less and often
        loses less.

    Examples
    --------
    >>> from novum.bandits import UCB1
    >>> policy = UCB1().reset(2, random_state=0)
    >>> for reward in [1.0, 0.0]:
    ...     policy.update(policy.select(), reward)
    >>> policy.bounds().round(4).tolist()  # mean + sqrt(2 log 3)
    [2.4823, 1.4823]
    """

    _domains: dict[str, Domain] = {"exploration": Real(0)}

    def __init__(self, exploration: float = 2.0) -> None:
        self.exploration = exploration

    def _schedule(self, t: Array) -> Array:
        return np.asarray(np.sqrt(self.exploration * np.log(t)))

    def _compiled(self, n_arms: int, horizon: int | None) -> Compiled:
        return Compiled(2)

    def bounds(self) -> Array:
        """Return (4) for the next round; infinite for arms that were never pulled."""
        return self._bounds(self._schedule(np.array([self.round + 1.0]))[0])

    def _bounds(self, now: float) -> Array:
        means, n = np.where(self.counts > 0, self.means, np.inf), np.maximum(self.counts, 1)
        return np.asarray(means + now / np.sqrt(n))

    def _compare(self, now: float) -> int:
        return best_of(self._bounds(now), self.generator)


class KLUCB(UCB1):
    """The arm whose mean could be largest without the rewards being a surprise: the Lai-Robbins constant is reached.

    Parameters
    ----------
    likelihood : {"bernoulli", "gaussian"}, default="bernoulli"
        Of which the divergence is taken: "bernoulli" for any rewards in [0, 1].
    scale : float, default=1.0
        Standard deviation of "gaussian".
    log_log : float, default=0.0
        c of (5); the proof takes 3, practice 0 (Garivier and Cappe 2011).

    Examples
    --------
    >>> from novum.bandits import KLUCB
    >>> policy = KLUCB().reset(2, random_state=0)
    >>> for reward in [1.0, 0.0]:
    ...     policy.update(policy.select(), reward)
    >>> policy.bounds().round(4).tolist()  # -log(1 - q) = log 3
    [1.0, 0.6667]
    """

    _domains: dict[str, Domain] = {
        "likelihood": Choice("bernoulli", "gaussian"),
        "scale": Real(0, open="low"),
        "log_log": Real(0),
    }

    def __init__(
        self, likelihood: Literal["bernoulli", "gaussian"] = "bernoulli", *, scale: float = 1.0, log_log: float = 0.0
    ) -> None:
        self.likelihood = likelihood
        self.scale = scale
        self.log_log = log_log

    @property
    def _needs_bounded(self) -> bool:
        return self.likelihood == "bernoulli"

    def _schedule(self, t: Array) -> Array:
        log_t = np.log(t)
        f = log_t + (self.log_log * np.log(np.maximum(log_t, 1.0)) if self.log_log else 0.0)
        return np.asarray(f if self.likelihood == "bernoulli" else self.scale * np.sqrt(2 * f))

    def _compiled(self, n_arms: int, horizon: int | None) -> Compiled:
        return Compiled(3 if self.likelihood == "bernoulli" else 2)

    def _bounds(self, now: float) -> Array:
        if self.likelihood == "gaussian":
            return super()._bounds(now)
        n = np.maximum(self.counts, 1)
        return np.where(self.counts > 0, bernoulli_upper(self.sums / n, now / n), np.inf)
