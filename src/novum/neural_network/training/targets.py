"""Networks over arrays: rows of any shape checked, labels as codes, numbers as columns; probabilities and values back.

classes:  loss = sum_i w_i (logsumexp(z_i) - z_i[y_i]) / sum_i w_i,   P(c | x) = softmax(z)_c                           (1)
numbers:  loss = sum_i w_i |y_i - f(x_i)|^2 / (k sum_i w_i)   for k targets                                             (2)
"""

from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, column_or_1d, validate_data

from novum.base.classes import block_labels, encode
from novum.base.device_forms import is_elsewhere
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import ClassifierMixin, RegressorMixin
from novum.base.validation import check_weight
from novum.exceptions import DataError
from novum.fold.blocks import Block
from novum.neural_network.training.examples import Tensors
from novum.neural_network.training.homes import (
    answers_by_block,
    beside_rows,
    column_moments,
    rows_at_hand,
    target_on_device,
)
from novum.neural_network.training.judging import Aim
from novum.neural_network.training.network import NetworkEstimator
from novum.neural_network.training.onnx_files import write_onnx
from novum.runtime import arrays
from novum.runtime.typing import Rows

__all__ = ["ClassifierNetwork", "RegressorNetwork", "cross_entropy", "squared_error", "weighted_mean"]


def weighted_mean(losses: Any, weight: Any) -> Any:
    """Return the mean of one loss per row."""
    return losses.mean() if weight is None else (losses * weight).sum() / weight.sum()


def cross_entropy(logits: Any, code: Any, weight: Any = None) -> Any:
    """Return (1)."""
    import torch.nn.functional as F

    if weight is None:
        return F.cross_entropy(logits.float(), code)
    return weighted_mean(F.cross_entropy(logits.float(), code, reduction="none"), weight)


def squared_error(values: Any, y: Any, weight: Any = None) -> Any:
    """Return (2)."""
    return weighted_mean((values.float() - y).square().mean(dim=1), weight)


class ArrayNetwork(NetworkEstimator):
    """Networks whose X is an array or a tensor with a row per example."""

    _shape_of_rows: tuple[int, ...]
    _reshapes_rows = False  # whether examples of other shapes with as many numbers will do
    _row_axes = 1  # axes of one example: 1 for a row of features, 3 for an image with channels
    _rows_stay = True  # on a device
    _target_kind: str | None = None  # of rows in files or on Dask: "classes" or "numeric"

    def _train(self, X: Any, y: Any, sample_weight: Any, *arguments: Any, **options: Any) -> Self:
        return super()._train(*rows_at_hand(self, X, y, sample_weight, self._target_kind), *arguments, **options)

    def _rows_of(self, X: Any, reset: bool) -> Any:
        """Return X as a float32 tensor of shape (rows, ...), checked."""
        import torch

        owner = type(self).__name__
        X = rows_at_hand(self, X, None, None, None)[0]
        given: Any = X if hasattr(X, "dtype") or hasattr(X, "columns") or sparse.issparse(X) else np.asarray(X)
        if arrays.is_tensor(given):
            rows = given.detach().float()
            if rows.ndim < 2 or not len(rows):
                raise DataError(
                    f"{owner}: X must have a row for every example, got a tensor of shape {tuple(rows.shape)}."
                )
            if not bool(torch.isfinite(rows).all()):
                raise DataError(f"{owner}: X contains NaN or infinity; fill the gaps first.")
            validate_data(
                self, np.broadcast_to(np.float32(0), (1, rows[0].numel())), skip_check_array=True, reset=reset
            )
        else:
            shape = getattr(given, "shape", ())
            if len(shape) > 2 and self._row_axes > 1:
                given = given.reshape(len(given), -1)
            checked = validate_data(self, given, dtype=np.float32, order="C", reset=reset)
            rows = torch.from_numpy(np.require(checked, requirements=["W"]))
            rows = rows.reshape(shape) if len(shape) > 2 else rows
        if reset:
            self._shape_of_rows = tuple(rows.shape[1:])
        elif tuple(rows.shape[1:]) != self._shape_of_rows and not self._reshapes_rows:
            raise DataError(
                f"{owner}: an example has the shape {tuple(rows.shape[1:])}, and {self._shape_of_rows} in fit; give the same."
            )
        return rows

    def _row_shape(self) -> list[int]:
        """Return the shape of one example as the network takes it."""
        config = self.config_
        return list(config.get("row_shape") or config.get("image_shape") or [config["n_features"]])

    def to_onnx(self, path: str | PathLike[str]) -> Path:
        """Write the network to an ONNX file: input `X`, output `scores`, as `module_` gives them; return the path."""
        return write_onnx(self, path)

    def _weight_of(self, sample_weight: Any, n_rows: int) -> tuple[Any, np.ndarray | slice]:
        """Return the weights as a tensor, or None, and which rows count at all."""
        import torch

        weight = check_weight(self, sample_weight, n_rows)
        if weight is None:
            return None, slice(None)
        used = weight > 0
        return torch.from_numpy(weight[used].astype(np.float32)), used


