r"""Losses whose leaves are quantiles, by passes over blocks: the start, and the values of a finished tree's leaves.

    F_0 = the quantile of the targets,   v(leaf) = that of t - F(x) over the rows of the leaf          (1)

each found digit by digit (novum.engines.moments.quantiles), all leaves of a tree in the same passes.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.engines.moments.quantiles import Digits, Probe, digit_sums, group_quantiles
from novum.engines.trees.best_first import Growth
from novum.engines.trees.passes.growth import Request, leaf_of_rows, nodes_of
from novum.engines.trees.passes.node_table import descendants
from novum.ensemble.boosting.block_state import BlockPreparation, Built, Step, Trees, brought_up, build, look_at
from novum.fold.blocks import Block, Source

__all__ = ["refit_leaves", "start_quantile", "weight_unit"]


class Refit(NamedTuple):
    """What a pass carries that looks for quantiles: of targets, or of the residuals of every leaf."""

    task: BlockPreparation
    probe: Probe
    step: Step | None = None  # of the leaves' tree, in its only request
    group: NDArray | None = None  # (nodes,): the leaf that counts the rows at a node


def weight_unit(built: Built) -> float:
    """Return the unit in which weights are summed for quantiles: 2^-52 of the largest."""
    return _core.trees.passes.unit_of(built.largest) * 2.0**-22 if built.weighted else 1.0


def block_digits(refit: Refit, block: Block) -> Digits:
    """Return what one block knows of the next digit of every quantile."""
    memory, step, groups = block.memory, refit.step, refit.probe.prefix.shape[1]
    assert memory is not None
    if "number" not in memory:
        build(refit.task, block)
    if step is not None and not brought_up(step, block):
        nothing = np.zeros((2, groups, 1 << refit.probe.digit), np.int64)
        return Digits(nothing, nothing, 1)
    target, weight = memory["train_target"], memory.get("train_weight")
    if step is None or refit.group is None:
        return digit_sums(refit.probe, np.zeros(len(target), np.int64), target, weight)
    request, words = step.requests[0], memory["train_words"]
    if "sloped" not in memory or int(memory["sloped"][0]) != step.number:
        look_at(step._replace(score=False), block)
    leaf = leaf_of_rows(request, words, refit.task.bins.missing, memory, "leaf0")
    return digit_sums(refit.probe, refit.group[leaf], target - memory["train_raw"][0], weight)


def start_quantile(source: Source, task: BlockPreparation, unit: float) -> NDArray:
    """Return the start of a loss whose leaves are quantiles: that of the targets."""
    assert task.descent.refit is not None
    level = task.descent.refit
    return group_quantiles(lambda probe: source.total(block_digits, Refit(task, probe)), 1, level, unit)


def refit_leaves(
    source: Source, step: Step, growth: Growth, learning_rate: float, unit: float, trees: Callable[[], Trees]
) -> dict[int, float]:
    """Return the values of the leaves, by their place in the tree: quantiles of the residuals of their rows."""
    level = step.task.descent.refit
    assert level is not None
    nodes, sets = nodes_of(growth)
    leaves = [node for node in growth.settled if node.left is None or node.left.final < 0]
    group = np.full(len(nodes), -1, np.int64)
    for place, leaf in enumerate(leaves):
        group[[below.number for below in descendants(leaf)]] = place
    none = np.full(len(nodes), -1, np.int32)
    here = step._replace(requests=(Request(nodes, sets, none, none, 0, 0),), score=False)

    def ask(probe: Probe) -> Digits:
        found = source.total(block_digits, Refit(step.task, probe, here, group))
        while found.lost:
            found = source.total(block_digits, Refit(step.task, probe, here._replace(trees=trees()), group))
        return found

    middle = group_quantiles(ask, len(leaves), level, unit)
    return {leaf.final: learning_rate * value for leaf, value in zip(leaves, middle)}
