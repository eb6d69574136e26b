"""The recursions as kernels of Triton: a program walks through one sequence and keeps its distribution in registers.

Formulas (3) to (6) of cpp/include/novum/sequence/forward_backward.h with every step brought to a sum of one; (8) and (9) of the
decoder in logarithms. Sequences of any lengths lie one after the other; nothing is padded but the states, to a power of two.
"""

# mypy: disallow-untyped-defs=False
from typing import Any

import triton
import triton.language as tl

__all__ = ["MOST_STATES", "backward", "forward", "viterbi"]

MOST_STATES = 64  # whose transitions fit the registers of a program
LOST = tl.constexpr(1e-200)  # shares below it become zero, so that what is divided by them stays finite
FAINT = tl.constexpr(1e-150)  # least share of a state after a step that was not moved by what was lost
DRIFT = tl.constexpr(1e-8)  # of a sum that should be one: more means that numbers left their range


@triton.jit
def _forward(log, start, trans, offsets, filtered, scale, likelihood, repeat, K, KP: tl.constexpr):
    sequence = tl.program_id(0)
    begin, end = tl.load(offsets + sequence), tl.load(offsets + sequence + 1)
    i, j = tl.arange(0, KP), tl.arange(0, KP)
    there = j < K
    A = tl.load(trans + i[:, None] * K + j[None, :], mask=(i < K)[:, None] & there[None, :], other=0.0)
    entered = tl.max(A, axis=0) > 0.0
    ahead = tl.load(start + j, mask=there, other=0.0)
    row = tl.load(log + begin * K + j, mask=there, other=float("-inf"))
    total = ahead.sum() * 0.0
    lost_before = total > 1.0
    again = total > 1.0
    t = begin
    while t < end:
        after = tl.load(log + (t + 1) * K + j, mask=there & (t + 1 < end), other=float("-inf"))
        top = tl.max(row, axis=0)
        top = tl.where(top > float("-inf"), top, 0.0)
        likely = ahead * tl.exp(row - top)
        mass = tl.sum(likely, axis=0)
        share = likely / mass
        again = again | (lost_before & (tl.max(tl.where(entered & (ahead < FAINT), 1, 0), axis=0) > 0))
        again = again | (mass < FAINT) | (mass != mass)
        small = (share < LOST) & (ahead > 0.0) & (row > float("-inf"))
        lost_before = tl.max(small.to(tl.int32), axis=0) > 0
        share = tl.where(share < LOST, 0.0, share)
        total += top + tl.log(mass)
        tl.store(filtered + t * K + j, share, mask=there)
        tl.store(scale + t, mass)
        ahead = tl.sum(share[:, None] * A, axis=0)
        row = after
        t += 1
    tl.store(likelihood + sequence, total)
    tl.store(repeat + sequence, again.to(tl.int32))


@triton.jit
def _backward(log, trans, offsets, shares, scale, pairs, repeat, K, KP: tl.constexpr):
    sequence = tl.program_id(0)
    begin, end = tl.load(offsets + sequence), tl.load(offsets + sequence + 1)
    i, j = tl.arange(0, KP), tl.arange(0, KP)
    there = j < K
    both = (i < K)[:, None] & there[None, :]
    A = tl.load(trans + i[:, None] * K + j[None, :], mask=both, other=0.0)
    beta = tl.where(there, 1.0, 0.0).to(tl.float64)
    products = A * 0.0
    again = tl.load(repeat + sequence) > 0
    row = tl.load(log + (end - 1) * K + j, mask=there, other=float("-inf"))
    here = tl.load(shares + (end - 1) * K + j, mask=there, other=0.0)
    t = end - 1
    while t >= begin:
        earlier = there & (t > begin)
        before_row = tl.load(log + (t - 1) * K + j, mask=earlier, other=float("-inf"))
        before = tl.load(shares + (t - 1) * K + j, mask=earlier, other=0.0)
        mass = tl.load(scale + t)
        gamma = here * beta
        whole = tl.sum(gamma, axis=0)
        again = again | (tl.abs(whole - 1.0) > DRIFT) | (whole != whole)
        tl.store(shares + t * K + j, gamma / whole, mask=there)
        top = tl.max(row, axis=0)
        top = tl.where(top > float("-inf"), top, 0.0)
        v = tl.exp(row - top) * beta / mass
        products += before[:, None] * v[None, :]
        beta = tl.sum(A * v[None, :], axis=1)
        row, here = before_row, before
        t -= 1
    tl.store(pairs + sequence * K * K + i[:, None] * K + j[None, :], products * A, mask=both)
    tl.store(repeat + sequence, again.to(tl.int32))


