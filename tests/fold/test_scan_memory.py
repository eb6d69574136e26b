"""Memory while fitting from files, above what the interpreter and its libraries take, measured in a process of its own."""

import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs the peak of resident memory")

MEASURE = """
import sys, numpy as np, novum
import pyarrow.parquet
from novum.linear_model import LinearRegression

def status(field):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(field)) // 1024

LinearRegression().fit(np.random.default_rng(0).random((100, 3)), np.arange(100.0))
before = status("VmRSS")
data = novum.scan(sys.argv[1], target=sys.argv[2] if not sys.argv[1].endswith("npy") else -1)
model = LinearRegression().fit(data)
for batch in model.predict(data):
    pass
print(status("VmHWM") - before)
"""


def peak(path):
    """Return the MiB that a fit and a prediction need beyond the libraries."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(MEASURE), str(path), "y"], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def write_rows(path, rows, group, d=20, **options):
    """Write a Parquet file of random doubles (nothing to compress) without holding it in memory."""
    rng = np.random.default_rng(0)
    schema = pa.schema([(f"x{j}", pa.float64()) for j in range(d - 1)] + [("y", pa.float64())])
    with pq.ParquetWriter(path, schema, **options) as writer:
        for start in range(0, rows, group):
            count = min(group, rows - start)
            writer.write_table(
                pa.table([rng.standard_normal(count) for _ in range(d)], schema=schema), row_group_size=group
            )
    return path


def test_memory_does_not_grow_with_the_file(tmp_path):
    """160 MB in one row group of small pages (those of all columns are in memory at once), and 80 MB as an array."""
    plain = {"use_dictionary": False, "data_page_size": 2**16, "compression": "none"}
    assert peak(write_rows(tmp_path / "rows.parquet", 1_000_000, 1_000_000, **plain)) < 100
    np.save(tmp_path / "rows.npy", np.random.default_rng(0).standard_normal((500_000, 20)))
    assert peak(tmp_path / "rows.npy") < 40


@pytest.mark.slow
@pytest.mark.parametrize(
    ("group", "limit"), [(400_000, 300), (2**20, 500)]
)  # 64 MB, and what pyarrow writes by default
def test_a_gigabyte(tmp_path, group, limit):
    assert peak(write_rows(tmp_path / "rows.parquet", 6_250_000, group)) < limit
