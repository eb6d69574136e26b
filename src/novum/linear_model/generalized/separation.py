r"""Counts that vanish along a direction: when the likelihood of a generalised linear model has no finite maximum.

With a log link and a distribution that allows zeros (Poisson, and Tweedie of a power between 1 and 2), d has no end if

    d'z_i = 0 where y_i > 0,    d'z_i <= 0 where y_i = 0,    with < 0 somewhere,        z = [x, 1]                      (11)

Moving the coefficients along d sends the means of those rows to zero, where their loss is least, and changes no other: a column
that is zero but for rows without counts, an empty cell of a table. The means of such rows are tiny where the iteration ends. Only
then the products of the rows with y > 0 are added up; their null space holds all candidates for d, and all rows verify (11).
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.optimize

from novum.fold.blocks import Block, Source
from novum.linear_model.newton.losses.tweedie import Tweedie
from novum.runtime import arrays

__all__ = ["endless_direction"]

TINY = 1e-4  # of the mean target: a mean that has perhaps gone to zero
NULL = 1e-11  # share of a direction's squares that rows with counts may have by rounding
SLACK = 1e-6  # of the widest margin: how far a row may seem off by rounding
MOST_ROWS = 200_000  # in memory, for a linear programme over the candidates


class Line(NamedTuple):
    theta: np.ndarray  # (p + 1,)
    intercept: bool


class SmallestMean(NamedTuple):
    mean: float  # the least mean among rows without counts


class Products(NamedTuple):
    every: np.ndarray  # sum of z z'
    counted: np.ndarray  # the same of rows with y > 0


class Margins(NamedTuple):
    off: float  # the largest |d'z| of rows with counts
    low: float  # least and largest d'z of the others
    high: float


def parts(line: Line, block: Block) -> tuple[Any, np.ndarray, np.ndarray]:
    """Return the rows that count, whether each has y > 0, and d'z."""
    X: Any = block.X if arrays.is_sparse(block.X) else np.asarray(arrays.to_numpy(block.X), dtype=np.float64)
    y = np.asarray(arrays.to_numpy(block.y)).ravel()
    if block.weight is not None:
        used = np.flatnonzero(arrays.to_numpy(block.weight) > 0)
        X, y = X[used], y[used]
    return X, y > 0, np.asarray(X @ line.theta[:-1]).ravel() + line.theta[-1]


def least_mean(line: Line, block: Block) -> SmallestMean:
    """Return the least linear predictor of rows without counts."""
    _, counted, eta = parts(line, block)
    return SmallestMean(float(eta[~counted].min(initial=np.inf)))


def merge_least(a: SmallestMean, b: SmallestMean) -> SmallestMean:
    """Return the least of two blocks."""
    return SmallestMean(min(a.mean, b.mean))


def products(line: Line, block: Block) -> Products:
    """Return the products of the columns over all rows, and over those with counts."""
    X, counted, _ = parts(line, block)
    X = np.asarray(arrays.dense(X))
    Z = np.column_stack([X, np.full(len(X), float(line.intercept))])
    return Products(Z.T @ Z, Z[counted].T @ Z[counted])


def margins(line: Line, block: Block) -> Margins:
    """Return the sums of (11) over one block."""
    _, counted, along = parts(line, block)
    rest = along[~counted]
    return Margins(
        float(np.abs(along[counted]).max(initial=0.0)), float(rest.min(initial=0.0)), float(rest.max(initial=0.0))
    )


def merge_margins(a: Margins, b: Margins) -> Margins:
    """Return the margins of two blocks together."""
    return Margins(max(a.off, b.off), min(a.low, b.low), max(a.high, b.high))


def candidates(found: Products) -> np.ndarray:
    """Return an orthonormal basis, in unit columns, of the directions that only rows without counts see, (p + 1, k)."""
    size = np.sqrt(np.diag(found.every))
    unit = np.where(size > 0, size, 1.0)
    values, vectors = np.linalg.eigh(found.every / np.outer(unit, unit))
    seen = vectors[:, values > NULL * len(values) * values[-1]]
    inner = seen.T @ (found.counted / np.outer(unit, unit)) @ seen
    values, vectors = np.linalg.eigh(inner)
    return (seen @ vectors[:, values <= NULL * len(values)]) / unit[:, None]


def verified(source: Source, d: np.ndarray, intercept: bool) -> np.ndarray | None:
    """Return d, or -d, if (11) holds on all rows."""
    if not np.linalg.norm(d) > 0:
        return None
    found = source.total(margins, Line(d, intercept), merge_margins)
    wide = max(found.high, -found.low)
    if not wide > 0 or found.off > SLACK * wide:
        return None
    if found.high <= SLACK * wide:
        return d
    return -d if found.low >= -SLACK * wide else None


def by_programme(source: Source, basis: np.ndarray, intercept: bool) -> np.ndarray | None:
    """Return a combination of candidates that meets (11), by a linear programme over the rows without counts."""
    held: Any = source.in_memory()
    X, counted, _ = parts(Line(basis[:, 0], intercept), Block(held.array(), held.y, held.weight))
    rest = np.asarray(arrays.dense(X[~counted])) @ basis[:-1] + basis[-1] * float(intercept)
    found = scipy.optimize.linprog(
        rest.sum(axis=0), A_ub=rest, b_ub=np.zeros(len(rest)), bounds=[(-1, 1)] * basis.shape[1], method="highs"
    )
    return None if found.x is None or found.fun > -SLACK else basis @ found.x


def endless_direction(
    family: Tweedie, source: Source, theta: np.ndarray, intercept: bool, level: float
) -> np.ndarray | None:
    """Return d of (11) where the fit has run off along one; theta is where it ended, `level` the logarithm of the mean target."""
    if family.link != "log" or not 1 <= family.power < 2:
        return None
    if not source.total(least_mean, Line(theta, intercept), merge_least).mean <= level + np.log(TINY):
        return None
    basis = candidates(source.total(products, Line(theta, intercept)))
    if not basis.shape[1]:
        return None
    weights = np.linalg.lstsq(basis, theta * np.append(np.ones(len(theta) - 1), float(intercept)), rcond=None)[0]
    found = verified(source, basis @ weights, intercept)
    if found is None and basis.shape[1] == 1:
        found = verified(source, basis[:, 0], intercept)
    if found is None and source.at_hand and (source.n_rows or 0) <= MOST_ROWS:
        guess = by_programme(source, basis, intercept)
        found = None if guess is None else verified(source, guess, intercept)
    return found
