"""The state that novum's own classes declare: which attributes, of which kinds, of which shapes.

The table `attributes.json` beside this file is recorded, not guessed: `tools/model_attributes.py` runs the suite and notes
what every class of novum holds after its fits. A kind is a word:

    none number text bytes dtype type slice generator table sequence record:Name object:Name estimator kernel sparse
    array2:n[*,p]      an array: number of axes, numbers (n) or other cells (o), length of each axis
    array:n            an array of any shape

where an axis is p (always `n_features_in_`), k (always the length of `classes_`) or * (neither). A lengthwise rule is kept
only if it held in every fit and was seen at three different lengths. An object whose class has no entry, or with an
attribute or kind that its class does not declare, is refused by name.
"""

import json
import numbers
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from novum.base.sklearn_base import BaseEstimator
from novum.exceptions import FileFormatError

__all__ = [
    "Lengths",
    "any_axes",
    "check_declared",
    "declared_attributes",
    "is_ours",
    "kind_of",
    "lengths_of",
    "own_objects",
    "parameters_of",
]

TABLE = Path(__file__).with_name("attributes.json")
EVERY_ESTIMATOR = {
    "n_features_in_": ["number"],
    "feature_names_in_": ["array1:o[*]"],
}  # what scikit-learn records itself
LABELS = ["array1:n[*]", "array1:o[*]"]  # of classes: the user's, of whatever kind the fits of the suite had
GENERATORS = (np.random.Generator, np.random.RandomState, np.random.SeedSequence)
PLAIN = (
    (numbers.Number | np.bool_, "number"),
    (str, "text"),
    (bytes | bytearray, "bytes"),
    (np.dtype, "dtype"),
    (type, "type"),
    (slice, "slice"),
    (GENERATORS, "generator"),
    (BaseEstimator, "estimator"),
)
Lengths = dict[str, int]  # p and k, as far as an object knows them


def is_ours(value: Any) -> bool:
    """Return whether a value is an instance of a class that novum defines."""
    return type(value).__module__.partition(".")[0] == "novum"


def kind_of(value: Any) -> str:
    """Return the kind of a value, without the lengths of an array's axes."""
    if value is None:
        return "none"
    if isinstance(value, np.ndarray):
        return f"array{value.ndim}:{'n' if value.dtype.kind in 'biufc' else 'o'}"
    if scipy.sparse.issparse(value):
        return "sparse"
    for types, word in PLAIN:
        if isinstance(value, types):
            return word
    if hasattr(type(value), "clone_with_theta"):  # any may stand inside any other, and each is checked for itself
        return "kernel"
    if isinstance(value, tuple) and is_ours(value):
        return f"record:{type(value).__name__}"
    if is_ours(value) or not isinstance(value, dict | list | tuple | set | frozenset):
        return f"object:{type(value).__name__}"
    return "table" if isinstance(value, dict) else "sequence"


def any_axes(kind: str) -> str:
    """Return the kind for any number of axes: distributions and tables have as many as their users want."""
    return f"array:{kind[-1]}" if kind.startswith("array") else kind


def lengths_of(state: dict[str, Any]) -> Lengths:
    """Return the lengths that an object's own attributes give to the letters p and k."""
    found = {}
    if isinstance(width := state.get("n_features_in_"), numbers.Integral):
        found["p"] = int(width)
    if isinstance(classes := state.get("classes_"), np.ndarray) and classes.ndim == 1:
        found["k"] = len(classes)
    return found


def own_objects(value: Any) -> Iterator[Any]:
    """Yield every object of novum's in a value, itself first, each once."""
    waiting, seen = [value], set()
    while waiting:
        item = waiting.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, list | tuple | set | frozenset):
            waiting += item
        elif isinstance(item, np.ndarray) and item.dtype == object:
            waiting += item.ravel().tolist()
        elif isinstance(item, BaseEstimator) or (is_ours(item) and not isinstance(item, type)):
            waiting += getattr(item, "__dict__", {}).values()
            if is_ours(item):
                yield item


def parameters_of(cls: type) -> set[str]:
    """Return the names of a class's constructor parameters; their values are checked against their domains."""
    return set(cls._get_param_names()) if issubclass(cls, BaseEstimator) else set()


