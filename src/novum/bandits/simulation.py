r"""Many games at once: the regret of policies, with bands.

    L_t of a run = sum_{s <= t} Delta_{a_s};   mean over n runs +- z sd / sqrt(n);   quantiles of the runs                  (1)

Policies of `novum.bandits` run in C++, a run at a time, on all cores: a run draws from a generator of its own, seeded by
(random_state, label of the policy, number of the run), so that neither threads nor the other policies change it. Any other object
with `select` and `update` is played in Python.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from novum import _core
from novum.bandits.bounds import KINDS, regret_bound
from novum.bandits.environments import AdversarialBandit, Bandit
from novum.bandits.policy_state import Playing
from novum.exceptions import DataError, ParameterError, ParameterTypeError
from novum.report.legends import draw_legend
from novum.report.numbers import counted
from novum.report.result import Result
from novum.report.style import shade
from novum.runtime.checks import check_count, check_level
from novum.runtime.pool import map_ordered
from novum.runtime.random import purpose_code, seed_of
from novum.runtime.threads import thread_count
from novum.runtime.typing import Seed

__all__ = ["Simulation", "simulate"]

Array = NDArray[np.float64]
PARTS = 8  # a thread takes so many parts of a policy's runs, so that none waits long for the last


class Runs(NamedTuple):
    """What the runs of one policy leave."""

    cost: Array  # (n_runs, n_points)
    reward: Array  # (n_runs,)
    pulls: NDArray[np.int64]  # (n_runs, n_arms)


@dataclass(frozen=True, repr=False)
class Simulation(Result):
    """Runs of policies in a bandit.

    Attributes
    ----------
    policies : list of str
        Their labels.
    times : ndarray of shape (n_points,)
        Rounds at which the regret was recorded, the last of them the horizon.
    regret : ndarray of shape (n_policies, n_runs, n_points)
        Pseudo-regret (1) of every run.
    rewards : ndarray of shape (n_policies, n_runs)
        What every run was paid in all.
    pulls : ndarray of shape (n_policies, n_runs, n_arms)
        How often every run pulled each arm.
    bandit : Bandit
    level : float
        Of intervals and bands.
    """

    policies: list[str]
    times: NDArray[np.int64]
    regret: Array
    rewards: Array
    pulls: NDArray[np.int64]
    bandit: Bandit
    level: float

    @property
    def final_regret(self) -> Array:
        """Regret at the horizon, of shape (n_policies, n_runs)."""
        return np.asarray(self.regret[:, :, -1])

    def mean_regret(self) -> tuple[Array, Array]:
        """Return the mean regret of every policy over time and half the width of its interval, (n_policies, n_points) each."""
        n = self.regret.shape[1]
        deviation = self.regret.std(axis=1, ddof=1) if n > 1 else np.full(self.regret.shape[::2], np.nan)
        return self.regret.mean(axis=1), norm.ppf(0.5 + self.level / 2) * deviation / np.sqrt(n)

    def _result_columns(self) -> dict[str, Any]:
        mean, half = self.mean_regret()
        low, high = np.quantile(self.final_regret, [0.05, 0.95], axis=1)
        share = self.pulls.mean(axis=1).max(axis=1) / self.times[-1]
        return {
            "policy": self.policies,
            "regret": mean[:, -1].tolist(),
            "+-": half[:, -1].tolist(),
            "5 % of runs": low.tolist(),
            "95 % of runs": high.tolist(),
            "favourite arm": self.pulls.mean(axis=1).argmax(axis=1).tolist(),
            "its share": share.tolist(),
        }

    def _result_title(self) -> str:
        return f"{self.bandit}: {counted(int(self.times[-1]), 'round')}, {counted(self.regret.shape[1], 'run')}"

    def _result_scalars(self) -> dict[str, Any]:
        return {"horizon": int(self.times[-1]), "n_runs": self.regret.shape[1], "level": self.level}

    def plot(self, ax: Any = None, *, bounds: Sequence[str] = (), band: str = "interval") -> Any:
        """Draw mean regret over time with bands, and bounds beside it; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, default=None
        bounds : sequence of str, default=()
            Kinds of `regret_bound`.
        band : {"interval", "runs"}, default="interval"
            The confidence interval of the mean, or where the middle `level` of all runs lie.
        """
        from novum.report.axes import drawing_axes

        if band not in ("interval", "runs"):
            raise ParameterError(f"Simulation.plot(band={band!r}): band must be 'interval' or 'runs'.")
        if unknown := [kind for kind in bounds if kind not in KINDS]:
            raise ParameterError(f"Simulation.plot(bounds={unknown!r}): kinds are {', '.join(KINDS)}.")
        ax = drawing_axes(ax)
        mean, half = self.mean_regret()
        tail = (1 - self.level) / 2
        for p, name in enumerate(self.policies):
            (line,) = ax.plot(self.times, mean[p], label=name)
            if band == "runs":
                low, high = np.quantile(self.regret[p], [tail, 1 - tail], axis=0)
            else:
                low, high = mean[p] - half[p], mean[p] + half[p]
            ax.fill_between(self.times, low, high, alpha=0.2, color=line.get_color(), lw=0)
        for kind, style in zip(bounds, ["--", ":", "-.", (0, (1, 3)), (0, (5, 5)), (0, (3, 1, 1, 1))]):
            ax.plot(
                self.times,
                regret_bound(self.bandit, self.times, kind),
                color=shade(ax, 0.3),
                ls=style,
                label=f"{kind} bound",
            )
        ax.set_xlabel("round")
        ax.set_ylabel("pseudo-regret")
        draw_legend(ax)
        return ax


def named_policies(policies: Any) -> dict[str, Any]:
    """Return policies by label; several alike are numbered."""
    if isinstance(policies, Mapping):
        pairs = [(str(name), policy) for name, policy in policies.items()]
    else:
        several = isinstance(policies, Sequence) and not hasattr(policies, "select")
        pairs = [
            (repr(p) if isinstance(p, Playing) else type(p).__name__, p) for p in (policies if several else [policies])
        ]
    named: dict[str, Any] = {}
    for name, policy in pairs:
        if isinstance(policy, type) or not all(
            callable(getattr(policy, method, None)) for method in ("select", "update")
        ):
            raise ParameterTypeError(
                f"simulate: {policy!r} is no policy; give an object with select() and update(arm, reward), such as UCB1()."
            )
        label, k = name, 2
        while label in named:
            label, k = f"{name} ({k})", k + 1
        named[label] = policy
    if not named:
        raise ParameterError("simulate(policies=[]): give at least one policy.")
    return named


def compiled_runs(
    bandit: Bandit, policy: Playing, label: str, seed: int, times: NDArray[np.int64], n_runs: int, threads: int
) -> Runs:
    """Return runs of a policy of this package."""
    horizon = int(times[-1])
    plan = policy._compiled(bandit.n_arms, horizon)
    schedule = plan.factor * policy._schedule(np.arange(1.0, horizon + 1))
    runs = Runs(np.empty((n_runs, times.size)), np.empty(n_runs), np.zeros((n_runs, bandit.n_arms), np.int64))
    cuts = np.unique(np.linspace(0, n_runs, 1 + min(n_runs, PARTS * threads)).astype(int))

    def part(pair: tuple[int, int]) -> None:
        rows = slice(*pair)
        _core.bandits.simulation.simulate(
            bandit._kind,
            table=bandit._table,
            contexts=bandit._contexts,
            noise=bandit._noise,
            player=plan.player,
            parameters=np.array(plan.parameters),
            seed=seed,
            purpose=purpose_code(f"bandits {label}"),
            first=pair[0],
            schedule=schedule,
            times=times,
            cost=runs.cost[rows],
            reward=runs.reward[rows],
            pulls=runs.pulls[rows],
        )

    for _ in map_ordered(part, [(int(a), int(b)) for a, b in pairwise(cuts)], threads):
        pass
    return runs


def python_runs(bandit: Bandit, policy: Any, label: str, seed: int, times: NDArray[np.int64], n_runs: int) -> Runs:
    """Return runs of anybody's policy, played in Python."""
    runs = Runs(np.empty((n_runs, times.size)), np.empty(n_runs), np.zeros((n_runs, bandit.n_arms), np.int64))
    for run in range(n_runs):
        generator = np.random.default_rng([seed, purpose_code(f"bandits {label}"), run])
        arms, contexts, paid = [], [], 0.0
        for arm, context, reward in played(bandit, deepcopy(policy), label, int(times[-1]), generator):
            arms.append(arm)
            contexts.append(context)
            paid += reward
        cost = bandit.regret(arms, np.array(contexts))[times - 1]
        runs.cost[run], runs.reward[run] = cost, paid
        runs.pulls[run] = np.bincount(arms, minlength=bandit.n_arms)
    return runs


