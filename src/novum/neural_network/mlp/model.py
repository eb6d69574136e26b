"""What a fitted perceptron says of rows, and what its training data look like to the kernel: pure functions over blocks."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from novum.fold.blocks import Block
from novum.neural_network.mlp.compiled_network import WHOLE, CompiledNetwork, Data, Memory, Settings
from novum.neural_network.mlp.scores import labels_from
from novum.runtime import arrays

__all__ = ["Predictor", "Reader", "average_output", "class_probabilities", "decisions", "outputs", "read_block"]


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
    """Return rows as the kernel takes them: a row-major array of floats, or a CSR matrix."""
    if scipy.sparse.issparse(X):
        return X
    return np.ascontiguousarray(arrays.to_numpy(X) if arrays.is_tensor(X) else X)


def read_block(reader: Reader, block: Block) -> Data:
    """Return the rows of a block that have weight, with their targets."""
    y, weight = np.asarray(block.y), block.weight
    code = value = None
    if reader.codes:
        code = y.astype(np.int64, copy=False)
    else:
        value = np.ascontiguousarray(y.reshape(len(y), -1), reader.dtype)
    data = Data(plain(block.X), code, value, None if weight is None else np.asarray(weight, np.float64))
    return data if data.weight is None or data.weight.all() else data.take(np.flatnonzero(data.weight))


def average_output(predictor: Predictor, block: Block) -> np.ndarray:
    """Return the mean of what the networks say of every row, (rows, outputs)."""
    X = plain(block.X)
    total = None
    for theta, running in zip(predictor.thetas, predictor.runnings):
        nothing = np.empty(0, X.dtype)
        memory = Memory(theta.astype(X.dtype, copy=False), nothing, nothing, running.astype(X.dtype, copy=False))
        out = CompiledNetwork(predictor.settings, memory, min(WHOLE, X.shape[0]), 1, trains=False).predict(X)
        total = out if total is None else total + out
    return total if len(predictor.thetas) == 1 else total / len(predictor.thetas)  # type: ignore[return-value,operator]


def outputs(predictor: Predictor, block: Block) -> np.ndarray:
    """Return the outputs of every row."""
    out = average_output(predictor, block)
    return out[:, 0] if predictor.flat else out


def class_probabilities(predictor: Predictor, block: Block) -> np.ndarray:
    """Return the probability of every class, or its logarithm."""
    p = average_output(predictor, block)
    if predictor.classes is not None and p.shape[1] == 1:
        p = np.ones_like(p) if len(predictor.classes) == 1 else np.column_stack([1 - p, p])
    if not predictor.log:
        return p
    with np.errstate(divide="ignore"):
        return np.log(p)


def decisions(predictor: Predictor, block: Block) -> np.ndarray:
    """Return the class of every row, or an indicator of its labels."""
    p = average_output(predictor, block)
    if predictor.classes is None:
        return labels_from(p)
    if len(predictor.classes) == 1:
        return np.repeat(predictor.classes, len(p))
    return predictor.classes[p.argmax(axis=1) if p.shape[1] > 1 else labels_from(p[:, 0])]
