r"""A Gaussian mixture on one block of rows, wherever it lives: the pass of an EM iteration, and answers about the rows.

    l[n,k] = constant[k] - 1/2 |U_k' (x[n] - mean[k])|^2                                           (2)
    total[n] = log sum_k exp l[n,k],   r[n,k] = exp(l[n,k] - total[n])                             (3)
    mass = sum w r,   first = sum w r (x - mean),   second = sum w r (x - mean)(x - mean)'         (4)

Complete rows on a processor go to the compiled kernel (cpp/include/novum/gaussians/mixture.h), rows with missing cells to
`missing`, tensors on a device to `tensors`. For a tied covariance `second` is one matrix for all components, and it
follows from the scatter of the block, which no pass changes:

    sum_k second_k = T - sum_k (first_k g_k' + g_k first_k' + mass_k g_k g_k'),   g_k = mean_k - center,
    T = sum w (x - center)(x - center)'                                                            (7)
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.engines.gaussians import missing, tensors
from novum.engines.gaussians.covariance import (
    DIAGONAL,
    FULL,
    TIED,
    MixtureSums,
    contiguous,
    kernel_layout,
    layout,
    log_determinant,
)
from novum.fold.blocks import Block, Source
from novum.fold.homes.team import plain_rows
from novum.runtime import arrays, devices

__all__ = [
    "Density",
    "density_of",
    "host",
    "is_complete",
    "joint",
    "label",
    "moments_of",
    "pass_of",
    "pass_of_all",
    "posterior",
    "total",
]


class Density(NamedTuple):
    """What (2) needs, in the layout of the kernels."""

    layout: int
    mean: NDArray  # (k, d)
    factor: NDArray  # U: (k, d, d), tied (d, d), diagonal layout (k, d)
    constant: NDArray  # (k,)
    center: NDArray  # (d,)
    covariance: NDArray  # as the factor: what rows with missing cells need
    excess: NDArray  # (k,): constant - log |U| + d/2 log 2 pi, what is not the Gaussian's own


def density_of(
    form: str, excess: NDArray, mean: NDArray, covariance: NDArray, factor: NDArray, center: NDArray
) -> Density:
    """Return the density whose components are exp(excess) N(mean, covariance)."""
    k, d = mean.shape
    constant = excess + log_determinant(form, factor, k, d) - 0.5 * d * np.log(2 * np.pi)
    return Density(
        layout(form),
        contiguous(mean),
        kernel_layout(form, factor, k, d),
        np.ascontiguousarray(constant),
        np.ascontiguousarray(center, np.float64),
        kernel_layout(form, covariance, k, d),
        np.ascontiguousarray(excess, np.float64),
    )


def host(x: Any) -> Any:
    """Return a tensor that lives on a processor as an array over the same memory; all else as it is."""
    if x is None or isinstance(x, np.ndarray):
        return x
    return x.numpy() if arrays.is_tensor(x) and devices.on_host(x) else x


def is_complete(block: Block) -> bool:
    """Return whether no cell of a block is missing; a block remembers the answer."""
    if block.memory is not None and "complete" in block.memory:
        return block.memory["complete"]
    X = host(block.X)
    complete = arrays.all_finite(X) if arrays.is_tensor(X) else bool(_core.runtime.tiles.all_finite(X))
    if block.memory is not None:
        block.memory["complete"] = complete
    return complete


def empty_sums(kind: int, k: int, d: int) -> tuple[NDArray, NDArray, NDArray]:
    """Return zeros for the kernel to add to."""
    second = np.zeros((k, d, d)) if kind == FULL else np.zeros((k, d) if kind == DIAGONAL else 0)
    return np.zeros(k), np.zeros((k, d)), second


def weight_of(block: Block) -> float:
    """Return the weight of all rows."""
    return float(len(block.X)) if block.weight is None else float(block.weight.sum())


def scatter(center: NDArray, block: Block) -> NDArray:
    """Return T of (7) for a complete block; a block remembers it."""
    known = None if block.memory is None else block.memory.get("scatter")
    if known is not None and np.array_equal(known[0], center):
        return known[1]
    mass, first, second = empty_sums(FULL, 1, len(center))
    X = host(block.X)
    _core.gaussians.mixture.moments(
        FULL,
        X=X,
        weight=host(block.weight),
        responsibility=np.ones((len(X), 1)),
        shift=center[None],
        mass=mass,
        first=first,
        second=second,
    )
    if block.memory is not None:
        block.memory["scatter"] = (center, second[0])
    return second[0]


def tied_second(T: NDArray, gap: NDArray, mass: NDArray, first: NDArray) -> NDArray:
    """Return (7)."""
    cross = first.T @ gap
    return T - cross - cross.T - (mass * gap.T) @ gap


def pass_of(density: Density, block: Block) -> MixtureSums:
    """Return (4) of one block."""
    X, weight = host(block.X), host(block.weight)
    if not is_complete(block):
        return missing.split_pass(density, block, pass_of)
    if arrays.is_tensor(X):
        return tensors.tensor_pass(density, block, weight_of(block))
    k, d = density.mean.shape
    mass, first, second = empty_sums(density.layout, k, d)
    log_likelihood, information = _core.gaussians.mixture.statistics(
        density.layout,
        X=X,
        weight=weight,
        mean=density.mean,
        factor=density.factor,
        constant=density.constant,
        center=density.center,
        mass=mass,
        first=first,
        second=second,
    )
    if density.layout == TIED:
        second = tied_second(scatter(density.center, block), density.mean - density.center, mass, first)
    return MixtureSums(mass, first, second, log_likelihood, information, weight_of(block))


def all_complete(memories: list[dict]) -> bool:
    """Return whether every block is known to be complete; the first remembers it of all."""
    if "all complete" not in memories[0] and all(memory.get("complete") for memory in memories):
        memories[0]["all complete"] = True
    return "all complete" in memories[0]


def pass_of_all(density: Density, source: Source) -> MixtureSums | None:
    """Return (4) of all rows by one call, or None where they go block by block: blocks not yet known to be complete do."""
    k, d = density.mean.shape
    kind = density.layout
    if kind == TIED:
        return None
    second = (k, d, d) if kind == FULL else (k, d)
    width = 2 + k + k * d + int(np.prod(second))
    rows = plain_rows(source, width)
    if rows is None or not all_complete(rows.memories):
        return None
    sums = np.empty(width)
    with rows.team() as team:
        _core.gaussians.mixture.statistics_blocks(
            team,
            rows.step,
            kind,
            rows.X,
            mean=density.mean,
            factor=density.factor,
            constant=density.constant,
            center=density.center,
            sums=sums,
        )
    mass, first, rest = np.split(sums[2:], [k, k + k * d])
    return MixtureSums(
        mass, first.reshape(k, d), rest.reshape(second), float(sums[0]), float(sums[1]), float(len(rows.X))
    )


def moments_of(kind: int, responsibility: Any, shift: NDArray, block: Block) -> MixtureSums:
    """Return (4) of one block under given responsibilities (rows, k), about `shift`."""
    k, d = shift.shape
    X, weight, responsibility = host(block.X), host(block.weight), host(responsibility)
    if not isinstance(X, np.ndarray):
        return tensors.given_pass(kind, arrays.like(X, responsibility, "float64"), shift, X, weight, weight_of(block))
    X = np.ascontiguousarray(X)
    mass, first, second = empty_sums(FULL if kind == TIED else kind, k, d)
    full = FULL if kind == TIED else kind
    _core.gaussians.mixture.moments(
        full,
        X=X,
        weight=weight,
        responsibility=np.ascontiguousarray(responsibility, np.float64),
        shift=shift,
        mass=mass,
        first=first,
        second=second,
    )
    return MixtureSums(mass, first, second.sum(axis=0) if kind == TIED else second, 0.0, 0.0, weight_of(block))


def evaluate_block(density: Density, block: Block, what: str) -> Any:
    """Return l, r, total or the best component of every row, in the dtype and home of the block."""
    X = host(block.X)
    k = len(density.constant)
    if not is_complete(block):
        found = missing.all_joint(density, X)
    elif not isinstance(X, np.ndarray) and arrays.is_tensor(X):
        found = tensors.tensor_joint(density, X)
    else:
        out: Any = (
            np.empty(len(X), np.int64)
            if what == "label"
            else np.empty((len(X), k) if what in ("joint", "posterior") else len(X), X.dtype)
        )
        answers = [out if what == name else None for name in ("joint", "posterior", "total", "label")]
        _core.gaussians.mixture.evaluate(
            density.layout, X, density.mean, density.factor, density.constant, density.center, *answers
        )
        return out
    if what == "label":
        return arrays.argmax(found)
    total_found = tensors.log_sum(found)
    if what == "posterior":
        found = arrays.exp(found - total_found[:, None])
    return tensors.cast(total_found if what == "total" else found, X)


def joint(density: Density, block: Block) -> Any:
    """Return l of (2)."""
    return evaluate_block(density, block, "joint")


def posterior(density: Density, block: Block) -> Any:
    """Return r of (3)."""
    return evaluate_block(density, block, "posterior")


def total(density: Density, block: Block) -> Any:
    """Return log p(x) of every row: total of (3)."""
    return evaluate_block(density, block, "total")


def label(density: Density, block: Block) -> Any:
    """Return the component of largest responsibility of every row."""
    return evaluate_block(density, block, "label")
