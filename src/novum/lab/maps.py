"""What a model says of every point of the plane, as pixels."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["PIXELS", "class_map", "level_map", "pixel_centers"]

PIXELS = 64  # of a side


def pixel_centers(domain: Any, pixels: int = PIXELS) -> NDArray:
    """Return the middle of every pixel, row by row from below, as an array (pixels^2, 2)."""
    sides = [low + (high - low) * (np.arange(pixels) + 0.5) / pixels for low, high in domain]
    x, y = np.meshgrid(*sides)
    return np.column_stack([x.ravel(), y.ravel()])


def class_map(predict: Callable[[NDArray], NDArray], domain: Any, pixels: int = PIXELS) -> NDArray:
    """Return the class of every pixel as bytes, from below."""
    return predict(pixel_centers(domain, pixels)).astype(np.uint8).reshape(pixels, pixels)


def level_map(value: Callable[[NDArray], NDArray], domain: Any, pixels: int = PIXELS) -> NDArray:
    """Return a share between 0 and 1 at every pixel as a byte, from below."""
    return np.round(255 * np.clip(value(pixel_centers(domain, pixels)), 0, 1)).astype(np.uint8).reshape(pixels, pixels)
