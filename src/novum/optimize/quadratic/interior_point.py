r"""A primal-dual interior-point method for convex quadratic programmes (Mehrotra's predictor and corrector).

    minimize x'Qx / 2 + c'x   subject to   A x = b,   G x + s = h,   s >= 0                                      (1)
    optimal iff   Qx + c + A'y + G'z = 0,   A x = b,   G x + s = h,   s[i] z[i] = 0,   s, z >= 0                  (2)

The products s[i] z[i] are steered to zero along the central path s[i] z[i] = mu. One Newton step for (2) is

    (Q + G'WG) dx + A'dy = -r_d - G'((z r_g - r_c) / s),    A dx = -r_p,    W = diag(z / s)                       (3)
    ds = -r_g - G dx,    dz = (-r_c - z ds) / s                                                                  (4)

solved twice with one Cholesky factor: first aiming at mu = 0 (predictor), then at sigma mu with the second-order term
ds dz, sigma = (mu_aff / mu)^3 (corrector). Rows of G that are bounds enter (3) on the diagonal only, so that box
constraints cost nothing beyond the factor of Q. Derivation: docs/theory/optimization.md.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

__all__ = ["InteriorPoint", "Rows", "interior_point"]

Array = NDArray[Any]
EPS = float(np.finfo(np.float64).eps)
REFINEMENTS = 3  # of the solution of (3); each restores digits that the regularization took
NEAR_BOUNDARY = 0.995  # share of the step to the boundary that is taken
SHORT, CENTERING = 0.1, 0.8  # a step shorter than SHORT is replaced by one towards the central path
RAY = 1e-8  # relative residual at which a diverging iterate proves that there is no solution
STALL = 15  # iterations without progress after which rounding rules


class Rows(NamedTuple):
    """The inequalities G x <= h of (1): general rows first, then -x[lower] and x[upper]."""

    general: Array  # (m, d)
    lower: Array  # indices of variables with a lower bound
    upper: Array  # indices of variables with an upper bound
    limit: Array  # (m + lower + upper,)

    def times(self, x: Array) -> Array:
        """Return G x."""
        return np.concatenate([self.general @ x, -x[self.lower], x[self.upper]])

    def transposed(self, z: Array) -> Array:
        """Return G'z."""
        m, k = len(self.general), len(self.general) + self.lower.size
        result = self.general.T @ z[:m]
        result[self.lower] -= z[m:k]
        result[self.upper] += z[k:]
        return result

    def gram(self, weight: Array) -> Array:
        """Return G'WG."""
        m, k = len(self.general), len(self.general) + self.lower.size
        result = (self.general.T * weight[:m]) @ self.general
        diagonal = np.einsum("ii->i", result)
        diagonal[self.lower] += weight[m:k]
        diagonal[self.upper] += weight[k:]
        return result

    def take(self, active: Array) -> Array:
        """Return the active rows as a dense matrix."""
        m, k, d = len(self.general), len(self.general) + self.lower.size, self.general.shape[1]
        identity = np.eye(d)
        return np.concatenate(
            [self.general[active[:m]], -identity[self.lower[active[m:k]]], identity[self.upper[active[k:]]]]
        )


class InteriorPoint(NamedTuple):
    """Where the iteration ended; `status` is "optimal", "infeasible", "unbounded" or "stalled"."""

    x: Array
    y: Array
    z: Array
    s: Array
    status: str
    n_iter: int
    history: list[float]  # complementarity mu


class Factor:
    """The matrix of (3), factored; solves are refined against the matrix without its regularization."""

    def __init__(self, H: Array, A: Array) -> None:
        self.H, self.A = H, A
        size = max(float(np.abs(np.diagonal(H)).max(initial=0.0)), EPS)
        shift = EPS * size
        while True:
            try:
                self.lower = cho_factor(H + shift * np.eye(len(H)), lower=True, check_finite=False)
                if len(A):
                    self.back = cho_solve(self.lower, A.T, check_finite=False)
                    schur = A @ self.back
                    schur_size = max(float(np.abs(np.diagonal(schur)).max()), EPS)
                    self.schur = cho_factor(schur + EPS * schur_size * np.eye(len(A)), lower=True, check_finite=False)
                return
            except LinAlgError:
                shift *= 100

    def _once(self, u: Array, v: Array) -> tuple[Array, Array]:
        first = cho_solve(self.lower, u, check_finite=False)
        if not len(self.A):
            return first, v
        dy = cho_solve(self.schur, self.A @ first - v, check_finite=False)
        return first - self.back @ dy, dy

    def solve(self, u: Array, v: Array) -> tuple[Array, Array]:
        """Return (dx, dy) with H dx + A'dy = u, A dx = v."""
        dx, dy = self._once(u, v)
        for _ in range(REFINEMENTS):
            ex, ey = self._once(u - self.H @ dx - self.A.T @ dy, v - self.A @ dx)
            dx, dy = dx + ex, dy + ey
        return dx, dy


