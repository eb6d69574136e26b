"""What all networks over sequences and trees share: their words, their tags, weights of examples, codes of classes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.base.validation import check_weight
from novum.exceptions import DataError
from novum.neural_network.sequences.texts import complete_paragraphs
from novum.neural_network.training.network import NetworkEstimator

__all__ = ["SequenceNetwork", "check_sequence_weight", "class_codes"]


class SequenceNetwork(NetworkEstimator):
    """Networks whose X is a list of sequences or trees, no table."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        cls.__doc__ = complete_paragraphs(cls.__doc__)
        super().__init_subclass__(**kwargs)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        return tags


def check_sequence_weight(owner: Any, sample_weight: Any, n: int) -> tuple[NDArray | None, NDArray]:
    """Return the weights of the examples that count, or None, and the places of these."""
    weight = check_weight(owner, sample_weight, n)
    used = np.arange(n) if weight is None else np.flatnonzero(weight > 0)
    return (None if weight is None else weight[used]), used


def class_codes(owner: str, y: NDArray, classes: NDArray | None) -> tuple[NDArray, NDArray[np.int64]]:
    """Return the classes, those of y where None are given, and the number of each label among them."""
    if classes is None:
        classes = np.unique(y)
        if len(classes) < 2:
            raise DataError(
                f"{owner}: y has one class, {classes.tolist()[0]!r}; a classifier needs at least two classes."
            )
    codes = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    if not (known := classes[codes] == y).all():
        raise DataError(f"{owner}: the label {y[~known].tolist()[0]!r} is none of the classes {classes}.")
    return classes, codes.astype(np.int64)
