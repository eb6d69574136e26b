"""What a block of a tensor knows while boosting passes over it, all of it on its device: codes, scores, slopes and leaves.

The same stages as novum.ensemble.boosting.block_state, whose blocks may lose their memory; a tensor's do not.
"""

from typing import Any

import numpy as np

from novum.engines.moments.exact_sums import LIMBS, exact_limbs
from novum.engines.trees.device.bins import encode_rows
from novum.engines.trees.device.passes import histograms_on_device, leaves_of, node_fields
from novum.engines.trees.passes.growth import Histograms
from novum.ensemble.boosting.block_state import PARTS, BlockPreparation, Built, Look, Step
from novum.ensemble.boosting.device.slopes import device_limbs, loss_limbs, rounded, slopes_of_rows
from novum.ensemble.boosting.validation_rows import holds
from novum.fold.blocks import Block
from novum.runtime import arrays

__all__ = ["block_histograms", "build", "look_at", "rows_taken"]


def rows_taken(task: BlockPreparation, block: Block) -> tuple[Any, Any, Any]:
    """Return which rows of a block are trained on, which are held back, and the weights of all."""
    import torch

    weight = block.weight
    if task.factor is not None:
        factor = arrays.like(block.X, task.factor, "float64")[block.y.long()]
        weight = factor if weight is None else factor * weight
    there = torch.ones(len(block.X), dtype=torch.bool, device=block.X.device) if weight is None else weight > 0
    if task.holding is None:
        return there, torch.zeros_like(there), weight
    out = arrays.like(block.X, holds(task.holding, block.start, block.rows), "bool")
    return there & ~out, there & out, weight


def build(task: BlockPreparation, block: Block) -> Built:
    """Fill the memory of a block; return what is learned on the way."""
    import torch

    train, held, weight = rows_taken(task, block)
    target, memory = block.y.double(), block.memory
    assert memory is not None
    before = None if task.before is None else task.before(block)
    counts = [int(rows.sum()) for rows in (train, held)]
    for name, rows, count in zip(PARTS, (train, held), counts):
        some = None if count == block.rows else rows
        for what, values in (("target", target), ("weight", weight), ("raw", before)):
            if values is not None:
                memory[f"{name}_{what}"] = values if some is None else values[some]
        memory[f"{name}_codes"] = encode_rows(task.bins, block.X, some)
        if before is not None:
            memory[f"{name}_raw"] = memory[f"{name}_raw"].T.contiguous()
    memory["number"] = 0 if before is not None else -1
    own: Any = memory["train_target"]
    ones: Any = memory.get("train_weight")
    if weight is None:
        mass = np.stack([exact_limbs(np.array([float(count)])) for count in counts])
        largest, integral = float(counts[0] > 0), True
    else:
        mass = np.stack([device_limbs(memory[f"{name}_weight"]) for name in PARTS])
        largest = float(ones.max()) if counts[0] else 0.0
        integral = bool((ones == ones.floor()).all())
    if not task.descent.by_mean:
        start = np.zeros((0, LIMBS), np.int64)
    elif task.descent.outputs == 1:
        start = np.stack([device_limbs(own if ones is None else own * ones), mass[0]])
    else:
        one = torch.ones_like(own) if ones is None else ones
        start = np.stack([device_limbs(one[own == k]) for k in range(task.descent.outputs)])
    return Built(start, mass, np.array(counts), largest, integral, weight is not None)


def brought_up(step: Step, memory: dict) -> None:
    """Bring the scores of a block up to the step's number of iterations."""
    import torch

    outputs = step.task.descent.outputs
    for name in PARTS:
        target, codes = memory[f"{name}_target"], memory[f"{name}_codes"]
        if memory["number"] < 0:
            start = arrays.like(target, step.start, "float64")
            memory[f"{name}_raw"] = start[:, None].repeat(1, len(target))
        if memory["number"] < step.number:
            for t, (nodes, _) in enumerate(step.last):
                leaf = torch.zeros(len(target), dtype=torch.int32, device=target.device)
                leaf = leaves_of(node_fields(nodes), codes, leaf, step.task.bins.missing)
                memory[f"{name}_raw"][t % outputs] += arrays.like(target, nodes["value"].copy(), "float64")[leaf.long()]
    memory["number"] = step.number


def look_at(step: Step, block: Block) -> Look:
    """Return (1) of one block, and keep its slopes."""
    import torch

    descent, memory = step.task.descent, block.memory
    assert memory is not None
    brought_up(step, memory)
    raw = memory["train_raw"]
    memory["slopes"], largest = slopes_of_rows(descent, memory["train_target"], raw)
    loss = np.zeros((2, LIMBS), np.int64)
    if step.score:
        for i, name in enumerate(PARTS):
            own = (memory[f"{name}_target"], memory[f"{name}_raw"], memory.get(f"{name}_weight"))
            loss[i] = loss_limbs(descent, *own)
    for k in range(descent.outputs):
        memory[f"leaf{k}"] = torch.zeros(raw.shape[1], dtype=torch.int32, device=raw.device)
    return Look(largest, loss)


def block_histograms(step: Step, block: Block) -> Histograms:
    """Return (2) of one block."""
    memory = block.memory
    assert memory is not None

    def pairs(k: int) -> tuple[Any, Any]:
        known = memory.get(f"pairs{k}")
        if known is None or known[0] != (step.number, step.units[k]):
            found = rounded(memory["slopes"][k], memory.get("train_weight"), step.integral, step.units[k])
            known = memory[f"pairs{k}"] = ((step.number, step.units[k]), found)
        return known[1]

    return histograms_on_device(step.requests, pairs, memory["train_codes"], step.task.bins, memory)
