r"""Effective degrees of freedom and optimism: how far the error on the training rows flatters.

A linear smoother predicts its training rows by y^ = S y with S free of y (least squares, ridge, neighbors, kernels). Then

    degrees of freedom = trace S;   ridge with penalty a:  [intercept] + sum_j s_j^2 / (s_j^2 + a)  (1)

with singular values s_j of the (centred) columns. In general (Efron 2004) degrees of freedom and optimism, the expected amount
by which the mean squared error on the same rows with fresh noise exceeds that on the training rows, are covariances:

    df = sum_i cov(y^_i, y_i) / sigma^2,      optimism = (2/N) sum_i cov(y^_i, y_i) = 2 sigma^2 df / N   (2)

For other learners cov is found by simulation: fit to y^ + sigma e, many times.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier

from novum.exceptions import DataError, ParameterError
from novum.runtime.checks import check_count, check_number
from novum.runtime.random import seed_of
from novum.runtime.typing import HasArray, Predictor, Rows, Seed, Target

__all__ = ["effective_degrees_of_freedom", "optimism", "smoother_matrix"]

LARGEST = 5000  # rows of a smoother that is written out: 200 MB
PROBES = (1.0, 1e4)  # sizes of targets tried: a penalty of fixed size is linear in small ones, which it sets to zero
LINEAR = 1e-6  # relative error of S y against the fit above which a learner is not linear in y


def smoother_matrix(model: Any, X: Any, X_new: Any = None) -> NDArray:
    """Return S for the rows of `X_new` (those of X by default), by fitting unit vectors; refused where not linear in y."""
    n = np.shape(X)[0]
    if n > LARGEST:
        raise DataError(f"effective_degrees_of_freedom: {n} rows; a smoother is written out for at most {LARGEST}.")
    rows = X if X_new is None else X_new
    try:
        S = np.asarray(clone(model).fit(X, np.eye(n)).predict(rows))
    except (ValueError, TypeError):  # one target only
        S = np.empty(0)
    if S.shape != (np.shape(rows)[0], n):
        S = np.column_stack([clone(model).fit(X, column).predict(rows) for column in np.eye(n)])
    for size in PROBES:
        probe = size * np.random.default_rng(0).normal(size=n)
        direct = np.asarray(clone(model).fit(X, probe).predict(rows))
        if np.abs(S @ probe - direct).max() > LINEAR * float(np.abs(probe).max()):
            raise ParameterError(
                f"effective_degrees_of_freedom: {type(model).__name__} is not linear in y; pass noise_variance to find the degrees"
                " of freedom by simulation."
            )
    return S


def ridge_degrees(X: NDArray, alpha: float, fit_intercept: bool) -> float:
    """Return (1) for a ridge."""
    Z = X - X.mean(0) if fit_intercept else X
    s = np.linalg.svd(Z, compute_uv=False)
    s = s[s > max(Z.shape) * np.finfo(float).eps * s.max(initial=0.0)]
    return float((s**2 / (s**2 + alpha)).sum()) + float(fit_intercept)


def simulated_degrees(model: Any, X: Any, y: Any, variance: float, n_draws: int, random_state: Any) -> float:
    """Return (2) by simulation around the fit to y."""
    generator = np.random.default_rng(seed_of(random_state))
    center = np.asarray(clone(model).fit(X, y).predict(X), dtype=np.float64)
    noise = np.sqrt(variance) * generator.normal(size=(n_draws, len(center)))
    fits = np.array([clone(model).fit(X, center + e).predict(X) for e in noise])
    return float((noise * (fits - fits.mean(0))).sum() / (n_draws - 1) / variance)


def effective_degrees_of_freedom(
    model: Any,
    X: Rows,
    y: Target = None,
    *,
    noise_variance: float | None = None,
    n_draws: int = 200,
    random_state: Seed = 0,
) -> float:
    """Return the effective degrees of freedom of a regressor on rows X.

    Parameters
    ----------
    model : regressor, fitted or not
    X : array-like of shape (n_samples, n_features)
    y : array-like, default=None
        Needed for learners that are not linear in y.
    noise_variance : float, default=None
        Given, they are found by simulation around a fit; else the learner must be linear in y.
    n_draws : int, default=200
    random_state : int, Generator, RandomState, SeedSequence or None

    Examples
    --------
    >>> import numpy as np
    >>> from novum.evaluation import effective_degrees_of_freedom
    >>> from novum.linear_model import Ridge
    >>> X = np.random.default_rng(0).normal(size=(30, 3))
    >>> round(effective_degrees_of_freedom(Ridge(alpha=1e-9), X), 6), round(effective_degrees_of_freedom(Ridge(alpha=1e9), X), 6)
    (4.0, 1.0)
    """
    if is_classifier(model):
        raise ParameterError(f"effective_degrees_of_freedom: {type(model).__name__} is a classifier; pass a regressor.")
    if noise_variance is not None:
        if y is None:
            raise ParameterError(
                "effective_degrees_of_freedom(noise_variance=...): the simulation is around a fit; pass y too."
            )
        variance = check_number("effective_degrees_of_freedom", "noise_variance", noise_variance, 0, open_low=True)
        return simulated_degrees(
            model, X, y, variance, check_count("effective_degrees_of_freedom", "n_draws", n_draws, 2), random_state
        )
    alpha = {"LinearRegression": 0.0, "Ridge": getattr(model, "alpha", None)}.get(type(model).__name__)
    if alpha is not None and np.ndim(alpha) == 0 and not getattr(model, "positive", False):
        return ridge_degrees(np.asarray(X, dtype=np.float64), float(alpha), bool(model.fit_intercept))
    return float(np.trace(smoother_matrix(model, X)))


def optimism(
    model: Predictor,
    X: HasArray | Sequence[Any],
    y: Target = None,
    *,
    noise_variance: float,
    n_draws: int = 200,
    random_state: Seed = 0,
) -> float:
    """Return the optimism of the mean squared error on the training rows.

    Parameters
    ----------
    model, X, n_draws, random_state
        As in `effective_degrees_of_freedom`.
    y : array-like, default=None
        Given, the covariances are simulated; else the learner must be linear in y.
    noise_variance : float
        sigma^2.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.evaluation import optimism
    >>> from novum.linear_model import LinearRegression
    >>> round(optimism(LinearRegression(), np.arange(10.0)[:, None], noise_variance=0.5), 6)   # 2 x .5 x 2/10
    0.2
    """
    variance = check_number("optimism", "noise_variance", noise_variance, 0, open_low=True)
    given = None if y is None else variance
    degrees = effective_degrees_of_freedom(
        model, X, y, noise_variance=given, n_draws=n_draws, random_state=random_state
    )
    return 2 * variance * degrees / np.shape(X)[0]
