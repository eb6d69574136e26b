r"""The chain of a hidden Markov model: its start, its maximisation under a topology, and the distribution it settles to.

    pi_j = (alpha_j - 1 + sum_s w_s gamma_1(j)) / ...,   A_ij = (beta_ij - 1 + sum xi(i, j)) / ...     (7)

A probability that is zero stays zero, so a topology is a start with zeros. With a stationary start pi is no parameter but the
distribution that A leaves as it is, and (7) maximises only the part of the bound that has A. What is climbed then is

    Q(A) = sum (xi + beta - 1) log A + sum_s w_s gamma_1 log pi(A)                                 (7b)
    dQ/dA_ij = (xi + beta - 1)_ij / A_ij + pi_i (Z g)_j,   Z = (I - A + 1 pi')^{-1},   g = gamma_1 / pi     (7c)

by L-BFGS over the logarithms of the allowed probabilities, from the better of A and (7), until its slope vanishes: Q never falls,
so the likelihood never falls, and a chain that the step leaves as it is has no slope left in the likelihood either.
"""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from novum.exceptions import NotConverged, ParameterError
from novum.optimize import lbfgs
from novum.sequence.hmm.emissions.dirichlet import dirichlet_log, row_ratios
from novum.sequence.hmm.recursions import Chain

__all__ = [
    "allowed_transitions",
    "chain_log_prior",
    "check_distribution",
    "maximize_chain",
    "stationary_distribution",
    "transition_prior",
]

TOPOLOGIES = ("full", "left-right", "banded")
STEPS, FLAT = 100, 1e-9  # of the climb of (7b): most steps, and the slope per visit that is none
FARTHEST = 700.0  # between logarithms of probabilities of a row
SUM_TOLERANCE = 1e-6


def allowed_transitions(topology: Any, k: int) -> NDArray | None:
    """Return which transitions a topology allows, (k, k), or None for all."""
    if topology == "full":
        return None
    if topology == "left-right":  # to itself and to any later state
        return np.triu(np.ones((k, k), bool))
    return np.triu(np.ones((k, k), bool)) & ~np.triu(np.ones((k, k), bool), 2)  # banded: to itself and to the next


def transition_prior(prior: Any, sticky: float, k: int) -> NDArray:
    """Return the Dirichlet parameters of the transitions; `sticky` adds so many visits from every state to itself."""
    return np.broadcast_to(np.asarray(prior, np.float64), (k, k)) + sticky * np.eye(k)


def stationary_distribution(trans: NDArray) -> NDArray:
    """Return a distribution that the chain leaves as it is: pi A = pi. Of several, their mean over equally likely starts."""
    k = len(trans)
    equations = np.vstack([trans.T - np.eye(k), np.ones(k)])
    if np.linalg.matrix_rank(trans.T - np.eye(k), tol=1e-10) == k - 1:
        stationary = np.linalg.lstsq(equations, np.append(np.zeros(k), 1.0), rcond=None)[0]
    else:  # average of the powers: what each start settles to, periods averaged out
        power, mean = (np.eye(k) + trans) / 2, np.full(k, 1 / k)
        for _ in range(60):
            power = power @ power
            power /= power.sum(axis=1, keepdims=True)
        stationary = mean @ power
    stationary = np.maximum(stationary, 0.0)
    return stationary / stationary.sum()


def bound_of_chain(trans: NDArray, counts: NDArray, first: NDArray) -> float:
    """Return (7b)."""
    stationary = stationary_distribution(trans)
    with np.errstate(divide="ignore"):
        return float(xlogy(counts, trans).sum() + xlogy(first, stationary).sum())


