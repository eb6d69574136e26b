r"""A normal with unknown mean and precision, its posterior factorised.

    x_n ~ N(mu, 1 / tau),   mu | tau ~ N(mu_0, 1 / (lambda_0 tau)),   tau ~ Gamma(a_0, b_0)
    q(mu) = N((lambda_0 mu_0 + N xbar) / (lambda_0 + N), 1 / ((lambda_0 + N) E[tau]))                             (3)
    q(tau) = Gamma(a_0 + (N + 1) / 2, b_0 + E[sum_n (x_n - mu)^2 + lambda_0 (mu - mu_0)^2] / 2)                   (4)
    E[tau] = a / b,   E[(x - mu)^2] = (x - E[mu])^2 + Var[mu]                                                     (5)

The shape has N + 1, not N: p(mu | tau) brings a root of tau of its own. This posterior is known exactly too (a Normal-Gamma, in
which mu and tau depend on each other), which is why it is the picture of what a factorisation loses.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaln

from novum.distributions import Gamma, Normal, NormalGamma
from novum.exceptions import DataError, ParameterTypeError
from novum.report.legends import draw_legend
from novum.report.style import series
from novum.runtime.checks import check_count, check_number, row_weights, vector
from novum.runtime.typing import Numbers, RowWeights
from novum.variational.coordinate_ascent import MeanField, coordinate_ascent, warn_unless_converged

__all__ = ["VariationalNormal", "vb_normal"]

LARGEST = 1e150  # number whose square, and sums of such, are still numbers
LOG_2PI = float(np.log(2 * np.pi))
POINTS = 200  # along each side of the picture
WIDTH = 4.0  # standard deviations of the exact posterior on either side
SHARES = (0.9, 0.5, 0.1)  # of the peak, where contours are drawn
Array = NDArray[np.float64]


class NormalSums(NamedTuple):
    """What the updates need to know of the data."""

    mass: float  # N
    mean: float
    squares: float  # around the mean


@dataclass(frozen=True, repr=False)
class VariationalNormal(MeanField):
    """q(mean) q(precision) of a normal; `factors` has them as "mean" and "precision".

    Attributes
    ----------
    exact : NormalGamma
        The posterior that is approximated.
    """

    exact: Any = None

    @property
    def mean(self) -> Any:
        """q(mu), a Normal."""
        return self.factors["mean"]

    @property
    def precision(self) -> Any:
        """q(tau), a Gamma."""
        return self.factors["precision"]

    def _grids(self) -> tuple[Array, Array, Array, Array]:
        """Return mu, tau, and both log densities over them."""
        center, deviation = np.asarray(self.exact.mean, float), np.sqrt(np.asarray(self.exact.var, float))
        deviation = np.where(
            np.isfinite(deviation), deviation, np.sqrt([float(self.mean.var), float(self.precision.var)]) * 2
        )
        mu = np.linspace(center[0] - WIDTH * deviation[0], center[0] + WIDTH * deviation[0], POINTS)
        tau = np.linspace(
            max(center[1] - WIDTH * deviation[1], 1e-3 * center[1]), center[1] + WIDTH * deviation[1], POINTS
        )
        pairs = np.stack(np.meshgrid(mu, tau), axis=-1)  # (tau, mu, 2)
        factorised = self.mean.log_prob(mu)[None, :] + self.precision.log_prob(tau)[:, None]
        return mu, tau, self.exact.log_prob(pairs.reshape(-1, 2)).reshape(POINTS, POINTS), factorised

    def _result_picture(self, ax: Any) -> None:
        mu, tau, exact, factorised = self._grids()
        for density, color, name in ((exact, series(ax, 0), "exact"), (factorised, series(ax, 3), "factorised")):
            levels = sorted(density.max() + np.log(SHARES))
            ax.contour(mu, tau, density, levels=levels, colors=color, linestyles="solid")
            ax.plot([], [], color=color, label=name)
        ax.set(xlabel="mean", ylabel="precision", title="Posterior of mean and precision")
        draw_legend(ax)


def normal_sums(data: Any, sample_weight: Any) -> NormalSums:
    """Return N, xbar and sum (x - xbar)^2."""
    x = vector("vb_normal", "data", data)
    if not x.size:
        raise DataError("vb_normal: data is empty; the posterior would be the prior. Give at least one number.")
    if np.abs(x).max() > LARGEST:
        raise DataError(
            f"vb_normal: data holds numbers up to {np.abs(x).max():.3g}, and sums of their squares overflow. Divide them by a "
            "suitable unit."
        )
    weight = row_weights("vb_normal", sample_weight, x.size)
    w = np.ones(x.size) if weight is None else weight
    mean = float(w @ x / w.sum())
    return NormalSums(float(w.sum()), mean, float(w @ (x - mean) ** 2))


def expected_squares(sums: NormalSums, prior: NormalGamma, q: Normal) -> float:
    """Return E[sum (x - mu)^2 + lambda_0 (mu - mu_0)^2] by (5)."""
    strength, center = float(prior.strength), float(prior.center)
    mean, var = float(q.mean), float(q.var)
    return sums.squares + sums.mass * ((sums.mean - mean) ** 2 + var) + strength * ((mean - center) ** 2 + var)


def next_mean(sums: NormalSums, prior: NormalGamma, precision: Gamma) -> Normal:
    """Return (3)."""
    total = float(prior.strength) + sums.mass
    center = float(prior.center) + sums.mass / total * (sums.mean - float(prior.center))
    return Normal(center, float(precision.rate) / (total * float(precision.shape)))


def next_precision(sums: NormalSums, prior: NormalGamma, mean: Normal) -> Gamma:
    """Return (4)."""
    return Gamma(
        float(prior.shape) + 0.5 * (sums.mass + 1), float(prior.rate) + 0.5 * expected_squares(sums, prior, mean)
    )


def normal_bound(sums: NormalSums, prior: NormalGamma, mean: Normal, precision: Gamma) -> float:
    """Return E[log p(x, mu, tau)] + H(q(mu)) + H(q(tau))."""
    a, b, strength = float(prior.shape), float(prior.rate), float(prior.strength)
    tau = float(precision.shape) / float(precision.rate)
    log_tau = float(digamma(precision.shape) - np.log(precision.rate))
    gaussians = 0.5 * ((sums.mass + 1) * (log_tau - LOG_2PI) + np.log(strength))
    gaussians -= 0.5 * tau * expected_squares(sums, prior, mean)
    gamma = a * np.log(b) - gammaln(a) + (a - 1) * log_tau - b * tau
    return float(gaussians + gamma + mean.entropy() + precision.entropy())


def vb_normal(
    data: Numbers, prior: NormalGamma, *, sample_weight: RowWeights = None, tol: float = 1e-10, max_iter: int = 1000
) -> VariationalNormal:
    """Approximate the posterior of a normal's mean and precision by independent factors.

        q(mu) = N((lambda_0 mu_0 + N xbar) / (lambda_0 + N), 1 / ((lambda_0 + N) E[tau]))    (3)
        q(tau) = Gamma(a_0 + (N + 1) / 2, b_0 + E[sum_n (x_n - mu)^2 + lambda_0 (mu - mu_0)^2] / 2)    (4)

    Parameters
    ----------
    data : array-like of shape (n,)
    prior : NormalGamma
        `NormalGamma(mean=mu_0, strength=lambda_0, shape=a_0, rate=b_0)`.
    sample_weight : array-like of shape (n,), optional
    tol : float, default=1e-10
        Stop when a sweep moves no parameter by more, relative to max(1, its size).
    max_iter : int, default=1000

    Returns
    -------
    VariationalNormal
        With the exact posterior and evidence beside it; `.plot()` draws the contours of both.

    Examples
    --------
    >>> from novum.distributions import NormalGamma
    >>> from novum.variational import vb_normal
    >>> found = vb_normal([1, 2, 4, 3.5, 2.2], NormalGamma(mean=0, strength=1, shape=2, rate=1))
    >>> round(float(found.mean.mean), 6), round(1 / float(found.mean.var), 6), found.precision
    (2.116667, 4.088328, Gamma(shape=5., rate=7.33796296))
    >>> round(found.elbo, 6), round(found.log_evidence, 6)
    (-11.586013, -11.531489)
    """
    if not isinstance(prior, NormalGamma) or prior.batch_shape != ():
        raise ParameterTypeError(
            f"vb_normal(prior={prior!r}): prior must be one novum.distributions.NormalGamma, as in "
            "NormalGamma(mean=0, strength=1, shape=2, rate=1)."
        )
    tol, max_iter = check_number("vb_normal", "tol", tol, 0), check_count("vb_normal", "max_iter", max_iter)
    sums = normal_sums(data, sample_weight)
    start = Gamma(float(prior.shape), float(prior.rate))
    found = coordinate_ascent(
        "vb_normal",
        {
            "mean": lambda q: next_mean(sums, prior, q["precision"]),
            "precision": lambda q: next_precision(sums, prior, q["mean"]),
        },
        {"mean": next_mean(sums, prior, start), "precision": start},
        lambda q: normal_bound(sums, prior, q["mean"], q["precision"]),
        tol,
        max_iter,
    )
    x = vector("vb_normal", "data", data)
    exact = prior.update(x, likelihood=Normal, sample_weight=sample_weight)
    evidence = float(prior.log_evidence(x, likelihood=Normal, sample_weight=sample_weight))
    answer = VariationalNormal(found.factors, found.bounds, found.converged, found.n_iter, evidence, exact)
    return warn_unless_converged("vb_normal", answer, max_iter)
