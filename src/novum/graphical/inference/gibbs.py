r"""Gibbs sampling: every unobserved variable in turn is drawn given its Markov blanket.

    p(x_i | the rest) ~ prod_{f holds x_i} f(x_f)                                                                   (1)
    R^2 = ((s - 1)/s W + B/s) / W,  s sweeps, W and B the variances within and between chains                        (2)
    sweeps that one independent draw takes:  tau ~ B / W;  s should be many tau, of every variable                   (3)
    drift: chain means of the first half less those of the second, against their variance                            (4)

Many chains run side by side, one vector operation for all of them; the standard error comes from the variance of their
means, so it counts the correlation along a chain. Cells of zero can cut the states into islands that no chain leaves, and
tables that are nearly certain into islands that few leave: then R of (2) stays above one for some variable, maybe not for the
one that was queried, or all chains are still on their way from the start (4). The call says so.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.engines.factors.plan import Engine
from novum.exceptions import DataError, NotConverged
from novum.graphical.inference.ancestral import draw_states, least_variance
from novum.graphical.inference.evidence import Evidence
from novum.graphical.inference.result import Posterior
from novum.report.numbers import counted, num
from novum.runtime.checks import check_count
from novum.runtime.random import Stream, seed_of
from novum.runtime.warn import warn

__all__ = ["gibbs"]

LEAST_LENGTH = 20.0  # independent draws (3) in a chain, of the states that were queried
LEAST_ELSEWHERE = 8.0  # of the slowest state of any other variable
MOST_NOISE = 5.0  # standard deviations by which (4) may be off by chance; twice as many for (3), the largest of many
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


def independent_time(means: NDArray[np.float64], sweeps: int) -> NDArray[np.float64]:
    """Return (3) of every column of chain means of indicators; infinite where no chain moves and they disagree."""
    between = sweeps * means.var(axis=0, ddof=1)
    within = (means * (1 - means)).mean(axis=0) * sweeps / (sweeps - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(within > 0, between / within, np.where(between > 0, np.inf, 1.0))


def largest_ratio(means: NDArray[np.float64], sweeps: int) -> float:
    """Return the largest R of (2)."""
    return float(np.sqrt(((sweeps - 1) + independent_time(means, sweeps).max()) / sweeps))


def doubt(means: NDArray[np.float64], half: NDArray[np.float64], tally: NDArray[np.float64], sweeps: int) -> str:
    """Return what speaks by (3) or (4) against chains with these means, beyond what chance explains; nothing where nothing does."""
    n = len(means)
    noise = 1 + 2 * MOST_NOISE * np.sqrt(2 / (n - 1))
    for part, least in ((means, LEAST_LENGTH), (tally / sweeps, LEAST_ELSEWHERE)):
        if independent_time(part, sweeps).max(initial=1.0) > max(sweeps / least, noise):
            return "chains disagree"
    if half is tally or sweeps < 4:
        return ""
    drift = half / (sweeps // 2) - (tally - half) / (sweeps - sweeps // 2)
    error = drift.std(axis=0, ddof=1) / np.sqrt(n)
    lasting = np.abs(drift.mean(axis=0)) > np.maximum(MOST_NOISE * error, 2 / (sweeps * n))
    return "chains drift" if lasting.any() else ""


def gibbs(
    model: Any,
    owner: str,
    names: tuple[Any, ...],
    seen: Evidence,
    given: str,
    n_samples: int = 10_000,
    n_chains: int = 50,
    burn_in: int = 200,
    random_state: Any = None,
) -> Posterior:
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
    first = np.cumsum([0, *(engine.cards[v] for v in free)])
    tally = np.zeros((n_chains, int(first[-1])))  # of every state of every free variable
    half = tally
    stream = Stream(seed)
    chains = np.arange(n_chains)
    for sweep in range(burn_in + sweeps):
        u = stream.uniform("gibbs", sweep, n_chains, len(free))
        for i, v in enumerate(free):
            edges = np.cumsum(blanket_weights(engine, held[v], codes, v, seen.soft), axis=1)
            codes[:, v] = np.minimum((u[:, i, None] * edges[:, -1:] >= edges).sum(axis=1), engine.cards[v] - 1)
        if sweep >= burn_in:
            counts[chains, np.ravel_multi_index(tuple(codes[:, place[name]] for name in names), shape)] += 1
            tally[chains[:, None], first[:-1] + codes[:, free]] += 1
        if sweep == burn_in + sweeps // 2 - 1:
            half = tally.copy()
    means = counts / sweeps  # (chains, cells)
    p = means.mean(axis=0)
    between = means.var(axis=0, ddof=1)
    worth = n_chains * np.maximum(
        sweeps / np.maximum(independent_time(means, sweeps), 1.0), 1.0
    )  # of independent draws
    everywhere = np.column_stack([means, tally / sweeps])
    r_hat = largest_ratio(everywhere, sweeps)
    warning = doubt(means, half, tally, sweeps)
    details = {"n_samples": n_chains * sweeps, "n_chains": n_chains, "burn_in": burn_in, "r_hat": r_hat}
    if warning:
        warn(
            f"{owner}(method='gibbs'): the {warning} (R = {num(r_hat):.3f} over all variables); the answer may be further off than "
            "its error says. Raise burn_in= and n_samples=, or use an exact method.",
            NotConverged,
        )
        warning = f", {warning} (R = {num(r_hat):.3f})"
    return Posterior(
        p=p.reshape(shape),
        names=names,
        states=model.states,
        given=given,
        log_evidence=float("nan"),
        method=f"Gibbs, {counted(n_chains * sweeps, 'sample')} of {counted(n_chains, 'chain')}{warning}",
        standard_error=np.sqrt(np.maximum(between / n_chains, least_variance(p, worth))).reshape(shape),
        details=details,
    )
