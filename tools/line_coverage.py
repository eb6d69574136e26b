"""From the raw counts of `make line-coverage` to one figure for Python and one for C++: the sentence in docs/index.md."""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "index.md"
SENTENCE = r"runs [0-9.]+ % of the lines of Python and [0-9.]+ % of those of C\+\+"


def python_lines() -> float:
    """Return the percentage of the lines of the package that tests run."""
    subprocess.run([sys.executable, "-m", "coverage", "combine", "--quiet"], cwd=ROOT, check=False)
    subprocess.run(
        [sys.executable, "-m", "coverage", "json", "--quiet", "--ignore-errors", "-o", "build/coverage.json"],
        cwd=ROOT,
        check=True,
    )
    return json.loads((ROOT / "build" / "coverage.json").read_text())["totals"]["percent_covered"]


def kernel_lines() -> float:
    """Return the percentage of the lines of the kernels that tests run."""
    folder = next((ROOT / "build").glob("coverage-*"))
    command = [
        sys.executable,
        "-m",
        "gcovr",
        "--root",
        str(ROOT),
        "--filter",
        "cpp/",
        "--gcov-ignore-parse-errors",
        "negative_hits.warn_once_per_file",  # threads count without locks
        "--json-summary",
        "-",
        str(folder),
    ]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)[
        "line_percent"
    ]


if __name__ == "__main__":
    figures = {"python": round(python_lines(), 1), "cpp": round(kernel_lines(), 1)}
    told = f"runs {figures['python']} % of the lines of Python and {figures['cpp']} % of those of C++"
    PAGE.write_text(re.sub(SENTENCE, told, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"lines that tests run: Python {figures['python']} %, C++ {figures['cpp']} %")
