r"""The cells of histograms that hold rows: for every node and column that it tries, what its rows of every code add up to.

    cell[node, column, code] = rows, and the sum of their channels, where there are any              (1)

A node of many rows adds them to a histogram, of which the filled cells are taken; one of few sorts its rows by code. Both are whole
numbers, so neither the way nor the order of additions changes a bit.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from novum.engines.trees.device.drawn_rows import DrawnRows, Nodes, expanded
from novum.engines.trees.passes.growth import width_of
from novum.runtime import arrays, devices

__all__ = ["Cells", "cells_of", "portions"]

FEW_ROWS = 32  # of a node: sorting them takes less than clearing and reading 256 cells of every column
AT_ONCE = 2**24  # numbers that are looked at together: 128 MiB, and some twenty such arrays live for a moment
LEAST_PACKED = 32  # bits of a mass below the count of rows in one word


class Cells(NamedTuple):
    """(1), in the order of nodes, of the columns they try, and of codes."""

    segment: Any  # (cells,): node times columns tried, plus the number of the column
    code: Any
    rows: Any
    sums: Any  # (cells, channels) int64


def portions(drawn: DrawnRows, nodes: Nodes, tried: int) -> Iterator[tuple[Any, bool]]:
    """Yield nodes that are looked at together, by their places, and whether they are small."""
    import torch

    for small in (False, True):
        some = ((nodes.rows < FEW_ROWS) == small).nonzero()[:, 0]
        if not len(some):
            continue
        each = nodes.rows[some] if small else torch.full_like(some, width_of(drawn.task.bins))
        cost = each * (tried * (drawn.channels + 1))
        window = (cost.cumsum(0) - cost) // AT_ONCE
        lengths = arrays.to_numpy(torch.unique_consecutive(window, return_counts=True)[1]).tolist()
        for part in some.split(lengths):
            yield part, small


def cells_of(drawn: DrawnRows, nodes: Nodes, columns: Any, small: bool) -> Cells:
    """Return (1) of nodes and their columns (nodes, tried)."""
    place, owner = expanded(nodes.begin, nodes.rows)
    if small:
        return sorted_cells(drawn, place, owner, columns)
    width = width_of(drawn.task.bins)
    shape = (len(columns) * columns.shape[1] * width, drawn.channels)
    add = add_by_kernel if devices.runs_kernels(drawn.codes) else add_by_columns
    sums, rows = add(drawn, place, owner, columns, shape)
    (cell,) = rows.nonzero(as_tuple=True)
    return Cells(cell // width, cell % width, rows[cell], sums[cell])


def add_by_columns(drawn: DrawnRows, place: Any, owner: Any, columns: Any, shape: tuple[int, int]) -> tuple[Any, Any]:
    """Return histograms (cells, channels) and numbers of rows (cells,), a column after the other."""
    import torch

    tried, width, device = columns.shape[1], width_of(drawn.task.bins), owner.device
    row, mass = drawn.row[place].long(), drawn.mass[place].long()
    sums = torch.zeros(shape, dtype=torch.int64, device=device)
    rows = torch.zeros(shape[0], dtype=torch.int64, device=device)
    ones = torch.ones_like(mass)
    if drawn.label is None:
        values = torch.stack([drawn.moment[place].long(), mass], dim=1)
    else:
        label = drawn.label[row].long()
    for j in range(tried):
        code = drawn.codes.view(-1)[row * drawn.codes.shape[1] + columns[owner, j]].long()
        cell = (owner * tried + j) * width + code
        rows.index_add_(0, cell, ones)
        if drawn.label is None:
            sums.index_add_(0, cell, values)
        else:
            sums.view(-1).index_add_(0, cell * drawn.channels + label, mass)
    return sums, rows


def add_by_kernel(drawn: DrawnRows, place: Any, owner: Any, columns: Any, shape: tuple[int, int]) -> tuple[Any, Any]:
    """Return the same by the compiled kernel, which counts rows in the upper half of a mass where that leaves room."""
    import torch

    from novum.engines.trees.device import growth_kernels

    packed = bool(drawn.mass[place].long().sum() < 2**LEAST_PACKED)
    sums = torch.zeros(shape, dtype=torch.int64, device=owner.device)
    rows = torch.zeros(1 if packed else shape[0], dtype=torch.int64, device=owner.device)
    growth_kernels.add_rows(drawn, place, owner, columns, (sums, rows), packed)
    if packed:
        whole = sums if drawn.label is not None else sums[:, 1:]
        rows = (whole >> LEAST_PACKED).sum(dim=1)
        whole &= 2**LEAST_PACKED - 1
    return sums, rows


def sorted_cells(drawn: DrawnRows, place: Any, owner: Any, columns: Any) -> Cells:
    """Return (1) of nodes of few rows, whose codes are sorted."""
    import torch

    tried, width, row = columns.shape[1], width_of(drawn.task.bins), drawn.row[place].long()
    code = drawn.codes.view(-1)[(row * drawn.codes.shape[1])[:, None] + columns[owner]]
    segment = owner[:, None] * tried + torch.arange(tried, device=owner.device)
    word = torch.int32 if len(columns) * tried * width < 2**31 else torch.int64  # digits cost time
    key, order = (segment * width + code).view(-1).to(word).sort()
    entry = order // tried
    cell, rows = torch.unique_consecutive(key, return_counts=True)
    last = rows.cumsum(0) - 1

    def added(values: Any) -> Any:
        total = values.cumsum(0)[last]
        return total - torch.nn.functional.pad(total[:-1], (1, 0))

    mass = drawn.mass[place].long()[entry]
    if drawn.label is None:
        parts = [added(drawn.moment[place].long()[entry]), added(mass)]
    else:
        label = drawn.label[row].long()[entry]
        parts = [added(mass.masked_fill(label != k, 0)) for k in range(drawn.channels)]
    cell = cell.long()
    return Cells(cell // width, cell % width, rows, torch.stack(parts, dim=1))
