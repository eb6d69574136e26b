"""A Dask collection as a source of blocks: a task per worker thread and pass, merges on the workers, one result comes back.

A partition is a block. Consecutive blocks are made once, as one run per thread of the cluster, and stay with its worker; a lost
run is made again from its recipe, because nothing is scattered. A pass is one task per run, which merges the nodes of the one
tree (subtrees.py) where the blocks are, and tasks that join the nodes of neighbors up to the root. Parameters leave the client
once and spread among the workers in a tree (copies.py).
"""

import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from itertools import count
from operator import getitem
from typing import Any, Self
from uuid import uuid4

import numpy as np

from novum.exceptions import DataError
from novum.fold.blocks import BLOCK_VALUES, Block, Source, add
from novum.fold.dealing import Deal, Portions
from novum.fold.homes.dask.block_tasks import (
    RowFunction,
    aligned_parameters,
    build,
    change_target,
    run_rows,
    some_rows,
)
from novum.fold.homes.dask.connection import cluster_errors, current_client, worker_threads
from novum.fold.homes.dask.copies import copied, held, parent_of, workers_in_order
from novum.fold.homes.dask.dealing import BucketsOfWorkers
from novum.fold.homes.dask.subtrees import (
    BlockRun,
    cut_points,
    join_nodes,
    merged_root,
    run_statistics,
    run_survey,
    run_walk,
)
from novum.fold.homes.dask.task_names import stage_name, task_name
from novum.fold.homes.dask.waiting import results

__all__ = ["DaskSource"]

FAN_IN = 4  # runs whose nodes one task joins: few tasks, and a worker holds few statistics at a time
LARGE_WORK = (
    2**17
)  # bytes sent with all tasks of a pass from which they are a task of their own, sent once: it costs two hops


