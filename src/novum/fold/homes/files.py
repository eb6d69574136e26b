"""Rows in files as a home of the fold engine: read in batches of fixed rows, as often as a learner likes, in constant memory.

The calling thread reads and decodes ahead, a few batches and no more, while the pool makes tiles and statistics of the batches
before: reading and learning overlap. Every cell is checked when it is decoded; what was checked is kept for the next pass while
there is room (novum.fold.homes.decoded), and a file that changes between two passes stops the fit either way.
"""

import copy
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from typing import Any

import numpy as np

from novum import _core
from novum.exceptions import DataError
from novum.fold.blocks import Block, RowsInOnePiece, Source, add, merge_tree, tile_dtype
from novum.fold.dealing import Deal, Portions
from novum.fold.homes.dealt_files import dealt_blocks
from novum.fold.homes.decoded import DecodedRows, KeptBatch
from novum.fold.homes.file_cells import (
    check_cells,
    check_features,
    check_some_weight,
    check_target_columns,
    checked_target,
    checked_weight,
)
from novum.fold.pass_progress import pass_listener, reported
from novum.fold.readers.batches import Batch, batch_rows, cut_batches
from novum.fold.readers.table import NUMBER, DataFile
from novum.fold.through import Step, apply, make_step, names_out, shown_rows
from novum.runtime.blas import single_blas
from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count

__all__ = ["Scan"]

PROBE_ROWS = 16  # through() transforms this many rows at once to learn what comes out


