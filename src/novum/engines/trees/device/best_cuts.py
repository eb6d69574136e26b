r"""The best cut of every node from the filled cells of the columns it tries, on their device: what comes back is a line per node.

The rule is that of novum.engines.trees.passes.split_rules, whose (1) to (3) the gains are, operation by operation in float64:

    L(cell) = sums of the cells of a column up to one, by running sums of whole numbers                (1)
    best    = the first cell, column by column in the order tried, gaps right before left, with gain(L) >= max - margin   (2)

A histogram has more numbers than its best cut by a factor of thousands, so it is read where it was made. A column of one filled
cell offers nothing; where all columns drawn are such, the next ones in the order of the draw follow, up to the first that varies.
"""

from typing import Any, NamedTuple

from novum.engines.trees.device.drawn_rows import DrawnRows, Nodes, extremes_between
from novum.engines.trees.device.draws import BY_PASSES, IN_MEMORY, column_order, threshold_shares
from novum.engines.trees.device.filled_cells import Cells, cells_of, portions
from novum.engines.trees.exact import Rules
from novum.engines.trees.passes.split_rules import RELATIVE

__all__ = ["BinEnds", "Cuts", "Search", "best_cuts", "squared_sums", "weights_of"]


class BinEnds(NamedTuple):
    """The least and the largest value of every bin, and the middle between them, (d, width)."""

    low: Any
    high: Any
    middle: Any


class Search(NamedTuple):
    """Where cuts are looked for, and what they must respect."""

    drawn: DrawnRows
    rules: Rules
    ends: BinEnds


class Cuts(NamedTuple):
    """The best cut of every node."""

    gain: Any  # (nodes,); minus infinity where there is none
    feature: Any
    code: Any  # codes up to it go left
    missing_left: Any
    left: Any  # (nodes, channels) int64
    left_rows: Any
    threshold: Any


class Columns(NamedTuple):
    """What is known of the columns that nodes try, (nodes times tried,) each, and of their cells."""

    column: Any
    start: Any  # the first cell
    size: Any  # filled cells
    gap_rows: Any
    gap_sums: Any  # (columns, channels)
    below: Any  # (cells,): rows of cells up to this one, without gaps
    left: Any  # (cells, channels): (1)


def best_cuts(search: Search, nodes: Nodes) -> Cuts:
    """Return the best cut of every node."""
    import torch

    drawn, count, device = search.drawn, len(nodes.key), nodes.key.device
    d = drawn.codes.shape[1]
    tried = min(search.rules.max_features, d)

    def filled(value: Any, dtype: Any, *more: int) -> Any:
        return torch.full((count, *more), value, dtype=dtype, device=device)

    whole, real = torch.int64, torch.float64
    out = Cuts(
        gain=filled(-torch.inf, real),
        feature=filled(0, whole),
        code=filled(0, whole),
        missing_left=filled(False, torch.bool),
        left=filled(0, whole, drawn.channels),
        left_rows=filled(0, whole),
        threshold=filled(torch.inf, real),
    )
    for some, small in portions(drawn, nodes, tried):
        part = nodes.take(some)
        order = column_order(part.kind, part.key, part.seed, d, tried)
        varies = look(search, part, order, (small, False), (some, out))
        later = (~varies).nonzero()[:, 0]
        if not len(later) or tried == d:
            continue
        some, part = some[later], part.take(later)
        order = column_order(part.kind, part.key, part.seed, d, d - 1)  # the one left over is known, too
        rest = d * (d - 1) // 2 - order.sum(dim=1, keepdim=True)
        order = torch.cat([order, rest], dim=1)
        for first in range(tried, d, tried):
            varies = look(search, part, order[:, first : first + tried], (small, True), (some, out))
            later = (~varies).nonzero()[:, 0]
            if not len(later):
                break
            some, part, order = some[later], part.take(later), order[later]
    return out