class ClassifierNetwork(ClassifierMixin, ArrayNetwork):
    """Networks that end in a score for every class, (1)."""

    classes_: np.ndarray
    _target_kind = "classes"

    def _examples(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> Tensors:
        import torch

        rows = self._rows_of(X, reset)
        if y is None:
            raise DataError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        if is_elsewhere(rows):
            return self._examples_on_device(rows, y, sample_weight, reset)
        y = column_or_1d(arrays.to_numpy(y), warn=True)
        check_classification_targets(y)
        if len(y) != len(rows):
            raise DataError(
                f"{type(self).__name__}: X has {len(rows)} rows and y has {len(y)}; give a label for every row."
            )
        weight, used = self._weight_of(sample_weight, len(y))
        if reset:
            self._set_classes(np.unique(y[used]))
        code = np.searchsorted(self.classes_, y[used])
        known = self.classes_[np.minimum(code, len(self.classes_) - 1)] == y[used]
        if not known.all():
            raise DataError(
                f"{type(self).__name__}: the label {y[used][~known][0]!r} is none of the classes {self.classes_}."
            )
        return Tensors(rows[used], torch.from_numpy(code.astype(np.int64)), row_weight=weight, classes=code)

    def _examples_on_device(self, rows: Any, y: Any, sample_weight: Any, reset: bool) -> Tensors:
        y, weight, used = target_on_device(self, rows, y, sample_weight)
        if reset:
            self._set_classes(block_labels(None, Block(rows, y[used])).values)
        code = encode(self.classes_, y[used])
        return Tensors(rows[used], code, row_weight=weight, classes=code)

    def _set_classes(self, classes: np.ndarray) -> None:
        if len(classes) < 2:
            raise DataError(
                f"{type(self).__name__}: y has one class, {classes[0]!r}; a classifier needs at least two classes."
            )
        self.classes_ = classes

    def _logits(self, module: Any, batch: Any) -> Any:
        return module(batch[0])

    def _judged(self, module: Any, batch: Any) -> Any:
        return cross_entropy(self._logits(module, batch), *batch[1:]), [Aim(*batch[1:])]

    def _loss(self, module: Any, batch: Any) -> Any:
        return cross_entropy(self._logits(module, batch), batch[1], *batch[2:])

    def _measures(self, module: Any, batch: Any) -> dict[str, Any]:
        right = (self._logits(module, batch).argmax(dim=1) == batch[1]).double()
        return {"accuracy": weighted_mean(right, *(batch[2:] or (None,)))}

    @answers_by_block
    def decision_function(self, X: Rows) -> Any:
        """Return the scores before the softmax; for two classes the difference of theirs."""
        check_is_fitted(self)
        z = beside_rows(X, self._stacked(X, self._logits))
        return z[:, 1] - z[:, 0] if len(self.classes_) == 2 else z

    @answers_by_block
    def predict_proba(self, X: Rows) -> Any:
        """Return the probability of every class, in the order of `classes_`."""
        check_is_fitted(self)
        return beside_rows(
            X, self._stacked(X, lambda module, batch: self._logits(module, batch).double().softmax(dim=1))
        )

    @answers_by_block
    def predict(self, X: Rows) -> Any:
        """Return the most probable class of every row."""
        check_is_fitted(self)
        best = self._stacked(X, lambda module, batch: self._logits(module, batch).argmax(dim=1))
        return arrays.class_of(self.classes_, beside_rows(X, best))

    def _stacked(self, X: Any, function: Any) -> Any:
        import torch

        return torch.cat(self._outputs(Tensors(self._rows_of(X, False)), function))


class RegressorNetwork(RegressorMixin, ArrayNetwork):
    """Networks that end in one number for every target, (2).

    Targets are brought to mean zero and variance one in training and back in `predict`.
    """

    target_mean_: np.ndarray
    target_scale_: np.ndarray
    _target_kind = "numeric"

    def _examples(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> Tensors:
        import torch

        rows = self._rows_of(X, reset)
        if y is None:
            raise DataError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        if is_elsewhere(rows):
            return self._examples_on_device(rows, y, sample_weight, reset)
        y = check_array(arrays.to_numpy(y), ensure_2d=False, dtype=np.float64, input_name="y", estimator=self)
        if len(y) != len(rows):
            raise DataError(
                f"{type(self).__name__}: X has {len(rows)} rows and y has {len(y)}; give a value for every row."
            )
        weight, used = self._weight_of(sample_weight, len(y))
        values = y.reshape(len(y), -1)[used]
        if reset:
            self._set_scale(torch.tensor(values), weight, y.ndim == 1)  # a copy: y may be read-only
        scaled = (values - self.target_mean_) / self.target_scale_
        return Tensors(rows[used], torch.from_numpy(scaled.astype(np.float32)), row_weight=weight)

    def _examples_on_device(self, rows: Any, y: Any, sample_weight: Any, reset: bool) -> Tensors:
        y, weight, used = target_on_device(self, rows, y, sample_weight)
        values = arrays.as_matrix(y).double()[used]
        if reset:
            self._set_scale(values, weight, y.ndim == 1)
        scale = arrays.like(values, self.target_scale_)
        return Tensors(rows[used], (arrays.center(values, self.target_mean_) / scale).float(), row_weight=weight)

    def _set_scale(self, values: Any, weight: Any, flat: bool) -> None:
        self.target_mean_, variance = column_moments(values, weight)
        deviation = np.sqrt(variance)
        self.target_scale_ = np.where(deviation > 0, deviation, 1.0)
        self.n_outputs_, self._flat_target = values.shape[1], flat

    def _values(self, module: Any, batch: Any) -> Any:
        return module(batch[0])

    def _judged(self, module: Any, batch: Any) -> Any:
        return squared_error(self._values(module, batch), *batch[1:]), [Aim(*batch[1:])]

    def _loss(self, module: Any, batch: Any) -> Any:
        return squared_error(self._values(module, batch), batch[1], *batch[2:])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    @answers_by_block
    def predict(self, X: Rows) -> Any:
        """Return the value of every row; of shape (n_samples, n_targets) where y had columns."""
        import torch

        check_is_fitted(self)
        parts = self._outputs(Tensors(self._rows_of(X, False)), self._values)
        found = beside_rows(X, torch.cat(parts).double())
        scale, mean = (arrays.like(found, part) for part in (self.target_scale_, self.target_mean_))
        values = found * scale + mean
        return values[:, 0] if self._flat_target else values
