r"""Code length, entropy, cross-entropy and relative entropy of distributions over finitely many values.

    length(v) = -log P(v)                                       of the best code                          (1)
    H(P)      = -sum_v P(v) log P(v)                            0 log 0 = 0                               (2)
    H(P; Q)   = -sum_v P(v) log Q(v)                            infinite where Q(v) = 0 < P(v)            (3)
    D(P||Q)   = H(P; Q) - H(P) = sum_v P(v) log(P(v) / Q(v))    >= 0, zero only for P = Q                 (4)

From an array of probabilities, counts, labels with weights, or distribution objects, in bits, nats or any other base. Of labels
these are the plug-in estimates: (2) of their frequencies, too small by about (k - 1) / 2n nats for k values in n labels.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, rel_entr, xlogy

from novum.exceptions import DataError, ParameterError
from novum.information.neighbors import relative_entropy_of_samples
from novum.information.sources import counts_of, is_distribution, one_source, table_of
from novum.information.units import Base, as_float, log_of
from novum.runtime.checks import float_array, probability_table
from novum.runtime.labels import coded_labels
from novum.runtime.typing import Numbers, RowWeights

__all__ = ["code_length", "cross_entropy", "entropy", "kl_divergence"]


def code_length(p: Any, x: Numbers | None = None, *, base: Base = "bits") -> Any:
    """Return (1), the information content of outcomes.

        length(v) = -log P(v)   of the best code    (1)

    Parameters
    ----------
    p : float, array-like of probabilities, or a distribution
        Probabilities need not sum to one: they may belong to different events.
    x : array-like, optional
        With a distribution: the outcomes.
    base : "bits", "nats" or number above 1, default="bits"

    Returns
    -------
    float or ndarray
        Infinite where the probability is zero.

    Examples
    --------
    >>> from novum.information import code_length
    >>> code_length([0.5, 0.25, 0.25])
    array([1., 2., 2.])
    """
    if is_distribution(p):
        if x is None:
            raise ParameterError("code_length: a distribution needs outcomes, as in code_length(distribution, x).")
        return as_float(-np.asarray(p.log_prob(x)), "code_length", base)
    if x is not None:
        raise ParameterError("code_length: x belongs to a distribution; pass the probabilities of the outcomes as p.")
    share = float_array("code_length", "p", p).astype(np.float64, copy=False)
    if not np.all((share >= 0) & (share <= 1)):
        raise DataError("code_length: every p must lie in [0, 1] and not be NaN.")
    with np.errstate(divide="ignore"):
        return as_float(-np.log(share), "code_length", base)


def entropy(
    p: Any = None,
    *,
    counts: Numbers | None = None,
    labels: Numbers | None = None,
    sample_weight: RowWeights = None,
    base: Base = "bits",
) -> Any:
    """Return (2).

        H(P)   = -sum_v P(v) log P(v)   0 log 0 = 0    (2)

    Parameters
    ----------
    p : array-like, JointTable or distribution
        Probabilities over all axes together; a distribution gives its own entropy (a continuous one the differential).
    counts : array-like, optional
        How often each value occurred, instead of p.
    labels : array-like of shape (n,), optional
        The values themselves, instead of p.
    sample_weight : array-like of shape (n,), optional
        Weights of the labels.
    base : "bits", "nats" or number above 1, default="bits"

    Returns
    -------
    float
        An array for a batch of distributions.

    Examples
    --------
    >>> from novum.information import entropy
    >>> entropy([0.5, 0.25, 0.25])
    1.5
    >>> round(entropy(labels=["yes"] * 9 + ["no"] * 5), 6)
    0.940286
    """
    if is_distribution(p):
        one_source("entropy", p=p, counts=counts, labels=labels)
        return as_float(p.entropy(), "entropy", base)
    return as_float(entr(table_of("entropy", p, counts, labels, sample_weight)).sum(), "entropy", base)


def two_tables(owner: str, p: Any, q: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return two tables over the same values."""
    first = probability_table(owner, "p", getattr(p, "p", p))
    second = probability_table(owner, "q", getattr(q, "p", q))
    if first.shape != second.shape:
        raise DataError(f"{owner}: p has shape {first.shape} and q {second.shape}; they must list the same values.")
    return first, second