def played(
    bandit: Bandit, policy: Any, label: str, horizon: int, generator: np.random.Generator
) -> Iterator[tuple[int, Array, float]]:
    """Yield arm, context and reward of every round."""
    if isinstance(policy, Playing):
        policy.reset(bandit.n_arms, n_features=bandit._contexts.shape[1], horizon=horizon, random_state=generator)
    elif callable(getattr(policy, "reset", None)):
        policy.reset(bandit.n_arms)
    has_context = bandit._kind == 3
    for t in range(horizon):
        x = bandit.context(generator)
        arm = policy.select(x) if has_context else policy.select()
        if isinstance(arm, bool) or not isinstance(arm, int | np.integer) or not 0 <= arm < bandit.n_arms:
            raise DataError(f"simulate: {label}.select() gave {arm!r} in round {t}; arms are 0 to {bandit.n_arms - 1}.")
        reward = bandit.pull(int(arm), generator, t, x)
        if has_context:
            policy.update(int(arm), reward, x)
        else:
            policy.update(int(arm), reward)
        yield int(arm), x, reward


def simulate(
    bandit: Bandit,
    policies: Any,
    horizon: int = 1000,
    *,
    n_runs: int = 100,
    n_points: int = 200,
    level: float = 0.95,
    n_jobs: int | None = None,
    random_state: Seed = None,
) -> Simulation:
    """Play policies in a bandit, many times each, and return their regret.

    Parameters
    ----------
    bandit : BernoulliBandit, GaussianBandit, AdversarialBandit or ContextualBandit
    policies : policy, list of policies, or mapping of labels to policies
        Policies of this package run compiled. Any other object with `select()` and `update(arm, reward)` (with the context as a
        further argument in a ContextualBandit) is copied for every run and played in Python, after `reset(n_arms)` where it has
        that method.
    horizon : int, default=1000
        Rounds of a run.
    n_runs : int, default=100
    n_points : int, default=200
        At how many rounds the regret is recorded, evenly spaced.
    level : float, default=0.95
        Of intervals and bands.
    n_jobs : int, default=None
        Threads; None: all that the process may use. It does not change the result.
    random_state : int, Generator, RandomState, SeedSequence or None, default=None

    Returns
    -------
    Simulation
        With `regret`, `pulls`, `final_regret`, a table and `plot(bounds=...)`.

    Examples
    --------
    >>> from novum.bandits import UCB1, BernoulliBandit, Greedy, ThompsonSampling, simulate
    >>> bandit = BernoulliBandit([0.9, 0.8, 0.5])
    >>> found = simulate(bandit, [Greedy(), UCB1(), ThompsonSampling()], 5000, n_runs=400, random_state=0)
    >>> [name for _, name in sorted(zip(found.final_regret.mean(axis=1), found.policies))][0]
    'ThompsonSampling()'
    """
    owner = "simulate"
    if not isinstance(bandit, Bandit):
        raise ParameterTypeError(
            f"{owner}(bandit={bandit!r}): give a bandit, such as BernoulliBandit([0.9, 0.8, 0.5])."
        )
    horizon, n_runs = check_count(owner, "horizon", horizon), check_count(owner, "n_runs", n_runs)
    n_points = min(check_count(owner, "n_points", n_points), horizon)
    level = check_level(owner, level)
    if isinstance(bandit, AdversarialBandit) and horizon > len(bandit.rewards):
        raise ParameterError(
            f"{owner}(horizon={horizon}): the bandit holds rewards of {counted(len(bandit.rewards), 'round')} only."
        )
    named, seed = named_policies(policies), seed_of(random_state)
    for label, policy in named.items():
        if not isinstance(policy, Playing):
            continue
        policy._check_parameters()
        if policy._needs_bounded and not bandit.bounded:
            raise ParameterError(
                f"{owner}: {label} needs rewards in [0, 1], and those of {bandit!r} have no bounds; choose a likelihood "
                "'gaussian' where there is one, UCB1 or LinUCB."
            )
    times = np.unique(np.linspace(horizon / n_points, horizon, n_points).round().astype(np.int64))
    threads = thread_count(n_jobs)
    all_runs = []
    for label, policy in named.items():
        if isinstance(policy, Playing):
            runs = compiled_runs(bandit, policy, label, seed, times, n_runs, threads)
            if isinstance(bandit, AdversarialBandit):
                runs.cost[:] += bandit.best_sums()[times - 1]
        else:
            runs = python_runs(bandit, policy, label, seed, times, n_runs)
        all_runs.append(runs)
    cost, reward, pulls = (np.stack(part) for part in zip(*all_runs))
    return Simulation(list(named), times, cost, reward, pulls, bandit, level)
