"""Rows outside memory whose weights are multiplied by those of their classes, block by block.

weight of a row = w_i c_{y_i},    mass_k = sum of w_i over the rows of class k                 (1)
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from novum.fold.blocks import Block, Source, add
from novum.runtime import arrays

__all__ = ["ClassWeighted", "class_mass"]


class Mass(NamedTuple):
    mass: np.ndarray  # (k,)


class WeightedPass(NamedTuple):
    """A function of blocks, and what blocks become before it sees them."""

    function: Callable
    params: Any
    by_class: np.ndarray  # (k,)
    target: Callable[[Any], Any]  # of codes


def block_mass(k: int, block: Block) -> Mass:
    """Return the mass (1) of one block."""
    return Mass(arrays.class_counts(block.y, block.weight, k))


def class_mass(source: Source, k: int) -> np.ndarray:
    """Return the mass (1) of the classes of rows with codes as targets."""
    return source.without_features().total(block_mass, k).mass


def reweight_block(by_class: np.ndarray, target: Callable[[Any], Any], block: Block) -> Block:
    """Return a block of codes with the weights (1) and the targets that the codes stand for."""
    factor = arrays.like(block.X, by_class, "float64")[block.y] if arrays.is_tensor(block.X) else by_class[block.y]
    return block._replace(y=target(block.y), weight=factor if block.weight is None else factor * block.weight)


def with_class_weights(task: WeightedPass, block: Block) -> Any:
    """Return the function of a block with the weights (1)."""
    return task.function(task.params, reweight_block(task.by_class, task.target, block))


class ClassWeighted(Source):
    """A source of codes seen with the weights (1), and with `target(code)` as targets."""

    def __init__(self, source: Source, by_class: np.ndarray, target: Callable[[Any], Any], n_targets: int) -> None:
        self.source, self.by_class, self.target = source, by_class, target
        self.n_features, self.n_rows, self.dtype = source.n_features, source.n_rows, source.dtype
        self.names, self.home, self.n_targets, self.has_target = source.names, source.home, n_targets, True
        self.lists_rows, self.rereads = source.lists_rows, source.rereads

    def total(self, statistics: Any, params: Any = None, merge: Any = add) -> Any:
        return self.source.total(
            with_class_weights, WeightedPass(statistics, params, self.by_class, self.target), merge
        )

    def rows(self, function: Any, params: Any = None) -> Any:
        return self.source.rows(with_class_weights, WeightedPass(function, params, self.by_class, self.target))

    def first(self) -> Any:
        return reweight_block(self.by_class, self.target, self.source.first())

    def map_target(self, function: Any) -> Any:
        raise NotImplementedError("the target of weighted classes is settled: map that of the source")
