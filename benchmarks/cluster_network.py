"""Passes over a Dask cluster on slow links, measured and compared with the model of cluster_model.py.

`python -m benchmarks.cluster_network [--workers 8 16] [--megabits 20]` (root: network_namespaces.py) starts a scheduler and a
client in one namespace and each worker, a process of one thread, in one of its own. Links are slow, so that they decide and
not the processors that all workers share here. Synthetic statistics and parameters of given sizes, then k-means and a mixture.
"""

import argparse
import pickle
import statistics
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.cluster_model import Cluster, forecast
from benchmarks.network_namespaces import Counted, counted, machines

__all__: list[str] = []

PORT, START_WAIT = 8786, 240.0  # seconds for all workers to come
REPEATS = 3
SIZES = [(1e6, 3e4), (3e4, 1e6), (2e5, 2e5), (1e6, 1e6)]  # S, P
ROWS, COLUMNS = 24, 100  # of a partition
CENTERS, COMPONENTS = 1000, 10


class Sums(NamedTuple):
    values: np.ndarray


class Measured(NamedTuple):
    """One pass."""

    stage: str
    seconds: float
    S: int
    P: int
    before: dict[int, Counted]
    after: dict[int, Counted]

    def moved(self, machine: int) -> Counted:
        """Return what a machine has sent and received in the pass."""
        return Counted(*(b - a for a, b in zip(self.before[machine], self.after[machine])))


def sized_sums(numbers: int, params: np.ndarray, block: Any) -> Sums:
    """Return statistics of so many numbers."""
    return Sums(np.full(numbers, float(block.X[0, 0]) + params[0]))


def watch_passes(switch: str) -> list[Measured]:
    """Have every pass over a Dask source noted; return the list of them."""
    import cloudpickle

    from novum.fold.blocks import add
    from novum.fold.homes.dask import DaskSource
    from novum.fold.homes.dask.task_names import stage_name

    noted: list[Measured] = []
    plain = DaskSource.total

    def total(self: Any, statistics: Any, params: Any = None, merge: Any = add) -> Any:
        before, start = counted(switch), time.perf_counter()
        result = plain(self, statistics, params, merge)
        seconds = time.perf_counter() - start
        S, P = len(pickle.dumps(result, protocol=5)), len(cloudpickle.dumps((statistics, params, merge, self.changes)))
        noted.append(Measured(stage_name(statistics), seconds, S, P, before, counted(switch)))
        return result

    DaskSource.total = total  # type: ignore[method-assign]
    return noted


def report(name: str, cluster: Cluster, partitions: int, passes: list[Measured]) -> None:
    """Print predicted, measured and their ratio for the median of some passes."""
    S, P = passes[0].S, passes[0].P
    expected = forecast(cluster, partitions, P, S)
    busiest = range(1, cluster.workers + 1)

    def median(values: Any) -> float:
        return statistics.median(values)

    rows = {
        "seconds": (expected.seconds, median(one.seconds for one in passes)),
        "client sends, MB": (expected.client_out / 1e6, median(one.moved(0).sent for one in passes) / 1e6),
        "client receives, MB": (expected.client_in / 1e6, median(one.moved(0).received for one in passes) / 1e6),
        "busiest sends, MB": (
            expected.worker_out / 1e6,
            median(max(one.moved(i).sent for i in busiest) for one in passes) / 1e6,
        ),
        "busiest receives, MB": (
            expected.worker_in / 1e6,
            median(max(one.moved(i).received for i in busiest) for one in passes) / 1e6,
        ),
    }
    print(f"{name}: {cluster.workers} workers, {partitions} partitions, S {S / 1e6:.2f} MB, P {P / 1e6:.2f} MB")
    for what, (predicted, measured) in rows.items():
        print(f"    {what:22}{predicted:10.3f}{measured:10.3f}{measured / predicted:8.2f}", flush=True)


