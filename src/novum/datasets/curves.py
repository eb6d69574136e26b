"""Noisy samples of a function of one variable.

t = f(x) + sigma e,   e ~ N(0, 1),   x ~ U(low, high) or an even grid                                        (1)
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.datasets.bunch import bunch_of_arrays
from novum.exceptions import ParameterError
from novum.runtime.checks import check_count, check_number
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Seed

__all__ = ["bumps", "make_line", "make_noisy_function", "make_sine"]


def bumps(x: NDArray) -> NDArray:
    """Return a smooth curve with bumps of three sizes: what a tube of one width fits well here and badly there."""
    return np.sin(x) + 0.5 * np.sin(3 * x) * np.exp(-0.1 * (x - 5) ** 2)


def make_noisy_function(
    function: Callable[[NDArray], NDArray] = bumps,
    n_samples: int = 100,
    *,
    low: float = 0.0,
    high: float = 10.0,
    noise: float = 0.1,
    grid: bool = False,
    random_state: Seed = None,
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Return a noisy sample (1) of any function of one variable.

        t = f(x) + sigma e,   e ~ N(0, 1),   x ~ U(low, high) or an even grid    (1)

    Parameters
    ----------
    function : callable, default=bumps
        Takes and returns an array of shape (n,).
    n_samples : int, default=100
    low, high : float, default=0 and 10
        Ends of the range of x.
    noise : float, default=0.1
        Standard deviation sigma.
    grid : bool, default=False
        Whether x is an even grid instead of a uniform sample.
    random_state : int, Generator, RandomState, SeedSequence or None
    return_X_y, as_frame : bool, default=False
        As in scikit-learn.

    Returns
    -------
    Bunch
        With `clean`, the values of f without noise.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.datasets import make_noisy_function
    >>> data = make_noisy_function(np.square, 5, low=0, high=4, noise=0, grid=True)
    >>> data.target
    array([ 0.,  1.,  4.,  9., 16.])
    """
    owner = "make_noisy_function"
    check_count(owner, "n_samples", n_samples)
    check_number(owner, "noise", noise, 0)
    if not check_number(owner, "low", low) < check_number(owner, "high", high):
        raise ParameterError(f"{owner}(low={low!r}, high={high!r}): low must lie below high.")
    stream = Stream(seed_of(random_state))
    place = np.linspace(0, 1, n_samples) if grid else stream.uniform("x", 0, n_samples)
    x = low + (high - low) * place
    clean = np.asarray(function(x), dtype=np.float64)
    if clean.shape != x.shape:
        raise ParameterError(
            f"{owner}(function={function!r}): it maps shape {x.shape} to {clean.shape}; keep the shape."
        )
    t = clean + noise * stream.normal("noise", 0, n_samples)
    return bunch_of_arrays(
        x[:, None], t, ["x"], "A noisy function of x.", return_X_y=return_X_y, as_frame=as_frame, clean=clean
    )


def make_sine(n_samples: int = 25, *, noise: float = 0.3, random_state: Seed = None, **options: Any) -> Any:
    """Return t = sin(2 pi x) + noise with x uniform on [0, 1]; `options` as in `make_noisy_function`.

    Examples
    --------
    >>> from novum.datasets import make_sine
    >>> X, t = make_sine(10, random_state=0, return_X_y=True)
    >>> X.shape, t.shape
    ((10, 1), (10,))
    """
    options = {"low": 0.0, "high": 1.0, **options}
    return make_noisy_function(
        lambda x: np.sin(2 * np.pi * x), n_samples, noise=noise, random_state=random_state, **options
    )


def make_line(
    n_samples: int = 20,
    *,
    intercept: float = -0.3,
    slope: float = 0.5,
    noise: float = 0.2,
    random_state: Seed = None,
    **options: Any,
) -> Any:
    """Return t = intercept + slope x + noise with x uniform on [-1, 1]; `options` as in `make_noisy_function`.

    Examples
    --------
    >>> from novum.datasets import make_line
    >>> make_line(3, noise=0, grid=True).target
    array([-0.8, -0.3,  0.2])
    """
    options = {"low": -1.0, "high": 1.0, **options}
    return make_noisy_function(
        lambda x: intercept + slope * x, n_samples, noise=noise, random_state=random_state, **options
    )
