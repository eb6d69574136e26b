r"""The two forms of ridge regression, dual and primal, with the same predictions. docs/theory/kernel_machines.md.

    minimise  sum_i w_i (y_i - f(x_i))^2 + alpha |f|^2                                                                  (1)
    dual    f(x) = sum_i c_i k(x, x_i),   c = S (S K S + alpha I_n)^-1 S y,   S = diag(sqrt w)               n^3/3      (2)
    primal  f(x) = phi(x)'v,              v = (Phi'S^2 Phi + alpha I_M)^-1 Phi'S^2 y                  n M^2 + M^3/3     (3)
    one in terms of the other   v = Phi'c,   c = S^2 (y - Phi v) / alpha                                                (4)

A kernel (g x'z + o)^p has the features, one for each monomial of degree |e| <= p,

    phi_e(x) = sqrt(p! / (e_0! e_1! ... e_d!) o^e_0 g^|e|) x_1^e_1 ... x_d^e_d,   e_0 = p - |e|                         (5)
"""

from math import comb, factorial, prod
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.linalg import lapack, solve_triangular
from sklearn.preprocessing import PolynomialFeatures

from novum.exceptions import DataWarning
from novum.kernels.choice import Power
from novum.runtime.interrupts import while_listening
from novum.runtime.warn import warn

__all__ = [
    "SPARE",
    "Monomials",
    "dual_coefficients",
    "eigenpairs",
    "monomials_of",
    "number_of_features",
    "primal_is_cheaper",
    "primal_weights",
    "rank_warning",
]

Array = NDArray[np.float64]
FEW_PENALTIES = 16  # different ones, up to which a Cholesky factor each costs less than one eigendecomposition
MOST_FEATURES = 1 << 14  # beyond, their Gram matrix takes gigabytes
TILE = 1024  # rows and columns of a matrix that are factored at a time
AT_ONCE = 4096  # rows of a matrix that LAPACK factors within a second
SPARE = 10.0  # units of rounding below which the reciprocal condition says that no digit is left


class Monomials(NamedTuple):
    """The features (5), or the columns themselves where `expand` is None."""

    expand: Any
    scale: Array | None  # (M,)
    kept: NDArray[np.intp] | None  # of all monomials up to the degree: those of non-zero scale

    def of(self, X: Any) -> Any:
        """Return (5) for every row; the columns themselves may stay sparse."""
        if self.expand is None:
            return X if scipy.sparse.issparse(X) else X.astype(np.float64, copy=False)
        return self.expand.transform(X.astype(np.float64, copy=False))[:, self.kept] * self.scale


def number_of_features(power: Power | None, n_features: int) -> int | None:
    """Return M of (5); None where the kernel has no such features, or too many to count."""
    if power is None or power.gamma == 0:
        return None
    if power.offset == 0:
        return comb(n_features + power.degree - 1, power.degree)
    return comb(n_features + power.degree, power.degree)


def primal_is_cheaper(n: int, n_features: int, M: int) -> bool:
    """Return whether (3) takes fewer operations than (2)."""
    return M <= MOST_FEATURES and n * M**2 + M**3 / 3 < n**2 * n_features + n**3 / 3


def monomials_of(power: Power, n_features: int) -> Monomials:
    """Return the features (5)."""
    gamma, offset, p = power
    if p == 1 and offset == 0 and gamma == 1:
        return Monomials(None, None, None)
    expand = PolynomialFeatures(p).fit(np.zeros((1, n_features)))
    scale = np.empty(len(expand.powers_))
    for j, e in enumerate(expand.powers_):
        total = int(e.sum())
        ways = factorial(p) / (factorial(p - total) * prod(factorial(int(k)) for k in e))
        scale[j] = np.sqrt(ways * offset ** (p - total) * gamma**total)
    kept = np.flatnonzero(scale)
    return Monomials(expand, scale[kept], kept)


def factor(A: Array) -> Array | None:
    """Return the upper Cholesky factor in place of A, or None where A is not positive definite to rounding."""
    size = float(np.abs(A).sum(axis=0).max(initial=0.0))
    if not size or not factor_tiles(A):
        return None
    U = A.T  # in LAPACK's order
    reciprocal, _ = lapack.dpocon(U, size, uplo="U")
    return U if reciprocal > SPARE * np.finfo(float).eps else None


def factor_tiles(A: Array) -> bool:
    """Put the Cholesky factor L into the lower triangle of A; return whether there is one.

    A large one tile by tile, and not by one call of LAPACK, which Ctrl-C would have to wait for: minutes with 20,000 rows.
    """
    if len(A) <= AT_ONCE:
        return not lapack.dpotrf(A.T, lower=0, clean=0, overwrite_a=1)[1]  # the transpose is in LAPACK's order: no copy
    for begin in range(0, len(A), TILE):
        end = min(begin + TILE, len(A))
        corner = A[begin:end, begin:end]
        for low in range(begin, len(A), TILE):
            rows = A[low : low + TILE, begin:end]
            if begin:
                known = A[low : low + TILE, :begin] @ A[begin:end, :begin].T
                rows -= np.tril(known) if low == begin else known
            if low > begin:
                rows[:] = solve_triangular(corner, rows.T, lower=True, check_finite=False).T
                continue
            U, fault = lapack.dpotrf(corner.T, lower=0, clean=0)  # what lies above the diagonal of A stays as it was
            if fault:
                return False
            corner[:] = U.T
    return True


