"""Chains drawn stretch after stretch while a checkpoint is open, each a step of its journal.

A stretch goes on from the state of the one before it, as `sample(resume=chains)` does, so that the draws are those of one run. The
warm-up belongs to the first stretch.
"""

from collections.abc import Callable
from typing import Any

from novum.base.checkpoint.identity import facts_of, same_computation
from novum.runtime.checks import check_count
from novum.runtime.journal import recording
from novum.runtime.journal.values import digest
from novum.sampling.chains import Chains, after_earlier

__all__ = ["in_stretches"]

STRETCHES = 50  # of a run: two percent of it are lost at most, beside the warm-up

Draw = Callable[[Any, Chains | None], tuple[Chains, BaseException | None]]  # (n_samples, resume)


def without_draws(chains: Chains) -> Chains:
    """Return what chains go on from, and none of their draws."""
    none = {name: value[:, :0] for name, value in chains.statistics.items()}
    return Chains(chains.draws[:, :0], chains.shapes, none, chains.settings, 0.0, chains.state, chains.sampler)


def joined(earlier: Chains, later: Chains) -> Chains:
    """Return the draws of both."""
    draws, statistics, seconds = after_earlier(earlier, later.draws, later.statistics, later.seconds)
    return Chains(draws, later.shapes, statistics, later.settings, seconds, later.state, later.sampler)


def in_stretches(
    owner: str, draw: Draw, n_samples: Any, resume: Chains | None, settings: dict[str, Any]
) -> tuple[Chains, BaseException | None]:
    """Return `draw(n_samples, resume)`, in stretches if a checkpoint is open; `settings` are compared with those of its file."""
    journal = recording()
    if journal is None:
        return draw(n_samples, resume)
    n_samples = check_count(owner, "n_samples", n_samples)
    with journal.inside(journal.key(owner)):
        same_computation(journal, owner, facts_of({**settings, "n_samples": n_samples}))
        size, done, stopped = -(-n_samples // STRETCHES), resume, None
        for first in range(0, n_samples, size):
            count = min(size, n_samples - first)
            key, word = journal.key("stretch"), digest(count)
            there, part = journal.find(key, word)
            if not there:
                part, stopped = draw(count, None if done is None else without_draws(done))
                part = journal.keep(key, word, part) if stopped is None else part
            done = part if done is None else joined(done, part)
            if stopped is not None:
                break
    assert done is not None
    return done, stopped
