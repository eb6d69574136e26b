"""Data on a Dask cluster: a task per partition, parameters inside the task, only statistics come back.

A partition is a block. Blocks are made once and stay with the workers; a lost one is made again from its recipe, because
nothing is scattered. Groups of eight statistics are merged where they are, the rest here, in the same tree as everywhere
(novum.fold.blocks.merge_tree), so the bits depend on neither the number of workers nor who answers first.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any, NamedTuple, Self
from uuid import uuid4

import numpy as np

from novum.exceptions import ClusterLost, DataError
from novum.fold.blocks import Block, Source, add, merge_tree, tile_dtype
from novum.runtime.blas import single_blas
from novum.runtime.checks import check_weight_size

__all__ = ["DaskSource", "open_dask"]

GROUP = 8  # statistics merged on a worker: a power of two, so that a group is a node of the tree
KEPT_FITS = 2  # fits whose private block state a worker keeps: the running one and one more


class BlockMemory(NamedTuple):
    """What a worker keeps of a block between the passes of a fit."""

    memory: dict  # private state of the learner
    target: list  # the target after its changes, once it was made


_private: OrderedDict[str, dict[int, BlockMemory]] = OrderedDict()  # on a worker: fit -> block -> what it keeps


class Survey(NamedTuple):
    rows: list[int]
    weight: float


def build(X: Any, y: Any, weight: Any, dtype: np.dtype) -> Block:
    """Return a partition as a block: a row-major tile, the target as an array, weights as float64."""
    if hasattr(X, "dtypes"):  # a pandas frame: its own conversion knows pd.NA
        X = X.to_numpy(dtype=dtype, na_value=np.nan)
    tile = np.ascontiguousarray(np.asarray(X), dtype=dtype)
    target = None if y is None else np.asarray(y)
    return Block(tile, target, None if weight is None else np.ascontiguousarray(np.asarray(weight), np.float64))


def change_target(block: Block, changes: tuple[Callable, ...]) -> Block:
    """Return the block with its target put through `changes`."""
    for change in changes:
        block = block._replace(y=change(block.y))
    return block


def survey_block(index: int, owner: str, allow_nan: bool, block: Block) -> Survey:
    """Return the rows and the weight of one block; raise if it cannot be learned from."""
    rows = len(block.X)
    for name, values in (("y", block.y), ("sample_weight", block.weight)):
        if values is not None and len(values) != rows:
            raise DataError(
                f"Found input variables with inconsistent numbers of samples: {owner}: partition {index} has {rows} rows"
                f" of X and {len(values)} of {name}; cut both alike."
            )
    check_finite(index, owner, allow_nan, block)
    if block.weight is None:
        return Survey([rows], float(rows))
    if not np.isfinite(block.weight).all() or (block.weight < 0).any():
        raise DataError(
            f"{owner}: partition {index} has a sample_weight that is negative or not finite; give weights >= 0."
        )
    check_weight_size(owner, float(block.weight.max(initial=0.0)), part=True)
    return Survey([rows], float(block.weight.sum()))


def check_finite(index: int, owner: str, allow_nan: bool, block: Block) -> None:
    """Raise for NaN or infinity in the tile or in a numeric target."""
    good = np.isfinite(block.X).all() if not allow_nan else not np.isinf(block.X).any()
    if not good:
        raise DataError(
            f"Input X contains NaN or infinity in partition {index}. {owner} does not accept it: fill or drop those rows."
        )
    if block.y is not None and block.y.dtype.kind == "f" and not np.isfinite(block.y).all():
        raise DataError(
            f"Input y contains NaN or infinity in partition {index}. {owner} does not accept it: drop those rows."
        )


def aligned_parameters(value: Any) -> Any:
    """Return parameters or a block whose arrays lie as compiled code expects them: what came over the wire may not."""
    if isinstance(value, np.ndarray):
        return value if value.flags.aligned else value.copy()
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(aligned_parameters, value))
    return value


def run_block(statistics: Callable, params: Any, changes: tuple, fit: str, index: int, start: int, block: Block) -> Any:
    """Return the statistics of one block, with the private state that this worker remembers of it."""
    blocks = _private.setdefault(fit, {})
    _private.move_to_end(fit)
    while len(_private) > KEPT_FITS:
        _private.popitem(last=False)
    kept = blocks.setdefault(index, BlockMemory({}, []))
    if changes and not kept.target:
        kept.target.append(change_target(block, changes).y)
    target = kept.target[0] if changes else block.y
    return statistics(
        aligned_parameters(params), aligned_parameters(block._replace(y=target, start=start, memory=kept.memory))
    )


def run_task(function: Callable, *arguments: Any) -> Any:
    """Return `function(*arguments)`, as a task of a worker: BLAS keeps to one thread."""
    with single_blas():
        return function(*arguments)


def run_rows(function: Callable, params: Any, index: int, owner: str, allow_nan: bool, block: Block) -> Any:
    """Return the rows of one block's result."""
    check_finite(index, owner, allow_nan, block)
    with single_blas():
        return function(aligned_parameters(params), aligned_parameters(block)._replace(memory={}))


