import io
import pickle
import sys
import time
from typing import NamedTuple

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin, RegressorMixin, clone
from sklearn.callback import ProgressBar as SklearnProgressBar
from sklearn.callback import ScoringMonitor
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from novum.base import progress
from novum.base.callbacks import SILENT, CallbackSupportMixin, reporting
from novum.base.progress import ProgressBar
from novum.runtime.sklearn_private import AutoPropagatedCallback, FitCallback

X = np.random.default_rng(0).normal(size=(30, 2))
y = X @ [1.0, 2.0]


class Params(NamedTuple):
    coef: np.ndarray


class Descent(CallbackSupportMixin, RegressorMixin, BaseEstimator):
    """Gradient descent on least squares: a learner that is nothing but its passes."""

    def __init__(self, max_iter=5, n_runs=1, fail_at=None):
        self.max_iter = max_iter
        self.n_runs = n_runs
        self.fail_at = fail_at

    def fit(self, X, y, sample_weight=None):
        with reporting(self, self.max_iter, X=X, y=y, sample_weight=sample_weight, n_runs=self.n_runs) as report:
            if self.n_runs == 1:
                params = self._passes(X, y, report)
            for _ in range(self.n_runs if self.n_runs > 1 else 0):
                with report.run() as run:
                    params = self._passes(X, y, run)
        self.coef_ = params.coef
        return self

    def _passes(self, X, y, report):
        coef = np.zeros(X.shape[1])
        for n_iter in range(1, self.max_iter + 1):
            report.begin()
            residual = X @ coef - y
            coef = coef - 0.3 * X.T @ residual / len(y)
            if n_iter == self.fail_at:
                raise RuntimeError("diverged")
            self.n_iter_ = n_iter
            if report(n_iter, float(residual @ residual), Params(coef)):
                break
        return Params(coef)

    def predict(self, X):
        return X @ self.coef_


class Closed(CallbackSupportMixin, ClusterMixin, BaseEstimator):
    """A learner without passes."""

    def fit(self, X, y=None):
        with reporting(self, 0, X=X):
            self.labels_ = np.zeros(len(X), dtype=int)
        return self


class Record:
    """Keeps what it hears; stops after some passes when requested to."""

    def __init__(self, stop_at=None):
        self.stop_at = stop_at
        self.heard = []

    def setup(self, estimator, context):
        self.heard.append("setup")

    def teardown(self, estimator, context):
        self.heard.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.heard.append(f"begin {context.task_name} {context.task_id}")

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None, metadata=None):
        self.heard.append(f"end {context.task_name} {context.task_id}")
        self.fitted, self.metadata, self.context = fitted_estimator, metadata, context
        return self.stop_at is not None and getattr(context, "n_iter", 0) >= self.stop_at


class Everywhere(Record):
    max_propagation_depth = None


# ---------------------------------------------------------------------------------------------------- the adapter


def test_a_fit_without_callbacks_is_silent_and_cheap():
    assert reporting(Descent(), 5) is SILENT

    def seconds():
        start = time.perf_counter()
        with reporting(Descent(), 1000) as report:
            for n_iter in range(1000):
                report(n_iter, 0.0)
        return time.perf_counter() - start

    assert min(seconds() for _ in range(5)) < 0.05


def test_callbacks_hear_every_task_in_order():
    record = Record()
    model = Descent(max_iter=2).set_callbacks(record).fit(X, y)
    passes = ["begin pass 0", "end pass 0", "begin pass 1", "end pass 1"]
    assert record.heard == ["setup", "begin fit 0", *passes, "end fit 0", "teardown"]
    assert not {"_callback_fit_ctx", "_skl_callbacks_to_teardown"} & set(vars(model))
    model.fit(X, y)  # again: nothing is left over from the first
    assert record.heard.count("teardown") == 2


def test_runs_are_tasks_of_their_own():
    record = Record()
    Descent(max_iter=1, n_runs=2).set_callbacks(record).fit(X, y)
    runs = [f"{event} {k}" for k in range(2) for event in ("begin run", "end run")]
    assert [task for task in record.heard if "run" in task] == runs
    assert record.heard.count("end pass 0") == 2


def test_callbacks_may_stop_the_passes():
    assert Descent(max_iter=50).set_callbacks(Record(stop_at=3)).fit(X, y).n_iter_ == 3


