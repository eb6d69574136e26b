"""Plant small faults in the Python of one package and see whether the tests that carry a mark of the notes notice.

    python tools/mutate.py linear_model tree    twenty faults each; writes docs/mutation.json and docs/mutation.md
    python tools/mutate.py --sample 40 --seed 1 linear_model
    python tools/mutate.py --pages              writes the page from what is recorded

First the marked tests of the package's folder, and those of others that name it, run once under coverage: every line knows its
tests. Faults are drawn from lines that some test reaches (tools/mutations.py). A faulty module is never written into the tree:
it lies in a temporary folder, and a child process, forked from one that has imported the heavy packages, finds it there before
the true one. A fault is killed if one of the tests of its line fails, or runs out of time.
"""

import argparse
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[0] = str(ROOT)  # beside this file lies another `coverage`

from tools.mutations import Mutation, mutated, mutations  # noqa: E402

SOURCE, RECORD, PAGE = ROOT / "src" / "novum", ROOT / "docs" / "mutation.json", ROOT / "docs" / "mutation.md"
EQUIVALENT = ROOT / "tools" / "equivalent_mutations.tsv"
QUIET = [
    "-q",
    "-x",
    "-p",
    "no:cacheprovider",
    "--no-header",
    "--tb=no",
    "--assert=plain",  # nobody reads the messages, and rewriting costs a second each time
    "-m",
    "notes and not deep and not slow and not peer",
]
HEAVY = (
    "pytest",
    "coverage",
    "hypothesis.strategies",
    "pandas",
    "scipy.stats",
    "sklearn.datasets",
    "sklearn.ensemble",
    "matplotlib.pyplot",
)
MOST_TESTS = 25  # of a line: those that reach few lines come first, they are about it
HEAD = """# Mutation runs

`make mutate PACKAGE=linear_model` plants small faults in one package (an operator, a constant, a comparison, a term, a function for
its opposite) on lines that a test marked with an item of the notes reaches, and runs only those tests. A fault counts as killed
when one of them fails. Faults are drawn at random, {least} to {most} a package, so that the share of one package may be off by 25
points, that of all together by 5. *Reached* is the share of the package's lines that marked tests run. The other tests of the
suite, which judge refusals, homes of data, speed and the looks of pictures, are not counted here. Faults
that change nothing a caller could see are listed with their reason in `tools/equivalent_mutations.tsv` and left out of the share.
`make mutate-rows TESTS=tests/bandits` does the same item by item: faults in the functions that an item's tests reach and few others
do, judged by that item's tests alone.

| package | reached | faults | killed | share |
|---|---:|---:|---:|---:|
"""


class Overlay(importlib.abc.MetaPathFinder):
    """Finds one module in another file."""

    def __init__(self, name: str, path: str) -> None:
        self.name, self.path = name, path

    def find_spec(self, name: str, path: object = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        """Return where the faulty module lies."""
        return importlib.util.spec_from_file_location(name, self.path) if name == self.name else None


def module_name(path: Path) -> str:
    """Return the dotted name of a file of the package."""
    return ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)


def candidates(package: str) -> list[str]:
    """Return the test files of a package and those of others that name it and have marks."""
    own = ROOT / "tests" / package
    files = [
        path for path in sorted((ROOT / "tests").rglob("test_*.py")) if "mark.notes" in path.read_text(encoding="utf-8")
    ]
    wanted = [path for path in files if own in path.parents]
    if len(wanted) < 2:  # shared foundations have their marks elsewhere
        wanted += [path for path in files if f"novum.{package}" in path.read_text(encoding="utf-8")]
    if len(wanted) < 2:
        wanted = files
    return [str(path.relative_to(ROOT)) for path in dict.fromkeys(wanted)]


def in_child(work: object, seconds: float) -> int:
    """Run `work` in a forked child and return its status; -1 when it ran out of time."""
    pid = os.fork()
    if pid == 0:
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (1, 2):
            os.dup2(null, stream)
        status = 99
        try:
            status = int(work())  # type: ignore[operator]
        finally:
            os._exit(status)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.killpg(pid, signal.SIGKILL)  # the child's own group: it may have children itself
    os.waitpid(pid, 0)
    return -1


def lines_of_tests(package: str, data: str) -> int:
    """Run the marked tests under coverage; a context per test."""
    import coverage
    import pytest

    watch = coverage.Coverage(data_file=data, source=[str(SOURCE / package)], config_file=False)

    class Contexts:
        @staticmethod
        def pytest_runtest_protocol(item: object) -> None:
            watch.switch_context(getattr(item, "nodeid", ""))

    watch.start()
    status = pytest.main([*QUIET[:1], *QUIET[2:], *candidates(package)], plugins=[Contexts()])
    watch.stop()
    watch.save()
    return int(status)


