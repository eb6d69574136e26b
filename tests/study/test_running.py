"""How a study runs: within its budget, on from where it stopped, on a cluster, with a leaderboard that forms as it goes."""

import sys
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from studytables import mixed
from typer.testing import CliRunner

import novum.study.comparison.workers as fits
from novum.cli import application
from novum.cli.study import Terminal, seconds_in
from novum.exceptions import ClusterLost
from novum.study import Listener, Study
from novum.study.comparison.clock import Clock
from novum.study.folder_names import default_folder
from novum.study.result import bytes_text

QUICK = {
    "folds": 3,
    "repeats": 1,
    "n_jobs": 1,
    "models": ["GaussianNB", "LogisticRegression"],
    "tune": False,
    "ensemble": False,
}


class Slow(ClassifierMixin, BaseEstimator):
    """A model that takes its time."""

    def __init__(self, seconds=0.0):
        self.seconds = seconds

    def fit(self, X, y):
        time.sleep(self.seconds)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])

    def predict_proba(self, X):
        return np.tile(np.eye(len(self.classes_))[0], (len(X), 1))


def shop():
    return mixed().drop(columns="spent")


def test_a_study_goes_on_where_it_stopped(tmp_path, monkeypatch):
    class Impatient(Listener):
        def advance(self, done, planned):
            if done == 5:
                raise KeyboardInterrupt

    folder = tmp_path / "fits"
    assert not Study(shop(), "bought", **QUICK).run(Impatient(), resume=folder).complete
    kept = len(list(folder.iterdir()))
    assert kept == 5
    made = []
    plain = fits.fit_task
    monkeypatch.setattr(fits, "fit_task", lambda rows, task: made.append(task) or plain(rows, task))
    resumed = Study(shop(), "bought", **QUICK).run(resume=folder)
    assert len(made) == 9 - kept and resumed.complete
    fresh = Study(shop(), "bought", **QUICK).run()
    np.testing.assert_array_equal(resumed.scores.values, fresh.scores.values)
    made.clear()
    Study(shop().assign(age=1.0 + np.arange(120)), "bought", **QUICK).run(resume=folder)  # another table: all again
    assert len(made) == 9
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes()[:50])  # the machine went down
    assert Study(shop(), "bought", **QUICK).run(resume=folder).complete


def test_a_cluster_gives_the_same():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster:
        result = Study(shop(), "bought", cluster=cluster.scheduler_address, **QUICK).run()
    np.testing.assert_array_equal(result.scores.values, Study(shop(), "bought", **QUICK).run().scores.values)


def test_a_cluster_that_is_not_there_or_not_ours_is_named_in_time(monkeypatch):
    distributed = pytest.importorskip("distributed")
    start = time.perf_counter()
    with pytest.raises(
        ClusterLost, match=r"cluster='tcp://127.0.0.1:9'\): no Dask scheduler answers there within \d s"
    ):
        Study(shop(), "bought", cluster="tcp://127.0.0.1:9", time_limit=12.0, **QUICK).run()
    with pytest.raises(
        ClusterLost, match="no Dask scheduler answers there within 1 s"
    ):  # no time is left to begin with
        Study(shop(), "bought", cluster="tcp://127.0.0.1:9", time_limit=0.01, **QUICK).run()
    empty = distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None, silence_logs=50)
    with empty as nobody, pytest.raises(ClusterLost, match="has had no worker for"):
        Study(shop(), "bought", cluster=nobody.scheduler_address, time_limit=12.0, **QUICK).run()
    assert time.perf_counter() - start < 24.0
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None, silence_logs=50) as cluster:
        versions = lambda *given: {"tcp://a:1": {"host": {"python": "3.9.1"}, "packages": {}}}  # noqa: E731
        monkeypatch.setattr("novum.fold.homes.dask.connection.worker_versions", versions)
        with pytest.raises(ClusterLost, match=r"worker tcp://a:1 has python 3.9, this process has python"):
            Study(shop(), "bought", cluster=cluster.scheduler_address, **QUICK).run()