def bound_and_slope(trans: NDArray, counts: NDArray, first: NDArray) -> tuple[float, NDArray]:
    """Return (7b) of a chain of one closed part, and (7c) in logarithms of probabilities, each row free up to a constant."""
    k = len(trans)
    stationary = np.linalg.solve(np.eye(k) - trans.T + 1.0, np.ones(k))
    if not (stationary[first > 0] > 0).all():
        return -np.inf, np.zeros_like(trans)
    value = float(xlogy(counts, trans).sum() + xlogy(first, stationary).sum())
    share = np.divide(first, stationary, out=np.zeros_like(stationary), where=first > 0)
    returns = np.linalg.solve(np.eye(k) - trans + stationary, share)
    slope = counts + trans * stationary[:, None] * returns
    return value, slope - trans * slope.sum(axis=1, keepdims=True)


def climbed_chain(trans: NDArray, found: NDArray, counts: NDArray, first: NDArray) -> NDArray:
    """Return transitions where (7b) is not below what it is at `trans`, and highest from the better of `trans` and `found`."""
    open_cells, total = trans > 0, max(float(counts.sum() + first.sum()), 1e-300)
    before, after = (bound_of_chain(each, counts, first) for each in (trans, found))
    start = found if after > before else trans

    def chain_of(logits: NDArray) -> NDArray:
        full = np.full(trans.shape, -np.inf)
        full[open_cells] = logits
        full = np.exp(
            np.maximum(full - full.max(axis=1, keepdims=True), -FARTHEST), where=open_cells, out=np.zeros_like(full)
        )
        return full / full.sum(axis=1, keepdims=True)

    def objective(logits: NDArray) -> tuple[float, NDArray]:
        chain = chain_of(logits)
        value, slope = bound_and_slope(chain, counts, first)
        if not np.isfinite(value):
            return 1e300, np.zeros_like(logits)
        return -value / total, -slope[open_cells] / total

    logits = np.log(np.maximum(start[open_cells], np.exp(-FARTHEST)))
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", NotConverged)
            ended = chain_of(np.asarray(lbfgs(objective, logits, gradient=True, tol=FLAT, max_iter=STEPS).x))
    except np.linalg.LinAlgError:  # a chain of several closed parts has no slope
        ended = start
    return max((trans, start, ended), key=lambda each: bound_of_chain(each, counts, first))


def maximize_chain(
    chain: Chain, first: NDArray, pairs: NDArray, start_prior: Any, trans_prior: Any, params: str, stationary: bool
) -> Chain:
    """Return (7) of the parts that `params` names: "s" the start, "t" the transitions."""
    start, trans = chain
    if "t" in params:
        found = row_ratios(pairs, trans_prior, trans, trans > 0)
        if stationary:
            counts = np.maximum(pairs + np.asarray(trans_prior) - 1, 0.0)
            found = climbed_chain(trans, found, counts, first)
        trans = found
    if stationary:
        return Chain(stationary_distribution(trans), trans)
    if "s" in params:
        start = row_ratios(first, start_prior, start, start > 0)
    return Chain(start, trans)


def chain_log_prior(chain: Chain, start_prior: Any, trans_prior: Any, stationary: bool) -> float:
    """Return the logarithm of the Dirichlet priors, up to a constant."""
    own = 0.0 if stationary else dirichlet_log(chain.start, start_prior)
    return own + dirichlet_log(chain.trans, trans_prior)


def check_distribution(owner: str, name: str, values: Any, shape: tuple[int, ...]) -> NDArray:
    """Return probabilities after their checks; hmmlearn's words."""
    found = np.asarray(values, dtype=np.float64)
    if found.shape != shape:
        wanted = "length n_components" if len(shape) == 1 else f"shape {shape}"
        raise ParameterError(f"{owner}: {name} must have {wanted}; got shape {found.shape}.")
    if not np.isfinite(found).all() or (found < 0).any():
        raise ParameterError(f"{owner}: {name} holds numbers that are no probabilities: the least is {found.min():g}.")
    sums = found.sum(axis=-1)
    if not np.allclose(sums, 1, atol=SUM_TOLERANCE, rtol=0):
        rows = "" if len(shape) == 1 else " rows"
        raise ParameterError(f"{owner}: {name}{rows} must sum to 1 (got {np.round(sums, 4)}).")
    return found
