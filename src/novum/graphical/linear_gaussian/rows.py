r"""Rows of networks with real nodes: drawing them, and their log-densities.

    log p(row) = sum over discrete nodes of log P(d | Pa) + sum over real nodes of log N(x; b0[d] + b[d]'u, v[d])     (1)

where nothing that (1) reads is missing; other rows are summed and integrated over one by one.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from novum.engines.factors.plan import MEMORY_LIMIT
from novum.engines.factors.states import coded_rows, columns_of
from novum.exceptions import DataError
from novum.graphical.inference.evidence import Evidence
from novum.graphical.inference.evidence_patterns import posterior_rows
from novum.graphical.linear_gaussian.nodes import weigh_states
from novum.runtime.random import Stream

if TYPE_CHECKING:
    from novum.graphical.networks.bayesian_network import BayesianNetwork

__all__ = ["draw_real", "real_log_likelihood"]

Array = NDArray[np.float64]


def local_moments(
    network: "BayesianNetwork", x: Any, codes: NDArray[np.int32], values: dict[Any, Array]
) -> tuple[Array, Array]:
    """Return mean and variance of a real node given its parents, row by row."""
    node = network.conditionals[x]
    place = {v: i for i, v in enumerate(network.states)}
    at = tuple(codes[:, place[p]] for p in network.parents[x] if p in place)
    mean = np.broadcast_to(node.intercept[at], len(codes)).copy()
    for parent, b in node.coefficients.items():
        mean += b[at] * values[parent]
    return mean, np.broadcast_to(node.variance[at], len(codes))


def draw_real(network: "BayesianNetwork", codes: NDArray[np.int32], seed: int) -> dict[Any, Array]:
    """Return draws of the real nodes, parents first, given those of the discrete ones."""
    values: dict[Any, Array] = {}
    for i, x in enumerate(network.dag.order):
        if x not in network.states:
            mean, variance = local_moments(network, x, codes, values)
            values[x] = mean + np.sqrt(variance) * Stream(seed).normal("network real sample", i, len(codes))
    return values


def read_real(owner: str, name: Any, column: Any) -> Array:
    try:
        values = np.asarray(getattr(column, "to_numpy", lambda: column)(), dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{owner}: column {name!r} must hold numbers; {name!r} is a real variable.") from None
    if np.isinf(values).any():
        raise DataError(f"{owner}: row {int(np.argmax(np.isinf(values)))} of column {name!r} is infinite.")
    return values


def real_log_likelihood(network: "BayesianNetwork", owner: str, data: Any) -> Array:
    """Return log p(row) of every row."""
    columns = columns_of(owner, data, network.nodes)
    n = len(next(iter(columns.values()))) if columns else 0
    real = [x for x in network.nodes if x not in network.states]
    values = {x: read_real(owner, x, columns[x]) if x in columns else np.full(n, np.nan) for x in real}
    names, found = (
        coded_rows(owner, columns, network.states)
        if any(v in columns for v in network.states)
        else ((), np.empty((n, 0), np.int32))
    )
    codes = np.full((n, len(network.states)), -1, dtype=np.int32)
    place = {v: i for i, v in enumerate(network.states)}
    codes[:, [place[v] for v in names]] = found
    whole = np.all([~np.isnan(v) for v in values.values()], axis=0)
    for x in real:
        for parent in network.parents[x]:
            if parent in place:
                whole &= codes[:, place[parent]] >= 0
    out = np.empty(n)
    part = np.flatnonzero(whole)
    log = (
        posterior_rows(network._engine(), list(range(len(place))), codes[part], [])[1] if place else np.zeros(len(part))
    )
    for x in real:
        mean, variance = local_moments(network, x, codes[part], {k: v[part] for k, v in values.items()})
        if network.is_constant(x):
            log = np.where(values[x][part] == mean, log, -np.inf)
            continue
        log = log - 0.5 * ((values[x][part] - mean) ** 2 / variance + np.log(2 * np.pi * variance))
    out[part] = log
    for i in np.flatnonzero(~whole):
        seen = Evidence({j: int(c) for j, c in enumerate(codes[i]) if c >= 0}, {})
        known = {x: float(v[i]) for x, v in values.items() if not np.isnan(v[i])}
        fixed = {x: known.pop(x) for x in list(known) if network.is_constant(x)}
        if any(value != float(network.conditionals[x].intercept) for x, value in fixed.items()):
            out[i] = -np.inf
            continue
        out[i] = weigh_states(network, owner, (), seen, known, MEMORY_LIMIT).log_evidence
    return out
