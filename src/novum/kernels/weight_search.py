"""Weights of kernels for a machine on their sum: its dual solution at given weights, and the search for the best.

The formulas are those of `learning`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.optimize import solve_qp

__all__ = ["LearnedKernel", "learn_weights"]

Array = NDArray[np.float64]
RIDGE = 1e-10  # of the mean diagonal, so that rounding leaves no Gram matrix with a negative eigenvalue
LENGTHENING, LONGEST = 1.5, 64.0  # of steps while the objective falls
AT_BOUND = 1e-6  # share of C within which a multiplier counts as zero or as C


class DualSolution(NamedTuple):
    """One class against the others at given weights."""

    multipliers: Array  # (n,): a
    bias: float
    objective: float  # (2)


class LearnedKernel(NamedTuple):
    kernel: Any
    objects: Any
    dual_coef: Array  # (functions, n): a_i t_i
    bias: Array
    classes: NDArray[Any]


def bias_of(K: Array, signed: Array, t: Array, a: Array, upper: Array) -> float:
    """Return the bias: the mean over free multipliers, or the middle of what the bound ones allow."""
    rest = t - K @ signed
    free = (a > AT_BOUND * upper) & (a < (1 - AT_BOUND) * upper)
    if free.any():
        return float(rest[free].mean())
    low = (a <= AT_BOUND * upper) == (t > 0)  # f >= 1 needed of these: they bound the bias from below
    below, above = rest[low].max(initial=-np.inf), rest[~low].min(initial=np.inf)
    return float(np.mean([edge for edge in (below, above) if np.isfinite(edge)] or [0.0]))


def machine_at(K: Array, t: Array, upper: Array) -> DualSolution:
    """Return the maximum (2) for one Gram matrix."""
    Q = t[:, None] * K * t[None, :]
    Q.flat[:: len(Q) + 1] += RIDGE * max(float(np.trace(K)) / len(K), np.finfo(float).tiny)
    found = solve_qp(Q, -np.ones(len(t)), A_eq=t[None, :], b_eq=[0.0], lower=0.0, upper=upper)
    a = np.clip(found.x, 0.0, upper)
    return DualSolution(a, bias_of(K, a * t, t, a, upper), -float(found.value))


class Point(NamedTuple):
    """Weights, the machines at them, (2), and S of (3)."""

    weights: Array
    machines: list[DualSolution]
    objective: float
    sizes: Array

    @property
    def gap(self) -> float:
        """(4)."""
        slack = float(self.sizes.max() - self.weights @ self.sizes)
        return 0.5 * slack / max(abs(self.objective), np.finfo(float).tiny)


def point_at(b: Array, grams: Array, targets: Array, upper: Array) -> Point:
    """Return the machines at given weights."""
    K = np.tensordot(b, grams, axes=1)
    machines = [machine_at(K, t, upper) for t in targets]
    S = np.zeros(len(grams))
    for machine, t in zip(machines, targets):
        signed = machine.multipliers * t
        S += np.maximum(np.einsum("i,kij,j->k", signed, grams, signed, optimize=True), 0.0)
    return Point(b, machines, sum(machine.objective for machine in machines), S)


def learn_weights(
    grams: Array, targets: Array, upper: Array, tol: float, max_iter: int
) -> tuple[Point, list[float], list[float]]:
    """Return the point that (3) ends at, and J and gap of every iteration.

    The step of (3) is lengthened while J falls, S^(stride / 2) for S^(1/2), and shortened to (3) itself where it does not.
    """
    now = point_at(np.full(len(grams), 1 / len(grams)), grams, targets, upper)
    objectives, gaps, stride = [now.objective], [now.gap], 1.0
    for _ in range(max_iter):
        if gaps[-1] <= tol:
            break
        b = now.weights * (now.sizes / now.sizes.max()) ** (stride / 2)
        ahead = point_at(b / b.sum(), grams, targets, upper)
        if ahead.objective > now.objective and stride > 1:
            stride = 1.0
            continue
        now, stride = ahead, min(LENGTHENING * stride, LONGEST)
        objectives.append(now.objective)
        gaps.append(now.gap)
    return now, objectives, gaps
