r"""Columns into one-byte codes: quantile bins for numbers, one bin per category, and a code of its own for missing values.

A column with at most `max_bins` distinct values is cut half-way between neighbors; any other at the quantiles

    e_i = the i/max_bins quantile of the column, i = 1, ..., max_bins - 1                              (1)
    code(x) = number of edges below x,   `missing` for NaN                                             (2)

A quantile is the middle of the interval where every point of one is as good (the averaged inverse of the distribution
function), of the weighted rows if there are weights. Beyond `SAMPLE_ROWS` rows the edges are those of a sample: the rows with
the smallest keys of novum.runtime.random, which depend on the number of a row alone, so every home of the data draws the same rows.
"""

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.fold.blocks import Block, Source
from novum.runtime import arrays, devices
from novum.runtime.pool import map_ordered
from novum.runtime.random import Stream

__all__ = [
    *("TIE", "Bins", "SampleRequest", "bins_of_edges", "edges_of", "encode", "half_way", "learn_bins", "levels_of"),
    *("merge_samples", "middle_of", "quantile_places", "sample_bins", "sample_of", "within", "words_shape"),
]

SAMPLE_ROWS = 200_000  # as scikit-learn: quantiles of more rows move by less than a hundredth of a bin's share
LARGEST_EDGE = 1e300  # an edge of infinity would leave no value to its right
TIE = 1e-12  # relative: cumulated weights this close to a quantile count as equal to it
TOGETHER = 64  # columns gathered in one go: many enough for threads to share, few enough to be held beside the rows
LINE = 8  # columns that a thread gathers at a time: a line of the cache holds so many values of a row
GATHER_ROWS = (
    1 << 15
)  # rows likewise; the first to write to a page has it cleared, so all columns at once would leave that to one thread
KEYS = 1 << 13  # keys that a thread draws at a time
AMPLE = 1.3  # times the sample: so many keys are looked at, as some rows may not be taken
KEY_PURPOSE = "rows for bin edges"


class Bins(NamedTuple):
    """How every column is coded."""

    edges: NDArray  # all edges, column after column
    start: NDArray  # (d + 1,) int64: the edges of column j are edges[start[j]:start[j + 1]]
    categories: NDArray  # (d,) int32: number of categories, 0 for a column of numbers
    missing: int  # the code of a missing value: above every other code

    @property
    def counts(self) -> NDArray:
        """Bins of every column, without the one for missing values."""
        return np.where(self.categories > 0, self.categories, np.diff(self.start) + 1).astype(np.int32)

    def threshold(self, feature: NDArray, code: NDArray) -> NDArray:
        """Return the number at which codes up to `code` end; infinity after the last bin."""
        place = self.start[feature] + code
        inside = place < self.start[feature + 1]
        return np.where(inside, np.append(self.edges, np.inf)[np.where(inside, place, -1)], np.inf)


class Sample(NamedTuple):
    """Rows with the smallest keys so far, in several pieces; now and then those that are too many go."""

    key: list[NDArray]  # (m,)
    X: list[NDArray]  # (m, d)
    weight: list[NDArray]  # (m,), or (0,) for ones


def levels_of(max_bins: int) -> NDArray:
    """Return the levels of (1)."""
    return np.linspace(0, 100, max_bins + 1)[1:-1] / 100  # as np.percentile has them, to the last bit


def quantile_places(count: int, max_bins: int) -> tuple[NDArray, NDArray]:
    """Return the places of the ordered values, so many, between which the quantiles of (1) lie."""
    place = count * levels_of(max_bins) - 1
    below = np.floor(place)
    high = np.clip(below.astype(np.int64) + 1, 0, count - 1)
    return np.where(place == below, np.maximum(high - 1, 0), high), high


def quantile_edges(ordered: NDArray, weight: NDArray | None, max_bins: int) -> NDArray:
    """Return (1) of sorted values without gaps."""
    if weight is None:
        low, high = quantile_places(len(ordered), max_bins)
    else:
        level = levels_of(max_bins)
        cumulated = np.cumsum(weight)
        wanted, slack = level * cumulated[-1], TIE * cumulated[-1]
        high = np.minimum(np.searchsorted(cumulated, wanted + slack, side="right"), len(ordered) - 1)
        low = np.minimum(np.searchsorted(cumulated, wanted - slack), high)
    return middle_of(ordered[low], ordered[high])


def middle_of(low: NDArray, high: NDArray) -> NDArray:
    """Return the quantiles from the ordered values at their places."""
    with np.errstate(invalid="ignore"):
        return np.where(low == high, low, low + (high - low) / 2)


def half_way(distinct: NDArray) -> NDArray:
    """Return the edges between few distinct values in order."""
    with np.errstate(over="ignore", invalid="ignore"):
        middle = distinct[:-1] + (distinct[1:] - distinct[:-1]) / 2
    return within(np.where(np.isfinite(middle), middle, distinct[:-1]))


def within(edges: NDArray) -> NDArray:
    """Return edges none of which is too large to have values to its right."""
    return np.minimum(edges, LARGEST_EDGE)


