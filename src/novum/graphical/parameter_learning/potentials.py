r"""Potentials of a Markov network from data: the marginals of the cliques must match.

    gradient of the log-likelihood:  d / d log psi_c(x_c) = N(x_c) - N p(x_c)                                         (1)
    iterative proportional fitting:  psi_c <- psi_c (N(x_c) / N) / p(x_c),  clique after clique                        (2)
    gradient method: L-BFGS on log psi, with the penalty l2/2 |log psi|^2                                              (3)
    sampled: log psi_c += step_t (N(x_c)/N - share of the chains in x_c), chains moved by Gibbs in between             (4)

The likelihood is concave in log psi; at its maximum (1) is zero. (2) raises it at every step; (4) needs no exact inference.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from novum import _core
from novum.base.history import History
from novum.engines.factors.plan import Engine, Factor
from novum.engines.factors.states import coded_columns, columns_of
from novum.exceptions import DataError
from novum.graphical.inference.gibbs import blanket_weights
from novum.graphical.parameter_learning.tables import FitReport
from novum.runtime.checks import check_choice, check_count, check_number, row_weights
from novum.runtime.random import Stream, seed_of

if TYPE_CHECKING:
    from novum.graphical.networks.markov_network import MarkovNetwork

__all__ = ["fit_markov"]

Array = NDArray[np.float64]
NO_ROWS = np.empty((1, 0), dtype=np.int32)
N_CHAINS = 200
SAMPLED_STEP = 20.0  # of (4): about the size of steps that Newton's method would take for shares near a quarter


def clique_shares(
    owner: str, network: "MarkovNetwork", data: Any, sample_weight: Any
) -> tuple[list[Array], int, float]:
    """Return N(x_c) / N of every potential, the number of rows, and N."""
    columns = columns_of(owner, data, tuple(network.states))
    names, codes = coded_columns(owner, columns, network.states)
    lost = [str(v) for v in network.states if v not in names]
    if lost:
        raise DataError(f"{owner}: no column {', '.join(lost[:10])}.")
    if codes.shape[1] == 0:
        raise DataError(f"{owner}: the data have no rows.")
    if (codes < 0).any():
        raise DataError(f"{owner}: cells are missing; drop those rows, or learn a Bayesian network by EM.")
    weight = None if sample_weight is None else row_weights(owner, sample_weight, codes.shape[1])
    place = {v: i for i, v in enumerate(names)}
    shares = []
    total = float(codes.shape[1] if weight is None else weight.sum())
    for f in network.potentials:
        count = np.zeros(f.table.size)
        _core.factors.network.count_rows(codes, [place[v] for v in f.variables], list(f.table.shape), weight, count)
        shares.append(count.reshape(f.table.shape) / total)
    return shares, codes.shape[1], total


def engine_with(network: "MarkovNetwork", tables: list[Array]) -> Engine:
    place = {v: i for i, v in enumerate(network.states)}
    factors = [Factor(tuple(place[v] for v in f.variables), t) for f, t in zip(network.potentials, tables, strict=True)]
    held = {v for f in network.potentials for v in f.variables}
    factors += [Factor((place[v],), np.ones(len(s))) for v, s in network.states.items() if v not in held]
    return Engine([len(s) for s in network.states.values()], factors)


def model_shares(network: "MarkovNetwork", tables: list[Array], which: list[int]) -> tuple[list[Array], float]:
    """Return p(x_c) of some potentials, and log Z."""
    engine = engine_with(network, tables)
    found, log = engine.marginals((), NO_ROWS, [engine.factors[k].scope for k in which])
    return [table[0] for table in found], float(log[0])


def log_likelihood(shares: list[Array], tables: list[Array], log_z: float, total: float) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        energy = sum(float(np.sum(np.where(s > 0, s * np.log(t), 0))) for s, t in zip(shares, tables, strict=True))
    return total * (energy - log_z)


def by_ipf(
    network: "MarkovNetwork", shares: list[Array], total: float, max_iter: int, tol: float
) -> tuple[list[Array], History, bool]:
    """Return (2), until no clique marginal is off by more than `tol`."""
    tables = [np.ones_like(s) for s in shares]
    history = History(name="log-likelihood")
    for _ in range(max_iter):
        worst = 0.0
        for k, share in enumerate(shares):
            (p,), _ = model_shares(network, tables, [k])
            worst = max(worst, float(np.abs(p - share).max()))
            tables[k] = tables[k] * np.where(share > 0, share / np.where(p > 0, p, 1), 0)
            tables[k] /= tables[k].max()
        history.append(log_likelihood(shares, tables, model_shares(network, tables, [])[1], total))
        if worst <= tol:
            return tables, history, True
    return tables, history, False


def by_gradient(
    network: "MarkovNetwork", shares: list[Array], total: float, l2: float, max_iter: int, tol: float
) -> tuple[list[Array], History, bool]:
    """Return (3)."""
    sizes = np.cumsum([0, *(s.size for s in shares)])
    which = list(range(len(shares)))
    flat = np.concatenate([s.ravel() for s in shares])
    history = History(name="log-likelihood")

    def split(x: Array) -> list[Array]:
        return [np.exp(x[a:b]).reshape(s.shape) for a, b, s in zip(sizes, sizes[1:], shares, strict=False)]

    def loss(x: Array) -> tuple[float, Array]:
        found, log_z = model_shares(network, split(x), which)
        p = np.concatenate([t.ravel() for t in found])
        penalty = l2 / total
        return float(log_z - flat @ x + 0.5 * penalty * x @ x), p - flat + penalty * x

    start = np.zeros(len(flat))
    found = minimize(
        loss,
        start,
        jac=True,
        method="L-BFGS-B",
        callback=lambda x: history.append(-total * loss(x)[0]),
        options={"maxiter": max_iter, "gtol": tol, "ftol": 0.0},
    )
    gap = float(np.abs(loss(found.x)[1]).max())
    return split(found.x), history, gap <= max(tol, 1e-7)


def by_samples(
    network: "MarkovNetwork", shares: list[Array], total: float, max_iter: int, random_state: Any
) -> tuple[list[Array], History, bool]:
    """Return (4), averaged over the second half of the steps."""
    stream = Stream(seed_of(random_state))
    logs = [np.zeros_like(s) for s in shares]
    mean = [np.zeros_like(s) for s in shares]
    cards = [len(s) for s in network.states.values()]
    codes = np.stack([stream.integers("chains", v, N_CHAINS, card) for v, card in enumerate(cards)], axis=1).astype(
        np.int32
    )
    for step in range(max_iter):
        engine = engine_with(network, [np.exp(t) for t in logs])
        u = stream.uniform("gibbs", step, N_CHAINS, len(cards))
        for v, card in enumerate(cards):
            held = [k for k, f in enumerate(engine.factors) if v in f.scope]
            edges = np.cumsum(blanket_weights(engine, held, codes, v, {}), axis=1)
            codes[:, v] = np.minimum((u[:, v, None] * edges[:, -1:] >= edges).sum(axis=1), card - 1)
        for k, share in enumerate(shares):
            scope = engine.factors[k].scope
            cell = np.ravel_multi_index(tuple(codes[:, v] for v in scope), share.shape)
            seen = np.bincount(cell, minlength=share.size).reshape(share.shape) / N_CHAINS
            logs[k] = logs[k] + SAMPLED_STEP / (20 + step) * (share - seen)
            if 2 * step >= max_iter:
                mean[k] += logs[k]
    tables = [np.exp(t / max(1, max_iter - (max_iter + 1) // 2)) for t in mean]
    history = History(
        [log_likelihood(shares, tables, model_shares(network, tables, [])[1], total)], name="log-likelihood"
    )
    return tables, history, True


def fit_markov(
    network: "MarkovNetwork",
    data: Any,
    method: str,
    l2: float,
    max_iter: int,
    tol: float,
    sample_weight: Any,
    random_state: Any,
) -> tuple[list[Array], FitReport]:
    """Return new potentials and what was found."""
    owner = f"{type(network).__name__}.fit"
    check_choice(owner, "method", method, ("ipf", "gradient", "sampled"))
    limit, tol = check_count(owner, "max_iter", max_iter), check_number(owner, "tol", tol, 0)
    l2 = check_number(owner, "l2", l2, 0)
    shares, n, total = clique_shares(owner, network, data, sample_weight)
    if method == "ipf":
        tables, history, converged = by_ipf(network, shares, total, limit, tol)
    elif method == "gradient":
        tables, history, converged = by_gradient(network, shares, total, l2, limit, tol)
    else:
        tables, history, converged = by_samples(network, shares, total, limit, random_state)
    return tables, FitReport(n, history[-1], len(history), converged, history, {})
