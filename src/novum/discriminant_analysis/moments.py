r"""Moments of Gaussian classes as a fold: one pass gathers mass, mean and scatter of every class.

With s_c a shift near the mean of class c (its mean in the first block), w the weights of the rows,

    mass_c = sum w,   first_c = sum w (x - s_c),   second_c = sum w (x - s_c)(x - s_c)'            (4)
    mean_c = s_c + first_c / mass_c,   scatter_c = second_c - first_c first_c' / mass_c            (5)

A shared covariance needs only the sum of the scatters over the classes, which is what is then summed: d x d numbers instead of
k d x d. (5) loses digits where a shift is some standard deviations from the mean (classes that the first block did not have);
then the pass is repeated about the means.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.engines.moments import device_products
from novum.fold.blocks import Block, Source
from novum.fold.homes.memory import block_rows
from novum.runtime import arrays

__all__ = ["Moments", "class_moments", "covariances", "length_fourth", "pooled_covariance"]

FAR_SHIFT = 4.0  # squared distance of shift and class mean, in variances, beyond which the pass is repeated
MOST_CLASSES = 256  # on a device, beyond which products of rows by class are too short to pay
PILOT_ROWS = 1024  # enough to be near the means; only their neighborhood matters
ROWS_PER_CELL = 2  # rows of a block for every row of its statistics: merging then costs less than making them


class MomentsPass(NamedTuple):
    shift: NDArray  # (k, d)
    pooled: bool


class ClassSums(NamedTuple):
    """(4), with one `second` for all classes where they are pooled, and the number of rows that have weight."""

    mass: NDArray  # (k,)
    first: NDArray  # (k, d)
    second: NDArray  # (k, d, d) or (1, d, d)
    rows: NDArray  # (k,)


class Moments(NamedTuple):
    """(5)."""

    mass: NDArray  # (k,)
    mean: NDArray  # (k, d)
    scatter: NDArray  # (k, d, d), or (1, d, d): their sum
    rows: NDArray  # (k,)


def tensor_sums(task: MomentsPass, block: Block) -> ClassSums:
    """Return (4) of a tensor's block, where it is."""
    k, X = len(task.shift), block.X
    if device_products.takes(X, 0) and k <= MOST_CLASSES:
        mass, first, second = device_products.class_products(X, block.y, block.weight, task.shift)
        counted = None if block.weight is None else (block.weight > 0).double()
        rows = arrays.class_counts(block.y, counted, k)
        return ClassSums(mass, first, second.sum(axis=0)[None] if task.pooled else second, rows)
    member = arrays.one_hot(X, block.y, k)
    weighted = member if block.weight is None else member * block.weight[:, None]
    offset = arrays.double(X) - member @ arrays.like(X, task.shift, "float64")
    rows = (weighted > 0).sum(0)
    if task.pooled:
        scaled = offset * weighted.sum(1, keepdim=True)
        parts = [scaled.T @ offset]
    else:
        parts = [(offset * weighted[:, c : c + 1]).T @ offset for c in range(k)]
    second = np.stack([arrays.to_numpy(part) for part in parts])
    mass, first = (arrays.to_numpy(part) for part in (weighted.sum(0), weighted.T @ offset))
    return ClassSums(mass, first, second, arrays.to_numpy(rows))


def class_sums(task: MomentsPass, block: Block) -> ClassSums:
    """Return (4) of one block."""
    if not isinstance(block.X, np.ndarray):
        return tensor_sums(task, block)
    k, d = task.shift.shape
    sums = ClassSums(np.zeros(k), np.zeros((k, d)), np.zeros((1 if task.pooled else k, d, d)), np.zeros(k))
    code = np.ascontiguousarray(block.y, np.int64)
    _core.moments.scatter.class_scatter(block.X, code, block.weight, task.shift, *sums[:3])
    counted = code if block.weight is None else code[block.weight > 0]
    return sums._replace(rows=np.bincount(counted, minlength=k))


def about(shift: NDArray, sums: ClassSums) -> Moments:
    """Return (5); a class that did not occur keeps its shift as mean."""
    mass = np.where(sums.mass > 0, sums.mass, 1.0)[:, None]
    offset = sums.first / mass
    if len(sums.second) == len(mass):
        correction = sums.first[:, :, None] * offset[:, None, :]
    else:
        correction = (sums.first.T @ offset)[None]
    return Moments(sums.mass, shift + offset, sums.second - correction, sums.rows)


