"""What kernels that are functions of an inner product share."""

import numbers
from typing import Any

import numpy as np

from novum.exceptions import ParameterTypeError
from novum.kernels.base import Array, Hyperparameter, Kernel, is_kernel
from novum.kernels.operators import formula_of, nodes_of
from novum.kernels.program import Builder
from novum.runtime.typing import Rows

__all__ = ["OfProduct"]


class OfProduct(Kernel):
    """A function of gamma k + c, k an inner product or another kernel."""

    _children = ("kernel",)
    _default: type[Kernel]  # what is inside where nothing is given
    kernel: Any
    gamma: float
    coef0: float
    gamma_bounds: Any

    @property
    def hyperparameter_gamma(self) -> Any:
        return Hyperparameter("gamma", "numeric", self.gamma_bounds)

    def _base(self) -> Any:
        """Return the inner kernel after a check."""
        if self.kernel is None:
            return self._default()
        if not is_kernel(self.kernel):
            hint = f"; for the degree write degree={self.kernel!r}" if isinstance(self.kernel, numbers.Real) else ""
            raise ParameterTypeError(
                f"{type(self).__name__}(kernel={self.kernel!r}): kernel must be a kernel or None for x'z{hint}."
            )
        return self.kernel

    def _inner_node(self, builder: Builder) -> int | None:
        return nodes_of(self._base(), builder)

    def _link(self, k: Any) -> Any:
        """Return the function of k."""
        raise NotImplementedError

    def _slopes(self, k: Any, K: Any) -> tuple[Any, list[Any]]:
        """Return the derivative in k, and those in the logarithms of the own hyper-parameters."""
        raise NotImplementedError

    def _python(self, X: Any, Y: Any, eval_gradient: bool) -> Any:
        if not eval_gradient:
            return self._link(self._base()(X, Y))
        k, dk = self._base()(X, eval_gradient=True)
        K = self._link(k)
        slope, own = self._slopes(k, K)
        return K, np.concatenate(
            [np.stack(own, axis=2) if own else np.empty((*K.shape, 0)), dk * slope[:, :, None]], axis=2
        )

    def diag(self, X: Rows) -> Array:
        """Return k(x_i, x_i)."""
        return self._link(self._base().diag(X))

    def is_stationary(self) -> bool:
        """Return whether the inner kernel is stationary."""
        return bool(self._base().is_stationary())

    def is_isotropic(self) -> bool:
        """Return whether the inner kernel is isotropic."""
        return isinstance(self.kernel, Kernel) and self.kernel.is_isotropic()

    @property
    def requires_vector_input(self) -> bool:
        """Whether the inner kernel compares vectors only."""
        return bool(self._base().requires_vector_input)

    def _inside(self) -> str:
        scale = "" if self.gamma == 1 else f"{self.gamma:g} "
        return f"{scale}{formula_of(self._base())}" + (f" + {self.coef0:g}" if self.coef0 else "")
