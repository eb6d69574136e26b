"""Trees of binary splits, grown and walked."""

from collections.abc import Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class Columns:
    """The columns of a table, sorted once."""

    def sort(self, column: int) -> None:
        """Sort one column; different columns may be sorted at the same time."""

    @property
    def levels(self) -> list[int]: ...

    @property
    def shape(self) -> tuple: ...

def dense_columns(X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], levels: Sequence[int], layout: int) -> Columns:
    """
    Return the columns of a dense table, not yet sorted; layout 0 values, 1 order, 2 ranks.
    """

def sparse_columns(begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], row: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: int, layout: int) -> Columns:
    """Return the columns of a CSC matrix, not yet sorted."""

class Grower:
    """Grows one tree."""

    def run(self) -> None:
        """Grow the tree on this thread."""

    def next_large(self, limit: int) -> bool:
        """
        Begin the next node with more rows than `limit`; False when none is left.
        """

    def search(self, part: int, parts: int) -> None:
        """Look at a share of the columns of the node."""

    def divide(self) -> bool:
        """
        Divide the rows of the node; return whether columns are to be divided too.
        """

    def partition(self, part: int, parts: int) -> None:
        """Divide a share of the columns."""

    @property
    def subtrees(self) -> int: ...

    def finish(self, index: int) -> None:
        """Grow one subtree."""

    def table(self) -> dict:
        """Return the arrays of the finished tree, once."""

def grower(columns: object, criterion: int, code: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, classes: Sequence[int], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, random: bool, max_features: int, min_split: int, min_leaf: int, max_depth: int, max_leaves: int, min_weight_leaf: float, min_decrease: float, seed: int, monotone: Sequence[int], consume: bool) -> Grower:
    """Return a grower of one tree."""

def weakest_links(parent: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], cost: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
    """
    Return the nodes in the order of pruning, their prices and the cost left after each.
    """

class Walk:
    """A tree as walks read it."""

    def leaves(self, X: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], leaf: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Write the leaf of every row."""

    @overload
    def leaves_sparse(self, begin: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], leaf: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    @overload
    def leaves_sparse(self, begin: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], leaf: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    @overload
    def leaves_sparse(self, begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], leaf: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    @overload
    def leaves_sparse(self, begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], leaf: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Write the leaf of every sparse row."""

def walk(left: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], feature: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing_left: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], word_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: int) -> Walk:
    """Return a tree as walks read it, every index checked."""
