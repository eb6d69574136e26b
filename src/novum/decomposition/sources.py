r"""What learners of independent components share: white rows, and sums over the sources in one pass.

With m the mean of the rows, W the sum of their weights and s_j, v_j as in novum.decomposition.spectrum (7),

    K = rows v_j' / s_j,   z = sqrt(W) K (x - m)      white: mean 0, covariance I                  (1)
    y = U z                                           sources                                      (2)
    products = E[psi(y) y'],   slopes = E[psi'(y)],   curvature_ij = E[psi'(y_i) y_j^2],   values = E[G(y)],   psi = G'  (3)

(3) is one pass over the rows, wherever they live: a fold whose sums have the size of the unmixing matrix, never of the data.
Contrasts: log cosh(a y)/a, -exp(-y^2/2), y^4/4, |y| and Student's (a+1)/2 log(1 + y^2/a).
"""

from typing import Any, NamedTuple

import numpy as np

from novum import _core
from novum.decomposition.spectrum import Spectrum, by_factor, exact, of_moments
from novum.exceptions import DataError, DataWarning
from novum.fold.blocks import Block, Source
from novum.fold.homes.memory import ArrayTiles, MemorySource
from novum.runtime import arrays
from novum.runtime.warn import warn

__all__ = [
    "Means",
    "Unmixing",
    "White",
    "check_variance",
    "decorrelate",
    "means",
    "short_blocks",
    "warn_of_few_directions",
    "white_axes",
    "whiten_rows",
]

CONTRASTS = {"logcosh": 0, "exp": 1, "cube": 2, "laplace": 3, "student": 4}
BLOCK = (
    2**16
)  # values of a block: contrasts cost more than sums of squares, so shorter blocks than usual keep threads busy
LEAST_ROWS = 512
TINY = float(np.finfo(np.float64).tiny)
ROUNDED = 4.0  # times eps: rounding of a cell


class Unmixing(NamedTuple):
    """What a pass needs: sources y = matrix (x - mean), a contrast and its parameter, and which of (3) are requested."""

    matrix: np.ndarray  # (k, p)
    mean: np.ndarray  # (p,)
    contrast: str
    parameter: float
    curvature: bool
    values: bool


class SourceSums(NamedTuple):
    products: np.ndarray  # (k, k)
    slopes: np.ndarray  # (k,)
    curvature: np.ndarray  # (k, k), zeros where not requested
    values: np.ndarray  # (k,), zeros where not requested
    weight: float


class Means(NamedTuple):
    """(3)."""

    products: np.ndarray
    slopes: np.ndarray
    curvature: np.ndarray
    values: np.ndarray


class White(NamedTuple):
    """(1): the rows after the shift `mean` and the product with sqrt(weight) `axes` are white."""

    mean: np.ndarray  # (p,)
    axes: np.ndarray  # (k, p): K
    weight: float  # W


def sums(params: Unmixing, block: Block) -> SourceSums:
    """Return the sums of (3) over one block."""
    k = len(params.matrix)
    out = SourceSums(np.zeros((k, k)), np.zeros(k), np.zeros((k, k)), np.zeros(k), 0.0)
    X = np.ascontiguousarray(arrays.to_numpy(block.X))
    _core.decomposition.independent.independent_sums(
        X,
        weight=block.weight,
        mean=params.mean,
        unmixing=np.ascontiguousarray(params.matrix),
        contrast=CONTRASTS[params.contrast],
        parameter=float(params.parameter),
        products=out.products,
        slopes=out.slopes,
        curvature=out.curvature if params.curvature else None,
        values=out.values if params.values else None,
    )
    return out._replace(weight=float(block.rows) if block.weight is None else float(block.weight.sum()))


def means(source: Source, params: Unmixing) -> Means:
    """Return (3) of all rows."""
    total = source.total(sums, params)
    requested = (True, True, params.curvature, params.values)  # the others are zeros
    return Means(*(field / total.weight if wanted else field for field, wanted in zip(total[:-1], requested)))


def short_blocks(n: int, d: int) -> int:
    """Return the rows of a block of a pass (3): a function of n and d alone."""
    return max(LEAST_ROWS, -(-n // max(1, n * d // BLOCK)))


def white_axes(source: Source, top: int, solver: str) -> tuple[White, Spectrum]:
    """Return (1) for `top` components, and the axes they come from; directions without variance are left out."""
    found: Spectrum | None
    if solver == "eigh":
        found = of_moments(source, top, single=False)
        found = by_factor(source, top) if found is None else found
    else:
        _, found = exact(source, top)
    # what the rounding of the rows themselves leaves in directions in which they do not vary
    size = float(np.abs(found.mean).max(initial=0.0)) + float(found.singular.max(initial=0.0)) / np.sqrt(found.weight)
    floor = max(found.floor, ROUNDED * np.finfo(source.dtype).eps * size * np.sqrt(found.weight))
    rank = int((found.singular[: len(found.vectors)] > floor).sum())
    vectors, singular = found.vectors[:rank], found.singular[:rank]
    first = np.where(vectors[:, :1] < 0, -1.0, 1.0) if rank else np.ones((0, 1))
    return White(found.mean, first * vectors / singular[:, None], float(found.weight)), found


def whiten_rows(source: Source, white: White) -> Source:
    """Return the white rows (1) of data in memory, ready for passes."""
    scale = np.sqrt(white.weight)
    matrix = white.axes.T * scale

    def of_block(_: Any, block: Block) -> Any:
        return (block.X - white.mean) @ matrix

    rows = source.rows(of_block)
    return MemorySource(ArrayTiles(rows), None, getattr(source, "weight", None)).cut(short_blocks)


def decorrelate(W: np.ndarray) -> np.ndarray:
    """Return (W W')^{-1/2} W, the orthogonal matrix nearest to W."""
    values, vectors = np.linalg.eigh(W @ W.T)
    return (vectors / np.sqrt(np.maximum(values, TINY))) @ (vectors.T @ W)


def check_variance(found: Spectrum, owner: Any) -> None:
    """Raise where the rows do not vary at all: nothing can be distinguished then."""
    if not len(found.singular) or found.singular[0] <= 0:
        raise DataError(
            f"{type(owner).__name__}: the rows do not vary (all {found.rows:g} are the same), so there are no sources to separate;"
            " give rows that differ."
        )


def warn_of_few_directions(owner: Any, white: White, rows: float, p: int) -> None:
    """Warn where the rows vary along fewer directions than were requested; None stands for p, or one fewer than rows that count."""
    most = min(int(rows), p)
    k = min(int(rows) - 1, p) if owner.n_components is None else min(owner.n_components, most)
    if len(white.axes) < k:
        warn(
            f"{type(owner).__name__}: the rows vary along {len(white.axes)} directions only, so there are that many sources and"
            f" not {k}. Leave out constant columns and those that others determine, or give n_components={len(white.axes)}.",
            DataWarning,
        )
