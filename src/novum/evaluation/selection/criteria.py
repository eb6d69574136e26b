r"""Criteria that charge a fit for its parameters, so that fits of different size can be compared on the training data.

RSS is the residual sum of squares, TSS that about the mean, N rows, d parameters, sigma^2 the noise variance, log L the maximised
log-likelihood, p predictors without the intercept.

    C_p = (RSS + 2 d sigma^2) / N                                smaller is better                 (1)
    AIC = -2 log L + 2 d                                         smaller is better                 (2)
    BIC = (RSS + log(N) d sigma^2) / N,  or  -2 log L + d log N  smaller is better                 (3)
    adjusted R^2 = 1 - (RSS/(N - p - 1)) / (TSS/(N - 1))         larger is better                  (4)

d of AIC and BIC counts the noise variance of a regression, a parameter of its likelihood, here and in `inference()`.
For normal errors with the variance at its maximum likelihood, -2 log L = N (log(2 pi RSS/N) + 1)  (5). BIC charges more than C_p
and AIC where log N > 2, from eight rows on.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_classifier

from novum.evaluation.bias_variance.smoothers import effective_degrees_of_freedom
from novum.exceptions import DataError, ParameterError
from novum.report.numbers import num
from novum.report.result import result
from novum.runtime.checks import check_count, check_number
from novum.runtime.typing import Fittable, Rows, Target

__all__ = ["Criteria", "adjusted_r2", "aic", "bic", "mallows_cp", "model_criteria"]

EXACT = 1e-12  # of the targets: residuals below this are rounding errors


@result
class Criteria(NamedTuple):
    """Criteria of one fitted model."""

    mallows_cp: float
    aic: float
    bic: float
    adjusted_r2: float
    n_parameters: float  # d, the intercept among them
    log_likelihood: float

    def __repr__(self) -> str:
        lines = [f"  {name.replace('_', ' '):<15} {num(value):.6g}" for name, value in zip(self._fields, self)]
        return "\n".join(["criteria on the training rows (C_p, AIC, BIC: smaller is better)", *lines])


def mallows_cp(rss: float, n_parameters: float, noise_variance: float, n_samples: int) -> float:
    """Return Mallows' C_p in the form (RSS + 2 d sigma^2) / N.

    Parameters
    ----------
    rss : float
        Residual sum of squares.
    n_parameters : float
        d; may be effective degrees of freedom.
    noise_variance : float
        sigma^2, usually from the largest model: RSS/(N - d).
    n_samples : int
        Rows.

    Examples
    --------
    >>> from novum.evaluation import mallows_cp
    >>> round(mallows_cp(0.7, 2, 0.35, 4), 6)
    0.525
    """
    owner = "mallows_cp"
    rss, d = check_number(owner, "rss", rss, 0), check_number(owner, "n_parameters", n_parameters, 0)
    return (rss + 2 * d * check_number(owner, "noise_variance", noise_variance, 0)) / check_count(
        owner, "n_samples", n_samples
    )


def aic(
    log_likelihood: float | None = None,
    n_parameters: float | None = None,
    n_samples: int | None = None,
    *,
    rss: float | None = None,
    noise_variance: float | None = None,
) -> float:
    """Return Akaike's criterion, 2 for each parameter, from a log-likelihood or in its least-squares form.

    Parameters
    ----------
    log_likelihood : float
        At its maximum: gives the form -2 log L + 2 d.
    n_parameters : float
        All that were estimated; a noise variance counts.
    n_samples : int
        Rows; the form of the likelihood does without them.
    rss, noise_variance : float
        Instead of `log_likelihood`: (RSS + 2 d variance) / N, which is `mallows_cp`.

    Examples
    --------
    >>> from novum.evaluation import aic
    >>> round(aic(-2.1898155, 2), 6)
    8.379631
    """
    if log_likelihood is None:
        return least_squares_form("aic", 2.0, n_parameters, n_samples, rss, noise_variance)
    check_one_form("aic", rss, noise_variance)
    return 2 * check_number("aic", "n_parameters", n_parameters, 0) - 2 * check_number(
        "aic", "log_likelihood", log_likelihood
    )


def bic(
    log_likelihood: float | None = None,
    n_parameters: float | None = None,
    n_samples: int | None = None,
    *,
    rss: float | None = None,
    noise_variance: float | None = None,
) -> float:
    """Return the Bayesian information criterion, log N for each parameter, from a log-likelihood or in its least-squares form.

    Parameters
    ----------
    log_likelihood, n_parameters, n_samples
        As in `aic`: give the form -2 log L + d log N.
    rss, noise_variance : float
        Instead of `log_likelihood`: (RSS + log(N) d variance) / N.

    Examples
    --------
    >>> from novum.evaluation import bic
    >>> round(bic(-2.1898155, 2, 4), 6)
    7.15222
    >>> round(bic(n_parameters=2, n_samples=4, rss=0.7, noise_variance=0.35), 7)
    0.4176015
    """
    price = float(np.log(check_count("bic", "n_samples", n_samples)))
    if log_likelihood is None:
        return least_squares_form("bic", price, n_parameters, n_samples, rss, noise_variance)
    check_one_form("bic", rss, noise_variance)
    d = check_number("bic", "n_parameters", n_parameters, 0)
    return d * price - 2 * check_number("bic", "log_likelihood", log_likelihood)


def least_squares_form(owner: str, price: float, n_parameters: Any, n_samples: Any, rss: Any, variance: Any) -> float:
    """Return (RSS + price d variance) / N."""
    rows, d = check_count(owner, "n_samples", n_samples), check_number(owner, "n_parameters", n_parameters, 0)
    left = check_number(owner, "rss", rss, 0)
    return (left + price * d * check_number(owner, "noise_variance", variance, 0)) / rows


def check_one_form(owner: str, rss: Any, noise_variance: Any) -> None:
    """Raise where both forms are given."""
    if rss is not None or noise_variance is not None:
        raise ParameterError(f"{owner}: give either rss and noise_variance, or log_likelihood.")


def adjusted_r2(rss: float, tss: float, n_samples: int, n_predictors: float) -> float:
    """Return the adjusted R^2, 1 - (RSS/(N - p - 1)) / (TSS/(N - 1)).

    Parameters
    ----------
    rss, tss : float
        Residual and total sum of squares.
    n_samples : int
        Rows, more than `n_predictors` + 1.
    n_predictors : float
        p, without the intercept.

    Examples
    --------
    >>> from novum.evaluation import adjusted_r2
    >>> round(adjusted_r2(0.7, 18.75, 4, 1), 6)
    0.944
    """
    owner = "adjusted_r2"
    rows, p = check_count(owner, "n_samples", n_samples, 2), check_number(owner, "n_predictors", n_predictors, 0)
    if rows - p - 1 <= 0:
        raise ParameterError(
            f"adjusted_r2(n_samples={n_samples}, n_predictors={n_predictors:g}): needs more rows than predictors and intercept."
        )
    total = check_number(owner, "tss", tss, 0, open_low=True)
    return 1 - (check_number(owner, "rss", rss, 0) / (rows - p - 1)) / (total / (rows - 1))


class ExactFit(DataError):
    """A model that leaves no residual: its Gaussian likelihood grows without bound."""


class Uncounted(ParameterError):
    """A model whose parameters cannot be counted."""


def log_likelihood_of(model: Any, X: Any, y: Any) -> tuple[float, float, float]:
    """Return log L of a fitted model on its training data, RSS and TSS; (5) for regression."""
    truth = np.asarray(y)
    if is_classifier(model):
        if not hasattr(model, "predict_proba"):
            raise ParameterError(f"model_criteria: {type(model).__name__} has no predict_proba, so no likelihood.")
        column = np.searchsorted(model.classes_, truth)
        probability = np.asarray(model.predict_proba(X))[np.arange(len(truth)), column]
        return float(np.log(np.maximum(probability, np.finfo(float).tiny)).sum()), float("nan"), float("nan")
    residual = truth - np.asarray(model.predict(X))
    rss, tss = float((residual**2).sum()), float(((truth - truth.mean(0)) ** 2).sum())
    if rss <= EXACT**2 * float((truth**2).sum()):
        raise ExactFit("model_criteria: the model fits the rows exactly; its likelihood has no maximum.")
    return -0.5 * truth.size * (float(np.log(2 * np.pi * rss / truth.size)) + 1), rss, tss


def parameters_of(model: Any, X: Any) -> float:
    """Return d: weights that are not zero and intercepts, effective degrees of freedom for a ridge."""
    last = model[-1] if hasattr(model, "named_steps") else model
    if hasattr(last, "n_empty_parameters_"):
        return float(last.n_empty_parameters_)
    if is_classifier(last) and not hasattr(last, "coef_"):
        raise Uncounted(
            f"model_criteria: the parameters of {type(last).__name__} cannot be counted; pass n_parameters."
        )
    if not hasattr(last, "coef_"):
        try:
            return effective_degrees_of_freedom(model, X)
        except ParameterError as problem:
            raise Uncounted(
                f"model_criteria: {type(last).__name__} is not linear in y, so its parameters cannot be counted; pass"
                " n_parameters."
            ) from problem
    if type(last).__name__ in ("Ridge", "KernelRidge"):
        return effective_degrees_of_freedom(model, X)
    intercepts = np.size(last.intercept_) if getattr(last, "fit_intercept", True) else 0
    several = is_classifier(last) and np.ndim(last.coef_) == 2 and len(last.coef_) == len(last.classes_) > 2
    if several and type(last).__name__.startswith("LogisticRegression"):
        # a vector per class is one too many: adding the same to all changes no probability
        classes = len(last.classes_) - 1
        used = np.count_nonzero(np.any(np.asarray(last.coef_) != 0, axis=0))
        return float(classes * (used + bool(intercepts)))
    return float(np.count_nonzero(last.coef_) + intercepts)


def model_criteria(
    model: Fittable, X: Rows, y: Target, *, noise_variance: float | None = None, n_parameters: float | None = None
) -> Criteria:
    """Return C_p, AIC, BIC and adjusted R^2 of a fitted model on its training data.

    Parameters
    ----------
    model : fitted regressor, or classifier with predict_proba
        C_p and adjusted R^2 are NaN for classifiers.
    X, y : array-like
        What it was fitted on.
    noise_variance : float, default=None
        Of C_p; by default RSS/(N - d) of this model.
    n_parameters : float, default=None
        d; by default counted: weights that are not zero and intercepts (of K classes K - 1 vectors), or the effective degrees
        of freedom of a linear smoother. The noise variance of a regression is counted by AIC and BIC, as a parameter of its
        likelihood: d + 1. `inference()` of a linear model counts alike.

    Examples
    --------
    >>> from novum.evaluation import model_criteria
    >>> from novum.linear_model import LinearRegression
    >>> X, y = [[0.0], [1], [2], [3]], [1.0, 3, 4, 7]
    >>> found = model_criteria(LinearRegression().fit(X, y), X, y)
    >>> round(found.adjusted_r2, 3), found.n_parameters
    (0.944, 2.0)
    """
    log_likelihood, rss, tss = log_likelihood_of(model, X, y)
    d = (
        parameters_of(model, X)
        if n_parameters is None
        else check_number("model_criteria", "n_parameters", n_parameters, 0)
    )
    rows = len(np.asarray(y))
    if np.isnan(rss):
        return Criteria(
            np.nan,
            aic(log_likelihood, d),
            bic(log_likelihood, d, rows),
            np.nan,
            d,
            log_likelihood,
        )
    variance = noise_variance if noise_variance is not None else rss / (rows - d) if rows > d else np.nan
    cp = mallows_cp(rss, d, variance, rows) if not np.isnan(variance) else np.nan
    adjusted = adjusted_r2(rss, tss, rows, max(d - 1, 0)) if rows > d and tss > 0 else np.nan
    counted = d + 1  # the noise variance
    return Criteria(
        cp,
        aic(log_likelihood, counted),
        bic(log_likelihood, counted, rows),
        adjusted,
        d,
        log_likelihood,
    )