def edges_of(column: NDArray, weight: NDArray | None, max_bins: int) -> NDArray:
    """Return the edges of one column: half-way between few distinct values, else (1); rows of weight zero are left out."""
    keep = ~np.isnan(column)
    if weight is not None:
        keep &= weight > 0
    if not keep.all():
        column = column[keep]
        weight = None if weight is None else weight[keep]
    if weight is None:
        ordered = np.sort(column)
    else:
        order = np.argsort(column, kind="stable")
        ordered, weight = column[order], weight[order]
    if not len(ordered):
        return np.empty(0)
    new = ordered[1:] != ordered[:-1]
    if np.count_nonzero(new) < max_bins:
        return half_way(ordered[np.append(True, new)])
    return within(np.unique(quantile_edges(ordered, weight, max_bins)))


class SampleRequest(NamedTuple):
    """Which rows to sample."""

    stream: Stream
    size: int
    rows_of: Callable[[Block], tuple[NDArray, NDArray | None]]  # which rows of a block may be taken, and their weights
    most: float = np.inf  # keys above it are surely none of the smallest


def positive_rows(block: Block) -> tuple[Any, NDArray | None]:
    """Return which rows of a block are there at all, for edges that do not look at weights."""
    if arrays.is_tensor(block.X) and not devices.on_host(block.X):
        return (arrays.ones(block.X, block.rows) if block.weight is None else block.weight) > 0, None
    there = np.ones(block.X.shape[0], bool) if block.weight is None else arrays.to_numpy(block.weight) > 0
    return there, None


def listed_rows(able: NDArray, weight: NDArray | None, block: Block) -> tuple[NDArray, NDArray | None]:
    """Return which rows of a block are marked in `able`, and their weights."""
    here = slice(block.start, block.start + block.rows)
    return able[here], None if weight is None else weight[here]


def sample_of(wanted: SampleRequest, block: Block) -> Sample:
    """Return the rows of one block with the smallest keys."""
    size = wanted.size
    able, weight = wanted.rows_of(block)
    keys = wanted.stream.keys(KEY_PURPOSE, 0, range(block.start, block.start + block.X.shape[0]))
    if arrays.is_tensor(able) and not devices.on_host(able):
        return tensor_sample(wanted, block, able, weight, keys)
    able, weight = arrays.to_numpy(able), None if weight is None else arrays.to_numpy(weight)
    place = np.flatnonzero(able & (keys < wanted.most))
    if size < len(place):
        place = place[np.argpartition(keys[place], size - 1)[:size]]
    weight = np.empty(0) if weight is None else weight[place]
    X = block.X if isinstance(block.X, np.ndarray) else arrays.to_numpy(block.X)
    return Sample([keys[place]], [X[place].astype(np.float64)], [weight])


def tensor_sample(wanted: SampleRequest, block: Block, able: Any, weight: Any, keys: NDArray) -> Sample:
    """Return the rows of one block of a tensor with the smallest keys, on its device."""
    key = arrays.like(block.X, keys, "float64").masked_fill(~able, np.inf)
    key, place = key.topk(min(wanted.size, len(key)), largest=False)
    place = place[key < np.inf]
    chosen = weight[place] if weight is not None else key[:0]
    return Sample(key[: len(place)], block.X[place].double(), chosen)


def merged_samples(size: int, a: Sample, b: Sample) -> Sample:
    """Return the rows of two samples with the `size` smallest keys, and at most as many again until the next merge."""
    if arrays.is_tensor(a.key):
        both: Any = Sample(*(arrays.stack_rows([x, y]) for x, y in zip(a, b)))
        keep = both.key.topk(min(size, len(both.key)), largest=False).indices
        return Sample(both.key[keep], both.X[keep], both.weight[keep] if len(both.weight) else both.weight)
    both = Sample(a.key + b.key, a.X + b.X, a.weight + b.weight)
    return smallest(both, size) if sum(map(len, both.key)) > 2 * size else both


def merge_samples(size: int) -> Callable[[Sample, Sample], Sample]:
    """Return the merge of samples of so many rows."""
    return partial(merged_samples, size)


def smallest(sample: Sample, size: int) -> Sample:
    """Return the rows with the `size` smallest keys, in one piece."""
    key, X, weight = map(np.concatenate, sample)
    keep = np.argpartition(key, size - 1)[:size] if size < len(key) else slice(None)
    return Sample([key[keep]], [X[keep]], [weight[keep] if len(weight) else weight])


