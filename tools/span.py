"""Where a fit spends its time if threads are many, seen from one thread: python tools/span.py [--share=S] [name ...]

A fit for T threads is rehearsed: it cuts its work for T threads, and the caller alone does every part of it, one after the other,
timed (`novum.runtime.pool.here.rehearsal` for tasks in Python, `_core.runtime.threads.rehearse` for teams in C++). That gives

    work    seconds within regions, the sum over their tasks,
    serial  seconds outside of them: what no thread shortens,
    span    seconds that T threads would take: serial, and for every region the longest of
              a list schedule of its tasks (the caller also merges),
              the time in which tasks hold the interpreter's lock, plus the merges (one thread at a time),
            plus what the region costs to share.

The gain at T threads is the time of the fit on one thread over the span at T. Memory bandwidth is not in it, nor processors
that slow down when all are busy: it is an upper bound, and what it shows to be lost is lost on any machine. Time in which a task
holds the lock is estimated as its time outside the kernels of `_core`, so also from above: NumPy lets go of it in long loops.
"""

import heapq
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from novum import _core
from novum.runtime import pool, threads

THREADS = (2, 4, 8, 16)
SETTLE = 200  # regions timed for the cost of sharing one
RELEASED = (
    "sort",
    "argsort",
    "argpartition",
    "dot",
    "matmul",
    "take",
    "ascontiguousarray",
)  # let go of the lock, in NumPy
WORST = 3  # functions named whose regions lose most
TURNS = 32  # tasks of a thread in a long one
clock = time.thread_time  # of the one thread that does it all: other work on the machine does not count


@dataclass
class Region:
    """Tasks that may run at the same time."""

    kind: str  # "pool" (Python tasks) or "team" (items in C++)
    seconds: list[float] = field(default_factory=list)  # of every task
    locked: float = 0.0  # seconds in which they held the interpreter's lock
    merges: float = 0.0  # seconds of the caller between them
    name: str = ""  # of the function that the tasks call

    def span(self, n_threads: int, cost: float = 0.0, per_task: float = 0.0) -> float:
        """Return the seconds that the region takes on `n_threads` threads."""
        free = [0.0] * min(n_threads, max(1, len(self.seconds)))
        free[0] = self.merges
        heapq.heapify(free)
        for seconds in self.seconds:
            heapq.heapreplace(free, free[0] + seconds + per_task)
        lock = self.locked + self.merges + per_task * len(self.seconds) if self.kind == "pool" else 0.0
        return cost + max(*free, lock) if len(free) > 1 else cost + max(free[0], lock)


@dataclass
class Account:
    """What a rehearsal came to."""

    n_threads: int
    wall: float
    regions: list[Region]

    @property
    def work(self) -> float:
        """Seconds within regions."""
        return sum(sum(region.seconds) + region.merges for region in self.regions)

    @property
    def serial(self) -> float:
        """Seconds outside of them."""
        return max(0.0, self.wall - self.work)

    def span(self, costs: dict[str, tuple[float, float]]) -> float:
        """Return the seconds that the fit takes on its threads, given what a region and a task of each kind cost."""
        return self.serial + sum(region.span(self.n_threads, *costs[region.kind]) for region in self.regions)


