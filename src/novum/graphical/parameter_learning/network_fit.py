"""`BayesianNetwork.fit` and `partial_fit`: data in many forms into counts, counts into tables."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from novum.base.history import History
from novum.base.validation import home_of
from novum.engines.factors.states import coded_columns, columns_of, learned_states
from novum.exceptions import DataError, NotConverged, ParameterError
from novum.graphical.linear_gaussian.fit import fit_real
from novum.graphical.networks.nodes import NoisyOr, Table
from novum.graphical.parameter_learning.tables import (
    FitReport,
    Layout,
    Run,
    expectation_of,
    family_counts,
    iterate,
    log_of,
    pseudo_counts,
    random_tables,
    tables_from,
)
from novum.runtime.checks import check_choice, check_count, check_number, row_weights
from novum.runtime.random import Stream, seed_of

if TYPE_CHECKING:
    from novum.graphical.networks.bayesian_network import BayesianNetwork

__all__ = ["fit_network", "partial_fit_network", "unchanged_on_error"]

Array = NDArray[np.float64]


@contextmanager
def unchanged_on_error(network: "BayesianNetwork") -> Iterator[None]:
    """Put the network back as it was if a fit fails half way."""
    kept = {key: dict(value) if isinstance(value, dict) else value for key, value in network.__dict__.items()}
    try:
        yield
    except BaseException:
        network.__dict__.clear()
        network.__dict__.update(kept)
        raise


def parts_of(data: Any) -> Iterator[Any] | None:
    """Return the frames of data that come in parts (an iterator, a scan), else None."""
    if home_of(data) == "file":
        return ({name: block.X[:, i] for i, name in enumerate(data.names or ())} for block in data.each())
    if isinstance(data, Iterator):
        return data
    return None


def is_dask(data: Any) -> bool:
    return type(data).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(data, "to_delayed")


def learn_states(network: "BayesianNetwork", owner: str, columns: Mapping[Any, Any]) -> None:
    """Take the states of variables that have none from the data."""
    for variable in network.nodes:
        if variable in network.states or network.is_real(variable):
            continue
        if variable not in columns:
            raise DataError(
                f"{owner}: no column {variable!r}, and its states are not known; pass states= to the network."
            )
        states = learned_states(owner, variable, columns[variable])
        if not states:
            raise DataError(f"{owner}: column {variable!r} holds no value; pass states= to the network.")
        network.states[variable] = states
    network.states = {v: network.states[v] for v in network.nodes if v in network.states}


def check_whole(owner: str, network: "BayesianNetwork", names: tuple[Any, ...]) -> None:
    lost = [v for v in network.states if v not in names]
    if lost:
        raise DataError(
            f"{owner}: no column {', '.join(map(str, lost[:10]))}; a hidden variable needs a column of missing cells."
        )


def fit_network(
    network: "BayesianNetwork",
    data: Any,
    prior: Any,
    equivalent_sample_size: float,
    estimate: str,
    sample_weight: Any,
    init: str,
    n_init: int,
    max_iter: int,
    tol: float,
    random_state: Any,
) -> FitReport:
    owner = f"{type(network).__name__}.fit"
    check_choice(owner, "estimate", estimate, ("mean", "mode"))
    check_choice(owner, "init", init, ("available", "uniform", "random"))
    parts = parts_of(data)
    if parts is not None or is_dask(data):
        if sample_weight is not None:
            raise ParameterError(f"{owner}(sample_weight=...): weights go with data in memory.")
        return fit_parts(network, owner, data, parts, prior, equivalent_sample_size, estimate == "mode")
    columns = columns_of(owner, data, network.nodes)
    learn_states(network, owner, columns)
    names, codes = coded_columns(owner, columns, network.states)
    check_whole(owner, network, names)
    n = codes.shape[1] if network.states else len(next(iter(columns.values())))
    if n == 0:
        raise DataError(f"{owner}: the data have no rows.")
    weight = None if sample_weight is None else row_weights(owner, sample_weight, n)
    layout = Layout(network.states, network.parents)
    alpha = pseudo_counts(owner, layout, prior, equivalent_sample_size)
    mode = estimate == "mode"
    if mode and (alpha < 1).any():
        raise ParameterError(
            f"{owner}(estimate='mode'): the mode of a Dirichlet needs pseudo-counts >= 1; use prior=1 or more, or estimate='mean'."
        )
    if (codes < 0).any():
        if len(network.states) < len(network.dag):
            raise DataError(
                f"{owner}: cells are missing, and the network has real nodes; EM needs discrete ones. Drop those rows."
            )
        found = best_run(
            network,
            owner=owner,
            layout=layout,
            codes=codes,
            weight=weight,
            alpha=alpha,
            mode=mode,
            init=init,
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
        )
        set_tables(network, layout, found.tables)
        return FitReport(n, found.log_likelihood, len(found.history) - 1, found.converged, found.history, found.unseen)
    counts = family_counts(layout, codes, weight)
    tables, unseen = tables_from(layout, counts, alpha, mode)
    set_tables(network, layout, tables)
    network._counts = counts
    log = log_of(tables, counts) + fit_real(network, owner, columns, codes, weight)
    return FitReport(n, log, 0, True, History([log], name="objective"), unseen)


def fit_parts(
    network: "BayesianNetwork", owner: str, data: Any, parts: Iterator[Any] | None, prior: Any, ess: float, mode: bool
) -> FitReport:
    """Count part by part; the states must be known before."""
    if len(network.states) < len(network.dag):
        raise ParameterError(
            f"{owner}: data that come in parts need the states of every variable beforehand; pass states= to the network."
        )
    layout = Layout(network.states, network.parents)
    alpha = pseudo_counts(owner, layout, prior, ess)

    def one(part: Any) -> tuple[int, Array]:
        names, codes = coded_columns(owner, columns_of(owner, part, network.nodes), network.states)
        check_whole(owner, network, names)
        if (codes < 0).any():
            raise DataError(f"{owner}: cells are missing; EM needs the data in memory.")
        return codes.shape[1], family_counts(layout, codes, None)

    results: Iterable[tuple[int, Array]]
    if parts is None:
        import dask

        results = dask.compute(*[dask.delayed(one, pure=False)(part) for part in data.to_delayed()])
    else:
        results = map(one, parts)
    n, counts = 0, np.zeros(int(layout.start[-1]))
    for rows, part in results:
        n, counts = n + rows, counts + part
    if not n:
        raise DataError(f"{owner}: the data have no rows.")
    tables, unseen = tables_from(layout, counts, alpha, mode)
    set_tables(network, layout, tables)
    network._counts = counts
    log = log_of(tables, counts)
    return FitReport(n, log, 0, True, History([log], name="objective"), unseen)


def partial_fit_network(network: "BayesianNetwork", data: Any, prior: Any, ess: float, sample_weight: Any) -> FitReport:
    """Add the counts of more rows to those of `fit` and `partial_fit` before."""
    owner = f"{type(network).__name__}.partial_fit"
    columns = columns_of(owner, data, network.nodes)
    if network._counts is None:
        learn_states(network, owner, columns)
    if len(network.states) < len(network.dag):
        raise ParameterError(f"{owner}: the network has real nodes; fit it on all rows at once.")
    names, codes = coded_columns(owner, columns, network.states)
    check_whole(owner, network, names)
    if (codes < 0).any():
        raise DataError(f"{owner}: cells are missing; fit the rows at once, by EM.")
    layout = Layout(network.states, network.parents)
    weight = None if sample_weight is None else row_weights(owner, sample_weight, codes.shape[1])
    counts = family_counts(layout, codes, weight)
    if network._counts is not None:
        counts = counts + network._counts
    tables, unseen = tables_from(layout, counts, pseudo_counts(owner, layout, prior, ess), False)
    set_tables(network, layout, tables)
    network._counts = counts
    log = log_of(tables, counts)
    return FitReport(codes.shape[1], log, 0, True, History([log], name="objective"), unseen)


def best_run(
    network: "BayesianNetwork",
    owner: str,
    layout: Layout,
    codes: NDArray[np.int32],
    weight: Array | None,
    alpha: Array,
    mode: bool,
    init: str,
    n_init: int,
    max_iter: int,
    tol: float,
    random_state: Any,
) -> Run:
    """Return the best of several runs of EM: the first from `init`, the others from random tables."""
    from novum.runtime.warn import warn

    max_iter, starts = check_count(owner, "max_iter", max_iter), check_count(owner, "n_init", n_init)
    tol = check_number(owner, "tol", tol, 0)
    stream = Stream(seed_of(random_state))
    expectation = expectation_of(layout, np.ascontiguousarray(codes.T), weight, owner)
    best: Run | None = None
    for start in range(starts):
        if start or init == "random":
            tables = random_tables(layout, stream, start)
        elif init == "uniform":
            tables, _ = tables_from(layout, np.zeros_like(alpha), np.zeros_like(alpha), False)
        else:
            tables = available_tables(layout, codes, weight, stream)
        run = iterate(
            layout,
            expectation=expectation,
            prior=alpha,
            mode=mode,
            tables=tables,
            max_iter=max_iter,
            tol=tol,
            owner=owner,
        )
        if best is None or run.objective > best.objective:
            best = run
    assert best is not None
    if not best.converged:
        warn(
            f"{owner}: EM did not converge in max_iter={max_iter} passes; raise max_iter or tol.",
            NotConverged,
        )
    return best


def available_tables(layout: Layout, codes: NDArray[np.int32], weight: Array | None, stream: Stream) -> Array:
    """Return a start from the rows in which a family is complete, one pseudo-count added; a hidden variable starts at random."""
    counts = family_counts(layout, codes, weight)
    tables, _ = tables_from(layout, counts, np.ones_like(counts), False)
    hidden = np.asarray((codes < 0).all(axis=1))
    noise = layout.parts(random_tables(layout, stream, 0))
    for scope, part, random in zip(layout.scopes, layout.parts(tables), noise, strict=True):
        if hidden[scope].any():
            part[...] = random
    return tables


def set_tables(network: "BayesianNetwork", layout: Layout, tables: Array) -> None:
    for name in layout.names:
        if isinstance(network.conditionals.get(name), NoisyOr):
            raise ParameterError(
                f"BayesianNetwork.fit: {name!r} is a NoisyOr, whose strengths are not learned; give it a table, or none."
            )
    found = {
        name: Table(table.copy(), network.states[name])
        for name, table in zip(layout.names, layout.parts(tables), strict=True)
    }
    network.conditionals = {
        v: found.get(v, network.conditionals.get(v)) for v in network.nodes if v in found or v in network.conditionals
    }
    network.__dict__.pop("_compiled", None)
