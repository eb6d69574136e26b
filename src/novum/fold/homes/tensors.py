"""Data on a PyTorch device: large blocks, statistics where the tensor is, only their small sums come back.

Fitted attributes are NumPy arrays; predictions return as tensors on the device of the input.
"""

from collections.abc import Callable, Iterator
from copy import copy
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from novum.exceptions import DataError
from novum.fold.blocks import Block, Source, add, merge_tree
from novum.fold.homes.memory import ArrayTiles, MemorySource
from novum.runtime import arrays, devices
from novum.runtime.checks import check_weight_size

__all__ = ["TensorSource", "labels_or_numbers", "open_tensor"]

BLOCK_VALUES = {
    "cpu": 2**18,
    "cuda": 2**26,
}  # a GPU needs large blocks to be busy; 0.5 GB of float64 fits all that can be rented


class TensorSource(Source):
    """A two-dimensional tensor with its target and weights, cut by rows."""

    home = "tensor"
    lists_rows = True
    n_rows: int

    def __init__(self, X: Any, y: Any, weight: Any, check: Callable[[Any], Any] | None = None) -> None:
        self.X, self.y, self.weight = X, y, weight
        self.check = check  # for cells that are not finite, until `verified` has made it
        self.n_rows, self.n_features = X.shape
        self.on_device = not devices.on_host(X)
        self.dtype = np.dtype(str(X.dtype).removeprefix("torch."))
        self.has_target = y is not None
        self.n_targets = y.shape[1] if y is not None and y.ndim == 2 else 0
        values = BLOCK_VALUES.get(X.device.type, BLOCK_VALUES["cuda"])
        self._cut(max(1, values // max(1, self.n_features)))

    def _cut(self, step: int) -> None:
        n = int(self.X.shape[0])
        self.bounds = [(start, min(start + step, n)) for start in range(0, n, step)]
        self.memories: list[dict] = [{} for _ in self.bounds]

    def _blocks(self) -> Iterator[Any]:
        for (start, stop), memory in zip(self.bounds, self.memories):
            y = None if self.y is None else self.y[start:stop]
            weight = None if self.weight is None else self.weight[start:stop]
            yield Block(self.X[start:stop], y, weight, start, memory)

    def total(self, statistics: Any, params: Any = None, merge: Any = add) -> Any:
        return merge_tree((statistics(params, block) for block in self._blocks()), merge)

    def first(self) -> Any:
        return next(self._blocks())

    def rows(self, function: Any, params: Any = None) -> Any:
        parts = [function(params, block) for block in self._blocks()]
        if not arrays.is_tensor(parts[0]) and parts[0].dtype.kind in "fiub":
            parts = [arrays.like(self.X, part, str(part.dtype)) for part in parts]
        return arrays.stack_rows(parts)

    def verified(self) -> Self:
        if self.check is not None:
            check, self.check = self.check, None
            check(self.X)
        return self

    def check_results(self, results: Any) -> Self:
        sound = arrays.all_finite if arrays.is_tensor(results) else lambda values: bool(np.isfinite(values).all())
        return self if self.check is None or sound(results) else self.verified()

    def whole(self) -> Source:
        if len(self.bounds) == 1:
            return self
        twin = copy(self)
        twin._cut(int(self.X.shape[0]))
        return twin

    def host(self) -> Source:
        if not devices.on_host(self.X):
            return self
        self.verified()
        y, weight = (values if values is None else arrays.to_numpy(values) for values in (self.y, self.weight))
        return MemorySource(ArrayTiles(self.X.numpy()), y, weight)

    def map_target(self, function: Callable[[Any], Any]) -> Any:
        twin = copy(self)
        twin.y = arrays.like(self.X, function(self.y), "int64")
        twin.memories = [{} for _ in self.bounds]
        return twin


def check_cells(owner: str, allow_nan: bool, X: Any) -> None:
    """Raise for cells that are infinite, or NaN where the learner takes none."""
    if not arrays.all_finite(X) and (not allow_nan or bool(X.isinf().any())):
        raise DataError(f"Input X contains NaN or infinity. {owner} does not accept it: fill or drop those rows.")


def open_tensor(estimator: Any, X: Any, y: Any, sample_weight: Any, defer: bool = False) -> TensorSource:
    """Return a tensor as a Source after the checks that scikit-learn's would make of an array, in its words.

    `defer` leaves the look for NaN and infinity in X to `verified`, where no row has a weight: a device spends a read of the rows
    on it.
    """
    import torch

    owner = type(estimator).__name__
    X = X.detach()
    if X.layout != torch.strided:
        raise DataError(f"{owner} takes dense tensors, got {X.layout}; call X.to_dense(), or give SciPy's CSR matrix.")
    if X.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {X.ndim}D tensor instead: {owner} takes a tensor of shape (rows, features)."
        )
    if X.is_complex():
        raise DataError(f"Complex data not supported by {owner}; give real numbers.")
    if X.shape[0] == 0 or X.shape[1] == 0:
        what = "sample(s)" if X.shape[0] == 0 else "feature(s)"
        raise DataError(
            f"Found array with 0 {what} (shape={tuple(X.shape)}) while a minimum of 1 is required by {owner}."
        )
    if X.dtype not in (torch.float32, torch.float64):
        X = X.float() if X.dtype in (torch.float16, torch.bfloat16) else X.double()
    allow_nan = estimator.__sklearn_tags__().input_tags.allow_nan
    check = partial(check_cells, owner, allow_nan)
    if not defer or sample_weight is not None:
        check = check(X)
    if y is not None:
        y = labels_or_numbers(owner, X, y)
    if sample_weight is not None:
        sample_weight = arrays.like(X, _plain(sample_weight), "float64")
        if sample_weight.ndim != 1:
            raise DataError(f"Sample weights must be 1D array or scalar, got {sample_weight.ndim}D array for {owner}.")
        same_length(owner, "sample_weight", X, sample_weight)
        least, largest = (float(value) for value in torch.stack(sample_weight.aminmax()).cpu())
        if not (np.isfinite(least) and np.isfinite(largest)) or least < 0:
            raise DataError(f"{owner}: sample_weight must be finite and not negative; zero leaves a row out.")
        if not largest:
            raise DataError(f"Sample weights must contain at least one non-zero number. All given to {owner} are zero.")
        check_weight_size(owner, largest)
    return TensorSource(X.contiguous(), y, sample_weight, check)


def labels_or_numbers(owner: str, X: Any, y: Any) -> Any:
    """Return the target beside X, as long as X and finite; labels that are no numbers stay NumPy until they are coded."""
    values = _plain(y)
    if not arrays.is_tensor(values) and np.asarray(values).dtype.kind not in "fiub":
        check_classification_targets(values)
        same_length(owner, "y", X, values)
        return values
    y = values if arrays.is_tensor(values) else arrays.like(X, values, str(np.asarray(values).dtype))
    y = y.detach().to(X.device)
    if y.ndim not in (1, 2) or y.is_complex():
        raise DataError(
            f"{owner}: y should be real, of shape (rows,) or (rows, targets); got {y.dtype} of shape {tuple(y.shape)}."
        )
    same_length(owner, "y", X, y)
    if y.is_floating_point() and not arrays.all_finite(y):
        raise DataError(f"Input y contains NaN or infinity. {owner} does not accept it: drop those rows.")
    return y


def _plain(values: Any) -> Any:
    return values if arrays.is_tensor(values) else np.asarray(values)


def same_length(owner: str, name: str, X: Any, values: Any) -> None:
    """Raise unless there is a value per row."""
    if values.shape[0] != X.shape[0]:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: {[X.shape[0], values.shape[0]]} ({owner}: X and {name})."
        )
