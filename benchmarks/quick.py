"""A gate against lost speed: python -m benchmarks.quick [--store] [--only=TEXT], five minutes.

Every case runs beside a yardstick in the same process, in turns: scikit-learn's estimator on the same data, or, for what it does
not have, a fixed piece of NumPy. Compared is the ratio of the shortest times, which a busy neighbour changes least, with the ratio
stored for this machine in `quick.json`. A case that lost more than LOSS is measured again, twice at most, before it counts as lost.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import machine, repetitions, seconds
from benchmarks.small_tables import CASES as SMALL_CASES

STORED = Path(__file__).parent / "quick.json"
LOSS = 0.15
BUDGET = 4.0  # seconds a case
AGAIN = 2
PAUSE = 0.005

SMALL = (
    *(
        "small: LinearRegression, diabetes",
        "small: Ridge, diabetes",
        "small: Lasso, diabetes",
        "small: BayesianRidge, diabetes",
    ),
    *("small: LogisticRegression, iris", "small: LinearDiscriminantAnalysis, iris", "small: GaussianNB, breast cancer"),
    *("small: SVC, breast cancer", "small: KNeighborsClassifier, iris", "small: DecisionTreeClassifier, breast cancer"),
    *("small: RandomForestClassifier, iris", "small: PCA, iris", "small: KMeans, iris", "small: GaussianMixture, iris"),
    *("small: PoissonRegressor, diabetes", "small: SGDClassifier, breast cancer", "small: MLPClassifier, iris"),
    *(
        "small: GaussianProcessRegressor, diabetes",
        "small: DBSCAN, iris",
        "small: HistGradientBoostingRegressor, diabetes",
    ),
)


def table(n: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return rows, and a linear target with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    return X, X @ rng.normal(size=d) + rng.normal(size=n)


def blobs(n: int, d: int, k: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    return 4 * rng.normal(size=(k, d))[rng.integers(0, k, n)] + rng.normal(size=(n, d))


def yardstick(_: Any = None) -> float:
    """A fixed piece of work of some ten milliseconds: products, a sort and exponentials."""
    rng = np.random.default_rng(0)
    A = rng.normal(size=(200, 200))
    for _ in range(10):
        A = A @ A / 200
    return float(np.exp(-np.sort(rng.random(100_000))).sum() + A[0, 0])


def pair(family: str, name: str, **options: Any) -> dict[str, Callable[[Any], Any]]:
    """Return a fit by our class and by scikit-learn's of the same name."""
    from importlib import import_module

    def fit(library: str) -> Callable[[Any], Any]:
        cls = getattr(import_module(f"{library}.{family}"), name)
        return lambda data: cls(**options).fit(*data)

    return {"ours": fit("novum"), "yardstick": fit("sklearn")}


def alone(function: Callable[[Any], Any]) -> dict[str, Callable[[Any], Any]]:
    """Return a function of ours beside the fixed piece of work."""
    return {"ours": function, "yardstick": yardstick}


def hidden_markov_fit(X: np.ndarray) -> Any:
    from novum.sequence import GaussianHMM

    return GaussianHMM(4, n_init=1, max_iter=5, tol=0.0, random_state=0).fit(X)


def kalman_smooth(X: np.ndarray) -> Any:
    from novum.sequence import LinearDynamicalSystem

    return LinearDynamicalSystem(2, max_iter=3, tol=0.0).fit(X)


def network_queries(_: Any) -> Any:
    from novum.datasets import load_fuel_gauge

    network = load_fuel_gauge()
    return [network.query("fuel", evidence={"gauge": "empty"}) for _ in range(20)]


def planning(_: Any) -> Any:
    from novum.reinforcement import room_4x3, value_iteration

    return value_iteration(room_4x3(discount=0.9))


def import_of_a_family(_: Any) -> Any:
    import subprocess

    return subprocess.run([sys.executable, "-c", "from novum.linear_model import Ridge"], check=True)


def import_of_the_peer(_: Any) -> Any:
    import subprocess

    return subprocess.run([sys.executable, "-c", "from sklearn.linear_model import Ridge"], check=True)


def search(library: str) -> Callable[[Any], Any]:
    from importlib import import_module

    from sklearn.model_selection import GridSearchCV

    Ridge = import_module(f"{library}.linear_model").Ridge
    return lambda data: GridSearchCV(Ridge(), {"alpha": [0.01, 0.1, 1, 10, 100]}, cv=10).fit(*data)


