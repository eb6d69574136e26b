"""Trees as training examples: the nodes of a batch sorted by height, so that those of one height are one product."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.neural_network.recurrent.trees import JoinedTables, sort_by_height
from novum.neural_network.training.examples import Examples

__all__ = ["TreeExamples"]


class TreeExamples(Examples):
    """Trees; a batch is (leaves, levels of children, nodes with answers, targets, weights or None).

    Parameters
    ----------
    joined : JoinedTables
    leaves : ndarray
        Symbols (leaves,) or vectors (leaves, d) of all trees.
    targets : ndarray or None
        One row per tree, or per node of all trees.
    row_weight : ndarray or None
    places : ndarray
        The trees that these examples are, among all.
    per_node : bool
    """

    def __init__(
        self,
        joined: JoinedTables,
        leaves: NDArray,
        targets: NDArray | None,
        row_weight: NDArray | None,
        places: NDArray,
        per_node: bool,
        device: Any = None,
    ) -> None:
        self.given = (joined, leaves, targets, row_weight)
        self.places, self.per_node = places, per_node
        self.target_device = device

    def __len__(self) -> int:
        return len(self.places)

    def part(self, index: NDArray) -> "TreeExamples":
        """Return some of the trees."""
        return TreeExamples(*self.given, self.places[index], self.per_node)

    def to(self, device: Any) -> "TreeExamples":
        """Return the examples with batches on a device."""
        return TreeExamples(*self.given, self.places, self.per_node, device)

    def take(self, index: Any) -> tuple[Any, ...]:
        """Return one batch, its nodes sorted by height."""
        import torch

        joined, leaves, targets, row_weight = self.given
        trees = self.places[index.numpy()]
        batch = sort_by_height(joined, trees)
        sizes = joined.first[trees + 1] - joined.first[trees]
        weight = None if row_weight is None else row_weight[trees].astype(np.float32)
        if self.per_node:
            rows = np.concatenate([np.arange(joined.first[k], joined.first[k + 1]) for k in trees])
            weight = None if weight is None else np.repeat(weight, sizes)
        else:
            rows = trees
        parts: list[Any] = [leaves[batch.leaf_rows], batch.order if self.per_node else batch.roots]
        parts += [None if targets is None else targets[rows], weight]
        values, nodes, target, weight = (
            None if part is None else torch.as_tensor(part, device=self.target_device) for part in parts
        )
        return (
            values,
            [torch.as_tensor(level, device=self.target_device) for level in batch.children],
            nodes,
            target,
            weight,
        )

    def weight(self, index: Any) -> float:
        """Return the weight of a batch's loss: trees, or nodes."""
        joined, _, _, row_weight = self.given
        trees = self.places[index.numpy()]
        terms = joined.first[trees + 1] - joined.first[trees] if self.per_node else np.ones(len(trees))
        return float(terms.sum() if row_weight is None else terms @ row_weight[trees])
