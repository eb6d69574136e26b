"""Budgets on a machine whose time is made of work alone, so that no load of the real one has a say."""

import sys
import time
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from novum.study import Study
from novum.study.comparison import clock as clocks
from novum.study.comparison.board import Board
from novum.study.comparison.candidates import Candidate
from novum.study.comparison.clock import Clock, TimeIsUp, seconds_to_finish
from novum.study.comparison.fits import Fold, Outcome, Rows


class Machine:
    """Time that passes only where a model works; what is late is ended as a timer would."""

    def __init__(self):
        self.now, self.ends = 0.0, []

    def perf_counter(self):
        return self.now

    @contextmanager
    def within(self, seconds):
        self.ends.append(np.inf if seconds is None else self.now + seconds)
        try:
            yield
        finally:
            self.ends.pop()

    def work(self, seconds):
        first = min(self.ends, default=np.inf)
        if first < self.now + seconds:
            self.now = max(self.now, first)
            raise TimeIsUp
        self.now += seconds


class Slow(ClassifierMixin, BaseEstimator):
    """Says what one column says; a fit and a prediction take their time, a fit on more rows more of it."""

    __module__ = "novum.slow"  # trusted not to end the process
    machine = Machine()

    def __init__(self, fit_seconds=0.0, predict_seconds=0.0, column=0):
        self.fit_seconds, self.predict_seconds, self.column = fit_seconds, predict_seconds, column

    def fit(self, X, y):
        Slow.machine.work(self.fit_seconds * len(X) / 60)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    def predict_proba(self, X):
        Slow.machine.work(self.predict_seconds)
        p = 1 / (1 + np.exp(-2 * np.asarray(X)[:, self.column]))
        return np.column_stack([1 - p, p])


@pytest.fixture
def machine(monkeypatch):
    made = Machine()
    monkeypatch.setattr(Slow, "machine", made)
    fake = SimpleNamespace(perf_counter=made.perf_counter, process_time=made.perf_counter)
    instead = {
        "time": (time, fake),
        "within": (clocks.within, made.within),
        "perf_counter": (time.perf_counter, made.perf_counter),
    }
    for name, module in list(sys.modules.items()):
        if name.startswith("novum.study"):
            for attribute, (real, value) in instead.items():
                if getattr(module, attribute, None) is real:
                    monkeypatch.setattr(module, attribute, value)
    monkeypatch.setattr("novum.study.comparison.workers.WORTH_PROCESSES", np.inf)
    monkeypatch.setattr("novum.study.comparison.workers.is_known", lambda estimator: True)
    return made


def table(n=80):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=["u", "v", "w"])
    return frame.assign(y=np.where(frame["u"] + rng.normal(size=n) > 0, "yes", "no"))


@pytest.mark.parametrize(
    ("limit", "fit", "predict"),
    [(20.0, 0.01, 0.0), (20.0, 0.3, 0.2), (20.0, 1.0, 0.0), (20.0, 3.0, 0.2), (60.0, 3.0, 0.0), (60.0, 1.0, 0.2)],
)
def test_every_phase_keeps_to_the_deadline(machine, limit, fit, predict):
    models = {f"slow {column}": Slow(fit, predict, column) for column in range(3)}
    result = Study(table(), "y", models=models, tune=False, folds=5, repeats=1, n_jobs=1, time_limit=limit).run()
    assert machine.now <= limit and result.complete and result.hold_out is not None
    if 20 * fit + 40 * predict < 0.5 * limit:
        assert len(result.scores.folds) == 5 and result.kept.name != "baseline (most frequent)"


class Stuck(Slow):
    """Fits that were fast in the folds take for ever on all rows."""

    def fit(self, X, y):
        Slow.machine.work(0.2 if len(X) < 60 else 1e4)
        self.classes_ = np.unique(y)
        return self


def test_a_last_try_that_is_late_keeps_the_model_of_a_fold(machine, tmp_path):
    settings = {"tune": False, "folds": 5, "repeats": 1, "n_jobs": 1, "time_limit": 20.0}
    result = Study(table(), "y", models={"stuck": Stuck()}, ensemble=False, **settings).run()
    assert result.kept.name == "stuck" and "the mean of the models of its folds" in result.reason
    assert result.saved_from() == "fitted in the comparison, on the rows of its folds, without time for another"
    assert machine.now <= 20 and not result.refitted and len(result.judged_model.estimators) == 5
    assert result.hold_out.score > 0.6 and len(result.predict(table())) == 80
    both = {"stuck": Stuck(), "other": Stuck(column=1)}
    result = Study(table(), "y", models=both, **settings).run(resume=tmp_path / "fits")
    assert result.kept.name != "baseline (most frequent)"
    again = Study(table(), "y", models={"stuck": Stuck()}, ensemble=False, **settings).run(resume=tmp_path / "fits")
    assert again.kept.name == "stuck"  # the fits of another day have no model: it is fitted as in the folds


