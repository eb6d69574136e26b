r"""Gaussian classes from rows with missing cells: expectation-maximisation within each class, the labels being known.

Each pass replaces the sums (4) by their expectations given the observed cells under the current Gaussian of the class: the
E-step of a mixture with one component per class (`novum.engines.gaussians.missing`, eq. 8 to 10 there). A pass maximises

    sum over the rows of class c of  w log N(x_o | mean_c,o, S_c,oo)      o the observed cells      (13)

Missing cells are taken to be missing at random; nothing is imputed. A cell that is missing in every row of a class has no
information about its mean; that is an error.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.discriminant_analysis.moments import Moments
from novum.discriminant_analysis.shrinkage import of_type
from novum.engines.gaussians.covariance import factor_of_covariance
from novum.engines.gaussians.density import Density, density_of, pass_of
from novum.exceptions import DataError, NotConverged
from novum.fold.blocks import Block, Source
from novum.runtime import arrays
from novum.runtime.warn import warn

__all__ = ["has_missing", "missing_moments"]

MOST_PASSES = 500
TOLERANCE = 1e-9  # change of the mean of (13) at which the passes end
LEAST_SHARE = 1e-10  # of a column's variance, added to a class's so that a Gaussian exists


class Observed(NamedTuple):
    """Sums over the observed cells of every class, about a shift."""

    cells: NDArray  # (k, d)
    first: NDArray  # (k, d)
    second: NDArray  # (k, d)
    mass: NDArray  # (k,)
    rows: NDArray  # (k,)


class Expected(NamedTuple):
    """Expectations of (4) about the means of the last pass, and (13)."""

    mass: NDArray  # (k,)
    first: NDArray  # (k, d)
    second: NDArray  # (k, d, d)
    likelihood: float


def observed_of(shift: tuple[NDArray, int], block: Block) -> Observed:
    """Return the sums over the observed cells of one block."""
    center, k = shift
    X = arrays.to_numpy(block.X).astype(np.float64)
    weight = np.ones(len(X)) if block.weight is None else arrays.to_numpy(block.weight)
    member = np.eye(k)[arrays.to_numpy(block.y)] * weight[:, None]
    seen = ~np.isnan(X)
    offset = np.where(seen & (weight > 0)[:, None], X - center, 0.0)
    return Observed(
        member.T @ seen, member.T @ offset, member.T @ (offset * offset), member.sum(0), (member > 0).sum(0)
    )


def expected_of(densities: list[Density], block: Block) -> Expected:
    """Return the expectations for one block: a mixture of one component on the rows of every class."""
    d = int(block.X.shape[1])
    k = len(densities)
    mass, first, second, likelihood = np.zeros(k), np.zeros((k, d)), np.zeros((k, d, d)), 0.0
    for c, density in enumerate(densities):
        mine = block.y == c
        if not bool(mine.any()):
            continue
        X = block.X[mine]
        weight = None if block.weight is None else block.weight[mine]
        sums = pass_of(density, Block(X if arrays.is_tensor(X) else np.ascontiguousarray(X), None, weight))
        mass[c], first[c], likelihood = sums.mass[0], sums.first[0], likelihood + sums.log_likelihood
        second[c] = sums.second[0] if sums.second[0].ndim == 2 else np.diag(sums.second[0])
    return Expected(mass, first, second, likelihood)


def densities_of(mean: NDArray, covariance: NDArray, kind: str) -> list[Density]:
    """Return one density per class; diagonal ones in the layout that inverts nothing."""
    form = "full" if kind == "full" else "diag"
    found = []
    for m, S in zip(mean, covariance):
        values = (S if form == "full" else np.diagonal(S))[None]
        factor = factor_of_covariance(form, values, np.dtype(np.float64))
        found.append(density_of(form, np.zeros(1), m[None], values, factor, m))
    return found


def model_covariances(second: NDArray, mass: NDArray, kind: str, shared: bool, floor: NDArray) -> NDArray:
    """Return the covariances (k, d, d) that central second moments (k, d, d) give the model."""
    if shared:
        pooled = second.sum(axis=0) / mass.sum()
        each = np.broadcast_to(pooled, second.shape)
    else:
        each = second / mass[:, None, None]
    return of_type(each, kind) + np.diag(floor)


def missing_moments(owner: str, source: Source, k: int, kind: str, shared: bool) -> Moments:
    """Return moments as if complete, after expectation-maximisation of (13) for the model's own covariances."""
    first = source.first()
    center = np.nan_to_num(np.nanmedian(arrays.to_numpy(first.X).astype(np.float64), axis=0))
    seen = source.total(observed_of, (center, k))
    if (seen.cells == 0).any():
        c, j = np.argwhere(seen.cells == 0)[0]
        raise DataError(
            f"{owner}: column {j} is missing in every row of class number {c}, so its mean there is unknown. Drop the column"
            " or give rows that have it."
        )
    mean = center + seen.first / seen.cells
    variance = np.maximum(seen.second / seen.cells - (seen.first / seen.cells) ** 2, 0.0)
    floor = LEAST_SHARE * np.maximum((seen.cells * variance).sum(axis=0) / seen.cells.sum(axis=0), 1e-30)
    second = (seen.mass[:, None] * variance)[:, :, None] * np.eye(len(center))
    before = -np.inf
    for _ in range(MOST_PASSES):
        densities = densities_of(mean, model_covariances(second, seen.mass, kind, shared, floor), kind)
        sums: Expected = source.total(expected_of, densities)
        offset = sums.first / sums.mass[:, None]
        mean = mean + offset
        second = sums.second - sums.first[:, :, None] * offset[:, None, :]
        after = sums.likelihood / sums.mass.sum()
        if abs(after - before) <= TOLERANCE * max(1.0, abs(after)):
            break
        before = after
    else:
        warn(
            f"{owner}: the expectations of missing cells still changed after {MOST_PASSES} passes.",
            NotConverged,
        )
    return Moments(seen.mass, mean, second, seen.rows)


def has_missing(moments: Moments) -> bool:
    """Return whether sums met a missing cell: then they are not finite."""
    return not (np.isfinite(moments.mean).all() and np.isfinite(moments.scatter).all())
