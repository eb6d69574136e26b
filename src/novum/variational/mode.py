"""The mode of a density: (1) of novum.variational.laplace_approximation, by L-BFGS and steps of Newton's."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.distributions.estimation.problem import Parameters, gradient_of, hessian_of, natural_scale
from novum.exceptions import DataError, NotConverged, ParameterTypeError
from novum.optimize import lbfgs

__all__ = ["CLOSE", "HALVINGS", "LOWEST", "Array", "Target", "climb", "is_positive_definite", "polish"]

LOWEST = -1e300  # stands for minus infinity, which a line search cannot use
ROUNDS = 5  # searches, each in the scale of where the last one ended
NEWTON_STEPS = 8
HALVINGS = 60  # of the interval in which a density ends
CLOSE = 1e-6  # nats that may be left to gain, and standard deviations left to go
FLAT = 1e-7  # least eigenvalue of H in units of the curvature along each axis: differences know it to about 1e-9
Array = NDArray[np.float64]


class Target:
    """The user's density, its derivatives, and the free parameters in which it is searched."""

    def __init__(self, log_density: Any, gradient: Any, hessian: Any, parameters: Parameters) -> None:
        self.log_density, self.gradient, self.hessian, self.parameters = log_density, gradient, hessian, parameters

    def value(self, theta: Array) -> float:
        """Return f; minus infinity outside the bounds and where it is NaN."""
        if not ((theta > self.parameters.low) & (theta < self.parameters.high)).all():
            return -np.inf
        with np.errstate(all="ignore"):
            given = self.parameters.call(self.log_density, theta)
        try:
            answer = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ParameterTypeError(
                f"laplace: log_density returned {given!r:.60}; it must return one number."
            ) from error
        if answer.size != 1:
            raise DataError(f"laplace: log_density returned shape {answer.shape}; it must return one number.")
        number = float(answer.ravel()[0])
        return -np.inf if np.isnan(number) else number

    def slope(self, theta: Array, scale: Array) -> Array:
        """Return df / dtheta."""
        if self.gradient is None:
            return gradient_of(self.value, theta, scale)
        found = np.ravel(np.asarray(self.parameters.call(self.gradient, theta), dtype=np.float64))
        if found.shape != theta.shape:
            raise DataError(
                f"laplace: gradient returned shape {found.shape}; it must return {theta.shape}, one per parameter."
            )
        return found

    def curvature(self, theta: Array, scale: Array) -> Array:
        """Return H of (2)."""
        if self.hessian is None:
            found = -hessian_of(self.value, theta, scale)
        else:
            given = np.asarray(self.parameters.call(self.hessian, theta), dtype=np.float64)
            found = -given.reshape(theta.size, theta.size)
        return 0.5 * (found + found.T)


def climb(target: Target, u: Array, max_iter: int) -> Array:
    """Return the free parameters of the mode by L-BFGS, in the scale of f around every start."""
    parameters = target.parameters

    def height(point: Array) -> float:
        return max(target.value(parameters.theta(point)), LOWEST)

    for _ in range(ROUNDS):
        start, scale = u, natural_scale(height, u)

        def slope(v: Array, start: Array = start, scale: Array = scale) -> Array:
            point = start + scale * v
            if target.gradient is None:
                return -scale * gradient_of(height, point, scale)
            return -scale * target.slope(parameters.theta(point), scale) * parameters.slope(point)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConverged)  # judged at the end, by what is left to gain
            found = lbfgs(
                lambda v, start=start, scale=scale: -height(start + scale * v),
                np.zeros(u.size),
                gradient=slope,
                tol=CLOSE,
                max_iter=max_iter,
            )
        u = start + scale * found.x
        if float(np.abs(found.x).max()) < 1:  # the scale of the start was that of the end
            break
    return u


def polish(target: Target, theta: Array, scale: Array) -> tuple[Array, float]:
    """Return the mode after Newton's steps, and the nats that another would gain; NaN where H is no curvature of a maximum."""
    left = np.inf
    for _ in range(NEWTON_STEPS):
        hessian, gradient = target.curvature(theta, scale), target.slope(theta, scale)
        if not is_positive_definite(hessian, scale):
            return theta, float("nan")
        move = np.linalg.solve(hessian, gradient)
        gain = 0.5 * float(gradient @ move)
        if not np.isfinite(gain) or target.value(theta + move) < target.value(theta) - 1e-9 * abs(target.value(theta)):
            break
        theta, last = theta + move, left
        left = gain
        if left <= 1e-20 or left >= last:
            break
    return theta, left


def is_positive_definite(hessian: Array, scale: Array) -> bool:
    """Return whether no direction is flat or climbs, in units of the curvature along each axis."""
    scaled = hessian * np.outer(scale, scale)
    return bool(
        np.isfinite(scaled).all() and np.linalg.eigvalsh(scaled)[0] > FLAT * max(1.0, float(np.abs(scaled).max()))
    )
