r"""The last digits of a quadratic programme: guess the active constraints and solve for them exactly.

    [Q  A'  G_a'] [x  ]   [-c ]
    [A          ] [y  ] = [ b ]        G_a: the rows whose multiplier exceeds their slack           (1)
    [G_a        ] [z_a]   [h_a]

The answer of (1) is kept only if it is feasible, its multipliers have the right sign and every residual is smaller.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lstsq, lu_factor, lu_solve, qr

from novum.optimize.quadratic.interior_point import InteriorPoint, Rows

__all__ = ["polish", "solve_equalities"]

Array = NDArray[Any]
REGULARIZATION = 1e-11  # of a matrix whose entries are at most one; refined away
REFINEMENTS = 5
SIGN_SLACK = 1e-12


def solve_equalities(Q: Array, c: Array, A: Array, b: Array) -> InteriorPoint:
    """Return the solution of (1) without inequalities, on the null space of A, or a direction of endless descent."""
    d, p, none = len(c), len(A), np.empty(0)
    q, r = qr(A.T) if p else (np.eye(d), np.empty((d, 0)))
    Y, Z = q[:, :p], q[:, p:]
    x = Y @ np.linalg.solve(r[:p].T, b) if p else np.zeros(d)
    if Z.shape[1]:
        reduced, slope = Z.T @ Q @ Z, Z.T @ (Q @ x + c)
        u = lstsq(reduced, -slope, cond=1e-13)[0]
        left = slope + reduced @ u
        if np.abs(left).max() > 1e-9 * (1 + np.abs(slope).max()):
            return InteriorPoint(-Z @ left, np.zeros(p), none, none, "unbounded", 1, [0.0])
        x = x + Z @ u
    y = np.linalg.solve(r[:p], -Y.T @ (Q @ x + c)) if p else np.empty(0)
    return InteriorPoint(x, y, none, none, "optimal", 1, [0.0])


def _residuals(
    Q: Array, c: Array, A: Array, b: Array, rows: Rows, x: Array, y: Array, z: Array
) -> tuple[float, float, float]:
    slack = rows.limit - rows.times(x)
    stationarity = float(np.abs(Q @ x + c + A.T @ y + rows.transposed(z)).max())
    violation = max(float(np.abs(A @ x - b).max(initial=0.0)), float(-slack.min(initial=0.0)))
    return stationarity, violation, float(np.abs(z * slack).max())


def polish(Q: Array, c: Array, A: Array, b: Array, rows: Rows, found: InteriorPoint) -> InteriorPoint:
    """Return the point improved by (1) where that is an improvement, else as it was."""
    if found.status not in ("optimal", "stalled"):
        return found
    active = found.z > found.s
    B = np.concatenate([A, rows.take(active)])
    d, p = len(c), len(B)
    if p > d + len(A):  # a vertex with more active rows than dimensions: (1) is not regular
        return found
    right = np.concatenate([-c, b, rows.limit[active]])
    K = np.block([[Q, B.T], [B, np.zeros((p, p))]])
    shifted = K + np.diag(np.concatenate([np.full(d, REGULARIZATION), np.full(p, -REGULARIZATION)]))
    factor = lu_factor(shifted, check_finite=False)
    # Refinement starts from the interior point, so directions that (1) leaves free stay where they are.
    v = np.concatenate([found.x, found.y, found.z[active]])
    for _ in range(REFINEMENTS):
        v = v + lu_solve(factor, right - K @ v, check_finite=False)
    x, y, z = v[:d], v[d : d + len(A)], np.zeros_like(found.z)
    z[active] = np.maximum(v[d + len(A) :], 0)
    if not np.all(np.isfinite(v)) or v[d + len(A) :].min(initial=0.0) < -SIGN_SLACK:
        return found
    before = _residuals(Q, c=c, A=A, b=b, rows=rows, x=found.x, y=found.y, z=found.z)
    after = _residuals(Q, c=c, A=A, b=b, rows=rows, x=x, y=y, z=z)
    floor = 1e-14 * (1 + float(np.abs(x).max()))
    if any(new > max(old, floor) for new, old in zip(after, before)):
        return found
    good = found.status == "optimal" or max(after) <= 1e-9
    return found._replace(x=x, y=y, z=z, s=rows.limit - rows.times(x), status="optimal" if good else found.status)
