"""The tables of docs/guide/cost-on-a-cluster.md: what a pass of each learner sends, and 10^9 rows of 100 columns on 100 workers.

`python -m benchmarks.cluster_example` prints them; tests/fold/test_cluster_costs.py holds the page to them.
"""

from typing import NamedTuple

from benchmarks.cluster_costs import LEARNERS, Shape, learner_named
from benchmarks.cluster_model import Cluster, flat_forecast, forecast

__all__ = ["CLUSTER", "EXAMPLES", "PARTITIONS", "example_table", "learner_table"]

WORKERS, PARTITIONS = 100, 12_800  # a partition of 78,125 rows is 62.5 MB; 128 for each worker are one node of the tree
CLUSTER = Cluster(WORKERS, 1, 10e9, 0.3)  # 10 Gbit/s; 0.3 s: about 160 tasks, at 1 to 2 ms of client and scheduler each


class Example(NamedTuple):
    """A learner of the example, with the sizes it is asked for."""

    name: str
    learner: str
    shape: Shape


EXAMPLES = [
    Example("LinearRegression, Ridge, Lasso", "LinearRegression", Shape()),
    Example("PCA", "PCA", Shape()),
    Example("LogisticRegression, 2 classes", "LogisticRegression, two", Shape()),
    Example("LogisticRegression, 10 classes", "LogisticRegression, C", Shape(classes=10)),
    Example("QuadraticDiscriminantAnalysis, 10 classes", "QuadraticDiscriminantAnalysis", Shape(classes=10)),
    Example("GaussianNB, 10 classes", "GaussianNB", Shape(classes=10)),
    Example("KMeans, 100 clusters", "KMeans", Shape(k=100)),
    Example("KMeans, 10,000 clusters", "KMeans", Shape(k=10_000)),
    Example("GaussianMixture, 50 full", "GaussianMixture, full", Shape(k=50)),
    Example("GaussianMixture, 50 diagonal", "GaussianMixture, diag", Shape(k=50)),
    Example("GaussianHMM, 10 states", "GaussianHMM", Shape()),
    Example("HistGradientBoosting, a level", "HistGradientBoosting", Shape()),
    Example("RandomForest, 16 trees of 32 leaves, a level", "DecisionTree", Shape(leaves=32, trees=16)),
]


def size(count: float) -> str:
    """Return a number of bytes in words."""
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= 0.9995 * unit:
            return f"{count / unit:.3g} {name}"
    return f"{count:.0f} B"


def seconds(count: float) -> str:
    """Return a time in words."""
    return f"{count:.2g} s" if count < 99.5 else f"{count:,.0f} s"


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def learner_table() -> str:
    """Return what a pass of every learner sends, in numbers of 8 bytes."""
    rows = [[one.name, *one.formulas, one.passes] for one in LEARNERS]
    return table(["Learner", "S: numbers up", "P: numbers down", "Passes"], rows)


def example_table() -> str:
    """Return what a pass of the example costs, and what it would cost if every partition answered to the client."""
    rows = []
    for one in EXAMPLES:
        S, P = learner_named(one.learner).bytes(one.shape)
        now, flat = forecast(CLUSTER, PARTITIONS, P, S), flat_forecast(CLUSTER, PARTITIONS, P, S)
        client, worker = now.client_out + now.client_in, max(now.worker_out, now.worker_in)
        before = size(flat.client_out + flat.client_in), seconds(flat.seconds)
        memory = size(now.statistics_memory)
        rows.append([one.name, size(S), size(P), size(client), size(worker), seconds(now.seconds), memory, *before])
    head = ["Learner", "S", "P", "client", "busiest worker", "network", "memory", "flat: client", "flat: network"]
    return table(head, rows)


if __name__ == "__main__":
    print(learner_table(), example_table(), sep="\n\n")
