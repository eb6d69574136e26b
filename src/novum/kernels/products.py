r"""Kernels of an inner product, or of another kernel in its place.

    Linear         x'z                                                                                            (1)
    DotProduct     sigma_0^2 + x'z                                                                                (2)
    QuadraticForm  x'A z,  A positive semi-definite                                                               (3)
    Polynomial     (gamma k + c)^p       features: all monomials up to degree p; of degree p alone for c = 0       (4)
    Sigmoid        tanh(gamma k + c)     not valid in general: its Gram matrices have negative eigenvalues         (5)

In (4) and (5) k is x'z, or any kernel.
"""

from typing import Any, Literal

import numpy as np

from novum.exceptions import DataError, ParameterError
from novum.kernels.base import Array, Hyperparameter, Kernel
from novum.kernels.constants import BOUNDS, slot_of
from novum.kernels.operators import refuse_negative_power, valid_together
from novum.kernels.product_functions import OfProduct
from novum.kernels.program import Builder, points_of
from novum.linalg import is_psd, square_root
from novum.runtime.typing import Numbers, Rows

__all__ = ["DotProduct", "Linear", "Polynomial", "QuadraticForm", "Sigmoid"]


class DotProduct(Kernel):
    """An inner product with an offset, sigma_0^2 + x'z.

    Parameters
    ----------
    sigma_0 : float, default=1.0
    sigma_0_bounds : pair of floats or "fixed", default=(1e-5, 1e5)

    Examples
    --------
    >>> from novum.gaussian_process.kernels import DotProduct
    >>> DotProduct(2.0)([[1.0, 2.0]], [[3.0, 4.0]])
    array([[15.]])
    """

    _valid = True

    def __init__(self, sigma_0: float = 1.0, sigma_0_bounds: tuple[float, float] | Literal["fixed"] = BOUNDS) -> None:
        self.sigma_0 = sigma_0
        self.sigma_0_bounds = sigma_0_bounds

    @property
    def hyperparameter_sigma_0(self) -> Any:
        return Hyperparameter("sigma_0", "numeric", self.sigma_0_bounds)

    def _nodes(self, builder: Builder) -> int:
        return builder.add("linear", [self.sigma_0**2], slots=(slot_of(self.hyperparameter_sigma_0, builder), -1))

    def diag(self, X: Numbers) -> Array:
        """Return sigma_0^2 + |x|^2."""
        X = points_of(type(self).__name__, X)
        return np.einsum("ij,ij->i", X, X) + self.sigma_0**2

    def __repr__(self) -> str:
        return f"{type(self).__name__}(sigma_0={self.sigma_0:.3g})"

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        return f"{self.sigma_0:g}^2 + x'z"


class Linear(Kernel):
    """The inner product, x'z: the kernel of linear models.

    Examples
    --------
    >>> from novum.kernels import Linear
    >>> Linear()([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]])
    >>> Linear().of(lambda X: [[x[0], x[0] ** 2] for x in X])([[2.0]], [[3.0]])  # of features of one's own
    array([[42.]])
    """

    _valid = True

    def __init__(self) -> None:
        """Nothing to set; scikit-learn reads the parameters of a kernel from its constructor."""

    def _nodes(self, builder: Builder) -> int:
        return builder.add("linear", [0.0])

    def diag(self, X: Rows) -> Array:
        """Return |x|^2."""
        X = points_of("Linear", X)
        return np.einsum("ij,ij->i", X, X)

    def __repr__(self) -> str:
        return "Linear()"

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        return "x'z"


class QuadraticForm(Kernel):
    """A quadratic form, x'A z, with A symmetric and positive semi-definite.

    Parameters
    ----------
    matrix : array-like of shape (n_features, n_features)

    Examples
    --------
    >>> from novum.kernels import QuadraticForm
    >>> QuadraticForm([[2.0, 1.0], [1.0, 2.0]])([[1.0, 0.0]], [[0.0, 1.0]]).round(12)
    array([[1.]])
    """

    _valid = True

    def __init__(self, matrix: Numbers) -> None:
        self.matrix = matrix

    def _factor(self, d: int) -> Array:
        """Return B with A = B'B."""
        A = np.asarray(self.matrix, dtype=np.float64)
        if A.shape != (d, d):
            raise DataError(
                f"QuadraticForm: matrix has shape {A.shape}, points have {d} columns; it must be ({d}, {d})."
            )
        check = is_psd(A)
        if not check:
            raise ParameterError(
                f"QuadraticForm: matrix has the eigenvalue {check.smallest_eigenvalue:g}; x'A z is a kernel for positive "
                "semi-definite matrices only."
            )
        return square_root(A, form="factor")

    def _nodes(self, builder: Builder) -> int:
        X, Y = builder.points
        B = self._factor(X.shape[1]).T
        before = builder.use(X @ B, None if Y is None else Y @ B)
        node = builder.add("linear", [0.0])
        builder.current = before
        return node

    def diag(self, X: Rows) -> Array:
        """Return x'A x."""
        X = points_of("QuadraticForm", X)
        return np.einsum("ij,jk,ik->i", X, np.asarray(self.matrix, float), X)

    def __repr__(self) -> str:
        return f"QuadraticForm({np.asarray(self.matrix).tolist()})"

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        return "x'A z"


