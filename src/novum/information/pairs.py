r"""What two variables say about each other.

    H(W|V)    = sum_v P(v) H(W|V=v) = H(W, V) - H(V)                                                         (5)
    I(X;Y)    = D(P(x, y) || P(x) P(y)) = H(X) - H(X|Y) = H(X) + H(Y) - H(X, Y)                              (6)
    I(X;Y|Z)  = H(X, Z) + H(Y, Z) - H(X, Y, Z) - H(Z)                                                        (7)
    h(X)      = -int p(x) log p(x) dx              may be negative; -1 bit for a uniform on (0, 1/2)         (8)
    h(X)      = 1/2 log |2 pi e S|                 of a Gaussian with covariance S, with which (5)-(7) hold  (9)

From tables, from multivariate normals, from labels, and from continuous samples by nearest neighbors (formulas at the head of
`novum.information.neighbors`).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, rel_entr

from novum.exceptions import ParameterError
from novum.information.neighbors import (
    entropy_of_samples,
    mutual_information_of_samples,
    mutual_information_with_labels,
)
from novum.information.sources import axes_of, is_distribution, one_source, table_of
from novum.information.units import Base, as_float
from novum.runtime.labels import coded_labels
from novum.runtime.typing import Numbers, RowWeights, Seed

__all__ = ["conditional_entropy", "conditional_nats", "differential_entropy", "mutual_information", "mutual_nats"]

LOG_2_PI_E = float(np.log(2 * np.pi * np.e))


def marginal(table: NDArray[Any], axes: tuple[int, ...]) -> NDArray[Any]:
    """Return the table summed over all axes but these, in this order."""
    others = tuple(set(range(table.ndim)) - set(axes))
    kept = sorted(axes)
    return np.transpose(table.sum(axis=others), [kept.index(axis) for axis in axes])


def conditional_nats(table: NDArray[Any], of: tuple[int, ...], given: tuple[int, ...]) -> float:
    """Return (5) in nats; sum_v P(v) H(W|v) has no terms of opposite sign to cancel."""
    joint = marginal(table, given + of)
    joint = joint.reshape(int(np.prod(joint.shape[: len(given)], dtype=int)), -1)  # (v, w)
    weight = joint.sum(axis=1)
    rows = joint[weight > 0] / weight[weight > 0, None]
    return float(weight[weight > 0] @ entr(rows).sum(axis=1))


def mutual_nats(table: NDArray[Any], x: tuple[int, ...], y: tuple[int, ...], given: tuple[int, ...]) -> float:
    """Return (7) in nats as the mean over z of the relative entropy in (6)."""
    joint = marginal(table, given + x + y)
    shape = [int(np.prod([table.shape[axis] for axis in axes], dtype=int)) for axes in (given, x, y)]
    joint = joint.reshape(shape)  # (z, x, y)
    weight = joint.sum(axis=(1, 2))
    joint, weight = joint[weight > 0] / weight[weight > 0, None, None], weight[weight > 0]
    apart = joint.sum(axis=2)[:, :, None] * joint.sum(axis=1)[:, None, :]
    return max(float(weight @ rel_entr(joint, apart).sum(axis=(1, 2))), 0.0)


def gaussian_nats(cov: NDArray[Any], axes: tuple[int, ...]) -> Any:
    """Return (9) of some coordinates; zero of none."""
    block = cov[..., np.array(axes, dtype=int)[:, None], np.array(axes, dtype=int)]
    return 0.5 * (np.linalg.slogdet(block)[1] + len(axes) * LOG_2_PI_E) if axes else 0.0


def is_gaussian(p: Any) -> bool:
    """Return whether p is a distribution of Gaussian vectors."""
    return is_distribution(p) and type(p).__name__ == "MultivariateNormal"


def disjoint(owner: str, *groups: tuple[int, ...]) -> None:
    """Raise if an axis is in two groups."""
    axes = [axis for group in groups for axis in group]
    if len(set(axes)) < len(axes):
        raise ParameterError(f"{owner}: an axis stands on both sides; the groups of variables must not overlap.")


def rest_of(axes: tuple[int, ...], n_axes: int) -> tuple[int, ...]:
    """Return the other axes."""
    return tuple(sorted(set(range(n_axes)) - set(axes)))


def conditional_entropy(
    p: Any = None,
    *,
    given: int | str | Sequence[Any] = 0,
    of: int | str | Sequence[Any] | None = None,
    counts: Numbers | None = None,
    labels: Any = None,
    sample_weight: RowWeights = None,
    base: Base = "bits",
) -> Any:
    """Return (5), the entropy that is left of some variables when others are known.

        H(W|V)   = sum_v P(v) H(W|V=v) = H(W, V) - H(V)    (5)

    Parameters
    ----------
    p : array-like, JointTable or MultivariateNormal
        The joint probabilities, an axis per variable; of a normal, its coordinates are the axes.
    given : int, str or tuple, default=0
        The known axes, by number or (of a JointTable) by name.
    of : int, str or tuple, optional
        The axes whose entropy is computed; all others by default.
    counts : array-like, optional
        Counts instead of p.
    labels : (array-like, array-like), optional
        Two columns (v, w) instead of p; the first is given unless `given` says otherwise.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows of labels.
    base : "bits", "nats" or number above 1, default="bits"

    Returns
    -------
    float

    Examples
    --------
    >>> from novum.information import conditional_entropy
    >>> round(conditional_entropy([[0.1, 0.2], [0.3, 0.4]]), 6)  # of the columns, when the row is known
    0.965148
    """
    owner = "conditional_entropy"
    if is_gaussian(p):
        one_source(owner, p=p, counts=counts, labels=labels)
        d = p.event_shape[0]
        known = axes_of(owner, "given", given, None, d)
        target = rest_of(known, d) if of is None else axes_of(owner, "of", of, None, d)
        disjoint(owner, known, target)
        return as_float(gaussian_nats(p.cov, known + target) - gaussian_nats(p.cov, known), owner, base)
    table = table_of(owner, p, counts, labels, sample_weight, n_columns=2)
    known = axes_of(owner, "given", given, p, table.ndim)
    target = rest_of(known, table.ndim) if of is None else axes_of(owner, "of", of, p, table.ndim)
    disjoint(owner, known, target)
    if not target:
        raise ParameterError(f"{owner}(given={given!r}): every axis is given; nothing is left to ask about.")
    return as_float(conditional_nats(table, target, known), owner, base)


def mutual_information(
    p: Any = None,
    x: int | str | Sequence[Any] = 0,
    y: Any = 1,
    *,
    given: int | str | Sequence[Any] = (),
    counts: Numbers | None = None,
    labels: Numbers | None = None,
    samples: Any = None,
    n_neighbors: int = 3,
    sample_weight: RowWeights = None,
    base: Base = "bits",
    random_state: Seed = 0,
) -> Any:
    """Return (6), or (7) where some variables are given.

        I(X;Y)   = D(P(x, y) || P(x) P(y)) = H(X) - H(X|Y) = H(X) + H(Y) - H(X, Y)    (6)
        I(X;Y|Z)  = H(X, Z) + H(Y, Z) - H(X, Y, Z) - H(Z)    (7)

    Parameters
    ----------
    p : array-like, JointTable or MultivariateNormal
        The joint probabilities, an axis per variable; of a normal, its coordinates are the axes.
    x, y : int, str or tuple, default=0 and 1
        Axes by number or (of a JointTable) by name; axes that are not named are summed out.
    given : int, str or tuple, default=()
        Axes to condition on.
    counts : array-like, optional
        Counts instead of p.
    labels : (array-like, array-like) or array-like, optional
        Two columns of labels instead of p; with `samples`, one column.
    samples : (array-like, array-like) or array-like, optional
        Two continuous samples (n,) or (n, d) of pairs, estimated by nearest neighbors (Kraskov et al. 2004); together
        with labels, one such sample (Ross 2014). Estimates may be slightly negative. Bring columns to similar scales.
        Where rows repeat, as counts and rounded values do, values are spread over their own width, which leaves the
        information as it is, and the estimate is a mean over such draws.
    n_neighbors : int, default=3
        For samples: fewer have less bias, more have less variance.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows of labels; not for samples.
    base : "bits", "nats" or number above 1, default="bits"
    random_state : int, Generator or None, default=0
        Of the draws that spread repeated samples; nothing else is drawn.

    Returns
    -------
    float

    Examples
    --------
    >>> from novum.information import mutual_information
    >>> round(mutual_information([[0.3, 0.2], [0.1, 0.4]]), 6)
    0.124511
    >>> mutual_information(labels=(["a", "a", "b", "b"], [0, 0, 1, 1]))
    1.0
    """
    owner = "mutual_information"
    if samples is not None:
        one_source(owner, p=p, counts=counts, samples=samples)
        if sample_weight is not None:
            raise ParameterError(f"{owner}: the estimate by neighbors has no weights; repeat or resample the rows.")
        if labels is not None:
            codes = coded_labels(owner, "labels", labels)[1]
            return as_float(
                mutual_information_with_labels(owner, samples, codes, n_neighbors, random_state), owner, base
            )
        if len(samples) != 2:
            raise ParameterError(f"{owner}: samples must be two, as in samples=(x, y); there are {len(samples)}.")
        return as_float(
            mutual_information_of_samples(owner, samples[0], samples[1], n_neighbors, random_state), owner, base
        )
    named = (("x", x), ("y", y), ("given", given))
    if is_gaussian(p):
        one_source(owner, p=p, counts=counts, labels=labels)
        a, b, c = (axes_of(owner, name, which, None, p.event_shape[0]) for name, which in named)
        disjoint(owner, a, b, c)
        parts = [gaussian_nats(p.cov, axes) for axes in (a + c, b + c, a + b + c, c)]
        return as_float(np.maximum(parts[0] + parts[1] - parts[2] - parts[3], 0.0), owner, base)
    table = table_of(owner, p, counts, labels, sample_weight, n_columns=2)
    groups = [axes_of(owner, name, which, p, table.ndim) for name, which in named]
    disjoint(owner, *groups)
    return as_float(mutual_nats(table, *groups), owner, base)


def differential_entropy(
    p: Any = None, *, samples: Numbers | None = None, n_neighbors: int = 3, base: Base = "bits"
) -> Any:
    """Return (8).

        h(X)   = -int p(x) log p(x) dx   may be negative; -1 bit for a uniform on (0, 1/2)    (8)

    Parameters
    ----------
    p : distribution
        A continuous one; `novum.distributions.Continuous` makes one of any density.
    samples : array-like of shape (n,) or (n, d), optional
        Draws instead: the estimate by nearest neighbors of Kozachenko and Leonenko (1987). A repeated row is an error:
        drop it, add noise below the resolution, or take the `entropy` of the values as labels.
    n_neighbors : int, default=3
    base : "bits", "nats" or number above 1, default="bits"

    Returns
    -------
    float
        An array for a batch of distributions.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.information import differential_entropy
    >>> x = np.random.default_rng(0).uniform(0, 0.5, size=2000)
    >>> round(differential_entropy(samples=x), 1)
    -1.0
    """
    owner = "differential_entropy"
    if one_source(owner, p=p, samples=samples) == "samples":
        return as_float(entropy_of_samples(owner, samples, n_neighbors), owner, base)
    if not is_distribution(p):
        raise ParameterError(f"{owner}: p must be a distribution; for draws use samples=, for probabilities `entropy`.")
    if not getattr(getattr(p, "support", None), "continuous", True):
        raise ParameterError(
            f"{owner}(p={p!r}): p has probabilities, no density; for discrete distributions use `entropy`."
        )
    return as_float(p.entropy(), owner, base)
