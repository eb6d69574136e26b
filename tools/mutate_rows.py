"""Plant a fault behind each item of the notes and see whether the tests that carry its mark notice.

    python tools/mutate_rows.py tests/sequence tests/mixture        two faults an item; prints those that nobody noticed
    python tools/mutate_rows.py --faults 3 --seed 1 --draw 60 tests  sixty items drawn at random
    python tools/mutate_rows.py --deep tests/neural_network         with the tests that need PyTorch

The formula behind an item stands where its tests go and few others do: of all lines that its tests reach, faults are drawn from
the functions of its tests' package that the fewest items share. Only the item's own tests are run against a fault.
"""

import argparse
import ast
import importlib
import os
import random
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # beside this file lies another `coverage`

from tools.mutate import HEAVY, QUIET, ROOT, SOURCE, in_child, is_killed, known_equivalents, module_name  # noqa: E402
from tools.mutations import Mutation, mutations  # noqa: E402

KINDS = ("operator", "dropped term", "sign", "comparison", "opposite")
CLOSE = 3  # functions of an item: those that the fewest items reach


def watched(tests: list[str], data: str) -> int:
    """Run the marked tests under coverage, a context per test; beside the data lie the items of each."""
    import coverage
    import pytest

    watch = coverage.Coverage(data_file=data, source=[str(SOURCE)], config_file=False)
    items: list[str] = []

    class Contexts:
        @staticmethod
        def pytest_runtest_protocol(item: pytest.Item) -> None:
            watch.switch_context(item.nodeid)
            for mark in item.iter_markers("notes"):
                items.append(f"{' '.join(map(str, mark.args))}\t{item.nodeid}")

    watch.start()
    status = pytest.main([*QUIET[:1], *QUIET[2:], *tests], plugins=[Contexts()])
    watch.stop()
    watch.save()
    Path(data + ".items").write_text("\n".join(items), encoding="utf-8")
    return int(status)


def functions_of(path: Path) -> dict[int, tuple[int, int]]:
    """Return for every line within a function the first and last line of the innermost one."""
    found: dict[int, tuple[int, int]] = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            first, last = node.body[0].lineno, node.end_lineno or node.lineno
            for line in range(first, last + 1):
                if line not in found or first >= found[line][0]:
                    found[line] = (first, last)
    return found


def places(folder: str, tests: list[str]) -> tuple[dict[str, list[str]], dict[str, dict[tuple[Path, int], set[int]]]]:
    """Return the tests of each item, and the lines it reaches by function (file and first line)."""
    import coverage

    data = str(Path(folder) / "contexts")
    status = in_child(lambda: watched(tests, data), 3000)
    if status not in (0, 1):
        raise SystemExit(f"mutate_rows: the marked tests could not be run (status {status}).")
    marked: dict[str, list[str]] = defaultdict(list)
    items_of: dict[str, set[str]] = defaultdict(set)
    for line in Path(data + ".items").read_text(encoding="utf-8").splitlines():
        item, test = line.split("\t")
        marked[item] = [*dict.fromkeys([*marked[item], test])]
        items_of[test].add(item)
    reached: dict[str, dict[tuple[Path, int], set[int]]] = defaultdict(lambda: defaultdict(set))
    kept = coverage.CoverageData(data)
    kept.read()
    for path in (Path(name) for name in kept.measured_files()):
        package, functions = path.relative_to(SOURCE).parts[0].removesuffix(".py"), functions_of(path)
        for line, names in kept.contexts_by_lineno(str(path)).items():
            if line in functions:
                near = (name for name in names if package in name.split("::")[0].split("/"))
                for item in set().union(*(items_of.get(name, set()) for name in near)):
                    reached[item][path, functions[line][0]].add(line)
    return marked, reached


def faults_of(
    lines: dict[tuple[Path, int], set[int]], shared: dict[tuple[Path, int], int]
) -> list[tuple[Path, Mutation]]:
    """Return the faults that can be planted in the functions that are the item's own, or nearly."""
    found: list[tuple[Path, Mutation]] = []
    functions = 0
    for place in sorted(lines, key=lambda place: (shared[place], str(place))):
        own = [fault for fault in mutations(place[0].read_text(encoding="utf-8")) if fault.line in lines[place]]
        own = [fault for fault in own if fault.kind in KINDS]
        found += [(place[0], fault) for fault in own]
        functions += bool(own)
        if functions == CLOSE:
            break
    return found


def run(tests: list[str], count: int, seed: int, draw: int | None, seconds: float) -> None:
    """Print what became of some faults behind each item."""
    begin, same = time.monotonic(), known_equivalents()
    with tempfile.TemporaryDirectory() as folder:
        marked, reached = places(folder, tests)
        shared: dict[tuple[Path, int], int] = defaultdict(int)
        for lines in reached.values():
            for place in lines:
                shared[place] += 1
        items = sorted(reached)
        if draw is not None:
            items = random.Random(seed).sample(items, min(draw, len(items)))
        print(f"{len(items)} items, {time.monotonic() - begin:.0f} s", flush=True)
        noticed = planted = whole = 0
        for item in items:
            possible = [
                (path, fault)
                for path, fault in faults_of(reached[item], shared)
                if (module_name(path), fault.before, fault.after) not in same
            ]
            chosen = random.Random(f"{item} {seed}").sample(possible, min(count, len(possible)))
            lived = [
                (path, fault) for path, fault in chosen if not is_killed(path, fault, marked[item], folder, seconds)
            ]
            planted, noticed, whole = planted + len(chosen), noticed + len(chosen) - len(lived), whole + (not lived)
            for path, fault in lived:
                first = f"{marked[item][0]} and {len(marked[item]) - 1} more"
                print(f"{item}: {module_name(path)}:{fault.line}  {fault.before}  ->  {fault.after}  ({first})")
            sys.stdout.flush()
    print(f"{noticed} of {planted} faults noticed; all of them in {whole} of {len(items)} items")


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tests", nargs="+")
    parser.add_argument("--faults", type=int, default=2, help="of each item")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--draw", type=int, help="this many items at random")
    parser.add_argument("--seconds", type=float, default=60.0, help="limit of one fault")
    parser.add_argument("--deep", action="store_true", help="run the tests that need PyTorch too")
    asked = parser.parse_args()
    os.chdir(ROOT)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # threads do not survive a fork
    if asked.deep:
        QUIET[-1] = QUIET[-1].replace(" and not deep", "")
    for name in (*HEAVY, "torch") if asked.deep else HEAVY:
        importlib.import_module(name)
    run(asked.tests, asked.faults, asked.seed, asked.draw, asked.seconds)


if __name__ == "__main__":
    main()
