r"""Kernels wrapped around kernels.

    Exponential   exp k(x, z)                                          the limit of polynomials of k            (1)
    Gaussian      exp(-(k(x, x) - 2 k(x, z) + k(z, z)) / (2 s^2))      a Gaussian of the distance of features    (2)
    Normalized    k(x, z) / sqrt(k(x, x) k(z, z))                      zero where k(x, x) is                     (3)
    Mapped        k(phi(x), phi(z))                                                                             (4)
    Weighted      f(x) k(x, z) f(z)                                                                             (5)

Derivatives follow by the chain rule; those of k(x, x) are the diagonal of the derivatives of k.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from novum.exceptions import DataError
from novum.kernels.base import Array, Hyperparameter, Kernel, check_positive, number_of_samples
from novum.kernels.constants import BOUNDS
from novum.kernels.operators import Wrapper, formula_of, nodes_of
from novum.kernels.program import Builder, points_of
from novum.runtime.typing import Numbers, Rows

__all__ = ["Exponential", "Gaussian", "Mapped", "Normalized", "Weighted"]


class Exponential(Wrapper):
    """The exponential of a kernel, exp k(x, z); also `kernel.exp()`.

    Parameters
    ----------
    kernel : Kernel

    Examples
    --------
    >>> import numpy as np
    >>> from novum.kernels import Exponential, SetKernel
    >>> Exponential(np.log(2) * SetKernel())([{0, 1}], [{1, 2}]).round(12)  # 2 to the size of the intersection
    array([[2.]])
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def _nodes(self, builder: Builder) -> int | None:
        inner = nodes_of(self.kernel, builder)
        return None if inner is None else builder.add("exponential", left=inner)

    def _python(self, X: Any, Y: Any, eval_gradient: bool) -> Any:
        if not eval_gradient:
            return np.exp(self.kernel(X, Y))
        k, dk = self.kernel(X, eval_gradient=True)
        K = np.exp(k)
        return K, dk * K[:, :, None]

    def diag(self, X: Rows) -> Array:
        """Return exp k(x_i, x_i)."""
        return np.exp(self.kernel.diag(X))

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        return f"exp({formula_of(self.kernel)})"


class Gaussian(Wrapper):
    """A Gaussian of another kernel's distance (2), on whatever that one compares.

    Parameters
    ----------
    kernel : Kernel
    sigma : float, default=1.0
    sigma_bounds : pair of floats or "fixed", default=(1e-5, 1e5)

    Examples
    --------
    >>> from novum.kernels import Gaussian, SetKernel
    >>> Gaussian(SetKernel(), sigma=1.0)([{"a", "b", "c"}], [{"b", "c", "d", "e"}]).round(6)
    array([[0.22313]])
    """

    def __init__(self, kernel: Kernel, sigma: float = 1.0, sigma_bounds: Numbers | str = BOUNDS) -> None:
        self.kernel = kernel
        self.sigma = sigma
        self.sigma_bounds = sigma_bounds

    @property
    def hyperparameter_sigma(self) -> Any:
        return Hyperparameter("sigma", "numeric", self.sigma_bounds)

    def _python(self, X: Any, Y: Any, eval_gradient: bool) -> Any:
        check_positive("Gaussian", "sigma", self.sigma)
        k, dk = self.kernel(X, eval_gradient=True) if eval_gradient else (self.kernel(X, Y), None)
        own = np.diagonal(k) if Y is None else self.kernel.diag(X)
        other = own if Y is None else self.kernel.diag(Y)
        square = np.maximum((own[:, None] + other[None, :]) - 2 * k, 0.0)
        K = np.exp(-square / (2 * self.sigma**2))
        if dk is None:
            return K
        edge = np.einsum("iis->is", dk)
        inner = -(edge[:, None, :] - 2 * dk + edge[None, :, :]) / (2 * self.sigma**2) * K[:, :, None]
        outer = [] if self.hyperparameter_sigma.fixed else [(K * square / self.sigma**2)[:, :, None]]
        return K, np.concatenate([*outer, inner], axis=2)

    def diag(self, X: Rows) -> Array:
        """Return one for every object."""
        return np.ones(number_of_samples(X))

    def __repr__(self) -> str:
        return f"Gaussian({self.kernel!r}, sigma={self.sigma:.3g})"

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        return f"exp(-d(x, z)^2 / (2 {self.sigma:g}^2)), d the distance of {formula_of(self.kernel)}"


