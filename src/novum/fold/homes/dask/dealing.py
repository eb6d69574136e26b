"""Rows of a Dask collection dealt to buckets among the workers: no row comes to the client.

Every run of blocks is split once by the buckets of its rows, each worker gathers the pieces of its share of the buckets, and they
stay there. An epoch is a chain of tasks, one per bucket: the state goes from worker to worker, the rows do not.
"""

import pickle
from collections.abc import Callable, Sequence
from itertools import pairwise
from operator import getitem
from typing import Any

import numpy as np

from novum.fold.blocks import Block
from novum.fold.dealing import Deal, Portion, Portions, bucket_pieces, joined_blocks
from novum.fold.homes.dask.block_tasks import aligned_parameters, change_target
from novum.fold.homes.dask.connection import cluster_errors
from novum.fold.homes.dask.subtrees import BlockRun
from novum.fold.homes.dask.task_names import stage_name, task_name
from novum.fold.homes.dask.waiting import results
from novum.runtime.blas import single_blas

__all__ = ["BucketsOfWorkers", "gather_share", "split_run"]


def split_run(work: bytes, run: BlockRun, blocks: Sequence[Block]) -> list[dict[int, list[Block]]]:
    """Return the pieces of a run for every share of the buckets; `work`: deal, edges of the shares, changes of the target."""
    deal, edges, changes = pickle.loads(work)
    found: list[dict[int, list[Block]]] = [{} for _ in edges[1:]]
    row = run.row
    for block in blocks:
        changed = change_target(block, changes)._replace(start=row)
        for bucket, piece in bucket_pieces(deal, changed):
            share = int(np.searchsorted(edges, bucket, side="right")) - 1
            found[share].setdefault(bucket, []).append(piece)
        row += block.rows
    return found


def gather_share(low: int, high: int, nothing: Block, *pieces: dict[int, list[Block]]) -> list[Block]:
    """Return buckets `low` to `high`, their rows in the order of all rows; `nothing` is a block without rows."""
    return [
        joined_blocks([nothing, *(piece for run in pieces for piece in run.get(bucket, ()))])
        for bucket in range(low, high)
    ]


def without_rows(work: bytes, blocks: Sequence[Block]) -> Block:
    """Return the first block that has rows without them: the types of its fields. `work`: changes of the target."""
    (changes,) = pickle.loads(work)
    block = next((block for block in blocks if block.rows), blocks[0])
    return change_target(block, changes).take(slice(0, 0))


def sent_state(packed: bytes) -> Any:
    """Return the state that the client sent: a task of its own, so that a lost copy is made again."""
    return pickle.loads(packed)[0]


def visit_bucket(work: bytes, number: int, place: int, last: bool, state: Any, share: Sequence[Block]) -> Any:
    """Return the state after a bucket, which is number `place` of a share. `work`: function."""
    (function,) = pickle.loads(work)
    with single_blas():
        block = aligned_parameters(share[place])
        return function(aligned_parameters(state), Portion(block, number, last))


class BucketsOfWorkers(Portions):
    """Buckets that lie with workers; made by `DaskSource.dealt`."""

    def __init__(self, source: Any, deal: Deal) -> None:
        self.source, self.count = source, deal.buckets
        runs, self.client = source._persist(), source._client()
        self.workers = sorted({place for place in source.places if place is not None})
        shares = max(1, min(len(self.workers), deal.buckets))
        self.edges = [deal.buckets * share // shares for share in range(shares + 1)]
        full = next(index for index, run in enumerate(source._full_runs()) if run)
        with cluster_errors(source.owner):
            self.shares = self._dealt(deal, runs, full)

    def _dealt(self, deal: Deal, runs: list, full: int) -> list:
        """Return the shares: futures of lists of blocks, or such lists; run `full` has rows."""
        source, number = self.source, next(self.source.passes)
        work = source._work(None, "deal", number, deal, self.edges, source.changes)
        kinds = source._work(None, "deal", number, source.changes)
        places = source._places_of_runs()
        if self.client is None:
            split = [split_run(work, place, run) for place, run in zip(places, runs)]
            return [gather_share(0, deal.buckets, without_rows(kinds, runs[full]), *(parts[0] for parts in split))]

        def submit(stage: str, worker: str | None, function: Callable, *given: Any) -> Any:
            return source._submit(self.client, task_name(source.owner, stage, number), worker, function, *given)

        nothing = submit("deal-types", source.places[full], without_rows, kinds, runs[full])
        split = [
            submit("deal-split", worker, split_run, work, place, run)
            for worker, place, run in zip(source.places, places, runs)
        ]
        shares = []
        for share, (low, high) in enumerate(pairwise(self.edges)):
            pieces = [submit("deal-piece", None, getitem, parts, share) for parts in split]
            shares.append(submit("deal-share", self.workers[share], gather_share, low, high, nothing, *pieces))
        return shares

    def walk(self, function: Callable[[Any, Portion], Any], state: Any, order: Sequence[int] | None = None) -> Any:
        numbers = list(range(self.count) if order is None else order)
        source, client, stage, number = self.source, self.client, stage_name(function), next(self.source.passes)
        with cluster_errors(source.owner):
            work = source._work(client, stage, number, function)
            if client is not None:
                packed = source._work(None, stage, number, state)
                key = task_name(source.owner, f"{stage}-state", number)
                state = client.submit(sent_state, packed, key=key, pure=False)
            for bucket in numbers:
                share = int(np.searchsorted(self.edges, bucket, side="right")) - 1
                place, last = bucket - self.edges[share], bucket == numbers[-1]
                given = (work, bucket, place, last, state, self.shares[share])
                if client is None:
                    state = visit_bucket(*given)
                else:
                    key = task_name(source.owner, stage, number, bucket)
                    state = source._submit(client, key, self.workers[share], visit_bucket, *given)
            return state if client is None else results(client, [state])[0]
