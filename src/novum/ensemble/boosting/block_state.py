r"""What a block of rows knows while boosting passes over it: codes, scores and slopes, kept in its memory.

Everything can be made again from what a pass carries (`Step`): the bins, the start, and the trees of this fit. A pass carries
those of the last iteration only; a block that has lost more says so and is given all of them in a second pass.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.engines.moments.exact_sums import LIMBS, exact_limbs
from novum.engines.trees.bins import Bins
from novum.engines.trees.histograms import as_bytes
from novum.engines.trees.passes.growth import Channels, Histograms, Request, histograms_of, width_of, words_of
from novum.ensemble.boosting.slopes import Descent
from novum.ensemble.boosting.validation_rows import Holding, holds
from novum.fold.blocks import Block, Source
from novum.fold.homes.spill import spill_blocks
from novum.runtime import arrays, devices

__all__ = [
    *(
        "Built",
        "Look",
        "Step",
        "BlockPreparation",
        "PARTS",
        "Trees",
        "block_histograms",
        "brought_up",
        "build",
        "built_blocks",
    ),
    *("look_at", "merge_looks", "rows_taken"),
]

PARTS = ("train", "held")
Trees = tuple[tuple[NDArray, NDArray], ...]  # nodes and sets of categories


class BlockPreparation(NamedTuple):
    """What makes a block ready."""

    bins: Bins
    descent: Descent
    factor: NDArray | None  # (classes,): multiplies the weights
    holding: Holding | None
    before: Callable[[Block], NDArray] | None  # raw scores (rows, outputs) of an earlier fit that this one goes on from


class Built(NamedTuple):
    """What the blocks came to."""

    start: NDArray  # sums for the start, of the rows trained on
    mass: NDArray  # (2, LIMBS): weights of both kinds of rows
    rows: NDArray  # (2,)
    largest: float  # weight of a row trained on
    integral: bool
    weighted: bool


class Step(NamedTuple):
    """What a pass carries."""

    task: BlockPreparation
    start: NDArray  # (outputs,)
    number: int  # iterations whose trees count
    last: Trees  # those of the last one
    trees: Trees | None = None  # all of this fit, for blocks that have lost their memory
    score: bool = False
    requests: tuple[Request, ...] = ()
    units: tuple[tuple[float, float], ...] = ()
    integral: bool = True


class Look(NamedTuple):
    """(1) of some blocks."""

    largest: NDArray  # (outputs, 2)
    loss: NDArray  # (2, LIMBS): of both kinds of rows
    lost: int = 0


def on_device(block: Block) -> Any:
    """Return the same stages for rows on a device; None for a block that is not there."""
    if not arrays.is_tensor(block.X) or devices.on_host(block.X):
        return None
    from novum.ensemble.boosting.device import block_state

    return block_state


def rows_taken(task: BlockPreparation, block: Block) -> tuple[NDArray, NDArray, NDArray | None]:
    """Return which rows of a block are trained on, which are held back, and the weights of all."""
    if (there := on_device(block)) is not None:
        return there.rows_taken(task, block)
    weight = None if block.weight is None else arrays.to_numpy(block.weight)
    if task.factor is not None:
        factor = task.factor[arrays.to_numpy(block.y).astype(np.int64)]
        weight = factor if weight is None else factor * weight
    there = np.ones(block.rows, bool) if weight is None else weight > 0
    if task.holding is None:
        return there, np.zeros(block.rows, bool), weight
    out = holds(task.holding, block.start, block.rows)
    return there & ~out, there & out, weight


def build(task: BlockPreparation, block: Block) -> Built:
    """Fill the memory of a block; return what is learned on the way."""
    if (there := on_device(block)) is not None:
        return there.build(task, block)
    train, held, weight = rows_taken(task, block)
    target, memory = np.ascontiguousarray(arrays.to_numpy(block.y), np.float64), block.memory
    assert memory is not None
    for name, rows in zip(PARTS, (train, held)):
        memory[f"{name}_target"] = target[rows]
        if weight is not None:
            memory[f"{name}_weight"] = np.ascontiguousarray(weight[rows], np.float64)
        if task.before is not None:
            memory[f"{name}_raw"] = np.ascontiguousarray(task.before(block)[rows].T)
        memory[f"{name}_words"] = words_of(task.bins, block, rows)
    memory["number"] = np.array([0 if task.before is not None else -1])
    ones = np.ones(block.rows) if weight is None else weight
    start = task.descent.start_sums(target[train], None if weight is None else np.ascontiguousarray(weight[train]))
    return Built(
        start,
        np.stack([exact_limbs(ones[train]), exact_limbs(ones[held])]),
        np.array([np.count_nonzero(train), np.count_nonzero(held)]),
        float(ones[train].max(initial=0.0)),
        bool((ones[train] == np.floor(ones[train])).all()),
        weight is not None,
    )


def merge_built(a: Built, b: Built) -> Built:
    """Return what two blocks came to."""
    largest, integral = max(a.largest, b.largest), a.integral and b.integral
    return Built(a.start + b.start, a.mass + b.mass, a.rows + b.rows, largest, integral, a.weighted or b.weighted)


def merge_looks(a: Look, b: Look) -> Look:
    """Return (1) of two blocks."""
    return Look(np.maximum(a.largest, b.largest), a.loss + b.loss, a.lost + b.lost)


def brought_up(step: Step, block: Block) -> bool:
    """Bring the scores of a block up to the step's number of iterations; return False if that takes trees it has not got."""
    memory = block.memory
    assert memory is not None
    if "number" not in memory:
        build(step.task, block)
    number = int(memory["number"][0])
    if number == step.number:
        return True
    team, outputs = _core.runtime.threads.Team(1), step.task.descent.outputs
    if number < 0:
        for name in PARTS:
            raw = np.empty((outputs, len(memory[f"{name}_target"])))
            raw[:] = step.start[:, None]
            memory[f"{name}_raw"] = raw
        number = 0
    if number == step.number - 1:
        missing: Trees | None = step.last
    else:
        missing = None if step.trees is None else step.trees[number * outputs :]
        missing = () if number == step.number else missing
    if missing is None:
        memory["number"] = np.array([number])
        return False
    for name in PARTS:
        words, raw = memory[f"{name}_words"], np.array(memory[f"{name}_raw"])
        for t, (nodes, sets) in enumerate(missing):
            table = as_bytes(np.array(nodes))
            _core.trees.boosting.add_coded(team, table, np.array(sets), words, step.task.bins.missing, raw[t % outputs])
        memory[f"{name}_raw"] = raw
    memory["number"] = np.array([step.number])
    return True