@triton.jit
def _viterbi(log, log_start, log_trans, offsets, origin, log_prob, path, K, KP: tl.constexpr):
    sequence = tl.program_id(0)
    begin, end = tl.load(offsets + sequence), tl.load(offsets + sequence + 1)
    i, j = tl.arange(0, KP), tl.arange(0, KP)
    there = j < K
    never = float("-inf")
    A = tl.load(log_trans + i[:, None] * K + j[None, :], mask=(i < K)[:, None] & there[None, :], other=never)
    best = tl.load(log_start + j, mask=there, other=never)
    row = tl.load(log + begin * K + j, mask=there, other=never)
    score = best + row
    t = begin + 1
    while t < end:
        row = tl.load(log + t * K + j, mask=there, other=never)
        best, source = tl.max(score[:, None] + A, axis=0, return_indices=True)
        tl.store(origin + t * K + j, source, mask=there)
        score = best + row
        t += 1
    tl.store(log_prob + sequence, tl.max(score, axis=0))
    tl.store(path + end - 1, tl.argmax(score, axis=0).to(tl.int64))


@triton.jit
def _way_back(offsets, origin, path, K):
    sequence = tl.program_id(0)
    begin, end = tl.load(offsets + sequence), tl.load(offsets + sequence + 1)
    state = tl.load(path + end - 1)
    t = end - 1
    while t > begin:
        state = tl.load(origin + t * K + state).to(tl.int64)
        t -= 1
        tl.store(path + t, state)


def widths(k: int) -> dict[str, int]:
    """Return the padded number of states, and how many warps hold their transitions."""
    padded = max(2, triton.next_power_of_2(k))
    return {"KP": padded, "num_warps": 4 if padded > 32 else 1}


def forward(start: Any, trans: Any, log: Any, offsets: Any) -> tuple[Any, Any, Any, Any]:
    """Return (rows, k) filtered shares, (rows,) sums of the steps, and per sequence log p(x) and whether to do it again."""
    import torch

    k, count = len(start), len(offsets) - 1
    filtered, scale = torch.empty_like(log), torch.empty_like(log[:, 0])
    likelihood = torch.empty(count, dtype=torch.float64, device=log.device)
    repeat = torch.empty(count, dtype=torch.int32, device=log.device)
    _forward[(count,)](
        log,
        start=start,
        trans=trans,
        offsets=offsets,
        filtered=filtered,
        scale=scale,
        likelihood=likelihood,
        repeat=repeat,
        K=k,
        **widths(k),
    )
    return filtered, scale, likelihood, repeat


def backward(trans: Any, log: Any, offsets: Any, shares: Any, scale: Any, repeat: Any) -> Any:
    """Turn filtered shares into posteriors, in place, and return the sums (sequences, k, k) of (6) of every sequence."""
    import torch

    k, count = len(trans), len(offsets) - 1
    pairs = torch.empty((count, k, k), dtype=torch.float64, device=log.device)
    _backward[(count,)](
        log, trans=trans, offsets=offsets, shares=shares, scale=scale, pairs=pairs, repeat=repeat, K=k, **widths(k)
    )
    return pairs


def viterbi(log_start: Any, log_trans: Any, log: Any, offsets: Any) -> tuple[Any, Any]:
    """Return log p(x, path) of every sequence's most probable path, and the paths one after the other."""
    import torch

    k, count = len(log_start), len(offsets) - 1
    origin = torch.empty(log.shape, dtype=torch.int32, device=log.device)
    log_prob = torch.empty(count, dtype=torch.float64, device=log.device)
    path = torch.empty(len(log), dtype=torch.int64, device=log.device)
    _viterbi[(count,)](
        log,
        log_start=log_start,
        log_trans=log_trans,
        offsets=offsets,
        origin=origin,
        log_prob=log_prob,
        path=path,
        K=k,
        **widths(k),
    )
    _way_back[(count,)](offsets, origin, path, k, num_warps=1)
    return log_prob, path