def test_the_budget_is_for_everything():
    models = {f"slow {i}": Slow(0.4) for i in range(30)}
    start = time.perf_counter()
    result = Study(shop(), "bought", time_limit=6.0, **{**QUICK, "models": models}).run()
    assert time.perf_counter() - start < 12.0  # a tenth above, and what a loaded machine adds
    assert result.complete and result.scores.stopped == "time limit" and len(result.leaders) < 31


def test_a_clock_keeps_time_for_the_last_fits():
    clock = Clock(time.perf_counter(), 10.0)
    assert 9 < clock.left() <= 10
    clock.reserve(4.0)
    assert 5 < clock.left() <= 6
    clock.reserve(40.0)
    assert clock.left() == 0.0 and Clock(0.0, None).left() is None


def test_the_leaderboard_forms_before_the_end(tmp_path):
    heard = []

    class Ear(Listener):
        def formed(self, name, score):
            heard.append(("formed", name, score))

        def step(self, name, lines):
            heard.append(("step", name))

        def explained(self, done, planned):
            heard.append(("explained", done, planned))

        def fitting(self, n_rows, seconds):
            heard.append(("fitting", n_rows, seconds))

    result = Study(shop(), "bought", **QUICK).run(Ear())
    last = [entry[1:] for entry in heard if entry[0] == "fitting"]  # on the training rows, then on all
    assert [rows for rows, _ in last] == [result.n_train, result.n_train + result.n_held]
    assert 0 < last[0][1] <= last[1][1] < 30
    names = [entry[1] for entry in heard if entry[0] == "formed"]
    assert names == ["baseline (most frequent)", "LogisticRegression", "GaussianNB"]
    order = [entry[1] for entry in heard if entry[0] == "step"]
    assert order.index("leaderboard") < order.index("hold-out")
    explained = [entry[1:3] for entry in heard if entry[0] == "explained"]  # columns shuffled, then what else is found
    columns = len(result.explanation.importances)
    assert (columns, columns) in explained and explained[-1][0] == explained[-1][1]


def test_explanations_end_in_time():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 400)), columns=[f"c{i}" for i in range(400)])
    frame["y"] = np.where(frame["c7"] > 0, "a", "b")
    result = Study(frame, "y", time_limit=4.0, **{**QUICK, "models": ["GaussianNB"]}).run()
    found = result.explanation
    assert found.skipped + len(found.importances) == 400
    if result.kept.name == "GaussianNB":
        assert "c7" in [importance.column for importance in found.importances]


def test_words_of_the_command_line():
    assert [seconds_in(text) for text in ("90", "90s", "5m", "1.5h", None)] == [90, 90, 300, 5400, None]
    assert default_folder("cars.2020.csv.gz", "Miles per gallon") == "cars-Miles_per_gallon-study"
    assert [bytes_text(size) for size in (0, 12, 2048, 5.5 * 2**20, 527 * 2**20)] == [
        "",
        "12 B",
        "2.0 kB",
        "5.5 MB",
        "527 MB",
    ]


def test_the_folder_is_named_after_table_and_target(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shop().to_csv("shop.csv", index=False)
    options = ["--folds", "3", "--repeats", "1", "--n-jobs", "1", "--models", "GaussianNB", "--no-tune"]
    run = CliRunner().invoke(application(), ["study", "shop.csv", "--target", "bought", *options])
    assert run.exit_code == 0, run.output
    assert sorted(path.name for path in (tmp_path / "shop-bought-study").iterdir()) == [
        "MODEL_CARD.md",
        "model.novum",
        "report.html",
        "report.md",
        "scores.csv",
        "study.json",
        "unseen.parquet",
    ]
    assert "the model was fitted again on all 120 rows" in run.output


def test_the_last_fit_says_how_long_it_takes(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with Terminal() as terminal:
        terminal.fitting(1200, 61.0)
        (column,) = [one for one in terminal.bar.columns if type(one).__name__ == "SecondsLeft"]
        (task,) = terminal.bar.tasks
        assert column.render(task).plain in ("about 61 s left", "about 60 s left")
        task.start_time -= 60.9
        assert column.render(task).plain == "soon done"
        terminal.step("keep", ["a model"])
        assert terminal.bar is None
    assert "a model" in capsys.readouterr().out
