"""From data to the covariances that discriminant analysis needs: which moments are needed, and what is made of them."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.discriminant_analysis.missing import has_missing, missing_moments
from novum.discriminant_analysis.moments import Moments, class_moments, covariances, length_fourth, pooled_covariance
from novum.discriminant_analysis.shrinkage import by_estimator, ledoit_wolf, of_type, shrunk, unit_scale
from novum.exceptions import DataError, ParameterError
from novum.fold.blocks import Source

__all__ = ["ClassStatistics", "class_covariances", "gather", "total_covariance", "within_covariance"]


class ClassStatistics(NamedTuple):
    """What a fit has learned from its rows."""

    source: Source
    moments: Moments
    given: tuple[NDArray, NDArray] | None  # covariances of the classes and of all rows, by a covariance estimator
    rows: NDArray | None  # rows about their class means, where there are fewer rows than columns


def rows_of_wide_data(model: Any, source: Source, k: int) -> ClassStatistics | None:
    """Return the rows themselves where a d x d matrix would be larger than they are; None elsewhere."""
    n, d = source.n_rows, source.n_features
    plain = model.solver == "svd" and model.covariance_type == "full" and not model.unbiased
    if not plain or not source.at_hand or n is None or n >= d or source.weight is not None:  # type: ignore[attr-defined]
        return None
    X, y = source.array().astype(np.float64), np.asarray(source.y)  # type: ignore[attr-defined]
    mass = np.bincount(y, minlength=k).astype(np.float64)
    mean = np.stack([X[y == c].mean(axis=0) for c in range(k)])
    if not np.isfinite(mean).all():
        return None  # missing cells: the other way finds them
    return ClassStatistics(source, Moments(mass, mean, np.empty((0, d, d)), mass), None, X - mean[y])


def gather(model: Any, source: Source, k: int, own: bool = False) -> ClassStatistics:
    """Return moments of the classes; one scatter for all of them unless `own` or the parameters need each."""
    owner = type(model).__name__
    if model.covariance_estimator is not None and model.shrinkage not in (None, 0):
        raise ParameterError(
            "covariance_estimator and shrinkage parameters are not None. Only one of the two can be set."
        )
    if not own and not model.store_covariance and (found := rows_of_wide_data(model, source, k)) is not None:
        return found
    weighed = model.priors is not None and (model.solver != "svd" or model.store_covariance)
    pooled = not (own or weighed or model.shrinkage == "auto")
    moments = class_moments(source, k, pooled)
    if has_missing(moments):
        source.verified()  # infinity is refused
        if model.shrinkage == "auto" or model.covariance_estimator is not None:
            raise DataError(
                f"Input X contains NaN. {owner} integrates missing cells out, but not together with shrinkage='auto' or a"
                " covariance_estimator; give a number as shrinkage."
            )
        moments = missing_moments(owner, source, k, model.covariance_type, not own)
    given = None
    if model.covariance_estimator is not None:
        given = by_estimator(owner, model.covariance_estimator, source, k)
    return ClassStatistics(source, moments, given, None)


def class_covariances(gathered: ClassStatistics, shrinkage: Any, kind: str, unbiased: bool) -> NDArray:
    """Return the covariance of every class (k, d, d), shrunk or by an estimator where requested."""
    moments = gathered.moments
    if gathered.given is not None:
        return of_type(gathered.given[0], kind)
    each = covariances(moments, unbiased)
    if shrinkage == "auto":
        fourth = length_fourth(gathered.source, moments.mean, 1 / unit_scale(covariances(moments)))
        each = np.stack([ledoit_wolf(S, f, n) for S, f, n in zip(each, fourth, moments.mass)])
    elif shrinkage is not None:
        each = shrunk(each, shrinkage)
    return of_type(each, kind)


def within_covariance(model: Any, gathered: ClassStatistics, prior: NDArray) -> NDArray:
    """Return the shared covariance: pooled over the rows, or (other solvers than "svd") weighted by the priors."""
    moments = gathered.moments
    if gathered.rows is not None:
        return np.empty((0, 0))
    n, k = float(moments.mass.sum()), len(moments.mass)
    factor = n / (n - k) if model.unbiased else 1.0
    own = len(moments.scatter) == k and k > 1
    if gathered.given is None and (not own or (model.solver == "svd" and model.shrinkage is None)):
        pooled = factor * pooled_covariance(moments)
        return of_type(pooled if model.shrinkage is None else shrunk(pooled, model.shrinkage), model.covariance_type)
    each = class_covariances(gathered, model.shrinkage, model.covariance_type, False)
    return factor * np.einsum("c,cij->ij", prior, each)


def total_covariance(model: Any, gathered: ClassStatistics) -> NDArray:
    """Return the covariance of all rows together, shrunk as those of the classes."""
    moments = gathered.moments
    if gathered.given is not None:
        return gathered.given[1]
    share = moments.mass / moments.mass.sum()
    center = share @ moments.mean
    gap = moments.mean - center
    n, k = float(moments.mass.sum()), len(share)
    within = pooled_covariance(moments) * (n / (n - k) if model.unbiased else 1.0)
    total = of_type(within, model.covariance_type) + (share[:, None] * gap).T @ gap
    if model.shrinkage == "auto":
        scale = np.broadcast_to(1 / unit_scale(total), gap.shape)
        fourth = length_fourth(gathered.source, np.broadcast_to(center, gap.shape), scale)
        return ledoit_wolf(total, float(fourth.sum()), n)
    return total if model.shrinkage is None else shrunk(total, model.shrinkage)
