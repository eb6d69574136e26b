"""Pictures of codes and of what they stand for."""

import math
from typing import Any

import numpy as np

from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.style import series

__all__ = ["image_of", "plot_codes", "plot_pairs", "tiles"]

MOST_PAIRS = 10


def image_of(row: np.ndarray, image_shape: list[int] | None) -> np.ndarray | None:
    """Return a row as an image, the mean of its channels; None where it is none (no shape given, no square)."""
    if image_shape is not None:
        return row.reshape(image_shape).mean(axis=0)
    if row.ndim > 1:
        return row.mean(axis=0) if row.ndim == 3 else row
    side = math.isqrt(len(row))
    return row.reshape(side, side) if side * side == len(row) and side > 2 else None


def tiles(images: list[list[np.ndarray]]) -> np.ndarray:
    """Return rows of images of one size as one image."""
    return np.block(images)


def plot_pairs(X: np.ndarray, again: np.ndarray, image_shape: list[int] | None, ax: Any = None) -> Any:
    """Draw rows above their reconstructions: images side by side, or curves over the columns; return the axes."""
    ax = drawing_axes(ax)
    shown = min(len(X), MOST_PAIRS)
    pictures = [image_of(np.asarray(row), image_shape) for row in X[:shown]]
    if pictures[0] is None:
        for k in range(shown):
            ax.plot(np.ravel(X[k]), color=series(ax, k), linewidth=0.8)
            ax.plot(np.ravel(again[k]), color=series(ax, k), linestyle="--")
        ax.set(xlabel="column", ylabel="value", title="rows, and dashed what the network makes of them")
        return ax
    second = [
        row.reshape(picture.shape) if image_shape is None and picture is not None else image_of(row, image_shape)
        for row, picture in zip(again[:shown], pictures)
    ]
    ax.imshow(tiles([pictures, second]), cmap="gray_r")  # type: ignore[list-item]
    ax.set(xticks=[], yticks=[], title="rows, and below what the network makes of them")
    return ax


def plot_codes(codes: np.ndarray, y: Any = None, ax: Any = None) -> Any:
    """Draw the first two numbers of codes (the second is 0 where there is one), a color for each label; return the axes."""
    ax = drawing_axes(ax)
    second = codes[:, 1] if codes.shape[1] > 1 else np.zeros(len(codes))
    if y is None:
        ax.scatter(codes[:, 0], second, s=8)
    else:
        y = np.asarray(y)
        for label in np.unique(y):
            ax.scatter(codes[y == label, 0], second[y == label], s=8, label=str(label))
        draw_legend(ax)
    ax.set(xlabel="code 1", ylabel="code 2" if codes.shape[1] > 1 else "")
    return ax