def cross_entropy(p: Any = None, q: Any = None, *, samples: Numbers | None = None, base: Base = "bits") -> Any:
    """Return (3): the mean length of messages from P in the code that is best for Q.

        H(P; Q)   = -sum_v P(v) log Q(v)   infinite where Q(v) = 0 < P(v)    (3)

    Parameters
    ----------
    p, q : array-like or JointTable of one shape, or two distributions
        For the loss of a classifier see `novum.losses.CrossEntropyLoss`.
    samples : array-like, optional
        Draws from P, instead of p: the mean of -log q(x), where q is a distribution.
    base : "bits", "nats" or number above 1, default="bits"

    Returns
    -------
    float

    Examples
    --------
    >>> from novum.information import cross_entropy
    >>> round(cross_entropy([0.5, 0.25, 0.25], [1 / 3, 1 / 3, 1 / 3]), 6)
    1.584963
    """
    if one_source("cross_entropy", p=p, samples=samples) == "samples":
        if not is_distribution(q):
            raise ParameterError("cross_entropy: with samples, q must be a distribution.")
        return as_float(-np.asarray(q.log_prob(samples)).mean(axis=0), "cross_entropy", base)
    if is_distribution(p) and is_distribution(q):
        return as_float(np.asarray(p.entropy()) + np.asarray(p.kl(q)), "cross_entropy", base)
    first, second = two_tables("cross_entropy", p, q)
    with np.errstate(divide="ignore"):
        return as_float(-xlogy(first, second).sum(), "cross_entropy", base)


def kl_divergence(
    p: Any = None, q: Any = None, *, labels: Any = None, samples: Any = None, n_neighbors: int = 3, base: Base = "bits"
) -> Any:
    """Return (4), the relative entropy or Kullback-Leibler divergence from Q to P.

        D(P||Q)   = H(P; Q) - H(P) = sum_v P(v) log(P(v) / Q(v))   >= 0, zero only for P = Q    (4)

    Parameters
    ----------
    p, q : array-like or JointTable of one shape, or two distributions
    labels : (array-like, array-like), optional
        Labels drawn from P and from Q, instead of p and q: (4) of their frequencies, infinite if P has a label that Q
        lacks.
    samples : (array-like, array-like), optional
        Draws (n, d) and (m, d) of continuous distributions: the estimate by nearest neighbors of Wang, Kulkarni and
        Verdú (2009), which may be slightly negative.
    n_neighbors : int, default=3
        For `samples`.
    base : "bits", "nats" or number above 1, default="bits"

    Returns
    -------
    float
        An array for batches of distributions.

    Examples
    --------
    >>> from novum.information import kl_divergence
    >>> P, Q = [0.5, 0.25, 0.25], [1 / 3, 1 / 3, 1 / 3]
    >>> round(kl_divergence(P, Q), 6), round(kl_divergence(Q, P), 6)  # not symmetric
    (0.084963, 0.081704)
    """
    owner = "kl_divergence"
    source = one_source(owner, p=p, labels=labels, samples=samples)
    log_of(owner, base)
    if source == "samples":
        return as_float(relative_entropy_of_samples(owner, samples[0], samples[1], n_neighbors), owner, base)
    if source == "labels":
        first, second = (np.asarray(column) for column in labels)
        sides = np.repeat([0, 1], [len(first), len(second)])
        coded_labels(owner, "labels[0]", first)
        table = counts_of(owner, (np.concatenate([first, second]), sides), None)
        first, second = (table / table.sum(axis=0)).T
    elif is_distribution(p) and is_distribution(q):
        return as_float(p.kl(q), owner, base)
    else:
        first, second = two_tables(owner, p, q)
    return as_float(max(float(rel_entr(first, second).sum()), 0.0), owner, base)
