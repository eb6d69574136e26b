"""What kernels of differences share: k(x, z) is a function of x - z, perhaps of columns divided by their length scales."""

from typing import Any

import numpy as np

from novum.exceptions import ParameterError
from novum.kernels.base import Array, Hyperparameter, Kernel
from novum.kernels.constants import slot_of
from novum.kernels.program import Builder

__all__ = ["Scaled", "Stationary"]


class Stationary(Kernel):
    """A kernel of x - z whose value for a point with itself is one."""

    _valid: bool | None = True

    def diag(self, X: Any) -> Array:
        """Return one for every point."""
        return np.ones(len(X))

    def is_stationary(self) -> bool:
        """Return True."""
        return True

    def is_isotropic(self) -> bool:
        """Return whether there is one length scale for all columns."""
        return np.size(getattr(self, "length_scale", 1.0)) == 1


class Scaled(Stationary):
    """A stationary kernel with one length scale, or one per column."""

    length_scale: Any
    length_scale_bounds: Any

    @property
    def anisotropic(self) -> bool:
        """Whether every column has a length scale of its own."""
        return bool(np.iterable(self.length_scale)) and len(self.length_scale) > 1

    @property
    def hyperparameter_length_scale(self) -> Any:
        count = (len(self.length_scale),) if self.anisotropic else ()
        return Hyperparameter("length_scale", "numeric", self.length_scale_bounds, *count)

    def _factors(self, d: int) -> Array:
        """Return one over the length scale of every column."""
        scale = np.squeeze(np.asarray(self.length_scale, dtype=float))
        if scale.ndim > 1:
            raise ValueError("length_scale cannot be of dimension greater than 1")
        if scale.ndim == 1 and scale.size != d:
            raise ValueError(f"Anisotropic kernel must have the same number of dimensions as data ({scale.size}!={d})")
        if not (np.isfinite(scale).all() and (scale > 0).all()):
            raise ParameterError(
                f"{type(self).__name__}(length_scale={self.length_scale!r}): length_scale must be positive."
            )
        return np.broadcast_to(1 / scale, (d,))

    def _scaled_node(self, builder: Builder, op: str) -> int:
        slot = slot_of(self.hyperparameter_length_scale, builder)
        return builder.add(
            op, self._factors(builder.points[0].shape[1]), slots=(slot, -1), each_column=self.anisotropic
        )

    def _scale_text(self) -> str:
        if not self.anisotropic:
            return f"{np.ravel(self.length_scale)[0]:.3g}"
        return "[" + ", ".join(f"{value:.3g}" for value in self.length_scale) + "]"

    def __repr__(self) -> str:
        return f"{type(self).__name__}(length_scale={self._scale_text()})"
