"""Check the analyst's pages in a real browser: a table is uploaded and studied from the page, then every page is opened and judged.

usage: python tools/analyst_check.py [SECONDS]      of the study, 30 by itself; pictures go to build/web/analyst
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab_check import OUT, WEB, browser, loaded, modules

SECONDS = 30
ROWS = 400


def write_table(path: Path) -> None:
    """Write a table of mixed types with missing cells, accents, a column of text, and a slice in which models err."""
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(4)
    age, city = rng.normal(50, 12, ROWS).round(), rng.choice(["Forlì", "Zürich", "São Paulo"], ROWS)
    ill = age + 9 * (city == "Forlì") + rng.normal(0, 7, ROWS) > 54
    ill = np.where((city == "Zürich") & (rng.random(ROWS) < 0.45), ~ill, ill)
    words = [" ".join(rng.choice(["dolore", "tosse", "febbre", "riposo"], 3)) for _ in range(ROWS)]
    frame = pd.DataFrame({"età": age, "reddito €": np.exp(rng.normal(10, 0.5, ROWS)).round(2), "città": city})
    frame = frame.assign(fumatore=rng.random(ROWS) < 0.3, note=words, esito=np.where(ill, "malato", "sano"))
    frame["dal"] = pd.Timestamp("2015-01-01") + pd.to_timedelta(rng.integers(0, 3000, ROWS), unit="D")
    frame.loc[rng.random(ROWS) < 0.06, "età"] = np.nan
    frame.loc[rng.random(ROWS) < 0.05, "città"] = None
    frame.to_csv(path, index=False)


@contextmanager
def lab(folder: Path) -> Iterator[str]:
    """Run `novum lab` in a folder; yield its address."""
    command = [str(Path(sys.executable).with_name("novum")), "lab", "--no-browser"]
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=folder, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    )
    try:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        if found is None:
            raise RuntimeError("novum lab printed no address")
        yield found[0]
    finally:
        server.terminate()
        server.wait(timeout=20)


def main() -> int:
    chromium = browser()
    if chromium is None or not modules():
        print("analyst_check: SKIPPED, no page of a study was checked: it needs Chromium, Node and npm.")
        return 0
    pictures = OUT / "analyst"
    pictures.mkdir(parents=True, exist_ok=True)
    slack = 6.0 if loaded() > 0.6 else 1.0
    seconds = sys.argv[1] if len(sys.argv) > 1 else str(SECONDS)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "pazienti è.csv"
        write_table(table)
        with lab(Path(folder)) as address:
            script = WEB / "tests" / "analyst.mjs"
            command = ["node", str(script), chromium, address, str(pictures), str(slack), str(table), seconds]
            return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
