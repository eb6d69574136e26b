r"""What every kernel is and can do: parameters, algebra, Gram matrices, distances, validity.

A kernel k is valid if it is an inner product of some features, k(x, z) = phi(x)' phi(z); then so are

    c k (c > 0),  k1 + k2,  k1 k2,  k^p (p a whole number),  (k + c)^p,  exp k,  f(x) k(x, z) f(z),  k(phi(x), phi(z))    (1)
    k(x, z) / sqrt(k(x, x) k(z, z))                               cosine of the angle between the features             (2)
    d(x, z)^2 = k(x, x) - 2 k(x, z) + k(z, z)                     their distance                                       (3)
    exp(-d(x, z)^2 / (2 sigma^2))                                 a Gaussian of it                                     (4)

Parameters, `theta` (logarithms of those that may be learned, in a fixed order), `bounds` and `hyperparameters` are those of
scikit-learn's kernels for Gaussian processes, whose base class this one extends: every kernel here can be given to its machines.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError, ParameterTypeError
from novum.kernels.program import Builder, GramProgram, compile_kernel
from novum.kernels.sklearn_kernels import Hyperparameter
from novum.kernels.sklearn_kernels import Kernel as SklearnKernel
from novum.runtime.typing import Numbers, Rows, Seed

__all__ = ["Hyperparameter", "Kernel", "is_kernel", "number_of_samples"]

Array = NDArray[Any]


def is_kernel(value: Any) -> bool:
    """Return whether something is a kernel, ours or scikit-learn's."""
    return isinstance(value, SklearnKernel)


def number_of_samples(X: Any) -> int:
    """Return how many objects there are."""
    return X.shape[0] if hasattr(X, "shape") and np.ndim(X) else len(X)


def length_of(kernel: Any) -> int:
    """Return the length of theta of a kernel, ours or scikit-learn's."""
    return kernel._n_dims() if isinstance(kernel, Kernel) else kernel.n_dims


@cache
def hyperparameter_names(kernel: Any) -> tuple[str, ...]:
    """Return the attributes of a class that specify a hyper-parameter, in alphabetical order: a search asks at every step."""
    return tuple(name for name in dir(kernel) if name.startswith("hyperparameter_"))


