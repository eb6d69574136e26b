"""Fits from files next to what they are made of: Parquet against a bare scan into row-major blocks plus the fit in memory,
an .npy file against the fit in memory. A ratio of 0.83 is a file that costs 1.2 times its parts. Quality: the first coefficient,
the inertia, or the accuracy on the first rows.

Learners of many passes decode Parquet once and go on with what they keep, so the same parts are their measure, too.
"""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import novum
from benchmarks.harness import Case
from novum import _core
from novum.cluster import KMeans
from novum.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from novum.linear_model import LinearRegression, LogisticRegression

ROWS = (250_000, 1_000_000, 4_000_000)
COLUMNS = 20
FEATURES = [f"x{j}" for j in range(COLUMNS)]
LOOKED_AT = 10_000  # rows that accuracies are judged by
PASSES = {  # learners of many passes, and the least ratio to a bare scan and the fit in memory
    "logistic regression": (lambda: LogisticRegression(max_iter=100), "label", 1 / 1.2),
    "k-means": (lambda: KMeans(16, n_init=1, max_iter=20, tol=0, random_state=0), None, 1 / 1.2),
    "boosting": (
        lambda: HistGradientBoostingClassifier(max_iter=50, early_stopping=False, random_state=0),
        "label",
        1 / 1.5,
    ),
    "forest": (lambda: RandomForestClassifier(5, max_depth=12, random_state=0), "label", 1 / 1.5),
}


class Data:
    """The same rows in memory, as Parquet and as .npy; the files vanish with the object."""

    def __init__(self, n):
        rng = np.random.default_rng(0)
        self.folder = tempfile.TemporaryDirectory()
        self.X = rng.normal(size=(n, COLUMNS))
        self.y = self.X @ rng.normal(size=COLUMNS) + rng.normal(size=n)
        self.parquet = Path(self.folder.name, "rows.parquet")
        self.npy, self.target = Path(self.folder.name, "rows.npy"), Path(self.folder.name, "target.npy")
        self.label = (self.y + 2 * rng.normal(size=n) > 0).astype(np.int64)
        columns = {f"x{j}": self.X[:, j] for j in range(COLUMNS)} | {"y": self.y, "label": self.label}
        pq.write_table(pa.table(columns), self.parquet, row_group_size=2**18)
        np.save(self.npy, self.X)
        np.save(self.target, self.y)


def bare_scan(data):
    for batch in pq.ParquetFile(data.parquet).iter_batches(2**18 // COLUMNS):
        tile = np.empty((batch.num_rows, COLUMNS))
        _core.runtime.tiles.pack_columns([batch.column(name).to_numpy() for name in FEATURES], tile)


def in_memory(data):
    return LinearRegression().fit(data.X, data.y)


def bare_scan_and_memory(data):
    bare_scan(data)
    return in_memory(data)


def coefficient(model, data):
    return round(float(model.coef_[0]), 10)


def quality(model, data):
    if hasattr(model, "inertia_"):
        return round(model.inertia_ / len(data.X), 2)
    return round(float((model.predict(data.X[:LOOKED_AT]) == data.label[:LOOKED_AT]).mean()), 2)


def case_of(name):
    """Return the case of a learner of many passes."""
    make, target, least = PASSES[name]

    def memory(data):
        bare_scan(data)
        return make().fit(data.X, *([] if target is None else [data.label]))

    def from_file(data):
        return make().fit(novum.scan(data.parquet, FEATURES, target))

    return Case(
        f"{name} from Parquet",
        Data,
        {"novum": from_file, "bare scan + memory": memory},
        quality,
        ROWS,
        {"bare scan + memory": least},
    )


CASES = [
    Case(
        "least squares from Parquet",
        Data,
        {
            "novum": lambda data: LinearRegression().fit(novum.scan(data.parquet, FEATURES, "y")),
            "bare scan + memory": bare_scan_and_memory,
        },
        coefficient,
        ROWS,
        {"bare scan + memory": 1 / 1.2},
    ),
    Case(
        "least squares from .npy",
        Data,
        {
            "novum": lambda data: LinearRegression().fit(novum.scan(data.npy, target=data.target)),
            "in memory": in_memory,
        },
        coefficient,
        ROWS,
        {"in memory": 1 / 1.5},
    ),
    *map(case_of, PASSES),
]
