"""Labelled Gaussian samples, and two classes that a line separates.

class k with probability prior[k],   x | k ~ N(mean[k], covariance[k])                                       (1)
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from novum.datasets.bunch import bunch_of_arrays
from novum.exceptions import ParameterError
from novum.runtime.checks import check_choice, check_count, check_number
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Seed

__all__ = ["make_gaussian_classes", "make_separable"]

SHARED = [[0.6, 0.3], [0.3, 0.6]]
LAYOUTS: dict[str, tuple[Any, Any]] = {
    # equal covariances make the Bayes boundary a line, unequal ones a conic
    "equal": ([[0.0, 0.0], [2.0, 1.0]], [SHARED, SHARED]),
    "unequal": ([[0.0, 0.0], [2.5, 1.0]], [[[0.3, 0.0], [0.0, 1.5]], [[1.0, -0.6], [-0.6, 0.8]]]),
    # the middle class is masked when least squares has to separate three classes on a line
    "collinear": ([[-3.0, -3.0], [0.0, 0.0], [3.0, 3.0]], [np.eye(2) * 0.3] * 3),
    "spherical": ([[0.0, 0.0], [4.0, 0.0], [2.0, 3.5]], [np.eye(2) * 0.4] * 3),
    "stretched": ([[0.0, 0.0], [0.0, 2.0], [0.0, 4.0]], [np.diag([4.0, 0.1])] * 3),
}
NEGATIVE, POSITIVE = [(0, 0), (1, 0), (0, 1)], [(2, 2), (3, 2), (2, 3)]
OUTLIER = (1, 1)  # a positive that keeps the six points separable and turns a margin of 2.12 into .71


def drawn_classes(stream: Stream, n: int, prior: NDArray) -> NDArray:
    """Return n classes by `prior`."""
    return np.searchsorted(np.cumsum(prior)[:-1], stream.uniform("class", 0, n), side="right")


def gaussian_rows(stream: Stream, labels: NDArray, means: NDArray, roots: NDArray) -> NDArray:
    """Return a row of (1) for every label; `roots` are Cholesky factors of the covariances."""
    z = stream.normal("row", 0, labels.size, means.shape[1])
    return means[labels] + np.einsum("nij,nj->ni", roots[labels], z)


def make_gaussian_classes(
    n_samples: int = 200,
    *,
    layout: str = "equal",
    means: ArrayLike | None = None,
    covariances: ArrayLike | None = None,
    prior: ArrayLike | None = None,
    outliers: int = 0,
    random_state: Seed = None,
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Return classes that are Gaussian (1).

        class k with probability prior[k],   x | k ~ N(mean[k], covariance[k])    (1)

    Parameters
    ----------
    n_samples : int, default=200
    layout : {"equal", "unequal", "collinear", "spherical", "stretched"}, default="equal"
        Means and covariances of the notes' pictures; used where `means` is None.
    means : array of shape (k, d), default=None
    covariances : array of shape (k, d, d), default=None
        None with `means`: the unit matrix.
    prior : array of shape (k,), default=None
        Of the classes; None: equal. (.8, .2) is the notes' unbalanced set.
    outliers : int, default=0
        How many further rows of the last class to put ten standard deviations beyond it, on the right side of every
        reasonable boundary: they pull least squares and leave the logistic model in place.
    random_state : int, Generator, RandomState, SeedSequence or None
    return_X_y, as_frame : bool, default=False
        As in scikit-learn.

    Returns
    -------
    Bunch
        With `means`, `covariances` and `prior`.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.datasets import make_gaussian_classes
    >>> X, y = make_gaussian_classes(100, prior=(0.8, 0.2), random_state=0, return_X_y=True)
    >>> X.shape, np.bincount(y).tolist()
    ((100, 2), [80, 20])
    """
    owner = "make_gaussian_classes"
    check_count(owner, "n_samples", n_samples)
    check_count(owner, "outliers", outliers, 0)
    check_choice(owner, "layout", layout, tuple(LAYOUTS))
    centers = np.asarray(LAYOUTS[layout][0] if means is None else means, dtype=np.float64)
    k, d = centers.shape
    if covariances is None:
        covariances = LAYOUTS[layout][1] if means is None else [np.eye(d)] * k
    matrices = np.asarray(covariances, dtype=np.float64)
    weights = np.full(k, 1 / k) if prior is None else np.asarray(prior, dtype=np.float64)
    if matrices.shape != (k, d, d):
        raise ParameterError(
            f"{owner}: covariances has shape {matrices.shape}; {k} classes in {d} columns need {(k, d, d)}."
        )
    if weights.shape != (k,) or weights.min() < 0 or not np.isclose(weights.sum(), 1):
        raise ParameterError(f"{owner}(prior={prior!r}): give {k} probabilities that sum to one.")
    try:
        roots = np.linalg.cholesky(matrices)
    except np.linalg.LinAlgError:
        raise ParameterError(f"{owner}: covariances must be positive definite; add a little to a diagonal.") from None
    stream = Stream(seed_of(random_state))
    y = drawn_classes(stream, n_samples, weights)
    X = gaussian_rows(stream, y, centers, roots)
    if outliers:
        away = centers[-1] - centers[:-1].mean(axis=0)
        far = centers[-1] + 10 * np.sqrt(np.trace(matrices[-1]) / d) * away / np.linalg.norm(away)
        X = np.vstack([X, far + 0.5 * stream.normal("outlier", 0, outliers, d)])
        y = np.append(y, np.full(outliers, k - 1))
    facts = {"means": centers, "covariances": matrices, "prior": weights}
    names = [f"x{j + 1}" for j in range(d)]
    return bunch_of_arrays(X, y, names, f"{k} Gaussian classes.", return_X_y=return_X_y, as_frame=as_frame, **facts)


