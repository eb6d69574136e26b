r"""Distributions of labelled rows: for every class, a distribution for every group of columns, learned in one fold.

    theta_cp = argmax  sum over the rows of class c of  w log p(x_p | theta)  + log p(theta)       (1)
    p(x_p | c, D) = int p(x_p | theta) p(theta | D_c) dtheta                                       (2)

(1) is `from_statistics` of the family, with the conjugate prior or without; (2) the predictive distribution of the conjugate
pair. Groups are independent given the class. A missing cell of a family of numbers is left out. A normal distribution of equal
numbers gets a least variance in place of zero.
"""

from typing import Any, NamedTuple

import numpy as np

from novum.distributions.conjugate.registry import about, resolve_pair
from novum.distributions.continuous.normal import Normal
from novum.distributions.learning.iterate import IterationState, next_state
from novum.distributions.learning.table_columns import columns_of, component_log_prob, component_statistics
from novum.distributions.numerics.ops import all_of
from novum.exceptions import DataError, NotConverged
from novum.fold.blocks import Block, Source
from novum.runtime import arrays
from novum.runtime.warn import warn

__all__ = ["ColumnGroup", "learn_parts", "parts_log_prob"]

MOST_PASSES, AT_REST = 500, 1e-9  # passes of families that need several, and the move that ends them
LEAST_SHARE = 1e-9  # of the largest variance of the data: what a normal distribution of equal numbers gets


class ColumnGroup(NamedTuple):
    """Columns that one distribution of every class is about."""

    columns: tuple[int, ...]
    family: Any  # a class of distributions
    options: dict[str, Any]  # of its fit
    prior: Any = None  # conjugate prior, or None for maximum likelihood
    likelihood: Any = None  # with a prior: the family, or an object that brings known parameters


class StatisticsPass(NamedTuple):
    parts: list[ColumnGroup]
    near: list[list[Any]]  # (classes, parts): distributions about which sums are taken
    owner: str


class LabelledSums(NamedTuple):
    mass: np.ndarray  # (k,)
    parts: tuple[tuple[Any, ...], ...]  # (classes, parts)


def rows_of_class(block: Block, c: int) -> tuple[Any, Any]:
    """Return the rows of a class that have weight, in float64, and their weights."""
    mine = block.y == c
    if block.weight is not None:
        mine = mine & (block.weight > 0)
    X = arrays.double(block.X[mine])
    return X, arrays.ones(X, X.shape[0]) if block.weight is None else block.weight[mine]


def take_columns(X: Any, columns: tuple[int, ...]) -> Any:
    """Return some columns."""
    return X[:, list(columns)]


def statistics_of(task: StatisticsPass, block: Block) -> LabelledSums:
    """Return mass and statistics of every class and part, for one block."""
    mass, found = [], []
    for c, near in enumerate(task.near):
        X, weight = rows_of_class(block, c)
        mass.append(float(weight.sum()))
        row = []
        for part, distribution in zip(task.parts, near):
            x = take_columns(X, part.columns)
            cells = columns_of(distribution, x)
            inside = (
                distribution._inside(cells) | (cells != cells)
                if not distribution.event_shape
                else distribution._inside(cells)
            )
            if not all_of(inside):
                name = type(distribution).__name__
                raise DataError(
                    f"{task.owner}: columns {list(part.columns)} hold a value that no {name} has; it is a distribution of"
                    f" {distribution._domain}. Choose another family for them."
                )
            row.append(component_statistics(distribution, x, weight))
        found.append(tuple(row))
    return LabelledSums(np.array(mass), tuple(found))


def merge(a: LabelledSums, b: LabelledSums) -> LabelledSums:
    """Return the sums of two portions of data."""
    pairs = [tuple(type(x)(*(u + v for u, v in zip(x, y))) for x, y in zip(p, q)) for p, q in zip(a.parts, b.parts)]
    return LabelledSums(a.mass + b.mass, tuple(pairs))


def start_of(part: ColumnGroup, x: Any) -> Any:
    """Return where to begin with some rows: without missing cells, or the family's own start without rows."""
    x = x[~np.isnan(x).any(axis=1)]
    if part.prior is not None:
        pair, likelihood = resolve_pair(part.prior, part.likelihood, "update")
        rows = x if part.family._event_ndim or len(part.columns) > 1 else x[:, 0]
        return about(pair, part.prior, likelihood, rows)
    rows = x if part.family._event_ndim or len(part.columns) > 1 else x[:, 0]
    return part.family._start(rows, None, **part.options)


