r"""Every row predicted by the machine that was not shown it, for all penalties, from one decomposition.

With S K S = Q L Q', S = diag(sqrt w) (docs/theory/kernel_machines.md),

    G = (S K S + alpha I)^-1 = Q (L + alpha)^-1 Q'                                                                     (1)
    y_i - f_without_i(x_i) = (G S y)_i / (sqrt(w_i) G_ii)                                                              (2)

and with the singular values D of S Phi = U D V' where there are fewer features than rows,

    alpha G S y = S y - U (D^2 / (D^2 + alpha)) U'S y,    alpha G_ii = 1 - sum_j U_ij^2 D_j^2 / (D_j^2 + alpha)        (3)
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError
from novum.kernel_ridge.solve import eigenpairs
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.numbers import num
from novum.report.result import Result
from novum.report.style import shade

__all__ = ["LeaveOneOutPath", "Spectrum", "check_penalties", "dual_spectrum", "path_of", "primal_spectrum"]

Array = NDArray[np.float64]
LEAST, MOST, COUNT = 1e-9, 1e2, 34  # penalties of the default path, in units of the mean of the diagonal of K


class Spectrum(NamedTuple):
    """The decomposition that serves all penalties."""

    values: Array  # (r,): L, or D^2
    vectors: Array  # (n, r): Q, or U
    whole: bool  # whether r = n by construction, as in (1)
    size: float  # mean of the diagonal of S K S

    def residuals(self, y: Array, alpha: float) -> tuple[Array, Array]:
        """Return alpha G y and alpha G_ii."""
        along = self.vectors.T @ y
        if self.whole:
            share = alpha / (self.values + alpha)
            return self.vectors @ (share[:, None] * along), self.vectors**2 @ share
        share = self.values / (self.values + alpha)
        return y - self.vectors @ (share[:, None] * along), 1 - self.vectors**2 @ share


@dataclass(frozen=True, repr=False)
class LeaveOneOutPath(Result):
    """Leave-one-out errors by penalty.

    Attributes
    ----------
    alphas : array of shape (n_alphas,)
    mean_squared_error : array of shape (n_alphas,)
        Over rows by weight, and over targets.
    predictions : array of shape (n_alphas, n_samples) or (n_alphas, n_samples, n_targets)
        Each row by the machine without it.
    """

    alphas: Array
    mean_squared_error: Array
    predictions: Array

    @property
    def best_alpha(self) -> float:
        """The penalty of the least error."""
        return float(self.alphas[np.argmin(self.mean_squared_error)])

    def _result_columns(self) -> dict[str, Any]:
        return {"alpha": self.alphas.tolist(), "mean squared error": self.mean_squared_error.tolist()}

    def __repr__(self) -> str:
        least = float(self.mean_squared_error.min())
        return (
            f"leave-one-out: alpha={self.best_alpha:.4g} has the least mean squared error, {num(least):.4g}, "
            f"of {len(self.alphas)}"
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw the error against the penalty, with the best one marked."""
        ax = drawing_axes(ax)
        ax.loglog(self.alphas, self.mean_squared_error, marker=".", label="leave-one-out")
        ax.axvline(self.best_alpha, linestyle="--", color=shade(ax, 0.5), label=f"alpha = {num(self.best_alpha):.3g}")
        ax.set_xlabel("alpha")
        ax.set_ylabel("mean squared error")
        draw_legend(ax)
        return ax


def check_penalties(alphas: Any, scale: float) -> Array:
    """Return penalties to try: those given, or a default range in units of `scale`."""
    if alphas is None:
        return np.geomspace(LEAST, MOST, COUNT) * (scale if scale > 0 else 1.0)
    found = np.atleast_1d(np.asarray(alphas, dtype=np.float64))
    if found.ndim != 1 or not found.size or not (np.isfinite(found).all() and (found > 0).all()):
        raise ParameterError(
            f"KernelRidge.leave_one_out(alphas={alphas!r}): give positive, finite penalties, one or a list of them."
        )
    return found


def dual_spectrum(K: Array, weight: Array | None) -> Spectrum:
    """Return (1); eigenvalues below zero by no more than rounding are zero."""
    root = None if weight is None else np.sqrt(weight)
    scaled = K if root is None else root[:, None] * K * root
    values, vectors = eigenpairs(scaled)
    rounding = len(values) * np.finfo(float).eps * float(np.abs(values).max(initial=0.0))
    return Spectrum(np.where(np.abs(values) <= rounding, 0.0, values), vectors, True, float(np.diagonal(scaled).mean()))


def primal_spectrum(Phi: Array, weight: Array | None) -> Spectrum:
    """Return the decomposition of (3)."""
    scaled = Phi if weight is None else np.sqrt(weight)[:, None] * Phi
    vectors, singular, _ = np.linalg.svd(scaled, full_matrices=False)
    return Spectrum(singular**2, vectors, False, float((scaled**2).sum() / len(scaled)))


def path_of(
    spectrum: Spectrum,
    y: Array,
    alphas: Array,
    weight: Array | None,
    absent: tuple[NDArray[np.bool_], Callable[[Array], Array]] | None,
) -> LeaveOneOutPath:
    """Return (2) for every penalty; y is (n, t).

    `absent` describes rows without weight, which are predicted by the machine of all others: which rows of y they are, and
    what coefficients c predict for them; the spectrum is that of the others.
    """
    used = slice(None) if absent is None else ~absent[0]
    root = np.ones(len(y[used])) if weight is None else np.sqrt(weight[used])
    scaled = root[:, None] * y[used]
    predictions = np.empty((len(alphas), *y.shape))
    errors = np.empty(len(alphas))
    for k, alpha in enumerate(alphas):
        residual, diagonal = spectrum.residuals(scaled, alpha)
        error = residual / (root * diagonal)[:, None]
        predictions[k, used] = y[used] - error
        if absent is not None:
            predictions[k, absent[0]] = absent[1](root[:, None] * residual / alpha)
        errors[k] = float(np.average((error**2).mean(axis=1), weights=root**2))
    return LeaveOneOutPath(alphas, errors, predictions)
