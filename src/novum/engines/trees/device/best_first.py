"""Trees with a limit of leaves, grown on a device: novum.engines.trees.best_first chooses, cuts are found where the rows are.

What a pass of histograms would bring, the lines of the best cuts bring here: a few numbers a node, of all trees that grow together.
The rows of nodes that are divided ahead of their turn are divided, too; a leaf that loses its turn keeps them side by side.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.engines.trees.best_first import Growth, Node
from novum.engines.trees.device.best_cuts import Cuts, Search, best_cuts
from novum.engines.trees.device.drawn_rows import DrawnRows, Nodes, divide, ranges_of
from novum.engines.trees.device.draws import BY_PASSES, signed
from novum.engines.trees.device.node_tables import leaf_totals
from novum.engines.trees.exact import Rules
from novum.engines.trees.nodes import Tree
from novum.engines.trees.passes.growth import Split
from novum.engines.trees.passes.node_table import Totals, assemble
from novum.engines.trees.passes.split_rules import ROUNDING, CartRule, Extremes
from novum.runtime import arrays

__all__ = ["grow_best_first"]


class CutRule(CartRule):
    """Rules and criterion of a tree whose best cuts are found elsewhere: what stands for a histogram is a line of them."""

    def __init__(
        self, drawn: DrawnRows, rules: Rules, extremes: Extremes, seed: int, root: tuple[int, NDArray]
    ) -> None:
        task = drawn.task
        super().__init__(task.criterion, rules, task.bins, extremes, task.unit, task.weight_unit, seed)
        self._root = root  # rows and sums

    def root(self, cells: NDArray, counts: NDArray) -> Node:
        node = Node(0, 0, *self._root)
        node.cells, node.counts = cells, counts
        self.total_weight = self.weight(node)
        return node

    def search(self, node: Node) -> None:
        line: Any = node.cells
        node.cells = node.counts = None  # a difference of lines says nothing
        if not np.isfinite(line["gain"]):
            return
        left = line["left"].copy()
        improvement = self._improvement(node, left, float(line["gain"]))
        if improvement + ROUNDING < self.rules.min_impurity_decrease:
            return
        node.gain = improvement
        node.split = Split(
            int(line["feature"]),
            int(line["code"]),
            bool(line["missing_left"]),
            left=left,
            left_rows=int(line["left_rows"]),
            threshold=float(line["threshold"]),
        )


def lines_of(cuts: Cuts) -> NDArray:
    """Return cuts as an array of lines, brought here."""
    parts = {name: arrays.to_numpy(values) for name, values in cuts._asdict().items()}
    out = np.empty(len(parts["gain"]), [(name, values.dtype, values.shape[1:]) for name, values in parts.items()])
    for name, values in parts.items():
        out[name] = values
    return out


class Places:
    """Where the rows of every node of some trees lie, by the number of the tree and of the node."""

    def __init__(self, drawn: DrawnRows, growths: list[Growth], begin: NDArray) -> None:
        self.drawn, self.growths = drawn, growths
        self.begin = [{0: int(first)} for first in begin]

    def sent(self, values: list[Any], kind: str = "int64") -> Any:
        """Return numbers on the device."""
        return arrays.like(self.drawn.codes, np.array(values), kind)

    def follow(self) -> None:
        """Divide the rows of all nodes that have children by now."""
        waiting: list[tuple[dict[int, int], Node]] = []
        for known, growth in zip(self.begin, self.growths):
            for node in growth.nodes:
                if node.left is not None and node.right is not None and node.left.number not in known:
                    known[node.left.number] = known[node.number]
                    known[node.right.number] = known[node.number] + node.left.rows
                    waiting.append((known, node))
        if not waiting:
            return
        splits = [node.split for _, node in waiting]
        divide(
            self.drawn,
            self.sent([known[node.number] for known, node in waiting]),
            self.sent([node.rows for _, node in waiting]),
            (
                self.sent([split.feature for split in splits]),
                self.sent([split.bin for split in splits]),
                self.sent([split.missing_left for split in splits], "bool"),
                self.sent([split.left_rows for split in splits]),
            ),
        )

    def nodes(self, wanted: list[list[int]], seeds: list[int]) -> Nodes:
        """Return nodes of all trees, by their numbers."""
        pairs = [(k, self.growths[k].nodes[number]) for k, some in enumerate(wanted) for number in some]
        begin = self.sent([self.begin[k][node.number] for k, node in pairs])
        rows = self.sent([node.rows for _, node in pairs])
        low, high = ranges_of(self.drawn, begin, rows)
        return Nodes(
            kind=rows * 0 + BY_PASSES,
            seed=self.sent([signed(seeds[k]) for k, _ in pairs]),
            key=self.sent([signed(node.key) for _, node in pairs]),
            begin=begin,
            rows=rows,
            sums=self.sent([node.sums for _, node in pairs]).view(-1, self.drawn.channels),
            low=low,
            high=high,
        )


def totals_of(places: Places, growth: Growth, known: dict[int, int], weight: Any) -> Totals:
    """Return the sums of the targets at the last nodes of a tree, zero elsewhere."""
    out = np.zeros((len(growth.nodes), 3, 2), np.int64)
    last = [node for node in growth.nodes if node.left is None]
    begin, rows = places.sent([known[node.number] for node in last]), places.sent([node.rows for node in last])
    out[[node.number for node in last]] = arrays.to_numpy(leaf_totals(places.drawn, begin, rows, weight))
    return Totals(out[..., 0], out[..., 1])


def grow_best_first(search: Search, extremes: Extremes, roots: Nodes, seeds: list[int], weight: Any) -> list[Tree]:
    """Return the trees of some roots; `weight` as in `leaf_totals`."""
    drawn, rules = search.drawn, search.rules
    first, count, sums = (arrays.to_numpy(part) for part in (roots.begin, roots.rows, roots.sums))
    own = [CutRule(drawn, rules, extremes, seed, (int(rows), total)) for seed, rows, total in zip(seeds, count, sums)]
    growths = [Growth(rule, rules.max_leaf_nodes, len(seeds) * rules.max_leaf_nodes) for rule in own]
    places = Places(drawn, growths, first)
    while True:
        begun = bool(growths[0].nodes)
        wanted = [growth.requested()[0] for growth in growths]
        places.follow()
        if not any(wanted):
            break
        nodes = places.nodes(wanted, seeds) if begun else roots
        lines = lines_of(best_cuts(search, nodes))
        low, high = arrays.to_numpy(nodes.low), arrays.to_numpy(nodes.high)
        at = 0
        for growth, some in zip(growths, wanted):
            here = slice(at, at + len(some))
            if some:
                growth.give(lines[here], lines[here], low[here], high[here])
            at = here.stop
    d = drawn.codes.shape[1]
    out = []
    for rule, growth, known in zip(own, growths, places.begin):
        totals = totals_of(places, growth, known, weight) if drawn.label is None else None
        out.append(assemble(growth, rule, d, drawn.task.classes, totals, drawn.task, {}))
    return out
