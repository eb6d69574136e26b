"""Time ours on a device next to PyTorch as a good engineer would write it, with the error of ours against float64 on the processor.

A family's file has a list `CASES`. `ours` and `plain` make their data on the device, outside the clock, and return the call that is
timed; `error` fits a smaller piece of the same work in both homes and returns the largest relative difference.
"""

import gc
import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

REPEATS, WARM = 7, 2  # the first calls compile kernels and make handles

Call = Callable[[], Any]


@dataclass(frozen=True)
class Case:
    """One piece of work on a device."""

    name: str
    bar_ms: float | None  # on one H200; None where nothing was agreed
    ours: Callable[[], Call]
    plain: Callable[[], Call] | None  # None where plain PyTorch has no such thing
    error: Callable[[], float]
    plain_once: bool = False  # for what takes minutes


@dataclass(frozen=True)
class PerPass:
    """A call in which `passes` are timed by the difference of a long and a short one."""

    short: Call
    long: Call
    passes: int


def device() -> torch.device:
    """Return the GPU, or the processor where there is none."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def normal(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Return standard normal numbers on the device, the same for the same seed."""
    generator = torch.Generator(device()).manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=dtype, device=device())


def finished() -> None:
    """Wait for the device."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def once(call: Call) -> float:
    """Return the milliseconds of one call, by the clock on the wall."""
    finished()
    begin = time.perf_counter()
    call()
    finished()
    return 1e3 * (time.perf_counter() - begin)


def median_ms(call: Call | PerPass) -> float:
    """Return the median of some calls, or of the time of one pass."""
    if isinstance(call, PerPass):
        return (median_ms(call.long) - median_ms(call.short)) / call.passes
    for _ in range(WARM):
        call()
    return statistics.median(once(call) for _ in range(REPEATS))


def measured(make: Callable[[], Any], time_of: Callable[[Any], float] = median_ms) -> float:
    """Return the time of what `make` returns; its data are gone afterwards."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = time_of(make())
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return found


def line(case: Case) -> str:
    """Return one row of the table."""
    ours = measured(case.ours)
    plain = None if case.plain is None else measured(case.plain, once if case.plain_once else median_ms)
    bar = "" if case.bar_ms is None else f"{case.bar_ms:g}"
    beside = "" if plain is None else f"{plain:.2f}"
    met = "" if case.bar_ms is None else ("yes" if ours <= case.bar_ms else "NO")
    return f"{case.name:58} {ours:9.2f} {beside:>9} {bar:>7} {met:>4} {case.error():10.1e}"


def difference(found: Any, expected: Any) -> float:
    """Return the largest difference relative to the largest expected value."""
    a, b = (torch.as_tensor(value).detach().cpu().double() for value in (found, expected))
    return float((a - b).abs().max() / b.abs().max())


HEAD = f"{'case':58} {'ours ms':>9} {'plain ms':>9} {'bar ms':>7} {'met':>4} {'error':>10}"