def merge_group(merge: Callable, *results: Any) -> Any:
    """Merge the statistics of one group of blocks."""
    return merge_tree(iter(results), merge)


@contextmanager
def cluster_errors(owner: str) -> Iterator[Any]:
    """Turn a scheduler that went away into one clear error; errors of the learner's own pass through."""
    from distributed import CancelledError, KilledWorker
    from distributed.comm import CommClosedError

    try:
        yield
    except (CommClosedError, CancelledError, KilledWorker, TimeoutError, ConnectionError) as error:
        raise ClusterLost(
            f"{owner}: the Dask cluster was lost during a pass over the data ({type(error).__name__}). Nothing was learned or"
            f" changed; start the cluster again and repeat the call."
        ) from error


class DaskSource(Source):
    """Partitions of a Dask array or frame."""

    home = "dask"

    def __init__(
        self,
        owner: str,
        allow_nan: bool,
        parts: list[tuple],
        lengths: Any,
        n_features: Any,
        dtype: Any,
        names: Any,
        n_targets: Any,
    ) -> None:
        self.owner, self.allow_nan, self.parts, self.lengths = owner, allow_nan, parts, lengths
        self.n_features, self.dtype, self.names, self.n_targets = n_features, dtype, names, n_targets
        self.n_rows = None if any(n is None for n in lengths) else int(sum(lengths))
        self.has_target = parts[0][1] is not None
        self.changes: tuple[Callable, ...] = ()
        self.fit = uuid4().hex
        self.futures: list | None = None

    def _blocks(self) -> list:
        """Return the blocks as delayed objects."""
        from dask import delayed

        make = delayed(build, pure=False)
        return [make(*part, self.dtype) for part in self.parts]

    def _client(self) -> Any:
        """Return the client of the cluster in use, or None for Dask's local schedulers."""
        try:
            from distributed import default_client

            return default_client()
        except (ImportError, ValueError):
            return None

    def prepare(self) -> Self:
        self._persist()
        arguments = [(index, self.owner, self.allow_nan) for index in range(len(self.parts))]
        found = merge_tree(iter(self._run(survey_block, arguments)), add)
        self.lengths, self.n_rows = found.rows, sum(found.rows)
        if self.n_rows == 0:
            raise DataError(f"{self.owner}: Found array with 0 sample(s) while a minimum of 1 is required.")
        if found.weight == 0:
            raise DataError(
                f"Sample weights must contain at least one non-zero number. All weights given to {self.owner} are zero."
            )
        return self

    def _persist(self) -> list:
        """Return the blocks as futures that stay with the workers (or as computed blocks without a cluster)."""
        if self.futures is None:
            client = self._client()
            with cluster_errors(self.owner):
                if client is None:
                    import dask

                    self.futures = list(dask.compute(*self._blocks()))
                else:
                    self.futures = client.compute(self._blocks())
        return self.futures

    def _run(self, function: Callable, arguments: list[tuple], merge: Callable | None = None) -> list:
        """Return function(*arguments[i], block i) of every block, or of every group of them merged."""
        blocks, client = self._persist(), self._client()
        if client is None:
            with single_blas():
                results = [function(*given, block) for given, block in zip(arguments, blocks)]
            return results if merge is None else [merge_tree(iter(results), merge)]
        with cluster_errors(self.owner):
            tasks = [
                client.submit(
                    run_task, function, *given, block, pure=False, key=f"novum-{function.__name__}-{uuid4().hex}"
                )
                for given, block in zip(arguments, blocks)
            ]
            if merge is not None:
                groups = [tasks[i : i + GROUP] for i in range(0, len(tasks), GROUP)]
                tasks = [client.submit(merge_group, merge, *group, pure=False) for group in groups]
            return client.gather(tasks)

    def _starts(self) -> list[int]:
        return [0, *np.cumsum(self.lengths)[:-1].tolist()]

    def total(self, statistics: Any, params: Any = None, merge: Any = add) -> Any:
        arguments = [
            (statistics, params, self.changes, self.fit, index, start) for index, start in enumerate(self._starts())
        ]
        merged = self._run(run_block, arguments, merge)
        return merged[0] if len(merged) == 1 else merge_tree(iter(merged), merge)

    def first(self) -> Any:
        index = next(index for index, length in enumerate(self.lengths) if length)
        block, client = self._persist()[index], self._client()
        with cluster_errors(self.owner):
            found = block if client is None else block.result()
        return change_target(found, self.changes)._replace(memory={})

    def each(self) -> Iterator[Any]:
        for block, length in zip(self._persist(), self.lengths):
            if length:
                with cluster_errors(self.owner):
                    found = block if self._client() is None else block.result()
                yield change_target(found, self.changes)

    def rows(self, function: Any, params: Any = None) -> Any:
        import dask.array as da
        from dask import delayed

        row = getattr(function, "example", None)  # for functions that not every row has an answer of
        row = np.zeros((1, self.n_features)) if row is None else row
        probe = function(params, Block(np.ascontiguousarray(row, self.dtype), memory={}))
        apply = delayed(run_rows, pure=False)
        pieces = []
        for index, (block, length) in enumerate(zip(self._blocks(), self.lengths)):
            piece = apply(function, params, index, self.owner, self.allow_nan, block)
            shape = (np.nan if length is None else length, *probe.shape[1:])
            pieces.append(da.from_delayed(piece, shape=shape, dtype=probe.dtype))
        return da.concatenate(pieces, allow_unknown_chunksizes=True)

    def map_target(self, function: Any) -> Any:
        twin = copy(self)
        twin.changes, twin.fit = (*self.changes, function), uuid4().hex
        return twin


