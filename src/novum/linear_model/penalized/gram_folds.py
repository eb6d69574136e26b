r"""Cross-validation from Gram statistics: one pass over the data serves every fold, every penalty and every mixture.

With P_f the products (4) of novum.engines.moments.second of the rows that fold f holds out, about a common shift s,

    P_train(f) = sum_g P_g - P_f                                                                   (11)
    sum of squared errors on fold f = v'P_f v,   v = [-b, 1, -(a + b's_x - s_y)]                   (12)

so that training needs no second look at the rows and testing needs none at all. This holds where every row is held out
exactly once and the folds train on all other rows; splitters that do otherwise are served fold by fold from the rows.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import check_cv

from novum.engines.moments import second
from novum.exceptions import DataError
from novum.fold.blocks import Block, Source
from novum.linear_model.penalized.problem import GRAM_COLUMNS_PATH, GramProblem, open_problem
from novum.runtime import arrays

__all__ = ["FoldGrams", "Splits", "fold_grams", "fold_problem", "splits_of", "test_errors"]

FOLDS = 5  # scikit-learn's default


class Splits(NamedTuple):
    """What a splitter says: which fold holds out each row, where that says all, else the index arrays themselves."""

    folds: int
    fold_of: np.ndarray | None  # (n,): fold that holds the row out
    ends: np.ndarray | None  # (folds - 1,): first rows of folds 1, 2 ..., where folds are runs of rows
    pairs: list[tuple[np.ndarray, np.ndarray]] | None  # (train, test) of data in memory


class Assigned(NamedTuple):
    """Parameters of the pass over the data."""

    shift: np.ndarray  # (p + 1,)
    folds: int
    fold_of: np.ndarray | None
    ends: np.ndarray | None


class FoldSums(NamedTuple):
    products: np.ndarray  # (folds, p + 2, p + 2)
    rows: np.ndarray  # (folds,)


class FoldGrams(NamedTuple):
    shift: np.ndarray
    products: np.ndarray  # (folds, p + 2, p + 2): P_f
    rows: np.ndarray


class Count(NamedTuple):
    rows: int


def row_count(_: Any, block: Block) -> Count:
    """Return the number of rows of a block, those without weight too."""
    return Count(block.rows)


def splits_of(source: Source, cv: Any, name: str, **split_params: Any) -> Splits:
    """Return the folds of a source. Outside of memory `cv` must be a number: folds are then runs of rows, as KFold's."""
    if not source.at_hand:
        if cv is not None and not isinstance(cv, (int, np.integer)):
            raise DataError(
                f"{name}(cv={cv!r}): data outside of memory are split into runs of rows; give cv a number of folds."
            )
        count = FOLDS if cv is None else int(cv)
        n = source.n_rows or int(source.total(row_count).rows)
        sizes = np.full(count, n // count)
        sizes[: n % count] += 1
        return Splits(count, None, np.cumsum(sizes)[:-1], None)
    n = int(source.n_rows or 0)
    rows = np.broadcast_to(np.float64(0), (n, 1))
    pairs = [(np.asarray(a), np.asarray(b)) for a, b in check_cv(cv).split(rows, source.y, **split_params)]  # type: ignore[attr-defined]
    return Splits(len(pairs), fold_numbers(pairs, n), None, pairs)


def fold_numbers(pairs: list, n: int) -> np.ndarray | None:
    """Return which fold holds out each row, or None where the folds do not part the rows."""
    fold_of = np.full(n, -1)
    for f, (train, test) in enumerate(pairs):
        train, test = (np.flatnonzero(part) if part.dtype == bool else part for part in (train, test))
        if len(train) + len(test) != n or (fold_of[test] >= 0).any():
            return None
        fold_of[test] = f
        if (fold_of[train] == f).any() or len(np.unique(train)) != len(train):
            return None
    return fold_of if (fold_of >= 0).all() else None


def fold_sums(params: Assigned, block: Block) -> FoldSums:
    """Return the products (4) of one block, fold by fold."""
    size = len(params.shift) + 1
    out = FoldSums(np.zeros((params.folds, size, size)), np.zeros(params.folds))
    numbers = np.arange(block.start, block.start + block.rows)
    fold = np.searchsorted(params.ends, numbers, side="right") if params.ends is not None else params.fold_of[numbers]  # type: ignore[index]
    for f in np.unique(fold):
        chosen = np.flatnonzero(fold == f)
        part = block if len(chosen) == block.rows else rows_of(block, chosen)
        sums = second.products(params.shift, part)
        out.products[f], out.rows[f] = sums.products, sums.rows
    return out


def rows_of(block: Block, chosen: np.ndarray) -> Block:
    """Return some rows of a block as a block."""
    first, last = int(chosen[0]), int(chosen[-1]) + 1
    index: Any = slice(first, last) if last - first == len(chosen) else chosen
    if arrays.is_tensor(block.X) and not isinstance(index, slice):
        index = arrays.like(block.X, index, "int64")
    weight = None if block.weight is None else block.weight[index]
    return Block(block.X[index], block.y[index], weight)


def fold_grams(source: Source, splits: Splits, fit_intercept: bool) -> FoldGrams | None:
    """Return the products of every fold from one pass, or None where they do not serve: odd folds, or many columns."""
    parted = splits.fold_of is not None or splits.ends is not None
    if not parted or (source.at_hand and source.n_features > GRAM_COLUMNS_PATH):
        return None
    shift = second.pilot_shift(source, fit_intercept)
    for _ in range(2):
        sums = source.total(fold_sums, Assigned(shift, splits.folds, splits.fold_of, splits.ends))
        total = sums.products.sum(axis=0)
        offset = total[-1, :-1] / total[-1, -1]
        variance = np.diag(total)[:-1] / total[-1, -1] - offset**2
        if not fit_intercept or source.sparse or not (offset**2 > second.FAR_SHIFT * variance).any():
            break
        shift = shift + offset
    return FoldGrams(shift, sums.products, sums.rows)


def gram_problem(products: np.ndarray, shift: np.ndarray, rows: float, fit_intercept: bool, p: int) -> GramProblem:
    """Return the problem with the products (4), of which the first p columns are those of X."""
    weight, first = float(products[-1, -1]), products[-1, :-1]
    offset = first / weight if fit_intercept else np.zeros_like(first)
    inner = products[:-1, :-1] - np.outer(first, offset)
    mean = shift + offset if fit_intercept else np.zeros_like(shift)
    central = second.Moments(weight, mean, inner[:p, :p], inner[:p, p:], inner[p:, p:], rows, 0.0)
    return GramProblem.of_moments(central)


def squared_errors(products: np.ndarray, shift: np.ndarray, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
    """Return the mean squared error (12) of every penalty on the rows with these products, over all targets.

    `coef` is (q, p, k), `intercept` (q, k).
    """
    q, p, k = coef.shape
    total = np.zeros(k)
    for t in range(q):
        v = np.zeros((p + q + 1, k))
        v[:p], v[p + t], v[-1] = -coef[t], 1.0, -(intercept[t] + shift[:p] @ coef[t] - shift[p + t])
        total += np.maximum(np.einsum("ik,ik->k", v, products @ v), 0.0)
    return total / (q * products[-1, -1])


def fold_problem(
    source: Source, splits: Splits, grams: FoldGrams | None, f: int, fit_intercept: bool, alphas: int
) -> Any:
    """Return the problem of the rows that fold f trains on."""
    if grams is not None:
        others = (
            np.arange(len(grams.rows)) != f
        )  # added up: all less the fold's own cancels where that has most of the weight
        products, rows = grams.products[others].sum(axis=0), grams.rows[others].sum()
        return gram_problem(products, grams.shift, float(rows), fit_intercept, source.n_features)
    train = splits.pairs[f][0]  # type: ignore[index]
    times = np.bincount(
        np.flatnonzero(train) if train.dtype == bool else train, minlength=int(source.n_rows or 0)
    ).astype(float)
    weight = times if source.weight is None else times * source.weight  # type: ignore[attr-defined]
    return open_problem(source.in_memory().with_weight(weight), fit_intercept, "auto", alphas)


def test_errors(
    source: Source, splits: Splits, grams: FoldGrams | None, f: int, coef: np.ndarray, intercept: np.ndarray
) -> np.ndarray:
    """Return the mean squared error of every penalty on the rows that fold f holds out; shapes as in squared_errors."""
    if grams is not None:
        return squared_errors(grams.products[f], grams.shift, coef, intercept)
    test, used = splits.pairs[f][1], np.flatnonzero(coef.any(axis=(0, 2)))  # type: ignore[index]
    rows, Y = source.matrix()[test][:, used], second.as_columns(source.y)[test]  # type: ignore[attr-defined]
    weight = None if source.weight is None else source.weight[test]  # type: ignore[attr-defined]
    squares = [(Y[:, [t]] - (rows @ coef[t][used] + intercept[t])) ** 2 for t in range(len(coef))]
    return np.mean([np.average(each, axis=0, weights=weight) for each in squares], axis=0)
