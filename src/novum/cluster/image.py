r"""Images in few colors: every pixel is a point of color space, k-means finds the palette, and positions play no part.

bits before  24 N          bits after  N ceil(log2 k) + 24 k          for N pixels and k colors   (1)
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.base import domains
from novum.base.domains import Int, RandomState
from novum.cluster.kmeans import KMeans
from novum.exceptions import DataError
from novum.report.axes import drawing_axes
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Numbers, Seed

__all__ = ["QuantizedImage", "quantize_image"]

BITS = 8  # of a channel
SAMPLE = 1 << 16  # pixels that the palette is learned from, at most: more hardly move it


@dataclass(repr=False)
class QuantizedImage(Result):
    """An image in few colors."""

    palette: NDArray  # (k, channels)
    index: NDArray  # (height, width): the color of every pixel
    image: NDArray  # (height, width, channels), in the type of the image given
    share: NDArray  # (k,): of the pixels in every color
    error: float  # mean squared distance of a pixel to its color
    ratio: float  # bits before over bits after, (1)

    def _result_columns(self) -> dict[str, Any]:
        return {"color": list(range(len(self.palette))), "share": self.share}

    def _result_scalars(self) -> dict[str, Any]:
        return {"colors": len(self.palette), "error": self.error, "ratio": self.ratio}

    def plot(self, ax: Any = None) -> Any:
        """Draw the image in its few colors."""
        ax = drawing_axes(ax)
        image = self.image if self.image.shape[2] != 1 else self.image[:, :, 0]
        ax.imshow(image, cmap="gray" if image.ndim == 2 else None)
        ax.set_axis_off()
        ax.set_title(f"{counted(len(self.palette), 'color')}, {num(self.ratio):.1f} times smaller")
        return ax


def quantize_image(image: Numbers, n_colors: int = 16, *, random_state: Seed = None) -> QuantizedImage:
    """Return an image in its `n_colors` most telling colors.

    Parameters
    ----------
    image : array-like of shape (height, width, channels) or (height, width)
        Whole numbers from 0 to 255, or floats; a fourth channel (alpha) is a coordinate like the others.
    n_colors : int, default=16
        Fewer are used where the image has fewer.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None

    Returns
    -------
    QuantizedImage
        `palette`, `index`, `image`, `share`, `error` and the compression `ratio`; `plot()` draws it.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.cluster import quantize_image
    >>> image = np.zeros((4, 6, 3), np.uint8)
    >>> image[:, 3:] = [250, 0, 0]
    >>> found = quantize_image(image, 2, random_state=0)
    >>> sorted(found.palette.tolist()), round(found.ratio, 2), found.error
    ([[0.0, 0.0, 0.0], [250.0, 0.0, 0.0]], 8.0, 0.0)
    """
    given = {"n_colors": n_colors, "random_state": random_state}
    domains.check({"n_colors": Int(1), "random_state": RandomState()}, given, "quantize_image")
    pixels = np.asarray(image)
    if pixels.ndim not in (2, 3) or pixels.size == 0 or pixels.dtype.kind not in "iufb":
        raise DataError(
            f"quantize_image: an image is an array of numbers of shape (height, width, channels), not {pixels.shape} of type"
            f" {pixels.dtype}."
        )
    pixels = pixels[:, :, None] if pixels.ndim == 2 else pixels
    if not np.isfinite(pixels).all():
        raise DataError("quantize_image: the image holds NaN or infinity; give finite colors.")
    rows = np.ascontiguousarray(pixels.reshape(-1, pixels.shape[2]), np.float64)
    seed = seed_of(random_state)
    sample = rows
    if len(rows) > SAMPLE:
        sample = rows[np.sort(Stream(seed).permutation("pixels", 0, len(rows))[:SAMPLE])]
    k = min(int(n_colors), len(np.unique(sample, axis=0)))
    model = KMeans(k, n_init=1, random_state=seed).fit(sample)
    index = model.predict(rows)
    palette = model.cluster_centers_
    chosen = palette[index]
    error = float(((rows - chosen) ** 2).sum(axis=1).mean())
    if pixels.dtype.kind in "iub":
        chosen = np.rint(chosen)
    depth = BITS * pixels.shape[2]
    after = len(rows) * max(1, int(np.ceil(np.log2(k)))) + depth * k
    share = np.bincount(index, minlength=k) / len(rows)
    shape = pixels.shape[:2]
    return QuantizedImage(
        palette,
        index.reshape(shape),
        chosen.reshape(pixels.shape).astype(pixels.dtype),
        share,
        error,
        len(rows) * depth / after,
    )
