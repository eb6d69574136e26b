"""Feather and Parquet files with flipped bits: a sentence or a table, in a process of its own, which must live."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

RUNNER = """
import sys, warnings
warnings.simplefilter("ignore")
from novum.exceptions import DataError, SourceError
from novum.study.data.files import read_table
for path in sys.argv[1:]:
    try:
        read_table(path)
    except (DataError, SourceError):
        pass
print("alive", len(sys.argv) - 1)
"""


@pytest.mark.parametrize("kind", ["feather", "parquet"])
def test_no_flipped_bit_ends_the_process(tmp_path, kind):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=90), "s": rng.choice(["x", "yy", "zzz"], 90)})
    frame["d"] = pd.Categorical(frame["s"])
    whole = tmp_path / "whole"
    frame.to_feather(whole, compression="uncompressed") if kind == "feather" else frame.to_parquet(whole)
    raw, paths = whole.read_bytes(), []
    for i in range(80):
        changed = bytearray(raw)
        bit = int(rng.integers(8 * len(raw)))
        changed[bit // 8] ^= 1 << bit % 8
        paths.append(tmp_path / f"{i}.table")
        paths[-1].write_bytes(changed)
    done = subprocess.run([sys.executable, "-c", RUNNER, *map(str, paths)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout.strip() == "alive 80", done.stderr[-1000:]
