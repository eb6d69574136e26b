"""What a fitted perceptron says of rows, and what its training data look like to the kernel: pure functions over blocks."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from novum.fold.blocks import Block
from novum.neural_network.mlp.compiled_network import WHOLE, Data, Memory, Settings, network_for
from novum.neural_network.mlp.scores import labels_from
from novum.runtime import arrays, devices

__all__ = [
    "Predictor",
    "Reader",
    "all_at_once",
    "average_output",
    "class_probabilities",
    "decisions",
    "outputs",
    "read_block",
]


class Reader(NamedTuple):
    """How a target becomes what a network is trained on."""

    codes: bool  # a class per row, for a softmax
    dtype: np.dtype


class Predictor(NamedTuple):
    """Networks whose outputs are averaged, and what becomes of them."""

    settings: Settings
    thetas: list[np.ndarray]
    runnings: list[np.ndarray]
    classes: np.ndarray | None = None  # of a classifier whose rows have one label
    log: bool = False
    flat: bool = False  # one number per row


def plain(X: Any) -> Any:
    """Return rows as a network takes them: a row-major array of floats, a CSR matrix, or a tensor on a device."""
    if scipy.sparse.issparse(X) or (arrays.is_tensor(X) and not devices.on_host(X)):
        return X
    return np.ascontiguousarray(arrays.to_numpy(X) if arrays.is_tensor(X) else X)


def all_at_once(source: Any) -> Block:
    """Return all rows that lie in memory, or on one device, as a block."""
    return Block(source.X if source.on_device else source.array(), source.y, source.weight)


def read_block(reader: Reader, block: Block) -> Data:
    """Return the rows of a block that have weight, with their targets."""
    if arrays.is_tensor(block.X) and not devices.on_host(block.X):
        return read_tensor(reader, block)
    y, weight = np.asarray(block.y), block.weight
    code = value = None
    if reader.codes:
        code = y.astype(np.int64, copy=False)
    else:
        value = np.ascontiguousarray(y.reshape(len(y), -1), reader.dtype)
    data = Data(plain(block.X), code, value, None if weight is None else np.asarray(weight, np.float64))
    return data if data.weight is None or data.weight.all() else data.take(np.flatnonzero(data.weight))


def read_tensor(reader: Reader, block: Block) -> Data:
    """Return the rows of a tensor that have weight, with their targets, on its device."""
    code, value = (block.y.long(), None) if reader.codes else (None, arrays.as_matrix(block.y).to(block.X.dtype))
    data = Data(block.X, code, value, block.weight)
    return data if data.weight is None or bool((data.weight > 0).all()) else data.take(data.weight > 0)


def average_output(predictor: Predictor, block: Block) -> Any:
    """Return the mean of what the networks say of every row, (rows, outputs)."""
    X = plain(block.X)
    total = None
    for theta, running in zip(predictor.thetas, predictor.runnings):
        dtype = arrays.dtype_of(X)
        nothing = np.empty(0, dtype)
        memory = Memory(theta.astype(dtype, copy=False), nothing, nothing, running.astype(dtype, copy=False))
        out = network_for(X, predictor.settings, memory, min(WHOLE, X.shape[0]), 1, trains=False).predict(X)
        total = out if total is None else total + out
    return total if len(predictor.thetas) == 1 else total / len(predictor.thetas)  # type: ignore[operator]


def outputs(predictor: Predictor, block: Block) -> np.ndarray:
    """Return the outputs of every row."""
    out = average_output(predictor, block)
    return out[:, 0] if predictor.flat else out


def class_probabilities(predictor: Predictor, block: Block) -> np.ndarray:
    """Return the probability of every class, or its logarithm."""
    p = average_output(predictor, block)
    if predictor.classes is not None and p.shape[1] == 1:
        p = p * 0 + 1 if len(predictor.classes) == 1 else arrays.concat([1 - p, p])
    if not predictor.log:
        return p
    with np.errstate(divide="ignore"):
        return arrays.log(p)


def decisions(predictor: Predictor, block: Block) -> np.ndarray:
    """Return the class of every row, or an indicator of its labels."""
    p = average_output(predictor, block)
    if predictor.classes is None:
        return labels_from(p)
    if len(predictor.classes) == 1:
        return arrays.class_of(predictor.classes, arrays.whole(p[:, 0] * 0))
    return arrays.class_of(predictor.classes, arrays.argmax(p) if p.shape[1] > 1 else labels_from(p[:, 0]))
