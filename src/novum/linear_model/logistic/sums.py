r"""What one pass over the data gives logistic regression: loss, gradient, Hessian and products with it, in every home.

Rows are x' = [x, c] with the constant c (0 without an intercept), theta_k has an entry per column of x', classes are codes.

    two classes:  s_i = 1 / (1 + exp(-theta' x'_i))                                                (1)
    loss = -sum w_i [t_i log s_i + (1 - t_i) log(1 - s_i)]                                         (2)
    gradient = sum w_i (s_i - t_i) x'_i                                                            (3)
    Hessian = sum w_i s_i (1 - s_i) x'_i x'_i'                                                     (4)
    K classes:    p_ik = exp(theta_k' x'_i) / sum_j exp(theta_j' x'_i),   loss = -sum w_i log p_i,y_i,
    gradient_k = sum w_i (p_ik - [y_i = k]) x'_i                                                   (5)
    Hessian_kl = sum w_i p_ik ([k = l] - p_il) x'_i x'_i'                                          (6)

Dense and sparse rows of two classes are one read of the data each (compiled); products with the Hessian take the curvature that
the last pass at the same point left with the block, and compute it again where there is none.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from novum import _core
from novum.fold.blocks import Block, Source
from novum.fold.homes.team import plain_rows
from novum.linear_model.logistic import device_pass
from novum.runtime import arrays

__all__ = [
    "Direction",
    "LogisticSums",
    "Moments",
    "Point",
    "class_mass",
    "evaluate",
    "evaluate_all",
    "hessian_product",
    "moments",
    "weight_facts",
]

AT_ONCE = 1 << 16  # numbers of rows times pairs of classes up to which the blocks of (6) are one product


class Point(NamedTuple):
    """Where to evaluate, and what for."""

    theta: np.ndarray  # (1, p + 1) for two classes, (K, p + 1) for more
    constant: float
    class_weight: np.ndarray | None  # (K,)
    hessian: bool = False
    keep: int = 0  # a number of this point under which blocks keep the curvature; 0: they need not
    share: int = 1  # use one in `share` rows of every block, the first ones

    @property
    def binary(self) -> bool:
        return len(self.theta) == 1


class Direction(NamedTuple):
    point: Point
    v: np.ndarray  # the shape of theta


class LogisticSums(NamedTuple):
    """(2) to (6)."""

    loss: float
    gradient: np.ndarray  # the shape of theta
    hessian: np.ndarray | float  # (K (p + 1), K (p + 1)), zero where it was not requested


class Product(NamedTuple):
    value: np.ndarray


class Mass(NamedTuple):
    mass: np.ndarray  # (K,)


class Moments(NamedTuple):
    """What the preconditioner is made of."""

    curvature: np.ndarray  # (K, K) or (1, 1): sum of w (diag p - p p')
    rows: np.ndarray  # (p + 1, p + 1): sum of w x' x'', or its diagonal (p + 1,)


def class_mass(k: int, block: Block) -> Mass:
    """Return the weight of every class."""
    return Mass(arrays.class_counts(block.y, block.weight, k))


class WeightFacts(NamedTuple):
    """What inference needs of the weights."""

    rows: float  # of positive weight
    other: float  # of a positive weight that is not one


def weight_facts(_: None, block: Block) -> WeightFacts:
    """Return how many rows count, and how many of them not once."""
    if block.weight is None:
        return WeightFacts(float(block.rows), 0.0)
    positive = block.weight > 0
    return WeightFacts(float(positive.sum()), float((positive & (block.weight != 1)).sum()))


def row_weight(point: Point, block: Block) -> Any:
    """Return sample weight times class weight, or None for ones."""
    if point.class_weight is None:
        return block.weight
    by_class = arrays.like(block.y, point.class_weight, "float64")[block.y]
    return by_class if block.weight is None else by_class * block.weight


def leading(point: Point, block: Block) -> Block:
    """Return the share of the block that is to be used."""
    if point.share == 1:
        return block
    n = -(-block.rows // point.share)
    return Block(
        block.X[:n], block.y[:n], None if block.weight is None else block.weight[:n], block.start, block.memory
    )


def evaluate(point: Point, block: Block) -> LogisticSums:
    """Return loss, gradient and, if requested, the Hessian of one block."""
    block = leading(point, block)
    weight = row_weight(point, block)
    if arrays.is_tensor(block.X):
        return on_tensor(point, block, weight)
    if not point.binary:
        return several(point, block, weight)
    X, y = block.X, np.ascontiguousarray(block.y)
    theta, p = point.theta[0], block.X.shape[1]
    gradient = np.zeros(p + 1)
    curvature = np.empty(block.rows) if point.keep and block.memory is not None else None
    hessian = np.zeros((p + 1, p + 1)) if point.hessian else None
    passed = {"theta": theta, "constant": point.constant, "gradient": gradient, "curvature": curvature}
    if scipy.sparse.issparse(X) and hessian is None:
        loss = _core.linear_model.logistic.csr_binary_pass(X.data, X.indices, X.indptr, y=y, weight=weight, **passed)
    else:
        loss = _core.linear_model.logistic.binary_pass(arrays.dense(X), y=y, weight=weight, hessian=hessian, **passed)
    remember(point, block, curvature)
    return LogisticSums(loss, gradient[None], 0.0 if hessian is None else hessian)


def evaluate_all(source: Source, point: Point) -> LogisticSums:
    """Return loss, gradient and, if requested, the Hessian of all rows: by one call where they are at hand, else by blocks."""
    if source.on_device:
        return source.whole().total(evaluate, point)
    m = source.n_features + 1
    width = 1 + m + (m * m if point.hessian else 0)
    rows = plain_rows(source, width) if point.binary and point.class_weight is None else None
    if rows is None:
        return source.total(evaluate, point)
    sums, y = np.empty(width), np.ascontiguousarray(rows.y)
    curvature = np.empty(len(rows.X)) if point.keep else None
    with rows.team() as team:
        _core.linear_model.logistic.binary_pass_blocks(
            team,
            rows.step,
            rows.X,
            y=y,
            theta=point.theta[0],
            constant=point.constant,
            sums=sums,
            hessian=point.hessian,
            curvature=curvature,
            share=point.share,
        )
    if curvature is not None:
        for block, memory in enumerate(rows.memories):
            kept = curvature[block * rows.step : (block + 1) * rows.step]
            memory["curvature"] = (point.keep, kept[: -(-len(kept) // point.share)])
    hessian = sums[1 + m :].reshape(m, m) if point.hessian else 0.0
    return LogisticSums(float(sums[0]), sums[None, 1 : 1 + m].copy(), hessian)


def remember(point: Point, block: Block, curvature: Any) -> None:
    """Leave the curvature of the rows with the block."""
    if curvature is not None and block.memory is not None:
        block.memory["curvature"] = (point.keep, curvature)


def scores(point: Point, X: Any) -> Any:
    """Return theta_k' x' for every row and class, in float64."""
    theta = point.theta
    if scipy.sparse.issparse(X):
        return np.ascontiguousarray(X @ theta[:, :-1].T + point.constant * theta[:, -1])
    out = arrays.double(X) @ arrays.like(X, np.ascontiguousarray(theta[:, :-1].T), "float64")
    out += arrays.like(X, point.constant * theta[:, -1], "float64")
    return out


def collect(X: Any, residual: Any, constant: float) -> np.ndarray:
    """Return residual' x' as (K, p + 1)."""
    if scipy.sparse.issparse(X):
        inner = (X.T @ residual).T
    else:
        inner = arrays.to_numpy(residual.T @ arrays.double(X))
    total = arrays.to_numpy(
        arrays.ones(residual, residual.shape[0]) @ residual
    )  # BLAS: NumPy adds rows of a few columns slowly
    return np.column_stack([inner, constant * total])


def several(point: Point, block: Block, weight: Any) -> LogisticSums:
    """Return (5) and (6) of arrays."""
    score = scores(point, block.X)
    keeps = point.hessian or (point.keep and block.memory is not None)
    probability = np.empty_like(score) if keeps else None
    loss = _core.linear_model.logistic.softmax_pass(score, np.ascontiguousarray(block.y), weight, probability)
    remember(point, block, probability if point.keep else None)
    hessian = block_hessian(point, block.X, probability, weight) if point.hessian else 0.0
    return LogisticSums(loss, collect(block.X, score, point.constant), hessian)


def block_hessian(point: Point, X: Any, probability: Any, weight: Any) -> np.ndarray:
    """Return (6): a block per pair of classes, each symmetric."""
    k, m = point.theta.shape
    if arrays.is_tensor(X) and device_pass.takes_classes(X, k):
        return device_pass.class_hessian(probability, X, weight, point.constant)
    full = arrays.concat([arrays.double(arrays.dense(X)), point.constant * arrays.ones(X, X.shape[0], 1)])
    out = np.empty((k, m, k, m))
    if k * k * full.shape[0] * m < AT_ONCE and not arrays.is_tensor(full):
        r = probability.T[:, None] * (np.eye(k)[:, :, None] - probability.T)  # (k, k, rows)
        r = r if weight is None else r * weight
        out[:] = ((full.T * r[:, :, None]) @ full).transpose(0, 2, 1, 3)
        return out.reshape(k * m, k * m)
    for a in range(k):
        for b in range(a, k):
            r = probability[:, a] * (float(a == b) - probability[:, b])
            if weight is not None:
                r = r * weight
            out[a, :, b, :] = out[b, :, a, :] = arrays.to_numpy((full * r[:, None]).T @ full)
    return out.reshape(k * m, k * m)


def on_tensor(point: Point, block: Block, weight: Any) -> LogisticSums:
    """Return (2) to (6) of a tensor, where it is."""
    if point.binary and device_pass.takes(block.X):
        found = device_pass.binary_pass(
            point.theta[0], point.constant, block.X, block.y, weight, hessian=point.hessian, keep=bool(point.keep)
        )
        remember(point, block, found.curvature if point.keep else None)
        return LogisticSums(found.loss, found.gradient[None], 0.0 if found.hessian is None else found.hessian)
    score = scores(point, block.X)
    if point.binary:
        score = arrays.concat([0 * score, score])
    log_p = arrays.log_softmax(score)
    probability = arrays.exp(log_p)
    member = arrays.one_hot(block.X, block.y, score.shape[1])
    rows = (log_p * member).sum(1)
    residual = probability - member
    if weight is not None:
        rows, residual = rows * weight, residual * weight[:, None]
    if point.binary:
        residual, probability = residual[:, 1:], probability[:, 1:]
    remember(point, block, curvature_of(point, probability, weight) if point.keep else None)
    hessian: np.ndarray | float = 0.0
    if point.hessian:
        hessian = block_hessian(point, block.X, probability, weight)
    return LogisticSums(-float(rows.sum()), collect(block.X, residual, point.constant), hessian)


def curvature_of(point: Point, probability: Any, weight: Any) -> Any:
    """Return what products need of every row: w s (1 - s) for two classes, the probabilities for more."""
    if not point.binary:
        return probability
    r = probability[:, 0] * (1 - probability[:, 0])
    return r if weight is None else r * weight


def known_curvature(point: Point, block: Block) -> Any:
    """Return the curvature that the block keeps for this point; a pass makes it where there is none."""
    kept = (block.memory or {}).get("curvature")
    if kept is not None and kept[0] == point.keep:
        return kept[1]
    scratch: dict = {}
    evaluate(point._replace(hessian=False, share=1), block._replace(memory=scratch))
    return scratch["curvature"][1]


def hessian_product(direction: Direction, block: Block) -> Product:
    """Return the product of (4) or (6) with a direction, for one block."""
    point, v = direction
    block = leading(point, block)
    curvature = known_curvature(point, block)
    X, plain = block.X, not arrays.is_tensor(block.X)
    if point.binary and plain:
        out = np.zeros(v.size)
        if scipy.sparse.issparse(X):
            _core.linear_model.logistic.csr_binary_product(
                X.data, X.indices, X.indptr, curvature, v[0], point.constant, out
            )
        else:
            _core.linear_model.logistic.binary_product(X, curvature, v[0], point.constant, out)
        return Product(out[None])
    product = scores(point._replace(theta=v), X)
    weight = row_weight(point, block)
    if point.binary:
        product = product * curvature[:, None]
    elif plain:
        _core.linear_model.logistic.softmax_product(product, curvature, weight)
    else:
        product = curvature * (product - (curvature * product).sum(1)[:, None])
        product = product if weight is None else product * weight[:, None]
    return Product(collect(X, product, point.constant))


def weighted_rows(point: Point, block: Block) -> np.ndarray:
    """Return the rows, with the constant, times the roots of their weights."""
    X = arrays.to_numpy(arrays.double(block.X))
    full = np.concatenate([X, np.full((len(X), 1), point.constant)], axis=1)
    weight = row_weight(point, block)
    return full if weight is None else full * np.sqrt(arrays.to_numpy(weight))[:, None]


def moments(point: Point, block: Block) -> Moments:
    """Return the parts of the preconditioner: all products of columns, or (`hessian` False) their squares only."""
    block = leading(point, block)
    weight = row_weight(point, block)
    curvature = known_curvature(point, block)
    if point.binary:
        inner = np.array([[float(curvature.sum())]])
    else:
        weighted = curvature if weight is None else curvature * weight[:, None]
        inner = np.diag(arrays.to_numpy(weighted.sum(0))) - arrays.to_numpy(weighted.T @ curvature)
    X, w = block.X, arrays.ones(block.X, block.rows) if weight is None else weight
    if scipy.sparse.issparse(X):
        squares = np.zeros(X.shape[1])
        _core.linear_model.logistic.csr_squares(X.data, X.indices, X.indptr, weight, squares)
        return Moments(inner, np.append(squares, point.constant**2 * w.sum()))
    full = arrays.concat([arrays.double(block.X), point.constant * arrays.ones(block.X, block.rows, 1)])
    if point.hessian:
        return Moments(inner, arrays.to_numpy((full * w[:, None]).T @ full if weight is not None else full.T @ full))
    return Moments(inner, arrays.to_numpy(w @ (full * full)))
