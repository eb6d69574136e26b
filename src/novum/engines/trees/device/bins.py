"""Columns of a tensor into one-byte codes on its device: (1) and (2) of novum.engines.trees.bins, of the same sample of rows.

A column is sorted where it lies; what comes back are its quantiles, or its distinct values where they are few.
"""

from typing import Any

import numpy as np

from novum.engines.trees.bins import (
    Bins,
    SampleRequest,
    bins_of_edges,
    edges_of,
    half_way,
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
    """Return the bins of columns of numbers from a sample that stays on the device (weighted ones come to the host)."""
    sample: Any = source.total(sample_of, request, merge_samples(request.size))
    if len(sample.weight):
        rows, weight = arrays.to_numpy(sample.X), arrays.to_numpy(sample.weight)
        return bins_of_edges([edges_of(column, weight, max_bins) for column in rows.T])
    ordered = sample.X.T.contiguous().sort(dim=1).values  # missing values last
    there = (~ordered.isnan()).sum(dim=1)
    new = (ordered[:, 1:] != ordered[:, :-1]) & ~ordered[:, 1:].isnan()
    facts = arrays.to_numpy(arrays.concat([there[:, None], new.sum(dim=1)[:, None]]))
    edges = [np.empty(0)] * len(facts)
    many = np.flatnonzero((facts[:, 0] > 0) & (facts[:, 1] >= max_bins))
    for j in np.flatnonzero((facts[:, 0] > 0) & (facts[:, 1] < max_bins)):
        column = ordered[int(j)]
        later = column[1:][new[int(j)]]
        edges[j] = half_way(arrays.to_numpy(arrays.stack_rows([column[:1], later])))
    if len(many):
        places = np.stack([np.stack(quantile_places(int(facts[j, 0]), max_bins)) for j in many])  # (columns, 2, edges)
        chosen = ordered[arrays.like(ordered, many, "int64")]
        found = chosen.gather(1, arrays.like(ordered, places.reshape(len(many), -1), "int64"))
        for j, (low, high) in zip(many, arrays.to_numpy(found).reshape(places.shape)):
            edges[j] = within(np.unique(middle_of(low, high)))
    return bins_of_edges(edges)


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
