"""What listeners hear of a pass over files: the rows it has seen, and the time it will still take."""

import io
import threading
from itertools import pairwise

import numpy as np
import pytest
from scanfiles import table, write

import novum
from novum.base.progress import Display, ProgressBar
from novum.cluster import KMeans
from novum.fold import pass_progress
from novum.fold.pass_progress import PassProgress, listen_to_passes
from novum.linear_model import LinearRegression

FEATURES = ["x0", "x1", "x2", "x3"]


@pytest.fixture
def every_batch(monkeypatch):
    monkeypatch.setattr(pass_progress, "PAUSE", -1.0)


def scan_of(tmp_path, ending="parquet"):
    return novum.scan(write(table(), tmp_path / f"rows.{ending}", rows=100), FEATURES, "y", batch_rows=300)


def test_the_time_that_is_left():
    assert PassProgress(250, 1000, 2.0).seconds_left == 6.0
    assert PassProgress(1000, 1000, 2.0).seconds_left == 0.0
    assert PassProgress(250, None, 2.0).seconds_left is None


@pytest.mark.parametrize("ending, known", [("parquet", 1000), ("csv", None)])
def test_rows_of_every_pass(tmp_path, every_batch, ending, known):
    source = scan_of(tmp_path, ending).opened_by(LinearRegression(), target="numeric", weighted=False, n_jobs=2)
    for count in (known, 1000):  # the first pass has counted them
        heard = []
        with listen_to_passes(heard.append):
            source.total(lambda _, block: (), None, lambda a, b: a)
        assert [(one.rows, one.n_rows) for one in heard] == [
            *((rows, count) for rows in (300, 600, 900, 1000)),
            (1000, 1000),
        ]
        assert all(a.seconds <= b.seconds for a, b in pairwise(heard))


def test_reports_are_rare_and_end_with_the_whole(tmp_path):
    heard = []
    with listen_to_passes(heard.append):
        LinearRegression().fit(scan_of(tmp_path))
    assert heard and all(one.rows == one.n_rows == 1000 for one in heard)


def test_nobody_listens_after_the_fit_nor_in_other_threads(tmp_path, every_batch):
    heard = []
    with listen_to_passes(heard.append):
        thread = threading.Thread(target=LinearRegression().fit, args=(scan_of(tmp_path),))
        thread.start()
        thread.join()
    LinearRegression().fit(scan_of(tmp_path))
    assert heard == []


def test_a_listener_may_end_the_fit(tmp_path, every_batch):
    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), listen_to_passes(stop):
        LinearRegression().fit(scan_of(tmp_path))


class Watch:
    """A callback that hears rows."""

    def __init__(self):
        self.heard = []

    def setup(self, estimator, context): ...

    def teardown(self, estimator, context): ...

    def on_fit_task_begin(self, estimator, context): ...

    def on_fit_task_end(self, estimator, context): ...

    def on_pass_progress(self, estimator, context, progress):
        self.heard.append((type(estimator).__name__, progress.rows))


@pytest.mark.parametrize("model", [LinearRegression(), KMeans(2, n_init=1, random_state=0, max_iter=3)])
def test_callbacks_hear_and_change_nothing(tmp_path, every_batch, model):
    watch, data = Watch(), scan_of(tmp_path)
    heard = type(model)(**model.get_params()).set_callbacks(watch).fit(data)
    assert (type(model).__name__, 600) in watch.heard
    silent = model.fit(data)
    for name in ("coef_", "cluster_centers_"):
        np.testing.assert_array_equal(getattr(heard, name, 0), getattr(silent, name, 0))


def test_the_bar_shows_rows_and_time(tmp_path, every_batch):
    from rich.console import Console

    text = io.StringIO()
    LinearRegression().set_callbacks(ProgressBar(console=Console(file=text, width=100))).fit(scan_of(tmp_path))
    assert "LinearRegression" in text.getvalue()
    display = Display(Console(file=io.StringIO(), width=100))
    display.receive({"path": (0,), "event": "begin", "label": "fit", "total": None})
    display.receive({"path": (0, "rows"), "event": "rows", "progress": PassProgress(250, 1000, 30.0)})
    bar = display.progress.tasks[1]
    assert (bar.description, bar.completed, bar.total) == ("  rows", 250, 1000)
    assert bar.fields["objective"] == "0:01:30 left"
    display.receive({"path": (0, "rows"), "event": "rows", "progress": PassProgress(1000, 1000, 120.0)})
    assert len(display.progress.tasks) == 1
    display.progress.stop()