def test_callbacks_get_objective_weights_and_a_fitted_estimator():
    record, weight = Record(), np.ones(30)
    model = Descent().set_callbacks(record).fit(X, y, weight)
    assert record.metadata == {"sample_weight": weight}
    np.testing.assert_array_equal(record.fitted.predict(X), model.predict(X))
    assert record.fitted.n_iter_ == 5
    last = Record(stop_at=5)
    Descent().set_callbacks(last).fit(X, y)
    assert not hasattr(last.context, "objective")  # the fit as a whole has none, its passes have


def test_a_failing_fit_is_torn_down():
    record = Record()
    with pytest.raises(RuntimeError, match="diverged"):
        Descent(fail_at=2).set_callbacks(record).fit(X, y)
    assert record.heard[-1] == "teardown"
    assert "end fit 0" not in record.heard


def test_a_failing_callback_is_torn_down():
    class Fails(Record):
        def on_fit_task_begin(self, estimator, context):
            raise ValueError("no")

    record = Fails()
    with pytest.raises(ValueError, match="no"):
        Descent().set_callbacks(record).fit(X, y)
    assert record.heard == ["setup", "teardown"]


def test_learners_without_passes_announce_their_fit():
    record = Record()
    Closed().set_callbacks(record).fit(X)
    assert record.heard == ["setup", "begin fit 0", "end fit 0", "teardown"]


def test_propagation_through_pipeline_and_search():
    record = Everywhere()
    make_pipeline(StandardScaler(), Descent(max_iter=2)).set_callbacks(record).fit(X, y)
    assert record.heard.count("setup") == 1
    assert record.heard.count("end pass 1") == 1
    record = Everywhere()
    search = GridSearchCV(Descent(max_iter=2), {"max_iter": [2, 3]}, cv=2).set_callbacks(record)
    search.fit(X, y)
    assert record.heard.count("begin pass 1") == record.heard.count("end pass 1") == 2 * 2 + 1  # folds, then the refit
    assert record.heard[-1] == "teardown"


def test_scikit_learns_own_callbacks(capsys):
    monitor = ScoringMonitor(scoring="r2")
    model = Descent(max_iter=8).set_callbacks(monitor, SklearnProgressBar()).fit(X, y)
    rows = [row for row in monitor.get_logs().data if row["task_name"] == "pass"]
    assert len(rows) == 8
    assert rows[-1]["r2"] == pytest.approx(model.score(X, y))
    assert rows[0]["r2"] < rows[-1]["r2"]


# ---------------------------------------------------------------------------------------------------- the bar


def draw(estimator, **options):
    from rich.console import Console

    text = io.StringIO()
    console = Console(file=text, width=100)
    estimator.set_callbacks(ProgressBar(console=console, **options)).fit(X, y)
    assert not progress._displays
    return text.getvalue()


def test_bar_follows_the_protocol():
    assert isinstance(ProgressBar(), FitCallback)
    assert isinstance(ProgressBar(), AutoPropagatedCallback)


def test_bar_shows_passes_and_objective():
    text = draw(Descent(max_iter=4))
    assert "Descent" in text and "4/4" in text and "objective" in text


def test_bar_of_an_early_stop_ends_full():
    from rich.console import Console

    text = io.StringIO()
    bar = ProgressBar(console=Console(file=text, width=100))
    Descent(max_iter=100).set_callbacks(bar, Record(stop_at=3)).fit(X, y)
    assert "3/3" in text.getvalue()


def test_bar_in_meta_estimators_and_worker_processes():
    text = draw(make_pipeline(StandardScaler(), Descent(max_iter=3)), max_propagation_depth=None)
    assert "Pipeline" in text and "2/2" in text
    text = draw(GridSearchCV(Descent(), {"max_iter": [2, 3]}, cv=2, n_jobs=2))
    assert "GridSearchCV" in text


def test_bar_closes_when_the_fit_fails():
    with pytest.raises(RuntimeError, match="diverged"):
        draw(Descent(fail_at=2))
    assert not progress._displays


def test_bar_travels_without_its_console():
    bar = pickle.loads(pickle.dumps(ProgressBar(2, console=io.StringIO())))
    assert (bar.max_propagation_depth, bar.console) == (2, None)
    assert clone(Descent().set_callbacks(bar))._skl_callbacks == [bar]


def test_bar_without_rich_says_what_to_install(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "rich"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "rich", None)
    model = Descent().set_callbacks(ProgressBar())
    with pytest.raises(ImportError, match="pip install rich"):
        model.fit(X, y)