def open_dask(estimator: Any, X: Any, y: Any, sample_weight: Any) -> DaskSource:
    """Return a Dask array or frame as a Source; y and sample_weight must be cut like X, or be cuttable."""
    owner = type(estimator).__name__
    names: list[str] | None = None
    for name, values in (("X", X), ("y", y)):
        if getattr(getattr(values, "dtype", None), "kind", "") == "c":
            raise DataError(f"Complex data not supported by {owner}: {name} is complex; give real numbers.")
    if hasattr(X, "columns") and hasattr(X, "divisions"):  # a frame
        words = [str(name) for name, dtype in X.dtypes.items() if not is_number(dtype)]
        if words:
            raise DataError(
                f"{owner}: column(s) {', '.join(words)} of the Dask frame hold no numbers; encode or drop them first."
            )
        names = list(X.columns)
        dtype = tile_dtype(np.result_type(*(np.dtype(getattr(t, "numpy_dtype", t)) for t in X.dtypes)))
        lengths: list[int | None] = [None] * X.npartitions
        rows = list(X.to_delayed())
        n_features = len(names)
    elif getattr(X, "ndim", 0) == 2 and hasattr(X, "rechunk"):
        X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
        dtype, n_features = tile_dtype(X.dtype), X.shape[1]
        lengths = [None if np.isnan(n) else int(n) for n in X.chunks[0]]
        rows = X.to_delayed().ravel().tolist()
    else:
        raise DataError(
            f"{owner}: Expected 2D array, got a Dask collection of {getattr(X, 'ndim', '?')} dimension(s) instead."
        )
    targets = pieces(owner, "y", y, lengths)
    weights = pieces(owner, "sample_weight", sample_weight, lengths)
    n_targets = y.shape[1] if y is not None and getattr(y, "ndim", 1) == 2 else 0
    allow_nan = estimator.__sklearn_tags__().input_tags.allow_nan
    return DaskSource(
        owner=owner,
        allow_nan=allow_nan,
        parts=list(zip(rows, targets, weights)),
        lengths=lengths,
        n_features=n_features,
        dtype=dtype,
        names=names,
        n_targets=n_targets,
    )


def is_number(dtype: Any) -> bool:
    """Return whether a column type of pandas (also a nullable or Arrow one) holds numbers."""
    import pandas as pd

    return bool(pd.api.types.is_numeric_dtype(dtype))


def pieces(owner: str, name: str, values: Any, lengths: list[int | None]) -> list:
    """Return a target or weights cut like the rows, a delayed piece per partition."""
    if values is None:
        return [None] * len(lengths)
    known = [n for n in lengths if n is not None]
    rows = sum(known) if len(known) == len(lengths) else None
    if not hasattr(values, "dask"):  # an array in memory
        values = np.asarray(values)
        if len(values) != rows:
            raise DataError(
                f"{owner}: {name} has {len(values)} rows in memory, X is a Dask collection of"
                f" {'unknown' if rows is None else rows} rows; give {name} as a Dask collection cut like X."
            )
        return np.split(values, np.cumsum(known)[:-1])
    if hasattr(values, "rechunk") and rows is not None and not np.isnan(values.chunks[0]).any():
        if (found := sum(values.chunks[0])) != rows:
            raise DataError(f"Found input variables with inconsistent numbers of samples: {[rows, found]}")
        values = values.rechunk({0: tuple(known), 1: -1} if values.ndim == 2 else {0: tuple(known)})
    parts = np.ravel(np.array(values.to_delayed(), dtype=object)).tolist()
    if len(parts) != len(lengths):
        raise DataError(f"{owner}: {name} has {len(parts)} partitions, X has {len(lengths)}; cut both alike.")
    return parts
