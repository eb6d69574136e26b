"""Two workers of one thread each against one, on one machine: what the cluster costs where the network costs nothing.

    python -m benchmarks.worker_speedup [rows]

Every worker has a core of its own; scheduler and client have others, so at least four are wanted. A pass is a difference:
a fit of many passes less one of few, divided by the passes between; the learner of one pass is timed whole, on a collection that
lies on the workers in order. All are the shortest of several runs. The bar is 1.7.

What is called a core may be half of one, and cores share their memory: so beside every ratio stands how much faster two workers are
that know nothing of each other, each at a fit of its own of rows in memory. No cluster can be faster than that.
"""

import os
import sys
import time
import warnings
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from novum.cluster import KMeans
from novum.ensemble import HistGradientBoostingClassifier
from novum.linear_model import LinearRegression, LogisticRegression
from novum.mixture import GaussianMixture

COLUMNS, PARTITIONS, RUNS = 20, 16, 2
LEAST = 1.7
LEARNERS = {  # what is fitted with so many passes, its target, and few and many passes; (0, 1): a whole fit
    "KMeans": (lambda n: KMeans(32, n_init=1, max_iter=n, tol=0, random_state=0), None, 3, 13),
    "GaussianMixture": (
        lambda n: GaussianMixture(8, max_iter=n, tol=0, init_params="random_from_data", random_state=0),
        None,
        1,
        4,
    ),
    "LogisticRegression": (lambda n: LogisticRegression(C=1e9, max_iter=n, tol=1e-300), "label", 2, 6),
    "HistGradientBoosting": (
        lambda n: HistGradientBoostingClassifier(max_iter=n, early_stopping=False, random_state=0),
        "label",
        1,
        3,
    ),
    "LinearRegression": (lambda n: LinearRegression(), "y", 0, 1),
}


def separate_cores():
    """Return the processors of this process, one list for each physical core: two on one core share its units."""
    cores = {}
    for number in sorted(os.sched_getaffinity(0)):
        path = Path(f"/sys/devices/system/cpu/cpu{number}/topology/thread_siblings_list")
        cores.setdefault(path.read_text() if path.exists() else number, []).append(number)
    return [*cores.values()]


def pin(process, processors):
    """Keep all threads of a process on some processors."""
    for thread in os.listdir(f"/proc/{process}/task"):
        with suppress(ProcessLookupError):  # it has ended since
            os.sched_setaffinity(int(thread), processors)


@contextmanager
def workers(number):
    """Give a client of so many workers of one thread, each on a processor of its own."""
    from distributed import Client, LocalCluster

    whole, cores = os.sched_getaffinity(0), separate_cores()
    with (
        LocalCluster(n_workers=number, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        if len(cores) >= number + 2:
            pin(os.getpid(), {processor for core in cores[number:] for processor in core})
            for core, process in zip(cores, client.run(os.getpid).values()):
                pin(process, {core[0]})
        yield client
    pin(os.getpid(), whole)


def seconds(make, passes, X, y):
    """Return how long a fit of so many passes takes."""
    given = (X,) if y is None else (X, y)
    begin = time.perf_counter()
    make(passes).fit(*given)
    return time.perf_counter() - begin


def alone(n, name):
    """Return the seconds of a fit of many passes over rows that a worker makes itself."""
    make, target, _, many = LEARNERS[name]
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, COLUMNS))
    X[:, 0] += 3 * rng.integers(0, 8, n)
    y = X @ np.linspace(-1, 1, COLUMNS) + rng.normal(size=n)
    given = {None: (X,), "y": (X, y), "label": (X, (y > 0).astype(np.int64))}[target]
    make(many).fit(*(part[: n // 20] for part in given))
    begin = time.perf_counter()
    make(many).fit(*given)
    return time.perf_counter() - begin


def ceilings(n):
    """Return for every learner how much faster two workers are than one whose work needs no other."""
    found = {}
    with workers(2) as client:
        addresses = [*client.scheduler_info()["workers"]]
        for name in LEARNERS:

            def seconds_of(chosen, name=name):
                return max(client.gather([client.submit(alone, n, name, workers=[one], pure=False) for one in chosen]))

            by_one, both = (min(seconds_of(chosen) for _ in range(RUNS)) for chosen in (addresses[:1], addresses))
            found[name] = 2 * by_one / both
    return found


def times(number, n):
    """Return seconds of a pass, or of a whole fit, of every learner on so many workers."""
    import dask.array as da
    from distributed import wait

    step, axis = n // PARTITIONS, np.eye(COLUMNS)[0]
    found = {}
    with workers(number) as client:
        pieces = []
        for worker in client.scheduler_info()["workers"]:  # rows lie in order, as a reader on this cluster leaves them
            m, rng = n // number, da.random.default_rng(len(pieces))
            X = rng.normal(size=(m, COLUMNS), chunks=(step, COLUMNS))
            X = X + 3 * rng.integers(0, 8, (m, 1), chunks=(step, 1)) * axis
            y = X @ np.linspace(-1, 1, COLUMNS) + rng.normal(size=m, chunks=step)
            label = (y + rng.normal(size=m, chunks=step) > 0).astype(np.int64)
            pieces.append(client.persist([X, y, label], workers=[worker]))
        rows, *kept = client.persist([da.concatenate(parts) for parts in zip(*pieces)])
        wait([rows, *kept])
        target_of = dict(zip(("y", "label"), kept))
        for name, (make, target, few, many) in LEARNERS.items():
            given = rows, target_of.get(target)
            seconds(make, many, *given)
            long = min(seconds(make, many, *given) for _ in range(RUNS))
            short = min(seconds(make, few, *given) for _ in range(RUNS)) if few else 0.0
            found[name] = (long - short) / (many - few)
            print(f"{name:24s} {number} of them {found[name]:8.4f}", flush=True)
    return found


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 4_800_000
    warnings.simplefilter("ignore")
    cores = len(separate_cores())
    if cores < 4:
        print(f"{cores} cores: client, scheduler and workers share them, and no figure counts.")
    print(f"{n:,} rows of {COLUMNS} columns in {PARTITIONS} partitions; seconds of a pass (LinearRegression: of a fit)")
    most, one, two = ceilings(n // 4), times(1, n), times(2, n)
    print(f"{'':24s} two of one  two that know nothing of each other")
    for name, whole in one.items():
        ratio = whole / two[name]
        print(f"{name:24s} {ratio:9.2f}x {most[name]:9.2f}x{'' if ratio >= LEAST else '   below the bar'}")


if __name__ == "__main__":
    main()
