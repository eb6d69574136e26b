"""Many small pictures in one: filters and feature maps side by side."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.report.axes import drawing_axes

__all__ = ["plot_images", "side_by_side"]


def side_by_side(images: NDArray[Any]) -> NDArray[Any]:
    """Return images (n, rows, columns) as one, in a nearly square grid with a line of NaN between them."""
    n, height, width = images.shape
    across = int(np.ceil(np.sqrt(n)))
    down = -(-n // across)
    out = np.full((down * (height + 1) - 1, across * (width + 1) - 1), np.nan)
    for k, image in enumerate(images):
        top, left = k // across * (height + 1), k % across * (width + 1)
        out[top : top + height, left : left + width] = image
    return out


def plot_images(images: NDArray[Any], ax: Any = None) -> Any:
    """Draw images (n, rows, columns) in a grid; return the axes."""
    ax = drawing_axes(ax)
    ax.imshow(side_by_side(images), cmap="gray")
    ax.set_axis_off()
    return ax
