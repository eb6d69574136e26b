"""Class labels as a stage of the fold: which labels there are, and the target as their codes."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import DataError
from novum.fold.blocks import Block, Source
from novum.runtime import arrays

__all__ = ["block_labels", "distinct", "encode", "labels_of"]


class Labels(NamedTuple):
    values: np.ndarray  # sorted, distinct


def block_labels(_: Any, block: Block) -> Labels:
    """Return the labels that occur in one block; raise for fractions and for labels that cannot be sorted."""
    try:
        values = np.unique(block.y) if isinstance(block.y, np.ndarray) else arrays.unique(block.y)
    except TypeError as error:
        raise DataError(
            f"y mixes labels of different types, or some are missing: {error}. Give every row one label."
        ) from error
    if values.dtype.kind == "f" and (values != np.floor(values)).any():
        raise DataError(
            "Unknown label type: continuous. A classifier was given fractions as labels; a regressor takes them."
        )
    return Labels(values)


def merge_labels(a: Labels, b: Labels) -> Labels:
    """Return the labels of two blocks together."""
    return Labels(np.union1d(a.values, b.values))


def encode(classes: np.ndarray, y: Any) -> Any:
    """Return the position of every label in the sorted `classes`, where y lives; raise for one that is not there."""
    y = y.reshape(-1)
    code, unknown = arrays.positions(classes, y)
    if unknown.any():
        raise DataError(
            f"The target label(s) {arrays.unique(y[unknown])} in y do not exist in the initial classes {classes}."
            f" Name every class at the first call of partial_fit."
        )
    return code


def distinct(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted distinct labels and every row's position among them; whole numbers of a small range by counting."""
    if y.dtype.kind in "iu" and y.size:
        low, high = int(y.min()), int(y.max())
        if high - low < y.size and high < 2**63:
            offset = y.astype(np.int64) - low
            present = np.bincount(offset) > 0
            return (np.flatnonzero(present) + low).astype(y.dtype), (np.cumsum(present) - 1)[offset]
    classes, code = np.unique(y, return_inverse=True)
    return classes, code.astype(np.int64, copy=False).ravel()


def labels_of(source: Source, classes: np.ndarray | None = None) -> tuple[np.ndarray, Source]:
    """Return the sorted classes (those given, or all that occur) and the source with codes as its target."""
    if classes is None:
        if source.at_hand:
            classes, code = distinct(np.asarray(source.y))  # type: ignore[attr-defined]
            return classes, source.with_target(code)  # type: ignore[attr-defined]
        classes = source.without_features().total(block_labels, None, merge_labels).values
    return classes, source.map_target(partial(encode, classes))
