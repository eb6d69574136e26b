"""What a worker does with one block: it makes it from a partition, checks it, and computes with it."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from novum import _core
from novum.exceptions import DataError
from novum.fold.blocks import Block
from novum.runtime.blas import single_blas
from novum.runtime.checks import check_weight_size

__all__ = [
    "RowFunction",
    "Survey",
    "aligned_parameters",
    "build",
    "change_target",
    "remembered",
    "run_rows",
    "some_rows",
    "survey_block",
]

KEPT_FITS = 2  # fits whose private block state a worker keeps: the running one and one more


class BlockMemory(NamedTuple):
    """What a worker keeps of a block between the passes of a fit."""

    memory: dict  # private state of the learner
    target: list  # the target after its changes, once it was made


_private: OrderedDict[str, dict[int, BlockMemory]] = OrderedDict()  # on a worker: fit -> block -> what it keeps


class Survey(NamedTuple):
    """Rows and weight of some blocks."""

    rows: list[int]
    weight: float


def build(X: Any, y: Any, weight: Any, dtype: np.dtype) -> Block:
    """Return a partition as a block: a row-major tile, the target as an array, weights as float64."""
    if hasattr(X, "dtypes"):  # a pandas frame: its own conversion knows pd.NA
        X = X.to_numpy(dtype=dtype, na_value=np.nan)
    tile = np.require(np.asarray(X), dtype, ["C", "ALIGNED"])
    target = None if y is None else np.asarray(y)
    return Block(tile, target, None if weight is None else np.ascontiguousarray(np.asarray(weight), np.float64))


def change_target(block: Block, changes: tuple[Callable, ...]) -> Block:
    """Return the block with its target put through `changes`."""
    for change in changes:
        block = block._replace(y=change(block.y))
    return block


def some_rows(run: list[Block], index: int, step: int) -> Block:
    """Return one block of a run, or every so manieth row of it."""
    block = run[index]
    return block if step == 1 else block.take(np.arange(0, block.rows, step))


def survey_block(index: int, owner: str, allow_nan: bool, block: Block) -> Survey:
    """Return the rows and the weight of one block; raise if it cannot be learned from."""
    rows = len(block.X)
    for name, values in (("y", block.y), ("sample_weight", block.weight)):
        if values is not None and len(values) != rows:
            raise DataError(
                f"Found input variables with inconsistent numbers of samples: {owner}: partition {index} has {rows} rows"
                f" of X and {len(values)} of {name}; cut both alike."
            )
    check_finite(index, owner, allow_nan, block)
    if block.weight is None:
        return Survey([rows], float(rows))
    if not np.isfinite(block.weight).all() or (block.weight < 0).any():
        raise DataError(
            f"{owner}: partition {index} has a sample_weight that is negative or not finite; give weights >= 0."
        )
    check_weight_size(owner, float(block.weight.max(initial=0.0)), part=True)
    return Survey([rows], float(block.weight.sum()))


def check_finite(index: int, owner: str, allow_nan: bool, block: Block) -> None:
    """Raise for NaN or infinity in the tile or in a numeric target."""
    good = not np.isinf(block.X).any() if allow_nan else _core.runtime.tiles.all_finite(block.X.ravel())
    if not good:
        raise DataError(
            f"Input X contains NaN or infinity in partition {index}. {owner} does not accept it: fill or drop those rows."
        )
    if block.y is not None and block.y.dtype.kind == "f" and not np.isfinite(block.y).all():
        raise DataError(
            f"Input y contains NaN or infinity in partition {index}. {owner} does not accept it: drop those rows."
        )


def aligned_parameters(value: Any) -> Any:
    """Return parameters or a block whose arrays lie as compiled code expects them: what came over the wire may not."""
    if isinstance(value, np.ndarray):
        return value if value.flags.aligned else value.copy()
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(aligned_parameters, value))
    return value


def remembered(block: Block, changes: tuple, fit: str, index: int, start: int) -> Block:
    """Return the block with its first row's number and what this worker remembers of it: private state, changed target."""
    blocks = _private.setdefault(fit, {})
    _private.move_to_end(fit)
    while len(_private) > KEPT_FITS:
        _private.popitem(last=False)
    kept = blocks.setdefault(index, BlockMemory({}, []))
    if changes and not kept.target:
        kept.target.append(change_target(block, changes).y)
    target = kept.target[0] if changes else block.y
    return aligned_parameters(block._replace(y=target, start=start, memory=kept.memory))


class RowFunction:
    """A function of rows with its parameters, and the answer of no rows: one task of the graph, which all pieces share."""

    def __init__(self, function: Callable, params: Any, empty: np.ndarray, owner: str, allow_nan: bool) -> None:
        self.function, self.params, self.empty = function, params, empty
        self.owner, self.allow_nan = owner, allow_nan


def run_rows(work: RowFunction, index: int, block: Block) -> Any:
    """Return the rows of one block's result; the function is not asked about no rows."""
    if block.rows == 0:
        return work.empty
    block = aligned_parameters(block)
    check_finite(index, work.owner, work.allow_nan, block)
    with single_blas():
        return work.function(aligned_parameters(work.params), block._replace(memory={}))
