r"""Policies: which arm to pull next, from what the arms have paid.

    mean_a = (rewards of a) / N_a;   every arm is pulled once before means are compared
    greedy            argmax mean_a                                                                                  (1)
    epsilon-greedy    any arm with chance min(1, epsilon t^-decay), else (1)                                         (2)
    softmax           P(a) proportional to exp(mean_a / tau_t),   tau_t = temperature t^-decay                       (3)
    UCB1              argmax mean_a + sqrt(c log t / N_a),   c = 2                                                   (4)
    KL-UCB            argmax max{q : N_a kl(mean_a, q) <= log t + c log log t}                                       (5)
    Thompson          argmax of draws from the posteriors:  Beta(alpha + wins, beta + losses), or Normal             (6)
    EXP3              P(a) = (1 - beta) w_a / sum w + beta / K;   w_a *= exp(eta r / P(a))                           (7)
      tuned           beta = min(1, sqrt(K log K / ((e - 1) T))),  eta = beta / K  (Auer and others 2002)            (8)
      anytime         P(a) prop. to exp(-eta_t sum (1 - r) / P(a)),  eta_t = sqrt(log K / (t K))                     (9)
    LinUCB            argmax x'theta_a + alpha sqrt(x' A_a^-1 x),   A_a = ridge I + sum x x',  theta_a = A_a^-1 b_a  (10)

A policy is played round by round with `reset`, `select` and `update`, and many thousand times by `simulate`, where the same
formulas are compiled (cpp/include/novum/bandits/policies.h). What `simulate` accepts of anybody are those three methods.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.bandits._playing import Compiled, Playing, best_of, drawn
from novum.bandits._upper_bounds import bernoulli_upper
from novum.exceptions import ParameterError
from novum.runtime.checks import check_choice, check_number

__all__ = ["EXP3", "KLUCB", "UCB1", "EpsilonGreedy", "Greedy", "LinUCB", "Softmax", "ThompsonSampling"]

Array = NDArray[np.float64]


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
        if self.round < self.n_arms:
            return self.round
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
    epsilon : float, default=0.1
        Chance of a round in which the arm is drawn with equal chances.
    decay : float, default=0.0
        The chance in round t is min(1, epsilon t^-decay); with decay 1 and epsilon = c K / d^2, d the least gap, the regret is
        logarithmic (Auer, Cesa-Bianchi and Fischer 2002).

    Examples
    --------
    >>> from novum.bandits import EpsilonGreedy
    >>> policy = EpsilonGreedy(0.1).reset(3, random_state=0)
    >>> arm = policy.select()
    >>> policy.update(arm, 1.0)
    >>> policy.counts.tolist()
    [1.0, 0.0, 0.0]
    """

    def __init__(self, epsilon: float = 0.1, *, decay: float = 0.0) -> None:
        self.epsilon = check_number("EpsilonGreedy", "epsilon", epsilon, 0)
        self.decay = check_number("EpsilonGreedy", "decay", decay, 0)

    def _schedule(self, t: Array) -> Array:
        return np.asarray(np.minimum(1.0, self.epsilon * t**-self.decay))

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

    def __init__(self) -> None:
        super().__init__(0.0)


