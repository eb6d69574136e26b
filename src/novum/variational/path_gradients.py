r"""Gradients of an expectation in the parameters of its distribution.

    pathwise         z = g(lambda, eps), eps of a fixed distribution:   d/dlambda E[f(z)] = E[f'(z) dg/dlambda]   (1)
    score function   d/dlambda E[f(z)] = E[f(z) d log q(z; lambda)/dlambda]                                      (2)
    Gaussian         z = m + s eps:   df/dm = f'(z),   df/ds = f'(z) eps                                         (3)
    its score        d log q/dm = eps / s,   d log q/ds = (eps^2 - 1) / s                                        (4)

Both estimators are unbiased. (1) needs a derivative of f and usually has the far smaller variance, because the slope of f says
where to go and its value alone does not; the result shows both. Gaussians need nothing but NumPy; other distributions are a
`transform` in PyTorch, which differentiates through it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError
from novum.report.legends import draw_legend
from novum.report.result import Result, draw_bars
from novum.runtime.checks import check_count, float_array
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Seed

__all__ = ["GradientEstimate", "pathwise_gradient"]

STEP = float(np.finfo(np.float64).eps) ** (1 / 3)  # of central differences, relative to max(1, |z|)
Array = NDArray[np.float64]
Draws = dict[str, Array]  # the gradient of every draw, shape (n_samples, *shape of the parameter)


@dataclass(frozen=True, repr=False)
class GradientEstimate(Result):
    """Estimates of a gradient, by parameter.

    Attributes
    ----------
    gradient : dict of str to ndarray
        The pathwise estimate (1).
    standard_error : dict of str to ndarray
        Of its mean.
    variance : dict of str to ndarray
        Of one draw of the pathwise estimator.
    score_variance : dict of str to ndarray
        Of one draw of the score-function estimator (2); empty where no `log_prob` was given.
    score_gradient : dict of str to ndarray
        What (2) estimates from the same draws.
    value : float
        The mean of f.
    n_samples : int
    """

    gradient: Draws
    standard_error: Draws
    variance: Draws
    score_variance: Draws
    score_gradient: Draws
    value: float
    n_samples: int

    def _result_columns(self) -> dict[str, Any]:
        columns = {"gradient": self.gradient, "standard error": self.standard_error, "variance": self.variance}
        columns |= {"score-function variance": self.score_variance} if self.score_variance else {}
        places = [(name, place) for name, values in self.gradient.items() for place in np.ndindex(values.shape)]
        names = [name + (str(list(place)) if place else "") for name, place in places]
        rows = {column: [float(by[name][place]) for name, place in places] for column, by in columns.items()}
        return {"parameter": names, **rows}

    def _result_picture(self, ax: Any) -> None:
        table = self._result_columns()
        shown = {name: column for name, column in table.items() if name.endswith("variance")}
        draw_bars(ax, table["parameter"], shown)
        ax.set(yscale="log", ylabel="variance of one draw", title="Pathwise against score function")
        draw_legend(ax)


def summary_of(value: float, pathwise: Draws, score: Draws) -> GradientEstimate:
    """Return means, errors and variances of gradients by draw."""
    n = len(next(iter(pathwise.values())))
    for name, draws in pathwise.items():
        if not np.isfinite(draws).all():
            raise DataError(
                f"pathwise_gradient: the gradient in {name!r} is not finite at a draw; f must be differentiable where q lives."
            )
    variance = {name: draws.var(axis=0, ddof=1) for name, draws in pathwise.items()}
    return GradientEstimate(
        {name: draws.mean(axis=0) for name, draws in pathwise.items()},
        {name: np.sqrt(value / n) for name, value in variance.items()},
        variance,
        {name: draws.var(axis=0, ddof=1) for name, draws in score.items()},
        {name: draws.mean(axis=0) for name, draws in score.items()},
        value,
        n,
    )


def values_of(function: Callable[[Any], Any], z: Array) -> Array:
    """Return f of every row."""
    values = np.asarray(function(z), dtype=np.float64)
    if values.shape != (len(z),):
        raise DataError(
            f"pathwise_gradient: function returned shape {values.shape} for {z.shape} draws; it must return one number per row."
        )
    return values


def slopes_of(function: Callable[[Any], Any], gradient: Any, z: Array) -> Array:
    """Return f' of every row, given or by central differences."""
    if gradient is not None:
        slopes = np.asarray(gradient(z), dtype=np.float64)
        if slopes.shape != z.shape:
            raise DataError(f"pathwise_gradient: gradient returned shape {slopes.shape} for draws of shape {z.shape}.")
        return slopes
    slopes = np.empty_like(z)
    for j in range(z.shape[1]):
        up, down = z.copy(), z.copy()
        step = STEP * np.maximum(1.0, np.abs(z[:, j]))
        up[:, j] += step
        down[:, j] -= step
        slopes[:, j] = (values_of(function, up) - values_of(function, down)) / (up[:, j] - down[:, j])
    return slopes


def gaussian_gradient(function: Any, parameters: Mapping[str, Any], gradient: Any, noise: Array) -> GradientEstimate:
    """Return (1) to (4) for a Gaussian with independent coordinates."""
    mean, scale = (
        np.atleast_1d(float_array("pathwise_gradient", k, parameters[k]).astype(float)) for k in ("mean", "scale")
    )
    if mean.ndim != 1 or mean.shape != scale.shape:
        raise ParameterError(
            f"pathwise_gradient: mean has shape {mean.shape} and scale {scale.shape}; both must be vectors of one length."
        )
    if not (np.isfinite(mean).all() and np.isfinite(scale).all() and (scale > 0).all()):
        raise ParameterError(f"pathwise_gradient(scale={scale}): mean must be finite and scale positive.")
    z = mean + scale * noise
    f, slopes = values_of(function, z), slopes_of(function, gradient, z)
    pathwise = {"mean": slopes, "scale": slopes * noise}
    score = {"mean": f[:, None] * noise / scale, "scale": f[:, None] * (noise**2 - 1) / scale}
    return summary_of(float(f.mean()), pathwise, score)