class _Kernels:
    """The clock of the kernels: seconds within functions and methods of `_core`, and in some of NumPy, which let go of the lock."""

    def __init__(self) -> None:
        self.seconds, self.depth = 0.0, 0
        self.undo: list[Callable[[], None]] = []

    def _timed(self, function: Callable) -> Callable:
        def timed(*args: Any, **kwargs: Any) -> Any:
            start = clock()
            self.depth += 1
            try:
                return function(*args, **kwargs)
            finally:
                self.depth -= 1
                if self.depth == 0:
                    self.seconds += clock() - start

        return timed

    def _wrap(self, owner: Any, seen: set[int]) -> None:
        for name, value in list(vars(owner).items()):
            if isinstance(value, ModuleType) and value.__name__.startswith("novum._core"):
                if id(value) not in seen:
                    seen.add(id(value))
                    self._wrap(value, seen)
            elif isinstance(value, type) and not name.startswith("_") and id(value) not in seen:
                seen.add(id(value))
                self._wrap(value, seen)
            elif callable(value) and not name.startswith("_") and type(value).__name__.startswith("nb_"):
                setattr(
                    owner, name, self._timed(value) if isinstance(owner, ModuleType) else _Method(self._timed(value))
                )
                self.undo.append(lambda owner=owner, name=name, value=value: setattr(owner, name, value))  # type: ignore[misc]

    def __enter__(self) -> "_Kernels":
        self._wrap(_core, set())
        for name in RELEASED:
            value = getattr(np, name)
            setattr(np, name, self._timed(value))
            self.undo.append(lambda name=name, value=value: setattr(np, name, value))  # type: ignore[misc]
        return self

    def __exit__(self, *_: object) -> None:
        while self.undo:
            self.undo.pop()()


class _Method:
    """A timed method: bound like any other."""

    def __init__(self, function: Callable) -> None:
        self.function = function

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self.function if instance is None else lambda *args, **kwargs: self.function(instance, *args, **kwargs)


@contextmanager
def nominal(n_threads: int) -> Iterator[None]:
    """Let learners believe that there are `n_threads` processors."""
    before = threads._processors, threads._openmp_limit
    threads._processors, threads._openmp_limit = lambda: n_threads, lambda: None  # type: ignore[assignment]
    try:
        yield
    finally:
        threads._processors, threads._openmp_limit = before


def name_of(task: Callable) -> str:
    """Return the name of a function; of one made on the way, also those of the functions it is made of."""
    inner = [cell.cell_contents for cell in getattr(task, "__closure__", None) or ()]
    names = [getattr(one, "__qualname__", "") for one in [task, *inner] if callable(one)]
    return " of ".join(filter(None, names)) or str(task)


def rehearse(function: Callable[[], Any], n_threads: int) -> Account:
    """Return the account of a call that works for `n_threads` threads, all of it done by this one."""
    regions: list[Region] = []

    def run(task: Callable, items: Iterable, count: int) -> Iterator:
        region = Region("pool", name=name_of(task))
        regions.append(region)
        source = iter(items)
        while True:
            start = clock()
            try:
                item = next(source)
            except StopIteration:
                region.merges += clock() - start
                return
            region.merges += clock() - start
            before, start = kernels.seconds, clock()
            result = pool.inside(task, item)
            region.seconds.append(clock() - start)
            region.locked += max(0.0, region.seconds[-1] - (kernels.seconds - before))
            start = clock()
            yield result
            region.merges += clock() - start

    _core.runtime.threads.rehearsed()
    with _Kernels() as kernels, nominal(n_threads):
        reading = _core.runtime.threads.rehearse(True)
        pool.here.rehearsal = run
        start = clock()
        try:
            function()
        finally:
            wall = clock() - start
            pool.here.rehearsal = None
            _core.runtime.threads.rehearse(False)
    teams = [Region("team", list(seconds), name="team") for seconds in _core.runtime.threads.rehearsed()]
    return Account(n_threads, wall - reading * sum(len(team.seconds) for team in teams), regions + teams)


def sharing_costs(n_threads: int = 2, seconds: float = 20e-6) -> dict[str, tuple[float, float]]:
    """Return the measured seconds that a region and one of its tasks cost beyond the tasks' own, in the pool and in a team.

    Tasks keep their thread busy for a while: in regions of empty ones the caller would be done before anybody came to help.
    """
    busy = _core.runtime.threads.team_seconds

    def of_pool(items: int) -> float:
        times = []
        for _ in range(SETTLE):
            start = time.perf_counter()
            for _ in pool.map_ordered(lambda _: busy(1, 1, seconds, 1), range(items), n_threads):
                pass
            times.append(time.perf_counter() - start)
        return min(times)

    def of_team(items: int) -> float:
        return min(busy(n_threads, items, seconds, 3) for _ in range(SETTLE))

    costs = {}
    for kind, timed in (("pool", of_pool), ("team", of_team)):
        region = max(0.0, timed(n_threads) - seconds)
        costs[kind] = region, max(0.0, timed(TURNS * n_threads) - TURNS * seconds - region) / TURNS
    return costs


