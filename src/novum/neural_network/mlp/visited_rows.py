"""The rows of an epoch and their order, which is that of novum.fold.dealing in every home.

Rows that are one bucket are shuffled as scikit-learn shuffles them, each epoch what the one before left; rows of several buckets by
draws of bucket and epoch. Rows outside memory are stepped over where they are; a batch that a portion cannot fill takes the
first rows of the next, so that the steps are those in memory.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum.fold.blocks import Source
from novum.fold.dealing import (
    Deal,
    Portion,
    Portions,
    deal_of,
    order_in_bucket,
    order_of_buckets,
    portions_of,
    rows_by_bucket,
)
from novum.neural_network.mlp.compiled_network import CompiledNetwork, Data, Memory, Settings
from novum.neural_network.mlp.model import Reader, read_block
from novum.runtime import arrays
from novum.runtime.threads import thread_count

__all__ = ["RowsInMemory", "RowsInPortions", "buckets_of_rows", "deal_rows", "opened_portions"]


def deal_rows(source: Source, shuffle: bool, random: np.random.RandomState) -> Deal | None:
    """Return how the rows are dealt to buckets, None for rows as they lie; only several buckets need a key."""
    if not shuffle:
        return None
    deal = deal_of(source, 0)
    return deal if deal.buckets == 1 else deal._replace(key=int(random.randint(2**31)))


def buckets_of_rows(deal: Deal | None, rows: int, weight: Any) -> list[NDArray[np.int64]]:
    """Return the rows of every bucket, counted among those that have weight."""
    if weight is None or bool((weight > 0).all()):
        return [np.arange(rows)] if deal is None else rows_by_bucket(deal, rows)
    if deal is None or deal.buckets == 1:
        return [np.arange(int((weight > 0).sum()))]
    buckets, kept = rows_by_bucket(deal, rows), arrays.to_numpy(weight > 0)
    place = np.cumsum(kept) - 1
    return [place[bucket[kept[bucket]]] for bucket in buckets]


class RowsInMemory:
    """All rows at hand."""

    def __init__(self, data: Data, deal: Deal | None, buckets: list[NDArray[np.int64]]) -> None:
        self.data, self.deal, self.buckets = data, deal, buckets
        self.order = buckets[0]

    def go_on(self, done: int, random: np.random.RandomState) -> None:
        """Be where so many epochs lead; `random` is the generator at the first of them."""
        if self.deal is not None and len(self.buckets) == 1:
            for _ in range(done):
                self.order = self.order[shuffled(random, len(self.order))]

    def visit(
        self, machine: CompiledNetwork, rate: float, random: np.random.RandomState, epoch: int
    ) -> tuple[float, int]:
        """Run an epoch; return the sum of its losses and its rows."""
        if self.deal is not None and len(self.buckets) == 1:
            self.order = self.order[shuffled(random, len(self.order))]
        elif self.deal is not None:
            drawn = [(number, self.buckets[number]) for number in order_of_buckets(self.deal, epoch)]
            self.order = np.concatenate(
                [rows[order_in_bucket(self.deal, number, epoch, len(rows))] for number, rows in drawn]
            )
        return machine.epoch(self.data, self.order, rate), len(self.order)


def shuffled(random: np.random.RandomState, rows: int) -> NDArray[np.int64]:
    """Return places in random order, as scikit-learn draws it."""
    places = np.arange(rows)
    random.shuffle(places)
    return places


def stacked(a: Data, b: Data) -> Data:
    """Return the rows of a, then those of b."""
    X = scipy.sparse.vstack([a.X, b.X], "csr") if scipy.sparse.issparse(b.X) else np.concatenate([a.X, b.X])
    return Data(X, *(None if y is None else np.concatenate([x, y]) for x, y in zip(a[1:], b[1:])))


class Visit(NamedTuple):
    """How an epoch steps over portions."""

    settings: Settings
    reader: Reader
    batch: int
    deal: Deal | None  # None: rows as they lie
    run: str  # which training it is
    first: tuple  # state of the generator when it began
    rate: float = 0.0
    epoch: int = 0
    done: int = 0  # epochs of this training before


class Course(NamedTuple):
    """A network on its way through an epoch."""

    memory: Memory
    random: tuple  # state of the generator
    total: float = 0.0  # sum of the losses so far
    rows: int = 0
    rest: Data | None = None  # in their order: the beginning of a batch that the next portion fills


def drawn_order(visit: Visit, course: Course, portion: Portion, rows: int) -> tuple[NDArray[np.int64], tuple]:
    """Return the order of a portion's rows, and the state of the generator after it was drawn."""
    if visit.deal is None:
        return np.arange(rows), course.random
    if visit.deal.buckets > 1:
        return order_in_bucket(visit.deal, portion.number, visit.epoch, rows), course.random
    kept = None if portion.block.memory is None else portion.block.memory.get("order")
    random, done, order = np.random.RandomState(), 0, np.arange(rows)
    if kept is not None and kept[:2] == (visit.run, visit.done):
        done, order = visit.done, kept[2]
    random.set_state(visit.first if done < visit.done else course.random)
    for _ in range(done, visit.done + 1):  # all of them again where the worker that knew the last order is lost
        order = order[shuffled(random, rows)]
    if portion.block.memory is not None:
        portion.block.memory["order"] = (visit.run, visit.done + 1, order)
    return order, random.get_state(legacy=True)  # type: ignore[return-value]


