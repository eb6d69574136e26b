r"""Newton's method on an objective over rows, for losses with and without a scale.

A step solves H d = -g, in the range that H has. Without a scale it is halved until f falls by Armijo's rule, which keeps it in the
span of the rows, so that a Hessian without full rank ends at the shortest solution. With a scale s, the last parameter, it is
damped instead by the diagonal that H would have were all rows curved, and s never falls below a floor: where residuals and scale
shrink together the objective is linear, and only damping ends that. Beyond `MOST_COLUMNS` no Hessian is formed and L-BFGS works
on gradients.

A pass over many rows in memory costs much more than one over a share of them, so there the start is the minimum of a share. And a
pass that quadratic convergence should make the last one forms no Hessian. A table of one block, whose passes are shorter than the
calls between them, has all its steps in one call of the core, unless somebody listens.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import lapack

from novum import _core
from novum.base.callbacks import SILENT
from novum.linear_model.newton.losses.loss import Array
from novum.linear_model.newton.objective import MOST_FUSED, Objective, Sums

__all__ = ["MOST_COLUMNS", "Minimum", "damped_newton", "newton"]

MOST_COLUMNS = 1500
EPS, TINY = float(np.finfo(np.float64).eps), float(np.finfo(np.float64).tiny)
SUFFICIENT = 1e-4  # of the fall that the slope promises
HALVINGS, STALLED = 40, 0.5
KEPT = 0.5  # of the way to a scale of zero, which a step may go: the coefficients must follow
LEAST_DAMPING, TRIALS = 1e-8, 30
FLAT = 1e-12  # damping where the objective is linear along residuals and scale that shrink together
IDLE = 1e-6  # share of the loss that a step must win where the scale rests at its floor, at kinks ...
PATIENCE = 10  # ... or so many steps are the last

SHARE, SHARE_STEPS, SHARE_TOL = 8, 6, 1e-3  # one row in eight, for at most six steps, makes a start
SHARE_FROM = 2**19  # values from which a start on a share pays
ONE_BLOCK = 2**18  # values of a table that is one block: threads would share nothing
SHARE_ROWS = 50  # rows per parameter that a share must have, or its minimum lies too far off

Report = Any  # novum.base.callbacks.Iterations, or its silent twin: called at every step; True ends the fit


class Minimum(NamedTuple):
    theta: Array
    objective: float
    n_iter: int
    converged: bool


def newton_step(hessian: Array, gradient: Array) -> Array:
    """Return the solution of H d = -g, the shortest one where H has no inverse."""
    scale = np.sqrt(np.maximum(hessian.diagonal(), TINY))
    unit = np.asarray_chkfinite(hessian / scale / scale[:, None])
    _, step, failed = lapack.dposv(unit.T, gradient / scale)  # symmetric: the transpose is laid out as LAPACK has it
    if not failed:
        return np.asarray(step / -scale)
    # Not of unit columns: steps in the span of the rows end at the shortest solution.
    values, vectors = np.linalg.eigh(hessian)
    used = values > len(values) * EPS * values[-1]
    along = vectors[:, used]
    return -(along @ ((along.T @ gradient) / values[used]))


def falls(now: Sums, then: Sums, slope: float, slack: float) -> bool:
    """Return Armijo's rule, with as many roundings of slack."""
    return slope < 0 and then.loss <= now.loss + SUFFICIENT * slope + slack * EPS * abs(now.loss)


def size_of(gradient: Array) -> float:
    """Return the largest component."""
    return float(np.abs(gradient).max())


def last_expected(sizes: list[float], tol: float) -> bool:
    """Return whether quadratic convergence should bring the next gradient below tol: then its pass needs no Hessian."""
    return len(sizes) > 1 and sizes[-1] < 0.1 * sizes[-2] and sizes[-1] * (sizes[-1] / sizes[-2]) <= tol