def tests_by_line(package: str, folder: str) -> tuple[dict[Path, dict[int, list[str]]], float]:
    """Return for every file of the package the tests of its lines, and the share of lines that have any."""
    import coverage

    data = str(Path(folder) / "contexts")
    status = in_child(lambda: lines_of_tests(package, data), 1500)
    if status not in (0, 5):
        raise SystemExit(f"mutate: the marked tests of {package} do not pass as they are (status {status}).")
    watch = coverage.Coverage(data_file=data, config_file=False)
    watch.load()
    found, reached, all_lines = {}, 0, 0
    for path in sorted((SOURCE / package).rglob("*.py")):
        known = watch.get_data().contexts_by_lineno(str(path))
        lines = {line: sorted(name for name in names if "::" in name) for line, names in known.items()}
        lines = {line: names for line, names in lines.items() if names}
        statements = watch.analysis2(str(path))[1]
        all_lines += len(statements)
        reached += sum(line in known for line in statements)
        if lines:
            found[path] = lines
    return found, reached / max(all_lines, 1)


def is_killed(path: Path, fault: Mutation | None, tests: list[str], folder: str, seconds: float) -> bool:
    """Return whether one of the tests fails with the fault planted; None plants nothing."""
    faulty = Path(folder) / "faulty.py"
    source = path.read_text(encoding="utf-8")
    faulty.write_text(source if fault is None else mutated(source, fault), encoding="utf-8")

    def work() -> int:
        import pytest

        sys.dont_write_bytecode = True
        sys.meta_path.insert(0, Overlay(module_name(path), str(faulty)))
        return pytest.main([*QUIET, *tests])

    status = in_child(work, seconds)
    if status in (4, 5, 99):
        raise SystemExit(f"mutate: {tests} could not be run (status {status}).")
    return status != 0


def known_equivalents() -> set[tuple[str, str, str]]:
    """Return the faults that change nothing: module, before, after."""
    rows = [line.split("\t") for line in EQUIVALENT.read_text(encoding="utf-8").splitlines()[1:]]
    return {(row[0], row[1], row[2]) for row in rows}


def run(package: str, sample: int, seed: int, seconds: float) -> dict:
    """Return what became of a sample of faults in one package."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        lines, reached = tests_by_line(package, folder)
        width: dict[str, int] = defaultdict(int)
        for names in (names for file in lines.values() for names in file.values()):
            for name in names:
                width[name] += 1
        faults = [
            (path, fault)
            for path, known in lines.items()
            for fault in mutations(path.read_text(encoding="utf-8"))
            if fault.line in known
        ]
        chosen = random.Random(f"{package} {seed}").sample(faults, min(sample, len(faults)))
        same, survived, equivalent, killed, sound = known_equivalents(), [], [], 0, set()
        for path, fault in chosen:
            name = module_name(path)
            if (name, fault.before, fault.after) in same:
                equivalent.append(f"{name}:{fault.line}")
                continue
            tests = sorted(lines[path][fault.line], key=lambda test: width[test])[:MOST_TESTS]
            if path not in sound and is_killed(path, None, tests, folder, seconds):
                raise SystemExit(f"mutate: {tests} do not pass with {name} as it is.")
            sound.add(path)
            if is_killed(path, fault, tests, folder, seconds):
                killed += 1
            else:
                survived.append({"module": name, **fault._asdict(), "tests": len(tests)})
                print(f"  survived {name}:{fault.line}  {fault.before}  ->  {fault.after}", flush=True)
    print(
        f"{package}: {killed} of {len(chosen) - len(equivalent)} killed, {time.monotonic() - begin:.0f} s", flush=True
    )
    return {
        "seed": seed,
        "faults": len(chosen) - len(equivalent),
        "killed": killed,
        "reached": round(reached, 3),
        "possible": len(faults),
        "equivalent": equivalent,
        "survived": survived,
    }


def write_page() -> None:
    """Write the table of all packages."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    rows = [
        f"| {name} | {100 * found['reached']:.0f} % | {found['faults']} | {found['killed']} "
        f"| {100 * found['killed'] / max(found['faults'], 1):.0f} % |"
        for name, found in sorted(record.items())
    ]
    faults, killed = (sum(found[part] for found in record.values()) for part in ("faults", "killed"))
    rows.append(f"| **all** | | {faults} | {killed} | {100 * killed / max(faults, 1):.0f} % |")
    lived = [
        f"- `{one['module']}`, line {one['line']}: `{one['before']}` became `{one['after']}`"
        for _, found in sorted(record.items())
        for one in found["survived"]
    ]
    rest = ["", "## Faults that no marked test noticed", "", *lived] if lived else []
    drawn = [found["faults"] for found in record.values()]
    PAGE.write_text(HEAD.format(least=min(drawn), most=max(drawn)) + "\n".join([*rows, *rest]) + "\n", encoding="utf-8")


def main() -> None:
    """Run the packages that are named, one after the other."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("packages", nargs="*")
    parser.add_argument("--sample", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60.0, help="limit of one fault")
    parser.add_argument("--pages", action="store_true")
    asked = parser.parse_args()
    os.chdir(ROOT)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # threads do not survive a fork
    for name in HEAVY if asked.packages else ():
        importlib.import_module(name)
    for package in asked.packages:
        found = run(package, asked.sample, asked.seed, asked.seconds)
        record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
        RECORD.write_text(json.dumps(record | {package: found}, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    write_page()


if __name__ == "__main__":
    main()