def shortest(function: Callable[[], Any], clock: Callable[[], float], runs: int = 3) -> float:
    """Return the shortest of some runs, in seconds."""
    times = []
    for _ in range(runs):
        start = clock()
        function()
        times.append(clock() - start)
    return min(times)


def report(name: str, fit: Callable[[int], Any], costs: dict[str, tuple[float, float]]) -> dict[str, Any]:
    """Print and return where a learner's time goes, and the gains that follow from it."""
    from benchmarks.scaling_learners import limited

    with limited(1):
        fit(1)
        one, wall = shortest(lambda: fit(1), clock), shortest(lambda: fit(1), time.perf_counter)
    with limited(2):
        fit(2)
        two = wall / shortest(lambda: fit(2), time.perf_counter)
    gains = {}
    for n_threads in THREADS:
        account = min((rehearse(lambda: fit(n_threads), n_threads) for _ in range(2)), key=lambda a: a.wall)  # noqa: B023
        gains[n_threads] = one / account.span(costs)
    tasks = np.array([len(region.seconds) for region in account.regions] or [0])
    lengths = np.array([s for region in account.regions for s in region.seconds] or [0.0])
    locked = sum(region.locked for region in account.regions)
    uneven = account.span({"pool": (0, 0), "team": (0, 0)}) - account.serial - account.work / n_threads
    sharing = account.span(costs) - account.span({"pool": (0, 0), "team": (0, 0)})
    ms = {"serial": account.serial, "work": account.work, "lock": locked, "uneven": uneven, "sharing": sharing}
    predicted = ", ".join(f"{t}: {g:.1f}" for t, g in gains.items())
    print(f"{name:15s} one thread {1e3 * one:8.1f} ms   gain predicted {predicted}   measured 2: {two:.2f}")
    print(
        f"{'':15s} at {n_threads}, ms: {', '.join(f'{key} {1e3 * value:.1f}' for key, value in ms.items())};"
        f" {len(tasks)} regions of {tasks.min()} to {tasks.max()} tasks (median {np.median(tasks):.0f}),"
        f" a task {1e6 * np.median(lengths):.0f} us (longest {1e6 * lengths.max():.0f})",
        flush=True,
    )
    for name, lost in sorted(losses(account).items(), key=lambda item: -item[1][0])[:WORST]:
        print(f"{'':17s} {1e3 * lost[0]:7.1f} ms lost in {lost[1]:4d} regions of {name}", flush=True)
    return {"one": one, "two": two, "gains": gains, "serial": account.serial, "work": account.work, "locked": locked}


def losses(account: Account) -> dict[str, tuple[float, int]]:
    """Return, by function, the seconds that threads idle within its regions, per thread, and how many regions there are."""
    lost: dict[str, tuple[float, int]] = {}
    for region in account.regions:
        seconds, count = lost.get(region.name, (0.0, 0))
        ideal = (sum(region.seconds) + region.merges) / account.n_threads
        lost[region.name] = seconds + region.span(account.n_threads) - ideal, count + 1
    return lost


def main(names: list[str], share: float) -> None:
    from benchmarks.scaling_learners import LEARNERS

    warnings.simplefilter("ignore")  # fits are cut short
    costs = sharing_costs()
    print(", ".join(f"{kind}: {1e6 * a:.1f} us a region, {1e6 * b:.2f} us a task" for kind, (a, b) in costs.items()))
    for name in names or LEARNERS:
        learner = LEARNERS[name]
        report(name, learner.make(int(learner.rows * share)), costs)


if __name__ == "__main__":
    given = [argument for argument in sys.argv[1:] if not argument.startswith("--share=")]
    main(given, float(next((a.removeprefix("--share=") for a in sys.argv[1:] if a.startswith("--share=")), "1")))
