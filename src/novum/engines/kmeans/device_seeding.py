"""Where k-means starts on a device: keys, draws and distances stay there, the k chosen rows come back.

    key of row i = -log u_i / w_i,   u_i = (h(i) + 1/2) 2^-53                                          (18)

with h(i) the upper 53 bits of SplitMix64 of a key of the fit and the row's number, as in `runtime.row_order`; the rows with the
smallest keys are drawn (runtime.random (2)). k-means++ (9), (10) of `seeding` then runs on a sample, for k centers would cost k
passes.
Where there are few rows, keys and draws are those of rows in memory, and so is the start.
"""

from typing import Any

import numpy as np

from novum.engines.kmeans.seeding import SAMPLE_PER_CENTER, SAMPLE_ROWS, Seeds
from novum.fold.blocks import Source
from novum.runtime import arrays
from novum.runtime.random import Stream
from novum.runtime.row_order import FIRST_FACTOR, GOLDEN, MASK, SECOND_FACTOR, row_keys

__all__ = ["plus_plus", "random_rows"]


def signed(value: int) -> int:
    """Return a number modulo 2^64 as PyTorch's int64 holds it."""
    value &= MASK
    return value - 2**64 if value >= 2**63 else value


def shifted(z: Any, bits: int) -> Any:
    """Return z >> bits with zeros from above."""
    return (z >> bits) & ((1 << (64 - bits)) - 1)


def row_bits(key: int, rows: int, X: Any) -> Any:
    """Return the keys of `row_order` (1) of rows 0 to `rows` on the device of X, modulo 2^64 as int64."""
    import torch

    base = int(row_keys(key, 0, 1)[0])  # a first step, so that keys that are near give orders that are not
    z = torch.arange(1, rows + 1, device=X.device) * signed(GOLDEN) + signed(base)
    z = (z ^ shifted(z, 30)) * signed(FIRST_FACTOR)
    z = (z ^ shifted(z, 27)) * signed(SECOND_FACTOR)
    return z ^ shifted(z, 31)


def drawn(source: Any, size: int, stream: Stream, purpose: str, run: int) -> Any:
    """Return the numbers of `size` different rows drawn in turn by weight, on the device; fewer if fewer have weight."""
    import torch

    X, weight = source.X, source.weight
    n = X.shape[0]
    if n <= SAMPLE_ROWS:  # the draws of rows in memory
        keys = arrays.like(X, stream.keys(purpose, run, n), "float64")
    else:
        key = int(stream.integers(purpose, run, 1, 2**62)[0])
        keys = -torch.log((shifted(row_bits(key, n, X), 11).double() + 0.5) * 2.0**-53)
    smallest, rows = torch.topk(keys if weight is None else keys / weight, min(size, n), largest=False)
    return rows if weight is None else rows[smallest.isfinite()]


def random_rows(source: Source, k: int, stream: Stream, run: int, purpose: str = "kmeans random") -> Seeds:
    """Return k different rows, drawn in turn with probability proportional to weight; fewer if fewer have weight."""
    rows = drawn(source, k, stream, purpose, run)
    return on_host(source, rows)


def on_host(source: Any, rows: Any) -> Seeds:
    """Return a few rows and their numbers on the host."""
    return Seeds(arrays.to_numpy(source.X[rows].double()), arrays.to_numpy(rows))


def plus_plus(source: Any, k: int, stream: Stream, run: int) -> Seeds:
    """Return k rows by (9) and (10), of all rows where these are few, else of a sample; nothing comes back between draws."""
    import torch

    trials = 2 + int(np.log(k))
    if source.n_rows <= SAMPLE_ROWS:
        rows, weight = torch.arange(source.n_rows, device=source.X.device), source.weight
        first = drawn(source, 1, stream, "kmeans++ first", run)
    else:
        rows, weight = drawn(source, max(SAMPLE_ROWS, SAMPLE_PER_CENTER * k), stream, "kmeans sample", run), None
        first = torch.zeros(1, dtype=torch.int64, device=rows.device)  # the sample is in random order
    if len(rows) < k:
        return on_host(source, rows)
    x = source.X[rows].double()
    x = x - x.mean(dim=0)
    own = (x * x).sum(dim=1, keepdim=True)
    draws = np.concatenate([stream.uniform("kmeans++", run * k + j, trials) for j in range(k)])
    uniform = arrays.like(x, draws, "float64").view(k, trials)
    chosen = first.repeat(k)
    square = ((x - x[first]) ** 2).sum(dim=1)
    for j in range(1, k):
        cumulative = (square if weight is None else square * weight).cumsum(0)
        candidates = torch.searchsorted(cumulative, uniform[j] * cumulative[-1], right=True).clamp_(max=len(x) - 1)
        some = x[candidates]
        distance = torch.addmm(own + own[candidates].T, x, some.T, alpha=-2).clamp_(min=0)
        trial = torch.minimum(distance, square[:, None])
        left = trial.sum(dim=0) if weight is None else weight @ trial
        best = left.argmin(keepdim=True)
        chosen[j : j + 1] = candidates[best]
        square = trial.index_select(1, best)[:, 0]
    return on_host(source, rows[chosen])