def make_separable(
    n_samples: int | None = None,
    *,
    gap: float = 1.0,
    outlier: bool = False,
    flip: float = 0.0,
    random_state: Seed = None,
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Return two classes in the plane, labelled -1 and +1, with a gap between them along x1 + x2 = 3.

    Parameters
    ----------
    n_samples : int, default=None
        None: the six points of the support-vector example, whose widest margin is 2.121320 with w = (2/3, 2/3).
    gap : float, default=1.0
        Distance that separates the classes of a drawn sample; negative: they overlap by so much.
    outlier : bool, default=False
        Whether to add the positive point (1, 1), which keeps the six points separable but narrows the margin to .707107. In a
        drawn sample the added point lies a tenth of the way from the negatives.
    flip : float, default=0.0
        Share of drawn labels to turn around.
    random_state : int, Generator, RandomState, SeedSequence or None
    return_X_y, as_frame : bool, default=False
        As in scikit-learn.

    Examples
    --------
    >>> from novum.datasets import make_separable
    >>> X, y = make_separable(return_X_y=True)
    >>> X[y > 0].tolist()
    [[2.0, 2.0], [3.0, 2.0], [2.0, 3.0]]
    """
    owner = "make_separable"
    check_number(owner, "flip", flip, 0, 1)
    check_number(owner, "gap", gap)
    if n_samples is None:
        X = np.array([*NEGATIVE, *POSITIVE], dtype=np.float64)
        y = np.repeat([-1, 1], 3)
        extra = np.array(OUTLIER, dtype=np.float64)
    else:
        stream = Stream(seed_of(random_state))
        half = check_count(owner, "n_samples", n_samples, 2) // 2
        y = np.repeat([-1, 1], [n_samples - half, half])
        across = 2 * stream.normal("along", 0, n_samples)
        beyond = gap / 2 + stream.exponential("beyond", 0, n_samples)
        normal, tangent = np.array([1.0, 1.0]) / np.sqrt(2), np.array([1.0, -1.0]) / np.sqrt(2)
        X = 1.5 + np.outer(y * beyond, normal) + np.outer(across, tangent)
        extra = 1.5 + normal * (-0.4 * gap)
        if flip:
            y = np.where(stream.uniform("flip", 0, n_samples) < flip, -y, y)
    if outlier:
        X, y = np.vstack([X, extra]), np.append(y, 1)
    description = "Two classes and the line x1 + x2 = 3."
    return bunch_of_arrays(X, y, ["x1", "x2"], description, return_X_y=return_X_y, as_frame=as_frame)