@cache
def declared_attributes() -> dict[str, dict[str, list[str]]]:
    """Return the recorded table: class name, attribute, kinds."""
    return json.loads(TABLE.read_text(encoding="utf-8"))


def fits_kind(value: Any, kinds: list[str], lengths: Lengths) -> bool:
    """Return whether a value is of one of the kinds, and an array as long as its kind says."""
    word = kind_of(value)
    if word == "sparse" and any(kind.startswith("array2:n") for kind in kinds):  # `sparsify`
        word = "array2:n"
    for kind in kinds:
        name, _, axes = kind.partition("[")
        if name not in (word, any_axes(word)):
            continue
        letters = axes.rstrip("]").split(",") if axes else []
        shape = getattr(value, "shape", ())
        if all(letter not in lengths or length == lengths[letter] for letter, length in zip(letters, shape)):
            return True
    return False


def check_declared(value: Any) -> None:
    """Raise FileFormatError for the first object of novum's whose state is not what its class declares."""
    for item in own_objects(value):
        cls = type(item)
        if isinstance(item, tuple | dict):
            check_state(item)
            continue
        state = vars(item)
        known = declared_attributes().get(cls.__name__)
        if known is None and (isinstance(item, BaseEstimator) or not state):
            known = {}  # one that keeps nothing but its parameters, or nothing at all
        if known is None:
            raise FileFormatError(
                f"it holds a {cls.__name__}, whose state is not declared, so that it cannot be checked"
            )
        if isinstance(item, BaseEstimator):
            known = {**EVERY_ESTIMATOR, **known}
        lengths, parameters = lengths_of(state), parameters_of(cls)
        for name, held in state.items():
            if name in parameters:
                check_parameter(cls, name, held)
            elif name not in known:
                raise FileFormatError(
                    f"its {cls.__name__} has an attribute {str(name)[:80]!r}, which that class does not declare"
                )
            elif not fits_kind(held, [*known[name], *(LABELS if name == "classes_" else [])], lengths):
                shape = f" of shape {held.shape}" if isinstance(held, np.ndarray) else ""
                raise FileFormatError(
                    f"the attribute {name!r} of its {cls.__name__} is {kind_of(held)}{shape}, where the class declares"
                    f" {' or '.join(known[name])}"
                )
        if "_y" in state and "classes_" in state:
            check_codes(cls, state["_y"], state["classes_"])
        check_state(item)


def check_state(item: Any) -> None:
    """Let a class check what no kind can tell: that indices it will follow stay inside the arrays they lead into.

    A class that keeps such indices has a method `_check_state`, which raises ValueError where one does not. It is run on every
    object that a file made, after all kinds and shapes are known.
    """
    check = getattr(type(item), "_check_state", None)
    if check is None:
        return
    try:
        check(item)
    except FileFormatError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise FileFormatError(
            f"the state of its {type(item).__name__} does not fit together: {str(error)[:200]}"
        ) from error


def check_codes(cls: type, codes: Any, classes: Any) -> None:
    """Raise FileFormatError where the classes that rows were given, by number, are not among those there are."""
    several = isinstance(classes, list | tuple)
    columns: list[Any] = list(np.asarray(codes).reshape(len(codes), -1).T) if len(codes) else []
    known = [len(each) for each in classes] if several else [len(classes)]
    whole = np.asarray(codes).dtype.kind in "iu" and len(columns) in (0, len(known))
    if not whole or any(column.min() < 0 or column.max() >= count for column, count in zip(columns, known)):
        raise FileFormatError(
            f"the attribute '_y' of its {cls.__name__} names classes by numbers that 'classes_' does not have"
        )


def check_parameter(cls: type, name: str, value: Any) -> None:
    """Raise FileFormatError unless a parameter lies in its domain."""
    domain = getattr(cls, "_domains", {}).get(name)
    if domain is not None and not domain.contains(value):
        raise FileFormatError(
            f"the parameter {name!r} of its {cls.__name__} must be {domain}; it is {str(value)[:80]!r}"
        )
