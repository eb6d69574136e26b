r"""Baum-Welch as a fold: expected counts of every bundle, merged, then one maximisation.

    E    gamma, xi of every sequence under the parameters; sums weighted by sequence                (2)
    M    chain by (7), emissions by their own formula

The objective is log p(x) plus the log-densities of the priors, of the parameters that entered the pass: what the maximisation
maximises, so it never falls. A run ends when it gains less than `tol`.
"""

import logging
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.fold.blocks import add
from novum.fold.engine import fold
from novum.runtime import arrays
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.emissions.base import Emission
from novum.sequence.hmm.markov import chain_log_prior, maximize_chain
from novum.sequence.hmm.recursions import Chain, log_likelihoods, smooth, with_known_states
from novum.sequence.hmm.sequences import Sequences

__all__ = [
    "ConvergenceMonitor",
    "Expected",
    "Learning",
    "LogLikelihood",
    "Model",
    "Run",
    "Scored",
    "continued",
    "expected",
    "run_from",
    "score_bundle",
]

logger = logging.getLogger("novum")
ROUNDING = 1e-13  # of the objective: a gain below it is none


class Model(NamedTuple):
    """The parameters that a pass needs."""

    chain: Chain
    emission: Emission


class Expected(NamedTuple):
    """What a pass adds up."""

    log_likelihood: float
    first: NDArray  # (k,): sum of w gamma_1
    pairs: NDArray  # (k, k): sum of w xi
    emission: Any  # statistics of the emissions


class Learning(NamedTuple):
    """What the passes of a run know besides the rows."""

    prior: Any  # of the emission
    start_prior: Any
    trans_prior: NDArray  # (k, k)
    params: str  # letters of the parts that are learned
    stationary: bool

    def maximized(self, model: Model, total: Expected) -> Model:
        """Return the parameters after a pass: (7), and the emission's own formula."""
        chain = maximize_chain(
            model.chain, total.first, total.pairs, self.start_prior, self.trans_prior, self.params, self.stationary
        )
        return Model(chain, model.emission.maximized(total.emission, self.prior, self.params))

    def objective(self, model: Model, total: Expected) -> float:
        """Return the log-likelihood plus the log-prior of the parameters that entered a pass."""
        chain = chain_log_prior(model.chain, self.start_prior, self.trans_prior, self.stationary)
        return total.log_likelihood + chain + model.emission.log_prior(self.prior)


class Scored(NamedTuple):
    """Sums behind a score."""

    log_likelihood: float
    rows: float


class LogLikelihood(float):
    """A log-likelihood: a number that prints with three decimals; `float()` gives all its digits."""

    def __repr__(self) -> str:
        return f"{float(self):.3f}"

    __str__ = __repr__


def weighted_sum(values: NDArray, weight: NDArray | None) -> float:
    """Return the sum of log-likelihoods over sequences; one without weight counts nothing, however impossible."""
    if weight is None:
        return float(values.sum())
    weight = weight if isinstance(values, np.ndarray) else arrays.like(values, weight)
    return float((weight[weight > 0] * values[weight > 0]).sum())


def expected(model: Model, bundle: Bundle) -> Expected:
    """Return the expected counts of one bundle."""
    densities = with_known_states(model.emission.densities(bundle), bundle.states)
    posterior = smooth(model.chain, densities, bundle.offsets, bundle.weight, owner="fit", first_row=bundle.start)
    starts = posterior.shares[bundle.offsets[:-1]]
    if isinstance(starts, np.ndarray):
        first = starts.sum(axis=0) if bundle.weight is None else bundle.weight @ starts
    else:
        first = arrays.to_numpy(bundle._replace(offsets=np.arange(len(starts) + 1)).weighted(starts).sum(dim=0))
    log_likelihood = weighted_sum(posterior.log_likelihood, bundle.weight)
    return Expected(log_likelihood, first, posterior.pairs, model.emission.statistics(bundle, posterior))


def merge_expected(a: Expected, b: Expected) -> Expected:
    """Return the counts of two portions of data."""
    return Expected(
        a.log_likelihood + b.log_likelihood,
        a.first + b.first,
        a.pairs + b.pairs,
        merge_emission(a.emission, b.emission),
    )