def block_list(*blocks: Block) -> list[Block]:
    """Return blocks as a run, which a worker keeps: those that came over the wire are aligned now, not at every pass."""
    return [aligned_parameters(block) for block in blocks]


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
        self.runs: list | None = None  # lists of blocks, or futures of them
        self.cuts: list[int] = [0, len(parts)]  # run i has blocks cuts[i] to cuts[i + 1]
        self.places: list[str | None] = [None]  # worker of every run
        self.passes = count(1)

    def _blocks(self) -> list:
        """Return the blocks as delayed objects."""
        from dask import delayed

        if not self.parts:  # rows in another order or cut: their recipe is that of the runs
            pick = delayed(getitem, pure=False)
            runs = zip(self._persist(), self.cuts, self.cuts[1:])
            return [pick(run, index) for run, low, high in runs for index in range(high - low)]
        make = delayed(build, pure=False)
        return [make(*part, self.dtype) for part in self.parts]

    def _client(self) -> Any:
        return current_client()

    def prepare(self) -> Self:
        self._persist()
        found = self._map("survey", run_survey, [(self.owner, self.allow_nan, index) for index in self.cuts[:-1]])
        self.lengths = [rows for one in found for rows in one.rows]
        self.n_rows = sum(self.lengths)
        if self.n_rows == 0:
            raise DataError(f"{self.owner}: Found array with 0 sample(s) while a minimum of 1 is required.")
        if sum(one.weight for one in found) == 0:
            raise DataError(
                f"Sample weights must contain at least one non-zero number. All weights given to {self.owner} are zero."
            )
        return self

    def _persist(self) -> list:
        """Return the runs of blocks as futures that stay with the workers (or computed, without a cluster)."""
        if self.runs is not None:
            return self.runs
        client = self._client()
        with cluster_errors(self.owner):
            if client is None:
                import dask

                self.runs = [list(dask.compute(*self._blocks()))]
            else:
                self.runs = self._placed(client)
        return self.runs

    def _placed(self, client: Any) -> list:
        """Return the runs as futures, each with its blocks and their partitions on the worker that will pass over them."""
        from collections import defaultdict

        import dask

        threads = [address for address, number in worker_threads(client, self.owner).items() for _ in range(number)]
        self.cuts = cut_points(len(self.parts), len(threads))
        self.places = [*threads[: len(self.cuts) - 1]]
        blocks, runs = self._blocks(), []
        wanted: defaultdict[Any, list[str]] = defaultdict(list)
        for place, low, high in zip(threads, self.cuts, self.cuts[1:]):
            run = dask.delayed(block_list, pure=False)(*blocks[low:high])
            parts = [part for given in self.parts[low:high] for part in given if hasattr(part, "key")]
            for one in (run, *blocks[low:high], *parts):
                wanted[one.key] = [place]
            runs.append(run)
        # a bound method of a plain dict: the scheduler, which applies it to every key, may know nothing of novum
        with dask.annotate(workers=wanted.__getitem__, allow_other_workers=True):
            return list(client.compute(runs))

    def _submit(self, client: Any, key: str, place: str | None, function: Callable, *arguments: Any) -> Any:
        """Return the future of one task, on the worker that holds its run if that is there."""
        chosen = {} if place is None else {"workers": [place], "allow_other_workers": True}
        return client.submit(function, *arguments, key=key, pure=False, **chosen)

    def _map(self, stage: str, function: Callable, arguments: list[tuple]) -> list:
        """Return function(*arguments[i], run i) of every run."""
        runs, client = self._persist(), self._client()
        if client is None:
            return [function(*given, run) for given, run in zip(arguments, runs)]
        number = next(self.passes)
        with cluster_errors(self.owner):
            tasks = [
                self._submit(client, task_name(self.owner, stage, number, i), place, function, *given, run)
                for i, (given, run, place) in enumerate(zip(arguments, runs, self.places))
            ]
            return results(client, tasks)

    def _work(self, client: Any, stage: str, number: int, *work: Any) -> Any:
        """Return what all tasks of a pass are given: pickled once, as a task of its own where it is large."""
        import cloudpickle  # type: ignore[import-untyped]

        packed = cloudpickle.dumps(work, protocol=pickle.HIGHEST_PROTOCOL)
        if client is None or len(packed) * len(self.places) < LARGE_WORK:
            return packed
        return self._submit(client, task_name(self.owner, f"{stage}-parameters", number), self.places[0], held, packed)

    def _copies(self, client: Any, stage: str, number: int, work: Any) -> list:
        """Return for every run what it takes the work from: what is a task of its own goes down a tree of workers."""
        if isinstance(work, bytes):
            return [work] * len(self.places)
        workers, worker_of_run = workers_in_order(self.places)
        copies = [work]
        for index in range(1, parent_of(len(workers) - 1) + 1):
            key = task_name(self.owner, f"{stage}-parameters-copy", number)
            copies.append(self._submit(client, key, workers[index], copied, copies[parent_of(index)]))
        return [copies[index if index < len(copies) else parent_of(index)] for index in worker_of_run]

    def _places_of_runs(self) -> list[BlockRun]:
        """Return where every run stands among the blocks that have rows."""
        full = np.cumsum([0, *(length > 0 for length in self.lengths)])
        starts = np.cumsum([0, *self.lengths])
        return [BlockRun(self.fit, low, int(full[low]), int(starts[low])) for low in self.cuts[:-1]]

    def total(self, statistics: Any, params: Any = None, merge: Any = add) -> Any:
        runs, client, stage = self._persist(), self._client(), stage_name(statistics)
        places = self._places_of_runs()
        if client is None:
            work = self._work(None, stage, 0, statistics, params, merge, self.changes)
            return merged_root(merge, *(run_statistics(work, place, run) for place, run in zip(places, runs)))
        from dask import config

        number = next(self.passes)
        with cluster_errors(self.owner), config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
            work = self._work(client, stage, number, statistics, params, merge, self.changes)
            copies = self._copies(client, stage, number, work)
            tasks = [
                self._submit(
                    client, task_name(self.owner, stage, number, i), self.places[i], run_statistics, given, place, run
                )
                for i, (given, place, run) in enumerate(zip(copies, places, runs))
            ]
            while len(tasks) > FAN_IN:
                groups = [tasks[i : i + FAN_IN] for i in range(0, len(tasks), FAN_IN)]
                tasks = [self._joined(client, stage, number, join_nodes, merge, group) for group in groups]
            return results(client, [self._joined(client, stage, number, merged_root, merge, tasks)])[0]

    def _joined(self, client: Any, stage: str, number: int, join: Callable, merge: Callable, tasks: list) -> Any:
        """Return the future of a task that joins the nodes of some runs."""
        return self._submit(client, task_name(self.owner, f"{stage}-merge", number), None, join, merge, *tasks)

    def walk(self, function: Callable, state: Any) -> Any:
        """Return `state = function(state, block, last)` over the blocks in turn, where they are; only the last state comes back."""
        runs, client, stage = self._persist(), self._client(), stage_name(function)
        end = max(index for index, length in enumerate(self.lengths) if length)
        number = next(self.passes)
        with cluster_errors(self.owner):
            work = self._work(client, stage, number, function, self.changes)
            for i, (place, run) in enumerate(zip(self._places_of_runs(), runs)):
                if client is None:
                    state = run_walk(work, place, end, state, run)
                else:
                    key = task_name(self.owner, stage, number, i)
                    given = (work, place, end, state, run)
                    state = self._submit(client, key, self.places[i], run_walk, *given)
            return state if client is None else results(client, [state])[0]

    def _full_runs(self) -> list[bool]:
        """Return which runs have rows."""
        return [any(self.lengths[low:high]) for low, high in zip(self.cuts, self.cuts[1:])]

    @contextmanager
    def dealt(self, deal: Deal) -> Iterator[Portions]:
        yield BucketsOfWorkers(self, deal)

    def _block(self, index: int, step: int = 1) -> Block:
        """Return one block, here, or every so manieth row of it."""
        runs, client = self._persist(), self._client()
        number = int(np.searchsorted(self.cuts, index, side="right")) - 1
        within = index - self.cuts[number]
        if client is None:
            return some_rows(runs[number], within, step)
        key = task_name(self.owner, "block", next(self.passes))
        with cluster_errors(self.owner):
            return results(
                client, [self._submit(client, key, self.places[number], some_rows, runs[number], within, step)]
            )[0]

    def first(self) -> Any:
        """Return rows from all over the first partition: no more than a block in memory has, however large partitions are."""
        index = self._first_full()
        step = -(-self.lengths[index] * self.n_features // BLOCK_VALUES)
        return change_target(self._block(index, max(1, step)), self.changes)._replace(memory={})

    def first_partition(self) -> Block:
        """Return all rows of the first partition, here, for learners whose rows follow each other."""
        return change_target(self._block(self._first_full()), self.changes)._replace(memory={})

    def _first_full(self) -> int:
        return next(index for index, length in enumerate(self.lengths) if length)

    def each(self) -> Iterator[Any]:
        start = 0
        for index, length in enumerate(self.lengths):
            if length:
                yield change_target(self._block(index), self.changes)._replace(start=start)
                start += length

    def rows(self, function: Any, params: Any = None) -> Any:
        import dask.array as da
        from dask import delayed

        row = getattr(function, "example", None)  # for functions that not every row has an answer of
        row = np.zeros((1, self.n_features)) if row is None else row
        probe = function(params, Block(np.ascontiguousarray(row, self.dtype), memory={}))
        work = delayed(RowFunction(function, params, probe[:0], self.owner, self.allow_nan), pure=False, traverse=False)
        apply = delayed(run_rows, pure=False)
        pieces = []
        for index, (block, length) in enumerate(zip(self._blocks(), self.lengths)):
            shape = (np.nan if length is None else length, *probe.shape[1:])
            pieces.append(da.from_delayed(apply(work, index, block), shape=shape, dtype=probe.dtype))
        return da.concatenate(pieces, allow_unknown_chunksizes=True)

    def map_target(self, function: Any) -> Any:
        twin = copy(self)
        twin.changes, twin.fit = (*self.changes, function), uuid4().hex
        return twin
