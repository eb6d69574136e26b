"""A user's log density as chains call it, and what is checked before they start.

Three forms: `log_prob` with `gradient` beside it; `log_prob` that returns value and gradient at once
(`gradient=True`); `log_prob` of
PyTorch tensors, differentiated by it (`gradient=None`). Compiled ones (`LogisticPosterior`, scipy.LowLevelCallable)
run without Python. With `vectorized`, x is a matrix with a row per chain.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import LowLevelCallable

from novum import _core
from novum.exceptions import DataError, DataWarning, ParameterError, ParameterTypeError
from novum.runtime.checks import is_true
from novum.runtime.warn import warn

__all__ = ["Density", "check_start", "density_of"]

ROUGH = 1e-2  # relative disagreement of a gradient with differences that cannot be rounding
STEADY = 1e-3  # relative agreement of two differences that makes them worth comparing with
FOREIGN = re.compile(r"double \(int, (const )?double \*, double \*, void \*\)")
STEPS = (1e-4, 5e-5)  # of the differences, relative to the size of x


class Density(NamedTuple):
    """What chains call."""

    function: Callable[[Any], Any]
    gradient: Callable[[Any], Any] | None
    pair: bool  # function returns (value, gradient)
    together: bool  # x has a row per chain
    compiled: Callable[[int], Any] | None = None  # the dimension to a density of the core, which needs no Python

    def evaluate(self, x: NDArray[np.float64]) -> tuple[Any, Any]:
        """Return value and gradient (None where there is none) as the functions give them."""
        answer = self.function(x)
        if self.pair:
            both = isinstance(answer, tuple | list) and len(answer) == 2
            return (answer[0], answer[1]) if both else (answer, None)
        return answer, None if self.gradient is None else self.gradient(x)


def takes_arrays(log_prob: Callable[[Any], Any], x: NDArray[np.float64]) -> bool:
    """Return whether a function that fails on a tensor gives numbers for an array."""
    try:
        return np.asarray(log_prob(x.copy())).dtype.kind in "iuf"
    except Exception:
        return False


def torch_pair(owner: str, log_prob: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function of value and gradient from a log density of PyTorch tensors."""
    try:
        import torch
    except ImportError as error:
        raise ParameterError(
            f"{owner}(gradient=None): without PyTorch the gradient must be given: gradient= a function of x, or "
            f"gradient=True where "
            "log_prob returns (value, gradient). pip install 'novum[deep]' lets PyTorch find it."
        ) from error

    def value_and_gradient(x: NDArray[np.float64]) -> tuple[Any, NDArray[np.float64]]:
        place = torch.from_numpy(x).detach().clone().requires_grad_(True)
        try:
            value = log_prob(place)
        except Exception as error:
            if not takes_arrays(log_prob, x):
                raise
            raise ParameterTypeError(
                f"{owner}(gradient=None): log_prob works on NumPy arrays, but not on the PyTorch tensor that it gets so that "
                f"PyTorch can differentiate ({type(error).__name__}: {error!s:.200}). Give gradient=, a function of x; or "
                "gradient=True and return (value, gradient); or write log_prob with torch functions."
            ) from error
        if not isinstance(value, torch.Tensor) or value.grad_fn is None:
            raise ParameterTypeError(
                f"{owner}(gradient=None): log_prob gets a PyTorch tensor and must return one that depends on it, so "
                f"that PyTorch can "
                f"differentiate; it returned {type(value).__name__}. Write it with torch functions, or give gradient=."
            )
        (slope,) = torch.autograd.grad(value.sum(), place)
        values = value.detach().to(torch.float64)
        return (
            values.numpy() if x.ndim == 2 else values.item() if values.numel() == 1 else values.numpy()
        ), slope.numpy()

    return value_and_gradient