def all_cases() -> dict[str, tuple[Callable[[], Any], dict[str, Callable[[Any], Any]]]]:
    """Return all cases: how to make the data, and who runs on them."""
    rows, labels = table(20_000, 30), (np.arange(20_000) % 4, blobs(20_000, 12, 4))
    classes = (labels[1], labels[0])
    binary = (rows[0], (rows[1] > np.median(rows[1])).astype(int))
    counts = (rows[0] / 10, np.random.default_rng(2).poisson(2.0, 20_000))
    part = (binary[0][:3000], binary[1][:3000])
    cases: dict[str, Any] = {
        case.name: (
            lambda case=case: case.make(case.rows[0]),
            dict(zip(("ours", "yardstick"), case.contestants.values())),
        )
        for case in SMALL_CASES
        if case.name in SMALL
    }
    medium = {
        "least squares 20,000 x 30": (rows, pair("linear_model", "LinearRegression")),
        "ridge 20,000 x 30": (rows, pair("linear_model", "Ridge")),
        "lasso 20,000 x 30": (rows, pair("linear_model", "Lasso", alpha=0.1)),
        "logistic 20,000 x 30": (binary, pair("linear_model", "LogisticRegression")),
        "Huber 20,000 x 30": (rows, pair("linear_model", "HuberRegressor", max_iter=200)),
        "Poisson 20,000 x 30": (counts, pair("linear_model", "PoissonRegressor", solver="newton-cholesky")),
        "PCA 20,000 x 30": ((rows[0],), pair("decomposition", "PCA", n_components=5, svd_solver="covariance_eigh")),
        "FastICA 20,000 x 12": (
            classes[:1],
            pair("decomposition", "FastICA", random_state=0, whiten="unit-variance", max_iter=20),
        ),
        "k-means 20,000 x 12": (
            classes[:1],
            pair("cluster", "KMeans", n_clusters=24, n_init=1, max_iter=20, random_state=0),
        ),
        "mixture 20,000 x 12": (
            classes[:1],
            pair("mixture", "GaussianMixture", n_components=4, max_iter=5, tol=0.0, random_state=0),
        ),
        "Gaussian naive Bayes 20,000 x 12": (classes, pair("naive_bayes", "GaussianNB")),
        "tree 20,000 x 30": (binary, pair("tree", "DecisionTreeClassifier", random_state=0)),
        "forest 20,000 x 30": (
            binary,
            pair("ensemble", "RandomForestClassifier", n_estimators=10, random_state=0, n_jobs=2),
        ),
        "boosting 20,000 x 30": (
            binary,
            pair("ensemble", "HistGradientBoostingClassifier", max_iter=20, random_state=0),
        ),
        "SVC 3,000 x 30": (part, pair("svm", "SVC")),
        "hidden Markov model 5,000 x 3": (blobs(5000, 3, 4), alone(hidden_markov_fit)),
        "linear dynamical system 1,000 x 2": (table(1000, 2)[0], alone(kalman_smooth)),
        "network queries": (None, alone(network_queries)),
        "value iteration": (None, alone(planning)),
        "grid of ridge fits": (table(400, 10), {"ours": search("novum"), "yardstick": search("sklearn")}),
        "import of a family": (None, {"ours": import_of_a_family, "yardstick": import_of_the_peer}),
    }
    return cases | {name: ((lambda data=data: data), runs) for name, (data, runs) in medium.items()}


def ratio_of(data: Any, runs: dict[str, Callable[[Any], Any]], budget: float) -> float:
    """Return the shortest time of the yardstick over our own."""
    for run in runs.values():
        run(data)
    calls = {name: repetitions(run, data) for name, run in runs.items()}
    best, end = dict.fromkeys(runs, np.inf), time.perf_counter() + budget
    while time.perf_counter() < end:
        for name, run in runs.items():
            time.sleep(PAUSE)
            best[name] = min(best[name], seconds(run, data, calls[name]))
    return best["yardstick"] / best["ours"]


def main(store: bool, text: str) -> int:
    """Measure all cases; return how many lost more than LOSS against what is stored for this machine."""
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    here, known = machine(), stored.get(machine(), {})
    print(f"{here}: {'compared with the stored ratios' if known and not store else 'nothing to compare with'}")
    measured, lost = {}, []
    for name, (make, runs) in all_cases().items():
        if text not in name:
            continue
        data, ratio = make(), 0.0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for attempt in range(1 + AGAIN):
                ratio = max(ratio, ratio_of(data, runs, BUDGET * (1 + attempt)))
                if store or name not in known or ratio >= (1 - LOSS) * known[name]:
                    break
        measured[name] = round(ratio, 3)
        before = known.get(name)
        verdict = "" if before is None or store else f"  before {before:.2f}, now {ratio / before:.2f} of it"
        if before is not None and not store and ratio < (1 - LOSS) * before:
            lost.append(name)
            verdict += "  LOST"
        print(f"{name:48s} {ratio:8.2f}{verdict}", flush=True)
    if store:
        stored[here] = known | measured
        STORED.write_text(json.dumps(stored, indent=1) + "\n")
    if lost:
        print(f"{len(lost)} of {len(measured)} cases lost more than {LOSS:.0%}: {', '.join(lost)}")
    return len(lost)


if __name__ == "__main__":
    only = next((a.removeprefix("--only=") for a in sys.argv[1:] if a.startswith("--only=")), "")
    sys.exit(1 if main("--store" in sys.argv, only) else 0)
