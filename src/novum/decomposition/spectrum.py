r"""Principal axes of all rows, by the cheapest route that keeps the digits.

With A the centred rows times the square roots of their weights, W the sum of the weights and C = A'A / (W - 1), the axes are
eigenvectors of C, and equally the right singular vectors of A or of any R with R'R = A'A:

    R = U S V',   lambda_j = s_j^2 / (W - 1)                                                       (7)
    A A' u_j = s_j^2 u_j,   v_j = A'u_j / s_j          with fewer rows than columns                (8)

An eigenvalue of A'A or A A' is known to eps s_1^2, so s_j keeps its digits only where s_j^2 is not too far below s_1^2. R,
folded from blocks by orthogonal factors, has no such loss. Moments and factors: novum.engines.moments.second,
novum.engines.moments.triangles.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.linalg
from scipy.linalg.lapack import dpocon, dpotrf

from novum.engines.moments.second import Moments, central_moments, parts_pay
from novum.engines.moments.triangles import Factor, factor
from novum.fold.blocks import Source
from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count

__all__ = ["Spectrum", "by_factor", "descending", "exact", "fill_axes", "fix_signs", "of_factor"]

EPS = float(np.finfo(np.float64).eps)
# lambda_j / lambda_1 above which (8) and the covariance know lambda_j well: to 2e-10 relative for float64 data, to the rounding
# of the result for float32.
RESOLVED = {np.dtype(np.float64): 1e-6, np.dtype(np.float32): 1e-9}
# The same for products in float32, whose sums are known to about 1e-7 lambda_1.
RESOLVED_SINGLE = 1e-3
SINGLE_COLUMNS = 64  # up to here reading the rows costs more than their products, in either precision
# A sample that tells whether they will do, where all axes are requested: rows, at least so many per column; worth it if there are
# so many times more of them; how far a verdict must be from the bound to count.
LEAST_SAMPLE, ROWS_PER_AXIS, WORTH_SAMPLE, DOUBT = 256, 4, 16, 1.5
FEW = 0.25  # share of the eigenvectors up to which finding them one by one is faster than finding all
SLACK = 4.0  # times eps and the longer side of the matrix: rounding of a decomposition, relative to its largest value
FILL = 64  # null directions made at once
CHUNK_VALUES = 2**19  # values of a chunk of columns in the products of (8)
NEW_DIRECTION = 1e-6  # length that a unit vector must keep outside the axes to count as another direction
SMALLEST_SQUARE = 1e-280  # below, squares lose digits to underflow


class Spectrum(NamedTuple):
    """Axes of the data in falling order of their variance."""

    mean: np.ndarray  # (p,)
    weight: float  # W
    rows: float  # rows with a positive weight
    singular: np.ndarray  # (m,): s_j
    vectors: np.ndarray  # (k, p): v_j, k <= m
    total: float  # sum of all s_j^2, also of those that were not computed
    floor: float  # singular values up to this are rounding


def fix_signs(vectors: np.ndarray) -> np.ndarray:
    """Return the rows with the sign that makes the entry of largest size positive."""
    if not vectors.size:
        return vectors
    largest = vectors[np.arange(len(vectors)), np.abs(vectors).argmax(axis=1)]
    return vectors * np.where(largest < 0, -1.0, 1.0)[:, None]


def descending(square: np.ndarray, top: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the `top` largest eigenvalues of a symmetric matrix, none below zero, and their vectors as rows."""
    p = len(square)
    if 0 < top <= FEW * p:
        values, vectors = scipy.linalg.eigh(square, subset_by_index=[p - top, p - 1], driver="evr", check_finite=False)
    else:
        values, vectors = np.linalg.eigh(square)
    return np.maximum(values[::-1][:top], 0.0), np.ascontiguousarray(vectors[:, ::-1][:, :top].T)


def squares_resolve(values: np.ndarray, dtype: np.dtype, rows: float) -> bool:
    """Return whether squares keep the digits of all these eigenvalues; n rows determine n - 1 of them at most."""
    values = values[: max(1, int(rows) - 1)]
    if not len(values):
        return True
    in_range = bool(np.isfinite(values).all()) and values[0] > SMALLEST_SQUARE
    return in_range and bool(values[-1] >= RESOLVED[dtype] * values[0])


