"""Chains of any kernel in Python: a kernel maps a state and a Generator to the next state; several make a mixture or a cycle.

    composition  T2 o T1: apply T1, then T2        mixture  a T1 + (1 - a) T2: draw which to apply        (1)

Both leave the target invariant where their parts do. Draws are a function of (seed, chain): every chain has a Generator of its own.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError, ParameterTypeError
from novum.runtime.checks import check_count, probability_table
from novum.runtime.random import seed_of
from novum.runtime.typing import Numbers, Seed
from novum.sampling.chains import Chains, after_earlier, resumed_state, shapes_of
from novum.sampling.stretches import in_stretches

__all__ = ["run_chains", "run_steps"]

Step = Callable[[Any, np.random.Generator], Any]


def generator_of(seed: int, chain: int) -> np.random.Generator:
    """Return the Generator of a chain."""
    return np.random.Generator(np.random.Philox(key=np.array([seed, chain], dtype=np.uint64)))


def generator_at(state: Any) -> np.random.Generator:
    """Return a Generator that goes on from a state."""
    bits = np.random.Philox()
    bits.state = state
    return np.random.Generator(bits)


def run_steps(
    owner: str,
    step: Step,
    states: list[Any],
    record: Callable[[Any], tuple[NDArray[np.float64], tuple[float, ...]]],
    statistics: tuple[str, ...],
    names: Any,
    *,
    n_samples: Any,
    n_warmup: Any,
    thin: Any,
    random_state: Any,
    resume: Chains | None,
    begin: Callable[[Any], Any] = lambda state: state,
    settings: Mapping[str, Any] | None = None,
) -> tuple[Chains, BaseException | None]:
    """Return the draws of chains that `step` moves, and the interrupt that cut them short, if one did.

    `record` turns a state into its numbers and the statistics of the draw; `begin` makes the first state of a given one.
    """
    options: dict[str, Any] = {"n_warmup": n_warmup, "thin": thin, "random_state": random_state}

    def draw(count: Any, before: Chains | None) -> tuple[Chains, BaseException | None]:
        return steps_at_once(
            owner,
            step,
            states,
            record,
            statistics,
            names,
            n_samples=count,
            resume=before,
            begin=begin,
            settings=settings,
            **options,
        )

    return in_stretches(owner, draw, n_samples, resume, {**options, "start": states, "kernel": step})


def steps_at_once(
    owner: str,
    step: Step,
    states: list[Any],
    record: Callable[[Any], tuple[NDArray[np.float64], tuple[float, ...]]],
    statistics: tuple[str, ...],
    names: Any,
    *,
    n_samples: Any,
    n_warmup: Any,
    thin: Any,
    random_state: Any,
    resume: Chains | None,
    begin: Callable[[Any], Any],
    settings: Mapping[str, Any] | None,
) -> tuple[Chains, BaseException | None]:
    """Return what `run_steps` does, in one go."""
    n_samples = check_count(owner, "n_samples", n_samples)
    if resume is not None:
        before = resumed_state(owner, resume)
        thin, n_warmup, wait = before["thin"], before["n_warmup"], 0
        states, generators = list(before["states"]), [generator_at(one) for one in before["generators"]]
    else:
        thin, n_warmup = check_count(owner, "thin", thin), check_count(owner, "n_warmup", n_warmup, 0)
        wait, seed = n_warmup, seed_of(random_state)
        generators = [generator_of(seed, k) for k in range(len(states))]
        states = [begin(state) for state in states]
    rows: list[list[NDArray[np.float64]]] = [[] for _ in states]
    facts: list[list[tuple[float, ...]]] = [[] for _ in states]
    kept = [(state, generator.bit_generator.state) for state, generator in zip(states, generators)]
    stopped: BaseException | None = None
    began = time.perf_counter()
    try:
        for iteration in range(wait + n_samples * thin):
            for k, generator in enumerate(generators):
                states[k] = step(states[k], generator)
            if iteration >= wait and (iteration - wait + 1) % thin == 0:
                for k, state in enumerate(states):
                    row, fact = record(state)
                    rows[k].append(row)
                    facts[k].append(fact)
                kept = [(state, generator.bit_generator.state) for state, generator in zip(states, generators)]
    except KeyboardInterrupt as interrupt:
        stopped = interrupt
    seconds = time.perf_counter() - began
    n_done = min(map(len, facts))
    width = len(record(states[0])[0])
    draws = np.array([chain[:n_done] for chain in rows]).reshape(len(rows), n_done, width)
    values = np.array([chain[:n_done] for chain in facts], dtype=np.float64).reshape(len(rows), n_done, len(statistics))
    table = {name: values[:, :, j] for j, name in enumerate(statistics)}
    shapes = resume.shapes if resume is not None else shapes_of(owner, names, width)
    if resume is not None:
        draws, table, seconds = after_earlier(resume, draws, table, seconds)
    state = {
        "sampler": owner,
        "thin": thin,
        "n_warmup": n_warmup,
        "states": [one for one, _ in kept],
        "generators": [one for _, one in kept],
    }
    return Chains(draws, shapes, table, settings, seconds, state, owner), stopped


def combined(kernels: Any, weights: Any) -> Step:
    """Return one kernel (1) of several."""
    if callable(kernels):
        return kernels
    if not isinstance(kernels, Sequence) or not kernels or not all(callable(kernel) for kernel in kernels):
        raise ParameterTypeError(
            "run_chains: kernel must be a function (state, generator) -> state, or a list of such functions."
        )
    parts = list(kernels)
    if weights is None:

        def in_turn(state: Any, rng: np.random.Generator) -> Any:
            for part in parts:
                state = part(state, rng)
            return state

        return in_turn
    shares = np.cumsum(probability_table("run_chains", "weights", weights))
    if len(shares) != len(parts):
        raise ParameterError(
            f"run_chains(weights=...): {len(shares)} weights for {len(parts)} kernels; give one for each."
        )

    def one_of(state: Any, rng: np.random.Generator) -> Any:
        return parts[min(int(np.searchsorted(shares, rng.random(), side="right")), len(parts) - 1)](state, rng)

    return one_of


def run_chains(
    kernel: Callable[..., Any] | Sequence[Any],
    start: Numbers | Sequence[Any],
    n_samples: int = 1000,
    *,
    n_chains: int = 4,
    n_warmup: int = 1000,
    thin: int = 1,
    weights: Numbers | None = None,
    names: Sequence[str] | Mapping[str, tuple[int, ...]] | None = None,
    random_state: Seed = None,
    resume: Chains | None = None,
    check: bool = True,
) -> Chains:
    """Run Markov chains of a kernel of your own, or of several as a cycle or a mixture (1).

    Parameters
    ----------
    kernel : callable or list of callables
        (state, generator) to the next state; it must leave the state it was given unchanged. Of a list all are applied in turn, or
        with `weights` one that is drawn. `MetropolisHastings.step` and `GibbsSampler.step` are kernels.
    start : number, array-like, or list of one per chain
        Where the chains begin; a list of `n_chains` states gives every chain its own.
    n_samples, n_chains, n_warmup, thin, names, random_state, resume, check
        As in `HamiltonianMonteCarlo.sample`; the warm-up is thrown away, nothing is learned in it.
    weights : array-like, default=None
        Probabilities of the kernels of a mixture; None: a cycle.

    Returns
    -------
    Chains

    Examples
    --------
    >>> from novum.sampling import run_chains
    >>> def step(x, rng):  # autoregression, whose stationary distribution is a standard normal
    ...     return 0.5 * x + 0.75**0.5 * rng.normal()
    >>> chains = run_chains(step, start=0.0, n_samples=2000, names=["x"], random_state=0)
    >>> bool(abs(chains["x"].mean()) < 0.1), bool(abs(chains["x"].std() - 1) < 0.1)
    (True, True)
    """
    step, n_chains = combined(kernel, weights), check_count("run_chains", "n_chains", n_chains)
    states = list(start) if isinstance(start, list) and len(start) == n_chains else [start] * n_chains

    def record(state: Any) -> tuple[NDArray[np.float64], tuple[float, ...]]:
        return numbers_of("run_chains", state), ()

    chains, stopped = run_steps(
        "run_chains",
        step,
        states,
        record,
        (),
        names,
        n_samples=n_samples,
        n_warmup=n_warmup,
        thin=thin,
        random_state=random_state,
        resume=resume,
    )
    if stopped is not None:
        raise stopped
    if check:
        chains.complain()
    return chains


def numbers_of(owner: str, state: Any) -> NDArray[np.float64]:
    """Return the numbers of a state: those of an array, or of all values of a mapping."""
    try:
        if isinstance(state, Mapping):
            return np.concatenate([np.ravel(np.asarray(value, dtype=np.float64)) for value in state.values()])
        return np.array(state, dtype=np.float64).ravel()
    except (TypeError, ValueError) as error:
        raise DataError(f"{owner}: a state must be numbers, an array or a mapping of such, not {state!r}.") from error