class Normalized(Wrapper):
    """The cosine of the angle between features (3); also `kernel.normalized()`.

    Parameters
    ----------
    kernel : Kernel
    """

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel

    def _python(self, X: Any, Y: Any, eval_gradient: bool) -> Any:
        k, dk = self.kernel(X, eval_gradient=True) if eval_gradient else (self.kernel(X, Y), None)
        own = self.kernel.diag(X)
        other = own if Y is None else self.kernel.diag(Y)
        if min(own.min(initial=0.0), other.min(initial=0.0)) < 0:
            raise DataError(f"{self!r}: k(x, x) is negative for an object; such a kernel has no angles.")
        left, right = (np.where(v > 0, 1 / np.sqrt(np.where(v > 0, v, 1.0)), 0.0) for v in (own, other))
        K = left[:, None] * k * right[None, :]
        if Y is None:
            np.fill_diagonal(K, (own > 0).astype(float))
        if dk is None:
            return K
        edge = np.einsum("iis->is", dk) * (left**2)[:, None]
        slope = dk * (left[:, None] * right[None, :])[:, :, None]
        return K, slope - 0.5 * K[:, :, None] * (edge[:, None, :] + edge[None, :, :])

    def diag(self, X: Any) -> Array:
        """Return one, or zero where k(x, x) is zero."""
        return (self.kernel.diag(X) > 0).astype(float)

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        return f"k(x, z) / sqrt(k(x, x) k(z, z)), k = {formula_of(self.kernel)}"


class Mapped(Wrapper):
    """A kernel of features, k(phi(x), phi(z)); made by `kernel.of(phi)`.

    Parameters
    ----------
    kernel : Kernel
    features : callable
        All objects at once to a table, or to a list of what the kernel compares.
    """

    def __init__(self, kernel: Any, features: Callable[[Any], Any]) -> None:
        self.kernel = kernel
        self.features = features

    def _table(self, X: Any) -> Any:
        found = self.features(X)
        if self.kernel.requires_vector_input:
            found = points_of(f"{self!r}", found, "features(X)")
        if number_of_samples(found) != number_of_samples(X):
            raise DataError(
                f"{self!r}: features returned {number_of_samples(found)} rows for {number_of_samples(X)} objects; it must return "
                "one each."
            )
        return found

    def _nodes(self, builder: Builder) -> int | None:
        X, Y = builder.points
        before = builder.use(self._table(X), None if Y is None else self._table(Y))
        node = nodes_of(self.kernel, builder)
        builder.current = before
        return node

    def _python(self, X: Any, Y: Any, eval_gradient: bool) -> Any:
        return self.kernel(self._table(X), None if Y is None else self._table(Y), eval_gradient)

    def compile(self, X: Any, Y: Any = None) -> Any:
        """Return the inner kernel over the features as a program; X may hold objects of any kind."""
        if not (isinstance(self.kernel, Kernel) and self.kernel.requires_vector_input):
            return None
        return self.kernel.compile(self._table(X), None if Y is None else self._table(Y))

    def diag(self, X: Any) -> Array:
        """Return k(phi(x_i), phi(x_i))."""
        return self.kernel.diag(self._table(X))

    def is_stationary(self) -> bool:
        """Return False: features of x - z are not those of x and z."""
        return False

    is_isotropic = is_stationary

    @property
    def requires_vector_input(self) -> bool:
        """Whether it compares vectors only: features may be taken of anything."""
        return False

    def __repr__(self) -> str:
        return f"{self.kernel!r}.of({getattr(self.features, '__name__', self.features)!s})"

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        return f"{formula_of(self.kernel)} of phi(x), phi(z)"


class Weighted(Wrapper):
    """A kernel with a factor for every object, f(x) k(x, z) f(z); made by `kernel.weighted(f)`.

    Parameters
    ----------
    kernel : Kernel
    factor : callable
        All objects at once to a number each.
    """

    def __init__(self, kernel: Any, factor: Callable[[Any], Any]) -> None:
        self.kernel = kernel
        self.factor = factor

    def _factors(self, X: Any) -> Array:
        found = np.asarray(self.factor(X), dtype=np.float64)
        if found.shape != (number_of_samples(X),):
            raise DataError(f"{self!r}: factor returned shape {found.shape} for {number_of_samples(X)} objects.")
        return found

    def _python(self, X: Any, Y: Any, eval_gradient: bool) -> Any:
        left = self._factors(X)
        scale = left[:, None] * (left if Y is None else self._factors(Y))[None, :]
        if not eval_gradient:
            return scale * self.kernel(X, Y)
        k, dk = self.kernel(X, eval_gradient=True)
        return scale * k, scale[:, :, None] * dk

    def diag(self, X: Any) -> Array:
        """Return f(x_i)^2 k(x_i, x_i)."""
        return self._factors(X) ** 2 * self.kernel.diag(X)

    def is_stationary(self) -> bool:
        """Return False: a factor belongs to a place."""
        return False

    is_isotropic = is_stationary

    def __repr__(self) -> str:
        return f"{self.kernel!r}.weighted({getattr(self.factor, '__name__', self.factor)!s})"

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        return f"f(x) ({formula_of(self.kernel)}) f(z)"