def slopes_of(descent: Descent, target: NDArray, raw: NDArray) -> tuple[NDArray, NDArray]:
    """Return the slopes of every output before they are rounded, (outputs, n, 2), and the largest of each, (outputs, 2)."""
    slopes = np.empty((*raw.shape, 2), np.float32)
    if descent.outputs == 1:
        return slopes, np.array(
            [_core.trees.passes.slopes(descent.kernel, descent.parameter, target, raw[0], slopes[0])]
        )
    probability = np.empty_like(raw)
    _core.trees.boosting.softmax(_core.runtime.threads.Team(1), raw, probability)
    largest = [_core.trees.passes.class_slopes(p, target, float(k), slopes[k]) for k, p in enumerate(probability)]
    return slopes, np.array(largest)


def look_at(step: Step, block: Block) -> Look:
    """Return (1) of one block, and keep its slopes."""
    if (there := on_device(block)) is not None:
        return there.look_at(step, block)
    outputs, memory = step.task.descent.outputs, block.memory
    assert memory is not None
    loss = np.zeros((2, LIMBS), np.int64)
    if not brought_up(step, block):
        return Look(np.zeros((outputs, 2)), loss, 1)
    raw = memory["train_raw"]
    slopes, largest = slopes_of(step.task.descent, memory["train_target"], raw)
    memory["slopes"] = slopes
    if step.score:
        team = _core.runtime.threads.Team(1)
        for i, name in enumerate(PARTS):
            scores = raw if i == 0 else memory["held_raw"]
            loss[i] = step.task.descent.total(team, memory[f"{name}_target"], scores, memory.get(f"{name}_weight"))
    for k in range(outputs):
        memory[f"leaf{k}"] = np.zeros(raw.shape[1], np.int32)
    memory["sloped"] = np.array([step.number])
    return Look(largest, loss)


def block_histograms(step: Step, block: Block) -> Histograms:
    """Return (2) of one block."""
    if (there := on_device(block)) is not None:
        return there.block_histograms(step, block)
    task, memory = step.task, block.memory
    assert memory is not None
    if not brought_up(step, block):
        d, width, slots = len(task.bins.counts), width_of(task.bins), sum(r.slots for r in step.requests)
        cells, counts = np.zeros((slots, d, width, 2), np.int64), np.zeros((slots, d, width), np.uint32)
        watched = np.zeros(sum(r.watches for r in step.requests))
        return Histograms(cells, counts, watched, watched, 1)
    if "sloped" not in memory or int(memory["sloped"][0]) != step.number:
        look_at(step._replace(score=False), block)
    slopes, weight = memory["slopes"], memory.get("train_weight")

    def channels(k: int) -> Channels:
        pairs = np.empty((slopes.shape[1], 2), np.int32)
        _core.trees.passes.round(slopes[k], weight, step.integral, step.units[k], pairs)
        return Channels(pairs=pairs)

    return histograms_of(step.requests, channels, memory["train_words"], task.bins, memory, 2)


def built_blocks(source: Source, task: BlockPreparation) -> AbstractContextManager[tuple[Source, Built]]:
    """Give the source with all blocks built."""
    return spill_blocks(source, build, task, merge_built)