def synthetic(noted: list[Measured], cluster: Cluster, partitions: int) -> Cluster:
    """Measure passes of given sizes; return the cluster with its constant, which the first of them tells."""
    import dask.array as da

    from novum.fold.homes.dask import open_dask
    from novum.linear_model import LinearRegression

    rows = da.from_array(np.ones((ROWS * partitions, 2)), chunks=(ROWS, 2))
    source = open_dask(LinearRegression(), rows, None, None).prepare()

    def passes(S: float, P: float) -> list[Measured]:
        params, work = np.ones(int(P / 8)), partial(sized_sums, int(S / 8))
        source.total(work, params)
        noted.clear()
        for _ in range(REPEATS):
            source.total(work, params)
        return noted

    least = passes(80, 80)
    cluster = cluster._replace(constant=statistics.median(one.seconds for one in least))
    print(f"constant of {cluster.workers} workers, {partitions} partitions: {cluster.constant:.3f} s")
    for S, P in SIZES:
        report("synthetic", cluster, partitions, passes(S, P))
    return cluster


def learners(noted: list[Measured], cluster: Cluster) -> None:
    """Measure passes of k-means with many centers and of a mixture with full covariances."""
    import dask.array as da

    from novum.cluster import KMeans
    from novum.mixture import GaussianMixture

    partitions = max(4 * cluster.workers, CENTERS // ROWS + 1)
    X = np.random.default_rng(0).normal(size=(ROWS * partitions, COLUMNS))
    data = da.from_array(X, chunks=(ROWS, COLUMNS))
    models = {
        "guided-pass": KMeans(CENTERS, init=X[:CENTERS], n_init=1, max_iter=REPEATS, tol=0.0),
        "pass-of-block": GaussianMixture(
            COMPONENTS, init_params="random", max_iter=REPEATS, tol=0.0, reg_covar=1.0, random_state=0
        ),
    }
    for stage, model in models.items():
        noted.clear()
        model.fit(data)
        passes = [one for one in noted if one.stage == stage][:REPEATS]
        report(type(model).__name__, cluster, partitions, passes)


def measure(workers: int, megabits: float, scheduler: str, switch: str) -> None:
    """Measure all, as the client in its namespace."""
    import warnings

    from distributed import Client

    warnings.simplefilter("ignore")  # passes are cut short: none converges
    with Client(scheduler, timeout=START_WAIT) as client:
        client.wait_for_workers(workers, timeout=START_WAIT)
        noted = watch_passes(switch)
        cluster = Cluster(workers, 1, megabits * 1e6, 0.0, hops=1)
        for each in (4, 5):  # partitions of a worker: one node of the tree, and several
            found = synthetic(noted, cluster, each * workers)
        learners(noted, found)


def simulate(workers: int, megabits: float) -> int:
    """Start a cluster on slow links and measure there; return the exit status."""
    python, home = sys.executable, str(Path(__file__).parents[1])
    print(f"\n{workers} workers of one thread, links of {megabits:g} Mbit/s; predicted, measured, ratio", flush=True)
    with machines(workers + 1, megabits) as made:
        scheduler = f"tcp://{made.address(0)}:{PORT}"
        quiet = ("env", f"PYTHONPATH={home}", "OMP_NUM_THREADS=1", python, "-W", "ignore", "-m")
        serve = ("distributed.cli.dask_scheduler", "--host", made.address(0), "--port", str(PORT), "--no-dashboard")
        made.start(0, *quiet, *serve)
        for number in range(1, workers + 1):
            place = ("--host", made.address(number), "--nthreads", "1", "--no-nanny", "--no-dashboard")
            made.start(number, *quiet, "distributed.cli.dask_worker", scheduler, *place, "--memory-limit", "0")
        here = ("--measure", scheduler, "--switch", made.switch, "--workers", str(workers), "--megabits", str(megabits))
        return made.start(0, *quiet, "benchmarks.cluster_network", *here, heard=True).wait()


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--workers", type=int, nargs="+", default=[8, 16])
    words.add_argument("--megabits", type=float, default=20.0)
    words.add_argument("--measure", help=argparse.SUPPRESS)
    words.add_argument("--switch", help=argparse.SUPPRESS)
    given = words.parse_args()
    if given.measure:
        measure(given.workers[0], given.megabits, given.measure, given.switch)
        return 0
    return max(simulate(workers, given.megabits) for workers in given.workers)


if __name__ == "__main__":
    sys.exit(main())
