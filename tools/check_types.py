"""Do type checkers report every wrong use of the library and no right one? `make lint` runs this.

Every statement of tests/typing/wrong.py that carries the mark `# wrong` must be reported by mypy and by pyright, and nothing
else of that file; of tests/typing/right.py nothing at all. A statement over several lines is reported when any of its lines is.

Both checkers run in an empty folder without settings, as those of a user do: what they know of novum comes from its sources,
its stubs and py.typed, never from this project's pyproject.toml.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
USES = ROOT / "tests" / "typing"
MARK = "# wrong"
LEAST = 60  # right uses and wrong ones, each

Reports = dict[tuple[str, int], str]  # file and line: what a checker says of it


def by_mypy(folder: Path) -> Reports:
    """Return what mypy reports of the files in a folder."""
    cache = ROOT / ".mypy_cache" / "uses"
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--follow-imports=silent",
        "--cache-dir",
        str(cache),
        "right.py",
        "wrong.py",
    ]
    run = subprocess.run(
        command, cwd=folder, env={**os.environ, "MYPYPATH": str(ROOT / "src")}, capture_output=True, text=True
    )
    found = re.findall(r"^(right\.py|wrong\.py):(\d+): error: (.*)$", run.stdout, re.M)
    if run.returncode not in (0, 1):
        raise SystemExit(run.stdout + run.stderr)
    return {(name, int(line)): text for name, line, text in found}


def by_pyright(folder: Path) -> Reports:
    """Return what pyright reports of the files in a folder."""
    (folder / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(ROOT / "src")]}))
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if run.returncode not in (0, 1):
        raise SystemExit(run.stdout + run.stderr)
    errors = [one for one in json.loads(run.stdout)["generalDiagnostics"] if one["severity"] == "error"]
    return {(Path(one["file"]).name, one["range"]["start"]["line"] + 1): one["message"] for one in errors}


def statements(name: str) -> list[tuple[range, str]]:
    """Return the lines and the text of every statement of a file of uses, its comments included."""
    text = (USES / name).read_text()
    lines = text.splitlines()
    spans = [range(node.lineno, (node.end_lineno or node.lineno) + 1) for node in ast.parse(text).body]
    return [(span, "\n".join(lines[span.start - 1 : span.stop - 1])) for span in spans]


def complaints(checker: str, reports: Reports) -> list[str]:
    """Return where a checker is silent and should not be, and where it reports what is right."""
    found = []
    for name in ("right.py", "wrong.py"):
        for span, text in statements(name):
            said = next((reports[name, line] for line in span if (name, line) in reports), None)
            place = f"{checker}: tests/typing/{name}:{span.start}"
            if text.endswith(MARK) and said is None:
                found.append(f"{place}: not reported: {text}")
            elif not text.endswith(MARK) and said is not None:
                found.append(f"{place}: reported, and it is right: {text}\n    {said}")
    return found


def main() -> int:
    right = len([text for _, text in statements("right.py") if not text.startswith(("import", "from", '"""', "def"))])
    wrong = len([text for _, text in statements("wrong.py") if text.endswith(MARK)])
    found = [f"{n} {kind} uses, fewer than {LEAST}" for n, kind in ((right, "right"), (wrong, "wrong")) if n < LEAST]
    checkers: dict[str, Callable[[Path], Reports]] = {"mypy": by_mypy, "pyright": by_pyright}
    for checker, run in checkers.items():
        with tempfile.TemporaryDirectory() as folder:
            for name in ("right.py", "wrong.py"):
                shutil.copy(USES / name, folder)
            found += complaints(checker, run(Path(folder)))
    print("\n".join(found) or f"mypy and pyright report {wrong} of {wrong} wrong uses and 0 of {right} right ones")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
