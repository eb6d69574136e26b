"""What a fit learned and what a prediction says, looked at once: numbers that overflowed are refused, never handed on.

A fit checks its data and parameters first, but sums of squares, products of weights and reciprocals of penalties can still
leave the range of floating point. Then parameters hold NaN or infinity, every later prediction is meaningless, and nothing says
so. The look costs a pass over the parameters, which are few, or over the results of a prediction.
"""

import numbers
from typing import Any

import numpy as np
import scipy.sparse

from novum import _core
from novum.base.large_numbers import MOST_SIZE, largest_of, too_large
from novum.exceptions import DataError
from novum.runtime import arrays

__all__ = ["check_densities", "check_learned", "check_predictions", "overflow_of"]

FINITE = (
    "coef_ theta_ var_ means_ covariances_ covariance_ cluster_centers_ components_ mean_ inertia_ scalings_"
    " noise_variance_ sigma_ dual_coef_ precisions_cholesky_ alpha_"
)
NOT_NAN = (  # a probability of zero has the logarithm -inf, and a class without weight such an intercept
    "intercept_ feature_log_prob_ class_log_prior_ class_prior_ priors_ weights_ estimator_weights_ lambda_"
    " explained_variance_ posterior_"
)
MUST_BE_FINITE = {**dict.fromkeys(FINITE.split(), True), **dict.fromkeys(NOT_NAN.split(), False)}
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
EXTREME = 1e100  # a parameter beyond it, or below its reciprocal, is named


def has_bad_numbers(value: Any, finite: bool) -> bool:
    """Return whether a number or array of numbers holds NaN, or, if it must be finite, infinity."""
    if isinstance(value, float | np.floating):
        return not np.isfinite(value) if finite else bool(np.isnan(value))
    cells = value.data if scipy.sparse.issparse(value) else value
    if not isinstance(cells, np.ndarray):
        return arrays.is_tensor(value) and not arrays.all_finite(value)
    if cells.dtype.kind != "f":
        return False
    if cells.dtype in FLOATS and cells.flags.c_contiguous and _core.runtime.tiles.all_finite(cells):
        return False
    return not np.isfinite(cells).all() if finite else bool(np.isnan(cells).any())


def extreme_parameters(estimator: Any) -> str:
    """Return the parameters of an estimator that are far from one, as text for an error."""
    found = []
    for name, value in estimator.get_params(deep=False).items():
        if isinstance(value, numbers.Real) and value and not 1 / EXTREME < abs(value) < EXTREME:  # type: ignore[operator]
            found.append(f"{name}={value!r:.40}")
    return f" with {', '.join(found)}" if found else ""


def check_learned(estimator: Any, X: Any = None) -> None:
    """Raise DataError if what an estimator just learned holds NaN or infinity."""
    there: dict[str, Any] = vars(estimator).get("_there", {})
    for name, value in (*vars(estimator).items(), *there.items()):
        finite = MUST_BE_FINITE.get(name)
        if finite is None or not has_bad_numbers(value, finite):
            continue
        owner = type(estimator).__name__
        table = isinstance(X, np.ndarray) and X.dtype.kind == "f"
        if table and (largest := largest_of(X)) > MOST_SIZE:
            raise too_large(owner, "X", largest)
        raise DataError(
            f"{owner}: the fit left the range of floating point{extreme_parameters(estimator)}: {name} holds NaN or"
            f" infinity. Scale X and y (sklearn.preprocessing.StandardScaler), or give moderate parameters and weights."
        )


def overflow_of(estimator: Any, X: Any) -> DataError | None:
    """Return the error for a fit that failed because squares of its columns overflow; None where they do not."""
    if not estimator._squares_columns or not isinstance(X, np.ndarray) or X.dtype.kind != "f":
        return None
    largest = largest_of(X)
    return too_large(type(estimator).__name__, "X", largest) if MOST_SIZE < largest < np.inf else None


def check_densities(estimator: Any, X: Any, log_density: Any) -> Any:
    """Return log-densities; raise DataError where a row in memory is so far away that its own overflows to minus infinity."""
    if isinstance(log_density, np.ndarray) and np.isneginf(log_density).any():
        cells = X if scipy.sparse.issparse(X) else np.asarray(X, dtype=np.float64)
        raise too_large(type(estimator).__name__, "X", largest_of(cells))
    return log_density


def check_predictions(estimator: Any, source: Any, answers: Any) -> None:
    """Raise DataError if a row of finite cells got NaN as its answer."""
    if not isinstance(answers, np.ndarray) or answers.dtype.kind != "f" or not np.isnan(np.sum(answers)):
        return
    rows = np.isnan(answers).reshape(len(answers), -1).any(axis=1)
    if not rows.any():
        return  # infinities of both signs
    source.verified()
    raise DataError(
        f"{type(estimator).__name__}: row {int(np.argmax(rows))} of X has no answer: its numbers are too large, or too far from"
        f" those of the fit, and overflow. Scale X as in the fit."
    )