def merge_emission(a: Any, b: Any) -> Any:
    """Return the sum of two statistics of emissions, field by field, statistics of several distributions one by one."""
    if isinstance(a, tuple) and a and isinstance(a[0], tuple):
        return (
            tuple(merge_emission(x, y) for x, y in zip(a, b))
            if type(a) is tuple
            else type(a)(*map(merge_emission, a, b))
        )
    return add(a, b)


def score_bundle(model: Model, bundle: Bundle) -> Scored:
    """Return the weighted log-likelihood of one bundle."""
    densities = with_known_states(model.emission.densities(bundle), bundle.states)
    found = log_likelihoods(model.chain, densities, bundle.offsets)
    return Scored(weighted_sum(found, bundle.weight), float(len(bundle.X)))


class ConvergenceMonitor:
    """What a fit reports to: hmmlearn's protocol, so that a subclass of its monitor can take its place.

    Parameters
    ----------
    tol : float
        Least gain of a pass.
    max_iter : int
        Most passes.
    verbose : bool
        Whether to log every pass, to the logger "novum".
    """

    def __init__(self, tol: float, max_iter: int, verbose: bool) -> None:
        self.tol, self.max_iter, self.verbose = tol, max_iter, verbose
        self.history: list[float] = []
        self.iter = 0

    def __repr__(self) -> str:
        return f"ConvergenceMonitor(tol={self.tol}, max_iter={self.max_iter}, iter={self.iter}, history={list(self.history)})"

    def _reset(self) -> None:
        self.iter = 0
        self.history.clear()

    def report(self, log_prob: float) -> None:
        """Record the log-likelihood of a pass."""
        if self.verbose:
            gain = log_prob - self.history[-1] if self.history else float("nan")
            logger.info("iteration %d, log-likelihood %.8f, gain %+.8f", self.iter + 1, log_prob, gain)
        self.history.append(log_prob)
        self.iter += 1

    @property
    def converged(self) -> bool:
        """Whether the last pass was the last one allowed, or gained less than `tol`."""
        return self.iter == self.max_iter or (len(self.history) > 1 and self.history[-1] - self.history[-2] < self.tol)


class Run(NamedTuple):
    """What one start came to."""

    model: Any
    objectives: list[float]  # of the parameters that entered each pass
    log_likelihoods: list[float]
    n_iter: int
    converged: bool


def continued(first: Run, more: Run) -> Run:
    """Return a run and what it went on to as one."""
    return Run(
        more.model,
        [*first.objectives, *more.objectives],
        [*first.log_likelihoods, *more.log_likelihoods],
        first.n_iter + more.n_iter,
        more.converged,
    )


def run_from(
    model: Any,
    source: Sequences,
    maximize: Callable[[Any, Expected], Any],
    objective: Callable[[Any, Expected], float],
    monitor: Any,
    *,
    tol: float,
    max_iter: int,
    statistics: Callable = expected,
    merge: Callable = merge_expected,
    report: Any = None,
) -> Run:
    """Return one run of the fold from given parameters."""
    monitor._reset()
    state = {"model": model}
    objectives: list[float] = []
    likelihoods: list[float] = []

    def value(total: Expected) -> float:
        found = objective(state["model"], total)
        objectives.append(found)
        likelihoods.append(total.log_likelihood)
        monitor.report(found if statistics is not expected else total.log_likelihood)
        return found

    def update(before: Any, total: Expected) -> Any:
        state["model"] = maximize(before, total)
        return state["model"]

    def converged(before: Any, after: Any, history: list[float]) -> bool:
        if type(monitor) is not ConvergenceMonitor:
            return bool(monitor.converged)
        return len(history) > 1 and history[-1] - history[-2] < max(tol, ROUNDING * abs(history[-1]))

    found = fold(
        model,
        statistics,
        update,
        source,  # type: ignore[arg-type]
        objective=value,
        converged=converged,
        max_iter=max_iter,
        merge=merge,
        report=report,
    )
    return Run(found.params, objectives, likelihoods, found.n_iter, found.converged)
