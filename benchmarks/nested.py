"""Searches that run in processes or threads over learners that use threads themselves, against scikit-learn in the same search.

The number of threads at work must not be the product of both: `python -m benchmarks.nested` shows, for every way to search, its
time, the most threads that ran at once (sampled, in this process and its workers) and the processors there are.
"""

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier as SklearnBoosting
from sklearn.linear_model import LogisticRegression as SklearnLogistic
from sklearn.model_selection import GridSearchCV

from benchmarks.harness import Case
from novum.ensemble import HistGradientBoostingClassifier
from novum.linear_model import LogisticRegression

COLUMNS, JOBS = 20, 2
STRENGTHS = [0.01, 0.1, 1.0, 10.0]
SAMPLE = 0.002  # seconds between two looks at the threads


def make(n):
    return make_classification(n, COLUMNS, n_informative=10, random_state=0)


def search(model, grid, n_jobs, backend):
    def run(data):
        with joblib.parallel_config(backend=backend):
            return GridSearchCV(model, grid, cv=3, n_jobs=n_jobs).fit(*data)

    return run


def contestants(backend):
    grid = {"C": STRENGTHS}
    return {
        "novum": search(LogisticRegression(), grid, JOBS, backend),
        "scikit-learn": search(SklearnLogistic(), grid, JOBS, backend),
    }


def boosting(backend):
    grid = {"max_leaf_nodes": [7, 31]}
    return {
        "novum": search(HistGradientBoostingClassifier(max_iter=20), grid, JOBS, backend),
        "scikit-learn": search(SklearnBoosting(max_iter=20), grid, JOBS, backend),
    }


def best(model, data):
    return round(float(model.best_score_), 4)


CASES = [
    Case(f"search of {name}, 2 jobs by {backend}", make, made(backend), best, rows)
    for name, made, rows in (
        ("12 logistic regressions", contestants, (20_000, 80_000)),
        ("6 boostings", boosting, (20_000,)),
    )
    for backend in ("loky", "threading")
]


def running_threads() -> int:
    """Return how many threads of this process and its children run or wait for a processor (Linux)."""
    own, count = os.getpid(), 0
    parents = {own}
    for process in sorted((p for p in Path("/proc").iterdir() if p.name.isdigit()), key=lambda p: int(p.name)):
        try:
            stat = (process / "stat").read_text().rpartition(")")[2].split()
            if int(process.name) != own and int(stat[1]) not in parents:
                continue
            parents.add(int(process.name))
            for task in (process / "task").iterdir():
                count += (task / "stat").read_text().rpartition(")")[2].split()[0] == "R"
        except (OSError, IndexError):
            continue  # it has ended
    return count


def at_once(work: Callable[[], Any]) -> tuple[float, list[int]]:
    """Return the seconds of the work, and how many threads ran at each look, the one that looks left out."""
    seen: list[int] = []
    done = threading.Event()

    def look() -> None:
        while not done.wait(SAMPLE):
            seen.append(max(0, running_threads() - 1))

    watcher = threading.Thread(target=look)
    watcher.start()
    start = time.perf_counter()
    try:
        work()
    finally:
        taken = time.perf_counter() - start
        done.set()
        watcher.join()
    return taken, sorted(seen) or [0]


def main() -> None:
    processors = len(os.sched_getaffinity(0))
    data = make(80_000)
    for name, model, grid in (
        ("logistic regression", LogisticRegression(), {"C": STRENGTHS}),
        ("boosting", HistGradientBoostingClassifier(max_iter=20), {"max_leaf_nodes": [7, 31]}),
    ):
        for n_jobs, backend in ((1, "loky"), (JOBS, "loky"), (JOBS, "threading")):
            run = search(model, grid, n_jobs, backend)
            run(data)
            taken, seen = at_once(lambda: run(data))  # noqa: B023
            print(
                f"{name:20s} n_jobs={n_jobs} {backend:10s} {taken:6.2f} s   threads at once: median {seen[len(seen) // 2]},"
                f" 95 % of looks at most {seen[int(0.95 * (len(seen) - 1))]}, processors {processors}",
                flush=True,
            )


if __name__ == "__main__":
    main()
