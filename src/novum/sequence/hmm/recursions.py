r"""The recursions of hidden Markov models over bundles of sequences, in front of the compiled kernels.

    p(x, z) = pi(z_1) prod_t A(z_{t-1}, z_t) prod_t p(x_t | z_t)                                   (1)
    gamma_t(j) = p(z_t = j | x),   xi_t(i, j) = p(z_{t-1} = i, z_t = j | x)                        (2)

Formulas (3) to (9) are in cpp/include/novum/sequence and docs/theory/hidden_markov_models.md. Sequences lie one after the other:
rows offsets[s] to offsets[s + 1] are sequence s. Log-densities are a row per step, or a table with the row of every step, where
-1 is a step that was not observed.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from novum import _core
from novum.exceptions import DataError

__all__ = [
    "Chain",
    "Densities",
    "Posterior",
    "best_paths",
    "decode",
    "filter_states",
    "log_likelihoods",
    "row_log_likelihoods",
    "smooth",
    "with_known_states",
]

NARROW = 8  # states up to which the decoder needs no memory for its scores
IMPOSSIBLE, NOT_A_NUMBER = 1, 2


class Chain(NamedTuple):
    """Where sequences start, and how states follow each other."""

    start: NDArray  # (k,)
    trans: NDArray  # (k, k), from row to column


class Densities(NamedTuple):
    """log p(x_t | state)."""

    log: NDArray  # (rows, k), or the rows of a table
    index: NDArray | None = None  # type: ignore[assignment]  # (rows,): which row of the table; -1 is missing

    def rows(self) -> NDArray:
        """Return a row per step."""
        if self.index is None:
            return self.log
        found = self.log[self.index]
        found[self.index < 0] = 0.0
        return found


class Posterior(NamedTuple):
    """What smoothing gives."""

    log_likelihood: NDArray  # (sequences,)
    shares: NDArray  # (rows, k): gamma of (2)
    pairs: NDArray  # (k, k): sum of weight times xi of (2)
    emitted: NDArray | None  # (table rows, k): sums of weight times gamma by row of the table


def chain_arrays(chain: Chain) -> tuple[NDArray, NDArray]:
    """Return the chain as the kernels take it."""
    return np.ascontiguousarray(chain.start, np.float64), np.ascontiguousarray(chain.trans, np.float64)


def on_device() -> Any:
    """Return the same recursions for densities on a device."""
    from novum.sequence.hmm.device import recursions

    return recursions


def run_recursions(
    chain: Chain,
    densities: Densities,
    offsets: NDArray,
    log_likelihood: NDArray,
    *,
    weight: NDArray | None = None,
    filtered: NDArray | None = None,
    smoothed: NDArray | None = None,
    pairs: NDArray | None = None,
    emitted: NDArray | None = None,
) -> tuple[int, int, int]:
    """Write what is not None, and return what went wrong, in which row, and how many sequences needed logarithms."""
    return _core.sequence.forward_backward.run(
        *chain_arrays(chain),
        *densities,
        offsets,
        weight=weight,
        log_likelihood=log_likelihood,
        filtered=filtered,
        smoothed=smoothed,
        pairs=pairs,
        emitted=emitted,
    )


def check_outcome(owner: str, outcome: Any, first_row: int = 0) -> None:
    """Raise where a row has no density under any state that can be there."""
    trouble, row = outcome[0], outcome[1] + first_row
    if trouble == IMPOSSIBLE:
        raise DataError(
            f"{owner}: row {row} has probability zero under every state that can be reached there. Remove the row or make it NaN,"
            " give the emissions a prior, or allow more transitions (no zeros in transmat_)."
        )
    if trouble == NOT_A_NUMBER:
        raise DataError(
            f"{owner}: the log-density of row {row} is NaN or infinite. Look at the row, and at the emission parameters."
        )


def with_known_states(densities: Densities, states: NDArray | None) -> Densities:
    """Return densities that are zero for all but the known state, where `states` (rows,) is not negative."""
    if states is None:
        return densities
    (known,) = np.nonzero(states >= 0)
    if not len(known):
        return densities
    log = densities.rows()
    log = log.copy() if densities.index is None else log
    kept = log[known, states[known]]
    log[known] = -np.inf
    log[known, states[known]] = kept
    return Densities(log)


def log_likelihoods(chain: Chain, densities: Densities, offsets: NDArray) -> NDArray:
    """Return log p(x) of every sequence, minus infinity where it is impossible."""
    if not isinstance(densities.log, np.ndarray):
        return on_device().log_likelihoods(chain, densities.log, offsets)
    out = np.empty(len(offsets) - 1)
    outcome = run_recursions(chain, densities, offsets, out)
    if outcome[0] == NOT_A_NUMBER:
        check_outcome("score", outcome)
    return out


def filter_states(
    chain: Chain, densities: Densities, offsets: NDArray, owner: str = "filter"
) -> tuple[NDArray, NDArray]:
    """Return log p(x) of every sequence and p(z_t | x_1 .. x_t) of every row."""
    if not isinstance(densities.log, np.ndarray):
        return on_device().filter_states(chain, densities.log, offsets, owner)
    rows = len(densities.log if densities.index is None else densities.index)
    out, shares = np.empty(len(offsets) - 1), np.empty((rows, len(chain.start)))
    outcome = run_recursions(chain, densities, offsets, out, filtered=shares)
    check_outcome(owner, outcome)
    return out, shares


def row_log_likelihoods(chain: Chain, densities: Densities, offsets: NDArray, owner: str) -> NDArray:
    """Return log p(x_t | x_1 .. x_{t-1}) of every row; those of a sequence add up to its log p(x)."""
    if not isinstance(densities.log, np.ndarray):
        return on_device().row_log_likelihoods(chain, densities.log, offsets, owner)
    totals, shares = filter_states(chain, densities, offsets, owner)
    ahead = np.empty_like(shares)
    ahead[1:] = shares[:-1] @ chain.trans
    ahead[offsets[:-1]] = chain.start
    log = densities.rows()
    with np.errstate(divide="ignore"):
        out = logsumexp(np.log(ahead) + log, axis=1)
    for s in np.flatnonzero(~np.isclose(np.add.reduceat(out, offsets[:-1]), totals, rtol=1e-9, atol=1e-9)):
        rows = slice(offsets[s], offsets[s + 1])  # a share that no double holds decided: once more in logarithms
        out[rows] = logarithmic_steps(chain, log[rows])
    return out


def logarithmic_steps(chain: Chain, log: NDArray) -> NDArray:
    """Return log p(x_t | x_1 .. x_{t-1}) of the rows of one sequence, forward in logarithms."""
    with np.errstate(divide="ignore"):
        ahead, trans = np.log(chain.start), np.log(chain.trans)
    out = np.empty(len(log))
    for t, row in enumerate(log):
        joint = ahead + row
        out[t] = logsumexp(joint)
        ahead = logsumexp((joint - out[t])[:, None] + trans, axis=0)
    return out


def smooth(
    chain: Chain,
    densities: Densities,
    offsets: NDArray,
    weight: NDArray | None = None,
    *,
    owner: str = "smooth",
    first_row: int = 0,
    sums: bool = True,
) -> Posterior:
    """Return (2) and what follows from it; `weight` (sequences,) counts in the sums alone, which `sums` requests."""
    if not isinstance(densities.log, np.ndarray):
        found = on_device().smooth(chain, densities.log, offsets, weight, owner, first_row)
        return Posterior(found[0], found[1], found[2], None)
    k = len(chain.start)
    rows = len(densities.log if densities.index is None else densities.index)
    out, shares, pairs = np.empty(len(offsets) - 1), np.empty((rows, k)), np.zeros((k, k))
    emitted = np.zeros_like(densities.log) if densities.index is not None and sums else None
    outcome = run_recursions(
        chain, densities, offsets, out, weight=weight, smoothed=shares, pairs=pairs if sums else None, emitted=emitted
    )
    check_outcome(owner, outcome, first_row)
    return Posterior(out, shares, pairs, emitted)


def decode(chain: Chain, densities: Densities, offsets: NDArray, owner: str = "decode") -> tuple[NDArray, NDArray]:
    """Return the log-probability of every sequence's most probable path, and the paths one after the other."""
    if not isinstance(densities.log, np.ndarray):
        return on_device().decode(chain, densities.log, offsets, owner)
    log, index = densities
    rows = len(log if index is None else index)
    log_prob, path = np.empty(len(offsets) - 1), np.empty(rows, np.int64)
    score = None
    if len(chain.start) > NARROW:
        score = log if index is None and log.flags.writeable else np.empty((rows, len(chain.start)))
    failed = _core.sequence.viterbi.decode(*chain_arrays(chain), log, index, offsets, score, log_prob, path)
    if failed < rows:
        check_outcome(owner, (IMPOSSIBLE, failed))
    return log_prob, path


def best_paths(chain: Chain, densities: Densities, count: int) -> tuple[NDArray, NDArray]:
    """Return the log-probabilities of the most probable paths of one sequence, best first, and the paths (found, rows)."""
    log = np.ascontiguousarray(densities.rows())
    log_prob, paths = np.empty(count), np.empty((count, len(log)), np.int64)
    found = _core.sequence.viterbi.best_paths(*chain_arrays(chain), log, log_prob, paths)
    return log_prob[:found], paths[:found]
