"""Ctrl-C in the middle of long native calls: the interpreter hears it within a second, and the pool is usable afterwards."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from novum import _core
from novum.cluster import KMeans
from novum.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from novum.feature_extraction.text import CountVectorizer
from novum.linear_model import Lasso, SGDRegressor
from novum.neighbors import KernelDensity, NearestNeighbors
from novum.neural_network import MLPRegressor
from novum.runtime.pool import map_ordered
from novum.sequence import CategoricalHMM, kalman_smoother
from novum.svm import LinearSVC, NuSVR
from novum.tree import DecisionTreeRegressor

SOON = 2.0  # seconds: one is what is promised, another for a machine that does something else as well
AGAIN = 5.0  # seconds until the second interrupt


def _table(n, d):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + rng.normal(size=n)


def _density():
    X, _ = _table(120_000, 8)
    return lambda: KernelDensity().fit(X).score_samples(X)


def _words():
    rng = np.random.default_rng(0)
    pool = [f"w{i}" for i in range(5000)]
    texts = [" ".join(rng.choice(pool, 2000)) for _ in range(100)] * 30
    return lambda: CountVectorizer(ngram_range=(1, 4)).fit_transform(texts)


def _lasso():
    X, y = _table(400, 1500)
    X = X + 10 * X[:, :1]
    return lambda: Lasso(1e-7, tol=1e-18, max_iter=10**9).fit(X, y)


def _tree():
    X, y = _table(200_000, 60)
    return lambda: DecisionTreeRegressor().fit(X, y)


def _forest():
    X, y = _table(60_000, 60)
    return lambda: RandomForestRegressor(200, n_jobs=2).fit(X, y)


def _boosting():
    X, y = _table(100_000, 60)
    return lambda: HistGradientBoostingRegressor(max_iter=10_000, max_leaf_nodes=255).fit(X, y)


def _neighbors():
    X, _ = _table(60_000, 60)
    return lambda: NearestNeighbors(n_neighbors=5, algorithm="brute", metric="manhattan").fit(X).kneighbors(X)


def _clusters():
    X, _ = _table(100_000, 60)
    return lambda: KMeans(2000, n_init=1, init="random", max_iter=1000, tol=0).fit(X)


def _steps():
    X, y = _table(200_000, 100)
    return lambda: SGDRegressor(max_iter=10_000, tol=None).fit(X, y)


def _kalman():
    X, _ = _table(100_000, 2)
    A, C = 0.9 * np.eye(10), np.ones((2, 10))
    return lambda: kalman_smoother(X, A, C, 1.0, 1.0, initial_covariance=np.eye(10), form="square_root")


def _states():
    rng = np.random.default_rng(0)
    model = CategoricalHMM(250)
    model.startprob_, model.transmat_ = rng.dirichlet(np.ones(250)), rng.dirichlet(np.ones(250), 250)
    model.emissionprob_ = rng.dirichlet(np.ones(4), 250)
    symbols = rng.integers(0, 4, (2_000_000, 1))
    return lambda: model.score(symbols)


def _machine():
    X, y = _table(40_000, 30)
    return lambda: NuSVR(nu=0.5).fit(X, y)  # begins with a pass over all pairs


def _linear_machine():
    X, y = _table(20_000, 200)
    return lambda: LinearSVC(loss="hinge", C=1e6, tol=1e-12, max_iter=10**9).fit(X, y > 0)


def _perceptron():
    X, y = _table(200_000, 100)
    return lambda: MLPRegressor(hidden_layer_sizes=(300, 300), batch_size=256, max_iter=1000).fit(X, y)


def _perceptron_at_once():
    X, y = _table(200_000, 100)
    return lambda: MLPRegressor(hidden_layer_sizes=(300, 300), solver="lbfgs", max_iter=1000).fit(X, y)


LONG = {
    "perceptron": _perceptron,
    "perceptron at once": _perceptron_at_once,
    "machine": _machine,
    "linear machine": _linear_machine,
    "states": _states,
    "density": _density,
    "words": _words,
    "lasso": _lasso,
    "tree": _tree,
    "forest": _forest,
    "boosting": _boosting,
    "neighbors": _neighbors,
    "clusters": _clusters,
    "steps": _steps,
    "kalman": _kalman,
}


def interrupted(name: str) -> float:
    """Return the seconds from an interrupt, 0.4 s into the work, to its end; another follows if Python dropped the first."""
    work, sent, done = LONG[name](), [], threading.Event()

    def send():
        for pause in (0.4, AGAIN):  # Python drops an interrupt that falls into a finalizer
            if done.wait(pause):
                return
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        work()
    except KeyboardInterrupt:
        ended = time.monotonic()
        done.set()
        sender.join()
        assert list(map_ordered(abs, [-1, -2, -3], 2)) == [1, 2, 3]
        return ended - sent[-1]
    raise AssertionError(f"{name}: done before it was interrupted; make it longer")


@pytest.mark.parametrize("name", LONG)
def test_kernels_hear_an_interrupt(name):
    """In a process of its own, whose signals no other test has touched."""
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
    code += f"import test_interrupts; print(test_interrupts.interrupted({name!r}))"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < SOON


def test_a_flag_stops_the_kernels_of_those_who_follow_it():
    flag, heard = _core.runtime.threads.Flag(), []

    def poll():
        _core.runtime.threads.follow(flag)
        _core.runtime.threads.poll()
        flag.lift()
        try:
            _core.runtime.threads.poll()
        except RuntimeError as error:
            heard.append(str(error))
        _core.runtime.threads.follow(None)
        _core.runtime.threads.poll()
        heard.append("free")

    thread = threading.Thread(target=poll)
    thread.start()
    thread.join()
    assert len(heard) == 2 and "stopped" in heard[0]
    _core.runtime.threads.poll()
