"""A study that is killed fifty times, whenever it pleases somebody, loses nothing but the fit that it was at."""

import os
import signal
import time
import warnings

import numpy as np
from studytables import mixed

import novum.study.comparison.workers as workers
from novum.study import Study

KILLS = 50
OPTIONS = {
    "models": ["GradientBoosting", "LogisticRegression", "DecisionTree"],
    "folds": 3,
    "repeats": 2,
    "n_jobs": 1,
}


def study():
    return Study(mixed(90).drop(columns="spent"), "bought", **OPTIONS)


def kill_one(folder, after):
    """Run the study in a child process and kill it after some seconds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads, from Python 3.12 on
        child = os.fork()
    if child == 0:
        try:
            study().run(resume=folder)
        finally:
            os._exit(0)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def kept(folder):
    return {path.name: path.read_bytes() for path in folder.glob("[!.]*.npz")}


def test_fifty_kills_lose_nothing_but_the_fit_in_flight(tmp_path, monkeypatch):
    fresh = study().run()
    folder, rng, before = tmp_path / "fits", np.random.default_rng(0), {}
    folder.mkdir()
    for _ in range(KILLS):
        kill_one(folder, rng.uniform(0.02, 0.25))
        after = kept(folder)
        assert all(after[name] == content for name, content in before.items())  # what was there stays as it was
        before = after
    made = []
    plain = workers.fit_task
    monkeypatch.setattr(workers, "fit_task", lambda rows, task: made.append(task) or plain(rows, task))
    resumed = study().run(resume=folder)
    assert before and len(made) < fresh.scores.fits  # not all again
    assert resumed.complete and resumed.scores.fits == fresh.scores.fits
    np.testing.assert_array_equal(resumed.scores.values, fresh.scores.values)
    assert resumed.kept.name == fresh.kept.name and resumed.settings() == fresh.settings()
    made.clear()
    again = study().run(resume=folder)
    assert not made and again.complete  # every file that is there is whole
