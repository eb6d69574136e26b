"""Blocks of rows, and what every home of data offers: the ground on which the fold engine stands.

A home (`Source`) cuts its rows into blocks in one way that does not depend on threads or workers. It can reduce a function
over them (`total`) and list a function's results row by row (`rows`). Where the rows live (arrays, frames, sparse matrices,
files, a Dask cluster, a tensor) is its own business: a learner reads what the home can do (`at_hand`, `lists_rows`, `rereads`),
or for what it needs (`array`, `cut`, `host`, ...), never what it is.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import DataError

__all__ = ["Block", "RowsInOnePiece", "Source", "add", "merge_tree", "not_in_memory", "tile_dtype", "with_last"]

BLOCK_VALUES = 2**18  # about 2 MiB of float64: kernels tile within it; calls into Python cost nothing compared with it
ALL_ROWS, SAMPLE = "the learner takes all rows at once", "give a sample of the rows"  # why, and what to do, if not said
ROWS_PER_COLUMN = 2  # a block at least this much taller than wide: else merging d x d statistics outweighs making them


class Block(NamedTuple):
    """A run of consecutive rows."""

    X: Any  # row-major tile (rows, d) of float32 or float64, a CSR matrix, or a tensor
    y: Any = None  # target of the rows, or None
    weight: Any = None  # float64 weights of the rows, or None for ones
    start: int = 0  # number of the first row in the whole data
    memory: dict | None = None  # private state that lasts between passes; may be lost at any time, and then comes empty

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    def take(self, rows: Any) -> "Block":
        """Return some of the rows; their numbers and what is remembered of the block are not theirs."""
        X, y, weight = (None if field is None else field[rows] for field in self[:3])
        return Block(X, y, weight)


def add(a: Any, b: Any) -> Any:
    """Return the sum of two statistics, field by field."""
    return type(a)(*(x + y for x, y in zip(a, b)))


def merge_tree(results: Iterator, merge: Callable = add) -> Any:
    """Merge in one binary tree whose shape depends on the number of results alone: a binary counter of partial merges."""
    stack: list[tuple[int, Any]] = []  # (number of blocks, merged statistics), sizes falling
    for result in results:
        size = 1
        while stack and stack[-1][0] == size:
            result, size = merge(stack.pop()[1], result), 2 * size
        stack.append((size, result))
    if not stack:
        raise ValueError("there are no blocks to merge")
    result = stack.pop()[1]
    while stack:
        result = merge(stack.pop()[1], result)
    return result


def with_last(items: Iterator) -> Iterator[tuple[Any, bool]]:
    """Yield every item, and whether it is the last."""
    missing = object()
    before = next(items, missing)
    while before is not missing:
        after = next(items, missing)
        yield before, after is missing
        before = after


class RowsInOnePiece(NamedTuple):
    """All rows without weights as one C-contiguous array, and how blocks cut it."""

    X: np.ndarray
    y: Any
    block_rows: int
    memories: list[dict]  # of the blocks


class Source(ABC):
    """Rows that a learner can pass over as often as it likes.

    Attributes
    ----------
    n_features : int
    n_rows : int or None
        None where only a pass can tell (files of unknown length, Dask frames).
    dtype : numpy dtype
        float32 or float64: what tiles hold, and what predictions are returned in.
    names : list of str or None
        Column names where the home has them.
    n_targets : int
        Columns of the target: 0 without one or where it is a flat array, else the number of columns of a 2-D target.
    has_target : bool
        Whether blocks carry a target.
    sparse : bool
        Whether blocks are CSR matrices.
    home : str
        "memory", "file", "dask" or "tensor": a word for messages.
    at_hand : bool
        Whether all rows are arrays in this process, so that `array`, `y` and `weight` cost nothing.
    joins_rows : bool
        Whether `in_one_piece` may answer.
    lists_rows : bool
        Whether `rows` answers for all rows at once: an array or a tensor.
    on_device : bool
        Whether blocks are tensors that NumPy cannot read: engines then run their device forms, which cut the rows themselves.
    rereads : bool
        Whether every pass reads the rows again, so that blocks remember nothing and a pass to count rows is dear.
    recorded : bool
        Whether passes are written down (novum.fold.recorded), so that all that is learned of the rows must go through `total`.
    """

    n_features: int
    n_rows: int | None
    dtype: np.dtype
    names: list[str] | None = None
    n_targets: int = 0
    has_target: bool = False
    sparse: bool = False
    home: str = "memory"
    at_hand: bool = False
    joins_rows: bool = False
    lists_rows: bool = False
    on_device: bool = False
    rereads: bool = False
    recorded: bool = False

    def in_memory(self, because: str = ALL_ROWS, remedy: str = SAMPLE) -> Any:
        """Return the source if its rows are at hand; else raise: `because` names the learner and why it needs them so."""
        raise not_in_memory(because, self.home, remedy)

    def array(self, because: str = ALL_ROWS, remedy: str = SAMPLE) -> Any:
        """Return all rows as one row-major array or CSR matrix, or raise as `in_memory` does."""
        return self.in_memory(because, remedy).array()

    def cut(self, rows: Callable[[int, int], int]) -> "Source":
        """Return the same data in blocks of `rows(n_rows, n_features)` rows, where the home cuts at will; else as they are."""
        return self

    def whole(self) -> "Source":
        """Return the same rows as one block, where that costs no memory; else as they are."""
        return self

    def host(self) -> "Source":
        """Return the rows as arrays where they lie in the memory of the processor, for learners with a kernel for those."""
        return self

    def in_one_piece(self) -> "RowsInOnePiece | None":
        """Return all rows as arrays cut like the blocks, where they lie so in this process and have no weights; else None."""
        return None

    def header(self) -> Any:
        """Return a frame without rows that carries the names: scikit-learn then compares them in its own words."""
        import pandas as pd

        return pd.DataFrame(columns=self.names)

    def check_results(self, results: Any) -> "Source":
        """Return the source; where results (one per row, or sums) are not finite, after the check that `verified` makes."""
        return self

    def prepare(self) -> "Source":
        """Look at all rows once before training, where the home cannot be looked at cheaply before; return the source."""
        return self

    @abstractmethod
    def total(self, statistics: Callable, params: Any = None, merge: Callable = add) -> Any:
        """Return the merge of `statistics(params, block)` over all blocks."""

    @abstractmethod
    def rows(self, function: Callable, params: Any = None) -> Any:
        """Return `function(params, block)` of all blocks, one row of result per row of data.

        In memory an array, from files an iterator over batches, on Dask a lazy array, on tensors a tensor.
        """

    @abstractmethod
    def first(self) -> Block:
        """Return the first block: enough to choose a shift or a scale from."""

    def each(self) -> Iterator[Block]:
        """Yield the blocks one after the other, for learners that step from row to row."""
        raise NotImplementedError(f"blocks of a {self.home} are not visited in turn")

    def walk(self, function: Callable[[Any, Block, bool], Any], state: Any) -> Any:
        """Return `state = function(state, block, last)` over the blocks in turn, where they are.

        The function changes no state that it is given: a home may have to call it again.
        """
        for block, last in with_last(iter(self.each())):
            state = function(state, block, last)
        return state

    def dealt(self, deal: Any) -> AbstractContextManager:
        """Give the rows as the portions of a `novum.fold.dealing.Deal`, for learners that step in random order."""
        raise NotImplementedError(f"rows of a {self.home} are not dealt")

    @abstractmethod
    def map_target(self, function: Callable[[Any], Any]) -> "Source":
        """Return the same rows with `function(y)` as target; the function is applied block by block."""

    def verified(self) -> "Source":
        """Return the source after a check for NaN and infinity that was put off because results would show them."""
        return self

    def opened_by(self, estimator: Any, *, target: str | None, weighted: bool, n_jobs: int | None) -> "Source":
        """Return the source as `estimator` needs it; homes that read on demand leave out what it does not look at.

        `target` is None, "numeric" or "classes"; `weighted` whether weights are wanted.
        """
        return self

    def forget(self) -> None:  # noqa: B027 (most homes keep nothing)
        """Let go of rows that were kept for further passes, where the home keeps any: there will be none, or few."""

    def without_features(self) -> "Source":
        """Return the same rows for a pass that looks at targets alone; homes that read on demand then read those alone."""
        return self


def not_in_memory(because: str, home: str, remedy: str) -> DataError:
    """Return the error of a learner that needs its rows at hand."""
    place = "Dask collection" if home == "dask" else home
    return DataError(f"{because}, so X must be in memory, not in a {place}; {remedy}.")


def tile_dtype(dtype: Any) -> np.dtype:
    """Return the dtype of tiles for input of `dtype`: float32 stays, float16 becomes float32, all else float64."""
    kind = np.dtype(dtype)
    return np.dtype(np.float32) if kind in (np.float32, np.float16) else np.dtype(np.float64)
