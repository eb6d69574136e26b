r"""Gaussian emissions: densities, moments under posteriors, and the maximisation with hmmlearn's priors.

    N_k, F_k, S_k = sums of w gamma_k (1, x - mean_k, (x - mean_k)(x - mean_k)')                   (10)
    mean' = (lambda m0 + N mean + F) / (lambda + N),   d = mean' - mean                            (11)
    C = (Psi + lambda (mean' - m0)(mean' - m0)' + S - F d' - d F' + N d d') / (max(nu - c, 0) + N)     (12)

with c = 1 for variances and the number of features for matrices. (11) and (12) maximise the expected log-likelihood plus

    -1/2 sum_k [ lambda |mean - m0|^2_C + max(nu - c, 0) log |C| + tr(Psi inv C) ]                 (13)

under the floor: no variance, and no eigenvalue of a matrix, below `floor`. A state without rows keeps what it has.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.engines.gaussians import density as engine
from novum.engines.gaussians import missing
from novum.engines.gaussians.covariance import covariance_parameters as covariance_parameters
from novum.engines.gaussians.covariance import dense, factor_of_covariance, layout, shape_of
from novum.exceptions import ParameterError
from novum.fold.blocks import Block
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.recursions import Densities, Posterior

__all__ = [
    "Gaussian",
    "GaussianPrior",
    "GaussianSums",
    "checked_covars",
    "collapsed_states",
    "covariance_floor",
    "covariance_parameters",
    "draw_gaussian",
    "log_prior",
    "maximize",
    "spread_covariance",
]

FORMS = ("spherical", "diag", "full", "tied")
ABSENT = 1e-10  # rows: a state with less keeps its parameters
FLOOR_SHARE = 1e-6  # of the variance of a feature: the floor where none was given


class GaussianPrior(NamedTuple):
    """What (11) to (13) know beside the data."""

    mean: NDArray  # m0
    mean_weight: NDArray  # lambda
    covars: NDArray  # Psi
    covars_weight: float  # nu
    floor: NDArray  # (d,)


class GaussianSums(NamedTuple):
    """(10), about the means that entered the pass."""

    mass: NDArray  # (k,)
    first: NDArray  # (k, d)
    second: NDArray  # (k, d, d), tied (d, d), else (k, d)


class Gaussian(NamedTuple):
    """A Gaussian per state."""

    form: str
    means: NDArray  # (k, d)
    covars: NDArray  # by form: (k,), (k, d), (k, d, d) or (d, d)
    excess: NDArray | None = None  # (k,): added to the log-density, where it is an expectation

    def density(self) -> engine.Density:
        """Return the densities as the kernels take them."""
        factor = factor_of_covariance(self.form, self.covars, self.means.dtype)
        excess = np.zeros(len(self.means)) if self.excess is None else self.excess
        return engine.density_of(self.form, excess, self.means, self.covars, factor, self.means.mean(axis=0))

    def densities(self, bundle: Bundle) -> Densities:
        """Return log N(x_t | state); missing cells are integrated out."""
        found = engine.joint(self.density(), Block(bundle.X, memory=bundle.memory))
        return Densities(np.ascontiguousarray(found))

    def statistics(self, bundle: Bundle, posterior: Posterior) -> GaussianSums:
        """Return (10) of one bundle; missing cells count by their expectations."""
        X, weight = bundle.X, bundle.row_weight()
        block = Block(X, None, weight, memory=bundle.memory)
        kind = layout(self.form)
        if engine.is_complete(block):
            return GaussianSums(*engine.moments_of(kind, posterior.shares, self.means, block)[:3])
        gaps = np.isnan(X).any(axis=1)
        whole = Block(np.ascontiguousarray(X[~gaps]), None, None if weight is None else weight[~gaps])
        sums = GaussianSums(*engine.moments_of(kind, posterior.shares[~gaps], self.means, whole)[:3])
        shares = posterior.shares[gaps] if weight is None else posterior.shares[gaps] * weight[gaps, None]
        found = missing.moments_under(self.density(), X[gaps], shares)
        return GaussianSums(*(a + b for a, b in zip(sums, found)))


def checked_covars(owner: str, form: str, values: Any, k: int, d: int | None = None) -> NDArray:
    """Return given covariances as float64 in the shape of their form, positive definite; hmmlearn's words where it has them."""
    if form not in FORMS:
        raise ParameterError(f"{owner}: covariance_type must be one of {', '.join(map(repr, FORMS))}; got {form!r}.")
    covars = np.array(values, dtype=np.float64)
    if form == "spherical":
        if covars.ndim == 0 or len(covars) != k:
            raise ParameterError(f"{owner}: 'spherical' covars have length n_components; got shape {covars.shape}.")
        covars = covars.reshape(k, -1)[:, 0].copy()
    wanted = {"spherical": 1, "diag": 2, "full": 3, "tied": 2}[form]
    size = covars.shape[-1] if d is None and covars.ndim else d
    shape = shape_of(form, k, size or 0)
    if covars.ndim != wanted or covars.shape != shape:
        raise ParameterError(f"{owner}: {form!r} covars must have shape {shape}; got {covars.shape}.")
    matrices = form in ("full", "tied")
    if matrices:
        good = np.allclose(covars, np.swapaxes(covars, -1, -2)) and (np.linalg.eigvalsh(covars) > 0).all()
    else:
        good = (covars > 0).all()
    if not good:
        what = "symmetric, positive-definite" if matrices else "positive"
        raise ParameterError(f"{owner}: {form!r} covars must be {what}.")
    return covars


