"""The recursions over sequences of a tensor, and which form of them runs: compiled where there is a compiler, else padded.

A sequence that the compiled form could not hold, and one that has no density, goes through logarithms once more; one transfer
says which. Log-densities, shares and paths stay on the device.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.runtime import arrays, devices
from novum.sequence.hmm.device import padded

__all__ = ["decode", "filter_states", "first_visits", "log_likelihoods", "row_log_likelihoods", "smooth"]

IMPOSSIBLE, NOT_A_NUMBER = 1, 2
DRIFT = 1e-9  # of a sum over rows that should be the likelihood of their sequence


def compiled(log: Any) -> bool:
    """Return whether the kernels take these densities."""
    if not devices.runs_kernels(log):
        return False
    from novum.sequence.hmm.device import kernels

    return log.shape[1] <= kernels.MOST_STATES


def chain_tensors(chain: Any, log: Any) -> tuple[Any, Any]:
    """Return the start and the transitions beside the densities."""
    return arrays.like(log, chain.start, "float64"), arrays.like(log, chain.trans, "float64")


def rows_of(offsets: NDArray, chosen: NDArray) -> NDArray:
    """Return the rows of some sequences, one after the other."""
    return np.concatenate([np.arange(offsets[s], offsets[s + 1]) for s in chosen])


def failure(chain: Any, log: Any, offsets: NDArray, likelihood: Any) -> tuple[int, int]:
    """Return what is wrong with the first sequence without a likelihood, and in which row: (0, 0) for none."""
    bad = arrays.to_numpy((~likelihood.isfinite()).nonzero()[:, 0])
    if not len(bad):
        return 0, 0
    first = int(offsets[bad[0]])
    rows = log[first : int(offsets[bad[0] + 1])]
    wrong = (rows.isnan() | (rows == float("inf"))).any(1).nonzero()
    if len(wrong):
        return NOT_A_NUMBER, first + int(wrong[0, 0])
    steps = padded.forward(*chain_tensors(chain, log), next(padded.batches(rows, np.array([len(rows)]))))
    never = (steps[0] == -float("inf")).all(1).nonzero()
    return IMPOSSIBLE, first + (int(never[0, 0]) if len(never) else 0)


def raise_failure(owner: str, found: tuple[int, int], first_row: int) -> None:
    """Raise where something is wrong, in the words of memory."""
    from novum.sequence.hmm.recursions import check_outcome

    check_outcome(owner, found, first_row)


def filtered(chain: Any, log: Any, offsets: NDArray) -> tuple[Any, Any, Any, Any]:
    """Return log p(x), filtered shares, and for the way back the sums of the steps and what is to be repeated, or None."""
    import torch

    start, trans = chain_tensors(chain, log)
    if not compiled(log):
        return *padded.filtered(start, trans, log, np.diff(offsets)), None, None
    from novum.sequence.hmm.device import kernels

    log = log.contiguous()
    shares, scale, likelihood, repeat = kernels.forward(start, trans, log, torch.as_tensor(offsets, device=log.device))
    return likelihood, shares, scale, repeat


def repeated(repeat: Any) -> NDArray:
    """Return the sequences that the kernels could not hold."""
    return np.zeros(0, np.int64) if repeat is None else arrays.to_numpy(repeat.nonzero()[:, 0])


def filter_states(chain: Any, log: Any, offsets: NDArray, owner: str | None = "filter") -> tuple[Any, Any]:
    """Return log p(x) of every sequence and p(z_t | x_1 .. x_t) of every row; without an owner nothing is impossible."""
    likelihood, shares, _, repeat = filtered(chain, log, offsets)
    again = repeated(repeat)
    if len(again):
        rows = arrays.like(log, rows_of(offsets, again), "int64")
        lengths = np.diff(offsets)[again]
        likelihood[again], shares[rows] = padded.filtered(*chain_tensors(chain, log), log[rows], lengths)
    wrong = failure(chain, log, offsets, likelihood)
    if owner is not None or wrong[0] == NOT_A_NUMBER:
        raise_failure(owner or "score", wrong, 0)
    return likelihood, shares


def log_likelihoods(chain: Any, log: Any, offsets: NDArray) -> Any:
    """Return log p(x) of every sequence, minus infinity where it is impossible."""
    return filter_states(chain, log, offsets, None)[0]


def row_log_likelihoods(chain: Any, log: Any, offsets: NDArray, owner: str) -> Any:
    """Return log p(x_t | x_1 .. x_{t-1}) of every row, from one step of the filtered shares."""
    import torch

    likelihood, shares = filter_states(chain, log, offsets, owner)
    start, trans = chain_tensors(chain, log)
    ahead = torch.empty_like(shares)
    ahead[1:] = shares[:-1] @ trans
    ahead[arrays.like(log, offsets[:-1], "int64")] = start
    out = torch.logsumexp(ahead.log() + log, dim=1)
    which = arrays.like(log, np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)), "int64")
    gap = (torch.zeros_like(likelihood).index_add_(0, which, out) - likelihood).abs()
    again = arrays.to_numpy((~(gap <= DRIFT * (1 + likelihood.abs()))).nonzero()[:, 0])
    if len(again):  # a share that no double holds decided
        rows = arrays.like(log, rows_of(offsets, again), "int64")
        out[rows] = padded.steps(start, trans, log[rows], np.diff(offsets)[again])
    return out


def smooth(
    chain: Any, log: Any, offsets: NDArray, weight: NDArray | None, owner: str, first_row: int
) -> tuple[Any, Any, NDArray]:
    """Return log p(x) of every sequence, gamma of every row, and the weighted sums of xi, an array."""
    start, trans = chain_tensors(chain, log)
    lengths = np.diff(offsets)
    of_sequence = arrays.like(log, np.ones(len(lengths)) if weight is None else weight, "float64")
    if not compiled(log):
        likelihood, shares, pairs = padded.smoothed(start, trans, log, lengths, of_sequence)
    else:
        import torch

        from novum.sequence.hmm.device import kernels

        log = log.contiguous()
        places = torch.as_tensor(offsets, device=log.device)
        shares, scale, likelihood, repeat = kernels.forward(start, trans, log, places)
        own = kernels.backward(trans, log, places, shares, scale, repeat)
        pairs = torch.where(
            ((repeat == 0) & (of_sequence > 0))[:, None, None], own * of_sequence[:, None, None], 0.0
        ).sum(0)
        again = repeated(repeat)
        if len(again):
            rows = arrays.like(log, rows_of(offsets, again), "int64")
            found = padded.smoothed(start, trans, log[rows], lengths[again], of_sequence[again])
            likelihood[again], shares[rows], pairs = found[0], found[1], pairs + found[2]
    raise_failure(owner, failure(chain, log, offsets, likelihood), first_row)
    return likelihood, shares, arrays.to_numpy(pairs)


def decode(chain: Any, log: Any, offsets: NDArray, owner: str) -> tuple[Any, Any]:
    """Return the log-probability of every sequence's most probable path, and the paths one after the other."""
    start, trans = chain_tensors(chain, log)
    if compiled(log):
        import torch

        from novum.sequence.hmm.device import kernels

        places = torch.as_tensor(offsets, device=log.device)
        log_prob, path = kernels.viterbi(start.log(), trans.log(), log.contiguous(), places)
    else:
        log_prob, path = padded.decoded(start, trans, log, np.diff(offsets))
    raise_failure(owner, failure(chain, log, offsets, log_prob), 0)
    return log_prob, path


def first_visits(path: Any, k: int) -> NDArray:
    """Return the first row of every state in a path, the number of rows where it is not visited."""
    import torch

    place = torch.full((k,), len(path), dtype=torch.int64, device=path.device)
    return arrays.to_numpy(place.scatter_reduce_(0, path, torch.arange(len(path), device=path.device), "amin"))
