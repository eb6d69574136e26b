"""Fits on real clusters: the same bits for any number of workers, a killed worker costs time only, a lost scheduler is an error."""

import os
import signal
import subprocess
import sys
import threading
import time
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from novum.exceptions import ClusterLost, DataError
from novum.fold.blocks import Block
from novum.fold.homes.dask import DaskSource, aligned_parameters, open_dask
from novum.fold.homes.dask.block_tasks import remembered
from novum.fold.homes.dask.source import block_list
from novum.linear_model import LinearRegression, Ridge
from novum.naive_bayes import GaussianNB

pytest.importorskip("distributed")
import dask.array as da
import dask.dataframe as dd
from distributed import Client, LocalCluster

RNG = np.random.default_rng(0)
X = RNG.normal(size=(6000, 5)) + 3
Y = X @ np.arange(5.0) + RNG.normal(size=6000)
LABELS = np.where(np.median(Y) < Y, "high", "low")
CHUNKS = 500  # twelve partitions: one and a half groups of the merge


class Count(NamedTuple):
    rows: int


def cluster(workers):
    return LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
    )


def arrays():
    return da.from_array(X, chunks=(CHUNKS, 5)), da.from_array(Y, chunks=CHUNKS), da.from_array(LABELS, chunks=CHUNKS)


def learned(workers):
    with cluster(workers) as home, Client(home):
        x, y, labels = arrays()
        line, bayes = Ridge().fit(x, y), GaussianNB().fit(x, labels)
        return np.concatenate([line.coef_, [line.intercept_], bayes.theta_.ravel(), bayes.var_.ravel()])


def test_one_two_and_three_workers_give_the_same_bits():
    one, two, three = (learned(workers) for workers in (1, 2, 3))
    assert np.array_equal(one, two) and np.array_equal(one, three)
    memory = Ridge().fit(X, Y), GaussianNB().fit(X, LABELS)
    expected = [memory[0].coef_, [memory[0].intercept_], memory[1].theta_.ravel(), memory[1].var_.ravel()]
    assert_allclose(one, np.concatenate(expected), rtol=1e-10)


def test_frames_weights_targets_and_lazy_predictions(client):
    import pandas as pd

    frame = pd.DataFrame(X, columns=list("abcde")).assign(t=Y, w=np.arange(6000) % 3)
    parts = dd.from_pandas(frame, npartitions=4)
    model = LinearRegression().fit(parts[list("abcde")], parts["t"], sample_weight=parts["w"])
    memory = LinearRegression().fit(frame[list("abcde")], frame["t"], sample_weight=frame["w"])
    assert list(model.feature_names_in_) == list("abcde")
    assert_allclose(model.coef_, memory.coef_, rtol=1e-11)
    lazy = model.predict(parts[list("abcde")])
    assert isinstance(lazy, da.Array)
    assert_allclose(lazy.compute(), memory.predict(frame[list("abcde")]), rtol=1e-10)
    several = LinearRegression().fit(da.from_array(X, chunks=(1000, 2)), da.from_array(np.c_[Y, -Y], chunks=(700, 1)))
    assert_allclose(several.coef_, LinearRegression().fit(X, np.c_[Y, -Y]).coef_, rtol=1e-10)
    labels = GaussianNB().fit(da.from_array(X, chunks=(999, 5)), LABELS).predict(da.from_array(X, chunks=(999, 5)))
    assert np.array_equal(labels.compute(), GaussianNB().fit(X, LABELS).predict(X))


def test_without_a_cluster_the_local_schedulers_serve():
    x, y, _ = arrays()
    source = open_dask(LinearRegression(), x, y, None)
    source._client = lambda: None
    assert source.prepare().n_rows == 6000
    assert source.total(lambda _, block: Count(block.rows)).rows == 6000


def suicidal(flag):
    """Return statistics that kill their worker the first time the third block is seen."""

    def statistics(params, block):
        import os
        import pathlib
        import signal

        if block.start == 2 * 500 and not pathlib.Path(flag).exists():
            pathlib.Path(flag).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return (params * block.X.sum(axis=0),)

    return statistics