def solve_part(part: ColumnGroup, near: Any, sums: Any, floor: float) -> Any:
    """Return (1) or, with a prior of which the predictive distribution is wanted, the posterior by its rule."""
    if part.prior is not None:
        return near.from_statistics(sums, part.prior)
    if type(near) is Normal:
        mass = np.where(sums.mass > 0, sums.mass, 1.0)
        offset = sums.first / mass
        variance = np.maximum(sums.second / mass - offset**2, 0.0)
        return Normal(near.mean + offset, np.maximum(variance, floor))
    return near.from_statistics(sums)


def predictive(part: ColumnGroup, near: Any, sums: Any) -> Any:
    """Return (2)."""
    pair, likelihood = resolve_pair(part.prior, part.likelihood, "predictive")
    return pair.predictive(pair.posterior(part.prior, likelihood, near, sums), likelihood)


def learn_parts(
    owner: str, source: Source, k: int, parts: list[ColumnGroup], bayesian: bool = False
) -> tuple[np.ndarray, list[list[Any]]]:
    """Return the mass of every class and its distributions, one per part; `bayesian` gives (2) in place of (1)."""
    block = source.first()
    X = arrays.to_numpy(block.X).astype(np.float64)
    y = arrays.to_numpy(block.y)
    if block.weight is not None:
        used = arrays.to_numpy(block.weight) > 0
        X, y = X[used], y[used]
    near = [
        [start_of(part, take_columns(X[y == c] if (y == c).any() else X, part.columns)) for part in parts]
        for c in range(k)
    ]
    variance = np.nanvar(X, axis=0).max(initial=0.0) if len(X) else 0.0
    floor = LEAST_SHARE * float(variance) or np.finfo(float).tiny
    sums: LabelledSums = source.total(statistics_of, StatisticsPass(parts, near, owner), merge)
    if bayesian:
        return sums.mass, [
            [predictive(part, one, s) for part, one, s in zip(parts, row, found)]
            for row, found in zip(near, sums.parts)
        ]

    def solve(total: LabelledSums, about_them: list[list[Any]]) -> list[list[Any]]:
        return [
            [solve_part(part, one, s, floor) for part, one, s in zip(parts, row, found)]
            for row, found in zip(about_them, total.parts)
        ]

    fitted = solve(sums, near)
    again = any(
        part.prior is None and one._begin_again(new)
        for row, news in zip(near, fitted)
        for part, one, new in zip(parts, row, news)
    )
    if again:
        fitted = solve(source.total(statistics_of, StatisticsPass(parts, fitted, owner), merge), fitted)
    return sums.mass, settle_parts(owner, source, parts, fitted)


def settle_parts(owner: str, source: Source, parts: list[ColumnGroup], fitted: list[list[Any]]) -> list[list[Any]]:
    """Return the distributions after further passes, where a family has no statistics that one pass could gather."""
    moving = [p for p, part in enumerate(parts) if hasattr(part.family, "_moved") and part.prior is None]
    if not moving:
        return fitted
    states = [{p: IterationState(row[p], row[p], None) for p in moving} for row in fitted]
    for _ in range(MOST_PASSES):
        found = [[states[c][p].now for p in moving] for c in range(len(fitted))]
        total: LabelledSums = source.total(
            statistics_of, StatisticsPass([parts[p] for p in moving], found, owner), merge
        )
        states = [{p: next_state(states[c][p], s) for p, s in zip(moving, sums)} for c, sums in enumerate(total.parts)]
        if max(states[c][p].now._moved(one) for c, row in enumerate(found) for p, one in zip(moving, row)) <= AT_REST:
            break
    else:
        warn(f"{owner}: the parameters still moved after {MOST_PASSES} passes.", NotConverged)
    return [[states[c][p].now if p in moving else one for p, one in enumerate(row)] for c, row in enumerate(fitted)]


def parts_log_prob(columns: list[tuple[int, ...]], distributions: list[list[Any]], X: Any) -> Any:
    """Return sum over the parts of log p(x_p | c) for every row and class, in float64."""
    X = arrays.double(X)
    scores = []
    for row in distributions:
        total: Any = 0.0
        for chosen, distribution in zip(columns, row):
            total = total + component_log_prob(distribution, take_columns(X, chosen))
        scores.append(total[:, None])
    return arrays.concat(scores)
