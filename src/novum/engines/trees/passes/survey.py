"""What the target and the weights of rows outside memory look like: (1) of novum.engines.trees.passes.single_tree."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.fold.blocks import Block, Source
from novum.runtime import arrays

__all__ = ["Survey", "factors_of", "survey"]


class Survey(NamedTuple):
    """What the target and the weights look like."""

    rows: int
    counts: NDArray  # (classes,) rows of every class; (1,) of a regression
    largest: NDArray  # (classes,) largest weight
    integral: bool  # whether all weights are whole numbers
    low: float  # range of the target
    high: float
    mass: NDArray  # (classes,) weight


def survey_block(classes: int, block: Block) -> Survey:
    """Return (1) of one block."""
    y = block.y
    if arrays.is_tensor(y):
        return survey_tensor(classes, y, block.weight)
    weight = np.ones(len(y)) if block.weight is None else block.weight
    code = y.astype(np.int64) if classes else np.zeros(len(y), np.int64)
    largest = np.zeros(max(1, classes))
    np.maximum.at(largest, code, weight)
    counts = np.bincount(code, minlength=max(1, classes))
    kept = y[weight > 0] if not classes else y[:0]
    low, high = (float(kept.min()), float(kept.max())) if len(kept) else (np.inf, -np.inf)
    integral = bool((weight == np.floor(weight)).all())
    return Survey(len(y), counts, largest, integral, low, high, np.bincount(code, weight, max(1, classes)))


def survey_tensor(classes: int, y: Any, weight: Any) -> Survey:
    """Return (1) of the target and the weights of a tensor's rows, which stay where they are."""
    weight = arrays.ones(y, len(y)) if weight is None else weight
    shares = arrays.one_hot(y, y if classes else y.long() * 0, max(1, classes))
    largest, mass = (shares * weight[:, None]).amax(dim=0), weight @ shares
    kept = y[weight > 0].double() if not classes else y[:0].double()
    ends = arrays.concat([kept.min().reshape(1, 1), kept.max().reshape(1, 1)])[0] if len(kept) else None
    low, high = (np.inf, -np.inf) if ends is None else arrays.to_numpy(ends).tolist()
    counts, integral = arrays.to_numpy(shares.sum(dim=0).long()), bool((weight == weight.floor()).all())
    return Survey(len(y), counts, arrays.to_numpy(largest), integral, low, high, arrays.to_numpy(mass))


def merge_surveys(a: Survey, b: Survey) -> Survey:
    """Return the survey of two blocks together."""
    return Survey(
        a.rows + b.rows,
        a.counts + b.counts,
        np.maximum(a.largest, b.largest),
        a.integral and b.integral,
        min(a.low, b.low),
        max(a.high, b.high),
        a.mass + b.mass,
    )


def survey(source: Source, classes: int) -> Survey:
    """Return (1); `classes` is 0 for a regression."""
    return source.without_features().total(survey_block, classes, merge_surveys)


def factors_of(class_weight: Any, classes: NDArray, counts: NDArray) -> NDArray:
    """Return the factor of every class's weights, a dict or "balanced", from the rows of each."""
    if isinstance(class_weight, dict):
        return np.array([class_weight.get(label, 1.0) for label in classes.tolist()], np.float64)
    return counts.sum() / (len(classes) * counts)
