"""The rows of an isolation forest where they lie in blocks: the draws of novum.runtime.random, found and fetched by passes.

The rows with the smallest keys are drawn, and a key depends on the seed of its tree and the number of its row alone (rows of
weight zero are not counted), so blocks keep their smallest and merge: every home of the data draws the same rows.

    pass 1   how many rows of each block have a positive weight                                        (1)
    pass 2   the smallest keys of every tree; not needed where rows are drawn with replacement         (2)
    pass 3   the rows themselves: `trees x max_samples` of them at most                                (3)
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.engines.moments.quantiles import Digits, Probe, digit_sums, group_quantiles
from novum.exceptions import ParameterError
from novum.fold.blocks import Block, Source
from novum.fold.homes.spill import spill_blocks
from novum.runtime import arrays
from novum.runtime.random import Stream

__all__ = ["PURPOSE", "Present", "parts_by_passes", "percentile_by_passes", "present_rows"]

PURPOSE = "isolated rows"


class Present(NamedTuple):
    """(1), block after block."""

    start: list[int]
    rows: list[int]
    weighted: bool


def positive(block: Block) -> NDArray:
    """Return which rows of a block have a positive weight."""
    return np.ones(block.rows, bool) if block.weight is None else arrays.to_numpy(block.weight) > 0


def present_rows(source: Source) -> Present:
    """Return (1)."""

    def one(_: Any, block: Block) -> Present:
        return Present([block.start], [int(np.count_nonzero(positive(block)))], block.weight is not None)

    return source.total(one, None, lambda a, b: Present(a.start + b.start, a.rows + b.rows, a.weighted or b.weighted))


class Smallest(NamedTuple):
    """(2): keys in rising order and the numbers of their rows."""

    key: NDArray  # (trees, size), infinity where there are fewer rows
    row: NDArray


class Drawing(NamedTuple):
    """What pass 2 carries."""

    seeds: list[int]
    size: int
    before: dict[int, int]  # rows of positive weight before a block, by its first row


def first_of(key: NDArray, row: NDArray, size: int) -> Smallest:
    """Return the smallest keys of every tree (trees, any number)."""
    order = np.lexsort((row, key), axis=1)[:, :size]
    return Smallest(np.take_along_axis(key, order, axis=1), np.take_along_axis(row, order, axis=1))


def smallest_keys(drawing: Drawing, block: Block) -> Smallest:
    """Return (2) of one block."""
    there = np.flatnonzero(positive(block))
    weight = None if block.weight is None else arrays.to_numpy(block.weight)[there]
    begin, size = drawing.before[block.start], drawing.size
    key, row = np.full((len(drawing.seeds), size), np.inf), np.zeros((len(drawing.seeds), size), np.int64)
    for t, seed in enumerate(drawing.seeds):
        own = Stream(seed).keys(PURPOSE, 0, range(begin, begin + len(there)), weight)
        some = np.argpartition(own, size - 1)[:size] if size < len(own) else np.arange(len(own))
        key[t, : len(some)], row[t, : len(some)] = own[some], block.start + there[some]
    return first_of(key, row, size)


class Fetched(NamedTuple):
    """(3), block after block."""

    X: list[NDArray]


def fetch(numbers: NDArray, block: Block) -> Fetched:
    """Return the requested rows of one block; their numbers are sorted."""
    here = numbers[slice(*np.searchsorted(numbers, [block.start, block.start + block.rows]))] - block.start
    return Fetched([arrays.to_numpy(block.X)[here]])


def parts_by_passes(source: Source, present: Present, seeds: list[int], size: int, replace: bool) -> list[NDArray]:
    """Return the rows of every tree, in the order in which they were drawn."""
    if not seeds:
        return []
    total = sum(present.rows)
    if not replace:
        before = dict(zip(present.start, [0, *np.cumsum(present.rows)[:-1].tolist()]))
        size = min(size, total)

        def merge(a: Smallest, b: Smallest) -> Smallest:
            return first_of(np.hstack([a.key, b.key]), np.hstack([a.row, b.row]), size)

        rows = source.total(smallest_keys, Drawing(seeds, size, before), merge).row
    elif present.weighted:
        raise ParameterError(
            "IsolationForest(bootstrap=True) with sample_weight needs rows in memory; from a scan or a Dask collection rows are"
            " drawn by weight with bootstrap=False."
        )
    else:
        rows = np.array([Stream(seed).integers(PURPOSE, 0, size, high=total) for seed in seeds])
    numbers = np.unique(rows)
    X = np.concatenate(source.total(fetch, numbers).X)
    return [X[np.searchsorted(numbers, own)] for own in rows]


class ScorePass(NamedTuple):
    """What a pass over the scores carries."""

    scores: Callable[[Any, Block], NDArray]
    params: Any
    probe: Probe | None = None


def keep_scores(params: ScorePass, block: Block) -> Fetched:
    """Keep the scores of the rows of a block that are there."""
    assert block.memory is not None
    block.memory["score"] = params.scores(params.params, block)[positive(block)]
    return Fetched([])


def block_digits(params: ScorePass, block: Block) -> Digits:
    """Return what one block knows of the next digit of a score."""
    assert block.memory is not None and params.probe is not None
    if "score" not in block.memory:
        keep_scores(params, block)
    score = block.memory["score"]
    return digit_sums(params.probe, np.zeros(len(score), np.int64), score, None)


def percentile_by_passes(source: Source, present: Present, scores: Callable, params: Any, percent: float) -> float:
    """Return the percentile of the scores of all rows, between two of them as numpy.percentile has it."""
    total = sum(present.rows)
    place = percent / 100.0 * (total - 1)
    params = ScorePass(scores, params)
    with spill_blocks(source, keep_scores, params) as (kept, _):

        def score(number: int) -> float:
            """Return the score that `number` others are below."""
            level = (number + 0.5) / total
            return float(
                group_quantiles(lambda probe: kept.total(block_digits, params._replace(probe=probe)), 1, level, 1.0)[0]
            )

        below = score(int(place))
        above = score(min(int(place) + 1, total - 1)) if place > int(place) else below
    return float(np.percentile([below, above], 100.0 * (place - int(place))))
