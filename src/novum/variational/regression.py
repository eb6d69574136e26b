r"""Linear regression with unknown noise and unknown size of the weights, its posterior factorised.

    y ~ N(a + X w, 1 / alpha),   w ~ N(0, I / lambda),   alpha ~ Gamma(a_1, a_2),   lambda ~ Gamma(l_1, l_2)
    q(w) = N(m, S),   S = (E[lambda] I + E[alpha] X'X)^-1,   m = E[alpha] S X'y                                  (6)
    q(lambda) = Gamma(l_1 + p / 2, l_2 + (m'm + tr S) / 2)                                                       (7)
    q(alpha) = Gamma(a_1 + n / 2, a_2 + (|y - X m|^2 + tr(X'X S)) / 2)                                           (8)

An intercept has a flat prior and is integrated out: X and y are centred and n becomes n - 1. In the eigenbasis of X'X =
V' diag(e) V a sweep costs O(p). The bound and the evidence leave out the constant of the flat prior.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaln

from novum.distributions import Gamma, MultivariateNormal
from novum.exceptions import ParameterError
from novum.variational.coordinate_ascent import MeanField, coordinate_ascent

__all__ = ["RegressionData", "RegressionPrior", "regression_mean_field"]

LOG_2PI = float(np.log(2 * np.pi))
Array = NDArray[np.float64]


class RegressionPrior(NamedTuple):
    noise_shape: float  # a_1
    noise_rate: float  # a_2
    weight_shape: float  # l_1
    weight_rate: float  # l_2


class RegressionData(NamedTuple):
    eigenvalues: Array  # (r,): e, of X'X
    vectors: Array  # (r, p): rows of V
    best: Array  # (r,): V times the least-squares solution
    residual: float  # sum of squares around it
    mass: float  # n, or n - 1 with an intercept
    scale: float  # log of what integrating the intercept leaves: -log(n) / 2
    n_features: int


class WeightFactor(NamedTuple):
    """q(w) in the eigenbasis; directions that X does not see have variance `rest`."""

    mean: Array  # (r,)
    var: Array  # (r,)
    rest: float


def mean_of(q: Gamma) -> float:
    """Return E of a precision."""
    return float(q.shape) / float(q.rate)


def next_weights(data: RegressionData, noise: Gamma, size: Gamma) -> WeightFactor:
    """Return (6)."""
    alpha, lam = mean_of(noise), mean_of(size)
    var = 1 / (lam + alpha * data.eigenvalues)
    return WeightFactor(alpha * data.eigenvalues * data.best * var, var, 1 / lam)


def expected_size(data: RegressionData, q: WeightFactor) -> float:
    """Return m'm + tr S."""
    return float(q.mean @ q.mean + q.var.sum()) + (data.n_features - q.mean.size) * q.rest


def expected_error(data: RegressionData, q: WeightFactor) -> float:
    """Return |y - X m|^2 + tr(X'X S)."""
    return data.residual + float(data.eigenvalues @ ((data.best - q.mean) ** 2 + q.var))


def log_gamma_expectation(shape: float, rate: float, q: Gamma) -> float:
    """Return E_q[log Gamma(tau | shape, rate)]."""
    log_tau = float(digamma(q.shape) - np.log(q.rate))
    return float(shape * np.log(rate) - gammaln(shape) + (shape - 1) * log_tau - rate * mean_of(q))


def regression_bound(
    data: RegressionData, prior: RegressionPrior, weights: WeightFactor, noise: Gamma, size: Gamma
) -> float:
    """Return E[log p(y, w, alpha, lambda)] + H(q)."""
    p, unseen = data.n_features, data.n_features - weights.mean.size
    log_noise = float(digamma(noise.shape) - np.log(noise.rate))
    log_size = float(digamma(size.shape) - np.log(size.rate))
    value = 0.5 * (data.mass * (log_noise - LOG_2PI) - mean_of(noise) * expected_error(data, weights)) + data.scale
    value += 0.5 * (p * (log_size - LOG_2PI) - mean_of(size) * expected_size(data, weights))
    value += log_gamma_expectation(prior.noise_shape, prior.noise_rate, noise)
    value += log_gamma_expectation(prior.weight_shape, prior.weight_rate, size)
    value += 0.5 * (p * (1 + LOG_2PI) + float(np.log(weights.var).sum()) + unseen * float(np.log(weights.rest)))
    return value + float(noise.entropy()) + float(size.entropy())


def regression_mean_field(
    data: RegressionData, prior: RegressionPrior, noise: float, size: float, tol: float, max_iter: int
) -> MeanField:
    """Return q(weights), q(noise precision) and q(weight precision), from expected precisions to begin with."""
    if min(prior) <= 0:
        raise ParameterError(
            f"mean_field: shapes and rates of the Gamma priors are {tuple(prior)}; a bound of the evidence needs proper priors, "
            "alpha_1, alpha_2, lambda_1 and lambda_2 above zero."
        )
    shapes = prior.noise_shape + 0.5 * data.mass, prior.weight_shape + 0.5 * data.n_features
    start = {
        "noise_precision": Gamma(shapes[0], shapes[0] / noise),
        "weight_precision": Gamma(shapes[1], shapes[1] / size),
    }

    def error_rate(q: dict) -> float:
        return prior.noise_rate + 0.5 * expected_error(data, q["weights"])

    def size_rate(q: dict) -> float:
        return prior.weight_rate + 0.5 * expected_size(data, q["weights"])

    found = coordinate_ascent(
        "mean_field",
        {
            "weights": lambda q: next_weights(data, q["noise_precision"], q["weight_precision"]),
            "noise_precision": lambda q: Gamma(shapes[0], error_rate(q)),
            "weight_precision": lambda q: Gamma(shapes[1], size_rate(q)),
        },
        {"weights": next_weights(data, start["noise_precision"], start["weight_precision"]), **start},
        lambda q: regression_bound(data, prior, q["weights"], q["noise_precision"], q["weight_precision"]),
        tol,
        max_iter,
    )
    q = found.factors["weights"]
    unseen = q.rest * np.eye(data.n_features)
    covariance = unseen + (data.vectors.T * (q.var - q.rest)) @ data.vectors
    normal = MultivariateNormal(data.vectors.T @ q.mean, 0.5 * (covariance + covariance.T))
    return MeanField({**found.factors, "weights": normal}, found.bounds, found.converged, found.n_iter)
