"""How often a call changes files on its way to the kernel and back: python tools/walk.py [name ...]

A switch is a call of a Python function that lies in another file of novum than the one called before it (what Python itself
calls: functions, generators that go on, comprehensions). Each walk runs once before it is counted, so that imports and caches
are not part of it; calls in other threads than the first are not seen.
"""

import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import novum

SOURCE = f"{Path(novum.__file__).parent}/"  # not any folder of that name: a clone is called so too


def least_squares() -> Callable[[], Any]:
    from novum.linear_model import LinearRegression

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1000, 5)), rng.normal(size=1000)
    return lambda: LinearRegression().fit(X, y)


def kmeans_of_files() -> Callable[[], Any]:
    from novum.cluster import KMeans

    path = Path(tempfile.mkdtemp()) / "rows.npy"
    np.save(path, np.random.default_rng(0).normal(size=(20_000, 5)))
    return lambda: KMeans(4, random_state=0, max_iter=10, tol=0).fit(novum.scan(path))


def forest_on_dask() -> Callable[[], Any]:
    import dask
    import dask.array as da

    from novum.ensemble import RandomForestClassifier

    dask.config.set(scheduler="synchronous")
    rng = np.random.default_rng(0)
    X = da.from_array(rng.normal(size=(2000, 5)), chunks=(500, 5))
    y = da.from_array(rng.integers(0, 2, 2000), chunks=500)
    return lambda: RandomForestClassifier(3, random_state=0, max_depth=4).fit(X, y)


def network_query() -> Callable[[], Any]:
    from novum.datasets import load_fuel_gauge

    car = load_fuel_gauge()
    return lambda: car.query("fuel", evidence={"gauge": "empty"})


def hidden_markov_model() -> Callable[[], Any]:
    from novum.sequence import GaussianHMM

    X = np.random.default_rng(0).normal(size=(200, 4))

    def fit() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # five passes are not enough
            return GaussianHMM(2, random_state=0, max_iter=5, n_init=1).fit(X)

    return fit


def gaussian_process() -> Callable[[], Any]:
    from novum.gaussian_process import GaussianProcessRegressor

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 4)), rng.normal(size=200)

    def fit() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # noise alone: a hyper-parameter ends at its bound
            return GaussianProcessRegressor().fit(X, y)

    return fit


def study() -> Callable[[], Any]:
    from sklearn.datasets import load_iris

    from novum.study import Study

    iris = load_iris(as_frame=True).frame
    return lambda: Study(iris, "target", models=["GaussianNB", "LDA"], folds=5, repeats=1, n_jobs=1).run()


WALKS = {
    "LinearRegression.fit": least_squares,
    "KMeans.fit(scan)": kmeans_of_files,
    "RandomForestClassifier.fit(dask)": forest_on_dask,
    "BayesianNetwork.query": network_query,
    "GaussianHMM.fit": hidden_markov_model,
    "GaussianProcessRegressor.fit": gaussian_process,
    "Study.run": study,
}


def visits(action: Callable[[], Any]) -> list[str]:
    """Return the files of novum that the calls of an action go through, one entry per change of file."""
    action()
    files: list[str] = []

    def watch(frame: FrameType, event: str, _: Any) -> None:
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(SOURCE) and (not files or files[-1] != name):
            files.append(name)

    sys.setprofile(watch)
    try:
        action()
    finally:
        sys.setprofile(None)
    return [name.removeprefix(SOURCE) for name in files]


if __name__ == "__main__":
    for name in sys.argv[1:] or WALKS:
        path = visits(WALKS[name]())
        print(f"{name}: {len(path) - 1} switches\n  " + "\n  ".join(dict.fromkeys(path)))
