"""What a contestant's script reads and writes; needs pandas and pyarrow, not novum.

    python with_*.py FOLDER TARGET MEASURE SECONDS

`FOLDER` holds learned.parquet with the target and asked.parquet without; `play` writes answers.parquet (a column `value` of
numbers, or a column of probabilities for every class) and seconds.json.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

__all__ = ["play"]


def play(version: str, answers: Callable[[pd.DataFrame, pd.DataFrame, str, str, float], Any]) -> None:
    """Run a contestant: `answers(learned, asked, target, measure, seconds)` returns numbers, or (classes, probabilities)."""
    folder, target, measure, seconds = Path(sys.argv[1]), sys.argv[2], sys.argv[3], float(sys.argv[4])
    learned, asked = (pd.read_parquet(folder / f"{name}.parquet") for name in ("learned", "asked"))
    start = time.perf_counter()
    said = answers(learned, asked, target, measure, seconds)
    took = time.perf_counter() - start
    frame = pd.DataFrame({"value": said}) if measure == "rmse" else pd.DataFrame(said[1], columns=list(said[0]))
    frame.to_parquet(folder / "answers.parquet")
    (folder / "seconds.json").write_text(json.dumps({"seconds": took, "version": version}))
