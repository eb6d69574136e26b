"""What a pass adds to trees that grow elsewhere, for rows of a tensor: (1) of novum.engines.trees.passes.growth on its device.

Where there is no compiler the same is done by gathers, level after level, and by adding up whole numbers column after column.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.engines.trees.bins import Bins
from novum.engines.trees.histograms import Packed
from novum.engines.trees.passes.growth import Histograms, Request, width_of
from novum.runtime import arrays, devices

__all__ = ["add_packed_rows", "depth_of", "histograms_on_device", "leaves_of", "node_fields"]

MISSING_LEFT, CATEGORICAL = 1 << 31, 1 << 30


def node_fields(nodes: NDArray, place: NDArray | None = None) -> NDArray:
    """Return the nodes of a tree as the walk reads them: feature (-1 in a leaf), code, missing left, children, place."""
    fields = np.empty((len(nodes), 6), np.int32)
    fields[:, 0] = np.where(nodes["is_leaf"] == 1, -1, nodes["feature_idx"])
    for k, name in enumerate(("bin_threshold", "missing_go_to_left", "left", "right"), 1):
        fields[:, k] = nodes[name]
    fields[:, 5] = 0 if place is None else place
    return fields


def depth_of(fields: NDArray, root: NDArray) -> int:
    """Return the most levels below the roots."""
    level, at = 0, np.asarray(root)
    while len(at := at[fields[at, 0] >= 0]):
        at = fields[at, 3:5].ravel()
        level += 1
    return level


def leaves_of(fields: NDArray, codes: Any, leaf: Any, missing: int) -> Any:
    """Return the leaf of every row, going on from where it was last seen."""
    import torch

    table = arrays.like(codes, fields, "int32")
    if devices.runs_kernels(codes):
        from novum.engines.trees.device import kernels

        kernels.advance(table, codes, leaf, missing)
        return leaf
    row = torch.arange(codes.shape[1], device=codes.device)
    for _ in range(depth_of(fields, np.zeros(1, np.int64))):
        here = table[leaf.long()]
        code = codes[here[:, 0].clamp(min=0).long(), row].int()
        goes_left = torch.where(code == missing, here[:, 2] > 0, code <= here[:, 1])
        leaf = torch.where(here[:, 0] >= 0, torch.where(goes_left, here[:, 3], here[:, 4]), leaf)
    return leaf


def add_pairs(
    request: Request, codes: Any, leaf: Any, missing: int, pairs: tuple[Any, Any], cells: Any, counts: Any
) -> Any:
    """Add the rows of wanted leaves to cells (slots, d, width, 2) and counts (slots, d, width); return the leaf of every row."""
    import torch

    slots, d, width = counts.shape
    fields = node_fields(request.nodes, np.where(request.slot >= 0, request.slot, slots))
    if devices.runs_kernels(codes) and slots < 256:
        from novum.engines.trees.device import kernels

        place = torch.empty(codes.shape[1], dtype=torch.uint8, device=codes.device)
        kernels.advance(arrays.like(codes, fields, "int32"), codes, leaf, missing, place)
        ordered, order = place.sort(stable=True)
        begin = torch.searchsorted(ordered, torch.arange(slots + 1, dtype=torch.uint8, device=codes.device))
        kernels.add_pairs(codes, order, begin, pairs, cells, counts)
        return leaf
    leaf = leaves_of(fields, codes, leaf, missing)
    place = arrays.like(codes, fields[:, 5], "int64")[leaf.long()]
    (rows,) = (place < slots).nonzero(as_tuple=True)
    values = torch.stack([part[rows].long() for part in pairs], dim=1)
    for j in range(d):
        cell = (place[rows] * d + j) * width + codes[j, rows].long()
        cells.view(-1, 2).index_add_(0, cell, values)
        counts.view(-1).index_add_(0, cell, torch.ones_like(cell, dtype=counts.dtype))
    return leaf


def histograms_on_device(requests: tuple[Request, ...], pairs: Any, codes: Any, bins: Bins, memory: dict) -> Histograms:
    """Return the histograms of one block for all trees; `pairs(k)` are those of tree k, and a block remembers its leaves."""
    import torch

    d, width, device = codes.shape[0], width_of(bins), codes.device
    slots, watches = sum(r.slots for r in requests), sum(r.watches for r in requests)
    n_cells = slots * d * width
    both = torch.zeros(2 * n_cells + (n_cells + 1) // 2, dtype=torch.int64, device=device)  # they cross in one go
    cells = both[: 2 * n_cells].view(slots, d, width, 2)
    counts = both[2 * n_cells :].view(torch.int32)[:n_cells].view(slots, d, width)
    at = 0
    for k, request in enumerate(requests):
        if not request.slots:
            continue
        here, key = slice(at, at + request.slots), f"leaf{k}"
        memory[key] = add_pairs(request, codes, memory[key], bins.missing, pairs(k), cells[here], counts[here])
        at += request.slots
    low, high = np.full(watches, np.inf), np.full(watches, -np.inf)
    found = arrays.to_numpy(both)
    shape = (slots, d, width)
    counted = found[2 * n_cells :].view(np.uint32)[:n_cells].reshape(shape)
    return Histograms(found[: 2 * n_cells].reshape(*shape, 2), counted, low, high)


def add_packed_rows(packed: Packed, X: Any, raw: Any) -> Any:
    """Add the values of all trees for the rows of a tensor to `raw` (rows, outputs), and return it."""
    import torch

    if not len(packed.root):
        return raw
    stored = packed.nodes.view([("threshold", "f8"), ("feature", "u4"), ("left", "u4")])[:, 0]
    number, left = np.arange(len(stored)), stored["left"].astype(np.int64)
    inner = left != number
    feature = np.where(inner, stored["feature"] & (CATEGORICAL - 1), np.uint32(0)).astype(np.int64)
    fields = np.zeros((len(stored), 6), np.int32)
    fields[:, 0], fields[:, 2] = np.where(inner, feature, -1), (stored["feature"] & MISSING_LEFT) != 0
    fields[:, 3], fields[:, 4] = left, left + inner
    depth = depth_of(fields, packed.root)
    table, root = arrays.like(X, fields, "int32"), arrays.like(X, packed.root, "int32")
    edges, values = arrays.like(X, stored["threshold"].copy(), "float64"), arrays.like(X, packed.value, "float64")
    if devices.runs_kernels(X):
        from novum.engines.trees.device import kernels

        kernels.add_trees(table, edges, values, root, X.contiguous(), raw, depth)
        return raw
    row = torch.arange(len(X), device=X.device)
    for tree, first in enumerate(packed.root.tolist()):
        leaf = torch.full((len(X),), first, dtype=torch.int64, device=X.device)
        for _ in range(depth):
            here = table[leaf]
            x = X[row, here[:, 0].clamp(min=0).long()].double()
            goes_left = torch.where(x.isnan(), here[:, 2] > 0, x <= edges[leaf])
            leaf = torch.where(here[:, 0] >= 0, torch.where(goes_left, here[:, 3], here[:, 4]).long(), leaf)
        raw[:, tree % packed.outputs] += values[leaf]
    return raw