class Softmax(MeanPolicy):
    """Arms drawn with chances that grow with their means: Boltzmann exploration.

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

    def __init__(self, temperature: float = 0.1, *, decay: float = 0.0) -> None:
        self.temperature = check_number("Softmax", "temperature", temperature, 0, open_low=True)
        self.decay = check_number("Softmax", "decay", decay, 0)

    def _schedule(self, t: Array) -> Array:
        return np.asarray(t**self.decay / self.temperature)

    def _compiled(self, n_arms: int, horizon: int | None) -> Compiled:
        return Compiled(1)

    def probabilities(self) -> Array:
        """Return (3) for the next round."""
        return self._chances(self._schedule(np.array([self.round + 1.0]))[0])

    def _chances(self, now: float) -> Array:
        w = np.exp((self.means - self.means.max()) * now)
        return np.asarray(w / w.sum())

    def _compare(self, now: float) -> int:
        return drawn(self._chances(now), self.generator)


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

    def __init__(self, exploration: float = 2.0) -> None:
        self.exploration = check_number("UCB1", "exploration", exploration, 0)

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

    def __init__(self, likelihood: str = "bernoulli", *, scale: float = 1.0, log_log: float = 0.0) -> None:
        self.likelihood = check_choice("KLUCB", "likelihood", likelihood, ("bernoulli", "gaussian"))
        self._needs_bounded = likelihood == "bernoulli"
        self.scale = check_number("KLUCB", "scale", scale, 0, open_low=True)
        self.log_log = check_number("KLUCB", "log_log", log_log, 0)

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


class ThompsonSampling(Playing):
    """The arm that is best in a draw from the posterior: each with the chance that it is the best.

    Parameters
    ----------
    likelihood : {"bernoulli", "gaussian"}, default="bernoulli"
        Of a reward given the mean of its arm. With "bernoulli", a reward between 0 and 1 counts as a success with that chance.
    prior : pair of float, default=None
        "bernoulli": the two parameters of a Beta law, (1, 1) by default. "gaussian": mean and standard deviation of a normal law;
        flat by default, and then every arm is pulled once first.
    scale : float, default=1.0
        Standard deviation of a reward of "gaussian".

    Examples
    --------
    >>> from novum.bandits import ThompsonSampling
    >>> policy = ThompsonSampling().reset(2, random_state=0)
    >>> for reward in [1, 1, 1, 0]:
    ...     policy.update(0, reward)
    >>> policy.posterior(0)
    Beta(4, 2)
    """

    def __init__(
        self, likelihood: str = "bernoulli", *, prior: tuple[float, float] | None = None, scale: float = 1.0
    ) -> None:
        name = "ThompsonSampling"
        self.likelihood = check_choice(name, "likelihood", likelihood, ("bernoulli", "gaussian"))
        self._needs_bounded = likelihood == "bernoulli"
        self.scale = check_number(name, "scale", scale, 0, open_low=True)
        self.prior = prior
        pair = self._pair()
        if not isinstance(pair, tuple | list | np.ndarray) or len(pair) != 2:
            raise ParameterError(f"{name}(prior={prior!r}): give the two parameters of the prior law.")
        if likelihood == "bernoulli":
            self._parameters = tuple(check_number(name, "prior", each, 0, open_low=True) for each in pair) + (0.0,)
        elif prior is None:
            self._parameters = (0.0, 0.0, self.scale**-2)
        else:
            mean, spread = check_number(name, "prior", pair[0]), check_number(name, "prior", pair[1], 0, open_low=True)
            self._parameters = (mean, spread**-2, self.scale**-2)

    def _pair(self) -> Any:
        return (1.0, 1.0) if self.prior is None else self.prior

    def _compiled(self, n_arms: int, horizon: int | None) -> Compiled:
        return Compiled(4 if self.likelihood == "bernoulli" else 5, self._parameters)

    def _begin(self) -> None:
        if self.likelihood == "bernoulli":
            self.wins, self.losses = (np.full(self.n_arms, each) for each in self._parameters[:2])
        else:
            self.precision = np.full(self.n_arms, self._parameters[1])
            self.weighted = self.precision * self._parameters[0]

    def posterior(self, arm: int) -> Any:
        """Return what is known of the mean of an arm: a Beta or a Normal law of `novum.distributions`."""
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
            self.precision[arm] += self._parameters[2]
            self.weighted[arm] += self._parameters[2] * reward
        elif reward >= 1 or (reward > 0 and self.generator.random() < reward):
            self.wins[arm] += 1
        else:
            self.losses[arm] += 1


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

    _needs_bounded = True

    def __init__(
        self, exploration: float | None = None, *, learning_rate: float | None = None, anytime: bool = False
    ) -> None:
        self.exploration = None if exploration is None else check_number("EXP3", "exploration", exploration, 0, 1)
        self.learning_rate = (
            None if learning_rate is None else check_number("EXP3", "learning_rate", learning_rate, 0, open_low=True)
        )
        if not isinstance(anytime, bool) or (anytime and (exploration, learning_rate) != (None, None)):
            raise ParameterError(
                f"EXP3(anytime={anytime!r}): True or False; the anytime form takes neither exploration nor learning_rate."
            )
        self.anytime = anytime

    def tuned(self, n_arms: int, horizon: int | None) -> tuple[float, float]:
        """Return beta and eta, by (8) where they were left open.

        Examples
        --------
        >>> from novum.bandits import EXP3
        >>> [round(value, 6) for value in EXP3().tuned(10, 3000)]
        [0.066835, 0.006683]
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
        return beta, eta

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
        p = self.probabilities()[arm]
        self.log_weights[arm] += -(1 - reward) / p if self.anytime else self._eta * reward / p


class LinUCB(Playing):
    """A linear model of the reward for every arm, and the upper end of its confidence interval at the context of the round.

    Parameters
    ----------
    alpha : float, default=1.0
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

    def __init__(self, alpha: float = 1.0, *, ridge: float = 1.0) -> None:
        self.alpha = check_number("LinUCB", "alpha", alpha, 0)
        self.ridge = check_number("LinUCB", "ridge", ridge, 0, open_low=True)

    def _compiled(self, n_arms: int, horizon: int | None) -> Compiled:
        return Compiled(8, (self.alpha, self.ridge, 0.0))

    def _begin(self) -> None:
        self.gram = np.tile(self.ridge * np.eye(self.n_features), (self.n_arms, 1, 1))
        self.moments = np.zeros((self.n_arms, self.n_features))

    def bounds(self, context: Any) -> Array:
        """Return (10) of every arm at a context."""
        x = self._features(context)
        solved = np.linalg.solve(self.gram, np.stack([self.moments, np.tile(x, (self.n_arms, 1))], axis=2))
        return np.asarray(solved[:, :, 0] @ x + self.alpha * np.sqrt(np.maximum(solved[:, :, 1] @ x, 0)))

    def _choose(self, context: Array) -> int:
        return best_of(self.bounds(context), self.generator)

    def _learn(self, arm: int, reward: float, context: Array) -> None:
        self.gram[arm] += np.outer(context, context)
        self.moments[arm] += reward * context
