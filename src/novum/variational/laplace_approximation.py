r"""Laplace's approximation: a Gaussian with the mode and the curvature of a density.

    theta* = argmax f(theta),   f = log p(X, theta), normalised or not                                           (1)
    H = -d^2 f / dtheta^2 at theta*,      q = N(theta*, H^-1)                                                    (2)
    log integral exp f  ~  f(theta*) + d/2 log 2 pi - 1/2 log det H                                              (3)

(3) is exact for a Gaussian, and its relative error falls like 1 / n with the data where the mode is inside the support and H is
positive definite. Where it is not, or where f has a kink at the mode (novum.variational.kinks), there is no such Gaussian:
covariance and evidence are NaN and a warning says why. The Gaussian lives on the parameters as they are given: log sigma and
sigma have different approximations.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from novum.distributions import MultivariateNormal
from novum.distributions.estimation.problem import Parameters, natural_scale
from novum.exceptions import DataError, DataWarning, NotConverged, ParameterTypeError
from novum.report.legends import draw_legend
from novum.report.numbers import num
from novum.report.result import Result
from novum.report.style import series
from novum.runtime.checks import check_count
from novum.runtime.typing import Numbers
from novum.runtime.warn import warn
from novum.variational.kinks import kinked_axes
from novum.variational.mode import CLOSE, HALVINGS, LOWEST, Array, Target, climb, is_positive_definite, polish

__all__ = ["LaplaceApproximation", "laplace"]

EDGE = 0.05  # standard deviations: a density that ends nearer to its mode than this has its mode at the border
POINTS = 81  # along each side of a picture
WIDTH = 4.0  # standard deviations on either side of the mode
LOG_2PI = float(np.log(2 * np.pi))


@dataclass(frozen=True, repr=False)
class LaplaceApproximation(Result):
    """A Gaussian around the mode of a density.

    Attributes
    ----------
    mode : ndarray of shape (d,), or dict
        As the start was given.
    covariance : ndarray of shape (d, d)
        H^-1; NaN where H is not positive definite, or does not exist.
    log_evidence : float
        (3), the logarithm of the integral of exp(log_density); NaN where H is not positive definite.
    log_density : float
        At the mode.
    hessian : ndarray of shape (d, d)
        H, the negative second derivatives.
    """

    mode: Any
    covariance: Array
    log_evidence: float
    log_density: float
    hessian: Array
    _center: Array
    _names: tuple[str, ...]
    _function: Callable[[Array], float]

    @property
    def standard_deviations(self) -> Array:
        """Roots of the diagonal of the covariance."""
        return np.sqrt(np.diagonal(self.covariance))

    @property
    def distribution(self) -> Any:
        """The Gaussian (2), to draw from and to evaluate."""
        if np.isnan(self.covariance).any():
            raise DataError(
                "laplace: there is no Gaussian here: the Hessian at the mode is not positive definite, or none exists."
            )
        return MultivariateNormal(self._center, self.covariance)

    def _result_columns(self) -> dict[str, Any]:
        return {
            "parameter": list(self._names),
            "mode": self._center.tolist(),
            "standard deviation": self.standard_deviations.tolist(),
        }

    def _result_caption(self) -> str:
        return (
            f"Laplace approximation: log-evidence about {num(self.log_evidence):.8g}, log-density "
            f"{num(self.log_density):.8g} at the mode"
        )

    def _result_title(self) -> str:
        return self._result_caption()

    def _result_picture(self, ax: Any) -> None:
        """Draw the density relative to its peak and the Gaussian, over the first one or two parameters, the others at the mode."""
        gaussian, precision = self.distribution, self.hessian
        axes = [c + WIDTH * s * np.linspace(-1, 1, POINTS) for c, s in zip(self._center, self.standard_deviations)][:2]
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))
        points = np.tile(np.asarray(gaussian.mean), (len(grid), 1))
        points[:, : len(axes)] = grid
        off = points - self._center
        approximate = -0.5 * np.einsum("ij,jk,ik->i", off, precision, off)
        exact = np.array([self._function(point) for point in points]) - self.log_density
        if len(axes) == 1:
            ax.plot(axes[0], np.exp(exact), color=series(ax, 0), label="density / peak")
            ax.plot(axes[0], np.exp(approximate), color=series(ax, 3), ls="--", label="Gaussian")
            ax.set(xlabel=self._names[0])
        else:
            for values, color, name in ((exact, series(ax, 0), "density"), (approximate, series(ax, 3), "Gaussian")):
                shape = values.reshape(POINTS, POINTS).T
                ax.contour(
                    *axes, np.where(np.isfinite(shape), shape, LOWEST), levels=np.log([0.1, 0.5, 0.9]), colors=color
                )
                ax.plot([], [], color=color, label=name)
            ax.set(xlabel=self._names[0], ylabel=self._names[1])
        draw_legend(ax)


def laplace(
    log_density: Callable[..., Any],
    start: Numbers | Mapping[str, float],
    *,
    gradient: Callable[..., Any] | None = None,
    hessian: Callable[..., Any] | None = None,
    bounds: Mapping[Any, Any] | Sequence[Any] | None = None,
    max_iter: int = 500,
) -> LaplaceApproximation:
    """Approximate a density by a Gaussian at its mode, and its integral.

        q = N(theta*, H^-1),   log integral exp f ~ f(theta*) + d/2 log 2 pi - 1/2 log det H    (2, 3)

    Parameters
    ----------
    log_density : callable
        theta, an array of shape (d,), to log p(X, theta); it need not be normalised. With a mapping as `start`, it is called with
        the parameters by name.
    start : array-like of shape (d,), or mapping of names to numbers
        Where the search begins; of several modes it finds one nearby.
    gradient, hessian : callable, optional
        Derivatives of `log_density`, shapes (d,) and (d, d); by default differences of fourth order.
    bounds : mapping or sequence of (low, high), optional
        Open intervals of the parameters; None for no bound.
    max_iter : int, default=500

    Returns
    -------
    LaplaceApproximation

    Warns
    -----
    DataWarning
        Where the mode is at the border of the support or at a kink, or the Hessian there is not positive definite: the Gaussian
        does not exist.
    NotConverged
        Where no mode was found.

    Examples
    --------
    Ten tosses, seven heads, a uniform prior; the integral is B(8, 4):

    >>> import numpy as np
    >>> from novum.variational import laplace
    >>> found = laplace(lambda p: 7 * np.log(p) + 3 * np.log(1 - p), {"p": 0.5}, bounds={"p": (0, 1)})
    >>> round(found.mode["p"], 6), found.standard_deviations.round(6), round(float(np.exp(found.log_evidence)), 8)
    (0.7, array([0.144914]), 0.0008077)
    """
    max_iter = check_count("laplace", "max_iter", max_iter)
    for name, function in (("log_density", log_density), ("gradient", gradient), ("hessian", hessian)):
        if not callable(function) and (function is not None or name == "log_density"):
            raise ParameterTypeError(f"laplace({name}={function!r:.60}): give a function of the parameters.")
    parameters = Parameters("laplace", start, bounds)
    target = Target(log_density, gradient, hessian, parameters)
    if not np.isfinite(target.value(parameters.start)):
        raise DataError(f"laplace: log_density is {target.value(parameters.start)} at the start; choose another start.")
    u = climb(target, parameters.free(parameters.start), max_iter)
    theta = parameters.theta(u)
    scale = natural_scale(lambda x: max(target.value(x), LOWEST), theta)
    at_border = parameters.at_bound(u)
    if not at_border:
        theta, scale, at_border = border_above(target, theta, scale)
    left = float("nan")
    if not at_border:
        theta, left = polish(target, theta, scale)
        scale = natural_scale(lambda x: max(target.value(x), LOWEST), theta)
    curvature = target.curvature(theta, scale)
    return conclude(target, theta, curvature, scale, list(at_border), left)


def border_above(target: Target, theta: Array, scale: Array) -> tuple[Array, Array, list[str]]:
    """Return the point, its scale and the parameters at the border, after a walk uphill to where the density ends, if it does."""
    step = 1e-6 * np.maximum(1.0, np.abs(theta))
    rise = np.array([target.value(theta + h) - target.value(theta - h) for h in np.diag(step)])
    uphill = np.where(np.isfinite(rise), rise, 0.0) / np.maximum(np.abs(target.value(theta)), 1.0)
    if np.abs(uphill).max() > CLOSE**2:
        path, far = np.sign(uphill) * np.where(np.abs(uphill) > CLOSE**2, step, 0.0), 1.0
        while far < 1 / CLOSE**2 and target.value(theta + 2 * far * path) > target.value(theta + far * path):
            far *= 2
        if target.value(theta + 2 * far * path) == -np.inf:
            inside, outside = far, 2 * far
            for _ in range(HALVINGS):
                middle = 0.5 * (inside + outside)
                inside, outside = (
                    (inside, middle) if target.value(theta + middle * path) == -np.inf else (middle, outside)
                )
            if target.value(theta + inside * path) > target.value(theta):
                theta = theta + inside * path
                scale = np.minimum(scale, np.maximum(1.0, np.abs(theta)))
    return theta, scale, ends_near(target, theta, scale)


def ends_near(target: Target, theta: Array, scale: Array) -> list[str]:
    """Return the parameters along which the density is zero, or falls off a cliff, right beside the mode."""
    size, center = 1e-6 * np.maximum(1.0, np.abs(theta)), target.value(theta)
    found = []
    for i in range(theta.size):
        step = np.zeros(theta.size)
        step[i] = max(EDGE * scale[i], size[i])
        if any(target.value(theta + sign * step) == -np.inf for sign in (-1, 1)) and np.isfinite(center):
            found.append(target.parameters.label(i))
    return found


def conclude(
    target: Target, theta: Array, curvature: Array, scale: Array, at_border: list[str], left: float
) -> LaplaceApproximation:
    """Return the result, after a warning where it cannot be trusted."""
    definite = is_positive_definite(curvature, scale) and not at_border
    kinks = [target.parameters.label(i) for i in kinked_axes(target.value, theta, scale)] if definite else []
    peak = target.value(theta)
    covariance, evidence = np.full_like(curvature, np.nan), float("nan")
    if at_border:
        warn(
            f"laplace: the mode is at the border of the support in {', '.join(at_border)}: there is no Gaussian around it, "
            "covariance and evidence are NaN; use another parametrisation (a logarithm, a logit with its Jacobian).",
            DataWarning,
        )
    elif not definite:
        warn(
            "laplace: the Hessian at the mode is not positive definite: a direction is flat or climbs, covariance and evidence are "
            "NaN; start elsewhere, drop redundant parameters or add a proper prior.",
            DataWarning,
        )
    elif kinks:
        warn(
            f"laplace: log_density has a kink at the mode in {', '.join(kinks)}: it has no second derivatives there, so there "
            "is no Gaussian, covariance and evidence are NaN; sample (HamiltonianMonteCarlo), or smooth the density.",
            DataWarning,
        )
    else:
        inverse = np.linalg.inv(curvature)
        covariance = np.asarray(0.5 * (inverse + inverse.T), np.float64)
        evidence = peak + 0.5 * theta.size * LOG_2PI - 0.5 * float(np.linalg.slogdet(curvature)[1])
        if not left <= CLOSE:
            warn(
                f"laplace: a further step would gain {num(left):.2g} in log_density: the mode was not reached; "
                "raise max_iter=, start "
                "nearer, or give gradient= and hessian=.",
                NotConverged,
            )
    names = tuple(target.parameters.label(i) for i in range(theta.size))
    mode = target.parameters.shaped(theta)
    return LaplaceApproximation(
        mode=mode,
        covariance=covariance,
        log_evidence=evidence,
        log_density=peak,
        hessian=curvature,
        _center=theta,
        _names=names,
        _function=target.value,
    )