def sample_bins(
    source: Source,
    stream: Stream,
    max_bins: int,
    rows_of: Callable[[Block], tuple[NDArray, NDArray | None]] = positive_rows,
    *,
    n_rows: int = 0,
    n_threads: int = 1,
) -> Bins:
    """Return the bins of columns of numbers from a sample of a source, of the rows that `rows_of` returns for every block.

    Where the number of rows is known, blocks send little more than what is taken in the end.
    """
    size = SAMPLE_ROWS
    if source.on_device:
        from novum.engines.trees.device.bins import device_bins

        return device_bins(source, SampleRequest(stream, size, rows_of), max_bins)
    most = -np.log1p(-AMPLE * size / n_rows) if n_rows > 2 * AMPLE * size else np.inf  # of exponential keys
    sample = source.total(sample_of, SampleRequest(stream, size, rows_of, most), merge_samples(size))
    if sum(map(len, sample.key)) < size and np.isfinite(most):  # most rows are none that may be taken
        sample = source.total(sample_of, SampleRequest(stream, size, rows_of), merge_samples(size))
    [_], [X], [weights] = smallest(sample, size)
    weight = weights if len(weights) else None

    def columns(part: slice, piece: slice) -> NDArray:
        return X[piece, part].T

    return bins_of(columns, len(X), weight, max_bins, np.zeros(source.n_features, np.int32), n_threads)


def learn_bins(
    source: Source,
    stream: Stream,
    max_bins: int,
    categories: NDArray,
    *,
    rows: NDArray,
    n_rows: int,
    weight: NDArray | None = None,
    n_threads: int = 1,
) -> Bins:
    """Return the bins of the sorted `rows` of a source of `n_rows`, or of a sample of them.

    `categories` holds, for every column, the number of categories it is coded in, or 0; `weight` those of
    all rows.
    """
    if not source.at_hand:
        able = np.zeros(n_rows, bool)
        able[rows] = True
        taken = partial(listed_rows, able, weight)
        return sample_bins(source, stream, max_bins, taken, n_threads=n_threads)
    rows = rows if len(rows) <= SAMPLE_ROWS else some_of(rows, stream, SAMPLE_ROWS, n_threads)
    weight = None if weight is None else weight[rows]

    def columns(part: slice, piece: slice) -> NDArray:
        return source.columns(part, rows[piece])  # type: ignore[attr-defined]

    return bins_of(columns, len(rows), weight, max_bins, categories, n_threads)


def bins_of(
    columns: Callable[[slice, slice], NDArray],
    n_rows: int,
    weight: NDArray | None,
    max_bins: int,
    categories: NDArray,
    n_threads: int,
) -> Bins:
    """Return the bins of columns, given as `columns(some columns, some rows)` of shape (columns, rows).

    Threads share the rows when columns are gathered, and the columns when they are sorted.
    """
    edges: list[NDArray] = []
    for first in range(0, len(categories), TOGETHER):
        last = min(first + TOGETHER, len(categories))
        values = np.empty((last - first, n_rows))

        def gather(place: tuple[int, int], first: int = first, last: int = last, values: NDArray = values) -> None:
            row, column = place
            part, piece = slice(column, min(column + LINE, last)), slice(row, row + GATHER_ROWS)
            values[part.start - first : part.stop - first, piece] = columns(part, piece)

        def edges_by(j: int, first: int = first, values: NDArray = values) -> NDArray:
            return np.empty(0) if categories[j] else edges_of(values[j - first], weight, max_bins)

        for _ in map_ordered(gather, product(range(0, n_rows, GATHER_ROWS), range(first, last, LINE)), n_threads):
            pass
        edges += map_ordered(edges_by, range(first, last), n_threads)
    return bins_of_edges(edges, categories)


def bins_of_edges(edges: list[NDArray], categories: NDArray | None = None) -> Bins:
    """Return the bins between the edges of every column, and of so many categories; None: there are none."""
    counts = np.zeros(len(edges), np.int32) if categories is None else np.asarray(categories, np.int32)
    start = np.concatenate([[0], np.cumsum([len(e) for e in edges])]).astype(np.int64)
    most = max(int(np.max(np.diff(start), initial=0)) + 1, int(np.max(counts, initial=0)))
    return Bins(np.concatenate([*edges, np.empty(0)]), start, counts, most)


def some_of(rows: NDArray, stream: Stream, size: int, n_threads: int) -> NDArray:
    """Return the `size` of these rows with the smallest keys."""
    n = int(rows.max()) + 1
    parts = (range(at, min(at + KEYS, n)) for at in range(0, n, KEYS))
    keys = np.concatenate(list(map_ordered(lambda part: stream.keys(KEY_PURPOSE, 0, part), parts, n_threads)))[rows]
    return rows[np.sort(np.argpartition(keys, size - 1)[:size])]


def words_shape(rows: int, columns: int) -> tuple[int, int]:
    """Return the shape of the codes of so many rows: a word of four codes per row and group of four columns."""
    return -(-columns // _core.trees.bins.GROUP), rows


def encode(bins: Bins, tile: NDArray, out: NDArray | None = None, first: int = 0) -> NDArray:
    """Return (2) of every cell of a row-major tile, packed four columns to a word; into rows `first` on of `out` if given."""
    if out is None:
        out = np.empty(words_shape(*tile.shape), np.uint32)
    _core.trees.bins.encode(tile, bins.edges, bins.start, bins.categories, bins.missing, out, first)
    return out
