r"""Belief propagation on graphs with loops.

    mu_{f->x} <- (1 - damping) new + damping old,  in logs, each normalised                                          (1)
    b(x) ~ prod_f mu_{f->x}(x),     b(x_f) ~ f(x_f) prod_y mu_{y->f}(y)                                             (2)
    log Z is about sum_f sum b_f (log f - log b_f) + sum_x (degree(x) - 1) sum b_x log b_x           (Bethe)         (3)

The messages are those of a tree, sent again and again until they stop changing. On a tree the result is exact; with loops it
is an approximation, and it may not settle: the result has the number of sweeps and the last change.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.engines.factors.plan import Engine
from novum.exceptions import DataError, NotConverged, ParameterError
from novum.graphical.inference.evidence import Evidence
from novum.graphical.inference.message_passing import along, log_sum
from novum.graphical.inference.result import Posterior
from novum.report.numbers import counted
from novum.runtime.checks import check_choice, check_count, check_number
from novum.runtime.warn import warn

__all__ = ["loopy_bp"]

Array = NDArray[np.float64]


class Beliefs:
    """The factors of a model given evidence, and the messages between them and the variables, as logs."""

    def __init__(self, engine: Engine, seen: Evidence) -> None:
        self.factors: list[tuple[tuple[int, ...], Array]] = []
        self.constant = 0.0
        with np.errstate(divide="ignore"):
            for scope, table, _ in engine.factors:
                log = np.log(table[tuple(seen.hard.get(v, slice(None)) for v in scope)])
                kept = tuple(v for v in scope if v not in seen.hard)
                if kept:
                    self.factors.append((kept, log))
                else:
                    self.constant += float(log)
            for v, weight in seen.soft.items():
                if v in seen.hard:
                    self.constant += float(np.log(weight[seen.hard[v]]))
                else:
                    self.factors.append(((v,), np.log(weight)))
        self.around: dict[int, list[int]] = {v: [] for v in range(len(engine.cards)) if v not in seen.hard}
        for k, (scope, _) in enumerate(self.factors):
            for v in scope:
                self.around[v].append(k)
        self.messages = {
            (k, v): np.full(engine.cards[v], -np.log(engine.cards[v]))
            for k, (scope, _) in enumerate(self.factors)
            for v in scope
        }
        self.cards = engine.cards

    def from_variable(self, v: int, leave: int = -1) -> Array:
        total = np.zeros(self.cards[v])
        for k in self.around[v]:
            if k != leave:
                total = total + self.messages[k, v]
        return total

    def log_product(self, k: int, leave: int = -1) -> Array:
        scope, total = self.factors[k]
        for axis, v in enumerate(scope):
            if v != leave:
                total = total + along(self.from_variable(v, k), axis, len(scope))
        return total

    def sent(self, k: int, v: int) -> Array:
        scope, _ = self.factors[k]
        kept = scope.index(v)
        message = log_sum(self.log_product(k, v), tuple(axis for axis in range(len(scope)) if axis != kept))
        return message - log_sum(message, (0,)) if np.isfinite(message).any() else message

    def bethe(self) -> float:
        """Return (3)."""
        total = self.constant
        for k in range(len(self.factors)):
            log = self.log_product(k)
            log = log - log_sum(log, tuple(range(log.ndim)))
            b = np.exp(log)
            total += float(
                np.sum(np.where(b > 0, b * (np.where(b > 0, self.factors[k][1], 0) - np.where(b > 0, log, 0)), 0))
            )
        for v, around in self.around.items():
            log = self.from_variable(v)
            b = np.exp(log - log_sum(log, (0,)))
            total += (len(around) - 1) * float(np.sum(b * np.log(np.where(b > 0, b, 1))))
        return total


def largest_change(old: Array, new: Array) -> float:
    return float(np.abs(np.exp(new) - np.exp(old)).max())


def blend(old: Array, new: Array, damping: float) -> Array:
    if not damping:
        return new
    with np.errstate(invalid="ignore"):
        mixed = np.where(np.isinf(new) | np.isinf(old), new, (1 - damping) * new + damping * old)
    return mixed - log_sum(mixed, (0,))


def loopy_bp(
    model: Any,
    owner: str,
    names: tuple[Any, ...],
    seen: Evidence,
    given: str,
    max_iter: int = 1000,
    tol: float = 1e-10,
    damping: float = 0.0,
    schedule: str = "sequential",
) -> Posterior:
    """Return (2) after messages (1); `schedule` "sequential" uses new messages at once, "flooding" sends all together."""
    limit = check_count(owner, "max_iter", max_iter)
    tol = check_number(owner, "tol", tol, 0)
    damping = check_number(owner, "damping", damping, 0, 1, open_high=True)
    check_choice(owner, "schedule", schedule, ("sequential", "flooding"))
    state = Beliefs(model._engine(), seen)
    order = list(state.messages)
    history: list[float] = []
    for sweep in range(limit):
        change = 0.0
        sent: dict[tuple[int, int], Array] = {}
        for edge in order if sweep % 2 == 0 else order[::-1]:
            new = blend(state.messages[edge], state.sent(*edge), damping)
            if not np.isfinite(new).any():
                raise DataError(f"{owner}: the evidence {given} has probability zero; no posterior exists.")
            change = max(change, largest_change(state.messages[edge], new))
            sent[edge] = new
            if schedule == "sequential":
                state.messages[edge] = new
        state.messages.update(sent)
        history.append(change)
        if change <= tol:
            break
    if state.constant == -np.inf or not all(np.isfinite(state.from_variable(v)).any() for v in state.around):
        raise DataError(f"{owner}: the evidence {given} has probability zero; no posterior exists.")
    converged = history[-1] <= tol
    place = {variable: i for i, variable in enumerate(model.states)}
    target = tuple(place[name] for name in names)
    if len(target) == 1:
        log = state.from_variable(target[0])
        p = np.exp(log - log_sum(log, (0,)))
    else:
        p = joint_belief(state, target, owner)
    details = {"n_iter": len(history), "converged": converged, "last_change": history[-1], "changes": history}
    label = f"loopy belief propagation, {counted(len(history), 'sweep')}" + (
        "" if converged else f", not converged (last change {history[-1]:.1e})"
    )
    if not converged:
        warn(
            f"{owner}(method='loopy_bp'): the messages still changed by {history[-1]:.1e} after {len(history)} sweeps; the "
            "answer may be far off. Raise damping= or max_iter=, or use an exact method.",
            NotConverged,
        )
    log = model._log_probability(state.bethe())
    return Posterior(
        p=p,
        names=names,
        states=model.states,
        given=given,
        log_evidence=log,
        method=label,
        standard_error=None,
        details=details,
        relation="about",
    )


def joint_belief(state: Beliefs, target: tuple[int, ...], owner: str) -> Array:
    for k, (scope, _) in enumerate(state.factors):
        if set(target) <= set(scope):
            log = state.log_product(k)
            b = np.exp(log - log_sum(log, tuple(range(log.ndim))))
            summed = b.sum(axis=tuple(axis for axis, v in enumerate(scope) if v not in target))
            kept = [v for v in scope if v in target]
            return np.transpose(summed, [kept.index(v) for v in target])
    raise ParameterError(
        f"{owner}(method='loopy_bp'): the variables share no factor; ask for one at a time, or use method='gibbs'."
    )
