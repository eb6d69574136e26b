r"""Maximum likelihood and maximum a posteriori for any density, with standard errors and a check that they exist.

    theta_ML  = argmax sum_i w_i log p(x_i | theta)                                                           (1)
    theta_MAP = argmax sum_i w_i log p(x_i | theta) + log p(theta)              a flat prior gives (1)        (2)
    J = -d^2 / dtheta^2 of the maximised function at its maximum                observed information          (3)
    covariance of the estimate ~ J^-1,     standard error_i = sqrt((J^-1)_ii)                                 (4)
    profile of theta_i:  max over the other parameters, as a function of theta_i                              (5)

The parameters are identified where J has full rank. The rank is decided with every parameter in units of about its own standard
error: an eigenvalue below 1e-6 belongs to a direction along which the data say nothing. The search is L-BFGS on parameters
without bounds, polished by Newton's method; it finds a maximum, for functions with several the one near the start.
"""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.distributions.base import Distribution
from novum.distributions.estimation.problem import (
    Parameters,
    check_names,
    gradient_of,
    hessian_of,
    log_likelihood_of,
    natural_scale,
)
from novum.distributions.estimation.result import Estimate, Profile
from novum.exceptions import DataError, DataWarning, NotConverged, ParameterError
from novum.optimize import lbfgs
from novum.runtime.checks import check_count
from novum.runtime.typing import Numbers, Rows, RowWeights
from novum.runtime.warn import warn

__all__ = ["maximum_a_posteriori", "maximum_likelihood"]

FLAT = 1e-6  # differences know the scaled information to about 1e-9
NEWTON_STEPS = 8  # quadratic convergence from where L-BFGS ends
ROUNDS = 4  # searches, each in the scale of where the last one ended
CLOSE = 1e-6  # of a standard error: where Newton's method takes over; in log-likelihood, what may be left to gain
LOWEST = -1e300  # stands for minus infinity, which a line search cannot use
PROFILE_WIDTH = 3.0  # standard errors on either side
Array = NDArray[Any]


class Rank:
    """Whether an information matrix has full rank in units of `scale`, with the direction along which it has least."""

    def __init__(self, information: Array, scale: Array) -> None:
        scaled = information * np.outer(scale, scale)
        known = bool(np.isfinite(scaled).all())
        values, vectors = np.linalg.eigh(scaled if known else np.zeros_like(scaled))
        self.least = float(values[0])
        self.full = self.least > FLAT
        self.direction = vectors[:, 0] * scale


