r"""What a perceptron ended with, compared with what one answer for all its training rows would have: see `training.judging`.

counts:  least loss of a constant   sum_i w_i [y_i log(y_i / ybar) - y_i + ybar] / sum_i w_i                            (1)
labels:  least loss of a constant   the sum over labels of H(p_l),   p_l the weighted share of rows with label l         (2)
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, xlogy

from novum.fold.blocks import Block
from novum.neural_network.mlp.compiled_network import Data
from novum.neural_network.mlp.model import Predictor, Reader, all_at_once, average_output, read_block
from novum.neural_network.training.judging import least_constant_loss
from novum.runtime.random import Stream

__all__ = ["loss_and_constant_loss", "losses_on_some_rows"]

TINY = float(np.finfo(np.float64).tiny)


class Judgment(NamedTuple):
    predictor: Predictor
    reader: Reader
    rows: int  # at most


class JudgedRows(NamedTuple):
    """Rows with the least keys: what they should give and what the network says; their features stay where they are."""

    key: NDArray[np.float64]  # (m,)
    data: Data  # X is (m, 0)
    output: NDArray  # (m, outputs)


def judged_rows(params: Judgment, block: Block) -> JudgedRows:
    """Return the drawn rows of a block, a sample without replacement, whatever the blocks."""
    keys = Stream(0).keys("judged rows", 0, range(block.start, block.start + block.rows), block.weight)
    least = np.flatnonzero(np.isfinite(keys))
    least = least[np.argsort(keys[least], kind="stable")[: params.rows]]
    data = read_block(params.reader, block.take(least))
    output = (
        average_output(params.predictor, Block(data.X))
        if data.rows
        else np.empty((0, params.predictor.settings.units[-1]))
    )
    return JudgedRows(keys[least], data._replace(X=np.empty((data.rows, 0))), output)


def merge_judged(rows: int, a: JudgedRows, b: JudgedRows) -> JudgedRows:
    """Return the rows with the least keys of both."""
    key = np.concatenate([a.key, b.key])
    least = np.argsort(key, kind="stable")[:rows]
    parts = [None if x is None or y is None else np.concatenate([x, y])[least] for x, y in zip(a.data, b.data)]
    return JudgedRows(key[least], Data(*parts), np.concatenate([a.output, b.output])[least])


def loss_and_constant_loss(output: str, data: Data, output_rows: np.ndarray) -> tuple[float, float]:
    """Return the mean loss of what a network says of rows, and the least that one answer for all of them has."""
    p, weight = output_rows.astype(np.float64), data.weight
    w = np.ones(len(p)) if weight is None else weight
    if output == "softmax":
        picked = p[np.arange(len(p)), data.code]
        return float(np.average(-np.log(np.maximum(picked, TINY)), weights=w)), least_constant_loss(data.code, w)
    y = np.asarray(data.value, np.float64)
    middle = np.average(y, axis=0, weights=w)
    if output == "logistic":
        each = -xlogy(y, np.maximum(p, TINY)) - xlogy(1 - y, np.maximum(1 - p, TINY))
        return float(np.average(each.sum(axis=1), weights=w)), float((entr(middle) + entr(1 - middle)).sum())
    if output == "exp":
        each, least = (
            xlogy(y, y) - xlogy(y, np.maximum(q, TINY)) - y + q for q in (p, np.broadcast_to(middle, y.shape))
        )
        return float(np.average(each.sum(axis=1), weights=w)), float(np.average(least.sum(axis=1), weights=w))
    variance = np.average((y - middle) ** 2, axis=0, weights=w)
    size = np.where(variance > 0, variance, 1.0)  # of every target in its own units
    with np.errstate(over="ignore"):
        lost = np.average((y - p) ** 2, axis=0, weights=w)
    return float((lost / size).mean()), float((variance / size).mean())


def losses_on_some_rows(predictor: Predictor, reader: Reader, source: Any, most: int) -> tuple[float, float]:
    """Return both losses on training rows, `most` of them at most, drawn from all."""
    if not source.at_hand and not source.on_device:
        found = source.total(judged_rows, Judgment(predictor, reader, most), partial(merge_judged, most))
        return loss_and_constant_loss(predictor.settings.output, found.data, found.output)
    data = read_block(reader, all_at_once(source))
    if data.rows > most:
        data = data.take(np.sort(np.random.default_rng(0).choice(data.rows, most, replace=False)))
    if source.on_device:
        from novum.neural_network.mlp.device_network import mean_losses

        return mean_losses(predictor.settings.output, data, average_output(predictor, Block(data.X)))
    return loss_and_constant_loss(predictor.settings.output, data, average_output(predictor, Block(data.X)))
