r"""Kernels of a distance between points.

    r^2 = sum_j (x_j - z_j)^2 / l_j^2                                              one length scale, or one per column
    RBF          exp(-r^2 / 2)                                                                                   (1)
    Matern       2^(1-nu) / Gamma(nu) a^nu K_nu(a),  a = sqrt(2 nu) r;   nu = 1/2: e^-a,  3/2: (1 + a) e^-a,
                 5/2: (1 + a + a^2 / 3) e^-a,  infinite: (1)                                                     (2)
    Rational     (1 + r^2 / (2 alpha))^-alpha        a mixture of (1) over length scales                         (3)
    Periodic     exp(-2 sin^2(pi |x - z| / p) / l^2)                                                             (4)
    Laplacian    exp(-sum_j |x_j - z_j| / l_j)                                                                   (5)
    Radial       h(|x - z|^2), any h                                                                             (6)

Derivatives are in the logarithms of the parameters; (2) for other nu and its derivative are in `matern_function`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from novum.exceptions import DataError, ParameterError
from novum.kernels.base import Array, Hyperparameter
from novum.kernels.constants import BOUNDS, slot_of
from novum.kernels.matern_function import matern, matern_slope
from novum.kernels.program import Builder, points_of
from novum.kernels.stationary_base import Scaled, Stationary
from novum.runtime.typing import Numbers

__all__ = ["RBF", "ExpSineSquared", "Laplacian", "Matern", "Radial", "RationalQuadratic"]

NODES = {0.5: "matern12", 1.5: "matern32", 2.5: "matern52", np.inf: "rbf"}


class RBF(Scaled):
    """The Gaussian (squared-exponential) kernel, exp(-|x - z|^2 / (2 l^2)).

    Parameters
    ----------
    length_scale : float or array of shape (n_features,), default=1.0
        l, or one for every column.
    length_scale_bounds : pair of floats or "fixed", default=(1e-5, 1e5)

    Examples
    --------
    >>> from novum.kernels import RBF
    >>> RBF(2.0)([[1.0, 2.0]], [[3.0, 4.0]]).round(6)
    array([[0.367879]])
    """

    def __init__(self, length_scale: float | Numbers = 1.0, length_scale_bounds: Numbers | str = BOUNDS) -> None:
        self.length_scale = length_scale
        self.length_scale_bounds = length_scale_bounds

    def _nodes(self, builder: Builder) -> int | None:
        return self._scaled_node(builder, "rbf")

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        if self.anisotropic:
            return f"exp(-sum_j (x_j - z_j)^2 / (2 l_j^2)), l = {self._scale_text()}"
        return f"exp(-|x - z|^2 / (2 {np.ravel(self.length_scale)[0]:g}^2))"


class Matern(RBF):
    """The Matern kernel (2): the smaller nu, the rougher its functions.

    Parameters
    ----------
    length_scale : float or array of shape (n_features,), default=1.0
    length_scale_bounds : pair of floats or "fixed", default=(1e-5, 1e5)
    nu : float, default=1.5
        Not learned. 0.5, 1.5, 2.5 and infinity are compiled; others need Bessel functions and take longer.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.kernels import Matern
    >>> Matern(nu=0.5)([[0.0]], [[1.0]]).round(6), np.exp(-1.0).round(6)
    (array([[0.367879]]), np.float64(0.367879))
    """

    def __init__(
        self, length_scale: float | Numbers = 1.0, length_scale_bounds: Numbers | str = BOUNDS, nu: float = 1.5
    ) -> None:
        super().__init__(length_scale, length_scale_bounds)
        self.nu = nu

    def _nodes(self, builder: Builder) -> int | None:
        if not self.nu > 0:
            raise ParameterError(f"Matern(nu={self.nu!r}): nu must be positive.")
        return self._scaled_node(builder, NODES[self.nu]) if self.nu in NODES else None

    def _python(self, X: Any, Y: Any, eval_gradient: bool) -> Any:
        X = points_of("Matern", X).astype(np.float64)
        Z = X if Y is None else points_of("Matern", Y, "Y").astype(np.float64)
        factor = self._factors(X.shape[1])
        gaps = np.abs(X[:, None, :] - Z[None, :, :]) * factor  # (n, m, d)
        longest = gaps.max(axis=2, keepdims=True)
        shares = (
            gaps / np.where(longest > 0, longest, 1.0)
        ) ** 2  # squares of tiny and huge gaps would leave the range
        total = shares.sum(axis=2)
        a = np.sqrt(2 * self.nu * total) * longest[:, :, 0]
        K = matern(a, self.nu)
        if not eval_gradient:
            return K
        if self.hyperparameter_length_scale.fixed:
            return K, np.empty((*K.shape, 0))
        slope = matern_slope(a, self.nu)  # da / dlog l_j = -a gap_j / sum of gaps
        if not self.anisotropic:
            return K, slope[:, :, None]
        return K, slope[:, :, None] * shares / np.where(total > 0, total, 1.0)[:, :, None]

    def __repr__(self) -> str:
        return f"{type(self).__name__}(length_scale={self._scale_text()}, nu={self.nu:.3g})"

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        roots = {0.5: "exp(-r)", 1.5: "(1 + a) exp(-a), a = sqrt(3) r", 2.5: "(1 + a + a^2 / 3) exp(-a), a = sqrt(5) r"}
        general = f"2^(1-nu) / Gamma(nu) a^nu K_nu(a), a = sqrt(2 nu) r, nu = {self.nu:g}"
        text = super().formula() if self.nu == np.inf else roots.get(self.nu, general)
        return text if self.nu == np.inf else f"{text}, r = |(x - z) / {self._scale_text()}|"


class RationalQuadratic(Stationary):
    """The rational quadratic kernel, (1 + |x - z|^2 / (2 alpha l^2))^-alpha.

    Parameters
    ----------
    length_scale : float, default=1.0
    alpha : float, default=1.0
        The larger, the nearer to `RBF`.
    length_scale_bounds, alpha_bounds : pair of floats or "fixed", default=(1e-5, 1e5)

    Examples
    --------
    >>> from novum.kernels import RationalQuadratic
    >>> RationalQuadratic(length_scale=1.0, alpha=1.0)([[0.0]], [[2.0]]).round(6)
    array([[0.333333]])
    """

    def __init__(
        self,
        length_scale: float = 1.0,
        alpha: float = 1.0,
        length_scale_bounds: Numbers | str = BOUNDS,
        alpha_bounds: Numbers | str = BOUNDS,
    ) -> None:
        self.length_scale = length_scale
        self.alpha = alpha
        self.length_scale_bounds = length_scale_bounds
        self.alpha_bounds = alpha_bounds

    @property
    def hyperparameter_length_scale(self) -> Any:
        return Hyperparameter("length_scale", "numeric", self.length_scale_bounds)

    @property
    def hyperparameter_alpha(self) -> Any:
        return Hyperparameter("alpha", "numeric", self.alpha_bounds)

    def _nodes(self, builder: Builder) -> int:
        if len(np.atleast_1d(self.length_scale)) > 1:
            raise AttributeError(
                "RationalQuadratic kernel only supports isotropic version, please use a single scalar for length_scale"
            )
        if not (self.alpha > 0 and np.all(np.asarray(self.length_scale) > 0)):
            raise ParameterError(
                f"RationalQuadratic(length_scale={self.length_scale!r}, alpha={self.alpha!r}): both must be positive."
            )
        first = slot_of(self.hyperparameter_alpha, builder)
        slots = slot_of(self.hyperparameter_length_scale, builder), first
        factor = np.full(builder.points[0].shape[1], 1 / float(np.ravel(self.length_scale)[0]))
        return builder.add("rational", [self.alpha, *factor], slots=slots)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(alpha={self.alpha:.3g}, length_scale={self.length_scale:.3g})"

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        return f"(1 + |x - z|^2 / (2 {self.alpha:g} {self.length_scale:g}^2))^-{self.alpha:g}"


class ExpSineSquared(Stationary):
    """The periodic kernel, exp(-2 sin^2(pi |x - z| / p) / l^2); also `novum.kernels.Periodic`.

    Parameters
    ----------
    length_scale : float, default=1.0
    periodicity : float, default=1.0
        p.
    length_scale_bounds, periodicity_bounds : pair of floats or "fixed", default=(1e-5, 1e5)

    Examples
    --------
    >>> from novum.kernels import Periodic
    >>> Periodic(periodicity=2.0)([[0.0]], [[1.0], [2.0]]).round(6)
    array([[0.135335, 1.      ]])

    Notes
    -----
    In one dimension it is valid; of the distance in several it need not be.
    """

    def __init__(
        self,
        length_scale: float = 1.0,
        periodicity: float = 1.0,
        length_scale_bounds: Numbers | str = BOUNDS,
        periodicity_bounds: Numbers | str = BOUNDS,
    ) -> None:
        self.length_scale = length_scale
        self.periodicity = periodicity
        self.length_scale_bounds = length_scale_bounds
        self.periodicity_bounds = periodicity_bounds

    _valid = None

    @property
    def hyperparameter_length_scale(self) -> Any:
        return Hyperparameter("length_scale", "numeric", self.length_scale_bounds)

    @property
    def hyperparameter_periodicity(self) -> Any:
        return Hyperparameter("periodicity", "numeric", self.periodicity_bounds)

    def _nodes(self, builder: Builder) -> int:
        if not (self.length_scale > 0 and self.periodicity > 0):
            raise ParameterError(
                f"{type(self).__name__}(length_scale={self.length_scale!r}, periodicity={self.periodicity!r}): "
                "both must be positive."
            )
        slots = slot_of(self.hyperparameter_length_scale, builder), slot_of(self.hyperparameter_periodicity, builder)
        return builder.add("periodic", [self.length_scale, self.periodicity], slots=slots)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(length_scale={self.length_scale:.3g}, periodicity={self.periodicity:.3g})"

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        return f"exp(-2 sin^2(pi |x - z| / {self.periodicity:g}) / {self.length_scale:g}^2)"


class Laplacian(Scaled):
    """The Laplacian kernel, exp(-sum_j |x_j - z_j| / l_j).

    Parameters
    ----------
    length_scale : float or array of shape (n_features,), default=1.0
        One over scikit-learn's gamma.
    length_scale_bounds : pair of floats or "fixed", default=(1e-5, 1e5)

    Examples
    --------
    >>> from novum.kernels import Laplacian
    >>> Laplacian(2.0)([[0.0, 0.0]], [[1.0, 1.0]]).round(6)
    array([[0.367879]])
    """

    def __init__(self, length_scale: float | Numbers = 1.0, length_scale_bounds: Numbers | str = BOUNDS) -> None:
        self.length_scale = length_scale
        self.length_scale_bounds = length_scale_bounds

    def is_isotropic(self) -> bool:
        """Return False: sums of absolute differences change when points are turned."""
        return False

    def _nodes(self, builder: Builder) -> int:
        return self._scaled_node(builder, "laplacian")

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        return f"exp(-sum_j |x_j - z_j| / {self._scale_text()})"


class Radial(Stationary):
    """A kernel that is any function of the squared distance, h(|x - z|^2).

    Parameters
    ----------
    function : callable
        h, of an array of squared distances. Whether the kernel is valid depends on it: ask `is_psd`.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.kernels import Radial
    >>> inverse = Radial(lambda s: 1 / np.sqrt(1 + s))  # the inverse multiquadric
    >>> inverse([[0.0]], [[2.0]]).round(6)
    array([[0.447214]])
    """

    _valid = None

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function

    def _python(self, X: Any, Y: Any, eval_gradient: bool) -> Any:
        X = points_of("Radial", X).astype(np.float64)
        Z = X if Y is None else points_of("Radial", Y, "Y").astype(np.float64)
        squares = sum(np.subtract.outer(X[:, j], Z[:, j]) ** 2 for j in range(X.shape[1]))
        K = np.asarray(self.function(squares), dtype=np.float64)
        if K.shape != np.shape(squares):
            raise DataError(f"Radial: the function returned shape {K.shape} for squares of shape {np.shape(squares)}.")
        return (K, np.empty((*K.shape, 0))) if eval_gradient else K

    def diag(self, X: Any) -> Array:
        """Return h(0) for every point."""
        return np.asarray(self.function(np.zeros(len(X))), dtype=np.float64)

    def __repr__(self) -> str:
        return f"Radial({getattr(self.function, '__name__', self.function)!s})"

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        return f"{getattr(self.function, '__name__', 'h')}(|x - z|^2)"