def test_a_killed_worker_changes_nothing(client, tmp_path):
    x, y, _ = arrays()
    source = open_dask(LinearRegression(), x, y, None).prepare()
    flag = tmp_path / "killed"
    wounded = source.total(suicidal(str(flag)), 2.0, lambda a, b: (a[0] + b[0],))[0]
    assert flag.exists()
    flag.unlink()
    flag.touch()
    assert np.array_equal(wounded, source.total(suicidal(str(flag)), 2.0, lambda a, b: (a[0] + b[0],))[0])


def test_the_only_worker_killed_changes_nothing(tmp_path):
    """Its successor has another address: Dask itself would wait for the first one for ever."""
    x, y, _ = arrays()
    expected = Ridge().fit(x, y).coef_
    slow = x.map_blocks(lambda block: (__import__("time").sleep(0.1), block)[1], dtype=float)
    with cluster(1) as home, Client(home) as alone:
        killer = threading.Timer(0.5, lambda: os.kill(next(iter(alone.run(os.getpid).values())), signal.SIGKILL))
        killer.start()
        assert np.array_equal(Ridge().fit(slow, y).coef_, expected)
        killer.join()
        flag = tmp_path / "killed"
        source = open_dask(LinearRegression(), x, y, None).prepare()
        wounded = source.total(suicidal(str(flag)), 2.0, lambda a, b: (a[0] + b[0],))[0]
        assert flag.exists() and np.array_equal(
            wounded, source.total(suicidal(str(flag)), 2.0, lambda a, b: (a[0] + b[0],))[0]
        )


def test_fit_with_a_worker_killed_by_another_process(client):
    x, y, _ = arrays()
    slow = x.map_blocks(lambda block: (__import__("time").sleep(0.05), block)[1], dtype=float)
    expected = Ridge().fit(x, y).coef_

    def kill():
        time.sleep(0.2)
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    coef = Ridge().fit(slow, y).coef_
    killer.join()
    assert np.array_equal(coef, expected)


def test_a_lost_scheduler_is_a_clear_error(tmp_path):
    file = tmp_path / "scheduler.json"
    scheduler = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
        + ["--scheduler-file", str(file)],
        stderr=subprocess.DEVNULL,
    )
    worker = None
    try:
        for _ in range(100):
            if file.exists():
                break
            time.sleep(0.1)
        worker = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(file), "--nthreads", "1"]
            + ["--no-dashboard", "--no-nanny", "--death-timeout", "5"],
            stderr=subprocess.DEVNULL,
        )
        with Client(scheduler_file=str(file), timeout=20) as remote:
            remote.wait_for_workers(1, timeout=20)
            x, y, _ = arrays()
            model = LinearRegression().fit(x, y)
            before = model.coef_.copy()
            slow = x.map_blocks(lambda block: (__import__("time").sleep(0.3), block)[1], dtype=float)
            threading.Timer(0.5, scheduler.kill).start()
            with pytest.raises(ClusterLost, match="LinearRegression: the Dask cluster was lost"):
                model.fit(slow, y)
            assert np.array_equal(model.coef_, before)
    finally:
        for process in (scheduler, worker):
            if process is not None:
                process.kill()
                process.wait()


def test_bad_partitions_are_named(client):
    bad = X.copy()
    bad[1200, 2] = np.nan
    x, y, _ = arrays()
    model = LinearRegression()
    with pytest.raises(DataError, match="NaN or infinity in partition 2"):
        model.fit(da.from_array(bad, chunks=(CHUNKS, 5)), y)
    assert not hasattr(model, "coef_")
    with pytest.raises(DataError, match="negative or not finite"):
        model.fit(x, y, sample_weight=da.from_array(-np.ones(6000), chunks=CHUNKS))
    with pytest.raises(DataError, match="at least one non-zero"):
        model.fit(x, y, sample_weight=da.from_array(np.zeros(6000), chunks=CHUNKS))
    with pytest.raises(DataError, match="inconsistent numbers of samples"):
        model.fit(x, y[:-1])
    with pytest.raises(DataError, match="requires y to be passed"):
        model.fit(x)
    with pytest.raises(ValueError, match="has 2 features, but LinearRegression is expecting 5"):
        LinearRegression().fit(x, y).predict(x[:, :2])


