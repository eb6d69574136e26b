r"""Importance sampling: draws of one distribution, weighted to stand for another.

    w_i = p(x_i)/q(x_i),  x_i ~ q;   E_p f ~ (1/n) sum w_i f(x_i)                              p and q normalised          (1)
    E_p f ~ sum w_i f(x_i) / sum w_i,   error^2 = sum w_i^2 (f(x_i) - mean)^2 / (sum w_i)^2     self-normalised            (2)
    effective size = (sum w)^2 / sum w^2                                                                                   (3)
    log of the integral of p~ = log mean w                                                                                 (4)

The tail of the weights decides whether (2) can be trusted: a generalised Pareto distribution is fitted to the largest of them
(Zhang and Stephens 2009), and above a shape of 0.7 the error is not what it says (Vehtari and others 2024).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from novum.distributions.base import Distribution
from novum.exceptions import DataError, DataWarning
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.report.style import shade
from novum.runtime.checks import check_count
from novum.runtime.typing import Seed
from novum.runtime.warn import warn
from novum.sampling.expectations import drawn, generator, values_of
from novum.sampling.inverse import alias_draws
from novum.sampling.mean_errors import doubts_of, indicator_error, is_constant
from novum.sampling.pareto import pareto_shape
from novum.sampling.rejection import density_values, proposal_parts

__all__ = ["ImportanceSample", "importance_sample", "pareto_shape"]

WORST_SHAPE = 0.7  # of the weights' tail
LEAST_SHARE = 0.05  # of the draws that must be effective


@dataclass(frozen=True, repr=False)
class ImportanceSample(Result):
    """Weighted draws.

    Attributes
    ----------
    samples : ndarray of shape (n_samples, ...)
    weights : ndarray of shape (n_samples,)
        They sum to one.
    value, standard_error : float or ndarray
        The expectation (2), or (1), and its error.
    effective_size : float
        (3): how many draws of the target these are worth.
    pareto_shape : float
        Of the weights' tail; NaN where there are too few.
    log_normalizer, log_normalizer_error : float
        (4) and its standard error.
    """

    samples: NDArray[Any]
    weights: NDArray[np.float64]
    value: Any
    standard_error: Any
    effective_size: float
    pareto_shape: float
    log_normalizer: float
    log_normalizer_error: float
    _log_weights: NDArray[np.float64] = field(repr=False)

    def _result_columns(self) -> dict[str, Any]:
        flat = self.samples.reshape(len(self.samples), -1)
        return {"x" if flat.shape[1] == 1 else f"x[{j}]": flat[:, j].tolist() for j in range(flat.shape[1])} | {
            "weight": self.weights.tolist()
        }

    def __repr__(self) -> str:
        value = (
            f"{num(self.value):.6g} +- {num(self.standard_error):.2g}" if np.ndim(self.value) == 0 else f"{self.value}"
        )
        return (
            f"ImportanceSample: {value}, {counted(len(self.weights), 'draw')} worth {num(self.effective_size):.1f} of the target, "
            f"Pareto shape {num(self.pareto_shape):.2f}, log normalizer {num(self.log_normalizer):.4g}"
        )

    def expectation(self, function: Callable[[Any], Any]) -> tuple[Any, Any]:
        """Return the expectation (2) of another function of the same draws, and its error."""
        owner = "ImportanceSample.expectation"
        values, whole = values_of(owner, function, self.samples)
        return checked_error(owner, values, whole, self.effective_size, *weighted_mean(values, self.weights))

    def resample(self, n_samples: int, random_state: Seed = None) -> NDArray[Any]:
        """Return draws without weights: with replacement, by weight."""
        n = check_count("ImportanceSample.resample", "n_samples", n_samples)
        return self.samples[alias_draws(self.weights, generator(random_state).random(n))]

    def _result_picture(self, ax: Any) -> None:
        ordered = np.sort(self.weights)[::-1]
        ax.plot(np.arange(1, len(ordered) + 1) / len(ordered), np.cumsum(ordered))
        ax.plot([0, 1], [0, 1], "--", color=shade(ax, 0.6))
        ax.set_xlabel("share of the draws, heaviest first")
        ax.set_ylabel("share of the weight")


def weighted_mean(values: NDArray[np.float64], weights: NDArray[np.float64]) -> tuple[Any, Any]:
    """Return (2)."""
    w = weights.reshape(-1, *[1] * (values.ndim - 1))
    mean = (w * values).sum(axis=0)
    error = np.sqrt((w**2 * (values - mean) ** 2).sum(axis=0))
    return (float(mean), float(error)) if values.ndim == 1 else (mean, error)


def checked_error(owner: str, values: Any, whole: bool, size: float, value: Any, error: Any) -> tuple[Any, Any]:
    """Return value and error, after a look at draws that all agree: a bound for events, else NaN and a warning."""
    constant = is_constant(values)
    if not np.any(constant) or len(values) < 2:
        return value, error
    if whole:
        error = np.where(constant, indicator_error(values[0], size), error)
    else:
        error = np.where(constant, np.nan, error)
        warn(
            f"{owner}: {counted(len(values), 'draw')} gave one and the same value: they show no variation, so that the error is "
            "not known (NaN). Choose a proposal that reaches the event, or give a function of True and False (x > 3).",
            DataWarning,
        )
    return value, float(error) if np.ndim(error) == 0 else error


def importance_sample(
    log_prob: Callable[[Any], Any],
    proposal: Distribution | tuple[Callable[..., Any], Callable[..., Any]],
    function: Callable[[Any], Any] | None = None,
    n_samples: int = 10_000,
    *,
    self_normalized: bool = True,
    random_state: Seed = None,
) -> ImportanceSample:
    """Return an expectation under one distribution from weighted draws of another; a warning says where the weights are too uneven.

    Parameters
    ----------
    log_prob : callable
        Log density of the target, up to a constant unless `self_normalized` is False; of the draws at once, or of one.
    proposal : distribution or pair of callables
        q: with `sample` and `log_prob`, or (draws, log_prob) as functions (n, generator) -> draws and draws -> log
        density. It must be
        positive wherever the target is, and had better have heavier tails.
    function : callable, default=None
        f; None: the draws themselves.
    n_samples : int, default=10000
    self_normalized : bool, default=True
        Whether weights are divided by their sum (2), which is biased for few draws but needs no constants; else (1).
    random_state : int, Generator, RandomState, SeedSequence or None, default=None

    Returns
    -------
    ImportanceSample

    Examples
    --------
    >>> import numpy as np
    >>> from novum.distributions import StudentT
    >>> from novum.sampling import importance_sample
    >>> found = importance_sample(lambda x: -0.5 * x**2, StudentT(3), lambda x: x**2, 50_000, random_state=0)
    >>> bool(abs(found.value - 1) < 4 * found.standard_error), round(found.log_normalizer, 2)  # log sqrt(2 pi) = 0.92
    (True, 0.92)
    """
    owner = "importance_sample"
    n = check_count(owner, "n_samples", n_samples)
    draws_of, log_q = proposal_parts(owner, proposal)
    draws = drawn(owner, draws_of, n, generator(random_state))
    target, base = (
        density_values(owner, "log_prob", log_prob, draws),
        density_values(owner, "the proposal's log_prob", log_q, draws),
    )
    if (base == -np.inf).any() or not (target < np.inf).all():
        at = draws[int(np.argmax((base == -np.inf) | (target == np.inf)))]
        raise DataError(
            f"{owner}: no weight exists at the draw {at!r}: log_prob is +inf there, or the proposal's is -inf; mend it."
        )
    log_w = target - base
    total = float(logsumexp(log_w))
    if total == -np.inf:
        raise DataError(
            f"{owner}: the target has no density at any of {counted(n, 'draw')}; choose a proposal that covers it, or draw more."
        )
    weights = np.exp(log_w - total)
    values, whole = values_of(owner, function, draws)
    size, shape = float(1 / np.sum(weights**2)), pareto_shape(log_w)
    if self_normalized:
        value, error = weighted_mean(values, weights)
    else:
        terms = np.exp(log_w).reshape(-1, *[1] * (values.ndim - 1)) * values
        value, error = terms.mean(axis=0), terms.std(axis=0, ddof=1 if n > 1 else 0) / np.sqrt(n)
        if values.ndim == 1:
            value, error = float(value), float(error)
    value, error = checked_error(owner, values, whole, size, value, error)
    off = weights.reshape(-1, *[1] * (values.ndim - 1)) * (values - value if self_normalized else values)
    tail = doubts_of(off)[0]
    if tail > WORST_SHAPE and not (shape > WORST_SHAPE or size < LEAST_SHARE * n):
        warn(
            f"{owner}: weight times value has a tail of Pareto shape {num(tail):.2f} (should be below {WORST_SHAPE}): a few draws "
            "decide the estimate, and its error cannot be trusted. Choose a proposal with heavier tails where the function is "
            "large.",
            DataWarning,
        )
    if shape > WORST_SHAPE or size < LEAST_SHARE * n:
        warn(
            f"{owner}: the weights degenerate: {counted(n, 'draw', 'are')} worth {num(size):.1f} of the target, Pareto shape "
            f"{num(shape):.2f} (should be below "
            f"{WORST_SHAPE}); the estimate and its error cannot be trusted. Choose a proposal that is closer and has "
            f"heavier tails, or use "
            "HamiltonianMonteCarlo.",
            DataWarning,
        )
    relative = float(np.sqrt(max(n * np.sum(weights**2) - 1, 0.0) / n))
    return ImportanceSample(
        samples=draws,
        weights=weights,
        value=value,
        standard_error=error,
        effective_size=size,
        pareto_shape=shape,
        log_normalizer=total - float(np.log(n)),
        log_normalizer_error=relative,
        _log_weights=log_w,
    )
