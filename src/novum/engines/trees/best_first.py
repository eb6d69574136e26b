r"""Best-first growth where histograms come in batches: what a pass over the data computes, and what becomes of it.

In memory the leaf whose best split gains most is split next, and the histogram of its smaller child is made at once. Here a
histogram costs a pass over all rows, so every pass makes many. Those leaves are divided ahead of their turn that would be split

    if no child that nobody has seen yet were worth splitting                                          (1)

and the splits are then settled in the order in which they would have been made one by one, as far as the gains of all
competitors are known. Without a limit of leaves (1) is certain; with one, a leaf that loses its turn to later, better ones
stays a leaf. So the tree is that of one split at a time, in about as many passes as it is deep.

What a split is worth is the business of a `Rule`; sums are whole numbers, so nothing depends on who added them up.
"""

import heapq
from itertools import count
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from novum import _core

__all__ = ["Growth", "Node", "Rule"]


class Node:
    """A node while its tree grows."""

    __slots__ = (
        *("cells", "counts", "depth", "final", "gain", "high", "info", "key", "left", "low", "number", "open_sets"),
        *("right", "rows", "split", "sums", "value"),
    )

    def __init__(self, depth: int, key: int, rows: int, sums: Any) -> None:
        self.depth, self.key, self.rows, self.sums = depth, key, rows, sums
        self.number = self.final = -1  # in the order of asking, and in that of the finished tree
        self.cells: NDArray | None = None  # (d, width, channels)
        self.counts: NDArray | None = None  # (d, width)
        self.split: Any = None  # the best one; None: there is none, or nobody has looked
        self.gain = 0.0
        self.left: Node | None = None
        self.right: Node | None = None
        self.value, self.low, self.high = 0.0, -np.inf, np.inf
        self.open_sets: list[int] = []
        self.info: Any = None

    def __lt__(self, other: "Node") -> bool:
        """Return which comes first of nodes of equal gains and places, as a settled node and one that is not may have."""
        return self.number < other.number


class Rule(Protocol):
    """What decides about nodes."""

    def root(self, cells: NDArray, counts: NDArray) -> Node:
        """Return the root from its histogram."""

    def stops(self, node: Node) -> bool:
        """Return whether the node stays a leaf whatever its histogram."""

    def search(self, node: Node) -> None:
        """Set `split` and `gain` of a node with a histogram; `split` stays None where none is good."""

    def divide(self, node: Node) -> tuple[Node, Node]:
        """Return the children of the best split."""

    def set_range(self, node: Node, low: float, high: float) -> None:
        """Keep the least and the largest target of a node."""


