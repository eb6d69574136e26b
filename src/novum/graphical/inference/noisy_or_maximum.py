r"""The most probable values of a network with noisy-or nodes of many causes, by branch and bound.

    log P(x = off | u) = -t,   log P(x = on | u) = f(t) = log(1 - exp(-t)),   t = w_0 + sum_i w_i u_i,  w = -log(1 - strength)  (1)
    f is concave:  f(t) <= l t - l log(1 + 1/l) - log(1 + l)   for every l > 0, with equality at l = 1 / (exp(t) - 1)            (2)

(2) makes of a noisy-or that is on a factor for every cause, as (1) does for one that is off: the maximum over the network is then a
bound from above, its values a candidate from below (Jaakkola and Jordan 1999). Where the two differ, an effect or a cause is fixed
either way and both parts are bounded again, the highest first. The chain of small tables that sums a noisy-or cannot be used: its
hidden variables are summed, and sums and maxima do not change places.
"""

from heapq import heappop, heappush
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.engines.factors.plan import Engine, Factor
from novum.graphical.inference.evidence import Evidence

__all__ = ["Problem", "noisy_or_maximum", "problem_of"]

Array = NDArray[np.float64]
MOST_WEIGHT = 40.0  # 1 - exp(-40) is 1
LEAST_SUM = 1e-12
PASSES = 12  # of tangents per bound
MOST_BOUNDS = 20_000
CLOSE = 1e-10


class Effect(NamedTuple):
    variable: int
    causes: list[int]
    weight: Array  # w_i
    leak: float  # w_0


class Bound(NamedTuple):
    upper: float
    lower: float
    codes: NDArray[np.int32]  # of all variables, a candidate
    gap: Array  # of every effect that is on


def log_on(t: float) -> float:
    return float(np.log(-np.expm1(-t))) if t > 0 else -np.inf


class Problem:
    """The tables without the noisy-or nodes, these apart, and what was observed."""

    def __init__(
        self,
        cards: list[int],
        factors: list[Factor],
        effects: list[Effect],
        seen: Evidence,
        chosen: list[int],
        limit: float,
    ) -> None:
        self.engine, self.effects, self.limit = Engine(cards, factors), effects, limit
        self.held = sorted({v for e in effects for v in (e.variable, *e.causes)})
        self.hard, self.soft = dict(seen.hard), dict(seen.soft)
        self.cards = cards
        self.observed = [v for v in self.hard if v not in self.held]
        self.row = np.array([[self.hard[v] for v in self.observed]], dtype=np.int32).reshape(1, -1)
        self.chosen = sorted({*chosen, *self.held})

    def bound(self, fixed: dict[int, int]) -> Bound:
        """Return bounds given the states of some effects and causes; every effect must be fixed."""
        slope = np.ones(len(self.effects))
        upper, lower, best, gap = np.inf, -np.inf, None, np.zeros(len(self.effects))
        for _ in range(PASSES):
            unary = {v: np.zeros(2) for v in self.held}
            constant = 0.0
            for k, e in enumerate(self.effects):
                on = fixed[e.variable] == 1
                factor = slope[k] if on else -1.0
                for cause, w in zip(e.causes, e.weight, strict=True):
                    unary[cause][1] += factor * w
                constant += factor * e.leak
                if on:
                    constant -= slope[k] * np.log1p(1 / slope[k]) + np.log1p(slope[k])
            soft = {v: np.asarray(s) for v, s in self.soft.items() if v not in self.held}
            for v in self.held:
                top = unary[v].max()
                cells = np.exp(unary[v] - top)
                constant += top
                if v in self.soft:
                    cells = cells * self.soft[v]
                if v in fixed:
                    cells = cells * (np.arange(2) == fixed[v])
                soft[v] = cells
            values, log = self.engine.maximum(self.observed, self.row, self.chosen, soft, self.limit)
            if log[0] == -np.inf:
                return Bound(-np.inf, -np.inf, np.zeros(len(self.cards), np.int32), gap)
            codes = np.zeros(len(self.cards), dtype=np.int32)
            codes[self.chosen] = values[0]
            codes[self.observed] = self.row[0]
            exact, fresh, step = float(log[0]) + constant, slope.copy(), np.zeros(len(self.effects))
            bound = exact
            for k, e in enumerate(self.effects):
                t = float(e.leak + e.weight @ codes[e.causes])
                if fixed[e.variable] == 1:
                    tangent = slope[k] * (t - np.log1p(1 / slope[k])) - np.log1p(slope[k])
                    step[k] = tangent - log_on(t)
                    exact += log_on(t) - tangent
                    fresh[k] = np.clip(1 / np.expm1(max(t, LEAST_SUM)), 1e-12, 1e6)
            if bound < upper:
                upper, gap = bound, step
            if exact > lower or best is None:
                lower, best = exact, codes
            if upper - lower <= CLOSE:
                break
            slope = np.sqrt(slope * fresh)  # half way, in logs: whole steps jump between two tangents
        assert best is not None
        return Bound(upper, lower, best, gap)