def by_covariance(source: Source, top: int, *, certain: bool) -> tuple[Spectrum | None, Moments | None]:
    """Return the `top` axes from the moments of the columns, and these moments; None where squares of the data overflow.

    Where they would lose digits for sure, there are moments and no axes, unless it is `certain` that these are used.
    """
    single = source.dtype == np.float32 and source.at_hand and not source.sparse and not source.has_target
    single = (single and source.n_features > SINGLE_COLUMNS) or parts_pay(source)
    if single and single_may_resolve(source, top):
        found = of_moments(source, top, single=True)
        if found is not None and resolved_single(found):
            return found, None
    moments = moments_in_range(source, single=False)
    if moments is None:
        return None, None
    variance = np.diagonal(moments.xx)
    if (
        not certain
        and top == len(variance) <= moments.rows - 1
        and variance.min() < RESOLVED[source.dtype] * variance.max()
    ):
        return None, moments  # the least eigenvalue is not above any variance: squares would not resolve it
    return axes_of(moments, top), moments


def single_may_resolve(source: Source, top: int) -> bool:
    """Return False where a few of many rows show that products in float32 will not keep the digits: then no pass is spent on it."""
    p = source.n_features
    few = max(LEAST_SAMPLE, ROWS_PER_AXIS * p)
    if top < p or source.on_device or source.n_rows is None or source.n_rows < few * WORTH_SAMPLE:
        return True
    X = np.asarray(source.first().X[:few], np.float64)
    X = X - X.mean(axis=0)
    values = np.linalg.eigvalsh(X.T @ X)
    return bool(values[0] >= RESOLVED_SINGLE / DOUBT * values[-1])


def resolved_single(found: Spectrum) -> bool:
    """Return whether products in float32 keep the digits of every variance: those found, and the rest together."""
    values = found.singular**2
    rest = found.total - values.sum()
    least = RESOLVED_SINGLE * values[0] if len(values) else np.inf
    every = len(values) == len(found.mean)
    return bool(least > 0 and values[-1] >= least and (every or rest >= RESOLVED_SINGLE * found.total))


