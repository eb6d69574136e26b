r"""Marginals and maxima of a product of tables: the door to the compiled planner.

    p(x) = prod_f table_f(x_f) / Z,     Z(e) = sum of the product over everything but the evidence e                (1)
    p(t | e) = sum over the rest / Z(e),     x* = argmax of the product given e                                     (2)

A plan depends on which variables are observed and which are queried, not on values; the engine keeps the plans it made.
Plans and tables are read-only, so any number of threads may query one engine.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.report.numbers import num
from novum.report.result import result
from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count

__all__ = ["MEMORY_LIMIT", "Cost", "Engine", "Factor", "TooLarge", "in_bytes"]

MEMORY_LIMIT = 2 << 30  # bytes that a query may take unless the caller allows more
KEPT_PLANS = 256
ROWS_PER_TASK = 256  # rows of evidence that a thread takes at a time


class Factor(NamedTuple):
    """A table over variables, given by their numbers."""

    scope: tuple[int, ...]
    table: NDArray[np.float64]
    head: int = -1  # the variable over which it sums to one, given the others


@result
class Cost(NamedTuple):
    """What a query takes, known before anything is allocated."""

    treewidth: int  # variables in the largest clique, less one
    largest_clique: float  # its cells
    multiplications: float
    bytes: float  # of the intermediate tables

    def __repr__(self) -> str:
        return (
            f"Cost: treewidth {self.treewidth}, largest clique {num(self.largest_clique):,.0f} cells, "
            f"{num(self.multiplications):,.0f} multiplications, {in_bytes(self.bytes)}"
        )


def in_bytes(number: float) -> str:
    """Return a size in words: 12 kB, 3.4 GB."""
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= size:
            return f"{num(number / size):.3g} {unit}"
    return f"{num(number):.0f} bytes"


class TooLarge(Exception):
    """A plan that needs more memory than it may have."""

    def __init__(self, cost: Cost, limit: float) -> None:
        super().__init__(cost, limit)
        self.cost, self.limit = cost, limit


def cost_of(plan: Any) -> Cost:
    return Cost(plan.width, plan.largest, plan.multiplications, plan.bytes)


class Engine:
    """The tables of a discrete model, ready for queries.

    Parameters
    ----------
    cards : sequence of int
        States of every variable.
    factors : sequence of Factor
    """

    def __init__(self, cards: Sequence[int], factors: Sequence[Factor]) -> None:
        self.cards = tuple(int(c) for c in cards)
        self.factors = tuple(factors)
        self.cells = np.concatenate(
            [np.asarray(f.table, dtype=np.float64).reshape(-1) for f in self.factors] or [np.empty(0)]
        )
        self._network = lru_cache(16)(self._make_network)
        self._marginals = lru_cache(KEPT_PLANS)(self._plan_marginals)
        self._maximum = lru_cache(KEPT_PLANS)(self._plan_maximum)

    def __getstate__(self) -> dict[str, Any]:
        return {"cards": self.cards, "factors": self.factors}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["cards"], state["factors"])  # type: ignore[misc]

    def _make_network(self, soft: tuple[int, ...]) -> Any:
        scopes = [list(f.scope) for f in self.factors] + [[v] for v in soft]
        return _core.factors.network.Network(
            list(self.cards), scopes, [f.head for f in self.factors] + [-1] * len(soft)
        )

    def _plan_marginals(
        self, observed: tuple[int, ...], targets: tuple[tuple[int, ...], ...], soft: tuple[int, ...]
    ) -> Any:
        return _core.factors.network.Marginals(self._network(soft), list(observed), [list(t) for t in targets])

    def _plan_maximum(self, observed: tuple[int, ...], chosen: tuple[int, ...], soft: tuple[int, ...]) -> Any:
        return _core.factors.network.Maximum(self._network(soft), list(observed), list(chosen))

    def cost(self, observed: Sequence[int], targets: Sequence[Sequence[int]], soft: Sequence[int] = ()) -> Cost:
        """Return the cost of `marginals`."""
        return cost_of(self._marginals(tuple(observed), tuple(map(tuple, targets)), tuple(soft)))

    def _fitting(self, plan: Any, limit: float) -> Any:
        if not plan.built or plan.bytes > limit:
            raise TooLarge(cost_of(plan), limit)
        return plan

    def _tables(self, soft: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        return np.concatenate([self.cells, *soft]) if soft else self.cells

    def marginals(
        self,
        observed: Sequence[int],
        rows: NDArray[np.int32],
        targets: Sequence[Sequence[int]],
        soft: dict[int, NDArray[np.float64]] | None = None,
        limit: float = MEMORY_LIMIT,
    ) -> tuple[list[NDArray[np.float64]], NDArray[np.float64]]:
        """Return p(target | row) for every target, with an axis for the rows first, and log Z of every row.

        Rows whose evidence has probability zero get NaN and -inf.
        """
        soft = soft or {}
        plan = self._fitting(self._marginals(tuple(observed), tuple(map(tuple, targets)), tuple(soft)), limit)
        rows = np.ascontiguousarray(rows, dtype=np.int32)
        tables = self._tables([np.asarray(v, dtype=np.float64) for v in soft.values()])
        out, log = np.empty((len(rows), plan.results)), np.empty(len(rows))

        def part(begin: int) -> None:
            cut = slice(begin, begin + ROWS_PER_TASK)
            plan.run(tables, rows[cut], out[cut], log[cut])

        over_rows(part, len(rows), plan.bytes, limit)
        parts, at = [], 0
        for target in targets:
            shape = tuple(self.cards[v] for v in target)
            size = prod(shape)
            parts.append(out[:, at : at + size].reshape(len(rows), *shape))
            at += size
        return parts, log

    def maximum(
        self,
        observed: Sequence[int],
        rows: NDArray[np.int32],
        chosen: Sequence[int],
        soft: dict[int, NDArray[np.float64]] | None = None,
        limit: float = MEMORY_LIMIT,
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the best values of `chosen` for every row, and the log of the maximum; the others are summed out."""
        soft = soft or {}
        plan = self._fitting(self._maximum(tuple(observed), tuple(chosen), tuple(soft)), limit)
        rows = np.ascontiguousarray(rows, dtype=np.int32)
        tables = self._tables([np.asarray(v, dtype=np.float64) for v in soft.values()])
        best, log = np.empty((len(rows), len(plan.variables)), dtype=np.int32), np.empty(len(rows))

        def part(begin: int) -> None:
            cut = slice(begin, begin + ROWS_PER_TASK)
            plan.run(tables, rows[cut], best[cut], log[cut])

        over_rows(part, len(rows), plan.bytes, limit)
        out = np.zeros((len(rows), len(chosen)), dtype=np.int32)  # in no table: any value is best
        place = {v: i for i, v in enumerate(chosen)}
        for i, v in enumerate(plan.variables):
            out[:, place[v]] = best[:, i]
        return out, log


def over_rows(part: Any, n: int, bytes_each: float, limit: float) -> None:
    """Run `part` over blocks of rows, by as many threads as memory allows."""
    begins = range(0, n, ROWS_PER_TASK)
    threads = 1 if len(begins) <= 1 else min(thread_count(), max(1, int(limit // max(bytes_each, 1))))
    if threads == 1:
        for begin in begins:
            part(begin)
        return
    for _ in map_ordered(part, begins, threads):
        pass
