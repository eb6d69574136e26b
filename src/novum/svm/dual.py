"""The duals of the machines, each as one box-constrained quadratic program, and their optimum. docs/theory/svm.md.

    minimise  b'Kb / 2 + c'b   over   lower <= b <= upper,  sum b = const                                                  (1)
    classification    b = y a,    c = -y,               0 <= a <= C w                                                      (2)
    nu-classification b = y a,    c = 0,                0 <= a <= w,   sum of each class nu sum(w) / 2; divided by r        (3)
    regression        b = (a, -a*), c = (e - y, -e - y), 0 <= a, a* <= C w                                                 (4)
    nu-regression     the same with c = (-y, -y),        sum of each half C nu sum(w) / 2                                   (5)
    one class         b = a,      c = 0,                0 <= a <= w,   sum nu sum(w)                                        (6)
    hard margin       nearest points of the hulls of the classes: (3) with sums of one and no other bound; needs r > 0        (7)

The decision is d(x) = sum_i b_i k(x, x_i) - level, the level of slopes f = Kb + c where b is between its bounds.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum import _core
from novum.exceptions import DataError, ParameterError
from novum.svm.kernel_choice import Kernel, squares_of

__all__ = [
    "DualOptimum",
    "Limits",
    "classify",
    "enclose",
    "hard_margin",
    "nu_classify",
    "nu_regress",
    "regress",
    "report_moves",
]

GAP = 5e-4  # of tol, as a share of the objective: a gap so small that more steps would change no printed digit
MOST_STEPS = 10_000_000  # where max_iter sets no limit: nothing runs for ever
MOST_HARD = 1_000_000  # where the tube must hold all points, and no solution may exist
MEGABYTE = 1 << 20
SINGLE = 6e-8  # relative rounding of a float
CLEAR = 0.1  # of tol: rounding below it does not show
SEPARATE = 1e-7  # of the slopes, or of their violation: half distances below it cannot be distinguished from none


class Limits(NamedTuple):
    """When the solver stops and what it may use."""

    tol: float
    max_iter: int
    cache_size: float
    shrinking: bool
    threads: int
    watched: bool = False  # whether the moves are to be written down
    cut: bool = False  # whether max_iter is where somebody looks, not where a fit ends

    def at(self, steps: int | None) -> "Limits":
        """Return the limits of a solver that is looked at after some steps, with None at its end."""
        return self if steps is None else self._replace(max_iter=steps, watched=False, cut=True)

    def as_tuple(self, size: int, largest: float) -> tuple[float, float, int, int, bool, bool]:
        """What the compiled solver takes, for a problem of that size with variables up to `largest`, times the kernel.

        Slopes are sums of as many products of variables and kernels; where their rounding in single precision would come
        near `tol`, rows are kept in double precision.
        """
        steps = self.max_iter if self.max_iter >= 0 else max(MOST_STEPS, 100 * size)
        precise = not largest * np.sqrt(size) * SINGLE < CLEAR * self.tol
        memory = int(self.cache_size * MEGABYTE)
        return float(self.tol), GAP * self.tol, steps, memory, bool(self.shrinking), precise


class Problem(NamedTuple):
    """(1) with variables in one or two halves, each with a sum of its own where `by_half`."""

    halves: int
    by_half: bool
    linear: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    start: NDArray[np.float64]


class Moves(NamedTuple):
    """What the solver did: each move changes a pair of variables, in large problems a block of them."""

    steps: list[int]  # (m,): steps of pairs so far, after each move
    objective: list[float]  # (m,): of (1)
    violation: list[float]  # (m,)
    start: NDArray[np.float64]  # (halves n,)
    end: list[int]  # (m,): of the changes of each move below
    variable: list[int]
    value: list[float]

    def variables(self, number: int, rows: NDArray[np.intp], n: int) -> NDArray[np.float64]:
        """Return the variables of n rows after a move, (halves, n), where those of the problem have the numbers `rows`."""
        b, end = self.start.copy(), self.end[number]
        b[self.variable[:end]] = self.value[:end]  # of several values of one variable the last stays
        out = np.zeros((len(b) // len(rows), n))
        out[:, rows] = b.reshape(-1, len(rows))
        return out

    def changed(self, number: int) -> NDArray[np.intp]:
        """Return the variables that a move changed."""
        begin = self.end[number - 1] if number else 0
        return np.array(self.variable[begin : self.end[number]], dtype=np.intp)


class DualOptimum(NamedTuple):
    """An optimum of (1) in the terms of the decision."""

    coefficient: NDArray[np.float64]  # (n,): of every row in the decision
    level: float
    steps: int
    violation: float
    gap: float
    objective: float
    converged: bool
    scale: float = 1.0  # r of (3), or the width of the tube of (5)
    moves: Moves | None = None


def optimum(points: Any, kernel: Kernel, problem: Problem, limits: Limits) -> tuple[NDArray, NDArray, tuple]:
    """Return b, the levels and the account of the solver, which ends with its moves if they are watched."""
    b, slope = problem.start.copy(), np.empty_like(problem.start)
    level = np.empty(problem.halves if problem.by_half else 1)
    largest = float(np.max(problem.upper - problem.lower, initial=0.0)) * size_of(points, kernel)
    how = limits.as_tuple(len(b), largest)
    rest: tuple[Any, ...] = (
        problem.halves,
        problem.by_half,
        problem.linear,
        problem.lower,
        problem.upper,
        how,
        b,
        slope,
        level,
    )
    solver: Any = _core.svm.smo
    trace = solver.Trace() if limits.watched else None
    if kernel.is_matrix:
        account = solver.gram(points, *rest, trace=trace)
    elif scipy.sparse.issparse(points):
        values, columns, starts = points.data, points.indices.astype(np.int32), points.indptr.astype(np.int64)
        account = solver.sparse(
            values.astype(np.float64),
            columns,
            starts,
            points.shape[1],
            kernel.arguments,
            limits.threads,
            *rest,
            trace=trace,
        )
    else:
        account = solver.dense(points, kernel.arguments, limits.threads, *rest, trace=trace)
    if trace is None:
        return b, level, (*account, None)
    moves = Moves(
        steps=trace.steps,
        objective=trace.objective,
        violation=trace.violation,
        start=problem.start.copy(),
        end=trace.end,
        variable=trace.variable,
        value=trace.value,
    )
    return b, level, (*account, moves)


def size_of(points: Any, kernel: Kernel) -> float:
    """Return the largest kernel of a point with itself."""
    if kernel.name == "rbf" or not points.shape[0]:
        return 1.0
    if kernel.is_matrix:
        return float(np.abs(np.diagonal(points)).max())
    square = float(squares_of(points).max())
    if kernel.name == "linear":
        return square
    with np.errstate(over="ignore"):
        return 1.0 if kernel.name == "sigmoid" else float(abs(kernel.gamma * square + kernel.coef0) ** kernel.degree)


def machine_of(coefficient: NDArray, level: float, account: tuple, scale: float = 1.0) -> DualOptimum:
    """Return the machine with the account of its solver: steps, violation, gap, objective, rows computed, converged, moves."""
    steps, violation, gap, objective, _, converged, moves = account
    return DualOptimum(
        coefficient=coefficient,
        level=level,
        steps=steps,
        violation=violation,
        gap=gap,
        objective=objective,
        converged=converged,
        scale=scale,
        moves=moves,
    )


def classify(
    points: Any, kernel: Kernel, sign: NDArray[np.float64], C: NDArray[np.float64], limits: Limits
) -> DualOptimum:
    """Solve (2) for signs of +1 and -1 and a bound per row."""
    lower, upper = np.where(sign > 0, 0.0, -C), np.where(sign > 0, C, 0.0)
    problem = Problem(1, False, -sign, lower, upper, np.zeros(len(sign)))
    b, level, account = optimum(points, kernel, problem, limits)
    return machine_of(b, float(level[0]), account)


def nu_classify(
    points: Any, kernel: Kernel, sign: NDArray[np.float64], weight: NDArray[np.float64], nu: float, limits: Limits
) -> DualOptimum:
    """Solve (3). A half of the variables is one class; those of the other class are held at zero in it."""
    total = nu * float(weight.sum()) / 2
    by_class = [np.where(sign > 0, weight, 0.0), np.where(sign < 0, weight, 0.0)]
    if total > min(float(bound.sum()) for bound in by_class) * (1 + 1e-12):
        raise ParameterError(
            f"specified nu is infeasible: nu={nu!r} requires of each class {total:.6g} of weight, the smaller one has"
            f" {min(float(bound.sum()) for bound in by_class):.6g}. Give a smaller nu."
        )
    fill = [filled(bound, total) for bound in by_class]
    zeros = np.zeros(2 * len(sign))
    problem = Problem(
        2,
        True,
        zeros,
        np.concatenate([zeros[: len(sign)], -by_class[1]]),
        np.concatenate([by_class[0], zeros[: len(sign)]]),
        np.concatenate([fill[0], -fill[1]]),
    )
    b, level, account = optimum(points, kernel, problem, limits)
    r = float(level[0] - level[1]) / 2
    r = r if r > 0 else 1.0  # only where the classes coincide: the decision is flat
    both = b[: len(sign)] + b[len(sign) :]
    return machine_of(both / r, float(level[0] + level[1]) / (2 * r), account, r)


def hard_margin(points: Any, kernel: Kernel, sign: NDArray[np.float64], limits: Limits) -> DualOptimum:
    """Solve (7), to `tol` in units of the margin; raise where the classes cannot be separated."""
    n, zeros = len(sign), np.zeros(2 * len(sign))
    caps = [np.where(sign > 0, 2.0, 0.0), np.where(sign < 0, 2.0, 0.0)]  # above the sums, so that no bound is reached
    lower, upper = np.concatenate([zeros[:n], -caps[1]]), np.concatenate([caps[0], zeros[:n]])
    b, steps, scale, goal = np.concatenate([filled(caps[0], 1.0), -filled(caps[1], 1.0)]), 0, np.inf, limits.tol
    while True:
        problem = Problem(2, True, zeros, lower, upper, b)
        b, level, account = optimum(points, kernel, problem, limits._replace(tol=goal))
        r, steps = float(level[0] - level[1]) / 2, steps + account[0]
        scale = min(scale, max(abs(float(level[0])), abs(float(level[1])), 1e-300))
        if r < SEPARATE * max(scale, account[1]) or not account[5]:
            raise DataError(
                "SVC: no plane in the space of the kernel separates the classes, so that C=inf has no solution. Give a finite"
                " C, or a kernel with more room."
            )
        if account[1] <= limits.tol * r:
            break
        goal = 0.5 * limits.tol * r
    both = (b[:n] + b[n:]) / r
    objective = -float(np.abs(both).sum()) / 2  # at the optimum sum a = |w|^2
    account = (steps, account[1] / r, account[2] / r**2, objective, account[4], account[5], None)
    return machine_of(both, float(level[0] + level[1]) / (2 * r), account, r)


def filled(bound: NDArray[np.float64], total: float) -> NDArray[np.float64]:
    """Return variables that add up to `total`, the first ones at their bounds."""
    return np.clip(total - np.concatenate([[0.0], np.cumsum(bound)[:-1]]), 0.0, bound)


def regress(
    points: Any, kernel: Kernel, y: NDArray[np.float64], C: NDArray[np.float64], epsilon: float, limits: Limits
) -> DualOptimum:
    """Solve (4)."""
    zeros = np.zeros(len(y))
    linear = np.concatenate([epsilon - y, -epsilon - y])
    problem = Problem(2, False, linear, np.concatenate([zeros, -C]), np.concatenate([C, zeros]), np.zeros(2 * len(y)))
    hard = bool(np.isinf(C).any())
    if hard and limits.max_iter < 0:
        limits = limits._replace(max_iter=MOST_HARD)
    b, level, account = optimum(points, kernel, problem, limits)
    if hard and not account[5] and not limits.cut:
        raise DataError(
            f"SVR: no function of the kernel stays within epsilon={epsilon!r} of all targets, so that C=inf has no solution (or"
            " needs more steps: max_iter). Give a larger epsilon, or a finite C."
        )
    return machine_of(b[: len(y)] + b[len(y) :], float(level[0]), account, epsilon)


def nu_regress(
    points: Any, kernel: Kernel, y: NDArray[np.float64], C: NDArray[np.float64], nu: float, limits: Limits
) -> DualOptimum:
    """Solve (5); the width of the tube is half the distance of the levels."""
    zeros, start = np.zeros(len(y)), filled(C, nu * float(C.sum()) / 2)
    linear = np.concatenate([-y, -y])
    problem = Problem(
        2, True, linear, np.concatenate([zeros, -C]), np.concatenate([C, zeros]), np.concatenate([start, -start])
    )
    b, level, account = optimum(points, kernel, problem, limits)
    width = float(level[1] - level[0]) / 2
    return machine_of(b[: len(y)] + b[len(y) :], float(level[0] + level[1]) / 2, account, width)


def enclose(points: Any, kernel: Kernel, weight: NDArray[np.float64], nu: float, limits: Limits) -> DualOptimum:
    """Solve (6)."""
    start = filled(weight, nu * float(weight.sum()))
    zeros = np.zeros(len(weight))
    b, level, account = optimum(points, kernel, Problem(1, False, zeros, zeros, weight, start), limits)
    return machine_of(b, float(level[0]), account)


def report_moves(
    machine: DualOptimum, stopped_at: Callable[[int], Any], report: Any, rows: NDArray[np.intp], n: int
) -> int | None:
    """Report the moves of a solver on some of n rows; return the steps after which a callback stopped it, None if it was not.

    `stopped_at(steps)` returns the parameters of a solver that took so many steps: it takes the same steps again, so it is asked
    only when somebody wants a fitted copy.
    """
    moves = machine.moves
    if moves is None or not moves.steps:
        return None
    report.begin(partial(stopped_at, 0))
    for number, steps in enumerate(moves.steps):
        facts = {
            "steps": steps,
            "rows": rows[moves.changed(number) % len(rows)],
            "violation": moves.violation[number],
            "variables": partial(moves.variables, number, rows, n),
        }
        if report(number + 1, moves.objective[number], partial(stopped_at, steps), **facts):
            return None if number + 1 == len(moves.steps) else steps
    return None
