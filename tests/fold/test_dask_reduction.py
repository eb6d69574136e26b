"""Reduction on the workers: the one tree, one result for the client, bytes that do not grow with partitions, telling names."""

from itertools import pairwise
from typing import NamedTuple

import cloudpickle
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from novum.exceptions import ClusterLost
from novum.fold.blocks import Block, add, merge_tree
from novum.fold.homes.dask import connection, open_dask
from novum.fold.homes.dask.subtrees import BlockRun, cut_points, join_nodes, merged_root, run_statistics
from novum.fold.homes.dask.task_names import stage_name
from novum.linear_model import LinearRegression

pytest.importorskip("distributed")
import dask.array as da
from distributed import Client, LocalCluster
from distributed.utils import key_split, nbytes

RNG = np.random.default_rng(0)


class Sums(NamedTuple):
    values: np.ndarray


def column_sums(scale, block):
    return Sums(scale[: block.X.shape[1]] * block.X.sum(axis=0))


def words(_, block):
    return (f"{int(block.X[0, 0])}",)


def bracket(a, b):
    return (f"({a[0]} {b[0]})",)


def test_any_cut_into_runs_merges_in_the_one_tree():
    for count in range(1, 40):
        blocks = [Block(np.full((1, 1), i)) for i in range(count)]
        expected = merge_tree((words(None, block) for block in blocks), bracket)
        work = cloudpickle.dumps((words, None, bracket, ()))
        for runs in (1, 2, 3, 5, 7, count):
            cuts = cut_points(count, runs)
            parts = [
                run_statistics(work, BlockRun("fit", low, low, low), blocks[low:high]) for low, high in pairwise(cuts)
            ]
            assert merged_root(bracket, *parts) == expected
            middle = len(parts) // 2
            halves = [join_nodes(bracket, *parts[:middle]), join_nodes(bracket, *parts[middle:])]
            assert merged_root(bracket, *halves) == expected


def test_cuts_are_even_and_high_in_the_tree():
    assert cut_points(12, 2) == [0, 6, 12]
    assert cut_points(5, 9) == [0, 1, 2, 3, 4, 5]
    cuts = cut_points(100_000, 100)
    shares = np.diff(cuts)
    assert len(shares) == 100 and shares.max() < 1.15 * shares.min()
    assert all(cut % 64 == 0 for cut in cuts[:-1])


@pytest.fixture
def threads():
    """Three workers that are threads of this process."""
    home = LocalCluster(n_workers=3, threads_per_worker=1, processes=False, dashboard_address=None, silence_logs=50)
    with home, Client(home) as client:
        yield client


