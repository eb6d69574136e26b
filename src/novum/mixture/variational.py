r"""Variational Bayes for Gaussian mixtures: the posterior of weights, means and precisions that follows from responsibilities.

Prior and posterior factorise into a Dirichlet (or a stick-breaking process, its components beta) on the weights and a
normal-Wishart per component. With N_k, m_k, S_k mass, mean and covariance under the responsibilities:

    Dirichlet   alpha_k = alpha_0 + N_k;      process   a_k = 1 + N_k,  b_k = alpha_0 + sum_{j>k} N_j      (11)
    beta_k = beta_0 + N_k,   mean_k = (beta_0 mean_0 + N_k m_k) / beta_k,   nu_k = nu_0 + N_k               (12)
    nu_k C_k = C_0 + N_k (S_k + beta_0 / beta_k (m_k - mean_0)(m_k - mean_0)')                              (13)

The next responsibilities are those of Gaussians N(mean_k, C_k) with log-weights

    E log pi_k - d/2 log nu_k + 1/2 (sum_i psi((nu_k - i) / 2) + d log 2 - d / beta_k)                      (14)

and the bound that the iterations raise is, up to terms that never change,

    L = - sum r log r - sum_k log B(C_k, nu_k) - log norm(weights) - d/2 sum_k log beta_k                   (15)

Diagonal, spherical and tied forms follow scikit-learn's reading of (13) and (15).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, digamma, gammaln

from novum.engines.gaussians import covariance as cov
from novum.engines.gaussians.covariance import MixtureSums
from novum.engines.gaussians.density import Density, density_of
from novum.exceptions import DataError
from novum.mixture.em import Solved

__all__ = ["Posterior", "Prior", "expected_weights", "next_posterior", "posterior_of"]


class Prior(NamedTuple):
    form: str
    process: bool  # a Dirichlet process, else a Dirichlet distribution
    concentration: float  # alpha_0
    mean_precision: float  # beta_0
    mean: NDArray  # (d,)
    degrees: float  # nu_0
    covariance: NDArray  # C_0: (d, d), diag (d,), spherical ()
    reg: float
    center: NDArray  # (d,)
    dtype: np.dtype


class Posterior(NamedTuple):
    concentration: NDArray  # (k,), process: (2, k)
    mean_precision: NDArray  # (k,)
    means: NDArray  # (k, d)
    degrees: NDArray  # (k,), tied: ()
    covariances: NDArray
    factor: NDArray
    density: Density


def concentrations(prior: Prior, mass: NDArray) -> NDArray:
    """Return (11)."""
    if not prior.process:
        return prior.concentration + mass
    behind = np.append(np.cumsum(mass[::-1])[-2::-1], 0.0)
    return np.stack([1 + mass, prior.concentration + behind])


def expected_log_weights(prior: Prior, concentration: NDArray) -> NDArray:
    """Return E log pi."""
    if not prior.process:
        return digamma(concentration) - digamma(concentration.sum())
    taken, left = digamma(concentration) - digamma(concentration.sum(axis=0))
    return taken + np.append(0.0, np.cumsum(left)[:-1])


def expected_weights(process: bool, concentration: NDArray) -> NDArray:
    """Return E pi, made to sum to one."""
    if not process:
        return concentration / concentration.sum()
    taken, left = concentration / concentration.sum(axis=0)
    weights = taken * np.append(1.0, np.cumprod(left)[:-1])
    return weights / weights.sum()


def scale_matrices(
    prior: Prior, mass: NDArray, means: NDArray, covariance: NDArray, beta: NDArray
) -> tuple[NDArray, NDArray]:
    """Return C by (13), and nu."""
    gap, k = means - prior.mean, len(mass)
    pull = prior.mean_precision / beta
    if prior.form == "tied":
        degrees = np.asarray(prior.degrees + mass.sum() / k)
        between = prior.mean_precision * ((mass / beta) * gap.T) @ gap
        return (prior.covariance + (covariance * mass.sum() + between) / k) / degrees, degrees
    degrees = prior.degrees + mass
    if prior.form == "full":
        outer = gap[:, :, None] * gap[:, None, :]
        scale = prior.covariance + mass[:, None, None] * (covariance + pull[:, None, None] * outer)
        return scale / degrees[:, None, None], degrees
    if prior.form == "diag":
        scale = prior.covariance + mass[:, None] * (covariance + pull[:, None] * gap**2)
        return scale / degrees[:, None], degrees
    if prior.form == "spherical":
        return (prior.covariance + mass * (covariance + pull * (gap**2).mean(axis=1))) / degrees, degrees
    degrees = np.asarray(prior.degrees + mass.sum() / k)
    between = float((mass * pull * (gap**2).mean(axis=1)).sum())
    return np.asarray((prior.covariance + (covariance * mass.sum() + between) / k) / degrees), degrees


def posterior_of(prior: Prior, sums: MixtureSums, shift: NDArray) -> Posterior:
    """Return (11)-(13) and the density of (14)."""
    mass, means, covariance = cov.estimate(prior.form, sums, shift, prior.reg)
    beta = prior.mean_precision + mass
    concentration = concentrations(prior, mass)
    middle = (prior.mean_precision * prior.mean + mass[:, None] * means) / beta[:, None]
    covariances, degrees = scale_matrices(prior, mass, means, covariance, beta)
    factor = cov.factor_of_covariance(prior.form, covariances, prior.dtype)
    return with_density(prior, concentration, beta, middle, degrees, covariances, factor)


def with_density(
    prior: Prior,
    concentration: NDArray,
    beta: NDArray,
    means: NDArray,
    degrees: NDArray,
    covariances: NDArray,
    factor: NDArray,
) -> Posterior:
    """Return the posterior with the density of (14)."""
    d = means.shape[1]
    log_precision = d * np.log(2.0) + digamma(0.5 * (np.asarray(degrees) - np.arange(d)[:, None])).sum(axis=0)
    excess = expected_log_weights(prior, concentration) - 0.5 * d * np.log(degrees) + 0.5 * (log_precision - d / beta)
    density = density_of(prior.form, excess, means, covariances, factor, prior.center)
    return Posterior(concentration, beta, means, degrees, covariances, factor, density)


def log_wishart_norm(degrees: NDArray, log_determinant: NDArray, d: int) -> NDArray:
    """Return log B, without the power of pi."""
    gammas = gammaln(0.5 * (np.asarray(degrees) - np.arange(d)[:, None])).sum(axis=0)
    return -(degrees * log_determinant + degrees * d * 0.5 * np.log(2.0) + gammas)


def weight_norm(prior: Prior, concentration: NDArray) -> float:
    """Return the log-normaliser of the posterior of the weights."""
    if prior.process:
        return -float(betaln(*concentration).sum())
    return float(gammaln(concentration.sum()) - gammaln(concentration).sum())


def bound(prior: Prior, q: Posterior, information: float) -> float:
    """Return (15)."""
    k, d = q.means.shape
    determinant = cov.log_determinant(prior.form, q.factor, k, d) - 0.5 * d * np.log(q.degrees)
    wishart = float(np.broadcast_to(log_wishart_norm(q.degrees, determinant, d), (k,)).sum())
    return (
        -information - wishart - weight_norm(prior, q.concentration) - 0.5 * d * float(np.log(q.mean_precision).sum())
    )


def constants(prior: Prior, k: int, weight: float) -> float:
    """Return what (15) leaves out: the same terms of the prior, and the constant of the Gaussian densities."""
    d = len(prior.mean)
    start = np.full((2, k), prior.concentration) if prior.process else np.full(k, prior.concentration)
    if prior.process:
        start[0] = 1.0
    form = {"full": "tied", "diag": "diag", "tied": "tied"}.get(prior.form, "tied_spherical")
    given = prior.covariance[None] if form == "diag" else prior.covariance
    try:
        factor = cov.factor_of_covariance(form, np.asarray(given, np.float64), prior.dtype)
    except DataError:  # a constant column: the prior taken from the data is no distribution
        return -np.inf
    determinant = cov.log_determinant(form, factor, 1, d)[0]  # of C_0, which is not divided by nu_0
    wishart = float(log_wishart_norm(np.asarray(prior.degrees), np.asarray(determinant), d)[0])
    weights = weight_norm(prior, start)
    return (
        k * wishart + weights + 0.5 * d * k * float(np.log(prior.mean_precision)) - 0.5 * weight * d * np.log(2 * np.pi)
    )


def next_posterior(prior: Prior, q: Posterior, sums: MixtureSums) -> Solved:
    """Return the next posterior, and the bound that it and the responsibilities give."""
    after = posterior_of(prior, sums, q.means)
    value = bound(prior, after, sums.information)
    return Solved(after, value, value)
