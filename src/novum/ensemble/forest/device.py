r"""Forests from rows of a tensor on a device: draws of rows made there, and trees that grow together, some at a time.

count of row i  =  Poisson quantile of philox(seed of tree t, i),   (3) of novum.ensemble.forest.samples         (1)

by a table of the distribution function where all rows have one mean, else by halving between 0 and the largest count. Nodes that a
fit by passes would bring into memory draw their columns as there, so that both fits grow the same trees.
"""

from functools import partial
from typing import Any

import numpy as np
from scipy.special import pdtr

from novum.engines.trees.device.draws import uniform_of_rows
from novum.engines.trees.device.growth import TreeTable, grow_on, table_of
from novum.engines.trees.exact import Rules
from novum.engines.trees.nodes import Tree
from novum.ensemble.forest.passes import GATHERED_VALUES, Plan
from novum.ensemble.forest.samples import BlockSampling, most_draws
from novum.fold.blocks import Source
from novum.runtime import arrays
from novum.runtime.journal import step

__all__ = ["grow_where_it_lies"]

ROWS_AT_ONCE = 2**25  # of all trees that grow together: some gigabytes for a moment


def halved_counts(share: Any, mean: Any) -> Any:
    """Return (1) for rows of any means."""
    import torch

    low, high = (
        torch.zeros_like(share, dtype=torch.int64),
        torch.full_like(share, most_draws(float(mean.max())), dtype=torch.int64),
    )
    for _ in range(int(high.max()).bit_length()):
        middle = (low + high) // 2
        reached = torch.special.gammaincc((middle + 1).double(), mean) <= share
        open_ = low < high
        low = torch.where(open_ & reached, middle + 1, low)
        high = torch.where(open_ & ~reached, middle, high)
    return low.masked_fill(mean <= 0, 0)


def drawn_rows(sampling: BlockSampling, seed: int, weight: Any, like: Any) -> tuple[Any, Any]:
    """Return the rows that a tree draws, in their order, and how often."""
    import torch

    share = uniform_of_rows(seed, "counts of rows", torch.arange(sampling.n, device=like.device))
    if weight is None:
        table = arrays.like(share, pdtr(np.arange(most_draws(sampling.rate)), sampling.rate), "float64")
        counts = torch.searchsorted(table, share, right=True)
    else:
        counts = halved_counts(share, sampling.rate * weight)
    (row,) = counts.nonzero(as_tuple=True)
    return row, counts[row]


def grow_some(table: TreeTable, plan: Plan, rules: Rules) -> list[Tree]:
    """Return the trees of some seeds, grown together."""
    draws = None
    if plan.sampling is not None:
        draws = [drawn_rows(plan.sampling, seed, table.weight, table.codes) for seed in plan.seeds]
    return grow_on(table, rules, list(plan.seeds), draws, (GATHERED_VALUES // table.codes.shape[1], True))


def grow_where_it_lies(source: Source, plan: Plan, rules: Rules, seeds: list[int]) -> list[Tree]:
    """Return a tree per seed from a tensor whose target is numbers, or codes of classes."""
    table, out = table_of(source, plan.task), []
    together = max(1, ROWS_AT_ONCE // len(table.codes))
    for first in range(0, len(seeds), together):
        here = plan._replace(seeds=tuple(seeds[first : first + together]), first=first)
        out += step("trees", partial(grow_some, table, here, rules), here.seeds)
    return out