def on_share(
    objective: Objective, solve: Callable[[Objective, Array], Minimum], theta: Array
) -> tuple[Array, Sums | None]:
    """Return the minimum over a share of the rows, with the sums there, or `theta` where that would not pay or is no better."""
    source = objective.source
    n = (source.n_rows or 0) if source.at_hand and not source.sparse else 0
    warm = bool(theta[: source.n_features].any())  # from an earlier fit, which is nearer
    if warm or n * len(theta) < SHARE_FROM or n < SHARE * SHARE_ROWS * len(theta):
        return theta, None
    share = replace(objective, share=SHARE)
    found = solve(share, theta).theta
    there = objective.at(found)
    # Rows in some order of their targets may mislead; a share that tells nothing of the others is found out by its loss.
    usual = there.loss <= share.at(theta, 0).loss or there.loss <= objective.at(theta, 0).loss
    return (found, there) if usual and np.isfinite(there.loss) else (theta, None)


def newton(objective: Objective, theta: Array, *, max_iter: int, tol: float, report: Report) -> Minimum:
    """Return the minimum of an objective without a scale, found to a largest gradient of `tol`."""
    if len(theta) > MOST_COLUMNS:
        return by_gradients(objective, theta, max_iter, tol, report)
    if (found := in_one_call(objective, theta, max_iter, tol)) is not None:
        return steps_of_call(objective, theta, found, tol, report) if report.listens else found
    now = None
    if max_iter > SHARE_STEPS:
        theta, now = on_share(
            objective, lambda share, start: newton_steps(share, start, SHARE_STEPS, SHARE_TOL, SILENT), theta
        )
    return newton_steps(objective, theta, max_iter, tol, report, now)


def in_one_call(objective: Objective, theta: Array, max_iter: int, tol: float) -> Minimum | None:
    """Return the minimum over a small dense table, or None where the core has not the loss, or the Hessian not full rank."""
    source: Any = objective.source
    movable = (
        objective.intercept
    )  # one that is not fitted may still be another number than zero in the frame of the target
    known = objective.loss.kernel if movable and source.at_hand and not source.sparse else None
    if known is None or len(theta) > MOST_FUSED or source.n_rows * len(theta) > ONE_BLOCK:
        return None
    theta, weight = np.array(theta), source.weight
    penalty = np.zeros(len(theta))
    penalty[:-1] = objective.penalty
    loss, n_iter, converged, sound = _core.linear_model.newton.line_newton(
        np.ascontiguousarray(source.array()),
        np.ascontiguousarray(source.y, dtype=np.float64).reshape(-1),
        None if weight is None else np.ascontiguousarray(weight, dtype=np.float64),
        theta,
        loss=known[0],
        parameter=known[1],
        constant=1.0,
        middle=objective.unit.middle,
        unit=objective.unit.unit,
        mass=objective.mass,
        penalty=penalty,
        tol=tol,
        share=0.0,
        most=max_iter,
    )
    return Minimum(theta, loss, n_iter, converged) if sound else None


def steps_of_call(objective: Objective, theta: Array, found: Minimum, tol: float, report: Report) -> Minimum:
    """Report the steps of a minimum that was found in one call: step t is the end of a call of t steps."""
    report.begin(theta)
    for n_iter in range(1, found.n_iter + 1):
        then = in_one_call(objective, theta, n_iter, tol)
        assert then is not None
        if report(n_iter, then.objective, then.theta) and n_iter < found.n_iter:
            return then._replace(converged=True)
    return found


def newton_steps(
    objective: Objective, theta: Array, max_iter: int, tol: float, report: Report, now: Sums | None = None
) -> Minimum:
    """Return where Newton's steps of falling objective end; `now` are the sums at theta where they are known."""
    now = objective.at(theta) if now is None else now
    sizes = [size_of(now.gradient)]
    report.begin(theta)
    for n_iter in range(max_iter):
        if sizes[-1] <= tol:
            return Minimum(theta, now.loss, n_iter, True)
        if not now.hessian.size:
            now = objective.at(theta)
        step = newton_step(now.hessian, now.gradient)
        slope, length = float(step @ now.gradient), 1.0
        order = 1 if last_expected(sizes, tol) else 2
        for _ in range(HALVINGS if slope < 0 else 0):
            then = objective.at(theta + length * step, order)
            if falls(now, then, length * slope, 4):
                break
            length /= 2
        else:
            return Minimum(theta, now.loss, n_iter, True)  # no step of any length goes down any more
        sizes.append(size_of(then.gradient))
        if -slope <= EPS * abs(now.loss) and sizes[-1] > STALLED * sizes[-2]:
            return Minimum(theta, now.loss, n_iter, True)  # neither the loss nor the gradient shows a gain
        theta, now = theta + length * step, then
        if report(n_iter + 1, now.loss, theta):
            return Minimum(theta, now.loss, n_iter + 1, True)
    return Minimum(theta, now.loss, max_iter, sizes[-1] <= tol)


