"""The shape of an image: given, seen, or guessed from a flat row."""

import math
from typing import Any

from novum.exceptions import DataError, ParameterError

__all__ = ["check_same_image", "image_shape_of"]


CHANNELS = (1, 3, 4)  # grey, colours, colours with transparency


def looks_channels_last(shape: tuple[int, ...]) -> bool:
    """Return whether the last of three axes is a usual number of channels, and the first is not."""
    return shape[2] in CHANNELS and shape[0] not in CHANNELS and shape[0] > shape[2] and shape[1] > shape[2]


def image_shape_of(owner: str, given: tuple[int, ...], requested: Any) -> tuple[int, int, int]:
    """Return (channels, rows, columns) of one example; a flat row is a square grey image unless `requested` gives another shape."""
    shape = given if requested is None else tuple(int(size) for size in requested)
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
    if len(shape) == 3 and looks_channels_last(shape) and (requested is None or len(given) == 1):
        raise DataError(
            f"{owner}: images of shape {shape} would be read as {shape[0]} channels of {shape[1]} x {shape[2]} pixels, and look"
            f" like rows, columns and {shape[2]} channels; put the channels first:"
            f" X.reshape(-1, {shape[0]}, {shape[1]}, {shape[2]}).transpose(0, 3, 1, 2)."
            f" If the first axis is the channels, give X in that shape and image_shape={shape}."
        )
    if len(shape) != 3:
        raise DataError(
            f"{owner}: X must have the shape (images, rows, columns) or (images, channels, rows, columns), and an example has the"
            f" shape {given}."
        )
    return shape


def check_same_image(owner: str, given: tuple[int, ...], fitted: tuple[int, ...]) -> None:
    """Raise for images whose axes are not those of the fit: as many numbers in another order are another image."""
    if len(given) > 1 and [size for size in given if size > 1] != [size for size in fitted if size > 1]:
        raise DataError(
            f"{owner}: images of shape {given} are not those of the fit, {tuple(fitted)} (channels, rows, columns); give the same."
        )
