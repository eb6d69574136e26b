"""Calls of patched classes on a GPU: rows go there, what is said of them comes back, and a record says where each call ran.

    NumPy or frame -> tensor on the device -> the learner's own passes there -> NumPy

A call stays on the processor where the device would not gain by it or could not do it: few cells, sparse rows or text, a learner
or an option without passes of its own there. Why is in the record (`novum.patch.calls`).
"""

import functools
import time
from collections.abc import Callable
from inspect import getattr_static
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from novum.base.device_forms import form_of
from novum.exceptions import DataError, ParameterError
from novum.report.result import Result
from novum.runtime import arrays, sklearn_private
from novum.runtime.message_text import in_one_line

__all__ = ["LEAST_CELLS", "CallPlaces", "forget", "on_device", "places"]

LEAST_CELLS = 2**18  # of X: below, a processor is done before a GPU has begun
METHODS = (
    *("fit", "fit_predict", "fit_transform", "predict", "predict_proba", "predict_log_proba", "decision_function"),
    *("transform", "score_samples", "kneighbors"),
)


class CallPlace(NamedTuple):
    """Calls of one method in one place."""

    method: str
    place: str  # a device, or "processor"
    why: str  # it stayed on the processor
    calls: int
    cells: int
    seconds: float


class CallPlaces(list[CallPlace], Result):
    """Where calls ran since `patch`, and why those that stayed on the processor did. Prints as a table."""

    __repr__ = Result.__repr__


_calls: dict[tuple[str, str, str], CallPlace] = {}


def places() -> CallPlaces:
    """Return where the calls since `patch` ran, the longest first."""
    return CallPlaces(sorted(_calls.values(), key=lambda call: -call.seconds))


def forget() -> None:
    """Begin a new record."""
    _calls.clear()


def note(method: str, place: str, why: str, cells: int, seconds: float) -> None:
    """Add a call to the record."""
    key = (method, place, why)
    before = _calls.get(key, CallPlace(*key, 0, 0, 0.0))
    _calls[key] = CallPlace(*key, before.calls + 1, before.cells + cells, before.seconds + seconds)


def movable(estimator: Any, X: Any, fits: bool) -> tuple[Any, str]:
    """Return X as an array that a device can hold, or why it stays where it is."""
    kind: Any = type(estimator)
    form = form_of(kind)
    if form != "all" and (fits or form != "predictions"):
        return None, "no passes on a device"
    if fits and getattr(estimator, "_small_steps", False):
        return None, "steps of few rows at a time"  # each of which a device would begin anew
    if scipy.sparse.issparse(X):
        return None, "sparse rows"
    if not isinstance(X, np.ndarray) and not hasattr(X, "to_numpy"):
        return None, f"X is a {type(X).__name__}"
    if isinstance(X, np.ma.MaskedArray):
        return None, "masked cells"
    values = X if isinstance(X, np.ndarray) else X.to_numpy()
    if values.ndim != 2 or values.dtype.kind not in "fiub":
        return None, "X is no table of numbers"
    if values.size < LEAST_CELLS:
        return None, f"fewer than {LEAST_CELLS:,} cells"
    return values, ""


def brought_back(value: Any) -> Any:
    """Return what a call came to with its tensors as arrays."""
    if arrays.is_tensor(value):
        return arrays.to_numpy(value)
    if type(value) in (tuple, list):
        return type(value)(brought_back(one) for one in value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):  # an interval
        return type(value)(*(brought_back(one) for one in value))
    return value


def with_names(estimator: Any, X: Any, fits: bool, call: Callable[[], Any]) -> Any:
    """Return what a call comes to whose rows have lost the names of the frame X on their way: they are looked at here."""
    sklearn_private.check_feature_names(estimator, X, reset=fits)
    names = vars(estimator).pop("feature_names_in_", None)
    try:
        return call()
    finally:
        if names is not None:
            estimator.feature_names_in_ = names


def placed(method: Callable[..., Any], name: str, device: Any) -> Callable[..., Any]:
    """Return a method whose X goes to the device first, where that gains."""

    @functools.wraps(method)
    def call(self: Any, X: Any = None, *args: Any, **kwargs: Any) -> Any:
        if arrays.is_tensor(X):  # a call within a call, or a user's own tensor
            return method(self, X, *args, **kwargs)
        word, start = f"{type(self).__name__}.{name}", time.perf_counter()
        values, why = movable(self, X, name.startswith("fit"))
        if not why:
            import torch

            before = dict(vars(self))

            def moved() -> Any:
                return method(self, torch.as_tensor(np.ascontiguousarray(values)).to(device), *args, **kwargs)

            try:
                result = moved() if values is X else with_names(self, X, name.startswith("fit"), moved)
                result = brought_back(result)
                note(word, str(device), "", values.size, time.perf_counter() - start)
                return result
            except (DataError, ParameterError) as error:  # wrong here, too, or an option for the processor alone
                why = in_one_line(str(error), 100)
            except torch.OutOfMemoryError:
                why = "the device has too little memory"
            vars(self).clear()
            vars(self).update(before)
        result = method(self, X, *args, **kwargs)
        note(word, "processor", why, int(np.prod(getattr(X, "shape", 0))), time.perf_counter() - start)
        return result

    return call


def empty(cls: type) -> Any:
    """Return an estimator without a state, for pickle to fill."""
    return object.__new__(cls)


def on_device(cls: type, device: Any) -> type:
    """Return a class like `cls` whose calls go to the device where that gains; models are pickled and saved as `cls`."""

    def reduced(self: Any, protocol: Any) -> tuple[Any, ...]:
        return empty, (cls,), self.__getstate__()

    found = {name: getattr_static(cls, name, None) for name in METHODS}
    methods = {name: placed(one, name, device) for name, one in found.items() if isinstance(one, FunctionType)}
    body = {**methods, "__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
    return type(cls.__name__, (cls,), {**body, "__init__": cls.__init__, "__reduce_ex__": reduced})  # type: ignore[misc]
