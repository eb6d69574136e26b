r"""Columns that know too much: alone they predict the target almost perfectly.

Such a column is often a consequence of the target (a discharge code, a refund) that will not be there when the model is
used. It may also be a very good cause, so it is pointed out and not removed. Looked at on the training rows only, by folds:

    numbers      a small tree on the column alone; of a numeric target also their squared correlation
    texts        the class of the surest of a row's tokens, its words and itself as a whole:                           (1)
                     argmax over tokens t of (n_tc + 1) / (n_t + k),  n_tc the rows of class c that have t
                 of a numeric target the mean of the rows with the same text, and the numbers written in it

Most columns are out of the question after a glance: the share that the majorities or means of equal parts of the column, or of
the tokens, get right on the rows themselves.
"""

import re
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from novum.study.comparison.pipelines import WORDS
from novum.study.data.task import CLASSIFICATION, LearningTask

__all__ = ["find_leaks"]

ALMOST_ALL = 0.995  # share of right classes, or of explained variance, that one column alone should not reach
MOST_ROWS = 5000  # a look at this many is enough to be suspicious
DEPTH, FOLDS = 6, 3
MOST_PARTS, ROWS_OF_A_PART, WORTH_A_LOOK = 64, 5, 0.85
MOST_TOKENS = 200  # of one text
TOKEN = re.compile(r"\w+")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def find_leaks(frame: Any, y: Any, task: LearningTask, seed: int) -> list[tuple[str, float]]:
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
    found = []
    for name in frame.columns:
        column = frame[name]
        score = number_score(column, y, classify, folds, seed)
        if column.dtype == object:
            said = words_score if classify else written_score
            score = max(score, said(column, y, folds))
        if score >= ALMOST_ALL and (not classify or score > max_share(y) + (1 - max_share(y)) / 2):
            found.append((str(name).removesuffix(WORDS), score))
    return found


def number_score(column: Any, y: np.ndarray, classify: bool, folds: Any, seed: int) -> float:
    """Return the score of a small tree on a column alone, by the order of its values; 0 where a glance is enough."""
    x = ranks(column)
    if glance(x, y, classify) < WORTH_A_LOOK:
        return 0.0
    tree: Any = DecisionTreeClassifier if classify else DecisionTreeRegressor
    predicted = cross_val_predict(tree(max_depth=DEPTH, random_state=seed), x[:, None], y, cv=folds)
    if classify:
        return float(np.mean(predicted == y))
    return max(explained_share(y, predicted), correlation(column, y))


def tokens_of(text: Any) -> set[str]:
    """Return the words of a text and the text itself, which has a mark before it; none of a missing one."""
    if not isinstance(text, str):
        return set()
    whole = text.casefold()
    return {f"={whole}", *TOKEN.findall(whole)[:MOST_TOKENS]}


def words_score(column: Any, y: np.ndarray, folds: Any) -> float:
    """Return the share of the rows whose class (1) predicts."""
    table = token_table(column)
    if not table.shape[1]:
        return 0.0
    codes = np.unique(y, return_inverse=True)[1]
    k = int(codes.max()) + 1
    if np.mean(surest(table, codes, table, k) == codes) < WORTH_A_LOOK:
        return 0.0
    right = [surest(table[train], codes[train], table[test], k) == codes[test] for train, test in folds.split(table, y)]
    return float(np.mean(np.concatenate(right)))


def token_table(column: Any) -> sparse.csr_array:
    """Return which row has which token, of those that more than one row has."""
    rows: list[int] = []
    places: list[int] = []
    known: dict[str, int] = {}
    for row, text in enumerate(column):
        for token in sorted(tokens_of(text)):
            rows.append(row)
            places.append(known.setdefault(token, len(known)))
    table = sparse.csr_array((np.ones(len(rows)), (rows, places)), shape=(len(column), len(known)))
    return table[:, np.flatnonzero(table.sum(axis=0) > 1)]


def surest(table: Any, codes: np.ndarray, queried: Any, k: int) -> np.ndarray:
    """Return (1) for the rows of a table from those of another; the most frequent class for one without a token."""
    counts = np.asarray(table.T @ np.eye(k)[codes])  # (tokens, classes)
    sure = (counts.max(axis=1) + 1) / (counts.sum(axis=1) + k)
    sure[counts.sum(axis=1) == 0] = 0.0
    said = counts.argmax(axis=1)
    queried = sparse.csr_array(queried)
    weighed = sparse.csr_array((sure[queried.indices], queried.indices, queried.indptr), shape=queried.shape)
    best = np.asarray(weighed.argmax(axis=1)).ravel() if queried.shape[1] else np.zeros(queried.shape[0], dtype=np.intp)
    none = np.asarray(weighed.max(axis=1).todense()).ravel() <= 0
    return np.where(none, np.bincount(codes, minlength=k).argmax(), said[best])


def written_score(column: Any, y: np.ndarray, folds: Any) -> float:
    """Return the share of a numeric target's variance that equal texts, or numbers written in the text, explain."""
    import pandas as pd

    codes = pd.factorize(column)[0] + 1
    predicted = np.empty(len(y))
    for train, test in folds.split(codes):
        sums = np.bincount(codes[train], y[train], minlength=codes.max() + 1)
        counts = np.bincount(codes[train], minlength=codes.max() + 1)
        means = np.where(counts > 0, sums / np.maximum(counts, 1), y[train].mean())
        predicted[test] = means[codes[test]]
    best = explained_share(y, predicted)
    written = [[float(part) for part in NUMBER.findall(text)] if isinstance(text, str) else [] for text in column]
    for place in (0, -1):
        numbers = [found[place] if found else np.nan for found in written]
        known = np.isfinite(numbers)
        if known.mean() >= ALMOST_ALL:
            best = max(best, correlation(pd.Series(np.where(known, numbers, np.nan)), y))
    return best


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
