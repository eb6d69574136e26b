"""Columns that know too much: alone they predict the target almost perfectly.

Such a column is often a consequence of the target (a discharge code, a refund) that will not be there when the model is
used. It may also be a very good cause, so it is pointed out and not removed. Looked at on the training rows only: a small
tree on the column alone, scored by folds; for numbers also the correlation with a numeric target. Most columns are out of the
question after a glance, the share that the majorities or means of equal parts of the column get right.
"""

from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from novum.study.task import CLASSIFICATION, Task

__all__ = ["find_leaks"]

ALMOST_ALL = 0.995  # share of right classes, or of explained variance, that one column alone should not reach
MOST_ROWS = 5000  # a look at this many is enough to be suspicious
DEPTH, FOLDS = 6, 3
MOST_PARTS, ROWS_OF_A_PART, WORTH_A_LOOK = 64, 5, 0.85


def find_leaks(frame: Any, y: Any, task: Task, seed: int) -> list[tuple[str, float]]:
    """Return the names of suspicious columns with their score alone.

    Parameters
    ----------
    frame : pandas frame of numbers and categories, as prepared
    y : array of targets
    """
    if len(y) > MOST_ROWS:
        rows = np.sort(np.random.default_rng(seed).choice(len(y), MOST_ROWS, replace=False))
        frame, y = frame.iloc[rows], y[rows]
    classify = task.kind == CLASSIFICATION
    folds: Any = (StratifiedKFold if classify else KFold)(FOLDS, shuffle=True, random_state=seed)
    if classify and np.unique(y, return_counts=True)[1].min() < FOLDS:
        return []
    tree: Any = DecisionTreeClassifier if classify else DecisionTreeRegressor
    found = []
    for name in frame.columns:
        x = ranks(frame[name])
        if glance(x, y, classify) < WORTH_A_LOOK:
            continue
        predicted = cross_val_predict(tree(max_depth=DEPTH, random_state=seed), x[:, None], y, cv=folds)
        score = (
            float(np.mean(predicted == y))
            if classify
            else max(explained_share(y, predicted), correlation(frame[name], y))
        )
        if score >= ALMOST_ALL and (not classify or score > max_share(y) + (1 - max_share(y)) / 2):
            found.append((str(name), score))
    return found


def glance(x: np.ndarray, y: np.ndarray, classify: bool) -> float:
    """Return how well the column's parts tell the target on the same rows: at least what a tree does on others."""
    parts = int(np.clip(len(x) // ROWS_OF_A_PART, 2, MOST_PARTS))
    order = np.argsort(x, kind="stable")
    part = np.empty(len(x), dtype=np.intp)
    part[order] = np.arange(len(x)) * parts // len(x)
    levels = x.astype(np.intp) + 1
    part = levels if levels.max() < parts else part
    size = int(part.max()) + 1
    counts = np.maximum(np.bincount(part, minlength=size), 1)
    if classify:
        codes = np.unique(y, return_inverse=True)[1]
        k = int(codes.max()) + 1
        return float(np.bincount(part * k + codes, minlength=size * k).reshape(size, k).max(axis=1).sum() / len(y))
    means = np.bincount(part, y, minlength=size) / counts
    return explained_share(y, means[part])


def ranks(series: Any) -> np.ndarray:
    """Return a column by the rank of its values, which is all that a tree looks at; what is missing ranks below all."""
    import pandas as pd

    return pd.factorize(series, sort=True)[0].astype(np.float64)


def explained_share(y: np.ndarray, predicted: np.ndarray) -> float:
    return 1 - float(((y - predicted) ** 2).sum() / ((y - y.mean()) ** 2).sum())


def correlation(series: Any, y: np.ndarray) -> float:
    """Return the squared correlation of a column of numbers with the target, where both are known."""
    if series.dtype == object:
        return 0.0
    x, known = series.to_numpy(), series.notna().to_numpy()
    if known.sum() < 3 or np.ptp(x[known]) == 0 or np.ptp(y[known]) == 0:
        return 0.0
    with np.errstate(all="ignore"):  # numbers near the ends of the range overflow in their squares
        square = float(np.corrcoef(x[known], y[known])[0, 1] ** 2)
    return square if np.isfinite(square) else 0.0


def max_share(y: np.ndarray) -> float:
    return float(np.unique(y, return_counts=True)[1].max() / len(y))