@pytest.mark.parametrize("limit", [0.3, 1.0, 2.0, 5.0, 9.0, 14.0, 25.0])
@pytest.mark.parametrize("growth", [1.0, 30.0])
def test_the_clock_never_keeps_the_baseline(machine, monkeypatch, limit, growth):
    """Whatever was measured to be better is kept, however late its last fit would be."""

    class Growing(Slow):
        def fit(self, X, y):
            Slow.machine.work(self.fit_seconds * (growth if len(X) >= 60 else 1.0))
            self.classes_ = np.unique(y)
            return self

    models = {"weak": Growing(0.1, 0.0, 1), "good": Growing(0.8, 0.0, 0), "slow": Growing(6.0, 0.1, 0)}
    result = Study(table(), "y", models=models, tune=False, folds=5, repeats=1, n_jobs=1, time_limit=limit).run()
    better = [one for one in result.leaders if not one.name.startswith("baseline")]
    by_measure = result.leaders[0].name.startswith("baseline") or "can be shown to be better" in result.reason
    assert better and (by_measure or not result.kept.name.startswith("baseline"))
    assert result.model is not None and result.hold_out is not None


def test_two_folds_where_there_is_no_time_for_more():
    """The baseline and the first model go fold by fold; what both have is compared, where neither has a set."""
    folds = [Fold(0, np.arange(8), np.arange(8, 10))] * 5
    candidates = [Candidate(name, "novum", None, rank, False) for rank, name in enumerate("abc")]

    def board_of(count):
        board = Board(Rows(pd.DataFrame({"x": range(10)}), np.zeros(10), None, None), folds)
        for task in board.add(candidates)[:count]:
            board.done[task.model, task.fold] = Outcome(task.model, task.fold, 0.5, 1.0, [], "")
        board.leave_out()
        return board

    assert [(task.model, task.fold) for task in board_of(0).fits([0], 0, None)] == [(0, f) for f in range(5)]
    five = board_of(5)  # two folds of both, and one of the baseline
    assert five.used_folds().tolist() == [True, True, False, False, False] and five.finished(1, 0)
    assert not five.finished(2, 0)
    whole = board_of(12)
    assert whole.used_folds().all() and whole.finished(1, 0) and not whole.finished(2, 0)
    assert not board_of(2).left_out  # one fold is no comparison
    waited = board_of(10)
    waited.left_out, waited.done = (
        set(),
        {place: one for place, one in waited.done.items() if place in [(0, 0), (0, 1), (1, 0)]},
    )
    waited.leave_out()
    assert waited.finished(0, 0) and not waited.finished(1, 0)  # nobody waits for a model that may never end


def test_the_report_has_its_time_whatever_was_before(monkeypatch):
    now = SimpleNamespace(at=0.0)
    monkeypatch.setattr(clocks, "time", SimpleNamespace(perf_counter=lambda: now.at))
    clock = Clock(0.0, 51.0, end=9.0)
    assert clock.report_at() == pytest.approx(57.0)  # a third of the end is the report's
    assert clock.to_explain(99.0) == pytest.approx(0.08 * 51)
    now.at = 55.0
    assert clock.to_explain(99.0) == pytest.approx(2 / 1.6)
    now.at = 58.0
    assert clock.to_explain(99.0) == 0.0
    usual = Clock(0.0, 51.0, set_by_user=False, end=9.0)  # nobody set it
    assert usual.report_at() is None and usual.to_explain(2.0) == 2.0


def test_more_rows_and_columns_keep_more_time_for_the_end():
    assert seconds_to_finish(60, 1_000_000, 20, 1.0) > seconds_to_finish(60, 1_000, 20, 1.0) + 1
    assert seconds_to_finish(60, 60, 3_000, 1.0) > seconds_to_finish(60, 60, 30, 1.0)
    assert seconds_to_finish(20, 1_000_000, 3_000, 5.0) == pytest.approx(8.0)  # never more than two fifths


@pytest.mark.parametrize("ended", [range(5), range(1, 5), range(1)])
def test_a_first_fit_that_the_clock_ended_is_made_again(machine, monkeypatch, ended):
    """A busy machine: a fit is at its end before who asked for it looks at the clock."""
    from novum.study.comparison import workers
    from novum.study.comparison.fits import failed

    sent = workers.streamed

    def late(rows, tasks, crew, clock, cluster):
        asked = {(task.model, task.fold): task for task in tasks}
        for outcome in sent(rows, tasks, crew, clock, cluster):
            task = asked[outcome.model, outcome.fold]
            is_late = outcome.model == 1 and outcome.fold in ended
            yield failed(task, "a fit takes longer than 3 s", late=True) if is_late else outcome

    monkeypatch.setattr(workers, "streamed", late)
    settings = {"tune": False, "folds": 5, "repeats": 1, "n_jobs": 1, "ensemble": False, "time_limit": 20.0}
    result = Study(table(400), "y", models=["GaussianNB"], **settings).run()
    assert result.kept.name == "GaussianNB" and len(result.scores.folds) >= 2
    assert not any("takes longer" in note for note in result.scores.notes)