def pilot_means(source: Source, k: int) -> NDArray:
    """Return the mean of every class in a sample of the first block; of the whole sample for a class that is not there."""
    block = source.first()
    step = max(1, block.rows // PILOT_ROWS)  # spread over the block: rows may be sorted by class
    weight = None if block.weight is None else block.weight[::step]
    block = Block(block.X[::step], block.y[::step], weight)
    X = arrays.double(block.X)
    member = arrays.one_hot(block.X, block.y, k)
    weighted = member if block.weight is None else member * block.weight[:, None]
    everything = arrays.row_mean(block.X, block.weight)
    mass = arrays.to_numpy(weighted.sum(0))[:, None]
    first = arrays.to_numpy(weighted.T @ (X - arrays.like(block.X, everything, "float64")))
    return everything + first / np.where(mass > 0, mass, 1.0)


def class_moments(source: Source, k: int, pooled: bool) -> Moments:
    """Return (5) of all rows; not finite where a cell is missing."""
    if not pooled:
        source = source.cut(lambda n, d: max(block_rows(n, d), ROWS_PER_CELL * k * d))
    with np.errstate(invalid="ignore", over="ignore"):  # missing cells; weight zero beside a huge number
        return moments_of(source, k, pooled)


def moments_of(source: Source, k: int, pooled: bool) -> Moments:
    """Return (5) from one pass about the pilot means, or a second about the means where those were far off."""
    shift = np.nan_to_num(pilot_means(source, k), posinf=0.0, neginf=0.0)
    sums = source.total(class_sums, MomentsPass(shift, pooled))
    moments = about(shift, sums)
    total = max(float(moments.mass.sum()), np.finfo(float).tiny)
    variance = np.diagonal(moments.scatter.sum(axis=0)) / total
    far = (moments.mean - shift) ** 2 > FAR_SHIFT * variance
    rounding = (4 * np.finfo(float).eps * moments.mean) ** 2
    if (far & (variance > rounding) & (moments.mass > 0)[:, None]).any():
        moments = about(moments.mean, source.total(class_sums, MomentsPass(np.ascontiguousarray(moments.mean), pooled)))
    return moments


def pooled_covariance(moments: Moments, unbiased: bool = False) -> NDArray:
    """Return sum_c scatter_c / N, or over N - K."""
    n, k = float(moments.mass.sum()), len(moments.mass)
    return moments.scatter.sum(axis=0) / (n - k if unbiased else n)


def covariances(moments: Moments, unbiased: bool = False) -> NDArray:
    """Return scatter_c / N_c of every class, or over N_c - 1."""
    mass = moments.mass - 1 if unbiased else moments.mass
    return moments.scatter / np.where(mass > 0, mass, 1.0)[:, None, None]


class Scaled(NamedTuple):
    mean: NDArray  # (k, d)
    scale: NDArray  # (k, d)


class Fourth(NamedTuple):
    fourth: NDArray  # (k,)


def fourth_of(params: Scaled, block: Block) -> Fourth:
    """Return the sums of w |scale (x - mean)|^4 of every class, for one block."""
    k = len(params.mean)
    if arrays.is_tensor(block.X):
        member = arrays.one_hot(block.X, block.y, k)
        mean, scale = (arrays.like(block.X, values, "float64") for values in params)
        square = (((arrays.double(block.X) - member @ mean) * (member @ scale)) ** 2).sum(1) ** 2
        weighted = square if block.weight is None else square * block.weight
        return Fourth(arrays.to_numpy(weighted @ member))
    fourth = np.zeros(k)
    code = np.ascontiguousarray(block.y, np.int64)
    _core.moments.scatter.class_fourth(block.X, code, block.weight, params.mean, params.scale, fourth)
    return Fourth(fourth)


def length_fourth(source: Source, mean: NDArray, scale: NDArray) -> NDArray:
    """Return the sums of w |scale_c (x - mean_c)|^4 over the rows of every class: what Ledoit and Wolf's estimate needs."""
    return source.total(fourth_of, Scaled(np.ascontiguousarray(mean), np.ascontiguousarray(scale))).fourth