def look(search: Search, nodes: Nodes, order: Any, how: tuple[bool, bool], into: tuple[Any, Cuts]) -> Any:
    """Write the best cuts of `nodes` among the columns of `order`; return which nodes have one that varies.

    `how` says whether the nodes are small, and whether the first column that varies is the only one to be looked at, `into` to
    which lines of which cuts to write.
    """
    import torch

    drawn, (small, first_alone), (some, out) = search.drawn, how, into
    cells = cells_of(drawn, nodes, order, small)
    columns = columns_of(drawn, cells, order)
    varies = (columns.size > 1).view(order.shape)
    allowed = allowed_cells(search, nodes, cells, columns)
    if first_alone:
        first = varies & (varies.long().cumsum(dim=1) == 1)
        allowed = [one & first.view(-1)[cells.segment] for one in allowed]
    tried = order.shape[1]
    lengths = columns.size.view(order.shape).sum(dim=1)
    gains = [gains_of(search, nodes, cells, columns, one, side) for side, one in enumerate(allowed)]
    best = torch.stack([extremes_between(gain, "max", lengths) for gain in gains]).amax(dim=0)
    line, margin = cells.segment // tried, margins_of(drawn, nodes)
    width = drawn.task.bins.missing + 1
    places = []
    for side, gain in enumerate(gains):  # (2): a place tells the column, the side and the code in this order
        place = ((cells.segment - line * tried) * 2 + side) * width + cells.code
        fine = (gain >= (best - margin)[line]) & (gain > -torch.inf)
        places.append(extremes_between(place.double().masked_fill(~fine, torch.inf), "min", lengths))
    place = torch.stack(places).amin(dim=0)
    found = (place < torch.inf).nonzero()[:, 0]
    place = place[found].long()
    side, code = place // width % 2, place % width
    segment = found * tried + place // (2 * width)
    at = torch.searchsorted(cells.segment * width + cells.code, segment * width + code)
    part, to = nodes.take(found), some[found]
    out.gain[to] = torch.stack(gains)[side if len(gains) > 1 else side * 0, at]
    out.feature[to], out.code[to] = columns.column[segment], code
    out.left[to] = columns.left[at] + columns.gap_sums[segment] * side[:, None]
    left_rows = columns.below[at] + columns.gap_rows[segment] * side
    out.left_rows[to] = left_rows
    out.missing_left[to] = torch.where(columns.gap_rows[segment] > 0, side > 0, 2 * left_rows > part.rows)
    drawn_at = drawn_values(search.ends, part, cells, columns, segment)[0] if search.rules.random else None
    out.threshold[to] = thresholds(search, part, cells, columns, (segment, at), drawn_at)
    return varies.any(dim=1)


def columns_of(drawn: DrawnRows, cells: Cells, order: Any) -> Columns:
    """Return what cells tell of the columns of `order` (nodes, tried)."""
    import torch

    bounds = torch.searchsorted(cells.segment, torch.arange(order.numel() + 1, device=order.device))
    start, size = bounds[:-1], bounds[1:] - bounds[:-1]
    last = bounds[1:] - 1
    gap = cells.code[last] == drawn.task.bins.missing

    def up_to(values: Any) -> Any:
        total = values.contiguous().cumsum(0)  # of one column: a scan across several runs through the rows one by one
        return total - (total - values)[start][cells.segment]

    below, left = up_to(cells.rows), torch.stack([up_to(part) for part in cells.sums.unbind(1)], dim=1)
    gap_rows, gap_sums = cells.rows[last] * gap, cells.sums[last] * gap[:, None]
    return Columns(order.reshape(-1), start, size, gap_rows, gap_sums, below, left)


def allowed_cells(search: Search, nodes: Nodes, cells: Cells, columns: Columns) -> list[Any]:
    """Return which cells may end the left side, with gaps on the right, and with gaps on the left if there are gaps."""
    rules, segment, tried = search.rules, cells.segment, len(columns.column) // len(nodes.key)
    rows, gaps = nodes.rows.repeat_interleave(tried)[segment], columns.gap_rows[segment]
    there, present = cells.code != search.drawn.task.bins.missing, rows - gaps
    inner = there & (columns.below < present)
    out = [inner | (there & (columns.below == present) & (gaps > 0)), inner & (gaps > 0)]
    if rules.random:
        out = [one & here for one, here in zip(out, drawn_cells(search, nodes, cells, columns))]
    least = rules.min_samples_leaf
    out = [
        one & (left >= least) & (rows - left >= least) for one, left in zip(out, (columns.below, columns.below + gaps))
    ]
    return out if bool((gaps > 0).any()) else out[:1]


def drawn_values(ends: BinEnds, nodes: Nodes, cells: Cells, columns: Columns, segment: Any = None) -> tuple[Any, Any]:
    """Return the thresholds that nodes draw, and whether gaps go left there: of all their columns, or of one each, `segment`."""
    import torch

    tried = len(columns.column) // len(nodes.key) if segment is None else 1
    if segment is None:
        segment = torch.arange(len(columns.column), device=columns.column.device)
    column = columns.column[segment]
    share, gaps_left = threshold_shares(nodes.kind, nodes.key, nodes.seed, column.view(-1, tried))
    passes = (nodes.kind == BY_PASSES).repeat_interleave(tried)
    start, gap = columns.start[segment], columns.gap_rows[segment] > 0
    end = (start + columns.size[segment] - 1 - gap.long()).maximum(start)
    least, largest = cells.code[start], cells.code[end]
    low = torch.where(passes, ends.low[column, least], ends.middle[column, least])
    high = torch.where(passes, ends.high[column, largest], ends.middle[column, largest])
    value = low + share.view(-1) * (high - low)
    return torch.where(passes | (value < high), value, low), gaps_left.view(-1)


