r"""The layers of convolutional networks as formulas on arrays, with their gradients.

    y[i, o, r, c] = b_o + sum over channels k and offsets u, v of  w[o, k, u, v] x[i, k, s r + u - p, s c + v - p]         (1)
    zero where the place lies outside; the output has floor((h + 2p - u)/s) + 1 rows
    max pool: y[i, k, r, c] = max over u, v < q of x[i, k, s r + u, s c + v]                                                (2)
    by d = dL/dy:  dL/dw[o, k, u, v] = sum over i, r, c of d[i, o, r, c] x[i, k, s r + u - p, s c + v - p],
                   dL/dx adds w[o, k, u, v] d[i, o, r, c] at the place (1) reads, dL/db_o = sum of d[:, o]                  (3)

Every output is one dot product of the weights with a window of the image: (1) is a matrix product over windows.
"""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike, NDArray

from novum.exceptions import DataError

__all__ = ["convolve", "convolve_gradients", "max_pool"]

Array = NDArray[np.float64]


def as_images(name: str, x: ArrayLike) -> Array:
    """Return an array of shape (images, channels, rows, columns), or raise."""
    images = np.asarray(x, dtype=np.float64)
    if images.ndim != 4:
        raise DataError(f"{name}: x must have the shape (images, channels, rows, columns), got {images.shape}.")
    return images


def windows(name: str, x: Array, height: int, width: int, stride: int, padding: int) -> Array:
    """Return every window that (1) multiplies, (images, channels, rows out, columns out, height, width)."""
    if padding:
        x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    if min(x.shape[2] - height, x.shape[3] - width) < 0:
        raise DataError(f"{name}: a window of {height} x {width} does not fit into {x.shape[2]} x {x.shape[3]} pixels.")
    return sliding_window_view(x, (height, width), axis=(2, 3))[:, :, ::stride, ::stride]


def convolve(
    x: ArrayLike, weight: ArrayLike, bias: ArrayLike | None = None, *, stride: int = 1, padding: int = 0
) -> Array:
    """Return the dot product of every filter with every window of the images, plus the bias: (1) of `formulas`.

    Parameters
    ----------
    x : array-like of shape (images, channels, rows, columns)
    weight : array-like of shape (filters, channels, height, width)
    bias : array-like of shape (filters,), default=None
    stride, padding : int, default=1 and 0
        Places between windows; zeros around the image.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.teaching.neural_networks.convolution import convolve
    >>> image = np.arange(9.0).reshape(1, 1, 3, 3)
    >>> convolve(image, np.array([[[[1.0, -1.0]]]]))[0, 0]  # a step down from each pixel to the next
    array([[-1., -1.],
           [-1., -1.],
           [-1., -1.]])
    """
    images, filters = as_images("convolve", x), np.asarray(weight, dtype=np.float64)
    if filters.ndim != 4 or filters.shape[1] != images.shape[1]:
        raise DataError(f"convolve: filters of shape {filters.shape} do not fit images of shape {images.shape}.")
    seen = windows("convolve", images, filters.shape[2], filters.shape[3], stride, padding)
    out = np.einsum("nkrcuv,okuv->norc", seen, filters, optimize=True)
    return np.asarray(out if bias is None else out + np.asarray(bias, dtype=np.float64)[:, None, None])


def convolve_gradients(
    x: ArrayLike, weight: ArrayLike, slope: ArrayLike, *, stride: int = 1, padding: int = 0
) -> tuple[Array, Array, Array]:
    """Return the gradients of a loss by x, weight and bias, from its gradient by the output of `convolve`."""
    images, filters = as_images("convolve_gradients", x), np.asarray(weight, dtype=np.float64)
    d = as_images("convolve_gradients", slope)
    height, width = filters.shape[2:]
    seen = windows("convolve_gradients", images, height, width, stride, padding)
    by_weight = np.einsum("nkrcuv,norc->okuv", seen, d, optimize=True)
    padded = np.zeros((*images.shape[:2], images.shape[2] + 2 * padding, images.shape[3] + 2 * padding))
    rows, columns = d.shape[2:]
    for u in range(height):
        for v in range(width):
            part = np.einsum("norc,ok->nkrc", d, filters[:, :, u, v], optimize=True)
            padded[:, :, u : u + stride * rows : stride, v : v + stride * columns : stride] += part
    inner = padded[:, :, padding : padding + images.shape[2], padding : padding + images.shape[3]]
    return inner, by_weight, d.sum(axis=(0, 2, 3))


def max_pool(x: ArrayLike, size: int = 2, *, stride: int | None = None) -> Array:
    """Return the largest value of every window of `size` x `size`, windows `stride` apart (None: side by side).

    Examples
    --------
    >>> import numpy as np
    >>> from novum.teaching.neural_networks.convolution import max_pool
    >>> max_pool(np.arange(16.0).reshape(1, 1, 4, 4))[0, 0]
    array([[ 5.,  7.],
           [13., 15.]])
    """
    step = size if stride is None else stride
    return np.asarray(windows("max_pool", as_images("max_pool", x), size, size, step, 0).max(axis=(4, 5)))
