r"""Rows drawn from a network given evidence, exactly.

x_i ~ P(x_i | evidence, x_1, ..., x_{i-1}), parents first                                                           (1)
of a variable above no evidence this is P(x_i | Pa_i), a row of its table                                           (2)
with real evidence r: first d ~ p(d | evidence, r), the discrete parents of real nodes; then real nodes given d and r    (3)
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from novum.engines.factors.plan import MEMORY_LIMIT
from novum.exceptions import DataError
from novum.graphical.inference.evidence import Evidence, evidence_text
from novum.graphical.linear_gaussian.nodes import conditional_moments, equations, moments, split_evidence, weigh_states
from novum.graphical.linear_gaussian.rows import draw_real
from novum.runtime.random import Stream

if TYPE_CHECKING:
    from novum.graphical.networks.bayesian_network import BayesianNetwork

__all__ = ["draw_given"]

Array = NDArray[np.float64]
Codes = NDArray[np.int32]


def states_of(u: Array, p: Array) -> Codes:
    """Return the states that uniform numbers choose by rows of probabilities."""
    edges = np.cumsum(p, axis=-1)
    edges /= edges[..., -1:]
    edges[..., -1] = np.inf
    return np.asarray((u[:, None] >= edges).sum(axis=1), dtype=np.int32)


def draw_given(
    network: "BayesianNetwork", owner: str, n: int, seed: int, evidence: Any
) -> tuple[Codes, dict[Any, Array]]:
    """Return codes of the discrete variables and values of the real ones, n rows each."""
    seen, values = split_evidence(network, owner, evidence)
    place = {v: i for i, v in enumerate(network.states)}
    stream = Stream(seed)
    codes = np.full((n, len(place)), -1, dtype=np.int32)
    for column, seen_state in seen.hard.items():
        codes[:, column] = seen_state
    done = set(seen.hard)
    if values:
        found = weigh_states(network, owner, (), seen, values, MEMORY_LIMIT)
        if found.log_evidence == -np.inf:
            raise DataError(
                f"{owner}: the evidence {evidence_text(evidence)} has probability zero; there is nothing to draw."
            )
        case = states_of(
            stream.uniform("network case", 0, n), np.broadcast_to(found.weight[:, 0], (n, len(found.weight)))
        )
        for axis, state in zip(found.axes, np.unravel_index(case, found.cards) if found.cards else (), strict=True):
            codes[:, place[axis]] = state
            done.add(place[axis])
    draw_discrete(network, owner, codes, done, seen, stream, evidence_text(evidence))
    return codes, draw_real_given(network, codes, values, seed) if values else draw_real(network, codes, seed)


def draw_discrete(
    network: "BayesianNetwork", owner: str, codes: Codes, done: set[int], seen: Evidence, stream: Stream, given: str
) -> None:
    """Fill the columns that are not done by (1) and (2)."""
    place = {v: i for i, v in enumerate(network.states)}
    names = list(place)
    above = set().union(*(network.dag.ancestors(names[i]) for i in (*done, *seen.soft))) | {names[i] for i in seen.soft}
    n = len(codes)
    for variable in network.dag.order:
        column = place.get(variable, -1)
        if column < 0 or column in done:
            continue
        u = stream.uniform("network sample", column, n)
        if variable not in above:
            p = network.conditionals[variable].rows(tuple(codes[:, place[q]] for q in network.parents[variable]))
            codes[:, column] = states_of(u, np.broadcast_to(p, (n, len(network.states[variable]))))
        else:
            observed = sorted(done)
            rows, which = np.unique(codes[:, observed], axis=0, return_inverse=True)
            (p,), log = network._engine().marginals(observed, rows, [(column,)], seen.soft)
            if (log == -np.inf).any():
                raise DataError(f"{owner}: the evidence {given} has probability zero; there is nothing to draw.")
            codes[:, column] = states_of(u, p[which.reshape(-1)])
        done.add(column)


def draw_real_given(network: "BayesianNetwork", codes: Codes, values: dict[Any, float], seed: int) -> dict[Any, Array]:
    """Return draws of the real nodes given those observed, case by case of their discrete parents."""
    real = [x for x in network.dag.order if x not in network.states]
    place = {v: i for i, v in enumerate(network.states)}
    parents = [v for v in place if any(v in network.parents[x] for x in real)]
    free = [x for x in real if x not in values]
    keep, spots = [real.index(x) for x in free], [real.index(x) for x in values]
    z = Stream(seed).normal("network real sample", 0, len(codes), len(free))
    out = np.empty((len(codes), len(free)))
    rows, which = np.unique(codes[:, [place[v] for v in parents]], axis=0, return_inverse=True)
    for i, row in enumerate(rows):
        part = which.reshape(-1) == i
        mean, cov = moments(*equations(network, real, [], dict(zip(parents, map(int, row), strict=True))))
        m, S = conditional_moments(mean, cov, keep, spots, np.array(list(values.values())))
        w, V = np.linalg.eigh(S[0])
        out[part] = m[0] + z[part] @ (V * np.sqrt(np.maximum(w, 0))).T
    found = {x: out[:, i] for i, x in enumerate(free)}
    return found | {x: np.full(len(codes), value) for x, value in values.items()}
