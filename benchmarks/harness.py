"""Time ours next to the peers: same data, same process, same threads, runs interleaved, the quality of both beside the time.

A case says how to make data of n rows and who runs on them; each contestant is a function of the data that returns a
fitted object (or a result), and `quality` turns that into one number in which equal work must agree.
"""

import gc
import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results.json"
SMALL = 4.0 * 2**20
RUNS, SLOW_RUNS, SLOW = 9, 3, 5.0  # runs of a contestant; of one slower than SLOW seconds
SHORT, MOST_CALLS = 0.02, 100  # a call of microseconds is timed in a row of calls
# Threads of OpenMP and OpenBLAS busy-wait for some 5 and 100 milliseconds after their work: without a pause a contestant shares its
# processors with those of the one before.
PAUSE = 0.12


@dataclass(frozen=True)
class Case:
    """One piece of work, at several sizes."""

    name: str
    make: Callable[[int], Any]  # rows -> data
    contestants: dict[str, Callable[[Any], Any]]  # the first is ours
    quality: Callable[[Any, Any], float]  # (result, data) -> a number that says how good the result is
    rows: tuple[int, ...]
    bar: dict[str, float] = field(default_factory=dict)  # least ratio to a peer


@dataclass(frozen=True)
class Row:
    """One measured size of a case against one peer."""

    case: str
    rows: int
    peer: str
    ours_ms: float
    peer_ms: float
    ratio: float  # peer / ours: above one we are faster
    memory_ratio: float  # peak memory of the peer / ours
    quality: float
    peer_quality: float
    bar: float | None


def peak_memory(function: Callable[[Any], Any], data: Any) -> float:
    """Return the bytes that the process grew by at its highest during the call (Linux), at least SMALL: less says nothing."""
    status = Path("/proc/self/status")
    gc.collect()
    try:
        Path("/proc/self/clear_refs").write_text("5")  # forget the highest so far
    except OSError:
        return float("nan")

    def read(key):
        return next(int(line.split()[1]) * 1024 for line in status.read_text().splitlines() if line.startswith(key))

    before = read("VmRSS")
    function(data)
    return max(SMALL, read("VmHWM") - before)


def seconds(function: Callable[[Any], Any], data: Any, calls: int) -> float:
    """Return the time of one call, measured over several in a row."""
    start = time.perf_counter()
    for _ in range(calls):
        function(data)
    return (time.perf_counter() - start) / calls


def repetitions(function: Callable[[Any], Any], data: Any) -> int:
    """Return how many calls in a row are timed: those that fill SHORT seconds, one where a call is longer."""
    return max(1, min(MOST_CALLS, int(SHORT / seconds(function, data, 1))))


def run_case(case: Case) -> list[Row]:
    """Return the rows of a case, printing them as they come."""
    rows = []
    ours, *peers = case.contestants
    for n in case.rows:
        data = case.make(n)
        results, times = {}, {name: [] for name in case.contestants}
        for name, function in case.contestants.items():  # warm-up, also gives the results to compare
            results[name] = function(data)
        calls = {name: repetitions(function, data) for name, function in case.contestants.items()}
        memory = {name: peak_memory(function, data) for name, function in case.contestants.items()}
        count = RUNS
        for run in range(RUNS):
            if run >= count:
                break
            for name, function in case.contestants.items():
                time.sleep(PAUSE)
                times[name].append(seconds(function, data, calls[name]))
            if max(t[-1] for t in times.values()) > SLOW:
                count = SLOW_RUNS
        median = {name: 1e3 * statistics.median(t) for name, t in times.items()}
        for peer in peers:
            row = Row(
                case.name,
                n,
                peer,
                round(median[ours], 3),
                round(median[peer], 3),
                round(median[peer] / median[ours], 2),
                round(memory[peer] / memory[ours], 2),
                case.quality(results[ours], data),
                0.0 if peer.startswith("floor") else case.quality(results[peer], data),
                case.bar.get(peer),
            )
            rows.append(row)
            verdict = "" if row.bar is None else ("  ok" if row.ratio >= row.bar else f"  BELOW {row.bar}")
            print(
                f"{case.name:38s} {n:>9,d}  {ours} {row.ours_ms:9.2f} ms  {peer:22s} {row.peer_ms:9.2f} ms  x{row.ratio:<7.2f}"
                f" memory x{row.memory_ratio:<6.2f} quality {row.quality:.8g} / {row.peer_quality:.8g}{verdict}",
                flush=True,
            )
    return rows


def exponents(rows: list[Row]) -> dict[str, float]:
    """Return the growth exponent of our time in the rows, by case, fitted on logarithms."""
    import numpy as np

    out = {}
    for case in {row.case for row in rows}:
        points = sorted({(row.rows, row.ours_ms) for row in rows if row.case == case})
        if len(points) > 1:
            x, y = np.log(np.array(points)).T
            out[case] = round(float(np.polyfit(x, y, 1)[0]), 2)
    return out


def write(rows: list[Row]) -> None:
    """Merge the rows into results.json: cases measured now replace their old rows."""
    old = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    measured = {row.case for row in rows}
    parts = {"rows": [row for row in rows if not is_floor(row)], "floors": [row for row in rows if is_floor(row)]}
    results = {
        name: [row for row in old.get(name, []) if row["case"] not in measured] + [asdict(row) for row in part]
        for name, part in parts.items()
    }
    results["exponents"] = exponents([Row(**row) for row in results["rows"]])
    results["machines"] = old.get("machines", {}) | dict.fromkeys(measured, machine())
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")


def is_floor(row: Row) -> bool:
    """Return whether a row compares with what the machine can do at best, not with a peer."""
    return row.peer.startswith("floor")


def machine() -> str:
    """Return the processor and the number of its cores that this process may use."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    model = next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor()
    )
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{model}, {cores} cores"
