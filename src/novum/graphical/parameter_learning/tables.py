r"""Tables of a network from data: counts, their Dirichlet smoothing, and EM where cells are missing.

    maximum likelihood:  theta[u, x] = N[u, x] / sum_x N[u, x]                                                      (1)
    Dirichlet prior:     theta[u, x] = (N[u, x] + a[u, x]) / sum_x (N[u, x] + a[u, x])             posterior mean      (2)
                         theta[u, x] = (N + a - 1) / sum_x (N + a - 1),  a >= 1                    posterior mode      (3)
    a[u, x] = alpha (Laplace, K2: 1), or ess / (|x| |u|) (BDeu)                                                      (4)
    E-step:  E N[u, x] = sum_rows p(x, u | observed cells, theta);   M-step: (1), (2) or (3) of E N                   (5)
    objective: log-likelihood, plus sum a' log theta, with a' = a for (2) and a - 1 for (3)                           (6)

(6) never falls. A row of a table that no data reach is uniform under (1). Expected counts: `novum/factors/expectation.h`.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.base.history import History
from novum.exceptions import DataError, ParameterError
from novum.report.numbers import counted, num
from novum.report.result import result
from novum.runtime.checks import check_choice, check_number
from novum.runtime.pool import map_ordered
from novum.runtime.random import Stream
from novum.runtime.threads import thread_count

__all__ = [
    "FitReport",
    "Layout",
    "Run",
    "expectation_of",
    "family_counts",
    "iterate",
    "log_of",
    "pseudo_counts",
    "random_tables",
    "tables_from",
]

Array = NDArray[np.float64]
NAMED = ("laplace", "k2", "bdeu")


@result
class FitReport(NamedTuple):
    """What `fit` found: rows, log-likelihood, and the passes of EM."""

    n_rows: int
    log_likelihood: float
    n_iter: int  # of EM; 0: the data were complete
    converged: bool
    history: History  # objective (6) by pass
    unseen: dict[Any, int]  # variable -> states of its parents that no row has

    def __repr__(self) -> str:
        em = f", {counted(self.n_iter, 'pass')}{'' if self.converged else ', not converged'}" if self.n_iter else ""
        never = f", {counted(sum(self.unseen.values()), 'row')} of tables without data" if self.unseen else ""
        return f"fit on {counted(self.n_rows, 'row')}: log-likelihood {num(self.log_likelihood):.6g}{em}{never}"


class Layout:
    """Where the tables of a network lie in one array: the layout of the engine, with variables by number."""

    def __init__(self, states: Mapping[Any, tuple[Any, ...]], parents: Mapping[Any, tuple[Any, ...]]) -> None:
        self.names = tuple(states)
        place = {v: i for i, v in enumerate(self.names)}
        self.cards = [len(states[v]) for v in self.names]
        self.scopes = [[*(place[p] for p in parents[v]), place[v]] for v in self.names]
        self.shapes = [tuple(self.cards[u] for u in scope) for scope in self.scopes]
        sizes = [int(np.prod(shape, dtype=object)) for shape in self.shapes]
        if sum(sizes) > 1 << 31:
            largest = self.names[int(np.argmax(sizes))]
            raise ParameterError(
                f"BayesianNetwork.fit: the table of {largest!r} would have {counted(max(sizes), 'cell')}; cut "
                "its parents or their states."
            )
        self.start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def parts(self, flat: Array) -> list[Array]:
        """Return views of the tables, axes (parents, variable)."""
        return [flat[a:b].reshape(shape) for a, b, shape in zip(self.start, self.start[1:], self.shapes, strict=False)]

    def network(self) -> Any:
        return _core.factors.network.Network(self.cards, self.scopes, list(range(len(self.names))))


def family_counts(layout: Layout, columns: NDArray[np.int32], weight: Array | None) -> Array:
    """Return N of (1) for all tables, from codes with a row per variable; a family with a missing cell leaves out that row."""
    flat = np.zeros(int(layout.start[-1]))
    parts = [flat[a:b] for a, b in zip(layout.start, layout.start[1:], strict=False)]

    def one(i: int) -> None:
        scope = layout.scopes[i]
        _core.factors.network.count_rows(columns, scope, [layout.cards[u] for u in scope], weight, parts[i])

    for _ in map_ordered(one, range(len(parts)), thread_count()):
        pass
    return flat


def pseudo_counts(owner: str, layout: Layout, prior: Any, equivalent_sample_size: float) -> Array:
    """Return a of (4), in the layout of the tables."""
    flat = np.zeros(int(layout.start[-1]))
    if prior is None:
        return flat
    if isinstance(prior, Mapping):
        unknown = [v for v in prior if v not in layout.names]
        if unknown:
            raise ParameterError(f"{owner}(prior=...): no variable {unknown[0]!r}.")
        for name, part in zip(layout.names, layout.parts(flat), strict=True):
            if name in prior:
                try:
                    part[...] = np.asarray(prior[name], dtype=np.float64)
                except ValueError:
                    raise ParameterError(
                        f"{owner}(prior=...): pseudo-counts of {name!r} need shape {part.shape}, or one number."
                    ) from None
        if not np.isfinite(flat).all() or (flat < 0).any():
            raise ParameterError(f"{owner}(prior=...): pseudo-counts must be finite and >= 0.")
        return flat
    if isinstance(prior, str):
        check_choice(owner, "prior", prior, NAMED)
        if prior == "bdeu":
            ess = check_number(owner, "equivalent_sample_size", equivalent_sample_size, 0, open_low=True)
            for part in layout.parts(flat):
                part[...] = ess / part.size
            return flat
        return flat + 1.0
    return flat + check_number(owner, "prior", prior, 0)


def tables_from(
    layout: Layout, counts: Array, prior: Array, mode: bool, old: Array | None = None
) -> tuple[Array, dict[Any, int]]:
    """Return (1)-(3), and how many rows of each table have no counts; these keep `old`, or become uniform."""
    total = counts + prior - (1.0 if mode else 0.0)
    total = np.maximum(total, 0.0)
    unseen = {}
    out = np.empty_like(total)
    before = layout.parts(old) if old is not None else [None] * len(layout.names)
    for name, part, new, kept in zip(layout.names, layout.parts(total), layout.parts(out), before, strict=True):
        mass = part.sum(axis=-1, keepdims=True)
        empty = mass[..., 0] <= 0
        new[...] = part / np.where(mass > 0, mass, 1)
        if empty.any():
            new[empty] = 1 / part.shape[-1] if kept is None else kept[empty]
            unseen[name] = int(empty.sum())
    return out, unseen


def log_of(tables: Array, counts: Array) -> float:
    """Return sum counts log tables, with 0 log 0 = 0."""
    used = counts > 0
    with np.errstate(divide="ignore"):
        return float(np.sum(counts[used] * np.log(tables[used])))


def random_tables(layout: Layout, stream: Stream, start: int) -> Array:
    draws = stream.exponential("network tables", start, int(layout.start[-1])) + 1e-3
    return tables_from(layout, draws, np.zeros_like(draws), False)[0]


class Run(NamedTuple):
    tables: Array
    objective: float
    log_likelihood: float
    history: History
    converged: bool
    unseen: dict[Any, int]


def expectation_of(layout: Layout, rows: NDArray[np.int32], weight: Array | None, owner: str) -> Any:
    """Return the rows taken apart for (5); codes with a column per variable."""
    try:
        return _core.factors.network.Expectation(layout.network(), rows, weight)
    except ValueError as error:
        raise DataError(f"{owner}: {error}; drop the rows with most missing cells.") from None


def iterate(
    layout: Layout, expectation: Any, prior: Array, mode: bool, tables: Array, max_iter: int, tol: float, owner: str
) -> Run:
    fixed = np.zeros(int(layout.start[-1]))
    expectation.complete(fixed)
    history = History(name="objective")
    weights = prior - 1.0 if mode else prior
    unseen: dict[Any, int] = {}
    converged = False
    log_likelihood = -np.inf
    for _ in range(max_iter + 1):
        counts, log_likelihood = expected_counts(expectation, fixed, tables)
        if log_likelihood == -np.inf:
            raise DataError(f"{owner}: a row is impossible under the start; use init='random', or a prior > 0.")
        objective = log_likelihood + log_of(tables, np.maximum(weights, 0))
        history.append(objective)
        if len(history) > 1 and history[-1] - history[-2] <= tol * max(1.0, abs(history[-1])):
            converged = True
            break
        if len(history) > max_iter:
            break
        tables, unseen = tables_from(layout, counts, prior, mode, tables)
    return Run(tables, history[-1], log_likelihood, history, converged, unseen)


def expected_counts(expectation: Any, fixed: Array, tables: Array) -> tuple[Array, float]:
    """Return E N of (5) and the log-likelihood; blocks of components run in threads and are added in their order."""

    def one(block: int) -> tuple[Array, float]:
        part = np.zeros_like(fixed)
        return part, expectation.add_expected(tables, block, part)

    counts, log = fixed.copy(), log_of(tables, fixed)
    for part, value in map_ordered(one, range(expectation.blocks), thread_count()):
        counts += part
        log += value
    return counts, log
