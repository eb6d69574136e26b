"""Fits from files next to what they are made of: Parquet against a bare scan into row-major blocks plus the fit in memory,
an .npy file against the fit in memory. A ratio of 0.83 is a file that costs 1.2 times its parts. Quality: the first coefficient.
"""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import novum
from benchmarks.harness import Case
from novum import _core
from novum.linear_model import LinearRegression

ROWS = (250_000, 1_000_000, 4_000_000)
COLUMNS = 20


class Data:
    """The same rows in memory, as Parquet and as .npy; the files vanish with the object."""

    def __init__(self, n):
        rng = np.random.default_rng(0)
        self.folder = tempfile.TemporaryDirectory()
        self.X = rng.normal(size=(n, COLUMNS))
        self.y = self.X @ rng.normal(size=COLUMNS) + rng.normal(size=n)
        self.parquet = Path(self.folder.name, "rows.parquet")
        self.npy, self.target = Path(self.folder.name, "rows.npy"), Path(self.folder.name, "target.npy")
        columns = {f"x{j}": self.X[:, j] for j in range(COLUMNS)} | {"y": self.y}
        pq.write_table(pa.table(columns), self.parquet, row_group_size=2**18)
        np.save(self.npy, self.X)
        np.save(self.target, self.y)


def in_memory(data):
    return LinearRegression().fit(data.X, data.y)


def bare_scan_and_memory(data):
    names = [f"x{j}" for j in range(COLUMNS)]
    for batch in pq.ParquetFile(data.parquet).iter_batches(2**18 // COLUMNS):
        tile = np.empty((batch.num_rows, COLUMNS))
        _core.runtime.tiles.pack_columns([batch.column(name).to_numpy() for name in names], tile)
    return in_memory(data)


def coefficient(model, data):
    return round(float(model.coef_[0]), 10)


CASES = [
    Case(
        "least squares from Parquet",
        Data,
        {
            "novum": lambda data: LinearRegression().fit(novum.scan(data.parquet, target="y")),
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
]
