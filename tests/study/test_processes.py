"""Fits in other processes: one that dies or takes too long loses only itself."""

import os
import signal
import time

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from studytables import mixed

from novum.exceptions import DataError
from novum.study import Study
from novum.study.comparison import compare
from novum.study.comparison.clock import Clock, TimeIsUp, seconds_to_finish, usual_seconds, within
from novum.study.comparison.workers import is_known

QUICK = {"folds": 3, "repeats": 1, "tune": False, "ensemble": False}


class Odd(ClassifierMixin, BaseEstimator):
    """A model that ends its process, waits for ever, or says the first class."""

    def __init__(self, how="fine"):
        self.how = how

    def fit(self, X, y):
        if self.how == "exit":
            os._exit(3)
        if self.how == "kill":  # as a system does that is out of memory
            os.kill(os.getpid(), signal.SIGKILL)
        if self.how == "wait":
            time.sleep(60)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])

    def predict_proba(self, X):
        return np.tile(np.eye(len(self.classes_))[0], (len(X), 1))


def shop():
    return mixed().drop(columns="spent")


@pytest.mark.parametrize("how", ["exit", pytest.param("kill", marks=pytest.mark.slow)])
def test_a_process_that_dies_or_waits_for_ever_loses_only_its_model(how, monkeypatch):
    monkeypatch.setattr(compare, "seconds_of_a_fit", lambda clock, folds, processes: 2.0)
    models = {"dies": Odd(how), "waits": Odd("wait"), "fine": Odd()}
    result = Study(shop(), "bought", n_jobs=1, models=models, **QUICK).run()
    assert result.complete and {leader.name for leader in result.leaders} == {"baseline (most frequent)", "fine"}
    lost = {note.split(" is left out: ")[0]: note for note in result.scores.notes}
    assert "its process ended" in lost["dies"] and "a fit takes longer than" in lost["waits"]
    assert result.scores.fits == result.scores.planned == 12 and not result.scores.stopped


def test_models_of_others_are_not_fitted_in_this_process():
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    assert is_known(make_pipeline(StandardScaler(), LogisticRegression())) and is_known(None)
    assert not is_known(Odd()) and not is_known(make_pipeline(StandardScaler(), Odd()))


def test_within_ends_a_block_and_leaves_the_timers_of_others():
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        start = time.perf_counter()
        with pytest.raises(TimeIsUp), within(0.1):
            time.sleep(5)
        assert time.perf_counter() - start < 2
        with within(5.0):
            pass
        time.sleep(0.6)
        assert rung == [1]
        with pytest.raises(DataError), within(None):
            raise DataError("its own")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_the_usual_time_grows_with_the_table():
    assert usual_seconds(100, 5) == usual_seconds(10_000, 30) == 100
    assert 400 < usual_seconds(1_000_000, 20) < 500 and usual_seconds(10**9, 1000) == 3600
    assert seconds_to_finish(300, 500, 10, 1.0) == 30 and seconds_to_finish(20, 500, 3_000, 5.0) == 8
    assert seconds_to_finish(20, 500, 10, 1.0) == pytest.approx(2.0, abs=0.01)
    clock = Clock(time.perf_counter(), 50.0, set_by_user=False)
    assert not clock.set_by_user and not clock.over and Clock(0.0, 1.0).over


def test_the_last_fits_get_the_rows_that_there_is_time_for():
    from novum.study.comparison.compare import Scores
    from novum.study.comparison.fits import Fold
    from novum.study.final import affordable, share_of_rows
    from novum.study.result import StudyResult

    folds = [Fold(0, np.arange(1_000), np.arange(1_000, 1_500))]
    fast, slow = (type("Row", (), {"position": c, "simplicity": 1})() for c in (0, 1))
    scores = Scores(
        [], np.zeros((2, 1)), np.array([1.0, 30.0]), np.zeros(2), np.array([1.0, 10.0]), folds, 1, 1, 1, 1, [], ""
    )
    assert affordable([slow, fast], scores, None) == [slow, fast] == affordable([slow, fast], scores, 50.0)
    assert affordable([slow, fast], scores, 20.0) == [fast] == affordable([slow, fast], scores, 0.1)
    assert share_of_rows(scores, 0, 100_000, None) == 1 == share_of_rows(scores, 0, 1_800, 0.1)
    assert share_of_rows(scores, 0, 100_000, 25.0) == pytest.approx(0.1)  # 2.5 seconds for every thousand rows
    assert share_of_rows(scores, 0, 100_000, 0.1) == pytest.approx(0.01)  # never fewer than in the folds
    result = StudyResult.__new__(StudyResult)
    result.n_train, result.n_held, result.refitted, result.share = 750, 250, True, 1.0
    result.of_folds = False
    assert result.saved_from() == "fitted again on all 1,000 rows"
    result.share = 0.5
    assert result.saved_from() == "fitted again on 500 of the 1,000 rows"
    result.refitted = False
    assert result.saved_from() == "fitted on 375 of the 750 rows to learn from, without time for another"
