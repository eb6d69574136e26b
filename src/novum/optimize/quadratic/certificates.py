r"""Proofs that a problem has no solution.

By Farkas' lemma either some x has A x = b, G x <= h, or some y and z >= 0 have

    A'y + G'z = 0,    b'y + h'z < 0                                                            (1)

which no feasible x survives: 0 = (A'y + G'z)'x <= b'y + h'z < 0. The proof is the dual solution of the linear programme
that minimizes the sum of all violations.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from novum.exceptions import ParameterError

__all__ = ["InfeasibleProblem", "UnboundedProblem", "prove_infeasible"]

Array = NDArray[Any]
UNBOUNDED = "solve_qp: the objective falls without end along a feasible direction; add bounds or constraints on x."
VIOLATED = 1e-8  # relative sum of violations that cannot be rounding


class InfeasibleProblem(ParameterError):
    """No point meets all constraints; `certificate` proves it."""

    def __init__(self, message: str, certificate: dict[str, Any]) -> None:
        super().__init__(message)
        self.certificate = certificate


class UnboundedProblem(ParameterError):
    """The objective has no minimum; `certificate["direction"]` lowers it for ever."""

    def __init__(self, message: str, certificate: dict[str, Any]) -> None:
        super().__init__(message)
        self.certificate = certificate


def prove_infeasible(A: Array, b: Array, G: Array, h: Array, low: Array, high: Array) -> dict[str, Array] | None:
    """Return (1) as equality, inequality, lower and upper multipliers, or None where the constraints can be met."""
    d, p, m = A.shape[1], len(A), len(G)
    cost = np.concatenate([np.zeros(d), np.ones(2 * p + m)])
    equalities = np.hstack([A, np.eye(p), -np.eye(p), np.zeros((p, m))])
    inequalities = np.hstack([G, np.zeros((m, 2 * p)), -np.eye(m)])
    bounds = list(zip(low, high)) + [(0, None)] * (2 * p + m)
    found = linprog(
        cost,
        A_ub=inequalities if m else None,
        b_ub=h if m else None,
        A_eq=equalities if p else None,
        b_eq=b if p else None,
        bounds=bounds,
        method="highs",
    )
    size = 1 + max(np.abs(b).max(initial=0.0), np.abs(h).max(initial=0.0))
    if not found.success or found.fun <= VIOLATED * size:
        return None
    equality = -found.eqlin.marginals if p else np.empty(0)
    inequality = -found.ineqlin.marginals if m else np.empty(0)
    return {
        "equality": equality,
        "inequality": inequality,
        "lower": found.lower.marginals[:d],
        "upper": -found.upper.marginals[:d],
    }
