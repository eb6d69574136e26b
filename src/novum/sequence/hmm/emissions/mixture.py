r"""Mixtures of Gaussians as emissions: (17), its sums and its maximisation with hmmlearn's priors.

    post[k, m], m_n[k, m], c_n[k, m] = sums of w gamma_k r_km (1, x - mean, (x - mean)(x - mean)')
    W = (post + alpha - 1) / ...,   mean' = (lambda m0 + post mean + m_n) / (lambda + post)        (18)
    full  C = (Psi + lambda g g' + c_n) / (post + 1 + nu + d + 1)
    tied  C = (Psi + sum_m (lambda g g' + c_n)) / (sum_m post + M + nu + d + 1)
    diag  C = (lambda g^2 + 2 b + c_n) / (post + 1 + 2 (a + 1))
    spherical C = (lambda |g|^2 + 2 b + tr c_n) / (d (post + 1) + 2 (a + 1))                       (19)

with g = mean' - m0 and c_n about mean'; hmmlearn's defaults (None) make the added constants vanish.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from novum.engines.gaussians.covariance import dense
from novum.exceptions import ParameterError
from novum.sequence.hmm.bundles import Bundle
from novum.sequence.hmm.emissions.base import Emission
from novum.sequence.hmm.emissions.covariances import collapse_text, lifted
from novum.sequence.hmm.emissions.dirichlet import ABSENT, dirichlet_log, draw_symbols, row_ratios
from novum.sequence.hmm.emissions.gaussian import Gaussian, GaussianSums
from novum.sequence.hmm.recursions import Densities, Posterior

__all__ = ["GaussianMixtures", "MixturePrior", "checked_covars", "needed_shape", "prior_of", "repeated_covariance"]


class MixturePrior(NamedTuple):
    """What (18) and (19) know besides the data."""

    weights: NDArray  # alpha
    mean: NDArray  # m0
    mean_weight: NDArray  # lambda, (k, m)
    covars: Any  # Psi, or a
    covars_weight: Any  # nu, or b
    floor: NDArray  # (d,)


@dataclass(frozen=True, eq=False)
class GaussianMixtures(Emission):
    """A mixture per state."""

    form: str
    weights: NDArray  # (k, m)
    means: NDArray  # (k, m, d)
    covars: NDArray

    def components(self) -> Gaussian:
        """Return all Gaussians of all states in a row."""
        k, m, d = self.means.shape
        if self.form == "tied":
            return Gaussian("full", self.means.reshape(k * m, d), np.repeat(self.covars, m, axis=0))
        return Gaussian(self.form, self.means.reshape(k * m, d), self.covars.reshape(k * m, *self.covars.shape[2:]))

    def joint(self, bundle: Bundle) -> NDArray:
        """Return log W + log N of every Gaussian, (rows, k, m)."""
        k, m, _ = self.means.shape
        with np.errstate(divide="ignore"):
            return self.components().densities(bundle).log.reshape(-1, k, m) + np.log(self.weights)

    def densities(self, bundle: Bundle) -> Densities:
        """Return (17)."""
        return Densities(np.ascontiguousarray(logsumexp(self.joint(bundle), axis=2)))

    def statistics(self, bundle: Bundle, posterior: Posterior) -> GaussianSums:
        """Return the sums of (18) and (19), a row per pair of state and component."""
        joint = self.joint(bundle)
        total = logsumexp(joint, axis=2, keepdims=True)
        with np.errstate(invalid="ignore"):
            shares = np.where(np.isfinite(total), np.exp(joint - total), 1 / joint.shape[2])
        shares = (shares * posterior.shares[:, :, None]).reshape(len(joint), -1)
        return self.components().statistics(bundle, posterior._replace(shares=np.ascontiguousarray(shares)))

    def maximized(self, sums: GaussianSums, prior: MixturePrior, params: str) -> "GaussianMixtures":
        """Return (18) and (19) of the parts that `params` names: w weights, m means, c covariances."""
        form, weights, means, covars = self.form, self.weights, self.means, self.covars
        k, m, d = means.shape
        mass, first = sums.mass.reshape(k, m), sums.first.reshape(k, m, d)
        there = mass > ABSENT
        if "w" in params:
            weights = row_ratios(mass, prior.weights, weights)
        weight = prior.mean_weight[:, :, None]
        held = np.where(there, mass, 1.0)[:, :, None]
        new = means
        if "m" in params:
            new = np.where(there[:, :, None], (weight * prior.mean + held * means + first) / (weight + held), means)
        if "c" not in params:
            return GaussianMixtures(form, weights, new, covars)
        step, gap = new - means, new - prior.mean
        if form in ("diag", "spherical"):
            second = sums.second.reshape(k, m, d)
            total = np.maximum(second - 2 * step * first + mass[:, :, None] * step**2, 0) + weight * gap**2
            if form == "diag":
                above, below = (
                    total + 2 * prior.covars_weight,
                    mass[:, :, None] + 1 + 2 * (np.asarray(prior.covars) + 1),
                )
            else:
                above, below = (
                    total.sum(axis=2) + 2 * prior.covars_weight,
                    d * (mass + 1) + 2 * (np.asarray(prior.covars) + 1),
                )
            floor = prior.floor if form == "diag" else prior.floor.mean()
            good = there[:, :, None] if form == "diag" else there
            found = np.where(
                good & (below > ABSENT), np.maximum(above / np.where(below > ABSENT, below, 1.0), floor), covars
            )
            return GaussianMixtures(form, weights, new, found)
        squares: NDArray = sums.second.reshape(k, m, d, d)
        cross = first[..., :, None] * step[..., None, :]
        outer = (
            squares
            - cross
            - np.swapaxes(cross, -1, -2)
            + mass[..., None, None] * step[..., :, None] * step[..., None, :]
        )
        outer = outer + prior.mean_weight[..., None, None] * gap[..., :, None] * gap[..., None, :]
        if form == "tied":
            above = outer.sum(axis=1) + prior.covars
            below = mass.sum(axis=1) + m + prior.covars_weight + d + 1
            usable = below > ABSENT
        else:
            above, below = outer + prior.covars, mass + 1 + prior.covars_weight + d + 1
            usable = there & (below > ABSENT)
        shape = covars.shape
        above = (above + np.swapaxes(above, -1, -2)) / 2
        ratio = (above / np.where(usable, below, 1.0)[..., None, None]).reshape(-1, d, d)
        old = covars.reshape(-1, d, d)
        found = np.stack([lifted(a, prior.floor) if here else b for a, b, here in zip(ratio, old, usable.ravel())])
        return GaussianMixtures(form, weights, new, found.reshape(shape))

    def log_prior(self, prior: MixturePrior) -> float:
        """Return the log-prior whose maximum, with the data, (18) and (19) find."""
        form, weights, means, covars = self.form, self.weights, self.means, self.covars
        k, m, d = means.shape
        flat = self.components()
        matrices = dense(flat.form, flat.covars, k * m, d).reshape(k, m, d, d)
        inverse = np.linalg.inv(matrices)
        gap = means - prior.mean
        found = dirichlet_log(weights, prior.weights)
        found -= 0.5 * float(np.einsum("km,kmi,kmij,kmj->", prior.mean_weight, gap, inverse, gap))
        if form == "diag":
            a, b = np.asarray(prior.covars), np.asarray(prior.covars_weight)
            return found - 0.5 * float(((1 + 2 * (a + 1)) * np.log(covars) + 2 * b / covars).sum())
        if form == "spherical":
            a, b = np.asarray(prior.covars), np.asarray(prior.covars_weight)
            return found - 0.5 * float(((d + 2 * (a + 1)) * np.log(covars) + 2 * b / covars).sum())
        logs = np.linalg.slogdet(covars)[1]
        own = np.linalg.inv(covars)
        extra = (m if form == "tied" else 1) + prior.covars_weight + d + 1
        trace = np.einsum("...ij,...ij->...", np.broadcast_to(prior.covars, covars.shape), own)
        return found - 0.5 * float((extra * logs + trace).sum())

    def reordered(self, order: NDArray) -> "GaussianMixtures":
        return replace(self, weights=self.weights[order], means=self.means[order], covars=self.covars[order])

    def parameters(self) -> dict[str, Any]:
        return {"m": self.means, "c": self.covars, "w": self.weights}

    def n_parameters(self) -> dict[str, int]:
        k, m, d = self.means.shape
        triangle = d * (d + 1) // 2
        covars = {"spherical": k * m, "diag": k * m * d, "full": k * m * triangle, "tied": k * triangle}
        return {"m": k * m * d, "c": covars[self.form], "w": k * (m - 1)}

    def moments(self) -> tuple[NDArray, NDArray]:
        variance = self.components().moments()[1].reshape(self.means.shape)
        mean = np.einsum("km,kmd->kd", self.weights, self.means)
        return mean, np.einsum("km,kmd->kd", self.weights, variance + self.means**2) - mean**2

    def draw(self, states: NDArray, rng: Any) -> NDArray:
        flat = self.components()
        which = states * self.weights.shape[1] + draw_symbols(self.weights, states, rng)
        roots = np.linalg.cholesky(flat.matrices())
        noise = np.asarray(rng.normal(size=(len(states), flat.means.shape[1])))
        return flat.means[which] + np.einsum("nij,nj->ni", roots[which], noise)

    def collapsed(self, prior: MixturePrior) -> tuple[list[int], str]:
        """Return the states of which a Gaussian lies on the floor."""
        unit = np.sqrt(prior.floor)
        low = np.linalg.eigvalsh(self.components().matrices() / np.outer(unit, unit))[:, 0].reshape(self.weights.shape)
        if self.form == "spherical":
            low = self.covars / prior.floor.mean()
        return np.flatnonzero(low.min(axis=1) < 1 + 1e-6).tolist(), collapse_text(prior.floor, "Gaussians (n_mix=)")

    def columns(self, names: list[str] | None) -> dict[str, list[str]]:
        means = self.means[np.arange(len(self.means)), self.weights.argmax(axis=1)]
        shown = [
            "(" + ", ".join(f"{value:.4g}" for value in row[:4]) + (", ..." if len(row) > 4 else "") + ")"
            for row in means
        ]
        return {"heaviest": [f"{w:.3f}" for w in self.weights.max(axis=1)], "at": shown}


def needed_shape(form: str, k: int, m: int, d: int) -> tuple[int, ...]:
    """Return the shape of covariances of a form."""
    return {"spherical": (k, m), "tied": (k, d, d), "diag": (k, m, d), "full": (k, m, d, d)}[form]


def checked_covars(owner: str, form: str, values: Any, k: int, m: int, d: int) -> NDArray:
    """Return given covariances after their checks; hmmlearn's words."""
    if form not in ("spherical", "diag", "full", "tied"):
        raise ParameterError(
            f"{owner}: covariance_type must be one of 'spherical', 'diag', 'full', 'tied'; got {form!r}."
        )
    covars = np.array(values, dtype=np.float64)
    if covars.shape != needed_shape(form, k, m, d):
        raise ParameterError(
            f"{owner}: {form!r} mixture covars must have shape {needed_shape(form, k, m, d)}, actual shape: {covars.shape}"
        )
    if form in ("spherical", "diag"):
        good = bool((covars > 0).all())
    else:
        good = np.allclose(covars, np.swapaxes(covars, -1, -2)) and bool((np.linalg.eigvalsh(covars) > 0).all())
    if not good:
        raise ParameterError(
            f"{owner}: {form!r} mixture covars must be positive (matrices: symmetric, positive definite)."
        )
    return covars


