"""What all networks over sequences and trees share: their words, their tags, weights of examples, codes of classes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.base.validation import check_weight
from novum.exceptions import DataError
from novum.neural_network.sequences.vocabulary import learn_vocabulary
from novum.neural_network.training.network import NetworkEstimator

__all__ = ["SequenceNetwork", "check_sequence_weight", "class_codes", "weighted_moments"]

SYMBOL_ATTRIBUTES = ("symbols_", "source_symbols_", "target_symbols_")


class SequenceNetwork(NetworkEstimator):
    """Networks whose X is a list of sequences or trees, no table."""

    def _transferred(self, X: Any, y: Any, sample_weight: Any, validation: Any, old: Any, *options: Any) -> Any:
        """Train with the body of another network, and so with the numbers that its symbols have there."""
        self._old_symbols = {name: vars(old)[name] for name in SYMBOL_ATTRIBUTES if name in vars(old)}
        try:
            return super()._transferred(X, y, sample_weight, validation, old, *options)
        finally:
            self.__dict__.pop("_old_symbols", None)

    def _learned_symbols(self, name: str, sequences: list[list[Any]]) -> list[Any]:
        """Return the symbols that the attribute `name` should hold: those that occur, or those of the body's own training."""
        old = vars(self).get("_old_symbols", {}).get(name)
        return learn_vocabulary(sequences).symbols if old is None else old

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


def weighted_moments(values: NDArray, weight: NDArray | None) -> tuple[NDArray, NDArray]:
    """Return mean and standard deviation of every column, with one where it is zero."""
    mean = np.average(values, axis=0, weights=weight)
    deviation = np.sqrt(np.average((values - mean) ** 2, axis=0, weights=weight))
    return mean, np.where(deviation > 0, deviation, 1.0)


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