def foreign(owner: str, callable_: Any) -> Density:
    """Return the density that a scipy.LowLevelCallable holds."""
    if FOREIGN.fullmatch(callable_.signature.strip()) is None:
        raise ParameterTypeError(
            f"{owner}: the compiled log_prob has the signature {callable_.signature!r}; it must be double (int, "
            f"double *, double *, "
            "void *): the dimension, x, the gradient to fill, user data."
        )

    capsule = tuple.__getitem__(callable_, 0)  # SciPy's class hides its parts from []

    def value_and_gradient(x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        gradient = np.empty(x.size)
        return _core.sampling.densities.Foreign(capsule, x.size).evaluate(x, gradient), gradient

    return Density(value_and_gradient, None, True, False, lambda d: _core.sampling.densities.Foreign(capsule, d))


def density_of(owner: str, log_prob: Any, gradient: Any, vectorized: bool, needs_gradient: bool) -> Density:
    """Return the density in the form that chains call, or raise."""
    compiled = isinstance(log_prob, LowLevelCallable) or hasattr(log_prob, "compiled")
    if compiled and vectorized:
        raise ParameterError(
            f"{owner}(vectorized=True): a compiled log_prob is called chain by chain; leave vectorized out."
        )
    if isinstance(log_prob, LowLevelCallable):
        return foreign(owner, log_prob)
    if compiled:
        return Density(log_prob, None, True, False, lambda d: log_prob.compiled)
    if not callable(log_prob):
        raise ParameterTypeError(f"{owner}(log_prob={log_prob!r}): log_prob must be a function of x.")
    if not needs_gradient:
        return Density(log_prob, None, False, vectorized)
    if is_true(gradient):
        return Density(log_prob, None, True, vectorized)
    if gradient is None:
        return Density(torch_pair(owner, log_prob), None, True, vectorized)
    if not callable(gradient):
        raise ParameterTypeError(
            f"{owner}(gradient={gradient!r}): give a function of x, True where log_prob returns (value, gradient), or None to let "
            "PyTorch find it."
        )
    return Density(log_prob, gradient, False, vectorized)


def place_text(x: NDArray[np.float64]) -> str:
    """Return a point as messages show it."""
    return np.array2string(x, precision=6, threshold=8, edgeitems=3, max_line_width=10_000)


def check_value(owner: str, value: float, x: NDArray[np.float64]) -> None:
    """Refuse a log density that no chain can start from."""
    if np.isnan(value):
        raise DataError(
            f"{owner}: log_prob is NaN at the start {place_text(x)}; start elsewhere, or mend log_prob (return -inf "
            f"outside the support)."
        )
    if value == -np.inf:
        raise DataError(
            f"{owner}: log_prob is -inf at the start {place_text(x)}, outside the support; start where the density is positive."
        )
    if value == np.inf:
        raise DataError(
            f"{owner}: log_prob is +inf at the start {place_text(x)}; no chain leaves such a point: mend log_prob."
        )


def as_numbers(owner: str, name: str, answer: Any) -> NDArray[np.float64]:
    """Return the answer of a user's function as an array, or say what it returned instead."""
    try:
        return np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterTypeError(f"{owner}: {name} returned {answer!r:.60}; it must return numbers.") from error


def check_start(owner: str, density: Density, starts: NDArray[np.float64]) -> None:
    """Refuse starts and densities that cannot work, each with its reason; warn of a gradient that is another function's."""
    n = len(starts)
    needs_gradient = density.pair or density.gradient is not None
    blocks = [starts] if density.together else list(starts)
    for x in blocks:
        value, slope = density.evaluate(x.copy())
        if needs_gradient and slope is None:
            raise ParameterTypeError(f"{owner}(gradient=True): log_prob must return (value, gradient), a pair.")
        if value is None:
            raise ParameterTypeError(f"{owner}: log_prob returned None; it must return the log density.")
        values, wanted = as_numbers(owner, "log_prob", value), (n,) if density.together else ()
        if values.shape != wanted and (density.together or values.size != 1):
            remedy = (
                "one value per row of x is wanted"
                if density.together
                else "a single number is wanted; sum over data, or set vectorized=True"
            )
            raise DataError(f"{owner}: log_prob returned shape {values.shape} for x of shape {x.shape}; {remedy}.")
        for k, one in enumerate(np.atleast_1d(values)):
            check_value(owner, float(one), np.atleast_2d(x)[k])
        if needs_gradient:
            slopes = as_numbers(owner, "gradient", slope)
            if slopes.shape != x.shape:
                raise DataError(
                    f"{owner}: the gradient has shape {slopes.shape}; it must have the shape of x, {x.shape}."
                )
            if not np.isfinite(slopes).all():
                raise DataError(
                    f"{owner}: the gradient is not finite at the start {place_text(x)}; mend it or start elsewhere."
                )
    if needs_gradient:
        compare_with_differences(owner, density, starts)


def compare_with_differences(owner: str, density: Density, starts: NDArray[np.float64]) -> None:
    """Warn where the gradient is not that of the density: its slope along one direction against central differences."""
    d = starts.shape[1]
    direction = np.random.default_rng(d).normal(size=d)
    direction /= float(np.linalg.norm(direction))
    x = starts if density.together else starts[0]
    size = 1.0 + float(np.abs(starts[0]).max())

    def value(step: float) -> float:
        return float(np.ravel(density.evaluate(x + step * direction)[0])[0])

    with np.errstate(all="ignore"):
        given = float(np.ravel(np.atleast_2d(np.asarray(density.evaluate(x.copy())[1]))[0] @ direction)[0])
        rough, fine = ((value(h * size) - value(-h * size)) / (2 * h * size) for h in STEPS)
        scale = abs(fine) + abs(given) + 1e-3
    if abs(rough - fine) <= STEADY * scale and abs(given - fine) > ROUGH * scale:
        warn(
            f"{owner}: the gradient disagrees with log_prob at {place_text(starts[0])}: along a direction it says {given:.6g}, "
            f"differences say {fine:.6g}. Draws will be wrong; novum.linalg.check_gradient shows which entry is.",
            DataWarning,
        )
