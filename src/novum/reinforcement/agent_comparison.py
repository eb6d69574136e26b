r"""Which agent is better, from a few runs of each.

    IQM      mean of the middle half of all scores                       less at the mercy of one run than the mean       (1)
    P(A > B) mean over tasks of the share of pairs of runs in which A scores more, ties by half                           (2)
    profile  share of runs that score more than tau, for every tau                                                       (3)

Intervals are percentiles of a stratified bootstrap: runs are drawn with replacement within every task (Agarwal and others
2021), widened as Student's distribution is for so few runs. Intervals of pairs are widened for the number of pairs (Bonferroni), so
that "better" is said in error with a probability of at most 1 - level; dealing the runs to the two agents at random must not
explain it either. One run alone has no interval.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, trim_mean
from scipy.stats import t as student

from novum.exceptions import DataError, DataWarning, ParameterError
from novum.reinforcement.mdp import MDP
from novum.report.legends import draw_legend
from novum.report.numbers import num
from novum.report.result import Result
from novum.runtime.checks import check_count, check_level, float_array
from novum.runtime.random import seed_of
from novum.runtime.typing import Environment, Seed
from novum.runtime.warn import warn

__all__ = ["AgentComparison", "compare_agents", "improvement_probability", "interquartile_mean"]

Array = NDArray[np.float64]
FEW_RUNS = 5  # below which a bootstrap of runs says too little
MIDDLE = 0.25  # cut off at either side


def interquartile_mean(scores: Array, axis: Any = None) -> Any:
    """Return (1)."""
    return trim_mean(scores, MIDDLE, axis=axis)


def improvement_probability(a: Array, b: Array) -> Any:
    """Return (2) of scores (..., n_runs, n_tasks)."""
    higher = np.zeros(a.shape[:-2])
    for task in range(a.shape[-1]):
        gap = a[..., :, None, task] - b[..., None, :, task]
        higher += 0.5 + 0.5 * np.sign(gap).mean(axis=(-2, -1))
    return higher / a.shape[-1]


def resamples(scores: Array, count: int, rng: np.random.Generator) -> Array:
    """Return bootstrap samples (count, n_runs, n_tasks), runs drawn anew within every task."""
    n, tasks = scores.shape
    rows = rng.integers(n, size=(count, n, tasks))
    return np.asarray(scores[rows, np.arange(tasks)])


@dataclass(frozen=True, repr=False)
class AgentComparison(Result):
    """Scores of agents over seeds, and what they show.

    Attributes
    ----------
    agents : list of str
    scores : list of ndarray of shape (n_runs, n_tasks)
    iqm, low, high : list of float
        Interquartile mean and its interval.
    mean, median : list of float
    pairs : list of (str, str)
    improvement, improvement_low, improvement_high : list of float
        (2) of every pair, the first against the second, with its interval.
    difference_low, difference_high : list of float
        Interval of the difference of the interquartile means.
    verdicts : list of str
        Whether one of a pair is really better.
    """

    agents: list[str]
    scores: list[Array]
    iqm: list[float]
    low: list[float]
    high: list[float]
    mean: list[float]
    median: list[float]
    pairs: list[tuple[str, str]]
    improvement: list[float]
    improvement_low: list[float]
    improvement_high: list[float]
    difference_low: list[float]
    difference_high: list[float]
    verdicts: list[str]
    level: float
    _bands: tuple[Array, list[tuple[Array, Array, Array]]]

    def _result_columns(self) -> dict[str, Any]:
        runs = [score.shape[0] for score in self.scores]
        table = {"agent": self.agents, "runs": runs, "IQM": self.iqm, "low": self.low, "high": self.high}
        return table | {"mean": self.mean, "median": self.median}

    def _result_scalars(self) -> dict[str, Any]:
        return {"level": self.level}

    def __repr__(self) -> str:
        return "\n".join([super().__repr__(), *self.verdicts])

    def profile(self) -> tuple[Array, list[tuple[Array, Array, Array]]]:
        """Return the thresholds tau, and for every agent (3) with its band: (share, low, high)."""
        return self._bands

    def _result_picture(self, ax: Any) -> None:
        tau, bands = self._bands
        for name, (share, low, high) in zip(self.agents, bands):
            (line,) = ax.step(tau, share, where="post", label=name)
            ax.fill_between(tau, low, high, step="post", alpha=0.2, color=line.get_color(), lw=0)
        ax.set_xlabel("score")
        ax.set_ylabel("share of runs that score more")
        ax.set_ylim(-0.02, 1.02)
        draw_legend(ax)


def score_table(name: str, value: Any, environment: Any, n_episodes: int) -> Array:
    """Return scores as (n_runs, n_tasks); fitted agents are tried first."""
    if isinstance(value, list | tuple) and value and all(hasattr(one, "evaluate") for one in value):
        if environment is None:
            raise ParameterError(f"compare_agents: {name!r} holds agents; give the environment to try them in.")
        value = [one.evaluate(environment, n_episodes).mean for one in value]
    table = float_array("compare_agents", f"scores of {name!r}", value).astype(np.float64)
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or not table.size or not np.isfinite(table).all():
        raise DataError(f"compare_agents: scores of {name!r} must be finite, of shape (n_runs,) or (n_runs, n_tasks).")
    return table


def widened(tail: float, runs: int) -> float:
    """Return the tail of bootstrap percentiles whose interval is as much wider as Student's is than the normal one.

    The bootstrap of a few runs is too narrow (Hesterberg 2015): at 95 % and five runs it covers 89 %.
    """
    return float(norm.cdf(student.ppf(tail, runs - 1))) if runs > 1 else tail


def permuted_p(a: Array, b: Array, count: int, rng: np.random.Generator) -> float:
    """Return how likely (2) is as far from one half where the runs of a task are dealt to the two agents at random."""
    pooled, n = np.concatenate([a, b]), len(a)
    order = rng.random((count, *pooled.shape)).argsort(axis=1)
    dealt = np.take_along_axis(np.broadcast_to(pooled, order.shape), order, axis=1)
    far = np.abs(improvement_probability(dealt[:, :n], dealt[:, n:]) - 0.5)
    return float((1 + (far >= abs(float(improvement_probability(a, b)) - 0.5) - 1e-12).sum()) / (1 + count))


def verdict(
    a: str,
    b: str,
    p: tuple[float, float, float],
    difference: tuple[float, float],
    level: float,
    explained_by_chance: bool,
) -> str:
    """Return in words whether A is better than B: both intervals must say so, and chance alone must not explain it."""
    if np.isnan([*p, *difference]).any():
        return (
            f"{a} and {b} cannot be distinguished: P({a} > {b}) = {num(p[0]):.2f}, but one run of an agent "
            "shows nothing of its variance"
        )
    detail = (
        f"P({a} > {b}) = {num(p[0]):.2f} [{num(p[1]):.2f}, {num(p[2]):.2f}], difference of IQM in "
        f"[{num(difference[0]):.4g}, {num(difference[1]):.4g}]"
    )
    if p[1] > 0.5 and difference[0] > 0 and not explained_by_chance:
        return f"{a} is better than {b}: {detail} at {level:.0%}"
    if p[2] < 0.5 and difference[1] < 0 and not explained_by_chance:
        return f"{b} is better than {a}: {detail} at {level:.0%}"
    return f"{a} and {b} cannot be distinguished: {detail} at {level:.0%}"


def compare_agents(
    scores: Mapping[str, Any],
    *,
    environment: MDP | Environment | str | Callable[[], Any] | None = None,
    n_episodes: int = 100,
    level: float = 0.95,
    n_resamples: int = 2000,
    random_state: Seed = 0,
) -> AgentComparison:
    """Compare agents by their scores over several seeds; with a warning where there are too few.

    Parameters
    ----------
    scores : mapping from names to array-likes of shape (n_runs,) or (n_runs, n_tasks)
        One score per training run (another seed each), of every task. Or lists of fitted agents, which are tried in `environment`.
    environment : str, gymnasium.Env or callable, default=None
    n_episodes : int, default=100
        Of a trial of an agent.
    level : float, default=0.95
        Of all intervals.
    n_resamples : int, default=2000
    random_state : int, Generator, RandomState, SeedSequence or None, default=0

    Returns
    -------
    AgentComparison

    Examples
    --------
    >>> from novum.reinforcement import compare_agents
    >>> found = compare_agents({"A": [480, 500, 495, 500, 490, 500], "B": [120, 300, 210, 250, 180, 260]})
    >>> found.verdicts[0].split(":")[0]
    'A is better than B'
    """
    owner = "compare_agents"
    if not isinstance(scores, Mapping) or not scores:
        raise ParameterError(f"{owner}(scores=...): give a mapping from names of agents to their scores.")
    level = check_level(owner, level)
    count = check_count(owner, "n_resamples", n_resamples, 100)
    names = [str(name) for name in scores]
    tables = [score_table(name, value, environment, n_episodes) for name, value in scores.items()]
    if len({table.shape[1] for table in tables}) > 1:
        raise DataError(
            f"{owner}: all agents need scores of the same tasks; numbers are {[t.shape[1] for t in tables]}."
        )
    if least := [name for name, table in zip(names, tables) if len(table) < FEW_RUNS]:
        warn(
            f"{owner}: fewer than {FEW_RUNS} runs of {', '.join(least)}: intervals from so few are too narrow; run more seeds.",
            DataWarning,
        )
    rng = np.random.default_rng(seed_of(random_state))
    drawn = [resamples(table, count, rng) for table in tables]
    middle = [interquartile_mean(sample.reshape(count, -1), axis=1) for sample in drawn]
    tail = (1 - level) / 2
    ends = [
        np.quantile(values, [end := widened(tail, len(table)), 1 - end]) if len(table) > 1 else np.full(2, np.nan)
        for values, table in zip(middle, tables)
    ]
    chosen = list(combinations(range(len(names)), 2))
    narrow = tail / max(1, len(chosen))
    pairs: list[tuple[float, ...]] = []
    words = []
    for i, j in chosen:
        p = float(improvement_probability(tables[i], tables[j]))
        some = improvement_probability(drawn[i], drawn[j])
        fewest = min(len(tables[i]), len(tables[j]))
        end = widened(narrow, fewest)
        p_low, p_high = np.quantile(some, [end, 1 - end])
        d_low, d_high = np.quantile(middle[i] - middle[j], [end, 1 - end])
        if fewest == 1:
            p_low = p_high = d_low = d_high = np.nan
        explained_by_chance = permuted_p(tables[i], tables[j], count, rng) > 2 * narrow
        pairs.append((p, float(p_low), float(p_high), float(d_low), float(d_high)))
        words.append(verdict(names[i], names[j], (p, p_low, p_high), (d_low, d_high), level, explained_by_chance))
    columns: list[list[float]] = [list(column) for column in zip(*pairs)] if pairs else [[] for _ in range(5)]
    return AgentComparison(
        agents=names,
        scores=tables,
        iqm=[float(interquartile_mean(table.ravel())) for table in tables],
        low=[float(end[0]) for end in ends],
        high=[float(end[1]) for end in ends],
        mean=[float(table.mean()) for table in tables],
        median=[float(np.median(table)) for table in tables],
        pairs=[(names[i], names[j]) for i, j in chosen],
        improvement=columns[0],
        improvement_low=columns[1],
        improvement_high=columns[2],
        difference_low=columns[3],
        difference_high=columns[4],
        verdicts=words,
        level=level,
        _bands=profile_bands(tables, drawn, tail),
    )


def profile_bands(
    tables: list[Array], drawn: list[Array], tail: float
) -> tuple[Array, list[tuple[Array, Array, Array]]]:
    """Return thresholds and (3) of every agent with its band."""
    tau = np.unique(np.concatenate([table.ravel() for table in tables]))
    tau = np.concatenate([[tau[0] - 0.02 * max(np.ptp(tau), 1e-12)], tau])
    bands = []
    for table, sample in zip(tables, drawn):
        share = (table.ravel() > tau[:, None]).mean(axis=1)
        ordered = np.sort(sample.reshape(len(sample), -1), axis=1)
        below = np.stack([np.searchsorted(row, tau, side="right") for row in ordered], axis=1)
        shares = 1 - below / ordered.shape[1]  # (n_tau, count)
        low, high = np.quantile(shares, [tail, 1 - tail], axis=1)
        bands.append((share, low, high))
    return tau, bands
