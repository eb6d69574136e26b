r"""Kernels from kernels: sums, products, powers, and several side by side.

(k1 + k2)(x, z) = k1(x, z) + k2(x, z)     features of both, one behind the other                              (1)
(k1 k2)(x, z) = k1(x, z) k2(x, z)         all products of a feature of one with a feature of the other        (2)
k(x, z)^p                                 p a whole number: (2) of k with itself                              (3)
"""

import numbers
from typing import Any

import numpy as np

from novum.exceptions import ParameterError, ParameterTypeError
from novum.kernels.base import Array, Kernel, is_kernel
from novum.kernels.constants import ConstantKernel
from novum.kernels.program import Builder
from novum.kernels.sklearn_kernels import KernelOperator as SklearnOperator
from novum.runtime.typing import Numbers

__all__ = ["CompoundKernel", "Exponentiation", "KernelOperator", "Product", "Sum"]


def as_operand(value: Any, sign: str) -> Any:
    """Return a kernel, or a number as the constant kernel it stands for."""
    if is_kernel(value):
        return value
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        if float(value) < 0:
            raise ParameterError(
                f"kernel {sign} {value!r}: a negative number times or plus a kernel is no kernel, its Gram matrices have negative "
                "eigenvalues; use a number of at least zero."
            )
        return ConstantKernel(float(value))
    raise ParameterTypeError(f"kernel {sign} {value!r}: the other operand must be a kernel or a number.")


def valid_together(*kernels: Any) -> bool | None:
    """Return whether a rule that needs all of them valid proves the result."""
    known = [getattr(kernel, "is_valid", None) for kernel in kernels]
    return True if all(one is True for one in known) else None


def nodes_of(kernel: Any, builder: Builder) -> int | None:
    """Add an inner kernel to a program; scikit-learn's own kernels have no nodes."""
    return kernel._nodes(builder) if isinstance(kernel, Kernel) else None


class KernelOperator(Kernel, SklearnOperator):
    """A kernel made of two."""

    _children = ("k1", "k2")
    _op = ""

    def __init__(self, k1: Kernel, k2: Kernel) -> None:
        self.k1 = k1
        self.k2 = k2

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return False
        mine, others = (self.k1, self.k2), (other.k1, other.k2)
        return bool(mine == others or mine == others[::-1])

    def _nodes(self, builder: Builder) -> int | None:
        left = nodes_of(self.k1, builder)
        right = None if left is None else nodes_of(self.k2, builder)
        return None if left is None or right is None else builder.add(self._op, left=left, right=right)

    def is_stationary(self) -> bool:
        """Return whether both parts are stationary."""
        return bool(self.k1.is_stationary() and self.k2.is_stationary())

    def is_isotropic(self) -> bool:
        """Return whether both parts are isotropic."""
        return all(isinstance(k, Kernel) and k.is_isotropic() for k in (self.k1, self.k2))

    @property
    def is_valid(self) -> bool | None:
        """Whether both parts are valid."""
        return valid_together(self.k1, self.k2)

    @property
    def requires_vector_input(self) -> bool:
        """Whether a part compares vectors only."""
        return bool(self.k1.requires_vector_input or self.k2.requires_vector_input)


class Sum(KernelOperator):
    """The sum of two kernels, `k1 + k2`.

    Parameters
    ----------
    k1, k2 : Kernel

    Examples
    --------
    >>> from novum.kernels import RBF, White
    >>> (RBF(2.0) + White(0.5))([[0.0], [1.0]]).round(4)
    array([[1.5   , 0.8825],
           [0.8825, 1.5   ]])
    """

    _op = "sum"

    def _python(self, X: Any, Y: Any, eval_gradient: bool) -> Any:
        if not eval_gradient:
            return self.k1(X, Y) + self.k2(X, Y)
        (a, da), (b, db) = self.k1(X, eval_gradient=True), self.k2(X, eval_gradient=True)
        return a + b, np.concatenate([da, db], axis=2)

    def diag(self, X: Numbers) -> Array:
        """Return k(x_i, x_i)."""
        return self.k1.diag(X) + self.k2.diag(X)

    def __repr__(self) -> str:
        return f"{self.k1} + {self.k2}"

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        return f"{formula_of(self.k1)} + {formula_of(self.k2)}"


class Product(KernelOperator):
    """The product of two kernels, `k1 * k2`; with a number, its scaling.

    Parameters
    ----------
    k1, k2 : Kernel

    Examples
    --------
    >>> from novum.kernels import Linear, RBF
    >>> (3.0 * RBF(1.0) * Linear())([[1.0], [2.0]]).round(4)
    array([[ 3.    ,  3.6392],
           [ 3.6392, 12.    ]])
    """

    _op = "product"

    def _python(self, X: Any, Y: Any, eval_gradient: bool) -> Any:
        if not eval_gradient:
            return self.k1(X, Y) * self.k2(X, Y)
        (a, da), (b, db) = self.k1(X, eval_gradient=True), self.k2(X, eval_gradient=True)
        return a * b, np.concatenate([da * b[:, :, None], db * a[:, :, None]], axis=2)

    def diag(self, X: Numbers) -> Array:
        """Return k(x_i, x_i)."""
        return self.k1.diag(X) * self.k2.diag(X)

    def __repr__(self) -> str:
        return f"{self.k1} * {self.k2}"

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        return " ".join(f"({formula_of(k)})" if isinstance(k, Sum) else formula_of(k) for k in (self.k1, self.k2))