def damped_newton(
    objective: Objective, theta: Array, *, floor: float, max_iter: int, tol: float, report: Report
) -> Minimum:
    """Return the minimum of an objective with a scale of at least `floor`."""
    now = None
    if max_iter > SHARE_STEPS:
        theta, now = on_share(
            objective, lambda share, start: damped_steps(share, start, floor, SHARE_STEPS, tol, SILENT), theta
        )
    return damped_steps(objective, theta, floor, max_iter, tol, report, now)


def damped_steps(
    objective: Objective,
    theta: Array,
    floor: float,
    max_iter: int,
    tol: float,
    report: Report,
    now: Sums | None = None,
) -> Minimum:
    """Return where damped steps end; `now` are the sums at theta where they are known."""
    damping, idle = 0.0, 0
    now = objective.at(theta) if now is None else now
    diagonal = objective.full_diagonal()
    report.begin(theta)
    for n_iter in range(max_iter):
        low = theta[-1] <= 2 * floor
        rests = low and now.gradient[-1] > 0
        if np.abs(now.gradient[: -1 if rests else None]).max() <= tol:
            return Minimum(theta, now.loss, n_iter, True)
        full = objective.loss.greatest_curvature(float(theta[-1])) * diagonal
        for _ in range(TRIALS):
            damped, length = now.hessian + max(damping, FLAT) * np.diag(full), 1.0
            step = newton_step(damped, now.gradient)
            if low and theta[-1] + step[-1] < floor:  # the scale has vanished: only the coefficients move
                step = np.append(newton_step(damped[:-1, :-1], now.gradient[:-1]), 0.0)
            elif step[-1] < KEPT * (floor - theta[-1]):
                length = KEPT * (floor - theta[-1]) / step[-1]
            then = objective.at(theta + length * step)
            if falls(now, then, length * float(step @ now.gradient), 8):
                break
            damping = max(10 * damping, LEAST_DAMPING)
        else:
            return Minimum(theta, now.loss, n_iter, True)  # nothing goes down: at a kink, or at a scale of zero
        moved = length * step
        idle = idle + 1 if rests and now.loss - then.loss <= IDLE * abs(now.loss) else 0
        theta, now = theta + moved, then
        damping = damping / 100 if damping > LEAST_DAMPING else 0.0
        ends = report(n_iter + 1, now.loss, theta) or idle == PATIENCE
        if ends or np.abs(moved).max() <= 4 * EPS * np.abs(theta).max():
            return Minimum(theta, now.loss, n_iter + 1, True)
    return Minimum(theta, now.loss, max_iter, bool(np.abs(now.gradient).max() <= tol))


def by_gradients(objective: Objective, theta: Array, max_iter: int, tol: float, report: Report) -> Minimum:
    """Return the minimum by L-BFGS."""
    from scipy.optimize import minimize

    def value(at: Array) -> tuple[float, Array]:
        found = objective.at(at, 1)
        return found.loss, found.gradient

    steps = stopped = 0

    def reported(intermediate_result: Any) -> None:
        nonlocal steps, stopped
        steps += 1
        if report(steps, float(intermediate_result.fun), intermediate_result.x.copy()):
            stopped = 1
            raise StopIteration

    report.begin(theta)
    options = {"maxiter": max_iter, "gtol": tol, "ftol": 64 * EPS, "maxls": 50}
    callback = reported if report.listens else None
    found = minimize(value, theta, jac=True, method="L-BFGS-B", options=options, callback=callback)
    return Minimum(found.x, float(found.fun), int(found.nit), bool(found.success or stopped))