class Search:
    """The function to be maximised, and its maximum."""

    def __init__(
        self,
        owner: str,
        log_density: Any,
        data: Any,
        start: Any,
        bounds: Any,
        weight: Any,
        log_prior: Any,
        max_iter: int,
    ) -> None:
        self.owner, self.kind = owner, "log-likelihood" if log_prior is None else "log-posterior"
        self.parameters = Parameters(owner, start, bounds)
        check_names(owner, "start", log_density, self.parameters.names)
        self.likelihood, self.state = log_likelihood_of(owner, log_density, data, weight)
        self.log_prior, self.max_iter = log_prior, check_count(owner, "max_iter", max_iter)

    def value(self, theta: Array) -> float:
        """Return the function at theta; minus infinity where it is not defined."""
        total = self.likelihood(self.parameters, theta)
        if self.log_prior is not None:
            total += float(self.parameters.call(self.log_prior, theta))
        return -np.inf if np.isnan(total) else total

    def at(self, u: Array) -> float:
        """Return the function of free parameters."""
        return self.value(self.parameters.theta(u))

    def maximum(self, u: Array, fixed: tuple[int, ...] = ()) -> Array:
        """Return the free parameters at the maximum over all but the fixed ones."""
        loose = np.setdiff1d(np.arange(u.size), fixed)
        for _ in range(ROUNDS if loose.size else 0):
            u, steps = self.climbed(u, loose)
            if steps < 1:  # the scale of the start was that of the end
                break
        return u

    def climbed(self, u: Array, loose: Array) -> tuple[Array, float]:
        """Return where L-BFGS in units of the scale at u ends, and the largest distance in these units."""

        def height(part: Array) -> float:
            point = u.copy()
            point[loose] = part
            return max(self.at(point), LOWEST)

        start = u[loose]
        scale = natural_scale(height, start)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConverged)  # judged at the end, by what is left to gain
            found = lbfgs(
                lambda v: -height(start + scale * v),
                np.zeros(loose.size),
                gradient=lambda v: -scale * gradient_of(height, start + scale * v, scale),
                tol=CLOSE,
                max_iter=self.max_iter,
            )
        top = u.copy()
        top[loose] = start + scale * found.x
        return top, float(np.abs(found.x).max())

    def estimate(self) -> Estimate:
        """Return the maximum with (3) and (4)."""
        u = self.parameters.free(self.parameters.start)
        if not np.isfinite(self.value(self.parameters.start)):
            raise DataError(f"{self.owner}: the {self.kind} is not finite at the start; choose another start.")
        u = self.maximum(u)
        scale = natural_scale(self.at, u)
        information = -hessian_of(self.at, u, scale)
        rank = Rank(information, scale)
        left = np.inf
        for _ in range(NEWTON_STEPS if rank.full else 0):
            gradient = gradient_of(self.at, u, scale)
            move = np.linalg.solve(information, gradient)
            left = float(gradient @ move)  # twice what the step gains
            if self.at(u + move) < self.at(u) - 1e-9 * abs(self.at(u)):
                break
            u = u + move
            if np.all(np.abs(move) <= 1e-11 * scale):
                break
        if rank.least < -FLAT or (rank.full and left > CLOSE):
            warn(
                f"{self.owner}: the point found is no maximum (least curvature {rank.least:.2g}, {left:.2g} to gain); try "
                "another start or raise max_iter.",
                NotConverged,
            )
        if rank.full:
            information = -hessian_of(self.at, u, scale)
        return self._result(u, rank, np.linalg.inv(information) if rank.full else None)

    def _result(self, u: Array, rank: "Rank", cov: Array | None) -> Estimate:
        theta, slope = self.parameters.theta(u), self.parameters.slope(u)
        direction = None
        if cov is None:
            direction = rank.direction * slope
            direction = direction / np.abs(direction).max()
            ends = self.parameters.at_bound(u)
            if ends:
                why = f"{', '.join(ends)} runs to its bound, so there is no maximum inside"
            else:
                shown = ", ".join(f"{self.parameters.label(i)} {change:+.3g}" for i, change in enumerate(direction))
                why = f"the parameters are not identified, the data do not change along ({shown})"
            warn(f"{self.owner}: {why}. Fix a parameter, or give a prior.", DataWarning)
            cov = np.full((u.size, u.size), np.nan)
            errors = np.where(np.abs(direction) > np.sqrt(FLAT), np.inf, np.nan)
        else:
            cov = cov * np.outer(slope, slope)
            errors = np.sqrt(np.diag(cov))
        shaped = self.parameters.shaped
        return Estimate(
            parameters=shaped(theta),
            standard_errors=shaped(errors),
            covariance=cov,
            value=self.value(theta),
            n=self.state["n"],
            identifiable=direction is None,
            flat_direction=direction,
            _theta=theta,
            _search=self,
        )

    def profile(self, found: Estimate, parameter: Any, values: Any) -> Profile:
        """Return (5)."""
        i = self.parameters.index(f"{self.owner} profile", parameter)
        if values is None:
            error = np.sqrt(found.covariance[i, i])
            if not np.isfinite(error):
                raise ParameterError(
                    f"{self.owner}: {parameter!r} has no standard error; give the values of its profile."
                )
            values = np.linspace(-PROFILE_WIDTH, PROFILE_WIDTH, 25) * error + found._theta[i]
            values = values[(values > self.parameters.low[i]) & (values < self.parameters.high[i])]
        heights, u = [], self.parameters.free(found._theta)
        for value in (grid := np.asarray(values, dtype=np.float64)):
            theta = self.parameters.theta(u)
            theta[i] = value
            u = self.maximum(self.parameters.free(theta), fixed=(i,))
            heights.append(self.at(u))
        return Profile(self.parameters.label(i), grid, np.array(heights) - found.value)


