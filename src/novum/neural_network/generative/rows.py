"""What networks that make rows share: rows or images checked and brought to one scale, and the sizes of their layers."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from novum.base.device_forms import is_elsewhere
from novum.base.domains import ArrayLike, Choice, Domain, Int, Null
from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError, ParameterError
from novum.neural_network.convolution.image_shapes import check_same_image, image_shape_of
from novum.neural_network.training.examples import Tensors
from novum.neural_network.training.homes import beside_rows, column_moments, target_on_device
from novum.neural_network.training.targets import ArrayNetwork
from novum.runtime import arrays

__all__ = ["LAYERS", "RowNetwork"]

LAYERS: dict[str, Domain] = {
    "n_components": Int(1),
    "hidden": ArrayLike(0),
    "channels": Null() | ArrayLike(1),
    "activation": Choice("relu", "leaky_relu", "elu", "gelu", "tanh", "sigmoid", "identity"),
    "image_shape": Null() | ArrayLike(2),
}


class RowNetwork(ArrayNetwork):
    """Networks from rows to codes or back; `channels` makes them convolutional."""

    _reshapes_rows = True
    _one_scale = True  # one scale for all columns keeps squared errors in proportion; else each column has its own
    activation: str
    channels: Any
    image_shape: Any
    n_components: int

    def _sizes_of(self, name: str) -> list[int]:
        sizes = list(getattr(self, name))
        if not all(isinstance(size, int | np.integer) and not isinstance(size, bool) and size > 0 for size in sizes):
            raise ParameterError(
                f"{type(self).__name__}({name}={getattr(self, name)!r}): give the sizes of the layers, whole numbers of 1 or more."
            )
        return [int(size) for size in sizes]

    def _rows_of(self, X: Any, reset: bool) -> Any:
        rows = super()._rows_of(X, reset)
        if reset:
            self._image_shape = None
            if self.channels is not None:
                self._image_shape = list(image_shape_of(type(self).__name__, tuple(rows.shape[1:]), self.image_shape))
        elif self._image_shape is not None:
            check_same_image(type(self).__name__, tuple(rows.shape[1:]), tuple(self._image_shape))
        return rows.reshape(len(rows), -1)

    @property
    def _row_axes(self) -> int:  # type: ignore[override]
        return 1 if self.channels is None else 3

    def _examples(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> Tensors:
        rows = self._rows_of(X, reset)
        if is_elsewhere(rows):
            _, weight, used = target_on_device(self, rows, None, sample_weight)
        else:
            weight, used = self._weight_of(sample_weight, len(rows))
        return Tensors(rows[used], row_weight=weight)

    def _config(self, examples: Any) -> dict[str, Any]:
        rows = examples.tensors[0]
        mean, variance = column_moments(rows, examples.row_weight)
        if self._one_scale:
            variance = np.full(len(mean), variance.mean())
        if not np.isfinite(variance).all():
            raise DataError(f"{type(self).__name__}: squares of X overflow; divide its columns by a constant.")
        convolutional = self._image_shape is not None
        hidden = [] if convolutional else self._sizes_of("hidden")
        return {
            "sizes": [rows.shape[1], *hidden, int(self.n_components)],
            "image_shape": self._image_shape,
            "channels": self._sizes_of("channels") if convolutional else None,
            "activation": self.activation,
            "mean": mean.tolist(),
            "scale": np.sqrt(np.where(variance > 0, variance, 1.0)).tolist(),
        }

    def _row_shape(self) -> list[int]:
        return [len(self.config_["mean"])]

    def _answers(self, X: Any, function: Any) -> Any:
        """Return `function(module, rows)` of every batch of rows as one array, a tensor beside rows on a device."""
        import torch

        check_is_fitted(self)
        rows = Tensors(self._rows_of(X, False))
        return beside_rows(X, torch.cat(self._outputs(rows, lambda module, batch: function(module, batch[0]))))

    def _from_codes(self, Z: Any, function: Any) -> np.ndarray:
        """Return `function(module, codes)` of every batch of codes as one array, images in the shape of images."""
        import torch

        check_is_fitted(self)
        Z = check_array(Z, dtype=np.float32, input_name="Z", estimator=self)
        if Z.shape[1] != self.config_["sizes"][-1]:
            raise DataError(
                f"{type(self).__name__}: codes have {self.config_['sizes'][-1]} components, and Z has {Z.shape[1]} columns."
            )
        codes = Tensors(torch.from_numpy(np.require(Z, requirements=["W"])))
        return arrays.to_numpy(torch.cat(self._outputs(codes, lambda module, batch: function(module, batch[0]))))
