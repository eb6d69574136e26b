r"""The evidence lower bound and what it leaves out.

For observations X, latent Z and any distribution q of Z,

    log p(X) = L(q) + KL(q || p(Z | X))                                                                       (1)
    L(q) = E_q[log p(X, Z)] + H(q)                                                                            (2)
    KL(q || p(Z | X)) = E_q[log q(Z) - log p(Z | X)] >= 0,   zero if and only if q is the posterior           (3)

Over a table of log p(X, Z) all terms are sums, and each is computed by its own formula: that they obey (1) is a check. For q a
distribution that can be drawn from, (2) is the mean of log p(X, z) - log q(z) over draws, with its standard error.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, xlogy

from novum.distributions.base import Distribution
from novum.exceptions import DataError, ParameterError, ParameterTypeError
from novum.report.numbers import counted
from novum.report.result import Result
from novum.runtime.checks import check_count, float_array, probability_table
from novum.runtime.typing import Numbers, Seed

__all__ = ["Bound", "elbo", "log_table", "posterior_of_table", "table_bound"]

Array = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class Bound(Result):
    """The terms of (1) and (2).

    Attributes
    ----------
    elbo : float
        L(q), the lower bound.
    expected_log_joint, entropy : float
        Its two terms (2).
    kl : float
        (3); NaN where the posterior is not at hand.
    log_evidence : float
        log p(X), the sum over all Z; NaN where it is not at hand.
    standard_error : float
        Of `elbo`; zero for tables.
    """

    elbo: float
    expected_log_joint: float
    entropy: float
    kl: float
    log_evidence: float
    standard_error: float = 0.0


def log_table(owner: str, name: str, value: Any) -> Array:
    """Return logarithms of a joint distribution as float64: finite or minus infinity, and not the latter everywhere."""
    table = float_array(owner, name, value).astype(np.float64, copy=False)
    if table.ndim == 0 or not table.size:
        raise DataError(f"{owner}: {name} has shape {table.shape}; it needs an axis of configurations of Z.")
    if np.isnan(table).any() or (table == np.inf).any():
        place = tuple(int(i) for i in np.argwhere(np.isnan(table) | (table == np.inf))[0])
        raise DataError(f"{owner}: {name}{list(place)} = {table[place]}; logarithms of a density are finite or -inf.")
    return table


def posterior_of_table(table: Array, axis: Any = -1) -> Array:
    """Return p(Z | X) of a table of log p(X, Z)."""
    return np.exp(table - logsumexp(table, axis=axis, keepdims=True))


def table_bound(table: Array, q: Array, axis: Any = -1) -> Bound:
    """Return all terms of (1), summed over the axes that are not `axis`: there observations are independent."""
    evidence = logsumexp(table, axis=axis, keepdims=True)
    with np.errstate(invalid="ignore"):
        energy = np.where(q > 0, q * table, 0.0).sum()
        divergence = np.where(q > 0, xlogy(q, q) - q * (table - evidence), 0.0).sum()
    entropy = -xlogy(q, q).sum()
    return Bound(float(energy + entropy), float(energy), float(entropy), float(divergence), float(evidence.sum()))


def sampled_bound(log_joint: Any, q: Any, n_samples: int, random_state: Any) -> Bound:
    """Return (2) as a mean over draws of q."""
    draws = q.sample(n_samples, random_state=random_state)
    joint = np.asarray(log_joint(draws), dtype=np.float64)
    if joint.shape != (n_samples,):
        raise DataError(
            f"elbo: log_joint returned shape {joint.shape} for {counted(n_samples, 'draw')}; it must return one number for each."
        )
    own = np.asarray(q.log_prob(draws), dtype=np.float64)
    terms = joint - own
    if np.isnan(terms).any():
        raise DataError("elbo: log_joint is NaN at a draw of q; return -inf where the joint density is zero.")
    with np.errstate(invalid="ignore"):
        error = float(terms.std(ddof=1) / np.sqrt(n_samples))
    nan = float("nan")
    return Bound(float(terms.mean()), float(joint.mean()), float(-own.mean()), nan, nan, error)


def elbo(
    log_joint: Numbers | Callable[..., Any],
    q: Numbers | Distribution,
    *,
    axis: int | Sequence[Any] | None = -1,
    n_samples: int = 10_000,
    random_state: Seed = None,
) -> Bound:
    """Return the evidence lower bound of q with its terms, and what it leaves out.

        log p(X) = E_q[log p(X, Z)] + H(q) + KL(q || p(Z | X))    (1)

    Parameters
    ----------
    log_joint : array-like, or callable
        log p(X, Z) for every configuration of Z; or a function from draws of Z, shape (n, ...), to n numbers.
    q : array-like of the same shape, or distribution
        Probabilities that sum to one over `axis`; for a callable, an object with `sample(n, random_state=)` and `log_prob`.
    axis : int, tuple of int or None, default=-1
        The axes along which Z runs; along the others lie independent observations, whose terms are summed. None: all.
    n_samples : int, default=10000
        Draws, for a callable.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None

    Returns
    -------
    Bound

    Examples
    --------
    >>> import numpy as np
    >>> from novum.variational import elbo
    >>> joint = np.array([[0.1, 0.3], [0.2, 0.05]])  # p(x_i, z) of two observations
    >>> found = elbo(np.log(joint), [[0.5, 0.5], [0.8, 0.2]])
    >>> round(found.elbo, 6), round(found.kl, 6), abs(found.elbo + found.kl - found.log_evidence) < 1e-12
    (-2.446426, 0.143841, True)
    >>> round(elbo(np.log(joint), [[0.25, 0.75], [0.8, 0.2]]).kl, 12)  # the posterior: the bound is tight
    0.0
    """
    if callable(log_joint):
        if not (hasattr(q, "sample") and hasattr(q, "log_prob")):
            raise ParameterTypeError(
                f"elbo(q={type(q).__name__}): for a log_joint that is a function, q must be a distribution with "
                "sample(n, random_state=) and log_prob(draws), such as novum.distributions.Normal(0, 1)."
            )
        return sampled_bound(log_joint, q, check_count("elbo", "n_samples", n_samples, 2), random_state)
    table = log_table("elbo", "log_joint", log_joint)
    q = np.asarray(q)
    if q.shape != table.shape:
        raise ParameterError(
            f"elbo: q has shape {q.shape} and log_joint {table.shape}; give q a probability for every configuration."
        )
    return table_bound(table, probability_table("elbo", "q", q, axis), axis)