class Scan(Source):
    """Rows of one or several files; made by `novum.scan`.

    Attributes
    ----------
    n_features, n_rows, names, dtype, n_targets, has_target
        As of every home of data; n_rows is None until it is known.
    batch_rows : int
        Rows of a batch: what is learned depends on it, beyond the rows themselves, to rounding.
    """

    home = "file"
    rereads = True

    def __init__(
        self, files: list[DataFile], features: list, target: Any, weight: Any, rows: int | None, n_targets: int
    ) -> None:
        self.files, self.features, self.weight = files, features, weight
        self.target = target  # a key, a list of keys (several targets) or None
        self.n_targets, self.has_target = n_targets, target is not None
        self.columns = files[0].columns
        self.n_features = len(features)
        kinds = [self.columns[key].dtype for key in features if self.columns[key].kind == NUMBER]
        self.dtype = tile_dtype(np.result_type(*kinds)) if kinds else np.dtype(np.float64)
        self.names = list(features) if all(isinstance(key, str) for key in features) else None
        self.requested_rows = rows
        self.batch_rows = rows or batch_rows(len(features))
        self.steps: tuple[Step, ...] = ()
        self.mapped: tuple[Callable, ...] = ()  # applied to the target, block by block
        self.owner, self.task, self.allow_nan, self.n_jobs = "the learner", None, False, None
        self.threads: int | None = None  # set once by a learner that opens the scan
        self.decoded: DecodedRows | None = None  # likewise, and shared by the copies that it makes

    def _with(self, **changes: Any) -> "Scan":
        scan = copy.copy(self)
        scan.__dict__.update(changes)
        return scan

    # ---------------------------------------------------------------------------------------------- what a user sees

    @property
    def n_rows(self) -> int | None:  # type: ignore[override]
        """Rows of all files, None where a format does not tell and no pass has counted them."""
        counts = [file.n_rows for file in self.files]
        return None if None in counts else sum(counts)  # type: ignore[arg-type]

    def __len__(self) -> int:
        if self.n_rows is None:
            raise TypeError("the number of rows of this scan is not known before a pass over it")
        return self.n_rows

    def __repr__(self) -> str:
        form, count = self.files[0].format, len(self.files)
        parts = [f"scan of {os.fspath(self.files[0].path)!r}" if count == 1 else f"scan of {count} {form} files"]
        parts.append("rows not counted" if self.n_rows is None else f"{self.n_rows:,} rows")
        parts.append(f"{self.n_features} features")
        if self.target is not None:
            several = isinstance(self.target, list)
            parts.append(f"targets {self.target!r}" if several else f"target {self.target!r}")
        if self.weight is not None:
            parts.append(f"weight {self.weight!r}")
        return ", ".join(parts + [f"through {step}" for step in self.steps])

    def head(self, n: int = 5) -> Any:
        """Return the features of the first n rows: a pandas frame where columns have names, else an array."""
        batch = self._with(target=None, weight=None)._first_batch(n)
        return shown_rows(self.steps, batch.raw(self.features), batch.range(), self.names)

    def through(self, transformer: Any) -> "Scan":
        """Return the same rows with every batch passed through a fitted transformer.

        Parameters
        ----------
        transformer : fitted transformer of scikit-learn or novum
            One that was fitted on a frame with column names gets a pandas frame, any other an array. Sparse output is made
            dense batch by batch.

        Returns
        -------
        Scan
            With the columns that come out; `through` can be called again on it.

        Examples
        --------
        >>> import tempfile, numpy as np, novum
        >>> from sklearn.preprocessing import StandardScaler
        >>> path = tempfile.mkdtemp() + "/rows.npy"
        >>> X = np.arange(12.0).reshape(6, 2)
        >>> np.save(path, X)
        >>> scaled = novum.scan(path).through(StandardScaler().fit(X))
        >>> scaled.head(2).round(2)
        array([[-1.46, -1.46],
               [-0.88, -0.88]])
        """
        step = make_step(transformer, self.names)
        steps = (*self.steps, step)
        probe = self._with(target=None, weight=None)._first_batch(PROBE_ROWS)
        out = apply(steps, probe.raw(self.features), probe.range())
        width = max(len(self.features), out.shape[1])
        return self._with(
            steps=steps,
            n_features=out.shape[1],
            names=names_out(step, out.shape[1]),
            dtype=tile_dtype(out.dtype),
            batch_rows=self.requested_rows or batch_rows(width),
        )

    def with_target(self, key: Any) -> "Scan":
        """Return the same rows with one of the features as the target."""
        if key not in self.features:
            raise DataError(f"novum.scan: {key!r} is no column of this scan, which has {self.features}.")
        features = [one for one in self.features if one != key]
        return Scan(self.files, features, key, self.weight, self.requested_rows, 0)

    # -------------------------------------------------------------------------------------------- what a learner sees

    def opened_by(self, estimator: Any, *, target: Any, weighted: Any, n_jobs: Any) -> Any:
        """Return the scan with the columns that `estimator` needs, after the checks that need no data."""
        owner = type(estimator).__name__
        path = self.files[0].path
        check_features(owner, path, {} if self.steps else {key: self.columns[key] for key in self.features})
        if target == "numeric":
            check_target_columns(owner, path, {key: self.columns[key] for key in self._target_keys()})
        nan = bool(estimator.__sklearn_tags__().input_tags.allow_nan)
        decodes = bool(self.steps) or not all(file.direct for file in self.files)
        scan = self._with(
            owner=owner,
            task=target,
            allow_nan=nan,
            n_jobs=n_jobs,
            threads=thread_count(n_jobs),
            decoded=DecodedRows(self.n_rows) if decodes else None,
            joins_rows=decodes,
        )
        if target is None:
            scan = scan._with(target=None, n_targets=0, has_target=False)
        return scan if weighted else scan._with(weight=None)

    def header(self) -> Any:
        import pyarrow as pa  # named columns come from an Arrow reader, so pandas need not be there

        return pa.table([pa.nulls(0)] * self.n_features, names=self.names)

    def without_features(self) -> Any:
        return self._with(features=[], steps=(), n_features=0, names=None)

    def map_target(self, function: Any) -> Any:
        return self._with(mapped=(*self.mapped, function))

    def first(self) -> Any:
        return self._block(self._first_batch(self.batch_rows), keep=True)

    def total(self, statistics: Any, params: Any = None, merge: Any = add) -> Any:
        weighty: list[bool] = []

        def one(batch: Batch | KeptBatch) -> Any:
            block = self._block(batch, keep=True)
            if block.weight is not None:
                weighty.append(bool(block.weight.any()))
            return statistics(params, block)

        with closing(self._map(one)) as parts:
            result = merge_tree(parts, merge)
        if self.weight is not None:
            check_some_weight(self.owner, self.weight, weighty)
        return result

    def rows(self, function: Any, params: Any = None) -> Any:
        """Return an iterator over the results of the batches; files are read as it advances."""

        def one(batch: Batch | KeptBatch) -> Any:
            with single_blas():  # entered per batch: between two of them the caller's own code runs
                return function(params, self._block(batch, keep=False))

        return self._map(one)

    def each(self) -> Any:
        return self._map(lambda batch: self._block(batch, keep=True))

    def dealt(self, deal: Deal) -> AbstractContextManager[Portions]:
        return dealt_blocks(self, deal)

    def in_one_piece(self) -> RowsInOnePiece | None:
        n, step = self.n_rows or 0, self.batch_rows
        if self.decoded is None or self.weight is not None or pass_listener.get() is not None or n <= step:
            return None
        found = self.decoded.all_rows([self._mapped_part() if part[0] == "y" else part for part in self._parts()], step)
        if found is None or not self.features:
            return None
        for file in self.files:
            file.check()
        return RowsInOnePiece(found[0], found[1] if self.has_target else None, step, [{} for _ in range(0, n, step)])

    def forget(self) -> None:
        if self.decoded is not None:
            self.decoded.forget()

    def _map(self, function: Callable[[Batch | KeptBatch], Any]) -> Any:
        count = self.threads or thread_count(self.n_jobs)
        batches, listener = self._batches(self.batch_rows, count), pass_listener.get()
        if listener is None:
            return map_ordered(function, batches, count)
        return reported(listener, lambda items: map_ordered(function, items, count), batches, self.n_rows)

    # ------------------------------------------------------------------------------------------------ batches to blocks

    def _target_keys(self) -> list:
        if self.target is None:
            return []
        return self.target if isinstance(self.target, list) else [self.target]

    def _parts(self) -> list[tuple]:
        """Return the parts of a block, each with all that its values and checks depend on."""
        parts: list[tuple] = []
        if self.features or self.steps:
            steps = tuple(id(step.transformer) for step in self.steps)
            parts.append(("X", tuple(self.features), steps, self.dtype, self.allow_nan))
        if self.target is not None:
            parts.append(("y", tuple(self._target_keys()), self.task))
        return parts if self.weight is None else [*parts, ("weight", self.weight)]

    def _mapped_part(self) -> tuple:
        """Return the part of a block that is the target after its functions."""
        keys = tuple(self._target_keys())
        return ("mapped", keys, self.task, self.mapped) if self.mapped else ("y", keys, self.task)

    def _batches(self, rows: int, threads: int = 1) -> Iterator[Batch | KeptBatch]:
        """Yield the blocks that are kept, then batches of those that are not."""
        kept, parts, start = self.decoded, self._parts(), 0
        for batch in [] if kept is None else kept.begin(parts):
            for file in batch.files:
                file.check()
            yield batch
            start = batch.start + batch.rows
        if kept is None or start != kept.end:
            weight = [] if self.weight is None else [self.weight]
            keys = list(dict.fromkeys([*self.features, *self._target_keys(), *weight]))
            for batch in cut_batches(self.files, keys, rows, threads, self.owner, start):
                yield batch
                if kept is not None:
                    start = batch.start + batch.rows
        if kept is not None:
            kept.finish(parts, start)

    def _first_batch(self, rows: int) -> Any:
        with closing(self._batches(rows)) as batches:  # type: ignore[type-var]
            return next(batches)

    def _block(self, batch: Batch | KeptBatch, keep: bool) -> Block:
        """Return a batch as a checked block; with `keep` it is kept for the next pass."""
        values = [self._part(part, batch, keep) for part in self._parts()]
        X = values.pop(0) if self.features or self.steps else np.empty((batch.rows, 0), self.dtype)
        y = None if self.target is None else self._mapped(values.pop(0), batch, keep)
        return Block(X, y, values.pop() if values else None, batch.start, {})

    def _mapped(self, y: np.ndarray, batch: Batch | KeptBatch, keep: bool) -> np.ndarray:
        """Return the target after its functions; with `keep` it is kept in memory beside the target itself."""
        if not self.mapped:
            return y
        key, kept = self._mapped_part(), self.decoded
        if kept is not None and isinstance(batch, KeptBatch) and (found := kept.get(key, batch)) is not None:
            return found
        for function in self.mapped:
            y = function(y)
        if keep and kept is not None:
            kept.offer(key, KeptBatch(batch.start, batch.rows, batch.files), y)
        return y

    def _part(self, part: tuple, batch: Batch | KeptBatch, keep: bool) -> np.ndarray:
        """Return one part of a block as it is kept, or decoded and checked."""
        kept = self.decoded
        if isinstance(batch, KeptBatch):
            found = kept.get(part, batch)  # type: ignore[union-attr]
            assert found is not None
            return found
        place = None
        if keep and kept is not None and part[0] == "X" and not self.steps:
            place = kept.place(part, batch.start, (batch.rows, self.n_features), self.dtype)
        value = self._tile(batch, place) if part[0] == "X" else (self._y if part[0] == "y" else self._weight)(batch)
        if keep and kept is not None:
            kept.offer(part, KeptBatch(batch.start, batch.rows, batch.files), value)
        return value

    def _tile(self, batch: Batch, place: np.ndarray | None) -> np.ndarray:
        """Return the features of a batch as a tile, which is written to a place if there is one."""
        if self.steps:
            out = apply(self.steps, batch.raw(self.features), batch.range())
            X = np.ascontiguousarray(out, self.dtype)
            if X.shape[1] != self.n_features:
                raise DataError(
                    f"scan.through: {self.steps[-1]} made {X.shape[1]} columns, {self.n_features} before: {batch.range()}."
                )
        else:
            X = batch.tile(self.features, self.dtype, place)
        if not _core.runtime.tiles.all_finite(X):
            keys = self.names or (range(X.shape[1]) if self.steps else self.features)
            check_cells(X, batch, keys, self.owner, self.allow_nan)
        return X

    def _y(self, batch: Batch) -> np.ndarray:
        """Return the target of a batch: flat, or as columns where several were requested."""
        values = [batch.labels(key) for key in self._target_keys()]
        y = np.column_stack(values) if isinstance(self.target, list) else values[0]
        return checked_target(y, batch, self.target, self.owner, self.task == "classes")

    def _weight(self, batch: Batch) -> np.ndarray:
        """Return the weights of a batch as float64."""
        return checked_weight(batch.labels(self.weight), batch, self.weight, self.owner)