def visit_portion(visit: Visit, course: Course, portion: Portion) -> Course:
    """Return the network after it stepped over a portion; a short batch waits for the next one unless this is the last."""
    data = read_block(visit.reader, portion.block)
    order, random = drawn_order(visit, course, portion, data.rows)
    machine = CompiledNetwork(visit.settings, course.memory, visit.batch, thread_count())
    total, rows, rest = course.total, course.rows, course.rest
    if rest is not None:
        missing = visit.batch - rest.rows
        rest, order = stacked(rest, data.take(order[:missing])), order[missing:]
        if rest.rows == visit.batch or portion.last:
            total, rows = total + machine.epoch(rest, np.arange(rest.rows), visit.rate), rows + rest.rows
            rest = None
    if len(order):
        full = len(order) if portion.last else len(order) // visit.batch * visit.batch
        if full:
            total, rows = total + machine.epoch(data, order[:full], visit.rate), rows + full
        rest = data.take(order[full:]) if full < len(order) else None
    return Course(machine.memory(), random, total, rows, rest)


class RowsInPortions:
    """Rows elsewhere: the network goes to them."""

    def __init__(self, portions: Portions, visit: Visit) -> None:
        self.portions, self.first = portions, visit
        self.done = 0

    def go_on(self, done: int, random: np.random.RandomState) -> None:
        """Be where so many epochs lead."""
        self.done = done

    def visit(
        self, machine: CompiledNetwork, rate: float, random: np.random.RandomState, epoch: int
    ) -> tuple[float, int]:
        """Run an epoch; return the sum of its losses and its rows."""
        visit = self.first._replace(rate=rate, epoch=epoch, done=self.done)
        order = None if visit.deal is None else order_of_buckets(visit.deal, epoch)
        start = Course(machine.memory(), random.get_state(legacy=True))  # type: ignore[arg-type]
        end: Course = self.portions.walk(partial(visit_portion, visit), start, order)
        machine.load(end.memory)
        random.set_state(end.random)
        self.done += 1
        return end.total, end.rows


@contextmanager
def opened_portions(
    source: Source, settings: Settings, reader: Reader, batch: int, deal: Deal | None, random: np.random.RandomState
) -> Iterator[RowsInPortions]:
    """Give the rows of a source outside memory to a training that begins now."""
    first = Visit(settings, reader, batch, deal, uuid4().hex, random.get_state(legacy=True))  # type: ignore[arg-type]
    with portions_of(source, deal) as portions:
        yield RowsInPortions(portions, first)