def covariance_floor(min_covar: Any, variance: NDArray) -> NDArray:
    """Return the least variance of every feature: as given, or a share of the feature's own."""
    if min_covar is not None:
        return np.full(len(variance), float(min_covar))
    spread = np.where(variance > 0, variance, 1.0)
    return FLOOR_SHARE * spread


def spread_covariance(form: str, covariance: NDArray, k: int) -> NDArray:
    """Return one covariance matrix (d, d) for every state, in the shape of a form."""
    if form == "full":
        return np.tile(covariance, (k, 1, 1))
    if form == "tied":
        return covariance.copy()
    variance = np.diag(covariance)
    return np.tile(variance, (k, 1)) if form == "diag" else np.full(k, variance.mean())


def lifted(matrix: NDArray, floor: NDArray) -> NDArray:
    """Return a symmetric matrix with no eigenvalue below the floor, in the units of its features."""
    unit = np.sqrt(floor)
    values, vectors = np.linalg.eigh(matrix / np.outer(unit, unit))
    if values[0] >= 1:
        return matrix
    return (vectors * np.maximum(values, 1.0)) @ vectors.T * np.outer(unit, unit)


def maximize(emission: Gaussian, sums: GaussianSums, prior: GaussianPrior, params: str) -> Gaussian:
    """Return (11) and (12) of the parts that `params` names: "m" means, "c" covariances."""
    form, means, covars, _ = emission
    k, d = means.shape
    there = sums.mass > ABSENT
    mass = np.where(there, sums.mass, 1.0)[:, None]
    weight = np.broadcast_to(prior.mean_weight, (k, d))
    target = np.broadcast_to(prior.mean, (k, d))
    new = means
    if "m" in params:
        new = (weight * target + mass * means + sums.first) / (weight + mass)
        new = np.where(there[:, None], new, means)
    if "c" not in params:
        return Gaussian(form, new, covars)
    step = new - means
    if form in ("spherical", "diag"):
        total = weight * (new - target) ** 2 + sums.second - 2 * step * sums.first + mass * step**2
        denominator = max(prior.covars_weight - 1, 0) + mass
        psi = prior.covars[:, None] if form == "spherical" and np.ndim(prior.covars) == 1 else prior.covars
        variance = np.maximum((psi + np.maximum(total, 0)) / denominator, prior.floor)
        found = variance.mean(axis=1) if form == "spherical" else variance
        return Gaussian(form, new, np.where(there if found.ndim == 1 else there[:, None], found, covars))
    gap = new - target
    extra = weight[:, :1, None] * gap[:, :, None] * gap[:, None, :]
    cross = sums.first[:, :, None] * step[:, None, :]
    moved = extra - cross - np.swapaxes(cross, 1, 2) + mass[:, :, None] * step[:, :, None] * step[:, None, :]
    degrees = max(prior.covars_weight - d, 0)
    psi = prior.covars * np.eye(d) if np.ndim(prior.covars) == 0 else prior.covars
    if form == "tied":
        matrix = (psi + sums.second + moved[there].sum(axis=0)) / (degrees + sums.mass[there].sum())
        return Gaussian(form, new, lifted((matrix + matrix.T) / 2, prior.floor))
    matrices = (psi + sums.second + moved) / (degrees + mass[:, :, None])
    matrices = (matrices + np.swapaxes(matrices, 1, 2)) / 2
    found = np.stack([lifted(one, prior.floor) if here else old for one, here, old in zip(matrices, there, covars)])
    return Gaussian(form, new, found)


def log_prior(emission: Gaussian, prior: GaussianPrior) -> float:
    """Return (13)."""
    form, means, covars, _ = emission
    k, d = means.shape
    gap = means - prior.mean
    weight = np.broadcast_to(prior.mean_weight, (k, d))
    if form in ("spherical", "diag"):
        variance = np.broadcast_to(covars[:, None] if form == "spherical" else covars, (k, d))
        psi = prior.covars[:, None] if form == "spherical" and np.ndim(prior.covars) == 1 else prior.covars
        terms = weight * gap**2 / variance + max(prior.covars_weight - 1, 0) * np.log(variance) + psi / variance
        return float(-0.5 * terms.sum())
    psi = prior.covars * np.eye(d) if np.ndim(prior.covars) == 0 else prior.covars
    degrees = max(prior.covars_weight - d, 0)
    matrices = dense(form, covars, k, d)
    inverse = np.linalg.inv(matrices)
    found = np.einsum("kd,kde,ke->", weight * gap, inverse, gap)
    per = degrees * np.linalg.slogdet(matrices)[1] + np.einsum(
        "kij,kij->k", np.broadcast_to(psi, matrices.shape), inverse
    )
    return float(-0.5 * (found + (per[0] if form == "tied" else per.sum())))


def collapsed_states(emission: Gaussian, floor: NDArray) -> list[int]:
    """Return the states whose covariance lies on the floor."""
    k, d = emission.means.shape
    unit = np.sqrt(floor)
    scaled = dense(emission.form, emission.covars, k, d) / np.outer(unit, unit)
    return [state for state in range(k) if np.linalg.eigvalsh(scaled[state])[0] < 1 + 1e-6]


def draw_gaussian(emission: Gaussian, states: NDArray, rng: Any) -> NDArray:
    """Return a row per state."""
    k, d = emission.means.shape
    roots = np.linalg.cholesky(dense(emission.form, emission.covars, k, d))
    noise = rng.standard_normal((len(states), d)) if hasattr(rng, "integers") else rng.normal(size=(len(states), d))
    return emission.means[states] + np.einsum("nij,nj->ni", roots[states], noise)
