"""Memory while fitting from files, above what the interpreter and its libraries take, measured in a process of its own.

Rows are kept for further passes as far as a budget goes, so memory is that budget and a constant.
"""

import os
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


def peak(path, budget="0"):
    """Return the MiB that a fit and a prediction need beyond the libraries, with so much to keep rows in."""
    command = [sys.executable, "-c", textwrap.dedent(MEASURE), str(path), "y"]
    environment = {**os.environ, "NOVUM_CACHE_MEMORY": budget}
    return int(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout)


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
    path = write_rows(tmp_path / "rows.parquet", 1_000_000, 1_000_000, **plain)
    assert peak(path) < 100
    assert 40 < peak(path, budget="50MB") < 150
    np.save(tmp_path / "rows.npy", np.random.default_rng(0).standard_normal((500_000, 20)))
    assert peak(tmp_path / "rows.npy") < 40


@pytest.mark.slow
@pytest.mark.parametrize(
    ("group", "limit"), [(400_000, 300), (2**20, 500)]
)  # 64 MB, and what pyarrow writes by default
def test_a_gigabyte(tmp_path, group, limit):
    assert peak(write_rows(tmp_path / "rows.parquet", 6_250_000, group)) < limit


ADDRESS_SPACE = """
import resource, sys, novum, pyarrow.parquet
from novum.linear_model import {model} as Model

used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + {room} * 2**20, -1))
Model({settings}).fit(novum.scan(sys.argv[1], target="y"))
"""


def test_a_limit_of_the_address_space_is_kept(tmp_path):
    """160 MB of rows where 400 MB may be taken, by default: what is kept leaves room for the rest of the fit."""
    path = write_rows(tmp_path / "rows.parquet", 1_000_000, 100_000)
    code = ADDRESS_SPACE.format(model="LinearRegression", room=400, settings="n_jobs=2")
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