def test_bytes_through_the_client_do_not_grow_with_partitions(threads, monkeypatch):
    """Count the serialized graphs that the client sends, and the results that it gathers."""
    traffic = {}

    def passed(partitions):
        X = RNG.normal(size=(6000, 4))
        source = open_dask(LinearRegression(), da.from_array(X, chunks=(6000 // partitions, 4)), None, None).prepare()
        sent, got, keys = [], [], []
        send, gather = threads._send_to_scheduler, threads._gather_remote

        def counted_send(message):
            if message["op"] == "update-graph":  # what else it says is a key that it holds no more
                graph = message["expr_ser"]
                sent.append(sum(map(nbytes, [graph.header, *graph.frames])))
                keys.extend(message["keys"])
            return send(message)

        async def counted_gather(direct, local):
            found = await gather(direct, local)
            got.extend(found["data"].values())
            return found

        monkeypatch.setattr(threads, "_send_to_scheduler", counted_send)
        monkeypatch.setattr(threads, "_gather_remote", counted_gather)
        scale = np.arange(100_000.0)
        total = source.total(column_sums, scale)
        monkeypatch.undo()
        blocks = np.split(X, partitions)
        assert_array_equal(total.values, merge_tree(iter([column_sums(scale, Block(b)) for b in blocks]), add).values)
        assert len(got) == 1 and isinstance(got[0], Sums)
        return sum(sent), keys

    for partitions in (6, 60, 600):
        traffic[partitions], keys = passed(partitions)
        assert len(keys) == 5  # parameters, a task for every run, one merge
    assert 800_000 < traffic[6] < 850_000  # the parameters, once
    assert abs(traffic[600] - traffic[6]) < 200


def test_large_parameters_go_from_worker_to_worker_in_a_tree():
    """Of seven workers, 1 to 4 take them from worker 0, and 5 and 6 from worker 1; the sums are those of the blocks."""
    rows, scale = RNG.normal(size=(70, 4)), np.arange(10_000.0)
    home = LocalCluster(n_workers=7, threads_per_worker=1, processes=False, dashboard_address=None, silence_logs=50)
    with home, Client(home) as client:
        source = open_dask(LinearRegression(), da.from_array(rows, chunks=(5, 4)), None, None).prepare()
        submit, given = client.submit, {}

        def noted(function, *arguments, key, **options):
            future = submit(function, *arguments, key=key, **options)
            given[future.key] = function.__name__, options.get("workers"), arguments[0]
            return future

        client.submit = noted
        total = source.total(column_sums, scale)
        workers = source.places
    assert_array_equal(total.values, merge_tree((column_sums(scale, Block(b)) for b in np.split(rows, 14)), add).values)
    [root] = [key for key, (name, *_) in given.items() if name == "held"]
    [copy] = [key for key, (name, *_) in given.items() if name == "copied"]
    assert given[root][1] == [workers[0]] and given[copy][1] == [workers[1]] and given[copy][2].key == root
    takes = {place[0]: work.key for name, place, work in given.values() if name == "run_statistics"}
    assert takes == {place: copy if i in (1, 5, 6) else root for i, place in enumerate(workers)}


def test_names_say_learner_stage_and_pass(threads):
    names = set()
    source = open_dask(
        LinearRegression(), da.from_array(RNG.normal(size=(90, 2)), chunks=(10, 2)), None, None
    ).prepare()
    submit = threads.submit

    def noted(*arguments, key, **options):
        names.add(key)
        return submit(*arguments, key=key, **options)

    threads.submit = noted
    source.total(column_sums, np.ones(2))
    source.total(column_sums, np.ones(2))
    assert {key_split(name) for name in names} == {
        "novum-LinearRegression-column-sums-pass",
        "novum-LinearRegression-column-sums-merge-pass",
    }
    assert (
        sum("column-sums-pass-2-" in name for name in names)
        == sum("column-sums-pass-3-" in name for name in names)
        == 3
    )
    assert stage_name(lambda: 0) == "lambda" and stage_name(add) == "add"


def test_empty_partitions_are_no_blocks(threads):
    rows = RNG.normal(size=(60, 3))
    plain = open_dask(LinearRegression(), da.from_array(rows, chunks=(10, 3)), None, None).prepare()
    chunks = ((0, 10, 10, 10, 0, 10, 10, 10, 0), (3,))
    holed = open_dask(LinearRegression(), da.from_array(rows, chunks=chunks), None, None).prepare()
    assert 0 in holed.lengths

    def fussy(params, block):
        assert block.rows
        return Sums(np.array([float(block.start), *block.X.sum(axis=0)]))

    assert_array_equal(plain.total(fussy).values, holed.total(fussy).values)

    def answer(params, block):
        assert block.rows
        return np.c_[block.X[:, 0], block.X[:, 1]].astype(np.float32)

    found = holed.rows(answer)
    assert found.dtype == np.float32
    assert_array_equal(found.compute(), rows[:, :2].astype(np.float32))


def test_walks_visit_blocks_in_turn(threads):
    rows = RNG.normal(size=(95, 3))
    source = open_dask(LinearRegression(), da.from_array(rows, chunks=(10, 3)), None, None).prepare()

    def listed(state, block, last):
        return [*state, (block.start, block.rows, float(block.X[0, 0]))]

    expected = [(i, min(10, 95 - i), rows[i, 0]) for i in range(0, 95, 10)]
    assert source.walk(listed, []) == expected


def test_clusters_without_workers_or_with_others_are_named(threads, monkeypatch):
    x = da.from_array(RNG.normal(size=(60, 3)), chunks=(10, 3))
    plain = connection.worker_versions

    def other(*given):
        found = plain(*given)
        next(iter(found.values()))["packages"]["novum"] = "0.0.1"
        return found

    monkeypatch.setattr(connection, "worker_versions", other)
    with pytest.raises(
        ClusterLost, match=r"LinearRegression: the worker inproc://\S+ has novum 0.0.1, this process has novum"
    ):
        LinearRegression().fit(x, x[:, 0])
    monkeypatch.setattr(connection, "WORKER_WAIT", 0.2)
    nobody = LocalCluster(n_workers=0, processes=False, dashboard_address=None, silence_logs=50)
    message = r"cluster at inproc://\S+ has had no worker for 0 s. Start workers"
    with nobody as home, Client(home), pytest.raises(ClusterLost, match=message):
        LinearRegression().fit(x, x[:, 0])