def torch_gradient(
    function: Any, parameters: Mapping[str, Any], transform: Any, log_prob: Any, noise: Array
) -> GradientEstimate:
    """Return (1), and (2) where log q is given, by automatic differentiation of every draw."""
    import torch

    given = {k: torch.as_tensor(v, dtype=torch.float64).detach() for k, v in parameters.items()}
    eps = torch.as_tensor(noise, dtype=torch.float64)

    def value(values: Any, e: Any) -> Any:
        answer = function(transform(values, e)[None])
        if answer.shape != (1,):
            raise DataError(
                f"pathwise_gradient: function returned shape {tuple(answer.shape)} for one draw; it must return one number per row."
            )
        return answer[0]

    slopes, f = torch.func.vmap(torch.func.grad_and_value(value), in_dims=(None, 0))(given, eps)
    score: Draws = {}
    if log_prob is not None:
        z = torch.func.vmap(transform, in_dims=(None, 0))(given, eps).detach()
        one = torch.func.grad(lambda values, point: log_prob(values, point[None])[0])
        parts = torch.func.vmap(one, in_dims=(None, 0))(given, z)
        score = {k: (f.reshape(-1, *[1] * (v.ndim - 1)) * v).detach().numpy() for k, v in parts.items()}
    return summary_of(float(f.mean()), {k: v.detach().numpy() for k, v in slopes.items()}, score)


def gaussian_transform(parameters: Any, noise: Any) -> Any:
    """Return m + s eps, for tensors."""
    return parameters["mean"] + parameters["scale"] * noise


def pathwise_gradient(
    function: Callable[[Any], Any],
    parameters: Mapping[str, Any],
    *,
    gradient: Callable[[Any], Any] | None = None,
    transform: Callable[[Any, Any], Any] | None = None,
    log_prob: Callable[[Any, Any], Any] | None = None,
    noise_size: int | None = None,
    n_samples: int = 1000,
    random_state: Seed = None,
) -> GradientEstimate:
    """Estimate the gradient of E[f(z)] in the parameters of the distribution of z (reparameterisation).

        z = g(lambda, eps):   d/dlambda E[f(z)] = E[f'(z) dg/dlambda]    (1)

    Parameters
    ----------
    function : callable
        f, from draws of shape (n, d) to n numbers; written in PyTorch if the parameters are tensors or `transform` is given.
    parameters : mapping
        {"mean": (d,), "scale": (d,)} of a Gaussian with independent coordinates; arrays, or tensors for automatic differentiation.
        With `transform`: any names.
    gradient : callable, optional
        f', from (n, d) to (n, d), for arrays; by default central differences.
    transform : callable, optional
        g in PyTorch: (parameters, one row of standard normal noise) to one draw z.
    log_prob : callable, optional
        (parameters, draws) to log q, in PyTorch: for the variance of the score-function estimator beside `transform`.
    noise_size : int, optional
        Numbers in a row of noise; by default as many as the first parameter has.
    n_samples : int, default=1000
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None

    Returns
    -------
    GradientEstimate

    Examples
    --------
    f(z) = z^2 has E = m^2 + s^2, gradient (2 m, 2 s):

    >>> import numpy as np
    >>> from novum.variational import pathwise_gradient
    >>> found = pathwise_gradient(lambda z: z[:, 0] ** 2, {"mean": [1.5], "scale": [0.5]}, n_samples=20_000, random_state=0)
    >>> abs(found.gradient["mean"] - 3).max() < 4 * found.standard_error["mean"][0]
    np.True_
    >>> (found.score_variance["mean"] / found.variance["mean"]).round(0)  # the score function needs so many times more draws
    array([55.])
    """
    owner = "pathwise_gradient"
    if not isinstance(parameters, Mapping) or not parameters:
        raise ParameterError(
            f"{owner}(parameters={parameters!r}): give a mapping, as in {{'mean': [0.0], 'scale': [1.0]}}."
        )
    if transform is None and set(parameters) != {"mean", "scale"}:
        raise ParameterError(
            f"{owner}: parameters are {sorted(parameters)}; without transform they must be 'mean' and 'scale' of a Gaussian."
        )
    n_samples = check_count(owner, "n_samples", n_samples, 2)
    tensors = transform is not None or any(type(value).__module__.startswith("torch") for value in parameters.values())
    first = next(iter(parameters.values()))
    size = int(np.size(first) if not hasattr(first, "numel") else first.numel()) if noise_size is None else noise_size
    size = check_count(owner, "noise_size", size)
    noise = Stream(seed_of(random_state)).normal("pathwise gradient", 0, n_samples, size)
    if not tensors:
        return gaussian_gradient(function, parameters, gradient, noise)
    if transform is None and log_prob is None:
        log_prob = gaussian_log_prob
    return torch_gradient(function, parameters, transform or gaussian_transform, log_prob, noise)


def gaussian_log_prob(parameters: Any, z: Any) -> Any:
    """Return log q of draws, for tensors, without its constant."""
    standard = (z - parameters["mean"]) / parameters["scale"]
    return -(0.5 * standard**2 + parameters["scale"].log()).sum(dim=-1)
