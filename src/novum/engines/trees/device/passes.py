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


def node_fields(nodes: NDArray) -> NDArray:
    """Return the nodes of a tree as the walk reads them: feature (-1 in a leaf), code, whether missing goes left, left, right."""
    feature = np.where(nodes["is_leaf"] == 1, -1, nodes["feature_idx"])
    names = ("bin_threshold", "missing_go_to_left", "left", "right")
    return np.column_stack([feature, *(nodes[name] for name in names)]).astype(np.int32)


def depth_of(fields: NDArray, root: NDArray) -> int:
    """Return the most levels below the roots."""
    level, at = 0, np.asarray(root)
    while len(at := at[fields[at, 0] >= 0]):
        at = fields[at, 3:].ravel()
        level += 1
    return level


def leaves_of(nodes: NDArray, codes: Any, leaf: Any, missing: int) -> Any:
    """Return the leaf of every row, going on from where it was last seen."""
    import torch

    fields = node_fields(nodes)
    depth = depth_of(fields, np.zeros(1, np.int64))
    table = arrays.like(codes, fields, "int32")
    if devices.compiles(codes):
        from novum.engines.trees.device import kernels

        kernels.advance(table, codes, leaf, depth, missing)
        return leaf
    row = torch.arange(codes.shape[1], device=codes.device)
    for _ in range(depth):
        here = table[leaf.long()]
        code = codes[here[:, 0].clamp(min=0).long(), row].int()
        goes_left = torch.where(code == missing, here[:, 2] > 0, code <= here[:, 1])
        leaf = torch.where(here[:, 0] >= 0, torch.where(goes_left, here[:, 3], here[:, 4]), leaf)
    return leaf


def add_pairs(codes: Any, leaf: Any, slot: Any, pairs: tuple[Any, Any], cells: Any, counts: Any) -> None:
    """Add the rows of wanted leaves to cells (slots, d, width, 2) and counts (slots, d, width)."""
    import torch

    slots, d, width = counts.shape
    place = slot[leaf.long()].long()
    if devices.compiles(codes):
        from novum.engines.trees.device import kernels

        kind = torch.uint8 if slots < 256 else torch.int16
        ordered, order = place.where(place >= 0, slots).to(kind).sort(stable=True)
        begin = torch.searchsorted(ordered.int(), torch.arange(slots + 1, dtype=torch.int32, device=codes.device))
        kernels.add_pairs(codes, order, begin, pairs, cells, counts)
        return
    (rows,) = (place >= 0).nonzero(as_tuple=True)
    values = torch.stack([part[rows].long() for part in pairs], dim=1)
    for j in range(d):
        cell = (place[rows] * d + j) * width + codes[j, rows].long()
        cells.view(-1, 2).index_add_(0, cell, values)
        counts.view(-1).index_add_(0, cell, torch.ones_like(cell, dtype=counts.dtype))


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
        leaf = memory[f"leaf{k}"] = leaves_of(request.nodes, codes, memory[f"leaf{k}"], bins.missing)
        here = slice(at, at + request.slots)
        add_pairs(codes, leaf, arrays.like(codes, request.slot, "int32"), pairs(k), cells[here], counts[here])
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
    fields = np.column_stack(
        [
            np.where(inner, feature, -1),
            number * 0,
            (stored["feature"] & MISSING_LEFT) != 0,
            left,
            np.where(inner, left + 1, left),
        ]
    ).astype(np.int32)
    depth = depth_of(fields, packed.root)
    table, root = arrays.like(X, fields, "int32"), arrays.like(X, packed.root, "int32")
    edges, values = arrays.like(X, stored["threshold"].copy(), "float64"), arrays.like(X, packed.value, "float64")
    if devices.compiles(X):
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
