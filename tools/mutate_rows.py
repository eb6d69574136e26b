"""Plant faults behind each row of the notes and see whether the tests that carry its mark notice.

    python tools/mutate_rows.py                       every row without an answer yet, in a random order; writes docs/mutation.json
    python tools/mutate_rows.py --minutes 30          as many as there is time for
    python tools/mutate_rows.py --again               once more the faults that nobody noticed
    python tools/mutate_rows.py 000-a/svr 002/entropy some rows anew
    python tools/mutate_rows.py --pages               writes docs/mutation.md from what is recorded

The formula behind a row stands where its tests go and few others do. Faults are drawn from lines that the row's tests run: in
the functions and methods that the row names, and in the three others that the fewest rows run, of those measured so far: of the
modules where the names stand and of those of the family that these import. Choices of a route, by a name, a length or a limit of
cost, are no formula and are left alone. All tests are collected once; for a fault a process is forked, the functions of one
module get the faulty code (tools/planting.py), and the row's own tests run there until one fails. What a row's tests run is kept
in build/mutation-reach.json and measured anew when a file of the package or of its tests is younger. Kernels in C++ are not
changed.
"""

import argparse
import ast
import gc
import inspect
import json
import os
import random
import re
import sys
import time
from collections import defaultdict
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:1] = [str(ROOT), str(ROOT / "tests")]  # beside this file lies another `coverage`

from tools.mutation_page import read_record, write_page, write_record  # noqa: E402
from tools.mutations import Mutation, faulty_tree, known_equivalents, module_name, mutations  # noqa: E402
from tools.planting import CRASHED, functions_by_file, import_all, in_fork, plant  # noqa: E402

SOURCE, REACH = ROOT / "src" / "novum", ROOT / "build" / "mutation-reach.json"
KINDS = ("operator", "dropped term", "sign", "comparison", "opposite", "number")
ROUTE = re.compile(
    r"^not |^(all|any)$|['\"]|(?<![\w.])len\(|\b[A-Z][A-Z_]{2,}\b|\.ndim|\.size|\.shape|\.dtype|^-1$"
)  # no formula
PICTURES = re.compile(r"(^|/)plots?\b|_text|/text\.py")
CLOSE = 3  # functions of a row beside those that it names: the ones that the fewest rows run
BATCH = 40  # rows that are measured before faults are planted behind them
SLOWEST = 120.0  # seconds that the tests of one row may take as they are
Lines = dict[str, list[int]]  # of a file, those that ran


class Session:
    """The collected tests, and the forks that run some of them."""

    def __init__(self, items: list[Any]) -> None:
        self.items: dict[str, list[Any]] = defaultdict(list)
        for item in items:
            for mark in item.iter_markers("notes"):
                self.items["/".join(mark.args)].append(item)
        missing = import_all(sys.modules["novum"])
        print(f"{len(items)} tests of {len(self.items)} rows; not imported: {missing or 'none'}", flush=True)
        self.functions = functions_by_file(str(SOURCE))
        gc.collect()
        gc.freeze()

    def passes(self, key: str) -> bool:
        """Run the tests of a row in this process until one fails."""
        failed: list[str] = []

        class Watch:
            @staticmethod
            def pytest_runtest_logreport(report: Any) -> None:
                if report.failed:
                    failed.append(report.nodeid)

        items = self.items[key]
        manager = items[0].config.pluginmanager
        manager.register(Watch())
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if failed:
                return False
        return True

    def reached(self, key: str) -> dict[str, Any]:
        """Return the lines of the package that the tests of a row run, whether they pass, and in how many seconds."""

        def work() -> tuple[bool, Lines]:
            import coverage

            watch = coverage.Coverage(data_file=None, include=[f"{SOURCE}/*"], config_file=False)
            watch.start()
            passed = self.passes(key)
            watch.stop()
            data = watch.get_data()
            return passed, {
                str(Path(name).relative_to(SOURCE)): data.lines(name) or [] for name in data.measured_files()
            }

        begin = time.monotonic()
        answer = in_fork(work, SLOWEST)
        passed, lines = answer if isinstance(answer, tuple) else (False, {})
        spent = time.monotonic() - begin
        return {"passed": passed, "lines": lines, "seconds": round(spent, 2), "at": time.time()}

    def notices(self, key: str, path: Path, fault: Mutation, seconds: float) -> bool:
        """Decide whether a test of the row fails, or runs out of time, with a fault."""
        tree = faulty_tree(path.read_text(encoding="utf-8"), fault)

        def work() -> bool | None:
            if not plant(str(path), path.read_text(encoding="utf-8"), tree, self.functions):
                return None
            return self.passes(key)

        answer = in_fork(work, seconds)
        if answer is None or answer == CRASHED:
            return True
        return not answer


