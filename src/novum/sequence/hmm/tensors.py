r"""Baum-Welch on a GPU: batches of sequences of similar length, all of a batch stepped together, in logarithms.

(2) of many sequences at once: a step is a few operations on (batch, k, k). Sequences are sorted by length and padded; a padded step
has log-density zero and leaves the distribution as it is, so only its shares have to be cut out afterwards. Only sums come back.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.fold.blocks import add, merge_tree
from novum.runtime import arrays
from novum.sequence.hmm.bundles import Bundle, offsets_of
from novum.sequence.hmm.recursions import check_outcome
from novum.sequence.hmm.sequences import Sequences
from novum.sequence.hmm.training import Expected, Model, Scored, merge_expected

__all__ = ["TensorSequences", "batch_posteriors"]

BATCH_VALUES = 2**24  # of log-densities held at a time: 128 MB
IMPOSSIBLE = 1


class Batch(NamedTuple):
    """Padded sequences."""

    rows: Any  # (batch, steps): number of every row, 0 where padded
    there: Any  # (batch, steps): whether a step is no padding
    weight: Any  # (batch,)


class Posteriors(NamedTuple):
    log_likelihood: Any  # (batch,)
    shares: Any  # (batch, steps, k); zero where padded
    pairs: Any  # (k, k)


def batch_posteriors(start: Any, trans: Any, log: Any, there: Any, weight: Any) -> Posteriors:
    """Return (2) of a batch from log-densities (batch, steps, k), in logarithms; `pairs` are weighted sums."""
    import torch

    steps = log.shape[1]
    log_trans, log = (
        trans.log(),
        torch.where(there[:, :, None], log, torch.zeros((), dtype=log.dtype, device=log.device)),
    )
    forward = torch.empty_like(log)
    forward[:, 0] = start.log() + log[:, 0]
    for t in range(1, steps):
        stepped = torch.logsumexp(forward[:, t - 1, :, None] + log_trans, dim=1) + log[:, t]
        forward[:, t] = torch.where(there[:, t, None], stepped, forward[:, t - 1])
    total = torch.logsumexp(forward[:, -1], dim=1)
    backward = torch.zeros_like(log[:, 0])
    shares, pairs = torch.empty_like(log), torch.zeros_like(trans)
    for t in range(steps - 1, -1, -1):
        shares[:, t] = torch.exp(forward[:, t] + backward - total[:, None]) * there[:, t, None]
        if t == 0:
            break
        carried = log[:, t] + backward
        between = forward[:, t - 1, :, None] + log_trans + carried[:, None, :] - total[:, None, None]
        pairs += (torch.exp(between) * (weight * there[:, t])[:, None, None]).sum(0)
        stepped = torch.logsumexp(log_trans + carried[:, None, :], dim=2)
        backward = torch.where(there[:, t, None], stepped, backward)
    return Posteriors(total, shares, pairs)


class TensorSequences(Sequences):
    """Sequences of a tensor, for models with Gaussian or categorical emissions."""

    def __init__(self, X: Any, lengths: NDArray, weight: NDArray | None, k: int) -> None:
        self.X, self.lengths, self.k = X, lengths, k
        self.weight = np.ones(len(lengths)) if weight is None else weight
        self.n_features, self.n_rows = int(X.shape[1]), int(X.shape[0])

    def batches(self) -> Iterator[Batch]:
        """Yield batches of sequences of similar length."""
        import torch

        offsets, order = offsets_of(self.lengths), np.argsort(self.lengths, kind="stable")
        first = 0
        while first < len(order):
            last = first + 1
            while last < len(order) and (last + 1 - first) * self.lengths[order[last]] * self.k <= BATCH_VALUES:
                last += 1
            chosen = order[first:last]
            steps = np.arange(int(self.lengths[chosen].max()))
            there = steps[None, :] < self.lengths[chosen][:, None]
            rows = np.where(there, offsets[chosen][:, None] + steps, 0)
            device = self.X.device
            yield Batch(
                torch.as_tensor(rows, device=device),
                torch.as_tensor(there, device=device),
                torch.as_tensor(self.weight[chosen], device=device),
            )
            first = last

    def total(self, statistics: Any, params: Model, merge: Any = add) -> Any:
        counting = merge is merge_expected
        parts = (self._sums(params, batch, counting) for batch in self.batches())
        return merge_tree(parts, merge)

    def _sums(self, model: Model, batch: Batch, counting: bool) -> Any:
        import torch

        used = self.X[batch.rows[batch.there]]
        density = model.emission.tensor_densities(used)
        log = torch.zeros((*batch.there.shape, density.shape[1]), dtype=torch.float64, device=self.X.device)
        log[batch.there] = density
        start, trans = (arrays.like(used, value, "float64") for value in model.chain)
        found = batch_posteriors(start, trans, log, batch.there, batch.weight)
        impossible = (~torch.isfinite(found.log_likelihood)) & (batch.weight > 0)
        likelihood = float((found.log_likelihood * batch.weight).sum())
        if not counting:
            return Scored(likelihood, float(batch.there.sum()))
        if bool(impossible.any()):
            check_outcome("fit", (IMPOSSIBLE, int(batch.rows[impossible][0, 0])))
        shares = (found.shares * batch.weight[:, None, None])[batch.there]
        first = arrays.to_numpy((found.shares[:, 0] * batch.weight[:, None]).sum(0))
        return Expected(likelihood, first, arrays.to_numpy(found.pairs), model.emission.tensor_statistics(used, shares))

    def first(self) -> Bundle:
        """Return enough rows on the processor to start from."""
        count = max(1, int(np.searchsorted(np.cumsum(self.lengths), 100_000)))
        offsets = offsets_of(self.lengths[:count])
        rows = np.ascontiguousarray(arrays.to_numpy(self.X[: int(offsets[-1])]), np.float64)
        return Bundle(rows, offsets, np.ascontiguousarray(self.weight[:count]), None, 0, {})
