"""Sequences of states as a user has them: one or several, of labels of any kind."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError, UnknownCategory
from novum.fold.gathering import check_at_hand
from novum.runtime.checks import row_weights
from novum.runtime.message_text import first_few

__all__ = ["coded", "label_array", "read_sequences", "sequence_weights", "states_of"]

Labels = list[Any]


def is_label(value: Any) -> bool:
    """Return whether a value is one state rather than a sequence of them: tuples are states, as reduced chains have."""
    return isinstance(value, str | bytes | tuple) or not isinstance(value, Iterable)


def as_list(sequence: Any) -> Labels:
    """Return a sequence as a list of plain labels."""
    if hasattr(sequence, "tolist") and getattr(sequence, "ndim", 1) <= 1:
        return list(sequence.tolist())
    return list(sequence)


def read_sequences(owner: str, X: Any, lengths: Any = None) -> list[Labels]:
    """Return the sequences in X: a str, a list or array of labels is one; lists in a list, or rows of a matrix, are several."""
    check_at_hand(owner.partition(".")[0], "sequences of states", X)
    if X is None or (is_label(X) and not isinstance(X, str | tuple)):
        raise ParameterError(f"{owner}: X={X!r}; give a sequence of states, or a list of sequences.")
    if hasattr(X, "columns") and hasattr(X, "to_numpy"):
        X = X.to_numpy()
    items = as_list(X)
    if lengths is not None:
        sizes = np.asarray(lengths)
        if sizes.dtype.kind not in "iu" or sizes.ndim != 1 or (sizes <= 0).any() or sizes.sum() != len(items):
            raise DataError(
                f"{owner}: lengths must be whole numbers >= 1 that add up to the {len(items)} entries of X."
            )
        ends = np.cumsum(sizes)
        found = [items[e - n : e] for e, n in zip(ends.tolist(), sizes.tolist())]
    elif items and not isinstance(X, str) and not any(map(is_label, items)):
        found = [as_list(item) for item in items]
    else:
        found = [items]
    if not found or not all(found):
        raise DataError(f"{owner}: X holds an empty sequence; every sequence has at least one state.")
    for labels in found:
        gap = next((i for i, label in enumerate(labels) if label is None or label != label), None)
        if gap is not None:
            raise DataError(
                f"{owner}: X holds a missing state at place {gap}; give the parts before and after as two sequences."
            )
    return found


def sequence_weights(owner: str, sample_weight: Any, n: int) -> NDArray[np.float64]:
    """Return a weight per sequence."""
    found = row_weights(owner, sample_weight, n)
    return np.ones(n) if found is None else found


def states_of(owner: str, sequences: Sequence[Labels]) -> Labels:
    """Return the distinct states, sorted where they can be, else in order of appearance."""
    seen = dict.fromkeys(label for labels in sequences for label in labels)
    try:
        return sorted(seen)
    except TypeError:
        return list(seen)


def coded(owner: str, sequences: Sequence[Labels], states: Labels) -> list[NDArray[np.int64]]:
    """Return the sequences as places in `states`."""
    place = {state: i for i, state in enumerate(states)}
    try:
        return [np.array([place[label] for label in labels], dtype=np.int64) for labels in sequences]
    except KeyError as error:
        raise UnknownCategory(
            f"{owner}: {error.args[0]!r} is none of the states {first_few(states, quoted=True)}; name it in states=, or fit on "
            "data that have it."
        ) from None


def label_array(states: Labels, codes: NDArray[np.int64]) -> NDArray[Any]:
    """Return the states at some places, as an array of their own kind."""
    if any(isinstance(state, tuple) for state in states):
        table = np.empty(len(states), dtype=object)
        table[:] = states
    else:
        table = np.asarray(states)
        if table.tolist() != list(states):  # mixed labels that NumPy would turn into text
            table = np.empty(len(states), dtype=object)
            table[:] = states
    return table[codes]