def longest_step(value: Array, move: Array) -> float:
    """Return the largest step in [0, 1] that keeps value + step move >= 0."""
    falling = move < 0
    return float(min(1.0, (-value[falling] / move[falling]).min(initial=np.inf)))


def starting_point(Q: Array, c: Array, A: Array, b: Array, rows: Rows) -> tuple[Array, Array, Array, Array]:
    """Return the point of least ||s||^2 / 2 + objective, with s and z moved into the interior."""
    x, y = Factor(Q + rows.gram(np.ones_like(rows.limit)), A).solve(-c + rows.transposed(rows.limit), b)
    s = rows.limit - rows.times(x)
    z = -s
    into = max(float(-s.min()), -np.inf)
    s = s + (1 + into) if into >= 0 else np.maximum(s, EPS)
    into = float(-z.min())
    z = z + (1 + into) if into >= 0 else np.maximum(z, EPS)
    return x, y, s, z


def interior_point(Q: Array, c: Array, A: Array, b: Array, rows: Rows, *, tol: float, max_iter: int) -> InteriorPoint:
    """Solve (1) from a start that need not be feasible; there must be at least one inequality."""
    x, y, s, z = starting_point(Q, c, A, b, rows)
    scale_d, scale_p = 1 + np.abs(c).max(initial=0.0), 1 + max(np.abs(b).max(initial=0.0), np.abs(rows.limit).max())
    history: list[float] = []
    best, best_point, stalled = np.inf, (x, y, s, z), 0
    for n_iter in range(max_iter + 1):
        Qx = Q @ x
        r_d = Qx + c + A.T @ y + rows.transposed(z)
        r_p = A @ x - b
        r_g = rows.times(x) + s - rows.limit
        mu = float(s @ z) / s.size
        value = float(x @ Qx / 2 + c @ x)
        history.append(mu)
        error = max(
            np.abs(r_d).max() / scale_d,
            np.abs(r_p).max(initial=0.0) / scale_p,
            np.abs(r_g).max() / scale_p,
            s.size * mu / (1 + abs(value)),
        )
        if not np.isfinite(error):
            return InteriorPoint(*best_point[:2], best_point[3], best_point[2], "stalled", n_iter, history)
        if error <= tol:
            return InteriorPoint(x, y, z, s, "optimal", n_iter, history)
        stalled = 0 if error < 0.9 * best else stalled + 1
        if error < best:
            best, best_point = error, (x, y, s, z)
        # A ray: multipliers that prove (1) infeasible, or a direction of endless descent.
        towards = -float(b @ y + rows.limit @ z)
        if towards > 0 and np.abs(A.T @ y + rows.transposed(z)).max() <= RAY * towards:
            return InteriorPoint(x, y / towards, z / towards, s, "infeasible", n_iter, history)
        descent = -float(c @ x)
        away = max(np.abs(Qx).max(), np.abs(A @ x).max(initial=0.0), float(rows.times(x).max()))
        if descent > 0 and away <= RAY * descent:
            return InteriorPoint(x / descent, y, z, s, "unbounded", n_iter, history)
        if n_iter == max_iter or stalled > STALL:
            break
        factor = Factor(Q + rows.gram(z / s), A)

        def step(
            r_c: Array, factor: Any = factor, r_d: Any = r_d, r_p: Any = r_p, r_g: Any = r_g, s: Any = s, z: Any = z
        ) -> tuple[Array, Array, Array, Array]:
            dx, dy = factor.solve(-r_d - rows.transposed((z * r_g - r_c) / s), -r_p)
            ds = -r_g - rows.times(dx)
            return dx, dy, ds, (-r_c - z * ds) / s

        _, _, ds, dz = step(s * z)
        reach = min(longest_step(s, ds), longest_step(z, dz))
        mu_affine = float((s + reach * ds) @ (z + reach * dz)) / s.size
        sigma = (mu_affine / mu) ** 3
        # Mehrotra's full second-order term can cycle; weighed by the predictor's own reach it cannot mislead.
        dx, dy, ds, dz = step(s * z + reach**2 * ds * dz - sigma * mu)
        reach = min(longest_step(s, ds), longest_step(z, dz))
        if reach < SHORT:
            dx, dy, ds, dz = step(s * z - CENTERING * mu)
            reach = min(longest_step(s, ds), longest_step(z, dz))
        # Far from the solution a step stops short of the boundary, close to it less and less so.
        reach *= 1 - min(1 - NEAR_BOUNDARY, error)
        x, y, s, z = x + reach * dx, y + reach * dy, s + reach * ds, z + reach * dz
    return InteriorPoint(*best_point[:2], best_point[3], best_point[2], "stalled", len(history) - 1, history)
