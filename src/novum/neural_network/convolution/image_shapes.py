"""The shape of an image: told, seen, or guessed from a flat row."""

import math
from typing import Any

from novum.exceptions import DataError, ParameterError

__all__ = ["image_shape_of"]


def image_shape_of(owner: str, given: tuple[int, ...], asked: Any) -> tuple[int, int, int]:
    """Return (channels, rows, columns) of one example; a flat row is a square grey image unless `asked` tells another shape."""
    shape = given if asked is None else tuple(int(size) for size in asked)
    if math.prod(shape) != math.prod(given):
        raise ParameterError(
            f"{owner}: image_shape={shape} has {math.prod(shape)} pixels, a row of X {math.prod(given)}."
        )
    if len(shape) == 1:
        side = math.isqrt(shape[0])
        if side * side != shape[0]:
            raise DataError(
                f"{owner}: rows of {shape[0]} numbers are no square image; give image_shape=(rows, columns)."
            )
        shape = (side, side)
    if len(shape) == 2:
        shape = (1, *shape)
    if len(shape) != 3:
        raise DataError(
            f"{owner}: X must have the shape (images, rows, columns) or (images, channels, rows, columns), and an example has the"
            f" shape {given}."
        )
    return shape