def eigenpairs(A: Array) -> tuple[Array, Array]:
    """Return rising eigenvalues of a symmetric matrix and their vectors; Ctrl-C is answered meanwhile."""
    values, vectors = np.linalg.eigh(A) if len(A) <= TILE else while_listening(np.linalg.eigh, A)
    return values, vectors


def solve_with(U: Array, b: Array) -> Array:
    """Return U^-1 U^-T b."""
    return np.asarray(lapack.dpotrs(U, b, lower=0)[0])


def dual_coefficients(
    K: Array, y: Array, alpha: Array, weight: Array | None, owner: str, *, overwrite: bool = False
) -> Array:
    """Return c of (2), a column per target with its own penalty; K may be used as scratch if `overwrite`."""
    root = None if weight is None else np.sqrt(weight)
    A = K if overwrite else K.copy()
    if root is not None:
        A *= root[:, None]
        A *= root
    target = y if root is None else root[:, None] * y
    penalties = np.unique(alpha)
    c = np.empty_like(target)
    if len(penalties) > FEW_PENALTIES:
        decomposition = eigenpairs(A)
        for penalty in penalties:
            c[:, alpha == penalty] = by_eigenvectors(decomposition, target[:, alpha == penalty], penalty, owner)
    for count, penalty in enumerate(penalties if len(penalties) <= FEW_PENALTIES else ()):
        used = alpha == penalty
        shifted = A if count == len(penalties) - 1 else A.copy()
        diagonal = shifted.diagonal().copy()
        shifted.flat[:: len(shifted) + 1] += penalty
        U = factor(shifted)
        if U is None:
            shifted = restore(shifted, diagonal)
            c[:, used] = by_eigenvectors(eigenpairs(shifted), target[:, used], penalty, owner)
        else:
            c[:, used] = solve_with(U, target[:, used])
    return c if root is None else root[:, None] * c


def restore(A: Array, diagonal: Array) -> Array:
    """Return the matrix that `factor` has overwritten on one side of its diagonal."""
    upper = np.triu(A, 1)  # in C order the factor lies in the lower triangle
    whole = upper + upper.T
    whole.flat[:: len(A) + 1] = diagonal
    return whole


def by_eigenvectors(decomposition: tuple[Array, Array], y: Array, penalty: float, owner: str) -> Array:
    """Return (K + alpha I)^-1 y where that is singular to rounding: the least of its solutions, with a warning."""
    values, vectors = decomposition
    total = values + penalty
    least = len(values) * np.finfo(float).eps * float(np.abs(total).max(initial=0.0))
    kept = np.abs(total) > least
    rank_warning(owner, float(values[0]), float(penalty), bool((total < -least).any()), int((~kept).sum()))
    inverse = np.zeros_like(total)
    inverse[kept] = 1 / total[kept]
    return vectors @ (inverse[:, None] * (vectors.T @ y))


def rank_warning(owner: str, least: float, penalty: float, indefinite: bool, missing: int) -> None:
    """Tell of a matrix K + alpha I that has negative eigenvalues, or `missing` ones of zero to rounding."""
    if indefinite:
        warn(
            f"{owner}: the kernel matrix has the eigenvalue {least:.3g}, so that the kernel is not valid on these rows and"
            f" alpha={penalty:g} does not make up for it: what is returned solves the equations but minimises nothing. Give a"
            " larger alpha or another kernel.",
            DataWarning,
        )
    elif missing:
        warn(
            f"Singular matrix in solving dual problem. Using least-squares solution instead. {owner}(alpha={penalty:g}): the"
            f" kernel matrix has {missing} eigenvalues of zero to rounding. Give a larger alpha.",
            DataWarning,
        )


def primal_weights(Phi: Any, y: Array, alpha: Array, weight: Array | None) -> Array | None:
    """Return v of (3), a column per target, once refined; None where no digit would be right."""

    def towards(r: Array) -> Array:
        return np.asarray(Phi.T @ (r if weight is None else weight[:, None] * r))

    if scipy.sparse.issparse(Phi):
        gram = (Phi.T @ (Phi if weight is None else Phi.multiply(weight[:, None]).tocsr())).toarray()
    else:
        scaled = Phi if weight is None else np.sqrt(weight)[:, None] * Phi
        gram = scaled.T @ scaled
    v = np.empty((gram.shape[0], y.shape[1]))
    for penalty in np.unique(alpha):
        used, shifted = alpha == penalty, np.array(gram, dtype=np.float64, order="C")
        shifted.flat[:: len(shifted) + 1] += penalty
        U = factor(shifted)
        if U is None:
            return None
        found = solve_with(U, towards(y[:, used]))
        v[:, used] = found + solve_with(U, towards(y[:, used] - Phi @ found) - penalty * found)
    return v