def repeated_covariance(form: str, covariance: NDArray, k: int, m: int) -> NDArray:
    """Return one covariance for all Gaussians, in the shape of a form."""
    variance = np.diag(covariance)
    one = {"spherical": variance.mean(), "diag": variance, "full": covariance, "tied": covariance}[form]
    return np.broadcast_to(one, needed_shape(form, k, m, len(covariance))).copy()


def prior_of(
    form: str,
    shape: tuple[int, int, int],
    weights: Any,
    mean: Any,
    mean_weight: Any,
    covars: Any,
    covars_weight: Any,
    floor: NDArray,
) -> MixturePrior:
    """Return priors in full shape, hmmlearn's defaults where None."""
    k, m, d = shape
    defaults = {
        "full": (0.0, -(1.0 + d + 1.0)),
        "tied": (0.0, -(m + d + 1.0)),
        "diag": (-1.5, 0.0),
        "spherical": (-(d + 2.0) / 2.0, 0.0),  # hmmlearn has n_mix for d here, which takes rows away
    }[form]
    given = zip((covars, covars_weight), defaults)
    scale, degrees = (default if value is None else np.asarray(value, np.float64) for value, default in given)
    if form in ("full", "tied"):
        if np.ndim(scale) == 0:
            scale = scale * np.eye(d)
        degrees = np.broadcast_to(degrees, (k,) if form == "tied" else (k, m))
    return MixturePrior(
        np.broadcast_to(np.asarray(weights, np.float64), (k, m)),
        np.broadcast_to(np.asarray(mean, np.float64), (k, m, d)),
        np.broadcast_to(np.asarray(mean_weight, np.float64), (k, m)),
        scale,
        degrees,
        floor,
    )
