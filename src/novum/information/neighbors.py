r"""Entropy, relative entropy and mutual information of continuous samples, from distances to nearest neighbors.

With eps_i the distance from x_i to its k-th neighbor in the maximum norm, psi the digamma function and c_d = 2^d the volume
of the unit ball:

    H(X)    ~ psi(n) - psi(k) + log c_d + (d/n) sum_i log eps_i                     Kozachenko, Leonenko 1987      (10)
    I(X;Y)  ~ psi(k) + psi(n) - mean_i [psi(a_i + 1) + psi(b_i + 1)]                Kraskov et al. 2004, first     (11)
              a_i, b_i: other points nearer than eps_i in x and in y alone, eps_i from the pair (x, y)
    I(X;L)  ~ psi(n) + psi(k) - mean_i [psi(n_l(i)) + psi(m_i)]                     Ross 2014                      (12)
              eps_i among the n_l points of the same label, m_i: other points of any label up to the one at eps_i
    D(P||Q) ~ (d/n) sum_i log(nu_i / rho_i) + log(m / (n - 1))                      Wang et al. 2009               (13)
              rho_i: k-th neighbor in x, nu_i: k-th neighbor in y

All in nats. The errors of the terms cancel in (11) because one scale eps_i serves all three entropies. Where only x repeats,
eps_i lies among equal x and (11) is (12) with x as the label.

Draws of a continuous variable never repeat: with repeated rows there is no density, and (10) and (13) refuse them. Mutual
information has a value all the same. With g the least gap between different values of a column and U uniform on (-g/2, g/2),

    I(X + U; Y) = I(X; Y)    because X is known from X + U                                                            (14)

whether X was counted, rounded or both; so (11) and (12) spread every column that repeats by such a U and average over draws.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from scipy.special import digamma

from novum.exceptions import DataError
from novum.runtime.checks import check_count, float_array
from novum.runtime.random import seed_of

__all__ = [
    "entropy_of_samples",
    "mutual_information_of_samples",
    "mutual_information_with_labels",
    "relative_entropy_of_samples",
]

DRAWS = 8  # of (14), averaged
ROUNDING = 1e-9  # of the range of a column: gaps below it are those of rounded arithmetic


def points_of(owner: str, name: str, samples: Any) -> NDArray[Any]:
    """Return finite samples as (n, d)."""
    x = float_array(owner, name, samples).astype(np.float64, copy=False)
    x = x[:, None] if x.ndim == 1 else x
    if x.ndim != 2 or x.size == 0:
        raise DataError(f"{owner}: {name} has shape {x.shape}; samples are (n,) or (n, d).")
    if not np.isfinite(x).all():
        raise DataError(f"{owner}: {name} holds NaN or infinity in row {int((~np.isfinite(x)).any(axis=1).argmax())}.")
    return x


def neighbor_count(owner: str, n_neighbors: Any, n: int) -> int:
    """Return k, less than the number of samples."""
    k = check_count(owner, "n_neighbors", n_neighbors)
    if k >= n:
        raise DataError(f"{owner}: n_neighbors={k} needs more than {k} samples; there are {n}.")
    return k


def check_distinct(owner: str, name: str, nearest: NDArray[Any]) -> None:
    """Raise if a row has another at distance zero: its neighbors say nothing about a density, for any k."""
    if not nearest.all():
        raise DataError(
            f"{owner}: row {int(nearest.argmin())} of {name} occurs more than once, so these are no draws of a continuous"
            " variable, and distances to neighbors say nothing about its density; drop the repeated rows, add noise below"
            " the resolution of the values, or treat them as labels (labels=)."
        )


def reach(owner: str, name: str, x: NDArray[Any], k: int) -> NDArray[Any]:
    """Return eps_i of every sample; repeated samples have no density."""
    distance = cKDTree(x).query(x, k + 1, p=np.inf)[0]
    check_distinct(owner, name, distance[:, 1])
    return distance[:, k]


def nearer(x: NDArray[Any], distance: NDArray[Any]) -> NDArray[Any]:
    """Return how many points lie strictly nearer to x_i than distance_i, itself included."""
    radius = np.nextafter(distance, 0)
    if x.shape[1] > 1:
        return cKDTree(x).query_ball_point(x, radius, p=np.inf, return_length=True)
    flat = x[:, 0]
    line = np.sort(flat)
    return line_count(line, flat, distance, "left") + line_count(-line[::-1], -flat, distance, "right")


def line_count(line: NDArray[Any], at: NDArray[Any], distance: NDArray[Any], side: Any) -> NDArray[Any]:
    """Return how many points of a sorted line lie in [at, at + distance), or ("right") in (at, at + distance).

    The difference is rounded, not the sum, as in the tree that found the distances.
    """
    first = np.searchsorted(line, at, side=side)
    end = np.searchsorted(line, at + distance, side="left")
    padded = np.append(line, np.inf)
    while (over := (end > first) & (padded[end - 1] - at >= distance)).any():
        end -= over
    while (under := padded[end] - at < distance).any():
        end += under
    return end - first


def entropy_of_samples(owner: str, samples: Any, n_neighbors: Any) -> float:
    """Return (10)."""
    x = points_of(owner, "samples", samples)
    n, d = x.shape
    k = neighbor_count(owner, n_neighbors, n)
    return float(digamma(n) - digamma(k) + d * np.log(2.0) + d * np.log(reach(owner, "samples", x, k)).mean())


def repeats(x: NDArray[Any]) -> bool:
    """Whether a row occurs more than once."""
    return len(np.unique(x, axis=0)) < len(x)


def gap(column: NDArray[Any]) -> float:
    """Return g of (14); zero where no value occurs twice."""
    values = np.unique(column)
    if len(values) == len(column):
        return 0.0
    steps = np.diff(values)
    return float(steps[steps > ROUNDING * (values[-1] - values[0])].min())


def jittered(x: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """Return x with its repeated values spread as in (14)."""
    return x + np.array([gap(column) for column in x.T]) * rng.uniform(-0.5, 0.5, size=x.shape)


def varying(x: NDArray[Any]) -> NDArray[Any]:
    """Return the columns that have more than one value: the others say nothing."""
    return x[:, np.ptp(x, axis=0) > 0]


def mean_of_draws(estimate: Callable[..., float], random_state: Any, *parts: NDArray[Any]) -> float:
    """Return the mean of an estimate over draws of (14)."""
    rng = np.random.default_rng(seed_of(random_state))
    return float(np.mean([estimate(*(jittered(part, rng) for part in parts)) for _ in range(DRAWS)]))


def mutual_information_of_samples(owner: str, first: Any, second: Any, n_neighbors: Any, random_state: Any) -> float:
    """Return (11)."""
    x, y = points_of(owner, "samples[0]", first), points_of(owner, "samples[1]", second)
    if len(x) != len(y):
        raise DataError(f"{owner}: samples has {len(x)} and {len(y)} rows; they must be pairs.")
    n, k = len(x), neighbor_count(owner, n_neighbors, len(x))

    def estimate(x: NDArray[Any], y: NDArray[Any]) -> float:
        distance = reach(owner, "samples", np.hstack([x, y]), k)
        near = digamma(nearer(x, distance)) + digamma(nearer(y, distance))
        return float(digamma(k) + digamma(n) - near.mean())

    if not repeats(np.hstack([x, y])):
        return estimate(x, y)
    x, y = varying(x), varying(y)
    return mean_of_draws(estimate, random_state, x, y) if x.size and y.size else 0.0


def mutual_information_with_labels(
    owner: str, samples: Any, codes: NDArray[Any], n_neighbors: Any, random_state: Any
) -> float:
    """Return (12) for labels coded 0, 1, ...; labels that occur once say nothing and are left out, as in Ross's paper."""
    x = points_of(owner, "samples", samples)
    if len(x) != codes.size:
        raise DataError(f"{owner}: there are {len(x)} samples and {codes.size} labels; they must be pairs.")
    size = np.bincount(codes)[codes]
    x, codes, size = x[size > 1], codes[size > 1], size[size > 1]
    if not size.size:
        raise DataError(f"{owner}: every label occurs once; there is nothing to learn from neighbors of equal label.")
    most = check_count(owner, "n_neighbors", n_neighbors)
    k = np.minimum(most, size - 1)

    def estimate(x: NDArray[Any]) -> float:
        distance = np.empty(len(x))
        for label in np.unique(codes):
            rows = np.flatnonzero(codes == label)
            distance[rows] = reach(owner, "samples", x[rows], int(k[rows[0]]))
        within = nearer(x, distance)  # those strictly nearer and the point itself: as many as m_i
        return float(digamma(len(x)) + digamma(k).mean() - digamma(size).mean() - digamma(within).mean())

    if not repeats(x):
        return estimate(x)
    x = varying(x)
    return mean_of_draws(estimate, random_state, x) if x.size else 0.0


def relative_entropy_of_samples(owner: str, first: Any, second: Any, n_neighbors: Any) -> float:
    """Return (13)."""
    x, y = points_of(owner, "samples[0]", first), points_of(owner, "samples[1]", second)
    if x.shape[1] != y.shape[1]:
        raise DataError(f"{owner}: samples have {x.shape[1]} and {y.shape[1]} columns; they must agree.")
    k = neighbor_count(owner, n_neighbors, min(len(x), len(y) + 1))
    own = reach(owner, "samples[0]", x, k)
    if len(y) > 1:
        reach(owner, "samples[1]", y, 1)
    other = cKDTree(y).query(x, list(range(1, k + 1)), p=np.inf)[0]
    if not other[:, 0].all():
        row = int(other[:, 0].argmin())
        raise DataError(
            f"{owner}: row {row} of samples[0] is also a row of samples[1], so these are no draws of continuous variables;"
            " drop the repeated rows, or treat them as labels (labels=)."
        )
    return float(x.shape[1] * np.log(other[:, -1] / own).mean() + np.log(len(y) / (len(x) - 1)))
