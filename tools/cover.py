"""From the raw counts of `make cover` to one figure for Python and one for C++: docs/_static/coverage.json."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
OUT = ROOT / "docs" / "_static" / "coverage.json"


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
    OUT.write_text(json.dumps(figures) + "\n")
    print(f"lines that tests run: Python {figures['python']} %, C++ {figures['cpp']} %")