def test_empty_partitions_missing_cells_and_labels(client):
    import pandas as pd

    x, y, _ = arrays()
    frame = pd.DataFrame(X, columns=list("abcde")).assign(t=Y, row=np.arange(6000))
    parts = dd.from_pandas(frame, npartitions=4)
    kept = parts[parts["row"] < 1400 + 1600 * (parts["row"] >= 3000) * 10]  # the second partition becomes empty
    memory = frame[(frame["row"] < 1400) | (frame["row"] >= 3000)]
    model = LinearRegression().fit(kept[list("abcde")], kept["t"])
    assert_allclose(model.coef_, LinearRegression().fit(memory[list("abcde")], memory["t"]).coef_, rtol=1e-10)
    nullable = frame.astype("Float64")
    nullable.loc[7, "b"] = pd.NA
    holes = dd.from_pandas(nullable, npartitions=2)
    with pytest.raises(DataError, match="NaN or infinity in partition 0"):
        LinearRegression().fit(holes[list("abcde")], holes["t"])
    with pytest.raises(DataError, match="Unknown label type: continuous"):
        GaussianNB().fit(x, y)
    column = GaussianNB().fit(x, da.from_array((np.median(Y) < Y).astype(int)[:, None], chunks=(CHUNKS, 1)))
    assert list(column.classes_) == [0, 1]
    with pytest.raises(DataError, match="Complex data not supported"):
        LinearRegression().fit(x * 1j, y)
    with pytest.raises(DataError, match=r"inconsistent numbers of samples.* partition [01] has"):
        LinearRegression().fit(parts[list("abcde")], kept["t"])


def test_private_state_is_kept_on_the_workers_and_only_saves_work(client):
    x, y, _ = arrays()
    source = open_dask(LinearRegression(), x, y, None).prepare()
    assert isinstance(source, DaskSource)

    def visits(_, block):
        block.memory["visits"] = block.memory.get("visits", 0) + 1
        return (block.memory["visits"],)

    totals = [source.total(visits, None, lambda a, b: (a[0] + b[0],))[0] for _ in range(3)]
    assert totals[0] == 12 and totals[2] > totals[0]


def test_arrays_from_the_wire_are_aligned():
    raw = np.frombuffer(b"x" + np.arange(6.0).tobytes(), np.uint8)[1:].view(np.float64).reshape(3, 2)
    assert not raw.flags.aligned
    block = aligned_parameters(Block(raw, None, np.ones(3), 7))
    assert block.X.flags.aligned and block.start == 7
    np.testing.assert_array_equal(block.X, raw)
    kept = block_list(Block(raw, None, None), Block(raw, raw[:, 0], None))  # once: a pass finds nothing to copy
    assert all(remembered(block, (), "fit", i, 0).X is block.X for i, block in enumerate(kept))


def test_columns_of_many_small_files_are_cut_alike(tmp_path):

    rows = pd.DataFrame(np.random.default_rng(0).normal(size=(240, 10)), columns=[f"c{j}" for j in range(10)])
    for k in range(8):
        rows.iloc[30 * k : 30 * (k + 1)].to_parquet(tmp_path / f"part-{k}.parquet")
    frame = dd.read_parquet(tmp_path)
    assert (
        len(frame["c2"].to_delayed()) < frame["c2"].npartitions
    )  # Dask reads several files at once where columns are few
    found = LinearRegression().fit(frame[["c0", "c1"]], frame["c2"], frame["c3"] ** 2)
    expected = LinearRegression().fit(rows[["c0", "c1"]], rows["c2"], rows["c3"] ** 2)
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-10)