class Growth:
    """One tree as it grows.

    Parameters
    ----------
    rule : Rule
    max_leaves : int
        0: no limit.
    room : int
        Most histograms that may be requested, and kept, at a time.
    aside_rows : int, default=0
        Nodes of at most so many rows are put aside for whoever takes them up.
    """

    def __init__(self, rule: Rule, max_leaves: int, room: int, aside_rows: int = 0) -> None:
        self.rule, self.max_leaves, self.room, self.aside_rows = rule, max_leaves, max(1, room), aside_rows
        self.nodes: list[Node] = []  # children after parents
        self.settled: list[Node] = []  # in the order of the finished tree
        self.aside: list[Node] = []
        self.leaves = 1
        self._heap: list[tuple[float, int, Node]] = []
        self._awaited: list[Node] = []  # parents whose children's histograms are awaited
        self._numbers = count()

    def requested(self) -> tuple[list[int], list[int]]:
        """Return the nodes whose histograms are needed next, and those whose range of targets is; none when all is done."""
        if not self.nodes:
            return [0], [0]
        if self._done():
            return [], []
        requested: list[int] = []
        watched: list[int] = []
        kept = sum(node.cells is not None for _, _, node in self._heap)
        for node in self._likely():
            if len(requested) >= self.room:
                break
            small, large = self._divided(node)
            if self._idle(small) and self._idle(large):
                node.cells = node.counts = None
                continue
            self._awaited.append(node)
            requested.append(small.number)
            if node.cells is None:
                requested.append(large.number)
            watched += [small.number, large.number]
        excess = kept - 4 * self.room
        for _, _, node in heapq.nlargest(max(0, excess), self._heap):
            if node.left is None:
                node.cells = node.counts = None  # both children will be requested instead
        if not requested:
            self._settle()
            return self.requested()
        return requested, watched

    def give(self, cells: NDArray, counts: NDArray, low: NDArray, high: NDArray) -> None:
        """Take the histograms and ranges that `requested` returned, in its order."""
        if not self.nodes:
            root = self.rule.root(cells[0], counts[0])
            root.number = next(self._numbers)
            root.final = 0
            self.nodes.append(root)
            self.settled.append(root)
            self.rule.set_range(root, float(low[0]), float(high[0]))
            self._examine(root)
            self._offer(root)
        at, spot = 0, 0
        for node in self._awaited:
            small, large = self._children(node)
            small.cells, small.counts = cells[at].copy(), counts[at].copy()  # a view would keep all of them
            at += 1
            if node.cells is None or node.counts is None:
                large.cells, large.counts = cells[at].copy(), counts[at].copy()
                at += 1
            else:
                large.cells, large.counts = node.cells - small.cells, node.counts - small.counts
            node.cells = node.counts = None
            for child in (small, large):
                self.rule.set_range(child, float(low[spot]), float(high[spot]))
                spot += 1
                self._examine(child)
        self._awaited = []
        self._settle()

    def _likely(self) -> list[Node]:
        """Return the leaves of (1) that are not divided yet."""
        heap, leaves, out = list(self._heap), self.leaves, []
        while heap and not (self.max_leaves and leaves >= self.max_leaves):
            node = heapq.heappop(heap)[2]
            leaves += 1
            if node.left is None or node.right is None:
                out.append(node)
                continue
            for child in (node.left, node.right):
                if child.split is not None:
                    heapq.heappush(heap, (-child.gain, child.number, child))
        return out

    def _done(self) -> bool:
        return not self._heap or bool(self.max_leaves and self.leaves >= self.max_leaves)

    def _children(self, node: Node) -> tuple[Node, Node]:
        """Return the children, the smaller first."""
        assert node.left is not None and node.right is not None
        left, right = node.left, node.right
        return (left, right) if left.rows <= right.rows else (right, left)

    def _divided(self, node: Node) -> tuple[Node, Node]:
        """Divide a node ahead of its turn."""
        node.left, node.right = self.rule.divide(node)
        for right, child in enumerate((node.left, node.right)):
            child.key = _core.trees.passes.child_key(node.key, bool(right))
            child.depth = node.depth + 1
            child.number = next(self._numbers)
            self.nodes.append(child)
        return self._children(node)

    def _idle(self, node: Node) -> bool:
        """Return whether a node needs no histogram."""
        return node.rows <= self.aside_rows or self.rule.stops(node)

    def _examine(self, node: Node) -> None:
        """Find the best split of a node that has its histogram."""
        if not self._idle(node):
            self.rule.search(node)
        if node.split is None:
            node.cells = node.counts = None

    def _offer(self, node: Node) -> None:
        """Let a settled node compete, or put it aside."""
        if node.split is not None:
            heapq.heappush(self._heap, (-node.gain, node.final, node))
        elif 0 < node.rows <= self.aside_rows and not self.rule.stops(node):
            self.aside.append(node)

    def _settle(self) -> None:
        """Make the splits whose turn is known to have come."""
        while not self._done():
            node = self._heap[0][2]
            if node.left is None:
                last = self.max_leaves and self.leaves + 1 >= self.max_leaves
                left, right = self.rule.divide(node)
                if not last and not (self._idle(left) and self._idle(right)):
                    return
                self._divided(node)
                node.cells = node.counts = None
            heapq.heappop(self._heap)
            self.leaves += 1
            assert node.left is not None and node.right is not None
            for child in (node.left, node.right):
                child.final = len(self.settled)
                self.settled.append(child)
            if not (self.max_leaves and self.leaves >= self.max_leaves):
                self._offer(node.left)
                self._offer(node.right)
