r"""The posterior of Gaussian emissions: normal means and Wishart precisions.

    beta = beta0 + N,   mean = (beta0 m0 + N xbar) / beta,   v = v0 + N
    S = S0 + sum of w gamma (x - mean)(x - mean)' + beta0 (mean - m0)(mean - m0)'                   (26)

for matrices; variances are the same in one dimension, feature by feature ("diag") or, with v = v0 + d N and the sum over the
features, together ("spherical"). "tied" has one v and S for all states.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.emissions.gaussian import Gaussian, GaussianSums
from novum.sequence.hmm.recursions import Densities, Posterior
from novum.sequence.hmm.variational.conjugate import expected_log_det, kl_means, kl_wishart
from novum.sequence.hmm.variational.posterior import EmissionPosterior

__all__ = ["GaussianPosterior"]


@dataclass(frozen=True, eq=False)
class GaussianPosterior(EmissionPosterior):
    """Normal-Wishart distributions of means and precisions."""

    form: str
    mean: NDArray  # (k, d)
    beta: NDArray  # (k,)
    degrees: NDArray  # (k,), tied ()
    scale: NDArray  # as covariances of the form

    def covariances(self) -> NDArray:
        """Return S / v."""
        degrees = np.asarray(self.degrees, np.float64)
        return self.scale / degrees.reshape(degrees.shape + (1,) * (self.scale.ndim - degrees.ndim))

    def log_det_scale(self) -> NDArray:
        """Return log |S| as E log |L| needs it: of matrices; of every feature; of a variance."""
        return np.linalg.slogdet(self.scale)[1] if self.form in ("full", "tied") else np.log(self.scale)

    @cached_property
    def expected(self) -> Gaussian:
        """The Gaussians whose log-densities, with an excess, are the expected ones of (22)."""
        k, d = self.mean.shape
        logs, degrees = self.log_det_scale(), self.degrees
        if self.form in ("full", "tied"):
            whole = expected_log_det(degrees, logs, d)
            precision = d * np.log(degrees) - logs
        elif self.form == "diag":
            whole = expected_log_det(degrees[:, None], logs, 1).sum(axis=1)
            precision = (np.log(degrees)[:, None] - logs).sum(axis=1)
        else:
            whole, precision = d * expected_log_det(degrees, logs, 1), d * (np.log(degrees) - logs)
        excess = np.broadcast_to(0.5 * (whole - precision), (k,)) - 0.5 * d / self.beta
        return Gaussian(self.form, self.mean, self.covariances(), np.ascontiguousarray(excess))

    def densities(self, bundle: Bundle) -> Densities:
        return self.expected.densities(bundle)

    def statistics(self, bundle: Bundle, posterior: Posterior) -> GaussianSums:
        return self.expected.statistics(bundle, posterior)

    def tensor_densities(self, X: Any) -> Any:
        return self.expected.tensor_densities(X)

    def tensor_statistics(self, X: Any, shares: Any) -> GaussianSums:
        return self.expected.tensor_statistics(X, shares)

    def maximized(self, sums: GaussianSums, prior: "GaussianPosterior", params: str) -> "GaussianPosterior":
        """Return (26) of the parts that `params` names: m means, c covariances."""
        form, d, mass = self.form, self.mean.shape[1], sums.mass
        beta, mean = self.beta, self.mean
        if "m" in params:
            beta = prior.beta + mass
            mean = (prior.beta[:, None] * prior.mean + mass[:, None] * self.mean + sums.first) / beta[:, None]
        if "c" not in params:
            return GaussianPosterior(form, mean, beta, self.degrees, self.scale)
        step, gap = mean - self.mean, mean - prior.mean
        if form in ("diag", "spherical"):
            square = sums.second - 2 * step * sums.first + mass[:, None] * step**2 + prior.beta[:, None] * gap**2
            square = np.maximum(square, 0)
            if form == "diag":
                return GaussianPosterior(form, mean, beta, prior.degrees + mass, prior.scale + square)
            return GaussianPosterior(form, mean, beta, prior.degrees + d * mass, prior.scale + square.sum(axis=1))
        cross = sums.first[:, :, None] * step[:, None, :]
        moved = mass[:, None, None] * step[:, :, None] * step[:, None, :] - cross - np.swapaxes(cross, 1, 2)
        moved = moved + prior.beta[:, None, None] * gap[:, :, None] * gap[:, None, :]
        if form == "tied":
            scale = prior.scale + sums.second + moved.sum(axis=0)
            return GaussianPosterior(form, mean, beta, prior.degrees + mass.sum(), (scale + scale.T) / 2)
        scale = prior.scale + sums.second + moved
        return GaussianPosterior(form, mean, beta, prior.degrees + mass, (scale + np.swapaxes(scale, 1, 2)) / 2)

    def log_prior(self, prior: "GaussianPosterior") -> float:
        d = self.mean.shape[1]
        gap = self.mean - prior.mean
        square = np.einsum("ki,kij,kj->k", gap, np.linalg.inv(self.estimate().matrices()), gap)
        found = kl_means(self.beta, prior.beta, square, d)
        logs, logs0 = self.log_det_scale(), prior.log_det_scale()
        degrees, degrees0 = np.asarray(self.degrees), np.asarray(prior.degrees)
        if self.form in ("full", "tied"):
            trace = np.trace(np.linalg.solve(self.scale, prior.scale), axis1=-2, axis2=-1)
            return -(found + kl_wishart(degrees, logs, degrees0, logs0, trace, d))
        if self.form == "diag":
            degrees, degrees0 = degrees[:, None], degrees0[:, None]
        return -(found + kl_wishart(degrees, logs, degrees0, logs0, prior.scale / self.scale, 1))

    def reordered(self, order: NDArray) -> "GaussianPosterior":
        shared = self.form == "tied"
        degrees, scale = (value if shared else value[order] for value in (self.degrees, self.scale))
        return GaussianPosterior(self.form, self.mean[order], self.beta[order], degrees, scale)

    def hyperparameters(self) -> dict[str, Any]:
        degrees = float(self.degrees) if self.form == "tied" else self.degrees
        return {"means": self.mean, "beta": self.beta, "dof": degrees, "scale": self.scale}

    def estimate(self) -> Gaussian:
        """Return Gaussians at the means, with scale over degrees of freedom for covariances."""
        return Gaussian(self.form, self.mean, self.covariances())
