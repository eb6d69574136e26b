"""One driver for chains that request a density (`_core.sampling.chains`): starts, workers, interrupts, going on from before.

A chain's draws are a function of (seed, chain, iteration): chains advance in turn, a call each, or all by one call of a vectorised
density, or each in a process of its own, and the draws are the same. What a run needs to go on is its last draw and
what it learned.
"""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from novum import _core
from novum.exceptions import DataError, DataWarning, ParameterError
from novum.runtime.checks import check_count
from novum.runtime.pool import map_ordered
from novum.runtime.random import seed_of
from novum.runtime.threads import thread_count
from novum.runtime.warn import warn
from novum.sampling.chains import Chains, after_earlier, resumed_state, shapes_of
from novum.sampling.densities import Density, check_start, place_text
from novum.sampling.starts import start_points
from novum.sampling.stretches import in_stretches

__all__ = ["Method", "Request", "run"]

Record = dict[str, NDArray[Any]]  # arrays with a row per draw, the draws themselves among them


class Method(NamedTuple):
    """What one kind of chain is to the driver."""

    owner: str
    record: Callable[[int, int], Record]  # (n_draws, d) to empty arrays
    chain: Callable[..., Any]  # (request, chain, start, begin, learned, record) to a chain of the core
    learned: Callable[[Any], dict[str, Any]]  # what a chain has learned by now, in the form that `chain` takes it
    statistics: Callable[[Record], Record]  # per draw, from the records
    warmup: Callable[[int], int]  # iterations of warm-up in d dimensions, where the user leaves them open


class Request(NamedTuple):
    """Settings of a run."""

    n_samples: int
    n_warmup: int
    thin: int
    seed: int


def warn_of_undefined(owner: str, found: list[tuple[int, NDArray[np.float64]]]) -> None:
    """Warn of densities that were no numbers on the way: how many of every chain, and where first."""
    count = sum(n for n, _ in found)
    if count:
        first = next(place for n, place in found if n)
        warn(
            f"{owner}: log_prob or its gradient was NaN at {count} points, first at {place_text(first)}; they were taken "
            "as outside the support. Return -inf there, or write the model so that it is defined.",
            DataWarning,
        )


def drive_compiled(chains: list[Any], compiled: Any) -> int:
    """Run chains of a compiled density, a thread each; return a chain whose density was +inf, or -1."""
    fine = map_ordered(lambda chain: _core.sampling.chains.drive_compiled(chain, compiled), chains, thread_count())
    return next((k for k, well in enumerate(fine) if not well), -1)


def advance(
    method: Method, request: Request, density: Density, numbers: list[int], starts: Any, begin: int, learned: list[Any]
) -> Any:
    """Run some chains to their end; return records, what was learned, draws done, NaNs met, and an interrupt, if one came."""
    records = [method.record(request.n_samples, starts.shape[1]) for _ in numbers]
    chains = [
        method.chain(request, k, np.ascontiguousarray(starts[i]), begin, learned[i], records[i])
        for i, k in enumerate(numbers)
    ]
    stopped: BaseException | None = None
    try:
        if density.compiled is not None:
            infinite = drive_compiled(chains, density.compiled(starts.shape[1]))
        else:
            infinite = _core.sampling.chains.drive(
                chains, density.function, density.gradient, density.pair, density.together
            )
        if infinite >= 0:
            raise DataError(
                f"{method.owner}: log_prob is +inf at {place_text(chains[infinite].next_point)}; a density has no such "
                f"peak: mend log_prob."
            )
    except KeyboardInterrupt as interrupt:
        stopped = interrupt
    learned = [method.learned(chain) for chain in chains]
    undefined = [(chain.undefined, chain.first_undefined) for chain in chains]
    return records, learned, [chain.recorded for chain in chains], undefined, stopped


def in_processes(
    method: Method, request: Request, density: Density, starts: Any, begin: int, learned: Any, n_jobs: int
) -> Any:
    """Run every chain in a process of its own; the same draws."""
    parts = Parallel(n_jobs=n_jobs)(
        delayed(advance)(method, request, density, [k], starts[k : k + 1], begin, learned[k : k + 1])
        for k in range(len(starts))
    )
    stopped = next((part[4] for part in parts if part[4]), None)
    return *([one for part in parts for one in part[i]] for i in range(4)), stopped


def run(
    method: Method, density: Density, *, n_samples: Any, resume: Chains | None, **options: Any
) -> tuple[Chains, BaseException | None]:
    """Return the draws of all chains, those of `resume` before them, and the interrupt that cut them short, if one did."""

    def draw(count: Any, before: Chains | None) -> tuple[Chains, BaseException | None]:
        return run_at_once(method, density, n_samples=count, resume=before, **options)

    return in_stretches(method.owner, draw, n_samples, resume, {**options, "log_prob": density.function})


def run_at_once(
    method: Method,
    density: Density,
    *,
    n_samples: Any,
    start: Any,
    n_chains: Any,
    n_warmup: Any,
    thin: Any,
    names: Any,
    random_state: Any,
    n_jobs: Any,
    resume: Chains | None,
) -> tuple[Chains, BaseException | None]:
    """Return what `run` does, in one go."""
    owner = method.owner
    n_samples = check_count(owner, "n_samples", n_samples)
    if resume is not None:
        before = resumed_state(owner, resume)
        n_chains, n_warmup, thin, seed, begin = (
            before[key] for key in ("n_chains", "n_warmup", "thin", "seed", "begin")
        )
        starts, learned, shapes = before["position"], before["learned"], resume.shapes
    else:
        n_chains = check_count(owner, "n_chains", n_chains)
        thin, seed, begin = check_count(owner, "thin", thin), seed_of(random_state), 0
        starts = start_points(owner, start, n_chains, seed, density)
        n_warmup = method.warmup(starts.shape[1]) if n_warmup is None else check_count(owner, "n_warmup", n_warmup, 0)
        learned, shapes = [{}] * n_chains, shapes_of(owner, names, starts.shape[1])
        check_start(owner, density, starts)
    request = Request(n_samples, n_warmup, thin, seed)
    workers = min(n_chains, effective_n_jobs(n_jobs)) if n_jobs is not None else 1
    workers = 1 if density.compiled is not None else workers  # threads share those
    if workers > 1 and density.together:
        raise ParameterError(f"{owner}(vectorized=True): all chains advance by one call; leave n_jobs=None.")
    began = time.perf_counter()
    if workers > 1:
        records, learned, done, undefined, stopped = in_processes(
            method, request, density, starts, begin, learned, workers
        )
    else:
        records, learned, done, undefined, stopped = advance(
            method, request, density, list(range(n_chains)), starts, begin, learned
        )
    warn_of_undefined(owner, undefined)
    n_done = min(done)  # after an interrupt the chains are about as long as each other
    joined = {key: np.stack([record[key][:n_done] for record in records]) for key in records[0]}
    draws = joined.pop("draws")
    statistics = method.statistics(joined)
    seconds = time.perf_counter() - began
    if resume is not None:
        draws, statistics, seconds = after_earlier(resume, draws, statistics, seconds)
    state = {
        "sampler": owner,
        "n_chains": n_chains,
        "n_warmup": n_warmup,
        "thin": thin,
        "seed": seed,
        "begin": max(begin, n_warmup) + n_done * thin,
        "position": draws[:, -1].copy() if draws.shape[1] else starts,
        "learned": learned,
    }
    settings = {key: [one[key] for one in learned] for key in learned[0]}
    return Chains(draws, shapes, statistics, settings, seconds, state, owner), stopped