def drawn_cells(search: Search, nodes: Nodes, cells: Cells, columns: Columns) -> tuple[Any, Any]:
    """Return the cells below the drawn thresholds: one of every column, with gaps on the right, and with gaps on the left."""
    import torch

    value, gaps_left = drawn_values(search.ends, nodes, cells, columns)
    tried, middle = len(columns.column) // len(nodes.key), search.ends.middle
    segment, there = cells.segment, cells.code != search.drawn.task.bins.missing
    gap = columns.gap_rows > 0
    filled = columns.size - gap.long()
    last = columns.start + filled - 1
    place = torch.arange(len(segment), device=segment.device)
    below = there & (middle[columns.column[segment], cells.code] <= value[segment]) & (place < last[segment])
    total = below.long().cumsum(0)
    number = total[last.clamp(min=0)] - (total - below.long())[columns.start]
    kind = nodes.kind.repeat_interleave(tried)
    offers = (filled > 1) | ((filled == 1) & gap & (kind == IN_MEMORY))
    chosen = torch.where(offers, columns.start + number.clamp(min=1) - 1, -1)
    here = place == chosen[segment]
    memory = (kind == IN_MEMORY) & gap
    right, left = ~(memory & gaps_left), ~(memory & ~gaps_left)
    return here & right[segment], here & left[segment]


def squared_sums(whole: Any) -> Any:
    """Return the sums of squares of a line."""
    return (whole * whole).sum(dim=1)


def x_log_x(x: Any) -> Any:
    """Return x log x, 0 at 0."""
    import torch

    return torch.where(x > 0, x * x.clamp(min=5e-324).log(), 0.0)


def weights_of(drawn: DrawnRows, nodes: Nodes) -> Any:
    """Return the weight of every node."""
    whole = nodes.sums[:, 1] if drawn.label is None else nodes.sums.sum(dim=1)
    return whole.double() * drawn.task.weight_unit


def margins_of(drawn: DrawnRows, nodes: Nodes) -> Any:
    """Return the differences of gains that rounding may make in every node."""
    total = weights_of(drawn, nodes)
    if drawn.label is None:
        reach = (nodes.high - nodes.low) / drawn.task.unit
        return RELATIVE * (total * total) * (reach * reach) / 4
    if drawn.task.criterion != "gini":
        return RELATIVE * total * (1 + total.log().abs())
    if drawn.channels > 2:
        return RELATIVE * total
    share = nodes.sums.double() * drawn.task.weight_unit / total[:, None]
    return RELATIVE * (total * total) * (1.0 - squared_sums(share))


def gains_of(search: Search, nodes: Nodes, cells: Cells, columns: Columns, allowed: Any, side: int) -> Any:
    """Return the gains of all cells with gaps on one side, minus infinity where a cut is not allowed."""
    import torch

    (at,) = allowed.nonzero(as_tuple=True)
    drawn, rules, segment = search.drawn, search.rules, cells.segment[at]
    line, unit = segment // (len(columns.column) // len(nodes.key)), drawn.task.weight_unit
    sums = columns.left[at] + (columns.gap_sums[segment] if side else 0)
    own, total = nodes.sums[line], weights_of(drawn, nodes)[line]
    if drawn.label is None:
        weight, rest = sums[:, 1].double() * unit, (own[:, 1] - sums[:, 1]).double() * unit
        mean = own[:, 0].div(own[:, 1].clamp(min=1), rounding_mode="floor")
        over = (own[:, 0] - own[:, 1] * mean).double() / own[:, 1].double()
        left = (sums[:, 0] - sums[:, 1] * mean).double() - sums[:, 1].double() * over
        gain = left * total
        gain = gain * gain / (weight * rest)
    else:
        weight, rest = sums.sum(dim=1).double() * unit, (own - sums).sum(dim=1).double() * unit
        left, right = sums.double() * unit, (own - sums).double() * unit
        if drawn.task.criterion != "gini":
            gain = (x_log_x(left) + x_log_x(right)).sum(dim=1) - x_log_x(weight) - x_log_x(rest)
        elif drawn.channels <= 2:
            gain = left[:, -1] * total - weight * (own[:, -1].double() * unit)
            gain = gain * gain / (weight * rest)
        else:
            gain = squared_sums(left) / weight + squared_sums(right) / rest
    light = (weight < rules.min_weight_leaf) | (rest < rules.min_weight_leaf)
    out = torch.full(allowed.shape, -torch.inf, dtype=torch.float64, device=gain.device)
    out[at] = gain.masked_fill(light | ~gain.isfinite(), -torch.inf)
    return out


def thresholds(
    search: Search, nodes: Nodes, cells: Cells, columns: Columns, where: tuple[Any, Any], drawn_at: Any
) -> Any:
    """Return the numbers at which cells end: midway to the next value of the node, infinity where nothing but gaps follows."""
    import torch

    (segment, at), ends = where, search.ends
    after = (at + 1).clamp(max=len(cells.code) - 1)
    alone = (after == at) | (cells.segment[after] != segment) | (cells.code[after] == search.drawn.task.bins.missing)
    column, passes = columns.column[segment], nodes.kind == BY_PASSES
    code, following = cells.code[at], cells.code[after]
    low = torch.where(passes, ends.high[column, code], ends.middle[column, code])
    high = torch.where(passes, ends.low[column, following], ends.middle[column, following])
    middle = low / 2 + high / 2
    found = torch.where((low <= middle) & (middle < high), middle, low).masked_fill(alone, torch.inf)
    return found if drawn_at is None else torch.where(passes, found, drawn_at)
