"""Rows made ready for boosting: coded once, some of them held back to know when to stop.

Rows of weight zero are left out. Rows are held back before bins are learned, so what is scored on them is honest. Rows on a
cluster, and in files whose codes (one byte per cell) find no room in memory, go another way (novum.ensemble.boosting.passes),
but for the Huber loss, whose width and start are not sums over rows: for it codes and targets are always brought here.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.engines.trees.bins import Bins, encode, learn_bins, words_shape
from novum.ensemble.boosting.newton import Rows
from novum.ensemble.boosting.validation_rows import split_rows
from novum.exceptions import ParameterError
from novum.fold.blocks import Block, Source
from novum.runtime import arrays
from novum.runtime.random import Stream
from novum.runtime.room import budget

__all__ = ["Prepared", "codes_of", "known_raw", "prepare_rows", "results_array", "room_for_codes", "targets_of"]

ROW_BYTES, OUTPUT_BYTES = (
    64,
    16,
)  # of a row beside its codes: target, weight, place; and for each output score and slopes
COPIES = 2  # of the codes, while some rows are held back


class Prepared(NamedTuple):
    """Rows to train on, and rows held back."""

    source: Source
    rows: NDArray  # numbers of the rows trained on
    target: NDArray  # of these
    weight: NDArray | None
    words: NDArray
    held_source: Source | None
    held_rows: NDArray | None
    held_target: NDArray | None
    held_weight: NDArray | None
    held_words: NDArray | None
    bins: Bins

    def with_raw(self, function: Callable, model: Any) -> tuple[Rows, Rows | None]:
        """Return both kinds of rows with the raw scores of a model."""
        raw = self._raw(function, model, self.source, self.rows)
        train = Rows(self.words, self.target, self.weight, raw)
        if self.held_source is None:
            return train, None
        raw = self._raw(function, model, self.held_source, self.held_rows)
        return train, Rows(self.held_words, self.held_target, self.held_weight, raw)  # type: ignore[arg-type]

    def _raw(self, function: Callable, model: Any, source: Source, rows: Any) -> NDArray:
        raw = np.empty((len(model.start), len(rows)))
        raw[:] = model.start[:, None]
        if len(model.packed.root):
            raw[:] = results_array(source.rows(function, model))[rows].T
        return raw

    def table(self, held: bool, some: Any = slice(None)) -> NDArray:
        """Return rows as numbers, for a scorer."""
        source, rows = (self.held_source, self.held_rows) if held else (self.source, self.rows)
        if not source.at_hand:  # type: ignore[union-attr]
            raise ParameterError(
                "scoring: a scorer needs rows in memory; scan and Dask data are scored by scoring='loss'."
            )
        return source.some_rows(rows[some])  # type: ignore[union-attr,index]


def results_array(rows: Any) -> NDArray:
    """Return results row by row as an array: they come as one, in batches, or as a Dask array."""
    if isinstance(rows, np.ndarray):
        return rows
    if arrays.is_tensor(rows):
        return arrays.to_numpy(rows)
    return rows.compute() if hasattr(rows, "compute") else np.concatenate(list(rows))


class Coded(NamedTuple):
    """Codes of some blocks, in their order."""

    words: list[NDArray]


class Targets(NamedTuple):
    """Targets and weights of some blocks, in their order."""

    target: list[NDArray]
    weight: list[NDArray | None]


def code_block(bins: Bins, block: Block) -> Coded:
    """Return the codes of one block."""
    return Coded([encode(bins, arrays.to_numpy(block.X))])


def targets_of_block(_: Any, block: Block) -> Targets:
    """Return target and weights of one block."""
    return Targets([arrays.to_numpy(block.y)], [None if block.weight is None else arrays.to_numpy(block.weight)])


def targets_of(source: Source) -> tuple[NDArray, NDArray | None]:
    """Return the target and the weights of all rows."""
    if source.at_hand:
        return np.asarray(source.y), source.weight  # type: ignore[attr-defined]
    found = source.without_features().total(targets_of_block)
    weight = None if found.weight[0] is None else np.concatenate(found.weight)
    return np.concatenate(found.target), weight


def codes_of(source: Source, bins: Bins) -> NDArray:
    """Return the codes of all rows of a source, packed; threads run over its blocks."""
    if not source.at_hand and not (source.rereads and source.n_rows):
        return np.concatenate(source.total(code_block, bins).words, axis=1)
    words = np.empty(words_shape(source.n_rows or 0, source.n_features), np.uint32)

    def one(_: Any, block: Block) -> tuple:
        encode(bins, block.X, words, block.start)
        return ()

    source.total(one, merge=lambda a, b: a)
    return words


def pick_rows(values: NDArray | None, rows: NDArray) -> NDArray | None:
    """Return the values of some sorted rows; those of all rows without a copy."""
    return values if values is None or len(rows) == values.shape[-1] else np.ascontiguousarray(values[..., rows])


def prepare_rows(
    source: Source,
    target: NDArray,
    weight: NDArray | None,
    held: tuple[Source, NDArray, NDArray | None] | None,
    share: float | int | None,
    by_class: NDArray | None,
    stream: Stream,
    categories: NDArray,
    max_bins: int,
    n_threads: int,
) -> Prepared:
    """Return rows ready for boosting: `held` ones that were given, or a `share` of the source's, stratified by class if given."""
    rows = np.arange(len(target)) if weight is None else np.flatnonzero(weight > 0)
    held_rows = None
    if share is not None:
        rows, held_rows = split_rows(rows, share, by_class, stream.seed, len(target))
    bins = learn_bins(
        source, stream, max_bins, categories, rows=rows, n_rows=len(target), weight=weight, n_threads=n_threads
    )
    words = codes_of(source, bins)
    parts: tuple = (source, rows, pick_rows(target, rows), pick_rows(weight, rows), pick_rows(words, rows))
    if held_rows is not None:
        kept: tuple = (
            source,
            held_rows,
            pick_rows(target, held_rows),
            pick_rows(weight, held_rows),
            pick_rows(words, held_rows),
        )
    elif held is not None:
        given, held_target, held_weight = held
        kept = (given, np.arange(len(held_target)), held_target, held_weight, codes_of(given, bins))
    else:
        kept = (None,) * 5
    return Prepared._make((*parts, *kept, bins))


@contextmanager
def room_for_codes(source: Source, n_rows: int, outputs: int) -> Iterator[bool]:
    """Say whether the codes of rows in files, and what boosting adds to every row, may be held in memory meanwhile."""
    codes = 4 * words_shape(1, source.n_features)[0]
    size = n_rows * (COPIES * codes + ROW_BYTES + OUTPUT_BYTES * outputs)
    room = source.rereads and budget.take(size)
    try:
        yield room
    finally:
        if room:
            budget.give(size)


class Known(NamedTuple):
    """Raw scores of rows that a scorer is about to ask for."""

    X: Any
    raw: NDArray


def known_raw(estimator: Any, X: Any) -> NDArray | None:
    """Return the raw scores that are known of this very X while its scorer runs."""
    known = estimator.__dict__.get("_known")
    return known.raw if known is not None and known.X is X else None