def maximum_likelihood(
    log_density: Callable[..., Any],
    data: Rows | Mapping[Any, Any] | Iterable[Any],
    start: Mapping[str, float] | Numbers,
    *,
    bounds: Mapping[str, Any] | Sequence[Any] | None = None,
    sample_weight: RowWeights = None,
    max_iter: int = 500,
) -> Estimate:
    """Return (1) for a density that you write down.

        theta_ML  = argmax sum_i w_i log p(x_i | theta)    (1)

    Parameters
    ----------
    log_density : callable
        log_density(data, name=value, ...) where start is a mapping, log_density(data, theta) where it is an array; returns
        the log-density of every observation, shape (n,).
    data : any
        Handed to log_density as it is.
    start : mapping of name to number, or array-like of shape (d,)
        Where to begin; inside the bounds.
    bounds : mapping of name to (low, high), or sequence of them, optional
        Open intervals; None on a side for no bound, a parameter that is not named has none.
    sample_weight : array-like of shape (n,), optional
    max_iter : int, default=500

    Examples
    --------
    >>> import numpy as np
    >>> from novum.distributions import Normal, maximum_likelihood
    >>> x = np.array([1.0, 2.0, 3.0, 4.0, 10.0])
    >>> found = maximum_likelihood(
    ...     lambda x, mean, var: Normal(mean, var).log_prob(x), x, {"mean": 0.0, "var": 1.0}, bounds={"var": (0, None)}
    ... )
    >>> found
    Estimate from 5 observations: log-likelihood -12.8512
      mean = 4 (standard error 1.41)
      var = 10 (standard error 6.32)
    """
    return Search(
        owner="maximum_likelihood",
        log_density=log_density,
        data=data,
        start=start,
        bounds=bounds,
        weight=sample_weight,
        log_prior=None,
        max_iter=max_iter,
    ).estimate()


def prior_of(owner: str, prior: Any, start: Any, bounds: Any) -> tuple[Callable[..., Any], Any]:
    """Return a log-prior with the arguments of the user's density, and bounds filled up from the supports of priors."""
    if isinstance(prior, Mapping):
        if not isinstance(start, Mapping) or set(prior) - set(start):
            raise ParameterError(
                f"{owner}: a prior by name needs a start by name, with {', '.join(map(str, prior))} among it."
            )
        limits = {
            name: (distribution.support.low, distribution.support.high) for name, distribution in prior.items()
        } | dict(bounds or {})
        return lambda **theta: sum(
            float(distribution.log_prob(theta[name])) for name, distribution in prior.items()
        ), limits
    if hasattr(prior, "log_prob"):
        if isinstance(start, Mapping):
            if len(start) != 1:
                raise ParameterError(f"{owner}: one distribution is a prior of one parameter; give a mapping by name.")
            (name,) = start
            return prior_of(owner, {name: prior}, start, bounds)
        if getattr(prior, "event_shape", ()):
            return lambda theta: float(prior.log_prob(theta)), bounds
        low, high = prior.support.low, prior.support.high
        return lambda theta: float(np.sum(prior.log_prob(theta))), bounds or [(low, high)] * np.size(start)
    if callable(prior):
        return prior, bounds
    raise ParameterError(
        f"{owner}(prior={prior!r}): prior must be a distribution, a mapping of names to them, or a callable."
    )


def maximum_a_posteriori(
    log_density: Callable[..., Any],
    data: Rows | Mapping[Any, Any] | Iterable[Any],
    prior: Mapping[str, Distribution] | Distribution | Callable[..., Any],
    start: Mapping[str, float] | Numbers,
    *,
    bounds: Mapping[str, Any] | Sequence[Any] | None = None,
    sample_weight: RowWeights = None,
    max_iter: int = 500,
) -> Estimate:
    """Return (2): the mode of the posterior, in the parameters as you write them.

        theta_MAP = argmax sum_i w_i log p(x_i | theta) + log p(theta)   a flat prior gives (1)    (2)

    Parameters
    ----------
    log_density, data, start, sample_weight, max_iter
        As in `maximum_likelihood`.
    prior : mapping of name to distribution, distribution, or callable
        A callable gets the parameters as log_density does and returns the log-prior, up to a constant. Parameters that a
        mapping does not name have a flat prior.
    bounds : as in `maximum_likelihood`, optional
        By default the supports of the priors.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.distributions import Bernoulli, Beta, maximum_a_posteriori
    >>> tosses = np.array([1, 1, 0, 0, 0, 1, 1])
    >>> found = maximum_a_posteriori(lambda x, p: Bernoulli(p).log_prob(x), tosses, Beta(2, 2), {"p": 0.5})
    >>> round(found.parameters["p"], 6)  # 5/9
    0.555556
    """
    owner = "maximum_a_posteriori"
    log_prior, limits = prior_of(owner, prior, start, bounds)
    return Search(
        owner=owner,
        log_density=log_density,
        data=data,
        start=start,
        bounds=limits,
        weight=sample_weight,
        log_prior=log_prior,
        max_iter=max_iter,
    ).estimate()