class Kernel(SklearnKernel):
    """A kernel: a function of two objects that is an inner product of their features.

    A class of your own defines `__call__(X, Y=None, eval_gradient=False)` and `diag(X)`; it then has the algebra and the checks
    below, and works in every kernel machine.

    Examples
    --------
    >>> from novum.kernels import RBF, Constant, Linear
    >>> kernel = 2.0 * RBF(1.5) + Constant(0.5) + 0.1 * Linear()
    >>> kernel
    1.41**2 * RBF(length_scale=1.5) + 0.707**2 + 0.316**2 * Linear()
    >>> kernel.formula()
    "2 exp(-|x - z|^2 / (2 1.5^2)) + 0.5 + 0.1 x'z"
    >>> float(kernel.gram([[1.0], [2.0]])[0, 1].round(6))
    2.301475
    >>> kernel.distance([[1.0]], [[2.0]]).round(6), kernel.is_stationary(), bool(kernel.is_psd())
    (array([[0.947127]]), False, True)
    """

    _children: tuple[str, ...] = ()  # parameters that are kernels themselves
    _valid: bool | None = None  # whether (1) proves it, refutes it, or leaves it open

    # parameters -------------------------------------------------------------------------------------------------------

    def _own(self) -> list[Any]:
        """Return the hyper-parameters of this node alone."""
        return [getattr(self, name) for name in hyperparameter_names(cast(Any, type(self)))]

    def _inner(self) -> list[tuple[str, Any]]:
        """Return the kernels that this one is made of, by name."""
        return [(name, kernel) for name in self._children if (kernel := getattr(self, name)) is not None]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; those of inner kernels as `<name>__<parameter>`."""
        params = super().get_params(deep)
        if deep:
            for name, kernel in self._inner():
                params.update({f"{name}__{key}": value for key, value in kernel.get_params().items()})
        return params

    @property
    def hyperparameters(self) -> list[Any]:
        """The specification of every hyper-parameter, this node's own before those of inner kernels."""
        found = self._own()
        for name, kernel in self._inner():
            found += [Hyperparameter(f"{name}__{h.name}", *h[1:4], h.fixed) for h in kernel.hyperparameters]
        return found

    @property
    def theta(self) -> Array:
        """Logarithms of the hyper-parameters that are not fixed."""
        own = [np.log(np.ravel(np.asarray(getattr(self, h.name), float))) for h in self._own() if not h.fixed]
        return np.concatenate([np.empty(0), *own, *(kernel.theta for _, kernel in self._inner())])

    @theta.setter
    def theta(self, theta: Array) -> None:
        theta = np.asarray(theta, dtype=np.float64)
        if theta.shape != (expected := (self._n_dims(),)):
            raise ValueError(
                f"theta has not the correct number of entries. Should be {expected[0]}; given are {theta.size}"
            )
        self._take(theta, 0)

    def _n_dims(self) -> int:
        """Return the length of theta."""
        own = sum(h.n_elements for h in self._own() if not h.fixed)
        return own + sum(length_of(kernel) for _, kernel in self._inner())

    def _take(self, theta: Array, at: int) -> int:
        """Take the entries of theta from `at` on that are this kernel's own and those of inner kernels; return what follows."""
        for h in self._own():
            if h.fixed:
                continue
            values = np.exp(theta[at : at + h.n_elements])
            setattr(self, h.name, values if h.n_elements > 1 else values[0])
            at += h.n_elements
        for _, kernel in self._inner():
            if isinstance(kernel, Kernel):
                at = kernel._take(theta, at)
            else:  # scikit-learn's
                kernel.theta, at = theta[at : at + length_of(kernel)], at + length_of(kernel)
        return at

    @property
    def bounds(self) -> Array:
        """Logarithms of the bounds, shape (n_dims, 2)."""
        own = [np.log(h.bounds) for h in self._own() if not h.fixed]
        inner = [kernel.bounds for _, kernel in self._inner()]
        parts = [part for part in (*own, *inner) if np.size(part)]
        return np.vstack(parts) if parts else np.array([])

    # values -----------------------------------------------------------------------------------------------------------

    def _nodes(self, builder: Builder) -> int | None:
        """Add this kernel to a program and return its place, or None where the core has no such node."""
        return None

    def compile(self, X: Rows, Y: Rows | None = None) -> GramProgram | None:
        """Return the kernel over these points as a program of the core, or None where a part of it runs in Python only.

        A program gives `gram()`, `rows(index)`, `times(V)` (the matrix is not stored), `gradient()` and
        `trace(A, vectors=, scale=)` (weighted sums of derivatives; they are not stored).
        """
        return compile_kernel(self, X, Y) if self.requires_vector_input else None

    def _python(self, X: Any, Y: Any, eval_gradient: bool) -> Any:
        """Return values (and derivatives) without the core."""
        raise NotImplementedError

    def __call__(self, X: Rows, Y: Rows | None = None, eval_gradient: bool = False) -> Any:
        """Return the Gram matrix, and its derivatives in `theta`, shape (n, n, n_dims), if requested."""
        if eval_gradient and Y is not None:
            raise ValueError("Gradient can only be evaluated when Y is None.")
        program = self.compile(X, Y)
        if program is None:
            return self._python(X, Y, eval_gradient)
        return (program.gram(), program.gradient()) if eval_gradient else program.gram()

    def gram(self, X: Rows, Y: Rows | None = None) -> Array:
        """Return K[i, j] = k(x_i, z_j) for all pairs of X and Y, or of X with itself."""
        return self(X, Y)

    def diag(self, X: Any) -> Array:
        """Return k(x_i, x_i)."""
        return np.array([float(np.ravel(self([x]))[0]) for x in X])

    def gram_times(self, X: Rows, V: Numbers, Y: Rows | None = None) -> Array:
        """Return K V without storing K, where the kernel can be compiled."""
        program = self.compile(X, Y)
        return self(X, Y) @ np.asarray(V, float) if program is None else program.times(V)

    def gradient_trace(
        self, X: Rows, A: Numbers | None = None, *, vectors: Numbers | None = None, scale: float = 1.0
    ) -> Array:
        """Return sum_ij W_ij dK_ij / dtheta for W = scale A + V V', dK not stored where the kernel can be compiled.

        Parameters
        ----------
        X : array-like of shape (n, d), or list of objects
        A : array-like of shape (n, n), optional
            Symmetric; only its lower triangle is read.
        vectors : array-like of shape (n, q), optional
            V.
        scale : float, default=1.0

        Returns
        -------
        ndarray of shape (n_dims,)

        Examples
        --------
        The gradient of a Gaussian process's log marginal likelihood is half the trace with W = a a' - K^-1, a = K^-1 y:

        >>> import numpy as np
        >>> from novum.kernels import RBF, White
        >>> X, y = np.linspace(0, 1, 5)[:, None], np.sin(np.arange(5.0))
        >>> kernel = RBF(0.3) + White(0.1)
        >>> inverse = np.linalg.inv(kernel(X))
        >>> (0.5 * kernel.gradient_trace(X, inverse, vectors=inverse @ y, scale=-1.0)).round(6)
        array([ 1.340471, -0.514509])
        """
        program = self.compile(X)
        if program is not None:
            return program.trace(A, vectors=vectors, scale=scale)
        n = number_of_samples(X)
        W = np.zeros((n, n))
        if A is not None:
            lower = np.tril(np.asarray(A, float))
            W += scale * (lower + np.tril(lower, -1).T)
        if vectors is not None:
            V = np.asarray(vectors, float).reshape(n, -1)
            W += V @ V.T
        return np.einsum("ij,ijs->s", W, self(X, eval_gradient=True)[1])

    def distance(self, X: Rows, Y: Rows | None = None) -> Array:
        """Return the distances (3) between features."""
        square = (self.diag(X)[:, None] + self.diag(X if Y is None else Y)[None, :]) - 2 * self(X, Y)
        if Y is None:
            np.fill_diagonal(square, 0.0)
        return np.sqrt(np.maximum(square, 0.0))

    # what it is -------------------------------------------------------------------------------------------------------

    def is_stationary(self) -> bool:
        """Return whether k(x, z) depends on x - z alone."""
        return False

    def is_isotropic(self) -> bool:
        """Return whether k(x, z) depends on |x - z| alone, and stays the same when all points are moved or turned."""
        return False

    def is_homogeneous(self) -> bool:
        """Return whether k is homogeneous in the sense of radial basis functions; another word for isotropic."""
        return self.is_isotropic()

    @property
    def is_valid(self) -> bool | None:
        """Whether the rules (1) prove the kernel valid (True), it is known not to be (False), or they do not tell (None)."""
        return self._valid

    def is_psd(self, X: Rows | None = None, *, n_trials: int = 20, random_state: Seed = 0) -> Any:
        """Check that Gram matrices are positive semi-definite, and show points and weights where one is not.

        Parameters
        ----------
        X : array-like or list of objects, optional
            Points whose Gram matrix is looked at. By default the rules are applied, then random points of one to three dimensions.
        n_trials : int, default=20
            Random sets of points.
        random_state : int, numpy Generator, RandomState, SeedSequence or None, default=0

        Returns
        -------
        KernelCheck
            True or False where a condition is needed, with `smallest_eigenvalue`, `points` and `weights`, c with c' K c < 0.

        Examples
        --------
        >>> from novum.kernels import Sigmoid
        >>> found = Sigmoid(gamma=1.0, coef0=-1.0).is_psd([[0.0], [1.0], [2.0]])
        >>> bool(found), round(found.smallest_eigenvalue, 4)
        (False, -1.2698)
        """
        from novum.kernels.validity import check_validity

        return check_validity(self, X, n_trials, random_state)

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        return f"{self!r}(x, z)"

    # algebra ----------------------------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> "Kernel":
        from novum.kernels.operators import Sum, as_operand

        return Sum(self, as_operand(other, "+"))

    def __radd__(self, other: Any) -> "Kernel":
        from novum.kernels.operators import Sum, as_operand

        return Sum(as_operand(other, "+"), self)

    def __mul__(self, other: Any) -> "Kernel":
        from novum.kernels.operators import Product, as_operand

        return Product(self, as_operand(other, "*"))

    def __rmul__(self, other: Any) -> "Kernel":
        from novum.kernels.operators import Product, as_operand

        return Product(as_operand(other, "*"), self)

    def __pow__(self, exponent: float) -> "Kernel":
        from novum.kernels.operators import Exponentiation

        return Exponentiation(self, exponent)

    def exp(self) -> "Kernel":
        """Return exp k."""
        from novum.kernels.composition import Exponential

        return Exponential(self)

    def of(self, features: Callable[[Any], Any]) -> "Kernel":
        """Return k(phi(x), phi(z)); `features` maps all objects at once to a table (or to what this kernel compares)."""
        from novum.kernels.composition import Mapped

        if not callable(features):
            raise ParameterTypeError(
                f"Kernel.of(features={features!r}): features must be a function from X to a table."
            )
        return Mapped(self, features)

    def weighted(self, factor: Callable[[Any], Any]) -> "Kernel":
        """Return f(x) k(x, z) f(z); `factor` maps all objects at once to a number each."""
        from novum.kernels.composition import Weighted

        if not callable(factor):
            raise ParameterTypeError(
                f"Kernel.weighted(factor={factor!r}): factor must be a function from X to numbers."
            )
        return Weighted(self, factor)

    def normalized(self) -> "Kernel":
        """Return (2); an object whose k(x, x) is zero is like nothing, itself included."""
        from novum.kernels.composition import Normalized

        return Normalized(self)


def check_positive(owner: str, name: str, value: Any) -> None:
    """Raise unless a number, or all of several, are positive and finite."""
    numbers = np.asarray(value, dtype=np.float64)
    if not (np.isfinite(numbers).all() and (numbers > 0).all()):
        raise ParameterError(f"{owner}({name}={value!r}): {name} must be positive.")
