r"""Eigenpairs of a symmetric matrix as the notes find them: maximise the Rayleigh quotient, deflate, repeat.

    R(A, v) = v' A v / v' v;    R = lambda at an eigenvector, lambda_min <= R <= lambda_max                   (6)
    x = argmax R(A, .)                                                                                        (7)
    A~ = A - lambda x x',       A~ x = 0, A~ z = A z for every other eigenvector z                            (8)

(7) and (8) repeat while the maximum is above zero, then with the minimum while it is below; what remains has eigenvalue zero
and comes from extending the vectors found to an orthonormal basis. Zero is tol ||A||_F, tol = n eps unless given.

The maximum is found by power iteration on B = A + ||A||_F I, which has no negative eigenvalues, with the power squared at every
step: B^(2^j) is close to a multiple of the projection on the leading eigenvectors after about log2(1 / relative gap) + 6
steps, so that even a gap of 1e-12 takes 50. One step is a product of matrices: this is for matrices you can print;
`numpy.linalg.eigh` is for large ones.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.linalg.input import EPS, finite, square, symmetric, vectors_of
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.report.style import series, shade
from novum.runtime.checks import check_number
from novum.runtime.typing import Axes, Numbers

__all__ = ["EigenPairs", "eigen_by_deflation", "orthonormal_extension", "rayleigh_quotient"]

SQUARINGS = 64  # 2^64 steps of the power method: gaps below 1e-19 are below rounding
ORTHONORMAL = 1e-10  # vectors that their user computed in double precision are orthonormal to this
POINTS = 241  # of the circle that is drawn


@dataclass(frozen=True)
class EigenPairs(Result):
    """Eigenvalues, falling, and orthonormal eigenvectors of a symmetric matrix: A = V diag(values) V'.

    Attributes
    ----------
    values : ndarray of shape (n,)
    vectors : ndarray of shape (n, n)
        Column i belongs to values[i]; its entry largest in size is positive.
    residual : float
        Largest |A x - lambda x| over the pairs, relative to the Frobenius norm of A.
    """

    values: NDArray[Any]
    vectors: NDArray[Any]
    residual: float

    def matrix(self) -> NDArray[Any]:
        """Return V diag(values) V'."""
        return (self.vectors * self.values) @ self.vectors.T

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw a 2 x 2 map as what it is: a scaling along its eigenvectors. The circle becomes the ellipse."""
        if self.values.size != 2:
            raise DataError(f"EigenPairs.plot draws 2 x 2 matrices; this one has {counted(self.values.size, 'row')}.")
        ax = drawing_axes(ax)
        turn = np.linspace(0, 2 * np.pi, POINTS)
        circle = np.array([np.cos(turn), np.sin(turn)])
        ax.plot(*circle, color=shade(ax, 0.6), lw=1, label="unit vectors")
        ax.plot(*(self.matrix() @ circle), color=series(ax, 0), label="their images")
        for value, x, color in zip(self.values, self.vectors.T, (series(ax, 3), series(ax, 2))):
            ax.annotate("", x, (0, 0), arrowprops={"arrowstyle": "->", "color": color, "lw": 2})
            ax.plot(*np.outer(x, [0, value]), "--", color=color, label=f"scaled by {num(value):.3g}")
        ax.set(aspect="equal", xlabel="first", ylabel="second")
        draw_legend(ax)
        return ax


def rayleigh_quotient(A: Numbers, v: Numbers) -> Any:
    """Return R of (6).

        R(A, v) = v' A v / v' v;   R = lambda at an eigenvector, lambda_min <= R <= lambda_max    (6)

    Parameters
    ----------
    A : array-like of shape (n, n)
    v : array-like of shape (n,) or (m, n)
        A vector other than zero, or a list of them.

    Returns
    -------
    float or ndarray of shape (m,)

    Examples
    --------
    >>> from novum.teaching import rayleigh_quotient
    >>> rayleigh_quotient([[2, 1], [1, 2]], [1, 2])  # between the eigenvalues 1 and 3
    2.8
    """
    owner = "rayleigh_quotient"
    matrix = square(owner, "A", A)
    rows = np.atleast_2d(finite(owner, "v", v, np.ndim(v) or 1))
    if rows.ndim != 2 or rows.shape[1] != len(matrix):
        raise DataError(f"{owner}: v has shape {np.shape(v)}; A takes vectors of {len(matrix)} entries.")
    size = np.abs(rows).max(axis=1)
    if not size.all():
        raise DataError(f"{owner}: vector {int(size.argmin())} is zero, where the quotient is not defined.")
    unit = rows / size[:, None]  # the quotient does not depend on the length, its squares do
    quotient = np.einsum("mi,ij,mj->m", unit, matrix, unit) / np.einsum("mi,mi->m", unit, unit)
    return quotient if np.ndim(v) == 2 else float(quotient[0])


def leading(A: NDArray[Any]) -> NDArray[Any]:
    """Return a unit vector that maximises R, eq. (7)."""
    power = A / np.linalg.norm(A) + np.eye(len(A))
    for _ in range(SQUARINGS):
        before, power = power, power @ power
        power /= np.linalg.norm(power)
        if np.linalg.norm(power - before) <= len(A) * EPS:  # a projection: its own square up to scale
            break
    column = power[:, np.diag(power).argmax()]  # the diagonal of a projection: x_i^2
    return column / np.linalg.norm(column)


def orthonormal_extension(vectors: Numbers) -> NDArray[Any]:
    """Return the vectors that make orthonormal ones a basis of the whole space.

    Parameters
    ----------
    vectors : array-like of shape (r, n)
        A list of orthonormal vectors.

    Returns
    -------
    ndarray of shape (n - r, n)
        A list of vectors, orthonormal and orthogonal to the given ones.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.teaching import orthonormal_extension
    >>> np.abs(orthonormal_extension([[1, 0, 0], [0, 0.6, 0.8]])).round(6)
    array([[0. , 0.8, 0.6]])
    """
    rows = vectors_of("orthonormal_extension", "vectors", vectors)
    off = np.abs(rows @ rows.T - np.eye(len(rows)))
    if off.max() > ORTHONORMAL:
        i, j = (int(k) for k in np.unravel_index(off.argmax(), off.shape))
        raise DataError(
            f"orthonormal_extension: <v_{i}, v_{j}> = {num(rows[i] @ rows[j]):.6g} and should be {int(i == j)}; "
            "make the vectors orthonormal first, for example by numpy.linalg.qr(vectors.T)."
        )
    return np.linalg.qr(rows.T, mode="complete")[0][:, len(rows) :].T


def scaled_back(owner: str, values: NDArray[Any], power: int) -> NDArray[Any]:
    """Return values times 2^power, which must be numbers."""
    with np.errstate(over="ignore"):
        whole = np.ldexp(values, power)
    if not np.isfinite(whole).all():
        raise DataError(
            f"{owner}: an eigenvalue of A is {num(values[np.abs(values).argmax()]):.6g} x 2^{power}, above the largest float64;"
            " divide A by a constant first."
        )
    return whole


def eigen_by_deflation(A: Numbers, *, tol: float | None = None) -> EigenPairs:
    """Find all eigenpairs of a symmetric matrix by (7) and (8).

        x = argmax R(A, .)    (7)
        A~ = A - lambda x x',   A~ x = 0, A~ z = A z for every other eigenvector z    (8)

    Parameters
    ----------
    A : array-like of shape (n, n)
        Symmetric.
    tol : float, optional
        Share of the Frobenius norm of A up to which an eigenvalue counts as zero; n eps by default.

    Examples
    --------
    >>> from novum.teaching import eigen_by_deflation
    >>> pairs = eigen_by_deflation([[0, 2], [2, 3]])
    >>> pairs.values.round(12)
    array([ 4., -1.])
    >>> (pairs.vectors[:, 0] * 5**0.5).round(12)
    array([1., 2.])
    """
    owner = "eigen_by_deflation"
    given = symmetric(owner, "A", A)
    power = int(np.frexp(np.abs(given).max())[1])  # of two: scaling rounds nothing, and no square vanishes or overflows
    matrix = np.ldexp(given, -power)
    n, size = len(matrix), float(np.linalg.norm(matrix))
    zero = size * (n * EPS if tol is None else check_number(owner, "tol", tol, 0, 1, open_high=True))
    values: list[float] = []
    vectors: list[NDArray[Any]] = []
    rest = matrix.copy()
    for sign in (1.0, -1.0):
        while len(values) < n and np.linalg.norm(rest) > zero:
            x = leading(sign * rest)
            for found in (
                vectors * 2
            ):  # twice: once leaves a trace where the eigenvalue is small relative to those found
                x = x - (x @ found) * found
            length = float(np.linalg.norm(x))
            value = float(x @ matrix @ x) / length**2 if length > np.sqrt(EPS) else 0.0
            if sign * value <= zero:
                break
            x = x / length
            values.append(value)
            vectors.append(x)
            rest = rest - value * np.outer(x, x)
    if len(values) < n:
        vectors += list(orthonormal_extension(vectors) if vectors else np.eye(n))
        values += [0.0] * (n - len(values))
    order = np.argsort(-np.array(values), kind="stable")
    V = np.array(vectors)[order].T
    V *= np.sign(V[np.abs(V).argmax(axis=0), np.arange(n)])
    found_values = np.array(values)[order]
    worst = np.linalg.norm(matrix @ V - V * found_values, axis=0).max()
    return EigenPairs(scaled_back(owner, found_values, power), V, float(worst / size) if size else 0.0)
