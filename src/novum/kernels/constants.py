r"""Kernels that look at no coordinate: a constant, and noise of every object's own.

constant  k(x, z) = c                a random offset, or the scale of a product                              (1)
white     k(x, z) = s [same object]  independent noise: on the diagonal of a Gram matrix, nowhere else       (2)
"""

from typing import Any

import numpy as np

from novum.exceptions import ParameterError
from novum.kernels.base import Array, Hyperparameter, Kernel, number_of_samples
from novum.kernels.program import Builder
from novum.runtime.typing import Numbers, Rows

__all__ = ["ConstantKernel", "WhiteKernel"]

BOUNDS = (1e-5, 1e5)


def slot_of(hyperparameter: Any, builder: Builder) -> int:
    """Return a place for the derivatives of a hyper-parameter, -1 where it is fixed."""
    return -1 if hyperparameter.fixed else builder.slot(hyperparameter.n_elements)


def checked_variance(owner: str, name: str, value: Any) -> float:
    """Return a constant that a kernel may have: a negative one is no covariance."""
    found = float(value)
    if not 0 <= found < np.inf:
        raise ParameterError(f"{owner}({name}={value!r}): {name} must be a number of at least 0: it is a variance.")
    return found


class OfAnything(Kernel):
    """A kernel that never looks into what it compares."""

    _valid = True

    @property
    def requires_vector_input(self) -> bool:
        """Whether it compares vectors only: it does not."""
        return False

    def is_stationary(self) -> bool:
        """Return True."""
        return True

    def is_isotropic(self) -> bool:
        """Return True."""
        return True


class ConstantKernel(OfAnything):
    """A constant, k(x, z) = c; also `novum.kernels.Constant`.

    Parameters
    ----------
    constant_value : float, default=1.0
    constant_value_bounds : pair of floats or "fixed", default=(1e-5, 1e5)

    Examples
    --------
    >>> from novum.kernels import Constant, RBF
    >>> Constant(2.0) * RBF(1.0) == 2.0 * RBF(1.0)
    True
    """

    def __init__(self, constant_value: float = 1.0, constant_value_bounds: Numbers | str = BOUNDS) -> None:
        self.constant_value = constant_value
        self.constant_value_bounds = constant_value_bounds

    @property
    def hyperparameter_constant_value(self) -> Any:
        return Hyperparameter("constant_value", "numeric", self.constant_value_bounds)

    def _constant(self) -> float:
        return checked_variance("Constant", "constant_value", self.constant_value)

    def _nodes(self, builder: Builder) -> int:
        return builder.add(
            "constant", [self._constant()], slots=(slot_of(self.hyperparameter_constant_value, builder), -1)
        )

    def _python(self, X: Any, Y: Any, eval_gradient: bool) -> Any:
        n = number_of_samples(X)
        K = np.full((n, n if Y is None else number_of_samples(Y)), self._constant())
        if not eval_gradient:
            return K
        return K, K[:, :, None] if not self.hyperparameter_constant_value.fixed else np.empty((n, n, 0))

    def diag(self, X: Rows) -> Array:
        """Return c for every object."""
        return np.full(number_of_samples(X), self._constant())

    def __repr__(self) -> str:
        return f"{np.sqrt(self._constant()):.3g}**2"

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        return f"{self.constant_value:g}"


class WhiteKernel(OfAnything):
    """Independent noise, k(x, z) = s for an object with itself and zero else; also `novum.kernels.White`.

    Parameters
    ----------
    noise_level : float, default=1.0
        The variance s.
    noise_level_bounds : pair of floats or "fixed", default=(1e-5, 1e5)

    Examples
    --------
    >>> from novum.kernels import White
    >>> White(0.5)([[1.0], [1.0]])  # two objects with the same coordinates have noise of their own
    array([[0.5, 0. ],
           [0. , 0.5]])
    """

    def __init__(self, noise_level: float = 1.0, noise_level_bounds: Numbers | str = BOUNDS) -> None:
        self.noise_level = noise_level
        self.noise_level_bounds = noise_level_bounds

    @property
    def hyperparameter_noise_level(self) -> Any:
        return Hyperparameter("noise_level", "numeric", self.noise_level_bounds)

    def _variance(self) -> float:
        return checked_variance("White", "noise_level", self.noise_level)

    def _nodes(self, builder: Builder) -> int:
        return builder.add("white", [self._variance()], slots=(slot_of(self.hyperparameter_noise_level, builder), -1))

    def _python(self, X: Any, Y: Any, eval_gradient: bool) -> Any:
        n = number_of_samples(X)
        if Y is not None:
            return np.zeros((n, number_of_samples(Y)))
        K = self._variance() * np.eye(n)
        if not eval_gradient:
            return K
        return K, K[:, :, None] if not self.hyperparameter_noise_level.fixed else np.empty((n, n, 0))

    def diag(self, X: Rows) -> Array:
        """Return s for every object."""
        return np.full(number_of_samples(X), self._variance())

    def __repr__(self) -> str:
        return f"{type(self).__name__}(noise_level={self.noise_level:.3g})"

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        return f"{self.noise_level:g} [x is z]"
