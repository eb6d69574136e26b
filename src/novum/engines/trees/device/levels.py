r"""Trees that grow on a device a level at a time, all leaves of all trees together: for fits without a limit of leaves.

A node is split where nothing stops it and its best cut (novum.engines.trees.device.best_cuts) lowers the impurity enough; both are
asked of all nodes of a level at once, and nothing of a node leaves the device before its tree is done. The children of a level
are the next one, left before right, in the order of their parents,

    node i of a level, split as number s  ->  nodes 2 s and 2 s + 1 of the next                        (1)

A node of few rows draws what the growers of rows in memory would draw, who take such nodes up in fits by passes: seed ^ key is
the seed there, and the key begins anew.
"""

from typing import Any, NamedTuple

from novum.engines.trees.device.best_cuts import Cuts, Search, best_cuts, squared_sums, weights_of
from novum.engines.trees.device.drawn_rows import DrawnRows, Nodes, divide, ranges_of, sums_between
from novum.engines.trees.device.draws import BY_PASSES, IN_MEMORY, child_keys
from novum.engines.trees.exact import Rules
from novum.engines.trees.passes.split_rules import ROUNDING

__all__ = ["Below", "Level", "grow_levels", "taken_up"]


class Below(NamedTuple):
    """Which nodes would be grown elsewhere, and by whom."""

    rows: int  # nodes of at most so many
    kind: int  # FROM_CODES or IN_MEMORY
    gaps: bool  # whether a cell of the table is missing


class Level(NamedTuple):
    """The nodes of one depth."""

    tree: Any
    nodes: Nodes
    split: Any  # (nodes,) bool
    cuts: Cuts


def taken_up(drawn: DrawnRows, nodes: Nodes, below: Below) -> Nodes:
    """Return the nodes with the seeds and keys of those who would take them up."""
    import torch

    here = (nodes.kind == BY_PASSES) & (nodes.rows <= below.rows)
    kind = torch.full_like(nodes.kind, below.kind)
    if below.gaps and below.kind != IN_MEMORY:
        gaps = sums_between(drawn.gaps[drawn.row.long()], nodes.begin, nodes.rows)
        kind = torch.where(gaps > 0, IN_MEMORY, kind)
    return nodes._replace(
        kind=torch.where(here, kind, nodes.kind),
        seed=torch.where(here, nodes.seed ^ nodes.key, nodes.seed),
        key=nodes.key.masked_fill(here, 0),
    )


def stopped(drawn: DrawnRows, rules: Rules, nodes: Nodes, depth: int) -> Any:
    """Return which nodes stay leaves whatever their histograms."""
    pure = nodes.low == nodes.high if drawn.label is None else (nodes.sums > 0).sum(dim=1) <= 1
    few = nodes.rows < max(rules.min_samples_split, 2 * rules.min_samples_leaf)
    light = weights_of(drawn, nodes) < 2 * rules.min_weight_leaf
    return pure | few | light | (depth >= rules.max_depth)


def impurity_of(criterion: str, weight: Any) -> Any:
    """Return the impurity of classes of these weights (nodes, classes)."""
    import torch

    share = weight / weight.sum(dim=1, keepdim=True).clamp(min=5e-324)
    if criterion == "gini":
        return 1.0 - squared_sums(share)
    return -torch.where(share > 0, share * share.clamp(min=5e-324).log2(), 0.0).sum(dim=1)


def improvements(drawn: DrawnRows, nodes: Nodes, cuts: Cuts, whole: Any) -> Any:
    """Return by how much splits lower the impurity of trees of weight `whole`."""
    total, task = weights_of(drawn, nodes), drawn.task
    if drawn.label is None:
        return cuts.gain / (total * whole) * task.unit * task.unit
    parts = [sums.double() * task.weight_unit for sums in (nodes.sums, cuts.left, nodes.sums - cuts.left)]
    here, left, right = (impurity_of(task.criterion, part) for part in parts)
    of_left, of_right = (part.sum(dim=1) / total for part in parts[1:])
    return total / whole * (here - of_right * right - of_left * left)


def children_of(drawn: DrawnRows, nodes: Nodes, cuts: Cuts) -> Nodes:
    """Return the children (1) of nodes that are split, whose rows are divided here."""
    import torch

    divide(drawn, nodes.begin, nodes.rows, (cuts.feature, cuts.code, cuts.missing_left, cuts.left_rows))

    def paired(left: Any, right: Any) -> Any:
        return torch.stack([left, right], dim=1).flatten(0, 1)

    begin = paired(nodes.begin, nodes.begin + cuts.left_rows)
    rows = paired(cuts.left_rows, nodes.rows - cuts.left_rows)
    low, high = ranges_of(drawn, begin, rows)
    return Nodes(
        kind=paired(nodes.kind, nodes.kind),
        seed=paired(nodes.seed, nodes.seed),
        key=paired(child_keys(nodes.key, 0), child_keys(nodes.key, 1)),
        begin=begin,
        rows=rows,
        sums=paired(cuts.left, nodes.sums - cuts.left),
        low=low,
        high=high,
    )


def grow_levels(search: Search, roots: Nodes, below: Below) -> list[Level]:
    """Return the levels of the trees with these roots."""
    import torch

    drawn, rules, out = search.drawn, search.rules, list[Level]()
    tree = torch.arange(len(roots.key), device=roots.key.device)
    whole = weights_of(drawn, roots)
    nodes = roots
    while len(tree):
        nodes = taken_up(drawn, nodes, below)
        (some,) = (~stopped(drawn, rules, nodes, len(out))).nonzero(as_tuple=True)
        part = nodes.take(some)
        cuts = best_cuts(search, part)
        good = cuts.gain > -torch.inf
        falls = improvements(drawn, part, cuts, whole[tree[some]])
        by_passes = part.kind == BY_PASSES  # the others know no fall below zero, which is rounding
        good &= (falls + ROUNDING >= rules.min_impurity_decrease) | (~by_passes & (rules.min_impurity_decrease == 0))
        (kept,) = good.nonzero(as_tuple=True)
        split = torch.zeros(len(tree), dtype=torch.bool, device=tree.device)
        split[some[kept]] = True
        cuts = Cuts(*(values[kept] for values in cuts))
        out.append(Level(tree, nodes, split, cuts))
        if not len(kept):
            break
        tree = tree[some[kept]].repeat_interleave(2)
        nodes = children_of(drawn, part.take(kept), cuts)
    return out