def noisy_or_maximum(problem: Problem) -> tuple[NDArray[np.int32], float] | None:
    """Return the most probable codes of all variables and the log of the maximum; None where too many parts would be bounded."""
    start = {v: problem.hard[v] for v in problem.held if v in problem.hard}
    best: tuple[float, NDArray[np.int32]] = (-np.inf, np.zeros(len(problem.cards), np.int32))
    waiting: list[tuple[float, int, dict[int, int], Bound]] = []
    count = 0

    def add(fixed: dict[int, int]) -> None:
        nonlocal best, count
        free = next((e.variable for e in problem.effects if e.variable not in fixed), None)
        if free is not None:
            for state in (0, 1):
                add({**fixed, free: state})
            return
        count += 1
        found = problem.bound(fixed)
        if found.lower > best[0]:
            best = (found.lower, found.codes)
        if found.upper > best[0] + CLOSE:
            heappush(waiting, (-found.upper, count, fixed, found))

    if 2 ** sum(e.variable not in start for e in problem.effects) > MOST_BOUNDS:
        return None
    add(start)
    while waiting:
        if count > MOST_BOUNDS:
            return None
        upper, _, fixed, found = heappop(waiting)
        if -upper <= best[0] + CLOSE:
            break
        worst = problem.effects[int(np.argmax(found.gap))]
        free = [i for i, cause in enumerate(worst.causes) if cause not in fixed]
        if not free:
            open_causes = [c for e in problem.effects for c in e.causes if c not in fixed]
            if not open_causes:
                continue  # everything is fixed: its lower bound is the value
            cause = open_causes[0]
        else:
            cause = worst.causes[max(free, key=lambda i: float(worst.weight[i]))]
        for state in (1, 0):
            add({**fixed, cause: state})
    return (best[1], best[0]) if best[0] > -np.inf else None


def problem_of(network: Any, few_causes: int, seen: Evidence, chosen: list[int], limit: float) -> Problem | None:
    """Return the problem of a network; None where it has no large noisy-or, or one whose variables are summed out."""
    from novum.graphical.networks.nodes import NoisyOr

    place = {v: i for i, v in enumerate(network.states)}
    factors: list[Factor] = []
    effects: list[Effect] = []
    for v, node in network.conditionals.items():
        if v not in place:
            continue
        scope = (*(place[p] for p in network.parents[v]), place[v])
        if isinstance(node, NoisyOr) and len(scope) > few_causes:
            strength = np.array(list(node.strength.values()))
            with np.errstate(divide="ignore"):
                weight = np.minimum(-np.log1p(-strength), MOST_WEIGHT)
                leak = float(np.minimum(-np.log1p(-node.leak), MOST_WEIGHT))
            effects.append(Effect(place[v], list(scope[:-1]), weight, leak))
        else:
            factors.append(Factor(scope, node.table(), place[v]))
    known = {*chosen, *seen.hard}
    if not effects or any(v not in known for e in effects for v in (e.variable, *e.causes)):
        return None
    return Problem([len(s) for s in network.states.values()], factors, effects, seen, chosen, limit)