class Polynomial(OfProduct):
    """The polynomial kernel, (gamma k + c)^p, of x'z or of another kernel.

    Parameters
    ----------
    kernel : Kernel, default=None
        k; None is x'z.
    degree : int, default=3
        p.
    coef0 : float, default=1.0
        c; zero makes it homogeneous: monomials of degree p alone.
    gamma : float, default=1.0
    coef0_bounds, gamma_bounds : pair of floats or "fixed", default="fixed"

    Examples
    --------
    >>> from novum.kernels import Polynomial, SetKernel
    >>> Polynomial(degree=2)([[1.0, 2.0]], [[3.0, 4.0]]), Polynomial(degree=2, coef0=0.0)([[1.0, 2.0]], [[3.0, 4.0]])
    (array([[144.]]), array([[121.]]))
    >>> Polynomial(SetKernel(), degree=2)([{"a", "b", "c"}], [{"b", "c", "d", "e"}])
    array([[9.]])
    """

    _default = Linear

    def __init__(
        self,
        kernel: Kernel | None = None,
        degree: float = 3,
        coef0: float = 1.0,
        gamma: float = 1.0,
        coef0_bounds: Numbers | str = "fixed",
        gamma_bounds: Numbers | str = "fixed",
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.gamma = gamma
        self.coef0_bounds = coef0_bounds
        self.gamma_bounds = gamma_bounds

    @property
    def hyperparameter_coef0(self) -> Any:
        return Hyperparameter("coef0", "numeric", self.coef0_bounds)

    def _nodes(self, builder: Builder) -> int | None:
        refuse_negative_power(self, "degree")
        offset, gamma = slot_of(self.hyperparameter_coef0, builder), slot_of(self.hyperparameter_gamma, builder)
        inner = self._inner_node(builder)
        if inner is None:
            return None
        return builder.add("polynomial", [self.gamma, self.coef0, self.degree], left=inner, slots=(gamma, offset))

    def _link(self, k: Any) -> Any:
        refuse_negative_power(self, "degree")
        return (self.gamma * k + self.coef0) ** self.degree

    def _slopes(self, k: Any, K: Any) -> tuple[Any, list[Any]]:
        outer = self.degree * (self.gamma * k + self.coef0) ** (self.degree - 1)
        own = [] if self.hyperparameter_coef0.fixed else [outer * self.coef0]
        own += [] if self.hyperparameter_gamma.fixed else [outer * self.gamma * k]
        return outer * self.gamma, own

    @property
    def is_valid(self) -> bool | None:
        """Whether the inner kernel is valid, the degree a whole number, and neither gamma nor the offset negative."""
        whole = float(self.degree).is_integer() and self.degree > 0 and self.gamma >= 0
        return valid_together(self._base()) if whole and self.coef0 >= 0 else None

    def __repr__(self) -> str:
        inner = "" if self.kernel is None else f"{self.kernel!r}, "
        scale = "" if self.gamma == 1 else f", gamma={self.gamma:.3g}"
        return f"Polynomial({inner}degree={self.degree:g}, coef0={self.coef0:.3g}{scale})"

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        return f"({self._inside()})^{self.degree:g}"


class Sigmoid(OfProduct):
    """The sigmoid kernel, tanh(gamma k + c), of x'z or of another kernel; not positive semi-definite in general.

    Parameters
    ----------
    kernel : Kernel, default=None
        k; None is x'z.
    gamma : float, default=1.0
    coef0 : float, default=0.0
        c.
    gamma_bounds : pair of floats or "fixed", default="fixed"

    Examples
    --------
    >>> from novum.kernels import Sigmoid
    >>> Sigmoid(gamma=0.5, coef0=-1.0)([[1.0, 2.0]], [[3.0, -1.0]]).round(6)
    array([[-0.462117]])
    """

    _valid = False

    _default = Linear

    def __init__(
        self,
        kernel: Kernel | None = None,
        gamma: float = 1.0,
        coef0: float = 0.0,
        gamma_bounds: Numbers | str = "fixed",
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.gamma_bounds = gamma_bounds

    def _nodes(self, builder: Builder) -> int | None:
        gamma = slot_of(self.hyperparameter_gamma, builder)
        inner = self._inner_node(builder)
        return (
            None if inner is None else builder.add("sigmoid", [self.gamma, self.coef0], left=inner, slots=(gamma, -1))
        )

    def _link(self, k: Any) -> Any:
        return np.tanh(self.gamma * k + self.coef0)

    def _slopes(self, k: Any, K: Any) -> tuple[Any, list[Any]]:
        outer = 1 - K**2
        return outer * self.gamma, [] if self.hyperparameter_gamma.fixed else [outer * self.gamma * k]

    def __repr__(self) -> str:
        inner = "" if self.kernel is None else f"{self.kernel!r}, "
        return f"Sigmoid({inner}gamma={self.gamma:.3g}, coef0={self.coef0:.3g})"

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        return f"tanh({self._inside()})"
