r"""The recursions by PyTorch alone: sequences of similar length padded to one, all of a batch stepped together, in logarithms.

A padded step has log-density zero and leaves the distribution as it is, so only its shares have to be cut out afterwards. This
is the form where there is no compiler, and for sequences that scaling cannot hold.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.sequence.hmm.bundles import offsets_of

__all__ = ["batches", "decoded", "filtered", "forward", "smoothed", "steps"]

BATCH_VALUES = 2**24  # of log-densities held at a time: 128 MB


class Batch(NamedTuple):
    """Padded sequences."""

    sequence: Any  # (batch,): number of every sequence
    rows: Any  # (batch, steps): number of every row, 0 where padded
    there: Any  # (batch, steps): whether a step is no padding
    log: Any  # (batch, steps, k): zero where padded


def batches(log: Any, lengths: NDArray) -> Iterator[Batch]:
    """Yield batches of sequences of similar length."""
    import torch

    offsets, order, k = offsets_of(lengths), np.argsort(lengths, kind="stable"), log.shape[1]
    first = 0
    while first < len(order):
        last = first + 1
        while last < len(order) and (last + 1 - first) * lengths[order[last]] * k <= BATCH_VALUES:
            last += 1
        chosen = order[first:last]
        steps = np.arange(int(lengths[chosen].max()))
        there = steps[None, :] < lengths[chosen][:, None]
        rows = np.where(there, offsets[chosen][:, None] + steps, 0)
        sequence, rows, there = (torch.as_tensor(value, device=log.device) for value in (chosen, rows, there))
        yield Batch(sequence, rows, there, torch.where(there[:, :, None], log[rows], 0.0))
        first = last


def forward(start: Any, trans: Any, batch: Batch) -> Any:
    """Return log p(x_1 .. x_t, z_t), (batch, steps, k)."""
    import torch

    log_trans, out = trans.log(), torch.empty_like(batch.log)
    out[:, 0] = start.log() + batch.log[:, 0]
    for t in range(1, out.shape[1]):
        stepped = torch.logsumexp(out[:, t - 1, :, None] + log_trans, dim=1) + batch.log[:, t]
        out[:, t] = torch.where(batch.there[:, t, None], stepped, out[:, t - 1])
    return out


def filtered(start: Any, trans: Any, log: Any, lengths: NDArray) -> tuple[Any, Any]:
    """Return log p(x) of every sequence, and p(z_t | x_1 .. x_t) of every row."""
    import torch

    likelihood = torch.empty(len(lengths), dtype=log.dtype, device=log.device)
    shares = torch.empty_like(log)
    for batch in batches(log, lengths):
        ahead = forward(start, trans, batch)
        likelihood[batch.sequence] = torch.logsumexp(ahead[:, -1], dim=1)
        shares[batch.rows[batch.there]] = torch.softmax(ahead, dim=2)[batch.there]
    return likelihood, shares


def steps(start: Any, trans: Any, log: Any, lengths: NDArray) -> Any:
    """Return log p(x_t | x_1 .. x_{t-1}) of every row."""
    import torch

    out = torch.empty_like(log[:, 0])
    for batch in batches(log, lengths):
        totals = torch.logsumexp(forward(start, trans, batch), dim=2)
        out[batch.rows[batch.there]] = torch.diff(totals, dim=1, prepend=torch.zeros_like(totals[:, :1]))[batch.there]
    return out


def smoothed(start: Any, trans: Any, log: Any, lengths: NDArray, weight: Any) -> tuple[Any, Any, Any]:
    """Return log p(x) of every sequence, gamma of every row, and the weighted sums (k, k) of xi."""
    import torch

    likelihood = torch.empty(len(lengths), dtype=log.dtype, device=log.device)
    shares, pairs, log_trans = torch.empty_like(log), torch.zeros_like(trans), trans.log()
    for batch in batches(log, lengths):
        ahead = forward(start, trans, batch)
        total = torch.logsumexp(ahead[:, -1], dim=1)
        behind, own = torch.zeros_like(ahead[:, 0]), torch.empty_like(ahead)
        of_batch = weight[batch.sequence]
        for t in range(ahead.shape[1] - 1, -1, -1):
            own[:, t] = torch.softmax(ahead[:, t] + behind, dim=1)
            if t == 0:
                break
            carried = batch.log[:, t] + behind
            between = ahead[:, t - 1, :, None] + log_trans + carried[:, None, :] - total[:, None, None]
            pairs += (torch.exp(between) * (of_batch * batch.there[:, t])[:, None, None]).sum(0)
            stepped = torch.logsumexp(log_trans + carried[:, None, :], dim=2)
            behind = torch.where(batch.there[:, t, None], stepped, behind)
        likelihood[batch.sequence] = total
        shares[batch.rows[batch.there]] = own[batch.there]
    return likelihood, shares, pairs


def decoded(start: Any, trans: Any, log: Any, lengths: NDArray) -> tuple[Any, Any]:
    """Return log p(x, path) of every sequence's most probable path, and the paths; of equal ones the first state."""
    import torch

    log_prob = torch.empty(len(lengths), dtype=log.dtype, device=log.device)
    path = torch.empty(len(log), dtype=torch.int64, device=log.device)
    log_trans = trans.log()
    for batch in batches(log, lengths):
        score = start.log() + batch.log[:, 0]
        stay = torch.arange(len(start), device=log.device)
        origin = stay.expand(*batch.log.shape).clone()
        for t in range(1, batch.log.shape[1]):
            best, source = (score[:, :, None] + log_trans).max(dim=1)
            inside = batch.there[:, t, None]
            origin[:, t] = torch.where(inside, source, stay)
            score = torch.where(inside, best + batch.log[:, t], score)
        log_prob[batch.sequence], state = score.max(dim=1)
        states = torch.empty(batch.rows.shape, dtype=torch.int64, device=log.device)
        for t in range(batch.log.shape[1] - 1, -1, -1):
            states[:, t] = state
            state = origin[:, t].gather(1, state[:, None])[:, 0]
        path[batch.rows[batch.there]] = states[batch.there]
    return log_prob, path
