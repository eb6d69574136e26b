r"""The rows of trees that grow on a device: lists of rows, node by node, and how a list is divided.

Every tree has the rows that it drew, with how often; those of a node lie side by side, in the order of the table, and a node is the
place of the first and their number. A split moves the rows of its node within their place,

    to(i) = begin + [rows before i that go left]             if i goes left                            (1)
            begin + left + [rows before i that go right]     else                                     (2)

so both sides keep their order, and no list grows. Sums of whole numbers over a list are differences of running sums.
"""

from typing import Any, NamedTuple

from novum.engines.trees.passes.single_tree import ChannelEncoding

__all__ = ["DrawnRows", "Nodes", "divide", "expanded", "extremes_between", "ranges_of", "sums_between"]


PIECE = 512  # numbers of a run that are looked at one after another


class DrawnRows(NamedTuple):
    """The codes of a table, its targets, and the rows that trees drew of them."""

    task: ChannelEncoding
    codes: Any  # (n, d) uint8: a row lies in one place, whatever columns are looked at
    label: Any  # (n,) int32; None for numbers
    target: Any  # (n,) float64; None for classes
    gaps: Any  # (n,) bool: whether a cell of the row is missing
    row: Any  # (drawn,) int32
    mass: Any  # (drawn,) int32: what a row counts, in units of its weight
    moment: Any  # (drawn,) int32: mass times target in fixed point; None for classes

    @property
    def channels(self) -> int:
        """How many numbers a row adds to: one of every class, or moment and mass."""
        return self.task.classes or 2


class Nodes(NamedTuple):
    """Nodes of several trees."""

    kind: Any  # (nodes,): who would grow it elsewhere, which decides what it draws (novum.engines.trees.device.draws)
    seed: Any
    key: Any
    begin: Any  # the first of its rows
    rows: Any
    sums: Any  # (nodes, channels) int64
    low: Any  # least and largest target of numbers; zeros for classes
    high: Any

    def take(self, some: Any) -> "Nodes":
        """Return some of the nodes."""
        return Nodes(*(part[some] for part in self))


def expanded(begin: Any, rows: Any) -> tuple[Any, Any]:
    """Return the places of all rows of some nodes, one node after another, and to which of these each belongs."""
    import torch

    total = rows.cumsum(0)
    owner = torch.repeat_interleave(torch.arange(len(rows), device=rows.device), rows)
    place = torch.arange(len(owner), device=rows.device) + (begin - total + rows)[owner]
    return place, owner


def sums_between(values: Any, begin: Any, rows: Any) -> Any:
    """Return the sums of whole numbers (drawn,) over the lists of nodes."""
    total = values.long().cumsum(0)
    after, before = total[(begin + rows - 1).clamp(min=0)], total[(begin - 1).clamp(min=0)]
    return (after - before.masked_fill(begin == 0, 0)).masked_fill(rows == 0, 0)


def extremes_between(values: Any, what: str, lengths: Any) -> Any:
    """Return the "min" or "max" of every run of numbers.

    Runs are looked at in pieces, then the pieces: one thread of a GPU goes through a piece.
    """
    import torch

    pieces = (lengths + PIECE - 1) // PIECE
    owner = torch.repeat_interleave(torch.arange(len(lengths), device=lengths.device), pieces)
    number = torch.arange(len(owner), device=lengths.device) - (pieces.cumsum(0) - pieces)[owner]
    each = (lengths[owner] - number * PIECE).clamp(max=PIECE)
    return torch.segment_reduce(torch.segment_reduce(values, what, lengths=each), what, lengths=pieces)


def ranges_of(drawn: DrawnRows, begin: Any, rows: Any) -> tuple[Any, Any]:
    """Return the least and the largest target of every node; zeros for classes."""
    import torch

    if drawn.target is None:
        zero = torch.zeros(len(begin), dtype=torch.float64, device=begin.device)
        return zero, zero
    place, _ = expanded(begin, rows)
    target = drawn.target[drawn.row[place].long()]
    return extremes_between(target, "min", rows), extremes_between(target, "max", rows)


def divide(drawn: DrawnRows, begin: Any, rows: Any, split: tuple[Any, Any, Any, Any]) -> None:
    """Divide the lists of nodes by (1) and (2).

    `split` is, of every node, the column, the last code on the left, whether gaps go left, and how many rows do.
    """
    import torch

    feature, code, missing_left, left_rows = split
    place, owner = expanded(begin, rows)
    row = drawn.row[place].long()
    cell = drawn.codes.view(-1)[row * drawn.codes.shape[1] + feature[owner]]
    left = torch.where(cell == drawn.task.bins.missing, missing_left[owner], cell <= code[owner])
    first = rows.cumsum(0) - rows
    ahead = left.long().cumsum(0)
    ahead = ahead - left.long()  # before this row, from the first node on
    ahead = ahead - ahead[first.clamp(max=len(ahead) - 1)][owner]
    behind = torch.arange(len(owner), device=owner.device) - first[owner] - ahead
    to = begin[owner] + torch.where(left, ahead, left_rows[owner] + behind)
    for values in (drawn.row, drawn.mass, drawn.moment):
        if values is not None:
            values[to] = values[place]
