"""python -m benchmarks.scaling [--share=S] [LEARNER ...]: what more threads gain, next to what the machine can give.

Every learner of `scaling_learners` runs on 1, 2, 4, ... threads, as many as there are processors, interleaved; in the same run
a product of matrices (bound by arithmetic) and the STREAM triad a = b + s c (bound by memory) show what so many threads gain at
most. A learner's share is its gain over that of its bound: the product, or the lower of the two where every value is read
for little arithmetic. Writes benchmarks/scaling.json.
"""

import json
import os
import platform
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.scaling_learners import LEARNERS, limited
from novum.runtime.pool import map_ordered

RESULTS = Path(__file__).parent / "scaling.json"
RUNS = 5
PAUSE = 0.15  # threads of OpenBLAS busy-wait for some 100 milliseconds after their work
SIDE = 3072  # of the matrices
TRIAD = 2**24  # numbers in each of its three arrays: far more than caches hold
PIECE = 2**15  # numbers of a step, whose product stays in the second-level cache
SHARE, SLACK = 0.8, 1.05  # least share of the bound; a loss by more threads that is noise


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def machine() -> dict[str, Any]:
    """Return what the machine is."""
    info = Path("/proc/cpuinfo")
    names = (
        [line.split(":")[1].strip() for line in info.read_text().splitlines() if "model name" in line]
        if info.exists()
        else []
    )
    return {
        "processor": names[0] if names else platform.processor(),
        "processors": processors(),
        "system": platform.platform(),
    }


def product(_: int) -> Callable[[int], Any]:
    """Return a product of matrices by BLAS."""
    a = np.random.default_rng(0).normal(size=(SIDE, SIDE))
    out = np.empty_like(a)

    def run(threads: int) -> None:
        with threadpool_limits(threads, user_api="blas"):
            np.dot(a, a, out=out)

    return run


def triad(_: int) -> Callable[[int], Any]:
    """Return the STREAM triad, each thread on runs of its own."""
    a, b, c = (np.full(TRIAD, value) for value in (0.0, 1.0, 2.0))

    def part(begin: int, end: int) -> None:
        scaled = np.empty(PIECE)
        for start in range(begin, end, PIECE):
            here = slice(start, min(start + PIECE, end))
            view = scaled[: here.stop - start]
            np.multiply(c[here], 3.0, out=view)
            np.add(b[here], view, out=a[here])

    def run(threads: int) -> None:
        cuts = np.linspace(0, TRIAD, 4 * threads + 1).astype(int)
        for _ in map_ordered(lambda k: part(cuts[k], cuts[k + 1]), range(4 * threads), threads):
            pass

    return run


def seconds(work: Callable[[int], Any], counts: list[int], slow: float = 3.0) -> dict[int, float]:
    """Return the median seconds of the work by number of threads, all interleaved."""
    times: dict[int, list[float]] = {count: [] for count in counts}
    for run in range(RUNS + 1):
        for count in counts:
            with limited(count):
                time.sleep(PAUSE)
                start = time.perf_counter()
                work(count)
                if run:  # the first warms up
                    times[count].append(time.perf_counter() - start)
        if run and times[counts[0]][-1] > slow and run >= 3:
            break
    return {count: statistics.median(found) for count, found in times.items()}


def gains(times: dict[int, float]) -> dict[int, float]:
    """Return one thread's time over those of more."""
    first, *more = times
    return {count: round(times[first] / times[count], 2) for count in more}


def verdict(
    found: dict[int, float], bounds: dict[str, dict[int, float]], bound: str, target: float | None
) -> dict[str, Any]:
    """Return a learner's share of its bound by threads, what is asked for at the most of them, and where more threads lose."""
    falls = [b for a, b in zip([1, *found], found) if found[b] * SLACK < ({1: 1.0} | found)[a]]
    if target is not None:
        return {"bound": bound, "asked": target, "slower_with": falls}
    limit = {t: min(bounds["gemm"][t], bounds["stream"][t]) if bound == "stream" else bounds["gemm"][t] for t in found}
    shares = {t: round(found[t] / limit[t], 2) for t in found}
    last = max(found, default=1)
    return {
        "bound": bound,
        "share": shares,
        "asked": round(SHARE * limit[last], 2) if found else None,
        "slower_with": falls,
    }


def main(names: list[str], share: float) -> None:
    """Measure, print the table and write it."""
    warnings.simplefilter("ignore")  # fits are cut short
    counts = [1]
    while 2 * counts[-1] <= processors():
        counts.append(2 * counts[-1])
    if counts[-1] != processors():
        counts.append(processors())
    bounds = {"gemm": gains(seconds(product(0), counts)), "stream": gains(seconds(triad(0), counts))}
    print(machine())
    print(
        f"{'':16s} {'1 thread':>10s}   "
        + " ".join(f"x{count:<6d}" for count in counts[1:])
        + "  bound    share   asked"
    )
    for name, found in bounds.items():
        print(f"{name:16s} {'':>10s}   " + " ".join(f"{gain:<7.2f}" for gain in found.values()))
    rows = []
    for name in names or LEARNERS:
        learner = LEARNERS[name]
        n = int(learner.rows * share)
        times = seconds(learner.make(n), counts)
        found = gains(times)
        said = verdict(found, bounds, learner.bound, learner.target)
        rows.append({"learner": name, "rows": n, "one_thread_ms": round(1e3 * times[1], 2), "gain": found, **said})
        last = str(list(said["share"].values())[-1]) if said.get("share") else ""
        falls = f"  SLOWER with {said['slower_with']}" if said["slower_with"] else ""
        print(
            f"{name:16s} {1e3 * times[1]:7.1f} ms   "
            + " ".join(f"{gain:<7.2f}" for gain in found.values())
            + f"  {said['bound']:7s} {last:>6s}  {said['asked']}{falls}",
            flush=True,
        )
    RESULTS.write_text(json.dumps({"machine": machine(), "bounds": bounds, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    given = [argument for argument in sys.argv[1:] if not argument.startswith("--share=")]
    main(given, float(next((a.removeprefix("--share=") for a in sys.argv[1:] if a.startswith("--share=")), "1")))