def moments_in_range(source: Source, *, single: bool) -> Moments | None:
    """Return moments from one pass in double or in single precision, or None where they overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        moments = central_moments(source, single=single)
    if np.isfinite(moments.xx).all():
        return moments
    if not single:  # double precision may hold the squares
        source.verified()
    return None


def axes_of(moments: Moments, top: int) -> Spectrum:
    """Return the `top` axes of moments."""
    values, vectors = descending(moments.xx, top)
    total = float(np.trace(moments.xx))
    singular = np.sqrt(values)
    floor = squares_floor(singular, len(moments.xx))
    return Spectrum(moments.mean, moments.weight, moments.rows, singular, fix_signs(vectors), total, floor)


def of_moments(source: Source, top: int, *, single: bool) -> Spectrum | None:
    """Return the `top` axes from one pass in double or in single precision."""
    moments = moments_in_range(source, single=single)
    return None if moments is None else axes_of(moments, top)


def of_scaled_moments(moments: Moments, top: int) -> Spectrum | None:
    """Return the `top` axes by a factor of the covariance, where it is the units of the columns that are far apart.

    Every entry of A'A is known to eps s_i s_j, s the lengths of the columns, so R = D U with D = diag(s) and U'U the correlations
    has the digits of (7) while the correlations keep theirs; None where they do not.
    """
    length = np.sqrt(np.diagonal(moments.xx))
    if not (length > np.sqrt(SMALLEST_SQUARE)).all() or moments.rows <= len(length):
        return None
    correlations = moments.xx / length / length[:, None]
    factor_rows, failed = dpotrf(correlations)  # upper, zeros below
    if failed or dpocon(factor_rows, np.abs(correlations).sum(axis=0).max())[0] < RESOLVED[np.dtype(np.float64)]:
        return None  # the reciprocal condition in the 1-norm is not above that of the eigenvalues
    return of_factor(moments.mean, moments.weight, moments.rows, factor_rows * length, top)


def squares_floor(singular: np.ndarray, side: int) -> float:
    """Return up to where singular values from squares are rounding."""
    return float(np.sqrt(SLACK * side * EPS) * singular[0]) if len(singular) else 0.0


def by_chunks(function: Callable[[slice], np.ndarray], rows: np.ndarray) -> list[np.ndarray]:
    """Return `function(columns)` for chunks of the columns, whose size depends on the shape alone, by all threads."""
    m, p = rows.shape
    step = max(1, CHUNK_VALUES // max(1, m))
    chunks = [slice(start, min(start + step, p)) for start in range(0, p, step)]
    return list(map_ordered(function, chunks, min(thread_count(), len(chunks))))


def by_gram(source: Source, top: int) -> tuple[Spectrum | None, Factor]:
    """Return the `top` axes from the products of the rows (8), and those rows for `by_factor` where it does not serve."""
    found = factor(source.verified())
    rows = found.xx  # (m, p), m <= p
    with np.errstate(over="ignore", invalid="ignore"):
        gram = sum(by_chunks(lambda columns: rows[:, columns] @ rows[:, columns].T, rows))
    if not np.isfinite(gram).all():
        return None, found
    values, left = descending(np.asarray(gram), top)
    singular = np.sqrt(values)
    floor = squares_floor(singular, len(rows))
    safe = singular > floor
    scaled = left[safe] / singular[safe, None]  # (k, m)
    vectors = np.concatenate(by_chunks(lambda columns: scaled @ rows[:, columns], rows), axis=1)
    total = float(np.trace(gram))
    return Spectrum(found.mean, found.weight, found.rows, singular, fix_signs(vectors), total, floor), found


def fill_axes(found: Spectrum, k: int) -> Spectrum:
    """Return the spectrum with k axes; those along which the data do not vary are chosen by the others alone.

    Any basis of the null space would do, and a decomposition returns one that depends on its rounding. Here it is made from
    the unit vectors that the other axes cover least, so equal data in another form (weights, repeated rows) get equal axes.
    """
    known = int((found.singular[: min(k, len(found.vectors))] > found.floor).sum())
    vectors = found.vectors[:known]
    while len(vectors) < k:
        least = np.argsort((vectors**2).sum(axis=0).round(9), kind="stable")[: min(FILL, k - len(vectors))]
        extra = np.zeros((len(least), vectors.shape[1]))
        extra[np.arange(len(least)), least] = 1.0
        for _ in range(2):  # once more: the first subtraction leaves rounding along the axes
            extra = extra - (extra @ vectors.T) @ vectors
            Q, R = np.linalg.qr(extra.T)
            extra = Q.T[np.abs(np.diag(R)) > NEW_DIRECTION]
        vectors = np.vstack([vectors, fix_signs(extra)])
    singular = np.zeros(k)
    singular[: min(k, len(found.singular))] = found.singular[:k]
    return found._replace(vectors=vectors, singular=singular)


def by_factor(source: Source, top: int, found: Factor | None = None) -> Spectrum:
    """Return the `top` axes by (7)."""
    found = factor(source.verified()) if found is None else found
    return of_factor(found.mean, found.weight, found.rows, found.xx, top)


def exact(source: Source, top: int, *, squares: bool = False) -> tuple[str, Spectrum]:
    """Return the name of the route and the `top` axes: by squares while they keep the digits (or if requested), else by (7)."""
    n, p = source.n_rows, source.n_features
    rows = moments = None
    if n is not None and n < p and not source.sparse:
        found, rows = by_gram(source, top)
    else:
        found, moments = by_covariance(source, top, certain=squares or source.sparse)
    if found is not None:
        kept = squares_resolve(found.singular[:top] ** 2, source.dtype, found.rows)
        if kept or squares or source.sparse:
            return "covariance_eigh", found
    scaled = of_scaled_moments(moments, top) if moments is not None else None
    return "full", by_factor(source, top, rows) if scaled is None else scaled


def of_factor(mean: np.ndarray, weight: float, rows: float, R: np.ndarray, top: int) -> Spectrum:
    """Return the `top` axes of a factor R, R'R = A'A."""
    _, singular, vectors = np.linalg.svd(R, full_matrices=False)
    with np.errstate(over="ignore"):
        total = float((singular**2).sum())
    floor = float(SLACK * max(R.shape) * EPS * singular.max(initial=0.0))
    return Spectrum(mean, weight, rows, singular, fix_signs(vectors[:top]), total, floor)
