r"""Gibbs sampling: every unobserved variable in turn is drawn given its Markov blanket.

    p(x_i | the rest) ~ prod_{f holds x_i} f(x_f)                                                                   (1)
    R^2 = ((s - 1)/s W + B/s) / W,  s sweeps, W and B the variances within and between chains                        (2)

Many chains run side by side, one vector operation for all of them; the standard error comes from the spread of their
means, so it counts the correlation along a chain. Cells of zero can cut the states into islands that no chain leaves: then
R of (2) stays above one, and the result says so.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.engines.factors.plan import Engine
from novum.exceptions import DataError, NotConverged
from novum.graphical._evidence import Evidence
from novum.graphical.ancestral import draw_states, least_variance
from novum.graphical.result import Posterior
from novum.report.numbers import counted
from novum.runtime.checks import check_count
from novum.runtime.random import Stream, seed_of
from novum.runtime.warn import warn

__all__ = ["gibbs"]

MOST_SPREAD = 1.1  # of R: the usual bound
STARTS = 200  # sweeps of tries to find a start of positive probability


def blanket_weights(
    engine: Engine, held: list[int], codes: NDArray[np.int32], v: int, soft: dict[int, NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return (1) for every chain, shape (chains, states)."""
    weights = np.ones((len(codes), engine.cards[v]))
    for k in held:
        scope, table, _ = engine.factors[k]
        axis = scope.index(v)
        rows = np.moveaxis(table, axis, -1)[tuple(codes[:, u] for u in scope if u != v)]
        weights = weights * rows
    return weights * soft[v] if v in soft else weights


def starts(model: Any, engine: Engine, seen: Evidence, n: int, seed: int, owner: str, given: str) -> NDArray[np.int32]:
    """Return states of positive probability, a chain each: drawn from the parents down, or anywhere; else the likeliest."""
    codes = np.empty((n, len(engine.cards)), dtype=np.int32)
    found = np.zeros(n, dtype=bool)
    if hasattr(model, "dag") and len(engine.cards) == len(model.states):
        for attempt in range(STARTS // 20):
            drawn, log = draw_states(model, n, seed + attempt, seen.hard)
            for v, likelihood in seen.soft.items():
                log = np.where(likelihood[drawn[:, v]] > 0, log, -np.inf)
            new = ~found & (log > -np.inf)
            codes[new] = drawn[new]
            found |= new
            if found.all():
                return codes
    else:  # anywhere: chains that begin at one top would agree on it
        stream, free = Stream(seed), [v for v in range(len(engine.cards)) if v not in seen.hard]
        for attempt in range(STARTS // 20):
            drawn = np.zeros((n, len(engine.cards)), dtype=np.int32)
            drawn[:, free] = stream.uniform("gibbs start", attempt, n, len(free)) * np.array(engine.cards)[free]
            for v, state in seen.hard.items():
                drawn[:, v] = state
            positive = np.all([f.table[tuple(drawn[:, u] for u in f.scope)] > 0 for f in engine.factors], axis=0)
            for v, likelihood in seen.soft.items():
                positive &= likelihood[drawn[:, v]] > 0
            codes[~found & positive] = drawn[~found & positive]
            found |= positive
            if found.all():
                return codes
    if not found.all():
        free = [v for v in range(len(engine.cards)) if v not in seen.hard]
        best, log = engine.maximum(seen.observed, seen.row, free, seen.soft)
        if log[0] == -np.inf:
            raise DataError(f"{owner}: the evidence {given} has probability zero; no posterior exists.")
        row = np.empty(len(engine.cards), dtype=np.int32)
        row[free] = best[0]
        for v, state in seen.hard.items():
            row[v] = state
        codes[~found] = row
    return codes


def gibbs(
    model: Any, owner: str, names: tuple[Any, ...], seen: Evidence, given: str, n_samples: int = 10_000,
    n_chains: int = 50, burn_in: int = 200, random_state: Any = None
) -> Posterior:  # fmt: skip
    """Return the posterior from chains (1), with its error and R of (2)."""
    engine: Engine = model._engine()
    n_chains = check_count(owner, "n_chains", n_chains, 2)
    burn_in = check_count(owner, "burn_in", burn_in, 0)
    sweeps = max(2, -(-check_count(owner, "n_samples", n_samples) // n_chains))
    seed = seed_of(random_state)
    codes = starts(model, engine, seen, n_chains, seed, owner, given)
    free = [v for v in range(len(engine.cards)) if v not in seen.hard and engine.cards[v] > 1]
    held = {v: [k for k, f in enumerate(engine.factors) if v in f.scope] for v in free}
    place = {variable: i for i, variable in enumerate(model.states)}
    shape = tuple(len(model.states[name]) for name in names)
    counts = np.zeros((n_chains, int(np.prod(shape))))
    stream = Stream(seed)
    chains = np.arange(n_chains)
    for sweep in range(burn_in + sweeps):
        u = stream.uniform("gibbs", sweep, n_chains, len(free))
        for i, v in enumerate(free):
            edges = np.cumsum(blanket_weights(engine, held[v], codes, v, seen.soft), axis=1)
            codes[:, v] = np.minimum((u[:, i, None] * edges[:, -1:] >= edges).sum(axis=1), engine.cards[v] - 1)
        if sweep >= burn_in:
            counts[chains, np.ravel_multi_index(tuple(codes[:, place[name]] for name in names), shape)] += 1
    means = counts / sweeps  # (chains, cells)
    p = means.mean(axis=0)
    between = means.var(axis=0, ddof=1)
    within = (means * (1 - means)).mean(axis=0) * sweeps / (sweeps - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(((sweeps - 1) / sweeps * within + between) / within)
    r_hat = float(np.nanmax(np.where(within > 0, spread, np.where(between > 0, np.inf, 1.0))))
    details = {"n_samples": n_chains * sweeps, "n_chains": n_chains, "burn_in": burn_in, "r_hat": r_hat}
    warning = "" if r_hat < MOST_SPREAD else f", chains disagree (R = {r_hat:.2f})"
    if warning:
        warn(
            f"{owner}(method='gibbs'): the chains disagree (R = {r_hat:.2f}, should be below {MOST_SPREAD}); the answer may "
            "be far off. Raise burn_in= and n_samples=, or use an exact method or likelihood weighting.",
            NotConverged,
        )
    return Posterior(
        p.reshape(shape),
        names,
        model.states,
        given,
        float("nan"),
        f"Gibbs, {counted(n_chains * sweeps, 'sample')} of {counted(n_chains, 'chain')}{warning}",
        np.sqrt(np.maximum(between / n_chains, least_variance(p, n_chains))).reshape(shape),
        details,
    )
