r"""Gaussian emissions: densities, moments under posteriors, and the maximisation with hmmlearn's priors.

    N_k, F_k, S_k = sums of w gamma_k (1, x - mean_k, (x - mean_k)(x - mean_k)')                   (10)
    mean' = (lambda m0 + N mean + F) / (lambda + N),   d = mean' - mean                            (11)
    C = (Psi + lambda (mean' - m0)(mean' - m0)' + S - F d' - d F' + N d d') / (max(nu - c, 0) + N)     (12)

with c = 1 for variances and the number of features for matrices. (11) and (12) maximise the expected log-likelihood plus

    -1/2 sum_k [ lambda |mean - m0|^2_C + max(nu - c, 0) log |C| + tr(Psi inv C) ]                 (13)

under the floor: no variance, and no eigenvalue of a matrix, below `floor`. A state without rows keeps what it has.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.engines.gaussians import density as engine
from novum.engines.gaussians import missing, tensors
from novum.engines.gaussians.covariance import covariance_parameters, dense, factor_of_covariance, layout
from novum.fold.blocks import Block
from novum.runtime import arrays
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.emissions.base import Emission
from novum.sequence.hmm.emissions.covariances import collapse_text, lifted
from novum.sequence.hmm.emissions.dirichlet import ABSENT
from novum.sequence.hmm.recursions import Densities, Posterior
from novum.sequence.hmm.starts.kmeans import column_moments, filled_rows

__all__ = ["Gaussian", "GaussianPrior", "GaussianSums"]

SHOWN_FEATURES = 4  # in the repr
GAP_PASSES = 50  # of EM for one Gaussian where cells are missing


class GaussianPrior(NamedTuple):
    """What (11) to (13) know besides the data."""

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


@dataclass(frozen=True, eq=False)
class Gaussian(Emission):
    """A Gaussian per state."""

    form: str
    means: NDArray  # (k, d)
    covars: NDArray  # by form: (k,), (k, d), (k, d, d) or (d, d)
    excess: NDArray | None = None  # (k,): added to the log-density, where it is an expectation over a posterior

    def density(self) -> engine.Density:
        """Return the densities as the kernels take them."""
        factor = factor_of_covariance(self.form, self.covars, self.means.dtype)
        excess = np.zeros(len(self.means)) if self.excess is None else self.excess
        return engine.density_of(self.form, excess, self.means, self.covars, factor, self.means.mean(axis=0))

    def matrices(self) -> NDArray:
        """Return a covariance matrix per state, (k, d, d)."""
        return dense(self.form, self.covars, *self.means.shape)

    def densities(self, bundle: Bundle) -> Densities:
        """Return log N(x_t | state); missing cells are integrated out."""
        if not isinstance(bundle.X, np.ndarray):
            return Densities(self.tensor_densities(bundle.X))
        found = engine.joint(self.density(), Block(bundle.X, memory=bundle.memory))
        return Densities(np.ascontiguousarray(found))

    def statistics(self, bundle: Bundle, posterior: Posterior) -> GaussianSums:
        """Return (10) of one bundle; missing cells count by their expectations."""
        X, weight = bundle.X, None if bundle.weight is None else bundle.row_weight()
        if not isinstance(X, np.ndarray):
            return self.tensor_statistics(X, bundle.weighted(posterior.shares))
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

    def maximized(self, sums: GaussianSums, prior: GaussianPrior, params: str) -> "Gaussian":
        """Return (11) and (12) of the parts that `params` names: "m" means, "c" covariances."""
        form, means, covars = self.form, self.means, self.covars
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
            variance = np.maximum((self.scale(prior) + np.maximum(total, 0)) / denominator, prior.floor)
            found = variance.mean(axis=1) if form == "spherical" else variance
            return Gaussian(form, new, np.where(there if found.ndim == 1 else there[:, None], found, covars))
        gap = new - target
        extra = weight[:, :1, None] * gap[:, :, None] * gap[:, None, :]
        cross = sums.first[:, :, None] * step[:, None, :]
        moved = extra - cross - np.swapaxes(cross, 1, 2) + mass[:, :, None] * step[:, :, None] * step[:, None, :]
        degrees, psi = max(prior.covars_weight - d, 0), self.scale(prior)
        if form == "tied":
            matrix = (psi + sums.second + moved[there].sum(axis=0)) / (degrees + sums.mass[there].sum())
            return Gaussian(form, new, lifted((matrix + matrix.T) / 2, prior.floor))
        matrices = (psi + sums.second + moved) / (degrees + mass[:, :, None])
        matrices = (matrices + np.swapaxes(matrices, 1, 2)) / 2
        found = np.stack([lifted(one, prior.floor) if here else old for one, here, old in zip(matrices, there, covars)])
        return Gaussian(form, new, found)

    def scale(self, prior: GaussianPrior) -> NDArray:
        """Return Psi of (12) in a shape that fits the sums."""
        if self.form in ("full", "tied"):
            return prior.covars * np.eye(self.means.shape[1]) if np.ndim(prior.covars) == 0 else prior.covars
        return prior.covars[:, None] if self.form == "spherical" and np.ndim(prior.covars) == 1 else prior.covars

    def log_prior(self, prior: GaussianPrior) -> float:
        """Return (13)."""
        form, covars = self.form, self.covars
        k, d = self.means.shape
        gap, psi = self.means - prior.mean, self.scale(prior)
        weight = np.broadcast_to(prior.mean_weight, (k, d))
        if form in ("spherical", "diag"):
            variance = np.broadcast_to(covars[:, None] if form == "spherical" else covars, (k, d))
            terms = weight * gap**2 / variance + max(prior.covars_weight - 1, 0) * np.log(variance) + psi / variance
            return float(-0.5 * terms.sum())
        degrees = max(prior.covars_weight - d, 0)
        matrices = self.matrices()
        inverse = np.linalg.inv(matrices)
        found = np.einsum("kd,kde,ke->", weight * gap, inverse, gap)
        trace = np.einsum("kij,kij->k", np.broadcast_to(psi, matrices.shape), inverse)
        per = degrees * np.linalg.slogdet(matrices)[1] + trace
        return float(-0.5 * (found + (per[0] if form == "tied" else per.sum())))

    def reordered(self, order: NDArray) -> "Gaussian":
        covars = self.covars if self.form == "tied" else self.covars[order]
        return Gaussian(self.form, self.means[order], covars)

    def parameters(self) -> dict[str, Any]:
        return {"m": self.means, "c": self.covars}

    def n_parameters(self) -> dict[str, int]:
        return {"m": self.means.size, "c": covariance_parameters(self.form, *self.means.shape)}

    def moments(self) -> tuple[NDArray, NDArray]:
        return self.means, np.diagonal(self.matrices(), axis1=1, axis2=2)

    def draw(self, states: NDArray, rng: Any) -> NDArray:
        size = (len(states), self.means.shape[1])
        roots = np.linalg.cholesky(self.matrices())
        noise = rng.standard_normal(size) if hasattr(rng, "integers") else rng.normal(size=size)
        return self.means[states] + np.einsum("nij,nj->ni", roots[states], noise)

    def collapsed(self, prior: GaussianPrior) -> tuple[list[int], str]:
        """Return the states whose covariance lies on the floor."""
        unit = np.sqrt(prior.floor)
        least = np.linalg.eigvalsh(self.matrices() / np.outer(unit, unit))[:, 0]
        return np.flatnonzero(least < 1 + 1e-6).tolist(), collapse_text(prior.floor, "states")

    def one_state_bic(self, bundle: Bundle, prior: GaussianPrior) -> float | None:
        rows = filled_rows("GaussianHMM", bundle.X)
        mean, variance, matrix = column_moments(rows)
        one = {
            "full": matrix[None],
            "tied": matrix,
            "diag": variance[None],
            "spherical": np.array([variance.mean()]),
        }
        emission = Gaussian(self.form, mean[None], one[self.form])
        if emission.collapsed(prior)[0]:
            return None
        flat = GaussianPrior(np.zeros(1), np.zeros(1), np.zeros(()), 0.0, prior.floor)
        sure = Posterior(np.zeros(1), arrays.ones(bundle.X, len(bundle.X), 1), np.zeros((1, 1)), None)
        for _ in range(GAP_PASSES if bool((bundle.X != bundle.X).any()) else 0):
            emission = emission.maximized(emission.statistics(bundle, sure), flat, "mc")
        logs = emission.densities(bundle._replace(memory={})).log
        total = float(bundle.weighted(logs).sum())
        return -2 * total + sum(emission.n_parameters().values()) * float(np.log(len(bundle.X)))

    def columns(self, names: list[str] | None) -> dict[str, list[str]]:
        means, variance = self.moments()
        deviations, d = np.sqrt(variance), means.shape[1]
        names = [f"x{j}" for j in range(d)] if names is None else names
        columns = {}
        for j in range(min(d, SHOWN_FEATURES)):
            tail = "" if d == 1 else f" {names[j]}"
            for name, values in (("mean", means[:, j]), ("sd", deviations[:, j])):
                columns[name + tail] = [f"{value:.1f}" if abs(value) >= 100 else f"{value:.4g}" for value in values]
        return columns

    def tensor_densities(self, X: Any) -> Any:
        density = self.density()
        return tensors.tensor_joint(density, X) if bool(X.isfinite().all()) else missing.all_joint(density, X)

    def tensor_statistics(self, X: Any, shares: Any) -> GaussianSums:
        import torch

        if not bool(X.isfinite().all()):
            found = missing.moments_under(self.density(), X, shares)
            return GaussianSums(*(np.asarray(arrays.to_numpy(one)) for one in found))
        mean = arrays.like(X, self.means, "float64")
        first, second = [], []
        for c in range(len(self.means)):
            offset = X.double() - mean[c]
            weighted = offset * shares[:, c : c + 1]
            first.append(weighted.sum(0))
            second.append(weighted.T @ offset if self.form in ("full", "tied") else (weighted * offset).sum(0))
        squares = torch.stack(second)
        squares = squares.sum(0) if self.form == "tied" else squares
        return GaussianSums(*(arrays.to_numpy(one) for one in (shares.sum(0), torch.stack(first), squares)))
