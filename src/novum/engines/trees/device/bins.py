"""Columns of a tensor into one-byte codes on its device: (1) and (2) of novum.engines.trees.bins, of the same sample of rows.

A column is sorted where it lies; what comes back are its quantiles, or its distinct values where they are few.
"""

from typing import Any

import numpy as np

from novum.engines.trees.bins import (
    TIE,
    Bins,
    SampleRequest,
    bins_of_edges,
    half_way,
    levels_of,
    merge_samples,
    middle_of,
    quantile_places,
    sample_of,
    within,
)
from novum.fold.blocks import Source
from novum.runtime import arrays

__all__ = ["device_bins", "encode_rows"]


def device_bins(source: Source, request: SampleRequest, max_bins: int) -> Bins:
    """Return the bins of columns of numbers from a sample that stays on the device."""
    sample: Any = source.total(sample_of, request, merge_samples(request.size))
    ordered, order = sample.X.T.contiguous().sort(dim=1)  # missing values last
    there = (~ordered.isnan()).sum(dim=1)
    new = (ordered[:, 1:] != ordered[:, :-1]) & ~ordered[:, 1:].isnan()
    facts = arrays.to_numpy(arrays.concat([there[:, None], new.sum(dim=1)[:, None]]))
    edges = [np.empty(0)] * len(facts)
    for j in np.flatnonzero((facts[:, 0] > 0) & (facts[:, 1] < max_bins)):
        column = ordered[int(j)]
        later = column[1:][new[int(j)]]
        edges[j] = half_way(arrays.to_numpy(arrays.stack_rows([column[:1], later])))
    many = np.flatnonzero((facts[:, 0] > 0) & (facts[:, 1] >= max_bins))
    if len(many):
        chosen = arrays.like(ordered, many, "int64")
        values = ordered[chosen]
        if len(sample.weight):
            places = weighted_places(values, sample.weight[order[chosen]], there[chosen], max_bins)
        else:
            listed = [np.concatenate(quantile_places(int(facts[j, 0]), max_bins)) for j in many]
            places = arrays.like(ordered, np.stack(listed), "int64")
        for j, found in zip(many, arrays.to_numpy(values.gather(1, places))):
            low, high = np.split(found, 2)
            edges[j] = within(np.unique(middle_of(low, high)))
    return bins_of_edges(edges)


def weighted_places(ordered: Any, weight: Any, there: Any, max_bins: int) -> Any:
    """Return the places of the ordered values (columns, m) between which the weighted quantiles lie: low ones, then high ones."""
    import torch

    cumulated = weight.masked_fill(ordered.isnan(), 0.0).cumsum(dim=1)
    whole = cumulated[:, -1:]
    wanted, last = arrays.like(ordered, levels_of(max_bins), "float64") * whole, (there - 1)[:, None]
    high = torch.searchsorted(cumulated, wanted + TIE * whole, right=True).minimum(last)
    low = torch.searchsorted(cumulated, wanted - TIE * whole).minimum(high)
    return arrays.concat([low, high])


def encode_rows(bins: Bins, X: Any, keep: Any = None) -> Any:
    """Return (2) of the rows of a tensor that are kept, (d, rows) in uint8."""
    import torch

    columns = (X if keep is None else X[keep]).T.double().contiguous()
    counts = np.diff(bins.start)
    edges = np.full((len(counts), max(1, int(counts.max(initial=0)))), np.inf)
    for j, count in enumerate(counts):
        edges[j, :count] = bins.edges[bins.start[j] : bins.start[j + 1]]
    codes = torch.searchsorted(arrays.like(columns, edges, "float64"), columns)
    return codes.masked_fill(columns.isnan(), bins.missing).to(torch.uint8)