def formula_of(kernel: Any) -> str:
    """Return the formula of a kernel, or the name of one that has none."""
    return kernel.formula() if isinstance(kernel, Kernel) else f"{kernel!r}(x, z)"


def refuse_negative_power(kernel: Kernel, name: str) -> None:
    """Raise for a power below zero, which is no kernel of anything."""
    power = getattr(kernel, name)
    if not power >= 0:
        raise ParameterError(
            f"{type(kernel).__name__}({name}={power!r}): a negative power of a kernel is no kernel; give zero or more."
        )


class Wrapper(Kernel):
    """A kernel around one other."""

    _children = ("kernel",)
    kernel: Any

    def is_stationary(self) -> bool:
        """Return whether the inner kernel is stationary."""
        return bool(self.kernel.is_stationary())

    def is_isotropic(self) -> bool:
        """Return whether the inner kernel is isotropic."""
        return isinstance(self.kernel, Kernel) and self.kernel.is_isotropic()

    @property
    def is_valid(self) -> bool | None:
        """Whether the inner kernel is valid."""
        return valid_together(self.kernel)

    @property
    def requires_vector_input(self) -> bool:
        """Whether the inner kernel compares vectors only."""
        return bool(self.kernel.requires_vector_input)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.kernel!r})"


class Exponentiation(Wrapper):
    """A power of a kernel, `kernel ** exponent`; valid for whole exponents.

    Parameters
    ----------
    kernel : Kernel
    exponent : float

    Examples
    --------
    >>> from novum.kernels import Linear
    >>> (Linear() ** 2)([[1.0, 2.0]], [[3.0, 4.0]])
    array([[121.]])
    """

    def __init__(self, kernel: Kernel, exponent: float) -> None:
        self.kernel = kernel
        self.exponent = exponent

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and bool(self.kernel == other.kernel and self.exponent == other.exponent)

    def _nodes(self, builder: Builder) -> int | None:
        refuse_negative_power(self, "exponent")
        inner = nodes_of(self.kernel, builder)
        return None if inner is None else builder.add("power", [self.exponent], left=inner)

    def _python(self, X: Any, Y: Any, eval_gradient: bool) -> Any:
        refuse_negative_power(self, "exponent")
        if not eval_gradient:
            return self.kernel(X, Y) ** self.exponent
        K, dK = self.kernel(X, eval_gradient=True)
        return K**self.exponent, dK * (self.exponent * K ** (self.exponent - 1))[:, :, None]

    def diag(self, X: Numbers) -> Array:
        """Return k(x_i, x_i)."""
        return self.kernel.diag(X) ** self.exponent

    def __repr__(self) -> str:
        return f"{self.kernel} ** {self.exponent}"

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        return f"({formula_of(self.kernel)})^{self.exponent:g}"

    @property
    def is_valid(self) -> bool | None:
        """Whether the inner kernel is valid and the exponent a whole number."""
        return valid_together(self.kernel) if float(self.exponent).is_integer() and self.exponent > 0 else None


class CompoundKernel(Kernel):
    """Several kernels side by side: Gram matrices along a last axis.

    Parameters
    ----------
    kernels : list of Kernel

    Examples
    --------
    >>> from novum.kernels import RBF
    >>> from novum.gaussian_process.kernels import CompoundKernel
    >>> CompoundKernel([RBF(1.0), RBF(2.0)])([[0.0], [1.0]]).shape
    (2, 2, 2)
    """

    def __init__(self, kernels: list[Any]) -> None:
        self.kernels = kernels

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the list of kernels."""
        return {"kernels": self.kernels}

    def _inner(self) -> list[tuple[str, Any]]:
        return [(f"kernels[{i}]", kernel) for i, kernel in enumerate(self.kernels)]

    def __call__(self, X: Any, Y: Any = None, eval_gradient: bool = False) -> Any:
        """Return the Gram matrices, shape (n, m, n_kernels), and derivatives of shape (n, n, n_dims, n_kernels)."""
        if not eval_gradient:
            return np.dstack([kernel(X, Y) for kernel in self.kernels])
        pairs = [kernel(X, Y, True) for kernel in self.kernels]
        return np.dstack([K for K, _ in pairs]), np.concatenate([dK[..., None] for _, dK in pairs], axis=3)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and list(self.kernels) == list(other.kernels)

    def diag(self, X: Numbers) -> Array:
        """Return k(x_i, x_i) of every kernel, shape (n, n_kernels)."""
        return np.vstack([kernel.diag(X) for kernel in self.kernels]).T

    def is_stationary(self) -> bool:
        """Return whether all kernels are stationary."""
        return all(kernel.is_stationary() for kernel in self.kernels)

    @property
    def requires_vector_input(self) -> bool:
        """Whether one of the kernels compares vectors only."""
        return any(kernel.requires_vector_input for kernel in self.kernels)