def functions_of(path: Path) -> dict[int, int]:
    """Return for every line within a function the first line of the outermost function around it."""
    found: dict[int, int] = {}

    def visit(node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef):
                for line in range(child.body[0].lineno, (child.end_lineno or child.lineno) + 1):
                    found[line] = child.lineno
            else:
                visit(child)

    visit(ast.parse(path.read_text(encoding="utf-8")))
    return found


def imported_by(name: str) -> set[str]:
    """Return the files of the same family from which a file imports: where the functional core of a class stands."""
    found: set[str] = set()
    for node in ast.walk(ast.parse((SOURCE / name).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("novum."):
            below = node.module.removeprefix("novum.").replace(".", "/")
            tried = [f"{below}.py", *(f"{below}/{alias.name}.py" for alias in node.names)]
            found.update(one for one in tried if (SOURCE / one).exists())
    return {one for one in found if one.split("/")[0] == name.split("/")[0] and not PICTURES.search(one)}


def named_places(names: tuple[str, ...]) -> tuple[set[tuple[str, int]], set[str]]:
    """Return the functions (file and first line) that a row names, and the files where these and its classes stand."""
    exact: set[tuple[str, int]] = set()
    files: set[str] = set()
    for name in names:
        if "/" in name or not name.startswith("novum"):
            continue
        value = inspect.unwrap(resolve_name(name))
        value = getattr(value, "fget", None) or getattr(value, "func", None) or value
        try:
            path = Path(inspect.getsourcefile(value) or "").relative_to(SOURCE)
        except (TypeError, ValueError):
            continue
        files.add(str(path))
        if inspect.isclass(value):
            continue
        lines, first = inspect.getsourcelines(value)
        offset = next((at for at, line in enumerate(lines) if line.lstrip().startswith("def ")), 0)
        exact.add((str(path), first + offset))
    return exact, files


def rows_that_run(
    reach: dict[str, Any],
) -> tuple[dict[str, dict[tuple[str, int], set[int]]], dict[tuple[str, int], int]]:
    """Return for every row the lines that it runs by function, and for every function how many rows run it."""
    tables: dict[str, dict[int, int]] = {}
    by_row: dict[str, dict[tuple[str, int], set[int]]] = {}
    shared: dict[tuple[str, int], int] = defaultdict(int)
    for key, found in reach.items():
        places: dict[tuple[str, int], set[int]] = defaultdict(set)
        for name, lines in found["lines"].items():
            if name not in tables:
                tables[name] = functions_of(SOURCE / name)
            for line in lines:
                if line in tables[name]:
                    places[name, tables[name][line]].add(line)
        by_row[key] = places
        for place in places:
            shared[place] += 1
    return by_row, shared


def faults_of(
    places: dict[tuple[str, int], set[int]],
    shared: dict[tuple[str, int], int],
    names: tuple[str, ...],
    folders: set[str],
    known: dict[str, list[Mutation]],
) -> list[tuple[Path, Mutation]]:
    """Return the faults that can be planted in the functions that are the row's own, or nearly."""
    exact, files = named_places(names)
    core = files.union(*map(imported_by, files))
    found: list[tuple[Path, Mutation]] = []
    functions = 0
    near = [place for place in places if (place[0] in core if core else place[0].split("/")[0] in folders)]
    close = sorted(set(near) - exact, key=lambda place: (shared[place], place[0] not in files, place))
    for place in [*sorted(exact & set(places)), *close]:
        name = place[0]
        if name not in known:
            source = (SOURCE / name).read_text(encoding="utf-8")
            known[name] = [
                fault for fault in mutations(source) if fault.kind in KINDS and not ROUTE.search(fault.before)
            ]
        own = [(SOURCE / name, fault) for fault in known[name] if fault.line in places[place]]
        found += own
        functions += bool(own) and place not in exact
        if functions == CLOSE:
            break
    return found


def measured(session: Session, keys: list[str]) -> dict[str, Any]:
    """Return what every row's tests run, from the store where that is younger than the files."""
    reach = json.loads(REACH.read_text(encoding="utf-8")) if REACH.exists() else {}
    changed = {str(path): path.stat().st_mtime for path in [*SOURCE.rglob("*.py"), *(ROOT / "tests").rglob("*.py")]}
    REACH.parent.mkdir(exist_ok=True)
    for key in keys:
        own = {str(item.path) for item in session.items[key]}
        used = {str(SOURCE / name) for name in reach.get(key, {"lines": {}})["lines"]}
        if (
            not reach.get(key, {"passed": False})["passed"]
            or max(changed[name] for name in own | used) > reach[key]["at"]
        ):
            reach[key] = session.reached(key)
    REACH.write_text(json.dumps(reach), encoding="utf-8")
    return reach


def chosen_rows(session: Session, asked: argparse.Namespace, record: dict[str, Any]) -> list[str]:
    """Return the rows that the command line asks for, in a random order."""
    from novum.notes.tables import ledger

    order = sorted({row.key for row in ledger()} & set(session.items))
    random.Random(asked.seed).shuffle(order)
    if asked.rows:
        return [key for key in order if key in asked.rows]
    if asked.again:
        return [key for key in order if record.get(key, {"survived": ()})["survived"]]
    return [key for key in order if key not in record]


def name_of(path: Path, fault: Mutation) -> tuple[str, str, str]:
    """Return what a fault is called in the record and in the list of equivalents."""
    return module_name(path), fault.before, fault.after


def plant_in_row(
    session: Session, key: str, chosen: list[tuple[Path, Mutation]], seconds: float
) -> list[dict[str, Any]]:
    """Return the faults that the tests of a row do not notice."""
    survived = []
    for path, fault in chosen:
        if not session.notices(key, path, fault, seconds):
            survived.append({"module": module_name(path), **fault._asdict()})
            print(f"{key}: {module_name(path)}:{fault.line}  {fault.before}  ->  {fault.after}", flush=True)
    return survived


def run(session: Session, asked: argparse.Namespace) -> None:
    """Plant faults row by row and record what became of them."""
    from novum.notes.tables import ledger, names_of

    names = {row.key: names_of(row) for row in ledger()}
    record, same = read_record(), known_equivalents()
    known: dict[str, list[Mutation]] = {}
    order, begin = chosen_rows(session, asked, record), time.monotonic()
    for start in range(0, len(order), BATCH):
        batch = order[start : start + BATCH]
        reach = measured(session, batch)
        by_row, shared = rows_that_run(reach)
        for key in batch:
            if time.monotonic() - begin > 60 * asked.minutes:
                return
            if not reach[key]["passed"]:
                print(f"{key}: its tests do not pass as they are, or need more than {SLOWEST:.0f} s", flush=True)
                continue
            folders = {Path(item.path).relative_to(ROOT / "tests").parts[0] for item in session.items[key]}
            possible = faults_of(by_row[key], shared, names[key], folders, known)
            possible = [pair for pair in possible if name_of(*pair) not in same]
            chosen, killed = random.Random(f"{key} {asked.seed}").sample(possible, min(asked.faults, len(possible))), 0
            if asked.again:
                before = {(one["module"], one["before"], one["after"]) for one in record[key]["survived"]}
                chosen, killed = [pair for pair in possible if name_of(*pair) in before], record[key]["killed"]
            survived = plant_in_row(session, key, chosen, 10 + 4 * reach[key]["seconds"])
            killed += len(chosen) - len(survived)
            record[key] = {"possible": len(possible), "killed": killed, "survived": survived}
            write_record(record)
        print(f"{summary(record)}; {time.monotonic() - begin:.0f} s", flush=True)


def summary(record: dict[str, Any]) -> str:
    """Return the counts of a record in words."""
    killed = sum(found["killed"] for found in record.values())
    lived = sum(len(found["survived"]) for found in record.values())
    whole = sum(not found["survived"] for found in record.values())
    return f"{len(record)} rows, {killed} of {killed + lived} faults noticed, all of them in {whole} rows"


def main() -> None:
    """Collect the marked tests and run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("rows", nargs="*")
    parser.add_argument("--faults", type=int, default=2, help="of each row")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--pages", action="store_true")
    asked = parser.parse_args()
    os.chdir(ROOT)
    if not asked.pages:
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
            os.environ.setdefault(name, "1")  # threads do not survive a fork
        import pytest
        from marks import marks

        class Planned:
            @staticmethod
            @pytest.hookimpl(tryfirst=True)
            def pytest_runtestloop(session: Any) -> bool:
                run(Session(session.items), asked)
                return True

        tests = sorted({test.split("::")[0] for key, found in marks().items() if key in asked.rows for test in found})
        options = ["-q", "-s", "--assert=plain", "--no-header", "-m", "notes and not slow and not peer"]
        status = pytest.main([*options, *(tests or ["tests"])], plugins=[Planned()])
        if status not in (0, 5):
            sys.exit(int(status))
    write_page()


if __name__ == "__main__":
    main()
