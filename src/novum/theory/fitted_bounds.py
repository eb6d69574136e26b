r"""Error bounds of fitted classifiers on their examples: from the class they were chosen from, or from examples they never saw.

    growth       eq. (4) of `bounds` with the capacity of the model's class                                           (1)
    stability    R <= r_loo + sqrt((6k + 1) / (n delta))     k nearest neighbors, leave-one-out error r_loo           (2)
    margin       R <= r_m + (2/m) Q + 3 sqrt(ln(2/delta) / 2n)     r_m: share of examples with margin below m         (3)
                 Q <= sqrt(sum |x_i|^2) / n                        unit weights, rows augmented by a one
                 Q <= sqrt(2 ln Pi(n) / n)                         convex votes of base learners (Massart)
    rademacher   R <= r + Q + 3 sqrt(ln(2/delta) / 2n)
                 Q ~ mean over random signs of (1 - 2 error of the learner fitted to them)                            (4)

(2) is Chebyshev's inequality with E(r_loo - R)^2 <= 1/n + 6 P(one row changes the answer), which is k/n here (Rogers and
Wagner 1978, Devroye and Wagner 1979). In (4) a learner that does not minimize the training error gives an estimate from
below.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import column_or_1d

from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError, ParameterError, ParameterTypeError
from novum.report.numbers import num
from novum.runtime.checks import check_choice, check_number
from novum.runtime.random import seed_of
from novum.theory.bounds import ErrorBound, bound_of, by_growth, by_inversion, by_rademacher
from novum.theory.model_capacity import base_growth, capacity_of

__all__ = ["bound_of_model"]

HELD_OUT = "pass examples that had no part in fitting and held_out=True"


def check_classifier(model: Any, X: Any, y: Any) -> tuple[NDArray, int]:
    """Return the labels and their number; raise where the model is no fitted classifier."""
    name = type(model).__name__
    if not hasattr(model, "predict"):
        raise ParameterTypeError(
            f"error_bound(model={model!r}): the first argument is a fitted classifier; numbers go by name."
        )
    if not is_classifier(model):
        raise ParameterError(
            f"error_bound(model={name}): bounds are for the share of wrong labels of a classifier; for a regressor use "
            "hoeffding on losses in a known range, or conformal intervals."
        )
    check_is_fitted(model)
    if X is None or y is None:
        raise ParameterError(f"error_bound(model={name}): give X and y, the examples to count errors on.")
    labels = column_or_1d(y)
    check_consistent_length(X, labels)
    return labels, len(labels)


def has_missing(X: Any) -> bool:
    """Return whether a cell is NaN or None."""
    array = np.asarray(X)
    if array.dtype.kind == "O":
        return any(value is None or value != value for value in array.ravel())
    return array.dtype.kind == "f" and bool(np.isnan(array).any())


def last_step(model: Any) -> Any:
    return model.steps[-1][1] if hasattr(model, "steps") else model


def leave_one_out(model: Any, y: NDArray, delta: float) -> ErrorBound:
    """Return (2)."""
    if int(model.n_samples_fit_) != len(y):
        raise DataError(
            f"error_bound(model={type(model).__name__}): it was fitted on {model.n_samples_fit_} rows and y has {len(y)}; "
            f"pass the examples of the fit, or {HELD_OUT}."
        )
    wrong = float((np.asarray(model.predict(None)) != y).mean())
    k = int(model.n_neighbors)
    words = f"{k} nearest neighbors, infinite VC dimension; leave-one-out error and its stability"
    return bound_of(math.sqrt((6 * k + 1) / (len(y) * delta)), wrong, len(y), delta, "stability", words)


def signs_of(model: Any, y: NDArray) -> NDArray:
    """Return -1 and +1 for the two classes."""
    classes = np.asarray(model.classes_)
    if len(classes) != 2:
        raise ParameterError(
            f"error_bound(model={type(model).__name__}): margins and Rademacher complexity are for two classes; it knows "
            f"{len(classes)}. Leave kind and margin out, or {HELD_OUT}."
        )
    return np.where(y == classes[1], 1.0, -1.0)


def by_model_margin(model: Any, X: Any, y: NDArray, delta: float, margin: float) -> ErrorBound:
    """Return (3)."""
    owner = type(model).__name__
    sign, n = signs_of(model, y), len(y)
    if hasattr(model, "coef_"):
        rows = np.asarray(X, dtype=np.float64)
        intercept = float(np.ravel(model.intercept_)[0]) if getattr(model, "fit_intercept", True) else 0.0
        w = np.append(np.ravel(model.coef_), intercept)
        rows = np.column_stack([rows, np.ones(n) if getattr(model, "fit_intercept", True) else np.zeros(n)])
        value = sign * (rows @ w) / (np.linalg.norm(w) or 1.0)
        complexity = math.sqrt(float((rows**2).sum())) / n
        words = f"unit weights, margin {margin:g}, mean square length of a row {num(float((rows**2).sum()) / n):.4g}"
    elif hasattr(model, "estimator_weights_"):
        weights = np.asarray(model.estimator_weights_, dtype=np.float64)[: len(model.estimators_)]
        right = np.array([np.where(np.asarray(member.predict(X)) == y, 1.0, -1.0) for member in model.estimators_])
        value = weights @ right / weights.sum()
        growths = [base_growth(member, n, 2) for member in model.estimators_]
        if any(growth is None for growth in growths):
            raise ParameterError(
                f"error_bound(model={owner}, margin=...): the capacity of its base learners is not known."
            )
        largest = max(growth for growth in growths if growth is not None)
        complexity = math.sqrt(2 * largest / n)
        words = f"convex votes of {type(model.estimators_[0]).__name__}, margin {margin:g}"
    else:
        raise ParameterError(
            f"error_bound(model={owner}, margin={margin:g}): margins are for linear models and AdaBoost; leave margin out."
        )
    below = float((value < margin).mean())
    # eq. (6) of `bounds` adds twice the complexity of the losses, which is that of the scores over the margin
    return bound_of(by_rademacher(n, delta, complexity / margin), below, n, delta, "margin", words)


def by_random_labels(
    model: Any, X: Any, y: NDArray, delta: float, error: float, n_draws: int, random_state: Any
) -> ErrorBound:
    """Return (4)."""
    signs_of(model, y)
    rng = np.random.default_rng(seed_of(random_state))
    fits: list[float] = []
    while len(fits) < n_draws:
        sigma = rng.integers(2, size=len(y))
        if 0 < sigma.sum() < len(y):  # a learner of two classes needs both
            fits.append(1 - 2 * float((np.asarray(clone(model).fit(X, sigma).predict(X)) != sigma).mean()))
    complexity = max(0.0, float(np.mean(fits)))
    error_of_mean = float(np.std(fits) / math.sqrt(n_draws))
    words = (
        f"{type(model).__name__} fits random labels with correlation {num(complexity):.4f} +- "
        f"{num(error_of_mean):.4f}, {n_draws} draws"
    )
    return bound_of(by_rademacher(len(y), delta, complexity / 2), error, len(y), delta, "rademacher", words)


def bound_of_model(
    model: Any,
    X: Any,
    y: Any,
    delta: float,
    kind: str | None,
    margin: float | None,
    held_out: bool,
    n_draws: int,
    random_state: Any,
) -> ErrorBound:
    """Return the bound that fits the model and the role of the examples."""
    labels, n = check_classifier(model, X, y)
    name = type(model).__name__
    if kind is not None:
        kind = check_choice("error_bound", "kind", kind, ("vc", "growth", "margin", "rademacher", "test_set"))
    if margin is not None and kind not in (None, "margin"):
        raise ParameterError(f"error_bound(kind={kind!r}, margin={margin!r}): a margin belongs to kind='margin'.")
    if kind == "test_set" and not held_out:
        raise ParameterError("error_bound(kind='test_set'): say held_out=True if the examples had no part in fitting.")
    if held_out:
        if kind not in (None, "test_set") or margin is not None:
            raise ParameterError(
                f"error_bound(held_out=True, kind={kind!r}): held-out examples need no capacity; leave it out."
            )
        errors = int((np.asarray(model.predict(X)) != labels).sum())
        value = by_inversion(n, delta, errors)
        words = "one hypothesis, fixed before these examples"
        return ErrorBound(value, errors / n, value - errors / n, n, delta, "test_set", words)
    if has_missing(X):
        raise DataError(
            f"error_bound(model={name}): X has missing cells, and capacities are for complete rows; {HELD_OUT}."
        )
    if margin is not None or kind == "margin":
        if margin is None:
            raise ParameterError("error_bound(kind='margin'): give the margin, chosen before looking at the examples.")
        width = check_number("error_bound", "margin", margin, 0, open_low=True)
        return by_model_margin(model, X, labels, delta, width)
    if kind is None and hasattr(model, "n_samples_fit_") and hasattr(model, "n_neighbors"):
        return leave_one_out(model, labels, delta)
    error = float((np.asarray(model.predict(X)) != labels).mean())
    if kind == "rademacher":
        return by_random_labels(model, X, labels, delta, error, n_draws, random_state)
    capacity = capacity_of(model)
    if capacity is None:
        raise ParameterError(
            f"error_bound(model={name}): the capacity of {type(last_step(model)).__name__}"
            f"{' behind these steps' if hasattr(model, 'steps') else ''} is not known; {HELD_OUT}, or kind='rademacher'."
        )
    return bound_of(by_growth(n, delta, capacity.log_growth(2 * n)), error, n, delta, "growth", capacity.words)
