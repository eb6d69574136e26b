r"""Ancestral samples of a network, and posteriors estimated from them.

x_i ~ P(x_i | Pa_i), parents first                                                    ancestral sampling         (1)
rejection: keep the samples that agree with the evidence; P(e) = kept / drawn                                    (2)
likelihood weighting: observed nodes are set, not drawn; w = prod_{i observed} P(e_i | Pa_i)                     (3)
p(t | e) = sum_s w_s [x_s = t] / sum_s w_s,   P(e) = mean of w                                                  (4)
variance of (4): sum_s w_s^2 ([x_s = t] - p)^2 / (sum_s w_s)^2;   effective samples (sum w)^2 / sum w^2          (5)

Where few samples carry the weight, the heaviest states may not have been drawn yet, and (5) cannot know: a warning says so where
the effective samples are few, or few of those drawn, or where the tail of the weights has Pareto shape .7 or more.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, DataWarning, ParameterError
from novum.graphical.inference.evidence import Evidence
from novum.graphical.inference.result import Posterior
from novum.report.numbers import num
from novum.runtime.checks import check_count
from novum.runtime.random import Stream, seed_of
from novum.runtime.warn import warn
from novum.sampling.pareto import pareto_shape

if TYPE_CHECKING:
    from novum.graphical.networks.bayesian_network import BayesianNetwork

__all__ = ["draw_states", "likelihood_weighting", "rejection"]

Codes = NDArray[np.int32]
FEW_SAMPLES = 30  # effective ones, below which an answer is called rough
LEAST_SHARE = 0.05  # of the samples that must be effective
WORST_SHAPE = 0.7  # of the weights' tail, as of importance sampling
FEW_IN_CELL = 10  # effective ones in a cell, below which its variance is smoothed


def draw_states(
    network: "BayesianNetwork", n: int, seed: int, fixed: dict[int, int]
) -> tuple[Codes, NDArray[np.float64]]:
    """Return n draws (1) as codes, a column per variable, and the logs of their weights (3); `fixed` variables are set."""
    place = {variable: i for i, variable in enumerate(network.states)}
    stream = Stream(seed)
    codes = np.empty((n, len(place)), dtype=np.int32)
    log_weights = np.zeros(n)
    for variable in network.dag.order:
        if variable not in place:
            continue  # real: drawn elsewhere, and nothing discrete depends on it
        column = place[variable]
        parents = tuple(codes[:, place[p]] for p in network.parents[variable])
        rows = network.conditionals[variable].rows(parents)  # (n, states), or (states,) of a root
        if column in fixed:
            codes[:, column] = fixed[column]
            with np.errstate(divide="ignore"):
                log_weights += np.log(rows[..., fixed[column]])
            continue
        u = stream.uniform("network sample", column, n)
        edges = np.cumsum(rows, axis=-1)
        edges[..., -1] = np.inf  # rounding must not leave a draw without a state
        codes[:, column] = (u[:, None] >= edges).sum(axis=1)
    return codes, log_weights


def least_variance(p: NDArray[np.float64], samples: Any) -> NDArray[np.float64]:
    """Return the variance that few samples in a cell, or beside it, leave at least: that of (samples p + 1) / (samples + 2)."""
    smoothed = (samples * p + 1) / (samples + 2)
    few = samples * np.minimum(p, 1 - p) < FEW_IN_CELL
    return np.where(few | (samples < FEW_SAMPLES), smoothed * (1 - smoothed) / (samples + 3), 0.0)


def weighted_posterior(
    network: "BayesianNetwork",
    owner: str,
    names: tuple[Any, ...],
    seen: Evidence,
    given: str,
    codes: Codes,
    log_weights: NDArray[np.float64],
    method: str,
    details: dict[str, Any],
) -> Posterior:
    """Return (4) and the root of (5); the weights are scaled by the largest, so that evidence of any probability is weighed."""
    largest = float(log_weights.max())
    weights = np.exp(log_weights - largest)
    place = {variable: i for i, variable in enumerate(network.states)}
    shape = tuple(len(network.states[name]) for name in names)
    cell = np.ravel_multi_index(tuple(codes[:, place[name]] for name in names), shape)
    size = int(np.prod(shape))
    total = weights.sum()
    p = np.bincount(cell, weights, size) / total
    squares = np.bincount(cell, weights**2, size)
    variance = (squares * (1 - 2 * p) + p**2 * (weights**2).sum()) / total**2
    effective = details["effective_samples"] = float(total**2 / (weights**2).sum())
    uneven = log_weights.min() < largest
    heavy = details["pareto_shape"] = pareto_shape(log_weights) if uneven else 0.0
    if effective < FEW_SAMPLES or (uneven and (effective < LEAST_SHARE * len(weights) or heavy > WORST_SHAPE)):
        tail = f", Pareto shape {num(heavy):.2f}" if heavy > WORST_SHAPE else ""
        warn(
            f"{owner}: {method}: they are worth {num(effective):.3g} independent ones{tail}; the answer is rough, and may be "
            "further off than its error says. Raise n_samples=, or use an exact method.",
            DataWarning,
        )
    variance = np.maximum(variance, least_variance(p, effective))
    return Posterior(
        p=p.reshape(shape),
        names=names,
        states=network.states,
        given=given,
        log_evidence=float(np.log(total / details["n_samples"])) + largest,
        method=method,
        standard_error=np.sqrt(variance).reshape(shape),
        details=details,
        relation="about",
    )


def directed_order(model: Any, owner: str, method: str) -> Any:
    if not hasattr(model, "dag"):
        raise ParameterError(
            f"{owner}(method={method!r}): only a Bayesian network can be sampled from its parents down; use method='gibbs'."
        )
    return model


def likelihood_weighting(
    model: Any,
    owner: str,
    names: tuple[Any, ...],
    seen: Evidence,
    given: str,
    n_samples: int = 10_000,
    random_state: Any = None,
) -> Posterior:
    """Return (3)-(5)."""
    network = directed_order(model, owner, "likelihood_weighting")
    n = check_count(owner, "n_samples", n_samples)
    codes, log_weights = draw_states(network, n, seed_of(random_state), seen.hard)
    with np.errstate(divide="ignore"):
        for column, likelihood in seen.soft.items():
            log_weights = log_weights + np.log(likelihood[codes[:, column]])
    if log_weights.max() == -np.inf:
        raise DataError(
            f"{owner}: none of {n} samples agrees with the evidence {given}; draw more (n_samples=), or use method='auto'."
        )
    return weighted_posterior(
        network,
        owner=owner,
        names=names,
        seen=seen,
        given=given,
        codes=codes,
        log_weights=log_weights,
        method=f"likelihood weighting, {n} samples",
        details={"n_samples": n},
    )


def rejection(
    model: Any,
    owner: str,
    names: tuple[Any, ...],
    seen: Evidence,
    given: str,
    n_samples: int = 10_000,
    random_state: Any = None,
) -> Posterior:
    """Return (2), with the share of samples that were kept."""
    network = directed_order(model, owner, "rejection")
    n = check_count(owner, "n_samples", n_samples)
    seed = seed_of(random_state)
    codes, _ = draw_states(network, n, seed, {})
    keep = np.ones(n, dtype=bool)
    for column, state in seen.hard.items():
        keep &= codes[:, column] == state
    for column, likelihood in seen.soft.items():
        keep &= (
            Stream(seed).uniform("network soft evidence", column, n) < (likelihood / likelihood.max())[codes[:, column]]
        )
    if not keep.any():
        raise DataError(
            f"{owner}: none of {n} samples agrees with the evidence {given}; draw more (n_samples=), or use "
            "method='likelihood_weighting'."
        )
    details = {"n_samples": n, "accepted": int(keep.sum())}
    found = weighted_posterior(
        network,
        owner=owner,
        names=names,
        seen=seen,
        given=given,
        codes=codes[keep],
        log_weights=np.zeros(int(keep.sum())),
        method=f"rejection, {keep.sum()} of {n} samples kept",
        details=details,
    )
    if seen.soft:
        found.log_evidence += float(sum(np.log(v.max()) for v in seen.soft.values()))
    return found
